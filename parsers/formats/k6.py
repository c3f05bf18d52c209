"""k6: the summary at the end of a test, as versions 0.2x to 0.5x and as 1.x print it, and its JSON.

Reads     from the thresholds, the checks or the first metric to the last one, and the line "running (...)" below it; the script
          and the scenarios that it began with; the object of --summary-export, and what handleSummary() is given
Yields    one LoadResult: of http_req_duration and http_reqs; what else was measured stays in the values
Units     times as Go prints them, kept in ms; sizes with 1000, kept in bytes; a trend without a unit is kept as it is
Quirks    "http_req_failed" counts failures, so its check mark stands for failed requests; metrics of a tag stand indented
          below their own; those of a scenario or a group, which follow the totals, are no test of their own; a clock that was
          set back prints times below zero. The concurrency is the most virtual users
Source    k6's js/summary.js and internal/js/summary-new.js
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..multiline import figure, figures, take_object
from ..records import Found, Record, Semantics
from ..report import Report, make_result, note_script, take_noted, take_report
from ..units import DECIMAL_SIZES, GO_DURATION, go_duration_ms, number

KIND = "k6"
PROGRAMS = ("k6",)
SEMANTICS = Semantics(
    address_from_command=True,
    failures_in_rate=True,
    failures_hold_statuses=True,
    fewest_clients="vus.min",
    received_bytes="data_received_bytes.count",
    checks=(("checks_failed.passes", "checks_failed.fails"), ("checks.fails", "checks.passes")),
    left_out=("dropped_iterations.count", "iterations.count"),
    printed_as={
        "requests_per_second": "http_reqs.per_s",
        "complete_requests": "http_reqs.count",
        "failed_requests": "http_req_failed.passes",
        "mean_ms": "http_req_duration_ms.avg",
        **{f"{name}_ms": f"http_req_duration_ms.{name}" for name in ("min", "max")},
        **dict.fromkeys(("percentiles_ms.50", "percentiles_ms.99"), "http_req_duration_ms"),
    },
)
OPTIONS = {
    "-u --vus": Option("concurrency"),
    "-d --duration": Option("duration_s"),
    "--rps": Option("rate"),
    "-e --env -i --iterations -s --stage": Option("script"),
    "-o --out": Option(),
    "--no-color -q --quiet -v --verbose": FLAG,
}
_KNOWN = r"(?:http_req\w*|data_received|data_sent|checks\w*|iterations?\w*|vus|vus_max)"
ADDRESS = False
PRINTS = {"script": "script", "duration_s": "scenario_duration_s", "rate": "iterations_per_s"}
INLINE = r"http_reqs\.{2,80}: {1,20}\d{1,18} {1,40}(\d[\d.]{0,30})/s"
OPENS = (
    rf"█ (?:THRESHOLDS|TOTAL RESULTS)\s*$|(?:[✓✗]\s+)?{_KNOWN}\.{{3,}}:\s+\S"
    r"|\{\s*$|\{\"(?:metrics|root_group|options|state)\":\s*\{"
    r"|http_reqs:\s+\d[\d.]*(?:\s+\d[\d.]*)?/s|http_req_duration:\s+(?:avg|min)=\d"
    r"|script: \S+\.[jt]s\s*$|(?:\* )?\w+: (?:Up to )?\d+(?: looping VUs|\.\d+ iterations/s) for \d"
)

_SCRIPT = re.compile(r"script: (\S+)")
_SCENARIO = re.compile(
    rf"(?:\* )?\w+: (?:(?:Up to )?\d+ looping VUs|(\d+\.\d+) iterations/s|Up to \d+\.\d+ iterations/s) for ({GO_DURATION})\b.*"
)
_METRIC = re.compile(r"(?:([✓✗])\s+)?([A-Za-z_]\w*|\{[^{}]*\})\.*:\s+(\S.*)")
_THRESHOLD = re.compile(r"([✓✗])\s+'([^']+)'\s.*")
_NAME = re.compile(r"[a-z]\w*(?:\{[^{}]*\})?$")
_PART = re.compile(r"([█↳]) (?:SCENARIO|GROUP): (.+)")
_RUNNING = re.compile(r"running \(([\dhms.]+)\), \d+/(\d+) VUs, (\d+) complete and (\d+) interrupted iterations")
_STAT = r"(?:avg|min|med|max|count|p\([\d.]+\))"
_FIGURE = rf"(?:-?{GO_DURATION}|-?\d+(?:\.\d+)?)"
_TREND = re.compile(rf"(?:{_STAT}={_FIGURE}\s*)+")
_RATE = re.compile(r"(\d+\.\d+)%(?:\s+(?:✓ (\d+)\s+✗ (\d+)|(\d+) out of (\d+)))?")
_COUNTER = re.compile(r"(?:(\d+(?:\.\d+)?)\s+)?(\d+(?:\.\d+)?)/s")
_DATA = re.compile(r"(\d+(?:\.\d+)?) ([kMGT]?)B\s+(\d+(?:\.\d+)?) ([kMGT]?)B/s")
_GAUGE = re.compile(r"(\d+(?:\.\d+)?)\s+min=(\d+(?:\.\d+)?)\s+max=(\d+(?:\.\d+)?)")
JSON = re.compile(
    r'\{"(?:metrics":\{"|root_group":\{"(?:name|path|id|groups|checks)"|options":\{"(?:summary|noColor)|state":\{"(?:is|test))'
)
_TIMED = re.compile(r"(?:http_req_|grpc_req_|ws_|browser_|iteration_duration|group_duration)")


def parse(lines: Lines, command: str | None) -> Found | None:
    if (lines.peek() or "").lstrip().startswith("{"):
        return take_object(lines, JSON, _read_object)
    if note_script(lines, KIND, _SCRIPT) or _note_scenario(lines):
        return None

    def is_alone(_: dict[str, Any], line: str) -> bool:
        """Whether a word is no metric's name: the thresholds of a metric stand right below it."""
        return bool(_NAME.match(line)) and not any(map(_THRESHOLD.fullmatch, map(str.strip, lines.ahead(1))))

    report = take_report(lines, replace(_REPORT, over=is_alone), _Metrics().read)
    if not report or not report.values.keys() - {"thresholds"}:
        return None
    report.values |= take_noted(lines, KIND)
    return report


