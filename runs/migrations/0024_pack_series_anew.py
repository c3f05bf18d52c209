"""Series in the encodings of earlier versions are packed anew: "z" (varints, planes and zstd), "i" and "f" (zlib).

A batch a transaction, and what is packed anew already is passed over, so that it may be stopped and started again. It takes
a minute or two for a million series.
"""

import zlib

import numpy as np
from backports import zstd
from django.db import migrations, transaction

from runs.series import LETTER, join_packed_parts, pack_points

BATCH = 250
RAW = 255
LINE, DIFFERENCES, ZSTD = 0, 1, 16


class Frames:
    """Reads the bytes of frames of the letter "z" in order."""

    def __init__(self, data):
        self.data, self.at = data, 1

    def read_byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def read_varint(self):
        number = shift = 0
        while (byte := self.read_byte()) > 127:
            number |= (byte & 127) << shift
            shift += 7
        return number | byte << shift

    def read_planes(self, n, dtype, is_compressed=True):
        size = self.read_varint()
        self.at += size
        body = self.data[self.at - size : self.at]
        body = zstd.decompress(body) if is_compressed else body
        planes = np.frombuffer(body, np.uint8).reshape(dtype.itemsize, n)
        return np.ascontiguousarray(planes.T).view(dtype).reshape(n)

    def read_integers(self, n):
        flags, base, step = self.read_byte(), self.read_varint(), self.read_varint()
        base = -((base + 1) >> 1) if base & 1 else base >> 1
        if flags == LINE:
            return base + step * np.arange(n)
        dtype, is_compressed = np.dtype(f"<u{1 << (flags >> 2 & 3)}"), bool(flags & ZSTD)
        if not flags & DIFFERENCES:
            return (self.read_planes(n, dtype, is_compressed).astype(np.int64) << step) + base
        numbers = np.empty(n, np.int64)
        numbers[0] = base
        steps = self.read_planes(n - 1, dtype, is_compressed)
        if step:  # low bits that are gone; the lowest is the sign, so all were positive
            numbers[1:] = steps.astype(np.int64) << (step - 1)
        else:
            numbers[1:] = ((steps >> 1) ^ -(steps & 1)).view(f"i{steps.itemsize}")
        return np.cumsum(numbers)


def read_frames(data):
    """(indexes, values) of each frame."""
    frames = Frames(data)
    while frames.at < len(data):
        scale, n = frames.read_byte(), frames.read_varint()
        indexes = frames.read_integers(n)
        if scale == RAW:
            yield indexes, frames.read_planes(n, np.dtype("<f8"))
        else:
            whole = frames.read_integers(n)
            yield indexes, whole / 10.0**scale if scale else whole.astype(np.float64)


def pack_anew(data):
    letter = data[:1]
    if letter == b"z":
        return join_packed_parts(pack_points(indexes, values) for indexes, values in read_frames(data))
    body = zlib.decompress(data[1:])
    whole = letter == b"i"
    values = np.cumsum(np.frombuffer(body, "<i8")).astype(np.float64) if whole else np.frombuffer(body, "<f8")
    return pack_points(np.arange(len(values)), values)


def pack_all(apps, schema_editor):
    connection, last = schema_editor.connection, 0
    series = (
        apps.get_model("runs", "Series").objects.using(connection.alias).order_by("pk").values_list("pk", "samples")
    )
    while rows := list(series.filter(pk__gt=last)[:BATCH]):
        last = rows[-1][0]
        old = [(pk, bytes(samples)) for pk, samples in rows if bytes(samples[:1]) != LETTER]
        anew = [(connection.Database.Binary(pack_anew(samples)), pk) for pk, samples in old]
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.executemany("UPDATE runs_series SET samples = %s WHERE id = %s", anew)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("runs", "0023_trends_by_days")]
    operations = [migrations.RunPython(pack_all, migrations.RunPython.noop)]
