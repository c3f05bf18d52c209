"""Monitors, load generators and limits of the server: on which side it was narrow."""

from __future__ import annotations

import pytest

from runs.analysis import find_doubts
from runs.analysis.doubt_case import Case, list_excluded
from runs.analysis.facts import HostFact, ProcessFact, TextFact
from runs.tests.analysis import facts
from runs.tests.analysis.doubting import AB, CORES, HTTPD, during, of, one, report, said, session, top
from runs.tests.drafts.documents import expand

LIMITED = (
    "\n$ cat /etc/apache2/mpm.conf\n<IfModule mpm_prefork_module>\n  StartServers 5\n  MaxClients {n}\n</IfModule>\n"
)


def pair(screen: str, other: str = "") -> str:
    """nginx with a screen of top beside its run, and apache with another one."""
    return session(nginx=report("long_1") + during(screen), apache=report("long_2") + (during(other) if other else ""))


def locally(text: str) -> str:
    return text.replace("web1.lan", "localhost")


pytestmark = pytest.mark.django_db


def test_swap_in_use_where_memory_was_tight_and_others_had_none_is_fatal():
    found = said(pair(top(swap=18708, free=2608, cached=1388), top(swap=0)))
    doubt = one(found, "machine.swap")
    assert doubt.severity == "fatal"
    assert "18.27 MiB of swap in use" in doubt.text
    assert list(list_excluded(found)) == list(doubt.runs)


def test_pages_that_went_in_and_out_beside_one_alone_are_fatal_though_some_swap_was_in_use_beside_both():
    runs = [facts.run(1, 100.0), facts.run(2, 80.0)]
    still = {"swap_in_kb_per_s": 0.0, "swap_out_kb_per_s": 0.0}
    paging = {"swap_in_kb_per_s": 1640.0, "swap_out_kb_per_s": 1922.0}
    captures = [
        facts.capture(at, run=run.id, tool="vmstat", metrics={"swap_used_kb": 4096.0}, peaks=peaks)
        for at, (run, peaks) in enumerate(zip(runs, (still, paging), strict=True), 1)
    ]
    found = find_doubts(Case(facts.configs("a", "b"), runs, captures))
    assert list(list_excluded(found)) == [runs[1].id]


@pytest.mark.parametrize(("watched", "excluded"), [((1, 2), [1, 2, 3]), ((1, 2, 3), [1, 2])])
def test_repeats_that_nothing_watched_are_as_all_others_of_their_config_that_paged(watched, excluded):
    runs = [facts.run(1, 100.0), *(facts.run(2, 80.0 + at, repeat=1 + at) for at in range(3))]
    paging, still = ({f"swap_{way}_kb_per_s": rate for way in ("in", "out")} for rate in (1640.0, 0.0))
    captures = [
        facts.capture(
            1 + at,
            run=runs[at].id,
            tool="vmstat",
            metrics={"swap_used_kb": 4096.0},
            peaks=paging if at in (1, 2) else still,
        )
        for at in (0, *watched)
    ]
    found = find_doubts(Case(facts.configs("a", "b"), runs, captures))
    assert sorted(list_excluded(found)) == [runs[at].id for at in excluded]


def test_swap_in_use_everywhere_is_a_caution_as_nobody_is_at_an_advantage():
    screen = top(swap=18708, free=2608, cached=1388)
    found = said(pair(screen, screen.replace("15:17:17", "15:19:17")))
    assert {doubt.severity for doubt in of(found, "machine.swap")} == {"caution"}
    assert list_excluded(found) == {}


def test_of_several_looks_beside_a_run_the_one_with_the_most_swap_in_use_is_told():
    runs = [facts.run(1, 20.0)]
    before = facts.capture(1, run=runs[0].id, phase="before", metrics={"swap_used_kb": 3072.0})
    under_load = facts.capture(1, run=runs[0].id, metrics={"swap_used_kb": 1011712.0})
    doubt = one(find_doubts(Case(facts.configs("a"), runs, [before, under_load])), "machine.swap")
    assert "988 MiB of swap in use during the run" in doubt.text


def test_a_generator_without_swap_is_no_reason_to_leave_the_server_out():
    hosts, tight = [HostFact(1, "www"), HostFact(2, "labo-2")], {"mem_total_kb": 256400.0, "mem_free_kb": 2608.0}
    captures = [facts.capture(1, metrics={"swap_used_kb": 90000.0, "mem_buffers_kb": 0.0} | tight, host_id=1)]
    captures.append(facts.capture(2, metrics={"swap_used_kb": 0.0}, host_id=2))
    runs = [facts.run(n, 100.0, host_id=1, hostname="www") for n in (1, 2)]
    assert (
        one(find_doubts(Case(facts.configs("a", "b"), runs, captures, hosts=hosts)), "machine.swap").severity
        == "caution"
    )


