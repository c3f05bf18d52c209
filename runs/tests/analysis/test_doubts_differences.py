"""What was not the same between what is compared: graded by what it does to a rate."""

from __future__ import annotations

from typing import Any

import pytest

from runs import ingest
from runs.analysis import find_doubts
from runs.analysis.columns import build_columns
from runs.analysis.doubt_case import Case, Doubt, list_incomparable
from runs.analysis.doubt_differences import grade_mean_sizes, grade_sizes
from runs.analysis.facts import HostFact, TextFact
from runs.analysis.scaling import find_sweeps, find_varied
from runs.models import Experiment
from runs.selectors import comparison_data
from runs.tests.analysis import facts
from runs.tests.analysis.doubting import FIXTURES, of, one, report, said, session

ONE = report("long_1")
TWO = report("long_2")


def of_runs(*fields: dict[str, Any], hosts: list[HostFact] | None = None) -> list[Doubt]:
    """A config for each of `fields`, with one run."""
    configs = facts.configs(*"abcdefgh"[: len(fields)])
    runs = [facts.run(number, 100.0 * number, **field) for number, field in enumerate(fields, 1)]
    return find_doubts(Case(configs, runs, hosts=hosts or []))


def with_k(text: str) -> str:
    return text.replace("ab -n", "ab -k -n").replace(
        "Total transferred", "Keep-Alive requests:    5000\nTotal transferred"
    )


@pytest.mark.django_db
def test_two_configs_under_the_same_load_differ_in_nothing():
    found = said(session(nginx=ONE, apache=TWO))
    assert [doubt.rule for doubt in found if doubt.rule.startswith("differs.")] == []


@pytest.mark.django_db
def test_another_concurrency_is_a_caution_and_another_n_alone_a_note():
    loads = session(
        nginx=ONE, apache=TWO.replace("-n 5000 -c 15", "-n 5000 -c 30").replace("Level:      15", "Level:      30")
    )
    doubt = one(said(loads), "differs.load")
    assert (doubt.severity, "concurrency 15, 30" in doubt.text) == ("caution", True)
    assert one(said(session(lighttpd=ONE, apache=TWO.replace("-n 5000", "-n 9000"))), "differs.load").severity == "note"


@pytest.mark.django_db
def test_keep_alive_in_one_config_of_three_puts_it_apart():
    found = said(session(nginx=ONE, apache=TWO, lighttpd=with_k(report("long_1").replace("414.66", "514.66"))))
    doubt = one(found, "differs.load")
    assert doubt.severity == "fatal"
    assert "keep-alive on against off" in doubt.text
    assert list(list_incomparable(found)) == list(doubt.configs)


@pytest.mark.django_db
def test_keep_alive_in_one_config_of_two_may_be_what_is_compared():
    found = said((FIXTURES / "mix" / "mix_02_keepalive_en.txt").read_text(encoding="utf-8"))
    assert one(found, "differs.load").severity == "caution"
    assert list_incomparable(found) == {}


def test_another_tool_is_never_comparable():
    found = of_runs({"tool": "ab"}, {"tool": "siege"})
    assert "tool siege against ab" in one(found, "differs.tool").text
    assert list(list_incomparable(found)) == [2]


@pytest.mark.django_db
def test_siege_beside_ab_in_one_text_is_not_comparable():
    siege = (FIXTURES / "siege" / "siege_02_b_t.txt").read_text()
    doubt = one(said(session(nginx=ONE, apache=siege)), "differs.tool")
    assert (doubt.severity, "ab" in doubt.text, "siege" in doubt.text) == ("fatal", True, True)


def test_another_version_of_the_tool_is_a_note():
    assert one(of_runs({"tool_version": "2.0"}, {"tool_version": "2.3"}), "differs.tool").severity == "note"


def test_another_revision_of_one_version_is_one_too():
    revisions = [{"tool_version": "2.3", "values": {"ab_revision": n}} for n in (655654, 1923142)]
    found = one(of_runs(*revisions), "differs.tool")
    assert (found.severity, "2.3 (655654)" in found.text) == ("note", True)
    assert of(of_runs(*revisions[:1] * 2), "differs.tool") == []


def test_an_untold_version_differs_from_none():
    assert of(of_runs({"tool_version": ""}, {"tool_version": "2.3"}), "differs.tool") == []


def test_tls_in_one_of_three_puts_it_apart_and_another_protocol_is_told():
    plain, tls = {"tool": "hey", "command": "hey -n 9 http://a/"}, {"command": "ab -n 9 https://a/"}
    assert list(list_incomparable(of_runs(plain, plain, tls))) == [3]
    old, new = ({"values": {"tls_protocol": f"TLSv1.{n},AES,256"}} for n in (2, 3))
    assert one(of_runs(old, new), "differs.load").severity == "caution"


