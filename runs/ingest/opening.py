"""The beginning of a kept text, from a part of its packed bytes: a page's excerpt must not unpack all of them."""

from __future__ import annotations

import zlib

from backports import zstd

from .texts.spool import ZSTD


def opening_of(packed: bytes, encoding: str, *, most_bytes: int) -> list[str]:
    """The whole lines at the beginning of a text, as its line numbers count them.

    packed      the first bytes of Upload.raw, or all of them
    most_bytes  of the text are unpacked at most
    """
    unpacking = zstd.ZstdDecompressor() if packed.startswith(ZSTD) else zlib.decompressobj()
    data = unpacking.decompress(packed, most_bytes)
    text = data.decode(encoding or "utf-8", errors="replace").replace("\r\n", "\n")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    *whole, rest = text.split("\n")
    return [*whole, rest] if unpacking.eof and rest else whole
