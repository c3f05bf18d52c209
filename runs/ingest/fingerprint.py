"""What makes two runs comparable, and two machines alike, as a hash. Names, labels and tags stay outside."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable

from django.db.models import Q

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


def of_stored(run: Run) -> str:
    """The fingerprint of a run whose upload's config texts are stored."""
    texts = ConfigText.objects.filter(upload=run.upload_id, experiment=run.experiment_id)
    hashes = texts.filter(Q(config=run.config_id) | Q(config=None)).values_list("sha256", flat=True)
    return of_run(run, hardware=run.host.fingerprint if run.host else "", text_hashes=hashes)


def method_of(command: str) -> str:
    """The HTTP method that a command names; GET, as every load tool sends, where it names none."""
    found = METHOD.search(command)
    return found[1] if found else "GET"


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()
