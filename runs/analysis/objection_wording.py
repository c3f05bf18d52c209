"""What failed and what speaks against a leader, in words, for the headline and its lead."""

from __future__ import annotations

import re
from dataclasses import replace

from runs.analysis.doubt_differences import CACHED, CONDITION, DAY
from runs.analysis.doubt_wording import HAD, LOGGED
from runs.analysis.failures import CHANGES, CHECKS, COUNTED, LATE, LATE_SAID, Failure
from runs.analysis.headline_against import UNWATCHED, Objection, Rule
from runs.analysis.verdict_wording import AT_LIMIT
from runs.numbers import TIMES_FROM, capitalize, cut_name, figure, percent, share_words, times, write_against

LONGEST_NAME = 60
OWN_WORDS = {  # of properties whose value needs no name before it
    CONDITION: "",
    DAY: "measured on other days: ",
    CACHED: "answered from a cache: ",
}
BRACKETS = re.compile(r" \([^()]*\)")


def describe_failure(failure: Failure) -> str:
    """As "failed 30 % of its requests"."""
    if failure.share is None:
        return f"broke off without a report{f' ({failure.error[:LONGEST_NAME]})' if failure.error else ''}"
    share = percent(failure.share, 1)
    if failure.rule == "errors.status":
        whole = "answered every request with an error or a redirect"
        return whole if failure.share >= 1 else f"answered {share} of its requests with errors or redirects"
    if failure.rule == LATE:
        share = figure(failure.late) if failure.late and failure.share < LATE_SAID else share
        return f"answered {'all' if failure.share >= 1 else share} of its requests too late"
    return f"failed {'all' if failure.share >= 1 else share} of its {_name_failed(failure.rule)}"


def _name_failed(rule: str) -> str:
    return {CHECKS: "checks", CHANGES: "requests by length"}.get(rule, "requests")


def say_against(one: Objection, whose: str = "") -> str:
    """As "its p99 is 13 times as long (1,520 against 117 ms)"; `whose`: the config is named, as it is not the leader."""
    if one.factor is None or one.rule == "workload":
        words = describe_objection(one)
        return words if words.startswith("“") or words[:2].isupper() else words[:1].lower() + words[1:]
    name = _name_metric(one)
    values = f"{figure(as_number(one.value))} against {figure(as_number(one.other))} {one.unit}"
    return f"{f'the {name} of “{shorten(one.config)}”' if whose else f'its {name}'} is {_say_worse(one)} ({values})"


def say_briefly(one: Objection, whose: str = "") -> str:
    """The same without the two figures and what follows: "its p99 is 13 times as long", "the network was at its limit"."""
    return BRACKETS.sub("", say_against(one, whose)).partition(", against")[0].partition(", so ")[0]


def say_first_difference(one: Objection) -> str:
    """The same with the first of several things that differ: "shared_buffers=4GB against shared_buffers=128MB"."""
    own, other = (value.partition(", ")[0] if isinstance(value, str) else value for value in (one.value, one.other))
    if own == f"without {other}":
        return f"{other} for the other only"
    if other == f"without {own}":
        return f"{own} for it only"
    return say_briefly(replace(one, value=own, other=other))


def _name_metric(objection: Objection) -> str:
    """As "p99", "longest request", "httpd memory (each, mean, during)"."""
    program, colon, which = objection.label.partition(": ")
    if objection.rule in ("cpu", "longest"):
        return "CPU time" if objection.rule == "cpu" else "longest request"
    return f"{program} memory ({which})" if colon else objection.label[:1].lower() + objection.label[1:]


def describe_objection(one: Objection) -> str:
    """As "p99 1,520 ms, 13 times as long"."""
    if one.rule in AT_LIMIT:
        beside = f" beside {_quote_config(one)}" if one.config else ""
        return f"{capitalize(AT_LIMIT[one.rule])}{beside}, so it may be what was measured"
    if one.rule in (*COUNTED, CHANGES):
        failure = Failure(one.rule, as_number(one.value) / 100, "", None, late=as_number(one.other))
        return f"{_quote_config(one)} {describe_failure(failure)}"
    if one.rule == "failures":
        return _describe_failures(one)
    if one.rule == "differs":
        return f"{_say_differs(one.label)}{write_against(one.value, one.other, one.unit)}"
    words = OF_BOTH.get(one.rule) if not one.config else None
    if one.rule == Rule.MISSED and one.other is None:
        words = "{who} dropped {share} of what was due at its set rate"
    words = words or OBJECTIONS.get(one.rule)
    if words is None:
        return f"{one.label} {figure(as_number(one.value))} {one.unit}, {_say_worse(one)}"
    return words.format(
        who=_quote_config(one),
        label=one.label,
        unit=one.unit,
        value=figure(as_number(one.value)),
        other=figure(as_number(one.other)),
        share=percent(as_number(one.value), 100),
        logged=LOGGED.get(one.label, ""),
        had=HAD.get(one.label, "").format(other=one.other),
        seconds=f"{as_number(one.value):.2g}",
        alone=", and the other side was not watched" if one.other == UNWATCHED else " only",
    )


