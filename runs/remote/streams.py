"""What comes out of a watched process (keeper.sh): its output cut free of the keeper's own lines. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit status, above 128 for a signal (143 = TERM), and what it printed."""

    status: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """What it said of itself: the end of its standard error, else of its standard output."""
        return last_lines(self.err) or last_lines(self.out) or f"it ended with status {self.status}"


def decoded(said: bytes) -> str:
    """As text that every database takes: what is no UTF-8, and NUL, become U+FFFD."""
    return said.decode("utf-8", "replace").replace("\0", "\ufffd")


def last_lines(text: str, most: int = 8) -> str:
    return "\n".join([line.rstrip() for line in text.splitlines() if line.strip()][-most:])


class Stream:
    """One output of the process, cut free of the channel's own lines. `most`: bytes that are kept."""

    def __init__(self, mark: str, most: int) -> None:
        self.began_mark = f"\n{mark} began\n".encode()
        self.ended_mark = f"\n{mark} ended ".encode()
        self.most = most
        self.kept = bytearray()
        self.before = b""  # what a login shell says before it runs anything
        self.began = False
        self.status: int | None = None
        self.left_out = False

    def feed(self, chunk: bytes) -> None:
        if self.status is not None:
            return
        looked = max(0, len(self.kept) - len(self.ended_mark) - 8)
        self.kept += chunk
        if not self.began and (at := self.kept.find(self.began_mark)) >= 0:
            self.began, self.before, looked = True, bytes(self.kept[:at]), 0
            del self.kept[: at + len(self.began_mark)]
        at = self.kept.find(self.ended_mark, looked)
        if at >= 0 and (end := self.kept.find(b"\n", at + len(self.ended_mark))) >= 0:
            told = bytes(self.kept[at + len(self.ended_mark) : end])
            self.status = int(told) if told.isdigit() else 255
            del self.kept[at:]
        elif len(self.kept) > self.most:
            self._let_go()

    def _let_go(self) -> None:
        """Of too much, the first part is kept, and as much of the end as a mark may stand in."""
        tail = bytes(self.kept[-len(self.ended_mark) - 8 :])
        self.left_out = True
        del self.kept[self.most - len(tail) :]
        self.kept += tail

    def text(self) -> str:
        """What was kept; of too much, whole lines only."""
        said = bytes(self.kept) if self.began else b""
        if self.left_out:
            said = said[: said.rfind(b"\n", 0, self.most - len(self.ended_mark) - 8) + 1]
        return decoded(said)