def test_a_report_without_tls_of_a_tool_that_prints_it_was_plain():
    tls = {"values": {"tls_protocol": "TLSv1.3,AES,256"}}
    assert "TLS off, on" in one(of_runs({"command": ""}, tls | {"command": ""}), "differs.load").text


def test_a_script_is_the_same_from_another_folder():
    commands = [f"wrk -s {path} http://a/" for path in ("./post.lua", "/home/me/bench/post.lua")]
    assert of(of_runs(*({"tool": "wrk", "command": each} for each in commands)), "differs.load") == []


@pytest.mark.parametrize(
    ("shown", "differs"),
    [
        ("tail -f wrk_10.log", False),  # it says nothing of the load
        ("wrk http://a/", True),
        ("cat urls.txt | wrk http://a/", True),
    ],
)
def test_a_command_that_shows_a_report_tells_no_script(shown, differs):
    found = of_runs(*({"tool": "wrk", "command": each} for each in (shown, "wrk -s post.lua http://a/")))
    assert any("script" in each.text for each in of(found, "differs.load")) is differs


def test_how_long_an_answer_is_waited_for_is_told_where_late_ones_count():
    commands = [f"wrk --timeout {time} http://a/" for time in ("1s", "30s")]
    found = of_runs(*({"tool": "wrk", "command": each} for each in commands))
    assert "timeout 1, 30 s" in one(found, "differs.load").text


@pytest.mark.parametrize(
    ("lengths", "severity"),
    [
        ((35, 36), "note"),
        ((5000, 5050), None),
        ((5000, 5500), "note"),
        ((5000, 7000), "caution"),
        ((5000, 50000), "caution"),
    ],
)
def test_the_document_s_length_weighs_by_how_much_it_differs(lengths, severity):
    found = of(of_runs(*({"values": {"document_length_bytes": length}} for length in lengths)), "differs.page")
    assert [doubt.severity for doubt in found] == ([severity] if severity else [])


def test_a_page_ten_times_as_long_as_that_of_the_others_is_another_page():
    fields = [{"values": {"document_length_bytes": length}} for length in (5000, 5000, 50000)]
    assert list(list_incomparable(of_runs(*fields))) == [3]


def test_another_path_is_a_caution_where_no_length_tells_and_a_note_beside_equal_lengths():
    assert one(of_runs({"path": "/x"}, {"path": "/y"}), "differs.page").severity == "caution"  # configs a and b
    fields = [{"path": path, "values": {"document_length_bytes": 900}} for path in ("/x", "/y")]
    assert one(of_runs(*fields), "differs.page").severity == "note"


def test_another_address_is_a_note_and_localhost_has_many_names():
    commands = ["ab -n 100 http://wsgi.example.com/", "ab -n 100 http://fcgi.example.com/"]
    doubt = one(of_runs(*({"command": command} for command in commands)), "differs.page")
    assert doubt.text.startswith("Not the same: address wsgi.example.com, fcgi.example.com.")
    assert of(of_runs({"hostname": "localhost"}, {"hostname": "127.0.0.1"}), "differs.page") == []


def test_siege_s_mean_reply_tells_that_another_page_was_fetched():
    small, large = (
        {"tool": "siege", "complete_requests": 757, "values": {"data_transferred_mb": mb}} for mb in (0.81, 11.13)
    )
    assert "mean reply" in one(of_runs(small, large), "differs.page").text
    assert of(of_runs(small, small), "differs.page") == []
    few, many = (
        {"tool": "siege", "complete_requests": n, "values": {"data_transferred_mb": mb}}
        for n, mb in ((168, 0.0), (531, 0.01))
    )
    assert of(of_runs(few, many), "differs.page") == []  # of 14 bytes each


def test_lengths_are_graded_in_both_directions_alike():
    for grade in (grade_sizes, grade_mean_sizes):
        assert grade(5000.0, 50000.0) == grade(50000.0, 5000.0) == "split"
        assert grade(5000.0, 0.0) == "split"
        assert grade(5000.0, 5000.0) is None


HOSTS = [
    HostFact(1, "old", "Pentium M", 1, ram_kb=774616, kernel="2.6.18"),
    HostFact(2, "new", "Xeon", 8, ram_kb=8174616, kernel="6.1"),
    HostFact(3, "newer", "Xeon", 8, ram_kb=8174999, kernel="6.12"),
]


