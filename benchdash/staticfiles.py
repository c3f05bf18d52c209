"""Static files and templates as pages get them: under hashed names, compressed once, at the start; without indentation."""

from __future__ import annotations

import re
from typing import Any

import brotli
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.template.base import Origin
from django.template.loaders.filesystem import Loader
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


# A line's indentation, which would double the size of pages with many rows, and what must stay as it is.
_INDENTATION = re.compile(r"(<(pre|textarea)\b.*?</\2>)|\n[ \t]+", re.DOTALL)


class TemplateLoader(Loader):
    """The files below DIRS; white space at the start of a line becomes nothing, the line break stays."""

    def get_contents(self, origin: Origin) -> str:
        return _INDENTATION.sub(lambda match: match[1] or "\n", super().get_contents(origin))
