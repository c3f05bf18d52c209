"""Every list, filter, search, detail and compare page on a small and on a large database, in turns.

The databases are filled by `manage.py make_sample`; BENCH_SMALL_URL and BENCH_LARGE_URL name two that are there already.
Run as `python -m benchmarks.lists [SMALL LARGE [TURNS]]` (numbers of runs) for a row a page.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from . import services
from .figures import HEADER, Figure

if TYPE_CHECKING:
    from django.test import Client

GOAL = 1.5
TURNS = 100  # of forty answers the p95 is the third slowest, and a machine with other work makes several pages miss
NAMED = {"BENCH_SMALL_URL": "small", "BENCH_LARGE_URL": "large"}


def figures(*, small: int = 1000, large: int = 1_000_000, turns: int = TURNS) -> list[Figure]:
    """One row: the page with the highest ratio, and how many stay under the goal."""
    found = measured(small, large, turns)
    if not found:
        return [Figure("lists of many runs", "not measured", "", "no PostgreSQL was found")]
    ratios = sorted((p95(large) / p95(small), name) for name, (small, large) in found.items())
    worst, name = ratios[-1]
    slow, quick = found[name][1], found[name][0]
    fits = sum(ratio <= GOAL for ratio, _ in ratios)
    return [
        Figure(
            f"{len(ratios)} lists, filters and pages at {large:,} runs; highest: {name}",
            f"p95 {p95(slow):.1f} ms, median {median(slow):.1f} ms",
            f"{small:,} runs: p95 {p95(quick):.1f} ms, median {median(quick):.1f} ms",
            f"{worst:.2f} times, {fits} of {len(ratios)} within the goal, middle one {ratios[len(ratios) // 2][0]:.2f} (n={turns})",
            f"at most {GOAL}",
            worst <= GOAL,
        )
    ]


def p95(times: list[float]) -> float:
    return sorted(times)[math.ceil(0.95 * len(times)) - 1]


Times = tuple[list[float], list[float]]


def measured(small: int, large: int, turns: int) -> dict[str, Times]:
    """Milliseconds of each page on both databases. Both answer in turn, so that a busy moment meets both.

    In one order of pages the garbage collector, whose turn comes after so many new objects, would meet the same ones again
    and again.
    """
    with ExitStack() as stack:
        urls = [stack.enter_context(_database(n, variable)) for n, variable in zip((small, large), NAMED, strict=True)]
        if None in urls:
            return {}
        workers = [stack.enter_context(_worker(str(url))) for url in urls]
        names = [json.loads(_answer_of(worker)) for worker in workers]
        found: dict[str, Times] = {name: ([], []) for name in names[0]}
        order = random.Random(1)  # noqa: S311  (no secret)
        for turn in range(turns + 1):
            for name in order.sample(names[0], len(names[0])):
                for worker, its in zip(workers, found[name], strict=True):
                    ms = _asked(worker, name)
                    if turn:  # the first one warms up
                        its.append(ms)
        return found


def _answer_of(worker: subprocess.Popen[str]) -> str:
    line = worker.stdout.readline() if worker.stdout else ""
    if not line:
        raise RuntimeError("a worker broke down; its error is above")
    return line


def _asked(worker: subprocess.Popen[str], name: str) -> float:
    print(name, file=worker.stdin, flush=True)
    return float(_answer_of(worker))


@contextmanager
def _database(runs: int, variable: str) -> Iterator[str | None]:
    """One that is named, or a new one filled with so many runs."""
    if os.environ.get(variable):
        yield os.environ[variable]
        return
    with services.database(f"_{NAMED[variable]}") as url:
        if url is not None:
            with tempfile.TemporaryDirectory(prefix="benchdash-bench-") as folder:
                env = _env(url, folder)
                services.manage(env, "migrate", "--verbosity", "0")
                services.manage(env, "make_sample", "--runs", str(runs))
        yield url


@contextmanager
def _worker(url: str) -> Iterator[subprocess.Popen[str]]:
    with tempfile.TemporaryDirectory(prefix="benchdash-bench-") as folder:
        command = [sys.executable, "-m", "benchmarks.lists", "--answer"]
        with subprocess.Popen(
            command, cwd=services.ROOT, env=_env(url, folder), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as worker:
            try:
                yield worker
            finally:
                worker.terminate()


def _env(url: str, folder: str) -> dict[str, str]:
    same = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "benchdash.settings"}
    return {**same, "HOME": folder, "DATA_DIR": folder, "DATABASE_URL": url}


def answer() -> None:
    """In a worker: print the names of the pages, then the milliseconds of each one that is asked for."""
    from benchdash.webworker import spare_the_program
    from benchmarks.pages import client

    browser = client()
    pages = addresses()
    spare_the_program()  # as the web server does; one look through all of it takes longer than most pages
    print(json.dumps(list(pages)), flush=True)
    for line in sys.stdin:
        print(_timed(browser, pages[line.strip()]), flush=True)


def _timed(browser: Client, address: str) -> float:
    start = perf_counter()
    response = browser.get(address)
    taken = 1000 * (perf_counter() - start)
    if response.status_code != 200:
        raise ValueError(f"{address} was answered with {response.status_code}")
    return taken


def addresses() -> dict[str, str]:
    """The same pages on any sample: filters that fill a page or nearly so, deep pages, an ordinary experiment's details."""
    found = _Found()
    return _lists(found) | _run_lists(found) | _details(found) | _rest(found)


