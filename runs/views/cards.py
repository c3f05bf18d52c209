"""Experiments as cards: name, host, a small picture of the runs."""

from __future__ import annotations

from dataclasses import dataclass

from runs.charts.bars import Bar, Spark, spark
from runs.selectors.gists import Gist


@dataclass(frozen=True, slots=True)
class Card:
    gist: Gist
    picture: Spark | None
    n_runs: int


def cards(gists: list[Gist]) -> list[Card]:
    return [_card(gist) for gist in gists]


def _card(gist: Gist) -> Card:
    bars = [Bar(name, place, tuple(values)) for place, (name, values) in enumerate(gist.configs)]
    return Card(gist, spark(bars), sum(len(values) for _, values in gist.configs))
