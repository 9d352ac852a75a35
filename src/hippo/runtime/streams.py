"""Requests that are pulled from a tuner while there is room for them: `Ask.stream`.

With shared prefixes, many requests in flight may keep only a few slots busy (with 40 requests for 40 slots, ASHA on
Hippo's ResNet56 space takes 10.3 hours instead of 6.1, simulated). So it is not the requests that are counted: a
request is pulled whenever a slot has nothing to do and nothing waits to be given to it.

Each pull takes a number of its own in the order of the call's deliveries. That is how a re-run pulls at the same
moments: where a number has no answers, there was a pull. One pull may bring several requests that belong together,
one for each member of a study: they have one number, and each its own answer.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from hippo.records import Answer
from hippo.runtime.asking.demands import StreamDemand
from hippo.runtime.studies.requests import Request
from hippo.tuners.ask import Proposal, Propose, pulled


class PullingStream(Protocol):
    """What is granted room for requests: a stream of a tuner's, wherever that runs."""

    demand: StreamDemand
    #: not answered yet
    in_flight: dict[Request, asyncio.Future[Answer]]

    def grant(self, room: int) -> None:
        """Let it pull as often as there is room for more requests."""


class RequestStream:
    """One `Ask.stream`: pulls proposals from its tuner as the control loop grants room, and hands answers back.

    Args:
      propose: returns the tuner's next proposals; None if it has none now.
      ask: makes a request of a proposal, with the future of its answer.
      note_pull: hears of each pull before it is made.
    """

    def __init__(
        self,
        propose: Propose,
        ask: Callable[[Proposal], tuple[Request, asyncio.Future[Answer]]],
        note_pull: Callable[[], None],
    ) -> None:
        self._propose = propose
        self._ask = ask
        self._note_pull = note_pull
        self.demand = StreamDemand()
        #: requests whose answers came, and how many more requests there is room for
        self._inbox: asyncio.Queue[Request | int] = asyncio.Queue()
        #: not answered yet
        self.in_flight: dict[Request, asyncio.Future[Answer]] = {}

    def grant(self, room: int) -> None:
        """Let it pull as often as there is room for more requests."""
        self._put(room)

    async def answers(self) -> AsyncIterator[Answer]:
        """Yield answers as they come, and pull requests whenever there is room."""
        while self.in_flight or not self.demand.is_exhausted:
            came = await self._next()
            if isinstance(came, int):
                self._pull(came)
            else:
                answer = self.in_flight.pop(came)
                self.demand.is_exhausted = False  # an answer may bring a tuner to new questions
                yield answer.result()

    async def _next(self) -> Request | int:
        self.demand.is_waiting = True
        try:
            return await self._inbox.get()
        finally:
            self.demand.is_waiting = False

    def _put(self, came: Request | int) -> None:
        self._inbox.put_nowait(came)
        self.demand.is_waiting = False  # it has something to look at first

    def _pull(self, room: int) -> None:
        for _ in range(room):
            self._note_pull()
            proposed = self._propose()
            if proposed is None:
                self.demand.is_exhausted = True
                return
            for proposal in pulled(proposed):
                request, answer = self._ask(proposal)
                self.in_flight[request] = answer
                answer.add_done_callback(functools.partial(self._note_answer, request))

    def _note_answer(self, request: Request, answer: asyncio.Future[Answer]) -> None:
        if not answer.cancelled():
            self._put(request)
