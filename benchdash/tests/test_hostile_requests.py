"""No request ends in an error of the server: every address, with hostile paths, queries and forms, by every method.

A fixed few are tried here; `make fuzz-web` (HOSTILE_REQUESTS=10000) tries many. Each request is rolled back.
"""

from __future__ import annotations

import logging
import os
import random
import re
import socket
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.apps import apps
from django.contrib.admindocs.views import simplify_regex
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import got_request_exception, request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from django.urls import URLPattern, get_resolver
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from runs import ingest
from runs.accounts import make_token
from runs.models import Run
from runs.tests.remote import job_rows

SAMPLES = Path(__file__).resolve().parents[2] / "runs" / "samples"
N = int(os.environ.get("HOSTILE_REQUESTS", "150"))
SEED = int(os.environ.get("HOSTILE_SEED", "1"))

IDS = (
    "0",
    "-1",
    "1.5",
    str(2**31),
    str(2**63 - 1),
    str(2**63),
    str(2**64),
    "9" * 30,
    "9" * 5000,
    "٣",
    "²",
    "1e9",
    "NaN",
)
TIMES = (
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "9999-12-31", "0001-01-01", "0000-00-00", "2026-02-30"),
    *("2026-11-21T17:28:19+99:99", "24:00", "1e999", "-1e999", "Infinity", "1E+99999999"),
)
TEXTS = (
    *("", "\0", "a\0b", "é", "\ud800", "\udcff", "\U0010ffff", "%", "%00", "%s%n", "{}", "{0.__class__}", "[]", "null"),
    *("' OR 1=1 --", "<script>", "../../etc/passwd", "a" * 70_000, "\r\nX: 1", "=1+1", ",", ",,,", "1,2,3", "\x1b[31m"),
    *(
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"blocks": {"b0": {"repeat": 1e999, "label": "\\ud800"}}}',
        "cD0x",
        "cD0lMDA=",
    ),
    *(
        '{"blocks": {"b0": {"repeat": 9223372036854775808}}}',
        '{"configs": {"c1": {"name": "\\u0000"}}}',
        '{"blocks": []}',
    ),
)
HOSTILE = (*IDS, *TIMES, *TEXTS)
METHODS = ("GET", "GET", "GET", "POST", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE")
FORMATS = ("json", "csv", "md", "svg", "html", "xml")
QUERY = (
    *("after", "at", "branch", "commit", "config", "configs", "cursor", "experiment", "fingerprint", "format", "from"),
    *(
        "host",
        "jobs",
        "limit",
        "line",
        "max_rps",
        "metric",
        "min_rps",
        "name",
        "next",
        "o",
        "p",
        "plan",
        "points",
        "pr",
    ),
    *(
        "program",
        "q",
        "redact",
        "run",
        "runs",
        "seen",
        "server",
        "since",
        "sort",
        "stored",
        "tag",
        "target",
        "to",
        "tool",
    ),
    *("url", "version", "y", "lang"),
)
ADMIN_QUERY = ("q", "o", "p", "all", "_popup", "id__exact", "next")
RESPONSES = (
    *(not_a_server_error, checks.status_code_conformance, checks.content_type_conformance),
    *(checks.response_headers_conformance, checks.response_schema_conformance),
)


@pytest.fixture
def admin(db, monkeypatch) -> Iterator[User]:
    """An administrator of a site that has something on each page."""

    look_up = socket.getaddrinfo
    numbers_only = {"flags": socket.AI_NUMERICHOST}  # no name is asked for on the network
    monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **more: look_up(*asked[:2], **more | numbers_only))
    logging.getLogger("django.request").setLevel("CRITICAL")
    user = User.objects.create_superuser("somebody", password="a long enough one")
    for name in ("5-event-and-worker.txt", "1-mod_wsgi-preloading.txt"):
        ingest.submit((SAMPLES / name).read_bytes(), origin="web", name=name)
    ingest.apply_deltas()
    job_rows.job()
    for signal in (request_started, request_finished):  # a connection inside a transaction would count as broken
        signal.disconnect(close_old_connections)
    yield user
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def raised() -> Iterator[list[str]]:
    """The last lines of what views raised."""
    last_lines: list[str] = []

    def keep(**about: Any) -> None:
        last_lines.append(" | ".join(traceback.format_exc().splitlines()[-9:])[-900:])

    got_request_exception.connect(keep)
    yield last_lines
    got_request_exception.disconnect(keep)


def addresses() -> list[str]:
    """Every address of the site, such as "/runs/<pk>/"."""

    def walk(patterns: Any, prefix: str) -> Iterator[str]:
        for each in patterns:
            route = prefix + str(each.pattern)
            if isinstance(each, URLPattern):
                yield re.sub(r"/\?|\\", "", re.sub(r"<\w+:(\w+)>", r"<\1>", simplify_regex(route)))
            else:
                yield from walk(each.url_patterns, route)

    return sorted(
        {address for address in walk(get_resolver().url_patterns, "") if not re.search("jsi18n|readyz", address)}
    )  # 503: no worker here


