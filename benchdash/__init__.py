"""Wiring: settings, addresses, Celery, WSGI. Importing it makes the Celery application known to `shared_task`."""

from benchdash.celery import app as celery_app

__all__ = ["celery_app"]
