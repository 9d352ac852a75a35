"""What a tuner has said to a service, and what of it the service has taken in.

All is kept until the call ends: a service that was restarted is told it again, in fewer words. It refuses to know how
anything is sent.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hippo.clock import Clock
from hippo.errors import HippoError
from hippo.hparams import Config, as_config
from hippo.records import Answer
from hippo.runtime.asking.limits import Limit
from hippo.runtime.streams import RequestStream
from hippo.server.wire import MOST_BYTES, MOST_ENTRIES, error_from_json, proposal_to_json
from hippo.tuners.ask import Proposal


@dataclass(slots=True, eq=False)
class RemoteRequest:
    """A request as its tuner's process keeps it."""

    proposal: Proposal
    config: Config
    answer: asyncio.Future[Answer]
    #: of its last entry
    number: int = -1
    is_withdrawn: bool = False


@dataclass(slots=True, eq=False)
class PulledStream:
    """A stream as its tuner's process keeps it."""

    requests: RequestStream
    #: of its entry
    number: int = -1
    #: it was granted room, and the service has not heard what it made of that
    is_granted: bool = False
    #: what each pull brought, so that it brings the same to a service that was restarted
    history: list[list[RemoteRequest]] = field(default_factory=list)
    #: how many of those the present service has heard of
    num_told: int = 0


@dataclass(slots=True, eq=False)
class OpenLimit:
    """A block with a limit, as its tuner's process keeps it."""

    limit: Limit
    seconds: float | None
    device_seconds: float | None
    begun_at: float
    number: int = -1


class ToldQueries:
    """What a tuner was told of missing steps, query by query: a service that was restarted may have kept less of it."""

    def __init__(self) -> None:
        #: member -> what it was told
        self._told: dict[str | None, list[int]] = {}

    def next(self, proposal: Proposal) -> dict[str, Any]:
        """Return how the next query is said; its number makes it safe to say it twice."""
        asked = proposal_to_json(proposal, as_config(proposal.config))
        return {"uncovered": asked, "query": len(self._told.get(proposal.member, ()))}

    def note(self, proposal: Proposal, missing_steps: int) -> None:
        """Note what the next query was told."""
        self._told.setdefault(proposal.member, []).append(missing_steps)

    def entries(self) -> list[dict[str, Any]]:
        """Return what says all that again."""
        return [{"kind": "queries", "member": member, "told": told} for member, told in self._told.items()]


