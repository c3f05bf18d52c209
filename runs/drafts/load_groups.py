"""Several load tests of one command line: parts that ran at the same time, and the turns of a loop.

Parts ran on several machines, or several times on one: the first report gets the sum of all. A rate of one part is no repeat
of another's, and says nothing of the server. Turns are those of loops of the shell, several scripts on a line, several files.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby, product

from parsers.blocks import Block
from parsers.catalogue import parse_command
from parsers.commands import LOCAL
from parsers.patterns import compile_words, lower

from .boilerplate import strip_markup
from .heading_words import find_repeat
from .typed_commands import LOOP, MAX_COMMAND, SSH, Typing, Words, split_commands

_AT_ONCE = re.compile(  # programs that run a command on several machines, or several times, at once
    r"(?:^|[;&|(]\s*|\b(?:sudo|time|do)\s+)(?:pdsh|clush|pssh|parallel-ssh|parallel_ssh|mussh|dsh|ansible(?:-playbook)?|salt(?:-ssh)?"
    r"|fab|xargs(?=\s.*-P\s?(?:0|[2-9]|\d\d))|parallel)\s(?!.*\s(?:-j|-f|-P|--forks|--jobs)[\s=]?1\b)"
)
_BACKGROUND = re.compile(r"(?<![&>\d|])&(?![&>\d])")
_SAYS_AT_ONCE = compile_words(
    r"at the (?:very )?same (?:time|moment|instant|second)|(?:start|launch|r[au]n|fir)\w* together\b|simultaneous"
    r"|(?:in|as) parallel\b|\bparallel (?:from|on)\b|concurrently|\bat once\b"
    r"|gleichzeitig|zeitgleich|\bparallel (?:von|auf)\b|en parallèle|en même temps|simultán|al mismo tiempo|ao mesmo tempo"
    r"|równocześnie|jednocześnie|równolegle|одновременно|параллельно|同時|並列|同时|并行",
)
_NEVER = compile_words(
    r"\b(?:no (?:two|other)|never|not|nothing|none|isolated|sequential(?:ly)?|nicht|nie|kein(?:e|er)?|jamais|nunca|не|никогда)\b"
)
_SAYS_GENERATORS = re.compile(
    r"\b(?:load[ -]?)?(?:generators?|clients?|machines?|boxes|hosts|nodes|injectors?|agents?|vms?|instances|terminals?|servers)\b"
    r"|maschinen|rechnern?|klient|clientes|машин|генератор|клиент|hostów|maszyn|[台機机]|端",
    re.IGNORECASE,
)
# Above a machine's output: "gen1 | CHANGED | rc=0 >>", "[1] 13:02:11 [SUCCESS] gen1", "==> gen1 <=="
_HOST_LINE = re.compile(
    r"(?P<a>[\w.-]+) \| (?:CHANGED|SUCCESS|FAILED)\b.*|\[\d+\] [\d:]{8} \[\w+\] (?P<b>[\w.@:-]+)"
    r"|[-=*#>\s\[]*(?P<c>[A-Za-z][\w.-]*)[-=*#<:\s\]]*"
)
_GENERATOR = re.compile(
    r"(?:lg|gen(?:erator)?|load\w*|client|klient|injector|agent|attacker|driver|machine|rechner|vm|box|host|node|terminal|pane|instance)"
    r"[-_]?\w{0,3}",
    re.IGNORECASE,
)
_REQUESTS = re.compile(r"\d\s+(?:\w+\s+)?(?:requests?|connections?|users?|anfragen|reqs?)\s*\W*$", re.IGNORECASE)
# What differs between the names of the pods, or containers, of one service.
# "bench-h1-1" and "bench-h2-1" are of two services.
_OF_ONE_POD = re.compile(
    r"(?:-[a-z0-9]{8,10})?-[a-z0-9]{5}(?=/|$)|(?<![A-Za-z\d])\d+|(?<=[A-Za-z])\d+(?!\d|[-_]\d{1,4}(?:/|$))"
)
_MOST = 64  # parts


def join_parts(blocks: Sequence[Block], loads: Sequence[int]) -> dict[int, int]:
    """{load test that is a part: the first one of its load, which has the sum now}."""
    joined: dict[int, int] = {}
    for first, *others in _find_parts(blocks, loads):
        joined |= dict.fromkeys(others, first)
        parts = [blocks[load] for load in (first, *others)]
        names = [_name_part(part) or f"#{at}" for at, part in enumerate(parts, start=1)]
        for part in parts:
            part.trail = [(line, text) for line, text in part.trail if strip_markup(text) not in names]
        parts[0].label, parts[0].heading = None, parts[0].trail[-1][1] if parts[0].trail else None
        parts[0].add_up(parts, names)
    return joined


def _find_parts(blocks: Sequence[Block], loads: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The numbers of the load tests that were parts of one load, at least two."""
    single = []
    for base, stretch in groupby(loads, key=lambda load: _OF_ONE_POD.sub("#", blocks[load].stream)):
        by_stream: dict[str, list[int]] = defaultdict(list)
        for load in stretch:
            by_stream[blocks[load].stream].append(load)
        own = [*by_stream.values()]
        are_even = bool(base) and len(own) > 1 and len({*map(len, own)}) == 1
        repeats = [*zip(*own, strict=False)] if are_even else []  # the first of each, the second of each
        if repeats and all(_load_alike(blocks[each[0]], blocks[load], base) for each in repeats for load in each):
            yield from repeats
        else:
            single += sorted(load for each in own for load in each)
    yield from _find_parts_of_commands(blocks, single)


