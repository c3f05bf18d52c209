"""Made comparisons with one trap each that makes the rates mislead: what the headline says of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from runs.analysis.doubt_case import Doubt, Part
from runs.analysis.facts import CaptureFact, Finding, HostFact, ProcessFact
from runs.analysis.headline_lead import give_reasons, write_lead
from runs.tests.analysis.facts import capture
from runs.tests.analysis.test_headline_cases import (
    BASE,
    PAIR,
    THIRD,
    Ids,
    ab,
    failed,
    head,
    over,
    rules_against,
    stolen,
    tail,
    times,
)


def programs(
    config: int, ids: Ids, *used: tuple[str, float, int], phase: str = "during", tool: str = "top"
) -> CaptureFact:
    """used: (program, per cent of a core, KiB)."""
    processes = [ProcessFact(pid, name, name, kb, share) for pid, (name, share, kb) in enumerate(used, 1)]
    return capture(config, phase, run=ids[config], metrics={"cpu_id": 20.0}, processes=tuple(processes), tool=tool)


def to(hostname: str, **fields: Any) -> dict[str, Any]:
    return {"hostname": hostname, **fields}


SERVER = ("php-fpm", 60.0, 80_000)
BACKUP = ("mysqldump", 98.0, 40_000)


def test_soft_interrupts_of_the_machine_that_made_the_load_slow_no_config():
    """Made: of the slower side the load generator was watched, of the other one the server."""
    hosts = HostFact(1, "web1"), HostFact(2, "loadgen")

    def watch(config: int, ids: Ids, share: float, host: int) -> CaptureFact:
        return capture(config, run=ids[config], metrics={"cpu_id": 50.0, "busiest_core_si": share}, host_id=host)

    for host, outcome in ((1, "likely"), (2, "better")):
        watched = [(watch, 1, 92.0, host), (watch, 2, 3.0, 1)]
        on_server = {"host_id": 1, "hostname": "web1"}
        found = head((BASE, on_server), (times(1.3), on_server), hosts=hosts, watched=watched)
        assert found.outcome == outcome


def test_a_program_beside_the_slower_side_only_keeps_the_lead_unproven():
    found = head(BASE, times(1.3), watched=[(programs, 1, SERVER, BACKUP), (programs, 2, SERVER)])
    assert (found.outcome, found.next.about) == ("unproven", "machine.others")
    assert "“mysqldump” used 98 % of a core beside “a” only" in found.sentence
    beside_leader = head(BASE, times(1.3), watched=[(programs, 1, SERVER), (programs, 2, SERVER, BACKUP)])
    assert (beside_leader.outcome, rules_against(beside_leader)) == ("better", [("machine.others", "b")])


@pytest.mark.parametrize(
    ("one", "two", "outcome", "rules"),
    [
        ([("goapp", 95.0, 120_000)], [("javaapp", 380.0, 7_200_000)], "trade_off", ["memory", "cpu"]),
        ([("nginx", 95.0, 9000)], [("apache2", 97.0, 9100)], "better", []),
        ([("apache2", 95.0, 900_000)], [("nginx", 40.0, 9000)], "better", []),
        ([("nginx", 95.0, 9000), SERVER], [("apache2", 99.0, 250_000), SERVER], "better", []),  # php-fpm serves in both
        (
            [("nginx", 60.0, 9000), ("orders", 98.0, 40_000)],
            [("apache2", 60.0, 80_000)],
            "better",
            [],
        ),  # is a part of it
        ([("firefox", 0.0, 120_000)], [("gnome-shell", 0.0, 7_200_000)], "better", []),  # serve nothing
    ],
)
def test_what_serving_costs_is_compared_where_no_program_serves_on_both_sides(one, two, outcome, rules):
    """Made, as the others."""
    containers = partial(programs, tool="docker_stats")
    found = head(BASE, times(1.3), watched=[(containers, 1, *one), (containers, 2, *two)])
    assert (found.outcome, [one.rule for one in found.against]) == (outcome, rules)


def test_a_program_that_never_serves_is_told_beside_one_of_two_unlike_servers():
    """Made, as the others. In a listing before a run, and in one without memory, as well."""
    other = [("nginx", 60.0, 80_000)]
    for beside in ("mysqldump", "unattended-upgr", "cc1plus"):
        found = head(BASE, times(1.3), watched=[(programs, 1, *other, (beside, 98.0, 0)), (programs, 2, SERVER)])
        assert (found.outcome, rules_against(found)) == ("unproven", [("machine.others", "a")])
    alone = head(BASE, times(1.3), watched=[(programs, 1, *other, BACKUP)])
    assert "98 % of a core beside “a”, and the other side was not watched" in alone.sentence
    before = partial(programs, phase="before")
    found = head(BASE, times(1.3), watched=[(before, 1, *other, BACKUP), (before, 2, SERVER)])
    assert (found.outcome, rules_against(found)) == ("unproven", [("machine.others", "a")])


@pytest.mark.parametrize(
    ("one", "two", "names", "is_told"),
    [
        ([("java", 187.0, 9000)], [], PAIR, True),
        ([("blender", 98.0, 9000)], [], ("Nginx 1.24", "apache"), True),
        ([("java", 60.0, 9000)], [], PAIR, False),
        ([("java", 187.0, 9000)], [("java", 40.0, 9000)], PAIR, False),
        ([("php-fpm", 187.0, 9000)], [], PAIR, False),  # answers for nginx
        ([("orders-db", 187.0, 9000)], [], PAIR, False),
        ([("java", 187.0, 9000)], [], ("nginx + Spring", "apache"), False),  # may be what is behind it
        ([("java", 187.0, 9000)], [], ("old", "new"), False),
    ],
)
def test_a_program_with_a_core_beside_one_of_two_servers_that_the_configs_are_named_after_is_told(
    one, two, names, is_told
):
    """Made, as the others: of other names it may be a part of what is measured."""
    beside = [(programs, 1, ("nginx", 60.0, 9000), *one), (programs, 2, ("apache2", 60.0, 9000), *two)]
    found = head(BASE, times(1.3), names=names, watched=beside)
    assert found.outcome == ("unproven" if is_told else "better")
    assert head(BASE, times(1.3), names=names, watched=beside[:1]).outcome == "better"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ([SERVER, BACKUP], [SERVER, BACKUP]),  # beside both
        ([("nginx", 60.0, 0), ("kworker/1:2", 98.0, 0)], [("nginx", 60.0, 0)]),  # of a monitor that shows no memory
        ([SERVER, ("mysqld", 98.0, 40_000)], [SERVER]),  # serves, too
        ([SERVER, ("kswapd0", 98.0, 0)], [SERVER]),  # of the kernel
        ([SERVER, ("mysqldump", 9.0, 40_000)], [SERVER]),  # too little to matter
        ([("nginx", 60.0, 9000), ("orders", 98.0, 40_000)], [SERVER]),  # other servers: anything may belong to them
        ([("nginx", 60.0, 80_000), BACKUP], [SERVER, BACKUP]),
        ([("hello-a", 60.0, 9000)], [("hello-b", 60.0, 9000)]),
    ],
)
def test_what_belongs_to_a_server_or_runs_beside_both_is_no_other_program(one, two):
    found = head(BASE, times(1.3), watched=[(programs, 1, *one), (programs, 2, *two)])
    assert (found.outcome, rules_against(found)) == ("better", [])


def test_a_network_at_its_limit_beside_the_slower_side_keeps_the_lead_unproven():
    one_mb = {"values": {"document_length_bytes": 1_000_000}}
    slow, fast = [117.1, 117.3, 117.2], [160.0, 161.0, 160.5]
    found = head((slow, to("10.0.0.5", **one_mb)), (fast, to("10.0.0.5", **one_mb)))
    assert (found.outcome, found.next.step) == ("unproven", "generator")
    assert "the network was at its limit beside “a”" in found.sentence
    same = head((slow, to("10.0.0.5", **one_mb)), ([117.2, 117.1, 117.3], to("10.0.0.5", **one_mb)))
    assert same.outcome == "same"
    assert "but the network was at its limit, so it may be what was measured" in same.sentence
    assert head((slow, to("localhost", **one_mb)), (fast, to("localhost", **one_mb))).outcome == "better"
    varies = head(([116.5, 118.3, 117.2], to("10.0.0.5", **one_mb)), (fast, to("10.0.0.5", **one_mb)))
    assert (varies.outcome, rules_against(varies)) == ("better", [])  # as a server does, and no network


def test_wrong_answers_by_the_checks_of_a_script_are_failures():
    def k6(bad: int) -> dict[str, Any]:
        checks = {"checks_failed": {"pct": 0.0, "passes": bad, "fails": 20_000 - bad}}
        return {"tool": "k6", "command": "k6 run a.js", "values": checks}

    found = head((BASE, k6(0)), (times(1.4), k6(8000)))
    assert (found.outcome, found.winner.title) == ("failed", "a")
    assert "“b” failed 40 % of its checks" in found.sentence
    assert "2 % of its checks failed" in head((BASE, k6(0)), (times(1.4), k6(400))).sentence


def test_checks_that_held_less_than_never_are_none():
    """Found by make fuzz: figures below 0 whose sum with the others is 0."""
    checks = {"tool": "k6", "values": {"checks_failed": {"pct": 0.0, "passes": 40, "fails": -40}}}
    assert "“b” failed all of its checks" in head((BASE, {"tool": "k6"}), (times(1.4), checks)).sentence


def test_few_answers_behind_the_timeout_are_said_and_decide_nothing():
    late = {"tool": "wrk", "values": {"socket_errors": {"connect": 0, "read": 0, "write": 0, "timeout": 60}}}
    found = head((BASE, {"tool": "wrk"}), (times(1.2), late))
    assert (found.outcome, found.next.step) == ("better", "nothing")
    assert "but 0.3 % of its requests were answered too late" in found.sentence


def test_answers_behind_the_timeout_are_counted_where_they_took_much_of_the_clients_time():
    """722 of 2 s each are 19 % of what 512 clients have in 15 s, however many requests were answered."""
    wrk = {"tool": "wrk", "concurrency": 512, "duration_s": 15.0, "complete_requests": 3_480_465}
    late = wrk | {"values": {"socket_errors": {"connect": 0, "read": 0, "write": 0, "timeout": 722}}}
    few = late | {"values": {"socket_errors": {"connect": 0, "read": 0, "write": 0, "timeout": 30}}}
    slow, fast = [231_080.0], [4_382_914.0]
    assert "“b” answered 722 of its requests too late" in head((fast, wrk), (slow, late)).sentence
    assert "“b” answered 722 of its requests too late" in head(([23_108.0], wrk), (slow, late)).sentence
    assert "too late" not in head((fast, wrk), (slow, few)).sentence


def test_connections_that_one_side_closed_are_said():
    kept = {"keepalive": True, "values": {"keepalive_requests": 20_000}}
    closed = {"keepalive": True, "values": {"keepalive_requests": 0}}
    assert "“a” closed connections that were to be kept open" in head((BASE, closed), (times(2), kept)).sentence
    assert rules_against(head((BASE, closed), (times(2), closed))) == []


@pytest.mark.parametrize(
    ("one", "two", "names", "outcome"),
    [
        ("192.168.1.20", "localhost", PAIR, "not_comparable"),
        ("www.example.org", "127.0.0.1", PAIR, "not_comparable"),
        ("192.168.1.20", "localhost", ["over the network", "localhost"], "better"),
        ("web1", "localhost", PAIR, "better"),  # perhaps the machine's own name
        ("172.17.0.2", "localhost", PAIR, "better"),  # a container there
        ("site.test", "localhost", PAIR, "better"),
    ],
)
def test_localhost_against_a_network_is_not_comparable_where_it_is_not_compared(one, two, names, outcome):
    assert head((BASE, to(one)), (times(1.3), to(two)), names=names).outcome == outcome


def test_a_rate_that_is_set_of_each_client_is_one():
    hey = {"tool": "hey", "command": "hey -n 20000 -c 50 http://h/"}
    found = head((BASE, hey), (times(0.9), hey | {"command": "hey -n 20000 -c 50 -q 20 http://h/"}), names=PAIR)
    assert found.outcome == "not_comparable"
    connecting = {"tool": "h2load", "command": "h2load -n 20000 -c 50 http://h/"}
    found = head((BASE, connecting), (BASE, connecting | {"command": "h2load -n 20000 -c 50 -r 10 http://h/"}))
    assert found.outcome == "same"  # so many connections are opened a second


def test_a_sweep_says_who_is_ahead_where():
    found = over({1: [100.0], 10: [500.0], 50: [900.0]}, {1: [80.0], 10: [400.0], 50: [1300.0]})
    assert found.sentence.startswith("“nginx” is ahead at 1 to 10 connections, “apache” at 50. “apache”: ")
    assert (
        "is ahead" not in over({1: [100.0], 10: [500.0], 50: [900.0]}, {1: [80.0], 10: [400.0], 50: [700.0]}).sentence
    )
    tied = over({1: [100.0], 10: [500.0], 50: [900.0]}, {1: [99.9], 10: [499.0], 50: [1300.0]})  # paused clients
    assert tied.sentence.startswith("None is ahead at 1 to 10 connections, “apache” at 50. ")


def test_no_row_is_better_where_a_program_beside_the_slower_side_could_be_all_of_it():
    """Of three configs the one beside which nothing else ran is still told apart."""
    sides = (BASE, ab("http://h/")), (times(1.3), ab("http://h/")), (times(1.6), ab("http://h/"))
    found = head(*sides, watched=[(programs, 1, SERVER), (programs, 2, SERVER, BACKUP), (programs, 3, SERVER)])
    assert (found.outcome, found.winner.title, found.loser.title) == ("unproven", "c", "b")


def test_beside_a_side_that_failed_the_others_are_told_as_they_would_be_by_themselves():
    broken = times(9), failed(10_000)
    unlike = head((BASE, {"keepalive": False}), (times(3), {"keepalive": True}), broken, names=[*PAIR, "iis"])
    assert "The others are not comparable: keep-alive on for “apache”, off for “nginx”." in unlike.sentence
    same = head(BASE, times(1), broken, names=[*PAIR, "iis"])
    assert "Of those that did not fail, “apache” and “nginx” serve the same number" in same.sentence


def test_of_three_the_one_that_was_loaded_another_way_is_left_out():
    far, near = to("10.0.0.5"), to("localhost")
    found = head((BASE, far), (times(1.4), near), (times(1.2, THIRD), far), names=[*PAIR, "iis"])
    assert (found.outcome, found.winner.title) == ("better", "iis")
    assert "Not counted: “apache” (loaded through localhost against a network)" in found.sentence


def test_a_load_over_ipv6_against_one_over_ipv4_leaves_the_lead_likely():
    found = head((BASE, to("[::1]")), (times(1.3), to("127.0.0.1")))
    assert found.outcome == "likely"
    assert "IP version differs: IPv4 against IPv6" in found.sentence
    assert head((BASE, to("localhost")), (times(1.3), to("127.0.0.1"))).outcome == "better"
    assert head((BASE, to("[::1]")), (times(1.3), to("127.0.0.1")), names=["IPv6", "IPv4"]).outcome == "better"


def fails(n: int) -> dict[str, Any]:
    return failed(n, complete_requests=20_000)


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        (0, 0, ""),
        (240, 0, "“a” failed 1.2 % of its requests"),  # of the slower side
        (812, 701, "“b” failed 3.5 % of its requests and “a” failed 4.1 % of its requests"),
        (100, 0, ""),  # too few
    ],
)
def test_failures_of_either_side_are_in_the_sentence(one, two, said):
    sentence = head((BASE, fails(one)), (times(1.3), fails(two))).sentence
    assert said in sentence if said else "failed" not in sentence


def test_a_generator_with_most_of_a_machine_without_idle_time_is_said_of_a_tie():
    def full(config: int, ids: Ids, cpu_pct: float) -> CaptureFact:
        found = (
            ProcessFact(9, "wrk", "wrk", 11_000.0, cpu_pct, makes_load=True),
            ProcessFact(1, "nginx", "nginx", 12_000.0, 30.0),
        )
        return capture(config, run=ids[config], metrics={"cpu_id": 0.3}, processes=found)

    tie = [1000.0, 1001, 999, 1000, 1000.5]
    found = head(tie, tie[::-1], watched=[(full, 1, 368.0), (full, 2, 366.0)])
    assert (found.outcome, "load generator was at its limit" in found.sentence) == ("same", True)
    assert "load generator" not in head(tie, tie[::-1], watched=[(full, 1, 60.0), (full, 2, 60.0)]).sentence


def test_paths_that_the_names_have_are_what_is_compared():
    sides = [(BASE, {"path": "/api/v1/orders"}), (times(1.3), {"path": "/api/v2/orders"})]
    assert head(*sides, names=["/api/v1 (old)", "/api/v2 (new)"]).outcome == "better"
    assert head(*sides, names=["rails", "hanami"]).outcome == "not_comparable"


@pytest.mark.parametrize(
    ("names", "outcome"),
    [
        (("До оптимізації — N+1", "Після оптимізації — GROUP BY"), "better"),
        (("before", "after: one query"), "better"),
        (("优化前", "优化后"), "better"),
        (("before", "the list before that"), "not_comparable"),
        (("rails", "hanami, after an upgrade"), "not_comparable"),
    ],
)
def test_another_path_after_a_change_is_said_and_stops_no_verdict(names, outcome):
    found = head((BASE, {"path": "/before_n1.php"}), (times(1.3), {"path": "/api/users"}), names=names)
    assert found.outcome == outcome
    assert "path" in found.sentence


def sockets(config: int, ids: Ids, waiting: float) -> CaptureFact:
    return capture(config, run=ids[config], metrics={"tcp_time_wait": waiting})


def test_a_client_without_free_ports_beside_the_slower_side_keeps_the_lead_unproven():
    found = head(BASE, times(1.3), watched=[(sockets, 1, 28_210.0), (sockets, 2, 3010.0)])
    assert (found.outcome, found.next.about) == ("unproven", "generator.ports")
    assert "the load generator was out of local ports beside “a”, so it may be what was measured" in found.sentence
    assert found.next.text.startswith("Keep connections open (keep-alive)")
    beside_leader = head(BASE, times(1.3), watched=[(sockets, 1, 3010.0), (sockets, 2, 28_210.0)])
    assert (beside_leader.outcome, rules_against(beside_leader)) == ("better", [("generator.ports", "b")])
    assert head(BASE, times(1.3), watched=[(sockets, 1, 40_000.0)]).outcome == "better"  # of more ports than were given


def logged(config: int, ids: Ids, phase: str, limit: str) -> CaptureFact:
    return capture(config, run=ids[config], tool="limit_log", phase=phase, metrics={f"reached_{limit}": 2.0})


def test_a_limit_of_the_machine_in_a_log_beside_the_slower_side_only_leaves_the_lead_likely():
    for limit, said in (
        ("memory", "a process that was killed for lack of memory"),
        ("nf_conntrack", "a full table of tracked connections"),
        ("listen_queue", "a full queue of new connections"),
        ("tcp_memory", "no memory left for TCP"),
        ("neighbours", "a full table of neighbours on the network"),
    ):
        found = head(BASE, times(1.3), watched=[(logged, 1, "after", limit)])
        assert (found.outcome, found.next.about) == ("likely", "machine.log")
        assert f"but the log tells of {said} beside “a” only, which could be all of it" in found.sentence
        assert found.next.text.startswith("Raise that limit of the machine")
    for watched in (
        [(logged, 1, "before", "memory")],
        [(logged, 1, "after", "MaxClients")],  # a config's own
        [(logged, 2, "after", "memory")],
        [(logged, 1, "after", "memory"), (logged, 2, "after", "memory")],
    ):
        found = head(BASE, times(1.3), watched=watched)
        assert (found.outcome, rules_against(found)) == ("better", [])


def throttled(config: int, ids: Ids, phase: str, **metrics: float) -> CaptureFact:
    return capture(config, phase, run=ids[config], tool="cgroup", metrics=metrics)


def test_a_server_that_was_throttled_at_a_cpu_limit_on_the_slower_side_only_leaves_the_lead_likely():
    total, rates = {"cgroup_app_throttled_total_pct": 31.0}, {"cgroup_throttled_periods_per_s": 3.1}
    rates["cgroup_periods_per_s"] = 10.0
    for phase, metrics in (("after", total), ("during", rates)):
        found = head(BASE, times(1.3), watched=[(partial(throttled, **metrics), 1, phase)])
        assert (found.outcome, found.next.about) == ("likely", "machine.throttled")
        assert "but “a” alone was throttled at its CPU limit, in 31 % of the scheduler's periods" in found.sentence
    slow, fast = ((partial(throttled, **total), at, "after") for at in (1, 2))
    for watched in ([fast], [slow, fast], [(partial(throttled, **total), 1, "before")]):
        assert head(BASE, times(1.3), watched=watched).outcome == "better"
    low = partial(throttled, cgroup_app_throttled_total_pct=2.0)
    assert head(BASE, times(1.3), watched=[(low, 1, "after")]).outcome == "better"
    assert head(BASE, times(1.3), watched=[slow], names=["1 CPU", "2 CPUs"]).outcome == "better"


def seen(config, ids, **metrics):
    return capture(config, run=ids[config], metrics={"cpu_id": 50.0 - metrics.get("cpu_wa", 0.0), **metrics})


@pytest.mark.parametrize(
    ("slow", "fast", "said"),
    [
        ({"cpu_wa": 41.0}, {"cpu_wa": 0.0}, "41 % of the CPU time waiting for a disk"),
        ({"cpu_wa": 41.0, "blocked": 2.0}, {"cpu_wa": 3.0}, "41 % of the CPU time waiting for a disk"),
        ({"accept_queue_full": 1.0}, {"accept_queue_full": 0.0}, "a full accept queue"),
        ({"busiest_core_si": 94.7}, {"busiest_core_si": 3.1}, "95 % of the time of one core in soft interrupts"),
        ({"tcp_listen_drops_per_s": 48.2}, {"tcp_listen_drops_per_s": 0.0}, "48 connections dropped a second"),
        ({"busiest_core_si": 94.7}, {"busiest_core_si": 88.0}, ""),
        ({"cpu_wa": 41.0}, {"cpu_wa": 38.0}, ""),
        ({"cpu_wa": 3.0}, {"cpu_wa": 0.0}, ""),
        ({"cpu_wa": 0.0}, {"cpu_wa": 41.0}, ""),  # and leads in spite of it
        ({"cpu_wa": 41.0, "blocked": 0.0}, {"cpu_wa": 0.0}, ""),  # nothing waited
        ({"accept_queue_full": 1.0}, {"accept_queue_full": 1.0}, ""),
        ({"cpu_wa": 41.0}, {}, ""),  # nobody looked
    ],
)
def test_what_monitors_saw_beside_the_slower_side_and_not_the_other_may_be_all_of_the_lead(slow, fast, said):
    watched = [(partial(seen, **metrics), at) for at, metrics in enumerate((slow, fast), 1)]
    found = head(BASE, times(1.3), watched=watched)
    assert found.outcome == ("likely" if said else "better")
    assert (f"the text tells of {said} beside “a” only" in found.sentence) is bool(said)
    if "cpu_wa" in slow:
        assert head(BASE, times(1.3), watched=watched, names=["fsync on", "fsync off"]).outcome == "better"


def test_much_stolen_time_beside_the_slower_side_leaves_the_lead_likely_where_nobody_watched_the_other():
    found = head(BASE, times(1.3), watched=[(stolen, 1, 24.0)])
    assert (found.outcome, found.next.about) == ("likely", "machine.steal")
    assert "24 % of the CPU time was stolen beside “a”, and the other side was not watched" in found.sentence
    for watched in ([(stolen, 2, 24.0)], [(stolen, 1, 6.0)], [(stolen, 1, 24.0), (stolen, 2, 23.0)]):
        assert head(BASE, times(1.3), watched=watched).outcome == "better"


@pytest.mark.parametrize(
    ("slow", "fast", "outcome"),
    [
        ("Apache (cold start, right after reboot)", "nginx (after warm-up)", "likely"),
        ("Apache, cold cache", "nginx", "likely"),
        ("Apache", "nginx, cold cache", "better"),
        ("nginx, cold", "nginx, warm", "better"),  # which is what is compared
        ("nginx (cold)", "nginx (after 3 warm-up runs)", "better"),
        ("ColdFusion", "Lucee", "better"),
    ],
)
def test_a_slower_side_that_was_cold_by_its_name_leaves_the_lead_likely(slow, fast, outcome):
    found = head(BASE, times(1.3), names=[slow, fast])
    assert (found.outcome, "set-up differs: not cold by its name against cold" in found.sentence) == (
        outcome,
        outcome == "likely",
    )


@pytest.mark.parametrize(
    ("slow", "fast", "outcome"),
    [
        ("nginx (in Docker on the laptop)", "Apache (native, 32-core server)", "likely"),
        ("actix, debug build", "axum", "likely"),
        ("nginx (Docker)", "Apache (Docker)", "better"),
        ("nginx in Docker", "nginx, bare metal", "better"),  # which is what is compared
        ("Apache", "nginx in a VM", "better"),  # and leads in spite of it
        ("Docker Swarm", "Kubernetes", "better"),
    ],
)
def test_a_slower_side_that_ran_in_a_container_or_was_a_debug_build_by_its_name_leaves_the_lead_likely(
    slow, fast, outcome
):
    assert head(BASE, times(1.3), names=[slow, fast]).outcome == outcome


def test_clients_of_both_sides_that_mostly_pause_are_said():
    siege = {"tool": "siege", "command": "siege -c 50 -d 1 -t 30S http://h/"}
    one, two = (siege | {"values": {"concurrency": busy, "users": 50}} for busy in (9.6, 1.9))
    found = head(([80.1, 80.9, 79.6], one), ([94.3, 93.9, 94.6], two))
    assert (found.outcome, rules_against(found)) == ("better", [("load.idle_clients", "")])
    assert found.sentence.endswith("but clients of both were idle most of the time (busy for at most 19.2 % of it).")
    assert "load without pauses" in found.next.text


def test_many_clients_that_never_got_a_connection_are_said():
    wrk = {"tool": "wrk", "concurrency": 2000}
    lost = wrk | {"values": {"socket_errors": {"connect": 987, "read": 0, "write": 0, "timeout": 0}}}
    assert "987 of the 2,000 clients of “b” never got a connection" in head((BASE, wrk), (times(1.3), lost)).sentence


@pytest.mark.parametrize(("length", "is_short"), [(157, True), (0, True), (1300, False), (3000, False)])
def test_replies_as_short_as_an_error_page_are_to_be_looked_at_first(length, is_short):
    page = {"values": {"document_length_bytes": 12_480}}
    found = head((BASE, page), (times(9), {"values": {"document_length_bytes": length}}))
    assert found.outcome == "not_comparable"
    assert (f"{length} bytes may be an error page" in found.sentence) is is_short
    assert found.next.text.startswith(
        "Look at what “b” answers (curl -i)" if is_short else "Load both with the same document length"
    )


def test_another_tool_is_told_as_any_other_unlike_load():
    found = head((BASE, {"tool": "ab"}), (times(1.3), {"tool": "wrk"}), names=["express", "hapi"])
    assert found.sentence.startswith("Not comparable: tool ab for “express”, wrk for “hapi”.")
    assert write_lead(found).text == "Tool: ab against wrk"


def test_another_server_that_answered_is_in_the_sentence():
    found = head((BASE, {"server_software": "nginx/1.22"}), (times(1.3), {"server_software": "nginx/1.22"}), names=PAIR)
    assert (found.outcome, rules_against(found)) == ("likely", [("load.other_server", "apache")])
    assert found.sentence.endswith("but “nginx/1.22” answered for “apache”, which could be all of it.")
    assert found.next.text.startswith("Look at what “apache” answers (curl -i)")


@pytest.mark.parametrize(
    ("names", "load", "told"),
    [
        (("nginx", "nginx, keep-alive"), {"keepalive": False}, "was loaded without keep-alive"),
        (("no keep-alive", "KeepAlive On"), {"keepalive": False}, "was loaded without keep-alive"),
        (("KeepAlive On", "KeepAlive Off"), {"values": {"keepalive_requests": 60000}}, "kept its connections open"),
        (("http", "https"), {"command": "ab -n 9 http://web1/"}, "was loaded without TLS"),
        (("TLS 1.3", "without TLS"), {"command": "ab -n 9 https://web1/"}, "was loaded over TLS"),
        (("nginx", "nginx + HTTP/2"), {"tool": "wrk"}, "was loaded over HTTP/1"),
        (
            ("nginx", "nginx with gzip"),
            {"values": {"document_length_bytes": 6000}},
            "sent replies as long as those of “nginx”",
        ),
    ],
)
def test_a_load_that_contradicts_the_name_of_its_config_is_in_the_sentence(names, load, told):
    found = head((BASE, load), (times(1.3), load), names=names)
    assert (found.outcome, rules_against(found)) == ("likely", [("load.not_as_named", names[1])])
    assert f"“{names[1]}” {told}, against its name" in found.sentence
    assert found.next.text == "Load each config in the way that its name says, then compare."
    short = head((BASE, load | {"duration_s": 0.5}), (times(1.3), load | {"duration_s": 0.5}), names=names)
    assert short.next.text == found.next.text


@pytest.mark.parametrize(
    "name",
    [
        *(
            "keepalive_timeout 65",
            "upstream keepalive 32",
            "sans keep-alive",
            "Keep-Alive 無効の場合",
            "KeepAlive: nein",
        ),
        *("TLS offload", "ssl_session_cache off", "https redirect", "gzip level 9", "gzip_static off"),
    ],
)
def test_a_name_that_speaks_of_something_else_contradicts_no_load(name):
    load = {
        "keepalive": False,
        "command": "wrk http://web1/",
        "tool": "wrk",
        "values": {"document_length_bytes": 6000},
    }
    assert rules_against(head((BASE, load), (times(1.3), load), names=("nginx", name))) == []


@pytest.mark.parametrize("before", ["200", "404"])
def test_an_error_that_was_shown_beside_a_load_without_errors_is_in_the_sentence(before):
    found = head((BASE, {"values": {"shown_status": before}}), (times(1.3), {"values": {"shown_status": "404"}}))
    who = "both sides" if before == "404" else "“b”"
    told = "be what was measured" if before == "404" else "be all of it"
    assert found.sentence.endswith(f"but {who} answered a request beside the load with 404, which could {told}.")
    both = "both answer" if before == "404" else "“b” answers"
    assert (found.outcome, found.next.text.partition(" (")[0]) == ("likely", f"Look at what {both}")


def test_what_failed_of_a_config_that_does_not_count_is_said():
    found = head(BASE, times(1.1), (times(1.3), failed(600, tool="wrk")))
    assert found.sentence.endswith("Not counted: “c” (tool wrk against ab; it failed 2.9 % of its requests).")


def test_of_figures_that_cannot_be_true_no_other_metric_is_said():
    slow = {"percentiles_ms": [{"99": ms} for ms in (900.0, 910.0, 905.0, 902.0, 908.0)]}
    found = head((BASE, tail(100)), (times(1.3), slow | {"duration_s": 90.0}))
    assert found.sentence.endswith(
        "but figures of “b” cannot all be true (20,000 requests in 90 s are 222.2 per second, not 1,303)."
    )


def test_a_side_that_alone_got_slower_from_run_to_run_is_said():
    falling = [9000.1, 8600.2, 8210.9, 7840.3, 7480.7, 7150.2]
    found = head(falling, times(9.01), in_turn=False)
    assert "but “a” got slower from run to run (from 9,000 to 7,150 requests per second)" in found.sentence
    alike = head(falling, [rate * 1.3 for rate in falling])
    assert rules_against(alike) == []  # as a machine does under both


def test_stolen_cpu_time_that_stops_a_comparison_is_said_once():
    found = head(BASE, times(1.3), watched=[(stolen, 1, 24.0), (stolen, 2, 0.0)])
    assert write_lead(found).text == "Stolen CPU time: little against 24 %"
    part = Part("a", Finding("caution", "stolen", {}), "", "", "")
    steal = Doubt("machine.steal", "caution", "24 % of CPU time stolen", (part,), "")
    assert [words for words, *_ in give_reasons(found, [steal])] == ["Stolen CPU time little for “b”, 24 % for “a”"]


@pytest.mark.parametrize(
    ("rate", "outcome", "end"), [(900.0, "better", ""), (9400.0, "likely", ", which reverses their order")]
)
def test_a_rate_that_the_text_tells_and_the_report_has_not_is_said(rate, outcome, end):
    told = {"values": {"told_otherwise": {"rate": rate, "line": 3}}}
    found = head((BASE, told), times(1.3))
    assert (found.outcome, rules_against(found)) == (outcome, [("load.told_otherwise", "a")])
    said = f"but the text tells of {rate:,.0f} requests per second for “a”, its report of 1,000{end}."
    assert found.sentence.endswith(said)
    assert ("See which is right" in found.next.text) == bool(end)


def test_a_rate_that_neither_side_reached_is_said_once_and_another_is_advised():
    asked = {"tool": "wrk", "command": "wrk -R2000 -d30s http://h/"}
    found = head(([1210.0], asked), ([1530.0], asked))
    assert rules_against(found) == [("load.missed_rate", "")]
    assert "neither got the 2,000 requests per second that were to be sent to it (1,530 at most)" in found.sentence
    assert found.next.text.startswith("Set a rate that both reach")


def test_a_side_that_was_asked_for_no_body_answers_with_no_error_page():
    asked = [
        ab(f"{option} http://h/") | {"values": {"document_length_bytes": n}} for option, n in (("", 4210), ("-i", 0))
    ]
    found = head((BASE, asked[0]), (times(2), asked[1]))
    assert "error page" not in found.sentence
    assert found.sentence.startswith("Not comparable: request method HEAD")


def test_of_a_lead_that_one_run_makes_nobody_leads():
    found = head([1000.0, 1005, 998, 1003], [1001.0, 1004, 999, 1600])
    assert (found.outcome, found.winner, found.next.step) == ("unproven", None, "outlier")


def test_beside_a_tail_that_is_far_worse_a_lead_within_two_per_cent_is_none():
    """Made: two runs each at a set rate, 0.1 % apart, of which one has a p99 2.8 times as long."""
    sides = [([1000.0, 1020.0], {"percentiles_ms": {"99": p99}}) for p99 in (9.0, 25.2)]
    sides[1][0][1] = 1022.0
    found = head(*sides)
    assert found.outcome == "unproven" and found.sentence.startswith(
        "“b” and “a” are 0.1 % apart in requests per second (2 runs"
    )
    assert write_lead(found).text == "Both measured about the same, but the p99 of “b” is 2.8 times as long"


def test_what_differs_is_what_to_make_alike():
    found = head((BASE, {"keepalive": True}), (times(1.5), {"keepalive": False}))
    assert found.next.text == "Load both with the same keep-alive, then compare."


def test_a_longer_key_of_one_server_may_be_all_of_the_lead():
    def tls(bits: int) -> dict[str, Any]:
        return {"values": {"tls_protocol": f"TLSv1.2,ECDHE-RSA-AES256-GCM-SHA384,{bits},256"}}

    found = head((BASE, tls(4096)), (times(1.3), tls(2048)))
    assert (found.outcome, "TLS key differs: 2048 against 4096" in found.sentence) == ("likely", True)
    assert head((BASE, tls(2048)), (times(1.3), tls(2048))).outcome == "better"
    assert head((BASE, tls(4096)), (times(1.3), tls(2048)), names=["RSA 4096", "RSA 2048"]).outcome == "better"
