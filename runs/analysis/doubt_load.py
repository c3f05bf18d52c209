"""Rules of doubts about the load: the clients that made it, who answered it, and rates that were set.

How many requests a server works on at once is read from settings in config texts, headings and notes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from runs.analysis.columns import Column, list_other_words
from runs.analysis.dialects import read
from runs.analysis.doubt_case import LITTLE, Case, about_run, read_tls, rule, run_rule
from runs.analysis.facts import HUGE, KEPT_UP, Finding, RunFact, Source, TextFact, source_at
from runs.analysis.monitors import find_said_limit

# What limits how many requests are worked on at once: each alone, or the connections of each worker process.
WORKERS = ("MaxClients", "MaxRequestWorkers", "pm.max_children", "server.max-connections", "maxThreads", "maxconn")
LIMITS = {name.lower(): name for name in (*WORKERS, "worker_connections", "worker_processes")}
_LINE = re.compile(r"\s*([A-Za-z][\w.\-]*)(?:\s*=\s*|\s+)\"?(\d+)\b")
NAMED = re.compile("|".join(re.escape(name) for name in (*WORKERS, "worker_connections")), re.IGNORECASE)
MPMS = ("prefork", "worker", "event", "itk", "peruser")
LONGEST_TEXT = 100_000
LOGGED = ("memory", "nf_conntrack", "listen_queue", "tcp_memory", "neighbours")
IDLE, FEW_STEPS = 0.5, 5  # of the clients; a mean of few steps is too coarse
# Web servers that set the Server field themselves, and names of the like; openresty and tengine are nginx.
WEB_SERVERS = {
    "apache": re.compile(r"apache(?!\s?bench|\s\w*meter)|httpd", re.IGNORECASE),
    "caddy": re.compile(r"caddy", re.IGNORECASE),
    "lighttpd": re.compile(r"lighttpd|lighty", re.IGNORECASE),
    "litespeed": re.compile(r"litespeed", re.IGNORECASE),
    "nginx": re.compile(r"nginx|openresty|tengine", re.IGNORECASE),
}
# What a name may say of the load: "with keep-alive", "nginx, https", "no TLS".
KEEPALIVE, TLS, HTTP2, SMALLER = "keep-alive", "TLS", "HTTP/2", "compression"
SUBJECTS = {
    KEEPALIVE: r"keep[-_ ]?alives?",
    TLS: r"https|tls(?:\s?v?1\.\d)?|ssl",
    HTTP2: r"http/?2(?:\.0)?",
    SMALLER: r"gzip(?:ped)?|brotli|deflate|compress(?:ion|ed)",
}
_ANY_SUBJECT = re.compile("|".join(SUBJECTS.values()), re.IGNORECASE)
_SAYS_OFF = (
    r"(?<![\w-])(?:no|non|not|without|w/o|disabled?)[\s_-]+(?:{0})(?!\w)"
    r"|(?<!\w)(?:{0})[\s:=]+(?:is\s)?(?:off|disabled|no|false|0)(?!\w)"
)
_SAYS_ON = (
    r"(?:^|[,(·+/;|&-]\s*|\b(?:with|using|over|via|enabled?)\s)(?:{0})"
    r"(?:[\s:=]+(?:is\s)?(?:on|enabled|yes|true)(?!\w)|\s*(?:$|[,)·+/;|&]))"
)
_SAID_CLIENTS = re.compile(
    r"^\W*(\d[\d,]{0,8})(k?)\s?(?:clients|users|connections)\W*$|(?<![\w.,])(\d[\d,]{0,8})(k?)\s?(?:concurrent|simultaneous|parallel)\b"
    r"|(?:\bconcurrency(?:\slevel)?(?:\sof)?|(?<!\w)-c|(?<!\w)c(?=\s?[=:]))\s?[=:]?\s?(\d[\d,]{0,8})(k?)(?![\w.])",
    re.IGNORECASE,
)
LEAST_SHORTENED = 200  # bytes: servers send shorter pages as they are
OPEN = "Schroeder, Wierman, Harchol-Balter, Open Versus Closed (2006)"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a config text: its documented name, its number, and the offset (from 0) of its line.

    section     the sections around it as written, outermost first: an MPM's own block, a server's pool
    """

    name: str
    value: int
    line_offset: int
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerLimit:
    """How many requests are worked on at once, by which setting, and the line that says so."""

    name: str
    value: int
    source: Source