class CallJournal:
    """What one call's tuner said.

    Args:
      clock: tells how much of a limit has passed.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        #: what the service has not taken in yet, and the number of the first of it
        self.outbox: list[dict[str, Any]] = []
        self._first = 0
        #: all that was asked, in order
        self._requests: list[RemoteRequest] = []
        self._by_number: dict[int, RemoteRequest] = {}
        self._streams: list[PulledStream] = []
        self._limits: list[OpenLimit] = []
        #: entries that hold as long as nobody takes them back: pins
        self._lasting: dict[int, dict[str, Any]] = {}
        self._released: list[dict[str, Any]] = []
        self.queries = ToldQueries()

    def say(self, entry: dict[str, Any]) -> int:
        """Add an entry to the next batch; return its number."""
        self.outbox.append(entry)
        return self._first + len(self.outbox) - 1

    def request(self, proposal: Proposal, *, stream: PulledStream | None = None) -> RemoteRequest:
        """Ask what a proposal asks."""
        config = as_config(proposal.config)
        request = RemoteRequest(proposal, config, asyncio.get_running_loop().create_future())
        self._requests.append(request)
        self._ask(request, stream)
        if stream is not None:
            stream.history[-1].append(request)
        return request

    def _ask(self, request: RemoteRequest, stream: PulledStream | None) -> None:
        entry = {"kind": "ask", "proposal": proposal_to_json(request.proposal, request.config)}
        request.number = self.say(entry if stream is None else {**entry, "stream": stream.number})
        self._by_number[request.number] = request

    def withdraw(self, requests: Iterable[RemoteRequest]) -> None:
        """Withdraw those that have no answer."""
        numbers = []
        for request in requests:
            if not request.answer.done():
                request.is_withdrawn = True
                request.answer.cancel()
                numbers.append(request.number)
        if numbers:
            self.say({"kind": "withdraw", "entries": numbers})

    def open_stream(self, stream: PulledStream) -> None:
        """Let a stream be granted room."""
        stream.number = self.say({"kind": "stream"})
        self._streams.append(stream)

    def leave_stream(self, stream: PulledStream) -> None:
        """Grant a stream no more, and withdraw what it asked."""
        self._streams.remove(stream)
        self.withdraw(request for pulled in stream.history for request in pulled)
        self.say({"kind": "leave", "stream": stream.number})

    def release(self, proposal: Proposal) -> None:
        """Give a config up."""
        entry = {"kind": "release", "proposal": proposal_to_json(proposal, as_config(proposal.config))}
        self._released.append(entry)
        self.say(entry)

    def pin(self, proposal: Proposal, *, is_last: bool) -> dict[str, Any]:
        """Pin a state until `unpin` is given what this returns."""
        entry = {"kind": "pin", "proposal": proposal_to_json(proposal, as_config(proposal.config)), "last": is_last}
        self._lasting[self.say(entry)] = entry
        return entry

    def unpin(self, pinned: dict[str, Any]) -> None:
        """Take a pin back."""
        number = next(number for number, entry in self._lasting.items() if entry is pinned)
        del self._lasting[number]
        self.say({"kind": "unpin", "entry": number})

    def begin_limit(self, seconds: float | None, device_seconds: float | None) -> OpenLimit:
        """Have the service's clock end a block."""
        limit = OpenLimit(Limit(lambda: False), seconds, device_seconds, self._clock.elapsed())
        self._limits.append(limit)
        self._say_limit(limit)
        return limit

    def _say_limit(self, limit: OpenLimit) -> None:
        passed = self._clock.elapsed() - limit.begun_at
        left = None if limit.seconds is None else max(0.0, limit.seconds - passed)
        limit.number = self.say({"kind": "limit", "seconds": left, "device_seconds": limit.device_seconds})

    def end_limit(self, limit: OpenLimit) -> None:
        """Leave a block."""
        self._limits.remove(limit)
        self.say({"kind": "unlimit", "entry": limit.number})

    # --- what is sent

    def next_batch(self) -> dict[str, Any]:
        """Return what to send next: as much as one request may hold."""
        chunk, size = 0, 0
        while chunk < min(len(self.outbox), MOST_ENTRIES) and size < MOST_BYTES // 4:
            size += len(json.dumps(self.outbox[chunk]))
            chunk += 1
        return {"first": self._first, "quiet": chunk == len(self.outbox), "entries": self.outbox[:chunk]}

    def note_taken(self, answer: Mapping[str, Any]) -> HippoError | None:
        """Note what the service took in; return what it refused that nobody awaits."""
        gone = max(0, answer["taken"] - self._first)
        del self.outbox[:gone]
        self._first += gone
        alone: HippoError | None = None
        for number, told in answer["refused"].items():
            request, error = self._by_number.get(int(number)), error_from_json(told)
            if request is None:
                alone = alone or error
            elif not request.answer.done():
                request.answer.set_exception(error)
        return alone

    def say_all_again(self) -> None:
        """Begin anew with what a service must know that knows nothing of the call."""
        self.outbox, self._first = [], 0
        lasting, self._lasting, self._by_number = list(self._lasting.values()), {}, {}
        pulled = {id(r) for stream in self._streams for requests in stream.history for r in requests}
        for entry in self.queries.entries():
            self.say(entry)
        for stream in self._streams:
            stream.number, stream.num_told, stream.is_granted = self.say({"kind": "stream"}), 0, False
        for request in self._requests:
            if not request.is_withdrawn and id(request) not in pulled:
                self._ask(request, None)
        for entry in lasting:
            self._lasting[self.say(entry)] = entry
        for entry in self._released:
            self.say(entry)
        for limit in self._limits:
            self._say_limit(limit)

    # --- what comes back

    def request_of(self, number: int) -> RemoteRequest:
        """Return what was asked by this entry."""
        return self._by_number[number]

    def note_pulls(self, seen: int) -> None:
        """Say of each stream that was granted room, and waits again, that it has pulled what it wanted.

        Args:
          seen: the last event that its tuner has heard of.
        """
        for stream in self._streams:
            if stream.is_granted and stream.requests.demand.is_waiting:
                stream.is_granted = False
                exhausted = stream.requests.demand.is_exhausted
                self.say({"kind": "pulled", "stream": stream.number, "exhausted": exhausted, "seen": seen})

    def grant(self, number: int, room: int) -> None:
        """Give a stream room; of a service that was restarted, it has pulled with some of it before."""
        stream = next((stream for stream in self._streams if stream.number == number), None)
        if stream is None:  # it was left
            return
        stream.is_granted = True
        while room and stream.num_told < len(stream.history):
            for request in stream.history[stream.num_told]:
                if not request.is_withdrawn:
                    self._ask(request, stream)
            stream.num_told += 1
            room -= 1
        if room:
            stream.requests.grant(room)

    def end_block(self, number: int) -> None:
        """End the block whose limit is reached."""
        for limit in self._limits:
            if limit.number == number:
                limit.limit.end()
