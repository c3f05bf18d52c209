"""Static files: which are collected, and how they are stored: under hashed names, compressed once, at the start."""

from __future__ import annotations

from typing import Any

import brotli
from django.contrib.staticfiles.apps import StaticFilesConfig
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(StaticFilesConfig):
    """Of the packages of Plotly and htmx only the script that pages load is collected."""

    # plotly brings example data and notebook parts, django-htmx other editions of htmx.
    of_plotly = ("datasets", "templates", "widgetbundle.js")
    of_htmx = ("htmx-4*", "htmax-4*", "htmx-2.js", "django-htmx.js", "ext")
    ignore_patterns = [*StaticFilesConfig.ignore_patterns, *of_plotly, *of_htmx]


class QuickCompressor(Compressor):  # type: ignore[misc]
    """Brotli at 9, not 11: Plotly's script then takes half a second instead of ten, which the first start waits for.

    It comes to 1.23 MB instead of 1.11; gzip leaves 1.47 of its 4.8.
    """

    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        compressed: bytes = brotli.compress(data, quality=9)
        return compressed


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    def create_compressor(self, **options: Any) -> QuickCompressor:
        return QuickCompressor(**options)
