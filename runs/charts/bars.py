"""Bars: what each config serves, what its processes cost, where memory and CPU time went, how long requests took."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import median

from runs.charts import (
    Axis,
    Bars,
    Cell,
    Chart,
    Dots,
    Key,
    Mark,
    Panel,
    Row,
    Whisker,
    keep_drawable,
    make_linear_axis,
    paint,
)
from runs.numbers import figure, write_count

# Enough dots to show a spread; beyond it they only cover one another and weigh on the page.
MOST_DOTS = 60
MOST_BARS = 40  # of one workload
MOST_DRAWN = 200  # bars of all workloads
MOST_ROWS = 24  # of processes, memory or CPU time in one chart; its table has all of them
# (key, name, colour) of the parts of a stack, from zero
MEMORY = (
    ("used", "used by programs", "m0"),
    ("buffers", "buffers", "m1"),
    ("cached", "cached", "m2"),
    ("inactive", "inactive", "m4"),
    ("free", "free", "m3"),
)
# (name, metrics that it is the sum of, colour), also of the charts over time
CPU = (
    ("user", ("cpu_us", "cpu_ni"), "m0"),
    ("system", ("cpu_sy",), "m1"),
    ("interrupts", ("cpu_si", "cpu_hi"), "m5"),
    ("waiting for disk", ("cpu_wa",), "m4"),
    ("stolen", ("cpu_st",), "s3"),
    ("idle", ("cpu_id",), "m3"),
)


@dataclass(frozen=True, slots=True)
class Bar:
    """One config's requests per second: each repeat's value, with words for the hover box.

    `interval`: the bounds of the mean's 95 % interval, where there are repeats enough for one. `counted` False: a doubt
    keeps all of it out of verdicts, which the bar must not hide. `left_out`: values of single runs that a doubt keeps out.
    `short`: the name without its workload's, which is the title of the panel.
    """

    name: str
    place: int
    values: tuple[float, ...]
    hovers: tuple[str, ...] = ()
    interval: tuple[float, float] | None = None
    counted: bool = True
    label: str = ""
    change: str = ""
    workload: str = ""
    short: str = ""
    failed: bool = False
    left_out: tuple[float, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether it counts, and did not fail."""
        return self.counted and not self.failed

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values) if self.values else 0.0


RATE = "requests per second"


OFF_SCALE = "Not counted, on a scale of its own"
FLATTENS = 10  # times the best that counts; a longer bar would leave nothing to see of the others


def make_rate_chart(bars: Sequence[Bar]) -> Chart | None:
    """A bar for each config that has a rate, in a panel for each workload; None where no config has one."""
    filled = [replace(bar, values=tuple(keep_drawable(bar.values))) for bar in bars if keep_drawable(bar.values)]
    if not filled:
        return None
    best = max((bar.mean for bar in filled if bar.is_sound), default=math.inf)
    filled = [replace(bar, workload=OFF_SCALE, short="") if bar.mean > FLATTENS * best else bar for bar in filled]
    by_workload: dict[str, list[Bar]] = {}
    for bar in filled:
        by_workload.setdefault(bar.workload, []).append(bar)
    drawn = accumulate(min(len(own), MOST_BARS) for own in by_workload.values())
    shown = {
        name: own[:MOST_BARS] for (name, own), n in zip(by_workload.items(), drawn, strict=True) if n <= MOST_DRAWN
    }
    panels = tuple(_make_rate_panel(name, group) for name, group in shown.items())
    words = "; ".join(_describe(bar) for group in shown.values() for bar in group)
    n_left = len(filled) - sum(map(len, shown.values()))
    notes = ["mark: one run", "bar: mean of the runs"]
    notes += ["line: 95 % interval of the mean"] if any(bar.interval for bar in filled) else []
    notes += ["hatched: not counted"] if not all(bar.is_sound for bar in filled) else []
    notes += ["small dot: a run that is not counted"] if any(bar.left_out for bar in filled) else []
    notes += [f"{n_left} more configs are not drawn"] if n_left else []
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (bar.name, len(bar.values), bar.mean, bar.change, *bar.values) for bar in filled
    )
    most = max(len(bar.values) for bar in filled)
    heads = ("config", "runs", f"mean, {RATE}", "change", *(f"run {n}" for n in range(1, most + 1)))
    return Chart(
        "throughput", "Which config serves more?", panels, note=" · ".join(notes), summary=words, heads=heads, rows=rows
    )


def _describe(bar: Bar) -> str:
    mark = "" if bar.is_sound else ", failed" if bar.failed else ", not counted"
    return f"{bar.name}: {figure(bar.mean)} {RATE}, {write_count(len(bar.values), 'run')}{mark}"


