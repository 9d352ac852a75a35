"""A call of a tuner that runs in a client's process: on the service's control loop it is a call like any other.

What the client says is asked on its behalf; what the call is answered goes into a log of events. While an event has not
been seen by the tuner, the call counts as busy: a tuner that is far away is as one that thinks. So replays wait for it,
and nothing else changes. Everything here runs on the control loop; it refuses to know HTTP, JSON bodies and tokens.
"""

from __future__ import annotations

import asyncio
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hippo.errors import HippoError, RefusedError, TunerError, UnreachableDatabaseError
from hippo.records import Answer
from hippo.runtime import TunerAsk
from hippo.runtime.asking.limits import Limit
from hippo.runtime.call_source import CallSource
from hippo.runtime.other_waits import OtherWaits, other_waits_here
from hippo.runtime.studies.requests import Request
from hippo.server.granted_streams import RemoteStream
from hippo.server.outgoing import PendingEvents, Publish
from hippo.server.wire import answer_to_json, error_to_json, numbers_to_json
from hippo.tuners.ask import Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidEntry:
    """One thing that a client said, checked and read."""

    #: one of the kinds that `EntryReader` reads, such as "ask" and "withdraw"
    kind: str
    #: what is asked, for "ask", "release" and "pin"
    proposal: Proposal | None = None
    #: all else, by name
    fields: Mapping[str, Any] = field(default_factory=dict)
    #: why it cannot be asked, if somebody found out already
    refused: HippoError | None = None


