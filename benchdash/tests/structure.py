"""How large the code is and how it hangs together: `make structure` prints it, test_structure.py holds it.

Source files are all Python files but tests and migrations. Imports inside functions count like those at the top.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from benchdash.tests.services import ROOT

PACKAGES = ("benchdash", "runs", "parsers")
OTHERS = ("benchmarks", "docs")
NOT_SOURCE = {"tests", "migrations"}
LOAD_TOOLS = "ab siege wrk wrk2 hey h2load k6 vegeta oha autocannon httperf jmeter locust ApacheBench weighttp"
MONITORS = "vmstat pidstat iostat mpstat sar meminfo procps busybox"
NAMES = "|".join(f"{LOAD_TOOLS} {MONITORS}".split())
TOOL = re.compile(rf"(?<![\w./-])(?:{NAMES})(?:\.c)?(?![\w-])", re.IGNORECASE)
MAY_NAME_TOOLS = (
    "parsers/",
    "runs/remote/tools.py",
    "benchmarks/",
    "docs/",
    "conftest.py",
)


@cache
def source_files() -> tuple[Path, ...]:
    files = [ROOT / "conftest.py", ROOT / "manage.py"]
    for package in (*PACKAGES, *OTHERS):
        files += (ROOT / package).rglob("*.py")
    return tuple(sorted(file for file in files if not NOT_SOURCE & set(file.relative_to(ROOT).parts)))


def module_name(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """The modules of the three packages by name."""
    return {module_name(file): file for file in source_files() if file.relative_to(ROOT).parts[0] in PACKAGES}


@cache
def imported_names(file: Path) -> tuple[str, ...]:
    """Each imported name, absolute: "runs.models.Run" for `from runs.models import Run`."""
    found: list[str] = []
    package = module_name(file).split(".")
    if file.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found += [f"{base}.{alias.name}" for alias in node.names]
    return tuple(found)


@cache
def imports() -> dict[str, set[str]]:
    """Module -> the modules of ours that it imports. A package re-exports: who imports from it, imports it."""
    found: dict[str, set[str]] = {}
    for name, file in modules().items():
        targets = {_module_of(imported) for imported in imported_names(file)}
        found[name] = {target for target in targets if target and target != name}
    return found


def _module_of(imported: str) -> str:
    while imported and imported not in modules():
        imported = imported.rpartition(".")[0]
    return imported


def cycles() -> list[list[str]]:
    """Groups of modules that import each other, directly or through others (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in imports()[name]:
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in imports():
        if name not in index:
            visit(name)
    return found


def longest_chain() -> list[str]:
    """The longest chain of modules in which each imports the next; of a cycle each module counts once."""

    inside = {(a, b) for group in cycles() for a in group for b in group}

    @cache
    def chain(name: str) -> tuple[str, ...]:
        longest: tuple[str, ...] = ()
        for target in imports()[name]:
            if (name, target) not in inside and len(chain(target)) > len(longest):
                longest = chain(target)
        return (name, *longest)

    chains = {len(chain(name)): chain(name) for name in imports()}
    return list(chains[max(chains)])


def single_importers() -> dict[str, str]:
    """Module -> its only importer. Not counted: modules that Django, Celery or a catalogue find by their names."""
    users = defaultdict(set)
    for name, targets in imports().items():
        for target in targets:
            users[target].add(name)
    return {target: next(iter(names)) for target, names in sorted(users.items()) if len(names) == 1}


def lines_naming_a_tool() -> list[str]:
    """file:line of each string outside the parsers and remote/tools.py that names a tool; docstrings do not count."""
    found = []
    for file in source_files():
        path, text = file.relative_to(ROOT).as_posix(), file.read_text()
        if not path.startswith(MAY_NAME_TOOLS) and TOOL.search(text):
            found += [f"{path}:{line}" for line in sorted(set(_naming(ast.parse(text))))]
    return found


def _naming(tree: ast.Module) -> Iterator[int]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from [node.lineno] if TOOL.search(node.value) else []


def executed() -> dict[str, tuple[int, int, int]]:
    """Files, functions, and functions with comprehensions that an upload and an experiment page execute."""
    done = subprocess.run(
        [sys.executable, "-m", "benchdash.tests.executed"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return {name: tuple(counts) for name, counts in json.loads(done.stdout).items()}


def rows() -> Iterable[tuple[str, str, str]]:
    """(what, measured, goal)."""
    ran = executed()
    upload, page = ran["upload"], ran["page"]
    lines = sum(len(file.read_text().splitlines()) for file in source_files())
    yield "source files, without tests and migrations", f"{len(source_files())}", "230"
    yield "source lines", f"{lines:,}", "36,000"
    yield "files executed by posting one ab report / by an experiment page", f"{upload[0]} / {page[0]}", "32 / 42"
    yield "functions executed, the same; comprehensions count, too", f"{upload[2]} / {page[2]}", "230 / 320"
    yield "of these def and lambda", f"{upload[1]} / {page[1]}", ""
    yield "longest import chain, cycles", f"{len(longest_chain())}, {len(cycles())}", "15, 0"
    yield "modules with exactly one importer", f"{len(single_importers())}", "45"
    yield "lines that name a tool outside parsers/, remote/tools.py and tests", f"{len(lines_naming_a_tool())}", "0"


def main(*options: str) -> None:
    print("| | measured | goal |\n|---|---|---|")
    for row in rows():
        print("| " + " | ".join(row) + " |")
    if "--all" in options:
        print("\nlongest chain: " + " > ".join(longest_chain()))
        print("\ncycles: " + ("; ".join(", ".join(group) for group in cycles()) or "none"))
        print("\none importer:\n" + "\n".join(f"  {name} < {user}" for name, user in single_importers().items()))
        print("\ntools named:\n" + "\n".join(f"  {place}" for place in lines_naming_a_tool()))


if __name__ == "__main__":
    main(*sys.argv[1:])
