"""Conditions that were shown or set once beside the load tests of each config, and that the configs' names say nothing of.

`uname -r` or `nproc` may be answered otherwise before the other config, and its server may be started with more CPUs or as a
debug build: "--cpus=2" against "--cpus=4". What a name tells of is what was to be compared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from parsers.blocks import Block
from parsers.catalogue import get_semantics
from parsers.prompts import ASKED, STATE
from parsers.written_rates import are_kinds_of_work
from runs.numbers import figure

from .boilerplate import heading_level, is_boilerplate, strip_markup
from .draft import DraftHost
from .heading_words import is_generic, is_sentence
from .settings import MAX_WIDTH
from .typed_commands import CONFINES, Typing, Words, keep_last

_AMOUNT = re.compile(r"\d+(?:[.,]\d+)?[A-Za-z]{0,3}")  # a number or a size, but no address, path or name
# "--cpus=2", "NODE_ENV=production"
_SETS = re.compile(r"(?P<flag>--?[A-Za-z][\w.:+-]*|[A-Z_][A-Z\d_]*)=(?P<value>[\w.,-]*)")
_FLAG = re.compile(r"--?[A-Za-z][\w.:+-]*")
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_MOST_ROWS = 32  # of a list of containers
_OF_A_MACHINE = {"architecture", "vendor_id"}  # what a whole description of a CPU has
_EMPTIES_CACHE = re.compile(r"\b(?:echo|sysctl)\b.*\bdrop_caches\b")
_PORT = re.compile(r":(\d{2,5})\b")
_VOLATILE = re.compile(r"\d:\d\d|\b(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,}\b")  # times and ids
# What commands show that is compared elsewhere.
_OF_PAGES = frozenset({"HTTP", "Server", "cache", "cpu", "governor", "environment", "directory"})
_LONGEST_ANSWER = 100  # characters
_MOST_KEPT = 100  # of each kind, the last ones: each load test has a copy of them
_STARTED = "start "  # what the keys of a server's words begin with

_HEADS_REQUEST = re.compile(
    r"[\s#*=_`-]{0,12}(?:endpoint |route )?`?(?:(?P<method>GET|HEAD|POST|PUT|PATCH|DELETE)(?![\w-]) ?)?(?P<path>/[^\s`*]{0,200})?`?"
    r"(?: requests?| endpoint| page| route)?[\s*=_`:-]{0,12}"
)
_NEAREST = 4  # texts above a load test, its label with them, among which one may tell its clients
_HEADS_LOAD = re.compile(
    r"(?<![\w.,-])(\d{1,6}) (?:concurrent|simultaneous|parallel|concurrency)\b"
    r"|\bconcurrency(?: level)?(?: of| ?[:=])? ?(\d{1,6})(?![\w.,]\d)",
    re.IGNORECASE,
)

Conditions = Mapping[str, frozenset[str]]  # {what was asked or started: its answer, or its options}


def note_conditions(blocks: Sequence[Block], names: Mapping[int, str]) -> None:
    """Put into each load test's values those of its conditions that another config had otherwise.

    names: {load: name of its config}, of several configs
    """
    known = _follow(blocks, names)
    by_key: dict[str, dict[str, set[frozenset[str]]]] = defaultdict(lambda: defaultdict(set))
    for load, conditions in known.items():
        for key, said in conditions.items():
            by_key[key][names[load]].add(said)
    differing_of: dict[int, list[str]] = defaultdict(list)
    for key, of_config in by_key.items():
        if len(of_config) == len({*names.values()}) and all(len(said) == 1 for said in of_config.values()):
            differing = _find_differing(key, {name: next(iter(said)) for name, said in of_config.items()})
            for load, name in names.items():
                differing_of[load] += [differing[name]] if name in differing else []
    for load, texts in differing_of.items():
        if texts:
            blocks[load].values["conditions"] = ", ".join(dict.fromkeys(texts))


def _follow(blocks: Sequence[Block], loads: Mapping[int, str]) -> dict[int, dict[str, frozenset[str]]]:
    """{load: what was asked and started last before it}."""
    typing = Typing()
    asked: dict[str, frozenset[str]] = {}
    scripts: dict[str, Words] = {}
    known: dict[int, dict[str, frozenset[str]]] = {}
    last: int | None = None  # the load test above, where no line of the text stands between
    is_emptied = False
    for index, block in enumerate(blocks):
        limits = _list_limits(block)
        last = None if block.trail else last
        if limits and last is not None:
            known[last] |= limits  # shown behind a load test, below the same heading
            continue
        asked |= limits | _describe_machine(block) | _list_answers(block)
        for command in block.typed:
            typing.add(command)
        typed = (*block.typed, *(text for _, text in block.trail))  # what root typed looks like a heading
        is_emptied = is_emptied or any(map(_EMPTIES_CACHE.search, typed))
        if index in loads:
            asked["page cache"] = frozenset({f"page cache {'emptied before it' if is_emptied else 'as it was'}"})
            is_emptied = False
            started = _take_started(typing, scripts)
            keep_last(asked, _MOST_KEPT)
            asked |= _list_variables(started.values())
            ports = {*_PORT.findall(f"{block.command} {block.values.get('url', '')}")}
            last = index
            known[index] = asked | {key: frozenset(_list_options(own, ports)) for key, own in started.items()}
    return known


def _list_answers(block: Block) -> dict[str, frozenset[str]]:
    """{command: what it answered} of those before a block, without times, ids and what is compared elsewhere."""
    return {
        name.removeprefix(ASKED): frozenset({value})
        for name, value, _ in block.shown
        if name not in _OF_PAGES and len(value) <= _LONGEST_ANSWER and not _VOLATILE.search(value)
    }


def _take_started(typing: Typing, scripts: dict[str, Words]) -> dict[str, Words]:
    """{program: the words that it was started with} by the commands so far. scripts: those of a script, which are kept."""
    before = typing.take()
    scripts |= {" ".join(words[:2]): words for words in before.prepared}
    keep_last(scripts, _MOST_KEPT)
    typing.script = ()
    return scripts | {
        key.removeprefix(_STARTED): tuple(said.split())
        for key, said in before.settings.items()
        if key.startswith(_STARTED)
    }


def _list_variables(commands: Iterable[Words]) -> dict[str, frozenset[str]]:
    """{name: the word that sets it} of environment variables that say how a program runs, as "NODE_ENV=production"."""
    return {
        found["flag"]: frozenset({word})
        for words in commands
        for word in words
        if (found := _SETS.fullmatch(word)) and found["flag"].isupper() and STATE.fullmatch(found["value"])
    }


def _describe_machine(block: Block) -> dict[str, frozenset[str]]:
    """The kernel and the hypervisor that a block shows."""
    shown = {}
    if kernel := block.values.get("kernel_release"):
        shown["kernel"] = str(kernel)
    if block.values.keys() >= _OF_A_MACHINE:
        vendor = block.values.get("hypervisor_vendor")
        shown["hypervisor"] = f"hypervisor {vendor}" if vendor else "no hypervisor"
    return {key: frozenset({said}) for key, said in shown.items()}


def _list_limits(block: Block) -> dict[str, frozenset[str]]:
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


def note_generators(blocks: Sequence[Block], generators: Mapping[int, str], hosts: Sequence[DraftHost]) -> None:
    """From which machine each load test was made, or which part of it, where they were not made from the same.

    generators: {load test: the machine at whose prompt it loaded another one, or ""}
    """
    cores = {host.name: f" ({host.cores} core{'' if host.cores == 1 else 's'})" for host in hosts if host.cores}
    are_shown, are_typed = all(generators.values()), all(blocks[load].command for load in generators)
    generator_of = {}
    for load, name in generators.items():
        confined = CONFINES.search(blocks[load].command or "") if are_typed else None
        parts = (f"{name}{cores.get(name, '')}" if are_shown else "", confined[0].strip() if confined else "")
        generator_of[load] = ", ".join(filter(None, parts)) or "all of it"
    for load, said in generator_of.items() if len({*generator_of.values()}) > 1 else ():
        blocks[load].values["loaded_from"] = said


def _list_options(words: Words, ports: Iterable[str]) -> list[str]:
    """The flags, amounts and variables that a server was started with, without those that tell its port, a path or a name."""
    options = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if "port" in word:
            continue
        if (found := _SETS.fullmatch(word)) and found["value"] not in ports:
            options.append(word)
        elif _FLAG.fullmatch(word) and _AMOUNT.fullmatch(following) and following not in ports:
            options.append(f"{word} {following}")
        elif _FLAG.fullmatch(word) and (not following or following.startswith("-")):
            options.append(word)
    return options


def _find_differing(key: str, said: Mapping[str, frozenset[str]]) -> dict[str, str]:
    """{config's name: what it alone has of a condition}, where no name tells of that."""
    every, common = frozenset().union(*said.values()), frozenset.intersection(*said.values())
    is_answer = all(len(each) == 1 and not _is_option(next(iter(each))) for each in said.values())
    if every == common or (not is_answer and all(map(is_generic, said))):
        return {}
    if all(key.lower() in name.lower() for name in said):  # "before opcache.enable=1"
        return {}
    words = {name: {word.lower() for word in _WORD.findall(name)} for name in said}
    shared = set.intersection(*words.values())
    if any(_is_named(words[name] - shared, said[name] - common) for name in said):
        return {}
    return {name: _say(key, own - common, every - common, is_answer) for name, own in said.items()}


def _is_option(said: str) -> bool:
    return bool(_FLAG.match(said) or _SETS.fullmatch(said))


def _is_named(words: Iterable[str], said: Iterable[str]) -> bool:
    text = " ".join(said).lower()
    of_text = {*_WORD.findall(text)}
    return any(word in of_text or (len(word) > 1 and word in text) for word in words)


def _say(key: str, own: frozenset[str], every: frozenset[str], is_answer: bool) -> str:
    """As "kernel 6.1.0", "--cpus=2 -m 512m", "without --release"."""
    text = " ".join(sorted(own)) or f"without {' '.join(sorted(every))}"
    asked = re.sub(r"^(?:cat|head)\s+(?:\S*/)?", "", key)
    if is_answer and not any(word in text for word in asked.split()):
        text = f"{asked} {text}"
    return text[:MAX_WIDTH]


def note_requests(loads: Sequence[Block]) -> None:
    """What the heading or label alone tells of requests: "## POST /users", "100 concurrent", "1 KB"; a command tells its own."""
    _note_works(loads)
    above: Block | None = None
    for block in loads:
        texts = [text for _, text in block.trail] + [block.label or ""]
        named = next(
            (found for text in reversed(texts) if (found := _HEADS_REQUEST.fullmatch(text)) and any(found.groups())),
            None,
        )
        if named and not block.command:
            block.values |= {"method": named["method"]} if named["method"] and "method" not in block.values else {}
            is_new = named["path"] and not any(result.path for result in block.load_results)
            block.values |= {"told_path": named["path"].rstrip(":")} if is_new else {}
        clients = next(filter(None, map(_HEADS_LOAD.search, texts[: -_NEAREST - 1 : -1])), None)
        is_stated = bool(block.command) or any(result.concurrency for result in block.load_results)
        above_has = above is not None and "told_concurrency" in above.values
        if clients and not is_stated:
            block.values["told_concurrency"] = int(next(filter(None, clients.groups())))
        elif above and above_has and not (is_stated or block.trail) and _is_next_row(above, block):
            block.values["told_concurrency"] = above.values["told_concurrency"]
        above = block


def _note_works(loads: Sequence[Block]) -> None:
    """What was requested, where the lines right above all reports name that alone: "1 KB" and "10 KB".

    Either all reports are of one address, or each is of its own.
    """
    above = ([strip_markup(text) for _, text in block.trail if not is_boilerplate(text)] for block in loads)
    titles = [next(reversed(texts), "") for texts in above]
    paths, commands = {block.load_results[0].path for block in loads}, {block.command for block in loads}
    is_other = any(block.label or block.stream or block.values.get("script") for block in loads)
    is_other = is_other or any(map(_HEADS_REQUEST.fullmatch, titles))
    is_other = is_other or any(get_semantics(block.load_results[0].tool).quotes_others for block in loads)
    are_requests = len(paths) == len({*titles}) or len(paths) == len(commands) == 1
    if are_requests and not is_other and are_kinds_of_work([*{*titles}]):
        for block, title in zip(loads, titles, strict=True):
            block.values["told_request"] = title


def _is_next_row(row: Block, other: Block) -> bool:
    """Whether both are rates of one table or list."""
    is_written = get_semantics(row.load_results[0].tool).quotes_others
    return is_written and row.kind == other.kind and other.first - row.last <= 1


_ASSIGNED = re.compile(r"(?P<key>[a-z][\w.-]*)\s?=\s?(?P<value>[^\s=][^=]*)")


def drop_unchanged_settings(blocks: Sequence[Block]) -> None:
    """Leave out the lines of a list of settings ("pm.max_children = 50") whose value no other list changes: they name nothing.

    Those that only a later load test has stay: something was set before it.
    """
    lists: list[tuple[int, dict[tuple[int, str], str]]] = []  # (block's number, {line: key}), of two lines and more
    values: dict[str, set[str]] = defaultdict(set)
    for index, block in enumerate(blocks):
        said = {(line, text): found for line, text in block.trail if (found := _ASSIGNED.fullmatch(text.strip()))}
        numbers = {line for line, _ in said}
        own = {each: found["key"] for each, found in said.items() if {each[0] - 1, each[0] + 1} & numbers}
        lists += [(index, own)] if own else []
        for each, key in own.items():
            values[key].add(said[each]["value"].strip())
    first = next((index for index, block in enumerate(blocks) if block.load_results), 0)
    stated: set[str] = set()
    for index, own in lists:
        dropped = {each for each, key in own.items() if len(values[key]) == 1 and (index <= first or key in stated)}
        stated |= {*own.values()}
        block = blocks[index]
        block.trail = [each for each in block.trail if each not in dropped]
        if (block.heading_line, block.heading) in dropped:
            block.heading_line, block.heading = next(reversed(block.trail), (None, None))


def note_shown(blocks: Sequence[Block], loads: Collection[int]) -> None:
    """Load tests behind a page's headers were answered from a cache or not, and ran under the governor that was shown last."""
    states = {}
    for index, block in enumerate(blocks):
        for name, value, _ in block.shown:
            if name == "governor":
                states["cpu_governor"] = value
            elif name in ("HTTP", "cache"):
                states["cached"] = "a hit" if value == "hit" else "no hit"
        if states and index in loads:
            block.values |= states


def note_answers(blocks: Sequence[Block], loads: Collection[int]) -> None:
    """What is shown in the section of load tests, before or behind them: the server and the status that headers tell; and
    beside which of them the kernel throttled the CPU, where it did beside any.
    """
    sections = number_sections(blocks)
    answers: dict[tuple[str, int], set[str]] = defaultdict(set)
    for index, block in enumerate(blocks):
        begins = next((line for line, text in block.trail if _begins_section(text)), 0)
        for name, value, line in block.shown:
            answers[name, sections[index] - (line < begins)].add(value)
    for name, value, _ in blocks[-1].shown_behind if blocks else ():
        answers[name, sections[len(blocks) - 1]].add(value)
    for load in loads:
        path = blocks[load].load_results[0].path or ""
        statuses = {
            status for each in answers["HTTP", sections[load]] for status, _, of in [each.partition(" ")] if of == path
        }
        for key, found in (("shown_server", answers["Server", sections[load]]), ("shown_status", statuses)):
            if len(found) == 1:
                blocks[load].values[key] = next(iter(found))
    if any(answers["cpu", sections[load]] for load in loads):
        for load in loads:
            blocks[load].values["cpu_clock"] = (
                "throttled" if answers["cpu", sections[load]] else "not throttled as far as shown"
            )


def number_sections(blocks: Sequence[Block]) -> dict[int, int]:
    """{block's number: number of its section}: one begins with each heading, and with each line that is a name."""
    numbers: dict[int, int] = {}
    number = 0
    for index, block in enumerate(blocks):
        number += any(_begins_section(text) for _, text in block.trail)
        numbers[index] = number
    return numbers


def _begins_section(text: str) -> bool:
    return bool(heading_level(text)) or not (is_sentence(text) or is_boilerplate(text) or is_generic(text))
