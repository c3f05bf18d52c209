"""What judging gives: a verdict for a cell of the table, as a kind and numbers. verdict_wording has the sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from runs.analysis.stats import Pool

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
