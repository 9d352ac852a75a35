"""Events on their way from any thread to the control loop's.

The loop is woken once for all that is said until it hears, however short the lanes are that say it. This module refuses
to know what an event means, and who says it.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading

from hippo.engines.engine import Emit
from hippo.events import EngineEvent


class LoopInbox:
    """What the control loop has not heard yet. Filled by any thread, emptied by the loop's own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: list[EngineEvent] = []
        #: the loop was woken to hear them, and has not come yet
        self._is_waking = False

    def open(self, emit: Emit) -> None:
        """Deliver to the running loop from now on; what was said to another one is for nobody here."""
        with self._lock:
            self._emit = emit
            self._loop = asyncio.get_running_loop()
            self._said, self._is_waking = [], False

    @property
    def is_empty(self) -> bool:
        """Whether the loop has heard all that was said."""
        with self._lock:
            return not self._said

    @property
    def is_abandoned(self) -> bool:
        """Whether the loop is gone, and with it everybody who would listen."""
        return self._loop.is_closed()

    def put(self, *events: EngineEvent) -> None:
        """Have the loop hear these, in order, and never from within this call."""
        if not events:
            return
        with self._lock:
            self._said += events
            if self._is_waking:
                return  # the loop is on its way, and takes these along
            self._is_waking = True
        with contextlib.suppress(RuntimeError):  # it is abandoned
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        with self._lock:
            said, self._said = self._said, []
            self._is_waking = False
        for event in said:
            self._emit(event)
