"""Captions below reports, and remarks below them that are none. All texts are made up."""

from __future__ import annotations

import pytest

from .documents import expand, read

FIRST, SECOND = "@ab 100.5 server=", "@ab 200.5 server="


def rates_by_name(text: str) -> dict[str, float | None]:
    blocks, draft = read(expand(text))
    (experiment,) = draft.experiments
    names = {config.key: config.name for config in experiment.configs}
    return {names[run.config]: blocks[run.block].load_results[0].requests_per_second for run in experiment.runs}


@pytest.mark.parametrize(
    "text",
    [
        f"{FIRST}\n^ apache\n\n{SECOND}\n^ nginx\n",
        f"{FIRST}\n↑ apache\n\n{SECOND}\n↑ nginx\n",
        f"{FIRST}\n(above: apache)\n\n{SECOND}\n(above: nginx)\n",
        f"{FIRST}\nThat was apache.\n\n{SECOND}\nThat was nginx.\n",
        f"```\n{FIRST}\n```\n*Figure 1: apache*\n\n```\n{SECOND}\n```\n*Figure 2: nginx*\n",
        f"```\n{FIRST}\n```\n図1. apache\n\n```\n{SECOND}\n```\n図2. nginx\n",
        f"{FIRST}\napache\n\n{SECOND}\nnginx\n",
        f"# Two servers\n\n```\n{FIRST}\n```\napache\n\n```\n{SECOND}\n```\nnginx\n",
    ],
)
def test_captions_below_reports_name_these(text):
    assert rates_by_name(text) == {"apache": 100.5, "nginx": 200.5}


@pytest.mark.parametrize(
    "text",
    [
        f"apache\n{FIRST}\n^ slow, as expected\n\nnginx\n{SECOND}\n^ look at that\n",
        f"apache\n{FIRST}\nThat was slow!\n\nnginx\n{SECOND}\nThat was better.\n",
        f"apache\n{FIRST}\nThe above shows that it is slow\n\nnginx\n{SECOND}\nThe above shows that it is fast\n",
        f"apache\n{FIRST}\nnginx\n{SECOND}\nConclusion\n",
    ],
)
def test_remarks_below_reports_with_names_above_name_nothing(text):
    assert rates_by_name(text) == {"apache": 100.5, "nginx": 200.5}
