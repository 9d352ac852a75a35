"""What a host asks of the node that it is on: CPUs, GPUs and other resources, and how many workers that makes.

Where workers are more than what they ask for, they share it. This module refuses to know Ray.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: of a node: name of a resource -> how much of it there is
Resources = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDemand:
    """What hosts ask for."""

    #: of each node; None: one for each device or group of them, else for each core or `threads` of them
    workers: int | None
    #: of each worker
    threads: int
    #: of each worker, where there are any
    devices: int
    #: others: nodes without them are not used
    resources: Resources

    @property
    def needs_devices(self) -> bool:
        """Whether a node without devices is of no use."""
        return self.devices > 1

    def is_usable(self, there: Resources) -> bool:
        """Tell whether a node can have a host."""
        has_devices = there.get("GPU", 0) >= self.devices or not self.needs_devices
        has_rest = all(there.get(name, 0) >= amount for name, amount in self.resources.items())
        return has_devices and has_rest and there.get("CPU", 0) >= 1

    def workers_on(self, there: Resources) -> int:
        """Return how many workers a node's host has."""
        if self.workers is not None:
            return self.workers
        groups = math.floor(there.get("GPU", 0)) // self.devices
        return groups or max(1, math.floor(there["CPU"]) // self.threads)

    def amounts(self, there: Resources) -> tuple[int, int]:
        """Return how many CPUs and GPUs a host takes of its node."""
        workers = self.workers_on(there)
        cpus = min(workers * self.threads, math.floor(there.get("CPU", 0)))
        return cpus, min(workers * self.devices, math.floor(there.get("GPU", 0)))

    def has_room(self, free: Resources, *, of: Resources) -> bool:
        """Tell whether what is free of a node is all that a host takes of it."""
        cpus, gpus = self.amounts(of)
        wanted = {"CPU": cpus, "GPU": gpus, **self.resources}
        return all(free.get(name, 0) >= amount for name, amount in wanted.items())

    def bundle(self, there: Resources) -> dict[str, float]:
        """Return what a host takes of its node, as an autoscaler is asked for it."""
        cpus, gpus = self.amounts(there)
        # also where a worker has one of them: a node without would be brought, whose slots are of no use to the plan
        return {"CPU": float(cpus), **({"GPU": float(gpus)} if gpus else {}), **self.resources}

    def new_bundle(self, usable: Sequence[Resources]) -> dict[str, float]:
        """Return what is asked of a new node: all that its workers could use, or what the largest node has of it.

        Args:
          usable: the nodes that are there.
        """
        workers = self.workers or 1
        wanted = {"CPU": workers * self.threads, "GPU": workers * self.devices}
        largest = {name: max((node.get(name, 0) for node in usable), default=0) for name in wanted}
        if not (self.needs_devices or largest["GPU"]):
            del wanted["GPU"]
        return self.bundle({name: min(amount, largest[name] or amount) for name, amount in wanted.items()})

    def why_none(self, listed: Sequence[Resources]) -> str:
        """Return, for people, why none of these nodes can have a host."""
        largest = max((math.floor(node.get("GPU", 0)) for node in listed), default=0)
        if self.needs_devices and largest < self.devices:
            return (
                f"devices_per_slot={self.devices}: the largest node of this cluster has {largest} GPUs. Ask for no "
                "more than that."
            )
        names = sorted({name for node in listed for name in node if not name.startswith("node:")})
        return (
            f"no node of this cluster has a CPU and resources={dict(self.resources)}; its nodes have "
            f"{', '.join(names)}. Ask for less, or start a node with `ray start --resources=...`."
        )
