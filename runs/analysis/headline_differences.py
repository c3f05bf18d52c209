"""In what else than their configs the loads, pages and machines of two columns differ, and whether that is what is compared."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from runs.analysis.columns import WORD, Column, compare_names, list_other_words
from runs.analysis.doubt_case import Case
from runs.analysis.doubt_differences import (
    DOCUMENT,
    FAMILIES,
    NONE,
    PROPERTIES,
    USUAL,
    find_differences,
    is_sized,
)
from runs.analysis.facts import HostFact, RunFact
from runs.analysis.headline_against import HeadlineData, RankedColumn, Unlike
from runs.numbers import figure

STOLEN = "stolen CPU time"
CPU_FILLER = re.compile(r"\((?:r|tm)\)|\b(?:\d+-core|cpu|processor)\b|@.*", re.IGNORECASE)
# Error pages of web servers and frameworks are hardly longer, and pages that somebody measures are seldom as short beside another.
ERROR_BYTES, FAR_SHORTER = 1200, 5
AMOUNT_IN_QUERY = re.compile(r"(?:^|&)(limit|size|count|n|num|rows|per_?page|page_?size|top|queries)=(\d{1,9})(?=&|$)")
OFTEN_MEANT = {"answering server", "timeout"}  # is mostly what is compared, or moves no rate
# What slows one side alone by its name, and what a name calls the contrary.
SLOW_BY_NAME = {
    "cold": (
        r"\bcold(?:[ -](?:start|cache|run|boot))?\b|\bafter (?:a )?(?:re)?(?:boot|start)\b|\bfirst run\b",
        r"\bwarm(?:ed)?(?:[ -]?up)?(?:[ -](?:start|cache|runs?))?\b",
    ),
    "in a container or virtual machine": (
        r"\b(?:in|inside|on) (?:an? |the )?(?:docker|podman|containers?|vm|virtual machine|wsl2?|virtualbox)\b"
        r"|\((?:docker|vm|wsl2?)\)",
        r"\b(?:native(?:ly)?|bare[ -]metal|(?:on )?the host)\b",
    ),
    "a debug build": (r"\bdebug(?:[ -](?:build|mode))?\b", r"\brelease(?:[ -](?:build|mode))?\b"),
}
MUCH_STOLEN_PCT = 15  # more than most differences that people look for
# Words that tell one state of a thing from another one.
STATE_OF = re.compile(
    r"(?<![^\W_])(?:before|after|old|new|prev(?:ious)?|current|next|orig(?:inal)?|base(?:line)?|master|main|patched|fixed|tuned"
    r"|(?:un)?optimi[sz]ed|v?\d+(?:\.\d+)*)(?![^\W_])|(?<=[A-Za-z])\d+(?![^\W_])",
    re.IGNORECASE,
)
MEMORY_AS_NAME = re.compile(r"(?:^|, )[\d,]+ MiB$")
UNNAMED = {"at a set rate", "behind an answer", NONE, USUAL}  # values that no config is named after
# Words that name a machine, and that tell one from another.
MACHINE = (
    r"(?:machine|hosts?|servers?|box|laptop|desktop|vps|vm|droplet|instance|nodes?|maschine|rechner|serveur|servidor|m[aá]quina)"
    r"(?:[ #_-]?(?:\d{1,2}|[a-z]|one|two|three)\b)?|cpus?|cores?|\d*\s*[mg]i?b|ram|memory"
    r"|\b(?:old|new|older|newer|first|second|big|small|fast|slow|dev|prod(?:uction)?|staging|test|home|my)\b"
    r"|\b(?:aws|amazon|ec2|lightsail|azure|gcp|gce|google cloud|digital\s?ocean|linode|akamai|hetzner|vultr|ovh\w*|kimsufi|scaleway"
    r"|contabo|upcloud|rackspace|alibaba|aliyun|oracle cloud|(?:raspberry|rpi|pi)(?: pi)?(?: ?\d\w*)?(?: b\b)?|graviton\w*|xeon"
    r"|epyc|ryzen|mac(?:book)?(?: (?:pro|air|mini|studio))?|nuc)\b"
    r"|\b[a-z]{1,3}\d{1,2}[a-z]{0,4}[.-](?:\d*x)?(?:nano|micro|small|medium|large|metal|standard\S*)\b|[$€£]\s?\d+|\d+\s?[$€£]"
)


def find_unlike(data: HeadlineData, own: int, other: int) -> list[Unlike]:
    """In what the loads, pages and machines of two columns differ, without what was overruled."""
    other_column, own_column = (data.comparison.columns[at] for at in (other, own))
    configs = {other_column.config.id: other_column.config, own_column.config.id: own_column.config}
    case = Case(list(configs.values()), [*other_column.runs, *own_column.runs], hosts=data.hosts)
    overruled = {doubt.rule for doubt in data.doubts if doubt.overruled and {*doubt.configs} & {*configs}}
    sized = any(map(is_sized, case.runs))
    differences = []
    for family in FAMILIES:
        for finding in find_differences(family, case) if f"differs.{family}" not in overruled else ():
            source = next(reversed(finding.sources), None)
            stated = [unlike for unlike in _read_pairs(finding.facts, sized) if unlike.stops or unlike.is_said]
            differences += [replace(unlike, source=source) for unlike in stated]
    by_name = {unlike.name: unlike for unlike in differences}
    for name in _list_explained(data, by_name, case.runs):
        by_name.pop(name, None)
    if "path" in by_name and _are_before_and_after(own_column.config.name, other_column.config.name):
        by_name["path"] = replace(by_name["path"], stops=False)
    if "pipelining" in by_name and "protocol" in by_name:  # HTTP/2 has its streams, which HTTP/1.1 has not
        by_name["pipelining"] = replace(by_name["pipelining"], stops=False, is_said=True, confounds=False)
    is_alone = len({unlike.is_of for unlike in by_name.values() if unlike.stops}) <= 1
    differences = []
    for each in by_name.values():
        compared = replace(each, is_compared=is_alone and _is_compared(data, each, own_column, other_column))
        differences.append(replace(compared, stops=each.stops and not _are_states(compared, own_column, other_column)))
    return [
        *differences,
        *_find_slow_by_name(own_column.config.name, other_column.config.name),
        *_find_stolen(data, own, other),
    ]


def _list_explained(data: HeadlineData, names: Collection[str], runs: Sequence[RunFact]) -> Iterator[str]:
    """The differences that say nothing beside what else is known of these machines."""
    ids = {run.host_id for run in runs}
    is_one_machine = len(ids) == 1 and None not in ids
    if is_one_machine or "loaded through" in names:
        yield "address"
    models = [host.cpu_model for host in data.hosts if host.id in ids]
    has_alike = bool(models) and all(models) and len({*models}) == 1
    if "CPU" in names or has_alike or _is_one_named([*data.hosts], ids):
        yield "machine"  # their names say less


def _is_one_named(hosts: Sequence[HostFact], ids: Collection[int | None]) -> bool:
    """Whether one of these machines has a name, and another is called by its memory as it has none: they may be one."""
    is_named = {not MEMORY_AS_NAME.search(host.name) for host in hosts if host.id in ids}
    return len(is_named) == 2


def _find_slow_by_name(own: str, other: str) -> list[Unlike]:
    """What the slower side alone was by its name, where the names tell of something else as well."""
    slow_by_name = []
    for what, (slow, contrary) in SLOW_BY_NAME.items():
        words = [set(list_other_words(name, f"{slow}|{contrary}")) for name in (own, other)]
        is_other = re.search(slow, other, re.IGNORECASE) and not re.search(slow, own, re.IGNORECASE)
        if is_other and not (words[0] <= words[1] or words[1] <= words[0]):
            slow_by_name.append(
                Unlike("set-up", f"not {what} by its name", what, "", stops=False, is_said=True, confounds=True)
            )
    return slow_by_name


def find_short_answer(unlike: Sequence[Unlike], own: RankedColumn, other: RankedColumn) -> tuple[str, float] | None:
    """(config, bytes) of the side whose replies are as short as an error page, and far shorter than the other's."""
    for difference in unlike:
        if difference.name == "request method":
            return None  # HEAD is answered without a body
        if (
            difference.is_of == DOCUMENT
            and isinstance(difference.own, (int, float))
            and isinstance(difference.other, (int, float))
        ):
            short, long = sorted(((difference.own, own.title), (difference.other, other.title)))
            if short[0] <= ERROR_BYTES and short[0] * FAR_SHORTER <= long[0]:
                return short[1], short[0]
    return None


