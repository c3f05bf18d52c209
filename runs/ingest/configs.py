"""The rows that a draft's hosts, experiments and configs become, and the fingerprints of runs and hardware.

`upload.placed` records the rows, so that parsing a text again changes neither their ids nor names given since.
Fingerprints are hashes that say what is comparable; names, labels and tags stay outside them.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection, models
from django.utils import timezone

from parsers.catalogue import find_requested_load, get_semantics, parse_command
from runs.analysis.facts import HARDWARE
from runs.analysis.method import method_of
from runs.drafts.draft import Draft, DraftConfig, DraftExperiment, DraftHost
from runs.models import Config, ConfigText, Experiment, Host, Run, Upload

from . import counters
from .hints import Slot
from .validation import clean_line, rejected, truncate

BATCH = 500
RAM_STEP_KB = 65536  # a kernel reserves some of the RAM, and each version another share


class Placement:
    """Rows by draft key. A config's own experiment counts, since a config may have been moved since."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        slot = upload.hints.get("slot")
        self.slot = Slot(**slot) if slot else None
        self.hosts: dict[str, Host] = {}
        self.experiments: dict[str, Experiment] = {}
        self.configs: dict[str, Config] = {}
        self.new: set[Experiment | Config] = set()  # made here, so that no other upload has anything in them

    def find_or_create(self, draft: Draft) -> None:
        """Every row that the draft needs: that of before, that of the same name, or a new one."""
        experiments: dict[str, Experiment] = {}
        configs: dict[str, Config] = {}
        hosts: dict[str, Host] = {}
        if self.upload.placed:
            hosts = self._read_placed(Host, "hosts")
            experiments = self._read_placed(Experiment, "experiments")
            configs = self._read_placed(Config, "configs")
        if draft.hosts:
            self._find_hosts(draft.hosts, hosts)
        for drafted in draft.experiments:
            host = self.hosts.get(drafted.host)
            experiment = experiments.get(drafted.key) or self._find_experiment(drafted, host)
            if experiment.host_id is None and host is not None:
                experiment.host = host
                experiment.save(update_fields=["host"])
            self.experiments[drafted.key] = experiment
            self._find_configs(experiment, drafted.configs, configs)
        sections: dict[str, Mapping[str, models.Model]] = {
            "hosts": self.hosts,
            "experiments": self.experiments,
            "configs": self.configs,
        }
        for section, rows in sections.items():
            self.upload.placed.setdefault(section, {}).update({key: row.pk for key, row in rows.items()})

    def _find_hosts(self, drafted: Iterable[DraftHost], before: Mapping[str, Host]) -> None:
        """Fill `hosts`, without those that have neither a name nor a model. In one order for all texts: two that name the same
        hosts would wait for each other.
        """
        for host in sorted(drafted, key=lambda host: host.name or host.cpu_model):
            facts = truncate(Host, **{fact: getattr(host, fact) for fact in HARDWARE})
            name = truncate(Host, name=host.name or host.cpu_model)["name"]
            if host.key in before:
                self.hosts[host.key] = _add_facts(before[host.key], facts)
            elif name:
                self.hosts[host.key] = _find_host(name, facts)
            if host.passport and host.key in self.hosts:
                self._keep_passport(self.hosts[host.key], host.passport)

    def _keep_passport(self, row: Host, passport: Mapping[str, Any]) -> None:
        """The newest one that a text shows of a host, whatever the order in which texts are read again."""
        at = (self.upload.created_at or timezone.now()).isoformat()
        if at >= (row.passport or {}).get("at", ""):
            row.passport = {**passport, "at": at}
            row.save(update_fields=["passport"])

    def refuse_deleted(self) -> None:
        """Called when runs are written: whoever deletes what they belong to has done it before, or waits for this.

        Foreign keys are checked, and so locked, at the end of the transaction only. Experiments before configs, as
        ingest.deletions does. Raises Rejected 409. SQLite has one writer anyway.
        """
        if connection.vendor != "postgresql" or {*self.experiments.values(), *self.configs.values()} <= self.new:
            return
        with connection.cursor() as cursor:
            for table, rows in (("experiment", self.experiments), ("config", self.configs)):
                cursor.execute(
                    f"SELECT deletion_id FROM runs_{table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE",  # noqa: S608
                    [[row.pk for row in rows.values()]],
                )
                if any(deletion for (deletion,) in cursor.fetchall()):
                    raise rejected(
                        409, "The experiment of this text was deleted at the same time. Send the text again."
                    )

    def _read_placed(self, model: type[models.Model], section: str) -> dict[str, Any]:
        """{draft key: row} of where the upload was placed before, as far as the rows are still there."""
        placed: dict[str, int] = self.upload.placed.get(section, {})
        rows = model._default_manager.select_related("experiment" if model is Config else None).in_bulk(placed.values())
        return {key: rows[pk] for key, pk in placed.items() if pk in rows}

    def _find_experiment(self, drafted: DraftExperiment, host: Host | None) -> Experiment:
        name = truncate(Experiment, name=drafted.name or self.upload.name)["name"] or "Unnamed experiment"
        experiment = None
        if self.slot:
            experiment = Experiment.objects.filter(pk=self.slot.experiment or 0).first()
        elif self.upload.hints.get("experiment"):
            _lock_name(name)
            experiment = Experiment.objects.filter(name=name).order_by("id").first()
        if experiment is None:
            experiment = Experiment.objects.create(name=name, host=host, created_by_id=self.upload.created_by_id)
            self.new.add(experiment)
        return experiment

    def _find_configs(
        self, experiment: Experiment, drafted: Sequence[DraftConfig], before: Mapping[str, Config]
    ) -> None:
        """New configs come behind the experiment's other ones, or at the position that the slot says."""
        by_name: dict[str, Config] = {}
        first = 1
        if experiment not in self.new:
            by_name = {config.name: config for config in experiment.configs.all()}
            first = max((config.position for config in by_name.values()), default=0) + 1
        first = self.slot.position if self.slot else first
        added = []
        for position, config in enumerate(drafted, first):
            columns = truncate(Config, name=clean_line(config.name) or "unnamed", group=config.group)
            row = before.get(config.key) or by_name.get(columns["name"])
            if row is None:
                row = by_name[columns["name"]] = Config(experiment=experiment, position=position, **columns)
                added.append(row)
            self.configs[config.key] = row
        self.new.update(Config.objects.bulk_create(added))


