"""Processes over many looks: rows go into arrays by column, and each process's part of them is packed now and then."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parsers import ProcessSample

from ..series_packing import Floats, Integers, pack_points
from .table import PER_PROCESS, Rows
from .track import HUGE, Track, Who, extend

MOST = 20_000
MOST_PROGRAMS = 1_000
PART = 250_000  # rows that are kept as they are before they are packed
Slots = NDArray[np.int32]
Key = tuple[Any, Any, Any]  # pid, user, command as they were printed
Keys = frozenset[Key]


class Processes:
    """Series of every process of a capture. Who it is: pid, user and command, so that a pid that another took is another.

    who            by number, in the order in which they were first seen
    first_further  the look from which on further processes were added up by program, None where all have their own series
    """

    def __init__(self, seen: Keys = frozenset()) -> None:
        """seen: processes that have series elsewhere, which count for the bound."""
        self._seen = seen
        self._room = MOST - len(seen)
        self.who: list[Who] = []
        self.first_further: int | None = None
        self.tracks: dict[tuple[int, str], Track] = {}
        self._numbers: dict[Key, int] = {}
        self._programs: dict[str, int] = {}
        self._empty()

    def _empty(self) -> None:
        self._slots = array("i")
        self._looks: list[tuple[int, int]] = []  # with the number of rows of each
        self._figures = {metric: array("d") for metric in PER_PROCESS}

    def keys(self) -> Iterable[Key]:
        return self._numbers

    def add(self, look: int, rows: Rows) -> None:
        """Take in the processes of one look; looks come in order."""
        n = len(rows.pids)
        keys = zip(rows.pids, rows.users, rows.commands, strict=True)
        try:
            self._slots.fromlist(list(map(self._numbers.__getitem__, keys)))
        except KeyError:
            self._slots.fromlist(self._placed(look, rows))
        self._looks.append((look, n))
        for metric, kept in self._figures.items():
            column = rows.figures.get(metric)
            extend(kept, [math.nan] * n if column is None else column)
        if len(self._slots) >= PART:
            self.flush()

    def _placed(self, look: int, rows: Rows) -> list[int]:
        """The rows' numbers, with new ones for who was not seen before."""
        keys = zip(rows.pids, rows.users, rows.commands, strict=True)
        numbers = self._numbers
        return [numbers[key] if key in numbers else self._new(look, key) for key in keys]

    def _new(self, look: int, key: Key) -> int:
        slot = self._numbers.get(key)  # twice in one look: threads
        if slot is not None:
            return slot
        pid, user, command = key[0], str(key[1] or ""), str(key[2] or "")
        group = ProcessSample.group_of(command)
        if key not in self._seen:
            if self._room <= 0:
                return self._further(look, group)
            self._room -= 1
        self._numbers[key] = len(self.who)
        self.who.append((pid, user, command, group))
        return self._numbers[key]

    def _further(self, look: int, group: str) -> int:
        """The number under which further processes of a program are added up; pid 0 is nobody's."""
        if self.first_further is None:
            self.first_further = look
        program = group if group in self._programs or len(self._programs) < MOST_PROGRAMS else ""
        if program not in self._programs:
            self._programs[program] = len(self.who)
            self.who.append((0, "", f"further processes{' of ' if program else ''}{program}", program))
        return self._programs[program]

    def flush(self) -> None:
        """Pack what came in since the last time."""
        if not self._slots:
            return
        slots, looks = np.array(self._slots), np.repeat(*np.array(self._looks).T)
        order = np.argsort(slots.astype(np.uint16) if len(self.who) < 2**16 else slots, kind="stable")  # a radix sort
        slots, looks = slots[order], looks[order]
        twice = (slots[1:] == slots[:-1]) & (looks[1:] == looks[:-1])
        again = bool(twice.any())
        ends = np.flatnonzero(np.append(~twice, True))
        added = np.isin(slots[ends], list(self._programs.values())) if again else np.zeros(0, bool)
        for metric, kept in self._figures.items():
            figures = np.array(kept)[order]
            figures[~(np.abs(figures) < HUGE)] = np.nan
            if again:
                self._pack(metric, slots[ends], looks[ends], _merged(figures, ends, added))
            else:
                self._pack(metric, slots, looks, figures)
        self._empty()

    def _pack(self, metric: str, slots: Slots, looks: Integers, figures: Floats) -> None:
        known = ~np.isnan(figures)
        if not known.all():
            slots, looks, figures = slots[known], looks[known], figures[known]
        if not len(slots):
            return
        starts = np.flatnonzero(np.diff(slots, prepend=np.int32(-1)))
        ends = np.append(starts[1:], len(slots))
        columns = zip(
            slots[starts].tolist(),
            starts.tolist(),
            ends.tolist(),
            np.minimum.reduceat(figures, starts).tolist(),
            np.maximum.reduceat(figures, starts).tolist(),
            figures[ends - 1].tolist(),
            np.add.reduceat(figures, starts).tolist(),
            strict=True,
        )
        for slot, start, end, *summary in columns:
            self.track(slot, metric).add(pack_points(looks[start:end], figures[start:end]), end - start, *summary)

    def track(self, slot: int, metric: str) -> Track:
        found = self.tracks.get((slot, metric))
        if found is None:
            found = self.tracks[slot, metric] = Track()
        return found

    def absorb(self, other: Processes, by: int) -> None:
        """Take in what another holds, whose looks are `by` later here than it numbered them. Both are packed first."""
        self.flush()
        other.flush()
        if other.first_further is not None and self.first_further is None:
            self.first_further = other.first_further + by
        mine = {who: slot for slot, who in enumerate(self.who)}
        for (slot, metric), track in other.tracks.items():
            who = other.who[slot]
            if who not in mine:
                mine[who] = len(self.who)
                self.who.append(who)
            self.track(mine[who], metric).absorb(track, by)

    def series(self) -> Iterator[tuple[Who, str, Track]]:
        """(who, metric, its figures), of each process all metrics together."""
        self.flush()
        for slot, metric in sorted(self.tracks):
            yield self.who[slot], metric, self.tracks[slot, metric]


def _merged(figures: Floats, ends: NDArray[np.intp], added: NDArray[np.bool_]) -> Floats:
    """One figure where a look has several of one series: the sum of those that are added up, the last of any other."""
    starts = np.append(0, ends[:-1] + 1)
    sums = np.add.reduceat(np.nan_to_num(figures), starts)
    none = np.add.reduceat((~np.isnan(figures)).astype(np.int64), starts) == 0
    return np.where(added & ~none, sums, figures[ends])
