"""What a text shows beside its load tests: headers of pages, the governor, clocks, the network, and what slows one or several."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from parsers.blocks import Block
from parsers.commands import LOCAL
from parsers.records import SystemSample
from parsers.shown import ASKED, COMMIT, FAILED, FIGURES, HEADERS, SLOWED, VERSION_OF
from runs.numbers import figure

from .boilerplate import heading_level, is_boilerplate
from .heading_words import is_generic, is_sentence

_EMPTIES_CACHE = re.compile(r"\b(?:echo|sysctl)\b.*\bdrop_caches\b")
_JUST_UP_S = 300  # a machine that starts its services still
_MANY_RUNNING = 4.0  # a load average by work that nobody meant
STATES = {"governor": "cpu_governor", "HTTP": "cached", "cache": "cached"}  # by what shows them
_SHOW_LOAD = {"uptime", "loadavg"}  # before a load test; a screen of processes may be of the load itself
_MOST_ROWS = 32  # of a list of containers
_OF_A_MACHINE = {"architecture", "vendor_id"}  # what a whole description of a CPU has
_COUNTS_CORES = "nproc"
_VOLATILE = re.compile(r"\d:\d\d|\b(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,}\b")  # times and ids
# What commands show that is compared elsewhere.
_ELSEWHERE = {"HTTP", "Server", "cache", "governor", "environment", "directory", "Active", "Up", SLOWED, FAILED}
_ELSEWHERE |= {*FIGURES, *HEADERS}
_RESTARTS = re.compile(
    r"\b(?:systemctl|docker(?:[ -]compose)?|podman|pm2|supervisorctl|kubectl rollout|rc-service)\s(?:\S+\s)?restart\b"
    r"|\bservice \S+ restart\b|/etc/(?:init|rc)\.d/\S+ restart\b"
)
_WARMS_UP = re.compile(r">\s*/dev/null|#[^#]*\bwarm", re.IGNORECASE)  # behind the address that a command requests
_NAMES_START = re.compile(r"cold|warm|restart|fresh|start", re.IGNORECASE)
_LONGEST_ANSWER = 100  # characters
_DROPS, _MANY_DROPPED = "tcp_listen_drops_per_s", 100  # a counter by the name of its metric
_COUNTERS = {"counters", "sections"}  # what blocks of the kernel's counters have


def note_beforehand(blocks: Sequence[Block], loads: Collection[int]) -> None:
    """Put into each load test's values what was done or shown since the one before that would make it slow: {what: in words}.

    A load average tells of other work only before the first one, as it falls slowly.
    """
    told: dict[str, str] = {}
    is_first = True
    for index, block in enumerate(blocks):
        told |= _read_state(block, is_first)
        if index in loads:
            if told:
                block.values["beforehand"] = told
            told, is_first = {}, False


def _read_state(block: Block, is_first: bool) -> dict[str, str]:
    told = {}
    typed = (*block.typed, *(text for _, text in block.trail))  # what root typed looks like a heading
    if any(map(_EMPTIES_CACHE.search, typed)):
        told["cache"] = "the page cache was emptied"
    up, load = block.values.get("uptime_s"), block.values.get("load1")
    if isinstance(up, (int, float)) and up < _JUST_UP_S:
        told["machine"] = f"the machine was up for {figure(up / 60)} min"
    if is_first and block.kind in _SHOW_LOAD and isinstance(load, (int, float)) and load >= _MANY_RUNNING:
        told["load"] = f"the load average was {figure(load)}"
    for name, value, _ in block.shown:
        if name in ("Active", "Up"):
            told["service"] = f"the server was up for {value}"
    return told


def note_shown(blocks: Sequence[Block], loads: Collection[int]) -> None:
    """Load tests behind a page's headers were answered from a cache or not, and ran under the governor that was shown last."""
    states = {}
    has_cache = any(name == "cache" for block in blocks for name, _, _ in block.shown)
    for index, block in enumerate(blocks):
        for name, value, _ in block.shown:
            if has_cache and name == "HTTP":
                states["cached"] = "no hit"  # unless a header below it says otherwise
            if key := STATES.get(name):
                states[key] = value if name == "governor" else "a hit" if value == "hit" else "no hit"
        if states and index in loads:
            block.values |= states


