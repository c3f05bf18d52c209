"""The lines above top's table, of each tool and version, as they are met; the usual ones are read at once."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from .lines import Lines
from .multiline import join_rest, match_joined
from .prompts import prompt
from .units import CPU_SHARES, FACTOR_KB, number, rounded, uptime_s

_HEAD = re.compile(
    r"(?:top - )?(?P<time>\d\d?:\d\d(?::\d\d)?)(?P<half>[ap]m)?\s+up\s+(?P<up>.*?),(?:\s*(?P<users>\d+)\s+users?,)?"
    r"\s+load averages?:\s*"
    r"(?P<l1>\d+[.,]\d+),?\s+(?P<l5>\d+[.,]\d+),?\s+(?P<l15>\d+[.,]\d+)"
)
# What a narrow window leaves of it: a load has two decimals, or its last digits are cut off.
_CUT_HEAD = re.compile(
    r"top - (?P<time>\d\d:\d\d:\d\d) up\s+(?P<up>[^,]{1,20}(?:, +(?:\d+:\d\d|\d+ min))?),\s+(?P<users>\d+)\s+users?,"
    r"(?:\s*load average: (?P<l1>\d+[.,]\d\d),(?: (?P<l5>\d+[.,]\d\d)(?![.,\d]))?)?"
)
_TASK = re.compile(
    r"(?<!\d)(\d++)\s+(total|running|sleeping|stopped|zombie|starting|waiting|d-sleep|lock|threads|processes)\b"
)
_CPU_START = re.compile(
    r"(?:%?C(?:pu|PU)(?=\(s\)|\d)|CPU(?=\d* states:))(\(s\)|\d*)(?: states)?\s*:|CPU:|(?<!\d)\d++%cpu"
)
_CPU = re.compile(
    r"((?<!\d)\d++(?:[.,]\d++)?|\.\d++)\s*+(?:%\s*+)?(us|sy|ni|id|wa|hi|si|st|gu|user|usr|system|sys|nice|nic|idle|iowait|iow|io|irq|softirq|sirq|"
    r"steal|host|interrupt)\b"
)
# Red Hat's procps 2 prints a table: titles, and a row below for all CPUs and for each.
_CPU_TITLES = re.compile(r"CPU states:\s+cpu((?:\s+[a-z]+)+)")
_CPU_ROW = re.compile(r"(?:total|cpu(\d+))((?:\s+\d+\.\d%)+)")
_BAR = re.compile(r":\s*(\d+(?:[.,]\d+)?)/(\d+(?:[.,]\d+)?)\s+\d+\[")
_MEMORY = re.compile(r"(?:([KMGTP])iB )?(Mem|Swap)\s?:")
_AMOUNT = re.compile(
    r"(?<!\d)(\d++(?:[.,]\d++)?)\s?([kKMGT]?)(\+?)\s?(total|used|free|buff/cache|buffers|buff?(?=,)|cached|avail|av(?=,)|shrd|shared"
    r"|Active|actv|in_[dc]|Inactive|Inact|Wired|(?-i:Cache)|Laundry|Free)\b",
    re.IGNORECASE,
)
_OLD_AMOUNT = re.compile(_AMOUNT.pattern.replace("buff?(?=,)", "buff"), re.IGNORECASE)  # procps 2: no comma at its end
_MEMORY_NAMES = {"buff/cache": "buff_cache", "buff": "buffers", "buf": "buffers", "shrd": "shared", "inact": "inactive"}
_MEMORY_NAMES |= {"av": "total", "actv": "active"}
_ACTIVE = re.compile(r"(?:Mem: )?\d+[kKMG] (?:active|actv),")
_LOADS = re.compile(r"Load average:\s+([\d.]+) ([\d.]+) ([\d.]+) (\d+)/(\d+) (\d+)")
_BSD = re.compile(
    r"last pid:\s*(\d+);\s+load averages?:\s*([\d.]+),\s*([\d.]+),\s*([\d.]+)(?:;\s+battery: \d+%)?"
    r"\s+up (\d+)\+(\d\d):(\d\d):\d\d\s+(\S+)"
)
_STARTS = re.compile(
    r"top - |\d+ processes:|Tasks:|Threads:|%?Cpu|CPU:|CPU\d* states:"
    r"|\d+%cpu|(?:[KMGTP]iB )?(?:Mem|Swap)\s?:|\s*PID\b|last pid:|Load average:"
)
_UPTIME = re.compile(r"\d\d?:\d\d(?::\d\d)?(?:[ap]m)?\s+up\s")
_LONGEST = 400  # characters that a broken line is joined to
_BSD_TASKS = re.compile(r"\d+ (?:processes|threads):")
_ARC_REST = re.compile(r"(?:[\d.]+[KMGT]?(?::1)?,?\s+)*[A-Z][a-z]+")
_ARC_MORE = re.compile(r"[\d.]+[KMGT] Compressed,")

# Titles of the columns, and the label of a summary of threads, as procps is translated.
_WORDS = {
    "Threads:": "Hilos:|Trådar:|Потоки:|스레드:|Wątki:",
    "PID": "进程号|进程",
    "USER": "UTIL.|USUARIO|USUÁRIO|UŻYTK.|ANVÄNDARE|UTILIZ.|КОР.",
    "VIRT": "WIRT",
    "RES": "REZ",
    "SHR": "WSP|DELT|M.PART",
    "%MEM": "%PAM|%MIN",
    "TIME+": "ZEIT+|TEMPS+|CZAS+|TEMPO+|TIMP+|TID+|HORA+",
    "COMMAND": "BEFEHL|COM.|KOMENDA|COMANDO|COMANDA|KOMMANDO|ORDEN",
}
_ENGLISH = {word: english for english, words in _WORDS.items() for word in words.split("|")}
_FOREIGN_WORD = re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, sorted(_ENGLISH, key=len, reverse=True)))})(?=\s|$)")
_IS_ENGLISH = re.compile(
    r"(?:Tasks|Threads): *\d+ total|%Cpu(?:\(s\)|\d+) *:.*\d *us\b|(?:[KMGTP]iB )?(?:Mem|Swap) ?:.* (?:free|used|active),"
)
_PARTS = re.compile(r"(?<=\S)\s+(?=%C\S*\s*:|[KMGTPКМГТП]i?і?[BБ]\s+[^\W\d])")  # one abreast of the other
_UNITS = "KMGTPКМГТП"
_UNIT = re.compile(rf"([{_UNITS}])[iі]?[BБ]\s")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)?")
_NO_STATE = re.compile(r"(SHR\s+)(?:日\s+)?(?=%CPU)")  # Chinese calls it by a day of the week, or by nothing


# The five lines as procps prints them, read in one match.
_USUAL_CPU = ("us", "sy", "ni", "id", "wa", "hi", "si", "st")
_SHARES = ", *".join(rf"([\d.]+) {name}" for name in _USUAL_CPU)
_USUAL = (
    r"top - (\d\d:\d\d:\d\d) up +([^\n]{0,99}?), +(\d+) users?, +load average: (\d+\.\d+), (\d+\.\d+), (\d+\.\d+)\n"
    r"(Tasks|Threads): +(\d+) total, +(\d+) running, +(\d+) sleeping, +(\d+) stopped, +(\d+) zombie *\n"
    rf"%Cpu\(s\): *{_SHARES} *\n"
    r"([KMG])iB Mem : +([\d.]+) total, +([\d.]+) free, +([\d.]+) used, +([\d.]+) buff/cache *\n"
    r"\21iB Swap: +([\d.]+) total, +([\d.]+) free, +([\d.]+) used\. +([\d.]+) avail Mem *\n"
)
_IS_USUAL = re.compile(_USUAL.replace("+", "{1,15}+").replace("*", "{0,15}+"))  # no figure is endless
_USUAL_TASK_WORDS = ("total", "running", "sleeping", "stopped", "zombie")
_USUAL_TASKS = tuple(f"tasks_{word}" for word in _USUAL_TASK_WORDS)
_USUAL_MEMORY = (
    *("mem_total_kb", "mem_free_kb", "mem_used_kb", "mem_buff_cache_kb"),
    *("swap_total_kb", "swap_free_kb", "swap_used_kb", "mem_avail_kb"),
)


def _translate_titles(line: str) -> str:
    return _NO_STATE.sub(r"\1S ", _FOREIGN_WORD.sub(lambda match: _ENGLISH[match[0]], line))


def _name_amounts(figures: list[str], is_swap: bool, is_old: bool) -> str:
    """Four of memory, or of swap below it: before 3.3.10 what is used stands first, and both make up the total."""
    total, second, third, _ = map(number, figures)
    is_old = is_old if is_swap else abs(second + third - total) <= total / 1000
    last = ("avail Mem", "cached Mem") if is_swap else ("buff/cache", "buffers")
    names = ("total", "used", "free") if is_old else ("total", "free", "used")
    return f"{'Swap' if is_swap else 'Mem'}: {', '.join(map('{} {}'.format, figures, (*names, last[is_old])))}"


def is_uptime(line: str) -> bool:
    """Whether this is as uptime prints it. procps 2 has such a line above top's tasks."""
    return line[:1].isdigit() and bool(_UPTIME.match(line))


