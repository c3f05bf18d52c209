"""Some samples of a capture as captures of their own."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from . import unpack_points
from .clocks import DAY_S
from .collecting import SYSTEM, CaptureSeries, ProcessKey, Subject

Spans = Sequence[tuple[int, int]]


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
    found: list[tuple[int, float]] = []
    for low, high in bounds[bounds[:, 0] < bounds[:, 1]].tolist():
        found += zip(indexes[low:high].tolist(), values[low:high].tolist(), strict=True)
    return found


def _write_clock(second: float) -> str | None:
    if math.isnan(second):
        return None
    minutes, seconds = divmod(int(second), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
