"""Which samples of a monitor that ran beside several load tests are whose. Made texts, several minutes each."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from runs.drafts.relate import relate
from runs.ingest.reading import fold_samples

from .documents import read
from .monitored import LOADS, Load, monitored

TOOLS = ("vmstat", "sar", "pidstat", "top")
BY_CLOCK = [("log on", 12), ("log off", 12), ("log buffered", 8)]
BY_STRETCH = [(name, n - 2) for name, n in BY_CLOCK]  # without the samples in which a load began or ended


def seen(text: str) -> list[tuple[str, int]]:
    """(config, number of samples) of each part of the monitor; [] where it is whole."""
    _, draft = read(text)
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    runs = {run.key: run.config for run in experiment.runs}
    parts = [capture for capture in experiment.captures if capture.span]
    assert all(part.phase == "during" and runs[part.run] == part.config for part in parts)
    assert not parts or [(c.run, c.config, c.phase) for c in experiment.captures if not c.span] == [("", "", "during")]
    return [(names[part.config], part.n_samples) for part in parts]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("dates", "expected"), [(True, BY_CLOCK), (False, BY_STRETCH)])
def test_each_load_test_gets_the_samples_that_saw_it(tool, dates, expected):
    assert seen(monitored(tool, dates=dates)) == expected


@pytest.mark.parametrize("tool", TOOLS)
def test_load_tests_over_midnight_get_theirs_too(tool):
    assert seen(monitored(tool, start=datetime(2024, 2, 10, 23, 58, 30))) == BY_CLOCK


@pytest.mark.parametrize("tool", TOOLS)
def test_of_a_monitor_that_ended_early_the_load_tests_before_get_theirs(tool):
    assert seen(monitored(tool, seconds=145)) == [("log on", 12), ("log off", 6)]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_config_that_left_the_machine_idle_has_its_samples_by_clock_only(tool):
    loads = (*LOADS[:2], replace(LOADS[2], cpu=1))
    assert seen(monitored(tool, loads)) == BY_CLOCK
    assert seen(monitored(tool, loads, dates=False)) == []


@pytest.mark.parametrize(
    "loads",
    [
        (*LOADS[:2], replace(LOADS[2], idle_s=0)),  # no idle sample before the third
        (LOADS[0], replace(LOADS[1], cpu=8), LOADS[2]),  # hardly above idle
    ],
)
def test_stretches_that_are_not_clear_are_nobodys(loads):
    assert seen(monitored("vmstat", loads, dates=False, seconds=300)) == []


def test_stretches_of_other_lengths_than_the_load_tests_are_nobodys():
    text = monitored("vmstat", dates=False).replace("40.000 seconds", "70.000 seconds")
    assert seen(text) == []


def test_a_monitor_without_clocks_has_the_interval_of_its_command():
    def drop_clocks(text: str) -> str:
        return re.sub(r" 2024-02-\d\d \d\d:\d\d:\d\d$", "", text, flags=re.MULTILINE)

    assert seen(monitored("vmstat", dates=False, change=drop_clocks)) == BY_STRETCH
    no_interval = monitored("vmstat", dates=False, change=lambda text: drop_clocks(text).replace("-t 5", "-t"))
    assert seen(no_interval) == []


def test_clocks_that_do_not_agree_make_no_guess():
    late = LOADS[0].idle_s + LOADS[0].seconds  # the monitor's machine is so far behind

    def move(text: str) -> str:
        return re.sub(
            r"21:\d\d:\d\d",
            lambda at: f"{datetime.strptime(at[0], '%H:%M:%S') - timedelta(seconds=late):%H:%M:%S}",
            text,
        )

    assert seen(monitored("sar", change=move)) == []


def test_only_the_time_is_a_load_tests_that_both_dates_around_it_allow():
    text = monitored("sar", tuple(replace(load, seconds=load.seconds + 20) for load in LOADS), seconds=330)
    text = re.sub(r"([68])0\.000 seconds", lambda took: f"{int(took[1]) - 2}0.000 seconds", text)
    # 60 s within 80 s between the dates: 40 s are sure.
    assert seen(text) == [("log on", 8), ("log off", 8), ("log buffered", 4)]


def test_load_tests_that_ran_at_the_same_time_share_nothing():
    text = monitored("sar", (LOADS[0], replace(LOADS[1], idle_s=-40)), seconds=160)
    assert seen(text) == []


def test_one_load_test_keeps_the_monitor_beside_it():
    assert seen(monitored("sar", LOADS[:1], seconds=120)) == []


def test_parts_have_the_lines_of_their_samples():
    for tool in TOOLS:
        text = monitored(tool)
        lines = text.split("\n")
        _, draft = read(text)
        parts = [capture for capture in draft.experiments[0].captures if capture.span]
        first, last = parts[0].lines
        assert "21:00:25" in "\n".join(lines[first - 1 : first + 1])
        assert "21:01:20" in "\n".join(lines[first - 1 : last])
        assert "21:01:25" not in "\n".join(lines[first - 1 : last])


@pytest.mark.parametrize("tool", TOOLS)
def test_samples_that_were_folded_are_the_same(tool):
    text = monitored(tool)
    blocks, plain = read(text)
    folded = relate(list(fold_samples(blocks)), len(text.split("\n")))
    parts = [[c.lines for c in each.experiments[0].captures if c.span] for each in (plain, folded)]
    assert parts[0] == parts[1] != []


def test_a_load_test_of_four_has_its_warm_up():
    loads = (Load("Warm-up", 700.5, 20, 30, 50), *LOADS)
    _, draft = read(monitored("sar", loads, seconds=320))
    (experiment,) = draft.experiments
    counted = {run.key: run.counted for run in experiment.runs}
    assert [counted[part.run] for part in experiment.captures if part.span] == [False, True, True, True]
