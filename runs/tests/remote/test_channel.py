"""The channel: commands on this machine and over a real sshd, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchdash.tests.services import ROOT
from runs.remote.channel import HERE, SCRIPT, Process, Unreachable, name_place, run_command
from runs.remote.snapshots import Machine
from runs.tests.installation import WITHIN_S, until
from runs.tests.remote.living import QUICK

GEN = Machine("gen", "gen")
BOTH = pytest.mark.parametrize("machine", [HERE, GEN], ids=["here", "ssh"])


@pytest.fixture(autouse=True)
def ssh(request, settings):
    """Over ssh only where the test asks for it: without namespaces the rest is tested all the same."""
    settings.REMOTE_TIMEOUTS = QUICK
    machine = getattr(request.node, "callspec", None) and request.node.callspec.params.get("machine")
    if machine is GEN:
        settings.SSH_CONFIG = str(request.getfixturevalue("lab").ssh_config)


def alive(pattern: str) -> list[str]:
    """Command lines with these words in them; a mark of the test's own keeps others' processes out."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if pattern in line and "pytest" not in line:
                found.append(line)
    return found


def test_what_every_login_shell_can_read_is_all_that_the_script_is_made_of():
    assert not set("'\n") & set(SCRIPT)
    assert all(SCRIPT[at + 1] == " " for at, sign in enumerate(SCRIPT) if sign == "!")


@BOTH
def test_an_argument_arrives_as_it_is_and_no_shell_reads_it(machine):
    arguments = ["$HOME; echo gone", "a  b", "`id`", "'\"\\", "*", "-n", "", "é\t!"]
    ended = run_command(machine, ["printf", "%s|", *arguments])
    assert (ended.status, ended.out) == (0, "|".join(arguments) + "|")


@BOTH
def test_both_outputs_and_the_status_come_back_apart(machine):
    ended = run_command(machine, ["sh", "-c", "printf out; printf 'no\\nline end' >&2; exit 3"])
    assert (ended.status, ended.out, ended.err, ended.message) == (3, "out", "no\nline end", "no\nline end")


@BOTH
def test_a_program_that_is_not_there_is_said_by_name(machine):
    ended = run_command(machine, ["nosuchtool", "-n"])
    assert (ended.status, ended.message) == (127, "nosuchtool: not found")


@BOTH
def test_files_lie_there_while_it_runs_and_are_gone_after(machine):
    contents = [b"\n'\0\xff" * 300, b""]
    argv = ["sh", "-c", 'wc -c < "$0"; wc -c < "$1"; echo "$0"', name_place(1), name_place(2)]
    with Process(machine, argv, lifetime_s=30, files=contents) as process:
        process.wait(30)
        ended = process.ended()
    first, second, path = ended.out.split()
    assert (first, second) == ("1200", "0")
    assert not Path(path).exists()


@pytest.mark.parametrize("argv", [[], [""], ["echo", "a\nb"], ["echo", "a\0b"], ["echo", "a\rb"]])
def test_what_cannot_be_one_argument_is_refused(argv):
    with pytest.raises(ValueError):
        run_command(HERE, argv)


@pytest.mark.parametrize("destination", ["-oProxyCommand=id", "a b", "gen;id", "$(id)", "gen'"])
def test_a_destination_is_never_an_option_or_a_command(destination):
    with pytest.raises(ValueError, match="no ssh destination"):
        run_command(Machine("x", destination), ["true"])


@BOTH
def test_ending_it_ends_what_it_has_started_too(machine):
    mark = f"9{os.getpid()}1"
    with Process(machine, ["sh", "-c", f"sleep {mark} & sleep {mark}"], lifetime_s=700) as process:
        until(lambda: len(alive(f"sleep {mark}")) >= 2, "both run")
        process.end()
    assert process.ended().status > 128
    assert not alive(f"sleep {mark}")


@BOTH
def test_what_ignores_a_kind_word_is_killed(machine):
    mark = f"9{os.getpid()}2"
    with Process(machine, ["sh", "-c", f"trap '' TERM; while :; do sleep {mark}; done"], lifetime_s=700):
        until(lambda: alive(f"sleep {mark}"), "it runs")
    until(lambda: not alive(mark), "it is gone")


@BOTH
def test_its_lifetime_ends_there_even_if_this_side_goes_on(machine):
    with Process(machine, ["sleep", "60"], lifetime_s=1) as process:
        assert process.wait(50)
        assert process.ended().status > 128


@BOTH
def test_when_this_side_is_killed_it_ends(machine, settings, tmp_path):
    mark = f"9{os.getpid()}3"
    code = f"""
import django; django.setup()
from runs.remote.channel import *
with Process(Machine("m", {machine.destination!r}), ["sleep", "{mark}"], lifetime_s=700) as process:
    process.wait(700)
"""
    env = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "benchdash.settings", "DATA_DIR": str(tmp_path)}
    env |= {"SSH_CONFIG": settings.SSH_CONFIG or "", "HOME": os.environ["HOME"]}
    holder = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=env)
    until(lambda: alive(f"sleep {mark}"), "it runs")
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    until(lambda: not alive(f"sleep {mark}"), "it has ended")


def test_of_too_much_output_the_beginning_is_kept_in_whole_lines(monkeypatch):
    monkeypatch.setattr("runs.remote.channel.MOST_OUT", 10_000)
    ended = run_command(HERE, ["sh", "-c", "yes 123456789 | head -c 5000000; exit 4"])
    assert ended.status == 4
    assert 9_000 < len(ended.out) <= 10_000
    assert set(ended.out.splitlines()) == {"123456789"}


@pytest.mark.parametrize("machine", [GEN])
def test_a_cut_link_ends_it_on_both_sides(machine, lab):
    mark = f"9{os.getpid()}4"
    with Process(machine, ["sleep", mark], lifetime_s=700) as process:
        until(lambda: alive(f"sleep {mark}"), "it runs")
        with lab.cut("gen"):
            assert process.wait(WITHIN_S)
            until(lambda: not alive(f"sleep {mark}"), "it has ended there")
            with pytest.raises(Unreachable, match="The link to gen was lost: .*"):
                process.ended()


@pytest.mark.parametrize("machine", [GEN])
def test_a_changed_host_key_is_refused_in_the_words_of_ssh(machine, lab, settings, tmp_path):
    known = (lab.folder / "known_hosts").read_text().splitlines()
    other = known[1].split(" ", 1)[1]
    (tmp_path / "known").write_text(f"{known[0].split()[0]} {other}\n")
    config = tmp_path / "config"
    config.write_text(f"Host *\n UserKnownHostsFile {tmp_path}/known\n{lab.ssh_config.read_text()}")
    settings.SSH_CONFIG = str(config)
    with pytest.raises(Unreachable, match="gen cannot be reached(.|\n)*Host key verification failed"):
        run_command(machine, ["true"])


@pytest.mark.parametrize("machine", [GEN])
def test_a_key_that_is_not_let_in_is_said(machine, lab, tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other"], check=True)
    stranger = Machine("gen", f"gen2@{lab.ways['gen']}.2", str(tmp_path / "other"))
    with pytest.raises(Unreachable, match="Permission denied"):
        run_command(stranger, ["true"])
