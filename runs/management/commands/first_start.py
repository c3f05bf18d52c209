"""Everything that must be there before the web server starts; each start runs it, and mostly finds all of it done."""

from __future__ import annotations

import fcntl
import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand

from runs import ingest
from runs.database import database_lock
from runs.selectors.judging import work_out_headlines

FIRST_USER = "admin"
START_LOCK = 0x62656E6368  # PostgreSQL's number for it: "bench"
SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"


class Command(BaseCommand):
    help = "Migrate the database, collect static files; on the first start load samples and create the user admin."
    requires_migrations_checks = False
    requires_system_checks = []  # see serve

    def handle(self, *args: Any, **options: Any) -> None:
        with take_turn():
            self._prepare()

    def _prepare(self) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        collect_static_when_changed()
        # The user is made last: a first start that was cut short is a first start again, and loading repeats nothing.
        if not User.objects.exists():
            self.stdout.write(f"{load_samples()} sample sessions loaded")
            make_first_user()
            self.stdout.write(f"Created the user admin; the password is in {password_file()}")
        work_out_headlines()
        ingest.apply_deltas()  # what samples or a migration have counted is there on the first page that is opened


@contextmanager
def take_turn() -> Iterator[None]:
    """Starts at the same time wait for each other: those with one DATA_DIR, and those with one PostgreSQL."""
    with (Path(settings.DATA_DIR) / "start.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # closing it releases the lock
        with database_lock(START_LOCK):
            yield


def load_samples() -> int:
    """Store the sample sessions of runs/samples as pastes are stored; return how many were not there already."""
    files = sorted(SAMPLES.glob("*.txt"), reverse=True)  # the pages show the newest first: that is number 1
    receipts = [ingest.submit(file.read_bytes(), origin="sample", name=file.name) for file in files]
    ingest.apply_deltas()
    return sum(receipt.created for receipt in receipts)


def collect_static_when_changed() -> bool:
    """Bring STATIC_ROOT up to date; True when a source file had changed. Compressing Plotly's script takes seconds."""
    stamp = Path(settings.STATIC_ROOT) / ".sources"
    sources = _checksum_of_static_sources()
    if stamp.exists() and stamp.read_text() == sources:
        return False
    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    stamp.write_text(sources)
    return True


def _checksum_of_static_sources() -> str:
    """The sha256 of each source file's path, size and time."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            about = Path(storage.path(name)).stat()
            digest.update(f"{name} {about.st_size} {about.st_mtime_ns}\n".encode())
    return digest.hexdigest()


# --- the first user: a fresh start makes "admin" with a random password, so that nothing is ever open or guessable -----------


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
    User.objects.create_superuser(FIRST_USER, password=password)
    return True


def first_password() -> str | None:
    """The stored first password while it is still valid; None once it was changed."""
    file = password_file()
    user = User.objects.filter(username=FIRST_USER, is_active=True).first()
    if user is None or not file.exists():
        return None
    password = file.read_text().strip()
    return password if user.check_password(password) else None
