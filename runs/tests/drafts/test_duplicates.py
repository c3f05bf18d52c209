"""Which prints are one and the same, and which only look alike."""

from __future__ import annotations

import pytest

from .documents import FIXTURES, expand, read


def placed(*parts: str) -> list[tuple[str, int]]:
    """(key, number of quotes) of each run and capture."""
    _, draft = read(expand("\n\n".join(parts)))
    runs = [(run.key, len(run.quotes)) for experiment in draft.experiments for run in experiment.runs]
    return runs + [(c.key, len(c.quotes)) for experiment in draft.experiments for c in experiment.captures]


def test_a_line_quotes_the_report_wherever_it_stands():
    assert placed("nginx", "@line 1.5", "nginx", "@ab 1.5", "nginx: Requests per second:    1.5 [#/sec] (mean)") == [
        ("b1", 2)
    ]


def test_a_report_printed_twice_is_one_run():
    assert placed("English", "@siege 7.25", "Deutsch", "@siege 7.25") == [("b0", 1)]


@pytest.mark.parametrize(("names", "n"), [(("nginx", "apache"), 1), (("nginx", "nginx"), 0)])
def test_a_copy_under_a_heading_without_a_report_of_its_own_is_told(names, n):
    blocks, _ = read(expand("\n\n".join(f"## {name}\n\n@ab 900.1" for name in names)))
    told = [(problem.line, problem.message) for block in blocks for problem in block.problems]
    assert told == [(54, "all figures of this report are those of the one in line 3: it counts once")][:n]


def test_copies_that_stand_as_repeats_below_one_heading_are_told_with_their_lines():
    """Made."""
    blocks, draft = read(expand("## nginx\n\n" + "@ab 900.1\n\n" * 3))
    told = [(problem.line, problem.message) for block in blocks for problem in block.problems]
    message = "the report in line 3 stands again in lines 52 and 101, digit for digit: it counts once"
    assert told == [(52, message)]
    assert [run.key for run in draft.experiments[0].runs] == ["b0"]
    assert blocks[0].values["copies"] == [52, 101]


def test_equal_lines_under_two_headings_are_two_runs():
    assert placed("nginx", "@line 1.5", "Apache", "@line 1.5") == [("b0", 0), ("b1", 0)]


def test_reports_of_one_rate_that_differ_otherwise_are_two_runs():
    assert placed("nginx", "@ab 1.5", "Apache", "@ab 1.5 server=Apache/2.4.57") == [("b0", 0), ("b1", 0)]


COMMAND = "$ ab -n 500 -c 10 http://localhost/page.html\n@ab 250 n=500"


def test_two_equal_reports_behind_a_command_each_are_two_runs():
    assert placed("## nginx", COMMAND, "## apache", COMMAND) == [("b0", 0), ("b1", 0)]
    assert placed(COMMAND, COMMAND.replace("-c 10", "-c 10 -k")) == [("b0", 0), ("b1", 0)]


def test_a_text_pasted_again_with_its_commands_quotes_the_first_one():
    text = ["## nginx", COMMAND, "## apache", COMMAND.replace("250", "125")]
    assert placed(*text, *text) == [("b0", 1), ("b1", 1)]


def test_a_later_report_without_a_command_quotes_the_first_one():
    assert placed("## nginx", COMMAND, "## apache", COMMAND, "## Summary", "@ab 250 n=500") == [("b0", 1), ("b1", 0)]
    assert placed(COMMAND, "So nginx did well:", "@line 250") == [("b0", 1)]


def test_a_report_takes_what_it_lacks_from_the_command_of_its_quote():
    report = "@siege 8.96"
    blocks, draft = read(expand("\n\n".join((report, "Each was run like this: siege -c 20 -b http://x.lan/", report))))
    (run,) = draft.experiments[0].runs
    assert run.key == "b0"
    assert blocks[0].load_results[0].concurrency == 20


def test_a_report_quoted_in_prose_with_its_command_is_one_run():
    exact, command = "@ab 345.67 n=500", "$ ab -n 500 -c 10 http://localhost/page.html"
    first = ("## nginx", f"{command}\n{exact}", "## apache", f"{command}\n@ab 300.51 n=500")
    assert placed(*first, "As I said, this is what it did:", f"{command}\n{exact}") == [("b0", 1), ("b1", 0)]
    assert placed(*first, "## caddy", f"{command}\n{exact}") == [("b0", 1), ("b1", 0)]


def test_the_same_screen_twice_is_one_capture():
    assert placed("a", "@top 1.10 13:00:00", "b", "@top 1.10 13:00:00", "c", "@top 1.10 13:00:01") == [
        ("b0", 1),
        ("b2", 0),
    ]


@pytest.mark.parametrize(("before", "after"), [("$ cat /proc/meminfo", "$ cat /proc/meminfo"), ("Before:", "After:")])
def test_memory_that_is_shown_again_and_has_not_changed_is_another_sample(before, after):
    text = ("nginx", before, "@meminfo 2048000", "@ab 100.5", after, "@meminfo 2048000")
    assert placed(*text) == [("b1", 0), ("b0", 0), ("b2", 0)]


def test_a_row_of_a_listing_quotes_it():
    assert placed("short", "@ps nginx 1", "in full", "@ps nginx 5") == [("b1", 1)]


def test_a_quote_of_a_quote_is_of_the_full_print():
    assert placed("a", "@ps nginx 1", "b", "@ps nginx 3", "c", "@ps nginx 6") == [("b2", 2)]


