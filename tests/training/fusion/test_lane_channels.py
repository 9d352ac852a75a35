"""Convolutions, batch norms and pools of lanes come to what each lane's own do, forwards, backwards and as they lie."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from hippo.training.fusion.chance import DrawAsSolo
from hippo.training.fusion.lane_channels import SIDE_BY_SIDE

pytestmark = pytest.mark.usefixtures("one_thread")

NUM_LANES, EXAMPLES = 3, 4
#: a module of a lane, and the shape of one example
MODULES: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "convolution of texts": (lambda: nn.Conv1d(4, 6, 3, padding=1), (4, 7)),
    "convolution": (lambda: nn.Conv2d(4, 6, 3, stride=2, padding=1), (4, 7, 7)),
    "convolution, same": (lambda: nn.Conv2d(4, 6, 3, padding="same", dilation=2), (4, 7, 7)),
    "convolution of volumes": (lambda: nn.Conv3d(4, 6, 2), (4, 3, 3, 3)),
    "convolution in groups": (lambda: nn.Conv2d(4, 6, 3, groups=2), (4, 7, 7)),
    "convolution without bias": (lambda: nn.Conv2d(4, 6, 3, bias=False), (4, 7, 7)),
    "reflecting convolution": (lambda: nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect"), (4, 7, 7)),
    "norm": (lambda: nn.BatchNorm2d(4), (4, 7, 7)),
    "norm of numbers": (lambda: nn.BatchNorm1d(5), (5,)),
    "norm of texts": (lambda: nn.BatchNorm1d(4), (4, 7)),
    "norm without weights": (lambda: nn.BatchNorm2d(4, affine=False), (4, 7, 7)),
    "norm without statistics": (lambda: nn.BatchNorm2d(4, track_running_stats=False), (4, 7, 7)),
    "norm that hardly moves": (lambda: nn.BatchNorm2d(4, momentum=0.01, eps=0.1), (4, 7, 7)),
    "pool": (lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.MaxPool2d(2, padding=1)), (4, 7, 7)),
    "pool of texts": (lambda: nn.Sequential(nn.Conv1d(4, 6, 3), nn.MaxPool1d(2)), (4, 9)),
    "mean pool": (lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.AvgPool2d(2, ceil_mode=True)), (4, 7, 7)),
    "mean": (lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.AdaptiveAvgPool2d(1)), (4, 7, 7)),
    "all": (
        lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 2, 2)),
        (4, 9, 9),
    ),
}
#: how examples lie in memory
LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "as they come": lambda x: x,
    "transposed": lambda x: x.transpose(-1, -2).contiguous().transpose(-1, -2),
}


def drawn(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("is_shared", [True, False])
@pytest.mark.parametrize("name", MODULES)
def test_they_come_to_what_each_lane_comes_to(name: str, layout: str, *, is_shared: bool, training: bool) -> None:
    make, shape = MODULES[name]
    nets = [make().double().train(training) for _ in range(NUM_LANES)]
    for number, net in enumerate(nets):
        for each in net.buffers():
            each.add_(number)
    inputs = drawn(NUM_LANES, EXAMPLES, *shape)
    params, buffers = stack_module_state(nets)

    def walked(own: dict[str, Tensor], kept: dict[str, Tensor], given: Tensor) -> Tensor:
        found: Tensor = functional_call(nets[0], (own, kept), (LAYOUTS[layout](given),))
        lies.append(found.stride())
        return found

    lies: list[tuple[int, ...]] = []
    own_inputs = inputs[:1].expand_as(inputs) if is_shared else inputs
    own_inputs = own_inputs.clone().requires_grad_()
    with DrawAsSolo(SIDE_BY_SIDE):
        if is_shared:
            found = vmap(walked, in_dims=(0, 0, None))(params, buffers, inputs[0])
        else:
            found = vmap(walked)(params, buffers, own_inputs)
    wanted = [*params.values(), *([] if is_shared else [own_inputs])]
    gradients = torch.autograd.grad((found * found).sum(), wanted) if wanted and found.requires_grad else ()
    for lane, net in enumerate(nets):
        alone = copy.deepcopy(net)
        given = own_inputs[lane].detach().clone().requires_grad_()
        expected = alone(LAYOUTS[layout](given))
        torch.testing.assert_close(found[lane], expected, rtol=1e-10, atol=1e-12)
        assert order(lies[0], expected.shape) == order(expected.stride(), expected.shape)
        for key, buffer in alone.named_buffers():
            torch.testing.assert_close(buffers[key][lane], buffer, rtol=1e-10, atol=1e-12)
        own = [*alone.parameters(), *([] if is_shared else [given])]
        for one, other in zip(gradients, torch.autograd.grad((expected**2).sum(), own) if own else (), strict=True):
            torch.testing.assert_close(one[lane], other, rtol=1e-9, atol=1e-10)


def order(strides: tuple[int, ...], shape: torch.Size) -> list[int]:
    """Return dimensions by how far apart what they count lies: so chance is drawn."""
    return sorted((dim for dim in range(len(shape)) if shape[dim] > 1), key=lambda dim: -strides[dim])


class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts operations by name."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        self.names.append(func._schema.name)
        return func(*args, **(kwargs or {}))


def test_one_kernel_does_it_for_all() -> None:
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.MaxPool2d(2))
    params, buffers = stack_module_state([copy.deepcopy(net) for _ in range(NUM_LANES)])
    with Operations() as done, DrawAsSolo(SIDE_BY_SIDE):
        vmap(lambda own, kept: functional_call(net, (own, kept), (torch.ones(2, 1, 8, 8),)))(params, buffers)
    # and that a batch was seen is counted
    kernels = [name for name in done.names if name.removeprefix("aten::") in ("mul", "add", "clone", "copy_", "add_")]
    assert kernels == ["aten::add_"]


def test_what_is_no_lanes_is_left_to_torch() -> None:
    image, own = torch.ones(2, 4, 6, 6), torch.ones(NUM_LANES, 4)
    calls: list[Callable[[Tensor], Any]] = [
        lambda scale: functional.conv2d(image, torch.ones(4, 4, 3, 3), scale),  # filters that lanes have in common
        lambda scale: functional.conv2d(image[0] * scale.sum(), torch.ones(4, 4, 3, 3) * scale.sum(), scale),
        lambda scale: functional.conv2d(image, torch.ones(4, 2, 3, 3) * scale.sum(), scale, groups=2),
        lambda scale: functional.batch_norm(image, torch.zeros(4) * scale, torch.ones(4) * scale, scale, training=True),
        lambda scale: functional.batch_norm(image * scale.sum(), None, None, torch.ones(4), scale, training=True),
        lambda scale: functional.max_pool2d(image[0] * scale.sum(), 4),
        lambda scale: functional.max_pool2d(image * scale.sum(), 2, return_indices=True)[1],
    ]
    for call in calls:
        found = []
        for others in (SIDE_BY_SIDE, None):
            with DrawAsSolo(others):
                found.append(vmap(call)(own))
        torch.testing.assert_close(*found)


def test_statistics_are_brought_on_wherever_they_lie() -> None:
    """`vmap` loses what is written into others than those that lie lane by lane."""
    inputs, mean, variance = torch.randn(NUM_LANES, EXAMPLES, 4), torch.zeros(4, NUM_LANES), torch.ones(4, NUM_LANES)
    with DrawAsSolo(SIDE_BY_SIDE):
        vmap(lambda own, mean, variance: functional.batch_norm(own, mean, variance, training=True), in_dims=(0, 1, 1))(
            inputs, mean, variance
        )
    torch.testing.assert_close(mean.T, 0.1 * inputs.mean(1))
    torch.testing.assert_close(variance.T, 0.9 + 0.1 * inputs.var(1))


def test_lanes_of_a_vmap_of_ones_own_are_told_apart() -> None:
    """A loss may call `vmap` itself."""
    filters, biases = drawn(NUM_LANES, 2, 4, 3, 3), drawn(NUM_LANES, 2)
    images = drawn(5, EXAMPLES, 4, 6, 6)

    def walked(weight: Tensor, bias: Tensor) -> Tensor:
        return vmap(lambda image: functional.max_pool2d(functional.conv2d(image, weight, bias), 2))(images)

    with DrawAsSolo(SIDE_BY_SIDE):
        found = vmap(walked)(filters, biases)
    for lane in range(NUM_LANES):
        torch.testing.assert_close(found[lane], walked(filters[lane], biases[lane]))
