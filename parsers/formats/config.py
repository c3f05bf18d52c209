"""config: a configuration file shown in the text, kept as text with its path.

Reads     what `cat`, `less`, `vi`, `grep` and the like show of a configuration file (httpd, nginx, lighttpd, php.ini, sysctl,
          my.cnf, ...), what `cat > FILE <<EOF` writes into one, and settings of a web server that stand in the text by themselves
Yields    one ConfigText
Units     none: nothing in it is interpreted
Quirks    no line says where a file ends: it ends before the next prompt, before tool output, or before a paragraph that
          reads like prose
Source    none: this is no tool
"""

from __future__ import annotations

import re
from typing import Any

from ..catalogue import find_kinds
from ..lines import Lines
from ..prompts import prompt
from ..records import ConfigText, Found, Record
from ..transcript import is_elision, width

KIND = "config"
_DIRECTIVES = (
    r"StartServers|(?:Min|Max)Spare(?:Servers|Threads)|ServerLimit|MaxClients|MaxRequestWorkers|ThreadsPerChild|ThreadLimit"
    r"|MaxRequestsPerChild|MaxConnectionsPerChild|KeepAlive(?:Timeout)?|MaxKeepAliveRequests|AsyncRequestWorkerFactor"
    r"|MinProcessors|MaxProcessors|Multiplexer|WSGIDaemonProcess|WSGIProcessGroup|WSGIApplicationGroup|ListenBacklog"
)
OPENS = (
    rf"(?:{_DIRECTIVES})\s+[-\w%{{}}.]+\s*$|<(?:IfModule|VirtualHost|Directory|Location|Proxy)\b[^<>]*>\s*$"
    r"|(?:worker_processes|worker_connections|worker_rlimit_nofile)\s+\w+;\s*$|server\.(?:modules|document-root|max-\w+)\s*\+?=\s*\S"
)

_SHOWS = re.compile(
    r"(?:^|[;&|]\s*|\bsudo\s+)(?:cat|less|more|head|tail|view|vim?|nano|emacs|e?grep|sed|awk)\b(?P<words>[^|;&>]*)"
)
_WRITES = re.compile(  # a shell's "here-document"
    r"(?:^|[;&|]\s*|\bsudo\s+)(?:cat|tee)\s(?=[^<]{0,300}<<-?\s?['\"]?(?P<end>\w{1,40})['\"]?)(?P<words>[^|;&<]{1,300}<?)"
)
_SHOWS_UNIT = re.compile(r"(?:sudo\s+)?systemctl\s+(?:--\w+\s+)*cat\s+(?P<name>[\w@.-]+)\s*$")
_SHOWERS = frozenset("cat tee less more head tail view vi vim nano emacs grep egrep sed awk".split())  # noqa: SIM905
_PATH = re.compile(
    r"(?<!\S)\S+\.(?:conf|cnf|ini|cfg|ya?ml|toml|vcl|properties|htaccess|json5?|xml|tpl|lua|conf\.\w+|local|default|dist)(?=\s|$|['\"])"
    r"|/etc/(?!passwd|shadow|group|hosts\b|hostname\b|issue|\S{0,60}release\b|debian_version)\S+"
    r"|(?<!\S)\S*conf\S*\.(?:py|rb|[cm]?js)(?=\s|$|['\"])|(?<!\S)(?:\S*/)?(?:Caddyfile|Procfile|Dockerfile)(?=\s|$)|(?<!\S)\S+\.service(?=\s|$)"
    r"|(?<!\S)\S*(?:(?:sites-(?:available|enabled)|conf\.d|conf-(?:available|enabled)|mods-enabled)/\S+|\.htaccess)|/usr/local/etc/\S+"
)
_NOT = re.compile(r"\.(?:log|sh|php|pl|html?|txt|csv)$|^(?!.*conf).*\.(?:py|rb|js)$|^/proc/|^/sys/|/logs?/")
_SETTING = re.compile(
    r"\s*(?:[#;]|//|/\*|\*|<[/?!]?\w|[})\]]|\[[\w.: -]+\]\s*$|--|\"|'"  # comments, sections, lists
    r"|[\w./-]+\s*[+:?]?=|[\w./$-]+:(?:\s|$)|\S.*[;{,\\(]\s*$"  # name = value, name: value, nginx
    r"|[A-Z][a-z]*[A-Z]\w*(?:\s+\S|\s*$)"  # CamelCase directives
    r"|(?:User|Group|Timeout|Listen|Options|Order|Allow|Deny|Require|Include|Port|Satisfy|Alias|Header|Action|Redirect"
    r"|global|defaults|frontend|backend|listen|server|user|daemon|maxconn|bind|mode|option|include|set|skip-[\w-]+)\b)"
)
_CONTINUES = re.compile(r"\s+\S")
_HEADING = re.compile(r"#{1,6} \S|\$ ")
_MOST_LINES, _MOST_WRITTEN = 20_000, 200


