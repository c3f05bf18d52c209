"""Time series out of samples: values by column, packed while they come in, so that hours of samples take a few MB; and some
samples of a capture as a capture of their own.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parsers.records import ProcessSample

from . import Floats, Integers, PackedSeries, pack_points, unpack_points

MAX_PROCESSES = 20_000  # that get series of their own
MAX_PROGRAMS = 1_000
MAX_SUMMED = 40  # programs whose sums are kept with a capture
SUMMED = ("rss_kb", "cpu_pct")
MAX_IN_JSON = 2**63
MAX_VALUE = 1e300  # no tool measures more; NaN is not below it either, and sums stay finite
PROCESS_ROWS_A_PART = 250_000  # rows that are collected before they are packed
SYSTEM_VALUES_A_PART = 100_000
CLOCK_SLIP_S = 3600.0
DAY_S = 86400.0
Slots = NDArray[np.int32]
ProcessKey = tuple[Any, Any, Any]  # pid, user, command as printed
ProcessKeys = frozenset[ProcessKey]
Subject = tuple[int | None, str, str, str]  # pid, user, command, group of a process; SYSTEM
SYSTEM: Subject = (None, "", "", "")
Spans = Sequence[tuple[int, int]]


class CaptureSeries:
    """The samples `first` to `n` - 1 of a capture.

    lines                    the line that each sample begins at, 0 where that is not known
    clock_first, clock_last  as printed, "" where no sample has a clock
    first_summed             the sample from which on further processes were added up by program, None where none were
    """

    def __init__(self, first: int = 0, seen: ProcessKeys = frozenset()) -> None:
        """seen: processes of the samples before the first, which have series of their own already."""
        self.first = self.n = first
        self.clock_first = self.clock_last = ""
        self.lines = array("q")
        self._clock_s = array("d")
        self._system = _SystemSeries()
        self._processes = _ProcessSeries(seen)

    @property
    def first_summed(self) -> int | None:
        return self._processes.first_summed

    def process_keys(self) -> Collection[ProcessKey]:
        return self._processes.numbers

    def add(
        self,
        clock: str | None,
        second: float,
        metrics: Mapping[str, float],
        processes: Sequence[ProcessKey],
        process_values: Mapping[str, Sequence[Any]],
        line: int = 0,
    ) -> None:
        """Add the next sample.

        clock, second   "HH:MM:SS" and the same in seconds of the day; None and NaN where it is not known
        process_values  {metric: one value a process}
        """
        self._clock_s.append(second)
        self.lines.append(line)
        if clock:
            self.clock_first = self.clock_first or clock
            self.clock_last = clock
        if metrics:
            self._system.add(self.n, metrics)
        if processes:
            self._processes.add(self.n, processes, process_values)
        self.n += 1

    def flush(self) -> None:
        self._system.flush()
        self._processes.flush()

    def append(self, other: CaptureSeries) -> None:
        shift = self.n - other.first
        self.flush()
        other.flush()
        for name, series in other._system.series.items():
            self._system.series.setdefault(name, PackedSeries()).append(series, shift)
        self._processes.append(other._processes, shift)
        self._clock_s.extend(other._clock_s)
        self.lines.extend(other.lines)
        self.clock_first = self.clock_first or other.clock_first
        self.clock_last = other.clock_last or self.clock_last
        self.n += other.n - other.first

    def clocks(self) -> Floats:
        """The second of the day of each sample, growing past midnight; NaN where it has no clock."""
        return unwrap_midnight(np.array(self._clock_s))

    def series(self) -> Iterator[tuple[Subject, str, PackedSeries]]:
        """(subject, metric, series) of the machine, its clock, and its processes, each process's metrics together."""
        self.flush()
        for name, series in self._system.series.items():
            if name != "clock_s":
                yield SYSTEM, name, series
        clock = self.clocks()
        known = np.flatnonzero(~np.isnan(clock))
        if len(known):
            series = PackedSeries()
            series.add_values(known + self.first, clock[known])
            yield SYSTEM, "clock_s", series
        for slot, metric in sorted(self._processes.series):
            yield self._processes.subjects[slot], metric, self._processes.series[slot, metric]

    def sum_programs(self) -> dict[str, dict[str, list[float]]]:
        """{program: {"processes", "rss_kb", "cpu_pct": [mean, most] of the sums of each sample that it is in}}."""
        self.flush()
        sums: dict[str, dict[str, list[float]]] = {}
        for (program, metric), (n, total, most) in self._processes.sums.items():
            if most < MAX_IN_JSON:
                sums.setdefault(program, {})[metric] = [total / n, most]
        biggest = sorted(sums, key=lambda program: -sums[program].get("rss_kb", sums[program]["processes"])[0])
        return {program[:100]: sums[program] for program in biggest[:MAX_SUMMED]}

    def digest(self) -> bytes:
        """The same for the same values of the same processes at the same times."""
        checksum = hashlib.sha256()
        for subject, metric, series in self.series():
            checksum.update(repr((subject, metric)).encode("utf-8", "surrogatepass") + series.packed)
        return checksum.digest()


