"""A search plan at work: who waits for what, what remains to be run, and what is under way.

Holds each of these together with the plan, and the leases: it opens them, tells them what the tree came to want since
they began, and closes them. It refuses to know tuners and engines: the control loop carries events in and assignments
out.
"""

from __future__ import annotations

import itertools
import json
import operator
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from hippo.clock import Clock
from hippo.errors import ExactnessError, MissingCheckpointError
from hippo.events import StatesResident
from hippo.plan import AbstractPlanStore, Cause, LeaseEnd, PlanLock, PlanRow, PlanTotals, whoami
from hippo.records import (
    ASYNC,
    ELASTIC,
    Assignment,
    Command,
    Exactness,
    Failure,
    Fusion,
    Lane,
    LeaseId,
    Point,
    Slot,
    SlotId,
    Span,
    Stage,
    TrainerSpec,
    Underway,
    may_fuse,
)
from hippo.runtime.plans.check_quota import CheckQuota
from hippo.runtime.plans.environments import Kind, compare_environments, recorded_kind
from hippo.runtime.plans.facts import fail
from hippo.runtime.plans.formations import Formations, bits_depend_on_company, is_gpu
from hippo.runtime.plans.fusion_verdicts import decide
from hippo.runtime.plans.lane_planner import LanePlanner
from hippo.runtime.plans.leases import LaneAccount, RunningLease
from hippo.runtime.plans.lost_attempts import MOST_LOSSES, LostAttempts
from hippo.runtime.plans.outcomes import Outcome
from hippo.runtime.plans.remaining_work import RemainingWork
from hippo.runtime.plans.residency import Residency
from hippo.runtime.plans.stored_states import StoredStates
from hippo.runtime.plans.waiting_requests import WaitingRequests
from hippo.runtime.studies.requests import Request

#: what lanes want, and those whom they serve: asked for each assignment
_checkpoint_every_s, _keep_base, _twin, _compile, _is_speculative = map(
    operator.attrgetter, ("checkpoint_every_s", "keep_base", "twin", "compile", "is_speculative")
)

#: of plans as they were loaded: nodes that were never written down may come again under other values
_LOADED = itertools.count(1)


