"""Clock times in texts: lines that show nothing but the time or the date, and when a run began and ended.

Nothing is guessed. A person who types `date` does so some time before the load and some time after it, and a prompt that
shows the time was printed when the command before it ended; so the tool's own duration is added to the exact one of them.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from parsers.blocks import Block
from parsers.prompts import prompt
from parsers.records import LoadResult

DAY_S = 86400
MAX_LINES_APART = 4  # a date further away belongs to something else
SLACK_S = 2.0  # dates have whole seconds, and a tool takes a moment to start
_MAX_LENGTH = 100
_TIME = re.compile(
    r"(?<![\d:.,])(\d{1,2})(?::|[時시点點]\s?)(\d\d)(?::|[分분]\s?)(\d\d)(?:[.,]\d{1,9})?(?![\d:])[秒초]?"
)
_RULER = " \t\r\n=-#*~_<>[](){}|+!.:;,'\"`"
_YEAR = re.compile(r"(?:19|20)\d\d|[1-3]\d{9}|\d/\d\d\b")  # in each line that shows a date
_UPTIME = re.compile(r"\s*(\d\d:\d\d:\d\d)(?: [ap]m)? up .*load averages?: [\d.,]+ [\d.,]+ [\d.,]+\s*")
_JOINED = re.compile(r"((?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d)[T_-]?([01]\d|2[0-3])([0-5]\d)([0-5]\d)Z?")
_EPOCH = re.compile(r"[1-3]\d{9}(?:[.,]\d{1,9})?")
# What `watch` prints above each screen. A wide gap in it was narrowed.
_WATCH = re.compile(r"Every \d+[.,]\d+s: (?:.*?\s{2,}(?:\S+: )?|.*\s\S+: )(?=\S)")
_HEADED = re.compile(r"[:|]\s|\s\(|\s[-–—]\s")  # between a heading's date and the rest of it
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
# Months by how their names begin in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and Russian.
_MONTHS = {
    stem: number
    for number, stems in enumerate(
        (
            *("jan ene gen sty янв", "feb fév fev lut фев", "mar mär maer mrz maar mrt мар", "apr avr abr kwi апр"),
            *("may mai maj mag mei май мая", "jun juin giu cze июн", "jul juil lug lip июл", "aug aoû ago sie авг"),
            *("sep set wrz сен", "oct okt ott out paź окт", "nov lis ноя", "dec dez déc dic gru дек"),
        ),
        start=1,
    )
    for stem in stems.split()
}
_TUESDAYS = "mar"  # mar., mardi, martes
_ENDS_IN_DATE = re.compile(
    r"(?:[(\[]\s?(?=[rmto])|,\s?|\b(?=on))(?:(?:run|measured|tested|taken)\s)?(?:on\s)?"
    r"((?:19|20)\d\d-\d\d-\d\d)(?:[ T]\d\d:\d\d(?::\d\d)?)?[)\]]?$"
)
_GIT_DATE = re.compile(r"Date: {3}\S")  # a commit's
_ZONE_BEHIND_OFFSET = re.compile(r"(?<=\d)\s*\([A-Z]{2,5}\)?\s*$")  # "+0100 (CET)", as in mails
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


class ClockSpan(NamedTuple):
    """Seconds of the day, above 86400 where the end is past midnight; None: the text does not show it."""

    start_s: float | None = None
    end_s: float | None = None


class Moment(NamedTuple):
    """What a line shows: the time as HH:MM:SS and, where that is beyond doubt, the date. Zones without an offset are UTC."""

    clock: str
    day: date | None = None
    offset: timedelta = timedelta()

    @property
    def at(self) -> datetime | None:
        if self.day is None:
            return None
        return datetime.combine(self.day, time.fromisoformat(self.clock), timezone(self.offset))


class ShownTime(NamedTuple):
    """A line that shows the time, as a prompt or by itself."""

    line: int
    second: float
    by_prompt: bool


# --- lines that show the time ------------------------------------------------------------------------------------------


def read_clock(text: str) -> str | None:
    """ "HH:MM:SS" where the line is only a date, a time or a ruler around one; an epoch is in UTC. Else None."""
    moment = read_moment(text)
    return moment and moment.clock


def read_moment(text: str) -> Moment | None:
    """What such a line shows."""
    if text.startswith("Every "):
        text = _WATCH.sub("", text[:500], count=1)
    if len(text) > _MAX_LENGTH:
        return None
    if uptime := _UPTIME.fullmatch(text):
        return _make_moment(uptime[1].split(":"))
    bare = text.strip(_RULER)
    if joined := _JOINED.fullmatch(bare):
        return _make_moment(joined.groups()[1:], day=_make_day(joined[1][:4], joined[1][4:6], joined[1][6:]))
    if _EPOCH.fullmatch(bare):
        at = datetime.fromtimestamp(int(bare[:10]), UTC)
        return Moment(f"{at:%H:%M:%S}", at.date())
    times = list(_TIME.finditer(text))
    if len(times) != 1:
        return None
    before, after = text[: times[0].start()].lstrip(_RULER), text[times[0].end() :].rstrip(_RULER)
    if label := _LABEL.match(before):
        before = before[label.end() :]
    words = _DateWords()
    after = _ZONE_BEHIND_OFFSET.sub("", after)
    if not (words.add_all(before, behind=False) and words.add_all(after, behind=True) and words.make_a_date()):
        return None
    day = None if _GIT_DATE.match(text) else words.find_day(before + after)
    return _make_moment(times[0].groups(), afternoon=words.afternoon, day=day, offset=words.offset)


def _make_moment(
    clock: Sequence[str], *, afternoon: bool | None = None, day: date | None = None, offset: timedelta = timedelta()
) -> Moment | None:
    hour, minute, second = clock
    shown = _format_clock(hour, minute, second, afternoon=afternoon)
    return Moment(shown, day, offset) if shown else None


def _make_day(year: str | int, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


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
        self._months: set[str] = set()
        self._zone = ""

    def add_all(self, text: str, *, behind: bool) -> bool:
        """Add the words before or `behind` the time; False where one is not part of any date."""
        # "11月" is a number; a day of the week in such characters adds nothing.
        western = _EAST.sub(lambda match: f" {match[1]} " if match[1] else " ", text)
        return all(self._add(token, behind) for token in _TOKEN.findall(western))

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
            self._months |= {small[:4], small[:3]} & _MONTHS.keys()
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

    @property
    def offset(self) -> timedelta:
        """From UTC, where the zone says it in figures."""
        figures = re.sub(r"\D", "", self._zone)
        hours, minutes = int(figures[:2] or 0), int(figures[2:] or 0)
        size = timedelta(hours=hours, minutes=minutes)
        return (-size if "-" in self._zone else size) if size < timedelta(days=1) else timedelta()

    def find_day(self, text: str) -> date | None:
        """The day that the words name. In which order others than the year stand says a name, a point or a number above 12."""
        years = [number for number in self._numbers if len(number) == 4]
        rest = [int(number) for number in self._numbers if len(number) != 4]
        months = {_MONTHS[stem] for stem in (self._months - {_TUESDAYS} or self._months)}
        if not years and not months and len(rest) == 3 and "/" in text:
            years, rest = [f"20{rest[2]:02}"], rest[:2]
        if len(years) != 1 or len(months) > 1 or len(rest) != 2 - len(months):
            return None
        if months:
            return _make_day(years[0], months.pop(), rest[0])
        first, second = rest
        if self._numbers[0] == years[0] or second > 12 or first == second:
            return _make_day(years[0], first, second)
        return _make_day(years[0], second, first) if "." in text or first > 12 else None


# --- runs --------------------------------------------------------------------------------------------------------------


def find_run_span(
    block: Block, result: LoadResult, values: Mapping[str, object], slot: Mapping[str, Any] | None = None
) -> ClockSpan:
    """When the block's load began and ended, as far as the text shows it.

    values  of the row, where the block is a log of several
    slot    of a remote job's run (Hints.slot), whose worker took the times
    """
    if slot and len(slot.get("clock") or ()) == 2:
        return ClockSpan(*slot["clock"])
    if logged := _read_logged_time(block, values):  # the line of a log is written when the run is over
        clock = read_clock(logged)
        return _make_span_until(seconds_of_day(clock), result.duration_s) if clock else ClockSpan()
    return _compute_span_between(*_find_times_around(block), result.duration_s)


def find_sure_span(block: Block, result: LoadResult, values: Mapping[str, object]) -> tuple[float, float] | None:
    """When the block's load went on for sure: less than its span where more time passed between the dates around it.

    Seconds of the day, above 86400 past midnight; None where the text does not show both or they leave no such time.
    """
    start, end = find_run_span(block, result, values)
    if start is None or end is None:
        return None
    above, below = _find_times_around(block)
    if above is not None and below is not None and not below.by_prompt and not _read_logged_time(block, values):
        waited = (below.second - end) % DAY_S
        start += waited if SLACK_S < waited < DAY_S - SLACK_S else 0
    return (start, end) if start < end else None


def _find_times_around(block: Block) -> tuple[ShownTime | None, ShownTime | None]:
    """The times right above the load and right below it."""
    rows = block.values.get("rows")
    if (isinstance(rows, list) and len(rows) > 1) or not (block.above or block.below):
        return None, None
    top = block.command_line or block.first
    above = [
        shown
        for shown in _find_times(block.above)
        if top - MAX_LINES_APART <= shown.line < block.first and not shown.by_prompt
    ]
    below = [shown for shown in _find_times(block.below) if block.last < shown.line <= block.last + MAX_LINES_APART]
    return above[-1] if above else None, below[0] if below else None


def _read_logged_time(block: Block, values: Mapping[str, object]) -> str:
    """What the run's row of a log begins with."""
    rows = block.values.get("rows")
    row = rows[0] if isinstance(rows, list) and len(rows) == 1 else values
    return str(row.get("date_time") or "")


