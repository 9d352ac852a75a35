"""What is promised of CUDA devices, on one."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import hippo
from hippo.errors import TrialFailedError
from hippo.events import ExactnessChecked
from hippo.hparams import Exponential, MultiStep, Piecewise
from hippo.records import Lane
from hippo.testing.remembering_host import RememberingHost, along, resumed, run_lanes, spec_of, stages, start_at
from hippo.testing.torch_trainers import Blobs, BlobsTrainer, DrawingTrainer
from hippo.training import Trainers
from hippo.training.process.environment import describe_environment

pytestmark = pytest.mark.slow
STEPS = 5
CONFIG = {"lr": MultiStep(0.05, [2], 0.5), "optimizer": Piecewise(["sgd", "adamw"], [3]), "batch_size": 12}


class OnDevice(BlobsTrainer):
    """Draws its initial weights on the device, and trains with dropout there."""

    device = "cuda"

    def make_model(self) -> nn.Module:
        with torch.device("cuda"):
            return super().make_model()


class Images(BlobsTrainer):
    """Pools in a way that has no deterministic form on CUDA."""

    device = "cuda"

    def loss(self, model: nn.Module, batch: Any) -> torch.Tensor:
        points, labels = batch
        logits = model(points)
        pooled = nn.functional.adaptive_max_pool2d(logits[:, None, :, None].expand(-1, 1, -1, 3), 2)
        return nn.functional.cross_entropy(logits, labels) + 0.1 * pooled.square().mean()

    def train_set(self) -> Any:
        return Blobs(self.size, 0)


def in_process(script: str, folder: Path) -> str:
    """Run a script in a process in which CUDA is not under way, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, cwd=folder, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# -------------------------------------------------------------------------------------------------------- bit for bit


@pytest.mark.parametrize("trainer", [OnDevice, DrawingTrainer])
@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_solo_equals_resumed_equals_a_dirty_worker(trainer: type[BlobsTrainer], cut: int) -> None:
    spec, dirty = spec_of(trainer), Trainers()
    whole = along(CONFIG, STEPS, spec=spec)
    along({"lr": 0.5}, 2, spec=spec, trainers=dirty)
    for trainers in (Trainers(), dirty):
        first = along(CONFIG, cut, spec=spec, trainers=trainers)
        torch.randn(7, device="cuda")
        rest = resumed(CONFIG, cut, STEPS, first, spec=spec, trainers=trainers)
        assert first.metrics | rest.metrics == whole.metrics
        assert first.training | rest.training == whole.training
        assert rest.hashes[STEPS] == whole.hashes[STEPS]


def test_the_checks_prove_it() -> None:
    lane = Lane(begin=None, stages=stages(CONFIG, 0, STEPS), check=True)
    verdicts = run_lanes(lane, spec=spec_of(OnDevice)).of(ExactnessChecked)
    assert [(verdict.proven, verdict.detail) for verdict in verdicts] == [(True, "")] * 2


def test_every_trial_on_worker_processes_equals_its_solo_run(tmp_path: Path) -> None:
    configs = [CONFIG, {**CONFIG, "lr": Exponential(0.05, 0.9)}, {**CONFIG, "lr": MultiStep(0.05, [2, 4], 0.5)}]
    study = hippo.create_study(
        "gpu", trainer=OnDevice, storage=f"sqlite:///{tmp_path}/gpu.db", checkpoints=str(tmp_path / "states"),
        engine=hippo.LocalEngine(workers=2), metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch(configs, until=STEPS))
    assert study.statistics().steps_repeated == 0
    for trial in study.trials:
        assert dict(trial.history) == along(trial.config, STEPS, spec=spec_of(OnDevice)).metrics
    study.close()


# --------------------------------------------------------------------------------------------------------------- chance

SEEDS = """
    import torch
    from hippo.training.process.streams import fence, seed_everything

    assert not torch.cuda.is_initialized()
    seed_everything(0, "build", 0)
    with fence():
        seed_everything(0, "val_set", 0)
        {inside}
    first = torch.rand(3, device="cuda")
    seed_everything(0, "build", 0)
    assert torch.equal(first, torch.rand(3, device="cuda"))
    print("equal")
"""


@pytest.mark.parametrize("inside", ["pass", "torch.rand(2, device='cuda')"])
def test_a_device_that_starts_after_the_first_seed_draws_what_a_running_one_would(tmp_path: Path, inside: str) -> None:
    assert in_process(SEEDS.format(inside=inside), tmp_path).strip() == "equal"


