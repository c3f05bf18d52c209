"""Rules of doubts: what was not the same between a column and the one it stands against: tool, load, page, machine.

Grades: fatal, caution and note are a doubt's; "split" says that another thing is measured. A split is fatal where a third
column was measured like the baseline, which makes this one the odd one out; where there is none, the difference may be
just what is compared, and it is a caution.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Literal

from runs.analysis.columns import compare_names
from runs.analysis.doubt_case import (
    LEAST_BYTES,
    Case,
    hostname_of,
    is_local,
    mean_reply_bytes,
    name_tool,
    read_tls,
    rule,
)
from runs.analysis.facts import Finding, RunFact, Severity, read_at
from runs.analysis.method import drop_folders, read_method, tells_load

Grade = Literal["fatal", "split", "caution", "note"]
Value = str | float
Read = Callable[[RunFact], Value | None]
BASES = {  # of the rules, by family
    "load": "queueing theory: throughput and latency are functions of the offered load",
    "machine": "practice: a rate is one of machine and config together",
    "page": "practice: rates compare where the same thing is fetched",
    "tool": "each tool's documentation: what is counted, and when a time begins, is not the same",
}
DAYS_APART = 2  # the night between two is none
NEAR_BYTES = 256  # less than a reply's headers
NEAR_MS = 1  # of round trips: within one building
STEP_KB = 65536
SIZES = r"small|large|big|tiny|\d*\s*[kmg]i?b|bytes?|files?|pages?|gzip|brotli|compress\w*|deflate"
KEEP_ALIVE = (
    r"keep[-_ ]?alive|\bkeep(?:ing|s)?\b|\bclos(?:e[ds]?|ing)\b|persistent|\breus\w+|\bka\b|(?<!\w)-k\b"
    r"|\b(?:re)?connect(?:s|ing|ions?)?(?:[- ](?:per|each|every|once)(?:[- ](?:\w+))?)?\b"
)
PIPELINING = r"pipelin\w*"
SCRIPT, HTTP = r"scripts?|lua|pipelin\w*", r"http/?[123](?:\.\d)?|\bh[123]c?\b"
CLIENTS = r"-c\s*\d*|concurren\w+|connections?|clients?|users?|同時接続数?"
HEADERS = r"headers?|cookies?|auth\w*|logged[- ]in|anonymous|accept\w*|gzip|brotli|compress\w*|plain"
HEADER_NAME = re.compile(r"(?:^|\s)([A-Za-z][\w-]*):(?=\s?\S)")
COMPARED_ELSEWHERE = {"host", "connection", "user-agent", "content-type", "content-length"}
FRONTS = re.compile(r"nginx|apache|caddy|haproxy|envoy|lighttpd|openresty|varnish|traefik|cloudflare", re.I)
GOVERNOR = r"(?:scaling_)?governor|performance|powersave|schedutil|ondemand|conservative"
CLOCK = r"throttl\w*|clock\w*|[mg]hz|turbo|boost"
CACHED, CONDITION, DAY = "answer from a cache", "condition", "day"
LENGTH, DOCUMENT = "document_length_bytes", "document length"
NONE, USUAL = "none", "the tool's usual"  # of what a command that is known does not set
AFAR = re.compile(r"\d+(?:\.\d+){3}|[\w-]+(?:\.[\w-]+)+")
IPV4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
NEARBY = re.compile(r"^172\.(?:1[6-9]|2\d|3[01])\.|\.(?:local|localhost|test|internal|example|dev)$", re.I)
MADE_TO_VARY = {"keep-alive", "TLS", CACHED, "governor"}


@dataclass(frozen=True, slots=True)
class Property:
    """`read`: where a run's value is ("machine.x": of the host that served it), or what reads it; None and "" are not known.
    `grade` weighs two that are not equal.

    figure  that it is printed as
    stops   from this ratio on rates under such a difference are not compared; says: else it is said from this one on
    named   how the name of a config speaks of it; varied: one config may be loaded with several, to compare just that
    like    another property of which it tells as well
    better  the sign of what a side gains by more of it: the other side's lead is none by it; 0: nobody knows
    """

    name: str
    read: Read | str
    grade: Grade | Callable[[Value, Value], Grade | None]
    unit: str = ""
    figure: str = ""
    stops: float = math.inf
    says: float = math.inf
    named: str = r"(?!)"
    varied: bool = False
    like: str = ""
    better: int = 0


def grade_sizes(one: Value, other: Value) -> Grade | None:
    """How much it weighs that documents differ in length (bytes)."""
    small, large = sorted((float(one), float(other)))
    ratio = large / small if small else float("inf")
    if ratio < 1.02:
        return None
    if large - small < NEAR_BYTES or ratio < 1.2:
        return "note"
    return "caution" if ratio < 2 else "split"


def grade_mean_sizes(one: Value, other: Value) -> Grade | None:
    """The same for means over all replies, which errors and redirects shift."""
    small, large = sorted((float(one), float(other)))
    if large < LEAST_BYTES:  # of "0.00 MB" of a few hundred replies the mean is mostly rounding
        return None
    ratio = large / small if small else float("inf")
    return "split" if ratio >= 3 else "caution" if ratio >= 1.5 else None


def _grade_from(ratio: float, severity: Grade, apart: float = 0) -> Callable[[Value, Value], Grade | None]:
    """Two figures weigh that much from this ratio on, where they are this far apart."""

    def grade(one: Value, other: Value) -> Grade | None:
        small, large = sorted((float(one), float(other)))
        return severity if large >= ratio * small and large - small >= apart else None

    return grade


def _read_machine(case: Case, name: str, run: RunFact) -> Value | None:
    """A property of the machine that served; memory in kB, rounded as kernels keep more or less of it for themselves."""
    machine: Value | None = getattr(case.machines.get(run.host_id or 0), name, None) or None
    return (
        float(round(machine / STEP_KB) * STEP_KB // 1024) if name == "ram_kb" and isinstance(machine, int) else machine
    )


def _read_day(run: RunFact) -> Value | None:
    """When it ran, as far as the text or its sender says so."""
    return run.ran_at.date().isoformat() if run.ran_at else None


def _read_version(run: RunFact) -> Value | None:
    """With the revision, where the tool prints one: some versions stand for many years."""
    revision = next((value for name, value in run.values.items() if name.endswith("_revision")), None)
    return f"{run.tool} {run.tool_version}{f' ({revision})' if revision else ''}" if run.tool_version else None


def _grade_days(one: Value, other: Value) -> Grade | None:
    """A machine that is updated meanwhile, and has other neighbours, need not be the same."""
    days = abs((date.fromisoformat(str(one)) - date.fromisoformat(str(other))).days)
    return "caution" if days >= DAYS_APART else None


def _read_option(name: str, unset: str, run: RunFact) -> Value | None:
    """What the command sets, or that it does not."""
    option = run.options.get(name) or (unset if tells_load(run.command) else None)
    return option if isinstance(option, (str, float, int)) else None


def _read_script(run: RunFact) -> Value | None:
    """Without folders: one script is called from several."""
    script = _read_option("script", NONE, run)
    return drop_folders(script) if isinstance(script, str) else None


def _read_timeout(run: RunFact) -> Value | None:
    """How long an answer is waited for, as far as the tool counts those that come later."""
    unset = run.semantics.late_after_s
    return float(run.options.get("timeout_s") or unset) if tells_load(run.command) and unset else None


def _read_headers(run: RunFact) -> Value | None:
    """The names of the headers that the command adds, without those of the server's name and of what others compare."""
    if not tells_load(run.command):
        return None
    names = {name.lower() for name in HEADER_NAME.findall(str(run.options.get("header") or ""))} - COMPARED_ELSEWHERE
    names |= {term for term in ("accept", "cookie") if run.options.get(term)}
    return ", ".join(sorted(name.title() for name in names)) or NONE


