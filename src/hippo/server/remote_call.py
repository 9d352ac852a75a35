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
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hippo.clock import Clock
from hippo.errors import HippoError, ServiceError, TunerError
from hippo.records import Objective
from hippo.runtime import Asking
from hippo.runtime.loop import ControlThread
from hippo.runtime.studies.observers import StudyEvent, StudyWarned
from hippo.runtime.studies.warnings import warn
from hippo.runtime.waiters import awaited_what_it_cancelled
from hippo.server.call_journal import CallJournal, RemoteRequest
from hippo.server.call_line import CallLine
from hippo.server.link import ServiceLink, StaleCallError
from hippo.server.study_events import study_event_from_json
from hippo.server.wire import (
    answer_from_json,
    error_from_json,
    number_from_json,
    numbers_from_json,
)
from hippo.tuners.ask import Proposal

T = TypeVar("T")

#: how long a poll waits for events
_POLL_S = 25
#: between two looks at what is told of a call that has ended
_PAUSE_S = 0.1


class CallEndedError(ServiceError):
    """The service has ended a call whose tuner asks something."""


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
    #: makes the study known to the service, unless it is by what the service said last; returns its number
    open_study: Callable[[], int]
    position: int
    record: str
    #: what no other study has, wherever it is
    identity: str
    must_not_all_fail: bool
    members: Sequence[str]
    objectives: Sequence[Objective]
    clock: Clock
    #: hears what happens to trials at the service
    observe: Callable[[StudyEvent], None]
    #: of all that, nothing but trials that fail
    hears_failures_only: bool


