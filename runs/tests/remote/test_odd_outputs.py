"""What a machine answers may be anything: it must neither break a job down nor be stored as what it is not."""

from __future__ import annotations

import pytest

from benchdash.env import RemoteTimeouts
from runs.remote import sessions
from runs.remote.channel import HERE, Unreachable, open_connection, run_command
from runs.remote.snapshots import Machine


def nothing() -> None:
    """There is nothing to stop for."""


def test_a_nul_becomes_a_sign_that_every_database_takes():
    said = run_command(HERE, ["printf", r"a\000b\n"])
    assert said.out == "a\ufffdb\n"
    said = run_command(HERE, ["sh", "-c", r"printf 'no\000thing\n' >&2; exit 3"])
    assert said.message == "no\ufffdthing"


@pytest.mark.parametrize("answer", ["nan", "inf", "-1e999", "12:30", "1e300", "", "9" * 5000])
def test_a_clock_that_tells_no_time_is_said_to_tell_none(monkeypatch, answer):
    monkeypatch.setattr(sessions, "CLOCK", ("echo", answer))
    with pytest.raises(Unreachable, match="does not report its time"):
        sessions.measure_clock_offset_s(HERE, nothing)


def test_a_clock_that_tells_it_is_compared():
    assert abs(sessions.measure_clock_offset_s(HERE, nothing)) < 5


def test_a_sample_that_is_cut_off_is_left_out():
    whole = f"\nbd@web1:~$ loop\nfirst\n{sessions.SAMPLED}\nsecond\n{sessions.SAMPLED}\n"
    assert sessions.read_samples(f"{whole}thi") == "\nbd@web1:~$ loop\nfirst\nsecond\n"
    assert sessions.read_samples("cut off in the first") == ""


def test_a_machine_that_takes_the_connection_and_does_nothing_is_given_up(monkeypatch, tmp_path, settings):
    """Its login shell hangs, say: ssh itself is content, and would be for days."""
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\nexec sleep 30\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    settings.REMOTE_TIMEOUTS = RemoteTimeouts(connect_s=0.5)
    with pytest.raises(Unreachable, match="started nothing"), open_connection(Machine("web1", "web1"), nothing):
        raise AssertionError("it is connected")


def test_what_is_started_here_is_not_told_benchdashs_own_secrets(monkeypatch):
    for name in ("SECRET_KEY", "DATABASE_URL", "PGPASSWORD", "CELERY_BROKER_URL", "BENCHDASH_SECRET_API"):
        monkeypatch.setenv(name, "not to be told")
    monkeypatch.setenv("HARMLESS", "may be told")
    said = run_command(HERE, ["env"]).out
    assert "not to be told" not in said and "HARMLESS=may be told" in said
