"""Experiments in short, for cards: as many rows as a card can show, however much is in the experiment; texts in excerpts; and
what the forms of a row begin with.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import BinaryField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Substr

from runs.analysis.facts import line_address
from runs.database import find_facets, make_page_url, union_rows
from runs.ingest.text_storage import read_opening
from runs.models import Config, Experiment, Host, Run, Upload

MAX_RUNS, MAX_CONFIGS = 120, 60  # of one experiment: the newest runs, the first configs
SCANNED_RUNS = 1000  # of a host or a tag, to find the experiments that they took part in
MAX_SAMPLES = 100


@dataclass(frozen=True, slots=True)
class ConfigSummary:
    """A config and its counted runs' requests per second.

    failed  as "47.5 %" of its requests, where a doubt says so
    judged  the mean of those runs that no doubt keeps out, where one does
    """

    pk: int
    name: str
    rates: list[float]
    failed: str = ""
    judged: float | None = None

    @property
    def mean(self) -> float | None:
        return self.judged if self.judged is not None or not self.rates else sum(self.rates) / len(self.rates)


@dataclass(frozen=True, slots=True)
class ExperimentSummary:
    """What a card shows, the baseline first.

    more     there are runs or configs beyond those that a card shows
    is_demo  it was made of a sample session that the first start has stored
    """

    experiment: Experiment
    configs: list[ConfigSummary]
    tools: list[str]
    more: bool = False
    is_demo: bool = False

    @property
    def n_runs(self) -> int:
        return sum(len(config.rates) for config in self.configs)

    @property
    def size(self) -> str:
        """As "2 × 5", or "7" where configs have unlike numbers of runs, or one each."""
        numbers = {len(config.rates) for config in self.configs}
        if len(self.configs) > 1 and len(numbers) == 1 and max(numbers) > 1 and not self.more:
            return f"{len(self.configs)} × {numbers.pop()}"
        return f"{self.n_runs:,}{'+' if self.more else ''}"

    @property
    def headline(self) -> dict[str, Any] | None:
        """Outcome, lead and sentence of the experiment's page, unless its configs or runs have changed since."""
        kept: dict[str, Any] | None = self.experiment.headline
        return kept if kept and kept["of"] == digest_card(self.configs) else None


def order_configs(configs: Iterable[ConfigSummary]) -> list[ConfigSummary]:
    """Those of which no run counts last, by name: none of them is the baseline. As many as a card shows."""
    return sorted(configs, key=lambda each: (not each.rates, "" if each.rates else each.name))[:MAX_CONFIGS]


def digest_card(configs: Sequence[ConfigSummary]) -> str:
    """Of what a card shows."""
    return hashlib.sha256(repr([(each.name, each.rates) for each in configs]).encode()).hexdigest()[:16]


def list_experiments(uploads: Sequence[Upload]) -> dict[int, list[Experiment]]:
    """Upload -> the experiments that it was stored in, without those in the bin. Two queries."""
    own = Upload.objects.filter(pk__in=[upload.pk for upload in uploads])
    rows = own.values_list("pk", KeyTransform("experiments", "placed"))
    placed = {upload: [*(keys or {}).values()] for upload, keys in rows}
    found = Experiment.objects.only("name").in_bulk({pk for pks in placed.values() for pk in pks})
    return {upload: [found[pk] for pk in pks if pk in found] for upload, pks in placed.items()}


def list_latest_experiments(most: int) -> list[ExperimentSummary]:
    """Four queries."""
    return summarize(select_experiments(most))


def summarize(experiments: Sequence[Experiment]) -> list[ExperimentSummary]:
    """The experiments in short, in the order given. Three queries, two of them along an index for each experiment."""
    runs, configs = _find_newest_runs(experiments), _find_first_configs(experiments)
    sampled = Upload.objects.filter(origin=Upload.Origin.SAMPLE).order_by("-id")
    samples = set(sampled.values_list("pk", flat=True)[:MAX_SAMPLES])
    return [_summarize(experiment, runs[experiment.pk], configs[experiment.pk], samples) for experiment in experiments]


def _summarize(
    experiment: Experiment, runs: Sequence[RunRow], configs: Sequence[tuple[int, str]], samples: set[int]
) -> ExperimentSummary:
    rates: dict[int, list[float]] = defaultdict(list)
    for run in sorted(runs):
        rates[run.config].append(run.rate)
    kept: dict[str, Any] = experiment.headline or {}
    failed, judged = kept.get("failed", {}), kept.get("means", {})
    return ExperimentSummary(
        experiment,
        order_configs(
            ConfigSummary(pk, name, rates[pk], failed.get(str(pk), ""), judged.get(str(pk))) for pk, name in configs
        ),
        sorted({run.tool for run in runs}),
        len(runs) == MAX_RUNS or len(configs) > MAX_CONFIGS,
        bool(runs) and {run.upload for run in runs} <= samples,
    )


class RunRow(NamedTuple):
    repeat: int
    pk: int
    config: int
    rate: float
    tool: str
    upload: int


def _find_newest_runs(experiments: Sequence[Experiment]) -> dict[int, list[RunRow]]:
    """The newest runs of each experiment."""
    counted = Run.objects.filter(counted=True, requests_per_second__isnull=False).order_by("-id")
    columns = counted.values_list(
        *("experiment_id", "repeat", "id", "config_id", "requests_per_second", "tool", "upload_id")
    )
    newest_runs = defaultdict(list)
    for experiment, *row in union_rows(columns.filter(experiment=each)[:MAX_RUNS] for each in experiments):
        newest_runs[experiment].append(RunRow(*row))
    return newest_runs


