"""What a verdict and all that speaks against it come to: the outcome, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from runs.analysis.failures import Failure
from runs.analysis.headline_against import HELD_BACK, SLOWED, Objection, RankedColumn, Rule, Unlike, has_contradiction
from runs.analysis.scaling import Range
from runs.analysis.verdict import GAINS, LOSSES, Ground, Kind, Verdict, Void


class Outcome(StrEnum):
    """Of several workloads the one whose outcome comes first leads."""

    FAILED = "failed"
    TRADE_OFF = "trade_off"  # proven, and another metric that matters proves or shows the opposite
    BETTER = "better"  # proven, nothing serious against it
    LIKELY = "likely"
    NOT_COMPARABLE = "not_comparable"
    UNPROVEN = "unproven"
    SAME = "same"
    SINGLE = "single"
    NONE = "none"
    SWEEP = "sweep"


OUTCOMES = {  # the word of a badge, and what it says
    Outcome.BETTER: ("proven", "A test shows it at 5 %, and nothing serious speaks against it."),
    Outcome.LIKELY: (
        "likely",
        "Further apart than repeats vary, but not tested yet, or something else than the config may be why.",
    ),
    Outcome.UNPROVEN: ("unproven", "One is ahead, but chance alone could explain it."),
    Outcome.SAME: ("same", "The whole 95 % interval lies within 2 % of equal."),
    Outcome.TRADE_OFF: ("trade-off", "Better on requests or time, worse on something else that matters."),
    Outcome.NOT_COMPARABLE: ("not comparable", "The loads, machines or answers are unlike."),
    Outcome.FAILED: ("failed", "5 % and more of a config's requests failed, or it broke off."),
    Outcome.SWEEP: ("sweep", "One thing was varied over a range."),
    Outcome.SINGLE: ("one config", "There is nothing to compare it with."),
    Outcome.NONE: ("nothing to judge", "No run says how many requests were served, or how fast."),
}
LABELS = {kind: label for kind, (label, _) in OUTCOMES.items()}
MEANINGS = {kind: meaning for kind, (_, meaning) in OUTCOMES.items()}


class NextStep(StrEnum):
    """What to do next."""

    NOTHING = "nothing"
    REPEAT = "repeat"
    OUTLIER = "outlier"  # find out about one run that is far off
    WARM = "warm"  # leave the cold first runs out
    LONGER = "longer"  # runs too short to say much
    CHECK = "check"  # figures of one report contradict each other
    STEADY = "steady"  # more repeats than anybody makes: make the runs vary less first
    GENERATOR = "generator"  # it was at its limit, so that repeats would only measure it again
    FIX = "fix"  # find out why requests failed
    ALIKE = "alike"  # load both alike
    ANSWER = "answer"  # see what one of them answers: it may be an error
    MEND = "mend"  # what keeps a config from counting, other than an unlike load
    CHOOSE = "choose"  # decide which metric matters
    LEVELS = "levels"  # repeat the levels of a sweep
    COMPARE = "compare"  # there is one config only
    LOAD = "load"  # there is no load test


ADVICE = {
    NextStep.GENERATOR: "Load from a stronger or another machine first: repeats under a load generator at its limit measure it.",
    NextStep.ALIKE: "Load both in the same way on the same machine, then compare.",
    NextStep.CHOOSE: "More runs do not settle it: decide which of the two matters more.",
    NextStep.COMPARE: "Change one thing, run the same load again, and add that text.",
    NextStep.LOAD: "Add the report of a load test.",
    NextStep.NOTHING: "No more runs are needed for this load.",
    NextStep.OUTLIER: "Find out what happened in that run of “{about}”, or leave it out, before more are made.",
    NextStep.WARM: "Leave the first run of each out, and run each {runs} times after one warm-up, in turn.",
    NextStep.CHECK: "Look at the report of “{about}” before more runs are made: its figures cannot all be true.",
    NextStep.FIX: "Find out why requests failed (the error log of “{about}”) before rates are compared.",
    NextStep.MEND: "Mend what keeps “{about}” from counting (see the doubts), then run it again.",
    NextStep.ANSWER: "Look at what “{about}” answers (curl -i) before rates are compared.",
}
FINER_STEPS = "More runs do not settle it: compare another metric, or load with a tool that prints finer steps."


@dataclass(frozen=True, slots=True)
class Next:
    """`runs`: of each side in a new set, decided beforehand; 0: none are advised. `by_turns`: the command of each is known."""

    step: NextStep
    runs: int = 0
    about: str = ""
    text: str = ""
    by_turns: bool = False


ADVISED_S = 10  # how long a run is to be at least, where they were too short
FEWEST = 4  # repeats to advise where nothing is known of their spread
FEWEST_A_LEVEL = 3
MOST_ADVISED = 20  # more repeats than that are not the way


@dataclass(frozen=True, slots=True)
class Headline:
    """`sides` of one workload, the best first; `ratio` of the winner's metric to the loser's, low to high at 95 %.

    spread   the most that runs of one config differ by, as a ratio
    most     runs a side that were to be made at most, of a test after each round; 0: it was none
    odd      ("outlier" or "cold", config): single runs that are far off the others
    set_rate requests/s that were asked for, where the first two sides are alike in that they served them; 0: they did more
    drift    each side's runs follow each other, and a trend within them could explain the difference
    unlike   what keeps the two from being compared
    machines in what their machines differ, where those are what is compared
    dropped  (title, why, what failed of it) of columns that a doubt keeps out
    rest     the sides that did not fail, compared; `others`: the other workloads
    base     the baseline's side and the best one's ratio of rates to it, where the baseline is neither of the best two, and behind
    """

    outcome: Outcome
    next: Next
    metric: str = "requests_per_second"
    winner: RankedColumn | None = None
    loser: RankedColumn | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    spread: float | None = None
    within_step: bool = False
    drift: bool = False
    set_rate: float = 0
    most: int = 0
    odd: tuple[str, str] = ("", "")
    against: tuple[Objection, ...] = ()
    sides: tuple[RankedColumn, ...] = ()
    unlike: tuple[Unlike, ...] = ()
    machines: tuple[Unlike, ...] = ()
    dropped: tuple[tuple[str, str, Failure | None], ...] = ()
    workload: str = ""
    base: tuple[RankedColumn, float, Kind] | None = None
    rest: Headline | None = None
    others: tuple[Headline, ...] = ()
    sweep: Range | None = None
    sentence: str = ""

    @property
    def bad(self) -> list[RankedColumn]:
        """The sides of which too much failed."""
        return [side for side in self.sides if side.failure and side.failure.is_serious]

    @property
    def failing(self) -> list[RankedColumn]:
        """Those of all workloads."""
        return [side for headline in (self, *self.others) for side in headline.bad]

    @property
    def change_pct(self) -> float | None:
        return _to_percent(self.ratio)

    @property
    def low_pct(self) -> float | None:
        return _to_percent(self.low)

    @property
    def high_pct(self) -> float | None:
        return _to_percent(self.high)


def _to_percent(ratio: float | None) -> float | None:
    return None if ratio is None else (ratio - 1) * 100


def decide_outcome(verdict: Verdict, against: Sequence[Objection]) -> Outcome:
    if has_contradiction(against):
        return Outcome.UNPROVEN
    if verdict.void in (Void.GAIN_BY_FAILURES, Void.LOSS_BY_FAILURES):
        return Outcome.TRADE_OFF
    if verdict.kind == Kind.SAME:
        return Outcome.SAME
    if any(objection.rule in (*HELD_BACK, "length.seconds") and objection.serious for objection in against):
        return Outcome.UNPROVEN
    confounded = any(objection.explains_lead for objection in against)
    if verdict.kind in (Kind.BETTER, Kind.WORSE):
        return Outcome.TRADE_OFF if _has_drawback(against) else Outcome.LIKELY if confounded else Outcome.BETTER
    is_far = verdict.kind in (*GAINS, *LOSSES) and not confounded
    return Outcome.LIKELY if is_far else Outcome.UNPROVEN


def _has_drawback(against: Sequence[Objection]) -> bool:
    """Whether a metric that matters is worse, whatever else differs."""
    return any(objection.serious and not objection.explains_lead for objection in against)


def advise(outcome: Outcome, verdict: Verdict, against: Sequence[Objection], odd: tuple[str, str]) -> Next:
    if outcome == Outcome.NOT_COMPARABLE:
        return Next(NextStep.ALIKE, about=against[0].label if len(against) == 1 else "")
    rules = {objection.rule: objection.config for objection in against}
    if rules.get(Rule.IMPOSSIBLE):
        return Next(NextStep.CHECK, about=rules[Rule.IMPOSSIBLE])
    for rule in (*HELD_BACK, Rule.NOT_AS_NAMED):  # more of the same would be as wrong
        if rule in rules:
            step = NextStep.ALIKE if rule in (Rule.OTHERS, Rule.NOT_AS_NAMED) else NextStep.GENERATOR
            return Next(step, about=rule)
    if "length.seconds" in rules:
        return Next(NextStep.LONGER, max(FEWEST, verdict.fewest))
    if verdict.void in (Void.GAIN_BY_FAILURES, Void.LOSS_BY_FAILURES) and (failing := rules.get("failures")):
        return Next(NextStep.FIX, about=failing)
    if outcome == Outcome.TRADE_OFF or (outcome == Outcome.SAME and _has_drawback(against)):
        return Next(NextStep.CHOOSE)
    if Rule.MISSED in rules and not rules[Rule.MISSED]:
        return Next(NextStep.ALIKE, about=Rule.MISSED)
    confounder = next((objection for objection in against if objection.explains_lead), None)
    if confounder and (outcome != Outcome.SAME or confounder.rule == Rule.IMPOSSIBLE):
        return _advise_on_confounder(confounder, verdict)
    if outcome in (Outcome.BETTER, Outcome.SAME) and rules.get(Rule.IDLE) == "":
        return Next(NextStep.ALIKE, about=Rule.IDLE)
    if outcome in (Outcome.BETTER, Outcome.SAME) or verdict.ground == Ground.WITHIN_STEP:
        return Next(NextStep.NOTHING)
    if odd[0] == "outlier":
        return Next(NextStep.OUTLIER, about=odd[1])
    if odd[0] == "cold":
        return Next(NextStep.WARM, max(verdict.fewest - 1 + FEWEST_A_LEVEL, FEWEST))
    needed = max(verdict.needed or 0, FEWEST)
    if verdict.fewest == 1:  # whose own spread nobody knows: a few repeats show it
        return Next(NextStep.REPEAT, needed if needed <= MOST_ADVISED else FEWEST)
    return Next(NextStep.STEADY) if needed > MOST_ADVISED else Next(NextStep.REPEAT, max(needed, verdict.fewest + 2))


def _advise_on_confounder(objection: Objection, verdict: Verdict) -> Next:
    if objection.rule in (Rule.OTHER_SERVER, Rule.SHOWN_STATUS):
        step = NextStep.ANSWER if objection.config else NextStep.ALIKE
        return Next(step, about=objection.config or objection.rule)
    if objection.rule == Rule.DRIFT:
        return Next(NextStep.REPEAT, max(verdict.needed or 0, verdict.fewest + 2))
    is_by_rule = objection.rule in (Rule.BEFOREHAND, Rule.CLAIMED, Rule.IMPOSSIBLE, Rule.PICKED, *SLOWED)
    return Next(NextStep.ALIKE, about=objection.rule if is_by_rule else objection.label or objection.rule)
