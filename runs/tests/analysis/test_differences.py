"""What differs, what is the same, and processes by program."""

from __future__ import annotations

from runs.analysis import monitors
from runs.analysis.columns import build_columns, compare_columns, compare_hosts
from runs.analysis.facts import ProcessFact
from runs.analysis.monitors import memory_parts
from runs.tests.analysis.facts import capture, configs, httpd, run


def test_only_what_differs_becomes_a_row():
    runs = [run(n, keepalive=k, server_software="Apache/2.4.7", host="centos5") for n, k in ((1, False), (2, True))]
    differ, same = compare_columns(build_columns(configs("a", "b"), runs))
    assert [(row.name, row.values) for row in differ] == [("Keep-alive", ("off", "on"))]
    assert ("Server", "Apache/2.4.7") in same
    assert ("Host", "centos5") in same


def test_hosts_are_told_apart_in_mib():
    hosts = [{"name": "a", "ram_kb": 774616, "cores": 1}, {"name": "b", "ram_kb": 256400, "cores": 1}]
    differ, same = compare_hosts(hosts)
    assert [row.values for row in differ] == [("a", "b"), ("756.5 MiB", "250.4 MiB")]
    assert same == [("Cores", "1")]


def test_processes_are_added_up_by_program():
    processes = (*httpd(13, 14), ProcessFact(1, "ruby", "ruby app", 31 * 1024.0))
    found = monitors.group_processes(capture(1, processes=processes))
    assert [(group.name, group.n, group.rss_kb / 1024) for group in found] == [("ruby", 1, 31.0), ("httpd", 2, 27.0)]


def test_what_looks_on_gets_no_row():
    listed = (
        ProcessFact(1, "top", "top", 9999.0, monitors=True),
        ProcessFact(2, "grep", "grep httpd", 1.0),
        *httpd(5),
    )
    assert monitors.pick_biggest(monitors.group_processes(capture(1, processes=listed)), 4) == ["httpd"]


def test_memory_is_split_without_counting_the_cache_as_used():
    told = {"mem_total_kb": 774616, "mem_free_kb": 9744, "mem_buffers_kb": 102576, "mem_cached_kb": 431428}
    parts = memory_parts(capture(1, metrics=told))
    assert round(sum(parts.values()) * 1024) == 774616
    assert round(parts["used"] * 1024) == 774616 - 9744 - 102576 - 431428


def test_memory_without_a_total_is_not_guessed():
    assert memory_parts(capture(1, metrics={"mem_free_kb": 5.0})) == {}
