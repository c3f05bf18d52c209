"""Figures are plain dicts: what is drawn, from where, in which colour."""

from __future__ import annotations

import json

from runs.charts import N_COLORS, bars, color, curves, short, symbol
from runs.charts.bars import Bar
from runs.charts.description import Bars, Dots

BARS = [Bar("event", 0, (617.01, 878.81), ("one", "two")), Bar("worker", 1, (722.23,))]


def test_bars_start_at_zero_and_every_repeat_is_a_dot():
    (panel,) = bars.rate_chart(BARS).panels
    dots = [mark for mark in panel.marks if isinstance(mark, Dots)]
    lengths = [(mark.low, mark.high) for mark in panel.marks if isinstance(mark, Bars)]
    assert panel.x.low == 0
    assert lengths == [((0,), (BARS[0].mean,)), ((0,), (722.23,))]
    assert [mark.x for mark in dots] == [(617.01, 878.81), (722.23,)]


def test_a_config_keeps_its_colour_in_every_figure():
    line = curves.latency_figure([curves.Line("worker", 1, 1, {"50": 1, "90": 2})])["data"][0]["line"]["color"]
    box = bars.process_figure([bars.Sizes("worker", 1, "httpd", (12.0,))])["data"][0]["marker"]["color"]
    assert line == box == color(1)


def test_colours_that_come_round_again_come_with_another_symbol():
    pairs = {(color(place), symbol(place)) for place in range(N_COLORS * 8)}
    assert len(pairs) == N_COLORS * 8


def test_percentiles_stand_at_one_over_what_is_left():
    assert [curves.position(p) for p in (50, 90, 99, 99.9)] == [2, 10, 100, 1000]


def test_the_longest_request_stands_where_one_is_left():
    line = curves.Line("event", 0, 1, {"50": 35, "99": 1032, "100": 4612}, n=1_000_000)
    assert curves.points(line)[-1][:2] == (1_000_000, 4612)
    assert curves.points(curves.Line("event", 0, 1, {"50": 35, "100": 4612}))[-1][:2] == (2, 35)


def test_few_requests_do_not_put_the_longest_before_the_percentiles():
    line = curves.Line("event", 0, 1, {"99": 10, "100": 12}, n=50)
    assert [y for _, y, _ in curves.points(line)] == [10]


def test_the_log_axis_leaves_out_nought_and_the_linear_one_begins_there():
    lines = [curves.Line("event", 0, 1, {"50": 0, "90": 2})]
    assert curves.latency_figure(lines, "log")["data"][0]["y"] == [None, 2]
    linear = curves.latency_figure(lines)
    assert linear["data"][0]["y"] == [0, 2]
    assert linear["layout"]["yaxis"]["rangemode"] == "tozero"


def test_a_far_tail_asks_for_the_log_axis():
    assert curves.uses_log_axis([curves.Line("a", 0, 1, {"50": 1, "90": 1, "100": 8588})])
    assert not curves.uses_log_axis([curves.Line("a", 0, 1, {"50": 73, "90": 240, "100": 900})])


def test_more_than_ten_lines_become_small_multiples_with_one_scale():
    lines = [curves.Line(f"c{n % 4}", n % 4, 1, {"50": 1, "90": 2}, config=f"c{n % 4}") for n in range(12)]
    made = curves.latency_figure(lines)
    assert {trace["yaxis"] for trace in made["data"]} == {"y", "y2", "y3", "y4"}
    assert made["layout"]["yaxis3"]["matches"] == "y"
    assert [note["text"] for note in made["layout"]["annotations"]] == ["c0", "c1", "c2", "c3"]


def test_a_panel_of_too_many_runs_shows_ten_and_says_so():
    lines = [curves.Line("c", 0, n, {"50": 1, "90": 2}, config="c") for n in range(1, 287)]
    made = curves.latency_figure(lines)
    assert len(made["data"]) == 10
    assert made["layout"]["annotations"][0]["text"] == "c (10 of 286 runs)"


def test_a_strip_of_many_processes_is_thinned_and_keeps_its_ends():
    made = bars.process_figure([bars.Sizes("a", 0, "httpd", tuple(float(n) for n in range(1000)))])
    dots = made["data"][0]["x"]
    assert (len(dots), dots[0], dots[-1]) == (bars.MOST_DOTS, 0, 999)


def test_stacks_leave_out_parts_that_nobody_tells():
    made = bars.stack_figure([bars.Stack("a", "before", {"used": 300.0, "free": 400.0})], bars.MEMORY, "MiB")
    assert [trace["name"] for trace in made["data"]] == ["used by programs", "free"]
    assert made["layout"]["barmode"] == "stack"


def test_the_card_picture_is_to_one_scale_and_says_what_it_leaves_out():
    drawn = bars.spark([Bar(f"c{n}", n, (10.0 * (n + 1),)) for n in range(8)])
    assert (len(drawn.bars), drawn.left_out) == (bars.MOST_SPARK_BARS, 2)
    assert drawn.bars[0].dots[0] < drawn.bars[5].dots[0] <= bars.SPARK_WIDTH
    assert bars.spark([]) is None


def test_long_names_keep_both_ends():
    assert short("ApplicationGroup and WSGIImportScript, set 3").endswith("set 3")
    assert len(short("x" * 100)) == 28


def test_every_figure_is_plain_json():
    made = [
        bars.stack_figure([bars.Stack("a", "during", {"us": 70.0, "id": 30.0})], bars.CPU, "%"),
    ]
    assert json.loads(json.dumps(made)) == made
