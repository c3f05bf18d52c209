"""What makes two runs comparable, and two machines alike, as a hash. Names, labels and tags stay outside."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from runs.models import ConfigText, Run

METHOD = re.compile(r"(?<![\w/.-])(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(?![\w/.-])")
RAM_STEP_KB = 65536  # a kernel keeps some of the RAM to itself, and each version another share


def of_hardware(cpu_model: str, cores: int | None, ram_kb: int | None) -> str:
    """A machine's: model, cores, RAM rounded to 64 MiB; "" where nothing is known."""
    if not (cpu_model or cores or ram_kb):
        return ""
    return _hash([cpu_model, cores, round(ram_kb / RAM_STEP_KB) if ram_kb else None])


def of_run(run: Run, *, hardware: str, text_hashes: Iterable[str]) -> str:
    """A run's: tool, method, URL path, concurrency, keep-alive, hardware, and its config with the config's texts."""
    concurrency = None if run.concurrency is None else float(run.concurrency)  # 10 and 10.0 are spelt differently
    parameters = [run.tool, method_of(run.command), run.path, concurrency, bool(run.keepalive)]
    return _hash([*parameters, hardware, run.config_id, sorted(set(text_hashes))])


def of_stored(runs: Sequence[Run]) -> list[str]:
    """The fingerprints of runs whose uploads' config texts are stored. One query for the texts."""
    stored = ConfigText.objects.filter(upload__in={run.upload_id for run in runs}).order_by()
    hashes: dict[tuple[int, int, int | None], list[str]] = defaultdict(list)
    for upload, experiment, config, sha256 in stored.values_list("upload", "experiment", "config", "sha256"):
        hashes[upload, experiment, config].append(sha256)
    return [
        of_run(
            run,
            hardware=run.host.fingerprint if run.host else "",
            text_hashes=[
                sha256
                for config in (run.config_id, None)
                for sha256 in hashes.get((run.upload_id, run.experiment_id, config), ())
            ],
        )
        for run in runs
    ]


def method_of(command: str) -> str:
    """The HTTP method that a command names; GET, as every load tool sends, where it names none."""
    found = METHOD.search(command)
    return found[1] if found else "GET"


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()
