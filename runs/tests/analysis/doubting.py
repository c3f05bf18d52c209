"""Texts as people paste them, and what is doubted of them.

The reports in texts/ are ab's own, of small servers that broke some replies on purpose (reset, busy, stump) or none (ok),
and of one that took 30 ms for each (long_1, long_2: two repeats, a remote host). What a test changes in them it says.
"""

from __future__ import annotations

from pathlib import Path

from runs import ingest
from runs.analysis.doubt_case import Doubt
from runs.models import Experiment
from runs.selectors import comparison_data, judging

TEXTS = Path(__file__).parent / "texts"
FIXTURES = Path(__file__).parents[3] / "parsers" / "tests" / "fixtures"
TOP = """\
top - 15:17:17 up 4 days, 16:36,  2 users,  load average: 4.57, 2.34, 1.54
Tasks:  98 total,  {running} running,  83 sleeping,   0 stopped,   0 zombie
Cpu(s): 70.0%us, 23.5%sy,  0.0%ni,  {idle}%id,  0.0%wa,  0.0%hi,  6.5%si,  {stolen}%st
Mem:    774616k total,   764872k used,   {free}k free,   102576k buffers
Swap:   491392k total,   {swap}k used,   491392k free,   {cached}k cached

  PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND
{rows}"""
HTTPD = "24586 apache    16   0 22152  13m 2608 R  6.1  1.8   0:01.11 httpd\n"
AB = "24590 suzu      16   0 12152   3m 1608 R {cpu}  0.4   0:05.11 ab\n"
CORES = """\
processor       : 0
model name      : Intel(R) Pentium(R) M processor 1300MHz
cpu MHz         : 1300.000

"""


def report(name: str, **changes: str) -> str:
    """A report out of texts/, with what `changes` says: Label="what stands there instead" ("_" for a blank)."""
    text = (TEXTS / f"ab_{name}.txt").read_text(encoding="utf-8")
    for label, value in changes.items():
        label = label.replace("_", " ")
        lines = [line if not line.startswith(label) else f"{label}:  {value}" for line in text.split("\n")]
        assert "\n".join(lines) != text
        text = "\n".join(lines)
    return text


def top(
    *,
    idle: float = 60.0,
    running: int = 1,
    stolen: float = 0.0,
    swap: int = 0,
    free: int = 99744,
    cached: int = 431428,
    rows: str = HTTPD,
) -> str:
    return TOP.format(idle=idle, running=running, stolen=stolen, swap=swap, free=free, cached=cached, rows=rows)


def session(**configs: str) -> str:
    """A text with a heading for each config."""
    return "A comparison of servers\n\n" + "\n".join(f"## {name}\n\n{text}\n" for name, text in configs.items())


def during(screen: str) -> str:
    return f"\nA look at the server during the load:\n\n$ top -b -n 1\n{screen}\n"


def said(text: str | bytes) -> list[Doubt]:
    """What is doubted of the text's (last) experiment, when it is stored."""
    data = text.encode() if isinstance(text, str) else text
    ingest.submit(data, origin="rest")
    return judging.compare_and_judge(comparison_data.load_experiment(Experiment.objects.order_by("id").reverse()[0]))[
        1
    ].doubts


def of(found: list[Doubt], rule: str) -> list[Doubt]:
    return [doubt for doubt in found if doubt.rule == rule]


def one(found: list[Doubt], rule: str) -> Doubt:
    """The only doubt of that rule."""
    matching = of(found, rule)
    assert len(matching) == 1, [doubt.text for doubt in matching]
    return matching[0]
