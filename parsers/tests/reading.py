"""Fixtures by name, and blocks in a shape that can be compared."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import parsers
from parsers import Block
from parsers.__main__ import as_json
from parsers.catalogue import formats
from parsers.decode import Text, name_encoding
from parsers.streams import MOST_BESIDE, find_cells, find_column, find_pane, find_stream
from parsers.transcript import clean

FIXTURES = Path(__file__).parent / "fixtures"
KINDS = frozenset(formats()) - {"config"}  # texts are no figures; runs.tests look at them
ENDS = {"processes": "process", "processors": "processor", "rows": "row"}


def fixtures(*folders: str) -> list[Path]:
    """The captures of some formats (of all without a name), by path."""
    found = FIXTURES.glob("*/*") if not folders else (p for f in folders for p in (FIXTURES / f).iterdir())
    return sorted(p for p in found if p.suffix != ".json" or p.with_suffix(".json.json").exists())


def captures() -> list[Path]:
    """The captures of every format that has some, without what only looks like one."""
    return fixtures(*sorted(folder.name for folder in FIXTURES.iterdir() if folder.name in KINDS))


def of_kinds(paths: Iterable[Path]) -> list[list[Path]]:
    """The captures of each format, for a test that takes too little time to be one for each capture."""
    return [list(found) for _, found in groupby(sorted(paths), key=lambda path: path.parent.name)]


def kind_of(paths: object) -> str:
    return paths[0].parent.name if isinstance(paths, list) else str(paths)


def name(path: object) -> str:
    return f"{path.parent.name}/{path.stem}" if isinstance(path, Path) else str(path)


def decode(data: bytes) -> tuple[str, str]:
    """(text with plain line feeds, name of its encoding). Undecodable bytes become U+FFFD. Raises NotText."""
    encoding = name_encoding(data)
    text = data.decode(encoding, errors="replace").replace("\r\n", "\n")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    return text, encoding


def text_of(path: Path) -> str:
    return decode(path.read_bytes())[0]


def expected(path: Path) -> list[dict[str, Any]]:
    found = json.loads(path.with_suffix(".json").read_text())
    assert isinstance(found, list)
    return [block for block in found if block["kind"] in KINDS]


def blocks(text: str | Iterable[str]) -> list[Block]:
    """The blocks of our kinds in a text."""
    lines = split_lines(text) if isinstance(text, str) else text
    return [block for block in parsers.read(lines) if block.kind in KINDS]


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends, which are line feeds alone; the last one may have none."""
    return list(io.StringIO(text, newline="\n"))


def plain(block: Block) -> dict[str, Any]:
    """A block's values with lists for tables, as JSON has them."""
    return {k: [dict(row) for row in v] if k in ENDS else v for k, v in block.values.items()}


def with_ends(block: Block) -> dict[str, Any]:
    """A block's values as the expected files have them: the first and the last of each list, the command, partial."""
    values = plain(block) | {"command": block.command, "partial": block.partial}
    for many, one in ENDS.items():
        if values.get(many):
            values |= {f"first_{one}": values[many][0], f"last_{one}": values[many][-1]}
    if rows := values.get("rows"):
        values["sum"] = {
            k: sum(row.get(k, 0) for row in rows) for k, v in rows[0].items() if isinstance(v, int | float)
        }
    return values


