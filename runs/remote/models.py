"""Remote runs: who sends load, what may be loaded, what is planned, and what became of it.

The tables are named after the app `runs`, where these models were before. No secret is in any row: a header's secret is
the name of a variable of the worker's, private keys are paths.
"""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from runs.database import count_rows
from runs.models import Experiment, Host, Run, Upload

from . import tools
from .snapshots import Machine


def default_readable() -> list[str]:
    """Where servers keep their configuration, as a target begins with."""
    servers = ("nginx", "apache2", "httpd", "lighttpd", "haproxy", "caddy", "varnish", "php", "mysql", "postgresql")
    return [f"/etc/{server}" for server in servers]


class LoadGenerator(models.Model):
    """A machine that sends load: reached by OpenSSH from any worker, or a worker of its own (`manage.py worker --host`).

    `queue` is where its jobs wait: an ssh generator's with any worker, a worker's own under its name.
    """

    class Kind(models.TextChoices):
        WORKER = "worker", "a worker that runs on it"
        SSH = "ssh", "reached by ssh"

    name = models.SlugField(max_length=50, unique=True)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    ssh_destination = models.CharField(max_length=255, blank=True, help_text="a Host of ssh's config, or user@host")
    identity_file = models.CharField(max_length=500, blank=True, help_text="path of a private key, on the worker")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "runs_loadgenerator"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("edit-generator", args=[self.pk])

    @property
    def queue(self) -> str:
        return f"load.{self.name}" if self.kind == self.Kind.WORKER else "remote"

    @property
    def machine(self) -> Machine:
        """How it is reached now."""
        if self.kind == self.Kind.WORKER:
            return Machine(self.name)
        return Machine(self.name, self.ssh_destination, self.identity_file)


class TargetQuerySet(models.QuerySet["Target"]):
    def for_list(self) -> Self:
        """With host and addresses, in two queries."""
        return self.select_related("host").prefetch_related("addresses")


class Target(models.Model):
    """A registered host that may be loaded, at its addresses only, within its limits.

    busy_with   the job that holds it: one job at a time a target, claimed by compare-and-set
    readable    folders and files that plans may show as config files; nothing else of the target is ever read
    """

    class Reach(models.TextChoices):
        NONE = "none", "not reached: no monitors"
        LOCAL = "local", "the machine that the worker runs on"
        SSH = "ssh", "by ssh"

    host = models.OneToOneField(Host, on_delete=models.CASCADE, related_name="target")
    reach = models.CharField(max_length=8, choices=Reach.choices, default=Reach.NONE)
    ssh_destination = models.CharField(max_length=255, blank=True, help_text="a Host of ssh's config, or user@host")
    identity_file = models.CharField(max_length=500, blank=True, help_text="path of a private key, on the worker")
    most_requests = models.PositiveIntegerField(default=100_000, help_text="of one run")
    most_concurrency = models.PositiveIntegerField(default=200)
    most_duration_s = models.PositiveIntegerField(
        default=600, help_text="of one run, and when it is stopped at the latest"
    )
    readable = models.JSONField(default=default_readable, blank=True)
    enabled = models.BooleanField(default=True)
    busy_with = models.OneToOneField(
        "Job", null=True, blank=True, on_delete=models.SET_NULL, related_name="holds", editable=False
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TargetQuerySet.as_manager()

    class Meta:
        db_table = "runs_target"
        ordering = ["host__name", "id"]

    def __str__(self) -> str:
        return self.host.name

    def get_absolute_url(self) -> str:
        return reverse("target", args=[self.pk])

    @property
    def machine(self) -> Machine | None:
        """How it is reached now; None: not at all."""
        if self.reach == self.Reach.NONE:
            return None
        if self.reach == self.Reach.LOCAL:
            return Machine(self.host.name)
        return Machine(self.host.name, self.ssh_destination, self.identity_file)


class TargetAddress(models.Model):
    """One base address of the allow-list, canonical ("http://shop.lan:8080"), and what its name resolved to."""

    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="addresses")
    base = models.CharField(max_length=300)
    resolved = models.JSONField(default=list, help_text="IP addresses that the name may have")
    pinned = models.BooleanField(default=False, help_text="they were written by a person, not looked up")

    class Meta:
        db_table = "runs_targetaddress"
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["target", "base"], name="address_of_target")]

    def __str__(self) -> str:
        return self.base


