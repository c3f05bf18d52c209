"""Verdicts that stand on their own but not beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from runs.analysis.verdict.failures import Tries, share
from runs.analysis.verdict.metrics import COUNTS
from runs.analysis.verdict.shapes import Kind, Verdict

Verdicts = dict[tuple[str, int], Verdict]
GOOD: tuple[Kind, ...] = ("better", "likely_better")
BAD: tuple[Kind, ...] = ("worse", "likely_worse")
# A failure is often answered sooner than a success, so that this much more of them may be all that a gain consists of.
MORE_FAILED = 0.01


def without_hollow_gains(
    found: Mapping[tuple[str, int], Verdict], tried: Mapping[str, Sequence[Sequence[Tries]]], bases: Sequence[int]
) -> Verdicts:
    """Speed gained while more requests fail is no gain, on either side; nor is idle CPU that comes of serving less."""
    hollow = {}
    for at, base in enumerate(bases):
        for kinds, failing, other in ((GOOD, at, base), (BAD, base, at)):
            for key in COUNTS:
                if _more_failed(tried[key][failing], tried[key][other]):
                    hollow[at, kinds] = key
    return {(key, at): _weighed(key, at, verdict, found, hollow) for (key, at), verdict in found.items()}


def _weighed(
    key: str,
    at: int,
    verdict: Verdict,
    found: Mapping[tuple[str, int], Verdict],
    hollow: Mapping[tuple[int, tuple[Kind, ...]], str],
) -> Verdict:
    kinds = next((kinds for kinds in (GOOD, BAD) if verdict.kind in kinds), None)
    if kinds is None:
        return verdict
    if (at, kinds) in hollow and (key == "requests_per_second" or key.endswith("_ms")):
        word = "gain" if kinds == GOOD else "loss"
        return replace(verdict, kind="none", text=f"{verdict.text}: no {word}, {found[hollow[at, kinds], at].text}")
    rate = found.get(("requests_per_second", at))
    if kinds == GOOD and key.startswith("cpu_") and rate and rate.kind in BAD:
        return replace(verdict, kind="none", text=f"{verdict.text}: no gain, as it served fewer requests")
    return verdict


def _more_failed(own: Sequence[Tries], other: Sequence[Tries]) -> bool:
    return bool(own and other) and share(own) > share(other) + MORE_FAILED
