"""A text to blocks and their draft. A fault of our own costs the block that it happens at, else the text alone.

The end of its worker and a limit of time end a reading early. What a worker reads says how far it is.
"""

from __future__ import annotations

import logging
import math
import mmap
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import monotonic, thread_time
from typing import Any

from django.db import OperationalError, connection
from django.db.models import F, QuerySet

import parsers
from parsers.blocks import UNFORESEEN, Block
from parsers.catalogue import formats
from parsers.records import ProcessSample, SystemSample
from parsers.tables import Table
from runs.database import read_database_now
from runs.drafts.draft import Draft, DraftCapture, Reading
from runs.drafts.recordings import Recording, read_recording
from runs.drafts.relate import relate
from runs.models import Upload
from runs.series.collecting import MAX_PROCESSES, CaptureSeries, ProcessKey, ProcessKeys, cut_series
from runs.series.samples import (
    MAX_SINGLE_SAMPLES,
    FoldedBlock,
    SampleGrouper,
    collect_series,
    list_process_keys,
    too_many_processes,
)

from .edits import Edits, apply_edits
from .hints import Hints, apply_hints
from .text_storage import Text
from .validation import Broken, rejected, takes_worker

MOST_BLOCKS = 50_000
OnProgress = Callable[[int, int], None]  # called with the numbers of bytes and of blocks read since the last call
log = logging.getLogger(__name__)

MAX_SHARED_TEXTS = 100_000


def ignore_progress(n_bytes: int, n_blocks: int) -> None:
    """An OnProgress that does nothing."""


def read(
    text: Text,
    *,
    hints: Hints,
    edits: Edits | None = None,
    on_progress: OnProgress = ignore_progress,
    at_once: int = MOST_BLOCKS,
) -> Reading:
    """Blocks, draft with hints and edits, and problems of the text.

    Raises Rejected 400 for edits that do not fit, and 413 for a text of too many blocks; Broken for a fault of our own;
    TooSlow for one of more blocks, with the prose between them, than are related `at_once`.
    """
    blocks = read_blocks(text, on_progress, at_once)
    return draft_blocks(blocks, text, hints=hints, edits=edits, strict=True)


def read_blocks(
    text: Text, on_progress: OnProgress = ignore_progress, at_once: float = math.inf
) -> list[parsers.Block]:
    """What the parsers recognise in it. Raises Rejected 413 where that is too much to keep in memory, TooSlow, and Broken."""
    parsed = parsers.read(parsers.Text(text.pieces(lambda n_bytes: on_progress(n_bytes, 0))))
    blocks: list[parsers.Block] = []
    n_lines = 0
    try:
        for block in fold_samples(_count_blocks(parsed, on_progress)):
            if len(blocks) == MOST_BLOCKS:
                more = f"More than {MOST_BLOCKS} reports and screens in this text"
                raise rejected(413, f"{more}: the next one begins here. Send it in parts.", line=block.first)
            blocks.append(block)
            n_lines += len(block.trail)
            if takes_worker(len(blocks), n_lines, at_once):
                raise TooSlow
    except UNFORESEEN as failure:
        raise Broken(failure) from failure
    return blocks


def _count_blocks(blocks: Iterable[parsers.Block], on_progress: OnProgress) -> Iterator[parsers.Block]:
    for block in blocks:
        on_progress(0, 1)
        yield block


def draft_blocks(
    blocks: list[parsers.Block], text: Text, *, hints: Hints, edits: Edits | None, strict: bool
) -> Reading:
    """strict False leaves out edits that do not fit. Raises Broken."""
    try:
        draft = _relate(blocks, text.n_lines, read_recording(text))
        if draft.unread:
            draft.unread = list(text.skip_blank_lines(draft.unread))
        apply_hints(draft, hints)
        if edits:
            draft = apply_edits(draft, edits, strict=strict)
    except UNFORESEEN as failure:
        raise Broken(failure) from failure
    return Reading(blocks, draft, [problem for block in blocks for problem in block.problems])


def collect_samples(reading: Reading, on_progress: OnProgress, most_processes: float = math.inf) -> None:
    """Collect and pack what captures hold before it is stored: SQLite lets nobody else write meanwhile.

    Raises Broken, and TooSlow for more than `most_processes` processes.
    """
    captures = [capture for drafted in reading.draft.experiments for capture in drafted.captures]
    parts = defaultdict[str, list[DraftCapture]](list)
    for part in captures:
        if part.span is not None:
            parts[part.whole].append(part)
    try:
        for capture in captures:
            if capture.span is not None:
                continue
            samples = collect_series(reading.blocks[int(key.removeprefix("b"))] for key in capture.blocks)
            own = parts[capture.key]
            capture_serieses = [samples, *cut_series(samples, [part.span for part in own if part.span])]
            most_processes -= sum(len(each.process_keys()) for each in capture_serieses)
            if most_processes < 0:
                raise TooSlow
            samples.flush()
            reading.samples.update(zip(map(id, [capture, *own]), capture_serieses, strict=True))
            on_progress(0, 0)
    except UNFORESEEN as failure:
        raise Broken(failure) from failure