def _read_body_bytes(run: RunFact) -> Value | None:
    """The mean body of a request (bytes), where the tool prints that, or what all of them came to."""
    if each := run.number("payload_bytes"):
        return float(each)
    sent, made = run.number("total_body_sent_bytes") or run.number("bytes_out_total"), run.complete_requests
    return float(round(sent / made)) if sent and made else None


def _read_body(run: RunFact) -> Value | None:
    """What the command names as the body, where its size is not printed."""
    if _read_body_bytes(run) is not None:
        return None
    return _read_option("body_file", "", run) or _read_option("body", NONE, run)


def _grade_option(one: Value, other: Value) -> Grade | None:
    """Where one command sets it and the other does not, something else was sent."""
    return "split" if {one, other} & {NONE, USUAL} else "caution"


def _read_tls_part(at: int, run: RunFact) -> Value | None:
    """Of what is printed as "TLSv1.2,ECDHE-RSA-AES256-GCM-SHA384,2048,256": protocol, cipher, bits of the server's key."""
    printed = run.values.get("tls_protocol")
    return next(iter(printed.split(",")[at : at + 1]), None) if isinstance(printed, str) else None


def _read_mean_reply(run: RunFact) -> Value | None:
    mean_reply = mean_reply_bytes(run)
    return None if mean_reply is None else float(round(mean_reply))


