"""Stored rows as the facts that analysis compares: a constant number of queries, whatever the number of runs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from django.db.models import Case as SqlCase
from django.db.models import Q, When
from django.db.models.fields.json import KeyTextTransform
from numpy.typing import NDArray

from runs.analysis import histogram
from runs.analysis.adaptive import FigureLimit, limit_of_name
from runs.analysis.doubt_case import Case
from runs.analysis.facts import (
    COPIED,
    CaptureFact,
    ConfigFact,
    HostFact,
    OverrideFact,
    ProcessFact,
    RunFact,
    TextFact,
    copy_run,
    line_address,
)
from runs.analysis.monitors import FELL, find_falls, is_server
from runs.database import make_page_url
from runs.drafts.draft import DraftExperiment
from runs.ingest import (
    Preview,
    draft_runs,
    find_requested_load,
    get_semantics,
    has_cpu_now,
    has_one_thread,
    is_monitor,
    lists_all_processes,
    makes_load,
    parse_command,
)
from runs.models import Capture, Config, ConfigText, Experiment, Host, Override, Run, Series, Timing, find_divided
from runs.series import unpack_samples
from runs.series.clocks import seconds_of_day

OF_PROCESS = ("rss_kb", "cpu_pct", "time_s")
OF_SERIES = ("pid", "group", "command", "metric", "mean", "min", "max")
MANY_SAMPLES = 6  # fewer are too few to see that a program's memory rises and falls
MANY_PROCESSES = 1000  # of servers in one capture: more take too long to unpack while somebody waits
MAX_RUNS = 2000  # of an experiment: more are too many to judge while somebody waits
# The columns that the facts are made of: of hundreds of rows each other one takes time.
OF_RUN = (*COPIED, "config", "upload", "line_first", "line_last")
OF_CAPTURE = (
    *("experiment", "config", "run", "host", "upload", "line_first", "tool", "phase", "label", "partial", "programs"),
    *("n_samples", "clock_first", "clock_last", "block_key"),
)
OF_OVERRIDE = ("upload_id", "line", "made_at", "made_by__username", "pk", "rule", "config_id", "reason")
OF_TIMING = (
    "run",
    "upload__name",
    "line_first",
    "line_last",
    "tool",
    "n",
    "percentiles_ms",
    "histogram",
    "seconds",
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


def line_url(upload_id: int, line: int) -> str:
    """The address of one line of an upload."""
    return line_address(make_page_url("upload", upload_id), line)


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
        captures = [one for one in captures if one.config_id in judged]
        texts = [one for one in texts if one.config_id in judged]
    facts = [_make_config_fact(config) for config in configs]
    if not facts and captures:  # monitors on their own: one column for all of them
        facts = [ConfigFact(0, experiment.name, url=experiment.get_absolute_url())]
    found = _build_data(facts, runs, captures, texts, experiment.host, find_timings(experiment=experiment))
    # The name that the texts came with: a sweep that is renamed keeps its limit.
    limits = {limit_of_name(vars(run)["recorded_as"] or "") for run in runs}
    return replace(found, n_older=n_older, limit=limits.pop() if len(limits) == 1 else None)


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
    found = load_runs([*base, *new])
    old = set(base)
    names = {run.config for run in found.runs if run.id not in old}
    configs = [
        replace(config, id=-config.id, name=f"{config.name}, before" if config.id in names else config.name)
        for config in found.configs
        if any(run.config == config.id and run.id in old for run in found.runs)
    ]
    runs = [replace(run, config=-run.config) if run.id in old else run for run in found.runs]
    watched = [
        replace(capture, config=-capture.config) if capture.run in old and capture.config else capture
        for capture in found.captures
    ]
    own = [config for config in found.configs if config.id in names]
    return replace(found, configs=[*configs, *own], runs=runs, captures=watched)


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
    found = []
    for upload, line, at, by, *said in overrides.order_by("id").values_list(*OF_OVERRIDE):
        pk, rule, config, reason = said
        fact = OverrideFact(pk, rule, None, config, by or "", at.isoformat(), reason)
        if line is None:
            found.append(fact)
        else:
            own = [run for run in data.runs if run.upload == upload]
            found += [replace(fact, run=run.id) for run in own if run.line <= line <= run.last_line]
    return found


def make_capture_facts(captures: Sequence[Capture]) -> list[CaptureFact]:
    """Captures with their system metrics and processes (means over the samples of each). One query."""
    if not captures:
        return []
    long = [one.pk for one in captures if one.n_samples >= MANY_SAMPLES and one.phase == Capture.Phase.DURING]
    sizes = When(Q(metric="rss_kb", capture__in=long) & ~Q(pid=None), then="samples")
    rows = Series.objects.filter(Q(pid=None) | Q(metric__in=OF_PROCESS), capture__in=[c.pk for c in captures])
    series: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for capture, *row in rows.order_by("id").values_list("capture_id", *OF_SERIES, SqlCase(sizes)):
        series[capture].append(tuple(row))
    divided = find_divided(captures)
    return [replace(_make_capture_fact(one, series[one.pk]), divided=one.pk in divided) for one in captures]


def _find_falls(capture: Capture, series: Sequence[tuple[Any, ...]], lists_all: bool) -> dict[str, list[float]]:
    """Of each program that serves the process whose memory fell most often; or all together, where each one is listed."""
    sums: dict[str, NDArray[np.float64]] = {}
    found: dict[str, list[float]] = {}
    servers = [row for row in series if row[-1] is not None and is_server(row[1])]
    for _, program, _, _, _, low, high, samples in servers if len(servers) <= MANY_PROCESSES else ():
        sizes = unpack_samples(samples, capture.n_samples)
        sums[program] = sums.get(program, 0) + np.nan_to_num(sizes)
        if low < high * (1 - FELL):
            found[program] = max(found.get(program, []), find_falls(sizes[~np.isnan(sizes)].tolist()), key=len)
    for program, together in sums.items() if lists_all else ():  # of the samples that list it
        found[program] = max(found.get(program, []), find_falls(together[together > 0].tolist()), key=len)
    return {program: falls for program, falls in found.items() if falls}


def make_run_fact(run: Run) -> RunFact:
    """One stored run; its host must be loaded with it."""
    command = parse_command(run.command, run.tool)
    address = {"scheme": command.scheme, "hostname": command.hostname, "path": command.path or None}
    asked = find_requested_load(run.command, run.tool, run.values)
    options = asked | {name: value for name, value in address.items() if value is not None or name not in asked}
    return copy_run(run, get_semantics(run.tool), options, line_url(run.upload_id, run.line_first))


def _load_selection(runs: Sequence[Run], captured: Q) -> ComparisonData:
    configs = list({run.config_id: run.config for run in runs}.values())
    names = dict(Experiment.objects.filter(pk__in={c.experiment_id for c in configs}).values_list("id", "name"))
    captures = list(Capture.objects.filter(captured).only(*OF_CAPTURE))
    found = ConfigText.objects.filter(config__in=[config.pk for config in configs])
    texts = drop_repeated_texts(found.defer("quotes").order_by("id"))
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


def _measure_seconds(capture: Capture) -> float | None:
    """Of a part with the time that its first sample is of."""
    seconds = (seconds_of_day(capture.clock_last) - seconds_of_day(capture.clock_first)) % 86400
    n = capture.n_samples
    return None if math.isnan(seconds) else seconds * n / (n - 1) if capture.is_part and n > 1 else seconds


def _make_capture_fact(capture: Capture, series: Sequence[tuple[Any, ...]]) -> CaptureFact:
    system = {metric: values for pid, _, _, metric, *values, _ in series if pid is None and metric != "clock_s"}
    processes: dict[tuple[int, str, str], dict[str, float]] = defaultdict(dict)
    for pid, group, command, metric, mean, *_ in series:
        if pid is not None:
            processes[pid, group, command][metric] = mean
    lists_all = lists_all_processes(capture.tool)
    return CaptureFact(
        id=capture.pk,
        config=capture.config_id,
        run=capture.run_id,
        **{name: getattr(capture, name) for name in ("tool", "phase", "label", "partial", "host_id", "programs")},
        url=capture.get_absolute_url(),
        source=line_url(capture.upload_id, capture.line_first),
        line=capture.line_first,
        n=capture.n_samples,
        seconds=_measure_seconds(capture),
        lists_all=lists_all,
        part=capture.is_part,
        falls=_find_falls(capture, series, lists_all or ("tasks_total" in system and "tasks_unlisted" not in system)),
        cpu_now=has_cpu_now(capture.tool),
        metrics={metric: mean for metric, (mean, _, _) in system.items()},
        lows={metric: low for metric, (_, low, _) in system.items()},
        peaks={metric: peak for metric, (_, _, peak) in system.items()},
        processes=tuple(
            ProcessFact(
                *(pid, group, command, found.get("rss_kb"), found.get("cpu_pct")),
                *(makes_load(group), has_one_thread(group), is_monitor(group)),
                time_s=found.get("time_s"),
            )
            for (pid, group, command), found in processes.items()
        ),
    )


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
