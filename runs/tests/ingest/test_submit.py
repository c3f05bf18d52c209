"""A text comes in once, whole or not at all, and what cannot be taken is told why."""

from __future__ import annotations

import gzip
import math
import re
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import count

import pytest
from django.apps import apps
from django.db import connection, connections

from benchdash.tests.services import ROOT
from parsers import reader
from runs import ingest, tasks
from runs.database import SEVERAL_TEXTS, take_turns
from runs.ingest import Hints, Rejected, changes, reading, submission
from runs.ingest.validation import clean_json, truncate
from runs.models import Capture, Config, ConfigText, Experiment, Host, Run, RunTag, Series, Upload
from runs.presenters.texts import upload_spans
from runs.series.samples import collect_series
from runs.tests.ingest.texts import ab, meminfo, session
from runs.tests.installation import WITHIN_S

RESULTS = (Experiment, Config, ConfigText, Run, Capture, Series)


def submit(text: str | bytes, **more):
    data = text.encode() if isinstance(text, str) else text
    return ingest.submit(data, origin="rest", **more)


def refused(text: str | bytes, **more) -> Rejected:
    with pytest.raises(Rejected) as caught:
        submit(text, **more)
    return caught.value


def found_in_rows(*words: str) -> set[str]:
    """Those of the words that stand in any column of any row; texts are compressed."""
    rows = " ".join(str(list(model._default_manager.values())) for model in apps.get_models())
    return {word for word in words if word in rows}


def counts() -> dict[str, int]:
    return {model.__name__: model.objects.count() for model in (*RESULTS, Upload)}


@pytest.mark.django_db
def test_each_run_of_a_log_is_told_with_the_line_of_its_row():
    stored = submit((ROOT / "parsers/tests/fixtures/siege_log/siege_05_log.csv").read_bytes())
    runs = ingest.describe_result(Upload.objects.get(pk=stored.upload.pk))["runs"]
    assert len(runs) == 3
    assert runs == ingest.describe_result(stored.upload, stored.rows)["runs"]
    assert [(run["repeat"], run["lines"]) for run in runs] == [(1, [2, 2]), (2, [3, 3]), (3, [4, 4])]
    spans = upload_spans(stored.upload, stored.upload.runs.select_related("config"), [], [], [])
    assert [(span.first, span.last, span.tint) for span in spans] == [(line, line, "load") for line in (2, 3, 4)]


