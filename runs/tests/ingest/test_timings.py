"""Files of what each request took find the run they are of, whichever comes first and by whatever text."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

import parsers
from runs import ingest
from runs.analysis import histogram
from runs.ingest import Hints, changes
from runs.models import Experiment, Run, Timing, Upload

pytestmark = pytest.mark.django_db
FIXTURES = Path(parsers.__file__).parent / "tests" / "fixtures"
TOGETHER = (FIXTURES / "mix" / "mix_06_ab_and_its_files.txt").read_text()
GNUPLOT = (FIXTURES / "ab_gnuplot" / "ab_15_gnuplot.tsv").read_text()
PERCENTILES = (FIXTURES / "ab_percentiles_csv" / "ab_14_percentiles.csv").read_text()
REPORT = TOGETHER.partition("$ cat pct.csv")[0]
HEY = (FIXTURES / "hey_csv" / "hey_02.csv").read_text()


def send(text: str, user: User | None = None, **hints) -> Upload:
    return ingest.submit(text.encode(), origin="rest", user=user, hints=Hints(**hints)).upload


def changed(report: str) -> str:
    """A report of another load with the same number of requests."""
    return report.replace("  75%    111", "  75%    118")


def test_in_one_text_both_files_are_the_run_s():
    upload = send(TOGETHER)
    run = Run.objects.get()
    assert upload.status == "ready"
    assert [(t.tool, t.n, t.run) for t in Timing.objects.all()] == [("ab", None, run), ("ab", 400, run)]
    assert [(t.line_first, t.line_last) for t in run.timings.all()] == [(50, 151), (153, 553)]


def test_each_file_goes_to_the_report_it_agrees_with():
    other = changed(REPORT).replace("req.tsv", "old.tsv")
    send(other + TOGETHER + other)
    assert {t.run.command for t in Timing.objects.all()} == {
        "ab -n 400 -c 20 -e pct.csv -g req.tsv http://127.0.0.1:8081/page.html"
    }


def test_of_two_reports_with_the_same_figures_the_one_above_has_the_file():
    """The same run printed twice is a quote, so the second one is another server's."""
    second = REPORT.replace("Apache/2.4.68", "nginx/1.26.3").replace("189.55", "189.56")
    send(REPORT + second + "$ cat req.tsv\n" + GNUPLOT)
    assert Timing.objects.get().run.server_software == "nginx/1.26.3"


@pytest.mark.parametrize("file", [GNUPLOT, PERCENTILES])
def test_a_file_finds_the_run_that_was_sent_before(file):
    run = send(REPORT).runs.get()
    upload = send(file)
    assert (upload.status, upload.problems) == ("ready", [])
    timing = upload.timings.get()
    assert (timing.run, timing.experiment) == (run, run.experiment)
    assert Experiment.objects.count() == 1


def test_a_file_of_percentiles_that_was_cut_waits_too():
    upload = send("".join(PERCENTILES.splitlines(keepends=True)[:31]))
    assert upload.status == "partial"
    assert "(p29 " in upload.problems[-1]["message"]


@pytest.mark.parametrize("file", [GNUPLOT, PERCENTILES])
def test_a_file_that_comes_first_waits_for_its_run(file):
    early = send(file)
    assert early.status == "partial"
    assert "No run has the figures of this file" in early.problems[0]["message"]
    assert Experiment.objects.get().name == "Single requests of ab"
    run = send(REPORT).runs.get()
    early.refresh_from_db()
    assert (early.status, early.problems) == ("ready", [])
    assert early.timings.get().run == run
    assert Experiment.objects.get() == run.experiment


@pytest.mark.parametrize("file", [GNUPLOT, PERCENTILES])
def test_a_run_with_other_figures_does_not_get_it(file):
    send(changed(REPORT))
    assert send(file).timings.get().run is None


def test_two_runs_with_its_figures_leave_it_alone():
    send(REPORT)
    send(REPORT.replace("2.110 seconds", "2.111 seconds"))
    assert send(GNUPLOT).timings.get().run is None


def test_what_somebody_else_sent_does_not_count():
    send(REPORT, User.objects.create_user("jo"))
    assert send(GNUPLOT, User.objects.create_user("mo")).timings.get().run is None


