"""ab: ApacheBench's report, from the banner to the percentile table; also what is left of one.

Reads     text of ab 1.3 to 2.5, the HTML table of -w, single quoted lines ("Requests per second: 617.01 [#/sec] (mean)")
Yields    one LoadResult
Units     latency ms, rate requests/s, transfer KiB/s, sizes bytes
Quirks    pasted reports often lack the banner; a report broken off by an error has only that and "Total of N requests completed";
          2.0 prints the time taken in microseconds behind the point, without zeros before them ("17.28184" is 17.028184); 1.3
          prints neither units nor deviations and "Connnection"; "Document Length" is "Variable" with -l; the median and the
          deviation are missing with -S and -w
Source    ab.c, output_results(), output_html_results() and test() of httpd 1.3 to trunk
"""

from __future__ import annotations

import re
from typing import Any

from ..ab_report import FIELDS, TEXTS, TIMES, UNITS, cut_figure, match_tables, pad_microseconds, read_usual_report
from ..commands import FLAG, Command, Option
from ..lines import Lines
from ..multiline import join_rest, match_joined
from ..prompts import prompt
from ..records import Found, LoadResult, Problem, Record, Semantics, Values
from ..report import has_placeholder, list_figures
from ..transcript import is_elision, tells_figure_change
from ..units import number

KIND = "ab"
BEGINS = r"This is ApacheBench, Version [\w.-]{1,20} <\$Revision: [\d.]{1,20} \$>(?: apache-2\.0)?[ \t\r]{0,9}\n"
PROGRAMS = ("ab", "ab2", "abs", "ab.exe", "abs.exe")
SEMANTICS = Semantics(
    address_from_command=True,
    default_concurrency=1,
    failures_in_rate=True,
    exact_mean=True,
    length_failures=True,
    failure_kinds={
        **{kind: f"failed_{kind}" for kind in ("connect", "receive", "length", "exceptions")},
        "write": "write_errors",
    },
    absent_non_2xx_is_zero=True,
    makes_all_requests=True,
    one_thread=True,
    prints_tls=True,
    http_version="1.0",
    whole_report=("failures", "percentiles", "document"),
    max_step_ms=1.0,
    percentile_step_ms=1.0,
    printed_as={
        "tool_version": "ab_version",
        "duration_s": "time_taken_s",
        "mean_ms": "time_per_request_ms",
        "max_ms": "percentiles_ms.100",
        **{"hostname": "server_hostname", "port": "server_port", "path": "document_path"},
    },
    citations={
        "errors.failed": "ab.c counts failed requests into its rate",
        "errors.length": "ab.c, close_connection(): a reply fails by Length where it is not as long as the first one",
        "figures.mean": "ab.c: time per request is concurrency times the time taken over the requests",
        "figures.percentiles": "ab.c: the percentile table and the Total row are made from the same sorted times",
        "figures.rate": "ab.c: the rate is the requests over the time taken",
        "generator.saturated": "ab.c has one thread: at 100 % of a core it cannot send more",
        "network.keepalive": "ab's documentation on -k, and its count of Keep-Alive requests",
        **dict.fromkeys(("resolution.steps", "resolution.within"), "ab prints percentiles in whole ms"),
        "tool.aborted": "ab breaks off by itself when sockets fail",
        "tool.interrupted": "ab's -n, and no -t",
        "tool.warnings": "ab.c, output_results(): mean and median over one or two deviations apart",
    },
)
OPTIONS = {
    "-n": Option("requests"),
    "-c": Option("concurrency"),
    "-t": Option("duration_s"),
    "-s": Option("timeout_s"),
    "-k": Option("keepalive", takes_value=False, means=True),
    "-i": Option("method", takes_value=False, means="HEAD"),
    "-m": Option("method"),
    "-p": Option("body_file", method="POST"),
    "-u": Option("body_file", method="PUT"),
    "-H": Option("header"),
    "-T": Option("content_type"),
    "-C": Option("cookie", secret=True),
    "-A -P": Option(secret=True),
    "-f": Option("protocol"),
    "-Z": Option("cipher"),
    "-X": Option("proxy"),
    "-b -B -e -E -g -v -x -y -z": Option(),
    "-d -h -I -l -q -r -S -V -w": FLAG,
}
DEFAULTS = {"keepalive": False}
INLINE = r"Requests per second:?\s{1,40}(\d[\d.,]{0,30})\s{1,9}\[#/sec\]"
OPENS = (
    r"This is \w{2,30}, Version |Benchmarking \S+ \(be patient|(?:Completed|Finished) \d+ requests\s*$"
    r"|Server Software:|Server Hostname:\s+\S|Document Path:\s+\S|Concurrency Level:\s+\d|Time taken for tests:\s+\d"
    r"|(?:Complete|Failed) requests:\s+\d|Requests per second:\s+\S*\d|Time per request:\s+\d|Transfer rate:\s+\d"
    r"|(?:Total|HTML) transferred:\s+\d|Connn?ection Times \(ms\)|Percentage of the requests served within(?! a certain time\s*$)"
    r"|Total of \d+ requests completed\s*$|apr_\w{3,40}(?:\(\))?: [^\n]{1,100}\(\d+\)\s*$"
    r"|(?:Server Hostname|Document Path|Concurrency Level|(?:Complete|Failed) requests|Requests per second):\s*$"
)

