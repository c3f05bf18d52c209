"""Pages of what a text says of figures that no tool prints: they open."""

from __future__ import annotations

import re

import pytest

from parsers.tests.reading import FIXTURES
from runs import ingest
from runs.models import Run
from runs.tests.ingest.test_timings import REPORT

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("odd", ["9" * 25, "9" * 250, "-7"])
def test_a_report_whose_figures_are_too_large(client, django_user_model, odd):
    client.force_login(django_user_model.objects.create_user("jo"))
    ingest.submit(
        re.sub(r"(?m)(requests: +|transferred: +|% +|Total: .*)\d+", rf"\g<1>{odd}", REPORT).encode(), origin="web"
    )
    run = Run.objects.get()
    for address in (run.get_absolute_url(), run.experiment.get_absolute_url(), "/runs/", f"/api/v1/runs/{run.pk}/"):
        assert client.get(address).status_code == 200, address


def test_a_count_of_answers_that_is_too_large(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("jo"))
    text = (FIXTURES / "hey" / "hey_01.txt").read_text()
    ingest.submit(re.sub(r"\[200\]\t\d+ ", f"[500]\t{'9' * 25} ", text).encode(), origin="web")
    assert client.get(Run.objects.get().experiment.get_absolute_url()).status_code == 200