@rule(
    "limits.clients", "Apache's mpm_common, nginx's core and php-fpm's documentation: what comes beyond the limit waits"
)
def find_more_clients_than_workers(case: Case) -> Iterator[Finding]:
    capacities = {config.id: _find_worker_limit(case, config.id) for config in case.configs}
    for run in case.counted_runs:
        clients, capacity = run.clients, find_noted_capacity(case, run) or capacities.get(run.config)
        if clients is not None and capacity is not None and clients > capacity.value:
            facts = {"clients": clients, "setting": capacity.name, "limit": capacity.value}
            sources = (capacity.source, run.source_of("concurrency", "users"))
            yield Finding("caution", "clients_wait", facts, sources, run=run.id)


def find_noted_capacity(case: Case, run: RunFact) -> WorkerLimit | None:
    """A limit named in the run's or its config's heading or note, which a text shown elsewhere does not overrule."""
    said = find_said_limit(run.note, run.label, case.names.get(run.config, ""))
    return WorkerLimit(*said, run.source_of()) if said else None


def _find_worker_limit(case: Case, config: int) -> WorkerLimit | None:
    """The limit in the config's own texts, else in those that hold for all. Of several the widest: any may be in force."""
    for owner in (config, None):
        texts = [text for text in case.texts if text.config == owner and len(text.text) <= LONGEST_TEXT]
        found = [each for text in texts for each in _list_worker_limits(case, text, case.names.get(config, ""))]
        if found:
            return max(found, key=lambda capacity: capacity.value)
    return None


def _list_worker_limits(case: Case, text: TextFact, name: str) -> list[WorkerLimit]:
    limits = read_limits(text.text, text.path) if NAMED.search(text.text) else []
    own = [limit for limit in limits if limit.name in WORKERS and limit.value and _is_in_force(limit, name)]
    found = [WorkerLimit(limit.name, limit.value, _find_source(text, limit)) for limit in own]
    # worker_connections holds for each worker process; "auto" is one a core.
    each = [limit for limit in limits if limit.name == "worker_connections"]
    processes = [limit.value for limit in limits if limit.name == "worker_processes"]
    n = processes[0] if processes else max((host.cores or 0 for host in case.hosts), default=0)
    if each and (processes or n):
        found.append(WorkerLimit(f"{n} × worker_connections", n * each[-1].value, _find_source(text, each[-1])))
    return found


@lru_cache(maxsize=32)
def read_limits(text: str, path: str = "") -> Sequence[Setting]:
    """Every limit that the text sets to a number, in the order of its lines. Cached: a text of all configs is read for each."""
    parsed = read(text, path)
    if parsed is None:  # a page's prose around two settings: the lines that name one outright
        lines = ((at, _LINE.match(line)) for at, line in enumerate(text.split("\n")))
        named = [(at, found) for at, found in lines if found and found[1].lower() in LIMITS]
        return [Setting(LIMITS[found[1].lower()], int(found[2]), at) for at, found in named]
    found = []
    for directive in parsed.directives:
        name = directive.name.lower()
        documented = LIMITS.get(name.replace("-", "_")) or LIMITS.get(name)
        value = re.fullmatch(r"\d{1,12}", directive.value.split(" ")[0]) if documented else None
        if documented and value:
            found.append(Setting(documented, int(value[0]), directive.line, directive.path))
    return found


def _is_in_force(limit: Setting, name: str) -> bool:
    """A section of another MPM than the one that the config is named after says nothing."""
    section = " ".join(limit.section).lower()
    named = [mpm for mpm in MPMS if mpm in name.lower()]
    return not named or not any(mpm in section for mpm in MPMS) or any(mpm in section for mpm in named)


def _find_source(text: TextFact, limit: Setting) -> Source:
    """The line of the setting itself, where the text's own address counts lines."""
    return source_at(text.source, text.line + limit.line_offset)


@rule("load.other_server", "RFC 9110: the Server field names the software that answered", "server_software")
def find_other_servers(case: Case) -> Iterator[Finding]:
    """Runs of a config that is named after one web server and that another one answered: the wrong port, or names swapped."""
    for run in case.counted_runs:
        named, answered = (
            {server for server, pattern in WEB_SERVERS.items() if pattern.search(text)}
            for text in (case.names.get(run.config, ""), run.answered_by)
        )
        if named and answered and not named & answered:
            yield about_run(run, "caution", "other_server", server=run.answered_by)


