"""Every seed gives the same result by each door, stays the same when read anew, and has the figures it should."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from runs import ingest
from runs.models import Capture, Config, Experiment, Host, Run, Series, Upload

pytestmark = pytest.mark.django_db

RATES = {
    "000": [617.01, 878.81, 722.23, 887.55, 175.59, 576.02, 854.67, 380.65],
    "001": [316.08, 170.46, 230.84],
    "002": [8.96, 292.56, 12.35, 12.47, 13.36, 15.98],
    "003": [17160.13, 11064.69, 29219.55, 11735.33],
    "004": [3.07, 2.82, 4.62],
}
EXPERIMENTS = {"000": 2, "001": 1, "002": 1, "003": 1, "004": 1}


@pytest.fixture
def seed(shared: Path):
    return lambda number: next(shared.glob(f"seeds/{number}_*.txt")).read_bytes()


def by_web(data: bytes, tmp_path: Path) -> None:
    client = Client()
    client.force_login(User.objects.create_user("web"))
    answer = client.post("/preview/", {"text": data.decode(), "redact_shown": "1", "action": "save"})
    assert answer.status_code == 302


def by_rest(data: bytes, tmp_path: Path) -> None:
    client = Client()
    client.force_login(User.objects.create_user("rest"))
    answer = client.post("/api/v1/uploads/", data=data, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 201
    assert json.loads(answer.content)["id"] == Upload.objects.get().pk


def by_command(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "seed.txt").write_bytes(data)
    call_command("import_log", str(tmp_path / "seed.txt"), stdout=io.StringIO())


def everything() -> dict[str, list[object]]:
    """All results by content: no ids, no times."""
    runs = Run.objects.order_by("line_first").values_list(
        *(
            "experiment__name",
            "config__name",
            "host__name",
            "label",
            "repeat",
            "requests_per_second",
            "values",
            "quotes",
        )
    )
    captures = Capture.objects.order_by("line_first").values_list(
        *("experiment__name", "config__name", "run__line_first", "host__name", "phase", "label", "values", "n_samples")
    )
    upload = Upload.objects.values_list("text_key", "status", "blocks", "problems", "unread", "n_lines")
    series = Series.objects.order_by("capture__line_first", "metric", "pid", "id")
    return {
        "runs": list(runs),
        "captures": list(captures),
        "upload": list(upload),
        "series": list(series.values_list("metric", "pid", "command", "n", "mean")),
        "hosts": list(Host.objects.order_by("name").values_list("name", "cpu_model", "ram_kb", "fingerprint")),
    }


@pytest.mark.parametrize("number", RATES)
def test_each_door_gives_the_same(number, seed, tmp_path):
    data = seed(number)
    results = []
    for door in (by_web, by_rest, by_command):
        for model in (Upload, Experiment, Host):
            model.objects.all().delete()
        door(data, tmp_path)
        results.append(everything())
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("number", RATES)
def test_the_figures_are_there_once_each(number, seed):
    upload = ingest.submit(seed(number), origin="rest").upload
    assert sorted(upload.runs.values_list("requests_per_second", flat=True)) == sorted(RATES[number])
    assert Experiment.objects.count() == EXPERIMENTS[number]


@pytest.mark.parametrize("number", RATES)
def test_read_anew_it_is_the_same(number, seed):
    upload = ingest.submit(seed(number), origin="rest").upload

    def rows() -> list[object]:
        return [list(model.objects.order_by("pk").values()) for model in (Experiment, Config, Run, Capture, Host)]

    before = rows()
    ingest.reparse(upload.pk)
    assert rows() == before
