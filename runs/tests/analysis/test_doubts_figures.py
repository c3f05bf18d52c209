"""What a report's own figures tell: lost SYNs, hanging requests, coarse steps, contradictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from runs.analysis import find_doubts
from runs.analysis.doubt_case import Case, Doubt
from runs.analysis.doubt_figures import half_digit
from runs.analysis.doubt_machine import syn_timer
from runs.analysis.table import compare
from runs.models import Experiment
from runs.selectors import comparison_data
from runs.tests.analysis import facts
from runs.tests.analysis.doubting import FIXTURES, of, one, report, said, session

pytestmark = pytest.mark.django_db
REPORTS = sorted(
    [*(FIXTURES / "ab").glob("*.txt"), *(FIXTURES / "siege").glob("*.txt"), *(FIXTURES / "mix").glob("*.txt")]
)
# Its author wrote 90.60 % beside 756 of 759.
EDITED = "siege_09_refused"
WRK = (FIXTURES / "wrk" / "wrk_04_socket_errors.txt").read_text(encoding="utf-8")
SIEGE = (FIXTURES / "siege" / "siege_02_b_t.txt").read_text(encoding="utf-8")


def connects(longest: int, mean: int = 0) -> str:
    return report("long_1", **{"Connect:": f"{0:7} {mean:4} 114.8 {16:6} {longest:7}"}).replace("Connect::", "Connect:")


@pytest.mark.parametrize("longest", [1003, 2998, 3021, 7040, 9001, 21015])
def test_a_connect_that_took_as_long_as_a_lost_syn_s_timer_is_told(longest):
    doubt = one(said(connects(longest, mean=29)), "network.syn")
    assert doubt.severity == "caution"
    assert f"{longest:,} ms" in doubt.text
    assert "SYN retransmission" in doubt.text


@pytest.mark.parametrize(("longest", "mean"), [(2309, 9), (118, 3), (3300, 9), (3021, 2000)])
def test_other_connects_and_a_network_that_is_slow_as_a_whole_are_not(longest, mean):
    assert of(said(connects(longest, mean)), "network.syn") == []


def test_the_timer_is_the_one_just_before_the_time():
    assert [syn_timer(ms) for ms in (980.0, 990.0, 3140.0, 3160.0, 31000.0, None)] == [None, 1, 3, None, 31, None]


def test_a_request_that_hung_ten_times_as_long_as_the_99th_percentile_is_noted():
    text = report("long_1", **{"Total:": "  30   36 388.6     32    8588"}).replace("Total::", "Total:")
    doubt = one(said(text.replace("100%    198", "100%   8588")), "network.tail")
    assert (doubt.severity, "p99 115 ms, the longest 8,588 ms" in doubt.text) == ("note", True)


@pytest.mark.parametrize("name", ["long_1", "long_2", "ok"])
def test_a_longest_request_near_the_99th_percentile_is_not(name):
    assert of(said(report(name)), "network.tail") == []


def with_k(kept: int) -> str:
    return report("long_1").replace("Total transferred:", f"Keep-Alive requests:    {kept}\nTotal transferred:")


def test_keep_alive_that_was_asked_for_and_not_given_is_noted():
    assert "0 of 5,000 replies kept the connection" in one(said(with_k(0)), "network.keepalive").text


def test_keep_alive_that_was_given_or_never_asked_for_is_not():
    assert of(said(with_k(4951)), "network.keepalive") == of(said(report("long_2")), "network.keepalive") == []


def test_times_of_a_few_whole_milliseconds_are_noted():
    assert "half within 2 ms, told in steps of 1 ms" in one(said(report("ok")), "resolution.steps").text


def test_times_of_many_milliseconds_are_fine():
    assert of(said(report("long_1")), "resolution.steps") == []


def test_siege_s_hundredths_of_a_second_are_steps_of_10_ms():
    assert "mean 20 ms, told in steps of 10 ms" in one(said(SIEGE), "resolution.steps").text


def test_a_clock_that_ticks_each_10_ms_is_seen_by_its_times():
    table = "".join(f"  {p}%{ms:7}\n" for p, ms in ((50, 90), (66, 100), (75, 100), (80, 110), (90, 450), (99, 670)))
    text = report("long_1").split("  50%")[0] + table + " 100%   4920 (longest request)\n"
    assert "steps of 10 ms" in one(said(text), "resolution.steps").text


def test_four_even_times_are_no_step_of_2_ms():
    runs = [facts.run(1, 100.0, percentiles_ms={"50": 12, "66": 14, "75": 18, "90": 32, "99": 50})]
    assert of(find_doubts(Case(facts.configs("a"), runs)), "resolution.steps") == []


def medians(*times: tuple[int, float]) -> list[Doubt]:
    """Of runs (config, their median in ms)."""
    runs = [facts.run(config, 100.0, repeat=n, percentiles_ms={"50": ms}) for n, (config, ms) in enumerate(times, 1)]
    return find_doubts(Case(facts.configs("a", "b"), runs))


@pytest.mark.django_db
@pytest.mark.parametrize(("median", "told"), [("33", True), ("32", False), ("36", False)])
def test_times_one_printed_step_apart_in_a_text_may_be_alike(median, told):
    other = "".join(
        f"  50%     {median}\n" if line.startswith("  50%") else line
        for line in report("long_1").replace("414.66", "415.12").splitlines(keepends=True)
    )
    found = of(said(session(nginx=report("long_1"), apache=other)), "resolution.within")
    assert [f"p50 {median} against 32 ms" in doubt.text for doubt in found] == ([True] if told else [])


def test_medians_one_step_apart_may_be_alike():
    doubt = one(medians((1, 31), (2, 32)), "resolution.within")
    assert doubt.text == "b: p50 32 against 31 ms. 1 ms is one step of what the tool prints, so they may be alike."


@pytest.mark.parametrize(
    "times", [[(1, 31), (2, 33)], [(1, 31), (2, 31)], [(1, 310), (2, 311)], [(1, 31), (2, 32)] * 4]
)
def test_medians_further_apart_or_equal_or_of_many_repeats_or_long_are_not_told_of(times):
    assert of(medians(*times), "resolution.within") == []


@pytest.mark.parametrize("file", REPORTS, ids=lambda file: file.stem)
def test_no_tool_contradicts_itself(file: Path):
    doubts = [doubt for doubt in said(file.read_bytes()) if doubt.rule.startswith(("figures.", "load.busy"))]
    assert [doubt.rule for doubt in doubts] == (["figures.availability"] if file.stem == EDITED else [])


@pytest.mark.parametrize(
    ("rule", "changes", "words"),
    [
        ("figures.rate", {"Requests_per_second": "4414.66 [#/sec] (mean)"}, "are 414.7 per second, not 4,415"),
        ("figures.rate", {"Requests_per_second": "415.26 [#/sec] (mean)"}, "are 414.7 per second, not 415.3"),
        ("figures.mean", {"Concurrency_Level": "150"}, "give a mean of 361.7 ms, not 36.17"),
        (
            "load.busy_clients",
            {"Total:": "        30   46  15.9     32     198"},
            "leave 36.17 ms for each in the mean, but their mean is 46 ms",
        ),
        ("figures.percentiles", {"  66%": "     30"}, "p66 30 ms but p50 32 ms"),
        ("figures.percentiles", {" 100%": "    298 (longest request)"}, "298 ms where the Total row's max is 198 ms"),
        (
            "figures.percentiles",
            {"Total:": "        30   36  15.9     42     198"},
            "32 ms where the Total row's median is 42 ms",
        ),
    ],
)
def test_figures_that_cannot_all_be_true_are_told(rule, changes, words):
    text = report("long_1")
    for label, value in changes.items():
        label = label.replace("_", " ")
        parted = label if label.endswith(("%", ":")) else f"{label}:"
        lines = [f"{parted}{value}" if line.startswith(label) else line for line in text.split("\n")]
        text = "\n".join(lines).replace("%    ", "%   ")
    assert words in one(said(text), rule).text


def test_siege_cannot_have_more_connections_open_than_users():
    doubt = one(said(SIEGE.replace("13.88", "19.88")), "figures.concurrency")
    assert "by 15 users" in doubt.text


def test_siege_s_concurrency_is_its_rate_times_its_response_time():
    text = (FIXTURES / "siege" / "siege_07_doc271.txt").read_text(encoding="utf-8").replace("142.00", "42.00")
    assert "connections at once, not 42" in one(said(text), "figures.concurrency").text


@pytest.mark.parametrize(("printed", "half"), [(0.07, 0.005), (34.224, 0.0005), (1.9, 0.05), (60, 0.5), (60.0, 0.5)])
def test_a_printed_figure_may_be_half_of_its_last_digit_off(printed, half):
    assert half_digit(printed) == pytest.approx(half)


@pytest.mark.parametrize(("rate", "told"), [("6.9", []), ("12.0", ["figures.rate"])])
def test_a_rate_may_leave_out_what_failed(rate, told):
    """Ten of twenty requests were given up: httperf's rate is of those sent, and its run's of those answered."""
    text = (FIXTURES / "httperf" / "httperf_08_timeouts.txt").read_text(encoding="utf-8")
    found = said(text.replace("Request rate: 6.9", f"Request rate: {rate}"))
    assert [doubt.rule for doubt in found if doubt.rule.startswith(("figures.", "load.busy"))] == told


@pytest.mark.parametrize(
    ("tool", "near", "wrong"),
    [
        ("ab", 581.0, 592.0),
        ("wrk", 581.0, 592.0),
        ("hey", 581.0, 592.0),
        ("oha", 583.7, 592.0),  # with 30 that the deadline ended
        ("autocannon", 632.0, 655.0),
        ("bombardier", 530.0, 515.0),
        ("pgbench", 632.0, 655.0),
    ],
)
def test_a_rate_that_is_not_the_count_over_the_time_is_a_doubt_on_its_line(tool, near, wrong):
    given = {"tool": tool, "complete_requests": 6000, "duration_s": 10.33, "values": {"errors": {"aborted": 30}}}
    for rate, doubts in ((near, 0), (wrong, 1)):
        run = facts.run(1, rate, **given, figure_lines={"requests_per_second": 77})
        found = of(find_doubts(Case(facts.configs("a"), [run])), "figures.rate")
        assert [doubt.sources[0].line for doubt in found] == [77] * doubts


VEGETA_6 = """\
Requests      [total, rate]            3600, 15.00
Duration      [total, attack, wait]    4m9.938396689s, 3m59.933386906s, 10.005009783s
Latencies     [mean, 50, 95, 99, max]  5.324642764s, 6.356928787s, 10.127715027s, 11.051593498s, 15.524362946s
Bytes In      [total, mean]            33516, 9.31
Bytes Out     [total, mean]            0, 0.00
Success       [ratio]                  49.00%
Status Codes  [code:count]             502:1795  200:1764  500:41
"""


def test_a_rate_of_what_was_sent_is_of_the_time_of_sending():
    """Real: vegeta 6 waited 10 s for its last answer, and prints no throughput."""
    assert not of(said(VEGETA_6), "figures.rate")
    assert of(said(VEGETA_6.replace("15.00", "19.00")), "figures.rate")


def test_a_rate_may_hold_requests_that_failed_beside_those_that_were_answered():
    part = {"tool": "hey", "complete_requests": 14_000, "failed_requests": 6000, "duration_s": 15.37}
    for rate, told in ((20_000 / 15.37, 0), (1100.0, 1)):
        found = find_doubts(Case(facts.configs("a"), [facts.run(1, rate, **part)]))
        assert len(of(found, "figures.rate")) == told


def slowest(**fields):
    run = facts.run(1, 100.0, percentiles_ms={"99": 3.0}, max_ms=8588.0, **fields)
    return of(find_doubts(Case(facts.configs("a"), [run])), "network.tail")


def test_where_most_of_the_clients_time_lies_in_the_slowest_hundredth_the_mean_is_the_honest_figure():
    (doubt,) = slowest(mean_ms=85.213)  # the third seed's worker MPM
    finding = doubt.findings[0]
    assert (finding.severity, finding.moral) == ("caution", "omission")
    assert round(finding.facts["slowest"], 3) == 0.965


@pytest.mark.parametrize(
    ("tool", "command"), [("wrk", "wrk -R 2000 -c 100 http://a/"), ("vegeta", "vegeta report"), ("tsung", "")]
)
def test_nothing_is_left_out_where_requests_are_sent_at_a_rate(tool, command):
    (doubt,) = slowest(tool=tool, mean_ms=85.213, command=command)
    assert doubt.findings[0].moral == "hung"


def test_the_line_of_a_doubt_about_a_run_is_that_of_the_figure_it_rests_on():
    text = session(nginx=report("long_1"), apache=report("reset"), siege=SIEGE, wrk=WRK)
    begins = {
        "errors.failed": ("(Connect: 0", "Failed requests", "Socket errors"),
        "length.seconds": ("Time taken for tests", "Elapsed time", "8559 requests in"),
        "network.keepalive": ("Keep-Alive requests",),
        "network.tail": ("99%",),
        "resolution.steps": ("50%", "Response time"),
        "tool.warnings": ("WARNING:",),
    }
    lines = text.split("\n")
    found = [doubt for doubt in said(text) if doubt.rule in begins]
    assert {doubt.rule for doubt in found} >= {"errors.failed", "length.seconds"}
    for doubt in found:
        for source in doubt.sources:
            assert lines[source.line - 1].strip().startswith(begins[doubt.rule]), (doubt.rule, lines[source.line - 1])
            assert source.url.endswith(f"#L{source.line}")


def test_a_figure_of_the_table_links_to_its_own_line():
    text = session(nginx=report("long_1"), siege=SIEGE)
    said(text)
    data = comparison_data.load_experiment(Experiment.objects.get())
    row = compare(data.configs, data.runs, []).row("requests_per_second")
    lines = text.split("\n")
    starts = [lines[cell.figures[0].line - 1].strip().partition(":")[0] for cell in row.cells]
    assert starts == ["Requests per second", "Transaction rate"]
