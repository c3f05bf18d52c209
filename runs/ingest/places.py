"""The rows that a draft's hosts, experiments and configs become: those of before, those of the same name, or new ones.

`upload.placed` remembers the rows, so that reading a text anew changes neither their ids nor names given since.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection, models

from runs.models import Config, Experiment, Host, Run, Upload

from . import tallies
from .draft import Draft, DraftConfig, DraftExperiment, DraftHost
from .fingerprint import of_hardware, of_stored
from .fitting import fitted
from .hints import Hints

BATCH = 500
FACTS = ("cpu_model", "cores", "mhz", "ram_kb", "swap_kb", "os", "kernel")


class Places:
    """Rows by draft key. A config's own experiment counts, since a config may have been moved since."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.slot = Hints.from_dict(upload.hints).slot
        self.hosts: dict[str, Host] = {}
        self.experiments: dict[str, Experiment] = {}
        self.configs: dict[str, Config] = {}
        self.new_experiments: set[int] = set()
        self.new_configs: set[int] = set()  # made here, so that no other upload has runs in them

    def fill(self, draft: Draft) -> None:
        """Find or make every row that the draft needs, then remember which they are."""
        known_hosts = self._known(Host, "hosts")
        known_experiments = self._known(Experiment, "experiments")
        known_configs = self._known(Config, "configs")
        self.hosts = _hosts(draft.hosts, known_hosts)
        for drafted in draft.experiments:
            host = self.hosts.get(drafted.host)
            self.experiments[drafted.key] = experiment = known_experiments.get(drafted.key) or self._experiment(
                drafted, host
            )
            if experiment.host_id is None and host is not None:
                experiment.host = host
                experiment.save(update_fields=["host"])
            self.configs |= self._configs(experiment, drafted.configs, known_configs)
        self._remember()

    def _known(self, model: type[models.Model], section: str) -> dict[str, Any]:
        placed: dict[str, int] = self.upload.placed.get(section, {})
        if not placed:
            return {}
        rows = model._default_manager.select_related("experiment" if model is Config else None).in_bulk(placed.values())
        return {key: rows[pk] for key, pk in placed.items() if pk in rows}

    def _experiment(self, drafted: DraftExperiment, host: Host | None) -> Experiment:
        name = fitted(Experiment, name=drafted.name or self.upload.name or "Unnamed experiment")["name"]
        if self.slot:
            known = Experiment.objects.filter(pk=self.slot.experiment or 0).first()
            if known is not None:
                return known
        elif self.upload.hints.get("experiment"):
            _one_at_a_time(name)
            named = Experiment.objects.filter(name=name).order_by("id").first()
            if named is not None:
                return named
        row = Experiment.objects.create(name=name, host=host, created_by_id=self.upload.created_by_id)
        self.new_experiments.add(row.pk)
        return row

    def _configs(
        self, experiment: Experiment, drafted: Sequence[DraftConfig], known: Mapping[str, Config]
    ) -> dict[str, Config]:
        """Rows by key; what is new is put behind the experiment's other configs, or where its slot is."""
        there = [] if experiment.pk in self.new_experiments else list(experiment.configs.all())
        by_name = {config.name: config for config in there}
        first = self.slot.position if self.slot else max((config.position for config in there), default=0) + 1
        rows: dict[str, Config] = {}
        fresh: list[Config] = []
        for position, config in enumerate(drafted, first):
            wanted = fitted(Config, name=config.name or "unnamed", group=config.group)
            row = known.get(config.key) or by_name.get(wanted["name"])
            if row is None:
                row = by_name[wanted["name"]] = Config(experiment=experiment, position=position, **wanted)
                fresh.append(row)
            rows[config.key] = row
        Config.objects.bulk_create(fresh)
        self.new_configs |= {config.pk for config in fresh}
        return rows

    def _remember(self) -> None:
        sections: dict[str, dict[str, Any]] = {
            "hosts": self.hosts,
            "experiments": self.experiments,
            "configs": self.configs,
        }
        placed = self.upload.placed
        self.upload.placed = {
            section: placed.get(section, {}) | {key: row.pk for key, row in rows.items()}
            for section, rows in sections.items()
        }


def _one_at_a_time(name: str) -> None:
    """Let two senders who name the same new experiment make one. SQLite has a single writer anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [zlib.crc32(name.encode())])


def _hosts(drafted: Iterable[DraftHost], known: dict[str, Host]) -> dict[str, Host]:
    rows = {}
    for host in drafted:
        facts = fitted(Host, **{fact: getattr(host, fact) for fact in FACTS})
        name = fitted(Host, name=host.name or host.cpu_model)["name"]
        if host.key in known:
            rows[host.key] = _with_facts(known[host.key], facts)
        elif name:
            rows[host.key] = _host(name, facts)
    return rows


def _host(name: str, facts: dict[str, Any]) -> Host:
    """The machine of this name and hardware. One of which nothing was known yet, or is known now, is taken for it."""
    fingerprint = of_hardware(facts["cpu_model"], facts["cores"], facts["ram_kb"])
    namesakes = {host.fingerprint: host for host in Host.objects.filter(name=name).order_by("id")}
    if fingerprint in namesakes:
        return _with_facts(namesakes[fingerprint], facts)
    if not fingerprint and namesakes:
        return list(namesakes.values())[-1]
    if "" in namesakes:
        return _identified(namesakes[""], fingerprint, facts)
    row, _ = Host.objects.get_or_create(name=name, fingerprint=fingerprint, defaults=facts)
    return row


def _identified(host: Host, fingerprint: str, facts: dict[str, Any]) -> Host:
    """A machine known by name only gets its hardware, and so do its runs' fingerprints."""
    host.fingerprint = fingerprint
    host.save(update_fields=["fingerprint"])
    host = _with_facts(host, facts)
    runs = list(host.runs.select_related("host"))
    with tallies.noting(host.runs.all()):
        for first in range(0, len(runs), BATCH):
            part = runs[first : first + BATCH]
            for run, its in zip(part, of_stored(part), strict=True):
                run.fingerprint = its
            Run.objects.bulk_update(part, ["fingerprint"])
    return host


def _with_facts(host: Host, facts: dict[str, Any]) -> Host:
    """The row with what it lacked; what it has stays."""
    missing = {fact: value for fact, value in facts.items() if value and not getattr(host, fact)}
    for fact, value in missing.items():
        setattr(host, fact, value)
    if missing:
        host.save(update_fields=list(missing))
    return host
