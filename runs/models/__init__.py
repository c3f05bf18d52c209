"""What is stored. The upload's raw text is the source of truth; every other result row can be rebuilt from it.

Units as everywhere: _ms, _s, _kb (KiB), _pct, _bytes in the names. Lines are 1-based and belong to the upload's text.
"""

from .experiments import KEPT_IN_BIN as KEPT_IN_BIN
from .experiments import ApiToken as ApiToken
from .experiments import Config as Config
from .experiments import ConfigText as ConfigText
from .experiments import Deletion as Deletion
from .experiments import Experiment as Experiment
from .experiments import Host as Host
from .experiments import Override as Override
from .experiments import Piece as Piece
from .experiments import Upload as Upload
from .results import Build as Build
from .results import Capture as Capture
from .results import CounterDelta as CounterDelta
from .results import Facet as Facet
from .results import Run as Run
from .results import RunTag as RunTag
from .results import Series as Series
from .results import Timing as Timing
from .results import Trend as Trend
from .results import TrendLine as TrendLine
from .results import find_divided as find_divided
