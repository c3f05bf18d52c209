"""Which samples of a monitor that went on beside several load tests saw which of them. Nothing is guessed.

By clock     the text shows when each load test began and ended, and the samples have clocks
By stretches without times of the load tests: the CPU was busy and idle in turn, in as many stretches as there are load tests,
             each about as long as its own
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import attrgetter

import numpy as np

from parsers.blocks import Block
from runs.series import Floats, unpack_points, unpack_samples
from runs.series.clocks import DAY_S, find_sure_span, seconds_of_day
from runs.series.collecting import SYSTEM, CaptureSeries
from runs.series.samples import collect_series, list_clocks

from .draft import DraftCapture, DraftExperiment, DraftRun

_FEW_LINES = 4  # of a capture that has too few samples to have seen several load tests
MOST_VALUES = 2_000_000  # of a monitor that is looked into: a day of samples of hundreds of processes
_LEAST_RISE_PCT = 10.0  # from the least CPU time to the most, where idle and busy are told apart
_BUSY = (0.1, 0.25)  # of that rise: both must find the same stretches
_NEAR = 0.25  # of the duration by which a stretch may be longer or shorter
_NEAR_S = 2.0
_LEAST_TRIMMED = 3  # samples of a stretch whose first and last, which were partly idle, are left out
_MOST_MOVED = 1000  # samples by which clocks that do not agree are apart
_LEAST_FOUND = 0.85  # of the most CPU time that load tests at these distances can have used
_DELAY = re.compile(r"(?:\bsleep|\s-[ds]|\s--(?:delay|seconds))[ =]?(\d+(?:\.\d+)?)(?![\d:.])")
_INTERVAL = re.compile(r"\s(\d+(?:\.\d+)?)(?:\s+\d+)?\s*(?:[|>;&].*)?")


@dataclass(frozen=True, slots=True)
class LoadTimes:
    """Of the load tests in the order of the text.

    places, spans   those that clocks tell, and from when to when they went on for sure: (n, 2), seconds of the day
    """

    durations_s: list[float | None]
    places: list[int]
    spans: Floats

    def find_between(self, first: float, last: float) -> list[tuple[float, float, int]]:
        """(start, end, place), on the same day, of those that went on then; without any that did on two days."""
        moved = self.spans + np.array([-DAY_S, 0.0, DAY_S])[:, None, None]
        meets = (moved[..., 0] <= last) & (moved[..., 1] >= first)
        days, known = np.argmax(meets, axis=0), np.flatnonzero(meets.sum(axis=0) == 1)
        return sorted((*moved[days[at], at].tolist(), self.places[at]) for at in known.tolist())


@dataclass(frozen=True, slots=True)
class SeenRun:
    """The samples `first` to `end` - 1 saw the load test at this place."""

    place: int
    first: int
    end: int


def split_captures(experiment: DraftExperiment, blocks: Sequence[Block], shared: Mapping[str, bool]) -> None:
    """Append what captures saw of each run as parts of them; such a whole is then the experiment's.

    shared: keys of captures that may have seen several runs, and whether only clocks can tell what they saw
    """
    monitored = _MonitoredRuns(sorted(experiment.runs, key=attrgetter("lines")), blocks)
    for capture in list(experiment.captures):
        if capture.key in shared:
            experiment.captures += monitored.split(capture, by_clock_only=shared[capture.key])


class _MonitoredRuns:
    """The runs of an experiment, in the order of the text, and the blocks of all the text."""

    def __init__(self, runs: Sequence[DraftRun], blocks: Sequence[Block]) -> None:
        self.runs = runs
        self.blocks = blocks

    def split(self, capture: DraftCapture, *, by_clock_only: bool) -> list[DraftCapture]:
        if len(self.runs) < 2 or capture.lines[1] - capture.lines[0] < _FEW_LINES:
            return []
        blocks = [self.blocks[int(key[1:])] for key in capture.blocks]
        if capture.lines[1] - capture.lines[0] <= 2 * len(self.runs) and not self._meets_several(blocks):
            return []  # too few samples for stretches of load, and no clocks of several load tests
        samples, by_load = collect_series(blocks), not by_clock_only and self._has_all_loads
        seen = find_seen_runs(samples, self._loads, blocks[0].command or "", by_load=by_load)
        if seen:
            capture.run, capture.config, capture.phase = "", "", "during"
        return [self._make_part(capture, number, each, samples) for number, each in enumerate(seen, start=1)]

    def _make_part(self, capture: DraftCapture, number: int, seen: SeenRun, samples: CaptureSeries) -> DraftCapture:
        run, last = self.runs[seen.place], samples.lines[seen.end - 1]
        last = max(last, samples.lines[seen.end] - 1) if seen.end < samples.n else capture.lines[1]
        return replace(
            capture,
            key=f"{capture.key}.{number}",
            blocks=list(capture.blocks),
            run=run.key,
            config=run.config,
            lines=(samples.lines[seen.first], last),
            quotes=[],
            n_samples=seen.end - seen.first,
            span=(seen.first, seen.end),
        )

    def _meets_several(self, blocks: Sequence[Block]) -> bool:
        clocks = [seconds_of_day(clock) for block in (blocks[0], blocks[-1]) for clock in list_clocks(block)]
        first, last = (clocks[0], clocks[-1]) if clocks else (math.nan, math.nan)
        return len(self._loads.find_between(first, last + DAY_S * (last < first))) > 1

    @cached_property
    def _loads(self) -> LoadTimes:
        """When each run went on, as far as that is sure."""
        results = {i: self.blocks[i].load_results for i in {run.block for run in self.runs}}
        durations, places, spans = list[float | None](), list[int](), list[tuple[float, float]]()
        for place, run in enumerate(self.runs):
            block, own = self.blocks[run.block], results[run.block]
            row, rows = int(run.key.partition(".")[2] or 0), block.values.get("rows")  # of a log
            values = rows[row] if isinstance(rows, Sequence) and len(rows) == len(own) else block.values
            durations.append(own[row].duration_s)
            if span := find_sure_span(block, own[row], values):
                places.append(place)
                spans.append(span)
        return LoadTimes(durations, places, np.array(spans, np.float64).reshape(-1, 2))

    @cached_property
    def _has_all_loads(self) -> bool:
        """Whether the experiment's runs are all load tests of the text, those that quote them left out."""
        own = {run.block for run in self.runs}
        spans = {span for run in self.runs for span in run.quotes}
        others = (block for i, block in enumerate(self.blocks) if i not in own and block.lines not in spans)
        return not any(block.load_results for block in others)


