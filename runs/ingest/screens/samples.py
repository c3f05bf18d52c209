"""The looks of one capture, by column and packed while they come in, so that hours of them take a few MB."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator

import numpy as np

from parsers import Block

from .clock import running, seconds
from .processes import Key, Keys, Processes
from .table import Reader
from .track import SYSTEM, Metrics, Track, Who


class Samples:
    """Looks `first` to `n` - 1 of a capture.

    clock_first, clock_last  as printed, "" where no look has a clock
    further                  the look from which on processes were added up by program, None where none were
    """

    def __init__(self, first: int = 0, seen: Keys = frozenset()) -> None:
        """seen: processes of the looks before the first, which have series of their own already."""
        self.first = self.n = first
        self.clock_first = self.clock_last = ""
        self._clock = array("d")
        self._metrics = Metrics()
        self._processes = Processes(seen)
        self._reader = Reader()

    @property
    def further(self) -> int | None:
        return self._processes.first_further

    def keys(self) -> Iterable[Key]:
        """(pid, user, command) of each process that has series of its own."""
        return self._processes.keys()

    def add(self, block: Block) -> None:
        """Take in a block's looks."""
        for look in self._reader.looks(block):
            self._tick(look.clock)
            if look.metrics:
                self._metrics.add(self.n, look.metrics)
            if look.rows.pids:
                self._processes.add(self.n, look.rows)
            self.n += 1

    def _tick(self, clock: str | None) -> None:
        self._clock.append(seconds(clock))
        if clock:
            self.clock_first = self.clock_first or clock
            self.clock_last = clock

    def flush(self) -> None:
        """Pack what came in last."""
        self._metrics.flush()
        self._processes.flush()

    def absorb(self, other: Samples) -> None:
        """Take in the looks of another, behind those that are there."""
        by = self.n - other.first
        self.flush()
        other.flush()
        for name, track in other._metrics.tracks.items():
            self._metrics.track(name).absorb(track, by)
        self._processes.absorb(other._processes, by)
        self._clock.extend(other._clock)
        self.clock_first = self.clock_first or other.clock_first
        self.clock_last = other.clock_last or self.clock_last
        self.n += other.n - other.first

    def series(self) -> Iterator[tuple[Who, str, Track]]:
        """(who, metric, figures) of the machine, its clock, and its processes."""
        self.flush()
        for name, track in self._metrics.tracks.items():
            if name != "clock_s":
                yield SYSTEM, name, track
        clock = running(np.array(self._clock))
        looks = np.flatnonzero(~np.isnan(clock))
        if len(looks):
            track = Track()
            track.pack(looks + self.first, clock[looks])
            yield SYSTEM, "clock_s", track
        yield from self._processes.series()

    def digest(self) -> bytes:
        """The same for the same figures of the same processes at the same times."""
        summed = hashlib.sha256()
        for who, metric, track in self.series():
            summed.update(repr((who, metric)).encode("utf-8", "surrogatepass") + track.packed)
        return summed.digest()
