"""Bits of products of many matrices, whatever their place and their number."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from hippo.training.fusion.aligned import AlignedProducts

#: lanes to pick from
NUM_LANES = 12


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.inner, self.outer = nn.Linear(width, 3 * width), nn.Linear(width, 5)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        query, key, value = self.inner(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2)
        return self.outer(mixed.reshape(batch, length, width).mean(1))


def mlp(*widths: int) -> nn.Module:
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def cnn(first: int, second: int, size: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, first, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(first, second, 3),
        nn.Flatten(),
        nn.Linear(second * (size - 2) ** 2, 5),
    )


NETS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "mlp 37-37-10": (lambda: mlp(37, 37, 10), (37,)),
    "mlp 64-37-10": (lambda: mlp(64, 37, 10), (64,)),
    "mlp 13-29-7": (lambda: mlp(13, 29, 7), (13,)),
    "mlp 100-33-3": (lambda: mlp(100, 33, 3), (100,)),
    "cnn 5-7 on 7 x 7": (lambda: cnn(5, 7, 7), (1, 7, 7)),
    "cnn 8-16 on 8 x 8": (lambda: cnn(8, 16, 8), (1, 8, 8)),
    "attention 20": (lambda: Attention(20, 4), (6, 20)),
    "attention 33": (lambda: Attention(33, 3), (7, 33)),
}


class Lanes:
    """Weights of lanes, and a batch."""

    def __init__(self, name: str, batch: int) -> None:
        torch.manual_seed(0)
        make, shape = NETS[name]
        self.net = make()
        self.inputs, self.labels = torch.randn(batch, *shape), torch.randint(3, (batch,))
        self.params = {n: p.detach() + 0.3 * torch.randn(NUM_LANES, *p.shape) for n, p in self.net.named_parameters()}

    def results(self, picked: Sequence[int], mode: Any) -> list[Tensor]:
        """Return losses and gradients of these lanes."""
        own = {name: each[list(picked)].requires_grad_() for name, each in self.params.items()}

        def loss(params: dict[str, Tensor]) -> Tensor:
            return functional.cross_entropy(functional_call(self.net, params, (self.inputs,)), self.labels)

        with mode(), sdpa_kernel(SDPBackend.MATH):
            losses = vmap(loss)(own)
            return [losses.detach(), *torch.autograd.grad(losses.sum(), list(own.values()))]


def differing(lanes: Lanes, mode: Any, counts: Sequence[int]) -> int:
    """Return how many lanes have other bits in a small formation, anywhere in it, than among all."""
    whole, found = lanes.results(range(NUM_LANES), mode), 0
    for count in counts:
        picked = torch.randperm(NUM_LANES)[:count].tolist()
        some = lanes.results(picked, mode)
        found += sum(
            any(not torch.equal(one[at], all_[lane]) for one, all_ in zip(some, whole, strict=True))
            for at, lane in enumerate(picked)
        )
    return found


@pytest.mark.parametrize("batch", [32, 7])
@pytest.mark.parametrize("name", NETS)
def test_bits_depend_neither_on_place_nor_on_number(name: str, batch: int) -> None:
    assert differing(Lanes(name, batch), AlignedProducts, (2, 3, 5, 8, 2, 3)) == 0


def test_without_it_they_do() -> None:
    found = {name: differing(Lanes(name, 7), contextlib.nullcontext, (2, 3, 5, 8)) for name in NETS}
    if not any(found.values()):
        pytest.skip(f"the kernels of this processor come to the same bits anywhere: {found}")
    assert sum(found.values()) > 0


def test_products_are_those_of_torch() -> None:
    one, other = torch.randn(5, 3, 7, dtype=torch.float64), torch.randn(5, 9, 7, dtype=torch.float64).transpose(1, 2)
    summand = torch.randn(9, dtype=torch.float64)
    with AlignedProducts():
        product = torch.bmm(one, other)
        total = torch.baddbmm(summand, one, other, beta=0.5, alpha=2)

    torch.testing.assert_close(product, one @ other, rtol=1e-14, atol=1e-14)
    torch.testing.assert_close(total, 0.5 * summand + 2 * (one @ other), rtol=1e-14, atol=1e-14)


def test_nothing_is_copied_that_lies_right() -> None:
    lanes = torch.randn(4, 8, 16)  # 512 bytes each

    with AlignedProducts():
        product = torch.bmm(lanes, lanes.transpose(1, 2))

    assert product.is_contiguous()
    assert product.stride(0) * 4 % 64 == 0
