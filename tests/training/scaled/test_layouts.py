"""Which dimensions of a parameter are summed over, by the module that computes with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

from hippo.scale import Scale
from hippo.surrogates.shapes import Role
from hippo.training.scaled.layouts import tables_of
from hippo.training.scaled.pairing import paired


class Halves(nn.Module):
    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight / 2


class Product(nn.Module):
    """A weight made of two matrices, of which nobody knows which is which."""

    def forward(self, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return one @ other

    def right_inverse(self, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return weight.new_ones(weight.shape[0], 5), weight.new_ones(5, weight.shape[1])


def halved(layer: nn.Module) -> nn.Module:
    return parametrize.register_parametrization(layer, "weight", Halves())


def roles(net: Callable[[int], nn.Module]) -> dict[str, Role]:
    return {name: tensor.role for name, tensor in paired(net(64), net(8), Scale(8)).items() if "bias" not in name}


@pytest.mark.parametrize("wrap", [parametrizations.spectral_norm, halved])
def test_a_parametrized_weight_lies_as_its_layers_does(wrap: Callable[[nn.Module], nn.Module]) -> None:
    found = roles(lambda width: nn.Sequential(nn.Linear(3, width), wrap(nn.Linear(width, 10))))

    assert found["1.parametrizations.weight.original"] is Role.OUTPUT
    assert list(roles(lambda width: wrap(nn.Linear(width, 10))).values()) == [Role.OUTPUT]  # the model itself


@pytest.mark.filterwarnings("ignore:.*weight_norm.*:FutureWarning")
@pytest.mark.parametrize("wrap", [parametrizations.weight_norm, nn.utils.weight_norm])
def test_directions_of_normalised_weights_lie_as_these_do_and_lengths_are_gains(wrap: Any) -> None:
    assert list(roles(lambda width: wrap(nn.Linear(width, 10))).values()) == [Role.UNCHANGED, Role.OUTPUT]
    # a length for each channel that comes in, by which nothing is summed
    assert list(roles(lambda width: wrap(nn.ConvTranspose1d(width, width, 2))).values()) == [Role.INPUT, Role.HIDDEN]


def test_of_several_parts_of_a_weight_nobody_knows_how_they_lie() -> None:
    def net(width: int) -> nn.Module:
        return parametrize.register_parametrization(nn.Linear(width, 10), "weight", Product())

    assert list(roles(net).values()) == [Role.UNCHANGED, Role.INPUT]  # a table, as where a module of one's own has it


class Conv1D(nn.Conv1d):
    """A causal convolution, as many call it."""


class Copied:
    """As transformers' Conv1D, of which many have copies."""

    class Conv1D(nn.Module):
        def __init__(self, nf: int, nx: int) -> None:
            super().__init__()
            self.nf = nf
            self.weight = nn.Parameter(torch.zeros(nx, nf))


class Unknown:
    """Something else that is called so."""

    class Conv1D(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(width, 3))


@pytest.mark.parametrize(
    ("make", "role"),
    [
        (lambda width: Conv1D(3, width, 2), Role.INPUT),
        (lambda width: Conv1D(width, 3, 2), Role.OUTPUT),
        (lambda width: Copied.Conv1D(width, 3), Role.INPUT),
        (lambda width: Copied.Conv1D(3, width), Role.OUTPUT),
        (Unknown.Conv1D, Role.INPUT),
        (lambda width: halved(Copied.Conv1D(3, width)), Role.OUTPUT),
    ],
)
def test_a_linear_layer_that_lies_the_other_way_is_none_of_torchs(make: Callable[[int], nn.Module], role: Role) -> None:
    assert set(roles(make).values()) == {role}


def test_to_see_what_is_a_table_computes_nothing() -> None:
    table: Any = parametrizations.spectral_norm(nn.Embedding(4, 8))
    before = {name: each.clone() for name, each in table.named_buffers()}

    assert tables_of(table) == {id(table.parametrizations.weight.original)}
    assert all(torch.equal(each, before[name]) for name, each in table.named_buffers())