def delete_empty(experiments: Iterable[int], configs: Iterable[int]) -> None:
    """Delete those of the configs and experiments (ids) that hold neither run nor capture, config text nor timing."""
    nothing = {"runs": None, "captures": None, "texts": None}
    Config.objects.filter(pk__in=configs, **nothing).delete()
    Experiment.objects.filter(pk__in=experiments, **nothing, timings=None).delete()


def _lock_name(name: str) -> None:
    """Until the transaction ends: two senders who name the same new experiment make one. SQLite has one writer anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [zlib.crc32(name.encode())])


def _find_host(name: str, facts: dict[str, Any]) -> Host:
    """The host of this name and hardware. One whose hardware is not known, there or here, is taken for the same."""
    fingerprint = make_hardware_fingerprint(facts["cpu_model"], facts["cores"], facts["ram_kb"])
    namesakes = {host.fingerprint: host for host in Host.objects.filter(name=name).order_by("id")}
    if fingerprint in namesakes:
        return _add_facts(namesakes[fingerprint], facts)
    if not fingerprint and namesakes:
        return list(namesakes.values())[-1]
    if "" in namesakes:
        return _set_hardware(namesakes[""], fingerprint, facts)
    row, _ = Host.objects.get_or_create(name=name, fingerprint=fingerprint, defaults=facts)
    return row


def _set_hardware(host: Host, fingerprint: str, facts: dict[str, Any]) -> Host:
    """The hardware of a host that was known by name only; its runs' fingerprints depend on it."""
    host.fingerprint = fingerprint
    host.save(update_fields=["fingerprint"])
    host = _add_facts(host, facts)
    runs = list(host.runs.select_related("host"))
    with counters.track_changes(host.runs.all()):
        for first in range(0, len(runs), BATCH):
            part = runs[first : first + BATCH]
            for run, run_fingerprint in zip(part, make_fingerprints_of_stored(part), strict=True):
                run.fingerprint = run_fingerprint
            Run.objects.bulk_update(part, ["fingerprint"])
    return host


def _add_facts(host: Host, facts: dict[str, Any]) -> Host:
    """Save what the row lacked; what it has stays."""
    missing = {fact: value for fact, value in facts.items() if value and not getattr(host, fact)}
    for fact, value in missing.items():
        setattr(host, fact, value)
    if missing:
        host.save(update_fields=list(missing))
    return host


def make_hardware_fingerprint(cpu_model: str, cores: int | None, ram_kb: int | None) -> str:
    """Of a host: model, cores, RAM rounded to 64 MiB; "" where nothing is known."""
    if not (cpu_model or cores or ram_kb):
        return ""
    return _hash([cpu_model, cores, round(ram_kb / RAM_STEP_KB) if ram_kb else None])


def make_fingerprint(run: Run, load: Sequence[object], *, text_hashes: Iterable[str]) -> str:
    """Of a run: how it was loaded, hardware, and its config with the config's texts.

    load: what `describe_load` returned for it
    text_hashes: sha256 of the config texts that hold for the run
    """
    return _hash([*load, run.host.fingerprint if run.host else "", run.config_id, sorted(set(text_hashes))])


def describe_load(run: Run) -> list[object]:
    """How a run was loaded, as far as it makes runs comparable."""
    # Some tools do not print the path. "/" is left out, as it was before the command's path counted.
    path = parse_command(run.command, run.tool).path
    options = {"path": path if path != "/" else None} | find_requested_load(run.command, run.tool, run.values)
    method = method_of(run, options, get_semantics(run.tool), run.command)
    # GET and a closed connection are what load tools send where nothing says otherwise. A printed rate is rounded.
    # Of rates, pipelining and pauses only what is set counts, as it did before the others were known.
    method = method._replace(
        rate=method.rate or None,
        method=method.method or "GET",
        keepalive=bool(method.keepalive),
        pipelining=options.get("pipelining"),
        further=tuple(pair for pair in method.further or () if pair != ("delay_s", "none")),
    )
    return [float(f"{part:.3g}") if isinstance(part, float) else part for part in method]


def make_fingerprints_of_stored(runs: Sequence[Run]) -> list[str]:
    """The fingerprints of runs whose uploads' config texts are stored. One query for the texts."""
    stored = ConfigText.objects.filter(upload__in={run.upload_id for run in runs}).order_by()
    hashes: dict[tuple[int, int, int | None], list[str]] = defaultdict(list)
    for upload, experiment, config, sha256 in stored.values_list("upload", "experiment", "config", "sha256"):
        hashes[upload, experiment, config].append(sha256)
    return [
        make_fingerprint(
            run,
            describe_load(run),
            text_hashes=[
                *hashes.get((run.upload_id, run.experiment_id, run.config_id), ()),
                *hashes.get((run.upload_id, run.experiment_id, None), ()),
            ],
        )
        for run in runs
    ]


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()
