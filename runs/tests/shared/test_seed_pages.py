"""What each published session's page must say, and what it must not: by the words that a reader finds there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from runs import ingest
from runs.models import Experiment
from runs.tests.pages.conftest import browser, person
from runs.tests.pages.test_pages import html, words

__all__ = ["browser", "person"]

pytestmark = pytest.mark.django_db
Pages = Callable[[str], list[str]]


@pytest.fixture
def pages(browser, shared) -> Pages:
    """The pages' words of a seed's experiments, in the order of the text; a doubt's severity stands before it in brackets."""

    def of(number: str) -> list[str]:
        data = next(shared.glob(f"seeds/{number}_*.txt")).read_bytes()
        ingest.submit(data, origin="command")
        made = [html(browser, each.get_absolute_url()) for each in Experiment.objects.order_by("id")]
        return [words(re.sub(r'<li class="(fatal|caution|note)">', r"[\1] ", page)) for page in made]

    return of


@pytest.fixture
def sentences(browser, pages) -> Callable[[str], list[str]]:
    """The sentence of each page's headline, which its JSON has."""

    def of(number: str) -> list[str]:
        pages(number)
        urls = [each.get_absolute_url().rstrip("/") + ".json" for each in Experiment.objects.order_by("id")]
        return [browser.get(url).json()["headline"]["sentence"] for url in urls]

    return of


def doubts(page: str) -> Iterator[tuple[str, str]]:
    """(severity, text) as the page's words have them."""
    for match in re.finditer(r"\[(fatal|caution|note)\] (.*?) line \d+", page):
        yield match[1], match[2]


def has(page: str, severity: str, *parts: str) -> bool:
    return any(kind == severity and all(part in text for part in parts) for kind, text in doubts(page))


def test_000_claims_no_difference_between_the_two_mod_wsgi_set_ups(sentences):
    wsgi, frameworks = sentences("000")
    assert "measured 7.6 % faster" in wsgi
    assert "in 2 runs each, but runs of one config differ by up to 42 %" in wsgi
    assert "Not counted: “Ruby on Rails" in frameworks


def test_000_says_what_spread_cold_starts_and_the_shared_host_do_to_it(pages):
    wsgi, frameworks = pages("000")
    for figure in ("617.0", "878.8", "722.2", "887.6"):
        assert figure in wsgi
    assert has(wsgi, "caution", "the first repeat looks like a cold start", "617.0", "878.8", "722.2", "887.6")
    assert has(wsgi, "caution", "Server and load generator shared one machine")
    assert has(frameworks, "fatal", "Ruby on Rails", "swap in use", "not comparable")


def test_000_sets_httpd_and_ruby_apart(pages):
    _, frameworks = pages("000")
    assert "httpd: resident memory" in frameworks
    assert "ruby: each, mean" in frameworks


def test_001_is_too_short_to_judge(pages, sentences):
    (page,) = pages("001")
    assert has(page, "caution", "100 requests by 1 client in 0.32 s", "too short")
    (sentence,) = sentences("001")
    assert "in one run each; one run cannot show noise" in sentence


def test_002_says_likely_and_undecided_and_never_proven(pages, sentences):
    (page,) = pages("002")
    (sentence,) = sentences("002")
    assert sentence.startswith("“peruser, mod_python (django)” likely serves 33 times as many requests per second")
    assert "“peruser, php5cgi (wordpress)” served 1.0 % more than “itk, php5cgi (wordpress)” (unproven)" in sentence
    assert re.search(r"2 of 568 requests failed \(0.4 %, availability 99.65 %\)", page)
    assert "✔ better" not in page
    assert "✘ worse" not in page


def test_003_gives_no_verdict_on_the_failing_run_and_none_proven_on_the_rest(pages, sentences):
    (page,) = pages("003")
    (sentence,) = sentences("003")
    assert has(page, "fatal", "172,849 of 1,000,000 requests failed by length (17.3 %)")
    assert sentence.startswith(
        "On Keep-Alive 有効の場合: “event MPM” failed 17.3 % of its requests; “worker MPM” served 11,735 a second"
    )
    assert "“event MPM” served 55 % more than “worker MPM” (unproven), but its p99 is 11 times as long" in sentence
    assert "event MPM” served 2.49" not in page
    assert has(page, "caution", "3,021 ms", "SYN retransmission")


def test_004_says_that_the_higher_rate_is_no_gain_and_what_a_process_takes(pages):
    (page,) = pages("004")
    assert "47.5 % of the requests fail at 150" in page
    assert "latency doubles" in page
    assert has(page, "fatal", "285 of 600 requests failed", "the higher req/s may be no gain")
    assert "about 2.0 MB" in page
    assert "about 2.3 MB" in page
    assert has(page, "caution", "n under 10·c")
    assert "2 more are missing" in page


@pytest.mark.parametrize("number", ["000", "001", "002", "003", "004"])
def test_a_seed_raises_no_more_doubts_than_are_read(pages, number):
    for page in pages(number):
        assert 1 <= len(list(doubts(page))) <= 8
