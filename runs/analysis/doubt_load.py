"""Rules of doubts about the load: the clients that made it, who answered it, and rates that were set; and about runs as
samples of their config: too short, cold, far off the others, drifting, copied.

How many requests a server works on at once is read from settings in config texts, headings and notes.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from runs.analysis.columns import Column, list_other_words
from runs.analysis.dialects import WORKERS, Setting, read_limits
from runs.analysis.doubt_case import LITTLE, Case, about_run, read_tls, rule, run_rule, seconds_taken
from runs.analysis.facts import HUGE, KEPT_UP, Finding, RunFact, Source, TextFact, source_at
from runs.analysis.monitors import find_stated_limit
from runs.analysis.stats import common_slope, find_outliers

NAMED = re.compile("|".join(re.escape(name) for name in (*WORKERS, "worker_connections")), re.IGNORECASE)
MPMS = ("prefork", "worker", "event", "itk", "peruser")
LONGEST_TEXT = 100_000
IDLE, FEW_STEPS = 0.5, 5  # of the clients; a mean of few steps is too coarse
# Web servers that set the Server field themselves, and names of the like; openresty and tengine are nginx.
WEB_SERVERS = {
    "apache": re.compile(r"apache(?!\s?bench|\s\w*meter)|httpd", re.IGNORECASE),
    "caddy": re.compile(r"caddy", re.IGNORECASE),
    "lighttpd": re.compile(r"lighttpd|lighty", re.IGNORECASE),
    "litespeed": re.compile(r"litespeed", re.IGNORECASE),
    "nginx": re.compile(r"nginx|openresty|tengine", re.IGNORECASE),
}
_VERSIONED = re.compile(r"(?<![A-Za-z])(?P<server>[A-Za-z]{3,20})[ /_-]?v?(?P<version>\d{1,3}\.\d{1,3})")
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

COLD = 0.15  # repeats of a steady server differ by a few per cent; a first one this far off is none of the others
ALIKE = 0.02  # a run that is no slower than that is not what its beginning made of it
COLD_SPREADS = 2  # with several later ones, also so many times as far as they lie from each other
FINE_DIGITS, ENOUGH_FINE = 4, 3  # so many figures of so many digits are no accident
LEAST_DRIFTING, DRIFT_P = 4, 0.02  # repeats that show a drift; chance alone has so straight a line in 1 of 50 configs,
DRIFT = 0.05  # and it must be 5 % from the first to the last
LEAST_S, LEAST_EACH, LEAST_FOR_P99 = 10, 10, 1000


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
    said = find_stated_limit(run.note, run.label, case.names.get(run.config, ""))
    return WorkerLimit(*said, run.source_of()) if said else None


def _find_worker_limit(case: Case, config: int) -> WorkerLimit | None:
    """The limit in the config's own texts, else in those that hold for all. Of several the widest: any may be in force."""
    for owner in (config, None):
        texts = [text for text in case.texts if text.config == owner and len(text.text) <= LONGEST_TEXT]
        worker_limit = [each for text in texts for each in _list_worker_limits(case, text, case.names.get(config, ""))]
        if worker_limit:
            return max(worker_limit, key=lambda capacity: capacity.value)
    return None


def _list_worker_limits(case: Case, text: TextFact, name: str) -> list[WorkerLimit]:
    limits = read_limits(text.text, text.path) if NAMED.search(text.text) else []
    own = [limit for limit in limits if limit.name in WORKERS and limit.value and _is_in_force(limit, name)]
    worker_limits = [WorkerLimit(limit.name, limit.value, _find_source(text, limit)) for limit in own]
    # worker_connections holds for each worker process; "auto" is one a core.
    each = [limit for limit in limits if limit.name == "worker_connections"]
    processes = [limit.value for limit in limits if limit.name == "worker_processes"]
    n = processes[0] if processes else max((host.cores or 0 for host in case.hosts), default=0)
    if each and (processes or n):
        worker_limits.append(WorkerLimit(f"{n} × worker_connections", n * each[-1].value, _find_source(text, each[-1])))
    return worker_limits


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
        is_other = named and answered and not named & answered
        if is_other or _has_other_version(case.names.get(run.config, ""), run.answered_by):
            yield about_run(run, "caution", "other_server", server=run.answered_by)


def _has_other_version(name: str, answered_by: str) -> bool:
    """Whether a name tells one version of a web server, and that server answered in another one: "nginx 1.26" by "nginx/1.18.0"."""
    named, answered = (
        {
            (server, match["version"])
            for server, pattern in WEB_SERVERS.items()
            for match in _VERSIONED.finditer(text)
            if pattern.fullmatch(match["server"])
        }
        for text in (name, answered_by)
    )
    return len(named) == len(answered) == len({server for server, _ in named | answered}) and named != answered


