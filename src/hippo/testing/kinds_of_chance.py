"""Every kind of chance that a loss may draw, on tensors that lie in memory in every way, of lanes and of each alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.func import vmap
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
    "normal": lambda x: x + torch.normal(0.0, 1.0, x.shape[-1:], device=x.device),
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
    """Return how far three lanes as one are from each alone, on the default device."""
    x, scales = torch.randn(3, 4, 5, 6), torch.tensor([1.0, 2.0, 3.0])

    def seeded(seed: int = 5) -> None:
        torch.manual_seed(seed)
        random.seed(seed)

    alone = []
    for scale in scales:
        seeded()
        alone.append(compute(x * scale))
    seeded()
    with mode(), sdpa_kernel(SDPBackend.MATH) if x.is_cpu else nullcontext():  # as `as_lanes` has it
        fused = vmap(lambda scale: compute(x * scale), randomness="same")(scales)
    return float((fused - torch.stack(alone)).abs().max())
