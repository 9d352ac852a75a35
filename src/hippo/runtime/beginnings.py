"""How a call comes to members that begin at states: branches of one path, which are walked in a plan of other numerics.

The state is written if it is not, and copied into that plan's folder: then each plan has files of its own, and what one
of them forgets is no loss of the other's. There it is a root (`hippo.plan.beginnings`), from which the paths of the
member begin. The member is a row like any other, named by the state, so that a re-run, or another study on the plan,
comes to the same root and finds what was trained from it.

This module refuses to know why anything begins there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hippo.errors import TunerError
from hippo.members import BRANCHES, at_scale, branches_from
from hippo.records import Answer
from hippo.runtime.calls import Call

if TYPE_CHECKING:
    from hippo.runtime.wanted_states import WantedStates


class Beginnings:
    """The members of one call that begin at states.

    Args:
      call: whose they are.
      states: writes and copies them.
      is_over: the call was complete before, so that nothing is trained for it.
    """

    def __init__(self, call: Call, states: WantedStates, *, is_over: bool) -> None:
        self._call = call
        self._states = states
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
            async with self._states.written(call.study, run, node, step) as ref:
                known = ref.state_hash
        root = there.plan.nodes.begin_at(step, known, node.pieces)
        if not self._is_over and not await self._states.has_root(there, root):
            await self._states.bring(call.study, run, node, there, root)
        member = at_scale(answer.member, branches_from(step, known))
        call.take_in(member, there, root)
        return member
