"""Tests that decide while they run what is measured next.

Two configs run in turn and tested after each round (`bd run --until-sure`): a group-sequential test.
Looking after each round, and stopping at a difference, finds differences that are not there unless each look is
stricter. From the fourth round on all looks have the same level, the boundary of S. J. Pocock ("Group sequential methods
in the design and analysis of clinical trials", Biometrika 64, 1977), applied to p of Student's t as C. Jennison and
B. W. Turnbull describe ("Group Sequential Methods with Applications to Clinical Trials", 2000, chapters 2, 4 and 9).
The first two looks have four times that level: more of the 5 % is spent early (K. K. G. Lan and D. L. DeMets, "Discrete
sequential boundaries for clinical trials", Biometrika 70, 1983), since steady configs are told apart there. Boundaries
that grow with the rounds (O'Brien and Fleming's) find small differences a little sooner and those of 5 % and more later.
LEVELS hold the chance that any look of two equal configs finds a difference at 5 %; make truth measures it. The
interval of each look is a repeated confidence interval: all of them together hold the true ratio in 95 of 100 tests, so
that stopping at "the same" is covered too, and so are metrics that did not decide when to stop, and a person who ends
the test early.

The highest load that keeps a limit (`bd sweep`): which level to measure next, by what was measured so far.
The level is doubled until the limit breaks, then the gap is halved until it is a tenth of the level. Both ends are then
repeated in turn, three runs each; where repeats change the majority of an end, the search goes on from there.

The interval of 95 % is a parametric bootstrap (B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", 1993) of an
isotonic regression of the limited figure over the load (R. E. Barlow and others, "Statistical Inference under Order Restrictions",
1972): means of levels are drawn anew with the spread of all repeats, by Student's t, and the fit crosses the limit between two
levels. Both ends are levels that were measured, so that nothing is assumed of the curve between them.

And the commands: that of a run, to be typed again, and the command line of bd that makes given runs again in turn.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import ge, gt, le, lt
from typing import Any

import numpy as np
import scipy  # its packages are imported at their first use

from runs.analysis.facts import RunFact
from runs.analysis.stats import Placed, Shift, pool_spread, shift_by_student

ALPHA = 0.05
FIRST_LOOK = 2  # with fewer rounds nothing is tested
USUAL_MOST = 50
EARLY, EARLY_GAIN = 3, 4  # up to so many rounds a look has so many times the level
BALANCED = 0.5  # runs that the middles of two sides lie apart at most for a drift to move both alike
# Level of each look, by the most rounds: the 5 % quantile, over 200,000 tests of equal configs without drift run A B B A, of the
# least p of all looks, where p of an early one is divided by its gain.
LEVELS = {
    **{3: 0.0069, 4: 0.0067, 5: 0.0063, 6: 0.0059, 8: 0.0054, 10: 0.0050, 12: 0.0047, 15: 0.0044, 20: 0.0041},
    **{25: 0.0038, 30: 0.0036, 40: 0.0033, 50: 0.0031, 60: 0.0029, 80: 0.0027, 100: 0.0026},
}
SURE = frozenset({"better", "same", "trade_off"})
POINTLESS = frozenset({"failed", "not_comparable"})  # more rounds would not change it
UNREADABLE = frozenset({"single", "none", "sweep"})


def find_level(n_rounds: int, most: int) -> float:
    """The p under which a look finds a difference. More rounds than planned count as planned."""
    most = max(n_rounds, most)
    # Beyond LEVELS, of more rounds than anybody makes: Bonferroni's.
    beyond = ALPHA / (most + EARLY * EARLY_GAIN)
    level = next((level for planned, level in LEVELS.items() if planned >= most), beyond)
    return EARLY_GAIN * level if n_rounds <= EARLY else level


def compare_in_turn(xs: Sequence[Placed], ys: Sequence[Placed], *, most: int, least_sd: float = 0.0) -> Shift | None:
    """How far ys lie above xs beside a straight drift, at the level of this look; None before the first look.

    Of early looks at runs in the order A B B A a drift counts as noise, as it moves both sides alike: fitted, it would cost one of
    two to four degrees of freedom. p is the look's own as a share of its level, so that it is under 5 % just where the interval
    leaves out 0. Runs whose noise goes on from one to the next vary more about the line than neighbours differ, which makes the
    test stricter.
    """
    n_rounds = min(len(xs), len(ys))
    if n_rounds < FIRST_LOOK:
        return None
    every = [*xs, *ys]
    places = np.array([each.place for each in every], dtype=np.float64)
    terms = [np.ones(len(every)), np.array([0.0] * len(xs) + [1.0] * len(ys))]
    is_balanced = abs(places[: len(xs)].mean() - places[len(xs) :].mean()) <= BALANCED
    if n_rounds > EARLY or not is_balanced:
        terms.append(places - places.mean())
    design = np.column_stack(terms)
    values = np.array([each.value for each in every])
    coefficients, _, rank, _ = np.linalg.lstsq(design, values, rcond=None)
    df = len(every) - len(terms)
    if rank < len(terms):
        return None
    left = values - design @ coefficients
    sd = max(math.sqrt(float(left @ left) / df), least_sd)
    error = sd * math.sqrt(float(np.linalg.inv(design.T @ design)[1, 1]))
    if not error > 0:
        return None
    level = find_level(n_rounds, most)
    shift = shift_by_student(float(coefficients[1]), error, df, level)
    return replace(shift, p=min(shift.p * ALPHA / level, 1.0))


@dataclass(frozen=True, slots=True)
class Decision:
    """What `bd` does next. action: "more" rounds; "stop"; "fixed": the figures cannot be compared, so a fixed number is run."""

    action: str
    text: str


def decide(outcome: str, sentence: str, n_rounds: int, most: int, *, is_settled: bool = False) -> Decision:
    """Whether to go on after this round. outcome, sentence: of the headline of what was measured so far.

    is_settled: a test shows the lead, and what else could be all of it stays however often both are run
    """
    if outcome in UNREADABLE:
        return Decision("fixed", f"Two configs cannot be compared by what was measured. {sentence}")
    if (outcome in SURE | POINTLESS or is_settled) and n_rounds >= FIRST_LOOK:
        return Decision("stop", f"{'Sure' if outcome in SURE else 'Ended'} after {n_rounds} runs each. {sentence}")
    if n_rounds >= most:
        return Decision("stop", f"Not sure after {n_rounds} runs each, the most that were to be made. {sentence}")
    return Decision("more", f"Not sure after {n_rounds} runs each.")


# --- the highest load that keeps a limit ---------------------------------------------------------------------------------

REPEATS = 3
FINEST = 10  # parts of the level that the gap may be
MOST_RUNS = 60
DRAWS, LEAST_DF = 1000, 3
_LIMIT = re.compile(r"(p\d{1,2}(?:\.\d{1,3})?|mean|max|rps|failed)\s*(<=?|>=?)\s*(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|%)?")
_NAMED = re.compile(r", the highest load with (.{1,60})")
_RELATIONS: Mapping[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True)
class FigureLimit:
    """As "p95 < 200ms". name: p50 to p99.9, mean, max (value in ms), rps or failed (in %)."""

    text: str
    name: str
    relation: str
    value: float

    def is_kept(self, figure: float) -> bool:
        return _RELATIONS[self.relation](figure, self.value)

    def read(self, run: RunFact) -> float | None:
        """The run's figure that is limited."""
        if self.name == "failed":
            total = run.complete_requests
            return 100.0 * (run.failed_requests or 0) / total if total else None
        if self.name == "rps":
            return run.requests_per_second
        if self.name in ("mean", "max"):
            return run.mean_ms if self.name == "mean" else run.max_ms
        return run.timed_ms.get(self.name[1:], run.percentiles_ms.get(self.name[1:]))


