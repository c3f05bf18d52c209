"""Whether a page has changed since a browser got it: a digest of all that can change of what it shows, in a few light queries.

Figures never change: runs and captures that are read again are new rows. Blacked out texts have another sha256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.contrib.messages import get_messages
from django.db.models import Exists, Q, Subquery, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import condition

from runs.models import Capture, ConfigText, Experiment, Override, Run, Timing
from runs.remote.models import Job, LoadGenerator

MAX_CHECKED = 500
View = Callable[..., HttpResponse]
OF_RUN = (
    *("pk", "config_id", "repeat", "counted", "label", "note", "host_id", "host__name"),
    *("upload__sha256", "upload__name", "upload__status", "upload_id"),
)
# Of all kinds in the same types, so that one query reads them.
OF_CAPTURE = ("pk", "config_id", "run_id", "phase", "label")
OF_TEXT = ("pk", "config_id", "upload_id", "upload__sha256", "path")
OF_TIMING = ("pk", "run_id", "upload_id", "upload__sha256", "tool")
OF_OVERRIDE = ("pk", "config_id", "upload_id", "rule", "reason")
OF_CONFIG = ("configs", "configs__name", "configs__group", "configs__position", "configs__deletion")
OF_EXPERIMENT = ("name", "notes", "archived", "host__name", "host__fingerprint")


def version_of(experiment: int) -> str:
    """A digest of what an experiment's page and those of its runs and captures show; "" where other experiments tell in it as well.

    That is where no config was repeated: then runs of others say how much such runs vary. "" as well for very many runs, and
    while a job adds to it. Three queries.
    """
    tags = Cast("tags", TextField())  # nobody reads them
    rows = Run.objects.filter(experiment=experiment).order_by("-pk").values_list(tags, *OF_RUN)
    runs = list(rows[: MAX_CHECKED + 1])
    if len(runs) > MAX_CHECKED or len({run[2] for run in runs}) == len(runs):
        return ""
    adding = Exists(Job.objects.filter(experiment=experiment).exclude(state__in=Job.OVER))
    generators = LoadGenerator.objects.order_by("-pk").values("pk")[:1]
    heads = Experiment.objects.filter(pk=experiment).order_by("configs")
    configs = list(heads.values_list(*OF_CONFIG, *OF_EXPERIMENT, Subquery(generators), adding))  # a row each
    if not configs or configs[0][-1]:
        return ""
    about = Q(config__in=[row[0] for row in configs]) | Q(upload__in={run[-1] for run in runs})
    parts = (
        model._default_manager.filter(condition).order_by().values_list(*columns)
        for model, columns, condition in (
            (ConfigText, OF_TEXT, Q(experiment=experiment)),
            (Timing, OF_TIMING, Q(experiment=experiment)),
            (Override, OF_OVERRIDE, about & Q(withdrawn_at=None)),
        )
    )
    captures = Capture.objects.filter(experiment=experiment).order_by().values_list(*OF_CAPTURE)
    shown = (configs, runs, sorted(captures.union(*parts, all=True), key=repr))
    return hashlib.sha256(orjson.dumps(shown, default=str)).hexdigest()


def experiment_of_run(pk: int) -> int | None:
    return Run.objects.filter(pk=pk).values_list("experiment_id", flat=True).first()


def experiment_of_capture(pk: int) -> int | None:
    return Capture.objects.filter(pk=pk).values_list("experiment_id", flat=True).first()


def answer_unchanged(find_experiment: Callable[[int], int | None]) -> Callable[[View], View]:
    """A page of one thing answers 304 to a browser that has it: find_experiment(pk) is the experiment it belongs to."""

    def find_etag(request: HttpRequest, pk: int, **_: Any) -> str | None:
        if len(get_messages(request)):
            return None
        experiment = find_experiment(pk)
        version = version_of(experiment) if experiment is not None else ""
        user: Any = request.user
        may = "all" if user.is_superuser else sorted(user.get_all_permissions())
        reader = (user.pk, user.get_username(), may, request.COOKIES.get("csrftoken"))
        whole = repr((version, reader, request.get_host(), request.get_full_path(), _code()))
        return f'"{hashlib.sha256(whole.encode()).hexdigest()[:32]}"' if version else None

    def decorate(view: View) -> View:
        @wraps(view)
        def respond(request: HttpRequest, pk: int, **more: Any) -> HttpResponse:
            response = view(request, pk=pk, **more)
            patch_cache_control(response, private=True, no_cache=True)
            return response

        conditional: View = condition(etag_func=find_etag)(respond)
        return conditional

    return decorate


@cache
def _code() -> str:
    """A digest of the code and the templates: another version shows another page of the same rows."""
    digest = hashlib.sha256()
    for folder, kind in (("runs", "*.py"), ("templates", "*.html"), ("static", "*.*")):
        for file in sorted(Path(settings.BASE_DIR, folder).rglob(kind)):
            digest.update(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}".encode())
    return digest.hexdigest()
