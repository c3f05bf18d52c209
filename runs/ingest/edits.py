"""What a person changed in a draft: a plain dict, checked, then applied to a copy of the draft.

    {"experiments": {"e1": {"name": ..}}, "hosts": {"h1": {"name": ..}}, "configs": {"c1": {"name": ..}},
     "blocks": {"b3": {"config": "c2", "run": "b1", "phase": "after", "label": .., "note": .., "tags": [..],
                       "repeat": 2, "counted": false, "leave_out": true}}}

A block is a run, a capture (named by any of its blocks; "b3.1" is its first part) or a config text. Its `config` is a
config's key, "new:NAME" for one of its experiment that is made where it is missing, or "" for the whole experiment (not
for runs). A capture's `run` is a run's key, "id:PK" for a stored run of another upload, or "". Configs and experiments
that are given the same name become one.
"""

from __future__ import annotations

import copy
import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from parsers.blocks import Block
from runs.drafts.draft import (
    Draft,
    DraftCapture,
    DraftConfig,
    DraftExperiment,
    DraftRun,
    DraftText,
    Item,
    drop_parts,
    list_items,
    merge_namesakes,
    number_repeats,
    remove_unused,
)

from .validation import MOST_REPEATS, Error, Rejected, clean_line

Edits = dict[str, dict[str, dict[str, Any]]]
NEW = "new:"
PHASES = ("", "before", "during", "after")
_PLACES = ("config", "run", "phase", "leave_out")  # what says of a capture as a whole where it belongs

_TEXT: tuple[str, Callable[[Any], bool]] = ("a text", lambda value: isinstance(value, str))
_NAME: tuple[str, Callable[[Any], bool]] = (
    "a name",
    lambda value: isinstance(value, str) and bool(clean_line(value).strip()),
)
_YES_NO: tuple[str, Callable[[Any], bool]] = ("true or false", lambda value: isinstance(value, bool))
FIELDS: dict[str, dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "experiments": {"name": _NAME},
    "hosts": {"name": _NAME},
    "configs": {"name": _NAME},
    "blocks": {
        "config": _TEXT,
        "run": _TEXT,
        "phase": ("before, during, after or empty", lambda value: value in PHASES),
        "label": _TEXT,
        "note": _TEXT,
        "tags": (
            "a list of texts",
            lambda value: isinstance(value, list) and all(isinstance(tag, str) for tag in value),
        ),
        "repeat": (
            f"a whole number from 1 to {MOST_REPEATS}",
            lambda value: type(value) is int and 1 <= value <= MOST_REPEATS,
        ),
        "counted": _YES_NO,
        "leave_out": _YES_NO,
    },
}


def apply_edits(draft: Draft, edits: Edits, *, strict: bool = True) -> Draft:
    """A copy of the draft with the edits made. Raises Rejected (400) that names each key or value that does not fit.

    strict False leaves out edits that name what is not in the draft: for a text that a later parser reads again.
    """
    edited = copy.deepcopy(draft)
    wrong = check_shape(edits)
    if not wrong:
        wrong = _edit_draft(edited, edits)
        if any(edits.get(section) for section in ("experiments", "configs")):
            merge_namesakes(edited)
        _number_moved(draft, edited)
        _set_repeats(edited, edits)
        remove_unused(edited)
    if wrong and strict:
        raise Rejected(400, wrong)
    return edited


def add_edits(edits: Edits, more: Edits) -> Edits:
    """Both: of two that change the same, `more`."""
    return {
        section: {
            key: {**edits.get(section, {}).get(key, {}), **more.get(section, {}).get(key, {})}
            for key in [*edits.get(section, {}), *more.get(section, {})]
        }
        for section in FIELDS
        if section in edits or section in more
    }


def _make_error(message: str) -> Error:
    return {"line": None, "message": message}


def check_shape(edits: Any) -> list[Error]:
    """What is wrong with the edits, whatever is in the draft."""
    if not isinstance(edits, dict):
        return [_make_error("Edits must be an object with experiments, hosts, configs and blocks.")]
    errors = [
        _make_error(f"Unknown edits: {key!r}. Expected one of: {', '.join(FIELDS)}.")
        for key in edits
        if key not in FIELDS
    ]
    for section, fields in FIELDS.items():
        for key, changes in _check_entries(edits.get(section, {}), section, errors):
            for field, value in _check_entries(changes, f"{section}.{key}", errors):
                if field not in fields:
                    expected = ", ".join(fields)
                    errors.append(_make_error(f"Unknown edit {section}.{key}.{field}. Expected one of: {expected}."))
                elif not fields[field][1](value):
                    errors.append(
                        _make_error(f"{section}.{key}.{field} must be {fields[field][0]}, not {reprlib.repr(value)}.")
                    )
    return errors