class RemoteCall:
    """One call: what its tuner says goes into batches, what the service says back to the tuner.

    Args:
      setup: what it is begun with.
    """

    def __init__(self, setup: CallSetup) -> None:
        self.setup = setup
        self.ready_stages = 0
        self.journal = CallJournal(setup.clock)
        self._seen = 0
        self._inbox: deque[dict[str, Any]] = deque()
        self._posting: asyncio.Task[None] | None = None
        self._polling: asyncio.Task[None] | None = None
        self._hearing: asyncio.Task[None] | None = None
        #: the last event of a trial that was heard, and of which beginning of the call
        self._heard = (0, 0)
        self._tuner: asyncio.Task[Any] | None = None
        self._failure: Exception | None = None
        said = {
            "position": setup.position,
            "record": setup.record,
            "identity": setup.identity,
            "must_not_all_fail": setup.must_not_all_fail,
            "hears": "failures" if setup.hears_failures_only else True,
        }
        self._line = CallLine(setup.link, setup.open_study, said, setup.clock, self._begin_anew)

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
        self.loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[dict[str, Any]] = self.loop.create_future()
        self._renewed: asyncio.Future[None] = self.loop.create_future()
        try:
            await self._line.begin()
            self._hearing = self.loop.create_task(self._hear_trials())
            coroutine = asking(make_ask(self))
            if not asyncio.iscoroutine(coroutine):
                raise TunerError(f"tune(self, ask) is no coroutine, but returned {coroutine!r}")
            self._tuner = asyncio.create_task(coroutine)
            try:
                return await self._served(self._tuner)
            except asyncio.CancelledError:
                await self._line.leave("interrupted")
                raise
        finally:
            for task in (self._posting, self._polling, self._hearing):
                if task is not None:
                    task.cancel()
            await self._line.close()

    async def _served(self, tuner: asyncio.Task[Any]) -> Any:
        waited: list[asyncio.Future[Any]] = [tuner, self._ended]
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if tuner.done() and not tuner.cancelled() and isinstance(tuner.exception(), CallEndedError):
            await asyncio.wait([self._ended])  # it is told why
        if not tuner.done():  # the service ended the call
            tuner.cancel()
            await asyncio.wait([tuner])
        if self._failure is not None:
            await self._line.leave("interrupted")
            raise self._failure
        if self._ended.done():
            raise _raised(self._ended.result()) or ServiceError("the service ended the call before its tuner did")
        if tuner.cancelled() or tuner.exception() is not None:
            await self._line.leave("failed")
            if tuner.cancelled():
                raise awaited_what_it_cancelled()
            return tuner.result()
        while not self._ended.done():  # as often as the service is restarted before it has told the end
            renewed = self._renewed
            await self._flush()
            if await self._line.send("POST", "/close", {"state": "complete"}) is not None:
                told: list[asyncio.Future[Any]] = [self._ended, renewed]
                await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED)
        ended = self._ended.result()
        if self._failure is not None:
            raise self._failure
        if self._hearing is not None:
            self._hearing.cancel()
            while await self._hear_some(0):  # what was told at the end
                pass
        if (error := _raised(ended)) is not None:
            raise error
        return tuner.result()

    def uncovered(self, proposal: Proposal) -> int:
        """Return how many steps of a config are missing; the loop waits for it."""
        said = self.journal.queries.next(proposal)
        while True:
            batch = self.journal.next_batch()  # what was said before is known then
            question = said if batch["quiet"] else {}
            answer = self._line.send_now("POST", "/entries", {**batch, "seen": self._seen, **question})
            if answer is None:  # the call was begun anew: all is to be said first
                continue
            self._note_taken(answer)
            if question:
                if "uncovered" not in answer:
                    raise CallEndedError("the call has ended at the service")
                missing: int = answer["uncovered"]
                self.journal.queries.note(proposal, missing)
                return missing

    # --- turns

    def _on_quiet(self) -> bool:
        """Do the next thing, now that the tuner waits: hear one event, or say what was said, or ask for events."""
        if self._tuner is None or self._ended.done():
            return False
        if self._inbox:
            self._hear(self._inbox.popleft())
            return True
        self.journal.note_pulls(self._seen)
        if self._posting is not None or self._line.is_renewing:
            return False
        if self.journal.outbox:
            self._posting = self.loop.create_task(self._post())
            return True
        if self._polling is None:
            self._polling = self.loop.create_task(self._poll())
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
        while self.journal.outbox:
            answer = await self._line.send("POST", "/entries", {**self.journal.next_batch(), "seen": self._seen})
            if answer is not None:
                self._note_taken(answer)

    def _note_taken(self, answer: Mapping[str, Any]) -> None:
        if (refused := self.journal.note_taken(answer)) is not None:
            self._fail(refused)

    async def _poll(self) -> None:
        try:
            answer = await self._line.send("GET", f"/answers?after={self._seen}&wait={_POLL_S}")
            if answer is not None:
                self._inbox += [event for event in answer["events"] if event["event"] > self._seen]
        except Exception as error:
            self._fail(error)
        finally:
            self._polling = None

    async def _hear_trials(self) -> None:
        try:
            while True:
                if not await self._hear_some(_POLL_S):
                    await asyncio.sleep(_PAUSE_S)  # nothing more comes of a call that has ended
        except Exception as error:
            self._fail(error)

    async def _hear_some(self, wait_s: int) -> bool:
        """Pass on what the service tells of trials, and warns of; return whether that was anything."""
        begun, after = self._heard
        if begun != self._line.times_begun:
            begun, after = self._line.times_begun, 0
        answer = await self._line.send("GET", f"/told?after={after}&wait={wait_s}")
        if answer is None or begun != self._line.times_begun:
            return False
        for event in answer["events"]:
            if (missing := event["event"] - after - 1) > 0:
                warn(
                    f"callbacks miss {missing} events: the service forgets them for a script that is away for long. "
                    "Run again, it is told all of them"
                )
            after, told = event["event"], study_event_from_json(event["told"])
            if isinstance(told, StudyWarned):
                warn(told.message)
            else:
                self.setup.observe(told)
        self._heard = (begun, after)
        return bool(answer["events"])

    def _hear(self, event: Mapping[str, Any]) -> None:
        self._seen, self.ready_stages = event["event"], event["ready"]
        for number, told in event.get("answers", ()):
            self._settle(self.journal.request_of(number), told)
        if "room" in event:
            self.journal.grant(event["stream"], event["room"])
        if "limit" in event:
            self.journal.end_block(event["limit"])
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
        try:
            return self._line.look_up(f"/traces/{request.number}")
        except StaleCallError:
            raise ServiceError(
                "what training said on the way to this answer is not at the service any more: it was started again, or "
                "the call ended long ago. The script run again has it"
            ) from None

    def _fail(self, error: Exception) -> None:
        """End the call by an error that is not its tuner's."""
        self._failure = self._failure or error
        if not self._ended.done():
            self._ended.set_result({"ended": "failed", "error": None})

    def _begin_anew(self) -> None:
        """Say all again: the service knows nothing of the call."""
        self._renewed.set_result(None)
        self._renewed = self.loop.create_future()
        self._seen = 0
        self._inbox.clear()
        self.journal.say_all_again()


def _raised(ended: Mapping[str, Any]) -> HippoError | None:
    return None if ended["error"] is None else error_from_json(ended["error"])
