"""Imports point down only: wiring, entry points, core, pure. Read off the files, so that a rarely run one counts too."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from benchdash.tests import structure
from benchdash.tests.structure import imported_names, modules

PURE, CORE, READING, ENTRY, WIRING = range(5)
# The longest name that fits counts.
LEVELS = {
    "benchdash": WIRING,
    "runs": ENTRY,
    "runs.selectors": READING,
    "runs.remote": CORE,
    **{f"runs.remote.{name}": ENTRY for name in ("api", "forms", "urls", "views")},
    "runs.models": CORE,
    "runs.database": CORE,
    "runs.migrations": CORE,
    "runs.ingest": CORE,
    "runs.drafts": PURE,
    "runs.series": PURE,
    "runs.analysis": PURE,
    "runs.charts": PURE,
    "runs.numbers": PURE,
    "parsers": PURE,
}
OURS = {"benchdash", "runs", "parsers"}
# What may not rise. Where one does, the failure names what was added.
LONGEST_CHAIN = 15
MOST_CYCLES = 0
MOST_SINGLE_IMPORTERS = 45


def level(module: str) -> int:
    return LEVELS[max((name for name in LEVELS if inside(module, name)), key=len)]


def inside(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")


@cache
def all_imports() -> list[tuple[str, str]]:
    """(module, imported name) of every import statement."""
    return [(name, imported) for name, file in modules().items() for imported in imported_names(file)]


def test_the_imports_are_found():
    assert ("benchdash.urls", "django.urls.include") in all_imports()
    assert "parsers.records" in structure.imports()["parsers"]
    assert len(all_imports()) > 200


def test_no_import_points_up():
    ours = [(module, name) for module, name in all_imports() if name.split(".")[0] in OURS]
    assert [(module, name) for module, name in ours if level(module) < level(name)] == []


def test_only_entry_points_import_remote_runs():
    users = {
        module for module, name in all_imports() if inside(name, "runs.remote") and not inside(module, "runs.remote")
    }
    assert {module for module in users if level(module) < ENTRY} == set()


def test_the_parsers_need_the_standard_library_only():
    allowed = {*sys.stdlib_module_names, "parsers"}
    own = [(module, name) for module, name in all_imports() if inside(module, "parsers")]
    assert [(module, name) for module, name in own if name.split(".")[0] not in allowed] == []


def test_the_pure_packages_know_no_web_framework():
    web = {"django", "rest_framework", "celery", "kombu"}
    pure = [(module, name) for module, name in all_imports() if level(module) == PURE]
    assert [(module, name) for module, name in pure if name.split(".")[0] in web] == []


def test_only_ingest_and_what_it_is_made_of_import_the_parsers():
    others = [pair for pair in all_imports() if inside(pair[1], "parsers") and not inside(pair[0], "parsers")]
    allowed = ("runs.ingest", "runs.drafts", "runs.series")
    outside = [pair for pair in others if not any(inside(pair[0], package) for package in allowed)]
    assert {name for module, name in outside if not inside(module, "runs.analysis")} == set()
    assert {name for _, name in outside} == {"parsers.records.Semantics"}


@pytest.mark.parametrize(("package", "other"), [("analysis", "charts"), ("charts", "analysis")])
def test_analysis_and_charts_do_not_know_each_other(package, other):
    own = [(module, name) for module, name in all_imports() if inside(module, f"runs.{package}")]
    assert [(module, name) for module, name in own if inside(name, f"runs.{other}")] == []


def test_a_format_imports_no_other_format():
    formats = [(module, name) for module, name in all_imports() if inside(module, "parsers.formats")]
    assert [(module, name) for module, name in formats if inside(name, "parsers.formats")] == []


def test_import_chains_stay_short_and_without_cycles():
    cycles, chain, single = structure.cycles(), structure.longest_chain(), structure.single_importers()
    print(f"longest chain {len(chain)}, {len(cycles)} cycles, {len(single)} modules with one importer")
    assert len(cycles) <= MOST_CYCLES, cycles
    assert len(chain) <= LONGEST_CHAIN, " > ".join(chain)
    assert len(single) <= MOST_SINGLE_IMPORTERS, single


def test_every_module_of_views_serves_an_address():
    views = {name for name in modules() if inside(name, "runs.views") and name != "runs.views"}
    assert views - structure.imports()["runs.urls"] == set()


def test_only_parsers_and_remote_tools_name_a_tool():
    assert structure.lines_naming_a_tool() == []