def test_some_old_pages_in_swap_beside_free_memory_are_a_note():
    assert one(said(pair(top(swap=18708), top())), "machine.swap").severity == "note"


def test_unused_swap_is_not_told_of():
    assert of(said(pair(top(), top())), "machine.swap") == []


def test_swap_that_grew_during_the_run_is_fatal_however_much_memory_is_free():
    configs = facts.configs("a", "b")
    runs = [facts.run(1, 100.0), facts.run(2, 100.0)]
    grown = {"lows": {"swap_used_kb": 1000}, "peaks": {"swap_used_kb": 90000}, "metrics": {"swap_used_kb": 40000}}
    captures = [facts.capture(1, **grown), facts.capture(2, metrics={"swap_used_kb": 0})]
    assert one(find_doubts(Case(configs, runs, captures)), "machine.swap").severity == "fatal"


@pytest.mark.parametrize("text", [pair, lambda screen: locally(pair(screen))])
def test_a_cpu_with_idle_time_is_not_doubted(text):
    assert of(said(text(top(idle=40.0))), "machine.cpu") == []


def test_a_busy_cpu_of_the_server_alone_is_a_note():
    doubt = one(said(pair(top(idle=0.0, running=15))), "machine.cpu")
    assert (doubt.severity, "what limited the server" in doubt.text) == ("note", True)


def test_a_busy_cpu_that_server_and_generator_share_is_a_caution():
    doubt = one(said(locally(CORES + pair(top(idle=0.0, running=15)))), "machine.cpu")
    assert doubt.severity == "caution"
    assert "CPU 0 % idle, 15 tasks running or ready to run" in doubt.text


def test_a_busy_cpu_of_the_generator_is_a_caution():
    hosts = [HostFact(1, "www"), HostFact(2, "labo-2")]
    captures = [facts.capture(1, metrics={"cpu_id": 0.5}, host_id=2)]
    found = find_doubts(
        Case(facts.configs("a"), [facts.run(1, 100.0, host_id=1, hostname="www")], captures, hosts=hosts)
    )
    assert "he load generator was at its limit" in one(found, "machine.cpu").text


def test_a_busy_cpu_before_the_run_is_nobody_s_limit():
    captures = [facts.capture(1, "before", metrics={"cpu_id": 0.5})]
    assert of(find_doubts(Case(facts.configs("a"), [facts.run(1, 100.0)], captures)), "machine.cpu") == []


def test_tasks_beyond_the_cores_are_told_where_idle_time_is_not():
    captures = [facts.capture(1, metrics={"tasks_running": 6})]
    hosts = [HostFact(1, "www", cores=4)]
    assert one(find_doubts(Case(facts.configs("a"), [facts.run(1, 100.0)], captures, hosts=hosts)), "machine.cpu")
    captures = [facts.capture(1, metrics={"tasks_running": 5})]
    assert of(find_doubts(Case(facts.configs("a"), [facts.run(1, 100.0)], captures, hosts=hosts)), "machine.cpu") == []


VMSTAT = """$ vmstat 1 3
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 5  0      0  77408   3660 1780012    0    0     4     2   27   28  1  3 96  0  0
 {r}  0   {swap}  77192   3660 1780048    0   {out}     0     0 1363 1823 12 48 41  0  0
 8  0   {swap}  77288   3668 1780040    0   {out}     0    36 1773 2686 15 55 30  0  0
"""


def watched(r: int = 4, swap: int = 0, out: int = 0) -> str:
    """A machine of one core watched by vmstat during nginx's run, and by top during apache's."""
    one = report("long_1") + "\nThe server during the load:\n\n" + VMSTAT.format(r=r, swap=swap, out=out)
    return CORES + session(nginx=one, apache=report("long_2") + during(top()))


def test_a_run_queue_above_the_cores_in_every_look_is_told_although_some_time_was_idle():
    assert "CPU 35.5 % idle, 6 tasks running or ready to run on 1 core" in one(said(watched()), "machine.cpu").text


def test_a_run_queue_that_was_short_once_is_not():
    assert of(said(watched(r=1)), "machine.cpu") == []


def test_pages_that_went_out_during_the_run_are_paging_and_old_ones_are_not():
    assert one(said(watched(swap=90000, out=412)), "machine.swap").severity == "fatal"


def test_swap_that_lay_still_is_a_note():
    assert one(said(watched(swap=90000)), "machine.swap").severity == "note"


def test_time_that_the_hypervisor_took_is_a_caution():
    assert "12.5 % of CPU time stolen" in one(said(pair(top(stolen=12.5))), "machine.steal").text


