"""Who waits for what on one plan: requests for metrics, and studies that want a state in a file.

Whoever waits is known here and to the plan's nodes at once, so that the stage tree holds what they need as long as they
wait and no longer. It refuses to know what is run for them, and how they are answered.
"""

from __future__ import annotations

from collections.abc import Iterable

from hippo.plan import Node, SearchPlan
from hippo.records import Point, Stage
from hippo.runtime.studies.requests import Request
from hippo.runtime.studies.study_state import StudyState


class WaitingRequests:
    """The requests that wait on one plan, and the wishes for states."""

    def __init__(self, plan: SearchPlan) -> None:
        self._plan = plan
        #: those that wait, by number
        self.requests: dict[int, Request] = {}
        self._state_waiters: dict[Point, list[StudyState]] = {}

    def add(self, request: Request) -> bool:
        """Take a request in; return whether it can be answered at once."""
        node, until = request.node, request.until
        if until in (node.metrics if request.evaluate else node.training):
            return True
        if self._plan.facts.has_failures:
            request.failure = node.failure_before(until)
            if request.failure is not None:
                return True
        self.requests[request.id] = request
        self._plan.add_request(node, until, request.id, evaluate=request.evaluate)
        return False

    def remove(self, request: Request) -> None:
        """Withdraw a request, or settle it: no stage is run for it any more."""
        if self.requests.pop(request.id, None) is not None:
            self._plan.remove_request(request.node, request.until, request.id)

    def take_answered(self, node: Node, step: int) -> list[Request]:
        """Return the requests at a point that its facts answer, the oldest first; they do not wait any more."""
        is_evaluated, is_trained = step in node.metrics, step in node.training
        taken = [r for r in self.at(node, step) if (is_evaluated if r.evaluate else is_trained)]
        for request in taken:
            self.remove(request)
        return taken

    def want_state(self, study: StudyState, node: Node, step: int) -> None:
        """Have the state at a step made and written."""
        self._state_waiters.setdefault(Point(node.id, step), []).append(study)
        self._plan.add_state_request(node, step)

    def unwant_state(self, study: StudyState, node: Node, step: int) -> None:
        """Withdraw one study's wish for a state; others may still wait for it."""
        self._state_waiters[Point(node.id, step)].remove(study)
        self._plan.remove_state_request(node, step)

    def at(self, node: Node, step: int) -> list[Request]:
        """Return the requests that wait at a point, for metrics or not, the oldest first."""
        asking = node.requests.get(step)
        if not node.step_requests and (asking is None or len(asking) == 1):  # nearly always, and asked often
            return [] if asking is None else [self.requests[number] for number in asking]
        return [self.requests[number] for number in node.asked(step)]

    def at_point(self, point: Point) -> list[Request]:
        """Return the same, of a point by its names."""
        return self.at(self._plan.nodes[point.node], point.step)

    def along(self, stages: Iterable[Stage]) -> list[Request]:
        """Return the requests that are answered along a chain of stages."""
        return [request for stage in stages for request in self.at_point(stage.point)]

    def is_speculative(self, stages: Iterable[Stage]) -> bool:
        """Tell whether no tuner has asked yet for what a chain of stages answers."""
        served = self.along(stages)
        return bool(served) and all(request.is_speculative for request in served)

    def studies_at(self, point: Point) -> list[StudyState]:
        """Return the studies whose requests wait at a point, the oldest first, then those that want the state there."""
        return [request.study for request in self.at_point(point)] + self._state_waiters.get(point, [])
