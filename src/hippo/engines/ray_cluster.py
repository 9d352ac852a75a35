"""A Ray cluster as a place for hosts: an actor on each node. The only module that imports Ray, when it is needed.

Actors are never restarted, nor calls of theirs repeated by Ray: a restarted one has forgotten its workers, and what is
repeated without a number runs twice. This module refuses to know what a host does.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import logging
import math
import os
import secrets
import threading
from collections.abc import Awaitable, Collection, Coroutine, Mapping
from typing import Any, ClassVar

from hippo.addresses import is_of_ray_at, listens
from hippo.checkpoints import AbstractCheckpointStore
from hippo.engines.cluster_hosts import AbstractCluster, ClusterNode, NodeLook
from hippo.engines.direct_calls import CallConnection, CallListener
from hippo.engines.host_demand import HostDemand
from hippo.engines.host_link import HostHandle
from hippo.engines.node_host import HostSetup, NodeHost, environment_of_workers
from hippo.errors import EngineError, HostLostError, HostSilentError
from hippo.training.process.environment import BELOW_RAY_HOST, versions
from hippo.training.telling import tell_once

_START_ONE = (
    "Start one with `ray start --head`, and on each other machine `ray start --address=...`; name one: "
    "hippo.RayEngine(address='10.0.0.1:6379'); or have one started on this machine alone: address='local'."
)


#: what is called all the time, of which Ray would take milliseconds each time
_DIRECT_METHODS = frozenset({"submit", "send", "lose", "poll"})
_DEVICES = "CUDA_VISIBLE_DEVICES"
#: a node on which no process runs yet has to import hippo
_LOOK_AROUND_S = 30.0
#: a head that takes so long to say which nodes there are is told of
_SAY_SILENT_S = 10.0


class _NodeList:
    """Whether the cluster may be asked for its nodes: one that is shut down meanwhile takes the process along."""

    #: also while the process is connected to a cluster, or lets it go
    lock = threading.Lock()
    is_process_ending = False
    #: Ray's name of the connection that one of our clusters made; "": none did
    connection = ""
    #: who uses that: the last one ends it
    users: ClassVar[set[RayCluster]] = set()

    @classmethod
    def end(cls) -> None:
        """Have none asked any more, and none be on its way."""
        with cls.lock:
            cls.is_process_ending = True


class HostActor:
    """A `NodeHost` as an actor of Ray."""

    def __init__(self, setup: HostSetup) -> None:
        os.environ[BELOW_RAY_HOST] = "1"
        self._host = NodeHost(setup)
        self._listener: CallListener | None = None

    async def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the host."""
        return await getattr(self._host, method)(*arguments)

    async def listen(self, secret: bytes) -> tuple[str, int, str]:
        """Take calls of some methods from who knows the secret, too; return where, or why that is not possible."""
        import ray

        self._listener = CallListener(self._host, _DIRECT_METHODS, secret=secret)
        address: str = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
        try:
            return address, await self._listener.listen(address), ""
        except OSError as error:  # it is a name of this node that only others know, such as that of a gateway
            return address, 0, _first_line(error)


class RayHost(HostHandle):
    """The study's handle of a host that is an actor.

    Args:
      actor: the host.
      node: where it is, for people.
    """

    def __init__(self, actor: Any, *, node: str) -> None:
        self._actor = actor
        self._node = node
        self._connection: CallConnection | None = None
        self._connecting: asyncio.Task[None] | None = None

    def call(self, method: str, *arguments: Any) -> Awaitable[Any]:
        if self._connection is not None and self._connection.is_open and method in _DIRECT_METHODS:
            return self._connection.call(method, *arguments)
        answer = self._call_by_ray("call", method, *arguments)
        return self._connect_after(answer) if method == "hello" else answer

    def kill(self) -> None:
        import ray

        if self._connecting is not None:
            self._connecting.cancel()
        if self._connection is not None:
            self._connection.close()
        if ray.is_initialized():
            ray.kill(self._actor)

    def _call_by_ray(self, method: str, *arguments: Any) -> Coroutine[Any, Any, Any]:
        import ray

        # Else Ray, once it was shut down, would start a cluster by itself, as it does for whoever asks it anything.
        return _answer(getattr(self._actor, method).remote(*arguments)) if ray.is_initialized() else _no_answer()

    async def _connect_after(self, answer: Awaitable[Any]) -> Any:
        welcome = await answer
        # who has Ray encrypt what it sends wants that of this, too, which does not
        if os.environ.get("RAY_USE_TLS", "0").lower() in ("", "0", "false"):
            self._connecting = asyncio.get_running_loop().create_task(self._connect(), context=contextvars.Context())
        return welcome

    async def _connect(self) -> None:
        secret = secrets.token_bytes()
        try:
            address, port, problem = await self._call_by_ray("listen", secret)
        except (HostLostError, HostSilentError):
            return  # who listens hears it, too
        if not problem:
            try:
                self._connection = await CallConnection.connect(address, port, secret=secret)
            except OSError as error:
                problem = _first_line(error)
        if problem:
            tell_once(
                ("hosts", "reached through Ray"),
                f"the host on node {self._node} cannot be reached at {address}:{port} ({problem}), nor perhaps others: "
                "what goes there and back goes through Ray, which takes some milliseconds more each time. Perhaps a "
                "firewall lets only some ports through.",
            )


