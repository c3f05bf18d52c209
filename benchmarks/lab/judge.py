"""Stores what the lab recorded in a database of its own and counts, per kind, how often the cause is named."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from .plants import Plant

MADE = 5  # of each kind that were looked at while the rules were made; the others were judged when the rules stood
HEADER = "| kind | recordings | right | right among others | wrong | cannot tell |\n|---|---|---|---|---|---|"


def judge_all(plants: Sequence[Plant], recorded: Path) -> None:
    """The first five of each kind made the rules, and are shown in brackets; the others judge them."""
    counts: dict[str, Counter[str]] = {}
    for plant, names, said in name_causes(plants, recorded):
        verdict = judge(plant, names)
        half = "made" if plant.number <= MADE else "judged"
        counts.setdefault(plant.kind, Counter())[f"{half} {verdict}"] += 1
        print(f"{plant.name:16} {verdict:8} {', '.join(names) or '-':28} {said}")
    print(HEADER)
    total: Counter[str] = Counter()
    for kind, found in counts.items():
        print(row(kind, found))
        total += found
    print(row("**all**", total))


def judge(plant: Plant, names: Sequence[str]) -> str:
    if not names:
        return "right" if "" in plant.causes else "unknown"
    if names[0] in plant.causes:
        return "right"
    return "among" if set(names) & set(plant.causes) else "wrong"


def row(kind: str, found: Counter[str]) -> str:
    def cell(verdict: str) -> str:
        return f"{found[f'judged {verdict}']} ({found[f'made {verdict}']})"

    n = [sum(count for name, count in found.items() if name.startswith(half)) for half in ("judged", "made")]
    return f"| {kind} | {n[0]} ({n[1]}) | " + " | ".join(map(cell, ("right", "among", "wrong", "unknown"))) + " |"


def name_causes(plants: Sequence[Plant], recorded: Path) -> Iterator[tuple[Plant, list[str], str]]:
    """(plant, its causes as found, the sentences). The site is kept beside the recordings."""
    os.environ |= {"DATA_DIR": str(recorded / "site"), "DJANGO_SETTINGS_MODULE": "benchdash.settings"}
    os.environ.pop("DATABASE_URL", "")
    import django

    django.setup()
    from django.core.management import call_command

    from runs import ingest
    from runs.models import Experiment
    from runs.selectors import comparison_data, judging

    call_command("migrate", verbosity=0)
    for plant in plants:
        file = recorded / f"{plant.name}.txt"
        if not file.exists():
            continue
        ingest.submit(file.read_bytes(), origin="command")
        experiment = Experiment.objects.filter(name=plant.name).latest("id")
        found = judging.compare_and_judge(comparison_data.of_experiment(experiment))[1]
        causes = found.causes
        said = " ".join(one.text for one in causes.findings) or causes.unknown
        yield plant, [one.cause for one in causes.findings], f"[{found.headline.outcome}] {said}"
