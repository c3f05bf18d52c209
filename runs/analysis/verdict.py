"""What judging gives: the evidence of two sides of one metric, and a verdict on it as a kind and numbers.

Ratios are the config's value by the baseline's; distances are logarithms of ratios. verdict_wording has the sentences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import fmean

from runs.analysis import stats
from runs.analysis.facts import RunFact
from runs.analysis.numbers import mean
from runs.analysis.stats import Pool
from runs.analysis.table import value_of

# From so many repeats a side the rank test can tell anything at the usual 5 %; below, Welch's test assumes more.
ENOUGH_FOR_RANKS = 4
MOST_LOG = 700
# Drawn from 4 runs against 8 of equal means: at this ratio of spreads p is under 5 % in 9 of 100, at 5 times in 12.
LOPSIDED = 2
ALPHA = 0.05
# The same: the whole 95 % interval lies within this of equal. That is a test of equivalence by two one-sided tests
# (D. J. Schuirmann, 1987) at 2.5 % each, stricter than the usual 5 %, so that it agrees with the interval shown.
MARGIN = math.log(1.02)
# An interval can leave the margin of the same at either end; a chance of 10 % each leaves 80 % for both to hold.
EACH_END = 0.9
# Nearer to equal counts as equal.
NO_DISTANCE = math.log(1.0005)


@dataclass(frozen=True, slots=True)
class Side:
    """One config's values of a metric and their mean; `logs` None: a value has none (zero, negative)."""

    values: tuple[float, ...]
    logs: list[float] | None
    mean: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Side:
        """Of one value or more."""
        return cls(tuple(values), stats.logs(values), mean(values))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Two sides; distance, low and high are logs of ratios, None where a value has no log.

    test "": none could be made (one run a side, or repeats that are equal to the last digit on both sides).
    """

    base: Side
    own: Side
    distance: float | None = None
    low: float | None = None
    high: float | None = None
    of: str = ""
    test: str = ""
    p: float | None = None
    effect: float | None = None

    @property
    def fewest(self) -> int:
        return min(len(self.own.values), len(self.base.values))

    @property
    def spread(self) -> stats.Pool | None:
        """What the two sides' own repeats vary by."""
        return stats.pooled(logged for side in (self.base, self.own) if (logged := side.logs))

    @property
    def lopsided(self) -> bool:
        """A rank test with fewer repeats on the side that varies more finds differences where there are none."""
        n, n_base = len(self.own.values), len(self.base.values)
        if self.effect is None or n == n_base or self.base.logs is None or self.own.logs is None:
            return False
        few, many = sorted((self.base.logs, self.own.logs), key=len)
        return stats.log_sd(few) > LOPSIDED * stats.log_sd(many)

    @property
    def means_disagree(self) -> bool:
        """One extreme run can put the means the other way round than the median of all pairs."""
        if self.distance is None or self.own.mean == self.base.mean or abs(self.distance) < NO_DISTANCE:
            return False
        return (self.own.mean > self.base.mean) != (self.distance > 0)

    @property
    def is_up(self) -> bool:
        """Whether the config's values are the larger: by ranks where there are some, as the mean may be one extreme run's."""
        return self.effect > 0 if self.effect else (self.distance or 0) > 0

    def is_within(self, step: float) -> bool:
        """The tool prints in steps too coarse to tell the sides apart: more repeats would print the same."""
        return self.distance is not None and 0 < step >= abs(self.own.mean - self.base.mean)


def compare_sides(base: Side, own: Side) -> Evidence:
    """Mann-Whitney from 4 repeats a side, Welch on the logs for 2 and 3, no test for one."""
    n, m = len(base.values), len(own.values)
    if min(n, m) >= ENOUGH_FOR_RANKS:
        ranks = stats.mann_whitney(base.values, own.values)
        test = "Mann-Whitney, exact" if ranks.exact else "Mann-Whitney, normal approximation"
        found = Evidence(base, own, test=test, p=ranks.p, effect=stats.cliffs_delta(ranks.u, n, m))
        if base.logs is None or own.logs is None:
            return found
        low, middle, high = stats.shift_interval(base.logs, own.logs)
        return replace(found, distance=middle, low=low, high=high, of="all pairs of runs (median)")
    if base.logs is None or own.logs is None:
        return Evidence(base, own)
    welch = stats.welch(base.logs, own.logs)
    of = "runs" if n == m == 1 else "geometric means"
    if welch is None:
        return Evidence(base, own, fmean(own.logs) - fmean(base.logs), of=of)
    return Evidence(base, own, welch.difference, welch.low, welch.high, of, "Welch on the logs", welch.p)


def ratio(distance: float | None) -> float | None:
    """A difference of logs as a factor; None for none, and where it or its inverse is beyond what a number holds."""
    return math.exp(distance) if distance is not None and abs(distance) < MOST_LOG else None


def repeats_needed(evidence: Evidence, pool: stats.Pool | None, *, comparisons: int, step: float) -> int | None:
    """Repeats a side that would settle it, as a difference or as the same, whichever takes fewer; 80 % power.

    `pool` is what repeats vary by where neither side has any, `comparisons` in the row, `step` the least difference printed.
    More than stats.MOST_REPEATS are one more than that; None where it cannot be calculated.
    """
    pool = evidence.spread or pool
    if evidence.distance is None or pool is None or not pool.squares or evidence.is_within(step):
        return None
    alpha = ALPHA / max(comparisons, 1)
    distance = abs(evidence.distance)
    if evidence.effect is None:
        different = _for_ranks(stats.repeats_needed(distance, pool.sd, alpha=alpha))
    else:
        different = stats.repeats_for_ranks(evidence.effect, alpha=alpha)
    # The interval that "same" rests on is not adjusted for other configs.
    same = _for_ranks(stats.repeats_needed(MARGIN - distance, pool.sd, alpha=ALPHA, power=EACH_END))
    counted = min((n for n in (different, same) if n is not None), default=stats.MOST_REPEATS + 1)
    # From ENOUGH_FOR_RANKS on the rank test decides, which has a least p; and what was not enough is not enough.
    least = max(ENOUGH_FOR_RANKS, stats.fewest_for_ranks(alpha), evidence.fewest + 1)
    return min(max(counted, least), stats.MOST_REPEATS + 1)


