"""What else than their configs may be all of a lead: in what loads, pages and machines differ, and whether that is what is
compared; and flaws of the measurement: what held a side back, reports that cannot be right or say little."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
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
from runs.analysis.facts import Finding
from runs.analysis.headline_against import (
    BEFOREHAND,
    CLAIMED,
    CLOSED,
    DRIFT,
    HELD_BACK,
    IDLE,
    IMPOSSIBLE,
    LONG_ENOUGH_S,
    LOST,
    NOT_AS_NAMED,
    OTHER_SERVER,
    RATE,
    SHOWN_STATUS,
    SLOWED,
    STEAL,
    STOPPED,
    THROTTLED,
    TOLD,
    UNWATCHED,
    HeadlineData,
    Objection,
    RankedColumn,
    Unlike,
)
from runs.numbers import figure, mean

FAR_LONGER = 10  # times
MANY_LOST = 0.1  # of the clients
STOLEN = "stolen CPU time"
CPU_FILLER = re.compile(r"\((?:r|tm)\)|\b(?:\d+-core|cpu|processor)\b|@.*", re.IGNORECASE)
# Error pages of web servers and frameworks are hardly longer, and pages that somebody measures are seldom as short beside another.
ERROR_BYTES, FAR_SHORTER = 1200, 5
OFTEN_MEANT = {"answering server", "timeout"}  # is mostly what is compared, or moves no rate
QUOTA = re.compile(r"\d*cpus?\b|\d*cores?\b|quota|limit|throttl|\b\d+m\b", re.IGNORECASE)  # names after CPU time
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
    differences = list({unlike.name: unlike for unlike in differences}.values())
    if _are_before_and_after(own_column.config.name, other_column.config.name):
        differences = [replace(each, stops=False) if each.name == "path" else each for each in differences]
    is_one_machine = len(hosts := {run.host_id for run in case.runs}) == 1 and None not in hosts
    if is_one_machine or "loaded through" in [unlike.name for unlike in differences]:
        differences = [unlike for unlike in differences if unlike.name != "address"]
    models = [host.cpu_model for host in data.hosts if host.id in hosts]
    if "CPU" in [unlike.name for unlike in differences] or (models and all(models) and len({*models}) == 1):
        differences = [unlike for unlike in differences if unlike.name != "machine"]  # their names say less
    stops = {unlike.is_of for unlike in differences if unlike.stops}
    differences = [
        replace(each, is_compared=len(stops) <= 1 and _is_compared(data, each, own_column, other_column))
        for each in differences
    ]
    differences = [
        replace(each, stops=each.stops and not _are_states(each, own_column, other_column)) for each in differences
    ]
    return [
        *differences,
        *_find_slow_by_name(own_column.config.name, other_column.config.name),
        *_find_stolen(data, own, other),
    ]


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
    if prop.better and isinstance(own, (int, float)) and isinstance(other, (int, float)):
        confounds &= prop.better * (own - other) > 0
    return Unlike(name, own, other, unit, stops, says, confounds)


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
    """Whether each side had a script of its own, as "old.lua" and "new.lua", where the names are of two states, too."""
    bare = {re.sub(r"[\W_]", "", STATE_OF.sub("", str(script))) for script in (unlike.own, unlike.other)}
    states = [STATE_OF.findall(column.config.name) for column in (own, other)]
    return unlike.name == "script" and len(bare) == 1 and all(states) and states[0] != states[1]


# --- flaws of the measurement ---


def find_flaws(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What makes both sides' figures doubtful."""
    finders = (
        find_held_back,
        _find_other_answers,
        _find_stopped,
        _find_idle_clients,
        _find_closed_connections,
        _find_lost_clients,
        _find_drifting_side,
        _find_slowed_side,
        _find_slow_beginnings,
        _find_short_runs,
        _find_told_otherwise,
        _find_claimed_otherwise,
    )
    return [objection for find in finders for objection in find(data, own, other)]


