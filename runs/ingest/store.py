"""A draft and its blocks to rows: by kind of record, never by tool. The caller holds the transaction."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Field, Max
from django.utils import timezone

from parsers.blocks import UNFORESEEN, Block
from parsers.catalogue import find_cited_lines
from parsers.records import LoadResult
from runs.analysis.facts import FIGURES
from runs.database import parse_id
from runs.drafts.draft import DraftCapture, DraftExperiment, DraftRun, Reading
from runs.drafts.recordings import BUILD
from runs.models import Build, Capture, Config, ConfigText, Experiment, Override, Run, Series, Timing, Upload
from runs.series import clocks
from runs.series.collecting import CaptureSeries, cut_series
from runs.series.samples import ROW_TABLES, collect_series

from . import counters, timings
from .configs import Placement, delete_empty, describe_load, make_fingerprint
from .validation import Broken, clean_json, truncate

BATCH = 500
AHEAD = timedelta(days=1)  # zones without an offset are taken for UTC
CAPTURES_IN_MEMORY = 50  # whose samples are unpacked at the same time
WRITTEN = ("status", "error", "blocks", "problems", "unread", "edits", "placed", "parser_version")


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The runs and captures of one upload as they were just written, with experiment, config and host in memory."""

    runs: list[Run] = field(default_factory=list)
    captures: list[Capture] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)


class Previous(NamedTuple):
    """What a row keeps that is read from the same lines again."""

    pk: int
    created_at: datetime
    config_id: int | None
    repeat: int


PreviousRows = dict[tuple[int, str], list[Previous]]  # by first line and tool, in the order of the text


def store(upload: Upload, reading: Reading) -> StoredRows:
    """Insert an upload that is not saved yet with its results, or replace the results that it has.

    Rows read from the same lines keep their ids. Raises IntegrityError where a new upload's text is there already.
    """
    upload.status = Upload.Status.PARTIAL if reading.problems else Upload.Status.READY
    upload.error = ""
    upload.blocks = [{"kind": b.kind, "lines": [b.first, b.last], "partial": b.partial} for b in reading.blocks]
    upload.problems = clean_json([{"line": problem.line, "message": problem.message} for problem in reading.problems])
    upload.unread = [list(span) for span in reading.draft.unread]
    return _Writer(upload, reading).write()


def make_rows(upload: Upload, reading: Reading) -> None:
    """Make what `store` inserts as far as it can be made without the database: SQLite lets nobody else write meanwhile."""
    drafted = [run for experiment in reading.draft.experiments for run in experiment.runs]
    try:
        loads, dates = LoadTests(reading.blocks), clocks.find_dates(reading.blocks) if drafted else []
        reading.runs.update({run.key: _make_run(upload, run, loads, dates) for run in drafted})
    except UNFORESEEN as failure:
        raise Broken(failure) from failure


def write_unread(upload: Upload, *, status: Upload.Status, error: str = "") -> None:
    """Save a text of which nothing is stored."""
    upload.status, upload.error = status, error
    upload.save()


