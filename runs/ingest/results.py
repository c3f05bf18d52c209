"""An upload and its runs as REST and `import_log --json` return them, stored or only previewed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any

from django.db.models import Q

from parsers.blocks import Block
from runs.drafts.draft import Draft, DraftExperiment, DraftHost
from runs.models import Capture, Config, Experiment, Host, Run, Upload

from .store import LoadTests, StoredRows, compute_figures

# There may be 50,000 of them: what else is known of each takes half of the time of an answer.
_RUN_COLUMNS = (
    *("upload", "experiment__name", "host__name", "config__name", "tool", "repeat", "label", "values"),
    *("line_first", "line_last"),
)


def describe_result(upload: Upload, rows: StoredRows | None = None) -> dict[str, Any]:
    """The JSON body of an upload: id, url, page, sha256, status, runs, captures, timings, problems, unread_lines.

    `page` is the address of what was compared, the first run's experiment; of a text about a machine alone the host's; else
    the upload's own.

    Where the text failed there is `error` too, and while it waits or is read, `progress`; addresses are paths. Three
    queries, none with the `rows` of a receipt.
    """
    if rows is None:  # with captures of other uploads that were put beside a run of this one
        capture_query_set = Capture.objects.filter(Q(upload=upload) | Q(run__upload=upload)).with_context()
        timings = upload.timings.only("tool", "line_first", "line_last", "n", "run_id", "upload_id")
        runs = Run.objects.filter(upload=upload).select_related("experiment", "config", "host").only(*_RUN_COLUMNS)
        rows = StoredRows(list(runs), list(capture_query_set), list(timings.order_by("line_first")))
    captures = sorted(rows.captures, key=attrgetter("line_first", "pk"))
    of_run: dict[int | None, list[Capture]] = defaultdict(list)
    for capture in captures:
        of_run[capture.run_id].append(capture)
    body = {
        "id": upload.pk,
        "url": upload.get_absolute_url(),
        "page": _find_page(upload, rows),
        "sha256": upload.sha256,
        "status": upload.status,
        "error": upload.error,
        "n_secrets": upload.n_secrets,
        "runs": [run_result(run, of_run[run.pk]) for run in sorted(rows.runs, key=attrgetter("line_first", "pk"))],
        "captures": [describe_capture(capture) for capture in captures if capture.upload_id == upload.pk],
        "timings": [
            {"tool": each.tool, "lines": [each.line_first, each.line_last], "n": each.n, "run": each.run_id}
            for each in rows.timings
        ],
        "problems": upload.problems,
        "unread_lines": upload.unread,
    }
    if upload.is_waited_for:
        sizes = {"bytes_read": upload.bytes_read, "size_bytes": upload.size_bytes, "blocks_found": upload.n_blocks}
        body["progress"] = sizes
    return body


def _find_page(upload: Upload, rows: StoredRows) -> str:
    if rows.runs:
        return rows.runs[0].experiment.get_absolute_url()
    hosts = list(upload.placed.get("hosts", {}).values())
    return upload.get_absolute_url() if rows.captures or len(hosts) != 1 else Host(pk=hosts[0]).get_absolute_url()


def run_result(run: Run, captures: Iterable[Capture]) -> dict[str, Any]:
    """One stored run with the captures beside it, and the figures and names that its tool printed. Wants `with_context()`."""
    return {
        "id": run.pk,
        "url": run.get_absolute_url(),
        "tool": run.tool,
        "experiment": run.experiment.name,
        "host": run.host.name if run.host else None,
        "config": run.config.name,
        "repeat": run.repeat,
        "heading": run.label or None,
        "lines": [run.line_first, run.line_last],
        "values": run.values,
        "captures": [_summarize_capture(capture) for capture in captures],
    }


def _summarize_capture(capture: Capture) -> dict[str, Any]:
    lines = [capture.line_first, capture.line_last]
    return {"tool": capture.tool, "phase": capture.phase or None, "lines": lines}


def describe_capture(capture: Capture) -> dict[str, Any]:
    """One stored capture; `values` are its last sample's, without the processes."""
    return {
        "id": capture.pk,
        "url": capture.get_absolute_url(),
        "run": capture.run_id,
        "config": capture.config.name if capture.config else None,
        "host": capture.host.name if capture.host else None,
        "samples": capture.n_samples,
        **_summarize_capture(capture),
        "values": capture.values,
    }


def draft_runs(blocks: Sequence[Block], draft: Draft, drafted: DraftExperiment) -> list[Run]:
    """A draft's runs as rows that are not saved: hosts, configs and runs are numbered from 1, in its order."""
    loads = LoadTests(blocks)
    hosts = {host.key: Host(at, **_read_columns(host)) for at, host in enumerate(draft.hosts, 1)}
    configs = {config.key: Config(at, name=config.name) for at, config in enumerate(drafted.configs, 1)}
    experiment = Experiment(name=drafted.name)
    return [
        Run(
            pk=at,
            upload_id=0,
            experiment=experiment,
            config=configs[run.config],
            host=hosts.get(run.host or drafted.host),
            line_first=run.lines[0],
            line_last=run.lines[1],
            **compute_figures(run, *loads.find(run.key)),
        )
        for at, run in enumerate(drafted.runs, 1)
    ]


def _read_columns(host: DraftHost) -> dict[str, Any]:
    return {name: value for name, value in asdict(host).items() if name != "key"}


def draft_results(blocks: Sequence[Block], draft: Draft) -> list[dict[str, Any]]:
    """The runs of a draft in the shape of `run_result`, with neither id nor address."""
    results = []
    for drafted in draft.experiments:
        captures: dict[str, list[Capture]] = defaultdict(list)
        for capture in drafted.captures:
            tool, (first, last) = blocks[int(capture.blocks[0].removeprefix("b"))].kind, capture.lines
            captures[capture.run].append(Capture(tool=tool, phase=capture.phase, line_first=first, line_last=last))
        for run, row in zip(drafted.runs, draft_runs(blocks, draft, drafted), strict=True):
            results.append(run_result(row, captures[run.key]) | {"id": None, "url": None})
    return results
