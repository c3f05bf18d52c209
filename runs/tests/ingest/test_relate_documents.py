"""Documents of many kinds, in several languages, come out as a careful reader would take them."""

from __future__ import annotations

import pytest

from .documents import FOLDER, outline_of, outlined, read, written


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_it_is_understood_as_a_reader_would(name):
    assert outlined(*read(written(name))) == outline_of(name)