def test_a_trace_of_stolen_time_is_not_told_of():
    assert of(said(pair(top(stolen=0.7))), "machine.steal") == []


def test_a_generator_on_the_measured_host_is_told_by_the_address():
    doubt = one(said(locally(report("long_1"))), "generator.same_host")
    assert (doubt.severity, "ab loaded localhost" in doubt.text) == ("caution", True)


def test_a_generator_on_the_measured_host_is_told_by_the_server_s_own_list_of_processes():
    doubt = one(said(pair(top(rows=HTTPD + AB.format(cpu="40.0")))), "generator.same_host")
    assert "top shows ab beside the server's processes" in doubt.text


@pytest.mark.parametrize("rows", [HTTPD, AB.format(cpu="40.0")])
def test_another_machine_s_load_is_not_taken_for_the_server_s_own(rows):
    assert of(said(pair(top(rows=rows))), "generator.same_host") == []


def test_ab_at_a_whole_core_may_be_what_was_measured():
    found = said(pair(top(rows=HTTPD + AB.format(cpu="99.7"))))
    assert "ab used 99.7 % of a core" in one(found, "generator.saturated").text


@pytest.mark.parametrize("cpu", ["60.0", " 6.0"])
def test_ab_with_time_to_spare_is_not_doubted(cpu):
    assert of(said(pair(top(rows=HTTPD + AB.format(cpu=cpu)))), "generator.saturated") == []


def test_a_generator_whose_command_gives_it_one_thread_is_full_at_one_core():
    runs = [facts.run(1, 100.0, tool="wrk", command="wrk -t1 -c50 -d20s http://web1/")]
    loaded = (ProcessFact(1, "wrk", "wrk", 100.0, 100.0, makes_load=True),)
    found = find_doubts(Case(facts.configs("a"), runs, [facts.capture(1, run=runs[0].id, processes=loaded)]))
    assert one(found, "generator.saturated")


def test_a_generator_of_many_threads_is_full_only_at_all_cores():
    captures = [facts.capture(1, processes=(ProcessFact(1, "wrk", "wrk", 100.0, 130.0, makes_load=True),))]
    runs, hosts = [facts.run(1, 100.0, tool="wrk")], [HostFact(1, "www", cores=4)]
    assert of(find_doubts(Case(facts.configs("a"), runs, captures, hosts=hosts)), "generator.saturated") == []
    captures = [facts.capture(1, processes=(ProcessFact(1, "wrk", "wrk", 100.0, 395.0, makes_load=True),))]
    assert one(find_doubts(Case(facts.configs("a"), runs, captures, hosts=hosts)), "generator.saturated")


def test_more_clients_than_workers_are_told_with_the_setting_and_its_line():
    text = session(apache=report("long_1") + LIMITED.format(n=10))
    doubt = one(said(text), "limits.clients")
    assert "15 clients for MaxClients 10" in doubt.text
    lines = text.split("\n")
    assert "MaxClients 10" in lines[doubt.sources[0].line - 1]


@pytest.mark.parametrize(
    ("name", "server", "is_told"),
    [
        ("apache", "nginx/1.22.1", True),
        ("nginx", "Apache/2.4.57 (Debian)", True),
        ("nginx with ApacheBench", "nginx/1.22.1", False),
        ("apache behind nginx", "nginx/1.22.1", False),
        ("nginx", "openresty/1.21.4", False),
        ("nginx", "gunicorn", False),
        ("mod_php", "nginx/1.22.1", False),
        ("httpd 2.4", "Apache/2.4.57", False),
        ("nginx 1.26", "nginx/1.18.0", True),
        ("nginx 1.26.1", "nginx/1.26.2", False),
        ("nginx 1.26", "nginx", False),
        ("nginx 1.18 to 1.26, apache 2.2", "nginx/1.26.0", False),
        ("PHP 8.2 on nginx", "nginx/1.18.0", False),
    ],
)
def test_a_server_that_answered_under_another_one_s_name_is_told(name, server, is_told):
    case = Case(facts.configs(name), [facts.run(1, 900.0, server_software=server)])
    found = [doubt for doubt in find_doubts(case) if doubt.rule == "load.other_server"]
    assert [(doubt.severity, server in doubt.text) for doubt in found] == ([("caution", True)] if is_told else [])


@pytest.mark.parametrize(
    ("label", "told"),
    [
        *(
            ("500 concurrent users", "500"),
            ("## 500 connections", "500"),
            ("nginx -c 500", "500"),
            ("Concurrency Level: 1,000", "1,000"),
            ("c=1k", "1,000"),
        ),
        *(("nginx, c=50", ""), ("50 and 500 concurrent", ""), ("HTTP/2 c10k", ""), ("500 users in the table", "")),
    ],
)
def test_a_heading_that_tells_of_another_concurrency_is_a_doubt(label, told):
    case = Case(facts.configs("nginx"), [facts.run(1, 900.0, concurrency=50.0, label=label)])
    found = of(find_doubts(case), "load.other_clients")
    assert [doubt.text.partition(". ")[0] for doubt in found] == (
        [f"nginx: 50 clients, where its heading tells of {told}"] if told else []
    )


