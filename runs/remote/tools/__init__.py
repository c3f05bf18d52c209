"""The load tools: every module of this package is one, by being there: a subclass of Tool.

No tool may follow a redirect or load what a page links to: the request goes to the address of the plan only.
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ..addresses import NotAllowed, check_load
from ..snapshots import Files, Load

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})
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
EXAMPLE, PACKAGE = "ab -n 10000 -c 100", "apache2-utils"  # of a first load test, and its package


class Cannot(ValueError):
    """The tool cannot send this load; the message is a sentence."""


class Tool(ABC):
    """A load tool.

    name       the program's; it is looked up in the generator's PATH
    version    the command that prints its version
    lost       for options of a stored command line that a plan cannot hold: what is lost without each
    defaults   what the tool does where its command line says nothing, in the terms of parsers.commands
    same_share each client sends the same number of requests, so what is left over after a division is not sent
    """

    name: str
    version: Sequence[str]
    lost: Mapping[str, str]
    defaults: Mapping[str, Any]
    same_share = False

    @abstractmethod
    def argv(self, load: Load, files: Files) -> list[str]:
        """The command line, an argument each; no shell ever reads it."""

    @abstractmethod
    def cannot(self, load: Load) -> str | None:
        """Why it cannot send this load, a sentence, or None."""

    def inputs(self, load: Load) -> dict[str, str]:
        """The files that it reads on the generator, by their name in Files."""
        return {"body": load.body} if load.body else {}

    def sends(self, load: Load) -> int | None:
        """How many requests it really sends of those asked for; None for a timed load."""
        if load.requests is None or not self.same_share:
            return load.requests
        return load.requests // load.concurrency * load.concurrency

    def progress(self, text: str) -> int | None:
        """Requests done so far, from what it wrote to its standard error; None where it does not say."""
        return None


@cache
def tools() -> dict[str, Tool]:
    """Every tool by its name."""
    for info in iter_modules(__path__):
        import_module(f"{__name__}.{info.name}")
    return {tool.name: tool() for tool in Tool.__subclasses__()}


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
    # Names of files that are only shown: siege's keep-alive is in its settings alone.
    shown = Files(body="body.txt", rc="keep-alive.siegerc" if load.keepalive else "siegerc")
    argv = tool.argv(load, shown)
    if any(not part or not part.isprintable() for part in argv):
        raise NotAllowed("An argument of the command line is empty or has a control character in it.")
    return tool.argv(load, files) if files else argv


def join_command(argv: Sequence[str]) -> str:
    """A command line as a person would type it. Build it from the load as planned: its secrets are names there."""
    return shlex.join(argv)
