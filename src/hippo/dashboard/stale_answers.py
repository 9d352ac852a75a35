"""An answer that takes long to make is made now and then, and rests in between; nobody who watches waits for it.

What the web calls stale while it is revalidated. This module refuses to know the web, and what is answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from hippo.clock import Clock
from hippo.collector import collector_paused

T = TypeVar("T")
#: for so many times as long as it took, it is not made anew
_REST = 5
#: seconds that somebody who watches waits
_PROMPT_S = 0.1


class StaleAnswer(Generic[T]):
    """One answer about what is written to. For any thread.

    Args:
      clock: tells how long things take.
      changes: returns what is equal for as long as nothing is written.
    """

    def __init__(self, clock: Clock, changes: Callable[[], object]) -> None:
        self._clock = clock
        self._changes = changes
        self._kept: _Kept[T] | None = None
        #: held while it is made, and while it is decided who makes it where nobody waits
        self._making, self._deciding = threading.Lock(), threading.Lock()
        self._maker: threading.Thread | None = None

    def get(self, make: Callable[[], T], holds: Callable[[T], bool]) -> tuple[T, float | None]:
        """Return what `make` returns, though something was written since, until its rest is over.

        Whoever asked not long ago is not kept waiting then, either: it is made meanwhile, on a thread of its own, and
        the one before is returned once more.

        Args:
          make: makes it.
          holds: tells whether what was made holds until something is written, or is made anew after its rest anyway.

        Returns:
          It, and after how many seconds it is worth asking again; None: not before something is written.
        """
        watched = self._if_watched()
        if watched is None:
            with self._making:
                seen, now = self._changes(), self._clock.elapsed()
                kept = self._if_rested(seen, now, holds) or self._made(make, seen, now)
                return kept.made, kept.again_s(seen, now)
        seen, now = self._changes(), self._clock.elapsed()
        rested = self._if_rested(seen, now, holds)
        if rested is not None:
            return rested.made, rested.again_s(seen, now)
        self._make_meanwhile(lambda: self._made(make, seen, now))
        return watched.made, watched.took_s

    def _if_watched(self) -> _Kept[T] | None:
        """Return what was made last, if that took long, and somebody asked for it not long ago."""
        kept = self._kept
        if kept is None or kept.took_s <= _PROMPT_S:
            return None
        return kept if self._clock.elapsed() < kept.until_s + _REST * kept.took_s else None

    def _if_rested(self, seen: object, now: float, holds: Callable[[T], bool]) -> _Kept[T] | None:
        """Return what was made last, if it needs not be made anew now."""
        kept = self._kept
        if kept is None or (now >= kept.until_s and (kept.seen != seen or not holds(kept.made))):
            return None
        return kept

    def _made(self, make: Callable[[], T], seen: object, now: float) -> _Kept[T]:
        """Make it; what was seen before is what it is of: what is written meanwhile makes it anew."""
        with collector_paused():
            made = make()
        took_s = self._clock.elapsed() - now
        kept = self._kept = _Kept(seen, made, now + (1 + _REST) * took_s, took_s)
        return kept

    def _make_meanwhile(self, make: Callable[[], object]) -> None:
        """Have it made where nobody waits, unless that is being done."""

        def made() -> None:
            try:
                with self._making:
                    make()
            except Exception:
                self._kept = None  # whoever asks next makes it, and is told what is wrong

        with self._deciding:
            if self._maker is None or not self._maker.is_alive():
                self._maker = threading.Thread(target=made, name=MAKER, daemon=True)
                self._maker.start()


#: name of the threads that make answers where nobody waits
MAKER = "hippo-stale-answer"


class _Kept(NamedTuple, Generic[T]):
    """What was made, and in how long; what the database said of its changes before; until when it rests.

    By a monotonic clock.
    """

    seen: object
    made: T
    until_s: float
    took_s: float

    def again_s(self, seen: object, now: float) -> float | None:
        """Return after how many seconds it is worth asking again, given what the database says now; None: not yet."""
        return None if self.seen == seen else max(0.0, self.until_s - now)
