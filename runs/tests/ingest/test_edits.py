"""Edits change a copy of the draft, and what does not fit is named."""

from __future__ import annotations

import pytest

from runs.drafts.draft import Draft, DraftCapture, DraftConfig, DraftExperiment, DraftHost, DraftRun, DraftText
from runs.ingest import Rejected
from runs.ingest.edits import apply_edits


def draft() -> Draft:
    first = DraftExperiment(
        "e1",
        "first",
        "h1",
        [DraftConfig("c1", "event"), DraftConfig("c2", "worker")],
        [
            DraftRun("b1", "c1", "1st", "", 1, (10, 20)),
            DraftRun("b2", "c1", "2nd", "", 2, (30, 40)),
            DraftRun("b4", "c2", "", "", 1, (60, 70)),
        ],
        [DraftCapture("b0", ["b0", "b3"], "h1", "c1", "b1", "before", "", (1, 9))],
        [DraftText("b5", "", "/etc/nginx.conf", "x", (80, 81))],
    )
    second = DraftExperiment("e2", "second", "h1", [DraftConfig("c3", "event")])
    second.runs = [DraftRun("b6", "c3", "", "", 1, (90, 99))]
    return Draft([DraftHost("h1", "web1")], [first, second])


def edited(**edits) -> Draft:
    return apply_edits(draft(), edits)


def configs_of(made: Draft) -> dict[str, list[str]]:
    """Names of configs -> keys of their runs."""
    return {
        f"{experiment.key} {config.name}": [run.key for run in experiment.runs if run.config == config.key]
        for experiment in made.experiments
        for config in experiment.configs
    }


def refusal(**edits) -> str:
    with pytest.raises(Rejected) as caught:
        edited(**edits)
    assert caught.value.status == 400
    return str(caught.value)


def test_without_edits_it_is_the_same_draft():
    assert edited() == draft()


def test_the_draft_given_is_left_alone():
    given = draft()
    apply_edits(given, {"blocks": {"b1": {"leave_out": True}}})
    assert given == draft()


def test_names_are_changed():
    made = edited(
        experiments={"e1": {"name": "MPMs"}}, hosts={"h1": {"name": "box"}}, configs={"c2": {"name": "Worker 2.4"}}
    )
    assert (made.experiments[0].name, made.hosts[0].name) == ("MPMs", "box")
    assert "e1 Worker 2.4" in configs_of(made)


def test_a_moved_run_takes_its_monitors_along_and_repeats_are_numbered_by_the_text():
    made = edited(blocks={"b1": {"config": "c2"}})
    assert configs_of(made)["e1 worker"] == ["b1", "b4"]
    assert {run.key: run.repeat for run in made.experiments[0].runs} == {"b1": 1, "b2": 1, "b4": 2}
    capture = made.experiments[0].captures[0]
    assert (capture.config, capture.run) == ("c2", "b1")


def test_a_run_moves_to_another_experiment():
    made = edited(blocks={"b1": {"config": "c3"}})
    assert configs_of(made)["e2 event"] == ["b6", "b1"]
    assert made.experiments[1].captures[0].run == "b1"


def test_a_new_config_is_made_once():
    made = edited(blocks={"b1": {"config": "new:prefork"}, "b4": {"config": "new:prefork"}})
    assert configs_of(made) == {"e1 event": ["b2"], "e1 prefork": ["b1", "b4"], "e2 event": ["b6"]}


def test_a_new_config_of_a_known_name_is_that_one():
    assert configs_of(edited(blocks={"b1": {"config": "new:worker"}}))["e1 worker"] == ["b1", "b4"]


def test_configs_given_one_name_become_one():
    assert configs_of(edited(configs={"c2": {"name": "event"}}))["e1 event"] == ["b1", "b2", "b4"]


def test_experiments_given_one_name_become_one():
    made = edited(experiments={"e2": {"name": "first"}})
    assert configs_of(made) == {"e1 event": ["b1", "b2", "b6"], "e1 worker": ["b4"]}


def test_what_is_left_out_goes_and_so_does_its_empty_config():
    made = edited(blocks={"b4": {"leave_out": True}, "b1": {"leave_out": True}})
    assert configs_of(made) == {"e1 event": ["b2"], "e2 event": ["b6"]}
    assert made.experiments[0].captures[0].run == ""


def test_one_look_of_several_can_be_left_out():
    made = edited(blocks={"b3": {"leave_out": True}})
    assert made.experiments[0].captures[0].blocks == ["b0"]


def test_a_capture_is_put_beside_another_run():
    capture = edited(blocks={"b3": {"run": "b4", "phase": "after"}}).experiments[0].captures[0]
    assert (capture.run, capture.config, capture.phase) == ("b4", "c2", "after")


def test_a_capture_moved_to_a_config_leaves_its_run():
    capture = edited(blocks={"b0": {"config": "c2"}}).experiments[0].captures[0]
    assert (capture.run, capture.config) == ("", "c2")


def test_labels_repeats_and_counting_are_changed():
    run = edited(blocks={"b1": {"label": "warm-up", "repeat": 7, "counted": False}}).experiments[0].runs[0]
    assert (run.label, run.repeat, run.counted) == ("warm-up", 7, False)


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ({"block": {}}, "Unknown edits: 'block'"),
        ({"blocks": {"b1": {"phase": "later"}}}, "blocks.b1.phase must be before, during, after or empty, not 'later'"),
        ({"blocks": {"b1": {"colour": "red"}}}, "Unknown edit blocks.b1.colour"),
        ({"blocks": {"b1": {"repeat": 0}}}, "must be a whole number from 1"),
        ({"blocks": {"b1": {"repeat": True}}}, "must be a whole number from 1"),
        ({"blocks": {"b99": {"label": "x"}}}, "blocks.b99"),
        ({"blocks": {"b1": {"config": "c9"}}}, "no config 'c9'"),
        ({"blocks": {"b1": {"config": ""}}}, "a run needs a config"),
        ({"blocks": {"b0": {"run": "b5"}}}, "'b5' is no run"),
        ({"blocks": {"b5": {"repeat": 2}}}, "a config text has none"),
        ({"blocks": []}, "must be an object"),
        ({"configs": {"c9": {"name": "x"}}}, "configs.c9"),
        ({"hosts": {"h1": {"name": " "}}}, "must be a name"),
    ],
)
def test_what_does_not_fit_is_named(edits, words):
    assert words in refusal(**edits)


def test_for_a_text_read_anew_edits_of_what_is_gone_are_left_out():
    made = apply_edits(draft(), {"blocks": {"b99": {"label": "x"}, "b1": {"label": "y"}}}, strict=False)
    assert made.experiments[0].runs[0].label == "y"