def _find_first_configs(experiments: Sequence[Experiment]) -> dict[int, list[tuple[int, str]]]:
    """(id, name) of the first configs of each experiment."""
    columns = Config.objects.order_by("position", "id").values_list("experiment_id", "id", "name")
    first_configs = defaultdict(list)
    for experiment, pk, name in union_rows(columns.filter(experiment=each)[: MAX_CONFIGS + 1] for each in experiments):
        first_configs[experiment].append((pk, name))
    return first_configs


def select_experiments(
    most: int, beyond: int | None = None, *, host: Host | None = None, tag: str = "", archived: bool = False
) -> list[Experiment]:
    """The newest (archived) experiments, of a host or with a tag on one of their runs, older than that with the id `beyond`.

    Those of a host are those that name it as theirs, and those that its newest runs belong to. Four queries at most.
    """
    experiments = Experiment.objects.select_related("host").filter(archived=archived).order_by("-id")
    if host is None and not tag:
        return list((experiments if beyond is None else experiments.filter(pk__lt=beyond))[:most])
    runs = host.runs.order_by("-id") if host else Run.objects.order_by("-id")
    if tag:
        runs = runs.filter(taggings__facet=find_facets(tag=tag)["tag"] or 0)
    if beyond is not None:
        runs = runs.filter(experiment__lt=beyond)
    ids = set(runs.values_list("experiment_id", flat=True)[:SCANNED_RUNS])
    if host and not tag:
        named = host.experiments.order_by("-id").values_list("pk", flat=True)
        ids.update((named if beyond is None else named.filter(pk__lt=beyond))[:most])
    return list(experiments.filter(pk__in=ids)[:most])


# --- the texts that a comparison rests on, each with an excerpt: the lines around what was recognised in it ---------------

MOST_TEXTS = 40
# Of each text this much of the packed bytes is fetched (the first 32 KiB of text come out of it, however badly they
# pack), and this much of the text unpacked from it.
PACKED_BYTES, TEXT_BYTES = 2**15 + 2**8, 2**18
MOST_LINES = 60
BEFORE, WITHIN = 2, 12


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """One line of an upload. `gap`: lines before it are left out."""

    n: int
    text: str
    url: str
    gap: bool


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An upload, and lines of its beginning."""

    upload: Upload
    lines: tuple[ExcerptLine, ...]


def find_excerpts(uploads: Collection[int]) -> list[Excerpt]:
    """Of the newest forty of these texts, the newest first. One query."""
    rows = (
        Upload.objects.filter(pk__in=uploads)
        .order_by("-id")
        .only("name", "encoding", "blocks", "n_lines", "created_at")
    )
    head = Substr("raw", 1, PACKED_BYTES, output_field=BinaryField())
    return [_make_excerpt(row) for row in rows.annotate(head=head)[:MOST_TEXTS]]


def _make_excerpt(upload: Upload) -> Excerpt:
    packed = bytes(upload.head)  # type: ignore[attr-defined]  # annotated
    lines = read_opening(packed, upload.encoding, max_bytes=TEXT_BYTES)
    page = make_page_url("upload", upload.pk)
    # The lines with which each block opens and those just above.
    shown: list[int] = []
    for block in upload.blocks:
        first, last = block["lines"]
        begin = max(first - BEFORE, shown[-1] + 1 if shown else 1)
        shown += range(begin, min(last, first + WITHIN - 1, len(lines)) + 1)
    # No block so near the beginning: then how the text opens.
    shown = shown or list(range(1, min(len(lines), MOST_LINES) + 1))
    excerpt = [
        ExcerptLine(n, lines[n - 1][:500], line_address(page, n), at > 0 and n != shown[at - 1] + 1)
        for at, n in enumerate(shown[:MOST_LINES])
    ]
    return Excerpt(upload, tuple(excerpt))


# --- what can be changed of a row -----------------------------------------------------------------------------------------

MOST_CHOICES = 200  # configs to choose from; and runs whose tags are looked at


@dataclass(frozen=True, slots=True)
class Managed:
    """What a row's forms begin with; None where it has no such field. `configs` are those to choose from."""

    name: str | None = None
    note: str | None = None
    tags: list[str] | None = None
    counted: bool | None = None
    configs: Iterable[Config] = ()


def describe_managed(row: object) -> Managed:
    """Two queries at most."""
    if isinstance(row, Experiment):
        rows = row.runs.order_by("-id").values_list("tags", flat=True)[:MOST_CHOICES]
        tags = list(dict.fromkeys(tag for each in rows for tag in each))
        return Managed(row.name, row.notes, tags, configs=row.configs.all()[:MOST_CHOICES])
    if isinstance(row, Config):
        others = row.experiment.configs.exclude(pk=row.pk)[:MOST_CHOICES]
        return Managed(row.name, counted=row.runs.filter(counted=True).exists(), configs=others)
    if isinstance(row, Run):
        return Managed(None, row.note, row.tags, row.counted, row.experiment.configs.all()[:MOST_CHOICES])
    return Managed(row.name if isinstance(row, Host | Upload) else None)
