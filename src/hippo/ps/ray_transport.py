"""Workers as actors of a Ray cluster, each with its shard, on as many nodes as there are.

The pool of branches stays where the trainer is, so that a fork is a copy there, and a node that is lost takes along
none but the branch that is trained. A step sends each owner its rows of the branch, and brings them back. Actors are
never restarted, nor calls of theirs repeated by Ray. Imports Ray when it is needed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import signal
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from hippo.addresses import is_of_ray_at, listens
from hippo.errors import GangLostError, TrainerError
from hippo.ps.layout import Array
from hippo.ps.operations import ClocksFailed, Operation, Report, RunClocks
from hippo.ps.ray_worker import WorkerActor, WorkerSetup, processor_here, versions_here
from hippo.ps.shard import put_rows, rows_in
from hippo.ps.transport import AbstractTransport
from hippo.ps.worker import GangWorker
from hippo.training.code.shipping import ship_instance
from hippo.training.process.environment import BELOW_RAY_HOST, pinned_numerics, variables_of_bits
from hippo.training.telling import tell_once

#: how often Ctrl-C is listened for while workers compute
_LISTEN_S = 0.5
#: set by Ray when it is imported, for processes of its own
_CLIENT_MODE = "RAY_CLIENT_MODE"
_START_ONE = "start one with `ray start --head`, and on each other machine `ray start --address=...`"


class RayTransport(AbstractTransport):
    """Runs each worker of a parameter server as an actor of a Ray cluster. Return one from `PSTrainer.make_transport`.

    Args:
      address: of the cluster; None: the one that this process is connected to, that RAY_ADDRESS names, or that runs on
        this machine.
      cpus_per_worker: that a worker takes of its node.
      resources: other resources of Ray that a worker takes.
      patience_s: how long workers may take to start.

    Raises:
      TrainerError: Ray is not installed, or there is no cluster.
    """

    is_memory_here = True

    def __init__(
        self,
        address: str | None = None,
        *,
        cpus_per_worker: float = 1,
        resources: Mapping[str, float] | None = None,
        patience_s: float = 60.0,
    ) -> None:
        self._cpus = cpus_per_worker
        self._resources = dict(resources or {})
        self._patience_s = patience_s
        self._actors: list[Any] = []
        self._workers: Sequence[GangWorker] = ()
        #: what a worker's step will have returned -> the worker
        self._pending: dict[Any, int] = {}
        self._run: RunClocks | None = None
        self._step = 0
        self._finalizer: weakref.finalize[Any, Any] | None = None
        _connect(address)

    def allocate(self, size_bytes: int) -> Array:
        return np.zeros(size_bytes, np.uint8)

    def lock(self) -> AbstractContextManager[Any]:
        return contextlib.nullcontext()  # nobody works here

    def start(self, workers: Sequence[GangWorker]) -> None:
        import ray

        first, memory = workers[0], workers[0].memory
        spec, attributes = ship_instance(first.trainer, without={"hp", "_gangs"})
        there = ray.put(attributes)  # once for all: there may be data in it
        # threads: its own step, and of each other worker a call and a word that nobody waits for
        options = {"max_concurrency": 3 * len(workers) + 4, "max_restarts": 0, "max_task_retries": 0}
        made = ray.remote(WorkerActor).options(
            num_cpus=self._cpus,
            resources=self._resources,
            scheduling_strategy="SPREAD",
            # forked workers have these from here; Ray's own processes hash strings each in its own way
            runtime_env={"env_vars": variables_of_bits()},
            **options,
        )
        self._actors = [made.remote() for _ in workers]
        self._finalizer = weakref.finalize(self, _end, os.getpid(), list(self._actors))
        setups = [
            WorkerSetup(
                number=worker.number,
                spec=spec,
                layout=memory.layout,
                rule=first.trainer.optimizer,
                most_staleness=len(memory.older),
                versions=versions_here(),
                numerics=pinned_numerics(),
            )
            for worker in workers
        ]
        self._workers = workers
        self._wait_opened(
            [actor.open.remote(setup, there, self._actors) for actor, setup in zip(self._actors, setups, strict=True)]
        )

    def broadcast(self, operation: Operation) -> None:
        assert isinstance(operation, RunClocks), "branches are copied here, where they lie"
        self._run, self._step = operation, self._step + 1
        memory = self._workers[0].memory
        branch = memory.pool[operation.slot]
        self._pending = {
            actor.run.remote(self._step, operation, rows_in(branch, memory.layout.rows_of(number))): number
            for number, actor in enumerate(self._actors)
        }

    def receive(self) -> tuple[int, Report]:
        import ray

        ready: list[Any] = []
        while not ready:
            ready, _ = ray.wait(list(self._pending), num_returns=1, timeout=_LISTEN_S)
        number = self._pending.pop(ready[0])
        try:
            message, rows = ray.get(ready[0])
        except Exception as error:  # Ray's word for an actor that is gone, or a fault of ours there
            raise self._lost(number, error) from None
        report: Report = pickle.loads(message)
        if isinstance(report, ClocksFailed) and isinstance(report.error, GangLostError):
            raise self._lost(self._number_of_lost(number), report.error) from None
        if rows is not None:
            assert self._run is not None, "a step is under way"
            memory = self._workers[number].memory
            put_rows(rows, memory.pool[self._run.slot], memory.layout.rows_of(number))
        return number, report

    def notify(self) -> None:
        pass  # workers tell each other

    def abort(self) -> None:
        for actor in self._actors:
            actor.abort.remote(self._step)

    def close(self) -> None:
        if self._finalizer is not None:
            self._finalizer()

    def _wait_opened(self, opened: Sequence[Any]) -> None:
        import ray
        from ray.exceptions import GetTimeoutError, RayTaskError

        try:
            kinds = {*ray.get(list(opened), timeout=self._patience_s), processor_here()}
        except GetTimeoutError:
            self.close()
            raise TrainerError(
                f"the Ray cluster did not start {len(opened)} workers of a parameter server within "
                f"{self._patience_s:g} s: each takes {self._wanted()}, and {_room()} are free. Take fewer "
                "workers or a smaller cpus_per_worker"
            ) from None
        except RayTaskError as error:
            self.close()
            if isinstance(error.cause, TrainerError):
                raise error.cause from None
            raise TrainerError(f"a worker of the parameter server could not start on its node: {error}") from None
        except Exception as error:
            raise self._lost(0, error) from None
        if len(kinds) > 1:
            tell_once(
                ("parameter server", "processors"),
                f"workers of a parameter server run on several kinds of processor ({', '.join(sorted(kinds))}): the "
                "last bits of what they compute may differ by where each one is, and a step that runs again may come "
                "to others. resources={...} of RayTransport keeps them on nodes of one kind.",
            )

    def _wanted(self) -> str:
        return ", ".join(f"{amount:g} {name}" for name, amount in ({"CPU": self._cpus} | self._resources).items())

    def _number_of_lost(self, number: int) -> int:
        """Return which worker is gone, of whom another one could not say that; else that one."""
        import ray

        others = list(self._pending)
        ready = ray.wait(others, num_returns=len(others), timeout=_LISTEN_S)[0] if others else []
        for each in ready:
            try:
                ray.get(each)
            except Exception:
                return self._pending[each]
        return number

    def _lost(self, number: int, error: BaseException) -> GangLostError:
        self.close()
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        why = " ".join(dict.fromkeys([*lines[:1], *(line for line in lines if "exit" in line.lower())]))
        return GangLostError(
            f"worker {number} of the parameter server, an actor of Ray, is gone: {why or type(error).__name__} The "
            "gang is lost with it, and goes on from the last checkpoint. Mostly its node was lost, or the kernel ended "
            "it when memory ran out"
        )


def _connect(address: str | None) -> None:
    had_mode = _CLIENT_MODE in os.environ
    try:
        import ray
    except ImportError as error:
        raise TrainerError(
            f"RayTransport needs Ray, which cannot be imported ({error}). Type: pip install 'hippo-tune[ray]'"
        ) from error
    if not had_mode:  # else the trainer would be told that it left this changed
        os.environ.pop(_CLIENT_MODE, None)
    if ray.is_initialized():
        _check_connected(address)
        return
    if BELOW_RAY_HOST in os.environ:  # its actors die there as they start, now and then
        raise TrainerError(
            "RayTransport cannot be used in workers of a RayEngine: use hippo.LocalEngine(workers=1), and the "
            "parameter server has the cluster"
        )
    address = address or os.environ.get("RAY_ADDRESS") or "auto"
    if not listens(address):
        raise TrainerError(f"there is no Ray cluster at {address!r}: nobody answers there; {_START_ONE}")
    # Ray has a handler of SIGTERM, which would end this process by itself, and a debugger. Who runs the trainer has its
    # own, and would warn of settings that the trainer left changed.
    before, debugger = signal.getsignal(signal.SIGTERM), os.environ.get("PYTHONBREAKPOINT")
    try:
        ray.init(address=address, logging_level=logging.ERROR)
    except (ConnectionError, RuntimeError, ValueError) as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise TrainerError(f"there is no Ray cluster at {address!r} ({why}); {_START_ONE}") from error
    finally:
        os.environ.pop("PYTHONBREAKPOINT", None)
        if debugger is not None:
            os.environ["PYTHONBREAKPOINT"] = debugger
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGTERM, before)


def _check_connected(address: str | None) -> None:
    import ray

    there = ray.get_runtime_context().gcs_address
    if not is_of_ray_at(address, there, own=ray.util.get_node_ip_address()):  # type: ignore[no-untyped-call]
        raise TrainerError(
            f"this process is connected to the Ray cluster at {there}, and RayTransport cannot use another one, at "
            f"{address!r}. Leave address= out, or call ray.shutdown() first"
        )


def _room() -> str:
    import ray

    free: dict[str, float] = ray.available_resources()  # type: ignore[no-untyped-call]
    there: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    names = [name for name in ("CPU", "GPU") if name in there]
    return ", ".join(f"{free.get(name, 0):g} of {there[name]:g} {name}" for name in names)


def _end(owner: int, actors: Sequence[Any]) -> None:
    if os.getpid() != owner:  # a fork of the owner has no connection
        return
    import ray

    if ray.is_initialized():
        for actor in actors:
            ray.kill(actor)
