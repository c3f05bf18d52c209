"""The first user: a fresh start makes "admin" with a random password, so that nothing is ever open or guessable."""

from __future__ import annotations

import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

NAME = "admin"


def password_file() -> Path:
    """Where the first password is kept, readable by the server's user only."""
    return Path(settings.DATA_DIR) / "admin-password"


def make_first_user() -> bool:
    """Make "admin" where there is no user at all; True when it was made."""
    if User.objects.exists():
        return False
    password = secrets.token_urlsafe(12)
    file = password_file()
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)
    file.write_text(password + "\n")
    User.objects.create_superuser(NAME, password=password)
    return True


def first_password() -> str | None:
    """The stored first password while it is still valid; None once it was changed."""
    file = password_file()
    user = User.objects.filter(username=NAME, is_active=True).first()
    if user is None or not file.exists():
        return None
    password = file.read_text().strip()
    return password if user.check_password(password) else None