def _relate(blocks: list[parsers.Block], n_lines: int, recording: Recording | None) -> Draft:
    """The draft; blocks that cannot be related by themselves are given up, so that the others are."""
    try:
        return relate(blocks, n_lines, recording)
    except UNFORESEEN:
        log.exception("The blocks of a text of %d lines cannot be related; those at fault are looked for.", n_lines)
        _give_up_faulty(blocks, n_lines)
        return relate(blocks, n_lines, recording)


def _give_up_faulty(blocks: list[parsers.Block], n_lines: int) -> None:
    """Halve what cannot be related until single blocks are left, and give these up."""
    try:
        relate(blocks, n_lines)
    except UNFORESEEN as failure:
        if len(blocks) == 1:
            blocks[0].fail(failure)
            return
        middle = len(blocks) // 2
        _give_up_faulty(blocks[:middle], n_lines)
        _give_up_faulty(blocks[middle:], n_lines)


def kinds() -> dict[str, str]:
    """What is recognised: each kind of output, and what that is in a few words."""
    return {kind: form.about for kind, form in sorted(formats().items())}


def describe_nothing_found(blocks: Sequence[parsers.Block], n_lines: int) -> str:
    """What is said of a text in which nothing was recognised, with the lines that should have been; "" of any other."""
    if any(block.values for block in blocks):
        return ""
    tools = ", ".join(kind for kind, form in sorted(formats().items()) if form.syntax and form.programs)
    lines = "line" if n_lines == 1 else "lines"
    return (
        f"Nothing was recognised in {n_lines} {lines}. Expected the report of a load test ({tools}), rates in a list or table, "
        "the output of monitors, a description of a machine, or config files. The home page lists all formats."
        + "".join(f" Line {problem.line}: {problem.message}." for block in blocks for problem in block.problems)
    )


CHECK_EVERY_S = 0.5
READING_S, READING_S_PER_MIB = 60, 5  # of a large text, in all; a usual one is read in a tenth of a second a MiB
AT_ONCE_S = 10  # of a processor, for a text that somebody waits for
FORESEEN = 0.1  # of it, after which the rest of the text is expected to take as long a byte
# Relating a block takes up to 1 ms.
PREVIEW_BLOCKS = 5_000
AT_ONCE_LINES = 40_000  # what tools print has longer lines
AT_ONCE_PROCESSES = 5_000  # each has some five series, of which each takes up to 0.2 ms to pack and to store


class ReadingStopped(BaseException):
    """The worker is asked to end. No Exception: nothing that guards a part of a reading may take it for that part's failure."""


_stopping = mmap.mmap(-1, 1)  # shared with the processes of a worker's pool, which are forked


def stop_reading() -> None:
    """Have all readers of this worker put their texts back into the queue. May be called by a signal's handler."""
    _stopping[0] = 1


