"""What a person finds on the pages."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from runs.models import Capture, Config, Experiment, Run
from runs.tests import factories
from runs.tests.pages.page_html import charts_of


def html(browser, url: str) -> str:
    response = browser.get(url)
    assert response.status_code == 200, url
    return str(response.content.decode())


def words(page: str) -> str:
    """The page's text without marks, blanks as one."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page))


def test_an_empty_home_teaches_the_exact_command(browser):
    page = words(html(browser, "/"))
    assert "--data-binary @log.txt" in page
    assert "http://testserver/api/v1/uploads/" in page
    assert "import_log session.txt" in page
    assert "None yet" in page


def test_home_names_all_that_is_read(browser):
    page = words(html(browser, "/"))
    assert all(kind in page for kind in ("ab_gnuplot", "k6", "server_status", "vmstat"))
    assert "ApacheBench's report" in page.replace("&#x27;", "'")


def test_home_shows_the_latest_experiments_with_a_picture_of_their_runs(browser):
    factories.mpm_experiment()
    page = html(browser, "/")
    assert "worker MPMとevent MPMの比較" in page
    assert page.count("<line") == 4
    assert "<b>29,220/s</b>" in page


def test_an_experiment_says_what_it_can_in_one_sentence(browser):
    page = words(html(browser, factories.mpm_experiment().get_absolute_url()))
    assert "event, keep-alive MPM failed 17.3 % of its requests" in page
    assert "event MPM is 55 % ahead" in page
    assert "172,849 of 1,000,000 requests failed" in page


def test_every_figure_links_to_its_line(browser):
    made = factories.mpm_experiment()
    run = made.runs.get(requests_per_second=17160.13)
    page = html(browser, made.get_absolute_url())
    link = rf'<a class="v" href="/uploads/{run.upload_id}/#L{run.line_first}"[^>]*><data value="17160.13">'
    assert re.search(link, page)


def test_repeats_are_all_shown_beside_their_mean(browser):
    page = html(browser, factories.wsgi_experiment().get_absolute_url())
    for exact in ("617.01", "878.81", "747.91", "722.23", "887.55"):
        assert f'<data value="{exact}' in page
    assert "n=2" in page


def test_nothing_of_a_page_is_an_inline_script(browser):
    page = html(browser, factories.wsgi_experiment().get_absolute_url())
    assert re.findall(r"<script([^>]*)>[^<]", page) == []
    assert " style=" not in page


def test_pages_without_a_chart_do_not_load_its_script(browser):
    factories.mpm_experiment()
    for url in ("/", "/runs/", "/hosts/", "/uploads/"):
        assert "plotly" not in html(browser, url)


def test_runs_of_siege_make_a_page_without_percentiles(browser):
    page = html(browser, factories.siege_experiment().get_absolute_url())
    assert "Availability" in page
    assert "latency" not in charts_of(page)
    assert "not alike" not in page


def test_memory_before_and_after_stands_in_the_table(browser):
    page = words(html(browser, factories.memory_experiment().get_absolute_url()))
    assert "Available memory MiB · before · after" in page
    assert "285 of 600 requests failed by length (47.5 %)" in page
    assert "the higher req/s may be no gain" in page


def test_names_from_a_text_cannot_become_markup(browser):
    made = factories.experiment("<script>alert(1)</script>")
    factories.run(factories.config(made, "</script><b>x"), factories.upload(), label="<img src=x>")
    for url in (made.get_absolute_url(), "/", "/runs/", "/experiments/"):
        page = html(browser, url)
        assert "<script>alert" not in page
        assert "</script><b>" not in page
        assert "<img src=x" not in page


def test_compare_takes_the_first_run_for_the_baseline(browser):
    made = factories.mpm_experiment()
    first, second = made.runs.get(requests_per_second=17160.13), made.runs.get(requests_per_second=11064.69)
    page = words(html(browser, f"/compare/?runs={second.pk},{first.pk}"))
    assert "event MPM is 55 % ahead" in page
    assert "B event MPM" in page
    both = words(html(browser, f"/compare/?configs={first.config_id},{second.config_id}"))
    assert "event MPM is 55 % ahead" in both


def test_compare_says_which_runs_do_not_exist_and_what_to_type(browser):
    made = factories.mpm_experiment()
    known = made.runs.first().pk
    assert "1 of the 2 requested runs exist" in html(browser, f"/compare/?runs={known},999999")
    assert "?runs=1,2,3" in html(browser, "/compare/")


