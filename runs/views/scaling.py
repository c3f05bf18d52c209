"""Sweeps handed to their figure."""

from __future__ import annotations

from collections.abc import Sequence

from runs.analysis.scaling import Sweep
from runs.figures import Figure, scaling


def chart(sweeps: Sequence[Sweep]) -> Figure | None:
    """The Plotly figure of how req/s and latency go with concurrency; None without a sweep."""
    curves = [_curve(sweep) for sweep in sweeps if sweep.levels]
    return scaling.figure(curves) if curves else None


def _curve(sweep: Sweep) -> scaling.Curve:
    dots = []
    for level in sweep.levels:
        # A tool that prints no percentile for one repeat leaves later ones' where they are only if all have them.
        tails = level.tails if len(level.tails) == len(level.rates) else (level.tail_ms,) * len(level.rates)
        dots += [scaling.Dot(level.n, rate, ms) for rate, ms in zip(level.rates, tails, strict=True)]
    fit = sweep.fit
    band = tuple((point.n, point.rate, point.low, point.high) for point in fit.curve) if fit else ()
    return scaling.Curve(sweep.name, sweep.place, tuple(dots), band, _peak(sweep), sweep.tail)


def _peak(sweep: Sweep) -> tuple[float, float, float] | None:
    """Where the law has its peak, if that lies within what was measured and can be told."""
    if not sweep.knee:
        return None
    return sweep.knee.at, sweep.knee.low, sweep.knee.high
