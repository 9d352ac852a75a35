"""The control loop's business: tuners ask, plans remember, engines run, answers come back.

Whenever all tuners are quiet it takes a turn, in this order: turn events into facts, make them durable, give answers,
and, if there is nothing to answer, give out work. Nothing is given out while a tuner might still ask, so requests
issued together are seen together. Everything here runs on the loop's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.clock import Clock
from hippo.engines import AbstractEngine
from hippo.errors import (
    CheckpointError,
    EngineError,
    EnvironmentChangedError,
    PlanLockedError,
    StudyDeletedError,
    TrainerError,
    did_you_mean,
)
from hippo.events import (
    AssignmentDone,
    CheckpointFailed,
    CheckpointWritten,
    EngineEvent,
    EngineFailed,
    HparamsUnread,
    LaneEvent,
    SlotLost,
    SlotOpened,
    StatesResident,
    TrainerUnusable,
)
from hippo.plan import AbstractPlanStore, PlanRow, SearchPlan, StudyRow
from hippo.records import LeaseId, NodeId, Stop, TrainerSpec
from hippo.runtime.announcer import announce_step
from hippo.runtime.calls import Call, CheckConfig
from hippo.runtime.claims import next_chains, share_room
from hippo.runtime.facts import Outcome, absorb
from hippo.runtime.observers import Observer
from hippo.runtime.participants import Participant, StateWait
from hippo.runtime.plan_run import PlanRun
from hippo.runtime.replay import DeliveryLog
from hippo.runtime.replicates import AGGREGATES, Replicates
from hippo.runtime.settings import NondeterminismPolicy, Progress, Settings, Statistics
from hippo.runtime.slots import SlotTable
from hippo.runtime.stuck import StuckSteps
from hippo.runtime.study_state import StudyState
from hippo.runtime.tuner_ask import TunerAsk
from hippo.runtime.warnings import say, warn
from hippo.schedulers import AbstractScheduler, Chain, Standing, place, wanted_states

#: what a call runs: a tuner's `tune`, or anything else that asks
Asking = Callable[[TunerAsk], Coroutine[Any, Any, Any]]

#: how often the store is asked whether somebody deleted a study that runs
_LOOK_FOR_DELETED_S = 1.0
#: how often a plan is tried that another process has
_LOOK_FOR_LOCK_S = 0.1
#: who waits longer for its last states to be written is told why
_LONG_WRITE_S = 2.0
#: how often it is looked whether running steps get on
_LOOK_FOR_STUCK_S = 1.0


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


def _key_of(job: Job) -> tuple[str, int]:
    """Return what names a job's plan: the database, and the plan's number in it."""
    return job.store.uuid, job.study.plan


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
        self._scheduler = scheduler
        self._clock = clock
        self._stores: dict[str, AbstractPlanStore] = {}
        self._runs: dict[tuple[str, int], PlanRun] = {}
        self._studies: dict[tuple[str, int], StudyState] = {}
        self._participants: list[Participant] = []
        self._slots = SlotTable()
        self._opened: set[str] = set()
        self._inbox: list[EngineEvent] = []
        self._run_of: dict[LeaseId, PlanRun] = {}
        self._requests = 0
        self._leases = 0
        self._is_started = False
        #: somebody withdrew a request: there may be work that nobody waits for
        self._may_shorten = False
        #: somebody was told to end, and has not yet
        self._somebody_leaves = False
        #: no work is given out while running work is waited for
        self._is_holding = False
        #: woken whenever events were taken in
        self._sleepers: list[asyncio.Future[None]] = []
        self._waiting_for_plans: set[asyncio.Task[Any]] = set()
        self._warned_unread: set[tuple[str, ...]] = set()
        self._looked_for_deleted = clock.elapsed()
        self._stuck = StuckSteps()
        self._is_watching = False
        #: leases that wait for room in the checkpoint store
        self._short_of_room: set[LeaseId] = set()
        #: a lease beside which nothing else runs: there was not enough for both
        self._alone: LeaseId | None = None

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
        self._participants.append(participant)
        try:
            yield
        finally:
            self._participants.remove(participant)
            failed = self._commit()
        if id(participant.study.store) in failed:
            raise failed[id(participant.study.store)]

    @asynccontextmanager
    async def _using(self, job: Job) -> AsyncIterator[tuple[PlanRun, StudyState]]:
        """Be the writer of the job's plan for as long as the block lasts, or longer if others use it."""
        if not self._is_started:
            self._engine.start(self._inbox.append, checkpoints=self._checkpoints, clock=self._clock)
            self._is_started = True
        # each study opened the database by itself; what they change is made durable together
        job = replace(job, store=self._stores.setdefault(job.store.uuid, job.store))
        run = await self._wait_for_plan(job)
        if run.spec != job.spec:  # the same workload, brought anew: by another name, or with another version="..."
            run.spec = job.spec
            self._opened.discard(job.spec.workload)
        run.users += 1
        try:
            if job.settings.sharing and job.settings.nondeterminism is NondeterminismPolicy.STOP:
                run.require_exact()
            state = self._state_of(job)
            with state.announcer.heard_by(job.observers):
                yield run, state
        finally:
            run.users -= 1
            if not run.users:
                self._send_shortenings(run)  # the lock goes when the last work has ended
            if not run.is_used:
                self._let_go(run)

    async def _wait_for_plan(self, job: Job) -> PlanRun:
        """Return the job's plan, with the right to write to it; wait for another process that has it.

        Raises:
          PlanLockedError: somebody has it, and the job does not wait; or it is another engine of this process.
        """
        is_told = False
        while True:
            run = self._runs.get(_key_of(job))
            if run is not None and run.is_used:
                return run
            try:
                return self._take_over(job, run)
            except PlanLockedError as error:
                if error.is_held_here or not job.wait:
                    raise
                if not is_told:
                    is_told = True
                    holder = str(error).partition(". ")[0]
                    say(f"study {job.study.name!r} waits, since {holder}. It goes on when that one ends.")
            task = asyncio.current_task()
            assert task is not None, "calls run in tasks"
            self._waiting_for_plans.add(task)
            try:
                # A thread that waits for the lock would notice at once, but could not be told to give up.
                await asyncio.sleep(_LOOK_FOR_LOCK_S)
            finally:
                self._waiting_for_plans.discard(task)

    def _let_go(self, run: PlanRun) -> None:
        """Let go of a plan's lock, and forget what memory knows beyond the database: others may write there now."""
        run.lock.release()
        key = (run.store.uuid, run.plan.row.plan)
        studies = [study for study in self._studies.values() if (study.store.uuid, study.row.plan) == key]
        if self._runs.get(key) is run and (run.plan.has_changes or any(study.has_changes for study in studies)):
            del self._runs[key]
            self._forget_studies(key)

    def _forget_studies(self, plan: tuple[str, int]) -> None:
        self._studies = {
            key: study for key, study in self._studies.items() if (study.store.uuid, study.row.plan) != plan
        }

    def _take_over(self, job: Job, run: PlanRun | None) -> PlanRun:
        """Take the plan's lock, and the plan as it is now; `run` is how we knew it."""
        lock = job.store.lock(job.study.plan)
        lock.acquire()
        try:
            row = job.store.rows(PlanRow, plan=job.study.plan)[0]
            if run is None or run.plan.row.epoch != row.epoch:  # somebody else has written since
                run = PlanRun(job.store, row, job.spec, self._clock)
                self._forget_studies(_key_of(job))
                self._remove_unfinished(f"{job.store.uuid}/p{job.study.plan}")
            run.lock = lock
            run.check_environment(self._engine.environment())
            run.take_over()
        except BaseException:
            lock.release()
            raise
        self._runs[_key_of(job)] = run
        self._leases = max(self._leases, run.plan.last_lease)
        return run

    def _remove_unfinished(self, prefix: str) -> None:
        """Remove what killed workers of this plan left half written; nobody writes there while we hold its lock."""
        if isinstance(self._checkpoints, str) and not self._checkpoints.startswith("memory:"):
            with contextlib.suppress(CheckpointError):  # whoever writes there next is told
                open_checkpoints(self._checkpoints).remove_unfinished(prefix)

    async def _wait_written(self, run: PlanRun, study: StudyState, *, is_leaving: bool) -> None:
        """Wait until the states that a study was answered at, and has to pay for, are written.

        Args:
          is_leaving: the study was told to end: whatever it pays for stops at the next step's end, and is waited for.
        """
        telling = asyncio.get_running_loop().call_later(
            _LONG_WRITE_S, say, f"study {study.row.name!r} has all its answers; its last states are being written"
        )
        try:
            await self._until(
                lambda: (
                    not any(
                        lease.owes(study) or (is_leaving and lease.payer is study) for lease in run.running.values()
                    )
                )
            )
        finally:
            telling.cancel()

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Wait until events have brought about a condition."""
        while not condition():
            woken = asyncio.get_running_loop().create_future()
            self._sleepers.append(woken)
            await woken

    def _state_of(self, job: Job) -> StudyState:
        key = (job.store.uuid, job.study.study)
        if key not in self._studies:
            self._studies[key] = StudyState(job.store, job.study, job.settings)
        self._studies[key].settings = job.settings
        self._studies[key].step_timeout_s = job.step_timeout_s
        return self._studies[key]

    # --- what calls need

    def next_request(self) -> int:
        """Return a number for a request, larger than any before."""
        self._requests += 1
        return self._requests

    def note_withdrawal(self) -> None:
        """Look, when all is quiet, for work that nobody waits for any more."""
        self._may_shorten = True

    def note_leaving(self) -> None:
        """Let whoever was told to end speak before work is given out."""
        self._somebody_leaves = True

    @property
    def ready_stages(self) -> int:
        """How many stages could start now."""
        return sum(run.tree.num_ready for run in self._runs.values())

    def elapsed(self) -> float:
        """Return seconds on a clock that never goes back."""
        return self._clock.elapsed()

    def wake_after(self, seconds: float) -> None:
        """Take a turn when so much time has passed."""
        self._clock.call_later(seconds, lambda: None)

    # --- stopping

    async def stop(self) -> None:
        """Stop cleanly: running lanes leave a checkpoint at their step's end, then everybody ends."""
        for _, lease in self._slots.leases():
            self._engine.send(Stop(lease=lease))
        self._is_holding = True
        try:
            await self._until(lambda: not any(run.running for run in self._runs.values()))
            self._cancel_all()
            await asyncio.sleep(0)  # they leave before work is given out again
        finally:
            self._is_holding = False

    async def end_study(self, store: AbstractPlanStore, study: int) -> None:
        """Have the calls of one study end as if their tuners had come to an end."""
        for participant in list(self._participants):
            if participant.study.store.uuid == store.uuid and participant.study.row.study == study:
                participant.end()

    async def force(self) -> None:
        """End the engine's slots as they stand; it opens others when there is work again."""
        await self._engine.close(timeout_s=0.0)
        for slot, lease in self._slots.leases():  # it ended as we wanted: that is no loss of a worker
            self._inbox.append(AssignmentDone(lease=lease, slot=slot))
        self._lose_all_slots("stopped by the study")
        self._absorb_inbox()
        self._cancel_all()

    async def end(self) -> None:
        """End everything that was started."""
        self._cancel_all()
        if self._is_started:
            await self._engine.close(timeout_s=2.0)
        for run in self._runs.values():
            run.lock.release()

    def _cancel_all(self) -> None:
        for participant in list(self._participants):
            participant.cancel()
        for task in self._waiting_for_plans:
            task.cancel()

    def _lose_all_slots(self, reason: str) -> None:
        self._opened.clear()
        self._inbox += [SlotLost(slot=slot, reason=reason) for slot in self._slots.ids()]

    # --- a turn

    def turn(self) -> bool:
        """Do what can be done; return whether there was anything to do."""
        try:
            return self._turn()
        except Exception as error:
            self._fail_all(error)
            return True

    def _turn(self) -> bool:
        absorbed = self._absorb_inbox()
        pulling = [participant for participant in self._participants if participant.pulls_again]
        for participant in pulling:
            participant.replay_pull()
        if pulling:
            return True
        deliveries = [delivery for participant in self._participants for delivery in participant.deliver()]
        if deliveries:
            self._commit()  # a store that fails takes its calls with it: nobody is told then
            for delivery in deliveries:
                delivery.tell()
            return True  # tuners speak before work is given out
        if self._somebody_leaves:
            self._somebody_leaves = False
            return True  # and what they no longer want is withdrawn before
        if self._may_shorten:
            self._may_shorten = False
            for run in self._runs.values():
                self._send_shortenings(run)
        return self._give_out() or self._offer_room() or absorbed

    def _absorb_inbox(self) -> bool:
        if not self._inbox:
            return False
        outcomes: dict[int, tuple[PlanRun, Outcome]] = {}
        while self._inbox:
            events = self._inbox[:]
            self._inbox.clear()
            for event in events:
                self._absorb(event, outcomes)
        self._commit()  # facts are durable before anybody hears of them
        for run, outcome in outcomes.values():
            for request in outcome.answerable:
                request.call.become_answerable(request)
            for message in outcome.warnings:
                warn(message)
            for alarm in outcome.alarms:
                self._alarm(run, alarm)
            for error in outcome.errors[:1]:
                self._fail(error, [p for p in self._participants if p.run is run])
        for run, _ in outcomes.values():  # its last work may have ended
            if not run.is_used:
                self._let_go(run)
        self._fail_deleted_studies()
        sleepers, self._sleepers = self._sleepers, []
        for woken in sleepers:
            if not woken.done():
                woken.set_result(None)
        return True

    def _absorb(self, event: EngineEvent, outcomes: dict[int, tuple[PlanRun, Outcome]]) -> None:
        if isinstance(event, LaneEvent) and event.lease in self._run_of:
            self._stuck.note(event.lease, self._clock.elapsed())
        if isinstance(event, CheckpointWritten):
            self._note_room(event.lease)
        match event:
            case SlotOpened(slot=slot, environment=environment):
                self._slots.open(slot)
                self._compare_environment(environment)
            case SlotLost(slot=slot, reason=reason):
                lost = self._slots.lose(slot)
                for run in self._runs.values():
                    run.plan.lose_slot(slot)
                if lost is not None:
                    outcome = self._end_lease(lost, "lost", outcomes, reason)
                    outcome.warnings.append(f"a worker was lost ({reason}); its stages run again")
            case AssignmentDone(lease=lease, slot=slot):
                self._end_lease(lease, "done", outcomes)
                self._run_of.pop(lease, None)  # it has said all that it will say
                self._slots.release(slot)
            case StatesResident():
                self._slots.note_states(event)
                for run in self._runs.values():
                    run.note_residents(event)
            case EngineFailed(reason=reason):
                self._lose_all_slots("the engine failed")
                self._fail_all(EngineError(reason))
            case HparamsUnread():
                self._warn_unread(event)
            case TrainerUnusable(workload=workload, reason=reason):
                self._opened.discard(workload)
                self._fail(TrainerError(reason), [p for p in self._participants if p.run.spec.workload == workload])
            case CheckpointFailed(is_waiting=True, lease=lease, reason=reason):
                self._pause_for(lease, reason)
            case CheckpointFailed(lease=lease, reason=reason):
                # what is in memory only would be trained again and again
                self._fail(CheckpointError(reason), [p for p in self._participants if p.run is self._run_of.get(lease)])
            case _:
                known = self._run_of.get(event.lease)
                if known is None or not known.is_used:
                    return  # a late word; and if we no longer hold the plan's lock, another process may write to it
                run, outcome = self._outcome_of(event.lease, outcomes)
                running = run.running.get(event.lease)
                absorb(run, event, None if running is None else running.payer, outcome)
                if any(participant.study.announcer.is_heard for participant in self._participants):
                    announce_step(run, event)

    def _pause_for(self, lease: LeaseId, reason: str) -> None:
        """Say, once for each shortage, that work waits for room in the checkpoint store."""
        if not self._short_of_room:
            say(f"paused: {reason} Running steps wait for room, and nothing is lost; free some, or stop with Ctrl-C.")
        self._short_of_room.add(lease)

    def _note_room(self, lease: LeaseId) -> None:
        """Note that a lease waits no longer."""
        if lease in self._short_of_room:
            self._short_of_room.discard(lease)
            if not self._short_of_room:
                say("there is room again: going on.")

    def _end_lease(
        self, lease: LeaseId, how: str, outcomes: dict[int, tuple[PlanRun, Outcome]], reason: str = ""
    ) -> Outcome:
        self._stuck.forget(lease)
        self._short_of_room.discard(lease)
        self._alone = None if self._alone == lease else self._alone
        if lease not in self._run_of:
            return Outcome()  # it ended before
        run, outcome = self._outcome_of(lease, outcomes)
        run.end_lease(lease, how, outcome, reason)
        return outcome

    def _outcome_of(self, lease: LeaseId, outcomes: dict[int, tuple[PlanRun, Outcome]]) -> tuple[PlanRun, Outcome]:
        run = self._run_of[lease]
        return outcomes.setdefault(id(run), (run, Outcome()))

    # --- what goes wrong

    def _compare_environment(self, environment: Mapping[str, str]) -> None:
        """Compare what a worker says with what the engine said it would be."""
        for run in self._runs.values():
            if run.is_used:
                try:
                    run.check_environment(environment)
                except EnvironmentChangedError as error:
                    self._fail(error, [p for p in self._participants if p.run is run])

    def _fail_deleted_studies(self) -> None:
        """End the calls of studies that somebody deleted; other studies go on."""
        now = self._clock.elapsed()
        if now - self._looked_for_deleted < _LOOK_FOR_DELETED_S:
            return
        self._looked_for_deleted = now
        for participant in self._participants:
            row = participant.study.row
            if participant.study.store.rows(StudyRow, study=row.study)[0].deleted:
                error = StudyDeletedError(
                    f"study {row.name!r} was deleted while it ran. What was trained stays in the search plan: a study "
                    "made again with the same trainer goes on from there."
                )
                self._fail(error, [participant])

    def _warn_unread(self, event: HparamsUnread) -> None:
        if event.names not in self._warned_unread:
            self._warned_unread.add(event.names)
            hints = "".join(did_you_mean(name, event.read) for name in event.names)
            warn(
                f"the trainer did not look at {sorted(event.names)} in its first step; it read {sorted(event.read)}."
                f"{hints}"
            )

    def _alarm(self, run: PlanRun, alarm: Exception) -> None:
        for participant in [p for p in self._participants if p.run is run]:
            settings = participant.study.settings
            if settings.nondeterminism is NondeterminismPolicy.WARN or not settings.sharing:
                warn(str(alarm))
            else:
                self._fail(alarm, [participant])

    def _fail_all(self, error: Exception) -> None:
        self._fail(error, self._participants)

    def _fail(self, error: Exception, concerned: Sequence[Participant]) -> None:
        for participant in list(concerned):
            participant.fail(error)
            self._somebody_leaves = True

    # --- giving out work

    def _give_out(self) -> bool:
        """Give out work; return whether there was any to give, or anything to say about work under way."""
        if self._is_holding:
            return False
        runs = [run for run in self._runs.values() if len(run.tree)]
        busy = self._tell_running(runs) | self._open_workloads(runs)
        free = self._slots.num_free
        chains = next_chains(self._scheduler, runs, self._participants, limit=free) if free and runs else []
        chains = self._uncrowded(chains, runs)
        workloads = [run.key for run in runs]
        assignments = []
        for slot, chain in place(chains, self._slots.free(wanted_states(chains, workloads)), workloads):
            self._leases += 1
            run, lease = runs[chain.tree], LeaseId(self._leases)
            served = run.requests_on(chain.stages)
            assignments.append((run, run.assign(chain.stages, slot, lease, served)))
            for request in served:
                request.call.mark_running(request)
            self._run_of[lease] = run
            self._slots.take(slot.id, lease)
        failed = self._commit()  # a lease is durable before its work begins
        for run, assignment in assignments:
            if id(run.store) in failed:
                self._absorb(AssignmentDone(lease=assignment.lease, slot=assignment.slot), {})  # it never began
            else:
                self._stuck.note(assignment.lease, self._clock.elapsed())
                self._engine.submit(assignment)
        self._watch_for_stuck()
        return busy or bool(assignments)

    def _uncrowded(self, chains: list[Chain], runs: Sequence[PlanRun]) -> list[Chain]:
        """Return the chains to give out now: those for which resources ran out before come last, and each by itself."""
        if self._alone is not None:
            return []
        fine = [chain for chain in chains if not runs[chain.tree].is_crowded(chain.stages)]
        if fine or not chains or self._slots.leases():
            return fine
        self._alone = LeaseId(self._leases + 1)  # the number that it is about to get
        return chains[:1]

    def _watch_for_stuck(self) -> None:
        """Look every second, while anything runs, whether it still gets on; time that is virtual never stands still."""
        if self._is_watching or not self._stuck or hasattr(self._engine, "drive"):
            return
        self._is_watching = True
        asyncio.get_running_loop().call_later(_LOOK_FOR_STUCK_S, self._look_for_stuck)

    def _look_for_stuck(self) -> None:
        self._is_watching = False
        slots = {lease: slot for slot, lease in self._slots.leases()}
        for lease, silent_s in self._stuck.silent(self._clock.elapsed()):
            run = self._run_of.get(lease)
            running = None if run is None else run.running.get(lease)
            if run is None or running is None or lease not in slots:
                continue
            slot, at, study = slots[lease], running.at(), running.payer
            expected_s, timeout_s = run.seconds_per_step(running), study.step_timeout_s
            where = (
                f"{slot} ({self._engine.describe(slot)}) at step {at.stop} of node {at.node}, study {study.row.name!r}"
            )
            if self._stuck.is_over(lease, silent_s, timeout_s):
                self._engine.lose(slot, f"step_timeout_s={timeout_s:g}: {where}, had said nothing for {silent_s:.0f} s")
            elif self._stuck.is_news(lease, silent_s, expected_s):
                usual = "no step has ended yet" if expected_s is None else f"such steps took {expected_s:.3g} s"
                say(
                    f"{where}, has said nothing for {silent_s:.0f} s; {usual}. It is waited for; "
                    "create_study(step_timeout_s=...) would have it run again elsewhere."
                )
        self._watch_for_stuck()

    def _offer_room(self) -> bool:
        """Let streams pull requests for slots that have nothing to do; return whether any was told to."""
        wanting = [participant for participant in self._participants if participant.wants_room]
        if not wanting or self._is_holding or self.ready_stages:
            return False
        room = self._slots.num_free
        if not len(self._slots) and not any(run.requests or run.running for run in self._runs.values()):
            room = 1  # slots open when there is work
        share_room(wanting, self._runs.values(), room)
        return room > 0

    def _tell_running(self, runs: list[PlanRun]) -> bool:
        commands = [command for run in runs for command in run.commands()]
        for command in commands:
            self._engine.send(command)
        return bool(commands)

    def _open_workloads(self, runs: list[PlanRun]) -> bool:
        """Tell the engine of trainers that are about to be needed; it opens slots for the first."""
        new = [run.spec for run in runs if run.spec.workload not in self._opened and run.tree.num_ready]
        for spec in new:
            self._opened.add(spec.workload)
            self._engine.open_workload(spec)
        return bool(new)

    def _send_shortenings(self, run: PlanRun) -> None:
        for command in run.shorten():
            self._engine.send(command)

    # --- making durable

    def _commit(self) -> dict[int, Exception]:
        """Make everything that changed durable: one transaction for each store.

        A store that fails keeps its changes for the next attempt and ends the calls of its studies with the error.

        Returns:
          The stores that failed, by `id`.
        """
        failed: dict[int, Exception] = {}
        for key, store in {id(run.store): run.store for run in self._runs.values()}.items():
            sources: list[SearchPlan | StudyState] = [run.plan for run in self._runs.values() if run.store is store]
            sources += [study for study in self._studies.values() if study.store is store]
            taken = [(source, source.take_changes()) for source in sources]
            try:
                store.commit([change for _, changes in taken for change in changes])
                for source, _ in taken:
                    if isinstance(source, StudyState):
                        source.announcer.flush()
            except Exception as error:  # whatever it is, nothing may be lost of what is known
                failed[key] = error
                for source, changes in taken:
                    source.put_back(changes)
                self._fail(error, [p for p in self._participants if p.study.store is store])
        return failed

    # --- what watchers see

    def statistics(self, store: AbstractPlanStore, study: int) -> Statistics | None:
        """Return what a study counted, but for `trial_seconds`; None before its first call."""
        state = self._studies.get((store.uuid, study))
        return None if state is None else state.statistics()

    def progress(self, store: AbstractPlanStore, study: int) -> Progress | None:
        """Return how far a study is; None before its first call."""
        state = self._studies.get((store.uuid, study))
        if state is None:
            return None
        own = [participant for participant in self._participants if participant.study is state]
        runs = {id(participant.run): participant.run for participant in own}.values()
        remaining = [run.remaining() for run in runs]
        return state.progress(
            steps_left=sum(steps for steps, _ in remaining),
            seconds_left=sum(seconds for _, seconds in remaining) / max(1, len(self._slots)),
            may_ask_more=any(isinstance(participant, Call) and participant.may_ask_more for participant in own),
        )
