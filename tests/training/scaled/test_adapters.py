"""Ranks of adapters as a scale: which rates they get, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from hippo.errors import HippoError, OptionError, TrainerError
from hippo.scale import Scale
from hippo.training.coordinate_check import coordinate_check
from hippo.training.trainers import scale_for

from .trainers import CLASSES, FEATURES, ScaledNet, built

pytestmark = pytest.mark.usefixtures("one_thread")

KNOWN = torch.randn(32, FEATURES, generator=torch.Generator().manual_seed(0))


class Adapted(nn.Module):
    """A pretrained linear layer with an adapter."""

    def __init__(self, rank: int, scaling: Any) -> None:
        super().__init__()
        self.base = nn.Linear(FEATURES, 32, bias=False)
        self.base.load_state_dict({"weight": KNOWN})
        self.base.requires_grad_(False)
        self.a, self.b = nn.Linear(FEATURES, rank, bias=False), nn.Linear(rank, 32, bias=False)
        nn.init.zeros_(self.b.weight)
        self.scaling = scaling

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scaling = self.scaling["default"] if isinstance(self.scaling, dict) else self.scaling
        return self.base(x) + scaling * self.b(self.a(x))  # type: ignore[no-any-return]


class AdapterNet(ScaledNet):
    """Multiplies its adapter by `alpha(rank)`."""

    def __init__(self, scaling: Any, optimizer: str = "adamw") -> None:
        super().__init__(optimizer)
        self.scaling = scaling

    def make_model(self) -> nn.Module:
        rank = self.scaled_rank(32)
        return nn.Sequential(Adapted(rank, self.scaling(rank)), nn.ReLU(), nn.Linear(32, CLASSES))

    def make_optimizer(self, params: Iterator[nn.Parameter]) -> torch.optim.Optimizer:
        return super().make_optimizer(iter([each for each in params if each.requires_grad]))


@pytest.mark.parametrize(
    ("scaling", "factor"),
    [
        (lambda rank: 16 / rank, 1),  # alpha is a number
        (lambda rank: 2.0, 2),  # alpha goes with the rank: a quarter of it, twice the rate
        (lambda rank: {"default": 4 / math.sqrt(rank)}, 2**0.5),  # rsLoRA, as peft has it
    ],
)
def test_the_rate_of_adapters_goes_as_the_root_of_their_product(scaling: Any, factor: float) -> None:
    narrow, target = (built(AdapterNet(scaling), scale, weight_decay=0.01) for scale in ("1, rank 8", "1"))
    names = {id(each): name for name, each in narrow.model.named_parameters()}
    groups = {names[id(each)]: group for group in narrow.optimizer.param_groups for each in group["params"]}

    assert narrow.model[0].a.weight.shape == (8, FEATURES)
    for name in ("0.a.weight", "0.b.weight"):
        found = [groups[name][option] for option in ("lr", "weight_decay", "eps")]
        assert found == pytest.approx([0.1 * factor, 0.01 / factor, 1e-8])
    assert groups["2.weight"]["lr"] == 0.1
    assert torch.equal(narrow.model[0].base.weight, KNOWN)
    assert [group["lr"] for group in target.optimizer.param_groups] == [0.1]


def test_the_control_reads_the_targets_rate_as_it_is() -> None:
    narrow = built(AdapterNet(lambda rank: 2.0), "1, rank 8, standard")

    assert [group["lr"] for group in narrow.optimizer.param_groups] == [0.1]


class Unscaled(AdapterNet):
    def make_model(self) -> nn.Module:
        return nn.Sequential(Adapted(32, 1.0), nn.Linear(32, CLASSES))


class Odd(AdapterNet):
    def make_model(self) -> nn.Module:
        rank = self.scaled_rank(32)
        return nn.Sequential(nn.Linear(FEATURES, rank), nn.Linear(rank, CLASSES))


@pytest.mark.parametrize(
    ("trainer", "scale", "message"),
    [
        (Unscaled(None), "rank 8", r"no parameter .* has another rank at scale 1, rank 8: write self.scaled_rank\(n\)"),
        (
            AdapterNet(lambda _: None),
            "rank 8",
            r"not known what the adapter of '0.a.weight' is multiplied by: .* scaling",
        ),
        (Odd(None), "rank 8", r"'0.bias' is \[8\] at scale 1, rank 8 and \[32\] in the target: only the two factors"),
        (AdapterNet(lambda _: 1.0), "rank 32", r"at scale 1, rank 32 would be 32: .* must be below the target's"),
        (AdapterNet(lambda _: 1.0, "sgd"), "rank 8", "returned an SGD, and how rates of adapters go with their rank"),
    ],
)
def test_what_no_rule_is_for_is_refused(trainer: Any, scale: str, message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        built(trainer, f"1, {scale}")


@pytest.mark.parametrize("rank", [0, 2.0, True])
def test_a_rank_is_a_whole_number(rank: Any) -> None:
    with pytest.raises(TrainerError, match="give the target's rank"):
        AdapterNet(None).scaled_rank(rank)


def test_a_rank_comes_without_a_width_and_has_no_coordinate_check() -> None:
    with pytest.raises(HippoError, match=r"at scale 1/8, rank 4: adapters of another rank sit on the target's own"):
        scale_for(AdapterNet, "1/8, rank 4")
    with pytest.raises(OptionError, match="a coordinate check compares widths"):
        coordinate_check(AdapterNet, {"lr": 0.1}, scale=Scale(rank=8))


class Around(AdapterNet):
    """An adapter that calls its multiplier by another name, in a module that multiplies something else."""

    def make_model(self) -> nn.Module:
        adapted = Adapted(self.scaled_rank(32), 1.0)
        adapted.multiplier = adapted.__dict__.pop("scaling")  # type: ignore[assignment]
        model = nn.Sequential(nn.Sequential(adapted, nn.Linear(32, CLASSES)))
        model[0].scaling = 32**-0.5  # type: ignore[assignment]
        return model


@pytest.mark.parametrize(
    "trainer", [Around(None), AdapterNet(lambda _: {"one": 1.0, "other": 2.0}), AdapterNet(lambda _: torch.ones(()))]
)
def test_an_adapters_multiplier_is_told_by_its_own_module_or_by_nobody(trainer: Any) -> None:
    with pytest.raises(TrainerError, match=r"it is not known what the adapter of '.*a.weight' is multiplied by"):
        built(trainer, "1, rank 8")
