"""What one node needs, seen from that node alone: where its stages end, and where each begins.

Both the specification (`builder`) and its incremental twin (`incremental`) put these local answers together; they
refuse to know anything about other nodes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from hippo.frozen import frozen_tuple
from hippo.records import AfterStage, AtCheckpoint, AtResident, Base, LeaseId, NodeFacts, Point, Stage, Underway


@frozen_tuple
class LeasedSpan:
    """The part (start, stop] of a node that a lease walks; `start == stop` when it only evaluates there."""

    start: int
    stop: int
    lease: LeaseId
    #: steps at which the lease leaves nothing behind, since they were named too late
    passed: AbstractSet[int] = frozenset()

    def reaches(self, step: int) -> bool:
        """Tell whether the lease will leave what is needed at `step`."""
        return step not in self.passed and (self.start < step <= self.stop or self.start == step == self.stop)


def has_state(node: NodeFacts, step: int) -> bool:
    """Tell whether the node's own state at `step` can be loaded; the one at its start is its parent's."""
    states = node.states
    at = bisect_left(states, step)
    return step > node.start and at < len(states) and states[at] == step


def base_at_state(node: NodeFacts, step: int) -> Base:
    """Return where a stage begins that goes on from a state of a node: a file, which any slot can read, or memory."""
    return AtCheckpoint(node.id, step) if step in node.checkpoints else AtResident(node.id, step)


def owner_of_start(node: NodeFacts) -> NodeFacts | None:
    """Return the ancestor to which the state at the node's start belongs; None for a newly initialised one."""
    owner = node.parent
    while owner is not None and owner.start == node.start:
        owner = owner.parent
    return owner


def base_at_end(owner: NodeFacts, step: int) -> Base:
    """Return where a node begins that goes on from `step` of its owner: at a state, or after the stage that ends there.

    Every node that begins there shares this base.
    """
    return base_at_state(owner, step) if has_state(owner, step) else AfterStage(Point(owner.id, step))


class LocalNeeds:
    """A node's facts beside the leases that walk it."""

    __slots__ = ("_node", "_spans")

    def __init__(self, node: NodeFacts, spans: Sequence[LeasedSpan]) -> None:
        self._node = node
        self._spans = spans

    def stages(self, demanded: Collection[int]) -> tuple[list[Stage], int | None]:
        """Return the node's stages by ascending end, and where the first one ends if it begins at the node's start.

        Args:
          demanded: steps whose state other nodes begin from.

        Returns:
          All stages whose beginning this node can tell, and the end of the one that begins at the node's own start, if
          any: the base of that one only its parent knows.
        """
        node = self._node
        # of most nodes that are looked at nothing is wanted any more
        asked = demanded or node.requests or node.step_requests or node.state_requests
        wanted = self._wanted(demanded) if asked else ()
        if not wanted:
            return [], None
        stages: list[Stage] = []
        unsettled: int | None = None
        number, previous = node.id, None
        for step in self._with_lease_ends(wanted) if self._spans else wanted:
            begin, base = self._begin(step, previous)
            if base is None:
                unsettled = step
            else:
                stages.append(Stage(node=number, start=begin, stop=step, base=base))
            previous = step
        return stages, unsettled

    def _wanted(self, demanded: Collection[int]) -> list[int]:
        """Return the steps at which something is wanted that is not there, ascending."""
        node = self._node
        known, trained, files = node.metrics, node.training, node.checkpoints
        wanted = {step for step in node.requests if step not in known} if node.requests else set()
        if node.step_requests:
            wanted.update([step for step in node.step_requests if step not in trained])
        if node.state_requests:
            wanted.update([step for step in node.state_requests if step not in files])
        if demanded:
            wanted.update([step for step in demanded if not has_state(node, step)])
        return sorted(wanted) if len(wanted) > 1 else list(wanted)

    def _with_lease_ends(self, wanted: Sequence[int]) -> Iterator[int]:
        """Yield the wanted ends, and before each the end of the lease that it waits for, if it waits for one."""
        previous = self._node.start
        for step in wanted:
            if self._reaching(step) is None and not self._is_made(step):
                floor = max(previous, self._state_below(step) or 0)
                lease_ends = [s.stop for s in self._spans if floor < s.stop < step and s.reaches(s.stop)]
                if lease_ends:
                    yield max(lease_ends)
            yield step
            previous = step

    def _begin(self, step: int, previous: int | None) -> tuple[int, Base | None]:
        node = self._node
        evaluate_only = bool(node.states) and self._is_made(step)
        # an exact checkpoint wins over a running mark, unless that mark is the very evaluation asked for
        reaching = self._evaluating(step) if evaluate_only else self._reaching(step) if self._spans else None
        if reaching is not None:
            return min(step, max(reaching.start, previous or 0)), Underway(reaching.lease)
        if evaluate_only:
            return step, base_at_state(node, step)
        below = self._state_below(step) if node.states else None
        if previous is not None and previous > (below or 0):
            return previous, AfterStage(Point(node.id, previous))
        if below is not None:
            return below, base_at_state(node, below)
        return node.start, None

    def _is_made(self, step: int) -> bool:
        """Tell whether a stage that ends at `step` may begin there: to evaluate a state, or to write one to a file."""
        node = self._node
        return has_state(node, step) and (step not in node.step_requests or step in node.training)

    def _reaching(self, step: int) -> LeasedSpan | None:
        for span in self._spans:
            if span.reaches(step):
                return span
        return None

    def _evaluating(self, step: int) -> LeasedSpan | None:
        """Return who evaluates at `step` and does nothing else; others may walk through it, too."""
        for span in self._spans:
            if span.start == step and span.reaches(step):
                return span
        return None

    def _state_below(self, step: int) -> int | None:
        states = self._node.states
        at = bisect_left(states, step)
        return states[at - 1] if at and states[at - 1] > self._node.start else None
