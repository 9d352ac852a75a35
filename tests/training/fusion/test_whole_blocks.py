"""What is computed element by element has the bits of the element alone, wherever in a tensor that lies."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.func import vmap
from torch.nn import functional

from hippo.records import Fusion, Point
from hippo.testing.formations import HERE
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.remembering_host import pieces_at
from hippo.training.fusion import whole_blocks
from hippo.training.fusion.aligned import AlignedProducts
from hippo.training.fusion.chance import DrawAsSolo
from hippo.training.fusion.check import FusionCheck
from hippo.training.fusion.in_blocks import IN_BLOCKS
from hippo.training.fusion.whole_blocks import PlaceWatch, depends_on_place, is_inexact, place_free

pytestmark = pytest.mark.usefixtures("one_thread")

#: functions of one tensor, of which some kernels take what is left over at an end by another formula
FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": torch.sigmoid,
    "silu": functional.silu,
    "gelu": functional.gelu,
    "gelu by tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "mish": functional.mish,
    "elu": functional.elu,
    "selu": functional.selu,
    "celu": functional.celu,
    "softplus": functional.softplus,
    "softplus, steep": lambda x: functional.softplus(x, beta=3.0, threshold=2.0),
    "log sigmoid": functional.logsigmoid,
    "hard swish": functional.hardswish,
    "hard sigmoid": functional.hardsigmoid,
    "softsign": functional.softsign,
    "tanh": torch.tanh,
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "log1p": lambda x: torch.log1p(x.abs()),
    "erf": torch.erf,
    "sine": torch.sin,
    "power": lambda x: x.abs() ** 1.7,
    "of a number": lambda x: 1.7**x,
    "of each other": lambda x: x.abs() ** x,
    "cube": lambda x: x**3,
    "root": lambda x: (x.abs() + 1).rsqrt(),
    "log of sums": lambda x: torch.logaddexp(x, x.flip(-1)),
    "angle": lambda x: torch.atan2(x, x.flip(-1)),
    "hyperbolic": lambda x: torch.sinh(x) + torch.cosh(x),
    "in place": lambda x: (x * 1.0).sigmoid_(),
    "beside a column": lambda x: torch.logaddexp(x, x[..., :1]),
}
SMALL, NUM_LANES = (3, 5), 150


def lanes(dtype: torch.dtype) -> Tensor:
    return torch.randn(NUM_LANES, *SMALL, generator=torch.Generator().manual_seed(0), dtype=torch.float64).to(dtype)


def results(function: Callable[[Tensor], Tensor], values: Tensor) -> list[Tensor]:
    """Return values of a function, and gradients of the sum of their squares, as lanes are computed."""
    given = values.clone().requires_grad_()
    with AlignedProducts():
        found = function(given)
        (gradient,) = torch.autograd.grad((found * found.detach()).sum(), given)
    return [found.detach(), gradient]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_bits_are_those_of_each_lane_alone(name: str, dtype: torch.dtype) -> None:
    values = lanes(dtype)
    together = results(FUNCTIONS[name], values)
    for lane in range(NUM_LANES):
        for one, other in zip(together, results(FUNCTIONS[name], values[lane]), strict=True):
            assert torch.equal(one[lane], other)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_torchs_and_lie_as_torchs_do(name: str) -> None:
    function = FUNCTIONS[name]
    for given in (lanes(torch.float64), lanes(torch.float64).transpose(0, 2), lanes(torch.float64)[:, ::2]):
        with AlignedProducts():
            found = function(given)
        expected = function(given)
        assert found.stride() == expected.stride()
        torch.testing.assert_close(found, expected, rtol=1e-13, atol=1e-13)


def test_what_is_written_in_place_is_written_there() -> None:
    given, column = lanes(torch.float64)[:, ::2], torch.tensor(1.5, dtype=torch.float64)
    expected = given.clone().pow_(column)
    with AlignedProducts():
        assert given.pow_(column) is given
    torch.testing.assert_close(given, expected, equal_nan=True)


def test_sums_and_products_are_left_as_they_are() -> None:
    for operation in (torch.ops.aten.add.Tensor, torch.ops.aten.mul_.Tensor, torch.ops.aten.relu.default):
        assert not is_inexact(operation)
        assert place_free(operation) is operation
    assert place_free(torch.ops.aten.mm.default) is torch.ops.aten.mm.default


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_has_one_right_result_depends_on_no_place(dtype: torch.dtype) -> None:
    one, other = lanes(dtype), lanes(dtype) + 9
    for operation in (torch.ops.aten.add.Tensor, torch.ops.aten.mul.Tensor, torch.ops.aten.div.Tensor):
        assert not depends_on_place(operation, [one, other], {})
    assert not depends_on_place(torch.ops.aten.sqrt.default, [other], {})


def test_what_cannot_be_tried_counts_as_if_it_depended() -> None:
    assert depends_on_place(torch.ops.aten.sigmoid.default, [lanes(torch.float32)], {"unknown": 1})
    assert depends_on_place(torch.ops.aten.sigmoid.default, [[lanes(torch.float32)]], {})


def test_a_trial_draws_no_chance() -> None:
    torch.manual_seed(0)
    before = torch.get_rng_state()
    depends_on_place(torch.ops.aten.softplus.default, [lanes(torch.float32), 1.25, 20.0], {})
    assert torch.equal(torch.get_rng_state(), before)


def test_integers_and_numbers_without_a_dimension_are_nobodys_place() -> None:
    with PlaceWatch() as watch:
        torch.tensor(0.5).sigmoid()
        torch.arange(5).bitwise_not()
        torch.randn(4) + torch.randn(4)
    assert watch.found == set()


# ------------------------------------------------------------------------------------------------- below vmap

#: of one tensor, which is what is computed below `vmap`
BELOW = [
    "sigmoid",
    "silu",
    "gelu",
    "gelu by tanh",
    "mish",
    "elu",
    "selu",
    "celu",
    "softplus",
    "exp2",
    "power",
    "hyperbolic",
]
#: how a lane's tensor lies in memory
LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "as it comes": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "with gaps": lambda x: x[:, ::2],
}


def below(name: str, layout: str, values: Tensor, *, lanes_at: int = 0) -> list[Tensor]:
    """Return values and gradients of lanes, which come first in them."""
    given = values.clone().movedim(0, lanes_at).requires_grad_()
    with DrawAsSolo(IN_BLOCKS):
        found = vmap(lambda x: FUNCTIONS[name](LAYOUTS[layout](x)), in_dims=lanes_at)(given)
    (gradient,) = torch.autograd.grad((found * found.detach()).sum(), given)
    return [found.detach(), gradient.movedim(lanes_at, 0)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", BELOW)
def test_lanes_below_vmap_have_the_bits_of_any_company(name: str, layout: str) -> None:
    values = lanes(torch.float32)
    together = below(name, layout, values)
    for number in (1, 2, 7):
        for one, other in zip(together, below(name, layout, values[:number]), strict=True):
            assert torch.equal(one[:number], other)
    for one, other in zip(together, below(name, layout, values, lanes_at=1), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_they_lie_in_memory_as_they_would(layout: str) -> None:
    values = lanes(torch.float64)

    def strides(x: Tensor) -> Tensor:
        found = torch.sigmoid(LAYOUTS[layout](x))
        seen.append(found.stride())
        return found

    seen: list[tuple[int, ...]] = []
    with DrawAsSolo(IN_BLOCKS):
        vmap(strides)(values)
    vmap(strides)(values)
    assert seen[0] == seen[1]


def test_what_is_in_whole_blocks_depends_on_no_place() -> None:
    with PlaceWatch() as watch:
        torch.rand(512).sigmoid()
    assert watch.found == set()
    with PlaceWatch() as watch:
        torch.rand(511).sigmoid()
        torch.rand(2, 256).sigmoid()
    assert len(watch.found) == 2


def test_nor_does_the_trial_of_a_function() -> None:
    """Who watched lanes saw it, once in a process, and took from them the way that costs little."""
    whole_blocks._differs.cache_clear()
    with PlaceWatch() as watch, DrawAsSolo(IN_BLOCKS):
        vmap(torch.sigmoid, randomness="same")(lanes(torch.float32))
    assert watch.found == set()


# ---------------------------------------------------------------------------------------------------- whole programs


class Activated(NetTrainer):
    """With another function between its layers."""

    def __init__(self, function: Callable[[], nn.Module], *, is_frozen: bool = False) -> None:
        super().__init__("mlp", "adamw", width=8, size=16)
        self.function, self.is_frozen = function, is_frozen

    def make_model(self) -> nn.Module:
        trunk = nn.Sequential(nn.Linear(6, self.width), self.function())
        trunk.requires_grad_(not self.is_frozen)
        return nn.Sequential(trunk, nn.Linear(self.width, 3))


def decided(trainer: NetTrainer) -> Fusion:
    pieces = pieces_at({"lr": 0.01, "batch_size": 7}, 0)
    check = FusionCheck(trainer, 0, pieces, None, Point(HERE, 1), elapsed=lambda: 0.0)
    return check._company_free(check._right_lanes(Fusion(is_fused=True)), Fusion(is_fused=True))


@pytest.mark.parametrize("function", [nn.Sigmoid, nn.SiLU, nn.ELU, nn.Softplus, nn.Mish])
def test_lanes_of_such_a_network_are_aligned_and_keep_their_bits(function: Callable[[], nn.Module]) -> None:
    fusion = decided(Activated(function))
    assert fusion.keeps_bits
    assert fusion.in_blocks or fusion.is_aligned


def test_where_functions_alone_have_places_they_are_computed_in_whole_blocks() -> None:
    """To look at every operation would cost more."""
    wide = Activated(nn.SiLU)
    wide.width = 32
    fusion = decided(wide)
    assert (fusion.keeps_bits, fusion.in_blocks, fusion.is_aligned) == (True, True, False)


def test_lanes_of_another_one_are_not() -> None:
    assert not decided(Activated(nn.ReLU)).in_blocks
    frozen = decided(Activated(nn.SiLU, is_frozen=True))  # a trunk is of no lane
    assert (frozen.in_blocks, frozen.is_aligned) == (False, False)
