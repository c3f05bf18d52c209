"""Other groupings of a draft that are suggested, and what they make of it."""

from __future__ import annotations

import pytest

from runs.analysis.method import Method
from runs.drafts.draft import Draft, DraftCapture, DraftConfig, DraftExperiment, DraftRun
from runs.ingest.edits import Edits, apply_edits
from runs.ingest.grouping import merge_configs, move_items, shorten_names, split_config, suggest_groupings


def draft(*runs: tuple[str, str], users: tuple[int, ...] = (), warm_ups: tuple[int, ...] = ()) -> Draft:
    """Of (config's name, heading) of each run; users: concurrency of each."""
    names = list(dict.fromkeys(name for name, _ in runs))
    experiment = DraftExperiment("e1", "an experiment", configs=[DraftConfig(f"c{names.index(n)}", n) for n in names])
    for at, (name, label) in enumerate(runs):
        run = DraftRun(f"b{at}", f"c{names.index(name)}", label, "", at + 1, (at * 10, at * 10 + 5))
        run.method = Method(concurrency=users[at]) if users else Method()
        run.counted = at not in warm_ups
        experiment.runs.append(run)
    return Draft(experiments=[experiment])


def groups(shown: Draft, edits: Edits) -> dict[str, str]:
    """{config's name: numbers of its runs}."""
    (experiment,) = apply_edits(shown, edits).experiments
    return {
        config.name: "".join(run.key[1:] for run in experiment.runs if run.config == config.key)
        for config in experiment.configs
    }


SIX = [("nginx", "nginx")] * 6


def suggested(shown: Draft) -> dict[str, dict[str, str]]:
    return {
        f"{each.n_configs} × {each.n_runs} {each.how}": groups(shown, each.edits) for each in suggest_groupings(shown)
    }


def test_runs_without_headings_are_grouped_by_their_place():
    assert suggested(draft(*SIX)) == {
        "2 × 3 one after the other": {"nginx A": "012", "nginx B": "345"},
        "2 × 3 in turn": {"nginx A": "024", "nginx B": "135"},
        "3 × 2 one after the other": {"nginx A": "01", "nginx B": "23", "nginx C": "45"},
        "3 × 2 in turn": {"nginx A": "03", "nginx B": "14", "nginx C": "25"},
    }


def test_a_warm_up_goes_with_the_run_that_follows_it():
    shown = draft(*SIX, warm_ups=(0, 3))
    assert suggested(shown)["2 × 2 one after the other"] == {"nginx A": "012", "nginx B": "345"}


def test_configs_that_a_number_tells_apart_may_be_repeats_and_repeats_with_headings_configs():
    shown = draft(("nginx 1", "nginx 1"), ("nginx 2", "nginx 2"), ("Apache", "Apache"))
    assert suggested(shown) == {"2 × 2 by name": {"Apache": "2", "nginx": "01"}}
    shown = draft(("nginx", "one"), ("nginx", "two"), ("nginx", "three"))
    assert suggested(shown) == {"3 × 1 by heading": {"one": "0", "two": "1", "three": "2"}}


@pytest.mark.parametrize("repeat", ["{}, run 2", "{} again", "{} (2)", "{} second run"])
def test_headings_that_say_repeat_are_no_names_of_configs(repeat):
    runs = [(name, heading.format(name)) for name in ("old", "new") for heading in ("{}", repeat)]
    assert suggested(draft(*runs)) == {}
    assert "4 × 1 by heading" not in suggested(draft(*[("nginx", f"Run {n}") for n in range(1, 5)]))


NUMBERED = [(f"variant {n}", "x") for n in (98, 99)] + [(f"variant {n}.0", "x") for n in (100, 101)]


@pytest.mark.parametrize("runs", [[("a", "a"), ("b", "b")], NUMBERED, SIX[:3], SIX[:1], []])
def test_where_no_other_grouping_is_likely_none_is_suggested(runs):
    assert suggested(draft(*runs)) == {}


def test_a_config_is_split_by_what_its_loads_differ_in():
    shown = draft(*SIX, users=(1, 1, 50, 50, 1, 50))
    assert groups(shown, split_config(shown, "c0")) == {"nginx · -c 1": "014", "nginx · -c 50": "235"}
    assert split_config(draft(*SIX), "c0") == {}


def test_merged_configs_bring_their_own_captures_along_and_split_ones_leave_theirs_to_the_experiment():
    shown = draft(("a", ""), ("b", ""), ("b", ""), users=(1, 1, 2))
    shown.experiments[0].captures = [DraftCapture("b9", ["b9"], "", "c1", "", "", "", (1, 2))]
    merged = apply_edits(shown, merge_configs(shown, {"b0", "b1"})).experiments[0]
    assert (len(merged.configs), merged.captures[0].config) == (1, "c0")
    assert [run.repeat for run in merged.runs] == [1, 2, 1]
    split = apply_edits(shown, split_config(shown, "c1")).experiments[0]
    assert (len(split.configs), split.captures[0].config) == (3, "")


def test_a_new_config_takes_a_name_that_none_has():
    shown = draft(("nginx", "nginx"), ("nginx", "nginx"), ("Apache", ""))
    assert groups(shown, move_items(shown, {"b1"}, "new")) == {"nginx": "0", "Apache": "2", "nginx 2": "1"}
    assert groups(shown, move_items(shown, {"b2"}, "new")) == {"nginx": "01", "New config": "2"}


def test_long_names_lose_what_they_share():
    shown = draft(("Django, script loaded on demand", ""), ("Django, script preloaded into one group", ""))
    assert list(groups(shown, shorten_names(shown))) == ["loaded on demand", "preloaded into one group"]
    assert shorten_names(draft(("Django, on demand", ""), ("Django, preloaded", ""))) == {}
