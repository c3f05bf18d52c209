"""Whole documents for tests of relate, and what a careful reader takes from each.

A document (documents/*.txt) is prose with lines "@tool figures", each of which becomes that tool's genuine output with
those figures put in; the outline beside it (documents/*.outline) is what should come out:

    Title @ host
      config | group
        ab 247.3 (1) label; quoted 2
          top during            beside that run
        nginx.conf              a text of that config
      *                         what holds for the whole experiment
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import parsers
from parsers import Block, LoadResult
from runs.drafts.draft import Draft, DraftExperiment, DraftRun
from runs.drafts.relate import relate
from runs.ingest.submission import Preview
from runs.selectors.judging import judge_draft

FOLDER = Path(__file__).parent / "documents"
FIXTURES = Path(parsers.__file__).parent / "tests" / "fixtures"


def written(name: str) -> str:
    """The document of that name with its tools' outputs in place."""
    return expand((FOLDER / f"{name}.txt").read_text())


def outline_of(name: str) -> str:
    return (FOLDER / f"{name}.outline").read_text()


def read(text: str) -> tuple[list[Block], Draft]:
    lines = text.split("\n")
    blocks = list(parsers.read(lines))
    return blocks, relate(blocks, len(lines))


def judge(text: str) -> Any:
    """The headline of the first experiment of a text, with its "@ab 900" lines expanded."""
    blocks, draft = read(expand(text))
    return judge_draft(Preview(None, blocks, draft, [], None), draft.experiments[0])  # type: ignore[arg-type]  # it has no stored text


def expand(text: str) -> str:
    tools = "|".join(_TOOLS)
    return re.sub(rf"^(?P<before>[> ]*)@(?P<tool>{tools})\b(?P<figures>.*)$", _printed, text, flags=re.MULTILINE)


def _printed(match: re.Match[str]) -> str:
    words = shlex.split(match["figures"])
    named = dict(word.split("=", 1) for word in words if "=" in word)
    plain = [word for word in words if "=" not in word]
    printed = _TOOLS[match["tool"]](*plain, **named)
    return "\n".join(match["before"] + line for line in printed.rstrip("\n").split("\n"))


def _genuine(path: str, first: str = "", most: int = 999) -> str:
    lines = (FIXTURES / path).read_text().split("\n")
    at = next((i for i, line in enumerate(lines) if line.startswith(first)), 0)
    return "\n".join(lines[at : at + most])


def _with(text: str, **figures: str) -> str:
    """`text` with the figures of the lines that begin so."""
    for name, value in figures.items():
        text = re.sub(rf"^({re.escape(name)}:\s*)\S+", rf"\g<1>{value}", text, flags=re.MULTILINE)
    return text


def _shorten_times(report: str, factor: float) -> str:
    """ab's report with its connection times and percentiles multiplied."""
    head, table, times = report.partition("Connection Times (ms)")
    numbers = re.compile(r"(?<=\s)\d+(?P<decimals>\.\d)?(?=\s)")
    return (
        head + table + numbers.sub(lambda m: f"{float(m[0]) * factor:{len(m[0])}.{1 if m['decimals'] else 0}f}", times)
    )


def ab(rate: str, server: str = "nginx/1.22.1", port: str = "80", host: str = "localhost", c: str = "10", n: str = "5000",
       path: str = "/page.html", keep: str = "") -> str:  # fmt: skip
    """ab's report at `rate` requests/s; its connection times are the genuine run's, as much shorter as its requests are."""
    figures = {"Server Software": server, "Server Hostname": host, "Server Port": port, "Concurrency Level": c}
    figures |= {"Complete requests": n, "Requests per second": rate, "Document Path": path}
    figures |= {"Time taken for tests": f"{int(n) / float(rate):.3f}"}
    figures |= {"Total transferred": str(10092 * int(n)), "HTML transferred": str(9857 * int(n))}
    text = _with(
        _shorten_times(_genuine("ab/ab_01_plain.txt", "This is"), int(c) * 1000 / float(rate) / 35.658), **figures
    )
    text = text.replace("35.658 [ms]", f"{int(c) * 1000 / float(rate):.3f} [ms]")
    text = text.replace("3.566 [ms]", f"{1000 / float(rate):.3f} [ms]")
    return (
        text.replace("Failed requests:        0", f"Failed requests:        0\nKeep-Alive requests:    {n}")
        if keep
        else text
    )


def line(rate: str) -> str:
    """The one line of ab's report that people quote."""
    return f"Requests per second:    {rate} [#/sec] (mean)"


