"""What people change after a text is stored: names, places, repeats, overrides of doubts, and secrets taken out.

Changes also go into the uploads' edits, so that parsing a text again keeps them. One transaction each; the object is
returned as it is afterwards. Raises Rejected (400) for invalid values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Exists, Model, OuterRef, Q
from django.utils import timezone

from runs.analysis.doubt_case import RULES
from runs.database import take_turns
from runs.models import Capture, Config, ConfigText, Experiment, Facet, Host, Override, Run, Timing, Upload

from . import counters
from .configs import delete_empty, make_fingerprints_of_stored
from .edits import NEW, PHASES
from .receiving import mask_stored
from .secret_copies import find_base64_forms, find_forms, mask_json, mask_words
from .text_storage import load_text, make_text_columns, save_pieces
from .validation import clean_name, rejected, takes_worker, truncate

RUNS_PER_QUERY = 500
SHORTEST_SECRET = 4  # characters; a shorter word would be blacked out inside of figures and other words


def refresh(row: Model) -> None:
    """The row as it is now that nobody else changes anything. Raises Rejected 404 where it was deleted since it was read."""
    try:
        row.refresh_from_db(from_queryset=type(row)._default_manager.all())
    except type(row).DoesNotExist:  # type: ignore[attr-defined]
        raise rejected(404, f"{row} no longer exists: it was deleted.") from None


@take_turns()
def rename_experiment(experiment: Experiment, name: str) -> Experiment:
    experiment.name = clean_name(Experiment, name)
    experiment.save(update_fields=["name"])
    _record_name(_lock_uploads_of(experiment=experiment), "experiments", experiment.pk, experiment.name)
    return experiment


def record_headline(experiment: Experiment, headline: dict[str, Any]) -> None:
    """Keep what an experiment's page opens with, for its card."""
    Experiment.objects.filter(pk=experiment.pk).update(headline=headline)


@take_turns()
def rename_config(config: Config, name: str) -> Config:
    """A name that another config of the experiment has merges the two."""
    name = clean_name(Config, name)
    namesake = Config.objects.filter(experiment=config.experiment, name=name).exclude(pk=config.pk).first()
    if namesake is not None:
        return _merge_configs(config, into=namesake)
    with counters.track_changes(config.runs.all()):
        config.name = name
        config.save(update_fields=["name"])
    _record_name(_lock_uploads_of(experiment=config.experiment), "configs", config.pk, name)
    return config


@take_turns()
def rename_host(host: Host, name: str) -> Host:
    """A name that the same hardware has already merges the two."""
    name = clean_name(Host, name)
    namesake = Host.objects.filter(name=name, fingerprint=host.fingerprint).exclude(pk=host.pk).first()
    uploads = _lock_uploads_of(host=host)
    if namesake is not None:
        return _merge_hosts(host, uploads, into=namesake)
    host.name = name
    host.save(update_fields=["name"])
    _record_name(uploads, "hosts", host.pk, name)
    return host


def _merge_hosts(host: Host, uploads: Sequence[Upload], *, into: Host) -> Host:
    """Everything of one host under another one; the first is deleted."""
    others = [each for each in Host._meta.related_objects if each.related_model not in (Run, Capture, Experiment)]
    for each in others:  # a target of remote runs, which would go with its host
        rows: Any = each.related_model._base_manager
        field = each.field.name
        if each.one_to_one and rows.filter(**{field: into}).exists() and rows.filter(**{field: host}).exists():
            kind = each.related_model._meta.verbose_name
            raise rejected(409, f"Both hosts are a {kind}. Delete one of these first.")
        rows.filter(**{field: host}).update(**{field: into})
    with counters.track_changes(host.runs.all()):
        for model in (Run, Capture, Experiment):  # those in the bin, too
            model.everything.filter(host=host).update(host=into)
    _replace_placed(uploads, "hosts", host.pk, into.pk)
    host.delete()
    return into


@take_turns()
def split_hosts(
    merged: Host, host: Host, owned: Mapping[type[Model], Collection[int]], keys: Mapping[int, list[str]]
) -> None:
    """Put under `host` again what of this is `merged`'s; keys: what uploads call it, by their ids."""
    with counters.track_changes(merged.runs.filter(pk__in=owned[Run])):
        for model, ids in owned.items():
            model._default_manager.filter(pk__in=ids, host=merged).update(host=host)
    for upload in lock_uploads(keys):
        placed = upload.placed.get("hosts", {})
        placed.update({key: host.pk for key in keys[upload.pk] if placed.get(key) == merged.pk})
        upload.save(update_fields=["placed"])


