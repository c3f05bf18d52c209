"""The words of what speaks against a leader."""

from __future__ import annotations

import re

from runs.analysis.headline_against import LATE, Failure, Objection
from runs.analysis.numbers import TIMES_FROM, number, percent, share_words, times

LONGEST_NAME = 60
PERCENTILE = re.compile(r"^([\d.]+) % within$")


def describe_failure(failure: Failure) -> str:
    """As "failed 30 % of its requests"."""
    if failure.share is None:
        return f"broke off without a report{f' ({failure.error[:LONGEST_NAME]})' if failure.error else ''}"
    share = percent(failure.share, 1)
    if failure.rule == "errors.status":
        return (
            "answered every request with an error or a redirect"
            if failure.share >= 1
            else (f"answered {share} of its requests with errors or redirects")
        )
    return f"failed {'all' if failure.share >= 1 else share} of its requests"


def say_against(one: Objection, whose: str = "") -> str:
    """As "its p99 is 13 times as long (1,520 against 117 ms)"; `whose`: the config is named, as it is not the leader."""
    if one.factor is None or one.rule == "workload":
        words = describe_objection(one)
        return words if words.startswith("“") else words[:1].lower() + words[1:]
    name = _name_metric(one)
    values = f"{number(as_number(one.value))} against {number(as_number(one.other))} {one.unit}"
    return f"{f'the {name} of “{shorten(one.config)}”' if whose else f'its {name}'} is {_worse(one)} ({values})"


def _name_metric(one: Objection) -> str:
    """As "p99", "longest request", "httpd memory (each, mean, during)"."""
    program, colon, which = one.label.partition(": ")
    if one.rule in ("cpu", "longest"):
        return "CPU time" if one.rule == "cpu" else "longest request"
    return f"{program} memory ({which})" if colon else PERCENTILE.sub(r"p\1", one.label[:1].lower() + one.label[1:])


def describe_objection(one: Objection) -> str:
    """As "99 % within 1,520 ms, 13 times as long"."""
    if one.rule == "generator.saturated":
        return "The load generator was at its limit, so it may be what was measured"
    if one.rule == "length.seconds":
        return f"Neither side's runs took longer than {as_number(one.value):.2g} s"
    if one.rule == "workload":
        return f"“{shorten(one.config)}” leads on {one.label}"
    if one.rule == "impossible":
        return "More requests failed than were made, so the report cannot be right"
    if one.rule == "failures":
        what = "were answered too late" if one.label == LATE else "failed"
        against = "" if one.other is None else f", against {percent(as_number(one.other), 100)}"
        return (
            "Broke off"
            if one.value is None
            else f"{percent(as_number(one.value), 100)} of its requests {what}{against}"
        )
    if one.rule == "differs":
        values = [number(value) if isinstance(value, (int, float)) else str(value) for value in (one.value, one.other)]
        return f"{one.label} differs: {values[0]} against {values[1]}{one.unit}"
    return f"{one.label} {number(as_number(one.value))} {one.unit}, {_worse(one)}"


def _worse(one: Objection) -> str:
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
