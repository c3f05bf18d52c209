"""A capture reads the same however a page, a mail or a terminal wrapped it: the same values, and the lines where they are."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from parsers import Block

from . import mangle
from .mangle import Mangler
from .reading import FIXTURES, blocks, captures, excess, name, plain, text_of

CAPTURES = captures()
# Lines of hundreds of columns and logs of programs, which nobody mails: a line that a mail client broke is not put together.
TOO_WIDE = ("gc_log", "gc_threads", "limit_log", "net_dev", "perf_stat", "proc_net", "wait_channels")
PLAIN = [path for path in CAPTURES if path.suffix != ".html"]
PRINTED = [path for path in PLAIN if path.parent.name != "rate_prose"]  # a sentence is read in a line of its own alone


def squeezed(value: Any) -> Any:
    """Blanks in a text do not count: breaking a line takes some away."""
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, dict):
        return {k: squeezed(v) for k, v in value.items()}
    return [squeezed(v) for v in value] if isinstance(value, list) else value


@cache
def unmangled(path: Path) -> tuple[list[str], list[Block]]:
    """Its lines and blocks: each text is mangled in many ways."""
    text = text_of(path)
    return text.removesuffix("\n").split("\n"), blocks(text)


def reads_the_same(path: Path, mangler: Mangler) -> None:
    lines, before = unmangled(path)
    mangled = mangler(lines)
    after = blocks(mangled.text)
    assert [(b.kind, b.lines) for b in after] == [(b.kind, mangled.where(b.first, b.last)) for b in before]
    for block, other in zip(before, after, strict=True):
        assert squeezed(plain(other)) == squeezed(plain(block))
        assert (other.partial, bool(other.problems)) == (block.partial, bool(block.problems))


@pytest.mark.parametrize("how", mangle.QUOTED)
def test_quoted(how):
    for path in PLAIN if how.startswith("blank line") else CAPTURES:
        reads_the_same(path, mangle.QUOTED[how])


@pytest.mark.parametrize("how", mangle.MARKUP | mangle.BYTES)
def test_markup_and_odd_bytes(how):
    for path in PLAIN:
        reads_the_same(path, (mangle.MARKUP | mangle.BYTES)[how])


@pytest.mark.parametrize("how", mangle.LOGS)
def test_in_a_log(how):
    for path in PRINTED:
        reads_the_same(path, mangle.LOGS[how])


@pytest.mark.parametrize("how", mangle.GUTTERS)
def test_behind_a_gutter(how):
    """Three lines make one: what is shorter may be anything."""
    kinds = ("ab", "siege", "wrk", "h2load", "top", "ps", "free", "vmstat", "meminfo", "cpuinfo", "lscpu", "pgbench")
    for path in [path for path in PLAIN if path.stem in {f"{kind}_01" for kind in kinds}]:
        reads_the_same(path, mangle.GUTTERS[how])


def test_prompts_and_labels_are_no_gutters():
    prompts = "".join(f"web1:~ > {command}\n" for command in ("ab -n 10 -c 1 http://a/", "free -m", "exit"))
    assert blocks(prompts) == []
    labelled = "nginx: Requests per second:    12.50 [#/sec] (mean)\n" * 3
    assert {block.label for block in blocks(labelled)} == {"nginx:"}


@pytest.mark.parametrize("how", mangle.AROUND)
def test_what_stands_right_beside_it(how):
    for path in CAPTURES:
        reads_the_same(path, mangle.AROUND[how])


@pytest.mark.parametrize("how", mangle.WRAPPED)
def test_wrapped_by_a_mail_client(how):
    for path in PRINTED:
        if path.parent.name not in TOO_WIDE:
            reads_the_same(path, mangle.WRAPPED[how])


@pytest.mark.parametrize("sign", ["...", "[...]", "... 略", "[snip]", "（中略）", "  :"])
@pytest.mark.parametrize("path", [FIXTURES / "ab" / "ab_01_plain.txt", FIXTURES / "top" / "top_01_n1.txt"], ids=name)
def test_lines_left_out(path, sign):
    """Of a report or a table that goes on behind "...", everything that is there is one block."""
    lines = text_of(path).split("\n")
    (whole,) = blocks("\n".join(lines))
    for at in (*range(3, 5), *range(20, whole.last - 8, 9)):
        (part,) = blocks("\n".join([*lines[:at], sign, *lines[at + 3 :]]))
        assert (part.first, part.last) == (whole.first, whole.last - 2)
        assert not excess({k: v for k, v in plain(part).items() if k != "processes"}, plain(whole))


@pytest.mark.parametrize("remark", ["  <-- slow!", "  # hm", "   ← here", "\t// why"])
def test_remarks_behind_figures(remark):
    text = text_of(FIXTURES / "ab" / "ab_01_plain.txt")
    (whole,) = blocks(text)
    for label in ("Requests per second", "Failed requests", "Document Path", "Total:", "  50%"):
        line = next(row for row in text.split("\n") if row.startswith(label))
        (block,) = blocks(text.replace(line, line + remark))
        assert (block.lines, plain(block)) == (whole.lines, plain(whole))


@pytest.mark.parametrize("remark", ["  <-- slow!", "  # hm", "   ← here", "\t// why"])
def test_remarks_behind_figures_of_json(remark):
    text = text_of(FIXTURES / "siege" / "siege_04_json.txt")
    (whole,) = blocks(text)
    for label in ("transaction_rate", "failed_transactions", "shortest_transaction"):
        line = next(row for row in text.split("\n") if f'"{label}"' in row)
        (block,) = blocks(text.replace(line, line + remark))
        assert (block.lines, plain(block)) == (whole.lines, plain(whole))


def test_lines_that_siege_writes_to_the_terminal_within_its_json():
    """Standard error is not held back as standard output is."""
    error = "[error] socket: unable to connect sock.c:282: Connection refused"
    lines = text_of(FIXTURES / "siege" / "siege_10_json_refused.txt").split("\n")
    (whole,) = blocks("\n".join(lines))
    above = lines.index(error)
    inside = [line for line in lines if line != error]
    for at in range(above + 2, whole.last - 10):
        (block,) = blocks("\n".join([*inside[:at], error, error, *inside[at:]]))
        assert plain(block) == plain(whole)


def test_json_that_breaks_off_takes_no_other_siege_s_command():
    lines = text_of(FIXTURES / "siege" / "siege_04_json.txt").split("\n")
    found = blocks("\n".join([*lines[:7], *lines]))
    assert [block.command for block in found] == [lines[0].removeprefix("$ ")] * 2
