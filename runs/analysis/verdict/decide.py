"""From evidence to a verdict: what is proven, what is likely, what is the same, and what stays open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from runs.analysis import stats
from runs.analysis.verdict import words
from runs.analysis.verdict.evidence import ALPHA, ENOUGH_FOR_RANKS, MARGIN, Evidence, ratio
from runs.analysis.verdict.metrics import Judged
from runs.analysis.verdict.needed import needed, within_step
from runs.analysis.verdict.shapes import Kind, Verdict

# A spread borrowed from other configs must be exceeded at this confidence, as nothing says that they vary alike.
FAR = 0.99
# From so few degrees of freedom Student's limit says more of our ignorance than of the runs; it is then held to what is
# asked where nothing at all is known.
FEW_DF = 4
# Logs of 1 and 3 must not lie further apart than those of 100 and 300.
ROUNDING = 1 + 1e-9
# Nearer to equal is told as equal.
NO_DISTANCE = math.log(1.0005)
HERE = "in this comparison"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a row's verdicts are made by. `pool`: what repeats vary by, `where`: whose; `comparisons` in the row.

    `tests` of them gave a p, which Holm's adjustment is over; `floor`: the least p after it that this many repeats
    could have come to. `step` is the least difference that the tool prints.
    """

    judged: Judged
    kind: str
    unit: str
    pool: stats.Pool | None
    where: str
    comparisons: int
    tests: int
    floor: float
    step: float

    @property
    def whose(self) -> str:
        return "" if self.where == HERE else "of other runs "


def decide(evidence: Evidence, p_adjusted: float | None, base: int, setting: Setting) -> Verdict:
    found, said, words_for = _found(evidence, p_adjusted, setting)
    open_still = found in ("undecided", "likely_better", "likely_worse")
    wanted = needed(evidence, setting.pool, comparisons=setting.comparisons, step=setting.step) if open_still else None
    return Verdict(
        found,
        base,
        ", ".join(part for part in (said, words_for(down=(evidence.distance or 0) < 0)) if part),
        words_for(down=False),
        n=evidence.n,
        n_base=evidence.n_base,
        ratio=ratio(evidence.distance),
        low=ratio(evidence.low),
        high=ratio(evidence.high),
        of=evidence.of,
        test=evidence.test,
        p=evidence.p,
        p_adjusted=p_adjusted,
        effect=evidence.effect,
        effect_word="" if evidence.effect is None else stats.delta_word(evidence.effect),
        needed=wanted,
        detail=" ".join(
            filter(None, [*_tested(evidence, p_adjusted, setting), *_open(found, evidence, setting, wanted)])
        ),
    )


class Basis(Protocol):
    """How sure a verdict is, in words. `down`: for a distance that is counted from the larger value."""

    def __call__(self, *, down: bool) -> str: ...


def _plain(*parts: str) -> Basis:
    return lambda *, down: ", ".join(part for part in parts if part)


def _found(evidence: Evidence, p_adjusted: float | None, setting: Setting) -> tuple[Kind, str, Basis]:
    """The kind, how far apart, and how sure that is."""
    if evidence.distance is None and evidence.p is None:
        return "none", _no_ratio(evidence), _plain()
    sides = words.sides(evidence.n_base, evidence.n, setting.judged.counted)
    if _same(evidence, setting):
        return "same", "the same within 2 %", _plain(sides)
    if within_step(evidence, setting.step):
        step = f"no further apart than the {setting.step:g} {setting.unit} that the tool tells"
        return "undecided", step, _plain(sides)
    better = _up(evidence) == (setting.judged.good > 0)
    told = _told(evidence, setting)
    p = "" if p_adjusted is None else words.chance(p_adjusted)
    if p and (p_adjusted or 0) < ALPHA:
        careful = "p is somewhat too small as the fewer repeats vary more" if evidence.lopsided else ""
        return "better" if better else "worse", told, _plain(p, sides, careful)
    if _far(evidence, setting):
        return (
            "likely_better" if better else "likely_worse",
            told,
            lambda *, down: ", ".join([sides, _far_words(setting, down=down)]),
        )
    if evidence.fewest >= ENOUGH_FOR_RANKS:
        few = "too few to prove anything" if setting.floor >= ALPHA else ""
        return "undecided", told, _plain(sides, p, few, _against_means(evidence))
    return (
        "undecided",
        told,
        lambda *, down: ", ".join(part for part in (sides, p, _open_words(evidence, setting, down=down)) if part),
    )


def _against_means(evidence: Evidence) -> str:
    """One wild run can put the means the other way round than the pairs; whoever reads the means must be told."""
    if evidence.distance is None or evidence.apart == 0 or abs(evidence.distance) < NO_DISTANCE:
        return ""
    up = evidence.own.mean > evidence.base.mean
    return "" if up == (evidence.distance > 0) else "by the median of all pairs, while the means say otherwise"


