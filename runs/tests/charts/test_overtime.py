"""Charts over time: what is thinned, what is broken, what is marked, and how little it weighs."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from runs.charts import Band, Line
from runs.charts.svg import draw_inline
from runs.charts.time_series import RunSpan, View, describe, encode
from runs.charts.timeline import Trace, build_timeline, thin_values, to_rows
from runs.presenters.monitor_charts import make_cpu_traces, make_memory_traces
from runs.selectors.samples import join_clocks
from runs.tests.charts.light import restored

NAN = np.nan
NOON = 43_200.0
ALL = View(800)


def clock(n: int, start: float = NOON, step: float = 1.0) -> np.ndarray:
    return start + step * np.arange(n)


def grid(when: Any, panels: Any, view: View, **more: Any) -> Any:
    return encode(describe(when, panels, view, **more), when, view)


def stack(when: Any, traces: Any, unit: str, view: View) -> Any:
    return grid(when, [(unit, traces)], view, stacked=True)


def one(figures, **more):
    """The only trace of a chart of one line."""
    when = build_timeline(more.pop("clock_s", clock(len(figures))), len(figures), more.pop("start_s", None))
    made = grid(when, [("MiB", [Trace("a", np.asarray(figures, float))])], View(more.pop("points", 800), **more))
    return restored(made)[0][0]


def test_points_come_back_as_they_were():
    trace = one([1.0, 2.5, 2.5, 4.0])
    assert trace["x"] == [NOON, NOON + 1, NOON + 2, NOON + 3]
    assert trace["y"] == [1.0, 2.5, 2.5, 4.0]


def test_points_are_sent_as_differences():
    made = grid(build_timeline(clock(3), 3), [("MiB", [Trace("a", np.array([1.0, 2.0, 4.0]))])], ALL)
    delta = made["panels"][0]["data"][0]["delta"]
    assert list(delta["x"]) == [43_200, 1, 1]
    assert [value * made["unit"] for value in delta["y"]] == [1.0, 1.0, 2.0]


def test_a_hole_breaks_the_line():
    times = np.concatenate([clock(5), clock(5, NOON + 100)])
    trace = one(np.arange(10.0), clock_s=times)
    assert trace["y"] == [0, 1, 2, 3, 4, None, 5, 6, 7, 8, 9]


def test_a_look_that_came_a_little_late_does_not():
    assert None not in one(np.arange(6.0), clock_s=NOON + np.array([0, 1, 2, 5, 6, 7.0]))["y"]


def test_a_clock_that_is_set_back_breaks_the_line():
    times = NOON + np.array([0, 1, 2, 3, 1, 2, 3.0])
    trace = one(np.arange(7.0), clock_s=times)
    assert trace["y"][4] is None
    assert trace["x"][5:] == [NOON + 1, NOON + 2, NOON + 3]


def test_a_clock_that_jumps_all_the_time_is_not_drawn_over():
    trace = one(np.arange(30.0), clock_s=NOON + np.tile([5.0, 1.0], 15))
    assert trace["x"] == list(range(1, 31))


def test_midnight_is_crossed_and_marked():
    made = grid(build_timeline(clock(20, 86_390.0), 20), [("MiB", [Trace("a", np.ones(20))])], ALL)
    layout = made["panels"][0]["layout"]
    assert restored(made)[0][0]["x"][-1] == 86_409
    assert [shape["x0"] for shape in layout["shapes"]] == [86_400_000]
    assert layout["xaxis"]["tickformat"] == "%H:%M:%S"


def test_a_process_that_comes_and_goes_is_drawn_where_it_was():
    figures = np.full(40, NAN)
    figures[5:10] = 3.0
    figures[30:33] = 4.0
    trace = one(figures)
    assert [(x - NOON, y) for x, y in zip(trace["x"], trace["y"], strict=True) if y] == [
        *((at, 3.0) for at in range(5, 10)),
        *((at, 4.0) for at in range(30, 33)),
    ]
    assert trace["y"].count(None) == 1


def test_without_a_clock_looks_are_counted():
    trace = one([1.0, 2.0], clock_s=None)
    assert trace["x"] == [1, 2]


def test_time_counts_from_the_start_of_the_run_where_that_is_known():
    assert one([1.0, 2.0, 3.0], start_s=NOON + 1)["x"] == [-1, 0, 1]


def test_a_run_that_began_before_midnight_and_a_clock_after_it_still_meet():
    assert one([1.0, 2.0], clock_s=clock(2, 5.0), start_s=86_395.0)["x"] == [10, 11]


def test_captures_after_midnight_follow_those_before_it():
    assert list(join_clocks([clock(2, 86_390.0), clock(2, 10.0)])) == [86_390, 86_391, 86_410, 86_411]


FLOATS = st.floats(0, 1e9) | st.just(7.0)


@given(arrays(np.float64, st.integers(1, 400), elements=FLOATS), st.integers(20, 60))
def test_thinned_lines_keep_their_ends_and_their_peaks(figures, points):
    places = thin_values(figures, points)
    assert len(places) <= max(points, 8) and list(places) == sorted(set(places))
    assert places[0] == 0 and places[-1] == len(figures) - 1
    assert figures[places].max() == figures.max()


def test_what_stays_the_same_is_told_by_its_ends():
    figures = np.full(3600, 20.0)
    figures[1000:2000] = 30.0
    trace = one(figures)
    assert [x - NOON for x in trace["x"]] == [0, 999, 1000, 1999, 2000, 3599]


def test_a_zoomed_part_is_drawn_in_full_with_a_look_on_each_side():
    figures = np.random.default_rng(5).uniform(0, 100, 10_000)
    whole = one(figures, clock_s=clock(10_000), points=200)
    part = one(figures, clock_s=clock(10_000), points=200, low=NOON + 500, high=NOON + 600)
    assert len(whole["x"]) <= 200
    assert part["x"] == [NOON + at for at in range(499, 602)]


def test_a_part_between_two_looks_shows_both():
    trace = one([1.0, 2.0, 3.0], clock_s=clock(3, NOON, 60.0), low=NOON + 20, high=NOON + 30)
    assert set(trace["x"]) >= {NOON, NOON + 60}


def test_layers_are_stacked_at_the_same_times_and_fall_to_nothing_in_a_hole():
    times = np.concatenate([clock(3), clock(3, NOON + 100)])
    made = stack(build_timeline(times, 6), [Trace("a", np.ones(6)), Trace("b", np.full(6, 2.0))], "MiB", ALL)
    edges, a, b = restored(made)[0]
    assert a["x"] == b["x"] and a["stackgroup"] == b["stackgroup"] == edges["stackgroup"]
    assert edges["x"] == [NOON + 3, NOON + 99]
    assert edges["y"] == [0, 0]


def test_the_picture_shows_the_points_of_the_figure():
    values = [np.array([1.0, NAN, 3.0, 4.0]), np.array([2.0, 2.0, NAN, 1.0])]
    when = build_timeline(clock(4), 4)
    chart = describe(when, [("MiB", [Trace("a", values[0]), Trace("b", values[1])])], ALL)
    figure = restored(encode(chart, when, ALL))[0]
    lines = [mark for mark in chart.panels[0].marks if isinstance(mark, Line)]
    assert [line.name for line in lines] == [trace["name"] for trace in figure] == ["a", "b"]
    for line, trace in zip(lines, figure, strict=True):
        assert list(line.x) == trace["x"]
        assert [None if np.isnan(y) else y for y in line.y] == trace["y"]
    assert draw_inline(chart).count('<path class="l s') == 2


def test_layers_of_the_picture_add_up_to_those_of_the_figure():
    when = build_timeline(np.concatenate([clock(3), clock(3, NOON + 100)]), 6)
    layers = [Trace("a", np.arange(6.0)), Trace("b", np.array([2.0, NAN, 2.0, 2.0, 2.0, 2.0]))]
    chart = describe(when, [("MiB", layers)], ALL, stacked=True, total=True)
    areas = [mark for mark in chart.panels[0].marks if isinstance(mark, Band)]
    assert [(area.name, len(area.x)) for area in areas] == [("a", 3), ("b", 3), ("a", 3), ("b", 3)]
    assert list(areas[1].low) == [0, 1, 2] and list(areas[3].low) == [3, 4, 5]
    edges, a, b, total = restored(encode(chart, when, ALL))[0]
    assert a["y"] == [0, 1, 2, 3, 4, 5] and b["y"] == [2] * 5
    assert total["y"] == [2, 1, 4, None, 5, 6, 7]


def test_runs_have_their_names_in_the_picture_too():
    when = build_timeline(clock(100), 100)
    view = View(
        800, runs=[RunSpan("event, run 1", NOON + 10, NOON + 40), RunSpan("a narrow one", NOON + 50, NOON + 51)]
    )
    drawn = draw_inline(describe(when, [("MiB", [Trace("a", np.ones(100))])], view))
    assert ">event, run 1</text>" in drawn and ">2</text>" in drawn and "a narrow one" not in drawn


def test_layers_before_and_after_a_step_back_are_stacked_apart():
    times = NOON + np.array([0, 1, 2, 3, 1, 2, 3.0])
    made = stack(build_timeline(times, 7), [Trace("a", np.ones(7))], "MiB", ALL)
    assert len({trace["stackgroup"] for trace in restored(made)[0]}) == 2


def test_a_program_that_is_not_there_at_a_look_has_no_point_there():
    layer = [1.0, NAN, 3.0]
    made = stack(build_timeline(clock(3), 3), [Trace("a", np.ones(3)), Trace("b", np.array(layer))], "MiB", ALL)
    assert restored(made)[0][1]["x"] == [NOON, NOON + 2]


def test_small_multiples_have_the_same_scale():
    strands = [[Trace("a", np.array([1.0, 2.0]))], [Trace("b", np.array([10.0, 20.0]))]]
    panels = grid(build_timeline(clock(2), 2), [("MiB", traces) for traces in strands], ALL, shared=True)["panels"]
    assert panels[0]["layout"]["yaxis"]["range"] == panels[1]["layout"]["yaxis"]["range"] == [0, 20.0]


def test_no_panel_has_more_than_ten_lines():
    strands = [Trace(str(n), np.array([1.0, 2.0])) for n in range(30)]
    assert len(restored(grid(build_timeline(clock(2), 2), [("MiB", strands)], ALL))[0]) == 10


def bands_of(*runs: RunSpan, times=None):
    when = build_timeline(clock(100) if times is None else times, 100)
    made = grid(when, [("MiB", [Trace("a", np.ones(100))])], View(800, runs=runs))
    layout = made["panels"][0]["layout"]
    across = [shape for shape in layout["shapes"] if shape["y0"] == 0]
    return [(shape["x0"] / 1000, shape["x1"] / 1000) for shape in across], layout["annotations"]


def test_runs_are_marked_from_their_start_to_their_end():
    spans, words = bands_of(
        RunSpan("event, run 1", NOON + 10, NOON + 40), RunSpan("event, run 2", NOON + 50, NOON + 80)
    )
    assert spans == [(NOON + 10, NOON + 40), (NOON + 50, NOON + 80)]
    assert [word["text"] for word in words] == ["event, run 1", "event, run 2"]


def test_a_run_at_another_time_is_not_marked():
    assert bands_of(RunSpan("event, run 1", 1000.0, 1010.0))[0] == []


def test_a_run_is_found_on_the_day_that_the_monitor_ran_into():
    spans, _ = bands_of(RunSpan("a", 20.0, 30.0), times=clock(100, 86_390.0))
    assert (86_420, 86_430) in spans


def test_a_run_that_may_have_been_on_either_of_two_days_is_not_marked():
    spans, _ = bands_of(RunSpan("a", NOON + 10, NOON + 20), times=clock(100, NOON, 2000.0))
    assert all(start == end for start, end in spans)  # midnights only


def test_memory_is_split_as_its_monitor_told_it():
    told = {"mem_total_kb": np.array([1024.0 * 10]), "mem_free_kb": np.array([1024.0 * 3])}
    told["mem_buff_cache_kb"] = np.array([1024.0 * 2])
    assert [(one.name, one.values[0]) for one in make_memory_traces(told)] == [
        ("used by programs", 5.0),
        ("cached", 2.0),
        ("free", 3.0),
    ]


def test_kinds_of_cpu_time_that_never_came_are_left_out():
    told = {"cpu_us": np.array([50.0, NAN]), "cpu_ni": np.array([1.0, NAN]), "cpu_id": np.array([49.0, NAN])}
    told["cpu_wa"] = np.zeros(2)
    assert [(one.name, one.values[0]) for one in make_cpu_traces(told)] == [("user", 51.0), ("idle", 49.0)]


def test_lines_of_two_units_stand_in_two_panels():
    panels = [("load average", [Trace("load", np.array([1.0, 2.0]))]), ("MiB", [Trace("swap", np.array([5.0, 6.0]))])]
    made = grid(build_timeline(clock(2), 2), panels, ALL)
    assert [panel["layout"]["yaxis"]["title"]["text"] for panel in made["panels"]] == ["load average", "MiB"]


def test_the_same_can_be_had_as_rows():
    rows = to_rows(build_timeline(clock(2), 2), [Trace("a", np.array([1.0, NAN]))], points=200)
    assert rows == [("12:00:00", 1.0), ("12:00:01", None)]


def test_a_hundred_and_fifty_processes_stay_light():
    chance = np.random.default_rng(1)
    walks = [20 + np.cumsum(chance.integers(-3, 4, 3600)) * 4 / 1024 for _ in range(150)]
    pages = [[Trace(str(at), walk) for at, walk in enumerate(walks[first : first + 10])] for first in range(0, 150, 10)]
    made = grid(build_timeline(clock(3600), 3600), [("MiB", traces) for traces in pages], View(400))
    assert sum(len(panel) for panel in restored(made)) == 150
    assert len(orjson.dumps(made, option=orjson.OPT_SERIALIZE_NUMPY)) < 800_000