def _note_scenario(lines: Lines) -> bool:
    """Whether the next line tells a scenario that is about to run; the duration of the only one is kept."""
    match = _SCENARIO.fullmatch((lines.peek() or "").strip())
    if match:
        known = lines.memory.setdefault(KIND, {})
        figures = {
            "scenario_duration_s": go_duration_ms(match[2]) / 1000,
            "iterations_per_s": match[1] and float(match[1]),
        }
        known |= dict.fromkeys(figures) if figures.keys() & known.keys() else figures
    return match is not None


class _Metrics:
    """What the lines tell; a tag's line, and a threshold's, belongs to the metric named before it.

    part    the scenario and the group that the metrics are of, "" of the totals
    """

    def __init__(self) -> None:
        self.name = ""
        self.part = ""

    def read(self, line: str) -> dict[str, Any] | None:
        if match := _PART.fullmatch(line):
            is_outer = match[1] == "█"
            self.part = match[2] if is_outer else f"{self.part.partition(' / ')[0]} / {match[2]}"
            return {}
        metric = self._read_metric(line)
        if metric and self.part and not _RUNNING.fullmatch(line):
            return {"parts": {f"{self.part}: {name}": figures for name, figures in metric.items()}}
        return metric

    def _read_metric(self, line: str) -> dict[str, Any] | None:
        if match := _RUNNING.fullmatch(line):
            counts = {"vus_allowed": match[2], "complete_iterations": match[3], "interrupted_iterations": match[4]}
            seconds = round(go_duration_ms(match[1]) / 1000, 9)
            return {"run_time_s": seconds} | {name: int(n) for name, n in counts.items()}
        if match := _THRESHOLD.fullmatch(line):
            return {"thresholds": {f"{self.name} {match[2]}".strip(): match[1] == "✓"}}
        if _NAME.match(line):
            self.name = line
            return {}
        match = _METRIC.fullmatch(line)
        figures = _parse_figures(match[3].strip()) if match else None
        if not match or not figures:
            return None
        tag = match[2].startswith("{")
        name = self.name + "".join(match[2].split()) if tag else match[2]
        self.name = self.name if tag else name
        unit, texts = figures
        mark = {"thresholds": {name: match[1] == "✓"}} if match[1] else {}
        return {f"{name}{unit}": texts, **mark}


