"""The page about the API is made from its schema."""

from __future__ import annotations

import pytest

from runs.views.api import example_of, list_resources, read_schema

pytestmark = pytest.mark.django_db


def test_every_operation_of_the_schema_has_an_example(browser):
    text = browser.get("/api/").text
    schema = read_schema()
    for path, methods in schema["paths"].items():
        for described in methods.values():
            assert "schema" in described["tags"] or f'id="{described["operationId"]}"' in text, path


def test_an_example_names_the_site_and_sends_what_the_operation_takes():
    resources = {each.name: each for each in list_resources(read_schema(), "http://bench:8000")}
    send = next(each for each in resources["uploads"].operations if each.method == "POST")
    (_, curl), (_, python) = send.examples
    assert '--data-binary @session.txt \\\n  "http://bench:8000/api/v1/uploads/?' in curl
    compile(python, "example", "exec")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "items": {"type": "integer"}}, [1]),
        ({"$ref": "#/components/schemas/Kind"}, "web"),
        ({"type": "object", "properties": {"name": {"type": "string"}, "x": {}}}, {"name": "name", "x": None}),
        ({"allOf": [{"$ref": "#/components/schemas/Kind"}], "nullable": True}, "web"),
    ],
)
def test_an_example_fits_its_type(schema, value):
    assert example_of({"components": {"schemas": {"Kind": {"enum": ["web", "rest"]}}}}, schema) == value
