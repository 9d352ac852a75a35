"""The control loop's business: tuners ask, plans remember, engines run, answers come back.

This is where calls begin and end; between the two, `coordinator` decides what happens and `shell` carries it out. Read
those for the order of things, and `opening` for who may write to a plan. Everything here runs on the loop's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.engines import AbstractEngine
from hippo.errors import StudyStoppedError
from hippo.events import AssignmentDone, SlotLost
from hippo.plan import AbstractPlanStore, CallState, StudyRow
from hippo.records import FUSED, NodeId, Stop, TrainerSpec
from hippo.runtime.asking.calls import Call
from hippo.runtime.asking.participants import Participant
from hippo.runtime.beginnings import Beginnings
from hippo.runtime.call_source import CallSource
from hippo.runtime.engine_files import EngineFiles
from hippo.runtime.held_states import HeldState
from hippo.runtime.lock_waits import LockWaits
from hippo.runtime.other_waits import OtherWaits
from hippo.runtime.plans.formations import COMPANY, bits_depend_on_company
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.shell import Shell
from hippo.runtime.studies.asked_trials import AskedTrials, CheckConfig
from hippo.runtime.studies.observers import Observer
from hippo.runtime.studies.settings import NondeterminismPolicy, Settings
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.studies.warnings import say
from hippo.runtime.study_looks import StudyLooks
from hippo.runtime.tuner_ask import TunerAsk
from hippo.runtime.turns.coordinator import Coordinator, EngineTraits
from hippo.runtime.turns.room import forget_spare
from hippo.runtime.waiters import CallTask, Waiter
from hippo.runtime.wanted_states import WantedStates
from hippo.schedulers import AbstractScheduler, FairShare
from hippo.tuners import Ask

#: what a call runs: a tuner's `tune`, or anything else that asks
Asking = Callable[[Ask], Coroutine[Any, Any, Any]]

#: who waits longer for its last states to be written is told why
_LONG_WRITE_S = 2.0
#: how long tuners that are cancelled may take to clean up when everything ends
_LEAVING_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberPlan:
    """Where a member of a study is trained, and how."""

    plan: int
    spec: TrainerSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a study brings to its runtime."""

    store: AbstractPlanStore
    study: StudyRow
    settings: Settings
    #: name of each member of the study -> its plan, and how it is trained there
    members: Mapping[str, MemberPlan]
    check_config: CheckConfig
    #: its part of the slots' time beside other studies; None if its user gave none
    fair_share: FairShare | None = None
    #: wait while another process writes to the plan
    wait: bool = True
    #: a call of which all trials fail ends with an error
    must_not_all_fail: bool = False
    #: its user is elsewhere, and has neither the storage nor the study itself
    is_remote: bool = False
    #: a step that takes longer counts as lost; None: for ever
    step_timeout_s: float | None = None
    #: that trials have the study's metrics is known before any is answered
    has_metrics: bool = False
    #: who hears what happens to its trials
    observers: Sequence[Observer] = ()
    #: told the position of a call that `end_study` has ended, before it returns
    note_stopped: Callable[[int], None] | None = None


