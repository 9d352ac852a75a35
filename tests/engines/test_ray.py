"""`RayEngine` keeps the contract of engines on a Ray cluster of one machine, and refuses what it cannot use."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

import hippo
from hippo.engines.direct_calls import CallConnection
from hippo.engines.hosted import HostedEngine
from hippo.engines.ray_cluster import HostActor, RayCluster, RayHost
from hippo.errors import EngineError
from hippo.events import EngineEvent, SlotLost, StepDone
from hippo.records import SlotId
from hippo.testing.control_loop import ControlLoop, open_slots
from hippo.testing.engine_contract import HostedEngineContract
from hippo.testing.lanes import lane, stage
from hippo.testing.residents_contract import only, toy, toy_bytes
from hippo.testing.trainers import ToyTrainer
from hippo.training import telling

ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A Ray cluster on this machine, to which this process is connected."""
    ray.init(
        address="local",
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
        object_store_memory=200 * 1024**2,
    )
    yield
    ray.shutdown()


class Shared(NamedTuple):
    """The engine of all tests of a class that ask for one, since each takes two seconds of CPU to begin."""

    folder: str
    loops: list[ControlLoop]


@pytest.fixture(scope="class")
def shared(cluster: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    shared = Shared(str(tmp_path_factory.mktemp("checkpoints")), [])
    yield shared
    for loop in shared.loops:
        loop.close()


@pytest.mark.usefixtures("cluster")
class TestRayEngine(HostedEngineContract):
    def make_engine(self) -> HostedEngine:
        return hippo.RayEngine(workers_per_node=2)

    @pytest.fixture
    def folder(self, shared: Shared) -> str:
        return shared.folder

    @pytest.fixture
    def loop(self, shared: Shared) -> ControlLoop:
        if not shared.loops:
            shared.loops.append(self.open_loop(shared.folder))
        return shared.loops[0]

    def make_small_engine(self) -> HostedEngine:
        cluster = RayCluster(
            workers_per_node=2,
            threads=1,
            devices_per_slot=1,
            resources={},
            address=None,
            resident_bytes=2 * toy_bytes(),
        )
        return HostedEngine(cluster)


# --- processes that are killed

#: by this name Ray shows the process of a host
HOST_PROCESS = "ray::HostActor"


def pid_of(loop: ControlLoop, slot: SlotId) -> int:
    """Return the process of a slot's worker."""
    found = loop.serve_until(lambda _: re.match(r"pid (\d+) on node", loop.engine.describe(slot)))
    return int(found.group(1))


def host_of(worker: int) -> psutil.Process:
    """Return the host above a worker."""
    return next(each for each in psutil.Process(worker).parents() if HOST_PROCESS in " ".join(each.cmdline()))


def wait_for_others(loop: ControlLoop, number: int, *, without: Collection[SlotId]) -> None:
    """Wait until so many slots are open, none of them one of these."""
    loop.serve_until(lambda e: len(found := open_slots(e)) == number and not set(found) & set(without))


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_gone(pids: Collection[int]) -> None:
    """Wait until processes are gone: 5 s at most, alone on a machine."""
    began = time.perf_counter()
    while any(map(is_alive, pids)):
        if time.perf_counter() - began > 60.0:
            raise TimeoutError(f"some of {pids} are still there")
        time.sleep(0.01)


@pytest.fixture
def loop(cluster: None, tmp_path: Path) -> Iterator[ControlLoop]:
    """A `RayEngine` with two slots, at work."""
    with ControlLoop(hippo.RayEngine(workers_per_node=2), str(tmp_path)) as loop:
        loop.open_workload(toy())
        loop.wait_for_slots(2)
        yield loop


def test_a_worker_that_is_killed_is_replaced(loop: ControlLoop) -> None:
    slot, other = loop.wait_for_slots(2)
    os.kill(pid_of(loop, slot), signal.SIGKILL)
    wait_for_others(loop, 2, without=[slot])
    assert [(event.slot, event.reason) for event in only(SlotLost, loop.events)] == [(slot, "worker killed by SIGKILL")]
    assert other in open_slots(loop.events)


def test_a_host_that_is_killed_loses_each_slot_once_ends_its_workers_and_is_replaced(loop: ControlLoop) -> None:
    slots = loop.wait_for_slots(2)
    workers = [pid_of(loop, slot) for slot in slots]
    host_of(workers[0]).kill()
    wait_for_others(loop, 2, without=slots)
    wait_gone(workers)
    lost = only(SlotLost, loop.events)
    assert sorted(event.slot for event in lost) == sorted(slots)
    assert all("its host is gone" in event.reason for event in lost)
    assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))


