"""Machines and files as a plan names them: how one is reached, and which files of it may be shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import normpath

DESTINATION = re.compile(r"(?!.*@-)[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,254}")
FILE = re.compile(r"/(?!/)[A-Za-z0-9_./@+:,=~-]{0,499}")
# Keys, passwords and databases by their usual names, and what editors and administrators keep beside them (site.key.bak).
PRIVATE = re.compile(
    r"\.(?:key|pem|p8|p12|pfx|ppk|gpg|jks|keystore|keytab|env|sqlite3?|db)(?![a-z0-9])"
    r"|(?:^|[/._-])(?:key|pwd|secrets?|passwd|passwords?|passphrase|credentials?|tokens?)(?![a-z0-9])"
    r"|htpasswd|htdigest|/\.|/g?shadow|/id_[a-z0-9]+$|priv(?:ate|key)",
    re.I,
)
# The kernel shows processes there, with their environments and their open files, and what services pass each other.
NO_FILES = ("/proc", "/sys", "/dev", "/run", "/var/run")
PROGRAM = re.compile(r"(?:/[A-Za-z0-9_.+/-]+|[A-Za-z0-9_][A-Za-z0-9_.+-]*)")


class BadPlace(ValueError):
    """A destination or a file that is not taken; the message is a sentence."""


def check_destination(text: str) -> None:
    """Raises BadPlace unless ssh takes it for a host, and never for an option."""
    if not DESTINATION.fullmatch(text):
        raise BadPlace(f"{text!r} is no ssh destination such as web1 or bench@web1.")


def check_identity(text: str) -> None:
    """Raises BadPlace unless it is empty or the absolute path of a key."""
    if text and (not FILE.fullmatch(text) or normpath(text) != text):
        raise BadPlace(f"{text!r} is no absolute path of a private key on the worker's machine.")


def check_config_file(path: str, readable: Sequence[str]) -> None:
    """Raises BadPlace unless the file lies in a place that its target shows, and is no key or password file."""
    if not FILE.fullmatch(path) or normpath(path) != path:
        raise BadPlace(f"{path!r} is no plain absolute path of a file.")
    if not any(path == place or path.startswith(f"{place.rstrip('/')}/") for place in readable):
        raise BadPlace(
            f"{path} is in no folder that the target shows files from ({', '.join(readable) or 'there is none'})."
        )
    if PRIVATE.search(path) or _of_the_kernel(path):
        raise BadPlace(
            f"{path} looks like a file of keys, passwords or data; what is read is stored for everybody to see."
        )


def check_readable(place: str) -> None:
    """Raises BadPlace unless it is a folder or file that may be opened to plans; the root folder is none."""
    if not FILE.fullmatch(place) or normpath(place) != place or place == "/":
        raise BadPlace(f"{place!r} is no plain absolute path of a folder or file.")
    if _of_the_kernel(place):
        raise BadPlace(f"{place} holds what processes keep in memory, and no config files.")


def _of_the_kernel(path: str) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in NO_FILES)


def check_switch(argv: object) -> None:
    """Raises BadPlace unless it is a command as a list: a program, by its path or its plain name, and its arguments."""
    if not isinstance(argv, list) or not argv or not all(isinstance(part, str) and part for part in argv):
        raise BadPlace('A switch is a list of texts, such as ["systemctl", "reload", "nginx"].')
    if not PROGRAM.fullmatch(argv[0]):
        raise BadPlace(f"{argv[0]!r} is neither the absolute path of a program nor its plain name.")
    if not all(part.isprintable() and len(part) <= 1000 for part in argv):
        raise BadPlace("An argument of a switch has a line break or a control character in it.")
