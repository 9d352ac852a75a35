"""What a call tells its client, kept back until it is written: the client outlives the service, and forgets nothing.

A transaction costs more than what it holds. So what is told within a moment is written together, in one transaction,
and told in one go; the first after a silence waits for nobody. Everything here runs on the control loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hippo.clock import Clock
from hippo.runtime.other_waits import unowned

#: hears events, as JSON, in their order; called on the control loop
Publish = Callable[[Sequence[Mapping[str, Any]]], None]

#: how long after the last write the next one comes: a client's way here and back takes as long, and a step longer
GATHER_S = 0.02


class PendingEvents:
    """The events of one call, on their way to its client.

    Args:
      publish: hears those that may be told.
      write: makes durable what they rest on; returns why that is not possible.
      clock: tells when they were gathered for long enough.
    """

    def __init__(self, publish: Publish, write: Callable[[], Exception | None], clock: Clock) -> None:
        self._publish = publish
        self._write = write
        self._clock = clock
        self._kept: list[Mapping[str, Any]] = []
        self._may_write_at = 0.0
        self._is_closed = False

    def add(self, event: Mapping[str, Any]) -> None:
        """Tell an event as soon as it is written."""
        self._kept.append(event)
        if len(self._kept) == 1:
            wait_s = max(0.0, self._may_write_at - self._clock.elapsed())
            # It is no wait of the tuner's, and writing is nothing that may happen in the middle of a turn.
            unowned(lambda: self._clock.call_later(wait_s, self._tell))

    def close(self) -> None:
        """Tell nothing more: the call has ended, and whoever begins it again hears what was not told."""
        self._is_closed = True

    def _tell(self) -> None:
        if self._is_closed:
            return
        error = self._write()
        self._may_write_at = self._clock.elapsed() + GATHER_S
        kept, self._kept = self._kept, []
        if error is None:  # else the call was ended for it, and what was not written must never be heard
            self._publish(kept)