@rule("load.not_as_named", "practice: a setting that no request uses changes nothing")
def find_loads_not_as_named(case: Case) -> Iterator[Finding]:
    """Runs of a config that is named after a property of the load that they did not have."""
    said = [_read_name(case.names.get(column.config.id, "")) for column in case.columns]
    uncompressed = _list_uncompressed(case, said) if any(each.get(SMALLER) for each in said) else {}
    for column, each in zip(case.columns, said, strict=True):
        for run in column.runs if each else ():
            had = _contradict(each, run)
            other = uncompressed.get(_describe_reply(column, run), "") if each.get(SMALLER) and not had else ""
            if had or other:
                yield about_run(run, "caution", "not_as_named", had=had or "as_long", other=other)


@rule("load.other_clients", "practice: what a tool printed was measured", "concurrency")
def find_other_clients(case: Case) -> Iterator[Finding]:
    """Runs below a heading with another concurrency than any load below it had."""
    loads: dict[str, set[int]] = defaultdict(set)
    for run in case.counted_runs:
        loads[run.label].add(run.requested_clients or 0)
    said = {label: _read_clients(label, clients) for label, clients in loads.items()}
    for run in case.counted_runs:
        if (told := said[run.label]) and run.requested_clients:
            yield about_run(run, "caution", "other_clients", told=told, clients=run.requested_clients)


def _read_clients(label: str, had: Collection[int]) -> int | None:
    """The number of clients that a heading tells of, if none of its numbers is one of those that its loads had."""
    found = _SAID_CLIENTS.search(label)
    if found is None or not {int(number) for number in re.findall(r"\d{1,9}", label)}.isdisjoint(had):
        return None
    told = int((found[1] or found[3] or found[5]).replace(",", "")) * (1000 if found[2] or found[4] or found[6] else 1)
    return None if told in had else told


def _read_name(name: str) -> dict[str, bool]:
    """{subject: whether the name says that it is on}, of those that it says in words that are known."""
    said = {}
    for subject, pattern in SUBJECTS.items() if _ANY_SUBJECT.search(name) else ():
        if re.search(_SAYS_OFF.format(pattern), name, re.IGNORECASE):
            said[subject] = False
        elif re.search(_SAYS_ON.format(pattern), name, re.IGNORECASE):
            said[subject] = True
    return said


def _contradict(said: Mapping[str, bool], run: RunFact) -> str:
    """What a load had against the name of its config, as a key of doubt_wording.HAD; "" for nothing."""
    kept = 2 * (run.number("keepalive_requests") or 0) > (run.complete_requests or 0)
    if said.get(KEEPALIVE) and run.keepalive is False:
        return "no_keepalive"
    if said.get(KEEPALIVE) is False and kept:  # asked for alone, the server may have refused it
        return "keepalive"
    if TLS in said and read_tls(run) == ("off" if said[TLS] else "on"):
        return "plain" if said[TLS] else "tls"
    version = str(run.options.get("protocol") or run.semantics.http_version)
    return "http1" if said.get(HTTP2) and re.search(r"(?<!\d)1(?!\d)", version) else ""


def _list_uncompressed(case: Case, said: Sequence[Mapping[str, bool]]) -> dict[tuple[object, ...], str]:
    """Replies of the configs that are not named after compression: {what tells one: the config's name}."""
    plain = [column for column, each in zip(case.columns, said, strict=True) if not each.get(SMALLER)]
    return {_describe_reply(column, run): column.config.name for column in reversed(plain) for run in column.runs}


def _describe_reply(column: Column, run: RunFact) -> tuple[object, ...]:
    """The words of its config's name but for compression, its path and length. Without a length it is like no other."""
    length = run.number("document_length_bytes") or 0
    words = list_other_words(column.config.name, SUBJECTS[SMALLER])
    return (words, run.path, length) if length >= LEAST_SHORTENED else (run.id,)


@run_rule("load.shown_status", "RFC 9110: 4xx and 5xx are errors", "requests_per_second")
def find_shown_errors(run: RunFact) -> Iterator[Finding]:
    """Runs that count no error, beside which a page's headers were shown with one."""
    status = str(run.values.get("shown_status") or "")
    if status[:1] in ("4", "5") and not (run.failed_requests or run.non_2xx_responses):
        yield about_run(run, "caution", "shown_status", status=status)


