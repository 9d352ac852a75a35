"""What happened on a plan, turned into facts in memory and into row changes: the only way in.

A fact once recorded stays: where a second run says otherwise, `record_*` returns False and keeps the first. What a
lease says twice counts once. The stage tree hears of a fact only where something waits for it, since nothing else
changes what remains to be run. It refuses to know who pays for a fact, and what is done about one that disagrees.
"""

from __future__ import annotations

from collections.abc import Sequence

from hippo.errors import storable_text
from hippo.frozen import changed
from hippo.plan.causes import Cause, StepKind
from hippo.plan.change_log import ChangeLog
from hippo.plan.codec import metrics_to_text
from hippo.plan.listener import PlanListener
from hippo.plan.nodes import Node
from hippo.plan.plan_index import PlanIndex, requests_beyond
from hippo.plan.rows import (
    CheckpointLoss,
    CheckpointRow,
    FailureRow,
    Insert,
    MetricsRow,
    NodeRow,
    StateRow,
    StepRow,
    Update,
)
from hippo.records import CheckpointRef, Failure, LeaseId, Metrics


class PlanFacts:
    """Records the facts of one plan.

    Args:
      plan: which.
      index: what is known of it so far.
      changes: each fact is written down there.
      listener: hears of those that something waits for.
    """

    def __init__(self, plan: int, index: PlanIndex, changes: ChangeLog, listener: PlanListener) -> None:
        self._plan = plan
        self._index = index
        self._changes = changes
        self._listener = listener
        #: how many failures were ever recorded: they are numbered from 1 on
        self.num_failures = 0
        #: steps that were recorded since it was last written down what was spent on the plan
        self.num_recorded = 0
        #: of those who watch: the nodes on which steps were run
        self._moved: list[set[Node]] = []

    def record_step(
        self,
        node: Node,
        step: int,
        training: Metrics,
        seconds: float,
        *,
        lease: LeaseId,
        cause: Cause,
        study: int,
        lanes: int = 1,
        ranks: int = 1,
    ) -> bool:
        """Record that a step was trained; return False where it says otherwise than the first run.

        Args:
          node, step, training, seconds: what was said; the seconds are the lane's share.
          lease: under which.
          cause: why.
          study: whose request caused it.
          lanes: how many were walked as one.
          ranks: among how many processes its trainer was divided, if bits depend on that.
        """
        text = metrics_to_text(training)
        kind = cause.value if lanes == ranks == 1 else StepKind(cause, lanes, ranks).text
        attempt = self._record_run(node, step, text, seconds, kind=kind, study=study)
        self._index.add_run(node, step, lease, attempt)
        self._index.add_training(node, step, training, seconds, lanes)
        if step in node.step_requests:
            self._listener.touched(node, step)
        known = node.training[step]
        return known is training or metrics_to_text(known) == text

    def record_new_steps(
        self,
        node: Node,
        first: int,
        training: Sequence[Metrics],
        seconds: Sequence[float],
        *,
        lease: LeaseId,
        cause: Cause,
        study: int,
        lanes: int = 1,
        ranks: int = 1,
    ) -> None:
        """Record a run of steps that were never run before, and that nothing waits for, as `record_step` would.

        Args:
          node: `is_new` of it and of `first`.
          first: the end of the first step.
          training, seconds: of each step in turn.
          lease, cause, study, lanes, ranks: as for `record_step`.
        """
        texts = [metrics_to_text(said) for said in training]
        kind = cause.value if lanes == ranks == 1 else StepKind(cause, lanes, ranks).text
        attempts = self._index.add_new_steps(node, first, training, seconds, lease, lanes)
        plan, number = self._plan, node.id
        self._changes += [
            Insert(
                StepRow(
                    plan=plan,
                    node=number,
                    step=step,
                    attempt=attempt,
                    cause=kind,
                    study=study,
                    training=text,
                    seconds=seconds_each,
                )
            )
            for step, (attempt, text, seconds_each) in enumerate(
                zip(attempts, texts, seconds, strict=True), start=first
            )
        ]
        self._note_recorded(node, len(attempts))

    def is_new(self, node: Node, first: int, last: int) -> bool:
        """Tell whether no step of a run was ever run, and nothing waits for one of them to be trained."""
        return first > node.runs.furthest and not any(first <= step <= last for step in node.step_requests)

    def record_check(self, node: Node, step: int, seconds: float, *, study: int) -> None:
        """Record that a step was run once more only to prove that the workload resumes exactly."""
        self._record_run(node, step, "{}", seconds, kind=Cause.CHECK.value, study=study)
        self._index.add_check(node, step)

    def _record_run(self, node: Node, step: int, training: str, seconds: float, *, kind: str, study: int) -> int:
        """Return how often the step was run, or checked, before."""
        attempt = self._index.attempts(node, step)
        row = StepRow(
            plan=self._plan,
            node=node.id,
            step=step,
            attempt=attempt,
            cause=kind,
            study=study,
            training=training,
            seconds=seconds,
        )
        self._changes.append(Insert(row))
        self._note_recorded(node, 1)
        return attempt

    def _note_recorded(self, node: Node, steps: int) -> None:
        self.num_recorded += steps
        for moved in self._moved:
            moved.add(node)

    def watch(self) -> set[Node]:
        """Return a set to which every node is added from now on as a step of it is run; who asked for it empties it."""
        self._moved.append(set())
        return self._moved[-1]

    def unwatch(self, watched: set[Node]) -> None:
        """Add no node to a set any more."""
        self._moved = [moved for moved in self._moved if moved is not watched]

    def is_told_again(self, node: Node, step: int, lease: LeaseId) -> bool:
        """Tell whether a lease that says it ran a step has said so before."""
        return self._index.was_run_by(lease, node, step)

    def record_metrics(self, node: Node, step: int, metrics: Metrics, seconds: float, *, study: int) -> bool:
        """Record an evaluation; return False where known metrics differ from these."""
        text = metrics_to_text(metrics)
        known = node.metrics.get(step)
        if known is not None:
            return metrics_to_text(known) == text
        row = MetricsRow(plan=self._plan, node=node.id, step=step, metrics=text, seconds=seconds, study=study)
        self._changes.append(Insert(row))
        self._index.add_metrics(node, step, metrics, seconds)
        if step in node.requests:
            self._listener.touched(node, step)
        return True

    def record_state_hash(self, node: Node, step: int, state_hash: str) -> bool:
        """Record the hash of a state; return False where another one is known."""
        known = node.state_hashes.get(step)
        if known is None:
            node.state_hashes[step] = state_hash
            self._changes.append(Insert(StateRow(plan=self._plan, node=node.id, step=step, state_hash=state_hash)))
        return known is None or known == state_hash

    def record_checkpoint(self, node: Node, step: int, ref: CheckpointRef, seconds: float, *, study: int) -> bool:
        """Record where a state lies; return False if that was told before."""
        if self._index.knows_key(ref.key):
            return False
        self._changes.append(Insert(self._checkpoint_row(node, step, ref, seconds=seconds, study=study)))
        self._index.add_checkpoint(node, step, ref)
        self._listener.touched(node, step)  # also where the state was resident: any slot may go on from it now
        return True

    def forget_checkpoint(self, node: Node, step: int, key: str, reason: CheckpointLoss) -> None:
        """Record that a state can no longer be loaded, and why."""
        ref = node.checkpoints.get(step)
        if ref is not None and ref.key == key:
            self._changes.append(Update(changed(self._checkpoint_row(node, step, ref), gone=reason)))
            self._index.remove_checkpoint(node, step, key, reason)
            self._listener.touched(node, step)

    def _checkpoint_row(
        self, node: Node, step: int, ref: CheckpointRef, *, seconds: float = 0.0, study: int = 0
    ) -> CheckpointRow:
        return CheckpointRow(
            plan=self._plan,
            key=ref.key,
            node=node.id,
            step=step,
            size_bytes=ref.size_bytes,
            sha256=ref.sha256,
            state_hash=ref.state_hash,
            seconds=seconds,
            study=study,
        )

    @property
    def has_failures(self) -> bool:
        """Whether any failure was ever recorded."""
        return self.num_failures > 0

    def record_failure(self, failure: Failure) -> list[tuple[Node, int, int]]:
        """Record a failure; return the pending requests (node, step, request) that can no longer be met."""
        self.num_failures += 1
        row = FailureRow(
            plan=self._plan,
            number=self.num_failures,
            node=failure.node,
            step=failure.step,
            method=failure.method,
            error=storable_text(failure.error),
            traceback=storable_text(failure.traceback),
        )
        self._changes.append(Insert(row))
        self._index.add_failure(failure)
        return list(requests_beyond(self._index.nodes[failure.node], failure.step))

    def mark_inexact(self, node: Node) -> None:
        """Record that two runs of a node disagreed."""
        row = NodeRow(plan=self._plan, node=node.id, parent=None, start=node.start, pieces="", inexact=True)
        self._changes.append(Update(row))
