"""The site with HTTPS=yes behind the proxy of docker-compose.yml: redirects, cookies, addresses, and who asks."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import User

from benchdash.tests.proxy import start_proxy
from runs.accounts import make_token
from runs.management import processes
from runs.tests.installation import MANAGE, create_database, environment, find_free_port, wait_for_web

pytestmark = [pytest.mark.once, pytest.mark.django_db]
PASSWORD = "its own password"  # noqa: S105
TRIES = 10  # of one name at one address; each process counts them by itself


@dataclass(frozen=True)
class Site:
    at: str
    plain: str
    inside: str  # past the proxy
    token: str
    certificate: Path

    def browser(self) -> requests.Session:
        made = requests.Session()
        made.trust_env, made.verify = False, str(self.certificate)
        return made

    def log_in(self, browser: requests.Session, name: str, password: str, **headers: str) -> requests.Response:
        browser.get(f"{self.at}/login/")
        form = {"csrfmiddlewaretoken": browser.cookies["csrftoken"], "username": name, "password": password}
        own = {"Origin": self.at, "Referer": f"{self.at}/login/"}
        return browser.post(f"{self.at}/login/", form, headers=own | headers, allow_redirects=False)


@pytest.fixture(scope="module")
def site(needs, tmp_path_factory, django_db_setup, django_db_blocker) -> Iterator[Site]:
    folder, port = tmp_path_factory.mktemp("https"), find_free_port()
    with django_db_blocker.unblock():
        user = User.objects.create(username="sender", password=PBKDF2PasswordHasher().encode(PASSWORD, "salt"))
        token = make_token(user=user, name="test")[1]
        create_database(folder / "data")
        user.delete()
    variables = environment(folder / "data", HTTPS="yes", ALLOWED_HOSTS="localhost")
    subprocess.run([*MANAGE, "collectstatic", "--noinput", "-v0"], env=variables, check=True)
    command = processes.web_command("127.0.0.1", port)
    command[command.index("--workers") + 1] = "1"
    with subprocess.Popen(command, env=variables, cwd=folder) as process:
        wait_for_web(process, port)
        with start_proxy(needs("nginx"), folder, port, {}) as proxy:
            at = (f"https://localhost:{proxy.port}", f"http://localhost:{proxy.plain_port}", f"http://localhost:{port}")
            yield Site(*at, token, proxy.certificate)
        process.terminate()


def test_plain_http_is_redirected_by_the_proxy_and_past_it(site):
    for at in (site.plain, site.inside):
        answer = site.browser().get(f"{at}/runs/?tool=ab", allow_redirects=False)
        assert answer.status_code == 301 and answer.headers["Location"].startswith("https://localhost")
        assert answer.headers["Location"].endswith("/runs/?tool=ab")
    assert site.browser().get(f"{site.plain}/healthz").url == f"{site.at}/healthz"


def test_a_login_has_secure_cookies_and_needs_a_form_of_this_site(site):
    browser = site.browser()
    for origin in ("https://evil.example", site.at.replace("https", "http"), "null"):
        assert site.log_in(browser, "sender", PASSWORD, Origin=origin).status_code == 403
    answer = site.log_in(browser, "sender", PASSWORD)
    assert (
        answer.status_code == 302 and int(answer.headers["Strict-Transport-Security"].partition("=")[2]) >= 31_536_000
    )
    cookies = {cookie.name: cookie for cookie in browser.cookies}
    assert cookies.keys() == {"sessionid", "csrftoken", "known_browser"}
    assert all(cookie.secure for cookie in cookies.values())
    page = browser.get(f"{site.at}/uploads/")
    assert page.status_code == 200 and "private" in page.headers["Cache-Control"]
    sent = browser.post(f"{site.at}/uploads/send/", b"Requests/sec: 1.5\n", headers={"Origin": "https://evil.example"})
    assert sent.status_code == 403


def test_all_addresses_are_those_that_the_client_sees(site):
    known = {"Authorization": f"Bearer {site.token}", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "evil.example"}
    ask = site.browser().request
    large = b"".join(b"line %d of a large text\n" % number for number in range(1_300_000)) + b"Requests/sec: 1.5\n"
    assert len(large) > 30_000_000
    small = ask("POST", f"{site.at}/api/v1/uploads/", data=b"Requests/sec: 2.5\n", headers=known)
    form = ask("POST", f"{site.at}/api/v1/uploads/", files={"file": ("large.txt", large)}, headers=known)
    assert [small.status_code, form.status_code] == [201, 202]
    for answer in (small, form):
        assert answer.headers["Location"].startswith(f"{site.at}/api/v1/uploads/")
        assert answer.json()["url"].startswith(f"{site.at}/uploads/") and answer.json()["page"].startswith(
            f"{site.at}/"
        )
    listed = ask("GET", f"{site.at}/api/v1/uploads/?limit=1", headers=known).json()
    assert listed["next"].startswith(f"{site.at}/api/v1/uploads/?")
    assert f"BENCHDASH_URL:-{site.at}}}" in ask("GET", f"{site.at}/bd", headers=known).text
    assert ask("GET", f"{site.at}/bd", headers={"Host": "evil.example"}).status_code == 400


def test_tries_to_log_in_are_counted_by_the_address_that_the_proxy_saw(site):
    """A client may say that others sent it on: the proxy replaces that."""
    said = [
        site.log_in(site.browser(), "joe", "wrong", **{"X-Forwarded-For": f"10.0.0.{n}"}).text for n in range(TRIES + 1)
    ]
    assert ["Too many login attempts" in text for text in said] == [False] * TRIES + [True]
