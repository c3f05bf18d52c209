"""How templates write figures and link them to their lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from html import escape
from typing import Any

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince

from runs.analysis.columns import Column, Difference, drop_shared_words
from runs.analysis.cost import CostCell
from runs.analysis.facts import CaptureFact, ConfigFact, RunFact
from runs.analysis.headline_outcome import LABELS as OUTCOMES
from runs.analysis.headline_outcome import MEANINGS, Outcome
from runs.analysis.stats import delta_word
from runs.analysis.summary_wording import name_tool
from runs.analysis.table import Comparison, Row
from runs.analysis.verdict import Judgement, Verdict
from runs.analysis.verdict_wording import LABELS, SIGNS
from runs.charts import N_COLORS, SYMBOLS, Chart, symbol
from runs.charts.bars import Bar
from runs.charts.svg import draw_inline, draw_mini
from runs.ingest import get_semantics
from runs.models import Config
from runs.numbers import cut_name, write_count
from runs.presenters.overview import MetricCell, write_value
from runs.presenters.tool_fields import say_field
from runs.selectors.summaries import ExcerptLine, ExperimentSummary, Managed, describe_managed

register = template.Library()
LONGEST_LABEL = 60
MOST_WATCHED = 300  # captures, or runs that have some, in a list
BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|times|m?s|[kMG]i?B)(?![^\W_]))")
RIGHT = ' class="r"'
MOST_LINES = 3  # that one cell links
OUTCOME_SIGNS = {"better": "✔", "likely": "◕", "unproven": "◔", "same": "=", "trade_off": "⇄"}
OUTCOME_SIGNS |= {"not_comparable": "≠", "failed": "✕", "sweep": "↗"}
# The figures' symbols as characters, for headings: colour is never the only mark.
MARKS = dict(zip(SYMBOLS, "●■◆▲✖★⬟✚", strict=True))


@register.filter
def num(value: float | None) -> SafeString:
    """Four significant figures; the exact value in the element, so that it can be copied and read by scripts."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return format_html("{}", "–" if value is None else value)
    return mark_safe(write_value(value))  # noqa: S308  (digits only)


@register.filter
def tool_name(tool: str) -> str:
    """What pages call a run's tool; "table of rates" where it is none."""
    return get_semantics(tool).shown_as or tool


@register.filter
def of_tool(tool: str) -> str:
    """ "of ab", "from a table of rates"."""
    semantics: Any = get_semantics(tool)
    return name_tool(tool, semantics)


@register.filter
def with_units(words: str) -> str:
    """With no line break between a number and its unit."""
    return BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", words)


@register.filter
def mib(kb: float | None) -> SafeString:
    return num(None if kb is None else kb / 1024)


@register.filter
def mark(place: int) -> str:
    return MARKS[symbol(place)]


@register.filter
def shade(place: int) -> int:
    return place % N_COLORS


@register.filter
def get(mapping: dict[object, object], key: object) -> object:
    return mapping.get(key, "")


@register.simple_tag(takes_context=True)
def page_link(context: template.Context, name: str, words: str, parts: str = "") -> SafeString:
    """A link in the bar of every page; it is marked on the page itself and on those that are `parts` of it."""
    request = context.get("request")
    shown = request.resolver_match.url_name if request and request.resolver_match else ""
    current = "page" if shown == name else "true" if shown in parts.split() else ""
    mark = format_html(' aria-current="{}"', current) if current else ""
    return format_html('<a href="{}"{}>{}</a>', reverse(name), mark, words)


@register.simple_tag
def experiment_bars(summary: ExperimentSummary) -> SafeString:
    """The rows of a card's picture: the best configs first, but for a sweep, which keeps its order.

    A sweep of one config has its levels: a mean of them all says nothing.
    """
    headline = summary.headline or {}
    if levels := headline.get("levels"):
        bars = [Bar(name, 0, (rate,), failed=bool(failed), change=_failed(failed)) for name, rate, failed in levels]
        return mark_safe(draw_mini(bars))  # noqa: S308
    names = drop_shared_words([config.name for config in summary.configs])
    bars = [
        Bar(name, place, (config.mean,), failed=bool(config.failed), change=_failed(config.failed))
        for place, (name, config) in enumerate(zip(names, summary.configs, strict=True))
        if config.mean is not None
    ]
    if headline.get("outcome") == Outcome.SWEEP:
        bars = bars if len(bars) > 1 else []
    else:
        bars.sort(key=lambda bar: (bar.failed, -bar.mean))
    return mark_safe(draw_mini(bars))  # noqa: S308


