"""Which columns of a table compete with each other, and what sets one workload apart from the others."""

from __future__ import annotations

from collections.abc import Sequence

from runs.analysis.columns import Column
from runs.analysis.doubt_differences import WORD
from runs.analysis.table import Comparison


def find_workloads(comparison: Comparison) -> list[list[int]]:
    """The columns that compete: blocks of the table, those joined that are variants of each other's configs."""
    blocks: dict[int, list[int]] = {}
    for at, base in enumerate(comparison.bases):
        blocks.setdefault(base, []).append(at)
    joined: list[list[int]] = []
    for block in blocks.values():
        own = next((one for one in joined if _are_variants(comparison.columns, one, block)), None)
        if own is None:
            joined.append(block)
        else:
            own += block
    return joined


def _are_variants(columns: Sequence[Column], one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two headings stand over configs (each with variants) and not over workloads: loaded alike, and no name recurs."""
    headings, others = ({columns[at].config.group for at in block} for block in (one, other))
    names, its = ({_own_words(columns[at]) for at in block} for block in (one, other))
    apart = "" not in headings | others and headings.isdisjoint(others) and names.isdisjoint(its)
    return apart and columns[one[0]].method.agrees(columns[other[0]].method)


def _own_words(column: Column) -> frozenset[str]:
    """The words of a config's name without numbers and its heading's words, where any are left."""
    words = {word.lower() for word in WORD.findall(column.config.name)}
    heading = {word.lower() for word in WORD.findall(column.config.group)}
    return frozenset({word for word in words - heading if not word[0].isdigit()} or words)


def name_workload(every: Sequence[Column], block: Sequence[int]) -> str:
    """What the columns of a block share: their heading, their load, or words of their names."""
    columns = [every[at] for at in block]
    groups = {column.config.group for column in columns}
    others = {column.config.group for at, column in enumerate(every) if at not in block}
    if len(groups) == 1 and not groups & others and (group := groups.pop()):
        return group
    shared = set.intersection(*({*WORD.findall(column.title)} for column in columns)) if columns else set()
    words = [word for word in columns[0].title.replace("·", " ").split() if {*WORD.findall(word)} & shared]
    splits = {column.split for column in columns}
    return splits.pop() if len(splits) == 1 and columns[0].split else " ".join(words).strip(" ,:;")


def find_family(title: str, titles: Sequence[str]) -> frozenset[str]:
    """The words of a title that set it apart in its workload, numbers left out."""
    words = [{word.lower() for word in WORD.findall(one) if not word[0].isdigit()} for one in titles]
    own = {word.lower() for word in WORD.findall(title) if not word[0].isdigit()}
    return frozenset(own - set.intersection(*words)) if len(words) > 1 else frozenset(own)
