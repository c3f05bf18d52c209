"""The outcome of a comparison as a kind and numbers, by class; the sentences are asserted in test_wording."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from runs import ingest
from runs.analysis.facts import CaptureFact, ConfigFact, HostFact, ProcessFact
from runs.analysis.headline_lead import write_lead
from runs.analysis.headline_outcome import NextStep, Outcome
from runs.analysis.table import compare
from runs.api.comparisons import HeadlineSerializer
from runs.models import Experiment
from runs.selectors import comparison_data, judging
from runs.tests.analysis.facts import capture, configs, httpd, run
from runs.tests.analysis.judging import FOUR, headline_of, table

FIVE = [100.0, 101.0, 99.0, 100.5, 99.5]
QUICK = [value * 1.095 for value in FIVE]
MADE = {"complete_requests": 10_000, "failed_requests": 0}


def of(*runs, names="abcdefgh", captures=(), hosts=()):
    made = compare(configs(*names[: max(one.config for one in runs)]), list(runs), captures)
    return headline_of(made, captures=captures, hosts=hosts)


def five(config, rates=FIVE, **fields):
    """Five runs of one config; lists among the fields have a value a run."""
    each = [{name: v[at] if isinstance(v, list) else v for name, v in fields.items()} for at in range(len(rates))]
    return [run(config, rate, repeat=at, **told) for at, (rate, told) in enumerate(zip(rates, each, strict=True), 1)]


def tails(ms: float, p: str = "99") -> list[dict[str, float]]:
    return [{p: ms * (1 + at / 100)} for at in range(5)]


@pytest.mark.parametrize(
    ("sides", "outcome", "winner", "change"),
    [
        ([FIVE, QUICK], "better", "b", 9.5),
        ([QUICK, FIVE], "better", "a", 9.5),
        ([FIVE, FIVE], "same", None, None),
        ([[100.0], [130.0]], "unproven", "b", 30),
        ([[130.0], [100.0]], "unproven", "a", 30),
        ([[100.0], [100.0]], "unproven", None, None),
        ([[10.0], [330.0]], "likely", "b", 3200),
        ([[100.0, 140.0], [110.0, 150.0]], "unproven", "b", 8.3),
        ([[5.0]], "single", None, None),
        ([FIVE, [value * 1.2 for value in FIVE], [value * 1.4 for value in FIVE]], "better", "c", 16.7),
        ([FIVE, [value * 1.4 for value in FIVE], [value * 1.4 for value in FIVE]], "same", None, None),
    ],
)
def test_who_leads_and_by_how_much(sides, outcome, winner, change):
    found = headline_of(table(*sides))
    assert (found.outcome, found.winner and found.winner.title) == (outcome, winner)
    assert found.change_pct == (None if change is None else pytest.approx(change, abs=0.1))


def test_without_runs_there_is_no_headline():
    assert headline_of(compare([], [], [])).outcome == "none"
    assert headline_of(compare(configs("a"), [run(1)], [])).outcome == "none"


def test_the_effect_has_its_interval_and_counts_of_the_side_that_it_names():
    found = headline_of(table([*FIVE, 100.2, 100.1], QUICK))
    assert found.low < found.ratio < found.high
    assert (found.winner.n, found.loser.n) == (5, 7)
    assert headline_of(table(QUICK, [*FIVE, 100.2, 100.1])).winner.n == 5


def test_the_sentence_the_table_and_rest_have_one_effect():
    comparison = table([100.0, 140.0, 118.0], [155.0, 149.0, 210.0])
    found = HeadlineSerializer(headline_of(comparison)).data
    assert found["change_pct"] == pytest.approx((headline_of(comparison).ratio - 1) * 100)
    assert f"{found['change_pct']:.0f} %" in found["sentence"]


@pytest.mark.parametrize(
    ("bad", "outcome", "share"),
    [
        ({"failed_requests": 3000, "values": {"failed_connect": 3000, "failed_length": 0}}, "failed", 0.3),
        ({"failed_requests": 9950}, "failed", 0.995),  # of what kind, nobody printed
        ({"values": {"non_2xx_responses": 10_000}}, "failed", 1.0),
        ({"values": {"non_2xx_responses": 600}}, "failed", 0.06),
        ({"tool": "siege", "failed_requests": 4000, "complete_requests": 6000}, "failed", 0.4),
        ({"tool": "siege", "values": {"availability_pct": 60.0}, "failed_requests": None}, "failed", 0.4),
    ],
)
def test_a_side_that_failed_is_the_news_whatever_its_rate(bad, outcome, share):
    for rate in (50.0, 5000.0):
        same = {"tool": bad.get("tool", "ab")}
        found = of(run(1, 900.1, **(MADE | same)), run(2, rate, **(MADE | bad)))
        assert (found.outcome, found.winner.title, found.loser.title) == (outcome, "a", "b")
        assert found.loser.failure.share == pytest.approx(share)
        assert (found.change_pct, found.next.step, found.next.runs) == (None, NextStep.FIX, 0)


def test_where_all_failed_nobody_won():
    bad = MADE | {"values": {"non_2xx_responses": 9000}}
    found = of(run(1, 100.0, **bad), run(2, 200.0, **bad))
    assert (found.outcome, found.winner) == ("failed", None)
    assert of(run(1, 100.0, **bad)).outcome == "failed"


def test_a_run_that_broke_off_failed():
    found = of(run(1, 100.0, **MADE), run(2, None, aborted=True, values={"error": "Connection refused (111)"}))
    assert (found.outcome, found.winner.title, found.loser.failure.share) == ("failed", "a", None)


def test_a_page_that_changes_its_length_did_not_fail():
    changing = MADE | {"failed_requests": 9000, "values": {"failed_length": 9000}}
    assert of(run(1, 100.0, **changing), run(2, 130.0, **changing)).outcome == "unproven"
    some = MADE | {"failed_requests": 2000}  # of what kind, nobody printed
    assert of(run(1, 100.0, **MADE), run(2, 130.0, **some)).outcome == "unproven"


def test_failures_by_length_are_told_where_one_side_alone_has_them():
    sound = {"complete_requests": 200, "failed_requests": 0}  # too few to tell that the page does not change
    changing = sound | {"failed_requests": 149, "values": {"failed_length": 149}}
    assert "by length" not in of(run(1, 100.0, **changing), run(2, 130.0, **changing)).sentence
    ahead = of(run(1, 100.0, **sound), run(2, 130.0, **changing))
    assert "and 74.5 % of its requests failed by length, against 0 %" in ahead.sentence
    behind = of(run(1, 130.0, **sound), run(2, 100.0, **changing))
    assert "and “b” failed 74.5 % of its requests by length" in behind.sentence
    refused = sound | {"failed_requests": 80, "values": {"failed_connect": 80}}
    mixed = of(run(1, 100.0, **sound), run(2, 130.0, **changing), run(2, 130.0, repeat=2, **refused))
    assert "“b” failed 20 % of its requests; “a” served" in mixed.sentence


def test_what_failed_of_sides_that_are_compared_with_nothing_is_told():
    changing = {"complete_requests": 200, "failed_requests": 149, "values": {"failed_length": 149}}
    alone = of(run(1, 100.0, **changing))
    assert "(one run). “a” failed 74.5 % of its requests by length. There is no other" in alone.sentence
    assert "failed 74.5 % of its requests by length" in write_lead(alone).under
    unlike = of(
        run(1, 100.0, complete_requests=200, path="/users"),
        run(2, 130.0, path="/logo", **changing),
        names=("gunicorn", "nginx"),
    )
    assert (unlike.outcome, "“nginx” failed 74.5 %" in unlike.sentence) == ("not_comparable", True)


def test_few_failures_of_the_faster_side_are_told_against_it():
    few = MADE | {"values": {"non_2xx_responses": 300}}
    found = of(*five(1, **MADE), *five(2, QUICK, **few))
    assert (found.outcome, [one.rule for one in found.against]) == ("trade_off", ["failures"])


def test_several_configs_of_which_one_failed_are_still_ranked():
    bad = MADE | {"values": {"non_2xx_responses": 9000}}
    found = of(run(1, 100.0, **MADE), run(2, 900.0, **bad), run(3, 130.0, **MADE))
    assert (found.outcome, found.winner.title, found.loser.title) == ("failed", "c", "b")
    assert (found.rest.outcome, found.rest.loser.title) == ("unproven", "a")


@pytest.mark.parametrize(
    ("slow", "outcome", "rules"),
    [
        ({"percentiles_ms": tails(1520.0)}, "trade_off", ["tail"]),
        ({"percentiles_ms": tails(120.0)}, "better", []),
        ({"percentiles_ms": tails(150.0, "50")}, "better", []),  # nothing to set it beside
    ],
)
def test_a_longer_tail_makes_it_a_trade_off(slow, outcome, rules):
    found = of(*five(1, percentiles_ms=tails(117.0)), *five(2, QUICK, **slow))
    assert (found.outcome, [one.rule for one in found.against]) == (outcome, rules)
    if rules:
        assert found.against[0].factor == pytest.approx(1520 / 117)
        assert found.against[0].source.line


def test_a_longer_tail_of_single_runs_is_shown_where_nothing_is_proven():
    found = of(run(1, 100.0, percentiles_ms={"99": 100.0}), run(2, 130.0, percentiles_ms={"99": 400.0}))
    assert (found.outcome, [one.rule for one in found.against]) == ("unproven", ["tail"])


@pytest.mark.parametrize(
    ("less", "more", "outcome", "against"), [(10.0, 30.0, "trade_off", ["memory"]), (0.3, 0.9, "better", [])]
)
def test_more_memory_makes_it_a_trade_off_if_somebody_would_notice(less, more, outcome, against):
    captures = [capture(1, processes=httpd(less)), capture(2, processes=httpd(more))]
    found = of(*five(1), *five(2, QUICK), captures=captures)
    assert (found.outcome, [one.rule for one in found.against]) == (outcome, against)


def test_cpu_time_counts_by_request():
    busy = [capture(1, metrics={"cpu_id": 50.0}), capture(2, metrics={"cpu_id": 45.0})]
    assert of(*five(1), *five(2, QUICK), captures=busy).against == ()
    busy[1] = capture(2, metrics={"cpu_id": 15.0})
    assert [one.rule for one in of(*five(1), *five(2, QUICK), captures=busy).against] == ["cpu"]


@pytest.mark.parametrize(
    ("tool", "phase", "more", "rules"),
    [
        ("pidstat", "during", 3.0, ["cpu"]),
        ("docker_stats", "during", 3.0, ["cpu"]),
        ("pidstat", "during", 1.1, []),  # for 9.5 % more requests
        ("pidstat", "before", 3.0, []),
        ("ps", "during", 3.0, []),  # since the process was started
    ],
)
def test_cpu_time_of_a_program_counts_where_it_is_of_the_load(tool, phase, more, rules):
    def watch(config: int, cpu_pct: float) -> CaptureFact:
        load = ProcessFact(7, "wrk", "wrk", None, 20.0 * config**2, makes_load=True)
        return capture(config, phase, tool=tool, processes=(ProcessFact(8, "api", "api", None, cpu_pct), load))

    found = of(*five(1), *five(2, QUICK), captures=[watch(1, 98.0), watch(2, 98.0 * more)])
    assert [one.rule for one in found.against] == rules
    assert found.outcome == ("trade_off" if rules else "better")


@pytest.mark.parametrize(
    ("names", "fields", "outcome"),
    [
        (("nginx", "apache"), ({"keepalive": False}, {"keepalive": True}), "not_comparable"),
        (("KeepAlive Off", "KeepAlive On"), ({"keepalive": False}, {"keepalive": True}), "better"),
        (("plain", "with -k"), ({"keepalive": False}, {"keepalive": True}), "better"),
        (("a connection a request", "keep-alive"), ({"keepalive": False}, {"keepalive": True}), "better"),
        (("connect-per-transaction", "persistent (reuse)"), ({"keepalive": False}, {"keepalive": True}), "better"),
        (("nginx, close", "nginx, keep"), ({"keepalive": False}, {"keepalive": True}), "better"),
        (("nginx", "apache with keep-alive"), ({"keepalive": False}, {"keepalive": True}), "not_comparable"),
        (("nginx", "apache"), ({"concurrency": 50.0}, {"concurrency": 100.0}), "not_comparable"),
        (
            ("nginx", "apache"),
            ({"values": {"document_length_bytes": 600}}, {"values": {"document_length_bytes": 10_000}}),
            "not_comparable",
        ),
        (
            ("small page", "large page"),
            ({"values": {"document_length_bytes": 600}}, {"values": {"document_length_bytes": 10_000}}),
            "better",
        ),
        (
            ("nginx", "apache"),
            ({"values": {"document_length_bytes": 600}}, {"values": {"document_length_bytes": 610}}),
            "better",
        ),
        (("nginx", "apache"), ({"tool": "ab"}, {"tool": "wrk"}), "not_comparable"),
        (("gunicorn", "nginx"), ({"path": "/users"}, {"path": "/logo.png"}), "not_comparable"),
        (("gunicorn", "nginx"), ({"path": "/users"}, {"path": "/users/?page=1"}), "better"),
        (("Django", "Flask"), ({"path": "/django/users"}, {"path": "/flask/users"}), "better"),
    ],
)
def test_unlike_loads_stop_a_verdict_unless_they_are_compared(names, fields, outcome):
    one, other = ({"command": "", **each} for each in fields)
    assert of(*five(1, **one), *five(2, QUICK, **other), names=names).outcome == outcome


def test_unlike_machines_stop_it_too():
    hosts = (HostFact(1, "web1", "Xeon E5", 4), HostFact(2, "web2", "EPYC 7302", 16))
    runs = [*five(1, host_id=1, host="web1"), *five(2, QUICK, host_id=2, host="web2")]
    found = of(*runs, names=("nginx", "apache"), hosts=hosts)
    assert (found.outcome, {one.name for one in found.unlike}) == ("not_comparable", {"CPU", "cores"})
    assert (found.winner, found.change_pct) == (None, None)


def test_runs_to_make_are_decided_beforehand_and_none_under_a_full_generator():
    assert (headline_of(table([100.0], [130.0])).next.step, headline_of(table([100.0], [130.0])).next.runs) == (
        "repeat",
        4,
    )
    assert headline_of(table(FIVE, QUICK)).next.runs == 0
    assert headline_of(table([300.0, 100.0], [310.0, 101.0])).next.step == "steady"


def test_a_run_that_is_far_off_or_cold_is_looked_at_before_more_are_made():
    far = headline_of(table([945.0, 950.0, 952.0, 948.0, 410.0], [1045.0, 1050.0, 1052.0, 1048.0, 1049.0]))
    assert (far.outcome, far.odd, far.next.step, far.next.runs) == ("unproven", ("outlier", "a"), "outlier", 0)
    cold = headline_of(table([617.0, 878.8], [722.2, 887.6]))
    assert (cold.odd[0], cold.next.step, cold.next.runs) == ("cold", "warm", 4)


def test_nobody_leads_by_one_odd_run_alone():
    found = headline_of(table([945.0, 950.0, 952.0, 948.0, 410.0], [920.0, 925.0, 921.0, 924.0, 922.0]))
    assert (found.outcome, found.winner, found.odd) == ("unproven", None, ("outlier", "a"))
    assert "One run of “a” alone decides which is ahead." in found.sentence


def test_more_failures_than_requests_are_told_against_the_report():
    bad = {"complete_requests": 25, "failed_requests": 34, "values": {"failed_length": 34}}
    found = of(run(1, 100.0, **bad), run(2, 120.0, complete_requests=25, failed_requests=0))
    assert [one.rule for one in found.against] == ["impossible", "length.seconds"]


@pytest.mark.parametrize(("seconds", "against"), [(0.02, ["length.seconds"]), (5.0, []), (30.0, [])])
def test_runs_of_less_than_a_second_are_told_against_a_proof(seconds, against):
    found = of(*five(1, duration_s=seconds), *five(2, QUICK, duration_s=seconds))
    assert (found.outcome, [one.rule for one in found.against]) == ("better", against)


@pytest.mark.parametrize(("seconds", "outcome"), [(0.9, "better"), (30.0, "unproven")])
def test_runs_of_less_than_a_second_prove_nothing_against_far_longer_ones(seconds, outcome):
    found = of(*five(1, duration_s=seconds), *five(2, QUICK, duration_s=0.5))
    assert (found.outcome, found.next.step) == (outcome, "longer")
    assert "too short to rely on" in found.sentence


def test_workloads_under_one_heading_are_named_by_their_loads():
    given = [ConfigFact(1, "nginx", "Servers"), ConfigFact(2, "apache", "Servers")]
    runs = [
        one
        for path, times in (("/a", 1.0), ("/b", 0.1))
        for at in (1, 2)
        for one in five(at, [rate * times * at for rate in FIVE], path=path)
    ]
    found = headline_of(compare(given, runs, []))
    assert {one.workload for one in (found, *found.others)} == {"/a", "/b"}


def test_machines_that_the_configs_are_named_for_are_compared():
    hosts = (HostFact(1, "a", "Xeon E5", 4), HostFact(2, "b", "EPYC 7302", 16))
    runs = [*five(1, host_id=1, host="a"), *five(2, QUICK, host_id=2, host="b")]
    assert of(*runs, names=("Old server", "New server"), hosts=hosts).outcome == "better"


@pytest.mark.parametrize(("name", "is_told"), [("db2", True), ("500 MiB", False), ("Xeon, 7,950 MiB", False)])
def test_a_machine_known_by_its_memory_alone_may_be_the_one_that_has_a_name(name, is_told):
    hosts = (HostFact(1, "web1"), HostFact(2, name))
    runs = [*five(1, host_id=1, host="web1"), *five(2, QUICK, host_id=2, host=name)]
    found = of(*runs, names=("Redis 6", "Redis 7"), hosts=hosts)
    assert ("machine" in [each.label for each in found.against] or "machine differs" in found.sentence) is is_told


def test_under_a_full_load_generator_no_repeats_are_advised():
    load = ProcessFact(7, "ab", "ab", 4096.0, 99.7, makes_load=True, one_thread=True)
    runs = [run(1, 100.0, hostname="web"), run(2, 130.0, hostname="web")]
    captures = [capture(one.config, run=one.id, processes=(load,)) for one in runs]
    found = of(*runs, captures=captures)
    assert (found.outcome, found.next.step, found.next.runs) == ("unproven", "generator", 0)
    assert [one.rule for one in found.against] == ["generator.saturated"]


@pytest.mark.parametrize(
    ("levels", "peak", "limit"),
    [
        ([(50, 3.07, 0), (100, 2.82, 0), (150, 4.62, 285)], 50, 150),
        ([(1, 900.0, 0), (4, 2800.0, 0), (16, 4300.0, 0), (64, 4100.0, 0)], 16, None),
        ([(10, 100.0, 0), (100, 300.0, 0)], 100, None),
    ],
)
def test_one_config_over_levels_of_concurrency_is_a_sweep(levels, peak, limit):
    runs = [
        run(
            1,
            rate,
            command=f"ab -n 600 -c {level} http://web/",
            complete_requests=600,
            failed_requests=bad,
            values={"failed_connect": bad, "failed_length": 0},
        )
        for level, rate, bad in levels
    ]
    found = of(*runs)
    assert (found.outcome, found.sweep.axis, found.sweep.peak, found.sweep.limit) == (
        "sweep",
        "concurrency",
        peak,
        limit,
    )
    told = json.loads(json.dumps(HeadlineSerializer(found).data))
    assert [point["value"] for point in told["sweep"]["points"]] == [level for level, _, _ in levels]


@pytest.mark.parametrize(
    ("rates", "step"),
    [
        ((100.0, 101.0, 102.0), NextStep.LEVELS),
        ((20.0, 101.0, 102.0), NextStep.WARM),
        ((100.0, 101.0, 100.5, 102.0, 99.0, 30.0, 100.0), NextStep.OUTLIER),
    ],
)
def test_odd_repeats_of_a_sweep_are_cleared_up_before_it_is_enough(rates, step):
    runs = [
        run(1, rate * level, repeat=n, command=f"ab -n 60000 -c {level} http://web/", complete_requests=60000)
        for level in (1, 4)
        for n, rate in enumerate(rates if level == 1 else sorted(rates)[1:], 1)
    ]
    assert of(*runs).next.step == step


def test_levels_with_and_without_keep_alive_are_no_one_sweep():
    runs = [
        run(1, rate, command=f"ab -n 600 {how} http://web/", complete_requests=600, keepalive="-k" in how)
        for how, rate in (("-c 10", 5100.0), ("-c 100", 5300.0), ("-k -c 100", 15300.0))
    ]
    assert of(*runs).outcome != "sweep"


def test_several_configs_over_the_same_levels_are_a_sweep_with_a_leader():
    runs = [
        run(config, rate * times, command=f"ab -n 600 -c {level} http://web/", complete_requests=600)
        for config, times in ((1, 1.0), (2, 1.4))
        for level, rate in ((1, 100.0), (4, 300.0), (16, 500.0))
    ]
    found = of(*runs)
    assert (found.outcome, found.sweep.axis, len(found.sweep.points)) == ("sweep", "concurrency", 6)
    assert (found.winner.title, round(found.change_pct)) == ("b", 40)


@pytest.mark.parametrize(
    ("names", "axis"),
    [
        (("MaxClients 50", "MaxClients 100", "MaxClients 150"), "MaxClients"),
        (("1 worker", "2 workers", "4 workers"), "worker"),
        (("pm.max_children=5", "pm.max_children=20", "pm.max_children=80"), "pm.max_children"),
        (("1000 requests/s", "2000 requests/s", "4000 requests/s"), "requests/s"),
        (("PHP 7", "PHP 8", "PHP 9"), None),
        (("nginx 1.18", "nginx 1.22", "nginx 1.24"), None),
        (("MaxClients 50", "MaxClients 100"), None),
    ],
)
def test_configs_that_differ_in_one_setting_are_a_sweep_of_it(names, axis):
    found = of(*(run(at, 100.0 * at) for at in range(1, len(names) + 1)), names=names)
    assert (found.sweep and found.sweep.axis) == axis
    assert (found.outcome == Outcome.SWEEP) == (axis is not None)


def test_each_workload_has_its_leader_and_two_that_contradict_are_a_trade_off():
    names = ("nginx, static", "apache, static", "nginx, php", "apache, php")
    runs = [*five(1), *five(2, QUICK), *five(3, [v / 4 for v in QUICK]), *five(4, [v / 4 for v in FIVE])]
    found = of(*runs, names=names)
    assert (found.outcome, len(found.others)) == ("trade_off", 1)
    assert {found.winner.title, found.others[0].winner.title} == {"apache, static", "nginx, php"}
    agree = of(
        *five(1), *five(2, QUICK), *five(3, [v / 4 for v in FIVE]), *five(4, [v / 4 for v in QUICK]), names=names
    )
    assert (agree.outcome, agree.winner.title.split(",")[0]) == ("better", "apache")


def test_leaders_of_workloads_that_have_no_config_in_common_do_not_contradict_each_other():
    named = [("redis", "Caches"), ("memcached", "Caches"), ("mysql", "Databases"), ("postgresql", "Databases")]
    given = [ConfigFact(at, name, group) for at, (name, group) in enumerate(named, 1)]
    runs = [
        replace(each, path="/cache" if at < 3 else "/query")
        for at, times in enumerate((1.0, 1.3, 0.2, 0.3), 1)
        for each in five(at, [value * times for value in FIVE])
    ]
    found = headline_of(compare(given, runs, []))
    assert (found.outcome, found.winner.title, len(found.others)) == ("better", "postgresql", 1)


@pytest.mark.parametrize(
    ("named", "pairs"),
    [
        # Variants under a config's own heading
        (
            (("1 worker", "nginx"), ("auto", "nginx"), ("apache", "Servers"), ("lighttpd", "Servers")),
            ["auto", "apache"],
        ),
        ((("small", "nginx"), ("large", "nginx"), ("prefork", "apache"), ("event", "apache")), ["large", "prefork"]),
        # The same names under two headings: workloads
        ((("nginx", "A file"), ("apache", "A file"), ("nginx", "PHP"), ("apache", "PHP")), ["apache", "nginx"]),
        (
            (("(1.1) nginx", "1"), ("(1.2) apache", "1"), ("(2.1) nginx", "2"), ("(2.2) apache", "2")),
            ["apache", "nginx"],
        ),
    ],
)
def test_the_two_best_are_compared_whatever_headings_they_stand_under(named, pairs):
    given = [ConfigFact(at, name, group) for at, (name, group) in enumerate(named, 1)]
    rates = ([value * times for value in FIVE] for times in (1.0, 1.6, 1.4, 1.2))
    found = headline_of(compare(given, [one for at, each in enumerate(rates, 1) for one in five(at, each)], []))
    assert [side.title.partition(") ")[2] or side.title for side in (found.winner, found.loser)] == pairs
    assert len(found.others) == (0 if "auto" in pairs or "large" in pairs else 1)


def test_a_workload_that_its_configs_are_named_with_is_said_once():
    named = [(f"{group} · {name}", group) for group in ("Get All (limit: 500)", "Create") for name in ("Node.js", "Go")]
    given = [ConfigFact(at, name, group) for at, (name, group) in enumerate(named, 1)]
    rates = ([value * times for value in FIVE] for times in (1.0, 1.6, 1.2, 1.4))
    found = headline_of(compare(given, [one for at, each in enumerate(rates, 1) for one in five(at, each)], []))
    assert found.winner.title == "Get All (limit: 500) · Go"
    assert found.sentence.startswith(
        "On Get All (limit: 500): “Go” served 60 % more requests per second than “Node.js”"
    )
    assert "On Create: “Go” served 17 % more than “Node.js”" in found.sentence


def test_variants_of_unlike_loads_are_workloads():
    given = [ConfigFact(1, "small", "nginx"), ConfigFact(2, "large", "nginx"), ConfigFact(3, "prefork", "apache")]
    given.append(ConfigFact(4, "event", "apache"))
    runs = [one for at in (1, 2, 3, 4) for one in five(at, concurrency=10.0 if at < 3 else 100.0)]
    assert len(headline_of(compare(given, runs, [])).others) == 1


def test_the_json_has_the_keys_that_scripts_rely_on():
    told = HeadlineSerializer(headline_of(table(FOUR, QUICK))).data
    assert list(told) == [
        *("outcome", "metric", "winner", "loser", "change_pct", "low_pct", "high_pct", "n_winner", "n_loser", "p"),
        *("against", "next", "sentence"),
    ]
    assert set(told["next"]) == {"text", "runs_a_side"}
    slow = of(*five(1, percentiles_ms=tails(117.0)), *five(2, QUICK, percentiles_ms=tails(1520.0)))
    assert [set(one) for one in HeadlineSerializer(slow).data["against"]] == [{"rule", "config", "text", "line"}]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("number", "outcomes"),
    [
        ("000", ["unproven", "unproven"]),
        ("001", ["unproven"]),
        ("002", ["likely"]),
        ("003", ["failed"]),
        ("004", ["sweep"]),
    ],
)
def test_the_published_sessions_have_these_outcomes(shared, number, outcomes):
    ingest.submit(next(shared.glob(f"seeds/{number}_*.txt")).read_bytes(), origin="rest")
    found = [
        judging.compare_and_judge(comparison_data.load_experiment(one))[1].headline
        for one in Experiment.objects.order_by("id")
    ]
    assert [one.outcome for one in found] == outcomes


LONG = {"complete_requests": 20_000, "failed_requests": 0}
WRK = {"tool": "wrk", "command": "wrk -t4 -c100 -d30s http://web1/", "concurrency": 100, "mean_ms": 50.0}


NINE = {"values": {"document_length_bytes": 9}}


def between(one, other):
    """Made: config x's run, config y's run, of the same load but for these fields."""
    return of(run(1, 1000.0, **(LONG | one)), run(2, 1300.0, **(LONG | other)), names=("x", "y"))


def command(tool: str, *commands: str) -> list[dict[str, object]]:
    return [{"tool": tool, "command": each} for each in commands]


def test_protocols_that_one_config_was_loaded_with_are_what_is_compared():
    sides = command("hey", "hey -c 9 http://w/", "hey -c 9 -h2 http://w/")
    found = of(*(run(1, rate, **(LONG | side)) for rate, side in zip((1000.0, 1300.0), sides, strict=True)))
    assert (found.outcome, found.unlike) == ("unproven", ())


@pytest.mark.parametrize(
    ("sides", "unlike"),
    [
        (command("autocannon", "autocannon -c 9 http://w/", "autocannon -c 9 -p 10 http://w/"), "pipelining"),
        (command("wrk", "wrk -c9 http://w/", "wrk -c9 -s pipeline.lua http://w/"), "script"),
        (command("hey", "hey -c 9 http://w/", "hey -h2 -c 9 http://w/"), "protocol"),
        (command("siege", "siege -b -c9 w", "siege -c9 w"), "pauses between requests"),
        (command("wrk", "wrk -c9 -R900 http://w/", "wrk -c9 http://w/"), "requests begin"),
        ([{"tool": "hey", "values": {"total_data_bytes": n}} for n in (2_000_000, 200_000_000)], "mean reply"),
        ([{"tool": "siege", "values": {"data_transferred_mb": n}} for n in (0.0, 188.5)], "mean reply"),
    ],
)
def test_what_only_one_side_was_asked_for_or_sent_stops_a_verdict(sides, unlike):
    found = between(*sides)
    assert (found.outcome, [one.name for one in found.unlike]) == ("not_comparable", [unlike])
    assert unlike in found.sentence and between(sides[0], sides[0]).outcome == "unproven"


def test_the_fastest_that_is_left_out_as_its_page_differs_is_named_where_another_config_failed():
    told = ((1000.0, 200, 0), (1300.0, 210, 0), (9000.0, 450, 0), (500.0, 205, 900))
    runs = []
    for at, (rate, size, failed) in enumerate(told, 1):
        sent = {"complete_requests": 1000, "failed_requests": failed, "values": {"total_data_bytes": size * 1000}}
        runs.append(run(at, rate, tool="hey", **sent))
    found = of(*runs)
    assert (found.outcome, found.winner.title, len(found.sides)) == ("failed", "b", 3)
    assert "Not counted: “c” (mean reply differs)." in found.sentence


@pytest.mark.parametrize(
    ("names", "scripts", "outcome"),
    [
        (("Before", "After"), ("old.lua", "new.lua"), "unproven"),
        (("Vorher", "Nachher"), ("old.lua", "new.lua"), "unproven"),
        (("before the cache", "after the cache"), ("bench/search-v1.lua", "bench/search-v2.lua"), "unproven"),
        (("old build", "new build"), ("get_before.lua", "get_after.lua"), "unproven"),
        (("Before", "After (new store)"), ("login.lua", "login2.lua"), "unproven"),
        (("Before", "After"), ("login.lua", "login-new.lua"), "unproven"),
        (("Before", "After"), ("get.lua", "post.lua"), "not_comparable"),
        (("nginx", "Apache"), ("old.lua", "new.lua"), "not_comparable"),
        (("nginx 1.25", "Apache 2.4"), ("test1.lua", "test2.lua"), "not_comparable"),
        (("shop v1", "shop v2"), ("test1.lua", "test2.lua"), "unproven"),
        (("v1 before", "v2 after"), ("test1.lua", "test2.lua"), "unproven"),
        (("nginx 1.24", "nginx 1.25"), ("small.lua", "large.lua"), "not_comparable"),
        (("Before", "After"), ("", "new.lua"), "not_comparable"),
    ],
)
def test_a_script_of_its_own_for_the_state_before_and_after_is_told_and_does_not_stop_a_verdict(
    names, scripts, outcome
):
    sides = command("wrk", *(f"wrk -c9 {f'-s {script} ' if script else ''}http://w/" for script in scripts))
    found = of(run(1, 1000.0, **(LONG | sides[0])), run(2, 1300.0, **(LONG | sides[1])), names=names)
    assert found.outcome == outcome
    told = f"script differs: {scripts[1]} against {scripts[0]}"
    assert outcome == "not_comparable" or told in found.sentence


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (WRK, WRK | {"command": "wrk -t1 -c100 -d30s http://web1/"}, "threads differ: 1 against 4"),
        (WRK, WRK | {"command": "wrk -t4 -c100 -d300s http://web1/"}, "duration differs: 300 against 30 s"),
        (NINE | {"path": "/a"}, NINE | {"path": "/b"}, "path differs: /b against /a"),
        ({"path": "/values"}, {"path": "/api/values"}, "path differs: /api/values against /values"),
        ({}, {"duration_s": 0.02}, "“y” ran for no longer than 0.02 s"),
        (WRK, WRK | {"mean_ms": 2.0}, "“y” had requests under way for 2.6 % of its clients' time"),
        ({}, {"mean_ms": 40.0, "percentiles_ms": {"99": 4.0}}, "at least 90.1 % of its clients' time went into"),
        ({}, {"percentiles_ms": {"95": 40.0, "99": 22.0}}, "“y” cannot all be true (p99 22 ms but p95"),
        ({}, {"duration_s": 100.0}, "“y” cannot all be true (20,000 requests in 100 s are 200 per second, not 1,300)"),
    ],
)
def test_what_makes_a_lead_doubtful_is_in_its_sentence(one, other, told):
    found = between(one, other)
    assert (found.outcome, found.winner.title) == ("unproven", "y")
    assert told in found.sentence and told not in between(other, other).sentence


def test_a_report_that_contradicts_itself_proves_nothing_and_is_looked_at_first():
    bad = [LONG | {"duration_s": 100.0}] * 5
    found = of(
        *five(1, **LONG | {"duration_s": None}), *(run(2, rate, **one) for rate, one in zip(QUICK, bad, strict=True))
    )
    alike = of(*five(1, **bad[0]), *five(2, QUICK, **bad[0]))
    assert (found.outcome, found.next.step, found.next.about) == ("unproven", "check", "b")
    assert (alike.outcome, alike.winner.title) == ("likely", "b")
    assert "both sides cannot all be true" in alike.sentence and "their figures cannot all" in alike.next.text
    assert write_lead(alike).under.endswith("A test shows it, but the reports contradict themselves.")


def test_one_report_under_two_configs_is_compared_with_nothing():
    values = {"time_per_request_ms": 8.1234, "total_transferred_bytes": 9_876_543, "transfer_rate_kbytes_per_s": 412.77}
    found = of(run(1, 1234.56, values=values), run(2, 1234.56, values=values))
    assert (found.outcome, found.winner) == ("not_comparable", None)
    assert "all its figures are those of “a”" in found.sentence
    assert of(run(1, 1234.56, values=values), run(2, 1234.57, values=values)).outcome == "unproven"


def test_of_single_runs_no_more_repeats_are_advised_than_anybody_makes():
    near = table([1000.0], [1060.0], [100.0, 180.0])
    assert headline_of(near).next.runs <= 20
    assert headline_of(table([1000.0], [1000.0], [100.0, 180.0])).next.runs == 4


def test_configs_that_were_asked_for_the_same_are_compared_beside_one_that_was_not():
    fast = [value * 3 for value in FIVE]
    found = of(
        *five(1, concurrency=80.0), *five(2, QUICK, concurrency=80.0), *five(3, fast, concurrency=10.0), names="abc"
    )
    assert (found.outcome, found.winner.title, [name for name, *_ in found.dropped]) == ("better", "b", ["c"])
    assert "Not counted: “c” (concurrency differs)" in found.sentence
    each = [five(at, FIVE, concurrency=10.0 * at**3) for at in (1, 2, 3)]
    assert of(*each[0], *each[1], *each[2], names="abc").outcome != "better"


def test_times_of_another_load_are_told_as_times():
    many = [run(at, None, mean_ms=ms, concurrency=100.0, repeat=n) for at, ms in ((1, 80.0), (2, 61.0)) for n in (6, 7)]
    found = of(*five(1, concurrency=10.0), *five(2, QUICK, concurrency=10.0), *many, names="ab")
    assert found.outcome == "better" and found.others
    assert "took 24 % less time per request than" in found.sentence
