"""What people's pages, mails and terminals do to a capture, and where each of its lines is afterwards.

A mangler takes the lines of a text and gives a Mangled; its values must be read from that as from the text itself.
"""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mangled:
    """`lines` without line ends; `at[i]` is (first, last) 1-based line number of what was line i; `end` ends a line."""

    lines: list[str]
    at: list[tuple[int, int]]
    end: str = "\n"

    @property
    def text(self) -> str:
        return "".join(line + self.end for line in self.lines)

    def where(self, first: int, last: int) -> tuple[int, int]:
        """Where the lines `first` to `last` of the text as it was stand now."""
        return self.at[first - 1][0], self.at[last - 1][1]


Mangler = Callable[[Sequence[str]], Mangled]


def split(
    each: Callable[[str], Sequence[str]],
    *,
    above: Sequence[str] = (),
    below: Sequence[str] = (),
    end: str = "\n",
) -> Mangler:
    """A mangler that makes one or more lines of each; a piece that is empty does not count as the line's end."""

    def mangle(lines: Sequence[str]) -> Mangled:
        out, at = list(above), []
        for line in lines:
            pieces = each(line)
            used = max((i for i, piece in enumerate(pieces, 1) if piece.strip()), default=1)
            at.append((len(out) + 1, len(out) + used))
            out += pieces
        return Mangled([*out, *below], at, end)

    return mangle


def per_line(
    each: Callable[[str], str], *, above: Sequence[str] = (), below: Sequence[str] = (), end: str = "\n"
) -> Mangler:
    return split(lambda line: [each(line)], above=above, below=below, end=end)


def before(sign: str) -> Mangler:
    return per_line(lambda line: sign + line)


def wrapped(width: int) -> Mangler:
    """Broken at blanks where a line is longer than `width` columns, as mail clients do."""

    def each(line: str) -> list[str]:
        if len(line) <= width:
            return [line]
        pieces = textwrap.wrap(line, width, drop_whitespace=True, break_long_words=False, break_on_hyphens=False)
        indent = line[: len(line) - len(line.lstrip())]
        return [indent + pieces[0].lstrip(), *pieces[1:]] if pieces else [line]

    return split(each)


def colours(line: str) -> str:
    return f"\x1b[m\x1b[39;49m{line[:5]}\x1b[1m{line[5:]}\x1b[m\x1b[K"


QUOTED: dict[str, Mangler] = {
    "as it is": per_line(str),
    "a Markdown fence": per_line(str, above=["```"], below=["```"]),
    "a fence with a language": per_line(str, above=["Results:", "", "```text"], below=["```", "", "So much for that."]),
    "tildes": per_line(str, above=["~~~"], below=["~~~"]),
    "mail": before("> "),
    "mail without a blank": before(">"),
    "a reply to a reply": before(">> "),
    "a spaced reply to a reply": before("> > "),
    "named mail": before("| "),
    "shell comments": before("# "),
    "C++ comments": before("// "),
    "C comments": per_line(lambda line: " * " + line, above=["/*"], below=[" */"]),
    "SQL comments": before("-- "),
    "ini comments": before("; "),
    "blanks, and shell comments": before("    # "),
    "two blanks": before("  "),
    "four blanks": before("    "),
    "eight blanks": before("        "),
    "a tab": before("\t"),
    "list item": per_line(str, above=["- first run"]),
    "trailing blanks": per_line(lambda line: line + "   "),
    "one width": per_line(lambda line: line.ljust(120)),
    "blank line after every line": split(lambda line: [line, ""]),
}
MARKUP: dict[str, Mangler] = {
    "br": per_line(lambda line: line + "<br/>"),
    "old br": per_line(lambda line: line + "<BR>"),
    "pre": per_line(str, above=["<pre>"], below=["</pre>"]),
    "pre and code": per_line(html.escape, above=['<pre><code class="bash">'], below=["</code></pre>"]),
    "a paragraph a line": per_line(lambda line: f"<p>{html.escape(line)}</p>"),
    "a div a line": per_line(lambda line: f"<div>{html.escape(line)}</div>"),
    "spans": per_line(lambda line: f'<span class="line">{html.escape(line)}</span>'),
    "nbsp entities": per_line(lambda line: html.escape(line).replace("  ", "&nbsp; ")),
    "only nbsp entities": per_line(lambda line: html.escape(line).replace(" ", "&nbsp;")),
    "numeric entities": per_line(lambda line: html.escape(line).replace("'", "&#39;").replace(" ", "&#160;")),
}


def full_width(line: str) -> str:
    """A line without letters of other scripts as an input method writes it."""
    return line.translate({code: code + 0xFEE0 for code in map(ord, "0123456789:%")}) if line.isascii() else line