class Control:
    """The control loop of one engine: begins and ends calls, and has the coordinator and the shell do the rest."""

    def __init__(
        self,
        engine: AbstractEngine,
        *,
        checkpoints: str | AbstractCheckpointStore,
        scheduler: AbstractScheduler,
        clock: Clock,
    ) -> None:
        self._engine = engine
        self._checkpoints = checkpoints
        self._clock = clock
        #: that which the engine was told of last; None before its start
        self._loop: asyncio.AbstractEventLoop | None = None
        is_virtual = engine.virtual_time is not None
        self._files = EngineFiles(checkpoints, is_virtual=is_virtual, tell=say)
        self._plans = OpenPlans(
            clock=clock, environment=engine.environment, remove_unfinished=self._files.remove_unfinished
        )
        traits = EngineTraits(
            describe=engine.describe,
            is_virtual=is_virtual,
            work_outlives=engine.work_outlives_process,
            max_lanes=engine.max_lanes,
            max_width=engine.max_width,
            slots_may_differ=engine.slots_may_differ,
            scales=engine.scales,
        )
        self._lock_waits = LockWaits(self._plans)
        self._coordinator = Coordinator(self._plans, scheduler=scheduler, clock=clock, traits=traits)
        self._shell = Shell(self._coordinator, self._plans, engine, clock, self._files)
        self._states = WantedStates(
            self._coordinator, self._shell, self._plans, clock, self._files, taking_part=self._taking_part
        )
        #: what watchers see
        self.looks = StudyLooks(self._plans, self._coordinator)
        #: do what can be done; whether there was anything to do
        self.turn = self._shell.turn

    @property
    def is_idle(self) -> bool:
        """Whether nothing needs the loop: no call, no work, nothing to be written or told."""
        return self._plans.are_idle and not self._lock_waits and self._shell.is_idle and self._engine.is_idle

    def _start_engine(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._coordinator.is_watching = False  # the timer went with the other loop
            self._shell.begin_on_loop()
            self._engine.start(self._shell.take, checkpoints=self._checkpoints, clock=self._clock)

    # --- calls

    async def run_call(self, job: Job, position: int, record: str, asking: Asking) -> Any:
        """Begin a tuner call, or go on with it, and return what `asking` returns.

        Args:
          job: the study's.
          position: number of the call in its script.
          record: identifies the tuner.
          asking: asks.
        """
        async with AsyncExitStack() as stack:
            # when all else has ended, so that whoever comes next finds no plan locked to make room
            stack.push_async_callback(self._shell.until, lambda: not self._coordinator.budget.is_looking(job.store))
            # In the order of the plans, whatever that of the members is: two processes that want the same ones never
            # wait for each other.
            taken = sorted(job.members.items(), key=lambda item: item[1].plan)
            try:
                runs = {name: await stack.enter_async_context(self._using(job, member)) for name, member in taken}
            except StudyStoppedError:
                _note_stopped(job, position)
                return None  # as of a call that was ended
            study = stack.enter_context(self._study_of(job))
            study.fair_share = job.fair_share
            row = study.begin_call(position, record)
            of_members = {name: runs[name] for name in job.members}
            past, other_waits = study.take_up(row), OtherWaits()
            call = Call(
                study,
                of_members,
                row,
                AskedTrials(study, of_members, row, past=past, check_config=job.check_config),
                past=past,
                notes=self._coordinator.notes,
                is_busy=other_waits.is_busy,
            )
            write = functools.partial(self._write, job.store)
            beginnings = Beginnings(call, self._states)
            source = CallSource(call, self._shell.futures, self._plans, self._clock, write, beginnings)
            task = CallTask(source, other_waits)
            stack.enter_context(self._taking_part(call, task))
            state = CallState.INTERRUPTED
            try:
                result = await task.run(asking(TunerAsk(source)))
                state = CallState.INTERRUPTED if task.was_ended else CallState.COMPLETE
            except Exception:
                state = CallState.FAILED
                raise
            finally:
                task.close(state)
            for run in runs.values():
                await self._wait_written(run, study, is_leaving=task.was_ended)
            if task.error is not None:  # it came when the tuner had all its answers: a state could not be written, say
                raise task.error
            if state == CallState.INTERRUPTED:
                _note_stopped(job, position)
            if state == CallState.COMPLETE and job.must_not_all_fail:
                study.refuse_all_failed(row, is_remote=job.is_remote)
                study.say_if_nothing_asked(row)
            return result

    async def hold_state(self, job: Job, member: str, node: int, step: int, held: HeldState) -> None:
        """Have the state at a point of a member's plan made, if it is not there, and written, and hold it there."""
        try:
            async with self._using(job, job.members[member]) as run:
                with self._study_of(job) as study:
                    async with self._states.written(study, run, run.plan.nodes[NodeId(node)], step):
                        held.made.set_result(None)
                        await asyncio.wrap_future(held.read)
        except asyncio.CancelledError:
            held.made.cancel()
            raise
        except Exception as error:
            if held.made.done():
                raise
            held.made.set_exception(error)

    @contextmanager
    def _study_of(self, job: Job) -> Iterator[StudyState]:
        with self._plans.studies.use(self._plans.store_of(job.store), job.study, job.settings) as study:
            study.take_in({name: member.plan for name, member in job.members.items()})
            study.step_timeout_s = job.step_timeout_s
            study.book.has_metrics |= job.has_metrics
            with study.announcer.heard_by(job.observers):
                yield study

    @contextmanager
    def _taking_part(self, participant: Participant, waiter: Waiter) -> Iterator[None]:
        participants, store = self._coordinator.participants, participant.study.store
        participants.append(participant)
        self._shell.waiters[participant] = waiter
        failed: Exception | None = None
        try:
            yield
        except BaseException as error:
            failed = self._write(store)
            if failed is not None and failed is not error and isinstance(error, Exception):
                # it may hold an answer that rests on what could not be written; the same once more says nothing
                raise failed from (None if str(failed) == str(error) else error)
            raise
        else:
            failed = self._write(store)
        finally:
            del self._shell.waiters[participant]
            participants.remove(participant)
        if failed is not None:
            raise failed

    def _write(self, store: AbstractPlanStore) -> Exception | None:
        """Make all durable that was changed; return why it is not possible."""
        return self._shell.carry_out(self._coordinator.write(store)).get(store.uuid)

    @asynccontextmanager
    async def _using(self, job: Job, member: MemberPlan) -> AsyncIterator[PlanRun]:
        """Be the writer of a plan of the job for as long as the block lasts, or longer if others use it."""
        self._start_engine()
        store = self._plans.store_of(job.store)
        run = await self._lock_waits.wait_for(store, job.study, member.plan, member.spec, wait=job.wait)
        if run.spec != member.spec:  # the same workload, brought anew: by another name, or with another version="..."
            run.spec = member.spec
            self._coordinator.reopen(member.spec.workload)
        run.users += 1
        try:
            # Keys of states name the epoch: two writers of one, the first of them killed, would write to the same.
            if (failed := self._write(store)) is not None:  # and what a call is about to read is in the store
                raise failed
            if (message := self._coordinator.eligibility.welcome(run)) is not None:  # slots that opened for others
                say(message)
            if job.settings.sharing and job.settings.nondeterminism is NondeterminismPolicy.STOP:
                run.require_exact()
            _say_what_bits_depend_on(run)
            yield run
        finally:
            run.users -= 1
            if not run.users:
                self._shell.carry_out(self._coordinator.leave(run))

    async def _wait_written(self, run: PlanRun, study: StudyState, *, is_leaving: bool) -> None:
        """Wait until the states that a study was answered at, and has to pay for, are written.

        Args:
          is_leaving: the study was told to end: whatever it pays for stops at the next step's end, and is waited for.
        """
        telling = asyncio.get_running_loop().call_later(
            _LONG_WRITE_S, say, f"study {study.row.name!r} has all its answers; its last states are being written"
        )
        try:
            await self._shell.until(
                lambda: (
                    not any(
                        lease.owes(study) or (is_leaving and study in lease.payers) for lease in run.running.values()
                    )
                )
            )
        finally:
            telling.cancel()

    async def keep_only_best(self, store: AbstractPlanStore, plans: Iterable[int]) -> None:
        """Remove the states of plans that nobody would miss, as far as nobody trains on them."""
        self._shell.flush()
        for plan in plans:
            self._files.remove(forget_spare(store, plan, there=self._files.there()))

    # --- stopping

    async def stop(self) -> None:
        """Stop cleanly: running lanes leave a checkpoint at their step's end, then everybody ends."""
        self._shell.flush()  # whoever asked for it may kill us before they are through
        for _, lease in self._coordinator.work.slots.leases():
            self._engine.send(Stop(lease=lease))
        self._coordinator.is_holding = True
        try:
            await self._shell.until(lambda: not any(run.running for run in self._plans))
            self._cancel_all()
            await asyncio.sleep(0)  # they leave before work is given out again
        finally:
            self._coordinator.is_holding = False

    async def end_study(self, store: AbstractPlanStore, study: int) -> None:
        """Have the calls of one study end as if their tuners had come to an end."""
        for participant, waiter in list(self._shell.waiters.items()):
            if participant.study.store.uuid == store.uuid and participant.study.row.study == study:
                waiter.end()
        self._lock_waits.end(store, study)

    async def force(self) -> None:
        """End the engine's slots as they stand; it opens others when there is work again."""
        await self._close_engine(timeout_s=0.0)
        self._cancel_all()

    async def end(self) -> None:
        """End everything that was started; locks are given up when all who hold them have left."""
        self._coordinator.is_holding = True
        self._cancel_all()
        if self._loop is not None:
            await self._close_engine(timeout_s=2.0)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LEAVING_S):
                while self._coordinator.participants:
                    await asyncio.sleep(0)
        self._shell.flush()
        self._plans.release_all()
        self._files.close()

    async def _close_engine(self, *, timeout_s: float) -> None:
        """Close the engine, and take its work as ended."""
        await self._engine.close(timeout_s=timeout_s)
        slots = self._coordinator.work.slots
        for slot, lease in slots.leases():  # it ended as we wanted: that is no loss of a worker
            self._shell.take(AssignmentDone(lease=lease, slot=slot))
        for slot in slots.ids():
            self._shell.take(SlotLost(slot=slot, reason="stopped by the study"))
        self._coordinator.reopen_all()
        self._shell.absorb()

    def _cancel_all(self) -> None:
        for waiter in list(self._shell.waiters.values()):
            waiter.cancel()
        self._lock_waits.cancel()


def _say_what_bits_depend_on(run: PlanRun) -> None:
    """Say once of a plan whose lanes may be walked as one that its results may depend on which are."""
    environment = run.environment  # empty, or without threads: an engine that trains nothing, or says nothing
    depends = "threads" in environment and bits_depend_on_company(FUSED, environment)
    if run.spec.numerics == FUSED and depends and run.is_news(COMPANY):
        where = f"{environment['threads']} threads on {environment.get('device')}"
        say(
            f"numerics='fused' with {where}: the last bits of a trial's results may depend on the trials that are "
            "walked beside it. On a CPU, threads=1 keeps them apart; numerics='fused-fast' says that it does not "
            "matter."
        )


def _note_stopped(job: Job, position: int) -> None:
    if job.note_stopped is not None:
        job.note_stopped(position)
