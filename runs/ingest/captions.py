"""Captions that stand below the reports that they name: "^ nginx", "Figure 1: nginx", "That was with keep-alive"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parsers.blocks import Block

from .asides import heading_level, is_aside, strip_markup
from .heading_words import is_generic, is_sentence, is_short, is_warm_up

Line = tuple[int, str]
_ARROW = re.compile(r"[\s*_(>]{0,4}(?:\^+|[↑⬆☝👆]\ufe0f?)(?![\[\w])[\s:]*(?P<name>\S.*)")
_SAID = re.compile(
    r"[\s*_(>]{0,4}(?:(?:the )?(?:results? |output |run |one |test )?above(?: (?:is|are|was|were))?(?: (?:for|from|of|with))?\b"
    r"|(?:that|this) (?:was|were)(?: the)?\b|(?:das|dies) war(?:en)?\b|上記?は|以上が?)[\s:：、]*(?P<name>\S.*)",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"[\s*_(>]{0,4}(?:fig(?:ure)?|abb(?:ildung)?|listing|screenshot|rys|рис(?:унок)?|图|図)\.?\s*\d{1,2}\s*[:.：–—-]\s*(?P<name>\S.*)",
    re.IGNORECASE,
)
_MOST_WORDS = 8
_FARTHEST = 2  # lines below a report: a fence may stand between


def move_captions(blocks: Sequence[Block], loads: Sequence[int]) -> None:
    """Put the captions that stand below reports among the lines above these."""
    below = {load: lines for load in loads if (lines := _list_lines_below(blocks, load))}
    if not below:
        return
    arrows = _find_names(blocks, below, _ARROW)
    said, figures = (_find_names(blocks, below, pattern) for pattern in (_SAID, _FIGURE))
    if len(said) < 2:
        said = {}
    if len(figures) < 2 or loads[-1] not in figures or any(_FIGURE.match(text) for _, text in blocks[loads[0]].trail):
        figures = {}
    captions = said | figures | arrows
    pointing = {line for line, _ in captions.values()}
    if captions and all(
        any(_names(text) for line, text in blocks[load].trail if (line, text) not in pointing) for load in loads
    ):
        captions = {load: (line, "") for load, (line, _) in arrows.items()}  # remarks: names stand above
    for load, caption in (captions or _find_plain(blocks, loads, below)).items():
        _move(blocks, load, *caption)


def _names(text: str) -> bool:
    return not (is_generic(text) or is_aside(text) or is_sentence(text) or is_warm_up(text))


def _list_lines_below(blocks: Sequence[Block], load: int) -> list[Line]:
    return blocks[load + 1].trail if load + 1 < len(blocks) else blocks[load].tail


def _find_names(
    blocks: Sequence[Block], below: dict[int, list[Line]], pattern: re.Pattern[str]
) -> dict[int, tuple[Line, str]]:
    """{load: (the line below it that says what it was, the name in it)}."""
    named = {}
    for load, lines in below.items():
        line, text = lines[0]
        found = pattern.match(text) if line - blocks[load].last <= _FARTHEST + 1 else None
        name = strip_markup(found["name"]).rstrip(".!") if found else ""
        name = name[:-1] if name.endswith(")") and "(" not in name else name
        if name and is_short(name) and len(name.split()) <= _MOST_WORDS:
            named[load] = ((line, text), name)
    return named


def _find_plain(
    blocks: Sequence[Block], loads: Sequence[int], below: dict[int, list[Line]]
) -> dict[int, tuple[Line, str]]:
    """Captions without a sign: names right below all reports and farther from the next, where none is above the first."""
    above = [text for block in blocks[: loads[0] + 1] for _, text in block.trail] if loads else []
    if len(below) < max(2, len(loads)) or any(heading_level(text) != 1 for text in above):
        return {}
    found = {}
    for load, lines in below.items():
        line, text = lines[0]
        block, following = blocks[load], blocks[load + 1] if load + 1 < len(blocks) else None
        distance = line - block.last
        begins = min(following.first, following.command_line or following.first) if following else line + 9
        if (
            distance > _FARTHEST
            or begins - line <= distance
            or len(lines) > 1
            or heading_level(text)
            or not _names(text)
        ):
            return {}
        found[load] = (line, text), text
    return found


def _move(blocks: Sequence[Block], load: int, caption: Line, name: str) -> None:
    block = blocks[load]
    if name:
        block.trail = [*block.trail, (block.first, name)]
        block.heading, block.heading_line = name, caption[0]
    if load + 1 < len(blocks):
        following = blocks[load + 1]
        following.trail = [line for line in following.trail if line != caption]
        if following.heading_line == caption[0]:
            above = next(reversed(following.trail), None)
            following.heading_line, following.heading = above or (None, None)
