"""The Celery application; `manage.py worker` and `manage.py serve` run its workers."""

import os
import signal
from typing import Any

from celery import Celery
from celery.signals import worker_process_init

from benchdash import filebroker
from runs.management.processes import end_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
filebroker.use()
app = Celery("benchdash")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect
def end_with_worker(**_: Any) -> None:
    """A pool's process must not outlive a worker that was killed: what it reads is read again by another one."""
    end_with_parent(signal.SIGKILL)
