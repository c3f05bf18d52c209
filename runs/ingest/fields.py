"""What can be changed of a stored row, field by field: pages, REST and Undo all go by these.

A field's value as `read` gives it can be written back, so that a change is undone exactly. What holds for many runs (an
experiment's tags, whether a config counts) reads as {run: value}, and is written as that or as one value for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet

from runs.analysis.facts import HARDWARE
from runs.database import take_turns
from runs.models import Capture, Config, Experiment, Host, Run, Upload

from . import changes, counters
from .changes import record_edit, record_edits
from .validation import clean_line, clean_name, rejected, truncate

MOST_TAGS, TAG_LENGTH = 50, 300
MOST_UNDONE = 2000  # runs of a merged config or host


class EditableField(NamedTuple):
    """`write` returns the row as it is then, another one where two became one. `core`: the part of a value that tells
    whether somebody changed it."""

    read: Callable[[Any], Any]
    write: Callable[[Any, Any], Any]
    core: Callable[[Any], Any] = lambda value: value


def change(row: Any, values: Mapping[str, Any]) -> Any:
    """Write these fields, all or none; the row as it is then. Raises Rejected, 404 where somebody deleted it meanwhile."""
    with take_turns():
        changes.refresh(row)
        for name, value in values.items():
            row = FIELDS[type(row)][name].write(row, value)
    return row


def read(row: Any, names: Mapping[str, Any] | list[str]) -> dict[str, Any]:
    """{field: its value}, as `change` takes them."""
    return {name: FIELDS[type(row)][name].read(row) for name in names}


def is_unchanged(row: Any, then: Mapping[str, Any]) -> bool:
    """Whether nobody has changed since what was read `then`. What came in since does not count as a change."""
    for name, before in then.items():
        core = FIELDS[type(row)][name].core
        was, now = core(before), core(FIELDS[type(row)][name].read(row))
        if isinstance(was, dict):
            was, now = ({key: each[key] for key in was.keys() & now.keys()} for each in (was, now))
        elif isinstance(was, list):
            was, now = ([one for one in each if one in was and one in now] for each in (was, now))
        if was != now:
            return False
    return True


def _save(row: Model, **values: Any) -> Model:
    for name, value in truncate(type(row), **values).items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    return row


def _set_note(run: Run, note: str) -> Run:
    _save(run, note=note)
    record_edit(run, note=run.note)
    return run


# --- baseline: the config with the lowest position ------------------------------------------------------------------------


def _order_of(experiment: Experiment) -> list[int]:
    return list(experiment.configs.values_list("pk", flat=True))


def _set_order(experiment: Experiment, wanted: int | list[int]) -> Experiment:
    """One config first, or all in this order."""
    known = list(Config.objects.select_for_update().filter(experiment=experiment).order_by("position", "pk"))
    first = wanted if isinstance(wanted, list) else [wanted]
    if not isinstance(wanted, list) and wanted not in [config.pk for config in known]:
        raise rejected(400, f"The experiment has no config {wanted}.")
    places = {pk: at for at, pk in enumerate(first)}
    known.sort(key=lambda config: places.get(config.pk, len(places)))
    for position, config in enumerate(known, 1):
        config.position = position
    Config.objects.bulk_update(known, ["position"])
    return experiment


def _order_again(config: Config, wanted: bool | list[int]) -> Config:
    _set_order(config.experiment, wanted if isinstance(wanted, list) else config.pk)
    return config


# --- what holds for several runs ------------------------------------------------------------------------------------------


def _select_runs(row: Any) -> QuerySet[Run]:
    return Run.objects.filter(pk=row.pk) if isinstance(row, Run) else row.runs.all()


def _read_runs(name: str) -> Callable[[Any], dict[str, Any]]:
    """What reads {run id as text: value} of this column from a row that has runs."""
    return lambda row: {str(pk): value for pk, value in _select_runs(row).order_by("pk").values_list("pk", name)}


def _spread_over_runs(row: Any, value: Any) -> dict[int, Any]:
    """{run id: value} of the row's runs. value: one for all, or {run id as text: value} of some."""
    own = list(_select_runs(row).values_list("pk", flat=True))
    if not isinstance(value, dict):
        return dict.fromkeys(own, value)
    return {pk: value[str(pk)] for pk in own if str(pk) in value}


def _write_runs(row: Any, value: Any, name: str) -> Any:
    """value: of all runs, or {run: value}."""
    values = _spread_over_runs(row, value)
    with counters.track_changes(_select_runs(row)):
        for wanted in {json.dumps(each): each for each in values.values()}.values():
            for part in counters.split_ids([pk for pk, each in values.items() if each == wanted]):
                runs = Run.objects.filter(pk__in=part)
                runs.update(**{name: wanted})
                record_edits(dict.fromkeys(runs.values_list("upload_id", "block_key"), {name: wanted}))
        if name == "tags":
            counters.save_tags(_select_runs(row))
    return row


def _set_tags(row: Any, value: list[str] | dict[str, list[str]]) -> Any:
    if not isinstance(value, dict):
        value = list(dict.fromkeys(tag for each in value if (tag := clean_line(each).strip()[:TAG_LENGTH])))
        if len(value) > MOST_TAGS:
            raise rejected(400, f"At most {MOST_TAGS} tags, not {len(value)}.")
    return _write_runs(row, value, "tags")


# --- where runs belong ----------------------------------------------------------------------------------------------------


def _describe_place(config: Config) -> list[Any]:
    """All that is needed to make the config again, since one that is left empty is deleted."""
    return [config.pk, config.experiment_id, config.name, config.group, config.position]