def read_limit(text: str) -> FigureLimit:
    """Raises ValueError for what is no limit."""
    match = _LIMIT.fullmatch(text.strip())
    if not match or (match[4] == "%") != (match[1] == "failed") or (match[1] == "rps" and match[4]):
        raise ValueError(
            f"limit={text[:40]} is not understood; expected one such as p95 < 200ms, rps > 1000 or failed < 1%."
        )
    return FigureLimit(text.strip(), match[1], match[2], float(match[3]) * (1000 if match[4] == "s" else 1))


def limit_of_name(experiment: str) -> FigureLimit | None:
    """The limit of a sweep that bd recorded, which stands at the end of its name."""
    match = _NAMED.search(experiment)
    try:
        return read_limit(match[1]) if match else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Capacity:
    """The 95 % interval of the highest load that keeps a limit; None: below all that was tried, or above. n: runs."""

    limit: str
    low: float | None
    high: float | None
    n: int

    @property
    def text(self) -> str:
        if self.low is None and self.high is None:
            return f"The levels do not tell which is the highest load that keeps {self.limit}"
        if self.low is None:
            return f"{self.limit} is broken at a load of {self.high:g} or less (95 % interval, {self.n} runs)"
        reach = f"{self.low:g} or more" if self.high is None else f"{self.low:g} to {self.high:g}"
        return f"The highest load that keeps {self.limit}: {reach} (95 % interval, {self.n} runs)"


