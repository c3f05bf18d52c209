"""The top of a comparison: the headline with its reasons and commands, the chips of doubts, and the tables of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from html import escape
from itertools import islice
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from runs.analysis import Judged
from runs.analysis.adaptive import SWITCH, lengthen, write_bd_command, write_command
from runs.analysis.columns import Column
from runs.analysis.config_diff import ConfigDiff
from runs.analysis.doubt_case import LOCAL, Doubt, seconds_taken
from runs.analysis.facts import RunFact, Source
from runs.analysis.headline_lead import Lead, give_reasons, needs_runs, write_lead
from runs.analysis.headline_outcome import ADVISED_S, Headline, NextStep, Outcome
from runs.analysis.headline_wording import describe_lead, strip_workload_names
from runs.analysis.summary_wording import name_tools
from runs.analysis.table import Cell, Comparison, Row, list_failed_shares
from runs.analysis.verdict import GAINS, LOSSES, Judgement, Kind, Verdict
from runs.analysis.verdict_wording import LABELS
from runs.charts.svg import draw_strip
from runs.numbers import figure, name_first, percent, signed, write_count

MOST_NAMES = 4
MOST_OTHERS = 4  # workloads
NAMED_HOST = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class Chip:
    """What makes figures doubtful, of one kind: a count and a word, and the doubts that it opens."""

    count: str
    word: str
    tone: str = ""
    doubts: Sequence[Doubt] = ()


@dataclass(frozen=True, slots=True)
class OutcomeBlock:
    """workload: of the lead, where its configs are named without it; column: the one that the lead opens with; command: what to
    type next, and switch: the word in it that a person must replace; differs: of config files, in a few words; rerun: the query
    of a plan that makes these runs."""

    workload: str
    lead: Lead
    column: Column | None
    reasons: Sequence[tuple[str, Source | None, bool]]
    others: Sequence[tuple[str, Lead, Outcome]]
    command: str
    switch: str
    rerun: str
    question: str
    chips: Sequence[Chip]
    differs: str


def make_block(comparison: Comparison, judged: Judged) -> OutcomeBlock:
    columns, headline, doubts = comparison.columns, judged.headline, judged.doubts
    within = strip_workload_names(headline) if headline.others and not headline.sweep else headline
    lead = write_lead(within)
    # Those of other loads that have something to tell; of a sweep those of other workloads, as its levels are in its chart.
    others = [one for one in headline.others if (one.sweep if headline.sweep else one.sides)]
    again = _find_next_runs(headline, columns)
    command = write_next_command(headline, again, judged.causes.host)
    return OutcomeBlock(
        workload="" if within == headline else headline.workload,
        lead=lead,
        column=columns[lead.at] if lead.at is not None and lead.at < len(columns) else None,
        reasons=give_reasons(headline, doubts),
        others=[(one.workload, write_lead(strip_workload_names(one)), one.outcome) for one in others[:MOST_OTHERS]],
        command=command,
        switch=SWITCH if SWITCH in command else "",
        rerun=f"run={','.join(str(run.id) for _, run in again)}&repeats={headline.next.runs}"
        if again and needs_runs(headline)
        else "",
        question="How much is served?" if len(columns) == 1 else "Which config serves more?",
        chips=make_chips(comparison, doubts),
        differs=name_differences(judged.differences),
    )


# --- what to do next, and what makes it doubtful ------------------------------------------------------------------------


def write_next_command(headline: Headline, again: Sequence[tuple[Column, RunFact]], host: str) -> str:
    """What to type for more of these runs, of the two best configs, in turn; "" where others are advised, or none.

    host: the machine whose monitors are missing.
    """
    longer = headline.next.step == NextStep.LONGER
    again = again if longer or needs_runs(headline) else []
    factor = ADVISED_S / min((seconds_taken(run) or ADVISED_S for _, run in again), default=1) if longer else 1
    variants = [
        (column.name, lengthen(write_command(run), run.options, factor) if longer else write_command(run))
        for column, run in again
    ]
    if not variants or not all(command for _, command in variants):
        return ""
    if len({run.host_id for _, run in again}) > 1 and all(run.hostname in LOCAL for _, run in again):
        # Each machine loaded itself: these are compared, from here.
        if not all(NAMED_HOST.fullmatch(run.host) for _, run in again):
            return ""
        variants = [
            (name, f"ssh {run.host} {command}") for (name, command), (_, run) in zip(variants, again, strict=True)
        ]
    warm = " --warmup 1" if headline.next.step in (NextStep.REPEAT, NextStep.WARM) else ""
    runs = "--until-sure" if headline.next.step == NextStep.REPEAT else f"--repeat {headline.next.runs}"
    return write_bd_command(variants, host=host, options=runs + warm)


def _find_next_runs(headline: Headline, columns: Sequence[Column]) -> list[tuple[Column, RunFact]]:
    """The two best configs in the order of the page, each with a run whose command is known; none of a sweep."""
    sides = [columns[at] for at in sorted(side.at for side in headline.sides[:2]) if at < len(columns)]
    if headline.sweep or len(sides) < 2:
        return []
    next_runs = [(column, next(filter(write_command, column.runs), None)) for column in sides]
    typed = [(column, run) for column, run in next_runs if run]
    return typed if len(typed) == len(sides) else []


def make_chips(comparison: Comparison, doubts: Sequence[Doubt]) -> list[Chip]:
    """Failures first, then what keeps runs out, cautions, notes, and what a person overruled.

    Replies with an error status failed, too; of one run they may be the same requests that its tool counts as failed.
    """
    row = comparison.row("failed_requests")
    failed = {one.run: one.value for cell in row.cells for one in cell.figures} if row else {}
    unsettled = [doubt for doubt in doubts if not doubt.overruled]
    errors = [doubt for doubt in unsettled if doubt.rule.startswith("errors.")]
    for one in (finding for doubt in errors if doubt.rule == "errors.status" for finding in doubt.findings):
        failed[one.run or 0] = max(failed.get(one.run or 0, 0), one.facts["other"])
    n_failed = sum(failed.values())
    others = [doubt for doubt in unsettled if doubt not in errors]
    kinds = {kind: [doubt for doubt in others if doubt.severity == kind] for kind in ("fatal", "caution", "note")}
    overruled = [doubt for doubt in doubts if doubt.overruled]
    worst = errors[0].severity if errors else ""
    chips = []
    if row or errors:
        tone = {"fatal": "fatal", "caution": "warn"}.get(worst, "")
        n_runs = len({finding.run for doubt in errors for finding in doubt.findings})
        if errors and not n_failed:  # a share of the requests is all that is known
            chips.append(Chip(str(n_runs), "run with failures" if n_runs == 1 else "runs with failures", tone, errors))
        else:
            chips.append(Chip(f"{n_failed:,.0f}", "failed", tone, errors))
    if kinds["fatal"]:
        word = "not counted" if all(doubt.runs for doubt in kinds["fatal"]) else "not comparable"
        chips.append(Chip(str(len(kinds["fatal"])), word, "fatal", kinds["fatal"]))
    for kind, tone in (("caution", "warn"), ("note", "")):
        if own := kinds[kind]:
            chips.append(Chip(str(len(own)), kind if len(own) == 1 else f"{kind}s", tone, own))
    return chips + ([Chip(str(len(overruled)), "counted anyway", "", overruled)] if overruled else [])


def name_differences(differences: ConfigDiff) -> str:
    """As "2 of 15 directives differ: WSGIApplicationGroup, WSGIImportScript"; "" where no file was compared."""
    rows = [row for file in differences.files for row in file.rows]
    if not rows:
        return ""
    names = list(dict.fromkeys(row.name for row in rows))
    of = len(rows) + sum(file.same for file in differences.files)
    verb = "differs" if len(rows) == 1 else "differ"
    return f"{len(rows)} of {of} directives {verb}: {name_first(names, MOST_NAMES)}"


def summarize_method(columns: Sequence[Column], n_left_out: int) -> str:
    """How all were loaded, as far as they agree: "4 runs of ab and 1 left out, 10,000 requests, 100 at once, /hello/"."""
    methods = [column.method for column in columns if column.runs]
    n = sum(len(column.runs) for column in columns)
    if not methods:
        return ""

    def shared(name: str) -> Any:
        values = {getattr(method, name) for method in methods}
        return values.pop() if len(values) == 1 else None

    duration, rate = shared("duration_s"), shared("rate")
    parts = [
        f"{write_count(n, 'run')} {name_tools(columns)}{f' and {n_left_out:,} left out' * bool(n_left_out)}",
        f"{shared('requests'):,} requests" if shared("requests") else "",
        f"{duration:g} s" if duration else "",
        f"{shared('concurrency'):,} at once" if shared("concurrency") else "",
        f"{rate:g} requests/s requested" if rate else "",
        shared("path") or "",
    ]
    return ", ".join(filter(None, parts))


def find_days(columns: Sequence[Column]) -> tuple[date, date] | None:
    """The first and the last day that runs were made on, by UTC; None where no run says when."""
    days = [run.ran_at.astimezone(UTC).date() for column in columns for run in column.runs if run.ran_at]
    return (min(days), max(days)) if days else None


# --- tables ---

MOST_ACROSS = 6  # configs beside each other; more stand below each other
MOST_MARKS = 40  # of one config in a strip
MOST_LINKED = 12  # values of one cell that are linked
MOST_IN_CELL = 12  # letters of another config's name
MOST_LISTED = 200  # configs below each other
MOST_CELLS = 300  # of all metrics that stand folded in the page; more have a page of their own
# Of each row the first that the runs tell.
RATE = ("requests_per_second",)
MIDDLE = ("p50_ms", "mean_ms")
TAIL = ("p99_ms", "max_ms", "p95_ms")
FAILED = ("failed_requests", "availability_pct")
NAMES = {
    "requests_per_second": ("Requests per second", ""),
    "failed_requests": ("Failed", ""),
    "non_2xx_responses": ("Error replies", ""),
}
MAIN_PHASES = ("during", "after", "before", "")
TONES = dict.fromkeys(GAINS, "up") | dict.fromkeys(LOSSES, "down")
# The badge of what is undecided; none where nothing was judged. Others have their labels.
WORDS = {Kind.UNDECIDED: "unproven", Kind.NONE: ""}


class MetricCell(NamedTuple):
    """value, and around it what was before and after; change against the baseline; verdict in a word where it says something."""

    value: SafeString
    change: str = ""
    tone: str = ""
    note: str = ""
    verdict: str = ""
    title: str = ""
    bad: bool = False
    repeats: SafeString = SafeString("")


@dataclass(frozen=True, slots=True)
class MetricRow:
    """strip: every run; phases: of a monitor, when its values were measured, where there are several."""

    key: str
    label: str
    unit: str
    cells: tuple[MetricCell, ...]
    strip: SafeString = SafeString("")
    phases: str = ""


@dataclass(frozen=True, slots=True)
class MetricTable:
    """groups: (name, rows) of all metrics; () where they stand on a page of their own. across: a column a config.

    columns: those that are listed; n_left: how many more there are
    """

    columns: tuple[Column, ...]
    rows: tuple[MetricRow, ...]
    n_metrics: int
    groups: tuple[tuple[str, tuple[MetricRow, ...]], ...] = ()
    n_left: int = 0

    @property
    def across(self) -> bool:
        return len(self.columns) <= MOST_ACROSS

    @property
    def has_verdicts(self) -> bool:
        return any(cell.verdict for row in self.rows for cell in row.cells)

    @property
    def has_strips(self) -> bool:
        return any(row.strip for row in self.rows)

    @property
    def lines(self) -> Iterator[tuple[int, Column, list[MetricCell]]]:
        """A line a config, for many of them."""
        for at, column in enumerate(self.columns):
            yield at, column, [row.cells[at] for row in self.rows]


def make_table(
    comparison: Comparison, judgement: Judgement, headline: Headline, *, whole: bool, most: int = MOST_LISTED
) -> MetricTable:
    """whole: all configs and all metrics, however many cells they have; most: configs otherwise."""
    columns = comparison.columns if whole else comparison.columns[:most]
    marks = [column.short if len(column.short) <= MOST_IN_CELL else column.letter for column in comparison.columns]
    leads = describe_lead(headline, judgement.bases, marks)
    merged = [(group.name, merge_phases(group.rows)) for group in comparison.groups]
    n_metrics = sum(len(rows) for _, rows in merged)
    picked = _pick_rows(comparison, merged)
    rows = [_make_key_row(comparison, judgement, phases, leads, len(columns)) for phases in picked]
    groups: tuple[tuple[str, tuple[MetricRow, ...]], ...] = ()
    if whole or n_metrics * len(comparison.columns) <= MOST_CELLS:
        groups = tuple((name, tuple(_make_full_row(judgement, phases) for phases in rows)) for name, rows in merged)
    return MetricTable(columns, tuple(rows), n_metrics, groups, len(comparison.columns) - len(columns))


class Phases(NamedTuple):
    """Rows of one thing before, during and after the load; `main`: the one that stands for it."""

    main: Row
    rows: tuple[Row, ...]


def merge_phases(rows: Sequence[Row]) -> list[Phases]:
    """The rows of each thing, which follow each other, as one."""
    merged: dict[str, list[Row]] = {}
    for row in rows:
        merged.setdefault(row.of or row.key, []).append(row)
    return [Phases(min(own, key=lambda row: MAIN_PHASES.index(row.phase)), tuple(own)) for own in merged.values()]


def _pick_rows(comparison: Comparison, merged: Sequence[tuple[str, Sequence[Phases]]]) -> Iterator[Phases]:
    for keys in (RATE, MIDDLE, TAIL, FAILED):
        if row := next((row for key in keys if (row := comparison.row(key))), None):
            yield Phases(row, (row,))
    if row := comparison.row("non_2xx_responses"):
        yield Phases(row, (row,))
    memory = [phases for name, rows in merged if name == "Memory" for phases in rows]
    ranked = [
        *[each for each in memory if each.main.of.endswith(": all together, most")],
        *[each for each in memory if each.main.of.endswith(": all together")],
        *memory,
    ]
    yield from ranked[:1]


def _make_key_row(
    comparison: Comparison, judgement: Judgement, phases: Phases, leads: Mapping[int, str], most: int
) -> MetricRow:
    """leads: of columns, the headline's effect where the changes against the baseline do not say it; most: cells."""
    row = phases.main
    label, unit = NAMES.get(row.key, (row.of or row.label, row.unit))
    program, colon, which = label.rpartition(": ")
    if colon:
        label, unit = f"{program} memory", f"{unit}, {which}"
    is_failures = row.key == "failed_requests"
    shares = list_failed_shares(comparison) if is_failures else {}
    cells = []
    pairs = zip(_make_cells(judgement, phases, linked=False), row.cells, strict=True)
    for at, (made, cell) in enumerate(islice(pairs, most)):
        note = percent(shares[at], 1) if at in shares else leads.get(at, "") if row.key in RATE else ""
        few = not row.of and 0 < cell.n < len(comparison.columns[at].runs)
        cells.append(made._replace(note=note or (f"n={cell.n}" if few else ""), bad=bool(is_failures and cell.mean)))
    strip = _strip(comparison, row) if len(comparison.columns) <= MOST_ACROSS and not row.phase else SafeString("")
    when = ", ".join(filter(None, (unit, row.phase)))
    return MetricRow(row.key, label, when, tuple(cells), strip, _say_phases(phases))


