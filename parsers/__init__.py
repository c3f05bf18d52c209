"""Text of load tests and system tools to records. Standard library only, no Django.

`read(lines)` is the only entry point and yields blocks.Block; `open_lines(path)` opens a file for it.
"""

from .blocks import Block
from .catalogue import find_cited_lines, find_requested_load, get_semantics, parse_command
from .decode import NotText, Text, open_lines
from .reader import read
from .records import (
    ConfigText,
    HostFacts,
    LoadResult,
    Problem,
    ProcessSample,
    Record,
    Semantics,
    SystemSample,
    Timings,
)

VERSION = "1"

__all__ = [
    "VERSION",
    "Block",
    "ConfigText",
    "HostFacts",
    "LoadResult",
    "NotText",
    "Problem",
    "ProcessSample",
    "Record",
    "Semantics",
    "SystemSample",
    "Text",
    "Timings",
    "find_requested_load",
    "find_cited_lines",
    "open_lines",
    "parse_command",
    "read",
    "get_semantics",
]