def on(*numbers: int) -> list[Doubt]:
    names = {host.id: host.name for host in HOSTS}
    return of_runs(*({"host_id": number, "host": names[number]} for number in numbers), hosts=HOSTS)


def test_one_config_on_another_machine_is_put_apart():
    found = on(1, 1, 2)
    doubt = one(found, "differs.machine")
    assert (doubt.severity, list(list_incomparable(found))) == ("fatal", [3])
    assert "CPU Xeon against Pentium M; cores 8 against 1" in doubt.text


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "differs"), [("AMD Sempron(tm) 2600+", True), ("Intel(R) Pentium(R) M", False)])
def test_texts_of_two_machines_in_one_experiment_differ_in_them(model, differs):
    for name, text, cpu in (("nginx", ONE, "Intel(R) Pentium(R) M"), ("apache", TWO, model)):
        cpuinfo = f"$ cat /proc/cpuinfo\nprocessor\t: 0\nmodel name\t: {cpu}\ncpu MHz\t\t: 1300.000\n\n"
        hints = ingest.Hints(experiment="Two machines", host="web" if not differs else f"web-{name}")
        ingest.submit(f"{session(**{name: text})}\n{cpuinfo}".encode(), origin="rest", hints=hints)
    found = find_doubts(comparison_data.make_case(comparison_data.load_experiment(Experiment.objects.get())))
    assert [doubt.severity for doubt in of(found, "differs.machine")] == (["caution"] if differs else [])


def test_two_configs_on_a_machine_each_are_a_caution_as_machines_may_be_compared():
    found = on(1, 2)
    assert (one(found, "differs.machine").severity, list_incomparable(found)) == ("caution", {})


def test_the_same_hardware_under_another_kernel_is_a_caution():
    doubt = one(on(2, 3), "differs.machine")
    assert (doubt.severity, "kernel 6.1, 6.12" in doubt.text, "memory" in doubt.text) == ("caution", True, False)


def test_the_same_machine_differs_in_nothing():
    assert of(on(2, 2, 2), "differs.machine") == []


def test_a_config_that_was_also_loaded_like_the_baseline_is_not_put_apart():
    configs = facts.configs("a", "b", "c")
    runs = [facts.run(n, 100.0, keepalive=k) for n, k in ((1, False), (2, False), (3, False), (3, True))]
    assert list_incomparable(find_doubts(Case(configs, runs))) == {}


def test_sources_are_a_line_of_each_that_is_named():
    doubt = one(of_runs({"tool": "ab"}, {"tool": "siege"}), "differs.tool")
    assert len(doubt.sources) == 2


@pytest.mark.django_db
@pytest.mark.parametrize(("rate", "severity"), [(100, []), (200, ["fatal"])])
def test_a_load_sent_at_another_rate_is_never_comparable(rate, severity):
    text = (FIXTURES / "httperf" / "httperf_01.txt").read_text(encoding="utf-8")
    other = (
        text.replace("--rate=100", f"--rate={rate}").replace("--rate 100", f"--rate {rate}").replace("1.991", "1.990")
    )
    found = said(session(nginx=text, apache=other.replace("rate: 100.5 req", f"rate: {rate}.4 req")))
    assert [doubt.severity for doubt in of(found, "differs.load")] == severity


def test_a_rate_that_was_set_and_kept_says_only_that_the_server_kept_up():
    found = of_runs(
        *({"tool": "httperf", "values": {"asked_requests_per_second": asked}} for asked in (101, 400))
    )  # of 100 and 200
    doubt = one(found, "load.set_rate")
    assert doubt.severity == "caution"
    assert "101 requests/s were asked for, and 100 answered" in doubt.text


def test_a_set_rate_is_missed_by_what_was_sent_and_not_by_answers_that_came_after_the_end():
    runs = (
        {"tool": "vegeta", "command": f"vegeta attack -rate={rate} -duration=5s", "complete_requests": 1000}
        for rate in (200, 400)
    )
    findings = one(of_runs(*runs), "load.missed_rate").findings  # 100 and 200 were answered a second
    assert [(finding.facts["asked"], finding.facts["got"]) for finding in findings] == [(400, 200)]


def capture(path: str) -> str:
    return (FIXTURES / path).read_text(encoding="utf-8")


@pytest.mark.django_db
def test_a_set_rate_against_waiting_clients_names_coordinated_omission():
    """vegeta sends at a rate that was set; ab's clients wait for their answers."""
    found = one(said(session(nginx=ONE, apache=capture("vegeta/vegeta_01.txt"))), "differs.tool")
    assert "at a set rate" in found.text
    assert "coordinated omission" in found.text


