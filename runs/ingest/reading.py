"""From bytes to a draft, with nothing stored: what preview shows, and what submit stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import parsers
from parsers.catalogue import formats

from .draft import Draft
from .edits import Edits, apply_edits
from .hints import Hints
from .rejected import rejected
from .relate import relate
from .screens import folded
from .text_storage import Text
from .tidy import heed

MOST_BLOCKS = 50_000
Told = Callable[[int, int], None]


def nobody(n_bytes: int, n_blocks: int) -> None:
    """Hears how far the reading is: so many more bytes, so many more blocks."""


@dataclass(frozen=True)
class Reading:
    blocks: list[parsers.Block]
    draft: Draft
    problems: list[parsers.Problem]


def read(text: Text, *, hints: Hints, edits: Edits | None = None, told: Told = nobody) -> Reading:
    """Blocks, draft with hints and edits, and problems of the text. `told` hears how far it is.

    Raises Rejected 400 for edits that do not fit, and 413 for a text of too many blocks.
    """
    return drafted(blocks_of(text, told), text, hints=hints, edits=edits)


def blocks_of(text: Text, told: Told = nobody) -> list[parsers.Block]:
    """What the parsers recognise in it. Raises Rejected 413 where that is too much to be held."""
    found = parsers.read(parsers.Text(text.pieces(lambda n_bytes: told(n_bytes, 0))))
    blocks: list[parsers.Block] = []
    for block in folded(_counted(found, told)):
        if len(blocks) == MOST_BLOCKS:
            more = f"More than {MOST_BLOCKS} reports and screens stand in this text"
            raise rejected(413, f"{more}: the next one begins here. Send it in parts.", line=block.first)
        blocks.append(block)
    return blocks


def _counted(blocks: Iterable[parsers.Block], told: Told) -> Iterator[parsers.Block]:
    for block in blocks:
        told(0, 1)
        yield block


def drafted(
    blocks: list[parsers.Block], text: Text, *, hints: Hints, edits: Edits | None = None, strict: bool = True
) -> Reading:
    """`read` for blocks at hand. strict False leaves out edits that do not fit."""
    draft = relate(blocks, text.n_lines, hints)
    draft.unread = list(text.skip_blank_lines(draft.unread))
    heed(draft, hints)
    edited = apply_edits(draft, edits, strict=strict)
    return Reading(blocks, edited, [problem for block in blocks for problem in block.problems])


def kinds() -> dict[str, str]:
    """What is recognised: each kind of output, and what that is in a few words."""
    return {kind: form.about for kind, form in sorted(formats().items())}


def nothing_found(n_lines: int) -> str:
    """What a text is told in which no block was recognised."""
    looked_for = ", ".join(kinds())
    lines = "line" if n_lines == 1 else "lines"
    return f"Nothing was recognised in {n_lines} {lines}. Looked for the output of: {looked_for}."
