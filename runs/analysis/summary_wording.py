"""The sentences of a comparison's parts: how it scales, how config texts differ, how it was made and judged; and of trends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from pathlib import PurePosixPath

from parsers.records import Semantics
from runs.analysis.columns import Column
from runs.analysis.config_diff import ConfigDiff, DirectiveRow, FileDiff
from runs.analysis.facts import KEPT_UP, ConfigFact, TextFact
from runs.analysis.scalability_law import (
    CLOSE,
    LACK_OF_FIT,
    LEAST_LEVELS,
    ROUGH,
    Fit,
    LawInterval,
    Sweep,
    is_too_wide,
    miss_share,
)
from runs.analysis.scaling import CONCURRENCY, SET_RATE, Point, Range, find_best, smooth_rates
from runs.analysis.table import Comparison
from runs.analysis.trend import FEWEST_DAYS, LEVEL, Change, Course
from runs.analysis.verdict import Judgement
from runs.numbers import TIMES_FROM, figure, join_words, percent, share_words, times, write_count

# Rates that lie within this of each other are "about" one rate; a factor this near to 2 is "doubles".
MOST_OTHER_LOADS = 3
ABOUT, NEAR, DOUBLE = 1.15, 1.1, (1.8, 2.3)
RATES = {"rps", "qps", "req/s", "requests/s"}
SIZE = re.compile(r"[kmgt]?i?b(?:ytes?)?\b", re.IGNORECASE)
SINGULAR = re.compile(r"(?<=ss)es$|(?<=[^s])s$")


def describe_sweep(sweep: Sweep) -> Sweep:
    """The sweep with its sentences."""
    details = _describe_fit(sweep.fit) if sweep.fit else ()
    return replace(sweep, sentence=_conclude(sweep, sweep.fit), details=details, notes=_note_sweep(sweep))


def _conclude(sweep: Sweep, fit: Fit | None) -> str:
    """How many levels are missing, or where the peak is."""
    if fit is None:
        return _say_missing(sweep)
    if miss_share(sweep, fit) >= ROUGH:
        return f"{sweep.name}: {_say_quality(sweep, fit)} No peak is read off it."
    return f"{sweep.name}: {_say_peak(sweep, fit)} {_say_quality(sweep, fit)}"


def _describe_fit(fit: Fit) -> tuple[str, ...]:
    """λ, σ and κ with their intervals."""
    return (
        f"λ {_add_interval(fit.rate_one, fit.rate_one_interval, ' requests/s for one client alone')}",
        f"σ {_add_interval(fit.contention, fit.contention_interval, ', the share of work that waits in line (contention)')}",
        f"κ {_add_interval(fit.coherency, fit.coherency_interval, ', the cost of keeping each other informed (coherency)')}",
    )


def _note_sweep(sweep: Sweep) -> tuple[str, ...]:
    levels: dict[str, list[str]] = {}
    for level, why in sweep.left_out:
        levels.setdefault(why, []).append(str(level))
    notes = [
        f"Left out at concurrency {join_words(list(dict.fromkeys(own)))}: {why.rstrip('.')}."
        for why, own in levels.items()
    ]
    if len(sweep.configs) > 1:
        notes.append(
            "Each level is a config of its own; they count as one since their names differ in that number only."
        )
    return tuple(notes)


def _say_missing(sweep: Sweep) -> str:
    levels = [str(level.n) for level in sweep.levels]
    lack = LEAST_LEVELS - len(levels)
    if lack <= 0:
        return f"{sweep.name}: no scaling law fits these {len(levels)} levels of concurrency."
    have = join_words(levels) or "none"
    plural = "level" if len(levels) == 1 else "levels"
    are = "1 more is" if lack == 1 else f"{lack} more are"
    return (
        f"{sweep.name}: {len(levels)} {plural} of concurrency that count ({have}); a scaling law takes at least "
        f"{LEAST_LEVELS}, {are} missing."
    )


def _say_peak(sweep: Sweep, fit: Fit) -> str:
    least, most = sweep.levels[0].n, sweep.levels[-1].n
    interval = fit.peak_interval
    if fit.peak_at is None or interval.high is None:
        return _say_no_peak(fit, most)
    if fit.peak_at < least:
        return f"req/s falls from the lowest level measured on ({least} clients): the peak lies below it."
    span = f"95 % interval {_count_clients(interval.low)} to {_count_clients(interval.high)}"
    if is_too_wide(interval):
        return f"req/s has a peak, but where is uncertain ({span} clients)."
    place = f"at {_count_clients(fit.peak_at)} clients ({span}), with {figure(fit.peak_rate)} requests/s"
    if fit.peak_at > most:
        return f"no peak up to the {most} clients measured; beyond them, the fitted curve has it {place}."
    return f"by a fitted curve, req/s peaks {place}."


def _say_no_peak(fit: Fit, most: int) -> str:
    if fit.peak_interval.low > most:
        more = f" If there is one, it lies above {_count_clients(fit.peak_interval.low)} clients."
        return f"no peak within what was measured (up to {most} clients)." + more
    return f"whether req/s has a peak cannot be told from these levels (up to {most} clients)."


def _say_quality(sweep: Sweep, fit: Fit) -> str:
    share = miss_share(sweep, fit)
    word = "closely" if share < CLOSE else "roughly" if share < ROUGH else "badly"
    off = f"off by {share:.1%}".replace("%", " %")
    r_squared = "–" if fit.r_squared is None else f"{min(fit.r_squared, 0.9999):.4f}".rstrip("0").rstrip(".")
    fitted = (
        f"The curve (Universal Scalability Law) fits the {len(sweep.levels)} levels {word} (R² {r_squared}, {off})."
    )
    if fit.lack_of_fit is not None and fit.lack_of_fit < LACK_OF_FIT:
        return (
            fitted
            + " It misses the means by more than repeats vary, so the intervals are as wide as these misses make them."
        )
    return fitted


def _add_interval(value: float, interval: LawInterval | None, what: str) -> str:
    if interval is None or interval.high is None:
        return f"{figure(value)}{what}"
    return f"{_short_figure(value)} ({_short_figure(interval.low)} to {_short_figure(interval.high)}){what}"


def _short_figure(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1 else figure(value)


def _count_clients(value: float) -> str:
    return f"{value:.0f}" if value < 10_000 else f"{value:.2g}"


def name_tools(columns: Sequence[Column]) -> str:
    """What the runs are of: "of ab and wrk", "of an unknown tool", "from a table of rates"."""
    phrases = sorted({name_tool(run.tool, run.semantics) for column in columns for run in column.runs})
    tools = [phrase.removeprefix("of ") for phrase in phrases if phrase.startswith("of ")]
    others = [phrase for phrase in phrases if not phrase.startswith("of ")]
    return join_words([*([f"of {join_words(tools)}"] if tools else []), *others])


def name_tool(tool: str, semantics: Semantics) -> str:
    """What a run is of: "of ab"; where no tool is known, with an article: "from a table of rates"."""
    name = semantics.shown_as
    article = "an" if name[:1] in tuple("aeiou") else "a"
    return f"{'from' if semantics.quotes_others else 'of'} {article} {name}" if name else f"of {tool}"


def describe_method(comparison: Comparison, judgement: Judgement) -> list[str]:
    """What was run how often, and how the verdicts were reached, in sentences."""
    counts = [len(column.runs) for column in comparison.columns]
    if not any(counts):
        return ["No load test is among what was read."]
    n = f"n={counts[0]}" if len(set(counts)) == 1 else f"n={min(counts)} to {max(counts)}"
    sentences = [
        f"{sum(counts)} runs {name_tools(comparison.columns)} in {write_count(len(counts), 'column')}, {n} in each."
    ]
    if len(counts) < 2:
        return sentences
    tests = sorted({verdict.test for verdict in judgement.verdicts.values() if verdict.test})
    if tests:
        sentences += _say_tested(judgement, tests)
    if any(verdict.n == 1 or verdict.n_base == 1 for verdict in judgement.verdicts.values()):
        sentences.append(
            "One run a side is no test: its distance is set beside what repeats vary by, and what lies far outside "
            "is likely, not proven."
        )
    return sentences


def _say_tested(judgement: Judgement, tests: Sequence[str]) -> list[str]:
    """How it was tested, and what of that holds for the tests that were made."""
    opening = f"Tested by {', '.join(tests)}."
    if all(verdict.p_adjusted is None for verdict in judgement.verdicts.values()):
        return [opening]
    return [
        f"{opening} p-values are corrected after Holm over the configs of each metric, not over metrics; intervals are each "
        'comparison\'s own. "Same" means that the whole 95 % interval of the ratio lies within 2 % of equal.',
        "Differences are ratios of the means in the table; the tests compare logarithms.",
    ]


def describe_course(course: Course) -> str:
    """How a config changed over its days: the newest change, and how many there are."""
    over = f"{write_count(course.n_days, 'day')} with {write_count(course.n, 'run')}"
    if course.changes:
        newest = course.changes[-1]
        more = "more" if newest.pct > 0 else "fewer"
        sides = f"{figure(newest.after.center)} instead of {figure(newest.before.center)}"
        since = f"{_write_size(newest.pct)} % {more} requests per second since {newest.on:%-d %B %Y}: {sides}."
        return f"{since} {write_count(len(course.changes), 'change')} in {over}."
    if course.n_days < 2 * FEWEST_DAYS:
        return f"{over}: too few to tell a change, which takes {FEWEST_DAYS} days before it and {FEWEST_DAYS} after."
    return f"No change that {over} would show at {100 * LEVEL:.0f} %."


def describe_trend_change(change: Change) -> str:
    sign = "+" if change.pct > 0 else "−"
    p = "p < 0.01" if change.p < 0.01 else f"p = {change.p:.2f}"
    sides = f"n={change.after.n} against {change.before.n}"
    last, first = change.builds
    builds = f"; first in {first}, not yet in {last}" if first and last and first != last else ""
    return f"{sign}{_write_size(change.pct)} % from {change.on:%-d %B %Y}, {sides}, {p}{builds}"


def _write_size(pct: float) -> str:
    return f"{abs(pct):.{1 if abs(pct) < 9.95 else 0}f}"


# --- a sweep from level to level -----------------------------------------------------------------------------------------


def describe_levels(swept: Range, points: Sequence[Point]) -> str:
    """As "about 3 requests per second at 50 and 100 connections, the mean time doubles, 47 % fail at 150"."""
    return ", ".join(list_levels(swept, points))


def list_levels(swept: Range, points: Sequence[Point]) -> list[str]:
    """The same in its parts: of the rates, of the times, and of what failed."""
    if all(point.rate is None and not point.failed for point in points):
        return _say_times(points) or ["no rate is printed"]
    sound = [point for point in points if not point.failed and point.rate is not None]
    parts = [
        *(_say_kept_rates(swept, sound) if swept.axis == SET_RATE else _say_rates(swept, sound)),
        *_say_times(sound),
    ]
    failing = [point for point in points if point.failed]
    at = _choose_preposition(swept)
    if failing:
        places = [_value(swept, point) for point in failing[:2]]
        places = places if sound else [with_axis(swept, places[0]), *places[1:]]
        shares = [percent(point.failed, 1) for point in failing]
        parts += [f"{share} of the requests fail {at} {place}" for share, place in zip(shares, places, strict=False)]
    return parts or ["no level served anything"]


def say_runs_a_level(swept: Range) -> str:
    """As "One run a level, which cannot show noise.", "3 runs a level.", "1 to 3 runs a level."."""
    runs = {point.n for point in swept.points if point.n}
    if len(runs) > 1:
        said = f"{min(runs)} to {max(runs)} runs a level."
    else:
        said = "One run a level, which cannot show noise." if runs == {1} else f"{max(runs, default=0)} runs a level."
    return " ".join([said, *_say_other_loads(swept)])


def _say_other_loads(swept: Range) -> list[str]:
    """Which runs at the same levels are left out of the points, and why."""
    if not swept.loads:
        return []
    own, others = (list(dict.fromkeys(pair[at] for pair in swept.loads if pair[at])) for at in (0, 1))
    told = f"Only runs with {own[0]} are compared" if len(own) == 1 else "Runs of one load a level are compared"
    return [f"{told}, not those with {join_words(others, MOST_OTHER_LOADS)}."]


def say_on(workload: str) -> str:
    """What a clause about a workload begins with; a heading may have its own "On"."""
    return f"{workload if workload.lower().startswith('on ') else f'On {workload}'}: "


def say_where(workload: str, swept: Range) -> str:
    """What a clause about one of several workloads begins with: "On /db: "."""
    return say_on(workload) if workload and len(swept.workloads) > 1 else ""


def describe_leaders(swept: Range) -> str:
    """As "“node” is ahead at 10 connections, none at 50 to 500"; "" where one is ahead at all levels."""
    if len({*swept.leaders.values()}) < 2:
        return ""
    parts: list[str] = []
    leaders = swept.clear_leaders
    for name, values in groupby(leaders, key=leaders.__getitem__):
        levels = [f"{value:,g}" for value in values]
        where = levels[0] if len(levels) == 1 else f"{levels[0]} to {levels[-1]}"
        ahead = " is ahead" if not parts else ""
        who = f"“{name}”" if name else "none" if parts else "None"
        parts.append(f"{who}{ahead} {_choose_preposition(swept)} {where if parts else with_axis(swept, where)}")
    return ", ".join(parts)


def _say_rates(swept: Range, sound: Sequence[Point]) -> list[str]:
    if not sound:
        return []
    rates = smooth_rates(sound)
    at = _choose_preposition(swept)
    if max(rates) <= ABOUT * min(rates):
        places = [_value(swept, point) for point in sound]
        where = " and ".join(places) if len(places) < 3 else f"{places[0]} to {places[-1]}"
        return [f"about {_round_to_all(rates)} requests per second {at} {with_axis(swept, where)}"]
    best, first, last = find_best(sound), sound[0], sound[-1]
    most, end = rates[sound.index(best)], rates[-1]
    parts = []
    if best is not first:
        parts.append(
            f"requests per second rise from {figure(rates[0])} {at} {with_axis(swept, _value(swept, first))}"
            f" to {figure(most)} {at} {_value(swept, best)}"
        )
    else:
        place = with_axis(swept, _value(swept, best))
        parts.append(f"the most is served {at} {place}, {figure(most)} requests per second")
    if best is not last and end * ABOUT < max(rates):
        parts.append(f"falling to {figure(end)} {at} {_value(swept, last)}")
    elif best is not last and last.value != best.value:
        parts.append(
            f"and stay about there up to {_value(swept, last)}"
            if best is not first
            else f"{figure(end)} {at} {_value(swept, last)}"
        )
    return parts


def _say_kept_rates(swept: Range, sound: Sequence[Point]) -> list[str]:
    """Up to which set rate the server kept up, and what it served of the first that it did not."""
    kept = list(takewhile(lambda point: (point.rate or 0.0) >= KEPT_UP * point.value, sound))
    parts = [f"it keeps up with the set rate up to {_value(swept, kept[-1])} requests per second"] if kept else []
    unit = "" if kept else " requests per second"
    return parts + [
        f"of {_value(swept, one)}{unit} it serves {figure(one.rate)}" for one in sound[len(kept) : len(kept) + 1]
    ]


def _choose_preposition(swept: Range) -> str:
    return "with" if swept.unit and swept.unit not in RATES else "at"


def with_axis(swept: Range, value: str) -> str:
    """As "1 connection", "8 workers", "MaxClients 50"."""
    unit = "connections" if swept.axis == CONCURRENCY else swept.unit
    if not unit:
        return f"{swept.axis} {value}"
    number = value.removesuffix(_measure(swept))
    return f"{number} {SINGULAR.sub('', unit) if number == '1' else unit}"


def name_level(swept: Range, point: Point) -> str:
    """As "50 connections", "MaxClients 50"."""
    return with_axis(swept, _value(swept, point))


def _say_times(sound: Sequence[Point]) -> list[str]:
    timed = [point.mean_ms for point in sound if point.mean_ms]
    if len(timed) < 2:
        return []
    factor = timed[-1] / timed[0]
    if DOUBLE[0] <= factor <= DOUBLE[1]:
        return ["latency doubles"]
    if factor < ABOUT:
        return []
    far = f"{times(factor)} times" if factor >= TIMES_FROM else f"by {share_words(factor - 1)}"
    return [f"latency grows {far}, from {figure(timed[0])} to {figure(timed[-1])} ms"]


def _round_to_all(rates: Sequence[float]) -> str:
    """Their mean with as few figures as keep it near all of them."""
    middle = sum(rates) / len(rates)
    for digits in (1, 2, 3):
        about = float(f"{middle:.{digits}g}")
        if about <= min(rates) * NEAR and max(rates) <= about * NEAR:
            break
    return figure(about)


def _value(swept: Range, point: Point) -> str:
    """A number, which its unit belongs to where it measures: "100 KB"."""
    value = figure(int(point.value) if point.value == int(point.value) else point.value)
    return f"{value}{_measure(swept)}"


def _measure(swept: Range) -> str:
    """ " MB" of sizes in "MB cache"; "" of counts of things."""
    match = SIZE.match(swept.unit)
    return f" {match[0]}" if match else ""


def advise_levels(runs: int, swept: Range | None) -> str:
    again = f"Run each level {runs} times, in mixed order, to see how much they vary. " if runs else ""
    if swept is None or swept.limit is None:
        return again.strip() or "No more runs are needed for these levels."
    below = [point.value for point in swept.points if point.value < swept.limit]
    between = (
        f"between {figure(int(max(below)))} and {figure(int(swept.limit))}"
        if below
        else f"below {figure(int(swept.limit))}"
    )
    return f"{again}Try levels {between} to find where requests begin to fail."


# --- config texts --------------------------------------------------------------------------------------------------------


def describe_differences(differences: ConfigDiff) -> ConfigDiff:
    """The differences with their sentences: of each file, and of texts that cannot be compared."""
    sentences = []
    for config, text in differences.lone:
        sentences.append(f"{_name_text(text)}: only {config.name} shows it, so there is nothing to compare it with.")
    if differences.bare:
        sentences.append(f"{_list_names(differences.bare)}: no config text.")
    for name, n in Counter(map(_name_text, differences.common)).items():
        often = "once" if n == 1 else f"{n} times"
        sentences.append(f"{name} is shown {often}, for no config in particular: no difference follows from it.")
    files = tuple(replace(file, sentence=_describe_file(file)) for file in differences.files)
    return replace(differences, files=files, sentences=tuple(sentences))


def _describe_file(file: FileDiff) -> str:
    """One file in a sentence or three."""
    names = _list_names(file.configs)
    if file.rows:
        total = len(file.rows) + file.same
        words = [
            f"{file.name}: {len(file.rows)} of {total} directives differ between {names}: {_list_names(file.rows)}."
        ]
    elif file.same or file.unshown:
        shown = "what is shown is " if file.unshown else ""
        words = [f"{file.name}: {shown}identical in {names} ({write_count(file.same, 'directive')} compared)."]
    else:
        words = [f"{file.name}: {_describe_lines(file, names)}."]
    if file.unshown:
        words.append(f"{write_count(file.unshown, 'directive')} cannot be compared: not every text was shown whole.")
    if file.unread:
        words.append(f"{write_count(file.unread, 'line')} of these texts could not be read as a directive.")
    if file.without:
        words.append(f"{_list_names(file.without)}: no text of this kind.")
    return " ".join(words)


def _describe_lines(file: FileDiff, names: str) -> str:
    """What was found of texts that were compared line by line."""
    if any(diff.lines for diff in file.lines):
        return f"the lines of {names} differ"
    is_compared = file.dialect or len(file.lines) == len(file.configs) - 1
    return f"identical in {names}" if is_compared else f"the texts of {names} are too long to be compared"


def _name_text(text: TextFact) -> str:
    return PurePosixPath(text.path).name or f"The config text at line {text.line}"


def _list_names(named: Sequence[ConfigFact | DirectiveRow]) -> str:
    return join_words(list(dict.fromkeys(each.name for each in named)), most=6)
