"""Whether the C library gives memory back as soon as it is freed.

Parameters in pieces are put together and let go of again, block by block. glibc keeps what is let go of to hand it out
again, in holes that the next block often does not fit into: ranks then came to more memory than one process that has
all. This module refuses to know what is freed.
"""

from __future__ import annotations

import ctypes
from typing import Any

#: of glibc's malloc.h: larger blocks come from the system, and go back to it
_M_MMAP_THRESHOLD = -3
_SMALL = 1 << 20
#: to where glibc moves it by itself, at most
_USUAL = 32 << 20


def give_back_at_once(does: bool) -> None:
    """Have blocks of a megabyte and more given back as they are freed, or those alone that glibc never keeps.

    Before the first call, glibc moves that bound by what is freed; from then on it is where it was put. Nothing is done
    where there is another C library.
    """
    library: Any = ctypes.CDLL(None)
    if hasattr(library, "gnu_get_libc_version"):
        library.mallopt(_M_MMAP_THRESHOLD, _SMALL if does else _USUAL)
