"""What a comparison says in a sentence or two: the requests per second, or the mean time where there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runs.analysis.numbers import figure
from runs.analysis.table import Comparison
from runs.analysis.verdict import words
from runs.analysis.verdict.shapes import Judgement, Kind, Verdict

# The sentence is to be read in three lines: the table has the rest.
MOST_NAMED = 3
MOST_WITH_WORDS_OF_THEIR_OWN = 2
LONGEST_NAME = 60
# Nearer than this a per cent is easier to picture than "1.08 times".
IN_PERCENT = 1.2


@dataclass(frozen=True, slots=True)
class Measure:
    """How the leading metric is spoken of. `more`: its larger value is the better one."""

    key: str
    more: bool
    noun: str
    near: str
    far: str
    alone: str


MEASURES = (
    Measure(
        "requests_per_second",
        True,
        noun="requests per second",
        near="served {} more than",
        far="served {} times as many as",
        alone="served {} requests per second",
    ),
    Measure(
        "mean_ms",
        False,
        noun="mean time per request",
        near="answered in {} less time than",
        far="answered {} times as fast as",
        alone="took {} ms per request",
    ),
)


def sentence(comparison: Comparison, judgement: Judgement, silent: Mapping[int, str]) -> str:
    """The verdicts of the leading metric, the surest first, then what is open, then what does not count."""
    names = [f"“{_short(column.title)}”" for column in comparison.columns]
    told = [one for one in MEASURES if (row := comparison.row(one.key)) and any(cell.n for cell in row.cells)]
    if not told:
        return "No run here says how many requests it served per second, or how long one took."
    key = told[0].key
    found = [(at, one) for at in range(len(names)) if at not in silent and (one := judgement.of(key, at))]
    parts = _verdicts(told[0], names, found) if found else [_only(comparison, told[0], names, silent)]
    return " ".join(part for part in (*parts, _silent(names, silent)) if part)


Pair = tuple[int, Verdict]


def _verdicts(measure: Measure, names: Sequence[str], found: Sequence[Pair]) -> list[str]:
    def of(*kinds: Kind) -> list[Pair]:
        wanted = [pair for pair in found if pair[1].kind in kinds]
        return sorted(wanted, key=lambda pair: -abs((pair[1].ratio or 1) - 1))

    def listed(pairs: Sequence[Pair]) -> str:
        return _pairs(measure, names, pairs)

    proven, likely, same, still = (
        of("better", "worse"),
        of("likely_better", "likely_worse"),
        of("same"),
        of("undecided"),
    )
    said = [
        f"In {measure.noun}, {listed(proven)}." if proven else "",
        f"Likely, though not proven: {listed(likely)}." if likely else "",
        f"The same in {measure.noun}: {listed(same)}." if same else "",
    ]
    if still:
        opening = "Undecided" if any(said) else f"No difference in {measure.noun} can be claimed"
        said.append(f"{opening}: {listed(still)}.{_needed(still)}")
    return [*said, _none(names, found)]


def _pairs(measure: Measure, names: Sequence[str], pairs: Sequence[Pair]) -> str:
    """Each with what it rests on, which is said once where it is the same for all that are named."""
    told = [_pair(measure, names, at, verdict) for at, verdict in pairs]
    alike = len({basis for _, basis in told[:MOST_NAMED]}) == 1
    shown = told[: MOST_NAMED if alike else MOST_WITH_WORDS_OF_THEIR_OWN]
    last = len(shown) - 1
    each = [who if alike and at < last else f"{who} ({basis})" for at, (who, basis) in enumerate(shown)]
    return _listed(each, len(pairs))


def _pair(measure: Measure, names: Sequence[str], at: int, verdict: Verdict) -> tuple[str, str]:
    """The better one first: ("A served 1.55 times as many as B", "one run each, no repeats to go by")."""
    ratio, low, high = verdict.ratio, verdict.low, verdict.high
    own, base = names[at], names[verdict.base]
    if verdict.kind == "same" or ratio is None or ratio == 1:
        return f"{own} and {base}", verdict.text
    if (ratio > 1) != measure.more:
        own, base, ratio = base, own, 1 / ratio
        low, high = (1 / high if high else None), (1 / low if low else None)
    return f"{own} {_than(measure, ratio)} {base}", _basis(measure, low, high, verdict)


def _than(measure: Measure, ratio: float) -> str:
    """`ratio` is the better one's by the other's."""
    factor = ratio if measure.more else 1 / ratio
    if factor < IN_PERCENT:
        return measure.near.format(words.apart(ratio, "rate").rpartition(" ")[0])
    return measure.far.format(_times(factor))


def _times(factor: float) -> str:
    return figure(float(f"{factor:.{2 if factor >= 10 else 3}g}"))


def _basis(measure: Measure, low: float | None, high: float | None, verdict: Verdict) -> str:
    """The interval in the words that the ratio has, where it is on one side of equal; then runs and chance."""
    interval = words.interval(low, high, "rate" if measure.more else "time")
    if low and high and low > 1 and high >= IN_PERCENT:
        interval = f"95 % interval {_times(low)} to {_times(high)} times"
    elif low and high and high < 1 and 1 / low >= IN_PERCENT:
        interval = f"95 % interval {_times(1 / high)} to {_times(1 / low)} times"
    return ", ".join(part for part in (interval, verdict.basis) if part)


def _needed(still: Sequence[Pair]) -> str:
    """Only where there is one answer; what it goes by stands in the table."""
    number = still[0][1].needed if len(still) == 1 else None
    if number is None:
        return ""
    return f" {words.about(number)} repeats a side may settle it."


def _none(names: Sequence[str], found: Sequence[Pair]) -> str:
    each = [f"{names[at]} against {names[one.base]} ({one.text})" for at, one in found if one.kind == "none"]
    return f"No verdict on {_listed(each[:MOST_NAMED], len(each))}." if each else ""


def _only(comparison: Comparison, measure: Measure, names: Sequence[str], silent: Mapping[int, str]) -> str:
    """Where nothing stands beside anything: the figures that there are."""
    row = comparison.row(measure.key)
    told = [
        f"{name} {measure.alone.format(figure(cell.mean))} (n={cell.n})"
        for at, (name, cell) in enumerate(zip(names, row.cells if row else (), strict=True))
        if cell.n and at not in silent
    ]
    if not told:
        return "Nothing here can be judged."
    return f"{_listed(told[:MOST_NAMED], len(told))}; there is nothing to compare with."


def _silent(names: Sequence[str], silent: Mapping[int, str]) -> str:
    """What was seen, where it is one; what follows from it, and what was seen of several, stands among the doubts."""
    if len(silent) == 1:
        return "".join(f"Not counted: {names[at]} ({_seen(why)})." for at, why in silent.items())
    each = [names[at] for at in silent]
    return f"Not counted: {_listed(each[:MOST_NAMED], len(each))} (see the doubts)." if each else ""


def _seen(why: str) -> str:
    """ "285 of 600 requests failed: the higher req/s is not a gain" without its moral."""
    return why.partition(": ")[0].rstrip(".")


def _listed(each: Sequence[str], number: int) -> str:
    more = f"; and {number - len(each)} more" if number > len(each) else ""
    return "; ".join(each) + more


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"