def claims(command: str) -> bool:
    """Whether the command shows a configuration file."""
    return not _SHOWERS.isdisjoint(command.split()) and _find_path(command) is not None


def _find_path(command: str) -> str | None:
    if unit := _SHOWS_UNIT.match(command):
        return f"{unit['name'].removesuffix('.service')}.service"
    shows = _WRITES.search(command) or _SHOWS.search(command)
    match = _PATH.search(shows["words"].replace(">", " ")) if shows else None
    if not match:
        return None
    path = match[0].strip("'\"")
    return None if _NOT.search(path) else path


def parse(lines: Lines, command: str | None) -> Found | None:
    path = _find_path(command) if command else None
    writes = _WRITES.search(command) if command and path else None
    text, first, last = _read_written(lines, writes["end"]) if writes else _Showing(lines, bare=path is None).read()
    if not text:
        return None
    values: dict[str, Any] = {"text": text}
    if path is not None:
        values["path"] = path
    return Found(values, first, last)


def _read_written(lines: Lines, end: str) -> tuple[str, int, int]:
    """(text, first line, last line) of what stands before the line that is only this word; none where it is missing."""
    first, kept, raws = lines.number + 1, list[str](), list[str]()
    for line in lines:
        raws.append(lines.raw)
        text = line.removeprefix("> ").rstrip()  # the shell's second prompt
        if text.strip() == end:
            return "\n".join(kept), first, lines.number
        kept.append(text)
        if len(kept) >= _MOST_WRITTEN:
            break
    lines.back(*raws)
    return "", 0, 0


class _Showing:
    """A file's lines, and where they end.

    Lines go to `held` until the paragraph that they are in has proved to belong to the file; what is still there at the
    end is put back.
    """

    def __init__(self, lines: Lines, bare: bool) -> None:
        self.lines = lines
        self.bare = bare
        self.kept: list[str] = []
        self.blank: list[str] = []
        self.depth = 0
        self.first = self.last = 0

    def read(self) -> tuple[str, int, int]:
        for line in self.lines:
            stripped = line.strip()
            if not stripped:
                self.blank.append(self.lines.raw)
                if len(self.blank) > 3 and not self.kept:
                    break
            elif self._ends(line, stripped):
                self.lines.back(*self.blank, self.lines.raw)
                break
            else:
                self._keep(line, stripped)
        if self.bare and sum(1 for k in self.kept if k.strip()) < 2:
            return "", 0, 0
        return "\n".join(self.kept), self.first, self.last

    def _keep(self, line: str, stripped: str) -> None:
        if not self.first:
            self.first = self.lines.number
            self.blank.clear()
        self.kept += [""] * len(self.blank)
        self.blank.clear()
        raw = self.lines.raw.rstrip("\r\n")
        self.kept.append(line.rstrip() if self.lines.prefix or not raw.isprintable() else raw.rstrip())
        self.last = self.lines.number
        code = stripped.split("#", 1)[0]
        self.depth += code.count("{") - code.count("}")
        self.depth += bool(re.match(r"<\w[^>]*[^/]>$|<\w>$", code)) - code.startswith("</")
        self.depth = max(0, self.depth)

    def _ends(self, line: str, stripped: str) -> bool:
        if len(self.kept) > _MOST_LINES or stripped.startswith(("```", "~~~")):
            return True
        if prompt(stripped) is not None and not stripped.startswith(("#", "%")):
            return True
        if set(find_kinds(stripped)) - {KIND}:
            return True
        if stripped.startswith("#") and self.blank and not self.depth and self._is_heading(stripped):
            return True
        if self.depth or is_elision(stripped):
            return False
        begins = bool(self.blank) or not self.kept
        is_setting = bool(_SETTING.match(line))
        if self.bare:
            return not is_setting or _reads_like_prose(stripped)
        return (
            begins
            and bool(self.kept)
            and not (is_setting and not _reads_like_prose(stripped))
            and not _CONTINUES.match(line)
        )

    def _is_heading(self, line: str) -> bool:
        """A "#" behind a blank line begins a comment, unless what follows is no setting: then it is Markdown, or root's prompt."""
        if prompt(line) is not None:
            return True
        following = (self.lines.ahead(1) or [""])[0]
        return not _SETTING.match(following) or _reads_like_prose(following.strip()) or bool(_HEADING.match(following))


def _reads_like_prose(line: str) -> bool:
    """A sentence or a heading, although its first word might be a setting's name."""
    if line.startswith(("#", ";", "//", "<", "[", '"')):
        return False
    if line.endswith(("。", "です", "ます", ".", "?", "!", "？", "！")) and " " in line and "=" not in line:
        return True
    if line.endswith((":", "：")) and (" " in line or width(line) > len(line)):
        return True
    return width(line) > len(line) + 2 and "=" not in line


def records(values: dict[str, Any]) -> list[Record]:
    path = values.get("path")
    return [ConfigText(path=str(path) if path else None, text=str(values.get("text", "")))]
