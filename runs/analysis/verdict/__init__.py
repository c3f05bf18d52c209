"""Which config is better, and how sure that is. `judge` is the only door.

How it is decided, metric by metric, each config against the first of its block (see pairs):
  4 repeats a side and more   Mann-Whitney's exact test, Cliff's delta, the interval that belongs to the test
  2 or 3                      Welch's test on the logs, with its interval
  1                           no test: the ratio beside what repeats vary by, in the experiment, else elsewhere
  always                      Holm over the configs of one metric; "same" where the whole interval is within 2 %
Beyond what repeats vary by (99 %), a difference that no test could prove is called likely.
"""

from runs.analysis.verdict.judging import judge
from runs.analysis.verdict.shapes import Judgement, Kind, Spread, Verdict

__all__ = ["Judgement", "Kind", "Spread", "Verdict", "judge"]
