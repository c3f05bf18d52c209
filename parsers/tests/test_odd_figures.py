"""Figures that no tool prints, where a tool prints figures: read to the end, and nothing that a database could not hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import parsers

from .reading import FIXTURES, blocks, captures, holds, text_of

FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
ODD = ["9" * 5000, "1" * 400, "9" * 310 + ".5", "1.2.3", "1e999", "1e308", "nan", "-inf", "٣", "²", "-1", ""]
ONE_A_FORMAT = [min(folder.glob("*_0*.txt")) for folder in sorted(FIXTURES.iterdir()) if any(folder.glob("*_0*.txt"))]
SMALL = [path for path in ONE_A_FORMAT if path.stat().st_size < 12_000]


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_every_figure_is_odd(path: Path):
    for odd in ODD:
        holds(FIGURE.sub(odd, text_of(path)).splitlines(keepends=True))


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_some_figures_are_odd(path: Path):
    text = text_of(path)
    matches = list(FIGURE.finditer(text))
    for at, odd in enumerate(ODD):
        for match in matches[at :: max(len(matches) // 4, 1)]:
            holds((text[: match.start()] + odd + text[match.end() :]).splitlines(keepends=True))


def test_a_rate_alone_below_a_block_whose_rate_is_a_text():
    machine = "Architecture:          x86_64\nCPU op-mode(s):        32-bit, 64-bit\nCPU(s):                1\n"
    rate = "Requests per second:    7211.87 [#/sec] (mean)\nVendor ID:             GenuineIntel\n70920 req/s\n"
    holds(f"{machine}{rate}".splitlines(keepends=True))


def test_a_line_of_figures_without_a_label_below_memory():
    """Found by make fuzz: a screen of top in which ":" begins the line behind that of memory, which raised."""
    top = "top - 13:37:20 up 4 days, 16:36,  2 users,  load average: 0.35, 0.21, 0.18\n"
    (block,) = blocks(f"{top}Mem:   2058892k total,  1969596k used,\n: 1 2 3 4\n")
    assert block.values["mem_total_kb"] == 2058892 and not block.problems


def test_a_last_line_of_many_numbers():
    assert blocks("1," * 30_000 + "1") == []


def test_a_heading_of_autocannon_that_is_no_per_cent():
    text = (
        text_of(FIXTURES / "autocannon" / "autocannon_06_german.txt")
        .replace("97.5%", "many%")
        .replace(" Stdev ", " Min   ")
    )
    for block in blocks(text):
        assert all(set(record.percentiles_ms) <= {"2.5", "50", "99", "100"} for record in block.records)


@pytest.mark.parametrize(
    "line",
    [
        "Darwin mac 18.7.0 Darwin Kernel Version 18.7.0: Sun Dec" + " " * 60_000 + "x",
        "NAME   CPU %   MEM %   " * 2_500,
        "\n".join(["NAME   CPU %   MEM %"] * 5_000),
        "Reply rate" + "," * 60_000,
        "Duration      [total, attack, wait]" + "," * 60_000,
        '"lscpu": [\n{\n' * 30_000,
    ],
    ids=["uname", "titles of containers", "the same, each on a line", "httperf", "vegeta", "lists of lscpu"],
)
def test_what_some_patterns_never_came_to_an_end_with(line):
    assert not any(len(block.values) > 3 for block in blocks(f"{line}\n"))


def test_an_opening_of_two_tools_whose_lines_are_neither_s():
    """The first format looks further and puts back what it saw; the second one begins at the opening line all the same."""
    text = "Summary:\n  Success rate: many\n  Total: long enough, and longer than the line that opens it\n"
    assert blocks(text + text) == []


def test_what_stands_below_such_a_report_is_read():
    text = text_of(FIXTURES / "hey" / "hey_01.txt")
    odd = text.replace("Requests/sec:\t", "Requests/sec:\t1.2.")
    assert odd != text
    assert [block.kind for block in blocks(f"{odd}\n{text}")][-1] == "hey"


def test_a_figure_without_end_is_told_as_a_problem():
    text = text_of(FIXTURES / "ab" / "ab_01_plain.txt")
    (block,) = blocks(re.sub(r"(Complete requests: +)\d+", rf"\g<1>{'9' * 5000}", text))
    assert "complete_requests" not in block.values
    assert "requests_per_second" in block.values
    assert any("complete_requests" in problem.message for problem in block.problems)


RATES = {
    "ab/ab_03_c1.txt": "Requests per second",
    "siege/siege_02_b_t.txt": "Transaction rate",
    "wrk/wrk_01.txt": "Requests/sec",
    "hey/hey_01.txt": "Requests/sec",
    "oha/oha_01.txt": "Requests/sec",
    "h2load/h2load_01.txt": "finished in",
    "httperf/httperf_01.txt": "Request rate",
    "vegeta/vegeta_01.txt": "Requests  ",
    "k6/k6_01_marks.txt": "http_reqs",
}
BEHIND = [
    "   <-- wow",
    " [QPS…]",
    "（QPS）",
    " # mine",
    " // 900 before",
    "^[[C",
    " (was 900.1)",
    "...",
    " 👍",
    "\x1b[C",
]
BEFORE = ["> ", "- ", "^[[C", "=> ", "**", "[1] ", "1: ", "INFO: ", "web_1  | ", "2024-01-01 10:00:00 ", "$ ", "\t"]


def rates(found):
    return [result.requests_per_second for block in found for result in block.load_results]


@pytest.mark.parametrize("case", RATES)
def test_a_rate_with_a_remark_is_read_or_told_of(case):
    lines = (FIXTURES / case).read_text().split("\n")
    wanted = rates(blocks("\n".join(lines)))
    at = next(i for i, line in enumerate(lines) if line.strip().startswith(RATES[case]))
    for remark in (*BEHIND, *BEFORE):
        changed = lines[at] + remark if remark in BEHIND else remark + lines[at]
        found = blocks("\n".join([*lines[:at], changed, *lines[at + 1 :]]))
        if remark in BEHIND:
            assert (rates(found), len(found)) == (wanted, 1), remark
        told = {problem.line for block in found for problem in block.problems}
        assert rates(found) == wanted or at + 1 in told, remark


def test_what_goes_on_with_a_figure_is_no_remark():
    text = (FIXTURES / "hey/hey_01.txt").read_text()
    for rest in (" 123", " k", ",5", " MB"):
        (block,) = blocks(text.replace("506.0804", f"506.0804{rest}"))
        assert "requests_per_second" not in block.values
        assert [problem.line for problem in block.problems] == [8]


def test_a_rate_that_no_block_has_is_a_problem_of_the_next_load_test_or_of_the_last_one():
    report = (FIXTURES / "ab/ab_03_c1.txt").read_text()
    stray = 'x = "Requests per second:    12.50 [#/sec] (mean)"\n'
    for text, line in ((stray + report, 1), (report + stray, report.count("\n") + 1)):
        (block,) = blocks(text)
        assert [problem.line for problem in block.problems] == [line]


def test_of_two_reports_printed_at_once_only_what_they_agree_on_is_read():
    one = text_of(FIXTURES / "ab/ab_03_c1.txt").rstrip().split("\n")[1:]
    two = [line.replace("157.54", "211.11").replace("50.77", "68.04") for line in one]
    (block,) = blocks(
        "\n".join(line for pair in zip(one, two, strict=True) for line in (pair if pair[0] else pair[:1]))
    )
    assert "requests_per_second" not in block.values
    assert block.values["server_hostname"] == "127.0.0.1"
    assert [problem.line for problem in block.problems] == [17, 40, 41]


def test_a_lone_rate_of_four_decimals_is_the_tools_whose_command_stands_above():
    line = "Requests/sec: 506.0804\n"
    assert [block.kind for block in blocks(f"$ hey -n 400 http://web1/\n{line}")] == ["hey"]
    assert [block.kind for block in blocks(line)] == ["unknown"]


@pytest.mark.parametrize(("case", "cut"), [("siege/siege_02_b_t.txt", 8), ("wrk/wrk_01.txt", 6), ("hey/hey_01.txt", 8)])
def test_a_report_that_is_cut_off_takes_no_figure_of_the_next(case, cut):
    lines = text_of(FIXTURES / case).rstrip().split("\n")
    found = blocks("\n".join([*lines[:cut], "", *lines[1:]]))
    assert found[0].last == cut
    (whole,) = blocks("\n".join(lines))
    assert found[-1].values == whole.values


def test_h2load_s_clients_are_those_of_all_its_threads_where_each_is_told():
    text = text_of(FIXTURES / "h2load" / "h2load_02_threads.txt")
    (block,) = blocks(text)
    assert block.load_results[0].concurrency == 32
    (block,) = blocks("\n".join(line for line in text.split("\n") if "thread #1" not in line))
    assert block.load_results[0].concurrency is None


def test_h2load_s_duration_is_without_its_warm_up():
    begins = "spawning thread #0: 4 total client(s). Timing-based test with 5s of warm-up time and 20s of main duration"
    text = f"""starting benchmark...
{begins} for measurements.
Warm-up started for thread #0.

