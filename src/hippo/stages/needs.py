"""What one node needs, seen from that node alone: where its stages end, and where each begins.

Both the specification (`builder`) and its incremental twin (`incremental`) put these local answers together; they
refuse to know anything about other nodes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hippo.records import AfterStage, AtCheckpoint, Base, LeaseId, NodeId, Stage, Underway


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part (start, stop] of a node that a lease walks; `start == stop` when it only evaluates there."""

    start: int
    stop: int
    lease: LeaseId
    #: steps at which the lease leaves nothing behind, since they were named too late
    passed: AbstractSet[int] = frozenset()

    def reaches(self, step: int) -> bool:
        """Tell whether the lease will leave what is needed at `step`."""
        return step not in self.passed and (self.start < step <= self.stop or self.start == step == self.stop)


@dataclass(frozen=True, slots=True)
class LocalNeeds:
    """The states that a node has, and those that leases will bring it."""

    node: NodeId
    start: int
    #: steps whose state can be loaded, ascending
    checkpoints: Sequence[int]
    stretches: Sequence[Stretch]

    def has_state(self, step: int) -> bool:
        """Tell whether the node's own state at `step` can be loaded; the one at its start is its parent's."""
        at = bisect_left(self.checkpoints, step)
        return step > self.start and at < len(self.checkpoints) and self.checkpoints[at] == step

    def stages(self, *, metrics: Iterable[int], states: Iterable[int]) -> tuple[list[Stage], Stage | None]:
        """Return the node's stages by ascending end, and the first one if it needs the state at the node's start.

        Args:
          metrics: steps whose metrics are wanted and not known.
          states: steps whose state is wanted.

        Returns:
          All stages whose beginning this node can tell, and the one that begins at the node's own start, if any.
          The latter's base is a placeholder: only its parent knows.
        """
        wanted = sorted({*metrics, *(step for step in states if not self.has_state(step))})
        stages: list[Stage] = []
        unsettled: Stage | None = None
        for step in self._with_lease_ends(wanted):
            previous = stages[-1].stop if stages else unsettled.stop if unsettled else None
            begin, base = self._begin(step, previous)
            if base is None:
                unsettled = Stage(node=self.node, start=begin, stop=step, base=AfterStage((self.node, begin)))
            else:
                stages.append(Stage(node=self.node, start=begin, stop=step, base=base))
        return stages, unsettled

    def _with_lease_ends(self, wanted: Sequence[int]) -> Iterator[int]:
        """Yield the wanted ends, and before each the end of the lease that it waits for, if it waits for one."""
        previous = self.start
        for step in wanted:
            if not self.has_state(step) and self._reaching(step) is None:
                floor = max(previous, self._checkpoint_below(step) or 0)
                lease_ends = [s.stop for s in self.stretches if floor < s.stop < step and s.reaches(s.stop)]
                if lease_ends:
                    yield max(lease_ends)
            yield step
            previous = step

    def _begin(self, step: int, previous: int | None) -> tuple[int, Base | None]:
        evaluate_only = self.has_state(step)
        # an exact checkpoint wins over a running mark, unless that mark is the very evaluation asked for
        reaching = self._evaluating(step) if evaluate_only else self._reaching(step)
        if reaching is not None:
            return min(step, max(reaching.start, previous or 0)), Underway(reaching.lease)
        if evaluate_only:
            return step, AtCheckpoint(self.node, step)
        checkpoint = self._checkpoint_below(step)
        if previous is not None and previous > (checkpoint or 0):
            return previous, AfterStage((self.node, previous))
        if checkpoint is not None:
            return checkpoint, AtCheckpoint(self.node, checkpoint)
        return self.start, None

    def _reaching(self, step: int) -> Stretch | None:
        return next((stretch for stretch in self.stretches if stretch.reaches(step)), None)

    def _evaluating(self, step: int) -> Stretch | None:
        """Return who evaluates at `step` and does nothing else; others may walk through it, too."""
        here = (stretch for stretch in self.stretches if stretch.start == step and stretch.reaches(step))
        return next(here, None)

    def _checkpoint_below(self, step: int) -> int | None:
        at = bisect_left(self.checkpoints, step)
        return self.checkpoints[at - 1] if at and self.checkpoints[at - 1] > self.start else None
