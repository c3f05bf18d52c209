"""From evidence to a verdict: what is proven, what is likely, what is the same, and what stays open."""

from __future__ import annotations

import math
from dataclasses import dataclass

from runs.analysis import stats
from runs.analysis.verdict import words
from runs.analysis.verdict.evidence import ENOUGH_FOR_RANKS, Evidence, ratio
from runs.analysis.verdict.metrics import Judged
from runs.analysis.verdict.shapes import Kind, Verdict

ALPHA = 0.05
# The same: the whole 95 % interval lies within this of equal. That is a test of equivalence by two one-sided tests
# (D. J. Schuirmann, 1987) at 2.5 % each, stricter than the usual 5 %, so that it agrees with the interval shown.
MARGIN = math.log(1.02)
# A spread borrowed from other configs must be exceeded at this confidence, as nothing says that they vary alike.
FAR = 0.99
# From so few degrees of freedom Student's limit says more of our ignorance than of the runs; it is then held to what is
# asked where nothing at all is known.
FEW_DF = 4
# Logs of 1 and 3 must not lie further apart than those of 100 and 300.
ROUNDING = 1 + 1e-9
HERE = "in this comparison"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a row's verdicts are made by. `pool`: what repeats vary by, `where`: whose; `comparisons` in the row.

    `step` is the least difference that the tool prints.
    """

    judged: Judged
    kind: str
    unit: str
    pool: stats.Pool | None
    where: str
    comparisons: int
    step: float

    @property
    def whose(self) -> str:
        return "" if self.where == HERE else "of other runs "


def decide(evidence: Evidence, p_adjusted: float | None, base: int, setting: Setting) -> Verdict:
    found, said, basis = _found(evidence, p_adjusted, setting)
    open_still = found in ("undecided", "likely_better", "likely_worse")
    needed = _needed(evidence, setting) if open_still else None
    return Verdict(
        found,
        base,
        ", ".join(part for part in (said, basis) if part),
        basis,
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
        needed=needed,
        detail=_detail(evidence, p_adjusted, setting, words.wanted(needed)),
    )


def _found(evidence: Evidence, p_adjusted: float | None, setting: Setting) -> tuple[Kind, str, str]:
    """The kind, how far apart, and how sure that is."""
    if evidence.distance is None and evidence.p is None:
        return "none", _no_ratio(evidence), ""
    sides = words.sides(evidence.n_base, evidence.n, setting.judged.counted)
    if _same(evidence, setting):
        return "same", "the same within 2 %", sides
    if 0 < evidence.apart <= setting.step:
        step = f"no further apart than the {setting.step:g} {setting.unit} that the tool tells"
        return "undecided", step, sides
    better = _up(evidence) == (setting.judged.good > 0)
    told = _told(evidence, setting)
    if p_adjusted is not None and p_adjusted < ALPHA:
        return "better" if better else "worse", told, f"{words.chance(p_adjusted)}, {sides}"
    if _far(evidence, setting):
        return "likely_better" if better else "likely_worse", told, f"{sides}, {_far_words(setting)}"
    rest = [sides, *([words.chance(p_adjusted)] if p_adjusted is not None else [])]
    if evidence.fewest < ENOUGH_FOR_RANKS:
        rest.append(_open_words(evidence, setting))
    return "undecided", told, ", ".join(rest)


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


def _far_words(setting: Setting) -> str:
    if setting.pool is None:
        return "far beyond what repeats usually vary by"
    return f"far beyond the {words.vary(setting.pool)} that repeats {setting.whose}vary by"


def _open_words(evidence: Evidence, setting: Setting) -> str:
    if setting.pool is None:
        return _nothing(evidence)
    inside = abs(evidence.distance or 0) <= setting.pool.widest
    size = words.vary(setting.pool)
    if inside:
        return f"repeats {setting.whose}vary by {size}"
    return f"not far beyond the {size} that repeats {setting.whose}vary by"


def _nothing(evidence: Evidence) -> str:
    return "no repeats to go by" if evidence.fewest < 2 else "repeats all equal, which tells of no spread"


def _no_ratio(evidence: Evidence) -> str:
    if not any(evidence.base.values) and not any(evidence.own.values):
        return "0 on both sides"
    return "no ratio: values of 0 or below" if evidence.fewest > 1 else "no ratio to or from 0"


def _needed(evidence: Evidence, setting: Setting) -> int | None:
    """Repeats a side that would settle it, as a difference or as the same: whichever takes fewer."""
    pool = evidence.spread or setting.pool
    if evidence.distance is None or pool is None or not pool.squares or setting.step >= evidence.apart > 0:
        return None
    distance = abs(evidence.distance)
    alpha = ALPHA / max(setting.comparisons, 1)
    counted = stats.repeats_needed(max(distance, MARGIN - distance), pool.sd, alpha=alpha)
    if counted is None:
        return stats.MOST_REPEATS + 1
    # From ENOUGH_FOR_RANKS on the rank test decides, which has a least p; and what was not enough is not enough.
    least = max(ENOUGH_FOR_RANKS, stats.fewest_for_ranks(alpha), evidence.fewest + 1)
    return max(counted, least)


def _detail(evidence: Evidence, p_adjusted: float | None, setting: Setting, wanted: str) -> str:
    """What the verdict rests on, for whoever asks."""
    if evidence.distance is None and evidence.p is None:
        return ""
    parts = []
    if evidence.test and evidence.p is not None:
        parts.append(f"{evidence.test}: {words.chance(evidence.p)}")
        if p_adjusted is not None and setting.comparisons > 1:
            parts[-1] += f", {words.chance(p_adjusted)} after Holm over {setting.comparisons} configs"
        parts[-1] += "."
    if evidence.of and evidence.of != "runs":
        parts.append(f"Ratio of {evidence.of}.")
    if not evidence.test or p_adjusted is None or p_adjusted >= ALPHA:
        parts.append(_rests_on(setting))
    return " ".join([*filter(None, parts), wanted]).strip()


def _rests_on(setting: Setting) -> str:
    pool = setting.pool
    if pool is None:
        if math.isinf(setting.judged.unknown):
            return "No spread to go by: a single run's slowest requests are not judged."
        return (
            "No spread to go by: repeats are usually less than 1.5 times apart, and here less than "
            f"{math.exp(setting.judged.unknown):g} times is not judged."
        )
    several = "sets" if pool.sets > 1 else "set"
    return f"Repeats vary by up to {words.vary(pool)} ({pool.sets} {several} of repeats {setting.where})."