def _make_rate_panel(title: str, bars: Sequence[Bar]) -> Panel:
    """The axis reaches every bar and every value that counts, and of others and of intervals as much as leaves the bars long."""
    good = [value for bar in bars if bar.is_sound for value in bar.values]
    top = max([*good, *(bar.mean for bar in bars)]) or 1.0
    beyond = [value for bar in bars for value in (*bar.values, *bar.left_out, *(bar.interval or ()))]
    axis = make_linear_axis(max(top, min(max(beyond), 1.3 * top)), RATE)
    marks: list[Mark] = []
    rows: list[Row] = []
    for at, bar in enumerate(bars):
        marks.append(Bars(paint(bar.place), (at,), (0.0,), (bar.mean,), hatched=(not bar.is_sound,)))
        marks += [Whisker(at, *bar.interval)] if bar.interval else []
        marks.append(Dots(bar.place, bar.values, (float(at),) * len(bar.values), bar.name, bar.hovers))
        if bar.left_out:
            marks.append(Dots(bar.place, bar.left_out, (float(at),) * len(bar.left_out), bar.name, small=True))
        words = " · failed" if bar.failed else "" if bar.counted else " · not counted"
        value, muted = figure(bar.mean), bool(words)
        rows.append(
            Row((bar.short or bar.name) + words, bar.label, value=value, more=bar.change, place=bar.place, muted=muted)
        )
    return Panel(axis, tuple(rows), tuple(marks), title)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The resident memory of a program's processes under one config, at one step. `some`: there were more than are listed."""

    name: str
    place: int
    program: str
    mib: tuple[float, ...]
    label: str = ""
    step: str = ""
    some: bool = False


@dataclass(frozen=True, slots=True)
class Stack:
    """One stacked bar: shares by the names in MEMORY (MiB) or CPU (%). `step` names it within its config."""

    name: str
    step: str
    parts: Mapping[str, float]
    label: str = ""
    place: int = 0


def make_process_chart(sizes: Sequence[Sizes]) -> Chart | None:
    """A strip of dots for each config and step; one panel a program, all with one scale."""
    if not sizes:
        return None
    axis = make_linear_axis(max(value for size in sizes for value in size.mib), "MiB resident")
    by_program = {size.program: [one for one in sizes if one.program == size.program] for size in sizes}
    panels = tuple(_make_process_panel(program, own[:MOST_ROWS], axis) for program, own in by_program.items())
    heads = ("program", "config", "step", "processes listed", "median, MiB", "least", "most")
    rows = tuple((s.program, s.name, s.step, len(s.mib), median(s.mib), min(s.mib), max(s.mib)) for s in sizes)
    words = "; ".join(f"{size.program}, {size.name}: {_describe_sizes(size)}" for size in sizes)
    note = "a dot is a process · beside: their median and number" + _say_left_out(max(map(len, by_program.values())))
    return Chart(
        "processes", "How much memory does a process take?", panels, note=note, summary=words, heads=heads, rows=rows
    )


def _say_left_out(n: int) -> str:
    return f" · {n - MOST_ROWS} more rows are in the CSV" if n > MOST_ROWS else ""


def _describe_sizes(size: Sizes) -> str:
    return f"{write_count(len(size.mib), 'process')}{' shown' * size.some}, {figure(min(size.mib))} to {figure(max(size.mib))} MiB"


def _number(size: Sizes) -> str:
    return f"{len(size.mib)} shown" if size.some else f"× {len(size.mib)}"


def _make_process_panel(program: str, sizes: Sequence[Sizes], axis: Axis) -> Panel:
    rows, marks = [], []
    for row, size in enumerate(sizes):
        shown = thin_dots(size.mib)
        # Spread over the height of the row, so that dots of one size can be told apart.
        offsets = [((7 * at) % 11 - 5) / 16 if len(shown) > 1 else 0.0 for at in range(len(shown))]
        hover = f"{size.name}: {_describe_sizes(size)}"
        marks.append(Dots(size.place, shown, tuple(row + offset for offset in offsets), hover, small=True))
        first = row == 0 or sizes[row - 1].name != size.name
        rows.append(_step_row(size, first, f"{figure(median(size.mib))} MiB", _number(size)))
    return Panel(axis, tuple(rows), tuple(marks), program)


def _step_row(item: Sizes | Stack, first: bool, value: str, more: str) -> Row:
    head, label = (item.name, item.label) if first else ("", "")
    return Row(head, label, left=item.step, value=value, more=more, place=item.place)


