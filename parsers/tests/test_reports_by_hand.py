"""Reports that somebody made Markdown of, or of which two were printed at once. All texts are made up."""

from __future__ import annotations

import pytest

import parsers

from .reading import FIXTURES

REPORT = (FIXTURES / "ab/ab_01_plain.txt").read_text()


def read(text: str) -> list[parsers.Block]:
    return list(parsers.read(text.split("\n")))


def test_a_report_as_titles_and_items_in_bold_is_one_report():
    text = "\n".join(
        (
            "### This is ApacheBench, Version 2.3 <$Revision: 1901567 $>\n\n#### Finished 76 requests\n",
            "- Server Hostname: 127.0.0.1\n- **Concurrency Level: 10**\n- **Time taken for tests: 10.313 seconds**",
            "- **Complete requests: 76**\n- Failed requests: 0\n- **Requests per second: 7.37 [#/sec] (mean)**",
            "- Transfer rate:\n  - 549.92 [Kbytes/sec] received\n  - 370.52 kb/s sent\n",
            "### Percentage of the requests served within a certain time (ms)\n\n50% 1181\n66% 1249\n100% 1898\n",
        )
    )
    (block,) = read(text)
    assert block.problems == []
    figures = ("concurrency", "complete_requests", "requests_per_second", "transfer_rate_sent_kbytes_per_s")
    assert [block.values[name] for name in figures] == [10, 76, 7.37, 370.52]
    assert block.values["percentiles_ms"] == {"50": 1181, "66": 1249, "100": 1898}


@pytest.mark.parametrize(
    ("printed", "rate", "seconds"),
    [
        ("17.28184", "587.26", 17.028184),
        ("3.90180", "3236.06", 3.09018),
        ("4.281", "2499.82", 4.000281),
        ("8.100", "1234.57", 8.1),
    ],
)
def test_microseconds_that_ab_2_0_prints_without_their_zeros_have_these(printed, rate, seconds):
    text = f"Time taken for tests:   {printed} seconds\nComplete requests:      10000\n"
    (block,) = read(f"{text}Requests per second:    {rate} [#/sec] (mean)\n")
    assert block.values["time_taken_s"] == seconds


def test_times_of_a_load_that_ran_at_once_with_another_are_no_run():
    report = REPORT[REPORT.index("Server Software") :]
    tables = report.index("Connection Times")
    first, second, late = read(f"{report[:tables].rstrip()}\n{report}\n{report[tables:]}")
    assert [len(block.load_results) for block in (first, second, late)] == [1, 1, 0]
    assert "percentiles_ms" not in first.values and "percentiles_ms" in second.values
    assert [problem.line for problem in late.problems] == [late.first]


def test_the_times_of_a_report_alone_are_a_part_of_one():
    (block,) = read(REPORT[REPORT.index("Connection Times") :])
    assert len(block.load_results) == 1


def test_a_remark_right_behind_a_host_is_none_of_its_name():
    text = REPORT.replace("localhost\n", "192.168.1.106(服务器主机名)\n").replace("localhost", "192.168.1.106")
    (block,) = read(text)
    assert block.values["server_hostname"] == "192.168.1.106"


def test_the_title_that_autocannon_prints_behind_the_address_labels_its_report():
    report = "Running 5s test @ http://localhost:3004 ({name})\n100 connections\n\nStat         Avg     Stdev   Max\n"
    report += "Latency (ms) 4.15    11.56   218.03\nReq/Sec      23472.8 3568.24 25550\n\n"
    report += "117k requests in 5s, 25.4 MB read ({name})\n"
    found = read(report.format(name="express") + "\n" + report.format(name="ritley"))
    assert [(block.kind, block.label, "title" in block.values) for block in found] == [
        ("autocannon", "express", False),
        ("autocannon", "ritley", False),
    ]


def test_a_mean_rate_that_bombardier_printed_counts_where_it_is_quoted_alone():
    (block,) = read("bombardier.exe -c400 -d30s http://10.0.0.1:80\nReqs/sec      5639.01\n")
    assert [result.requests_per_second for result in block.load_results] == [5639.01]


def test_an_aborted_run_counts_without_its_banner():
    error, total = "apr_socket_recv: Connection reset by peer (104)", "Total of 5 requests completed"
    for text in (f"{error}\n{total}\n", f"$ ab -n 9 http://a/\n{error}\n", f"## nginx\n\n{total}\n"):
        (block,) = read(f"Some prose\n\n{text}\nMore prose\n")
        (result,) = block.load_results
        assert (result.aborted, block.partial, block.problems) == (True, False, [])
        assert block.values.get("error", error) == error and block.values.get("complete_requests", 5) == 5
    assert read(f"I always get this:\n\n{error}\n\nWhy is that?\n") == []


