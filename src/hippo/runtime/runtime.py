"""The control loop's business: tuners ask, plans remember, engines run, answers come back.

One runtime serves an engine and every study that uses it. Whenever all tuners are quiet it does four things, in this
order: turn events into facts, make them durable, give answers, and, if there is nothing to answer, give out work.
Nothing is scheduled while a tuner might still ask, so requests issued together are seen together.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock, SystemClock
from hippo.engines import AbstractEngine
from hippo.errors import EngineError, EnvironmentChangedError, did_you_mean
from hippo.events import (
    AssignmentDone,
    EngineEvent,
    EngineFailed,
    HparamsUnread,
    SlotLost,
    SlotOpened,
    StatesResident,
)
from hippo.hparams import Config
from hippo.plan import AbstractPlanStore, Change, PlanRow
from hippo.records import LeaseId, NodeId, Point, Slot, SlotId, Stop, TrainerSpec, TrialState
from hippo.runtime.calls import Call
from hippo.runtime.loop import ControlLoop
from hippo.runtime.plan_run import Outcome, PlanRun
from hippo.runtime.settings import NondeterminismPolicy, Progress
from hippo.runtime.study_state import StudyState
from hippo.runtime.warnings import warn
from hippo.schedulers import AbstractScheduler, CriticalPath, place

#: how long Ctrl-C waits for running steps to end
STOP_TIMEOUT_S = 3.5

#: what a call runs: a tuner's `tune`, or anything else that asks
Asking = Callable[[Call], Awaitable[Any]]
#: refuses a config that a trainer cannot be trained with
CheckConfig = Callable[[Config, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a study brings to its runtime."""

    study: StudyState
    plan: PlanRow
    spec: TrainerSpec
    check_config: CheckConfig


@dataclass(slots=True, eq=False)
class _Active:
    """A call that is running."""

    call: Call
    job: Job
    run: PlanRun
    task: asyncio.Task[Any]


@dataclass(slots=True, eq=False)
class _Slot:
    slot: SlotId
    resident: set[tuple[str, Point]] = field(default_factory=set)
    lease: LeaseId | None = None

    def record(self) -> Slot:
        return Slot(id=self.slot, resident=frozenset(self.resident))


