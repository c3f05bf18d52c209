"""The command of a run, to be typed again, and the command line of the client bd that makes given runs again in turn."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from runs.analysis.facts import RunFact

LENGTHS = ("requests", "repeats_each", "duration_s")  # terms of options that say how long a load lasts
SWITCH = "./switch-to"  # stands for what starts a variant's server, which no text of runs says
_OPERATORS = re.compile(r"[();<>|&]+")
_BEFORE = ("do", "then", "else", "time", "{", "!")  # words of the shell that stand before a command
_SENDERS = ("echo", "printf", "cat")  # of a pipe into the load tool, which does nothing without it


def take_command(line: str) -> str:
    """Of a shell's line the command that loads, without the loop, pipe and redirections around it; "" where it is not plain.

    "for i in 1 2; do ab -n 9 http://web1/ | grep Req; done" → "ab -n 9 http://web1/"
    """
    if not re.search(r"[;<>|&]", line):
        return line
    lexer = shlex.shlex(line, posix=False, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    commands: list[list[str]] = [[]]
    try:
        words = iter(list(lexer))
    except ValueError:  # a quote that is left open
        return ""
    for word in words:
        if not _OPERATORS.fullmatch(word):
            commands[-1].append(word)
        elif word[0] in "<>":  # to a file, which is the next word
            next(words, None)
            if commands[-1] and commands[-1][-1] in ("1", "2"):
                commands[-1].pop()
        else:
            commands.append([])
    for own in commands:
        while own and own[0] in _BEFORE:
            del own[0]
    commands = [own for own in commands if own]
    found = commands if len(commands) == 1 else [own for own in commands if any("://" in word for word in own)]
    if len(found) != 1 or found[0][0] in _SENDERS or any(sign in word for word in found[0] for sign in "$`"):
        return ""
    return " ".join(found[0])


def write_command(run: RunFact) -> str:
    """A run's command, to be typed again: without the loop and the pipe around it, and with the address that the report prints
    where the command as typed has none; "" where nobody knows it."""
    command = take_command(run.command)
    if not command or any(run.options.get(term) for term in ("hostname", "script", "url_file")):
        return command
    if not run.hostname:
        return command if run.path or run.options.get("path") else ""
    scheme = "https" if run.values.get("tls_protocol") else "http"
    port = f":{run.port}" if run.port not in (None, {"http": 80, "https": 443}[scheme]) else ""
    return f"{command} {scheme}://{run.hostname}{port}{run.path or '/'}"


def write_bd_command(variants: Sequence[tuple[str, str]], *, host: str = "", options: str = "") -> str:
    """Of each variant the name and the command that loads it; host: the machine under load, where bd is to record it by ssh.

    Variants with one command are told apart by what runs before each.
    """
    words = ["./bd run", f"--on {shlex.quote(host)}" if host else "", options]
    if len(variants) == 1:
        return " ".join([*filter(None, words), f"-- {variants[0][1]}"])
    if len({command for _, command in variants}) < len(variants):
        words.append(f"""--before '{SWITCH} "$BD_VARIANT"'""")
    each = [f"--variant {shlex.quote(name)} -- {command}" for name, command in variants]
    return " \\\n  ".join([" ".join(filter(None, words)), *each])


def lengthen(command: str, options: Mapping[str, Any], factor: float) -> str:
    """The command with its number of requests, or its seconds, times `factor` and rounded up to two digits.

    options: what the command sets. "" where it is not plain which of its words says how long it lasts.
    """
    asked = {term: options[term] for term in LENGTHS if options.get(term)}
    if len(asked) != 1:
        return ""
    (value,) = asked.values()
    words = list(re.finditer(rf"(?<=\s)(-{{1,2}}[a-zA-Z-]+[ =]?){value:g}(?=[sS]?(?:\s|$))", command))
    if len(words) != 1:
        return ""
    digits = 10 ** max(math.floor(math.log10(value * factor)) - 1, 0)
    longer = math.ceil(value * factor / digits) * digits
    return f"{command[: words[0].start()]}{words[0][1]}{longer}{command[words[0].end() :]}"