def _read_way(run: RunFact) -> Value | None:
    """Whether requests went over a network. A name without a domain may be the machine's own, or that of a container."""
    name = hostname_of(run)
    if is_local(run):
        return "localhost"
    return "a network" if AFAR.fullmatch(name) and not NEARBY.search(name) else None


def _read_ip_version(run: RunFact) -> Value | None:
    """By an address of figures; what a name stands for, nobody knows."""
    name = hostname_of(run).strip("[]")
    return "IPv6" if ":" in name else "IPv4" if IPV4.fullmatch(name) else None


def _read_keepalive(run: RunFact) -> Value | None:
    kept = run.options.get("keepalive") if run.keepalive is None else run.keepalive
    if kept is None:
        return USUAL if run.command and run.duration_s else None  # of one lone line nobody knows
    return "on" if kept else "off"


def _grade_keeping(one: Value, other: Value) -> Grade | None:
    """A tool that is told to keep connections open may do so anyway."""
    return "split" if "off" in (one, other) else None


def _read_method(name: str) -> Read:
    return lambda run: getattr(read_method(run), name)


def is_sized(run: RunFact) -> bool:
    """Whether a run prints how long what it fetched was."""
    return run.number(LENGTH) is not None


def _read_path(sized: bool, run: RunFact) -> Value | None:
    """The path, of runs that print (or do not print) how long what they fetched was."""
    if is_sized(run) != sized:
        return None
    return run.path or run.options.get("path")


def _read_front(run: RunFact) -> Value | None:
    """The web server that answered, which may stand before an application."""
    match = FRONTS.match(run.answered_by)
    return match[0].lower() if match else "no proxy" if run.answered_by else None


def _read_beginning(run: RunFact) -> Value | None:
    """When the next request begins: an open model's at a rate that was set, a closed one's when a client has its answer."""
    if run.is_open_loop:
        return "at a set rate"
    return None if run.clients is None else "behind an answer"