class CallSession:
    """One call on behalf of a client.

    Args:
      publish: hears the events, in their order, each after it was written.
    """

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        #: number of the entry -> what was asked by it and not answered
        self._open: dict[int, tuple[Request, asyncio.Future[Answer]]] = {}
        self._answers: dict[int, Answer] = {}
        self._streams: dict[int, RemoteStream] = {}
        self._limits: dict[int, Limit] = {}
        self._pins: dict[int, int] = {}
        self._came: list[tuple[int, asyncio.Future[Answer]]] = []
        #: entries that were taken in; the next one has this number
        self.num_entries = 0
        self._num_events = 0
        self._held: list[tuple[int, SaidEntry]] = []
        #: what was refused of the entries that were kept together last
        self._refused: dict[int, HippoError] = {}
        #: the same, of those that are being carried out
        self._being_refused: dict[int, HippoError] = {}
        self._thinking: asyncio.Future[None] | None = None

    async def run(self, ask: Any) -> None:
        """Be the tuner of the call: until `close`, ask what the client asks."""
        assert isinstance(ask, TunerAsk), "the runtime gives its own"
        self._source: CallSource = ask.source
        self._other_waits: OtherWaits = other_waits_here()
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._outgoing = PendingEvents(self._publish, self._source.write, self._source.clock)
        self._think()  # nothing was asked yet
        self._publish([{"begun": True, "event": 0, "ready": self._source.plans.ready_stages}])
        try:
            await self._closed
        finally:
            self._outgoing.close()
            for stream in list(self._streams.values()):
                stream.leave.close()

    def _think(self) -> None:
        """Count as busy until the client's tuner has seen all that it was told, and said what it says to that."""
        if self._thinking is None:
            self._thinking = asyncio.get_running_loop().create_future()
            self._other_waits.note_job(self._thinking)

    # --- what the client says

    def take(self, first: int, entries: Sequence[SaidEntry], *, is_quiet: bool) -> dict[int, HippoError]:
        """Take in what the client says; return, by number of the entry, why it cannot be asked.

        Args:
          first: number of the first entry; those that were taken in before are passed over.
          entries: what is said, in order.
          is_quiet: its tuner has said all that it says for now: until then what comes is kept together.

        Raises:
          RefusedError: entries before these are missing.
          UnreachableDatabaseError: the database is away; said again later, they go on where they are.
        """
        if first > self.num_entries:
            raise RefusedError(f"entries {self.num_entries} to {first - 1} of this call have not come")
        new = entries[self.num_entries - first :]
        self._held += enumerate(new, start=self.num_entries)
        self.num_entries += len(new)
        if not is_quiet:
            return {}
        if self._held or not entries:  # else they are said again: the answer that told what is refused may be lost
            self._carry_out_held()
            self._refused, self._being_refused = self._being_refused, {}
        return self._refused

    def note_seen(self, event: int) -> None:
        """Note that the client's tuner has seen all events so far, and said what it says to them."""
        if event >= self._num_events and not self._held and self.num_entries:
            thinking, self._thinking = self._thinking, None
            if thinking is not None:
                thinking.set_result(None)

    def uncovered(self, proposal: Proposal, number: int | None) -> int:
        """Answer the question how many steps of a config nobody has trained or asked for; one of this number, once."""
        member = self._member_of(proposal.member)
        return self._source.call.trials.missing_steps(_config_of(proposal), proposal.until, member, number=number)

    def traces(self, number: int) -> dict[str, Any] | None:
        """Return what training said along the way to an answer; None if there is no such answer."""
        answer = self._answers.get(number)
        if answer is None:
            return None
        return {
            "train_metrics": {str(step): numbers_to_json(found) for step, found in answer.train_metrics.items()},
            "step_seconds": numbers_to_json(answer.step_seconds),
        }

    def close(self, state: str) -> None:
        """End the call: its tuner came to an end ("complete"), raised ("failed"), or was stopped ("interrupted")."""
        if self._closed.done():
            return
        if state == "complete":
            self._closed.set_result(None)
        elif state == "failed":
            self._closed.set_exception(TunerError("the tuner failed in its own process, which says how"))
        else:
            self._closed.cancel()

    def _carry_out_held(self) -> None:
        """Carry out what was kept together. What a database that is away kept from it stays, and is said again."""
        asked = [said.proposal for _, said in self._held if said.kind == "ask" and not said.refused]
        self._expect([proposal for proposal in asked if proposal])
        num_done = 0
        try:
            for number, said in self._held:
                try:
                    if said.refused is not None:
                        raise said.refused
                    self._carry_out(number, said)
                except UnreachableDatabaseError:  # no answer to the tuner: its client is told to come again
                    raise
                except HippoError as error:
                    self._being_refused[number] = error
                num_done += 1
        finally:
            del self._held[:num_done]

    def _carry_out(self, number: int, said: SaidEntry) -> None:
        of = said.fields
        match said.kind:
            case "ask":
                self._request(number, _given(said.proposal), of.get("stream"))
            case "withdraw":
                self._withdraw(of["entries"])
            case "release":
                proposal = _given(said.proposal)
                self._source.call.book.release(_config_of(proposal), self._member_of(proposal.member))
            case "pin":
                proposal = _given(said.proposal)
                until = None if of.get("last") else proposal.until
                pins, member = self._source.call.pins, self._member_of(proposal.member)
                self._pins[number] = pins.pin(
                    _config_of(proposal), until, occurrence=proposal.occurrence, member=member
                )
            case "unpin":
                if of["entry"] in self._pins:
                    self._source.call.pins.unpin(self._pins.pop(of["entry"]))
            case "stream":
                self._open_stream(number)
            case "pulled":
                if stream := self._streams.get(of["stream"]):
                    stream.note_pulled(is_exhausted=of["exhausted"], seen=of["seen"])
            case "leave":
                if stream := self._streams.pop(of["stream"], None):
                    stream.leave.close()
            case "limit":
                self._limit(number, of["seconds"], of["device_seconds"])
            case "unlimit":
                if limit := self._limits.pop(of["entry"], None):
                    self._source.call.limits.remove(limit)
            case "queries":
                self._source.call.trials.queries.restore(self._member_of(of["member"]), of["told"])
            case "show":
                self._source.call.shown = of["text"]
            case _:
                raise AssertionError(f"nobody carries out {said.kind!r}")

    # --- asking

    def _member_of(self, named: str | None) -> str:
        if named is None:
            return self._source.members[0]
        if named not in self._source.members:
            raise TunerError(f"the study has no member {named!r}; it has {list(self._source.members)}")
        return named

    def _expect(self, asked: Sequence[Proposal]) -> None:
        by_member: dict[str, list[Proposal]] = {}
        for proposal in asked:
            by_member.setdefault(proposal.member or self._source.members[0], []).append(proposal)
        for member, together in sorted(by_member.items()):
            if member in self._source.members:
                self._source.call.trials.expect(together, member)

    def _request(self, number: int, proposal: Proposal, of_stream: int | None) -> None:
        member = self._member_of(proposal.member)
        stream = None if of_stream is None else self._streams.get(of_stream)
        if of_stream is not None and stream is None:
            raise RefusedError(f"entry {number} names a stream, {of_stream}, that is not open")
        if stream is not None:
            stream.demand.members.add(member)
        request, answer = self._source.request(proposal, member, comes_alone=proposal.comes_alone)
        self._open[number] = (request, answer)
        if stream is not None:
            stream.in_flight[request] = answer
            answer.add_done_callback(functools.partial(stream.note_answer, request, lambda: self._num_events))
        answer.add_done_callback(functools.partial(self._note_answer, number))

    def _withdraw(self, numbers: Sequence[int]) -> None:
        found = [self._open.pop(number) for number in numbers if number in self._open]
        self._source.withdraw(request for request, _ in found)

    def _open_stream(self, number: int) -> None:
        stream = RemoteStream(number, self._offer, self._source.call.note_pull)
        stream.leave.enter_context(self._source.streaming(stream))
        stream.demand.is_waiting = True
        self._streams[number] = stream

    def _limit(self, number: int, seconds: float | None, device_seconds: float | None) -> None:
        source = self._source
        ends_at = math.inf if seconds is None else source.clock.elapsed() + seconds
        most_s = math.inf if device_seconds is None else device_seconds
        if seconds is not None:
            source.wake_after(seconds)
        limit = self._limits[number] = Limit(
            lambda: source.was_complete or source.spent_s() >= most_s or source.clock.elapsed() >= ends_at
        )
        limit.cancel = lambda: self._say({"limit": number})
        source.call.limits.append(limit)

    # --- what the client is told

    def _offer(self, stream: int, room: int) -> None:
        self._say({"stream": stream, "room": room})

    def _note_answer(self, number: int, answer: asyncio.Future[Answer]) -> None:
        if self._open.pop(number, None) is None or answer.cancelled():
            return
        if not self._came:
            # All answers of one delivery are told in one go, and their callbacks follow one another on the loop: what
            # is behind them there finds them all. Nothing that awaits the first of them would.
            asyncio.get_running_loop().call_soon(self._tell)
        self._came.append((number, answer))

    def _tell(self) -> None:
        came, self._came = self._came, []
        told: list[list[Any]] = []
        for number, answer in came:
            if (error := answer.exception()) is not None:
                told.append([number, {"error": error_to_json(error)}])
            else:
                self._answers[number] = answer.result()
                told.append([number, answer_to_json(answer.result())])
        self._say({"answers": told})

    def _say(self, event: Mapping[str, Any]) -> None:
        self._num_events += 1
        self._think()
        self._outgoing.add({**event, "event": self._num_events, "ready": self._source.plans.ready_stages})


def _given(proposal: Proposal | None) -> Proposal:
    assert proposal is not None, "what names no config was refused when it was read"
    return proposal


def _config_of(proposal: Proposal) -> Any:
    return proposal.config
