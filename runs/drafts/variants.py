"""What tells load tests under one heading apart by the commands around them: a script's arguments, settings, the server started.

Commands that change nothing (`sleep`, `cd`, a mere restart) tell nothing, nor do the number of a repeat, the name of an output
file that only counts, and what the tool itself prints of the load.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import groupby, repeat
from pathlib import PurePosixPath

from parsers.blocks import Block
from parsers.catalogue import load_programs
from parsers.commands import LOCAL
from parsers.records import LoadResult, Problem
from parsers.shown import ASKED
from runs.analysis.method import Method

from .heading_words import find_repeat
from .load_groups import NEUTRAL, OUTPUT, count_up, find_turns
from .settings import MAX_WIDTH, read_previous_setting, read_setting, split_changes
from .typed_commands import CONFINES, RELOADED, SSH, Before, Typing, Words, compare_directories, split_commands

_PLAIN_FILE = re.compile(
    r"(?:out(?:put)?|logs?|results?|res|runs?|bench(?:mark)?s?|te?mp|tests?|reports?|data|txt|raw|load)?"
)
_FILE_NUMBER = re.compile(r"(?<![\W_])[\W_]*+(\d{1,3})(?=$|\.)|(?:[\W_]|(?<=\D))\d{6,}(?:[-_T]\d{4,6})?")
_SIZE = re.compile(r"(?:(?:--?)?[A-Za-z_][\w-]*=|-[A-Za-z])?(?P<number>\d+)(?P<unit>[kKsm]?)")
_ASKS = re.compile(r"://|\s(?:localhost|[\w-]+(?:\.[\w-]+)+):\d+")
SHOWN = "shown "  # what the keys of such settings begin with
_LANGUAGES = frozenset({"Python", "PHP", "ruby"})
_OF_A_LOAD = frozenset({f"{SHOWN}{name}" for name in ("HTTP", "governor", "cache", "directory")})
_MAY_CHANGE = re.compile(  # a setting, a file of settings, and words of what a program changes
    r"=|\.(?:conf|cnf|cfg|ini|ya?ml|toml|properties|env|patch|diff|sql)\b|(?<![a-z])(?:set|use|to|on|off|v?\d+\.\d+)(?![a-z])|(?:set|off)(?![a-z])"
    r"|tun(?:e|ing)|optimi|apply|(?:en|dis)able|patch|switch|swap|deploy|migrat|configur|toggle|boost|limit|upgrade|update|install|kernel|index"
    r"|fix|chang|remove|replace|mount|default|profile|mode",
    re.IGNORECASE,
)
_USED, _AMOUNT = (
    re.compile(r"\$\{?(\w+)"),
    re.compile(r"=\d+[kms]?$"),
)  # which the report tells, as far as it is the load's
_DIGITS = re.compile(r"[\d.]+")
_MOST_SERVERS = 100  # sets of servers that are told apart


def _is_plain_file(name: str) -> bool:
    """Whether a file for output has a name that tells of no config: "out", "results", "wrk2"."""
    word = name.lower()
    return bool(_PLAIN_FILE.fullmatch(word)) or not load_programs().keys().isdisjoint({word, re.sub(r"\d$", "", word)})


def find_variants(
    blocks: Sequence[Block],
    loads: Sequence[int],
    heading_of: Mapping[int, object],
    results: Mapping[int, LoadResult],
    method_of: Callable[[int], Method],
) -> dict[int, str]:
    """{load: what tells it apart from others under its heading}, without those of which nothing does.

    heading_of: what names each load test's config, and groups it. Settings are compared where they stand together.
    """
    if len(loads) < 2 or not any(block.typed or block.trail or _list_shown(block) for block in blocks):
        return {}
    before = _follow_commands(blocks, frozenset(loads))
    by_heading: dict[object, list[int]] = defaultdict(list)
    together: dict[object, list[list[int]]] = defaultdict(list)
    for heading, group in groupby(loads, key=heading_of.__getitem__):
        together[heading].append([*group])
        by_heading[heading] += together[heading][-1]
    said: dict[int, list[str]] = defaultdict(list)
    for heading, own in by_heading.items():
        if len(own) < 2:
            continue
        scripts = _drop_loads(own, {load: _drop_neutral(before[load].script) for load in own}, method_of)
        prepared = {load: before[load].prepared for load in own}
        is_habit = _is_habit(prepared) or _is_unknown_once(prepared)
        for load in own[1:] if is_habit else ():
            _note_programs(blocks[load], prepared[load])
        servers = _compare_servers({load: before[load] for load in own}, results)
        settings = _compare_settings(own, together[heading], before, method_of, are_servers_known=bool(servers))
        for words_of in (
            _tell_apart(_drop_repeats(scripts)),
            {} if is_habit else _compare_prepared(prepared),
            settings,
            servers,
            _compare_generators({load: blocks[load] for load in own}, results),
            compare_directories({load: _read_shown(blocks[load]).get("directory", "") for load in own}),
        ):
            for load, words in words_of.items():
                is_told = any(
                    f"{told}/".lower().startswith(f"{words}/".lower()) for told in said[load]
                )  # "nginx/1.25.3"
                said[load] += [words] if words and not is_told else []
    return {load: ", ".join(words) for load, words in said.items() if words}


def _follow_commands(blocks: Sequence[Block], loads: Collection[int]) -> dict[int, Before]:
    typing, before = Typing(), dict[int, Before]()
    script: Words = ()
    for block in reversed(blocks):  # what was shown first was there before
        parts = (part for command in block.typed[::-1] for part in split_commands(command)[::-1])
        written = [*parts, *(change for _, text in block.trail[::-1] for change in split_changes(text))]
        typing.settings |= _list_shown(block) | dict(filter(None, map(read_previous_setting, written)))
    for index in range(max(loads) + 1):
        block = blocks[index]
        for key, said in _list_shown(block).items():
            typing.settings[key] = said
        for setting in (read_setting(change) for _, text in block.trail for change in split_changes(text)):
            typing.settings |= [setting] if setting else []
        for command in block.typed:
            typing.add(command)
        script = typing.script if block.typed else script
        if index in loads:
            typing.script = script
            before[index] = typing.take()
            typing.script = ()
    used = _find_used_variables(blocks[load] for load in loads)
    for load, own in before.items():
        settings = {k: v for k, v in own.settings.items() if not (k in used and _AMOUNT.search(v))}
        before[load] = replace(own, settings=settings)
    return before | {load: replace(before[load], script=script) for load, script in find_turns(blocks, loads)}


def _find_used_variables(loads: Iterable[Block]) -> set[str]:
    """Variables of the shell in load tools' commands: "k6 run -e USERS=${VU}"."""
    lines = (
        text for block in loads for text in (block.command or "", *block.typed, *(text for _, text in block.trail))
    )
    commands = (text for text in lines if "$" in text and not load_programs().keys().isdisjoint(text.split()))
    return {name for text in commands for name in _USED.findall(text)}


