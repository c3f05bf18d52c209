"""Hosts of a test's own: network namespaces with a real sshd each, and a real nginx on the target.

                 10.213.x.1 -- 10.213.x.2  generator
    this host                                  |  10.213.z.1 -- 10.213.z.2: what the load goes over
                 10.213.y.1 -- 10.213.y.2  target, nginx at 10.213.z.2:8080

Keys, known hosts and ssh's config are made on the spot. Everything is ended by its process id, and the namespaces go, however
the test went.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from runs.tests.installation import until

GENERATOR, TARGET = "gen", "tgt"
SSHD = """Port {port}
ListenAddress {address}
HostKey {folder}/host_key_{name}
AuthorizedKeysFile {folder}/user_key.pub
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
MaxStartups 100
SetEnv HOME={folder} {env}
"""
NGINX = """daemon off;
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{ include {folder}/current.conf; }}
"""
# A load that lasts seconds takes little CPU time at 2,000 requests a second.
SITE = """access_log off;
limit_req_zone $server_addr zone=load:64k rate=2000r/s;
limit_req zone=load burst=1000;
keepalive_timeout {keepalive};
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
server {{
    listen {address}:8080;
    listen {way}:8080;
    location / {{ return 200 "{name}\\n"; }}
    location /slow {{ limit_rate 400; root {folder}/www; }}
    location /away {{ return 302 http://{address}:8081/elsewhere; }}
}}
"""
SWITCH = """#!/bin/sh
cp {folder}/$1.conf {folder}/current.conf && exec nginx -c {folder}/nginx.conf -s reload
"""
# What a machine has on which no load tool is installed.
TOOLS = (
    *(
        "sh",
        "bash",
        "cat",
        "date",
        "dd",
        "df",
        "env",
        "getent",
        "head",
        "kill",
        "mktemp",
        "nproc",
        "ps",
        "rm",
        "setsid",
    ),
    *("sleep", "tail", "timeout", "top", "uname", "wc"),
)


def _run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def end(process: subprocess.Popen[bytes], patience_s: float = 10) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def answers(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=1).close()
    except OSError:
        return False
    return True


class Lab:
    """Two hosts that this one can reach. `folder` is the test's own."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder = folder
        self.names = {host: f"bd{number}{host}" for host in (GENERATOR, TARGET)}
        self.ways = {GENERATOR: f"10.213.{number}", TARGET: f"10.213.{number + 1}"}
        self.links = {host: f"bd{number}{host[0]}" for host in (GENERATOR, TARGET)}
        self.load = f"10.213.{number + 2}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def base(self) -> str:
        return f"http://{self.load}.2:8080"

    @property
    def ssh_config(self) -> Path:
        return self.folder / "ssh_config"

    def up(self) -> None:
        self._remove_leftovers()
        for host, name in self.names.items():
            _run("ip", "netns", "add", name)
            self.inside(host, "ip", "link", "set", "lo", "up")
            _join(None, f"{self.ways[host]}.1", self.links[host], name, f"{self.ways[host]}.2", "up0")
        _join(self.names[GENERATOR], f"{self.load}.1", "load0", self.names[TARGET], f"{self.load}.2", "load0")
        self._keys()
        self._ssh()
        self._nginx()

    def down(self) -> None:
        for process in reversed(list(self.processes.values())):
            end(process)
        self._remove_leftovers()

    def _remove_leftovers(self) -> None:
        """The namespaces of this network with what runs in them: sessions of sshd, or all that a killed test run left."""
        there = {line.split()[0] for line in _run("ip", "netns", "list").splitlines()}
        for host, name in self.names.items():
            if name in there:
                for pid in self.pids(host):
                    os.kill(pid, signal.SIGKILL)
                _run("ip", "netns", "del", name)
        for link in self.links.values():  # otherwise it goes a little later than its namespace
            subprocess.run(["ip", "link", "del", link], capture_output=True, timeout=60)

    def inside(self, host: str, *command: object) -> str:
        return _run(*self._within(host), *command)

    def _within(self, host: str) -> list[str]:
        """Another network and nothing else: `ip netns exec` would hide what is mounted later."""
        return ["nsenter", f"--net=/run/netns/{self.names[host]}"]

    def start(self, key: str, host: str, *command: object) -> subprocess.Popen[bytes]:
        """A server on a host, ended with the lab."""
        with (self.folder / f"{key}.log").open("ab") as log:
            self.processes[key] = subprocess.Popen(
                [*self._within(host), *map(str, command)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self.processes[key]

    def pids(self, host: str) -> list[int]:
        """As `ip netns pids`, without a process of its own: tests ask twenty times a second."""
        network = Path("/run/netns", self.names[host]).stat().st_ino
        return [int(found.name) for found in Path("/proc").glob("[1-9]*") if _network(found) == network]

    def running(self, host: str, program: str) -> list[int]:
        """Processes of a program on a host, by their own name."""
        return [pid for pid in self.pids(host) if _comm(pid) == program]

    def loads(self) -> list[int]:
        """The ab processes on the generator that send load; one that only tells its version is none."""
        return [pid for pid in self.running(GENERATOR, "ab") if b"http://" in _read(pid, "cmdline")]

    def samplers(self, host: str) -> list[int]:
        """What samples a host each second."""
        return [pid for pid in self.pids(host) if b"printf %b" in _read(pid, "cmdline")]

    def left(self) -> list[str]:
        """What runs on the hosts beside their servers."""
        pids = [pid for host in self.names for pid in self.pids(host)]
        return [name for pid in pids if (name := _comm(pid)) and name not in ("sshd", "nginx", "sshd-session")]

    # --- the hosts' insides ----------------------------------------------------------------------------------------

    def _keys(self) -> None:
        for name in ("user_key", *(f"host_key_{host}" for host in (*self.names, "bare"))):
            _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name)

    def _ssh(self) -> None:
        Path("/run/sshd").mkdir(exist_ok=True)
        bare = self.folder / "bare"
        bare.mkdir()
        for tool in TOOLS:
            (bare / tool).symlink_to(shutil.which(tool) or "/nonexistent")
        full = self.folder / "full"  # a disk without room; see the test
        full.mkdir()
        known, hosts = [], []
        for name, host, port, env in (
            (GENERATOR, GENERATOR, 22, "BENCHDASH_TEST=1"),
            (TARGET, TARGET, 22, "BENCHDASH_TEST=1"),
            ("bare", GENERATOR, 2201, f"PATH={bare}"),
            ("full", GENERATOR, 2202, f"TMPDIR={full}"),
        ):
            address = f"{self.ways[host]}.2"
            key = name if name in (*self.names, "bare") else host
            config = self.folder / f"sshd_{name}"
            config.write_text(SSHD.format(port=port, address=address, folder=self.folder, name=key, env=env))
            self.start(f"sshd {name}", host, shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-e", "-f", config)
            public = (self.folder / f"host_key_{key}.pub").read_text().rsplit(" ", 1)[0]
            known.append(f"[{address}]:{port} {public}\n" if port != 22 else f"{address} {public}\n")
            hosts.append(f"Host {name}\n  HostName {address}\n  Port {port}\n")
            until(partial(answers, address, port), f"sshd of {name}")
        common = f"Host *\n  User root\n  IdentityFile {self.folder}/user_key\n  IdentitiesOnly yes\n"
        common += f"  UserKnownHostsFile {self.folder}/known_hosts\n  GlobalKnownHostsFile /dev/null\n"
        (self.folder / "known_hosts").write_text("".join(known))
        self.ssh_config.write_text("".join(hosts) + common)

    def _nginx(self) -> None:
        address = f"{self.load}.2"
        www = self.folder / "www"
        www.mkdir()
        (www / "slow").write_text("x" * 4000)
        for name, keepalive in (("a", 0), ("b", 65)):
            way = f"{self.ways[TARGET]}.2"
            site = SITE.format(keepalive=keepalive, folder=self.folder, address=address, way=way, name=name)
            (self.folder / f"{name}.conf").write_text(site)
        shutil.copy(self.folder / "a.conf", self.folder / "current.conf")
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder))
        (self.folder / "switch").write_text(SWITCH.format(folder=self.folder))
        (self.folder / "switch").chmod(0o755)
        self.start("nginx", TARGET, "nginx", "-c", self.folder / "nginx.conf")
        until((self.folder / "nginx.pid").exists, "nginx")

    @contextmanager
    def cut(self, host: str) -> Iterator[None]:
        """Nothing passes between this host and that one."""
        _run("ip", "link", "set", self.links[host], "down")
        try:
            yield
        finally:
            _run("ip", "link", "set", self.links[host], "up")


def _join(one: str | None, address: str, link: str, other: str, other_address: str, other_link: str) -> None:
    place = ("netns", one) if one else ()
    _run("ip", "link", "add", link, *place, "type", "veth", "peer", "name", other_link, "netns", other)
    within = ("ip", "-n", one) if one else ("ip",)
    _run(*within, "addr", "add", f"{address}/30", "dev", link)
    _run(*within, "link", "set", link, "up")
    _run("ip", "-n", other, "addr", "add", f"{other_address}/30", "dev", other_link)
    _run("ip", "-n", other, "link", "set", other_link, "up")


def _network(process: Path) -> int | None:
    try:
        return (process / "ns/net").stat().st_ino
    except OSError:
        return None  # it has ended meanwhile, or is one of the machine's own


def _comm(pid: int) -> str:
    return _read(pid, "comm").decode().strip()


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""  # it has ended meanwhile
