"""Products of one matrix with many come to the same, whatever stands beside them, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from hippo.training.fusion.shared_products import SharedProducts, are_worth_it

pytestmark = pytest.mark.usefixtures("one_thread")

#: rows and columns of the one matrix, and columns of the others: features x samples x classes
FORMS = [(3072, 64, 10), (192, 64, 10), (33, 7, 5), (64, 32, 3), (100, 64, 16)]


def drawn(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@pytest.mark.parametrize(("rows", "inner", "columns"), FORMS)
def test_they_are_those_of_torch(rows: int, inner: int, columns: int) -> None:
    one, others = drawn(inner, rows, dtype=torch.float64).T, drawn(5, inner, columns, seed=1, dtype=torch.float64)
    with SharedProducts():
        found = torch.bmm(one.expand(5, rows, inner), others)
    torch.testing.assert_close(found, one @ others, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("rows", "inner", "columns"), FORMS)
def test_bits_depend_neither_on_place_nor_on_number(rows: int, inner: int, columns: int) -> None:
    one, own = drawn(inner, rows).T, drawn(inner, columns, seed=1)
    found = set()
    for lanes in (2, 3, 5, 8, 16, 33, 64):
        for place in (0, lanes // 2, lanes - 1):
            others = drawn(lanes, inner, columns, seed=lanes)
            others[place] = own
            with SharedProducts():
                found.add(torch.bmm(one.expand(lanes, rows, inner), others)[place].contiguous().numpy().tobytes())
    assert len(found) == 1


@pytest.mark.parametrize(
    "product",
    [
        lambda: torch.bmm(drawn(3, 4, 5), drawn(3, 5, 2, seed=1)),
        lambda: torch.bmm(drawn(3, 4, 5), drawn(5, 2).expand(3, 5, 2)),
        lambda: drawn(4, 5) @ drawn(5, 2),
        lambda: torch.bmm(drawn(64, 128).T.expand(3, 128, 64), drawn(3, 64, 130, seed=1)),  # it would take longer
    ],
)
def test_other_products_are_left_alone(product: Callable[[], Tensor]) -> None:
    with SharedProducts():
        found = product()
    assert torch.equal(found, product())


def gradients(features: Tensor, others: int, columns: int = 10) -> None:
    """Take gradients of five lanes' linear functions of features, and those of so many other operations."""
    weights = drawn(5, columns, features.shape[1], seed=1).requires_grad_()
    found = torch.bmm(features.expand(5, *features.shape), weights.transpose(1, 2)).sum()
    for _ in range(others):
        found = found.sin()
    torch.autograd.grad(found, weights)


@pytest.mark.parametrize(
    ("rows", "columns", "others", "is_worth_it"),
    [(64, 192, 20, True), (64, 192, 200, False), (16, 64, 20, False), (1, 8, 0, False), (64, 3072, 200, True)],
)
def test_they_are_worth_it_where_they_are_much_of_what_gradients_take(
    rows: int, columns: int, others: int, *, is_worth_it: bool
) -> None:
    features = drawn(rows, columns)
    assert are_worth_it(lambda: gradients(features, others)) is is_worth_it


def test_wide_ones_are_not() -> None:
    assert not are_worth_it(lambda: gradients(drawn(256, 128), 20, columns=384))


def test_what_is_no_gradient_counts_not() -> None:
    features = drawn(64, 192)

    def walk() -> None:
        torch.bmm(features.T.expand(5, 192, 64), drawn(5, 64, 10))
        gradients(drawn(1, 8), 0)

    assert not are_worth_it(walk)
