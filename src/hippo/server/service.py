"""What a service keeps while it runs: its studies, their calls, and the processes that describe their trainers.

One store, one engine, one place of checkpoints, all given by whoever started it: clients name none of them. This module
refuses to know HTTP; its coroutines run on the web front's loop, and what blocks is done in threads.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import json
import os
import secrets
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hippo.clock import SystemClock
from hippo.engines import AbstractEngine
from hippo.errors import (
    HippoError,
    OptionError,
    RefusedError,
    ServiceError,
    UnknownStudyError,
    UnreachableDatabaseError,
)
from hippo.plan import AbstractPlanStore, open_store
from hippo.runtime.studies.warnings import said_to_be_passed_on, say
from hippo.schedulers import FairShare
from hippo.server.describers import AllowedTrainers, Describer, SpareProcess
from hippo.server.enqueuing import EnqueuedTrials
from hippo.server.served_calls import EventLog, ServedCall, ServedStudy, TrialEventLog, UnknownCallError, call_on_web
from hippo.server.sessions import CallSession, SaidEntry
from hippo.server.silence import Silence
from hippo.server.study_events import PublishedEvents
from hippo.server.wire import MOST_NUMBER, check_text, error_to_json
from hippo.study import Study, create_study, load_study
from hippo.study.managing import study_names, unknown_study
from hippo.study.remote_calls import (
    begin_remote_call,
    end_remote_call,
    is_of_enqueued,
    study_facts,
    study_identity,
)

T = TypeVar("T")

#: how long a call that has ended is there for its client, which may be cut off from the service
ENDED_KEPT_S = 600.0
#: processes that describe trainers, and stay for the next call
MOST_DESCRIBERS = 8
_STOPPED = "the study was stopped at the service, by {}. The same script run again goes on"
_SUPERSEDED = (
    "another process went on with this call: the same script runs twice, on one study. Let one of them end, or give "
    "them studies of their own"
)
#: what a client may say of a study, as `create_study` takes it; all else is the service's
STUDY_OPTIONS = frozenset(
    {
        "aggregate",
        "checkpoint_every_s",
        "constraints",
        "direction",
        "environment",
        "evaluate_every",
        "hparams",
        "keep",
        "load_if_exists",
        "metric",
        "mode",
        "nan",
        "nondeterminism",
        "numerics",
        "seed",
        "seeds",
        "sharing",
        "step_timeout_s",
        "version",
    }
)


class StudyService:
    """All that one service serves.

    Args:
      storage: the database.
      engine: where to train.
      checkpoints: where states are kept.
      trainers: names of modules, or patterns of them, from which trainers may be taken.
      custom_sequences: import modules of sequences that clients name. That runs whatever they contain.
      checkpoint_budget: as for `create_study`.
      withdraw_after_s: withdraw what a client asked that was silent for so long; None: that waits for its script to be
        run again.

    Raises:
      OptionError: the engine trains in the thread that waits for a study, and no thread of a service does.
    """

    def __init__(
        self,
        storage: str | AbstractPlanStore,
        *,
        engine: AbstractEngine,
        checkpoints: str | None = None,
        trainers: Sequence[str],
        custom_sequences: bool = False,
        checkpoint_budget: str | int | None = "10GB",
        withdraw_after_s: float | None = None,
    ) -> None:
        if engine.trains_in_this_process:
            raise OptionError(
                f"{type(engine).__name__} trains in the thread that waits for a study, and in a service none does; "
                "give it hippo.LocalEngine(workers=1)"
            )
        self.store = open_store(storage)
        self.custom_sequences = custom_sequences
        self.enqueued = EnqueuedTrials(custom=custom_sequences)
        self._kept: dict[str, Any] = {"storage": self.store, "engine": engine, "checkpoints": checkpoints}
        self._budget = checkpoint_budget
        self._withdraw_after_s = withdraw_after_s
        self._withdrawals: set[asyncio.Task[None]] = set()
        self._allowed = AllowedTrainers(trainers)
        self._guard = threading.Lock()
        self._opening = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="hippo-opening")
        self._describers: dict[str, Describer] = {}
        self._spare = SpareProcess()
        self._studies: dict[int, ServedStudy] = {}
        self._calls: dict[str, ServedCall] = {}

    # --- studies

    async def create(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Make a study, or go on with it; see `create_study` for what is asked, and raised."""
        return await self._in_turn(self._create, dict(asked))

    def _create(self, asked: dict[str, Any]) -> dict[str, Any]:
        name, trainer = asked.pop("name", None), self._allowed.check(asked.pop("trainer", None))
        arguments, dataset = asked.pop("trainer_args", None), asked.pop("dataset", None)
        if unknown := sorted(asked.keys() - STUDY_OPTIONS):
            raise RefusedError(
                f"a study of a service is not told {unknown[0]!r}; it is told name, trainer, trainer_args, dataset and "
                f"{sorted(STUDY_OPTIONS)}. Where states are kept, and trained, is the service's choice"
            )
        order = {
            "trainer": trainer,
            "trainer_args": arguments,
            "dataset": dataset,
            "evaluate_every": asked.get("evaluate_every", 1),
            "numerics": asked.get("numerics", "exact"),
            "search_path": [os.path.abspath(entry) for entry in sys.path],
        }
        with self._guard:  # one at a time: two that make one study would both find none
            describer = self._described(order)
            # an allowed module may hold others, and what they hold: what counts is where the class itself is from
            self._allowed.check(describer.description.spec.reference)
            with said_to_be_passed_on() as said:
                study = create_study(
                    name,
                    trainer=describer.description,
                    checkpoint_budget=self._budget,
                    **self._kept,
                    **asked,
                )
            facts = study_facts(study)
            served = self._studies.get(facts["study"])
            if served is None or served.describer is not describer or _made_with(served.study) != _made_with(study):
                calls = {} if served is None else served.calls
                self._studies[facts["study"]] = ServedStudy(study, describer, calls)
        return {**facts, "said": said}

    def _described(self, order: Mapping[str, Any]) -> Describer:
        """Return what describes a trainer as its code is now: of a study that goes on, the process that has it."""
        key = json.dumps(order, sort_keys=True)
        fresh = Describer(order, self._spare)
        self._spare.refill()
        known, asked = (
            self._describers.get(key),
            {id(each.describer) for each in self._studies.values() if each.is_used},
        )
        if known is not None and known.description == fresh.description:
            fresh.close()
            fresh = known
        elif known is not None and id(known) not in asked:
            known.close()
        self._describers.pop(key, None)
        self._describers[key] = fresh  # the last that was used is the last
        for old in list(self._describers)[:-MOST_DESCRIBERS]:
            if id(self._describers[old]) not in asked:
                self._describers.pop(old).close()  # whoever asks it all the same has it start again
        return fresh

    async def load(self, name: Any, generation: Any) -> dict[str, Any]:
        """Open a study to read it."""
        return await self._in_turn(self._load, name, generation)

    async def _in_turn(self, do: Callable[..., T], *given: Any) -> T:
        """Return what `do` returns, in a thread of its own: one at a time, and nobody else waits for it."""
        return await asyncio.get_running_loop().run_in_executor(self._opening, do, *given)

    def _load(self, name: Any, generation: Any) -> dict[str, Any]:
        try:
            study = load_study(name, self.store, generation=generation)
        except UnknownStudyError:
            if name in self.names():
                raise  # it is of another generation, or not whole
            raise unknown_study(name, self.store, "at this service") from None  # clients have no database
        facts = study_facts(study)
        with self._guard:
            self._studies.setdefault(facts["study"], ServedStudy(study, None))
        return facts

    def names(self) -> list[str]:
        """Return the names of all studies."""
        return study_names(self.store)

    def study(self, number: int) -> ServedStudy:
        """Return a study that was opened since the service began.

        Raises:
          UnknownStudyError: it was not.
        """
        found = self._studies.get(number)
        if found is None:
            raise UnknownStudyError(f"no client has opened a study {number} since this service began")
        return found

    # --- calls

    async def begin(self, number: int, asked: Mapping[str, Any], fair_share: FairShare | None = None) -> str:
        """Begin a call, or go on with it, for a client with such a share; return its id.

        What was enqueued for the study, and did not end, goes on with it.
        """
        served = self.study(number)
        identity = study_identity(served.study)
        if asked.get("identity", identity) != identity:
            raise UnknownStudyError(f"study {number} of this service is another one: it has another database")
        if served.describer is None:
            raise UnknownStudyError(
                f"study {served.study.name!r} was opened to be read; create_study(..., storage='http://...') opens it "
                "to run tuners on it"
            )
        position, record, client = asked.get("position"), asked.get("record"), asked.get("client")
        if type(position) is not int or position < 0 or not isinstance(record, str) or not isinstance(client, str):
            raise RefusedError("a call has a position (0, 1, ...), a record and a client, both text")
        if position > MOST_NUMBER:
            raise RefusedError(f"the position of a call is {MOST_NUMBER} at most, not {position}")
        check_text("a record", record)
        if is_of_enqueued(record):
            raise RefusedError(f"records that begin with {record[:11]!r} are the service's own; give another one")
        if (hears := asked.get("hears", False)) not in (True, False, "failures"):
            raise RefusedError(f"hears is true, false or 'failures', not {hears!r}")
        await self._in_turn(self.enqueued.go_on, served, fair_share)
        while (before := served.calls.get(position)) is not None and not before.ended.is_set():
            if before.client == client:
                return before.id
            await self._supersede(before)
        call = self._begin(
            served,
            position,
            record,
            client,
            must_not_all_fail=bool(asked.get("must_not_all_fail", False)),
            hears=hears,
            fair_share=fair_share,
        )
        served.calls[position] = call
        return call.id

    async def _supersede(self, call: ServedCall) -> None:
        """End a call whose client is gone, or is about to hear so: its requests were kept for the one that comes."""
        call.is_superseded = True
        await self.close(call, "interrupted")
        await call.ended.wait()

    def _withdraw(self, call: ServedCall) -> None:
        """End a call whose client is silent, and forget it: a client that wakes up begins it anew, and goes on."""
        self._calls.pop(call.id, None)
        ending = asyncio.ensure_future(self.close(call, "interrupted"))
        self._withdrawals.add(ending)  # the loop itself keeps no task
        ending.add_done_callback(self._withdrawals.discard)

    def _begin(
        self,
        served: ServedStudy,
        position: int,
        record: str,
        client: str,
        *,
        must_not_all_fail: bool,
        hears: bool | str,
        fair_share: FairShare | None,
    ) -> ServedCall:
        web, events, told = asyncio.get_running_loop(), EventLog(), TrialEventLog(SystemClock()) if hears else None

        def publish(said: Sequence[Mapping[str, Any]]) -> None:  # on the control loop
            if "begun" in said[0]:
                call.loop = asyncio.get_running_loop()
                call_on_web(web, call.begun.set)
            else:
                call_on_web(web, events.extend, [(event["event"], json.dumps(event)) for event in said])

        call = ServedCall(
            id=secrets.token_hex(8),
            client=client,
            study=served,
            session=CallSession(publish),
            events=events,
            told=told,
            begun=asyncio.Event(),
            ended=asyncio.Event(),
            silence=Silence(self._withdraw_after_s, lambda: self._withdraw(call)),
        )
        self._calls[call.id] = call
        future = begin_remote_call(
            served.study,
            position,
            record,
            call.session.run,
            must_not_all_fail=must_not_all_fail,
            fair_share=fair_share,
            observers=() if told is None else (PublishedEvents(told.extend, web, failures_only=hears == "failures"),),
        )
        future.add_done_callback(lambda done: call_on_web(web, self._end, call, done, must_not_all_fail))
        return call

    def _end(self, call: ServedCall, done: concurrent.futures.Future[Any], is_of_tuner: bool) -> None:
        error: dict[str, str] | None = None
        if not done.cancelled() and isinstance(away := done.exception(), UnreachableDatabaseError):
            say("", here=f"study {call.study.study.name!r} goes on when its client reaches the database again: {away}")
            self._forget(call)  # its client hears that there is no such call, and begins it anew as soon as it can
            call.end()
            call.events.end()
            return
        if done.cancelled():
            state = "interrupted"
        elif (raised := done.exception()) is None:
            state = "complete"
            if call.stopped_by is not None:
                state, error = "interrupted", error_to_json(ServiceError(_STOPPED.format(call.stopped_by)))
        else:
            state, error = "failed", error_to_json(raised)
            if not isinstance(raised, HippoError):
                sys.excepthook(type(raised), raised, raised.__traceback__)
        if call.is_superseded:  # its client may wait for events at the moment, and asks for nothing after the end
            state, error = "interrupted", error_to_json(ServiceError(_SUPERSEDED))
        number = call.events.last + 1
        loop = asyncio.get_running_loop()
        loop.call_later(ENDED_KEPT_S, self._forget, call)
        has_optimized = is_of_tuner and state == "complete"
        ending = functools.partial(end_remote_call, call.study.study, has_optimized=has_optimized)
        loop.run_in_executor(None, ending)  # failures that were counted are told of here
        call.end()
        call.events.extend([(number, json.dumps({"event": number, "ended": state, "error": error, "ready": 0}))])

    def _forget(self, call: ServedCall) -> None:
        """Forget a call that has ended: a client that asks for it all the same begins it anew, and is told as much."""
        self._calls.pop(call.id, None)
        for position, known in list(call.study.calls.items()):
            if known is call:
                del call.study.calls[position]

    def call(self, study: int, call: str) -> ServedCall:
        """Return a call of a study.

        Raises:
          UnknownCallError: there is none.
        """
        found = self._calls.get(call)
        if found is None or found.study.study._opened.row.study != study:
            raise UnknownCallError()
        if found.is_superseded:
            raise ServiceError(_SUPERSEDED)
        return found

    async def take(
        self, call: ServedCall, first: int, entries: Sequence[SaidEntry], *, seen: int, is_quiet: bool
    ) -> dict[int, HippoError] | None:
        """Take in what a client says; return, by number, why some of it cannot be asked.

        None: the call has ended, and nobody is asked any more. Its end is what the client hears next; told that there
        is no such call, it would begin it anew, and undo that it was stopped.
        """
        entries = await asyncio.to_thread(_looked_at, call.study.describer, entries)

        def take() -> dict[int, HippoError]:
            refused = call.session.take(first, entries, is_quiet=is_quiet)
            if is_quiet:
                call.session.note_seen(seen)
            return refused

        return await _unless_ended(call, take)

    async def seen(self, call: ServedCall, event: int) -> None:
        """Note what a client's tuner has seen, and has nothing more to say to."""
        call.events.forget(event)
        await _unless_ended(call, lambda: call.session.note_seen(event))

    async def close(self, call: ServedCall, state: str) -> None:
        """End a call as its tuner ended; what it pays for is waited for by whoever reads its events."""
        await _unless_ended(call, lambda: call.session.close(state))

    def end(self) -> None:
        """End the processes that describe trainers; the engine is ended by whoever made it."""
        self._spare.close()
        for describer in self._describers.values():
            describer.close()