def find_alike(data: HeadlineData, ranked: Sequence[RankedColumn]) -> list[RankedColumn]:
    """The columns that were asked for the same, where there are more of them than of any others; else none."""
    groups: list[list[RankedColumn]] = []
    for side in ranked:
        of_side = [group for group in groups if not any(find_stops(data, one, side) for one in group)]
        if of_side:
            of_side[0].append(side)
        else:
            groups.append([side])
    *fewer, most = sorted(groups, key=len)
    if len(most) <= max(map(len, fewer), default=1):
        return []
    for side in ranked:  # one that could be held against either group
        if side not in most and not any(find_stops(data, one, side) for one in most):
            most.append(side)
    return [side for side in ranked if side in most]


def find_stops(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Unlike]:
    """What stops the comparison of two columns."""
    return [
        difference
        for difference in find_unlike(data, own.at, other.at)
        if difference.stops and not difference.is_compared
    ]


def _find_stolen(data: HeadlineData, own: int, other: int) -> list[Unlike]:
    """Much CPU time that other virtual machines took beside the runs of one side, where the other lost little."""
    shares = []
    for at in (own, other):
        spared = [finding.facts["share"] for finding in data.findings("machine.steal", at) if finding.facts["spared"]]
        shares.append(max(spared, default=0.0))
    if min(shares) or max(shares) < MUCH_STOLEN_PCT:
        return []
    mine, its = (f"{figure(share)} %" if share else "little" for share in shares)
    doubt = data.concerns("machine.steal", [own if shares[0] else other])[0]
    return [Unlike(STOLEN, mine, its, "", stops=True, source=next(iter(doubt.sources), None))]


