"""What headings tell together: the groups above those that name configs, and lines that name nothing alone, but do together.

"before" and "after", "A" and "B", "server" and "laptop" name configs where both are there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from parsers.blocks import Block
from parsers.catalogue import makes_load
from parsers.patterns import lower, remember_lines
from runs.analysis.method import Method, group_by_method

from .boilerplate import (
    ITEM,
    find_numbering,
    heading_level,
    is_banner,
    is_boilerplate,
    is_file,
    strip_markup,
)
from .heading_words import (
    DESCRIBES_HOST,
    EXPECTED,
    LETTER,
    WITH,
    WITHOUT,
    drop_repeat,
    find_amounts,
    find_phase,
    find_repeat,
    is_generic,
    is_sentence,
    is_short,
    is_warm_up,
    name_of_heading,
    names_amount,
    names_software,
    only_counts,
)
from .ordinals import AGAIN, RUN, read_number, takes_number
from .settings import tells_change

Heading = tuple[int, str]  # (line, text)
_VERSION = re.compile(rf"\W*(?:(?:same )?(?:{WITH}|as|on|in)\s)?(?:v|version )?(\d+\.\d+)\W*", re.IGNORECASE)
_TELLS_VERSION = re.compile(  # of what holds for all: "> Node.js version: v14"
    r"\W*[^\W\d][\w.+# -]{0,30} versions?\W{0,3}[:=]\W{0,4}(?P<version>v?\d[\w.+-]{0,30})\W*", re.IGNORECASE
)
_MARKED_LOAD = re.compile(r"(.*\d\w*)\s?\([^()]*[^\W\d][^()]*\)\W*")  # "1 min c1 (memory)"
_DEEPEST = 6  # level of headings
_OPTION_WORD = re.compile(r"-{1,2}[a-z][a-z-]+")
_MACHINE = re.compile(r"(?:the )?(?:servers?|hosts?|machine)", re.IGNORECASE)
_STARTS_SERVER = re.compile(
    r"(?:g?unicorn|uvicorn|hypercorn|puma|node|bun|deno|php|ruby|python[23]?|java|uwsgi)\s+\S+(?:\s\S+){0,4}$"
)
_CLIENTS = re.compile(  # a heading that only says how many there were: "64 clients"
    r"(?:concurrency|c)\W{0,2}\d+"
    r"|\d[\d,. ]*+k?\s*+(?:(?:concurrent|parallel|simultaneous) )?(?:requests?|users?|clients?|conn(?:ection)?s?)",
    re.IGNORECASE,
)
_RESTARTED = re.compile(
    r"\bre-?(?:start|boot)|\bstop\w*,? (?:and|then) start|neu ?(?:ge)?start|redémarr|reinici|riavvi|ponown\w* uruch"
    r"|z?restart|перезапу|再起動|重启|重新启动",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    rf"\b(?:{WITH}|{WITHOUT}|after|chang\w+|switch\w+|different|other|new|now|but|nach|po)\b|\d"
    r"|[^\W\d_A-Za-zÀ-ɏ]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class HeadingChoice:
    """What names the config of a load test.

    text, line   the heading and its line, "" and 0 where there is none
    group        the heading above it
    is_heading   False for a sentence
    is_inherited the load test has none; it is the heading of the one before
    """

    text: str = ""
    line: int = 0
    group: str = ""
    is_heading: bool = False
    is_inherited: bool = False

    def within(self, group: str) -> HeadingChoice:
        return self if self.group == group else replace(self, group=group)


def find_sections(
    blocks: Sequence[Block],
    choices: Mapping[int, HeadingChoice],
    duplicates: Mapping[int, int],
    levels: Collection[str],
) -> dict[int, str]:
    """{line of a label or of a name that is no heading: the heading above it}, where names recur below other headings."""
    below: dict[int, tuple[str, tuple[str, ...]]] = {}  # line: (name, headings)
    sections: dict[int, str] = {}  # by level
    least = 1 if _have_own_titles(blocks, choices) else 2
    for index, block in enumerate(blocks):
        for line, text in [*block.trail, (block.first, "")]:
            if (choice := choices.get(index)) and choice.is_heading and choice.line == line and index not in duplicates:
                # "Before" below "After" is of a section of its own.
                own = [section for at, section in sections.items() if at or not find_phase(choice.text)]
                below |= {} if heading_level(choice.text) else {line: (strip_markup(choice.text), (*own,))}
            level = heading_level(text)
            if (level >= least or (find_phase(text) and is_short(text))) and not (
                only_counts(text) or is_boilerplate(text) or text in levels
            ):
                kept = {at: section for at, section in sections.items() if 0 < at < (level or _DEEPEST + 1)}
                sections = kept | {level: strip_markup(text)}
    pairs = set(below.values())
    if len(pairs) == len(dict(pairs)):
        return {}
    recurring = Counter(path[-1:] for path in {path for _, path in pairs})
    return {line: " · ".join(path[-2:] if recurring[path[-1:]] > 1 else path[-1:]) for line, (_, path) in below.items()}


def _have_own_titles(blocks: Sequence[Block], choices: Mapping[int, HeadingChoice]) -> bool:
    """Whether each list of named rates is right below a title of its own: "# Small" and "# Large"."""
    lists = [block for index, block in enumerate(blocks) if index in choices and block.trail]
    titles = [block.trail[-1][1] for block in lists]
    return all(block.label for block in lists) and len(set(titles)) == len(titles) > 1


def drop_named_groups(choices: Mapping[int, HeadingChoice], duplicates: Mapping[int, int]) -> dict[int, HeadingChoice]:
    """The choices, without a group that names the load tests right below it, and is not needed to tell its names from others."""
    groups: dict[str, set[str]] = defaultdict(set)
    for load, choice in choices.items():
        if load not in duplicates:
            groups[strip_markup(choice.text)].add(choice.group)
    return {
        load: choice.within("")
        if choice.group in groups and len(groups.get(strip_markup(choice.text), ())) == 1
        else choice
        for load, choice in choices.items()
    }


def drop_outer_groups(
    choices: Mapping[int, HeadingChoice], blocks: Sequence[Block], groups: Mapping[int, str]
) -> dict[int, HeadingChoice]:
    """The choices, without the title of a text as the group of some, where it stands above the groups of others as well."""
    used = {choice.group for choice in choices.values()}
    headings = (heading for block in blocks for heading in block.trail)
    outer = {groups[line] for line, text in headings if line in groups and strip_markup(text) in used}
    return {load: choice.within("") if choice.group in outer else choice for load, choice in choices.items()}


def swap_crossed(
    choices: Mapping[int, HeadingChoice], loads: Sequence[int], method_of: Callable[[int], Method]
) -> dict[int, HeadingChoice]:
    """The choices, where headings that recur under others say what was requested: with those as names, and these as groups.

    One that recurs alone in each ("## go", "### GET", "## rust", "### GET") tells nothing.
    """
    crossed: dict[str, dict[str, list[Method]]] = defaultdict(lambda: defaultdict(list))  # name -> group -> methods
    for load in loads:
        if (choice := choices[load]).group and choice.is_heading:
            crossed[_drop_number(choice.text)][choice.group].append(method_of(load))
    recurring = {name: methods for name, methods in crossed.items() if len(methods) > 1}
    if alone := _find_alone(crossed, recurring):
        return {
            load: replace(choice, text=choice.group, group="") if _drop_number(choice.text) in alone else choice
            for load, choice in choices.items()
        }
    if len(recurring) < 2 or not _are_workloads(recurring):
        return dict(choices)
    groups = set().union(*recurring.values())
    are_stated = _have_own_requests(crossed) and not any(" · " in group for group in groups)
    return {
        load: replace(choice, text=choice.group, group="" if are_stated else name_of_heading(choice.text))
        if choice.group in groups
        else choice
        for load, choice in choices.items()
    }


def _drop_number(text: str) -> str:
    """ "### 2.1 Results" → "Results"."""
    return strip_markup(text).removeprefix(find_numbering(text)).lstrip(".)） ")


def _find_alone(
    crossed: Mapping[str, Mapping[str, Sequence[Method]]], recurring: Mapping[str, Mapping[str, Sequence[Method]]]
) -> set[str]:
    """The recurring names each of which is the only one in its groups."""
    n_in = Counter(group for methods in crossed.values() for group in methods)
    return {
        name
        for name, methods in recurring.items()
        if {n_in[group] for group in methods} == {1} and not (_differ([*methods.values()]) or names_software(name))
    }


def _have_own_requests(crossed: Mapping[str, Mapping[str, Sequence[Method]]]) -> bool:
    """Whether each name stands for a path of its own, as the reports say, so that no group has to tell them apart."""
    paths = [{method.path for own in groups.values() for method in own} for groups in crossed.values()]
    return all(len(each) == 1 for each in paths) and len(set().union(*paths)) == len(paths)


def _are_workloads(recurring: Mapping[str, Mapping[str, Sequence[Method]]]) -> bool:
    """Whether the names, not the groups that they recur in, stand for what was requested. Where no method tells, words do."""
    by_group: dict[str, list[Sequence[Method]]] = defaultdict(list)
    for methods in recurring.values():
        for group, own in methods.items():
            by_group[group].append(own)
    names_differ = any(map(_differ, by_group.values()))
    groups_differ = any(_differ([*methods.values()]) for methods in recurring.values())
    if names_differ or groups_differ:
        return not groups_differ
    if all(map(_CLIENTS.fullmatch, recurring)):
        return True
    share, its_share = (sum(map(names_software, names)) / len(names) for names in (by_group, recurring))
    is_change = {*map(find_phase, by_group)} == {"before", "after"}
    return (share >= 0.5 or is_change) and its_share < 0.5 and not any(map(find_phase, recurring))


def _differ(sections: Sequence[Sequence[Method]]) -> bool:
    """Whether one of the sections has no method in common with the first. Each may be a sweep."""
    first, *others = ([method for method, _ in group_by_method(own, lambda each: each)] for own in sections)
    return any(not any(one.agrees(other) for one in first for other in own) for own in others)


def find_groups(blocks: Sequence[Block], levels: Collection[str]) -> dict[int, str]:
    """{line of a heading: the heading one level up}: "(1)" above "(1.1)", "#" above "##".

    Where both recur in other sections ("## one pod", "### scale up", "#### GET"), with the one above these.
    """
    groups: dict[int, str] = {}
    by_level: dict[int, Heading] = {}
    by_number: dict[str, str] = {}
    outer: dict[tuple[str, str], dict[int, str]] = defaultdict(
        dict
    )  # (heading, group): {line: what is above the group}
    for line, text in (heading for block in blocks for heading in block.trail):
        number, level, bare = find_numbering(text), heading_level(text), strip_markup(text)
        if is_boilerplate(text) or text in levels or (DESCRIBES_HOST.search(text) and is_generic(text)):
            continue
        if level and only_counts(text):
            continue  # "## Round 2" of the same names
        if is_file(text):
            by_level, by_number = {0: (line, bare)}, {}
            continue
        if "." in number and (parent := by_number.get(number.rsplit(".", 1)[0])):
            groups[line] = parent
        elif level == 1 and (is_generic(text) or (bare[:1].islower() and bare.count(" ") > 3)):
            continue  # "# Results", or a comment among commands
        elif level and (shallower := [d for d in by_level if d < level]):
            at, groups[line] = by_level[max(shallower)]
            outer[bare, groups[line]][line] = groups.get(at, "")
        if number:
            by_number[number] = bare
        if level:
            by_level = {d: t for d, t in by_level.items() if d < level} | {level: (line, bare)}
    for (_, group), above in outer.items():
        if len(set(above.values())) > 1:
            groups |= {line: f"{text} · {group}" for line, text in above.items()}
    return groups


@remember_lines
def may_name(text: str) -> bool:
    return not (
        is_boilerplate(text)
        or _says_again(text)
        or _only_warms_up(text)
        or is_generic(text)
        or tells_change(text)
        or _TELLS_VERSION.fullmatch(text)
    )


def _only_warms_up(text: str) -> bool:
    """Whether a line only says that a run warms something up: "warm-up (JIT), please ignore"; "nginx, warm-up" names nginx."""
    return is_warm_up(text) and (text.count(" ") > 3 or is_generic(re.split(r"[,;(（]", text.lstrip("#*([（ "))[0]))


def _says_again(text: str) -> bool:
    """Whether a sentence ("Hm, so one more of the same.") only says that the same was measured again, perhaps after a restart."""
    if not is_short(text) or not AGAIN.search(lower(text)):
        return False
    if _RESTARTED.search(text):
        return not _CHANGES.search(_RESTARTED.sub(" ", text))
    return is_sentence(text) and not (names_software(text) or _CHANGES.search(text))


def raise_items(trails: Sequence[list[Heading]]) -> None:
    """Make headings of the items of nested lists that outputs stand below: "* nginx", "  * 10 clients", "  * 100 clients"."""
    paths = [_list_items(trail) for trail in trails]
    named = [trail for trail, path in zip(trails, paths, strict=True) if path]
    indents = sorted({_indent(text) for trail in named for _, text in trail if ITEM.match(text)})
    depth = max((heading_level(text) for trail in trails for _, text in trail), default=0)
    if len(indents) < 2 or len(indents) > _DEEPEST - depth or sum(map(bool, paths)) < 2:
        return
    if all(_indent(path[0][1]) == indents[0] for path in paths if path):  # each outer item has one inner one, about it
        paths = [path[:1] for path in paths]
    for trail, path in zip(trails, paths, strict=True):
        trail[:] = [
            (line, f"{'#' * (max(depth, 1) + 1 + indents.index(_indent(text)))} {strip_markup(text)}")
            if (line, text) in path
            else (line, text)
            for line, text in trail
        ]


def _list_items(trail: Sequence[Heading]) -> list[Heading]:
    """The items of lists that a trail ends with; none where a heading names what it is of."""
    said = [heading for heading in trail if not is_boilerplate(heading[1])]
    items = [heading for heading in said if ITEM.match(heading[1])]
    is_named = any(heading_level(text) > 1 and may_name(text) for _, text in said)
    return [] if is_named or items[-1:] != said[-1:] else items


def merge_items(trails: Sequence[list[Heading]]) -> None:
    """Make one line of the two or three items right above a load test: "- cache off", "- round robin". trails: load tests'

    Together they tell the load tests apart, and each is a short name. A list of more is of steps or of facts.
    """
    ends = [(trail, items) for trail in trails if (items := _find_last_list(trail)) and len(items) <= _MOST_ITEMS]
    said = [", ".join(strip_markup(text) for _, text in items) for _, items in ends]
    are_names = all(
        may_name(text) and is_short(text) and not is_sentence(text) for _, items in ends for _, text in items
    )
    if len(ends) == len(trails) > 1 and len({*said}) == len(said) and are_names:
        for (trail, items), text in zip(ends, said, strict=True):
            if len(items) > 1 and len({_indent(item) for _, item in items}) == 1:
                trail[:] = [*(heading for heading in trail if heading not in items), (items[-1][0], text)]


def _find_last_list(trail: Sequence[Heading]) -> list[Heading]:
    """The items right above each other that a trail ends with; none where a heading names what it is of."""
    last: list[Heading] = []
    for heading in reversed(_list_items(trail)):
        if last and last[0][0] - heading[0] > 1:
            break
        last.insert(0, heading)
    return last


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


_MOST_ITEMS = 3  # that name what stands below them together
_BESIDE = ("before", "after")
_COUNT = re.compile(
    rf"\W*(?:(?:{RUN}|load(?: test)?|bench(?:mark)?|[rt]|no)\W*)?(?P<number>[A-Z]|\d{{1,2}}|[IVX]{{2,4}})\W*",
    re.IGNORECASE,
)
_SETTING = re.compile(r"\W*[^\W\d_][\w -]{1,30}[:=：]\s*\d.{0,30}")
_TIME_AFTER = re.compile(  # of a start: "after 5 minutes", "nach 30 s"
    r"(?:after|nach|après|después de|tras|po|через|после)\s(?:another\s|about\s|~)?\d+\s?"
    r"(?:s|m|h|d|(?:sec|min|sek|seg|сек|мин|hour|stunde|heure|hora|godzin|час|day|tag|jour|día|dni)\w*)",
    re.IGNORECASE,
)
_WAY_TO_RUN = re.compile(r"process(?:es)?|parallel|memory", re.IGNORECASE)  # else it heads what a monitor printed
_BRIEF_LABEL = re.compile(
    r"(?!HW|OS|PC|VM|(?:ok|hi|so|no|on|in|vs|or|eg|ie|re|nb|to|at|by)\b)(?:[A-Z][A-Z\d]|[a-z][a-z\d])\s*[:：]?"
)


def _find_unmarked(last: Sequence[str]) -> set[str]:
    """Lines of a load alone that others have with a name in brackets: "3 min c1" beside "1 min c1 (memory)" is not of memory."""
    marked = {
        _fold_load(match[1]) for text in last if (match := _MARKED_LOAD.fullmatch(text)) and not find_repeat(text)
    }
    marked.discard("")
    return {text for text in last if marked and _fold_load(text) in marked and is_generic(text)}


def _fold_load(text: str) -> str:
    """A line that has a number and no name, with "#" for its numbers: "3 min c1" → "#minc#"; "" of any other."""
    bare = strip_markup(text)
    is_load = re.search(r"\d", bare) and is_short(text) and find_repeat(text) is None and is_generic(bare)
    return re.sub(r"\s+", "", re.sub(r"\d+", "#", bare.lower())) if is_load else ""


def find_things(trails: Sequence[Sequence[Heading]]) -> set[str]:
    """Lines right above a load test that elsewhere head a monitor, beside names of the same form: "Files:", "Memory:"."""
    last = Counter(trail[-1][1] for trail in trails if trail)
    forms = {_describe_form(text) for text in last if may_name(text) and is_short(text)}
    things = {text for text, n in last.items() if n == 1 and _THING.fullmatch(strip_markup(text).strip(" :"))}
    return {text for text in things if _describe_form(text) in forms}


def _describe_form(text: str) -> tuple[int, str, bool]:
    sign = text.lstrip()[:1]
    return heading_level(text), "" if sign.isalpha() else sign, text.rstrip().endswith((":", "："))


_THING = re.compile(
    r"(?:in[ -])?(?:memory|process(?:es)?|speicher|prozesse|mémoire|memoria|procesos|память|процессы|メモリー?|プロセス|内存|进程)",
    re.IGNORECASE,
)


def find_compared(trails: Sequence[Sequence[Heading]], counts: Collection[str] = ()) -> set[str]:
    """The last lines above load tests that name nothing alone, but do together: "before" and "after" a change, "A" and "B"."""
    n_with = Counter(text for trail in trails for text in {text for _, text in trail})
    fixed = find_fixed_settings(trails)
    last = [
        next(
            (
                text
                for _, text in reversed(trail)
                if not (
                    is_boilerplate(text)
                    or only_counts(text)
                    or text in counts
                    or text in fixed
                    or (n_with[text] > 1 and _heads_output(text))
                )
            ),
            "",
        )
        for trail in trails
    ]
    ends = [trail[-1][1] for trail in trails if trail]
    letters = {text: match[1].upper() for text in last if (match := LETTER.fullmatch(_drop_load(drop_repeat(text))))}
    meanings: list[dict[str, str]] = [  # of each kind {line: what it tells}
        letters,
        {text: match[1] for text in last if (match := _VERSION.fullmatch(text))},
        {text: match["version"] for text in last if (match := _TELLS_VERSION.fullmatch(text))},
        # Commands name nothing, unless they start the servers that are compared.
        {text: text for text in ends if _STARTS_SERVER.match(strip_markup(text))},
        # Words that look like options tell runs apart where each has one of its own: a script's "-threads" and "-single".
        {text.strip(): text.strip() for text in ends if _OPTION_WORD.fullmatch(text.strip())},
    ]
    compared = {text for lines in meanings if len({*lines.values()}) > 1 for text in lines}
    phases = {text: phase for text in last if is_short(text) and (phase := find_phase(text))}
    compared |= {*phases} if {"before", "after"} <= {*phases.values()} else set()
    amounts = {
        text: re.sub(r"\d+", "#", text) for text in last if is_short(text) and is_generic(text) and names_amount(text)
    }
    n_alike = Counter(amounts.values())
    compared |= {text for text, base in amounts.items() if n_alike[base] > 1}
    compared |= find_amounts(text for trail in trails for _, text in trail)
    compared |= _find_unmarked([text for text in last if text])
    brief = {
        text for text in last if _BRIEF_LABEL.fullmatch(bare := _drop_load(strip_markup(text))) and not makes_load(bare)
    }
    times = {text for text in last if _TIME_AFTER.fullmatch(strip_markup(text))}
    for lines in (brief, times):
        if len(lines) > 1 or any(may_name(text) for text in last):  # "G1:" where others stand below "ZGC:"
            compared |= lines
    siblings = Counter(level for text in {*ends} if (level := heading_level(text)) > 1 and may_name(text))
    compared |= {
        text for text in ends if siblings[heading_level(text)] > 1 and _WAY_TO_RUN.fullmatch(strip_markup(text))
    }
    templated = [next((text for _, text in reversed(trail) if EXPECTED.fullmatch(text)), "") for trail in trails]
    expected = {text: any(match.groups()) for text in templated if (match := EXPECTED.fullmatch(text))}
    return compared or (set(expected) if len(set(expected.values())) > 1 else set())


def find_fixed_settings(trails: Sequence[Sequence[Heading]]) -> set[str]:
    """Lines with one setting and its value that stand above every load test, beside others that are not above all of them.

    "timeout: 20 s" below "memory: 256 MB" and below "memory: 512 MB".
    """
    above = [{text for _, text in trail} for trail in trails if trail]
    common = set.intersection(*above) if len(above) > 1 else set()
    settings = {text for text in common if _SETTING.fullmatch(text)}
    return settings if any(_SETTING.fullmatch(text) for texts in above for text in texts - common) else set()


def _drop_load(text: str) -> str:
    """ "A (10 connections)" → "A", as of "1. A"."""
    text = re.sub(r"^\d{1,2}[.)]\s+", "", text)
    match = re.fullmatch(r"([A-Z]\w?)(?=\W)(.*\d.*)", text)
    return match[1] if match and is_generic(match[2]) else text


def _heads_output(text: str) -> bool:
    """Whether a script put a line above each of its outputs: "--- Load Test Results ---"."""
    return is_banner(text) and is_generic(text) and not (find_phase(text) or LETTER.fullmatch(strip_markup(text)))


def find_counts(trails: Sequence[Sequence[Heading]]) -> set[str]:
    """The last lines above load tests that only number the repeats of what stands above them: "(a)" and "(b)", "1", "run A".

    They begin anew below each name, and only there; below a single one only where that is of software.
    """
    counted: list[tuple[str, int, str]] = []  # line, its number, the name above it
    for trail in trails:
        if trail and (match := _COUNT.fullmatch(strip_markup(trail[-1][1]))):
            named = next(
                (text for _, text in reversed(trail[:-1]) if may_name(text) or find_phase(text) in _BESIDE), ""
            )
            counted.append((trail[-1][1], read_number(match["number"]) or 0, named))
    names = [name for *_, name in counted if name]
    goes_on = all(
        n == (1 if name else before + 1) for (_, before, _), (_, n, name) in pairwise([("", 0, ""), *counted])
    )
    is_letter = any(LETTER.fullmatch(strip_markup(text)) for text, *_ in counted)
    is_clear = len(names) > 1 or (any(map(names_software, names)) and not is_letter)
    repeats = len(counted) > len(names) and goes_on and is_clear and not any(map(takes_number, names))
    return {text for text, *_ in counted} if repeats else set()


def find_machines(sections: Sequence[Sequence[Heading]]) -> set[str]:
    """ "## server", where "## laptop" names other load tests: each section has a machine of its own."""
    last = [next((text for _, text in reversed(trail) if heading_level(text)), "") for trail in sections]
    levels = {heading_level(text) for text in last if text and not is_generic(text)}
    return {text for text in last if heading_level(text) in levels and _MACHINE.fullmatch(strip_markup(text))}


def find_tool_names(sections: Sequence[Sequence[Heading]]) -> set[str]:
    """Lines that recur, and only name a load tool, below headings: "**wrk:**"."""
    plain = Counter(text for trail in sections for _, text in trail if not heading_level(text))
    has_headings = any(heading_level(text) > 1 for trail in sections for _, text in trail)
    recurring = (text for text, n in plain.items() if n > 1 and has_headings)
    return {text for text in recurring if makes_load(strip_markup(text).lower())}
