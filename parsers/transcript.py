"""What a text has around the tools' output: markup to clean away, prompts, prose, elisions.

Text reaches us through terminals, mail clients, web pages and wikis. `clean` takes away what they add to a line; the
patterns below tell the lines that no tool printed apart.
"""

from __future__ import annotations

import html
import re
import unicodedata

# --- cleaning one line -------------------------------------------------------------------------------------------------
_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # window titles
    r"|\x1b[()][0-9A-B]"
    r"|\x1b[@-Z\\^_=>78]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_LOST_ANSI = re.compile(r"\[(?:\d{1,3}(?:;\d{1,3})*)m")  # the escape character did not survive the copy
_TAG = re.compile(
    r"^\s*(?:<details[^<>]*>\s*)?<summary>|</summary>|"  # elsewhere <summary> is jmeter's name of its own
    r"</?(?:a|b|i|u|s|p|br|em|tt|td|th|tr|ul|ol|li|hr|h[1-6]|pre|div|code|font|kbd|samp|span|strong|small|big|table|"
    r"tbody|thead|center|blockquote|details|figure|figcaption|del|ins|sub|sup)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_CELL = re.compile(r"</?(?:td|th|tr)(?:\s[^<>]*)?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});")
_SPACES: dict[int, str | None] = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_SPACES |= dict.fromkeys([0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF, 0xAD], None)
_SPACE = re.compile(f"[{''.join(map(chr, _SPACES))}]")  # most lines have none, and to translate one takes long
_BACKSPACE = re.compile(r"[^\x08]\x08")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]")
_ENDLESS = re.compile(r"\d{200,}")  # no figure: an int of it would be none that a float holds, or none at all
USUAL = 256  # characters of a line that are taken as they are


def clean(raw: str) -> str:
    """One line without its line end, colours, web-page spaces and HTML leftovers."""
    line = raw.rstrip("\r\n")
    if len(line) > USUAL:
        line = _ENDLESS.sub("?", line)
    if "\r" in line:  # a progress line that was written over: the last writing is what the terminal showed
        line = line.rsplit("\r", 1)[1]
    if not line.isascii() and _SPACE.search(line):
        line = line.translate(_SPACES)
    if "\x1b" in line or "\x9b" in line:
        line = _ANSI.sub("", line)
    if "m" in line and "[" in line:
        line = _LOST_ANSI.sub("", line)
    if "\x08" in line:
        while "\x08" in line and line != (shorter := _BACKSPACE.sub("", line)):
            line = shorter
    if "<" in line and _TAG.search(line):
        line = _TAG.sub("", _CELL.sub(" ", line))
    if "&" in line:
        line = _ENTITY.sub(lambda found: html.unescape(found[0]).translate(_SPACES), line)
    return _CONTROL.sub("", line) if not line.isprintable() else line


def needs_cleaning(raw: str) -> bool:
    """False for the plain lines that make up nearly every text; cheap, because every line is asked."""
    return (
        not raw.isascii() or "\x1b" in raw or "\r" in raw or "<" in raw or "&" in raw or "\x08" in raw or "[0m" in raw
    )


# --- quoting -----------------------------------------------------------------------------------------------------------
# Signs that mail clients, comments, lists and tables put before a line. "%" and "$" are not among them: they are prompts;
# the two stars of siege's banner are its own.
QUOTING = re.compile(
    r"(?:\s+|>+|\||#+(?=\s|$)|//+|(?!\*\* (?:SIEGE|siege|Preparing))\*+(?=\s|$)|--+\s|-\s|;+\s|[•・●○■□◆◇▪‣·※→]|\d{1,2}[.)]\s)*"
)


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


