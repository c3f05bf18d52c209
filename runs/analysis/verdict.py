"""What judging gives: the evidence of two sides of one metric, and a verdict on it as a kind and numbers.

Ratios are the config's value by the baseline's; distances are logarithms of ratios. verdict_wording has the sentences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from runs.analysis import adaptive, stats
from runs.analysis.stats import Drift, Placed, Pool
from runs.numbers import mean

# Few repeats are near enough to normal for Welch's test on the logs. From so many a side ranks lose nothing by one outlier.
ENOUGH_FOR_RANKS = 10
# So many against that many: outliers among the many mislead Welch's test, and few the ranks, so both must agree.
ENOUGH_BESIDE_RANKS = 5
# Where runs of both configs alternate, so many pairs are compared pair by pair; fewer lose more by it than drift takes.
ENOUGH_PAIRS = 4
# Two repeats a side rest on one difference each: no fewer than this are advised.
LEAST_ADVISED = 3
# Sides alternate where at least this share of their runs has a neighbour of the other side.
PAIRED_SHARE = 0.8
# From so many a side values without a logarithm, and shares of failures, are tested as they are; Cliff's delta is given too.
ENOUGH_FOR_PLAIN = 4
# Repeats equal to the last digit vary by this at least; of two a side that says nothing unless the step explains it.
LEAST_SD = 0.001
MOST_LOG = 700
ALPHA = 0.05
# The same: the whole 95 % interval lies within this of equal. That is a test of equivalence by two one-sided tests
# (D. J. Schuirmann, 1987) at 2.5 % each, stricter than the usual 5 %, so that it agrees with the interval shown.
MARGIN = math.log(1.02)
# An interval can leave the margin of the same at either end; a chance of 10 % each leaves 80 % for both to hold.
EACH_END = 0.9


class Design(StrEnum):
    """In which order the runs of two sides were made, as the texts have them."""

    UNKNOWN = ""
    BLOCKED = "blocked"  # all of one side, then all of the other
    ALTERNATING = "alternating"  # A B A B, A B B A
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Side:
    """One config's values of a metric and their mean; `logs` None: a value has none (zero, negative).

    `places` are those of the values' runs among all runs of the comparison; none where a value is of no run.
    """

    values: tuple[float, ...]
    logs: list[float] | None
    mean: float
    places: tuple[int, ...] = ()

    @classmethod
    def of(cls, values: Sequence[float], places: Sequence[int] = ()) -> Side:
        """Of one value or more."""
        return cls(tuple(values), stats.logs(values), mean(values), tuple(places))

    @property
    def placed(self) -> list[Placed]:
        return [Placed(place, value) for place, value in zip(self.places, self.logs or (), strict=True)]


@dataclass(frozen=True, slots=True)
class ComparedSides:
    """Two sides; distance, low and high are logs of ratios, None where a value has no log.

    sd     what one run varies by, in logs, as the test took it; None where no test could be made (test "")
    drift  in logs, of sides measured one after the other, where it could be all of the distance
    most   runs a side that were to be made at most, of a test after each round
    """

    base: Side
    own: Side
    design: Design = Design.UNKNOWN
    distance: float | None = None
    low: float | None = None
    high: float | None = None
    of: str = ""
    test: str = ""
    p: float | None = None
    sd: float | None = None
    effect: float | None = None
    drift: Drift | None = None
    most: int = 0

    @property
    def fewest(self) -> int:
        return min(len(self.own.values), len(self.base.values))

    @property
    def is_up(self) -> bool:
        """Whether the config's values are the larger."""
        return self.distance > 0 if self.distance else self.own.mean > self.base.mean

    def is_within(self, step: float) -> bool:
        """The tool prints in steps too coarse to tell the sides apart: more repeats would print the same."""
        return self.distance is not None and 0 < step >= abs(self.own.mean - self.base.mean)