def find_capacity(limit: FigureLimit, levels: Mapping[float, Sequence[RunFact]]) -> Capacity | None:
    """None where repeats are too few to tell a spread, and of a limit that need not break as the load grows."""
    if limit.name == "rps" or limit.relation.startswith(">"):
        return None
    figures = {load: [value for run in runs if (value := limit.read(run)) is not None] for load, runs in levels.items()}
    ordered = sorted(load for load, values in figures.items() if values)
    is_log = all(value > 0 for load in ordered for value in figures[load])
    values = [[math.log(value) if is_log else value for value in figures[load]] for load in ordered]
    pool = pool_spread(values)
    if pool is None or pool.df < LEAST_DF or not (limit.value > 0 or not is_log):
        return None
    crossings = _draw_crossings(values, pool.sd, pool.df, math.log(limit.value) if is_log else limit.value)
    first, last = (
        int(np.quantile(crossings, 0.025, method="lower")),
        int(np.quantile(crossings, 0.975, method="higher")),
    )
    low, high = ordered[first - 1] if first else None, ordered[last] if last < len(ordered) else None
    return Capacity(limit.text, low, high, sum(map(len, values)))


def _draw_crossings(values: Sequence[Sequence[float]], sd: float, df: int, limit: float) -> list[int]:
    """For each draw, how many levels from the lowest on keep the limit: its isotonic regression is at or below the limit there.

    These are as many as make the sum of what their figures exceed the limit by least (P. Groeneboom's switch relation).
    """
    random = np.random.default_rng(1)
    n = np.array([len(own) for own in values], dtype=np.float64)
    fit = scipy.optimize.isotonic_regression([float(np.mean(own)) for own in values], weights=n).x
    noise = random.standard_normal((DRAWS, len(n))) * sd / np.sqrt(n)
    noise *= np.sqrt(df / random.chisquare(df, (DRAWS, 1)))
    excess = np.cumsum(n * (fit + noise - limit - 1e-12), axis=1)
    sums = np.hstack([np.zeros((DRAWS, 1)), excess])
    most = len(n) - np.argmin(sums[:, ::-1], axis=1)  # of two equal sums that of more levels
    return [int(kept) for kept in most]


@dataclass(frozen=True, slots=True)
class Search:
    """level: to be measured next, 0 where the search is over. low, high: the highest level that every run kept and the lowest that
    every run broke; None where there is none.
    """

    level: int
    low: int | None
    high: int | None
    text: str = ""


def find_next_level(tried: Sequence[tuple[int, bool]], *, first: int, most: int) -> Search:
    """tried: (level, whether the limit was kept) of each run in order."""
    runs: dict[int, list[bool]] = defaultdict(list)
    for level, kept in tried:
        runs[level].append(kept)
    broken = [level for level, kept in runs.items() if 2 * sum(kept) <= len(kept)]
    high = min(broken, default=None)
    low = max((level for level in runs if level not in broken and (high is None or level < high)), default=None)
    level = 0 if len(tried) >= MOST_RUNS else _pick_level(runs, low, high, first, most)
    surely_kept = [own for own, kept in runs.items() if all(kept) and (high is None or own < high)]
    surely_broken = [own for own, kept in runs.items() if not any(kept) and (low is None or own > low)]
    return Search(level, max(surely_kept, default=None), min(surely_broken, default=None))


