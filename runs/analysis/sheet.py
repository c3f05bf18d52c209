"""One flat table that a page can also be had as: CSV and Markdown here, JSON by the page itself."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass

from runs.analysis.numbers import figure
from runs.analysis.table import Cell, Comparison
from runs.analysis.verdict import Judgement, Verdict
from runs.analysis.verdict_wording import LABELS

# An underscore inside a word is only a letter; an ampersand matters where it would begin an entity.
MEANS = re.compile(r"[\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w+;)|[<>]|[\x00-\x1f\x7f]")
INSTEAD = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
# What would open a heading, a list, a rule, a quote or an indented block at the beginning of a line.
OPENS = re.compile(r"(\d+)([.)])(?=\s)|([-+=#]+)(?=\s|$)")
# Where a spreadsheet may begin a cell: it may take another sign than a comma for the separator, and then no quotes for quotes.
FORMULA = re.compile(r"""(^|[,;|\t\r\n]["'\s]*)(?=[=+\-@\t\r])""")


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


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[bool] = ()) -> str:
    """A table of finished cells; columns marked `right` stand to the right."""
    sides = ["---:" if at < len(right) and right[at] else "---" for at in range(len(heads))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, sides, *rows))


def _instead(found: re.Match[str]) -> str:
    sign = found[0]
    if sign < " " or sign == "\x7f":
        return "\ufffd"
    return INSTEAD.get(sign, f"\\{sign}")


Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Sheet:
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def records(self) -> list[dict[str, Value]]:
        return [dict(zip(self.heads, row, strict=True)) for row in self.rows]


def as_csv(sheet: Sheet) -> str:
    """Exact figures, and texts in quotes; a ' keeps a spreadsheet from running a part of a text as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    for row in (sheet.heads, *sheet.rows):
        writer.writerow([FORMULA.sub(r"\1'", value) if isinstance(value, str) else value for value in row])
    return out.getvalue()


def as_markdown(sheet: Sheet) -> str:
    """A table to paste into a post: four significant figures, numbers to the right."""
    numeric = [any(isinstance(row[at], (int, float)) for row in sheet.rows) for at in range(len(sheet.heads))]
    rows = [[escaped(_word(value)) for value in row] for row in sheet.rows]
    body = markdown_table([escaped(head) for head in sheet.heads], rows, right=numeric)
    return f"# {escaped(sheet.title)}\n\n{body}\n"


def of_comparison(title: str, comparison: Comparison, judgement: Judgement) -> Sheet:
    """Metrics down, configs across: the mean of each, its n, its ratio to the baseline, the verdict and its interval."""
    heads = ["metric", "unit"]
    for at, name in enumerate(unique([column.title for column in comparison.columns])):
        heads += [name, f"{name}: n", *(f"{name}: {word}" for word in AGAINST if at)]
    rows = []
    for group in comparison.groups:
        for row in group.rows:
            values: list[Value] = [row.label, row.unit]
            for at, cell in enumerate(row.cells):
                values += [cell.mean, cell.n] + (_against(cell, judgement.of(row.key, at)) if at else [])
            rows.append(tuple(values))
    return Sheet(title, tuple(heads), tuple(rows))


AGAINST = ("ratio to baseline", "verdict", "ratio low", "ratio high")


def _against(cell: Cell, verdict: Verdict | None) -> list[Value]:
    ratio = cell.delta.ratio if cell.delta else None
    return [ratio, LABELS[verdict.kind], verdict.low, verdict.high] if verdict else [ratio, None, None, None]


def unique(heads: Sequence[str]) -> tuple[str, ...]:
    """Heads that can be keys: a second "worker" becomes "worker (2)"."""
    seen: dict[str, int] = {}
    numbered = []
    for head in heads:
        seen[head] = seen.get(head, 0) + 1
        numbered.append(head if seen[head] == 1 else f"{head} ({seen[head]})")
    return tuple(numbered)


def _word(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return figure(value) if isinstance(value, (int, float)) else value
