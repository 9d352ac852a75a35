"""Watches what a computation does to tensors that are not its own, operator by operator.

A recording would do it again whenever it is launched, and it is done before anybody has looked. So it is stopped before
it happens. This module refuses to know what is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class ForeignAccess(Exception):
    """A computation would write a tensor that it must not, or read one where it must not lie."""


class ForeignTensors(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within it, tensors that were there before are read only, and read only where they are on the device.

    Args:
      device: where is computed.
      own: what may be written all the same.
      batch: what is said to be a batch where it is written.
    """

    def __init__(self, device: torch.device, own: Iterable[Tensor], batch: Iterable[Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._device = device
        #: places in memory: of what may be written, and of what was made since
        self._own = set(_places(own))
        self._batch = set(_places(batch))

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        given = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
        if func is torch.ops.aten.lift_fresh.default:  # of torch.tensor(0.5), which was made just now
            self._own |= set(_places(given))
        for each in _written(func, args, kwargs):
            if (place := _place(each)) not in self._own:
                what = "its batch" if place in self._batch else "a tensor that is no buffer of the model's"
                raise ForeignAccess(f"loss() writes {what}")
        for each in given:
            if each.device.type != self._device.type and _place(each) not in self._own:
                raise ForeignAccess(f"loss() reads a tensor on the device {each.device}, which may change")
        result = func(*args, **kwargs)
        known = set(_places(given))
        self._own |= {each for each in _places(tree_leaves(result)) if each not in known}
        return result


def _written(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[Tensor]:
    for number, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[number] if number < len(args) else kwargs.get(argument.name)
            yield from (each for each in tree_leaves(value) if isinstance(each, Tensor))


def _places(tensors: Iterable[Any]) -> Iterator[int]:
    for each in tensors:
        if isinstance(each, Tensor):
            yield _place(each)


def _place(tensor: Tensor) -> int:
    if tensor.layout is not torch.strided:  # has no memory of its own
        return 0
    return tensor.untyped_storage().data_ptr()
