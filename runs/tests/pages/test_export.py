"""The exports of pages: pictures by address, Markdown, one HTML file."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from runs.analysis.export import FlatTable, as_csv
from runs.models import Experiment
from runs.tests import factories
from runs.tests.pages.page_html import collapse

SVG = "{http://www.w3.org/2000/svg}"


def svg(browser: Client, url: str) -> Any:
    response = browser.get(url)
    assert response.status_code == 200, url
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    return ET.fromstring(response.content.decode())  # noqa: S314  (our own)


def told(picture: Any) -> str:
    return " ".join("".join(found.itertext()) for found in picture.iter(f"{SVG}text"))


def test_bars_and_percentiles_are_pictures_by_address(browser):
    made = factories.mpm_experiment()
    assert "17,160" in told(svg(browser, f"/experiments/{made.pk}/throughput.svg"))
    assert "event MPM" in told(svg(browser, f"/experiments/{made.pk}/latency.svg"))
    assert "run 1" in told(svg(browser, f"/runs/{made.runs.first().pk}/latency.svg"))


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


ASKED = {
    "another port": {"Host": "testserver:9999"},
    "another host named": {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"},
    "another scheme": {"X-Forwarded-Proto": "https"},
    "a session that is none": {"Cookie": "sessionid=abcdefghijklmnopqrstuvwxyz012345"},
    "a token that is none": {"Authorization": "Bearer none"},
    "JSON": {"Accept": "application/json"},
    "a page": {"Accept": "text/html"},
    "another language": {"Accept-Language": "de"},
    "htmx": {"HX-Request": "true", "HX-Boosted": "true"},
    "another method": {"X-HTTP-Method-Override": "DELETE"},
    "a part": {"Range": "bytes=0-9"},
}


@pytest.mark.django_db
@pytest.mark.parametrize("headers", ASKED.values(), ids=ASKED)
def test_what_a_shared_cache_keeps_is_the_same_however_it_is_asked_for(client, settings, headers):
    settings.PUBLIC_READ = True
    made = factories.mpm_experiment()
    for url in (f"/experiments/{made.pk}/throughput.svg", f"/runs/{made.runs.first().pk}/latency.svg"):
        plain, asked = client.get(url), client.get(url, headers=headers)
        assert (asked.status_code, asked.content, "Set-Cookie" in asked) == (200, plain.content, False)
        assert not asked.cookies
        assert "public" in asked["Cache-Control"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["experiments/99999/latency.svg", "nowhere/", "experiments/", "api/v1/runs/", "bd", "login/"]
)
def test_a_shared_cache_keeps_nothing_else(client, settings, path):
    settings.PUBLIC_READ = True
    assert "private" in client.get(f"/{path}")["Cache-Control"]


def test_only_the_reader_s_own_cache_keeps_a_private_picture(browser):
    response = browser.get(f"/experiments/{factories.mpm_experiment().pk}/throughput.svg")
    assert "private" in response["Cache-Control"]
    assert "public" not in response["Cache-Control"]
    assert "Cookie" in response["Vary"]


@pytest.mark.parametrize("path", ["experiments/99999/latency.svg", "runs/99999/latency.svg", "compare/x.svg"])
def test_what_is_no_picture_is_not_found(browser, path):
    assert browser.get(f"/{path}").status_code == 404


HOSTILE = 'href="/x" </title><script>alert(1)</script> "onload="x | a\n\n# b `c` <img src=//evil.example/x> ]]>'


def hostile() -> Experiment:
    """Every name and text that a paste brings along, at its worst."""
    made, text = factories.experiment(HOSTILE), factories.upload(HOSTILE)
    for number in (1, 2):
        setup = factories.config(made, f"{HOSTILE} {number}", group=HOSTILE)
        told = {"percentiles_ms": {"50": 1, "99": 5}, "command": HOSTILE, "label": HOSTILE, "server_software": HOSTILE}
        factories.run(setup, text, host=factories.host(HOSTILE), path=HOSTILE, failed_requests=number, **told)
    return made


def file_of(browser: Client, made: Experiment) -> str:
    response = browser.get(f"{made.get_absolute_url().rstrip('/')}.html")
    assert response.status_code == 200
    return str(response.content.decode())


class Elements(HTMLParser):
    """(tag, attributes) of all elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("made", [factories.wsgi_experiment, factories.mpm_experiment, hostile])