def stored_ids() -> dict[str, list[Any]]:
    """A few ids of each model under the name that addresses have for it, such as {"runs": [1, 2, 3]}."""
    rows = {str(model._meta.model_name): model._default_manager.values_list("pk") for model in apps.get_models()}
    named = {name: [pk for (pk,) in pks[:3]] for name, pks in rows.items()}
    return named | {f"{name}s": ids for name, ids in named.items()} | {"generators": named["loadgenerator"]}


class Attacker:
    """Sends hostile requests as somebody who is logged in, and learns from pages what their forms hold."""

    def __init__(self, user: User, raised: list[str], random_seed: int) -> None:
        self.raised = raised
        self.user, self.random = user, random.Random(random_seed)  # noqa: S311
        self.client = Client(raise_request_exception=False)
        self.client.force_login(user)
        self.cookies = self.client.cookies.output()
        self.forms: dict[str, dict[str, str]] = defaultdict(dict)
        self.statuses: Counter[int] = Counter()
        self.failures: dict[str, str] = {}
        self.ids = stored_ids()
        self.refused: set[tuple[str, str]] = set()  # methods that an address does not take

    def send(self, address: str) -> None:
        method = self.random.choice(METHODS)
        if (address, method) in self.refused and self.random.random() < 0.9:
            method = "GET" if method == "POST" else "POST"
        path = re.sub(r"(\w*)(/?)<(.*?)>", lambda match: match[1] + match[2] + self.part(match[3], match[1]), address)
        names = ADMIN_QUERY if address.startswith("/admin/") else (*QUERY, *self.forms.get(address, ()))
        query = {name: self.value()[:3000] for name in self.random.sample(names, self.random.choice((0, 1, 2, 4)))}
        form = self.form(address) if method == "POST" else {}
        response = self.answer(method, path, query, form)
        self.statuses[response.status_code] += 1
        if response.status_code == 405:
            self.refused.add((address, method))
        if response.status_code >= 500:
            shown = f"{method} {path[:120]!r} {str(query)[:200]} {str(form)[:300]}"
            self.failures.setdefault(f"{address} {response.status_code} {self.raised[-1:]}", shown)

    def answer(self, method: str, path: str, query: dict[str, str], form: dict[str, Any]) -> Any:
        encodable = {name: value.encode("utf-8", "surrogatepass") for name, value in query.items()}
        with transaction.atomic():
            try:
                self.client.force_login(self.user)
                if method == "POST" and self.random.random() < 0.2:  # a body that is no form
                    body, kind = self.value().encode("utf-8", "surrogatepass"), self.random.choice(KINDS)
                    return self.client.generic(method, path, body, kind, query_params=encodable)
                if method == "POST":
                    plain = {name: _sendable(value) for name, value in form.items()}
                    return self.client.post(path, plain, query_params=encodable)
                response = self.client.generic(method, path, query_params=encodable)
                if method == "GET" and response.status_code == 200 and not response.streaming:
                    self.learn(path, response.content.decode(errors="replace"))
                return response
            finally:
                transaction.set_rollback(True)

    def part(self, name: str, of: str) -> str:
        if name == "fmt":
            return self.random.choice(FORMATS)
        usual = {"kind": "runs", "what": "rss"}.get(name) or str(self.random.choice(self.ids.get(of) or [1]))
        return usual if self.random.random() < 0.6 else _quoted(self.value()[:3000])

    def value(self) -> str:
        return self.random.choice(HOSTILE) if self.random.random() < 0.8 else str(self.random.randint(1, 9))

    def learn(self, path: str, html: str) -> None:
        for tag in re.findall(r"<(?:input|select|textarea|button)\b[^>]*", html):
            name, value = (re.search(rf'\b{key}="([^"]*)"', tag) for key in ("name", "value"))
            if name:
                self.forms[re.sub(r"\d+", "<pk>", path)][unescape(name[1])] = unescape(value[1]) if value else ""

    def form(self, address: str) -> dict[str, Any]:
        """What the page's form would send, a few fields of it hostile."""
        fields: dict[str, Any] = dict(self.forms.get(re.sub("<.*?>", "<pk>", address), {})) | FIELDS
        for name in self.random.sample(sorted(fields), min(len(fields), self.random.choice((1, 2, 5)))):
            fields[name] = self.value()
        for name in ("file", "files"):
            if self.random.random() < 0.2:
                fields[name] = SimpleUploadedFile("a\0b.txt", self.value().encode("utf-8", "surrogatepass"))
        keep = self.random.random()
        return {name: value for name, value in fields.items() if self.random.random() < keep}