def note_answers(blocks: Sequence[Block], loads: Collection[int]) -> None:
    """What is shown in the section of load tests, before or behind them: the server and the status that headers tell, what
    slows the machine, the clock of its fastest core, and figures of the way to it.
    """
    sections = number_sections(blocks)
    answers = _collect_shown(blocks, sections)
    for index, block in enumerate(blocks):
        answers["cpu_mhz", sections[index]] |= _list_clocks(block)
    for load in loads:
        path = blocks[load].load_results[0].path or ""
        statuses = {
            status for each in answers["HTTP", sections[load]] for status, _, of in [each.partition(" ")] if of == path
        }
        for key, answered in (("shown_server", answers["Server", sections[load]]), ("shown_status", statuses)):
            if len(answered) == 1:
                blocks[load].values[key] = next(iter(answered))
        if slowed := answers[SLOWED, sections[load]]:
            blocks[load].values["slowed_by"] = sorted(slowed)
        figures = {name: [*map(float, answers[name, sections[load]])] for name in ("cpu_mhz", *FIGURES)}
        blocks[load].values |= {name: max(answered) for name, answered in figures.items() if answered}


def _collect_shown(blocks: Sequence[Block], sections: Mapping[int, int]) -> dict[tuple[str, int], set[str]]:
    """{(name, number of a section): what commands showed there}"""
    shown: dict[tuple[str, int], set[str]] = defaultdict(set)
    for index, block in enumerate(blocks):
        begins = next((line for line, text in block.trail if begins_section(text)), 0)
        for name, value, line in block.shown:
            shown[name, sections[index] - (line < begins)].add(value)
    for name, value, _ in blocks[-1].shown_behind if blocks else ():
        shown[name, sections[len(blocks) - 1]].add(value)
    return shown


