"""The one Django application: uploads, what was read from them, and the pages about it."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"
