"""Python's garbage collector, told to look at everything less often while much is made of which nothing is garbage.

It walks over all objects there are whenever their number has grown by a quarter. Of a plan of 10,000 trials that was a
third of what deciding cost, of a table of 100,000 trials a third of what reading cost, and it freed nothing. The
collector is the whole process's: each of these blocks leaves it as it was.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

#: full passes have to wait for so many times as many younger ones
_RARER = 10


@contextmanager
def collector_paused() -> Iterator[None]:
    """Collect no garbage while the block runs; within another such block, or where it is off, do nothing.

    For blocks that take a few seconds, at most: nobody should have it wait for long.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def few_collections(young: int) -> Iterator[None]:
    """Let the collector look for young garbage once in so many objects, for the length of the block."""
    known = gc.get_threshold()
    gc.set_threshold(young, *known[1:])
    try:
        yield
    finally:
        gc.set_threshold(*known)


class CollectorThresholds:
    """Full passes come ten times as rarely while anybody asks for that, from whatever thread.

    Young garbage, nearly all that there is, is looked for as often as ever. Not for a process that trains: networks are
    full of cycles, and large.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._users = 0
        self._known = self._ours = gc.get_threshold()

    def begin(self) -> None:
        """Have them come rarely; `end` follows."""
        with self._guard:
            self._users += 1
            if self._users == 1:
                self._known = young, middle, full = gc.get_threshold()
                self._ours = (young, middle, full * _RARER)
                gc.set_threshold(*self._ours)

    async def spared(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine meanwhile; before anybody hears of its end, all is as it was."""
        self.begin()
        try:
            return await coroutine
        finally:
            self.end()

    def end(self) -> None:
        """Have them come as before when nobody else wants them rare, unless a user has set something else meanwhile."""
        with self._guard:
            self._users -= 1
            if not self._users and gc.get_threshold() == self._ours:
                gc.set_threshold(*self._known)


#: of this process
full_passes = CollectorThresholds()