def _move(run: Run, wanted: int | list[Any]) -> Run:
    config = _restore_config(wanted[:5]) if isinstance(wanted, list) else Config.objects.filter(pk=wanted).first()
    if config is None:
        raise rejected(400, f"There is no config {wanted}.")
    if config.pk != run.config_id:
        changes.move_runs([run], config)
    return changes.set_repeat(run, wanted[5]) if isinstance(wanted, list) and wanted[5] else run


def _restore_config(stored: list[Any]) -> Config:
    pk, experiment_id, name, group, position = stored
    experiment = Experiment.objects.filter(pk=experiment_id).first()
    if experiment is None:
        raise rejected(409, "Its experiment was deleted.")
    config = experiment.configs.filter(pk=pk).first() or experiment.configs.filter(name=name).first()
    return config or Config.objects.create(experiment=experiment, name=name, group=group, position=position)


def _read_name(config: Config) -> dict[str, Any]:
    """With what it holds, unless that is much: a name that another config has makes the two one."""
    runs = list(config.runs.order_by("pk").values_list("pk", "repeat")[: MOST_UNDONE + 1])
    others = {"captures": _list_ids(config.captures.all()), "texts": _list_ids(config.texts.all())}
    return _mark_whole({"place": _describe_place(config), "runs": [list(row) for row in runs], **others})


def _list_ids(rows: QuerySet[Any]) -> list[int]:
    """One more than can be undone at the most."""
    return list(rows.order_by("pk").values_list("pk", flat=True)[: MOST_UNDONE + 1])


def _mark_whole(value: dict[str, Any]) -> dict[str, Any]:
    """Whether all of it was read, so that two that become one can be taken apart again."""
    return value | {"whole": all(len(each) <= MOST_UNDONE for each in value.values() if isinstance(each, list))}


def can_undo_merge(before: Mapping[str, Any]) -> bool:
    """Whether what was read `before` has all that was in a row that is now part of another one."""
    return all(value["whole"] for value in before.values() if isinstance(value, dict) and "whole" in value)


def _rename_config(config: Config, name: str | dict[str, Any]) -> Config:
    if isinstance(name, str):
        return changes.rename_config(config, name)
    if config.pk == name["place"][0]:
        return changes.rename_config(config, name["place"][2])
    return _split(config, name)


def _split(merged: Config, before: dict[str, Any]) -> Config:
    """Take out of a config again what was another config's."""
    config = _restore_config(before["place"])
    repeats = dict(before["runs"])
    changes.move_runs(list(merged.runs.select_related("host").filter(pk__in=repeats).order_by("pk")), config, repeats)
    for capture in merged.captures.filter(pk__in=before["captures"], run=None):
        changes.move_capture(capture, config, capture.phase)
    merged.texts.filter(pk__in=before["texts"]).update(config=config)
    return config


def _read_host(host: Host) -> dict[str, Any]:
    """Its name with what it is and holds: a name that the same hardware has already makes the two one."""
    columns = {each: getattr(host, each) for each in HOST_COLUMNS}
    owned = {
        "runs": _list_ids(host.runs.all()),
        "captures": _list_ids(host.captures.all()),
        "experiments": _list_ids(host.experiments.all()),
    }
    whole = _mark_whole({"pk": host.pk, "columns": columns, **owned})
    return whole | {"keys": changes.list_host_keys(host) if whole["whole"] else {}}


def _rename_host(host: Host, name: str | dict[str, Any]) -> Host:
    if isinstance(name, str):
        return changes.rename_host(host, name)
    columns = name["columns"]
    if host.pk == name["pk"]:
        return changes.rename_host(host, columns["name"])
    same = Host.objects.filter(name=columns["name"], fingerprint=columns["fingerprint"]).first()
    before = same or Host.objects.create(**columns)
    owned: dict[type[Model], list[int]] = {
        Run: name["runs"],
        Capture: name["captures"],
        Experiment: name["experiments"],
    }
    changes.split_hosts(host, before, owned, {int(pk): keys for pk, keys in name["keys"].items()})
    return before


def _rename_upload(upload: Upload, name: str) -> Model:
    """An empty name is what Undo gives back to a text that came without one."""
    return _save(upload, name=clean_name(Upload, name) if name else "")


HOST_COLUMNS = ("name", *HARDWARE, "fingerprint")
_NAME = attrgetter("name")
FIELDS: dict[type[Model], dict[str, EditableField]] = {
    Experiment: {
        "name": EditableField(_NAME, changes.rename_experiment),
        "note": EditableField(attrgetter("notes"), lambda row, note: _save(row, notes=note)),
        "baseline": EditableField(_order_of, _set_order),
        "tags": EditableField(_read_runs("tags"), _set_tags),
        "archived": EditableField(attrgetter("archived"), lambda row, archived: _save(row, archived=archived)),
    },
    Config: {
        "name": EditableField(_read_name, _rename_config, lambda value: value["place"][2]),
        "baseline": EditableField(lambda config: _order_of(config.experiment), _order_again),
        "counted": EditableField(_read_runs("counted"), lambda row, value: _write_runs(row, value, "counted")),
    },
    Run: {
        "note": EditableField(attrgetter("note"), _set_note),
        "tags": EditableField(attrgetter("tags"), _set_tags, tuple),
        "counted": EditableField(attrgetter("counted"), changes.set_counted),
        "repeat": EditableField(attrgetter("repeat"), changes.set_repeat),
        "config": EditableField(lambda run: [*_describe_place(run.config), run.repeat], _move, itemgetter(0)),
    },
    Host: {
        "name": EditableField(_read_host, _rename_host, lambda value: value["columns"]["name"]),
        "price_per_hour": EditableField(
            attrgetter("price_per_hour"), lambda row, price: _save(row, price_per_hour=price)
        ),
    },
    Upload: {"name": EditableField(_NAME, _rename_upload)},
}
