"""Sentences that call one config faster than another, beside reports that say the opposite or the same. All are made."""

from __future__ import annotations

import time

import pytest

from runs.analysis.headline_lead import write_lead

from .documents import judge

NGINX = "".join(f"@ab {rate}.00 server=\n" for rate in (900, 905, 902))
APACHE = "".join(f"@ab {rate}.00 server=\n" for rate in (700, 705, 702))


@pytest.mark.parametrize(
    "claim",
    [
        "Apache beats nginx by far",
        "As expected Apache was much faster than nginx in all our tests.",
        "nginx is 30 % slower than Apache.",
        "So nginx serves fewer requests per second than Apache.",
        "Conclusion: Apache is clearly the faster of the two.",
        "nginx could not keep up with Apache: it lost by a wide margin.",
        "The winner is Apache!",
    ],
)
@pytest.mark.parametrize("is_title", [True, False])
def test_a_claim_that_the_reports_contradict_leaves_the_lead_likely(claim, is_title):
    reports = f"## Apache\n\n{APACHE}\n## nginx\n\n{NGINX}\n"
    found = judge(f"# {claim}\n\n{reports}" if is_title else f"{reports}\n## Conclusion\n\n{claim}\n")
    assert (found.outcome, found.next.about) == ("likely", "load.claimed_otherwise")
    assert f"but the text says “{claim.rstrip('.!')}”, against its reports" in found.sentence
    assert write_lead(found).under.endswith("A test shows it, but the text says the opposite.")


@pytest.mark.parametrize(
    "claim",
    [
        "nginx beats Apache by far.",
        "Apache is slower than nginx.",
        "Many say Apache is faster than nginx.",
        "Is Apache faster than nginx?",
        "Apache is the faster to start.",
        "nginx is the fastest of the two.",
        "Apache is not faster than nginx.",
        "Apache is faster than nginx for large files.",
        "Apache is faster than nginx: it sends large files at once.",
        "If Apache beats nginx, we keep it.",
        "I had expected that Apache beats nginx.",
    ],
)
def test_what_agrees_asks_or_tells_of_something_else_is_no_such_claim(claim):
    found = judge(f"{claim}\n\n## Apache\n\n{APACHE}\n## nginx\n\n{NGINX}\n## Conclusion\n\n{claim}\n")
    assert (found.outcome, "text says" in found.sentence) == ("better", False)


def test_claims_take_linear_time():
    long = "*#so, " * 40 + "nginx is " + "much " * 30
    text = f"{long}\n" * 2000 + f"\n## Apache\n\n{APACHE}\n## nginx\n\n{NGINX}\n"
    before = time.process_time()
    judge(text)
    assert time.process_time() - before < 5


@pytest.mark.parametrize(
    ("claim", "is_told"),
    [
        ("nginx handles 80 % more requests than Apache.", True),
        ("Apache is 3 times slower than nginx.", True),
        ("With nginx the site serves 2x higher throughput compared to Apache", True),
        ("Apache serves 70 % fewer requests per second than nginx.", True),
        ("nginx handles 30 % more requests than Apache.", False),  # 29 %
        ("Apache is 22 % slower than nginx.", False),
        ("nginx is 80 % faster than Apache for large files.", False),
        ("The vendor claims that nginx is 80 % faster than Apache.", False),
        ("nginx used 80 % more memory than Apache.", False),
        ("nginx could be 80 % faster than Apache.", False),
        ("nginx is up to 80 % faster than Apache.", False),
    ],
)
def test_an_amount_that_the_reports_contradict_is_mentioned(claim, is_told):
    found = judge(f"{claim}\n\n## Apache\n\n{APACHE}\n## nginx\n\n{NGINX}\n")
    assert (found.outcome, "but the text says" in found.sentence) == ("better", is_told)


def test_an_amount_that_two_runs_show_is_one():
    loads = "## a1\n\n@ab 700 server=\n@ab 900 server=\n\n## b2\n\n@ab 910 server=\n@ab 1330 server=\n"
    assert "the text says" not in judge(f"b2 is 80 % faster than a1.\n\n{loads}").sentence


RATES = "# v1 and v2\n\n| Version | Requests/s |\n|---|---|\n| v1 | 2100 |\n| v2 | 3900 |\n\n"


@pytest.mark.parametrize(
    ("sentence", "fails"),
    [
        ("About 12 % of the requests to v2 failed with a 500, I left those out of the table.", True),
        ("v2 failed about 12 percent of its requests.", True),
        ("12% of all requests got an error with v2; v1 was fine.", True),
        ("With 800 clients 12 % of the requests to v2 failed.", False),
        ("12 % of the requests failed.", False),
        ("With v1 12 % of the requests to v2 failed.", False),
        ("Would you trust v2 if 12 % of the requests to v2 failed?", False),
        ("Before the fix 12 % of the requests to v2 failed.", False),
    ],
)
def test_a_share_of_failures_that_a_sentence_tells_of_a_config_is_that_of_its_rates(sentence, fails):
    found = judge(f"{RATES}{sentence}\n")
    assert (found.outcome, "12 %" in found.sentence) == (("failed", True) if fails else ("unproven", False))


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("nginx was tested with 10 connections, caddy with 500 connections.", "500 clients against 10 clients"),
        ("For caddy the table shows the peak rate, for nginx the mean.", "peak rate against mean rate"),
        ("nginx and caddy were both tested with 10 connections and with 500 connections.", ""),
        ("nginx allows 10 connections, caddy 500 connections.", ""),
        ("nginx was tested with 10 clients, caddy with 10 clients.", ""),
        ("caddy has a lower peak memory, nginx a lower average CPU load.", ""),
        ("The rate of caddy is a mean, that of nginx a mean of 3 runs.", ""),
    ],
)
def test_other_clients_and_other_statistics_of_one_side_are_told(sentence, said):
    found = judge(f"{RATES.replace('v1', 'nginx').replace('v2', 'caddy')}{sentence}\n")
    assert (said in found.sentence) if said else (found.against == ()), found.sentence


def test_reports_that_print_their_failures_are_believed():
    found = judge(f"## Apache\n\n{APACHE}\n## nginx\n\n{NGINX}\n12 % of the requests to nginx failed.\n")
    assert found.outcome == "better"


def test_configs_of_one_tool_are_compared_although_the_first_rate_is_another_tool_s():
    quoted = "Anna wrote:\n> On my server I get:\n> Requests/sec:  91000.12   (with uvloop)\n\nOn my laptop:\n\n"
    found = judge(f"# Loops\n\n{quoted}## asyncio\n\n@wrk 11000\n@wrk 11010\n\n## uvloop\n\n@wrk 11900\n@wrk 11911\n")
    assert (found.outcome, found.winner.title, [name for name, *_ in found.dropped]) == (
        "better",
        "uvloop",
        ["unknown tool"],
    )
