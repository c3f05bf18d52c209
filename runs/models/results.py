"""Results of a text: load tests, what monitors recorded beside them as packed series, and single requests' times.

Counters are small tables kept up as runs come and go, so that no page counts or searches the runs themselves.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, Self

from django.db import models
from django.utils import timezone

from runs.database import created_since, find_facets, find_ids, parse_id, related_to

from .experiments import HEAVY, PRESENT, Config, Experiment, Host, Present, Sourced, make_deletion_index


def make_facet_key(of: str) -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(
        "runs.Facet", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False, help_text=of
    )


class RunQuerySet(models.QuerySet["Run"]):
    def with_context(self) -> Self:
        """With experiment, config, host, build and the (light) upload, in one query."""
        return self.select_related("experiment", "config", "host", "build", "upload").defer(
            *(f"upload__{f}" for f in HEAVY)
        )

    def for_list(self) -> Self:
        """With experiment, config and host, in one query; without what lists do not show."""
        return self.select_related("experiment", "config", "host").defer("values", "quotes", "note")

    def with_captures(self) -> Self:
        return self.prefetch_related(models.Prefetch("captures", Capture.objects.order_by("line_first", "id")))

    def matching(
        self,
        *,
        tool: str = "",
        experiment: str = "",
        config: str = "",
        host: str = "",
        command: str = "",
        server: str = "",
        fingerprint: str = "",
        min_rps: float | None = None,
        max_rps: float | None = None,
        since: datetime | None = None,
        **build: str,
    ) -> Self:
        """Runs that meet every condition given; experiment, config and host by id or name, `build` by a field of Build.

        Names are looked up at once, in three queries at most. See runs.selectors.lists for tags, and for searching.
        """
        by_id = parse_id(config) is not None
        exact = {"tool": tool, "fingerprint": fingerprint}
        wanted = models.Q(**{name: value for name, value in exact.items() if value})
        wanted &= related_to("experiment", find_ids("runs.Experiment", experiment)) if experiment else models.Q()
        wanted &= related_to("host", find_ids("runs.Host", host)) if host else models.Q()
        wanted &= related_to("config", find_ids("runs.Config", config)) if by_id else models.Q()
        for kind, pk in find_facets(config="" if by_id else config, command=command, server=server).items():
            wanted &= related_to(f"facet_{kind}", [pk] if pk else [])
        wanted &= models.Q(**{f"build__{name}": value for name, value in build.items()})
        wanted &= models.Q(requests_per_second__gte=min_rps) if min_rps is not None else models.Q()
        wanted &= models.Q(requests_per_second__lte=max_rps) if max_rps is not None else models.Q()
        return self.filter(wanted, created_since("runs.Run", since) if since else models.Q())


class Run(Sourced):
    """One load test. What is filtered, sorted or charted has a column; `values` holds all that the tool printed.

    The figures are those of analysis.facts.RunFigures; percentiles_ms maps "50" to ms. `counted` False keeps a run (a
    warm-up, a doubtful one) out of comparisons without losing it.
    clock_start_s and clock_end_s are seconds of the day on the clock of the machine that printed them; the end of a run
    past midnight is above 86400. They are None where the text has no clock.
    ran_at is when it began, None where neither the text nor its sender says so; trends then take the upload's time.
    doubted: a fatal doubt about it alone keeps it out of trends; None is not judged yet, see ingest.counters.
    The foreign keys have no index of their own: the ones below begin with them.
    """

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="runs", db_index=False)
    config = models.ForeignKey(Config, on_delete=models.CASCADE, related_name="runs", db_index=False)
    host = models.ForeignKey(
        Host, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs", db_index=False
    )
    tool = models.CharField(max_length=32)
    tool_version = models.CharField(max_length=64, blank=True)
    label = models.CharField(max_length=300, blank=True)
    note = models.TextField(blank=True)
    command = models.TextField(blank=True)
    repeat = models.PositiveIntegerField(default=1)
    most_repeats = models.PositiveIntegerField(
        null=True, blank=True, help_text="of its config, where a test after each round decided when to stop"
    )
    counted = models.BooleanField(default=True)
    partial = models.BooleanField(default=False)
    aborted = models.BooleanField(default=False)
    fingerprint = models.CharField(max_length=64, help_text="see ingest.configs")
    clock_start_s = models.FloatField(null=True, blank=True)
    clock_end_s = models.FloatField(null=True, blank=True)
    ran_at = models.DateTimeField(null=True, blank=True)
    doubted = models.BooleanField(null=True, blank=True)
    build = models.ForeignKey(
        "runs.Build", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    facet_config = make_facet_key("its config's name")
    facet_command = make_facet_key("its command")
    facet_server = make_facet_key("its server_software")
    requests_per_second = models.FloatField(null=True, blank=True)
    complete_requests = models.BigIntegerField(null=True, blank=True)
    failed_requests = models.BigIntegerField(null=True, blank=True)
    concurrency = models.FloatField(null=True, blank=True)
    duration_s = models.FloatField(null=True, blank=True)
    keepalive = models.BooleanField(null=True, blank=True)
    mean_ms = models.FloatField(null=True, blank=True)
    max_ms = models.FloatField(null=True, blank=True)
    percentiles_ms = models.JSONField(default=dict)
    server_software = models.CharField(max_length=200, blank=True)
    hostname = models.CharField(max_length=255, blank=True)
    port = models.PositiveIntegerField(null=True, blank=True)
    path = models.CharField(max_length=500, blank=True)
    values = models.JSONField(default=dict)
    figure_lines = models.JSONField(
        default=dict, blank=True, help_text="{figure: its line}, see parsers.catalogue.CITED"
    )
    tags = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)

    objects = Present.from_queryset(RunQuerySet)()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["upload", "block_key"], name="run_block_of_upload", condition=PRESENT)
        ]
        # Each list is read in the order of an index from where the page before ended; see runs.selectors.lists.
        indexes = [
            models.Index(fields=["tool", "-id"], name="run_tool"),
            models.Index(fields=["experiment", "-id"], name="run_experiment"),
            models.Index(fields=["config", "-id"], name="run_config"),
            models.Index(fields=["host", "-id"], name="run_host"),
            models.Index(fields=["fingerprint", "-id"], name="run_fingerprint"),
            models.Index(fields=["facet_config", "-id"], name="run_facet_config"),
            models.Index(fields=["facet_command", "-id"], name="run_facet_command"),
            models.Index(fields=["facet_server", "-id"], name="run_facet_server"),
            models.Index(fields=["build", "-id"], name="run_build"),
            models.Index(fields=["created_at"], name="run_created"),
            models.Index(fields=["requests_per_second", "id"], name="run_rps"),
            make_deletion_index("run"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.label or self.pk}"


class CaptureQuerySet(models.QuerySet["Capture"]):
    def with_context(self) -> Self:
        """With experiment, config, host and run, in one query."""
        return self.select_related("experiment", "config", "host", "run")


class Capture(Sourced):
    """Monitor output beside a run: the samples of one command. `values`: the last sample, without its processes.

    Of a monitor that went on beside several runs, those samples that saw one run are a capture more, its part: with the
    key of the whole and a number ("b17.1"), series of its own, and no values.
    """

    class Phase(models.TextChoices):
        BEFORE = "before"
        DURING = "during"
        AFTER = "after"

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="captures")
    config = models.ForeignKey(Config, null=True, blank=True, on_delete=models.SET_NULL, related_name="captures")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="captures")
    host = models.ForeignKey(Host, null=True, blank=True, on_delete=models.SET_NULL, related_name="captures")
    tool = models.CharField(max_length=32)
    phase = models.CharField(max_length=8, choices=Phase.choices, blank=True)
    label = models.CharField(max_length=300, blank=True)
    command = models.TextField(blank=True)
    clock_first = models.CharField(max_length=8, blank=True, help_text="HH:MM:SS as printed")
    clock_last = models.CharField(max_length=8, blank=True)
    n_samples = models.PositiveIntegerField(default=1)
    partial = models.BooleanField(default=False)
    values = models.JSONField(default=dict)
    programs = models.JSONField(default=dict, blank=True, help_text="sums of each sample by program: [mean, most]")
    created_at = models.DateTimeField(default=timezone.now)

    objects = Present.from_queryset(CaptureQuerySet)()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["tool", "-id"], name="capture_tool"),
            models.Index(fields=["created_at"], name="capture_created"),
            make_deletion_index("capture"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.label or self.pk}"

    @property
    def is_part(self) -> bool:
        return "." in self.block_key


def find_divided(captures: Collection[Capture]) -> set[int]:
    """The ids of those captures of which parts are among them as well: what each part saw is one run's."""
    parts = {(capture.upload_id, capture.block_key.split(".")[0]) for capture in captures if capture.is_part}
    return {
        capture.pk for capture in captures if not capture.is_part and (capture.upload_id, capture.block_key) in parts
    }