BEGINS = Property("requests begin", _read_beginning, "caution", stops=0)
TOOL = (
    Property("tool", name_tool, "fatal", stops=0, named=r"with|by"),
    BEGINS,
    Property("version", _read_version, "note"),
)
LOAD = (
    Property("keep-alive", _read_keepalive, _grade_keeping, stops=0, named=KEEP_ALIVE, varied=True),
    Property("pauses between requests", partial(_read_option, "delay_s", USUAL), _grade_option, " s", stops=0),
    Property("pipelining", _read_method("pipelining"), "split", stops=0, named=PIPELINING, varied=True),
    Property("request method", _read_method("method"), "split", stops=0, varied=True),
    Property("request body", _read_body_bytes, grade_mean_sizes, " bytes", stops=2, says=0, named=SIZES),
    Property("body sent", _read_body, "caution", says=0, named=SIZES, like="request body"),
    Property("request header", _read_headers, "caution", says=0, named=HEADERS),
    Property("scale", partial(_read_option, "scale", ""), "split", stops=1.1, named=r"scal\w*|-s\s*\d*|factor"),
    Property("script", _read_script, _grade_option, stops=0, named=SCRIPT),
    Property("protocol", partial(_read_option, "protocol", USUAL), _grade_option, stops=0, named=HTTP, varied=True),
    # Some tools print what came of the rate that was set.
    Property(
        "set rate",
        "set_rate",
        _grade_from(1.02, "fatal"),
        " requests/s",
        stops=1.02,
        named=r"-R\s*\d*|rate|rps|req/s|qps",
    ),
    Property("TLS", read_tls, "split", stops=0, named=r"https?|tls|ssl|plain|:(?:80|443|8080|8443)\b", varied=True),
    Property("TLS protocol", partial(_read_tls_part, 0), "caution", says=0, named=r"\w*(?:tls|ssl)\w*"),
    Property("TLS key", partial(_read_tls_part, 2), "caution", " bits", says=0, named=r"rsa|ecdsa|ecc|\w*keys?|bits?"),
    Property("load generator", "values.loaded_from", "caution", says=0),
    # Clients that wait for their answers wait so long more for each.
    Property(
        "round trip",
        "values.round_trip_ms",
        _grade_from(2, "caution", NEAR_MS),
        " ms",
        says=0,
        named=r"ping|rtt|latency",
        better=-1,
    ),
    Property(
        "network", "values.link_mbit", "caution", " Mbit/s", says=0, named=r"\d+\s?[mg]bit\w*|ethernet|nic", better=1
    ),
    Property("loaded through", _read_way, "split", stops=0, named=r"local(?:host)?|loopback|network|remote(?:ly)?|lan"),
    Property("IP version", _read_ip_version, "caution", says=0, named=r"(?:ip)?v[46]|ipv[46]"),
    Property("concurrency", "loading_clients", "caution", figure="concurrency", stops=1.1, named=CLIENTS, varied=True),
    Property("requests", "options.requests", "note", says=10),
    Property("timeout", _read_timeout, "caution", " s", says=1.1, named=r"time-?outs?"),
    Property("duration", "options.duration_s", "note", " s", says=2),
    Property("threads", "options.threads", "caution", says=0, named=r"threads?|-t\s*\d*"),
)
PAGE = (
    Property(DOCUMENT, lambda run: run.number(LENGTH), grade_sizes, " bytes", LENGTH, stops=2, says=0, named=SIZES),
    Property("mean reply", _read_mean_reply, grade_mean_sizes, " bytes", stops=2, says=0, named=SIZES, like=DOCUMENT),
    Property(
        "page length", "values.page_bytes", grade_mean_sizes, " bytes", stops=2, says=0, named=SIZES, like=DOCUMENT
    ),
    # Programs keep the same data in other ways, and what is kept grows under load.
    Property("size of the data", "values.data_mib", _grade_from(3, "caution"), " MiB", says=0, named=SIZES),
    Property("answering server", _read_front, "caution", says=0),
    Property(CACHED, "values.cached", "caution", says=0, named=r"cach\w*|hits?"),
    Property("path", partial(_read_path, False), "caution", stops=0),
    Property("path", partial(_read_path, True), "note", says=0),
    Property("address", lambda run: "localhost" if is_local(run) else hostname_of(run), "note", says=0),
)
MACHINE = (
    Property("CPU", "machine.cpu_model", "split", stops=0),
    Property("cores", "machine.cores", "split", stops=0, like="CPU"),
    Property("memory", "machine.ram_kb", "caution", " MiB", says=0, like="CPU"),
    Property("kernel", "machine.kernel", "caution", says=0, like="CPU"),
    Property("governor", "values.cpu_governor", "caution", says=0, named=GOVERNOR),
    # An idle core shows less than it has under load, so that only the fastest core of each tells something, and roughly.
    Property("CPU clock", "values.cpu_mhz", _grade_from(1.5, "caution"), " MHz", says=0, named=CLOCK, better=1),
    Property(CONDITION, "values.conditions", "caution", says=0),
    Property("machine", "host", "note", says=0),
    Property(DAY, _read_day, _grade_days, says=0, named=r"(?:19|20)\d\d-\d\d-\d\d"),
)
FAMILIES = {"tool": TOOL, "load": LOAD, "page": PAGE, "machine": MACHINE}
PROPERTIES = {prop.name: prop for family in FAMILIES.values() for prop in family}


@dataclass(frozen=True, slots=True)
class Gap:
    """One property that is not the same in a column (by its number) and its base, and the values of either."""

    prop: Property
    at: int
    base: int
    severity: Severity
    own: tuple[Value, ...]
    other: tuple[Value, ...]


