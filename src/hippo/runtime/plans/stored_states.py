"""Which recorded state of a plan a worker can be shown: it evaluates it, and compares with what is recorded.

A worker whose lanes all begin with a new model loads nothing, and would never notice that its data are other ones than
its neighbours', because each `__init__` drew a split of its own. So it is shown a state that another worker made, or an
earlier process, as soon as there is one. This module refuses to know who has compared what.
"""

from __future__ import annotations

import itertools

from hippo.plan import AbstractPlanStore, CheckpointRow, SearchPlan
from hippo.records import LaneStart, Point, SlotId

#: of an earlier process: enough, should some not be there any more, or have no metrics
_MOST_EARLIER = 8


class StoredStates:
    """Those that are in files, by who made them.

    Args:
      plan: whose they are.
      store: of the plan.
      has_earlier: there may be some of an earlier process.
    """

    def __init__(self, plan: SearchPlan, store: AbstractPlanStore, *, has_earlier: bool) -> None:
        self._plan = plan
        #: the latest of each slot
        self._made: dict[SlotId, Point] = {}
        self._earlier: list[Point] = []
        if has_earlier:
            with store.reading() as rows:
                # in the order of an index: else all of them would be sorted, for eight
                found = rows.columns(
                    CheckpointRow,
                    ("node", "step"),
                    order=("node",),
                    limit=_MOST_EARLIER,
                    plan=plan.row.plan,
                    gone="",
                )
            self._earlier = [Point(*each) for each in found]

    def note(self, slot: SlotId, point: Point) -> None:
        """Note that the state at a point was written by a slot."""
        if point.step in self._plan.nodes[point.node].metrics:
            self._made[slot] = point

    def made_elsewhere(self, slot: SlotId) -> LaneStart | None:
        """Return a state with its metrics that this slot did not make; None if there is none."""
        made = (point for maker, point in self._made.items() if maker != slot)
        for point in itertools.chain(made, self._earlier):  # the first will do, most often, and slots may be many
            node, step = self._plan.nodes[point.node], point.step
            if step in node.checkpoints and step in node.metrics:
                return LaneStart(
                    node=node.id,
                    step=step,
                    checkpoint=node.checkpoints[step],
                    pieces=node.pieces,
                    metrics=node.metrics[step],
                )
        return None
