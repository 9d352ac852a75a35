"""A stream that a client's tuner pulls from, as the service's call keeps it: its room, and what was made of that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from hippo.records import Answer
from hippo.runtime.asking.demands import StreamDemand
from hippo.runtime.studies.requests import Request


@dataclass(slots=True)
class RemoteStream:
    """An `Ask.stream` of a tuner in another process: room goes there, and what it pulls comes back.

    Each request that there is room for takes its number in the call's order when the room is granted. A tuner that
    pulls fewer leaves numbers that no re-run finds anything at.
    """

    number: int
    on_room: Callable[[int, int], None]
    note_pull: Callable[[], None]
    demand: StreamDemand = field(default_factory=StreamDemand)
    in_flight: dict[Request, asyncio.Future[Answer]] = field(default_factory=dict)
    #: its last answer is told by the event behind this one
    answered_behind: int = -1
    leave: ExitStack = field(default_factory=ExitStack)

    def grant(self, room: int) -> None:
        for _ in range(room):
            self.note_pull()
        self.demand.is_waiting = False
        self.on_room(self.number, room)

    def note_pulled(self, *, is_exhausted: bool, seen: int) -> None:
        """Note that its tuner has pulled what it wanted of the room that it was granted.

        Args:
          is_exhausted: it had nothing more to ask ...
          seen: ... by what it was told until this event. An answer that was on its way meanwhile may change that.
        """
        self.demand.is_exhausted = is_exhausted and seen > self.answered_behind
        self.demand.is_waiting = True

    def note_answer(self, request: Request, num_events: Callable[[], int], answer: asyncio.Future[Answer]) -> None:
        self.in_flight.pop(request, None)
        if not answer.cancelled():
            self.answered_behind = num_events()
            self.demand.is_exhausted = False  # an answer may bring a tuner to new questions
