"""Request headers of a plan: which may be sent, in RFC 9110's terms. Secrets have a room of their own."""

from __future__ import annotations

import re

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$%&'*+.^_`|~-]{0,99}")  # a token, but never with a dash in front
VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?")
LONGEST = 1800  # siege has room for 2048 characters of headers
MOST = 40
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


class BadHeader(ValueError):
    """A header that cannot be sent; the message is a sentence."""


def check(name: str, value: str) -> None:
    """Raises BadHeader for a header that no plan may have."""
    if not NAME.fullmatch(name):
        raise BadHeader(f"{name!r} is no header's name.")
    if name.lower() in NOT_OURS:
        raise BadHeader(f"The header {name} is not for a plan to set: {NOT_OURS[name.lower()]}.")
    if len(value) > LONGEST:
        raise BadHeader(f"The header {name} is longer than {LONGEST} characters.")
    if not VALUE.fullmatch(value):
        raise BadHeader(f"The header {name} needs a value of printable ASCII characters in one line.")


def check_content_type(text: str) -> None:
    """Raises BadHeader unless it is empty or reads like text/plain; charset=utf-8."""
    if text and not re.fullmatch(r"[A-Za-z0-9][\w.+-]*/[\w.+-]+(?:;[\x20-\x7e]{1,150})?", text, re.A):
        raise BadHeader(f"{text!r} is no content type such as application/json.")


def parse(text: str) -> list[tuple[str, str]]:
    """Headers as people write them, one a line: "Name: value". Raises BadHeader."""
    found = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        if not colon:
            raise BadHeader(f"{line.strip()!r} has no colon; a header is written Name: value.")
        found.append((name.strip(), value.strip()))
    return found