def compare_sides(base: Side, own: Side, step: float = 0.0, most: int = 0, tests: int = 1) -> ComparedSides:
    """The test that suits the number of repeats and their order, on the logs. `step` is the least difference printed.

    most: the runs a side that were to be made at most, where they were tested after each round; see adaptive.
    tests: comparisons of the row, of which a drift must explain none.
    """
    fewest = min(len(base.values), len(own.values))
    effect = stats.cliffs_delta(base.values, own.values) if fewest >= ENOUGH_FOR_PLAIN else None
    sides = ComparedSides(base, own, effect=effect)
    if base.logs is None or own.logs is None:
        # Divided first: squares of huge values would overflow.
        greatest = max(map(abs, (*base.values, *own.values)))
        scaled = [[value / greatest for value in side.values] for side in (base, own)] if greatest else [[], []]
        plain = stats.welch(*scaled) if effect is not None else None
        return replace(sides, test="Welch", p=plain.p) if plain else sides
    design, pairs = read_design(base, own)
    of = "runs" if len(base.values) == len(own.values) == 1 else "means"
    apart = math.log(own.mean) - math.log(base.mean)
    sides = replace(sides, design=design, distance=apart, of=of)
    least_sds = _estimate_least_sds(base, own, step)
    if fewest < 2 or least_sds is None:
        return sides
    pool = stats.pool_spread([base.logs, own.logs])
    sd = max(pool.sd if pool else 0.0, *least_sds)
    if most and base.places and own.places:
        sides, test = replace(sides, most=most), "t test after each round, on the logs"
        shift = adaptive.compare_in_turn(base.placed, own.placed, most=most, least_sd=max(least_sds))
    elif design == Design.ALTERNATING and len(pairs) >= ENOUGH_PAIRS:
        shift, test = stats.paired(pairs, least_sd=math.hypot(*least_sds)), "paired t on the logs"
        sd = min(sd, stats.sample_sd([y.value - x.value for x, y in pairs]) / math.sqrt(2))
    elif fewest >= ENOUGH_FOR_RANKS and pool and pool.squares:
        shift, test = stats.brunner_munzel(base.logs, own.logs), "Brunner-Munzel"
    else:
        shift, test = stats.welch(base.logs, own.logs, least_sds=least_sds), "Welch on the logs"
        if shift and fewest >= ENOUGH_BESIDE_RANKS and max(len(base.values), len(own.values)) >= ENOUGH_FOR_RANKS:
            shift, test = stats.unite(shift, stats.brunner_munzel(base.logs, own.logs)), f"{test} and Brunner-Munzel"
    if shift is None:
        return sides
    suspect = design == Design.BLOCKED and shift.p < ALPHA
    drift = stats.explaining_drift(base.placed, own.placed, tests) if suspect else None
    # What is told is the ratio of the means that are shown; a test that points the other way proves nothing.
    shift = stats.unite(stats.Shift(apart, apart, apart, 0.0), shift)
    return replace(sides, test=test, sd=sd, drift=drift, low=shift.low, high=shift.high, p=shift.p)


def read_design(base: Side, own: Side) -> tuple[Design, list[tuple[Placed, Placed]]]:
    """The order of the runs, and the pairs of neighbours in it."""
    if min(len(base.places), len(own.places)) < 2 or base.logs is None or own.logs is None:
        return Design.UNKNOWN, []
    if max(base.places) < min(own.places) or max(own.places) < min(base.places):
        return Design.BLOCKED, []
    pairs = stats.find_pairs(base.placed, own.placed)
    alternate = 2 * len(pairs) >= PAIRED_SHARE * (len(base.places) + len(own.places))
    return Design.ALTERNATING if alternate else Design.MIXED, pairs


def _estimate_least_sds(base: Side, own: Side, step: float) -> tuple[float, float] | None:
    """What the values of each side vary by at least, in logs: half the step, as all that were printed alike lie within one.

    None where repeats equal to the last digit, of both sides, tell nothing of how they vary.
    """
    least = step / 2 / base.mean, step / 2 / own.mean
    if len({*base.values}) > 1 or len({*own.values}) > 1:
        return least
    few = min(len(base.values), len(own.values)) < 3 and max(least) < LEAST_SD
    return None if few or base.values[0] == own.values[0] else (max(least[0], LEAST_SD), max(least[1], LEAST_SD))


