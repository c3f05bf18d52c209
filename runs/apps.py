"""The one Django application: uploads, what was read from them, and the pages about it."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(forget_facets, sender=self)


def forget_facets(**_: Any) -> None:
    """Tables that were just made, or emptied by `manage.py flush`, hold none of the rows that this process remembers."""
    from runs.ingest import tallies

    tallies.forget()