def _failed(share: str) -> str:
    return share if share in ("", "failed") else f"{share} failed"


@register.simple_block_tag
def table(content: SafeString, label: str, heads: str = "", kind: str = "list") -> SafeString:
    """A table that scrolls within the page: its rows below heads, or all its parts.

    Heads have commas between; ">" stands before one of figures, "[...]" around its unit.
    """
    cells = SafeString()
    for head in heads.split(", ") if heads else ():
        words, _, unit = head.removeprefix(">").removesuffix("]").partition(" [")
        small = f" <small>{unit}</small>" if unit else ""
        cells += mark_safe(f'<th scope="col"{RIGHT * head.startswith(">")}>{words}{small}</th>')  # noqa: S308  (a template's words)
    parts = format_html("<thead><tr>{}</tr></thead><tbody>{}</tbody>", cells, content) if heads else content
    region = '<div class="tablebox" tabindex="0" role="region" aria-label="{}"><table class="{}">{}</table></div>'
    return format_html(region, label, kind, parts)


@register.simple_tag
def field_words(name: str) -> SafeString:
    """A tool's own field name in words, with its unit."""
    words, unit = say_field(name)
    return format_html('{} <span class="unit">{}</span>', words, unit)


@register.simple_tag
def outcome_sign(outcome: str) -> SafeString:
    return format_html('<span aria-hidden="true">{}</span>', OUTCOME_SIGNS.get(outcome, "•"))


@register.filter
def ago(moment: datetime) -> str:
    """As "3 hours ago" within a week, else the day."""
    age = timezone.now() - moment
    if not timedelta() <= age < timedelta(days=7):
        return f"{moment:%-d %b %Y}"
    return "just now" if age < timedelta(minutes=1) else f"{timesince(moment, depth=1)} ago"


@register.simple_tag
def draw_chart(chart: Chart) -> SafeString:
    """The chart as SVG, as wide as its place."""
    return mark_safe(draw_inline(chart))  # noqa: S308  (the drawing escapes every name)


@register.filter
def outcome_word(outcome: str) -> str:
    """A headline's outcome as its badge has it."""
    return OUTCOMES[Outcome(outcome)]


@register.filter
def outcome_meaning(outcome: str) -> str:
    """What that word says, in a sentence."""
    return MEANINGS[Outcome(outcome)]


@register.simple_tag
def diff_line(sign: str, line: str) -> SafeString:
    """A line of a diff; `sign` is +, -, a space for an unchanged line, or anything else where lines are left out."""
    if sign == "+":
        return format_html("<ins>+ {}</ins>", line)
    if sign == "-":
        return format_html("<del>- {}</del>", line)
    return format_html("<span>  {}</span>", line) if sign == " " else format_html('<span class="muted">…</span>')


ROW_NAMES = {"timings": "file%s of single requests", "texts": "config text%s"}


@register.filter
def name_rows(name: str, n: int) -> str:
    """ "3 runs", by a name of `ingest.count_deleted`."""
    words = ROW_NAMES.get(name, f"{name.removesuffix('s')}%s")
    return f"{n:,} {words % ('' if n == 1 else 's')}"


@register.simple_tag
def managed(row: object) -> Managed:
    """What the forms of a row's menu begin with; see _manage.html. Two queries at most."""
    return describe_managed(row)


# --- rows of large tables: one function a row, as each tag and filter of a template takes longer than all of it ----------


@register.simple_tag(takes_context=True)
def run_rows(context: template.Context, runs: Sequence[RunFact]) -> SafeString:
    """Of an experiment's runs; for users with a button to move each and one to leave it out."""
    names = context["config_names"]
    changes = context["user"].is_authenticated and "experiment" in context
    moves = changes and len(context["data"].configs) > 1
    return mark_safe("".join(_run_row(run, names, changes, moves) for run in runs))  # noqa: S308  (all is escaped)


def _run_row(run: RunFact, names: Mapping[int, str], changes: bool, moves: bool) -> str:
    url, label = escape(run.url), cut_name(run.label or tool_name(run.tool), LONGEST_LABEL)
    form = f'formaction="{url}manage/" class="plain"'
    move = f'<button form="move-run" {form}>move</button> · ' if moves else ""
    off = "" if run.counted else ' class="off"'
    value, words = ("false", "leave out") if run.counted else ("true", "count again")
    count = f'<button form="count-run" {form} name="counted" value="{value}">{words}</button>'
    return (
        f'<tr{off}><td><a href="{url}">{escape(label)}</a></td>'
        f'<td>{escape(names.get(run.config, ""))}</td><td class="r">{run.repeat}</td>'
        f'<td class="r">{num(run.requests_per_second)}</td><td><a href="{escape(run.source)}">{run.line}</a></td>'
        + (f'<td class="noprint nowrap">{move}{count}</td></tr>\n' if changes else "</tr>\n")
    )


