"""What a text has around the tools' output: markup to clean away, prompts, prose, elisions.

Text reaches us through terminals, mail clients, web pages and wikis. `clean` takes away what they add to a line; the
patterns below tell the lines that no tool printed apart.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

# --- cleaning one line -------------------------------------------------------------------------------------------------
_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # window titles
    r"|\x1b[()][0-9A-B]"
    r"|\x1b[@-Z\\^_=>78]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_LOST_ANSI = re.compile(  # the escape character did not survive the copy
    r"\[\d{1,3}(?:;\d{1,3})*m|^(?:\[H)?(?:\[\d{1,3}(?:;\d{1,3})?[HJK])+|^\[H(?:\[J)?(?=top - |Mem:|last pid)|\[K$"
)
# Keys and codes that the terminal or a pager showed: "^[[C", "ESC[2J".
_SHOWN = re.compile(r"(?:\^\[|ESC)(?:\[[\d;?]{0,9}[A-Za-z~]|O[A-D])|^\^[CZ\\](?=\S)")
_TAG = re.compile(
    r"^\s*<!--+|^\s*(?:<details[^<>]*>\s*)?<summary>|</summary>|"  # elsewhere <summary> is jmeter's name of its own
    r"</?(?:a|b|i|u|s|p|br|em|tt|td|th|tr|ul|ol|li|hr|h[1-6]|pre|div|code|font|kbd|samp|span|strong|small|big|table|"
    r"tbody|thead|center|blockquote|details|figure|figcaption|del|ins|sub|sup|source|syntaxhighlight|nowiki)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_MACRO = re.compile(r"\{(?:noformat|code|quote|panel|color)(?::[^{}]{0,80})?\}")  # of Jira and Confluence
# Of forums: where code and quotations begin or end, and what is emphasised
_BBCODE = re.compile(
    r"\[/?(?:code|quote|pre|noparse)(?:=[^\[\]]{0,80})?\]"
    r"|\[(?P<tag>b|i|u|size|color|url)(?:=[^\[\]]{0,80})?\](?=(?P<text>[^\[\]]{0,200}))(?P=text)\[/(?P=tag)\]",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^\s*<h([1-6])(?:\s[^<>]{0,200})?>\s*(?=[^\s<].*</h\1>\s*$)", re.IGNORECASE)
_SUMMARY = re.compile(
    r"^\s*(?:<details[^<>]{0,99}>\s*)?<summary>\s*(?=\S.*</summary>\s*$)", re.IGNORECASE
)  # of what is folded
# Around a line of a report, its label or its figure: "`Requests/sec: 2661.16`", "**Requests/sec:** 2661.16", "... **2661.16**"
_CODE_LINE = re.compile(r"^(\s*)(`|\*\*)([A-Z][^:`*]{2,40}:\s[^`*\d]*+\d[^`*]*+)\2\s*$")
_LABEL = re.compile(r"^(\s*)(\*\*|`)([A-Z][^:`*]{2,40})(?:\2:|:\2)(?=\s+[*`]{0,2}\d)")
_BOLD_FIGURE = re.compile(r"(?<=:)(\s+)(\*\*|`)(\d[^`*]{0,60})\2")
_STRUCK = re.compile(r"<(?P<tag>del|s|strike)>[^<]{1,200}</(?P=tag)>", re.IGNORECASE)  # taken back
_CELL = re.compile(r"</?(?:td|th|tr)(?:\s[^<>]*)?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_SPACES: dict[int, str | None] = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_SPACES |= dict.fromkeys([0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF, 0xAD], None)
_SPACE = re.compile(f"[{''.join(map(chr, _SPACES))}]")  # most lines have none, and to translate one takes long
# Of an output that was pasted through an input method or an office program. In prose of other letters they stay.
_FULL_WIDTH = re.compile("[\uff01-\uff5e]")
_OTHER_LETTER = re.compile("[^\\W\\d_A-Za-zµμ]")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]")
_MOST_IN_A_ROW = 200
_ENDLESS = re.compile(rf"(?<!\d)\d{{{_MOST_IN_A_ROW},}}")  # no figure: an int of it would be none that a float holds
# In no layout; many patterns try each blank as their beginning.
_WIDE_GAP = re.compile(rf"(?<!\s)\s{{{_MOST_IN_A_ROW},}}")
USUAL = 256  # characters of a line that are taken as they are


def clean(raw: str) -> str:
    """One line without its line end, colours, web-page spaces and HTML leftovers."""
    line = raw.rstrip("\r\n")
    if "\r" in line:  # a progress line that was written over: the last writing is what the terminal showed
        line = line.rsplit("\r", 1)[1]
    if not line.isascii():
        if _SPACE.search(line):
            line = line.translate(_SPACES)
        if _FULL_WIDTH.search(line) and not _OTHER_LETTER.search(narrow := line.translate(_NARROW)):
            line = narrow
    if "\x1b" in line or "\x9b" in line:
        line = _ANSI.sub("", line)
    if "[" in line:
        if "^" in line or "ESC" in line:
            line = _SHOWN.sub("", line)
        line = _LOST_ANSI.sub("", line)
        if "]" in line:
            line = _BBCODE.sub(lambda match: match["text"] or "", line)
    elif line[:1] == "^":
        line = _SHOWN.sub("", line)
    if "<" in line and _TAG.search(line):
        line = _HEADING.sub(
            lambda match: f"{'#' * min(int(match[1]) + 1, 6)} ", line
        )  # with one "#" begin comments, too
        line = _SUMMARY.sub("###### ", line)
        line = _TAG.sub("", _CELL.sub(" ", _STRUCK.sub("", line)))
    if ("**" in line or "`" in line) and ":" in line:
        line = _LABEL.sub(r"\1\3:", _CODE_LINE.sub(r"\1\3", line))
        line = _BOLD_FIGURE.sub(r"\1\3", line)
    if "{" in line:
        line = _MACRO.sub("", line)
    if "\x08" in line:
        line = _take_back(line)
    if "&" in line:
        line = _ENTITY.sub(lambda match: _unescape(match[0]), line)
    if not line.isprintable():
        line = _CONTROL.sub("", line)
    if len(line) < _MOST_IN_A_ROW:
        return line
    return _WIDE_GAP.sub(" ", _ENDLESS.sub("?", line))  # signs between them are gone by now


@lru_cache(maxsize=256)
def _unescape(entity: str) -> str:
    return html.unescape(entity).translate(_SPACES)


def _take_back(line: str) -> str:
    """The line without the characters that a backspace took back."""
    kept: list[str] = []
    for sign in line:
        if sign != "\x08":
            kept.append(sign)
        elif kept:
            kept.pop()
    return "".join(kept)


def needs_cleaning(raw: str) -> bool:
    """False for the plain lines that make up nearly every text; cheap, because every line is asked."""
    return (
        not raw.isascii()
        or "\x1b" in raw
        or "\r" in raw
        or "<" in raw
        or "`" in raw
        or "**" in raw
        or "&" in raw
        or "\x08" in raw
        or "^" in raw
        or ("{" in raw and _MACRO.search(raw) is not None)
        or (
            "[" in raw
            and (raw[0] == "[" or "[/" in raw or "[code" in raw or "[0m" in raw or "[K" in raw or "ESC[" in raw)
        )
    )


_REMARK = re.compile(r"\s+(?![\d.,]|[kKMGTm%µ]\w{0,3}(?:\W|$))|(?<=[\w%)])(?=[\[(（【<←#*!;~…→]|\.\.)")
_CHANGED = re.compile(r"\d\s?(?:\S{1,8}\s)?(?:->|=>|→|⇒)\s?[~≈]?\d")  # "40.70 -> 178.30"
_LONGEST_REMARKED = 300  # columns
_MOST_REMARKS = 16  # places in a line where a remark may begin
Result = TypeVar("Result")


def tells_figure_change(text: str) -> bool:
    """Whether a text tells that a figure became another one: "40.70 -> 178.30"."""
    return _CHANGED.search(text) is not None


def read_remarked(line: str, read: Callable[[str], Result | None]) -> Result | None:
    """What `read` makes of the line, else of as much of it as stands before somebody's remark ("1089.45 <-- wow").

    What goes on with a figure or with a unit is no remark: it might belong to the figure before. Neither is an arrow to another
    figure: both are of runs that stand elsewhere.
    """
    whole = read(line)
    if whole is not None or len(line) > _LONGEST_REMARKED or tells_figure_change(line):
        return whole
    ends = [match.start() for match in _REMARK.finditer(line)][-_MOST_REMARKS:]
    return next((part for end in reversed(ends) if (part := read(line[:end])) is not None), None)


# --- logs ------------------------------------------------------------------------------------------------------------
STAMP = re.compile(
    r"\ufeff?(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE][ +]| |$)"
    r"(?!\S+/[A-Z]{4,8}/)"  # CI services, but no program's own lines: "[time] host/INFO/locust.main: Starting"
    r"|\[\d\d:\d\d:\d\d(?:\.\d{1,9})?\](?: |$)|\d\d:\d\d:\d\d  (?=\S)(?![A-Z]{1,5}\s+(?:[A-Z]{2,}|all|-?\d))"
    r"|\d\d:\d\d:\d\d\.\d{3,9}(?: |$)"
    r"|#\d{1,4} \d{1,6}\.\d{1,3} "  # docker build
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: |$))"  # ts, syslog
)
# Behind the time of syslog. Without a process number it may be a label of the text: "start time: 12".
_SENDER = re.compile(r"[\w.-]{1,80} [\w./-]{1,80}(?P<pid>\[\d{1,9}\])?:(?: |$)")
STAMP_SIGNS = "[#0123456789JFMASOND\ufeff"


def find_stamp(line: str) -> int:
    """The length of what a log has before each of its lines: a time, mostly; 0 where nothing like that stands there."""
    match = STAMP.match(line) if line and line[0] in STAMP_SIGNS else None
    return match.end() if match else 0


def find_sender(line: str, at: int) -> tuple[str, bool]:
    """The host and program that syslog writes behind a time that ends `at`, or "", and whether a process number makes it sure."""
    match = _SENDER.match(line, at) if at and line[0].isalpha() else None
    return (match[0], bool(match["pid"])) if match else ("", False)


# --- quoting -----------------------------------------------------------------------------------------------------------
# Signs that mail clients, comments, lists and tables put before a line. "%" and "$" are not among them: they are prompts;
# the two stars of siege's banner, the dashes of Gatling's and the "#" of fortio's histograms are their own.
QUOTING = re.compile(
    r"(?:\s+|>+|\||(?!# (?:target \d|range, mid ))#+(?=\s|$|[A-Z%]|top - )|`{3}(?=[A-Z*$])|\[(?:code|pre|quote)(?:=[^\]]{1,40})?\]"
    r"|//+|(?!\*\* (?:(?i:siege)|Preparing))\*+(?=\s|$)|(?!-+ Global )--+\s|-\s|;+\s"
    r"|[•・●○■□◆◇▪‣·※→]|\d{1,2}[.)]\s)*"
)

LIST_MARK = re.compile(r"(?<![^\s>|])(?:[-*]|\d{1,2}[.)])\s+\Z")  # at the end of such signs


def unquote(line: str, prefix: str) -> str:
    """`line` without the quoting that the block's first line had; a line that lacks it is left as it is."""
    if line.startswith(prefix):
        return line[len(prefix) :]
    bare = prefix.rstrip()
    if bare and line.startswith(bare):
        return line[len(bare) :]
    bare = bare.lstrip()
    stripped = line.lstrip()
    return stripped[len(bare) :] if bare and stripped.startswith(bare) else line


