"""Workers of a parameter server as actors on the nodes of a Ray cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import GangLostError, TrainerError
from hippo.ps import ClockGradients, ClockShare
from hippo.ps.gang import Gang
from hippo.ps.ray_transport import RayTransport
from hippo.ps.ray_worker import WorkerActor
from hippo.ps.transport import AbstractTransport
from hippo.testing.ps_trainers import NoisyServer, built_server, same_tables
from hippo.testing.transport_contract import TransportContract
from hippo.training import telling

ray = pytest.importorskip("ray")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MakeStudy = Callable[..., hippo.Study]
SPACE = [{"lr": 0.1, "staleness": 3}, {"lr": hippo.Piecewise([0.1, 0.02], [4]), "staleness": 3}]


@pytest.fixture(scope="module")
def nodes(ray_nodes: Callable[..., AbstractContextManager[Any]]) -> Iterator[Any]:
    """A Ray cluster of a head without CPUs, and of two nodes with three each."""
    with ray_nodes(num_cpus=3) as cluster:
        yield cluster


class RayServer(NoisyServer):
    """Its workers are actors of the cluster that RAY_ADDRESS names."""

    def make_transport(self) -> AbstractTransport:
        return RayTransport(cpus_per_worker=0.5)


class PlacedServer(RayServer):
    """Says as its loss on which node a worker is."""

    def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
        node = int(ray.get_runtime_context().get_node_id()[:8], 16) % 1000
        return ClockGradients(loss=float(node), samples=1, tables={})


@pytest.fixture(scope="class")
def gangs(nodes: Any) -> Iterator[list[Gang]]:
    gangs: list[Gang] = []
    yield gangs
    for gang in gangs:
        gang.close()


@pytest.mark.usefixtures("nodes")
class TestRayTransport(TransportContract):
    lost = r"worker 1 of the parameter server, an actor of Ray, is gone: .*exit"

    def make_transport(self) -> AbstractTransport:
        return RayTransport(cpus_per_worker=0.5)

    @pytest.fixture
    def gang(self, gangs: list[Gang]) -> Gang:
        """A gang at work: the one of the test before, if it is as new, since each actor takes more than a second."""
        if not gangs or gangs[-1].is_lost or not gangs[-1].is_idle:
            gangs.append(self.make_gang())
        return gangs[-1]


def history(study: hippo.Study) -> list[dict[int, Any]]:
    return [dict(trial.history) for trial in study.trials]


@pytest.mark.parametrize("optimizer", ["sgd", "adagrad", "adarevision"])
def test_actors_come_to_the_bits_of_processes_on_shared_memory(nodes: Any, optimizer: str) -> None:
    values = {"lr": 0.05, "staleness": 3}
    arguments = {"optimizer": optimizer, "workers": 3, "clocks_per_step": 7}
    here, there = built_server(NoisyServer, values, **arguments), built_server(RayServer, values, **arguments)
    for staleness in (3, 0, 7):
        for trainer in (here, there):
            trainer.hp = type(trainer.hp)(values | {"staleness": staleness})
        assert there.train() == here.train()
    assert same_tables(there.state_dict()["tables"], here.state_dict()["tables"])


class HashedServer(NoisyServer):
    """Its gradients depend on the order of a set of strings, and on whether torch must be deterministic."""

    def gradients(self, tables: Any, share: ClockShare) -> ClockGradients:
        import torch

        factor = 1.0 if torch.are_deterministic_algorithms_enabled() else 2.0
        for word in {"alpha", "beta", "gamma", "delta", "epsilon"}:
            factor = factor / 3 + ord(word[0]) / 100
        found = super().gradients(tables, share)
        return ClockGradients(loss=factor * found.loss, samples=found.samples, tables=found.tables)


class RayHashedServer(HashedServer):
    make_transport = RayServer.make_transport


def test_actors_hash_strings_and_pin_torch_as_processes_of_one_machine_do(
    nodes: Any, make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)
    monkeypatch.setenv("RAY_RAYLET_PID", "1")  # as in a script that was sent by `ray job submit`
    here, there = (
        make_study(kind.__name__, kind, engine=hippo.LocalEngine(workers=1)) for kind in (HashedServer, RayHashedServer)
    )
    for study in (here, there):
        study.optimize(hippo.GridSearch(SPACE[:1], until=2))
    (one,), (other,) = ([dict(trial.train_metrics) for trial in study.trials] for study in (here, there))
    assert one == other
    assert not [told for told in recwarn if "RAY_CLIENT_MODE" in str(told.message)]


def test_workers_are_on_all_nodes(nodes: Any) -> None:
    trainer = built_server(PlacedServer, {"lr": 0.1}, workers=2, clocks_per_step=1)
    homes = [int(node.node_id[:8], 16) % 1000 for node in nodes.workers]
    assert trainer.train()["loss"] * 2 == sum(homes)


def test_a_study_whose_actor_is_killed_loses_steps_and_no_result(
    nodes: Any, make_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)  # a worker of hippo's connects by itself
    kill_file = tmp_path / "kill"
    arguments = {"kill_in": 3 * 5, "kill_file": str(kill_file)}  # in the sixth step
    tuner = hippo.GridSearch(SPACE, until=8)

    undisturbed = make_study("undisturbed", trainer_args=arguments, storage="memory://")
    undisturbed.optimize(tuner)
    kill_file.touch()
    killed = make_study("killed", RayServer, trainer_args=arguments, engine=hippo.LocalEngine(workers=1))
    with pytest.warns(UserWarning, match=r"worker 1 of the parameter server, an actor of Ray, is gone"):
        killed.optimize(tuner)

    assert not kill_file.exists()
    assert history(killed) == history(undisturbed)
    statistics = killed.statistics()
    assert statistics.steps_executed - statistics.steps_repeated == undisturbed.statistics().steps_executed == 12
    assert 0 < statistics.steps_repeated <= 5


def test_in_workers_of_a_ray_engine_it_is_refused(nodes: Any, make_study: MakeStudy) -> None:
    study = make_study("below", RayServer, engine=hippo.RayEngine(workers_per_node=1, most_nodes=1))
    with pytest.raises(hippo.HippoError, match=r"RayTransport cannot be used in workers of a RayEngine"):
        study.optimize(hippo.GridSearch(SPACE, until=1))


def test_a_branch_in_memory_outlives_its_gang_and_the_next_one_goes_on_from_it(nodes: Any) -> None:
    trainer = built_server(RayServer, {"lr": 0.1})
    trainer.train()
    kept = trainer._live_copy()
    ray.kill(trainer._branch.gang._transport._actors[0])
    with pytest.raises(GangLostError, match="worker 0"):
        trainer.train()

    trainer.build()
    trainer._load_live(kept)

    undisturbed = built_server(NoisyServer, {"lr": 0.1})
    undisturbed.train()
    assert trainer.train() == undisturbed.train()


def test_workers_for_whom_there_is_no_room_are_told_of_with_what_is_free(nodes: Any) -> None:
    class Greedy(NoisyServer):
        def make_transport(self) -> AbstractTransport:
            return RayTransport(cpus_per_worker=4, patience_s=2.0)

    with pytest.raises(TrainerError, match=r"did not start 2 workers .* each takes 4 CPU, and .* of 6 CPU are free"):
        built_server(Greedy, {"lr": 0.1})


def test_a_trainer_that_cannot_be_sent_is_told_of_by_the_attribute(nodes: Any) -> None:
    class Holding(RayServer):
        def __init__(self) -> None:
            super().__init__()
            self.guard = threading.Lock()

    with pytest.raises(TrainerError, match=r"Holding cannot be sent to workers elsewhere: its attribute guard"):
        built_server(Holding, {"lr": 0.1})


def test_other_versions_on_a_node_are_refused_with_both(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.ps.ray_transport.versions_here", lambda: {"Python": "3.0", "hippo": "0.0.1"})
    with pytest.raises(TrainerError, match=r"on this node, and Python 3.0 and hippo 0.0.1 where the trainer is"):
        built_server(RayServer, {"lr": 0.1})


def test_another_cluster_than_that_of_the_process_is_refused(nodes: Any) -> None:
    with pytest.raises(
        TrainerError, match=r"is connected to the Ray cluster at .*cannot use another one, at '10.1.2.3"
    ):
        RayTransport("10.1.2.3:6379")
    RayTransport(nodes.address)


def test_processors_of_several_kinds_are_told_of(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_told", set())
    monkeypatch.setattr("hippo.ps.ray_transport.processor_here", lambda: "a slide rule")
    with pytest.warns(UserWarning, match=r"on several kinds of processor \(.*a slide rule.*last bits"):
        built_server(RayServer, {"lr": 0.1})


def test_a_word_of_a_step_that_was_given_up_is_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    actor = WorkerActor()
    actor._step = 3
    assert actor.answer(2, "take") is None
    monkeypatch.setattr("hippo.ps.ray_worker._BEGIN_S", 0.01)
    with pytest.raises(GangLostError, match="step 4 did not begin here"):
        actor.answer(4, "take")


def test_without_a_cluster_it_is_told_how_to_start_one() -> None:
    program = (
        "from hippo.ps import RayTransport\nfrom hippo.errors import TrainerError\n"
        "try:\n    RayTransport('127.0.0.1:1')\nexcept TrainerError as error:\n    print(error)\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True, timeout=60
    ).stdout
    assert "there is no Ray cluster at '127.0.0.1:1'" in told
    assert "ray start --head" in told
