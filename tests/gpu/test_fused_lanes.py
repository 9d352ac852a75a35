"""Lanes that are walked as one on a CUDA device come to what each comes to alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import hippo
from hippo.records import Point
from hippo.testing.formations import HERE, ConfigFormation, SoloConfig, configs, weights
from hippo.testing.kinds_of_chance import KINDS, LAYOUTS, apart
from hippo.testing.recurrent_lanes import RecurrentTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.training.fusion.check import decide

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*performance drop")]


class OnDevice(RecurrentTrainer):
    """A small network on the device."""

    device = "cuda"


# --------------------------------------------------------------------------------------------------------------- chance


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_lane_draws_on_a_device_what_it_would_alone(kind: str, layout: str) -> None:
    with torch.device("cuda"):
        assert apart(lambda x: KINDS[kind](LAYOUTS[layout](x))) < 1e-5


@pytest.mark.parametrize("precision", [torch.float16, torch.bfloat16])
def test_dropout_of_half_precision_has_the_bits_that_it_has_alone(precision: torch.dtype) -> None:
    with torch.device("cuda"):
        assert apart(lambda x: functional.dropout(x.to(precision), 0.3)) == 0


# ------------------------------------------------------------------------------------------------------ fused and alone


@pytest.mark.parametrize("num_lanes", [2, 16])
@pytest.mark.parametrize("optimizer", ["sgd", "adamw", "groups"])
@pytest.mark.parametrize("net", ["mlp", "cnn", "transformer"])
def test_sixty_updates_as_one_come_to_what_each_lane_comes_to_alone(net: str, optimizer: str, num_lanes: int) -> None:
    trainer, lanes = OnDevice(net, optimizer, double=True), configs(num_lanes)
    together = ConfigFormation(trainer, lanes)
    metrics = together.train(steps=10)
    for lane in (num_lanes // 2, num_lanes - 1):
        alone = SoloConfig(trainer, lanes[lane])
        assert alone.train(steps=10) == pytest.approx(metrics[lane], rel=1e-9)
        expected = weights(alone.state())
        assert float((weights(together.states()[lane]) - expected).norm() / expected.norm()) <= 1e-9  # float64


@pytest.mark.parametrize("net", ["mlp", "cnn", "transformer", "gru", "lstm"])
def test_lanes_are_found_to_be_right_and_worth_it(net: str) -> None:
    fusion, _ = decide(
        OnDevice(net, "adamw", width=64, size=64),
        step=0, pieces=pieces_at(configs(1)[0], 0), state=None, goal=Point(HERE, 1), numerics="fused",
    )  # fmt: skip
    assert fusion.is_fused, fusion.detail


def test_a_lane_that_comes_to_nothing_leaves_its_neighbour_what_it_is() -> None:
    trainer = OnDevice(double=True)
    together = ConfigFormation(trainer, [{"lr": 0.1}, {"lr": 1e300}])
    together.train(steps=2)
    alone = SoloConfig(trainer, {"lr": 0.1})
    alone.train(steps=2)
    assert float((weights(together.states()[0]) - weights(alone.state())).norm()) <= 1e-9
    assert not bool(weights(together.states()[1]).isfinite().all())


# -------------------------------------------------------------------------------------------------------------- studies


class Counted(OnDevice):
    """Needs 64 MiB for each lane, beside what it trains."""

    def loss(self, model: nn.Module, batch: Any) -> Tensor:
        samples, labels = batch
        scores = model(samples)
        large = scores.mean() * torch.ones(8 << 20, device="cuda")
        return functional.cross_entropy(scores, labels) + 0 * large.exp().mean()


@pytest.fixture
def little_memory() -> Iterator[None]:
    """A device with 1.5 GiB for this process."""
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(1.5 * 2**30 / torch.cuda.get_device_properties(0).total_memory)
    yield
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch.cuda.empty_cache()


def searched(trainer: type, folder: Path, numerics: str, num_lanes: int, **arguments: Any) -> hippo.Study:
    study = hippo.create_study(
        numerics, trainer=trainer, trainer_args=arguments, storage=f"sqlite:///{folder}/{numerics}.db",
        checkpoints=f"{folder}/states", engine=hippo.InlineEngine(max_lanes=num_lanes), numerics=numerics,
        metric="loss", mode="min",
    )  # fmt: skip
    study.optimize(hippo.GridSearch([{"lr": 0.01 * 1.1**lane} for lane in range(num_lanes)], until=4))
    return study


@pytest.mark.parametrize("net", ["mlp", "cnn", "transformer", "gru"])
def test_a_study_of_lanes_comes_to_what_it_comes_to_one_by_one(
    net: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fused, exact = (searched(OnDevice, tmp_path, numerics, 16, net=net) for numerics in ("fused", "exact"))
    assert fused.statistics().mean_lanes > 8
    for one, other in zip(fused.trials, exact.trials, strict=True):
        assert one.history[4] == pytest.approx(other.history[4], rel=1e-3)
    # on a GPU they depend on the company, and it is said
    assert "last bits of a trial's results may depend" in capsys.readouterr().err
    fused.close()
    exact.close()


def test_lanes_that_are_too_many_for_the_device_are_walked_in_smaller_groups(
    tmp_path: Path, little_memory: None
) -> None:
    study = searched(Counted, tmp_path, "fused", 32)
    assert {trial.state for trial in study.trials} == {hippo.TrialState.COMPLETE}
    assert 1 < study.statistics().mean_lanes < 32
    study.close()