def siege(rate: str) -> str:
    hits = round(4.81 * float(rate)) or 1
    figures = {"Transactions": str(hits), "Elapsed time": f"{hits / float(rate):.2f}", "Transaction rate": rate}
    figures |= {"Successful transactions": str(hits), "Concurrency": f"{0.03 * float(rate):.2f}"}
    figures |= {"Data transferred": f"{0.002 * hits:.2f}", "Throughput": f"{0.002 * float(rate):.2f}"}
    return _with(_genuine("siege/siege_01_text.txt", "Transactions"), **figures)


def wrk(rate: str, host: str = "localhost:8080", path: str = "", c: str = "40") -> str:
    requests, per_s = round(4.08 * float(rate)), 0.0096 * float(rate)
    figures = {"Requests/sec": rate, "Transfer/sec": f"{per_s:.2f}MB"}
    text = _with(_genuine("wrk/wrk_02_latency.txt"), **figures).replace("127.0.0.1:8082", host)
    text = text.replace(" 40 connections", f" {c} connections")
    text = text.replace("13364 requests", f"{requests} requests").replace("128.37MB", f"{4.08 * per_s:.2f}MB")
    return re.sub(r"(//[^/\s]+)\S*", rf"\g<1>{path}", text, count=1) if path else text


def top(load: str, clock: str = "13:24:51", mib: str = "2984.5", rows: str = "8") -> str:
    text = _genuine("top/top_01_n1.txt", "top -", 7 + int(rows))
    return text.replace("13:24:51", clock).replace("average: 0.07", f"average: {load}").replace("2984.5", mib)


def ps(command: str, n: str = "3", rss: str = "6100") -> str:
    """n processes of `command`, each of `rss` KiB."""
    row = "www-data  {pid}  0.2  0.2  11356  {rss} ?        S    13:02   0:1{i} {command}"
    return "\n".join(row.format(pid=280 + i, rss=rss, i=i, command=command) for i in range(int(n)))


def meminfo(total: str, free: str = "71140") -> str:
    return _with(_genuine("meminfo/meminfo_02_old.txt", "MemTotal"), MemTotal=total, MemFree=free)


def egrep(free: str, inactive: str) -> str:
    """What `egrep "(MemFree|Inactive)" /proc/meminfo` prints of an old kernel."""
    return f"MemFree:        {free} kB\nInactive:       {inactive} kB"


def cpuinfo(model: str) -> str:
    text = _genuine("cpuinfo/cpuinfo_02_host.txt", "processor")
    return re.sub(r"(model name\s*: ).*", rf"\g<1>{model}", text)


_TOOLS = {f.__name__: f for f in (ab, line, siege, wrk, top, ps, meminfo, egrep, cpuinfo)}


def outlined(blocks: list[Block], draft: Draft) -> str:
    """The draft in the shape of an outline."""
    hosts = {host.key: host.name for host in draft.hosts}
    lines: list[str] = []
    for experiment in draft.experiments:
        lines.append(f"{experiment.name} @ {hosts.get(experiment.host, '-')}")
        for config in experiment.configs:
            lines.append(f"  {config.name}{' | ' + config.group if config.group else ''}")
            for run in (r for r in experiment.runs if r.config == config.key):
                lines += _run_lines(blocks, experiment, run, config.name)
            lines += _beside(blocks, experiment, config.key, "", "    ")
        whole = _beside(blocks, experiment, "", "", "    ")
        lines += ["  *", *whole] if whole else []
    return "\n".join([*lines, ""])


def _run_lines(blocks: list[Block], experiment: DraftExperiment, run: DraftRun, name: str) -> list[str]:
    block = blocks[int(run.key[1:].split(".")[0])]
    rate = next(r.requests_per_second for r in block.records if isinstance(r, LoadResult))
    label = f" {run.label}" if run.label != name else ""
    quoted = f"; quoted {len(run.quotes)}" if run.quotes else ""
    shown = f"    {block.kind} {rate} ({run.repeat}){label}{quoted}"
    return [shown, *_beside(blocks, experiment, run.config, run.key, "      ")]


def _beside(blocks: list[Block], experiment: DraftExperiment, config: str, run: str, indent: str) -> list[str]:
    shown = []
    for c in experiment.captures:
        if (c.config, c.run) == (config, run):
            shown.append((c.lines, f"{indent}{blocks[int(c.key[1:])].kind} {c.phase}".rstrip()))
    if not run:
        shown += [(t.lines, f"{indent}{t.path or 'a text'}") for t in experiment.texts if t.config == config]
    return [text for _, text in sorted(shown)]
