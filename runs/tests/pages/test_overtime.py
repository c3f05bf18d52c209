"""Charts over time: their boxes on the pages, their figures at addresses of their own."""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runs import ingest
from runs.models import Capture, Experiment, Run, Series
from runs.series import pack_samples
from runs.tests import factories
from runs.tests.charts.light import restored
from runs.tests.drafts.monitored import monitored
from runs.tests.ingest.texts import ab
from runs.tests.pages.page_html import collapse

NOON = 43_200


def watched(n_looks: int = 20, n_processes: int = 3, **fields) -> Capture:
    """A capture with a clock, memory, CPU time and processes, one of another program."""
    setup = factories.config(factories.experiment(), "event")
    made = factories.capture(
        setup,
        factories.upload(),
        metrics={},
        n_samples=n_looks,
        clock_first="12:00:00",
        clock_last="12:10:00",
        **fields,
    )
    told: dict[str, list[float]] = {"clock_s": [NOON + at for at in range(n_looks)], "mem_total_kb": [4096.0] * n_looks}
    told |= {"mem_free_kb": [1024.0 + at for at in range(n_looks)], "load1": [0.5] * n_looks}
    told |= {"cpu_us": [30.0] * n_looks, "cpu_id": [70.0] * n_looks}
    for metric, samples in told.items():
        factories.series(made, metric, [float(sample) for sample in samples])
    sizes = [(100 + at, "httpd", 2048.0 * (at + 1)) for at in range(n_processes)] + [(7, "mysqld", 1024.0)]
    Series.objects.bulk_create(
        Series(capture=made, metric=metric, pid=pid, command=name, group=name, n=n_looks, **same(value, n_looks))
        for pid, name, size in sizes
        for metric, value in (("rss_kb", size), ("cpu_pct", 5.0))
    )
    return made


def same(value: float, n: int) -> dict[str, Any]:
    return {"min": value, "mean": value, "max": value, "last": value, "samples": pack_samples([value] * n)}


def figure(browser: Client, address: str):
    response = browser.get(address)
    assert response.status_code == 200, response.content
    return restored(response.json())


def named(traces) -> dict[str, Any]:
    return {trace["name"]: trace for trace in traces if trace.get("name")}


def test_memory_is_added_up_by_program(browser):
    (traces,) = figure(browser, f"/captures/{watched().pk}/figures/rss.json")
    found = named(traces)
    assert list(found) == ["httpd", "mysqld", "total"]
    assert found["total"]["y"][0] == pytest.approx(found["httpd"]["y"][0] + found["mysqld"]["y"][0], rel=1e-3)
    assert found["httpd"]["y"][0] == pytest.approx(12, rel=1e-3)
    assert found["httpd"]["x"][0] == NOON
    assert found["mysqld"]["y"][-1] == pytest.approx(1, rel=1e-2)


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("busy", {"httpd": 15, "mysqld": 5, "total": 20}),
        ("memory", {"used by programs": 3, "free": 1}),
        ("cpu", {"user": 30, "idle": 70}),
        ("load", {"load, 1 minute": 0.5}),
    ],
)
def test_each_figure_shows_what_the_monitor_told(browser, what, names):
    (traces,) = figure(browser, f"/captures/{watched().pk}/figures/{what}.json")
    assert {name: trace["y"][0] for name, trace in named(traces).items()} == pytest.approx(names, rel=1e-2)


def test_a_program_has_one_colour_in_all_charts_and_legends(browser):
    made = watched()
    Series.objects.create(capture=made, metric="cpu_pct", pid=900, command="ab", group="ab", n=20, **same(90.0, 20))
    Series.objects.filter(capture=made, metric="cpu_pct", command="mysqld").update(mean=80.0)  # in another order
    by_metric = {
        what: {name: trace["line"]["color"] for name, trace in named(traces).items()}
        for what in ("rss", "busy")
        for (traces,) in [figure(browser, f"/captures/{made.pk}/figures/{what}.json")]
    }
    assert list(by_metric["rss"]) == ["httpd", "mysqld", "total"]
    assert list(by_metric["busy"])[:2] == ["ab", "mysqld"]
    assert by_metric["rss"].items() <= by_metric["busy"].items()
    assert len(set(by_metric["busy"].values())) == 4
    page = browser.get(made.get_absolute_url()).content.decode()
    assert {f"--{shade}" for shade in re.findall(r'class="swatch (\w+)"></i>mysqld', page)} == {
        by_metric["rss"]["mysqld"]
    }