# --- other lines that no tool printed ----------------------------------------------------------------------------------
_LEFT_OUT = r"(?i:略|中略|省略|省略部分输出|以下略|後略|前略|snip|snipped|cut|etc\.?|truncated|output omitted|omitted)"
_DOTS = r"(?:\.{2,}|…+|⋮|\.\s\.\s\.)"  # not "~~~": that is a Markdown fence
_ELISION = re.compile(
    rf"[\[(<{{（［〈~-]*\s*(?:{_DOTS}\s*{_LEFT_OUT}?\s*{_DOTS}?|{_LEFT_OUT}\s*{_DOTS}?)\s*[\])>}}）］〉~-]*|[:：︙]"
)
INLINE_CODE = re.compile(r"`{1,3}([^`]+)`{1,3}[:：]?")
_RULE = re.compile(r"[\W_]+")
_CODE_WORD = re.compile(
    r"(?:import|from\s\S+\simport|def|class|return|elif|else:|var|let|const|function|public|private|static|#include|"
    r"printf|print|assert|raise|try:|except)\b|https?://\S+$"
)
_ARROW = re.compile(r"(?:={1,10}|-{1,10})>\s+(?=\w)")  # before what a script says: "==> nginx"
_CODE_SIGN = re.compile(r"[;{}()\[\]<>=@]")  # no other code is without one of these, and most prose is
_CODE = re.compile(
    r".*[;{}]|[})\]].*|<[?!/]?\w.*>?|.*(?:=>|->|:=|==|\(\)).*"
    r"|[\w.\[\]'\"]+\s*=\s*(?:[\[({'\"]|u['\"]|new\s|function\b).*|@\w[\w.]*(?:\(.*\))?|\(r?['\"].*"
    r"|(?!\S*\.(?:conf|cnf|ini|txt|log|ya?ml|sh)\()[A-Za-z_$][\w$]*(?:\.[\w$]+)+\([^()]*\)|[\w$]+ [+*/-]= \S.*"
)
_VALUE = r"(?:\d[\w.%]*|(?i:on|off|yes|no|true|false|auto)\b)"
_FIGURE = r"[rqt]ps|latency|rate|time|throughput|requests?|mean|avg|median|memory|rss|cpu|errors?|total|run|test|step"
# "worker_processes 1 => 2;", "KeepAlive On -> KeepAlive Off", of a technical name or alone in its line: "# workers: 1 -> 2".
CHANGE = re.compile(
    rf"(?P<before>(?:^\W{{0,6}}(?:(?i:(?:up|down)graded|changed|set|switched)\s)?(?!(?i:{_FIGURE})\b)(?=[A-Za-z]++\W.{{3,40}}$)|"
    r"(?<![\w/.-])(?=\w*(?:_|[a-z][A-Z]|\.\w)))(?P<key>[A-Za-z]\w*(?:[.-]\w+)*)"
    rf"(?:\s?[=:]\s?|\s(?:from\s)?))(?P<old>{_VALUE});?(?P<arrow>\s*(?:[=-]>|[→⇒])\s*(?:(?P=key)[\s=:]+)?)(?P<new>{_VALUE})"
)
# What most headings are: no sign or word in it is one of a prompt, a time, code or an elision.
_PLAIN = re.compile(
    rf"(?!{_LEFT_OUT}|lscpu$|nproc$|{_CODE_WORD.pattern})"
    r"(?:[A-Z][A-Za-z0-9 ,.'-]{1,199}:?|[A-Za-z]{1,40}|\d{1,7}"
    r"|(?!(?:sudo|time|top|ps|busybox|toybox|cat|e?grep|echo|free|uname) |.* run )[a-z][A-Za-z0-9 ,]{1,199}:?)\n?"
)
# And a banner: "===WARM-UP===".
_WIKI_TITLE = re.compile(
    r"(={1,40}) [^={};]+ \1|(={2,40}) [^={};]([^{};]*[^={};])? \2|={3,60} ?[\w-][^={}();<>]*={3,60}"
)
_SECTION = re.compile(r"#{2,6}\s.*\w.*")  # "## Mono on Schedulers.elastic()"
# What stands above a file that is shown among others: tail's "==> a.txt <==", bat's "File: a.txt".
FILE_HEAD = re.compile(r"==> (?P<path>\S[^<>]{0,200}) <==|│?\s*File: (?P<shown>\S{1,200})")
# A file below /proc or /sys, with the colon that `grep . FILE...` puts between it and each of its lines.
KERNEL_FILE = r"(?:/(?:proc|sys)/[\w./@:\\-]{1,300}:)"
_IN_KERNEL_FILE = re.compile(rf"({KERNEL_FILE})(?=\S)(.*)")
FENCES = ("```", "~~~", "#+begin_", "#+end_", "#+BEGIN_", "#+END_", "{{{", "}}}", "\\begin{", "\\end{")
MAX_HEADING = 500


