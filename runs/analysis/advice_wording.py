"""What to do next, in words: more runs and how many, or what to look at or change before them."""

from __future__ import annotations

from runs.analysis.doubt_differences import DAY
from runs.analysis.headline import ADVISED_S, Headline, Next, NextStep
from runs.analysis.headline_against import IDLE, NETWORK, OTHERS, PORTS
from runs.analysis.headline_conditions import STOLEN
from runs.analysis.objection_wording import shorten
from runs.analysis.summary_wording import advise_levels
from runs.numbers import capitalize, spread_words

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
ADVICE_ON = {  # of ALIKE and GENERATOR: the only thing that differs, or what held a side back
    PORTS: "Keep connections open (keep-alive) or load from more addresses: a client without free ports measures itself.",
    IDLE: "To learn how much each can serve, load without pauses: these rates are mostly the clients'.",
    NETWORK: "Load over a faster network first: repeats over a full one measure it.",
    DAY: "Run both again on one day, in turn: much else may have changed on the machine between the two.",
    OTHERS: "Run both again, in turn, while nothing else runs on the machine.",
    STOLEN: "Run both again, in turn, on a machine whose CPU time is its own, or when others leave it.",
}
FINER_STEPS = "More runs do not settle it: compare another metric, or load with a tool that prints finer steps."


def write_advice(step: Next, headline: Headline) -> str:
    match step.step:
        case NextStep.REPEAT:
            return _advise_rounds(headline) if headline.most else _advise_repeats(step, headline)
        case NextStep.LONGER:
            why = "starting up and chance in scheduling are in every figure of runs under a second"
            return f"{capitalize(say_runs_to_make(step))}: {why}."
        case NextStep.STEADY:
            spread = headline.spread or 1.0
            far = f" (by up to {spread_words(spread)} here)" if spread > 1 else ""
            return f"More repeats are not the way: find out first what makes runs of one config differ{far}."
        case NextStep.LEVELS:
            return advise_levels(step.runs, headline.sweep)
        case NextStep.NOTHING if headline.within_step:
            return FINER_STEPS
        case NextStep.ALIKE | NextStep.GENERATOR if step.about in ADVICE_ON:
            return ADVICE_ON[step.about]
    return ADVICE[step.step].format(about=shorten(step.about), runs=step.runs)


def say_runs_to_make(step: Next) -> str:
    return f"run each {step.runs} times, in turn{f', for {ADVISED_S} seconds and more' if step.step == NextStep.LONGER else ''}"


def _advise_repeats(step: Next, headline: Headline) -> str:
    warm = ", each after one warm-up run" if headline.winner else ""
    if step.by_turns:
        return (
            f"Run both in turn until it is sure{warm}: a sequential test after each round says when. "
            f"Or run each {step.runs} times, and keep to that number."
        )
    order = " (A, B, B, A …)" if len(headline.sides) == 2 and not headline.others else ""
    return (
        f"{capitalize(say_runs_to_make(step))}{order}{warm}. Decide on the number first: adding runs until a "
        "difference shows will show one by chance."
    )


def _advise_rounds(headline: Headline) -> str:
    """Where both were tested after each round, and neither was found to be better."""
    rounds = min(side.n for side in headline.sides[:2])
    if rounds < headline.most:
        return f"The test after each round ended early, after {rounds} of at most {headline.most}: run it again until it is sure."
    return f"{rounds} rounds did not show it: make the runs vary less first, or let a new test run for more rounds (--repeat)."
