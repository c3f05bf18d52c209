"""Runs side by side as figures, with all that can be concluded: the first is the baseline."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from django.http import Http404, QueryDict
from rest_framework.exceptions import ValidationError

from runs.models import Config, Experiment, Run
from runs.querysets import ID_DIGITS
from runs.selectors import judging, reads

MOST_COMPARED = 100

METRICS = (
    *("requests_per_second", "complete_requests", "failed_requests", "concurrency", "duration_s"),
    *("mean_ms", "max_ms"),
)
PERCENTILES = ("50", "90", "95", "99")


def selection(query: QueryDict) -> tuple[list[Run], reads.Material]:
    """The runs that ?runs=, ?configs= or ?experiment= asks for, in order, and their material.

    Raises ValidationError for what makes no sense and Http404 for what does not exist.
    """
    given = [name for name in ("runs", "configs", "experiment") if query.get(name)]
    if len(given) != 1:
        raise ValidationError({"runs": "expected one of runs, configs or experiment, such as ?runs=1,2,3"})
    wanted = _ids(given[0], query.get(given[0], ""))
    found = Run.objects.with_context()
    if given == ["runs"]:
        rows = found.in_bulk(wanted)
        _all_there("run", wanted, rows)
        return [rows[pk] for pk in wanted], reads.of_runs(wanted)
    if given == ["configs"]:
        _all_there("config", wanted, Config.objects.in_bulk(wanted))
        material = reads.of_configs(wanted)
    else:
        experiments = Experiment.objects.select_related("host").in_bulk(wanted[:1])
        _all_there("experiment", wanted[:1], experiments)
        material = reads.of_experiment(experiments[wanted[0]])
    rows = found.in_bulk([run.id for run in material.runs])
    return [rows[run.id] for run in material.runs], material


def answer(runs: Sequence[Run], material: reads.Material, absolute: Callable[[str], str]) -> dict[str, Any]:
    """`of_runs`, and everything that the page of the same comparison says. Addresses are whole ones."""
    comparison, judged = judging.compared(material)
    told = judged.as_dict(comparison)
    told["table"] = told.pop("metrics")
    body: dict[str, Any] = _with_addresses(of_runs(runs) | told, absolute)
    return body


def _ids(name: str, text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    most = 1 if name == "experiment" else MOST_COMPARED
    if not words or len(words) > most or not all(word.isdecimal() and len(word) <= ID_DIGITS for word in words):
        expected = "one id" if most == 1 else f"1 to {most} ids with commas, such as 1,2,3"
        raise ValidationError({name: f"expected {expected}"})
    return list(dict.fromkeys(int(word) for word in words))


def _all_there(what: str, wanted: Sequence[int], found: Container[int]) -> None:
    missing = [str(pk) for pk in wanted if pk not in found]
    if missing:
        raise Http404(f"No {what} {', '.join(missing)}.")


def _with_addresses(value: Any, absolute: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {
            key: absolute(item)
            if key in ("url", "source") and isinstance(item, str) and item.startswith("/")
            else _with_addresses(item, absolute)
            for key, item in value.items()
        }
    return [_with_addresses(item, absolute) for item in value] if isinstance(value, list) else value


def of_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """Figures of each run and how far, in per cent, they are from the baseline's. Wants `with_context()` rows."""
    figures = [_figures(run) for run in runs]
    names = [name for name in (*METRICS, *(f"p{p}_ms" for p in PERCENTILES)) if any(name in f for f in figures)]
    return {
        "baseline": runs[0].pk if runs else None,
        "metrics": names,
        "runs": [
            {
                "id": run.pk,
                "url": run.get_absolute_url(),
                "tool": run.tool,
                "experiment": run.experiment.name,
                "config": run.config.name,
                "host": run.host.name if run.host else None,
                "repeat": run.repeat,
                "values": own,
                "delta_pct": _deltas(own, figures[0]),
            }
            for run, own in zip(runs, figures, strict=True)
        ],
    }


def _figures(run: Run) -> dict[str, float]:
    own = {name: getattr(run, name) for name in METRICS}
    own |= {f"p{p}_ms": run.percentiles_ms.get(p) for p in PERCENTILES}
    return {name: float(figure) for name, figure in own.items() if figure is not None}


def _deltas(own: dict[str, float], baseline: dict[str, float]) -> dict[str, float]:
    """Without those that the baseline lacks or has as zero: there is no per cent of nothing."""
    return {
        name: (figure - baseline[name]) / baseline[name] * 100 for name, figure in own.items() if baseline.get(name)
    }
