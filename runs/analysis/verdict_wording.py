"""The sentences of verdicts: a cell's few words, what a verdict rests on, and the comparison in a sentence or two.

Factors are the config's value by the baseline's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runs.analysis.numbers import WORDS, figure, percent
from runs.analysis.stats import MANY_SETS, MOST_REPEATS, Pool
from runs.analysis.table import Comparison
from runs.analysis.verdict import (
    ALPHA,
    ENOUGH_FOR_RANKS,
    FailureCounts,
    Ground,
    Judgement,
    Kind,
    Scale,
    Verdict,
    Void,
    Words,
    ratio,
)

LABELS: dict[Kind, str] = {
    Kind.BETTER: "better",
    Kind.WORSE: "worse",
    Kind.SAME: "same",
    Kind.UNDECIDED: "undecided",
    Kind.LIKELY_BETTER: "likely better",
    Kind.LIKELY_WORSE: "likely worse",
    Kind.NONE: "no verdict",
}
TIMES = {"rate": "times as many", "time": "times as long", "amount": "times as much"}
FAILED = {"failed_requests": "failed", "non_2xx_responses": "answered with an error"}
# From this factor on a per cent is harder to picture than "times".
MANY_TIMES = 3
# Nearer than this a per cent is easier to picture than "1.08 times".
IN_PERCENT = 1.2
# The sentence is to be read in three lines: the table has the rest.
MOST_NAMED = 3
MOST_WITH_WORDS_OF_THEIR_OWN = 2
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Measure:
    """How the leading metric is spoken of. `more`: its larger value is the better one."""

    key: str
    more: bool
    noun: str
    near: str
    far: str
    alone: str


MEASURES = (
    Measure(
        "requests_per_second",
        True,
        noun="requests per second",
        near="served {} more than",
        far="served {} times as many as",
        alone="served {} requests per second",
    ),
    Measure(
        "mean_ms",
        False,
        noun="mean time per request",
        near="answered in {} less time than",
        far="answered {} times as fast as",
        alone="took {} ms per request",
    ),
)


def add_words(comparison: Comparison, judgement: Judgement) -> Judgement:
    """The judgement with its sentence and the words of each verdict."""
    words = {key: Words(describe(verdict), explain(verdict)) for key, verdict in judgement.verdicts.items()}
    return replace(judgement, sentence=summarize(comparison, judgement), words=words)


def describe(verdict: Verdict) -> str:
    """A few words for the cell: "17 % more, 95 % interval 14 to 21 %, p=0.029, 4 repeats each"."""
    text = _join(_how_far(verdict), _how_sure(verdict, down=(verdict.distance or 0) < 0))
    if verdict.void is None:
        return text
    if verdict.void_by is None:
        return f"{text}: no gain, as it served fewer requests"
    return f"{text}: no {'gain' if verdict.void == Void.GAIN_BY_FAILURES else 'loss'}, {describe(verdict.void_by)}"


def _how_far(verdict: Verdict) -> str:
    if verdict.failures is not None:
        counts = verdict.failures
        own, base = percent(counts.bad, counts.of), percent(counts.base_bad, counts.base_of)
        return f"{own} {FAILED[counts.key]}, against {base}"
    match verdict.ground:
        case Ground.NOT_COUNTED:
            return f"not counted: {verdict.reason}"
        case Ground.NO_RATIO:
            no_ratio = "no ratio: values of 0 or below" if verdict.fewest > 1 else "no ratio to or from 0"
            return "0 on both sides" if verdict.all_zero else no_ratio
        case Ground.EQUIVALENT:
            return "the same within 2 %"
        case Ground.WITHIN_STEP if verdict.scale:
            return f"no further apart than the {verdict.scale.step:g} {verdict.scale.row.unit} that the tool tells"
    if verdict.distance is None or verdict.scale is None:
        return ""
    quantity = verdict.scale.row.quantity
    far = factor_words(verdict.ratio, quantity)
    return _join(far, interval_words(verdict.low, verdict.high, quantity, after=far))


def _how_sure(verdict: Verdict, *, down: bool) -> str:
    """How many runs, and how sure that makes it. `down`: for a distance that is counted from the larger value."""
    scale, p = verdict.scale, verdict.p_adjusted
    if verdict.failures is not None:
        return _join(sides_words(verdict, "run"), "" if p is None else p_words(p))
    if scale is None or verdict.ground == Ground.NO_RATIO:
        return ""
    sides, chance = sides_words(verdict, scale.row.counted), "" if p is None else p_words(p)
    match verdict.ground:
        case Ground.TESTED:
            careful = "p is somewhat too small as the fewer repeats vary more" if verdict.lopsided else ""
            return _join(chance, sides, careful)
        case Ground.FAR if scale.pool is None:
            return f"{sides}, far beyond what repeats usually vary by"
        case Ground.FAR if scale.pool:
            return f"{sides}, far beyond the {_spread(scale.pool, down)} that {_repeats(scale)}{_vary(down)}"
        case Ground.OPEN if verdict.fewest >= ENOUGH_FOR_RANKS:
            few = "too few to prove anything" if scale.floor >= ALPHA else ""
            mean = "by the median of all pairs, while the means say otherwise" if verdict.means_disagree else ""
            return _join(sides, chance, few, mean)
        case Ground.OPEN:
            return _join(sides, chance, _within_spread(verdict, scale, down=down))
    return sides


def _within_spread(verdict: Verdict, scale: Scale, *, down: bool) -> str:
    if scale.pool is None:
        return "no repeats to go by" if verdict.fewest < 2 else "repeats all equal, which tells of no spread"
    size = _spread(scale.pool, down)
    if abs(verdict.distance or 0) <= scale.pool.widest:
        return f"{_repeats(scale)}{_vary(down)} {size}"
    return f"not far beyond the {size} that {_repeats(scale)}{_vary(down)}"


def explain(verdict: Verdict) -> str:
    """What the verdict rests on, in a sentence or two; "" where it rests on nothing."""
    if verdict.failures is not None:
        return _explain_failures(verdict, verdict.failures)
    scale = verdict.scale
    if scale is None:
        return ""
    parts = []
    after = f" after Holm over {scale.tests} configs" if scale.tests > 1 else ""
    if verdict.test and verdict.p is not None:
        adjusted = f", {p_words(verdict.p_adjusted)}{after}" if verdict.p_adjusted is not None and after else ""
        parts.append(f"{verdict.test}: {p_words(verdict.p)}{adjusted}.")
    if scale.floor >= ALPHA:
        least = p_words(scale.floor)
        parts.append(f"So few repeats cannot come below {least}{after}, however far apart they lie.")
    if verdict.of and verdict.of != "runs":
        parts.append(f"Ratio of {verdict.of}.")
    if verdict.ground == Ground.EQUIVALENT and verdict.low != verdict.high:
        parts.append(f"{interval_words(verdict.low, verdict.high, scale.row.quantity)}.")
    if verdict.ground in (Ground.FAR, Ground.OPEN):
        parts += [_explain_spread(verdict, scale), _explain_needed(verdict)]
    return " ".join(filter(None, parts))


def _explain_spread(verdict: Verdict, scale: Scale) -> str:
    pool, down = scale.pool, (verdict.distance or 0) < 0
    if pool is not None:
        many = "in 19 of 20 sets " if pool.sets >= MANY_SETS else ""
        sets = f"{pool.sets} {'sets' if pool.sets > 1 else 'set'} of repeats {scale.where or 'in this comparison'}"
        return f"Repeats {_vary(down)} up to {_spread(pool, down)} {many}({sets})."
    if verdict.fewest > 1:
        return ""
    if math.isinf(scale.row.unknown):
        return "No spread to go by: a single run's slowest requests are not judged."
    return (
        "No spread to go by: repeats are usually less than 1.5 times apart, and here less than "
        f"{math.exp(scale.row.unknown):g} times is not judged."
    )


def _explain_needed(verdict: Verdict) -> str:
    if verdict.needed is None:
        return ""
    as_others = " and varies as those do" if verdict.borrowed else ""
    return f"{repeats_words(verdict.needed)} repeats a side would settle it, if it stays this far apart{as_others}."


def _explain_failures(verdict: Verdict, counts: FailureCounts) -> str:
    chance = "" if verdict.p is None else p_words(verdict.p)
    if counts.groups is None or counts.base_groups is None:
        adjusted = ""
        if counts.tests > 1 and verdict.p_adjusted is not None:
            adjusted = f", {p_words(verdict.p_adjusted)} after Holm over {counts.tests} configs"
        return f"Mann-Whitney on each run's share of failures: {chance}{adjusted}."
    (bad, of), (base_bad, base_of) = counts.groups, counts.base_groups
    return (
        "Requests under way together tend to fail together: they are counted as one, so that chance is not "
        f"mistaken for a difference. That leaves {bad} of {of} groups that failed against "
        f"{base_bad} of {base_of}. Fisher's exact test: {chance}."
    )


def factor_words(factor: float | None, quantity: str) -> str:
    """As "17 % more", "33 times as many", "equal"."""
    return "beyond any number" if factor is None else " ".join(filter(None, _parts(factor, quantity)))


def interval_words(low: float | None, high: float | None, quantity: str, after: str = "") -> str:
    """As "95 % interval 9 to 26 % more", or nothing without one; `after` words that end alike, "more" is not repeated."""
    if low is None or high is None:
        return ""
    (least, word), (most, other_word) = _parts(low, quantity), _parts(high, quantity)
    if not word or word != other_word:
        return f"95 % interval from {factor_words(low, quantity)} to {factor_words(high, quantity)}"
    near, far = (least, most) if low > 1 else (most, least)
    interval = f"95 % interval {near.removesuffix(' %')} to {far}"
    return interval if after.endswith(f" {word}") else f"{interval} {word}"


def p_words(p: float) -> str:
    """As "p=0.029". Never rounded onto the border that decides: 0.0498 is not "0.05"."""
    if p < 0.0001:
        return "p<0.0001"
    if abs(p - ALPHA) < 0.0005:
        return f"p={p:.4f}" if abs(p - ALPHA) >= 0.00005 else f"p{'<' if p < ALPHA else '≥'}{ALPHA}"
    return f"p={p:.2g}" if p < 0.1 else f"p={p:.2f}"


def sides_words(verdict: Verdict, noun: str) -> str:
    """As "one run each", "3 repeats each", "1 run against 3"."""
    n, n_base = verdict.n, verdict.n_base
    several = "repeats" if noun == "run" else f"{noun}s"
    if n == n_base:
        return f"one {noun} each" if n == 1 else f"{n} {several} each"
    return f"{n} {noun if n == 1 else several} against {n_base}"


def repeats_words(needed: int) -> str:
    return f"More than {MOST_REPEATS}" if needed > MOST_REPEATS else f"About {needed}"


def _repeats(scale: Scale) -> str:
    return "repeats of other runs " if scale.where else "repeats "


def _vary(down: bool) -> str:
    """What stands before the size of `_spread`."""
    return "lie below each other by" if down else "vary by"


def _spread(pool: Pool, down: bool) -> str:
    """The most that repeats of one config were seen to differ by: "42 %", "10 times".

    `down`: counted from the larger one, as what stands beside it is ("29 % fewer"): 42 % up are 30 % down.
    """
    factor = (ratio(-pool.widest) or 0) if down else (ratio(pool.widest) or math.inf)
    return f"{_size(factor)} times" if factor >= MANY_TIMES else _size(factor)


def _parts(factor: float, quantity: str) -> tuple[str, str]:
    """Size and word: ("17 %", "more"), ("33", "times as many"), ("equal", ""). CPU shares count as amounts."""
    size, quantity = _size(factor), quantity or "amount"
    if size == "0 %":
        return "equal", ""
    return (size, TIMES[quantity]) if factor >= MANY_TIMES else (size, WORDS[quantity][factor < 1])


def _size(factor: float) -> str:
    """How far from 1: "17 %", "33", "1.2e+06"."""
    if factor >= MANY_TIMES:
        return figure(float(f"{factor:.2g}")) if factor < 10000 else f"{factor:.1e}"
    change = abs(factor - 1) * 100
    if change < 0.05:
        return "0 %"
    if change > 99.9 and factor < 1:
        return "over 99.9 %"
    return f"{change:.{1 if change < 9.95 or (change > 99 and factor < 1) else 0}f} %"


def _join(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def summarize(comparison: Comparison, judgement: Judgement) -> str:
    """The verdicts of the leading metric, the surest first, then what is open, then what does not count.

    The leading metric is the requests per second, or the mean time where there are none.
    """
    names = [f"“{_shorten(column.title)}”" for column in comparison.columns]
    measures = [measure for measure in MEASURES if comparison.row(measure.key)]
    if not measures:
        return "No run here says how many requests it served per second, or how long one took."
    measure = measures[0]
    found = [
        (at, verdict)
        for at in range(len(names))
        if at not in judgement.silent and (verdict := judgement.of(measure.key, at))
    ]
    parts = _verdict_sentences(measure, names, found) if found else [_only(comparison, measure, names, judgement)]
    return " ".join(filter(None, (*parts, _not_counted(names, judgement))))


Numbered = tuple[int, Verdict]


def _verdict_sentences(measure: Measure, names: Sequence[str], found: Sequence[Numbered]) -> list[str]:
    def of(*kinds: Kind) -> list[Numbered]:
        wanted = [pair for pair in found if pair[1].kind in kinds]
        return sorted(wanted, key=lambda pair: -abs((pair[1].ratio or 1) - 1))

    said = []
    if proven := of(Kind.BETTER, Kind.WORSE):
        said.append(f"In {measure.noun}, {_list_pairs(measure, names, proven)}.")
    if likely := of(Kind.LIKELY_BETTER, Kind.LIKELY_WORSE):
        said.append(f"Likely, though not proven: {_list_pairs(measure, names, likely)}.")
    if same := of(Kind.SAME):
        said.append(f"The same in {measure.noun}: {_list_pairs(measure, names, same)}.")
    if still := of(Kind.UNDECIDED):
        opening = "Undecided" if said else f"No difference in {measure.noun} can be claimed"
        needed = still[0][1].needed if len(still) == 1 else None  # only where there is one answer
        settle = "" if needed is None else f" {repeats_words(needed)} repeats a side may settle it."
        said.append(f"{opening}: {_list_pairs(measure, names, still)}.{settle}")
    none = [f"{names[at]} against {names[v.base]} ({describe(v)})" for at, v in found if v.kind == Kind.NONE]
    return [*said, f"No verdict on {_list(none[:MOST_NAMED], len(none))}." if none else ""]


def _list_pairs(measure: Measure, names: Sequence[str], pairs: Sequence[Numbered]) -> str:
    """Each with what it rests on, which is said once where it is the same for all that are named."""
    told = [_pair(measure, names, at, verdict) for at, verdict in pairs]
    alike = len({basis for _, basis in told[:MOST_NAMED]}) == 1
    shown = told[: MOST_NAMED if alike else MOST_WITH_WORDS_OF_THEIR_OWN]
    last = len(shown) - 1
    each = [pair if alike and at < last else f"{pair} ({basis})" for at, (pair, basis) in enumerate(shown)]
    return _list(each, len(pairs))


def _pair(measure: Measure, names: Sequence[str], at: int, verdict: Verdict) -> tuple[str, str]:
    """The better one first: ("A served 1.55 times as many as B", "one run each, no repeats to go by")."""
    ratio, low, high = verdict.ratio, verdict.low, verdict.high
    own, base = names[at], names[verdict.base]
    if verdict.kind == Kind.SAME or ratio is None or ratio == 1:
        return f"{own} and {base}", describe(verdict)
    if (ratio > 1) != measure.more:
        own, base, ratio = base, own, 1 / ratio
        low, high = (1 / high if high else None), (1 / low if low else None)
    factor = ratio if measure.more else 1 / ratio
    if factor < IN_PERCENT:
        than = measure.near.format(factor_words(ratio, "rate").rpartition(" ")[0])
    else:
        than = measure.far.format(_times(factor))
    return f"{own} {than} {base}", _join(_interval(measure, low, high), _how_sure(verdict, down=False))


def _interval(measure: Measure, low: float | None, high: float | None) -> str:
    """In the words that the ratio has, where the interval is on one side of equal."""
    if low and high and low > 1 and high >= IN_PERCENT:
        return f"95 % interval {_times(low)} to {_times(high)} times"
    if low and high and high < 1 and 1 / low >= IN_PERCENT:
        return f"95 % interval {_times(1 / high)} to {_times(1 / low)} times"
    return interval_words(low, high, "rate" if measure.more else "time")


def _times(factor: float) -> str:
    return figure(float(f"{factor:.{2 if factor >= 10 else 3}g}"))


def _only(comparison: Comparison, measure: Measure, names: Sequence[str], judgement: Judgement) -> str:
    """Where nothing stands beside anything: the figures that there are."""
    row = comparison.row(measure.key)
    told = [
        f"{name} {measure.alone.format(figure(cell.mean))} (n={cell.n})"
        for at, (name, cell) in enumerate(zip(names, row.cells if row else (), strict=True))
        if cell.n and at not in judgement.silent
    ]
    if not told:
        return "Nothing here can be judged."
    return f"{_list(told[:MOST_NAMED], len(told))}; there is nothing to compare with."


def _not_counted(names: Sequence[str], judgement: Judgement) -> str:
    """What was seen, where it is one; what follows from it, and what was seen of several, stands among the doubts."""
    silent = judgement.silent
    if not silent:
        return ""
    if len(silent) == 1:
        # "285 of 600 requests failed: the higher req/s is not a gain" without what follows from it
        return "".join(
            f"Not counted: {names[at]} ({why.partition(': ')[0].rstrip('.')})." for at, why in silent.items()
        )
    each = [names[at] for at in silent]
    return f"Not counted: {_list(each[:MOST_NAMED], len(each))} (see the doubts)."


def _list(each: Sequence[str], number: int) -> str:
    more = f"; and {number - len(each)} more" if number > len(each) else ""
    return "; ".join(each) + more


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"