def _read_shown(block: Block) -> dict[str, str]:
    """{name: the last value of it that the commands before a block showed}."""
    return {name: value for name, value, _ in block.shown}


def _list_shown(block: Block) -> dict[str, str]:
    """{key of a setting: how it is said} of what the commands before a block, and itself, show of what runs; the last of each."""
    shown = {f"{SHOWN}{name}": f"{name} {value}" if name in _LANGUAGES else value for name, value, _ in block.shown}
    if governor := _read_shown(block).get("governor"):
        shown["scaling_governor"] = f"scaling_governor={governor}"
    if kernel := block.values.get("kernel_release"):
        shown[f"{SHOWN}kernel {block.prompt_host or block.values.get('nodename', '')}"] = str(kernel)
    return {key: said for key, said in shown.items() if key not in _OF_A_LOAD and not key.startswith(f"{SHOWN}{ASKED}")}


def _drop_loads(
    own: Sequence[int], scripts: Mapping[int, Words], method_of: Callable[[int], Method]
) -> dict[int, Words]:
    """The scripts' words without the numbers that their tools print of the load, where each of them has as many of those."""
    kept = {load: _drop_load(words, method_of(load)) for load in own if (words := scripts[load])}
    n_dropped = {len(scripts[load]) - len(words) for load, words in kept.items()}
    return kept if len(n_dropped) == 1 else {load: scripts[load] for load in kept}


