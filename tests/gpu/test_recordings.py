"""Updates of lanes that are recorded on a CUDA device have the bits of those whose kernels are launched one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import hippo
from hippo.testing.formations import HERE, ConfigFormation, SoloConfig, configs
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.recurrent_lanes import RecurrentTrainer
from hippo.training.codec import decode
from hippo.training.fusion.recorded_loss import COMPARISONS, UPDATES_BEFORE, LossRecorder, RecordedLoss
from hippo.training.recording_experience import RecordingExperience, RecordingListener

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*performance drop")]


class OnDevice(RecurrentTrainer):
    """A small network on the device, of 24 updates in a step."""

    device = "cuda"

    def __init__(self, net: str = "mlp", optimizer: str = "sgd", **options: Any) -> None:
        super().__init__(net, optimizer, size=192, **options)


class Launches:
    """Counts how often losses of lanes are computed kernel by kernel."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from hippo.training.fusion.fused_loss import FusedLoss

        self.count = 0
        losses = FusedLoss.losses

        def counted(loss: FusedLoss, batch: Any) -> Tensor:
            self.count += 1
            return losses(loss, batch)

        monkeypatch.setattr(FusedLoss, "losses", counted)


def both(trainer: NetTrainer, num_lanes: int = 4) -> tuple[ConfigFormation, ConfigFormation, list[str]]:
    told: list[str] = []
    recorder = LossRecorder(RecordingExperience(), RecordingListener(told.append, told.append))
    lanes = configs(num_lanes)
    return ConfigFormation(trainer, lanes, recorder=recorder), ConfigFormation(trainer, lanes), told


def both_alone(trainer: NetTrainer) -> tuple[SoloConfig, SoloConfig, list[str]]:
    told: list[str] = []
    recorded, plain = (SoloConfig(trainer, configs(1)[0]) for _ in range(2))
    recorded.walker.record(RecordingExperience(), RecordingListener(told.append, told.append), is_asked=True)
    return recorded, plain, told


class Plays:
    """Counts how often a recording is launched."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        played = RecordedLoss._played

        def counted(loss: RecordedLoss, batch: Any) -> Tensor:
            self.count += 1
            return played(loss, batch)

        monkeypatch.setattr(RecordedLoss, "_played", counted)


def require_equal(one: ConfigFormation, other: ConfigFormation) -> None:
    for mine, its in zip(one.states(), other.states(), strict=True):
        for name, tensor in decode(its)["model"].items():
            assert torch.equal(decode(mine)["model"][name], tensor), name


@pytest.mark.parametrize("optimizer", ["sgd", "adamw", "groups"])
@pytest.mark.parametrize("net", ["mlp", "cnn", "gru", "lstm"])  # two with dropout, one with batch norm and noise
def test_recorded_updates_have_the_bits_of_those_that_are_launched_one_by_one(
    net: str, optimizer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded, plain, told = both(OnDevice(net, optimizer))
    launches = Launches(monkeypatch)
    for _ in range(3):
        assert recorded.train() == plain.train()
    require_equal(recorded, plain)
    assert told == []
    # 72 of `plain`, and those before it was recorded, as it was recorded, and as it was compared
    assert launches.count <= 72 + 8 + UPDATES_BEFORE
    recorded.keep([2, 0])
    plain.keep([2, 0])
    assert recorded.train(2) == plain.train(2)
    require_equal(recorded, plain)


def test_attention_that_drops_out_is_launched_one_by_one_or_recorded_with_its_bits() -> None:
    recorded, plain, _ = both(OnDevice("transformer", "adamw"))
    assert recorded.train(3) == plain.train(3)
    require_equal(recorded, plain)


class Waits(OnDevice):
    """A loss that brings a number to the device, for which Python waits."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        points, labels = batch
        return functional.cross_entropy(model(points), labels) * torch.tensor(0.5, device="cuda")


