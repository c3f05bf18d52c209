"""siege: the summary at the end of a siege, as text or JSON, with the banner and request lines before it.

Reads     siege 2 to 4.1: text, JSON (--json-output, 4.1's default), what is left of either
Yields    one LoadResult
Units     times in seconds whatever the version prints (4.1 prints ms), data in MB of 1048576 bytes (old versions: bytes)
Quirks    "successful" counts redirects too and may exceed "transactions"; a reply of 404 is a transaction and neither
          successful nor failed; the message about siege.log follows 3.0's summary; "concurrency" is a mean, the users
          are in "Preparing N concurrent users"; with -c above its limit siege goes on with as many users as it allows,
          and says so above its banner; a failed connection is one line each; the JSON has no banner, and what siege
          complains of stands above it; the spinner of 3.0 leaves its sign before a label ("\\Transaction rate:",
          "^H|Elapsed time:")
Source    siege's main.c, display of the statistics, 2.71 to 4.1.7

siege_log: lines of siege.log, one for each siege.

Reads     the header line with the lines below it, or such lines alone
Yields    one LoadResult a line
Units     as siege.py: seconds, MB
Source    siege's log.c
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import Format
from ..commands import FLAG, Command, Option
from ..lines import Lines
from ..prompts import prompt
from ..records import Found, LoadResult, Problem, Record, Semantics, Values
from ..report import has_placeholder, is_stray, list_figures
from ..transcript import is_elision
from ..units import join_thousands, number, ungrouped

KIND = "siege"
PROGRAMS = ("siege",)
SEMANTICS = Semantics(
    http_version="1.1",
    address_from_command=True,
    concurrency="measured",
    failures_in_requests=False,
    good_replies="successful_transactions",
    rate_step=0.01,
    mean_step_ms=10.0,
    max_step_ms=10.0,
    received_bytes="data_transferred_mb",
    printed_as={
        "requests_per_second": "transaction_rate",
        "complete_requests": "transactions",
        "failed_requests": "failed_transactions",
        "non_2xx_responses": "successful_transactions",
        "duration_s": "elapsed_s",
        "mean_ms": "response_time_s",
        "min_ms": "shortest_s",
        "max_ms": "longest_s",
        "tool_version": "siege_version",
    },
    citations={
        "errors.failed": "siege's manual on availability",
        "errors.status": "siege's browser.c: failed are requests without a reply, and replies with 403, 408 or 5xx; other replies"
        " with 4xx, but 401 and 407, are transactions without being successful",
        "figures.availability": "siege's manual on availability",
        "figures.concurrency": "siege's manual: concurrency is the mean number of open connections, of at most -c users",
        "figures.rate": "siege's main.c: the rate is the requests over the time taken",
        "resolution.steps": "siege prints times in hundredths of a second",
        "resolution.within": "siege prints times in hundredths of a second",
        "tool.aborted": "siege breaks off by itself when sockets fail",
    },
)
OPTIONS = {
    "-c --concurrent": Option("concurrency"),
    "-r --reps": Option("repeats_each"),
    "-t --time": Option("duration_s", unit="m"),
    "-f --file": Option("url_file"),
    "-H --header": Option("header"),
    "-A --user-agent": Option("user_agent"),
    "-T --content-type": Option("content_type"),
    "-d --delay": Option("delay_s"),
    "-b --benchmark": Option("delay_s", takes_value=False, means="none"),
    "-m --mark -R --rc": Option(),
    "-C -D -g -h -i -j -l -p -q -v -V --get --internet --json-output --log --no-follow": FLAG,
    "--no-parser --print --quiet --verbose": FLAG,
}
PRINTS = {"concurrency": "users"}
_SPUN = r"(?:\^H|[-\\|/]){1,9}"  # signs of the spinner, with or without its backspaces as the terminal shows them
INLINE = r"Transaction rate:\s{1,40}(\d[\d.]{0,30})\s{1,9}trans/sec"
OPENS = (
    r"WARNING: The number of users is capped at \d"
    r"|\*\* (?i:siege) \d|\*\* Preparing \d+ concurrent users|The server is now under siege|Lifting the server siege"
    r"|siege aborted due to excessive socket failure|(?:Transactions|Availability|Transaction rate):\s*$"
    rf"|{_SPUN}(?:Transactions|Availability|Elapsed time|Response time|Transaction rate|Successful transactions):\s+\d"
    r"|[Tt]?ransactions:\s+\d[\d,]*(?:\s+hits|\s*$)|Availability:\s+\d[\d.]*\s*%\s*$|Transaction rate:\s+\d[\d.]*\s+trans/sec"
    r"|Successful transactions:\s*\d|\{?\s*\"transactions\":\s+\d+,|\{\s*$"
    r"|\[(?:error|alert|fatal)\] \S.{0,90}? (?:sock|browser|ssl|http|auth|init|main|client)\.c:\d+: "
)

_KEYS = {
    "transactions": "transactions",
    "ransactions": "transactions",  # copied from the second character on
    "availability": "availability_pct",
    "elapsed time": "elapsed_s",
    "data transferred": "data_transferred_mb",
    "response time": "response_time_s",
    "transaction rate": "transaction_rate",
    "throughput": "throughput_mb_per_s",
    "concurrency": "concurrency",
    "successful transactions": "successful_transactions",
    "http ok received": "http_ok_received",
    "failed transactions": "failed_transactions",
    "longest transaction": "longest_s",
    "shortest transaction": "shortest_s",
}
_FACTORS = {"ms": 0.001, "bytes": 1 / 1048576, "bytes/sec": 1 / 1048576, "kb": 1 / 1024, "kb/sec": 1 / 1024}
_UNITS = {"availability_pct": "%", "data_transferred_mb": "MB", "throughput_mb_per_s": "MB/sec"}
_UNITS |= {"elapsed_s": "secs", "response_time_s": "secs", "transaction_rate": "trans/sec", "transactions": "hits"}
_KNOWN = {unit.lower() for unit in _UNITS.values()} | _FACTORS.keys()
_REQUEST = re.compile(
    r"HTTP/\d\.\d\s+\d+|\[(?:error|alert|debug|fatal|info)\]|\[\w+, \S+|siege aborted|can change the failure|Lifting the server"
    r"|The server is now|\*\* |done\.|\^C|\.+\s*done|={20,}|WARNING: The number of users|[A-Z]+\s+\d+\s+\d+\.\d+ secs:|FTP/"
    r"|Status code",
)
_CAPPED = "WARNING: The number of users is capped"
_MESSAGE = re.compile(r"\[(?:error|alert|fatal)\] \S")
_MOST_WARNINGS = 20  # a server that refuses connections gets the same line a thousand times, and few different ones
_LOGNOTE = re.compile(r"(?:FILE|LOG FILE): |You can disable this|the \.siegerc file|the directive 'show-logfile'|\[\^")
_BANNER = re.compile(r"\*\* siege (\S+)", re.IGNORECASE)
_SPINNER = re.compile(rf"{_SPUN}(?=[A-Z])")
_ITEM = re.compile(r"[-*•]\s{1,8}(?=[A-Z][A-Za-z ]{9,23}:)")
_SPINNING = re.compile(r"(?:[-\\|/\s]{0,9}\^H){1,200}[-\\|/\s]{0,9}")
_USERS = re.compile(r"\*\* Preparing (\d+) concurrent users")
_TWO_DECIMALS = re.compile(r"\d+\.\d\d")
_LABEL = re.compile(r"([A-Za-z ]{10,24}?):\s*(.*)")
JSON = re.compile(rf"\{{\"(?:{'|'.join(key.replace(' ', '_') for key in _KEYS)})\":")
_JSON = re.compile(r"\{?\s*\"([a-z_]+)\":\s*([^,\s}]+)\s*+(?:,\s*+)?(\})?\s*+(?:(?<=\s)(?:<--|←|#|//|\().*)?")


def parse(lines: Lines, command: str | None) -> Found | None:
    return _Siege(lines).read()


class _Siege:
    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.values = Values(lines)
        self.problems: list[Problem] = []
        self.first = self.last = lines.number + 1
        self.blank: list[str] = []
        self.done = self.template = False

    def read(self) -> Found | None:
        for line in self.lines:
            stripped = line.strip()
            if stripped[:1] in tuple("-\\|/^") and (spun := _SPINNER.match(stripped)):
                stripped = stripped[spun.end() :]
            stripped = _ITEM.sub("", stripped, count=1)
            if not stripped or is_elision(stripped) or _SPINNING.fullmatch(stripped):
                self.blank.append(self.lines.raw)
            elif self._take_line(stripped) or self._is_stray(stripped):
                self.last = self.lines.number
                self.blank.clear()
                if self.done:
                    self._note_behind()
                    break
            else:
                self.lines.back(*self.blank, self.lines.raw)
                break
        return self._finish()

    def _is_stray(self, line: str) -> bool:
        """Whether somebody put this line into the summary; one of siege's own begins the next."""
        if not self._has_summary() or _BANNER.match(line) or _USERS.match(line) or _JSON.fullmatch(line):
            return False
        label = _LABEL.match(line)
        return not (label and label[1].strip().lower() in _KEYS) and is_stray(self.lines, line, self._lacks)

    def _has_summary(self) -> bool:
        return "transaction_rate" in self.values or "transactions" in self.values

    def _lacks(self, line: str) -> bool:
        """Whether a line has a figure that comes behind those that were read."""
        label = _LABEL.match(line)
        key = _KEYS.get(label[1].strip().lower()) if label else None
        order = list(_KEYS.values())
        return key is not None and all(order.index(key) > order.index(known) for known in self.values if known in order)

    def _note_behind(self) -> None:
        """Take the message about siege.log that follows the JSON."""
        while (following := self.lines.ahead(1)) and _LOGNOTE.match(following[0].strip()):
            self.lines.take_next()
            self.last = self.lines.number

    def _take_line(self, line: str) -> bool:
        """Take one line in; False where it is not siege's."""
        if line == "{" and not self.values.keys() - {"warnings"}:
            return bool(_JSON.fullmatch((self.lines.ahead(1) or [""])[0].strip()))
        if line == "}" and "format" in self.values:
            self.done = True
            return True
        json = _JSON.fullmatch(line)
        if json:
            return self._take_json(json)
        label = _LABEL.match(line)
        key = _KEYS.get(label[1].strip().lower()) if label else None
        if key and label:
            return self._take_figure(key, label[2])
        return self._take_around(line)

    def _take_json(self, match: re.Match[str]) -> bool:
        key = _KEYS.get(match[1].replace("_", " "))
        if key is None or key in self.values:
            return False
        self.values["format"] = "json"
        self._number(key, match[2], "")
        self.done = bool(match[3])
        return True

    def _take_figure(self, key: str, rest: str) -> bool:
        if key in self.values:
            return False
        words = join_thousands(rest).replace("%", " %").split()
        if not words and self.lines.cut == self.lines.number:
            if _TWO_DECIMALS.fullmatch(self.lines.cut_text) and key not in _UNITS:
                self._number(key, self.lines.cut_text, "")  # as long as siege prints it
                self.lines.cut = 0
            return True
        if not words:
            words = self.lines.take_below(lambda below: below[0].isdigit())[1].split()
        if not words or not words[0][:1].isdigit():
            if not self.values:
                return False
            self.template = self.template or has_placeholder(rest)
            self._add_problem(f"expected a number for {key}, found {rest[:40]!r}")
            return True
        unit = words[1] if len(words) > 1 else ""
        if (
            key in _UNITS
            and unit.lower() not in _KNOWN
            and (self.lines.unended() if unit else self.lines.peek() is None)
        ):
            self._add_problem(
                f"the text ends in {rest[:40]!r}, before the unit {_UNITS[key]}: the number may be cut off"
            )
            return True
        self._number(key, words[0], unit.lower())
        return True

    def _number(self, key: str, token: str, unit: str) -> None:
        try:
            figure = number(ungrouped(token) if key.endswith("transactions") else token)
        except ValueError:
            self._add_problem(f"expected a number for {key}, found {token[:40]!r}")
            return
        factor = _FACTORS.get(unit)
        self.values[key] = round(figure * factor, 9) if factor else figure

    def _add_problem(self, message: str) -> None:
        self.problems.append(Problem(self.lines.number, message))

    def _take_around(self, line: str) -> bool:
        """The banner, the request lines and the notes that siege prints around its figures."""
        summary = self._has_summary()
        if line.startswith(_CAPPED):
            return not self.values and self._take_capped(line)
        if (not summary or self._within_json(line)) and _MESSAGE.match(line):
            self._warn(line)
        elif banner := _BANNER.match(line):
            if self.values.keys() - {"warnings"}:
                return False
            self.values["siege_version"] = banner[1]
        elif users := _USERS.match(line):
            if summary:
                return False
            self.values["users"] = int(users[1])
        elif "aborted due to excessive socket failure" in line:
            self.values["aborted"] = True
        elif summary:
            return bool(_LOGNOTE.match(line)) or line.startswith("Status code") or self._within_json(line)
        elif not _REQUEST.match(line):
            # Between the banner and the summary anything may be printed by the requests themselves.
            return prompt(line) is None and any(_REQUEST.match(x) or _LABEL.match(x) for x in self.lines.ahead(2))
        return True

    def _within_json(self, line: str) -> bool:
        """Whether the JSON goes on below a line that siege wrote to the terminal meanwhile, or that somebody put in."""
        if "format" not in self.values or prompt(line) is not None:
            return False
        match = next((json for x in self.lines.ahead(2) if (json := _JSON.fullmatch(x.strip()))), None)
        return match is not None and _KEYS.get(match[1].replace("_", " "), "") not in {"", *self.values}

    def _take_capped(self, line: str) -> bool:
        """The four lines that say how many users siege allows, between two rules."""
        for following in self.lines.ahead(3):
            if not following[:1].isspace() or following.lstrip().startswith("==="):
                break
            line += " " + following.strip()
            next(self.lines)
        self._warn(line)
        return True

    def _warn(self, text: str) -> None:
        """Keep what siege complains of, each text once, but not one that the text's end cuts off."""
        if self.lines.unended():
            return
        warnings = self.values.setdefault("warnings", [])
        if text not in warnings and len(warnings) < _MOST_WARNINGS:
            warnings.append(text)

    def _finish(self) -> Found | None:
        values = self.values
        figures = [k for k in values if k in _KEYS.values()]
        if self.template and "transaction_rate" not in values:
            return None
        if len(figures) < 2 and not {"transaction_rate", "siege_version", "aborted"} & values.keys():
            return None
        if not figures:
            self.problems.append(Problem(self.last, "the siege breaks off before its first figure"))
        return Found(values, self.first, self.last, len(figures) < 6, self.problems)


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's -c is the number of users that the banner shows, or more than siege allows."""
    if any(_CAPPED in warning for warning in values.get("warnings", ())):
        return True
    return command.agrees(values, {"concurrency": "users"})


