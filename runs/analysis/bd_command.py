"""The command line of the client bd that makes given runs again, one variant after the other."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

LENGTHS = ("requests", "repeats_each", "duration_s")  # terms of options that say how long a load lasts
SWITCH = "./switch-to"  # stands for what starts a variant's server, which no text of runs says


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
