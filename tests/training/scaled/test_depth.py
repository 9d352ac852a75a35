"""Surrogates with fewer blocks: what blocks add, Adam's eps inside of them, and whom it is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from hippo.errors import TrainerError

from .trainers import CLASSES, FEATURES, ScaledNet, built

pytestmark = pytest.mark.usefixtures("one_thread")


class Block(nn.Module):
    """Pre-norm: adds what it makes of its normalised input."""

    def __init__(self, width: int, scale: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.grow, self.shrink = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = x + self.scale * self.shrink(self.grow(self.norm(x)).relu())
        return out


class Deep(ScaledNet):
    uses_scale = True
    blocks = 4

    def make_model(self) -> nn.Module:
        width, scale = self.scaled(128), self.residual_scale if self.uses_scale else 1.0
        blocks = [Block(width, scale) for _ in range(self.scaled_depth(self.blocks))]
        return nn.Sequential(
            nn.Linear(FEATURES, width), nn.Sequential(*blocks), nn.LayerNorm(width), nn.Linear(width, CLASSES)
        )


def test_two_blocks_for_four_add_twice_as_much_and_have_twice_the_eps() -> None:
    narrow = built(Deep("adamw"), "1/4, depth 1/2, completep", weight_decay=0.4)
    names = {id(parameter): name for name, parameter in narrow.model.named_parameters()}
    options = {names[id(p)]: group for group in narrow.optimizer.param_groups for p in group["params"]}

    assert len(narrow.model[1]) == 2
    assert narrow.model[1][0].scale == 2
    found = {name: (group["lr"], group["weight_decay"], group["eps"]) for name, group in options.items()}
    assert found["1.1.grow.weight"] == pytest.approx((0.4, 0.1, 8e-8))
    assert found["1.0.norm.weight"] == pytest.approx((0.1, 0.4, 8e-8))
    assert found["0.weight"] == pytest.approx((0.1, 0.4, 4e-8))
    assert found["2.weight"] == pytest.approx((0.1, 0.4, 4e-8))
    assert found["3.weight"] == pytest.approx((0.4, 0.1, 1e-8))


def test_the_target_adds_what_it_always_did() -> None:
    target = built(Deep("adamw"), "1")

    assert (len(target.model[1]), target.model[1][0].scale) == (4, 1)


def test_the_control_of_an_experiment_may_have_fewer_blocks_too() -> None:
    narrow = built(Deep("adamw"), "1/4, depth 1/2, standard")

    assert (len(narrow.model[1]), narrow.model[1][0].scale) == (2, 1)


class PostNorm(ScaledNet):
    def make_model(self) -> nn.Module:
        width = self.scaled(128)
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True)
        readout = nn.Linear(width, CLASSES)
        return nn.Sequential(
            nn.Linear(FEATURES, width),
            nn.TransformerEncoder(layer, self.scaled_depth(4), enable_nested_tensor=False),
            readout,
        )


class FirstInLine(ScaledNet):
    """Its readout has the place of a block where there are fewer."""

    def make_model(self) -> nn.Module:
        width = self.scaled(64)
        layers = [nn.Linear(width, width) for _ in range(self.scaled_depth(4))]
        assert self.residual_scale
        return nn.Sequential(nn.Linear(FEATURES, width), *layers, nn.Linear(width, CLASSES))


class Pretends(PostNorm):
    def make_model(self) -> nn.Module:
        assert self.residual_scale
        return super().make_model()


@pytest.mark.parametrize(
    ("trainer", "scale", "message"),
    [
        (PostNorm("adamw"), "1/4, depth 1/2, completep", "does not use self.residual_scale"),
        (Pretends("adamw"), "1/4, depth 1/2, completep", r"'1.layers.0' \(TransformerEncoderLayer\) cannot take self"),
        (Deep("sgd"), "1/4, depth 1/2, completep", "returned an SGD, and a surrogate with fewer blocks"),
        (
            Deep("adamw"),
            "1/4, depth 1/3, completep",
            r"scaled_depth\(4\) at depth 1/3 would be 1.33333, which is no whole",
        ),
        (FirstInLine("adamw"), "1/4, depth 1/2, completep", "'' has 4 parts at scale .* and 6 in the target"),
    ],
)
def test_what_fewer_blocks_cannot_stand_for_is_refused(trainer: Any, scale: str, message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        built(trainer, scale)


def test_a_depth_that_no_list_of_blocks_follows_is_refused() -> None:
    class Shallow(Deep):
        def scaled_depth(self, blocks: int) -> int:
            return blocks

    with pytest.raises(TrainerError, match=r"no list of blocks is shorter at scale 1/4, depth 1/2, completep: write"):
        built(Shallow("adamw"), "1/4, depth 1/2, completep")


class OnlyBlocks(ScaledNet):
    def make_model(self) -> nn.Module:
        width, scale = self.scaled(128), self.residual_scale
        return nn.Sequential(*(Block(width, scale) for _ in range(self.scaled_depth(4))))


def test_a_model_that_is_nothing_but_blocks_has_the_eps_of_blocks() -> None:
    narrow = built(OnlyBlocks("adamw"), "1/4, depth 1/2, completep")

    assert {group["eps"] for group in narrow.optimizer.param_groups} == {8e-8}


@pytest.mark.slow
def test_fewer_blocks_are_trained() -> None:
    narrow = built(Deep("adamw"), "1/4, depth 1/2, completep", lr=0.003)
    first = narrow.train()["loss"]
    narrow.train()

    assert narrow.train()["loss"] < first / 1.5
