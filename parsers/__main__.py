"""python -m parsers [FILE ...]: JSON Lines, one object per recognised block.

Exit status: 0 something was recognised, 1 nothing was, 2 unreadable input.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from .blocks import Block
from .catalogue import formats
from .decode import NotText, name_encoding, open_lines
from .reader import read
from .tables import Table


def as_json(block: Block, source: str) -> str:
    """The block as one line of JSON."""
    shown = {
        "kind": block.kind,
        "lines": [block.first, block.last],
        "heading": block.heading,
        "command": block.command,
        "partial": block.partial,
        "source": source,
        "values": block.values,
        "problems": [{"line": p.line, "message": p.message} for p in block.problems],
    }
    return json.dumps(shown, ensure_ascii=False, default=_rows)


def _rows(value: object) -> object:
    if isinstance(value, Table):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _read_stdin(stream: BinaryIO) -> Iterator[str]:
    """Lines of a pipe as they come; the first line tells its encoding."""
    head = stream.readline()
    encoding = name_encoding(head)
    if encoding.startswith("utf-16") or encoding.startswith("utf-32"):
        yield from (head + stream.read()).decode(encoding, errors="replace").split("\n")
        return
    yield head.decode(encoding, errors="replace")
    for line in stream:
        yield line.decode(encoding, errors="replace")


def main(names: list[str]) -> int:
    recognised = False
    for name in names or ["-"]:
        try:
            lines: Iterable[str] = _read_stdin(sys.stdin.buffer) if name == "-" else open_lines(Path(name))
            for block in read(lines):
                recognised = True
                sys.stdout.write(as_json(block, name) + "\n")
                if name == "-":
                    sys.stdout.flush()
        except (OSError, NotText) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
    if not recognised:
        print(f"nothing recognised; looked for the output of {', '.join(sorted(formats()))}", file=sys.stderr)
    return 0 if recognised else 1


if __name__ == "__main__":
    for name in {"SIGINT", "SIGPIPE"} & {
        one.name for one in signal.Signals
    }:  # Ctrl-C and `| head` end it as other tools
        signal.signal(signal.Signals[name], signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
