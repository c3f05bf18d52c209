"""Which configs had what the names or the text give another one: its port, its command, its version or branch; and which ran
fewer processes than were set for them, or were loaded from another machine.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from parsers.blocks import Block
from parsers.shown import BRANCH, COMMIT

from .answers import number_sections
from .boilerplate import strip_markup
from .clauses import find_owners, index_names, split_clauses, split_sentences
from .draft import DraftHost
from .options import WORD, Side, count_set_processes, find_words
from .typed_commands import CONFINES, Words

_VERSION = re.compile(r"[a-z]{0,3}\d+(?:\.\d+)+")
_STATES_PORT = re.compile(r"\bport:? (\d{2,5})\b", re.IGNORECASE)
PORT = re.compile(r":(\d{2,5})\b")
# A change that is on the branch, and not committed to it.
_UNCOMMITTED = re.compile(
    r"(?:patch|modif|chang|stash)(?:e[ds]?|ied|es|ing)?|uncommitted|dirty|wip|work(?:ing|tree)", re.IGNORECASE
)
_EDITS_BRANCH = re.compile(r"\bgit\s(?:diff|apply|am|stash|cherry-pick)\b|\bpatch\s+-")
_LISTS_PROCESSES, _CUTS = "ps", re.compile(r"\|\s*(?:head|tail)\b")
_NUMBER = re.compile(r"\d+")
_LEAST_NAMING = 3  # letters of a word in a command: "B" is none of "-b"


def find_others_had(
    blocks: Sequence[Block], names: Mapping[int, str], prose: Iterable[str], of_config: Mapping[str, Sequence[Side]]
) -> dict[str, dict[str, str]]:
    """{what a config had of another one: {its name: the other's}}"""
    edited = {name for load, name in names.items() if any(map(_EDITS_BRANCH.search, blocks[load].typed))}
    return {
        "started_as": _find_started_alike(of_config),
        "shown_as": {
            name: other
            for name, other in _find_shown_alike(of_config).items()
            if not (name in edited or any(map(_UNCOMMITTED.fullmatch, WORD.findall(name))))
        },
        "port_of": _find_other_ports(blocks, names, prose),
    }


def find_missing_processes(
    blocks: Sequence[Block],
    names: Mapping[int, str],
    of_config: Mapping[str, Sequence[Side]],
    texts: Sequence[tuple[str, str, str]],
) -> Iterator[tuple[str, str]]:
    """(name of a config, "3 processes where 8 were set") by lists of processes in its sections. texts: (name, path, text)"""
    sections, of_section = number_sections(blocks), defaultdict[int, set[str]](set)
    for load, name in names.items():
        of_section[sections[load]].add(name)
    running: dict[str, int] = {}
    for at, block in enumerate(blocks):
        owners = of_section[sections[at]]
        if block.kind == _LISTS_PROCESSES and len(owners) == 1 and not _CUTS.search(block.command or ""):
            (name,) = owners
            running[name] = max(running.get(name, 0), _count_alike(block))
    for name, n in running.items():
        options = [option for side in of_config[name] for option in side.options]
        n_set = count_set_processes(options, (text for owner, _, text in texts if owner == name))
        if 2 <= n < n_set:  # of one, what it started is called otherwise
            yield name, f"{n} processes where {n_set} were set"


def _count_alike(block: Block) -> int:
    """The most processes with one command but for numbers in it. Those in brackets are threads of the kernel."""
    commands = (str(row.get("command")) for row in block.values.get("processes", ()))
    alike = Counter(_NUMBER.sub("", command) for command in commands if not command.startswith("["))
    return max(alike.values(), default=0)


def _find_started_alike(of_config: Mapping[str, Sequence[Side]]) -> dict[str, str]:
    """{name of a config: that of another one} where both were started by the same commands, whose options name the other alone."""
    words = {name: find_words(name) for name in of_config}
    shared = set.intersection(*words.values())
    by_commands: dict[frozenset[Words], list[str]] = defaultdict(list)
    for name, sides in of_config.items():
        if commands := frozenset().union(*(side.commands for side in sides)):
            by_commands[commands].append(name)
    found: dict[str, str] = {}
    for commands, names in by_commands.items():
        said = {word.lower() for command in commands for word in WORD.findall(" ".join(command[1:]))}
        named = [name for name in names if any(len(word) >= _LEAST_NAMING for word in (words[name] - shared) & said)]
        if len(named) == 1:
            found |= {name: named[0] for name in names if name not in named}
    return found


def _find_shown_alike(of_config: Mapping[str, Sequence[Side]]) -> dict[str, str]:
    """{name of a config: that of another one} where a version or branch that is the other's by its name was shown for each."""
    asked = [frozenset().union(*(side.asked for side in sides)) for sides in of_config.values()]
    said: dict[str, frozenset[str]] = {
        key: frozenset().union(*(side.conditions.get(key, ()) for sides in of_config.values() for side in sides))
        for key in frozenset.intersection(*asked)
    }
    found: dict[str, str] = {}
    for key, answers in said.items() if len(said.get(COMMIT, ())) <= 1 else ():
        named = _find_named(of_config, next(iter(answers)).lower(), key == BRANCH) if len(answers) == 1 else []
        if len(named) == 1:
            found |= {name: named[0] for name in of_config if name != named[0]}
    return found


def _find_named(names: Collection[str], answer: str, is_branch: bool) -> list[str]:
    """The names that are this branch, or have the version in this answer, where they differ in nothing but their versions."""
    if is_branch:
        return [name for name in names if strip_markup(name).lower() == answer]
    words = {name: find_words(name) for name in names}
    shared = set.intersection(*words.values())
    if not all(own - shared and all(map(_VERSION.fullmatch, own - shared)) for own in words.values()):
        return []
    return [name for name in names if not (words[name] - shared).isdisjoint(WORD.findall(answer))]


def _find_other_ports(blocks: Sequence[Block], names: Mapping[int, str], prose: Iterable[str]) -> dict[str, str]:
    """{name of a config: another one}, where all load tests of the first went to the port that a sentence gives the other."""
    index = index_names(names.values())
    sentences = [each for text in prose if _STATES_PORT.search(text) for each in split_sentences(text)]
    stated: dict[str, set[str]] = defaultdict(set)
    for name, clause in find_owners(chain.from_iterable(split_clauses(each, index) for each in sentences), index):
        stated[name] |= {*_STATES_PORT.findall(clause)}
    owners = {next(iter(ports)): name for name, ports in stated.items() if len(ports) == 1}
    loaded: dict[str, set[str]] = defaultdict(set)
    for load, name in names.items() if owners else ():
        port = blocks[load].load_results[0].port
        loaded[name] |= {str(port)} if port else {*PORT.findall(blocks[load].command or "")}
    others = {name: owners.get(next(iter(ports)), name) for name, ports in loaded.items() if len(ports) == 1}
    return {
        name: other
        for name, other in others.items()
        if other != name and stated[name] and stated[name].isdisjoint(loaded[name])
    }


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
