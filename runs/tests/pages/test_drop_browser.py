"""A log of some megabytes in a real browser: sent with progress, cancelled, sent again, read, and charted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler

from benchmarks.texts import write_top_log
from runs import tasks
from runs.models import Upload
from runs.tests.pages.test_browser import _static, chromium, no_sideways_scroll, page, see_charts

__all__ = ["_static", "chromium", "page"]  # fixtures
SLOW = 100_000  # bytes a second


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_top_log(tmp_path / "top.log", 3).path


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[int]:
    """Texts that wait for a worker, which is the test itself."""
    settings.QUEUE_UPLOAD_BYTES = 1_000_000
    sent: list[int] = []
    monkeypatch.setattr(tasks.parse_upload, "apply_async", lambda args, **_: sent.append(*args))
    return sent


@pytest.fixture(autouse=True)
def _whole_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's server runs Django once a body is whole, as the web server does."""
    answer = WSGIHandler.__call__

    def respond(handler: WSGIHandler, environ: dict[str, Any], start_response: Any) -> Any:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(length)
        if len(body) < length:
            raise ConnectionAbortedError
        return answer(handler, environ | {"wsgi.input": BytesIO(body)}, start_response)

    monkeypatch.setattr(WSGIHandler, "__call__", respond)


@contextmanager
def slow_line(page: Any) -> Iterator[None]:
    line = page.context.new_cdp_session(page)
    usual = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    line.send("Network.emulateNetworkConditions", usual | {"uploadThroughput": SLOW})
    yield
    line.send("Network.emulateNetworkConditions", usual)


def choose(page: Any, *files: Path) -> None:
    page.set_input_files("input[type=file]", list(files))
    page.click("text=Preview")


def test_a_large_log_is_sent_read_and_charted(page: Any, log: Path, queue: list[int]) -> None:
    choose(page, log)
    page.wait_for_url(re.compile(r"/uploads/\d+/$"))
    page.get_by_text("Waits for a worker.").first.wait_for()
    page.get_by_role("progressbar", name="Share of the text read so far").wait_for(state="attached")
    assert no_sideways_scroll(page)
    Upload.objects.update(status="parsing", bytes_read=2**20, n_blocks=77)
    page.get_by_text("1.0\N{NO-BREAK SPACE}MB of 2.9\N{NO-BREAK SPACE}MB read, 77 blocks found.").wait_for()
    page.locator("#said", has_text="30 % read.").wait_for(state="attached")
    Upload.objects.update(status="queued", bytes_read=0)
    tasks.parse_upload(*queue)
    page.locator(".plot").first.wait_for()
    see_charts(page)
    page.locator("#reading").wait_for(state="detached")
    assert no_sideways_scroll(page)
    page.click("main ul.plain a")
    page.wait_for_url(re.compile(r"/captures/\d+/"))
    see_charts(page)


def test_sending_shows_how_far_it_is_and_can_be_cancelled_and_done_again(page: Any, log: Path) -> None:
    with slow_line(page):
        choose(page, log)
        page.get_by_text(re.compile(r"[1-9]\d\d\.\d KB of 2\.9 MB sent")).first.wait_for()
        assert (
            page.get_by_role("progressbar", name="Share of top.log that is sent").evaluate("(bar) => bar.position") > 0
        )
        assert no_sideways_scroll(page)
        page.get_by_role("button", name="Cancel top.log").click()
        page.locator(".sending .bad").wait_for()
    assert page.locator(".sending .bad").inner_text() == "cancelled. Nothing was stored."
    assert not Upload.objects.exists()
    page.get_by_role("button", name="Send again top.log").click()
    page.wait_for_url(re.compile(r"/uploads/\d+/$"))
    assert Upload.objects.get().name == "top.log"


def test_several_files_are_sent_one_after_the_other(page: Any, log: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.log"
    small.write_text("MemTotal: 7 kB\nMemFree: 1 kB\n")
    choose(page, log, small)
    page.get_by_role("link", name="see its page").nth(1).wait_for()
    assert set(Upload.objects.values_list("name", "status")) == {("top.log", "queued"), ("small.log", "ready")}
    assert no_sideways_scroll(page)


def test_a_dropped_file_is_sent_as_a_chosen_one_is(page: Any, log: Path) -> None:
    page.evaluate(DROP, log.read_text())
    page.wait_for_url(re.compile(r"/uploads/\d+/$"))
    assert Upload.objects.get().name == "dropped.log"


DROP = """(text) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], "dropped.log"));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


def test_a_waiting_text_is_cancelled_on_its_page(page: Any, log: Path) -> None:
    choose(page, log)
    page.wait_for_url(re.compile(r"/uploads/\d+/$"))
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled before it was read.").wait_for()
    assert Upload.objects.get().status == "cancelled"
