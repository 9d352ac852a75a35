"""Tries of a Ray cluster: whether it can be joined, what nodes it has, and whether their software is alike."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

from hippo.doctor.findings import ProbeStep, Told
from hippo.errors import EngineError


def cluster_steps(address: str) -> list[ProbeStep]:
    """Return the tries of the cluster at an address; "auto" is the one that RAY_ADDRESS names or that runs here."""
    from hippo.engines.ray_cluster import RayCluster

    cluster = RayCluster(
        workers_per_node=None,
        threads=1,
        devices_per_slot=1,
        resources={},
        address=None if address == "auto" else address,
    )

    def connect() -> Told:
        asyncio.run(cluster.connect())
        return Told("joined; its Python and Ray are of the versions that are here")

    def nodes() -> Told:
        found = asyncio.run(cluster.nodes())
        slots = sum(node.workers or 0 for node in found)
        return Told(f"{len(found)} nodes with room for {slots} workers")

    def software() -> Told:
        try:
            return Told(_alike(cluster.describe_nodes()))
        finally:
            cluster.disconnect()

    return [ProbeStep("connect", connect), ProbeStep("nodes", nodes), ProbeStep("software", software)]


def _alike(described: Mapping[str, Mapping[str, str]]) -> str:
    """Say that nodes are alike.

    Raises:
      EngineError: a field differs: names it, and the nodes.
    """
    names = sorted({name for fields in described.values() for name in fields} - {"device"})
    for name in names:
        values = Counter(fields.get(name, "nothing") for fields in described.values())
        if len(values) > 1:
            most, _ = max(values.items(), key=lambda item: (item[1], item[0]))
            others = [f"{node} has {f.get(name, 'nothing')}" for node, f in described.items() if f.get(name) != most]
            raise EngineError(
                f"nodes differ in {name}: most have {most}, {', '.join(others)}. One plan is trained by nodes that are "
                "alike: install the same there."
            )
    return f"{len(described)} nodes are alike in {', '.join(names)}"