def test_a_siege_whose_figures_are_items_of_a_list_is_one_run():
    banner = "** SIEGE 4.0.4\n** Preparing 20 concurrent users for battle.\nThe server is now under siege...\n"
    items = "- Transactions:\t\t 4210 hits\n- Availability:\t\t 100.00 %\n- Elapsed time:\t\t 29.61 secs\n"
    (block,) = read(
        f"{banner}Lifting the server siege...      done.\n\n{items}- Transaction rate:\t 142.18 trans/sec\n"
    )
    assert block.problems == []
    assert [block.values[name] for name in ("users", "transactions", "transaction_rate")] == [20, 4210, 142.18]


def test_the_version_of_ab_is_no_run():
    banner = "This is ApacheBench, Version 2.3 <$Revision: 655654 $>"
    assert read(f"$ ab -V\n{banner}\nCopyright 1996 Adam Twiss\n") == []
    assert [block.kind for block in read(f"$ ab -n 9 http://a/\n{banner}\n")] == ["ab"]


def test_a_rate_of_a_sentence_that_was_not_read_is_a_problem():
    (block,) = read("We tried both on Friday. Express did about 1200 req/s, Fastify was more like 1500 req/s.\n")
    assert (block.label, block.values["requests_per_second"]) == ("Express", 1200)
    assert [problem.message for problem in block.problems] == ["a rate that was not read: '1500 req/s'"]


def test_a_line_of_a_rate_alone_that_is_not_read_is_a_problem():
    wrk = "Running 30s test @ http://h/\n  2 threads and 10 connections\n  900 requests in 30.0s, 1MB read\nRequests/sec: 30.00\n"
    above, below = (
        "## nginx\n\nRequests per second: 124000\n\n",
        "## apache\n\n**70,920 req/s**\n\n30 req/s\n\nlimit: 50 req/s\n\n1. RPS\n",
    )
    (block,) = read(f"{above}## caddy\n\n{wrk}\n{below}")
    assert [(problem.line, problem.message.partition(";")[0]) for problem in block.problems] == [
        (3, "a rate that was not read: 'Requests per second: 124000'"),
        (14, "a rate that was not read: '**70,920 req/s**'"),
    ]
    assert "expected the tool's report, or a list or a table" in block.problems[0].message


def test_the_row_of_sieges_transaction_rates_is_of_rates():
    text = "|  | Default | Optimised | Difference |\n|---|---|---|---|\n| Response time | 5.18 | 4.76 | - 0.42 |\n"
    found = read(f"{text}| Transaction rate | 9.23 | 10.12 | + 0.89 |\n")
    assert [(block.label, block.values["requests_per_second"]) for block in found] == [
        ("Default", 9.23),
        ("Optimised", 10.12),
    ]


LISTED = (
    "nginx\nRequests per second:    247.30 [#/sec] (mean)\nRequests per second:    249.30 [#/sec] (mean)\n\ncaddy\n"
)
LISTED += "Requests per second:    347.30 [#/sec] (mean)\nRequests per second:    349.30 [#/sec] (mean)\n"


@pytest.mark.parametrize("form", ["{:6}\t{}", "{:3}  {}", "{:4} {}", "{}: {}", "{:2} | {}"])
def test_rates_behind_line_numbers_are_no_rates_of_these_numbers(form):
    """ "2  Requests per second: 247.30" was 2 requests per second."""
    numbered = "\n".join(form.format(n, line) for n, line in enumerate(LISTED.split("\n"), 1))
    found = [(block.kind, block.heading, block.load_results[0].requests_per_second) for block in read(numbered)]
    assert found == [("ab", "nginx", 247.3), ("ab", "nginx", 249.3), ("ab", "caddy", 347.3), ("ab", "caddy", 349.3)]


def test_numbers_before_rates_alone_are_their_labels():
    text = "".join(
        f"{n}: Requests per second:    {rate} [#/sec] (mean)\n" for n, rate in ((1, 247.3), (2, 251.3), (3, 249.3))
    )
    assert [((block.label or "").rstrip(":"), block.load_results[0].requests_per_second) for block in read(text)] == [
        ("1", 247.3),
        ("2", 251.3),
        ("3", 249.3),
    ]


