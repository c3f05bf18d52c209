"""The Celery application; a worker runs with `celery -A benchdash worker`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchdash.settings")
app = Celery("benchdash")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
