"""A call of a tuner in this process that is answered by a service elsewhere.

The tuner runs on a control loop as it does beside a runtime; what it asks until it is quiet is one batch, and it hears
one event after another, quiet in between. So it decides as it would on the service's own machine.

All that it asked is kept until the call ends. A service that was restarted knows nothing of the call: it is begun anew
there, all is asked again, and answers that the tuner has heard are passed over. This module refuses to know studies.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import json
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hippo.clock import Clock
from hippo.errors import HippoError, ServiceError, TunerError
from hippo.hparams import Config, as_config
from hippo.records import Answer, Objective
from hippo.runtime import Asking
from hippo.runtime.limits import Limit
from hippo.runtime.loop import ControlThread
from hippo.runtime.streams import RequestStream
from hippo.runtime.warnings import say
from hippo.server.link import AsyncConnection, ServiceLink, StaleCallError, UnreachableError
from hippo.server.wire import (
    MOST_BYTES,
    MOST_ENTRIES,
    answer_from_json,
    error_from_json,
    number_from_json,
    numbers_from_json,
    proposal_to_json,
)
from hippo.tuners.ask import Proposal

T = TypeVar("T")

#: how long a poll waits for events
_POLL_S = 25
#: how long a service may be gone before the call ends; the script run again goes on
PATIENCE_S = 600.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0


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


class RemoteTrace(Mapping[int, T]):
    """Step -> what training said along the way to an answer, fetched when it is first looked at."""

    def __init__(self, fetch: Callable[[], Mapping[int, T]]) -> None:
        self._fetch = functools.cache(fetch)

    def __getitem__(self, step: int) -> T:
        return self._fetch()[step]

    def __iter__(self) -> Iterator[int]:
        return iter(self._fetch())

    def __len__(self) -> int:
        return len(self._fetch())


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSetup:
    """What a call is begun with, as often as it has to be."""

    link: ServiceLink
    #: makes the study known to the service, and returns its number
    open_study: Callable[[], int]
    position: int
    record: str
    must_not_all_fail: bool
    members: Sequence[str]
    objectives: Sequence[Objective]
    clock: Clock


class RemoteCall:
    """One call: what its tuner says goes into batches, what the service says back to the tuner.

    Args:
      setup: what it is begun with.
    """

    def __init__(self, setup: CallSetup) -> None:
        self.setup = setup
        self.ready_stages = 0
        self._client = secrets.token_hex(8)
        self._path = ""
        #: what the service has not taken in yet, and the number of the first of it
        self._outbox: list[dict[str, Any]] = []
        self._first = 0
        self._seen = 0
        self._inbox: deque[dict[str, Any]] = deque()
        #: all that was asked, in order
        self._requests: list[RemoteRequest] = []
        self._by_number: dict[int, RemoteRequest] = {}
        self._streams: list[PulledStream] = []
        self._limits: list[OpenLimit] = []
        #: entries that hold as long as nobody takes them back: pins
        self._lasting: dict[int, dict[str, Any]] = {}
        self._released: list[dict[str, Any]] = []
        self._posting: asyncio.Task[None] | None = None
        self._polling: asyncio.Task[None] | None = None
        self._tuner: asyncio.Task[Any] | None = None
        self._failure: Exception | None = None
        self._renewing = asyncio.Lock()
        self._times_begun = 0

    # --- its life

    def start(self, asking: Asking, make_ask: Callable[[RemoteCall], Any]) -> concurrent.futures.Future[Any]:
        """Begin the call; the future holds what `asking` returns, and cancelling it interrupts the call."""
        loop = ControlThread.take(self._on_quiet)

        async def run() -> Any:
            try:
                return await self._run(asking, make_ask)
            finally:
                self._tuner = None

        future = loop.submit(run())
        future.add_done_callback(lambda _: loop.loop.call_soon_threadsafe(loop.give_back))
        return future

    async def _run(self, asking: Asking, make_ask: Callable[[RemoteCall], Any]) -> Any:
        self._connection: AsyncConnection = self.setup.link.connection()
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._renewed: asyncio.Future[None] = self._loop.create_future()
        try:
            await self._begin()
            coroutine = asking(make_ask(self))
            if not asyncio.iscoroutine(coroutine):
                raise TunerError(f"tune(self, ask) is no coroutine, but returned {coroutine!r}")
            self._tuner = asyncio.create_task(coroutine)
            try:
                return await self._served(self._tuner)
            except asyncio.CancelledError:
                await self._leave("interrupted")
                raise
        finally:
            for task in (self._posting, self._polling):
                if task is not None:
                    task.cancel()
            await self._connection.close()

    async def _served(self, tuner: asyncio.Task[Any]) -> Any:
        waited: list[asyncio.Future[Any]] = [tuner, self._ended]
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not tuner.done():  # the service ended the call
            tuner.cancel()
            await asyncio.wait([tuner])
        if self._failure is not None:
            await self._leave("interrupted")
            raise self._failure
        if self._ended.done():
            raise _raised(self._ended.result()) or ServiceError("the service ended the call before its tuner did")
        if tuner.cancelled() or tuner.exception() is not None:
            await self._leave("failed")
            return tuner.result()
        while not self._ended.done():  # as often as the service is restarted before it has told the end
            renewed = self._renewed
            await self._flush()
            if await self._send("POST", "/close", {"state": "complete"}) is not None:
                told: list[asyncio.Future[Any]] = [self._ended, renewed]
                await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED)
        ended = self._ended.result()
        if self._failure is not None:
            raise self._failure
        if (error := _raised(ended)) is not None:
            raise error
        return tuner.result()

    async def _leave(self, state: str) -> None:
        """Tell the service that the tuner ended before its time, if it listens."""
        try:
            async with asyncio.timeout(2.0):
                await self._connection.request("POST", f"{self._path}/close", {"state": state})
        except (HippoError, TimeoutError):
            pass  # it waits for the script to be run again, as after a kill

    # --- what the service is told

    def say(self, entry: dict[str, Any]) -> int:
        """Add an entry to the next batch; return its number."""
        self._outbox.append(entry)
        return self._first + len(self._outbox) - 1

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
        limit = OpenLimit(Limit(lambda: False), seconds, device_seconds, self.setup.clock.elapsed())
        self._limits.append(limit)
        self._say_limit(limit)
        return limit

    def _say_limit(self, limit: OpenLimit) -> None:
        passed = self.setup.clock.elapsed() - limit.begun_at
        left = None if limit.seconds is None else max(0.0, limit.seconds - passed)
        limit.number = self.say({"kind": "limit", "seconds": left, "device_seconds": limit.device_seconds})

    def end_limit(self, limit: OpenLimit) -> None:
        """Leave a block."""
        self._limits.remove(limit)
        self.say({"kind": "unlimit", "entry": limit.number})

    def uncovered(self, proposal: Proposal) -> int:
        """Return how many steps of a config are missing; the loop waits for it."""
        said = {**self._batch(self._outbox), "uncovered": proposal_to_json(proposal, as_config(proposal.config))}
        answer = self.setup.link.request("POST", f"{self._path}/entries", said)
        self._note_taken(answer)
        missing: int = answer["uncovered"]
        return missing

    def _batch(self, entries: Sequence[dict[str, Any]], *, is_quiet: bool = True) -> dict[str, Any]:
        return {"first": self._first, "seen": self._seen, "quiet": is_quiet, "entries": list(entries)}

    def _note_taken(self, answer: Mapping[str, Any]) -> None:
        gone = max(0, answer["taken"] - self._first)
        del self._outbox[:gone]
        self._first += gone
        for number, told in answer["refused"].items():
            request, error = self._by_number.get(int(number)), error_from_json(told)
            if request is None:
                self._fail(error)
            elif not request.answer.done():
                request.answer.set_exception(error)

    # --- turns

    def _on_quiet(self) -> bool:
        """Do the next thing, now that the tuner waits: hear one event, or say what was said, or ask for events."""
        if self._tuner is None or self._ended.done():
            return False
        if self._inbox:
            self._hear(self._inbox.popleft())
            return True
        for stream in self._streams:
            if stream.is_granted and stream.requests.demand.is_waiting:
                stream.is_granted = False
                self.say({"kind": "pulled", "stream": stream.number, "exhausted": stream.requests.demand.is_exhausted})
        if self._posting is not None or self._renewing.locked():
            return False
        if self._outbox:
            self._posting = self._loop.create_task(self._post())
            return True
        if self._polling is None:
            self._polling = self._loop.create_task(self._poll())
            return True
        return False

    async def _post(self) -> None:
        try:
            await self._flush()
        except Exception as error:
            self._fail(error)
        finally:
            self._posting = None

    async def _flush(self) -> None:
        while self._outbox:
            chunk, size = 0, 0
            while chunk < min(len(self._outbox), MOST_ENTRIES) and size < MOST_BYTES // 4:
                size += len(json.dumps(self._outbox[chunk]))
                chunk += 1
            batch = self._batch(self._outbox[:chunk], is_quiet=chunk == len(self._outbox))
            answer = await self._send("POST", "/entries", batch)
            if answer is not None:
                self._note_taken(answer)

    async def _poll(self) -> None:
        try:
            answer = await self._send("GET", f"/answers?after={self._seen}&wait={_POLL_S}")
            if answer is not None:
                self._inbox += [event for event in answer["events"] if event["event"] > self._seen]
        except Exception as error:
            self._fail(error)
        finally:
            self._polling = None

    def _hear(self, event: Mapping[str, Any]) -> None:
        self._seen, self.ready_stages = event["event"], event["ready"]
        for number, told in event.get("answers", ()):
            self._settle(self._by_number[number], told)
        if "room" in event:
            self._grant(
                next(s for s in [*self._streams, None] if s is None or s.number == event["stream"]), event["room"]
            )
        if "limit" in event:
            for limit in self._limits:
                if limit.number == event["limit"]:
                    limit.limit.end()
        if "ended" in event:
            self._ended.set_result(dict(event))

    def _settle(self, request: RemoteRequest, told: Mapping[str, Any]) -> None:
        if request.answer.done():
            return
        if "error" in told:
            request.answer.set_exception(error_from_json(told["error"]))
            return
        fetch = functools.cache(functools.partial(self._traces, request))
        training: RemoteTrace[Any] = RemoteTrace(
            lambda: {int(step): numbers_from_json(found) for step, found in fetch()["train_metrics"].items()}
        )
        seconds: RemoteTrace[float] = RemoteTrace(
            lambda: {int(step): number_from_json(found) for step, found in fetch()["step_seconds"].items()}
        )
        request.answer.set_result(answer_from_json(told, request.config, train_metrics=training, step_seconds=seconds))

    def _traces(self, request: RemoteRequest) -> Mapping[str, Any]:
        return self.setup.link.request("GET", f"{self._path}/traces/{request.number}")

    def _grant(self, stream: PulledStream | None, room: int) -> None:
        """Give a stream room; of a service that was restarted, it has pulled with some of it before."""
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

    def _fail(self, error: Exception) -> None:
        """End the call by an error that is not its tuner's."""
        self._failure = self._failure or error
        if not self._ended.done():
            self._ended.set_result({"ended": "failed", "error": None})

    # --- the service

    async def _begin(self) -> None:
        """Begin the call, or begin it anew."""
        study = await asyncio.to_thread(self.setup.open_study)
        said = {
            "position": self.setup.position,
            "record": self.setup.record,
            "client": f"{self._client}-{self._times_begun}",  # equal where the same beginning is tried again
            "must_not_all_fail": self.setup.must_not_all_fail,
        }
        answer = await self._connection.request("POST", f"/v1/studies/{study}/calls", said)
        self._path = f"/v1/studies/{study}/calls/{answer['call']}"
        self._times_begun += 1

    async def _send(self, method: str, path: str, said: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
        """Return what the service answers about this call; None if the call was begun anew meanwhile.

        Raises:
          HippoError: it refused that, or was gone for too long.
        """
        begun, since, pause_s = self._times_begun, self.setup.clock.elapsed(), _FIRST_PAUSE_S
        while begun == self._times_begun:
            try:
                try:
                    return await self._connection.request(method, f"{self._path}{path}", said)
                except StaleCallError:
                    await self._renew(begun)
            except UnreachableError as error:
                if self.setup.clock.elapsed() - since > PATIENCE_S:
                    raise
                if pause_s == _FIRST_PAUSE_S:
                    say(f"{error}; trying again for {PATIENCE_S / 60:.0f} minutes")
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        return None

    async def _renew(self, begun: int) -> None:
        """Begin the call anew at a service that knows nothing of it, and ask all again."""
        async with self._renewing:
            if begun != self._times_begun:
                return
            await self._begin()
            self._renewed.set_result(None)
            self._renewed = self._loop.create_future()
            self._outbox, self._first, self._seen = [], 0, 0
            self._inbox.clear()
            lasting, self._lasting, self._by_number = list(self._lasting.values()), {}, {}
            pulled = {id(r) for stream in self._streams for requests in stream.history for r in requests}
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


def _raised(ended: Mapping[str, Any]) -> HippoError | None:
    return None if ended["error"] is None else error_from_json(ended["error"])
