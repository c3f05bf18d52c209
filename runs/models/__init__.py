"""What is stored. The upload's raw text is the source of truth; every other result row can be rebuilt from it.

Units as everywhere: _ms, _s, _kb (KiB), _pct, _bytes in the names. Lines are 1-based and belong to the upload's text.
"""

from .access import ApiToken
from .counters import CounterDelta, Facet, RunTag, Trend, TrendLine
from .experiments import Config, ConfigText, Experiment, Host, Override, Sourced
from .results import Capture, Run, Series, Timing
from .uploads import Piece, Upload

__all__ = [
    "ApiToken",
    "Capture",
    "Config",
    "ConfigText",
    "Experiment",
    "Facet",
    "Host",
    "Piece",
    "Override",
    "Run",
    "RunTag",
    "Series",
    "Sourced",
    "CounterDelta",
    "Timing",
    "Trend",
    "TrendLine",
    "Upload",
]
