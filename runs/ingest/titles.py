"""What an experiment is called: the document's title, or else what is compared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parsers import Block
from parsers.transcript import width

from .draft import DraftConfig
from .words import SUBJECT, is_aside, level, names_nothing, plain

_COMPARES = re.compile(
    r"比較|負荷|ベンチマーク|性能|検証|\bvs\.?\b|\bversus\b|compar|benchmark|performance|\bload test|porówn|wydajno|speed"
    r"|vergleich",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"スペック|ハードウェア|ハードウエア|環境|hardware|\bspec|machine", re.IGNORECASE)
_ENDS = (".", "。", "!", "！", "ます", "です", "ました", ",", "、")
_ITEMS = ("・", "•", "- ", "* ")
_MAX_NAME = 200
_MAX_WIDTH = 140
_TOP = 15  # lines among which a title is looked for
_BRIEF = 8  # in a longer preamble the first line need not be the title


def experiment_name(blocks: Sequence[Block], part: range, configs: Sequence[DraftConfig], first: bool) -> str:
    """The name of the experiment in blocks `part`; of several in one text, `first` says whether it is the first."""
    trail = [text for _, text in blocks[part.start].trail] if part else []
    subject = next((found["subject"] for text in trail if (found := SUBJECT.search(text))), None)
    title = subject.strip("\"'") if subject and first else _title(trail, configs, first)
    return plain(title)[:_MAX_NAME] or _listed(configs)


def _title(trail: Sequence[str], configs: Sequence[DraftConfig], first: bool) -> str:
    taken = {config.name for config in configs} | {config.group for config in configs}
    lines = [text for text in trail if not is_aside(text)]
    titles = [text for text in lines if width(text) <= _MAX_WIDTH and not _ends(text) and plain(text) not in taken]
    if not first:
        return titles[-1] if titles and len(trail) <= 3 and not names_nothing(titles[-1]) else ""
    if lines and lines[0] == trail[0] and _heads_all(lines[0], configs):
        return lines[0]
    compares = (t for t in titles if t in lines[:_TOP] and _COMPARES.search(t) and not _ASIDE.search(t))
    if chosen := next(compares, ""):
        return chosen
    top = lines[0] if lines and len(lines) <= _BRIEF and not lines[0].startswith(_ITEMS) else ""
    return top if top in titles and not names_nothing(top) else ""


def _heads_all(text: str, configs: Sequence[DraftConfig]) -> bool:
    """Whether a Markdown heading of the first level, the text's first line, is its title."""
    named = not names_nothing(text) and plain(text) not in {config.name for config in configs}
    return level(text) == 1 and named and not _ends(text)


def _ends(text: str) -> bool:
    """Whether a line ends as a sentence or a clause does; a title does not."""
    return text.rstrip().endswith(_ENDS)


def _listed(configs: Sequence[DraftConfig]) -> str:
    names = [config.name for config in configs]
    if len(names) > 2:
        return f"{names[0]}, {names[1]} and {len(names) - 2} more"[:_MAX_NAME]
    return " and ".join(names)[:_MAX_NAME] or "Monitors"
