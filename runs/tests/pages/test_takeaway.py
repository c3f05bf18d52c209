"""What is taken elsewhere: pictures by address, Markdown, one HTML file."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from runs.tests import factories

SVG = "{http://www.w3.org/2000/svg}"


def svg(browser: Client, url: str) -> Any:
    response = browser.get(url)
    assert response.status_code == 200, url
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    return ET.fromstring(response.content.decode())  # noqa: S314  (our own)


def told(picture: Any) -> str:
    return " ".join(found.text or "" for found in picture.iter(f"{SVG}text"))


def test_bars_and_percentiles_are_pictures_by_address(browser):
    made = factories.mpm_experiment()
    assert "17160 (n=1)" in told(svg(browser, f"/experiments/{made.pk}/throughput.svg"))
    assert "event MPM" in told(svg(browser, f"/experiments/{made.pk}/latency.svg"))
    assert "worker, keep-alive MPM, run 1" in told(svg(browser, f"/runs/{made.runs.first().pk}/latency.svg"))


def test_a_comparison_has_its_pictures_too(browser):
    made = factories.mpm_experiment()
    first, second = (str(run.pk) for run in made.runs.order_by("id")[:2])
    picture = told(svg(browser, f"/compare/throughput.svg?runs={second},{first}"))
    assert picture.index("worker MPM") < picture.index("event MPM")


def test_the_time_axis_of_a_picture_is_the_page_s(browser):
    made = factories.mpm_experiment()
    assert "log scale" in told(svg(browser, f"/experiments/{made.pk}/latency.svg?y=log"))
    assert "log scale" not in told(svg(browser, f"/experiments/{made.pk}/latency.svg?y=linear"))


def test_a_picture_without_data_says_why(browser):
    made = factories.experiment("empty")
    for what in ("throughput", "latency"):
        assert "No run here" in told(svg(browser, f"/experiments/{made.pk}/{what}.svg"))
    bare = factories.run(factories.config(made, "a"), factories.upload(), requests_per_second=None)
    assert "No run here" in told(svg(browser, f"/runs/{bare.pk}/latency.svg"))


def test_a_picture_is_asked_for_again_by_its_etag(browser):
    made = factories.mpm_experiment()
    url = f"/experiments/{made.pk}/throughput.svg"
    etag = browser.get(url)["ETag"]
    assert browser.get(url, headers={"If-None-Match": etag}).status_code == 304
    made.runs.update(requests_per_second=1.0)
    assert browser.get(url, headers={"If-None-Match": etag}).status_code == 200


def test_a_picture_may_be_embedded_anywhere_and_loads_nothing(browser):
    response = browser.get(f"/experiments/{factories.mpm_experiment().pk}/throughput.svg")
    assert "X-Frame-Options" not in response
    assert response["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert response["Cross-Origin-Resource-Policy"] == "cross-origin"


@pytest.mark.django_db
def test_pictures_follow_the_pages_rules_on_who_may_read(client, settings):
    made = factories.mpm_experiment()
    url = f"/experiments/{made.pk}/throughput.svg"
    assert client.get(url).status_code == 302
    settings.PUBLIC_READ = True
    response = client.get(url)
    assert response.status_code == 200
    assert "public" in response["Cache-Control"]


def test_only_the_reader_s_own_cache_keeps_a_private_picture(browser):
    response = browser.get(f"/experiments/{factories.mpm_experiment().pk}/throughput.svg")
    assert "private" in response["Cache-Control"]
    assert "public" not in response["Cache-Control"]
    assert "Cookie" in response["Vary"]


@pytest.mark.parametrize("path", ["experiments/99999/latency.svg", "runs/99999/latency.svg", "compare/x.svg"])
def test_what_is_no_picture_is_not_found(browser, path):
    assert browser.get(f"/{path}").status_code == 404
