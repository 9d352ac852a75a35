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
from hippo.tuners.ask import Proposal, Propose


class Pending(Protocol):
    """A request of a stream: what its tuner awaits is in the future."""

    @property
    def future(self) -> asyncio.Future[Answer]:
        """Has the answer once the call delivers it; cancelled if the request is withdrawn."""


class RequestStream:
    """One `Ask.stream`: pulls proposals from its tuner as the control loop grants room, and hands answers back."""

    def __init__(self, propose: Propose, ask: Callable[[Proposal], Pending], note_pull: Callable[[], None]) -> None:
        self._propose = propose
        self._ask = ask
        self._note_pull = note_pull
        #: answers that came, and how many more requests there is room for
        self._inbox: asyncio.Queue[Pending | int] = asyncio.Queue()
        self._is_exhausted = False
        self._is_waiting = False
        #: not answered yet
        self.in_flight: set[Pending] = set()

    @property
    def has_demand(self) -> bool:
        """Whether it would pull a request if there was room."""
        return self._is_waiting and not self._is_exhausted and self._inbox.empty()

    @property
    def is_exhausted(self) -> bool:
        """Whether the tuner had nothing more to ask when it was offered room last."""
        return self._is_exhausted

    def grant(self, room: int) -> None:
        """Let it pull as often as there is room for more requests."""
        self._inbox.put_nowait(room)

    async def answers(self) -> AsyncIterator[Answer]:
        """Yield answers as they come, and pull requests whenever there is room."""
        while self.in_flight or not self._is_exhausted:
            came = await self._next()
            if isinstance(came, int):
                self._pull(came)
            else:
                self.in_flight.discard(came)
                self._is_exhausted = False  # an answer may bring a tuner to new questions
                yield came.future.result()

    async def _next(self) -> Pending | int:
        self._is_waiting = True
        try:
            return await self._inbox.get()
        finally:
            self._is_waiting = False

    def _pull(self, room: int) -> None:
        for _ in range(room):
            self._note_pull()
            proposed = self._propose()
            if proposed is None:
                self._is_exhausted = True
                return
            for proposal in [proposed] if isinstance(proposed, Proposal) else proposed:
                request = self._ask(proposal)
                self.in_flight.add(request)
                request.future.add_done_callback(functools.partial(self._note_answer, request))

    def _note_answer(self, request: Pending, future: asyncio.Future[Answer]) -> None:
        if not future.cancelled():
            self._inbox.put_nowait(request)
