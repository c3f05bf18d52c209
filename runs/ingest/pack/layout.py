"""What writing and reading share of the layout."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

LETTER = b"z"
RAW = 255  # in place of a scale
LINE, DIFFERENCES, AMOUNTS, ZSTD = 0, 1, 2, 16
WIDTHS = tuple(np.dtype(name) for name in ("<u1", "<u2", "<u4", "<u8"))
