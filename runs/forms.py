"""What a browser sends: pasted text, dropped files, and the edits made on a preview."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Container, Mapping, Sequence
from typing import Any

import orjson
from django import forms
from django.conf import settings
from django.http import HttpRequest, QueryDict

from runs.database import ID_DIGITS, MOMENT
from runs.drafts.draft import (
    Draft,
    DraftCapture,
    DraftConfig,
    DraftExperiment,
    DraftHost,
    DraftRun,
    Item,
    list_items,
)
from runs.ingest import EVERY_SECRET, Text, receive, reject_too_large
from runs.ingest.edits import Edits, check_shape
from runs.ingest.grouping import merge_configs, move_items, shorten_names, split_config, suggest_groupings
from runs.ingest.validation import MOST_REPEATS
from runs.models import Capture
from runs.upload_handlers import preview_bytes, read_named_text

STRANGERS_BYTES = 2**20  # that the text of somebody who was logged out meanwhile may unpack to
MOST_UNDONE = 20
BROKEN = "The edits of this preview are incomplete. Please paste the text again."


class Unusable(Exception):
    """What came in cannot be taken for a text; the message says why."""


def pack_bytes(data: bytes) -> str:
    """Bytes as a hidden field carries them from one preview to the next."""
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")


def unpack_bytes(field: str, most: int = 0) -> bytes:
    """The bytes of `pack_bytes`. Raises Unusable for anything else, and for more than `most` or than a preview may hold."""
    inflate = zlib.decompressobj()
    try:
        data = inflate.decompress(base64.b64decode(field, validate=True), (most or settings.PREVIEW_BYTES) + 1)
    except (ValueError, zlib.error) as error:
        raise Unusable("The text of this preview is incomplete. Please paste it again.") from error
    if inflate.unconsumed_tail or not inflate.eof:
        raise Unusable("The text of this preview is too large or incomplete.")
    return data


def read_incoming(request: HttpRequest) -> tuple[bytes, str]:
    """(bytes, name) of what was pasted, dropped or previewed. Several files become one text, each under its name.

    Raises Unusable, and Rejected (413) for files larger than an upload may be.
    """
    if request.POST.get("raw"):
        most = 0 if request.user.is_authenticated else STRANGERS_BYTES
        return unpack_bytes(request.POST["raw"], most), request.POST.get("name", "")[:255]
    files = [file for file in request.FILES.getlist("files") if file.size]
    size = sum(file.size or 0 for file in files)
    if size > settings.PREVIEW_BYTES:
        raise reject_too_large(size, settings.PREVIEW_BYTES)  # before it is read into memory
    if len(files) == 1:
        return files[0].read(), (files[0].name or "")[:255]
    text = _read_pasted(request)
    if not files:
        return text.encode(), ""
    return join_files(files, text), ", ".join(file.name or "" for file in files)[:255]


def list_too_large_to_preview(request: HttpRequest) -> list[tuple[str, Text]]:
    """(name, text) of all that came, where a file among it is larger than a preview takes; else nothing. Raises Rejected."""
    files = [file for file in request.FILES.getlist("files") if file.size]
    if not any((file.size or 0) > preview_bytes() for file in files):
        return []
    pasted = _read_pasted(request)
    return [*map(read_named_text, files), *([("", receive(pasted.encode()))] if pasted.strip() else [])]


def _read_pasted(request: HttpRequest) -> str:
    """The text of the paste box. What somebody selects in a terminal often stops before the end of its last line."""
    text = request.POST.get("text", "").replace("\r\n", "\n")
    return f"{text}\n" if text and not text.endswith("\n") else text


def choose_secrets_to_redact(said: Mapping[str, str]) -> frozenset[str]:
    """Of what nobody looks through beforehand everything that looks like a secret, unless somebody says no."""
    return frozenset() if said.get("redact_all", "yes") == "no" else EVERY_SECRET


def join_files(files: Sequence[Any], text: str = "") -> bytes:
    """Files one after the other, each with its name as a heading, so that each reads as a config of its own."""
    parts = [text] if text.strip() else []
    for file in files:
        name = (file.name or "file").rsplit(".", 1)[0]
        parts.append(f"# {name}\n\n{_decode(file.read())}")
    return "\n\n".join(parts).encode()


def _decode(data: bytes) -> str:
    """A file that is joined with others: by its byte order mark, else UTF-8, else as bytes that nothing is lost of."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def read_carried_edits(post: Mapping[str, Any]) -> Edits:
    """The edits of the previews before this one. Raises Unusable for what no preview wrote."""
    return _check_edits(_read_json(post.get("edits") or "{}"))


