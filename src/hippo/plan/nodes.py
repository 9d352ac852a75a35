"""A node of the search plan in memory, with the facts it holds (Hippo, Figure 6)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hippo.hparams import Piece
from hippo.records import CheckpointRef, Failure, LeaseId, Metrics, NodeId, NodeView, SlotId

#: what most nodes never have: one for all, and replaced, never filled
_NOTHING: Any = MappingProxyType({})


class RunLog(list[tuple[int, int, LeaseId]]):
    """Which leases ran which steps of a node: (first step, last step, lease), in the order of running.

    Lease 0 is one of an earlier process.
    """

    __slots__ = ("furthest",)

    def __init__(self) -> None:  # as `list` it is empty already, and there may be a million
        #: the last step that was ever run; 0 if none was
        self.furthest = 0

    def add(self, step: int, lease: LeaseId) -> None:
        """Note that a lease ran a step."""
        self.furthest = max(self.furthest, step)
        if self and self[-1][1:] == (step - 1, lease):
            self[-1] = (self[-1][0], step, lease)
        else:
            self.append((step, step, lease))

    def add_new(self, first: int, last: int, lease: LeaseId) -> None:
        """Note that a lease ran steps that all lie beyond those that were ever run."""
        self.furthest = last
        if self and self[-1][1:] == (first - 1, lease):
            self[-1] = (self[-1][0], last, lease)
        else:
            self.append((first, last, lease))

    def has(self, step: int) -> bool:
        """Tell whether a step was ever run."""
        # most often it is new: a tuner that asks step by step leaves a run for each
        return step <= self.furthest and any(first <= step <= last for first, last, _ in reversed(self))

    def has_by(self, step: int, lease: LeaseId) -> bool:
        """Tell whether a lease ran a step, be it the last to do so or not."""
        return step <= self.furthest and any(
            first <= step <= last and by == lease for first, last, by in reversed(self)
        )


class StepSeconds(dict[int, float]):
    """Step -> seconds that training to it took when it was first run; evaluations beside it, and sums of both."""

    __slots__ = ("_summed", "before", "evaluating")

    def __init__(self) -> None:  # as `dict` it is empty already
        #: step -> seconds that evaluating at it took
        self.evaluating: dict[int, float] = _NOTHING
        #: seconds of the path up to the node's start, once they are known
        self.before: float | None = None
        #: (step, seconds of the node's own steps up to there), as far as they were summed last
        self._summed: tuple[int, float] = (0, 0.0)

    def leave_out(self, until: int) -> None:
        """Take the first steps as known, and as having taken no time: they were trained on another plan."""
        self._summed = (until, 0.0)

    def add_evaluation(self, step: int, seconds: float) -> None:
        """Note what an evaluation took."""
        if self.evaluating is _NOTHING:
            self.evaluating = {}
        self.evaluating[step] = seconds

    def note_late(self, step: int, seconds: float) -> None:
        """Add seconds that became known to what was summed up to the step, or beyond it, before."""
        if step <= self._summed[0]:
            self._summed = (self._summed[0], self._summed[1] + seconds)

    def until(self, step: int, *, start: int) -> tuple[float, bool]:
        """Return the seconds of the steps of a node that begins at `start`, up to `step`, and whether all are known.

        A tuner that asks for one more step each time pays for that step alone.
        """
        at, total = self._summed if self._summed[0] <= step else (start, 0.0)
        is_complete = True
        for following in range(max(at, start) + 1, step + 1):
            is_complete &= following in self
            # each step by itself first: what was summed bit by bit equals what is summed at once
            total += self.get(following, 0.0) + self.evaluating.get(following, 0.0)
            if is_complete:
                self._summed = (following, total)
        return total, is_complete


class Node:
    """A stretch of steps under the same pieces. It has no end.

    Steps are absolute; everything known after `step` steps with `start < step` belongs here, up to where a child that
    is meant begins.

    Args:
      id: its number.
      parent: the node that it goes on from; None for a root.
      start: where it begins.
      pieces: those in force, by name.
      digest: names the path to it, see `hippo.plan.codec.node_digest`.
    """

    __slots__ = (
        *("begins_at", "checkpoints", "children", "digest", "failures", "id", "lanes", "metrics", "parent", "pieces"),
        *("requests", "residents", "runs", "seconds", "start", "state_hashes", "state_requests", "states"),
        *("step_requests", "training"),
    )

    def __init__(
        self, id: NodeId, parent: Node | None, start: int, pieces: Mapping[str, Piece], digest: str = ""
    ) -> None:
        self.id = id
        self.parent = parent
        self.start = start
        self.pieces = pieces
        self.digest = digest
        #: of a root that is a state of another plan: after how many steps; its first steps are never trained here
        self.begins_at = 0
        #: (start, pieces) -> child
        self.children: dict[tuple[int, str], Node] = {}
        #: step -> what `train` returned on the way to it
        self.training: dict[int, Metrics] = {}
        #: step -> what `evaluate` returned after it
        self.metrics: dict[int, Metrics] = {}
        #: step -> seconds that training to it took when it was first run; and those of evaluations
        self.seconds = StepSeconds()
        #: step -> how many lanes were walked as one when it was first run, where there were several
        self.lanes: dict[int, int] = _NOTHING
        self.runs = RunLog()
        #: step -> the file in which its state lies
        self.checkpoints: dict[int, CheckpointRef] = {}
        #: step -> the slots in whose memory its state is, the first of them first, of which there may be ten thousand:
        #: known as long as this process lives, and never written down
        self.residents: dict[int, dict[SlotId, None]] = _NOTHING
        #: steps whose state is in either, ascending
        self.states: Sequence[int] = ()
        #: step -> hash of its state, as first seen
        self.state_hashes: dict[int, str] = {}
        #: failures that count, the earliest step first to matter
        self.failures: Sequence[Failure] = ()
        #: step -> requests that wait for metrics there
        self.requests: dict[int, set[int]] = _NOTHING
        #: step -> requests that wait until it is trained, and for no metrics
        self.step_requests: dict[int, set[int]] = _NOTHING
        #: step -> how many wait for a file of the state there
        self.state_requests: dict[int, int] = _NOTHING

    def lineage(self) -> Iterator[Node]:
        """Yield this node and its ancestors, the root last."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def owner_of(self, step: int) -> Node:
        """Return the node of this path to which the state at `step` belongs."""
        node = self
        while node.parent is not None and step <= node.start:
            node = node.parent
        return node

    def spans(self, until: int) -> list[tuple[Node, int, int]]:
        """Return the path from the root to `until` as (node, start, stop], the root first."""
        spans = []
        stop = until
        for node in self.lineage():
            if node.start < stop:
                spans.append((node, node.start, stop))
                stop = node.start
        return spans[::-1]

    def steps_reached(self, until: int) -> int:
        """Return how many steps of the path to `until` were ever trained, for any study."""
        for node, start, stop in self.spans(until):
            if node.runs.furthest < stop:
                return max(start, node.runs.furthest)
        return until

    def failure_before(self, until: int) -> Failure | None:
        """Return a failure that keeps a path from reaching `until`, if there is one."""
        return next(iter(self.failures_before(until)), None)

    def failures_before(self, until: int) -> list[Failure]:
        """Return all failures that keep a path from reaching `until`, in the order of the path."""
        return [failure for node, _, stop in self.spans(until) for failure in node.failures if failure.step <= stop]

    def seconds_until(self, step: int) -> float:
        """Return the seconds that the path from the root to `step` took, each step counted once."""
        node: Node | None = self.owner_of(step)
        ahead: list[tuple[Node, int]] = []
        while node is not None and step > 0:
            ahead.append((node, step))
            if node.seconds.before is not None:
                break
            step, node = node.start, None if node.parent is None else node.parent.owner_of(node.start)
        total, is_known = 0.0, True
        for node, step in reversed(ahead):
            if node.seconds.before is None and is_known:
                node.seconds.before = total
            own, is_complete = node.seconds.until(step, start=node.start)
            total = (total if node.seconds.before is None else node.seconds.before) + own
            is_known = is_known and is_complete
        return total

    def note_seconds(self, step: int, seconds: float) -> None:
        """Add seconds that became known to what was summed up to the step, or beyond it, before."""
        self.seconds.note_late(step, seconds)
        if not self.children:
            return
        below = [child for child in self.children.values() if child.start >= step]
        while below:
            node = below.pop()
            if node.seconds.before is not None:
                node.seconds.before += seconds
                below += node.children.values()

    def add_checkpoint(self, step: int, ref: CheckpointRef) -> bool:
        """Note where a state lies, in the place of an earlier file; return whether it could not be loaded before."""
        self.checkpoints[step] = ref
        return self._add_state(step)

    def remove_checkpoint(self, step: int) -> None:
        """Note that the file of a state is gone; it may be resident still."""
        del self.checkpoints[step]
        self._remove_state(step)

    def add_resident(self, step: int, slot: SlotId) -> bool:
        """Note that a slot holds a state; return whether it could not be loaded before."""
        if self.residents is _NOTHING:
            self.residents = {}
        holders = self.residents.get(step)
        if holders is not None:
            holders[slot] = None
            return False
        self.residents[step] = {slot: None}
        return self._add_state(step)

    def remove_resident(self, step: int, slot: SlotId) -> bool:
        """Note that a slot holds a state no longer; return whether it cannot be loaded any more."""
        holders = self.residents.get(step)
        if holders is None or slot not in holders:
            return False
        del holders[slot]
        if holders:
            return False
        del self.residents[step]
        if not self.residents:
            self.residents = _NOTHING
        return self._remove_state(step)

    def _add_state(self, step: int) -> bool:
        if not isinstance(self.states, list):  # most nodes never have one
            self.states = []
        at = bisect_left(self.states, step)
        if self.states[at : at + 1] == [step]:
            return False
        self.states.insert(at, step)
        return True

    def _remove_state(self, step: int) -> bool:
        if step in self.checkpoints or step in self.residents:
            return False  # it can be loaded all the same
        assert isinstance(self.states, list), "a state is removed that was never there"
        del self.states[bisect_left(self.states, step)]
        return True

    def asked(self, step: int) -> list[int]:
        """Return the requests that wait at a step, for metrics or not, the oldest first."""
        return sorted([*self.requests.get(step, ()), *self.step_requests.get(step, ())])

    def add_request(self, step: int, request: int, *, evaluate: bool) -> None:
        """Let a request wait for a step's metrics, or only until it is trained."""
        if evaluate:
            if self.requests is _NOTHING:
                self.requests = {}
            self.requests.setdefault(step, set()).add(request)
        else:
            if self.step_requests is _NOTHING:
                self.step_requests = {}
            self.step_requests.setdefault(step, set()).add(request)

    def remove_request(self, step: int, request: int) -> None:
        """Take a request off this node."""
        waiting = self.requests if request in self.requests.get(step, ()) else self.step_requests
        waiting[step].remove(request)
        if not waiting[step]:
            del waiting[step]
            self.requests = self.requests or _NOTHING  # there may be a million nodes
            self.step_requests = self.step_requests or _NOTHING

    def want_state(self, step: int, change: int) -> None:
        """Let one more, or one less, wait for a file of the state at a step."""
        wanted = {**self.state_requests, step: self.state_requests.get(step, 0) + change}
        self.state_requests = {step: count for step, count in wanted.items() if count}

    def __repr__(self) -> str:
        return f"Node({self.id}, start={self.start})"


def view_of(node: Node, parent: NodeView | None) -> NodeView:
    """Return what the stage tree reads of a node, as it is now; `parent` is its parent's view."""
    return NodeView(
        id=node.id,
        parent=parent,
        start=node.start,
        states=tuple(node.states),
        checkpoints=tuple(sorted(node.checkpoints)),
        training=tuple(sorted(node.training)),
        metrics=tuple(sorted(node.metrics)),
        requests=tuple(sorted(node.requests)),
        step_requests=tuple(sorted(node.step_requests)),
        state_requests=tuple(sorted(node.state_requests)),
    )
