"""Whatever is pasted one after the other: nothing is lost, nothing stands twice, and every key leads somewhere."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers import Block, ConfigText, LoadResult, ProcessSample, SystemSample
from runs.drafts.draft import Draft

from . import documents

HEADINGS = (
    *("nginx", "Apache 2.4:", "# Keep-alive off", "## event", "## worker", "1. cold", "1.1 warm", "run 1", "run 2", "Results"),
    *("Before the load:", "After the load:", "2009-03-13 by eva", "A | B | C", "終了後のメモリ", "2回目", "Subject: a test", ""),
    *("We now look at it, at some length, so that nobody could take this line for a heading of anything.", "$ ab -n 9 http://a/"),
    *("root@web1:~# top -b", "eva@client:~$ ab -n 500 -c 10 http://web1/", "root@web1:~# cat /etc/nginx/nginx.conf", "...", "==="),
)  # fmt: skip
PRINTED = tuple(
    documents.expand(f"@{call}")
    for call in (
        *("ab 1.5", "ab 2.5 server=Apache/2.4.57 port=81", "ab 2.5 c=50", "ab 3.5 host=web1", "line 1.5", "line 2.5"),
        *(
            "siege 7.25",
            "siege 8.5",
            "top 0.05",
            "top 3.05 13:40:00",
            "top 2.20 14:00:00 mib=7950.1",
            "ps nginx 3",
            "ps ab 70",
        ),
        *("meminfo 2041212", "meminfo 512004", "egrep 4000 300", "egrep 4100 310", "cpuinfo Xeon"),
    )
)
LABELLED = ("nginx: " + documents.line("1.5"), "2nd run: " + documents.line("9.75"), "worker_processes 4;\nevents {\n}")
TEXTS = st.lists(st.sampled_from(HEADINGS + PRINTED + LABELLED), max_size=14).map("\n".join)


def of_kind(blocks: list[Block], *kinds: type) -> list[int]:
    return [i for i, block in enumerate(blocks) if any(isinstance(record, kinds) for record in block.records)]


def spans(blocks: list[Block], numbers: list[int]) -> list[tuple[int, int]]:
    return sorted(blocks[i].lines for i in numbers)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_every_load_test_is_a_run_or_a_quote(text):
    blocks, draft = documents.read(text)
    runs = [run for experiment in draft.experiments for run in experiment.runs]
    placed = [run.lines for run in runs] + [span for run in runs for span in run.quotes]
    assert sorted(placed) == spans(blocks, of_kind(blocks, LoadResult))


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_every_monitor_is_in_a_capture_or_a_quote_and_every_text_is_kept(text):
    blocks, draft = documents.read(text)
    captures = [capture for experiment in draft.experiments for capture in experiment.captures]
    looks = [blocks[int(key[1:])].lines for capture in captures for key in capture.blocks]
    quotes = [span for capture in captures for span in capture.quotes]
    texts = [t.lines for experiment in draft.experiments for t in experiment.texts]
    assert sorted(looks + quotes) == spans(blocks, of_kind(blocks, SystemSample, ProcessSample))
    assert sorted(texts) == spans(blocks, of_kind(blocks, ConfigText))


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_every_key_is_one_thing_and_every_reference_leads_to_one(text):
    _, draft = documents.read(text)
    keys = all_keys(draft)
    assert len(keys) == len(set(keys))
    hosts = {host.key for host in draft.hosts} | {""}
    for experiment in draft.experiments:
        configs = {config.key for config in experiment.configs}
        runs = {run.key: run for run in experiment.runs}
        assert experiment.host in hosts
        assert all(run.config in configs for run in experiment.runs)
        for capture in experiment.captures:
            assert capture.host in hosts
            assert capture.config in configs | {""}
            assert not capture.run or runs[capture.run].config == capture.config
        assert all(text.config in configs | {""} for text in experiment.texts)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_names_are_there_differ_and_are_short(text):
    _, draft = documents.read(text)
    for experiment in draft.experiments:
        names = [config.name for config in experiment.configs]
        assert experiment.name
        assert len(names) == len(set(names))
        assert all(0 < len(name) <= 200 for name in names)
        numbered = [(run.config, run.repeat) for run in experiment.runs]
        assert all((config, n - 1) in numbered for config, n in numbered if n > 1)


def all_keys(draft: Draft) -> list[str]:
    keys = [host.key for host in draft.hosts] + [experiment.key for experiment in draft.experiments]
    for experiment in draft.experiments:
        for things in (experiment.configs, experiment.runs, experiment.captures, experiment.texts):
            keys += [thing.key for thing in things]
    return keys
