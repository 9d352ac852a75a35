"""What is known of one workload, in memory: the facts on its nodes.

What is known only grows, except that a state may no longer be loadable. This module refuses to know where nodes come
from (`plan_nodes`), how anything is written down (`facts`), how it is read back (`loading`), and who hears of it
(`listener`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hippo.plan.causes import Cause
from hippo.plan.nodes import Node
from hippo.plan.plan_nodes import PlanNodes
from hippo.plan.rows import CheckpointLoss
from hippo.records import CheckpointRef, Failure, LeaseId, Metrics, NodeId


class PlanIndex:
    """What is known of the nodes of one plan."""

    def __init__(self, nodes: PlanNodes) -> None:
        self.nodes = nodes
        #: node -> step -> how often it was run or checked, where that is not once, or it was only checked
        self._repeats: dict[NodeId, dict[int, int]] = {}
        self._gone: dict[NodeId, dict[int, str]] = {}
        self._keys: set[str] = set()

    # --- steps

    def attempts(self, node: Node, step: int) -> int:
        """Return how often a step was run, or checked."""
        repeats = self._repeats.get(node.id)
        known = None if repeats is None else repeats.get(step)
        return int(node.runs.has(step)) if known is None else known

    def was_run_by(self, lease: LeaseId, node: Node, step: int) -> bool:
        """Tell whether a step was run by a lease: a lease runs no step twice, but may say so twice, however late."""
        return node.runs.has_by(step, lease)

    def add_run(self, node: Node, step: int, lease: LeaseId, attempt: int) -> None:
        """Note that a step was run once more, after so many `attempts`."""
        if attempt:  # else the run itself tells
            self._repeats.setdefault(node.id, {})[step] = attempt + 1
        node.runs.add(step, lease)

    def add_new_steps(
        self,
        node: Node,
        first: int,
        training: Sequence[Metrics],
        seconds: Sequence[float],
        lease: LeaseId,
        lanes: int = 1,
    ) -> list[int]:
        """Note a run of steps beyond all that were ever run, as `add_run` and `add_training` would one by one.

        Returns:
          For each step, how often it was checked before: it may have been, by a lease that was told of too late.
        """
        steps = range(first, first + len(training))
        checked = [0] * len(steps)
        if repeats := self._repeats.get(node.id):
            checked = [repeats.get(step, 0) for step in steps]
            repeats.update({step: n + 1 for step, n in zip(steps, checked, strict=True) if n})
        node.runs.add_new(first, steps[-1], lease)
        if lanes > 1:
            node.lanes = node.lanes or {}
            node.lanes.update(dict.fromkeys(steps, lanes))
        node.training.update(zip(steps, training, strict=True))
        node.seconds.update(zip(steps, seconds, strict=True))
        # nothing is summed beyond what was run, neither here nor up to the start of a child
        return checked

    def add_check(self, node: Node, step: int) -> None:
        """Note that a step was run only to be compared: that is no run of its lease, which may be told of later."""
        self._repeats.setdefault(node.id, {})[step] = self.attempts(node, step) + 1

    def add_training(self, node: Node, step: int, training: Metrics, seconds: float, lanes: int = 1) -> None:
        """Note what the first run of a step said, and in how many lanes of one program it was walked."""
        if step not in node.training:
            if lanes > 1:
                node.lanes = node.lanes or {}  # most nodes share one that nobody may fill
                node.lanes[step] = lanes
            node.training[step] = training
            node.seconds[step] = seconds
            node.note_seconds(step, seconds)

    def add_metrics(self, node: Node, step: int, metrics: Metrics, seconds: float) -> None:
        """Note what the first evaluation after a step said."""
        node.metrics[step] = metrics
        node.seconds.add_evaluation(step, seconds)
        node.note_seconds(step, seconds)

    # --- states

    def knows_key(self, key: str) -> bool:
        """Tell whether a checkpoint of this name was ever there."""
        return key in self._keys

    def add_checkpoint(self, node: Node, step: int, ref: CheckpointRef) -> None:
        """Note where a state lies."""
        self._keys.add(ref.key)
        node.add_checkpoint(step, ref)

    def remove_checkpoint(self, node: Node, step: int, key: str, reason: str) -> None:
        """Note that a state can no longer be loaded from a file, and never will be from one of this name."""
        self._keys.add(key)
        self._gone.setdefault(node.id, {})[step] = reason
        if step in node.checkpoints and node.checkpoints[step].key == key:
            node.remove_checkpoint(step)

    def why_gone(self, node: Node, after: int) -> Cause | None:
        """Return why states of a node beyond a step can no longer be loaded, if there were any."""
        reasons = {reason for step, reason in self._gone.get(node.id, {}).items() if step > after}
        if not reasons:
            return None
        return Cause.CORRUPT if CheckpointLoss.CORRUPT in reasons else Cause.EVICTED

    # --- failures

    def add_failure(self, failure: Failure) -> None:
        """Note that no path gets through a step of a node."""
        node = self.nodes[failure.node]
        node.failures = (*node.failures, failure)


def requests_beyond(node: Node, step: int) -> Iterator[tuple[Node, int, int]]:
    """Yield the pending requests (node, step, request) of all paths through `step` of a node."""
    below = [node]
    while below:
        current = below.pop()
        for until in sorted({*current.requests, *current.step_requests}):
            if until >= step:
                yield from ((current, until, request) for request in current.asked(until))
        below += [child for child in current.children.values() if child.start >= step]
