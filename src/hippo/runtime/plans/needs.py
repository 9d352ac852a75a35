"""Which states of a plan work needs now: their files do not go, whatever the budget."""

from __future__ import annotations

from hippo.records import Point
from hippo.runtime.plans.plan_run import PlanRun


class Needs:
    """The states that a plan under way needs, as of now.

    Args:
      run: the plan at work.
    """

    def __init__(self, run: PlanRun) -> None:
        self._run = run
        # those that wait for their turn have not loaded their state yet, nor that which they are shown to compare
        lanes = [lane for lease in run.running.values() for lane in lease.assignment.lanes]
        loaded = [state for lane in lanes for state in (lane.begin, lane.look) if state is not None]
        self._loaded = {Point(state.node, state.step) for state in loaded}

    def __contains__(self, point: Point) -> bool:
        if point in self._loaded or point in self._run.residency.pins:
            return True
        if self._run.remaining.followed.is_base(point):
            return True
        known = self._run.plan.nodes.get(point.node)  # what nobody has touched nobody waits for
        return known is not None and point.step in known.state_requests
