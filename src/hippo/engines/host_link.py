"""The study's side of one host: orders that go there, and events that come from it.

A host that does not answer is asked again for a while, which is safe since orders and events are numbered; one that is
gone is lost, once. This module refuses to know where hosts come from, and what becomes of their slots.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import itertools
from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, Protocol

from hippo.engines.host_events import EventBatch, HostPace
from hippo.errors import HostLeftError, HostLostError, HostSilentError
from hippo.events import AssignmentDone, EngineEvent, SlotLeaving, SlotLost, SlotOpened
from hippo.records import Assignment, Command, SlotId, TrainerSpec

_ASK_AGAIN_S = 0.2
#: a host that has not answered for so long is given up: a network that stumbles takes less, and Ray, which is sure only
#: after 10 to 20 s that a node is gone, more
_SILENCE_S = 5.0
#: a poll is answered within some seconds, with nothing if there is nothing. What carries it may not notice that a
#: process stands still, since it was stopped or waits for a disk
_POLL_SILENCE_S = 60.0
#: what a host that was told to close at once may take for it
_CLOSE_AT_ONCE_S = 10.0
#: what a host that has closed may take to bring its last events
_LAST_WORDS_S = 2.0


class HostHandle(Protocol):
    """A `NodeHost`, wherever it is."""

    def call(self, method: str, *arguments: Any) -> Awaitable[Any]:
        """Begin a call of one of its methods, before this returns; what is awaited is its result.

        Raises:
          HostLostError: when awaited: it is gone.
          HostSilentError: when awaited: it did not answer; whether it was told is not known.
        """

    def kill(self) -> None:
        """End it and all its workers at once, if it is there."""


class LinkOwner(Protocol):
    """Who is told what a host says."""

    @property
    def pace(self) -> HostPace:
        """How often each host is to speak."""

    def on_host_event(self, link: HostLink, event: EngineEvent) -> None:
        """Take an event of a host."""

    def on_host_lost(self, link: HostLink, reason: str) -> None:
        """A host is gone, with the slots that it has in `slots`; told once, and nothing of it follows."""


class HostLink:
    """A host of the study.

    Args:
      name: the host's.
      node: key of the node that it is on.
      handle: calls it.
      owner: is told what it says.
    """

    def __init__(self, name: str, *, node: str, handle: HostHandle, owner: LinkOwner) -> None:
        self.name = name
        self.node = node
        #: slots that are open, and where each is, for people
        self.slots: dict[SlotId, str] = {}
        #: slots that have work
        self.busy: set[SlotId] = set()
        #: its node is about to be taken away
        self.is_leaving = False
        #: when it last had any, on the loop's clock
        self.last_busy_s = 0.0
        #: what it was told how to train
        self._specs: dict[str, TrainerSpec] = {}
        self._handle = handle
        self._owner = owner
        self._numbers = itertools.count(1)
        #: number of the last event that was heard
        self._heard = 0
        self._is_over = False
        self._listening: asyncio.Task[None] | None = None
        #: that have no answer yet
        self._orders: set[asyncio.Task[None]] = set()

    async def greet(self, greeting: Mapping[str, str]) -> dict[str, str]:
        """Return what the host says of itself, as soon as it is there."""
        answer: dict[str, str] = await self._handle.call("hello", dict(greeting))
        return answer

    def listen(self) -> None:
        """Have the owner hear the host's events from now on."""
        self.last_busy_s = _now()
        self._listening = _begin(self._listen())

    # --- orders, in the order in which they are given

    def open_workload(self, spec: TrainerSpec) -> None:
        """Tell it how to build a trainer, unless it knows."""
        if self._specs.get(spec.workload) != spec:
            self._specs[spec.workload] = spec
            self._order("open_workload", spec)

    def submit(self, assignment: Assignment, spec: TrainerSpec) -> None:
        """Give it work of a workload."""
        self.open_workload(spec)
        self.busy.add(assignment.slot)
        self._order("submit", assignment)

    def send(self, command: Command) -> None:
        """Give it a command for one of its slots or leases."""
        self._order("send", command)

    def lose(self, slot: SlotId, reason: str) -> None:
        """Have it end the worker of a slot."""
        self._order("lose", slot, reason)

    def leave(self) -> None:
        """Have its work end: its node is about to be taken away."""
        if not self.is_leaving:
            self.is_leaving = True
            for slot in list(self.slots):
                self._owner.on_host_event(self, self._leaving(slot))

    def _leaving(self, slot: SlotId) -> SlotLeaving:
        return SlotLeaving(slot=slot, reason=f"node {self.node} is about to be taken away")

    async def settle(self) -> None:
        """Wait until the host has obeyed all orders that were given so far, or is lost."""
        await asyncio.gather(*self._orders, return_exceptions=True)

    # --- the end

    async def close(self, *, timeout_s: float) -> None:
        """Have its workers stop, and hear what they still say."""
        with contextlib.suppress(HostLostError, HostSilentError, TimeoutError):
            closed = self._handle.call("close", timeout_s)
            await asyncio.wait_for(closed, None if timeout_s else _CLOSE_AT_ONCE_S)
            if self._listening is not None:
                await asyncio.wait([self._listening], timeout=_LAST_WORDS_S)
        self.dispose()

    def dispose(self) -> None:
        """End it at once, and hear nothing more."""
        self._is_over = True
        for task in (*self._orders, *([self._listening] if self._listening else [])):
            task.cancel()
        self._handle.kill()

    # --- calls

    def _order(self, method: str, *arguments: Any) -> None:
        if not self._is_over:
            number = next(self._numbers)
            answer = self._handle.call(method, number, *arguments)
            order = _begin(self._see_through(answer, method, number, *arguments))
            self._orders.add(order)
            order.add_done_callback(self._orders.discard)

    async def _see_through(self, answer: Awaitable[Any], method: str, *arguments: Any) -> None:
        """Wait for the answer to an order, and give it again, under its number, if there is none."""
        silent_since: float | None = None
        while True:
            try:
                await answer
                return
            except HostSilentError as error:
                silent_since = silent_since or _now()
                if _now() - silent_since > _SILENCE_S:
                    self._lose(f"its host does not answer: {error}")
                    return
                await asyncio.sleep(_ASK_AGAIN_S)
                answer = self._handle.call(method, *arguments)
            except HostLostError:
                return  # who listens hears it, too
            except Exception as error:  # a host that is in no state that we know is of no use
                self._lose(f"{method} failed on its host: {type(error).__name__}: {error}")
                return

    async def _listen(self) -> None:
        silent_since: float | None = None
        while True:
            try:
                async with asyncio.timeout(_POLL_SILENCE_S):
                    batch: EventBatch = await self._handle.call("poll", self._heard, self._owner.pace)
            except (HostSilentError, TimeoutError) as error:
                silent_since = silent_since or _now()
                if _now() - silent_since > _SILENCE_S:
                    self._lose(f"its host does not answer: {str(error) or f'nothing for {_POLL_SILENCE_S:.0f} s'}")
                    return
                await asyncio.sleep(_ASK_AGAIN_S)
            except Exception as error:
                self.is_leaving = self.is_leaving or isinstance(error, HostLeftError)
                self._lose(str(error))
                return
            else:
                silent_since = None
                self._hear(batch)
                if batch.is_last:
                    return

    def _hear(self, batch: EventBatch) -> None:
        for number, event in enumerate(batch.events, start=batch.first):
            if number > self._heard and not self._is_over:
                self._heard = number
                if isinstance(event, SlotOpened):
                    self.slots[event.slot] = self.node
                elif isinstance(event, AssignmentDone):
                    self._note_idle(event.slot)
                elif isinstance(event, SlotLost):
                    self.slots.pop(event.slot, None)
                    self._note_idle(event.slot)
                self._owner.on_host_event(self, event)
                if isinstance(event, SlotOpened) and self.is_leaving:
                    self._owner.on_host_event(self, self._leaving(event.slot))
        self.slots |= {slot: place for slot, place in batch.places.items() if slot in self.slots}

    def _note_idle(self, slot: SlotId) -> None:
        self.busy.discard(slot)
        self.last_busy_s = _now()

    def _lose(self, reason: str) -> None:
        if not self._is_over:
            self.dispose()
            self._owner.on_host_lost(self, reason)


def _begin(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    # of nobody's context: what a tuner's call begins is counted as what it waits for
    return asyncio.get_running_loop().create_task(work, context=contextvars.Context())


def _now() -> float:
    return asyncio.get_running_loop().time()