# --- the connection beside Ray


def host_handle(loop: ControlLoop) -> RayHost:
    """Return the study's handle of its only host."""
    (link,) = loop.engine._hosts
    return link._handle


def called_by_ray(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows with the methods which are called through Ray from now on."""
    called: list[str] = []
    by_ray = RayHost._call_by_ray

    def note(self: RayHost, method: str, *arguments: Any) -> Any:
        called.append(arguments[0] if method == "call" else method)
        return by_ray(self, method, *arguments)

    monkeypatch.setattr(RayHost, "_call_by_ray", note)
    return called


def steps_done(events: Collection[EngineEvent]) -> list[int]:
    return [event.step for event in only(StepDone, events)]


def test_orders_and_events_take_a_connection_of_their_own_and_ray_once_that_is_lost(
    loop: ControlLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = host_handle(loop)
    loop.serve_until(lambda _: handle._connection is not None and handle._connection.is_open)
    called = called_by_ray(monkeypatch)
    loop.run(toy().workload, lane(stage(1, 0, 2)))  # a poll that had begun through Ray ends with it
    called.clear()
    assert steps_done(loop.run(toy().workload, lane(stage(1, 0, 3)))) == [1, 2, 3]
    assert called == []
    slots = open_slots(loop.events)
    lease = loop.submit(toy().workload, lane(stage(1, 0, 40)))
    loop.serve_until(lambda events: [event for event in only(StepDone, events) if event.lease == lease])
    loop.run_coroutine(cut(handle))
    assert steps_done(loop.finish(lease)) == list(range(1, 41)), "each once, and in order"
    assert steps_done(loop.run(toy().workload, lane(stage(1, 0, 3)))) == [1, 2, 3]
    assert {"submit", "poll"} <= set(called)
    assert open_slots(loop.events) == slots


def three_steps_of_a_new_engine(folder: Path) -> list[int]:
    with ControlLoop(hippo.RayEngine(workers_per_node=1), str(folder)) as loop:
        loop.open_workload(toy())
        return steps_done(loop.run(toy().workload, lane(stage(1, 0, 3))))


async def cut(handle: RayHost) -> None:
    """Have a host's connection end as if its network had."""
    assert handle._connection is not None
    handle._connection._writer.transport.abort()


def test_with_ports_that_a_firewall_closes_all_goes_through_ray_and_that_is_said(
    cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: Any, **__: Any) -> CallConnection:
        raise TimeoutError

    monkeypatch.setattr(CallConnection, "connect", refuse)
    monkeypatch.setattr(telling, "_told", set())
    called = called_by_ray(monkeypatch)
    with pytest.warns(UserWarning, match=r"host on node .* cannot be reached at .*:\d+ \(TimeoutError\).*through Ray"):
        assert three_steps_of_a_new_engine(tmp_path) == [1, 2, 3]
    assert {"submit", "poll"} <= set(called)


def test_an_address_that_only_others_know_a_node_by_is_no_place_to_listen_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray.util, "get_node_ip_address", lambda: "203.0.113.1")  # such as that of its gateway
    actor = object.__new__(HostActor)
    actor._host = None
    address, port, problem = asyncio.run(actor.listen(b"secret"))
    assert (address, port) == ("203.0.113.1", 0)
    assert "203.0.113.1" in problem


def test_a_host_that_cannot_listen_is_told_of_as_one_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    async def cannot(*_: Any) -> tuple[str, int, str]:
        return "203.0.113.1", 0, "it is not mine"

    monkeypatch.setattr(RayHost, "_call_by_ray", cannot)
    monkeypatch.setattr(telling, "_told", set())
    with pytest.warns(UserWarning, match=r"host on node far cannot be reached at 203.0.113.1:0 \(it is not mine\)"):
        asyncio.run(RayHost(None, node="far")._connect())