# --- prompts -----------------------------------------------------------------------------------------------------------
_WHO = r"(?P<who>[\w.+-]+@(?P<host>[\w.-]+))"
_LOADS = r"(?:wrk2?|hey(?:_\w+)?|boom|oha|k6|h2load|autocannon|bombardier|httperf|vegeta|locust|jmeter)"
_PROMPTS = [
    re.compile(p)
    for p in (
        r"(?:\([\w.-]+\)\s*)?\[(?:\d\d:\d\d(?::\d\d)?\s+)?" + _WHO + r"[ :][^\]]*\]\s?[$#%>]\s?(?P<command>.*)",
        r"(?:\([\w.-]+\)\s*)?(?:\[[\d:]+\]\s*|\d\d:\d\d:\d\d\s+)?"
        + _WHO
        + r"\s?:\s?[~/][^$#%>]*[$#%>]\s?(?P<command>.*)",
        r"(?:\([\w.-]+\)\s*)?" + _WHO + r"(?:\s[~/]\S*)?\s?[$#%>](?:\s+|$)(?P<command>.*)",
        _WHO + r"\s\[[~/][^\]]*\]\s?[$#%>]\s?(?P<command>.*)",
        r"(?!https?:|ftp:)(?P<host>[A-Za-z][\w.-]*):[~/][^\s$#%>]*[$#%>]\s?(?P<command>.*)",
        r"(?P<host>[A-Za-z][\w.-]*)\s[~/]\S*\s[$#%>]\s(?P<command>.*)",
        r"\[(?P<host>[A-Za-z][\w.-]*)[ :][~/][^\]]*\]\s?[$#%>]\s?(?P<command>.*)",
        r"-?(?:ba|k|z|da|c|tc)?sh(?:-[\d.]+\w*)?[$#%>]\s?(?P<command>.*)",
        r"(?:PS\s)?[A-Za-z]:\\[^>]*>\s?(?P<command>.*)",
        r"(?!//)[~/][\w./~-]*\s?[$#]\s+(?P<command>.*)",
        r"[$❯➜λ]\s+(?:[~/]\S*\s+)?(?P<command>\S.*)",
        r"\$(?P<command>[a-z./][\w./-]*\s.*)",
        r"[#%>]\s*(?P<command>(?:sudo\s+|time\s+)?{TOOL}.*)",
        r"(?P<host>[a-z][\w.-]{0,30})[#%$>]\s?(?P<command>(?:sudo\s+|time\s+)?{TOOL}.*)",
        r"(?P<command>(?:sudo\s+|time\s+|taskset\s+-c\s+\S+\s+)?{BARE})",
    )
    for p in [
        p.replace(
            "{TOOL}",
            r"(?:(?:wrk2|h2load|vmstat|cat|egrep|zgrep|uname|lscpu|uptime|nproc|sysctl|vim?|nano|curl|wget|ssh|service|"
            r"systemctl|apachectl|apache2ctl|cd|echo|sleep|mpstat|iostat|pidstat|dstat|busybox|toybox|httperf|taskset|"
            r"autocannon|bombardier|vegeta|ulimit|\./\S+)(?=[\s;&|]|$)"
            # names that a title may begin with, too: only with what a command has behind it
            r"|(?:ab2?|siege|wrk|hey|oha|k6|locust|jmeter|top|ps|free|less|more|tail|head|grep|for|while|sar|sh|bash)"
            r"(?=\s.*(?:(?:^|\s)-\w|\S/\S|\s/\S|[|;&<>]|\.[a-z])|\s*$)|(?:httpd|nginx)(?=\s+-\w)|ps\s+[a-zA-Z]+$|(?:free|top|grep)\s+\S+$)",
        ).replace(
            "{BARE}",
            r"(?:ab2?\s+(?:-\S+\s+(?:[^\s-]\S*\s+)?)*[\"']?(?:https?://)?[\w.-]+(?::\d+)?/\S*(?:\s+[>|].*)?"
            r"|siege\s+-\S.*|top\s+-b.*|(?:busybox\s|toybox\s)?ps\s+(?:-?[aefxuwlHLTj]{1,6}|-\S+)(?:\s+\S+)*"
            r"|cat\s+[^\s`]*[./][^\s`]+|e?grep\s+.*\s/proc/\S+|lscpu|nproc|free(?:\s+-[a-z]+)+|uname\s+-[a-z]+"
            rf"|(?:[\w.~-]*/[\w./~-]*)?{_LOADS}\s(?!.*[.,:!?。！？`]$)(?:.*\s)?(?:-{{1,2}}[A-Za-z]|\w+://).*"
            rf"|k6\s+run\s+\S+|(?:echo|cat)\s[^|]*\|\s*\S*vegeta\s.*)",
        )
    ]
]
_PROMPT_SIGN = re.compile(
    r"[$#%>❯➜λ]"
)  # by itself: within an alternation, each sign of the line is tried with all of it
_SAID = re.compile(  # "Command: wrk ...", "run `ab ...`"
    r"(?:run(?:ning)?|ran|command(?:\s+line)?|cmd|execut(?:e|ing)|using|with|befehl|polecenie|commande|comando|команда"
    r"|コマンド|命令|执行|运行)(?:\s*[:：]|(?=\s*`))\s*",
    re.IGNORECASE,
)
_BARE_COMMAND = re.compile(
    r"`?(?:sudo |time )?(?:(?:ab2?|siege|top|ps|busybox|toybox|cat|e?grep|echo|free|uname|k6)\s|(?:lscpu|nproc)`?$)"
)
_LOAD_COMMAND = re.compile(rf"`?(?:(?:sudo|time|taskset\s+-c\s+\S+)\s+)?(?:[\w.~-]*/)*{_LOADS}\s")
_INLINE_CODE = re.compile(r"`([^`]+)`[:：]?")


