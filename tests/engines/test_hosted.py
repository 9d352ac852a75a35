"""Hosts in this process keep the contract of engines, and are lost, repeated and refused as those of a cluster."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import SystemClock
from hippo.engines import AbstractEngine
from hippo.engines.cluster_hosts import ClusterNode
from hippo.engines.hosted import HostedEngine
from hippo.engines.hosts_here import LocalCluster, LocalHost
from hippo.errors import EngineError, EnvironmentChangedError, HostLostError
from hippo.events import SlotLost, StepDone
from hippo.records import SlotId
from hippo.testing.control_loop import ControlLoop, open_slots
from hippo.testing.engine_contract import EngineContract
from hippo.testing.lanes import lane, stage
from hippo.testing.residents_contract import only, toy
from hippo.testing.trainers import ToyTrainer
from hippo.training.codec import encode


class LosableHost:
    """A host that can be taken away, with all that it was asked."""

    def __init__(self, host: LocalHost) -> None:
        self.host = host
        self.taken_away: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def call(self, method: str, *arguments: Any) -> Awaitable[Any]:
        return self._answer(self.host.call(method, *arguments))

    async def _answer(self, answer: Any) -> Any:
        await asyncio.wait([answer, self.taken_away], return_when=asyncio.FIRST_COMPLETED)
        if self.taken_away.done():
            raise HostLostError("its host was taken away")
        return answer.result()

    def kill(self) -> None:
        self.host.kill()


class LosableCluster(LocalCluster):
    """A cluster whose hosts can be taken away."""

    #: each host, before it has said anything
    lose_all = False

    def open_host(self, node: ClusterNode, *, name: str, checkpoints: str | AbstractCheckpointStore) -> Any:
        self.losable = getattr(self, "losable", {})
        host = self.losable[name] = LosableHost(super().open_host(node, name=name, checkpoints=checkpoints))
        if self.lose_all:
            host.taken_away.set_result(None)
        return host

    def lose(self, name: str) -> None:
        host = self.losable[name]
        host.taken_away.get_loop().call_soon_threadsafe(host.kill)
        host.taken_away.get_loop().call_soon_threadsafe(host.taken_away.set_result, None)


def toy_bytes() -> int:
    """Return what a state of a `ToyTrainer` takes of a slot's memory."""
    trainer = ToyTrainer()
    trainer.build()
    return encode(trainer.state_dict()).size_bytes


@pytest.mark.slow
class TestOneHost(EngineContract):
    def make_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(workers=2))

    def make_small_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(workers=2, resident_bytes=2 * toy_bytes()))


@pytest.mark.slow
class TestTwoHosts(EngineContract):
    def make_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(2, workers=1))

    def make_small_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(2, workers=1, resident_bytes=2 * toy_bytes()))


# --- hosts that come and go


def slots_by_host(slots: list[SlotId]) -> set[str]:
    return {slot.partition("/")[0] for slot in slots}


def opened(folder: Path, cluster: LocalCluster, **options: int) -> ControlLoop:
    loop = ControlLoop(HostedEngine(cluster, **options), str(folder))
    loop.open_workload(toy())
    return loop


@pytest.mark.slow
def test_a_host_that_is_lost_takes_its_slots_along_once_and_another_one_comes(tmp_path: Path) -> None:
    cluster = LosableCluster(2, workers=2)
    with opened(tmp_path, cluster) as loop:
        slots = loop.wait_for_slots(4)
        assert slots_by_host(slots) == {"host-1", "host-2"}
        gone = [slot for slot in slots if slot.startswith("host-1/")]
        cluster.lose("host-1")
        loop.serve_until(lambda events: slots_by_host(open_slots(events)) == {"host-2", "host-3"})
        lost = only(SlotLost, loop.events)
        assert sorted(event.slot for event in lost) == sorted(gone)
        assert all(event.reason == "node here-0: its host was taken away" for event in lost)
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))


