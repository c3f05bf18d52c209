"""How templates write figures and link them to their lines."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince

from runs.analysis.columns import short_names
from runs.analysis.headline import Outcome
from runs.analysis.headline_wording import LABELS as OUTCOMES
from runs.analysis.numbers import figure, grouped
from runs.analysis.table import Comparison
from runs.analysis.verdict import Judgement
from runs.charts import N_COLORS, SYMBOLS, symbol
from runs.charts.bars import Bar
from runs.charts.description import Chart
from runs.charts.svg import draw_inline, draw_mini
from runs.presenters.tool_fields import say_field
from runs.selectors.lists import Managed, describe_managed
from runs.selectors.summaries import ExperimentSummary

register = template.Library()
OUTCOME_SIGNS = {"better": "✔", "likely": "◕", "unproven": "◔", "same": "=", "trade_off": "⇄"}
OUTCOME_SIGNS |= {"not_comparable": "≠", "failed": "✕", "sweep": "↗"}
# The figures' symbols as characters, for headings: colour is never the only mark.
MARKS = dict(zip(SYMBOLS, "●■◆▲✖★⬟✚", strict=True))


@register.filter
def num(value: float | None) -> SafeString:
    """Four significant figures; the exact value in the element, so that it can be copied and read by scripts."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return format_html("{}", "–" if value is None else value)
    parts = grouped(figure(value))
    inner = format_html_join("", "<i>{}</i>", ((part,) for part in parts)) if len(parts) > 1 else parts[0]
    return format_html('<data value="{}">{}</data>', repr(value), inner)


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


@register.filter
def phases(words: str) -> list[str]:
    return ["", *words.split()]


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
    """The rows of a card's picture: the best configs first, but for a sweep, which keeps its order."""
    names = short_names([config.name for config in summary.configs])
    bars = [
        Bar(name, place, tuple(config.rates), failed=bool(config.failed), change=_failed(config.failed))
        for place, (name, config) in enumerate(zip(names, summary.configs, strict=True))
    ]
    is_sweep = (summary.headline or {}).get("outcome") == Outcome.SWEEP
    bars = bars if is_sweep else sorted(bars, key=lambda bar: (bar.failed, -bar.mean))
    return mark_safe(draw_mini(bars))  # noqa: S308


def _failed(share: str) -> str:
    return share if share in ("", "failed") else f"{share} failed"


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


@register.simple_tag
def base_letter(comparison: Comparison, judgement: Judgement, column: int) -> str:
    """Of the column that this one is judged against."""
    return comparison.columns[judgement.bases[column]].letter


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