def _strip(comparison: Comparison, row: Row) -> SafeString:
    """Every run by the colour of its config, where they differ."""
    values = [[one.value for one in cell.figures] for cell in row.cells]
    if len({value for own in values for value in own}) < 2:
        return SafeString("")
    pairs = zip(comparison.columns, values, strict=True)
    return SafeString(draw_strip([(column.color, own[:MOST_MARKS]) for column, own in pairs]))


def _say_phases(phases: Phases) -> str:
    return " · ".join(row.phase for row in phases.rows if row.phase) if len(phases.rows) > 1 else ""


def _make_full_row(judgement: Judgement, phases: Phases) -> MetricRow:
    row = phases.main
    # A chart of single requests has the percentile of all requests instead.
    is_mean_of_percentiles = row.key[1:2].isdigit() and any(cell.n > 1 for cell in row.cells)
    parts = (row.unit, _say_phases(phases) or row.phase, "mean of each run’s own" * is_mean_of_percentiles)
    unit = " · ".join(filter(None, parts))
    return MetricRow(row.key, row.of or row.label, unit, tuple(_make_cells(judgement, phases, linked=True)))


def _make_cells(judgement: Judgement, phases: Phases, *, linked: bool) -> Iterator[MetricCell]:
    """linked: False leaves links out of the order of Tab, where the table of all metrics has the same, and single runs out."""
    row = phases.main
    for at, cell in enumerate(row.cells):
        verdict = judgement.of(row.key, at)
        values = [
            _write_value(one.cells[at], "v" if one is row else "w", linked) for one in phases.rows if one.cells[at].n
        ]
        yield MetricCell(  # every word in it was escaped
            value=SafeString('<span class="sep">·</span>'.join(values) or '<span class="none">–</span>'),
            change=signed(cell.delta) if cell.delta and cell.delta.text else "",
            tone=TONES.get(verdict.kind, "") if verdict else "",
            verdict=_name_verdict(verdict, cell) if verdict else "",
            title=judgement.words[row.key, at].text if verdict else "",
            repeats=_write_repeats(cell)
            if linked and len(phases.rows) == 1 and cell.n > 1 and not cell.alike
            else SafeString(""),
        )


