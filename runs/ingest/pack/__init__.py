"""Series of figures as compact bytes, exact to the last bit.

A packed series is the letter "z" and frames one behind the other, so that a long log is packed a part at a time while it
is read: `joined` puts the parts together. A frame is (numbers are varints, 7 bits a byte, low ones first):

    scale       one byte: the figures times 10**scale are whole numbers; 255 where they are not, but raw float64s
    n           how many figures
    looks       whole numbers: which looks have a figure, ascending
    figures     whole numbers, or raw: length and zstd of the float64s by byte planes

Whole numbers are one byte, base and step (base in zigzag). Byte 0: base, base + step, base + 2 step ... and nothing else:
a steady figure, and looks without a gap. Else its bits say how the rest is kept: differences (1) or amounts above base (2),
bytes a number (log2, 4 and 8), zstd or plain (16); step is then how many low bits were cut off because all were 0 (memory
comes in pages). What follows is a length and the numbers by byte planes: all low bytes, then all second ones ...

The letters "i" and "f" are how series were packed before: zlib over int64 differences or float64s, NaN where a look has
no figure.
"""

from .layout import Floats, Whole
from .reading import moved, points, unpack
from .writing import joined, pack, packed

__all__ = ["Floats", "Whole", "joined", "moved", "pack", "packed", "points", "unpack"]
