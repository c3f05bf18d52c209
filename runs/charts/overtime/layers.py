"""The machine's memory and CPU time as layers, from what its monitor printed at each look."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from runs.charts import color

from .strands import Strand
from .timeline import Floats

KIB = 1024
MEMORY = ("mem_total_kb", "mem_free_kb", "mem_buffers_kb", "mem_cached_kb", "mem_buff_cache_kb")
CPU = tuple(f"cpu_{name}" for name in ("us", "ni", "sy", "si", "hi", "wa", "st", "id"))
LOAD = ("load1", "load5", "load15", "swap_used_kb")
_CPU = (
    ("user", ("us", "ni"), "--m0"),
    ("system", ("sy",), "--m1"),
    ("interrupts", ("si", "hi"), "--m5"),
    ("waiting for disk", ("wa",), "--m4"),
    ("stolen", ("st",), "--s3"),
    ("idle", ("id",), "--m3"),
)
_LOADS = (("load1", "load, 1 minute"), ("load5", "5 minutes"), ("load15", "15 minutes"))


def memory(told: Mapping[str, Floats]) -> list[Strand]:
    """Used, buffers, cached and free in MiB. What old tools call "used" holds buffers too: it is worked out from the total."""
    free = told.get("mem_free_kb")
    if free is None:
        return []
    buffers, cached = told.get("mem_buffers_kb"), told.get("mem_cached_kb")
    if buffers is None and cached is None:
        cached = told.get("mem_buff_cache_kb")
    known = [one for one in (free, buffers, cached) if one is not None]
    total = told.get("mem_total_kb")
    used = None if total is None else np.maximum(total - np.sum([np.nan_to_num(one) for one in known], axis=0), 0.0)
    if used is not None:
        used = np.where(np.isnan(free), np.nan, used)
    layers = [("used by programs", used, "--m0"), ("buffers", buffers, "--m1"), ("cached", cached, "--m2")]
    layers.append(("free", free, "--m3"))
    return [Strand(name, figures / KIB, shade) for name, figures, shade in layers if figures is not None]


def cpu(told: Mapping[str, Floats]) -> list[Strand]:
    """Shares of CPU time in per cent, each kind that was ever more than nothing, and idle."""
    made = []
    for name, keys, shade in _CPU:
        found = [told[f"cpu_{key}"] for key in keys if f"cpu_{key}" in told]
        if found and any(np.nanmax(one) > 0 for one in found):
            figures = np.where(np.isnan(found[0]), np.nan, np.sum([np.nan_to_num(one) for one in found], axis=0))
            made.append(Strand(name, figures, shade))
    return made


def memory_legend(names: Collection[str]) -> list[tuple[str, str]]:
    """(name, colour) of what `memory` can make of these metrics."""
    parts = [("used by programs", "mem_total_kb", "--m0"), ("buffers", "mem_buffers_kb", "--m1")]
    found = [(words, shade) for words, metric, shade in parts if metric in names]
    if not {"mem_cached_kb", "mem_buff_cache_kb"}.isdisjoint(names):
        found.append(("cached", "--m2"))
    return [*found, ("free", "--m3")]


def cpu_legend(names: Collection[str]) -> list[tuple[str, str]]:
    return [(words, shade) for words, keys, shade in _CPU if any(f"cpu_{key}" in names for key in keys)]


def load_legend(names: Collection[str]) -> list[tuple[str, str]]:
    return [(words, color(place)) for place, (metric, words) in enumerate(_LOADS) if metric in names]


def load(told: Mapping[str, Floats]) -> list[tuple[str, list[Strand]]]:
    """(unit, lines): the load averages, and swap where any was used."""
    averages = [Strand(words, told[name], color(place)) for place, (name, words) in enumerate(_LOADS) if name in told]
    found = [("load average", averages)]
    swap = told.get("swap_used_kb")
    if swap is not None and np.nanmax(swap) > 0:
        found.append(("MiB", [Strand("swap used", swap / KIB)]))
    return [(unit, strands) for unit, strands in found if strands]