def test_processes_of_one_program_are_drawn_ten_a_panel(browser):
    made = watched(n_processes=25)
    panels = figure(browser, f"/captures/{made.pk}/figures/processes.json?program=httpd")
    assert [len(panel) for panel in panels] == [10, 10, 5]
    assert panels[0][0]["name"] == "124 httpd"
    page = browser.get(made.get_absolute_url()).content.decode()
    assert page.count("figures/processes.json") == 3


def test_the_page_lets_another_program_be_chosen(browser):
    made = watched()
    page = browser.get(f"{made.get_absolute_url()}?program=mysqld").content.decode()
    assert "Resident memory of each mysqld" in page
    assert "processes.json?program=mysqld" in page
    assert "?program=httpd#chart-processes" in page


def test_a_program_that_is_not_there_has_no_figure(browser):
    assert browser.get(f"/captures/{watched().pk}/figures/processes.json?program=nothing").status_code == 404


def test_a_part_is_asked_for_by_its_times(browser):
    (traces,) = figure(browser, f"/captures/{watched().pk}/figures/load.json?from={NOON + 5}&to={NOON + 8}")
    assert traces[0]["x"][0] == NOON + 4
    assert traces[0]["x"][-1] == NOON + 9


@pytest.mark.parametrize("query", ["points=many", "points=-1", "from=x", "from=5&to=4", "to=nan", "from=1e400"])
def test_odd_queries_are_refused(browser, query):
    assert browser.get(f"/captures/{watched().pk}/figures/rss.json?{query}").status_code == 400


def test_a_browser_that_has_the_figure_is_told_so_without_a_series(browser):
    address = f"/captures/{watched().pk}/figures/rss.json"
    tag = browser.get(address).headers["ETag"]
    with CaptureQueriesContext(connection) as counted:
        again = browser.get(address, headers={"If-None-Match": tag})
    assert again.status_code == 304
    assert again.headers["ETag"] == tag
    assert not any('"samples"' in query["sql"] for query in counted.captured_queries)


def test_series_that_were_written_anew_have_another_tag(browser):
    made = watched()
    address = f"/captures/{made.pk}/figures/load.json"
    before = browser.get(address).headers["ETag"]
    for row in made.series.all():
        row.delete()
        row.pk = None
        row.save()
    assert browser.get(address).headers["ETag"] != before


def test_a_run_that_is_added_is_marked_from_then_on(browser):
    made = watched()
    address = f"/captures/{made.pk}/figures/cpu.json"
    before = browser.get(address)
    factories.run(made.config, made.upload, clock_start_s=NOON + 3, clock_end_s=NOON + 9, label="event, first")
    after = browser.get(address)
    assert after.headers["ETag"] != before.headers["ETag"]
    shape = after.json()["panels"][0]["layout"]["shapes"][0]
    assert (shape["x0"], shape["x1"]) == (1000 * (NOON + 3), 1000 * (NOON + 9))
    assert "1 event, first, run 1</a>" in collapse(browser.get(made.get_absolute_url()).content.decode())


def test_a_page_without_a_clock_promises_no_marks(browser):
    for clock, is_marked in (("12:00:00", True), ("", False)):
        made = watched()
        Capture.objects.filter(pk=made.pk).update(clock_first=clock)
        factories.run(made.config, made.upload, clock_start_s=NOON + 2.0, clock_end_s=NOON + 5.0)
        assert ("Shaded:" in browser.get(made.get_absolute_url()).content.decode()) == is_marked


