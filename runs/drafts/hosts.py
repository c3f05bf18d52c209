"""Hosts: which machines and servers a text shows, and where the experiment on one machine ends and the next begins."""

from __future__ import annotations

import ipaddress
import math
import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Any

from parsers.blocks import Block
from parsers.catalogue import parse_command
from parsers.commands import LOCAL
from parsers.records import HostFacts, LoadResult, Record, SystemSample
from runs.analysis.stats import repeatability_limit

from .draft import DraftHost
from .stated_hosts import PLACEHOLDERS, find_stated_host
from .typed_commands import SSH

Server = tuple[str, str, int]  # software, host, port; "" or 0 where the tool did not print it
RAM_TOLERANCE = 0.03  # some monitors print MiB with one decimal, others even less
_GENERIC_SYSTEMS = frozenset([None, "Linux", "GNU/Linux"])  # less than the name of a distribution
_URL = re.compile(
    r"(?:https?://(?=\S)|(?<=\s)(?=localhost|[\w-]+\.[\w.-]+\w[:/]))(?P<host>[\w.-]+|\[[\da-fA-F:]+\])(?::(?P<port>\d{1,5}))?/"
)


# --- servers that answered ---------------------------------------------------------------------------------------------


def find_server(result: LoadResult, block: Block, prompt_host: str | None) -> Server:
    """Who answered, as the tool printed it, else by the address in its command; "localhost" is the prompt's machine."""
    host, port = (result.hostname or "").lower(), result.port or 0
    if not host and (url := _URL.search(parse_command(block.command or "", result.tool).url)):
        host, port = url["host"].lower(), int(url["port"] or 0)
    if host.strip("[]") == "::1":  # not what answers at 127.0.0.1: another socket, and maybe another server
        host = "[::1]"
    elif host in LOCAL:
        host = (prompt_host or "localhost").lower()
    return result.server_software or "", host, port


class Servers:
    """The servers that answered. One of which something is not known is taken for the first one that it may be."""

    def __init__(self) -> None:
        self.all: list[Server] = []
        self._index_of: dict[Server, int] = {}  # of those that were added, which stays the same
        # In order, the indices of those with these parts; None stands for any. By it each is found without a look at the others.
        self._indices: dict[tuple[str | int | None, ...], list[int]] = defaultdict(list)

    def find(self, server: Server) -> int | None:
        """Index of the first that it may be."""
        if server in self._index_of:
            return self._index_of[server]
        if all(server) and (same := self._indices.get(server)):  # completely known: it can be no other
            return same[0]
        keys = product(*((part, type(part)()) if part else (None,) for part in server))
        return min((index[0] for key in keys if (index := self._indices.get(key))), default=None)

    def add(self, server: Server) -> None:
        """Add a server unless it is there; what was not known of it is filled in."""
        if server in self._index_of:
            return
        position, merged = self.find(server), server
        index = self._index_of[server] = len(self.all) if position is None else position
        if position is None:
            self.all.append(server)
        else:
            other = self.all[index]
            merged = other[0] or server[0], other[1] or server[1], other[2] or server[2]
            for key in product(*((part, None) for part in other)):
                self._indices[key].remove(index)
        self.all[index] = merged
        for key in product(*((part, None) for part in merged)):
            insort(self._indices[key], index)


# --- machines ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Sighting:
    """What one block shows of the machine that it was printed on.

    generator: name of the machine that loaded another; cpus: how many a tool says there are, as a listing of them may be cut
    """

    index: int
    ram_kb: float | None
    name: str | None
    facts: list[HostFacts]
    generator: str | None = None
    cpus: int | None = None

    @property
    def cpu_model(self) -> str:
        """Without what tools write in other ways: marks, spaces and the clock rate."""
        model = next((facts.cpu_model for facts in self.facts if facts.cpu_model), "")
        return re.sub(r"@.*|\((?:r|tm)\)|\bcpu\b|[\W_]", "", model.lower())


def _is_local(name: str | None) -> bool:
    """Whether an address is of the machine itself: "app.localhost" is, too."""
    return name in LOCAL or (name or "").endswith(".localhost")


def find_sightings(blocks: Sequence[Block], records: Sequence[Sequence[Record]]) -> list[Sighting]:
    """What each block shows. All that one command prints is of the machine that its first line names."""
    sightings = [_find_sighting(i, block, records[i]) for i, block in enumerate(blocks)]
    for above, sighting in pairwise(sightings):
        before, own = ((each.command_line, each.heading_line) for each in (blocks[above.index], blocks[sighting.index]))
        is_of_one = before == own != (None, None) and not blocks[sighting.index].load_results
        sighting.name = sighting.name or (above.name if is_of_one and not sighting.facts else None)
    return sightings


