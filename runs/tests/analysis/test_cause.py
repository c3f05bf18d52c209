"""Why one side is slower: each cause from figures that are made, and the seeds' own texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from runs import ingest
from runs.analysis import find_doubts
from runs.analysis.cause import Causes, find_causes
from runs.analysis.doubt_case import Case, list_excluded
from runs.analysis.facts import CaptureFact, HostFact, ProcessFact, RunFact
from runs.analysis.monitors import find_falls
from runs.analysis.scaling import fit_sweeps
from runs.analysis.table import compare
from runs.models import Experiment
from runs.selectors import comparison_data, judging
from runs.tests.analysis import facts
from runs.tests.analysis.doubting import TEXTS
from runs.tests.analysis.judging import headline_of

COMMAND = "ab -n 1000 -c 16 http://web1/"
HOST = HostFact(1, "web1", cores=4)
IDLE, BUSY = {"cpu_id": 60.0}, {"cpu_id": 1.0}


def side(
    config: int,
    rate: float,
    metrics: dict[str, float],
    *,
    programs: Any = (),
    shortest: float = 0,
    lows: dict[str, float] | None = None,
    **fields: Any,
) -> tuple[list[RunFact], list[CaptureFact]]:
    """Four repeats, each with ten samples of the server and lists of `programs` (name, processes, CPU seconds) around it."""
    given = {
        "command": COMMAND,
        "host_id": 1,
        "duration_s": 10.0,
        "concurrency": 16,
        "complete_requests": int(rate * 10),
    }
    values = {"total_ms": {"min": shortest}} if shortest else {}
    given |= {"values": values | fields.pop("values", {})} | fields
    runs = [facts.run(config, rate * (1 + step / 200), repeat=step, **given) for step in range(1, 5)]
    captures = []
    for run in runs:
        captures.append(
            facts.capture(config, run=run.id, host_id=1, n=10, metrics=metrics, lows=lows or metrics, tool="proc_stat")
        )
        for phase, ended in (("before", 0), ("after", 1)) if programs else ():
            listed = [
                ProcessFact(100 * at + pid, name, name, time_s=10 + ended * seconds / n)
                for at, (name, n, seconds) in enumerate(programs, 1)
                for pid in range(n)
            ]
            captures.append(facts.capture(config, phase, run=run.id, host_id=1, processes=tuple(listed)))
    return runs, captures


def explain(*sides: tuple[list[RunFact], list[CaptureFact]], names: tuple[str, ...] = ("a", "b")) -> Causes:
    runs = [run for own, _ in sides for run in own]
    captures = [capture for _, own in sides for capture in own]
    configs = facts.configs(*names[: len(sides)])
    case = Case(configs, runs, captures, hosts=[HOST])
    made, doubts, swept = compare(configs, runs, []), find_doubts(case), fit_sweeps(configs, runs)
    return find_causes(
        case, made, headline_of(made, captures=captures, hosts=[HOST]), doubts, swept, list_excluded(doubts)
    )


def test_two_sides_without_cpu_left_differ_by_the_cpu_time_of_a_request():
    found = explain(side(1, 1000.0, BUSY), side(2, 1500.0, BUSY)).findings
    assert [(one.cause, one.config, one.share_pct) for one in found] == [("cpu", "a", None)]
    assert "“a” takes 1.5 times the CPU time of “b”" in found[0].text
    assert {one.source.url for one in found[0].evidence}


@pytest.mark.parametrize("others", [IDLE, BUSY])
def test_a_generator_that_is_full_on_both_sides_limits_both(others):
    full = {"load_cpu_s": 9.8}
    found = explain(side(1, 1000.0, BUSY | full), side(2, 1500.0, others | full)).findings
    assert [(one.cause, one.certainty, one.share_pct) for one in found] == [("generator", "likely", None)]
    assert "with “a” and with “b”" in found[0].text and len(found[0].evidence) == 2


def test_a_figure_that_both_sides_have_explains_nothing():
    found = explain(side(1, 1000.0, IDLE | {"cpu_st": 30.0}), side(2, 1500.0, IDLE | {"cpu_st": 30.0}))
    assert not found.findings
    assert "on one side alone" in found.unknown


@pytest.mark.parametrize(
    ("cause", "metrics"),
    [
        ("cpu_quota", {"cgroup_app_throttled_periods_per_s": 8.0, "cgroup_app_periods_per_s": 10.0}),
        ("memory", {"pressure_memory_some_pct": 40.0, "swap_in_pages_per_s": 500.0}),
        ("backlog", {"tcp_listen_overflows_per_s": 30.0}),
        ("backlog", {"accept_queue": 129.0, "accept_queue_full": 1.0}),
        ("network", {"tcp_retransmits_per_s": 40.0, "tcp_segments_out_per_s": 1000.0}),
        ("disk", {"pressure_io_some_pct": 60.0, "vda_busy_pct": 90.0}),
        ("one_core", {"core0_busy_pct": 99.0, "core1_busy_pct": 20.0, "core2_busy_pct": 20.0, "core3_busy_pct": 21.0}),
    ],
)
def test_what_only_the_slower_side_ran_out_of_is_named(cause, metrics):
    found = explain(side(1, 1000.0, IDLE | metrics), side(2, 1500.0, IDLE)).findings
    assert [(one.cause, one.certainty) for one in found] == [(cause, "likely")]


FULL_OF_JAVA = [("java", 1, 36.0)]


@pytest.mark.parametrize(
    ("own", "other", "share"),
    [
        ({"gc_pause_pct": 50.0}, {"gc_pause_pct": 4.0}, 94),  # of the rates' ratio of 2: 0.96 / 0.5
        ({"gc_pause_pct": 50.0}, {}, 100),
        ({"gc_pause_pct": 50.0}, {"gc_pause_pct": 20.0}, 68),  # both are held up, one of them more
        ({"gc_pause_pct": 0.1, "gc_cpu_pct": 120.0}, {"gc_cpu_pct": 10.0}, 54),  # of 3.6 cores
    ],
)
def test_a_program_that_collects_garbage_instead_of_answering_is_told_with_what_that_explains(own, other, share):
    found = explain(
        side(1, 1000.0, BUSY | own, programs=FULL_OF_JAVA), side(2, 2000.0, BUSY | other, programs=FULL_OF_JAVA)
    ).findings
    assert [(one.cause, one.config, one.share_pct) for one in found] == [("garbage_collection", "a", share)]


@pytest.mark.parametrize(
    ("own", "other"), [({"gc_pause_pct": 9.0}, {}), ({"gc_pause_pct": 50.0}, {"gc_pause_pct": 48.0})]
)
def test_collecting_that_is_usual_or_that_both_sides_do_explains_nothing(own, other):
    found = explain(side(1, 1000.0, IDLE | own), side(2, 2000.0, IDLE | other))
    assert not found.findings


LINK = {"eth0_tx_bytes_per_s": 123_500_000.0}


@pytest.mark.parametrize(
    ("metrics", "lows", "found"),
    [
        ({"sockets_unsent": 12.0}, {}, True),
        ({"sockets_unsent": 3.0}, {}, False),  # the network took what it was given: the rate is a coincidence
        ({}, {"eth0_tx_bytes_per_s": 120_000_000.0}, True),
        ({}, {"eth0_tx_bytes_per_s": 60_000_000.0}, False),  # what comes and goes fills no link
        ({"sockets_unsent": 12.0, "eth0_tx_bytes_per_s": 3_700_000.0}, {}, True),  # of a speed that no hardware has
    ],
)
def test_a_full_link_has_answers_wait_to_be_sent_or_is_as_fast_as_one_all_the_time(metrics, lows, found):
    full = side(1, 1000.0, IDLE | LINK | metrics, lows=lows)
    causes = explain(full, side(2, 1500.0, IDLE | {"eth0_tx_bytes_per_s": 160_000_000.0}))
    assert [one.cause for one in causes.findings] == ["network"] * found


def test_an_interface_that_carries_less_than_the_answers_is_not_the_one_that_is_full():
    long = {"complete_requests": 10_000, "values": {"html_transferred_bytes": 3_000_000_000}}
    waits = side(1, 1000.0, IDLE | LINK | {"sockets_unsent": 12.0}, **long)
    assert not explain(waits, side(2, 1500.0, IDLE, **long)).findings


PREFORK = [("gunicorn", 5, 1.0)]


@pytest.mark.parametrize(
    ("metrics", "cause"),
    [
        ({"accept_queue": 11.0}, "workers"),
        ({"waiting_lock": 9.0, "waiting_lock_gunicorn": 9.0}, "lock"),
        ({"waiting_lock": 9.0, "accept_queue": 11.0}, "workers"),  # other programs wait for it
    ],
)
def test_who_waits_where_tells_workers_from_a_lock(metrics, cause):
    found = explain(
        side(1, 100.0, IDLE | {"load_cpu_s": 1.0} | metrics, programs=PREFORK),
        side(2, 200.0, IDLE | {"load_cpu_s": 1.0}, programs=[("gunicorn", 41, 1.0)]),
    ).findings
    assert (found[0].cause, found[0].config) == (cause, "a")


@pytest.mark.parametrize(("door", "causes"), [(0.0, ["downstream"]), (6.0, [])])
def test_without_a_shortest_time_it_is_something_else_that_is_slow_where_nobody_waits_at_the_server(door, causes):
    nobody = {"load_cpu_s": 1.0, "waiting_lock": 0.0, "accept_queue": 0.0}
    many = [("gunicorn", 41, 1.0)]
    slow = side(1, 100.0, IDLE | nobody | {"accept_queue": door}, programs=many)
    found = explain(slow, side(2, 2000.0, BUSY | nobody, programs=many)).findings
    assert [one.cause for one in found] == causes


def test_one_interface_at_the_speed_of_a_link_is_a_full_link():
    full, low = {"eth0_tx_bytes_per_s": 123_500_000.0}, {"eth0_tx_bytes_per_s": 60_000_000.0}
    (found,) = explain(side(1, 1000.0, IDLE | full), side(2, 1500.0, IDLE | low)).findings
    assert (found.cause, found.certainty) == ("network", "possible") and "a link of 1,000 Mbit/s" in found.text
    assert not explain(side(1, 1000.0, BUSY | full), side(2, 1500.0, IDLE | low)).findings[1:]


@pytest.mark.parametrize(
    ("values", "certainty"),
    [
        ({"errors": {"dial tcp 10.0.0.1:80: connect: cannot assign requested address": 99}}, "likely"),
        ({"error": "apr_socket_connect(): Cannot assign requested address (99)"}, "likely"),
        ({"failed_connect": 99}, "possible"),
    ],
)
def test_a_load_generator_without_free_ports_is_named(values, certainty):
    waiting = IDLE | {"tcp_time_wait": 25_200.0}
    found = explain(side(1, 1000.0, waiting, values=values, hostname="localhost"), side(2, 1500.0, waiting)).findings
    assert [(one.cause, one.certainty) for one in found[:1]] == [("network", certainty)]
    assert "without free local ports" in found[0].text


def test_ports_that_ran_out_are_named_before_that_each_request_opened_a_connection():
    """Made: both are true, and the ports explain what opening connections cannot."""
    refused = {"errors": {"dial tcp 10.0.0.1:80: connect: cannot assign requested address": 99}}
    opened = side(1, 1000.0, IDLE | {"tcp_time_wait": 28_200.0}, values=refused, hostname="localhost", keepalive=False)
    found = explain(opened, side(2, 1500.0, IDLE, keepalive=True)).findings
    assert [one.cause for one in found[:2]] == ["network", "keepalive"]


def test_a_server_that_does_nothing_is_not_the_one_whose_processes_last():
    """Made after a recording of the lab: an idle nginx of as many processes beside workers that end after few requests."""
    left, ended = side(1, 400.0, IDLE, programs=[("gunicorn", 3, 1.0), ("nginx", 3, 0.0)])
    for capture in ended:
        if capture.phase == "after":
            new = [replace(one, pid=one.pid + 50) if one.command == "gunicorn" else one for one in capture.processes]
            ended[ended.index(capture)] = replace(capture, processes=tuple(new))
    found = explain((left, ended), side(2, 1500.0, IDLE, programs=[("gunicorn", 3, 9.0)])).findings
    assert [one.cause for one in found] == ["restarts"]


def test_waiting_for_a_disk_without_tasks_that_wait_proves_nothing():
    waits = {"cpu_id": 30.0, "cpu_wa": 60.0}
    assert not explain(side(1, 1000.0, waits), side(2, 1500.0, IDLE)).findings


def test_as_many_requests_at_once_as_there_are_processes_is_a_limit_of_workers():
    few, many = [("gunicorn", 5, 1.0)], [("gunicorn", 33, 2.0)]
    found = explain(side(1, 400.0, IDLE, programs=few, shortest=10), side(2, 1590.0, IDLE, programs=many, shortest=10))
    assert [one.cause for one in found.findings] == ["workers"]
    assert "about 4 requests at once" in found.findings[0].text


def test_a_database_that_takes_most_of_a_request_on_both_sides_is_not_out_of_cpu():
    found = explain(
        side(1, 100.0, IDLE, programs=[("postgres", 4, 10.0)], shortest=10),
        side(2, 200.0, IDLE, programs=[("postgres", 4, 10.0)], shortest=5),
    ).findings
    assert [one.cause for one in found] == ["database"] and "ran out of CPU" not in found[0].text


def test_of_a_limit_of_cores_the_share_is_what_fewer_cores_account_for():
    slow = side(1, 1000.0, IDLE, programs=[("node", 1, 10)])
    (found,) = explain(slow, side(2, 4000.0, IDLE, programs=[("node", 4, 40)])).findings
    assert (found.cause, found.share_pct) == ("one_core", 100)


def test_a_shortest_time_below_0_explains_nothing():
    """Found by make fuzz."""
    many = [("gunicorn", 33, 1.0)]
    found = explain(side(1, 160.0, IDLE, programs=many, shortest=-99), side(2, 800.0, IDLE, programs=many, shortest=19))
    assert found.findings == ()


def test_a_rate_below_0_explains_nothing():
    """Found by make fuzz: the logarithm of the ratio was taken."""
    busy = [side(config, rate, BUSY, complete_requests=10) for config, rate in ((1, -295.9), (2, 147.0))]
    assert all(one.share_pct is None for one in explain(*busy).findings)


def test_one_request_at_once_for_many_processes_is_a_lock():
    many = [("gunicorn", 33, 1.0)]
    found = explain(side(1, 100.0, IDLE, programs=many, shortest=10), side(2, 1590.0, IDLE, programs=many, shortest=10))
    assert [one.cause for one in found.findings] == ["lock"]


def test_nobody_queues_and_nothing_is_busy_downstream():
    many = [("gunicorn", 33, 1.0)]
    found = explain(side(1, 160.0, IDLE, programs=many, shortest=99), side(2, 800.0, IDLE, programs=many, shortest=19))
    assert [(one.cause, one.share_pct) for one in found.findings] == [("downstream", 100)]


def test_what_else_ran_on_a_full_machine_is_not_the_loads_own_cpu():
    light = [("gunicorn", 5, 2.0), ("compile", 4, 38.0)]
    found = explain(side(1, 1000.0, BUSY, programs=light), side(2, 1500.0, BUSY, programs=light))
    assert not found.findings


def test_a_database_that_used_the_cpu_is_named():
    busy, sound = [("gunicorn", 5, 4.0), ("postgres", 9, 35.0)], [("gunicorn", 5, 35.0), ("postgres", 9, 4.0)]
    found = explain(side(1, 100.0, BUSY, programs=busy), side(2, 900.0, BUSY, programs=sound))
    assert found.findings[0].cause == "database"


def test_longer_answers_are_named_first():
    long, short = {"html_transferred_bytes": 10_000_000}, {"html_transferred_bytes": 1_500_000}
    found = explain(side(1, 100.0, BUSY, values=long), side(2, 900.0, BUSY, values=short)).findings
    assert found[0].cause == "answers"


def test_without_monitors_it_is_said_what_is_missing_and_how_to_record_it():
    (runs, _), (others, _) = side(1, 1000.0, IDLE), side(2, 1500.0, IDLE)
    found = explain((runs, []), (others, []))
    assert not found.findings
    assert found.missing == ("cpu", "processes", "generator")
    switch = """--before './switch-to "$BD_VARIANT"'"""
    assert found.command == f"./bd run --on web1 {switch} \\\n  --variant a -- {COMMAND} \\\n  --variant b -- {COMMAND}"


def test_sides_that_are_the_same_have_nothing_to_explain():
    assert explain(side(1, 1000.0, BUSY), side(2, 1000.0, BUSY)) == Causes()


def test_a_single_config_has_its_limit_named():
    found = explain(side(1, 1000.0, BUSY)).findings
    assert [one.cause for one in found] == ["cpu"]


@pytest.mark.parametrize(
    ("sizes", "falls"),
    [
        ([100, 150, 200, 250], []),  # it grows
        ([100, 90, 85, 95, 100, 84], []),  # it comes and goes with single requests
        ([100, 200, 100, 180, 90, 95], [0.5, 0.5]),
        ([200, 150, 100, 50, 55], [0.75]),
        ([100, 0, 100, 0, 100], [1.0, 1.0]),
        ([], []),
    ],
)
def test_a_fall_of_memory_is_a_marked_part_of_what_had_risen_by_one(sizes, falls):
    assert find_falls(sizes) == pytest.approx(falls)


SAWTOOTH = {"gunicorn": [0.4, 0.5, 0.4]}


@pytest.mark.parametrize(
    ("own", "other", "told"),
    [
        (SAWTOOTH, {}, True),
        (SAWTOOTH, SAWTOOTH, False),
        ({"gunicorn": [0.4]}, {}, False),
        ({"puma": [0.4] * 3}, {}, False),
    ],
)
def test_memory_that_rises_and_falls_is_evidence_of_what_else_names_and_no_cause_itself(own, other, told):
    busy = [
        with_falls(side(at, rate, BUSY, programs=[("gunicorn", 4, 38)]), falls)
        for at, rate, falls in ((1, 1000.0, own), (2, 1500.0, other))
    ]
    (found,) = explain(*busy).findings
    assert found.cause == "cpu"
    assert any("memory of gunicorn rose and fell 3 times" in one.text for one in found.evidence) == told
    idle = [
        with_falls(side(at, rate, IDLE, programs=[("gunicorn", 4, 1)], concurrency=4), falls)
        for at, rate, falls in ((1, 1000.0, own), (2, 1500.0, other))
    ]
    nothing = explain(*idle)
    assert not nothing.findings
    assert ("collections" in nothing.missing, "--log FILE" in nothing.unknown) == (told, told)


def with_falls(
    watched: tuple[list[RunFact], list[CaptureFact]], falls: dict[str, list[float]]
) -> tuple[list[RunFact], list[CaptureFact]]:
    runs, captures = watched
    return runs, [replace(capture, falls=falls) if capture.phase == "during" else capture for capture in captures]


# --- the seeds -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def causes(shared, db):
    def of(number: str) -> list[Causes]:
        ingest.submit(next(shared.glob(f"seeds/{number}_*.txt")).read_bytes(), origin="command")
        experiment_query_set = Experiment.objects.order_by("id")
        return [
            judging.compare_and_judge(comparison_data.load_experiment(each))[1].causes for each in experiment_query_set
        ]

    return of


def test_seed_000_had_its_one_core_taken_by_server_and_generator(causes):
    first = causes("000")[0]
    assert [one.cause for one in first.findings] == ["cpu"]
    assert first.findings[0].certainty == "possible"
    assert {one.source.line for one in first.findings[0].evidence} >= {211, 421}


def test_seed_004_had_every_worker_of_maxclients_taken(causes):
    (found,) = causes("004")[0].findings
    assert (found.cause, found.certainty) == ("workers", "possible")
    assert "MaxClients" in found.text


@pytest.mark.parametrize("number", ["001", "002"])
def test_the_other_seeds_say_what_is_missing(causes, number):
    for found in causes(number):
        assert not found.findings
        assert "Not recorded: the server's CPU during the run" in found.unknown
        assert found.command.startswith("./bd run")


def test_seed_003_had_one_side_fail(causes):
    (found,) = causes("003")[0].findings
    assert (found.cause, found.config) == ("answers", "Keep-Alive 有効の場合 · event MPM")


# --- recordings of the lab, without what no rule reads --------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("recording", "cause"),
    [
        ("lock-01", "lock"),
        ("quota-01", "cpu_quota"),
        ("workers-02", "workers"),
        ("fsync-01", "disk"),
        ("downstream-01", "downstream"),
        ("database-01", "database"),
        ("shaped_link-03", "network"),
        ("link-14", "network"),
        ("memory-01", "memory"),
        ("restarts-13", "restarts"),
        ("recycled-01", "restarts"),
        ("returned-02", "one_core"),
        ("garbage-02", "garbage_collection"),
        ("garbage_logged-02", "garbage_collection"),
        ("ports-02", "network"),
        ("table_lock-01", "lock"),
        ("workers-01", "workers"),
    ],
)
def test_what_was_planted_is_named_on_a_machine_that_others_use_as_well(recording, cause):
    ingest.submit((TEXTS / "lab" / f"{recording}.txt").read_bytes(), origin="command")
    (found,) = judging.compare_and_judge(comparison_data.load_experiment(Experiment.objects.get()))[1].causes.findings
    assert (found.cause, found.config) == (cause, "planted")
    assert all(one.source.line for one in found.evidence)


@pytest.mark.django_db
@pytest.mark.parametrize("recording", ["recycled-01", "returned-02"])
def test_memory_of_a_process_or_of_all_of_a_program_is_seen_to_rise_and_fall(recording):
    ingest.submit((TEXTS / "lab" / f"{recording}.txt").read_bytes(), origin="command")
    (found,) = judging.compare_and_judge(comparison_data.load_experiment(Experiment.objects.get()))[1].causes.findings
    assert "memory of gunicornlike rose and fell 2 times" in found.evidence[-1].text
