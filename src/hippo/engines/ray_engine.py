"""The engine that runs assignments on a Ray cluster. It refuses to know how Ray is spoken to."""

from __future__ import annotations

from collections.abc import Mapping

from hippo.arguments import explain_calls
from hippo.engines.devices import HINTS, check_count
from hippo.engines.hosted import HostedEngine
from hippo.engines.ray_cluster import RayCluster, require_ray
from hippo.errors import EngineError


class RayEngine(HostedEngine):
    """Runs assignments in worker processes on the nodes of a Ray cluster: a host on each, with workers of its own.

    Results are those of `LocalEngine` on the same kind of machine, bit for bit. Nodes that join are used, and what ran
    on a node that is lost runs again from its last state. `checkpoints=` must be a folder that all nodes see, or an
    object store.

    Args:
      workers_per_node: workers of each node; None for one for each GPU (or `devices_per_slot` of them), and without
        GPUs one for each CPU (or `threads` of them) that Ray says the node has.
      threads: intra-op threads of each worker. Results may depend on it in their last bits.
      devices_per_slot: how many GPUs each worker sees.
      resources: custom resources of Ray that each host asks for, such as {"accelerator_type:A100": 0.01}; nodes without
        them are not used.
      address: of the cluster, "10.0.0.1:6379"; "local" starts one on this machine, for this process. None: the cluster
        that this process is connected to, that RAY_ADDRESS names, or that runs on this machine.
      most_nodes: use no more nodes than that; None: all.

    Raises:
      EngineError: an argument is out of its bounds, or Ray is not installed.
    """

    @explain_calls(**HINTS, workers="hippo.RayEngine(workers_per_node=...) says how many run at a time on each node")
    def __init__(
        self,
        *,
        workers_per_node: int | None = None,
        threads: int = 1,
        devices_per_slot: int = 1,
        resources: Mapping[str, float] | None = None,
        address: str | None = None,
        most_nodes: int | None = None,
    ) -> None:
        counts = {"workers_per_node": workers_per_node, "most_nodes": most_nodes}
        for name, count in (counts | {"threads": threads, "devices_per_slot": devices_per_slot}).items():
            if count is not None or name not in counts:
                check_count(name, count)
        _check_resources(resources)
        _check_address(address)
        require_ray()
        super().__init__(
            RayCluster(
                workers_per_node=workers_per_node,
                threads=threads,
                devices_per_slot=devices_per_slot,
                resources=resources or {},
                address=address,
            ),
            most_nodes=most_nodes,
        )


def _check_resources(resources: object) -> None:
    if resources is None:
        return
    if not isinstance(resources, Mapping) or not all(
        isinstance(name, str) and isinstance(amount, int | float) and amount > 0 for name, amount in resources.items()
    ):
        raise EngineError(f"resources={resources!r} is no mapping of names to amounts. Write resources={{'big': 1}}.")
    if own := sorted({"CPU", "GPU"} & resources.keys()):
        raise EngineError(
            f"resources={dict(resources)!r}: {' and '.join(own)} follow from workers_per_node=, threads= and "
            "devices_per_slot=. Name other resources only."
        )


def _check_address(address: object) -> None:
    if address is not None and not isinstance(address, str):
        raise EngineError(f"address={address!r} is no address. Write address='10.0.0.1:6379', or 'local'.")
    if isinstance(address, str) and address.startswith("ray://"):
        raise EngineError(
            f"address={address!r}: a study cannot use Ray's client. Run it on a machine of the cluster, or as a job "
            "(`ray job submit`), and leave address= out."
        )
