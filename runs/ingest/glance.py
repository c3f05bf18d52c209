"""The records of a block as far as relating needs them: of a long process table its first rows."""

from __future__ import annotations

from dataclasses import replace

from parsers import Block
from parsers.records import Record
from parsers.tables import Table

ROWS = 8
TABLES = ("processes", "rows")


def glance(block: Block) -> list[Record]:
    """The block's records, made from no more than 8 of its rows. A log of `top -b` has hundreds on each screen."""
    short = {
        name: Table({column: cells[:ROWS] for column, cells in table.columns.items()}, ROWS)
        for name in TABLES
        if isinstance(table := block.values.get(name), Table) and len(table) > ROWS
    }
    if not short:
        return block.records
    return replace(block, values=block.values | short).records
