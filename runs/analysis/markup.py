"""Words as Markdown writes them, so that a name is shown as it is and never as markup or a table's border."""

from __future__ import annotations

import re
from collections.abc import Sequence

# An underscore inside a word is only a letter; an ampersand matters where it would begin an entity.
MEANS = re.compile(r"[\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w+;)|[<>]|[\x00-\x1f\x7f]")
INSTEAD = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
# What would open a heading, a list, a rule, a quote or an indented block at the beginning of a line.
OPENS = re.compile(r"(\d+)([.)])(?=\s)|([-+=#]+)(?=\s|$)")


def escaped(words: str) -> str:
    """On one line, every sign that would mean something to Markdown or HTML made plain."""
    plain = MEANS.sub(_instead, " ".join(words.split()))
    found = OPENS.match(plain)
    if not found:
        return plain
    return f"{found[1]}\\{found[2]}{plain[found.end() :]}" if found[1] else f"\\{plain}"


def link(words: str, url: str) -> str:
    return f"[{escaped(words)}]({address(url)})"


def address(url: str) -> str:
    """An address as a link's target: what would end it is percent-encoded."""
    return url.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[bool] = ()) -> str:
    """A table of finished cells; columns marked `right` stand to the right."""
    sides = ["---:" if at < len(right) and right[at] else "---" for at in range(len(heads))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, sides, *rows))


def _instead(found: re.Match[str]) -> str:
    sign = found[0]
    if sign < " " or sign == "\x7f":
        return "\ufffd"
    return INSTEAD.get(sign, f"\\{sign}")
