"""Hours of screens as a few blocks: the first of each command as they are, all others as one that holds their figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from parsers import Block, Problem
from parsers.table import Table

from .processes import MOST
from .rounds import Rounds
from .samples import Samples

FEW = 20  # looks of a command that stay blocks, for whoever quotes or edits one of them
MOST_PROBLEMS = 500


@dataclass(slots=True)
class Folded(Block):
    """Consecutive looks of one command in one block: its `values` are the last one's, `samples` are all of them.

    n_looks  how many
    """

    samples: Samples = field(default_factory=Samples)

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
        if further is None and self.samples.further is not None:
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
    """The blocks in order, with the looks of one command beyond the first 20 as one block that spans their lines."""
    rounds, counts, seen = Rounds(), defaultdict[int, int](int), _Seen()
    folds: dict[int, Folded] = {}
    texts: dict[str, str] = {}
    for block in blocks:
        number = rounds.number(block)
        if number in folds:
            folds[number].take(block)
        elif counts[number] < FEW:
            yield from _closed(folds)
            seen.note(number, block)
            yield _slim(block, texts)
        else:
            folds[number] = _fold(block, counts[number])
        counts[number] += 1
    yield from _closed(folds)


def _fold(block: Block, looks_before: int) -> Folded:
    around = (block.heading, block.heading_line, block.label, block.command, block.command_line, block.prompt_host)
    fold = Folded(block.kind, block.first, block.last, {}, *around, block.trail, above=block.above)
    fold.samples = Samples(looks_before)
    fold.take(block)
    return fold


def _closed(folds: dict[int, Folded]) -> Iterator[Folded]:
    """What is folded so far, in the order of the text; screens that go on behind it are folded anew."""
    for fold in sorted(folds.values(), key=lambda fold: fold.first):
        fold.samples.flush()
        yield fold
    folds.clear()


class _Seen:
    """Counts the processes in the looks that stay blocks, so that too many of them are told before they are stored."""

    def __init__(self) -> None:
        self._number = 0
        self._who: set[tuple[object, ...]] = set()

    def note(self, number: int, block: Block) -> None:
        table = block.values.get("processes")
        if number != self._number:
            self._number, self._who = number, set()
        if not isinstance(table, Table) or len(self._who) > MOST:
            return
        columns = [table.columns[name] for name in ("pid", "user", "command") if name in table.columns]
        self._who.update(islice(zip(*columns, strict=True), MOST + 1))
        if len(self._who) > MOST:
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
