"""The client, run for real: what it records, what it sends, and what is left when it is interrupted at any step."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socketserver
import subprocess
import sys
import threading
import time
from collections import Counter
from operator import attrgetter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from runs import ingest
from runs.models import Capture, ConfigText, Host, Run, Upload
from runs.tests.installation import WITHIN_S, until

from .conftest import CLIENT, Client

pytestmark = [pytest.mark.django_db(transaction=True)]
SHELLS = ("dash", "busybox ash", "bash")
KINDS = {"proc_stat", "meminfo", "loadavg", "proc_net", "net_dev"}


def load(bd: Client, seconds: int = 2) -> tuple[str, ...]:
    return ("ab", "-q", "-t", str(seconds), "-n", "1000000", "-c", "2", bd.loaded)


def described(results: list[dict[str, Any]]) -> list[tuple[object, ...]]:
    return [
        (run["experiment"], run["config"], run["repeat"], run["host"], run["lines"], run["captures"]) for run in results
    ]


@pytest.mark.parametrize("shell", SHELLS)
def test_variants_are_run_in_turn_and_pasting_gives_the_same_as_sending(bd, needs, shell):
    needs(shell.split()[0])
    options = ("--repeat", "2", "--experiment", "Two clients", "--before", "echo now $BD_VARIANT", "--host", "web 1")
    one, other = ("ab", "-q", "-n", "200", bd.loaded), ("ab", "-q", "-c", "2", "-n", "200", bd.loaded)
    status, out, err = bd.run(
        "run", *options, "--variant", "it's off", "--", *one, "--variant", "on", "--", *other, shell=shell
    )
    assert status == 0, err
    assert out.count("Requests per second") == 4
    upload = Upload.objects.get()
    runs = sorted(Run.objects.filter(upload=upload).with_context(), key=attrgetter("line_first"))
    assert [(run.config.name, run.repeat) for run in runs] == [("it's off", 1), ("on", 1), ("on", 2), ("it's off", 2)]
    assert {(run.experiment.name, run.host.name) for run in runs} == {("Two clients", "web-1")}
    shown = ingest.preview(bd.transcript.read_bytes())
    assert described(ingest.draft_results(shown.blocks, shown.draft)) == described(
        ingest.describe_result(upload)["runs"]
    )
    assert bd.transcript.read_text().count("now it's off") == 2
    assert not list(bd.folder.glob("*.d"))


def test_monitors_of_each_second_become_series_beside_their_run(bd, admin_client):
    assert bd.run("run", "--config", "event", "--", *load(bd, 4))[0] == 0
    run = Run.objects.get()
    captures = Capture.objects.filter(run=run).prefetch_related("series")
    assert Counter(c.phase for c in captures if c.tool in KINDS) == dict.fromkeys(
        ("before", "during", "after"), len(KINDS)
    )
    during = captures.get(tool="proc_stat", phase="during")
    assert during.n_samples >= 2
    shares = {s.metric: s.mean for s in during.series.all() if re.fullmatch(r"cpu_\w\w", s.metric)}
    assert sum(shares.values()) == pytest.approx(100, abs=1)
    assert run.config.name == "event" and run.ran_at is not None
    screens = captures.filter(tool="top")
    assert {screen.phase for screen in screens} == {"before", "during", "after"}
    assert not screens.filter(series__metric="tasks_unlisted").exists()
    page = admin_client.get(run.get_absolute_url()).content.decode()
    listed = Counter(re.findall(r'<li>\s*<a href="(/captures/\d+/)"', page))
    assert listed == {capture.get_absolute_url(): 1 for capture in captures}


def test_an_awk_that_does_not_tell_the_time_costs_no_samples(bd):
    """As of Debian 10: date and grep do it then."""
    awk = bd.folder / "old" / "awk"
    awk.parent.mkdir()
    awk.write_text(f'#!/bin/sh\ncase $* in *strftime*) exit 2 ;; esac; exec {shutil.which("awk")} "$@"\n')
    awk.chmod(0o755)
    bd.env["PATH"] = f"{awk.parent}:{bd.env['PATH']}"
    assert bd.run("run", "--", *load(bd, 2))[0] == 0
    assert set(Capture.objects.filter(phase="during").values_list("tool", flat=True)) >= KINDS


def test_the_status_of_the_command_is_passed_on_and_its_outputs_stay_apart(bd):
    assert bd.run("run", "--no-send", "--", "sh", "-c", "echo out; echo err >&2; exit 7")[:2] == (7, "out\n")
    assert {"out", "err"} <= set(bd.transcript.read_text().splitlines())


def test_what_was_recorded_while_the_site_was_down_is_pushed_once(bd):
    site, bd.site = bd.site, "http://127.0.0.1:9"
    there = ("ab", "-q", "-n", "100", bd.loaded)
    status, _, err = bd.run("run", "--", *there)
    assert status == 0 and "bd push" in err
    bd.site = site
    for said in ("stored", "already stored"):
        status, _, err = bd.run("push", bd.transcript.name)
        assert status == 0 and err.startswith(f"bd: {said}: {site}/experiments/"), err
    assert Upload.objects.count() == Run.objects.count() == 1


ANSWERS = {
    "a part of the answer": (b'{"id": 1, "url": "http', 900),
    "another page of status 200": (b"<html>log in", 12),
}


@pytest.mark.parametrize("client", ["curl", "wget"])
@pytest.mark.parametrize(("answer", "length"), ANSWERS.values(), ids=ANSWERS)
def test_what_the_site_has_not_confirmed_was_not_stored(bd, needs, client, answer, length):
    needs(client)
    if client == "wget":
        without(bd, "curl")
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode()

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while (line := self.rfile.readline().lower()) not in (b"\r\n", b""):
                if line.startswith(b"content-length:"):
                    size = int(line.split()[1])
            self.rfile.read(size)
            self.wfile.write(head + answer)

    (bd.folder / "log.txt").write_text("$ ab -n 100 http://web1/\n")
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        bd.site = f"http://127.0.0.1:{server.server_address[1]}"
        status, _, err = bd.run("push", "log.txt")
        server.shutdown()
    assert status == 1 and "stored:" not in err and "bd push log.txt" in err


def test_a_text_that_no_worker_reads_is_said_to_be_unread(bd, settings, tmp_path):
    settings.QUEUE_UPLOAD_BYTES = 0
    sleep = tmp_path / "quick" / "sleep"
    sleep.parent.mkdir()
    sleep.write_text("#!/bin/sh\n")
    sleep.chmod(0o755)
    bd.env["PATH"] = f"{sleep.parent}:{bd.env['PATH']}"
    (tmp_path / "session.txt").write_text(
        "$ ab -n 100 -c 1 http://web1/\nRequests per second:    887.55 [#/sec] (mean)\n"
    )
    status, _, err = bd.run("push", "session.txt")
    assert "sent, waiting for a worker" in err and f"not read after 120 s: {bd.site}/uploads/" in err
    assert Upload.objects.get().status == "queued" and status == 0


def test_a_token_is_asked_for_and_is_not_shown_to_who_lists_processes(bd):
    bd.env["BENCHDASH_TOKEN"] = ""
    there = ("ab", "-q", "-n", "100", bd.loaded)
    assert "BENCHDASH_TOKEN" in bd.run("run", "--", *there)[2]
    assert "Bearer" not in re.sub(r"(?m)^ *#.*$|header = .*$|--header.*$", "", CLIENT.read_text())


def test_ctrl_c_ends_the_load_and_keeps_what_it_printed(bd):
    process = bd.start("run", "--repeat", "3", "--", *load(bd, 300))
    bd.until_loaded(process)
    bd.until_sampled(times=2)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode != 0
    assert Run.objects.count() == 1, err
    assert Capture.objects.filter(run=Run.objects.get(), phase="after").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_load_that_needs_time_to_end_after_ctrl_c_is_waited_for(bd, needs, shell):
    needs(shell.split()[0])
    slow = 'trap "sleep 2; echo Requests per second: 5; exit 3" INT; touch begun; while :; do sleep 0.1; done'
    process = bd.start("run", "--no-send", "--repeat", "3", "--", "sh", "-c", slow, shell=shell)
    until((bd.folder / "begun").exists, "the load")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=WITHIN_S)
    assert (process.returncode, out, err.count(", run ")) == (3, "Requests per second: 5\n", 1)


def test_ctrl_c_ends_the_wait_for_a_machine_that_does_not_answer(bd):
    ssh = bd.folder / "ssh.sh"
    ssh.write_text("touch asked; exec sleep 60")
    bd.env["BD_SSH"] = f"sh {ssh}"
    process = bd.start("run", "--on", "web9", "--", "true")
    until((bd.folder / "asked").exists, "ssh")
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=50) and process.returncode == 130


def test_a_full_disk_is_named_before_anything_is_loaded(bd):
    full = "prlimit --fsize=0 env --ignore-signal=XFSZ dash"  # no file may grow
    status, _, err = bd.run("run", "--", "touch", "loaded", shell=full)
    assert status == 2 and "cannot be written: is the disk full?" in err and not (bd.folder / "loaded").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_disk_that_fills_up_during_a_load_costs_neither_its_output_nor_its_status(bd, needs, shell):
    needs(shell.split()[0])
    full = f"prlimit --fsize=4000000 env --ignore-signal=XFSZ {shell}"  # a transcript may not grow larger
    many = ("run", "--no-send", "--repeat", "2", "--", "sh", "-c", "yes | head -c 5000000; echo end; exit 7")
    status, out, err = bd.run(*many, shell=full)
    assert status == 7 and out.endswith("end\n") and "run 2 of 2" not in err
    assert err.count("cannot be written: is the disk full?") == 1


def test_ctrl_c_before_the_load_starts_none_and_sends_nothing(bd):
    process = bd.start("run", "--repeat", "3", "--before", "touch asked; sleep 1; true", "--", "touch", "loaded")
    until((bd.folder / "asked").exists, "--before")
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode != 0 and "nothing was measured" in err
    assert not (bd.folder / "loaded").exists() and not Upload.objects.exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_monitors_end_after_the_seconds_that_max_gives_them_and_the_load_goes_on(bd, needs, shell):
    needs(shell.split()[0])
    status, _, err = bd.run("run", "--max", "1", "--", *load(bd, 4), shell=shell)
    said = "the monitors were stopped after 1 s (--max), the load goes on\n"
    assert status == 0 and err.count(f"bd: {said}") == 1, err
    text = bd.transcript.read_text()
    assert text.index("Requests per second:") < text.index("During the load:") < text.index(f"$ # {said}")
    during = text.partition("During the load:")[2].partition("After the load:")[0]
    assert len(re.findall(r"(?m)^cpu ", during)) <= 3
    assert Run.objects.get().duration_s >= 4


def test_monitors_that_were_killed_are_told_in_the_transcript_and_on_the_page(bd, admin_client):
    process = bd.start("run", "--", *load(bd, 12))
    bd.until_loaded(process)
    bd.until_sampled(times=2)
    (nap,) = bd.folder.glob("*.d/nap")
    until(lambda: nap.read_text().strip(), "the sampler's pause")
    os.kill(int(Path(f"/proc/{int(nap.read_text())}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
    _, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 0 and "bd: the monitors were killed during the load" in err
    assert "$ # the monitors were killed during the load\n" in bd.transcript.read_text()
    page = admin_client.get(Run.objects.get().config.experiment.get_absolute_url()).content.decode()
    assert re.search(r"monitors saw \d+ of 12 s\. Their figures are of that part only", page, re.I)


def test_a_client_that_is_killed_loses_nothing_of_the_load_that_goes_on(bd):
    process = bd.start("run", "--", *load(bd, 300))
    number = bd.until_loaded(process)
    process.kill()
    bd.until_sampled(times=3)
    os.kill(number, signal.SIGINT)
    until(lambda: "During the load:" in bd.transcript.read_text(), "the samples in the transcript")
    process.communicate(timeout=WITHIN_S)
    assert bd.run("push", bd.transcript.name)[0] == 0
    assert Capture.objects.filter(run=Run.objects.get(), phase="during", tool="proc_stat").count() == 1


def test_a_tee_that_is_killed_costs_nothing_of_what_the_load_prints(bd):
    # It waits behind some lines, as what a tee has read and not yet written is lost with it.
    said = (
        "i=0; while [ $i -lt 40 ]; do i=$((i + 1)); echo said $i;"
        " case $i in 2|7|12) while [ ! -e go-$i ]; do sleep 0.05; done; esac; done"
    )
    process = bd.start("run", "--no-send", "--", "sh", "-c", said)
    for n in (2, 7, 12):
        until(lambda n=n: any(f"said {n}\n" in path.read_text() for path in bd.folder.glob("bd-*.txt")), f"line {n}")
        subprocess.run(["pkill", "-KILL", "-x", "-g", str(process.pid), "tee"], check=True)
        (bd.folder / f"go-{n}").touch()
    out, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 0, err
    wanted = [f"said {n}" for n in range(1, 41)]
    assert [line for line in out.splitlines() if line.startswith("said")] == wanted
    assert [line for line in bd.transcript.read_text().splitlines() if line.startswith("said")] == wanted


def test_the_load_goes_on_where_nobody_reads_its_output_any_more(bd):
    process = bd.start("run", "--no-send", "--", "sh", "-c", "for i in 1 2 3 4 5 6; do echo said $i; sleep 0.2; done")
    process.stdout.close()
    assert process.wait(WITHIN_S) == 0
    assert "said 6\n" in bd.transcript.read_text()
    process.stderr.close()


def test_a_machine_that_hears_nothing_any_more_ends_what_was_started_on_it():
    """The link was cut, and its end there stays open: 2 s of patience."""
    text = CLIENT.read_text()
    agent = text.partition("<<'AGENT'\n")[2].partition("\nAGENT\n")[0]
    with subprocess.Popen(
        ["dash", "-c", f"{agent}\nserve", "bd", "web1", "1", "2"], stdin=subprocess.PIPE, text=True
    ) as left:
        for _ in range(16):  # what is asked of it keeps it
            left.stdin.write("mark heard\n")
            left.stdin.flush()
            time.sleep(0.25)
        assert left.poll() is None
        assert left.wait(WITHIN_S) == -signal.SIGTERM


def test_a_machine_hears_that_bd_is_there_while_nothing_is_asked_of_it(bd):
    """Another program in place of ssh, which keeps what is sent to the machine."""
    bd.env["BD_SSH"] = str(bd.folder / "ssh")
    (bd.folder / "ssh").write_text('#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\ntee told | sh -c "$1"\n')
    (bd.folder / "ssh").chmod(0o755)
    heard = "[ $(grep -cx beat told) -ge 2 ]"
    status, _, err = bd.run(
        "run", "--no-send", "--on", "web1", "--before", f"until {heard}; do sleep 0.1; done", "--", "true"
    )
    assert status == 0, err


def test_runs_before_the_one_in_which_everything_was_killed_are_there(bd):
    process = bd.start("run", "--variant", "short", "--", *load(bd), "--variant", "long", "--", *load(bd, 300))
    until(lambda: any("$ ab -q -t 300" in path.read_text() for path in bd.folder.glob("bd-*.txt")), "long")
    bd.until_loaded(process)
    bd.until_sampled()
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=WITHIN_S)
    assert bd.run("push", bd.transcript.name)[0] == 0
    assert Run.objects.exclude(requests_per_second=None).get().config.name == "short" and not list(
        bd.folder.glob("*.d")
    )
    assert Capture.objects.filter(phase="during").exists()


def test_a_machine_over_ssh_is_recorded_beside_this_one(web1):
    (web1.folder / "nginx.conf").write_text("worker_processes 2;\nevents { worker_connections 100; }\n")
    options = ("--on", "web1", "--file", str(web1.folder / "nginx.conf"), "--config", "two")
    status, _, err = web1.run("run", *options, "--", *load(web1))
    assert status == 0, err
    run = Run.objects.get()
    assert run.host.name == "web1" and run.experiment.texts.get().path.endswith("nginx.conf")
    hosts = Counter(capture.host.name for capture in Capture.objects.filter(run=run, tool="proc_stat", phase="during"))
    assert hosts["web1"] == 1 and len(hosts) == 2
    listings = web1.transcript.read_text().split("$ ps auxww\n")[1:]
    assert listings and not any("tcp_congestion_control" in listing.partition("bd@")[0] for listing in listings)


def test_a_config_file_that_is_changed_before_each_run_belongs_to_its_variant(bd):
    variants = [word for name in ("gzip", "plain") for word in ("--variant", name, "--", "ab", "-n9", bd.loaded)]
    status, _, err = bd.run(
        "run", "--repeat", "2", "--file", "a.conf", "--before", "echo mode $BD_VARIANT >a.conf", *variants
    )
    assert status == 0, err
    shown = {(text.config and text.config.name, text.path, text.text) for text in ConfigText.objects.all()}
    assert shown == {("gzip", "a.conf", "mode gzip"), ("plain", "a.conf", "mode plain")}
    assert bd.transcript.read_text().count("cat a.conf") == 2


PAUSE = "[{:.3f}s][info][gc] GC(1) Pause Full (Allocation Failure) 9M->8M(9M) {:.3f}ms\n"


def test_what_a_run_adds_to_a_log_is_recorded_with_it_and_so_are_threads_that_collect_garbage(web1):
    log = web1.folder / "gc.log"
    log.write_text(PAUSE.format(0.1, 90))
    named = "import sys; open('/proc/self/comm', 'w').write('VM Thread'); print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", named], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as collector:
        assert collector.stdout and collector.stdout.readline()
        process = web1.start("run", "--on", "web1", "--log", str(log), "--", *load(web1, 3))
        web1.until_sampled(machine=1)
        with log.open("a") as file:
            file.write(PAUSE.format(1.5, 30))
        _, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 0, err
    logged = Capture.objects.get(tool="gc_log")
    assert (logged.phase, logged.host.name, logged.run) == ("during", "web1", Run.objects.get())
    assert logged.series.get(metric="gc_pause_pct").mean == pytest.approx(3)
    assert {one.phase for one in Capture.objects.filter(tool="gc_threads")} == {"before", "after"}


def test_a_link_that_is_cut_costs_the_samples_behind_it_only(web1):
    process = web1.start("run", "--on", "web1", "--", *load(web1, 4))
    web1.until_sampled(machine=1)
    (number,) = (int(path.read_text()) for path in web1.folder.rglob("ssh.1"))
    os.kill(number, signal.SIGKILL)
    _, err = process.communicate(timeout=WITHIN_S)
    (said,) = [line for line in err.splitlines() if "web1" in line]
    assert process.returncode == 0 and said == "bd: the link to web1 was lost: from then on it was not recorded"
    assert f"# {said[4:]}\n" in web1.transcript.read_text()
    assert Run.objects.get().host.name == "web1"
    assert Capture.objects.filter(phase="during", host__name="web1").exists()


def test_a_link_that_was_cut_is_there_again_for_the_next_run(web1):
    process = web1.start("run", "--on", "web1", "--config", "two", "--repeat", "2", "--", *load(web1))
    web1.until_sampled(machine=1)
    (number,) = (int(path.read_text()) for path in web1.folder.rglob("ssh.1"))
    os.kill(number, signal.SIGKILL)
    assert "link" in process.communicate(timeout=WITHIN_S)[1] and process.returncode == 0
    first, second = Run.objects.order_by("line_first")
    assert Capture.objects.filter(run=second, phase="during", host__name="web1", tool="proc_stat").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_run_that_was_stopped_for_a_while_does_not_count_and_is_made_again(bd, needs, shell):
    needs(shell.split()[0])
    there = f"until [ -e go ]; do sleep 0.1; done; ab -q -n 20 {bd.loaded}"
    process = bd.start("run", "--config", "z", "--repeat", "2", "--", "sh", "-c", there, shell=shell)
    bd.until_sampled()
    os.killpg(process.pid, signal.SIGSTOP)  # as Ctrl-Z does in a shell with jobs
    until(lambda: Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T", "it is stopped")
    (bd.folder / "go").touch()
    os.killpg(process.pid, signal.SIGCONT)
    _, err = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 0 and err.count("is repeated") == 1, err
    runs = Run.objects.order_by("line_first")
    assert [(run.config.name, run.counted, run.repeat) for run in runs] == [
        ("z", False, 0),
        ("z", True, 1),
        ("z", True, 2),
    ]


def test_a_machine_that_cannot_be_reached_is_left_out_with_one_line(bd):
    bd.env["BD_SSH"] = "ssh -F none -o BatchMode=yes -p 9"
    status, _, err = bd.run("run", "--no-send", "--on", "127.0.0.1", "--", "true")
    assert status == 0 and len([line for line in err.splitlines() if "127.0.0.1 is not recorded" in line]) == 1


@pytest.mark.parametrize(
    "words",
    [("run",), ("run", "--"), ("run", "--repeat", "x", "--", "true"), ("run", "--on", "-x", "--", "true"), ("push",)]
    + [
        ("run", "--until-sure", "--", "true"),
        ("sweep", "--limit", "p95 < 1ms", "--", "true"),
        ("run", "--limit", "p95 <", "--", "true"),
        ("sweep", "--", "echo", "{}"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(bd, words):
    status, _, err = bd.run(*words)
    assert status == 2 and err and not list(bd.folder.glob("bd-*"))


def test_a_command_that_does_not_exist_is_named_before_anything_runs(bd):
    status, _, err = bd.run("run", "--", "ab -n 100", "http://web1/")
    assert (status, err) == (127, "bd: ab -n 100: there is no such command\n") and not list(bd.folder.glob("bd-*"))


def test_what_is_no_benchdash_is_said_to_be_none(bd):
    bd.site += "/nothing"
    assert "does not answer as benchdash does, check BENCHDASH_URL" in bd.run("run", "--", "true")[2]


def test_the_site_serves_it_with_its_own_address(bd, client):
    answer = client.get("/bd", headers={"host": "localhost"})
    assert answer.headers["Content-Type"].startswith("text/x-shellscript")
    assert (
        "private" in answer.headers["Cache-Control"]
    )  # a shared copy would have the port that somebody else asked with
    assert b"${BENCHDASH_URL:-http://localhost}" in answer.content and b"@SITE@" not in answer.content
    help_text = bd.run("--help")[1]
    assert len(help_text.splitlines()) < 40 and max(map(len, help_text.splitlines())) < 132


def test_shellcheck_finds_nothing(needs):
    done = subprocess.run([needs("shellcheck"), "-s", "sh", CLIENT], capture_output=True, text=True, check=False)
    assert done.stdout == ""


def one_run(config: str, rate: float) -> bytes:
    """A transcript with three runs of one config, near this rate."""
    runs = "".join(
        f"\n## {config}, run {number} of 3\n\nbd@web1:~$ ab -n 1000 -c 1 http://web1/\n"
        f"Concurrency Level:      1\nTime taken for tests:   {1000 / (rate + number):.3f} seconds\n"
        f"Complete requests:      1000\nFailed requests:        0\n"
        f"Requests per second:    {rate + number:.2f} [#/sec] (mean)\n\n  50%  {1000 / rate:.0f}\n  95%  {1500 / rate:.0f}\n\n"
        for number in (1, 2, 3)
    )
    return f"# Recorded by bd 1\n# experiment: front page\n# host: web1\n# branch: {config}\n{runs}".encode()


@pytest.mark.parametrize(
    ("rate", "options", "status"),
    [
        (900, ("--compare-to", "main", "--fail-on", "worse"), 0),
        (500, ("--compare-to", "main"), 0),
        (300, ("--compare-to", "main", "--fail-on", "worse"), 3),
        (300, ("--compare-to", "branch", "--fail-on", "worse"), 3),
        (900, ("--limit", "p95 < 200ms", "--limit", "rps >= 100"), 0),
        (900, ("--limit", "p95 < 1ms"), 6),
        (900, ("--compare-to", "nobody", "--fail-on", "worse"), 4),
        (300, ("--compare-to", "main", "--limit", "p95 < 1ms"), 6),
    ],
)
def test_the_site_judges_a_pipeline_s_runs(client, settings, rate, options, status):
    settings.PUBLIC_READ = True
    ingest.submit(one_run("main", 500), origin="rest")
    upload = ingest.submit(one_run("change", rate), origin="rest").upload
    words = dict(zip(options[::2], options[1::2], strict=True))
    query = {"upload": upload.pk, "report": "json", "branch": "main", "against": words.get("--compare-to", "")}
    limits = [value for name, value in zip(options[::2], options[1::2], strict=True) if name == "--limit"]
    answer = client.get("/api/v1/compare/", query | {"limit": limits})
    told = answer.json()["exit_status"] if answer.status_code == 200 else 4
    assert (told if "--fail-on" in options or told == 6 else 0) == status
    for form in ("md", "junit"):
        again = client.get("/api/v1/compare/", query | {"limit": limits, "report": form})
        assert again.status_code == answer.status_code
        if again.status_code == 200:
            assert re.search(rf"exit.status[^0-9]*{told}", again.content.decode())


@pytest.mark.parametrize(
    ("rate", "against", "kind"), [(300, "main", "failure"), (900, "main", None), (900, "nobody", "skipped")]
)
def test_in_junit_s_words_what_is_undecided_was_skipped_and_names_stay_the_same(client, settings, rate, against, kind):
    settings.PUBLIC_READ = True
    ingest.submit(one_run("main", 500), origin="rest")
    upload = ingest.submit(one_run("change", rate), origin="rest").upload
    query = {"upload": upload.pk, "report": "junit", "against": against, "limit": "p95 < 200ms"}
    suite = ElementTree.fromstring(client.get("/api/v1/compare/", query).content)  # noqa: S314  (the site's own)
    kept, compared = suite.iter("testcase")
    assert [case.get("name") for case in (kept, compared)] == ["p95 < 200ms", f"compared with {against}"]
    assert [child.tag for child in compared] == [kind or "system-out"]
    assert "kept" in (kept.findtext("system-out") or "")
    counts = {name: suite.get(name) for name in ("tests", "failures", "skipped")}
    assert counts == {"tests": "2", "failures": str(int(kind == "failure")), "skipped": str(int(kind == "skipped"))}


def test_runs_under_unlike_loads_are_not_comparable(client, settings):
    settings.PUBLIC_READ = True
    ingest.submit(one_run("main", 500), origin="rest")
    other = one_run("change", 900).replace(b"-c 1 ", b"-c 50 ").replace(b"Level:      1", b"Level:      50")
    upload = ingest.submit(other, origin="rest").upload
    answer = client.get("/api/v1/compare/", {"upload": upload.pk, "report": "json", "against": "main"})
    assert answer.json()["exit_status"] == 5, answer.json()


def test_the_last_run_of_the_same_config_is_compared_with(client, settings):
    settings.PUBLIC_READ = True
    ingest.submit(one_run("main", 500), origin="rest")
    upload = ingest.submit(one_run("main", 300), origin="rest").upload
    answer = client.get("/api/v1/compare/", {"upload": upload.pk, "report": "json", "against": "last"})
    assert answer.json()["exit_status"] == 3


def two_rates(bd: Client, name: str, rates: list[int], took: str = "") -> str:
    """A load test of the test's own: prints ab's report with these rates, one a run."""
    (bd.folder / f"{name}.rates").write_text("".join(f"{rate}\n" for rate in rates))
    took = took or "$((1000 / rate)).$(printf %03d $((1000000 / rate % 1000)))"
    return (
        f"rate=$(head -n 1 {name}.rates); sed -i 1d {name}.rates; echo Concurrency Level: 1; echo Complete requests: 1000; "
        'echo Failed requests: 0; echo "Time taken for tests: '
        f'{took} seconds"; echo "Requests per second: $rate.0 [#/sec] (mean)"'
    )


def until_sure(bd: Client, *options: str, rates: list[int], **took: str) -> tuple[int, str, str]:
    """`old` serves 500 a second or a little more."""
    old = ("--variant", "old", "--", "sh", "-c", two_rates(bd, "old", [500, 510, 495] * 9, **took))
    new = ("--variant", "new", "--", "sh", "-c", two_rates(bd, "new", rates, **took))
    return bd.run("run", "--until-sure", *options, *old, *new)


def test_until_sure_stops_as_soon_as_the_site_is_sure(bd):
    status, _, err = until_sure(bd, rates=[700, 710, 705])
    assert status == 0 and "Sure after 2 runs each" in err, err
    assert {run.most_repeats for run in Run.objects.all()} == {50} and Run.objects.count() == 4


def test_until_sure_ends_where_more_runs_would_leave_a_lead_as_doubtful(bd):
    """As the figures of both sides contradict themselves, which more runs would do, too."""
    status, _, err = until_sure(bd, rates=[700, 710, 705], took="9.9")
    assert status == 0 and "Ended after 2 runs each. “new” likely serves" in err, err
    assert Run.objects.count() == 4


def test_until_sure_ends_at_the_most_that_was_allowed(bd):
    _, _, err = until_sure(bd, "--repeat", "3", rates=[505, 490, 512])
    assert "Not sure after 3 runs each, the most" in err and Run.objects.count() == 6, err


def test_without_the_site_until_sure_runs_a_fixed_number_and_says_so(bd):
    bd.site = "http://127.0.0.1:9"
    _, _, err = until_sure(bd, "--repeat", "3", rates=[700] * 3)
    assert err.count("3 runs of each are made") == 1 and "new, run 3 of at most 3" in err


@pytest.mark.parametrize(
    ("options", "site", "why"),
    [
        ((), "", "needs a token, export BENCHDASH_TOKEN=..."),
        ((), "http://127.0.0.1:9", "does not answer"),
        (("--no-send",), "", "--no-send"),
    ],
)
def test_why_the_site_does_not_say_what_comes_next(bd, options, site, why):
    bd.site, bd.env["BENCHDASH_TOKEN"] = site or bd.site, ""
    _, _, err = bd.run("sweep", *options, "--limit", "p95 < 21ms", "--", "echo", "{}")
    assert re.search(rf"does not say which load comes next \((it )?{re.escape(why)}\)", err), err


def without(bd: Client, *names: str) -> None:
    """Take programs out of bd's PATH: it gets a folder of links to all others."""
    folder = bd.folder / "programs"
    folder.mkdir()
    for place in reversed(bd.env["PATH"].split(os.pathsep)):
        for program in Path(place).glob("*") if Path(place).is_dir() else ():
            link = folder / program.name
            if program.name not in names and not link.is_symlink():
                link.symlink_to(program)
    bd.env["PATH"] = str(folder)