@pytest.mark.slow
def test_no_more_nodes_are_used_than_asked_for(tmp_path: Path) -> None:
    with opened(tmp_path, LocalCluster(3, workers=1), most_nodes=2) as loop:
        loop.wait_for_slots(2)
        loop.run(toy().workload, lane(stage(1, 0, 1)))
        assert slots_by_host(open_slots(loop.events)) == {"host-1", "host-2"}


def test_hosts_that_never_start_end_the_study_with_the_reason(tmp_path: Path) -> None:
    cluster = LosableCluster(1, workers=1)
    cluster.lose_all = True
    with opened(tmp_path, cluster) as loop, pytest.raises(AssertionError, match=r"3 hosts in a row.*taken away"):
        loop.wait_for_slots()


@pytest.mark.slow
def test_an_engine_that_was_closed_opens_again(tmp_path: Path) -> None:
    engine = HostedEngine(LocalCluster(workers=1))
    for _ in range(2):
        with ControlLoop(engine, str(tmp_path)) as loop:
            loop.open_workload(toy())
            assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))
    assert not list(tmp_path.rglob("probe*"))


def test_states_in_memory_are_refused_and_the_message_says_what_to_name() -> None:
    with pytest.raises(EngineError, match="cannot be shared by the nodes of a cluster"):
        HostedEngine(LocalCluster()).start(lambda event: None, checkpoints="memory://", clock=SystemClock())


# --- in a study


def tuned(folder: Path, engine: AbstractEngine, name: str) -> list[object]:
    """Return the metrics of a grid search over a toy."""
    study = hippo.create_study(
        name, trainer=ToyTrainer, storage=f"sqlite:///{folder}/{name}.db", checkpoints=str(folder / name),
        engine=engine, metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch(hippo.GridSearchSpace({"lr": [0.1, 0.01], "momentum": [0.0, 0.9]}), until=3))
    study.close()
    return [trial.history for trial in study.trials]


@pytest.mark.slow
def test_a_study_on_hosts_has_the_metrics_of_one_on_local_workers(tmp_path: Path) -> None:
    hosted = tuned(tmp_path, HostedEngine(LocalCluster(2, workers=1)), "hosted")
    assert hosted == tuned(tmp_path, hippo.LocalEngine(2), "local")


def set_environment(folder: Path, name: str, **fields: str) -> None:
    """Have a plan remember that it was trained elsewhere."""
    with contextlib.closing(sqlite3.connect(folder / f"{name}.db")) as database:
        ((recorded,),) = database.execute("select environment from hippo_plan").fetchall()
        database.execute("update hippo_plan set environment = ?", [json.dumps(json.loads(recorded) | fields)])
        database.commit()


@pytest.mark.slow
def test_the_first_slot_says_the_environment_and_the_next_study_is_compared_with_it(tmp_path: Path) -> None:
    tuned(tmp_path, HostedEngine(LocalCluster(workers=1)), "study")
    set_environment(tmp_path, "study", torch="0.1")
    study = hippo.create_study(
        "study", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/study.db", checkpoints=str(tmp_path / "study"),
        engine=HostedEngine(LocalCluster(workers=1)), metric="loss", mode="min",
    )  # fmt: skip
    with pytest.raises(EnvironmentChangedError, match=r"torch was '0\.1'"):
        study.evaluate({"lr": 0.5, "momentum": 0.0}, until=2)
    study.close()


@pytest.mark.slow
def test_a_fork_is_made_for_the_environment_that_the_cluster_foretells(tmp_path: Path) -> None:
    tuned(tmp_path, HostedEngine(LocalCluster(workers=1)), "study")
    set_environment(tmp_path, "study", torch="0.1")
    study = hippo.create_study(
        "study", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/study.db", checkpoints=str(tmp_path / "study"),
        engine=HostedEngine(LocalCluster(workers=1)), metric="loss", mode="min", environment="new",
    )  # fmt: skip
    assert study.evaluate({"lr": 0.5, "momentum": 0.0}, until=2)["loss"] > 0
    study.close()
