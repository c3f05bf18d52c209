"""nginx with the configuration of docker-compose.yml before a site of a test."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import yaml

from benchdash.tests.services import ROOT
from runs.tests.installation import find_free_port, until


class Proxy(NamedTuple):
    """Its ports, and the certificate that it shows, which it has signed itself."""

    port: int
    plain_port: int
    certificate: Path


@contextmanager
def start_proxy(nginx: str, folder: Path, site_port: int, changes: Mapping[str, str]) -> Iterator[Proxy]:
    """changes: what to write in nginx.conf in the place of its texts, beside the ports and paths of a test."""
    proxy = Proxy(find_free_port(), find_free_port(), folder / "fullchain.pem")
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "1", "-nodes"]
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(proxy.certificate)]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", *name, *files], check=True, capture_output=True)
    config = (ROOT / "nginx.conf").read_text()
    for told, here in {
        "listen 443 ssl": f"listen 127.0.0.1:{proxy.port} ssl",
        "listen 80": f"listen 127.0.0.1:{proxy.plain_port}",
        "web:8000": f"127.0.0.1:{site_port}",
        "/etc/nginx/certificates": str(folder),
        "worker_processes auto": f"daemon off; pid {folder}/nginx.pid; worker_processes 1",
        **changes,
    }.items():
        assert told in config
        config = config.replace(told, here)
    (file := folder / "nginx.conf").write_text(config)
    (folder / "conf.d").mkdir()
    write_port(str(proxy.port), folder / "conf.d")
    with subprocess.Popen([nginx, "-p", str(folder), "-c", str(file)]) as process:
        try:
            until(lambda: _listens(proxy.port) or process.poll() is not None, "nginx")
            assert process.poll() is None
            yield proxy
        finally:
            process.terminate()


def write_port(port: str, folder: Path) -> None:
    """As the proxy's container does at its start."""
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["proxy"]
    *shell, script = (word.replace("$$", "$") for word in service["command"])
    told = script.replace("/etc/nginx/conf.d", str(folder)).replace("exec nginx -g 'daemon off;'", "true")
    subprocess.run([*shell, told], env={"PORT": port}, check=True)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