@pytest.mark.django_db
class TestStoring:
    def test_a_session_becomes_runs_of_one_config(self):
        upload = submit(session(500, 600)).upload
        runs = list(upload.runs.order_by("line_first"))
        assert [(run.config.name, run.repeat, run.requests_per_second) for run in runs] == [
            ("worker", 1, 500.0),
            ("worker", 2, 600.0),
        ]
        assert upload.status == "ready"

    def test_a_run_keeps_all_that_its_tool_printed_and_where(self):
        run = submit(session(500)).upload.runs.get()
        assert run.values["requests_per_second"] == 500.0 and run.values["document_path"] == "/page.html"
        assert run.percentiles_ms == {"50": 73, "99": 1205, "100": 13840}
        assert (run.line_first, run.line_last, run.path, run.port) == (12, 33, "/page.html", 8080)

    def test_a_monitor_stands_beside_its_run_with_its_series(self):
        capture = submit(session(500)).upload.captures.get()
        assert (capture.tool, capture.phase, capture.run.requests_per_second) == ("meminfo", "before", 500.0)
        assert capture.series.get(metric="mem_total_kb").last == 774616

    def test_the_same_text_is_stored_once_whatever_its_line_ends_and_encoding(self):
        first = submit(session(500))
        before = counts()
        for again in (session(500), session(500).replace("\n", "\r\n") + "\n\n", session(500).encode("utf-16")):
            receipt = submit(again)
            assert (receipt.upload, receipt.created) == (first.upload, False)
        assert counts() == before

    def test_the_same_text_is_stored_once_redacted_or_not(self):
        text = "password: hunter2\n" + session(500)
        first = submit(text, redact=["s1"])
        assert submit(text) == ingest.Receipt(first.upload, created=False)
        assert submit("\n".join(ingest.load_text(first.upload).lines())).created is False

    def test_a_redacted_secret_is_stored_nowhere(self):
        upload = submit("password: hunter2\n" + session(500, heading="Cookie: sid=f00ba4"), redact=["s1", "s2"]).upload
        text = "\n".join(ingest.load_text(upload).lines())
        assert "hunter2" not in text and "f00ba4" not in text
        assert Run.objects.get().label == "Cookie: [redacted]"

    @pytest.mark.parametrize("how", ["at once", "large", "many reports"])
    def test_a_secret_is_blacked_out_of_all_that_was_made_of_a_stored_text(self, settings, monkeypatch, how):
        monkeypatch.setattr(tasks.parse_upload, "apply_async", lambda args, **_: None)
        text = "$ mysqldump --password=geheim7 db\n" + session(500, heading="Mellon:\nCookie: sid=f00ba4")
        hints = Hints(experiment="July, Mellon", host="Mellon1")
        upload = submit(text, hints=hints, name="Mellon.log").upload
        changes.rename_config(Config.objects.get(), "Mellon with geheim7")
        runs = list(Run.objects.order_by("pk").values_list("pk", "requests_per_second"))
        assert upload.n_secrets == 2 and {"geheim7", "Mellon"} <= found_in_rows("geheim7", "f00ba4", "Mellon")
        settings.QUEUE_UPLOAD_BYTES = 100 if how == "large" else 10**6
        if how == "many reports":
            monkeypatch.setattr("runs.ingest.validation.AT_ONCE_BLOCKS", 1)
        done = tasks.redact_upload(upload.pk, ["Mellon"])
        if how != "at once":
            assert done.status == "queued"
            done = ingest.parse_queued(upload.pk)
        done = Upload.objects.get(pk=done.pk)
        assert (done.status, done.n_secrets, done.n_lines) == ("ready", 0, upload.n_lines)
        assert found_in_rows("geheim7", "f00ba4", "Mellon") == set()
        stored = "\n".join(ingest.load_text(done).lines())
        assert stored.count("[redacted]") == 3 and not {"geheim7", "f00ba4", "Mellon"} & set(re.findall(r"\w+", stored))
        assert Config.objects.get().name == "[redacted] with [redacted]"
        assert list(Run.objects.order_by("pk").values_list("pk", "requests_per_second")) == runs
        assert submit(text).created is False

    def test_a_word_of_a_few_letters_is_not_blacked_out(self):
        upload = submit(session(500)).upload
        with pytest.raises(Rejected, match="'50' is too short"):
            tasks.redact_upload(upload.pk, ["50"])
        assert [*ingest.load_text(upload).lines()] == session(500).splitlines()

    def test_a_text_that_waits_is_not_blacked_out(self):
        upload = submit(session(500)).upload
        Upload.objects.update(status="queued")
        with pytest.raises(Rejected, match="not been read yet"):
            tasks.redact_upload(upload.pk)

    def test_an_unknown_redaction_is_refused(self):
        assert "redact: s9" in str(refused(session(500), redact=["s9"]))

    def test_problems_make_an_upload_partial(self):
        upload = submit(session(500).replace("Complete requests:      1000", "Complete requests:      x1000x")).upload
        assert upload.status == "partial" and upload.problems[0]["line"] == 21

    def test_tags_are_on_every_run(self):
        submit(session(500, 600), hints=Hints(tags=("nightly",)))
        assert [run.tags for run in Run.objects.all()] == [["nightly"], ["nightly"]]
        assert list(RunTag.objects.values_list("facet__value", flat=True)) == ["nightly", "nightly"]


@pytest.mark.django_db
class TestHints:
    def test_a_named_experiment_is_added_to_and_its_repeats_go_on(self):
        submit(session(500, 600), hints=Hints(experiment="July"))
        submit(session(700), hints=Hints(experiment="July"))
        assert Experiment.objects.get().name == "July"
        assert Config.objects.get().runs.count() == 3
        assert sorted(Run.objects.values_list("repeat", flat=True)) == [1, 2, 3]

    def test_without_a_name_every_text_is_its_own_experiment(self):
        submit(session(500))
        submit(session(600))
        assert Experiment.objects.count() == 2

    def test_names_given_override_the_guesses(self):
        submit(session(500) + session(600, heading="event:"), hints=Hints(host="web9", config="both"))
        assert [config.name for config in Config.objects.all()] == ["both"]
        assert {run.host.name for run in Run.objects.all()} == {"web9"}

    def test_a_host_known_by_name_only_gets_its_hardware_later(self):
        submit("worker:\n\n" + ab(), hints=Hints(host="web1", experiment="x"))
        submit(session(600), hints=Hints(host="web1", experiment="x"))
        host = Host.objects.get()
        assert host.ram_kb == 774616 and host.fingerprint
        first, second = Run.objects.all()
        assert first.fingerprint == second.fingerprint

    def test_two_machines_of_one_name_stay_two(self):
        submit(session(500), hints=Hints(host="web1"))
        submit(session(600).replace("774616", "8000000"), hints=Hints(host="web1"))
        assert Host.objects.count() == 2


