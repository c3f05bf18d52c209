"""Rates that somebody states in a form that no format reads: each is a problem of its line. All made."""

from __future__ import annotations

import pytest

from .reading import FIXTURES, blocks, text_of

REPORT = text_of(FIXTURES / "ab" / "ab_01_plain.txt").rstrip()  # of 280.44 requests per second
N_LINES = REPORT.count("\n") + 1

STATED = """QPS: 900
TPS = 900
rps 900
RPS: -900
qps=900
rps=900 p99=12ms errors=0
level=info msg=done rps=900.1 p99=12ms
{"requests_per_second": 900}
  "requests_per_second": 900.5,
requests_per_second: 900
"qps": {"mean": 900.1}
bench_requests_per_second{server="nginx"} 900.1
900 hits/s
900 rps
900 r/s
0.9k req/s
90krps
we got about 900 requests a second
We measured 900 requests per second with caddy.
It handled roughly 900 req/s.
the rate dropped from 1200 to 900 req/s
boom says the rps is **402**
Throughput: 900 req/s
Rate: 900/s
req/s: 900
| rps | 900 |
| Requests per second: | 900 |
<td>Requests per second:</td><td>900</td>
rps => 900
RPS ≈ 900
nginx: 900 req/s
caddy 900 req/s (second run)
avg rps: 900
mean QPS 900
Average requests per second: 900.10
Requests per second (mean): 900
QPS：900
每秒请求数: 900
900 requêtes par seconde
900 Anfragen pro Sekunde
900 запросов в секунду
54000 req/min
Transaction rate: 900
Requests per second:   -900.10 [#/sec] (mean)
<th>Requests per second</th>""".splitlines()

NOT_MEASURED = """limit_req_zone $binary_remote_addr zone=one:10m rate=10r/s;
  rate: 10r/s
rate limit of 900 req/s
we expect 900 rps
Target RPS: 900
max_rps: 900
rps_limit=900
the goal is 900 req/s
The server should handle 900 requests per second.
up to 900 req/s
npx loadtest -c 10 --rps 900 http://x/
127.0.0.1 - - [10/Oct/2020:13:55:36 +0000] "GET /?rps=900 HTTP/1.1" 200 12
production sees 900 req/s
vendors claim 900 req/s
300 req/s faster than before
Uptime: 90  Threads: 2  Questions: 81  Queries per second avg: 900.5
instantaneous_ops_per_sec:900
900 rps per pod
Requests per second: XX
tps rd_sec/s wr_sec/s
sda 900.00 r/s
900 packets/s
requests: 900
fps: 900
In 2019 we had 900 req/s
QPS: 64 threads
1200 rps -> 72000 rpm, at most""".splitlines()


def find_problem_lines(text):
    return [problem.line for block in blocks(text) for problem in block.problems]


@pytest.mark.parametrize("line", STATED)
def test_a_rate_that_is_stated_beside_a_report_is_a_problem_of_its_line(line):
    assert find_problem_lines(f"{REPORT}\n\n{line}\n")[-1:] == [N_LINES + 2]
    found = blocks(f"{line}\n\n{REPORT}\n")  # a sentence may be read: what relates the blocks tells of it
    assert found[0].kind == "rate_prose" or 1 in [problem.line for block in found for problem in block.problems]


@pytest.mark.parametrize("line", NOT_MEASURED)
def test_what_is_no_measured_rate_is_no_problem(line):
    assert find_problem_lines(f"{REPORT}\n\n{line}\n") == []


@pytest.mark.parametrize(
    "line",
    ["QPS: 280", "280.44 req/s", "about 300 requests a second", "it served about 280 req/s", "mean of both: 290 req/s"],
)
def test_the_rate_of_a_report_is_none_of_its_own(line):
    other = REPORT.replace("280.44", "301.02")
    assert find_problem_lines(f"{line}\n\n{REPORT}\n\n{other}\n\n{line}\n") == []


def test_rates_below_a_title_of_goals_are_not_measured():
    assert find_problem_lines(f"{REPORT}\n\n## Targets\n\n- Search: 900 req/s\n") == []
    assert find_problem_lines(f"{REPORT}\n\n## Results\n\n- Search: 900 req/s\n") == [N_LINES + 4]


def test_a_text_of_one_rate_alone_says_what_was_expected():
    (block,) = blocks("This is what I got:\n\n900 req/s\n")
    assert (block.kind, block.values) == ("unknown", {})
    assert "expected the tool's report" in block.problems[0].message
    assert blocks("At night the rate dropped from 1200 to 900 req/s.\n") == []


def test_many_stated_rates_are_listed_up_to_a_limit():
    lines = find_problem_lines(f"{REPORT}\n" + "".join(f"step {n}: {1000 + n} req/s\n\nthen\n" for n in range(300)))
    assert len(lines) == 201


def test_rows_of_html_on_several_lines_are_a_problem_with_what_was_expected():
    cells = "<table>\n<tr>\n<th>Server</th>\n<th>Requests per second</th>\n</tr>\n<tr>\n<td>nginx</td>\n<td>900.5</td>\n</tr>\n"
    for text, line in ((cells, 4), (cells.replace("\n", "") + "\n", 1)):
        (block,) = blocks(text)
        assert [problem.line for problem in block.problems] == [line]
        assert "each row (<tr>) on a line of its own" in block.problems[0].message


