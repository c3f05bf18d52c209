"""Everything that is known of a comparison, for JSON: plain dicts, lists and numbers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from runs.analysis.cost import Cost
from runs.analysis.directives import Differences
from runs.analysis.doubts import Doubt
from runs.analysis.facts import ConfigFact, OverrideFact
from runs.analysis.scaling import Sweep
from runs.analysis.table import Comparison
from runs.analysis.verdict import Judgement


def whole(
    comparison: Comparison,
    *,
    judgement: Judgement,
    doubts: Sequence[Doubt],
    sweeps: Sequence[Sweep],
    cost: Cost | None,
    differences: Differences,
) -> dict[str, Any]:
    """All that a comparison page says."""
    told = {
        "summary": judgement.sentence,
        "doubts": of_doubts(doubts),
        "bases": list(judgement.bases),
        **structure(comparison, judgement),
        "scaling": [_named_for_scripts(sweep) for sweep in sweeps],
        "cost": of_cost(cost),
        "config_differences": of_differences(differences),
    }
    found: dict[str, Any] = plain(told)
    return found


def structure(comparison: Comparison, judgement: Judgement) -> dict[str, Any]:
    """The whole comparison for JSON: every value with its line, not only the means, and every verdict."""
    return {
        "configs": [
            {
                "id": column.config.id,
                "name": column.config.name,
                "group": column.config.group,
                "load": column.method.words(),
                "runs": [run.id for run in column.runs],
            }
            for column in comparison.columns
        ],
        "metrics": [
            {
                "group": group.name,
                "key": row.key,
                "label": row.label,
                "unit": row.unit,
                "cells": [
                    {
                        "n": cell.n,
                        "mean": cell.mean,
                        "ratio_to_baseline": cell.delta.ratio if cell.delta else None,
                        "values": [{"value": one.value, "source": one.source} for one in cell.figures],
                        "verdict": found.as_dict() if (found := judgement.of(row.key, at)) else None,
                    }
                    for at, cell in enumerate(row.cells)
                ],
            }
            for group in comparison.groups
            for row in group.rows
        ],
    }


def of_doubts(found: Sequence[Doubt]) -> list[dict[str, Any]]:
    """Each doubt with its lines, the runs and configs it is about, and who overruled it."""
    return [
        {
            "rule": doubt.rule,
            "severity": doubt.severity,
            "text": doubt.text,
            "basis": doubt.basis,
            "overruled": doubt.overruled,
            "sources": [plain(source) for source in doubt.sources],
            "parts": [
                {
                    "run": part.run,
                    "config": part.config,
                    "who": part.who,
                    "text": part.text,
                    "ruling": _ruling(part.ruling),
                }
                for part in doubt.parts
            ],
        }
        for doubt in found
    ]


def of_differences(found: Differences) -> dict[str, Any]:
    """Config texts directive by directive."""
    return {"sentences": list(found.sentences), "files": [_named_for_scripts(file) for file in found.files]}


def _named_for_scripts(item: Any) -> dict[str, Any]:
    """A dataclass as a dict, in which scripts know its configs as setups."""
    return {"setups" if name == "configs" else name: value for name, value in plain(item).items()}


def of_cost(found: Cost | None) -> dict[str, Any] | None:
    """The cost table; its columns are those of the comparison."""
    if found is None:
        return None
    return {"rows": plain(found.rows), "sentences": list(found.sentences), "notes": list(found.notes)}


def plain(value: Any) -> Any:
    """Dataclasses as dicts, all the way down; a config by its id and name. JSON knows no NaN or infinity: null."""
    if isinstance(value, ConfigFact):
        return {"id": value.id, "name": value.name}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _ruling(ruling: OverrideFact | None) -> dict[str, Any] | None:
    return {"id": ruling.id, "by": ruling.by, "at": ruling.at, "reason": ruling.reason} if ruling else None
