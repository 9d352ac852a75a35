"""Events on their way from a host to the study that it works for: numbered, and kept until that has them.

What carries them may fail, and a batch may be asked for twice; so nothing is forgotten before it is acknowledged. This
module refuses to know what carries them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from hippo.events import AssignmentDone, BoundaryAnswered, EngineEvent, LaneEvent, StageFailed, StatesResident
from hippo.records import SlotId

#: in one batch: more would keep the study from all else for too long (4 us an event there)
MOST_EVENTS = 5_000
#: the study decides something as soon as it hears one of these, while a slot waits; the rest are facts
_MAY_WAIT = (LaneEvent, StatesResident)
_MAY_NOT_WAIT = (AssignmentDone, BoundaryAnswered, StageFailed)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPace:
    """How often a host speaks of facts, on which nothing waits: an answer costs the study 0.5 ms of CPU, however short.

    Of small clusters hosts speak at once, unless they have just spoken; of large ones they gather.
    """

    #: at once, if the last answer was given so long ago
    quiet_s: float = 0.02
    #: else this long after the last answer
    linger_s: float = 0.25

    @classmethod
    def of(cls, hosts: int) -> HostPace:
        """Return the pace of each of so many: at most some 500 answers a second of all of them together."""
        linger_s = 0.25 * max(1.0, hosts / 100)
        return cls(quiet_s=min(linger_s, 0.02 * max(1.0, hosts / 10)), linger_s=linger_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBatch:
    """Consecutive events of a host."""

    #: number of the first one
    first: int
    events: tuple[EngineEvent, ...]
    #: where slots are, for people: those of which it was not told before, or was told otherwise
    places: Mapping[SlotId, str] = field(default_factory=dict)
    #: nothing follows: the host has closed
    is_last: bool = False


class EventOutbox:
    """Events that a host has told, and that are not acknowledged. Used on one event loop."""

    def __init__(self) -> None:
        self._events: deque[EngineEvent] = deque()
        #: number of the oldest one that is kept
        self._first = 1
        #: number of the newest one that somebody must hear at once
        self._urgent = 0
        #: number of the newest one that was ever in a batch
        self.sent = 0
        #: when the first came that was in no batch yet, by the loop's time
        self._waiting_since = 0.0
        self._answered_at = float("-inf")
        self._is_closed = False
        self._listeners: set[asyncio.Future[None]] = set()

    def put(self, event: EngineEvent) -> None:
        """Keep an event until it is acknowledged."""
        self._events.append(event)
        newest = self._first + len(self._events) - 1
        if newest == self.sent + 1:
            self._waiting_since = asyncio.get_running_loop().time()
        if isinstance(event, _MAY_NOT_WAIT) or not isinstance(event, _MAY_WAIT):
            self._urgent = newest
        self._wake()

    def close(self) -> None:
        """Have the batch with the last event say so, and come at once."""
        self._is_closed = True
        self._wake()

    async def take(self, acknowledged: int, pace: HostPace, *, patience_s: float) -> EventBatch:
        """Return the oldest events behind `acknowledged`, when it is time to; none if none come for `patience_s`."""
        while self._events and self._first <= acknowledged:
            self._events.popleft()
            self._first += 1
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + patience_s
        while (wait_s := min(self._due_at(pace), give_up_at) - loop.time()) > 0:
            await self._changed(wait_s)
        events = tuple(self._events[i] for i in range(min(MOST_EVENTS, len(self._events))))
        if events:
            self._answered_at = loop.time()
            self.sent = max(self.sent, self._first + len(events) - 1)
            self._waiting_since = self._answered_at  # of those that did not fit
        is_last = self._is_closed and len(events) == len(self._events)
        return EventBatch(first=self._first, events=events, is_last=is_last)

    def _due_at(self, pace: HostPace) -> float:
        if self._is_closed or self._urgent >= self._first or len(self._events) >= MOST_EVENTS:
            return float("-inf")
        if not self._events:
            return float("inf")
        if self.sent >= self._first:  # asked for again: the answer was lost on its way
            return float("-inf")
        is_quiet = self._waiting_since - self._answered_at >= pace.quiet_s
        return self._waiting_since if is_quiet else self._answered_at + pace.linger_s

    async def _changed(self, timeout_s: float) -> None:
        # each who asks has a future of their own: one event for all would be cleared under the others' feet
        listener = asyncio.get_running_loop().create_future()
        self._listeners.add(listener)
        try:
            await asyncio.wait([listener], timeout=timeout_s)
        finally:
            self._listeners.discard(listener)

    def _wake(self) -> None:
        for listener in self._listeners:
            if not listener.done():
                listener.set_result(None)
