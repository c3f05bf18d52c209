"""Where monitors and config texts belong: beside which run, before, during or after it, of which config."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parsers import Block, LoadResult, ProcessSample, SystemSample

from .draft import DraftCapture, DraftExperiment, DraftRun, DraftText
from .naming import Namer
from .words import phase_of, plain

_LOAD_TOOLS = frozenset({"ab", "siege", "wrk", "hey", "h2load", "httperf"})
_BUSY_LOAD = 1.0
_BUSY_PCT = 2.0
# Words by which the path of a text and the software that a run met can be matched.
_FAMILIES = (("nginx",), ("apache", "httpd"), ("lighttpd",), ("caddy",), ("haproxy",), ("varnish",))


def place_captures(
    experiment: DraftExperiment,
    blocks: Sequence[Block],
    monitors: Sequence[int],
    again: Mapping[int, int],
    host_of: Mapping[int, str],
    namer: Namer,
) -> None:
    """Append the captures: consecutive screens of one command are one; a repetition is a quote of the first."""
    runs = sorted(experiment.runs, key=lambda run: run.lines)
    texts = [text.lines[0] for text in experiment.texts]
    placing = _Placing(experiment, blocks, runs, texts, namer)
    for group in _screens(blocks, [i for i in monitors if i not in again]):
        quotes = [q for q, source in again.items() if source in group and q in monitors]
        run, config, phase = placing.place(group, quotes)
        experiment.captures.append(
            DraftCapture(
                key=f"b{group[0]}",
                blocks=[f"b{i}" for i in group],
                host=host_of.get(group[0], experiment.host),
                config=config,
                run=run,
                phase=phase,
                label=plain(blocks[group[0]].heading or "")[:200],
                lines=(blocks[group[0]].first, blocks[group[-1]].last),
                quotes=[blocks[q].lines for q in quotes],
            )
        )
    placing.settle()


def _screens(blocks: Sequence[Block], monitors: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for i in monitors:
        if groups and i == groups[-1][-1] + 1:
            before, block = blocks[i - 1], blocks[i]
            near = block.first - before.last <= 4 and not block.trail
            if (
                near
                and block.kind == before.kind
                and block.command_line == before.command_line
                and "iteration" in block.values
            ):
                groups[-1].append(i)
                continue
        groups.append([i])
    return groups


class _Placing:
    def __init__(
        self,
        experiment: DraftExperiment,
        blocks: Sequence[Block],
        runs: Sequence[DraftRun],
        texts: Sequence[int],
        namer: Namer,
    ) -> None:
        self.experiment = experiment
        self.blocks = blocks
        self.runs = runs
        self.texts = texts
        self.namer = namer
        self.said: set[tuple[str, str]] = set()  # (run, phase) that a heading named in so many words
        self.guessed: list[tuple[str, str]] = []

    def place(self, group: Sequence[int], quotes: Sequence[int]) -> tuple[str, str, str]:
        """(run, config, phase) of one capture."""
        block = self.blocks[group[0]]
        named = next((c for i in [*group, *quotes] if (c := self.namer.config_named(self.blocks[i].heading))), "")
        phase = phase_of(block.heading or "") or phase_of(block.label or "")
        run = self._run(block, group[0], phase)
        if named and (run is None or run.config != named):
            theirs = [r for r in self.runs if r.config == named]
            return (theirs[0].key if len(theirs) == 1 else "", named, phase or self._default(block, group, True))
        if run is None:
            return "", "", phase
        if phase:
            self.said.add((run.key, phase))
        else:
            phase = self._default(block, group, block.first < run.lines[0])
            self.guessed.append((f"b{group[0]}", run.key))
        return run.key, run.config, phase

    def settle(self) -> None:
        """Where a heading says which look was before the load, one that was only guessed to be is of the whole."""
        for key, run in self.guessed:
            capture = next(c for c in self.experiment.captures if c.key == key)
            if (run, capture.phase) in self.said and self._same_tool_said(capture):
                capture.run, capture.config, capture.phase = "", "", ""

    def _same_tool_said(self, capture: DraftCapture) -> bool:
        guessed = {key for key, _ in self.guessed}
        kind = self.blocks[int(capture.key[1:])].kind
        others = (c for c in self.experiment.captures if c.run == capture.run and c.phase == capture.phase)
        return any(c.key not in guessed and self.blocks[int(c.key[1:])].kind == kind for c in others)

    def _run(self, block: Block, index: int, phase: str) -> DraftRun | None:
        before = [run for run in self.runs if run.lines[0] < block.first]
        after = [run for run in self.runs if run.lines[0] > block.first]
        if not before and not after:
            return None
        if self._of_the_machine(index) and not phase:
            return None
        last, following = (before[-1] if before else None), (after[0] if after else None)
        if last is None:
            return following
        parted = any(last.lines[1] < text < block.first for text in self.texts)
        if following is None:
            return None if parted else last
        if parted and phase != "after":
            return following
        if self._heading_line(following) and last.lines[1] < self._heading_line(following) < block.first:
            return following if phase != "after" else last
        if phase == "before" and {(last.key, "before"), (last.key, "after")} & self.said:
            return following
        return last

    def _heading_line(self, run: DraftRun) -> int:
        return self.namer.label_line.get(int(run.key[1:].split(".")[0]), 0)

    def _of_the_machine(self, index: int) -> bool:
        """Memory shown next to the CPU's data sheet is a data sheet too."""
        if self.blocks[index].values.get("processes") is not None:
            return False
        near = [i for i in (index - 1, index + 1) if 0 <= i < len(self.blocks)]
        return any(self._sheet(self.blocks[i]) and self._close(index, i) for i in near)

    def _close(self, one: int, other: int) -> bool:
        first, second = sorted((one, other))
        return self.blocks[second].first - self.blocks[first].last <= 6

    @staticmethod
    def _sheet(block: Block) -> bool:
        kinds = [type(record) for record in block.records[:2]]
        return (
            bool(kinds)
            and not any(kind in (SystemSample, ProcessSample, LoadResult) for kind in kinds)
            and bool(getattr(block.records[0], "cpu_model", None))
        )

    def _default(self, block: Block, group: Sequence[int], ahead: bool) -> str:
        """Without a word in the heading: a screen of a busy machine was taken during the load."""
        sample = next((r for r in block.records if isinstance(r, SystemSample)), None)
        busy = sample is not None and sample.metrics.get("load1", 0.0) >= _BUSY_LOAD
        tools = any(isinstance(r, ProcessSample) and r.group in _LOAD_TOOLS for r in block.records)
        if sample is not None and "load1" not in sample.metrics:  # rows of a screen without its summary
            busy = any(isinstance(r, ProcessSample) and (r.cpu_pct or 0) >= _BUSY_PCT for r in block.records)
        if busy or tools or (sample is not None and "cpu_us" in sample.metrics and len(group) > 1):
            return "during"
        return "before" if ahead else "after"


