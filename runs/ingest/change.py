"""What a person changes after the save. It also goes into the uploads' edits, so that reading them anew keeps it.

One transaction each; returns the object as it is afterwards. Raises Rejected (400) for what makes no sense.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Max, Model

from runs.models import Capture, Config, ConfigText, Experiment, Host, Run, Timing, Upload

from . import fingerprint, tallies
from .before import drop_empty
from .edits import NEW, PHASES
from .fitting import fitted
from .rejected import rejected


@transaction.atomic
def rename_experiment(experiment: Experiment, name: str) -> Experiment:
    experiment.name = _name(Experiment, name)
    experiment.save(update_fields=["name"])
    _record_name(_uploads_of(experiment), "experiments", experiment.pk, experiment.name)
    return experiment


@transaction.atomic
def rename_config(config: Config, name: str) -> Config:
    """A name that another config of the experiment has makes the two one."""
    name = _name(Config, name)
    namesake = Config.objects.filter(experiment=config.experiment, name=name).exclude(pk=config.pk).first()
    if namesake is not None:
        return merge_configs(config, into=namesake)
    with tallies.noting(config.runs.all()):
        config.name = name
        config.save(update_fields=["name"])
    _record_name(_uploads_of(config.experiment), "configs", config.pk, name)
    return config


@transaction.atomic
def rename_host(host: Host, name: str) -> Host:
    """A name that the same hardware has already makes the two one."""
    name = _name(Host, name)
    namesake = Host.objects.filter(name=name, fingerprint=host.fingerprint).exclude(pk=host.pk).first()
    uploads = _uploads_on(host)
    if namesake is not None:
        with tallies.noting(host.runs.all()):
            for model in (Run, Capture, Experiment):
                model._default_manager.filter(host=host).update(host=namesake)
        _replace(uploads, "hosts", host.pk, namesake.pk)
        host.delete()
        return namesake
    host.name = name
    host.save(update_fields=["name"])
    _record_name(uploads, "hosts", host.pk, name)
    return host


@transaction.atomic
def move_run(run: Run, config: Config) -> Run:
    """Put a run, and what was measured beside it, under another config. What is left with nothing goes."""
    before = (run.experiment_id, run.config_id)
    with tallies.noting(Run.objects.filter(pk=run.pk)):
        _place_run(run, config)
        run.save()
    for capture in Capture.objects.filter(run=run):
        _place_capture(capture, config)
    _record_block(run, config=_key_of(run.upload_id, config), repeat=run.repeat)
    drop_empty([before[0]], [before[1]])
    return run


@transaction.atomic
def set_repeat(run: Run, repeat: int) -> Run:
    if repeat < 1:
        raise rejected(400, f"A repeat is a whole number from 1, not {repeat}.")
    run.repeat = repeat
    run.save(update_fields=["repeat"])
    _record_block(run, repeat=repeat)
    return run


@transaction.atomic
def set_counted(run: Run, counted: bool) -> Run:
    """counted False keeps the run out of comparisons without losing it."""
    with tallies.noting(Run.objects.filter(pk=run.pk)):
        run.counted = counted
        run.save(update_fields=["counted"])
    _record_block(run, counted=counted)
    return run


@transaction.atomic
def set_label(run: Run, label: str) -> Run:
    run.label = fitted(Run, label=label.strip())["label"]
    run.save(update_fields=["label"])
    _record_block(run, label=run.label)
    return run


@transaction.atomic
def move_capture(capture: Capture, config: Config | None, phase: str = "", *, run: Run | None = None) -> Capture:
    """Put a capture beside a run, or under a config, or (None) under the experiment as a whole.

    It stays beside the run that it is beside where that belongs to the config.
    """
    if phase not in PHASES:
        raise rejected(400, f"A phase is before, during, after or empty, not {phase!r}.")
    before = (capture.experiment_id, capture.config_id)
    if run is None and capture.run is not None and config is not None and capture.run.config_id == config.pk:
        run = capture.run
    if run is not None:
        config = run.config
    capture.run, capture.phase = run, phase
    _place_capture(capture, config)
    _record_block(capture, config=_key_of(capture.upload_id, config), run=_run_key(capture), phase=phase)
    drop_empty([before[0]], [before[1]] if before[1] else [])
    return capture


@transaction.atomic
def merge_configs(config: Config, *, into: Config) -> Config:
    """Everything of one config under another of any experiment; the first goes."""
    uploads = _uploads_of(config.experiment)
    with tallies.noting(config.runs.all()):
        for run in Run.objects.filter(config=config).order_by("repeat", "id"):
            _place_run(run, into)
            run.save()
            _record_block(run, config=_key_of(run.upload_id, into), repeat=run.repeat)
    for model in (Capture, ConfigText):
        model._default_manager.filter(config=config).update(config=into, experiment=into.experiment)
    _replace(uploads, "configs", config.pk, into.pk)
    if config.experiment_id == into.experiment_id:
        _record_name(uploads, "configs", into.pk, into.name)
    config.delete()
    return into


@transaction.atomic
def merge_experiments(experiment: Experiment, *, into: Experiment) -> Experiment:
    """Everything of one experiment in another, configs of one name as one; the first goes."""
    uploads = _uploads_of(experiment)
    names = {config.name: config for config in into.configs.all()}
    last: int = into.configs.aggregate(last=Max("position"))["last"] or 0
    for config in experiment.configs.all():
        if config.name in names:
            merge_configs(config, into=names[config.name])
            continue
        last += 1
        Config.objects.filter(pk=config.pk).update(experiment=into, position=last)
    for model in (Run, Capture, ConfigText, Timing):
        model._default_manager.filter(experiment=experiment).update(experiment=into)
    _replace(uploads, "experiments", experiment.pk, into.pk)
    experiment.delete()
    return into


def _name(model: type[Model], name: str) -> str:
    if not name.strip():
        raise rejected(400, "A name needs at least one character.")
    return str(fitted(model, name=name.strip())["name"])


def _place_run(run: Run, config: Config) -> None:
    """Under the config, with a fingerprint and a repeat that fit there. Not saved."""
    run.config, run.experiment = config, config.experiment
    Timing.objects.filter(run=run).update(experiment=config.experiment)
    run.fingerprint = fingerprint.of_stored([run])[0]
    others = Run.objects.filter(config=config, fingerprint=run.fingerprint).exclude(pk=run.pk)
    if others.filter(repeat=run.repeat).exists():
        run.repeat = others.aggregate(last=Max("repeat"))["last"] + 1


def _place_capture(capture: Capture, config: Config | None) -> None:
    capture.config = config
    if config is not None:
        capture.experiment = config.experiment
    capture.save()


def _uploads_of(experiment: Experiment) -> list[Upload]:
    """Uploads that have something in the experiment, locked."""
    ids = {
        pk
        for model in (Run, Capture, ConfigText)
        for pk in model._default_manager.filter(experiment=experiment).values_list("upload_id", flat=True)
    }
    return _locked(ids)


def _uploads_on(host: Host) -> list[Upload]:
    ids = {
        pk
        for model in (Run, Capture)
        for pk in model._default_manager.filter(host=host).values_list("upload_id", flat=True)
    }
    return _locked(ids)


def _locked(ids: Iterable[int]) -> list[Upload]:
    return list(Upload.objects.select_for_update().defer("raw").filter(pk__in=ids).order_by("pk"))


def _record_name(uploads: Iterable[Upload], section: str, pk: int, name: str) -> None:
    for upload in uploads:
        for key in [key for key, placed in upload.placed.get(section, {}).items() if placed == pk]:
            upload.edits.setdefault(section, {}).setdefault(key, {})["name"] = name
        upload.save(update_fields=["edits"])


def _replace(uploads: Iterable[Upload], section: str, old: int, new: int) -> None:
    """From now on the uploads' keys mean the new row."""
    for upload in uploads:
        placed = upload.placed.get(section, {})
        upload.placed[section] = {key: new if pk == old else pk for key, pk in placed.items()}
        upload.save(update_fields=["placed"])


def _record_block(row: Run | Capture, **changes: object) -> None:
    upload = _locked([row.upload_id])[0]
    upload.edits.setdefault("blocks", {}).setdefault(row.block_key, {}).update(changes)
    upload.save(update_fields=["edits"])


def _key_of(upload_id: int, config: Config | None) -> str:
    """The config's key in the upload's draft; one that the text did not give gets a "new:" key."""
    if config is None:
        return ""
    upload = _locked([upload_id])[0]
    placed: dict[str, int] = upload.placed.setdefault("configs", {})
    for key, pk in placed.items():
        if pk == config.pk:
            return key
    key = f"{NEW}{config.name}"
    key = f"{key} ({config.pk})" if key in placed else key
    placed[key] = config.pk
    upload.save(update_fields=["placed"])
    return key


def _run_key(capture: Capture) -> str:
    if capture.run is None:
        return ""
    return capture.run.block_key if capture.run.upload_id == capture.upload_id else f"id:{capture.run.pk}"
