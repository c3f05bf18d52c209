"""Load tests that a text says not to count: they are kept, and are in no mean. All texts are made up."""

from __future__ import annotations

import pytest

from .documents import expand, read

WRK = "$ wrk -t2 -c10 -d5s http://localhost:8080/\n"


def wrk(*rates: float) -> str:
    return "".join(f"{WRK}\n@wrk {rate:.2f}\n\n" for rate in rates)


def counted(text: str) -> dict[str, list[float | None]]:
    """{config's name: rates of the runs that count}."""
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    return {
        config.name: [
            blocks[run.block].load_results[0].requests_per_second
            for run in experiment.runs
            if run.config == config.key and run.counted
        ]
        for config in experiment.configs
    }


@pytest.mark.parametrize(
    "said",
    [
        "I ran wrk three times against each. The first run of each is only there to warm the caches, so ignore it.",
        "Please ignore the first run of each server.",
        "The first run of each was a warm-up.",
        "Der jeweils erste Lauf dient nur zum Aufwärmen und zählt nicht.",
        "各サーバーの1回目はウォームアップです。",
    ],
)
def test_the_first_run_of_each_is_left_out_where_a_sentence_says_so(said):
    text = f"{said}\n\n## tomcat\n\n{wrk(500, 900, 910)}## jetty\n\n{wrk(400, 800, 810)}"
    assert counted(text) == {"tomcat": [900, 910], "jetty": [800, 810]}


@pytest.mark.parametrize(
    "said",
    [
        "One warm-up run with 5000 requests first, not shown.",
        "One warm-up run first that I didn't paste.",
        "One warm-up run first (Not shown).",
    ],
)
def test_a_warm_up_run_that_a_text_does_not_show_is_not_the_one_below(said):
    assert counted(f"## tomcat\n\n{said}\n\n{wrk(500, 510)}## jetty\n\n{said}\n\n{wrk(400, 410)}") == {
        "tomcat": [500, 510],
        "jetty": [400, 410],
    }


@pytest.mark.parametrize(
    "said",
    [
        "The first run of each was discarded already.",
        "The first run is cold, the later ones have warm caches.",
        "I ran wrk three times against each.",
    ],
)
def test_it_counts_where_nobody_says_that_it_stands_here_and_only_warms_up(said):
    text = f"{said}\n\n## tomcat\n\n{wrk(500, 900)}## jetty\n\n{wrk(400, 800)}"
    assert counted(text) == {"tomcat": [500, 900], "jetty": [400, 800]}


@pytest.mark.parametrize(
    "said",
    [
        "Sorry, ignore the v2 run above, webpack was still building. Here is v2 again:",
        "Scrap that last result, a backup was running. v2 again:",
        "Bitte die obigen Zahlen ignorieren, da lief noch das Backup. Noch einmal v2:",
        "Correction: I had accidentally started the debug build. v2 with the right one:",
    ],
)
def test_a_run_that_was_taken_back_does_not_count(said):
    assert counted(f"v1:\n\n{wrk(900)}v2:\n\n{wrk(400)}{said}\n\n{wrk(990)}") == {"v1": [900], "v2": [990]}


def test_all_that_was_measured_again_is_taken_back():
    text = f"v1:\n\n{wrk(300)}v2:\n\n{wrk(400)}Please disregard the previous numbers. Again:\n\nv1:\n\n{wrk(900)}v2:\n\n{wrk(990)}"
    assert counted(text) == {"v1": [900], "v2": [990]}


def test_the_last_run_is_taken_back_by_a_line_below_it():
    text = f"v1:\n\n{wrk(900)}v2:\n\n{wrk(990, 400)}Ignore the last run, the disk was full.\n"
    assert counted(text) == {"v1": [900], "v2": [990]}


@pytest.mark.parametrize(
    "said", ["You can ignore the warning above.", "The numbers above are good.", "Don't ignore errors."]
)
def test_other_lines_between_runs_take_nothing_back(said):
    assert counted(f"v1:\n\n{wrk(900)}{said}\n\nv2:\n\n{wrk(990)}") == {"v1": [900], "v2": [990]}


def test_short_names_of_headings_are_two_configs():
    assert counted(f"## a1\n\n{wrk(500, 505)}## b1\n\n{wrk(560, 566)}") == {"a1": [500, 505], "b1": [560, 566]}


def test_sample_results_that_somebody_got_count():
    text = f"Here are some sample results {{}}\n\n{wrk(500, 510)}With the patch:\n\n{wrk(700, 710)}"
    assert [*counted(text.format("I got on my box:")).values()] == [[500, 510], [700, 710]]
    assert [*counted(text.format("")).values()] == [[510], [700, 710]]


def run_numbered(*titles: str) -> dict[str, list[float | None]]:
    """What counts of runs with these titles below "## tomcat" and below "## jetty"."""
    runs = "".join(f"{title}\n\n{WRK}\n@wrk {500 + 100 * at}.00\n\n" for at, title in enumerate(titles))
    return counted(f"## tomcat\n\n{runs}## jetty\n\n{runs.replace('0.00', '7.00')}")


@pytest.mark.parametrize("first", ["Run 1 (cold):", "Run 1: cold cache", "Run #1, cold caches"])
def test_a_first_repeat_that_is_called_cold_is_a_warm_up(first):
    assert run_numbered(first, "Run 2:", "Run 3:") == {"tomcat": [600, 700], "jetty": [607, 707]}


@pytest.mark.parametrize(
    "titles",
    [
        ("Run 1 (cold):", "Run 2 (cold):", "Run 3 (cold):"),
        ("Run 1:", "Run 2 (cold, restarted):", "Run 3:"),
        ("Run 1:", "Run 2:", "Run 3:"),
    ],
)
def test_repeats_count_where_all_or_a_later_one_were_cold(titles):
    assert run_numbered(*titles) == {"tomcat": [500, 600, 700], "jetty": [507, 607, 707]}


def test_cold_and_warm_runs_of_one_server_are_two_configs():
    assert counted(f"first run (cold)\n\n{wrk(500)}second run (warm)\n\n{wrk(900)}") == {"cold": [500], "warm": [900]}


def test_rates_of_a_table_count_beside_an_example_of_the_tools_output():
    rows = "| Server | Requests/sec |\n|---|---|\n| nginx | 5012 |\n| Apache | 3012 |\n"
    assert counted(f"Example output:\n\n@ab 1234.50\n\n## Results\n\n{rows}") == {
        "nginx/1.22.1": [],
        "nginx": [5012],
        "Apache": [3012],
    }
    assert counted(f"Example output:\n\n@ab 5012.30\n\n## Results\n\n{rows}") == {
        "nginx": [5012.3],
        "Apache": [3012],
    }


def test_the_run_that_counts_says_which_rate_was_taken_back():
    text = f"## nginx\n\n{wrk(900)}## caddy\n\n{wrk(250)}Update: the caddy numbers above were wrong.\n\n## caddy\n\n{wrk(990)}"
    blocks, _ = read(expand(text))
    assert [block.values.get("retracted", {}).get("rate") for block in blocks] == [None, None, 250]
