"""Stored rows as the facts that analysis compares: a constant number of queries, whatever the number of runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from django.db.models import Q
from django.db.models.fields.json import KeyTextTransform

from runs.analysis import histogram
from runs.analysis.adaptive import FigureLimit, limit_of_name
from runs.analysis.doubt_case import Case
from runs.analysis.facts import (
    COPIED,
    CaptureFact,
    ConfigFact,
    HostFact,
    OverrideFact,
    RunFact,
    TextFact,
)
from runs.drafts.draft import DraftExperiment
from runs.ingest import Preview, draft_runs, line_url, make_capture_facts, make_run_fact
from runs.models import Capture, Config, ConfigText, Experiment, Host, Override, Run, Timing

MAX_RUNS = 2000  # of an experiment: more are too many to judge while somebody waits
# The columns that the facts are made of: of hundreds of rows each other one takes time.
OF_RUN = (*COPIED, "config", "upload", "line_first", "line_last")
OF_CAPTURE = (
    *("experiment", "config", "run", "host", "upload", "line_first", "tool", "phase", "label", "partial", "programs"),
    *("n_samples", "clock_first", "clock_last", "block_key"),
)
OF_OVERRIDE = ("upload_id", "line", "made_at", "made_by__username", "pk", "rule", "config_id", "reason")
OF_TIMING = (
    *("run", "upload__name", "line_first", "line_last", "tool", "n", "percentiles_ms", "histogram", "seconds"),
    "values",
)
RUNS = Run.objects.order_by("config__position", "config_id", "repeat", "id").only(*OF_RUN)


@dataclass(frozen=True)
class ComparisonData:
    """Everything that a comparison page shows. `waiting`: files of single requests whose run is not there; `n_older`: runs of an
    experiment beyond its newest MAX_RUNS, which are not read; `uploads`: the texts that runs, captures and config texts stand in.
    """

    configs: list[ConfigFact]
    runs: list[RunFact]
    captures: list[CaptureFact]
    texts: list[ConfigText]
    hosts: list[Host]
    waiting: list[Timing] = field(default_factory=list)
    n_older: int = 0
    limit: FigureLimit | None = None
    uploads: frozenset[int] = frozenset()

    @cached_property
    def counted_captures(self) -> list[CaptureFact]:
        """Those that are not beside a run that is left out, such as a warm-up. Of some configs only counted runs are read.

        A monitor that went on beside several runs is there as its parts alone.
        """
        counted = {run.id for run in self.runs if run.counted}
        whole = (capture for capture in self.captures if not capture.divided)
        return [capture for capture in whole if capture.run is None or capture.run in counted]


def load_experiment(experiment: Experiment) -> ComparisonData:
    """An experiment: its configs in order (the baseline first), runs, captures and texts. Seven queries.

    Of one with too many runs the newest, and what belongs to their configs.
    """
    named = RUNS.annotate(recorded_as=KeyTextTransform("experiment", "upload__hints"))
    runs = list(named.filter(experiment=experiment)[: MAX_RUNS + 1])
    n_older = 0
    if len(runs) > MAX_RUNS:
        newest = experiment.runs.order_by("-counted", "-id").values("pk")[:MAX_RUNS]
        runs, n_older = list(named.filter(pk__in=newest)), experiment.runs.count() - MAX_RUNS
    # Configs whose runs are all left out come last, so that none of them is the baseline.
    with_runs, counted = {run.config_id for run in runs}, {run.config_id for run in runs if run.counted}
    configs = sorted(experiment.configs.all(), key=lambda config: config.pk in with_runs - counted)
    captures = list(experiment.captures.only(*OF_CAPTURE))
    texts = drop_repeated_texts(experiment.texts.defer("quotes").order_by("id"))
    if n_older:
        judged = {None, *(run.config_id for run in runs)}
        configs = [config for config in configs if config.pk in judged]
        captures = [capture for capture in captures if capture.config_id in judged]
        texts = [text for text in texts if text.config_id in judged]
    facts = [_make_config_fact(config) for config in configs]
    if not facts and captures:  # monitors on their own: one column for all of them
        facts = [ConfigFact(0, experiment.name, url=experiment.get_absolute_url())]
    comparison_data = _build_data(facts, runs, captures, texts, experiment.host, find_timings(experiment=experiment))
    # The name that the texts came with: a sweep that is renamed keeps its limit.
    limits = {limit_of_name(vars(run)["recorded_as"] or "") for run in runs}
    return replace(comparison_data, n_older=n_older, limit=limits.pop() if len(limits) == 1 else None)


def find_baseline(experiment: Experiment) -> Config | None:
    """The first config that has counted runs, else the first. Two queries at most."""
    counting = experiment.configs.filter(pk__in=experiment.runs.filter(counted=True).order_by().values("config"))
    return counting.first() or experiment.configs.first()


def drop_repeated_texts(texts: Iterable[ConfigText]) -> list[ConfigText]:
    """The texts without those that an earlier one of the same config and path repeats: remote runs show theirs each time."""
    first: dict[tuple[int | None, str, str], ConfigText] = {}
    for text in texts:
        first.setdefault((text.config_id, text.path, text.sha256), text)
    return list(first.values())


def load_runs(wanted: Sequence[int]) -> ComparisonData:
    """The runs with these ids, in the order given: the first one's config is the baseline."""
    order = {pk: at for at, pk in enumerate(wanted)}
    runs = sorted(RUNS.select_related("config").filter(pk__in=order), key=lambda run: order[run.pk])
    return _load_selection(runs, Q(run__in=[run.pk for run in runs]))


