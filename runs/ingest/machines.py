"""Which machines a text tells of, and where one experiment ends and the next, on another machine, begins."""

from __future__ import annotations

import ipaddress
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from parsers import Block, HostFacts, LoadResult, SystemSample
from parsers.records import Record

from .draft import DraftHost

_TOLERANCE = 0.03  # top prints MiB with one decimal, free -h even less
LOCAL = frozenset({"localhost", "localhost.localdomain", "127.0.0.1", "::1", "[::1]", "0.0.0.0"})  # noqa: S104
_ANY_SYSTEM = frozenset([None, "Linux", "GNU/Linux"])
_NOT_NAMES = LOCAL | {"example.com"}


@dataclass(slots=True)
class Sight:
    """What one block tells of the machine it was taken on. `generator`: the machine that loaded another one."""

    index: int
    ram_kb: float | None
    name: str | None
    facts: list[HostFacts]
    generator: str | None = None


def sights(blocks: Sequence[Block], looks: Sequence[list[Record]]) -> list[Sight]:
    """One for each block, with what it (its records are `looks[n]`) knows of its machine.

    A prompt at which another machine was loaded is the generator's.
    """
    return [_sight(index, block, records) for index, (block, records) in enumerate(zip(blocks, looks, strict=True))]


def _sight(index: int, block: Block, records: Sequence[Record]) -> Sight:
    sight = Sight(index, None, block.prompt_host, [])
    for record in records:
        if isinstance(record, HostFacts):
            sight.facts.append(record)
            sight.ram_kb = sight.ram_kb or record.ram_kb
            sight.name = sight.name or record.name
        elif isinstance(record, SystemSample):
            sight.ram_kb = sight.ram_kb or record.metrics.get("mem_total_kb")
            swap = record.metrics.get("swap_total_kb")
            if sight.ram_kb or swap:
                sight.facts.append(HostFacts(ram_kb=_whole(sight.ram_kb), swap_kb=_whole(swap)))
        elif isinstance(record, LoadResult) and record.hostname not in LOCAL:
            sight.name, sight.generator = None, block.prompt_host if record.hostname else None
    return sight


def _whole(value: float | None) -> int | None:
    return int(value) if value else None


def alike(a: float, b: float) -> bool:
    return abs(a - b) <= _TOLERANCE * max(a, b)


def same_name(a: str, b: str) -> bool:
    """Whether two names may be one machine's: a prompt often shows "web1" where uname says "web1.example.org"."""
    return a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")


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
    again = any(alike(a, b) for a, b in pairwise(sorted(sizes)))
    whole = [range(0, len(seen))]
    if len(stretches) < 2 or again:
        return whole
    cuts = [0]
    for left, right in pairwise(stretches):
        between = bisect_right(loads, left[-1].index)
        loaded = between < len(loads) and loads[between] < right[0].index
        cuts.append(loads[between] if loaded and trailing else right[0].index)
    cuts.append(len(seen))
    found = [range(a, b) for a, b in pairwise(cuts)]
    return found if all(bisect_left(loads, a) < bisect_left(loads, b) for a, b in pairwise(cuts)) else whole


@dataclass(slots=True)
class _Machine:
    """Sights of one machine, as far as its RAM and its names tell."""

    ram_kb: float | None = None
    names: set[str] = field(default_factory=set)
    sights: list[Sight] = field(default_factory=list)

    def may_be(self, sight: Sight) -> bool:
        if sight.name and self.names and not any(same_name(sight.name, name) for name in self.names):
            return False
        return not (sight.ram_kb and self.ram_kb) or alike(self.ram_kb, sight.ram_kb)

    def add(self, sight: Sight) -> None:
        self.ram_kb = self.ram_kb or sight.ram_kb
        self.names |= {sight.name} if sight.name else set()
        self.sights.append(sight)


def _told_apart(seen: Iterable[Sight]) -> list[_Machine]:
    machines: list[_Machine] = []
    for sight in seen:
        if not (sight.ram_kb or sight.name or sight.facts):
            continue
        machine = next((m for m in machines if m.may_be(sight)), None)
        if machine is None:
            machines.append(machine := _Machine())
        machine.add(sight)
    return machines


def hosts_of(
    seen: Sequence[Sight], results: Iterable[LoadResult], first_key: int
) -> tuple[list[DraftHost], dict[int, str]]:
    """Machines of one experiment, the one that was loaded first, and {block number: key of its host}."""
    names = list(dict.fromkeys(r.hostname for r in results if r.hostname))
    generators = {s.generator for s in seen if s.generator}
    machines = sorted(
        _told_apart(seen),
        key=lambda m: (
            bool(m.names & generators),
            not m.names & set(names),
            -sum(1 + 10 * bool(s.ram_kb) for s in m.sights),
        ),
    )
    hosts: list[DraftHost] = []
    where: dict[int, str] = {}
    for number, machine in enumerate(machines):
        host = _host(f"h{first_key + number}", machine.sights, names if number == 0 else [])
        hosts.append(host)
        where |= {sight.index: host.key for sight in machine.sights}
    if not hosts and (name := _public(names)):
        hosts.append(DraftHost(key=f"h{first_key}", name=name))
    return hosts, where


def _host(key: str, group: list[Sight], loaded: list[str]) -> DraftHost:
    merged = HostFacts()
    for facts in (f for sight in group for f in sight.facts):
        known = {n: getattr(facts, n) for n in facts.__slots__ if getattr(facts, n) and not getattr(merged, n)}
        merged = replace(merged, **known)
    # uname says no more than "GNU/Linux", whatever the distribution.
    merged = replace(merged, os=next((f.os for s in group for f in s.facts if f.os not in _ANY_SYSTEM), merged.os))
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
    return next((name for name in names if name not in _NOT_NAMES and not _is_address(name)), "")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _describe(facts: HostFacts) -> str:
    """ "Intel Pentium M 1300MHz, 756 MiB" for a machine that nobody named."""
    ram = f"{facts.ram_kb / 1024:,.0f} MiB" if facts.ram_kb else ""
    return ", ".join(part for part in (facts.cpu_model or "", ram) if part) or "host"
