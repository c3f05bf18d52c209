"""Runs of lines that begin nothing: one pattern finds them as far as they go, so that none is looked at by itself.

It is made of the patterns that tell what a line begins, and matches no line that one of these would match. It need not
match all others: these are looked at one by one.
"""

from __future__ import annotations

import re
from functools import cache

from . import transcript
from .catalogue import compile_rate_labels, formats, join_openings, load_programs
from .context import BEGINS_TIME, CHANGED, SHOWN
from .gutters import GUTTER
from .patterns import find_first_characters, keep_to_line, number_names
from .prompts import ANY_PROMPT, BARE_COMMAND, PROMPT_SIGNS, SAID

# Characters of a line, and gaps in it, behind each of which an output may begin: a longer one is looked at by itself.
_LONGEST, _MOST_GAPS = 100, 8
_MOST = 500  # lines that are taken at once
_APART = " |│┃║+"  # right behind one of these an output may begin on a line that has something else before it
# A sign that is no part of what `transcript.clean` takes away, of a time, or of a list in JSON
_SIGN = (
    rf'[^\w\s<&^\[{{:"{_APART}\x00-\x1f\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]'
    r"|<(?![A-Za-z/!])|&(?![#A-Za-z])|\^(?![\[CZ\\])|\[(?![\dHK])|\{(?!noformat|code|quote|panel|color)"
    r'|:(?!(?<=\d:) ?\d)|"(?!: \[)'
)
# Anywhere on a line, beside rates: of a time, of codes, and of a report behind another program's output.
_SIGNS = ("時", "时", "点", "點", "ESC", "//", "ApacheBench", "** SIEGE", "...end", "top - ")


@cache
def compile_plain_lines() -> re.Pattern[str]:
    """Lines, with their ends, of which none begins an output, is a prompt, or tells a rate or a time.

    None is empty, and none is followed by the same line.
    """
    prompt = rf"(?:(?=[^\n{PROMPT_SIGNS}]*+[{PROMPT_SIGNS}])|(?={BARE_COMMAND.pattern}))(?:{ANY_PROMPT.pattern})"
    output = rf"(?:{join_openings()}|(?=[$#%\[(❯➜]){prompt})"
    quoting = rf"(?= *[^\w\s])(?>{transcript.QUOTING.pattern})"
    start = (
        rf"--- |==|(?:=+|-+) *$|\[pod/|[\w.-]{{1,80}} +\||(?P<line>[^\n]*\n)(?P=line)|{transcript.STAMP.pattern}"
        rf"|{BEGINS_TIME.pattern}|{CHANGED.pattern}|\s*(?:{SHOWN.pattern}|{transcript.FILE_HEAD.pattern})|(?i:{SAID.pattern})"
        rf"|(?: *`?|{quoting}){prompt}|(?: *|(?:{quoting}|(?>{GUTTER.pattern}))(?<![{_APART}])){output}"
    )
    names = "|".join(map(re.escape, sorted(load_programs())))
    word = rf"(?!(?:{names})(?![\w-]))\w++|[{_APART}](?:(?= )|(?!{output}))|{_SIGN}"
    # Wide signs are narrowed, and with a blank at a line's end patterns do not see that it ends.
    few_words = (
        rf"(?=[^\n\uff01-\uff5e]{{1,{_LONGEST}}}(?<! )\n)(?!\s*\n)(?=(?:[^ \n]*+ ++){{0,{_MOST_GAPS}}}+[^ \n]*+\n)"
    )
    line = rf"{few_words}(?!{start}){_exclude_rates()}(?:{word})++"
    return re.compile(rf"(?:{number_names(keep_to_line(line))}\n){{1,{_MOST}}}+", re.MULTILINE)


def _exclude_rates() -> str:
    """What matches a line without any text that one has that tells a rate."""
    needs = dict.fromkeys(need for form in formats().values() for need in form.needs)
    texts = [*map(_ignore_case, needs), *map(re.escape, _SIGNS), compile_rate_labels().pattern]
    first = "".join(
        sorted(
            find_first_characters("|".join(texts))
            | {case(need[0]) for need in (*needs, *_SIGNS) for case in (str.lower, str.upper)}
        )
    )
    return rf"(?=(?:[^{re.escape(first)}\n]++|(?!{'|'.join(texts)})[^\n])*+\n)"


def _ignore_case(text: str) -> str:
    return "".join(f"[{sign}{sign.upper()}]" if sign.isalpha() else re.escape(sign) for sign in text)
