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
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hippo.clock import Clock
from hippo.errors import HippoError, ServiceError, TunerError
from hippo.hparams import as_config
from hippo.records import Objective
from hippo.runtime import Asking
from hippo.runtime.loop import ControlThread
from hippo.runtime.observers import StudyEvent, StudyWarned
from hippo.runtime.warnings import say, warn
from hippo.server.call_journal import CallJournal, RemoteRequest
from hippo.server.link import AsyncConnection, ServiceLink, StaleCallError, UnreachableError
from hippo.server.study_events import study_event_from_json
from hippo.server.wire import (
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
        self._client = secrets.token_hex(8)
        self._path = ""
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
        self.loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[dict[str, Any]] = self.loop.create_future()
        self._renewed: asyncio.Future[None] = self.loop.create_future()
        try:
            await self._begin()
            self._hearing = self.loop.create_task(self._hear_trials())
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
            for task in (self._posting, self._polling, self._hearing):
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
        if self._hearing is not None:
            self._hearing.cancel()
            while await self._hear_some(0):  # what was told at the end
                pass
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

    def uncovered(self, proposal: Proposal) -> int:
        """Return how many steps of a config are missing; the loop waits for it."""
        question = {"uncovered": proposal_to_json(proposal, as_config(proposal.config))}
        while True:  # what was said before is known then
            batch = self.journal.next_batch()
            said = {**batch, "seen": self._seen, **(question if batch["quiet"] else {})}
            answer = self.setup.link.request("POST", f"{self._path}/entries", said)
            self._note_taken(answer)
            if batch["quiet"]:
                missing: int = answer["uncovered"]
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
        if self._posting is not None or self._renewing.locked():
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
            answer = await self._send("POST", "/entries", {**self.journal.next_batch(), "seen": self._seen})
            if answer is not None:
                self._note_taken(answer)

    def _note_taken(self, answer: Mapping[str, Any]) -> None:
        if (refused := self.journal.note_taken(answer)) is not None:
            self._fail(refused)

    async def _poll(self) -> None:
        try:
            answer = await self._send("GET", f"/answers?after={self._seen}&wait={_POLL_S}")
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
                    await asyncio.sleep(_FIRST_PAUSE_S)  # nothing more comes of a call that has ended
        except Exception as error:
            self._fail(error)

    async def _hear_some(self, wait_s: int) -> bool:
        """Pass on what the service tells of trials, and warns of; return whether that was anything."""
        begun, after = self._heard
        if begun != self._times_begun:
            begun, after = self._times_begun, 0
        answer = await self._send("GET", f"/told?after={after}&wait={wait_s}")
        if answer is None or begun != self._times_begun:
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
        return self.setup.link.request("GET", f"{self._path}/traces/{request.number}")

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
            "hears": "failures" if self.setup.hears_failures_only else True,
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
            self._renewed = self.loop.create_future()
            self._seen = 0
            self._inbox.clear()
            self.journal.say_all_again()


def _raised(ended: Mapping[str, Any]) -> HippoError | None:
    return None if ended["error"] is None else error_from_json(ended["error"])