def test_a_quote_of_lines_that_quote_a_report_is_of_the_report():
    """Found by make fuzz: such a text was not stored."""
    lines = "  Reqs/sec     52490.27    3847.50   60946.02\n  Latency        2.37ms     2.57ms    34.14ms"
    report = f"{lines.replace('3847.50', '3846.90')}\n  1xx - 0, 2xx - 100000, 3xx - 0, 4xx - 0, 5xx - 0\n  Throughput: 13.67MB/s"
    assert placed("a", lines, "a", report, "a", lines) == [("b1", 2)]


def test_a_listing_that_grew_is_another_sample():
    assert placed("$ ps aux | grep nginx", "@ps nginx 2", "$ ps aux | grep nginx", "@ps nginx 4") == [
        ("b0", 0),
        ("b1", 0),
    ]


def test_long_listings_that_differ_at_their_end_are_two():
    assert placed("before", f"@ps nginx 80\n{worker(500)}", "after", f"@ps nginx 80\n{worker(900)}") == [
        ("b0", 0),
        ("b1", 0),
    ]


def worker(rss: int) -> str:
    return f"www-data  999  0.2  0.2  11356  {rss} ?        S    13:02   0:01 nginx"


@pytest.mark.parametrize(
    ("listed", "placed"),
    [
        ((("gunicorn -b :8001", 1), ("waitress-serve --port 8002", 1)), ("", "")),
        ((("gunicorn -b :8001", 2),), ("b0", "c1")),
        ((("waitress-serve --port 8002", 2),), ("b1", "c2")),
        ((("memcached -m 64", 2),), ("b1", "c2")),  # of none, so of the last load test
    ],
)
def test_a_listing_behind_all_reports_is_of_the_side_whose_port_its_processes_have(listed, placed):
    servers = (("gunicorn", 8001), ("waitress", 8002))
    reports = "".join(
        f"$ ab http://localhost:{port}/\n@ab 10{at}.5 {name} {port}\n\n" for at, (name, port) in enumerate(servers)
    )
    rows = "".join(f"@ps {command!r} n={n}\n" for command, n in listed)
    text = f"Two servers side by side.\n\n{reports}$ ps aux\n{rows}"
    (capture,) = read(expand(text))[1].experiments[0].captures
    assert (capture.run, capture.config) == placed


VEGETA = (
    "Requests      [total, rate, throughput]         250, 50.20, 50.18\n"
    "Duration      [total, attack, wait]             4.982s, 4.98s, 1.9ms\n"
    "Latencies     [min, mean, 50, 90, 95, 99, max]  1.1ms, 1.9ms, 1.8ms, 2.2ms, 2.4ms, 3.9ms, 9.1ms\n"
)
EXPORT = (
    '{"latencies":{"total":475000000,"mean":1900000,"50th":1800000,"90th":2200000,"95th":2400000,"99th":3900000,"max":9100000,'
    '"min":1100000},"duration":4980000000,"wait":1900000,"requests":%d,"rate":50.2008,"throughput":%s,"success":1}'
)


@pytest.mark.parametrize(("export", "n"), [((250, 50.18163), 1), ((250, 50.28163), 2), ((251, 50.18163), 2)])
def test_the_json_that_a_tool_wrote_of_a_run_is_no_second_run(export, n):
    """Made: it has all digits, the text few of them. The pair that was met is of k6, in centminmod/k6-benchmarking."""
    assert len(placed("nginx", VEGETA, "$ cat nginx.json", EXPORT % export)) == n


@pytest.mark.parametrize(("quoted", "told"), [("3000.1", None), ("2500.1", 2500.1)])
def test_a_list_of_quotes_has_no_run_of_its_own_where_one_differs_from_its_report(quoted, told):
    rates = {"nginx": "1000.1", "Apache": "2000.1", "caddy": "3000.1"}
    quotes = [
        f"{name}: Requests per second:    {rate} [#/sec] (mean)" for name, rate in (rates | {"caddy": quoted}).items()
    ]
    text = "\n\n".join(["## Summary", *quotes, *(f"## {name}\n\n@ab {rate}" for name, rate in rates.items())])
    blocks, draft = read(expand(text))
    runs = draft.experiments[0].runs
    assert [(run.key, len(run.quotes)) for run in runs] == [("b3", 1), ("b4", 1), ("b5", 1)]
    assert [block.values.get("told_otherwise", {}).get("rate") for block in blocks[3:]] == [None, None, told]


def test_a_list_of_rates_is_of_other_runs_where_most_differ_from_the_reports():
    text = "\n\n".join(
        f"{name}: Requests per second:    {rate} [#/sec] (mean)" for name, rate in (("nginx", 10.1), ("caddy", 20.1))
    )
    assert placed(text, "## nginx\n\n@ab 10.1", "## caddy\n\n@ab 90.1")[0] == ("b1", 0)


def test_the_last_line_of_a_short_report_shown_above_it_quotes_it():
    report = (FIXTURES / "fortio/fortio_01_quoted.txt").read_text()
    assert placed("## no proxy", report.strip().rpartition("\n")[2], "CPU 97%", report) == [("b1", 1)]


@pytest.mark.parametrize(("rate", "n"), [("5280", 2), ("5.28k", 3)])
def test_a_row_repeats_another_table_s_where_all_digits_of_its_rate_are_written(rate, n):
    heading = "| Server | Requests/s |\n|---|---|\n"
    text = f"{heading}| a | 20246 |\n| b | {rate} |\n\n\n\nAll of them:\n\n{heading}| a | 20246 |\n| b | {rate} |\n"
    assert len(read(text)[1].experiments[0].runs) == n