def _name_verdict(verdict: Verdict, cell: Cell) -> str:
    """Equal values that prove nothing are "equal": neither is ahead."""
    if verdict.kind == Kind.UNDECIDED and cell.delta and not cell.delta.text:
        return cell.delta.word
    return WORDS.get(verdict.kind, LABELS[verdict.kind])


def _write_value(cell: Cell, kind: str, linked: bool) -> str:
    """The mean; a link to its line where all values are one, as all of it stands there."""
    first = cell.figures[0]
    text = write_value(cell.mean)
    if cell.alike:
        words = f"line {first.line}, {escape(first.what)}"
        skipped = "" if linked else ' tabindex="-1"'
        return f'<a class="{kind}" href="{escape(first.source)}"{skipped} title="{words}">{text}</a>'
    return f'<span class="{kind}">{text}</span>'


def write_value(value: float | None) -> str:
    """Four significant figures, the exact value in the element."""
    return f'<data value="{value!r}">{figure(value)}</data>'


def _write_repeats(cell: Cell) -> SafeString:
    links = [
        f'<a href="{escape(one.source)}" title="line {one.line}, {escape(one.what)}">{write_value(one.value)}</a>'
        for one in cell.figures[:MOST_LINKED]
    ]
    more = f" and {cell.n - MOST_LINKED} more" if cell.n > MOST_LINKED else ""
    return SafeString(f'<span class="repeats">{" ".join(links)}{more}</span>')