def ratio(distance: float | None) -> float | None:
    """A difference of logs as a factor; None for none, and where it or its inverse is beyond what a number holds."""
    return math.exp(distance) if distance is not None and abs(distance) < MOST_LOG else None


def estimate_repeats(evidence: ComparedSides, pool: stats.Pool | None, *, comparisons: int, step: float) -> int | None:
    """Repeats a side that would settle it, as a difference or as the same, whichever takes fewer; 80 % power.

    `pool` is what repeats vary by where neither side has any, `comparisons` in the row, `step` the least difference printed.
    More than stats.MOST_REPEATS are one more than that; None where it cannot be calculated, or where drift is in the way.
    """
    sd = evidence.sd or (
        own.sd if (own := stats.pool_spread(filter(None, (evidence.base.logs, evidence.own.logs)))) else 0
    )
    sd = sd or (pool.sd if pool else 0)
    if evidence.distance is None or not sd or evidence.drift is not None or evidence.is_within(step):
        return None
    distance = abs(evidence.distance)
    different = stats.repeats_needed(distance, sd, alpha=ALPHA / max(comparisons, 1))
    # The interval that "same" rests on is not adjusted for other configs.
    same = stats.repeats_needed(MARGIN - distance, sd, alpha=ALPHA, power=EACH_END)
    counted = min((n for n in (different, same) if n is not None), default=stats.MOST_REPEATS + 1)
    return min(max(counted, LEAST_ADVISED, evidence.fewest + 1), stats.MOST_REPEATS + 1)


# Without any repeats to go by, single runs nearer than this factor are not judged. Repeats in published sessions are
# 1.2 to 1.5 times apart where the first was a cold start; twice that distance, with something to spare, is taken for far.
UNKNOWN_REACH = math.log(3)
# A single run tells nothing of its own spread, which may be many times that of others: nearer than this it is never far.
SINGLE_REACH = math.log(2)


class Kind(StrEnum):
    """better, worse and same are tested; likely_* are not proven; none: there is nothing to judge."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    UNDECIDED = "undecided"
    LIKELY_BETTER = "likely_better"
    LIKELY_WORSE = "likely_worse"
    NONE = "none"


GAINS = (Kind.BETTER, Kind.LIKELY_BETTER)
LOSSES = (Kind.WORSE, Kind.LIKELY_WORSE)


class Ground(StrEnum):
    """What decided a verdict, or left it open."""

    NOT_COUNTED = "not_counted"  # a doubt keeps all runs out, or the config is not comparable
    NO_RATIO = "no_ratio"  # a value has no logarithm
    EQUIVALENT = "equivalent"  # the whole interval lies within the margin of the same
    WITHIN_STEP = "within_step"  # no further apart than the least difference that the tool prints
    TESTED = "tested"  # p after Holm is below 5 %
    DRIFT = "drift"  # a test would say so, but a drift of the machine could be all of it
    UNLIKE = "unlike"  # the headline does not compare the two
    DOUBTED = "doubted"  # a report that cannot be right, or a load generator at its limit, could be all of it
    FAR = "far"  # far beyond what repeats vary by, and no test could prove it
    OPEN = "open"
    FAILURES = "failures"  # counts of failed requests


class Void(StrEnum):
    """Why a verdict that stands by itself counts for nothing beside another one."""

    GAIN_BY_FAILURES = "gain_by_failures"
    LOSS_BY_FAILURES = "loss_by_failures"
    SERVED_FEWER = "served_fewer"


@dataclass(frozen=True)
class JudgedRow:
    """A row of the table that is judged. `quantity` is the row's kind (rate, time, amount or ""), `unit` its unit.

    good      1: more is better, -1: less is
    like      key of the row whose spread may stand in for its own
    unknown   how far apart, in logs, single runs must be where nothing is known of their spread
    noun      what is counted: "run" or "capture"
    """

    key: str
    quantity: str
    unit: str
    good: int
    like: str
    unknown: float = UNKNOWN_REACH
    noun: str = "run"


# Configs whose repeats a borrowed spread is of: (name, address) of each.
Sources = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Scale:
    """What a verdict is measured against.

    pool         what repeats vary by, None where unknown; `where`: whose repeats, "" for those of this comparison
    comparisons  in the row; `tests` of them gave a p, which Holm's adjustment is over
    step         the least difference that the tool prints
    missing      see Spread
    """

    row: JudgedRow
    pool: Pool | None
    where: str
    comparisons: int
    tests: int
    step: float
    sources: Sources = ()
    missing: int = 0


@dataclass(frozen=True, slots=True)
class FailureCounts:
    """Failed requests of requests made, on both sides; groups as Fisher's test counts them, None where ranks decide."""

    key: str
    bad: int
    of: int
    base_bad: int
    base_of: int
    groups: tuple[int, int] | None = None
    base_groups: tuple[int, int] | None = None
    tests: int = 0


