"""What single requests took, on the pages of their run and its experiment."""

from __future__ import annotations

import re

import pytest

from runs import ingest
from runs.models import Experiment, Run, Timing, Upload
from runs.tests.ingest.test_timings import ATTACK, GNUPLOT, HEY, PERCENTILES, REPORT, SPECTRUM, TOGETHER, changed
from runs.tests.pages.page_html import collapse, figure_of, lines_of

pytestmark = pytest.mark.django_db


def send(text: str) -> Upload:
    return ingest.submit(text.encode(), origin="web").upload


def long_load(n: int = 3000, *, seconds: int = 30, first: int = 1) -> str:
    """The file of a load that had a pause in its middle."""
    at = [second for second in range(seconds) if not 10 <= second < 13]
    rows = sorted((first + number * 7 % 400, at[number % len(at)]) for number in range(n))
    lines = [
        f"Thu Oct 12 13:15:{second:02} 2023\t{1697116500 + second}\t0\t{took}\t{took}\t{took}" for took, second in rows
    ]
    return "starttime\tseconds\tctime\tdtime\tttime\twait\n" + "\n".join(lines) + "\n"


def report_of(file: str) -> str:
    """The report of the load whose file this is."""
    (block,) = ingest.preview(file.encode()).blocks
    told = block.values["percentiles_ms"]
    text = REPORT.replace("requests:      400", f"requests:      {block.values['n_requests']}")
    for percent in (50, 66, 75, 80, 90, 95, 98, 99, 100):
        text = re.sub(rf"(?m)^ *{percent}% +\d+", f"{percent:>4}%  {told[str(percent)]:5}", text)
    return text


def test_a_run_s_page_has_exact_percentiles_that_lead_to_their_lines(browser):
    upload = send(TOGETHER)
    page = collapse(browser.get(Run.objects.get().get_absolute_url()).content.decode())
    assert "ab, its percentiles" in page
    assert "from Thu Oct 12 13:15:05 2023 by its own clock" in page
    text, part = TOGETHER.split("\n"), page.partition('id="timings"')[2].partition("</section>")[0]
    links = re.findall(rf'/uploads/{upload.pk}/#L(\d+)"><data value="(153.979|154)">', part)
    assert len(links) == 2
    for line, value in links:
        assert re.search(rf"^99,{value}$|\t{value}\t\d+$", text[int(line) - 1])


def test_percentiles_of_several_files_stand_side_by_side(browser):
    """-g of many requests has some that -e has not."""
    file = long_load()
    every = "".join(f"{percent},{100 + percent}.000\n" for percent in range(101))
    report = re.sub(r"(?m)^ *(\d+)% +\d+", lambda found: f"{found[1]}% {100 + int(found[1])}", REPORT)
    send(report + "$ cat pct.csv\nPercentage served,Time in ms\n" + every)
    run = Run.objects.get()
    row = ingest.submit(file.encode(), origin="web").upload.timings.get()
    Timing.objects.filter(pk=row.pk).update(run=run)
    page = collapse(browser.get(run.get_absolute_url()).content.decode())
    assert 'scope="row">99.9 %</th><td class="r"><span class="muted">not given</span>' in page


def test_its_histogram_counts_every_request(browser):
    send(TOGETHER)
    drawn = figure_of(browser, Run.objects.get().get_absolute_url(), "requests")
    assert sum(drawn["data"][0]["y"]) == 400


def test_percentiles_that_tell_how_many_requests_there_were_have_no_histogram(browser):
    send(f"{ATTACK}\n$ cat a.hgrm\n{SPECTRUM}")
    run = Run.objects.get()
    assert run.timings.get().n == run.complete_requests
    response = browser.get(run.get_absolute_url())
    assert response.status_code == 200 and "its percentiles" in response.text
    assert "How long did how many requests take?" not in response.text