@register.simple_tag
def config_options(configs: Iterable[Config | ConfigFact]) -> SafeString:
    """Of a select: the value is the config's id."""
    options = (
        f'<option value="{config.id}">{escape(cut_name(config.name, LONGEST_LABEL))}</option>' for config in configs
    )
    return mark_safe("\n".join(options))  # noqa: S308  (all is escaped)


@register.simple_tag
def excerpt_lines(lines: Sequence[ExcerptLine]) -> SafeString:
    gap = '<li class="gap"><span class="no">…</span></li>\n'
    items = (
        f'{gap * line.gap}<li><a class="no" href="{escape(line.url)}">{line.n}</a><code>{escape(line.text) or " "}</code></li>\n'
        for line in lines
    )
    return mark_safe("".join(items))  # noqa: S308  (all is escaped)


@register.simple_tag(takes_context=True)
def capture_rows(context: template.Context, watched: Sequence[tuple[RunFact | None, list[CaptureFact]]]) -> SafeString:
    """See group_captures: a line for the captures beside one run, or for each where they are few."""
    names, rows = context["config_names"], []
    for run, captures in watched[:MOST_WATCHED]:
        if run:
            name = f"{names.get(run.config, '')}, {f'run {run.repeat}' if run.repeat else 'warm-up'}"
            rows.append(_write_capture_row(f"{run.url}#beside", name, f"{len(captures)} monitors", captures[0]))
        else:
            rows += [
                _write_capture_row(
                    capture.url, f"{capture.tool} {capture.phase}", _describe_capture(capture, names), capture
                )
                for capture in captures[:MOST_WATCHED]
            ]
    return mark_safe("".join(rows))  # noqa: S308  (all is escaped)


def _write_capture_row(url: str, name: str, words: str, first: CaptureFact) -> str:
    return (
        f'<li><a href="{escape(url)}">{escape(name)}</a> <span class="muted">{escape(words)}</span> '
        f'<a href="{escape(first.source)}" class="line">line {first.line}</a></li>\n'
    )


def _describe_capture(capture: CaptureFact, names: Mapping[int, str]) -> str:
    shown = " shown" * (capture.partial or capture.is_cut)
    parts = [
        names.get(capture.config or 0) or "whole experiment",
        f"{write_count(len(capture.processes), 'process')}{shown}" if capture.processes else "",
        f"{capture.n} samples" if capture.n > 1 else "",
        "partial" if capture.partial else "",
    ]
    return ", ".join(filter(None, parts))


@register.simple_tag
def list_verdicts(comparison: Comparison, judgement: Judgement) -> list[tuple[Row, int, Verdict]]:
    """(row, place of the column, verdict) of each, in the order of the table."""
    places = ((row, at) for row in comparison.rows for at in range(len(comparison.columns)))
    return [(row, at, verdict) for row, at in places if (verdict := judgement.of(row.key, at)) is not None]


@register.simple_tag
def verdict_rows(
    verdicts: Sequence[tuple[Row, int, Verdict]], comparison: Comparison, judgement: Judgement
) -> SafeString:
    """See list_verdicts: a row each, with what it rests on."""
    rows, columns = [], comparison.columns
    for row, at, verdict in verdicts:
        words = judgement.words[row.key, at]
        effect = "" if verdict.effect is None else delta_word(verdict.effect)
        base = f' <span class="muted">against {escape(columns[verdict.base].title)}</span>' if len(columns) > 2 else ""
        detail = f". {escape(words.detail)}" if words.detail else ""
        sources = verdict.scale.sources if verdict.scale else ()
        repeats = ", ".join(f'<a href="{escape(url)}">{escape(name)}</a>' for name, url in sources)
        rows.append(
            f'<tr><td>{escape(row.label)}</td><td class="words">{escape(columns[at].title)}{base}</td>'
            f'<td class="nowrap"><span class="verdict {verdict.kind}"><span aria-hidden="true">{SIGNS[verdict.kind]}</span> '
            f'{LABELS[verdict.kind]}</span></td><td class="r">{verdict.n_base}, {verdict.n}</td>'
            f'<td class="words">{escape(words.text)}{detail}{" Repeats of " * bool(repeats)}{repeats}'
            + (f" Effect: {escape(effect)} (Cliff’s delta {num(verdict.effect)})." if effect else "")
            + "</td></tr>\n"
        )
    return mark_safe("".join(rows))  # noqa: S308  (all is escaped)