def _find_parts_of_commands(blocks: Sequence[Block], loads: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Those that one command ran at once, or that ran at the same time as the text says."""
    group: list[int] = []
    names: set[str] = set()
    command, is_said, before = "", False, -1
    for load in loads:
        block, name = blocks[load], _name_part(blocks[load])
        typed = [each for between in blocks[before + 1 : load + 1] for each in between.typed]
        most = 0 if typed else _count_at_once(command)
        may_repeat = len(group) < most and (bool(name) or most < _MOST or not LOOP.search(command))
        goes_on = may_repeat if most else is_said and bool(name) and _may_be_generator(block)
        goes_on = goes_on and bool(group) and name not in names and not _is_named(block, name)
        if not (goes_on and _load_alike(blocks[group[0]], block, name)):
            if len(group) > 1:
                yield (*group,)
            group, names = [], set()
            command = typed[-1] if typed else command
            is_said = any(_says_at_once(text) for _, text in block.trail)
        group.append(load)
        names |= {name} if name else set()
        before = load
    if len(group) > 1:
        yield (*group,)


def _says_at_once(text: str) -> bool:
    """Whether a line says that several generators ran at the same time, and not that each sent several requests at once."""
    match = _SAYS_AT_ONCE.search(lower(text))
    if not match or not _SAYS_GENERATORS.search(text):
        return False
    before = text[: match.start()]
    return not (_REQUESTS.search(before) or _NEVER.search(lower(before)))


@lru_cache(maxsize=16)
def _count_at_once(command: str) -> int:
    """How many a command runs at once, at most; 0: one, or one after the other."""
    if _AT_ONCE.search(command):
        return _MOST
    if (loop := LOOP.search(command)) and re.search(r"(?<!&)&\s*;?\s*done\b", command):
        return len(loop["items"].split())
    parts = _BACKGROUND.split(re.sub(r"""'[^']*'|"[^"]*\"""", "x", command))
    n = sum(bool(parse_command(part).tool) for part in parts)
    return n if n > 1 else 0


def _name_part(block: Block) -> str:
    """The machine that a report is of: in front of its lines, in its command or prompt, or above it."""
    if block.label:
        return strip_markup(block.label)
    above = block.trail[-1][1] if block.trail else ""
    if block.stream:
        return block.stream.removeprefix("pod/")
    ssh = SSH.findall(block.command or "")
    if len(ssh) == 1 and "$" not in ssh[0]:
        return str(ssh[0])
    match = _HOST_LINE.fullmatch(above.strip())
    if match and (match["c"] is None or _GENERATOR.fullmatch(match["c"])):
        return str(match["a"] or match["b"] or match["c"])
    return block.prompt_host or ""


def _is_named(block: Block, name: str) -> bool:
    """Whether a heading above a report is of something else than its machine."""
    return any(name not in text for _, text in block.trail[-1:]) if name else bool(block.trail)