BYTES: dict[str, Mangler] = {
    "no-break spaces": per_line(lambda line: line.replace(" ", "\xa0")),
    "ideographic spaces": per_line(lambda line: line.replace("  ", "\u3000 ")),
    "thin spaces": per_line(lambda line: line.replace("  ", "\u2009 ")),
    "a zero-width space first": before("\u200b"),
    "zero-width spaces": per_line(lambda line: line.replace(" ", " \u200b")),
    "full-width digits and signs": per_line(full_width),
    "CRLF": per_line(str, end="\r\n"),
    "two CRs": per_line(str, end="\r\r\n"),
    "colours": per_line(colours),
    "a typescript": per_line(
        colours,
        above=['Script started on 2024-03-01 10:00:00+01:00 [TERM="xterm"]', "\x1b]0;root@web1: ~\x07root@web1:~# "],
        below=["Script done on 2024-03-01 10:05:00+01:00"],
        end="\r\n",
    ),
    "colours whose escape is lost": per_line(lambda line: f"[0m{line}[0m"),
    "a mark": per_line(str, above=["\ufeff"]),
}


def stamped(form: str) -> Mangler:
    """With the time that a log has before each line, which goes on by the second."""

    def mangle(lines: Sequence[str]) -> Mangled:
        times = (f"{form.format(n=n % 60, m=n // 60 % 60)}{line}" for n, line in enumerate(lines))
        return Mangled(list(times), [(n, n) for n in range(1, len(lines) + 1)])

    return mangle


def numbered(form: str) -> Mangler:
    """With the number of each line, as `cat -n`, `grep -n` and viewers put it."""
    return lambda lines: Mangled([form.format(n=n) + line for n, line in enumerate(lines, 1)], _in_place(lines))


def boxed(lines: Sequence[str]) -> Mangled:
    """In a pane with a border on both sides."""
    width = max(map(len, lines))
    return Mangled([f"│ {line.ljust(width)} │" for line in lines], _in_place(lines))


def bordered(lines: Sequence[str]) -> Mangled:
    """In the left one of two panes, unless a line is longer than those."""
    width = max(map(len, lines))
    if width > 190:
        return Mangled(list(lines), _in_place(lines))
    return Mangled([f"{line.ljust(width)} │" for line in lines], _in_place(lines))


def _in_place(lines: Sequence[str]) -> list[tuple[int, int]]:
    return [(n, n) for n in range(1, len(lines) + 1)]


def shared(lines: Sequence[str]) -> Mangled:
    """In one log with a server that writes a line of its own before each."""
    out = []
    for line in lines:
        out += [
            'web-1      | 172.18.0.3 - - [02/Jan/2024:03:04:05 +0000] "GET / HTTP/1.1" 200 612',
            f"loader-1   | {line}",
        ]
    return Mangled(out, [(2 * n, 2 * n) for n in range(1, len(lines) + 1)])


LOGS: dict[str, Mangler] = {
    "GitHub": stamped("2024-01-02T03:{m:02}:{n:02}.1234567Z "),
    "GitLab": stamped("2024-01-02T03:{m:02}:{n:02}.123456Z 00O "),
    "Jenkins": stamped("[2024-01-02T03:{m:02}:{n:02}.123Z] "),
    "a script's": stamped("2024-01-02 03:{m:02}:{n:02} "),
    "a script's brackets": stamped("[03:{m:02}:{n:02}] "),
    "syslog": stamped("Jan  2 03:{m:02}:{n:02} web1 bench.sh[812]: "),
    "syslog without pid": stamped("Jan  2 03:{m:02}:{n:02} web1 bench: "),
    "ts": stamped("Jan  2 03:{m:02}:{n:02} "),
    "ts with fractions": stamped("03:{m:02}:{n:02}.123456 "),
    "docker build": stamped("#12 {m}{n:02}.501 "),
    "compose": before("loader-1  | "),
    "compose before version 2": before("loader_1    | "),
    "pods": before("[pod/loader-7d9f/loader] "),
    "a shared log": shared,
    "a playbook's list": per_line(
        lambda line: f"        {json.dumps(line)},",
        above=["ok: [web1] => {", '    "result.stdout_lines": ['],
        below=["    ]", "}"],
    ),
}
GUTTERS: dict[str, Mangler] = {
    "cat -n": numbered("{n:6}\t"),
    "cat -n, copied": numbered("{n:6}  "),
    "grep -n": numbered("{n}:"),
    "a viewer's numbers": numbered("{n:4} | "),
    "an added file": before("+"),
    "a pane": boxed,
    "a border on the right": bordered,
    "fabric": before("[web1] out: "),
    "gh run view": stamped("bench\tRun load\t2024-01-02T03:{m:02}:{n:02}.1234567Z "),
}
AROUND: dict[str, Mangler] = {
    "prose above and below": per_line(str, above=["This is what it said"], below=["and that was all of it."]),
    "a colon above": per_line(str, above=["Second run:"], below=["Not bad!"]),
    "a prompt below": per_line(str, below=["root@web1:~# exit"]),
    "an address below": per_line(str, below=["https://example.org/how-to"]),
    "a rule below": per_line(str, above=["-----"], below=["-----"]),
    "a signature below": per_line(str, below=["-- ", "Jo"]),
}
WRAPPED: dict[str, Mangler] = {"72 columns": wrapped(72), "76 columns": wrapped(76)}
EVERY = QUOTED | MARKUP | BYTES | AROUND
