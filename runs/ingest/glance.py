"""The records of a block as far as relating needs them: of a long process table its first rows."""

from __future__ import annotations

from dataclasses import replace

from parsers import Block
from parsers.records import Record
from parsers.table import Table

from .asked import completed

ROWS = 8


def glance(block: Block) -> list[Record]:
    """The block's records, made from no more than 8 of its processes. A log of `top -b` has hundreds on each screen."""
    table = block.values.get("processes")
    if not isinstance(table, Table) or len(table) <= ROWS:
        return completed(block, block.records)
    short = Table({name: column[:ROWS] for name, column in table.columns.items()}, ROWS)
    return replace(block, values=block.values | {"processes": short}).records