finished in 25.03s, 500.00 req/s, 1.10MB/s
requests: 10000 total, 10000 started, 10000 done, 10000 succeeded, 0 failed, 0 errored, 0 timeout
"""
    (block,) = blocks(text)
    assert block.load_results[0].duration_s == 20
    assert block.load_results[0].concurrency == 4
    (block,) = blocks(text.replace(begins, "spawning thread #0: 4 total client(s). 10000 total requests"))
    assert block.load_results[0].duration_s == 25.03


def test_a_siege_that_was_copied_without_its_first_letter_begins_with_its_transactions():
    text = (
        "ransactions: 400 hits\nAvailability: 100.00 %\nElapsed time: 4.00 secs\nTransaction rate: 100.00 trans/sec\n"
    )
    (block,) = blocks(f"gin\n{text}")
    assert (block.load_results[0].complete_requests, block.label or block.trail[-1]) == (400, (1, "gin"))


def test_rewrk_s_announcement_of_a_round_is_part_of_its_report():
    report = text_of(FIXTURES / "rewrk" / "rewrk_01.txt").partition("\n\n")[2]
    block, *_ = blocks(f"Results for hyper:\nBeginning round 1...\n{report}")
    assert [text for _, text in block.trail] == ["Results for hyper:"]


def test_pgbench_s_report_without_its_first_lines_begins_with_its_mode_or_its_clients():
    """Cut to size by who posted it: the lines left out are the transaction type and the scaling factor."""
    clients = "number of clients: 90\nnumber of threads: 1\n"
    rest = "duration: 100 s\nnumber of transactions actually processed: 3215\nlatency average = 2824.063 ms\n"
    for lines in (f"query mode: simple\n{clients}", clients):
        (block,) = blocks(f"**No pool**\n\n{lines}{rest}tps = 31.868972 (including reconnection times)\n")
        assert [text for _, text in block.trail] == ["**No pool**"]
        assert block.load_results[0].concurrency == 90


def test_pgbench_s_report_without_its_first_lines_has_those_of_the_report_above_in_its_section():
    """Made of a report of 18.3. What stands below another heading may be of another database."""
    first = "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 1000\nnumber of clients: 32\n"
    rest = "duration: 600 s\nnumber of transactions actually processed: 1546357\nlatency average = 12.414 ms\n"
    rest += "tps = 2577.799610 (without initial connection time)\n"
    found = blocks(f"$ ./pgbench.sh\n{first}{rest}\n=== RUN 1 ===\n{rest}\n# Smaller\n\n{rest}")
    assert [block.values.get("scale") for block in found] == [1000, 1000, None]
    assert [block.load_results[0].concurrency for block in found] == [32, 32, None]


def test_h2load_s_requests_are_those_that_were_never_sent_too():
    lines = "finished in 83.14s, 14.43 req/s, 10.54KB/s\n"
    lines += "requests: 10000 total, 2080 started, 1200 done, 1200 succeeded, 8800 failed, 8800 errored, 0 timeout\n"
    (block,) = blocks(f"{lines}status codes: 1200 2xx, 0 3xx, 0 4xx, 0 5xx\n")
    (result,) = block.load_results
    assert (result.complete_requests, result.failed_requests) == (10000, 8800)


def test_pgbench_s_rate_has_the_time_to_connect_in_it_where_each_transaction_connects():
    reconnecting = blocks(text_of(FIXTURES / "pgbench" / "pgbench_10_old_reconnect.txt"))
    (kept,) = blocks(text_of(FIXTURES / "pgbench" / "pgbench_07_old.txt"))
    assert [
        (b.load_results[0].requests_per_second, b.load_results[0].keepalive) for b in [*reconnecting[:1], kept]
    ] == [
        (243.40584, False),
        (52.263582, None),
    ]
    assert not any(block.problems for block in [*reconnecting, kept])


def test_a_figure_without_end_that_a_colour_interrupts():
    text = text_of(FIXTURES / "bombardier" / "bombardier_01.txt")
    assert "Reqs/sec" in text
    endless = f"{'9' * 190}\x1b[31m{'9' * 190}"
    holds(re.sub(r"(Reqs/sec +[\d.]+ +)\d+", lambda found: found[1] + endless, text).splitlines(keepends=True))


def test_a_line_that_is_refused_goes_back_with_the_lines_that_were_joined_to_it():
    """Made: a second start of a run whose first one was read, broken over two lines."""
    text = (
        "Starting the test @ Sat Nov 21 (1795287008645)\nStarting the test @ Sat Nov 21 18:50:08\n(1795287008645)\n"
        "summary +      1 in     2s =    0,6/s Avg:   146 Min:   146 Max:   146 Err:     0 (0,00%)\n"
    )
    assert [block.last for block in blocks(text)] == [4]


# Found by `make fuzz`, and cut down to what it takes.
FOUND = ["Latencies [min, mean, 50, 90, 95, 99, max]\nRequests [, , ] , , 0\n"]


@pytest.mark.parametrize("text", FOUND)
def test_texts_that_made_a_format_raise(text):
    assert not any("fault of the reader" in problem.message for block in blocks(text) for problem in block.problems)


def test_a_list_of_lscpu_whose_brace_is_lost_takes_no_line_of_the_block_above():
    """Made, as `make fuzz` found it."""
    above = "$ nproc\n2\n"
    text = '"lscpu": [\n"field": "CPU op-mode(s)",\n"data": "64-bit"\n"field": "CPU(s)",\n"data": "4"\n}\n'
    holds(f"{above}{text}".splitlines(keepends=True))
    assert [block.kind for block in blocks(f"{above}{text}")] == ["nproc", "lscpu"]


OBJECTS = [path for path in captures() if path.stat().st_size < 30_000 and '": {' in text_of(path)]


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.stem)
def test_an_object_lacks_a_name_that_its_tool_prints(path: Path):
    """Found by make fuzz: {"sysstat": {}} without hosts was taken for a fault of the reader."""
    text = text_of(path)
    for name in sorted(set(re.findall(r'"([A-Za-z_][\w-]*)"\s*:', text)))[:40]:
        found = blocks(text.replace(f'"{name}"', '"x"'))
        assert not [
            problem for block in found for problem in block.problems if "a fault of the reader" in problem.message
        ], name


def test_a_passport_of_its_first_line_alone_ends_there():
    """Found by make fuzz: its block ended one line below the text."""
    holds(["bd@web:~$ bd passport\n", "equal runs of a small loop\n"])


def test_rows_of_tsung_with_the_figures_of_other_rows_are_problems():
    """Found by make fuzz: a row of requests without their times, which stopped the whole text from being related."""
    dump = "# stats: dump at 1795390730\n"
    rows = ["request 743 27.6", "size_rcv 1 2 3 4 5 6 7", "transactions 1 2", "page 5 26.6 1.5 30 20 25 10"]
    (block,) = parsers.read([dump, *[f"stats: {row}\n" for row in rows], dump])
    assert [problem.line for problem in block.problems] == [2, 3, 4]
    assert block.records[0].complete_requests == 15


def test_json_that_is_nested_without_end_is_left_unread(caplog):
    """Made: groups of k6 in each other, which were logged as a fault of the reader."""
    text = '{"root_group":' + '{"groups":[' * 5_000 + "1" + "]}" * 5_000 + "}\n"
    assert list(parsers.read([text])) == [] and not caplog.records


def test_a_banner_of_ab_inside_of_a_report_has_no_line_before_the_report():
    """Found by make fuzz: progress of a load above the HTML of another one."""
    holds(
        ["Finished 250 requests\n", "<p>\n", " This is ApacheBench, Version 2.3 <i>&lt;$Revision: 1 $&gt;</i><br>\n"]
        * 3
    )


@pytest.mark.parametrize("end", ["-1e999", "1e308"])
def test_a_histogram_of_oha_without_end_is_left_out(end):
    """Found by make fuzz: the bar of an endless time, which no JSON can hold."""
    path = FIXTURES / "oha" / "oha_04_json.txt"
    text = re.sub(r'("responseTimeHistogram": ?\{\s*)"[^"]+"', rf'\1"{end}"', text_of(path))
    assert end in text
    holds([f"{line}\n" for line in text.split("\n")])


def test_a_rate_of_sessions_of_httperf_without_its_mean_is_read(caplog):
    """Found by make fuzz: a mean of -inf beside a reply rate without samples."""
    text = text_of(FIXTURES / "httperf" / "httperf_05_sessions.txt")
    text = re.sub(r"(Session rate .* avg )\S+", r"\1-inf", re.sub(r"\(\d+ samples\)", "(0 samples)", text))
    assert "avg -inf" in text and "(0 samples)" in text
    holds([f"{line}\n" for line in text.split("\n")])
    assert not caplog.records


def test_a_row_of_perf_stat_whose_count_is_no_number_is_no_block():
    """Found by make fuzz: it was two blocks of one line, without an event."""
    rows = ["0.504017652                  0      cpu-migrations\n", "0.504017652              1,2,3      page-faults\n"]
    assert [block.lines for block in parsers.read([*rows, "5%    <not supported>      cycles\n"])] == [(1, 1)]


def test_a_heading_of_vegeta_that_misses_a_name():
    """Found by make fuzz."""
    lines = [
        "Requests      [total, rate]      15000, 1500.11\n",
        "Latencies     [min, 50, , max]  1ms, 2ms, 3ms, 4ms\n",
    ]
    (block,) = parsers.read(lines)
    (result,) = block.records
    assert block.kind == "vegeta" and result.percentiles_ms["50"] == 2


def test_a_name_of_artillery_that_is_a_table_elsewhere():
    """Made: the times as one figure, and the rate as a table, which were logged as a fault of the reader."""
    counts = "http.requests: ..... 100\nhttp.responses: ..... 100\n"
    text = f"All VUs finished\n{counts}http.response_time: ..... 2\nhttp.request_rate:\n  min: ..... 4\n"
    holds(text.splitlines(keepends=True))
    (block,) = blocks(text)
    assert block.problems == [] and block.records[0].complete_requests == 100


@pytest.mark.parametrize("rate", ["-12.50", "99999999999999.5"])
def test_a_rate_that_no_load_test_has_is_a_problem_and_no_figure(rate):
    report = text_of(FIXTURES / "ab" / "ab_01_plain.txt")
    odd = re.sub(r"(Requests per second: +)[\d.]+", rf"\g<1>{rate}", report)
    (block,) = blocks(odd)
    assert block.load_results[0].requests_per_second is None and "requests_per_second" not in block.values
    assert block.load_results[0].complete_requests == 500
    (problem,) = block.problems
    assert "no load test has such a rate" in problem.message and rate in odd.splitlines()[problem.line - 1]


def test_a_row_of_a_log_with_a_rate_below_nought_has_none():
    log = text_of(FIXTURES / "siege_log" / "siege_05_log.csv")
    (block,) = blocks(log.replace("315.49", "-315.49"))
    assert [result.requests_per_second for result in block.load_results] == [403.98, None, 370.88]
    assert len(block.problems) == 1 and len(block.records) == 3 and len(block.problems) == 1


def test_a_rate_alone_that_no_load_test_has_is_no_load_test():
    (block,) = blocks("Requests per second:    -12.50 [#/sec] (mean)\n")
    assert (block.values, block.load_results, block.problems[0].line) == ({}, [], 1)
