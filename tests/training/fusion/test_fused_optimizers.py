"""Lanes' optimizers as one, against torch's own, lane by lane."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from hippo.testing.torch_trainers import BlobsTrainer
from hippo.training.fusion.fused_optimizers import FusedOptimizer
from hippo.training.optimizer_values import LiveOptimizer
from hippo.training.values import HparamValues

Values = Mapping[str, Any]


class Net(nn.Module):
    """Parameters of odd shapes, of which one is never used, one frozen and two are one."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(5, 3)
        self.second = nn.Linear(3, 3)
        self.kernel = nn.Parameter(torch.randn(2, 1, 3, 3))
        self.scale = nn.Parameter(torch.randn(()))
        self.frozen = nn.Parameter(torch.randn(2), requires_grad=False)
        self.tied = self.second


class OptimizerTrainer(BlobsTrainer):
    """Makes the optimizer that `make` says, of a `Net`."""

    def __init__(self, make: Callable[[Any, list[nn.Parameter]], Any], dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        self.make = make
        torch.manual_seed(0)
        self.model = Net().to(dtype)

    def make_optimizer(self, params: Any) -> Any:
        return self.make(self.hp, list(params))


def sgd(hp: Any, params: list[nn.Parameter]) -> torch.optim.Optimizer:
    # a group with a rate of its own, in an order of its own
    groups = [{"params": params[3:][::-1], "lr": 2 * hp["lr"]}, {"params": params[:3]}]
    return torch.optim.SGD(
        groups,
        lr=hp["lr"],
        momentum=hp.get("momentum", 0.0),
        dampening=hp.get("dampening", 0.0),
        weight_decay=hp.get("weight_decay", 0.0),
        nesterov=hp.get("nesterov", False),
        maximize=hp.get("maximize", False),
    )


def adam(hp: Any, params: list[nn.Parameter]) -> torch.optim.Optimizer:
    cls = torch.optim.AdamW if hp.get("decoupled", False) else torch.optim.Adam
    return cls(
        params,
        lr=hp["lr"],
        betas=hp.get("betas", (0.9, 0.999)),
        eps=hp.get("eps", 1e-8),
        weight_decay=hp.get("weight_decay", 0.0),
        amsgrad=hp.get("amsgrad", False),
        maximize=hp.get("maximize", False),
    )


class Alone:
    """A lane as `TorchTrainer` trains it, with torch's own optimizer."""

    def __init__(self, trainer: OptimizerTrainer, values: Values) -> None:
        self.trainer = copy.copy(trainer)
        self.trainer.model = copy.deepcopy(trainer.model)
        self.trainer.hp = HparamValues(values)
        self.live = LiveOptimizer(self.trainer)
        self.params = dict(self.trainer.model.named_parameters())

    def step(self, grads: Mapping[str, Tensor | None], values: Values) -> None:
        self.trainer.hp = HparamValues(values)
        self.live.apply(self.trainer)
        for name, grad in grads.items():
            self.params[name].grad = None if grad is None else grad.clone()
        self.live.only.step()


class Fused:
    """The same lanes, as one."""

    def __init__(self, trainer: OptimizerTrainer, values: Sequence[Values]) -> None:
        self.optimizer = FusedOptimizer(trainer, [HparamValues(each) for each in values])
        self.params = {
            name: each.detach().expand(len(values), *each.shape).clone()
            for name, each in trainer.model.named_parameters()
        }

    def step(self, grads: Sequence[Mapping[str, Tensor | None]], values: Sequence[Values]) -> None:
        self.optimizer.apply([HparamValues(each) for each in values])
        self.optimizer.step(self.params, stacked(grads))

    def keep(self, lanes: Sequence[int]) -> None:
        self.optimizer.keep(lanes)
        self.params = {name: each[list(lanes)] for name, each in self.params.items()}


def stacked(grads: Sequence[Mapping[str, Tensor | None]]) -> dict[str, Tensor | None]:
    found = {name: [each[name] for each in grads] for name in grads[0]}
    return {name: None if each[0] is None else torch.stack(each) for name, each in found.items()}  # type: ignore[arg-type]


def gradients(trainer: OptimizerTrainer, seed: int, *, without: Sequence[str] = ()) -> dict[str, Tensor | None]:
    chance = torch.Generator().manual_seed(seed)
    return {
        name: None
        if name in without or not each.requires_grad
        else torch.randn(each.shape, generator=chance, dtype=each.dtype)
        for name, each in trainer.model.named_parameters()
    }


def assert_close(fused: Fused, alone: Sequence[Alone], *, rtol: float) -> None:
    for lane, each in enumerate(alone):
        for name, parameter in each.params.items():
            torch.testing.assert_close(fused.params[name][lane], parameter.detach(), rtol=rtol, atol=rtol)
        assert_same_state(fused.optimizer.state_dict(lane), each.live.state_dict(), rtol=rtol)


def assert_same_state(one: Any, other: Any, *, rtol: float) -> None:
    """Structure, types and devices are equal, and tensors close."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same_state(one[key], other[key], rtol=rtol)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for mine, yours in zip(one, other, strict=True):
            assert_same_state(mine, yours, rtol=rtol)
    elif isinstance(one, Tensor):
        torch.testing.assert_close(one, other, rtol=rtol, atol=rtol)
    else:
        assert one == other


# ------------------------------------------------------------------------------------------------ as torch's own

rates = st.sampled_from([0.0, 1e-3, 0.1])
sgd_values = st.fixed_dictionaries(
    {
        "lr": rates,
        "momentum": st.sampled_from([0.0, 0.5, 0.9]),
        "weight_decay": st.sampled_from([0.0, 1e-2]),
        "maximize": st.booleans(),
    }
)
damped = st.fixed_dictionaries({"dampening": st.sampled_from([0.0, 0.3]), "nesterov": st.just(False)})
adam_values = st.fixed_dictionaries(
    {
        "lr": rates,
        "betas": st.sampled_from([(0.9, 0.999), (0.5, 0.9), (0.0, 0.99)]),
        "weight_decay": st.sampled_from([0.0, 1e-2]),
        "maximize": st.booleans(),
        "amsgrad": st.booleans(),
        "eps": st.sampled_from([1e-8, 1e-3]),
    }
)


def check_against_torch(make: Any, lanes: Sequence[Sequence[Values]], steps: int = 50) -> None:
    """Train lanes alone and as one; lane i has the values `lanes[i]` one after another, each for some steps."""
    trainer = OptimizerTrainer(make)
    alone, fused = [Alone(trainer, each[0]) for each in lanes], Fused(trainer, [each[0] for each in lanes])
    for step in range(steps):
        values = [each[step * len(each) // steps] for each in lanes]
        grads = [
            gradients(trainer, 100 * step + lane, without=("kernel",) if step % 4 == 1 else ())
            for lane in range(len(lanes))
        ]
        for each, grad, now in zip(alone, grads, values, strict=True):
            each.step(grad, now)
        fused.step(grads, values)
    assert_close(fused, alone, rtol=1e-13)  # float64, 50 updates


@given(lanes=st.lists(st.lists(sgd_values, min_size=1, max_size=3), min_size=1, max_size=4))
@settings(max_examples=12, deadline=None)
def test_sgd_is_torchs_whatever_options_lanes_have_and_however_they_change(lanes: Any) -> None:
    check_against_torch(sgd, lanes)


@given(lanes=st.lists(st.lists(adam_values, min_size=1, max_size=3), min_size=1, max_size=4), decoupled=st.booleans())
@settings(max_examples=12, deadline=None)
def test_adam_is_torchs_whatever_options_lanes_have_and_however_they_change(lanes: Any, decoupled: bool) -> None:
    check_against_torch(adam, [[{**each, "decoupled": decoupled} for each in lane] for lane in lanes])


@pytest.mark.parametrize("options", [{"nesterov": True, "momentum": 0.9}, {"dampening": 0.5, "momentum": 0.9}])
def test_nesterov_and_dampening_are_torchs(options: Values) -> None:
    check_against_torch(sgd, [[{"lr": 0.1, **options}], [{"lr": 0.01, "weight_decay": 0.1, **options}]])