def _drop_load(words: Words, method: Method) -> Words:
    load = {
        method.requests,
        method.concurrency,
        method.rate,
        method.duration_s,
        method.pipelining,
        *dict(method.further or ()).values(),
    }
    kept: list[str] = []
    for word in words:
        size = _SIZE.fullmatch(word)
        is_load = size and int(size["number"]) * {"k": 1000, "K": 1000, "m": 60}.get(size["unit"], 1) in load
        if not is_load and word != method.path:
            kept.append(word)
    return tuple(kept)


def _drop_neutral(script: Words) -> Words:
    """A script's words without what changes with each run, and without the address, which is compared by itself."""
    kept: list[str] = []
    skip = False
    for word in script:
        previous, neutral = kept[-1] if kept else "", NEUTRAL.match(word)
        if skip:
            skip = False
        elif neutral:
            skip = not neutral["value"]
        elif OUTPUT.fullmatch(previous):
            kept[-1] = f">{word.strip('>')}"
        elif kept and (
            "://" in word
            or (re.search(r"[A-Za-z]", word) and word[0] != ">" and find_repeat(word.replace("=", " ")) is not None)
        ):
            pass
        elif previous[:1] == "-" and word.isdigit() and find_repeat(f"{previous.lstrip('-')} {word}") is not None:
            kept.pop()
        else:
            kept.append(word)
    return tuple(kept)


def _drop_repeats(scripts: Mapping[int, Words]) -> dict[int, Words]:
    """The words without numbers that only count the repeats: "run.sh 1" to "run.sh 3", "> nginx-1.txt" and "> nginx-2.txt"."""
    numbers: dict[tuple[int, str], set[str]] = defaultdict(set)
    split = {load: [_split_number(words, at) for at in range(len(words))] for load, words in scripts.items()}
    for parts in split.values():
        for at, (base, number) in enumerate(parts):
            if number or base[:1] == ">":  # "nginx.txt" and "nginx-2.txt"
                numbers[at, base].add(number or "1")
    counting = {key for key, repeats in numbers.items() if count_up(sorted(map(int, repeats)), 1 if key[1] else 3)}
    return {
        load: tuple(
            base if (at, base) in counting else f"{base}{number}"
            for at, (base, number) in enumerate(parts)
            if not (base[:1] == ">" and _is_plain_file(base[1:])) and (base or (at, base) not in counting)
        )
        for load, parts in split.items()
    }


def _split_number(words: Words, at: int) -> tuple[str, str]:
    """("nginx", "1") of the file ">nginx-1.txt"; ("", "1") of a number alone; otherwise the whole word and ""."""
    word = words[at]
    if word[0] == ">":
        path = PurePosixPath(word[1:])
        number, base = _split_file(path.name.partition(".")[0])
        if _is_plain_file(base) and path.parent.name[:1].isalpha():  # "nginx/1.txt", "run1/out.txt"
            of_parent, base = _split_file(path.parent.name)
            number = number or of_parent
        return f">{base}", number
    if word.isdigit() and at and words[at - 1][:1] != "-":
        return "", word
    return word, ""


def _split_file(name: str) -> tuple[str, str]:
    """(its number or "", the name without it)."""
    number = _FILE_NUMBER.search(name)
    return (number[1] or "") if number else "", _FILE_NUMBER.sub("", name).strip("-_")


def _tell_apart(words_of: Mapping[int, Words]) -> dict[int, str]:
    """{load: the words that others do not have}; empty where all are equal."""
    distinct = list(dict.fromkeys(words_of.values()))
    if len(distinct) < 2:
        return {}
    common = set(distinct[0]).intersection(*distinct)
    said = {words: _own_words(words, common) for words in distinct}
    if all(len(own) == 1 for own in said.values()):
        plain = _drop_common_ends([own[0] for own in said.values()])
        said = {words: (text,) for words, text in zip(said, plain, strict=True)}
    shown = {words: " ".join(own)[:MAX_WIDTH] for words, own in said.items()}
    if len(set(shown.values())) < len(distinct):
        shown = {words: " ".join(words) for words in distinct}
    return {load: shown[words] for load, words in words_of.items()}


