"""Documents of many kinds, in several languages, come out as a careful reader would take them."""

from __future__ import annotations

import pytest

from .documents import FOLDER, expand, outline_of, outlined, read, written


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_it_is_understood_as_a_reader_would(name):
    assert outlined(*read(written(name))) == outline_of(name)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## Before", "## After"),
        ("Vorher:", "Nachher:"),
        ("Antes:", "Después:"),
        ("До оптимизации", "После оптимизации"),
        ("优化前", "优化后"),
        ("変更前", "変更後"),
        ("master", "this PR"),
    ],
)
def test_before_and_after_a_change_are_two_set_ups(before, after):
    _, draft = read(expand(f"# The page\n\n{before}\n```\n@ab 100.5\n```\n\n{after}\n```\n@ab 220.7\n```\n"))
    (experiment,) = draft.experiments
    assert [config.name for config in experiment.configs] == [before.strip("# :"), after.strip("# :")]
