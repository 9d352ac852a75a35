"""The control loop's business: tuners ask, plans remember, engines run, answers come back.

This is where calls begin and end; between the two, `coordinator` decides what happens and `shell` carries it out. Read
those for the order of things, and `opening` for who may write to a plan. Everything here runs on the loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.engines import AbstractEngine
from hippo.events import AssignmentDone, SlotLost
from hippo.plan import AbstractPlanStore, StudyRow
from hippo.records import NodeId, Stop, TrainerSpec
from hippo.runtime.calls import Call, CheckConfig
from hippo.runtime.coordinator import Coordinator, Surroundings
from hippo.runtime.observers import Observer
from hippo.runtime.opening import OpenPlans
from hippo.runtime.participants import Participant, StateWait
from hippo.runtime.plan_run import PlanRun
from hippo.runtime.replay import DeliveryLog
from hippo.runtime.replicates import AGGREGATES, Replicates
from hippo.runtime.settings import NondeterminismPolicy, Progress, Settings, Statistics
from hippo.runtime.shell import Shell
from hippo.runtime.study_state import StudyState
from hippo.runtime.tuner_ask import TunerAsk
from hippo.runtime.warnings import say
from hippo.schedulers import AbstractScheduler, Standing

#: what a call runs: a tuner's `tune`, or anything else that asks
Asking = Callable[[TunerAsk], Coroutine[Any, Any, Any]]

#: who waits longer for its last states to be written is told why
_LONG_WRITE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a study brings to its runtime."""

    store: AbstractPlanStore
    study: StudyRow
    settings: Settings
    spec: TrainerSpec
    check_config: CheckConfig
    #: what it may claim among other studies; None if nobody cares
    standing: Standing | None = None
    #: how the answers of several seeds become one; see `hippo.runtime.replicates`
    aggregate: str = "mean"
    #: wait while another process writes to the plan
    wait: bool = True
    #: a call of which all trials fail ends with an error
    must_not_all_fail: bool = False
    #: a step that takes longer counts as lost; None: for ever
    step_timeout_s: float | None = None
    #: who hears what happens to its trials
    observers: Sequence[Observer] = ()