def test_wget_sends_and_judges_where_there_is_no_curl(bd, needs):
    needs("wget")
    without(bd, "curl")
    there = ("ab", "-q", "-n", "100", bd.loaded)
    status, _, err = bd.run("run", "--limit", "p95 < 0.001ms", "--", *there)
    assert status == 6 and Run.objects.count() == 1, err
    bd.env["BENCHDASH_TOKEN"] = "bd_of_nobody"
    assert "rejects the token in BENCHDASH_TOKEN" in bd.run("run", "--", *there)[2]
    assert "bd push" in bd.run("run", "--", *there)[2]


def test_a_wget_that_crashes_with_a_timeout_is_given_none(bd, needs):
    """BusyBox 1.35 of Debian 12 does."""
    wget = needs("wget")
    without(bd, "curl", "wget")
    made = Path(bd.env["PATH"]) / "wget"
    made.write_text(
        f'#!/bin/sh\ncase " $* " in *--help*) echo BusyBox ;; *" -T "*) kill -9 $$ ;; *) exec {wget} "$@" ;; esac\n'
    )
    made.chmod(0o755)
    assert "stored: " in bd.run("run", "--", "ab", "-q", "-n", "100", bd.loaded)[2]


def test_with_neither_curl_nor_wget_the_text_is_kept(bd):
    without(bd, "curl", "wget")
    status, _, err = bd.run("run", "--", "true")
    assert status == 0 and "neither curl nor wget" in err and bd.transcript.exists()


