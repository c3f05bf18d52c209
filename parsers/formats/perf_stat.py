"""perf_stat: what `perf stat` counted while a command ran.

Reads     the report behind "Performance counter stats for", the rows of -x, and those of -I, an interval a block
Yields    one SystemSample: what perf itself makes of the counts (CPUs used, instructions a cycle, switches)
Units     counts; msec of task-clock; seconds
Quirks    a virtual machine mostly has no cycles: "<not supported>", absent here; with too many events each was counted for the
          part of the time in brackets and is scaled up; thousands are parted as the locale has it; "( +- 0.5% )" of -r;
          rows of -x have no title and no end; -A prints a row for each CPU, whose counts are added up
Source    Linux' tools/perf/util/stat-display.c

folded: stacks of a profiler, one a line with how often it was seen, as flame graphs are made of.

Reads     the output of stackcollapse-perf.pl, `perf script` collapsed by others, py-spy -f raw, async-profiler collapsed
Yields    one SystemSample with the number of samples; the stacks are in the values
Units     samples (or what the profiler weighs by: microseconds, bytes)
Quirks    a stack begins with the process; frames may hold blanks and brackets, but no semicolon; "_[k]" marks the kernel
Source    FlameGraph's stackcollapse-perf.pl

times: the shell's own command for the CPU time that it and its children took.

Reads     two lines, and that only right below a command line of times; bd runs it behind a load
Yields    one SystemSample: the CPU time of the children, that is of the load generator
Units     minutes and seconds
Quirks    children count when they have ended; the first line is the shell itself
Source    POSIX, "times"
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import Format
from ..lines import Lines
from ..records import Found, Problem, Record, SystemSample
from ..tables import Table

KIND = "perf_stat"
PROGRAMS = ("perf",)
_COUNT = r"(?:<not supported>|<not counted>|\d[\d,. ]{0,26})"
# count, unit, event, where it was repeated how much it varied, run time, share of the time, what perf makes of it
_ROW_OF_X = (
    r"(?:(?P<at>\d{1,7}\.\d{9})[,;|\t])?(?:(?P<cpu>CPU\d{1,4})[,;|\t])?"
    r"(?P<count><not supported>|<not counted>|\d{1,20}(?:[.,]\d{1,9})?)(?P<sep>[,;|\t])"
    r"(?P<unit>[A-Za-z]{0,8})(?P=sep)(?P<event>[A-Za-z][^\s,;|/]{0,60}(?:/[^\s/]{0,80}/\w{0,9})?)(?P=sep)"
    r"(?:[\d.,]{1,9}%(?P=sep))?\d{1,20}(?P=sep)\d{1,3}[.,]\d\d"
    r"(?:(?P=sep)(?P<made>[\d.,]{0,20})(?P=sep)(?P<times>[KMG](?=/))?(?P<what>[%A-Za-z/][^,;|]*)?)?"
)
OPENS = (
    r"Performance counter stats for .{1,200}:\s*$"
    rf"|\d{{1,7}}\.\d{{9}}\s+(?:CPU\d{{1,4}}\s+)?{_COUNT}\s+(?:msec\s+)?[a-z]\S+"
    rf"|{re.sub('[?]P<(?!sep)[a-z]+>', '?:', _ROW_OF_X)}\s*$"
)

_TITLE = re.compile(r"Performance counter stats for (.{1,200}?)(?: \((\d{1,6}) runs\))?:")
_EVENT = re.compile(
    rf"(?:(?P<at>\d{{1,7}}\.\d{{9}})\s+)?(?:(?P<cpu>CPU\d{{1,4}})\s+)?(?P<count>{_COUNT})\s+(?:(?P<unit>msec|Joules|MiB|ns)\s+)?"
    r"(?P<event>[A-Za-z][^\s#(]{1,80})"
    r"(?:\s+#\s+(?P<made>\d[\d.,]{0,20})(?P<times>\s?[KMG])?\s*(?P<what>[%A-Za-z/][^()\[\]]*?))?(?:\s+#\s.*)?"
    r"(?:\s+\(\s*\+-\s*[\d.]+%\s*\))?(?:\s+\(\s*(?P<share>\d+\.\d+)%\))?\s*"
)
_X = re.compile(_ROW_OF_X)
_SECONDS = re.compile(r"(\d{1,9}[.,]\d{1,9})(?:\s+\+-\s+\S+)?\s+seconds (time elapsed|user|sys)(?:\s+\(.*\))?")
_TIMES = {"K": 1e3, "M": 1e6, "G": 1e9}
_NAMES = {"time elapsed": "elapsed_s", "user": "user_s", "sys": "sys_s"}
_MADE = {
    "CPUs utilized": "cpus_used",
    "insn per cycle": "instructions_per_cycle",
    "context-switches": "context_switches_per_s",
    "cs": "context_switches_per_s",
    "cpu-migrations": "cpu_migrations_per_s",
    "page-faults": "page_faults_per_s",
}


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for text in lines.texts():
        title, seconds = _TITLE.fullmatch(text), _SECONDS.fullmatch(text)
        of_x = _X.fullmatch(text)
        event = of_x or _EVENT.fullmatch(text)
        if title and not values:
            values["measured"] = title[1]
            values |= {"runs": int(title[2])} if title[2] else {}
        elif seconds and _NAMES[seconds[2]] not in values:
            values[_NAMES[seconds[2]]] = float(seconds[1].replace(",", "."))
        elif lines.unended() or not (event and _is_next(values, event["at"], of_x) and _add(values, event)):
            lines.refuse()
            break
    if "cpus" in values:
        _sum_cpus(values, is_cut="elapsed_s" not in values and lines.peek() is None)
    if "events" not in values:
        return None
    partial = "measured" in values and "elapsed_s" not in values
    return Found(values, first, lines.last, partial, problems)


def follows(lines: Lines, command: str | None) -> Found | None:
    """The next interval of -I."""
    return parse(lines, command) if re.match(r"\s*\d{1,7}\.\d{9}[\s,;|]", lines.peek() or "") else None


def _is_next(values: dict[str, Any], at: str | None, of_x: re.Match[str] | None) -> bool:
    """Whether an event's row is of this report, and of the interval that it began with."""
    if at is None:
        return ("measured" in values) != bool(of_x) and "time_s" not in values
    if "measured" in values or values.get("time_s", float(at)) != float(at):
        return False
    values["time_s"] = float(at)
    return True