def agrees(wanted: Any, found: Any) -> bool:
    """Whether `found` has what is wanted (and maybe more keys), numbers to 1e-6."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(k in found and agrees(v, found[k]) for k, v in wanted.items())
    if isinstance(wanted, list):
        return isinstance(found, list) and len(wanted) == len(found) and all(map(agrees, wanted, found))
    if isinstance(wanted, int | float) and isinstance(found, int | float) and not isinstance(wanted, bool):
        return math.isclose(wanted, found, rel_tol=1e-6, abs_tol=1e-9)
    return bool(wanted == found)


DERIVED = frozenset(["n_rows", "n_processes", "n_processors", "n_physical", "sum_rss_kb", "sum_res_kb", "columns"])
# What is counted over the rows of a file of requests (its values have n_requests): of the rows that are there.
COUNTED = frozenset(["n_requests", "ctime_ms", "dtime_ms", "ttime_ms", "wait_ms", "sum_ttime_ms", "response_time_s"])
COUNTED |= {"first_epoch_s", "last_epoch_s", "first_starttime", "last_offset_s", "last_answer_s", "status_codes"}
COUNTED |= {"elapsed_ms", "n_failed", "total_bytes", "most_threads", "labels"}
COUNTED |= {"percentiles_s", "percentiles_ms", "spectrum_ms", "latency_counts", "by_second"}


def excess(part: Any, whole: Any, where: str = "") -> list[str]:
    """What a cut text claims beyond the whole one: other numbers, other texts (a beginning of the same is no claim)."""
    if part == whole:
        return []
    if isinstance(part, dict) and "n_dumps" in part:
        return []  # totals so far, of which more lines make others
    if isinstance(part, dict) and isinstance(whole, dict):
        derived = DERIVED | COUNTED if "n_requests" in part else DERIVED
        keys = [k for k in part if k not in derived]
        return [e for k in keys for e in excess(part[k], whole.get(k), f"{where}.{k}")]
    if isinstance(part, list) and isinstance(whole, list) and len(part) <= len(whole):
        return [e for i, one in enumerate(part) for e in excess(one, whole[i], f"{where}[{i}]")]
    if isinstance(part, str) and isinstance(whole, str) and " ".join(whole.split()).startswith(" ".join(part.split())):
        return []
    return [f"{where}: {part!r} instead of {whole!r}"]


def are_beside(lines: list[str], before: Block, block: Block) -> bool:
    """Whether two blocks may stand side by side: both begin at or below a line of two terminals, as far as these are read, or
    in the log of several containers, or they are what a diff has before and after."""
    highest = max(0, before.last - MOST_BESIDE - 1)
    both = [clean(lines[one.first - 1]) for one in (before, block)]
    first, last = min(before.first, block.first), max(before.last, block.last)
    signs = {clean(line)[:1] for line in lines[first - 1 : last]}
    return (
        all(map(find_stream, both))
        or signs >= {"+", "-"}
        or any(
            find_column(bare := clean(line)) or find_pane(bare) or find_cells(bare) or bare.startswith("@@ -")
            for line in lines[highest : min(before.first, block.first)]
        )
    )


def holds(lines: list[str], *, complete: bool = False) -> None:
    """Read them, and check what holds for any text, be it known to be complete or not."""
    before: Block | None = None
    for block in parsers.read(Text(lines) if complete else lines):
        assert 0 < block.first <= block.last <= len(lines), "outside of the text"
        if before is not None and before.last >= block.first:
            is_labelled = before.last == block.first and block.label is not None
            assert is_labelled or are_beside(lines, before, block), "overlap"
        before = block
        assert all(1 <= problem.line <= len(lines) for problem in block.problems), "a problem outside of the text"
        # 0: the name of a container, which counts as right above its first line
        assert all(0 <= line < block.first for line, _ in block.trail), "a trail below its block"
        assert block.command_line is None or block.command_line <= block.first, "a command below its block"
        assert block.records is not None
        json.dumps(json.loads(as_json(block, "x")), allow_nan=False)


def replace_part(request: pytest.FixtureRequest, kind: str, part: str, function: Callable[..., Any]) -> None:
    """Until the end of the test, a function of a format is this one; in place, as the reader remembers the formats of lines."""
    form = formats()[kind]
    request.addfinalizer(partial(object.__setattr__, form, part, getattr(form, part)))
    object.__setattr__(form, part, function)


def finding(blocks: Iterable[Block]) -> list[tuple[str, dict[str, Any]]]:
    return [(b.kind, plain(b)) for b in blocks]