class Series(models.Model):
    """One metric over a capture's samples: of the whole system (pid None) or of one process.

    samples   packed figures, a sample without one leaves a gap; see runs.series
    Where samples have a clock, the system's metric "clock_s" holds it in seconds of the day, growing past midnight.
    """

    # The index below begins with it.
    capture = models.ForeignKey(Capture, on_delete=models.CASCADE, related_name="series", db_index=False)
    metric = models.CharField(max_length=32)
    pid = models.PositiveBigIntegerField(null=True, blank=True)
    user = models.CharField(max_length=64, blank=True)
    command = models.CharField(max_length=500, blank=True)
    group = models.CharField(max_length=100, blank=True)
    n = models.PositiveIntegerField()
    min = models.FloatField()
    mean = models.FloatField()
    max = models.FloatField()
    last = models.FloatField()
    samples = models.BinaryField()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "series"
        indexes = [models.Index(fields=["capture", "metric"], name="series_capture_metric")]

    def __str__(self) -> str:
        return f"{self.metric} {self.command}"


class Timing(Sourced):
    """What the requests of a run took, one by one as a tool wrote them to a file.

    n               requests in it, None where only their percentiles are there
    percentiles_ms  {"50": ms, ...}, exact
    histogram       packed counts of latencies, which add up over repeats; empty where only percentiles are there. See
                    runs.analysis.histogram
    seconds         packed figures by the second in which requests began: {"start_s": epoch or None, "step_s", "at_s": [..],
                    "n": [..], "mean_ms": [..], "max_ms": [..]}; a step is longer than a second only in loads of hours
    values          what the file says as a whole, under the names that its format gives
    """

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="timings")
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="timings")
    tool = models.CharField(max_length=32)
    n = models.PositiveBigIntegerField(null=True, blank=True)
    percentiles_ms = models.JSONField(default=dict)
    histogram = models.BinaryField(default=bytes)
    seconds = models.BinaryField(default=bytes)
    values = models.JSONField(default=dict)

    objects = Present["Timing"]()

    class Meta:
        ordering = ["id"]
        indexes = [make_deletion_index("timing")]

    def __str__(self) -> str:
        return f"{self.tool} {self.pk}"


