"""Studies whose trainers are divided among ranks: other ranks each time, killed ones, and what is refused."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

import hippo
from hippo.engines import LocalEngine
from hippo.errors import HippoError, OptionError, TrainerError
from hippo.events import SlotLost, StageFailed, StepDone
from hippo.plan import StepRow
from hippo.plan.opening import opened_store
from hippo.records import TrainerSpec
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.torch_trainers import BlobsTrainer, ShardedBlobs
from hippo.testing.trainers import ToyTrainer
from hippo.training.code.shipping import ship

pytestmark = pytest.mark.usefixtures("warm_programs")

slow = pytest.mark.slow
StudyMaker = Callable[..., hippo.Study]
GRID = hippo.GridSearchSpace({"lr": [0.1, 0.05], "batch_size": [16]})


class PlainBlobs(BlobsTrainer):
    """Without what makes small batches differ from large ones."""

    def __init__(self) -> None:
        super().__init__(dropout=0.0, batch_norm=False)


class OwnEvaluation(PlainBlobs):
    def evaluate(self) -> dict[str, Any]:
        return {"loss": 0.0}


@slow
def test_a_trial_is_reproduced_alone_and_says_that_ranks_come_to_other_bits(
    study_of: StudyMaker, tmp_path: Path
) -> None:
    for ranks, until in ((2, 1), (1, 2)):
        study = study_of(tmp_path, PlainBlobs, LocalEngine(1, ranks=ranks), numerics="elastic")
        study.optimize(hippo.GridSearch(GRID, until=until))
    found = study.reproduce(2)
    (cause,) = found.causes
    assert "divided among 1, 2 ranks" in cause
    assert cause in str(found)
    assert "hippo check" not in str(found)
    alone = study_of(tmp_path / "alone", PlainBlobs, LocalEngine(1), numerics="elastic")
    alone.optimize(hippo.GridSearch(GRID, until=2))
    found = alone.reproduce(0)
    assert found.is_equal, str(found)
    assert not found.causes


def losses(study: hippo.Study) -> list[dict[int, float]]:
    return [{step: metrics["loss"] for step, metrics in trial.history.items()} for trial in study.trials]


@slow
def test_a_study_goes_on_with_other_ranks_each_time(study_of: StudyMaker, tmp_path: Path) -> None:
    for ranks, until in ((3, 1), (1, 2), (4, 3)):
        study = study_of(tmp_path, PlainBlobs, LocalEngine(1, ranks=ranks), numerics="elastic")
        study.optimize(hippo.GridSearch(GRID, until=until))
    assert study.statistics().steps_executed == 6  # nothing twice
    assert study.statistics().steps_checked == 0  # nothing is proven
    alone = study_of(tmp_path, PlainBlobs, LocalEngine(1), numerics="exact")
    alone.optimize(hippo.GridSearch(GRID, until=3))
    assert alone.statistics().steps_executed == 6  # other numerics, other plans: none of these was known
    for found, wanted in zip(losses(study)[-2:], losses(alone), strict=True):
        assert found == pytest.approx(wanted, rel=1e-3)  # float32, sums in another order, three epochs


class KilledOnce(PlainBlobs):
    """Rank 1 is killed in the middle of a pass that all ranks make together, the first time.

    Args:
      mark: a file that says that it was.
    """

    def __init__(self, *, mark: str) -> None:
        super().__init__()
        self.mark = mark

    def loss(self, model: Any, batch: Any) -> Any:
        loss = super().loss(model, batch)
        is_third = self.model.training and self.hp["lr"] == 0.05
        if is_third and torch.distributed.is_initialized() and torch.distributed.get_rank() == 1:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
        return loss


@slow
def test_a_study_goes_on_after_a_rank_was_killed_in_the_middle_of_a_batch(study_of: StudyMaker, tmp_path: Path) -> None:
    study = study_of(tmp_path, KilledOnce, LocalEngine(1, ranks=2), numerics="elastic", mark=str(tmp_path / "mark"))
    study.optimize(hippo.GridSearch(GRID, until=3))
    assert (tmp_path / "mark").exists()
    assert [trial.state.name for trial in study.trials] == ["COMPLETE", "COMPLETE"]
    alone = study_of(tmp_path, PlainBlobs, LocalEngine(1), numerics="exact")
    alone.optimize(hippo.GridSearch(GRID, until=3))
    for found, wanted in zip(losses(study), losses(alone), strict=True):
        assert found == pytest.approx(wanted, rel=1e-3)


def spec(trainer: type = BlobsTrainer) -> TrainerSpec:
    return ship(trainer, {}, seed=0, evaluate_every=1, workload_key="elastic", numerics="elastic")


@slow
def test_a_killed_rank_takes_its_worker_along_and_the_lane_goes_on_from_its_state(tmp_path: Path) -> None:
    with ControlLoop(LocalEngine(1, ranks=2), str(tmp_path)) as loop:
        loop.open_workload(spec())
        (slot,) = loop.wait_for_slots()
        worker = int(loop.engine.describe(slot).split()[1])
        (peer,) = psutil.Process(worker).children()
        loop.submit("elastic", lane(stage(1, 0, 10_000)))
        loop.serve_until(lambda events: next((e for e in events if isinstance(e, StepDone) and e.step == 2), None))
        peer.kill()
        lost = loop.serve_until(lambda events: next((e for e in events if isinstance(e, SlotLost)), None))
        assert f"its rank 1 (pid {peer.pid}) was killed by signal 9" in lost.reason
        assert not [event for event in loop.events if isinstance(event, StageFailed)]  # nobody blames the trial
        loop.run("elastic", lane(stage(1, 0, 1)))
        assert {event.ranks for event in loop.events if isinstance(event, StepDone)} == {2}


@slow
def test_each_step_says_among_how_many_ranks_it_was_trained(study_of: StudyMaker, tmp_path: Path) -> None:
    for ranks, until in ((2, 1), (1, 2)):
        study = study_of(tmp_path, PlainBlobs, LocalEngine(1, ranks=ranks), numerics="elastic")
        study.optimize(hippo.GridSearch(GRID, until=until))
    with opened_store(f"sqlite:///{tmp_path}/hippo.db") as store, store.reading() as rows:
        kinds = sorted((row.step, row.cause) for row in rows.rows(StepRow))
    assert kinds == [(1, "first /2"), (1, "first /2"), (2, "first"), (2, "first")]
    assert study.statistics().steps_executed == 4


def test_trainers_of_other_kinds_are_refused_when_the_study_is_made(study_of: StudyMaker, tmp_path: Path) -> None:
    with pytest.raises(TrainerError, match=r"but ToyTrainer is no hippo\.TorchTrainer: hippo sees no model in it"):
        study_of(tmp_path, ToyTrainer, LocalEngine(1, ranks=2), numerics="elastic")
    with pytest.raises(TrainerError, match=r"OwnEvaluation.evaluate\(\) goes through the validation set itself"):
        study_of(tmp_path, OwnEvaluation, LocalEngine(1), numerics="elastic")


@pytest.mark.parametrize("option", ["twin", "compile"])
def test_options_of_fused_lanes_do_not_go_with_ranks(option: str) -> None:
    with pytest.raises(OptionError, match="numerics='elastic'"):
        hippo.create_study(
            "x", trainer=PlainBlobs, storage="memory://", metric="loss", numerics="elastic", **{option: True}
        )


def test_nothing_is_promised_that_a_check_could_compare() -> None:
    with pytest.raises(OptionError, match="bits depend on the number of processes"):
        hippo.check_trainer(PlainBlobs, {"lr": 0.1}, numerics="elastic")


@slow
@pytest.mark.parametrize(
    ("trainer", "args", "engine", "message"),
    [
        (PlainBlobs, {}, {"world_size": 2}, "numerics='elastic' does not go with world_size=2"),
        (ShardedBlobs, {"shards": 2}, {"ranks": 2}, "shards = 2 cuts batches for numerics='exact'"),
    ],
)
def test_what_cannot_be_divided_is_refused_before_anything_is_trained(
    study_of: StudyMaker, tmp_path: Path, trainer: type, args: Any, engine: Any, message: str
) -> None:
    study = study_of(tmp_path, trainer, LocalEngine(1, **engine), numerics="elastic", **args)
    with pytest.raises(HippoError, match=message):
        study.optimize(hippo.GridSearch(GRID, until=1))
    assert study.statistics().steps_executed == 0
