"""Which trainers' lanes are not walked as one, as far as their classes tell."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from hippo.testing.torch_trainers import BlobsTrainer
from hippo.testing.trainers import ToyTrainer
from hippo.training.fusion.refusals import LanesDifferIn, refusal_of


def test_a_plain_trainer_is_not_refused() -> None:
    assert refusal_of(BlobsTrainer()) is None


def test_a_trainer_of_the_general_form_is_refused() -> None:
    said = refusal_of(ToyTrainer())

    assert said is not None
    assert "hippo.TorchTrainer" in said


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("build", "make_model"),
        ("train", "samples_per_step"),
        ("batches_of_step", "sampler"),
        ("train_on_batch", "loss()"),
        ("update", "clip_norm"),
        ("descend", "one optimizer"),
        ("evaluate", "metrics()"),
        ("state_dict", "buffers"),
        ("load_state_dict", "buffers"),
        ("evaluated_model", "ema_decay"),
    ],
)
def test_a_trainer_with_a_way_of_its_own_is_told_what_to_do_instead(method: str, says: str) -> None:
    own = type("Own", (BlobsTrainer,), {method: lambda self, *_: None})
    said = refusal_of(own())

    assert said is not None
    assert f"Own overrides {method}()" in said
    assert says in said
    assert "\n" not in said


def test_setup_is_the_users() -> None:
    class Applies(BlobsTrainer):
        def setup(self, hp: Any) -> None:
            self.seen = dict(hp)

    assert refusal_of(Applies()) is None


def test_scaled_losses_are_refused_and_half_precision_without_is_not() -> None:
    trainer = BlobsTrainer()
    trainer.precision = "bf16"
    assert refusal_of(trainer) is None

    trainer.precision = "fp16"
    assert "'fp16'" in str(refusal_of(trainer))


def test_a_scheduler_of_torchs_is_refused() -> None:
    trainer = BlobsTrainer()
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)
    trainer.decay = torch.optim.lr_scheduler.StepLR(optimizer, 1)  # type: ignore[attr-defined]

    assert "self.decay" in str(refusal_of(trainer))


def test_names_in_which_lanes_differ_are_told_in_order() -> None:
    error = LanesDifferIn({"width", "depth"})

    assert error.names == ("depth", "width")
    assert "'depth', 'width'" in str(error)
