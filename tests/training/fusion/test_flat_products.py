"""Linear functions of transposed tensors come to the same as one product, and lie where torch's do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.func import vmap
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from hippo.training.fusion.chance import DrawAsSolo
from hippo.training.fusion.flat_products import FLAT_PRODUCTS

NUM_LANES, STEPS, EXAMPLES, WIDTH = 3, 4, 5, 6
LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "as it comes": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "features apart": lambda x: x.transpose(0, 2).contiguous().transpose(0, 2),
    "of no example": lambda x: x.transpose(0, 1)[:0],
    "one row": lambda x: x[0, 0],
    "one row, with gaps": lambda x: torch.stack([x[0, 0]] * 2, 1)[:, 0],
}


class Products(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes how many matrices each product is of."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.matrices: list[int] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        if func is torch.ops.aten.bmm.default:
            self.matrices.append(args[0].shape[0])
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("own_inputs", [True, False])
def test_it_is_torchs(layout: str, *, bias: bool, own_inputs: bool) -> None:
    inputs = torch.randn(NUM_LANES, STEPS, EXAMPLES, WIDTH, dtype=torch.float64)
    weights = torch.randn(NUM_LANES, 2, WIDTH, dtype=torch.float64, requires_grad=True)
    biases = torch.randn(NUM_LANES, 2, dtype=torch.float64)
    strides = []

    def walked(own: Tensor, weight: Tensor, bias_of_lane: Tensor) -> Tensor:
        found = functional.linear(LAYOUTS[layout](own), weight, bias_of_lane if bias else None)
        strides.append(found.stride())
        return found

    given = (inputs if own_inputs else inputs[0], weights, biases)
    found = []
    for others in (FLAT_PRODUCTS, None):
        with DrawAsSolo(others):
            result = vmap(walked, in_dims=(0 if own_inputs else None, 0, 0))(*given)
        found.append([result, *torch.autograd.grad((result * result).sum(), weights)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)
    assert strides[0] == strides[1]


def test_attention_of_batches_first_takes_one_product_of_each_lanes_weights() -> None:
    """Else it takes one for each example of each lane."""
    layer = nn.MultiheadAttention(WIDTH, 1, batch_first=True)
    inputs = torch.randn(EXAMPLES, STEPS, WIDTH)
    weights = torch.randn(NUM_LANES, 3 * WIDTH, WIDTH)

    def walked(weight: Tensor) -> Tensor:
        output: Tensor = torch.func.functional_call(layer, {"in_proj_weight": weight}, (inputs, inputs, inputs))[0]
        return output

    with Products() as products, DrawAsSolo(FLAT_PRODUCTS):
        found = vmap(walked)(weights)
    assert products.matrices[0] == NUM_LANES
    torch.testing.assert_close(found, torch.stack([walked(weight) for weight in weights]))