def list_host_keys(host: Host) -> dict[int, list[str]]:
    """Upload id → what that upload calls this host."""
    host_keys = {
        upload.pk: [key for key, pk in upload.placed.get("hosts", {}).items() if pk == host.pk]
        for upload in Upload.objects.filter(pk__in=_list_upload_ids(host=host)).only("placed")
    }
    return {pk: keys for pk, keys in host_keys.items() if keys}


def mask_text(upload_id: int, words: Iterable[str]) -> list[str]:
    """Replace what looks like a secret, and these words, by "[redacted]" in a stored text; what was replaced, longest first.

    What was made of the text is still to be masked (`mask_names`) and made anew (`reparse`). One that is large or slow to read is
    queued for that: nobody else can change anything meanwhile.
    Raises Rejected 400 for a word that is too short, and 409 for a text that is still to be read.
    """
    words = [word.strip() for word in words if word.strip()]
    if short := [word for word in words if len(word) < SHORTEST_SECRET]:
        raise rejected(
            400, f"{short[0]!r} is too short to be redacted; expected at least {SHORTEST_SECRET} characters."
        )
    upload = Upload.objects.select_for_update().get(pk=upload_id)
    if upload.is_waited_for:
        raise rejected(409, "The text has not been read yet. Wait, or cancel it first.")
    text, masked = mask_stored(load_text(upload), words)
    gone = [word for word in masked if len(word) >= SHORTEST_SECRET]
    own = {name: mask_json(getattr(upload, name), gone) for name in ("name", "hints", "edits", "problems", "error")}
    for name, value in (make_text_columns(text) | own).items():
        setattr(upload, name, value)
    n_unread = sum(last - first + 1 for first, last in upload.unread)
    if text.size_bytes > settings.QUEUE_UPLOAD_BYTES or takes_worker(len(upload.blocks), n_unread):
        upload.status, upload.attempts, upload.seen_at = Upload.Status.QUEUED, 0, None
    upload.save()
    upload.pieces.all().delete()
    save_pieces(upload, text)
    return gone


def mask_names(upload: Upload, words: Iterable[str]) -> None:
    """Black the words out in the names of all that the upload went into."""
    words = list(words)
    rename: dict[Any, Callable[[Any, str], Any]] = {
        Experiment: rename_experiment,
        Config: rename_config,
        Host: rename_host,
    }
    for model, action in rename.items():
        for row in model.objects.filter(pk__in=upload.placed.get(f"{model._meta.model_name}s", {}).values()):
            if (name := mask_words(row.name, words)) != row.name:
                action(row, name)
    _mask_facets(upload, words)


def _mask_facets(upload: Upload, words: Iterable[str]) -> None:
    """Black the words out in facets that no other upload's run has."""
    others = Run.objects.exclude(upload=upload)
    links = Q(facet_config=OuterRef("pk")) | Q(facet_command=OuterRef("pk")) | Q(facet_server=OuterRef("pk"))
    for word in words:
        holds = reduce(or_, (Q(value__icontains=form) for form in (*find_forms(word), *find_base64_forms(word))))
        for facet in Facet.objects.filter(~Exists(others.filter(links)), holds):
            facet.value = mask_words(facet.value, [word])
            if Facet.objects.filter(kind=facet.kind, value=facet.value).exists():  # then nothing has this one any more
                facet.value = f"{facet.value[:250]} {facet.pk}"
            facet.save(update_fields=["value"])


@take_turns()
def move_runs(runs: Sequence[Run], config: Config, repeats: Mapping[int, int] | None = None) -> None:
    """Put runs and their captures under another config. A config or experiment left empty is deleted.

    repeats: the numbers that runs get there, by id; others keep theirs where it is free.
    """
    before = {run.experiment_id for run in runs}, {run.config_id for run in runs}
    ids = [run.pk for run in runs]
    with counters.track_changes(Run.objects.filter(pk__in=ids)):
        _place_runs(runs, config, repeats or {})
    for part in counters.split_ids(ids):
        Capture.objects.filter(run__in=part).update(config=config, experiment=config.experiment)
    _record_places(runs, config)
    delete_empty(*before)


