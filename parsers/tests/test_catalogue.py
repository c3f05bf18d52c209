"""What the rest of the project asks of the formats: load tools and monitors by name, and what a tool means by its figures."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from parsers import catalogue
from parsers.catalogue import (
    get_semantics,
    has_cpu_now,
    has_one_thread,
    is_monitor,
    lists_all_processes,
    makes_load,
    shows_memory_only,
)
from parsers.reader import compile_plain_lines
from parsers.records import Semantics

from .reading import captures, fixtures, text_of


@pytest.mark.parametrize(
    "program",
    ["ab", "siege", "wrk", "wrk2", "hey", "h2load", "k6", "vegeta", "oha", "autocannon", "bombardier", "pgbench"],
)
def test_a_tool_whose_reports_are_read_makes_load(program):
    assert makes_load(program)


@pytest.mark.parametrize("program", ["nginx", "httpd", "top", "ps", "mysqld", "grab", "java", "php-fpm", ""])
def test_servers_and_monitors_make_none(program):
    assert not makes_load(program)


@pytest.mark.parametrize(("program", "one"), [("ab", True), ("weighttp", True), ("wrk", False), ("nginx", False)])
def test_programs_that_can_use_one_core_only_are_known(program, one):
    assert has_one_thread(program) is one


@pytest.mark.parametrize(("program", "monitors"), [("top", True), ("sadc", True), ("ab", False), ("nginx", False)])
def test_monitors_are_known_by_the_names_of_their_programs(program, monitors):
    assert is_monitor(program) is monitors


def test_only_a_screen_may_have_no_room_for_all_processes():
    assert not lists_all_processes("top")
    assert lists_all_processes("ps")


def test_some_formats_have_the_cpu_time_of_processes_in_their_own_interval():
    """That of ps, and of top's first screen, is a mean since the process was started."""
    assert [kind for kind in ("ps", "top", "pidstat", "docker_stats") if has_cpu_now(kind)] == [
        "pidstat",
        "docker_stats",
    ]


def test_some_formats_show_memory_only():
    assert [kind for kind in ("free", "meminfo", "top", "vmstat", "ab") if shows_memory_only(kind)] == [
        "free",
        "meminfo",
    ]


def test_semantics_are_those_that_the_tools_format_declares():
    assert get_semantics("siege").concurrency == "measured"
    assert get_semantics("nobody's tool") == Semantics()


def test_a_format_that_makes_load_results_must_declare_what_they_mean(monkeypatch):
    module = SimpleNamespace(KIND="new", OPENS="x", parse=None, records=None, LoadResult=None)
    monkeypatch.setattr(catalogue, "import_module", lambda name, package: module)
    with pytest.raises(TypeError, match="neither SEMANTICS nor TOOL"):
        catalogue._load("new")


def test_the_formats_that_a_line_opens_are_found_by_one_pattern_of_all():
    """All patterns are held against each shape of a line in the captures, as printed and behind other signs."""
    every = [(form.kind, form.needs, re.compile(form.opens)) for form in catalogue.formats().values() if form.opens]
    lines = {
        re.sub(r"\d", "1", line).lstrip(): line.lstrip()
        for path in captures()
        for line in text_of(path).split("\n")[:200]
    }
    for line in (front + line for line in lines.values() if 0 < len(line) < 300 for front in ("", " ", "é")):
        wanted = [
            kind
            for kind, needs, opens in every
            if opens.match(line) and (not needs or any(need in line.lower() for need in needs))
        ]
        assert sorted(catalogue.find_kinds(line)) == wanted, line
    assert catalogue.find_kinds("") == ()


def test_no_line_with_which_an_output_begins_is_one_of_those_that_begin_nothing():
    plain = compile_plain_lines()
    lines = {
        line for path in fixtures() for line in text_of(path).split("\n")[:200] if line.strip() and len(line) < 300
    }
    begin = [line for line in sorted(lines) if catalogue.find_opening(f"{line}\n") or catalogue.find_opening(line)]
    assert len(begin) > 1_000
    assert [line for line in begin if plain.match(f"{line}\nand another\n")] == []