@rule("machine.log", "Linux: mm/oom_kill.c, nf_conntrack_core.c and tcp_input.c log what they then do to requests")
def find_logged_limits(case: Case) -> Iterator[Finding]:
    """Limits of the machine, not of a config, that a log shown during a load or after it tells of."""
    for capture in case.captures:
        for limit in LOGGED if capture.phase != "before" else ():
            for run in case.runs_of(capture) if capture.metrics.get(f"reached_{limit}") else ():
                yield Finding("caution", "logged", {"limit": limit}, (capture.first_line,), run=run.id)


@run_rule("load.told_otherwise", "practice: what a tool printed was measured", "requests_per_second")
def find_told_otherwise(run: RunFact) -> Iterator[Finding]:
    """Runs of whose config a table or a sentence of the text has another rate than the report."""
    told, rate = run.values.get("told_otherwise"), run.requests_per_second
    if isinstance(told, dict) and rate and isinstance(told.get("rate"), (int, float)):
        source = source_at(run.source, int(told["line"]))
        facts = {"told": told["rate"], "rate": rate}
        yield Finding("caution", "told_otherwise", facts, (source,), run=run.id)


@run_rule("load.claimed_otherwise", "practice: what a tool printed was measured", "requests_per_second")
def find_claimed_otherwise(run: RunFact) -> Iterator[Finding]:
    """Runs of a config that a sentence of the text calls faster than one with a higher rate."""
    said = run.values.get("claimed_otherwise")
    if isinstance(said, dict):
        source = source_at(run.source, int(said["line"]))
        facts = {"said": str(said["said"]), "over": str(said["over"])}
        yield Finding("caution", "claimed_otherwise", facts, (source,), run=run.id)


@rule("load.idle_clients", LITTLE, "mean_ms")
def find_idle_clients(case: Case) -> Iterator[Finding]:
    """Closed-loop clients that had a request under way for less than half of their time."""
    # Of a command that sets a rate clients stand by until they are needed.
    at_rates = {run.command for run in case.counted_runs if run.command and (run.is_open_loop or run.left_out_share)}
    for run in case.counted_runs:
        clients, busy = run.clients, count_under_way(run)
        if clients and busy and busy < IDLE * clients and run.command not in at_rates:
            yield about_run(run, "caution", "idle", clients=clients, busy=busy)


def count_under_way(run: RunFact) -> float | None:
    """The mean number of requests under way, as printed or by Little's law; None where times are as small as a printed step."""
    rate, mean, step = run.requests_per_second, run.mean_ms, run.semantics.percentile_step_ms
    if run.is_open_loop or run.measured_concurrency:
        return None if run.is_open_loop else run.measured_concurrency
    return rate * mean / 1000 if rate and mean and FEW_STEPS * step < mean < HUGE and rate < HUGE else None


@run_rule("load.set_rate", OPEN, "requests_per_second")
def find_set_rates(run: RunFact) -> Iterator[Finding]:
    """Load generators that send at a rate that was set: their rate is a setting until it is missed."""
    asked, got = run.set_rate, run.requests_per_second
    if asked and got and got >= KEPT_UP * asked:
        yield about_run(run, "caution", "rate_was_set", asked=asked, got=got)


@run_rule("load.missed_rate", OPEN, "requests_per_second")
def find_missed_rates(run: RunFact) -> Iterator[Finding]:
    """Load that was due at a set rate and did not come about."""
    asked, got, left_out = run.set_rate, run.requests_per_second, run.left_out_share
    if (made := run.requests_made) and (duration := run.options.get("duration_s")):
        got = max(got or 0, made / duration)  # the last answers come when the time is over
    if asked and got and got < KEPT_UP * asked:
        yield about_run(run, "caution", "rate_was_missed", missed=1 - got / asked, asked=asked, got=got)
    elif left_out and not asked and left_out > 1 - KEPT_UP:
        yield about_run(run, "caution", "rate_was_missed", missed=left_out)


@run_rule("load.generators", "arithmetic: what ran at the same time adds up; percentiles do not", "requests_per_second")
def find_summed(run: RunFact) -> Iterator[Finding]:
    """Reports of several generators that loaded the server at the same time, taken together."""
    if rates := run.values.get("generators"):
        yield about_run(run, "note", "summed", rates=rates)
