"""The site's own settings with the reference view beside it, and nothing compressed beforehand: no file is asked for."""

from benchdash.settings import *  # noqa: F403
from benchdash.settings import STATIC_ROOT, STORAGES

ROOT_URLCONF = "benchmarks.rest_urls"
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
STATIC_ROOT.mkdir(exist_ok=True)
