"""Clock times in texts: lines that show nothing but the time, and when a run began and ended.

Nothing is guessed. A person who types `date` does so some time before the load and some time after it, and a prompt that
shows the time was printed when the command before it ended; so the tool's own duration is added to the exact one of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from parsers.reader import Block
from parsers.records import LoadResult
from parsers.transcript import prompt

DAY_S = 86400
MAX_LINES_APART = 4  # a date further away belongs to something else
SLACK_S = 2.0  # dates have whole seconds, and a tool takes a moment to start
_MAX_LENGTH = 100
_TIME = re.compile(
    r"(?<![\d:.,])(\d{1,2})(?::|[時시点點]\s?)(\d\d)(?::|[分분]\s?)(\d\d)(?:[.,]\d{1,9})?(?![\d:])[秒초]?"
)
_RULER = " \t\r\n=-#*~_<>[](){}|+!.:;,'\"`"
_UPTIME = re.compile(r"\s*(\d\d:\d\d:\d\d)(?: [ap]m)? up .*load averages?: [\d.,]+ [\d.,]+ [\d.,]+\s*")
_JOINED = re.compile(r"(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d[T_-]?([01]\d|2[0-3])([0-5]\d)([0-5]\d)Z?")
_EPOCH = re.compile(r"[1-3]\d{9}(?:[.,]\d{1,9})?")
_WATCH = re.compile(r"Every \d+[.,]\d+s: .*?\s{2,}(?:\S+: )?(?=\S)")  # what `watch` prints above each screen
_LABEL = re.compile(
    r"(?:date|now|time ?stamp|at|start(?:ed|ing)?|beg[aiu]n|end(?:ed)?|finish(?:ed)?)(?: at)?\s*[:=]?\s+", re.I
)

# The first three letters (or all two) of months and of days, as locales shorten or write them.
_NAMES = (
    "jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun "  # English
    "mär maerz mrz mai okt dez mo di mi do fr sa so die mit don fre sam "  # German
    "fév avr aoû déc jui lun mar mer jeu ven dim "  # French
    "ene abr ago dic mié jue vie sáb dom mie sab "  # Spanish
    "gen mag giu lug set ott gio "  # Italian
    "fev out dez seg ter qua qui sex mai "  # Portuguese
    "mrt mei maa din woe vri zat zon ma wo vr za zo "  # Dutch
    "sty lut kwi maj cze lip sie wrz paź lis gru pon wto śro czw pią nie pn wt śr cz pt sob nd "  # Polish
    "янв фев мар апр мая май июн июл авг сен окт ноя дек пн вт ср чт пт сб вс пон вто сре чет пят суб вос "  # Russian
    "led úno bře dub kvě čer srp zář říj pro út st čt pá ne "  # Czech
    "maj okt mån tis ons tor fre lör sön man tir lør søn maandag "  # Swedish, Danish, Norwegian
    "oca şub nis haz tem ağu eyl eki kas ara pzt sal çar per cum cts paz "  # Turkish
    "tam hel maa huh tou kes hei elo syy lok mar jou ma ti ke to pe la su "  # Finnish
    "січ лют бер кві тра чер лип сер вер жов лис гру нед пнд "  # Ukrainian
    "jan fev ian iul iun noi mie joi vin sâm dum"  # Romanian
)
_STEMS = frozenset(_NAMES.split())
_ZONE_NAMES = (
    "UTC GMT Z WET WEST CET CEST EET EEST MSK BST IST JST KST CST CDT EST EDT MST MDT PST PDT AEST AEDT NZST NZDT HKT SGT "
    "PKT WIB SAST BRT ART"
)
_ZONES = frozenset(_ZONE_NAMES.split())
_HALVES = {"am": False, "pm": True, "a.m": False, "p.m": True, "午前": False, "午後": True, "上午": False, "下午": True}
_HALVES |= {"오전": False, "오후": True}
_FILLING = frozenset(("de", "of", "the", "at", "um", "o", "uhr", "t", "kl", "г", "in"))
_EAST = re.compile(
    r"(\d+)\s*[年月日년월일][.,]?|[(（]?(?:[月火水木金土日]|[월화수목금토일])(?:曜日|曜|요일)?[)）]?|(?:星期|周|週|禮拜)[一二三四五六日天]"
)
_TOKEN = re.compile(r"(?<![\w:])(?:UTC|GMT)?[+-]\d\d?:?(?:\d\d)?(?![\w:])|[ap]\.m\b|[^\W\d_]+|\d+|\S", re.IGNORECASE)
_OFFSET = re.compile(r"(?:UTC|GMT)?[+-]\d\d?:?(?:\d\d)?")
_BETWEEN = frozenset(" .,;/-()[]'")


class Span(NamedTuple):
    """Seconds of the day, above 86400 where the end is past midnight; None: the text does not show it."""

    start_s: float | None = None
    end_s: float | None = None


class ShownTime(NamedTuple):
    """A line that shows the time, as a prompt or by itself."""

    line: int
    second: float
    by_prompt: bool


# --- lines that show the time ------------------------------------------------------------------------------------------


def read_clock(text: str) -> str | None:
    """ "HH:MM:SS" where the line is only a date, a time or a ruler around one; an epoch is in UTC. Else None."""
    if text.startswith("Every "):
        text = _WATCH.sub("", text[:500], count=1)
    if len(text) > _MAX_LENGTH:
        return None
    if uptime := _UPTIME.fullmatch(text):
        return _format_clock(*uptime[1].split(":"))
    bare = text.strip(_RULER)
    if joined := _JOINED.fullmatch(bare):
        return _format_clock(*joined.groups())
    if _EPOCH.fullmatch(bare):
        second = int(bare[:10]) % DAY_S
        return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    times = list(_TIME.finditer(text))
    if len(times) != 1:
        return None
    before, after = text[: times[0].start()].lstrip(_RULER), text[times[0].end() :].rstrip(_RULER)
    if label := _LABEL.match(before):
        before = before[label.end() :]
    words = _DateWords()
    if not (words.add_all(before, behind=False) and words.add_all(after, behind=True) and words.make_a_date()):
        return None
    return _format_clock(*times[0].groups(), afternoon=words.afternoon)


def _format_clock(hour: str, minute: str, second: str, *, afternoon: bool | None = None) -> str | None:
    hours, minutes, seconds = int(hour), int(minute), int(second)
    if afternoon is not None:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + 12 * afternoon
    if hours > 23 or minutes > 59 or seconds > 60:
        return None
    return f"{hours:02}:{minutes:02}:{min(seconds, 59):02}"


def seconds_of_day(clock: str | None) -> float:
    """The second of the day of "HH:MM:SS"; NaN where there is no clock."""
    parts = (clock or "").split(":")
    if len(parts) != 3 or not all(part.isdecimal() and part.isascii() for part in parts):
        return math.nan
    hour, minute, second = map(int, parts)
    return float(hour * 3600 + minute * 60 + second)


class _DateWords:
    """The words around a time. afternoon: as a clock of twelve hours says it, else None."""

    def __init__(self) -> None:
        self.afternoon: bool | None = None
        self._numbers: list[str] = []
        self._n_names = 0
        self._zone = ""

    def add_all(self, text: str, *, behind: bool) -> bool:
        """Add the words before or `behind` the time; False where one is not part of any date."""
        return all(self._add(token, behind) for token in _TOKEN.findall(_EAST.sub(_to_western, text)))

    def _add(self, token: str, behind: bool) -> bool:
        small = token.lower()
        if token.isdecimal():
            self._numbers.append(token)
            return len(token) in (1, 2, 4)
        if small in _HALVES:
            self.afternoon = _HALVES[small]
        elif behind and not self._zone and (_OFFSET.fullmatch(token) or (token.isupper() and 1 <= len(token) <= 5)):
            self._zone = token
        elif len(token) <= 13 and (small in _STEMS or (small[:3] in _STEMS and len(small) > 2)):
            self._n_names += 1
        else:
            return token in _BETWEEN or small in _FILLING
        return True

    def make_a_date(self) -> bool:
        """Whether there is only a time, or so much of a date beside it that no sentence looks so."""
        has_year = any(len(number) == 4 and number[:2] in ("19", "20") for number in self._numbers)
        has_known_zone = self._zone in ("", *_ZONES)
        if not self._numbers and not self._n_names:
            return has_known_zone or bool(_OFFSET.fullmatch(self._zone))
        if not self._numbers:
            return self._n_names == 1 and has_known_zone
        is_enough = has_year or self._n_names == 2 or len(self._numbers) == 3
        return is_enough and self._n_names <= 2 and len(self._numbers) <= 3


def _to_western(match: re.Match[str]) -> str:
    """ "11月" is a number; a day of the week in such characters adds nothing."""
    return f" {match[1]} " if match[1] else " "


# --- runs --------------------------------------------------------------------------------------------------------------


def find_run_span(
    block: Block, result: LoadResult, values: Mapping[str, object], slot: Mapping[str, Any] | None = None
) -> Span:
    """When the block's load began and ended, as far as the text shows it.

    values  of the row, where the block is a log of several
    slot    of a remote job's run (Hints.slot), whose worker took the times
    """
    if slot and len(slot.get("clock") or ()) == 2:
        return Span(*slot["clock"])
    rows = block.values.get("rows")
    row = rows[0] if isinstance(rows, list) and len(rows) == 1 else values
    logged = str(row.get("date_time") or "")
    if logged:  # the line of a log is written when the run is over
        clock = read_clock(logged)
        return _span_until(seconds_of_day(clock), result.duration_s) if clock else Span()
    if (isinstance(rows, list) and len(rows) > 1) or not (block.above or block.below):
        return Span()
    top = block.command_line or block.first
    above = [
        shown
        for shown in _shown_times(block.above)
        if top - MAX_LINES_APART <= shown.line < block.first and not shown.by_prompt
    ]
    below = [shown for shown in _shown_times(block.below) if block.last < shown.line <= block.last + MAX_LINES_APART]
    return _span_between(above[-1] if above else None, below[0] if below else None, result.duration_s)


def _span_between(above: ShownTime | None, below: ShownTime | None, duration_s: float | None) -> Span:
    """From the times right above the load and right below it, and the duration that the tool prints."""
    if below is not None and below.by_prompt and duration_s is not None:  # printed the moment the load was over
        return _span_until(below.second, duration_s)
    if above is None:
        return _span_until(below.second, duration_s) if below is not None else Span()
    start = above.second
    if below is not None and duration_s is not None and (below.second - start) % DAY_S < duration_s - SLACK_S:
        return Span()  # one of them is not this load's
    if duration_s is not None:
        return Span(start, start + duration_s)
    if below is None:
        return Span(start)
    return Span(start, below.second + DAY_S * (below.second < start))


def _span_until(end_s: float, duration_s: float | None) -> Span:
    """The span with this end. One that began before midnight begins on the day before, and ends above 86400."""
    if duration_s is None:
        return Span(end_s=end_s)
    start_s = end_s - duration_s
    return Span(start_s + DAY_S, end_s + DAY_S) if start_s < 0 else Span(start_s, end_s)


def _shown_times(lines: Sequence[tuple[int, str]]) -> list[ShownTime]:
    shown = []
    for line, text in lines:
        typed = prompt(text)
        clock = read_clock(text) if typed is None else _clock_of_prompt(text, typed[1])
        if clock:
            shown.append(ShownTime(line, seconds_of_day(clock), typed is not None))
    return shown


def _clock_of_prompt(text: str, command: str) -> str | None:
    """The time in a prompt such as "[root@web 12:33:01 ~]#", which stands before the command."""
    match = _TIME.search(text.rstrip().removesuffix(command))
    return _format_clock(*match.groups()) if match else None
