"""Workers of several ranks: results that do not depend on them, and what happens when one of them ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

import hippo
from hippo.engines import LocalEngine
from hippo.engines.devices import checked_ranks, grouped_devices
from hippo.errors import EngineError, EnvironmentChangedError, HippoError
from hippo.events import CheckpointWritten, SlotLost, SlotOpened, StepDone
from hippo.records import TrainerSpec
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.torch_trainers import BlobsTrainer, ShardedBlobs
from hippo.training.code.shipping import ship

pytestmark = pytest.mark.usefixtures("warm_programs")

slow = pytest.mark.slow
StudyMaker = Callable[..., hippo.Study]


def sharded(key: str = "sharded", trainer: type[BlobsTrainer] = ShardedBlobs, **args: Any) -> TrainerSpec:
    args = {"shards": 4, **args} if issubclass(trainer, ShardedBlobs) else args
    return ship(trainer, args, seed=0, evaluate_every=1, workload_key=key)


def hashes(loop: ControlLoop) -> list[str]:
    return [event.checkpoint.state_hash for event in loop.events if isinstance(event, CheckpointWritten)]


def family(slot_pid: int) -> list[psutil.Process]:
    return psutil.Process(slot_pid).children()


def pid_of(loop: ControlLoop, slot: Any) -> int:
    return int(loop.engine.describe(slot).split()[1])


def first(kind: type) -> Callable[[Any], Any]:
    return lambda events: next((event for event in events if isinstance(event, kind)), None)


@slow
def test_states_are_the_same_in_any_number_of_processes(tmp_path: Path) -> None:
    found = []
    for ranks in (1, 2, 4):
        with ControlLoop(LocalEngine(1, ranks=ranks), str(tmp_path / str(ranks))) as loop:
            loop.open_workload(sharded())
            (slot,) = loop.wait_for_slots()
            assert len(family(pid_of(loop, slot))) == ranks - 1
            loop.run("sharded", lane(stage(1, 0, 3)))
            metrics = [event.training for event in loop.events if isinstance(event, StepDone)]
            (opened,) = [event for event in loop.events if isinstance(event, SlotOpened)]
            found.append((hashes(loop), metrics, opened.environment, loop.engine.environment()))
    assert found[0][0]
    assert found[0] == found[1] == found[2]
    assert found[0][2] == found[0][3]


@slow
def test_a_rank_that_is_killed_takes_its_worker_along_which_is_replaced(tmp_path: Path) -> None:
    with ControlLoop(LocalEngine(1, ranks=2), str(tmp_path)) as loop:
        loop.open_workload(sharded())
        (slot,) = loop.wait_for_slots()
        worker = pid_of(loop, slot)
        (peer,) = family(worker)
        loop.submit("sharded", lane(stage(1, 0, 10_000)))
        loop.serve_until(first(StepDone))
        peer.kill()
        lost = loop.serve_until(first(SlotLost))
        assert f"its rank 1 (pid {peer.pid}) was killed by signal 9" in lost.reason
        assert not psutil.pid_exists(worker)
        loop.run("sharded", lane(stage(1, 0, 1)))


@slow
def test_a_worker_whose_rank_hangs_is_given_up_with_all_its_ranks(tmp_path: Path) -> None:
    with ControlLoop(LocalEngine(1, ranks=2), str(tmp_path)) as loop:
        loop.open_workload(sharded())
        (slot,) = loop.wait_for_slots()
        (peer,) = family(pid_of(loop, slot))
        loop.submit("sharded", lane(stage(1, 0, 10_000)))
        loop.serve_until(first(StepDone))
        peer.suspend()
        loop.lose(slot, "no step in 60 s")  # as a study says that has step_timeout_s
        assert loop.serve_until(first(SlotLost)).reason == "no step in 60 s"
        assert not psutil.wait_procs([peer], timeout=30)[1]


@slow
def test_no_rank_outlives_its_worker(tmp_path: Path) -> None:
    with ControlLoop(LocalEngine(1, ranks=4), str(tmp_path)) as loop:
        loop.open_workload(sharded())
        (slot,) = loop.wait_for_slots()
        worker = pid_of(loop, slot)
        peers = family(worker)
        os.kill(worker, signal.SIGKILL)
        loop.serve_until(first(SlotLost))
        gone, alive = psutil.wait_procs(peers, timeout=30)
        assert len(gone) == 3
        assert not alive


@slow
def test_no_rank_outlives_its_study(tmp_path: Path) -> None:
    with ControlLoop(LocalEngine(1, ranks=2), str(tmp_path)) as loop:
        loop.open_workload(sharded())
        (slot,) = loop.wait_for_slots()
        loop.run("sharded", lane(stage(1, 0, 1)))
        peers = family(pid_of(loop, slot))
    assert not psutil.wait_procs(peers, timeout=30)[1]


GRID = hippo.GridSearch(hippo.GridSearchSpace({"lr": [0.1, 0.05], "batch_size": [16]}), until=2)


@slow
def test_a_study_goes_on_with_another_number_of_ranks(study_of: StudyMaker, tmp_path: Path) -> None:
    study_of(tmp_path, ShardedBlobs, LocalEngine(1, ranks=2), shards=4).optimize(GRID)
    study = study_of(tmp_path, ShardedBlobs, LocalEngine(1, ranks=4), shards=4)
    study.optimize(GRID)
    assert study.statistics().steps_executed == 4  # nothing twice
    alone = study_of(tmp_path / "alone", ShardedBlobs, LocalEngine(1), shards=4)
    alone.optimize(GRID)
    assert [dict(t.metrics) for t in alone.trials] == [dict(t.metrics) for t in study.trials]


@slow
def test_a_world_size_belongs_to_the_environment(study_of: StudyMaker, tmp_path: Path) -> None:
    study = study_of(tmp_path, BlobsTrainer, LocalEngine(1, world_size=2))
    study.optimize(GRID)
    # the same as two shards in one process, for it is what they are
    two = study_of(tmp_path / "two", ShardedBlobs, LocalEngine(1), shards=2)
    two.optimize(GRID)
    assert [dict(t.metrics) for t in two.trials] == [dict(t.metrics) for t in study.trials]
    with pytest.raises(EnvironmentChangedError, match="world_size"):
        study_of(tmp_path, BlobsTrainer, LocalEngine(1)).optimize(GRID)


@slow
@pytest.mark.parametrize(
    ("trainer", "args", "engine", "message"),
    [
        (BlobsTrainer, {}, {"ranks": 2}, "BlobsTrainer.shards = 1 cannot be divided among the engine's ranks=2"),
        (ShardedBlobs, {"shards": 2}, {"ranks": 4}, "shards = 2 cannot be .* ranks=4 processes. Set shards to 4 or"),
        (ShardedBlobs, {"shards": 6}, {"ranks": 3}, "shards = 6, but it must be a power of two"),
        (ShardedBlobs, {"shards": 4}, {"ranks": 3}, "so use ranks=2 or ranks=4, or an engine without ranks="),
        (ShardedBlobs, {"shards": 2}, {"world_size": 2}, "does not go with world_size=2"),
    ],
)
def test_a_trainer_that_ranks_do_not_suit_is_refused_before_anything_is_trained(
    study_of: StudyMaker, tmp_path: Path, trainer: type, args: Any, engine: Any, message: str
) -> None:
    study = study_of(tmp_path, trainer, LocalEngine(1, **engine), **args)
    with pytest.raises(HippoError, match=message):
        study.optimize(GRID)
    assert study.statistics().steps_executed == 0


@pytest.mark.parametrize("option", ["ranks", "world_size"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "=0 is not a number of"),
        (-1, "=-1 is not a number of"),
        (True, "=True is not a number of"),
        ("2", "='2' is not a number of"),
    ],
)
def test_ranks_are_a_number_of_processes(option: str, value: Any, message: str) -> None:
    with pytest.raises(EngineError, match=f"{option}{message}"):
        LocalEngine(1, **{option: value})


@pytest.mark.parametrize(("value", "message"), [(3, "=3: .* use 2 or 4"), (6, "=6: .* use 4 or 8")])
def test_a_world_size_is_a_power_of_two(value: int, message: str) -> None:
    with pytest.raises(EngineError, match=f"world_size{message}"):
        LocalEngine(1, world_size=value)


def test_ranks_are_said_once() -> None:
    assert checked_ranks(4, 1) == checked_ranks(1, 4) == 4
    with pytest.raises(EngineError, match="ranks=2 and world_size=2: say one"):
        LocalEngine(1, ranks=2, world_size=2)


def test_each_rank_has_a_device_of_its_own_or_there_is_no_worker() -> None:
    assert grouped_devices(["0", "1", "2", "3"], 2, option="ranks") == ("0,1", "2,3")
    with pytest.raises(EngineError, match="ranks=4: there are only 2 devices here: a, b"):
        grouped_devices(["a", "b"], 4, option="ranks")


def test_a_world_larger_than_its_devices_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.engines.local.like_devices", lambda: ("GPU-a",))
    with pytest.raises(EngineError, match="world_size=2: there are only 1 devices here: GPU-a"):
        LocalEngine(world_size=2).environment()
