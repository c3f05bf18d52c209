"""What a careful performance engineer would say of made comparisons: outcome, leader, effect and next step, one line a case."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from runs.analysis.facts import CaptureFact, ConfigFact, HostFact, ProcessFact
from runs.analysis.headline_lead import write_lead
from runs.analysis.headline_outcome import Headline
from runs.analysis.headline_wording import describe_lead
from runs.analysis.table import compare, set_baselines
from runs.api.comparisons import FINE, UNDECIDED, check_headline
from runs.presenters.run_charts import make_throughput_bars
from runs.tests.analysis.facts import capture, httpd, run
from runs.tests.analysis.judging import headline_of, table

Fields = dict[str, Any]
Ids = dict[int, int]
MADE = {"complete_requests": 20_000, "failed_requests": 0}
# Five runs of one config, noise 0.5 %: three sets, so that ratios are not exact
BASE, OTHER, THIRD = [1000.0, 1008, 995, 1003, 998], [1002.0, 996, 1007, 999, 1004], [997.0, 1005, 1001, 994, 1006]
NO_2XX = {"values": {"non_2xx_responses": 20_000}}
PAIR = ["nginx", "apache"]
MACHINES = [HostFact(1, "web1", cpu_model="Xeon E5", cores=4), HostFact(2, "web2", cpu_model="EPYC 7742", cores=64)]


def times(factor: float, rates: list[float] = OTHER) -> list[float]:
    return [round(rate * factor, 1) for rate in rates]


def failed(n: int, **fields: Any) -> Fields:
    return {"failed_requests": n, "values": {"failed_connect": n, "failed_length": 0}} | fields


def tail(ms: float) -> Fields:
    return {"percentiles_ms": [{"99": ms * (1 + at / 200)} for at in range(5)]}


def wrk(rate: int, *means: float) -> tuple[list[float], Fields]:
    return [float(rate)] * 3, {"tool": "wrk", "command": f"wrk -R{rate} -c10 http://h/", "mean_ms": list(means)}


def ab(options: str) -> Fields:
    return {"command": f"ab -n 20000 -c 10 {options}"}


def memory(config: int, ids: Ids, *mib: float) -> CaptureFact:
    return capture(config, processes=httpd(*mib))


def busy(config: int, ids: Ids, idle: float) -> CaptureFact:
    return capture(config, metrics={"cpu_id": idle, "cpu_us": 100 - idle})


def loader(config: int, ids: Ids, cpu_pct: float) -> CaptureFact:
    program = ProcessFact(9, "ab", "ab", 2000.0, cpu_pct, makes_load=True, one_thread=True)
    return capture(config, run=ids[config], metrics={"cpu_id": 50.0}, processes=(program,))


def stolen(config: int, ids: Ids, share: float) -> CaptureFact:
    return capture(config, run=ids[config], metrics={"cpu_st": share, "cpu_id": 50.0})


def head(
    *sides: Any, names: Any = None, in_turn: bool = True, hosts: Any = (), watched: Any = (), groups: Any = ()
) -> Headline:
    """sides: rates, or (rates, fields of the runs), lists with a value a run. watched: (maker of captures, config, figures)."""
    runs = []
    for config, side in enumerate(sides, 1):
        rates, fields = side if isinstance(side, tuple) else (side, {})
        for at, rate in enumerate(rates):
            own = {key: value[at] if isinstance(value, list) else value for key, value in (MADE | fields).items()}
            runs.append((at, config, run(config, rate, repeat=at + 1, **own)))
    ordered = sorted(runs, key=lambda each: each[:2]) if in_turn else runs
    lines = {id(each[2]): line for line, each in enumerate(ordered, 1)}
    for *_, each in runs:
        object.__setattr__(each, "line", lines[id(each)])  # the order of the runs in their text
    titles = names or "abcdefgh"[: len(sides)]
    configs = [ConfigFact(at, name, group=(groups[at - 1] if groups else "")) for at, name in enumerate(titles, 1)]
    ids = {config: each.id for _, config, each in reversed(runs)}
    captures = [make(config, ids, *figures) for make, config, *figures in watched]
    return headline_of(compare(configs, [each for *_, each in runs], captures), captures=captures, hosts=hosts)


def over(*configs: dict[int, Any]) -> Headline:
    """Each config as {concurrency: rates or (rates, fields)}."""
    runs = []
    for config, levels in enumerate(configs, 1):
        for clients, side in levels.items():
            rates, fields = side if isinstance(side, tuple) else (side, {})
            load = {"concurrency": clients, "mean_ms": 1000 * clients / rates[0]}
            runs += [run(config, rate, repeat=at, **(MADE | load | fields)) for at, rate in enumerate(rates, 1)]
    named = [ConfigFact(at, name) for at, name in enumerate(PAIR[: len(configs)], 1)]
    return headline_of(compare(named, runs, []))


def workloads(*sides: Any) -> Headline:
    return head(*sides, names=[*PAIR, *PAIR], groups=["GET /", "GET /", "GET /big", "GET /big"])


# name: (comparison, outcome, winner, change in per cent, next step)
CASES: dict[str, Any] = {
    "the second is 10 % faster": (lambda: head(BASE, times(1.1)), "better", "b", 10, "nothing"),
    "the baseline is 10 % faster": (lambda: head(times(1.1, BASE), OTHER), "better", "a", 10, "nothing"),
    "half as many are twice as many of the other": (lambda: head(BASE, times(0.5)), "better", "a", 100, "nothing"),
    "one run each": (lambda: head([1000.0], [1100.0]), "unproven", "b", 10, "repeat"),
    "one run each, equal": (lambda: head([1000.0], [1000.0]), "unproven", None, None, "repeat"),
    "equal": (lambda: head(BASE, OTHER), "same", None, None, "nothing"),
    "five runs against one": (lambda: head(BASE, [1300.0]), "unproven", "b", 30, "repeat"),
    "five against one, far apart": (lambda: head(BASE, [3500.0]), "likely", "b", 250, "repeat"),
    "three noisy runs each": (
        lambda: head([1000.0, 1300, 900], [1200.0, 1000, 1400]),
        *("unproven", "b", 12.5, "steady"),
    ),
    "the best of three against the second": (
        lambda: head(BASE, times(1.1), times(1.4, THIRD)),
        "better",
        "c",
        27,
        None,
    ),
    "40 each, half a per cent": (
        lambda: head((BASE + THIRD) * 4, (times(1.005) + times(1.005, THIRD)) * 4),
        *("same", None, None, "nothing"),
    ),
    "names with versions are no sweep": (
        lambda: head(BASE, times(1.1), times(1.3, THIRD), names=["nginx 1.18", "nginx 1.20", "nginx 1.22"]),
        *("better", "nginx 1.22", 18, None),
    ),
    # failures
    "the faster answers every sixth too late": (
        lambda: head(
            (BASE, {"tool": "wrk"}), (times(1.2), {"tool": "wrk", "values": {"socket_errors": {"timeout": 3400}}})
        ),
        *("failed", "a", None, "fix"),
    ),
    "nothing but errors at five times the rate": (lambda: head(BASE, (times(5), NO_2XX)), "failed", "a", None, "fix"),
    "the baseline fails": (lambda: head((times(5), failed(6000)), BASE), "failed", "b", None, "fix"),
    "the slower side fails 2 %": (lambda: head((BASE, failed(400)), times(1.1)), "better", "b", 10, "nothing"),
    "the faster side fails 2 %": (lambda: head(BASE, (times(1.1), failed(400))), "trade_off", "b", 10, "fix"),
    "the faster side fails half a per cent": (lambda: head(BASE, (times(1.1), failed(100))), "better", "b", 10, None),
    "both fail": (lambda: head((BASE, failed(1200)), (times(1.1), failed(1400))), "failed", None, None, "fix"),
    "the third fails, two rank": (
        lambda: head(BASE, times(1.2), (times(9), failed(10_000))),
        "failed",
        "b",
        None,
        "fix",
    ),
    "one run, twice as fast, a fifth fails": (
        lambda: head([1000.0], ([2000.0], failed(4000))),
        *("failed", "a", None, "fix"),
    ),
    "more failures than requests": (
        lambda: head([1000.0], ([1100.0], failed(30_000))),
        *("not_comparable", None, None, "mend"),
    ),
    "nothing was served in one run": (lambda: head([1000.0], [0.0]), "unproven", "a", None, "fix"),
    "nothing was served on either side": (lambda: head([0.0], [0.0]), "unproven", None, None, "fix"),
    "nothing was served in five runs": (lambda: head(BASE, [0.0] * 5), "better", "a", None, None),
    # other metrics
    "p99 13 times as long": (lambda: head((BASE, tail(117)), (times(1.1), tail(1520))), "trade_off", "b", 10, "choose"),
    "p99 12 % longer": (lambda: head((BASE, tail(100)), (times(1.1), tail(112))), "trade_off", "b", 10, "choose"),
    "the same, p99 five times as long": (
        lambda: head((BASE, tail(100)), (OTHER, tail(500))),
        "same",
        None,
        None,
        "choose",
    ),
    "a shorter tail as well": (lambda: head((BASE, tail(500)), (times(1.1), tail(100))), "better", "b", 10, "nothing"),
    "three times the memory": (
        lambda: head(BASE, times(1.1), watched=[(memory, 1, 20, 20), (memory, 2, 60, 60)]),
        *("trade_off", "b", 10, "choose"),
    ),
    "the same, five times the memory": (
        lambda: head(BASE, OTHER, watched=[(memory, 1, 20), (memory, 2, 100)]),
        *("same", None, None, "choose"),
    ),
    "three times the CPU time": (
        lambda: head(BASE, times(1.1), watched=[(busy, 1, 70.0), (busy, 2, 10.0)]),
        *("trade_off", "b", 10, "choose"),
    ),
    "twice the rate for twice the CPU time": (
        lambda: head(BASE, times(2), watched=[(busy, 1, 70.0), (busy, 2, 40.0)]),
        *("better", "b", 100, "nothing"),
    ),
    "less memory on the slower side": (
        lambda: head(BASE, times(0.9), watched=[(memory, 1, 300), (memory, 2, 20)]),
        *("trade_off", "a", 11, "choose"),
    ),
    "a longer mean time": (
        lambda: head(
            (BASE, {"mean_ms": times(0.1), "concurrency": 100}),
            (times(1.2), {"mean_ms": times(0.2), "concurrency": 100}),
        ),
        *("trade_off", "b", 20, "choose"),
    ),
    # unlike loads
    "keep-alive": (
        lambda: head((BASE, {"keepalive": False}), (times(3), {"keepalive": True}), names=PAIR),
        *("not_comparable", None, None, "alike"),
    ),
    "keep-alive is compared": (
        lambda: head(
            (BASE, {"keepalive": False}), (times(3), {"keepalive": True}), names=["nginx", "nginx keep-alive"]
        ),
        *("better", "nginx keep-alive", 200, "nothing"),
    ),
    "concurrency": (
        lambda: head((BASE, {"concurrency": 10}), (times(1.5), {"concurrency": 100}), names=PAIR),
        *("not_comparable", None, None, "alike"),
    ),
    "request methods": (
        lambda: head((BASE, ab("http://h/")), (times(0.7), ab("-p body.json http://h/")), names=PAIR),
        *("not_comparable", None, None, "alike"),
    ),
    "request methods are other work": (
        lambda: head((BASE, ab("http://h/")), (times(0.7), ab("-p body.json http://h/")), names=["GET", "POST"]),
        *("not_comparable", None, None, "alike"),
    ),
    "TLS": (
        lambda: head((BASE, ab("http://h/")), (times(0.5), ab("https://h/")), names=PAIR),
        *("not_comparable", None, None, "alike"),
    ),
    "document lengths": (
        lambda: head(
            (BASE, {"values": {"document_length_bytes": 10_000}}),
            (times(1.5), {"values": {"document_length_bytes": 100}}),
            names=PAIR,
        ),
        *("not_comparable", None, None, "answer"),
    ),
    "set rates": (lambda: head(wrk(100, 5, 5.1, 5.2), wrk(200, 7, 7.1, 7.2)), "not_comparable", None, None, "alike"),
    "one set rate, other times": (lambda: head(wrk(100, 5, 5.1, 5.2), wrk(100, 7, 7.1, 7.2)), "better", "a", -28, None),
    "tools": (
        lambda: head((BASE, {"tool": "ab"}), (times(1.5), {"tool": "wrk"})),
        "not_comparable",
        None,
        None,
        "alike",
    ),
    "machines": (
        lambda: head((BASE, {"host_id": 1}), (times(5), {"host_id": 2}), names=PAIR, hosts=MACHINES),
        *("not_comparable", None, None, "alike"),
    ),
    "machines are compared": (
        lambda: head((BASE, {"host_id": 1}), (times(5), {"host_id": 2}), names=["web1", "web2"], hosts=MACHINES),
        *("better", "web2", 400, "nothing"),
    ),
    "machines of providers are compared": (
        lambda: head(
            (BASE, {"host_id": 1}), (times(5), {"host_id": 2}), names=["EC2 t2.micro", "Hetzner CX21"], hosts=MACHINES
        ),
        *("better", "Hetzner CX21", 400, "nothing"),
    ),
    "servers on machines of providers": (
        lambda: head(
            (BASE, {"host_id": 1}),
            (times(5), {"host_id": 2}),
            names=["nginx on EC2", "Apache on Vultr"],
            hosts=MACHINES,
        ),
        *("not_comparable", None, None, "alike"),
    ),
    "the odd one out is the fastest": (
        lambda: head((BASE, {"keepalive": False}), (times(1.1), {"keepalive": False}), (times(4), {"keepalive": True})),
        *("better", "b", 10, "nothing"),
    ),
    "unlike loads, and one fails": (
        lambda: head((BASE, {"keepalive": False}), (times(3), failed(9000, keepalive=True)), names=PAIR),
        *("failed", "nginx", None, "fix"),
    ),
    # ranges and workloads
    "one config over levels": (lambda: over({1: [100.0], 10: [500.0], 50: [900.0]}), "sweep", None, None, "levels"),
    "one of two leads at all levels": (
        lambda: over({1: [100.0], 10: [500.0], 50: [900.0]}, {1: [120.0], 10: [650.0], 50: [1300.0]}),
        *("sweep", "apache", None, "levels"),
    ),
    "two that cross": (
        lambda: over({1: [100.0], 10: [500.0], 50: [900.0]}, {1: [80.0], 10: [400.0], 50: [1300.0]}),
        *("sweep", None, None, "levels"),
    ),
    "two levels that contradict": (
        lambda: over({10: BASE, 100: times(1.4)}, {10: times(1.2), 100: times(1.2, THIRD)}),
        *("trade_off", "apache · -c 10", 20, "choose"),
    ),
    "two levels, one leader": (
        lambda: over({10: BASE, 100: times(1.4)}, {10: times(1.2), 100: times(1.6, THIRD)}),
        *("better", "apache · -c 10", 20, "nothing"),
    ),
    "workloads that contradict": (
        lambda: workloads(BASE, times(1.2), times(1.3), BASE),
        *("trade_off", "nginx", 30, "choose"),
    ),
    "proven on one workload, the same on the other": (
        lambda: workloads(BASE, times(1.2), BASE, OTHER),
        *("better", "apache", 20, "nothing"),
    ),
    "no level without failures": (
        lambda: over({10: ([100.0], NO_2XX), 50: ([200.0], NO_2XX)}),
        "sweep",
        None,
        None,
        "fix",
    ),
    "one of two fails at all levels": (
        lambda: over({1: [100.0], 10: [500.0], 50: [900.0]}, {at: ([130.0 * at], NO_2XX) for at in (1, 10, 50)}),
        *("sweep", "nginx", None, "fix"),
    ),
    "the workers of a server": (
        lambda: head([500.0], [900.0], [1100.0], names=["2 workers", "4 workers", "8 workers"]),
        *("sweep", None, None, "levels"),
    ),
    # odd repeats, full generators, short runs
    "an outlier": (lambda: head([1000.0, 1005, 995, 1002, 450], times(1.1)), "unproven", "b", 24, "outlier"),
    "cold starts": (
        lambda: head([600.0, 1000, 1005, 998], [650.0, 1100, 1105, 1098], in_turn=False),
        *("unproven", "b", 9.7, "warm"),
    ),
    "an outlier in favour of the slower one": (
        lambda: head([1000.0, 1005, 995, 1002, 2200], times(1.1)),
        *("unproven", None, None, "outlier"),
    ),
    "drift in blocks": (
        lambda: head([1000.0, 990, 980, 970, 960], [950.0, 940, 930, 920, 910], in_turn=False),
        *("unproven", "a", 5.4, "repeat"),
    ),
    "drift in turn": (
        lambda: head([1000.0, 980, 960, 940, 920], [1090.0, 1068, 1046, 1024, 1002]),
        *("better", "b", 9, "nothing"),
    ),
    "CPU time stolen from one": (
        lambda: head(BASE, times(1.1), watched=[(stolen, 1, 31.4), (stolen, 2, 0.2)]),
        *("not_comparable", None, None, "alike"),
    ),
    "CPU time stolen from both": (
        lambda: head(BASE, times(1.1), watched=[(stolen, 1, 31.4), (stolen, 2, 30.0)]),
        *("better", "b", 10, "nothing"),
    ),
    "a full generator, one run": (
        lambda: head([1000.0], [1100.0], watched=[(loader, 1, 99.0), (loader, 2, 100.0)]),
        *("unproven", "b", 10, "generator"),
    ),
    "a full generator beside both": (
        lambda: head(BASE, times(1.1), watched=[(loader, 1, 99.0), (loader, 2, 100.0)]),
        *("unproven", "b", 10, "generator"),
    ),
    "a full generator beside the slower": (
        lambda: head(BASE, times(1.1), watched=[(loader, 1, 99.0), (loader, 2, 60.0)]),
        *("unproven", "b", 10, "generator"),
    ),
    "a full generator beside the faster": (
        lambda: head(BASE, times(1.1), watched=[(loader, 1, 60.0), (loader, 2, 99.0)]),
        *("better", "b", 10, "generator"),
    ),
    "a full generator, the same": (
        lambda: head(BASE, OTHER, watched=[(loader, 1, 99.0), (loader, 2, 100.0)]),
        *("same", None, None, "generator"),
    ),
    "runs of a tenth of a second": (
        lambda: head((BASE, {"complete_requests": 100}), (times(1.1), {"complete_requests": 100})),
        *("better", "b", 10, "longer"),
    ),
    # without rates
    "times alone": (
        lambda: head(([None] * 5, {"mean_ms": times(0.1, BASE)}), ([None] * 5, {"mean_ms": times(0.05)})),
        *("better", "b", -50, "nothing"),
    ),
    "one time each": (
        lambda: head(([None], {"mean_ms": 100.0}), ([None], {"mean_ms": 130.0})),
        "unproven",
        "a",
        -23,
        "repeat",
    ),
    "one config": (lambda: head(BASE), "single", None, None, "compare"),
    "an infinite rate": (lambda: head(BASE, [float("inf")] * 5), "single", None, None, "compare"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_headline_is_what_an_engineer_would_say(case):
    build, outcome, winner, change, step = CASES[case]
    found = build()
    assert (found.outcome, found.winner and found.winner.title) == (outcome, winner)
    assert found.change_pct == (found.change_pct if change is None else pytest.approx(change, abs=1))
    assert step in (None, found.next.step)
    # The page's line is of the same side as the sentence, and neither tells of no difference where one leads.
    lead = write_lead(found)
    assert "0.0 %" not in lead.text + found.sentence
    assert winner is None or outcome == "failed" or lead.at == found.winner.at


def test_of_two_configs_the_chart_and_the_table_have_the_effect_of_the_headline():
    for sides in ([times(1.37, BASE), OTHER], [BASE, times(1.37)]):
        comparison = table(*sides)
        found = headline_of(comparison)
        bars = make_throughput_bars(comparison, found)
        assert [bool(bar.change) for bar in bars] == [bar.name == found.winner.title for bar in bars]
        assert f"+{found.change_pct:.0f} %" in [bar.change for bar in bars]
        said = describe_lead(found, comparison.bases, ("a", "b"))
        assert said == ({0: f"{found.change_pct:.0f} % more than b"} if found.winner.at == 0 else {})


def test_a_config_that_does_not_count_has_no_effect_beside_its_figure():
    comparison = table(BASE, times(2.5))
    assert set_baselines(comparison, comparison.bases).row("requests_per_second").cells[1].delta
    assert (
        set_baselines(comparison, comparison.bases, silent={1: "why"}).row("requests_per_second").cells[1].delta is None
    )


def rules_against(found: Headline) -> list[tuple[str, str]]:
    return [(objection.rule, objection.config) for objection in found.against]


def test_a_config_that_leads_on_all_of_several_workloads_is_said_first():
    on = ["GET", "GET", "SET", "SET", "INCR", "INCR"]
    found = head(BASE, times(1.2), BASE, times(1.1), BASE, times(1.5), names=PAIR * 3, groups=on)
    assert found.sentence.startswith("“apache” leads on all 3 workloads, by 10 % (SET) to 50 % (INCR). On INCR: ")
    split = head(BASE, times(1.2), times(1.1), BASE, BASE, times(1.5), names=PAIR * 3, groups=on)
    alike = head(BASE, times(1.2), BASE, OTHER, BASE, times(1.5), names=PAIR * 3, groups=on)
    assert not any("leads on all" in one.sentence for one in (split, alike))


def test_sides_that_are_alike_at_a_set_rate_merely_served_it():
    found = head(wrk(2000, 2.0, 2.01, 2.0), wrk(2000, 2.01, 2.0, 2.0))
    assert (found.outcome, found.set_rate) == ("same", 2000)
    assert "Both merely served the 2,000 requests per second that were asked for" in found.sentence
    assert "at 2,000 requests per second, as asked for" in write_lead(found).under
    assert "merely" not in head(BASE, OTHER).sentence


def test_a_set_rate_that_a_side_did_not_reach_speaks_before_its_shorter_times():
    """Its times are of less load: that the leader's are longer is no objection to the leader."""
    p95 = {"percentiles_ms": [{"95": ms} for ms in (240.0, 250.0, 245.0)]}
    less = {"percentiles_ms": [{"95": ms} for ms in (190.0, 192.0, 191.0)]}
    full, short = wrk(500, 60, 61, 62)[1], wrk(500, 55, 56, 57)[1]
    slow = head(
        ([498.0, 499.0, 499.5], full | p95), ([372.0, 371.0, 373.0], short | less | {"complete_requests": 14_880})
    )
    assert rules_against(slow) == [("load.missed_rate", "b")]
    kept = head(([498.0, 499.0, 499.5], full | p95), ([498.1, 499.2, 499.4], full | less))
    assert "load.missed_rate" not in dict(rules_against(kept))


