"""Made-up runs: as many as asked for, the same for the same seed, and counted as real ones are."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from runs import ingest
from runs.models import (
    Capture,
    Config,
    CounterDelta,
    Experiment,
    Facet,
    Host,
    Run,
    RunTag,
    Series,
    Trend,
    TrendLine,
    Upload,
)
from runs.tests import factories

pytestmark = pytest.mark.django_db


def make(*words: str) -> str:
    out = StringIO()
    call_command("make_sample", *words, stdout=out)
    return out.getvalue()


def test_as_many_runs_as_asked_for_with_all_that_hangs_on_them():
    assert "300 runs" in make("--runs", "300")
    assert (Run.objects.count(), Capture.objects.count(), Series.objects.count()) == (300, 300, 3000)
    assert Experiment.objects.count() > 10 and Host.objects.count() == 60
    assert not Config.objects.filter(runs=None).exclude(texts=None).exists()
    assert RunTag.objects.exists() and TrendLine.objects.filter(n_days__gt=1).exists()


def test_the_same_seed_makes_the_same_runs():
    def rates() -> list[object]:
        return list(
            Run.objects.order_by("pk").values_list("requests_per_second", "command", "config__name", "created_at")
        )

    make("--runs", "60", "--seed", "7")
    first = rates()
    make("--runs", "60", "--seed", "7", "--add")
    assert rates()[60:] == first
    make("--runs", "60", "--seed", "8", "--add")
    assert rates()[120:] != first


def test_its_counts_are_those_of_a_recount():
    make("--runs", "100", "--series", "0")
    before = sorted(Facet.objects.values_list("kind", "value", "n_runs"))
    days = sorted(Trend.objects.values_list("fingerprint", "day", "n"))
    assert sum(n for _, _, n in days) == 100 and not CounterDelta.objects.exists()
    ingest.recount()
    assert sorted(Facet.objects.values_list("kind", "value", "n_runs")) == before
    assert sorted(Trend.objects.values_list("fingerprint", "day", "n")) == days


@pytest.mark.parametrize("runs", ["1", "2", "9", "33", "100", "101"])
def test_any_number_of_runs_can_be_made(runs):
    make("--runs", runs, "--series", "0")
    assert Run.objects.count() == int(runs)


def test_without_series_there_are_no_captures():
    make("--runs", "30", "--series", "0")
    assert not Capture.objects.exists()


def test_its_runs_stand_in_their_texts(admin_client):
    make("--runs", "40")
    run = Run.objects.order_by("pk").last()
    line = [*ingest.load_text(Upload.objects.get(pk=run.upload_id)).lines()][run.line_first + 3]
    assert line.startswith(f"Requests per second:    {run.requests_per_second:.2f}")
    for thing in (run, run.config, run.host, run.experiment, run.upload):
        assert admin_client.get(thing.get_absolute_url()).status_code == 200


def test_it_stays_away_from_other_peoples_runs():
    factories.mpm_experiment()
    with pytest.raises(CommandError, match="This database has runs already"):
        make("--runs", "10")
    make("--runs", "10", "--add")
    assert Run.objects.count() == 14


def test_what_is_stored_after_it_gets_an_id_of_its_own():
    make("--runs", "20")
    factories.mpm_experiment()
    assert Run.objects.count() == 24


@pytest.mark.parametrize("runs", ["0", "-5"])
def test_it_makes_at_least_one(runs):
    with pytest.raises(CommandError, match="from 1"):
        make("--runs", runs)


def test_recount_says_what_it_counted():
    make("--runs", "20")
    Facet.objects.update(n_runs=0)
    out = StringIO()
    call_command("recount", stdout=out)
    n = Facet.objects.filter(n_runs__gt=0).count()
    assert n and out.getvalue() == f"{n} facets with runs, {TrendLine.objects.count()} trends\n"
