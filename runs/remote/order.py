"""In which order a plan's runs go, so that what drifts on the machines meanwhile hits every variant alike.

Interleaved: level by level, and at each level the variants in turn: A B A B. Blocks: every round has each variant at each
level once, in an order of its own drawn from the snapshot's seed, which is the same whenever it is drawn again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev

from .shapes import Snapshot, Stage

BLOCKS = "blocks"
Pair = tuple[str, int]  # variant, level


def stages(snapshot: Snapshot) -> list[Stage]:
    """Every planned run. The warm-ups of a variant at a level come right before its first counted run."""
    if snapshot.order == BLOCKS:
        rounds = [(repeat, _block(snapshot, repeat)) for repeat in _repeats(snapshot)]
    else:
        rounds = [(repeat, _row(snapshot, level)) for level in snapshot.levels for repeat in _repeats(snapshot)]
    return [stage for repeat, pairs in rounds for stage in _round(snapshot, pairs, repeat)]


def _repeats(snapshot: Snapshot) -> range:
    return range(1, snapshot.repeats + 1)


def _row(snapshot: Snapshot, level: int) -> list[Pair]:
    return [(variant.name, level) for variant in snapshot.variants]


def _block(snapshot: Snapshot, repeat: int) -> list[Pair]:
    pairs = [pair for level in snapshot.levels for pair in _row(snapshot, level)]
    Random(f"{snapshot.seed}/{repeat}").shuffle(pairs)  # noqa: S311  an order, no secret
    return pairs


def _round(snapshot: Snapshot, pairs: Iterable[Pair], repeat: int) -> Iterable[Stage]:
    for variant, level in pairs:
        if repeat == 1:
            yield from [Stage(variant, level, 0)] * snapshot.warmups
        yield Stage(variant, level, repeat)


def more(snapshot: Snapshot, rates: Mapping[Pair, Sequence[float]]) -> list[Stage]:
    """One further round for every variant and level that is not told narrowly enough yet, empty when there is none.

    rates   requests/s of the counted runs so far, by (variant, level)
    """
    if snapshot.rse_limit_pct is None or snapshot.most_repeats is None:
        return []
    counts = {pair: len(rates.get(pair, ())) for level in snapshot.levels for pair in _row(snapshot, level)}
    pairs = _block(snapshot, max(counts.values()) + 1) if snapshot.order == BLOCKS else list(counts)
    return [
        Stage(variant, level, counts[variant, level] + 1)
        for variant, level in pairs
        if counts[variant, level] < snapshot.most_repeats
        and not _narrow(rates.get((variant, level), ()), snapshot.rse_limit_pct)
    ]


def _narrow(rates: Sequence[float], limit_pct: float) -> bool:
    error = relative_standard_error_pct(rates)
    return error is not None and error <= limit_pct


def relative_standard_error_pct(rates: Sequence[float]) -> float | None:
    """The standard error of the mean in percent of the mean; None for fewer than two values or a mean of 0."""
    if len(rates) < 2 or not fmean(rates):
        return None
    return 100 * stdev(rates) / sqrt(len(rates)) / fmean(rates)
