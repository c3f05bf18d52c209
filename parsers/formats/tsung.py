"""tsung: its statistics file tsung.log, a dump every few seconds.

Reads     from the first "# stats: dump at ..." (or a line of it) to the last line of the last dump
Yields    one LoadResult: of all dumps together
Units     times ms; memory MB, kept as printed; sizes bytes; the time of a dump in seconds since 1970
Quirks    a row of times has count, mean and deviation of its own dump, the most and the least so far, and mean and count of all
          dumps before it; other rows have what was counted in the dump and so far. How long the first dump took is not
          printed: as long as the second. Requests have their answers whatever the status; errors are counted beside them.
          Users arrive at a rate that is set. The JSON of backend="json" is not read
Source    ts_stats_mon.erl and ts_mon.erl of tsung 1.5 to 1.8, its manual's "Statistics and Reports"
"""

from __future__ import annotations

import re
from typing import Any

from ..commands import FLAG, Option
from ..lines import Lines
from ..records import Found, LoadResult, Problem, Record, Semantics, Values
from ..transcript import QUOTING

KIND = "tsung"
PROGRAMS = ("tsung",)
COMMAND = r"(?:^|[\s/;&|(])tsung\s|tsung\.log\b"
SEMANTICS = Semantics(
    open_loop=True,
    concurrency="measured",
    failures_in_requests=False,
    sampled_rate=True,
    non_2xx=("status_codes",),
    printed_as={"complete_requests": "request", "mean_ms": "request", "max_ms": "request"},
)
OPTIONS = {
    "-f": Option("script"),
    "-l -i -m -r -p -s -t -T -I": Option(),
    "-F -L -n -w -X -k -v": FLAG,
}
ADDRESS = False
VERBS = ("start", "stop", "status", "debug")
OPENS = r"stats: dump at \d{1,12}\s*$|stats: (?:users|session|request|page|connect|users_count|size_rcv|\d{3}) -?\d"

_DUMP = re.compile(r"stats: dump at (\d{1,12})")
_ROW = re.compile(r"stats: (\{\w+,\"[^\"]+\"\}|[\w.-]+)((?: -?\d[\d.]*(?:e[-+]\d+)?)+)")
_END = re.compile(r"EndMonitor:\{.*\}")
_STATUS = re.compile(r"[1-5]\d\d")
_OF_HOST = re.compile(r"\{(\w+),\"(.+)\"\}")
_REST = re.compile(r"-?\d[\d.]*(?: -?\d[\d.]*)*")  # of a row that a mail client broke
_MOST_PIECES = 3
_TIMED = 7  # figures in a row of times
_ALWAYS_TIMED = re.compile(r"request|page|session|connect|tr_.*|\{.*")
_NEVER_TIMED = re.compile(r"size_.*|users.*|finish_users.*|error.*|[1-5]\d\d")
_TAKEN = re.compile(r"n_dumps|\w+_dump_\w+|transactions|status_codes|errors|most_users|\w+_of_hosts")  # names of values


def parse(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    values, problems = Values(lines), list[Problem]()
    for line in lines.texts(elisions=True):
        quoting = QUOTING.match(line)  # the "#" before a dump hides what else stands before each line
        text = line[quoting.end() :] if quoting else line
        for _ in range(_MOST_PIECES if text.startswith("stats: ") else 0):
            if not (ahead := lines.ahead(1)) or not _REST.fullmatch(ahead[0].strip()):
                break
            text = f"{text} {lines.take_next()}"
        if match := _DUMP.fullmatch(text):
            _add_dump(values, int(match[1]))
        elif match := _ROW.fullmatch(text):
            if not lines.unended() and not _add_row(values, match[1], match[2].split()):
                problems.append(Problem(lines.number, f"expected a row of tsung's statistics, found {text[:60]!r}"))
        elif _END.fullmatch(text):
            lines.last = lines.number
            break
        else:
            lines.refuse()
            break
    if not values.keys() & {"request", "page", "users_count", "errors"}:
        return None
    return Found(values, first, lines.last, "n_dumps" not in values, problems)


def _add_dump(values: Values, at: int) -> None:
    """Count the dump. A later file's clock may be behind: two logs in one text are not told apart."""
    values.setdefault("first_dump_at", at)
    if values.get("n_dumps") == 1:
        dict.__setitem__(values, "first_dump_s", max(at - values["first_dump_at"], 0))
    for name, value in (("last_dump_at", at), ("n_dumps", values.get("n_dumps", 0) + 1)):
        values[name] = value


def _add_row(values: Values, name: str, figures: list[str]) -> bool:
    """Keep what the row says of all dumps so far; a later one takes its place. False: it is none."""
    try:
        numbers = [float(figure) for figure in figures]
    except ValueError:
        return False
    if _TAKEN.fullmatch(name) or (_NEVER_TIMED if len(numbers) == _TIMED else _ALWAYS_TIMED).fullmatch(name):
        return False
    if len(numbers) == _TIMED:
        count, mean, _, most, least, mean_before, count_before = numbers
        total = count + count_before
        if total <= 0:
            return True
        mean = round((mean * count + mean_before * count_before) / total, 6)
        row = {"count": int(total), "mean": mean, "max": most, "min": least}
        if host := _OF_HOST.fullmatch(name):
            values.setdefault(f"{host[1]}_of_hosts", {})[host[2]] = row
        elif name.startswith("tr_"):
            values.setdefault("transactions", {})[name] = row
        else:
            values[name] = row
        return True
    if len(numbers) != 2:
        return False
    table = "status_codes" if _STATUS.fullmatch(name) else "errors" if name.startswith("error") else ""
    if table:
        values.setdefault(table, {})[name] = int(numbers[1])
    else:
        values["most_users" if name == "users" else name] = int(numbers[1])
    return True


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    timed = get("request", get("page", {}))
    seconds = get("last_dump_at", 0) - get("first_dump_at", 0) + get("first_dump_s", 0)
    count = timed.get("count")
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=round(count / seconds, 3) if count and seconds > 0 else None,
            complete_requests=count if count is not None else 0,
            failed_requests=sum(n for name, n in get("errors", {}).items() if not name.startswith("error_abort")),
            duration_s=seconds if seconds > 0 else None,
            mean_ms=timed.get("mean"),
            min_ms=timed.get("min"),
            percentiles_ms={"100": timed["max"]} if "max" in timed else {},
        )
    ]
