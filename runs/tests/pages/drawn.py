"""The figures of a page, fetched from where it says they are."""

from __future__ import annotations

import html
import re
from typing import Any


def sources(page: str) -> dict[str, str]:
    """Chart -> the address of its figure."""
    found = re.findall(r'<figure class="chart" id="chart-(\w+)">.*?data-src="([^"]+)"', page, re.DOTALL)
    return {name: html.unescape(address) for name, address in found}


def figures(browser: Any, page: str) -> dict[str, Any]:
    """Chart -> its figure."""
    return {name: browser.get(address).json() for name, address in sources(page).items()}
