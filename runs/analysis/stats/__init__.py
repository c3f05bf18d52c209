"""Statistics over plain lists of floats. Nothing here knows of benchmarks; ratios are differences of logs."""

from runs.analysis.stats.counts import fisher
from runs.analysis.stats.logs import log_sd, logs, widest
from runs.analysis.stats.many import holm
from runs.analysis.stats.power import MOST_REPEATS, fewest_for_ranks, least_p, repeats_for_ranks, repeats_needed
from runs.analysis.stats.ranks import Ranks, cliffs_delta, delta_word, mann_whitney, shift_interval
from runs.analysis.stats.spread import MANY_SETS, Pool, pooled
from runs.analysis.stats.welch import Welch, student_quantile, welch

__all__ = [
    "MANY_SETS",
    "MOST_REPEATS",
    "Pool",
    "Ranks",
    "Welch",
    "cliffs_delta",
    "delta_word",
    "fewest_for_ranks",
    "fisher",
    "holm",
    "least_p",
    "log_sd",
    "logs",
    "mann_whitney",
    "pooled",
    "repeats_for_ranks",
    "repeats_needed",
    "shift_interval",
    "student_quantile",
    "welch",
    "widest",
]
