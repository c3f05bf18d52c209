"""The charts over time that a page keeps room for: told by columns, so that the page costs the same however long it was."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from runs.charts import MOST_LINES, N_COLORS, color
from runs.charts.overtime import HEIGHT, SMALL, layers
from runs.models import Capture, Run
from runs.selectors.watched import MOST_PANELS, MOST_PROCESSES, MOST_PROGRAMS, OTHERS, Program, Watched

Programs = Mapping[str, Sequence[Program]]
ADDED_UP = {"rss": "rss_kb", "busy": "cpu_pct"}
REST = "--m2"  # the colour of all others together
Part = tuple[str, str]  # (name, colour) in a legend


@dataclass(frozen=True, slots=True)
class Chart:
    """One figure. panels: how many boxes it is drawn in; height: of each, in pixels."""

    what: str
    heading: str
    address: str
    rows: str
    legend: list[Part]
    panels: range
    height: int
    note: str = ""


def charts_of_capture(capture: Capture, names: Collection[str], programs: Programs, asked: str) -> list[Chart]:
    """`asked`: whose processes are drawn one by one, the largest program's by default. No query.

    names: metrics that were told, swap_used_kb only where any was used.
    """
    if capture.n_samples < 2:
        return []

    def address(what: str, form: str) -> str:
        return reverse("capture-figure", args=[capture.pk, what, form])

    return _charts(names, programs, address, capture.n_samples, _chosen(programs, asked))


def charts_of_run(run: Run, seen: Watched | None, asked: str) -> list[Chart]:
    """The same for what stands beside a run. At most four queries."""
    if seen is None:
        return []

    def address(what: str, form: str) -> str:
        return reverse("run-figure", args=[run.pk, what, form])

    programs = seen.programs("rss_kb", "cpu_pct")
    chosen = _chosen(programs, asked, seen if len(seen.captures) > 1 else None)
    names = seen.names() if seen.swapped() else seen.names() - {"swap_used_kb"}
    return _charts(names, programs, address, seen.n_looks, chosen)


def _chosen(programs: Programs, asked: str, seen: Watched | None = None) -> tuple[str, int]:
    """(program, how many of its processes there are). In several captures, one process has several series."""
    sizes = programs["rss_kb"]
    found = next((one for one in sizes if one.name == asked), sizes[0] if sizes else None)
    if found is None:
        return "", 0
    return found.name, seen.n_processes("rss_kb", found.name) if seen else found.n


def _charts(
    names: Collection[str],
    programs: Programs,
    address: Callable[[str, str], str],
    n_looks: int,
    chosen: tuple[str, int],
) -> list[Chart]:
    program, n = chosen
    found: list[tuple[str, str, list[Part]]] = []
    if programs["rss_kb"]:
        found.append(("rss", "Resident memory by program", _legend(programs, "rss_kb")))
    if programs["cpu_pct"]:
        found.append(("busy", "CPU time by program", _legend(programs, "cpu_pct")))
    if "mem_free_kb" in names:
        found.append(("memory", "Where did memory go?", layers.memory_legend(names)))
    if "cpu_id" in names:
        found.append(("cpu", "Where did CPU time go?", layers.cpu_legend(names)))
    whole = range(1)
    charts = [
        Chart(
            what,
            heading,
            address(what, "json"),
            address(what, "csv"),
            legend,
            whole,
            HEIGHT,
            _note(what, n_looks, programs),
        )
        for what, heading, legend in found
    ]
    if "load1" in names:
        panels = range(2 if "swap_used_kb" in names else 1)
        charts.append(_small("load", "Load", address, panels, f"n={n_looks} looks", legend=layers.load_legend(names)))
    if n:
        charts.append(_processes(program, n, address))
    return charts


def _note(what: str, n_looks: int, programs: Programs) -> str:
    n = sum(one.n for one in programs[ADDED_UP[what]]) if what in ADDED_UP else 0
    some = f", the {MOST_PROCESSES} largest of {n} processes" if n > MOST_PROCESSES else ""
    return f"n={n_looks} looks{some}"


def _small(
    what: str,
    heading: str,
    address: Callable[[str, str], str],
    panels: range,
    note: str,
    query: str = "",
    legend: Sequence[Part] = (),
) -> Chart:
    addresses = address(what, "json") + query, address(what, "csv") + query
    return Chart(what, heading, *addresses, list(legend), panels, SMALL, note)


def _processes(program: str, n: int, address: Callable[[str, str], str]) -> Chart:
    most = MOST_PANELS * MOST_LINES
    note = f"n={n} processes" if n <= most else f"the {most} largest of {n} processes"
    panels = range(-(-min(n, most) // MOST_LINES))
    return _small(
        "processes", f"Resident memory of each {program}", address, panels, note, "?" + urlencode({"program": program})
    )


def _legend(programs: Programs, metric: str) -> list[Part]:
    shades_of, told = shades(programs, metric), programs[metric]
    shown = [(f"{one.name} (n={one.n})", shades_of[one.name]) for one in told[:MOST_PROGRAMS]]
    rest = sum(one.n for one in told[MOST_PROGRAMS:])
    return shown + ([(f"{OTHERS} (n={rest})", REST)] if rest else [])


def shades(programs: Programs, metric: str) -> dict[str, str]:
    """The colour of each program drawn by itself, the largest first: the same one for memory and for CPU time."""
    by_memory = {one.name: place for place, one in enumerate(programs["rss_kb"][:MOST_PROGRAMS])}
    names = [one.name for one in programs[metric][:MOST_PROGRAMS]]
    taken = {by_memory[name] for name in names if name in by_memory}
    free = (place for place in range(N_COLORS) if place not in taken)
    return {name: color(by_memory[name] if name in by_memory else next(free)) for name in names}