def place_texts(experiment: DraftExperiment, blocks: Sequence[Block], texts: Sequence[int], namer: Namer) -> None:
    """Append the config texts. One shown right before a run is its config's, unless it can only be everybody's."""
    runs = sorted(experiment.runs, key=lambda run: run.lines)
    following = {i: next((r for r in runs if r.lines[0] > blocks[i].first), None) for i in texts}
    firsts = {i: r for i, r in following.items() if r is not None}
    gaps = {r.key for r in firsts.values()}
    for i in texts:
        block = blocks[i]
        path = str(block.values.get("path") or "")
        run = following[i]
        own = run is not None and (len(gaps) > 1 or run is not runs[0])
        config = _of_family(path, runs, namer) or (run.config if own and run else "")
        text = str(block.values.get("text", ""))
        experiment.texts.append(DraftText(key=f"b{i}", config=config, path=path, text=text, lines=block.lines))


def _of_family(path: str, runs: Sequence[DraftRun], namer: Namer) -> str:
    """The one config whose runs met the server that this path is of."""
    words = next((w for w in _FAMILIES if any(word in path.lower() for word in w)), None)
    if words is None:
        return ""
    every = {run.config for run in runs}
    met = set()
    for run in runs:
        software = (namer.result_of(int(run.key[1:].split(".")[0])).server_software or "").lower()
        if any(word in software for word in words):
            met.add(run.config)
    return met.pop() if len(met) == 1 < len(every) else ""
