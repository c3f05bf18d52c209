"""Whatever the text: it is read to its end without a failure. runs/tests/test_fuzz.py tries mutated captures."""

from __future__ import annotations

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import parsers

from .reading import FIXTURES, decode, fixtures, holds, replace_part, text_of

TEXTS = [text_of(path) for path in fixtures() if path.stat().st_size < 12_000]


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    st.binary(max_size=400)
    | st.builds(
        lambda text, at, put: text.encode()[:at] + put,
        st.sampled_from(TEXTS),
        st.integers(0, 3000),
        st.binary(max_size=40),
    )
)
def test_any_bytes(data):
    try:
        text, encoding = decode(data)
    except parsers.NotText:
        return
    assert encoding
    holds(text.split("\n"))


def test_a_very_long_line_ends():
    holds(
        [
            "Requests per second: " + "9" * 10_000_000 + "\n",
            "a " * 5_000_000 + "\n",
            "(" * 200_000 + "\n",
            "#" * 300_000,
            "> " * 300_000,
        ]
    )


def test_long_lines_of_what_patterns_like():
    for piece in (
        " ",
        "\t",
        "> ",
        "- ",
        "1. ",
        "a:",
        "a@b:~",
        "[a@b ",
        "| ",
        "<b ",
        "&#39;",
        "0% ",
        "Mem: ",
        "ps ",
        "x-",
        ".",
        "~/ ",
    ):
        holds([piece * 30_000 + "\n", piece * 2_000 + "$ \n", piece * 2_000 + "Requests per second: 5 [#/sec]\n"])


REPORT = text_of(FIXTURES / "siege" / "siege_02_b_t.txt")
LISTING = text_of(FIXTURES / "free" / "free_01.txt")


@pytest.mark.parametrize("stamp", ["", "[pod/loader-7d9f/loader] "], ids=["alone", "log of a container"])
@pytest.mark.parametrize("part", ["parse", "records"])
def test_a_fault_in_one_format_is_a_problem_of_its_block_and_the_neighbours_are_kept(part, stamp, request, caplog):
    def fail(*args):
        if part == "parse":
            next(args[0])
        raise KeyError("made for this test")

    replace_part(request, "free", part, fail)
    n_before = REPORT.count("\n")
    with caplog.at_level(logging.ERROR):
        text = REPORT + "$ free\n" + LISTING + REPORT
        blocks = list(parsers.read([stamp + line for line in text.splitlines(keepends=True)]))
        results = [block.records for block in blocks]
    whole = next(iter(parsers.read(REPORT.splitlines(keepends=True)))).values
    assert blocks[0].values == blocks[-1].values == whole and results[0] and results[-1]
    failed = next(block for block in blocks if block.problems)
    assert failed.first >= n_before and failed.values == {} and failed.partial and not failed.records
    assert [problem.line for problem in failed.problems] == [failed.first]
    assert "could not be read, for a fault of the reader (KeyError)" in failed.problems[0].message
    assert "made for this test" in caplog.text and "Traceback" in caplog.text


def test_a_figure_that_is_none_is_a_problem_with_its_line_and_the_lines_behind_it_are_read(request):
    def fail(lines, command):
        list(lines)
        float("1.2.3")

    replace_part(request, "stub_status", "parse", fail)
    before, result = parsers.read((REPORT + "Active connections: 1234567\n" + REPORT).splitlines(keepends=True))
    assert before.values == result.values and not before.problems
    assert [problem.line for problem in result.problems] == [REPORT.count("\n") + 1]
    assert "could not convert string to float: '1.2.3'" in result.problems[0].message


def test_what_the_source_of_a_text_raises_is_not_taken_for_a_fault_of_a_format():
    def lines():
        yield from REPORT.splitlines(keepends=True)[:5]
        raise ValueError("the file is damaged")

    with pytest.raises(ValueError, match="the file is damaged"):
        list(parsers.read(lines()))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '{é\n"lscpu": [\n{\n"field": "CPU(s):",\n"data": "2"\n},{\n"field": "Vendor ID:",\n"data": "GenuineIntel"\n}]}',
            id="JSON that begins above the line that tells what it is",
        ),
        pytest.param(
            "| Metric | nginx |  |\n| --- | ---: | ---: |\n| Requests/sec | 76,837.89 | 12,345.6 |\n"
            "| Avg Latency | 1.74ms | 9.1ms |\n",
            id="a column without a title",
        ),
        pytest.param("gRunning 4s test @ p://1\nLatency", id="a report behind another program's output"),
    ],
)
def test_found_by_the_fuzzer(text):
    holds([f"{line}\n" for line in text.split("\n")])
