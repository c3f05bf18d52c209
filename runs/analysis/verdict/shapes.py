"""What judging gives: a verdict for a cell of the table, all of them with a sentence for a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from runs.analysis.stats import Pool

Kind = Literal["better", "worse", "same", "undecided", "likely_better", "likely_worse", "none"]
WORDS: dict[Kind, str] = {
    "better": "better",
    "worse": "worse",
    "same": "same",
    "undecided": "undecided",
    "likely_better": "likely better",
    "likely_worse": "likely worse",
    "none": "no verdict",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a cell stands to its baseline's.

    kind       better, worse and same are tested; likely_* are not proven; none: there is nothing to judge, `text` has why
    base       index of the column that it stands against
    ratio      of the middles named in `of`, with its 95 % interval low to high; None where there is none
    n, n_base  values used on each side
    test       the test's name, "" where none was made; p as it came, p_adjusted after Holm over the metric's configs
    effect     Cliff's delta from 4 repeats a side up, 1: every value above every one of the baseline; with its word
    needed     repeats a side that would settle it; more than stats.MOST_REPEATS stand as one more than that
    text       a few words for the cell; `basis` is what of them says how many runs and how sure
    detail     what it rests on, in a sentence or two
    """

    kind: Kind
    base: int
    text: str
    basis: str = ""
    n: int = 0
    n_base: int = 0
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    of: str = ""
    test: str = ""
    p: float | None = None
    p_adjusted: float | None = None
    effect: float | None = None
    effect_word: str = ""
    needed: int | None = None
    detail: str = ""

    @property
    def word(self) -> str:
        return WORDS[self.kind]

    def as_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "basis"}


@dataclass(frozen=True, slots=True)
class Spread:
    """What repeats elsewhere vary by: pools by a row's key, and where they are from ("other ab runs kept here")."""

    pools: Mapping[str, Pool]
    where: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The sentence for the top of the page, and a verdict by (row key, column index).

    `bases` has for each column the index of the one it was judged against, which may differ from the comparison's own
    where that one's runs do not count.
    """

    sentence: str
    metrics: tuple[str, ...] = ()
    bases: tuple[int, ...] = ()
    verdicts: Mapping[tuple[str, int], Verdict] = field(default_factory=dict)

    def of(self, key: str, column: int) -> Verdict | None:
        """None for a baseline, for a row that is not judged, and where either side has no figure."""
        return self.verdicts.get((key, column))

    def as_dict(self) -> dict[str, object]:
        return {
            "sentence": self.sentence,
            "bases": list(self.bases),
            "metrics": {
                key: [None if (found := self.of(key, at)) is None else found.as_dict() for at in range(len(self.bases))]
                for key in self.metrics
            },
        }
