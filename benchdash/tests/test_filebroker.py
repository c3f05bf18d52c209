"""The queue in a folder with several processes at it: nothing is lost, nothing comes twice, nothing breaks down."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from queue import Empty
from typing import Any

from kombu import Connection

from benchdash import celery  # noqa: F401  (registers the transport)

N_EACH = 200
SENDERS = TAKERS = 3


def channel(folder: str) -> Any:
    names = ("data_folder_in", "data_folder_out", "control_folder")
    return Connection("filesystem://", transport_options=dict.fromkeys(names, folder)).channel()


def send(folder: str, sender: int) -> None:
    queue = channel(folder)
    queue._queue_bind("all", "", "", f"of.{sender}")
    for number in range(N_EACH):
        queue._put("load.one", {"number": sender * N_EACH + number, "text": "x" * 5000})


def take(folder: str, found: Any, sent: Any) -> None:
    queue = channel(folder)
    while True:
        over = sent.is_set()
        try:
            found.put(queue._get("load.one")["number"])
        except Empty:
            if over:
                return


def test_each_message_is_taken_once_whoever_writes_and_reads_meanwhile(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    found, sent = context.Queue(), context.Event()
    takers = [context.Process(target=take, args=(str(tmp_path), found, sent)) for _ in range(TAKERS)]
    senders = [context.Process(target=send, args=(str(tmp_path), number)) for number in range(SENDERS)]
    for process in takers + senders:
        process.start()
    numbers = sorted(found.get(timeout=60) for _ in range(SENDERS * N_EACH))
    for process in senders:
        process.join(timeout=60)
    sent.set()
    for process in takers:
        process.join(timeout=60)
    assert numbers == list(range(SENDERS * N_EACH)) and found.empty()
    assert {process.exitcode for process in takers + senders} == {0}
    assert {row.queue for row in channel(str(tmp_path)).get_table("all")} == {f"of.{n}" for n in range(SENDERS)}
    assert not list(tmp_path.glob("*.msg")) and not list(tmp_path.glob("*.part"))


def test_messages_come_in_the_order_they_were_sent_and_only_to_their_queue(tmp_path: Path) -> None:
    queue = channel(str(tmp_path))
    for number in range(3):
        queue._put("load.one", number)
    queue._put("load.two", "other")
    assert queue._size("load.one") == 3
    assert queue._get("load.two") == "other"
    assert [queue._get("load.one") for _ in range(3)] == [0, 1, 2]