PIPELINES = [
    (
        {"GITHUB_ACTIONS": "true", "GITHUB_SHA": "c0ffee", "GITHUB_HEAD_REF": "fix", "GITHUB_REF": "refs/pull/7/merge"}
        | {"GITHUB_SERVER_URL": "https://hub", "GITHUB_REPOSITORY": "me/it", "GITHUB_RUN_ID": "99"},
        ("c0ffee", "fix", "7", "https://hub/me/it/actions/runs/99"),
    ),
    (
        {"GITHUB_ACTIONS": "true", "GITEA_ACTIONS": "true", "GITHUB_SHA": "c0ffee", "GITHUB_REF_NAME": "main"}
        | {"GITHUB_SERVER_URL": "https://tea", "GITHUB_REPOSITORY": "me/it", "GITHUB_RUN_NUMBER": "5"},
        ("c0ffee", "main", None, "https://tea/me/it/actions/runs/5"),
    ),
    (
        {"GITLAB_CI": "true", "CI_COMMIT_SHA": "c0ffee", "CI_COMMIT_REF_NAME": "refs"}
        | {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "fix", "CI_MERGE_REQUEST_IID": "7", "CI_JOB_URL": "https://lab/1"},
        ("c0ffee", "fix", "7", "https://lab/1"),
    ),
    (
        {"BUILDKITE": "true", "BUILDKITE_COMMIT": "c0ffee", "BUILDKITE_BRANCH": "fix"}
        | {"BUILDKITE_PULL_REQUEST": "false", "BUILDKITE_BUILD_URL": "https://kite/1"},
        ("c0ffee", "fix", None, "https://kite/1"),
    ),
    (
        {"JENKINS_URL": "https://j/", "GIT_COMMIT": "c0ffee", "GIT_BRANCH": "origin/fix", "BUILD_URL": "https://j/1/"},
        ("c0ffee", "fix", None, "https://j/1/"),
    ),
]


