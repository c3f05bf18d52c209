"""What to do about a failure, read off words that the tools really say."""

from __future__ import annotations

import pytest

from runs.remote.job_progress import advise

# What ab 2.3, wrk 4.1, hey, siege, OpenSSH and the kernel print.
SAID = [
    ("local: ab: command not found", "apt install apache2-utils"),
    ("load1: siege: command not found", "apt install siege"),
    ("env: ‘wrk’: No such file or directory", "apt install wrk"),
    ("ab ended with status 111: apr_socket_recv: Connection refused (111)", "Nothing listens at the target's address"),
    ("wrk ended with status 1: unable to connect to 127.0.0.1:9 Connection refused", "Nothing listens"),
    ("hey: dial tcp 127.0.0.1:9: connect: connection refused", "Nothing listens"),
    ("ssh: connect to host 127.0.0.1 port 9: Connection refused", "The machine does not answer ssh"),
    ("ssh: Could not resolve hostname nosuch.invalid: Name or service not known", "SSH_CONFIG"),
    ("apr_sockaddr_info_get() for nosuch.invalid: Name or service not known (670002)", "own resolver"),
    ("Host key verification failed.", "ssh-keygen -R"),
    ("@  WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!  @", "Compare its fingerprint"),
    ("root@web1: Permission denied (publickey).", "authorized_keys"),
    ("cp: error writing 'x': No space left on device", "df -h /tmp"),
    ("socket: Too many open files (24)", "ulimit -n"),
    ("http://shop:80 is not on the target's list of addresses.", "save the target again"),
    ("In the environment of the worker BENCHDASH_SECRET_API is not set.", "that variable set"),
]


@pytest.mark.parametrize(("said", "helps"), SAID)
def test_words_of_a_tool_lead_to_what_helps(said, helps):
    (told,) = advise(said)
    assert helps in told


def test_words_that_are_not_known_get_no_guess():
    assert advise("ab ended with status 1: something new") == []


def test_the_log_is_read_where_the_message_says_nothing():
    assert "apt install" in advise("It ended with status 127.", "12:00:00  ab: command not found")[0]