class Control:
    """All that happens on the loop of one engine."""

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
        self._requests = 0
        #: that which the engine was told of last; None before its start
        self._loop: asyncio.AbstractEventLoop | None = None
        self._plans = OpenPlans(checkpoints=checkpoints, clock=clock, environment=engine.environment)
        surroundings = Surroundings(
            describe=engine.describe,
            is_virtual=engine.virtual_time is not None,
            work_outlives=engine.work_outlives_process,
        )
        self._coordinator = Coordinator(self._plans, scheduler=scheduler, clock=clock, surroundings=surroundings)
        self._shell = Shell(self._coordinator, self._plans, engine, clock)
        #: do what can be done; whether there was anything to do
        self.turn = self._shell.turn
        #: what calls tell the coordinator
        self.note_withdrawal = self._coordinator.note_withdrawal
        self.note_leaving = self._coordinator.note_leaving

    @property
    def is_idle(self) -> bool:
        """Whether nothing needs the loop: no call, no work, nothing to be written or told."""
        return self._plans.are_idle and self._shell.is_idle and self._engine.is_idle

    def _start_engine(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            self._coordinator.is_watching = False  # the timer went with the other loop
            self._shell.begin_on_loop()
            self._engine.start(self._shell.take, checkpoints=self._checkpoints, clock=self._clock)

    # --- calls

    async def run_call(self, jobs: Sequence[Job], position: int, record: str, asking: Asking) -> Any:
        """Begin a tuner call, or go on with it, and return what `asking` returns.

        Args:
          jobs: the study's; one for each seed if it has several.
          position: number of the call in its script.
          record: identifies the tuner.
          asking: asks.
        """
        async with AsyncExitStack() as stack:
            members = [await stack.enter_async_context(self._using(job)) for job in jobs]
            rows = [study.begin_call(position, record) for _, study in members]
            pasts = [study.take_up(row) for (_, study), row in zip(members, rows, strict=True)]
            log = DeliveryLog([past.deliveries for past in pasts])
            calls = [
                Call(self, study, run, row, past=past, log=log, member=number, check_config=jobs[number].check_config)
                for number, ((run, study), row, past) in enumerate(zip(members, rows, pasts, strict=True))
            ]
            for call, job in zip(calls, jobs, strict=True):
                call.study.standing = job.standing
                call.leader = None if call is calls[0] else calls[0]
                stack.enter_context(self._taking_part(call))
            source = calls[0] if len(calls) == 1 else Replicates(calls, AGGREGATES[jobs[0].aggregate])
            state = "interrupted"
            try:
                result = await calls[0].answer(asking(TunerAsk(source)))
                state = "interrupted" if calls[0].was_ended else "complete"
            except Exception:
                state = "failed"
                raise
            finally:
                for call in calls:
                    call.close(state)
            for run, study in members:
                await self._wait_written(run, study, is_leaving=calls[0].was_ended)
            if state == "complete" and jobs[0].must_not_all_fail:
                for (_, study), row in zip(members, rows, strict=True):
                    study.refuse_all_failed(row)
                    study.say_if_nothing_asked(row)
            return result

    async def make_state(self, job: Job, node: int, step: int) -> None:
        """Have the state at a point made, if it is not there, and written."""
        async with self._using(job) as (run, study):
            wait = StateWait(run, study, NodeId(node), step)
            with self._taking_part(wait):
                try:
                    await wait.future
                finally:
                    wait.close()

    @contextmanager
    def _taking_part(self, participant: Participant) -> Iterator[None]:
        participants, store = self._coordinator.participants, participant.study.store
        participants.append(participant)
        try:
            yield
        finally:
            participants.remove(participant)
            failed = self._write(store)
        if failed is not None:
            raise failed

    def _write(self, store: AbstractPlanStore) -> Exception | None:
        """Make all durable that was changed; return why it is not possible."""
        return self._shell.carry_out(self._coordinator.write(store)).get(store.uuid)

    @asynccontextmanager
    async def _using(self, job: Job) -> AsyncIterator[tuple[PlanRun, StudyState]]:
        """Be the writer of the job's plan for as long as the block lasts, or longer if others use it."""
        self._start_engine()
        job = replace(job, store=self._plans.store_of(job.store))
        run = await self._plans.wait_for(job.store, job.study, job.study.plan, job.spec, wait=job.wait)
        if run.spec != job.spec:  # the same workload, brought anew: by another name, or with another version="..."
            run.spec = job.spec
            self._coordinator.reopen(job.spec.workload)
        run.users += 1
        try:
            # Keys of states name the epoch: two writers of one, the first of them killed, would write to the same.
            if run.users == 1 and (failed := self._write(job.store)) is not None:
                raise failed
            if job.settings.sharing and job.settings.nondeterminism is NondeterminismPolicy.STOP:
                run.require_exact()
            with self._plans.study(job.store, job.study, job.settings) as state:
                state.step_timeout_s = job.step_timeout_s
                with state.announcer.heard_by(job.observers):
                    yield run, state
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
                        lease.owes(study) or (is_leaving and lease.payer is study) for lease in run.running.values()
                    )
                )
            )
        finally:
            telling.cancel()

    # --- what calls need

    def next_request(self) -> int:
        """Return a number for a request, larger than any before."""
        self._requests += 1
        return self._requests

    @property
    def ready_stages(self) -> int:
        """How many stages could start now."""
        return self._plans.ready_stages

    def elapsed(self) -> float:
        """Return seconds on a clock that never goes back."""
        return self._clock.elapsed()

    def wake_after(self, seconds: float) -> None:
        """Take a turn when so much time has passed."""
        self._clock.call_later(seconds, lambda: None)

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
        for participant in list(self._coordinator.participants):
            if participant.study.store.uuid == store.uuid and participant.study.row.study == study:
                participant.end()

    async def force(self) -> None:
        """End the engine's slots as they stand; it opens others when there is work again."""
        await self._engine.close(timeout_s=0.0)
        slots = self._coordinator.work.slots
        for slot, lease in slots.leases():  # it ended as we wanted: that is no loss of a worker
            self._shell.take(AssignmentDone(lease=lease, slot=slot))
        for slot in slots.ids():
            self._shell.take(SlotLost(slot=slot, reason="stopped by the study"))
        self._coordinator.reopen_all()
        self._shell.absorb()
        self._cancel_all()

    async def end(self) -> None:
        """End everything that was started."""
        self._cancel_all()
        if self._loop is not None:
            await self._engine.close(timeout_s=2.0)
        self._shell.flush()
        self._plans.release_all()

    def _cancel_all(self) -> None:
        for participant in list(self._coordinator.participants):
            participant.cancel()
        self._plans.cancel_waiting()

    # --- what watchers see

    def statistics(self, store: AbstractPlanStore, study: int) -> Statistics | None:
        """Return what a study counted, but for `trial_seconds`; None before its first call."""
        state = self._plans.known_study(store, study)
        return None if state is None else state.statistics()

    def progress(self, store: AbstractPlanStore, study: int) -> Progress | None:
        """Return how far a study is; None before its first call."""
        state = self._plans.known_study(store, study)
        if state is None:
            return None
        own = [participant for participant in self._coordinator.participants if participant.study is state]
        runs = {id(participant.run): participant.run for participant in own}.values()
        remaining = [run.remaining() for run in runs]
        return state.progress(
            steps_left=sum(steps for steps, _ in remaining),
            seconds_left=sum(seconds for _, seconds in remaining) / max(1, len(self._coordinator.work.slots)),
            may_ask_more=any(isinstance(participant, Call) and participant.may_ask_more for participant in own),
        )
