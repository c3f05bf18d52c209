"""What differs between the configs' texts, line by line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

# Texts longer than this are shown whole and not compared: difflib's time grows with the square of the lines.
MOST_LINES = 1500


@dataclass(frozen=True, slots=True)
class Text:
    """A config's text. `config` is the config's id; None: it holds for all."""

    config: int | None
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class TextDiff:
    """From one config's text to another's: (sign, line) with sign "+", "-", " " or "…". No lines: they are the same."""

    path: str
    before: int
    after: int
    lines: tuple[tuple[str, str], ...]


def of_texts(configs: Sequence[int], texts: Sequence[Text]) -> list[TextDiff]:
    """Each config's texts against those of the first config that has any: by file name, or the only one each has."""
    owned = {config: [text for text in texts if text.config == config] for config in configs}
    owners = [config for config in configs if owned[config]]
    if len(owners) < 2:
        return []
    base = owners[0]
    found = []
    for other in owners[1:]:
        for text in owned[other]:
            partner = _partner(text, owned[base], alone=len(owned[other]) == 1)
            if partner is not None:
                found.append(TextDiff(text.path or partner.path, base, other, _lines(partner.text, text.text)))
    return found


def _partner(text: Text, candidates: Sequence[Text], *, alone: bool) -> Text | None:
    name = PurePosixPath(text.path).name
    named = [one for one in candidates if name and PurePosixPath(one.path).name == name]
    if not named and alone and len(candidates) == 1:
        named = list(candidates)
    if not named or max(named[0].text.count("\n"), text.text.count("\n")) > MOST_LINES:
        return None
    return named[0]


def _lines(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Changed lines with one line of context. Indentation and blank ends are no difference."""
    old, new = ([line.strip() for line in text.splitlines() if line.strip()] for text in (before, after))
    changes = list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]
    return tuple(("…", "") if line.startswith("@@") else (line[0], line[1:]) for line in changes)
