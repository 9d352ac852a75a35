"""Chance of lanes that are computed as one, against that of each alone."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from hippo.training.fusion.chance import DrawAsSolo

Computation = Callable[[Tensor], Tensor]

#: kinds of chance; `x` is a lane's own tensor, 3 x 4 x 5 x 6
KINDS: dict[str, Computation] = {
    "dropout": lambda x: functional.dropout(x, 0.3),
    "dropout in place": lambda x: functional.dropout(x + 0, 0.3, inplace=True),
    "torch.dropout": lambda x: torch.dropout(x, 0.3, True),
    "dropout1d": lambda x: functional.dropout1d(x[0], 0.3),
    "dropout2d": lambda x: functional.dropout2d(x, 0.3),
    "dropout3d": lambda x: functional.dropout3d(x[None], 0.3),
    "alpha_dropout": lambda x: functional.alpha_dropout(x, 0.3, training=True),
    "alpha_dropout in place": lambda x: torch.alpha_dropout_(x + 0, 0.3, True),
    "feature_alpha_dropout": lambda x: functional.feature_alpha_dropout(x, 0.3, training=True),
    "randn": lambda x: x + torch.randn(x.shape),
    "randn_like": lambda x: x + torch.randn_like(x),
    "rand": lambda x: x + torch.rand(x.shape[-1]),
    "rand_like": lambda x: x + torch.rand_like(x),
    "randint": lambda x: x + torch.randint(9, (1,)),
    "randint_like": lambda x: x + torch.randint_like(x, 9),
    "normal": lambda x: x + torch.normal(0.0, 1.0, x.shape[-1:]),
    "normal_": lambda x: x + torch.empty_like(x).normal_(1.0, 2.0),
    "uniform_": lambda x: x + torch.empty_like(x).uniform_(-1.0, 1.0),
    "bernoulli_": lambda x: x * torch.empty_like(x).bernoulli_(0.3),
    "bernoulli of no lane's": lambda x: x * torch.bernoulli(torch.full(x.shape[-1:], 0.5)),
    "exponential_": lambda x: x + torch.empty_like(x).exponential_(),
    "cauchy_": lambda x: x + torch.empty_like(x).cauchy_(),
    "geometric_": lambda x: x + torch.empty_like(x).geometric_(0.3),
    "log_normal_": lambda x: x + torch.empty_like(x).log_normal_(),
    "random_": lambda x: x + torch.empty_like(x).random_(50),
    "randperm": lambda x: x + torch.randperm(x.shape[-1]),
    "multinomial of no lane's": lambda x: x + torch.multinomial(torch.ones(8), x.shape[-1]),
    "gumbel_softmax": lambda x: functional.gumbel_softmax(x, hard=False),
    "Normal.rsample": lambda x: torch.distributions.Normal(x, 1.0).rsample(),
    "fractional_max_pool2d": lambda x: functional.fractional_max_pool2d(x, 2, output_size=2),
    "attention": lambda x: functional.scaled_dot_product_attention(x, x, x, dropout_p=0.3),
    "python's": lambda x: x + random.random(),
}
LAYOUTS: dict[str, Computation] = {
    "plain": lambda x: x,
    "transposed": lambda x: x.transpose(1, 2),
    "last two transposed": lambda x: x.transpose(-1, -2),
    "permuted": lambda x: x.permute(3, 1, 0, 2),
    "cut and transposed": lambda x: x[:, 1:3].transpose(0, 1),
    "cut": lambda x: x[:, 1:3],
}


def apart(compute: Computation, mode: Any = DrawAsSolo) -> float:
    """Return how far three lanes as one are from each alone."""
    x, scales = torch.randn(3, 4, 5, 6), torch.tensor([1.0, 2.0, 3.0])

    def seeded(seed: int = 5) -> None:
        torch.manual_seed(seed)
        random.seed(seed)

    alone = []
    for scale in scales:
        seeded()
        alone.append(compute(x * scale))
    seeded()
    with mode(), sdpa_kernel(SDPBackend.MATH):
        fused = vmap(lambda scale: compute(x * scale), randomness="same")(scales)
    return float((fused - torch.stack(alone)).abs().max())


@pytest.mark.filterwarnings("ignore:.*performance drop")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_lane_draws_what_it_would_alone(kind: str, layout: str) -> None:
    assert apart(lambda x: KINDS[kind](LAYOUTS[layout](x))) < 1e-5  # float32; another draw is off by 0.1 and more


@pytest.mark.parametrize("kind", ["dropout", "torch.dropout", "alpha_dropout", "normal_", "uniform_", "bernoulli_"])
def test_without_it_a_transposed_tensor_draws_something_else(kind: str) -> None:
    assert apart(lambda x: KINDS[kind](x.transpose(1, 2)), contextlib.nullcontext) > 0.1


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_dropout_of_nothing_and_of_everything_are_torchs(p: float) -> None:
    assert apart(lambda x: functional.dropout(x.transpose(1, 2), p)) == 0
    assert apart(lambda x: functional.dropout(x.transpose(1, 2), 0.5, training=False)) == 0


def test_chance_of_a_lanes_own_tensor_raises_and_is_not_drawn_otherwise() -> None:
    for own in (lambda x: torch.bernoulli(x.sigmoid()), lambda x: torch.empty_like(x).bernoulli_(x.sigmoid())):
        with pytest.raises(RuntimeError):
            apart(lambda x, own=own: own(x.transpose(1, 2)))  # type: ignore[misc]


# ------------------------------------------------------------------------------------------------------- of models


class Of(nn.Module):
    """A function of modules and an input."""

    def __init__(self, function: Callable[..., Tensor], *modules: nn.Module) -> None:
        super().__init__()
        self.function = function
        self.parts = nn.ModuleList(modules)

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x, *self.parts)


def drop(x: Tensor) -> Tensor:
    return functional.dropout(x, 0.5)


TEXT, IMAGE = (7, 5, 6), (7, 6, 8, 8)
MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "linear": (lambda: Of(lambda x, a, b: b(drop(a(drop(x)))), nn.Linear(6, 4), nn.Linear(4, 3)), TEXT),
    "linear, transposed": (lambda: Of(lambda x, a: drop(a(x).transpose(1, 2)), nn.Linear(6, 4)), TEXT),
    "linear of a transposed": (lambda: Of(lambda x, a: drop(a(x.transpose(1, 2))), nn.Linear(5, 4)), TEXT),
    "matmul": (lambda: Of(lambda x, a: drop(a.weight @ x.transpose(1, 2)), nn.Linear(6, 4)), TEXT),
    "einsum": (lambda: Of(lambda x, a: drop(torch.einsum("bti,oi->bot", x, a.weight)), nn.Linear(6, 4)), TEXT),
    "layer norm": (lambda: Of(lambda x, a: drop(a(x)), nn.LayerNorm(6)), TEXT),
    "convolutions": (lambda: Of(lambda x, a, b: drop(b(drop(a(x)))), nn.Conv2d(6, 4, 3), nn.Conv2d(4, 3, 3)), IMAGE),
    "patches": (lambda: Of(lambda x, a: drop(a(x).flatten(2).transpose(1, 2)), nn.Conv2d(6, 4, 4, stride=4)), IMAGE),
    "attention": (
        lambda: Of(lambda x, a: drop(a(x, x, x)[0]), nn.MultiheadAttention(6, 2, 0.3, batch_first=True)),
        TEXT,
    ),
    "encoder": (lambda: nn.TransformerEncoderLayer(6, 2, 9, 0.3, batch_first=True), TEXT),
    "encoder, sequence first": (lambda: nn.TransformerEncoderLayer(6, 2, 9, 0.3), TEXT),
    "encoder, norm first": (lambda: nn.TransformerEncoderLayer(6, 2, 9, 0.3, batch_first=True, norm_first=True), TEXT),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_models_dropout_is_that_of_each_lane_alone(name: str) -> None:
    make, shape = MODELS[name]
    torch.manual_seed(1)
    lanes, x = [make().double() for _ in range(3)], torch.randn(shape, dtype=torch.float64)
    params, _ = stack_module_state(lanes)  # type: ignore[arg-type]
    alone = []
    for lane in lanes:
        torch.manual_seed(5)
        alone.append(lane(x))
    torch.manual_seed(5)

    with DrawAsSolo(), sdpa_kernel(SDPBackend.MATH):
        fused = vmap(lambda p: functional_call(lanes[0], p, (x,)), randomness="same")(params)

    torch.testing.assert_close(fused, torch.stack(alone), rtol=1e-12, atol=1e-12)  # float64; other masks: 1e-1