def read_carried_history(post: Mapping[str, Any]) -> list[tuple[str, Edits]]:
    """(what was changed, the edits before that) of the last changes. Raises Unusable for what no preview wrote."""
    history = _read_json(unpack_bytes(post["history"])) if post.get("history") else []
    if (
        not isinstance(history, list)
        or len(history) > MOST_UNDONE
        or not all(isinstance(each, list) and len(each) == 2 for each in history)
    ):
        raise Unusable(BROKEN)
    return [(str(words), _check_edits(edits)) for words, edits in history]


def _read_json(text: str | bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Unusable(BROKEN) from error


def _check_edits(edits: Any) -> Edits:
    if errors := check_shape(edits):
        raise Unusable(errors[0]["message"])
    return edits  # type: ignore[no-any-return]


def merge_edits(carried: Edits, guess: Draft, shown: Draft, post: QueryDict) -> Edits:
    """`carried` and what the form changed in `shown`, which is `guess` with the carried edits and what the form showed."""
    edits: Edits = json.loads(json.dumps(carried))
    for section in ("experiments", "configs", "hosts"):
        own = _list_rows_of_section(shown, section)
        hidden = [(key, thing.name) for key, thing in _list_rows_of_section(guess, section).items() if key not in own]
        for key, thing in own.items():
            name = post.get(f"{section}:{key}:name", thing.name).strip()
            if name and name != thing.name:
                # What was given the same name before became one with it, and stays so.
                renamed = edits.setdefault(section, {})
                merged = [k for k, first in hidden if renamed.get(k, {}).get("name", first) == thing.name]
                renamed.update({each: {"name": name} for each in [key, *merged]})
    for item in (item for experiment in shown.experiments for item in list_items(experiment)):
        if changes := find_block_changes(item, post):
            edits.setdefault("blocks", {}).setdefault(item.key, {}).update(changes)
    return edits


def _list_rows_of_section(draft: Draft, section: str) -> dict[str, DraftExperiment | DraftConfig | DraftHost]:
    """What a section of edits can name, by key."""
    if section == "hosts":
        return {host.key: host for host in draft.hosts}
    if section == "experiments":
        return {experiment.key: experiment for experiment in draft.experiments}
    return {config.key: config for experiment in draft.experiments for config in experiment.configs}


def find_block_changes(item: Item, post: QueryDict) -> dict[str, Any]:
    """What the form says of one block and the draft does not."""
    prefix = f"blocks:{item.key}:"
    said: dict[str, Any] = {}
    if isinstance(item, DraftRun) and f"{prefix}shown" in post:
        said = {"label": post.get(f"{prefix}label", item.label).strip(), "counted": f"{prefix}counted" in post}
    if isinstance(item, DraftCapture):
        said = {"phase": post.get(f"{prefix}phase", item.phase)}
    return {name: value for name, value in said.items() if value != getattr(item, name)}


def regroup(draft: Draft, post: QueryDict) -> tuple[str, Edits]:
    """(what the pressed button did in words, the edits that do it); no edits where nothing fitting was selected."""
    items = {item.key for experiment in draft.experiments for item in list_items(experiment)}
    action, keys = post.get("action", ""), items.intersection(post.getlist("pick"))
    names = {config.key: config.name for experiment in draft.experiments for config in experiment.configs}
    if wanted := post.get("group"):
        grouping = next((each for each in suggest_groupings(draft) if each.key == wanted), None)
        return (f"Grouped as {grouping.n_configs} × {grouping.n_runs}.", grouping.edits) if grouping else ("", {})
    if split := post.get("split"):
        return f"Split “{names.get(split, '')}”.", split_config(draft, split)
    if back := post.get("put_back"):
        return "Put back.", {"blocks": {back: {"leave_out": False}}}
    if action == "leave_out":
        return "Left out.", {"blocks": {key: {"leave_out": True} for key in keys}}
    if action == "merge":
        return "Merged as repeats.", merge_configs(draft, keys)
    if action == "shorten":
        return "Shortened the names.", shorten_names(draft)
    if action == "move" and (to := post.get("to")):
        where = {"new": "a new config", "whole": "the whole experiment"}.get(to, f"“{names.get(to, '')}”")
        return f"Moved to {where}.", move_items(draft, keys, "" if to == "whole" else to)
    return "", {}


class ManageForm(forms.Form):
    """Changes of one row; only fields that were sent count. A config's name that another one has merges the two."""

    name = forms.CharField(required=False, max_length=300)
    note = forms.CharField(required=False, max_length=20_000)
    tags = forms.CharField(required=False, max_length=5_000)
    baseline = forms.IntegerField(required=False, min_value=0, max_value=10**ID_DIGITS)
    archived = forms.NullBooleanField(required=False)
    counted = forms.NullBooleanField(required=False)
    repeat = forms.IntegerField(required=False, min_value=1, max_value=MOST_REPEATS)
    config = forms.IntegerField(required=False, min_value=0, max_value=10**ID_DIGITS)

    def clean_tags(self) -> list[str]:
        return [tag.strip() for tag in self.cleaned_data["tags"].split(",") if tag.strip()]

    def changes(self, known: Container[str]) -> dict[str, Any]:
        """What was sent for the fields that such a row has; {} where that is nothing."""
        sent = {name: value for name, value in self.cleaned_data.items() if name in self.data and name in known}
        return {name: value for name, value in sent.items() if value not in (None, "") or name == "note"}


class CaptureMoveForm(forms.Form):
    PHASES = (("", "not known"), *Capture.Phase.choices)

    config = forms.IntegerField(required=False)
    phase = forms.ChoiceField(required=False, choices=PHASES)


class OverrideForm(forms.Form):
    """An override of a fatal doubt: of a run, or of a config as a whole."""

    rule = forms.CharField(max_length=40)
    run = forms.IntegerField(required=False, max_value=2**31)
    config = forms.IntegerField(required=False, max_value=2**31)
    reason = forms.CharField(max_length=500)


class RunFilterForm(forms.Form):
    """The filters of the list of runs; what does not fit is left out and said so.

    `facets`: {"tool": [(value, number of runs), ...], "config": .., "host": ..}, the most used, to choose from.
    """

    SORTS = (("-id", "newest"), ("id", "oldest"), ("-rps", "most requests/s"), ("rps", "fewest requests/s"))
    MAIN = ("q", "tool", "config", "host", "sort")

    q = forms.CharField(required=False, label="Search", max_length=200)
    tool = forms.CharField(required=False, max_length=32)
    config = forms.CharField(required=False, max_length=300)
    host = forms.CharField(required=False, max_length=200)
    sort = forms.ChoiceField(required=False, choices=SORTS)
    experiment = forms.CharField(required=False, max_length=300)
    server = forms.CharField(required=False, max_length=200)
    command = forms.CharField(required=False, max_length=300)
    tag = forms.CharField(required=False, max_length=300)
    version = forms.CharField(required=False, max_length=300)
    commit = forms.CharField(required=False, max_length=100)
    branch = forms.CharField(required=False, max_length=300)
    pr = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)
    min_rps = forms.FloatField(required=False, label="Min. requests/s")
    max_rps = forms.FloatField(required=False, label="Max. requests/s")
    since = forms.DateTimeField(
        required=False, label="Stored since", widget=forms.DateInput(attrs={"type": "date"}), validators=MOMENT
    )
    fingerprint = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, query: QueryDict, facets: Mapping[str, Sequence[tuple[str, int]]]) -> None:
        super().__init__(query)
        self.query, self.facets = query, facets
        for name in facets:
            self.fields[name].widget.attrs["list"] = f"known-{name}"
        tools = [("", "any")] + [(value, f"{value} ({n:,})") for value, n in facets.get("tool", ())]
        chosen = query.get("tool", "")
        if chosen not in dict(tools):  # one whose first run came in seconds ago, or that is none
            tools.append((chosen, chosen))
        self.fields["tool"].widget = forms.Select(choices=tools)

    def filters(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}

    def main_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MAIN]

    def further_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.MAIN]

    def datalists(self) -> list[tuple[str, Sequence[tuple[str, int]]]]:
        """(id, entries) of the lists that fields offer while somebody types."""
        return [(f"known-{name}", entries) for name, entries in self.facets.items() if name != "tool"]

    def chips(self) -> list[tuple[str, str, str]]:
        """(label, value as shown, query string without it) of each filter that is set."""
        filters = self.filters()
        texts = {"fingerprint": str(filters.get("fingerprint"))[:12]}
        if since := filters.get("since"):
            texts["since"] = f"{since:%Y-%m-%d}"
        return [
            (str(self[name].label).lower(), texts.get(name, str(value)), self.query_with(**{name: ""}))
            for name, value in filters.items()
            if name != "sort"
        ]

    def query_with(self, **changes: str) -> str:
        """The list's query string with these filters changed, or taken out where empty; from its first page."""
        query = self.query.copy()
        query.pop("after", None)
        for name, value in changes.items():
            query.pop(name, None)
            if value:
                query[name] = value
        return query.urlencode()
