"""The first user: random password, kept for its owner, forgotten once it was changed."""

from __future__ import annotations

import stat

import pytest
from django.contrib.auth.models import User

from runs.management.commands.first_start import first_password, make_first_user, password_file

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def test_a_fresh_start_makes_admin_with_a_random_password():
    assert make_first_user()
    password = first_password()
    assert len(password) >= 16
    assert User.objects.get().is_superuser
    assert stat.S_IMODE(password_file().stat().st_mode) == 0o600
    User.objects.all().delete()
    make_first_user()
    assert first_password() != password


def test_where_there_is_a_user_none_is_made():
    User.objects.create_user("ann")
    assert not make_first_user()
    assert first_password() is None


def test_a_changed_password_is_no_longer_told():
    make_first_user()
    user = User.objects.get()
    user.set_password("another-2-word")
    user.save()
    assert first_password() is None