def test_configs_that_reached_a_set_rate_are_compared_by_their_times_beside_one_that_did_not():
    full, short = wrk(500, 60)[1], wrk(500, 55)[1] | {"complete_requests": 14_880}
    sides = (
        ([499.8], full | {"mean_ms": 12.0}),
        ([499.9], full | {"mean_ms": 15.0}),
        ([372.0], short | {"mean_ms": 60.0}),
    )
    found = head(*sides, names=("go", "java", "node"))
    assert (found.metric, found.winner and found.winner.title) == ("mean_ms", "go")
    assert [(name, why) for name, why, _ in found.dropped] == [("node", "it did not reach the set rate")]
    assert head(sides[0], sides[2], names=("go", "node")).dropped == ()  # of two, that is the difference


def test_what_k6_drops_at_a_set_rate_was_due_and_its_users_that_stand_by_are_not_idle():
    shared = {"tool": "k6", "command": "k6 run a.js", "mean_ms": 60.0, "concurrency": 200}
    dropped = {"dropped_iterations": {"count": 7680}, "iterations": {"count": 22320}}
    found = head(([500.0], shared), ([372.0], shared | {"concurrency": None, "values": dropped}))
    assert rules_against(found) == [("load.missed_rate", "b")]
    assert ("load.idle_clients", "a") in rules_against(head(([500.0], shared), ([372.0], shared | {"mean_ms": 500.0})))


