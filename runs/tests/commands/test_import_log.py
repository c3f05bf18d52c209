"""`manage.py import_log` and `manage.py reparse`, as a script sees them."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys

import pytest
from backports import zstd
from django.core.management import CommandError, call_command

from runs import ingest
from runs.models import Experiment, Run, Upload
from runs.tests.ingest.texts import session
from runs.tests.installation import MANAGE, WITHIN_S, create_database, environment


@pytest.fixture
def log(tmp_path):
    def write(text: str, name: str = "a.log") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def stopping_at(turn: int):
    """`store` with somebody who presses Ctrl-C when it has been called so often, and has written."""
    store, turns = sys.modules[ingest.submit.__module__].store, []

    def store_or_stop(*args, **kwargs):
        turns.append(store(*args, **kwargs))
        if len(turns) == turn:
            raise KeyboardInterrupt
        return turns[-1]

    return store_or_stop


def run(*args: str) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("import_log", *args, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


@pytest.mark.django_db
def test_a_table_is_called_so_and_not_by_the_name_of_its_format(log):
    path = log("| server | req/s |\n|---|---|\n| nginx | 900 |\n")
    assert run(path)[1].startswith("table of rates  900.0 requests/s  nginx, repeat 1")
    assert run("--dry-run", path)[1].startswith("table of rates  900.0 requests/s  nginx, repeat 1")


@pytest.mark.django_db
class TestImportLog:
    def test_it_prints_a_line_a_run_and_the_page(self, log):
        status, out, _ = run(log(session(500, 600)))
        lines = out.splitlines()
        assert status == 0 and len(lines) == 3
        assert lines[0] == "ab  500.0 requests/s  worker, repeat 1  lines 12-33, 1 monitors"
        assert lines[2].endswith(f": http://localhost:8000/experiments/{Experiment.objects.get().pk}/")

    def test_files_of_one_experiment_land_in_one(self, log):
        run(
            log(session(500)), log(session(600), "b.log"), "--experiment", "July", "--host", "web1", "--config", "event"
        )
        assert Experiment.objects.get().name == "July"
        assert {(r.host.name, r.config.name, r.repeat) for r in Run.objects.all()} == {
            ("web1", "event", 1),
            ("web1", "event", 2),
        }

    def test_json_is_an_object_a_run(self, log):
        _, out, _ = run("--json", log(session(500)))
        told = json.loads(out)
        assert set(told) == {
            *("id", "url", "tool", "experiment", "host", "config", "repeat", "heading", "lines", "values", "captures"),
        }
        assert told["url"] == f"http://localhost:8000/runs/{told['id']}/"
        assert told["captures"] == [{"tool": "meminfo", "phase": "before", "lines": [4, 9]}]

    def test_a_dry_run_says_the_same_and_stores_nothing(self, log):
        path = log(session(500, 600))
        dry, dry_json = run("--dry-run", path), run("--dry-run", "--json", path)[1]
        assert not Upload.objects.exists()
        assert run(path)[1].splitlines()[:2] == dry[1].splitlines()
        wet = [json.loads(line) for line in run("--json", path)[1].splitlines()]
        assert [json.loads(line) for line in dry_json.splitlines()] == [r | {"id": None, "url": None} for r in wet]

    def test_the_same_text_again_stores_nothing(self, log):
        path = log(session(500))
        run(path)
        status, out, _ = run(path)
        assert status == 0 and "already stored" in out and Run.objects.count() == 1

    def test_it_reads_standard_input(self, monkeypatch):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(session(500).encode())))
        assert run("-")[0] == 0 and Upload.objects.get().name == ""

    @pytest.mark.parametrize(
        ("text", "status", "words"),
        [
            ("hello", 1, "Nothing was recognised"),
            ("", 2, "empty"),
            ("%PDF-1.4", 2, "line 1: Not a text: this is a"),
        ],
    )
    @pytest.mark.parametrize("dry", [[], ["--dry-run"]])
    def test_what_cannot_be_taken_is_told_on_standard_error(self, log, text, status, words, dry):
        got, out, err = run(log(text), *dry)
        assert (got, out) == (status, "") and words in err and "a.log" in err

    def test_a_file_that_is_not_there_is_unreadable(self):
        assert run("/nowhere/x.log")[::2] == (2, "/nowhere/x.log: No such file or directory\n")

    def test_one_bad_file_does_not_keep_out_the_others(self, log):
        assert run(log("hello"), log(session(500), "b.log"))[0] == 1
        assert Run.objects.count() == 1

    def test_secrets_are_blacked_out_where_that_is_asked_for(self, log):
        run("--redact", log("$ mysqldump --password=geheim7 db\n" + session(500)))
        assert "geheim7" not in "".join(ingest.load_text(Upload.objects.get()).lines())

    def test_it_says_that_secrets_stand_in_a_text_and_takes_them_out_where_everybody_may_read(self, log, settings):
        out = run(log("$ mysqldump --password=geheim7 db\n" + session(500)))[1]
        assert "holds a possible secret" in out and "/uploads/" in out and "geheim7" not in out
        settings.PUBLIC_READ = True
        assert "looks like a secret" not in run(log("$ mysqldump --password=geheim8 db\n" + session(600), "b.log"))[1]
        assert "geheim8" not in "".join(ingest.load_text(Upload.objects.latest("pk")).lines())

    def test_it_unpacks_what_is_packed(self, tmp_path):
        (tmp_path / "a.log.zst").write_bytes(zstd.compress(session(500).encode()))
        (tmp_path / "b.log.gz").write_bytes(gzip.compress(session(600).encode()))
        assert run(str(tmp_path / "a.log.zst"), str(tmp_path / "b.log.gz"))[0] == 0
        assert sorted(Run.objects.values_list("requests_per_second", flat=True)) == [500.0, 600.0]

    def test_stopped_while_it_reads_it_stores_nothing_of_that_file(self, log, monkeypatch):
        paths = log(session(500)), log(session(600), "b.log")
        with monkeypatch.context() as patched:
            patched.setattr(sys.modules[ingest.submit.__module__], "store", stopping_at(2))
            status, _, err = run(*paths)
        assert status == 130 and err == "Stopped. Nothing of the current file is stored.\n"
        assert [upload.name for upload in Upload.objects.all()] == ["a.log"]

    def test_on_a_terminal_it_says_how_far_it_is(self, log, monkeypatch):
        terminal = Terminal()
        monkeypatch.setattr("sys.stderr", terminal)
        monkeypatch.setattr("runs.management.commands.import_log.PROGRESS_EVERY_S", 0)
        path = log(session(500))
        assert run(path)[0] == 0
        shown = terminal.getvalue().split("\r\x1b[K")
        assert f"{path}: 0.0 of 0.0 MB taken in" in shown
        assert f"{path}: 0.0 of 0.0 MB read, 2 blocks found" in shown
        assert shown[-1] == ""

    def test_where_nobody_watches_it_says_nothing_of_that(self, log, monkeypatch):
        monkeypatch.setattr("sys.stderr", io.StringIO())
        monkeypatch.setattr("runs.management.commands.import_log.PROGRESS_EVERY_S", 0)
        run(log(session(500)))
        assert sys.stderr.getvalue() == ""

    def test_problems_are_told_with_their_line(self, log):
        text = session(500).replace("Complete requests:      1000", "Complete requests:      x1000x")
        assert "a.log: line 21: " in run(log(text))[1]

    def test_a_day_that_is_none_stops_it(self, log):
        with pytest.raises(CommandError, match="at=yesterday is not a time") as stopped:
            run(log(session(500)), "--at", "yesterday")
        assert stopped.value.returncode == 2 and not Run.objects.exists()


@pytest.mark.django_db
class TestReparse:
    def reparse(self, *ids: str) -> str:
        out = io.StringIO()
        call_command("reparse", *ids, stdout=out)
        return out.getvalue()

    def test_it_reads_every_upload_again(self, log):
        run(log(session(500)), log(session(600), "b.log"))
        before = list(Run.objects.order_by("pk").values())
        Run.objects.update(requests_per_second=1)
        assert len(self.reparse().splitlines()) == 2
        ingest.apply_deltas()
        assert list(Run.objects.order_by("pk").values()) == before

    def test_it_reads_only_what_is_named(self, log):
        run(log(session(500)), log(session(600), "b.log"))
        first = Upload.objects.order_by("id")[0]
        assert self.reparse(str(first.pk)) == f"1/1  {first.pk}  ready  1 runs, 1 captures  a.log\n"

    def test_an_unknown_upload_is_named(self):
        with pytest.raises(CommandError, match="No upload 99"):
            self.reparse("99")


@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_several_processes_with_one_text_store_it_once(tmp_path):
    """On SQLite as a script finds it: one file, several writers."""
    (tmp_path / "a.log").write_text(session(500))
    create_database(tmp_path)
    command = [*MANAGE, "import_log", "--experiment", "July", "--json", str(tmp_path / "a.log")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = [subprocess.Popen(command, env=environment(tmp_path), **pipes) for _ in range(2)]
    results = [(process.communicate(timeout=WITHIN_S), process.returncode) for process in started]
    assert [(status, err) for (_, err), status in results] == [(0, b"")] * 2
    assert len({out for (out, _), _ in results}) == 1
