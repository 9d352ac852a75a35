"""Workers that share no memory, in one thread: `ShardHost`s that are called directly, and run in any order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from hippo.ps.operations import ClocksDone, Operation, Report, RunClocks
from hippo.ps.remote_shards import ShardHost, ShardLink
from hippo.ps.shard import put_rows, rows_in
from hippo.ps.transport import InProcessTransport
from hippo.ps.worker import GangWorker, Work


class DirectLink(ShardLink):
    """Calls other hosts, and puts off what can be put off."""

    def __init__(self, hosts: list[ShardHost]) -> None:
        self._hosts = hosts
        self._sent: deque[tuple[int, str, tuple[Any, ...]]] = deque()

    def ask(self, owner: int, method: str, *arguments: Any) -> Any:
        return getattr(self._hosts[owner], method)(*arguments)

    def send(self, owner: int, method: str, *arguments: Any) -> None:
        self._sent.append((owner, method, arguments))

    def settle(self) -> None:
        while self._sent:
            owner, method, arguments = self._sent.popleft()
            self.ask(owner, method, *arguments)


class WorkerOfHost:
    """A host's work, where `InProcessTransport` looks for a worker's."""

    def __init__(self, host: ShardHost) -> None:
        self._host = host

    def work(self, operation: Operation) -> Work:
        return self._host.work()


class ApartTransport(InProcessTransport):
    """Hosts with memory of their own."""

    is_memory_here = True

    def __init__(self, pick: Callable[[Sequence[int]], int] | None = None) -> None:
        super().__init__(pick)
        self._gang: Sequence[GangWorker] = ()
        self._hosts: list[ShardHost] = []
        self._run: RunClocks | None = None

    def start(self, workers: Sequence[GangWorker]) -> None:
        memory = workers[0].memory
        self._gang = workers
        for worker in workers:
            self._hosts.append(
                ShardHost(
                    worker.number,
                    worker.trainer,
                    memory.layout,
                    worker.rule,
                    most_staleness=len(memory.older),
                    lock=nullcontext(),
                    link=DirectLink(self._hosts),
                )
            )
        super().start([WorkerOfHost(host) for host in self._hosts])  # type: ignore[misc]

    def broadcast(self, operation: Operation) -> None:
        assert isinstance(operation, RunClocks)
        memory, self._run = self._gang[0].memory, operation
        for number, host in enumerate(self._hosts):
            host.begin(operation, rows_in(memory.pool[operation.slot], memory.layout.rows_of(number), is_copied=True))
        super().broadcast(operation)

    def receive(self) -> tuple[int, Report]:
        number, report = super().receive()
        if isinstance(report, ClocksDone):
            memory = self._gang[0].memory
            assert self._run is not None
            put_rows(self._hosts[number].rows(), memory.pool[self._run.slot], memory.layout.rows_of(number))
        return number, report

    def abort(self) -> None:
        for host in self._hosts:
            host.abort()
