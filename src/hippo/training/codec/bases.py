"""What states have in common with what `build()` makes: tensors that nobody has changed since.

A base is a state at rest like others, of a trainer that has trained nothing. A state that is encoded beside it takes
over each of its tensors whose bits are still the same. Bits are always compared, and nothing else is trusted: a version
counter does not see writes through `.data`, numpy or `set_`. This module refuses to know where a base comes from, and
where it is kept.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple


class BaseNeed(NamedTuple):
    """What a state's file says of the base that it was written beside."""

    #: hash of the base's whole state, hexadecimal
    state_hash: str
    #: paths of the tensors that the file leaves out
    names: tuple[str, ...]
    #: their digests
    digests: tuple[bytes, ...]


def is_same(live: Any, kept: Any) -> bool:
    """Tell whether a live tensor on the CPU is, bit for bit and stride for stride, one at rest."""
    return (
        type(kept) is not bytes
        and live.dtype == kept.dtype
        and live.shape == kept.shape
        and live.stride() == kept.stride()
        and not _differ()(live.data_ptr(), kept.data_ptr(), kept.numel() * kept.element_size())
    )


@functools.cache
def _differ() -> Callable[[int, int, int], int]:
    # Three times as fast as torch.equal, which compares element by element, and for which NaN is not NaN.
    compare = ctypes.CDLL(None).memcmp
    compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    compare.restype = ctypes.c_int
    return compare