def records(values: dict[str, Any]) -> list[Record]:
    # The printed concurrency is what came about.
    return [LoadResult(KIND, **list_figures(KIND, values) | {"concurrency": values.get("users")})]


# --- siege_log --------------------------------------------------------------------------------------------------------
_LOG_COLUMNS = (
    *("transactions", "elapsed_s", "data_transferred_mb", "response_time_s", "transaction_rate", "throughput_mb_per_s"),
    *("concurrency", "successful_transactions", "failed_transactions"),
)
_LOG_ROW = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,")
_LOG_WIDTH = 8  # of the last cell, at least: a shorter one was cut off
_LOG_REST = re.compile(r"[\d., ]+|[A-Za-z, ]*Failed")
_LOG_NOTE = re.compile(r"\*{4} .* \*{4}$")  # siege --mark, -m


def _parse_log(lines: Lines, command: str | None) -> Found | None:
    first = lines.number + 1
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    at: dict[str, int] = {}
    for stripped in lines.texts():
        if _LOG_ROW.match(stripped):
            line = lines.number
            if lines.cut == lines.number and len(lines.raw.rpartition(",")[2]) >= _LOG_WIDTH:
                stripped += lines.cut_text
                lines.cut = 0
            row = _read_log_row(stripped)
            following = (lines.peek() or "").strip()
            if len(row) <= len(_LOG_COLUMNS) and _LOG_REST.fullmatch(following):  # broken by a mail client
                row = _read_log_row(f"{stripped} {following}")
                next(lines)
            if len(row) == len(_LOG_COLUMNS) + 1:
                at[f"rows.{len(rows)}"] = line
                rows.append(row)
            else:
                problems.append(Problem(lines.number, f"expected {len(_LOG_COLUMNS)} figures, found {stripped[:80]!r}"))
        elif not (
            _LOG_NOTE.match(stripped)
            or (not rows and (stripped.startswith("Date & Time") or _LOG_REST.fullmatch(stripped)))
        ):
            lines.refuse()
            break
    if not rows and not problems:
        return None
    return Found({"n_rows": len(rows), "rows": rows}, first, lines.last, False, problems, lines=at)


def _read_log_row(line: str) -> dict[str, Any]:
    cells = [c.strip() for c in line.split(",")]
    row: dict[str, Any] = {"date_time": cells[0]}
    for name, cell in zip(_LOG_COLUMNS, cells[1:], strict=False):
        try:
            row[name] = number(cell)
        except ValueError:
            return row
    return row


def _log_records(values: dict[str, Any]) -> list[Record]:
    return [
        LoadResult(
            tool=KIND,
            requests_per_second=row["transaction_rate"],
            complete_requests=int(row["transactions"]),
            failed_requests=int(row["failed_transactions"]),
            duration_s=row["elapsed_s"],
            mean_ms=round(row["response_time_s"] * 1000, 6),
        )
        for row in values["rows"]
    ]


OTHER_FORMATS = (
    Format(
        kind="siege_log",
        opens=r"Date & Time,\s+Trans,|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\s+\d+,\s+\d+\.\d\d,\s+\d+,\s+\d",
        command=re.compile(r"siege\S*\.log\b"),
        parse=_parse_log,
        records=_log_records,
    ),
)
