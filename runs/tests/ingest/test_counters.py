"""Facets, hosts' counts and trends say what a count of the runs would say, whatever happened to them."""

from __future__ import annotations

import math
from importlib import import_module

import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from runs import ingest, tasks
from runs.ingest import Hints, changes, counters
from runs.models import Config, CounterDelta, Facet, Host, Run, RunTag, Trend, TrendLine, Upload
from runs.tests.ingest.texts import session

pytestmark = pytest.mark.django_db
TWO = session(500, 600) + session(700, heading="event:")


def submit(text: str, **hints) -> Upload:
    return ingest.submit(text.encode(), origin="web", hints=Hints(**hints)).upload


@pytest.fixture
def upload() -> Upload:
    return submit(TWO, host="web1", tags=("nightly", "php"))


def standing() -> dict[str, object]:
    """All that the small tables say, with sums to twelve figures: those depend on the order of their terms."""
    facets = {(row.kind, row.value): row.n_runs for row in Facet.objects.filter(n_runs__gt=0)}
    days = {
        (row.fingerprint, row.day): (row.n, row.least, row.most, row.n_ms, *(float(f"{x:.12g}") for x in sums))
        for row in Trend.objects.all()
        for sums in [(row.total, row.sum_log, row.sum_log2, row.sum_ms)]
    }
    lines = set(TrendLine.objects.values_list("fingerprint", "n", "n_days", "first_day", "last_day"))
    hosts = dict(Host.objects.values_list("name", "n_runs"))
    return {"facets": facets, "days": days, "lines": lines, "hosts": hosts}


def taken_in() -> dict[str, object]:
    """What stands after a roll-up, which is what a count from nothing gives."""
    counters.apply_deltas()
    assert not CounterDelta.objects.exists()
    found = standing()
    counters.recount()
    assert standing() == found
    return found


def facets(kind: str) -> dict[str, int]:
    return dict(Facet.objects.filter(kind=kind, n_runs__gt=0).values_list("value", "n_runs"))


def run(rate: float) -> Run:
    return Run.objects.get(requests_per_second=rate)


def test_an_upload_is_counted_once_it_is_taken_in(upload):
    assert facets("tool") == {}
    taken_in()
    assert facets("tool") == {"ab": 3} and facets("config") == {"worker": 2, "event": 1}
    assert facets("tag") == {"nightly": 3, "php": 3}
    assert Host.objects.get().n_runs == 3


def test_an_upload_leaves_one_tally_whatever_its_size(upload):
    assert CounterDelta.objects.count() == 1


def test_runs_of_one_fingerprint_are_one_line_of_a_trend(upload):
    taken_in()
    row = Trend.objects.get(fingerprint=run(500).fingerprint)
    assert (row.n, row.least, row.most, row.total) == (2, 500, 600, 1100)
    assert row.sum_log == pytest.approx(math.log(500) + math.log(600))
    assert TrendLine.objects.get(fingerprint=row.fingerprint).n == 2


def test_reading_anew_changes_no_count(upload):
    before = taken_in()
    ingest.reparse(upload.pk)
    assert taken_in() == before
    assert RunTag.objects.count() == 6


def test_a_renamed_config_is_counted_under_its_new_name(upload):
    changes.rename_config(Config.objects.get(name="event"), "event 2.4")
    taken_in()
    assert facets("config") == {"worker": 2, "event 2.4": 1}


def test_a_run_that_is_left_out_leaves_its_trend(upload):
    changes.set_counted(run(700), False)
    taken_in()
    assert not Trend.objects.filter(fingerprint=run(700).fingerprint).exists()
    changes.set_counted(run(700), True)
    taken_in()
    assert Trend.objects.get(fingerprint=run(700).fingerprint).n == 1


def test_counts_follow_any_changes(upload):
    other = submit(session(900, heading="nginx:"), host="web2")
    taken_in()
    changes.move_runs([run(600)], Config.objects.get(name="nginx"))
    taken_in()
    changes.rename_config(Config.objects.get(name="event"), "worker")
    changes.rename_host(Host.objects.get(name="web2"), "box")
    taken_in()
    ingest.reparse(other.pk)
    ingest.reparse(upload.pk)
    assert taken_in()["facets"]["tool", "ab"] == 4


def test_deleted_rows_are_counted_no_more_until_they_are_restored(upload):
    submit(session(900, heading="nginx:"), host="web2", tags=("nightly",))
    before = taken_in()
    deletions = [ingest.delete(upload)]
    assert taken_in()["facets"] == {("tool", "ab"): 1, ("config", "nginx"): 1, ("tag", "nightly"): 1, **commands(1)}
    deletions += [ingest.delete(row) for row in Host.objects.filter(n_runs__gt=0)]
    assert {**taken_in(), "hosts": {}} == {"facets": {}, "days": {}, "lines": set(), "hosts": {}}
    for deletion in deletions:
        ingest.restore(deletion)
    assert taken_in() == before


def commands(n: int) -> dict[tuple[str, str], int]:
    found = {(kind, value): n for kind in ("command", "server") for value in facets(kind)}
    return found


def test_a_machine_that_is_known_by_now_takes_its_trends_along(upload):
    taken_in()
    text = "model name\t: Some CPU 1300MHz\n"
    submit("# cat /proc/cpuinfo\nprocessor\t: 0\nvendor_id\t: GenuineIntel\n" + text + session(950), host="web1")
    taken_in()
    assert set(Trend.objects.values_list("fingerprint", flat=True)) == set(
        Run.objects.values_list("fingerprint", flat=True)
    )


def test_a_count_that_went_wrong_is_mended_from_nothing(upload):
    taken_in()
    before = standing()
    Facet.objects.update(n_runs=7)
    Host.objects.update(n_runs=9)
    Trend.objects.all().delete()
    TrendLine.objects.update(n=1)
    Run.objects.update(facet_config=None, facet_server=None)
    counters.recount()
    assert standing() == before


def test_a_count_never_falls_under_nothing(upload):
    CounterDelta.objects.create(changes={"facets": {str(Facet.objects.first().pk): -10}})
    counters.apply_deltas()
    assert Facet.objects.filter(n_runs__lt=0).count() == 0 and not CounterDelta.objects.exists()


def test_rows_of_before_are_taken_in_after_their_migration(upload):
    taken_in()
    before = standing()
    for model in (RunTag, Trend, TrendLine, Facet):
        model.objects.all().delete()
    Host.objects.update(n_runs=0)
    then = MigrationLoader(connection, replace_migrations=False).project_state(("runs", "0012_fill_lists")).apps
    import_module("runs.migrations.0012_fill_lists").fill(then, None)
    counters.apply_deltas()
    assert standing() == before


def test_beat_lets_the_counts_catch_up(upload):
    (entry,) = [each for each in settings.CELERY_BEAT_SCHEDULE.values() if each["task"].endswith("take_in_tallies")]
    tasks.apply_counter_deltas()
    assert entry["task"] == tasks.apply_counter_deltas.name
    assert facets("tool") == {"ab": 3}
