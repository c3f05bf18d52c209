"""Reports of several load generators that ran at the same time: added up, not averaged. All texts are made up."""

from __future__ import annotations

import pytest

from runs.tests.analysis.doubting import one, said

from .documents import expand, read

AT_GEN = "ab -n 500 -c 10 http://web1/page.html"
FIRST, SECOND = "@ab 100.5 host=web1", "@ab 200.5 host=web1"
LOCAL = "@ab 100.5 host=localhost", "@ab 200.5 host=localhost"


def rates(text: str) -> list[list[float | None]]:
    """The rates of each config's runs."""
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    return [
        [blocks[run.block].load_results[0].requests_per_second for run in experiment.runs if run.config == config.key]
        for config in experiment.configs
    ]


def behind(name: str, report: str) -> str:
    return "\n".join(f"{name}: {line}".rstrip() for line in expand(report).rstrip("\n").split("\n"))


def in_turn(*texts: str) -> str:
    return "\n".join(line for lines in zip(*(text.split("\n") for text in texts), strict=True) for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        f"$ ssh gen1 {AT_GEN} & ssh gen2 {AT_GEN} & wait\n{FIRST}\n{SECOND}\n",
        f"$ {AT_GEN} > a & {AT_GEN} > b & wait; cat a b\n{FIRST}\n{SECOND}\n",
        f"$ for h in gen1 gen2; do ssh $h {AT_GEN} & done; wait\n{FIRST}\n{SECOND}\n",
        f"$ pdsh -w gen1,gen2 {AT_GEN}\n{behind('gen1', FIRST)}\n{behind('gen2', SECOND)}\n",
        f"$ pdsh -w gen1,gen2 {AT_GEN}\n{in_turn(behind('gen1', FIRST), behind('gen2', SECOND))}\n",
        f"{in_turn(behind('gen1', FIRST), behind('gen2', SECOND))}\n",
        f"$ pdsh -w gen1,gen2 {AT_GEN}\ngen1: Requests per second:    100.50 [#/sec] (mean)\n"
        "gen2: Requests per second:    200.50 [#/sec] (mean)\n",
        f"$ ansible gens -m shell -a '{AT_GEN}'\ngen1 | CHANGED | rc=0 >>\n{FIRST}\ngen2 | CHANGED | rc=0 >>\n{SECOND}\n",
        f"$ clush -bw gen[1-2] {AT_GEN}\n----\ngen1\n----\n{FIRST}\n----\ngen2\n----\n{SECOND}\n",
        f"$ seq 2 | xargs -P 2 -I_ {AT_GEN}\n{FIRST}\n{SECOND}\n",
        f"From two generators at the same time:\n\n[gen1]$ {AT_GEN}\n{FIRST}\n[gen2]$ {AT_GEN}\n{SECOND}\n",
        f"Both load boxes started at the same moment.\n\ngen1$ {AT_GEN}\n{FIRST}\ngen2$ {AT_GEN}\n{SECOND}\n",
        f"Gleichzeitig von zwei Rechnern:\n\neva@lg1:~$ {AT_GEN}\n{FIRST}\neva@lg2:~$ {AT_GEN}\n{SECOND}\n",
        f"Two clients, in parallel:\n\n### client 1\n{FIRST}\n### client 2\n{SECOND}\n".replace("client ", "client"),
    ],
)
def test_what_ran_at_the_same_time_is_one_run_with_the_sum(text):
    assert rates(text) == [[301.0]]


@pytest.mark.parametrize(
    "text",
    [
        f"$ ssh gen1 {AT_GEN}\n{FIRST}\n$ ssh gen2 {AT_GEN}\n{SECOND}\n",
        f"eva@laptop:~$ {AT_GEN}\n{FIRST}\neva@bastion:~$ {AT_GEN}\n{SECOND}\n",
        f"$ pdsh -w web1,web2 ab -n 500 http://localhost/\n{behind('web1', LOCAL[0])}\n{behind('web2', LOCAL[1])}\n",
        f"In parallel on two machines:\n\nnginx\n{FIRST}\napache\n{SECOND} server=Apache/2.4\n",
        f"100 requests at once from several clients\n\nworker1\n{FIRST}\nworker2\n{SECOND}\n",
        f"{behind('bench-h1-1 |', FIRST).replace('|:', ' |')}\n{behind('bench-h2-1 |', SECOND).replace('|:', ' |')}\n",
        f"Both machines at the same time:\n\n### web1\n{FIRST}\n### web2\n@ab 200.5 host=web2\n",
        f"No two clients ran at the same time.\n\n### client1\n{FIRST}\n### client2\n{SECOND}\n",
        "All clients ran in parallel.\n\n| Server | req/s |\n|---|---|\n| nginx | 100.5 |\n| caddy | 200.5 |\n",
    ],
)
def test_other_reports_are_neither_added_up_nor_averaged(text):
    assert rates(text) == [[100.5], [200.5]]


def test_each_of_several_commands_is_a_repeat_of_the_sum():
    once = f"$ pdsh -w gen1,gen2 {AT_GEN}\n{behind('gen1', FIRST)}\n{behind('gen2', SECOND)}\n"
    assert rates(once + once.replace("100.5", "110.5")) == [[301.0, 311.0]]


@pytest.mark.django_db
def test_the_page_says_what_was_added_up():
    found = said(expand(f"$ ssh gen1 {AT_GEN} & ssh gen2 {AT_GEN} & wait\n{FIRST}\n{SECOND}\n"))
    assert "reports of 2 load generators (#1 100.5, #2 200.5 requests per second)" in one(found, "load.generators").text
