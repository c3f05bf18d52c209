"""Which config a load test belongs to, and what it is called: the document's own headings, else what the tool saw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from parsers import Block, LoadResult, parse_command, semantics_of

from .draft import DraftConfig
from .headings import Choice, choose, shortened
from .variants import Server, merge_server, same_server, server_of, states
from .words import plain

MAX_NAME = 200


class Namer:
    """The configs of one experiment, in the order in which the text first speaks of them.

    blocks     all blocks; loads, texts: numbers of this experiment's load tests and config texts
    again      quotes {number: of which number}
    configs    what was found; label_line[n]: line of the heading that names the config of load n (0 if none does)
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        loads: Sequence[int],
        texts: Sequence[int],
        again: Mapping[int, int],
        n_before: int,
    ) -> None:
        self.blocks = blocks
        self.again = again
        self.n_before = n_before
        self.configs: list[DraftConfig] = []
        self._results = {load: _first_result(blocks[load]) for load in loads}
        self._choices = choose(blocks, loads, set(texts), again, self.method_of)
        self.label_line = {load: choice.line for load, choice in self._choices.items()}
        self._states = states(blocks, [load for load in loads if load not in again], texts, self._choices)
        self._names: dict[str, str] = {}  # config key -> name
        self._taken: set[str] = set()
        self._numbers: Counter[str] = Counter()  # name -> how many bear it with a number
        self._labels: dict[str, str] = {}  # plain heading -> config key
        self._servers: dict[tuple[str, str], list[Server]] = {}
        self._where: dict[str, tuple[set[str], set[int]]] = defaultdict(
            lambda: (set(), set())
        )  # software -> hosts, ports
        self._config: dict[int, str] = {}
        self._sources = [load for load in loads if load not in again]
        self._name_all(loads)

    def _name_all(self, loads: Sequence[int]) -> None:
        for load in self._sources:
            server = self._server(load)
            merge_server(self._servers.setdefault(self._heading(load), []), server)
            self._where[server[0]][0].add(server[1])
            self._where[server[0]][1].add(server[2])
        keys: dict[tuple[object, ...], str] = {}
        for load in loads:
            source = self.again.get(load, load)
            if source in self._config:
                continue
            heading = self._heading(source)
            place = same_server(self._servers[heading], self._server(source))
            identity = (heading, place, self._states.get(source, ()))
            if identity not in keys:
                keys[identity] = self._new(source)
            self._config[source] = keys[identity]

    def config_of(self, load: int) -> str:
        return self._config[self.again.get(load, load)]

    def config_named(self, heading: str | None) -> str:
        """Key of the config that this very heading names, or ""."""
        return self._labels.get(plain(heading or ""), "")

    def name_of(self, key: str) -> str:
        return self._names[key]

    def result_of(self, load: int) -> LoadResult:
        return self._results[load]

    def method_of(self, load: int) -> str:
        """What else distinguishes two runs of one config: they are repeats only where it is the same.

        A number of requests that is not round was not asked for: the test had a time limit.
        """
        r = self.result_of(load)
        asked = None
        if semantics_of(r.tool).makes_all_requests:
            asked = parse_command(self.blocks[load].command or "", r.tool).options.get("requests")
            if asked is None and not (r.complete_requests or 0) % 10:
                asked = r.complete_requests
        return f"{r.tool}|{r.concurrency}|{r.keepalive}|{r.path}|{asked}"

    def _server(self, load: int) -> Server:
        return server_of(self.result_of(load), self.blocks[load])

    def _heading(self, load: int) -> tuple[str, str]:
        choice = self._choices[load]
        return shortened(choice.text)[:MAX_NAME], choice.group[:MAX_NAME]

    def _new(self, load: int) -> str:
        heading, group = self._heading(load)
        shown = self._shown(load, heading)
        if shown in self._taken and group:
            shown = f"{group} · {shown}"
        base, shown = shown[: MAX_NAME - 8], shown[:MAX_NAME]
        while shown in self._taken:
            self._numbers[base] += 1
            shown = f"{base} ({self._numbers[base] + 1})"
        config = DraftConfig(key=f"c{self.n_before + len(self.configs) + 1}", name=shown, group=group)
        self.configs.append(config)
        self._names[config.key] = shown
        self._taken.add(shown)
        if heading:
            self._labels.setdefault(heading, config.key)
        return config.key

    def _shown(self, load: int, heading: str) -> str:
        """The heading; where it stands above several servers, with the server, and alone where it tells of that one."""
        if not heading:
            return self._by_result(load)
        if len(self._servers[self._heading(load)]) < 2:
            return heading
        software = (self.result_of(load).server_software or "").lower()
        if software and software.split("/")[0] in heading.lower():
            return heading
        seen = self._by_result(load)
        return seen if self._is_first_line(self._choices[load]) else f"{heading} · {seen}"

    def _is_first_line(self, choice: Choice) -> bool:
        """Whether a heading is the text's own title."""
        trail = self.blocks[0].trail
        return bool(trail) and trail[0][0] == choice.line

    def _by_result(self, load: int) -> str:
        """A name out of what the tool printed, for a run that no heading names."""
        r = self.result_of(load)
        _, host, port = self._server(load)
        address = f"{host}:{port}" if host and port else host
        if r.server_software:
            hosts, ports = self._where[r.server_software]
            if len(hosts) > 1 and address:
                return f"{r.server_software} on {address}"
            return f"{r.server_software} on port {port}" if len(ports) > 1 and port else r.server_software
        if address:
            return address
        return f"{r.tool} at line {self.blocks[load].first}"


def _first_result(block: Block) -> LoadResult:
    return block.load_results[0]