def _parse_figures(text: str) -> tuple[str, dict[str, float]] | None:
    """(what the metric's name ends in, its figures by their names)."""
    if _TREND.fullmatch(text):
        if any(cell.count("=") > 1 for cell in text.split()):
            return None  # the blank between two of them is missing
        return _parse_trend(dict(cell.split("=") for cell in text.split()))
    if match := _RATE.fullmatch(text):
        if match[2] is match[4]:
            return "", {"pct": float(match[1])}  # the counts were left out by whoever posted it
        yes = int(match[2] or match[4])
        no = int(match[3]) if match[3] else int(match[5]) - yes
        return "", {"pct": float(match[1]), "passes": yes, "fails": no}
    if match := _COUNTER.fullmatch(text):
        return "", ({"count": number(match[1])} if match[1] else {}) | {"per_s": float(match[2])}
    if match := _DATA.fullmatch(text):
        sizes = ((match[1], match[2]), (match[3], match[4]))
        count, rate = (round(float(figure) * DECIMAL_SIZES[unit]) for figure, unit in sizes)
        return "_bytes", {"count": count, "per_s": rate}
    if match := _GAUGE.fullmatch(text):
        return "", dict(zip(("value", "min", "max"), map(float, match.groups()), strict=True))
    return None


def _parse_trend(cells: dict[str, str]) -> tuple[str, dict[str, float]] | None:
    timed = {name: cell[-1] == "s" for name, cell in cells.items() if name != "count"}
    if not any(timed.values()):
        return "", {name: float(cell) for name, cell in cells.items()}
    if not all(timed.values()):
        return None
    return "_ms", {name: _ms(cell) if name != "count" else float(cell) for name, cell in cells.items()}


def _ms(text: str) -> float:
    return -go_duration_ms(text[1:]) if text[0] == "-" else go_duration_ms(text)


def _read_object(tree: dict[str, Any]) -> dict[str, Any]:
    """The metrics of --summary-export, or of handleSummary(), which has them in `values`, by the names of the text."""
    metrics = tree.get("metrics")
    if not isinstance(metrics, dict) or not metrics.keys() & {"http_reqs", "iterations", "iteration_duration"}:
        return {}
    run_time = figure(tree, "state", "testRunDurationMs", factor=0.001)
    values: dict[str, Any] = {"format": "json"} | ({"run_time_s": run_time} if run_time is not None else {})
    thresholds = {}
    for name, metric in metrics.items():
        own = figures(metric, "values") if "values" in metric else figures(metric)
        unit, parsed = _parse_metric(name, own, metric.get("contains"))
        values |= {f"{name}{unit}": parsed} if parsed else {}
        for text, state in metric.get("thresholds", {}).items():
            # An export has whether it was crossed, a summary whether it holds.
            thresholds[f"{name} {text}"] = bool(state.get("ok")) if isinstance(state, dict) else not state
    return values | {"thresholds": thresholds}


def _parse_metric(name: str, figures: dict[str, Any], contains: str | None) -> tuple[str, dict[str, Any]]:
    """(what the metric's name ends in, its figures by the names of the text)."""
    if "passes" in figures:
        share = figures.get("rate", figures.get("value", 0))
        return "", {"pct": round(share * 100, 6), "passes": figures["passes"], "fails": figures.get("fails", 0)}
    if "rate" in figures:
        return "_bytes" if name.startswith("data_") else "", {
            "count": figures.get("count", 0),
            "per_s": figures["rate"],
        }
    timed = contains == "time" if contains else bool(_TIMED.match(name))
    return "_ms" if timed and "avg" in figures else "", figures


_REPORT = Report(
    tool=KIND,
    meant=re.compile(
        rf"{_PART.pattern}|(?:[✓✗]\s+)?(?:(?:\w+|\{{[^{{}}]*\}})\.{{2,}}|{_KNOWN}):|running \(\d|[✓✗]\s+'|{_NAME.pattern}"
    ),
    noise=re.compile(
        r"[✓✗↳]|█ |THRESHOLDS|TOTAL RESULTS|(?:CUSTOM|HTTP|EXECUTION|NETWORK|GRPC|WEBSOCKET|BROWSER|WEB_VITALS)$"
        r"|\w+\s+[✓✗]?\s*\[[=>-]+\]"
    ),
    goes_on=re.compile(rf"{_STAT}=\S+(?:\s+{_STAT}=\S+)*"),
    whole=8,
)


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    times, requests = get("http_req_duration_ms", {}), get("http_reqs", {})
    named = {"50": times.get("med")} | {name[2:-1]: figure for name, figure in times.items() if name.startswith("p(")}
    count, rate = requests.get("count"), requests.get("per_s")
    result = make_result(
        KIND,
        values,
        # At a rate that was set, users are added until it is kept: how many came to be says nothing of what was asked for.
        concurrency=None if "dropped_iterations" in values else get("vus_max", {}).get("max"),
        duration_s=get("run_time_s", round(count / rate, 3) if count and rate else None),
        percentiles_ms={name: figure for name, figure in named.items() if figure is not None},
    )
    return [result]
