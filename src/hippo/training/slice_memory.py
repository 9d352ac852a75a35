"""How much memory work in slices adds to its process, and the most that it may.

The process is somebody else's too, who allocates while the work stands still. So what counts is by how much the
process's resident memory has grown while slices ran, all in all. It refuses to know what is in that memory.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import os
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path

#: what Linux tells of this process, in pages: size, resident, ...
_STATM = "/proc/self/statm"
#: of a control group: (what it may have, what it has)
_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


#: whether what is raised now is taken as a lane's, or as that of all that are walked as one
_is_told: ContextVar[bool] = ContextVar("whether a lack of memory is told", default=False)


class memory_told:
    """Let slices find in the block that they have more memory than they may: who runs it knows what to do about it.

    A class, since every call of a trainer's methods is such a block: a generator takes three times as long.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = _is_told.set(True)

    def __exit__(self, *_: object) -> None:
        _is_told.reset(self._before)


class SliceMemory:
    """A cap for the memory of work in slices.

    Args:
      max_bytes: that it may add to the process.
      resident: returns how many bytes of this process are in memory.
      give_back: returns what nothing uses to the system, before it is said that there is too much.
    """

    def __init__(
        self, max_bytes: int, resident: Callable[[], int], *, give_back: Callable[[], None] | None = None
    ) -> None:
        self.max_bytes = max_bytes
        #: the most that it ever added
        self.most_bytes = 0
        self._resident = resident
        self._give_back = give_back or return_unused
        #: added in earlier turns, and what was resident when this one began
        self._held = self._began = 0

    def enter(self) -> None:
        """Hear that slices begin to run."""
        self._began = self._resident()

    def leave(self) -> None:
        """Hear that they stand still."""
        self._held = self._taken()

    def check(self) -> None:
        """Look, between two slices.

        Raises:
          MemoryError: they have more than they may, in a block where that is told: whoever walks several lanes takes
            fewer.
        """
        taken = self._taken()
        if taken > self.max_bytes and _is_told.get():
            self._give_back()
            taken = self._taken()
        self.most_bytes = max(self.most_bytes, taken)
        if taken > self.max_bytes and _is_told.get():
            raise MemoryError(
                f"out of memory: the guest's lanes took {taken >> 20} MiB beside the large job, and "
                f"max_bytes={self.max_bytes} lets them have {self.max_bytes >> 20} MiB"
            )

    def _taken(self) -> int:
        return max(0, self._held + self._resident() - self._began)


def resident_reader() -> Callable[[], int] | None:
    """Return what tells how many bytes of this process are in memory; None: the system does not say."""
    return _reader_of(os.getpid())


@functools.lru_cache(maxsize=1)
def _reader_of(_process: int) -> Callable[[], int] | None:
    try:
        file = os.open(_STATM, os.O_RDONLY | os.O_CLOEXEC)  # for good: it is read before each slice
    except OSError:
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    return lambda: int(os.pread(file, 64, 0).split(b" ", 2)[1]) * page


def return_unused() -> None:
    """Have the process return what nothing uses to the system: it keeps it else, and looks larger than it is."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # other systems' allocators decide that themselves
        ctypes.CDLL(None).malloc_trim(0)


def free_bytes() -> int | None:
    """Return the memory that is free for this process, in the machine and in its control group; None: nobody says."""
    found = [*_free_in_machine(), *(free for names in _GROUPS for free in _free_in_group(*names))]
    return min(found, default=None)


def _free_in_machine() -> list[int]:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return []
    return [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]


def _free_in_group(limit: str, used: str) -> list[int]:
    try:
        return [max(0, int(Path(limit).read_text()) - int(Path(used).read_text()))]
    except (OSError, ValueError):  # "max" is no number
        return []
