"""What is changed after the save stays when the text is read anew, and so do the rows' ids."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs import ingest
from runs.ingest import Hints, Rejected, changes, fields, submission
from runs.models import Capture, Config, Experiment, Host, Run, Series, Upload
from runs.tests.ingest.texts import meminfo, session

pytestmark = pytest.mark.django_db
TWO = session(500, 600) + session(700, heading="event:")


@pytest.fixture
def upload() -> Upload:
    return ingest.submit(TWO.encode(), origin="web", hints=Hints(host="web1")).upload


def config(name: str) -> Config:
    return Config.objects.get(name=name)


def everything() -> dict[str, list[object]]:
    """All that reading anew must not change, ids too (but for series, which nothing points to)."""
    tables = {
        model.__name__: list(model.objects.order_by("pk").values()) for model in (Experiment, Config, Run, Capture)
    }
    return tables | {
        "Host": list(Host.objects.values()),
        "Series": sorted(Series.objects.values_list("metric", "n", "last")),
    }


def reparsed(upload: Upload) -> None:
    """Read anew, twice, and see that nothing changes."""
    before = everything()
    for _ in range(2):
        ingest.reparse(upload.pk)
        assert everything() == before


def test_reading_anew_changes_nothing(upload):
    reparsed(upload)


def test_edits_of_the_preview_stay():
    edits = {"configs": {"c1": {"name": "w"}}, "blocks": {"b1": {"counted": False, "label": "warm-up"}}}
    reparsed(ingest.submit(TWO.encode(), origin="web", edits=edits).upload)
    assert not Run.objects.get(label="warm-up").counted


def test_new_names_stay(upload):
    changes.rename_experiment(Experiment.objects.get(), "MPMs")
    changes.rename_config(config("event"), "event 2.4")
    changes.rename_host(Host.objects.get(), "box")
    reparsed(upload)
    assert (Experiment.objects.get().name, Host.objects.get().name) == ("MPMs", "box")


def test_new_names_stay_even_when_all_rows_are_lost(upload):
    changes.rename_config(config("event"), "event 2.4")
    Experiment.objects.all().delete()
    ingest.reparse(upload.pk)
    assert set(Config.objects.values_list("name", flat=True)) == {"worker", "event 2.4"}


def test_a_moved_run_stays_moved_with_its_monitors(upload):
    run = Run.objects.get(requests_per_second=500)
    before = run.fingerprint
    changes.move_runs([run], config("event"))
    assert run.fingerprint != before and run.captures.get().config == run.config
    assert run.repeat == 2
    reparsed(upload)


def test_a_config_that_the_last_run_leaves_goes(upload):
    changes.move_runs([Run.objects.get(requests_per_second=700)], config("worker"))
    assert not Config.objects.filter(name="event").exists()
    reparsed(upload)


def test_a_run_moves_to_a_config_of_another_upload(upload):
    other = ingest.submit(session(900, heading="nginx:").encode(), origin="web").upload
    changes.move_runs([Run.objects.get(requests_per_second=700)], config("nginx"))
    reparsed(upload)
    reparsed(other)
    assert config("nginx").runs.count() == 2


def test_repeats_and_counting_stay(upload):
    run = Run.objects.get(requests_per_second=500)
    changes.set_repeat(run, 5)
    changes.set_counted(run, False)
    reparsed(upload)
    run.refresh_from_db()
    assert (run.repeat, run.counted) == (5, False)


def test_a_capture_leaves_its_run_for_another_config(upload):
    capture = Run.objects.get(requests_per_second=500).captures.get()
    changes.move_capture(capture, config("event"), "after")
    reparsed(upload)
    capture.refresh_from_db()
    assert (capture.config, capture.run, capture.phase) == (config("event"), None, "after")


def test_a_capture_stays_beside_its_run_when_only_its_phase_changes(upload):
    capture = Run.objects.get(requests_per_second=500).captures.get()
    changes.move_capture(capture, capture.config, "after")
    reparsed(upload)
    assert Capture.objects.get(phase="after").run.requests_per_second == 500


def test_a_capture_goes_to_the_experiment_as_a_whole(upload):
    capture = Run.objects.get(requests_per_second=500).captures.get()
    changes.move_capture(capture, None)
    reparsed(upload)
    capture.refresh_from_db()
    assert (capture.config, capture.run, capture.phase) == (None, None, "")


def test_a_capture_of_one_upload_stands_beside_a_run_of_another(upload):
    beside = {"run": f"id:{Run.objects.get(requests_per_second=700).pk}", "phase": "during"}
    monitors = ingest.submit(meminfo(77).encode(), origin="web", edits={"blocks": {"b0": beside}}).upload
    reparsed(monitors)
    reparsed(upload)
    assert Run.objects.get(requests_per_second=700).captures.filter(phase="during").exists()


def test_a_name_that_is_there_makes_two_configs_one(upload):
    kept = changes.rename_config(config("event"), "worker")
    assert kept == Config.objects.get() and sorted(run.repeat for run in kept.runs.all()) == [1, 2, 3]
    reparsed(upload)


def test_runs_of_merged_configs_keep_their_places_even_when_all_rows_are_lost(upload):
    changes.rename_config(config("event"), "worker")
    moved = Run.objects.get(requests_per_second=700)
    Experiment.objects.all().delete()
    ingest.reparse(upload.pk)
    assert Config.objects.get().name == "worker"
    assert Run.objects.get(requests_per_second=700).repeat == moved.repeat == 3


def test_a_merge_leaves_no_run_behind_when_its_upload_does_not_know_the_other_config(upload):
    hints = Hints(experiment=Experiment.objects.get().name)
    other = ingest.submit(session(900, heading="nginx:").encode(), origin="web", hints=hints).upload
    changes.rename_config(config("nginx"), "worker")
    reparsed(other)
    reparsed(upload)
    moved = Run.objects.get(requests_per_second=900)
    Run.objects.filter(pk=moved.pk).delete()
    ingest.reparse(other.pk)
    again = Run.objects.get(requests_per_second=900)
    assert (again.config, again.repeat) == (config("worker"), moved.repeat)


def test_two_names_of_one_machine_become_one(upload):
    ingest.submit(session(900).encode(), origin="web", hints=Hints(host="web2"))
    changes.rename_host(Host.objects.get(name="web2"), "web1")
    assert Host.objects.get().runs.count() == 4
    reparsed(upload)


@pytest.mark.parametrize(
    "call",
    [
        lambda run: changes.set_repeat(run, 0),
        lambda run: changes.rename_config(run.config, "  "),
        lambda run: changes.move_capture(run.captures.get(), run.config, "later"),
    ],
)
def test_what_makes_no_sense_is_refused(upload, call):
    with pytest.raises(Rejected):
        call(Run.objects.get(requests_per_second=500))


def test_edits_find_their_block_when_a_later_parser_sees_more(upload, monkeypatch):
    changes.set_counted(Run.objects.get(requests_per_second=500), False)
    upload.refresh_from_db()
    upload.blocks = upload.blocks[1:]  # as if the parser of that day had not known meminfo
    upload.edits = {"blocks": {"b0": {"counted": False}}}
    upload.save()
    ingest.reparse(upload.pk)
    assert not Run.objects.get(requests_per_second=500).counted


def count_queries(n_runs: int, change: str) -> int:
    text = session(*range(500, 500 + n_runs)) + session(*range(700, 700 + n_runs), heading="event:")
    ingest.submit(text.encode(), origin="web", hints=Hints(experiment=f"{change} {n_runs}", host="web1"))
    experiment = Experiment.objects.get(name=f"{change} {n_runs}")
    worker, event = experiment.configs.order_by("pk")
    before = fields.read(event, ["name"])
    if change == "take apart":
        event = fields.change(event, {"name": "worker"})
    acts = {
        "merge": lambda: fields.change(event, {"name": "worker"}),
        "take apart": lambda: fields.change(event, before),
        "rename": lambda: fields.change(worker, {"name": f"worker {n_runs}"}),
        "tag": lambda: fields.change(experiment, {"tags": [f"tag {n_runs}"]}),
        "leave out": lambda: fields.change(worker, {"counted": False}),
        "delete": lambda: ingest.restore(ingest.delete(experiment)),
    }
    with CaptureQueriesContext(connection) as queries:
        acts[change]()
    return len(queries)


@pytest.mark.parametrize("change", ["merge", "take apart", "rename", "tag", "leave out", "delete"])
def test_a_change_takes_as_many_queries_for_many_runs(change):
    """Merging two configs of 1,200 runs took 97 s, in which nobody else could change anything."""
    assert count_queries(2, change) == count_queries(9, change)


def test_repeats_of_merged_configs_go_on_and_come_back_when_they_are_taken_apart():
    text = session(500, 600, 650) + session(700, 710, heading="event:")
    upload = ingest.submit(text.encode(), origin="web").upload
    worker, event = config("worker"), config("event")
    before = fields.read(event, ["name"])
    was = everything()
    merged = fields.change(event, {"name": "worker"})
    numbers = dict(merged.runs.values_list("requests_per_second", "repeat"))
    assert (merged, numbers) == (worker, {500: 1, 600: 2, 650: 3, 700: 4, 710: 5})
    assert set(merged.captures.values_list("run__repeat", flat=True)) == {1, 2, 3, 4, 5}
    reparsed(upload)
    fields.change(merged, before)
    now = everything()
    fingerprints, repeats = (
        [[run[name] for run in each["Run"]] for each in (was, now)] for name in ("fingerprint", "repeat")
    )
    assert repeats[0] == repeats[1]
    assert fingerprints[0][:3] == fingerprints[1][:3] and len(set(fingerprints[1])) == 2


@pytest.mark.django_db(transaction=True)
def test_what_others_change_while_a_text_is_read_again_goes_through_and_stays(upload, monkeypatch):
    read_again = submission._read_again

    def change() -> None:
        changes.move_runs([Run.objects.get(requests_per_second=600)], config("event"))
        connection.close()

    def read_while_others_change(*args: object) -> object:
        reading = read_again(*args)
        if not Run.objects.filter(requests_per_second=600, config__name="event").exists():
            with ThreadPoolExecutor(1) as pool:
                pool.submit(change).result(10)
        return reading

    monkeypatch.setattr(submission, "_read_again", read_while_others_change)
    before = everything()["Series"]
    ingest.reparse(upload.pk)
    assert dict(Run.objects.values_list("requests_per_second", "config__name")) == {
        500: "worker",
        600: "event",
        700: "event",
    }
    assert everything()["Series"] == before