def load_two_sides(base: Sequence[int], new: Sequence[int]) -> ComparisonData:
    """The runs `new` beside those of `base`, whose configs get ids below nought, so that one config may be on both sides."""
    two_sides = load_runs([*base, *new])
    old = set(base)
    names = {run.config for run in two_sides.runs if run.id not in old}
    configs = [
        replace(config, id=-config.id, name=f"{config.name}, before" if config.id in names else config.name)
        for config in two_sides.configs
        if any(run.config == config.id and run.id in old for run in two_sides.runs)
    ]
    runs = [replace(run, config=-run.config) if run.id in old else run for run in two_sides.runs]
    watched = [
        replace(capture, config=-capture.config) if capture.run in old and capture.config else capture
        for capture in two_sides.captures
    ]
    own = [config for config in two_sides.configs if config.id in names]
    return replace(two_sides, configs=[*configs, *own], runs=runs, captures=watched)


def load_configs(wanted: Sequence[int]) -> ComparisonData:
    """The counted runs of these configs, in the order given: the first is the baseline."""
    order = {pk: at for at, pk in enumerate(wanted)}
    counted = RUNS.select_related("config").filter(config__in=order, counted=True)
    runs = sorted(counted, key=lambda run: (order[run.config_id], run.repeat))
    return _load_selection(runs, Q(config__in=order))


def list_config_ids(experiments: Sequence[int], most: int) -> list[int]:
    """The ids of these experiments' configs, experiment by experiment in the order given. One query."""
    order = {pk: at for at, pk in enumerate(experiments)}
    rows = Config.objects.filter(experiment__in=order).order_by("position", "id").values_list("experiment_id", "pk")
    return [pk for _, pk in sorted(rows[:most], key=lambda row: order[row[0]])]


def make_draft_case(shown: Preview, drafted: DraftExperiment) -> Case:
    """What a previewed text would become, without its monitors and config texts. No query."""
    rows = draft_runs(shown.blocks, shown.draft, drafted)
    configs = [ConfigFact(at, config.name, config.group) for at, config in enumerate(drafted.configs, 1)]
    runs = [make_run_fact(row) for row in sorted(rows, key=attrgetter("config_id", "repeat", "pk"))]
    hosts = {row.host.pk: row.host for row in rows if row.host}
    return Case(configs, runs, hosts=_make_host_facts(hosts.values()), limit=limit_of_name(drafted.name))


def _make_host_facts(hosts: Iterable[Host]) -> list[HostFact]:
    names = [each.name for each in fields(HostFact)]
    return [HostFact(**{name: getattr(host, name) for name in names}) for host in hosts]


def make_case(data: ComparisonData) -> Case:
    """The same data as the case that doubts are raised from. One query, for what people said of earlier doubts."""
    texts = [
        TextFact(text.config_id, text.path, text.text, line_url(text.upload_id, text.line_first), text.line_first)
        for text in data.texts
    ]
    hosts, overrides = _make_host_facts(data.hosts), _load_overrides(data)
    return Case(data.configs, data.runs, data.counted_captures, texts, hosts, overrides, limit=data.limit)


