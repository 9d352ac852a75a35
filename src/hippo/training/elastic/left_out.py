"""Parameters that one rank's part of a batch leaves out, and another's does not: an expert, a layer that is skipped.

Each rank adds up the gradients of those parameters that have one there, in their order. Where these differ from rank to
rank, gradients of different parameters are added up, or ranks wait for each other forever. So the gradient of what is
left out is zero, which is what it is. Nor may a pass write into what was put together: no piece would have it. This
module refuses to know how a loss is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch.distributed
from torch import nn

from hippo.errors import TrainerError
from hippo.training.elastic.pieces import REPLACED, is_piece
from hippo.training.sharding.written_parameters import ParameterMark, marked, written_since

#: parameters by name, as they were put together
Wholes = dict[str, ParameterMark]


@contextmanager
def wholes_noted(model: nn.Module, *, looks_closely: bool = False) -> Iterator[Wholes]:
    """Note parameters that are put together while the model computes in the block: a loss's graph has these.

    Args:
      looks_closely: add up their numbers, to see whether a pass has written into one unseen.

    Raises:
      TrainerError: a pass writes into one.
    """
    from torch.distributed.fsdp import FSDPModule

    found: Wholes = {}

    def note(prefix: str) -> Any:
        def before_forward(module: nn.Module, _inputs: Any) -> None:  # after torch's own, which puts them together
            for name, each in module.named_parameters(prefix):
                if not is_piece(each) and (name not in found or found[name].parameter is not each):
                    found[name] = marked(each, by_sums=looks_closely)

        return before_forward

    def look(prefix: str) -> Any:
        def after_forward(module: nn.Module, _inputs: Any, _output: Any) -> None:  # before torch's own lets go of them
            _require_unwritten({name: found[name] for name, _ in module.named_parameters(prefix) if name in found})

        return after_forward

    with ExitStack() as hooks:
        for path, module in model.named_modules():
            if issubclass(type(module), FSDPModule):
                hooks.callback(module.register_forward_pre_hook(note(path)).remove)
                if looks_closely:
                    hooks.callback(module.register_forward_hook(look(path), prepend=True).remove)
        yield found
    _require_unwritten(found)


def _require_unwritten(found: Wholes) -> None:
    if (name := written_since(found)) is not None:
        raise TrainerError(
            f"a pass writes into the parameter {name!r}, which ranks have put together for this pass alone, and let go "
            "of: what it writes would be lost. Compute what is needed from the parameter in its place "
            "(weight.clamp(min=0) for clamp_, torch.nn.utils.parametrize), or use numerics='exact'"
        )


def fill_in(model: nn.Module, wholes: Wholes, loss: torch.Tensor) -> None:
    """Give what a loss leaves out here, and not in each rank, a gradient of zeros. All ranks have to call it.

    Args:
      wholes: what was noted while the loss was computed.

    Raises:
      TrainerError: a block was computed in some of the ranks alone; raised in all of them. Or the loss is one of
        parameters as they were before they were divided.
    """
    names, reached = [name for name, _ in model.named_parameters()], _leaves(loss)
    for leaf in reached.values():
        if (replaced := getattr(leaf, REPLACED, None)) is not None:
            raise TrainerError(
                f"the loss uses the parameter {replaced!r} as make_model() made it, which is kept besides the model's "
                "own, in a list or an attribute: ranks have pieces in its place, and would never train it. Take it "
                "from its module where it is used (self.embedding.weight), or register it (nn.ParameterList)"
            )
    own = [0 if name not in wholes else 2 if id(wholes[name].parameter) in reached else 1 for name in names]
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
            whole = wholes[name].parameter
            whole.grad = torch.zeros_like(whole)


def _leaves(loss: torch.Tensor) -> dict[int, torch.Tensor]:
    """Return the tensors for which a loss has gradients, by their ids."""
    found: dict[int, torch.Tensor] = {}
    seen, left = set(), [loss.grad_fn]
    while left:
        node = left.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found[id(leaf)] = leaf
        left += [each for each, _ in node.next_functions]
    return found


def require_moved(wholes: Wholes) -> None:
    """Refuse to have computed gradients that stayed with wholes: no piece, and so no optimizer, has ever seen them.

    Torch moves them on from the tensors that the model returns; it must find these, and they must stay what they are.

    Raises:
      TrainerError: names a parameter.
    """
    for name, mark in wholes.items():
        if mark.parameter.grad is not None:
            mark.parameter.grad = None
            raise TrainerError(
                f"the gradient of {name!r} reaches no rank's piece of it, since torch does not find what model(...) "
                "returned, or returned no longer: return tensors, or lists, tuples, dicts or dataclasses of them, "
                "change none of them in place (logits.masked_fill(...) for logits[...] = ...), and keep nothing of a "
                "pass on the module that the loss needs"
            )
