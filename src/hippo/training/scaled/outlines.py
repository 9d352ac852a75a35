"""What a model does to a batch, in outline: which operations it computes, and the shapes of what it returns.

Nothing is computed but shapes. Two models of one network at two widths have one outline; where the code of a model
takes another way because of a size, it has another one. This module refuses to know what is wide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

from hippo.training.declarative.named_tensors import copied_with, named_tensors
from hippo.training.scaled.narrowing import Narrowing
from hippo.training.scaled.symbolic import CallDoneError, quiet, tensors_of

#: how numbers lie in memory; that depends on sizes where nothing else does
_LAYOUTS = frozenset(
    {"view", "_unsafe_view", "reshape", "_reshape_alias", "expand", "permute", "transpose", "t", "as_strided", "alias"}
    | {"clone", "contiguous", "detach", "slice", "select", "squeeze", "unsqueeze", "copy_", "lift_fresh", "_to_copy"}
)


@dataclass(slots=True)
class ModelOutline:
    """What a model did to a batch."""

    #: names of operations, in their order
    operations: list[str] = field(default_factory=list)
    #: of the tensors that it returned
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    #: what it raised
    error: str = ""

    def difference(self, other: ModelOutline) -> str:
        """Return in a few words what is otherwise in another one."""
        if other.error:
            return f"it would raise {other.error}"
        if self.shapes != other.shapes:
            return f"it would return {other.shapes} in place of {self.shapes}"
        at = next(
            (at for at, (one, two) in enumerate(zip(self.operations, other.operations, strict=False)) if one != two),
            min(len(self.operations), len(other.operations)),
        )
        own, others = ((each.operations[at : at + 1] or ["nothing"])[0] for each in (self, other))
        return f"it would go another way, with {others} in place of {own} as operation {at + 1}"


def outline_of(
    model: nn.Module, forward: Callable[[nn.Module, Any], object], batch: Any, narrowing: Narrowing | None
) -> ModelOutline:
    """Return what a model does to a batch, narrower if a narrowing is given; it stays as it is."""
    mode, found = FakeTensorMode(allow_non_fake_inputs=True), ModelOutline()
    copied = copied_with(model, {name: mode.from_tensor(tensor) for name, tensor in named_tensors(model).items()})
    batch = tree_map_only(torch.Tensor, mode.from_tensor, batch)
    try:
        with mode, quiet(), torch.no_grad():
            if narrowing is not None:
                narrowing.cut(copied)
            copied.register_forward_hook(lambda _module, _input, output: _finish(found, output))
            with _OperationNames(found):
                forward(copied, batch)
    except CallDoneError:
        pass
    except Exception as error:
        found.error = first_line(error)
    return found


def first_line(error: Exception) -> str:
    """Return what an error is, and the first line of what it says."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def _finish(outline: ModelOutline, output: Any) -> None:
    outline.shapes = [tuple(each.shape) for each in tensors_of(output)]
    raise CallDoneError


class _OperationNames(TorchDispatchMode):
    """Notes the names of operations."""

    def __init__(self, outline: ModelOutline) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._outline = outline

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, result = func.overloadpacket.__name__, func(*args, **(kwargs or {}))
        if name not in _LAYOUTS and tensors_of(result):  # else it asked for a device, or a size
            self._outline.operations.append(name)
        return result
