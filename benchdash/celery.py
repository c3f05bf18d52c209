"""The Celery application, and its queue in a folder, made safe for several workers.

Kombu's own transport writes each file in place, so that a worker that reads it meanwhile finds it empty and fails; and it
takes a message by moving it to the system's temporary folder, which between two file systems is a copy. Here a message or a
table is always visible whole.
"""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from celery import Celery
from celery.signals import after_setup_logger, after_setup_task_logger, beat_init, worker_init, worker_process_init
from django.conf import settings
from kombu.exceptions import OperationalError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads
from redis import RedisError

from benchdash import env
from benchdash.faults import LogRarely, Outage, watch_postgresql
from runs.management.processes import end_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # Django's, which import every page: a third of a worker's start
TRANSPORT_ALIASES["filesystem"] = f"{__name__}:Transport"


class App(Celery):
    """Celery's. A broker that did not answer is left alone for some seconds, so that uploads do not wait for it one by one."""

    outage = Outage()

    def send_task(self, *args: Any, **options: Any) -> Any:
        """Raises kombu's OperationalError where the broker is away or full."""
        if self.outage.lasts():
            raise OperationalError("It did not answer a moment ago.")
        try:
            sent = super().send_task(*args, **options)
        except (OperationalError, RedisError, OSError) as error:
            self.outage.begin()
            raise OperationalError(str(error)) from error
        self.outage.end()
        return sent


app = App("benchdash")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect
def end_with_worker(**_: Any) -> None:
    """A pool process must not outlive a worker that was killed: another worker parses its text again."""
    end_with_parent(signal.SIGKILL)


@beat_init.connect
@worker_init.connect
def notice_frozen_database(**_: Any) -> None:
    watch_postgresql(patience_s=30)
    env.limit_statements_of_worker(settings.DATABASES["default"])


@after_setup_logger.connect
@after_setup_task_logger.connect
def log_faults_rarely(logger: logging.Logger, **_: Any) -> None:
    """Celery's handlers replace those of the settings."""
    for handler in logger.handlers:
        if not any(isinstance(one, LogRarely) for one in handler.filters):
            handler.addFilter(LogRarely())


def _write(file: Path, content: str) -> None:
    """The whole content, or nothing yet. No queue's name ends like the file's first one."""
    fresh = file.with_name(f"{uuid.uuid4()}.part")
    fresh.write_text(content)
    fresh.replace(file)


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns():020}_{uuid.uuid4()}.{queue}.msg"
        _write(Path(self.data_folder_out) / name, dumps(payload))

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        """The oldest message, which from here on is nobody else's."""
        folder = Path(self.data_folder_in)
        for file in sorted(folder.iterdir()):
            if file.name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f"{uuid.uuid4()}.taken"
            try:
                file.rename(taken)
            except FileNotFoundError:
                continue  # another worker was quicker
            payload = taken.read_text()
            taken.unlink()
            return loads(payload)
        raise Empty

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str) -> None:
        bound = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda rows: rows if bound in rows else [bound, *rows])

    def _delete(self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any) -> None:
        self._purge(queue)
        bound = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        self._change_table(exchange, lambda rows: [row for row in rows if row != bound])

    def _change_table(self, exchange: str, change: Callable[[list[Any]], list[Any]]) -> None:
        file: Path = self._exchange_file(exchange)  # type: ignore[attr-defined]
        with self._tables_locked():
            before = self.get_table(exchange)
            after = change(before)
            if after != before:
                _write(file, dumps(after))

    @contextmanager
    def _tables_locked(self) -> Iterator[None]:
        self.control_folder.mkdir(exist_ok=True)
        with (self.control_folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # closing it releases the lock
            yield


class Transport(filesystem.Transport):
    Channel = Channel
