"""Where a load went, out of the address that a tool prints; an odd one tells nothing and breaks nothing."""

from __future__ import annotations

import pytest

from parsers.commands import host_port_path

from .reading import FIXTURES, blocks, text_of


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://web1:8080/a?b=1", ("web1", 8080, "/a?b=1")),
        ("https://web1", ("web1", 443, "/")),
        ("http://[::1]:81/x", ("::1", 81, "/x")),
        ("unix:/run/web.sock", (None, None, None)),
        ("http://[web1/", (None, None, None)),
        ("", (None, None, None)),
    ],
)
def test_an_address_tells_host_port_and_path(url, told):
    assert host_port_path(url) == told


def test_a_report_on_an_odd_address_is_a_load_all_the_same():
    text = text_of(FIXTURES / "wrk" / "wrk_01.txt").replace("http://localhost:8080", "http://[localhost:8080")
    (block,) = blocks(text)
    (load,) = block.records
    assert (load.hostname, load.requests_per_second) == (None, block.values["requests_per_second"])
