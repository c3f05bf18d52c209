"""`manage.py worker`: what reads large texts and runs plans; on a load generator (`--host NAME`) what sends its load."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs.management.processes import generator_command, run_together, worker_commands
from runs.remote.models import LoadGenerator


class Command(BaseCommand):
    help = "Run workers until Ctrl-C. With --host, only the load generator of that name, on whose machine this is."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="", help="a registered load generator of the kind worker: this machine")
        parser.add_argument("--local", action="store_true", help="also send load from this machine, as `serve` does")
        parser.add_argument("--texts", type=int, default=2, help="texts read at a time (default: 2)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["texts"] < 1:
            raise CommandError("--texts is a whole number from 1.")
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
            raise CommandError(f"{ended}; the rest was stopped.")
        self.stdout.write("Stopped.")

    def _announce(self) -> None:
        self.stdout.write("Working. Ctrl-C stops it.")
        self.stdout.flush()
