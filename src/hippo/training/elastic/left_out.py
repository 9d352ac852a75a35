"""Parameters that one rank's part of a batch leaves out, and another's does not: an expert, a layer that is skipped.

Each rank adds up the gradients of those parameters that have one there, in their order. Where these differ from rank to
rank, gradients of different parameters are added up, or ranks wait for each other forever. So the gradient of what is
left out is zero, which is what it is. This module refuses to know how a loss is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch.distributed
from torch import nn

from hippo.errors import TrainerError
from hippo.training.elastic.pieces import is_piece

#: parameters by name
Wholes = dict[str, nn.Parameter]


@contextmanager
def wholes_noted(model: nn.Module) -> Iterator[Wholes]:
    """Note parameters that are put together while the model computes in the block: a loss's graph has these."""
    from torch.distributed.fsdp import FSDPModule

    found: Wholes = {}

    def note(prefix: str) -> Any:
        def before_forward(module: nn.Module, _inputs: Any) -> None:  # after torch's own, which puts them together
            for name, each in module.named_parameters(prefix):
                if not is_piece(each):
                    found[name] = each

        return before_forward

    with ExitStack() as hooks:
        for path, module in model.named_modules():
            if issubclass(type(module), FSDPModule):
                hooks.callback(module.register_forward_pre_hook(note(path)).remove)
        yield found


def fill_in(model: nn.Module, wholes: Wholes, loss: torch.Tensor) -> None:
    """Give what a loss leaves out here, and not in each rank, a gradient of zeros. All ranks have to call it.

    Args:
      wholes: what was noted while the loss was computed.

    Raises:
      TrainerError: a block was computed in some of the ranks alone; raised in all of them.
    """
    names, reached = [name for name, _ in model.named_parameters()], _leaves(loss)
    own = [0 if name not in wholes else 2 if id(wholes[name]) in reached else 1 for name in names]
    extremes = torch.tensor([own, [-each for each in own]])
    distributed: Any = torch.distributed
    distributed.all_reduce(extremes, op=distributed.ReduceOp.MAX)
    most, least = extremes.tolist()
    for name, here, high, low in zip(names, own, most, least, strict=True):
        if low == 0 < high:
            raise TrainerError(
                f"parameter {name!r} is of a block that some ranks computed for their samples and others did not, so "
                "that they put together different ones. Compute each of elastic_blocks whenever its model is, or leave "
                "its class out of them"
            )
        if high == 2 and here == 1:
            wholes[name].grad = torch.zeros_like(wholes[name])


def _leaves(loss: torch.Tensor) -> set[int]:
    """Return the ids of the tensors for which a loss has gradients."""
    found, seen, left = set(), set(), [loss.grad_fn]
    while left:
        node = left.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found.add(id(leaf))
        left += [each for each, _ in node.next_functions]
    return found
