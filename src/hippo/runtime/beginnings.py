"""How a call comes to members that begin at states: branches of one path, which are walked in a plan of other numerics.

The state is written if it is not, and copied into that plan's folder: then each plan has files of its own, and what one
of them forgets is no loss of the other's. There it is a root (`hippo.plan.beginnings`), from which the paths of the
member begin. The member is a row like any other, named by the state, so that a re-run, or another study on the plan,
comes to the same root and finds what was trained from it.

This module refuses to know why anything begins there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hippo.errors import TunerError
from hippo.members import BRANCHES, at_scale, branches_from
from hippo.plan import Node
from hippo.records import Answer, CheckpointRef
from hippo.runtime.calls import Call

if TYPE_CHECKING:
    from hippo.runtime.plan_run import PlanRun


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFiles:
    """What beginnings need of the control loop.

    Args:
      written: a block in which the state at a point of a plan lies in the store, and stays there.
      copied: writes a state of the store once more, for a plan, as that of a node after so many steps.
      recorded: counts what a plan's new file takes.
    """

    written: Callable[[PlanRun, Node, int], AbstractAsyncContextManager[CheckpointRef]]
    copied: Callable[[CheckpointRef, PlanRun, Node, int], Awaitable[tuple[CheckpointRef, float]]]
    recorded: Callable[[PlanRun, CheckpointRef], None]


class Beginnings:
    """The members of one call that begin at states.

    Args:
      call: whose they are.
      files: of the engine.
      is_over: the call was complete before, so that nothing is trained for it.
    """

    def __init__(self, call: Call, files: StateFiles, *, is_over: bool) -> None:
        self._call = call
        self._files = files
        self._is_over = is_over

    def member_of(self, member: str) -> str:
        """Return the member that walks branches of another one, from a new model on.

        Raises:
          TunerError: the study has none.
        """
        branches = at_scale(member, BRANCHES)
        if branches not in self._call.members:
            raise TunerError(
                f"the study has no member {branches!r}: a tuner whose branches are walked as one program says so, by "
                "asks_branches = True"
            )
        return branches

    async def member_at(self, answer: Answer) -> str:
        """Return the member whose trials begin at the state that an answer is about.

        Raises:
          TunerError: the study has no member that walks branches of the answer's.
          CheckpointError: the state cannot be copied.
        """
        call, step = self._call, answer.step
        run, there = call.run_of(answer.member), call.run_of(self.member_of(answer.member))
        point = call.trials.point_of(answer.config, step, answer.occurrence, answer.member)
        node = run.plan.nodes[point.node]
        known = node.state_hashes.get(step)
        if known is None:
            async with self._files.written(run, node, step) as ref:
                known = ref.state_hash
        root = there.plan.nodes.begin_at(step, known, node.pieces)
        if step not in root.checkpoints and not self._is_over:
            async with self._files.written(run, node, step) as ref:
                copy, seconds = await self._files.copied(ref, there, root, step)
            self._record(there, root, step, copy, seconds)
        member = at_scale(answer.member, branches_from(step, known))
        call.take_in(member, there, root)
        return member

    def _record(self, run: PlanRun, root: Node, step: int, copy: CheckpointRef, seconds: float) -> None:
        if step in root.checkpoints:  # somebody else brought it meanwhile
            return
        study = self._call.study
        run.plan.facts.record_state_hash(root, step, copy.state_hash)
        run.plan.facts.record_checkpoint(root, step, copy, seconds, study=study.row.study)
        study.counters.count_checkpoint(seconds)
        self._files.recorded(run, copy)