@pytest.mark.parametrize("query", ["runs=a", "runs=1;2", "runs=-1", "runs=²", f"runs={'9' * 30}"])
def test_compare_refuses_what_is_no_list_of_numbers(browser, query):
    assert browser.get(f"/compare/?{query}").status_code == 404


def test_runs_are_filtered_sorted_and_ticked_for_comparison(browser):
    factories.mpm_experiment()
    factories.siege_experiment()
    page = html(browser, "/runs/?tool=siege&sort=-rps")
    assert page.index("292.56") < page.index("8.96")
    assert "17160" not in page
    assert 'name="runs"' in page
    assert "No run matches" in html(browser, "/runs/?q=nothing-like-it")


def test_the_list_of_runs_goes_on_without_a_gap_or_a_double(browser):
    made, text = factories.experiment(), factories.upload()
    setup = factories.config(made, "a")
    for number in range(120):
        factories.run(setup, text, requests_per_second=None if number % 5 == 0 else float(number % 7))
    for sort in ("-id", "id", "rps", "-rps"):
        seen, url = [], f"/runs/?sort={sort}"
        while url:
            page = html(browser, url)
            seen += re.findall(r'name="runs" value="(\d+)"', page)
            following = re.search(r'href="(\?[^"]*)" rel="next"', page)
            url = f"/runs/{following[1]}".replace("&amp;", "&") if following else ""
        wanted = 96 if "rps" in sort else 120  # one that says no rate has no place among rates
        assert len(seen) == len(set(seen)) == wanted, sort


def test_the_page_of_a_host_goes_on_through_its_experiments_without_a_gap_or_a_double(browser):
    machine, text = factories.host(), factories.upload()
    said = [factories.experiment(f"said {n}", host=machine) for n in range(20)]
    stood_in = [factories.experiment(f"stood in {n}", host=factories.host()) for n in range(20)]
    for each in (*stood_in, *said[::2]):
        factories.run(factories.config(each, "a"), text, host=machine)
    pages, url = [], machine.get_absolute_url()
    while url:
        page = html(browser, url)
        pages.append([int(pk) for pk in re.findall(r'class="name"><a href="/experiments/(\d+)/"', page)])
        following = re.search(r'href="(\?[^"]*)" rel="next"', page)
        url = machine.get_absolute_url() + following[1] if following else ""
    assert sum(pages, []) == sorted((each.pk for each in (*said, *stood_in)), reverse=True)
    assert [len(each) for each in pages] == [12, 12, 12, 4]
    assert "First page" in page


@pytest.mark.parametrize("after", ["x", ",", "1,", "a,1", "nan,1", "1,99999999999999999999"])
def test_a_page_key_of_nonsense_is_no_server_error(browser, after):
    factories.mpm_experiment()
    assert browser.get("/runs/", {"sort": "rps", "after": after}).status_code == 200


def test_pages_of_single_things_show_them(browser):
    made = factories.wsgi_experiment()
    run, capture = made.runs.first(), Capture.objects.first()
    assert "Requests per second" in html(browser, run.get_absolute_url())
    assert "httpd" in html(browser, capture.get_absolute_url())
    assert "Pentium(R) M" in html(browser, made.host.get_absolute_url())
    assert "WSGIApplicationGroup" in html(browser, made.configs.first().get_absolute_url())


def test_an_upload_has_an_anchor_for_every_line_and_says_what_each_became(browser):
    made = factories.mpm_experiment()
    run = made.runs.first()
    page = html(browser, f"/uploads/{run.upload_id}/")
    assert f'id="L{run.line_first}" class="t load' in page
    assert f'<a class="tag" href="/runs/{run.pk}/">' in page


def test_the_list_of_uploads_tells_what_each_was_stored_in(browser):
    made, gone = factories.experiment("gzip against brotli"), factories.experiment("in the bin")
    factories.upload(name="", placed={"experiments": {"e1": made.pk, "e2": gone.pk}})
    factories.upload(placed={})
    Experiment.objects.filter(pk=gone.pk).delete()
    page = html(browser, "/uploads/")
    assert f'<a class="muted" href="{made.get_absolute_url()}">gzip against brotli</a>' in page
    assert "in the bin" not in page


def test_one_config_has_no_section_of_what_differs(browser):
    made = factories.experiment("one config")
    factories.run(factories.config(made, "alone"), factories.upload())
    page = html(browser, made.get_absolute_url())
    assert "What differs" not in page and ">Differences<" not in page and "What was run, and where" in page


