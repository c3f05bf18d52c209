"""Config texts directive by directive: what each sets, where they differ, how much they let in at once."""

from __future__ import annotations

from .detect import read
from .limits import Limit, limits
from .records import Directive, Parsed

__all__ = ["Directive", "Limit", "Parsed", "limits", "read"]
