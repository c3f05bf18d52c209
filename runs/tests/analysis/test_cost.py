"""What serving costs: memory and cores by requests, memory of one process, how many fit."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import pytest

from parsers.catalogue import is_monitor
from runs.analysis import table
from runs.analysis.cost import Cost, compute_cost
from runs.analysis.facts import CaptureFact, HostFact, ProcessFact, RunFact, TextFact
from runs.analysis.monitors import find_served
from runs.tests.analysis.facts import capture, configs, httpd, run

# /proc/meminfo of an Apache with MaxClients 50 and 100, before and after as many connections; no MemAvailable there.
FIFTY = {"before": (465592.0, 244444.0), "after": (364488.0, 244432.0)}
HUNDRED = {"before": (448336.0, 244332.0), "after": (220108.0, 244352.0)}


def meminfo(of: RunFact, phase: str, free: float, inactive: float, **metrics: float) -> CaptureFact:
    told = {"mem_free_kb": free, "mem_inactive_kb": inactive} | metrics
    return capture(of.config, phase, tool="meminfo", run=of.id, metrics=told)


def ab(config: int, clients: int, rate: float, **fields: Any) -> RunFact:
    return run(config, rate, command=f"ab -n {clients * 4} -c {clients} http://www/", **fields)


def costs(
    runs: list[RunFact], captures: list[CaptureFact], names: tuple[str, ...] = ("a", "b"), **more: Any
) -> Cost | None:
    return compute_cost(table.compare(configs(*names), runs, captures), captures, **more)


def cell(found: Cost | None, key: str, at: int = 0):
    assert found is not None
    row = next((row for row in found.rows if row.key == key), None)
    return row.cells[at] if row else None


def processes(*groups: tuple[str, int, float, float]) -> tuple[ProcessFact, ...]:
    """(program, how many, MiB each, CPU of each)."""
    return tuple(
        ProcessFact(1000 * at + n, name, name, mib * 1024, cpu, monitors=is_monitor(name))
        for at, (name, number, mib, cpu) in enumerate(groups, 1)
        for n in range(number)
    )


def before_and_after() -> tuple[list[RunFact], list[CaptureFact]]:
    runs = [ab(1, 50, 3.07), ab(2, 100, 2.82)]
    told = ((runs[0], FIFTY), (runs[1], HUNDRED))
    return runs, [meminfo(of, phase, *parts) for of, both in told for phase, parts in both.items()]


def test_memory_of_one_process_is_what_was_taken_over_how_many_there_were():
    found = costs(*before_and_after())
    assert cell(found, "per_process").how == (
        "(710036 − 608920) kB / 50 processes, one a connection = 2022 kB, about 2.0 MB"
    )
    assert cell(found, "per_process", 1).how.endswith("100 processes, one a connection = 2282 kB, about 2.3 MB")
    assert cell(found, "per_process").value == pytest.approx(101116 / 50 / 1024)


def test_a_price_an_hour_gives_the_cost_of_a_million_requests():
    runs = [run(1, 500.0, host_id=1), run(2, 1000.0, host_id=1)]
    found = costs(runs, [], hosts=[HostFact(1, "web1", price_per_hour=0.9)])
    assert cell(found, "per_million").value == pytest.approx(0.5) and cell(
        found, "per_million", 1
    ).value == pytest.approx(0.25)
    assert cell(costs(runs, [], hosts=[HostFact(1, "web1", cores=2)]), "per_million") is None


def test_of_more_connections_than_maxclients_only_so_many_had_a_process():
    of = ab(1, 100, 3.0, note="MaxClientsは50で実施します。")
    found = costs([of], [meminfo(of, phase, *parts) for phase, parts in FIFTY.items()])
    assert "/ 50 processes (MaxClients, for 100 connections) = 2022 kB" in cell(found, "per_process").how


def test_the_change_says_which_figures_available_memory_is():
    found = costs(*before_and_after())
    assert cell(found, "available").text == "693.4 → 594.6"
    assert cell(found, "available").how.endswith("MemFree + Inactive")
    assert any("Available memory is MemFree + Inactive" in note for note in found.notes)


def test_the_kernels_own_estimate_goes_first():
    of = ab(1, 50, 3.0)
    captures = [meminfo(of, "before", 100.0, 100.0, mem_available_kb=9000.0)]
    captures += [meminfo(of, "after", 50.0, 100.0, mem_available_kb=4000.0)]
    assert cell(costs([of], captures), "available").how == "9000 − 4000 kB, MemAvailable"


def test_what_only_one_of_the_two_looks_has_is_no_basis():
    of = ab(1, 50, 3.0)
    captures = [meminfo(of, "before", 900.0, 100.0, mem_available_kb=9000.0), meminfo(of, "after", 400.0, 100.0)]
    assert cell(costs([of], captures), "available").how == "1000 − 500 kB, MemFree + Inactive"


def test_top_has_neither_and_is_read_by_free_buffers_and_cached():
    of = ab(1, 50, 3.0)
    top = {"mem_buffers_kb": 10.0, "mem_cached_kb": 20.0}
    captures = [
        capture(1, phase, run=of.id, metrics=top | {"mem_free_kb": free})
        for phase, free in (("before", 90.0), ("after", 30.0))
    ]
    assert cell(costs([of], captures), "available").how == "120 − 60 kB, free + buffers + cached"


def test_processes_that_were_added_are_counted_where_both_lists_are_whole():
    of = ab(1, 50, 3.0)
    captures = [meminfo(of, phase, *parts) for phase, parts in FIFTY.items()]
    captures += [
        capture(1, phase, tool="ps", run=of.id, processes=httpd(*[9.0] * n))
        for phase, n in (("before", 6), ("after", 31))
    ]
    found = cell(costs([of], captures), "per_process")
    assert "/ 31 − 6 processes" in found.how
    assert found.value == pytest.approx(101116 / 25 / 1024)


@pytest.mark.parametrize("server", ["nginx/1.18", "lighttpd/1.4"])
def test_connections_count_no_processes_of_a_server_that_holds_many_in_one(server):
    of = ab(1, 50, 3.0, server_software=server)
    found = costs([of], [meminfo(of, phase, *parts) for phase, parts in FIFTY.items()])
    assert cell(found, "per_process").value is None
    assert cell(found, "per_process").how == "nothing shows how many processes there were"
    assert cell(found, "workers") is None


def test_nor_where_the_config_says_that_processes_have_threads():
    of = ab(1, 50, 3.0, server_software="Apache/2.2")
    texts = [TextFact(1, "mpm.conf", "ThreadsPerChild 25\n", "/uploads/1/#L3", 3)]
    found = costs([of], [meminfo(of, phase, *parts) for phase, parts in FIFTY.items()], texts=texts)
    assert cell(found, "per_process").value is None


def test_memory_that_grew_was_not_taken():
    of = ab(1, 50, 3.0)
    found = costs([of], [meminfo(of, "before", 100.0, 50.0), meminfo(of, "after", 200.0, 50.0)])
    assert cell(found, "per_process").how == "available memory did not shrink"


def test_what_fits_has_its_sum_shown():
    found = costs(*before_and_after())
    assert cell(found, "workers").value == 351
    assert cell(found, "workers").how == "(608920 kB available + 50 × 2022 kB) / 2022 kB, MemFree + Inactive"


def test_without_before_and_after_what_fits_goes_by_rss():
    of = ab(1, 50, 100.0)
    metrics = {"mem_available_kb": 10240.0}
    found = costs([of], [capture(1, tool="ps", run=of.id, metrics=metrics, processes=httpd(10.0, 10.0))])
    assert cell(found, "workers").value == 3
    assert cell(found, "workers").how.startswith("(10240 kB available + 2 × 10240 kB) / 10240 kB RSS of one httpd")


def test_requests_by_memory_take_the_run_that_the_monitor_stood_beside():
    runs = [ab(1, 50, 100.0), ab(1, 50, 300.0, repeat=2)]
    found = costs(runs, [capture(1, tool="ps", run=runs[1].id, processes=httpd(10.0, 20.0))])
    assert cell(found, "per_mib").value == pytest.approx(10.0)
    assert cell(found, "per_mib").how == "300 requests/s / 30 MiB of httpd"


def test_programs_are_summed_apart_and_together():
    of = ab(1, 50, 90.0)
    listed = processes(("httpd", 4, 2.0, 1.0), ("ruby", 2, 41.0, 10.0))
    found = costs([of], [capture(1, tool="ps", run=of.id, processes=listed)])
    assert cell(found, "rss_httpd").how == "4 × 2 MiB"
    assert cell(found, "rss_ruby").value == 82
    assert cell(found, "per_mib").value == pytest.approx(1.0)


def test_load_tools_monitors_and_idle_scripts_are_no_part_of_the_cost():
    of = ab(1, 50, 90.0)
    loaders = processes(("ab", 1, 50.0, 99.0), ("siege", 1, 9.0, 1.0))
    others = processes(("top", 1, 3.0, 1.0), ("python3", 1, 30.0, 0.0))
    listed = processes(("nginx", 3, 5.0, 20.0)) + others + tuple(replace(loader, makes_load=True) for loader in loaders)
    found = costs([of], [capture(1, tool="ps", run=of.id, processes=listed)])
    assert [row.key for row in found.rows if row.key.startswith("rss_")] == ["rss_nginx"]
    assert cell(found, "per_mib").value == pytest.approx(6.0)


def test_a_server_of_a_name_unheard_of_is_the_biggest():
    of = ab(1, 50, 90.0)
    found = costs([of], [capture(1, tool="ps", run=of.id, processes=processes(("myserver", 1, 9.0, 1.0)))])
    assert cell(found, "rss_myserver").value == 9


def test_another_server_that_stands_idle_beside_it_is_no_part_of_the_cost():
    of = ab(1, 50, 90.0, server_software="Apache/2.4")
    listed = processes(("nginx", 2, 5.0, 0.0), ("apache2", 3, 3.0, 8.0))
    assert cell(costs([of], [capture(1, tool="ps", run=of.id, processes=listed)]), "per_mib").how.endswith(
        "MiB of apache2"
    )
    proxied = processes(("nginx", 2, 5.0, 4.0), ("apache2", 3, 3.0, 8.0))
    assert cell(costs([of], [capture(1, tool="ps", run=of.id, processes=proxied)]), "per_mib").how.endswith(
        "nginx + apache2"
    )


def test_a_whole_list_goes_before_a_screen_that_shows_a_part():
    of = ab(1, 50, 90.0)
    screen = capture(1, run=of.id, metrics={"tasks_total": 98.0}, processes=httpd(10.0, 10.0))
    whole = capture(1, tool="ps", run=of.id, processes=httpd(10.0, 10.0, 10.0))
    assert cell(costs([of], [screen, whole]), "rss_httpd").how == "3 × 10 MiB"


def test_a_screen_that_shows_a_part_of_the_tasks_gives_bounds():
    of = ab(1, 50, 260.0)
    found = costs([of], [capture(1, run=of.id, metrics={"tasks_total": 98.0}, processes=httpd(*[13.0] * 20))])
    assert (cell(found, "rss_httpd").bound, cell(found, "per_mib").bound) == ("at least", "at most")
    assert cell(found, "rss_httpd").how == "20 × 13 MiB of the 20 shown (98 tasks)"


def test_a_line_quoted_from_a_screen_tells_the_size_of_one_only():
    of = ab(1, 50, 260.0)
    found = costs([of], [capture(1, run=of.id, partial=True, processes=httpd(13.0))])
    assert cell(found, "rss_httpd").text == "13 MiB each"
    assert cell(found, "rss_httpd").value is None
    assert cell(found, "per_mib") is None


def test_bounds_are_not_set_against_each_other():
    runs = [ab(1, 50, 260.0), ab(2, 50, 100.0)]
    whole = [capture(of.config, tool="ps", run=of.id, processes=httpd(10.0)) for of in runs]
    assert costs(runs, whole).sentences[0].startswith("For each MiB of resident memory a served 26 requests/s, b 10;")
    screens = [capture(of.config, run=of.id, processes=httpd(10.0)) for of in runs]
    assert costs(runs, screens).sentences == ()


def test_requests_by_core_take_the_cores_of_the_loaded_machine():
    found = costs([ab(1, 50, 90.0, host_id=7)], [], hosts=[HostFact(7, "web1", cores=4), HostFact(8, "gen", cores=64)])
    assert cell(found, "per_core").how == "90 requests/s / 4 cores"
    assert cell(found, "per_core").value == 22.5


def test_a_monitor_on_the_load_generator_says_nothing_of_the_server():
    of = ab(1, 50, 90.0, host_id=7)
    watched = capture(1, tool="ps", run=of.id, host_id=8, processes=httpd(10.0))
    hosts = [HostFact(7, "web1", cores=4), HostFact(8, "gen")]
    assert cell(costs([of], [watched], hosts=hosts), "per_mib") is None


def test_runs_that_do_not_count_are_named_and_left_out():
    runs, captures = before_and_after()
    found = costs(runs, captures, excluded={runs[1].id: "285 of 600 requests failed"})
    assert cell(found, "per_process", 1) is None
    assert found.notes[-1] == f"Not counted: run {runs[1].id}, 285 of 600 requests failed."
    more = [ab(1, 50, rate) for rate in (3.0, 3.1)]
    found = costs([*runs, *more], captures, excluded={one.id: "285 of 600 requests failed" for one in more})
    assert found.notes[-1] == "Not counted: 2 runs (see the doubts)."


def test_what_processes_held_is_told_even_beside_a_run_that_does_not_count():
    of = ab(1, 50, 176.0)
    found = costs(
        [of],
        [capture(1, run=of.id, partial=True, processes=processes(("ruby", 1, 31.0, 10.9)))],
        excluded={of.id: "swap"},
    )
    assert cell(found, "rss_ruby").text == "31 MiB each"
    assert cell(found, "rss_ruby").how.endswith("beside a run that is not counted")
    assert cell(found, "per_mib") is None


def test_what_is_shared_is_said_once():
    runs = [ab(1, 50, 260.0), ab(2, 50, 100.0)]
    found = costs(runs, [capture(of.config, tool="ps", run=of.id, processes=httpd(10.0)) for of in runs])
    assert sum("share" in note for note in found.notes) == 1


def test_without_memory_and_cores_there_is_no_cost():
    assert costs([ab(1, 50, 90.0)], []) is None


def test_every_figure_rests_on_lines():
    runs, captures = before_and_after()
    found = costs(runs, captures, hosts=[HostFact(1, "web1", cores=2)])
    cells = [one for row in found.rows for one in row.cells if one]
    assert cells
    assert all(one.sources and all(source.url.startswith("/uploads/") for source in one.sources) for one in cells)


@pytest.mark.parametrize("rate", [0.0, math.nan, math.inf, None])
@pytest.mark.parametrize("size", [0.0, math.nan, 1e-12, None])
def test_odd_figures_are_no_traceback(rate, size):
    of = ab(1, 50, rate)
    odd = (ProcessFact(1, "httpd", "httpd", size, None),)
    metrics = {"mem_free_kb": 0.0, "mem_inactive_kb": math.nan}
    captures = [
        capture(1, phase, tool="ps", run=of.id, processes=odd, metrics=metrics)
        for phase in ("before", "during", "after")
    ]
    found = costs([of], captures, hosts=[HostFact(1, "web1", cores=0)])
    texts = [one.text for row in found.rows for one in row.cells if one] if found else []
    assert not any("nan" in text for text in texts)


def grows_with_its_square() -> bool:
    """Whether four times the programs take more than eight times as long; a square takes sixteen times as long."""
    taken = []
    for n in (500, 2000):
        seen = capture(1, processes=tuple(ProcessFact(at, f"httpd{at}", "httpd", 1024.0, 1.5) for at in range(n)))
        start = time.process_time()
        find_served(seen)
        taken.append(time.process_time() - start)
    return taken[1] > 8 * max(taken[0], 0.02)


def test_a_machine_of_very_many_servers_takes_no_time_that_grows_with_their_square():
    """20,000 programs whose names begin with a server's kept a page for 35 s."""
    assert not all(grows_with_its_square() for _ in range(3))  # a collection of garbage does not count