def find_held_back(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What other than its config held a side back. serious: the other side may serve more than the leader."""
    objections = []
    for rule, morals in HELD_BACK.items():
        by_rule = {}
        for side in (own, other):
            every = [finding for name in (rule, "machine.cpu") for finding in data.findings(name, side.at)]
            if full := next((finding for finding in every if finding.moral in morals), None):
                by_rule[side.title] = full
        if by_rule:
            whose, last = (next(iter(by_rule)) if len(by_rule) == 1 else ""), [*by_rule.values()][-1]
            label, share = str(last.facts.get("program", "")), last.facts.get("cpu")
            serious, source = other.title in by_rule, last.first_source
            beside = UNWATCHED if last.facts.get("alone") is False else None
            objections.append(Objection(rule, whose, label, "%", share, beside, serious=serious, source=source))
    return objections


def _find_other_answers(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """A page was an error, or a side is named after something else: the server that answered, or the way it was loaded."""
    stated: dict[str, list[Objection]] = {}
    for rule, label in ((OTHER_SERVER, "server"), (SHOWN_STATUS, "status"), (NOT_AS_NAMED, "had")):
        stated[rule] = [
            Objection(
                rule,
                side.title,
                finding.facts[label],
                other=finding.facts.get("other"),
                serious=True,
                source=finding.first_source,
            )
            for side, finding in data.first_findings(rule, own, other)
        ]
    alike = stated[SHOWN_STATUS]
    if len(alike) == 2 and alike[0].label == alike[1].label:
        stated[SHOWN_STATUS] = [replace(alike[0], config="")]
    return list(chain(*stated.values()))


def _find_stopped(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Someone ended the run of one side before all its requests were made, or before its time was over."""
    objections = []
    for side, finding in data.first_findings(STOPPED, own, other):
        what, made, asked = ("s", "took", "limit") if "limit" in finding.facts else ("requests", "made", "asked")
        figures = finding.facts.get(made), finding.facts.get(asked)
        objections.append(Objection(STOPPED, side.title, "", what, *figures, source=finding.first_source))
    return objections


def _find_idle_clients(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Clients mostly had no request under way: of one side, or of both, whose rates are then those of the clients' pauses.

    serious: of the slower side alone
    """
    idle = data.first_findings(IDLE, own, other)
    if not idle or any(run.is_open_loop for at in (own.at, other.at) for run in data.comparison.columns[at].runs):
        return []  # at a set rate they stand by until they are needed
    shares = [100 * finding.facts["busy"] / finding.facts["clients"] for _, finding in idle]
    whose, source = (idle[0][0].title if len(idle) == 1 else ""), idle[0][1].first_source
    return [Objection(IDLE, whose, "", "%", max(shares), serious=whose == other.title, source=source)]


def _find_closed_connections(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Connections of one side only that were to be kept and were not."""
    closed = data.first_findings(CLOSED, own, other)
    return (
        [Objection(CLOSED, side.title, source=finding.first_source) for side, finding in closed]
        if len(closed) == 1
        else []
    )


def _find_lost_clients(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Many clients of a side never got a connection: it was loaded with fewer."""
    objections = []
    for side in (own, other):
        for run in data.comparison.columns[side.at].runs:
            asked, lost = run.requested_clients or 0, (run.requested_clients or 0) - (run.clients or 0)
            if run.clients and lost >= MANY_LOST * asked > 0:
                source = run.source_of("socket_errors")
                objections.append(Objection(LOST, side.title, "", "clients", lost, asked, serious=True, source=source))
                break
    return objections


def _find_drifting_side(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """The rate of one side alone went down or up from run to run: its mean stands for none of them.

    serious: by as much as half of the lead
    """
    ratio = (own.value or 0) / (other.value or 1)
    far = abs(math.log(ratio)) / 2 if 0 < ratio < math.inf else 0.0
    drifts = {side.title: data.drifting.get(data.comparison.columns[side.at].config.id) for side in (own, other)}
    findings = [(title, finding) for title, finding in drifts.items() if finding]
    if len(findings) != 1:
        return []
    (title, finding), first, last = findings[0], findings[0][1].facts["first"], findings[0][1].facts["last"]
    is_far = abs(math.log(last / first)) >= far
    return [Objection(DRIFT, title, finding.moral, "", first, last, serious=is_far, source=finding.first_source)]


def _find_slowed_side(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What slowed the slower side alone: a limit in a log, a throttled group, much stolen CPU time, what the text tells of.

    Stolen time of a side beside one that nobody watched; of two that were watched it stops their comparison.
    """
    objections = []
    for rule in SLOWED:
        findings = data.findings(rule, other.at) if not data.findings(rule, own.at) else []
        if rule == STEAL:
            findings = [
                finding
                for finding in findings
                if not finding.facts["spared"] and finding.facts["share"] >= MUCH_STOLEN_PCT
            ]
        if rule == THROTTLED and any(QUOTA.search(side.title) for side in (own, other)):
            findings = []  # how much CPU time each may use is what is compared
        for finding in findings[:1]:
            label, share = str(finding.facts.get("limit", finding.facts.get("what", ""))), finding.facts.get("share")
            objections.append(
                Objection(rule, other.title, label, "%", share, serious=True, source=finding.first_source)
            )
    return objections


def _find_slow_beginnings(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """What came just before runs of the slower side alone, where half of the lead at most is left without them.

    What loaded the machine before the first run may go on beside all of them.
    """
    of_leader = {finding.facts["kind"] for finding in data.findings(BEFOREHAND, own.at)}
    findings = [finding for finding in data.findings(BEFOREHAND, other.at) if finding.facts["kind"] not in of_leader]
    slowed = {finding.run for finding in findings}
    left = [one.value for one in data.figures(RATE, other.at) if one.run not in slowed]
    goes_on = any(finding.facts["kind"] == "load" for finding in findings)
    half = math.sqrt(max(own.value or 0, 0) * max(other.value or 0, 0))  # the rate between the two
    if not findings or (left and mean(left) < half and not goes_on):
        return []
    what, source = findings[0].facts["what"], findings[0].first_source
    return [Objection(BEFOREHAND, other.title, what, serious=True, source=source)]


def _find_told_otherwise(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Rates that the text itself tells of a side, and its report does not have.

    serious: the first one, where the other side would lead with them
    """
    findings = data.first_findings(TOLD, own, other)
    told = {own.at: own.value or 0, other.at: other.value or 0} | {
        side.at: finding.facts["told"] for side, finding in findings
    }
    objections: list[Objection] = []
    for side, finding in findings:
        rates, reverses = (finding.facts["told"], finding.facts["rate"]), told[own.at] < told[other.at]
        is_first = not objections
        objections.append(
            Objection(TOLD, side.title, "", "", *rates, serious=reverses and is_first, source=finding.first_source)
        )
    return objections


def _find_claimed_otherwise(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """A sentence of the text that calls the slower side faster than the other one."""
    leader = data.comparison.columns[own.at].config.name
    claimed_otherwise = [finding for finding in data.findings(CLAIMED, other.at) if finding.facts["over"] == leader]
    return [
        Objection(CLAIMED, other.title, finding.facts["said"], serious=True, source=finding.first_source)
        for finding in claimed_otherwise[:1]
    ]


def find_contradictions(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Figures that cannot all be true, more failures than requests among them, with one of each side as its `label`.

    Where reports of both sides contradict themselves alike, config is "": their tool counts otherwise than is known here, or
    both were edited.
    """
    by_rule: dict[str, dict[str, Objection]] = {}
    for side in (own, other):
        for rule, part in data.list_impossible(side.at):
            label, source = part.text.partition(": ")[0], part.finding.first_source
            objection = Objection(IMPOSSIBLE, side.title, label, serious=True, source=source)
            by_rule.setdefault(rule, {}).setdefault(side.title, objection)
    one_sided = {title: objection for each in by_rule.values() if len(each) == 1 for title, objection in each.items()}
    both = [replace(next(iter(each.values())), config="") for each in by_rule.values() if len(each) > 1]
    return [*one_sided.values(), *both[:1]]


def _find_short_runs(data: HeadlineData, own: RankedColumn, other: RankedColumn) -> list[Objection]:
    """Sides of which no run took a second: start-up and chance in scheduling are in every figure.

    serious: the other side's ran far longer, so that they are in its figures hardly at all.
    """
    short: dict[str, Finding] = {}
    took: dict[str, float] = {}
    for side in (own, other):
        took[side.title] = max((run.duration_s or 0 for run in data.comparison.columns[side.at].runs), default=0)
        runs = {run.id for run in data.comparison.columns[side.at].runs} - data.out.keys()
        findings = [finding for finding in data.findings("length.seconds", side.at) if finding.run in runs]
        longest = max(findings, key=lambda finding: finding.facts["took"], default=None)
        if longest and len(findings) == len(runs) and longest.facts["took"] < LONG_ENOUGH_S:
            short[side.title] = longest
    if not short:
        return []
    whose = "" if len(short) > 1 else next(iter(short))
    longest = max(short.values(), key=lambda finding: finding.facts["took"])
    far = bool(whose) and max(took.values()) >= FAR_LONGER * longest.facts["took"]
    return [
        Objection("length.seconds", whose, "", "s", longest.facts["took"], serious=far, source=longest.first_source)
    ]


def find_odd_runs(data: HeadlineData, sides: Sequence[RankedColumn]) -> tuple[str, str]:
    """Whether one repeat of any is far off, or the first of any looks cold."""
    for rule, what in (("warmth.first", "cold"), ("repeats.outlier", "outlier")):
        for side in sides:
            if data.concerns(rule, [side.at]):
                return what, side.title
    return "", ""
