"""Hours of screens as a few blocks: the first of each command as they are, all others as one that holds their figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from parsers import Block, Problem, ProcessSample, SystemSample
from parsers.tables import Table

from .processes import MOST, Key, Keys
from .rounds import Rounds
from .samples import Samples
from .table import rows_of

FEW = 20  # looks of a command that stay blocks, for whoever quotes or edits one of them
MOST_PROBLEMS = 500


@dataclass(slots=True)
class Folded(Block):
    """Consecutive looks of one command in one block: its `values` are the last one's, `samples` are all of them.

    n_looks  how many
    told     whether it was said before that there are too many processes
    """

    samples: Samples = field(default_factory=Samples)
    told: bool = False

    @property
    def n_looks(self) -> int:
        return self.samples.n - self.samples.first

    def take(self, block: Block) -> None:
        """Take in the next look."""
        further = self.samples.further
        self.samples.add(block)
        self.last, self.values, self.below = block.last, block.values, block.below
        self.partial = self.partial or block.partial
        problems = block.problems
        if further is None and self.samples.further is not None and not self.told:
            problems = [too_many(block.first), *problems]
        self._note(problems)

    def _note(self, problems: Iterable[Problem]) -> None:
        """Keep problems, and of a log that has one on every screen not all."""
        for problem in problems:
            if len(self.problems) < MOST_PROBLEMS:
                self.problems.append(problem)
            elif len(self.problems) == MOST_PROBLEMS:
                self.problems.append(Problem(problem.line, "more problems from here on are not listed"))


def n_looks(block: Block) -> int:
    """How many looks a monitor's block stands for."""
    return block.n_looks if isinstance(block, Folded) else 1


def samples_of(blocks: Iterable[Block]) -> Samples:
    """The looks of a capture's blocks, some of which may be folded."""
    samples = Samples()
    for block in blocks:
        if isinstance(block, Folded):
            samples.absorb(block.samples)
        else:
            samples.add(block)
    return samples


def too_many(line: int) -> Problem:
    """What is said where a log has more processes than get series of their own."""
    return Problem(line, f"more than {MOST:,} processes: from here on further ones are added up by program")


def folded(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks in order, with the looks of one command beyond the first 20 as one block that spans their lines.

    What is no monitor's, a load test above all, stays as it is, and ends what stands before it.
    """
    rounds, counts, seen, kinds = Rounds(), defaultdict[int, int](int), _Seen(), _Monitors()
    folds: dict[int, Folded] = {}
    texts: dict[str, str] = {}
    for block in blocks:
        if not kinds.has(block):
            rounds.interrupted()
            yield from _closed(folds, seen)
            yield block
            continue
        number = rounds.number(block)
        if number in folds:
            folds[number].take(block)
        elif counts[number] < FEW:
            yield from _closed(folds, seen)
            seen.keep(rounds.open_numbers())
            seen.note(number, block)
            yield _slim(block, texts)
        else:
            folds[number] = _fold(block, counts[number], seen.of(number))
        counts[number] += 1
    yield from _closed(folds, seen)


def _fold(block: Block, looks_before: int, seen: Keys) -> Folded:
    around = (block.heading, block.heading_line, block.label, block.command, block.command_line, block.prompt_host)
    fold = Folded(block.kind, block.first, block.last, {}, *around, block.trail, above=block.above, typed=block.typed)
    fold.samples, fold.told = Samples(looks_before, seen), len(seen) > MOST
    fold.take(block)
    return fold


def _closed(folds: dict[int, Folded], seen: _Seen) -> Iterator[Folded]:
    """What is folded so far, in the order of the text; screens that go on behind it are folded anew."""
    for number, fold in sorted(folds.items(), key=lambda item: item[1].first):
        fold.samples.flush()
        seen.add(number, fold.samples.keys())
        yield fold
    folds.clear()


class _Monitors:
    """Knows which kinds of blocks are looks: by the records of the first of each."""

    def __init__(self) -> None:
        self._kinds: dict[str, bool] = {}

    def has(self, block: Block) -> bool:
        known = self._kinds.get(block.kind)
        if known is None and (records := block.records):
            known = self._kinds[block.kind] = any(isinstance(one, SystemSample | ProcessSample) for one in records)
        return known or "processes" in block.values


class _Seen:
    """The processes in the looks that are stored already, so that one bound holds for all looks of a command."""

    def __init__(self) -> None:
        self._who: dict[int, Keys] = {}

    def of(self, number: int) -> Keys:
        return self._who.get(number, frozenset())

    def keep(self, numbers: Container[int]) -> None:
        """Forget those of all other commands."""
        self._who = {number: who for number, who in self._who.items() if number in numbers}

    def add(self, number: int, keys: Iterable[Key]) -> None:
        self._who[number] = self.of(number) | frozenset(keys)

    def note(self, number: int, block: Block) -> None:
        """Take in a look that stays a block; where it has one process too many, it says so."""
        table = block.values.get("processes")
        before = self.of(number)
        if not isinstance(table, Table) or len(before) > MOST:
            return
        rows = rows_of(table)
        self.add(number, islice(zip(rows.pids, rows.users, rows.commands, strict=True), MOST + 1))
        if len(self.of(number)) > MOST:
            block.problems.append(too_many(block.first))


def _slim(block: Block, texts: dict[str, str]) -> Block:
    """The block with each text of its table there only once for all tables."""
    table = block.values.get("processes")
    if isinstance(table, Table):
        if len(texts) > 100_000:
            texts.clear()
        for name, column in table.columns.items():
            if column and isinstance(column[0], str):
                table.columns[name] = [texts.setdefault(text, text) for text in column]
    return block
