"""Request headers of a plan, and secrets: named in a plan, filled in by the worker, masked in whatever is stored.

`{secret:API}` in a header's value or in the body stands for the worker's environment variable BENCHDASH_SECRET_API.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote, quote_plus

from runs.ingest.redact import find_secrets

from .addresses import BadInput
from .snapshots import Load

HEADER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$%&'*+.^_`|~-]{0,99}")  # a token, but never with a dash in front
HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?")
LONGEST_HEADER = 1800  # some load tools take 2048 characters of headers at most
MOST_HEADERS = 40
# What decides where a request goes, or where one request ends and the next begins, is the tool's to say.
NOT_OURS = {
    "host": "register the name as an address of the target",
    "connection": "use the plan's keep-alive",
    "keep-alive": "use the plan's keep-alive",
    "proxy-connection": "use the plan's keep-alive",
    "content-length": "the tool counts the body itself",
    "transfer-encoding": "the tool frames the body itself",
    "content-type": "it has a field of its own",
    "expect": "the tools do not wait for an answer before the body",
    "te": "the tools do not read trailers",
    "trailer": "the tools send no trailers",
    "upgrade": "a load stays with HTTP",
}


class BadHeader(BadInput):
    """A header that cannot be sent."""


def check_header(name: str, value: str) -> None:
    """Raises BadHeader for a header that no plan may have."""
    if not HEADER_NAME.fullmatch(name):
        raise BadHeader(f"{name!r} is not a header name.")
    if name.lower() in NOT_OURS:
        raise BadHeader(f"A plan cannot set the header {name}: {NOT_OURS[name.lower()]}.")
    if len(value) > LONGEST_HEADER:
        raise BadHeader(f"The header {name} is longer than {LONGEST_HEADER} characters.")
    if not HEADER_VALUE.fullmatch(value):
        raise BadHeader(f"The header {name} needs a value of printable ASCII characters in one line.")


def check_content_type(text: str) -> None:
    """Raises BadHeader unless it is empty or reads like text/plain; charset=utf-8."""
    if text and not re.fullmatch(r"[A-Za-z0-9][\w.+-]*/[\w.+-]+(?:;[\x20-\x7e]{1,150})?", text, re.A):
        raise BadHeader(f"{text!r} is no content type such as application/json.")


def parse_headers(text: str) -> list[tuple[str, str]]:
    """Headers as people write them, one a line: "Name: value". Raises BadHeader."""
    headers = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        if not colon:
            raise BadHeader(f"{line.strip()!r} has no colon; a header is written Name: value.")
        headers.append((name.strip(), value.strip()))
    return headers


PREFIX = "BENCHDASH_SECRET_"
MASK = "***"
PLACEHOLDER = re.compile(r"\{secret:([A-Z][A-Z0-9_]{0,63})\}")
ANY_PLACEHOLDER = re.compile(r"\{secret:[^{}]*\}", re.I)
SHORTEST = 6  # a shorter one would be masked inside of ordinary words and figures
SECRET_HEADER = re.compile(
    r"(?:auth|cookie|token|secret|passw|api-?key|access-?key|credential|session|signature)", re.I
)
HOW = "write {secret:NAME} there and give the worker the environment variable " + PREFIX + "NAME"


class SecretFault(BadInput):
    """A secret that is missing, malformed or in the open; the message is without its value."""


def check_header_secret(name: str, value: str) -> None:
    """Raises SecretFault where a header that carries secrets, or a value that looks like one, is in the open."""
    _check_placeholders(value)
    if PLACEHOLDER.search(value):
        return
    if SECRET_HEADER.search(name) or find_secrets([f"{name}: {value}", value]):
        raise SecretFault(f"The value of {name} would be stored readably: {HOW}.")


def check_text(what: str, text: str) -> None:
    """Raises SecretFault where a body or a path holds what looks like a password, a token or a key."""
    _check_placeholders(text)
    text = PLACEHOLDER.sub("$\\1", text)  # which the finder takes for a variable
    lines = re.split(r"[\r\n&?]", text)  # a form's fields and a query's parts each on a line, as the finder reads them
    if find_secrets(lines):
        raise SecretFault(f"The {what} seems to contain a secret, which would be stored readably: {HOW}.")


def _check_placeholders(text: str) -> None:
    for placeholder in ANY_PLACEHOLDER.findall(text):
        if not PLACEHOLDER.fullmatch(placeholder):
            raise SecretFault(f"{placeholder} is not a valid name; names are capital letters, digits and underscores.")


def find_secret_names(load: Load) -> list[str]:
    texts = [value for _, value in load.headers] + [load.body]
    return sorted({name for text in texts for name in PLACEHOLDER.findall(text)})


def _fill(text: str, environ: Mapping[str, str]) -> str:
    """The text with the worker's values in place of the placeholders. Raises SecretFault for a missing one."""
    return PLACEHOLDER.sub(lambda match: _read_value(match[1], environ), text)


def _read_value(name: str, environ: Mapping[str, str]) -> str:
    value = environ.get(PREFIX + name, "")
    if len(value) < SHORTEST:
        fault = "is not set" if not value else f"is shorter than {SHORTEST} characters, too short to be masked surely"
        raise SecretFault(f"In the environment of the worker {PREFIX}{name} {fault}.")
    if not value.isprintable() or not value.isascii():
        raise SecretFault(f"{PREFIX}{name} has characters outside printable ASCII; a header cannot carry them.")
    return value


def fill_load(load: Load, environ: Mapping[str, str] = os.environ) -> Load:
    """The load as it is sent. It lives in memory only: texts and rows are made of the load as it was planned."""
    headers = tuple((name, _fill(value, environ)) for name, value in load.headers)
    return replace(load, headers=headers, body=_fill(load.body, environ))


def mask(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """The text with *** for every secret of the environment, also where it is quoted or encoded the usual ways."""
    values = [value for name, value in environ.items() if name.startswith(PREFIX) and len(value) >= SHORTEST]
    masked: set[str] = set()
    for value in values:
        masked |= {
            value,
            base64.b64encode(value.encode()).decode(),
            quote(value),
            quote(value, safe=""),
            quote_plus(value),
        }
        masked |= {shlex.quote(value).strip("'"), json.dumps(value)[1:-1]}
    for encoded in sorted(masked, key=len, reverse=True):
        text = text.replace(encoded, MASK)
    return text
