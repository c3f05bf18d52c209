"""A run's figures are listed once: what is parsed, stored, compared and served has the same names."""

from dataclasses import fields

import pytest

import parsers
from parsers.records import LoadResult
from runs import ingest
from runs.analysis.facts import FIGURES, RunFigures
from runs.api.serializers import RunSerializer
from runs.ingest import make_run_fact
from runs.models import Run
from runs.tests.ingest.texts import ab

COLUMNS = [field for field in Run._meta.concrete_fields if field.name in FIGURES]


def test_every_figure_is_a_field_of_a_parsed_result_a_column_and_served():
    assert set(FIGURES) <= {field.name for field in fields(LoadResult)}
    assert set(FIGURES) == {field.name for field in COLUMNS}
    assert set(FIGURES) <= set(RunSerializer.Meta.fields)


def test_a_figure_is_unknown_in_a_fact_where_its_column_is_empty():
    empty = RunFigures(tool="ab")
    assert {field.name: field.get_default() for field in COLUMNS} | {"tool": "ab"} == {
        name: getattr(empty, name) for name in FIGURES
    }


@pytest.mark.django_db
def test_a_posted_report_gives_the_same_figures_at_every_step():
    text = ab(500.0, failed=3)
    (result,) = next(iter(parsers.read(text.splitlines()))).records
    run = ingest.submit(text.encode(), origin="rest").upload.runs.select_related("host", "experiment", "config").get()
    served = RunSerializer(run).data
    for name in FIGURES:
        figure = getattr(result, name)
        expected = "" if figure is None and name in {"tool_version", "server_software"} else figure
        assert getattr(run, name) == getattr(make_run_fact(run), name) == served[name] == expected
    assert (run.requests_per_second, run.failed_requests, run.port) == (500.0, 3, 8080)