# --- counters -------------------------------------------------------------------------------------------------------------


class Facet(models.Model):
    """A value that runs share and lists are narrowed by: a tool, a config's name, a command, a server or a tag.

    value   as it stands in the runs, cut to 300 characters
    n_runs  kept up by runs.ingest.counters, seconds behind; the row itself is there as soon as its first run is
    """

    class Kind(models.TextChoices):
        TOOL = "tool"
        CONFIG = "config"
        COMMAND = "command"
        SERVER = "server"
        TAG = "tag"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    value = models.CharField(max_length=300)
    n_runs = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["kind", "value"]
        constraints = [models.UniqueConstraint(fields=["kind", "value"], name="facet_value_of_kind")]
        indexes = [models.Index(fields=["kind", "-n_runs"], name="facet_most")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.value}"


class RunTag(models.Model):
    facet = models.ForeignKey(Facet, on_delete=models.CASCADE, related_name="+", db_index=False)
    run = models.ForeignKey("runs.Run", on_delete=models.CASCADE, related_name="taggings")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["facet", "run"], name="tag_of_run")]

    def __str__(self) -> str:
        return f"tag {self.facet_id} of run {self.run_id}"


class Build(models.Model):
    """What was tested, as a pipeline names it. A row of its own, which runs of one build share: one indexed key a run.

    key  sha256 of the others; their lengths are too much for an index
    pr   number of the pull or merge request; url: of the pipeline
    """

    key = models.CharField(max_length=64, unique=True)
    commit = models.CharField(max_length=100, blank=True, db_index=True)
    branch = models.CharField(max_length=300, blank=True, db_index=True)
    version = models.CharField(max_length=300, blank=True, db_index=True)
    pr = models.CharField(max_length=100, blank=True, db_index=True)
    url = models.CharField(max_length=1000, blank=True)

    def __str__(self) -> str:
        return self.version or self.commit[:12] or self.branch or self.pr or self.url


class Trend(models.Model):
    """The comparable runs (one fingerprint) of one day, added up. Only counted, whole runs that say a rate are in it.

    sum_log, sum_log2  of the natural logarithms of requests per second, and of their squares
    mean_ms            sum of the runs' mean latencies, over n_ms runs
    """

    fingerprint = models.CharField(max_length=64)
    day = models.DateField()
    n = models.PositiveBigIntegerField(default=0)
    total = models.FloatField(default=0, help_text="sum of requests per second")
    sum_log = models.FloatField(default=0)
    sum_log2 = models.FloatField(default=0)
    newest_build = models.ForeignKey(Build, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    least = models.FloatField()
    most = models.FloatField()
    n_ms = models.PositiveBigIntegerField(default=0)
    sum_ms = models.FloatField(default=0)

    class Meta:
        ordering = ["fingerprint", "day"]
        constraints = [models.UniqueConstraint(fields=["fingerprint", "day"], name="trend_day")]

    def __str__(self) -> str:
        return f"{self.fingerprint[:8]} {self.day}"


class TrendLine(models.Model):
    """The days of one fingerprint in short, for the list of trends: kept up with them."""

    fingerprint = models.CharField(max_length=64, unique=True)
    n = models.PositiveBigIntegerField(default=0, help_text="runs on all its days")
    n_days = models.PositiveIntegerField(default=0)
    first_day = models.DateField()
    last_day = models.DateField()

    class Meta:
        ordering = ["-n_days", "-id"]
        indexes = [models.Index(fields=["-n_days", "-id"], name="trendline_days")]

    def __str__(self) -> str:
        return f"{self.fingerprint[:8]}, {self.n_days} days"


class CounterDelta(models.Model):
    """A change that is not applied to facets, hosts and trends yet. Rows are only added and removed, so that none is locked.

    changes  {"facets": {pk: by}, "hosts": {pk: by}, "days": [[fingerprint, day], ..]}; a day named is summed again
    """

    changes = models.JSONField()

    class Meta:
        db_table = "runs_tally"

    def __str__(self) -> str:
        return f"delta {self.pk}"
