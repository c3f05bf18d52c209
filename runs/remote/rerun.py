"""A stored run once more: its command line as the fields of a plan, against a target that may be loaded so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from runs import ingest
from runs.models import Run

from . import secrets
from .addresses import NotAllowed, canonicalize
from .models import LoadGenerator, Target, TargetAddress
from .tools import METHODS, tools

# Terms of command lines whose values must be a number, and what each is then.
NUMBERS = {
    **{"requests": "number of requests", "concurrency": "number of clients", "repeats_each": "number of repeats"},
    **{"duration_s": "time", "timeout_s": "time"},
}
HEADERS = {"cookie": "Cookie", "accept": "Accept", "user_agent": "User-Agent"}


class CannotRepeat(ValueError):
    """A run that no plan can be made of; the message is a sentence."""


@dataclass(slots=True)
class LoadOptions:
    """What a command line asks for. `lost` holds sentences on what a plan cannot do of it."""

    tool: str
    url: str
    concurrency: int
    requests: int | None = None
    duration_s: int | None = None
    timeout_s: int = 30
    method: str = "GET"
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: str = ""
    content_type: str = ""
    keepalive: bool = False
    lost: list[str] = field(default_factory=list)


def may_rerun(user: Any) -> bool:
    """Whether a page may offer this user to run something again: with permission, and where a load generator is. One query."""
    may = getattr(user, "has_perms", None)
    return bool(may and may(("remote.add_plan", "remote.run_plan")) and LoadGenerator.objects.exists())


def read_options(text: str) -> LoadOptions:
    command = ingest.parse_command(text)
    tool = tools().get(command.tool)
    if tool is None:
        raise CannotRepeat(f"It calls no load tool that plans support: {', '.join(sorted(tools()))}.")
    if command.problem:
        raise CannotRepeat(f"Its quotes are not balanced ({command.problem}).")
    for _, value, term in command.given:
        if term in NUMBERS and term not in command.options:
            raise CannotRepeat(f"{value!r} is no {NUMBERS[term]}.")
    if not command.arguments:
        raise CannotRepeat("It has no address.")
    url, *request = command.arguments[0].split(" ", 2)  # siege has the method and the body behind the address
    values = {**tool.defaults, **command.options}
    values |= dict(zip(("method", "body"), request, strict=False))
    options = LoadOptions(
        tool=tool.name,
        url=url if "://" in url else f"http://{url}",
        concurrency=values.get("concurrency", 1),
        method=values.get("method", "GET").upper(),
        body=values.get("body", ""),
        content_type=values.get("content_type", ""),
        keepalive=values.get("keepalive", False),
        timeout_s=max(1, round(values.get("timeout_s", 30))),
        lost=[f"{tool.name} {name} is unknown and was left out." for name in command.unknown],
    )
    _set_length(options, values)
    given = [name for name, _, _ in command.given]
    options.lost += [f"{tool.name} {name} was left out: {tool.lost[name]}." for name in given if name in tool.lost]
    _leave_out(options, command.arguments[1:])
    for _, value, term in command.given:
        if term == "header":
            _add_header(options, value)
        elif term in HEADERS:
            options.headers.append((HEADERS[term], value))
    return options


def _set_length(options: LoadOptions, values: Mapping[str, Any]) -> None:
    if "duration_s" in values:
        options.duration_s = max(1, round(values["duration_s"]))
    elif "repeats_each" in values:
        options.requests = values["repeats_each"] * options.concurrency
    elif "requests" in values:
        options.requests = values["requests"]
    else:
        raise CannotRepeat("It has neither a number of requests nor a duration.")


def _leave_out(options: LoadOptions, further: tuple[str, ...]) -> None:
    if options.body.startswith("<"):
        options.body = ""
        options.lost.append("The body was left out: it is in a file on the load generator.")
    if further:
        options.lost.append(f"{' '.join(further)} was left out: a plan has one address.")
    if options.method not in METHODS:
        options.lost.append(f"Plans do not support the method {options.method}; GET is used.")
        options.method = "GET"


def _add_header(options: LoadOptions, text: str) -> None:
    name, _, value = (part.strip() for part in text.partition(":"))
    if name.lower() == "connection" and value.lower() in ("close", "keep-alive"):
        options.keepalive = value.lower() == "keep-alive"
    elif name.lower() == "content-type":
        options.content_type = value
    else:
        options.headers.append((name, value))


@dataclass(frozen=True, slots=True)
class Rerun:
    """fields: of a plan, by name; variants: likewise, the first run's first; notes: sentences on what is otherwise than it was."""

    run: Run
    target: Target
    variants: list[dict[str, Any]]
    fields: dict[str, Any]
    notes: list[str]