class Switch(models.Model):
    """A command on the target that puts a config in place, such as reloading nginx. Written by an admin only."""

    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="switches")
    name = models.CharField(max_length=100)
    argv = models.JSONField(help_text='a list, such as ["systemctl", "reload", "nginx"]; no shell reads it')
    timeout_s = models.PositiveIntegerField(default=30)

    class Meta:
        db_table = "runs_switch"
        ordering = ["name"]
        verbose_name_plural = "switches"
        constraints = [models.UniqueConstraint(fields=["target", "name"], name="switch_of_target")]

    def __str__(self) -> str:
        return self.name


class PlanQuerySet(models.QuerySet["Plan"]):
    def for_list(self) -> Self:
        """With target, its host, generator, address and variants, in two queries."""
        return self.select_related("target__host", "generator", "address", "created_by").prefetch_related("variants")


class Plan(models.Model):
    """What to run: one tool, levels of concurrency × repeats × variants.

    headers     [[name, value], ...]; a secret is written {secret:NAME} and filled in by the worker from its environment
    levels      numbers of concurrent clients; requests or duration_s says how long each run is
    warmups     runs before the first counted one of each variant and level: stored, not counted
    rse_limit_pct, most_repeats   go on after `repeats` while the relative standard error of req/s is above it, up to so many
    """

    class Order(models.TextChoices):
        INTERLEAVED = "interleaved", "in turn: A B B A"
        BLOCKS = "blocks", "blocks in random order"

    name = models.CharField(max_length=200)
    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="plans")
    address = models.ForeignKey(TargetAddress, on_delete=models.CASCADE, related_name="plans")
    generator = models.ForeignKey(LoadGenerator, on_delete=models.CASCADE, related_name="plans")
    tool = models.CharField(max_length=16, default=tools.DEFAULT)
    method = models.CharField(max_length=10, default="GET")
    path = models.CharField(max_length=2000, default="/")
    headers = models.JSONField(default=list, blank=True)
    body = models.TextField(blank=True)
    content_type = models.CharField(max_length=200, blank=True)
    requests = models.PositiveIntegerField(null=True, blank=True)
    duration_s = models.PositiveIntegerField(null=True, blank=True)
    keepalive = models.BooleanField(default=False)
    timeout_s = models.PositiveIntegerField(default=30, help_text="for one request")
    levels = models.JSONField(default=list)
    repeats = models.PositiveIntegerField(default=3)
    warmups = models.PositiveIntegerField(default=1)
    cooldown_s = models.FloatField(default=1.0)
    order = models.CharField(max_length=12, choices=Order.choices, default=Order.INTERLEAVED)
    rse_limit_pct = models.FloatField(null=True, blank=True)
    most_repeats = models.PositiveIntegerField(null=True, blank=True)
    interval_s = models.FloatField(default=1.0, help_text="between two samples")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PlanQuerySet.as_manager()

    class Meta:
        db_table = "runs_plan"
        ordering = ["-id"]
        permissions = [("run_plan", "Can run plans")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("plan", args=[self.pk])


class Variant(models.Model):
    """A config to compare. What it leaves empty is the plan's."""

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="variants")
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField(default=0)
    switch = models.ForeignKey(Switch, null=True, blank=True, on_delete=models.PROTECT, related_name="variants")
    address = models.ForeignKey(TargetAddress, null=True, blank=True, on_delete=models.CASCADE, related_name="variants")
    path = models.CharField(max_length=2000, blank=True)
    keepalive = models.BooleanField(null=True, blank=True)
    config_files = models.JSONField(default=list, blank=True, help_text="absolute paths on the target, shown with cat")

    class Meta:
        db_table = "runs_variant"
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint(fields=["plan", "name"], name="variant_of_plan")]

    def __str__(self) -> str:
        return self.name


