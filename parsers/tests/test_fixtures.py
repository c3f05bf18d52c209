"""Each capture under fixtures/ gives what its .json says; a new capture is a test by being put there."""

from __future__ import annotations

import pytest

from parsers.catalogue import UNKNOWN, find_kinds, formats

from .reading import FIXTURES, agrees, blocks, expected, fixtures, name, text_of, with_ends


@pytest.mark.parametrize("path", fixtures(), ids=name)
def test_lines_and_values(path):
    """The values that are expected, and no field that the tool did not print; records of each block.

    All but listings of threads, which would count memory many times, figures without a pid or a command, and averages, which
    are of no one moment.
    """
    found, wanted = blocks(text_of(path)), expected(path)
    found = found if wanted else [block for block in found if block.values]  # a rate of no tool that is known
    assert [(b.kind, list(b.lines)) for b in found] == [(w["kind"], w["lines"]) for w in wanted]
    for block, want in zip(found, wanted, strict=True):
        values = with_ends(block)
        missing = {k: (v, values.get(k)) for k, v in want["values"].items() if not agrees(v, values.get(k))}
        assert not missing
        assert set(block.values) <= set(want["values"]) | {"processes", "processors", "rows"}
        assert (
            block.records
            or (columns := set(block.values.get("columns", []))) & {"lwp"}
            or (columns and not columns & {"pid", "command"})
            or block.values.keys() & {"average", "prepares"}
        )


@pytest.mark.parametrize("kind", [kind for kind in formats() if (FIXTURES / kind).is_dir()])
def test_openings_match_no_other_tool(kind):
    """No line of one tool's output begins another's, but for what the capture has of another tool, and a first line of both."""
    for path in fixtures(kind):
        if path.suffix == ".html":
            continue
        others = [w["lines"] for w in expected(path) if w["kind"] != kind]
        for number, line in enumerate(text_of(path).split("\n"), start=1):
            if any(first <= number <= last for first, last in others):
                continue
            opened = find_kinds(line.lstrip("> "))
            alone = {b.kind for b in blocks(line)} if opened and kind not in opened else set()
            assert alone <= {kind, UNKNOWN}, line


def test_every_format_has_a_fixture():
    assert {k for k in formats() if k != "config"} <= {path.parent.name for path in fixtures()}
