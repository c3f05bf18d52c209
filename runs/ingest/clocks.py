"""What time it was: lines that say nothing else, and when a run began and ended by the clock that its text shows.

Nothing is guessed. A person who types `date` does so some time before the load and some time after it, and a prompt that
shows the time was printed when the command before it ended; so a tool's own duration is laid against what is exact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from parsers import Block, LoadResult
from parsers.transcript import prompt

from .clockwords import is_date

DAY_S = 86400
NEAR = 4  # lines: a date further away is that of something else
SLACK_S = 2.0  # dates have whole seconds, and a tool takes a moment to start
_LONGEST = 100
_TIME = re.compile(
    r"(?<![\d:.,])(\d{1,2})(?::|[時시点點]\s?)(\d\d)(?::|[分분]\s?)(\d\d)(?:[.,]\d{1,9})?(?![\d:])[秒초]?"
)
_RULER = " \t\r\n=-#*~_<>[](){}|+!.:;,'\"`"
_UPTIME = re.compile(r"\s*(\d\d:\d\d:\d\d)(?: [ap]m)? up .*load averages?: [\d.,]+ [\d.,]+ [\d.,]+\s*")
_JOINED = re.compile(r"(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d[T_-]?([01]\d|2[0-3])([0-5]\d)([0-5]\d)Z?")
_EPOCH = re.compile(r"[1-3]\d{9}(?:[.,]\d{1,9})?")
_WATCH = re.compile(r"Every \d+[.,]\d+s: .*?\s{2,}(?:\S+: )?(?=\S)")  # what `watch` prints above each look
_LABEL = re.compile(
    r"(?:date|now|time ?stamp|at|start(?:ed|ing)?|beg[aiu]n|end(?:ed)?|finish(?:ed)?)(?: at)?\s*[:=]?\s+", re.I
)


class Span(NamedTuple):
    """Seconds of the day, the end of what passes midnight above 86400; None: the text does not tell."""

    start_s: float | None = None
    end_s: float | None = None


class Stamp(NamedTuple):
    line: int
    second: float
    by_prompt: bool


def clock_in(text: str) -> str | None:
    """ "HH:MM:SS" where the line is only a date, a time or a ruler around one; an epoch is told in UTC. Else None."""
    if text.startswith("Every "):
        text = _WATCH.sub("", text[:500], count=1)
    if len(text) > _LONGEST:
        return None
    if uptime := _UPTIME.fullmatch(text):
        return _clock(*uptime[1].split(":"))
    bare = text.strip(_RULER)
    if joined := _JOINED.fullmatch(bare):
        return _clock(*joined.groups())
    if _EPOCH.fullmatch(bare):
        second = int(bare[:10]) % DAY_S
        return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    times = list(_TIME.finditer(text))
    if len(times) != 1:
        return None
    found = times[0]
    before, after = text[: found.start()].lstrip(_RULER), text[found.end() :].rstrip(_RULER)
    if label := _LABEL.match(before):
        before = before[label.end() :]
    told = is_date(before, after)
    return _clock(*found.groups(), afternoon=told.afternoon) if told else None


def _clock(hour: str, minute: str, second: str, *, afternoon: bool | None = None) -> str | None:
    hours, minutes, seconds = int(hour), int(minute), min(int(second), 60)
    if afternoon is not None:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + 12 * afternoon
    if hours > 23 or minutes > 59 or int(second) > 60:
        return None
    return f"{hours:02}:{minutes:02}:{min(seconds, 59):02}"


def seconds(clock: str) -> float:
    """Seconds of the day of "HH:MM:SS"."""
    hour, minute, second = clock.split(":")
    return float(int(hour) * 3600 + int(minute) * 60 + int(second))


def of_run(
    block: Block, result: LoadResult, values: Mapping[str, object], slot: Mapping[str, Any] | None = None
) -> Span:
    """When the block's load began and ended, as far as the text tells.

    values  of the row, where the block is a log of several
    slot    of a remote job's run (Hints.slot): its worker was there
    """
    if slot and len(slot.get("clock") or ()) == 2:
        return Span(*slot["clock"])
    rows = block.values.get("rows")
    row = rows[0] if isinstance(rows, list) and len(rows) == 1 else values
    logged = str(row.get("date_time") or "")
    if logged:  # siege writes its line when it is done
        clock = clock_in(logged)
        return _from_end(seconds(clock), result.duration_s) if clock else Span()
    if isinstance(rows, list) and len(rows) > 1:
        return Span()
    top = block.command_line or block.first
    above = [stamp for stamp in _stamps(block.above) if top - NEAR <= stamp.line < block.first and not stamp.by_prompt]
    below = [stamp for stamp in _stamps(block.below) if block.last < stamp.line <= block.last + NEAR]
    return span(above[-1] if above else None, below[0] if below else None, result.duration_s)


def span(above: Stamp | None, below: Stamp | None, duration_s: float | None) -> Span:
    """From what stands right above the load and right below it, and what the tool says it took."""
    if below is not None and below.by_prompt and duration_s is not None:  # printed the moment the load was over
        return _from_end(below.second, duration_s)
    if above is None:
        return Span(end_s=below.second) if below and below.by_prompt else _by_hand(below, duration_s)
    start = above.second
    if below is not None and duration_s is not None and (below.second - start) % DAY_S < duration_s - SLACK_S:
        return Span()  # one of them is not this load's
    if duration_s is not None:
        return Span(start, start + duration_s)
    if below is None:
        return Span(start)
    return Span(start, below.second + DAY_S * (below.second < start))


def _by_hand(below: Stamp | None, duration_s: float | None) -> Span:
    return Span() if below is None else _from_end(below.second, duration_s)


def _from_end(end: float, duration_s: float | None) -> Span:
    """The span that ends then; one that began before midnight begins on the day before, and ends above 86400."""
    if duration_s is None:
        return Span(end_s=end)
    start = end - duration_s
    return Span(start + DAY_S, end + DAY_S) if start < 0 else Span(start, end)


def _stamps(lines: Sequence[tuple[int, str]]) -> list[Stamp]:
    found = []
    for line, text in lines:
        typed = prompt(text)
        clock = clock_in(text) if typed is None else _clock_of_prompt(text, typed[1])
        if clock:
            found.append(Stamp(line, seconds(clock), typed is not None))
    return found


def _clock_of_prompt(text: str, command: str) -> str | None:
    """The time in a prompt such as "[root@web 12:33:01 ~]#", which stands before what was typed."""
    before = text.rstrip().removesuffix(command)
    found = _TIME.search(before)
    return _clock(*found.groups()) if found else None