@pytest.mark.django_db
class TestFingerprint:
    def fingerprints(self, *texts: str, **hints) -> set[str]:
        for text in texts:
            submit(text, hints=Hints(experiment="x", **hints))
        return set(Run.objects.values_list("fingerprint", flat=True))

    def test_repeats_share_it(self):
        assert len(self.fingerprints(session(500, 600), session(700))) == 1

    def test_another_concurrency_has_another(self):
        assert len(self.fingerprints("w:\n\n" + ab(), "w:\n\n" + ab(c=20))) == 2

    def test_another_path_has_another(self):
        assert len(self.fingerprints("w:\n\n" + ab(), "w:\n\n" + ab().replace("/page.html", "/"))) == 2

    def test_the_path_of_the_command_counts_where_the_tool_prints_none(self):
        report = (ROOT / "parsers/tests/fixtures/hey/hey_01.txt").read_text()
        report = report[report.index("Summary:") :]
        hey = "w:\n\n$ hey -n 400 -c 50 http://web1{}\n\n" + report
        assert len(self.fingerprints(hey.format("/"), "\n" + hey.format("/"))) == 1
        assert len(self.fingerprints(hey.format("/big"))) == 2

    def test_labels_and_tags_do_not_matter(self):
        self.fingerprints(session(500), tags=("a",))
        assert len(self.fingerprints(session(600), tags=("b",))) == 1


