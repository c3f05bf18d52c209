"""Failed requests: shares of the requests made, not ratios, as none failing is the usual case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from runs.analysis import stats
from runs.analysis.facts import RunFact
from runs.analysis.numbers import percent
from runs.analysis.table import value_of
from runs.analysis.verdict import words
from runs.analysis.verdict.evidence import ALPHA, ENOUGH_FOR_RANKS
from runs.analysis.verdict.shapes import Kind, Verdict

WHERE = {"failed_requests": "failed_requests", "non_2xx_responses": "values.non_2xx_responses"}
NOUN = {"failed_requests": "failed", "non_2xx_responses": "answered with an error"}
LIKELY = 0.01


@dataclass(frozen=True, slots=True)
class Tries:
    """One run's failures among its attempts. `together`: requests that were under way at the same time."""

    bad: int
    of: int
    together: int

    @property
    def share(self) -> float:
        return self.bad / self.of


def tries(runs: Sequence[RunFact], key: str) -> list[Tries]:
    """Of the runs that tell both; siege counts failures beside its transactions, the others within their requests."""
    found = []
    for run in runs:
        bad, made = _bad(run, key), value_of(run, "complete_requests")
        if bad is None or made is None or bad < 0 or not math.isfinite(bad + made):
            continue
        of = made + bad if run.tool == "siege" else max(made, bad)
        if of > 0:
            together = run.concurrency if run.concurrency and math.isfinite(run.concurrency) else 1
            found.append(Tries(int(bad), int(of), max(int(together), 1)))
    return found


def _bad(run: RunFact, key: str) -> float | None:
    """ab has a line for non-2xx responses only if there were any."""
    told = value_of(run, WHERE[key])
    unsaid = key == "non_2xx_responses" and run.tool == "ab" and not run.partial and run.complete_requests is not None
    return 0 if told is None and unsaid else told


def share(runs: Sequence[Tries]) -> float:
    return sum(one.bad for one in runs) / sum(one.of for one in runs)


def judge_failures(key: str, base: Sequence[Tries], own: Sequence[Tries], base_at: int) -> Verdict:
    """From 4 repeats a side by ranks of the shares; below that likely at best. Both sides need a run."""
    n, n_base = len(own), len(base)
    told = f"{_percent(own)} {NOUN[key]}, against {_percent(base)}"
    sides = words.sides(n_base, n, "run")
    if min(n, n_base) >= ENOUGH_FOR_RANKS:
        return replace(_by_ranks(base, own, base_at), text=f"{told}, {sides}", basis=sides, n=n, n_base=n_base)
    own_groups, base_groups = _groups(own), _groups(base)
    p = stats.fisher(*own_groups, *base_groups)
    kind: Kind = "likely_worse" if share(own) > share(base) else "likely_better"
    return Verdict(
        kind if p < LIKELY else "undecided",
        base_at,
        f"{told}, {sides}",
        basis=sides,
        n=n,
        n_base=n_base,
        test="Fisher, exact, on groups of requests",
        p=p,
        detail="Requests under way together tend to fail together: they are counted as one, so that chance is not "
        f"mistaken for a difference. That leaves {own_groups[0]} of {own_groups[1]} groups that failed against "
        f"{base_groups[0]} of {base_groups[1]}. Fisher's exact test: {words.chance(p)}.",
    )


def _percent(runs: Sequence[Tries]) -> str:
    return percent(sum(one.bad for one in runs), sum(one.of for one in runs))


def _by_ranks(base: Sequence[Tries], own: Sequence[Tries], base_at: int) -> Verdict:
    ranks = stats.mann_whitney([one.share for one in base], [one.share for one in own])
    effect = stats.cliffs_delta(ranks.u, len(base), len(own))
    return Verdict(
        "undecided" if ranks.p >= ALPHA else "worse" if effect > 0 else "better",
        base_at,
        "",
        test=f"Mann-Whitney on the shares, {'exact' if ranks.exact else 'normal approximation'}",
        p=ranks.p,
        effect=effect,
        effect_word=stats.delta_word(effect),
        detail=f"Mann-Whitney on each run's share of failures: {words.chance(ranks.p)}.",
    )


def adjusted(found: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """After Holm over the configs that were compared by ranks."""
    ranked = {at: one.p for at, one in found.items() if one.effect is not None and one.p is not None}
    made = dict(found)
    for at, p in zip(ranked, stats.holm(list(ranked.values())), strict=True):
        kind: Kind = found[at].kind if p < ALPHA else "undecided"
        detail = found[at].detail
        if len(ranked) > 1:
            detail = f"{detail.rstrip('.')}, {words.chance(p)} after Holm over {len(ranked)} configs."
        text = f"{found[at].text}, {words.chance(p)}"
        made[at] = replace(found[at], kind=kind, p_adjusted=p, text=text, detail=detail)
    return made


def _groups(side: Sequence[Tries]) -> tuple[int, int]:
    """(failed, of): as if each burst of failures took all requests under way with it. Careful, never too sure."""
    bad = sum(math.ceil(one.bad / one.together) for one in side)
    return bad, max(sum(one.of // one.together for one in side), bad)
