"""What tells two set-ups apart that no heading does: another server that answered, or another text in the same file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from parsers import Block, LoadResult

from .headings import Choice
from .machines import LOCAL

Server = tuple[str, str, int]  # software, host, port; "" or 0 where the tool did not print it

_URL = re.compile(
    r"(?:https?://(?=\S)|(?<=\s)(?=localhost|[\w-]+\.[\w.-]+\w[:/]))(?P<host>[\w.-]+|\[[\da-fA-F:]+\])(?::(?P<port>\d{1,5}))?/"
)


def server_of(result: LoadResult, block: Block) -> Server:
    """Who answered, by what the tool printed, else by the address in its command; "localhost" is the prompt's machine."""
    host, port = (result.hostname or "").lower(), result.port or 0
    if not host and (url := _URL.search(block.command or "")):
        host, port = url["host"].lower(), int(url["port"] or 0)
    if host in LOCAL:
        host = (block.prompt_host or "localhost").lower()
    return result.server_software or "", host, port


def _agree(one: Server, other: Server) -> bool:
    if one[2] != other[2] and one[2] and other[2]:  # ports differ most often, and this is asked very often
        return False
    return all(not a or not b or a == b for a, b in zip(one, other, strict=True))


def same_server(servers: Sequence[Server], server: Server) -> int:
    """Place of the first of `servers` that `server` may be."""
    if server in servers and all(server):  # nothing left open: it can be no other
        return servers.index(server)
    return next(place for place, other in enumerate(servers) if _agree(server, other))


def merge_server(servers: list[Server], server: Server) -> None:
    """Add a server unless it is there; what was not printed before is filled in."""
    if server in servers and all(server):
        return
    for place, other in enumerate(servers):
        if _agree(server, other):
            servers[place] = (other[0] or server[0], other[1] or server[1], other[2] or server[2])
            return
    servers.append(server)


def states(
    blocks: Sequence[Block], loads: Sequence[int], texts: Sequence[int], choices: Mapping[int, Choice]
) -> dict[int, tuple[tuple[str, str], ...]]:
    """{load: (path, text) of each file that was another when the last heading stood}, for loads without a heading."""
    shown: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for i in texts:
        if path := str(blocks[i].values.get("path") or ""):
            shown[path].append((i, str(blocks[i].values.get("text", ""))))
    changing = {path: found for path, found in shown.items() if len({text for _, text in found}) > 1}
    found: dict[int, tuple[tuple[str, str], ...]] = {}
    if not changing:
        return found
    base: dict[str, str] = {}
    for load in loads:
        now = {path: _at(looks, load) for path, looks in changing.items()}
        if not base or not choices[load].inherited:
            base = now
        else:
            found[load] = tuple((path, text) for path, text in sorted(now.items()) if text != base[path])
    return found


def _at(looks: Sequence[tuple[int, str]], load: int) -> str:
    """The text last shown before a load test, or else the first one shown. `looks`: (block number, text), in order."""
    place = bisect_left(looks, load, key=lambda look: look[0])
    return looks[max(place - 1, 0)][1]
