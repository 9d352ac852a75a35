"""Chance of lanes that are computed as one, against that of each alone."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from hippo.testing.kinds_of_chance import KINDS, LAYOUTS, apart
from hippo.training.fusion.chance import DrawAsSolo


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