class JobQuerySet(models.QuerySet["Job"]):
    def for_page(self) -> Self:
        """With plan, target, its host, generator, experiment, log and snapshot, in one query."""
        return self.select_related("plan", "target__host", "generator", "experiment", "created_by")

    def with_counts(self) -> Self:
        """As for a page without log and snapshot, with n_steps (each load once, however often it was begun) and n_done."""
        steps = Step._default_manager.filter(job=models.OuterRef("pk")).order_by().values("job")
        loads = steps.annotate(n=models.Count("position", distinct=True)).values("n")
        return (
            self.for_page()
            .defer("log", "snapshot")
            .annotate(
                n_steps=Coalesce(models.Subquery(loads), 0), n_done=count_rows("remote.Step", "job", state="done")
            )
        )

    def matching(self, *, state: str = "", plan: int | None = None, target: int | None = None) -> Self:
        """Jobs that meet every condition given; the state "active" means any that is not over."""
        conditions = models.Q(plan=plan) if plan else models.Q()
        conditions &= models.Q(target=target) if target else models.Q()
        return (self.active() if state == "active" else self.filter(state=state) if state else self).filter(conditions)

    def active(self) -> Self:
        return self.exclude(state__in=Job.OVER)


class Job(models.Model):
    """One go of a plan.

    snapshot    the validated plan as it was at the start (remote.snapshots); the plan may change since
    claim       which worker process runs it; taken by compare-and-set, so a message that comes twice runs nothing twice
    progress    what the running step reports: {"done": 400, "of": 1000, "requests_per_second": 812.3}
    log         the last lines of what was done and what the tools said, secrets masked
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        CONNECTING = "connecting"
        RUNNING = "running"
        STORING = "storing"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"
        LOST = "lost"

    ACTIVE = (State.CONNECTING, State.RUNNING, State.STORING)
    OVER = (State.DONE, State.FAILED, State.CANCELLED, State.LOST)

    plan = models.ForeignKey(Plan, null=True, on_delete=models.SET_NULL, related_name="jobs")
    target = models.ForeignKey(Target, null=True, on_delete=models.SET_NULL, related_name="jobs")
    generator = models.ForeignKey(LoadGenerator, null=True, on_delete=models.SET_NULL, related_name="jobs")
    experiment = models.ForeignKey(Experiment, null=True, blank=True, on_delete=models.SET_NULL, related_name="jobs")
    name = models.CharField(max_length=300)
    snapshot = models.JSONField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED, db_index=True)
    message = models.TextField(blank=True, help_text="why it waits, failed or stopped, in the tool's own words")
    progress = models.JSONField(default=dict)
    log = models.TextField(blank=True)
    claim = models.CharField(max_length=64, blank=True)
    clock_offset_s = models.FloatField(null=True, blank=True, help_text="target's clock minus generator's")
    scheduled = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="when its message was last given to the queue")
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        db_table = "runs_job"
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("job", args=[self.pk])

    @property
    def is_over(self) -> bool:
        return self.state in self.OVER


class StepQuerySet(models.QuerySet["Step"]):
    def with_runs(self) -> Self:
        """With run_id: the load run that was stored of it, or None."""
        runs = Run._default_manager.filter(upload=models.OuterRef("upload")).order_by("pk")
        return self.annotate(run_id=models.Subquery(runs.values("pk")[:1]))


class Step(models.Model):
    """One load of a job. A step that was under way when its worker died is "lost"; run again, it gets a new row."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"
        LOST = "lost"

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="steps")
    position = models.PositiveIntegerField()
    variant = models.CharField(max_length=200)
    level = models.PositiveIntegerField()
    repeat = models.PositiveIntegerField(help_text="1 and on; 0 for a warm-up")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    message = models.TextField(blank=True)
    requests_per_second = models.FloatField(null=True, blank=True)
    upload = models.ForeignKey(Upload, null=True, blank=True, on_delete=models.SET_NULL, related_name="steps")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = StepQuerySet.as_manager()

    class Meta:
        db_table = "runs_step"
        ordering = ["position", "id"]
        indexes = [models.Index(fields=["job", "position"], name="step_of_job")]

    def __str__(self) -> str:
        return f"{self.variant}, concurrency {self.level}, repeat {self.repeat}"


class Schedule(models.Model):
    """When a plan starts by itself. The clock is django-celery-beat's; this row says what it starts, and for whom.

    name        the plan's, kept so that a schedule whose plan was deleted still has one
    message     why the last start was refused; "" when it was not
    started_at  of the last start; compared and set, so that a message that comes twice starts nothing twice
    created_by  whose permission each start needs
    """

    plan = models.ForeignKey(Plan, null=True, on_delete=models.SET_NULL, related_name="schedules")
    name = models.CharField(max_length=200)
    task = models.OneToOneField("django_celery_beat.PeriodicTask", on_delete=models.CASCADE, related_name="+")
    message = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    last_job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "runs_schedule"
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name
