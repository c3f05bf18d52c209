"""The small bars-and-dots picture of a card, as numbers that a template draws as SVG: no script needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runs.charts import N_COLORS, plain, short
from runs.charts.throughput import Bar

WIDTH, STEP, MOST = 300, 26, 6


@dataclass(frozen=True, slots=True)
class SparkBar:
    y: int
    width: float
    dots: tuple[float, ...]
    shade: int
    label: str


@dataclass(frozen=True, slots=True)
class Spark:
    """A picture of `width` × `height` units; `left_out` bars did not fit."""

    bars: tuple[SparkBar, ...]
    width: int
    height: int
    left_out: int
    label: str


def spark(bars: Sequence[Bar]) -> Spark | None:
    """The first six bars to one scale from zero, or None where there is nothing to draw."""
    filled = [bar for bar in bars if bar.values]
    if not filled:
        return None
    top = max(max(bar.values) for bar in filled) or 1.0
    drawn = tuple(
        SparkBar(
            y=at * STEP,
            width=round(bar.mean / top * (WIDTH - 12), 1),
            dots=tuple(round(value / top * (WIDTH - 12), 1) for value in bar.values[:20]),
            shade=bar.place % N_COLORS,
            label=short(bar.name, 40),
        )
        for at, bar in enumerate(filled[:MOST])
    )
    told = [f"{bar.name}: {plain(bar.mean)} requests per second, n={len(bar.values)}" for bar in filled[:MOST]]
    return Spark(drawn, WIDTH, STEP * len(drawn), len(filled) - len(drawn), "; ".join(told))
