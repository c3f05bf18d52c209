"""How req/s and latency go with concurrency: sweeps, and the Universal Scalability Law fitted to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runs.analysis.facts import ConfigFact, RunFact

from .law import LEAST_LEVELS, CurvePoint, Fit, Interval, fit
from .sweeps import Level, find
from .words import Knee, details, knee, notes, sentence

__all__ = ["LEAST_LEVELS", "CurvePoint", "Fit", "Interval", "Knee", "Level", "Sweep", "fit", "sweeps"]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A set-up under several levels of concurrency.

    place     of its first config among all, as everywhere on a page
    tail      what Level.tails hold: "95 % within", or "mean" where the tool prints no percentiles
    knee      the law's peak, where it lies within what was measured and can be told
    missing   levels that a fit still takes; 0 where there are enough
    sentence  where the peak is and how sure that is, or how much is missing; details: the law's parameters
    """

    name: str
    configs: tuple[ConfigFact, ...]
    place: int
    tool: str
    tail: str
    levels: tuple[Level, ...]
    fit: Fit | None
    knee: Knee | None
    missing: int
    sentence: str
    details: tuple[str, ...]
    notes: tuple[str, ...]


def sweeps(
    configs: Sequence[ConfigFact], runs: Sequence[RunFact], *, excluded: Mapping[int, str] | None = None
) -> list[Sweep]:
    """Every sweep of two levels and more. `excluded`: run id -> why it does not count."""
    made = []
    for found in find(configs, runs, excluded or {}):
        fitted = fit([(level.n, level.rates) for level in found.levels])
        made.append(
            Sweep(
                name=found.name,
                configs=found.configs,
                place=found.place,
                tool=found.tool,
                tail=found.tail,
                levels=found.levels,
                fit=fitted,
                knee=knee(found, fitted),
                missing=max(LEAST_LEVELS - len(found.levels), 0),
                sentence=sentence(found, fitted),
                details=details(fitted) if fitted else (),
                notes=notes(found),
            )
        )
    return made
