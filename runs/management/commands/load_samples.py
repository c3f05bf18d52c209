"""Show what the pages are for: sample sessions go in through the same door as everybody's pastes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from runs.ingest import submit, take_in

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples"


class Command(BaseCommand):
    help = "Store the sample sessions of runs/samples; those that are there already stay as they are."

    def handle(self, *args: Any, **options: Any) -> None:
        files = sorted(SAMPLES.glob("*.txt"), reverse=True)  # the pages show the newest first: that is number 1
        receipts = [submit(file.read_bytes(), door="sample", name=file.name) for file in files]
        take_in()
        self.stdout.write(f"{sum(receipt.created for receipt in receipts)} sample sessions loaded")