def find_dates(blocks: Sequence[Block]) -> list[tuple[int, datetime]]:
    """The dates that a text shows around the blocks that were read from it, and in them, each with its line, in order.

    So is one that a heading begins with, or ends with in brackets: "2023-03-14: PHP 7.4", "PHP 7.4 (run on 2023-03-14)".
    """
    inside = ((block.first, block.values.get("date")) for block in blocks)
    around = (shown for block in blocks for shown in block.above)
    headings = {
        (block.heading_line or block.first, date)
        for block in blocks
        for heading in [block.heading or ""]
        for date in (_HEADED.split(heading, maxsplit=1)[0], *_ENDS_IN_DATE.findall(heading))
    }
    lines = chain(inside, around, headings, blocks[-1].below if blocks else ())
    return sorted((line, at) for line, text in lines if (at := _parse_date(text)) is not None)


def find_start(
    block: Block, values: Mapping[str, object], span: ClockSpan, dates: Sequence[tuple[int, datetime]]
) -> datetime | None:
    """When the block's load began: by its row of a log, or else by the last of the text's dates above it, or the first below."""
    if at := _parse_date(_read_logged_time(block, values)):
        return _compute_end(at, span)
    place = bisect_right(dates, block.first, key=itemgetter(0))
    if place:
        return _compute_start(dates[place - 1][1], span)
    return _compute_end(dates[0][1], span) if dates else None


