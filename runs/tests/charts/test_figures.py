"""Charts: what each kind shows, and that the SVG and the Plotly back end show the same of it."""

from __future__ import annotations

import math
import re
from datetime import date
from xml.etree import ElementTree as ET

import orjson
import pytest

from runs.analysis import trend
from runs.charts import (
    N_COLORS,
    Axis,
    Band,
    Bars,
    Chart,
    Dots,
    Line,
    Span,
    bars,
    curves,
    cut,
    make_linear_axis,
    make_log_axis,
    paint,
    svg,
    symbol,
    timeline,
)
from runs.charts.bars import Bar, Sizes, Stack
from runs.charts.curves import Curve, Dot, LatencyRun, SweptPoint
from runs.charts.plotly import draw_figure
from runs.charts.svg import draw_inline

TWO = (
    Bar("event", 0, (617.01, 878.81), ("one", "two"), label="A"),
    Bar("worker", 1, (722.23,), label="B", change="−2.1 %"),
)
PERCENTILES = {"50": 35.0, "90": 49.0, "99": 1032.0, "100": 4612.0}
SWEEP = tuple(Dot(n, 100.0 * n, 5.0 + n) for n in (1, 2, 2, 4, 8))
LAW = ((1.0, 100.0, 90.0, 110.0), (8.0, 780.0, 700.0, 860.0))
DAYS = tuple(trend.Day(date(2026, 3, day), 2, math.log(100.0 + day), 90.0, 120.0) for day in range(1, 9))
LOAD = timeline.LoadBySecond(
    None, 1, range(5), (10, 12, 0, 11, 9), (5.0, 6.0, None, 5.0, 4.0), (9.0, 9.0, None, 8.0, 7.0)
)
CHARTS = {
    "rates": bars.make_rate_chart(TWO),
    "latency": curves.make_latency_chart(
        [LatencyRun("event", 0, PERCENTILES, "A event"), LatencyRun("worker", 1, PERCENTILES)]
    ),
    "scaling": curves.make_scaling_chart([Curve("worker", 0, SWEEP, LAW, peak=(4.0, 3.0, 6.0))]),
    "sweep": curves.make_sweep_chart(
        [SweptPoint("a", 0, n, 10.0 * n, 5.0, 0.0) for n in (5, 10, 50)], "workers", 50, None
    ),
    "processes": bars.make_process_chart([Sizes("event", 0, "httpd", (12.0, 13.5), step="during")]),
    "memory": bars.make_memory_chart([Stack("event", "before", {"used": 300.0, "free": 400.0}, "A")]),
    "cpu": bars.make_cpu_chart([Stack("event", "during", {"user": 60.0, "stolen": 10.0, "idle": 30.0})]),
    "requests": bars.make_histogram_chart([(0.0, 10.0, 5), (10.0, float("inf"), 2)]),
    "trend": timeline.make_trend_chart([trend.Stretch(DAYS[:4]), trend.Stretch(DAYS[4:])]),
    "course": timeline.make_load_chart(LOAD),
}


def marks(chart, kind):
    return [mark for panel in chart.panels for mark in panel.marks if isinstance(mark, kind)]