_BANNER = re.compile(r"This is ApacheBench, Version (\S+)(?:\s+(?:<i>)?<\$Revision: ([\d.]+))?")
_FAILED = re.compile(r"\(Connect: (\d+),(?: Receive: (\d+),)? Length: (\d+), Exceptions: (\d+)\)")
_SENT = re.compile(r"([\d.]+)\s+(?:kb/s|\[Kbytes/sec\])\s+(sent|total)")
_TOTAL_OF = re.compile(r"Total of (\d+) requests completed")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?)%\s+(-?\d+)(?=\s|$)(?!\s*[mµu]?s\b)")
_FOREIGN = re.compile(
    r"This is (?!ApacheBench)\w+, Version |HTML Transfer rate:|min\s+avg\s+max\s+std$|Average Document Length:"
)  # tools that imitate ab's report
_RIGHT = re.compile(r"(?= {3,}\d+$)[ \d]{8}$")  # the longest time, as wide as ab prints it: not cut off
_MARKS = " \t*_|#-•`"  # of Markdown, around a label
_REMARK = re.compile(r"(?=（)|(?=\([^\x00-\x7F])|\s{2,}|\s+(?=<-|<=|←|//|#|\(!)|\t")
_NOISE = re.compile(
    r"Copyright |Licensed to |Benchmarking |Completed \d+|Finished \d+|\s*\.\.+\s*done|Send request |Test aborted"
    r"|\s*min\s+(?:mean|avg)|Connn?ection Times \(ms\)|Percentage of the requests served|</?(?:p|table)\b|http://|\s*requests\)$"
    r"|\|[\s|]*min\s*\||\|[-:|\s]+\|$|INFO:|LOG:|WARNING: Response code|---$|\.\.\.INFO"
)
_ERROR_END = re.compile(r"(?:[\w ]{1,60} )?\(\d+\)")
_BEHIND = re.compile(r"Benchmarking \S+ \(be patient\)\.*\s*((?:apr_|SSL |ab: |socket: |connect: |Connection ).*)")
_ERROR = re.compile(
    r"(?:apr_\w+|ab|socket|connect|send|read|SSL|Test aborted|Send request|setrlimit|ERROR|error|Connection|Could not)\b.*"
)
_PARAGRAPH = re.compile(r"\W*<p>(?:<br */?>)?", re.IGNORECASE)  # what -w prints above its banner, maybe quoted
_RELIABLE = re.compile(r".*reliable\.")
_SANE = re.compile(r"\s*(?:WARN?ING|ERROR): The median and mean for ")
_CLOSING = ("requests_per_second", "percentiles_ms", "aborted", "error")  # at the end of a report, or in place of it
_TABLE = 3  # percentiles from which on they are a table by themselves
_VARIES = re.compile(r"[$*{}<\\]|\.\.\.|…")  # a path that the shell or the author has still to fill in


