"""What is written about the project agrees with the project."""

from __future__ import annotations

import re

from benchdash.tests.services import ROOT


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    return dict(line.removesuffix(" \\").split("==") for line in lines if line and line[0] not in "#- ")


def test_every_package_has_the_hashes_of_its_files():
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (ROOT / name).read_text()
        assert (
            len(re.findall(r"^\S+==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)) == len(pins(name)) > 40
        )


def test_every_package_is_pinned_exactly():
    for name in ("requirements.txt", "requirements-dev.txt"):
        for package, version in pins(name).items():
            assert re.fullmatch(r"[A-Za-z0-9._-]+", package), package
            assert re.fullmatch(r"[0-9][0-9a-z.]*", version), f"{package}=={version}"


def test_every_package_is_in_the_list_of_dependencies_with_its_version():
    papers = (ROOT / "docs" / "dependencies.md").read_text().lower()
    listed = {}
    for names, version in re.findall(r"^\| ([^|]+) \| ([0-9][^ |]*) \|", papers, re.MULTILINE):
        listed.update(dict.fromkeys(names.split(", "), version))
    for name in ("requirements.txt", "requirements-dev.txt"):
        direct = (ROOT / name).read_text().lower().split("bring along")[0]
        wanted = dict(re.findall(r"^([\w-]+)==(\S+)", direct, re.MULTILINE))
        assert wanted.items() <= listed.items()


def test_every_setting_is_in_the_readme():
    code = (ROOT / "benchdash" / "settings.py").read_text() + (ROOT / "benchdash" / "env.py").read_text()
    readme = (ROOT / "README.md").read_text()
    for name in set(re.findall(r'(?:flag|whole_number|existing_file|environ\.get)\("([A-Z_]+)"', code)):
        assert f"`{name}`" in readme, name


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) < 150