def begins_with_tasks(lines: list[str]) -> bool:
    return bool(lines and _BSD_TASKS.match(lines[0].strip()))


class Summary:
    """The summary of one screen while it is being read.

    values  its figures by their names in the block, `cpu_per_core` apart
    cores   {"cpu_no", and its shares} of each CPU that has a line of its own
    parts   how many lines of a summary there were
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.values: dict[str, Any] = {}
        self.parts = 0
        self.cores: list[dict[str, Any]] = []
        self._cpu_titles: list[str] = []

    def take_usual(self) -> bool:
        """Take the five lines that come next, where they are as procps prints them: a log has thousands of them."""
        match = self.lines.match(_IS_USUAL, lines=5, size=1000)
        if match is None:
            return False
        try:
            self.values |= _list_usual_values(match.groups())
        except ValueError:  # "1.2.3", or an uptime in words of its own
            self.lines.take(-len(match[0]), -5)
            return False
        self.parts = 5
        return True

    def in_english(self, line: str) -> str:
        """The line as procps prints it in English, with its rest where it is translated and a mail client broke it."""
        text = self._translate(line)
        is_placed = "time" in self.values and ":" in line and not _IS_ENGLISH.match(line)
        rest = (self.lines.peek() or "").strip() if is_placed else ""
        if rest and rest[0] != "%" and not _UNIT.match(rest) and len(_FIGURE.findall(rest)) < 4:  # no line of its own
            whole = f"{line} {rest}"
            if (joined := self._translate(whole)) != whole:
                next(self.lines)
                return joined
        return text

    def _translate(self, line: str) -> str:
        """The line as procps prints it in English, wherever it is translated: its figures keep their places."""
        if "time" not in self.values or _IS_ENGLISH.match(line):
            return line if line.isascii() else _translate_titles(line)
        first, *others = _PARTS.split(line)
        return " ".join(
            [self._read_by_place(first, "mem_total_kb" in self.values), *(self._read_by_place(p, True) for p in others)]
        )

    def _read_by_place(self, part: str, is_swap: bool) -> str:
        label, colon, rest = part.replace("：", ":").partition(":")
        figures = _FIGURE.findall(rest)
        if not (label and colon and figures) or "%" in rest or label[0].isdigit():
            return _translate_titles(part)
        if rest.rstrip()[-1].isdigit() and len(figures) != len(_USUAL_TASK_WORDS):
            return part  # what the last one counts is on the next line
        if label[0] == "%" and len(figures) >= len(_USUAL_CPU):
            which = re.search(r"\d+", label)
            shares = ", ".join(map("{} {}".format, figures, _USUAL_CPU))
            return f"%Cpu{which[0] if which else '(s)'}: {shares}"
        if (unit := _UNIT.match(label)) and len(figures) == 4:
            return f"{'KMGTP'[_UNITS.index(unit[1]) % 5]}iB {_name_amounts(figures, is_swap, 'mem_buffers_kb' in self.values)}"
        if len(figures) in (4, 5) and "tasks_total" not in self.values and all(map(str.isdecimal, figures)):
            counts = ", ".join(map("{} {}".format, figures, _USUAL_TASK_WORDS))
            return f"{_ENGLISH.get(f'{label}:', 'Tasks:')} {counts}"
        return part

    def take(self, line: str) -> bool:
        """Take a line of the summary in. False where it is none, or belongs to the next screen."""
        for take in (self._take_head, self._take_tasks, self._take_cpu, self._take_memory, self._take_bsd):
            if take(line):
                self.parts += 1
                return True
        return False

    def _take_head(self, line: str) -> bool:
        if not line.startswith("top - ") and not (is_uptime(line) and begins_with_tasks(self.lines.ahead(1))):
            return False
        match = _HEAD.match(line)
        if not match:
            _, following = self.lines.take_below(lambda below: _HEAD.match(f"{line} {below}"))
            match = _HEAD.match(f"{line} {following}")
        match = match or _CUT_HEAD.match(line)
        if not match or "time" in self.values or self.parts:
            return False
        parts = match.groupdict()
        hour, _, rest = parts["time"].partition(":")
        half = parts.get("half")
        self.values["time"] = f"{int(hour) % 12 + 12 * (half == 'pm'):02}:{rest}" if half else parts["time"]
        self.values["uptime"] = match["up"].strip()
        with suppress(ValueError):  # in a shape that says no time, only the text of it is kept
            self.values["uptime_s"] = uptime_s(match["up"])
        if match["users"]:
            self.values["users"] = int(match["users"])
        loads = {"load1": "l1", "load5": "l5", "load15": "l15"}
        self.values |= {name: number(text) for name, key in loads.items() if (text := parts.get(key))}
        return True

    def _take_tasks(self, line: str) -> bool:
        if not line.startswith(("Tasks:", "Threads:")) or "tasks_total" in self.values:
            return False
        line = self._join_line(line, _TASK)
        if line.startswith("Threads:"):
            self.values["mode"] = "threads"
        for count, what in _TASK.findall(line):
            self.values[f"tasks_{what.replace('-', '_')}"] = int(count)
        return True

    def _take_cpu_table(self, line: str) -> bool:
        if titles := _CPU_TITLES.fullmatch(line):
            self._cpu_titles = titles[1].split()
            return "cpu" not in self.values
        row = _CPU_ROW.fullmatch(line) if self._cpu_titles else None
        if row is None or len(row[2].split()) != len(self._cpu_titles):
            return False
        names = [CPU_SHARES.get(title, title) for title in self._cpu_titles]
        shares = dict(zip(names, map(number, row[2].replace("%", "").split()), strict=True))
        if row[1]:
            self.cores.append({"cpu_no": int(row[1]), **shares})
        else:
            self.values["cpu"] = shares
        return True

    def _take_cpu(self, line: str) -> bool:
        if self._take_cpu_table(line):
            return True
        starts = list(_CPU_START.finditer(line))
        if not starts or starts[0].start():
            return False
        if (
            "cpu" in self.values
            or (self.cores and not starts[0][1])
            or ("states" in starts[0][0] and not _CPU.search(line))
        ):
            return False
        line = self._join_line(line, _CPU)
        starts = list(_CPU_START.finditer(line))
        for start, following in zip(starts, [*starts[1:], None], strict=True):
            self._add_cpu(start, line[start.start() : following.start() if following else None])
        return True

    def _add_cpu(self, start: re.Match[str], text: str) -> None:
        shares: dict[str, Any] = {CPU_SHARES.get(name, name): number(share) for share, name in _CPU.findall(text)}
        bar = _BAR.search(text)
        if bar and not shares:
            shares = {"us": number(bar[1]), "sy": number(bar[2])}
        which = start[1]
        if which and which != "(s)":
            self.cores.append({"cpu_no": int(which), **shares})
            return
        self.values["cpu"] = shares
        if start[0].endswith("%cpu"):
            self.values["flavour"] = "toybox"
            self.values["cpu_capacity_pct"] = float(start[0].removesuffix("%cpu"))
        elif start[0] == "CPU:" and "usr" in text:
            self.values["flavour"] = "busybox"

    def _join_line(self, line: str, wanted: re.Pattern[str]) -> str:
        """The line with its rest, where a mail client broke it: only if the rest has more of the same figures."""
        following = self._translate((self.lines.peek() or "").strip())
        whole = f"{line} {following}"
        if not following or len(line) > _LONGEST or prompt(following) is not None or _STARTS.match(following):
            return line
        own, others, all_of_it = (len(wanted.findall(text)) for text in (line, following, whole))
        if all_of_it == own or (all_of_it == own + others and not (others and wanted.match(following))):
            return line
        next(self.lines)
        return self._join_line(whole, wanted)

    def _take_memory(self, line: str) -> bool:
        if "mem_total_kb" in self.values and _ACTIVE.match(line):
            line = f"Mem: {line}"  # the second line of procps 2's
        starts = list(_MEMORY.finditer(line))
        if not starts or starts[0].start():
            return False
        if f"{starts[0][2].lower()}_total_kb" in self.values and not _ACTIVE.search(line):
            return False
        amount = _OLD_AMOUNT if " av," in line else _AMOUNT
        line = self._join_line(line, amount)
        if line.endswith("avail") and (self.lines.peek() or "").strip() == "Mem":
            next(self.lines)
        starts = list(_MEMORY.finditer(line))
        for start, following in zip(starts, [*starts[1:], None], strict=True):
            self._read_amounts(start, amount.findall(line[start.end() : following.start() if following else None]))
        return True

    def _read_amounts(self, start: re.Match[str], amounts: list[tuple[str, str, str, str]]) -> None:
        room = start[2].lower()
        for figure, suffix, cut, what in amounts:
            name = _MEMORY_NAMES.get(what.lower(), what.lower())
            key = f"mem_{name}_kb" if name in ("cached", "avail") else f"{room}_{name}_kb"
            kb = number(figure) * FACTOR_KB[(suffix or start[1] or "").lower()]
            self.values[key] = None if cut else rounded(kb, 3)

    def _take_bsd(self, line: str) -> bool:
        """busybox's load line, FreeBSD's first lines, and the count of processes that procps 2 has, too."""
        values = self.values
        if loads := _LOADS.match(line):
            for name, text in zip(("load1", "load5", "load15"), loads.groups()[:3], strict=True):
                values[name] = number(text)
            values["run_queue"], values["sched_entities"], values["last_pid"] = map(int, loads.groups()[3:])
        elif line.startswith("last pid:"):
            bsd = None if self.parts else match_joined(self.lines, line, _BSD.match)
            if bsd is None:
                return False
            values["flavour"] = "bsd"
            values["last_pid"], values["time"] = int(bsd[1]), bsd[8]
            values["load1"], values["load5"], values["load15"] = (number(t) for t in bsd.groups()[1:4])
            values["uptime_s"] = int(bsd[5]) * 86400 + int(bsd[6]) * 3600 + int(bsd[7]) * 60
        elif _BSD_TASKS.match(line) and "tasks_total" not in values:
            for count, what in _TASK.findall(line):
                values["tasks_total" if what in ("processes", "threads") else f"tasks_{what}"] = int(count)
        else:
            if values.get("flavour") != "bsd" or not (line.startswith(("ARC:", "CPU ")) or _ARC_MORE.match(line)):
                return False
            join_rest(self.lines, line, lambda more: bool(_ARC_REST.fullmatch(more)))
        return True


def _list_usual_values(groups: tuple[str, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {
        "time": groups[0],
        "uptime": groups[1],
        "uptime_s": uptime_s(groups[1]),
        "users": int(groups[2]),
        "load1": float(groups[3]),
        "load5": float(groups[4]),
        "load15": float(groups[5]),
    }
    if groups[6] == "Threads":
        values["mode"] = "threads"
    values.update(zip(_USUAL_TASKS, map(int, groups[7:12]), strict=True))
    values["cpu"] = dict(zip(_USUAL_CPU, map(float, groups[12:20]), strict=True))
    amounts = groups[21:]
    if groups[20] == "K":
        values.update(zip(_USUAL_MEMORY, map(int, amounts), strict=True))
    else:
        factor = FACTOR_KB[groups[20].lower()]
        values.update((key, rounded(float(text) * factor, 3)) for key, text in zip(_USUAL_MEMORY, amounts, strict=True))
    return values