def _add(values: dict[str, Any], event: re.Match[str]) -> bool:
    name, into, is_counted = event["event"], values, not event["count"].startswith("<")
    digits = re.sub(r"[, ](?=\d{3}(?!\d))", "", event["count"].strip()).replace(",", ".")
    if is_counted and not re.fullmatch(r"\d{1,20}(?:\.\d{1,9})?", digits):
        return False
    if cpu := event["cpu"]:
        into = values.setdefault("cpus", {}).setdefault(name, {}).setdefault(cpu, {})
    table = into.setdefault("events", {})
    if name in table or name in into.get("not_counted", []):
        return False
    if not is_counted:
        into.setdefault("not_counted", []).append(name)
        return True
    unit = f"_{event['unit'].lower()}" if event["unit"] else ""
    table[name + unit] = float(digits) if "." in digits else int(digits)
    what = (event["what"] or "").strip()
    metric = _MADE.get(what) or _MADE.get(name.partition(":")[0], "")
    if event["made"] and metric and (what in _MADE or what.endswith("/sec")):
        factor = _TIMES.get((event["times"] or "").strip() or what[:1] * (what[1:] == "/sec"), 1.0)
        into.setdefault("made", {})[metric] = float(event["made"].replace(",", ".")) * factor
    return True


def _sum_cpus(values: dict[str, Any], *, is_cut: bool) -> None:
    """The rows of each event's CPUs as one; of a text that is cut, without an event that may have more of them."""
    by_event = values.pop("cpus")
    n = values["cpus"] = max(map(len, by_event.values()))
    for rows in by_event.values():
        if len(rows) < n or (is_cut and len(by_event) == 1):
            continue
        for row in rows.values():
            for part in ("events", "made"):
                for key, figure in row.get(part, {}).items():
                    share = figure / n if key == "instructions_per_cycle" else figure
                    table = values.setdefault(part, {})
                    table[key] = round(table.get(key, 0) + share, 6)
            values["not_counted"] = list(dict.fromkeys(values.get("not_counted", []) + row.get("not_counted", [])))
    if not values.get("not_counted"):
        values.pop("not_counted", None)


def records(values: dict[str, Any]) -> list[Record]:
    return [SystemSample(KIND, None, {name: float(figure) for name, figure in values.get("made", {}).items()})]


# --- folded -----------------------------------------------------------------------------------------------------------
_FRAME = r"[^\s;][^;\n]{0,300}"

_STACK = re.compile(rf"({_FRAME}(?:;{_FRAME}){{0,400}}) (\d{{1,15}})")
_LEAST = 2  # stacks: a single such line may be anything
MOST_STACKS = 2_000  # that are kept


def _parse_folded(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    stacks: list[str] = []
    counts: list[int] = []
    n = 0
    for text in lines.texts():
        match = _STACK.fullmatch(text)
        if not match or ";" not in match[1] or lines.unended():
            lines.refuse()
            break
        n += 1
        if len(stacks) < MOST_STACKS:
            stacks.append(match[1])
            counts.append(int(match[2]))
    if n < _LEAST:
        return None
    return Found({"n_rows": n, "rows": Table({"stack": stacks, "samples": counts}, len(stacks))}, first, lines.last)


def _folded_records(values: dict[str, Any]) -> list[Record]:
    return [SystemSample("folded", None, {"stack_samples": float(sum(row["samples"] for row in values["rows"]))})]


# --- times ------------------------------------------------------------------------------------------------------------
_LINE = re.compile(r"(\d{1,9})m(\d{1,2}\.\d{1,6})s (\d{1,9})m(\d{1,2}\.\d{1,6})s")
_TIMES_NAMES = ("shell_user_s", "shell_system_s", "children_user_s", "children_system_s")


def _parse_times(lines: Lines, command: str | None) -> Found | None:
    rows = [_LINE.fullmatch(text.strip()) for text in lines.ahead(2)]
    if len(rows) < 2 or not all(rows):
        return None
    lines.skip_blank()
    first = lines.number + 1
    lines.take_next(2)
    figures = [60 * int(row[at]) + float(row[at + 1]) for row in rows if row for at in (1, 3)]
    return Found(
        {name: round(value, 6) for name, value in zip(_TIMES_NAMES, figures, strict=True)}, first, lines.number
    )


OTHER_FORMATS = (
    Format(
        kind="folded",
        opens=r"[A-Za-z][^;={}\n]{0,60}+;(?:[^;={}\n]{1,300}+;){1,200}+[^;={}\n]{1,300} \d{1,12}\s*$",
        programs=("stackcollapse-perf.pl", "inferno-collapse-perf", "py-spy"),
        parse=_parse_folded,
        records=_folded_records,
    ),
    Format(
        kind="times",
        opens="",
        programs=("times",),
        claims=lambda command: command.strip() == "times",
        parse=_parse_times,
        records=lambda values: [
            SystemSample("times", None, {"load_cpu_s": values["children_user_s"] + values["children_system_s"]})
        ],
    ),
)
