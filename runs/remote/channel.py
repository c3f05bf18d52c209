"""A process on a machine, the same on this one and over ssh, that surely ends when nobody watches it any more.

What runs there is SCRIPT (keeper.sh), a constant: no text of anybody's is ever part of a shell's command line. It reads
what to run from its standard input, an argument a line, starts it in a session of its own, says when it began and how it
ended, and goes on reading: a byte comes with every heartbeat. When the input ends (cancelled, this process killed), or no
byte came for `silence_s` (the link is cut), it ends the whole process group: TERM, and a second later KILL.
settings.REMOTE_TIMEOUTS has the waiting times.

Output of the process is what stands between the two lines with the channel's own mark, on each stream.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from .secrets import PREFIX
from .snapshots import Machine


@dataclass(frozen=True, slots=True)
class Completed:
    """How a process ended: its exit status, above 128 for a signal (143 = TERM), and what it printed.

    times   the CPU time that it took, as the shell's command of that name prints it
    """

    status: int
    out: str
    err: str
    times: str = ""

    @property
    def message(self) -> str:
        """What it said of itself: the end of its standard error, else of its standard output."""
        return last_lines(self.err) or last_lines(self.out) or f"it ended with status {self.status}"


def decode(output: bytes) -> str:
    """As text that every database takes: what is no UTF-8, and NUL, become U+FFFD."""
    return output.decode("utf-8", "replace").replace("\0", "\ufffd")


def last_lines(text: str) -> str:
    """The last eight that are not blank."""
    return "\n".join([line.rstrip() for line in text.splitlines() if line.strip()][-8:])


class Stream:
    """One output of the process, cut free of the channel's own lines. `most`: bytes that are stored."""

    def __init__(self, mark: str, most: int) -> None:
        self.began_mark = f"\n{mark} began\n".encode()
        self.times_mark = f"\n{mark} times\n".encode()
        self.ended_mark = f"\n{mark} ended ".encode()
        self.most = most
        self.buffer = bytearray()
        self.before = b""  # what a login shell says before it runs anything
        self.began = False
        self.status: int | None = None
        self.times = ""
        self.left_out = False

    def feed(self, chunk: bytes) -> None:
        if self.status is not None:
            return
        start = max(0, len(self.buffer) - len(self.ended_mark) - 8)
        self.buffer += chunk
        if not self.began and (at := self.buffer.find(self.began_mark)) >= 0:
            self.began, self.before, start = True, bytes(self.buffer[:at]), 0
            del self.buffer[: at + len(self.began_mark)]
        at = self.buffer.find(self.ended_mark, start)
        if at >= 0 and (end := self.buffer.find(b"\n", at + len(self.ended_mark))) >= 0:
            status = bytes(self.buffer[at + len(self.ended_mark) : end])
            self.status = int(status) if status.isdigit() else 255
            del self.buffer[at:]
            if (timed := self.buffer.rfind(self.times_mark)) >= 0:
                self.times = decode(bytes(self.buffer[timed + len(self.times_mark) :])).strip("\n")
                del self.buffer[timed:]
        elif len(self.buffer) > self.most:
            self._let_go()

    def _let_go(self) -> None:
        """Of too much, the first part is kept, and as much of the end as a mark may stand in."""
        tail = bytes(self.buffer[-len(self.ended_mark) - 8 :])
        self.left_out = True
        del self.buffer[self.most - len(tail) :]
        self.buffer += tail

    def text(self) -> str:
        """What is stored; of too much, whole lines only."""
        output = bytes(self.buffer) if self.began else b""
        if self.left_out:
            output = output[: output.rfind(b"\n", 0, self.most - len(self.ended_mark) - 8) + 1]
        return decode(output)


END_S = 1.7  # how long an end may take before the client's own process is killed
LINGER_S = 0.5  # a daemon that a switch command started may keep ssh waiting for its output
MOST_OUT = 16 * 2**20  # bytes kept of standard output
MOST_ERR = 2**20
CHUNK = 65536
LONGEST_S = 7 * 86400  # of a job
PLACE = "\0place "
NEVER_RAN = (74, 127)  # keeper.sh's own: a file could not be written, there is no such program
HERE = Machine("this machine")
OURS = frozenset({"SECRET_KEY", "DATABASE_URL", "PGPASSWORD", "CELERY_BROKER_URL", "DJANGO_SUPERUSER_PASSWORD"})

