"""A person who is logged in."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client


@pytest.fixture
def person(django_user_model: Any, db: None) -> Any:
    return django_user_model.objects.create_user("reader", password="a long enough one")


@pytest.fixture
def browser(person: Any) -> Client:
    """A client with that person's session."""
    client = Client()
    client.force_login(person)
    return client
