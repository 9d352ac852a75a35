"""The calls of a service's clients, as the service has them: their events until they are seen, their ends."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hippo.clock import Clock
from hippo.errors import RefusedError
from hippo.server.describers import Describer
from hippo.server.sessions import CallSession
from hippo.server.silence import Silence
from hippo.study import Study

T = TypeVar("T")

#: events of trials that are kept for a client that is away, and after how many seconds of silence it is
MOST_UNHEARD, AWAY_S = 100_000, 600.0


def call_on_web(loop: asyncio.AbstractEventLoop, do: Callable[..., object], *given: Any) -> None:
    """Have the web front's loop call something; nothing, once it has ended: then nobody is there to be told."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(do, *given)


class UnknownCallError(RefusedError):
    """The service has no such call: it was restarted, or another client went on with it."""


class EventLog:
    """The events of one call, until its client has seen them; on the web front's loop.

    Each of those who wait has a future of his own: one that they shared would be cleared under their feet.
    """

    def __init__(self) -> None:
        #: (number, JSON) of those that were not seen
        self._events: list[tuple[int, str]] = []
        self._waiting: list[asyncio.Future[None]] = []
        #: the number of the last one
        self.last = 0
        self.has_ended = False

    def end(self) -> None:
        """Let nobody wait any more: nothing more comes."""
        self.has_ended = True
        self._wake()

    def extend(self, events: Sequence[tuple[int, str]]) -> None:
        """Add events, each with its number, and wake those who wait."""
        self.last = events[-1][0]
        self._events += events
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for woken in waiting:
            if not woken.done():
                woken.set_result(None)

    def forget(self, seen: int) -> None:
        """Forget what its client has seen."""
        self._events = [event for event in self._events if event[0] > seen]

    async def wait(self, after: int, timeout_s: float) -> list[tuple[int, str]]:
        """Return the events behind this number; empty if none came in time."""
        if (
            not (found := [event for event in self._events if event[0] > after])
            and timeout_s > 0
            and not self.has_ended
        ):
            woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(woken)
            await asyncio.wait([woken], timeout=timeout_s)
            found = [event for event in self._events if event[0] > after]
        return found


class TrialEventLog(EventLog):
    """The events of a call's trials, of which the oldest are forgotten for a client that does not come for them.

    They are there for callbacks: no decision rests on them, and the script run again is told all of them. That some are
    missing, the client sees by their numbers.

    Args:
      clock: tells when the client asked last.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self._asked_at = clock.elapsed()

    def extend(self, events: Sequence[tuple[int, str]]) -> None:
        if len(self._events) >= MOST_UNHEARD and self._clock.elapsed() - self._asked_at > AWAY_S:
            self._events = []
        super().extend(events)

    async def wait(self, after: int, timeout_s: float) -> list[tuple[int, str]]:
        self._asked_at = self._clock.elapsed()
        found = await super().wait(after, timeout_s)
        self._asked_at = self._clock.elapsed()
        return found


@dataclass(slots=True, eq=False)
class ServedCall:
    """A call that a client began."""

    id: str
    #: tells one client's process from another's
    client: str
    study: ServedStudy
    session: CallSession
    events: EventLog
    #: what happens to the study's trials, if its client wants to hear that
    told: TrialEventLog | None
    begun: asyncio.Event
    ended: asyncio.Event
    silence: Silence
    #: another client went on with it
    is_superseded: bool = False
    #: who stopped its study from elsewhere
    stopped_by: str | None = None
    #: the loop that it runs on, once it has begun
    loop: asyncio.AbstractEventLoop | None = None

    def end(self) -> None:
        """Let nobody wait for anything but the end; on the web front's loop."""
        self.ended.set()
        self.silence.end()
        if self.told is not None:
            self.told.end()

    async def on_loop(self, do: Callable[[], T]) -> T:
        """Return what `do` returns on the control loop.

        Raises:
          UnknownCallError: the call has ended.
        """
        waits = [asyncio.ensure_future(self.begun.wait()), asyncio.ensure_future(self.ended.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if self.ended.is_set() or self.loop is None:
            raise UnknownCallError("the call has ended")
        done: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            try:
                done.set_result(do())
            except BaseException as error:
                done.set_exception(error)

        self.loop.call_soon_threadsafe(run)
        return await asyncio.wrap_future(done)


@dataclass(slots=True, eq=False)
class ServedStudy:
    """A study that clients use."""

    study: Study
    #: None: it is only read
    describer: Describer | None
    #: position -> the call that runs there
    calls: dict[int, ServedCall] = field(default_factory=dict)

    @property
    def is_used(self) -> bool:
        """Whether a call of it has not ended; from any thread."""
        return any(not call.ended.is_set() for call in list(self.calls.values()))
