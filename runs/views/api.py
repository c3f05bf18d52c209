"""What scripts begin with: /bd, the client, and the page about the API: its OpenAPI schema grouped by resource, with a copyable
example of every operation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from runs.api.serializers import ERRORS
from runs.remote.tools import EXAMPLE, PACKAGE

Schema = Mapping[str, Any]

CLIENT = Path(__file__).parent.parent / "client" / "bd"
ADDRESS = re.compile(r"https?://[\w.:\[\]-]+")
CACHED_S = 300
# What people ask for first comes first; other resources follow in the order of the schema.
FIRST = ("uploads", "runs", "compare", "experiments", "configs", "hosts", "captures", "plans", "jobs")
_PLACE = re.compile("SITE|QUERY|LOAD|PACKAGE")
DEEPEST = 4  # level of an example body
# Parameters that an example of an operation sets.
EXAMPLE_QUERIES = {"uploads_create": "?experiment=nightly&tags=php,main", "runs_list": "?experiment=nightly&limit=5"}
EXAMPLE_QUERIES |= {"compare_retrieve": "?runs=1,2,3", "runs_series_retrieve": "?metric=rss_kb&points=200"}
START = {
    "bd, which records a load test": """\
curl -fsS SITE/bd -o bd && chmod +x bd
./bd run --on web1 -- LOAD http://web1/""",
    "curl": """\
curl -H "Authorization: Bearer $TOKEN" \\
  --data-binary @session.txt \\
  "SITE/api/v1/uploads/?experiment=nightly\"""",
    "Python": """\
import os, requests

answer = requests.post(
    "SITE/api/v1/uploads/",
    headers={"Authorization": "Bearer " + os.environ["TOKEN"]},
    params={"experiment": "nightly"},
    data=open("session.txt", "rb"),
)
answer.raise_for_status()
print(answer.json()["url"])""",
}
PIPELINES = {
    "GitHub Actions": """\
# .github/workflows/bench.yml
on: [push, pull_request]
jobs:
  bench:
    runs-on: ubuntu-latest
    env:
      BENCHDASH_URL: SITE
      BENCHDASH_TOKEN: ${{ secrets.BENCHDASH_TOKEN }}
    steps:
      - uses: actions/checkout@v4
      - run: sudo apt-get install -y PACKAGE
      - run: ./start-server &
      - run: curl -fsS "$BENCHDASH_URL/bd" -o bd && chmod +x bd
      - run: >
          ./bd run --config myapp --repeat 5
          --compare-to main --fail-on worse
          -- LOAD http://localhost:8080/""",
    "GitLab CI": """\
# .gitlab-ci.yml; BENCHDASH_TOKEN is a masked variable
bench:
  image: debian:stable
  variables:
    BENCHDASH_URL: SITE
  before_script:
    - apt-get update && apt-get install -y PACKAGE curl
    - curl -fsS "$BENCHDASH_URL/bd" -o bd && chmod +x bd
    - ./start-server &
  script:
    - >
      ./bd run --config myapp --repeat 5
      --compare-to main --fail-on worse
      -- LOAD http://localhost:8080/""",
    "Any other, with curl alone": """\
LOAD http://localhost:8080/ | tee session.txt
curl -fsS -H "Authorization: Bearer $TOKEN" \\
  --data-binary @session.txt \\
  "SITE/api/v1/uploads/?QUERY\"""",
}
# Of a pipeline: parameters of an upload, and what holds them.
OF_PIPELINE = {"experiment": "ci", "config": "myapp", "commit": "$COMMIT", "branch": "$BRANCH", "pr": "$PR"}


def api(request: HttpRequest) -> HttpResponse:
    schema, site = read_schema(), f"{request.scheme}://{request.get_host()}"
    context = {
        "public": settings.PUBLIC_READ,
        "resources": list_resources(schema, site),
        "start": list_examples(START, schema, site),
        "pipelines": list_examples(PIPELINES, schema, site),
        "errors": ERRORS.items(),
    }
    return render(request, "api.html", context)


@login_not_required  # it holds no secret; whoever records a load test on a server has no browser there
@require_safe
@cache_control(max_age=CACHED_S, private=True)  # a port that somebody else asked with would be in a shared copy
def client(request: HttpRequest) -> HttpResponse:
    """A shell script to download: `curl -fsS SITE/bd -o bd`."""
    site = request.build_absolute_uri("/").removesuffix("/")
    if not ADDRESS.fullmatch(site):  # it would become part of the script
        raise Http404("No such address.")
    return HttpResponse(
        CLIENT.read_text().replace("@SITE@", site),
        content_type="text/x-shellscript; charset=utf-8",
        headers={"Content-Disposition": 'inline; filename="bd"', "Vary": "Host"},
    )


# --- the page ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: str
    text: str
    required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """`answer`: an example of what comes back with the status `status`; "" where nothing does. examples: (title, text)."""

    key: str
    method: str
    path: str
    text: str
    parameters: tuple[Parameter, ...]
    status: str
    answer: str
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Resource:
    name: str
    text: str
    operations: tuple[Operation, ...]


