"""What a draft's keys mean in the blocks: loads, and monitors as packed series, a row a metric of system or process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parsers import Block, LoadResult
from runs.models import Capture, Series

from .fitting import fitted
from .screens import Samples
from .timings import told


class Loads:
    """A text's load tests by the keys of its runs; "b3.1" is the second of a block's, as in a log."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks
        self.results: dict[int, list[LoadResult]] = {}  # of a log with a thousand rows, made once

    def of(self, key: str) -> tuple[Block, LoadResult, dict[str, object]]:
        """Block, record (completed from its command) and figures of a run."""
        name, _, row = key.partition(".")
        number = int(name.removeprefix("b"))
        block = self.blocks[number]
        if number not in self.results:
            self.results[number] = block.load_results
        rows = block.values.get("rows")
        values = rows[int(row)] if row and isinstance(rows, list) else told(block)
        return block, self.results[number][int(row or 0)], values


def series_of(capture: Capture, samples: Samples) -> Iterator[Series]:
    """Unsaved rows for a capture; where a look lacks the figure its series has a gap."""
    names: dict[object, dict[str, object]] = {}  # of the process before: all its metrics come together
    for who, metric, track in samples.series():
        if who not in names:
            pid, user, command, group = who
            names = {who: fitted(Series, pid=pid, user=user, command=command, group=group)}
        yield Series(
            capture=capture,
            **fitted(Series, metric=metric),
            **names[who],
            n=track.n,
            min=track.low,
            mean=track.mean,
            max=track.high,
            last=track.last,
            samples=track.packed,
        )
