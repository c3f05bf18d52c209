"""Imports point down only: wiring, doors, what is stored, core, pure. Read off the files, so that a rarely run one counts too."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchdash.tests.services import ROOT

PURE, CORE, STORED, DOOR, WIRING = range(5)
# The longest name that fits counts.
LEVELS = {
    "benchdash": WIRING,
    "runs": DOOR,
    "runs.selectors": STORED,
    "runs.models": CORE,
    "runs.querysets": CORE,
    "runs.prepared": CORE,
    "runs.statements": CORE,
    "runs.migrations": CORE,
    "runs.ingest": CORE,
    "runs.remote": CORE,
    "runs.analysis": PURE,
    "runs.charts": PURE,
    "parsers": PURE,
}
OURS = {"benchdash", "runs", "parsers"}


def level(module: str) -> int:
    return LEVELS[max((name for name in LEVELS if f"{module}.".startswith(f"{name}.")), key=len)]


@cache
def arrows() -> list[tuple[str, str]]:
    """(module, imported name) of every import statement outside the tests."""
    files = [file for room in OURS for file in (ROOT / room).rglob("*.py") if "tests" not in file.parts]
    return [(name_of(file), imported) for file in files for imported in imports(file)]


def name_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(file: Path) -> Iterator[str]:
    package = name_of(file).split(".")
    if file.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def inside(name: str, room: str) -> bool:
    return f"{name}.".startswith(f"{room}.")


def test_the_imports_are_found():
    assert ("benchdash.urls", "django.urls.include") in arrows()
    assert ("runs.accounts.views", "runs.accounts.tokens.make_token") in arrows()
    assert len(arrows()) > 200


def test_no_import_points_up():
    assert [arrow for arrow in arrows() if arrow[1].split(".")[0] in OURS and level(arrow[0]) < level(arrow[1])] == []


def test_the_parsers_need_the_standard_library_only():
    allowed = {*sys.stdlib_module_names, "parsers"}
    assert [arrow for arrow in arrows() if inside(arrow[0], "parsers") and arrow[1].split(".")[0] not in allowed] == []


def test_the_pure_rooms_know_no_web_framework():
    web = {"django", "rest_framework", "celery", "kombu"}
    assert [arrow for arrow in arrows() if level(arrow[0]) == PURE and arrow[1].split(".")[0] in web] == []


def test_only_ingest_imports_the_parsers():
    users = {module for module, name in arrows() if inside(name, "parsers") and not inside(module, "parsers")}
    assert [module for module in users if not inside(module, "runs.ingest")] == []


def test_analysis_and_charts_do_not_know_each_other():
    rooms = ("runs.analysis", "runs.charts")
    for room, other in (rooms, rooms[::-1]):
        assert [arrow for arrow in arrows() if inside(arrow[0], room) and inside(arrow[1], other)] == []


def test_a_format_imports_no_other_format():
    room = "parsers.formats"
    assert [arrow for arrow in arrows() if inside(arrow[0], room) and inside(arrow[1], room)] == []