def parse(lines: Lines, command: str | None) -> Found | None:
    report = read_usual_report(lines) or _Report(lines, command).read()
    if report:
        pad_microseconds(report.values)
    return report


class _Report:
    """One report while it is being read."""

    def __init__(self, lines: Lines, command: str | None) -> None:
        self.lines, self.is_run, self.asks_version = lines, command is not None, " -V" in (command or "")
        self.values = Values(lines)
        self.problems: list[Problem] = []
        self.first = self.last = lines.number + 1
        self.verbose = self.foreign = self.template = self.doubled = False
        self.before = ("", "")  # label and value of the line before
        self.html = self.has_rate = False  # has_rate: with its unit
        self.taken: list[str] = []  # raw lines since the last one that was certainly ours

    def read(self) -> Found | None:
        lines = self.lines
        for line in lines:
            label, colon, rest = line.partition(":")
            key = FIELDS.get(label) or (FIELDS.get(label.strip(_MARKS)) if colon else None)
            if key and colon:
                if not self._read_field(key, rest.strip() or self._take_value_below(key)):
                    break
            elif not self._read_other(line):
                break
        return self._finish()

    def _take_value_below(self, key: str) -> str:
        """The value on the line below its label, which is taken; "" where there is none."""

        def fits(below: str) -> bool:
            word = key in TEXTS.values() and not set(" :") & set(below)
            return (word or below.strip(_MARKS)[:1].isdigit()) and prompt(below) is None

        return self.lines.take_below(fits)[1].strip(_MARKS)

    def _mine(self) -> bool:
        self.last = self.lines.number
        self.taken.clear()
        return True

    def _end(self) -> bool:
        """The report is over: put back this line and the blank ones before it."""
        self.lines.back(*self.taken, self.lines.raw)
        return False

    def _read_field(self, key: str, rest: str) -> bool:
        values = self.values
        if tells_figure_change(rest):
            return self._end()
        if self._is_doubled(key, rest):
            return self._mine()
        if key in values:
            if key != "time_per_request_ms" or "(mean)" in rest or "time_per_request_across_ms" in values:
                return self._end()
            key = "time_per_request_across_ms"
        elif key == "time_per_request_ms" and "across" in rest:
            key = "time_per_request_across_ms"
        if key in TIMES.values():
            return self._read_times(key, rest)
        if key[-3:] != "_ms" and key in TEXTS.values():
            if "<tr" in self.lines.raw:
                rest = rest.partition("<")[0].strip()  # maybe a tag that was cut off
                if not rest and self.lines.unended():
                    return self._mine()
                self.html = self.html or key == "server_software"
            values[key] = _REMARK.split(rest, maxsplit=1)[0].removesuffix("<br").strip()
        else:
            self._number(key, rest)
        return self._mine()

    def _is_doubled(self, key: str, rest: str) -> bool:
        """Whether another load printed this line at the same time, right below ours: which figure is whose is not known."""
        key = "time_per_request_across_ms" if "across" in rest else key
        before, self.before = self.before, (key, rest)
        if before[0] != key or not (self.doubled or len(self.values) >= _TABLE or key in TEXTS.values()):
            return False
        if not self.doubled:
            self._add_problem("two reports are printed at once: figures that differ between them were not read")
        self.doubled = True
        if rest != before[1]:
            self.values.pop(key, None)
        return True

    def _number(self, key: str, rest: str) -> None:
        unit = UNITS.get(key)
        word = cut_figure(rest, unit)
        try:
            figure = number(word)
        except ValueError:
            self.template = self.template or has_placeholder(word)
            if not (key == "document_length_bytes" and word == "Variable"):
                self._add_problem(f"expected a number for {key}, found {rest[:40]!r}")
            return
        if unit and unit not in rest and len(rest.split()) == 1 and self.lines.peek() is None:
            self._add_problem(f"the text ends in {rest[:40]!r}, before the unit {unit}: the number may be cut off")
            return
        self.has_rate = self.has_rate or (key == "requests_per_second" and unit is not None and unit in rest)
        self.values[key] = figure

    def _read_times(self, key: str, rest: str) -> bool:
        if self.lines.cut == self.lines.number and _RIGHT.search(self.lines.raw):
            rest += self.lines.cut_text
            self.lines.cut = 0
        if "|" in rest:  # a table of Markdown
            if rest[-1] != "|" and self.lines.unended():
                return self._mine()
            rest = rest.replace("|", " ").strip()
        try:
            figures = [number(t) for t in rest.split()[:5] if t[0].isdigit() or t[0] in "-+."]
        except ValueError:
            figures = []
        names = {5: ("min", "mean", "sd", "median", "max"), 3: ("min", "mean", "max")}.get(len(figures))
        if names and (len(figures) == 5 or isinstance(figures[2], int)):
            self.values[key] = dict(zip(names, figures, strict=True))
        elif self.lines.cut != self.lines.number and (not rest or not rest[0].isdigit()):
            return self._read_other(self.lines.raw)
        else:
            self._add_problem(f"expected 5 times (or 3) for {key}, found {rest[:60]!r}")
        return self._mine()

    def _add_problem(self, message: str) -> None:
        if self.lines.cut != self.lines.number:  # the reader tells of that
            self.problems.append(Problem(self.lines.number, message))

    def _read_other(self, line: str) -> bool:
        """A line without one of ab's labels. False where the report is over."""
        stripped = line.strip()
        if stripped[:1] in "#-*" and not is_elision(stripped):  # a title or an item of a list that somebody made of it
            stripped = stripped.strip(_MARKS)
        if self.html and "</table>" in self.lines.raw:
            return self._mine()
        if not stripped or is_elision(stripped):
            self.taken.append(self.lines.raw)
            return True
        percent = _PERCENT.match(stripped)
        if self.lines.cut == self.lines.number and stripped.endswith(("%", "#")):
            return self._mine()
        if percent:
            table = self.values.setdefault("percentiles_ms", {})
            if isinstance(table, dict) and percent[1] not in table:
                table[percent[1]] = number(percent[2])
                return self._mine()
            return self._mine() if self.doubled else self._end()
        if _FOREIGN.match(stripped):
            self.foreign = self.foreign or not self.values or "requests_per_second" in self.values
            return self._mine() if self.foreign else self._end()
        if stripped.startswith("This is ApacheBench"):
            return self._read_banner(stripped)
        if "total_ms" in self.values and stripped.endswith("ection Times (ms)") and not self.doubled:
            return self._end()
        if self._read_detail(stripped) or _NOISE.match(stripped):
            self.verbose = self.verbose or stripped.startswith(("INFO:", "LOG:")) or "INFO:" in stripped
            return self._mine()
        return self._read_unknown(stripped)

    def _read_banner(self, line: str) -> bool:
        if self.values or self.foreign:
            return self._mine() if self.before == (line, "") else self._end()  # another load's, started at once
        self.before = (line, "")
        if match := _BANNER.match(line):
            self.values["ab_version"] = match[1]
            if match[2]:
                self.values["ab_revision"] = int(match[2]) if match[2].isdigit() else match[2]
        if "<i>" in self.lines.raw:
            self.html = True
            if self.lines.number == self.first and _PARAGRAPH.fullmatch(self.lines.before.strip()):
                self.first -= 1
        return self._mine()

    def _read_detail(self, line: str) -> bool:
        """Lines that belong to the figure before them, warnings, and the end of a broken-off run."""
        values = self.values
        if failed := _FAILED.search(line):
            for name, count in zip(("connect", "receive", "length", "exceptions"), failed.groups(), strict=True):
                if count is not None:
                    values[f"failed_{name}"] = int(count)
        elif match := _SENT.match(line):
            values[f"transfer_rate_{match[2]}_kbytes_per_s"] = number(match[1])
        elif total := _TOTAL_OF.match(line):
            values |= {"aborted": True, "complete_requests": int(total[1])}
        elif _SANE.match(line):
            warnings = values.setdefault("warnings", [])  # at the number of its first line
            whole = match_joined(self.lines, line, _RELIABLE.fullmatch, most=3)
            warnings.append(whole[0] if whole else line)
        elif (behind := _BEHIND.match(line)) and "error" not in values:
            error = behind[1] if behind[1].endswith(")") else join_rest(self.lines, behind[1], _ERROR_END.fullmatch)
            values |= {"error": error, "aborted": True}
        else:
            return False
        return True

    def _read_unknown(self, line: str) -> bool:
        """A line that ab does not print by itself: its own error, a body shown by -v, a remark inside, or the end."""
        if self.foreign and "requests_per_second" not in self.values and prompt(line) is None:
            return self._mine()
        begun = "ab_version" in self.values and len(self.values) <= 4 and "server_hostname" not in self.values
        if (begun or not self.values and line.startswith("apr_")) and not prompt(line):  # of one without its banner
            if self.verbose:
                return self._mine()
            if _ERROR.fullmatch(line) and "error" not in self.values:
                self.values |= {"error": line, "aborted": True}
                return self._mine()
        if prompt(line) is None and self._goes_on():
            return self._mine()
        return self._end()

    def _goes_on(self) -> bool:
        """Whether one of the next three lines is a field that this report still lacks (a remark stands in between)."""
        if not self.values:
            return False
        for line in self.lines.ahead(3):
            if prompt(line) is not None or line.lstrip().startswith("This is ApacheBench"):
                return False
            label, colon, rest = line.partition(":")
            key = FIELDS.get(label.strip()) if colon and rest.strip() else None
            if key:
                ours = list(FIELDS.values())
                seen = [ours.index(k) for k in self.values if k in ours]
                return key not in self.values and (not seen or ours.index(key) > max(seen))
            if _PERCENT.match(line.strip()) and "total_ms" in self.values:
                return "percentiles_ms" not in self.values or "100" not in str(self.values["percentiles_ms"])
        return False

    def _finish(self) -> Found | None:
        values = self.values
        if self.foreign or (self.template and not values.keys() & {"requests_per_second", "time_taken_s"}):
            return None
        figures = [k for k in values if k not in ("ab_version", "ab_revision")]
        enough = len(figures) >= 2 or "ab_version" in values or self.has_rate
        enough = enough or len(values.get("percentiles_ms", ())) >= _TABLE
        is_stray = not enough and (not self.problems or (not figures and self.first == self.last))
        if is_stray or (self.asks_version and not figures):
            return None  # one stray line is no report, and a version none of a run
        self.problems += match_tables(self.lines, values, self.first)
        if {*figures} == {"error", "aborted"} and not self.is_run and "ab_version" not in values:
            return None  # somebody quotes the error
        if not figures:
            self.problems.append(Problem(self.last, "the report breaks off before its first figure"))
        elif "ab_version" in values and values.keys().isdisjoint(_CLOSING):
            self.problems.append(Problem(self.last, "the report breaks off before its rate"))
        if self.html:
            values["format"] = "html"
        partial = len(figures) < 8 and "aborted" not in values
        return Found(values, self.first, self.last, partial, self.problems)


def fits(command: Command, values: dict[str, Any]) -> bool:
    """Whether the command's -c, host, port and path are those of the report."""
    if not command.agrees(values, {"concurrency": "concurrency"}):
        return False
    path = command.path or "/"
    printed = values.get("document_path", path)
    return not command.hostname or (
        str(values.get("server_hostname", command.hostname)).lower() == command.hostname
        and values.get("server_port", command.port) == command.port
        and (printed == path or _VARIES.search(path) is not None)
    )


def records(values: dict[str, Any]) -> list[Record]:
    get = values.get
    if get("of_other_report"):
        return []
    tables = (get("total_ms"), get("percentiles_ms"))
    total, percentiles = (table if isinstance(table, dict) else {} for table in tables)
    percentiles = {name: float(ms) for name, ms in percentiles.items()}
    figures = list_figures(KIND, values) | {
        "keepalive": "keepalive_requests" in values if values.keys() >= {"concurrency", "complete_requests"} else None,
        "mean_ms": get("time_per_request_ms", total.get("mean")),
        "min_ms": total.get("min"),
        "max_ms": total.get("max", percentiles.get("100")),
        "percentiles_ms": percentiles,
        "server_software": get("server_software") or None,
    }
    return [LoadResult(KIND, **figures)]