# --------------------------------------------------------------------------------------------------------- environment


def test_an_environment_is_told_alike_before_and_while_cuda_is_under_way(tmp_path: Path) -> None:
    script = """
        import torch, hippo
        from hippo.training.process import environment
        engine = hippo.InlineEngine()
        before = dict(engine.environment())
        torch.zeros(1, device="cuda")
        environment._gpu_model.cache_clear()
        assert dict(hippo.InlineEngine().environment()) == before, (before, hippo.InlineEngine().environment())
        print(before["device"])
    """
    assert in_process(script, tmp_path).strip() == torch.cuda.get_device_name(0)
    torch.zeros(1, device="cuda")
    assert describe_environment(1, "cuda")["device"] == torch.cuda.get_device_name(0)


# ------------------------------------------------------------------------------------------------------------ numerics


@pytest.fixture
def make_study() -> Iterator[Callable[..., hippo.Study]]:
    studies: list[hippo.Study] = []

    def make(**options: Any) -> hippo.Study:
        studies.append(
            hippo.create_study(
                "images", trainer=Images, storage="memory://images", engine=hippo.InlineEngine(), **options
            )
        )
        return studies[-1]

    yield make
    for study in studies:
        study.close()


def test_adaptive_max_pooling_cannot_be_trained_exactly(make_study: Callable[..., hippo.Study]) -> None:
    study = make_study()
    with pytest.raises(TrialFailedError, match="deterministic"):
        study.optimize(hippo.GridSearch([CONFIG], until=3))
    assert study.trials[0].state is hippo.TrialState.FAIL


@pytest.mark.filterwarnings("ignore:two runs of one step differ")
def test_adaptive_max_pooling_can_be_trained_fast(make_study: Callable[..., hippo.Study]) -> None:
    study = make_study(numerics="fast")
    study.optimize(hippo.GridSearch([CONFIG, {**CONFIG, "lr": MultiStep(0.05, [2, 4], 0.5)}], until=STEPS))
    assert {trial.state for trial in study.trials} == {hippo.TrialState.COMPLETE}


class BesideFixed(nn.Module):
    """A model with a large layer that nobody trains."""

    def __init__(self, trained: nn.Module) -> None:
        super().__init__()
        self.trained = trained
        self.fixed = nn.Linear(160, 160).requires_grad_(False)

    def forward(self, points: torch.Tensor) -> Any:
        return self.trained(points) + self.fixed.bias[:3]


class Fixed(OnDevice):
    """Has a large layer that nobody trains, on the device."""

    def make_model(self) -> nn.Module:
        with torch.device("cuda"):
            return BesideFixed(super().make_model())


def test_a_state_on_a_device_leaves_out_what_nobody_trained_and_goes_on() -> None:
    whole = along(CONFIG, STEPS, spec=spec_of(Fixed), checkpoint_every_s=0.0)
    assert [key for key in sorted(whole.checkpoints.keys()) if "base-" in key]
    assert whole.checkpoint(2).size_bytes < 4 * 160 * 160
    assert resumed(CONFIG, 2, STEPS, whole, spec=spec_of(Fixed)).hashes[STEPS] == whole.hashes[STEPS]


# -------------------------------------------------------------------------------------------- trainers that stand there


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_a_fork_loads_into_the_trainer_that_stands_there_and_changes_no_bit(
    optimizer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    make = OnDevice.make_model

    def counted(trainer: OnDevice) -> nn.Module:
        made.append(1)
        return make(trainer)

    monkeypatch.setattr(OnDevice, "make_model", counted)
    torch.optim.SGD([torch.zeros(1)], lr=0.0)  # the first one loads the compiler, which changes settings
    spec, trainers, host = spec_of(OnDevice, optimizer=optimizer), Trainers(), RememberingHost()

    def walk(config: dict[str, Any], start: int, until: int) -> RememberingHost:
        begin = start_at(config, start, host.checkpoint(start)) if start else None
        lane = Lane(begin=begin, stages=stages(config, start, until))
        return run_lanes(lane, spec=spec, host=host, trainers=trainers, lease=len(host.events) + 1)

    forks = [{"lr": MultiStep(0.1, [2], factor)} for factor in (0.5, 0.2)]
    walk({"lr": 0.1}, 0, 2)
    made.clear()
    for config in forks:
        walk(config, 2, 4)
    assert made == []
    whole = along(forks[-1], 4, spec=spec)
    assert host.hashes[4] == whole.hashes[4]
    assert host.metrics[4] == whole.metrics[4]
