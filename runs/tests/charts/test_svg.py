"""Charts as SVG: well-formed, told in words, harmless, and with something to say without data."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from xml.etree import ElementTree as ET

from hypothesis import example, given
from hypothesis import strategies as st

from runs.charts.bars import Bar, make_rate_chart
from runs.charts.curves import LatencyRun, make_latency_chart
from runs.charts.svg import draw_inline
from runs.charts.svg_file import DARK, LIGHT, draw_empty, draw_file

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).resolve().parents[3]
TAGS = (
    "svg",
    "title",
    "desc",
    "style",
    "rect",
    "path",
    "circle",
    "text",
    "tspan",
    "g",
    "line",
    "use",
    "defs",
    "pattern",
)
RATES = make_rate_chart(
    [Bar("worker", 0, (617.01, 878.81)), Bar("event", 1, (722.23, 887.55, 801.5), interval=(600.0, 1010.0))]
)


def read(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314  (our own)


def test_screen_readers_get_a_title_and_every_figure():
    picture = read(draw_file(RATES, "two MPMs"))
    title, desc = (picture.find(f"{SVG}{tag}") for tag in ("title", "desc"))
    assert title.text == "two MPMs: Which config serves more?"
    assert "event: 803.8 requests per second, 3 runs" in desc.text
    assert picture.get("aria-labelledby", "").split() == [title.get("id"), desc.get("id")]


def test_a_file_shows_what_the_page_shows():
    page, file = read(draw_inline(RATES)), read(draw_file(RATES, "two MPMs"))
    shown = ["".join(text.itertext()) for text in page.iter("text")]
    told = ["".join(text.itertext()) for text in file.iter(f"{SVG}text")]
    assert [words for words in shown if words not in told] == []
    assert {RATES.title, RATES.note, "two MPMs"} <= set(told)


def test_a_picture_without_data_says_why():
    assert "No run here printed percentiles" in draw_empty("latency", "nothing", "No run here printed percentiles.")


def test_the_colours_are_those_of_the_pages():
    css = (ROOT / "static/css/base.css").read_text()
    light, dark = css.split("prefers-color-scheme: dark", 1)
    for scheme, text in ((LIGHT, light), (DARK, dark)):
        for name, value in scheme.items():
            assert f"--{name}: {value};" in text, name


def test_room_beside_a_plot_has_a_rule_in_the_style_sheet():
    css = (ROOT / "static/css/data.css").read_text()
    assert re.findall(r"\.l12 {|\.r18 {", css) == [".l12 {", ".r18 {"]


@given(st.text(max_size=80), st.lists(st.floats(), max_size=5))
def test_any_name_and_any_value_make_a_well_formed_picture(name, values):
    chart = make_rate_chart([Bar(name, 3, tuple(values), label="A"), Bar(name, 1, (1.0,), failed=True, workload=name)])
    root = read(draw_file(chart, name))
    read(draw_inline(chart))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= set(TAGS)
    assert not re.search(r"nan|inf", " ".join(v for e in root.iter() for k, v in e.items() if k in ("d", "x", "y")))


@example({"50": 0.0, "90": 0.0})
@given(st.dictionaries(st.sampled_from(["50", "66", "90", "99", "99.9", "100"]), st.floats()))
def test_any_percentiles_make_a_well_formed_picture(values):
    others = [LatencyRun("y", 1, {"50": 3.0, "99": 90.0}, "B y")]
    for scale, more in product(("", "log", "linear"), ([], others)):
        if chart := make_latency_chart([LatencyRun("x", 0, values, "A x"), *more], scale):
            assert not re.search(r"nan|inf", "".join(re.findall(r' d="([^"]*)"', draw_file(chart, "any"))))
            read(draw_inline(chart))


def test_hostile_names_stay_words():
    hostile = '</title></svg><script>alert(1)</script><image href="//x"/>\x00'
    chart = make_rate_chart([Bar(hostile, 0, (1.0,))])
    for picture in (draw_file(chart, hostile), draw_inline(chart)):
        assert "<script" not in picture
        assert "<image" not in picture