def thin_dots(values: Sequence[float]) -> tuple[float, ...]:
    ordered = sorted(values)
    if len(ordered) > MOST_DOTS:
        ordered = [ordered[round(at * (len(ordered) - 1) / (MOST_DOTS - 1))] for at in range(MOST_DOTS)]
    return tuple(ordered)


def make_memory_chart(stacks: Sequence[Stack]) -> Chart | None:
    def used(parts: Mapping[str, float]) -> tuple[str, str]:
        return (f"{figure(parts['used'])} MiB", "used") if "used" in parts else ("", "")

    return _make_stack_chart("memory", "Where did memory go?", stacks, MEMORY, "MiB", used)


def make_cpu_chart(stacks: Sequence[Stack]) -> Chart | None:
    def busy(parts: Mapping[str, float]) -> tuple[str, str]:
        return (f"{figure(round(100 - parts['idle'], 1))} %", "busy") if "idle" in parts else ("", "")

    parts = [(name, name, shade) for name, _, shade in CPU]
    return _make_stack_chart("cpu", "Where did CPU time go?", stacks, parts, "% of CPU time", busy, end=100.0)


def _make_stack_chart(
    name: str,
    title: str,
    stacks: Sequence[Stack],
    parts: Sequence[tuple[str, str, str]],
    unit: str,
    beside: Callable[[Mapping[str, float]], tuple[str, str]],
    end: float = 0.0,
) -> Chart | None:
    """A bar for each config and step; the parts from the left."""
    if not stacks:
        return None
    shown = [part for part in parts if any(stack.parts.get(part[0]) for stack in stacks)]
    drawn = stacks[:MOST_ROWS]
    marks, base = [], [0.0] * len(drawn)
    for key, words, shade in shown:
        tops = [low + stack.parts.get(key, 0.0) for low, stack in zip(base, drawn, strict=True)]
        hovers = tuple(f"{words}: {figure(stack.parts.get(key, 0.0))} {unit}" for stack in drawn)
        places = tuple(float(at) for at in range(len(drawn)))
        marks.append(Bars(shade, places, tuple(base), tuple(tops), words, hovers=hovers, solid=True))
        base = tops
    firsts = [at == 0 or drawn[at - 1].name != stack.name for at, stack in enumerate(drawn)]
    rows = tuple(_step_row(stack, first, *beside(stack.parts)) for stack, first in zip(drawn, firsts, strict=True))
    panel = Panel(make_linear_axis(max(base), unit, end=end or max(base)), rows, tuple(marks))
    table = tuple((stack.name, stack.step, *(stack.parts.get(key) for key, *_ in shown)) for stack in stacks)
    heads = ("config", "step", *(f"{words}, {unit}" for _, words, _ in shown))
    text = "; ".join(f"{s.name} {s.step}: {' '.join(beside(s.parts))}".strip(": ") for s in drawn)
    legend = tuple(Key(words, paint=shade) for _, words, shade in shown)
    note = _say_left_out(len(stacks)).removeprefix(" · ")
    return Chart(name, title, (panel,), legend, note, text, heads=heads, rows=table)


def make_histogram_chart(bars: Sequence[tuple[float, float, int]]) -> Chart:
    """Bars of one width: (from ms, to less than ms, requests); a hatched last one, to infinity, has all slower requests."""
    total = sum(n for _, _, n in bars)
    width = bars[0][1] - bars[0][0] if math.isfinite(bars[0][1]) else 1.0
    spans = [f"{low:g} to {high:g} ms" if math.isfinite(high) else f"{low:g} ms and slower" for low, high, _ in bars]
    hovers = [f"{span}: {n} requests, {figure(100 * n / total)} %" for span, (*_, n) in zip(spans, bars, strict=True)]
    mark = Bars(
        "s0",
        tuple(low + width / 2 for low, *_ in bars),
        (0.0,) * len(bars),
        tuple(float(n) for *_, n in bars),
        hatched=tuple(not math.isfinite(high) for _, high, _ in bars),
        width=width * 0.94,
        hovers=tuple(hovers),
    )
    ends = (bars[0][0], bars[-1][0] + width)
    ticks = tuple(tick for tick in make_linear_axis(ends[1]).ticks if ends[0] <= tick.at <= ends[1])
    panel = Panel(
        Axis(*ends, ticks, "ms from request to answer"), make_linear_axis(max(n for *_, n in bars), "requests"), (mark,)
    )
    note = "hatched: all slower ones" if any(mark.hatched) else ""
    rows = tuple((span, n) for span, (*_, n) in zip(spans, bars, strict=True))
    return Chart(
        "requests",
        "How long did how many requests take?",
        (panel,),
        (),
        note,
        f"{total} requests",
        ("time", "requests"),
        rows,
    )
