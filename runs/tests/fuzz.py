"""make fuzz: reads mutated captures, relates some, judges and stores a few and opens their pages; reports what raises or takes
long.

    make fuzz [N=1000000] [SEED=1] [FIRST=0] [JOBS=2]

A case is known by SEED and its number: FIRST=number N=1 tries it once more. The last line says how to go on. What is stored
is rolled back; it goes to SQLite, or where TEST_DATABASE_URL says.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import math
import os
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from random import Random
from time import monotonic, process_time
from typing import Any

from parsers.tests import mutate
from parsers.tests.reading import holds, split_lines

CHUNK = 500  # cases that a process is given at a time
RELATED, COMPARED, STORED = 20, 50, 100  # one case in so many
HANGS_S, S_A_MB, FREE_S = 20.0, 1.0, 0.05  # of CPU time; the last is not counted
TRIES = 3  # of a slow case: on a busy machine one may take longer
LOOP = 200_000  # steps of the loop that tells how busy it is
ENDS_S = 300  # behind which the process ends with a traceback: no signal stops a loop in C. Each arming makes a thread
SHOWN = 3  # cases of one failure
ROOT = Path(__file__).resolve().parent.parent.parent
client: Any = None  # of this process, logged in
fastest_loop_s = math.inf  # in this process so far


class Hangs(BaseException):
    """A case took too long. It is no Exception, so that nothing takes it for a fault of one block."""


class RolledBack(Exception):
    """Ends the transaction of a case that was stored."""


class Faults(logging.Handler):
    """Passes on what the reader's guard has caught."""

    def emit(self, record: logging.LogRecord) -> None:
        assert record.exc_info and record.exc_info[1]
        raise Hangs from record.exc_info[1]


def try_cases(seed: str, numbers: Iterable[int], client: Any) -> Iterator[tuple[int, str]]:
    """(number, what is wrong) of the cases that fail: an exception and its place, or the CPU time of a slow one."""
    armed = -math.inf
    with _watched():
        for number in numbers:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            text = mutate.text(f"{seed}:{number}")
            signal.setitimer(signal.ITIMER_VIRTUAL, HANGS_S)
            if monotonic() > armed + ENDS_S / 10:
                armed = monotonic()
                faulthandler.dump_traceback_later(ENDS_S, exit=True)
            lines, most_s = split_lines(text), FREE_S + S_A_MB * len(text) / 1e6
            complete = Random(number).random() < 0.5  # noqa: S311
            try:
                tries = (_read(lines, complete=complete) for _ in range(TRIES))
                is_slow = all(spent > most_s and spent > most_s * _measure_slowdown() for spent in tries)
                if number % STORED == 0:
                    store(text, Random(number), client)  # noqa: S311
                elif number % COMPARED == 0:
                    judge(mutate.comparison(f"{seed}:{number}"))
                elif number % RELATED == 0:
                    relate(text, Random(number))  # noqa: S311
            except (Exception, Hangs) as error:
                yield number, _place_of(error.__cause__ or error)
            else:
                if is_slow:
                    yield number, f"slow: more than {most_s:.2f} s for {len(text):,} characters"


def _read(lines: list[str], *, complete: bool) -> float:
    begun = process_time()
    holds(lines, complete=complete)
    return process_time() - begun


def _measure_slowdown() -> float:
    """How many times as much CPU time as at its fastest a loop takes now: processes that share a core slow each other."""
    global fastest_loop_s
    begun = process_time()
    for number in range(LOOP):
        str(number)
    took = process_time() - begun
    fastest_loop_s = min(fastest_loop_s, took)
    return took / fastest_loop_s


@contextmanager
def _watched() -> Iterator[None]:
    """What the guard of the reader catches, and what hangs, is raised."""

    def stop(*_: Any) -> None:
        raise Hangs(f"more than {HANGS_S:g} s")

    log, faults, before = logging.getLogger("parsers.blocks"), Faults(), signal.signal(signal.SIGVTALRM, stop)
    log.addHandler(faults)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGVTALRM, before)
        log.removeHandler(faults)


