"""How a call comes to members that begin at states: branches of one path, in a plan of other numerics.

The state is copied into that plan's folder: then each plan has files of its own, and what one of them forgets is no
loss of the other's. There it is a root (`hippo.plan.beginnings`), from which the paths of the member begin. The member
is a row like any other, named by the root, so that a re-run, or another study on the plan, comes to the same root and
finds what was trained from it.

This module refuses to know why anything begins there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from hippo.errors import TunerError
from hippo.members import BRANCHES, at_scale, branches_from
from hippo.plan import Node
from hippo.records import Answer
from hippo.runtime.asking.calls import Call
from hippo.tuners.ask import Proposal

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun
    from hippo.runtime.wanted_states import WantedStates


class _Beginning(NamedTuple):
    """A state at which a member begins: where it is on its own plan, and what it is on the member's."""

    run: PlanRun
    node: Node
    there: PlanRun
    root: Node


class Beginnings:
    """The members of one call that begin at states.

    A state is brought when something is asked there that nobody has trained: a re-run, and another study to which all
    branches are known, need no file. While a task waits for it, the call's tuner is told nothing (`Call.held`).

    Args:
      call: whose they are.
      states: writes and copies them.
    """

    def __init__(self, call: Call, states: WantedStates) -> None:
        self._call = call
        self._states = states
        self._by_member: dict[str, _Beginning] = {}
        #: how many blocks of the tuner lead to a member now
        self._blocks: Counter[str] = Counter()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._by_member)

    @contextmanager
    def block(self, member: str) -> Iterator[None]:
        """Have a member's branches stay in memory while a block lasts, or another one that leads there."""
        self._blocks[member] += 1
        try:
            yield
        finally:
            self._blocks[member] -= 1
            if not self._blocks[member]:
                for config in self._call.trials.configs_of(member):
                    self._call.book.release(config, member)

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
          CheckpointError: the state cannot be written.
        """
        call, step = self._call, answer.step
        run, there = call.run_of(answer.member), call.run_of(self.member_of(answer.member))
        point = call.trials.point_of(answer.config, step, answer.occurrence, answer.member)
        node = run.plan.nodes[point.node]
        known = node.state_hashes.get(step)
        if known is None:
            with call.held():
                async with self._states.written(call.study, run, node, step) as ref:
                    known = ref.state_hash
        root = there.plan.nodes.begin_at(step, known, node.pieces)
        member = at_scale(answer.member, branches_from(step, root.digest))
        call.take_in(member, there, root)
        self._by_member[member] = _Beginning(run, node, there, root)
        return member

    async def bring(self, asked: Mapping[str, Sequence[Proposal]]) -> None:
        """Bring the states at which members begin, where any of what they are about to be asked needs it.

        Args:
          asked: member -> what; nothing: that is not known yet.

        Raises:
          CheckpointError: a state cannot be copied.
        """
        for member, proposals in asked.items():
            begun = self._by_member.get(member)
            if begun is None or (proposals and all(self._call.trials.is_known(each, member) for each in proposals)):
                continue
            with self._call.held():
                if not await self._states.has_root(begun.there, begun.root):
                    await self._states.bring(self._call.study, begun.run, begun.node, begun.there, begun.root)