class Runtime:
    """Serves one engine."""

    def __init__(
        self,
        engine: AbstractEngine,
        *,
        checkpoints: str | AbstractCheckpointStore,
        scheduler: AbstractScheduler | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.engine = engine
        self.clock = clock if clock is not None else SystemClock()
        self.checkpoints = checkpoints
        self._scheduler = scheduler if scheduler is not None else CriticalPath()
        self._runs: dict[tuple[str, int], PlanRun] = {}
        self._active: list[_Active] = []
        self._slots: dict[SlotId, _Slot] = {}
        self._opened: set[str] = set()
        self._inbox: list[EngineEvent] = []
        self._lease_plans: dict[LeaseId, PlanRun] = {}
        self._studies: dict[tuple[str, int], StudyState] = {}
        self._requests = 0
        self._leases = 0
        self._withdrawn = False
        self._started = False
        self._holding = False
        self._ended: asyncio.Future[None] | None = None
        self._warned_unread: set[tuple[str, ...]] = set()
        self._loop = ControlLoop(self._on_quiet)

    # --- from any thread

    def start_call(self, job: Job, position: int, record: str, asking: Asking) -> concurrent.futures.Future[Any]:
        """Begin a tuner call, or go on with it; the future holds what `asking` returns."""
        return self._loop.submit(self._run_call(job, position, record, asking))

    def make_state(self, job: Job, node: int, step: int) -> concurrent.futures.Future[Any]:
        """Have the state at a point made again, and written."""
        return self._loop.submit(self._make_state(job, node, step))

    def serve(self, done: concurrent.futures.Future[Any]) -> Any:
        """Wait for a call in the caller's thread, which the engine may use; return its result.

        Ctrl-C stops the study at the next step's end, or after a few seconds by force, and is raised again.
        """
        try:
            self.engine.serve(done)
        except KeyboardInterrupt:
            self._stop_calls()
            concurrent.futures.wait([done], STOP_TIMEOUT_S)
            raise
        return done.result()

    def progress(self, study: StudyState) -> Progress:
        """Return how far a study is; asks the loop, so it must be called from another thread."""

        async def look() -> Progress:
            return self._progress(study)

        return self._loop.submit(look()).result()

    def close(self) -> None:
        """Stop everything that this runtime started."""

        async def end() -> None:
            for active in list(self._active):
                active.task.cancel()
            if self._started:
                await self.engine.close(timeout_s=2.0)
            for run in self._runs.values():
                run.lock.release()

        try:
            self._loop.submit(end()).result(timeout=10)
        finally:
            self._loop.stop()

    def _stop_calls(self) -> None:
        """Stop all calls cleanly: running lanes leave a checkpoint at their step's end."""
        try:
            self._loop.submit(self._stop()).result(timeout=STOP_TIMEOUT_S)
        except (TimeoutError, KeyboardInterrupt):  # what hangs in a step for longer is lost, with its worker
            self._loop.submit(self._force()).result(timeout=STOP_TIMEOUT_S)

    # --- on the loop: calls

    async def _stop(self) -> None:
        for lease, run in self._lease_plans.items():
            if lease in run.running:
                self.engine.send(Stop(lease=lease))
        tasks = [active.task for active in self._active]
        await self._idle(lambda: any(active.run.running for active in self._active))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _force(self) -> None:
        """End the engine's slots as they stand; it opens others when there is work again."""
        await self.engine.close(timeout_s=0.0)
        self._opened.clear()
        for slot in self._slots.values():
            if slot.lease is not None:  # it ended as we wanted: that is no loss of a worker
                self._inbox.append(AssignmentDone(lease=slot.lease, slot=slot.slot))
            self._inbox.append(SlotLost(slot=slot.slot, reason="stopped by the study"))
        self._absorb_inbox()
        for active in list(self._active):
            active.task.cancel()

    async def _idle(self, busy: Callable[[], bool]) -> None:
        """Wait until running work has ended, giving out no more."""
        self._holding = True
        try:
            while busy():
                self._ended = asyncio.get_running_loop().create_future()
                await self._ended
        finally:
            self._holding = False

    async def _run_call(self, job: Job, position: int, record: str, asking: Asking) -> Any:
        run = self._begin(job)
        study = job.study
        self._studies[(study.store.uuid, study.row.study)] = study
        row = study.begin_call(position, record)
        call = Call(self, study, run, row)
        task = asyncio.ensure_future(asking(call))
        active = _Active(call, job, run, task)
        self._active.append(active)
        state = "interrupted"
        try:
            result = await task
            state = "complete"
            return result
        except Exception:
            state = "failed"
            raise
        finally:
            task.cancel()
            call.close()
            study.set_call_state(row, state)
            if state == "complete":
                study.finish_trials(row)
            else:
                study.pause_trials(row)
            self._active.remove(active)
            self._commit()
            self._end(run)

    def _begin(self, job: Job) -> PlanRun:
        """Become the writer of the job's plan, unless this runtime is already."""
        if not self._started:
            self.engine.start(self._on_event, checkpoints=self.checkpoints, clock=self.clock)
            self._started = True
        run = self._runs.get((job.study.store.uuid, job.plan.plan))
        if run is None or not self._is_used(run):
            run = self._take_over(job, run)
        settings = job.study.settings
        if settings.sharing and settings.nondeterminism is NondeterminismPolicy.STOP:
            run.require_exact()
        return run

    def _take_over(self, job: Job, run: PlanRun | None) -> PlanRun:
        """Take the plan's lock, and the plan as it is now; `run` is how we knew it."""
        lock = job.study.store.lock(job.plan.plan)
        lock.acquire()
        try:
            row = job.study.store.rows(PlanRow, plan=job.plan.plan)[0]
            if run is None or run.plan.row.epoch != row.epoch:  # somebody else has written since
                run = PlanRun(job.study.store, row, job.spec, self.clock)
            run.lock = lock
            run.check_environment(self.engine.environment())
            run.take_over()
        except BaseException:
            lock.release()
            raise
        self._runs[(job.study.store.uuid, job.plan.plan)] = run
        self._leases = max(self._leases, run.plan.last_lease)
        return run

    def _end(self, run: PlanRun) -> None:
        """Let go of a plan that nobody uses any more. What still runs there is cut short."""
        if self._is_used(run):
            return
        self._send_shortenings(run)
        if run.running:
            return  # its last lease lets go, in `_release_idle`
        run.lock.release()

    def _is_used(self, run: PlanRun) -> bool:
        return any(active.run is run for active in self._active) or bool(run.running) or bool(run.waiting_for_states)

    async def _make_state(self, job: Job, node_id: int, step: int) -> None:
        run = self._begin(job)
        self._studies[(job.study.store.uuid, job.study.row.study)] = job.study
        try:
            await run.wait_state(job.study, NodeId(node_id), step)
        finally:
            self._commit()
            self._end(run)

    # --- on the loop: what calls need

    def next_request(self) -> int:
        """Return a number for a request, larger than any before."""
        self._requests += 1
        return self._requests

    def check_config(self, study: StudyState, config: Config, until: int) -> None:
        """Refuse a config that the study's trainer cannot be trained with."""
        for active in self._active:
            if active.job.study is study:
                active.job.check_config(config, until)

    def note_withdrawal(self) -> None:
        """Look, when all is quiet, for work that nobody waits for any more."""
        self._withdrawn = True

    # --- on the loop: when all is quiet

    def _on_event(self, event: EngineEvent) -> None:
        self._inbox.append(event)

    def _on_quiet(self) -> bool:
        try:
            return self._turn()
        except Exception as error:
            self._fail_all(error)
            return True

    def _turn(self) -> bool:
        """Do what can be done; return whether there was anything to do."""
        absorbed = self._absorb_inbox()
        delivered = [active.call.deliver() for active in self._active]
        if any(delivered):
            self._commit()
            return True  # tuners speak before work is given out
        if self._withdrawn:
            self._withdrawn = False
            for run in self._runs.values():
                self._send_shortenings(run)
        return self._schedule() or absorbed

    def _absorb_inbox(self) -> bool:
        if not self._inbox:
            return False
        events, self._inbox = self._inbox, []
        outcomes: dict[int, tuple[PlanRun, Outcome]] = {}
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
            run.wake_state_waiters()
        self._release_idle()
        return True

    def _absorb(self, event: EngineEvent, outcomes: dict[int, tuple[PlanRun, Outcome]]) -> None:
        match event:
            case SlotOpened(slot=slot, environment=environment):
                self._slots[slot] = _Slot(slot)
                for run in self._runs.values():
                    if self._is_used(run):
                        self._try_environment(run, environment)
            case SlotLost(slot=slot, reason=reason):
                lost = self._slots.pop(slot, None)
                if lost is not None and lost.lease is not None:
                    run, outcome = self._outcome_of(lost.lease, outcomes)
                    run.end_lease(lost.lease, "lost", outcome)
                    outcome.warnings.append(f"a worker was lost ({reason}); its stages run again")
            case AssignmentDone(lease=lease, slot=slot):
                run, outcome = self._outcome_of(lease, outcomes)
                run.end_lease(lease, "done", outcome)
                if slot in self._slots:
                    self._slots[slot].lease = None
            case StatesResident(slot=slot, workload=workload, added=added, dropped=dropped):
                if slot in self._slots:
                    resident = self._slots[slot].resident
                    resident.update((workload, point) for point in added)
                    resident.difference_update((workload, point) for point in dropped)
            case EngineFailed(reason=reason):
                self._fail_all(EngineError(reason))
            case HparamsUnread():
                self._warn_unread(event)
            case _:
                run, outcome = self._outcome_of(event.lease, outcomes)
                run.absorb(event, lambda number: self._studies[(run.store.uuid, number)], outcome)

    def _outcome_of(self, lease: LeaseId, outcomes: dict[int, tuple[PlanRun, Outcome]]) -> tuple[PlanRun, Outcome]:
        run = self._lease_plans[lease]
        return outcomes.setdefault(id(run), (run, Outcome()))

    def _try_environment(self, run: PlanRun, environment: Mapping[str, str]) -> None:
        """Compare what a worker says with what the engine said it would be."""
        try:
            run.check_environment(environment)
        except EnvironmentChangedError as error:
            for active in self._active:
                if active.run is run:
                    self._interrupt(active, error)

    def _warn_unread(self, event: HparamsUnread) -> None:
        names = tuple(event.names)
        if names in self._warned_unread:
            return
        self._warned_unread.add(names)
        hints = "".join(did_you_mean(name, event.read) for name in names)
        warn(f"the trainer did not look at {sorted(names)} in its first step; it read {sorted(event.read)}.{hints}")

    def _alarm(self, run: PlanRun, alarm: Exception) -> None:
        for active in self._active:
            if active.run is not run:
                continue
            settings = active.job.study.settings
            if settings.nondeterminism is NondeterminismPolicy.WARN or not settings.sharing:
                warn(str(alarm))
            else:
                self._interrupt(active, alarm)

    def _interrupt(self, active: _Active, error: Exception) -> None:
        """End a call with an error: whatever it waits for gets it."""
        active.call.fail(error)

    def _fail_all(self, error: Exception) -> None:
        for active in self._active:
            self._interrupt(active, error)

    # --- on the loop: giving out work

    def _schedule(self) -> bool:
        """Give out work; return whether there was any to give, or anything to say about work under way."""
        if self._holding:
            return False
        busy = False
        runs = [run for run in self._runs.values() if len(run.tree)]
        for run in runs:
            for command in run.commands():
                self.engine.send(command)
                busy = True
            if run.spec.workload not in self._opened and any(True for _ in run.tree.all_ready()):
                self._opened.add(run.spec.workload)
                self.engine.open_workload(run.spec)
                busy = True
        free = [slot for slot in self._slots.values() if slot.lease is None]
        if not free or not runs:
            self._commit()
            return busy
        chains = self._scheduler.lanes([run.tree for run in runs], limit=len(free))
        pairs = place(chains, [slot.record() for slot in free], [run.spec.workload for run in runs])
        assignments = []
        for slot, chain in pairs:
            run = runs[chain.tree]
            self._leases += 1
            lease = LeaseId(self._leases)
            assignments.append(run.assign(chain.stages, slot, lease))
            self._lease_plans[lease] = run
            self._slots[slot.id].lease = lease
            for stage in chain.stages:
                for number in run.plan.nodes[stage.node].requests.get(stage.stop, ()):
                    request = run.requests[number]
                    request.call.mark_running(request)
        self._commit()  # a lease is durable before its work begins
        for assignment in assignments:
            self.engine.submit(assignment)
        return busy or bool(assignments)

    def _send_shortenings(self, run: PlanRun) -> None:
        for command in run.shorten():
            self.engine.send(command)

    def _release_idle(self) -> None:
        """Let go of plans whose last work has ended, and wake whoever waits for that."""
        for run in self._runs.values():
            if not self._is_used(run):
                run.lock.release()
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def _commit(self) -> None:
        """Make everything that changed durable: one transaction for each store."""
        changes: dict[int, tuple[AbstractPlanStore, list[Change]]] = {}
        for run in self._runs.values():
            changes.setdefault(id(run.store), (run.store, []))[1].extend(run.plan.take_changes())
        for study in self._studies.values():
            changes.setdefault(id(study.store), (study.store, []))[1].extend(study.take_changes())
        for store, batch in changes.values():
            if batch:
                store.commit(batch)

    # --- what watchers see

    def _progress(self, study: StudyState) -> Progress:
        rows = study.rows.values()
        steps_left, seconds = 0, 0.0
        for run in {id(a.run): a.run for a in self._active if a.job.study is study}.values():
            steps, expected = run.seconds_left()
            steps_left += steps
            seconds += expected
        counts = study.counters.statistics(rows, trial_seconds=0.0)
        return Progress(
            best_value=study.best_value,
            trials_done=sum(1 for row in rows if row.step >= row.until or row.state == TrialState.FAIL.value),
            trials=len(study.rows),
            steps_executed=counts.steps_executed,
            steps_asked=counts.steps_asked,
            steps_left=steps_left,
            seconds_left=seconds / max(1, len(self._slots)) if counts.steps_executed else None,
        )