@pytest.mark.parametrize("figure", ["12 345.67", "12\u202f345.67", "12'345.67", "12’345.67"])
@pytest.mark.parametrize(("case", "rate"), [("ab/ab_01_plain", "280.44"), ("siege/siege_02_b_t", "692.00")])
def test_thousands_that_somebody_set_apart_are_no_figure_of_two_digits(case, rate, figure):
    text = text_of(FIXTURES / f"{case}.txt")
    assert text.count(rate) == 1
    (block,) = blocks(text.replace(rate, figure))
    assert [result.requests_per_second for result in block.load_results] == [12345.67]


def test_figures_in_scientific_notation_and_below_nought_in_a_table():
    found = blocks("| server | rps |\n|---|---|\n| nginx | 1.25e+04 |\n| caddy | 8.0E2 |\n| apache | -900 |\n")
    assert [block.values["requests_per_second"] for block in found] == [12500, 800]
    assert [(problem.line, problem.message) for block in found for problem in block.problems] == [
        (5, "'-900': expected a rate")
    ]


def test_rates_behind_the_counts_of_uniq():
    line = "      1 Requests per second:    {} [#/sec] (mean)\n"
    found = blocks(line.format(900.10) + line.format(950.10))
    assert [block.load_results[0].requests_per_second for block in found] == [900.1, 950.1]


@pytest.mark.parametrize(
    ("line", "n"),
    [
        ("- Requests/sec: **1247** (target: 1000+)", 1),
        ("- req/s: **50+** (sustained)", 0),
        ('  "requests_per_second": -1,', 0),
        ("wrk says the qps is 1357.06", 1),
    ],
)
def test_marks_beside_a_stated_rate(line, n):
    assert len(find_problem_lines(f"{REPORT}\n\nOn the same machine\n{line}\n")) == n or blocks(line)[0].load_results


def test_a_section_of_a_chapter_of_goals():
    goals = "## Performance targets\n\n### Search\n\n- req/s: **900**\n"
    assert find_problem_lines(f"{REPORT}\n\n{goals}") == []
    assert len(find_problem_lines(f"{REPORT}\n\n{goals}\n## Results\n\n### Search\n\n- req/s: **900**\n")) == 1


def test_a_table_of_tabs_with_repeats_and_a_run_that_failed():
    rows = "".join(f"bottle\t{clients}\t{n}\t{clients * 10 + n}.5\t2\n" for clients in (4, 64) for n in (1, 2))
    found = blocks(f"server\tconc\trep\treqs_per_sec\trs.min\n{rows}bottle\t64\t3\t\t\nflask\t64\t1\t900.5\t3\n")
    assert [(b.label, b.values["concurrency"], b.values["requests_per_second"]) for b in found] == [
        *(("bottle", clients, clients * 10 + n + 0.5) for clients in (4, 64) for n in (1, 2)),
        ("flask", 64, 900.5),
    ]
    assert not any("load" in block.values for block in found)


def test_rows_behind_those_that_are_read_are_a_problem():
    rows = "".join(f"server{n}\t{n}00.5\n" for n in range(1, 211))
    found = blocks(f"server\treqs_per_sec\n{rows}")
    assert [problem.line for block in found for problem in block.problems] == [202]


@pytest.mark.parametrize(("figure", "tool"), [("900.55", "wrk"), ("**900**", "wrk"), ("900.5512", "unknown")])
def test_a_line_that_only_one_tool_s_report_above_has_is_of_that_tool(figure, tool):
    wrk = text_of(FIXTURES / "wrk" / "wrk_01.txt")
    found = blocks(f"# nginx\n\n{wrk}\n# caddy\n\nRequests/sec: {figure}\n")
    assert [block.load_results[0].tool for block in found] == ["wrk", tool]


def test_a_line_that_two_tools_reports_have_is_of_no_known_tool():
    reports = text_of(FIXTURES / "wrk" / "wrk_01.txt") + "\n" + text_of(FIXTURES / "hey" / "hey_01.txt")
    assert blocks(f"{reports}\n# caddy\n\nRequests/sec: 900\n")[-1].load_results[0].tool == "unknown"


@pytest.mark.parametrize(
    ("columns", "n"),
    [
        ("  1539.74 trans/sec    1605.30 trans/sec", 1),  # three reports side by side, of which the first is read
        ("", 0),
        ("  (was 1539.74 trans/sec)", 0),
        ("  19.58 MB/sec", 0),
    ],
)
def test_further_columns_of_reports_side_by_side_are_a_problem_of_their_line(columns, n):
    """Made, but for the shape of the first."""
    text = f"Transactions:\t\t   12559 hits\nElapsed time:\t\t   9.24 secs\nTransaction rate:\t  1359.20 trans/sec{columns}\n"
    problems = [problem for block in blocks(text) for problem in block.problems]
    assert [(problem.line, problem.message) for problem in problems] == [
        (3, "a rate that was not read: '1539.74 trans/sec'")
    ] * n


@pytest.mark.parametrize(
    "line",
    [
        "RequestsPerSecond:           118,832",
        "Throughput 48.46 RPS, time-consuming 26.001 s, time per request 260.015 ms",
        "  1. 162,94 Requests/s, 250 Concurrency: apache2-mpm-prefork + php-apc",
    ],
)
def test_an_exact_rate_is_told_also_where_nothing_else_was_read(line):
    (block,) = blocks(f"Some notes on a server\n{line}\n")
    assert [problem.line for problem in block.problems] == [2] and not block.values
    assert blocks("Some notes on a server\nRequests per second: 100\n") == []