@rule("load.not_as_named", "practice: a setting that no request uses changes nothing")
def find_loads_not_as_named(case: Case) -> Iterator[Finding]:
    """Runs of a config that is named after a property of the load that they did not have, or after how another was started."""
    for run in case.counted_runs:
        for had in ("started_as", "shown_as", "port_of"):
            if other := run.values.get(had):
                yield about_run(run, "caution", "not_as_named", had=had, other=str(other))
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
    match = _SAID_CLIENTS.search(label)
    if match is None or not {int(number) for number in re.findall(r"\d{1,9}", label)}.isdisjoint(had):
        return None
    told = int((match[1] or match[3] or match[5]).replace(",", "")) * (1000 if match[2] or match[4] or match[6] else 1)
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


@run_rule("load.told_otherwise", "practice: what a tool printed was measured", "requests_per_second")
def find_told_otherwise(run: RunFact) -> Iterator[Finding]:
    """Runs of whose config a table or a sentence of the text has another rate than the report."""
    told, rate = run.values.get("told_otherwise"), run.requests_per_second
    if isinstance(told, dict) and rate and isinstance(told.get("rate"), (int, float)):
        source = source_at(run.source, int(told["line"]))
        yield about_run(run, "caution", "told_otherwise", source, told=told["rate"], rate=rate)


@run_rule("load.retracted", "practice: who leaves figures out should say which", "requests_per_second")
def find_retracted(run: RunFact) -> Iterator[Finding]:
    """Runs in place of which the text first had another one, which it takes back."""
    retracted = run.values.get("retracted")
    if isinstance(retracted, dict):
        source = source_at(run.source, int(retracted["line"]))
        yield about_run(run, "note", "retracted", source, rate=retracted["rate"])


@run_rule("load.picked", "statistics: the best of several runs is no estimate of the next one", "requests_per_second")
def find_picked(run: RunFact) -> Iterator[Finding]:
    """Rates that the title of a table calls the best of several."""
    if picked := run.values.get("picked"):
        yield about_run(run, "caution", "picked", said=str(picked))


@run_rule("load.claimed_otherwise", "practice: what a tool printed was measured", "requests_per_second")
def find_claimed_otherwise(run: RunFact) -> Iterator[Finding]:
    """Runs of a config that a sentence of the text calls faster than one with a higher rate, or slower by far more or less."""
    said = run.values.get("claimed_otherwise")
    if isinstance(said, dict):
        source = source_at(run.source, int(said["line"]))
        moral = "claimed_amount" if said.get("is_amount") else "claimed_otherwise"
        yield about_run(run, "caution", moral, source, said=str(said["said"]), over=str(said["over"]))


@rule("load.idle_clients", LITTLE, "mean_ms")
def find_idle_clients(case: Case) -> Iterator[Finding]:
    """Closed-loop clients that had a request under way for less than half of their time."""
    # Of a command that sets a rate clients stand by until they are needed.
    at_rates = {run.command for run in case.counted_runs if run.command and (run.is_open_loop or run.left_out_share)}
    for run in case.counted_runs:
        clients, busy = run.clients, count_under_way(run)
        least = run.number(run.semantics.fewest_clients)  # with stages there were fewer most of the time
        if clients and busy and busy < IDLE * min(clients, least or clients) and run.command not in at_rates:
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


# --- runs as samples of their config ---


@run_rule("length.seconds", "practice: start-up and caches change a rate over seconds", "duration_s")
def find_short_runs(run: RunFact) -> Iterator[Finding]:
    took = seconds_taken(run)
    if took is not None and took < LEAST_S and not run.aborted:
        facts = {"took": took, "made": run.requests_made, "clients": run.clients, "least_s": LEAST_S}
        yield about_run(run, "caution", "too_short", **facts)


@run_rule("length.per_client", "practice: each client's first requests meet cold caches", "complete_requests")
def find_few_requests_each(run: RunFact) -> Iterator[Finding]:
    made, clients = run.requests_made, run.clients
    if made and clients and made < LEAST_EACH * clients and not run.aborted:
        yield about_run(run, "caution", "few_each", made=made, clients=clients, least=LEAST_EACH)


@run_rule("length.p99", "order statistics: n/100 requests lie beyond the 99th percentile", "percentiles_ms.99")
def find_few_for_p99(run: RunFact) -> Iterator[Finding]:
    made = run.requests_made
    if made and made < LEAST_FOR_P99 and "99" in run.percentiles_ms:
        yield about_run(run, "note", "few_for_p99", made=made, least=LEAST_FOR_P99)