@pytest.mark.parametrize(("day", "rules", "step"), [(4, [], "nothing"), (5, ["differs"], "alike")])
def test_days_that_lie_apart_are_told_and_prove_nothing_until_both_run_on_one(day, rules, step):
    at = {"ran_at": datetime(2023, 3, 3, 23, 0, tzinfo=UTC)}
    found = head((BASE, at), (times(1.1), at | {"ran_at": datetime(2023, 3, day, 1, 0, tzinfo=UTC)}))
    assert (found.outcome, [one.rule for one in found.against], found.next.step) == (
        "likely" if rules else "better",
        rules,
        step,
    )
    assert check_headline(found, {"a"}) == FINE  # an earlier commit mostly ran on another day
    dated = head(
        (BASE, at), (times(1.1), at | {"ran_at": datetime(2023, 3, 9, tzinfo=UTC)}), names=["2023-03-03", "2023-03-09"]
    )
    assert dated.against == ()


@pytest.mark.parametrize(
    ("own", "other", "about"),
    [
        ({"values": {"loaded_from": "web2"}}, {"values": {"loaded_from": "laptop"}}, "load generator"),
        (ab("-t 2"), ab("-t 2 -H 'Accept-Encoding: gzip'"), "request header"),
        ({"values": {"conditions": "--cpus=2"}}, {"values": {"conditions": "--cpus=4"}}, "condition"),
    ],
)
def test_what_else_differs_keeps_a_lead_from_being_proven(own, other, about):
    found = head((BASE, own), (times(1.3), other))
    assert (found.outcome, found.next.step, found.next.about) == ("likely", "alike", about)
    assert check_headline(found, {"a"}) == UNDECIDED
    once = head(([1000.0], own), ([5000.0], other))
    assert (once.outcome, once.next.about) == ("unproven", about)