def find_failing(blocks: Sequence[Block], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """(name of a config, what failed) by logs that are shown in sections whose load tests are all of that config."""
    sections = number_sections(blocks)
    owners: dict[int, set[str]] = defaultdict(set)
    for load, name in names.items():
        owners[sections[load]].add(name)
    for (kind, section), said in _collect_shown(blocks, sections).items():
        if kind == FAILED and len(owners[section]) == 1:
            yield from ((name, what) for name in owners[section] for what in said)


def _list_clocks(block: Block) -> set[str]:
    """Of the cores that a block shows, each by itself or only their clocks, in MHz."""
    cores, clocks = block.values.get("processors"), block.values.get("cpu_mhz")
    every = clocks if isinstance(clocks, list) else [clocks]
    every = every + [core.get("cpu_mhz") for core in cores] if isinstance(cores, list) else every
    return {str(clock) for clock in every if isinstance(clock, (int, float))}


def number_sections(blocks: Sequence[Block]) -> dict[int, int]:
    """{block's number: number of its section}: one begins with each heading, and with each line that is a name."""
    numbers: dict[int, int] = {}
    number = 0
    for index, block in enumerate(blocks):
        number += any(begins_section(text) for _, text in block.trail)
        numbers[index] = number
    return numbers


def begins_section(text: str) -> bool:
    return bool(heading_level(text)) or not (is_sentence(text) or is_boilerplate(text) or is_generic(text))


def list_answers(shown: Sequence[tuple[str, str, int]]) -> dict[str, frozenset[str]]:
    """{command: what it answered} without times, ids and what is compared elsewhere. shown: see Block"""
    answers = {
        name.removeprefix(ASKED): frozenset({value})
        for name, value, _ in shown
        if name not in _ELSEWHERE
        and len(value) <= _LONGEST_ANSWER
        and (name.startswith((f"{ASKED}{COMMIT}", f"{ASKED}{VERSION_OF}")) or not _VOLATILE.search(value))
    }
    return answers | _describe_headers(shown)


def _describe_headers(shown: Iterable[tuple[str, str, int]]) -> dict[str, frozenset[str]]:
    """What the headers of a page tell, and what they do not; whether it was the page itself or led to another one."""
    headers = {name: value for name, value, _ in shown if name == "HTTP" or name in HEADERS}
    status = headers.get("HTTP", "")[:1]
    if status not in ("2", "3"):
        return {}
    said = {"answer": "a redirect" if status == "3" else "the page itself"}
    said |= {name: f"{name} {headers[name]}" if name in headers else lacks for name, lacks in HEADERS.items()}
    return {name: frozenset({value}) for name, value in said.items()}


def describe_machine(block: Block) -> dict[str, frozenset[str]]:
    """The kernel, the hypervisor and the cores that a block shows."""
    shown = {}
    if block.kind == _COUNTS_CORES and (cores := block.values.get("n_processors")):
        shown["cores"] = f"{cores} core{'' if cores == 1 else 's'}"
    if kernel := block.values.get("kernel_release"):
        shown["kernel"] = str(kernel)
    if block.values.keys() >= _OF_A_MACHINE:
        vendor = block.values.get("hypervisor_vendor")
        shown["hypervisor"] = f"hypervisor {vendor}" if vendor else "no hypervisor"
    return {key: frozenset({said}) for key, said in shown.items()}


def list_limits(block: Block) -> dict[str, frozenset[str]]:
    """How much memory the containers that a block lists may have: all of them alike, or each by its name."""
    rows = block.values.get("rows")
    listed = islice(rows, _MOST_ROWS) if isinstance(rows, Sequence) else ()
    limits = {
        str(row.get("name")): kb for row in listed if isinstance(row, Mapping) and (kb := row.get("mem_limit_kb"))
    }
    alike = len({*limits.values()}) == 1
    return {
        "memory limit" if alike else f"memory limit of {name}": frozenset({f"memory limit {figure(kb / 1024)} MiB"})
        for name, kb in limits.items()
    } | _list_cpu_limits(block)


def _list_cpu_limits(block: Block) -> dict[str, frozenset[str]]:
    """How much CPU time the control groups that a block shows may use, the least of them."""
    groups = block.values.get("groups")
    shown = [group for group in groups.values() if "cpu.max_cores" in group] if isinstance(groups, Mapping) else []
    cores = [group["cpu.max_cores"] for group in shown if group["cpu.max_cores"]]
    least = min(cores, default=0)
    said = f"CPU limit {figure(least)} core{'' if least == 1 else 's'}" if cores else "no CPU limit"
    return {"CPU limit": frozenset({said})} if shown else {}


def find_generators(blocks: Sequence[Block], loads: Iterable[int]) -> set[str | None]:
    """The machines at whose prompts another one was loaded. What is shown of them is of no config."""
    found: set[str | None] = set()
    for load in loads:
        own, hostname = blocks[load].prompt_host, blocks[load].load_results[0].hostname or ""
        is_other = hostname and hostname not in LOCAL and not hostname.startswith(f"{own}.") and hostname != own
        found |= {own} if own and is_other else set()
    return found


def find_restarted(blocks: Sequence[Block], names: Mapping[int, str]) -> set[str]:
    """The configs whose server was restarted before each of several runs, where that of no other one was so more than once.

    Of single runs those, where all others began warm: requests were made before them and their server was not restarted.
    """
    restarts: dict[str, list[bool]] = defaultdict(list)
    is_warm, is_cold = (defaultdict[str, bool](lambda: True) for _ in range(2))
    for load, name in names.items():
        restarts[name].append(any(map(_RESTARTS.search, blocks[load].typed)))
        is_warmed = any(_WARMS_UP.search(command.partition("://")[2]) for command in blocks[load].typed)
        is_warm[name] &= not restarts[name][-1] and is_warmed
        is_cold[name] &= not is_warmed
    restarted = {name for name, each in restarts.items() if all(each)}
    is_meant = any(map(_NAMES_START.search, restarts))
    others = [name for name in restarts if name not in restarted]
    are_several = all(sum(restarts[name]) <= 1 < len(restarts[name]) for name in others)
    if is_meant or not others or not (are_several or all(is_warm[name] for name in others)):
        return set()
    return {name for name in restarted if (len(restarts[name]) > 1 if are_several else is_cold[name])}


def find_dropped(blocks: Sequence[Block], names: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """(name of a config, how many connections were dropped) by the kernel's counters before and behind its load tests."""
    dropped: dict[str, float] = defaultdict(float)
    generators, before, between = find_generators(blocks, names), None, set[str]()
    for at, block in enumerate(blocks):
        if at in names:
            between.add(names[at])
            continue
        is_server = block.prompt_host not in generators and not _COUNTERS.isdisjoint(block.values)
        samples = block.records if is_server else ()
        counts = [one.counters[_DROPS] for one in samples if isinstance(one, SystemSample) and _DROPS in one.counters]
        if counts and before is not None:
            for name in between:
                dropped[name] += counts[-1] - before
        before, between = (counts[-1], set()) if counts else (before, between)
    for name, n in dropped.items():
        if n >= _MANY_DROPPED:
            yield name, f"{figure(n)} SYNs dropped at a full listen queue (backlog)"