def _is_habit(prepared: Mapping[int, Sequence[Words]]) -> bool:
    """Whether the same scripts were run between each two load tests, and none before the first: between repeats."""
    first, *later = (set(own) for own in prepared.values())
    return not first and len(later) > 1 and bool(later[0]) and all(own == later[0] for own in later)


def _is_unknown_once(prepared: Mapping[int, Sequence[Words]]) -> bool:
    """Whether all that was run is one program, once and behind the first, that asks an address or whose words tell of no change."""
    first, *later = prepared.values()
    scripts = [" ".join(words) for own in later for words in own]
    if first or len(scripts) != 1 or CONFINES.match(scripts[0]):
        return False
    return bool(_ASKS.search(scripts[0])) or not _MAY_CHANGE.search(scripts[0])


def _note_programs(block: Block, scripts: Sequence[Words]) -> None:
    """Say at a load test what was run before it: nobody knows what that changes."""
    names = ", ".join(dict.fromkeys(PurePosixPath(words[0]).name for words in scripts))
    message = f"{names} was run before this load test, which is taken for a repeat: what it changes is not known"
    block.problems += [Problem(block.command_line or block.first, message)] if names else []


def _compare_prepared(prepared: Mapping[int, Sequence[Words]]) -> dict[int, str]:
    """{load: the scripts that were run for it and not for all}; what was run stays until others are."""
    common = set.intersection(*(set(own) for own in prepared.values()))
    words, last = dict[int, Words](), tuple[str, ...]()
    for load, own in prepared.items():
        last = tuple(word for script in own if script not in common for word in script) or last
        words |= {load: last} if last else {}
    is_for_some = len(words) < len(prepared)
    return _tell_apart(_drop_repeats(words)) or {i: PurePosixPath(words[i][0]).name for i in words if is_for_some}


def _own_words(words: Words, common: Set[str]) -> Words:
    own: list[str] = []
    for at, word in enumerate(words):
        if word in common:
            continue
        option = (
            words[at - 1]
            if at and words[at - 1] in common and words[at - 1][0] == "-" and word[0] != "-" and "=" not in word
            else ""
        )
        own += [option.removeprefix("--"), word] if option else [word.lstrip("-") if word[:2] == "--" else word]
    if len(own) == 1 and own[0].isdigit():
        own = [PurePosixPath(words[0]).name, *own]
    return tuple(word.lstrip(">") for word in own) or (" ".join(map(str, words)).lstrip("./"),)


def _drop_common_ends(words: Sequence[str]) -> list[str]:
    """ "./bench-node.sh" and "./bench-bun.sh" without what they have in common up to a sign: "node" and "bun"."""
    if len(words) < 2 or any("=" in word or " -" in f" {word}" for word in words):
        return list(words)
    parts = [re.findall(r"[^\W_]+|[\W_]+", word) for word in words]
    for take in (0, -1):
        while min(map(len, parts)) > 1 and len({part[take] for part in parts}) == 1:
            parts = [part[1:] if take == 0 else part[:-1] for part in parts]
    plain = ["".join(part).strip("./-_:") for part in parts]
    return (
        plain if all(plain) and len(set(plain)) == len(set(words)) and not any(map(str.isdigit, plain)) else list(words)
    )


def _compare_settings(
    own: Sequence[int],
    together: Sequence[Sequence[int]],
    before: Mapping[int, Before],
    method_of: Callable[[int], Method],
    *,
    are_servers_known: bool,
) -> dict[int, str]:
    """{load: its values of the settings that were changed between load tests that stand together under this heading}."""
    changed: set[str] = set()
    for group in together:
        by_key = _group_values_by_key(group, before)
        changed |= {key for key, values in by_key.items() if len(values) < len(group) or len({*values.values()}) > 1}
    said: dict[int, list[str]] = defaultdict(list)
    by_key = _group_values_by_key(own, before)
    for key, values in sorted(by_key.items(), key=lambda item: item[0].startswith(RELOADED)):
        if key not in changed or all(not _drop_load((value,), method_of(load)) for load, value in values.items()):
            continue
        if key.startswith("did ") and any(map(str.startswith, changed, repeat(SHOWN))):
            continue  # what it changed is shown
        is_habit = len(values) == len(own) or min(Counter(map(values.get, own)).values()) < 2  # before each run or loop
        if key.startswith(RELOADED) and (is_habit or are_servers_known or said.keys() >= values.keys()):
            continue  # or what it was for is told
        if key.startswith("start "):
            values = _tell_apart(_drop_repeats({load: tuple(value.split()) for load, value in values.items()}))
        for load, value in values.items():
            said[load].append(value)
    return {load: ", ".join(_drop_negations(values)) for load, values in said.items()}


