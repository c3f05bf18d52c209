"""The client run for real against a live server: what it needs to send, and a machine to reach over ssh."""

from __future__ import annotations

import math
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from runs.tests.installation import WITHIN_S, find_free_port, until
from runs.tests.remote.hosts import answers, end
from runs.tests.remote.server import serving

CLIENT = Path(__file__).parents[2] / "client" / "bd"
SSHD = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
SetEnv PATH={folder}/bin:{path}
"""
SSH = """Host web1
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/user_key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  StrictHostKeyChecking no
"""


class Client:
    """bd in a folder of its own. `site` is where it sends to, `loaded` what its load tests ask."""

    def __init__(self, folder: Path, site: str, loaded: str, token: str) -> None:
        self.folder, self.site, self.loaded = folder, site, loaded
        self.env = {"PATH": os.environ["PATH"], "HOME": str(folder), "BENCHDASH_TOKEN": token, "TMPDIR": str(folder)}
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *words: str, shell: str = "dash") -> subprocess.Popen[str]:
        """In a session of its own, so that its process group can be sent a signal as a terminal does.

        Tests that run in the background of a script ignore SIGINT, and so would a shell that inherits that.
        """
        command = ["env", "--default-signal=INT", *shell.split(), str(CLIENT), *words]
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.env | {"BENCHDASH_URL": self.site},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def end(self) -> None:
        """Kill what a test left of its process groups, such as the load of one that failed."""
        for process in self.started:
            if process.returncode is None:  # not waited for, so the number of its group is still its own
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()

    def run(self, *words: str, shell: str = "dash", within_s: float = WITHIN_S) -> tuple[int, str, str]:
        """(exit status, output, messages)"""
        process = self.start(*words, shell=shell)
        try:
            out, err = process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, out, err

    @property
    def transcript(self) -> Path:
        (path,) = self.folder.glob("bd-*.txt")
        return path

    def until_sampled(self, machine: int = 0, times: int = 1) -> None:
        """Wait for this many samples of the load that runs now."""

        def sampled() -> bool:
            texts = [path.read_text(errors="replace") for path in self.folder.glob(f"bd-*.txt.d/out.{machine}")]
            return sum(text.partition("$ n=0; while ")[2].count("procs_running") for text in texts) >= times

        until(sampled, f"{times} samples of machine {machine}")

    def until_loaded(self, process: subprocess.Popen[str]) -> int:
        """Wait for ab to handle SIGINT, at which it prints what it measured so far; its process number."""
        found: list[int] = []

        def catches() -> bool:
            listed = subprocess.run(["pgrep", "-x", "-g", str(process.pid), "ab"], capture_output=True, check=False)
            for number in map(int, listed.stdout.split()):
                with suppress(FileNotFoundError, ProcessLookupError):
                    status = Path(f"/proc/{number}/status").read_text()
                    if int(status.partition("SigCgt:")[2].split()[0], 16) >> (signal.SIGINT - 1) & 1:
                        found.append(number)
            return bool(found)

        until(catches, "ab")
        return found[0]


@pytest.fixture
def bd(tmp_path: Path, live_server, settings, monkeypatch, needs: Callable[[str], str]) -> Iterator[Client]:
    """No worker runs here, and a transcript lists every process of the machine: none is too large to be read at once."""
    needs("dash"), needs("curl"), needs("ab")
    settings.QUEUE_UPLOAD_BYTES = settings.MAX_UPLOAD_BYTES
    for name in (
        "submission.AT_ONCE_LINES",
        "submission.AT_ONCE_BLOCKS",
        "submission.AT_ONCE_PROCESSES",
        "reading.AT_ONCE_S",
    ):
        monkeypatch.setattr(f"runs.ingest.{name}", math.inf)
    from django.contrib.auth.models import User  # models cannot be imported before Django is set up

    from runs.accounts import make_token

    _, secret = make_token(user=User.objects.create_user("recorder"), name="bd")
    with serving() as server:
        server.delay_s = 0.005
        made = Client(tmp_path, live_server.url, f"{server.base}/", secret)
        yield made
        made.end()


@pytest.fixture
def web1(bd: Client, tmp_path: Path, needs: Callable[[str], str]) -> Iterator[Client]:
    """The same, where `--on web1` reaches an sshd of the test's own on this machine."""
    sshd, port = needs("sshd"), find_free_port()
    folder = tmp_path / "ssh"
    folder.mkdir()
    for name in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    (folder / "sshd_config").write_text(SSHD.format(port=port, folder=folder, path=os.environ["PATH"]))
    (folder / "config").write_text(SSH.format(port=port, folder=folder))
    Path("/run/sshd").mkdir(exist_ok=True)
    bd.env["BD_SSH"] = f"ssh -F {folder}/config"
    server = subprocess.Popen([sshd, "-D", "-f", folder / "sshd_config", "-E", folder / "log"])
    try:
        until(lambda: answers("127.0.0.1", port), "sshd")
        yield bd
    finally:
        end(server)
