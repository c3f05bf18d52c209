"""Prompts with what was typed behind them, and commands without a prompt: of load tools, of monitors, of files shown.

Behind a usual prompt ("$", "user@host:~#") any command is taken. Behind a sign that may be a heading's or a quotation's,
and without any, a command has to be a known one. The names of load tools come from their formats.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import islice

from .catalogue import load_programs
from .transcript import INLINE_CODE

_WHO = r"(?P<who>[\w.+-]+@(?P<host>[\w.-]+))"
_AHEAD = r"(?:\([\w.-]+\)\s*)?(?:\[[\d:]+\]\s*|\d\d:\d\d:\d\d\s+)?"  # an environment, the time
_PROMPTS = [
    re.compile(p)
    for p in (
        r"(?:\([\w.-]+\)\s*)?\[(?:\d\d:\d\d(?::\d\d)?\s+)?" + _WHO + r"(?:[ :][^\]]*)?\]\s?[$#%>]\s?(?P<command>.*)",
        _AHEAD + _WHO + r"\s?:\s?[~/][^$#%>]*[$#%>]\s?(?P<command>.*)",
        _AHEAD + _WHO + r"(?:\s[~/]\S*)?\s?[$#%>](?:\s+|$)(?P<command>.*)",
        _WHO + r"\s\[[~/][^\]]*\]\s?[$#%>]\s?(?P<command>.*)",
        r"(?!https?:|ftp:)(?P<host>[A-Za-z][\w.-]*):[~/][^\s$#%>]*\s?[$#%>]\s?(?P<command>.*)",
        r"(?P<host>[A-Za-z][\w.-]*)\s[~/]\S*\s[$#%>]\s(?P<command>.*)",
        r"\[(?P<host>[A-Za-z][\w.-]*)[ :][~/][^\]]*\]\s?[$#%>]\s?(?P<command>.*)",
        r"-?(?:ba|k|z|da|c|tc)?sh(?:-[\d.]++\w*)?[$#%>]\s?(?P<command>.*)",
        r"(?:PS\s)?[A-Za-z]:\\[^>]*>\s?(?P<command>.*)",
        r"(?!//)[~/][\w./~-]*\s?[$#❯»]\s+(?P<command>.*)",
        r"[(\[][\w.-]{1,40}[)\]]\s?[$❯]\s+(?P<command>\S.*)",
        r"[└╰]─+\s?[$#%❯]\s?(?P<command>.*)",
        r":;\s+(?P<command>\S.*)",
        r"☁\s[^⚡]{1,200}⚡\s+(?P<command>\S.*)",
        r"[$❯➜➔λ]\s+(?:[~/]\S*\s+)?(?P<command>\S.*)",
        r"\$(?P<command>[a-z./][\w./-]*\s.*)",
        r"[#%>]\s*(?P<command>(?:sudo\s+|time\s+)?{TOOL}.*)",
        r"\++\s(?P<command>(?:sudo\s+|time\s+)?{TOOL}.*)",
        r"\++\s(?P<command>(?:sudo\s+)?(?:docker(?:-compose)?|podman|kubectl|sed|cp|pkill|killall|gunicorn|uvicorn|export)\s+\S.*)",
        r"\++\s(?P<command>(?:[A-Z_]+=\S+\s+)*(?:uwsgi|hypercorn|puma|bundle|node|java|php|python[\d.]*|ruby|pm2|caddy|nginx)\s(?=(?:.*\s)?-{1,2}\w).*)",
        r"[#%]\s(?P<command>(?:sudo\s+)?(?:(?:docker(?:-compose)?|podman|kubectl|sed|cp|mv|ln)\s(?=.*(?:\s-{1,2}\w|\w/\w|\s/\w))"
        r"|git\s(?:checkout|switch)\s\S+$).*)",
        r"[^$#%>]{0,120}[\ue0a0-\ue0d7]\s*(?P<command>(?:sudo\s+|time\s+)?{TOOL}.*)",
        r"[\w.-]{1,40}[=-][#>]\s+(?P<command>(?i:alter|set|create|drop|select|show|vacuum|analyze|explain|update|insert|\\)\b.*)",
        r"(?:mysql|MariaDB \[[^\]]{1,60}\]|(?:\d+\.){3}\d+:\d+)>\s+(?P<command>.*)",
        r"(?P<host>[a-z][\w.-]{0,30})[#%$>]\s?(?P<command>(?:sudo\s+|time\s+)?{TOOL}.*)",
        r"(?P<host>[a-z][\w.-]{0,30})\$\s(?P<command>[a-z./~][\w./+-]*(?:\s.*)?)",
        r"(?P<command>(?:sudo\s+|time\s+)?{BARE})",
    )
    for p in [
        p.replace(
            "{TOOL}",
            r"(?:(?:vmstat|cat|egrep|zgrep|uname|lscpu|uptime|nproc|sysctl|vim?|nano|curl|wget|ssh|service|"
            r"systemctl|apachectl|apache2ctl|cd|echo|sleep|mpstat|iostat|pidstat|dstat|busybox|toybox|taskset|ulimit|"
            r"\./\S+)(?=[\s;&|]|$)"
            # names that a title may begin with, too: only with what a command has behind it
            r"|(?:top|ps|free|less|more|tail|head|grep|for|while|sar|sh|bash)"
            r"(?=\s.*(?:(?:^|\s)-\w|\S/\S|\s/\S|[|;&<>]|\.[a-z])|\s*$)|(?:httpd|nginx)(?=\s+-\w)|ps\s+[a-zA-Z]+$|(?:free|top|grep)\s+\S+$)",
        ).replace(
            "{BARE}",
            r"(?:top\s+-\w.*|(?:busybox\s|toybox\s)?ps\s+(?:-?[aefxuwlHLTj]{1,6}|-\S+)(?:\s+\S+)*"
            r"|make(?:\s+(?:-\S+|[A-Z_]+=\S+|[\w.-]*(?:bench|load|perf)[\w.-]*)){1,5}"
            r"|cat\s+[^\s`]*[./][^\s`]+|e?grep\s+.*\s/proc/\S+|lscpu|nproc|free(?:\s+-[a-z]+)+|uname\s+-[a-z]+)",
        )
    ]
]
ANY_PROMPT = re.compile("|".join(re.sub(r"\?P<\w+>", "?:", prompt.pattern) for prompt in _PROMPTS))
# By itself: within an alternation, each sign of the line is tried with all of it.
PROMPT_SIGNS = "$#%>❯➜➔λ⚡\ue0a0-\ue0d7"
_PROMPT_SIGN = re.compile(f"[{PROMPT_SIGNS}]")
COMMAND_IN_PROSE = re.compile(  # "Command: wrk ...", "run `ab ...`", "**Command:** `ab ...`"
    r"(?:\*\*)?(?:run(?:ning)?|ran|command(?:\s+line)?|cmd|execut(?:e|ing)|using|with|befehl|polecenie|commande|comando|команда"
    r"|コマンド|命令|执行|运行)(?:\*\*)?(?:\s*[:：](?:\*\*)?|(?=\s*`))\s*",
    re.IGNORECASE,
)
BARE_COMMAND = re.compile(
    r"\++\s|`?(?:sudo |time )?(?:(?:top|ps|busybox|toybox|cat|e?grep|echo|free|uname|make)\s|(?:lscpu|nproc)`?$)"
)


# The branch of git in a prompt: "~/app (main *) $", "[main]$", "git:(main)", "~/app on main"; the last is a line of its own.
_NAME = r"(?P<{}>[A-Za-z][\w./-]{{0,60}})"
_STATE = r"[\s*+%$!?=<>|✗✔~↑↓⇡⇣·\d-]{0,8}"
_BRANCH_SHOWN = re.compile(
    rf"(?<=\S)\s\((?:git:)?{_NAME.format('a')}{_STATE}\)(?=\s?[$#%>❯➜➔λ])|(?<=\S)\s\[{_NAME.format('b')}{_STATE}\](?=\s?[$#%>❯➜➔λ])"
)
_BRANCH_NAMED = re.compile(rf"\bgit:\({_NAME.format('a')}\)|\ue0a0\s*{_NAME.format('b')}")
# A prompt's first line: with signs of a theme; with the time, "14:32:13 me/app  main [!$]    ruby-2.4.5@app"; and as Starship has
# it, with the versions of languages, "app on  main is 📦 v2.1.0 via 🐹 v1.22.1 took 30s".
_FIRST_OF_TWO = re.compile(
    rf"(?:[┌╭]\S*\s?)?(?:[\w.+-]+@[\w.-]+[:\s]\s?(?:(?:MINGW|MSYS|UCRT|CLANG)\w*\s+)?|[┌╭]\S*)?[~/][^\s()]*(?<![$#%>])\s+"
    rf"(?:\((?:git:)?{_NAME.format('a')}{_STATE}\)|on\s+(?:[^\w\s]\s*)?{_NAME.format('b')}|{_NAME.format('c')}\*?)"
    r"(?:\s+(?:\[[^\w\]]{1,8}\]|[⇡⇣]\S*|(?:via|took)\s(?:(?!\s(?:via|took)\s).){1,60}))*+\s*"
    r"|\d\d:\d\d(?::\d\d)?\s+[~\w][\w./~-]*+\s+(?P<d>\w[\w./-]{0,60}+)"
    r"(?:\s+(?:\[[^\w\]]{1,8}\]|[a-z]{2,10}-\d[\w.@-]{0,60}+))++\s*"
    rf"|[\w.-]+\s+on\s+(?:[^\w\s]\s*)?{_NAME.format('e')}(?:\s+(?:\[[^\w\]]{{1,8}}\]|[⇡⇣]\S*))*+"
    r"(?:\s+(?:is|via)\s\W{1,4}v?\d\S*)+(?:\s+took\s\S+)?\s*"
)
# Before a prompt: an environment of Python or Conda, or what somebody calls a terminal
_ENVIRONMENT = re.compile(r"\s*[(\[](?P<name>[A-Za-z][\w.-]{0,40})[)\]]\s")
_IN_DIRECTORY = re.compile(r"[^$#%>❯»]{0,80}?(?:^|[\s:])(?P<path>[~/][\w./~-]{1,80}?)/?\]?\s?[$#%❯»]\s")  # in a prompt


def read_prompt(line: str) -> list[tuple[str, str]]:
    """(name, value) of what the prompt at the beginning of a line tells: the environment, the directory."""
    matches = (("environment", _ENVIRONMENT.match(line)), ("directory", _IN_DIRECTORY.match(line)))
    return [(name, match[1]) for name, match in matches if match]


def find_branch(line: str, above: str = "") -> str | None:
    """The branch of git that a prompt shows, which may have a line of its own above it."""
    head = line[:_LONGEST_PROMPT]
    branch = _BRANCH_SHOWN.search(head) or _BRANCH_NAMED.search(head)
    if not branch and 0 < len(above) < 2 * _LONGEST_PROMPT:
        branch = _FIRST_OF_TWO.fullmatch(above)
    return next(filter(None, branch.groups()), None) if branch else None


def find_host_above(line: str, above: str) -> str | None:
    """The host that the first line of a prompt of two lines names: "┌──(kim㉿lab)-[~]" above "└─$ free -m"."""
    first = _HOST_ABOVE.match(above) if line.lstrip()[:1] in ("└", "╰") else None
    return first and first["host"]


_HOST_ABOVE = re.compile(r"\s*[┌╭][─\s]{0,8}[\[(]{0,2}\s?[\w.+-]{1,40}[@㉿](?P<host>[\w.-]{1,80})")
_COMMAND_SIGN = re.compile(f"[{PROMPT_SIGNS}/`+]")
_BARE_WORD = re.compile(r"\b(?:top|ps|busybox|toybox|cat|e?grep|echo|free|uname|make|lscpu|nproc)\b")


def may_have_command(line: str) -> bool:
    """Whether `prompt` may find anything in a line, or behind its quoting: quick, and most lines have nothing of the kind."""
    signs = _COMMAND_SIGN.search(line) or " -" in line or " run " in line
    return bool(signs) or _BARE_WORD.search(line) is not None


@lru_cache(maxsize=64)  # of one line it is asked by each line above whose format looks ahead
def prompt(line: str) -> tuple[str | None, str] | None:
    """(host or None, command) when the line is a prompt with what was typed behind it; the command may be empty."""
    stripped = line.strip()
    if stripped.startswith("$ "):  # by far the most usual
        return None, stripped[2:].strip()
    if not stripped or len(stripped) > 4096:
        return None
    if (")" in stripped or "]" in stripped) and (shown := _BRANCH_SHOWN.search(stripped[:_LONGEST_PROMPT])):
        stripped = stripped[: shown.start()] + stripped[shown.end() :]
    with_option = " -" in stripped or "://" in stripped or " run " in stripped or "/" in stripped
    if with_option and (said := COMMAND_IN_PROSE.match(stripped)):
        stripped = stripped[said.end() :]
    if stripped[:1] == "`" and (inline := INLINE_CODE.fullmatch(stripped)):
        stripped = inline[1].strip()
    if with_option and (load := load_command(stripped)):
        return load
    if not (_PROMPT_SIGN.search(stripped) or BARE_COMMAND.match(stripped)):
        return None
    if not ANY_PROMPT.fullmatch(stripped):
        return None
    for pattern in _PROMPTS:
        match = pattern.fullmatch(stripped)
        if match:
            groups = match.groupdict()
            return groups.get("host"), groups["command"].strip()
    return None


# Words that may stand before a load tool in a command: those that take options and the next command, those that name a
# place to run it in, and those of commands before it on the same line.
_STARTER = re.compile(
    "sudo|time|taskset|nice|ionice|numactl|env|timeout|nohup|exec|command|stdbuf|chrt|perf|stat|strace|repeat|xargs|do|then|npx"
    "|eval|cgexec|systemd-run|setarch|watch"
)
_PLACE = re.compile(
    "docker|podman|nerdctl|kubectl|oc|ssh|docker-compose|vagrant|lxc|ip|nsenter|unshare|chroot|su|(?:ba|z)?sh|sshpass|gcloud"
)
_SHELL_WORD = re.compile("for|while|until|if|cd|ulimit|sleep|echo|cat|printf|export|set|source|seq|jq|curl|make")
_SHELL_JOINT = re.compile(r".*(?:[;|&{(]|\bdo\b|\bthen\b)")
_PROSE = re.compile(r"(?:is|are|was|were|and|the|an?|for|with|we|it|to|of|in|that|this|you|or|not|on|by|from)")
_OPTION_OR_URL = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]|\w://|^\s+run\s+\S|^\s+(?![A-Z]+/\d)[\"']?[\w.-]+(?::\d+)?/\S*")
_TEMPLATE = re.compile(
    r"(?i:^usage\b)|\s--?(?:help|version)\s*$|\[(?i:options?|flags|args|https?\b)|<[A-Za-z](?:[\w.|-]| (?=[\w.|-])){0,40}>"
    r"|(?:^|\s)-{1,2}[A-Za-z][\w-]{0,30}[ =](?:[xyz]{2,9}|[XYZ]{1,9}|[NMC]|n|num|NUM|number|\.{3}|…|#{1,9}|\?{1,9})(?=\s|$)"
)
_SENTENCE_END = (".", ",", ":", "!", "?", "。", "！", "？", "`")
_SIGN = re.compile(r"[$#%>❯➜➤λ»▶⇒⚡→✗✔!\ue0a0-\ue0d7]\s*|(?:^|\s):;\s+|^(?:\++|~\S*)\s+")
_BRANCH = re.compile(r"\ue0a0\s*\S+\s+")  # the last part of a Powerline prompt, whose signs are for private use
# A theme of zsh puts it behind its sign.
_DIRECTORY = re.compile(r"(?:\([\w.-]{1,60}\))?\W{0,20}[➜☁]\s+(?:\S+\s+)?(?:git:\(\S*\)\s+)?(?:[✗✔]\s+)?")
_HEAD_HOST = re.compile(
    r"[\W\d]{0,30}(?:\([\w.-]{1,40}\)\s{0,3})?(?!https?:|ftp:|PS\b|[A-Za-z]:\\|-?(?:ba|da|tc|[kzc])?sh\b)"
    r"(?:[\w.+-]+@(?P<a>[\w.-]+)|(?P<b>[A-Za-z][\w.-]*)(?::\s?[~/]|:\S+ [\w.-]+[$#%]| [~/])"
    r"|(?<![~/])(?P<c>[a-z][\w.-]{0,30})\]?[#%$>]\s*$)"
)
_LONGEST_PROMPT = 120  # columns
_MOST_SIGNS = 12  # of a prompt on a line that are looked at
_MOST_PROGRAMS = 8  # names of load tools on a line that are looked at


_APART = str.maketrans(dict.fromkeys("/:;&|(`'\"!", " "))


@cache
def _compile_load_programs() -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(load_programs(), key=len, reverse=True)))
    return re.compile(rf"(?:^|(?<=[\s/;&|(`'\"!]))(?:{names})(?::[\w.-]{{1,60}})?(?=\s)")  # of an image, with its tag


def load_command(line: str) -> tuple[str | None, str] | None:
    """(host or None, command) where a load tool's command stands on the line, alone or behind a prompt."""
    if load_programs().keys().isdisjoint(line.translate(_APART).split()):
        return None  # quicker to see than with the pattern
    for program in islice(_compile_load_programs().finditer(line), _MOST_PROGRAMS):
        before = line[: program.start()]
        if not _are_arguments(line[program.end() :]):
            continue
        before = before[: before.rfind(" ") + 1] if before[-1:] == "/" else before
        signs = (match for sign in (_BRANCH, _SIGN) for match in sign.finditer(before[:_LONGEST_PROMPT]))
        starts = [0, *(match.end() for match in islice(signs, _MOST_SIGNS))]
        if directory := _DIRECTORY.match(before):
            starts = [directory.end()]
        for start in starts:
            head = before[:start].rstrip()
            if _may_precede(before[start:], prompted=start > 0) and (not head or _may_be_prompt(head)):
                host = _HEAD_HOST.match(head)
                return (host["a"] or host["b"] or host["c"]) if host else None, line[start:].strip()
    return None