def _check_entries(given: Any, where: str, errors: list[Error]) -> list[tuple[str, Any]]:
    """The pairs of an object; [] and one more error where it is none."""
    if isinstance(given, dict):
        return list(given.items())
    errors.append(_make_error(f"Edits of {where} must be an object, not {reprlib.repr(given)}."))
    return []


def _edit_draft(draft: Draft, edits: Edits) -> list[Error]:
    """Change the draft; edits of what it does not have are returned as errors."""
    named: dict[str, dict[str, Any]] = {
        "experiments": {experiment.key: experiment for experiment in draft.experiments},
        "hosts": {host.key: host for host in draft.hosts},
        "configs": {config.key: config for experiment in draft.experiments for config in experiment.configs},
    }
    # First what the draft has: a block may move to a new config of the name that another had.
    names = [(section, key, changes) for section in named for key, changes in edits.get(section, {}).items()]
    known = [each for each in names if each[1] in named[each[0]]]
    errors: list[Error] = []
    _set_names(named, known, errors)
    for key, changes in edits.get("blocks", {}).items():
        errors += _edit_block(draft, named["configs"], key, changes)
    _set_names(named, [each for each in names if each not in known], errors)
    return errors


def _set_names(
    named: dict[str, dict[str, Any]], names: Iterable[tuple[str, str, dict[str, Any]]], errors: list[Error]
) -> None:
    for section, key, changes in names:
        things = named[section]
        if key not in things:
            errors.append(
                _make_error(
                    f"{section}.{key}: the text has no such key; expected one of {', '.join(things) or 'none'}."
                )
            )
        elif "name" in changes:
            things[key].name = clean_line(changes["name"]).strip()


def _number_moved(before: Draft, draft: Draft) -> None:
    """Number the repeats of configs that runs came into or left, and of those with a warm-up that counts now."""
    homes = {run.key: run.config for experiment in before.experiments for run in experiment.runs}
    runs = [run for experiment in draft.experiments for run in experiment.runs]
    moved = [run for run in runs if run.config != homes[run.key] or (run.counted and not run.repeat)]
    changed = {run.config for run in moved} | {homes[run.key] for run in moved}
    number_repeats(run for run in runs if run.config in changed)


def _set_repeats(draft: Draft, edits: Edits) -> None:
    """The repeats that a person set, which merging configs numbered anew."""
    for key, changes in edits.get("blocks", {}).items():
        item = _find_item(draft, key)
        if item and isinstance(item[1], DraftRun):
            item[1].repeat = changes.get("repeat", item[1].repeat)


def _find_item(draft: Draft, key: str) -> tuple[DraftExperiment, Item] | None:
    """The item of this key, or the capture that the block of this key is in, with its experiment."""
    for experiment in draft.experiments:
        for item in list_items(experiment):
            if item.key == key or (isinstance(item, DraftCapture) and key in item.blocks):
                return experiment, item
    return None


def _edit_block(draft: Draft, configs: dict[str, DraftConfig], key: str, changes: dict[str, Any]) -> list[Error]:
    target = _find_item(draft, key)
    if target is None:
        return _leave_out_file(draft, key, changes)
    experiment, item = target
    kind = {DraftRun: "run", DraftCapture: "capture", DraftText: "config text"}[type(item)]
    errors = [
        _make_error(f"blocks.{key}.{field}: a {kind} has none.")
        for field in changes
        if field not in ("config", "leave_out") and not hasattr(item, field)
    ]
    if isinstance(item, DraftCapture) and item.span is None and not changes.keys().isdisjoint(_PLACES):
        drop_parts(draft, item.key)
    if changes.get("leave_out"):
        _leave_out(experiment, item, key)
        return errors
    if "config" in changes:
        errors += _set_config(draft, configs, experiment, item, changes["config"])
    if "run" in changes and isinstance(item, DraftCapture):
        errors += _set_run(draft, item, changes["run"])
    for field in ("phase", "label", "note", "tags", "repeat", "counted"):
        if field in changes and hasattr(item, field):
            setattr(item, field, changes[field])
    return errors


