"""Recurrent networks of lanes beside each lane's own, which torch's kernels compute: outputs, states and gradients."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import vmap
from torch.utils._pytree import tree_leaves

from hippo.testing.fusible_trainers import NetTrainer
from hippo.training.fusion.chance import DrawAsSolo
from hippo.training.fusion.lane_tensors import LaneTensors

NUM_LANES = 3
KINDS: dict[str, Any] = {
    "lstm": nn.LSTM,
    "gru": nn.GRU,
    "tanh": nn.RNN,
    "relu": lambda *sizes, **options: nn.RNN(*sizes, nonlinearity="relu", **options),
}


def results(nets: list[nn.Module], *given: Any) -> tuple[list[Tensor], list[list[Tensor]]]:
    """Return what lanes come to as one, and what each does alone: outputs, states and gradients of their squares."""
    template = copy.deepcopy(nets[0])

    def load(number: int) -> None:
        template.load_state_dict(nets[number].state_dict())

    tensors = LaneTensors(template, range(len(nets)), load)

    def walked(own: dict[str, Tensor]) -> Any:
        with tensors.put(own):
            return template(*given)

    def with_gradients(outputs: Any, wanted: list[Tensor]) -> list[Tensor]:
        leaves = [each for each in tree_leaves(outputs) if isinstance(each, Tensor)]
        loss = sum((each * each).sum() for each in leaves)
        return [*leaves, *torch.autograd.grad(loss, wanted)]  # type: ignore[arg-type]

    torch.manual_seed(3)
    with DrawAsSolo():
        together = with_gradients(vmap(walked, randomness="same")(tensors.trained()), list(tensors.trained().values()))
    drawn = torch.get_rng_state()
    alone = []
    for net in nets:
        torch.manual_seed(3)
        alone.append(with_gradients(net(*given), list(net.parameters())))
        assert torch.equal(torch.get_rng_state(), drawn)
    return together, alone


def assert_alike(together: list[Tensor], alone: list[list[Tensor]]) -> None:
    for lane, own in enumerate(alone):
        assert len(own) == len(together)
        for one, other in zip(together, own, strict=True):
            torch.testing.assert_close(one[lane], other, rtol=1e-10, atol=1e-12)


class RecurrentTrainer(NetTrainer):
    """Where a network is recurrent, nothing is dropped between its layers: a device's kernels draw that themselves."""

    def make_model(self) -> nn.Module:
        model: Any = super().make_model()
        if self.net in ("lstm", "gru"):
            model.layers.dropout = 0.0
        return model  # type: ignore[no-any-return]
