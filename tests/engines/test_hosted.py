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
from hippo.engines import AbstractEngine, cluster_hosts, host_book
from hippo.engines.cluster_hosts import ClusterNode
from hippo.engines.hosted import HostedEngine
from hippo.engines.hosts_here import LocalCluster, LocalHost
from hippo.errors import EngineError, EnvironmentChangedError, HostLostError
from hippo.events import SlotLeaving, SlotLost, StepDone
from hippo.records import SlotId
from hippo.runtime.placing import eligibility
from hippo.testing.control_loop import ControlLoop, open_slots
from hippo.testing.engine_contract import HostedEngineContract
from hippo.testing.gated_trainer import GatedTrainer
from hippo.testing.lanes import lane, stage
from hippo.testing.residents_contract import only, toy, toy_bytes
from hippo.testing.trainers import ToyTrainer
from hippo.training import telling
from hippo.training.code.shipping import ship

pytestmark = pytest.mark.usefixtures("warm_programs")


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


@pytest.mark.slow
class TestOneHost(HostedEngineContract):
    def make_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(workers=2))

    def make_small_engine(self) -> HostedEngine:
        return HostedEngine(LocalCluster(workers=2, resident_bytes=2 * toy_bytes()))


@pytest.mark.slow
class TestTwoHosts(HostedEngineContract):
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


class CrowdedCluster(LocalCluster):
    """Others use what hosts would ask for, but on the last of its nodes, and there at first, too."""

    looks = 0

    async def free(self, nodes: list[ClusterNode]) -> list[ClusterNode]:
        self.looks += 1
        return nodes[-1:] if self.looks > 2 else []


@pytest.mark.slow
def test_where_not_all_nodes_may_be_used_a_host_begins_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(cluster_hosts, "_LOOK_FOR_NODES_S", 0.02)
    monkeypatch.setattr(cluster_hosts, "_SAY_WAITING_S", 0.0)
    monkeypatch.setattr(telling, "_told", set())
    cluster = CrowdedCluster(3, workers=1)
    with opened(tmp_path, cluster, most_nodes=1) as loop:
        (slot,) = loop.wait_for_slots(1)
        assert loop.engine.describe(slot).endswith("on node here-2")
    assert [told for told in recwarn if "no node has room for a host" in str(told.message)]


def test_hosts_that_never_start_end_the_study_with_the_reason(tmp_path: Path) -> None:
    cluster = LosableCluster(1, workers=1)
    cluster.lose_all = True
    with opened(tmp_path, cluster) as loop, pytest.raises(AssertionError, match=r"3 hosts in a row.*taken away"):
        loop.wait_for_slots()


# --- as many hosts as there is work for


async def want(engine: AbstractEngine, slots: int | None) -> None:
    engine.want(slots)


@pytest.mark.slow
def test_hosts_that_have_nothing_to_do_go_and_come_back_when_they_are_wanted(tmp_path: Path) -> None:
    engine = HostedEngine(LocalCluster(3, workers=1), idle_release_s=0.2)
    with ControlLoop(engine, str(tmp_path)) as loop:
        loop.open_workload(toy())
        loop.wait_for_slots(3)
        loop.run_coroutine(want(engine, 1))
        loop.serve_until(lambda events: len(open_slots(events)) == 1)
        assert {event.reason for event in only(SlotLost, loop.events)} == {"its host had nothing to do"}
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))
        loop.run_coroutine(want(engine, 3))
        loop.serve_until(lambda events: len(open_slots(events)) == 3)
        loop.run_coroutine(want(engine, 0))
        loop.serve_until(lambda events: not open_slots(events))


class LookedAt(LocalCluster):
    """Counts how often somebody asks for its nodes."""

    looks = 0

    async def nodes(self) -> list[ClusterNode]:
        self.looks += 1
        return await super().nodes()


@pytest.mark.slow
def test_nodes_are_looked_at_at_once_when_slots_do_not_suffice_any_more_and_not_each_time_that_they_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_hosts, "_LOOK_FOR_NODES_S", 600.0)
    cluster = LookedAt(2, workers=1)
    engine = HostedEngine(cluster)
    with ControlLoop(engine, str(tmp_path)) as loop:
        loop.run_coroutine(want(engine, 1))
        loop.open_workload(toy())
        loop.wait_for_slots(1)
        seen = cluster.looks
        loop.run_coroutine(want(engine, 2))
        loop.serve_until(lambda events: len(open_slots(events)) == 2)
        assert cluster.looks == seen + 1
        for wanted in (9, 8, 7, 2, 1, 3, 4):  # two do not suffice for 9, nor for 3, after they did
            loop.run_coroutine(want(engine, wanted))
            loop.run(toy().workload, lane(stage(1, 0, 1)))
        assert cluster.looks == seen + 3


@pytest.mark.slow
def test_a_host_that_has_work_stays_though_nothing_more_is_wanted(tmp_path: Path) -> None:
    engine = HostedEngine(LocalCluster(2, workers=1), idle_release_s=0.0)
    with ControlLoop(engine, str(tmp_path)) as loop:
        spec = ship(GatedTrainer, {"gate": str(tmp_path / "gate")}, seed=0, evaluate_every=1, workload_key="gated")
        loop.open_workload(spec)
        loop.wait_for_slots(2)
        lease = loop.submit("gated", lane(stage(1, 0, 3)))
        loop.run_coroutine(want(engine, 0))
        loop.serve_until(lambda events: len(open_slots(events)) == 1)
        (tmp_path / "gate").touch()
        assert [event.step for event in only(StepDone, loop.finish(lease))] == [1, 2, 3]