def find_seen_runs(samples: CaptureSeries, loads: LoadTimes, command: str, *, by_load: bool) -> list[SeenRun]:
    """In the order of the samples; [] where they saw fewer than two, or where it is not clear which.

    by_load  whether these are all that the monitor may have seen
    """
    if (
        samples.first
        or samples.first_summed is not None
        or sum(series.n for _, _, series in samples.series()) > MOST_VALUES
    ):
        return []
    at, busy = _find_times(samples, command), _measure_load(samples)
    if at is None or samples.n < 2 or (np.diff(at) < 0).any():
        return []
    if np.isfinite(samples.clocks()).all() and loads.places:
        seen = _find_by_clock(at, loads)
        return seen if _agrees(busy, seen) else []
    return _find_by_stretches(at, busy, loads) if by_load and busy is not None else []


def _find_times(samples: CaptureSeries, command: str) -> Floats | None:
    """The time of each sample in seconds: by its clock, or else by the interval that the monitor's command names."""
    clocks = samples.clocks()
    if np.isfinite(clocks).all():
        return clocks
    interval_s = _read_interval(command)
    return np.arange(samples.n, dtype=np.float64) * interval_s if interval_s and np.isnan(clocks).all() else None


def _read_interval(command: str) -> float | None:
    match = _DELAY.search(command) or _INTERVAL.search(command)
    return float(match[1]) if match else None


def _measure_load(samples: CaptureSeries) -> Floats | None:
    """Per cent of the CPU that each sample saw in use; else of one CPU, by all processes together."""
    together = np.zeros(samples.n)
    has_processes = False
    for subject, metric, series in samples.series():
        if subject == SYSTEM and metric == "cpu_id":
            idle = unpack_samples(series.packed, samples.n)
            return 100 - idle if np.isfinite(idle).all() else None
        if subject != SYSTEM and metric == "cpu_pct":
            indexes, values = unpack_points(series.packed)
            together[indexes] += values
            has_processes = True
    return together if has_processes else None


# --- by clock ----------------------------------------------------------------------------------------------------------


def _find_by_clock(at: Floats, loads: LoadTimes) -> list[SeenRun]:
    """A sample is of the time since the one before, so at least half of that must be the load test's."""
    half_s = float(np.median(np.diff(at))) / 2
    spans = loads.find_between(float(at[0]), float(at[-1]))
    if any(start < end_before - _NEAR_S for (_, end_before, _), (start, _, _) in pairwise(spans)):
        return []  # some ran at the same time
    seen = []
    for place_in_time, (start, end, place) in enumerate(spans):
        if place_in_time + 1 < len(spans):
            end = min(end, spans[place_in_time + 1][0])
        first, last = int(np.searchsorted(at, start + half_s)), int(np.searchsorted(at, end, side="right"))
        if first < last:
            seen.append(SeenRun(place, first, last))
    return seen if len(seen) > 1 else []


def _agrees(busy: Floats | None, seen: Sequence[SeenRun]) -> bool:
    """Whether the samples were about as busy as any that are as far apart: else the clocks of both are not the same."""
    if busy is None or not seen or busy.max() - busy.min() < _LEAST_RISE_PCT:
        return True
    sums = np.append(0.0, np.cumsum(busy - busy.min()))
    moves = np.arange(-_MOST_MOVED, _MOST_MOVED + 1)
    shares = np.zeros(len(moves))
    for seen_run in seen:
        shares += (
            sums[np.clip(seen_run.end + moves, 0, len(busy))] - sums[np.clip(seen_run.first + moves, 0, len(busy))]
        )
    return float(shares[_MOST_MOVED]) >= _LEAST_FOUND * float(shares.max())


# --- by stretches of load ----------------------------------------------------------------------------------------------


def _find_by_stretches(at: Floats, busy: Floats, loads: LoadTimes) -> list[SeenRun]:
    low, rise = float(busy.min()), float(busy.max() - busy.min())
    durations_s = loads.durations_s
    if len(durations_s) < 2 or rise < _LEAST_RISE_PCT:
        return []
    wide, narrow = (_find_stretches(busy >= low + part * rise) for part in _BUSY)
    if not len(wide) == len(narrow) == len(durations_s):
        return []
    step_s = float(np.median(np.diff(at)))
    seen = []
    for place, (duration_s, (first, end)) in enumerate(zip(durations_s, wide, strict=True)):
        took_s = float(at[end - 1] - at[first]) + step_s
        if duration_s is None or abs(took_s - duration_s) > max(_NEAR * duration_s, _NEAR_S):
            return []
        edge = int(end - first >= _LEAST_TRIMMED)
        seen.append(SeenRun(place, first + edge, end - edge))
    return seen


def _find_stretches(is_busy: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """(first, end) of each; [] where the first or the last sample is in one, so that nobody knows how long it was."""
    if is_busy[0] or is_busy[-1]:
        return []
    edges = np.flatnonzero(np.diff(is_busy.astype(np.int8))) + 1
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
