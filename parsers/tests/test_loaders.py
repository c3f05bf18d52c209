"""A program is known to make load by the formats that are there, so that a new one needs no list."""

from __future__ import annotations

import pytest

from parsers.loaders import makes_load


@pytest.mark.parametrize(
    "program", ["ab", "siege", "wrk", "wrk2", "hey", "h2load", "k6", "vegeta", "oha", "autocannon"]
)
def test_a_tool_whose_reports_are_read_makes_load(program):
    assert makes_load(program)


@pytest.mark.parametrize("program", ["nginx", "httpd", "top", "ps", "mysqld", "grab", "java", "php-fpm", ""])
def test_servers_and_monitors_make_none(program):
    assert not makes_load(program)