_LINES = (Path(__file__).parent / "keeper.sh").read_text().splitlines()
SCRIPT = " ".join(line for line in _LINES if not line.startswith("#"))

SSH = (
    *("ssh", "-T", "-x", "-a"),
    *("-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=10"),
    *("-o", "ServerAliveCountMax=3", "-o", "ClearAllForwardings=yes"),
    *("-o", "PermitLocalCommand=no", "-o", "ControlPersist=no", "-o", "LogLevel=INFO"),
)
DESTINATION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@:\[\]%-]*")


def name_place(number: int) -> str:
    """Stands in a command for the path that the number-th file (from 1) will have on the machine."""
    return f"{PLACE}{number}"


class Unreachable(Exception):
    """The machine could not be reached, or the link was lost, in ssh's own words."""


def command_line(machine: Machine, *, is_master: bool = False) -> list[str]:
    """What is executed here to run SCRIPT on the machine. Raises ValueError for what ssh could take for an option.

    is_master   whether this is the connection that others share
    """
    if not machine.destination:
        return ["sh", "-c", SCRIPT]
    if not DESTINATION.fullmatch(machine.destination):
        raise ValueError(f"{machine.destination!r} is no ssh destination.")
    config = ["-F", settings.SSH_CONFIG] if settings.SSH_CONFIG else []
    identity = ["-i", machine.identity_file] if machine.identity_file else []
    alive = ["-o", f"ServerAliveInterval={ceil(settings.REMOTE_TIMEOUTS.heartbeat_s)}"]
    shared = ["-o", f"ControlMaster={'yes' if is_master else 'no'}", "-o", f"ControlPath={machine.shared or 'none'}"]
    return [*SSH, *alive, *shared, *config, *identity, "--", machine.destination, f"exec sh -c '{SCRIPT}'"]