def find_differences(family: str, case: Case) -> Iterator[Finding]:
    """A finding for each config that is not comparable, and one for the whole comparison of what is left."""
    gaps = [gap for prop in FAMILIES[family] for gap in _find_gaps(case, prop)]
    config_of = {gap: case.columns[gap.at].config.id for gap in gaps}
    out = _find_configs_apart(case, gaps)
    for config in out:
        fatal = [gap for gap in gaps if config_of[gap] == config and (gap.severity == "fatal" or gap.prop is BEGINS)]
        pairs = [(gap.prop.name, gap.own[0], gap.other[0], gap.prop.unit) for gap in fatal]
        yield _make_finding(case, family, "fatal", fatal, pairs=pairs, config=config)
    left = [gap for gap in gaps if config_of[gap] not in out]
    if left:
        listed = []
        for prop in dict.fromkeys([gap.prop for gap in left]):
            where = _collect_places([gap for gap in left if gap.prop == prop])
            listed.append((prop.name, [value for at in where for value in _collect_values(case, prop, at)], prop.unit))
        severity: Severity = "note" if {gap.severity for gap in left} == {"note"} else "caution"
        yield _make_finding(case, family, severity, left, listed=listed)


def _make_finding(
    case: Case, family: str, severity: Severity, gaps: Sequence[Gap], config: int | None = None, **facts: Any
) -> Finding:
    """It rests on the figure that differs in the first run of each column that is named, in the order of the columns."""
    omission = "_omission" if BEGINS in [gap.prop for gap in gaps] else ""
    figures = [gap.prop.figure for gap in gaps]
    columns = [case.columns[at] for at in _collect_places(gaps)]
    sources = tuple(column.runs[0].source_of(*figures) for column in columns if column.runs)
    return Finding(severity, f"other_{family}_{severity}{omission}", facts, sources, config=config)


def _find_gaps(case: Case, prop: Property) -> list[Gap]:
    """None of columns that share a value with their base, or of which one has none."""
    bases = {at: base for at, base in enumerate(case.bases) if at != base and case.columns[at].runs}
    values = {at: _collect_values(case, prop, at) for at in {*bases, *bases.values()}}
    grades: dict[int, Grade | None] = {}
    for at, base in bases.items():
        own, other = values[at], values[base]
        differ = own and other and not set(own) & set(other)
        grades[at] = (prop.grade(own[0], other[0]) if callable(prop.grade) else prop.grade) if differ else None
    odd = {base for at, base in bases.items() if values[at] and grades[at] is None}
    is_varied = bool(case.varied) and all(
        _collect_values(case, prop, at) == [value] for at, value in case.varied.items()
    )
    gaps = []
    for at, grade in grades.items():
        if grade is None or is_varied or (prop.name in MADE_TO_VARY and _is_compared(case, prop, at, bases[at])):
            continue
        settled: Severity = ("fatal" if bases[at] in odd else "caution") if grade == "split" else grade
        gaps.append(Gap(prop, at, bases[at], settled, tuple(values[at]), tuple(values[bases[at]])))
    return gaps


def _is_compared(case: Case, prop: Property, at: int, base: int) -> bool:
    """Whether two configs were made to compare this property: all that tells them apart by name, or of the same config files."""
    one, other = (case.columns[place].config for place in (at, base))
    named, alike = compare_names((one.name, other.name), prop.named)
    if named:
        return alike
    texts = [{(text.path, text.text) for text in case.texts if text.config == config.id} for config in (one, other)]
    return bool(texts[0]) and texts[0] == texts[1]


def _collect_values(case: Case, prop: Property, at: int) -> list[Value]:
    if callable(prop.read):
        read: Read = prop.read
    else:
        source, _, name = prop.read.partition(".")
        read = partial(_read_machine, case, name) if source == "machine" else read_at(prop.read)
    values = [value for value in dict.fromkeys(map(read, case.columns[at].runs)) if value not in (None, "")]
    name = case.columns[at].config.name.lower()
    return [value for value in values if not (read is _read_front and (str(value) in name or "mod_" in name))]


def _find_configs_apart(case: Case, gaps: Sequence[Gap]) -> list[int]:
    """The configs that are not comparable under any of the loads that they were given."""
    fatal = {gap.at for gap in gaps if gap.severity == "fatal"}
    sound = {column.config.id for at, column in enumerate(case.columns) if column.runs and at not in fatal}
    configs = dict.fromkeys([case.columns[at].config.id for at in sorted(fatal)])
    return [config for config in configs if config not in sound]


def _collect_places(gaps: Sequence[Gap]) -> list[int]:
    """The numbers of the columns that differ and of their bases, in order."""
    return sorted({at for gap in gaps for at in (gap.base, gap.at)})


for _family, _basis in BASES.items():
    rule(f"differs.{_family}", _basis)(partial(find_differences, _family))