def _read_pairs(facts: Mapping[str, Any], sized: bool) -> list[Unlike]:
    """The properties of a finding about two columns, with the value of either. sized: how long the pages are is known."""
    listed = [(name, values[-1], values[0], unit) for name, values, unit in facts.get("listed", ()) if len(values) > 1]
    pairs = (*listed, *facts.get("pairs", ()))
    return [_make_unlike(name, own, other, unit, sized) for name, own, other, unit in pairs]


def _make_unlike(name: str, own: str | float, other: str | float, unit: str, sized: bool) -> Unlike:
    """Whether another path is the same page tells its length, where that is printed; a query mostly leaves it the same, and so
    does a prefix."""
    far = math.inf
    if isinstance(own, (int, float)) and isinstance(other, (int, float)):
        small, large = sorted((abs(own), abs(other)))
        far = large / small if small else math.inf
    elif name == "CPU":
        own, other = (" ".join(CPU_FILLER.sub(" ", str(model)).split()) for model in (own, other))
    prop = PROPERTIES[name]
    stops, says = far >= prop.stops < math.inf, prop.stops < math.inf or far >= prop.says < math.inf
    if name == "path":
        short, long = sorted((str(path).partition("?")[0].rstrip("/") for path in (own, other)), key=len)
        is_moved = len(short) > 1 and long.endswith(short)  # "/values" as "/api/values"
        stops, says = short != long and not (sized or is_moved), short != long or not sized
    grade = prop.grade(own, other) if callable(prop.grade) else prop.grade
    confounds = grade != "note" and name not in OFTEN_MEANT
    if name == "path":
        confounds |= not sized and _ask_for_other_amounts(str(own), str(other))
    if prop.better and isinstance(own, (int, float)) and isinstance(other, (int, float)):
        confounds &= prop.better * (own - other) > 0
    return Unlike(name, own, other, unit, stops, says, confounds)