KINDS = (
    "text/plain",
    "application/json",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "",
    "a/b; charset=z",
)
FIELDS = {
    **dict.fromkeys(("name", "edits", "raw", "group", "redact", "tags", "run", "config", "reason", "rule", "back"), ""),
    **{"repeat": "2", "counted": "on", "phase": "after", "action": "save", "redact_shown": "1", "at": "", "url": ""},
    **{"blocks:b0:shown": "1", "blocks:b0:keep": "1", "blocks:b0:repeat": "2", "blocks:b0:config": "c1"},
    **{"blocks:b0:label": "x", "blocks:b1:phase": "after", "configs:c1:name": "x", "put_back": "b1", "next": "/"},
    **{"text": "$ ab -n 10 http://localhost/\nRequests per second:    617.01 [#/sec] (mean)\n"},
}


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def _sendable(value: Any) -> Any:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def test_no_page_fails_on_hostile_requests(admin, raised, capsys):
    attacker = Attacker(admin, raised, SEED)
    known = addresses()
    assert len(known) > 120
    weights = [1 if address.startswith("/admin/") else 6 for address in known]
    for address in attacker.random.choices(known, weights, k=N):
        attacker.send(address)
    with capsys.disabled():
        print("\npages:", dict(sorted(attacker.statuses.items())))
    report(attacker.failures)


HUGE, FIRST, LAST = 2**63, "0001-01-01T00:00:00%2B14:00", "9999-12-31T23:59:59-14:00"


ODD = [
    (200, "get", f"/runs/?since={FIRST}", {}),
    (200, "get", f"/runs/?experiment={HUGE}&config=-1&host={'9' * 5000}&after={HUGE}", {}),
    (400, "get", f"/api/v1/runs/?since={LAST}", {}),
    (200, "get", "/api/v1/jobs/?since=2020-01-01", {}),
    (400, "get", f"/api/v1/captures/?run=-{HUGE}0", {}),
    (400, "get", f"/api/v1/jobs/?plan={HUGE}", {}),
    (404, "get", f"/experiments/{HUGE}/adding/", {}),
    (404, "get", f"/runs/{HUGE}.json", {}),
    (404, "get", "/runs/%D9%A3.json", {}),
    (404, "get", "/api/v1/runs/%D9%A3/", {}),
    (400, "get", "/api/v1/schema/?version=%00", {}),
    (400, "get", "/api/v1/runs/?%00=1", {}),
    (400, "get", "/runs/%00/", {}),
    (400, "post", "/preview/", {"raw": "é"}),
    (400, "post", "/preview/", {"text": "Server Software:", "tags": "a\0b"}),
    (400, "post", "/preview/", {"text": "Server Software:", "edits": "[" * 100_000}),
    (400, "post", "/preview/", {"text": "Server Software:", "edits": '{"blocks":' * 1000 + "{}" + "}" * 1000}),
    (400, "post", "/preview/", {"text": "Server Software:", "edits": '{"configs": {"c1": {"name": "\\ud800"}}}'}),
    (400, "post", f"/api/v1/uploads/?at={LAST}", {"file": "Requests per second: 617.01 [#/sec] (mean)"}),
]


def test_requests_that_no_page_sends_are_refused_in_words(admin):
    client = Client()
    client.force_login(admin)
    for status, method, path, form in ODD:
        with transaction.atomic():
            assert getattr(client, method)(path, form).status_code == status, f"{method} {path[:80]} {str(form)[:80]}"
            transaction.set_rollback(True)
    assert Client(headers={"Cookie": 'sessionid="aaaaaaaaaaaa\\000"'}).get("/runs/").status_code == 400  # NUL
    run = Run.objects.latest("pk")
    for repeat in (2**31, 2**63, "٣" * 20):
        client.post(f"/runs/{run.pk}/manage/", {"repeat": repeat})
        assert Run.objects.get(pk=run.pk).repeat == run.repeat


def report(failures: dict[str, str]) -> None:
    if failures:
        pytest.fail("\n".join(f"{key}\n    {value}" for key, value in sorted(failures.items())), pytrace=False)


def test_the_api_answers_hostile_requests_as_it_describes(admin, raised, capsys):
    """Answers have the statuses, the types and the shapes of the OpenAPI description."""
    _, token = make_token(user=admin, name="fuzzer")
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema/", get_wsgi_application(), headers=headers)
    operations = [each.ok() for each in schema.get_all_operations()]
    assert len(operations) > 25
    statuses, ids = Counter[int](), stored_ids()
    failures: dict[str, str] = {}

    def send(case: Any) -> None:
        with transaction.atomic():
            response = case.call(headers=headers)
            transaction.set_rollback(True)
        statuses[response.status_code] += 1
        try:
            case.validate_response(response, checks=RESPONSES, headers=headers)
        except BaseExceptionGroup as failed:
            for each in failed.exceptions:
                why = raised[-1] if response.status_code == 500 else str(each)[:1500]
                failures.setdefault(f"{case.operation.label} {type(each).__name__}", why)

    for operation in operations:
        modes, kind = schemathesis.GenerationMode, operation.path.split("/")[3]
        real = {"id": ids[kind][0]} if "{id}" in operation.path else None
        cases = st.one_of(*(operation.as_strategy(generation_mode=mode, path_parameters=real) for mode in modes))
        cases |= operation.as_strategy(generation_mode=modes.NEGATIVE)
        limits = settings(
            max_examples=N // len(operations) + 1,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        seed(SEED)(limits(given(cases)(send)))()
    with capsys.disabled():
        print("\nAPI:", dict(sorted(statuses.items())))
    report(failures)