class LoadTests:
    """A text's load tests by the keys of its runs; "b3.1" is the second one of block 3, as in a log."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks
        self._results: dict[int, list[LoadResult]] = {}  # parsed once for a log with a thousand rows

    def find(self, key: str) -> tuple[Block, LoadResult, dict[str, object]]:
        """Block, record (completed from its command) and figures of a run."""
        name, _, row = key.partition(".")
        number = int(name.removeprefix("b"))
        block = self.blocks[number]
        if number not in self._results:
            self._results[number] = block.load_results
        rows = block.values.get("rows")
        values = rows[int(row)] if row and isinstance(rows, list) else timings.read_printed_values(block)
        return block, self._results[number][int(row or 0)], values


def compute_figures(run: DraftRun, block: Block, result: LoadResult, values: dict[str, object]) -> dict[str, Any]:
    """The columns of Run that the text alone gives, out of what `LoadTests.find` has of it."""
    own = {"label": run.label, "note": run.note, "repeat": run.repeat, "command": block.command}
    return {
        **truncate(Run, values=values, **own, **{name: getattr(result, name) for name in FIGURES}),
        "counted": run.counted,
        "most_repeats": run.most_repeats,
        "partial": block.partial,
        "figure_lines": find_cited_lines(result.tool, block.figure_lines),
    }


def _make_run(
    upload: Upload, run: DraftRun, loads: LoadTests, dates: Sequence[tuple[int, datetime]]
) -> tuple[Run, list[object]]:
    """The row of a run, before it is known where it belongs, and how it was loaded."""
    block, result, values = loads.find(run.key)
    start, end = span = clocks.find_run_span(block, result, values, upload.hints.get("slot"))
    row = Run(
        **_describe_source(upload, run),
        **compute_figures(run, block, result, values),
        quotes=run.quotes,
        tags=upload.hints.get("tags", []) if run.tags is None else clean_json(run.tags),
        clock_start_s=start,
        clock_end_s=end,
        ran_at=_check_start(upload, clocks.find_start(block, values, span, dates)),
    )
    return row, describe_load(row)


def _describe_source(upload: Upload, item: Any) -> dict[str, Any]:
    """The columns that say where in the text a row stands."""
    return {"upload": upload, "block_key": item.key, "line_first": item.lines[0], "line_last": item.lines[1]}


def _check_start(upload: Upload, shown: datetime | None) -> datetime | None:
    """When a run began by the text, or else as its sender says. A clock that is ahead of the upload is wrong."""
    if shown is not None and shown <= (upload.created_at or timezone.now()) + AHEAD:
        return shown
    sent = upload.hints.get("at")
    return datetime.fromisoformat(sent) if sent else None


def _find_or_create_build(said: Mapping[str, str]) -> Build | None:
    if not said:
        return None
    fields = truncate(Build, **{name: said.get(name, "") for name in BUILD})
    key = hashlib.sha256("\0".join(fields.values()).encode()).hexdigest()
    return Build.objects.get_or_create(key=key, defaults=fields)[0]


class _Writer:
    """Writes one upload."""

    def __init__(self, upload: Upload, reading: Reading) -> None:
        self.upload = upload
        self.draft, self.samples, self.unplaced = reading.draft, reading.samples, reading.runs
        self.blocks = {f"b{number}": block for number, block in enumerate(reading.blocks)}
        self.placement = Placement(upload)
        self.build: Build | None = None
        self.runs: dict[str, Run] = {}
        self.repeats: dict[str, int] = {}  # of runs that were in the same config before
        self.hashes: dict[tuple[str, str], list[str]] = defaultdict(list)  # (experiment, config) keys -> text hashes

    def write(self) -> StoredRows:
        borrowed: Mapping[int, int] = {}
        overruled: Sequence[tuple[Override, set[int]]] = ()
        contributed: list[counters.Contribution] = []
        old_runs: PreviousRows = {}
        old_captures: PreviousRows = {}
        if self.upload.pk is not None:
            # Captures of other uploads that were put beside a run of this one.
            others = Capture.everything.filter(run__upload=self.upload).exclude(upload=self.upload)
            borrowed, overruled = dict(others.values_list("pk", "run_id")), _find_overruled(self.upload)
            contributed = list(counters.sum_contributions(self.upload.runs.all()).values())
            old_runs, old_captures = _read_previous(self.upload.runs.all()), _read_previous(self.upload.captures.all())
            for rows in (self.upload.captures, self.upload.runs, self.upload.configtexts, self.upload.timings):
                rows.all().delete()
        self.placement.find_or_create(self.draft)
        self.build = _find_or_create_build(self.upload.hints.get("build", {}))
        if self.upload._state.adding:  # after its experiments, so that a new one takes a single INSERT
            self.upload.save()
        else:
            self.upload.save(update_fields=WRITTEN)
        texts = self._write_texts()
        runs = self._write_runs(old_runs, contributed)
        captures = self._write_captures(old_captures)
        files, left = timings.store_timings(self.upload, self.draft, self.blocks, self.placement.experiments, self.runs)
        self.placement.refuse_deleted()
        if borrowed:
            _return_captures(borrowed)
        _move_overrides(overruled, runs)
        self._delete_empty([*texts, *runs, *captures], left)
        return StoredRows(runs, captures, files)

    def _place(self, drafted: DraftExperiment, config_key: str) -> tuple[Experiment, Config | None]:
        """The experiment and the config that an item belongs to; None: to the experiment as a whole."""
        config = self.placement.configs.get(config_key)
        return (config.experiment, config) if config else (self.placement.experiments[drafted.key], None)

    def _write_texts(self) -> list[ConfigText]:
        rows = []
        for drafted in self.draft.experiments:
            for text in drafted.texts:
                experiment, config = self._place(drafted, text.config)
                sha256 = hashlib.sha256(text.text.encode("utf-8", "surrogatepass")).hexdigest()
                self.hashes[drafted.key, text.config].append(sha256)
                own = truncate(ConfigText, path=text.path, text=text.text)
                rows.append(
                    ConfigText(
                        experiment=experiment,
                        config=config,
                        sha256=sha256,
                        **own,
                        **_describe_source(self.upload, text),
                    )
                )
        return ConfigText.objects.bulk_create(rows)

    def _write_runs(self, previous: PreviousRows, contributed: Iterable[counters.Contribution]) -> list[Run]:
        for drafted in self.draft.experiments:
            for run in drafted.runs:
                self.runs[run.key] = self._run(drafted, run, previous)
        if self.placement.slot is None:
            self._number_repeats()
        rows = list(self.runs.values())
        facets = counters.link_facets(rows)
        _insert(rows)
        counters.record_stored(rows, facets, contributed)
        return rows

    def _run(self, drafted: DraftExperiment, run: DraftRun, previous: PreviousRows) -> Run:
        row: Run
        row, load = self.unplaced[run.key]
        config = self.placement.configs[run.config]
        row.upload, row.experiment, row.config, row.build = self.upload, config.experiment, config, self.build
        row.host = self.placement.hosts.get(run.host) or self.placement.hosts.get(drafted.host)
        hashes = self.hashes[drafted.key, run.config] + self.hashes[drafted.key, ""]
        row.fingerprint = make_fingerprint(row, load, text_hashes=hashes)
        before = _reuse_id(row, previous, self.blocks[run.key.partition(".")[0]].first)
        if before is not None and before.config_id == config.pk:
            self.repeats[run.key] = before.repeat
        return row

    def _number_repeats(self) -> None:
        """Continue the count of other uploads. What a person set stays, and so does a number once given."""
        edits = self.upload.edits.get("blocks", {})
        shared = set(self.placement.configs.values()).difference(self.placement.new)
        last: dict[str, int] = {}
        if shared:
            others = Run.objects.filter(config__in=shared).exclude(upload=self.upload).order_by()
            last = dict(others.values_list("fingerprint").annotate(Max("repeat")))
        for key, run in self.runs.items():
            if run.repeat and "repeat" not in edits.get(key, {}):  # a warm-up's is 0
                run.repeat = self.repeats.get(key) or run.repeat + last.get(run.fingerprint, 0)

    def _write_captures(self, previous: PreviousRows) -> list[Capture]:
        drafts = [(drafted, capture) for drafted in self.draft.experiments for capture in drafted.captures]
        foreign = _get_runs_of_other_uploads(capture for _, capture in drafts) if drafts else {}
        rows: list[Capture] = []
        for first in range(0, len(drafts), CAPTURES_IN_MEMORY):
            sampled = []
            for drafted, capture in drafts[first : first + CAPTURES_IN_MEMORY]:
                samples = self.samples.pop(id(capture), None)
                if samples is None:
                    samples = collect_series(self.blocks[key] for key in capture.blocks)
                    samples = cut_series(samples, [capture.span])[0] if capture.span else samples
                row = self._make_capture(drafted, capture, samples)
                row.run = self.runs.get(capture.run) or foreign.get(capture.run)
                _reuse_id(row, previous, row.line_first)
                sampled.append((row, samples))
            rows += Capture.objects.bulk_create([row for row, _ in sampled], batch_size=BATCH)
            _insert(series for row, samples in sampled for series in make_series(row, samples))
        return rows

    def _make_capture(self, drafted: DraftExperiment, capture: DraftCapture, samples: CaptureSeries) -> Capture:
        blocks = [self.blocks[key] for key in capture.blocks]
        experiment, config = self._place(drafted, capture.config)
        own = {"tool": blocks[0].kind, "phase": capture.phase, "label": capture.label, "command": blocks[0].command}
        values = {
            name: value for name, value in blocks[-1].values.items() if name not in ROW_TABLES and not capture.span
        }
        return Capture(
            **_describe_source(self.upload, capture),
            **truncate(Capture, values=values, programs=samples.sum_programs() if samples.n > 1 else {}, **own),
            quotes=capture.quotes,
            experiment=experiment,
            config=config,
            host=self.placement.hosts.get(capture.host) or self.placement.hosts.get(drafted.host),
            partial=any(block.partial for block in blocks),
            n_samples=max(samples.n, 1),
            clock_first=samples.clock_first[:8],
            clock_last=samples.clock_last[:8],
        )

    def _delete_empty(self, rows: Iterable[ConfigText | Run | Capture], left: Iterable[int]) -> None:
        """Experiments (those in `left`, too) and configs that this upload once filled, and that hold nothing now."""
        experiments = {*self.upload.placed["experiments"].values(), *left}
        configs = set(self.upload.placed["configs"].values())
        for row in rows:
            experiments.discard(row.experiment_id)
            configs.discard(row.config_id)
        if experiments or configs:
            delete_empty(experiments, configs)


def make_series(capture: Capture, samples: CaptureSeries) -> Iterator[Series]:
    """Unsaved rows for a capture, one a metric of the system or of a process; a sample without the figure is a gap."""
    names: dict[object, dict[str, object]] = {}  # of one process at a time: all its metrics come together
    metrics: dict[str, dict[str, object]] = {}
    for who, metric, track in samples.series():
        if who not in names:
            pid, user, command, group = who
            names = {who: truncate(Series, pid=pid, user=user, command=command, group=group)}
        if metric not in metrics:
            metrics[metric] = truncate(Series, metric=metric)
        yield Series(
            capture=capture,
            **metrics[metric],
            **names[who],
            n=track.n,
            min=track.low,
            mean=track.mean,
            max=track.high,
            last=track.last,
            samples=track.packed,
        )


def _insert(rows: Iterable[Run | Series]) -> None:
    """Insert rows of one or several kinds, and set the ids of new ones.

    In a transaction of bulk_create with many rows, SQLite lets nobody else write for three times as long.
    """
    with connection.cursor() as cursor:
        for (model, is_new), group in groupby(rows, key=lambda row: (type(row), row.pk is None)):
            fields = [each for each in model._meta.concrete_fields if not (is_new and each.primary_key)]
            quote = connection.ops.quote_name
            table, *columns = map(quote, (model._meta.db_table, *(str(each.column) for each in fields)))
            one = f"({', '.join(['%s'] * len(fields))})"
            while batch := list(islice(group, BATCH)):
                values = zip(*(_prepare_column(each, batch) for each in fields), strict=True)
                places = ", ".join([one] * len(batch))
                sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {places} RETURNING id"  # noqa: S608  (names of ours)
                cursor.execute(sql, list(chain.from_iterable(values)))
                for row, (pk,) in zip(batch, cursor.fetchall(), strict=True):
                    row.pk, row._state.adding = pk, False


def _prepare_column(field: Field[Any, Any], rows: Iterable[Run | Series]) -> Iterable[Any]:
    """What the database takes for the field of each row."""
    values = map(attrgetter(field.attname), rows)
    prepared = field.get_internal_type() in ("JSONField", "DateTimeField")
    return (field.get_db_prep_save(value, connection) for value in values) if prepared else values


def _get_runs_of_other_uploads(captures: Iterable[DraftCapture]) -> dict[str, Run]:
    """Runs that edits put captures of this upload beside, by "id:PK"."""
    numbers = {capture.run.removeprefix("id:") for capture in captures if capture.run.startswith("id:")}
    rows = Run.objects.in_bulk([pk for pk in map(parse_id, numbers) if pk is not None]) if numbers else {}
    return {f"id:{pk}": run for pk, run in rows.items()}


def _read_previous(rows: Any) -> PreviousRows:
    previous: PreviousRows = defaultdict(list)
    for row in rows.order_by("pk").defer("values"):
        before = Previous(row.pk, row.created_at, row.config_id, getattr(row, "repeat", 1))
        previous[row.line_first, row.tool].append(before)
    return previous


def _reuse_id(row: Run | Capture, previous: PreviousRows, line: int) -> Previous | None:
    """Give the row the id of the one that was read from the same lines before, if there is one.

    line: where its block begins, at which all rows of a log once stood
    """
    of_line = previous.get((row.line_first, row.tool)) or previous.get((line, row.tool))
    before = of_line.pop(0) if of_line else None
    if before is not None:
        row.pk, row.created_at = before.pk, before.created_at
    return before


def _find_overruled(upload: Upload) -> list[tuple[Override, set[int]]]:
    """The standing overrides of an upload's runs, and the ids of those on the line of each."""
    overrides = sorted(Override.objects.filter(upload=upload, withdrawn_at=None), key=_get_line)
    overruled: list[tuple[Override, set[int]]] = [(override, set()) for override in overrides]
    for pk, first, last in upload.runs.values_list("pk", "line_first", "line_last") if overrides else ():
        begin, end = bisect_left(overrides, first, key=_get_line), bisect_right(overrides, last, key=_get_line)
        for _, pks in overruled[begin:end]:
            pks.add(pk)
    return overruled


def _get_line(override: Override) -> int:
    return override.line or 0


def _move_overrides(overruled: Iterable[tuple[Override, set[int]]], runs: Iterable[Run]) -> None:
    """Put the overrides on the lines where the same runs stand now: of several rows of a log that had one line, on each."""
    now = {run.pk: run for run in runs}
    for override, pks in overruled:
        own = [now[pk] for pk in sorted(pks & now.keys())]
        moved = [run.line_first for run in own if not run.line_first <= (override.line or 0) <= run.line_last]
        if moved and len(moved) == len(own):
            Override.objects.filter(pk=override.pk).update(line=moved.pop(0))
        made_at = override.made_at
        for line in dict.fromkeys(moved):
            override.pk, override.line = None, line
            override.save(force_insert=True)
            Override.objects.filter(pk=override.pk).update(made_at=made_at)


def _return_captures(borrowed: Mapping[int, int]) -> None:
    """Put them beside the same runs again, where those still exist."""
    existing = set(Run.objects.filter(pk__in=borrowed.values()).values_list("pk", flat=True))
    for capture, run in borrowed.items():
        if run in existing:
            Capture.everything.filter(pk=capture).update(run=run)
