"""The bytes of numpy arrays, the same for equal numbers: what is compared and kept by its bytes is told apart by them.

It refuses to know numpy before somebody has an array.
"""

from __future__ import annotations

import sys
from typing import Any, Literal

#: of the 80 bits of a `numpy.longdouble` of x86; the others hold whatever lay there before
_BYTES_OF_80_BITS = 10


def array_bytes(value: Any, order: Literal["C", "F"] = "C") -> bytes:
    """Return the bytes of an array, or of a scalar of numpy's, with zeros where they belong to no number."""
    data: bytes = value.tobytes(order) if order == "F" else value.tobytes()
    if value.dtype.char not in "gG" or not value.dtype.isnative:
        return data
    numpy: Any = sys.modules["numpy"]
    if numpy.finfo(numpy.longdouble).nmant != 63:
        return data
    parts = numpy.frombuffer(data, numpy.uint8).reshape(-1, numpy.dtype(numpy.longdouble).itemsize).copy()
    parts[:, _BYTES_OF_80_BITS:] = 0
    return bytes(parts.tobytes())
