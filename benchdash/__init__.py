"""Settings, root URLconf, Celery, ASGI. Importing it registers the Celery application for `shared_task`."""

from benchdash.celery import app as celery_app

__all__ = ["celery_app"]