def _leave_out_file(draft: Draft, key: str, changes: dict[str, Any]) -> list[Error]:
    """Of a file of single requests, which can be left out and nothing else."""
    for experiment in draft.experiments:
        kept = [timing for timing in experiment.timings if timing.key != key]
        if len(kept) < len(experiment.timings) and changes.get("leave_out"):
            experiment.timings = kept
            return []
    return [_make_error(f"blocks.{key}: nothing is stored from a block of this key.")]


def _list_of(experiment: DraftExperiment, item: Item) -> list[Any]:
    """The list of the experiment that holds items of this kind."""
    if isinstance(item, DraftRun):
        return experiment.runs
    return experiment.captures if isinstance(item, DraftCapture) else experiment.texts


def _leave_out(experiment: DraftExperiment, item: Item, key: str) -> None:
    if isinstance(item, DraftCapture) and len(item.blocks) > 1 and key != item.key:
        item.blocks.remove(key)  # one sample of several
        return
    _list_of(experiment, item).remove(item)
    experiment.timings = [timing for timing in experiment.timings if timing.key != key]
    for capture in [c for c in experiment.captures if isinstance(item, DraftRun) and c.run == item.key]:
        capture.run = ""
        if capture.span is not None:
            experiment.captures.remove(capture)


def _find_experiment(draft: Draft, config: DraftConfig) -> DraftExperiment:
    return next(experiment for experiment in draft.experiments if any(config is c for c in experiment.configs))


def _set_config(
    draft: Draft, configs: dict[str, DraftConfig], home: DraftExperiment, item: Item, wanted: str
) -> list[Error]:
    if not wanted:
        if isinstance(item, DraftRun):
            return [_make_error(f"blocks.{item.key}.config: a run needs a config.")]
        item.config = ""
        return []
    if wanted.startswith(NEW) and wanted not in configs:
        configs[wanted] = _add_config(home, wanted)
    if wanted not in configs:
        return [
            _make_error(f"blocks.{item.key}.config: no config {wanted!r}; expected {', '.join(configs)} or new:NAME.")
        ]
    config = configs[wanted]
    _change_config(item, config, home, _find_experiment(draft, config))
    if isinstance(item, DraftRun):  # its captures go along
        for capture in [capture for capture in home.captures if capture.run == item.key]:
            _change_config(capture, config, home, _find_experiment(draft, config))
    elif isinstance(item, DraftCapture):
        item.run = ""
    return []


def _add_config(home: DraftExperiment, wanted: str) -> DraftConfig:
    name = clean_line(wanted.removeprefix(NEW)).strip() or "unnamed"
    for config in home.configs:
        if config.name == name:
            return config
    home.configs.append(DraftConfig(wanted, name))
    return home.configs[-1]


def _change_config(item: Item, config: DraftConfig, old: DraftExperiment, new: DraftExperiment) -> None:
    item.config = config.key
    if old is not new:
        _list_of(old, item).remove(item)
        _list_of(new, item).append(item)


def _set_run(draft: Draft, capture: DraftCapture, run_key: str) -> list[Error]:
    if not run_key or run_key.startswith("id:"):
        capture.run = run_key
        return []
    item = _find_item(draft, run_key)
    home = _find_item(draft, capture.key)
    if item is None or home is None or not isinstance(item[1], DraftRun):
        return [_make_error(f"blocks.{capture.key}.run: {run_key!r} is no run of this text.")]
    config = next((c for c in item[0].configs if c.key == item[1].config), None)
    if config is not None:
        _change_config(capture, config, home[0], item[0])
    capture.run = run_key
    return []


def map_old_keys(before: Sequence[dict[str, Any]], now: Sequence[Block]) -> Callable[[str], str]:
    """What makes a block's key before its key now, "" for one that is gone: a later parser may see more blocks, or fewer."""
    numbers = {block.first: number for number, block in enumerate(now)}
    keys = {f"b{n}": f"b{numbers[b['lines'][0]]}" for n, b in enumerate(before) if b["lines"][0] in numbers}

    def renumber(key: str) -> str:
        block, dot, row = key.partition(".")
        return keys.get(block, "") and keys[block] + dot + row

    return renumber


def renumber_blocks(edits: Edits, renumber: Callable[[str], str]) -> Edits:
    blocks = {renumber(key): changes for key, changes in edits.get("blocks", {}).items() if renumber(key)}
    for key, changes in blocks.items():
        if changes.get("run", "").startswith("b"):
            blocks[key] = {**changes, "run": renumber(changes["run"])}
    return {**edits, "blocks": blocks}
