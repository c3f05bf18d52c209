"""Config texts directive by directive: what each sets, where they differ, how much they let in at once."""

from __future__ import annotations

from .compare import Cell, Differences, FileDiff, Row, compare
from .detect import read
from .limits import Limit, limits
from .records import Directive, Parsed

__all__ = [
    "Cell",
    "Differences",
    "Directive",
    "FileDiff",
    "Limit",
    "Parsed",
    "Row",
    "compare",
    "limits",
    "read",
]