def read(chart: Chart) -> ET.Element:
    return ET.fromstring(draw_inline(chart))  # noqa: S314  (our own)


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_both_back_ends_show_the_same_values(chart):
    """Every dot's place on the picture, turned back into a value, is the value that Plotly gets."""
    traces = draw_figure(chart)["data"]
    plots = [found for found in read(chart).iter("svg") if found.get("role") == "img"]
    for number, (panel, plot) in enumerate(zip(chart.panels, plots, strict=True), 1):
        own = "x" if number == 1 else f"x{number}"
        expected = [
            panel.x.place(x) for t in traces if t["xaxis"] == own and t.get("mode") == "markers" for x in t["x"]
        ]
        groups = [group for group in plot.iter("g") if group.get("class", "").startswith("d s")]
        dots = [dot for group in groups for dot in group if "%" in dot.get("cx", dot.get("x", ""))]
        shown = [float(dot.get("cx", dot.get("x")).rstrip("%")) / 100 for dot in dots]
        assert shown == pytest.approx(expected, abs=1e-4)
        bars_shown = [rect.get("width") for rect in plot.iter("rect") if not rect.get("class", "").startswith("z")]
        assert len(bars_shown) == sum(len(t["x"]) for t in traces if t["type"] == "bar" and t["xaxis"] == own)


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_both_back_ends_write_the_same_words(chart):
    layout = draw_figure(chart)["layout"]
    told = " ".join("".join(found.itertext()) for found in read(chart).iter() if found.tag in ("text", "p", "span"))
    for name, axis in layout.items():
        if re.match(r"[xy]axis", name):
            words = [axis["title"]["text"], *(axis.get("ticktext", []) if name[0] == "x" else [])]
            assert [word for word in words if word not in told] == []
    assert [entry.text for entry in chart.key if entry.text not in told] == []


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_a_chart_has_a_table_with_its_figures_and_names_its_units(chart):
    assert chart.rows
    assert {len(row) for row in chart.rows} <= set(range(3, 9)) | {len(chart.heads)}
    assert chart.summary
    assert orjson.loads(orjson.dumps(draw_figure(chart)))
    assert chart.panels[-1].x.title


def test_cpu_time_has_what_a_hypervisor_took_and_only_parts_that_were_seen():
    assert [key.text for key in CHARTS["cpu"].key] == ["user", "stolen", "idle"]
    assert CHARTS["cpu"].rows == (("event", "during", 60.0, 10.0, 30.0),)


def test_bars_start_at_zero_and_every_repeat_is_a_dot():
    chart = CHARTS["rates"]
    assert chart.panels[0].x.low == 0
    assert [(mark.low, mark.high) for mark in marks(chart, Bars)] == [((0,), (TWO[0].mean,)), ((0,), (722.23,))]
    assert [mark.x for mark in marks(chart, Dots)] == [(617.01, 878.81), (722.23,)]


def test_a_bar_has_its_letter_value_and_change_beside_it():
    words = ["".join(found.itertext()) for found in read(CHARTS["rates"]).iter("text")]
    assert "A event" in words
    assert "722.2−2.1 %" in words


def test_a_rate_of_another_workload_is_in_a_panel_of_its_own():
    large, small = ("large · a", "large", 9.0), ("small · a", "small", 292.0)
    chart = bars.make_rate_chart([Bar(name, 0, (rate,), workload=of, short="a") for name, of, rate in (large, small)])
    assert [(panel.title, panel.x.high) for panel in chart.panels] == [("large", 10), ("small", 300)]
    assert [row.head for panel in chart.panels for row in panel.y] == ["a", "a"]  # its title names the workload
    assert [row[0] for row in chart.rows] == ["large · a", "small · a"]


def test_a_rate_beyond_all_that_count_keeps_its_whole_name():
    huge = Bar("small · a", 0, (9e6,), workload="small", short="a", counted=False)
    chart = bars.make_rate_chart([Bar("small · b", 1, (9.0,), workload="small", short="b"), huge])
    assert [row.head for panel in chart.panels for row in panel.y] == ["b", "small · a · not counted"]


def test_what_failed_is_hatched_named_above_the_hatching_and_never_the_longest_bar_of_a_card():
    every = [Bar("good", 0, (100.0,)), Bar("bad", 1, (900.0,), failed=True), Bar("out", 2, (50.0,), counted=False)]
    chart = bars.make_rate_chart(every)
    assert [mark.hatched for mark in marks(chart, Bars)] == [(False,), (True,), (True,)]
    assert [row.head for row in chart.panels[0].y] == ["good", "bad · failed", "out · not counted"]
    assert chart.panels[0].x.high >= 900
    drawn = re.findall(r'<line( class=x)? x2="(\d+)%"', svg.draw_mini(every))
    assert drawn == [("", "100"), (" class=x", "100"), (" class=x", "50")]


def test_what_does_not_count_and_would_flatten_the_others_is_on_a_scale_of_its_own():
    chart = bars.make_rate_chart([Bar("a", 0, (3.0,)), Bar("b", 1, (5.0,)), Bar("out", 2, (17160.0,), counted=False)])
    assert [(panel.title, panel.x.high) for panel in chart.panels] == [("", 5), (bars.OFF_SCALE, 20_000)]


