"""Texts, whatever their size: how they come in, how they lie in the database, and how they are read.

receive(bytes or a stream)   a Text, in a few MiB of memory      Arrival   the same, fed by whoever has the bytes
text_of(upload)              the Text of a stored upload         without   a Text with secrets taken out
"""

from .arrive import EVERY_SECRET, Arrival, Incoming, receive, without
from .kept import columns_of, save_pieces, text_of
from .text import LinesOf, Text

__all__ = [
    "EVERY_SECRET",
    "Arrival",
    "Incoming",
    "LinesOf",
    "Text",
    "columns_of",
    "receive",
    "save_pieces",
    "text_of",
    "without",
]