def _pick_level(runs: dict[int, list[bool]], low: int | None, high: int | None, first: int, most: int) -> int:
    if low is None:
        if high is None:
            return first
        return high // 2  # 0: not even 1 keeps it
    if high is None and low < most:
        return min(2 * low, most)
    if high is not None and high - low > max(1, low // FINEST):
        return (low + high) // 2
    ends = [end for end in (low, high) if end is not None and len(runs[end]) < REPEATS]
    return min(ends, key=lambda end: len(runs[end]), default=0)


def narrow(search: Search, capacity: Capacity | None) -> Search:
    """With the ends of the interval, where repeats tell one."""
    if capacity is None or capacity.low is None:
        return search
    return replace(search, low=int(capacity.low), high=None if capacity.high is None else int(capacity.high))


def describe_search(search: Search, limit: str, tried: Sequence[tuple[int, bool]]) -> str:
    """What was found so far, in a sentence."""

    def count(level: int) -> str:
        own = [kept for each, kept in tried if each == level]
        return f"{sum(own)} of {len(own)} {'run' if len(own) == 1 else 'runs'} kept it"

    if search.low is None:
        lowest = min((level for level, _ in tried), default=0)
        return f"Even a load of {lowest} breaks {limit} ({count(lowest)})." if tried else ""
    highest = max(level for level, _ in tried)
    if search.high is None and highest > search.low:
        unsure = f"runs of up to {highest} ({count(highest)}) vary too much to say how much more"
        return f"The highest load that keeps {limit} is {search.low} or more: {unsure}."
    if search.high is None:
        return f"{limit} is kept up to {search.low}, the highest load that was tried ({count(search.low)})."
    return (
        f"The highest load that keeps {limit} lies between {search.low} ({count(search.low)}) and {search.high} "
        f"({count(search.high)})."
    )


LENGTHS = ("requests", "repeats_each", "duration_s")  # terms of options that say how long a load lasts
SWITCH = "./switch-to"  # stands for what starts a variant's server, which no text of runs says
_OPERATORS = re.compile(r"[();<>|&]+")
_BEFORE = ("do", "then", "else", "time", "{", "!")  # words of the shell that stand before a command
_SENDERS = ("echo", "printf", "cat")  # of a pipe into the load tool, which does nothing without it


def take_command(line: str) -> str:
    """Of a shell's line the command that loads, without the loop, pipe and redirections around it; "" where it is not plain.

    "for i in 1 2; do ab -n 9 http://web1/ | grep Req; done" → "ab -n 9 http://web1/"
    """
    if not re.search(r"[;<>|&]", line):
        return line
    lexer = shlex.shlex(line, posix=False, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    commands: list[list[str]] = [[]]
    try:
        words = iter(list(lexer))
    except ValueError:  # a quote that is left open
        return ""
    for word in words:
        if not _OPERATORS.fullmatch(word):
            commands[-1].append(word)
        elif word[0] in "<>":  # to a file, which is the next word
            next(words, None)
            if commands[-1] and commands[-1][-1] in ("1", "2"):
                commands[-1].pop()
        else:
            commands.append([])
    for own in commands:
        while own and own[0] in _BEFORE:
            del own[0]
    commands = [own for own in commands if own]
    command = commands if len(commands) == 1 else [own for own in commands if any("://" in word for word in own)]
    if len(command) != 1 or command[0][0] in _SENDERS or any(sign in word for word in command[0] for sign in "$`"):
        return ""
    return " ".join(command[0])


def write_command(run: RunFact) -> str:
    """A run's command, to be typed again: without the loop and the pipe around it, and with the address that the report prints
    where the command as typed has none; "" where nobody knows it."""
    command = take_command(run.command)
    if not command or any(run.options.get(term) for term in ("hostname", "script", "url_file")):
        return command
    if not run.hostname:
        return command if run.path or run.options.get("path") else ""
    scheme = "https" if run.values.get("tls_protocol") else "http"
    port = f":{run.port}" if run.port not in (None, {"http": 80, "https": 443}[scheme]) else ""
    return f"{command} {scheme}://{run.hostname}{port}{run.path or '/'}"


def write_bd_command(variants: Sequence[tuple[str, str]], *, host: str = "", options: str = "") -> str:
    """Of each variant the name and the command that loads it; host: the machine under load, where bd is to record it by ssh.

    Variants with one command are told apart by what runs before each.
    """
    words = ["./bd run", f"--on {shlex.quote(host)}" if host else "", options]
    if len(variants) == 1:
        return " ".join([*filter(None, words), f"-- {variants[0][1]}"])
    if len({command for _, command in variants}) < len(variants):
        words.append(f"""--before '{SWITCH} "$BD_VARIANT"'""")
    each = [f"--variant {shlex.quote(name)} -- {command}" for name, command in variants]
    return " \\\n  ".join([" ".join(filter(None, words)), *each])


def lengthen(command: str, options: Mapping[str, Any], factor: float) -> str:
    """The command with its number of requests, or its seconds, times `factor` and rounded up to two digits.

    options: what the command sets. "" where it is not plain which of its words says how long it lasts.
    """
    asked = {term: options[term] for term in LENGTHS if options.get(term)}
    if len(asked) != 1:
        return ""
    (value,) = asked.values()
    words = list(re.finditer(rf"(?<=\s)(-{{1,2}}[a-zA-Z-]+[ =]?){value:g}(?=[sS]?(?:\s|$))", command))
    if len(words) != 1:
        return ""
    digits = 10 ** max(math.floor(math.log10(value * factor)) - 1, 0)
    longer = math.ceil(value * factor / digits) * digits
    return f"{command[: words[0].start()]}{words[0][1]}{longer}{command[words[0].end() :]}"
