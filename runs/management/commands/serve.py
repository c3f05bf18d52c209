"""`make run`: the web server, the workers and the scheduler as one program, on one machine, with no server to install."""

from __future__ import annotations

import os
import socket
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from runs.management.commands.first_start import first_password, password_file
from runs.management.processes import (
    beat_command,
    choose_host_name,
    is_web_up,
    run_together,
    web_command,
    worker_commands,
)

LOCAL = {"localhost", "127.0.0.1", "[::1]"}


class Command(BaseCommand):
    help = "Prepare the database, then run web server, workers and scheduler until Ctrl-C."
    requires_migrations_checks = False
    requires_system_checks = []  # they import every page, which the processes started below do anyway

    def handle(self, *args: Any, **options: Any) -> None:
        # Where ALLOWED_HOSTS names this machine only, nobody else is to reach it.
        interface = "127.0.0.1" if set(settings.ALLOWED_HOSTS) <= LOCAL else "0.0.0.0"
        _require_free_port(interface, settings.PORT)
        os.umask(0o077)  # what people upload is for the server's user only
        self.first = not password_file().exists()
        call_command("first_start", stdout=self.stdout)
        host = choose_host_name(settings.ALLOWED_HOSTS)
        web = {"The web server": web_command(interface, settings.PORT)}
        ended = run_together(
            web | worker_commands(local=True) | {"The scheduler": beat_command()},
            is_up=lambda: is_web_up(settings.PORT),
            announce=lambda: self.announce(host),
        )
        if ended:
            raise CommandError(f"{ended}; the other processes were stopped.")
        self.stdout.write("Stopped.")

    def announce(self, host: str) -> None:
        self.stdout.write(f"\nbenchdash is at http://{host}:{settings.PORT}/")
        if password := first_password():
            where = password_file()
            shown = f"{password} (kept in {where})" if self.first else f"in {where}"
            self.stdout.write(f"Log in as admin with the password {shown}")
            self.stdout.write(f"and change it at http://{host}:{settings.PORT}/password/")
        self.stdout.write("Ctrl-C stops it.\n")
        self.stdout.flush()


def _require_free_port(interface: str, port: int) -> None:
    try:
        socket.create_server((interface, port)).close()
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise CommandError(f"Port {port} cannot be used ({why}). Choose another: PORT=8001 make run") from error
