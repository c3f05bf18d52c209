"""What leaves a page: a flat table as CSV and Markdown, a comparison as the Markdown of a post and as plain dicts for JSON."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runs.analysis.cause import Causes
from runs.analysis.columns import Column, Difference
from runs.analysis.config_diff import ConfigDiff, FileDiff
from runs.analysis.cost import Cost
from runs.analysis.doubt_case import Doubt
from runs.analysis.facts import ConfigFact, Source
from runs.analysis.headline_outcome import LABELS as OUTCOMES
from runs.analysis.headline_outcome import Headline
from runs.analysis.scalability_law import Sweep
from runs.analysis.table import Cell, Comparison
from runs.analysis.verdict import Judgement, Verdict
from runs.analysis.verdict_wording import LABELS, describe_baselines
from runs.numbers import figure

# An underscore inside a word is only a letter; an ampersand matters where it would begin an entity.
MEANS = re.compile(r"[\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w+;)|[<>]|[\x00-\x1f\x7f]")
INSTEAD = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
# What would open a heading, a list, a rule, a quote or an indented block at the beginning of a line.
OPENS = re.compile(r"(\d+)([.)])(?=\s)|([-+=#]+)(?=\s|$)")
# Where a spreadsheet may begin a cell: it may take another sign than a comma for the separator, and then no quotes for quotes.
# It may also drop invisible signs there.
FORMULA = re.compile(r"""^(?=[\t\r])|((?:^|[,;|\t\r\n])["'\s\x00-\x1f\u200b-\u200f\u2060\ufeff]*)(?=[=+\-@＝＋－＠])""")


def escape_markdown(words: str) -> str:
    """On one line, every sign that would mean something to Markdown or HTML made plain."""
    plain = MEANS.sub(_describe_instead, " ".join(words.split()))
    match = OPENS.match(plain)
    if not match:
        return plain
    return f"{match[1]}\\{match[2]}{plain[match.end() :]}" if match[1] else f"\\{plain}"


def quote_address(url: str) -> str:
    """An address as a link's target: what would end it is percent-encoded."""
    return url.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")


def write_markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[bool] = ()) -> str:
    """A table of finished cells; columns marked `right` stand to the right."""
    sides = ["---:" if at < len(right) and right[at] else "---" for at in range(len(heads))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, sides, *rows))


def _describe_instead(match: re.Match[str]) -> str:
    sign = match[0]
    if sign < " " or sign == "\x7f":
        return "\ufffd"
    return INSTEAD.get(sign, f"\\{sign}")


Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class FlatTable:
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def records(self) -> list[dict[str, Value]]:
        return [dict(zip(self.heads, row, strict=True)) for row in self.rows]


