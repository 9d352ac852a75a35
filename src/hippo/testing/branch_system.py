"""A training system that is driven by messages, in this process: the trivial side of `hippo.integrations.branches`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hippo.integrations.branches import (
    ROOT,
    ForkBranch,
    FreeBranch,
    Message,
    Protocol,
    ReportProgress,
    ScheduleBranch,
)


class LoopSystem:
    """Trains branches of a user's loop: keeps the state of each live branch, and guards the order of messages itself.

    Args:
      make_state: makes the first state.
      train: a generator function (state, tunables) that yields the loss of each step. Locals cannot be forked, so each
        fork begins a new one on its copy.
      evaluate: returns the objective of a state.
      copy_state: returns a state that shares nothing with another one.
      workers: how many report each clock, each an equal share of its loss.
    """

    def __init__(
        self,
        make_state: Callable[[], Any],
        train: Callable[[Any, Mapping[str, Any]], Iterator[float]],
        evaluate: Callable[[Any], float],
        copy_state: Callable[[Any], Any],
        *,
        workers: int = 1,
    ) -> None:
        self._train = train
        self._evaluate = evaluate
        self._copy_state = copy_state
        self._workers = workers
        self._states = {ROOT: make_state()}
        self._tunables: dict[int, Mapping[str, Any]] = {ROOT: {}}
        self._loops: dict[int, Iterator[float]] = {}
        self._testing: set[int] = set()
        self._scheduled: deque[ScheduleBranch] = deque()
        self._reports: deque[ReportProgress] = deque()
        self._protocol = Protocol(workers)
        #: all messages, both ways, in their order
        self.messages: list[Message] = []
        #: the most states that it held at a time, the first one among them
        self.most_alive = 1

    def send(self, message: ForkBranch | FreeBranch | ScheduleBranch) -> None:
        """Do what a message says; a clock is trained when its report is wanted."""
        self._protocol.check(message)
        self.messages.append(message)
        if isinstance(message, ScheduleBranch):
            self._scheduled.append(message)
        elif isinstance(message, ForkBranch):
            self._states[message.branch] = self._copy_state(self._states[message.parent])
            self._tunables[message.branch] = {**self._tunables[message.parent], **message.tunables}
            if message.is_testing:
                self._testing.add(message.branch)
            self.most_alive = max(self.most_alive, len(self._states))
        else:
            del self._states[message.branch], self._tunables[message.branch]
            self._loops.pop(message.branch, None)

    def receive(self) -> ReportProgress:
        """Train the next clock, if it was not yet, and return the next report."""
        if not self._reports:
            scheduled = self._scheduled.popleft()
            share = self._progress(scheduled.branch) / self._workers
            self._reports.extend(
                ReportProgress(clock=scheduled.clock, progress=share, worker=worker) for worker in range(self._workers)
            )
        report = self._reports.popleft()
        self._protocol.check(report)
        self.messages.append(report)
        return report

    @property
    def alive(self) -> frozenset[int]:
        """The branches whose states it holds."""
        return frozenset(self._states)

    def _progress(self, branch: int) -> float:
        if branch in self._testing:
            return self._evaluate(self._states[branch])
        if branch not in self._loops:
            self._loops[branch] = self._train(self._states[branch], self._tunables[branch])
        return next(self._loops[branch])
