"""The sentences of verdicts: a cell's few words, and what a verdict rests on.

Factors are the config's value by the baseline's.
"""

from __future__ import annotations

import math
from dataclasses import replace

from runs.analysis.stats import MANY_SETS, MOST_REPEATS, Pool
from runs.analysis.table import Comparison
from runs.analysis.verdict import (
    ALPHA,
    SINGLE_REACH,
    Design,
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
from runs.numbers import TIMES_FROM, WORDS, figure, percent

LABELS: dict[Kind, str] = {
    Kind.BETTER: "better",
    Kind.WORSE: "worse",
    Kind.SAME: "same",
    Kind.UNDECIDED: "undecided",
    Kind.LIKELY_BETTER: "likely better",
    Kind.LIKELY_WORSE: "likely worse",
    Kind.NONE: "no verdict",
}
# Beside each word, so that neither colour nor the sign alone has to be understood.
SIGNS = dict(zip(LABELS, "✔✘≈?✔✘·", strict=True))
TIMES = {"rate": "times as many", "time": "times as long", "amount": "times as much"}
FAILED = {"failed_requests": "failed", "non_2xx_responses": "answered with an error"}


AT_LIMIT = {  # rule of doubts -> what was at its limit beside a config
    "generator.saturated": "the load generator was at its limit",
    "generator.ports": "the load generator was out of local ports",
    "network.link": "the network was at its limit",
}
DOUBTED = {
    "impossible": "figures of the reports cannot all be true",
    **{rule: f"{words} beside the slower side" for rule, words in AT_LIMIT.items()},
    "machine.others": "another program used the CPU beside the slower side",
    "warmth.beforehand": "runs of the slower side began otherwise",
    "machine.throttled": "the slower side was throttled at its CPU limit",
    "machine.steal": "much CPU time was stolen beside the slower side",
    "machine.log": "the log tells of a limit of the machine beside the slower side",
    "load.claimed_otherwise": "the text says the opposite",
    "load.picked": "only the best runs of the faster side are told",
    "load.told_otherwise": "the text's own figures have them the other way round",
    **dict.fromkeys(
        (
            *("repeats.trend", "load.not_as_named", "load.other_server", "load.shown_status"),
            *("load.idle_clients", "lost_clients"),
        ),
        "something else than the config could be all of it",
    ),
}
# A spread's sources beyond these are linked, and not in the sentence.
MOST_NAMED = 3


def add_words(judgement: Judgement) -> Judgement:
    """The judgement with the words of each verdict."""
    words = {key: Words(describe(verdict), explain(verdict)) for key, verdict in judgement.verdicts.items()}
    return replace(judgement, words=words)


def describe(verdict: Verdict) -> str:
    """A few words for the cell: "17 % more, 95 % interval 14 to 21 %, p=0.029, 4 repeats each"."""
    text = _join(_say_how_far(verdict), _say_how_sure(verdict, down=(verdict.distance or 0) < 0))
    if verdict.void is None:
        return text
    if verdict.void_by is None:
        return f"{text}: no gain, as it served fewer requests"
    return f"{text}: no {'gain' if verdict.void == Void.GAIN_BY_FAILURES else 'loss'}, {describe(verdict.void_by)}"


def _say_how_far(verdict: Verdict) -> str:
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


def _say_how_sure(verdict: Verdict, *, down: bool) -> str:
    """How many runs, and how sure that makes it. `down`: for a distance that is counted from the larger value."""
    scale, p = verdict.scale, verdict.p_adjusted
    if verdict.failures is not None:
        return _join(sides_words(verdict, "run"), "" if p is None else p_words(p))
    if scale is None or verdict.ground == Ground.NO_RATIO:
        return ""
    sides, chance = sides_words(verdict, scale.row.noun), "" if p is None else p_words(p)
    match verdict.ground:
        case Ground.TESTED:
            return _join(chance, sides)
        case Ground.UNLIKE:
            return _join(sides, "loaded unlike")
        case Ground.DOUBTED:
            why = DOUBTED.get(verdict.reason, f"{verdict.reason} differs, which could be all of it")
            return _join(sides, chance, f"but {why}")
        case Ground.DRIFT:
            return _join(sides, chance, f"which a drift of {_say_drift(verdict)} could be all of")
        case Ground.FAR if scale.pool is None:
            return f"{sides}, far beyond what repeats usually vary by"
        case Ground.FAR if scale.pool:
            return f"{sides}, far beyond the {_spread(scale.pool, down)} that {_count_repeats(scale)}{_vary(down)}"
        case Ground.OPEN if verdict.fewest > 2:
            return _join(sides, chance)
        case Ground.OPEN:
            return _join(sides, chance, _say_within_spread(verdict, scale, down=down))
    return sides


def _say_within_spread(verdict: Verdict, scale: Scale, *, down: bool) -> str:
    if scale.pool is None:
        return "no repeats to go by" if verdict.fewest < 2 else "repeats all equal, which tells of no spread"
    size, distance = _spread(scale.pool, down), abs(verdict.distance or 0)
    if distance <= scale.pool.widest:
        return f"{_count_repeats(scale)}{_vary(down)} {size}"
    if verdict.fewest < 2 and distance <= SINGLE_REACH:
        return "nearer than twice, while one run tells nothing of its own spread"
    return f"not far beyond the {size} that {_count_repeats(scale)}{_vary(down)}"


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
    if verdict.of and verdict.of != "runs":
        parts.append(f"Ratio of {verdict.of}.")
    if verdict.ground == Ground.EQUIVALENT and verdict.low != verdict.high:
        parts.append(f"{interval_words(verdict.low, verdict.high, scale.row.quantity)}.")
    if verdict.p is not None:
        parts.append(_explain_order(verdict))
    if verdict.ground in (Ground.FAR, Ground.OPEN):
        parts += [_explain_spread(verdict, scale), _explain_needed(verdict)]
    return " ".join(filter(None, parts))


def _explain_order(verdict: Verdict) -> str:
    if verdict.design == Design.BLOCKED:
        first = "All runs of one config came before those of the other"
        if verdict.drift is None:
            return f"{first}, so that a drift of the machine would look alike."
        seen = "drift that way" if verdict.drift.is_seen else "do not rule out a drift"
        return (
            f"{first}, and within both they {seen}: {_say_drift(verdict)} would be all of it. Run the configs in turn."
        )
    if verdict.most:
        return (
            "A sequential test was made after each round; p and interval are corrected for the number of tests, so that at "
            "most 5 in 100 differences that are not there are found."
        )
    return "The runs alternate, and neighbours are compared." if verdict.test.startswith("paired") else ""


def _say_drift(verdict: Verdict) -> str:
    rise = verdict.drift.per_run if verdict.drift else 0.0
    return f"{_word_size(ratio(rise) or 1)} a run {'up' if rise > 0 else 'down'}"


def _explain_spread(verdict: Verdict, scale: Scale) -> str:
    pool, down = scale.pool, (verdict.distance or 0) < 0
    if pool is not None:
        many = "in 19 of 20 sets " if pool.sets >= MANY_SETS else ""
        more = ["and others"] if len(scale.sources) > MOST_NAMED else []
        names = _join(*[f"“{name}”" for name, _ in scale.sources[:MOST_NAMED]], *more)
        where = f"{scale.where or 'in this comparison'}{names and ': '}{names}"
        lost = f"; {_say_missing(scale.missing)}" if scale.missing else ""
        sets = f"{pool.sets} {'sets' if pool.sets > 1 else 'set'} of repeats {where}{lost}"
        single = " A single run nearer than twice is not judged by them." if verdict.fewest < 2 else ""
        return f"Repeats {_vary(down)} up to {_spread(pool, down)} {many}({sets}).{single}"
    if verdict.fewest > 1:
        return ""
    lost = f" ({_say_missing(scale.missing)})" if scale.missing else ""
    if math.isinf(scale.row.unknown) and scale.row.key == "requests_per_second":
        return "Nobody says how it was loaded: of a rate alone one is too few to judge."
    if math.isinf(scale.row.unknown):
        return f"No spread to go by{lost}: a single run's slowest requests are not judged."
    return (
        f"No spread to go by{lost}: repeats are usually less than 1.5 times apart, and here less than "
        f"{math.exp(scale.row.unknown):g} times is not judged."
    )


def _say_missing(n: int) -> str:
    return f"{n:,} earlier {'run was' if n == 1 else 'runs were'} left out or deleted"


def _explain_needed(verdict: Verdict) -> str:
    if verdict.needed is None:
        return ""
    as_others = " and varies as those do" if verdict.borrowed else ""
    repeats = f"More than {MOST_REPEATS}" if verdict.needed > MOST_REPEATS else f"About {verdict.needed}"
    return f"{repeats} repeats a side would settle it, if it stays this far apart{as_others}."


def _explain_failures(verdict: Verdict, counts: FailureCounts) -> str:
    chance = "" if verdict.p is None else p_words(verdict.p)
    if counts.groups is None or counts.base_groups is None:
        adjusted = ""
        if counts.tests > 1 and verdict.p_adjusted is not None:
            adjusted = f", {p_words(verdict.p_adjusted)} after Holm over {counts.tests} configs"
        return f"Welch's test of each run's share of failures: {chance}{adjusted}."
    (bad, of), (base_bad, base_of) = counts.groups, counts.base_groups
    return (
        "Requests under way together tend to fail together: they are counted as one, so that chance is not "
        f"mistaken for a difference. That leaves {bad} of {of} groups that failed against "
        f"{base_bad} of {base_of}. Fisher's exact test: {chance}."
    )


def factor_words(factor: float | None, quantity: str) -> str:
    """As "17 % more", "33 times as many", "equal"."""
    return "beyond any number" if factor is None else " ".join(filter(None, _split_factor(factor, quantity)))


def interval_words(low: float | None, high: float | None, quantity: str, after: str = "") -> str:
    """As "95 % interval 9 to 26 % more", or nothing without one; `after` words that end alike, "more" is not repeated."""
    if low is None or high is None:
        return ""
    (least, word), (most, other_word) = _split_factor(low, quantity), _split_factor(high, quantity)
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


def _count_repeats(scale: Scale) -> str:
    return "repeats of other runs " if scale.where else "repeats "


def _vary(down: bool) -> str:
    """What stands before the size of `_spread`."""
    return "lie below each other by" if down else "vary by"


def _spread(pool: Pool, down: bool) -> str:
    """The most that repeats of one config were seen to differ by: "42 %", "10 times".

    `down`: counted from the larger one, as what stands beside it is ("29 % fewer"): 42 % up are 30 % down.
    """
    factor = (ratio(-pool.widest) or 0) if down else (ratio(pool.widest) or math.inf)
    return f"{_word_size(factor)} times" if factor >= TIMES_FROM else _word_size(factor)


def _split_factor(factor: float, quantity: str) -> tuple[str, str]:
    """Size and word: ("17 %", "more"), ("33", "times as many"), ("equal", ""). CPU shares count as amounts."""
    size, quantity = _word_size(factor), quantity or "amount"
    if size == "0 %":
        return "equal", ""
    return (size, TIMES[quantity]) if factor >= TIMES_FROM else (size, WORDS[quantity][factor < 1])


def _word_size(factor: float) -> str:
    """How far from 1: "17 %", "33", "1.2e+06"."""
    if factor >= TIMES_FROM:
        return figure(float(f"{factor:.2g}")) if factor < 10000 else f"{factor:.1e}"
    change = abs(factor - 1) * 100
    if change < 0.05:
        return "0 %"
    if change > 99.9 and factor < 1:
        return "over 99.9 %"
    return f"{change:.{1 if change < 9.95 or (change > 99 and factor < 1) else 0}f} %"


def _join(*parts: str) -> str:
    return ", ".join(filter(None, parts))


MOST_BLOCKS = 4


def describe_baselines(comparison: Comparison, judgement: Judgement) -> str:
    """What the differences and verdicts are against: one baseline, or one for each block of columns."""
    blocks: dict[int, list[str]] = {}
    for at, base in enumerate(judgement.bases):
        if at != base:
            blocks.setdefault(base, []).append(comparison.columns[at].title)
    if not blocks:
        return ""
    if len(blocks) == 1:
        return f"Differences and verdicts are against {comparison.columns[next(iter(blocks))].title}, the baseline."
    pairs = [f"{' and '.join(others)} against {comparison.columns[base].title}" for base, others in blocks.items()]
    more = f"; and {len(pairs) - MOST_BLOCKS} more in the same way" if len(pairs) > MOST_BLOCKS else ""
    return f"Differences and verdicts stand {'; '.join(pairs[:MOST_BLOCKS])}{more}."