class Process:
    """A process that was started on a machine. Use it in a `with`: leaving ends it, whatever happened.

    argv        must hold no line ends; `place(n)` in one becomes the path of a file with the n-th of `files` in it
    lifetime_s  after which it is ended there, whatever this side does
    sweep       also end what it leaves behind in its process group; not for commands that start a server
    """

    def __init__(
        self,
        machine: Machine,
        argv: Sequence[str],
        *,
        lifetime_s: float,
        files: Sequence[bytes] = (),
        sweep: bool = True,
        is_master: bool = False,
    ) -> None:
        if not argv or any(sign in argument for argument in argv for sign in "\n\r") or not argv[0]:
            raise ValueError("A command needs a program, and no argument may hold a line end.")
        self.machine = machine
        self._mark = f"benchdash-{secrets.token_hex(16)}"
        if any("\0" in argument.replace(PLACE, "") for argument in argv):
            raise ValueError("No argument may hold a NUL.")
        arguments = [argument.replace(PLACE, f"{self._mark}/") for argument in argv]
        times = settings.REMOTE_TIMEOUTS
        beats = int(lifetime_s / times.heartbeat_s) + 2
        header = [self._mark, str(beats), f"{times.silence_s:g}", str(int(sweep)), str(len(files)), str(len(argv))]
        self._first = "".join(f"{line}\n" for line in header).encode()
        self._first += b"".join(f"{len(content)}\n".encode() + content for content in files)
        self._first += "".join(f"{argument}\n" for argument in arguments).encode()
        self._out, self._err = Stream(self._mark, MOST_OUT), Stream(self._mark, MOST_ERR)
        self._let_go, self._changed = threading.Event(), threading.Condition()
        self.began_at: float | None = None  # this side's clock, seconds since 1970
        self._open(is_master)

    def _open(self, is_master: bool) -> None:
        # Without what only benchdash may know: tools, switches and ssh have no use for it.
        env = {name: value for name, value in os.environ.items() if name not in OURS and not name.startswith(PREFIX)}
        # A session of its own: what ends this program by a signal to its group must leave the script time to clean up.
        self._process = subprocess.Popen(  # noqa: S603  (a constant script; see command_line)
            command_line(self.machine, is_master=is_master),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr  # noqa: S101  (for the types)
        reading = ((self._process.stdout, self._out), (self._process.stderr, self._err))
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True) for pair in reading]
        self._beater = threading.Thread(target=self._send_beats, daemon=True)
        for thread in (*self._readers, self._beater):
            thread.start()

    def _read(self, pipe: object, stream: Stream) -> None:
        while chunk := pipe.read1(CHUNK):  # type: ignore[attr-defined]
            with self._changed:
                stream.feed(chunk)
                if stream.began and self.began_at is None:
                    self.began_at = time.time()
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def _send_beats(self) -> None:
        """Hand over what to run, then show that this side is there until it lets go."""
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101
        with contextlib.suppress(OSError):  # the other end is gone: the readers see it end
            pipe.write(self._first)
            pipe.flush()
            while not self._let_go.wait(settings.REMOTE_TIMEOUTS.heartbeat_s):
                pipe.write(b".")
                pipe.flush()
        with contextlib.suppress(OSError):
            pipe.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def _over(self) -> bool:
        both = self._out.status is not None and self._err.status is not None
        return both or not any(reader.is_alive() for reader in self._readers)

    def wait(self, timeout_s: float) -> bool:
        """Whether it is over, at the latest after so many seconds."""
        with self._changed:
            # A reader's last notice comes a moment before its thread has ended, so check again now and then.
            until = time.monotonic() + timeout_s
            while not self._over and (left := until - time.monotonic()) > 0:
                self._changed.wait(min(left, 0.1))
            return self._over

    def end(self) -> None:
        """End it there and here, if it has not ended. Takes END_S at most; what hangs on behind a cut link ends itself."""
        self._let_go.set()
        self.wait(END_S)
        try:
            self._process.wait(LINGER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in (*self._readers, self._beater):
            thread.join(LINGER_S)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def printed(self) -> tuple[str, str]:
        """Standard output and standard error so far."""
        with self._changed:
            return self._out.text(), self._err.text()

    def ended(self) -> Completed:
        """How it ended. Raises Unreachable where it never began or whose end did not arrive."""
        self.end()
        with self._changed:
            if self._out.status is not None:
                return Completed(self._out.status, self._out.text(), self._err.text(), self._out.times)
            printed = last_lines(decode(self._err.before + bytes(self._err.buffer)))
        status = f" (ssh ended with status {self._process.returncode})" if self.machine.destination else ""
        reason = f": {printed}" if printed else status
        if self.began_at is None:
            raise Unreachable(f"{self.machine.name} cannot be reached{reason}")
        raise Unreachable(f"The link to {self.machine.name} was lost{reason}")


def run_command(
    machine: Machine,
    argv: Sequence[str],
    *,
    lifetime_s: float = 30,
    sweep: bool = True,
    pause: Callable[[], None] = lambda: None,
) -> Completed:
    """Run a command to its end. `pause` is called about twice a second and may raise, which ends the command."""
    with Process(machine, argv, lifetime_s=lifetime_s, sweep=sweep) as process:
        until = time.monotonic() + lifetime_s
        while not process.wait(0.3) and time.monotonic() < until:
            pause()
        return process.ended()


@contextmanager
def open_connection(machine: Machine, pause: Callable[[], None]) -> Iterator[Machine]:
    """The machine with a connection that every command to it shares, so that none costs it a handshake of its own.

    Its own session is watched like any other: when this process is killed, the connection ends. Raises Unreachable.
    """
    if not machine.destination:
        yield machine
        return
    with TemporaryDirectory(prefix="benchdash-") as folder:
        shared = replace(machine, shared=f"{folder}/ssh")
        with Process(shared, ["sleep", str(LONGEST_S)], lifetime_s=LONGEST_S, is_master=True) as holder:
            limit_s = settings.REMOTE_TIMEOUTS.connect_s
            until = time.monotonic() + limit_s
            while holder.began_at is None and not holder.wait(0.1):
                pause()
                if time.monotonic() > until:
                    raise Unreachable(f"{machine.name} took the connection and started nothing for {limit_s:.0f} s.")
            if holder.began_at is None:
                holder.ended()
            yield shared