def _load_overrides(data: ComparisonData) -> list[OverrideFact]:
    """The standing overrides about these configs and runs. A run is known by its upload and a line of its text."""
    uploads = {run.upload for run in data.runs}
    about = Q(upload__in=uploads) | Q(config__in=[config.id for config in data.configs])
    overrides = Override.objects.filter(about, withdrawn_at=None)
    override_facts = []
    for upload, line, at, by, *said in overrides.order_by("id").values_list(*OF_OVERRIDE):
        pk, rule, config, reason = said
        fact = OverrideFact(pk, rule, None, config, by or "", at.isoformat(), reason)
        if line is None:
            override_facts.append(fact)
        else:
            own = [run for run in data.runs if run.upload == upload]
            override_facts += [replace(fact, run=run.id) for run in own if run.line <= line <= run.last_line]
    return override_facts


def _load_selection(runs: Sequence[Run], captured: Q) -> ComparisonData:
    configs = list({run.config_id: run.config for run in runs}.values())
    names = dict(Experiment.objects.filter(pk__in={c.experiment_id for c in configs}).values_list("id", "name"))
    captures = list(Capture.objects.filter(captured).only(*OF_CAPTURE))
    config_texts = ConfigText.objects.filter(config__in=[config.pk for config in configs])
    texts = drop_repeated_texts(config_texts.defer("quotes").order_by("id"))
    facts = [_make_config_fact(config, names[config.experiment_id] if len(names) > 1 else "") for config in configs]
    return _build_data(facts, runs, captures, texts, None, find_timings(run__in=[run.pk for run in runs]))


def _build_data(
    configs: list[ConfigFact],
    runs: Sequence[Run],
    captures: Sequence[Capture],
    texts: list[ConfigText],
    host: Host | None,
    timings: Sequence[Timing],
) -> ComparisonData:
    hosts, known = _load_hosts([*runs, *captures], host), group_by_run(timings)
    facts = [
        replace(fact, timed_ms=times.percentiles_ms, counts=times.counts) if (times := known.get(fact.id)) else fact
        for fact in map(make_run_fact, runs)
    ]
    watched = make_capture_facts(captures)
    if [config.id for config in configs] == [0]:
        watched = [replace(capture, config=0) for capture in watched]
    waiting = [row for row in timings if row.run_id is None]
    uploads = frozenset(row.upload_id for row in (*runs, *captures, *texts))
    return ComparisonData(configs, facts, watched, texts, hosts, waiting, uploads=uploads)


def _load_hosts(rows: Sequence[Run | Capture], host: Host | None) -> list[Host]:
    """The hosts of these rows, each loaded once and set on its rows; `host` where they name none. One query at most."""
    wanted = list(dict.fromkeys(row.host_id for row in rows if row.host_id))
    known = {host.pk: host} if host else {}
    if not known.keys() >= set(wanted):
        known = Host.objects.in_bulk(wanted)
    for row in rows:
        row.host = known[row.host_id] if row.host_id else None
    return [known[pk] for pk in wanted] or list(known.values())


def _make_config_fact(config: Config, experiment: str = "") -> ConfigFact:
    return ConfigFact(config.pk, config.name, config.group, config.get_absolute_url(), experiment)


@dataclass(frozen=True, slots=True)
class RequestTimes:
    """Exact percentiles of a run and, where its file has a row for each request, how many took how long."""

    percentiles_ms: dict[str, float] = field(default_factory=dict)
    counts: list[list[float]] = field(default_factory=list)


def find_timings(**where: Any) -> list[Timing]:
    """The files that meet these conditions, each with its upload, whose text is not loaded. One query."""
    return list(Timing.objects.filter(**where).select_related("upload").only(*OF_TIMING).order_by("id"))


def group_by_run(timings: Iterable[Timing]) -> dict[int, RequestTimes]:
    """By run, for those that have any."""
    files: dict[int, list[Timing]] = defaultdict(list)
    for row in timings:
        if row.run_id is not None:
            files[row.run_id].append(row)
    return {run: join_timings(rows) for run, rows in files.items()}


def join_timings(timings: Iterable[Timing]) -> RequestTimes:
    """The files of one run as one: a list of percentiles is exact up to 99 %, a file of rows has what is beyond."""
    counted: Timing | None = None
    printed: dict[str, float] = {}
    for row in timings:
        if row.n is None:
            printed = row.percentiles_ms
        else:
            counted = row
    if counted is None:
        return RequestTimes(printed)
    least = printed.get("99", 0.0)  # half a millisecond of rounding must not make the slower faster
    exact = {name: max(ms, least) if float(name) > 99 else ms for name, ms in counted.percentiles_ms.items()}
    return RequestTimes(exact | printed, histogram.unpack(counted.histogram))
