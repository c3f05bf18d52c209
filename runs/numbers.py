"""How figures are written (four significant figures, counts whole, deltas with an arrow and a word), lists and long names."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from statistics import fmean

SIGNIFICANT = 4
BETWEEN = " · "  # a heading and a name below it
MAYBE_WIDE = re.compile("[\u1100-\u115f\u231a-\U0003ffff]")  # no other letter takes two columns
# Beyond these no tool prints anything sound; a row of noughts would hide how far off it is.
LEAST_PLAIN, MOST_PLAIN = 1e-9, 1e16
HUGE = 1e300
# Words for "above the baseline" and "below it", by the kind of quantity.
AS_MANY = {"rate": "as many", "time": "as long", "amount": "as much"}
# From this ratio on "times as many" is said: "33 × more" may be 33 or 34 times as many, so it is not.
TIMES_FROM = 1.995  # what is written as 2.0
WORDS = {"rate": ("more", "fewer"), "time": ("longer", "shorter"), "amount": ("more", "less")}


@lru_cache(maxsize=4096, typed=True)  # a page writes the same figure in its tables and charts
def figure(value: float | None) -> str:
    """`value` to four significant figures, none more than it has: 617.01 -> "617.0", 8.96 -> "8.96", None -> "–".

    Whole numbers are counts and stay exact: 172849 -> "172,849". Halves round up, as on paper: 887.55 -> "887.6".
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞"
    if isinstance(value, float):
        value = float(f"{value:.12g}")  # 7.000000000000001 is a sum's rounding and no figure
    if isinstance(value, float) and value and not LEAST_PLAIN < abs(value) < MOST_PLAIN:
        return f"{value:.{SIGNIFICANT}g}".replace("-", "−")
    if value == int(value) and (isinstance(value, int) or abs(value) < 10**SIGNIFICANT):
        return f"{int(value):,}".replace("-", "−")
    exact = Decimal(repr(value))
    decimals = max(SIGNIFICANT - 1 - exact.adjusted(), 0)
    digits = int(exact.as_tuple().exponent)
    return f"{_half_up(exact, min(decimals, max(-digits, 0))):,f}".replace("-", "−")


def figure_or_word(value: object) -> str:
    """A number as a figure, a word as it is."""
    return figure(value) if isinstance(value, (int, float)) else str(value)


def with_unit(value: object, unit: str) -> str:
    """A number with its unit (" ms"), a word without."""
    return figure_or_word(value) + (unit if isinstance(value, (int, float)) else "")


def write_against(own: object, other: object, unit: str) -> str:
    """ "100 against 50 ms", "1 s against none"."""
    is_measured = isinstance(own, (int, float)) and isinstance(other, (int, float))
    return f"{with_unit(own, '' if is_measured else unit)} against {with_unit(other, unit)}"


def _half_up(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)


def mean(values: Sequence[float]) -> float:
    """Of one or more; infinite or no number where they are, or where their sum is beyond what a number holds."""
    return fmean(values) if max(map(abs, values)) < HUGE else sum(values) / len(values)


@dataclass(frozen=True, slots=True)
class Delta:
    """How a value stands to the baseline's. `ratio` is value / baseline."""

    ratio: float
    arrow: str
    text: str
    word: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.arrow, self.text, self.word)))


def delta(value: float | None, base: float | None, kind: str) -> Delta | None:
    """`value` against `base` in words: "▲ 17 % more", "▲ 33 × as many", "= equal"; None where no ratio exists."""
    if value is None or not base:
        return None
    ratio = value / base
    if not math.isfinite(ratio):
        return None
    if abs(ratio - 1) < 0.0005:  # what would be written as 0.0 %
        return Delta(ratio, "=", "", "equal")
    above, below = WORDS[kind]
    arrow, word = ("▲", AS_MANY[kind] if ratio >= TIMES_FROM else above) if ratio > 1 else ("▼", below)
    return Delta(ratio, arrow, f"{times(ratio)} ×" if ratio >= TIMES_FROM else share_words(abs(ratio - 1)), word)


def signed(change: Delta) -> str:
    """For beside a value: "+7.6 %", "2.5 ×"."""
    return change.text if "×" in change.text else f"{'+' if change.ratio > 1 else '−'}{change.text}"


def percent(part: float, whole: float) -> str:
    """`part` of `whole` in per cent: "17.3 %", never "0 %" for something or "100 %" for not all."""
    if not whole or not math.isfinite(part / whole):
        return "–"
    share = 100 * part / whole
    if abs(share) >= 1e9:  # no share of anything
        return f"{figure(share)} %"
    if 0 < share < 0.1:
        return "under 0.1 %"
    if 99.9 < share < 100:
        return "over 99.9 %"
    return f"{figure(float(_half_up(Decimal(repr(share)), 1)))} %"


def spread_words(ratio: float) -> str:
    """As "42 %" or "2.4 times"."""
    return f"{times(ratio)} times" if ratio >= TIMES_FROM else share_words(ratio - 1)


def share_words(part: float) -> str:
    """A part of 1 in per cent: "30 %", "9.5 %", "0.3 %"."""
    change = part * 100
    # One decimal where whole per cents would hide a difference: near none, and near all.
    digits = 1 if abs(change) < 9.95 or 99 < abs(change) < 100 else 0
    return f"{change:.{digits}f} %".replace("-", "−")


def times(ratio: float) -> str:
    """As in the table: "2.8", "33"."""
    return f"{ratio:,.{0 if ratio >= 10 else 1}f}"


def write_count(n: float, word: str) -> str:
    """As "1 run", "2 processes"."""
    return f"{figure(n)} {word}{'' if n == 1 else 'es' if word.endswith('s') else 's'}"


def join_words(words: Sequence[str], most: int | None = None) -> str:
    """As "a", "a and b", "a, b and c"; of more than `most`, the last ones are counted: "a, b and 2 more"."""
    if most and len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def name_first(words: Sequence[str], most: int, between: str = ", ") -> str:
    """As "a, b and 3 more"; at most so many by name."""
    return between.join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def capitalize(words: str) -> str:
    """With the first letter in upper case, and the others as they are."""
    return words[:1].upper() + words[1:]


def cut_name(name: str, most: int) -> str:
    """`name` cut to about `most` letters, the end kept too: names often differ in their last word only.

    Of a name under a heading ("heading · name") the heading is cut, as long as the name leaves room for some of it.
    """
    if count_columns(name) <= most:
        return name
    heading, between, last = name.rpartition(BETWEEN)
    left = most - count_columns(between + last)
    if heading and left >= most // 3:
        return f"{cut_name(heading, left)}{between}{last}"
    width, kept, end = count_columns(name), 0, len(name)
    while end > 1 and kept < most // 3:
        end -= 1
        kept += count_columns(name[end])
    head = end
    while head > 1 and width >= most:
        head -= 1
        width -= count_columns(name[head])
    return f"{name[:head].rstrip()}…{name[end:].lstrip()}"


def count_columns(words: str) -> int:
    """Letters as wide as in Latin script; a Chinese or Japanese one takes two."""
    wide = [] if words.isascii() else MAYBE_WIDE.findall(words)
    return len(words) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in wide)