@pytest.mark.parametrize(
    ("variables", "expected"), PIPELINES, ids=["GitHub", "Gitea", "GitLab", "Buildkite", "Jenkins"]
)
def test_the_ci_says_what_was_tested(bd, variables, expected):
    bd.env |= variables
    assert bd.run("run", "--no-send", "--", "true")[0] == 0
    head = dict(re.findall(r"(?m)^# (commit|branch|pr|url): (.*)$", bd.transcript.read_text()))
    assert tuple(head.get(name) for name in ("commit", "branch", "pr", "url")) == expected


def test_a_sweep_finds_the_highest_load_that_keeps_the_limit(bd):
    """A load test of the test's own whose requests take as many ms as the load."""
    prints = (
        "echo Concurrency Level: $0; echo Complete requests: 1000; echo Failed requests: 0; "
        'echo "Time taken for tests: 9.9 seconds"; echo "Requests per second: 100.0 [#/sec] (mean)"; echo; echo "  95%  $0"'
    )
    status, _, err = bd.run("sweep", "--limit", "p95 < 21ms", "--", "sh", "-c", prints, "{}")
    assert status == 0 and "lies between 20 (3 of 3 runs kept it) and 2" in err, err
    assert Run.objects.exists(), err
    assert "the highest load with p95 < 21ms" in Run.objects.all()[0].experiment.name
    assert "lies between 20" in bd.transcript.read_text()