@pytest.mark.slow
def test_a_study_that_has_work_for_one_worker_takes_one_node(tmp_path: Path) -> None:
    wide, narrow = LocalCluster(3, workers=1), LocalCluster(3, workers=1)
    tuned(tmp_path, HostedEngine(wide), "wide")
    assert len(wide.begun) > 1
    study = hippo.create_study(
        "one", trainer=ToyTrainer, storage=f"sqlite:///{tmp_path}/one.db", checkpoints=str(tmp_path / "one"),
        engine=HostedEngine(narrow), metric="loss", mode="min",
    )  # fmt: skip
    study.evaluate({"lr": 0.1, "momentum": 0.0}, until=3)
    study.close()
    assert narrow.begun == ["host-1"]


@pytest.mark.slow
def test_a_node_that_is_about_to_be_taken_away_is_emptied_at_once(tmp_path: Path) -> None:
    cluster = LocalCluster(2, workers=1)
    with opened(tmp_path, cluster) as loop:
        (leaving,) = [slot for slot in loop.wait_for_slots(2) if slot.startswith("host-1/")]
        cluster.announce_end(0)
        loop.serve_until(lambda events: only(SlotLost, events))
        told = [event for event in loop.events if isinstance(event, SlotLeaving | SlotLost)]
        reason = "node here-0 is about to be taken away"
        assert told == [
            SlotLeaving(slot=leaving, reason=reason),
            SlotLost(slot=leaving, reason=reason, announced=True),
        ]
        assert cluster.begun == ["host-1", "host-2"]


@pytest.mark.slow
def test_a_slot_that_is_about_to_be_taken_away_stays_as_long_as_it_has_work(tmp_path: Path) -> None:
    cluster = LosableCluster(2, workers=1)
    with ControlLoop(HostedEngine(cluster), str(tmp_path)) as loop:
        spec = ship(GatedTrainer, {"gate": str(tmp_path / "gate")}, seed=0, evaluate_every=1, workload_key="gated")
        loop.open_workload(spec)
        slots = {slot.partition("/")[0]: slot for slot in loop.wait_for_slots(2)}
        leases = {
            host: loop.submit("gated", lane(stage(number, 0, 3)), slot=slot)
            for number, (host, slot) in enumerate(slots.items(), start=1)
        }
        cluster.announce_end(0)
        cluster.announce_end(1)
        loop.serve_until(lambda events: len(only(SlotLeaving, events)) == 2)
        cluster.lose("host-2")  # sooner than was announced
        loop.serve_until(lambda events: only(SlotLost, events))
        assert [(lost.slot, lost.announced) for lost in only(SlotLost, loop.events)] == [(slots["host-2"], True)]
        (tmp_path / "gate").touch()
        loop.serve_until(lambda events: len(only(SlotLost, events)) == 2)
        assert [event.step for event in only(StepDone, loop.events) if event.lease == leases["host-1"]] == [1, 2, 3]
        assert cluster.begun == ["host-1", "host-2"]


class SilentFirst(LocalCluster):
    """Others have what its first node's host was asked for."""

    def open_host(self, node: ClusterNode, *, name: str, checkpoints: Any) -> Any:
        host = super().open_host(node, name=name, checkpoints=checkpoints)
        if node.id == "node-0":
            host.call = lambda *_: asyncio.Event().wait()  # type: ignore[method-assign]
        return host


@pytest.mark.slow
def test_a_node_whose_host_does_not_come_is_not_waited_for_if_there_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_book, "_SOON_S", 0.2)
    engine = HostedEngine(SilentFirst(2, workers=1))
    with ControlLoop(engine, str(tmp_path)) as loop:
        loop.run_coroutine(want(engine, 1))
        loop.open_workload(toy())
        (slot,) = loop.wait_for_slots(1)
        assert slot.startswith("host-2/")


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


@pytest.mark.slow
def test_a_study_loses_a_node_that_was_announced_and_no_step_with_it(tmp_path: Path) -> None:
    cluster = LocalCluster(2, workers=1)

    class Announcing(hippo.Callback):
        def on_step(self, event: Any) -> None:
            if event.step == 3:
                cluster.announce_end(0)

    study = hippo.create_study(
        "spot", trainer=ToyTrainer, trainer_args={"sleep_s": 0.1}, callbacks=[Announcing()],
        storage=f"sqlite:///{tmp_path}/spot.db", checkpoints=str(tmp_path / "spot"),
        engine=HostedEngine(cluster), metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=30))
    assert study.statistics().steps_repeated == 0
    assert study.statistics().steps_executed == 60
    study.close()
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 2


def set_environment(folder: Path, name: str, **fields: str) -> None:
    """Have a plan remember that it was trained elsewhere."""
    with contextlib.closing(sqlite3.connect(folder / f"{name}.db")) as database:
        ((recorded,),) = database.execute("select environment from hippo_plan").fetchall()
        database.execute("update hippo_plan set environment = ?", [json.dumps(json.loads(recorded) | fields)])
        database.commit()


@pytest.mark.slow
def test_the_first_slot_says_the_environment_and_the_next_study_is_compared_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eligibility, "PATIENCE_S", 0.5)
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