def test_what_differs_links_to_a_line_of_the_leader_or_of_the_monitor():
    lengths = [{"values": {"document_length_bytes": bytes}} for bytes in (9000, 100)]
    found = head((BASE, lengths[0]), (times(1.1), lengths[1]))
    assert [one.source.line for one in found.against] == [2]  # the runs are in turn
    found = head(BASE, times(1.1), watched=[(stolen, 1, 31.4), (stolen, 2, 0.2)])
    assert (found.next.about, found.against[0].source.url[:13]) == ("stolen CPU time", "/uploads/1/#L")


@pytest.mark.parametrize(("between", "left"), [(1600, "a"), (5000, "ac")])
def test_a_column_between_two_groups_is_compared_with_the_larger_one_where_it_may(between, left):
    """Pages of 1,600 bytes may be held against those of 1,000 and those of 2,400, which differ too much."""
    lengths = [1000, 2400, between, 2400, 2400]
    sides = [(times(2 - at / 10), {"values": {"document_length_bytes": length}}) for at, length in enumerate(lengths)]
    found = head(*sides)
    assert found.dropped == tuple((name, "document length differs", None) for name in left)


def test_a_run_that_somebody_stopped_is_told_of_either_side():
    stopped = {"command": "ab -n 100000 -c 10 http://h/", "complete_requests": 6213}
    asked = stopped | {"complete_requests": 100_000}
    assert rules_against(head(([1000.0], asked), ([1200.0], stopped))) == [("tool.interrupted", "b")]
    assert rules_against(head(([1000.0], stopped), ([1200.0], asked))) == [("tool.interrupted", "a")]
    both = head(([1000.0], stopped), ([1200.0], stopped | {"complete_requests": 7150}))
    assert [(one.config, one.value) for one in both.against] == [("b", 7150), ("a", 6213)]


def test_answers_that_came_too_late_fail_a_level_of_a_sweep():
    wrk = {"tool": "wrk"}
    late = wrk | {"values": {"socket_errors": {"connect": 0, "read": 0, "write": 0, "timeout": 3000}}}
    found = over({10: ([100.0], wrk), 20: ([180.0], wrk), 40: ([120.0], late)})
    assert (found.outcome, "15 % of the requests fail at 40" in found.sentence) == ("sweep", True)