def _told(evidence: Evidence, setting: Setting) -> str:
    """How far apart, with the interval if there is one."""
    if evidence.distance is None:
        return ""
    apart = words.apart(ratio(evidence.distance), setting.kind)
    interval = words.interval(ratio(evidence.low), ratio(evidence.high), setting.kind, after=apart)
    return ", ".join(part for part in (apart, interval) if part)


def _up(evidence: Evidence) -> bool:
    """Whether the config's values are the larger: by ranks where there are some, as the mean may be one wild run's."""
    if evidence.effect:
        return evidence.effect > 0
    return (evidence.distance or 0) > 0


def _same(evidence: Evidence, setting: Setting) -> bool:
    """Also where each side's repeats are all equal and both sides agree: then the tool's own step decides."""
    if evidence.fewest < 2 or evidence.distance is None:
        return False
    if setting.step > math.expm1(MARGIN) * min(*evidence.base.values, *evidence.own.values):
        return False
    low, high = evidence.low, evidence.high
    if low is None or high is None:
        return evidence.distance == 0
    return low >= -MARGIN * ROUNDING and high <= MARGIN * ROUNDING


def reach(evidence: Evidence, setting: Setting) -> float:
    """How far apart, in logs, runs of one config may be for all that is known; further is far."""
    pool = setting.pool
    if pool is None:
        return setting.judged.unknown
    limit = pool.reach(evidence.n_base, evidence.n, FAR)
    if pool.df < FEW_DF:
        limit = min(limit, setting.judged.unknown)
    return max(limit, pool.widest, MARGIN)


def _far(evidence: Evidence, setting: Setting) -> bool:
    """From 4 repeats a side on, the sides' own test must at least lean that way before Holm's adjustment."""
    if evidence.distance is None or (evidence.effect is not None and (evidence.p or 0) >= ALPHA):
        return False
    return abs(evidence.distance) > reach(evidence, setting) * ROUNDING


def _far_words(setting: Setting, *, down: bool) -> str:
    if setting.pool is None:
        return "far beyond what repeats usually vary by"
    return (
        f"far beyond the {words.vary(setting.pool, down=down)} that repeats {setting.whose}{words.varying(down=down)}"
    )


def _open_words(evidence: Evidence, setting: Setting, *, down: bool) -> str:
    if setting.pool is None:
        return _nothing(evidence)
    inside = abs(evidence.distance or 0) <= setting.pool.widest
    size = words.vary(setting.pool, down=down)
    if inside:
        return f"repeats {setting.whose}{words.varying(down=down)} {size}"
    return f"not far beyond the {size} that repeats {setting.whose}{words.varying(down=down)}"


def _nothing(evidence: Evidence) -> str:
    return "no repeats to go by" if evidence.fewest < 2 else "repeats all equal, which tells of no spread"


def _no_ratio(evidence: Evidence) -> str:
    if not any(evidence.base.values) and not any(evidence.own.values):
        return "0 on both sides"
    return "no ratio: values of 0 or below" if evidence.fewest > 1 else "no ratio to or from 0"


def _tested(evidence: Evidence, p_adjusted: float | None, setting: Setting) -> list[str]:
    """What the verdict rests on, for whoever asks."""
    parts = []
    after = f" after Holm over {setting.tests} configs" if setting.tests > 1 else ""
    if evidence.test and evidence.p is not None:
        adjusted = f", {words.chance(p_adjusted)}{after}" if p_adjusted is not None and after else ""
        parts.append(f"{evidence.test}: {words.chance(evidence.p)}{adjusted}.")
    if setting.floor >= ALPHA:
        least = words.chance(setting.floor)
        parts.append(f"So few repeats cannot come below {least}{after}, however far apart they lie.")
    if evidence.of and evidence.of != "runs":
        parts.append(f"Ratio of {evidence.of}.")
    return parts


def _open(found: Kind, evidence: Evidence, setting: Setting, wanted: int | None) -> list[str]:
    """Where the same lies; or what is not proven is held against, and what it would take."""
    if found == "same":
        told = words.interval(ratio(evidence.low), ratio(evidence.high), setting.kind)
        return [f"{told}."] if told and evidence.low != evidence.high else []
    if found in ("better", "worse", "none") or within_step(evidence, setting.step):
        return []
    return [_rests_on(evidence, setting), words.wanted(wanted, borrowed=evidence.spread is None)]


def _rests_on(evidence: Evidence, setting: Setting) -> str:
    pool = setting.pool
    if pool is not None:
        down = (evidence.distance or 0) < 0
        many = "in 19 of 20 sets " if pool.sets >= stats.MANY_SETS else ""
        sets = f"{pool.sets} {'sets' if pool.sets > 1 else 'set'} of repeats {setting.where}"
        return f"Repeats {words.varying(down=down)} up to {words.vary(pool, down=down)} {many}({sets})."
    if evidence.fewest > 1:
        return ""
    if math.isinf(setting.judged.unknown):
        return "No spread to go by: a single run's slowest requests are not judged."
    return (
        "No spread to go by: repeats are usually less than 1.5 times apart, and here less than "
        f"{math.exp(setting.judged.unknown):g} times is not judged."
    )
