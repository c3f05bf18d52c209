"""A comparison as the Markdown of a post: verdict, doubts, table, cost, scaling, differences, method, environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from runs.analysis.doubts import Doubt
from runs.analysis.markup import address, escaped, link, table
from runs.analysis.numbers import figure
from runs.analysis.table import Cell, Comparison
from runs.analysis.verdict import Judgement, Verdict

SEVERITY = {"fatal": "Not counted", "caution": "Caution", "note": "Note"}
MOST_LINES = 6
MOST_BLOCKS = 4


@dataclass(frozen=True, slots=True)
class Table:
    """A small table of plain words under a heading of its own."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """`notes` say how to read the figures."""

    heading: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Post:
    """All that a post says. `absolute` makes an address on this site one that works elsewhere.

    pictures   (what it shows, address)      sections   cost, scaling, config differences
    same       (name, value) of the environment     differ   (name, a value a column)
    """

    title: str
    url: str
    comparison: Comparison
    judgement: Judgement
    doubts: Sequence[Doubt]
    absolute: Callable[[str], str]
    pictures: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    method: Sequence[str] = ()
    commands: Sequence[str] = ()
    same: Sequence[tuple[str, str]] = ()
    differ: Sequence[tuple[str, tuple[str, ...]]] = ()
    notes: str = ""
    names: Mapping[int, str] = field(default_factory=dict)


def markdown(post: Post) -> str:
    """The whole post. Every name and sentence is escaped: none can become markup or break a table."""
    parts = [f"# {escaped(post.title)}", escaped(post.judgement.sentence), escaped(post.notes)]
    parts += _doubts(post)
    parts += _figures(post)
    parts += [f"![{escaped(words)}]({address(url)})" for words, url in post.pictures]
    for section in post.sections:
        parts += [f"## {section.heading}", *(escaped(words) for words in section.sentences)]
        parts += [part for one in section.tables for part in (escaped(one.caption), _plain_table(one))]
        parts += [escaped(words) for words in section.notes]
    parts += _method(post)
    parts += _environment(post)
    parts.append(f"Every figure with the line that it stands on: <{address(post.url)}>")
    return "\n\n".join(part for part in parts if part) + "\n"


def _doubts(post: Post) -> list[str]:
    if not post.doubts:
        return []
    return ["## Doubts", "\n".join(f"- {_doubt(post, doubt)}" for doubt in post.doubts)]


def _doubt(post: Post, doubt: Doubt) -> str:
    lines = [link(f"line {source.line}", post.absolute(source.url)) for source in doubt.sources[:MOST_LINES]]
    more = len(doubt.sources) - len(lines)
    said = "Counted anyway" if doubt.overruled else SEVERITY[doubt.severity]
    tail = f" ({', '.join(lines)}{f' and {more} more' if more > 0 else ''})" if lines else ""
    return f"**{said}:** {escaped(doubt.text)}{tail}"


def _figures(post: Post) -> list[str]:
    heads = ("", *(escaped(column.title) for column in post.comparison.columns))
    rows = []
    for group in post.comparison.groups:
        for row in group.rows:
            label = f"{row.label} ({row.unit})" if row.unit else row.label
            cells = (told(cell, post.judgement.of(row.key, at)) for at, cell in enumerate(row.cells))
            rows.append((escaped(label), *(escaped(words) for words in cells)))
    if not rows:
        return []
    return ["## Figures", table(heads, rows), f"Means of n values. {escaped(against(post.comparison, post.judgement))}"]


def against(comparison: Comparison, judgement: Judgement) -> str:
    """What the differences and verdicts are against: one baseline, or one for each block of columns."""
    blocks: dict[int, list[str]] = {}
    for at, base in enumerate(judgement.bases):
        if at != base:
            blocks.setdefault(base, []).append(comparison.columns[at].title)
    if not blocks:
        return ""
    if len(blocks) == 1:
        return f"Differences and verdicts are against {comparison.columns[next(iter(blocks))].title}, the baseline."
    told = [f"{' and '.join(others)} against {comparison.columns[base].title}" for base, others in blocks.items()]
    more = f"; and {len(told) - MOST_BLOCKS} more in the same way" if len(told) > MOST_BLOCKS else ""
    return f"Differences and verdicts stand {'; '.join(told[:MOST_BLOCKS])}{more}."


@dataclass(frozen=True, slots=True)
class Spoken:
    """A verdict with the names that it is about."""

    key: str
    label: str
    title: str
    base: str
    verdict: Verdict


def spoken(comparison: Comparison, judgement: Judgement) -> list[Spoken]:
    """Every verdict in the order of the table."""
    titles = [column.title for column in comparison.columns]
    return [
        Spoken(row.key, row.label, titles[at], titles[verdict.base], verdict)
        for group in comparison.groups
        for row in group.rows
        for at in range(len(titles))
        if (verdict := judgement.of(row.key, at)) is not None
    ]


def told(cell: Cell, verdict: Verdict | None) -> str:
    """A cell in words: "722.2 (▲ 17 % more, undecided, n=2)"."""
    if cell.mean is None:
        return ""
    parts = [str(cell.delta) if cell.delta else "", verdict.word if verdict else "", f"n={cell.n}"]
    return f"{figure(cell.mean)} ({', '.join(part for part in parts if part)})"


def _plain_table(one: Table) -> str:
    return table([escaped(head) for head in one.heads], [[escaped(word) for word in row] for row in one.rows])


def _method(post: Post) -> list[str]:
    told = [escaped(words) for words in post.method]
    code = [f"    {' '.join(command.split())}" for command in post.commands]
    return ["## Method", *told, "\n".join(code)] if told or code else []


def _environment(post: Post) -> list[str]:
    if not post.same and not post.differ:
        return []
    same = [f"- {escaped(name)}: {escaped(value)}" for name, value in post.same]
    differ = [
        f"- {escaped(name)}: {', '.join(escaped(value) for value in dict.fromkeys(values) if value)}"
        for name, values in post.differ
    ]
    return ["## Environment", "\n".join(same + differ)]