class RayCluster(AbstractCluster):
    """Nodes of a Ray cluster.

    Args:
      workers_per_node: None for one for each device or group of devices, else for each core or `threads` of them.
      threads: of each worker.
      devices_per_slot: how many devices each worker has, where there are any.
      resources: other resources of Ray that a host asks for; nodes that lack them are not used.
      address: of the cluster; "local" starts one on this machine; None: the one that this process or RAY_ADDRESS names,
        or that runs on this machine.
      resident_bytes: of each worker; None for its fair share.
    """

    start_hint = "Perhaps others use what it was asked for (`ray status` says): workers_per_node=... asks for less."

    def __init__(
        self,
        *,
        workers_per_node: int | None,
        threads: int,
        devices_per_slot: int,
        resources: Mapping[str, float],
        address: str | None,
        resident_bytes: int | None = None,
    ) -> None:
        self._demand = HostDemand(
            workers=workers_per_node, threads=threads, devices=devices_per_slot, resources=dict(resources)
        )
        self._address = address
        self._resident_bytes = resident_bytes
        #: what the autoscaler was asked for last
        self._has_asked: list[dict[str, float]] = []
        #: it was asked for its nodes a while ago, and has not answered
        self._is_silent = False

    async def connect(self) -> None:
        await asyncio.to_thread(self._connect)

    async def nodes(self) -> list[ClusterNode]:
        listed = await self._wait_listed()
        usable = [node for node in listed if self._demand.is_usable(node["Resources"])]
        if not usable and listed:
            raise EngineError(self._demand.why_none([node["Resources"] for node in listed]))
        leaving = await asyncio.to_thread(_leaving_nodes)
        return [
            ClusterNode(
                id=node["NodeID"],
                name=node["NodeManagerAddress"],
                workers=self._demand.workers_on(node["Resources"]),
                is_leaving=node["NodeID"] in leaving,
            )
            for node in usable
        ]

    async def free(self, nodes: list[ClusterNode]) -> list[ClusterNode]:
        free = await asyncio.to_thread(_free_resources)
        there = {node["NodeID"]: node["Resources"] for node in await asyncio.to_thread(self._listed)}
        return [
            node
            for node in nodes
            if node.id in there and self._demand.has_room(free.get(node.id, {}), of=there[node.id])
        ]

    async def ask_for(self, slots: int, *, most_nodes: int | None) -> None:
        if slots or self._has_asked:  # a cluster that does not scale hears nothing of this
            await asyncio.to_thread(self._ask_for, slots, most_nodes)

    def open_host(self, node: ClusterNode, *, name: str, checkpoints: str | AbstractCheckpointStore) -> RayHost:
        setup = HostSetup(
            name=name,
            node=node.name,
            workers=node.workers,
            threads=self._demand.threads,
            devices_per_slot=self._demand.devices,
            resident_bytes=self._resident_bytes,
            checkpoints=checkpoints,
        )
        (there,) = [each["Resources"] for each in self._listed() if each["NodeID"] == node.id] or [{}]
        return RayHost(self._remote(HostActor, node.id, there).remote(setup), node=node.name)

    def describe_environment(self) -> Mapping[str, str]:
        looks = self.describe_nodes()
        if (found := next((look for look in looks if not look.problem), None)) is None:
            told = "; ".join(f"{look.name}: {look.problem}" for look in looks)
            raise EngineError(f"no node of the Ray cluster says what its workers would be like: {told}")
        return found.environment

    def describe_nodes(self) -> list[NodeLook]:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._connect()
        listed = self._listed()
        usable = [node for node in listed if self._demand.is_usable(node["Resources"])]
        if not usable:
            raise EngineError(self._demand.why_none([node["Resources"] for node in listed]))
        look = ray.remote(_look_around)
        asked = []
        for node in usable:
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            # without a CPU: whatever others have taken of the node
            options = look.options(num_cpus=0, max_retries=0, scheduling_strategy=there)
            device = "0" if node["Resources"].get("GPU", 0) >= 1 else ""
            asked.append(options.remote(self._demand.threads, device))
        ready, _ = ray.wait(asked, num_returns=len(asked), timeout=_LOOK_AROUND_S)
        return [
            _looked(node["NodeManagerAddress"], task if task in ready else None)
            for node, task in zip(usable, asked, strict=True)
        ]

    def disconnect(self) -> None:
        import ray

        if self._is_silent:
            return  # whatever is asked of Ray now would wait until Ray ends this process
        if self._has_asked and ray.is_initialized():
            self._ask_for(0, None)
        with _NodeList.lock:
            _NodeList.users.discard(self)
            if not _NodeList.users and _is_ours():
                _NodeList.connection = ""
                ray.shutdown()

    # --- the connection

    def _connect(self) -> None:
        require_ray()
        import ray

        atexit.unregister(_NodeList.end)
        atexit.register(_NodeList.end)  # after Ray registered its own end, which so comes later
        with _NodeList.lock:
            if not ray.is_initialized():
                self._connect_process()
            else:
                self._check_connected(ray.get_runtime_context().gcs_address)
            if _is_ours():
                _NodeList.users.add(self)

    def _connect_process(self) -> None:
        import ray

        address = self._address or os.environ.get("RAY_ADDRESS") or "auto"
        if not listens(address):  # Ray would wait for a quarter of an hour
            raise EngineError(f"there is no Ray cluster at {address!r} (nobody answers there). {_START_ONE}")
        try:
            # Errors only: Ray would warn that on this thread it cannot set its handler of SIGTERM. A study has its own.
            # A cluster that is there for this process alone needs no dashboard.
            has_dashboard = False if address == "local" else None
            ray.init(address=address, logging_level=logging.ERROR, include_dashboard=has_dashboard)
        except ConnectionError as error:
            raise EngineError(f"there is no Ray cluster at {address!r} ({_first_line(error)}). {_START_ONE}") from error
        except (RuntimeError, ValueError) as error:  # other versions of Ray or Python, mostly
            raise EngineError(f"the Ray cluster at {address!r} cannot be used: {error}") from error
        _NodeList.connection, _NodeList.users = ray.get_runtime_context().get_job_id(), set()

    def _check_connected(self, there: str) -> None:
        import ray

        if not is_of_ray_at(self._address, there, own=ray.util.get_node_ip_address()):  # type: ignore[no-untyped-call]
            raise EngineError(
                f"this process is connected to the Ray cluster at {there} and cannot use another one, at "
                f"{self._address!r}. Leave address= out, or call ray.shutdown() first."
            )

    def _listed(self) -> list[dict[str, Any]]:
        import ray

        with _NodeList.lock:
            if _NodeList.is_process_ending:
                return []
            if not ray.is_initialized():
                raise EngineError("this process is no longer connected to its Ray cluster: ray.shutdown() was called.")
            try:
                alive = [node for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
            except Exception as error:  # the head is gone
                raise EngineError(f"the Ray cluster cannot be reached any more: {_first_line(error)}") from error
        return sorted(alive, key=lambda node: str(node["NodeID"]))

    async def _wait_listed(self) -> list[dict[str, Any]]:
        """Return the nodes, and say so if that takes long, or if there are none."""
        saying = asyncio.get_running_loop().call_later(_SAY_SILENT_S, self._note_silent)
        try:
            listed = await asyncio.to_thread(self._listed)
        except asyncio.CancelledError:
            raise  # it may be silent still
        except BaseException:
            self._is_silent = False
            raise
        finally:
            saying.cancel()
        self._is_silent = False
        if not listed and not _NodeList.is_process_ending:
            tell_once(
                ("hosts", "no nodes"), "the Ray cluster has no node any more: what is left waits until one joins."
            )
        return listed

    def _note_silent(self) -> None:
        self._is_silent = True
        tell_once(
            ("hosts", "silent head"),
            f"the Ray cluster has not said for {_SAY_SILENT_S:.0f} s which nodes it has: its head is gone, or very "
            "busy. What runs goes on. Ray ends a process that has waited for its head for a minute, this one too; what "
            "was recorded stays, and the same script goes on from there on another cluster.",
        )

    def _ask_for(self, slots: int, most_nodes: int | None) -> None:
        """Have Ray's autoscaler, if the cluster has one, make room for hosts beside those that are there."""
        from ray.autoscaler.sdk import request_resources

        leaving = _leaving_nodes() if slots else ()
        listed = [node for node in self._listed() if node["NodeID"] not in leaving] if slots else []
        usable = [node["Resources"] for node in listed if self._demand.is_usable(node["Resources"])]
        there = [self._demand.bundle(resources) for resources in usable]
        more = math.ceil(slots / (self._demand.workers or 1))
        most = more if most_nodes is None else max(0, most_nodes - len(there))
        wanted = [*there, *[self._demand.new_bundle(usable)] * min(more, most)] if slots else []
        if wanted != self._has_asked:
            request_resources(bundles=wanted)
            self._has_asked = wanted

    # --- what a host asks for

    def _options(self, node: str, there: Mapping[str, float]) -> dict[str, Any]:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        cpus, gpus = self._demand.amounts(there)
        return {
            "num_cpus": cpus,
            "num_gpus": gpus,
            "resources": dict(self._demand.resources),
            "scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=False),
        }

    def _remote(self, cls: type, node: str, there: Mapping[str, float]) -> Any:
        import ray

        never = {"max_restarts": 0, "max_task_retries": 0}
        return ray.remote(cls).options(**self._options(node, there), **never, max_concurrency=1000)


def _is_ours() -> bool:
    """Tell whether the connection that this process has, if it has one, was made by one of our clusters."""
    import ray

    return ray.is_initialized() and ray.get_runtime_context().get_job_id() == _NodeList.connection


def _look_around(threads: int, device: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return, on a node, its versions and the environment of its workers on a device; "": on none."""
    hidden = os.environ.get(_DEVICES)
    if device:
        os.environ[_DEVICES] = device  # Ray hides all from whoever takes none
    try:
        return versions(), environment_of_workers(threads)
    finally:
        if hidden is not None:
            os.environ[_DEVICES] = hidden
        else:
            os.environ.pop(_DEVICES, None)


def _looked(name: str, task: Any) -> NodeLook:
    import ray

    if task is None:
        problem = f"does not answer within {_LOOK_AROUND_S:.0f} s"
        return NodeLook(name=name, versions={}, environment={}, problem=problem)
    try:
        found, environment = ray.get(task)
    except Exception as error:  # hippo cannot be imported there, or the node went
        return NodeLook(name=name, versions={}, environment={}, problem=_last_line(error))
    return NodeLook(name=name, versions=found, environment=environment)


def _leaving_nodes() -> Collection[str]:
    """Return the nodes that are being drained: a provider that takes them back says so a while before."""
    import ray
    from ray._private.state import state  # no public name tells; Ray's own Train asks here, too

    with _NodeList.lock:
        if _NodeList.is_process_ending or not ray.is_initialized():
            return ()
        try:
            return state.get_draining_nodes()
        except Exception as error:  # the head is gone
            raise EngineError(f"the Ray cluster cannot be reached any more: {_first_line(error)}") from error


def _free_resources() -> Mapping[str, Mapping[str, float]]:
    """Return what nobody uses of each node, by its id."""
    import ray
    from ray._private.state import available_resources_per_node  # no public name tells it by node

    with _NodeList.lock:
        if _NodeList.is_process_ending or not ray.is_initialized():
            return {}
        try:
            found: dict[str, dict[str, float]] = available_resources_per_node()  # type: ignore[no-untyped-call]
            return found
        except Exception as error:  # the head is gone
            raise EngineError(f"the Ray cluster cannot be reached any more: {_first_line(error)}") from error


def require_ray() -> None:
    """Refuse to go on where Ray is not installed.

    Raises:
      EngineError: names the line to type.
    """
    try:
        import ray  # noqa: F401 # now, so that what it does when the process ends comes after engines were closed
    except ImportError as error:
        raise EngineError(
            f"RayEngine needs Ray, which cannot be imported ({error}). Type: pip install 'hippo-tune[ray]'"
        ) from error


async def _answer(reply: Any) -> Any:
    from ray.exceptions import ActorUnavailableError, RayError, RayTaskError

    try:
        return await reply
    except ActorUnavailableError as error:
        raise HostSilentError(_first_line(error)) from None
    except RayTaskError as error:
        raise HostLostError(f"its host failed: {error}") from None
    except RayError as error:  # it died, could never start, or was cancelled
        raise HostLostError(f"its host is gone: {_why_gone(error)}") from None


async def _no_answer() -> Any:
    raise HostLostError("its host is gone: this process is no longer connected to its Ray cluster")


def _why_gone(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = [line for line in lines if "cause" in line.lower() or "error" in line.lower()]
    return " ".join(dict.fromkeys([*lines[:1], *cause[:2]]))


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
