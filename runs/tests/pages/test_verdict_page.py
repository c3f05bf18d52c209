"""The page says what can be concluded and what makes it doubtful; people may overrule, and nothing stale is shown."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.core.cache import caches

from runs import ingest, tasks
from runs.analysis.adaptive import lengthen, take_command
from runs.models import Experiment, Override, Run
from runs.selectors import judging
from runs.selectors.judging import work_out_headlines
from runs.selectors.summaries import list_latest_experiments
from runs.tests import factories
from runs.tests.ingest.texts import session
from runs.tests.pages.test_pages import html, words
from runs.tests.pages.test_queries import queries


def said(browser, made):
    return words(html(browser, made.get_absolute_url()))


def sentence(browser, made):
    page = html(browser, made.get_absolute_url())
    return unescape(re.search(r'<meta name="description" content="([^"]*)"', page)[1])


def four_against_four(quicker=1.5):
    made, text = factories.experiment("four repeats"), factories.upload()
    for name, times in (("old", 1.0), ("new", quicker)):
        setup = factories.config(made, name)
        for repeat, rate in enumerate((100.0, 102.0, 99.0, 101.0), 1):
            rate *= times
            told = {"complete_requests": int(60 * rate), "duration_s": 60.0, "failed_requests": 0, "concurrency": 10}
            factories.run(setup, text, repeat=repeat, requests_per_second=rate, **told)
    return made


def test_the_page_begins_with_the_verdict(browser):
    page = html(browser, four_against_four().get_absolute_url())
    places = [
        page.index(mark) for mark in ('class="big', 'class="chips"', 'id="table"', 'id="differences"', 'id="source"')
    ]
    assert places == sorted(places)
    assert "“new” served 50 % more requests per second than “old”" in sentence(browser, Experiment.objects.get())


def test_the_configs_of_another_workload_are_named_without_what_is_said_above_them(browser):
    rows = {"GET of a whole list": (900, 500), "POST of one item": (800, 700)}
    tables = [
        f"## {name}\n\n| | req/s |\n|---|---|\n| nginx | {a} |\n| caddy | {b} |\n" for name, (a, b) in rows.items()
    ]
    made = ingest.submit("\n".join(["# Servers\n", *tables]).encode(), origin="rest").upload.runs.first().experiment
    page = html(browser, made.get_absolute_url())
    told = re.findall(r'<p class="(?:big|other)[^>]*>(.*?)</p>', page, re.DOTALL)
    assert [words(each).removesuffix(" unproven").strip() for each in told] == [
        "GET of a whole list",
        "nginx is 80 % ahead",
        "POST of one item nginx is 14 % ahead",
    ]


def test_replies_with_an_error_status_are_counted_as_failed(browser):
    text = Path("parsers/tests/fixtures/hey/hey_03_not_found.txt").read_bytes()
    made = ingest.submit(text, origin="rest").upload.runs.get().experiment
    assert "10 failed" in words(html(browser, made.get_absolute_url()))


def test_where_only_a_share_of_failures_is_told_the_runs_are_counted(browser):
    made, text = factories.experiment(), factories.upload()
    told = {"tool": "siege", "availability_pct": 4.0, "transaction_rate": 19.3, "requests_per_second": 19.3}
    factories.run(factories.config(made, "no index"), text, values=told)
    assert "1 run with failures" in said(browser, made) and "0 failed" not in said(browser, made)


def test_the_share_of_failed_requests_is_of_the_runs_that_tell_both(browser):
    made, text = factories.experiment("one broke off"), factories.upload()
    for name, failed in (("few", 0), ("many", 4000)):
        setup, load = factories.config(made, name), {"complete_requests": 10000, "duration_s": 60.0}
        for repeat, rate in enumerate((610.0, 620.0, 600.0), 1):
            factories.run(setup, text, repeat=repeat, requests_per_second=rate, failed_requests=failed, **load)
    cut = {"requests_per_second": None, "complete_requests": 812, "aborted": True, "failed_requests": None}
    factories.run(setup, text, repeat=4, values={"non_2xx_responses": 0}, **cut)
    assert "4,000 40 %" in words(html(browser, made.get_absolute_url()))
    setup.runs.filter(repeat__lt=4).update(values={"non_2xx_responses": 4000})
    assert "Error replies 03,000" in words(html(browser, made.get_absolute_url()))


def test_the_sum_of_several_processes_is_none_of_the_dots_of_what_a_process_costs(browser):
    text = Path("parsers/tests/fixtures/ps_mem/ps_mem_05_behind_a_load.txt").read_bytes()
    page = words(html(browser, ingest.submit(text, origin="rest").upload.runs.get().experiment.get_absolute_url()))
    assert "nginx memory" in page and "a dot is a process" not in page


def test_a_row_has_its_change_and_its_verdict_in_a_word(browser):
    page = html(browser, four_against_four().get_absolute_url())
    verdict = re.search(r'<td class="verdict up"><span title="([^"]*)">better</span>', page)
    assert "p&lt;0.0001" in verdict[1]
    assert '<span class="delta up">+50 %</span>' in page


def test_no_row_is_called_better_where_the_headline_says_not_comparable(browser):
    made = four_against_four()
    Run.objects.filter(config__name="old").update(keepalive=False)
    Run.objects.filter(config__name="new").update(keepalive=True)
    page = html(browser, made.get_absolute_url())
    assert "Not comparable: keep-alive" in sentence(browser, made)
    assert '<table id="table"' in page
    assert not re.search(r'<t[dh][^>]* class="verdict', page)
    assert 'class="delta up"' not in page
    reasons = re.search(r'<ul class="why"[^>]*>.*?</ul>', page, re.S)
    assert reasons and words(reasons[0]).lower().count("keep-alive") == 1


def test_no_table_or_export_claims_what_a_report_that_cannot_be_right_keeps_from_the_headline(browser):
    made = four_against_four()
    Run.objects.filter(config__name="new").update(complete_requests=100_000)
    assert "figures of “new” cannot all be true" in sentence(browser, made)
    base = made.get_absolute_url().rstrip("/")
    texts = [browser.get(f"{base}{suffix}").content.decode() for suffix in ("/", ".md", ".csv")]
    for text in (*texts, browser.get(f"/api/v1/compare/?experiment={made.pk}").content.decode()):
        assert not re.search(r"\b(?:better|worse)\b(?!</dt>|:)", re.sub(r"<style>.*?</style>", "", text, flags=re.S)), (
            text
        )
    assert "but figures of the reports cannot all be true" in texts[0]


def test_what_a_verdict_rests_on_is_listed_without_a_script(browser):
    page = said(browser, four_against_four())
    assert "Basis of each verdict" in page
    assert "Cliff’s delta" in page


def test_one_run_a_side_is_never_proven(browser):
    page = html(browser, factories.siege_experiment().get_absolute_url())
    assert "likely better" in page
    assert 'class="verdict better"' not in page


def test_equal_values_of_single_runs_are_equal_and_not_unproven(browser):
    made, text = factories.experiment("two alike"), factories.upload()
    for name, rate in (("old", 700.0), ("new", 750.0)):
        factories.run(
            factories.config(made, name), text, requests_per_second=rate, mean_ms=33.0, complete_requests=9999
        )
    table = html(browser, made.get_absolute_url()).split('class="card keytable', 1)[1].split("</table>")[0]
    verdicts = dict(re.findall(r'<tr[^>]*>\s*<th[^>]*>(Req\w+|Mean).*?<td class="verdict[^>]*>(.*?)</td>', table, re.S))
    assert {name: words(cell) for name, cell in verdicts.items()} == {"Requests": "unproven", "Mean": "equal"}


def test_columns_of_several_blocks_name_their_baseline(browser):
    page = said(browser, factories.mpm_experiment())
    assert "B worker MPM against A · n=1" in page
    assert "D worker, keep-alive MPM baseline · n=1" in page


def test_columns_that_are_each_their_own_baseline_are_not_said_to_be_against_themselves(browser):
    made, text = factories.experiment("one config"), factories.upload()
    setup = factories.config(made, "nginx")
    for number, path in enumerate(("/a", "/b", "/c")):
        factories.run(setup, text, requests_per_second=600.0 + number, path=path, complete_requests=10000)
    assert (
        "against" not in html(browser, made.get_absolute_url()).split('class="card keytable', 1)[1].split("</table>")[0]
    )


def test_a_fatal_doubt_keeps_its_run_out_and_says_so_first(browser):
    page = html(browser, factories.mpm_experiment().get_absolute_url())
    first = re.search(r'<ul class="doubts".*?<li class="(\w+)">(.*?)</li>', page, re.S)
    assert first[1] == "fatal"
    assert "Not counted" in words(first[2])
    assert re.search(r'href="/uploads/\d+/#L\d+" class="line"', first[2])


def test_what_does_not_count_is_marked_in_the_table_and_in_the_chart(browser):
    made = factories.mpm_experiment()
    page = html(browser, made.get_absolute_url())
    assert page.count('class="out"') == 1
    told = browser.get(f"/experiments/{made.pk}/throughput.svg").content.decode()
    assert re.search(r"event, keep-alive MPM[^<;]* · (not counted|failed)<", told)


def test_a_person_overrules_a_doubt_and_withdraws_that(browser, person):
    made = factories.mpm_experiment()
    run = Run.objects.get(failed_requests=172849)
    rule = re.search(r'name="rule" value="([^"]+)"', html(browser, made.get_absolute_url()))[1]
    told = {"rule": rule, "run": run.pk, "reason": "a page of changing length", "back": made.get_absolute_url()}
    assert browser.post("/overrides/", told).url == made.get_absolute_url()
    page = said(browser, made)
    assert "counted anyway" in page
    assert "by reader" in page
    assert "a page of changing length" in page
    assert "failed 17.3 %" not in sentence(browser, made)
    browser.post(f"/overrides/{Override.objects.get().pk}/withdraw/", {"back": made.get_absolute_url()})
    assert "failed 17.3 %" in sentence(browser, made)
    assert Override.objects.get().withdrawn_by == person


def test_a_word_against_a_doubt_needs_a_reason(browser):
    made = factories.mpm_experiment()
    run = Run.objects.get(failed_requests=172849)
    browser.post(
        "/overrides/", {"rule": "errors.failed", "run": run.pk, "reason": " ", "back": made.get_absolute_url()}
    )
    assert not Override.objects.exists()
    assert "a reason is required" in said(browser, made)


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"rule": "errors.failed", "run": 999999, "reason": "x"}, 404),
        ({"rule": "errors.failed", "config": 999999, "reason": "x"}, 404),
        ({"rule": "no such rule", "reason": "x"}, 302),
        ({"rule": "errors.failed", "run": "9" * 30, "reason": "x"}, 302),
        ({}, 302),
    ],
)
def test_a_senseless_word_changes_nothing(browser, told, status):
    assert browser.post("/overrides/", told).status_code == status
    assert not Override.objects.exists()


def test_going_back_leads_to_our_own_pages_only(browser):
    assert browser.post("/overrides/", {"back": "https://elsewhere.example/"}).url == "/"


@pytest.mark.django_db
def test_only_people_who_are_logged_in_say_so(client, settings):
    settings.PUBLIC_READ = True
    made = factories.mpm_experiment()
    page = client.get(made.get_absolute_url()).content.decode()
    assert "not counted" in page
    assert "count it anyway" not in page
    assert "/login/" in client.post("/overrides/", {"rule": "errors.failed", "reason": "x"}).url


@pytest.fixture
def counted(monkeypatch):
    """How often conclusions were worked out anew."""
    caches["conclusions"].clear()
    calls = []
    real = judging.conclude
    monkeypatch.setattr(judging, "conclude", lambda *case: calls.append(1) or real(*case))
    return calls


def test_conclusions_are_worked_out_once_until_something_changes(browser, counted):
    made = four_against_four()
    for _ in range(3):
        said(browser, made)
    assert len(counted) == 1


def changes(made):
    run, config = made.runs.first(), made.configs.first()
    yield lambda: ingest.changes.rename_config(config, "renamed")
    yield lambda: ingest.changes.set_counted(run, False)
    yield lambda: ingest.changes.set_repeat(run, 9)
    yield lambda: Run.objects.filter(pk=run.pk).update(requests_per_second=1.0)
    yield lambda: made.configs.filter(pk=config.pk).update(position=5)
    yield lambda: run.delete()


def test_whatever_changes_is_seen_at_once(browser, counted):
    made = four_against_four()
    said(browser, made)
    for number, change in enumerate(changes(made), 2):
        change()
        said(browser, made)
        assert len(counted) == number


def test_another_experiment_s_conclusions_are_not_taken_for_this_one_s(browser):
    assert "“new” served 50 % more requests per second than “old”" in sentence(browser, four_against_four(1.5))
    assert "“old” served 2.0 times as many requests per second as “new”" in sentence(browser, four_against_four(0.5))


def test_a_page_worked_out_anew_needs_as_many_queries_as_a_kept_one(browser):
    made = four_against_four()
    first = queries(browser, made.get_absolute_url())
    caches["conclusions"].clear()
    anew, again = (queries(browser, made.get_absolute_url()) for _ in range(2))
    assert anew == again <= 22  # nine of them tell whether the browser has the page already
    assert first == again + 1  # which keeps the headline for the card


def odd(**told):
    made, text = factories.experiment("odd"), factories.upload()
    for name in ("a", "b"):
        for repeat in range(1, told.pop("repeats", 1) + 1):
            factories.run(factories_config(made, name), text, repeat=repeat, **told)
    return made


def factories_config(made, name):
    return made.configs.filter(name=name).first() or factories.config(made, name)


ODD = {
    "nothing told": {"requests_per_second": None},
    "zero": {"requests_per_second": 0.0, "mean_ms": 0.0, "percentiles_ms": {"50": 0, "99": 0, "100": 0}},
    "negative": {"requests_per_second": -5.0, "mean_ms": -1.0},
    "tiny": {"requests_per_second": 1e-300},
    "huge": {"requests_per_second": 1e300, "complete_requests": 10**17},
    "equal": {"requests_per_second": 100.0, "repeats": 5},
    "odd percentiles": {"percentiles_ms": {"50": -3.0, "90": 5.0}},
    "no numbers": {"values": {"failed_length": "x", "failed_connect": None, "connect_ms": []}},
    "more failed than made": {"failed_requests": 50, "complete_requests": 10},
}


@pytest.mark.parametrize("what", ODD)
def test_odd_figures_make_honest_pages(browser, what):
    made = odd(**ODD[what])
    base = made.get_absolute_url().rstrip("/")
    for url in (f"{base}/", f"{base}.json", f"{base}.csv", f"{base}.md", f"{base}.html", f"{base}/throughput.svg"):
        assert browser.get(url).status_code == 200, url
    assert browser.get(f"/api/v1/compare/?experiment={made.pk}").status_code == 200
    page = html(browser, f"{base}/")
    assert 'class="verdict better"' not in page
    assert 'class="verdict worse"' not in page


def test_a_chart_without_data_says_why(browser):
    page = said(browser, factories.siege_experiment())
    assert "no run here printed percentiles" in page
    assert "no list of processes stands in the text" in page
    full = said(browser, factories.wsgi_experiment())
    assert "no run here printed" not in full
    assert "No bars" in said(browser, odd(requests_per_second=None))


def test_a_thousand_repeats_make_a_page(browser):
    made, text = factories.experiment("many"), factories.upload()
    for name, rate in (("a", 100.0), ("b", 110.0)):
        setup = factories.config(made, name)
        same = {"experiment": made, "config": setup, "upload": text, "tool": "ab", "fingerprint": "f"}
        Run.objects.bulk_create(
            Run(
                repeat=n,
                line_first=1,
                line_last=2,
                block_key=f"{name}{n}",
                requests_per_second=rate + n % 7,
                **same,
            )
            for n in range(1, 1001)
        )
    assert "“b” served 9.7 % more requests per second than “a”" in sentence(browser, made)
    assert "1,000 runs each" in sentence(browser, made)


def test_runs_of_several_tools_are_compared_with_a_doubt(browser):
    made, text = factories.experiment("mixed"), factories.upload()
    factories.run(factories.config(made, "by ab"), text, tool="ab", requests_per_second=100.0)
    factories.run(factories.config(made, "by siege"), text, tool="siege", requests_per_second=5000.0)
    page = said(browser, made)
    assert "siege" in page
    assert "caution" in page or "not comparable" in page or "not counted" in page


def test_a_sweep_of_two_levels_is_told_and_not_drawn_and_one_of_five_is(browser):
    assert 'id="chart-scaling"' not in html(browser, factories.memory_experiment().get_absolute_url())
    made, text = factories.experiment("a sweep"), factories.upload()
    setup = factories.config(made, "event")
    for users in (1, 4, 16, 64, 256):
        told = {"concurrency": users, "requests_per_second": 100 * users / (1 + 0.03 * users + 0.0005 * users**2)}
        factories.run(setup, text, command=f"ab -n 60000 -c {users} http://h/", complete_requests=60000, **told)
    page = html(browser, made.get_absolute_url())
    assert words(page).count("How does it scale with concurrency?") == 1
    assert "peaks at" in words(page)


@pytest.mark.parametrize(
    ("rate", "other"),
    [(lambda name, users: 90 if name == "old" else 100, "new leads at every level, by up to 11 %"),
     (lambda name, users: 90 if (name == "old") == (users < 16) else 80, "“old” is ahead at 1 to 4 connections, “new” at 16")],
)  # fmt: skip
def test_a_sweep_over_several_paths_tells_of_each_once(browser, rate, other):
    made, text = factories.experiment("a sweep"), factories.upload()
    for name in ("old", "new"):
        setup = factories.config(made, name)
        for users in (1, 4, 16):
            for path, own in (("/a", 200 if name == "old" else 400), ("/b", rate(name, users))):
                told = {"concurrency": users, "path": path, "requests_per_second": own * (1 + users / 100)}
                factories.run(setup, text, command=f"ab -n 60000 -c {users} http://h{path}", **told)
    head = html(browser, made.get_absolute_url()).partition('class="answer"')[2].partition('class="next"')[0]
    assert [words(row).strip() for row in re.findall(r'<p class="other">(.*?)<b class', head, re.DOTALL)] == [
        f"/b {other}"
    ]


def test_what_the_headline_says_against_the_leader_stands_on_the_page_once_with_its_line(browser):
    made, text = factories.experiment("tails"), factories.upload()
    for name, p99 in (("old", 100.0), ("new", 1300.0)):
        setup = factories.config(made, name)
        for repeat in range(1, 5):
            rate = (1000 if name == "old" else 1500) + repeat
            told = {"requests_per_second": rate, "percentiles_ms": {"99": p99 + repeat}, "line_first": 10 * repeat}
            factories.run(setup, text, repeat=repeat, **told)
    head = html(browser, made.get_absolute_url()).partition('class="answer"')[2].partition('class="next"')[0]
    assert "13 times as long" in words(head)
    assert re.search(r'href="/uploads/\d+/#L\d+" class="line"', head)


def test_a_card_opens_with_the_headline_of_its_page(browser):
    made = factories.mpm_experiment()
    assert "badge" not in html(browser, "/")
    html(browser, made.get_absolute_url())
    for url in ("/", "/experiments/"):
        page = html(browser, url)
        assert '<b class="badge failed">' in page
        assert "failed 17.3 % of its requests" in words(page) and "<b>17.3 % failed</b>" in page
    (row, *_) = browser.get("/experiments/.json").json()["rows"]
    assert (row["outcome"], "17.3 %" in row["headline"]) == ("failed", True)


def test_a_card_shows_no_headline_of_other_runs(browser):
    made = factories.mpm_experiment()
    html(browser, made.get_absolute_url())
    ingest.changes.rename_config(made.configs.all()[0], "another name")
    assert "badge" not in html(browser, "/")
    html(browser, made.get_absolute_url())
    assert "badge failed" in html(browser, "/")


def test_cards_that_nobody_opened_get_theirs_from_a_worker(browser):
    factories.mpm_experiment()
    assert work_out_headlines() == 1
    assert "badge failed" in html(browser, "/")
    assert work_out_headlines() == 0


def test_the_card_of_an_upload_gets_its_headline_with_the_counts(browser):
    text = session(500, heading="prefork:") + session(700, heading="event:")
    assert browser.post("/api/v1/uploads/", data=text, content_type="text/plain").status_code == 201
    (summary,) = list_latest_experiments(1)
    assert summary.headline is None  # an upload does not wait for it
    tasks.apply_counter_deltas()
    home = html(browser, "/")
    told = browser.get(f"{summary.experiment.get_absolute_url()[:-1]}.json").json()["headline"]
    assert f"badge {told['outcome']}" in home and "event is 40 % ahead" in words(home)


@pytest.mark.parametrize(
    ("loads", "expected"),
    [
        (
            ("ab -n 9000 -c 10 http://web1:8001/", "ab -n 9000 -c 10 http://web1:8002/"),
            "./bd run --on web1 --until-sure --warmup 1 \\\n  --variant old -- {} \\\n  --variant new -- {}",
        ),
        (
            ("ab -n 9000 -c 10 http://web1/", "ab -n 9000 -c 10 http://web1/"),
            "./bd run --on web1 --until-sure --warmup 1 --before './switch-to \"$BD_VARIANT\"' \\\n"
            "  --variant old -- {} \\\n  --variant new -- {}",
        ),
    ],
    ids=["commands of their own", "one command"],
)
def test_one_line_runs_both_configs_again_and_records_what_is_missing(browser, loads, expected):
    made, text = factories.experiment("one run each"), factories.upload()
    told = {"tool": "ab", "complete_requests": 9000, "failed_requests": 0, "concurrency": 10}
    for name, rate, command in zip(("old", "new"), (100.0, 130.0), loads, strict=True):
        config = factories.config(made, name)
        took = 9000 / rate
        factories.run(config, text, repeat=1, requests_per_second=rate, duration_s=took, command=command, **told)
    page = html(browser, made.get_absolute_url())
    commands = [
        unescape(found) for found in re.findall(r'<div class="cmd"><code tabindex="0">(.*?)</code>', page, re.DOTALL)
    ]
    assert commands == [expected.format(*loads)]
    assert ("./switch-to</code> by the command" in page) == ("--before" in expected)
    assert "The command above records it." in page


def test_machines_that_loaded_themselves_are_loaded_again_by_ssh(browser):
    made, text = factories.experiment("two machines"), factories.upload()
    load = "ab -n 9000 -c 10 http://localhost/"
    hosts = [factories.host(name) for name in ("alpha", "beta")]
    for host, rate in zip(hosts, (100.0, 130.0), strict=True):
        told = {
            "complete_requests": 9000,
            "duration_s": 9000 / rate,
            "failed_requests": 0,
            "concurrency": 10,
            "hostname": "localhost",
        }
        config = factories.config(made, host.name)
        factories.run(config, text, repeat=1, requests_per_second=rate, command=load, host=host, **told)
    page = html(browser, made.get_absolute_url())
    (command,) = [
        unescape(found) for found in re.findall(r'<div class="cmd"><code tabindex="0">(.*?)</code>', page, re.DOTALL)
    ]
    variants = [f"--variant {host.name} -- ssh {host.name} {load}" for host in hosts]
    assert command.split(" \\\n  ")[1:] == variants
    assert "--before" not in command


@pytest.mark.parametrize(
    ("command", "options", "longer"),
    [
        ("ab -n 100 -c 10 http://web1/100", {"requests": 100, "concurrency": 10}, "ab -n 3200 -c 10 http://web1/100"),
        ("wrk -c10 -d1s http://web1/", {"duration_s": 1.0, "concurrency": 10}, "wrk -c10 -d32s http://web1/"),
        ("siege -r=2 http://web1/", {"repeats_each": 2}, "siege -r=64 http://web1/"),
        ("ab -n 10 -c 10 http://web1/", {"requests": 10, "concurrency": 10}, ""),
        ("ab -n 1k http://web1/", {"requests": 1000}, ""),
        ("ab -n 100 -t 5 http://web1/", {"requests": 100, "duration_s": 5.0}, ""),
        ("ab http://web1/", {}, ""),
    ],
)
def test_a_command_is_made_longer_where_it_is_plain_which_word_says_how_long(command, options, longer):
    assert lengthen(command, options, 31.6) == longer


def test_what_to_type_next_for_short_runs_makes_them_longer(browser):
    made, text = factories.experiment("short"), factories.upload()
    told = {"tool": "ab", "complete_requests": 100, "failed_requests": 0, "concurrency": 1}
    for name, rate, seconds in (("old", 200.0, 0.5), ("new", 250.0, None)):  # 100 requests at 250 a second
        config = factories.config(made, name)
        command = f"ab -n 100 http://{name}/"
        factories.run(config, text, repeat=1, requests_per_second=rate, duration_s=seconds, command=command, **told)
    page = html(browser, made.get_absolute_url())
    (command,) = [
        unescape(found) for found in re.findall(r'<div class="cmd"><code tabindex="0">(.*?)</code>', page, re.DOTALL)
    ]
    assert (
        "--repeat 4 " in command and "-- ab -n 2500 http://old/" in command and "-- ab -n 2500 http://new/" in command
    )


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("ab -n 9 http://web1/?a=1", "ab -n 9 http://web1/?a=1"),
        ("for i in 1 2; do ab -n 9 http://web1/ | grep Req; done", "ab -n 9 http://web1/"),
        ("cd bench && wrk -c 4 'http://web1/?a=1&b=2' > out.txt 2>&1", "wrk -c 4 'http://web1/?a=1&b=2'"),
        ("time (siege -c 5 -H 'A: b;c' web1/) 2>/dev/null", "siege -c 5 -H 'A: b;c' web1/"),
        ("ab -n 9 web1/ | tail", ""),
        ('echo "GET http://web1/" | vegeta attack -duration=5s', ""),
        ("for c in 1 2; do ab -c $c http://web1/; done", ""),
        ("ab -n 9 'http://web1/ | tail", ""),
    ],
)
def test_a_command_to_type_again_is_without_the_loop_and_the_pipe_around_it(line, command):
    assert take_command(line) == command