def test_where_ray_encrypts_all_goes_through_ray(
    cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = called_by_ray(monkeypatch)
    monkeypatch.setenv("RAY_USE_TLS", "1")
    assert three_steps_of_a_new_engine(tmp_path) == [1, 2, 3]
    assert {"submit", "poll"} <= set(called)
    assert "listen" not in called


STUDY = """
import sys
import hippo
from hippo.testing.trainers import ToyTrainer
folder, address = sys.argv[1:]
study = hippo.create_study("killed", trainer=ToyTrainer, trainer_args={"sleep_s": 0.05, "log": folder + "/log"},
    storage=f"sqlite:///{folder}/hippo.db", checkpoints=folder + "/states", metric="loss", mode="min",
    engine=hippo.RayEngine(workers_per_node=1, address=address))
study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": [0.1, 0.2]}), until=int(40)))
print(sorted(trial.value for trial in study.trials), study.statistics().steps_repeated)
"""


@pytest.mark.usefixtures("cluster")
def test_workers_end_soon_after_a_study_that_is_killed_and_a_re_run_goes_on(tmp_path: Path) -> None:
    address = ray.get_runtime_context().gcs_address
    command = [sys.executable, "-c", STUDY, str(tmp_path), address]
    running = subprocess.Popen(command)
    log = tmp_path / "log"
    while not (log.exists() and len(log.read_text().splitlines()) > 5):
        assert running.poll() is None
        time.sleep(0.05)
    running.kill()
    running.wait()
    workers = {int(line.split()[0]) for line in log.read_text().splitlines()}
    wait_gone(workers)
    again = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    alone = hippo.create_study("alone", trainer=ToyTrainer, metric="loss", mode="min", **in_memory())
    alone.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": [0.1, 0.2]}), until=40))
    assert again.stdout.splitlines()[-1].rpartition(" ")[0] == str(sorted(trial.value for trial in alone.trials))


TWO = """
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
import hippo
from hippo.testing.trainers import ToyTrainer
folder, port = sys.argv[1:]
class Held(ToyTrainer):
    def train(self):
        while self.steps == 6 and not os.path.exists(f"{folder}/go on"):
            time.sleep(0.01)
        return super().train()
def begun(name, host):
    study = hippo.create_study(name, trainer=Held, trainer_args={"log": f"{folder}/{name}"},
        storage="memory://", checkpoints=folder, metric="loss", mode="min",
        engine=hippo.RayEngine(workers_per_node=1, address=f"{host}:{port}"))
    study.evaluate({"lr": 0.1}, until=1)
    return study
first, second = begun("first", "127.0.0.1"), begun("second", "localhost")
running = ThreadPoolExecutor(1).submit(second.evaluate, {"lr": 0.2}, until=20)
while open(f"{folder}/second").read().count("0.2") < 5:
    os.sched_yield()
first.close()
assert not running.done()
open(f"{folder}/go on", "w").close()
running.result()
second.close()
import ray
print("connected", ray.is_initialized())
"""


@pytest.mark.usefixtures("cluster")
def test_a_study_that_is_closed_leaves_the_connection_to_others_and_the_last_one_ends_it(tmp_path: Path) -> None:
    port = ray.get_runtime_context().gcs_address.rpartition(":")[2]
    command = [sys.executable, "-c", TWO, str(tmp_path), port]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "connected False"


def in_memory() -> dict[str, Any]:
    """Return where a study is that leaves nothing behind."""
    return {"storage": "memory://", "checkpoints": "memory://", "engine": hippo.InlineEngine()}


# --- what is refused


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"devices_per_slot": 3}, r"devices_per_slot=3: the largest node of this cluster has 0 GPUs"),
        ({"resources": {"unheard_of": 1}}, r"no node of this cluster has a CPU and resources={'unheard_of': 1}"),
        ({"address": "10.1.2.3:6379"}, r"is connected to the Ray cluster at .* and cannot use another one"),
    ],
)
def test_what_the_cluster_does_not_have_ends_the_study_before_anything_is_trained(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    study = hippo.create_study(
        "refused", trainer=ToyTrainer, storage="memory://", checkpoints=str(tmp_path), metric="loss", mode="min",
        engine=hippo.RayEngine(**options),
    )  # fmt: skip
    with pytest.raises(EngineError, match=message):
        study.evaluate({"lr": 0.1}, until=1)
    study.close()


def test_without_a_cluster_the_study_ends_and_is_told_how_to_start_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def init(*, address: str, **options: Any) -> None:
        raise ConnectionError(f"Could not find any running Ray instance: {address}")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", init)
    study = hippo.create_study(
        "alone", trainer=ToyTrainer, storage="memory://", checkpoints=str(tmp_path), metric="loss", mode="min",
        engine=hippo.RayEngine(),
    )  # fmt: skip
    with pytest.raises(EngineError, match=r"there is no Ray cluster at 'auto'.*any running.*ray start --head"):
        study.evaluate({"lr": 0.1}, until=1)
    study.close()


def node(**resources: float) -> dict[str, Any]:
    return {"NodeID": f"{resources}", "NodeManagerAddress": "there", "Alive": True, "Resources": resources}


@pytest.mark.parametrize(
    ("options", "there", "wanted"),
    [
        ({}, [{"CPU": 4.0}], [{"CPU": 4.0}, {"CPU": 1.0}, {"CPU": 1.0}]),
        ({"workers_per_node": 8}, [{"CPU": 4.0}], [{"CPU": 4.0}, {"CPU": 4.0}]),  # they share the node's cores
        (
            {"workers_per_node": 3, "devices_per_slot": 2},  # two groups of devices for three workers
            [{"CPU": 8.0, "GPU": 4.0}],
            [{"CPU": 3.0, "GPU": 4.0}, {"CPU": 3.0, "GPU": 4.0}],
        ),
        ({"workers_per_node": 3}, [], [{"CPU": 3.0}]),
        (
            {},
            [{"CPU": 8.0, "GPU": 2.0}],
            [{"CPU": 2.0, "GPU": 2.0}, {"CPU": 1.0, "GPU": 1.0}, {"CPU": 1.0, "GPU": 1.0}],
        ),
    ],
)
def test_the_autoscaler_is_asked_for_no_node_that_is_larger_than_those_there_are(
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    there: list[dict[str, float]],
    wanted: list[dict[str, float]],
) -> None:
    asked: list[Any] = []
    given = {"workers_per_node": None, "threads": 1, "devices_per_slot": 1, "resources": {}, "address": None}
    cluster = RayCluster(**{**given, **options})
    monkeypatch.setattr(cluster, "_listed", lambda: [node(**resources) for resources in there])
    monkeypatch.setattr("hippo.engines.ray_cluster._leaving_nodes", lambda: ())
    monkeypatch.setattr("ray.autoscaler.sdk.request_resources", lambda *, bundles: asked.append(bundles))
    cluster._ask_for(2, None)
    assert asked == [wanted]


def cluster_that_asked(monkeypatch: pytest.MonkeyPatch) -> RayCluster:
    """Return one that had the autoscaler make room, and may not ask it for anything more."""
    monkeypatch.setattr(
        "ray.autoscaler.sdk.request_resources", lambda **_: pytest.fail("nobody is there who would answer")
    )
    monkeypatch.setattr("hippo.engines.ray_cluster._leaving_nodes", lambda: ())
    monkeypatch.setattr(telling, "_told", set())
    cluster = RayCluster(workers_per_node=1, threads=1, devices_per_slot=1, resources={}, address=None)
    cluster._has_asked = [{"CPU": 1.0}]
    return cluster


def test_a_cluster_is_let_go_also_after_ray_was_shut_down(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = cluster_that_asked(monkeypatch)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    cluster.disconnect()


def test_a_head_that_is_silent_is_told_of_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, speaks = cluster_that_asked(monkeypatch), threading.Event()
    monkeypatch.setattr("hippo.engines.ray_cluster._SAY_SILENT_S", 0.01)
    monkeypatch.setattr(ray, "is_initialized", lambda: True)
    monkeypatch.setattr(cluster, "_listed", lambda: [node(CPU=1.0)] * speaks.wait(30))

    async def test() -> None:
        looking = asyncio.create_task(cluster.nodes())
        while not cluster._is_silent:
            await asyncio.sleep(0.01)
        cluster.disconnect()
        speaks.set()
        await looking
        assert not cluster._is_silent

    with pytest.warns(UserWarning, match=r"has not said for .* which nodes it has: its head is gone.*recorded stays"):
        asyncio.run(test())


def test_a_cluster_without_any_node_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = cluster_that_asked(monkeypatch)
    monkeypatch.setattr(cluster, "_listed", list)
    with pytest.warns(UserWarning, match="has no node any more"):
        assert asyncio.run(cluster.nodes()) == []


def test_an_address_at_which_nobody_listens_is_refused_in_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda **_: pytest.fail("Ray waits for a quarter of an hour"))
    study = hippo.create_study(
        "nowhere", trainer=ToyTrainer, storage="memory://", checkpoints=str(tmp_path), metric="loss", mode="min",
        engine=hippo.RayEngine(address="127.0.0.1:1"),
    )  # fmt: skip
    with pytest.raises(
        EngineError, match=r"no Ray cluster at '127.0.0.1:1' \(nobody answers there\).*ray start --head"
    ):
        study.evaluate({"lr": 0.1}, until=1)
    study.close()


def test_the_cluster_foretells_the_environment_of_its_workers(cluster: None) -> None:
    assert hippo.RayEngine().foretell_environment() == hippo.LocalEngine(1).environment()