OBJECTIONS = {  # by rule; share: the value as one of a hundred
    Rule.OTHERS: "“{label}” used {value} % of a core beside {who}{alone}",
    Rule.BEFOREHAND: "{label} just before a run of {who} only",
    Rule.CLAIMED: "The text says “{label}”",
    Rule.THROTTLED: "{who} alone was throttled at its CPU limit, in {share} of the scheduler's periods",
    Rule.STEAL: "{share} of the CPU time was stolen beside {who}, and the other side was not watched",
    Rule.OTHER_SERVER: "“{label}” answered for {who}",
    Rule.NOT_AS_NAMED: "{who} {had}",
    Rule.SHOWN_STATUS: "{who} answered a request beside the load with {label}",
    Rule.CLOSED: "{who} closed connections that were to be kept open",
    Rule.LOST: "{value} of the {other} clients of {who} never got a connection",
    Rule.DRIFT: "{who} got {label} from run to run (from {value} to {other} requests per second)",
    Rule.STOPPED: "{who} was stopped after {value} of {other} {unit}",
    Rule.IDLE: "{who} had requests under way for {share} of its clients' time",
    Rule.MISSED: "{who} was to be sent {other} requests per second and got {value}",
    Rule.IMPOSSIBLE: "Figures of {who} cannot all be true ({label})",
    "aborted": "{value} of its {other} runs broke off",
    "length.seconds": "{who} ran for no longer than {seconds} s, too short to rely on",
    Rule.LOG: "The log tells of {logged} beside {who} only",
    Rule.DISTURBED: "The text tells of {label} beside {who} only",
    Rule.PICKED: "The rate of {who} alone is the {label}",
    Rule.TOLD: "The text tells of {value} requests per second for {who}, its report of {other}",
    "omission": "At least {share} of its clients' time went into the slowest 1 %",
    "workload": "{who} leads on {label}",
}
OF_BOTH = {  # where no config is named
    Rule.IDLE: "Clients of both were idle most of the time (busy for at most {share} of it)",
    Rule.MISSED: "Neither got the {other} requests per second that were to be sent to it ({value} at most)",
    Rule.IMPOSSIBLE: "Figures of both sides cannot all be true ({label})",
    Rule.PICKED: "Either side's rate is the best of several runs",
    Rule.SHOWN_STATUS: "Both sides answered a request beside the load with {label}",
    "length.seconds": "Neither side's runs took longer than {seconds} s, too short to rely on",
}


def _quote_config(one: Objection) -> str:
    return f"“{shorten(one.config)}”"


def _describe_failures(objection: Objection) -> str:
    if objection.value is None:
        return "Broke off"
    things, by = _name_failed(objection.label).partition(" by")[::2]
    against = "" if objection.other is None else f", against {percent(as_number(objection.other), 100)}"
    failed = "were answered too late" if objection.label == LATE else f"failed{by and ' by length'}"
    return f"{percent(as_number(objection.value), 100)} of its {things} {failed}{against}"


def _say_differs(name: str) -> str:
    """As "threads differ: ", "TLS differs: "."""
    is_plural = name.endswith("s") and not (name.endswith("ss") or name.isupper())
    return OWN_WORDS.get(name, f"{name} {'differ' if is_plural else 'differs'}: ")


def _say_worse(objection: Objection) -> str:
    """As "13 times as long", "30 % more for each request"."""
    factor = objection.factor or 1.0
    if objection.rule == "rate":
        return f"{share_words(1 - 1 / factor)} less"
    longer = objection.rule in ("tail", "longest", "latency")
    if factor >= TIMES_FROM:
        far = f"{times(factor)} times as {'long' if longer else 'much'}"
    else:
        far = f"{share_words(factor - 1)} {'longer' if longer else 'more'}"
    return f"{far} for each request" if objection.rule == "cpu" else far


def as_number(value: float | str | None) -> float:
    return value if isinstance(value, (int, float)) else 0.0


def shorten(name: str) -> str:
    return cut_name(name, LONGEST_NAME)


def describe_dropped(name: str, why: str, failure: Failure | None) -> str:
    """A config that a doubt keeps out, as "“B” (tool hey against wrk; it failed 30 % of its requests)"."""
    failed = f"; it {describe_failure(failure)}" if failure and failure.is_stated else ""
    return f"“{shorten(name)}” ({why.partition(': ')[0].rstrip('.')}{failed})"
