"""The load tools: every module of this package is one, by being there.

A tool is a module with
    NAME        the program's name; it is looked up in the generator's PATH
    VERSION     the command that prints its version
    argv        (load, files) -> its command line, an argument each; no shell ever reads it
    inputs      (load) -> {"body" or "rc": text} of the files that must lie on the generator
    cannot      (load) -> why it cannot send this load, a sentence, or None
    sends       (load) -> how many requests it really sends of those asked for, or None for a timed load
    progress    (text of its standard error) -> Progress, or None where it reports nothing on its way
    LOST        for options of a stored command line that a plan cannot hold: what is lost without each
    DEFAULTS    what the tool does where its command line says nothing, in the terms of parsers.commands
No tool may follow a redirect or load what a page links to: the request goes to the address of the plan only.
A module that lacks something fails here, at import.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ..addresses import NotAllowed, check_load
from ..snapshots import Files, Load, Progress

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
WANTED = ("NAME", "VERSION", "argv", "inputs", "cannot", "sends", "progress", "LOST", "DEFAULTS")
# What to do where a program is missing on a machine.
INSTALLED_BY = {
    "ab": "apt install apache2-utils (Debian, Ubuntu) or dnf install httpd-tools (Fedora, Red Hat)",
    "siege": "apt install siege",
    "wrk": "apt install wrk",
    "hey": "apt install hey",
    "top": "apt install procps",
    "ps": "apt install procps",
    "setsid": "apt install util-linux",
}
DEFAULT = "ab"  # of a new plan


class Cannot(ValueError):
    """The tool cannot send this load; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    version: Sequence[str]
    argv: Callable[[Load, Files], list[str]]
    inputs: Callable[[Load], dict[str, str]]
    cannot: Callable[[Load], str | None]
    sends: Callable[[Load], int | None]
    progress: Callable[[str], Progress | None]
    lost: Mapping[str, str]
    defaults: Mapping[str, Any]


@cache
def tools() -> dict[str, Tool]:
    """Every tool by its name."""
    by_name: dict[str, Tool] = {}
    for info in iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        missing = [name for name in WANTED if not hasattr(module, name)]
        if missing:
            raise TypeError(f"remote/tools/{info.name}.py has no {missing[0]}; see its package for what a tool is")
        by_name[module.NAME] = Tool(
            name=module.NAME,
            version=module.VERSION,
            argv=module.argv,
            inputs=module.inputs,
            cannot=module.cannot,
            sends=module.sends,
            progress=module.progress,
            lost=module.LOST,
            defaults=module.DEFAULTS,
        )
    return by_name


def build(load: Load, allowed: Mapping[str, Sequence[str]], files: Files | None = None) -> list[str]:
    """The command line of a load: the only way to one. Raises NotAllowed, Cannot.

    allowed   the allow-list; it is asked here, so that no command line exists that was not checked
    files     where the tool's inputs lie; left out for a command line that is only shown
    """
    check_load(load, allowed)
    tool = tools().get(load.tool)
    if tool is None:
        raise Cannot(f"There is no load tool {load.tool!r}; there are {', '.join(sorted(tools()))}.")
    reason = tool.cannot(load)
    if reason:
        raise Cannot(reason)
    argv = tool.argv(load, _shown_files(load))
    if any(not part or not part.isprintable() for part in argv):
        raise NotAllowed("An argument of the command line is empty or has a control character in it.")
    return tool.argv(load, files) if files else argv


def _shown_files(load: Load) -> Files:
    """What the files are called in a command line that is only shown: siege's keep-alive is in its settings alone."""
    return Files(body="body.txt", rc="keep-alive.siegerc" if load.keepalive else "siegerc")


def join_command(argv: Sequence[str]) -> str:
    """A command line as a person would type it. Build it from the load as planned: its secrets are names there."""
    return shlex.join(argv)


def inputs(load: Load) -> dict[str, str]:
    """The files that the tool reads on the generator, by their name in Files."""
    return tools()[load.tool].inputs(load)


def progress(tool: str, text: str) -> Progress | None:
    """How far the tool says it is, from what it wrote to its standard error so far (or the end of that)."""
    return tools()[tool].progress(text)
