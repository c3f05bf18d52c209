"""A draft and its blocks to rows: by kind of record, never by tool. Whoever calls holds the transaction."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db.models import Max

from parsers import Block
from runs.analysis.facts import FIGURES
from runs.models import Capture, Config, ConfigText, Experiment, Run, Series, Timing, Upload

from . import clocks, fingerprint, tallies, timings
from .before import Before, Kept, clear, drop_empty, give_back, take_up
from .draft import DraftCapture, DraftExperiment, DraftRun
from .fitting import fitted
from .looks import Loads, series_of
from .places import Places
from .reading import Reading
from .screens import samples_of

BATCH = 500
CAPTURES = 50  # whose figures are by column at the same time
TABLES = ("processes", "rows")  # what interfaces.md calls a block's rows, whatever the tool
WRITTEN = ("status", "error", "blocks", "problems", "unread", "edits", "placed", "parser_version")


@dataclass(frozen=True, slots=True)
class Rows:
    """The runs and captures of one upload as they were just written, with experiment, config and host in memory."""

    runs: list[Run] = field(default_factory=list)
    captures: list[Capture] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)


def store(upload: Upload, reading: Reading) -> Rows:
    """Insert an upload that is not saved yet with its results, or put them in place of those that it has.

    Rows read from the same lines keep their ids. Raises IntegrityError where a new upload's text is there already.
    The caller holds the transaction.
    """
    upload.status = Upload.Status.PARTIAL if reading.problems else Upload.Status.READY
    upload.error = ""
    upload.blocks = [{"kind": b.kind, "lines": [b.first, b.last], "partial": b.partial} for b in reading.blocks]
    upload.problems = [{"line": problem.line, "message": problem.message} for problem in reading.problems]
    upload.unread = [list(span) for span in reading.draft.unread]
    return _Writer(upload, reading).write()


class _Writer:
    """One upload's way into the tables."""

    def __init__(self, upload: Upload, reading: Reading) -> None:
        self.upload = upload
        self.reading = reading
        self.draft = reading.draft
        self.blocks = {f"b{number}": block for number, block in enumerate(reading.blocks)}
        self.places = Places(upload)
        self.loads = Loads(reading.blocks)
        self.runs: dict[str, Run] = {}
        self.numbered: dict[str, int] = {}  # repeats of runs that stood in the same config before
        self.hashes: dict[tuple[str, str], list[str]] = defaultdict(list)  # (experiment, config) keys -> text hashes

    def write(self) -> Rows:
        before = Before() if self.upload.pk is None else clear(self.upload)
        self.places.fill(self.draft)
        self._save_upload()
        texts = self._write_texts()
        runs = self._write_runs(before.runs)
        tallies.note(runs, before.shares)
        captures = self._write_captures(before.captures)
        places = self.places.experiments
        files, left = timings.write(self.upload, self.draft, self.blocks, places, self.runs)
        give_back(before.borrowed)
        self._drop_empty([*texts, *runs, *captures], left)
        return Rows(runs, captures, files)

    def _save_upload(self) -> None:
        """Once its places are known, so that a new one takes a single INSERT."""
        if self.upload._state.adding:  # new, or in place of one that gives way
            self.upload.save()
        else:
            self.upload.save(update_fields=WRITTEN)

    def _source(self, item: Any) -> dict[str, Any]:
        return {
            "upload": self.upload,
            "block_key": item.key,
            "line_first": item.lines[0],
            "line_last": item.lines[1],
            "quotes": [list(span) for span in item.quotes] if hasattr(item, "quotes") else [],
        }

    def _place(self, drafted: DraftExperiment, config_key: str) -> tuple[Experiment, Config | None]:
        config = self.places.configs.get(config_key)
        return (config.experiment, config) if config else (self.places.experiments[drafted.key], None)

    def _write_texts(self) -> list[ConfigText]:
        rows = []
        for drafted in self.draft.experiments:
            for text in drafted.texts:
                experiment, config = self._place(drafted, text.config)
                sha256 = hashlib.sha256(text.text.encode("utf-8", "surrogatepass")).hexdigest()
                self.hashes[drafted.key, text.config].append(sha256)
                own = fitted(ConfigText, path=text.path, text=text.text)
                rows.append(
                    ConfigText(experiment=experiment, config=config, sha256=sha256, **own, **self._source(text))
                )
        return ConfigText.objects.bulk_create(rows)

    def _write_runs(self, kept: Kept) -> list[Run]:
        for drafted in self.draft.experiments:
            for run in drafted.runs:
                self.runs[run.key] = self._run(drafted, run, kept)
        self._number_repeats()
        tallies.key_in(self.runs.values())
        return Run.objects.bulk_create(list(self.runs.values()))

    def _run(self, drafted: DraftExperiment, run: DraftRun, kept: Kept) -> Run:
        block, result, values = self.loads.of(run.key)
        config = self.places.configs[run.config]
        host = self.places.hosts.get(drafted.host)
        own = {"label": run.label, "note": run.note, "repeat": run.repeat, "command": block.command}
        figures = {name: getattr(result, name) for name in FIGURES}
        row = Run(
            **self._source(run),
            **fitted(Run, values=values, **own, **figures),
            experiment=config.experiment,
            config=config,
            host=host,
            counted=run.counted,
            partial=block.partial,
            tags=self.upload.hints.get("tags", []),
        )
        row.clock_start_s, row.clock_end_s = clocks.of_run(block, result, values, self.upload.hints.get("slot"))
        hashes = self.hashes[drafted.key, run.config] + self.hashes[drafted.key, ""]
        row.fingerprint = fingerprint.of_run(row, hardware=host.fingerprint if host else "", text_hashes=hashes)
        before = take_up(row, kept)
        if before is not None and before.config_id == config.pk:
            self.numbered[run.key] = before.repeat
        return row

    def _number_repeats(self) -> None:
        """Go on counting where other uploads left off. What a person said stays, and so does a number once given."""
        if self.places.slot:
            return
        said = {key for key, changes in self.upload.edits.get("blocks", {}).items() if "repeat" in changes}
        places = {run.config_id for run in self.runs.values()} - self.places.new_configs
        last = self._last_repeats(places) if places else {}
        for key, run in self.runs.items():
            if key not in said:
                run.repeat = self.numbered.get(key) or run.repeat + last.get(run.fingerprint, 0)

    def _last_repeats(self, places: set[int]) -> dict[str, int]:
        """{fingerprint: the highest repeat} of other uploads' runs in these configs."""
        others = Run.objects.filter(config__in=places).exclude(upload=self.upload).order_by()
        return dict(others.values_list("fingerprint").annotate(Max("repeat")))

    def _write_captures(self, kept: Kept) -> list[Capture]:
        foreign = self._foreign_runs()
        rows: list[Capture] = []
        drafts = [(drafted, capture) for drafted in self.draft.experiments for capture in drafted.captures]
        for first in range(0, len(drafts), CAPTURES):
            told = []
            for drafted, capture in drafts[first : first + CAPTURES]:
                samples = samples_of(self.blocks[key] for key in capture.blocks)
                row = self._capture(drafted, capture, kept)
                row.run = self.runs.get(capture.run) or foreign.get(capture.run)
                row.n_samples = max(samples.n, 1)
                row.clock_first, row.clock_last = samples.clock_first[:8], samples.clock_last[:8]
                told.append((row, samples))
            rows += Capture.objects.bulk_create([row for row, _ in told], batch_size=BATCH)
            _write_series(series for row, samples in told for series in series_of(row, samples))
        return rows

    def _capture(self, drafted: DraftExperiment, capture: DraftCapture, kept: Kept) -> Capture:
        blocks = [self.blocks[key] for key in capture.blocks]
        experiment, config = self._place(drafted, capture.config)
        own = {"tool": blocks[0].kind, "phase": capture.phase, "label": capture.label, "command": blocks[0].command}
        row = Capture(
            **self._source(capture),
            **fitted(Capture, values=_without_tables(blocks[-1]), **own),
            experiment=experiment,
            config=config,
            host=self.places.hosts.get(capture.host) or self.places.hosts.get(drafted.host),
            partial=any(block.partial for block in blocks),
        )
        take_up(row, kept)
        return row

    def _foreign_runs(self) -> dict[str, Run]:
        """Runs of other uploads that captures of this one were put beside, by "id:PK"."""
        wanted = {c.run for drafted in self.draft.experiments for c in drafted.captures if c.run.startswith("id:")}
        numbers = [key.removeprefix("id:") for key in wanted]
        rows = Run.objects.in_bulk([int(number) for number in numbers if number.isdecimal()]) if numbers else {}
        return {f"id:{pk}": run for pk, run in rows.items()}

    def _drop_empty(self, rows: Iterable[ConfigText | Run | Capture], left: Iterable[int]) -> None:
        """Experiments (those in `left`, too) and configs that this upload once filled, and that nothing is left of."""
        full = {(row.experiment_id, row.config_id) for row in rows}
        placed = self.upload.placed
        experiments = {*placed["experiments"].values(), *left} - {experiment for experiment, _ in full}
        configs = set(placed["configs"].values()) - {config for _, config in full}
        if experiments or configs:
            drop_empty(experiments, configs)


def _write_series(series: Iterator[Series]) -> None:
    """In batches as they are made: a log may have 100,000 of them."""
    while batch := list(islice(series, BATCH)):
        Series.objects.bulk_create(batch)


def _without_tables(block: Block) -> dict[str, object]:
    """A block's figures but for its rows, which are series."""
    return {name: value for name, value in block.values.items() if name not in TABLES}
