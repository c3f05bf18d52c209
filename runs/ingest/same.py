"""Which blocks say the same thing again: a teaser and the full report, a text and its translation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parsers import Block, LoadResult, SystemSample
from parsers.table import Table

_ASIDE = frozenset({"iteration", "processes", "n_processes", "sum_res_kb", "sum_rss_kb", "n_rows", "warnings"})
_WHOLE = 8  # figures from which on a report is no mere quotation


def loads_again(blocks: Sequence[Block], loads: Iterable[int]) -> dict[int, int]:
    """{index of a block that repeats figures: index of the block whose figures they are}, for load tests."""
    by_rate: dict[tuple[str, float], list[int]] = {}
    for index in loads:
        result = next((r for r in blocks[index].records if isinstance(r, LoadResult)), None)
        if result and result.requests_per_second and blocks[index].kind != "siege_log":
            by_rate.setdefault((result.tool, result.requests_per_second), []).append(index)
    return _quotes(blocks, by_rate.values(), _load_repeats)


def monitors_again(blocks: Sequence[Block], monitors: Iterable[int]) -> dict[int, int]:
    """The same for monitors: the same screen or listing shown twice, whole or in part."""
    by_sign: dict[object, list[int]] = {}
    for index in monitors:
        for sign in _signs(blocks[index]):
            by_sign.setdefault((blocks[index].kind, sign), []).append(index)
    return _quotes(blocks, by_sign.values(), _monitor_repeats)


def _quotes(blocks: Sequence[Block], alike: Iterable[list[int]], repeats: object) -> dict[int, int]:
    found: dict[int, int] = {}
    for group in alike:
        if len(group) < 2 or len(group) > 50:
            continue
        fullest = sorted(group, key=lambda i: (-_size(blocks[i]), i))
        for place, index in enumerate(fullest):
            source = next((s for s in fullest[:place] if s not in found and repeats(blocks[index], blocks[s])), None)  # type: ignore[operator]
            if source is not None and index not in found:
                found[index] = source
    return found


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
    mine, theirs = shorter.values, fuller.values
    if any(theirs.get(name) != value for name, value in mine.items() if name not in _ASIDE and name != "columns"):
        return False
    rows, others = mine.get("processes"), theirs.get("processes")
    if isinstance(rows, Table) and isinstance(others, Table):
        return all(row in others for row in rows[:50])
    return len(mine) >= 4


def _signs(block: Block) -> list[object]:
    """What two prints of one screen have in common and others hardly have."""
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
    sample = next((r for r in block.records if isinstance(r, SystemSample)), None)
    if sample and not values.get("time") and len(sample.metrics) >= 3:
        signs.append(tuple(sorted(sample.metrics.items())))
    return signs