def unwrap_midnight(clock_s: Floats) -> Floats:
    """Seconds of the day that go on growing past midnight, NaN where a sample has no clock.

    A clock that steps back by more than half a day has passed midnight. A smaller step back was made by a person or a time
    server: the clock stays as printed, and so does a step back of less than an hour across midnight. A gap of more than
    half a day cannot be told from a shorter one.
    """
    known = ~np.isnan(clock_s)
    printed = clock_s[known]
    steps = np.diff(printed, prepend=printed[:1])
    days = np.cumsum((steps < -DAY_S / 2).astype(np.int64) - (steps > DAY_S - CLOCK_SLIP_S))
    unwrapped = np.full(len(clock_s), np.nan)
    unwrapped[known] = printed + DAY_S * np.maximum(days, 0)
    return unwrapped


class _SystemSeries:
    """The metrics of the whole machine. Samples mostly have the same metrics, so values are collected in rows."""

    def __init__(self) -> None:
        self.series: dict[str, PackedSeries] = {}
        self._rows: dict[tuple[str, ...], tuple[array[int], array[float]]] = {}  # indexes and values by metrics' names
        self._n_values = 0

    def add(self, index: int, metrics: Mapping[str, float]) -> None:
        """Add one sample; samples come in order."""
        indexes, values = self._rows.setdefault(tuple(metrics), (array("q"), array("d")))
        indexes.append(index)
        _extend(values, metrics.values())
        self._n_values += len(metrics)
        if self._n_values >= SYSTEM_VALUES_A_PART:
            self.flush()

    def flush(self) -> None:
        columns: dict[str, list[tuple[Integers, Floats]]] = {}
        for names, (indexes, values) in self._rows.items():
            rows = np.array(values).reshape(len(indexes), len(names))
            for name, column in zip(names, rows.T, strict=True):
                columns.setdefault(name, []).append((np.array(indexes), column))
        for name, parts in columns.items():
            where, column = (np.concatenate(each) for each in zip(*parts, strict=True))
            known = np.abs(column) < MAX_VALUE
            if known.any():
                order = np.argsort(where[known], kind="stable")
                series = self.series.setdefault(name, PackedSeries())
                series.add_values(where[known][order], column[known][order])
        self._rows, self._n_values = {}, 0