def _for_ranks(repeats: int | None) -> int | None:
    """What a t test takes, as a rank test takes it of values that are near normal: π/3 times as many."""
    return None if repeats is None else math.ceil(repeats * math.pi / 3)


# Counts of failures, each a part of the requests made, by the table's row, and where a run has the count.
FAILURE_COUNTS = {"failed_requests": "failed_requests", "non_2xx_responses": "values.non_2xx_responses"}


@dataclass(frozen=True, slots=True)
class Attempts:
    """One run's failures among its requests. `together`: requests that were under way at the same time."""

    bad: int
    of: int
    together: int

    @property
    def share(self) -> float:
        return self.bad / self.of


def read_attempts(runs: Sequence[RunFact], key: str) -> list[Attempts]:
    """Of the runs that print both counts. A row that a whole report leaves out may stand for 0, by its tool's semantics."""
    found = []
    for run in runs:
        bad, made = value_of(run, FAILURE_COUNTS[key]), value_of(run, "complete_requests")
        if bad is None and key == "non_2xx_responses" and run.semantics.absent_non_2xx_is_zero and not run.partial:
            bad = 0
        if bad is None or made is None or bad < 0 or not math.isfinite(bad + made):
            continue
        of = max(made, bad) if run.semantics.failures_in_requests else made + bad
        if of > 0:
            together = run.concurrency if run.concurrency and math.isfinite(run.concurrency) else 1
            found.append(Attempts(int(bad), int(of), max(int(together), 1)))
    return found


def failed_share(runs: Sequence[Attempts]) -> float:
    return sum(run.bad for run in runs) / sum(run.of for run in runs)


def count_groups(runs: Sequence[Attempts]) -> tuple[int, int]:
    """(failed, of): as if each burst of failures took all requests under way with it. Careful, never too sure."""
    bad = sum(math.ceil(run.bad / run.together) for run in runs)
    return bad, max(sum(run.of // run.together for run in runs), bad)


# Without any repeats to go by, single runs nearer than this factor are not judged. Repeats in published sessions are
# 1.2 to 1.5 times apart where the first was a cold start; twice that distance, with something to spare, is taken for far.
UNKNOWN_REACH = math.log(3)


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
    FAR = "far"  # far beyond what repeats vary by, and no test could prove it
    OPEN = "open"
    FAILURES = "failures"  # counts of failed requests


class Void(StrEnum):
    """Why a verdict that stands by itself counts for nothing beside another one."""

    GAIN_BY_FAILURES = "gain_by_failures"
    LOSS_BY_FAILURES = "loss_by_failures"
    SERVED_FEWER = "served_fewer"


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row of the table that is judged. `quantity` is the row's kind (rate, time, amount or ""), `unit` its unit.

    good      1: more is better, -1: less is
    like      key of the row whose spread may stand in for its own
    unknown   how far apart, in logs, single runs must be where nothing is known of their spread
    counted   what is counted: "run" or "capture"
    """

    key: str
    quantity: str
    unit: str
    good: int
    like: str
    unknown: float = UNKNOWN_REACH
    counted: str = "run"


@dataclass(frozen=True, slots=True)
class Scale:
    """What a verdict is measured against.

    pool         what repeats vary by, None where unknown; `where`: whose repeats, "" for those of this comparison
    comparisons  in the row; `tests` of them gave a p, which Holm's adjustment is over
    floor        the least p after Holm that so many repeats can come to
    step         the least difference that the tool prints
    """

    row: JudgedRow
    pool: Pool | None
    where: str
    comparisons: int
    tests: int
    floor: float
    step: float


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


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a cell stands to its baseline's.

    base       index of the column that it stands against
    n, n_base  values used on each side
    ratio      of the middles named in `of`, with its 95 % interval low to high; None where there is none
    distance   the logarithm of the ratio, which also exists where the ratio is beyond what a number holds
    test       the test's name, "" where none was made; p as it came, p_adjusted after Holm over the metric's configs
    effect     Cliff's delta from 4 repeats a side up, 1: every value above every one of the baseline
    needed     repeats a side that would settle it; more than stats.MOST_REPEATS stand as one more than that
    borrowed   neither side has repeats, so that the spread is that of others
    lopsided   p is too small, as the side with fewer repeats varies more; means_disagree: the means lie the other way
    all_zero   every value of both sides is 0
    reason     why the column is not counted, as the doubt says it
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
    lopsided: bool = False
    means_disagree: bool = False
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
    """What repeats elsewhere vary by: pools by a row's key, and where they are from ("of other x runs kept here")."""

    pools: Mapping[str, Pool]
    where: str


@dataclass(frozen=True, slots=True)
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
    sentence  for the top of the page, and `words` of each verdict: see verdict_wording.add_words
    """

    metrics: tuple[str, ...] = ()
    bases: tuple[int, ...] = ()
    verdicts: Verdicts = field(default_factory=dict)
    silent: Mapping[int, str] = field(default_factory=dict)
    sentence: str = ""
    words: Mapping[tuple[str, int], Words] = field(default_factory=dict)

    def of(self, key: str, column: int) -> Verdict | None:
        """None for a baseline, for a row that is not judged, and where either side has no figure."""
        return self.verdicts.get((key, column))