def _made_with(study: Study) -> object:
    """Return what a study was made with that may be otherwise when it is made again."""
    opened = study._opened
    return opened.settings, opened.wait, opened.step_timeout_s, dict(opened.plans)


async def _unless_ended(call: ServedCall, do: Callable[[], T]) -> T | None:
    """Return what `do` returns on the control loop; None if the call has ended, or does meanwhile."""
    try:
        return await call.on_loop(do)
    except UnknownCallError:
        if not call.ended.is_set():
            raise
        return None


def _looked_at(describer: Describer | None, entries: Sequence[SaidEntry]) -> list[SaidEntry]:
    """Return the entries, those refused whose config the trainer cannot be trained with; its own process says so."""
    assert describer is not None, "a study that is only read has no calls"
    asked = [(i, said.proposal) for i, said in enumerate(entries) if said.kind in ("ask", "pin") and said.proposal]
    if not asked:
        return list(entries)
    checked = list(entries)
    refused = describer.check([(proposal.config, proposal.until) for _, proposal in asked])  # type: ignore[misc]
    for (i, _), error in zip(asked, refused, strict=True):
        if error is not None and entries[i].refused is None:
            checked[i] = SaidEntry(
                kind=entries[i].kind, proposal=entries[i].proposal, fields=entries[i].fields, refused=error
            )
    return checked