def _place_of(error: BaseException) -> str:
    """The exception with the innermost line that is our own."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(str(ROOT))]
    ours = [frame for frame in frames if "/tests/" not in frame.filename and "/.venv/" not in frame.filename] or frames
    return f"{type(error).__name__} at {os.path.relpath(ours[-1].filename, ROOT)}:{ours[-1].lineno}: {str(error)[:120]}"


def relate(text: str, random: Random) -> None:
    from runs import ingest  # needs settings, which `prepare` makes

    try:
        ingest.preview(text.encode("utf-8", "surrogatepass"), hints=_hints(random))
    except ingest.Rejected:
        return


def judge(text: str) -> None:
    from runs import ingest
    from runs.selectors.judging import judge_draft

    shown = ingest.preview(text.encode())
    for drafted in shown.draft.experiments:
        headline = judge_draft(shown, drafted)
        assert headline is None or headline.sentence, "no sentence"


def store(text: str, random: Random, client: Any) -> None:
    """Store it, open its pages, read it again, and roll everything back."""
    from django.db import transaction

    from runs import ingest

    try:
        with transaction.atomic():
            data = text.encode("utf-8", "surrogatepass")
            upload = ingest.submit(data, origin="rest", name=_odd_name(random), hints=_hints(random)).upload
            rows = [upload, *upload.runs.all()[:1], *{run.experiment for run in upload.runs.all()}]
            for address in (f"/api/v1/uploads/{upload.pk}/", *(row.get_absolute_url() for row in rows)):
                status = client.get(address).status_code
                assert status == 200, f"{address.split('/')[1]}: {status}"
            ingest.apply_deltas()
            ingest.reparse(upload.pk)
            raise RolledBack
    except (ingest.Rejected, RolledBack):
        return


def _hints(random: Random) -> Any:
    from runs import ingest

    names = {name: _odd_name(random) for name in ("host", "config", "experiment")}
    return ingest.Hints.from_dict({**names, "tags": [_odd_name(random)]})


def _odd_name(random: Random) -> str:
    return random.choice(("", "", "web1", "x" * 5000, "".join(random.choices(mutate.SIGNS, k=5))))


def prepare() -> None:
    """Django, a database and a user of this process's own."""
    global client
    import django
    from django.conf import settings

    django.setup()
    from django.contrib.auth.models import User
    from django.test import Client
    from django.test.utils import setup_databases

    settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = f"fuzz_{os.getpid()}"
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        settings.DATABASES["default"]["TEST"]["NAME"] = f"{settings.DATA_DIR}/{os.getpid()}.sqlite3"
    setup_databases(verbosity=0, interactive=False)
    client = Client()
    client.force_login(User.objects.create_superuser("fuzz"))
    logging.getLogger("parsers.blocks").propagate = False
    for number in range(50):  # patterns are compiled at their first use, which is no case's time
        holds(mutate.text(f"before:{number}").splitlines(keepends=True))
        _measure_slowdown()


def _try_chunk(seed: str, numbers: range) -> list[tuple[int, str]]:
    return list(try_cases(seed, numbers, client))


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    ends = range(given.first, given.first + given.n)
    chunks = [ends[at : at + CHUNK] for at in range(0, len(ends), CHUNK)]
    seen: Counter[str] = Counter()
    with ProcessPoolExecutor(given.jobs, initializer=prepare) as processes:
        done = given.first
        try:
            for chunk, failures in zip(chunks, processes.map(_try_chunk, repeat(given.seed), chunks), strict=True):
                done = chunk.stop
                for number, failure in failures:
                    kind = failure.partition(":")[0] if failure.startswith("slow") else failure.partition(": ")[0]
                    seen[kind] += 1
                    if seen[kind] <= SHOWN or kind == "slow":
                        print(f"SEED={given.seed} FIRST={number} N=1  {failure}", flush=True)
                if done % 20_000 == 0:
                    print(f"{done - given.first:,} cases, {seen.total():,} fail", flush=True)
        except KeyboardInterrupt:
            processes.shutdown(cancel_futures=True)
    for kind, n in seen.most_common():
        print(f"{n} x {kind}")
    print(f"{done - given.first:,} cases, {seen.total():,} fail; go on with SEED={given.seed} FIRST={done}")
    return bool(seen)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="fuzz-") as data:
        os.environ |= {"DATA_DIR": data, "DJANGO_SETTINGS_MODULE": "benchdash.settings", "OPENBLAS_NUM_THREADS": "1"}
        os.environ["DATABASE_URL"] = os.environ.get("TEST_DATABASE_URL", "")
        os.environ["ALLOWED_HOSTS"] = "testserver"
        sys.exit(main())