@dataclass(frozen=True)
class Verdict:
    """How a cell stands to its baseline's.

    base       index of the column that it stands against
    n, n_base  values used on each side
    ratio      of the middles named in `of`, with its 95 % interval low to high; None where there is none
    distance   the logarithm of the ratio, which also exists where the ratio is beyond what a number holds
    test       the test's name, "" where none was made; p as it came, p_adjusted after Holm over the metric's configs
    design     the order of the runs of both sides; `drift`, `most`: see ComparedSides
    effect     Cliff's delta from 4 repeats a side up, 1: every value above every one of the baseline
    needed     repeats a side that would settle it; more than stats.MOST_REPEATS stand as one more than that
    borrowed   neither side has repeats, so that the spread is that of others
    all_zero   every value of both sides is 0
    reason     why the column is not counted, as the doubt says it; of what is doubted the rule
    void       why it is no gain or loss; `void_by`: the verdict on failures that shows it
    """

    kind: Kind
    base: int
    ground: Ground
    n: int = 0
    n_base: int = 0
    distance: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    of: str = ""
    test: str = ""
    p: float | None = None
    p_adjusted: float | None = None
    effect: float | None = None
    needed: int | None = None
    borrowed: bool = False
    design: Design = Design.UNKNOWN
    drift: Drift | None = None
    most: int = 0
    all_zero: bool = False
    scale: Scale | None = None
    failures: FailureCounts | None = None
    reason: str = ""
    void: Void | None = None
    void_by: Verdict | None = None

    @property
    def fewest(self) -> int:
        return min(self.n, self.n_base)


Verdicts = Mapping[tuple[str, int], Verdict]


@dataclass(frozen=True, slots=True)
class Spread:
    """What repeats elsewhere vary by: pools by a row's key, and where they are from ("of other x runs kept here").

    missing   so many runs were left out or deleted and are not in it any more
    """

    pools: Mapping[str, Pool]
    where: str
    sources: Sources = ()
    missing: int = 0


@dataclass(frozen=True)
class Words:
    """A verdict in a few words for its cell, and what it rests on in a sentence or two."""

    text: str
    detail: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict by (row key, column index).

    bases     for each column the index of the one it was judged against, which may differ from the comparison's own
              where that one's runs do not count
    silent    column index -> why nothing of it counts
    words     of each verdict: see verdict_wording.add_words
    """

    metrics: tuple[str, ...] = ()
    bases: tuple[int, ...] = ()
    verdicts: Verdicts = field(default_factory=dict)
    silent: Mapping[int, str] = field(default_factory=dict)
    words: Mapping[tuple[str, int], Words] = field(default_factory=dict)

    def of(self, key: str, column: int) -> Verdict | None:
        """None for a baseline, for a row that is not judged, and where either side has no figure."""
        return self.verdicts.get((key, column))
