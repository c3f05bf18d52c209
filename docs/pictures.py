"""`make pictures`: the README's pictures, taken of a fresh server that shows the samples.

Each page three times: 1440 px wide, 400 px wide, and dark.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
CHROMIUM = "/usr/bin/chromium"
# The last four keep the browser from calling home: nothing leaves this machine.
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
LOOKS: dict[str, Any] = {
    "wide": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    "narrow": {"viewport": {"width": 400, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
}
TALLEST_PX = 2000  # what is further down adds bytes, not sense


@contextmanager
def server() -> Iterator[tuple[str, str]]:
    """A server of its own on an empty data folder: its address and admin's password."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="benchdash-pictures-") as data:
        env = {"PATH": os.environ["PATH"], "DATA_DIR": data, "PORT": str(port), "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "manage.py", "serve"]
        with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield f"http://localhost:{port}", password(process)
            finally:
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=60)  # reads on, so that its last words find a reader


def password(process: subprocess.Popen[str]) -> str:
    """Admin's password out of what the start prints."""
    for line in process.stdout or ():
        if match := re.search(r"with the password (\S+) ", line):
            return match.group(1)
    sys.exit("The server did not start.")


def log_in(page: Page, site: str, secret: str) -> None:
    page.goto(f"{site}/login/")
    page.fill("input[name=username]", "admin")
    page.fill("input[name=password]", secret)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(f"{site}/")


def addresses(page: Page, site: str) -> dict[str, str]:
    """Each page's name and address, found by following links as a person would."""
    experiment = first_link(page, f"{site}/experiments/", r"/experiments/\d+/")
    runs = links(page, f"{site}/runs/", r"/runs/\d+/")[:4]
    numbers = ",".join(address.strip("/").rpartition("/")[2] for address in runs)
    return {
        "home": "/",
        "experiments": "/experiments/",
        "experiment": experiment,
        "compare": f"/compare/?runs={numbers}",
        "runs": "/runs/",
        "run": runs[0],
        "host": first_link(page, f"{site}/hosts/", r"/hosts/\d+/"),
        "config": first_link(page, site + experiment, r"/configs/\d+/"),
        "upload": first_link(page, f"{site}/uploads/", r"/uploads/\d+/"),
        "tokens": "/tokens/",
    }


def links(page: Page, address: str, pattern: str) -> list[str]:
    """The page's own links of one shape, in order, each once."""
    page.goto(address)
    hrefs = page.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
    return list(dict.fromkeys(href for href in hrefs if re.fullmatch(pattern, href)))


def first_link(page: Page, address: str, pattern: str) -> str:
    matching = links(page, address, pattern)
    if not matching:
        sys.exit(f"{address} has no link like {pattern}")
    return matching[0]


def run_the_sample_plan(browser: Browser, site: str, secret: str) -> None:
    """Register this machine and have its sample plan run to the end: some 3200 requests to the server itself."""
    page = browser.new_page()
    log_in(page, site, secret)
    page.goto(f"{site}/remote/")
    page.click("text=Register this machine")
    page.click("#start")
    page.locator(".sentence.state >> text=/Done|Failed|Lost/").wait_for(timeout=300_000)
    page.close()


def take(page: Page, name: str, look: str) -> None:
    """One picture of the page as it stands, once its charts are drawn."""
    page.wait_for_load_state("networkidle")
    for plot in page.locator(".plot:visible").all():
        plot.scroll_into_view_if_needed()
        plot.locator("svg").first.wait_for()
    page.evaluate("window.scrollTo(0, 0)")
    height = min(TALLEST_PX, page.evaluate("document.documentElement.scrollHeight"))
    width = LOOKS[look]["viewport"]["width"]
    clip: FloatRect = {"x": 0, "y": 0, "width": width, "height": height}
    page.screenshot(path=PICTURES / f"{name}-{look}.png", full_page=True, clip=clip)


def preview(page: Page, site: str) -> None:
    """Paste a sample and stop at the preview."""
    page.goto(f"{site}/")
    sample = sorted((ROOT / "runs" / "samples").glob("*.txt"))[-1].read_text()
    page.fill("textarea", sample + "\none more line, so that it is not there already\n")
    with page.expect_navigation():
        page.locator("form:has(textarea) button").first.click()


def remote_addresses(page: Page, site: str) -> dict[str, str]:
    return {
        "remote": "/remote/",
        "plan": first_link(page, f"{site}/remote/", r"/remote/plans/\d+/"),
        "job": first_link(page, f"{site}/remote/jobs/", r"/remote/jobs/\d+/"),
    }


def pictures_of(browser: Browser, site: str, secret: str, find: Callable[[Page, str], dict[str, str]]) -> None:
    for look in LOOKS:
        context = browser.new_context(**LOOKS[look])
        page = context.new_page()
        page.goto(f"{site}/login/")
        take(page, "login", look)
        log_in(page, site, secret)
        for name, address in find(page, site).items():
            page.goto(site + address)
            take(page, name, look)
        preview(page, site)
        take(page, "preview", look)
        context.close()


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with server() as (site, secret), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        pictures_of(browser, site, secret, addresses)
        run_the_sample_plan(browser, site, secret)  # last: its experiment would be the first of the list
        pictures_of(browser, site, secret, remote_addresses)
        browser.close()
    total = sum(file.stat().st_size for file in PICTURES.glob("*.png"))
    print(f"{len(list(PICTURES.glob('*.png')))} pictures, {total / 2**20:.1f} MB, in {PICTURES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
