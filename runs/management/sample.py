"""Made-up runs in the shape and the proportions of real uploads, the same ones for the same seed.

Seven in ten runs come as pastes: one upload, one experiment of two to six configs with one to five repeats each, on one
host, with a monitor's screen beside each run. The others come night by night into a few experiments that go on for the
whole year, one step up or down in each, so that there are trends with something to find.
"""

from __future__ import annotations

import hashlib
import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from runs.ingest.counters import VALUE_LENGTH
from runs.ingest.series_packing import pack_samples
from runs.management.bulk import Bulk
from runs.models import Capture, Config, Experiment, Facet, Host, Run, RunTag, Series, Upload

START, DAYS = datetime(2025, 1, 6, 1, tzinfo=UTC), 360
NIGHTLY_SHARE, RUNS_A_NIGHTLY, RUNS_A_HOST = 0.3, 10_000, 2_000
NIGHTLY_CONFIGS, NIGHTLY_REPEATS = 3, 3
FEWEST_HOSTS = 60  # more than a page lists, so that lists of hosts can be compared between sizes
TOOLS = {"ab": 80, "siege": 8, "wrk": 8, "hey": 3, "h2load": 1}
PERCENTS = {"50": 0.9, "66": 1.0, "75": 1.1, "80": 1.15, "90": 1.4, "95": 1.8, "98": 2.6, "99": 3.5, "100": 9.0}
SERVERS = (
    [f"Apache/2.4.{n}" for n in range(37, 63)] + [f"nginx/1.{n}.1" for n in range(10, 28, 2)] + ["lighttpd/1.4.69"]
)
MPMS = ("event", "worker", "prefork", "itk", "peruser", "mod_wsgi", "php-fpm", "mod_php", "gunicorn", "uwsgi", "puma")
TAGS = [f"sprint-{n}" for n in range(40)] + ["nightly", "release", "kernel", "php8", "tls", "http2", "cold", "warm"]
SYSTEM = {"mem_free_kb": (2e5, 9e5), "load1": (0.1, 12.0)}
VARIANTS = 40  # of the series beside a run
TEXT = """\
{command}
Server Software:        {server}
Concurrency Level:      {concurrency}
Complete requests:      {n}
Failed requests:        0
Requests per second:    {rate:.2f} [#/sec] (mean)
Time per request:       {mean:.3f} [ms] (mean)

"""
LINES = TEXT.count("\n")