def is_template(command: str) -> bool:
    """Whether a load tool's command has still to be filled in: "ab -n xxx -c <clients>", "Usage: ab [options]"."""
    return _TEMPLATE.search(command) is not None


def _are_arguments(text: str) -> bool:
    """Whether a load tool's arguments may be these: not the rest of a sentence about it ("h2load HTTP/3 test")."""
    words = re.split(r"[|;&><\"'$(]", text, maxsplit=1)[0].split()
    return (
        _OPTION_OR_URL.search(text) is not None
        and not text.rstrip().endswith(_SENTENCE_END)
        and not any(map(_PROSE.fullmatch, words))
    )


def _may_precede(text: str, prompted: bool) -> bool:
    """Whether `text` may stand in a command before a load tool: nothing, "time", "docker run ... image", "for ...; do"."""
    words = [word.lstrip("(`'\"{") for word in text.split()]
    at = 0
    while at < len(words):
        word = words[at].rpartition("/")[2]
        if _STARTER.fullmatch(word):
            at += 1
            while at < len(words) and (words[at][:1] in "-0123456789" or (words[at - 1][:1] == "-")):
                at += 1
        elif not word or word.partition("=")[0].isidentifier() and "=" in word:
            at += 1
        elif _PLACE.fullmatch(word):
            return not any(map(_PROSE.fullmatch, words))
        else:
            joint = _SHELL_JOINT.match(text) if (prompted and word[0] != ":") or _SHELL_WORD.fullmatch(word) else None
            return joint is not None and _may_precede(text[joint.end() :], prompted=False)
    return True


def _may_be_prompt(head: str) -> bool:
    """Whether what ends in a prompt's sign is one."""
    return not (
        head.startswith(("##", "<", "//", '"', "'", "|"))
        or head.endswith(("->", "=>", "/>"))
        or set("\"'`=,") & set(head)
        or any(map(_PROSE.fullmatch, head.split()))
        or sum(any(map(str.isalnum, word)) for word in head.split()) > 6
    )
