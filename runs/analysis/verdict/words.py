"""The words of a verdict. Factors are the config's value by the baseline's."""

from __future__ import annotations

import math

from runs.analysis.numbers import WORDS, figure
from runs.analysis.stats import MOST_REPEATS, Pool
from runs.analysis.verdict.evidence import ratio

TIMES = {"rate": "times as many", "time": "times as long", "amount": "times as much"}
# From this factor on a per cent is harder to picture than "times".
MANY_TIMES = 3
# Of p: below it a difference is proven.
BORDER = 0.05


def quantity(kind: str) -> str:
    """The kind of words for a row; CPU shares have none of their own in the table."""
    return kind or "amount"


def apart(factor: float | None, kind: str) -> str:
    """As "17 % more", "33 times as many", "equal"."""
    if factor is None:
        return "beyond any number"
    return " ".join(part for part in _parts(factor, kind) if part)


def interval(low: float | None, high: float | None, kind: str, after: str = "") -> str:
    """As "95 % interval 9 to 26 % more", or nothing without one; `after` words that end alike, "more" is not repeated."""
    if low is None or high is None:
        return ""
    (least, word), (most, other_word) = _parts(low, kind), _parts(high, kind)
    if not word or word != other_word:
        return f"95 % interval from {apart(low, kind)} to {apart(high, kind)}"
    near, far = (least, most) if low > 1 else (most, least)
    told = f"95 % interval {near.removesuffix(' %')} to {far}"
    return told if after.endswith(f" {word}") else f"{told} {word}"


def chance(p: float) -> str:
    """As "p=0.029". Never rounded onto the border that decides: 0.0498 is not "0.05"."""
    if p < 0.0001:
        return "p<0.0001"
    if abs(p - BORDER) < 0.0005:
        return f"p={p:.4f}" if abs(p - BORDER) >= 0.00005 else f"p{'<' if p < BORDER else '≥'}{BORDER}"
    return f"p={p:.2g}" if p < 0.1 else f"p={p:.2f}"


def sides(n_base: int, n: int, noun: str) -> str:
    """As "one run each", "3 repeats each", "1 run against 3"."""
    several = "repeats" if noun == "run" else f"{noun}s"
    if n == n_base:
        return f"one {noun} each" if n == 1 else f"{n} {several} each"
    return f"{n} {noun if n == 1 else several} against {n_base}"


def vary(pool: Pool, *, down: bool = False) -> str:
    """The most that repeats of one config were seen to differ by: "42 %", "10 times".

    `down`: counted from the larger one, as what stands beside it is ("29 % fewer"): 42 % up are 30 % down.
    """
    factor = (ratio(-pool.widest) or 0) if down else (ratio(pool.widest) or math.inf)
    return f"{_size(factor)} times" if factor >= MANY_TIMES else _size(factor)


def varying(*, down: bool) -> str:
    """What stands before the size of `vary`."""
    return "lie below each other by" if down else "vary by"


def wanted(needed: int | None, *, borrowed: bool = False) -> str:
    """`borrowed`: neither side has repeats, so that the spread is that of others."""
    if needed is None:
        return ""
    as_others = " and varies as those do" if borrowed else ""
    return f"{about(needed)} repeats a side would settle it, if it stays this far apart{as_others}."


def about(needed: int) -> str:
    return f"More than {MOST_REPEATS}" if needed > MOST_REPEATS else f"About {needed}"


def _parts(factor: float, kind: str) -> tuple[str, str]:
    """Size and word: ("17 %", "more"), ("33", "times as many"), ("equal", "")."""
    size = _size(factor)
    if size == "0 %":
        return "equal", ""
    return (size, TIMES[quantity(kind)]) if factor >= MANY_TIMES else (size, WORDS[quantity(kind)][factor < 1])


def _size(factor: float) -> str:
    """How far from 1: "17 %", "33", "1.2e+06"."""
    if factor >= MANY_TIMES:
        return figure(float(f"{factor:.2g}")) if factor < 10000 else f"{factor:.1e}"
    change = abs(factor - 1) * 100
    if change < 0.05:
        return "0 %"
    if change > 99.9 and factor < 1:
        return "over 99.9 %"
    return f"{change:.{1 if change < 9.95 or (change > 99 and factor < 1) else 0}f} %"
