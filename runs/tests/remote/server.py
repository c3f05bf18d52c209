"""A small HTTP server that writes down what it was asked, byte by byte, and sends people elsewhere when told to."""

from __future__ import annotations

import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PAGE = b'<html><body><img src="http://127.0.0.1:%d/linked.png"><a href="/linked">more</a></body></html>'


@dataclass
class Server:
    """requests: (first line, headers as {lower name: [values]}, body). elsewhere: where /moved sends people.

    delay_s: before each answer, so that a load that lasts seconds takes little CPU time.
    """

    port: int = 0
    elsewhere: str = ""
    delay_s: float = 0.0
    requests: list[tuple[str, dict[str, list[str]], bytes]] = field(default_factory=list)
    connections: int = 0

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def lines(self) -> set[str]:
        return {line for line, _, _ in self.requests}

    def header(self, name: str) -> set[tuple[str, ...]]:
        """Every set of values that the header came with."""
        return {tuple(headers.get(name.lower(), [])) for _, headers, _ in self.requests}


@contextmanager
def serving() -> Iterator[Server]:
    told = Server()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            told.connections += 1
            while _answer(self, told):
                pass

    class Threads(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

        def handle_error(self, request, client_address) -> None:  # a tool that has enough hangs up
            pass

    with Threads(("127.0.0.1", 0), Handler) as server:
        told.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield told
        finally:
            server.shutdown()
            thread.join()


def _answer(handler: socketserver.StreamRequestHandler, told: Server) -> bool:
    """Read one request and answer it; whether the connection stays."""
    first = handler.rfile.readline()
    if not first:
        return False
    headers: dict[str, list[str]] = {}
    while (line := handler.rfile.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers.setdefault(name.lower(), []).append(value.strip())
    body = handler.rfile.read(int(headers.get("content-length", ["0"])[0]))
    time.sleep(told.delay_s)
    told.requests.append((first.decode("latin-1").strip(), headers, body))
    wanted = headers.get("connection", [""])[0].lower()
    stays = wanted == "keep-alive" or (b"HTTP/1.1" in first and wanted != "close")
    handler.wfile.write(_response(first, told, stays))
    return stays


def _response(first: bytes, told: Server, stays: bool) -> bytes:
    status, page, more = b"200 OK", PAGE % told.port, b""
    if b" /moved" in first:
        status, page, more = b"302 Found", b"", b"Location: " + told.elsewhere.encode() + b"\r\n"
    length = b"Content-Length: %d\r\nContent-Type: text/html\r\n" % len(page)
    connection = b"Connection: " + (b"keep-alive" if stays else b"close") + b"\r\n\r\n"
    return b"HTTP/1.1 " + status + b"\r\n" + length + more + connection + (b"" if first.startswith(b"HEAD") else page)
