"""How a comparison was made and judged, and on what machines: the closing parts of a post."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runs.analysis import differences
from runs.analysis.table import Comparison
from runs.analysis.verdict import Judgement

MOST_COMMANDS = 12


def commands(comparison: Comparison) -> list[str]:
    """The command lines of the runs, each once, as far as the text has them."""
    found = (" ".join(run.command.split()) for column in comparison.columns for run in column.runs if run.command)
    return list(dict.fromkeys(found))[:MOST_COMMANDS]


def method(comparison: Comparison, judgement: Judgement) -> list[str]:
    """What was run how often, and how the verdicts were reached, in sentences."""
    counts = [len(column.runs) for column in comparison.columns]
    if not any(counts):
        return ["No load test is among what was read."]
    tools = sorted({run.tool for column in comparison.columns for run in column.runs})
    n = f"n={counts[0]}" if len(set(counts)) == 1 else f"n={min(counts)} to {max(counts)}"
    told = [f"{sum(counts)} runs of {' and '.join(tools)} in {_many(len(counts), 'column')}, {n} in each."]
    if len(counts) < 2:
        return told
    tests = sorted({verdict.test for verdict in judgement.verdicts.values() if verdict.test})
    if tests:
        told += _tested(judgement, tests)
    if any(verdict.n == 1 or verdict.n_base == 1 for verdict in judgement.verdicts.values()):
        told.append(
            "One run a side is no test: its distance is set beside what repeats vary by, and what lies far outside "
            "is likely, not proven."
        )
    return told


def _tested(judgement: Judgement, tests: Sequence[str]) -> list[str]:
    """How it was tested, and what of that holds for the tests that were made."""
    told = f"Tested by {', '.join(tests)}."
    if all(verdict.p_adjusted is None for verdict in judgement.verdicts.values()):
        return [told]
    return [
        f"{told} p-values are corrected after Holm over the configs of each metric, not over metrics; intervals are each "
        'comparison\'s own. "Same" means that the whole 95 % interval of the ratio lies within 2 % of equal.',
        "Ratios that are tested are of geometric means, from 4 repeats a side on the median of all pairs of runs, and so "
        "may differ from those of the means in the table.",
    ]


def environment(
    comparison: Comparison, hosts: Sequence[Mapping[str, object]]
) -> tuple[list[tuple[str, str]], list[tuple[str, tuple[str, ...]]]]:
    """(what is the same wherever it is told, what differs: a value a column or host), as (name, value)."""
    differ, same = differences.of_columns(comparison.columns)
    hosts_differ, hosts_same = differences.of_hosts(hosts)
    told = {"Command", "Host"} if hosts else {"Command"}  # commands are part of the method
    alike = [(name, value) for name, value in same if name not in told]
    machines = [("Machine" if name == "Name" else name, value) for name, value in hosts_same]
    unlike = [(row.name, row.values) for row in (*hosts_differ, *differ) if row.name not in told]
    return machines + alike, unlike


def _many(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
