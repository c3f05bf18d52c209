"""Remote runs: who sends load, and what may be loaded. No secret is in any row: private keys are paths."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.urls import reverse

from .experiments import Host


def places_of_configs() -> list[str]:
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
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def queue(self) -> str:
        return f"load.{self.name}" if self.kind == self.Kind.WORKER else "remote"


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
    readable = models.JSONField(default=places_of_configs, blank=True)
    enabled = models.BooleanField(default=True)
    busy_with = models.OneToOneField(
        "Job", null=True, blank=True, on_delete=models.SET_NULL, related_name="holds", editable=False
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TargetQuerySet.as_manager()

    class Meta:
        ordering = ["host__name", "id"]

    def __str__(self) -> str:
        return self.host.name

    def get_absolute_url(self) -> str:
        return reverse("target", args=[self.pk])


class TargetAddress(models.Model):
    """One base address of the allow-list, canonical ("http://shop.lan:8080"), and what its name resolved to."""

    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="addresses")
    base = models.CharField(max_length=300)
    resolved = models.JSONField(default=list, help_text="IP addresses that the name may have")
    pinned = models.BooleanField(default=False, help_text="they were written by a person, not looked up")

    class Meta:
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
        ordering = ["name"]
        verbose_name_plural = "switches"
        constraints = [models.UniqueConstraint(fields=["target", "name"], name="switch_of_target")]

    def __str__(self) -> str:
        return self.name
