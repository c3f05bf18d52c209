"""The name of an experiment: the title of the text, what it is about, or the names of its configs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from parsers.blocks import Block
from parsers.records import Timings
from parsers.transcript import width

from .asides import SUBJECT, is_aside
from .draft import MAX_NAME, DraftConfig
from .heading_words import heading_level, is_generic, is_warm_up, strip_markup

_COMPARES = re.compile(
    r"比較|負荷|ベンチマーク|性能|検証|\bvs\.?\b|\bversus\b|compar|benchmark|performance|\bload test|porówn|wydajno|speed"
    r"|vergleich",
    re.IGNORECASE,
)
_DESCRIBES_HOST = re.compile(r"スペック|ハードウェア|ハードウエア|環境|hardware|\bspec|machine", re.IGNORECASE)
_SENTENCE_ENDS = (".", "。", "!", "！", "ます", "です", "ました", ",", "、")
_LIST_MARKS = ("・", "•", "- ", "* ")
_MAX_TITLE_WIDTH = 140
_N_TITLE_LINES = 15  # among which a title is looked for
_MAX_PREAMBLE = 8  # in a longer one the first line need not be the title


def name_experiment(
    blocks: Sequence[Block],
    part: range,
    configs: Sequence[DraftConfig],
    headings: Iterable[str],
    *,
    is_first: bool,
) -> str:
    """The title of the text, or else the names of the configs.

    part: numbers of the experiment's blocks; headings: others that name configs; is_first: of the experiments in the text.
    """
    groups = {config.group for config in configs if config.group}
    taken = {*headings, *(config.name for config in configs), *(groups if len(groups) > 1 else ())}
    trail = [text for _, text in blocks[part.start].trail] if part else []
    if trail and (name := strip_markup(_find_title(trail, taken, groups, is_first))[:MAX_NAME]):
        return name
    names = [config.name for config in configs]
    if len(names) > 2:
        return f"{names[0]}, {names[1]} and {len(names) - 2} more"[:MAX_NAME]
    return " and ".join(names)[:MAX_NAME] or "Monitors"


def _find_title(trail: Sequence[str], taken: Collection[str], groups: Collection[str], is_first: bool) -> str:
    subject = next((match["subject"] for text in trail if (match := SUBJECT.search(text))), None)
    if subject and is_first:
        return subject.strip("\"'")
    lines = [text for text in trail if not is_aside(text) and not is_warm_up(text)]
    phrases = [text for text in lines if not text.rstrip().endswith(_SENTENCE_ENDS)]
    titles = [
        text for text in phrases if width(text) <= _MAX_TITLE_WIDTH and strip_markup(text) not in {*taken, *groups}
    ]
    if not is_first:
        return titles[-1] if titles and len(trail) <= 3 and not is_generic(titles[-1]) else ""
    top = lines[0] if lines else ""
    names_all = top in phrases and not is_generic(top) and strip_markup(top) not in taken
    if names_all and top == trail[0] and heading_level(top) == 1:
        return top
    compares = (
        t for t in titles if t in lines[:_N_TITLE_LINES] and _COMPARES.search(t) and not _DESCRIBES_HOST.search(t)
    )
    if chosen := next(compares, ""):
        return chosen
    is_preamble = len(lines) <= _MAX_PREAMBLE and not top.startswith(_LIST_MARKS)
    return top if is_preamble and top in titles and not is_generic(top) else ""


def name_timings(block: Block) -> str:
    """The name of an experiment of which the text has nothing but the times of single requests."""
    tool = next((record.tool for record in block.records if isinstance(record, Timings)), "")
    return f"What each request of {tool} took" if tool else ""
