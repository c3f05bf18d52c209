"""A text by lines, each told apart: which block it is part of, what was not read, what is wrong or secret in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

MEMORY_TOOLS = {"meminfo", "free"}
# What spans are cut at when a line is longer: no tool prints such lines, and a page must stay a page.
MOST_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Span:
    """Lines first..last and what they became: `tint` is load, look, memory, host or text."""

    first: int
    last: int
    tint: str
    title: str
    url: str = ""
    key: str = ""
    quote: bool = False


@dataclass(slots=True)
class Line:
    """One line as shown. `parts` are (text, is secret); `opens` are the spans that begin here."""

    n: int
    parts: list[tuple[str, bool]]
    tint: str = ""
    opens: list[Span] = field(default_factory=list)
    last: bool = False
    unread: bool = False
    problems: list[str] = field(default_factory=list)


class Covered:
    """The lines that any of the spans holds: `line in covered`. Spans may be millions of lines long."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []  # the greatest so far
        for span in sorted(spans, key=lambda span: span.first):
            self._firsts.append(span.first)
            self._lasts.append(max(span.last, self._lasts[-1] if self._lasts else 0))

    def __contains__(self, line: int) -> bool:
        at = bisect_right(self._firsts, line) - 1
        return at >= 0 and line <= self._lasts[at]


def tint_of(tool: str, what: str) -> str:
    """The tint of a block: by what it became (run, capture, text or "")."""
    if what == "capture":
        return "memory" if tool in MEMORY_TOOLS else "look"
    return {"run": "load", "text": "text"}.get(what, "host")


def lines_of(
    text: Iterable[str],
    spans: Iterable[Span],
    *,
    start: int = 1,
    unread: Iterable[Sequence[int]] = (),
    problems: Iterable[tuple[int, str]] = (),
    secrets: Iterable[tuple[int, int, int]] = (),
) -> list[Line]:
    """`text` is the part that begins at line `start`; `secrets` are (line, first character, end)."""
    marks: dict[int, list[tuple[int, int]]] = {}
    for line, begin, end in secrets:
        marks.setdefault(line, []).append((begin, end))
    made = [Line(n, _parts(words, marks.get(n, []))) for n, words in enumerate(text, start)]
    stop = start + len(made)
    # Longer spans first, so that what stands inside another one keeps its own tint.
    for span in sorted(spans, key=lambda span: (span.first - span.last, span.first)):
        for n in range(max(span.first, start), min(span.last + 1, stop)):
            made[n - start].tint = span.tint
        if start <= span.first < stop:
            made[span.first - start].opens.append(span)
        if start <= span.last < stop:
            made[span.last - start].last = True
    for first, last in unread:
        for n in range(max(first, start), min(last + 1, stop)):
            made[n - start].unread = not made[n - start].tint
    for n, message in problems:
        if start <= n < stop:
            made[n - start].problems.append(message)
    return made


def _parts(words: str, marks: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    cut = words[:MOST_CHARACTERS]
    parts, at = [], 0
    for begin, end in sorted(marks):
        if begin >= at:
            parts += [(cut[at:begin], False), (cut[begin:end], True)]
            at = end
    parts.append((cut[at:], False))
    if len(words) > len(cut):
        parts.append((f" … {len(words) - len(cut)} more characters", False))
    return [part for part in parts if part[0]]