def _list_rated(column: Column) -> list[tuple[RunFact, float]]:
    """A column's repeats in order, with their rates."""
    return [(run, rate) for run in column.runs if 0 < (rate := run.requests_per_second or 0) < HUGE]


@rule(
    "warmth.first",
    "Kalibera and Jones, Rigorous Benchmarking in Reasonable Time (2013): leave warm-up out",
    "requests_per_second",
)
def find_cold_starts(case: Case) -> Iterator[Finding]:
    for column in case.columns:
        rated = _list_rated(column)
        if len(rated) < 2 or rated[0][0].repeat == rated[1][0].repeat:
            continue
        (first, rate), later = rated[0], [later for _, later in rated[1:]]
        if rate < min(fmean(later) * (1 - COLD), min(later) - COLD_SPREADS * (max(later) - min(later))):
            yield about_run(first, "caution", "cold", first=rate, mean=fmean(later), later=len(later))


@rule("warmth.beforehand", "practice: alike runs begin alike", "requests_per_second")
def find_slow_beginnings(case: Case) -> Iterator[Finding]:
    """Runs before which something slow was done or shown that was not for all configs, and that are slower than others."""
    told_of = {run.id: told for run in case.counted_runs if isinstance(told := run.values.get("beforehand"), dict)}
    of_columns = [{kind for run in column.runs for kind in told_of.get(run.id, ())} for column in case.columns]
    of_all = set.intersection(*of_columns) if of_columns else set()
    for column in case.columns if len(of_columns) > 1 else ():
        calm = [rate for run, rate in _list_rated(column) if told_of.get(run.id, {}).keys() <= of_all]
        for run in column.runs:
            is_alike = bool(calm) and (run.requests_per_second or 0) >= min(calm) * (1 - ALIKE)
            for kind, what in told_of.get(run.id, {}).items():
                if kind not in of_all and (kind == "load" or not is_alike):  # other work may go on beside all runs
                    yield about_run(run, "caution", "beforehand", kind=kind, what=str(what))


@rule("repeats.outlier", "robust statistics: the median absolute deviation", "requests_per_second")
def find_outlying_repeats(case: Case) -> Iterator[Finding]:
    """Repeats far from the others; a slow first one is a cold start."""
    for column in case.columns:
        rated = _list_rated(column)
        rates = [rate for _, rate in rated]
        for at in find_outliers([math.log(rate) for rate in rates]):
            if at or rates[0] > median(rates):
                yield about_run(rated[at][0], "caution", "outlier", rate=rates[at], usual=median(rates), n=len(rates))


@rule("repeats.copied", "practice: no two runs have all figures alike to the last digit")
def find_copies(case: Case) -> Iterator[Finding]:
    """A report that stands under an earlier config as well, or several times under its own, digit for digit: no two runs are
    that alike.
    """
    seen: dict[tuple[object, ...], RunFact] = {}
    for run in case.counted_runs:
        if isinstance(lines := run.values.get("copies"), list):
            sources = tuple(source_at(run.source, int(line)) for line in lines)
            yield Finding("note", "counts_once", {"times": 1 + len(lines)}, sources, run=run.id)
        printed = (run.requests_per_second, run.duration_s, run.mean_ms, run.max_ms, *run.percentiles_ms.values())
        numbers = {value for value in (*printed, *run.values.values()) if isinstance(value, (int, float)) and value}
        fine = {value for value in numbers if len(f"{value:.9g}".replace(".", "").strip("0")) >= FINE_DIGITS}
        first = seen.setdefault((run.tool, run.complete_requests, *printed), run)
        if first.config != run.config and len(fine) >= ENOUGH_FINE and first.values == run.values:
            yield about_run(run, "fatal", "copied", of=case.titles[first.id])


@rule("repeats.trend", "a straight line through the logs of the rates in their order")
def find_drifting_repeats(case: Case) -> Iterator[Finding]:
    """A rate that falls or rises from repeat to repeat: throttling, or a system that is not warm yet."""
    for column in case.columns:
        rated = _list_rated(column)
        rates = [rate for _, rate in rated]
        slope = (
            common_slope([(range(len(rates)), [math.log(rate) for rate in rates])])
            if len(rates) >= LEAST_DRIFTING
            else None
        )
        if slope is None or slope.p >= DRIFT_P or abs(slope.per_run) * (len(rates) - 1) < DRIFT:
            continue
        facts = {"first": rates[0], "last": rates[-1], "n": len(rates), "p": slope.p}
        sources = tuple(run.source_of("requests_per_second") for run, _ in (rated[0], rated[-1]))
        moral = "slower" if slope.per_run < 0 else "faster"
        yield Finding("caution", moral, facts, sources, config=column.config.id)