def _may_be_generator(block: Block) -> bool:
    """Whether the words in front of a report, if any, are the name of a load generator: the row of a table names a config."""
    return block.label is None or bool(_GENERATOR.fullmatch(strip_markup(block.label)))


def _load_alike(block: Block, other: Block, name: str) -> bool:
    """Whether both reports are of one server: not of what runs on each machine itself."""
    results = [*block.load_results[:1], *other.load_results[:1]]
    if len(results) < 2 or block.kind != other.kind:
        return False
    targets = [(result.hostname, result.port, result.path, result.server_software) for result in results]
    command = parse_command(block.command or other.command or "")
    hosts = {target[0] for target in targets if target[0]} or {command.hostname or ""}
    agree = all(one == other or None in (one, other) for one, other in zip(*targets, strict=True))
    return agree and not (name and hosts & LOCAL)


# Options that change with each run and nothing for the server, and those that name an output
NEUTRAL = re.compile(r"--?(?:seed|id|run-?id|uuid|time-?stamp|date|tag|label|title|note)(?P<value>=|$)", re.IGNORECASE)
OUTPUT = re.compile(
    r"(?:--?(?:o|out|output|outfile|log|logfile|save|csv|json|html|report|export)[\w-]*)(?:=.+)?$",
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
    _share_commands(blocks, loads)
    for load, words in find_turns(blocks, loads) if loads else ():
        block = blocks[load]
        if words[0] == "for" and (loop := LOOP.search(_RANGE.sub(_count_out, block.command or ""))):
            variable = rf"\$(?:{loop['name']}\b|\{{{loop['name']}\}})"
            block.command = words[-1].rpartition("=")[2].join(re.split(variable, block.command or ""))


def _share_commands(blocks: Sequence[Block], loads: Collection[int]) -> None:
    """Give the lines that a loop printed its command, which stands above the first of them alone."""
    loop: Block | None = None
    for block in map(blocks.__getitem__, sorted(loads)):
        if block.command or block.typed or block.trail:
            loop = block if LOOP.search(_RANGE.sub(_count_out, block.command or "")) else None
        elif loop and block.kind == loop.kind:
            block.take_command(loop)


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
        if (match := _SHOWN_FILES.match(command)) and len(files := match["files"].split()) > 1:
            return [("cat", f">{file}") for file in files]
        scripts = _list_scripts(command)
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


def _count_out(match: re.Match[str]) -> str:
    """The numbers of a range, as the shell puts them into a loop; the range itself where they are too many."""
    parts = [int(part) for part in (match["seq"] or f"{match['first']} {match['step'] or 1} {match['last']}").split()]
    first, step = (parts[0] if len(parts) > 1 else 1), (parts[1] if len(parts) > 2 else 1)
    numbers = range(first, parts[-1] + 1, max(step, 1))
    return " ".join(map(str, numbers)) if len(numbers) <= _MOST_TURNS else match[0]


def _find_option_of_loop(name: str, body: str) -> str:
    """What a loop's variable is the value of, "-w" in `gunicorn -w $w`; "" where it only counts, or names an output."""
    match = re.search(
        rf"(?<![\w$-])(--?[A-Za-z][\w-]*|[A-Z][A-Z0-9_]+)(?:=|\s)?[\"']?\$(?:{name}\b|\{{{name}\}})[\"']?(?=\s|;|$)",
        body,
    )
    is_option = match and not (NEUTRAL.match(f"{match[1]}=") or OUTPUT.fullmatch(match[1]))
    return match[1] if match and is_option and find_repeat(f"{match[1].strip('-')} 1") is None else ""


def count_up(numbers: Sequence[int], least: int) -> bool:
    """Whether these are at least so many numbers that count from 1 or 0."""
    return len(numbers) >= least and list(numbers) in (list(range(1, len(numbers) + 1)), list(range(len(numbers))))


def _list_scripts(command: str) -> list[Words]:
    """The scripts that one line runs one after the other, at least two commands: "./bench.sh nginx && ./bench.sh caddy"."""
    scripts: list[Words] = []
    parts = split_commands(command[:MAX_COMMAND])
    for part in parts if len(parts) > 1 else ():
        typing = Typing()
        typing.add(part)
        scripts += [typing.script] if typing.script else []
    return scripts