@take_turns()
def set_repeat(run: Run, repeat: int) -> Run:
    if repeat < 1:
        raise rejected(400, f"A repeat is a whole number from 1, not {repeat}.")
    run.repeat = repeat
    run.save(update_fields=["repeat"])
    record_edit(run, repeat=repeat)
    return run


@take_turns()
def set_counted(run: Run, counted: bool) -> Run:
    """counted False keeps the run out of comparisons without losing it."""
    with counters.track_changes(Run.objects.filter(pk=run.pk)):
        run.counted = counted
        run.save(update_fields=["counted"])
    record_edit(run, counted=counted)
    return run


@take_turns()
def move_capture(capture: Capture, config: Config | None, phase: str = "") -> Capture:
    """Put a capture under a config, or (None) under the experiment as a whole. It keeps its run if that is the config's."""
    if phase not in PHASES:
        raise rejected(400, f"A phase is before, during, after or empty, not {phase!r}.")
    for row in filter(None, (capture, config)):
        refresh(row)
    before = (capture.experiment_id, capture.config_id)
    if capture.run is None or config is None or capture.run.config_id != config.pk:
        capture.run = None
    Capture.objects.filter(
        upload=capture.upload_id, block_key__startswith=f"{capture.block_key}."
    ).delete()  # its parts
    capture.phase, capture.config = phase, config
    capture.experiment = config.experiment if config is not None else capture.experiment
    capture.save()
    run_key = ""
    if capture.run is not None:
        run_key = capture.run.block_key if capture.run.upload_id == capture.upload_id else f"id:{capture.run.pk}"
    record_edit(capture, config=_give_key(capture.upload_id, config), run=run_key, phase=phase)
    delete_empty([before[0]], [before[1]] if before[1] else [])
    return capture


@take_turns()
def override_doubt(
    rule: str, *, run: Run | None = None, config: Config | None = None, by: User, reason: str
) -> Override:
    """Let the run, or the config, count in spite of a fatal doubt. Where that is in force already, that override."""
    if (run is None) == (config is None):
        raise rejected(400, "An override is for one run or one config.")
    if rule not in RULES:
        raise rejected(400, f"There is no doubt {rule!r}.")
    if not reason.strip():
        raise rejected(400, "A reason is required, so that others can judge it.")
    about = {"upload": run.upload, "line": run.line_first} if run is not None else {"config": config}
    in_force = Override.objects.filter(rule=rule, withdrawn_at=None, **about).first()
    if in_force is not None:
        return in_force
    made = Override.objects.create(rule=rule, made_by=by, **about, **truncate(Override, reason=reason.strip()))
    _judge_runs_again(made)
    return made


@take_turns()
def withdraw_override(override: Override, *, by: User) -> Override:
    """The doubt counts again. The row stays as a record of who said what; withdrawn twice it stays as it was."""
    same = Override.objects.filter(rule=override.rule, withdrawn_at=None, config=override.config_id)
    same.filter(upload=override.upload_id, line=override.line).update(withdrawn_at=timezone.now(), withdrawn_by=by)
    override.refresh_from_db()
    _judge_runs_again(override)
    return override


def _judge_runs_again(override: Override) -> None:
    """Have the runs on its line judged anew, and their days summed."""
    line = override.line or 0
    runs = Run.objects.filter(upload=override.upload_id, line_first__lte=line, line_last__gte=line)
    with counters.track_changes(runs):
        runs.update(doubted=None)


def _merge_configs(config: Config, *, into: Config) -> Config:
    """Everything of one config under another one of its experiment; the first is deleted."""
    uploads = _lock_uploads_of(experiment=config.experiment)
    # Saved before the runs are recorded: that loads the uploads' rows again.
    _replace_placed(uploads, "configs", config.pk, into.pk)
    _record_name(uploads, "configs", into.pk, into.name)
    runs = list(Run.objects.filter(config=config).order_by("repeat", "id").select_related("host"))
    with counters.track_changes(config.runs.all()):
        _place_runs(runs, into, {})
        _record_places(runs, into)
    for model in (Run, Capture, ConfigText):  # those in the bin, too
        model.everything.filter(config=config).update(config=into)
    config.delete()
    return into