class _Found:
    """What the addresses are made of: an experiment of twelve runs in four configs, and names that much or little has."""

    def __init__(self) -> None:
        from django.db.models import Count

        from runs.models import Config, Experiment, Facet, Host, Run, TrendLine, Upload

        newest = Experiment.objects.order_by("-pk").values("pk")[:400]
        sized = Experiment.objects.filter(pk__in=newest).annotate(
            n=Count("runs"), of=Count("runs__config", distinct=True)
        )
        self.experiment = sized.filter(n=12, of=4).order_by("-pk")[0]
        self.run = self.experiment.runs.order_by("pk")[0]
        self.far = {model: model._default_manager.order_by("-pk")[0].pk * 3 // 4 for model in (Experiment, Upload, Run)}
        self.used = {kind: Facet.objects.filter(kind=kind).order_by("-n_runs")[0].value for kind in Facet.Kind.values}
        self.rare = Facet.objects.filter(kind="command", n_runs__range=(2, 9)).order_by("n_runs")[0].value
        self.host = Host.objects.order_by("-n_runs")[0]
        self.trend = TrendLine.objects.filter(n_days__lte=40).order_by("-n_days")[0]
        few = Config.objects.filter(experiment__in=newest).annotate(n=Count("runs")).filter(n=1).order_by("-pk")
        self.single = [config.runs.get().pk for config in few[:2]]


def _lists(found: _Found) -> dict[str, str]:
    from runs.models import Experiment, Upload

    return {
        **{
            "home": "/",
            "experiments": "/experiments/",
            "uploads": "/uploads/",
            "hosts": "/hosts/",
            "trends": "/trends/",
        },
        "experiments, deep": f"/experiments/?after={found.far[Experiment]}",
        "uploads, deep": f"/uploads/?after={found.far[Upload]}",
        "trends, deep": "/trends/?after=9,100",
    }


def _details(found: _Found) -> dict[str, str]:
    ids = ",".join(str(pk) for pk in found.experiment.runs.order_by("pk").values_list("pk", flat=True))
    pages: dict[str, Any] = {
        "run": found.run,
        "config": found.run.config,
        "upload": found.run.upload,
        "experiment": found.experiment,
    }
    return {
        **{name: row.get_absolute_url() for name, row in pages.items()},
        "host": found.host.get_absolute_url(),
        "compare 12 runs": f"/compare/?runs={ids}",
        "compare 2 single runs": f"/compare/?runs={','.join(map(str, found.single))}",
        "trend": f"/trends/{found.trend.fingerprint}/",
    }


def _run_lists(found: _Found) -> dict[str, str]:
    from runs.models import Run

    far, used = found.far[Run], {kind: quote(value) for kind, value in found.used.items()}
    since = (found.run.created_at - timedelta(days=60)).date()
    queries = {
        **{"newest": "", "oldest": "sort=id", "deep": f"after={far}"},
        **{"fastest": "sort=-rps", "slowest": "sort=rps", "fastest, deep": f"sort=-rps&after=1800.0,{far}"},
        **{kind: f"{kind}={value}" for kind, value in used.items()},
        "host": f"host={quote(found.host.name)}",
        "experiment": f"experiment={found.experiment.pk}",
        "rare command": f"command={quote(found.rare)}",
        "tool, deep": f"tool=ab&after={far}",
        "tag, deep": f"tag=nightly&after={far}",
        "rate": "min_rps=1000&max_rps=2000",
        "since": f"since={since}",
        "tool and server": f"tool=ab&server={used['server']}",
        "tool, tag and rate": "tool=ab&tag=nightly&min_rps=500",
        "tool, fastest": "tool=ab&sort=-rps",
        "host, slowest": f"host={quote(found.host.name)}&sort=rps",
        "search, common": "q=worker",
        "search, common, deep": f"q=worker&after={far}",
        "search, rare": f"q={quote(found.rare)}",
        "search, nothing": "q=nothing-like-it",
        "search, two letters": "q=wo",
        "search in a tool": "q=event&tool=ab",
        "search, fastest": "q=prefork&sort=-rps",
    }
    return {f"runs, {name}": f"/runs/?{query}" for name, query in queries.items()}


def _rest(found: _Found) -> dict[str, str]:
    config = quote(found.used["config"])
    paths = {
        **{name: f"{name}/" for name in ("runs", "hosts", "configs", "experiments", "uploads", "captures")},
        "runs of a host": f"runs/?host={found.host.pk}",
        "runs with a tag": "runs/?tag=nightly",
        "runs of a config": f"runs/?config={config}",
        "runs by rate": "runs/?min_rps=1000&tool=ab",
        "runs since": f"runs/?since={(found.run.created_at - timedelta(days=60)).date()}",
        "configs of a name": f"configs/?name={config}&limit=1",
        "captures of a tool": "captures/?tool=top",
        "a run": f"runs/{found.run.pk}/",
        "a run's series": f"runs/{found.run.pk}/series/",
        "compare": f"compare/?runs={found.run.pk},{found.run.pk + 1}",
    }
    return {f"REST, {what}": f"/api/v1/{path}" for what, path in paths.items()}


def main() -> None:
    if "--answer" in sys.argv:
        answer()
        return
    small, large, turns = (*map(int, sys.argv[1:4]), *(1000, 1_000_000, TURNS)[len(sys.argv) - 1 :])
    print(HEADER)
    for name, (quick, slow) in measured(small, large, turns).items():
        ratio = p95(slow) / p95(quick)
        was = [f"p95 {p95(times):.1f} ms, median {median(times):.1f} ms" for times in (slow, quick)]
        print(Figure(name, was[0], was[1], f"{ratio:.2f} times", f"at most {GOAL}", ratio <= GOAL).row, flush=True)


if __name__ == "__main__":
    main()