def as_csv(sheet: FlatTable) -> str:
    """Exact figures, and texts in quotes; a ' keeps a spreadsheet from running a part of a text as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    for row in (sheet.heads, *sheet.rows):
        writer.writerow([FORMULA.sub(r"\1'", value) if isinstance(value, str) else value for value in row])
    return out.getvalue()


def as_markdown(sheet: FlatTable) -> str:
    """A table to paste into a post: four significant figures, numbers to the right."""
    numeric = [any(isinstance(row[at], (int, float)) for row in sheet.rows) for at in range(len(sheet.heads))]
    rows = [[escape_markdown(_word(value)) for value in row] for row in sheet.rows]
    body = write_markdown_table([escape_markdown(head) for head in sheet.heads], rows, right=numeric)
    return f"# {escape_markdown(sheet.title)}\n\n{body}\n"


def make_comparison_sheet(title: str, comparison: Comparison, judgement: Judgement) -> FlatTable:
    """Metrics down, configs across: the mean of each, its n, its ratio to the baseline, the verdict and its interval."""
    heads = ["metric", "unit"]
    for at, name in enumerate(number_equal_heads([column.title for column in comparison.columns])):
        heads += [name, f"{name}: n", *(f"{name}: {word}" for word in AGAINST if at)]
    rows = []
    for row in comparison.rows:
        values: list[Value] = [row.label, row.unit]
        for at, cell in enumerate(row.cells):
            values += [cell.mean, cell.n] + (_compare_cell(cell, judgement.of(row.key, at)) if at else [])
        rows.append(tuple(values))
    return FlatTable(title, tuple(heads), tuple(rows))


AGAINST = ("ratio to baseline", "verdict", "ratio low", "ratio high")


def _compare_cell(cell: Cell, verdict: Verdict | None) -> list[Value]:
    ratio = cell.delta.ratio if cell.delta else None
    return [ratio, LABELS[verdict.kind], verdict.low, verdict.high] if verdict else [ratio, None, None, None]


def number_equal_heads(heads: Sequence[str]) -> tuple[str, ...]:
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


def name_for_scripts(item: Any) -> dict[str, Any]:
    """A dataclass as a dict, in which scripts know its configs as setups."""
    return {"setups" if name == "configs" else name: value for name, value in to_plain(item).items()}


def to_plain(value: Any) -> Any:
    """Dataclasses as dicts, all the way down; a config by its id and name. JSON knows no NaN or infinity: null."""
    if isinstance(value, ConfigFact):
        return {"id": value.id, "name": value.name}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


SEVERITY = {"fatal": "Not counted", "caution": "Caution", "note": "Note"}
MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class CaptionedTable:
    """A small table of plain words under a heading of its own."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """`notes` say how to read the figures."""

    heading: str
    sentences: tuple[str, ...] = ()
    tables: tuple[CaptionedTable, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Post:
    """All that a post says. `absolute` makes an address on this site one that works elsewhere.

    overview   the key table                 next       what to type next
    pictures   (what it shows, address)      sections   cost, scaling, config differences
    same       (name, value) of the environment     differ   (name, a value a column)
    """

    title: str
    url: str
    comparison: Comparison
    headline: Headline
    judgement: Judgement
    doubts: Sequence[Doubt]
    absolute: Callable[[str], str]
    causes: Causes = Causes()
    overview: CaptionedTable | None = None
    next: str = ""
    pictures: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    method: Sequence[str] = ()
    commands: Sequence[str] = ()
    same: Sequence[tuple[str, str]] = ()
    differ: Sequence[tuple[str, tuple[str, ...]]] = ()
    notes: str = ""


def write_post(post: Post) -> str:
    """The whole post. Every name and sentence is escaped: none can become markup or break a table."""
    parts = [f"# {escape_markdown(post.title)}", _write_headline(post), escape_markdown(post.notes)]
    parts += ["## Overview", _write_table(post.overview)] if post.overview else []
    parts += ["## Doubts", "\n".join(f"- {_write_doubt(post, doubt)}" for doubt in post.doubts)] if post.doubts else []
    parts += _write_causes(post)
    parts += [f"**Next:** {escape_markdown(post.headline.next.text)}", _write_code(post.next)]
    parts += _write_figures(post)
    parts += [f"![{escape_markdown(words)}]({quote_address(url)})" for words, url in post.pictures]
    for section in post.sections:
        parts += [f"## {section.heading}", *(escape_markdown(words) for words in section.sentences)]
        parts += [part for table in section.tables for part in (escape_markdown(table.caption), _write_table(table))]
        parts += [escape_markdown(words) for words in section.notes]
    parts += _write_method(post)
    parts += _write_environment(post)
    parts.append(f"All figures with their lines: <{quote_address(post.url)}>")
    return "\n\n".join(part for part in parts if part) + "\n"


def _write_headline(post: Post) -> str:
    headline = post.headline
    lines = "".join(_cite(post, objection.source) for objection in headline.against if objection.in_sentence)
    parts = [f"**{OUTCOMES[headline.outcome].capitalize()}.** {escape_markdown(headline.sentence)}{lines}"]
    if further := [objection for objection in headline.against if not objection.in_sentence]:
        each = [
            f"- {f'{escape_markdown(it.config)}: ' if it.config else ''}{escape_markdown(it.text)}{_cite(post, it.source)}"
            for it in further
        ]
        parts.append("Against it:\n\n" + "\n".join(each))
    return "\n\n".join(parts)


def _link_line(post: Post, source: Source) -> str:
    return f"[line {source.line}]({quote_address(post.absolute(source.url))})"


def _cite(post: Post, source: Source | None) -> str:
    return f" ({_link_line(post, source)})" if source else ""


def _write_causes(post: Post) -> list[str]:
    each = []
    for cause in post.causes.findings:
        share = f" It accounts for {cause.share_pct:.0f} % of the difference." if cause.share_pct else ""
        lines = [escape_markdown(evidence.text) + _cite(post, evidence.source) for evidence in cause.evidence]
        each.append(f"- {escape_markdown(cause.text)}{share} {'; '.join(lines)}".rstrip())
    if post.causes.unknown:
        each.append(f"- {escape_markdown(post.causes.unknown)}")
    command = _write_code(post.causes.command) if post.causes.unknown else ""
    return ["## Why", "\n".join(each), command] if each else []


def _write_code(lines: str) -> str:
    return "\n".join(f"    {line}" for line in lines.splitlines())


def _write_doubt(post: Post, doubt: Doubt) -> str:
    lines = [_link_line(post, source) for source in doubt.sources[:MOST_LINES]]
    more = len(doubt.sources) - len(lines)
    said = "Counted anyway" if doubt.overruled else SEVERITY[doubt.severity]
    tail = f" ({', '.join(lines)}{f' and {more} more' if more > 0 else ''})" if lines else ""
    return f"**{said}:** {escape_markdown(doubt.text)}{tail}"


def _write_figures(post: Post) -> list[str]:
    heads = ("", *(escape_markdown(column.title) for column in post.comparison.columns))
    rows = []
    for row in post.comparison.rows:
        label = f"{row.label} ({row.unit})" if row.unit else row.label
        cells = (_word_cell(cell, post.judgement.of(row.key, at)) for at, cell in enumerate(row.cells))
        rows.append((escape_markdown(label), *(escape_markdown(words) for words in cells)))
    if not rows:
        return []
    return [
        "## All metrics",
        write_markdown_table(heads, rows),
        f"Means of n values. {escape_markdown(describe_baselines(post.comparison, post.judgement))}",
    ]


def _word_cell(cell: Cell, verdict: Verdict | None) -> str:
    """A cell in words: "722.2 (▲ 17 % more, undecided, n=2)"."""
    if cell.mean is None:
        return ""
    parts = [str(cell.delta) if cell.delta else "", LABELS[verdict.kind] if verdict else "", f"n={cell.n}"]
    return f"{figure(cell.mean)} ({', '.join(part for part in parts if part)})"


def _write_table(captioned_table: CaptionedTable) -> str:
    return write_markdown_table(
        [escape_markdown(head) for head in captioned_table.heads],
        [[escape_markdown(word) for word in row] for row in captioned_table.rows],
    )


def _write_method(post: Post) -> list[str]:
    code = [f"    {' '.join(command.split())}" for command in post.commands]
    return ["## Method", *map(escape_markdown, post.method), "\n".join(code)] if post.method or code else []


def _write_environment(post: Post) -> list[str]:
    if not post.same and not post.differ:
        return []
    same = [f"- {escape_markdown(name)}: {escape_markdown(value)}" for name, value in post.same]
    differ = [
        f"- {escape_markdown(name)}: {', '.join(escape_markdown(value) for value in dict.fromkeys(values) if value)}"
        for name, values in post.differ
    ]
    return ["## Environment", "\n".join(same + differ)]


MOST_DIRECTIVES = 60


def list_sections(
    columns: Sequence[Column], cost: Cost | None, sweeps: Sequence[Sweep], differences: ConfigDiff
) -> list[Section]:
    """Those that have something to say."""
    every = [_tabulate_cost(cost, columns), _tabulate_scaling(sweeps), _tabulate_differences(differences)]
    return [section for section in every if section.sentences or section.tables]


def _tabulate_cost(cost: Cost | None, columns: Sequence[Column]) -> Section:
    if cost is None:
        return Section("Cost of serving")
    rows = tuple(
        (
            f"{row.label} ({row.unit})" if row.unit else row.label,
            *(" ".join(part for part in (cell.bound, cell.text) if part) if cell else "" for cell in row.cells),
        )
        for row in cost.rows
    )
    heads = ("", *(column.title for column in columns))
    return Section("Cost of serving", cost.sentences, (CaptionedTable("", heads, rows),), cost.notes)


def _tabulate_scaling(sweeps: Sequence[Sweep]) -> Section:
    sentences: list[str] = []
    notes: list[str] = []
    tables = []
    for sweep in sweeps:
        sentences += [sweep.sentence, *sweep.details]
        notes += sweep.notes
        heads = ("Concurrency", "Requests per s", f"{sweep.tail} (ms)", "n")
        rows = tuple(
            (str(level.n), figure(level.rate), figure(level.tail_ms), str(len(level.rates))) for level in sweep.levels
        )
        tables.append(CaptionedTable(sweep.name, heads, rows))
    return Section("How it scales", tuple(sentences), tuple(tables), tuple(dict.fromkeys(notes)))


def _tabulate_differences(config_diff: ConfigDiff) -> Section:
    tables = [_tabulate_file(file) for file in config_diff.files if file.rows]
    return Section(
        "Config differences", (*config_diff.sentences, *(file.sentence for file in config_diff.files)), tuple(tables)
    )


def _tabulate_file(file: FileDiff) -> CaptionedTable:
    rows = tuple(
        (
            " › ".join(part for part in (row.section, row.name) if part),
            *(", ".join(cell.values) if cell.state == "set" else cell.state for cell in row.cells),
        )
        for row in file.rows[:MOST_DIRECTIVES]
    )
    return CaptionedTable(file.name, ("Directive", *(config.name for config in file.configs)), rows)


MOST_COMMANDS = 12


def collect_commands(comparison: Comparison) -> list[str]:
    """The command lines of the runs, each once, as far as the text has them."""
    commands = (" ".join(run.command.split()) for column in comparison.columns for run in column.runs if run.command)
    return list(dict.fromkeys(commands))[:MOST_COMMANDS]


def collect_environment(
    differ: Sequence[Difference],
    same: Sequence[tuple[str, str]],
    hosts_differ: Sequence[Difference],
    hosts_same: Sequence[tuple[str, str]],
    *,
    has_hosts: bool,
) -> tuple[list[tuple[str, str]], list[tuple[str, tuple[str, ...]]]]:
    """(what is the same wherever it is known, what differs: a value a column or host), of compare_columns and compare_hosts."""
    elsewhere = {"Command", "Host"} if has_hosts else {"Command"}  # commands are part of the method
    alike = [(name, value) for name, value in same if name not in elsewhere]
    machines = [("Machine" if name == "Name" else name, value) for name, value in hosts_same]
    return machines + alike, [
        (difference.name, difference.values)
        for difference in (*hosts_differ, *differ)
        if difference.name not in elsewhere
    ]