def test_what_was_sent_yesterday_does_not_count_but_in_the_experiment_named():
    run = send(REPORT, experiment="July").runs.get()
    Run.objects.update(created_at=timezone.now() - timedelta(days=1))
    Upload.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert send(GNUPLOT).timings.get().run is None
    assert send(PERCENTILES, experiment="July").timings.get().run == run


def test_a_part_of_the_rows_is_nobody_s():
    send(REPORT)
    part = "".join(GNUPLOT.splitlines(keepends=True)[:300])
    assert send(part).timings.get().run is None


def test_hey_s_rows_are_a_run_with_its_timing():
    upload = send("$ hey -n 120 -c 6 -o csv http://127.0.0.1:8081/index.html\n" + HEY)
    run = upload.runs.get()
    assert (run.tool, run.complete_requests, run.timings.get().n) == ("hey", 120, 120)
    assert "latency_counts" not in run.values and run.values["last_offset_s"] == 0.4856


def test_counts_add_up_over_repeats():
    send(TOGETHER)
    counts = histogram.unpack(Timing.objects.get(n=400).histogram)
    both = histogram.add_counts([counts, counts])
    assert histogram.count_requests(both) == 800
    assert histogram.percentiles(both, [50, 99, 100]) == histogram.percentiles(counts, [50, 99, 100])


def test_a_run_without_a_clock_takes_the_file_s():
    send(TOGETHER)
    run = Run.objects.get()
    assert (run.clock_start_s, run.clock_end_s) == (13 * 3600 + 15 * 60 + 5, 13 * 3600 + 15 * 60 + 7.11)


def test_reading_anew_changes_nothing():
    report, file = send(REPORT), send(GNUPLOT)
    before = file.timings.get().run_id
    ingest.reparse(report.pk)
    ingest.reparse(file.pk)
    timing = Timing.objects.get()
    assert (timing.run_id, timing.upload_id) == (before, file.pk)
    assert Experiment.objects.count() == 1


def test_a_run_that_moves_takes_its_timings_along():
    run = send(TOGETHER).runs.get()
    other = send(changed(REPORT), experiment="other").runs.get()
    changes.move_runs([run], other.config)
    assert {timing.experiment for timing in run.timings.all()} == {other.experiment}
    assert Experiment.objects.get() == other.experiment


def test_a_receipt_says_which_run_a_file_went_to():
    run = send(REPORT).runs.get()
    receipt = ingest.submit(GNUPLOT.encode(), origin="rest")
    told = [{"tool": "ab", "lines": [1, 401], "n": 400, "run": run.pk}]
    assert ingest.describe_result(receipt.upload, receipt.rows)["timings"] == told
    assert ingest.describe_result(receipt.upload)["timings"] == told


def test_a_run_left_out_leaves_its_rows_out():
    upload = ingest.submit((REPORT + HEY).encode(), origin="web", edits={"blocks": {"b1": {"leave_out": True}}}).upload
    assert (upload.runs.count(), upload.timings.count()) == (1, 0)


ATTACK = (FIXTURES / "vegeta" / "vegeta_01.txt").read_text()
SPECTRUM = """Value(ms)    Percentile  TotalCount  1/(1-Percentile)
0.102179     0.000000    0           1.000000
0.209715     0.500000    7500        2.000000
0.331000     0.887500    13313       8.888889
0.353060     0.900000    13500       10.000000
1.690000     0.950000    14250       20.000000
130.500000   0.989062    14836       91.424392
137.200000   0.990625    14859       106.666667
1032.000000  1.000000    15000       10000000.000000
"""


@pytest.mark.parametrize("parts", [[f"{ATTACK}\n$ cat a.hgrm\n{SPECTRUM}"], [ATTACK, SPECTRUM], [SPECTRUM, ATTACK]])
def test_percentiles_that_any_tool_may_have_written_are_the_run_s_that_has_them(parts):
    other = SPECTRUM.replace("1032.0", "1077.0")
    for text in (other, *parts):
        send(text)
    (of_run,) = Timing.objects.exclude(run=None)
    assert of_run.percentiles_ms["100"] == 1032 and of_run.n == 15000
    assert Timing.objects.get(run=None).percentiles_ms["100"] == 1077