class Inquires(OnDevice):
    """A loss that asks for something that cannot be recorded."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        points, labels = batch
        torch.cuda.current_stream().synchronize()
        return functional.cross_entropy(model(points), labels)


@pytest.mark.parametrize("trainer", [Waits, Inquires])
def test_what_waits_for_the_device_is_launched_one_by_one_and_chance_goes_on(trainer: type[OnDevice]) -> None:
    recorded, plain, told = both(trainer())
    assert recorded.train(3) == plain.train(3)
    require_equal(recorded, plain)
    assert len(told) == 1
    torch.rand(3, device="cuda")


def test_a_study_says_why_kernels_are_launched_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = hippo.create_study(
        "waits", trainer=Waits, storage=f"sqlite:///{tmp_path}/waits.db", checkpoints=f"{tmp_path}/states",
        engine=hippo.InlineEngine(), numerics="fused", metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch(configs(16), until=3))
    assert {trial.state for trial in study.trials} == {hippo.TrialState.COMPLETE}
    assert "kernels of updates of" in capsys.readouterr().err
    study.close()


# ------------------------------------------------------------------------------------------------- lanes that are alone


@pytest.mark.parametrize("precision", [None, "bf16"])
@pytest.mark.parametrize("optimizer", ["sgd", "adamw", "groups"])
@pytest.mark.parametrize("net", ["mlp", "cnn", "transformer", "gru"])  # three with dropout
def test_a_lane_alone_has_its_bits_when_it_is_recorded(
    net: str, optimizer: str, precision: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = OnDevice(net, optimizer)
    trainer.precision, trainer.clip_norm = precision, 0.5
    plays = Plays(monkeypatch)
    recorded, plain, told = both_alone(trainer)
    for _ in range(3):
        assert recorded.train() == plain.train()
        assert recorded.walker.evaluate(HERE) == plain.walker.evaluate(HERE)
    one, other = decode(recorded.state()), decode(plain.state())
    assert told == []
    assert plays.count == 3 * 24 - UPDATES_BEFORE + COMPARISONS + 1  # once it was compared again
    for name, tensor in other["model"].items():
        assert torch.equal(one["model"][name], tensor), name


@pytest.mark.parametrize("trainer", [Waits, Inquires])
def test_a_lane_alone_that_waits_for_the_device_is_launched_one_by_one(trainer: type[OnDevice]) -> None:
    recorded, plain, told = both_alone(trainer())
    assert recorded.train(3) == plain.train(3)
    assert len(told) == 1
    for name, tensor in decode(plain.state())["model"].items():
        assert torch.equal(decode(recorded.state())["model"][name], tensor), name
    torch.rand(3, device="cuda")


class Factor(OnDevice):
    """A number on the CPU, which is made for each loss."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * torch.tensor(0.5)


class KeptFactor(OnDevice):
    """A number on the CPU, which is kept: a kernel has it as it was when it was recorded."""

    def make_model(self) -> nn.Module:
        self.factor = torch.tensor(0.5)
        return super().make_model()

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        return super().loss(model, batch) * self.factor


class Head(OnDevice):
    """Trains its last layer, though gradients are wanted of all."""

    def make_optimizer(self, params: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(list(params)[-2:], lr=self.hp["lr"], momentum=0.9)


class Teacher(OnDevice):
    """A network of its own, whose norm is written."""

    def make_model(self) -> nn.Module:
        self.teacher = nn.BatchNorm1d(6).cuda()
        return super().make_model()

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        with torch.no_grad():
            points = self.teacher(batch[0])
        return super().loss(model, [points, batch[1]])


@pytest.mark.parametrize(
    ("trainer", "why"),
    [
        (Factor, []),
        (Head, []),
        (KeptFactor, ["loss() reads a tensor on the device cpu, which may change"]),
        (Teacher, ["loss() writes a tensor that is no buffer of the model's"]),
    ],
)
def test_what_a_loss_reads_and_writes_elsewhere_is_seen(trainer: type[OnDevice], why: list[str]) -> None:
    recorded, plain, told = both_alone(trainer())
    assert recorded.train(3) == plain.train(3)
    assert told == why
    for name, tensor in decode(plain.state())["model"].items():
        assert torch.equal(decode(recorded.state())["model"][name], tensor), name


class Asks(OnDevice):
    """Asks for recordings in whatever numerics."""

    record_updates = True


def test_a_study_of_exact_lanes_has_the_values_that_it_has_without_recordings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays, found = Plays(monkeypatch), []
    for name, trainer in (("plain", OnDevice), ("recorded", Asks)):
        study = hippo.create_study(
            name, trainer=trainer, storage=f"sqlite:///{tmp_path}/{name}.db", checkpoints=f"{tmp_path}/{name}",
            engine=hippo.InlineEngine(), metric="loss", mode="min",
        )  # fmt: skip
        study.optimize(hippo.GridSearch(configs(4), until=4))
        found.append([trial.value for trial in study.trials])
        assert (plays.count > 0) == (name == "recorded")
        study.close()
    assert found[0] == found[1]
