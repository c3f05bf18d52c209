"""docker-compose.yml: health checks everywhere, no secret with a default, and names that settings.py knows."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Any

import pytest
import yaml

from benchdash.tests.proxy import write_port
from benchdash.tests.services import ROOT
from runs.management.processes import STOP_SIGNALS, web_command

FILE = ROOT / "docker-compose.yml"
SECRETS = {"POSTGRES_PASSWORD", "REDIS_PASSWORD", "SECRET_KEY"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(FILE.read_text())
    return loaded


def test_it_runs_database_queue_web_worker_and_clock(compose):
    assert set(compose["services"]) == {"postgres", "redis", "web", "proxy", "worker", "beat"}


def test_workers_can_be_scaled(compose):
    """Nothing of theirs has a name or a port that only one of them can have."""
    worker = compose["services"]["worker"]
    assert not {"container_name", "hostname", "ports"} & set(worker)
    assert worker["healthcheck"]["test"][1].count("@$$HOSTNAME") == 2


def test_every_service_has_a_health_check(compose):
    for name, service in compose["services"].items():
        assert service["healthcheck"]["test"], name


def test_no_secret_has_a_default():
    used = re.findall(r"\$\{([A-Z_]+)([^}]*)\}", FILE.read_text())
    assert {name for name, _ in used} >= SECRETS
    for name, rest in used:
        assert name not in SECRETS | {"ALLOWED_HOSTS"} or rest.startswith(":?set "), name


def test_what_needs_another_service_waits_until_it_is_healthy(compose):
    web, worker = compose["services"]["web"], compose["services"]["worker"]
    assert web["depends_on"] == {name: {"condition": "service_healthy"} for name in ("postgres", "redis")}
    assert worker["depends_on"] == {"web": {"condition": "service_healthy"}}
    assert compose["services"]["beat"]["depends_on"] == worker["depends_on"]


def test_only_the_proxy_is_published(compose):
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["proxy"]
    assert compose["services"]["web"]["environment"]["HTTPS"] == "yes"


@pytest.mark.parametrize(("port", "written"), [("443", None), ("8443", ":8443"), ("10.0.0.5:8443", ":8443")])
def test_plain_http_is_redirected_to_the_port_that_is_published(port, written, tmp_path):
    write_port(port, tmp_path)
    file = tmp_path / "https_port.conf"
    assert (file.read_text() if file.exists() else None) == (written and f"set $https_port {written};\n")


def test_the_web_server_is_the_one_of_make_run(compose):
    command = " ".join(["python", *web_command("0.0.0.0", 8000)[1:]])  # noqa: S104
    assert compose["services"]["web"]["command"][2].endswith(f"exec {command}")


def test_what_is_stopped_gets_the_time_that_it_takes(compose):
    longest_s = sum(seconds for _, seconds in STOP_SIGNALS)
    assert int(compose["services"]["worker"]["stop_grace_period"].removesuffix("s")) > longest_s
    assert int(compose["services"]["web"]["stop_grace_period"].removesuffix("s")) > 30


def test_every_setting_it_gives_is_one_that_is_read(compose):
    read = (ROOT / "benchdash" / "settings.py").read_text() + (ROOT / "benchdash" / "env.py").read_text()
    for name in compose["services"]["web"]["environment"]:
        assert f'"{name}"' in read, name


def test_the_image_does_not_run_as_root_and_holds_no_data():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "\nUSER benchdash\n" in dockerfile
    copied = set(re.findall(r"^COPY (\S+)", dockerfile, re.MULTILINE))
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    assert copied == {line[1:] for line in ignored if line.startswith("!")}


def test_every_image_that_is_fetched_is_pinned_by_digest(compose):
    fetched = [service["image"] for service in compose["services"].values() if "build" not in service]
    fetched += re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert len(fetched) == 4
    for image in fetched:
        assert re.fullmatch(r"[a-z]+:[\d.]+-[a-z]+@sha256:[\da-f]{64}", image), image


def test_docker_compose_accepts_it_with_secrets_and_refuses_it_without(needs):
    command = [*needs("docker compose").split(), "-f", str(FILE), "config"]
    path = {"PATH": os.environ["PATH"]}
    secrets = dict.fromkeys(SECRETS | {"ALLOWED_HOSTS"}, "x" * 40) | {"CERTIFICATES": "/certificates"}
    accepted = subprocess.run(command, env=path | secrets, capture_output=True, text=True, timeout=60)
    assert accepted.returncode == 0, accepted.stderr
    refused = subprocess.run(command, env=path, capture_output=True, text=True, timeout=60)
    assert refused.returncode != 0
    assert "set " in refused.stderr
