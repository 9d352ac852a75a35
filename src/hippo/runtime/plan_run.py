"""A search plan at work: who waits for what, what is under way, and what to give out next.

Joins a plan with its stage tree, and knows what each running lease was told. It refuses to know tuners and engines:
the control loop carries events in and assignments out.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from hippo.clock import Clock
from hippo.errors import EnvironmentChangedError, ExactnessError
from hippo.events import StatesResident
from hippo.hparams import Config
from hippo.plan import AbstractPlanStore, Cause, LeaseEnd, Node, PlanLock, PlanRow, PlanTotals, SearchPlan, whoami
from hippo.records import (
    Assignment,
    AtCheckpoint,
    AtResident,
    Boundary,
    Command,
    Exactness,
    Failure,
    Lane,
    LaneStage,
    LaneStart,
    LeaseId,
    NodeId,
    Point,
    Slot,
    Span,
    Stage,
    TrainerSpec,
    Underway,
)
from hippo.runtime.boundaries import boundary_at
from hippo.runtime.check_quota import CheckQuota
from hippo.runtime.costs import StepCosts
from hippo.runtime.facts import Outcome, fail
from hippo.runtime.leases import RunningLease
from hippo.runtime.requests import Request
from hippo.runtime.residency import Residency
from hippo.runtime.study_state import StudyState
from hippo.stages import IncrementalStageTree, StageTree

#: a stage may be lost with its worker so many times before it fails
MOST_LOSSES = 3

#: the nodes whose steps give the first estimates of what a step costs: those that were made last
_NODES_TO_LEARN_FROM = 200

#: fields of an environment that may differ: whether that matters is what the first lane in a new process looks at
_MAY_DIFFER = frozenset({"hash_seed"})

#: of plans as they were loaded: nodes that were never written down may come again under other values
_LOADED = itertools.count(1)


class PlanRun:
    """One plan, while this process is its writer."""

    def __init__(self, store: AbstractPlanStore, row: PlanRow, spec: TrainerSpec, clock: Clock) -> None:
        self.store = store
        self.spec = spec
        self._clock = clock
        self._costs = StepCosts()
        #: seconds were learned since the tree was looked at last
        self._has_learned = False
        self._tree = IncrementalStageTree(self._seconds_of)
        #: of this process's workers, once it is known
        self.environment: Mapping[str, str] = {}
        self._told: set[str] = set()
        #: names the plan as it was loaded, and with it the states that slots hold of it: every database numbers its own
        #: nodes, so what one plan calls (7, 5) is something else in another, though their workload is one
        self.key = f"{store.uuid}/p{row.plan}/{next(_LOADED)}"
        self.plan = SearchPlan.open(store, row, self._tree)
        spent = self.plan.spent_before
        self.checks = CheckQuota(
            executed=spent.of_kind(Cause.FIRST.value, Cause.SPECULATIVE.value).count,
            checked=spent.of_kind(Cause.CHECK.value).count,
            furthest=spent.of_kind(Cause.CHECK.value).furthest,
        )
        self.requests: dict[int, Request] = {}
        self.running: dict[LeaseId, RunningLease] = {}
        #: those of them that compare something: there may be ten thousand
        self._checking: set[LeaseId] = set()
        #: which of its states stay in the memory of slots
        self.residency = Residency(self.plan, self._tree, self.key, self.running)
        #: how many calls, and others who wait, use it
        self.users = 0
        self.lock: PlanLock = store.lock(row.plan)
        self._losses: dict[Point, int] = {}
        #: nodes on which memory ran out, perhaps because of what ran beside them
        self._crowded: set[NodeId] = set()
        self._state_waiters: dict[Point, list[StudyState]] = {}
        for node in self.plan.nodes.latest(_NODES_TO_LEARN_FROM):
            for step in node.training:
                self.learn_cost(node, node.seconds[step])

    # --- beginning and ending

    @property
    def is_used(self) -> bool:
        """Whether a call or a wait uses the plan, or a lease still runs on it."""
        return self.users > 0 or bool(self.running)

    def take_over(self) -> None:
        """Become the writer, in a new epoch."""
        self.plan.take_over(whoami())

    def sum_up(self) -> None:
        """Write down what was spent on the plan, so that the next one who takes it over need not add it up.

        Raises:
          StorageError: that was not possible; nothing is lost by it.
        """
        if not self.store.opens_by_parts:
            return
        with self.store.reading() as rows:
            changes = PlanTotals.read(rows, self.plan.row.plan).written()
        self.store.commit(changes)
        self.plan.facts.num_recorded = 0

    def check_environment(self, environment: Mapping[str, str]) -> None:
        """Record the environment if it is the first, else compare.

        Raises:
          EnvironmentChangedError: a field differs; the message names each, and the way out.
        """
        self.environment = environment
        if self.plan.row.environment:
            compare_environments(json.loads(self.plan.row.environment), environment)
        else:
            self.plan.set_environment(json.dumps(dict(environment), sort_keys=True))

    def require_exact(self) -> None:
        """Refuse a workload that is known not to resume exactly.

        Raises:
          ExactnessError: its check failed before.
        """
        if self.plan.exactness is Exactness.FAILED:
            raise ExactnessError(
                f"{self.spec.reference or 'this trainer'} failed a check before: a run resumed from a checkpoint did "
                "not equal an undisturbed one (the message of that time says where). Mend the trainer (changed code "
                "begins a new plan), or share all the same with nondeterminism='warn'."
            )

    @property
    def is_exact(self) -> bool:
        """Whether two runs of one step must agree to the last bit."""
        return self.spec.numerics != "fast"

    def is_news(self, message: str) -> bool:
        """Tell whether this was never asked before: what users hear, they hear once."""
        is_new = message not in self._told
        self._told.add(message)
        return is_new

    # --- what remains

    @property
    def tree(self) -> StageTree:
        """What remains to be run. After events it is brought up to date once, by the first one who looks."""
        tree = self._tree.tree
        if self._has_learned:
            self._has_learned = False
            if self._costs.have_moved(stages=len(tree)):
                self._costs.use()
                self._tree.recost(self._seconds_of)
        return tree

    def uncovered(self, config: Config, until: int, *, owner: str) -> int:
        """Return how many steps of a config up to `until` were neither trained nor asked for by any study.

        Args:
          config: which; no node is made for it.
          until: where to stop counting.
          owner: names the trial whose root is not shared; empty to share.
        """
        covered = 0
        for node, _, stop in self.plan.known_spans(config, until, owner=owner):
            # a node that is only there, since a request for it was withdrawn, covers nothing
            covered = max(covered, min(stop, max((*node.training, *self._tree.ends(node.id)), default=0)))
        return until - covered

    def seconds_per_step(self, lease: RunningLease) -> float | None:
        """Return how long the step that a lease is at should take; None if no step was ever timed."""
        node = self.plan.nodes[lease.at().node]
        return self._costs.mean(node.id, node.pieces, node.start) if self._costs.are_known else None

    def learn_cost(self, node: Node, seconds: float) -> None:
        """Take the seconds of one step into account."""
        self._costs.learn(node.id, node.pieces, node.start, seconds)
        self._has_learned = True

    def _seconds_of(self, stage: Stage) -> float:
        node = self.plan.nodes[stage.node]
        return (stage.stop - stage.start) * self._costs.estimate(node.id, node.pieces, node.start)

    def remaining(self) -> tuple[int, float]:
        """Return the steps that remain in the tree, and their expected seconds on one device."""
        tree = self.tree
        steps, seconds = tree.num_steps, tree.seconds
        for number, lease in self.running.items():
            for stage in (tree.stages[point] for point in tree.underway(number)):
                done = lease.steps_done(stage)
                steps -= done
                seconds -= self._seconds_of(replace(stage, stop=stage.start + done))
        return steps, max(0.0, seconds)

    # --- who waits

    def add_request(self, request: Request) -> bool:
        """Take a request in; return whether it can be answered at once."""
        node, until = request.node, request.until
        if until in (node.metrics if request.evaluate else node.training):
            return True
        if self.plan.facts.has_failures:
            request.failure = node.failure_before(until)
            if request.failure is not None:
                return True
        self.requests[request.id] = request
        self.plan.add_request(node, until, request.id, evaluate=request.evaluate)
        return False

    def remove_request(self, request: Request) -> None:
        """Withdraw a request, or settle it: no stage is run for it any more."""
        if self.requests.pop(request.id, None) is not None:
            self.plan.remove_request(request.node, request.until, request.id)

    def take_requests(self, node: Node, step: int) -> list[Request]:
        """Return the requests at a point that its facts answer, the oldest first; they do not wait any more."""
        is_evaluated, is_trained = step in node.metrics, step in node.training
        taken = [r for r in self._requests_at(node, step) if (is_evaluated if r.evaluate else is_trained)]
        for request in taken:
            self.remove_request(request)
        return taken

    def want_state(self, study: StudyState, node: Node, step: int) -> None:
        """Have the state at a step made and written."""
        self._state_waiters.setdefault(Point(node.id, step), []).append(study)
        self.plan.add_state_request(node, step)

    def unwant_state(self, study: StudyState, node: Node, step: int) -> None:
        """Withdraw one study's wish for a state; others may still wait for it."""
        self._state_waiters[Point(node.id, step)].remove(study)
        self.plan.remove_state_request(node, step)

    def studies_at(self, point: Point) -> list[StudyState]:
        """Return the studies whose requests wait for metrics, or that want the state, at a point."""
        waiting = [request.study for request in self._requests_at(self.plan.nodes[point.node], point.step)]
        return waiting + self._state_waiters.get(point, [])

    def _requests_at(self, node: Node, step: int) -> list[Request]:
        return [self.requests[number] for number in node.asked(step)]

    # --- states in memory

    def note_residents(self, event: StatesResident) -> None:
        """Note that states of this plan came into the memory of a slot, or left it."""
        if event.workload == self.key:
            self.plan.residents.note(event.slot, added=event.added, dropped=event.dropped)
            self.residency.note(event)

    # --- work out

    def assign(self, stages: tuple[Stage, ...], slot: Slot, lease: LeaseId, served: Sequence[Request]) -> Assignment:
        """Open a lease for a chain of stages that answers these requests, and return what to do under it."""
        tree = self.tree
        payer = self._payer(stages, tree)
        begin = self._lane_start(stages[0], slot)
        checks = self.checks.checks_of(
            self.plan.exactness,
            first=0 if begin is None else begin.step,
            stop=stages[-1].stop,
            is_checking=bool(self._checking),
        )
        walked = {stage.point for stage in stages}
        comes_alone = any(request.comes_alone for request in served)
        lane = Lane(
            begin=begin,
            stages=tuple(
                self._lane_stage(stage, tree, walked, payer, comes_alone and self._is_worth_keeping(stage, payer))
                for stage in stages
            ),
            check=checks.first,
            audit=checks.last,
        )
        assignment = Assignment(
            lease=lease,
            prefix=f"{self.store.uuid}/p{self.plan.row.plan}/e{self.plan.row.epoch}-l{lease}",
            slot=slot.id,
            workload=self.spec.workload,
            plan=self.key,
            lanes=(lane,),
            checkpoint_every_s=payer.settings.checkpoint_every_s,
        )
        is_speculative = bool(served) and all(request.is_speculative for request in served)
        expected_s = sum(map(self._seconds_of, stages))
        every = self.spec.evaluate_every
        self.running[lease] = RunningLease(assignment, payer, expected_s, is_speculative, every)
        if lane.check or lane.audit:
            self._checking.add(lease)
        spans = [Span(node=stage.node, start=stage.start, stop=stage.stop) for stage in stages]
        self.plan.leases.open(lease, spans, slot=slot.id, started_at=self._clock.now())
        return assignment

    def requests_on(self, stages: Iterable[Stage]) -> list[Request]:
        """Return the requests that are answered along a chain of stages."""
        return [r for stage in stages for r in self._requests_at(self.plan.nodes[stage.node], stage.stop)]

    def commands(self) -> list[Command]:
        """Return what running leases must be told since the tree changed: boundaries that are new to them."""
        told: list[Command] = []
        tree = self.tree
        for stage in self._tree.take_underway():
            assert isinstance(stage.base, Underway)
            lease = self.running.get(stage.base.lease)
            lane = None if lease is None else lease.lane_to(stage.point)
            if lease is None or lane is None:
                continue  # it ends soon, and leaves its state where it ends
            node = self.plan.nodes[stage.node]
            lease.is_speculative &= all(r.is_speculative for r in self._requests_at(node, stage.stop))
            wanted = self._boundary(stage, tree, lane.route, lease.payer)
            if not lease.keeps_promise(lane, stage.point, wanted):
                told.append(lease.add_boundary(lane, stage.point, wanted))
        return told

    def shorten(self) -> list[Command]:
        """Return the commands that end lanes where their last request is, now that later ones were withdrawn."""
        told: list[Command] = []
        tree = self.tree
        for lease_id, lease in self.running.items():
            told += lease.shorten(tree.underway(lease_id))
        return told

    def end_lease(self, lease_id: LeaseId, how: LeaseEnd, outcome: Outcome, reason: str = "") -> None:
        """Close a lease that is done, or was lost for this reason."""
        lease = self.running.pop(lease_id, None)
        if lease is None:
            return
        self._checking.discard(lease_id)
        self.plan.leases.close(lease_id, how)
        if how != LeaseEnd.LOST:
            return
        for point in lease.points_at_risk():
            if self._is_lost_once_more(point):
                error = f"lost: the worker died {MOST_LOSSES} times while it ran this stage"
                error += f", the last time by this: {reason}" if reason else ""
                fail(self, Failure(node=point.node, step=point.step, method="worker", error=error), outcome)

    def _is_lost_once_more(self, point: Point) -> bool:
        """Count a loss of work at a point; return whether it was one too many."""
        self._losses[point] = self._losses.get(point, 0) + 1
        return self._losses[point] >= MOST_LOSSES

    def lose_for_want(self, failure: Failure, outcome: Outcome) -> None:
        """Take in that memory, or the like, ran out in a step: that is no fact about a trial. It is run again, alone.

        It fails like a stage whose worker dies, after three attempts.
        """
        self._crowded.add(failure.node)
        if self._is_lost_once_more(Point(failure.node, failure.step)):
            error = f"lost: resources ran out {MOST_LOSSES} times in this step, the last time: {failure.error}"
            fail(self, replace(failure, error=error), outcome)
        else:
            what = f"{failure.method}() at step {failure.step}: {failure.error}"
            outcome.warnings.append(f"resources ran out in {what}; its stage runs again, by itself")

    def is_crowded(self, stages: Iterable[Stage]) -> bool:
        """Tell whether resources ran out in one of these stages before."""
        return any(stage.node in self._crowded for stage in stages)

    def _lane_start(self, stage: Stage, slot: Slot) -> LaneStart | None:
        if not isinstance(stage.base, AtCheckpoint | AtResident):
            return None
        node, step = self.plan.nodes[stage.base.node], stage.base.step
        ref = node.checkpoints[step] if isinstance(stage.base, AtCheckpoint) else None
        metrics = node.metrics.get(step)
        # Facts of another process are compared once with what this one makes of them: its hash seed may be another
        # one, or a file that it reads, and nothing else would ever tell.
        is_compared = self.is_exact and metrics is not None and self.checks.is_first_look(slot.id)
        return LaneStart(
            node=node.id, step=step, checkpoint=ref, pieces=node.pieces, metrics=metrics if is_compared else None
        )

    def _is_worth_keeping(self, stage: Stage, payer: StudyState) -> bool:
        """Tell whether a state takes longer to be made again than it takes to be written."""
        return self._seconds_of(stage) > payer.counters.seconds_per_checkpoint

    def _lane_stage(
        self, stage: Stage, tree: StageTree, walked: Container[Point], payer: StudyState, keeps_joint: bool
    ) -> LaneStage:
        return LaneStage(
            node=stage.node,
            start=stage.start,
            stop=stage.stop,
            pieces=self.plan.nodes[stage.node].pieces,
            boundary=self._boundary(stage, tree, walked, payer, keeps_joint=keeps_joint),
        )

    def _boundary(
        self, stage: Stage, tree: StageTree, walked: Container[Point], payer: StudyState, *, keeps_joint: bool = False
    ) -> Boundary:
        node = self.plan.nodes[stage.node]
        return boundary_at(
            node,
            stage.stop,
            requests=self._requests_at(node, stage.stop),
            tree=tree,
            walked=walked,
            payer=payer,
            keeps_joint=keeps_joint,
            asked_at=lambda point: self._requests_at(self.plan.nodes[point.node], point.step),
        )

    def _payer(self, stages: Sequence[Stage], tree: StageTree) -> StudyState:
        """Return the study of the oldest request, or else of the wish for a state, that the end of a chain serves."""
        waiting = [stages[-1].point]
        while waiting:
            point = waiting.pop()
            requests = self._requests_at(self.plan.nodes[point.node], point.step)
            if requests:
                return requests[0].study
            if self._state_waiters.get(point):
                return self._state_waiters[point][0]
            waiting += [stage.point for stage in tree.followers(point)]
        raise AssertionError(f"nobody asked for {[stage.point for stage in stages]}")


def compare_environments(recorded: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Compare the environment a plan was trained in with this one.

    Raises:
      EnvironmentChangedError: names each field that differs, with both values.
    """
    changed = changed_fields(recorded, now)
    lines = [f"{name} was {before!r} and is {after!r}" for name, (before, after) in changed.items()]
    if lines:
        raise EnvironmentChangedError(
            f"this search plan was trained in another environment: {'; '.join(lines)}. Results would not be "
            "comparable bit for bit. Go back to that environment, or begin a fork of the plan with environment='new'."
        )


def changed_fields(recorded: Mapping[str, str], now: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """Return name -> (recorded value, value now) of the fields in which environments differ, as far as that counts."""
    return {
        name: (recorded.get(name), now.get(name))
        for name in sorted({*recorded, *now} - _MAY_DIFFER)
        if recorded.get(name) != now.get(name)
    }