def prompt(line: str) -> tuple[str | None, str] | None:
    """(host or None, command) when the line is a prompt with what was typed behind it; the command may be empty."""
    stripped = line.strip()
    if stripped.startswith("$ "):  # by far the most usual
        return None, stripped[2:].strip()
    if not stripped or len(stripped) > 4096:
        return None
    with_option = " -" in stripped or "://" in stripped or "k6 run" in stripped
    if with_option and (said := _SAID.match(stripped)):
        stripped = stripped[said.end() :]
    if not (
        _PROMPT_SIGN.search(stripped)
        or _BARE_COMMAND.match(stripped)
        or (with_option and _LOAD_COMMAND.match(stripped))
    ):
        return None
    if stripped[0] == "`" and (inline := _INLINE_CODE.fullmatch(stripped)):
        stripped = inline[1].strip()
    for pattern in _PROMPTS:
        found = pattern.fullmatch(stripped)
        if found:
            groups = found.groupdict()
            return groups.get("host"), groups["command"].strip()
    return None


# --- other lines that no tool printed ----------------------------------------------------------------------------------
_LEFT_OUT = r"(?i:略|中略|省略|省略部分输出|以下略|後略|前略|snip|snipped|cut|etc\.?|truncated|output omitted|omitted)"
_DOTS = r"(?:\.{2,}|…+|⋮|\.\s\.\s\.)"  # not "~~~": that is a Markdown fence
_ELISION = re.compile(
    rf"[\[(<{{（［〈~-]*\s*(?:{_DOTS}\s*{_LEFT_OUT}?\s*{_DOTS}?|{_LEFT_OUT}\s*{_DOTS}?)\s*[\])>}}）］〉~-]*|[:：︙]"
)
_RULE = re.compile(r"[\W_]+")
_CODE_WORD = re.compile(
    r"(?:import|from\s\S+\simport|def|class|return|elif|else:|var|let|const|function|public|private|static|#include|"
    r"printf|print|assert|raise|try:|except)\b|https?://\S+$"
)
_CODE_SIGN = re.compile(r"[;{}()\[\]<>=@]")  # no other code is without one of these, and most prose is
_CODE = re.compile(
    r".*[;{}]|[})\]].*|<[?!/]?\w.*>?|.*(?:=>|->|:=|==|\(\)).*"
    r"|[\w.\[\]'\"]+\s*=\s*(?:[\[({'\"]|u['\"]|new\s|function\b).*|@\w[\w.]*(?:\(.*\))?|\(r?['\"].*"
)
# What most headings are: no sign or word in it is one of a prompt, a time, code or an elision.
_PLAIN = re.compile(rf"(?=[A-Z])(?!{_LEFT_OUT})[A-Za-z0-9 ,.'-]{{2,200}}:?\n?")
_WIKI_TITLE = re.compile(r"(={1,6}) [^={}();]+ \1")
_FENCES = ("```", "~~~")
MAX_HEADING = 500


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
    if not stripped[0].isalnum() and (_RULE.fullmatch(stripped) or stripped.startswith(_FENCES)):
        return False
    if stripped[0] in "`=" and (_INLINE_CODE.fullmatch(stripped) or _WIKI_TITLE.fullmatch(stripped)):
        return True  # code as a caption: the setting that was tried
    return not _CODE_WORD.match(stripped) and not (_CODE_SIGN.search(stripped) and _CODE.fullmatch(stripped))


def width(text: str) -> int:
    """Columns that a terminal needs for `text` (wide East Asian characters take two)."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
