"""Cost, scaling and config differences as plain sections of a post: sentences and small tables of words."""

from __future__ import annotations

from collections.abc import Sequence

from runs.analysis import directives
from runs.analysis.cost import Cost
from runs.analysis.numbers import figure
from runs.analysis.post import Section, Table
from runs.analysis.scaling import Sweep

MOST_DIRECTIVES = 60


def sections(cost: Cost | None, sweeps: Sequence[Sweep], differences: directives.Differences) -> list[Section]:
    """Those that have something to say."""
    made = [_cost(cost), _scaling(sweeps), _differences(differences)]
    return [section for section in made if section.sentences or section.tables]


def _cost(cost: Cost | None) -> Section:
    if cost is None:
        return Section("What serving costs")
    rows = tuple(
        (
            f"{row.label} ({row.unit})" if row.unit else row.label,
            *(" ".join(part for part in (cell.bound, cell.text) if part) if cell else "" for cell in row.cells),
        )
        for row in cost.rows
    )
    heads = ("", *(column.title for column in cost.columns))
    return Section("What serving costs", cost.sentences, (Table("", heads, rows),), cost.notes)


def _scaling(sweeps: Sequence[Sweep]) -> Section:
    sentences: list[str] = []
    notes: list[str] = []
    tables = []
    for sweep in sweeps:
        sentences += [sweep.sentence, *sweep.details]
        notes += sweep.notes
        heads = ("Concurrency", "Requests per s", f"{sweep.tail} (ms)", "n")
        rows = tuple(
            (str(level.n), figure(level.rate), figure(level.tail_ms), str(len(level.rates))) for level in sweep.levels
        )
        tables.append(Table(sweep.name, heads, rows))
    return Section("How it scales", tuple(sentences), tuple(tables), tuple(dict.fromkeys(notes)))


def _differences(found: directives.Differences) -> Section:
    tables = [_file(file) for file in found.files if file.rows]
    told = [*found.sentences, *(file.sentence for file in found.files)]
    return Section("Config differences", tuple(told), tuple(tables))


def _file(file: directives.FileDiff) -> Table:
    rows = tuple(
        (
            " › ".join(part for part in (row.section, row.name) if part),
            *(", ".join(cell.values) if cell.state == "set" else cell.state for cell in row.cells),
        )
        for row in file.rows[:MOST_DIRECTIVES]
    )
    return Table(file.name, ("Directive", *(config.name for config in file.configs)), rows)
