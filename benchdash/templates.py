"""Templates without the indentation of their source, which would double the size of pages with many rows."""

from __future__ import annotations

import re

from django.template.base import Origin
from django.template.loaders.filesystem import Loader as FileLoader

# A line's indentation, and what must stay as it is.
_INDENTATION = re.compile(r"(<(pre|textarea)\b.*?</\2>)|\n[ \t]+", re.DOTALL)


class Loader(FileLoader):
    """The files below DIRS; white space at the start of a line becomes nothing, the line break stays."""

    def get_contents(self, origin: Origin) -> str:
        return _INDENTATION.sub(lambda found: found[1] or "\n", super().get_contents(origin))
