"""Mutated captures of one seed: nothing raises and nothing hangs. `make fuzz` tries others, and minds the time as well."""

from __future__ import annotations

import pytest
from django.db import connection

from . import fuzz

CASES, PARTS = 20_000, 8


@pytest.mark.django_db
@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_raises(part, admin_client):
    first, end = part * CASES // PARTS, (part + 1) * CASES // PARTS
    step = 1 if connection.vendor == "sqlite" else 2 * fuzz.STORED  # reading has nothing to do with the database
    failed = [case for case in fuzz.try_cases("suite", range(first, end, step), admin_client) if "slow" not in case[1]]
    assert failed == []


@pytest.mark.usefixtures("caplog")
def test_a_fault_and_a_text_without_end_are_found(monkeypatch):
    """Made: a format that raises, and a reader that never comes back."""
    monkeypatch.setattr("parsers.reader.find_opening", lambda line: {}[line])
    assert "KeyError at parsers/" in dict(fuzz.try_cases("suite", [1], None))[1]

    def never_return(lines, complete):
        while True:
            next(iter(lines))

    monkeypatch.setattr(fuzz, "HANGS_S", 0.2)
    monkeypatch.setattr(fuzz, "holds", never_return)
    assert "Hangs at" in dict(fuzz.try_cases("suite", [1], None))[1]