def _group_values_by_key(loads: Sequence[int], before: Mapping[int, Before]) -> dict[str, dict[int, str]]:
    """{key of a setting: {load: how its value is said}}, of those that have one."""
    by_key: dict[str, dict[int, str]] = defaultdict(dict)
    for load in loads:
        for key, value in before[load].settings.items():
            by_key[key][load] = value
    return by_key


def _drop_negations(said: Sequence[str]) -> Sequence[str]:
    """One module in place of another: the one that is there says enough."""
    return [text for text in said if not text.startswith("without ")] or said


def _compare_servers(before: Mapping[int, Before], results: Mapping[int, LoadResult]) -> dict[int, str]:
    """{load: the server that was started for it}, where others were for other loads."""
    software = {results[load].server_software for load in before}
    is_stated = len(software) == 1 and None not in software  # the reports name the server: other restarts do not matter
    restarts = {name for own in before.values() for name in own.restarted}
    unversioned = Counter(_DIGITS.sub("", name) for name in restarts)
    versions = {name for name in restarts if unversioned[_DIGITS.sub("", name)] > 1}  # "php8.1-fpm" and "php8.2-fpm"
    running: dict[int, frozenset[str]] = {}
    current: frozenset[str] = frozenset()
    for load, own in before.items():
        if own.started and own.stopped and not current:
            running |= dict.fromkeys(running, own.stopped)
        restarted = own.restarted & versions if is_stated else own.restarted
        current = own.started or (current if current & restarted else restarted) or current - own.stopped
        running[load] = current
    distinct = list(dict.fromkeys(names for names in running.values() if names))
    is_clear = len(frozenset[str]().union(*distinct)) == sum(map(len, distinct))  # none was started in two of them
    groups = distinct if is_clear and len(distinct) <= _MOST_SERVERS else []
    if len(groups) + (frozenset() in running.values() and any(own.started for own in before.values())) < 2:
        return {}
    answered = [{results[load].server_software for load, names in running.items() if names & group} for group in groups]
    if None not in set().union(*answered) and len(set().union(*answered)) == sum(map(len, answered)):
        return {}  # the tools told the servers apart
    plain = _drop_common_ends([min(group) for group in groups])
    name_of = {name: said for said, group in zip(plain, groups, strict=True) for name in group}
    return {load: name_of[min(names)] for load, names in running.items() if names}


# "client1", "load-gen-2": machines that share the load, of which none is what is compared.
_NUMBERED_GENERATOR = re.compile(r"^(?:client|lg|load|gen|bench|tester|attack|driver|inject|runner)[a-z_.-]*\d+$")


def _compare_generators(loads: Mapping[int, Block], results: Mapping[int, LoadResult]) -> dict[int, str]:
    """{load: the machine that it was run on, by ssh or at its prompt, or the part of it}, where others were run on others."""
    hosts = {load: match["host"] for load, block in loads.items() if (match := SSH.search(block.command or ""))}
    confined = {
        load: match[0].strip() for load, block in loads.items() if (match := CONFINES.search(block.command or ""))
    }
    hosts |= {load: ", ".join(filter(None, (hosts.get(load), words))) for load, words in confined.items()}
    is_remote = all(results[load].hostname and results[load].hostname not in LOCAL for load in loads)
    prompted = {load: block.prompt_host for load, block in loads.items() if block.prompt_host and is_remote}
    kinds = {_NUMBERED_GENERATOR.sub("", host) for host in prompted.values()}
    hosts = hosts or (prompted if len(prompted) == len(loads) and kinds != {""} else {})
    return hosts if len({*hosts.values()}) > 1 else {}
