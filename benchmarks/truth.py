"""How often verdicts and trends are wrong, and how often they find what is there: counted on draws whose truth is known.

    python -m benchmarks.truth [--quick]

prints a row a class, with what docs/verdicts.md promises and what was measured, and exits 1 where a promise is broken.
Draws are seeded by the class's name, so that each run counts the same.
"""

from __future__ import annotations

import argparse
import math
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import count, product
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from parsers import get_semantics
from runs.analysis import trend
from runs.analysis.adaptive import FIRST_LOOK, find_capacity, find_next_level, read_limit
from runs.analysis.facts import ConfigFact, RunFact
from runs.analysis.judgement import judge, make_verdict
from runs.analysis.table import compare
from runs.analysis.verdict import JudgedRow, Judgement, Kind, Scale, Side, compare_sides

DRAWS, FEW_DRAWS = 1000, 50
RATE, MEDIAN = "requests_per_second", "p50_ms"
PROVEN, LIKELY = (Kind.BETTER, Kind.WORSE), (Kind.LIKELY_BETTER, Kind.LIKELY_WORSE)
NAMES = "abcdefgh"
Logs = NDArray[np.float64]
# Logs of one config's runs: how many, and their standard deviation.
Noise = Callable[[Generator, int, float], Logs]
# (config, log of its figure) of each run, in the order in which they were made.
Runs = list[tuple[int, float]]
Draw = Callable[[Generator], Runs]
_ids = count(1)


def normal(random: Generator, n: int, sd: float) -> Logs:
    return random.normal(0, sd, n)


def heavy(random: Generator, n: int, sd: float) -> Logs:
    return random.standard_t(3, n) * sd / math.sqrt(3)


def with_outliers(random: Generator, n: int, sd: float) -> Logs:
    """One run in ten is 30 % slower."""
    return random.normal(0, sd, n) + (random.random(n) < 0.1) * math.log(0.7)


def blocks(*sides: tuple[int, float], gains: Sequence[float] = (), drift: float = 0, noise: Noise = normal) -> Draw:
    """All runs of one config, then all of the next: (number, sd) of each. `gains` by config, the first's is 0."""
    order = "".join(NAMES[at] * n for at, (n, _) in enumerate(sides))
    return in_order(order, [sd for _, sd in sides], gains, drift, noise)


def in_order(
    order: str, sds: Sequence[float], gains: Sequence[float] = (), drift: float = 0, noise: Noise = normal
) -> Draw:
    """`order` as "abba"; `drift`: how far the machine has changed by the last run."""

    def draw(random: Generator) -> Runs:
        values = [iter(noise(random, order.count(name), sd)) for name, sd in zip(NAMES, sds, strict=False)]
        steps = np.linspace(0, math.log1p(drift), len(order))
        gained, places = [0.0, *map(math.log1p, gains), *[0.0] * len(sds)], map(NAMES.index, order)
        return [(at, next(values[at]) + step + gained[at]) for at, step in zip(places, steps, strict=True)]

    return draw


@dataclass(frozen=True, slots=True)
class Claim:
    """A promise of docs/verdicts.md: `counts` is true of at most, or of at least, this share of draws; or is it in the mean."""

    what: str
    counts: Callable[[Generator], float]
    most: float = 1.0
    least: float = 0.0

    def measure(self, draws: int) -> float:
        random = np.random.default_rng(zlib.crc32(self.what.encode()))
        return sum(self.counts(random) for _ in range(draws)) / draws

    def holds(self, measured: float, draws: int) -> bool:
        """Within three standard errors of the draws: what chance may add to a promise that is just kept."""
        above, below = (3 * math.sqrt(share * (1 - share) / draws) for share in (self.most, self.least))
        return measured - above <= self.most and measured + below >= self.least


def says(
    draw: Draw, kinds: Sequence[Kind] = PROVEN, *, at: int | None = None, metric: str = RATE
) -> Callable[[Generator], bool]:
    """Whether a verdict of these kinds is on the column `at`, or on any column, so that one false one of several counts."""

    def counts(random: Generator) -> bool:
        judgement = _judge(draw(random), metric)
        columns = range(1, len(judgement.bases)) if at is None else [at]
        return any((verdict := judgement.of(metric, column)) and verdict.kind in kinds for column in columns)

    return counts


