"""Attention and dropout of lanes as on a GPU, tried on a CPU: kernels are asked below `vmap`, and gradients are right.

Whether a GPU's kernels then draw what each lane draws alone is tried on one, in tests/gpu.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from hippo.testing.kinds_of_chance import LAYOUTS
from hippo.training.fusion.chance import DrawAsSolo
from hippo.training.fusion.device_attention import attention_of_lanes

LANES = 3


@pytest.fixture(autouse=True)
def kernels_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have tensors on a CPU taken for those of a device whose dropout and attention are kernels."""
    monkeypatch.setattr("hippo.training.fusion.chance._has_kernel", lambda tensor: True)


# ------------------------------------------------------------------------------------------------------------ attention

SHAPES = {"heads": (2, 4, 5, 6), "no heads": (4, 5, 6), "one": (5, 6), "more": (2, 2, 4, 5, 6)}
#: which of query, key and value are each lane's own
OWNERS = {"all": (True, True, True), "query": (True, False, False), "value": (False, False, True)}
OPTIONS: dict[str, Mapping[str, Any]] = {
    "plain": {},
    "causal": {"is_causal": True},
    "scaled": {"scale": 0.3},
    "dropped out": {"dropout_p": 0.3},
}


def alike(tensors: list[Tensor], dims: tuple[int | None, ...], options: Mapping[str, Any]) -> None:
    """Require what each lane comes to alone, gradients and the next draw included.

    Args:
      tensors: query, key, value, and a mask if any.
      dims: of each, the dimension of lanes; None: all have it in common.
    """

    def attention(*given: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(*given, **options)

    alone = []
    for lane in range(LANES):
        torch.manual_seed(7)
        alone.append(
            attention(*(t if dim is None else t.select(dim, lane) for t, dim in zip(tensors, dims, strict=True)))
        )
    expected, drawn = torch.stack(alone), torch.rand(1)
    torch.manual_seed(7)
    with DrawAsSolo():
        found = vmap(attention, in_dims=dims, randomness="same")(*tensors)
    assert torch.equal(torch.rand(1), drawn)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    weights = torch.randn_like(expected)
    gradients = [torch.autograd.grad((each * weights).sum(), tensors[:3]) for each in (found, expected)]
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


def drawn_tensors(shape: tuple[int, ...], owners: tuple[bool, ...]) -> list[Tensor]:
    return [
        torch.randn((LANES, *shape) if is_own else shape, dtype=torch.float64, requires_grad=True) for is_own in owners
    ]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("owners", OWNERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_attention_of_lanes_is_that_of_each_alone(shape: str, owners: str, options: str) -> None:
    tensors = drawn_tensors(SHAPES[shape], OWNERS[owners])
    alike(tensors, tuple(0 if is_own else None for is_own in OWNERS[owners]), OPTIONS[options])


@pytest.mark.parametrize("options", ["plain", "dropped out"])
@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize("mask", [(5, 5), (2, 1, 5, 5), (1, 4, 5, 5), (2, 4, 5, 5), (1, 5)], ids=str)
def test_masks_are_each_lanes_own_or_the_same_for_all(mask: tuple[int, ...], is_own: bool, options: str) -> None:
    tensors = drawn_tensors(SHAPES["heads"], OWNERS["all"])
    tensors.append(torch.randn((LANES, *mask) if is_own else mask, dtype=torch.float64))
    alike(tensors, (0, 0, 0, 0 if is_own else None), OPTIONS[options])


def test_lanes_may_lie_in_any_dimension() -> None:
    tensors = [torch.randn(2, 4, LANES, 5, 6, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    alike(tensors, (2, 2, 2), {})


def test_attention_of_no_lane_is_torchs() -> None:
    query = torch.randn(2, 4, 5, 6)
    with DrawAsSolo():
        found = functional.scaled_dot_product_attention(query, query, query)
    assert torch.equal(found, functional.scaled_dot_product_attention(query, query, query))


# -------------------------------------------------------------------------------------------------------------- dropout


@pytest.mark.parametrize("dim", [0, 2, -1])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_dropout_of_lanes_is_that_of_the_kernel_for_each(layout: str, dim: int) -> None:
    lanes = [torch.randn(3, 4, 5, 6) for _ in range(LANES)]
    alone = []
    for lane in lanes:
        torch.manual_seed(5)
        alone.append(torch.native_dropout(LAYOUTS[layout](lane), 0.3, True)[0])
    torch.manual_seed(5)
    with DrawAsSolo():
        found = vmap(lambda x: functional.dropout(LAYOUTS[layout](x), 0.3), in_dims=dim, randomness="same")(
            torch.stack(lanes, dim)
        )
    torch.testing.assert_close(found, torch.stack(alone))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The strides of what the kernel of dropout is asked about, and an empty entry for each call of attention's."""
    asked: list[tuple[int, ...]] = []
    dropout, attention = torch.native_dropout, attention_of_lanes

    def of_dropout(tensor: Tensor, *options: Any) -> Any:
        asked.append(tensor.stride())
        return dropout(tensor, *options)

    def of_attention(*tensors: Any, **options: Any) -> Tensor:
        asked.append(())
        return attention(*tensors, **options)

    monkeypatch.setattr(torch, "native_dropout", of_dropout)
    monkeypatch.setattr("hippo.training.fusion.chance.attention_of_lanes", of_attention)
    return asked


@pytest.mark.parametrize(("dim", "layouts"), [(0, list(LAYOUTS)), (3, [name for name in LAYOUTS if "cut" not in name])])
def test_what_the_kernel_is_asked_about_lies_in_memory_as_one_lane_does(
    dim: int, layouts: list[str], asked: list[tuple[int, ...]]
) -> None:
    stacked = torch.randn(3, 4, 5).expand(LANES, 3, 4, 5).movedim(0, dim).contiguous()
    for name in layouts:

        def of_lane(x: Tensor, name: str = name) -> Tensor:
            return functional.dropout(LAYOUTS[name](x[None]), 0.3)

        with DrawAsSolo():
            vmap(of_lane, in_dims=dim, randomness="same")(stacked)
    assert asked == [LAYOUTS[name](torch.empty(1, 3, 4, 5)).stride() for name in layouts]


class ByTheKernel(TorchFunctionMode):
    """Within it, a model alone drops out by the kernel, as it does on a GPU."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is not functional.dropout:
            return func(*args, **(kwargs or {}))
        tensor, p, *_ = (*args, *(kwargs or {}).values())
        return torch.native_dropout(tensor, p, True)[0]


@pytest.mark.parametrize("needs_weights", [True, False])
def test_what_torchs_module_of_attention_draws_is_seen(needs_weights: bool, asked: list[tuple[int, ...]]) -> None:
    lanes = [nn.MultiheadAttention(6, 2, 0.3, batch_first=True) for _ in range(LANES)]
    params, _ = stack_module_state(lanes)  # type: ignore[arg-type]
    x = torch.randn(7, 5, 6)
    with DrawAsSolo():
        vmap(lambda p: functional_call(lanes[0], p, (x, x, x), {"need_weights": needs_weights})[0], randomness="same")(
            params
        )
    assert asked == ([(25, 5, 1)] if needs_weights else [()])  # examples and heads, places, places


def test_an_encoder_layer_drops_out_by_the_kernel_everywhere() -> None:
    lanes = [nn.TransformerEncoderLayer(6, 2, 9, 0.3, batch_first=True).double() for _ in range(LANES)]
    x = torch.randn(7, 5, 6, dtype=torch.float64)
    params, _ = stack_module_state(lanes)  # type: ignore[arg-type]
    alone = []
    for lane in lanes:
        torch.manual_seed(5)
        with ByTheKernel():
            alone.append(lane(x))
    torch.manual_seed(5)
    with DrawAsSolo():
        found = vmap(lambda p: functional_call(lanes[0], p, (x,)), randomness="same")(params)
    torch.testing.assert_close(found, torch.stack(alone), rtol=1e-12, atol=1e-12)
