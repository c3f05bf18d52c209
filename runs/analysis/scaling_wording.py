"""The sentences of a sweep: how one config does from level to level, and which levels to try next."""

from __future__ import annotations

import re
from collections.abc import Sequence

from runs.analysis.scaling import CONCURRENCY, Point, Range
from runs.numbers import TIMES_FROM, figure, percent, share_words, times

# Rates that lie within this of each other are "about" one rate; a factor this near to 2 is "doubles".
ABOUT, NEAR, DOUBLE = 1.15, 1.1, (1.8, 2.3)
AS_MUCH = 1.05  # what is served within this of the most is the most
RATES = {"rps", "qps", "req/s", "requests/s"}
SINGULAR = re.compile(r"(?<=ss)es$|(?<=[^s])s$")


def describe_levels(swept: Range, points: Sequence[Point]) -> str:
    """As "about 3 requests per second at 50 and 100 connections, the mean time doubles, 47 % fail at 150"."""
    sound = [point for point in points if not point.failed and point.rate is not None]
    parts = [*_rates(swept, sound), *_times_over(sound)]
    failing = [point for point in points if point.failed]
    at = _preposition(swept)
    if failing:
        places = [_value(point) for point in failing[:2]]
        places = places if sound else [with_axis(swept, places[0]), *places[1:]]
        shares = [percent(point.failed, 1) for point in failing]
        parts += [f"{share} of the requests fail {at} {place}" for share, place in zip(shares, places, strict=False)]
    return ", ".join(parts) or "no level served anything"


def _rates(swept: Range, sound: Sequence[Point]) -> list[str]:
    if not sound:
        return []
    rates = [point.rate or 0.0 for point in sound]
    at = _preposition(swept)
    if max(rates) <= ABOUT * min(rates):
        places = [_value(point) for point in sound]
        where = " and ".join(places) if len(places) < 3 else f"{places[0]} to {places[-1]}"
        return [f"about {_round_to_all(rates)} requests per second {at} {with_axis(swept, where)}"]
    best = next(point for point in sound if (point.rate or 0.0) * AS_MUCH >= max(rates))  # more levels bring no more
    first, last = sound[0], sound[-1]
    told = []
    if best is not first:
        told.append(
            f"requests per second rise from {figure(first.rate)} {at} {with_axis(swept, _value(first))}"
            f" to {figure(best.rate)} {at} {_value(best)}"
        )
    else:
        place = with_axis(swept, _value(best))
        told.append(f"the most is served {at} {place}, {figure(best.rate)} requests per second")
    if best is not last and (last.rate or 0.0) * ABOUT < (best.rate or 0.0):
        told.append(f"falling to {figure(last.rate)} {at} {_value(last)}")
    elif best is not last:
        told.append(
            f"and stay about there up to {_value(last)}"
            if best is not first
            else f"{figure(last.rate)} {at} {_value(last)}"
        )
    return told


def _preposition(swept: Range) -> str:
    return "with" if swept.unit and swept.unit not in RATES else "at"


def with_axis(swept: Range, value: str) -> str:
    """As "1 connection", "8 workers", "MaxClients 50"."""
    unit = "connections" if swept.axis == CONCURRENCY else swept.unit
    if not unit:
        return f"{swept.axis} {value}"
    return f"{value} {SINGULAR.sub('', unit) if value == '1' else unit}"


def _times_over(sound: Sequence[Point]) -> list[str]:
    timed = [point.mean_ms for point in sound if point.mean_ms]
    if len(timed) < 2:
        return []
    factor = timed[-1] / timed[0]
    if DOUBLE[0] <= factor <= DOUBLE[1]:
        return ["latency doubles"]
    if factor < ABOUT:
        return []
    far = f"{times(factor)} times as long" if factor >= TIMES_FROM else f"{share_words(factor - 1)} longer"
    return [f"latency grows from {figure(timed[0])} to {figure(timed[-1])} ms, {far}"]


def _round_to_all(rates: Sequence[float]) -> str:
    """Their mean with as few figures as keep it near all of them."""
    middle = sum(rates) / len(rates)
    for digits in (1, 2, 3):
        about = float(f"{middle:.{digits}g}")
        if about <= min(rates) * NEAR and max(rates) <= about * NEAR:
            break
    return figure(about)


def _value(point: Point) -> str:
    return figure(int(point.value) if point.value == int(point.value) else point.value)


def advise_levels(runs: int, swept: Range | None) -> str:
    again = f"Run each level {runs} times, in mixed order, to see how much they vary. " if runs else ""
    if swept is None or swept.limit is None:
        return again.strip() or "No more runs are needed for these levels."
    below = [point.value for point in swept.points if point.value < swept.limit]
    between = (
        f"between {figure(int(max(below)))} and {figure(int(swept.limit))}"
        if below
        else f"below {figure(int(swept.limit))}"
    )
    return f"{again}Try levels {between} to find where requests begin to fail."
