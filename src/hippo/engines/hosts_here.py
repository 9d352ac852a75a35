"""A cluster in this process: hosts without a network, for tests, and to see what a cluster costs.

It refuses to know what drives its hosts.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.engines.cluster_hosts import AbstractCluster, ClusterNode, NodeLook
from hippo.engines.host_link import HostHandle
from hippo.engines.node_host import HostSetup, NodeHost, environment_of_workers
from hippo.training.process.environment import versions


class LocalHost(HostHandle):
    """A host on the loop of its study."""

    def __init__(self, setup: HostSetup) -> None:
        self.host = NodeHost(setup)

    def call(self, method: str, *arguments: Any) -> Awaitable[Any]:
        calling = getattr(self.host, method)(*arguments)
        return asyncio.get_running_loop().create_task(calling, context=contextvars.Context())

    def kill(self) -> None:
        self.host.dispose()


class LocalCluster(AbstractCluster):
    """So many hosts, all on this machine.

    Args:
      hosts: their number.
      workers: of each.
      resident_bytes: of each worker; None for its fair share.
    """

    def __init__(self, hosts: int = 1, *, workers: int = 2, resident_bytes: int | None = None) -> None:
        self.hosts: dict[str, LocalHost] = {}
        #: names of all hosts that were ever begun
        self.begun: list[str] = []
        self._nodes = [ClusterNode(id=f"node-{i}", name=f"here-{i}", workers=workers) for i in range(hosts)]
        self._resident_bytes = resident_bytes

    async def connect(self) -> None:
        """There is nothing to reach."""

    async def nodes(self) -> list[ClusterNode]:
        return self._nodes

    def announce_end(self, number: int) -> None:
        """Announce that a node is about to be taken away."""
        self._nodes[number] = replace(self._nodes[number], is_leaving=True)

    async def ask_for(self, slots: int, *, most_nodes: int | None) -> None:
        """It has the nodes that it has."""

    def open_host(self, node: ClusterNode, *, name: str, checkpoints: str | AbstractCheckpointStore) -> LocalHost:
        self.begun.append(name)
        host = self.hosts[name] = LocalHost(
            HostSetup(
                name=name,
                node=node.name,
                workers=node.workers,
                checkpoints=checkpoints,
                resident_bytes=self._resident_bytes,
            )
        )
        return host

    def describe_environment(self) -> Mapping[str, str]:
        return environment_of_workers(threads=1)

    def describe_nodes(self) -> list[NodeLook]:
        here = environment_of_workers(threads=1)
        return [NodeLook(name=node.name, versions=versions(), environment=here) for node in self._nodes]

    def disconnect(self) -> None:
        self.hosts.clear()