def _judge(runs: Runs, metric: str) -> Judgement:
    facts = []
    for line, (config, value) in enumerate(runs):
        figure = 1000 * math.exp(value)
        given = {"percentiles_ms": {"50": round(figure / 100)}} if metric == MEDIAN else {RATE: figure}
        facts.append(_run(config + 1, line, **given))
    configs = [ConfigFact(at + 1, NAMES[at]) for at in sorted({at for at, _ in runs})]
    return judge(compare(configs, facts, []))


def _run(config: int, line: int, **given: Any) -> RunFact:
    given |= {"label": "", "repeat": 1, "url": "", "source": ""}
    return RunFact(id=next(_ids), config=config, line=line, tool="ab", semantics=get_semantics("ab"), **given)


def claims() -> Iterator[Claim]:
    """First what must not be said, then what must be found."""
    for part in (_false_proofs, _orders, _single_runs, _power, _until_sure, _sweeps, _trends):
        yield from part()


def _false_proofs() -> Iterator[Claim]:
    for n in (2, 3, 4, 5, 7, 9, 10, 15):
        yield Claim(f"equal, {n} each, sd 5 %", says(blocks((n, 0.05), (n, 0.05))), most=0.05)
    for n in (3, 5, 10):
        yield Claim(f"equal, {n} each, sd 2 % and 10 %", says(blocks((n, 0.02), (n, 0.1))), most=0.06)
        yield Claim(f"four equal configs, {n} each, any of them", says(blocks(*[(n, 0.05)] * 4)), most=0.05)
    lopsided = ((2, 0.05, 8, 0.05), (2, 0.1, 8, 0.02), (3, 0.04, 10, 0.02), (4, 0.1, 8, 0.02))
    for n, sd, m, other in (*lopsided, (5, 0.1, 20, 0.02), (10, 0.1, 40, 0.02)):
        what = f"equal, {n} of sd {100 * sd:g} % against {m} of {100 * other:g} %"
        yield Claim(what, says(blocks((m, other), (n, sd))), most=0.06)
    for n in (5, 10):
        alike = (n, 0.02), (n, 0.02)
        yield Claim(f"equal, {n} each, heavy tails", says(blocks(*alike, noise=heavy)), most=0.06)
        yield Claim(f"equal, {n} each, one run in ten 30 % off", says(blocks(*alike, noise=with_outliers)), most=0.06)
        many = says(blocks((40, 0.02), (n - 2, 0.02), noise=with_outliers))
        yield Claim(f"equal, {n - 2} against 40, one run in ten 30 % off", many, most=0.06)
        coarse = says(blocks((n, 0.05), (n, 0.05)), metric=MEDIAN)
        yield Claim(f"equal, {n} each, 10 ms in whole ms, sd 5 %", coarse, most=0.05)
    apart = blocks((10, 0.01), (10, 0.01), gains=(0.021,))
    yield Claim("2.1 % apart, 10 each, sd 1 %: the same", says(apart, [Kind.SAME]), most=0.05)


def _orders() -> Iterator[Claim]:
    for order in ("ab" * 4, "ab" * 8, "abba" * 2, "abba" * 4):
        what = f"{order[:4]}..., {len(order) // 2} each, drift −10 %, sd 1 %"
        yield Claim(f"equal, {what}", says(in_order(order, (0.01, 0.01), drift=-0.1)), most=0.06)
        if len(order) == 16:
            yield Claim(f"+3 %, {what}", says(in_order(order, (0.01, 0.01), (0.03,), -0.1)), least=0.9)
    for n, sd in ((3, 0.03), (5, 0.01), (5, 0.02), (5, 0.03), (8, 0.02), (8, 0.05), (10, 0.03)):
        what = f"equal, in blocks of {n}, drift −10 %, sd {100 * sd:g} %"
        yield Claim(what, says(blocks((n, sd), (n, sd), drift=-0.1)), most=0.06)
    for n, sd in ((3, 0.03), (5, 0.01), (8, 0.02)):
        what = f"three equal configs, in blocks of {n}, drift −10 %, sd {100 * sd:g} %, any of them"
        yield Claim(what, says(blocks(*[(n, sd)] * 3, drift=-0.1)), most=0.06)


