"""Command lines that run several load tests in turn: loops of the shell, several scripts on a line, several files shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, product

from parsers.blocks import Block

from .heading_words import find_repeat
from .typed_commands import LOOP, Words, list_scripts

# Options that change with each run and nothing for the server, and those that name an output
NEUTRAL = re.compile(r"--?(?:seed|id|run-?id|uuid|time-?stamp|date|tag|label|title|note)(?P<value>=|$)", re.IGNORECASE)
OUTPUT = re.compile(
    r"(?:--?(?:o|out|output|outfile|log|logfile|save|csv|json|html|report|export)[\w-]*)(?:=(?P<file>.+))?$",
    re.IGNORECASE,
)
_SHOWN_FILES = re.compile(
    r"(?:cat|more|less|tail|head|bat)\s+(?:-\S+\s+(?:\+?\d+\s+)?)*(?P<files>[\w./-]+(?:\s+[\w./-]+)*)$"
)
_RANGE = re.compile(  # "$(seq 1 4)", "`seq 10 10 50`", "{1..8}"
    r"(?:\$\(|`)\s*seq\s+(?P<seq>\d{1,6}(?:\s+\d{1,6}){0,2})\s*(?:\)|`)"
    r"|\{(?P<first>\d{1,6})\.\.(?P<last>\d{1,6})(?:\.\.(?P<step>\d{1,6}))?\}"
)
_MOST_TURNS = 100


def fill_in_loops(blocks: Sequence[Block], loads: Collection[int]) -> None:
    """Put the word of each turn of a loop into the command of the load test that it printed: "-c $c" becomes "-c 10"."""
    for load, words in find_turns(blocks, loads) if loads else ():
        block = blocks[load]
        if words[0] == "for" and (loop := LOOP.search(_RANGE.sub(_count_out, block.command or ""))):
            variable = rf"\$(?:{loop['name']}\b|\{{{loop['name']}\}})"
            block.command = words[-1].rpartition("=")[2].join(re.split(variable, block.command or ""))


def find_turns(blocks: Sequence[Block], loads: Collection[int]) -> Iterator[tuple[int, Words]]:
    """(load, the script of its turn) of each command line that runs several in turn and printed a load test of each, or as many."""
    printed: list[int] = []
    scripts: list[Words] = []
    for index in [*range(max(loads) + 1), -1]:
        if index < 0 or blocks[index].typed:
            if scripts and printed and len(printed) % len(scripts) == 0:
                each = len(printed) // len(scripts)
                yield from ((load, scripts[at // each]) for at, load in enumerate(printed))
            scripts, printed = _list_turns(blocks[index].typed[-1]) if index >= 0 else [], []
        printed += [index] if index in loads else []


def _list_turns(command: str) -> list[Words]:
    """The words of a loop, or several scripts on one line; empty where they only count."""
    command = _RANGE.sub(_count_out, command)
    loops = list(LOOP.finditer(command))
    if not loops:
        if (shown := _SHOWN_FILES.match(command)) and len(files := shown["files"].split()) > 1:
            return [("cat", f">{file}") for file in files]
        scripts = list_scripts(command)
        return scripts if len(set(scripts)) > 1 else []
    turns = [tuple(chain(*words)) for words in product(*(_list_turns_of(loop, command) for loop in loops))]
    return turns if len({*turns}) > 1 else []


def _list_turns_of(loop: re.Match[str], command: str) -> list[Words]:
    items = loop["items"].split()
    if not all(map(str.isdigit, items)):
        return [("for", item) for item in items]
    if option := _find_option_of_loop(loop["name"], command[loop.end() :]):
        return [("for", option, item) if option[0] == "-" else ("for", f"{option}={item}") for item in items]
    is_count = count_up(list(map(int, items)), 2)
    return [() if is_count else ("for", f"{loop['name']}={item}") for item in items]


def _count_out(found: re.Match[str]) -> str:
    """The numbers of a range, as the shell puts them into a loop; the range itself where they are too many."""
    parts = [int(part) for part in (found["seq"] or f"{found['first']} {found['step'] or 1} {found['last']}").split()]
    first, step = (parts[0] if len(parts) > 1 else 1), (parts[1] if len(parts) > 2 else 1)
    numbers = range(first, parts[-1] + 1, max(step, 1))
    return " ".join(map(str, numbers)) if len(numbers) <= _MOST_TURNS else found[0]


def _find_option_of_loop(name: str, body: str) -> str:
    """What a loop's variable is the value of, "-w" in `gunicorn -w $w`; "" where it only counts, or names an output."""
    found = re.search(
        rf"(?<![\w$-])(--?[A-Za-z][\w-]*|[A-Z][A-Z0-9_]+)(?:=|\s)?[\"']?\$(?:{name}\b|\{{{name}\}})[\"']?(?=\s|;|$)",
        body,
    )
    is_option = found and not (NEUTRAL.match(f"{found[1]}=") or OUTPUT.fullmatch(found[1]))
    return found[1] if found and is_option and find_repeat(f"{found[1].strip('-')} 1") is None else ""


def count_up(numbers: Sequence[int], least: int) -> bool:
    """Whether these are at least so many numbers that count from 1 or 0."""
    return len(numbers) >= least and list(numbers) in (list(range(1, len(numbers) + 1)), list(range(len(numbers))))