def test_of_very_many_workloads_the_first_are_drawn_and_all_are_in_the_rows():
    made = [
        Bar(f"{name} {n}", at, (100.0 + n,), workload=f"load {n}") for n in range(500) for at, name in enumerate("ab")
    ]
    chart = bars.make_rate_chart(made)
    assert (len(chart.panels), len(chart.rows)) == (bars.MOST_DRAWN // 2, 1000)
    assert "800 more configs are not drawn" in chart.note


def test_an_interval_far_beyond_the_values_does_not_press_the_bars_flat():
    chart = bars.make_rate_chart([Bar("a", 0, (100.0, 110.0, 120.0), interval=(-1e9, 1e9))])
    assert chart.panels[0].x.high <= 200


def test_no_rate_is_no_chart():
    assert bars.make_rate_chart([]) is bars.make_rate_chart([Bar("a", 0, (float("nan"),))]) is None


def test_a_config_keeps_its_colour_in_every_chart():
    rate = marks(bars.make_rate_chart([Bar("worker", 1, (1.0,))]), Bars)[0].paint
    line = marks(curves.make_latency_chart([LatencyRun("worker", 1, PERCENTILES)]), Line)[0].paint
    strip = marks(bars.make_process_chart([Sizes("worker", 1, "httpd", (12.0,))]), Dots)[0].place
    assert rate == line == paint(strip) == "s1"


def test_colours_that_come_round_again_come_with_another_symbol():
    pairs = {(paint(place), symbol(place)) for place in range(N_COLORS * 8)}
    assert len(pairs) == N_COLORS * 8


def test_percentiles_stand_at_one_over_what_is_left_and_the_longest_request_at_the_end():
    assert [curves.place_percentile(p) for p in (50, 90, 99, 99.9)] == [2, 10, 100, 1000]
    chart = curves.make_latency_chart([LatencyRun("event", 0, PERCENTILES)])
    dotted, line = marks(chart, Line)
    assert (line.x, line.y) == ((2, 10, 100), (35, 49, 1032))
    assert dotted.dotted
    assert (dotted.x[0], dotted.y) == (100, (1032, 4612))
    assert chart.panels[0].x.ticks[-1].text == "longest"


def test_repeats_are_a_median_and_a_band_and_what_does_not_count_is_a_thin_line():
    runs = [LatencyRun("event", 0, {"50": 10.0 * n, "90": 20.0 * n}) for n in (1, 2, 4)]
    chart = curves.make_latency_chart([*runs, LatencyRun("event", 0, {"50": 99.0, "90": 999.0}, counted=False)])
    (band,) = marks(chart, Band)
    counted, left_out = marks(chart, Line)
    assert (band.low, counted.y, band.high) == ((10, 20), (20, 40), (40, 80))
    assert (counted.thin, left_out.thin) == (False, True)


def test_many_configs_below_several_workloads_have_a_panel_for_each_of_these():
    names = [(workload, f"c{place}", place) for workload in ("GET", "POST") for place in range(6)]
    runs = [
        LatencyRun(f"{workload} · {name}", place, PERCENTILES, f"A {name}", workload=workload, short=name)
        for workload, name, place in names
    ]
    chart = curves.make_latency_chart(runs)
    assert [panel.title for panel in chart.panels] == ["GET", "POST"]
    assert [key.text for key in chart.key] == [f"c{place}" for place in range(6)]
    without = curves.make_latency_chart([*runs[:11], LatencyRun("x", 9, PERCENTILES)])
    assert {panel.title for panel in without.panels} == {*(f"A c{place}" for place in range(6)), "x"}


def test_a_log_axis_leaves_out_nought_and_the_linear_one_begins_there():
    runs = [LatencyRun("event", 0, {"50": 0.0, "90": 2.0, "99": 3.0})]
    assert marks(curves.make_latency_chart(runs, "log"), Line)[0].y == (2, 3)
    linear = curves.make_latency_chart(runs)
    assert marks(linear, Line)[0].y == (0, 2, 3)
    assert linear.panels[0].y.low == 0


def test_a_far_tail_asks_for_the_log_axis():
    assert curves.uses_log_axis([LatencyRun("a", 0, {"50": 1, "90": 1, "100": 8588})])
    assert not curves.uses_log_axis([LatencyRun("a", 0, {"50": 73, "90": 240, "100": 900})])


def test_more_than_ten_configs_become_small_multiples_with_one_scale():
    chart = curves.make_latency_chart([LatencyRun(f"c{n}", n, {"50": 1, "90": n + 1}) for n in range(12)])
    assert [panel.title for panel in chart.panels] == [f"c{n}" for n in range(12)]
    assert len({(panel.x, panel.y) for panel in chart.panels}) == 1


def test_levels_of_one_config_share_one_of_the_small_multiples():
    runs = [
        LatencyRun(f"{name} · -c {n}", at, {"50": 1, "90": n}, f"{'ABC'[at]} {name} · -c {n}")
        for at, name in enumerate(("nginx", "Apache"))
        for n in (1, 2, 4, 10, 50, 100)
    ]
    chart = curves.make_latency_chart([*runs, LatencyRun("lighttpd", 2, {"50": 1, "90": 3}, "C lighttpd")])
    assert [panel.title for panel in chart.panels] == ["nginx", "Apache", "C lighttpd"]
    ends = [mark.end for mark in chart.panels[0].marks if isinstance(mark, Line) and mark.end]
    assert ends == ["-c 1", "-c 2", "-c 4", "-c 10", "-c 50", "-c 100"]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ((9.0, 700.0), ["5", "10", "20", "50", "100", "200", "500", "1,000"]),
        ((900.0, 12_000.0), ["500", "1,000", "2,000", "5,000", "10,000", "20,000"]),
        ((1.0, 1_000_000.0), ["1", "10", "100", "1,000", "10,000", "100,000", "1,000,000"]),
    ],
)
def test_a_log_axis_is_ticked_at_1_2_and_5_with_thousands_marked(values, ticks):
    assert [tick.text for tick in make_log_axis(values).ticks] == ticks


