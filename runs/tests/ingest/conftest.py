"""Storing is tested with a plain stand-in for relate; seeds go through the real one."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def plain_relations(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    from runs.tests.ingest import relating  # models cannot be imported before Django is set up

    if "real_relations" not in request.fixturenames:
        monkeypatch.setattr("runs.ingest.reading.relate", relating.relate)


@pytest.fixture
def real_relations() -> None:
    """Ask for it to let runs.ingest.relate guess."""
