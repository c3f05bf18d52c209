"""What every test shares: a data folder of its own, and a clean count of API calls."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Before Django reads its settings: the tests must neither see nor touch the developer's var/.
DATA = tempfile.TemporaryDirectory(prefix="benchdash-test-")
(Path(DATA.name) / "static").mkdir()
for name in ("SECRET_KEY", "DEBUG", "PUBLIC_READ", "ALLOWED_HOSTS", "CELERY_BROKER_URL", "PORT", "DATABASE_URL"):
    os.environ.pop(name, None)
os.environ["DATA_DIR"] = DATA.name
if os.environ.get("TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]


def pytest_configure(config: pytest.Config) -> None:
    from django.conf import settings

    # The manifest exists only after collectstatic, which tests have no need of.
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _fresh_throttles() -> Iterator[None]:
    from django.core.cache import cache

    cache.clear()
    yield