def _place_runs(runs: Sequence[Run], config: Config, repeats: Mapping[int, int]) -> None:
    """Under the config, with fingerprints and repeats that fit there: a number that another run has there goes on from the last."""
    own = {run.pk for run in runs}
    taken: dict[str, set[int]] = defaultdict(set)
    for pk, fingerprint, repeat in config.runs.order_by().values_list("pk", "fingerprint", "repeat"):
        if pk not in own:
            taken[fingerprint].add(repeat)
    for run in runs:
        run.config, run.experiment = config, config.experiment
    for run, run.fingerprint in zip(runs, make_fingerprints_of_stored(runs), strict=True):
        numbers = taken[run.fingerprint]
        run.repeat = repeats.get(run.pk) or (max(numbers) + 1 if run.repeat in numbers else run.repeat)
        numbers.add(run.repeat)
    for part in counters.split_ids(list(own)):
        Timing.objects.filter(run__in=part).update(experiment=config.experiment)
        Run.objects.filter(pk__in=part).update(config=config, experiment=config.experiment)
    Run.objects.bulk_update(runs, ["fingerprint", "repeat"], batch_size=RUNS_PER_QUERY)


def _record_places(runs: Sequence[Run], config: Config) -> None:
    keys = {upload: _give_key(upload, config) for upload in sorted({run.upload_id for run in runs})}
    record_edits(
        {(run.upload_id, run.block_key): {"config": keys[run.upload_id], "repeat": run.repeat} for run in runs}
    )


def _lock_uploads_of(**owner: Experiment | Host) -> list[Upload]:
    """Uploads that have something in this experiment, or on this host, locked."""
    return lock_uploads(_list_upload_ids(**owner))


def _list_upload_ids(**owner: Experiment | Host) -> set[int]:
    models: tuple[type[Model], ...] = (Run, Capture) if "host" in owner else (Run, Capture, ConfigText)
    return {pk for model in models for pk in model._default_manager.filter(**owner).values_list("upload_id", flat=True)}


def lock_uploads(ids: Iterable[int]) -> list[Upload]:
    return list(Upload.objects.select_for_update().defer("raw").filter(pk__in=ids).order_by("pk"))


def _record_name(uploads: Iterable[Upload], section: str, pk: int, name: str) -> None:
    for upload in uploads:
        for key in [key for key, placed in upload.placed.get(section, {}).items() if placed == pk]:
            upload.edits.setdefault(section, {}).setdefault(key, {})["name"] = name
        upload.save(update_fields=["edits"])


def _replace_placed(uploads: Iterable[Upload], section: str, old: int, new: int) -> None:
    for upload in uploads:
        placed = upload.placed.get(section, {})
        upload.placed[section] = {key: new if pk == old else pk for key, pk in placed.items()}
        upload.save(update_fields=["placed"])


def record_edit(row: Run | Capture, **changes: object) -> None:
    record_edits({(row.upload_id, row.block_key): changes})


def record_edits(changes: Mapping[tuple[int, str], dict[str, Any]]) -> None:
    """Add edits to blocks, each named by its upload and key; None takes an edit away."""
    keys: dict[int, list[str]] = defaultdict(list)
    for upload_id, key in changes:
        keys[upload_id].append(key)
    for upload in lock_uploads(keys):
        edited = upload.edits.setdefault("blocks", {})
        for key in keys[upload.pk]:
            both = {**edited.pop(key, {}), **changes[upload.pk, key]}
            if kept := {name: value for name, value in both.items() if value is not None}:
                edited[key] = kept
        if not edited:
            del upload.edits["blocks"]
        upload.save(update_fields=["edits"])


def _give_key(upload_id: int, config: Config | None) -> str:
    """The config's key in the upload's draft; one that the text did not give gets a "new:" key."""
    if config is None:
        return ""
    upload = lock_uploads([upload_id])[0]
    placed: dict[str, int] = upload.placed.setdefault("configs", {})
    if known := [key for key, pk in placed.items() if pk == config.pk]:
        return known[0]
    key = f"{NEW}{config.name}"
    key = f"{key} ({config.pk})" if key in placed else key
    placed[key] = config.pk
    upload.save(update_fields=["placed"])
    return key
