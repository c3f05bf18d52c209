"""`make run`: the web server, the workers and the clock as one program, on one machine, with nothing to install beside it."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from runs.accounts.first_user import first_password, password_file
from runs.management.celeries import clock, workers
from runs.management.probe import a_name, answers
from runs.management.supervise import run_together

LOCAL = {"localhost", "127.0.0.1", "[::1]"}


class Command(BaseCommand):
    help = "Prepare the database, then run web server, workers and clock until Ctrl-C."
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        # Where ALLOWED_HOSTS names this machine only, nobody else is to reach it.
        interface = "127.0.0.1" if set(settings.ALLOWED_HOSTS) <= LOCAL else "0.0.0.0"
        _demand_free(interface, settings.PORT)
        os.umask(0o077)  # what people upload is for the server's user only
        self.first = not password_file().exists()
        call_command("first_start", stdout=self.stdout)
        host = a_name(settings.ALLOWED_HOSTS)
        ended = run_together(
            {"The web server": web(interface, settings.PORT), **workers(local=True), "The clock": clock()},
            is_up=lambda: answers(settings.PORT, host),
            announce=lambda: self.announce(host),
        )
        if ended:
            raise CommandError(f"{ended}; the rest was stopped.")
        self.stdout.write("Stopped.")

    def announce(self, host: str) -> None:
        """Say where it is and how to get in."""
        self.stdout.write(f"\nbenchdash is at http://{host}:{settings.PORT}/")
        if password := first_password():
            where = password_file()
            shown = f"{password} (kept in {where})" if self.first else f"in {where}"
            self.stdout.write(f"Log in as admin with the password {shown}")
            self.stdout.write(f"and change it at http://{host}:{settings.PORT}/password/")
        self.stdout.write("Ctrl-C stops it.\n")
        self.stdout.flush()


def web(interface: str, port: int) -> list[str]:
    """gunicorn's command line. Threads, because most of a request is waiting for the database."""
    kind = "--worker-class benchdash.webworker.Worker --workers 2 --threads 4"
    options = f"--bind {interface}:{port} {kind} --timeout 120 --log-level warning --no-control-socket"
    return [sys.executable, "-m", "gunicorn", "benchdash.wsgi", *options.split()]


def _demand_free(interface: str, port: int) -> None:
    try:
        socket.create_server((interface, port)).close()
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise CommandError(f"Port {port} cannot be used ({why}). Choose another: PORT=8001 make run") from error