def test_an_upload_counts_only_what_it_became(browser):
    made = factories.mpm_experiment()
    page = html(browser, made.runs.first().upload.get_absolute_url())
    assert re.search(r"Contains 4 runs in\s+<a", page)
    assert "Contains no run and no capture; " in html(browser, factories.upload().get_absolute_url())


def test_a_long_upload_is_shown_in_parts_that_links_still_reach(browser):
    text = factories.upload("\n".join(f"line {n}" for n in range(1, 7001)))
    run = factories.run(factories.config(factories.experiment(), "a"), text, line_first=6500, line_last=6510)
    page = html(browser, run.experiment.get_absolute_url())
    assert f"/uploads/{text.pk}/?line=6500#L6500" in page
    part = html(browser, f"/uploads/{text.pk}/?line=6500")
    assert 'id="L6500"' in part
    assert 'id="L3000"' not in part
    assert len(re.findall(r"<li id=", part)) == 1000


@pytest.mark.parametrize("line", ["0", "-5", "x", "99999999999999999999", "7"])
def test_any_line_asked_for_gives_a_page(browser, line):
    assert browser.get(f"/uploads/{factories.upload().pk}/?line={line}").status_code == 200


def test_what_does_not_exist_is_not_found(browser):
    for kind in ("experiments", "runs", "hosts", "configs", "uploads", "captures"):
        assert browser.get(f"/{kind}/987654/").status_code == 404


def test_a_run_that_does_not_count_stays_visible_and_out_of_the_mean(browser):
    made = factories.wsgi_experiment()
    Run.objects.filter(requests_per_second=617.01).update(counted=False)
    page = html(browser, made.get_absolute_url())
    assert '<tr class="off">' in page
    assert '<data value="878.81">' in page
    assert '<data value="747.91' not in page


def test_an_experiment_without_runs_or_configs_is_still_a_page(browser):
    assert "No load test here" in html(browser, factories.experiment("empty").get_absolute_url())
    setup = factories.config(factories.experiment("monitors only"), "idle")
    factories.capture(setup, factories.upload(), phase="", metrics={"load1": 0.5, "mem_free_kb": 2048.0})
    page = words(html(browser, setup.experiment.get_absolute_url()))
    assert "Load, 1 minute" in page
    assert "Free memory MiB 2" in page
    bare = factories.run(setup, factories.upload(), requests_per_second=None)
    assert "None. Next time" in words(html(browser, bare.get_absolute_url()))


def test_monitors_of_no_config_are_shown_where_there_is_nothing_else(browser):
    made = factories.experiment("a free on its own")
    setup = factories.config(made, "to be deleted")
    factories.capture(setup, factories.upload(), phase="", metrics={"mem_free_kb": 2048.0})
    Capture.objects.update(config=None)
    setup.delete()
    assert "Free memory MiB 2" in words(html(browser, made.get_absolute_url()))


@pytest.mark.django_db
def test_a_form_without_its_cookie_says_how_to_send_it_again():
    response = Client(enforce_csrf_checks=True).post("/preview/", {"text": "ab"})
    page = words(response.content.decode())
    assert response.status_code == 403 and "benchdash" in page
    assert "Go back, copy what you typed, reload the page" in page


def test_runs_out_of_a_table_of_rates_are_not_called_by_a_tools_name(browser):
    for text in ("name,rps\nnginx,1234.5\napache,987.6\n", "caddy\nRequests/sec: 1111.5\n"):
        browser.post("/api/v1/uploads/", data=text, content_type="text/plain")
    urls = ["/runs/", *(row.get_absolute_url() for row in (*Experiment.objects.all(), *Run.objects.all()))]
    urls += [f"{made.get_absolute_url()}?format=md" for made in Experiment.objects.all()]
    shown = " ".join(words(html(browser, url)) for url in urls)
    assert "2 runs from a table of rates" in shown and "1 run of an unknown tool" in shown
    assert "Run 1 from a table of rates" in shown and "What the text says" in shown
    assert "rate_table" not in shown and "of unknown" not in shown


def test_the_page_of_a_text_of_more_than_a_thousand_configs_opens(browser):
    """Made: SQLite takes at most 1,000 terms of a condition, so the page of 1,600 configs answered 500."""
    text, owner = factories.upload(), factories.experiment()
    configs = Config.objects.bulk_create([Config(experiment=owner, name=f"c{n}", position=n) for n in range(1_001)])
    Run.objects.bulk_create(
        [
            Run(experiment=owner, config=each, upload=text, tool="ab", line_first=1, line_last=2, block_key=f"b{at}")
            for at, each in enumerate(configs)
        ]
    )
    assert "1,001 runs" in browser.get(text.get_absolute_url()).text
