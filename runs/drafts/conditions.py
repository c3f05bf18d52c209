"""Conditions that were shown or set once beside the load tests of each config, and that the configs' names say nothing of.

`uname -r` or `nproc` may be answered otherwise before the other config, and its server may be started with more CPUs or as a
debug build: "--cpus=2" against "--cpus=4". What a name tells of is what was to be compared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from parsers.blocks import Block
from parsers.shown import BRANCH, COMMIT, DELAYED, PROCESSES, STATE, VERSION_OF
from parsers.written_rates import FOOTNOTE_MARK

from .answers import (
    STATES,
    begins_section,
    describe_machine,
    find_dropped,
    find_failing,
    find_generators,
    find_restarted,
    list_answers,
    list_limits,
)
from .claims import COLD, read_disturbances, read_owned, read_picked, read_stated_amounts, read_unlike
from .heading_words import is_generic, names_software
from .not_as_named import PORT, find_missing_processes, find_others_had
from .options import (
    AT_ONCE,
    DEBUGS,
    DESCRIBES_SETUP,
    KEEP_ALIVE,
    NAMES_AMOUNT,
    SERVICE_URL,
    WORD,
    Option,
    Side,
    compare_settings,
    find_development,
    find_words,
    list_options,
)
from .rankings import read_failing, read_favoured
from .settings import MAX_WIDTH
from .typed_commands import CONFINES, RELOADED, Before, Typing, Words, keep_last

_VARIABLE = re.compile(r"[A-Z_][A-Z\d_]*=")
_SCALES = re.compile(r"(?:\bpm2\s.*\s-i|\s--(?:instances|replicas|scale))[\s=](?:[\w.-]+=)?(\d{1,4}|max)\b")
_FOOTNOTE = re.compile(rf"\s*(?:_|\*(?!\*))?\\?(?P<mark>{FOOTNOTE_MARK})[\s:.)=]*(?P<text>[^\s*].{{2,100}})$")
_SAYS_HOW_OFTEN = re.compile(  # a footnote that tells how a figure came about, and not what was set up otherwise
    r"(?:(?:the )?(?:mean|average|median|avg\.?)|(?:measured|run|tested|repeated)) .{0,40}\b(?:runs|times|repeats|tests)\b.{0,20}",
    re.IGNORECASE,
)
_DELAYS = re.compile(r"\bnetem\b.*\b(?:delay|rate|loss)\b")
_IN_DATABASE = ("index ", "data ")  # what such settings begin with
_FAR = 1.5  # of numbers of processes: some are only spare
_NAMES_PROCESSES = re.compile(rf"{NAMES_AMOUNT.pattern}|prefork|event|fork|async|mpm", re.IGNORECASE)
_MOST_KEPT = 100  # of each kind, the last ones: each load test has a copy of them
_STARTED, _READ_BY = "start ", "read by "  # what the keys of the words of a server, and of what runs it, begin with

Conditions = Mapping[str, frozenset[str]]  # {what was asked or started: its answer, or its options}
_VARIABLES = "variables"
_OF_LOADS = {"client", "statistic"}  # what no config is made to differ in, whatever it is called


def note_conditions(blocks: Sequence[Block], names: Mapping[int, str], texts: Sequence[tuple[str, str, str]]) -> None:
    """Put into each load test's values those of its conditions that another config had otherwise.

    names: {load: name of its config}, of several configs; texts: (name, path, text) of their config texts
    """
    of_config: dict[str, list[Side]] = defaultdict(list)
    sides = _follow(blocks, names)
    for load, side in sides.items():
        of_config[names[load]].append(side)
    prose = [text for block in blocks for _, text in (*block.trail, *block.tail)]
    prints_clients = any(blocks[load].load_results[0].concurrency for load in names)
    for name, option in read_stated_amounts(prose, of_config):
        if not (option.name == "client" and prints_clients):
            of_config[name][0].options.append(option)
    unlike, slowed = read_unlike(prose, of_config)
    slowed_by = defaultdict[str, set[str]](set)
    for name, what in chain(
        slowed,
        read_disturbances(prose, of_config),
        read_owned(blocks, names),
        read_favoured(blocks, names),
        ((name, COLD) for name in find_restarted(blocks, names)),
        find_missing_processes(blocks, names, of_config, texts),
        find_dropped(blocks, names),
    ):
        slowed_by[name].add(what)
    settings = _collect_settings(of_config, texts, unlike)
    if all(blocks[load].load_results[0].keepalive is False for load in names):
        settings.pop(KEEP_ALIVE, None)  # no client wanted to keep its connection
    differing = _list_differing(of_config, settings)
    _add_failing(differing, chain(find_failing(blocks, names), read_failing(blocks, names)), of_config)
    footnotes = _read_footnotes(blocks, names, prose)
    for name in of_config if footnotes else ():
        differing[name].append(footnotes.get(name, "no such footnote"))
    others = find_others_had(blocks, names, prose, of_config)
    picked = read_picked(prose, of_config)
    for load, name in names.items():
        values = blocks[load].values
        values |= {"picked": picked} if picked and "picked" not in values else {}
        values |= {key: by_name[name] for key, by_name in others.items() if name in by_name}
        if all_slowing := slowed_by[name].union(sides[load].beside, values.get("slowed_by", ())):
            values["slowed_by"] = sorted(all_slowing)
        if differing[name]:
            values["conditions"] = ", ".join(dict.fromkeys(differing[name]))


def _collect_settings(
    of_config: Mapping[str, list[Side]],
    texts: Sequence[tuple[str, str, str]],
    unlike: Mapping[str, Mapping[str, str]],
) -> dict[str, dict[str, frozenset[str]]]:
    """{setting: {name of a config: what it had}} by options, config texts, and sentences that set configs against each other."""
    texts_of: dict[str, list[tuple[str, str]]] = {name: [] for name in of_config}
    for name, path, text in texts:
        texts_of.setdefault(name, []).append((path, text))
    by_sentences = {
        what: {name: frozenset(filter(None, [had])) for name, had in by_name.items()}
        for what, by_name in unlike.items()
    }
    in_database = {name: sides[0].in_database for name, sides in of_config.items()}
    return compare_settings(of_config, texts_of) | by_sentences | {"index": in_database}


def _list_differing(
    of_config: Mapping[str, list[Side]], settings: dict[str, dict[str, frozenset[str]]]
) -> dict[str, list[str]]:
    """{name of a config: its conditions and settings that another one had otherwise}, each option once."""
    differing_of: dict[str, list[str]] = defaultdict(list)
    listed: set[str] = set()
    for key, said in (_collect_conditions(of_config) | settings).items():
        left = {name: own - listed for name, own in said.items()}
        if (
            len(said) < len(of_config)
            or key in (BRANCH, COMMIT)
            or (key in AT_ONCE and _are_listed(left.values(), listed))
            or (key.startswith(VERSION_OF) and not all(map(names_software, said)))
            or (key.startswith(PROCESSES) and _are_near(said))
        ):
            continue
        if differing := _find_differing(key, left, key in settings or key.startswith(_READ_BY)):
            listed |= frozenset().union(*said.values())
        for name, text in differing.items():
            differing_of[name].append(text)
    return differing_of


def _add_failing(differing: dict[str, list[str]], failing: Iterable[tuple[str, str]], names: Collection[str]) -> None:
    """Add what failed beside some of the configs to what they had otherwise: it may have slowed one, or spared it work."""
    had: dict[str, set[str]] = defaultdict(set)
    for name, what in failing:
        had[what].add(name)
    for what, of_some in had.items():
        for name in names if len(of_some) < len(names) else ():
            differing[name].append(what if name in of_some else f"no {what.removeprefix('a ')}")


def _read_footnotes(blocks: Sequence[Block], names: Mapping[int, str], texts: Sequence[str]) -> dict[str, str]:
    """{name of a config: the footnote of a table that its row has a mark of}, where not all have one. A list has several."""
    marks = {names[load]: mark for load in names if (mark := blocks[load].values.pop("footnote", ""))}
    texts_of: dict[str, list[str]] = defaultdict(list)
    for match in filter(None, map(_FOOTNOTE.match, texts)) if marks else ():
        texts_of[match["mark"]].append(match["text"].strip("*_ "))
    footnotes = {name: f"“{texts_of[mark][0]}”" for name, mark in marks.items() if len(texts_of[mark]) == 1}
    footnotes = {name: said for name, said in footnotes.items() if not _SAYS_HOW_OFTEN.fullmatch(said.strip("“”. "))}
    return footnotes if len(footnotes) < len({*names.values()}) else {}


def _collect_conditions(of_config: Mapping[str, Sequence[Side]]) -> dict[str, dict[str, frozenset[str]]]:
    """{condition: {name of a config: how it was}} where it was the same for all load tests of each."""
    by_key: dict[str, dict[str, set[frozenset[str]]]] = defaultdict(lambda: defaultdict(set))
    for name, sides in of_config.items():
        for side in sides:
            for key, said in side.conditions.items():
                by_key[key][name].add(said)
    return {
        key: {name: next(iter(every)) for name, every in values.items()}
        for key, values in by_key.items()
        if all(len(every) == 1 for every in values.values())
    }


def _are_near(counts: Mapping[str, frozenset[str]]) -> bool:
    """Whether these numbers of processes are about the same, or what the configs are compared for: "prefork" and "event"."""
    numbers = [int(said.partition(" ")[0]) for own in counts.values() for said in own]
    return max(numbers) < _FAR * min(numbers) or any(map(_NAMES_PROCESSES.search, counts))


def _are_listed(amounts: Iterable[frozenset[str]], listed: Iterable[str]) -> bool:
    """Whether options with these numbers were listed: "--workers 8" of "8 processes"."""
    words = {word for said in listed for word in re.split(r"[\s=]", said)}
    return all(said.partition(" ")[0] in words for each in amounts for said in each)


def _follow(blocks: Sequence[Block], loads: Mapping[int, str]) -> dict[int, Side]:
    """{load: what was asked, set and started last before it}. loads: {load: name of its config}"""
    session = _Session()
    known: dict[int, Side] = {}
    last: int | None = None  # the load test above, where no line of the text stands between
    above: Side | None = None  # of the load test above
    generators = find_generators(blocks, loads)
    # What stands behind the last load test stands behind each.
    behind = list_answers(blocks[-1].shown_behind) if blocks else {}
    for block in blocks[max(loads, default=-1) + 1 :]:
        behind |= describe_machine(block) if block.prompt_host not in generators else {}
    for index, block in enumerate(blocks):
        limits = list_limits(block)
        machine = describe_machine(block) if block.prompt_host not in generators else {}
        answers, of_section_above = _split_answers(block, machine, behind)
        if above:
            above.conditions |= of_section_above
        last = None if block.trail else last
        if limits and last is not None:
            known[last].conditions |= limits  # shown behind a load test, below the same heading
            continue
        session.read(block, limits | answers)
        if index in loads:
            above = known[index] = session.begin_load(block, loads[index])
            last = index
    if above:
        above.conditions |= behind
    return known


def _split_answers(
    block: Block, machine: Mapping[str, frozenset[str]], behind: Collection[str]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """What was answered before a block in its own section, and in the one above: of what is asked `behind` load tests.

    machine: what the block itself shows, which is of the section above unless a heading stands before it
    """
    begins = next((line for line, text in block.trail if begins_section(text)), 0) if behind else 0
    above = list_answers([each for each in block.shown if each[2] < begins])
    of_section_above = {key: said for key, said in above.items() if key in behind}
    answers = list_answers([each for each in block.shown if each[2] >= begins])
    if begins or not machine.keys() & behind:
        answers |= machine
    else:
        of_section_above |= machine
    return {key: said for key, said in above.items() if key not in behind} | answers, of_section_above


class _Session:
    """Follows what is asked, set and started in a text."""

    def __init__(self) -> None:
        self.typing = Typing()
        self.asked: dict[str, frozenset[str]] = {}
        self.new: set[str] = set()  # what was asked since the load test above
        self.askers: dict[str, list[str]] = {}  # {what was asked: the configs that it was asked for, the last one last}
        self.scripts: dict[str, Words] = {}
        self.beside: frozenset[str] = frozenset()
        self.scaled: list[Option] = []
        # of the load test above; of those for which programs were started, and scripts run, last
        self.config, self.owner, self.preparer = "", "", ""

    def read(self, block: Block, answers: Mapping[str, frozenset[str]]) -> None:
        self.asked |= answers
        self.new |= {*answers, *(STATES[name] for name, _, _ in block.shown if name in STATES)}
        for command in block.typed:
            self.typing.add(command)
        keep_last(self.asked, _MOST_KEPT)

    def begin_load(self, block: Block, config: str) -> Side:
        before = self.typing.take()
        self.typing.script = ()
        if config != self.config or before.ended:
            self.beside = frozenset()
        self.beside |= before.beside
        self.scaled = self.scaled if config == self.config else []
        self.scaled += [
            Option("replicas", "all" if n == "max" else n, n)
            for command in block.typed
            for n in _SCALES.findall(command)
        ]
        ports = {*PORT.findall(f"{block.command} {block.values.get('url', '')}")}
        self.owner = config if before.started else self.owner
        self.preparer = config if before.prepared else self.preparer
        self.scripts |= {" ".join(words[:2]): words for words in before.prepared}
        keep_last(self.scripts, _MOST_KEPT)
        if self.owner not in ("", config):  # what runs now, nobody knows
            settings = {key: said for key, said in before.settings.items() if not key.startswith(_STARTED)}
            before = replace(before, settings=settings, read_by={})
        scripts = self.scripts if self.preparer in ("", config) else {}
        side = self._describe_started(before, scripts, ports)
        side.asked = frozenset(self.new)
        unknown = self._find_unknown(config)
        for key in unknown.intersection(STATES.values()):
            block.values.pop(key, None)
        side.conditions |= {key: said for key, said in self.asked.items() if key not in unknown}
        side.beside |= self.beside
        side.options += self.scaled
        self.config = config
        return side

    def _find_unknown(self, config: str) -> set[str]:
        """What was asked for this config, and for another one since: how it is now, nobody knows."""
        for key in self.new:
            before = self.askers.pop(key, [])
            self.askers[key] = [*(name for name in before[1 - _MOST_KEPT :] if name != config), config]
        self.new = set()
        keep_last(self.askers, _MOST_KEPT)
        return {key for key, names in self.askers.items() if names[-1] != config and config in names}

    def _describe_started(self, before: Before, scripts: dict[str, Words], ports: Collection[str]) -> Side:
        """The options of the programs that run, and of what runs them, each as a condition, and their variables."""
        started = scripts | _take_started(before, ports)
        options = {key: list_options(own, ports) for key, own in started.items()}
        read_by = {f"{_READ_BY}{key}": list_options(own, ports) for key, own in before.read_by.items()}
        every = {key: frozenset(option.said for option in own) for key, own in (options | read_by).items()}
        confined = CONFINES.findall(" ".join(chain.from_iterable(started.values())) + " ")
        every |= {"confined": frozenset(filter(None, map(str.strip, confined)))} if started else {}
        set_before = [*before.settings.values()]
        debugging = [
            Option(key, "", said)
            for key, said in before.settings.items()
            if not key.startswith((_STARTED, RELOADED)) and DEBUGS.search(said)
        ]
        development = [option for own in started.values() for option in find_development(own, set_before)]
        return Side(
            every | (_list_variables(before.settings, options) if started else {}),
            [*chain.from_iterable(options.values()), *development, *debugging],
            before.started.union(before.restarted, *started.values()),
            commands=frozenset(started.values()),
            beside=frozenset({DELAYED}) if any(map(_DELAYS.search, set_before)) else frozenset(),
            in_database=frozenset(said for said in set_before if said.startswith(_IN_DATABASE)),
        )


def _take_started(before: Before, ports: Collection[str]) -> dict[str, Words]:
    """{program: the words that it was started with} by the commands so far, of several those with the port that is loaded."""
    started = {
        key.removeprefix(_STARTED): tuple(said.split())
        for key, said in before.settings.items()
        if key.startswith(_STARTED)
    }
    loaded = {key: words for key, words in started.items() if any(port in " ".join(words) for port in ports)}
    return loaded or started


def _list_variables(settings: Mapping[str, str], options: Mapping[str, Sequence[Option]]) -> dict[str, frozenset[str]]:
    """The environment variables that say how a program runs, as "NODE_ENV=production": exported, or set for it."""
    exported = {key: said for key, said in settings.items() if key.isupper() and said.startswith(f"{key}=")}
    own = {option.name: option.said for each in options.values() for option in each if option.name.isupper()}
    said = (exported | own).values()
    states = frozenset(each for each in said if STATE.fullmatch(each.partition("=")[2]))
    return {_VARIABLES: states.union(url[0] for url in map(SERVICE_URL.match, said) if url)}


def _find_differing(key: str, said: Mapping[str, frozenset[str]], is_set: bool) -> dict[str, str]:
    """{config's name: what it alone has of a condition}, where no name tells of that. is_set: it is no answer to a question."""
    every, common = frozenset().union(*said.values()), frozenset.intersection(*said.values())
    is_answer = not is_set and all(len(each) == 1 and not _is_option(next(iter(each))) for each in said.values())
    is_generic_set = not is_answer and key not in _OF_LOADS and all(is_generic(f"## {name}") for name in said)
    if every == common or is_generic_set:
        return {}
    if all(key.lower() in name.lower() for name in said):  # "before opcache.enable=1"
        return {}
    words = {name: find_words(name) for name in said}
    shared = set.intersection(*words.values())
    own_words = set().union(*words.values()) - shared
    are_versions = names_software(" ".join(shared)) and not any(map(str.isalpha, own_words))  # "node 18", "node 20"
    are_states = all(map(DESCRIBES_SETUP.fullmatch, own_words))  # "gzip on", "gzip off"
    if are_states and not (is_answer or are_versions) and key not in _OF_LOADS:
        return {}
    if are_states and not shared.isdisjoint(WORD.findall(" ".join(every).lower())):
        return {}
    if is_set and any(map(NAMES_AMOUNT.search, said)):
        return {}
    if any(_is_named(words[name] - shared, said[name] - common, is_answer) for name in said):
        return {}
    return {name: _say(key, own - common, every - common, is_answer) for name, own in said.items()}


def _is_option(said: str) -> bool:
    return said.startswith("-") or bool(_VARIABLE.match(said))


def _is_named(words: Collection[str], said: Iterable[str], is_answer: bool) -> bool:
    """Whether what is said has one of these words, or, of options, of which "UseG1GC" is one, has it within another."""
    text = re.sub(r"\b\w+_(?:env|mode|log|level)=", "", " ".join(said).lower())  # "RAILS_ENV=development" of "Rails"
    of_text = {*WORD.findall(text)}
    begins = r"(?<![^\W_])" if is_answer else ""
    long_words = (re.escape(word) + (r"(?!\d)" if word[-1].isdigit() else "") for word in words if len(word) > 1)
    return not of_text.isdisjoint(words) or any(re.search(begins + word, text) for word in long_words)


def _say(key: str, own: frozenset[str], every: frozenset[str], is_answer: bool) -> str:
    """As "kernel 6.1.0", "--cpus=2 -m 512m", "without --release"."""
    text = " ".join(sorted(own)) or f"without {' '.join(sorted(every))}"
    if len(own) == 1 and max(map(len, every)) > MAX_WIDTH:  # as of /proc/cmdline: the words that only some have
        others = list(dict.fromkeys(word for said in sorted(every - own) for word in said.split()))
        alone = [word for word in text.split() if word not in others]
        text = " ".join(alone) or f"without {' '.join(word for word in others if word not in text.split())}"
    asked = re.sub(r"^(?:cat|head)\s+(?:\S*/)?", "", key)
    if is_answer and not any(word in text for word in asked.split()):
        text = f"{asked} {text}"
    return text[:MAX_WIDTH]
