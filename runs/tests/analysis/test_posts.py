"""What is made of whole texts as people post them: configs, rates of their runs, outcome. Made; "@tool" is genuine output."""

from __future__ import annotations

import pytest

from runs.ingest.submission import Preview
from runs.selectors.judging import judge_draft
from runs.tests.ingest.documents import expand, read

PGBENCH = """\
transaction type: {what}
scaling factor: 100
query mode: simple
number of clients: 10
number of threads: 2
duration: 60 s
number of transactions actually processed: 64210
latency average = 9.345 ms
tps = {tps:.6f} (without initial connection time)
"""


def pgbench(what: str, tps: float) -> str:
    return PGBENCH.format(what=what, tps=tps)


def wrk(path: str, rate: float) -> str:
    return f"$ wrk -t2 -c10 -d5s http://localhost:8080{path}\n@wrk {rate:.2f} path={path}\n"


def outcome_of(text: str) -> tuple[dict[str, list[float | None]], str, str]:
    """({config's name: rates of its runs}, outcome of the headline, its winner or "")."""
    blocks, draft = read(expand(text))
    rates: dict[str, list[float | None]] = {}
    (experiment,) = draft.experiments
    for config in experiment.configs:
        own = [run for run in experiment.runs if run.config == config.key and run.counted]
        rates[config.name] = [blocks[run.block].load_results[0].requests_per_second for run in own]
    headline = judge_draft(Preview(None, blocks, draft, [], None), experiment)  # type: ignore[arg-type]
    assert headline
    return rates, str(headline.outcome), headline.winner.title if headline.winner else ""


# name: (text, configs with their rates, outcome, winner)
POSTS = {
    "one server, two pages": (
        "$ ab -n 500 -c 10 http://localhost/\n@ab 1000.5 path=/\n"
        "$ ab -n 500 -c 10 http://localhost/search\n@ab 14000.5 path=/search\n",
        {"nginx/1.22.1": [1000.5, 14000.5]},
        *("not_comparable", ""),
    ),
    "two servers, two pages each": (
        f"## nginx\n{wrk('/', 900)}{wrk('/big', 90)}\n## apache\n{wrk('/', 700)}{wrk('/big', 80)}",
        {"nginx": [900, 90], "apache": [700, 80]},
        *("unproven", "nginx · /"),
    ),
    "two servers, a second page of one": (
        f"## nginx\n{wrk('/', 700)}\n## apache\n{wrk('/', 900)}{wrk('/empty', 9000)}",
        {"nginx": [700], "apache": [900, 9000]},
        *("unproven", "apache · /"),
    ),
    "headings are requests": (
        f"### GET /\n{wrk('/', 9000)}\n### GET /users\n{wrk('/users', 800)}\n### `/users/1`\n{wrk('/users/1', 700)}",
        {"GET /": [9000], "GET /users": [800], "/users/1": [700]},
        *("not_comparable", ""),
    ),
    "kinds of transactions": (
        f"{pgbench('<builtin: TPC-B (sort of)>', 1070.1)}\n{pgbench('<builtin: select only>', 14403.1)}",
        {"pgbench": [1070.1, 14403.1]},
        *("not_comparable", ""),
    ),
    "scripts of transactions": (
        f"$ pgbench -n -f a.sql -c 10 -T 60 bench\n{pgbench('a.sql', 1070.1)}"
        f"$ pgbench -n -f b.sql -c 10 -T 60 bench\n{pgbench('b.sql', 2770.1)}",
        {"bench": [1070.1, 2770.1]},
        *("not_comparable", ""),
    ),
}


@pytest.mark.parametrize("name", POSTS)
def test_a_post_is_judged_as_a_careful_reader_would(name):
    text, *expected = POSTS[name]
    assert [*outcome_of(text)] == expected
