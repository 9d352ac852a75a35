"""How a gang's workers are run and reached: the seam, and its trivial side.

A transport gives memory that all workers see, runs their programs, carries operations to them in one order, and brings
back what they tell. This module refuses to know what the operations are about.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from hippo.ps.layout import Array
from hippo.ps.operations import Operation, Report
from hippo.ps.worker import GangWorker, Work


class AbstractTransport(ABC):
    """Runs the workers of one gang."""

    #: whether the trainer's process sees the memory, too, so that it may copy branches while all workers wait
    is_memory_here: bool = False

    @abstractmethod
    def allocate(self, size_bytes: int) -> Array:
        """Return zeroed bytes that all workers will see. Called before they start."""

    @abstractmethod
    def lock(self) -> AbstractContextManager[Any]:
        """Return a lock that holds among all workers. Called before they start."""

    @abstractmethod
    def start(self, workers: Sequence[GangWorker]) -> None:
        """Start the workers; from now on they carry out operations."""

    @abstractmethod
    def broadcast(self, operation: Operation) -> None:
        """Send an operation to every worker. Each carries them out in the order in which they were sent."""

    @abstractmethod
    def receive(self) -> tuple[int, Report]:
        """Return the number of a worker that has carried out an operation, and what it tells; wait for it.

        Raises:
          GangLostError: a worker is gone.
        """

    @abstractmethod
    def notify(self) -> None:
        """Have every worker look again whether what it waits for is there. They also look unasked."""

    @abstractmethod
    def abort(self) -> None:
        """Have workers give up what they are at, where they do not see the gang's own mark in its memory."""

    @abstractmethod
    def close(self) -> None:
        """End all workers and give back what was taken. Does nothing the second time."""


class InProcessTransport(AbstractTransport):
    """Runs all workers in the calling thread, one at a time, from one wait to the next.

    Args:
      pick: returns which of those that could go on is next; by default the one that waited longest. A test delays
        workers by it.
    """

    def __init__(self, pick: Callable[[Sequence[int]], int] | None = None) -> None:
        self._pick = pick or (lambda ready: ready[0])
        self._workers: Sequence[GangWorker] = ()
        self._orders: list[deque[Operation]] = []
        #: worker -> its program under way, and what it waits for
        self._under_way: dict[int, tuple[Work, Callable[[], bool]]] = {}
        #: workers, the one that ran last at the end
        self._turns: list[int] = []

    def allocate(self, size_bytes: int) -> Array:
        return np.zeros(size_bytes, np.uint8)

    def lock(self) -> AbstractContextManager[Any]:
        return contextlib.nullcontext()

    def start(self, workers: Sequence[GangWorker]) -> None:
        self._workers = workers
        self._orders = [deque() for _ in workers]
        self._turns = list(range(len(workers)))

    def broadcast(self, operation: Operation) -> None:
        for orders in self._orders:
            orders.append(operation)

    def receive(self) -> tuple[int, Report]:
        while True:
            ready = [number for number in self._turns if self._can_go_on(number)]
            assert ready, "every worker waits for another one, or for an operation that was not sent"
            number = self._pick(ready)
            self._turns.remove(number)
            self._turns.append(number)
            report = self._go_on(number)
            if report is not None:
                return number, report

    def notify(self) -> None:
        pass  # conditions are looked at again before each turn

    def abort(self) -> None:
        pass  # they see the mark

    def close(self) -> None:
        for work, _ in self._under_way.values():
            work.close()
        self._under_way.clear()
        self._workers, self._orders, self._turns = (), [], []

    def _can_go_on(self, number: int) -> bool:
        if number in self._under_way:
            return self._under_way[number][1]()
        return bool(self._orders[number])

    def _go_on(self, number: int) -> Report | None:
        if number in self._under_way:
            work, _ = self._under_way.pop(number)
        else:
            work = self._workers[number].work(self._orders[number].popleft())
        try:
            self._under_way[number] = (work, next(work))
        except StopIteration as end:
            report: Report = end.value
            return report
        return None
