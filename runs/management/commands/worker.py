"""`manage.py worker`: what reads large texts and runs plans; on a load generator (`--host NAME`) what sends its load."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs.management.processes import generator_command, run_together, worker_commands
from runs.remote.models import LoadGenerator


class Command(BaseCommand):
    help = (
        "Run workers until Ctrl-C. With --host, only send the loads of the load generator of that name, on its machine."
    )
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--host", default="", help="the load generator (of the kind worker) that this machine is registered as"
        )
        parser.add_argument("--local", action="store_true", help="also run the loads of this machine, as `serve` does")
        parser.add_argument("--texts", type=int, default=2, help="texts read in parallel (default: 2)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["texts"] < 1:
            raise CommandError("--texts must be a whole number from 1.")
        if options["host"]:
            name = options["host"]
            # Only a warning: it may be registered later, and its jobs wait in the queue until then.
            if not LoadGenerator.objects.filter(name=name, kind=LoadGenerator.Kind.WORKER).exists():
                self.stderr.write(f"No load generator of the kind worker is registered as {name} yet.")
            commands = {"The worker": generator_command(options["host"])}
        else:
            commands = worker_commands(local=options["local"], texts_at_once=options["texts"])
        ended = run_together(commands, is_up=lambda: True, announce=self._announce)
        if ended:
            raise CommandError(f"{ended}; the other processes were stopped.")
        self.stdout.write("Stopped.")

    def _announce(self) -> None:
        self.stdout.write("Working. Ctrl-C stops it.")
        self.stdout.flush()