@pytest.mark.django_db
def test_tools_whose_clients_all_wait_do_not_name_it():
    found = one(said(session(nginx=ONE, apache=capture("wrk/wrk_02_latency.txt"))), "differs.tool")
    assert "ab" in found.text
    assert "coordinated omission" not in found.text


@pytest.mark.parametrize(
    ("names", "differs"),
    [
        (("KeepAlive Off", "KeepAlive On"), []),
        (("Without keep-alive", "With keep-alive"), []),
        (("a connection a request", "keep-alive"), []),
        (("nginx", "nginx -k"), []),
        (("nginx", "apache with keep-alive"), ["differs.load"]),
        (("a", "b"), ["differs.load"]),
    ],
)
def test_keep_alive_is_no_doubt_where_it_is_all_that_the_names_tell_apart(names, differs):
    runs = [facts.run(config, 100.0, keepalive=config == 2) for config in (1, 2)]
    assert [doubt.rule for doubt in of(find_doubts(Case(facts.configs(*names), runs)), "differs.load")] == differs


def test_keep_alive_is_no_doubt_where_the_config_files_are_the_same():
    runs = [facts.run(config, 100.0, keepalive=config == 2) for config in (1, 2)]
    texts = [TextFact(config, "/etc/nginx/nginx.conf", "keepalive_timeout 65;", "", config) for config in (1, 2)]
    assert of(find_doubts(Case(facts.configs("a", "b"), runs, texts=texts)), "differs.load") == []


def swept(*runs, names=("event",)):
    """The doubts about the loads of a sweep."""
    named = facts.configs(*names)
    return of(
        find_doubts(Case(named, runs, varied=find_varied(build_columns(named, runs), find_sweeps(named, runs, {})))),
        "differs.load",
    )


def level(n):
    return facts.run(1, 100.0, command=f"ab -n {50 * n} -c {n} http://web/")


def test_what_a_sweep_varies_is_no_doubt_and_other_differences_are():
    (doubt,) = swept(level(50), level(100), level(150))
    assert (doubt.severity, [name for name, *_ in doubt.findings[0].facts["listed"]]) == ("note", ["requests"])
    (doubt,) = swept(level(50), facts.run(2, 100.0, command="ab -n 2500 -c 100 http://web/"), names=("nginx", "apache"))
    assert [name for name, *_ in doubt.findings[0].facts["listed"]] == ["concurrency"]


def test_a_sweep_over_names_says_nothing_of_another_load():
    runs = [facts.run(at, 100.0, concurrency=10.0 * at) for at in (1, 2, 3)]
    (doubt,) = swept(*runs, names=("MaxClients 50", "MaxClients 100", "MaxClients 150"))
    assert [name for name, *_ in doubt.findings[0].facts["listed"]] == ["concurrency"]
    runs = [facts.run(at, 1000.0 * at, command=f"wrk2 -R {1000 * at} http://web/", tool="wrk") for at in (1, 2, 3)]
    assert swept(*runs, names=("1000 rps", "2000 rps", "3000 rps")) == []


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ({"keepalive": False}, {"command": "hey -n 9 http://a/", "duration_s": 9.0}, True),
        ({"keepalive": True}, {"command": "hey -n 9 http://a/", "duration_s": 9.0}, False),
        (
            {"keepalive": False},
            {"command": "hey -n 9 http://a/"},
            False,
        ),  # of a lone line nobody knows how it was loaded
        ({"keepalive": False}, {"duration_s": 9.0}, False),
        ({"bytes_out_total": 48211 * 900}, {"bytes_out_total": 212 * 900}, True),
        ({"bytes_out_total": 212 * 900}, {"bytes_out_total": 213 * 900}, False),
    ],
)
def test_connections_closed_and_bodies_sent_on_one_side_alone_are_told(one, other, differs):
    sides = []
    for fields in (one, other):
        values = {name: value for name, value in fields.items() if name.startswith("bytes")}
        sides.append({name: value for name, value in fields.items() if name not in values} | {"values": values})
        sides[-1] |= {"complete_requests": 900, "tool": "hey"}
    assert ("differs.load" in [doubt.rule for doubt in of_runs(*sides)]) is differs


def test_clients_that_came_and_went_by_stages_were_not_idle_for_it():
    ran = {"tool": "k6", "concurrency": 20, "mean_ms": 25.0}
    steady, staged = (ran | {"values": {"vus": {"min": least, "max": 20.0}}} for least in (20.0, 1.0))
    assert one(of_runs(steady, steady), "load.idle_clients").severity == "caution"
    assert of(of_runs(staged, staged), "load.idle_clients") == []
