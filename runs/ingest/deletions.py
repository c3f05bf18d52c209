"""The bin: what is deleted is marked, can be restored for 30 days, and is then gone with its text. One transaction each.

What goes along: runs with the captures and files beside them; configs, experiments and texts of which nothing else is left.
A text that stays leaves out what was deleted of it (by its edits), so that reading it again does not bring it back.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import chain
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from runs.database import take_turns
from runs.models import (
    KEPT_IN_BIN,
    Capture,
    Config,
    ConfigText,
    Deletion,
    Experiment,
    Host,
    Run,
    RunTag,
    Timing,
    Upload,
)

from . import changes, counters
from .validation import Rejected, rejected

log = logging.getLogger(__name__)

Person = AbstractBaseUser | AnonymousUser | None
Model = type[Any]  # a Deletable one
Scope = dict[Model, QuerySet[Any]]
MODELS: dict[str, Model] = {"experiment": Experiment, "config": Config, "run": Run, "upload": Upload, "host": Host}
SOURCED: tuple[Model, ...] = (ConfigText, Timing, Capture, Run)  # those of runs before the runs themselves
TABLES: tuple[Model, ...] = (*SOURCED, Config, Experiment, Upload, Host)  # in the order in which they are purged
OWNERS: dict[Model, str] = {Config: "config", Experiment: "experiment", Upload: "upload"}
NAMES: dict[Model, str] = {
    Experiment: "experiments",
    Config: "configs",
    Run: "runs",
    Capture: "captures",
    Timing: "timings",
    ConfigText: "texts",
    Upload: "uploads",
    Host: "hosts",
}


def count_deleted(row: Any) -> dict[str, int]:
    """{"runs": 3, ...}: what would go with this row. A query for each kind."""
    return _count({model: rows.count() for model, rows in _find_scope(row).items()})


def _count(numbers: dict[Model, int]) -> dict[str, int]:
    """{"runs": 3, ...}: the numbers by what pages call the rows, without noughts."""
    return {NAMES[model]: numbers[model] for model in NAMES if numbers.get(model)}


def _find_scope(row: Any) -> Scope:
    """The rows that go with this one, itself among them."""
    kind = row._meta.model_name
    scope: Scope = {Run: Run.objects.filter(pk=row.pk) if kind == "run" else Run.objects.filter(**{kind: row})}
    for model in (ConfigText, Timing, Capture):
        fields = {field.name for field in model._meta.fields}
        wanted = Q(**{kind: row}) if kind in fields else Q(pk__in=[])
        if "run" in fields:
            wanted |= Q(run__in=scope[Run].order_by().values("pk"))
        scope[model] = model.objects.filter(wanted)
    scope |= {model: _find_emptied(model, field, scope) for model, field in OWNERS.items()}
    if kind == "experiment":
        scope[Config] = row.configs.all()
    if kind != "run":
        scope[type(row)] = type(row).objects.filter(pk=row.pk)
    return scope


def _find_emptied(model: Model, field: str, scope: Scope) -> QuerySet[Any]:
    """The configs, experiments or uploads of which nothing is left without the scope."""
    members = [each for each in SOURCED if field in {one.name for one in each._meta.fields}]
    touched = [scope[each].order_by().values(field) for each in members]
    emptied: QuerySet[Any] = model.objects.filter(pk__in=touched[0].union(*touched[1:]))
    for each in members:
        others = each.objects.filter(**{field: OuterRef("pk")}).exclude(pk__in=scope[each].order_by().values("pk"))
        emptied = emptied.exclude(Exists(others))
    return emptied


@take_turns()
def delete_all(rows: Iterable[Any], *, by: Person = None) -> list[Deletion]:
    """All or none."""
    return [delete(row, by=by) for row in rows]


@take_turns()
def delete(row: Any, *, by: Person = None) -> Deletion:
    """Put the row into the bin, and all that goes with it. Raises Rejected 404 where it is there already, and 409."""
    scope = _lock_scope(row)
    ids = {model: _lock(scope[model]) for model in (Experiment, Config, Upload, Host) if model in scope}
    left_out = _list_blocks(scope, without=ids[Upload])
    deletion = Deletion.objects.create(
        kind=row._meta.model_name,
        object_id=row.pk,
        name=describe(row)[:300],
        deleted_by=by if isinstance(by, User) else None,
    )
    runs, numbers = scope[Run], {model: len(pks) for model, pks in ids.items()}
    with counters.track_changes(runs):
        RunTag.objects.filter(run__in=runs.order_by().values("pk")).delete()
        for model in SOURCED:
            numbers[model] = scope[model].order_by().update(deletion=deletion)
    for model, pks in ids.items():
        for part in counters.split_ids(pks):
            model.objects.filter(pk__in=part).update(deletion=deletion)
    if isinstance(row, Host):
        named = Experiment.objects.filter(host=row)
        deletion.unlinked = list(named.values_list("pk", flat=True))
        named.update(host=None)
    changes.record_edits(dict.fromkeys(left_out, {"leave_out": True}))
    deletion.counts = _count(numbers)
    deletion.save(update_fields=["counts", "unlinked"])
    return deletion


def _lock(rows: QuerySet[Any]) -> list[int]:
    """The ids of rows that go, locked before it is known whether really nothing else is in them."""
    first = rows.model.objects.select_for_update().filter(pk__in=list(rows.values_list("pk", flat=True)))
    return list(
        rows.filter(pk__in=list(first.order_by("pk").values_list("pk", flat=True))).values_list("pk", flat=True)
    )


def describe(row: Any) -> str:
    """What the bin calls a row."""
    if isinstance(row, Run):
        return f"{row.config.name}, run {row.repeat}"
    return f"{row.name} of {row.experiment.name}" if isinstance(row, Config) else str(row)


def _lock_scope(row: Any) -> Scope:
    """Its scope, with the texts in it locked, and the row itself, so that nothing is stored into it meanwhile."""
    scope = _find_scope(row)
    uploads = (scope[model].order_by().values_list("upload_id", flat=True).distinct() for model in SOURCED)
    changes.lock_uploads({*chain(*uploads), *scope[Upload].values_list("pk", flat=True)})
    if isinstance(row, Config | Run):
        list(Experiment.objects.select_for_update().filter(pk=row.experiment_id).values_list("pk"))
    if not type(row).objects.select_for_update().filter(pk=row.pk).values_list("pk").first():
        raise rejected(404, f"{describe(row)} no longer exists: it was deleted.")
    if isinstance(row, Host) and hasattr(row, "target"):
        raise rejected(409, "This host is a target of remote runs. Delete the target first.")
    if isinstance(row, Experiment) and any(not job.is_over for job in row.jobs.all()):
        raise rejected(409, "A remote job is adding runs to this experiment. Cancel the job first.")
    return _find_scope(row)


def _list_blocks(scope: Scope, *, without: Iterable[int]) -> list[tuple[int, str]]:
    """(upload, block) of what goes, but for uploads that go as a whole."""
    gone = set(without)
    rows = chain(*(scope[model].values_list("upload_id", "block_key") for model in SOURCED))
    return [(upload, key) for upload, key in rows if upload not in gone]


@take_turns()
def restore(deletion: Deletion) -> Any:
    """Take everything of this deletion out of the bin again; the row that was deleted.

    A config or host whose name somebody else has by now becomes one with that. Raises Rejected 404 where it is not in the
    bin any more, and 409 where what it belongs to is still there, or where the same text was stored again.
    """
    if not Deletion.objects.select_for_update().filter(pk=deletion.pk).first():
        raise rejected(404, f"{deletion.name} is no longer in the bin.")
    _refuse_orphans(deletion)
    again = Upload.objects.filter(text_key__in=Upload.everything.filter(deletion=deletion).values("text_key")).first()
    if again is not None:
        raise rejected(409, f"The same text is stored as upload {again.pk}. Delete that one first.")
    renamed = _free_names(deletion)
    runs = list(Run.everything.filter(deletion=deletion).values_list("pk", flat=True))
    whole = Upload.everything.filter(deletion=deletion).values_list("pk", flat=True)
    scope: Scope = {model: model.everything.filter(deletion=deletion) for model in SOURCED}
    blocks = _list_blocks(scope, without=list(whole))
    for model in TABLES:
        model.everything.filter(deletion=deletion).update(deletion=None)
    changes.record_edits(dict.fromkeys(blocks, {"leave_out": None}))
    row: Any = MODELS[deletion.kind].everything.get(pk=deletion.object_id)
    if deletion.unlinked:
        Experiment.objects.filter(pk__in=deletion.unlinked, host=None).update(host=row)
    counters.record_restored(runs)
    for model, pk, name in renamed:
        merged = (changes.rename_host if model is Host else changes.rename_config)(model.objects.get(pk=pk), name)
        row = merged if isinstance(row, model) and row.pk == pk else row
    deletion.delete()
    return row


def _refuse_orphans(deletion: Deletion) -> None:
    """What a row belongs to may have been deleted after it."""
    for model in TABLES:
        own = model.everything.filter(deletion=deletion)
        known = {each.name for each in model._meta.fields} if model in (Config, *SOURCED) else set()
        for field in known & MODELS.keys():
            gone = own.exclude(**{f"{field}__deletion": None}).exclude(**{f"{field}__deletion": deletion})
            above = gone.values_list(f"{field}__deletion", flat=True).first()
            if above is not None:
                name = Deletion.objects.get(pk=above)
                raise rejected(409, f"It belongs to {name}, which is also in the bin. Restore that first.")


def _free_names(deletion: Deletion) -> list[tuple[Model, int, str]]:
    """Give configs and hosts whose names are taken by now other names for the moment: (model, id, own name)."""
    renamed: list[tuple[Model, int, str]] = []
    for model, key in ((Config, "experiment"), (Host, "fingerprint")):
        namesake = model.objects.filter(name=OuterRef("name"), **{key: OuterRef(key)})
        taken: list[tuple[int, str]] = list(
            model.everything.filter(Exists(namesake), deletion=deletion).values_list("pk", "name")
        )
        for pk, name in taken:
            model.everything.filter(pk=pk).update(name=f"{name[:200]} restored {pk}")
            renamed.append((model, pk, name))
    return renamed


def find_deletion(kind: str, pk: int) -> Deletion:
    """The deletion of this row. Raises Rejected 404 where it is not in the bin, and 409 where it went with another one."""
    deletion = Deletion.objects.filter(kind=kind, object_id=pk).first()
    if deletion is not None:
        return deletion
    row = MODELS[kind].everything.filter(pk=pk).exclude(deletion=None).select_related("deletion").first()
    if row is None or row.deletion is None:
        raise rejected(404, f"No {kind} {pk} is in the bin.")
    raise rejected(409, f"It was deleted with {row.deletion}. Restore that.")


@transaction.atomic
def purge(deletion: Deletion) -> None:
    """Remove what is in the bin by this deletion for good, with its text. Raises Rejected 409 for a host under load."""
    if not Deletion.objects.select_for_update().filter(pk=deletion.pk).first():
        return
    host = Host.everything.filter(deletion=deletion).first()
    if host is not None and hasattr(host, "target"):  # registered as such at the moment in which the host was deleted
        raise rejected(409, f"{host} is a target of remote runs. Restore it, or delete the target first.")
    inside = Q(experiment__deletion=deletion) | Q(config__deletion=deletion) | Q(upload__deletion=deletion)
    with counters.track_changes(Run.objects.filter(inside)):  # none, unless one was stored at that very moment
        for model in TABLES:
            ids = list(model.everything.filter(deletion=deletion).values_list("pk", flat=True))
            for part in counters.split_ids(ids):
                model.everything.filter(pk__in=part).delete()
    deletion.delete()
    # What was deleted before, out of what is gone now, with the texts that went along.
    for kind, model in MODELS.items():
        for before in Deletion.objects.filter(kind=kind).exclude(object_id__in=model.everything.values("pk")):
            purge(before)


def purge_expired() -> int:
    """Purge all that has been in the bin for 30 days; the number of deletions."""
    return purge_all(Deletion.objects.filter(deleted_at__lt=timezone.now() - KEPT_IN_BIN))


def purge_all(deletions: QuerySet[Deletion]) -> int:
    """Purge these, but for hosts under load, which the log names; the number of deletions."""
    n = 0
    for deletion in list(deletions.order_by("pk")):
        try:
            purge(deletion)
            n += 1
        except Rejected as refusal:
            log.warning("%s stays in the bin: %s", deletion, refusal)
    return n
