"""The page of an experiment at two sizes: queries, milliseconds and kB, in a process and a database of its own.

And what the conclusions add to the page of a large experiment: worked out anew, and kept from before.
Run as `python -m benchmarks.pages` with DATA_DIR naming an empty folder; prints one JSON object a size, then one for the
conclusions.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from .figures import Figure

if TYPE_CHECKING:
    from django.test import Client

ROOT = Path(__file__).resolve().parent.parent
SIZES = (8, 80)
REPEATS, TIMES, MOST, MOST_HTML_KB = 5, 9, 12, 60
JUDGED_CONFIGS, JUDGED_REPEATS, MOST_JUDGING_MS = 8, 40, 150


def figures() -> list[Figure]:
    """Measured by this module in a new process, so that neither its memory nor its settings touch the other figures."""
    with tempfile.TemporaryDirectory(prefix="benchdash-bench-") as data:
        env = {"PATH": os.environ["PATH"], "DATA_DIR": data, "DJANGO_SETTINGS_MODULE": "benchdash.settings"}
        command = [sys.executable, "-m", "benchmarks.pages"]
        done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
    small, large, judging = (json.loads(line) for line in done.stdout.splitlines())
    same = small["queries"] == large["queries"]
    sizes = [_figure(size, beside, same) for size, beside in ((small, large), (large, small))]
    return [*sizes, *(_weight(size) for size in (small, large)), _judging(judging)]


def _weight(size: dict[str, Any]) -> Figure:
    """What a visit brings, and beside it what the figures in the page weigh before compression."""
    what = f"HTML of that page, {size['configs']} x {REPEATS} runs"
    measured = f"{size['html_kb']:.1f} kB compressed, {size['kb']:.0f} kB plain"
    reference = f"its {size['figures']} figures: {size['figures_kb']:.1f} kB plain"
    small = size["configs"] == min(SIZES)
    goal = f"at most {MOST_HTML_KB} kB" if small else ""
    return Figure(what, measured, reference, "", goal, size["html_kb"] <= MOST_HTML_KB if small else None)


def _judging(times: dict[str, float]) -> Figure:
    what = f"verdicts and doubts, {JUDGED_CONFIGS} x {JUDGED_REPEATS} runs"
    measured = f"adds {times['anew_ms']:.0f} ms of CPU"
    reference = f"kept: {times['kept_ms']:.0f} ms, the page {times['page_ms']:.0f} ms"
    result = f"{times['anew_ms'] / times['page_ms']:.2f} of the page (n={TIMES})"
    return Figure(what, measured, reference, result, f"under {MOST_JUDGING_MS} ms", times["anew_ms"] < MOST_JUDGING_MS)


def _figure(size: dict[str, Any], beside: dict[str, Any], same: bool) -> Figure:
    what = f"experiment page, {size['configs']} x {REPEATS} runs, {size['kb']:.0f} kB"
    reference = f"{beside['configs']} x {REPEATS}: {beside['queries']} queries, {beside['ms']:.0f} ms"
    result = f"{size['ms'] / beside['ms']:.2f} of its time (n={TIMES})"
    measured = f"{size['queries']} queries, {size['ms']:.0f} ms"
    return Figure(what, measured, reference, result, f"at most {MOST}, equal", same and size["queries"] <= MOST)


def main() -> None:
    """Both pages in turn, so that a busy moment meets both."""
    browser = client()
    from runs.tests.factories import wsgi_experiment

    made = [wsgi_experiment(n_configs=n, n_repeats=REPEATS) for n in SIZES]
    times: dict[int, list[float]] = {n: [] for n in SIZES}
    for _ in range(TIMES):
        for n, experiment in zip(SIZES, made, strict=True):
            start = perf_counter()
            browser.get(experiment.get_absolute_url())
            times[n].append(1000 * (perf_counter() - start))
    for n, experiment in zip(SIZES, made, strict=True):
        queries, page = _counted(browser, experiment.get_absolute_url())
        told = {"configs": n, "queries": queries, "ms": median(times[n]), "kb": len(page) / 1000}
        print(json.dumps(told | _weights(browser, experiment.get_absolute_url(), page)))
    print(json.dumps(_times_of_judging(browser)))


def _weights(browser: Client, address: str, page: bytes) -> dict[str, float]:
    """kB: of the compressed page, and of the figures in it as they are."""
    figures = re.findall(r'<script id="figure-\w+" type="application/json">(.*?)</script>', page.decode())
    return {
        "html_kb": len(browser.get(address, headers={"Accept-Encoding": "gzip, deflate, br"}).content) / 1000,
        "figures": len(figures),
        "figures_kb": sum(map(len, figures)) / 1000,
    }


def _times_of_judging(browser: Client) -> dict[str, float]:
    """CPU milliseconds that the conclusions take anew and kept, and that the page takes as a whole with them kept."""
    from django.core.cache import caches

    from runs.analysis import table
    from runs.selectors import judging, reads
    from runs.tests.factories import wsgi_experiment

    experiment = wsgi_experiment(n_configs=JUDGED_CONFIGS, n_repeats=JUDGED_REPEATS)
    material = reads.of_experiment(experiment)
    comparison = table.compare(material.configs, material.runs, material.captures)
    times: dict[str, list[float]] = {"anew_ms": [], "kept_ms": [], "page_ms": []}
    for _ in range(TIMES):
        caches["conclusions"].clear()
        for name in ("anew_ms", "kept_ms"):
            start = process_time()
            judging.judged(material, comparison)
            times[name].append(1000 * (process_time() - start))
        start = process_time()
        browser.get(experiment.get_absolute_url())
        times["page_ms"].append(1000 * (process_time() - start))
    return {name: median(each) for name, each in times.items()}


def client() -> Client:
    """A logged-in client on this database."""
    import django
    from django.conf import settings

    # The manifest exists only after collectstatic, and the client calls itself "testserver".
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": static}
    settings.ALLOWED_HOSTS = ["testserver"]
    (settings.DATA_DIR / "static").mkdir()
    django.setup()

    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    call_command("migrate", verbosity=0)
    browser = Client()
    browser.force_login(User.objects.get_or_create(username="reader")[0])
    return browser


def _counted(browser: Client, address: str) -> tuple[int, bytes]:
    """(queries, body) of a page."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as counted:
        response = browser.get(address)
    if response.status_code != 200:
        raise ValueError(f"{address} was answered with {response.status_code}")
    return len(counted), response.content


if __name__ == "__main__":
    main()