def test_figures_are_compressed_and_kept_for_those_who_may_see_them(browser):
    response = browser.get(f"/captures/{watched(600).pk}/figures/rss.json", headers={"Accept-Encoding": "gzip, br"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in response.headers["Vary"]
    assert response.headers["Cache-Control"] == "no-cache, private"
    assert Client().get(f"/captures/{watched().pk}/figures/rss.json").status_code == 302


@pytest.mark.parametrize("what", ["rss", "busy", "memory", "cpu", "load", "processes"])
def test_without_a_script_each_chart_is_a_picture(browser, what):
    made = watched(n_processes=3)
    factories.run(made.config, made.upload, clock_start_s=NOON + 2.0, clock_end_s=NOON + 5.0)
    url = f"/captures/{made.pk}/figures/{what}.svg"
    assert f'<noscript><img src="{url}' in browser.get(made.get_absolute_url()).content.decode()
    picture = browser.get(url)
    root = ElementTree.fromstring(picture.content.decode())  # noqa: S314  (our own)
    words = ["".join(found.itertext()) for found in root.iter("{http://www.w3.org/2000/svg}text")]
    assert picture["Content-Type"].startswith("image/svg+xml")
    assert "12:00" in " ".join(words)
    assert root.findall(".//{http://www.w3.org/2000/svg}path")
    in_page = browser.get(url.replace(".svg", ".html")).text
    assert 'class="plots' in in_page and "12:00" in in_page and "chart-key" not in in_page
    assert ('class="l ink"' in in_page) == (what in ("rss", "busy"))


def test_rows_are_there_for_those_who_see_no_chart(browser):
    made = watched()
    assert f"/captures/{made.pk}/figures/memory.csv" in browser.get(made.get_absolute_url()).content.decode()
    rows = list(csv.reader(io.StringIO(browser.get(f"/captures/{made.pk}/figures/memory.csv").content.decode())))
    assert rows[:2] == [["clock", "used by programs, MiB", "free, MiB"], ["12:00:00", "3.0", "1.0"]]


def test_the_monitors_of_a_run_are_drawn_in_its_own_time(browser):
    during = watched(20, phase="during", line_first=1, line_last=20)
    run = factories.run(during.config, during.upload, clock_start_s=NOON + 5.0, clock_end_s=NOON + 15.0)
    after = factories.capture(
        during.config, during.upload, metrics={}, phase="after", clock_first="12:11:00", clock_last="12:11:00", run=run
    )
    factories.series(after, "clock_s", [NOON + 660.0])
    factories.series(after, "load1", [9.0])
    during.run = run
    during.save()
    assert "figures/load.json" in browser.get(run.get_absolute_url()).content.decode()
    (traces,) = figure(browser, f"/runs/{run.pk}/figures/load.json")
    x, y = traces[0]["x"], traces[0]["y"]
    assert (x[0], x[-2], y[-2]) == (-5, 655, 9.0)  # a look by itself is a dash
    assert None in y  # nobody watched between


def test_a_run_that_a_monitor_of_several_went_through_is_shown_with_what_was_around_it(browser):
    made = watched(600)
    run = factories.run(made.config, made.upload, clock_start_s=NOON + 300.0, clock_end_s=NOON + 310.0)
    page = browser.get(run.get_absolute_url()).content.decode()
    assert 'data-from="-30.0" data-to="40.0"' in page
    (traces,) = figure(browser, f"/runs/{run.pk}/figures/load.json?from=-30&to=40")
    assert (traces[0]["x"][0], traces[0]["x"][-1]) == (-31, 41)


def test_a_monitor_that_ran_at_another_time_is_not_taken_for_the_runs(browser):
    made = watched(600)
    run = factories.run(made.config, made.upload, clock_start_s=NOON + 4000.0, clock_end_s=NOON + 4010.0)
    assert "figures/load" not in browser.get(run.get_absolute_url()).content.decode()


def test_a_run_beside_which_nobody_watched_has_no_such_figure(browser):
    run = factories.run(factories.config(factories.experiment(), "a"), factories.upload())
    assert browser.get(f"/runs/{run.pk}/figures/load.json").status_code == 404
    assert "figures/" not in browser.get(run.get_absolute_url()).content.decode()


def pages(browser, made: Capture) -> tuple[int, int]:
    """(queries, bytes but for what differs by itself) of a capture's page."""
    with CaptureQueriesContext(connection) as counted:
        page = browser.get(made.get_absolute_url()).content.decode()
    assert not any('"samples"' in query["sql"] for query in counted.captured_queries)
    return len(counted), len(re.sub(r"\d[\d,]*|csrfmiddlewaretoken\" value=\"\w+", "", page))


def test_a_page_costs_the_same_however_long_was_watched(browser):
    short, long = (pages(browser, watched(n)) for n in (20, 2000))
    assert short == long
    assert short[0] <= 13  # with one for what the reader may do, which decides whether the page has changed


def test_a_page_needs_as_many_queries_for_many_processes_and_shows_the_largest(browser):
    few, many = watched(5, 3), watched(5, 700)
    assert pages(browser, few)[0] == pages(browser, many)[0]
    page = browser.get(many.get_absolute_url()).content.decode()
    assert "the 500 largest" in page
    assert '<td class="r">799</td>' in page and '<td class="r">110</td>' not in page


def test_a_figure_needs_as_many_queries_for_long_and_many(browser):
    counts = []
    for made in (watched(5, 3), watched(500, 300)):
        with CaptureQueriesContext(connection) as counted:
            browser.get(f"/captures/{made.pk}/figures/rss.json")
        counts.append(len(counted))
    assert counts[0] == counts[1] <= 9


TOP = """\
top - 12:00:{second:02} up  1:15,  1 user,  load average: 1.00, 0.26, 0.21
Tasks:   2 total,   1 running,   1 sleeping,   0 stopped,   0 zombie
%Cpu(s): 10.0 us,  5.0 sy,  0.0 ni, 85.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
MiB Mem :   2984.5 total,   2000.0 free,    500.0 used,    484.5 buff/cache
MiB Swap:    512.0 total,    512.0 free,      0.0 used.   2400.0 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
    100 www       20   0   10000   {res}   1000 S   1.0   0.1   0:00.10 nginx
"""


def test_a_pasted_top_is_charted_beside_the_run_that_it_watched(browser):
    screens = "\n".join(TOP.format(second=second, res=4000 + second) for second in range(10))
    prompts = (
        "[root@web 11:59:00 ~]# ab -n 1000 -c 10 http://localhost:8080/page.html",
        "[root@web 12:00:07 ~]# top -b -d 1",
    )
    text = f"{prompts[0]}\n{ab()}\n{prompts[1]}\n{screens}"  # the report says that it took two seconds
    ingest.submit(text.encode(), origin="web")
    run, capture = Run.objects.get(), Capture.objects.get()
    assert (run.clock_start_s, run.clock_end_s) == (NOON + 5, NOON + 7)
    layout = browser.get(f"/captures/{capture.pk}/figures/rss.json").json()["panels"][0]["layout"]
    assert [(shape["x0"], shape["x1"]) for shape in layout["shapes"][:1]] == [((NOON + 5) * 1000, (NOON + 7) * 1000)]
    (traces,) = figure(browser, f"/runs/{run.pk}/figures/rss.json")
    assert traces[0]["x"][0] == -5


def test_an_experiment_shows_what_was_watched_over_time(browser):
    made = watched(20)
    factories.capture(made.config, made.upload, metrics={"load1": 0.5})
    page = collapse(browser.get(made.experiment.get_absolute_url()).content.decode())
    told = page[page.index('id="over-time"') :]
    assert f'href="{made.get_absolute_url()}"' in told
    assert "20 samples" in told
    assert f'data-over="/captures/{made.pk}/figures/' in told


def test_the_query_chooses_which_monitor_is_shown_over_time(browser):
    first, second = watched(20), watched(10)
    Capture.objects.filter(pk=second.pk).update(experiment=first.experiment, config=first.config)
    page = browser.get(f"{first.experiment.get_absolute_url()}?watch={second.pk}").content.decode()
    assert f'data-over="/captures/{second.pk}/figures/' in page
    assert f'data-over="/captures/{first.pk}/figures/' not in page


def test_an_experiment_without_series_says_nothing_of_time(browser):
    made = watched(1)
    assert "over-time" not in browser.get(made.experiment.get_absolute_url()).content.decode()


def test_a_monitor_beside_several_runs_is_shown_once_and_each_run_has_its_lines(browser):
    ingest.submit(monitored("sar").encode(), name="log", origin="web")
    page = browser.get(Experiment.objects.get().get_absolute_url()).content.decode()
    whole, part = (Capture.objects.get(block_key=key) for key in ("b4", "b4.1"))
    assert f"/captures/{whole.pk}/figures/" in page
    assert f"/captures/{part.pk}/figures/" not in page
    body = browser.get(f"/api/v1/runs/{part.run_id}/").json()
    assert [one["lines"] for one in body["captures"]] == [[part.line_first, part.line_last]]
    assert f"/runs/{part.run_id}/figures/" in browser.get(f"/runs/{part.run_id}/").content.decode()