def test_a_sweep_ends_where_the_command_fails_twice(bd):
    """As ab does, which makes no fewer requests than clients."""
    prints = (
        "[ $0 -lt 32 ] || exit 22; echo Concurrency Level: $0; echo Complete requests: 20; echo Failed requests: 0; "
        'echo "Requests per second: 100.0 [#/sec] (mean)"; echo; echo "  95%  9"'
    )
    status, _, err = bd.run("sweep", "--limit", "p95 < 21ms", "--", "sh", "-c", prints, "{}")
    assert status == 22 and "failed twice at a load of 32 (status 22)" in err, err
    assert "p95 < 21ms is kept up to 16" in bd.transcript.read_text()
    assert [run.concurrency for run in Run.objects.order_by("pk")] == [8, 16]


def test_a_sweep_without_the_site_ends_with_what_was_measured(bd):
    bd.site = "http://127.0.0.1:9"
    status, _, err = bd.run("sweep", "--limit", "p95 < 21ms", "--", "echo", "{}")
    assert status == 4 and "bd push" in err


def test_a_passport_is_kept_with_the_machine_over_ssh_and_here(web1, client, settings):
    """The first loop, whose time says how long the others are made, waits: so all are short."""
    settings.PUBLIC_READ = True
    awk = web1.folder / "ssh" / "bin" / "awk"
    awk.parent.mkdir()
    awk.write_text(f'#!/bin/sh\ncase $2 in n=100000) sleep 0.6 ;; esac; exec {shutil.which("awk")} "$@"\n')
    awk.chmod(0o755)
    web1.env["PATH"] = f"{awk.parent}:{web1.env['PATH']}"
    for options in (("--on", "web1"), ("--host", "here")):
        status, out, err = web1.run("passport", *options)
        assert status == 0 and out.count("run ") >= 4 and "differ by up to " in err, err
    for name in ("web1", "here"):
        host = Host.objects.get(name=name)
        assert host.passport["noise_pct"] > 0 and len(host.passport["runs_ms"]) == out.count("run ") or name == "web1"
        assert "smaller differences of single runs are noise" in client.get(host.get_absolute_url()).content.decode()


def test_a_limit_decides_the_exit_status_and_a_report_is_written(bd):
    there = ("ab", "-q", "-n", "100", bd.loaded)
    status, _, err = bd.run("run", "--limit", "p95 < 0.001ms", "--report", "junit", "--", *there)
    assert status == 6, err
    assert "<failure" in (bd.folder / "bd-report.xml").read_text()


def test_a_limit_that_nobody_could_judge_is_not_taken_for_kept(bd):
    report = "print('Requests per second:    887.55 [#/sec] (mean)')"
    unknown = ("--limit", "p95 < 200ms", "--", "python3", "-c", report)
    assert bd.run("run", *unknown)[0] == 4
    bd.site = "http://127.0.0.1:9"
    assert bd.run("run", *unknown)[0] == 4