def _single_runs() -> Iterator[Claim]:
    def mixed(random: Generator) -> Runs:
        sds = np.exp(random.uniform(math.log(0.005), math.log(0.3), 5)).tolist()
        return blocks(*zip((1, 1, 4, 4, 4), sds, strict=True))(random)

    steady = [(4, 0.01)] * 3
    for what, draw in (
        ("equal single runs of sd 10 % beside steady repeats", blocks((1, 0.1), (1, 0.1), *steady)),
        ("equal single runs of sd 20 % beside steady repeats", blocks((1, 0.2), (1, 0.2), *steady)),
        ("equal, 1 run of sd 20 % against 5 of 1 %", blocks((5, 0.01), (1, 0.2))),
        ("equal single runs of sd 30 %, no repeats", blocks((1, 0.3), (1, 0.3))),
        ("equal single runs, sd of each config from 0.5 to 30 %", mixed),
        ("four equal configs, 4 each", blocks(*[(4, 0.05)] * 4)),
    ):
        yield Claim(f"{what}: likely", says(draw, LIKELY, at=1), most=0.05)


def _power() -> Iterator[Claim]:
    for n, least in ((3, 0.6), (4, 0.8), (5, 0.9), (7, 0.95), (10, 0.95)):
        yield Claim(f"+10 %, {n} each, sd 2 %", says(blocks((n, 0.02), (n, 0.02), gains=(0.1,))), least=least)
    three = blocks((3, 0.02), (3, 0.02), gains=(0.1,))
    yield Claim("+10 %, 3 each, sd 2 %: proven or likely", says(three, (*PROVEN, *LIKELY)), least=0.8)
    for order in ("abbaab", "abbaabba"):
        turns = says(in_order(order, (0.02, 0.02), (0.1,)))
        yield Claim(f"+10 %, {order}, {len(order) // 2} each, sd 2 %", turns, least=0.8)
    for n in (3, 4, 5):
        three = blocks(*[(n, 0.01)] * 3, gains=(0.1, 0.1))
        yield Claim(f"+10 %, three configs, {n} each, sd 1 %", says(three, at=1), least=0.9)
        steady = blocks(*[(n, 0.003)] * 3, gains=(0.5, 2 / 3))
        yield Claim(f"900, 1350 and 1500 per s, {n} each, sd 0.3 %", says(steady, at=2), least=0.99)
        step = blocks((n, 0.001), (n, 0.001), gains=(-1 / 3,))
        yield Claim(f"6.7 ms against 10 ms in whole ms, {n} each", says(step, metric=MEDIAN), least=0.99)
    for n, least in ((10, 0.7), (15, 0.8)):
        outliers = blocks((n, 0.02), (n, 0.02), gains=(0.1,), noise=with_outliers)
        yield Claim(f"+10 %, {n} each, one run in ten 30 % off", says(outliers), least=least)
    yield Claim("equal, 5 each, sd 0.5 %: the same", says(blocks((5, 0.005), (5, 0.005)), [Kind.SAME]), least=0.9)


# Of each sd the fixed number of runs a side that shows +5 % as often as a test after each of at most 50 rounds does.
FIXED = {0.01: 5, 0.015: 8, 0.02: 11, 0.03: 21, 0.05: 36}
MOST = 50


def _until_sure() -> Iterator[Claim]:
    """Tested after each round: what must not be said at any look, how often a difference is found, after how many rounds."""
    for most, sd, drift in ((10, 0.02, 0), (10, 0.05, 0), (MOST, 0.02, 0), (MOST, 0.05, 0), (MOST, 0.02, -0.1)):
        what = f"until sure, equal, at most {most} rounds, sd {100 * sd:g} %" + (", drift −10 %" if drift else "")
        yield Claim(what, _ends(PROVEN, 0, sd, most, drift), most=0.05)
    odd: list[tuple[Noise, float, str]] = [(heavy, 0, "heavy tails"), (with_outliers, 0, "one run in ten 30 % off")]
    for noise, walk, name in (*odd, (normal, 0.01, "and a random walk of 1 % a run")):
        what = f"until sure, equal, at most {MOST} rounds, sd 2 %, {name}"
        yield Claim(what, _ends(PROVEN, 0, 0.02, MOST, noise=noise, walk=walk), most=0.06)
    for sd in (0.005, 0.01):
        what = f"until sure, 2.1 % apart, at most {MOST} rounds, sd {100 * sd:g} %: worse or the same"
        yield Claim(what, _ends((Kind.WORSE, Kind.SAME), 0.021, sd, MOST), most=0.05)
    yield Claim("until sure, equal, sd 0.5 %: the same", _ends([Kind.SAME], 0, 0.005, MOST), least=0.9)
    for sd, n in FIXED.items():
        what = f"+5 %, sd {100 * sd:g} %"
        yield Claim(f"{what}, {n} each, in turn", says(in_order(("abba" * n)[: 2 * n], (sd, sd), (0.05,))), least=0.9)
        yield Claim(f"until sure, {what}, at most {MOST} rounds", _ends([Kind.BETTER], 0.05, sd, MOST), least=0.9)
        for gain in (0.05, 0.07, 0.1, 0.2):
            what = f"until sure, +{100 * gain:g} %, sd {100 * sd:g} %: rounds made, of {n}"
            yield Claim(what, partial(_share_made, gain=gain, sd=sd, n=n), most=0.6)


