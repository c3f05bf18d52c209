"""Pictures drawn without a browser: well-formed, told in words, harmless, and with something to say without data."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.charts.bars import Bar
from runs.charts.curves import Line
from runs.charts.old_svg import DARK, LIGHT, draw_bars, draw_percentiles

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).resolve().parents[3]
PERCENTILES = {"50": 35.0, "90": 49.0, "99": 1032.0, "100": 4612.0}
TWO = [Bar("worker", 0, (617.01, 878.81)), Bar("event", 1, (722.23, 887.55, 801.5), interval=(600.0, 1010.0))]


def read(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314  (our own)


def words(picture: str) -> str:
    return " ".join(element.text or "" for element in read(picture).iter(f"{SVG}text"))


def test_a_bar_tells_its_mean_and_its_n():
    assert "747.9 (n=2)" in words(draw_bars(TWO, "two"))
    assert "803.8 (n=3)" in words(draw_bars(TWO, "two"))


def test_a_figure_is_written_as_in_the_table():
    picture = words(draw_bars([Bar("a", 0, (11064.69,)), Bar("b", 1, (8.96,))], "figures"))
    assert "11065 (n=1)" in picture
    assert "8.96 (n=1)" in picture


def test_every_repeat_is_a_dot():
    picture = draw_bars([Bar("worker", 0, (1.0, 2.0, 3.0))], "dots")
    circles = [float(found.get("cx", "")) for found in read(picture).iter(f"{SVG}circle")]
    assert len(set(circles[1:])) == 3  # the first marks the name


def test_bars_are_as_long_as_their_means():
    shapes = read(draw_bars([Bar("a", 0, (100.0,)), Bar("b", 1, (50.0,))], "lengths")).iter(f"{SVG}rect")
    widths = [float(found.get("width", "")) for found in shapes if found.get("opacity")]
    assert widths[0] == pytest.approx(2 * widths[1], abs=0.1)


def test_an_interval_is_a_whisker_and_is_named():
    assert "95 % interval" in words(draw_bars(TWO, "two"))
    assert "95 % interval" not in words(draw_bars(TWO[:1], "one"))


def test_an_interval_far_beyond_the_values_does_not_press_the_bars_flat():
    wide = [Bar("a", 0, (100.0, 110.0, 120.0), interval=(-1e9, 1e9))]
    shapes = [found for found in read(draw_bars(wide, "wide")).iter(f"{SVG}rect") if found.get("opacity")]
    assert float(shapes[0].get("width", "")) > 200


def test_a_bar_that_does_not_count_says_so_and_is_hollow():
    picture = draw_bars([TWO[0], replace(TWO[1], counted=False)], "two")
    assert "not counted: event" in words(picture)
    assert "n=3, not counted" in read(picture).find(f"{SVG}desc").text
    hollow = [found for found in read(picture).iter(f"{SVG}rect") if found.get("stroke-dasharray")]
    assert [found.get("fill") for found in hollow] == ["none"]


def test_screen_readers_get_a_title_and_every_figure():
    picture = read(draw_bars(TWO, "two MPMs"))
    assert picture.find(f"{SVG}title").text == "two MPMs: requests per second"
    assert "event: 803.8 requests per second, n=3" in picture.find(f"{SVG}desc").text
    named = picture.get("aria-labelledby", "").split()
    assert named == [picture.find(f"{SVG}title").get("id"), picture.find(f"{SVG}desc").get("id")]
    latency = read(draw_percentiles([Line("event", 0, 1, PERCENTILES, 1000)], "latency"))
    assert "99 % within 1032 ms" in latency.find(f"{SVG}desc").text


def test_a_picture_without_data_says_why():
    assert "No run here says how many requests" in words(draw_bars([], "nothing"))
    assert "No run here says how many requests" in words(draw_bars([Bar("a", 0, (float("nan"),))], "nothing"))
    assert "No run here printed percentiles" in words(draw_percentiles([], "nothing"))


def test_a_wide_spread_gets_a_log_axis_unless_asked_otherwise():
    line = Line("event", 0, 1, {"50": 1.0, "80": 1.0, "90": 2.0, "99": 8588.0}, 1000)
    assert "log scale" in words(draw_percentiles([line], "latency"))
    assert "log scale" not in words(draw_percentiles([line], "latency", scale="linear"))


def test_more_than_ten_lines_are_cut_and_every_config_stays():
    lines = [Line(f"config {n}", n, repeat, PERCENTILES, 10) for n in range(5) for repeat in range(1, 5)]
    told = words(draw_percentiles(lines, "many"))
    assert all(f"config {n}" in told for n in range(5))
    assert "10 more runs are not drawn" in told


def test_bars_beyond_forty_are_said_to_be_left_out():
    picture = draw_bars([Bar(f"c{n}", n, (1.0,)) for n in range(50)], "many")
    assert "10 more are not drawn" in words(picture)


def test_the_colours_are_those_of_the_pages():
    css = (ROOT / "static/css/base.css").read_text()
    light, dark = css.split("prefers-color-scheme: dark", 1)
    for scheme, text in ((LIGHT, light), (DARK, dark)):
        for name, value in scheme.items():
            assert f"--{name}: {value};" in text, name


@given(st.text(max_size=80), st.lists(st.floats(), max_size=5))
def test_any_name_and_any_value_make_a_well_formed_picture(name, values):
    for picture in (
        draw_bars([Bar(name, 3, tuple(values))], name),
        draw_percentiles([Line(name, 3, 1, PERCENTILES, 9)], name),
    ):
        root = read(picture)
        assert {element.tag for element in root.iter()} <= {
            SVG + tag for tag in ("svg", "title", "desc", "style", "rect", "path", "circle", "text")
        }
        assert not re.search(r"nan|inf", " ".join(value for e in root.iter() for key, value in e.items() if key == "d"))


@given(st.dictionaries(st.sampled_from(["50", "66", "90", "99", "99.9", "100"]), st.floats()), st.integers(0, 10**9))
def test_any_percentiles_make_a_well_formed_picture(values, n):
    for scale in ("", "log", "linear"):
        read(draw_percentiles([Line("x", 0, 1, values, n)], "any", scale=scale))


def test_hostile_names_stay_words():
    hostile = '</title></svg><script>alert(1)</script><image href="//x"/>\x00'
    picture = draw_bars([Bar(hostile, 0, (1.0,))], hostile)
    assert "<script" not in picture
    assert "<image" not in picture
    assert not list(read(picture).iter(f"{SVG}script"))