def _find_sighting(index: int, block: Block, records: Sequence[Record]) -> Sighting:
    """The sighting of a block. A prompt at which another machine was loaded is the generator's; "ssh web1 free" is of web1."""
    ssh = None if block.load_results else SSH.search(block.command or "")
    sighting = Sighting(index, None, None if ssh else block.prompt_host, [])
    for record in records:
        if isinstance(record, HostFacts):
            sighting.facts.append(record)
            sighting.ram_kb = sighting.ram_kb or record.ram_kb
            sighting.name = sighting.name or record.name
            sighting.cpus = record.cores if record.cores == block.values.get("cpus") else sighting.cpus
        elif isinstance(record, SystemSample):
            sighting.ram_kb = sighting.ram_kb or record.metrics.get("mem_total_kb")
            swap_kb = record.metrics.get("swap_total_kb")
            if sighting.ram_kb or swap_kb:
                sighting.facts.append(
                    HostFacts(ram_kb=int(sighting.ram_kb or 0) or None, swap_kb=int(swap_kb or 0) or None)
                )
        elif isinstance(record, LoadResult) and not _is_local(record.hostname):
            sighting.name, sighting.generator = None, block.prompt_host if record.hostname else None
    stated = [facts for _, text in block.trail if (facts := find_stated_host(text)).name][-1:]
    sighting.facts += stated
    sighting.name = sighting.name or next((facts.name for facts in stated), ssh and ssh["host"])
    return sighting


def _is_same_ram(ram_kb: float, other_kb: float) -> bool:
    return abs(ram_kb - other_kb) <= RAM_TOLERANCE * max(ram_kb, other_kb)


def _may_be_same_name(name: str, other: str) -> bool:
    """A prompt often shows "web1" where the machine calls itself "web1.example.org"."""
    return name == other or name.startswith(f"{other}.") or other.startswith(f"{name}.")


def split_by_machine(sightings: Sequence[Sighting], loads: Sequence[int], facts_trail: bool) -> list[range]:
    """Ranges of block numbers, one an experiment.

    Several only where each machine (distinguished by its RAM) has a stretch of the text with load tests to itself: a
    server and a generator that are shown in turn are one experiment. facts_trail: the text shows facts behind the loads.
    """
    stretches: list[list[Sighting]] = []
    for sighting in sightings:
        if not sighting.ram_kb:
            continue
        if stretches and _is_same_ram(stretches[-1][-1].ram_kb or 0, sighting.ram_kb):
            stretches[-1].append(sighting)
        else:
            stretches.append([sighting])
    whole = [range(0, len(sightings))]
    if len(stretches) < 2:
        return whole
    sizes = sorted(stretch[0].ram_kb or 0 for stretch in stretches)
    if any(_is_same_ram(a, b) for a, b in pairwise(sizes)):
        return whole
    cuts = [0]
    for left, right in pairwise(stretches):
        between = bisect_right(loads, left[-1].index)
        has_loads = between < len(loads) and loads[between] < right[0].index
        cuts.append(
            loads[between] if has_loads and facts_trail else _find_first_facts(sightings, right[0].index, loads)
        )
    cuts.append(len(sightings))
    have_loads = all(bisect_left(loads, a) < bisect_left(loads, b) for a, b in pairwise(cuts))
    return [range(a, b) for a, b in pairwise(cuts)] if have_loads else whole


def _find_first_facts(sightings: Sequence[Sighting], shown: int, loads: Sequence[int]) -> int:
    """The block from which on the machine whose RAM block `shown` tells is described without a load test or monitor between."""
    start = sightings[0].index
    while shown > start and sightings[shown - start - 1].facts and shown - 1 not in loads:
        shown -= 1
    return shown


_MOST_MACHINES = 100  # each block is compared with all of them


@dataclass(slots=True)
class _Machine:
    """Sightings of one machine, as far as its RAM, its CPUs and its names show."""

    ram_kb: float | None = None
    cpu_model: str = ""
    cpus: int | None = None
    names: set[str] = field(default_factory=set)
    sightings: list[Sighting] = field(default_factory=list)

    def may_be(self, sighting: Sighting) -> bool:
        if sighting.name and self.names and not any(_may_be_same_name(sighting.name, name) for name in self.names):
            return False
        if sighting.cpu_model and self.cpu_model and sighting.cpu_model != self.cpu_model:
            return False
        if sighting.cpus and self.cpus and sighting.cpus != self.cpus:
            return False
        return not (sighting.ram_kb and self.ram_kb) or _is_same_ram(self.ram_kb, sighting.ram_kb)

    def add(self, sighting: Sighting) -> None:
        self.ram_kb = self.ram_kb or sighting.ram_kb
        self.cpu_model, self.cpus = self.cpu_model or sighting.cpu_model, self.cpus or sighting.cpus
        self.names |= {sighting.name} if sighting.name else set()
        self.sightings.append(sighting)


