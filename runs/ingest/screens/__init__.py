"""Screens of monitors: which of them are looks of one command, and their figures by column.

folded(blocks)      hours of screens as a few blocks, while they are being read
Rounds              which blocks are looks of one command
samples_of(blocks)  the looks of a capture's blocks, packed
"""

from .clock import running, seconds
from .folding import FEW, Folded, folded, n_looks, samples_of, too_many
from .rounds import Rounds
from .samples import Samples
from .track import SYSTEM, Track, Who

__all__ = [
    "FEW",
    "SYSTEM",
    "Folded",
    "Rounds",
    "Samples",
    "Track",
    "Who",
    "folded",
    "n_looks",
    "running",
    "samples_of",
    "seconds",
    "too_many",
]