@pytest.mark.parametrize(("most", "last"), [(887, 1000), (0.03, 0.03), (29219, 30000), (0, 1), (float("inf"), 1)])
def test_a_linear_axis_begins_at_zero_and_ends_at_a_tick(most, last):
    axis = make_linear_axis(most)
    assert (axis.low, axis.ticks[-1].at, axis.high) == (0, last, last)
    assert len(axis.ticks) <= 7


def test_sweeps_of_one_name_are_told_apart_and_the_peak_is_named():
    chart = curves.make_scaling_chart([Curve("event MPM", at, SWEEP, LAW, (4.0, 3.0, 6.0)) for at in range(2)])
    assert [entry.text for entry in chart.key] == ["event MPM (1)", "event MPM (2)"]
    assert [span.text for span in marks(chart, Span) if span.text][0] == "event MPM (1): peak at 4 (3 to 6)"


def test_levels_of_one_config_are_named_at_their_lines_as_their_colour_is_one():
    levels = [
        LatencyRun(f"nginx · -c {n}", 0, {"50": n, "90": 2 * n}, f"{letter} -c {n}")
        for letter, n in (("A", 5), ("B", 50))
    ]
    chart = curves.make_latency_chart(levels)
    assert not chart.key
    assert [line.end for line in marks(chart, Line)] == ["-c 5", "-c 50"]


def test_latency_of_a_sweep_goes_through_the_mean_of_each_level():
    dots = (Dot(1, 10.0, 4.0), Dot(1, 10.0, 6.0), Dot(2, 20.0, 9.0))
    assert marks(curves.make_scaling_chart([Curve("worker", 0, dots)]), Line)[0].y == (5.0, 9.0)
    assert len(curves.make_scaling_chart([Curve("worker", 0, (Dot(1, 1.0), Dot(2, 1.0)))]).panels) == 1


def test_levels_far_apart_are_on_a_log_axis_with_a_tick_each():
    axis = curves.make_scaling_chart([Curve("worker", 0, tuple(Dot(n, 1.0) for n in (1, 10, 100)))]).panels[0].x
    assert axis.log
    assert [tick.text for tick in axis.ticks] == ["1", "10", "100"]


