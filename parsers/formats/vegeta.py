"""vegeta: the text of `vegeta report`, and its JSON (-type=json).

Reads     the table from "Requests [total, rate, throughput]" to "Error Set:" and the errors below it; one object of JSON
Yields    one LoadResult
Units     times as Go prints them (µs, ms, s, 1m40s), kept in ms (the duration in s); rates requests/s; sizes bytes
Quirks    an open model: requests begin at a rate that was set, whatever the answers take. "rate" is what was sent,
          "throughput" what was answered well; older versions print no throughput and no 90; status 0 is "no answer"
Source    vegeta's lib/reporters.go, 6 to 12
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..multiline import figure, figures, take_object
from ..records import Found, Record, Semantics
from ..report import Report, make_result, take_report
from ..units import go_duration_ms

KIND = "vegeta"
PROGRAMS = ("vegeta",)
SEMANTICS = Semantics(
    open_loop=True,
    available_pct="success_pct",
    failures_hold_statuses=True,
    non_2xx=("status_codes",),
    received_bytes="bytes_in_total",
    printed_as={
        "requests_per_second": "throughput_per_s",
        "duration_s": "duration_total_s",
        **{f"{name}_ms": f"latencies_ms.{name}" for name in ("mean", "min", "max")},
        **dict.fromkeys(("percentiles_ms.50", "percentiles_ms.99"), "latencies_ms"),
        "complete_requests": "requests_total",
        "failed_requests": "status_codes",
        "non_2xx_responses": "status_codes",
    },
    citations={
        "load.set_rate": "vegeta's manual on -rate",
    },
)
VERBS = ("attack", "report", "encode", "plot", "dump")
OPTIONS = {
    "-rate": Option("rate"),
    "-duration": Option("duration_s"),
    "-timeout": Option("timeout_s"),
    "-workers": Option("threads"),
    "-connections": Option("connections"),
    "-header": Option("header"),
    "-targets": Option("url_file"),
    "-keepalive": Option("keepalive", takes_value=False),
    "-body": Option("body"),
    "-format -max-workers -name -output -type": Option(),
    "-h2c -http2 -insecure -lazy": FLAG,
}
ONE_DASH = True
PRINTS = {"rate": "rate_per_s", "duration_s": "duration_attack_s"}
INLINE = r"Requests {1,20}\[total, rate(?:, throughput)?\] {1,20}\d{1,18}, (?:[\d.]{1,30}, )?(\d[\d.]{0,30})"
OPENS = (
    r"Requests\s+\[total(?:, rate(?:, throughput)?)?\]\s|Duration\s+\[total, attack, wait\]\s"
    r"|Latencies\s+\[(?:min, )?mean, 50, (?:90, )?95, 99, max\]\s|Status Codes\s+\[code:count\]\s"
    r"|\{\s*$|\{\"latencies\":\s*\{"
)

_ROW = re.compile(r"(Requests|Duration|Latencies|Bytes In|Bytes Out|Success|Status Codes)\s+\[([^\]]+)\]\s+(\S.*)")
_STATUS = re.compile(r"\d{1,3}:\d+(?:\s+\d{1,3}:\d+)*")
JSON = re.compile(r'\{"latencies":\{"(?:total|mean|50th|min)":')
_METHOD = r"(?:Get|Post|Put|Patch|Delete|Head|Options)"


def parse(lines: Lines, command: str | None) -> Found | None:
    if (lines.peek() or "").lstrip().startswith("{"):
        return take_object(lines, JSON, _read_object)
    return take_report(lines, _REPORT, _read_line)


def _read_line(line: str) -> dict[str, Any] | None:
    match = _ROW.fullmatch(line)
    try:
        return _MEANINGS[match[1]](match[2].split(", "), match[3].rstrip()) if match else None
    except (ValueError, KeyError):  # a cell too few, one that is no figure, or no title of vegeta's
        return None


def _read_requests(names: list[str], text: str) -> dict[str, Any]:
    cells = dict(zip(names, _split_cells(text), strict=True))
    values: dict[str, Any] = {"requests_total": int(cells.pop("total"))}
    return values | {f"{name}_per_s": _parse_decimals(cell) for name, cell in cells.items()}


def _read_duration(names: list[str], text: str) -> dict[str, Any]:
    cells = zip(names, _split_cells(text), strict=True)
    return {f"duration_{name}_s": round(go_duration_ms(cell) / 1000, 12) for name, cell in cells}


def _read_latencies(names: list[str], text: str) -> dict[str, Any]:
    cells = zip(names, _split_cells(text), strict=True)
    return {"latencies_ms": {name: go_duration_ms(cell) for name, cell in cells}}


def _read_bytes(what: str, text: str) -> dict[str, Any]:
    total, mean = _split_cells(text)
    return {f"bytes_{what}_total": int(total), f"bytes_{what}_mean": _parse_decimals(mean)}


def _read_success(names: list[str], text: str) -> dict[str, Any]:
    return {"success_pct": _parse_decimals(text.removesuffix("%"))} if text.endswith("%") else _refuse(text)


def _read_codes(names: list[str], text: str) -> dict[str, Any]:
    if not _STATUS.fullmatch(text):
        _refuse(text)
    return {"status_codes": {code: int(n) for code, n in (cell.split(":") for cell in text.split())}}


def _split_cells(text: str) -> list[str]:
    return re.split(r",\s+", text)


def _parse_decimals(text: str) -> float:
    """A figure with two decimals, as all are printed: fewer are a figure that was cut."""
    return float(text) if re.fullmatch(r"\d+\.\d\d", text) else _refuse(text)


def _refuse(text: str) -> Any:
    raise ValueError(f"not one of vegeta's figures: {text!r}")


_MEANINGS = {
    "Requests": _read_requests,
    "Duration": _read_duration,
    "Latencies": _read_latencies,
    "Bytes In": lambda names, text: _read_bytes("in", text),
    "Bytes Out": lambda names, text: _read_bytes("out", text),
    "Success": _read_success,
    "Status Codes": _read_codes,
}
_REPORT = Report(
    tool=KIND,
    meant=re.compile(r"(?:Requests|Duration|Latencies|Bytes In|Bytes Out|Success|Status Codes)\s+\["),
    noise=re.compile(r"Error Set:\s*$"),
    free=re.compile(rf"\d{{3}} [A-Z][A-Za-z' -]+$|{_METHOD} \"?https?://"),
)


def _read_object(tree: dict[str, Any]) -> dict[str, Any]:
    total = figure(tree, "requests")
    if total is None:
        return {}
    attack, wait = (figure(tree, name, factor=1e-9) for name in ("duration", "wait"))
    latencies = figures(tree, "latencies", factor=1e-6)
    return {
        "format": "json",
        "requests_total": total,
        "rate_per_s": figure(tree, "rate"),
        "throughput_per_s": figure(tree, "throughput"),
        "duration_total_s": round(attack + wait, 9) if attack is not None and wait is not None else None,
        "duration_attack_s": attack,
        "duration_wait_s": wait,
        "latencies_ms": {name.removesuffix("th"): ms for name, ms in latencies.items() if name != "total"},
        **{
            f"bytes_{way}_{name}": figure(tree, f"bytes_{way}", name)
            for way in ("in", "out")
            for name in ("total", "mean")
        },
        "success_pct": figure(tree, "success", factor=100),
        "status_codes": figures(tree, "status_codes"),
    }


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    codes, total = get("status_codes"), get("requests_total")
    well = sum(n for code, n in codes.items() if "200" <= code < "400") if codes else None
    sent_only = "throughput_per_s" not in values  # the rate is of the time in which requests were sent
    result = make_result(
        KIND,
        values,
        requests_per_second=get("rate_per_s" if sent_only else "throughput_per_s"),
        **({"duration_s": get("duration_attack_s")} if sent_only else {}),
        failed_requests=total - well if total is not None and well is not None else None,
        percentiles_ms={name: ms for name, ms in get("latencies_ms", {}).items() if name[:1].isdecimal()},
    )
    return [result]