def _ask_for_other_amounts(own: str, other: str) -> bool:
    """Whether the queries of two paths ask for another number of things."""
    amounts = [dict(AMOUNT_IN_QUERY.findall(path.partition("?")[2])) for path in (own, other)]
    return any(amounts[1].get(name, n) != n for name, n in amounts[0].items())


_BEFORE = re.compile(
    r"\b(?:before|vorher|vor|avant|antes|prima|przed|do|до)\b|(?:最適化|改善|変更|優化|优化|修改|改进)之?前|적용 ?전|최적화 ?전",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\b(?:after|nachher|nach|après|después|depois|dopo|po|после|після)\b|(?:最適化|改善|変更|優化|优化|修改|改进)之?[后後]"
    r"|적용 ?후|최적화 ?후",
    re.IGNORECASE,
)


def _are_before_and_after(name: str, other: str) -> bool:
    """Whether the names say that the same was measured before and after a change: another path is part of it, and is said."""
    own, its = ((bool(_BEFORE.search(each)), bool(_AFTER.search(each))) for each in (name, other))
    return {own, its} == {(True, False), (False, True)}


def _is_compared(data: HeadlineData, unlike: Unlike, own: Column, other: Column) -> bool:
    """Whether names or config texts set the configs apart by this, and the names by nothing else, or one has no other name."""
    if own.config.id == other.config.id:  # one config under several loads: what was varied is what is compared
        return PROPERTIES[unlike.name].varied
    if unlike.name == "request method":  # "GET" beside "POST": each does something else
        return False
    names = [set(map(str.lower, WORD.findall(column.config.name))) for column in (own, other)]
    asked = [set(map(str.lower, WORD.findall(str(value)))) for value in (unlike.own, unlike.other)]
    is_of_path = names[0] & asked[0] - asked[1] and names[1] & asked[1] - asked[0]
    if unlike.name == "path" and is_of_path and all(name - asked[0] - asked[1] for name in names):
        return True  # each is named after its own, and told apart by more: "/api/v1 (old)" and "/api/v2 (new)"
    is_machine = unlike.is_of == "CPU"
    pattern = MACHINE if is_machine else PROPERTIES[unlike.name].named
    values = [str(value) for value in (unlike.own, unlike.other) if value not in UNNAMED]
    values += [f"{value:g}" for value in (unlike.own, unlike.other) if isinstance(value, (int, float))]
    words = {word.lower() for value in values for word in WORD.findall(value)}
    if is_machine:
        words |= {word.lower() for host in data.hosts for word in WORD.findall(f"{host.name} {host.cpu_model}")}
    if unlike.name == "tool":
        words |= {run.tool for column in (own, other) for run in column.runs}
    named, alike = compare_names((own.config.name, other.config.name), pattern, words)
    return alike and (named or any(re.search(pattern, name, re.I) for name in data.directives))


def _are_states(unlike: Unlike, own: Column, other: Column) -> bool:
    """Whether each side had a script of its own, as "old.lua" and "new.lua", where the names are of two states, too.

    Numbers alone tell states of names that are the same otherwise: "nginx 1.25" and "Apache 2.4" are two servers.
    """
    names = [column.config.name for column in (own, other)]
    states = [STATE_OF.findall(name) for name in names]
    if len({*map(_remove_states, names)}) > 1:
        states = [[state for state in each if not state[-1].isdigit()] for each in states]
    bare_scripts = {_remove_states(str(script)) for script in (unlike.own, unlike.other)}
    are_of_two = (all(states) and states[0] != states[1]) or _are_before_and_after(*names)
    return unlike.name == "script" and len(bare_scripts) == 1 and are_of_two


def _remove_states(name: str) -> str:
    return re.sub(r"[\W_]", "", STATE_OF.sub("", name))
