"""What is deleted is nowhere to be seen, comes back exactly as it was, and is gone with its text when it is purged."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q
from django.utils import timezone

from runs import ingest
from runs.database import take_turns
from runs.ingest import Hints, Rejected, changes, fields
from runs.models import (
    Capture,
    Config,
    ConfigText,
    Deletion,
    Experiment,
    Host,
    Piece,
    Run,
    RunTag,
    Series,
    Timing,
    Upload,
)
from runs.remote.models import Target
from runs.tests.ingest.texts import meminfo, session
from runs.tests.installation import WITHIN_S

pytestmark = pytest.mark.django_db
TWO = session(500, 600) + meminfo(1000) + session(700, heading="event:")
MODELS = (Experiment, Config, ConfigText, Run, Capture, Timing, Upload, Host)


@pytest.fixture
def upload() -> Upload:
    return submit(TWO, host="web1", tags=("nightly",))


def submit(text: str, **hints: Any) -> Upload:
    return ingest.submit(text.encode(), origin="web", hints=Hints(**hints)).upload


def everything() -> dict[str, Any]:
    """All rows that are to be seen, but for counters, which follow later."""
    tables: dict[str, Any] = {
        model.__name__: [{**row, "n_runs": 0} for row in model.objects.order_by("pk").values()] for model in MODELS
    }
    for row in tables["Upload"]:
        row["edits"] = {section: told for section, told in row["edits"].items() if told}
    return tables | {"tags": sorted(RunTag.objects.values_list("facet", "run"))}


@pytest.mark.parametrize("kind", [Experiment, Config, Run, Upload, Host])
def test_what_is_restored_is_as_it_was(upload, kind):
    other = submit(session(900, heading="nginx:"), host="web2")
    before = everything()
    deletion = ingest.delete(kind.objects.order_by("pk")[0])
    assert everything() != before
    ingest.reparse(other.pk)
    if Upload.objects.filter(pk=upload.pk).exists():
        deleted = everything()
        ingest.reparse(upload.pk)
        assert everything() == deleted
    ingest.restore(deletion)
    assert everything() == before
    assert not Deletion.objects.exists()


def test_what_is_said_to_go_is_what_goes(upload):
    for model in (Run, Config, Host, Experiment):
        row = model.objects.order_by("pk")[0]
        told = ingest.count_deleted(row)
        before = everything()
        deletion = ingest.delete(row)
        assert deletion.counts == told
        ingest.restore(deletion)
        assert everything() == before


def test_the_last_run_takes_its_config_its_experiment_and_its_text_along(upload):
    for run in Run.objects.all():
        ingest.delete(run)
    assert [model for model in MODELS if model.objects.exists()] == [Host]


def test_a_text_with_something_left_stays(upload):
    ingest.delete(Run.objects.get(requests_per_second=700))
    assert Upload.objects.exists()
    assert sorted(Run.objects.values_list("requests_per_second", flat=True)) == [500, 600]


def test_what_is_purged_is_gone_with_its_text(upload):
    deletion = ingest.delete(Experiment.objects.get())
    assert ingest.purge_expired() == 0
    Deletion.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    assert ingest.purge_expired() == 1
    assert not any(model.everything.exists() for model in MODELS if model is not Host)
    assert not any(model.objects.exists() for model in (Deletion, Piece, Series))
    with pytest.raises(Rejected, match="bin"):
        ingest.restore(deletion)


def test_a_host_that_became_one_under_load_stays_in_the_bin_with_its_target(upload, caplog):
    """Made: it was registered at the moment in which somebody deleted the host."""
    host = Host.objects.get()
    deletion = ingest.delete(host)
    Target.objects.create(host=host)
    Deletion.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    assert ingest.purge_expired() == 0 and "target of remote runs" in caplog.text
    with pytest.raises(Rejected, match="target of remote runs"):
        ingest.purge(deletion)
    assert ingest.restore(deletion).target == Target.objects.get()


def test_what_is_purged_takes_along_what_was_deleted_out_of_it_before(upload):
    """Seen on a running site: the text of a run that was deleted before its experiment was left behind, which gave 500."""
    other, kept = submit(session(800), experiment="one"), submit(session(900), experiment="one")
    ingest.delete(other.runs.get())
    assert not Upload.objects.filter(pk=other.pk).exists(), "nothing else was in that text"
    ingest.purge(ingest.delete(kept.runs.get().experiment))
    assert not Deletion.objects.exists()
    assert set(Upload.everything.all()) == {upload}


def test_what_is_purged_does_not_come_back_with_its_text(upload):
    ingest.purge(ingest.delete(Run.objects.get(requests_per_second=700)))
    ingest.reparse(upload.pk)
    assert Run.everything.filter(requests_per_second=700).count() == 0


def test_what_was_deleted_before_its_experiment_goes_with_it(upload):
    run = ingest.delete(Run.objects.get(requests_per_second=700))
    whole = ingest.delete(Experiment.objects.get())
    with pytest.raises(Rejected, match="also in the bin"):
        ingest.restore(run)
    ingest.purge(whole)
    assert not Deletion.objects.exists()
    assert not Run.everything.exists()


def test_deleting_twice_is_refused(upload):
    run = Run.objects.all()[0]
    ingest.delete(run)
    with pytest.raises(Rejected) as refusal:
        ingest.delete(run)
    assert refusal.value.status == 404


def test_the_same_text_again_is_stored_anew(upload):
    deletion = ingest.delete(upload)
    again = ingest.submit(TWO.encode(), origin="web", hints=Hints(host="web1"))
    assert again.created
    assert again.upload.pk != upload.pk
    with pytest.raises(Rejected, match=f"upload {again.upload.pk}"):
        ingest.restore(deletion)
    ingest.delete(again.upload)
    assert ingest.restore(deletion) == upload


def test_names_that_are_taken_by_now_become_one(upload):
    config, runs = Config.objects.get(name="event"), Run.objects.count()
    deletion = ingest.delete(config)
    changes.rename_config(Config.objects.get(), "event")
    assert ingest.restore(deletion) == Config.objects.get()
    assert Run.objects.filter(config=Config.objects.get()).count() == runs


def test_a_queued_text_that_is_deleted_is_not_read(settings):
    settings.QUEUE_UPLOAD_BYTES = 10
    queued = ingest.submit(TWO.encode(), origin="web", may_queue=True).upload
    deletion = ingest.delete(queued)
    ingest.parse_queued(queued.pk)
    assert not Run.everything.exists()
    assert ingest.requeue_overdue() == []
    ingest.restore(deletion)
    assert ingest.parse_queued(queued.pk).status == "ready"


def test_the_next_config_becomes_the_baseline(upload):
    from runs.selectors.comparison_data import find_baseline, load_experiment

    experiment = Experiment.objects.get()
    first, second = experiment.configs.all()
    fields.change(first, {"counted": False})
    assert find_baseline(experiment) == second
    assert load_experiment(experiment).configs[0].id == second.pk
    fields.change(first, {"counted": True})
    ingest.delete(first)
    assert find_baseline(experiment) == second


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (Experiment, {"name": "MPMs", "note": "why", "archived": True}),
        (Experiment, {"tags": ["a", "b"]}),
        (Config, {"name": "event"}),
        (Config, {"name": "prefork"}),
        (Config, {"counted": False}),
        (Run, {"note": "slow", "tags": ["x"], "counted": False, "repeat": 7}),
        (Host, {"name": "box"}),
        (Upload, {"name": "a.txt"}),
    ],
)
def test_a_change_stays_when_the_text_is_read_again_and_is_undone_exactly(upload, model, change):
    row = model.objects.order_by("pk")[0]
    before = content()
    was = fields.read(row, change)
    changed = fields.change(row, change)
    after = content()
    assert after != before
    ingest.reparse(upload.pk)
    assert content() == after
    changed.refresh_from_db()
    fields.change(changed, was)
    assert content() == before


def content() -> list[object]:
    """What is stored, whatever the ids of configs that were made again."""
    runs = Run.objects.order_by("pk").values_list(
        "pk", "config__name", "note", "tags", "counted", "repeat", "host__name"
    )
    tags = sorted(RunTag.objects.values_list("facet__value", "run"))
    names = [list(model.objects.order_by("name").values_list("name", flat=True)) for model in (Config, Upload, Host)]
    captures = list(Capture.objects.order_by("pk").values_list("pk", "config__name", "run"))
    return [list(runs), tags, names, captures, list(Experiment.objects.values("name", "notes", "archived"))]


def test_a_run_moves_back_into_a_config_that_it_left_empty(upload):
    run = Run.objects.get(requests_per_second=700)
    before, was = content(), fields.read(run, ["config"])
    moved = fields.change(run, {"config": Config.objects.order_by("pk")[0].pk})
    assert Config.objects.count() == 1
    fields.change(moved, was)
    assert content() == before


def test_an_undo_knows_what_somebody_else_changed(upload):
    config = fields.change(Config.objects.all()[0], {"name": "worker"})
    then = fields.read(config, ["name"])
    assert fields.is_unchanged(config, then)
    assert not fields.is_unchanged(changes.rename_config(config, "another"), then)


def test_a_row_that_was_read_before_it_was_deleted_is_not_changed(upload):
    run = Run.objects.all()[0]
    ingest.delete(upload)
    for values in ({"counted": False}, {"config": run.config_id}, {"note": "late"}):
        with pytest.raises(Rejected) as caught:
            fields.change(run, values)
        assert caught.value.status == 404
    assert not Run.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", ["change", "delete"])
def test_one_change_begins_when_the_one_before_has_ended(upload, attempt):
    """Found with six clients on PostgreSQL: one change locked a run and then its text, another one the text and then the run."""
    run, began, may_end = Run.objects.all()[0], Event(), Event()

    def hold() -> None:
        with take_turns():
            began.set()
            may_end.wait(WITHIN_S)
        connection.close()

    def act() -> None:
        ingest.delete(run) if attempt == "delete" else fields.change(run, {"counted": False})
        connection.close()

    with ThreadPoolExecutor(2) as pool:
        pool.submit(hold)
        assert began.wait(WITHIN_S)
        acting = pool.submit(act)
        with pytest.raises(TimeoutError):
            acting.result(0.3)
        may_end.set()
        acting.result(WITHIN_S)
    assert not Run.objects.filter(pk=run.pk, counted=True).exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_who_delete_the_same_or_store_into_it_nobody_leaves_a_half(upload):
    experiment = Experiment.objects.get()

    def attempt(number: int) -> str:
        try:
            if number % 2:
                ingest.delete(Experiment.objects.get(pk=experiment.pk))
                return "deleted"
            submit(session(1000 + number, heading="nginx:"), experiment=experiment.name, host="web1")
        except (Rejected, Experiment.DoesNotExist):
            return "refused"
        finally:
            connection.close()
        return "stored"

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(attempt, range(8)))
    assert done.count("deleted") >= 1
    hidden = (
        Q(experiment__deletion__isnull=False) | Q(config__deletion__isnull=False) | Q(upload__deletion__isnull=False)
    )
    assert not Run.objects.filter(hidden).exists()
    assert Run.objects.filter(experiment__in=Experiment.objects.all()).count() == Run.objects.count()