def _group_by_machine(sightings: Iterable[Sighting]) -> list[_Machine]:
    """The machines in the order of the text, and none beyond the first _MOST_MACHINES."""
    machines: list[_Machine] = []
    seen: dict[tuple[object, ...], _Machine] = {}
    for sighting in sightings:
        if not (sighting.ram_kb or sighting.name or sighting.facts):
            continue
        shown_facts = sighting.ram_kb, sighting.name, sighting.cpu_model, sighting.cpus
        machine = seen.get(shown_facts) or next((m for m in machines if m.may_be(sighting)), None)
        if machine is None and len(machines) < _MOST_MACHINES:
            machines.append(machine := _Machine())
        if machine is not None:
            seen[shown_facts] = machine
            machine.add(sighting)
    return machines


def find_hosts(
    sightings: Sequence[Sighting],
    loads: Sequence[int],
    results: Iterable[LoadResult],
    first_number: int,
    section_of: Mapping[int, int],
) -> tuple[list[DraftHost], dict[int, str]]:
    """The machines of one experiment, the one that was loaded first, and {block number: key of its host}.

    loads: numbers of the load tests. They have the host of their prompt or section ("" where only a later section shows one).
    section_of: {block number: number of its section}
    """
    loaded = list(dict.fromkeys(r.hostname for r in results if r.hostname))
    generators = {s.generator for s in sightings if s.generator}
    machines = sorted(
        _group_by_machine(sightings),
        key=lambda m: (
            bool(m.names & generators),
            not m.names & set(loaded),
            -sum(1 + 10 * bool(s.ram_kb) for s in m.sightings),
        ),
    )
    hosts: list[DraftHost] = []
    host_of: dict[int, str] = {}
    for number, machine in enumerate(machines):
        host = _merge_facts(f"h{first_number + number}", machine.sightings, loaded if number == 0 else [])
        hosts.append(host)
        host_of |= {sighting.index: host.key for sighting in machine.sightings}
    n_alike = Counter(host.name for host in hosts)
    for host in hosts:
        host.name += f", {host.cores} cores" if n_alike[host.name] > 1 and host.cores else ""
    servers = [machine for machine in machines if not machine.names & generators] or machines
    parts = _find_sections(sightings, servers, loads) if len(servers) > 1 else []
    for part, index in parts:
        host_of = dict.fromkeys(part, host_of[index]) | host_of
    own = [host.key for host, machine in zip(hosts, machines, strict=True) if machine.names & generators]
    if hosts and not parts:
        served = {index: key for index, key in host_of.items() if key not in own or len(own) == len(hosts)}
        host_of |= _find_by_section(sightings, loads, served, section_of)
    if len(generators) > 1:  # at their prompts: the machine that was loaded, or none where it is not shown
        server = next((host.key for host in hosts if host.key not in own), "")
        host_of |= {load: server for load in loads if host_of.get(load, server) in (*own, "")}
    if not hosts and (name := _choose_machine_name(loaded)):
        hosts.append(DraftHost(key=f"h{first_number}", name=name))
    return hosts, host_of


def _find_sections(
    sightings: Sequence[Sighting], machines: Sequence[_Machine], loads: Sequence[int]
) -> list[tuple[range, int]]:
    """[(block numbers, one that shows their machine)] where each of several machines has one stretch with loads to itself."""
    machine_of = {sighting.index: at for at, machine in enumerate(machines) for sighting in machine.sightings}
    shown = [s.index for s in sightings if s.index in machine_of and (s.ram_kb or s.facts)]
    starts = [index for at, index in enumerate(shown) if not at or machine_of[index] != machine_of[shown[at - 1]]]
    if len(starts) < 2 or len({machine_of[index] for index in starts}) < len(starts) or not loads:
        return []
    if loads[0] < starts[0]:  # the text shows the machine behind what it was loaded with
        ends = [sightings[0].index, *(index + 1 for index in starts[:-1]), sightings[-1].index + 1]
    else:
        ends = [sightings[0].index, *starts[1:], sightings[-1].index + 1]
    parts = [range(*span) for span in pairwise(ends)]
    have_loads = all(bisect_left(loads, part.start) < bisect_left(loads, part.stop) for part in parts)
    return list(zip(parts, starts, strict=True)) if have_loads else []