def _parse_date(text: object) -> datetime | None:
    """The moment that such a line shows with its date. Of a monitor's heading, which has no time, noon."""
    if not isinstance(text, str) or not _YEAR.search(text):
        return None
    moment = read_moment(text) or read_moment(f"{text} 12:00:00")
    return moment.at if moment else None


def _compute_start(shown: datetime, span: ClockSpan) -> datetime:
    """When a load began that has its date above it: at that time, or at the first such time of day from then on."""
    if span.start_s is None:
        return shown
    wait_s = (span.start_s - seconds_of_day(f"{shown:%H:%M:%S}")) % DAY_S
    return shown + timedelta(seconds=0 if wait_s > DAY_S - SLACK_S else wait_s)


def _compute_end(shown: datetime, span: ClockSpan) -> datetime:
    """The same for a date that was shown when the load was over."""
    if span.start_s is None:
        return shown
    return shown - timedelta(seconds=(seconds_of_day(f"{shown:%H:%M:%S}") - span.start_s) % DAY_S)


def _compute_span_between(above: ShownTime | None, below: ShownTime | None, duration_s: float | None) -> ClockSpan:
    """From the times right above the load and right below it, and the duration that the tool prints."""
    if below is not None and below.by_prompt and duration_s is not None:  # printed the moment the load was over
        return _make_span_until(below.second, duration_s)
    if above is None:
        return _make_span_until(below.second, duration_s) if below is not None else ClockSpan()
    start = above.second
    if below is not None and duration_s is not None and (below.second - start) % DAY_S < duration_s - SLACK_S:
        return ClockSpan()  # one of them is not this load's
    if duration_s is not None:
        return ClockSpan(start, start + duration_s)
    if below is None:
        return ClockSpan(start)
    return ClockSpan(start, below.second + DAY_S * (below.second < start))


def _make_span_until(end_s: float, duration_s: float | None) -> ClockSpan:
    """The span with this end. One that began before midnight begins on the day before, and ends above 86400."""
    if duration_s is None:
        return ClockSpan(end_s=end_s)
    start_s = end_s - duration_s
    return ClockSpan(start_s + DAY_S, end_s + DAY_S) if start_s < 0 else ClockSpan(start_s, end_s)


def _find_times(lines: Sequence[tuple[int, str]]) -> list[ShownTime]:
    shown = []
    for line, text in lines:
        typed = prompt(text)
        if typed is None:
            clock = read_clock(text)
        else:  # a prompt such as "[root@web 12:33:01 ~]#", which stands before the command
            match = _TIME.search(text.rstrip().removesuffix(typed[1]))
            clock = _format_clock(*match.groups()) if match else None
        if clock:
            shown.append(ShownTime(line, seconds_of_day(clock), typed is not None))
    return shown
