"""Somebody who may run plans, and a browser with that person's session.

Models are imported late: this file is read before Django is set up.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from runs.tests.remote.living import by_ssh, database, go, lab, queue, sending, site  # noqa: F401  (fixtures)


@pytest.fixture
def runner(db: None) -> Any:
    from runs.tests.remote import rows

    return rows.user("run_plan")


@pytest.fixture
def browser(runner: Any) -> Client:
    client = Client()
    client.force_login(runner)
    return client


@pytest.fixture
def onlooker(django_user_model: Any, db: None) -> Client:
    """Logged in, without any permission."""
    client = Client()
    client.force_login(django_user_model.objects.create_user("onlooker"))
    return client
