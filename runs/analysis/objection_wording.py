"""What failed and what speaks against a leader, in words, for the headline and its lead."""

from __future__ import annotations

import re

from runs.analysis.headline_against import (
    CHECKS,
    CLOSED,
    COUNTED,
    GENERATOR,
    LATE,
    MISSED,
    NETWORK,
    OTHERS,
    STOPPED,
    Failure,
    Objection,
)
from runs.numbers import TIMES_FROM, figure, figure_or_word, percent, share_words, times

LONGEST_NAME = 60
BRACKETS = re.compile(r" \([^()]*\)")
PERCENTILE = re.compile(r"^([\d.]+) % within$")


def describe_failure(failure: Failure) -> str:
    """As "failed 30 % of its requests"."""
    if failure.share is None:
        return f"broke off without a report{f' ({failure.error[:LONGEST_NAME]})' if failure.error else ''}"
    share = percent(failure.share, 1)
    if failure.rule == "errors.status":
        whole = "answered every request with an error or a redirect"
        return whole if failure.share >= 1 else f"answered {share} of its requests with errors or redirects"
    if failure.rule == LATE:
        return f"answered {'all' if failure.share >= 1 else share} of its requests too late"
    return (
        f"failed {'all' if failure.share >= 1 else share} of its {'checks' if failure.rule == CHECKS else 'requests'}"
    )


def say_against(one: Objection, whose: str = "") -> str:
    """As "its p99 is 13 times as long (1,520 against 117 ms)"; `whose`: the config is named, as it is not the leader."""
    if one.factor is None or one.rule == "workload":
        words = describe_objection(one)
        return words if words.startswith("“") else words[:1].lower() + words[1:]
    name = _name_metric(one)
    values = f"{figure(as_number(one.value))} against {figure(as_number(one.other))} {one.unit}"
    return f"{f'the {name} of “{shorten(one.config)}”' if whose else f'its {name}'} is {_say_worse(one)} ({values})"


def say_briefly(one: Objection, whose: str = "") -> str:
    """The same without the two figures: "its p99 is 13 times as long"."""
    return BRACKETS.sub("", say_against(one, whose)).partition(", against")[0]


def _name_metric(one: Objection) -> str:
    """As "p99", "longest request", "httpd memory (each, mean, during)"."""
    program, colon, which = one.label.partition(": ")
    if one.rule in ("cpu", "longest"):
        return "CPU time" if one.rule == "cpu" else "longest request"
    return f"{program} memory ({which})" if colon else PERCENTILE.sub(r"p\1", one.label[:1].lower() + one.label[1:])


def describe_objection(one: Objection) -> str:
    """As "99 % within 1,520 ms, 13 times as long"."""
    if one.rule in (GENERATOR, NETWORK):
        beside = f" beside “{shorten(one.config)}”" if one.config else ""
        what = "load generator" if one.rule == GENERATOR else "network"
        return f"The {what} was at its limit{beside}, so it may be what was measured"
    if one.rule == OTHERS:
        return f"“{one.label}” used {figure(as_number(one.value))} % of a core beside “{shorten(one.config)}” only"
    if one.rule == CLOSED:
        return f"“{shorten(one.config)}” closed connections that were to be kept open"
    if one.rule == STOPPED:
        made, asked = (figure(as_number(value)) for value in (one.value, one.other))
        return f"“{shorten(one.config)}” was stopped after {made} of {asked} {one.unit}"
    if one.rule == "aborted":
        return f"{figure(as_number(one.value))} of its {figure(as_number(one.other))} runs broke off"
    if one.rule == "length.seconds":
        whose = (
            f"“{shorten(one.config)}” ran for no longer than" if one.config else "Neither side's runs took longer than"
        )
        return f"{whose} {as_number(one.value):.2g} s, too short to rely on"
    if one.rule == "load.idle_clients":
        return f"“{shorten(one.config)}” had requests under way for {percent(as_number(one.value), 100)} of its clients' time"
    if one.rule == MISSED:
        if one.other is None:
            return (
                f"“{shorten(one.config)}” dropped {percent(as_number(one.value), 100)} of what was due at its set rate"
            )
        asked, got = (figure(as_number(value)) for value in (one.other, one.value))
        return f"“{shorten(one.config)}” was to be sent {asked} requests per second and got {got}"
    if one.rule == "omission":
        return f"At least {percent(as_number(one.value), 100)} of its clients' time went into the slowest 1 %"
    if one.rule in COUNTED:
        failure = Failure(one.rule, as_number(one.value) / 100, "", None)
        return f"“{shorten(one.config)}” {describe_failure(failure)}"
    if one.rule == "workload":
        return f"“{shorten(one.config)}” leads on {one.label}"
    if one.rule == "impossible":
        whose = f"“{shorten(one.config)}”" if one.config else "both sides"
        return f"Figures of {whose} cannot all be true ({one.label})"
    if one.rule == "failures":
        what = "were answered too late" if one.label == LATE else "failed"
        things = "checks" if one.label == CHECKS else "requests"
        against = "" if one.other is None else f", against {percent(as_number(one.other), 100)}"
        return (
            "Broke off"
            if one.value is None
            else f"{percent(as_number(one.value), 100)} of its {things} {what}{against}"
        )
    if one.rule == "differs":
        values = [figure_or_word(value) for value in (one.value, one.other)]
        verb = "differ" if one.label.endswith("s") and not one.label.isupper() else "differs"
        return f"{one.label} {verb}: {values[0]} against {values[1]}{one.unit}"
    return f"{one.label} {figure(as_number(one.value))} {one.unit}, {_say_worse(one)}"


def _say_worse(one: Objection) -> str:
    """As "13 times as long", "30 % more for each request"."""
    factor = one.factor or 1.0
    if one.rule == "rate":
        return f"{share_words(1 - 1 / factor)} less"
    longer = one.rule in ("tail", "longest", "latency")
    if factor >= TIMES_FROM:
        far = f"{times(factor)} times as {'long' if longer else 'much'}"
    else:
        far = f"{share_words(factor - 1)} {'longer' if longer else 'more'}"
    return f"{far} for each request" if one.rule == "cpu" else far


def as_number(value: float | str | None) -> float:
    return value if isinstance(value, (int, float)) else 0.0


def shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"