def _ends(
    kinds: Sequence[Kind], gain: float, sd: float, most: int, drift: float = 0, **noise: Any
) -> Callable[[Generator], bool]:
    return lambda random: _run_until_sure(random, gain, sd, most, drift, **noise)[0] in kinds


def _share_made(random: Generator, gain: float, sd: float, n: int) -> float:
    return _run_until_sure(random, gain, sd, MOST)[1] / n


def _run_until_sure(
    random: Generator, gain: float, sd: float, most: int, drift: float = 0, noise: Noise = normal, walk: float = 0
) -> tuple[Kind, int]:
    """(what the last look said, after how many rounds), of A B B A ...; each look as a page makes it. walk: sd of its steps."""
    order = ("abba" * most)[: 2 * most]
    steps = np.cumsum(random.normal(0, walk, len(order)))
    made = in_order(order, (sd, sd), (gain,), drift, noise)(random)
    runs = [(at, value + step) for (at, value), step in zip(made, steps, strict=True)]
    row = JudgedRow(RATE, "rate", "", 1, RATE)
    kind = Kind.UNDECIDED
    for n in range(FIRST_LOOK, most + 1):
        base, own = (_side(runs[: 2 * n], config) for config in (0, 1))
        evidence = compare_sides(base, own, most=most)
        kind = make_verdict(evidence, evidence.p, 0, Scale(row, None, "", 1, 1, 0.0)).kind
        if kind in (*PROVEN, Kind.SAME):
            return kind, n
    return kind, most


def _side(runs: Runs, config: int) -> Side:
    own = [(place, value) for place, (at, value) in enumerate(runs) if at == config]
    return Side.of([1000 * math.exp(value) for _, value in own], [place for place, _ in own])


CURVES: dict[str, tuple[Callable[[float], float], int]] = {  # ms at a load, and the highest load that keeps 200 ms
    "linear": (lambda load: load, 200),
    "queueing": (lambda load: 20 / (1 - min(load / 400, 0.999)), 360),
    "slow": (lambda load: 20 * load**0.5, 100),
}


def _sweeps() -> Iterator[Claim]:
    for name, sd in product(CURVES, (0.01, 0.05)):
        what = f"sweep, {name} latency, sd {100 * sd:g} %: the interval holds the load"
        yield Claim(what, partial(_holds_load, name=name, sd=sd), least=0.95)


def _holds_load(random: Generator, name: str, sd: float) -> bool:
    """Of a search as `bd sweep --limit "p95 < 200ms"` makes it."""
    curve, true = CURVES[name]
    tried: list[tuple[int, bool]] = []
    levels: dict[float, list[RunFact]] = {}
    while load := find_next_level(tried, first=8, most=4096).level:
        ms = curve(load) * math.exp(random.normal(0, sd))
        levels.setdefault(load, []).append(_run(1, load, percentiles_ms={"95": ms}))
        tried.append((load, ms < 200))
    capacity = find_capacity(read_limit("p95 < 200ms"), levels)
    return bool(capacity and (capacity.low or 0) <= true <= (capacity.high or math.inf))


