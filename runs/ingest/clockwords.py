"""The words that stand beside a time in what `date` prints, in the usual locales: days, months, zones, halves of the day."""

from __future__ import annotations

import re
from typing import NamedTuple

# The first three letters (two, where the day has no more) of months and of days, as locales shorten or write them.
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


class Told(NamedTuple):
    """A date it is. afternoon: as a clock of twelve hours says it, else None."""

    afternoon: bool | None = None


class _Seen:
    def __init__(self) -> None:
        self.numbers: list[str] = []
        self.words = 0
        self.zone = ""
        self.afternoon: bool | None = None

    def take(self, token: str, *, behind: bool) -> bool:
        """Whether the token is one that dates are made of. behind: it stands behind the time."""
        plain = token.lower()
        if token.isdecimal():
            self.numbers.append(token)
            return len(token) in (1, 2, 4)
        if plain in _HALVES:
            self.afternoon = _HALVES[plain]
        elif behind and not self.zone and (_OFFSET.fullmatch(token) or (token.isupper() and 1 <= len(token) <= 5)):
            self.zone = token
        elif len(token) <= 13 and (plain in _STEMS or (plain[:3] in _STEMS and len(plain) > 2)):
            self.words += 1
        else:
            return token in _BETWEEN or plain in _FILLING
        return True

    def is_date(self) -> bool:
        """Nothing but a time, or enough of a date beside it that no sentence looks so."""
        year = any(len(number) == 4 and number[:2] in ("19", "20") for number in self.numbers)
        if not self.numbers and not self.words:
            return self.zone in ("", *_ZONES) or bool(_OFFSET.fullmatch(self.zone))
        if not self.numbers:
            return self.words == 1 and self.zone in ("", *_ZONES)
        enough = year or self.words == 2 or len(self.numbers) == 3
        return enough and self.words <= 2 and len(self.numbers) <= 3


def is_date(before: str, after: str) -> Told | None:
    """What the words around a time say, where they are a date's; None for anything else."""
    seen = _Seen()
    for text, behind in ((before, False), (after, True)):
        for token in _TOKEN.findall(_EAST.sub(_western, text)):
            if not seen.take(token, behind=behind):
                return None
    return Told(seen.afternoon) if seen.is_date() else None


def _western(found: re.Match[str]) -> str:
    """ "11月" is a number; a day of the week in signs says nothing more."""
    return f" {found[1]} " if found[1] else " "
