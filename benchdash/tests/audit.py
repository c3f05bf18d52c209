"""`python -m benchdash.tests.audit`: whether a pinned package has a known vulnerability.

Exit status 1 where one has. Where the list of vulnerabilities cannot be reached, one line says that this was left out.
"""

from __future__ import annotations

import json
import subprocess
import sys

from benchdash.tests.services import ROOT

LIMIT_S = 60


def audit() -> str | None:
    """What was found, a line each; "" for nothing, None where the list cannot be reached."""
    command = (
        "pip_audit",
        "--requirement",
        "requirements.txt",
        "--disable-pip",
        "--progress-spinner",
        "off",
        "--format",
        "json",
    )
    try:
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    packages = json.loads(done.stdout)["dependencies"] if done.stdout.startswith("{") else []
    looked_up = [package for package in packages if "vulns" in package]
    if not looked_up:
        return None
    return "\n".join(
        f"{package['name']} {package['version']}: {found['id']}, mended in {', '.join(found['fix_versions']) or 'no release yet'}"
        for package in looked_up
        for found in package["vulns"]
    )


if __name__ == "__main__":
    report = audit()
    if report is None:
        print("left out: pip-audit, the list of known vulnerabilities cannot be reached")
    elif report:
        sys.exit(report)
