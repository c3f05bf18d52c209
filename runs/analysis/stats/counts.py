"""Counts of failures among attempts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

# Tables as likely as the observed one must count in spite of rounding.
SLACK = 1 + 1e-7


def fisher(bad: int, of: int, other_bad: int, other_of: int) -> float:
    """Fisher's exact test of two shares, two-sided: the chance of a table no likelier than this one, margins fixed."""
    drawn = bad + other_bad
    possible = np.arange(max(0, drawn - other_of), min(of, drawn) + 1, dtype=np.float64)
    weights = _log_choose(of, possible) + _log_choose(other_of, drawn - possible)
    shares = np.exp(weights - weights.max())
    seen = shares[bad - int(possible[0])]
    return min(float(shares[shares <= seen * SLACK].sum() / shares.sum()), 1.0)


def _log_choose(n: int, k: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1) - gammaln(n - k + 1))