@pytest.mark.django_db
class TestRefusing:
    @pytest.mark.parametrize(
        ("data", "status", "words"),
        [
            (b"", 400, "empty"),
            (b" \r\n\n", 400, "empty"),
            (gzip.compress(gzip.compress(b"twice", mtime=0), mtime=0), 415, "gzip"),
            (gzip.compress(b"Requests per second: 1", mtime=0)[:-9], 400, "truncated"),
            (b"%PDF-1.7 ...", 415, "PDF"),
            (b"\x89PNG\r\n\x1a\n", 415, "PNG"),
            (bytes(range(256)) * 50, 415, "binary"),
        ],
    )
    def test_what_is_no_text(self, data, status, words):
        error = refused(data)
        assert error.status == status and words in str(error) and error.upload is None
        assert not Upload.objects.exists()

    def test_rates_beyond_those_that_a_text_may_have_are_left_out_and_their_lines_told(self, monkeypatch):
        """Made: a megabyte of lines with a rate each took up to 14 s to relate."""
        monkeypatch.setattr(reader, "MOST_SHORT", 2)
        upload = submit("".join(f"- server {name}: {rate} req/s\n" for rate, name in enumerate("abcd", 100))).upload
        assert [*upload.runs.order_by("line_first").values_list("requests_per_second", flat=True)] == [100, 101]
        (problem,) = upload.problems
        assert problem["line"] == 3 and "more than 2 rates" in problem["message"]
        assert upload.status == "partial" and [3, 4] in upload.unread

    def test_no_more_tables_are_tried_behind_many_that_were_none(self, monkeypatch):
        """Made: to try each line of a megabyte took 6 s."""
        monkeypatch.setattr(reader, "MOST_FAILED", 2)
        error = refused("name,rps,p99\nnginx,1200,9\n" * 4)
        assert error.status == 422 and "to line 7" in str(error) and "Line 5: 2 " in str(error)

    @pytest.mark.parametrize(("line", "most_looks"), [(b"word\n", 4), (b"MemTotal: 1 kB\n", 13)])
    def test_a_text_that_would_take_too_long_to_preview_is_refused_soon(self, line, most_looks, monkeypatch):
        """Made: it was told behind 13 s. Each look at the clock is a second here; one is for each 64 KiB and for each block.

        Samples of a monitor are folded, so that the number of blocks is no limit for them; the time is.
        """
        seconds = count()
        monkeypatch.setattr(reading, "thread_time", lambda: next(seconds))
        with pytest.raises(Rejected, match="too long"):
            ingest.preview(line * 2**18)
        assert next(seconds) <= most_looks

    def test_no_report_is_read_behind_those_that_a_preview_may_have(self, monkeypatch):
        read = []
        monkeypatch.setattr(submission, "PREVIEW_BLOCKS", 2)
        monkeypatch.setattr(submission, "limit_time", lambda size: lambda n_bytes, n_blocks: read.append(n_blocks))
        with pytest.raises(Rejected, match="too long"):
            ingest.preview(session(*range(100, 120)).encode())
        assert sum(read) == 3

    def test_what_is_too_large(self, settings):
        settings.MAX_UPLOAD_BYTES = 2**20
        error = refused(b"x" * (2**20 + 1))
        assert error.status == 413 and "at most 1 MiB" in str(error)

    def test_what_nothing_is_recognised_in_is_kept_and_told_what_was_looked_for(self):
        error = refused("hello\nworld\n")
        assert error.status == 422 and "in 2 lines" in str(error) and "ab, " in str(error)
        assert error.upload is not None
        upload = Upload.objects.get()
        assert (upload, upload.status, upload.error) == (error.upload, "failed", str(error))
        assert [*ingest.load_text(upload).lines()] == ["hello", "world"]

    def test_it_is_kept_once_and_tried_again(self, monkeypatch):
        first = refused(session(500)[:8] + "\nno").upload
        assert refused(session(500)[:8] + "\nno").upload == first

    def test_a_text_that_failed_is_read_again_when_it_comes_again(self, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr("parsers.read", lambda lines: iter(()))
            failed = refused(session(500)).upload
        receipt = submit(session(500))
        assert receipt == ingest.Receipt(failed, created=True)
        assert receipt.upload.status == "ready" and receipt.upload.runs.count() == 1

    def test_nothing_stays_half_stored(self, monkeypatch):
        def fail(*args, **kwargs):
            raise OSError("disk full")

        monkeypatch.setattr("runs.ingest.store.make_series", fail)
        with pytest.raises(OSError, match="disk full"):
            submit(session(500, 600))
        assert set(counts().values()) == {0} and not Host.objects.exists()

    def test_a_text_of_which_a_problem_is_all_that_was_found_is_kept_as_failed(self):
        with pytest.raises(Rejected) as caught:
            submit("| Build | Throughput |\n|---|---|\n| main | 51234 |\n| patch | 53870 |\n")
        assert "Line 1: 'Throughput': expected the unit" in caught.value.errors[0]["message"]
        assert (
            caught.value.status == 422 and Upload.objects.get().status == "failed" and not Experiment.objects.exists()
        )

    def test_of_several_files_all_are_stored_or_none(self):
        with pytest.raises(Rejected) as caught:
            ingest.submit_all([("a.txt", session(500).encode()), ("b.txt", b"hello")], origin="rest")
        assert str(caught.value).startswith("b.txt: Nothing was recognised")
        assert Run.objects.count() == 0
        assert [upload.status for upload in Upload.objects.all()] == ["failed"]
        assert caught.value.upload == Upload.objects.get()


@pytest.mark.django_db
class TestOddFigures:
    @pytest.mark.parametrize("figure", ["99999999999999999999", "9" * 300, "1e999", "nan", "-5"])
    def test_a_senseless_number_is_no_traceback(self, figure):
        text = session(500).replace("1000\n", f"{figure}\n").replace("774616", figure).replace("500.00", figure)
        submit(text)
        assert Upload.objects.get().n_lines == len(text.rstrip("\n").split("\n"))

    def test_names_longer_than_their_column_are_cut(self):
        submit(session(500, heading="w" * 5000 + ":"), hints=Hints(host="h" * 999, experiment="e" * 999))
        assert len(Experiment.objects.get().name) == 300

    def test_what_a_tool_calls_a_percentile_and_is_none_is_left_out(self):
        told = {"50": 1.5, "99.9": 9.0, "Stdev": 2.0, "": 1.0, "101": 3.0, "66": math.inf, "75": None}
        assert truncate(Run, percentiles_ms=told) == {"percentiles_ms": {"50": 1.5, "99.9": 9.0}}

    def test_characters_that_a_database_refuses_are_left_out(self):
        submit(session(500, heading="wor\x00ker:").encode() + "\ud800".encode("utf-8", "surrogatepass"))
        assert "\x00" not in Config.objects.get().name

    def test_characters_that_a_database_refuses_are_left_out_of_sums_by_program(self):
        """Made: a program with NUL in its name, in several samples."""
        head = "  PID USER %CPU %MEM    VSZ   RSS COMMAND\n"
        listings = [f"13:40:0{n}\n{head}    1 root  0.0  0.1   1000   50{n} wor\0ker\n" for n in range(3)]
        submit("\n".join(["Made for this test. " * 30, *listings]))
        capture = Upload.objects.get().captures.get()
        assert list(capture.programs) == ["worker"]

    def test_a_whole_number_that_no_column_holds_is_stored_as_a_float(self):
        """Found by make fuzz: siege's longest request of 2 ** 63 s, in ms."""
        text = (ROOT / "parsers/tests/fixtures/siege/siege_02_b_t.txt").read_text()
        changed = re.sub(r"(Longest transaction:\s+)\S+", rf"\g<1>{2**63 - 1}", text)
        assert submit(changed).upload.runs.get().max_ms == pytest.approx(1000 * 2.0**63)

    def test_figures_that_no_column_of_json_holds_are_left_out(self):
        found = clean_json(
            {"a": {"200": 2**63, "404": 1}, "b": [math.nan, 1.5], "c\0": math.inf, "d": None, "e": "\ud800x"}
        )
        assert found == {"a": {"404": 1}, "b": [None, 1.5], "d": None, "e": "x"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hints", [Hints(), Hints(experiment="July")])
def test_the_same_text_from_many_at_once_is_stored_once(hints):
    receipts, errors = [], []
    start = threading.Barrier(6)

    def send(text: str) -> None:
        start.wait()
        try:
            receipts.append(submit(text, hints=hints))
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send, args=[session(500 + n // 5)]) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sum(receipt.created for receipt in receipts) == 2 == Upload.objects.count()
    assert Run.objects.count() == 2
    assert Experiment.objects.count() == (1 if hints.experiment else 2)


@pytest.mark.django_db(transaction=True)
def test_forms_of_several_texts_at_once_do_not_wait_for_each_other():
    """On PostgreSQL: the first text of one had made what the second one of another needed, and the other way round."""
    start = threading.Barrier(4)

    def send(number: int) -> list[bool]:
        created = []
        for at in range(4):
            names = [f"config {at} {letter}:" for letter in "abcdef"][:: -1 if number % 2 else 1]
            texts = [(name, session(500 + number, heading=name).encode()) for name in names]
            start.wait(WITHIN_S)
            created += [receipt.created for receipt in ingest.submit_all(texts, origin="api")]
        connections.close_all()
        return created

    with ThreadPoolExecutor(4) as pool:
        assert all(all(created) for created in pool.map(send, range(4)))
    assert Upload.objects.count() == Run.objects.count() == 4 * 4 * 6


@pytest.mark.django_db(transaction=True)
def test_a_text_by_itself_waits_for_a_form_of_several():
    """On PostgreSQL: of 165 forms and texts at once with the same new hosts and tags three were answered 503."""

    def send() -> bool:
        created: bool = submit(ab(500)).created
        connections.close_all()
        return created

    submit(ab(400))  # what is compiled once
    with ThreadPoolExecutor(1) as pool:
        with take_turns(SEVERAL_TEXTS):
            sent = pool.submit(send)
            assert not wait([sent], 2).done
        assert sent.result(20)


@pytest.mark.django_db(transaction=True)
def test_a_plain_text_that_came_in_meanwhile_leaves_nothing_of_its_second_reading(monkeypatch):
    """On PostgreSQL its rows are one statement, without a transaction around it."""
    first = []

    def slow_reading(*given, **more):
        monkeypatch.undo()
        first.append(submit(ab(500)))
        return read(*given, **more)

    read = ingest.submit.__globals__["read"]
    monkeypatch.setitem(ingest.submit.__globals__, "read", slow_reading)
    second = submit(ab(500))
    assert (first[0].created, second.created) == (True, False)
    assert second.upload == first[0].upload
    assert counts() == {model.__name__: 0 for model in RESULTS} | {
        **dict.fromkeys(("Experiment", "Config", "Run", "Upload"), 1)
    }


@pytest.mark.django_db
def test_names_that_look_alike_are_one():
    """Made: two machines called café, one with its accent as a sign of its own, as a Mac's file names have it."""
    word = "\u0645\u06cc\u200c\u062e"  # whose joining sign stays
    names = [f"caf\xe9 {word}", f"cafe\u0301 {word}", f"\ufeffcaf\xe9\u200b \u200f{word}"]
    for at, name in enumerate(names):
        submit(f"{ab(100 + at)}\n", hints=Hints(host=name, config=name, experiment=name))
    assert [model.objects.get().name for model in (Host, Config, Experiment)] == [names[0]] * 3


@pytest.mark.django_db
def test_headings_of_one_text_that_look_alike_are_one_config():
    rates = [("caf\xe9", 100), ("cafe\u0301", 101), ("nginx", 102)]
    submit("".join(f"## {name}\n\n{ab(rate)}\n" for name, rate in rates))
    assert {*Config.objects.values_list("name", flat=True)} == {"caf\xe9", "nginx"} and Run.objects.count() == 3


def fail(*args, **kwargs):
    raise KeyError("made for this test")


@pytest.mark.django_db
class TestFaultsOfOurOwn:
    """A fault costs the block that it happens at, else the text; the text itself is kept, and the log has the traceback."""

    def test_a_block_that_cannot_be_related_is_a_problem_and_its_neighbours_are_stored(self, monkeypatch, caplog):
        whole = reading.relate

        def relate(blocks, n_lines, recording=None):
            return fail() if any(block.kind == "nproc" and block.values for block in blocks) else whole(blocks, n_lines)

        monkeypatch.setattr(reading, "relate", relate)
        upload = submit(session(500, 600) + "$ nproc\n4\n" + session(700)).upload
        assert upload.runs.count() == 3 and upload.status == "partial"
        (problem,) = upload.problems
        assert {"kind": "nproc", "lines": [problem["line"]] * 2, "partial": True} in upload.blocks
        assert "made for this test" in caplog.text

    @pytest.mark.parametrize("place", ["reading.relate", "reading.fold_samples", "submission.store"])
    def test_a_text_that_cannot_be_related_or_stored_is_kept_and_can_be_sent_again(self, monkeypatch, caplog, place):
        with monkeypatch.context() as broken:
            broken.setattr(f"runs.ingest.{place}", fail)
            rejected = refused(session(500))
        kept = Upload.objects.get()
        assert (rejected.status, rejected.upload, kept.status, kept.runs.count()) == (422, kept, "failed", 0)
        assert str(rejected) == kept.error and "\n".join(ingest.load_text(kept).lines()) == session(500).rstrip("\n")
        assert "made for this test" in caplog.text and "Traceback" in caplog.text
        assert submit(session(500)).upload.runs.count() == 1 and Upload.objects.get() == kept

    def test_of_several_texts_only_the_one_at_fault_is_kept(self, monkeypatch):
        stored = submission.store

        def store(upload, reading):
            return fail() if upload.name == "600.txt" else stored(upload, reading)

        monkeypatch.setattr(submission, "store", store)
        with pytest.raises(Rejected):
            ingest.submit_all([(f"{n}.txt", session(n).encode()) for n in (500, 600, 700)], origin="rest")
        assert [upload.name for upload in Upload.objects.all()] == ["600.txt"] and not Run.objects.exists()

    @pytest.mark.usefixtures("caplog")
    def test_a_queued_text_that_cannot_be_stored_says_so(self, monkeypatch, settings):
        settings.QUEUE_UPLOAD_BYTES = 0
        upload = submit(session(500), may_queue=True).upload
        monkeypatch.setattr(reading, "relate", fail)
        tasks.parse_upload(upload.pk)
        upload.refresh_from_db()
        assert upload.status == "failed" and "KeyError" in upload.error


@pytest.mark.django_db
def test_samples_are_collected_before_anything_is_locked(monkeypatch):
    """On SQLite one open transaction keeps every other writer waiting: 1.9 MB of uptime took it for half a minute."""
    open_before, seen = len(connection.savepoint_ids), []

    def collect(blocks):
        seen.append(len(connection.savepoint_ids) - open_before)
        return collect_series(blocks)

    for place in ("reading", "store"):
        monkeypatch.setattr(f"runs.ingest.{place}.collect_series", collect)
    upload = ingest.submit(meminfo(1000).encode(), origin="rest").upload
    assert upload.captures.exists() and set(seen) == {0}