class _ProcessSeries:
    """The metrics of every process. One is known by pid, user and command: a pid may be reused.

    subjects      by slot, in the order in which they were first seen
    numbers       {process: its slot}
    first_summed  the sample from which on further processes were added up by program, None where none were
    sums          {(program, metric): (samples with it, total and most of the sums of each sample)}
    """

    def __init__(self, seen: ProcessKeys) -> None:
        self.sums: dict[tuple[str, str], tuple[float, float, float]] = {}
        self.subjects: list[Subject] = []
        self.numbers: dict[ProcessKey, int] = {}
        self.series: dict[tuple[int, str], PackedSeries] = {}
        self.first_summed: int | None = None
        self._seen = seen
        self._n_left = MAX_PROCESSES - len(seen)
        self._programs: dict[str, int] = {}
        self._clear()

    def _clear(self) -> None:
        self._slots = array("i")
        self._samples: list[tuple[int, int]] = []  # (index, number of rows)
        self._values: dict[str, array[float]] = {}

    def add(self, index: int, keys: Sequence[ProcessKey], columns: Mapping[str, Sequence[Any]]) -> None:
        """Add the processes of one sample; samples come in order, and all with the same metrics."""
        try:
            slots = list(map(self.numbers.__getitem__, keys))
        except KeyError:
            slots = [self.numbers[key] if key in self.numbers else self._add_slot(index, key) for key in keys]
        self._slots.fromlist(slots)
        self._samples.append((index, len(keys)))
        for metric, column in columns.items():
            _extend(self._values.setdefault(metric, array("d")), column)
        if len(self._slots) >= PROCESS_ROWS_A_PART:
            self.flush()

    def _add_slot(self, index: int, key: ProcessKey) -> int:
        pid, user, command = key[0], str(key[1] or ""), str(key[2] or "")
        group = ProcessSample.group_of(command)
        if key not in self._seen:
            if self._n_left <= 0:
                return self._summed_slot(index, group)
            self._n_left -= 1
        self.numbers[key] = len(self.subjects)
        self.subjects.append((pid, user, command, group))
        return self.numbers[key]

    def _summed_slot(self, index: int, group: str) -> int:
        """The slot in which further processes of a program are added up, with pid 0."""
        if self.first_summed is None:
            self.first_summed = index
        program = group if group in self._programs or len(self._programs) < MAX_PROGRAMS else ""
        if program not in self._programs:
            self._programs[program] = len(self.subjects)
            self.subjects.append((0, "", f"further processes{' of ' if program else ''}{program}", program))
        return self._programs[program]

    def flush(self) -> None:
        if not self._slots:
            return
        slots, indexes = np.array(self._slots), np.repeat(*np.array(self._samples).T)
        is_narrow = len(self.subjects) < 2**16  # 16 bits are sorted by radix
        order = np.argsort(slots.astype(np.uint16) if is_narrow else slots, kind="stable")
        slots, indexes = slots[order], indexes[order]
        programs = np.unique([subject[3] for subject in self.subjects], return_inverse=True)
        is_repeated = (slots[1:] == slots[:-1]) & (indexes[1:] == indexes[:-1])
        has_repeated = bool(is_repeated.any())
        ends = np.flatnonzero(np.append(~is_repeated, True))
        is_summed = np.isin(slots[ends], list(self._programs.values())) if has_repeated else np.zeros(0, bool)
        is_own = np.append(~is_repeated, True) | np.isin(slots, list(self._programs.values()))
        self._sum_by_program("processes", programs, slots[is_own], indexes[is_own], np.ones(int(is_own.sum())))
        for metric, collected in self._values.items():
            values = np.array(collected)[order]
            values[~(np.abs(values) < MAX_VALUE)] = np.nan
            if metric in SUMMED:
                self._sum_by_program(metric, programs, slots[is_own], indexes[is_own], values[is_own])
            if has_repeated:
                self._pack(metric, slots[ends], indexes[ends], _merge_repeated(values, ends, is_summed))
            else:
                self._pack(metric, slots, indexes, values)
        self._clear()

    def _sum_by_program(
        self, metric: str, programs: tuple[Any, Any], slots: Slots, indexes: Integers, values: Floats
    ) -> None:
        """Add up each sample's processes of one program. A sample is in one part only."""
        names, of_slot = programs
        known = ~np.isnan(values)
        keys = indexes[known].astype(np.int64) * len(names) + of_slot[slots[known]]
        samples, places = np.unique(keys, return_inverse=True)
        sums, of_program = np.bincount(places, weights=values[known]), samples % len(names)
        for number in np.unique(of_program).tolist():
            own = sums[of_program == number]
            self._add_sums((str(names[number]), metric), len(own), float(own.sum()), float(own.max()))

    def _add_sums(self, key: tuple[str, str], n: float, total: float, most: float) -> None:
        known = self.sums.get(key, (0.0, 0.0, -math.inf))
        self.sums[key] = known[0] + n, known[1] + total, max(known[2], most)

    def _pack(self, metric: str, slots: Slots, indexes: Integers, values: Floats) -> None:
        known = ~np.isnan(values)
        if not known.all():
            slots, indexes, values = slots[known], indexes[known], values[known]
        if not len(slots):
            return
        starts = np.flatnonzero(np.diff(slots, prepend=np.int32(-1)))
        ends = np.append(starts[1:], len(slots))
        columns = zip(
            slots[starts].tolist(),
            starts.tolist(),
            ends.tolist(),
            np.minimum.reduceat(values, starts).tolist(),
            np.maximum.reduceat(values, starts).tolist(),
            values[ends - 1].tolist(),
            np.add.reduceat(values, starts).tolist(),
            strict=True,
        )
        for slot, start, end, *summary in columns:
            series = self.series.setdefault((slot, metric), PackedSeries())
            series.add_part(pack_points(indexes[start:end], values[start:end]), end - start, *summary)

    def append(self, other: _ProcessSeries, shift: int) -> None:
        if other.first_summed is not None and self.first_summed is None:
            self.first_summed = other.first_summed + shift
        for key, sums in other.sums.items():
            self._add_sums(key, *sums)
        slots = {subject: slot for slot, subject in enumerate(self.subjects)}
        for (slot, metric), series in other.series.items():
            subject = other.subjects[slot]
            if subject not in slots:
                slots[subject] = len(self.subjects)
                self.subjects.append(subject)
            self.series.setdefault((slots[subject], metric), PackedSeries()).append(series, shift)