def _trends() -> Iterator[Claim]:
    """Daily means without a change; then with one. Noise is 2.5 % a day where nothing else is said."""

    def never(what: str, draw: Callable[[Generator], Logs], most: float = 0.05) -> Claim:
        return Claim(f"trend of {what}: a change", lambda random: bool(_changes(draw(random))), most)

    what, sds = "200 days, the later half three times as noisy", (0.01, 0.03)
    yield never("60 of 86 days, autocorrelation 0.5", lambda r: _days(r, 86, 0.5)[np.sort(r.permutation(86)[:60])])
    yield never("200 days, one in twenty 30 % off", lambda r: _with_outliers(r, _days(r, 200)))
    yield never("200 days, heavy tails", lambda r: r.standard_t(3, 200) / 50)
    yield never(what, lambda r: np.concatenate([_days(r, 100, sd=sd) for sd in sds]), 0.1)
    for n in (20, 60, 200):
        yield never(f"{n} independent days", partial(_days, n=n), 0.03)
        yield never(f"{n} days, autocorrelation 0.5", partial(_days, n=n, correlation=0.5))
    for n, gain, sd, least in (
        *((30, -0.15, 0.02, 0.85), (60, -0.1, 0.02, 0.95), (60, -0.1, 0.03, 0.85)),
        *((60, -0.15, 0.03, 0.95), (200, -0.1, 0.02, 0.95)),
    ):
        what = f"trend of {n} days, sd {100 * sd:g} %, six days −{-100 * gain:g} %: both ends to a day"
        yield Claim(what, partial(_finds_dip, n=n, gain=gain, sd=sd), least=least)
    for n in (60, 120):
        what = f"trend of {n} days, one in twenty 30 % off, step −10 %: to three days, and no other"
        yield Claim(what, partial(_finds_step, n=n), least=0.95)


def _finds_dip(random: Generator, n: int, gain: float, sd: float) -> bool:
    start = int(random.integers(6, n - 12))
    logs = _days(random, n, sd=sd)
    logs[start : start + 6] += math.log1p(gain)
    return _are_near(_changes(logs), [start, start + 6], 1)


def _finds_step(random: Generator, n: int) -> bool:
    logs = _with_outliers(random, _days(random, n))
    logs[n // 2 :] += math.log(0.9)
    return _are_near(_changes(logs), [n // 2], 3)


def _are_near(points: Sequence[int], true: Sequence[int], days: int) -> bool:
    return len(points) == len(true) and all(abs(a - b) <= days for a, b in zip(points, true, strict=True))


def _days(random: Generator, n: int, correlation: float = 0, sd: float = 0.025) -> Logs:
    """Logs of daily means."""
    noise = random.normal(0, sd * math.sqrt(1 - correlation**2), n + 50)
    for at in range(1, len(noise)):
        noise[at] += correlation * noise[at - 1]
    return noise[50:]


def _with_outliers(random: Generator, logs: Logs) -> Logs:
    """One day in twenty is 30 % up or down."""
    off: Logs = np.log(random.choice([0.7, 1.3], len(logs))) * (random.random(len(logs)) < 0.05)
    return logs + off


def _changes(logs: Logs) -> list[int]:
    """The numbers of the days on which changes are found."""
    start = date(2026, 1, 1)
    days = [trend.Day(start + timedelta(days=at), 1, float(log), 1.0, 1.0) for at, log in enumerate(logs)]
    return [(change.on - start).days for change in trend.find_course(days).changes]


def _measure(number: int, draws: int) -> float:
    return list(claims())[number].measure(draws)  # functions do not go from process to process, numbers do


def main() -> None:
    parser = argparse.ArgumentParser(prog="make truth", description=__doc__)
    parser.add_argument("--only", default="", help="claims that begin so")
    parser.add_argument("--quick", action="store_true", help=f"{FEW_DRAWS} draws a class instead of {DRAWS}")
    options = parser.parse_args()
    draws = FEW_DRAWS if options.quick else DRAWS
    print(f"| Of {draws} draws | Promised | Measured | |\n|---|---|---|---|")
    broken = False
    chosen = [(number, claim) for number, claim in enumerate(claims()) if claim.what.startswith(options.only)]
    with ProcessPoolExecutor() as processes:
        shares = processes.map(_measure, [number for number, _ in chosen], [draws] * len(chosen))
        for (_, claim), measured in zip(chosen, shares, strict=True):
            promise = f"≤ {100 * claim.most:g} %" if claim.most < 1 else f"≥ {100 * claim.least:g} %"
            broken |= not (holds := claim.holds(measured, draws))
            print(f"| {claim.what} | {promise} | {100 * measured:.1f} % | {'' if holds else 'broken'} |", flush=True)
    sys.exit(broken)


if __name__ == "__main__":
    main()
