"""Assignments on the hosts of a cluster: one host on each node, each with workers of its own.

This module refuses to know what a cluster is made of, and how its hosts come and go.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Mapping
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints
from hippo.clock import Clock
from hippo.engines.cluster_hosts import AbstractCluster, ClusterHosts, NodeLook
from hippo.engines.engine import AbstractEngine, Emit
from hippo.engines.host_link import HostLink
from hippo.errors import EngineError
from hippo.records import Assignment, Command, SlotId, TrainerSpec
from hippo.waiting import wait_until_done


class HostedEngine(AbstractEngine):
    """Runs assignments on the hosts of a cluster.

    Args:
      cluster: where hosts come from.
      most_nodes: how many nodes are used at most; None: all.
      idle_release_s: a host that had nothing to do for so long is closed, if the others suffice; None: never.
    """

    #: for some seconds: a cluster takes its time to notice that the study's process is gone
    work_outlives_process = True
    scales = True
    #: nodes may be of several kinds
    slots_may_differ = True

    def __init__(
        self, cluster: AbstractCluster, *, most_nodes: int | None = None, idle_release_s: float | None = 60.0
    ) -> None:
        self._cluster = cluster
        self._most_nodes = most_nodes
        self._idle_release_s = idle_release_s
        self._specs: dict[str, TrainerSpec] = {}
        self._newest: TrainerSpec | None = None

    def start(self, emit: Emit, *, checkpoints: str | AbstractCheckpointStore, clock: Clock) -> None:
        if isinstance(checkpoints, MemoryCheckpoints) or checkpoints == "memory://":
            raise EngineError(
                "checkpoints in memory cannot be shared by the nodes of a cluster. Name a folder that all of them see, "
                "or an object store; or use InlineEngine()."
            )
        self._hosts = ClusterHosts(
            self._cluster,
            most_nodes=self._most_nodes,
            idle_release_s=self._idle_release_s,
            checkpoints=checkpoints,
            emit=emit,
            welcome=self._welcome,
        )

    def environment(self) -> None:
        """What slots are like is not known before one has opened, and says so: the study may be elsewhere."""

    def foretell_environment(self) -> Mapping[str, str]:
        return self._cluster.describe_environment()

    def describe_nodes(self) -> list[NodeLook]:
        """Return what is on each node that may have a host; takes seconds.

        Raises:
          EngineError: there is no cluster, or none of its nodes can be used.
        """
        return self._cluster.describe_nodes()

    def open_workload(self, spec: TrainerSpec) -> None:
        self._specs[spec.workload] = self._newest = spec
        for link in self._hosts:
            link.open_workload(spec)
        if not self._hosts.is_open:
            self._hosts.open()

    def want(self, slots: int | None) -> None:
        self._hosts.want(slots)

    def submit(self, assignment: Assignment) -> None:
        if (link := self._hosts.of(assignment.slot)) is not None:  # else its `SlotLost` has been told
            link.submit(assignment, self._specs[assignment.workload])

    def send(self, command: Command) -> None:
        slot = getattr(command, "slot", None)
        if slot is None:
            for link in self._hosts:  # whoever holds the lease
                link.send(command)
        elif (holder := self._hosts.of(slot)) is not None:
            holder.send(command)

    def lose(self, slot: SlotId, reason: str) -> None:
        if (link := self._hosts.of(slot)) is not None:
            link.lose(slot, reason)

    async def settle(self) -> None:
        """Wait until all hosts have what was submitted and sent so far."""
        await asyncio.gather(*(link.settle() for link in self._hosts))

    def describe(self, slot: SlotId) -> str:
        link = self._hosts.of(slot)
        return link.slots[slot] if link is not None else "gone"

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        try:
            wait_until_done(done)
        except KeyboardInterrupt as stop:
            raise stop.with_traceback(None) from None  # where we waited tells nobody where the workers are

    async def close(self, *, timeout_s: float) -> None:
        await self._hosts.close(timeout_s=timeout_s)

    def _welcome(self, link: HostLink) -> None:
        if self._newest is not None:  # its slots open with that; of other workloads it hears when it is given work
            link.open_workload(self._newest)