@dataclass
class Sample:
    """The rows of one sample. `series` go beside each run's capture; with none there are no captures.

    before: how many hosts and uploads there are already, whose names and texts these must not have
    """

    rows: Bulk
    n_runs: int
    series: int
    random: random.Random
    facets: dict[tuple[str, str], int]
    before: tuple[int, int] = (0, 0)
    stored: int = 0
    hosts: list[int] = field(default_factory=list)
    nightly: list[Group] = field(default_factory=list)
    beside: list[list[Any]] = field(default_factory=list)

    def days(self) -> Iterator[int]:
        """Write the rows day by day; yields how many runs there are so far, with a day's rows still to be flushed."""
        self._write_hosts()
        self.beside = [self._series() for _ in range(VARIANTS)] if self.series else []
        nights = max(1, self.n_runs // RUNS_A_NIGHTLY)
        due_nightly = due = 0.0
        for day in range(DAYS):
            due_nightly += NIGHTLY_SHARE * self.n_runs / DAYS
            due += (1 - NIGHTLY_SHARE) * self.n_runs / DAYS
            moment = START + timedelta(days=day)
            while due_nightly >= NIGHTLY_CONFIGS * NIGHTLY_REPEATS and self.stored < self.n_runs:
                due_nightly -= self._night(day, moment, nights)
            while due >= 1 and self.stored < self.n_runs:
                due -= self._paste(moment + timedelta(seconds=self.random.randrange(50_000)))
            yield self.stored
        while self.stored < self.n_runs:
            self._paste(START + timedelta(days=DAYS))
        yield self.stored

    def _write_hosts(self) -> None:
        for number in range(max(FEWEST_HOSTS, self.n_runs // RUNS_A_HOST)):
            cores = self.random.choice((1, 2, 4, 8, 16, 32))
            own = {"cpu_model": f"Made-up CPU {cores}000", "cores": cores, "mhz": 2400.0, "ram_kb": cores * 2_000_000}
            digest = _digest(cores)
            name = f"{self.random.choice(('web', 'app', 'db', 'cache'))}{self.before[0] + number}"
            self.hosts.append(self.rows.add(Host, name=name, fingerprint=digest, **own))

    def _night(self, day: int, moment: datetime, nights: int) -> int:
        """One upload of a nightly experiment, in turn."""
        if len(self.nightly) < nights:
            self.nightly.append(self._new_nightly(moment))
            night = self.nightly[-1]
        else:
            night = self.nightly.pop(0)
            self.nightly.append(night)
        loads = [load for load in night.loads for _ in range(NIGHTLY_REPEATS)]
        factor = night.step if day >= night.turn else 1.0
        return self._upload(f"nightly {night.experiment}", night, loads, moment, ("nightly",), factor)

    def _new_nightly(self, moment: datetime) -> Group:
        group = self._group(f"nightly of {self.random.choice(MPMS)}", NIGHTLY_CONFIGS, moment)
        turn, step = self.random.randrange(60, 300), self.random.choice((0.85, 0.92, 1.1, 1.2))
        return replace(group, turn=turn, step=step)

    def _paste(self, moment: datetime) -> int:
        choice = self.random
        group = self._group(f"{choice.choice(MPMS)} or {choice.choice(MPMS)}", choice.randint(2, 6), moment)
        repeats = choice.choice((1, 1, 2, 3, 3, 5))
        tags = tuple(choice.sample(TAGS, choice.choice((1, 2)))) if choice.random() < 0.3 else ()
        return self._upload(group.name, group, [load for load in group.loads for _ in range(repeats)], moment, tags)

    def _group(self, name: str, n_configs: int, moment: datetime) -> Group:
        choice = self.random
        host = int(len(self.hosts) * choice.random() ** 2)  # some machines are used more than others
        tool = choice.choices(list(TOOLS), list(TOOLS.values()))[0]
        name = f"{name} on {choice.choice(SERVERS)}"
        experiment = self.rows.add(Experiment, name=name, host_id=self.hosts[host], created_at=moment)
        load = (choice.choice((10, 50, 100, 200)), choice.choice((100, 1000, 10_000)), f"/page{choice.randrange(30)}/")
        loads = [self._load(experiment, position, tool, host, load) for position in range(n_configs)]
        return Group(experiment, self.hosts[host], loads, name)

    def _load(self, experiment: int, position: int, tool: str, host: int, load: tuple[int, int, str]) -> Load:
        concurrency, n, path = load
        choice = self.random
        name = f"{choice.choice(MPMS)}, {choice.choice((2, 4, 8, 16, 32, 64))} processes, try {position + 1}"
        config = self.rows.add(Config, experiment_id=experiment, name=name, position=position)
        server = SERVERS[int(len(SERVERS) * choice.random() ** 2)]
        command = f"{tool} -n {n} -c {concurrency} http://host{host}:8080{path}"
        keys = [("tool", tool), ("config", name), ("command", command), ("server", server)]
        facets = [self._facet(kind, value) for kind, value in keys]
        rate = choice.lognormvariate(7.5, 0.9)
        return Load(config, tool, command, server, concurrency, n, path, rate, facets, _digest(config, *load))

    def _facet(self, kind: str, value: str) -> int:
        key = (kind, value[:VALUE_LENGTH])
        if key not in self.facets:
            self.facets[key] = self.rows.add(Facet, kind=kind, value=key[1])
        return self.facets[key]

    def _upload(
        self, name: str, group: Group, loads: list[Load], moment: datetime, tags: tuple[str, ...], factor: float = 1.0
    ) -> int:
        """One upload with a run of each load, as far as runs are still wanted; how many."""
        loads = loads[: self.n_runs - self.stored]
        rates = [load.rate * factor * self.random.lognormvariate(0, 0.03) for load in loads]
        texts = [load.text(rate) for load, rate in zip(loads, rates, strict=True)]
        spans = [(at * LINES + 2, (at + 1) * LINES - 1) for at in range(len(loads))]
        text = "".join(texts).encode()
        key = _digest(name, moment.isoformat(), self.stored, self.before[1])
        upload = self.rows.add(
            Upload,
            **{"name": f"{name}.txt", "sha256": key, "text_key": key, "raw": zlib.compress(text, 1)},
            **{"size_bytes": len(text), "n_lines": len(loads) * LINES, "encoding": "utf-8", "status": "ready"},
            **{"door": self.random.choice(("web", "rest", "rest", "rest", "command")), "created_at": moment},
            blocks=[
                {"kind": load.tool, "lines": span, "partial": False} for load, span in zip(loads, spans, strict=True)
            ],
            hints={"tags": tags},
        )
        told = {"upload_id": upload, "experiment_id": group.experiment, "host_id": group.host, "created_at": moment}
        counts: dict[int, int] = {}
        for at, (load, rate, (first, last)) in enumerate(zip(loads, rates, spans, strict=True)):
            repeat = counts[load.config] = counts.get(load.config, 0) + 1
            place = {"config_id": load.config, "block_key": f"b{at}", "line_first": first, "line_last": last}
            run = self.rows.add(Run, repeat=repeat, tags=tags, **told, **place, **load.columns(rate))
            for tag in tags:
                self.rows.add(RunTag, facet_id=self._facet("tag", tag), run_id=run)
            if self.series:
                self._capture(told | place | {"run_id": run, "block_key": f"c{at}"})
        self.stored += len(loads)
        return len(loads)

    def _capture(self, place: dict[str, Any]) -> None:
        capture = self.rows.add(Capture, tool="top", phase="during", n_samples=1, values={"load1": 2.5}, **place)
        self.rows.repeat(Series, capture, self.random.choice(self.beside))

    def _series(self) -> list[Any]:
        """Two metrics of the system, then RSS and CPU of processes, as many as asked for."""
        values: list[dict[str, Any]] = [
            {"metric": metric, "value": self.random.uniform(*span)} for metric, span in SYSTEM.items()
        ]
        for number in range(self.series // 2):
            who = {"pid": 2000 + number, "user": "www", "command": "httpd", "group": "httpd"}
            values.append({"metric": "rss_kb", "value": 13_000.0 + self.random.randrange(9000), **who})
            values.append({"metric": "cpu_pct", "value": self.random.uniform(0, 60), **who})
        return [self._one(**each) for each in values[: self.series]]

    def _one(self, value: float, **who: Any) -> Any:
        value = round(value, 1)
        same = dict.fromkeys(("min", "mean", "max", "last"), value)
        return self.rows.line(Series, "capture_id", n=1, samples=pack_samples([value]), **same, **who)


@dataclass(frozen=True)
class Load:
    """One config's runs: what they share, and the rate around which they lie."""

    config: int
    tool: str
    command: str
    server: str
    concurrency: int
    n: int
    path: str
    rate: float
    facets: list[int]
    fingerprint: str

    def text(self, rate: float) -> str:
        return TEXT.format(
            command=f"$ {self.command}",
            server=self.server,
            concurrency=self.concurrency,
            n=self.n,
            rate=rate,
            mean=1000 * self.concurrency / rate,
        )

    def columns(self, rate: float) -> dict[str, Any]:
        """The columns of a run at this rate."""
        rate, mean = round(rate, 2), round(1000 * self.concurrency / rate, 3)
        figures = {"requests_per_second": rate, "complete_requests": self.n, "failed_requests": 0, "mean_ms": mean}
        figures |= {"concurrency": float(self.concurrency), "duration_s": round(self.n / rate, 3), "max_ms": mean * 9}
        return figures | {
            **{"tool": self.tool, "command": self.command, "server_software": self.server, "path": self.path},
            **{"fingerprint": self.fingerprint, "percentiles_ms": {p: round(f * mean) for p, f in PERCENTS.items()}},
            **{
                "facet_config_id": self.facets[1],
                "facet_command_id": self.facets[2],
                "facet_server_id": self.facets[3],
            },
            "values": {"requests_per_second": rate, "concurrency": self.concurrency, "complete_requests": self.n},
        }


@dataclass(frozen=True)
class Group:
    """An experiment with its host and what is run in it; its rates change by the factor `step` on the day `turn`."""

    experiment: int
    host: int
    loads: list[Load]
    name: str = ""
    turn: int = 0
    step: float = 1.0


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
