"""Which machines a text tells of, and where one experiment ends and the next, on another machine, begins."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from parsers import Block, HostFacts, LoadResult, SystemSample

from .draft import DraftHost

_TOLERANCE = 0.03  # top prints MiB with one decimal, free -h even less
_NOT_NAMES = frozenset({"localhost", "localhost.localdomain", "example.com"})


@dataclass(slots=True)
class Sight:
    """What one block tells of the machine it was taken on."""

    index: int
    ram_kb: float | None
    name: str | None
    facts: list[HostFacts]


def sights(blocks: Sequence[Block]) -> list[Sight]:
    """One for each block, with what it knows of its machine. A load test's prompt is the generator's, not the server's."""
    return [_sight(index, block) for index, block in enumerate(blocks)]


def _sight(index: int, block: Block) -> Sight:
    facts: list[HostFacts] = []
    ram: float | None = None
    name = block.prompt_host
    for record in block.records:
        if isinstance(record, HostFacts):
            facts.append(record)
            ram = ram or record.ram_kb
        elif isinstance(record, SystemSample):
            ram = ram or record.metrics.get("mem_total_kb")
            swap = record.metrics.get("swap_total_kb")
            facts.append(HostFacts(ram_kb=_whole(ram), swap_kb=_whole(swap)))
        elif isinstance(record, LoadResult):
            name = None
        else:
            break  # hundreds of processes follow a sample
    return Sight(index, ram, name, facts)


def _whole(value: float | None) -> int | None:
    return int(value) if value else None


def alike(a: float, b: float) -> bool:
    return abs(a - b) <= _TOLERANCE * max(a, b)


def segments(seen: Sequence[Sight], loads: Sequence[int], trailing: bool) -> list[range]:
    """Ranges of block numbers, one an experiment.

    Several only where each machine (told apart by its RAM) has a stretch of the text with load tests to itself: a server
    and a generator that are looked at in turn are one experiment. `trailing`: the text shows facts behind the loads.
    """
    stretches: list[list[Sight]] = []
    for sight in (s for s in seen if s.ram_kb):
        if stretches and alike(stretches[-1][-1].ram_kb or 0, sight.ram_kb or 0):
            stretches[-1].append(sight)
        else:
            stretches.append([sight])
    sizes = [stretch[0].ram_kb or 0 for stretch in stretches]
    again = any(alike(a, b) for i, a in enumerate(sizes) for b in sizes[i + 1 :])
    whole = [range(0, len(seen))]
    if len(stretches) < 2 or again:
        return whole
    cuts = [0]
    for left, right in zip(stretches, stretches[1:], strict=False):
        between = [i for i in loads if left[-1].index < i < right[0].index]
        cuts.append(between[0] if between and trailing else right[0].index)
    cuts.append(len(seen))
    found = [range(a, b) for a, b in zip(cuts, cuts[1:], strict=False)]
    return found if all(any(i in part for i in loads) for part in found) else whole


def hosts_of(
    seen: Iterable[Sight], results: Iterable[LoadResult], first_key: int
) -> tuple[list[DraftHost], dict[int, str]]:
    """Machines of one experiment, the one most looked at first, and {block number: key of its host}."""
    groups: list[list[Sight]] = []
    for sight in seen:
        if not (sight.ram_kb or sight.name or sight.facts):
            continue
        group = next((g for g in groups if _same(g, sight)), None)
        if group is None:
            groups.append([sight])
        else:
            group.append(sight)
    groups.sort(key=lambda g: -sum(1 + 10 * bool(s.ram_kb) for s in g))
    hosts: list[DraftHost] = []
    where: dict[int, str] = {}
    names = [r.hostname for r in results if r.hostname]
    for number, group in enumerate(groups):
        host = _host(f"h{first_key + number}", group, names if number == 0 else [])
        hosts.append(host)
        where |= {sight.index: host.key for sight in group}
    if not hosts and (name := _public(names)):
        hosts.append(DraftHost(key=f"h{first_key}", name=name))
    return hosts, where


def _same(group: list[Sight], sight: Sight) -> bool:
    rams = [s.ram_kb for s in group if s.ram_kb]
    names = {s.name for s in group if s.name}
    if sight.ram_kb and rams:
        return alike(rams[0], sight.ram_kb) and not (sight.name and names and sight.name not in names)
    return not (sight.name and names and sight.name not in names)


def _host(key: str, group: list[Sight], loaded: list[str]) -> DraftHost:
    merged = HostFacts()
    for facts in (f for sight in group for f in sight.facts):
        known = {n: getattr(facts, n) for n in facts.__slots__ if getattr(facts, n) and not getattr(merged, n)}
        merged = replace(merged, **known)
    prompts = Counter(s.name for s in group if s.name)
    name = prompts.most_common(1)[0][0] if prompts else _public(loaded) or _describe(merged)
    return DraftHost(
        key=key,
        name=name,
        cpu_model=merged.cpu_model or "",
        cores=merged.cores,
        mhz=merged.mhz,
        ram_kb=merged.ram_kb,
        swap_kb=merged.swap_kb,
        os=merged.os or "",
        kernel=merged.kernel or "",
    )


def _public(names: Iterable[str]) -> str:
    """The name that was loaded, where it is the name of a machine."""
    for name in names:
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            if name not in _NOT_NAMES:
                return name
    return ""


def _describe(facts: HostFacts) -> str:
    """ "Intel Pentium M 1300MHz, 756 MiB" for a machine that nobody named."""
    ram = f"{facts.ram_kb / 1024:,.0f} MiB" if facts.ram_kb else ""
    return ", ".join(part for part in (facts.cpu_model or "", ram) if part) or "host"