def test_the_file_asks_nothing_of_anybody(browser, made):
    elements = Elements(file_of(browser, made())).found
    assert not {"script", "link", "img", "iframe", "object", "form", "base", "image"} & {tag for tag, _ in elements}
    for tag, attributes in elements:
        assert not {"src", "srcset", "style", "background"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
        if tag == "use":
            assert str(attributes["href"]).startswith("#")
        elif "href" in attributes:
            assert tag == "a"
            assert str(attributes["href"]).startswith("http://testserver/")


def test_the_file_is_the_whole_story(browser):
    page = file_of(browser, factories.wsgi_experiment())
    assert re.search(r'<b class="badge unproven" title="[^"]+">unproven</b>', page)
    assert page.count('class="bd"') == 4
    assert 'id="metrics" open' in page
    for heading in ("Cost of serving", "Config differences", "Method", "Environment"):
        assert f"<h2>{heading}</h2>" in page
    assert "vhost.conf" in page
    assert "count it anyway" not in page


def test_the_file_has_a_policy_of_its_own_wherever_it_is_put(browser):
    made = factories.mpm_experiment()
    response = browser.get(f"/experiments/{made.pk}/?format=html")
    assert response["Content-Security-Policy"].startswith("default-src 'none'")
    assert "default-src &#x27;none&#x27;" in response.content.decode()
    assert "filename*=UTF-8''worker%20MPM" in response["Content-Disposition"]


def test_a_comparison_is_exported_with_its_query(browser):
    made = factories.mpm_experiment()
    ids = ",".join(str(run.pk) for run in made.runs.all())
    page = browser.get(f"/compare.html?runs={ids}").content.decode()
    assert f"http://testserver/compare/?runs={ids.replace(',', '%2C')}" in page


def test_only_comparisons_are_exported_as_a_file(browser):
    made = factories.mpm_experiment()
    assert browser.get(f"/runs/{made.runs.first().pk}.html").status_code == 404
    assert "One HTML file" in collapse(browser.get(made.get_absolute_url()).content.decode())
    assert "One HTML file" not in collapse(browser.get("/runs/").content.decode())


def test_hostile_names_stay_words_in_every_form(browser):
    made = hostile()
    base = made.get_absolute_url().rstrip("/")
    for url in (f"{base}/", f"{base}.html", f"{base}/throughput.svg", f"{base}/latency.svg"):
        page = browser.get(url).content.decode()
        assert "<script>alert" not in page, url
        assert "<img src=//" not in page, url
        assert not [key for _, attributes in Elements(page).found for key in attributes if key.startswith("on")], url
    post = browser.get(f"{base}.md").content.decode()
    plain = "\n".join(line for line in post.split("\n") if not line.startswith("    "))  # code shows what it holds
    assert "<script" not in plain
    assert "<img" not in plain
    assert "\n# b" not in post
    rows = {len(re.findall(r"(?<!\\)\|", line)) for line in post.split("\n") if line.startswith("| ")}
    assert rows == {4}


def test_a_name_that_looks_like_an_address_of_ours_stays_as_it_is(browser):
    assert 'href="/x"' in html.unescape(file_of(browser, hostile()))


def test_the_markdown_is_a_post(browser, settings):
    made = factories.mpm_experiment()
    post = browser.get(f"/experiments/{made.pk}.md").content.decode()
    assert post.startswith(
        "# worker MPMとevent MPMの比較\n\n**Failed.** On (2) Keep-Alive 有効の場合: “event, keep-alive MPM” failed 17.3 %"
    )
    assert "- **Not counted:** event, keep-alive MPM: 172,849 of 1,000,000 requests failed" in post
    assert "| Requests (per s) | 17,160 (n=1) | 11,065 (▼ 36 % fewer, undecided, n=1) |" in post
    assert "    ab -c 1000 -n 1000000 -k http://centos5:8080/hello.html" in post
    assert "- CPU: Intel\\(R\\) Pentium" in post or "- CPU: Intel(R) Pentium" in post
    assert post.rstrip().endswith(f"<http://testserver/experiments/{made.pk}/>")


def test_pictures_stand_in_the_markdown_by_whole_addresses(browser):
    made = factories.mpm_experiment()
    post = browser.get(f"/experiments/{made.pk}.md").content.decode()
    assert f"![Requests per second](http://testserver/experiments/{made.pk}/throughput.svg)" in post
    assert "latency.svg" not in browser.get(f"/experiments/{factories.siege_experiment().pk}.md").content.decode()


def test_the_page_names_its_pictures_and_who_would_see_them(browser, settings):
    made = factories.mpm_experiment()
    page = collapse(browser.get(made.get_absolute_url()).content.decode())
    assert f'href="/experiments/{made.pk}/throughput.svg"' in page
    assert "Picture URLs need a login" in page
    settings.PUBLIC_READ = True
    assert "Picture URLs need a login" not in collapse(browser.get(made.get_absolute_url()).content.decode())


def test_an_empty_experiment_can_be_exported_too(browser):
    base = factories.experiment("empty").get_absolute_url().rstrip("/")
    for suffix in ("html", "md", "csv", "json"):
        assert browser.get(f"{base}.{suffix}").status_code == 200


def test_charts_need_no_script(browser):
    page = browser.get(factories.mpm_experiment().get_absolute_url()).content.decode()
    assert re.search(r'class="card outcome".*?<svg class="f [^>]*aria-label="[^"]*requests per second', page, re.S)


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_in(item)


def test_hostile_names_are_neither_tags_nor_templates_to_plotly(browser):
    url = hostile().get_absolute_url()
    figures = [browser.get(f"{url}?figure={name}.json").json() for name in ("throughput", "latency")]
    texts = [text for figure in figures for text in texts_in(figure)]
    assert any("&lt;script" in text for text in texts)
    assert [text for text in texts if re.search(r"[<{]", text)] == []


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", '"\'=1+1"'),
        ("a;=1+1", '"a;\'=1+1"'),
        ("x\t@SUM(A1)", '"x\t\'@SUM(A1)"'),
        ('a;"+1"', '"a;""\'+1"""'),
        ("＝1+1", '"\'＝1+1"'),
        ("\t=1", "\"'\t'=1\""),
        (" =1+1", '" \'=1+1"'),
        ("\xa0\ufeff＝1", '"\xa0\ufeff\'＝1"'),
        ("a, \u200b@x", '"a, \u200b\'@x"'),
        ("\r1", '"\'\r1"'),
        ("ab -n 10", '"ab -n 10"'),
        (-3.5, "-3.5"),
    ],
)
def test_a_text_in_csv_is_quoted_and_no_formula_behind_any_separator(value, cell):
    assert as_csv(FlatTable("", ("a", "b"), ((1, value),))) == f'"a","b"\r\n1,{cell}\r\n'
