"""The command line of the client bd that makes given runs again, one variant after the other."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

SWITCH = "./switch-to"  # stands for what starts a variant's server, which no text of runs says


def write_bd_command(variants: Sequence[tuple[str, str]], *, host: str = "", options: str = "") -> str:
    """Of each variant the name and the command that loads it; host: the machine under load, where bd is to record it by ssh.

    Variants with one command are told apart by what runs before each.
    """
    words = ["./bd run", f"--on {shlex.quote(host)}" if host else "", options]
    if len(variants) == 1:
        return " ".join([*filter(None, words), f"-- {variants[0][1]}"])
    if needs_switch(variants):
        words.append(f"""--before '{SWITCH} "$BD_VARIANT"'""")
    each = [f"--variant {shlex.quote(name)} -- {command}" for name, command in variants]
    return " \\\n  ".join([" ".join(filter(None, words)), *each])


def needs_switch(variants: Sequence[tuple[str, str]]) -> bool:
    """Whether several variants are loaded by the same command, so that something else must set them apart."""
    return len(variants) > 1 and len({command for _, command in variants}) < len(variants)
