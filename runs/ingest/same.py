"""Which blocks say the same thing again: a teaser and the full report, a text and its translation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from parsers import Block, LoadResult, SystemSample
from parsers.records import Record
from parsers.tables import Table

from .screens import Folded

_ASIDE = frozenset({"iteration", "processes", "n_processes", "sum_res_kb", "sum_rss_kb", "n_rows", "warnings"})
_MOST = 50  # what more blocks than this have in common is no sign
_WHOLE = 8  # figures from which on a report is no mere quotation


def loads_again(blocks: Sequence[Block], looks: Sequence[list[Record]], loads: Iterable[int]) -> dict[int, int]:
    """{index of a block that repeats figures: index of the block whose figures they are}, for load tests."""
    by_rate: dict[tuple[str, float], list[int]] = {}
    for index in loads:
        result = next((r for r in looks[index] if isinstance(r, LoadResult)), None)
        if result and result.requests_per_second and blocks[index].kind != "siege_log":
            by_rate.setdefault((result.tool, result.requests_per_second), []).append(index)
    return _quotes(blocks, by_rate.values(), _load_repeats)


def monitors_again(blocks: Sequence[Block], looks: Sequence[list[Record]], monitors: Iterable[int]) -> dict[int, int]:
    """The same for monitors: the same screen or listing shown twice, whole or in part."""
    by_sign: dict[object, list[int]] = {}
    for index in monitors:
        for sign in dict.fromkeys(_signs(blocks[index], looks[index])):
            by_sign.setdefault((blocks[index].kind, sign), []).append(index)
    return _quotes(blocks, by_sign.values(), _monitor_repeats)


def _quotes(
    blocks: Sequence[Block], alike: Iterable[list[int]], repeats: Callable[[Block, Block], bool]
) -> dict[int, int]:
    """{quote: source}, where the source is no quote itself."""
    found: dict[int, int] = {}
    unlike: set[tuple[int, int]] = set()
    for group in alike:
        if len(group) < 2 or len(group) > _MOST:
            continue
        fullest = sorted(group, key=lambda i: (-_size(blocks[i]), i))
        for place, index in enumerate(fullest):
            for source in fullest[:place] if index not in found else ():
                if source in found or (index, source) in unlike:
                    continue
                if repeats(blocks[index], blocks[source]):
                    found[index] = source
                    break
                unlike.add((index, source))
    return {quote: _origin(quote, found) for quote in found}


def _origin(quote: int, found: Mapping[int, int]) -> int:
    """What a quote of a quote quotes. Sources are fuller or stand earlier, so that this ends."""
    source = found[quote]
    while source in found:
        source = found[source]
    return source


def _size(block: Block) -> int:
    table = block.values.get("processes")
    return len(block.values) + (len(table) if isinstance(table, Table) else 0)


def _load_repeats(shorter: Block, fuller: Block) -> bool:
    """Every figure of the one stands in the other too; two reports of equal size must have the same heading or be whole."""
    mine, theirs = shorter.values, fuller.values
    if any(theirs.get(name) != value for name, value in mine.items() if name not in _ASIDE):
        return False
    return len(theirs) >= _WHOLE or (len(mine) == len(theirs) and shorter.heading == fuller.heading)


def _monitor_repeats(shorter: Block, fuller: Block) -> bool:
    if isinstance(shorter, Folded) or isinstance(fuller, Folded):
        return isinstance(shorter, Folded) and isinstance(fuller, Folded)  # of the same sign: all looks are the same
    mine, theirs = shorter.values, fuller.values
    if any(theirs.get(name) != value for name, value in mine.items() if name not in _ASIDE and name != "columns"):
        return False
    rows, others = mine.get("processes"), theirs.get("processes")
    if isinstance(rows, Table) and isinstance(others, Table):
        if len(rows) != len(others) and shorter.command and fuller.command:
            return False  # asked for twice, and some came or went
        by_pid = {row.get("pid"): row for row in others}
        return all(row == by_pid.get(row.get("pid")) for row in rows)
    return len(mine) >= 4


def _signs(block: Block, records: list[Record]) -> list[object]:
    """What two prints of one screen have in common and others hardly have."""
    if isinstance(block, Folded):
        return [("looks", block.samples.digest())]
    values = block.values
    signs: list[object] = []
    if values.get("time"):
        signs.append((values["time"], values.get("load1")))
    table = values.get("processes")
    if isinstance(table, Table) and len(table):
        row = table[0]
        signs.append((row.get("pid"), row.get("time_s"), row.get("res_kb", row.get("rss_kb")), row.get("command")))
        if len(table) <= 3:
            signs.append(("row", row.get("pid"), row.get("time_s")))
        else:
            signs += [("row", r.get("pid"), r.get("time_s")) for r in table[:60]]
    sample = next((r for r in records if isinstance(r, SystemSample)), None)
    if sample and not values.get("time") and len(sample.metrics) >= 3:
        signs.append(tuple(sorted(sample.metrics.items())))
    return signs