def test_nothing_to_draw_is_no_chart():
    assert curves.make_scaling_chart([Curve("worker", 0, ())]) is None
    assert curves.make_latency_chart([LatencyRun("a", 0, {"50": 1.0})]) is None
    assert bars.make_memory_chart([]) is bars.make_process_chart([]) is None


def test_a_strip_of_many_processes_is_thinned_and_keeps_its_ends():
    (dots,) = marks(bars.make_process_chart([Sizes("a", 0, "httpd", tuple(float(n) for n in range(1000)))]), Dots)
    assert (len(dots.x), dots.x[0], dots.x[-1]) == (bars.MOST_DOTS, 0, 999)


def test_stacks_leave_out_parts_that_nobody_tells_and_begin_where_the_last_ended():
    used, free = marks(CHARTS["memory"], Bars)
    assert (used.name, free.name) == ("used by programs", "free")
    assert (used.high, free.low, free.high) == ((300,), (300,), (700,))


def test_an_axis_cuts_off_what_lies_beyond_it():
    assert [Axis(1, 100, log=True).place(value) for value in (0, 1, 10, 100, 1000)] == [0, 0, 0.5, 1, 1]


def test_a_cell_s_strip_has_every_run_of_every_config():
    strip = ET.fromstring(svg.draw_strip([(0, [1.0, 2.0, 4.0]), (1, [3.0])]))  # noqa: S314
    dots = [path.get("d").count("M") for path in strip.iter("path") if path.get("class").startswith("d")]
    assert dots == [3, 1]
    assert svg.draw_strip([(0, [])]) == ""


def test_long_names_keep_both_ends():
    assert cut("ApplicationGroup and WSGIImportScript, set 3", 28).endswith("set 3")
    assert len(cut("x" * 100, 28)) <= 28
    assert cut("short", 28) == "short"
    assert cut("Simple HTTP benchmark results (wrk) with close connection · ukoa", 42).endswith("connection · ukoa")


@pytest.mark.parametrize(
    ("rates", "failed", "words"),
    [
        ((900, 1000, 990), 0.0, "most served"),
        ((900, 1000, 1010), 0.0, "levels off here"),
        ((900, 1000, 1010), 9.0, "most without failures"),
    ],
)
def test_what_is_marked_in_a_sweep_is_named_after_what_the_levels_beyond_it_show(rates, failed, words):
    levels = zip((5, 10, 50), rates, (0.0, 0.0, failed), strict=True)
    chart = curves.make_sweep_chart(
        [SweptPoint("a", 0, n, rate, 5.0, bad) for n, rate, bad in levels], "workers", 10, None
    )
    assert words in {span.text for span in marks(chart, Span)}


@pytest.mark.parametrize(("n", "most_px"), [(8, 52), (9, 31)])
def test_bars_of_many_configs_are_low_so_that_all_are_on_the_first_screen(n, most_px):
    chart = bars.make_rate_chart([Bar(f"config {at}", at, (100.0 + at,)) for at in range(n)])
    heights = [float(bar.get("y")) for bar in read(chart).iter() if bar.tag.endswith("rect") and bar.get("y")]
    assert most_px - 2 <= heights[1] - heights[0] <= most_px


def test_a_sweep_of_two_workloads_has_a_panel_of_rates_for_each_and_marks_the_peak_in_its_own():
    points = [
        SweptPoint(name, place, n, rate * n, 5.0, 0.0, workload)
        for workload, rate in (("/", 100.0), ("/search", 2.0))
        for place, name in enumerate(("nginx", "caddy"))
        for n in (5, 10, 50)
    ]
    chart = curves.make_sweep_chart(points, "concurrency", 50, None)
    assert [(panel.title, panel.y.title, panel.y.high) for panel in chart.panels] == [
        ("/", "requests per second", 6000.0),
        ("/search", "requests per second", 100.0),
    ]
    assert [key.text for key in chart.key] == ["nginx", "caddy"]
    assert [any(isinstance(mark, Span) for mark in panel.marks) for panel in chart.panels] == [True, False]
    assert chart.rows[-1][:3] == ("/search", "caddy", 50)
