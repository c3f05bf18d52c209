"""Reports that somebody made Markdown of, or of which two were printed at once. All texts are made up."""

from __future__ import annotations

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
