"""A search plan at work: facts in, stages out.

Joins a plan with its stage tree, and knows what each running lease was told. It refuses to know tuners and engines:
the runtime carries events in and assignments out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

from hippo.clock import Clock
from hippo.errors import EnvironmentChangedError, ExactnessError, TrialFailedError
from hippo.events import (
    BoundaryAnswered,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    ExactnessChecked,
    LaneEvent,
    StageFailed,
    StateHashed,
    StepDone,
)
from hippo.plan import AbstractPlanStore, Cause, Node, PlanLock, PlanRow, SearchPlan, whoami
from hippo.records import (
    AddBoundary,
    Assignment,
    AtCheckpoint,
    Boundary,
    Command,
    Exactness,
    Failure,
    Fresh,
    Keep,
    Lane,
    LaneStage,
    LaneStart,
    LeaseId,
    NodeId,
    Point,
    Shorten,
    Slot,
    Span,
    Stage,
    TrainerSpec,
    Underway,
)
from hippo.runtime.costs import ShapeKey, StepCosts, shape_key
from hippo.runtime.leases import RunningLease
from hippo.runtime.requests import Request
from hippo.runtime.settings import KeepPolicy
from hippo.runtime.study_state import StudyState
from hippo.stages import IncrementalStageTree, StageTree

#: a stage may be lost with its worker so many times before it fails
MOST_LOSSES = 3


@dataclass(slots=True)
class Outcome:
    """What a batch of events came to, beyond facts."""

    #: requests that can be answered now
    answerable: list[Request] = field(default_factory=list)
    #: what must stop the studies on this plan
    alarms: list[Exception] = field(default_factory=list)
    #: what users should hear
    warnings: list[str] = field(default_factory=list)


class PlanRun:
    """One plan, while this process is its writer."""

    def __init__(self, store: AbstractPlanStore, row: PlanRow, spec: TrainerSpec, clock: Clock) -> None:
        self.store = store
        self.spec = spec
        self._clock = clock
        self._costs = StepCosts()
        self._shapes: dict[tuple[NodeId, int], ShapeKey] = {}
        self._tree = IncrementalStageTree(self._seconds_of)
        self.plan = SearchPlan.load(store, row, self._tree)
        self.requests: dict[int, Request] = {}
        self.running: dict[LeaseId, RunningLease] = {}
        self._losses: dict[Point, int] = {}
        self._state_waiters: dict[Point, StudyState] = {}
        #: whoever waits for a state to be written
        self.waiting_for_states: dict[Point, asyncio.Future[None]] = {}
        self._checking = False
        self._costs_moved = True
        self.lock: PlanLock = store.lock(row.plan)
        self._learn_from_facts()

    # --- beginning

    def take_over(self) -> None:
        """Become the writer, in a new epoch."""
        self.plan.take_over(whoami())

    def check_environment(self, environment: Mapping[str, str]) -> None:
        """Record the environment if it is the first, else compare.

        Raises:
          EnvironmentChangedError: a field differs; the message names each, and the way out.
        """
        if not self.plan.row.environment:
            self.plan.set_environment(json.dumps(dict(environment), sort_keys=True))
            return
        compare_environments(json.loads(self.plan.row.environment), environment)

    def require_exact(self) -> None:
        """Refuse a workload that is known not to resume exactly.

        Raises:
          ExactnessError: its check failed before.
        """
        if self.plan.exactness is Exactness.FAILED:
            raise ExactnessError(
                f"{self.spec.reference or 'this trainer'} failed its two-step check before: a run resumed from a "
                "checkpoint did not equal an undisturbed one. Complete its state_dict(), or share all the same with "
                "nondeterminism='warn'."
            )

    # --- the tree

    @property
    def tree(self) -> StageTree:
        """What remains to be run."""
        if self._costs_moved:
            self._costs_moved = False
            self._costs.use()
            self._tree.recost(self._seconds_of)
        return self._tree.tree

    def _seconds_of(self, stage: Stage) -> float:
        return (stage.stop - stage.start) * self._costs.estimate(self._shape_of(stage.node, stage.start))

    def _shape_of(self, node_id: NodeId, step: int) -> ShapeKey:
        node = self.plan.nodes[node_id]
        known = self._shapes.get((node_id, node.start))
        if known is None:
            known = self._shapes[(node_id, node.start)] = shape_key(node.pieces, node.start)
        return known

    def _learn_from_facts(self) -> None:
        for node in self.plan.nodes.values():
            for step in node.training:
                self._costs.learn(self._shape_of(node.id, node.start), node.seconds[step])

    def seconds_left(self) -> tuple[int, float]:
        """Return the steps that remain in the tree, and their expected seconds on one device."""
        stages = [replace(stage, start=stage.start + self._steps_done(stage)) for stage in self.tree.stages.values()]
        steps = sum(stage.stop - stage.start for stage in stages)
        return steps, sum(map(self._seconds_of, stages))

    def _steps_done(self, stage: Stage) -> int:
        lease = self.running.get(stage.base.lease) if isinstance(stage.base, Underway) else None
        return 0 if lease is None else lease.steps_done(stage)

    # --- requests

    def add_request(self, request: Request) -> bool:
        """Take a request in; return whether it can be answered at once."""
        node, until = request.node, request.until
        if until in node.metrics:
            return True
        if self.plan.has_failures:
            request.failure = node.failure_before(until)
            if request.failure is not None:
                return True
        self.requests[request.id] = request
        self.plan.add_request(node, until, request.id)
        return False

    def remove_request(self, request: Request) -> None:
        """Wait for it no longer."""
        if self.requests.pop(request.id, None) is not None:
            self.plan.remove_request(request.node, request.until, request.id)

    async def wait_state(self, study: StudyState, node_id: NodeId, step: int) -> None:
        """Have the state at a step made and written, and wait for it."""
        node, point = self.plan.nodes[node_id], (node_id, step)
        if step in node.checkpoints:
            return
        self._state_waiters[point] = study
        self.plan.add_state_request(node, step)
        try:
            self.waiting_for_states[point] = asyncio.get_running_loop().create_future()
            await self.waiting_for_states[point]
        finally:
            del self.waiting_for_states[point], self._state_waiters[point]
            self.plan.remove_state_request(node, step)

    def wake_state_waiters(self) -> None:
        """Wake those whose state is there, or will never be."""
        for (node_id, step), future in self.waiting_for_states.items():
            node = self.plan.nodes[node_id]
            failure = node.failure_before(step) if self.plan.has_failures else None
            if future.done() or (failure is None and step not in node.checkpoints):
                continue
            if failure is not None:
                future.set_exception(TrialFailedError(f"{failure.method}() failed: {failure.error}"))
            else:
                future.set_result(None)

    # --- work out

    def assign(self, stages: tuple[Stage, ...], slot: Slot, lease: LeaseId) -> Assignment:
        """Open a lease for a chain of stages and return what to do under it."""
        study = self._payer(stages)
        begin = self._lane_start(stages[0])
        check = begin is None and stages[-1].stop >= 2 and self._may_check()
        points = {stage.point for stage in stages}
        lane = Lane(
            begin=begin,
            stages=tuple(
                LaneStage(
                    node=stage.node,
                    start=stage.start,
                    stop=stage.stop,
                    pieces=self.plan.nodes[stage.node].pieces,
                    boundary=self._boundary(stage.point, besides=points),
                )
                for stage in stages
            ),
            check=check,
        )
        self._checking = self._checking or check
        assignment = Assignment(
            lease=lease,
            prefix=f"{self.store.uuid}/p{self.plan.row.plan}/e{self.plan.row.epoch}-l{lease}",
            slot=slot.id,
            workload=self.spec.workload,
            lanes=(lane,),
            checkpoint_every_s=study.settings.checkpoint_every_s,
        )
        self.running[lease] = RunningLease(assignment, study.row.study)
        spans = [Span(node=stage.node, start=stage.start, stop=stage.stop) for stage in stages]
        self.plan.open_lease(lease, spans, slot=slot.id, started_at=self._clock.now())
        return assignment

    def commands(self) -> list[Command]:
        """Return what running leases must be told since the tree changed: boundaries that are new to them."""
        told: list[Command] = []
        self.tree  # noqa: B018  # bring it up to date
        for stage in self._tree.take_underway():
            assert isinstance(stage.base, Underway)
            lease = self.running.get(stage.base.lease)
            if lease is None:
                continue
            wanted = self._boundary(stage.point, besides=lease.promised)
            if not lease.keeps_promise(stage.point, wanted):
                lease.promised[stage.point] = wanted
                told.append(
                    AddBoundary(lease=stage.base.lease, lane=0, node=stage.node, step=stage.stop, boundary=wanted)
                )
        return told

    def shorten(self) -> list[Command]:
        """Return what ends the work that nobody waits for any more."""
        told: list[Command] = []
        for lease_id, lease in self.running.items():
            needed = self.tree.underway(lease_id)
            farthest = lease.farthest(needed)
            first = lease.assignment.lanes[0].stages[0]
            lane, point = farthest if farthest is not None else (0, (first.node, min(first.start + 1, first.stop)))
            last = lease.assignment.lanes[lane].stages[-1]
            if point not in ((last.node, last.stop), lease.shortened_to):
                lease.shortened_to = point
                told.append(Shorten(lease=lease_id, lane=lane, node=point[0], step=point[1]))
        return told

    def _may_check(self) -> bool:
        return self.plan.exactness is Exactness.UNCHECKED and not self._checking

    def _lane_start(self, stage: Stage) -> LaneStart | None:
        match stage.base:
            case Fresh():
                return None
            case AtCheckpoint(node_id, step):
                node = self.plan.nodes[node_id]
                return LaneStart(node=node_id, step=step, checkpoint=node.checkpoints[step], pieces=node.pieces)
            case _:
                raise AssertionError(f"{stage} is not ready")

    def _boundary(self, point: Point, *, besides: Container[Point]) -> Boundary:
        """Return what must happen at a point, given the requests and branches there are now.

        Args:
          point: where.
          besides: points that the same lane walks itself, and needs no state for.
        """
        node, step = self.plan.nodes[point[0]], point[1]
        requests = [self.requests[number] for number in sorted(node.requests.get(step, ()))]
        evaluate = bool(requests) and step not in node.metrics
        branches = any(stage.point not in besides for stage in self.tree.followers(point))
        if branches or step in node.state_requests or any(not request.final for request in requests):
            return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
        policies = {request.study.settings.keep for request in requests}
        if policies & {KeepPolicy.LEAVES, KeepPolicy.ALL}:
            return Boundary(evaluate=evaluate, keep=Keep.WRITTEN)
        if not requests:
            return Boundary(evaluate=False, keep=Keep.NOTHING)
        study = requests[0].study
        if study.settings.objective is None:
            return Boundary(evaluate=evaluate, keep=Keep.RESIDENT)
        return Boundary(
            evaluate=evaluate,
            keep=Keep.IF_BEST,
            objective=study.settings.objective,
            threshold=study.best_loss,
        )

    def _payer(self, stages: Iterable[Stage]) -> StudyState:
        """Return the study whose request is the oldest among those that the end of a chain serves."""
        waiting = [stage.point for stage in stages][-1:]
        while waiting:
            point = waiting.pop()
            requests = self.plan.nodes[point[0]].requests.get(point[1])
            if requests:
                return self.requests[min(requests)].study
            if point in self._state_waiters:
                return self._state_waiters[point]
            waiting += [stage.point for stage in self.tree.followers(point)]
        raise AssertionError(f"nobody asked for {[stage.point for stage in stages]}")

    # --- facts in

    def absorb(self, event: LaneEvent, study_of: Callable[[int], StudyState], outcome: Outcome) -> None:
        """Turn what a worker said into facts, and note what they come to."""
        lease = self.running.get(event.lease)
        study = study_of(lease.study) if lease is not None else None
        match event:
            case StepDone():
                self._absorb_step(event, lease, study, outcome)
            case Evaluated():
                node = self.plan.nodes[event.node]
                agrees = self.plan.record_metrics(
                    node, event.step, event.metrics, event.seconds, study=study.row.study if study else 0
                )
                if study is not None:
                    study.counters.evaluate_seconds += event.seconds
                self._alarm_unless(agrees, node, event.step, "metrics", outcome)
                self._answer_at(node, event.step, outcome)
            case CheckpointWritten():
                node = self.plan.nodes[event.node]
                agrees = self.plan.record_state_hash(node, event.step, event.checkpoint.state_hash)
                self.plan.record_checkpoint(
                    node, event.step, event.checkpoint, event.seconds, study=study.row.study if study else 0
                )
                if study is not None:
                    study.counters.count_checkpoint(event.seconds)
                self._alarm_unless(agrees, node, event.step, "state", outcome)
            case StateHashed():
                node = self.plan.nodes[event.node]
                agrees = self.plan.record_state_hash(node, event.step, event.state_hash)
                self._alarm_unless(agrees, node, event.step, "state", outcome)
            case CheckpointUnusable():
                outcome.warnings.append(
                    f"the checkpoint {event.key} cannot be used ({event.reason}); its steps are run again"
                )
                reason = "corrupt" if event.corrupt else "missing"
                self.plan.forget_checkpoint(self.plan.nodes[event.node], event.step, event.key, reason)
            case BoundaryAnswered():
                if not event.accepted:
                    self.plan.mark_passed(event.lease, (event.node, event.step))
            case StageFailed():
                self._fail(event.failure, outcome)
            case ExactnessChecked():
                self._absorb_check(event, lease, study, outcome)
            case _:
                pass

    def end_lease(self, lease_id: LeaseId, how: str, outcome: Outcome) -> None:
        """Close a lease that ended: "done" or "lost"."""
        lease = self.running.pop(lease_id, None)
        if lease is None:
            return
        self._checking = self._checking and not any(lane.check for lane in lease.assignment.lanes)
        self.plan.close_lease(lease_id, how)
        if how != "lost":
            return
        for point in lease.points_at_risk():
            self._losses[point] = self._losses.get(point, 0) + 1
            if self._losses[point] >= MOST_LOSSES:
                error = f"lost: the worker died {MOST_LOSSES} times while it ran this stage"
                self._fail(Failure(node=point[0], step=point[1], method="worker", error=error), outcome)

    def _absorb_step(
        self, event: StepDone, lease: RunningLease | None, study: StudyState | None, outcome: Outcome
    ) -> None:
        node = self.plan.nodes[event.node]
        if self.plan.is_told_again(node, event.step, event.lease):
            return
        cause = self.plan.cause_of(
            node, event.step, resumed_at=lease.resumed_at(event.lane) if lease is not None else 0
        )
        agrees = self.plan.record_step(
            node,
            event.step,
            event.training,
            event.seconds,
            lease=event.lease,
            cause=cause,
            study=study.row.study if study else 0,
        )
        if study is not None:
            study.counters.count_step(cause, event.seconds)
        if lease is not None:
            lease.note_step(event.lane, (event.node, event.step))
        self._costs_moved |= self._costs.learn(self._shape_of(node.id, event.step), event.seconds)
        self._alarm_unless(agrees, node, event.step, "training metrics", outcome)

    def _absorb_check(
        self, event: ExactnessChecked, lease: RunningLease | None, study: StudyState | None, outcome: Outcome
    ) -> None:
        self._checking = False
        self.plan.set_exactness(Exactness.PROVEN if event.proven else Exactness.FAILED)
        if lease is not None and study is not None:
            stage = next(s for s in lease.assignment.lanes[event.lane].stages if s.start < 2 <= s.stop)
            node = self.plan.nodes[stage.node]
            self.plan.record_check(node, 2, event.seconds, lease=event.lease, study=study.row.study)
            study.counters.count_step(Cause.CHECK, event.seconds)
        if not event.proven:
            outcome.alarms.append(
                ExactnessError(
                    "step [1, 2) was run again from its checkpoint and gave another state, so results shared between "
                    f"trials would be wrong. Different: {event.detail}. Add what is missing to state_dict(), draw "
                    "chance only from the global generators, or go on all the same with nondeterminism='warn'."
                )
            )

    def _alarm_unless(self, agrees: bool, node: Node, step: int, what: str, outcome: Outcome) -> None:
        if not agrees:
            self.plan.mark_inexact(node)
            outcome.alarms.append(
                ExactnessError(
                    f"two runs of one stage disagree in their {what} after step {step} (node {node.id}). The first run "
                    "stays the fact. Something that training depends on is neither state nor seeded; "
                    "nondeterminism='warn' goes on all the same."
                )
            )

    def _fail(self, failure: Failure, outcome: Outcome) -> None:
        for node, until, number in self.plan.record_failure(failure):
            request = self.requests.pop(number)
            self.plan.remove_request(node, until, number)
            request.failure = failure
            outcome.answerable.append(request)

    def _answer_at(self, node: Node, step: int, outcome: Outcome) -> None:
        for number in sorted(node.requests.get(step, ())):
            request = self.requests.pop(number)
            self.plan.remove_request(node, step, number)
            outcome.answerable.append(request)


def compare_environments(recorded: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Compare the environment a plan was trained in with this one.

    Raises:
      EnvironmentChangedError: names each field that differs, with both values.
    """
    changed = {name: (recorded.get(name), now.get(name)) for name in sorted({*recorded, *now})}
    lines = [f"{name} was {before!r} and is {after!r}" for name, (before, after) in changed.items() if before != after]
    if lines:
        raise EnvironmentChangedError(
            f"this search plan was trained in another environment: {'; '.join(lines)}. Results would not be "
            "comparable bit for bit. Go back to that environment, or begin a fork of the plan with environment='new'."
        )
