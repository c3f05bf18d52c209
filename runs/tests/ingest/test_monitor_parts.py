"""A monitor that ran beside several load tests is stored as a whole, and what it saw of each run as a part."""

from __future__ import annotations

import pytest

from runs import ingest
from runs.ingest import preview
from runs.ingest.changes import move_capture
from runs.ingest.edits import Edits, apply_edits
from runs.models import Capture, Experiment, Upload
from runs.selectors.comparison_data import load_experiment
from runs.selectors.judging import compare_and_judge
from runs.tests.drafts.documents import read
from runs.tests.drafts.monitored import LOADS, Load, monitored

pytestmark = pytest.mark.django_db
MIB = 1024


def stored(text: str, edits: Edits | None = None) -> Experiment:
    ingest.submit(text.encode(), name="log", origin="web", edits=edits)
    (experiment,) = Experiment.objects.all()
    return experiment


def rows(experiment: Experiment) -> dict[str, list[list[float]]]:
    """{label: the figures of each config} of the table's rows, and the doubts' rules."""
    comparison, _ = compare_and_judge(load_experiment(experiment))
    return {
        row.label: [[round(figure.value, 1) for figure in cell.figures] for cell in row.cells]
        for row in comparison.rows
    }


def captures() -> list[tuple[str, int | None, int]]:
    return list(Capture.objects.order_by("block_key").values_list("block_key", "run", "n_samples"))


def test_each_config_has_the_memory_and_the_cpu_time_of_its_own_run():
    found = rows(stored(monitored("top")))
    sizes = [[round((8000 + 100 * load.cpu) / MIB, 1)] for load in LOADS]
    assert found["nginx: each, mean, during"] == sizes
    found = {
        one.run: round(one.metrics["cpu_id"]) for one in load_experiment(Experiment.objects.get()).counted_captures
    }
    assert list(found.values()) == [100 - load.cpu for load in LOADS]


def test_the_whole_is_one_capture_of_the_experiment_that_no_figure_is_made_of():
    experiment = stored(monitored("sar"))
    (whole,) = [one for one in load_experiment(experiment).captures if one.divided]
    assert (whole.run, whole.config, whole.n, whole.phase) == (None, None, 53, "during")
    assert whole.id not in {one.id for one in load_experiment(experiment).counted_captures}


def test_a_warm_up_has_its_samples_and_no_config_has_them():
    loads = (Load("Warm-up", 700.5, 20, 30, 50), *LOADS)
    experiment = stored(monitored("top", loads, seconds=320))
    assert len(captures()) == 5
    assert [len(cell) for cell in rows(experiment)["nginx: each, mean, during"]] == [1, 1, 1, 0]


def test_reading_it_again_changes_nothing():
    stored(monitored("pidstat"))
    before = list(Capture.objects.order_by("pk").values())
    assert len(before) == 4
    ingest.reparse(Upload.objects.get().pk)
    assert list(Capture.objects.order_by("pk").values()) == before


@pytest.mark.parametrize(
    ("edits", "left"),
    [
        ({"b3": {"run": "b1"}}, ["b3"]),  # a person says whose it is
        ({"b3": {"leave_out": True}}, []),
        ({"b5": {"leave_out": True}}, ["b3"]),  # one sample
        ({"b3": {"label": "server"}}, ["b3", "b3.1", "b3.2", "b3.3"]),
        ({"b3.2": {"leave_out": True}}, ["b3", "b3.1", "b3.3"]),
        ({"b1": {"leave_out": True}}, ["b3", "b3.1", "b3.3"]),  # its run
    ],
)
def test_edits_of_the_whole_and_of_its_parts(edits, left):
    _, draft = read(monitored("top"))
    changed = apply_edits(draft, {"blocks": edits})
    assert [capture.key for capture in changed.experiments[0].captures] == left


def test_a_part_that_a_person_left_out_stays_out():
    text = monitored("vmstat")
    stored(text, edits={"blocks": {"b3.2": {"leave_out": True}}})
    keys = [key for key, _, _ in captures()]
    ingest.reparse(Upload.objects.get().pk)
    assert [key for key, _, _ in captures()] == keys == ["b3", "b3.1", "b3.3"]


def test_a_whole_that_is_put_under_a_config_has_no_parts_any_more():
    experiment = stored(monitored("vmstat"))
    config = experiment.configs.first()
    move_capture(Capture.objects.get(block_key="b3"), config, "during")
    assert [key for key, _, _ in captures()] == ["b3"]
    ingest.reparse(Upload.objects.get().pk)
    assert [(one.block_key, one.config) for one in Capture.objects.all()] == [("b3", config)]


def test_a_run_that_is_deleted_takes_its_part_along():
    experiment = stored(monitored("vmstat"))
    ingest.delete(experiment.runs.order_by("line_first")[1])
    assert [key for key, _, _ in captures()] == ["b3", "b3.1", "b3.3"]


def test_the_preview_shows_the_parts_with_their_runs():
    shown = preview(monitored("vmstat").encode())
    keys = {capture.key: capture.run for capture in shown.draft.experiments[0].captures}
    assert keys == {"b3": "", "b3.1": "b0", "b3.2": "b1", "b3.3": "b2"}
