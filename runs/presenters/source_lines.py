"""A text line by line: which block each line is part of, what was not read, what is wrong or secret in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from runs.ingest import get_semantics, shows_memory_only
from runs.models import Capture, ConfigText, Run, Timing, Upload
from runs.numbers import figure

# A longer line is cut: no tool prints one, and the page must stay small.
MAX_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Span:
    """Lines first..last and what they became. `tint` names a colour: load, look (a monitor), memory, host or text."""

    first: int
    last: int
    tint: str
    title: str
    url: str = ""
    key: str = ""
    quote: bool = False


@dataclass(slots=True)
class Line:
    """One line as shown. `parts` are (text, is secret); `opens` are the spans that begin here; last: one ends here."""

    n: int
    parts: list[tuple[str, bool]]
    tint: str = ""
    opens: list[Span] = field(default_factory=list)
    last: bool = False
    unread: bool = False
    problems: list[str] = field(default_factory=list)


class CoveredLines:
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


def capture_tint(tool: str) -> str:
    return "memory" if shows_memory_only(tool) else "look"


def mark_lines(
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
    lines = [Line(n, _split_parts(words, marks.get(n, []))) for n, words in enumerate(text, start)]
    stop = start + len(lines)
    # Longer spans first: a span inside another one keeps its own tint.
    for span in sorted(spans, key=lambda span: (span.first - span.last, span.first)):
        for n in range(max(span.first, start), min(span.last + 1, stop)):
            lines[n - start].tint = span.tint
        if start <= span.first < stop:
            lines[span.first - start].opens.append(span)
        if start <= span.last < stop:
            lines[span.last - start].last = True
    for first, last in unread:
        for n in range(max(first, start), min(last + 1, stop)):
            lines[n - start].unread = not lines[n - start].tint
    for n, message in problems:
        if start <= n < stop:
            lines[n - start].problems.append(message)
    return lines


def _split_parts(words: str, marks: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    """(text, whether it is marked) of each part of a line. marks: (begin, end) in characters."""
    cut = words[:MAX_CHARACTERS]
    parts, at = [], 0
    for begin, end in sorted(marks):
        if begin >= at:
            parts += [(cut[at:begin], False), (cut[begin:end], True)]
            at = end
    parts.append((cut[at:], False))
    if len(words) > len(cut):
        parts.append((f" … {len(words) - len(cut)} more characters", False))
    return [part for part in parts if part[0]]


def upload_spans(
    upload: Upload,
    runs: Iterable[Run],
    captures: Iterable[Capture],
    texts: Iterable[ConfigText],
    timings: Iterable[Timing],
) -> list[Span]:
    """What each block of the upload became, in the order of the text; quotes included."""
    spans: list[Span] = []
    for run in runs:
        rate = f"{figure(run.requests_per_second)} per s" if run.requests_per_second is not None else "run"
        tool = get_semantics(run.tool).shown_as or run.tool
        spans += _mark_quotes(run, "load", f"{tool} {rate} → {run.config.name}")
    for capture in captures:
        owner = capture.config.name if capture.config else capture.experiment.name
        title = " ".join(word for word in (capture.tool, capture.phase, "→", owner) if word)
        spans += _mark_quotes(capture, capture_tint(capture.tool), title)
    for text in texts:
        url = text.config.get_absolute_url() if text.config else ""
        spans.append(Span(text.line_first, text.line_last, "text", f"config text {text.path}".strip(), url))
    shown = {(span.first, span.last) for span in spans}  # a block can be both a run and its timing
    for timing in timings:
        if (timing.line_first, timing.line_last) not in shown:
            owner = timing.run.config.name if timing.run else timing.experiment.name
            n = f"n={timing.n} requests" if timing.n is not None else "percentiles"
            url = (timing.run or timing.experiment).get_absolute_url()
            spans.append(Span(timing.line_first, timing.line_last, "load", f"{timing.tool} {n} → {owner}".strip(), url))
    covered = CoveredLines(spans)
    spans += [
        Span(block["lines"][0], block["lines"][1], "host", f"{block['kind']}: about the host")
        for block in upload.blocks
        if block["lines"][0] not in covered
    ]
    return sorted(spans, key=lambda span: (span.first, span.last))


def _mark_quotes(row: Any, tint: str, title: str) -> Iterator[Span]:
    yield Span(row.line_first, row.line_last, tint, title, row.get_absolute_url())
    for first, last in row.quotes:
        yield Span(first, last, tint, f"{title} (quoted again)", row.get_absolute_url(), quote=True)
