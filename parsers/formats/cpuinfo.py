"""cpuinfo: /proc/cpuinfo, whole or a few of its lines.

Reads     one paragraph a processor (x86, ARM, PowerPC, MIPS, ...), or what grep left of it
Yields    HostFacts
Units     cpu_mhz MHz, cache_size_kb KiB; flags, features and bugs are counted (n_flags, n_bugs)
Quirks    "cpu MHz" is the clock of the moment, not the rated one (600.000 on a 1300 MHz part)
Source    the kernel's arch/*/kernel/cpu/proc.c and setup.c
"""

from __future__ import annotations

import re
from typing import Any

from ..lines import Lines
from ..prompts import prompt
from ..records import Found, HostFacts, Problem, Record
from ..units import number

KIND = "cpuinfo"
COMMAND = r"/proc/cpuinfo"
OPENS = (
    r"Processor\s*: ARM\S* |processor\s*: \d+\s*$|vendor_id\s+: \w|model name\s+: \S"
    r"|cpu model\s+: \S|cpu MHz\s+: \d|cpu cores\s+: \d|siblings\s+: \d"
)

_LINE = re.compile(r"([A-Za-z][\w ./()-]{1,24}?)\s*:(?:\s(.*)|$)")
_KNOWN = re.compile(
    r"processor|vendor_id|cpu|model|stepping|microcode|cache|physical id|siblings|core id|apicid|initial apicid|fpu|wp|flags"
    r"|bugs|bogomips|BogoMIPS|clflush|address sizes|power management|vmx flags|TLB size|Features|CPU |Hardware|Revision|Serial"
    r"|clock|revision|timebase|platform|machine|motherboard|isa|mmu|hart|system type|wait|microsecond|tlb_entries|extra|hardware"
    r"|ASEs|shadow|kscratch|VCED|VCEI|package|core|Model|Processor|\w+_bug"
)
_SET_OFF = re.compile(r"[a-z][\w ]*\s+: ")
_WORDS = re.compile(r"[a-z0-9_]+(?: [a-z0-9_]+)*")
_COUNTED = {"flags": "n_flags", "bugs": "n_bugs", "features": "n_flags", "vmx_flags": "n_vmx_flags"}


def parse(lines: Lines, command: str | None) -> Found | None:
    return _Reading(lines).read()


class _Reading:
    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.processors: list[dict[str, Any]] = []
        self.machine: dict[str, Any] = {}
        self.problems: list[Problem] = []
        self.first = self.last = lines.number + 1
        self.counted = False
        self.board = False  # whether facts of the board have begun
        self.list_of: str | None = None  # the counted list that the line before belongs to

    def read(self) -> Found | None:
        blank: list[str] = []
        for line in self.lines:
            stripped = line.strip()
            match = _LINE.fullmatch(stripped)
            known = match and (_KNOWN.match(match[1]) or (self.counted and not blank and _SET_OFF.match(stripped)))
            if match and known and prompt(stripped) is None and self._take(match, bool(blank)):
                self.last = self.lines.number
                blank.clear()
            elif not blank and self._more_words(stripped):
                self.last = self.lines.number
            elif not stripped:
                blank.append(self.lines.raw)
            else:
                self.lines.back(*blank, self.lines.raw)
                break
        return self._finish()

    def _take(self, match: re.Match[str], after_blank: bool) -> bool:
        key = re.sub(r"\W+", "_", match[1].strip().lower()).strip("_")
        text = (match[2] or "").strip()
        current = self.processors[-1] if self.processors else None
        if key == "processor" and not self.processors and text and not text.isdigit():
            self._value(self.machine, "processor_name", text)  # old ARM: the one name of all its processors
            return True
        if key == "processor" and text.isdigit():
            if int(text) == 0 and self.counted:
                return False  # another print of the file
            self.counted, self.board = True, False
            self.processors.append({})
        elif current is None or key in current or f"{key}_kb" in current:
            if self.counted or not text:
                return False
            if current is not None and key not in current:
                return False
            self.processors.append({})
        elif (
            self.counted
            and (after_blank or self.board)
            and (key in ("hardware", "revision", "serial", "timebase", "platform", "machine") or self.board)
        ):
            self.board = True
            self._value(self.machine, key, text)  # ARM and PowerPC: facts of the board, after all processors
            return True
        self._value(self.processors[-1], key, text)
        return True

    def _more_words(self, text: str) -> bool:
        """The rest of a list of flags, where a mail client or a terminal broke its line."""
        if self.list_of is None or not _WORDS.fullmatch(text) or not 50 <= len(self.lines.before.rstrip()) <= 110:
            return False
        if self.lines.unended():
            self.problems.append(Problem(self.lines.number, f"the text ends inside {self.list_of.removeprefix('n_')}"))
            del self.processors[-1][self.list_of]
            return True
        self.processors[-1][self.list_of] += len(text.split())
        return True

    def _value(self, into: dict[str, Any], key: str, text: str) -> None:
        self.list_of = _COUNTED.get(key)
        unfinished = self.list_of or key == "cache_size" or text[:1].isdigit() or not text
        if unfinished and self.lines.unended():
            self.problems.append(Problem(self.lines.number, f"the text ends in {key}, which may be cut off"))
            return
        if key in _COUNTED:
            into[_COUNTED[key]] = len(text.split())
        elif key == "cache_size" and (size := re.fullmatch(r"(\d+) KB", text)):
            into["cache_size_kb"] = int(size[1])
        elif text:
            try:
                into[key] = number(text)
            except ValueError:
                into[key] = text

    def _finish(self) -> Found | None:
        if not self.processors:
            return None
        if not self.counted:  # grep left single lines of it: all that it printed of each key
            printed: dict[str, Any] = {}
            for key in dict.fromkeys(k for p in self.processors for k in p):
                printed[key] = [p[key] for p in self.processors if key in p]
            return Found(printed | self.machine, self.first, self.last, True, self.problems)
        values: dict[str, Any] = {"n_processors": len(self.processors)}
        packages = {p["physical_id"] for p in self.processors if "physical_id" in p}
        if packages:
            values["n_physical"] = len(packages)
        values["processors"] = self.processors
        values.update(self.machine)
        return Found(values, self.first, self.last, len(self.processors[0]) < 4, self.problems)


def records(values: dict[str, Any]) -> list[Record]:
    processors = values.get("processors")
    if isinstance(processors, list) and processors:
        first, cores = processors[0], values.get("n_processors")
    else:
        first = {key: seen[0] for key, seen in values.items() if isinstance(seen, list) and seen}
        # `grep 'model name'` prints a line a core; `grep -m1` prints one whatever the number of cores
        cores = max((len(seen) for seen in values.values() if isinstance(seen, list)), default=0)
        cores = cores if cores > 1 else None
    names = ("model_name", "cpu_model", "processor_name", "cpu")
    first = {**first, **{k: v for k, v in values.items() if k == "processor_name"}}
    model = next((first[k] for k in names if isinstance(first.get(k), str)), None)
    mhz = first.get("cpu_mhz")
    return [
        HostFacts(
            cpu_model=model,
            cores=cores if isinstance(cores, int) else None,
            mhz=float(mhz) if isinstance(mhz, int | float) else None,
        )
    ]
