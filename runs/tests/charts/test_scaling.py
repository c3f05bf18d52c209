"""The picture of a sweep: two panels over one axis, the law with its band, its peak."""

from __future__ import annotations

import json
import math

from runs.charts import MOST_LINES, color
from runs.charts.curves import Curve, Dot, scaling_figure

DOTS = tuple(Dot(n, 100.0 * n, 5.0 + n) for n in (1, 2, 2, 4, 8))
BAND = ((1.0, 100.0, 90.0, 110.0), (8.0, 780.0, 700.0, 860.0))


def traces(made, **wanted):
    return [trace for trace in made["data"] if all(trace.get(key) == value for key, value in wanted.items())]


def test_every_repeat_is_a_dot_in_both_panels():
    made = scaling_figure([Curve("worker", 0, DOTS)])
    rates, times = traces(made, mode="markers")
    assert (rates["x"], rates["yaxis"]) == ([1, 2, 2, 4, 8], "y")
    assert (times["y"], times["yaxis"]) == ([6, 7, 7, 9, 13], "y2")


def test_the_panels_stand_one_over_the_other_on_one_axis_from_zero():
    parts = scaling_figure([Curve("worker", 0, DOTS)])["layout"]
    assert parts["yaxis2"]["domain"][1] < parts["yaxis"]["domain"][0]
    assert [name for name in parts if name.startswith("xaxis")] == ["xaxis"]
    assert parts["yaxis"]["rangemode"] == parts["yaxis2"]["rangemode"] == "tozero"


def test_latency_goes_through_the_mean_of_each_level():
    dots = (Dot(1, 10.0, 4.0), Dot(1, 10.0, 6.0), Dot(2, 20.0, 9.0))
    line = traces(scaling_figure([Curve("worker", 0, dots)]), mode="lines", yaxis="y2")[0]
    assert (line["x"], line["y"]) == ([1, 2], [5.0, 9.0])


def test_the_law_is_drawn_with_its_band_in_the_configs_colour():
    made = scaling_figure([Curve("worker", 3, DOTS, BAND)])
    (band,) = traces(made, fill="toself")
    assert band["x"] == [1.0, 8.0, 8.0, 1.0]
    assert band["y"] == [90.0, 700.0, 860.0, 110.0]
    assert band["fillcolor"] == color(3)


def test_the_peak_is_marked_with_how_far_it_may_be_off():
    parts = scaling_figure([Curve("worker", 0, DOTS, BAND, peak=(4.0, 3.0, 6.0))])["layout"]
    span, line = parts["shapes"]
    assert (span["x0"], span["x1"], line["x0"]) == (3.0, 6.0, 4.0)
    assert parts["annotations"][0]["text"] == "peak at 4 (3 to 6)"


def test_levels_far_apart_stand_on_a_log_axis_and_so_does_the_peaks_name():
    dots = tuple(Dot(n, 1.0, 1.0) for n in (1, 10, 100))
    parts = scaling_figure([Curve("worker", 0, dots, peak=(10.0, 5.0, 20.0))])["layout"]
    assert parts["xaxis"]["type"] == "log"
    assert parts["annotations"][0]["x"] == math.log10(10)


def test_without_latency_there_is_one_panel():
    parts = scaling_figure([Curve("worker", 0, tuple(Dot(n, 1.0) for n in (1, 2)))])["layout"]
    assert "yaxis2" not in parts
    assert parts["yaxis"]["domain"] == [0, 1]


def test_several_sweeps_have_a_legend_with_one_entry_each():
    made = scaling_figure([Curve(name, at, DOTS, BAND) for at, name in enumerate(("event", "worker"))])
    assert [trace["name"] for trace in traces(made, showlegend=True)] == ["event", "worker"]
    assert made["layout"]["showlegend"]


def test_at_most_ten_sweeps_are_drawn():
    made = scaling_figure([Curve(f"c{at}", at, DOTS) for at in range(14)])
    assert len(traces(made, showlegend=True)) == MOST_LINES


def test_a_sweep_without_dots_is_no_trace_and_no_traceback():
    assert scaling_figure([Curve("worker", 0, ())])["data"] == []


def test_it_is_json():
    json.dumps(scaling_figure([Curve("worker", 0, DOTS, BAND, (4.0, 3.0, 6.0))]), allow_nan=False)
