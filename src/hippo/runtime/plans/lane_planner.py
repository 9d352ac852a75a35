"""From a chain of stages to the lane that a slot walks: where it begins, what it leaves where, and who pays.

A chain says which steps are to be run. What must happen at each of its ends depends on who waits there and on what
branches there by now, so it is asked anew for lanes under way when the tree has changed. It refuses to know slots'
leases, and what has been told to whom.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace

from hippo.plan import SearchPlan
from hippo.records import (
    AtCheckpoint,
    AtResident,
    Boundary,
    Keep,
    Lane,
    LaneStage,
    LaneStart,
    Point,
    Slot,
    SlotId,
    Stage,
)
from hippo.runtime.plans.boundaries import boundary_at
from hippo.runtime.plans.check_quota import CheckQuota
from hippo.runtime.plans.remaining_work import RemainingWork
from hippo.runtime.plans.stored_states import StoredStates
from hippo.runtime.plans.waiting_requests import WaitingRequests
from hippo.runtime.studies.requests import Request
from hippo.runtime.studies.study_state import StudyState
from hippo.stages import StageTree
from hippo.training.walking.check_rule import first_change


class LanePlanner:
    """Makes the lanes of one plan.

    Args:
      plan, waiting, remaining: whose states lanes begin from, whom they serve, and what follows them.
      checks: says what a lane must run twice.
      recorded: states that a worker can be shown.
      is_exact: two runs of one step must agree to the last bit.
      may_cut: chains may end within a stage.
    """

    def __init__(
        self,
        plan: SearchPlan,
        waiting: WaitingRequests,
        remaining: RemainingWork,
        checks: CheckQuota,
        recorded: StoredStates,
        *,
        is_exact: bool,
        may_cut: bool = False,
    ) -> None:
        self._plan = plan
        self._waiting = waiting
        self._remaining = remaining
        self._checks = checks
        self._recorded = recorded
        self._is_exact = is_exact
        self._may_cut = may_cut

    def payer(self, stages: Sequence[Stage]) -> StudyState:
        """Return the study of the oldest request, or else of the wish for a state, that the end of a chain serves."""
        points = [stages[-1].point]
        while points:
            point = points.pop()
            studies = self._waiting.studies_at(point)
            if studies:
                return studies[0]
            points += [stage.point for stage in self._remaining.tree.followers(point)]
        return self.payer([self._cut_from(stages[-1])])

    def lane(
        self,
        stages: Sequence[Stage],
        slot: Slot,
        payer: StudyState,
        served: Sequence[Request],
        *,
        is_checking: bool,
        is_alone: bool = True,
    ) -> Lane:
        """Return what to do along a chain of stages.

        Args:
          stages: the chain.
          slot: where.
          payer: on whose account.
          served: the requests that are answered on the way.
          is_checking: another lane of the plan compares something already.
          is_alone: it is walked without company, as all that is compared is.
        """
        begin, look = self._start(stages[0]), None
        if is_alone:
            begin, look = self._looked_at(begin, slot.id)
        first = 0 if begin is None else begin.step
        tree = self._remaining.tree  # once: each look brings it up to date
        walked = {stage.point for stage in stages}
        comes_alone = any(request.comes_alone for request in served)
        walk = [
            LaneStage(
                node=stage.node,
                start=stage.start,
                stop=stage.stop,
                pieces=self._plan.nodes[stage.node].pieces,
                boundary=self.boundary(
                    stage, tree, walked, payer, keeps_joint=comes_alone and self._is_worth_keeping(stage, payer)
                ),
            )
            for stage in stages
        ]
        change = None if self._checks.has_compared_change else first_change(begin, walk)
        checks = self._checks.checks_of(
            self._plan.exactness,
            first=first,
            stop=stages[-1].stop,
            is_checking=is_checking or not is_alone,
            changes=change is not None,
        )
        return Lane(
            begin=begin,
            stages=tuple(walk),
            check=checks.first,
            audit=checks.last,
            change=change if checks.change else None,
            look=look,
        )

    def boundary(
        self, stage: Stage, tree: StageTree, walked: Container[Point], payer: StudyState, *, keeps_joint: bool = False
    ) -> Boundary:
        """Return what a lane that walks these points must do where a stage of the tree ends; see `boundary_at`."""
        node = self._plan.nodes[stage.node]
        if self._may_cut and stage.point not in tree.stages:  # the rest goes on from here, in other company
            return Boundary(evaluate=False, keep=Keep.WRITTEN)
        return boundary_at(
            node,
            stage.stop,
            requests=self._waiting.at(node, stage.stop),
            tree=tree,
            walked=walked,
            payer=payer,
            keeps_joint=keeps_joint,
            asked_at=self._waiting.at_point,
        )

    def _cut_from(self, stage: Stage) -> Stage:
        """Return the stage of the tree of which this one is the beginning: nobody asked for where it ends."""
        for each in self._remaining.tree.stages.values():
            if (each.node, each.start) == (stage.node, stage.start) and each.stop > stage.stop:
                return each
        raise AssertionError(f"nobody asked for {stage.point}")

    def _start(self, stage: Stage) -> LaneStart | None:
        if not isinstance(stage.base, AtCheckpoint | AtResident):
            assert stage.start >= self._plan.nodes[stage.node].begins_at, "a new model is none of these states"
            return None
        node, step = self._plan.nodes[stage.base.node], stage.base.step
        ref = node.checkpoints[step] if isinstance(stage.base, AtCheckpoint) else None
        return LaneStart(node=node.id, step=step, checkpoint=ref, pieces=node.pieces)

    def _looked_at(self, begin: LaneStart | None, slot: SlotId) -> tuple[LaneStart | None, LaneStart | None]:
        """Return the state to begin from, and one to look at before, of which one has metrics if they are compared.

        Facts of another process are compared once with what this one makes of them: its hash seed may be another one,
        or a file that it reads, or what `__init__` draws, and nothing else would ever tell.
        """
        if not self._is_exact or not self._checks.needs_look(slot):
            return begin, None
        metrics = None if begin is None else self._plan.nodes[begin.node].metrics.get(begin.step)
        if begin is not None and metrics is not None:
            self._checks.note_look(slot)
            return replace(begin, metrics=metrics), None
        look = self._recorded.made_elsewhere(slot)
        if look is not None:
            self._checks.note_look(slot)
        return begin, look

    def _is_worth_keeping(self, stage: Stage, payer: StudyState) -> bool:
        """Tell whether a state takes longer to be made again than it takes to be written."""
        return self._remaining.seconds_of(stage) > payer.counters.seconds_per_checkpoint