def split_path(text: str) -> tuple[str, str]:
    """(path, line of the file) of a line that grep prints of a kernel's file; the path is "" where the line has none."""
    match = _IN_KERNEL_FILE.fullmatch(text)
    return (match[1][:-1], match[2]) if match else ("", text)


def is_plain(line: str) -> bool:
    """Whether a line is prose at the first look: neither a prompt nor an elision, and without a time. Most prose is."""
    return _PLAIN.fullmatch(line) is not None


def is_elision(line: str) -> bool:
    """ "...", "[snip]", "... 略": something was left out here."""
    stripped = line.strip()
    return bool(stripped) and len(stripped) <= 24 and bool(_ELISION.fullmatch(stripped))


def is_prose(line: str) -> bool:
    """Whether a line may be a heading or a sentence: it has letters, and is neither code nor a bare address."""
    stripped = line.strip()
    if not stripped or len(stripped) > 4000:
        return False
    if not stripped[0].isalnum() and (_RULE.fullmatch(stripped) or stripped.startswith(FENCES)):
        return False
    if stripped[0] in "`=#" and any(p.fullmatch(stripped) for p in (INLINE_CODE, _WIKI_TITLE, _SECTION)):
        return True  # code as a caption: the setting that was tried
    bare = _ARROW.sub("", stripped)
    bare = bare.rstrip(";") if bare[0] == "#" else bare
    is_code = _CODE_SIGN.search(bare) and _CODE.fullmatch(bare) and not CHANGE.search(stripped)
    return not (_CODE_WORD.match(bare) or is_code)


def is_rule(line: str) -> bool:
    """Whether a line is only drawn, of signs: "#####"."""
    return _RULE.fullmatch(line.strip()) is not None and not is_elision(line)


def is_equals_banner(line: str) -> bool:
    """ "=== RUN 1 ===", which a script prints between the outputs of the tools that it runs."""
    return line.startswith("===") and _WIKI_TITLE.fullmatch(line.rstrip()) is not None


def width(text: str) -> int:
    """Columns that a terminal needs for `text` (wide East Asian characters take two)."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