def test_the_course_of_a_load_shows_its_pause_by_the_clock(browser):
    file = long_load()
    send(report_of(file) + file)
    url = Run.objects.get().get_absolute_url()
    page = browser.get(url).content.decode()
    rates, longest, _ = lines_of(figure_of(browser, url, "course"))
    assert rates["x"][0] == 13 * 3600 + 15 * 60
    assert rates["y"][9:14] == [pytest.approx(111.1111, abs=1)] + [0, 0, 0] + [pytest.approx(111.1111, abs=1)]
    assert longest["y"][10:13] == [None] * 3
    assert "The longest time without one was 3 s, at 13:15:10." in page


def test_the_spectrum_goes_on_where_the_report_ends(browser):
    file = long_load()
    send(report_of(file) + file)
    (line,) = lines_of(figure_of(browser, Run.objects.get().get_absolute_url(), "latency"))
    hovers = " ".join(line["hovertext"])
    assert "p99.9 " in hovers and "p51 " in hovers


def test_repeats_with_files_are_drawn_together(browser):
    for repeat in range(3):
        file = long_load(first=1 + repeat)
        ingest.submit((report_of(file) + file).encode(), origin="web", hints=ingest.Hints(experiment="E"))
    (line,) = lines_of(figure_of(browser, Experiment.objects.get().get_absolute_url(), "latency"))
    assert len(line["x"]) > 20


def test_a_repeat_without_a_file_makes_a_band_of_what_both_have(browser):
    file = long_load()
    for text in (report_of(file) + file, changed(REPORT)):
        ingest.submit(text.encode(), origin="web", hints=ingest.Hints(experiment="E"))
    drawn = figure_of(browser, Experiment.objects.get().get_absolute_url(), "latency")["data"]
    assert [trace["fill"] for trace in drawn if "fill" in trace] == ["toself"]


def test_a_file_whose_run_is_not_there_says_so_on_its_experiment_s_page(browser):
    send(GNUPLOT)
    page = browser.get(Experiment.objects.get().get_absolute_url()).content.decode()
    assert "Single requests of ab" in page
    assert "The run with these figures is not stored" in page and ">99 %<" in page


def test_the_upload_of_a_file_says_what_it_became(browser):
    page = browser.get(send(PERCENTILES).get_absolute_url()).content.decode()
    assert "No run has the figures of this file" in page
    assert "ab percentiles → Single requests of ab" in page
    assert "1 file of single requests" in page


@pytest.mark.parametrize("text", [TOGETHER, GNUPLOT])
def test_the_preview_says_what_a_file_is(browser, text):
    page = browser.post("/preview/", {"text": text}).content.decode()
    assert "ab_gnuplot: single requests" in page and "about the host" not in page


def test_over_rest_a_run_says_its_timings(browser):
    upload = send(TOGETHER)
    told = browser.get(f"/api/v1/runs/{Run.objects.get().pk}/").json()["timings"]
    assert [(one["n"], one["lines"], one["upload_id"]) for one in told] == [
        (None, [50, 151], upload.pk),
        (400, [153, 553], upload.pk),
    ]
    assert told[0]["percentiles_ms"]["97"] == 146.673 and told[1]["values"]["ttime_ms"]["mean"] == 99.035


def test_rows_of_hey_show_their_course_from_the_load_s_beginning(browser):
    rows = [line.split(",") for line in HEY.splitlines()]
    late = [",".join([*row[:-1], f"{number * 0.05:.4f}"]) for number, row in enumerate(rows[1:])]
    send("\n".join([",".join(rows[0]), *late]) + "\n")
    drawn = figure_of(browser, Run.objects.get().get_absolute_url(), "course")
    assert drawn["data"][0]["x"] == [0, 1, 2, 3, 4, 5]


def test_a_page_needs_as_many_queries_with_many_files_as_with_one(browser, django_assert_max_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    send(TOGETHER)
    run = Run.objects.get()
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as counted:
            browser.get(run.get_absolute_url())
        counts.append(len(counted))
        for timing in Timing.objects.all():
            timing.pk = None
            timing.save()
    assert counts[0] == counts[1]