def _find_by_section(
    sightings: Sequence[Sighting], loads: Sequence[int], host_of: Mapping[int, str], section_of: Mapping[int, int]
) -> dict[int, str]:
    """{load test without a prompt's host: that of its own section, or of the load test before; "" where only later ones show one}.

    Those of which neither is known are left out: they have the host of the experiment.
    """
    # By section: the machines that a prompt of a load test or a data sheet shows.
    shown: dict[int, set[str]] = defaultdict(set)
    elsewhere = False  # whether a machine is shown where nothing tells it from that of all load tests
    last_load, are_loads = {section_of[load]: load for load in loads}, frozenset(loads)
    first = min(last_load, default=0)
    for sighting in sightings:
        if key := host_of.get(sighting.index):
            section = section_of[sighting.index]
            is_stated = any(facts.cpu_model or facts.name for facts in sighting.facts) or sighting.index in are_loads
            if is_stated and section in last_load:
                shown[section].add(key)
            elsewhere = (
                elsewhere or section <= first or not (is_stated and last_load.get(section, -1) >= sighting.index)
            )
    by_section: dict[int, str] = {}
    last = "" if elsewhere else None
    for load in loads:
        own = shown.get(section_of[load], set())
        key = host_of.get(load) or (next(iter(own)) if len(own) == 1 else last)
        if load not in host_of and key != "":
            by_section[load] = key or ""
        last = key if key else last
    return by_section


def _merge_facts(key: str, sightings: list[Sighting], loaded: list[str]) -> DraftHost:
    all_facts = [facts for sighting in sightings for facts in sighting.facts]
    merged = HostFacts()
    for facts in all_facts:
        new = {n: getattr(facts, n) for n in facts.__slots__ if getattr(facts, n) and not getattr(merged, n)}
        merged = replace(merged, **new)
    merged = replace(merged, os=next((f.os for f in all_facts if f.os not in _GENERIC_SYSTEMS), merged.os))
    names = Counter(s.name for s in sightings if s.name)
    return DraftHost(
        key=key,
        name=names.most_common(1)[0][0] if names else _choose_machine_name(loaded) or _describe(merged),
        cpu_model=merged.cpu_model or "",
        cores=merged.cores,
        mhz=merged.mhz,
        ram_kb=merged.ram_kb,
        swap_kb=merged.swap_kb,
        os=merged.os or "",
        kernel=merged.kernel or "",
        passport=_add_noise(merged.passport),
    )


def add_stated_facts(hosts: list[DraftHost], stated: HostFacts, key: str) -> list[DraftHost]:
    """The one host, or a new one of that key, with what the text tells of it and no tool printed.

    Where they disagree, the text tells of another.
    """
    facts = {name: value for name in ("cpu_model", "cores", "ram_kb", "os") if (value := getattr(stated, name))}
    if not hosts:
        return [DraftHost(key=key, name=_describe(stated), **facts)] if facts else []
    shown = hosts[0]
    if shown.cpu_model or (shown.ram_kb and stated.ram_kb and not 0.8 < shown.ram_kb / stated.ram_kb < 1.1):
        return hosts
    new = {name: value for name, value in facts.items() if not getattr(shown, name)}
    return [replace(shown, **new)]


def _add_noise(passport: dict[str, Any] | None) -> dict[str, Any] | None:
    """With noise_pct: 19 of 20 pairs of equal single runs lie nearer to each other than that."""
    if passport is None:
        return None
    limit = repeatability_limit([math.log(ms) for ms in passport["runs_ms"]])
    return passport | {"noise_pct": round(100 * math.expm1(min(limit, 5)), 2)}


def _choose_machine_name(names: Iterable[str]) -> str:
    """The name that is a machine's own, or "": of several that were loaded none is the machine of all."""
    own = {name for name in names if name not in PLACEHOLDERS and not _is_address(name)}
    return own.pop() if len(own) == 1 else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _describe(facts: HostFacts) -> str:
    """ "Intel Pentium M 1300MHz, 756 MiB" for a machine without a name."""
    ram = f"{facts.ram_kb / 1024:,.0f} MiB" if facts.ram_kb else ""
    cores = f"{facts.cores} cores" if facts.cores else "host"
    return ", ".join(part for part in (facts.cpu_model or "", ram) if part) or cores