def _merge_repeated(values: Floats, ends: NDArray[np.intp], is_summed: NDArray[np.bool_]) -> Floats:
    """One value where a sample has several of one series: the sum of those that are added up, the last of any other."""
    starts = np.append(0, ends[:-1] + 1)
    sums = np.add.reduceat(np.nan_to_num(values), starts)
    none = np.add.reduceat((~np.isnan(values)).astype(np.int64), starts) == 0
    return np.where(is_summed & ~none, sums, values[ends])


def _extend(values: array[float], column: Iterable[Any]) -> None:
    """Append a column: NaN where it has no value, infinity for one beyond any float."""
    column = list(column)
    try:
        values.fromlist(column)
    except (TypeError, OverflowError):
        values.extend(map(_to_float, column))


def _to_float(value: Any) -> float:
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.inf


# --- some samples of a capture as captures of their own ---


def cut_series(whole: CaptureSeries, spans: Spans) -> list[CaptureSeries]:
    """The samples of each span, from its first to before its end, numbered from 0. Spans do not overlap."""
    metrics: dict[int, dict[str, float]] = defaultdict(dict)
    processes: dict[int, dict[Subject, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    names: dict[str, None] = {}
    for subject, metric, series in whole.series():
        if metric == "clock_s":
            continue
        for at, value in _list_points(series.packed, spans):
            if subject == SYSTEM:
                metrics[at][metric] = value
            else:
                names[metric] = None
                processes[at][subject][metric] = value
    clocks = whole.clocks()
    parts = []
    for first, end in spans:
        part = CaptureSeries()
        for at in range(first, end):
            values = processes.pop(at, {})
            keys: list[ProcessKey] = [subject[:3] for subject in values]
            columns = {name: [own.get(name, math.nan) for own in values.values()] for name in names}
            second = float(clocks[at]) % DAY_S
            part.add(_write_clock(second), second, metrics.pop(at, {}), keys, columns, whole.lines[at])
        part.flush()
        parts.append(part)
    return parts


def _list_points(packed: bytes, spans: Spans) -> list[tuple[int, float]]:
    """(sample, value) of the samples in the spans that have one."""
    indexes, values = unpack_points(packed)
    bounds = np.searchsorted(indexes, np.array(spans, np.int64).ravel()).reshape(-1, 2)
    points: list[tuple[int, float]] = []
    for low, high in bounds[bounds[:, 0] < bounds[:, 1]].tolist():
        points += zip(indexes[low:high].tolist(), values[low:high].tolist(), strict=True)
    return points


def _write_clock(second: float) -> str | None:
    if math.isnan(second):
        return None
    minutes, seconds = divmod(int(second), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
