"""Several tests at once: Holm's step-down adjustment (S. Holm, Scandinavian Journal of Statistics 6, 1979)."""

from __future__ import annotations

from collections.abc import Sequence


def holm(ps: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order given: an error among all of them stays as unlikely as each says."""
    adjusted = [0.0] * len(ps)
    highest = 0.0
    for done, at in enumerate(sorted(range(len(ps)), key=lambda at: ps[at])):
        highest = max(highest, min((len(ps) - done) * ps[at], 1.0))
        adjusted[at] = highest
    return adjusted