VARIED = ("address", "path", "keepalive")  # of a plan's fields those that its variants may have of their own


def plan_from_runs(runs: Sequence[Run]) -> Rerun:
    """A plan of the first run, with the configs of the others as variants of it. Raises CannotRepeat."""
    first, *others = map(plan_from_run, runs)
    if not others:
        return first
    notes, variants = list(first.notes), list(first.variants)
    for other in others:
        name = other.variants[0]["name"]
        unlike = [field for field in first.fields if field not in (*VARIED, "name")]
        unlike = [field.replace("_", " ") for field in unlike if first.fields[field] != other.fields[field]]
        if unlike or other.target != first.target:
            differs = ", ".join(unlike) or "the target"
            notes.append(
                f"“{name}” is not among the variants: it was loaded otherwise ({differs}), which a plan cannot vary."
            )
            continue
        own = {field: other.fields[field] for field in VARIED if other.fields[field] != first.fields[field]}
        if not own:
            notes.append(
                f"“{name}” was loaded as the first variant was: choose for each the switch that puts its config in place."
            )
        variants.append({"name": name, **own})
        notes += [note for note in other.notes if note not in notes]
    fields = first.fields | {"name": f"Again: {first.run.experiment.name}"[:200]}
    return Rerun(run=first.run, target=first.target, variants=variants, fields=fields, notes=notes)


def plan_from_run(run: Run) -> Rerun:
    """Raises CannotRepeat."""
    if not run.command:
        raise CannotRepeat("Its text does not show the command.")
    options = read_options(run.command)
    try:
        parts = urlsplit(options.url)
        base = canonicalize(f"{parts.scheme}://{parts.netloc}")
    except NotAllowed as fault:
        raise CannotRepeat(f"{fault}") from fault
    except ValueError as fault:  # urlsplit's, such as brackets that do not match
        raise CannotRepeat(f"{options.url} is not an address that a plan can use.") from fault
    address = _find_address(base, run)
    notes = list(options.lost)
    if parts.fragment:
        notes.append("The fragment (#) of the address is never sent and was left out.")
    fields: dict[str, Any] = {
        name: getattr(options, name)
        for name in ("tool", "method", "body", "content_type", "requests", "duration_s", "keepalive", "timeout_s")
    }
    fields |= {
        "name": f"Again: {run.experiment.name}, {run.label or run.config.name}"[:200],
        "address": address.pk,
        "path": (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        "levels": [options.concurrency],
        "headers": _choose_headers(options.headers, notes),
    }
    variants = [{"name": run.config.name[:200]}]
    return Rerun(run=run, target=address.target, variants=variants, fields=fields, notes=notes)


def _find_address(base: str, run: Run) -> TargetAddress:
    """The address of the allow-list; of several targets that share it, the one of the run's own host."""
    rows = TargetAddress.objects.filter(base=base, target__enabled=True).select_related("target__host")
    if not rows:
        raise CannotRepeat(f"{base} is not an address of any target; a user who may register targets has to add it.")
    return next((address for address in rows if address.target.host_id == run.host_id), rows[0])


def _choose_headers(headers: list[tuple[str, str]], notes: list[str]) -> list[tuple[str, str]]:
    """The headers that a plan may have; a secret becomes the name of one."""
    allowed = []
    for name, value in headers:
        try:
            secrets.check_header(name, value)
        except secrets.BadHeader as fault:
            notes.append(f"A header was left out. {fault}")
            continue
        try:
            secrets.check_header_secret(name, value)
        except secrets.SecretFault:
            variable = "".join(letter if letter.isalnum() else "_" for letter in name.upper())
            value = f"{{secret:{variable}}}"
            notes.append(f"The value of {name} was left out; the worker reads it from {secrets.PREFIX}{variable}.")
        allowed.append((name, value))
    return allowed