def test_as_many_clients_as_workers_are_fine():
    assert of(said(session(apache=report("long_1") + LIMITED.format(n=15))), "limits.clients") == []


def test_what_is_said_beside_the_run_counts_for_more_than_a_text_shown_elsewhere():
    configs, texts = facts.configs("a"), [text("MaxClients 10\n")]
    noted = facts.run(1, 100.0, concurrency=15.0, note="MaxClientsは15で実施します。")
    assert of(find_doubts(Case(configs, [noted], texts=texts)), "limits.clients") == []
    plain = facts.run(1, 100.0, concurrency=15.0)
    assert one(find_doubts(Case(configs, [plain], texts=texts)), "limits.clients")
    assert of(find_doubts(Case(facts.configs("MaxClients 15"), [plain], texts=texts)), "limits.clients") == []


def test_a_limit_in_a_heading_whose_number_is_the_load_s_counts_for_more_than_a_text_shown_elsewhere():
    sections = "".join(f"## MaxClients {n}\n\nBefore the load:\n\n@ab 900 c={n} n=90000\n\n" for n in (50, 100, 150))
    shown = "## Chosen in the end\n\n$ cat /etc/apache2/apache2.conf\nMaxClients 100\n"
    assert of(said(expand(sections + shown)), "limits.clients") == []
    assert one(said(expand(sections.replace("MaxClients", "clients:") + shown)), "limits.clients")


def test_of_several_mpms_the_widest_counts_and_the_config_s_own_where_it_is_named():
    both = "<IfModule prefork.c>\nMaxClients 10\n</IfModule>\n<IfModule worker.c>\nMaxClients 100\n</IfModule>\n"
    run = facts.run(1, 100.0, concurrency=50.0)
    assert of(find_doubts(Case(facts.configs("apache"), [run], texts=[text(both)])), "limits.clients") == []
    assert one(find_doubts(Case(facts.configs("prefork MPM"), [run], texts=[text(both)])), "limits.clients")


def test_nginx_takes_its_connections_for_each_worker_process():
    conf = "worker_processes 2;\nevents {\n  worker_connections 64;\n}\n"
    many = facts.run(1, 100.0, concurrency=200.0)
    found = one(find_doubts(Case(facts.configs("nginx"), [many], texts=[text(conf)])), "limits.clients")
    assert "200 clients for 2 × worker_connections 128" in found.text
    few = facts.run(1, 100.0, concurrency=128.0)
    assert of(find_doubts(Case(facts.configs("nginx"), [few], texts=[text(conf)])), "limits.clients") == []


def text(config: str) -> TextFact:
    return TextFact(None, "httpd.conf", config, "/uploads/1/#L1", 1)


def test_what_a_monitor_saw_beside_one_repeat_is_held_against_the_config():
    runs = [facts.run(config, 100.0, repeat=repeat) for config in (1, 2) for repeat in (1, 2, 3)]
    stolen = facts.capture(1, run=runs[1].id, metrics={"cpu_st": 20.0, "cpu_id": 50.0})
    doubt = one(find_doubts(Case(facts.configs("a", "b"), runs, [stolen])), "machine.steal")
    assert set(doubt.runs) == {run.id for run in runs[:3]}
    assert doubt.findings[0].facts["repeats"] == 3
    seen = [stolen, facts.capture(1, run=runs[2].id, metrics={"cpu_st": 0.0, "cpu_id": 50.0})]
    assert one(find_doubts(Case(facts.configs("a", "b"), runs, seen)), "machine.steal").runs == (runs[1].id,)


def test_monitors_that_saw_less_than_half_of_a_run_are_a_note():
    runs = [facts.run(1, 100.0, duration_s=took) for took in (60.0, 60.0, 60.0, 3.0)]
    seen = (2.0, 40.0, None, 1.0)
    captures = [
        facts.capture(1, run=run.id, tool="proc_stat", n=2, seconds=seconds)
        for run, seconds in zip(runs, seen, strict=True)
    ]
    captures.append(facts.capture(1, run=runs[1].id, n=2, seconds=5.0))  # a rarer one of the same machine
    doubt = one(find_doubts(Case(facts.configs("a"), runs, captures)), "machine.unseen")
    assert doubt.severity == "note" and doubt.runs == (runs[0].id,) and "monitors saw 2 of 60 s" in doubt.text