class PlanRun:
    """One plan, while this process is its writer."""

    def __init__(self, store: AbstractPlanStore, row: PlanRow, spec: TrainerSpec, clock: Clock) -> None:
        self.store = store
        self.spec = spec
        self._clock = clock
        #: of this process's workers, once it is known
        self.environment: Mapping[str, str] = {}
        self._told: set[str] = set()
        #: names the plan as it was loaded, and with it the states that slots hold of it: every database numbers its own
        #: nodes, so what one plan calls (7, 5) is something else in another, though their workload is one
        self.key = f"{store.uuid}/p{row.plan}/{next(_LOADED)}"
        #: what is to be run, and what it should take
        self.remaining = RemainingWork(store, row)
        self.plan = self.remaining.plan
        spent = self.plan.spent_before
        self.checks = CheckQuota(
            executed=spent.of_cause(Cause.FIRST, Cause.SPECULATIVE).count,
            checked=spent.of_cause(Cause.CHECK).count,
            furthest=spent.of_cause(Cause.CHECK).furthest,
            is_wanted=self.is_compared,
            may_fuse=may_fuse(spec.numerics),
        )
        #: who waits for it
        self.waiting = WaitingRequests(self.plan)
        #: those that workers can be shown
        self.recorded = StoredStates(self.plan, store, has_earlier=spent.of_cause(Cause.FIRST).count > 0)
        self._lanes = LanePlanner(
            self.plan,
            self.waiting,
            self.remaining,
            self.checks,
            self.recorded,
            is_exact=self.is_exact,
            may_cut=may_fuse(spec.numerics),
        )
        self.running: dict[LeaseId, RunningLease] = {}
        self.losses = LostAttempts()
        #: which of its lanes are walked as one
        self.formations = Formations(self.plan, self.remaining.costs, self.losses, self.running, numerics=spec.numerics)
        #: those of them that compare something: there may be ten thousand
        self._checking: set[LeaseId] = set()
        #: which of its states stay in the memory of slots
        self.residency = Residency(self.plan, self.remaining.followed, self.key, self.running)
        #: how many calls, and others who wait, use it
        self.users = 0
        self.lock: PlanLock = store.lock(row.plan)

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
        if self.plan.row.environment:
            compare_environments(json.loads(self.plan.row.environment), environment)
        else:
            self.plan.set_environment(json.dumps(dict(environment), sort_keys=True))
        self.environment = environment
        self.formations.is_on_gpu = is_gpu(environment)

    @property
    def kind(self) -> Kind | None:
        """The kind of environment that its slots must have; None: it knows none yet."""
        return recorded_kind(self.plan.row.environment)

    def require_exact(self) -> None:
        """Refuse a workload that is known not to resume exactly.

        Raises:
          ExactnessError: its check failed before.
        """
        if self.plan.exactness is Exactness.FAILED:
            raise ExactnessError(
                f"{self.spec.reference or 'this trainer'} failed a check before: a run resumed from a checkpoint did "
                "not equal an undisturbed one, or two runs of one stage disagreed (the message of that time says "
                "where). Mend the trainer (changed code begins a new plan, and so does another dataset=, where it was "
                "the data that changed), or share all the same with nondeterminism='warn'."
            )

    @property
    def is_exact(self) -> bool:
        """Whether two runs of one step must agree to the last bit, of lanes that are walked alone."""
        return self.spec.numerics not in ("fast", ASYNC, ELASTIC)

    @property
    def is_compared(self) -> bool:
        """Whether it says anything that two runs of one step differ."""
        return self.spec.numerics not in (ASYNC, ELASTIC)

    def must_agree(self, lease: RunningLease | None) -> bool:
        """Tell whether what a lease says of a step must agree to the last bit with what was said of it before.

        Of lanes that are walked as one this holds where their bits were found not to depend on their company. Where one
        of them failed, or they did not fit into memory together, others may have been walked alone from there on.
        """
        fusion = None if lease is None else lease.assignment.fusion
        if not self.is_exact or not self.formations.may_fuse:
            return self.is_exact
        if fusion is not None and fusion.is_fused:
            has_parted = self.plan.facts.has_failures or bool(self.formations.facts.most_lanes)
            depend = not fusion.keeps_bits or bits_depend_on_company(self.spec.numerics, self.environment)
            return not has_parted and not depend
        return fusion is not None

    def lost_beginning(self) -> MissingCheckpointError | None:
        """Return what to tell those on the plan if work waits for a state to begin at of which nothing is left.

        Nothing here can be trained up to it: a new model would be another state, and nobody would notice.
        """
        begun = self.plan.nodes.begun
        lost = {root.id: root.begins_at for root in begun if root.begins_at not in root.states} if begun else {}
        for stage in self.remaining.tree.stages.values() if lost else ():
            if stage.node in lost and stage.start < lost[stage.node]:
                return MissingCheckpointError(
                    f"nothing is left of the state after step {lost[stage.node]} at which branches begin (node "
                    f"{stage.node}). It is brought there again by a tuner that asks for more branches of it; "
                    "study.evaluate(trial.config, until=...) trains the way of one of them by itself, exactly"
                )
        return None

    def is_news(self, message: str) -> bool:
        """Tell whether this was never asked before: what users hear, they hear once."""
        is_new = message not in self._told
        self._told.add(message)
        return is_new

    # --- states in memory

    def note_residents(self, event: StatesResident) -> None:
        """Note that states of this plan came into the memory of a slot, or left it."""
        if event.workload == self.key:
            self.plan.residents.note(event.slot, added=event.added, dropped=event.dropped)
            self.residency.note(event)

    def holds_only(self, slot: SlotId, points: Collection[Point]) -> bool:
        """Tell whether what runs in a slot is to hold one of these states in memory, and to write it nowhere."""
        leases = [lease for lease in self.running.values() if lease.assignment.slot == slot]
        return any(lease.holds_only(point) for lease in leases for point in points)

    # --- work out

    def assign(
        self,
        chains: Sequence[Sequence[Stage]],
        slot: Slot,
        lease: LeaseId,
        served: Sequence[Sequence[Request]],
        peers: tuple[SlotId, ...] = (),
    ) -> Assignment:
        """Open a lease for chains of stages, each of which is a lane, and return what to do under it.

        Args:
          chains: stages that follow each other, from the beginnings of all on.
          slot: where.
          lease: its number.
          served: for each chain the requests that it answers.
          peers: slots that take part.
        """
        lanes: list[Lane] = []
        accounts: list[LaneAccount] = []
        fusion = self.formations.fusion_of(chains[0][0])
        for stages, requests in zip(chains, served, strict=True):
            payer = self._lanes.payer(stages)
            is_alone = self.formations.is_walked_alone(fusion, len(lanes))
            lane = self._lanes.lane(stages, slot, payer, requests, is_checking=bool(self._checking), is_alone=is_alone)
            if lane.is_watched:
                self._checking.add(lease)
            is_speculative = bool(requests) and all(map(_is_speculative, requests))
            lanes.append(lane)
            company = len(chains) if fusion is not None and fusion.is_fused else 1
            expected_s = self.remaining.share_of(stages, company, width=1 + len(peers))
            accounts.append(LaneAccount(payer, expected_s, is_speculative))
        settings = [account.payer.settings for account in accounts]
        assignment = Assignment(
            lease=lease,
            prefix=prefix_of(self, lease),
            slot=slot.id,
            peers=peers,
            workload=self.spec.workload,
            plan=self.key,
            lanes=tuple(lanes),
            checkpoint_every_s=min(map(_checkpoint_every_s, settings)),
            keep_base=any(map(_keep_base, settings)),
            fusion=fusion,
            twin=any(map(_twin, settings)),
            compile=any(map(_compile, settings)),
        )
        self.running[lease] = RunningLease(assignment, tuple(accounts), self.spec.evaluate_every)
        spans = [Span(node=stage.node, start=stage.start, stop=stage.stop) for stages in chains for stage in stages]
        self.plan.leases.open(
            lease, spans, slot=slot.id, started_at=self._clock.now(), lanes=list(map(len, chains)), peers=peers
        )
        return assignment

    def commands(self) -> list[Command]:
        """Return what running leases must be told since the tree changed: boundaries that are new to them."""
        told: list[Command] = []
        for stage in self.remaining.followed.take_underway():
            assert isinstance(stage.base, Underway)
            lease = self.running.get(stage.base.lease)
            lane = None if lease is None else lease.lane_to(stage.point)
            if lease is None or lane is None:
                continue  # it ends soon, and leaves its state where it ends
            account = lease.accounts[lane.number]
            account.is_speculative &= all(request.is_speculative for request in self.waiting.at_point(stage.point))
            wanted = self._lanes.boundary(stage, self.remaining.tree, lane.route, account.payer)
            if not lease.keeps_promise(lane, stage.point, wanted):
                told.append(lease.add_boundary(lane, stage.point, wanted))
        return told

    def shorten(self) -> list[Command]:
        """Return the commands that end lanes where their last request is, now that later ones were withdrawn."""
        told: list[Command] = []
        tree = self.remaining.tree
        for lease_id, lease in self.running.items():
            told += lease.shorten(tree.underway(lease_id))
        return told

    def end_lease(
        self, lease_id: LeaseId, how: LeaseEnd, outcome: Outcome, reason: str = "", *, is_blamed: bool = True
    ) -> None:
        """Close a lease that is done, or was lost for this reason; its work may be to blame, unless that is known."""
        lease = self.running.pop(lease_id, None)
        if lease is None:
            return
        self._checking.discard(lease_id)
        self.plan.leases.close(lease_id, how, ended_at=self._clock.now())
        if how != LeaseEnd.LOST or not is_blamed:
            return
        if self.formations.is_deciding(lease):
            self._lose_decision(lease, outcome, reason)
            return
        for span in lease.spans_at_risk():
            if self.losses.is_one_too_many(span, lease_id):
                error = f"lost: the worker died {MOST_LOSSES} times while it ran this stage"
                error += f", the last time by this: {reason}" if reason else ""
                fail(self, Failure(node=span.node, step=span.stop, method="worker", error=error), outcome)

    def _lose_decision(self, lease: RunningLease, outcome: Outcome, reason: str) -> None:
        """Take in that a worker died while it found out how lanes are walked: no lane is to blame for that.

        Where that happens again and again, they are walked one by one.
        """
        shape = self.formations.shape_of_lease(lease)
        if self.losses.is_one_too_many(shape, lease.assignment.lease):
            detail = f"{MOST_LOSSES} workers died while they found out whether lanes can be walked together"
            detail += f", the last one by this: {reason}" if reason else ""
            decide(self, shape, Fusion(is_fused=False, detail=detail), outcome)

    def lose_for_want(self, lease: LeaseId, failure: Failure, outcome: Outcome) -> None:
        """Take in that memory, or the like, ran out in a step: that is no fact about a trial. It is run again, alone.

        It fails like a stage whose worker dies, after three attempts.
        """
        self.losses.note_crowded(failure.node)
        if self.losses.is_one_too_many(Point(failure.node, failure.step), lease):
            error = f"lost: resources ran out {MOST_LOSSES} times in this step, the last time: {failure.error}"
            fail(self, replace(failure, error=error), outcome)
        else:
            what = f"{failure.method}() at step {failure.step}: {failure.error}"
            outcome.warnings.append(f"resources ran out in {what}; its stage runs again, by itself")


def prefix_of(run: PlanRun, lease: LeaseId) -> str:
    """Return how the names of states begin that are written under a lease: no other one's ever do."""
    return f"{run.store.uuid}/p{run.plan.row.plan}/e{run.plan.row.epoch}-l{lease}"