@contextmanager
def end_with_worker(limit_s: float) -> Iterator[None]:
    """ReadingStopped is raised in it soon after `stop_reading`, whatever goes on there: rows are stored for long, too; and TooSlow
    after so many seconds of a processor, which a busy machine does not shorten.
    """
    end = thread_time() + limit_s

    def check(*_: Any) -> None:
        if _stopping[0] or thread_time() > end:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise ReadingStopped if _stopping[0] else TooSlow

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, check)
    signal.setitimer(signal.ITIMER_REAL, CHECK_EVERY_S, CHECK_EVERY_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class TooSlow(Exception):
    """Reading takes longer than a text of its size may."""


def most_reading_s(size_bytes: int) -> int:
    """Seconds of a processor after which the reading of a queued text is given up."""
    return READING_S + READING_S_PER_MIB * size_bytes // 2**20


def limit_time(size_bytes: int) -> OnProgress:
    """For a text that somebody waits for: raises TooSlow once this thread has worked on it for too long, or soon where it will."""
    begun, n_read = thread_time(), 0

    def check(n_bytes: int, n_blocks: int) -> None:
        nonlocal n_read
        n_read += n_bytes
        spent = thread_time() - begun
        is_slow = n_bytes and spent > AT_ONCE_S * FORESEEN and spent * size_bytes > AT_ONCE_S * n_read
        if spent > AT_ONCE_S or is_slow:
            raise TooSlow

    return check


# --- how far a worker is ------------------------------------------------------------------------------------------------

REPORT_EVERY_S = 1.0
RELATING = timedelta(milliseconds=10)  # a block's share of what relating takes, in which nothing is written


class Superseded(Exception):
    """The text was cancelled, or another worker reads it."""


class Reader:
    """Writes the progress of one text about once a second, by an UPDATE of its own outside any transaction.

    `seen_at` as it wrote it last is its claim: a reader that finds another value there was cancelled, or was so slow that
    another took over. It is the database's time (workers' clocks differ), and ahead by what relating the blocks may take.
    """

    def __init__(self, upload_id: int, claimed_at: datetime) -> None:
        self.upload_id = upload_id
        self.n_bytes = self.n_blocks = 0
        self.claimed_at = claimed_at
        self._next = monotonic() + REPORT_EVERY_S

    def add_progress(self, n_bytes: int, n_blocks: int) -> None:
        """So much more was read. Raises Superseded."""
        self.n_bytes += n_bytes
        self.n_blocks += n_blocks
        if monotonic() >= self._next:
            self.save_progress()

    def save_progress(self) -> None:
        """Write how far it is. Raises Superseded. Where the database is busy the next call writes it."""
        self._next = monotonic() + REPORT_EVERY_S
        claimed_at = read_database_now() + self.n_blocks * RELATING
        try:
            n_updated = self._mine.update(bytes_read=self.n_bytes, n_blocks=self.n_blocks, seen_at=claimed_at)
        except OperationalError:
            return
        if not n_updated:
            raise Superseded
        self.claimed_at = claimed_at

    def put_back(self) -> None:
        """Into the queue, as if it had not been tried."""
        if not connection.in_atomic_block:
            connection.close()  # it may have been stopped in the middle of an answer
        progress = {"bytes_read": 0, "n_blocks": 0, "seen_at": read_database_now()}
        self._mine.update(status=Upload.Status.QUEUED, attempts=F("attempts") - 1, **progress)

    @property
    def _mine(self) -> QuerySet[Upload]:
        return Upload.objects.filter(pk=self.upload_id, status=Upload.Status.PARSING, seen_at=self.claimed_at)


# --- samples are folded while the text is read -----------------------------------------------------------------------------


def fold_samples(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks in order, with the samples of one command beyond the first 20 as one block that spans their lines.

    Other blocks, load tests above all, stay as they are, and end what stands before them.
    """
    grouper, counts, seen = SampleGrouper(), defaultdict[int, int](int), _SeenProcesses()
    is_monitor: dict[str, bool] = {}  # by kind, from the records of its first block
    folded: dict[int, FoldedBlock] = {}
    texts: dict[str, str] = {}
    for block in blocks:
        if block.kind not in is_monitor and (records := block.records):
            is_monitor[block.kind] = not {SystemSample, ProcessSample}.isdisjoint(map(type, records))
        if not is_monitor.get(block.kind) and "processes" not in block.values:
            grouper.interrupt()
            yield from _close(folded, seen)
            yield block
            continue
        number = grouper.number(block)
        if number in folded:
            folded[number].add(block)
        elif counts[number] < MAX_SINGLE_SAMPLES:
            yield from _close(folded, seen)
            seen.keep_only(grouper.open_numbers())
            seen.add_block(number, block)
            _share_texts(block, texts)
            yield block
        else:
            folded[number] = _fold(block, counts[number], seen.of(number))
        counts[number] += 1
    yield from _close(folded, seen)


def _fold(block: Block, n_before: int, seen: ProcessKeys) -> FoldedBlock:
    origin = (block.heading, block.heading_line, block.label, block.command, block.command_line, block.prompt_host)
    folded = FoldedBlock(
        block.kind,
        block.first,
        block.last,
        {},
        *origin,
        block.trail,
        above=block.above,
        typed=block.typed,
        shown=block.shown,
        shown_behind=block.shown_behind,
    )
    folded.series, folded.limit_reported = CaptureSeries(n_before, seen), len(seen) > MAX_PROCESSES
    folded.add(block)
    return folded


def _close(folded: dict[int, FoldedBlock], seen: _SeenProcesses) -> Iterator[FoldedBlock]:
    """The folded blocks so far, in the order of the text; samples behind them are folded into new ones."""
    for number, block in sorted(folded.items(), key=lambda item: item[1].first):
        block.series.flush()
        seen.add(number, block.series.process_keys())
        yield block
    folded.clear()


class _SeenProcesses:
    """The processes in earlier blocks of each command, so that one limit holds for all its samples."""

    def __init__(self) -> None:
        self._keys: dict[int, ProcessKeys] = {}

    def of(self, number: int) -> ProcessKeys:
        return self._keys.get(number, frozenset())

    def keep_only(self, numbers: Container[int]) -> None:
        self._keys = {number: keys for number, keys in self._keys.items() if number in numbers}

    def add(self, number: int, keys: Iterable[ProcessKey]) -> None:
        self._keys[number] = self.of(number) | frozenset(keys)

    def add_block(self, number: int, block: Block) -> None:
        """Add the processes of a sample that stays a block; the one that exceeds the limit gets a problem."""
        table = block.values.get("processes")
        if not isinstance(table, Table) or len(self.of(number)) > MAX_PROCESSES:
            return
        self.add(number, list_process_keys(table)[: MAX_PROCESSES + 1])
        if len(self.of(number)) > MAX_PROCESSES:
            block.problems.append(too_many_processes(block.first))


def _share_texts(block: Block, texts: dict[str, str]) -> None:
    """Keep each text of the process tables in memory only once."""
    table = block.values.get("processes")
    if isinstance(table, Table):
        if len(texts) > MAX_SHARED_TEXTS:
            texts.clear()
        for name, column in table.columns.items():
            if column and isinstance(column[0], str):
                table.columns[name] = [texts.setdefault(text, text) for text in column]
