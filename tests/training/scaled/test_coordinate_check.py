"""The coordinate check: right parametrizations pass, the standard one fails, and what cannot be checked is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import hippo
from hippo.errors import HparamError, OptionError, TrainerError
from hippo.training.coordinate_check import calls_scaled

from .trainers import Convolutions, Perceptron, ScaledNet, Transformer

pytestmark = pytest.mark.usefixtures("one_thread")

PAIRS = [
    (Perceptron, "sgd"),
    (Perceptron, "adam"),
    (Convolutions, "sgd"),
    (Convolutions, "adam"),
    (Transformer, "adamw"),
]


def checked(net: Any, optimizer: str, **options: Any) -> Any:
    config = {"lr": 0.1 if optimizer == "sgd" else 0.001}
    return hippo.coordinate_check(net, config, trainer_args={"optimizer": optimizer}, **options)


@pytest.mark.slow
@pytest.mark.parametrize(("net", "optimizer"), PAIRS)
def test_maximal_update_passes_and_the_standard_parametrization_fails(net: Any, optimizer: str) -> None:
    right, control = checked(net, optimizer), checked(net, optimizer, parametrization="standard")

    assert right.scales == control.scales == (8, 4, 2)
    assert right.steepest.slope <= 0.25
    assert control.steepest.slope > 0.25
    assert right.is_passed
    assert not control.is_passed


@pytest.mark.slow
def test_a_check_is_the_same_again_and_leaves_no_trace() -> None:
    torch.manual_seed(5)
    wanted = torch.randn(3)
    torch.manual_seed(5)
    one = checked(Perceptron, "adam", scale=4, num_seeds=1, num_updates=2)
    assert torch.equal(torch.randn(3), wanted)

    assert one == checked(Perceptron, "adam", scale=4, num_seeds=1, num_updates=2)
    assert (one.scales, one.num_seeds, {each.update for each in one.slopes}) == ((4, 2), 1, {0, 1, 2})


@pytest.mark.slow
def test_output_layers_begin_at_zero_and_nothing_grows_with_what_they_were_drawn_as() -> None:
    check = checked(Perceptron, "adam", num_updates=1)

    output = [each for each in check.slopes if each.module == "4"]
    assert [max(each.sizes) < 0.1 for each in output] == [True, False]  # its bias, then what an update made


@pytest.mark.slow
def test_what_does_not_pass_is_tried_with_more_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    checks = [checked(Perceptron, "adam", num_updates=1, parametrization=each) for each in ("mup", "standard")]
    assert [(each.is_passed, each.num_seeds) for each in checks] == [(True, 3), (False, 12)]
    monkeypatch.setattr("hippo.training.coordinate_check._TIMES_MORE", 1)
    assert checks[1] == checked(Perceptron, "adam", num_updates=1, parametrization="standard", num_seeds=12)


class Normed(Perceptron):
    """Has a norm of weights behind its output layer, which would divide zero by zero."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        return nn.Sequential(*list(model)[:-1], nn.utils.parametrizations.weight_norm(model[-1]))


@pytest.mark.slow
def test_directions_of_weights_do_not_begin_at_zero() -> None:
    found = checked(Normed, "adam", num_seeds=1, num_updates=1)
    assert all(each.slope < 100 for each in found.slopes)


class FixedScale(Perceptron):
    """Multiplies its output by what should have been scaled."""

    def make_model(self) -> nn.Module:
        model = super().make_model()
        width = self.scaled(256)

        class Times(nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x * width / 64

        return nn.Sequential(*model, Times())


@pytest.mark.slow
def test_the_module_that_grows_is_named() -> None:
    found = checked(FixedScale, "adam")

    assert not found.is_passed
    assert found.steepest.module == "5"


@pytest.mark.parametrize(
    ("config", "options", "error", "message"),
    [
        ({"lr": 0.1}, {"scale": 2}, OptionError, "only one to try; give a scale that 2 divides, of at least 4"),
        ({"lr": 0.1}, {"scale": 9}, OptionError, "scale=9: below the target's width there is only one to try"),
        ({"lr": 0.1}, {"scale": 1}, OptionError, "scale=1 is neither a whole number of at least 2"),
        ({"lr": 0.1}, {"num_seeds": 0}, OptionError, "num_seeds=0: give a whole number"),
        ({"lr": 0.1}, {"num_updates": 1.5}, OptionError, "num_updates=1.5: give a whole number"),
        ({"lr": 0.1}, {"parametrization": "ntk"}, OptionError, "'ntk' is none of"),
        ({"lr": 0.0}, {}, TrainerError, "4 updates change nothing, .* give one that is not 0"),
        ({}, {}, HparamError, "no hyper-parameter 'lr'"),
        ({"lr": 0.1}, {"scale": 512}, TrainerError, r"scaled\(256\) at scale 1/512 would be 0.5"),
    ],
)
def test_what_cannot_be_checked_is_refused(config: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        hippo.coordinate_check(Perceptron, config, **options)


def test_a_trainer_of_the_general_form_is_refused() -> None:
    with pytest.raises(TrainerError, match="ToyTrainer cannot be at scale 1/8"):
        hippo.coordinate_check("hippo.testing.trainers:ToyTrainer", {"lr": 0.1})


class Indirect(ScaledNet):
    def _width(self) -> int:
        return self.scaled(64)

    def make_model(self) -> nn.Module:
        return nn.Linear(self._width(), 1)


class Never(ScaledNet):
    def make_model(self) -> nn.Module:
        return nn.Linear(64, 1)


class Within(ScaledNet):
    def make_model(self) -> nn.Module:
        return nn.Sequential(*(nn.Linear(self.scaled(n), 1) for n in [64]))


def test_whether_a_trainer_can_be_narrowed_is_told_by_its_methods() -> None:
    assert [calls_scaled(cls) for cls in (Perceptron, Indirect, Within, Never, hippo.TorchTrainer)] == [
        True,
        True,
        True,
        False,
        False,
    ]
