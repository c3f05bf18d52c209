"""The sentences of doubts: what each rule saw, what follows from it, and many findings in one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from runs.analysis.doubt_case import Case, Part
from runs.analysis.facts import Finding, OverrideFact
from runs.numbers import capitalize, figure, figure_or_word, percent, write_against, write_count

MOST_NAMED = 3
MOST_VALUES = 6
MOST_TIMES = 3
LONGEST_WARNING = 100
LONGEST_ERROR = 200
_OMISSION = (
    "; a client that waits for a slow answer sends nothing meanwhile, so that its percentiles leave out what others would "
    "have waited (coordinated omission), and those of a set rate do not"
)
_DIFFERENCES = {
    "other_tool_fatal": "each tool loads and counts in its own way, so it is not comparable",
    "other_tool_caution": "each tool loads and counts in its own way",
    "other_tool_note": "versions of a tool may count failures and times a little differently",
    "other_load_fatal": "another load than the baseline had, so it is not comparable",
    "other_load_caution": "a rate belongs to the load that it was measured under, so the columns are not like for like",
    "other_load_note": "it matters little where runs are long enough",
    "other_page_fatal": "another page than the baseline's was fetched, so it is not comparable",
    "other_page_caution": "it may be another page, which takes its own time to make and to send",
    "other_page_note": "see that the same work was done for each",
    "other_machine_fatal": "another machine than the baseline's, so it is not comparable",
    "other_machine_caution": "the machine is part of what is compared, so a difference need not be the config's",
    "other_machine_note": "machines of other names may be alike or not",
}
LOGGED = {  # a limit of the machine, as its log tells of it
    "memory": "a process that was killed for lack of memory",
    "open_files": "too many open files",
    "nf_conntrack": "a full table of tracked connections",
    "listen_queue": "a full queue of new connections",
    "tcp_memory": "no memory left for TCP",
    "neighbours": "a full table of neighbours on the network",
}
HAD = {  # what a load was, against the name of its config
    "as_long": "sent replies as long as those of “{other}”",
    "http1": "was loaded over HTTP/1",
    "keepalive": "kept its connections open",
    "no_keepalive": "was loaded without keep-alive",
    "plain": "was loaded without TLS",
    "port_of": "was loaded at the port that the text gives “{other}”",
    "shown_as": "was shown as the version or branch “{other}”",
    "started_as": "was started by the command of “{other}”",
    "tls": "was loaded over TLS",
}
# What follows from a finding, in the same words for all of a kind. {names} are facts of the finding.
MORALS = {
    **_DIFFERENCES,
    **{f"{moral}_omission": words + _OMISSION for moral, words in _DIFFERENCES.items()},
    "broke_off": "what it has is of a server that failed, so it is not comparable",
    "checks_caution": "the rate counts wrong answers as if they were right",
    "checks_fatal": "the rate is mostly that of wrong answers, so it is not comparable",
    "checks_note": "too few of them to move a rate, yet some answers were wrong",
    "clients_wait": "the server works on no more at once, so the times include the waiting for a free worker",
    "coarse": "one printed step is 10 % or more of the time, so a difference of one or two steps means nothing",
    # Of every config: leaving out one's slow run and another's not would make the difference that is looked for.
    "beforehand": "a run that begins so may be slow whatever the config",
    "claimed_amount": "the figures here give another amount, so see of which runs it is",
    "claimed_otherwise": "the reports say the opposite, so see that their names are right",
    "cold": "the first repeat looks like a cold start (processes to fork, caches to fill): "
    "leave the first of every config uncounted, or repeat more",
    "contradiction": "these figures cannot all be true, so look at the text before trusting any",
    "counts_once": "no two runs are that alike, so it is one run",
    "copied": "one report stands under both, so there is nothing to compare",
    "cpu_of_both": "server and load generator waited for each other's CPU time",
    "cpu_of_generator": "the load generator was at its limit, so it may be what was measured",
    "cpu_of_server": "the CPU was what limited the server, so the rate tells what a request costs in CPU time",
    "few_each": "with so few (n under {least}·c) most of the run is its start and end, when not all clients are busy",
    "few_for_p99": "the 99th percentile is set by the slowest 1 % of requests, and needs at least {least} requests",
    "first_was_odd": "the first reply, which all are held against, was the odd one",
    "generator_full": "the load generator was at its limit, so the server may be faster than this",
    "generator_swapped": "the load generator had pages in swap, and its times may hold some of the waiting",
    "hung": "single requests hung for over {times} times the 99th percentile, which the mean includes and the percentiles do not",
    "idle": "they paused, connected or waited for the generator most of the time, so the rate is theirs more than the server's",
    "in_rate": "they are in the rate as if they had been served",
    "in_rate_fatal": "the rate counts failures as if they had been served, so it is not comparable",
    "kind_not_printed": "the report does not say of what kind; failures by length are none where the page changes",
    "late": "they came behind the tool's timeout, so they are in the rate and missing from its times and percentiles",
    "link_full": "that is as much as a network of {link} Mbit/s carries, so it may be what was measured",
    "more_than_made": "there cannot be more of them than requests, so look at the text before trusting any figure",
    "no_gain": "a request that fails is soon over, so the higher req/s may be no gain",
    "no_ports": "a client without a free port waits for one or fails, so the server may be faster than this",
    "no_report": "it ended without a report, so there is nothing to compare",
    "not_as_asked": "it may not have loaded the server as it was asked to",
    "not_in_rate": "the rate leaves failed requests out, and clients wait or give up meanwhile",
    "not_in_rate_fatal": "the rate leaves failed requests out, and clients wait or give up meanwhile, so it is not comparable",
    "not_kept": "keep-alive was asked for and mostly not given, so new connections are in the times",
    "old_pages": "memory was still available, so these may be old pages of idle programs",
    "one_deviation": "mean and median are over one standard deviation apart, so neither alone describes the run",
    "omission": "a client that waits for an answer sends nothing meanwhile (coordinated omission), so the percentiles "
    "hide the waiting and the mean is the better figure",
    "page_changes": "a page whose length changes from reply to reply causes that, so these are no real failures",
    "not_as_named": "what the config is named after was not measured",
    "other_clients": "one of the two is wrong, so it may be another load than is meant",
    "other_server": "it may be another server's rate, unless that one stood in front",
    "disturbed": "what slowed a run is not the config's doing",
    "logged": "requests were lost or slowed there, whatever the config",
    "other_times": "a client has one request under way at a time, so these are not the times of this rate",
    "others": "it took CPU time from the server, and other runs here had all of it",
    "outlier": "one repeat is far off the others, so find out what happened then before it is averaged",
    "paging": "a server that pages is measured by its disk",
    "paging_fatal": "a server that pages is measured by its disk, and others here did not, so it is not comparable",
    "partly_watched": "their figures are of that part only, so what held the run up may be in none",
    "quoted_in_part": "only a part of the report is quoted, so failures may have gone unseen",
    "rate_was_missed": "the rate was set and not reached, so the times are those of less load than was asked for",
    "rate_was_set": "the rate was set, so it says that the server kept up, and not what it can do",
    "shown_status": "that rate may be one of error pages, which the load generator does not tell from others",
    "shared_host": "server and load generator shared one machine, so each took CPU time from the other",
    "slower": "the repeats get slower in their order, as where a CPU is throttled or a disk fills, so what ran later looks worse",
    "faster": "the repeats get faster in their order, as where caches still fill, so what ran later looks better",
    "status_caution": "errors or redirects are in the rate as if they were the page",
    "status_fatal": "errors and redirects are quickly sent, so this is not the rate of the page",
    "status_note": "too few of them to move a rate, yet not all replies were the page",
    "noisy": "differences of single runs below {noise} % are noise there",
    "stolen": "other virtual machines took CPU time, and how much differs from run to run",
    "stopped": "someone stopped it, so it is shorter than it was meant to be",
    "picked": "the best of several runs lies above what they usually give, and the more so the more they were",
    "retracted": "what the text takes back is left out; count it again if the text is wrong in that",
    "told_otherwise": "the report is what was measured, so look where the other figure comes from",
    "syn": "SYN retransmission, mostly as the server's backlog overflowed, so the longest times are TCP's timer and not "
    "its own",
    "summed": "they ran at the same time, so their rates were added up, and their percentiles left out",
    "throttled": "it waited for the next period each time that its CPU time was used up, so the rate is that of its limit",
    "share_unknown": "nothing tells how many were made, so the rate may count failures as served",
    "too_few_failures": "too few failures to move a rate, but the server's error log may tell why",
    "too_short": "under {least_s} s is too short, a run of half a minute would tell more",
    "two_deviations": "mean and median are over two standard deviations apart, so neither describes the run",
    "within_step": "{step} ms is one step of what the tool prints, so they may be alike",
}
ANSWERED = "{asked} requests/s were asked for, and {got} answered"
BASIS = "{clients} clients, {took} s and {made} requests"
Facts = Mapping[str, Any]


def _fill_in(facts: Facts, *templates: str) -> str:
    """The first of the templates whose facts are all known."""
    if "{" not in templates[-1]:
        return templates[-1]
    words = {name: figure_or_word(value) for name, value in facts.items()}
    for template in templates[:-1]:
        with suppress(KeyError):
            return template.format_map(words)
    return templates[-1].format_map(words)


def _say_difference(facts: Facts) -> str:
    """ "concurrency 100 against 50", or "not the same: concurrency 50, 100, 150"."""
    if "pairs" in facts:
        against = (f"{name} {write_against(own, base, unit)}" for name, own, base, unit in facts["pairs"])
        return "; ".join(dict.fromkeys(against))
    listed = []
    for name, values, unit in facts["listed"]:
        words = list(dict.fromkeys(map(figure_or_word, values)))
        more = [f"and {len(words) - MOST_VALUES} more"] if len(words) > MOST_VALUES else []
        listed.append(f"{name} {', '.join(words[:MOST_VALUES] + more)}{unit}")
    return f"not the same: {'; '.join(listed)}"


def _say_failed(facts: Facts) -> str:
    available = facts["available"]
    if "bad" not in facts:
        return f"availability was {figure(available)} %"
    bad, made = facts["bad"], facts["made"]
    if made is None:
        return f"{figure(int(bad))} requests failed"
    kinds = ", ".join(f"{figure(count)} {kind}" for kind, count in facts["kinds"].items())
    more = (f": {kinds}" if kinds else "") + (f", availability {figure(available)} %" if available is not None else "")
    return f"{figure(int(bad))} of {figure(made)} requests failed ({percent(bad, made)}{more})"


def _say_other_length(facts: Facts) -> str:
    failed, made, mean, length = (facts[name] for name in ("failed", "made", "mean", "length"))
    words = f"{figure(int(failed))} of {figure(made)} requests failed by length ({percent(failed, made)})"
    if mean is not None and length:
        size = "0 bytes" if mean < 1 else f"{figure(round(mean))} bytes"
        words += f", {size} per reply instead of {figure(length)} bytes"
    words += ", and just as many connections were not kept alive" if facts.get("closed") else ""
    return words + (", of a page that does not change" if facts.get("fixed") else "")


def _say_other_status(facts: Facts) -> str:
    other, made = facts["other"], facts["made"]
    if other == made:
        return "every reply had another status than 2xx"
    return f"{figure(int(other))} of {figure(made)} replies had another status than 2xx ({percent(other, made)})"


def _say_impossible_counts(facts: Facts) -> str:
    names = {"": "failures", "late": "late answers", "status": "replies with another status than 2xx"}
    counts = [f"{figure(int(n))} {names.get(kind, f'failures by {kind}')}" for kind, n in facts["counts"].items()]
    return f"{', '.join(counts)} in {figure(facts['made'])} requests"


def _say_wrong_rate(facts: Facts) -> str:
    made, took = facts["made"], facts["took"]
    worked = f"{figure(made)} requests in {figure(took)} s are {figure(made / took)} per second"
    return f"{worked}, not {figure(facts['printed'])}"


def _say_too_short(facts: Facts) -> str:
    took, made, clients = facts["took"], facts["made"], facts["clients"]
    seconds = f"{took:.2f}" if took < 1 else f"{took:.1f}"
    if not made:
        return f"it took {seconds} s"
    by = f" by {write_count(clients, 'client')}" if clients else ""
    return f"{write_count(made, 'request')}{by} in {seconds} s"


def _say_few_each(facts: Facts) -> str:
    made, clients = facts["made"], facts["clients"]
    return f"{write_count(made, 'request')} by {write_count(clients, 'client')}, {figure(made / clients)} each"


def _say_busy_cpu(facts: Facts) -> str:
    idle, running, cores = facts["idle"], facts["running"], facts["cores"]
    words = [f"CPU {figure(idle)} % idle"] if idle is not None else []
    if running is not None:
        on = f" on {write_count(cores, 'core')}" if cores else ""
        words.append(f"{write_count(running, 'task')} running or ready to run{on}")
    return ", ".join(words)


def _swap_used(facts: Facts) -> str:
    when = f" {facts['phase']} the run" if facts["phase"] else ""
    return f"{figure(facts['used_mib'])} MiB of swap in use{when}"


def _swap(facts: Facts) -> str:
    left = ""
    if "free_mib" in facts:
        left = f", {figure(round(facts['free_mib'], 1))} of {figure(round(facts['total_mib'], 1))} MiB available"
    return _swap_used(facts) + left


def _say_tail(facts: Facts) -> str:
    longest = f", the longest {figure(facts['longest'])} ms" if facts["longest"] is not None else ""
    words = f"p99 {figure(facts['p99'])} ms{longest}"
    if "slowest" not in facts:
        return words
    share = percent(facts["slowest"], 1)
    return f"{words}, mean {figure(facts['mean'])} ms: at least {share} of the clients' time went into the slowest 1 %"


def _say_coarse(facts: Facts) -> str:
    what = "mean" if facts["is_mean"] else "half within"
    return f"{what} {figure(facts['typical'])} ms, told in steps of {figure(facts['step'])} ms"


def _say_within_step(facts: Facts) -> str:
    near = facts["near"][:MOST_TIMES]
    names = ["mean" if name == "mean" else f"p{name}" for name, _, _ in near]
    return ", ".join(
        f"{name} {figure(own)} against {figure(other)} ms" for name, (_, own, other) in zip(names, near, strict=True)
    )


def _say_warning(facts: Facts) -> str:
    if "mark" in facts:
        return f'{facts["tool"]} calls its {" and ".join(facts["about"])} times "{facts["mark"]}"'
    words = facts["warning"]
    if len(words) > LONGEST_WARNING:
        words = f"{words[:LONGEST_WARNING].rpartition(' ')[0]} …"
    return f'{facts["tool"]} says "{words}"'


def _say_cold(facts: Facts) -> str:
    later = "the second" if facts["later"] == 1 else f"the mean of the {facts['later']} later ones"
    return f"{figure(facts['first'])} requests per second, {figure(facts['mean'])} in {later}"


# Rule -> what it saw, with its figures: "285 of 600 requests failed". {names} are facts of the finding; of several templates the
# first whose facts are known is used.
DETAILS: dict[str, str | tuple[str, ...] | Callable[[Facts], str]] = {
    **dict.fromkeys(("differs.load", "differs.machine", "differs.page", "differs.tool"), _say_difference),
    "errors.checks": lambda facts: (
        f"{figure(facts['bad'])} of {figure(facts['made'])} checks failed ({percent(facts['bad'], facts['made'])})"
    ),
    "errors.failed": _say_failed,
    "errors.late": lambda facts: (
        f"{figure(int(facts['late']))} of {figure(facts['made'])} answers were late ({percent(facts['late'], facts['made'])})"
    ),
    "errors.length": _say_other_length,
    "errors.status": _say_other_status,
    "figures.availability": lambda facts: (
        f"{figure(facts['failed'])} failed beside {figure(facts['hits'])} is {facts['worked']:.2f} % availability, "
        f"not {figure(facts['printed'])} %"
    ),
    "figures.concurrency": (
        "a mean of {printed} connections at once by {users} users",
        "its rate and response time give {worked} connections at once, not {printed}",
    ),
    "repeats.copied": ("all its figures are those of “{of}”", "it stands {times} times in the text"),
    "figures.counts": _say_impossible_counts,
    "figures.mean": f"{BASIS} give a mean of {{worked}} ms, not {{printed}}",
    "figures.memory": "a process of {program_mib} MiB is more than the machine's {total_mib} MiB",
    "figures.percentiles": (
        "p{high} {second} ms but p{low} {first} ms",
        "the table has {table} ms where the Total row's {what} is {total} ms",
    ),
    "figures.rate": _say_wrong_rate,
    "generator.ports": "{waiting} sockets in TIME_WAIT, where a client has {ports} local ports",
    "generator.same_host": ("{tool} loaded {name}", "{monitor} shows {program} beside the server's processes"),
    "generator.saturated": "{program} used {cpu} % of a core",
    "length.p99": lambda facts: write_count(facts["made"], "request"),
    "length.per_client": _say_few_each,
    "length.seconds": _say_too_short,
    "limits.clients": "{clients} clients for {setting} {limit}",
    "load.generators": lambda facts: (
        f"reports of {len(facts['rates'])} load generators ("
        + ", ".join(f"{name} {figure_or_word(rate or 0)}" for name, rate in islice(facts["rates"].items(), MOST_VALUES))
        + (", …)" if len(facts["rates"]) > MOST_VALUES else " requests per second)")
    ),
    "load.busy_clients": f"{BASIS} leave {{worked}} ms for each in the mean, but their {{what}} is {{printed}} ms",
    "load.idle_clients": lambda facts: (
        f"{write_count(facts['clients'], 'client')} had {figure(facts['busy'])} requests under way in the mean"
    ),
    "load.missed_rate": lambda facts: (
        _fill_in(facts, ANSWERED) if "asked" in facts else f"{percent(facts['missed'], 1)} of what was due was dropped"
    ),
    "load.not_as_named": lambda facts: HAD[facts["had"]].format(other=facts["other"]),
    "load.other_clients": "{clients} clients, where its heading tells of {told}",
    "load.other_server": "{server} answered",
    "load.set_rate": ANSWERED,
    "load.shown_status": "a request beside the load was answered with {status}",
    "machine.disturbed": "the text tells of {what} beside it",
    "load.claimed_otherwise": "the text says “{said}”",
    "load.picked": "told as “{said}”",
    "load.retracted": "the text takes back an earlier figure of {rate} requests per second",
    "load.told_otherwise": "the text tells of {told} requests per second, the report of {rate}",
    "machine.cpu": _say_busy_cpu,
    "machine.log": lambda facts: f"the log tells of {LOGGED[facts['limit']]}",
    "machine.noise": lambda facts: (
        f"the A/A spread of {facts['host']} is {figure(facts['noise'])} %"
        + (f", measured while other programs used {facts['others']:.0f} % of its CPU" if facts["others"] >= 10 else "")
    ),
    "machine.others": "{program} used {cpu} % of a core",
    "machine.steal": "{share} % of CPU time stolen",
    "machine.swap": _swap,
    "machine.throttled": "throttled at its CPU limit in {share} % of the scheduler's periods",
    "machine.unseen": "monitors saw {seen} of {took} s",
    "network.keepalive": "{kept} of {made} replies kept the connection",
    "network.link": "replies came at {mb} MB/s",
    "network.syn": "the longest connect took {longest} ms, just over {seconds} s",
    "network.tail": _say_tail,
    "resolution.steps": _say_coarse,
    "resolution.within": _say_within_step,
    "tool.aborted": lambda facts: (facts["error"] or f"{facts['tool']} broke off")[:LONGEST_ERROR],
    "tool.interrupted": ("it took {took} of {limit} s", "{made} of {asked} requests were made"),
    "tool.partial": lambda facts: f"{', '.join(facts['missing'])} not told",
    "tool.warnings": _say_warning,
    "repeats.outlier": "{rate} requests per second, the median of its {n} repeats is {usual}",
    "repeats.trend": "from {first} to {last} requests per second in {n} repeats",
    "warmth.beforehand": "{what} just before it",
    "warmth.first": _say_cold,
}


def make_part(case: Case, rule: str, finding: Finding, override: OverrideFact | None) -> Part:
    who = ""
    if finding.run is not None:
        who = case.titles.get(finding.run, f"run {finding.run}")
    elif finding.config is not None:
        who = case.names.get(finding.config, f"config {finding.config}")
    words = DETAILS[rule]
    templates = (words,) if isinstance(words, str) else words
    detail = templates(finding.facts) if callable(templates) else _fill_in(finding.facts, *templates)
    if "repeats" in finding.facts:
        detail += f" beside one of {finding.facts['repeats']} repeats"
    moral = _fill_in(finding.facts, MORALS[finding.moral])
    return Part(who, finding, detail, moral, _write_reason(rule, finding, detail, moral), override)


def _write_reason(rule: str, finding: Finding, detail: str, moral: str) -> str:
    """In brief where the detail is long."""
    follows = moral.rpartition(", so ")[2]
    if rule == "errors.failed":
        return f"{detail.partition(' (')[0]}: {follows}"
    if rule == "errors.length":
        return f"{detail.partition(' by length')[0]}: {follows}"
    if rule == "machine.swap" and finding.severity == "fatal":
        return f"{_swap_used(finding.facts)}: not comparable"
    return f"{detail}: {moral}"


def compose_sentence(case: Case, alike: Sequence[Part]) -> str:
    """One finding: "who: detail. Moral." Several: "3 of 8 runs: moral (who: detail; ...)."""
    first, details = alike[0], list(dict.fromkeys([each.detail for each in alike]))
    moral = capitalize(first.moral)
    if len({each.who for each in alike}) == 1:
        sentence = f"{_lead(first.who)}{'; '.join(details)}. {moral}."
        return sentence if first.who else capitalize(sentence)
    count = _count(case, alike)
    if len(details) == 1:
        return f"{count}: {first.detail}. {moral}."
    shown = [f"{_lead(each.who)}{each.detail}" for each in alike[:MOST_NAMED]]
    more = [f"and {len(alike) - MOST_NAMED} more"] if len(alike) > MOST_NAMED else []
    return f"{count}: {first.moral} ({'; '.join(shown + more)})."


def _lead(who: str) -> str:
    return f"{who}: " if who else ""


def _count(case: Case, alike: Sequence[Part]) -> str:
    of_runs = alike[0].run is not None
    whole = len(case.counted_runs) if of_runs else len(case.configs)
    some = len({each.run if of_runs else each.config for each in alike})
    what = "runs" if of_runs else "configs"
    if some == whole:
        return f"Both {what}" if whole == 2 else f"All {whole} {what}"
    return f"{some} of {whole} {what}"
