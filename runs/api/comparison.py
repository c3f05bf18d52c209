"""Runs side by side as figures: the first is the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runs.models import Run

METRICS = (
    *("requests_per_second", "complete_requests", "failed_requests", "concurrency", "duration_s"),
    *("mean_ms", "max_ms"),
)
PERCENTILES = ("50", "90", "95", "99")


def of_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """Figures of each run and how far, in per cent, they are from the baseline's. Wants `with_context()` rows."""
    figures = [_figures(run) for run in runs]
    names = [name for name in (*METRICS, *(f"p{p}_ms" for p in PERCENTILES)) if any(name in f for f in figures)]
    return {
        "baseline": runs[0].pk,
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