def test_rules_between_the_rows_of_a_report_part_no_runs():
    rows = (
        "Requests      [total, rate, throughput]\n250, 50.20, 50.18",
        "Duration      [total, attack, wait]\n4.982s, 4.98s, 1.9ms",
        "Latencies     [min, mean, 50, 90, 95, 99, max]\n1.1ms, 1.9ms, 1.8ms, 2.2ms, 2.4ms, 3.9ms, 9.1ms",
        "Success       [ratio]\n100.00%\n",
    )
    (block,) = read(f"\n{'-' * 30}\n".join(rows))
    assert (block.values["throughput_per_s"], block.values["latencies_ms"]["99"], block.values["success_pct"]) == (
        50.18,
        3.9,
        100,
    )


@pytest.mark.parametrize(
    "line",
    [
        "**Requests per second:** 2661.16 [#/sec] (mean)",
        "Requests per second: **2661.16 [#/sec]** (mean)",
        "`Requests per second:    2661.16 [#/sec] (mean)`",
        "Requests/sec:   **2661.16**",
    ],
)
def test_rates_in_bold_or_as_code_are_read(line):
    (block,) = read(f"# nginx\n\n{line}\n")
    assert (block.values["requests_per_second"], block.problems) == (2661.16, [])


@pytest.mark.parametrize(
    ("latency", "rates", "wanted"),
    [
        ("1.02ms    -nanus   1.02ms  100.00%", "10.00      -nan    10.00    100.00%", (1.02, 1.02, 10, 10)),
        ("-nanus    -nanus   0.00us    -nan%", "-nan      -nan     0.00      -nan%", (None,) * 4),
    ],
)
def test_the_mean_and_the_longest_beside_a_deviation_that_is_no_number_are_read(latency, rates, wanted):
    text = f"  2 threads and 10 connections\n    Latency   {latency}\n    Req/Sec   {rates}\nRequests/sec:      0.20\n"
    (block,) = read(f"$ wrk http://h/\nRunning 10s test @ http://h/\n{text}")
    names = ("latency_mean_ms", "latency_max_ms", "thread_rps_mean", "thread_rps_max")
    assert (tuple(map(block.values.get, names)), block.problems) == (wanted, [])


@pytest.mark.parametrize(
    ("report", "rate", "rounded"),
    [
        ("ab/ab_01_plain.txt", "280.44", "280"),
        ("siege/siege_01_text.txt", "20.79", "21"),
        ("wrk/wrk_02_latency.txt", "3275.86", "3276"),
        ("hey/hey_01.txt", "506.0804", "506"),
        ("oha/oha_01.txt", "8374.6098", "8375"),
        ("h2load/h2load_01.txt", "1849.88", "1850"),
    ],
)
def test_a_rate_that_somebody_rounded_is_read(report, rate, rounded):
    (block,) = read((FIXTURES / report).read_text().replace(rate, rounded))
    assert block.problems == []
    assert [result.requests_per_second for result in block.load_results] == [float(rounded)]


def test_a_name_in_brackets_before_a_rate_is_its_label():
    found = read("[run #1] Requests/sec: 1001.25\n[nginx] Requests per second:    902.25 [#/sec] (mean)\n")
    assert [(block.kind, block.label, block.load_results[0].requests_per_second) for block in found] == [
        ("unknown", "run #1", 1001.25),
        ("ab", "nginx", 902.25),
    ]


@pytest.mark.parametrize("before", ["[INFO]", "[10s]"])
def test_a_log_level_or_a_time_in_brackets_names_no_rate(before):
    """Rates at times may be those of one load test."""
    (block,) = read(f"{before} Requests/sec: 1001.25\n")
    assert not block.values
    assert [problem.message for problem in block.problems] == ["a rate that was not read: 'Requests/sec: 1001.25'"]


@pytest.mark.parametrize("command", ["$ sysbench --mysql-host=db1 oltp_insert prepare\n", ""])
def test_what_prepares_a_test_of_sysbench_is_no_run_also_where_it_fails(command):
    error = "FATAL: Cannot find benchmark 'prepare': no such built-in test, file or module"
    error = "FATAL: unable to connect to MySQL server on host 'db1'" if command else error
    text = f"{command}sysbench 1.1.0-a4938af (using bundled LuaJIT 2.1.0-beta3)\n\n{error}\n"
    assert [block.load_results for block in read(text)] == [[]]