@register.simple_tag
def column_heads(columns: Sequence[Column]) -> SafeString:
    """A cell of a table's head each, in the config's colour."""
    return mark_safe("".join(_write_column_name(column, "col") for column in columns))  # noqa: S308  (all is escaped)


def _write_column_name(column: Column, scope: str) -> str:
    return (
        f'<th scope="{scope}" class="c{column.color % N_COLORS}"><span class="key">{column.letter}</span> '
        f'<span title="{escape(column.title)}">{escape(column.short)}</span></th>'
    )


@register.simple_tag
def column_lines(columns: Sequence[Column], rows: Sequence[Difference], absent: str) -> SafeString:
    """A line a config, for many of them: its name and its value of each row."""
    lines = (
        f"<tr>{_write_column_name(column, 'row')}{value_cells([row.values[at] for row in rows], absent)}</tr>"
        for at, column in enumerate(columns)
    )
    return mark_safe("".join(lines))  # noqa: S308  (all is escaped)


@register.simple_tag(takes_context=True)
def column_head(context: template.Context, column: Column, at: int) -> SafeString:
    """The head of a column (or line) of the key table: its name, and what sets it apart from the others."""
    silent, bases = context["judged"].judgement.silent, context["judged"].judgement.bases
    base = ""
    if bases[at] == at and bases.count(at) > 1 and len(bases) > 2:
        base = "baseline ·"
    elif context["several_bases"] and bases[at] != at:
        base = f"against {context['comparison'].columns[bases[at]].letter} ·"
    out = f'<b class="out" title="{escape(silent[at])}">not counted</b> ·' if at in silent else ""
    of = f" · {escape(column.config.experiment)}" if column.config.experiment else ""
    return mark_safe(  # noqa: S308  (all is escaped)
        f'<a href="{escape(column.config.url)}" title="{escape(column.title)}"><span class="key">{column.letter}</span> '
        f'{escape(column.short)}</a> <span class="unit">{out} {base} n={len(column.runs)}{of}</span>'
    )


@register.simple_tag
def metric_cells(cells: Sequence[MetricCell], words: bool = False, titles: bool = False) -> SafeString:
    """Of a row of a table of metrics. words: with the verdict of each below its change; titles: with its reason in a tooltip."""
    written = []
    for cell in cells:
        title = f' title="{escape(cell.title)}"' if titles else ""
        change = f' <span class="delta {cell.tone}"{title}>{escape(cell.change)}</span>' if cell.change else ""
        note = f' <span class="delta">{escape(cell.note)}</span>' if cell.note else ""
        word = f'<span class="word {cell.tone}">{cell.verdict}</span>' if words and cell.tone else ""
        kind = ' class="failed"' if cell.bad else ""
        written.append(f"<td{kind}>{cell.value}{change}{note}{word}{cell.repeats}</td>")
    return mark_safe("".join(written))  # noqa: S308  (all is escaped)


@register.simple_tag
def value_cells(values: Sequence[object], absent: str = "–") -> SafeString:
    """A cell each; of those that are empty `absent`."""
    none = f'<td><span class="none">{escape(absent)}</span></td>'
    return mark_safe("".join(f"<td>{escape(str(value))}</td>" if value else none for value in values))  # noqa: S308


@register.simple_tag
def cost_cells(cells: Sequence[CostCell | None]) -> SafeString:
    """Of a row of the cost table: each figure, how it was worked out, and its first lines."""
    return mark_safe("".join(map(_write_cost_cell, cells)))  # noqa: S308  (all is escaped)


def _write_cost_cell(cell: CostCell | None) -> str:
    if cell is None:
        return '<td><span class="none" title="not given">–</span></td>'
    bound = f'<span class="w">{cell.bound}</span> ' if cell.bound else ""
    lines = "".join(
        f' <a href="{escape(source.url)}" class="line">line {source.line}</a>' for source in cell.sources[:MOST_LINES]
    )
    more = f" and {len(cell.sources) - MOST_LINES} more" if len(cell.sources) > MOST_LINES else ""
    return (
        f'<td>{bound}<span class="v">{escape(cell.text)}</span> '
        f'<span class="repeats">{escape(cell.how)}{lines}{more}</span></td>\n'
    )