@cache
def read_schema() -> Schema:
    schema: Schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return schema


def list_resources(schema: Schema, site: str) -> list[Resource]:
    """`site`: the address that examples are sent to, without a slash at its end."""
    groups: dict[str, list[Operation]] = {name: [] for name in FIRST}
    texts: dict[str, str] = {}
    for path, methods in schema["paths"].items():
        for method, described in methods.items():
            name = described["tags"][0]
            if name == "schema":
                continue
            operation = _describe(schema, site, path, method.upper(), described)
            groups.setdefault(name, []).append(operation)
            texts.setdefault(name, operation.text)
    return [Resource(name, texts[name], tuple(operations)) for name, operations in groups.items() if operations]


def list_examples(examples: Mapping[str, str], schema: Schema, site: str) -> list[tuple[str, str]]:
    """(title, text), with the parameters of a pipeline that uploads take."""
    taken = {each["name"] for each in schema["paths"]["/api/v1/uploads/"]["post"]["parameters"]}
    query = "&".join(f"{name}={value}" for name, value in OF_PIPELINE.items() if name in taken)
    words = {"SITE": site, "QUERY": query, "LOAD": EXAMPLE, "PACKAGE": PACKAGE}
    return [(title, _PLACE.sub(lambda place: words[place[0]], text)) for title, text in examples.items()]


def _describe(schema: Schema, site: str, path: str, method: str, described: Schema) -> Operation:
    parameters = tuple(_list_parameters(described.get("parameters", ())))
    body = _write_example(schema, described.get("requestBody", {}))
    status = next((code for code in described["responses"] if not code.startswith("4")), "")
    shown = path.replace("{id}", "1")
    url = f"{site}{shown}{EXAMPLE_QUERIES.get(described['operationId'], '')}"
    is_text = "text/plain" in described.get("requestBody", {}).get("content", {})
    return Operation(
        described["operationId"],
        method,
        path,
        described.get("description", ""),
        parameters,
        status,
        _write_example(schema, described["responses"].get(status, {})),
        (
            ("curl", _write_curl(method, url, body, is_text=is_text)),
            ("Python", _write_python(method, url, body, is_text=is_text)),
        ),
    )


def _list_parameters(described: Iterable[Schema]) -> Iterable[Parameter]:
    for one in described:
        of = one["schema"]
        kind = " | ".join(map(str, of["enum"])) if "enum" in of else of.get("format") or of.get("type", "")
        yield Parameter(one["name"], kind, one.get("description", ""), one.get("required", False))


def _write_example(schema: Schema, message: Schema) -> str:
    """Of a request's body or a response, where it is JSON."""
    content = message.get("content", {}).get("application/json")
    return json.dumps(example_of(schema, content["schema"]), indent=2) if content else ""


def example_of(schema: Schema, of: Schema, name: str = "", depth: int = 0) -> Any:
    """A value that fits a part of the schema; what lies too deep is left empty."""
    for several in ("allOf", "oneOf", "anyOf"):
        if several in of:
            return example_of(schema, of[several][0], name, depth)
    if "$ref" in of:
        return example_of(schema, schema["components"]["schemas"][of["$ref"].rpartition("/")[2]], name, depth)
    if "example" in of or "default" in of:
        return of.get("example", of.get("default"))
    if "enum" in of:
        return of["enum"][0]
    kind = of.get("type")
    if kind == "object":
        fields = of.get("properties", {}) if depth < DEEPEST else {}
        return {key: example_of(schema, value, key, depth + 1) for key, value in fields.items()}
    if kind == "array":
        return [example_of(schema, of["items"], name, depth + 1)] if depth < DEEPEST else []
    formats = {"date-time": "2026-11-22T20:15:00Z", "date": "2026-11-22", "uri": "http://..."}
    plain = {"integer": 1, "number": 1.5, "boolean": True, "string": formats.get(of.get("format", ""), name or "text")}
    return plain.get(kind or "")


def _write_curl(method: str, url: str, body: str, *, is_text: bool) -> str:
    lines = ['curl -H "Authorization: Bearer $TOKEN"']
    if is_text:
        lines.append("--data-binary @session.txt")
    elif method != "GET":
        lines.append(f"-X {method}")
    if body:
        compact = json.dumps(json.loads(body))
        lines.append(f"-H 'Content-Type: application/json' -d '{compact}'")
    return " \\\n  ".join([*lines, f'"{url}"'])


def _write_python(method: str, url: str, body: str, *, is_text: bool) -> str:
    more = ', data=open("session.txt", "rb")' if is_text else ""
    if body:
        more = f", json={json.loads(body)!r}"
    return (
        "import os, requests\n\n"
        'headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}\n'
        f'answer = requests.{method.lower()}(\n    "{url}",\n    headers=headers{more},\n)\n'
        "answer.raise_for_status()\n" + ("" if method == "DELETE" else "print(answer.json())")
    )
