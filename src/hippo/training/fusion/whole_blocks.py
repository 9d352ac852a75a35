"""Elementwise operations whose bits depend on what they are given alone, and not on where in a tensor it lies.

A kernel takes the elements of a tensor a vector at a time, and those that are left over at its end one by one, by
another formula: sigmoid, SiLU, GELU, softplus, ELU, powers and others then differ in the last bit. Where lanes lie side
by side it depends on their number whose elements are left over. So tensors are filled up to whole blocks. Sums,
products and whatever else has but one right result are left alone. It refuses to know lanes: it sees tensors.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

#: elements: a multiple of what any kernel takes at a time
BLOCK = 256
#: whose results are the nearest numbers that there are (IEEE 754, section 5.4.1), or one of those given
_EXACT = frozenset(
    {"add", "sub", "rsub", "mul", "div", "reciprocal", "sqrt", "neg", "abs", "sign", "sgn", "positive", "clone"}
    | {"where", "relu", "threshold_backward", "clamp", "clamp_min", "clamp_max", "clip", "maximum", "minimum"}
    | {"fmax", "fmin", "floor", "ceil", "round", "trunc", "masked_fill", "eq", "ne", "lt", "le", "gt", "ge"}
    | {"leaky_relu", "hardtanh"}
    | {"isnan", "isinf", "isfinite", "signbit", "logical_and", "logical_or", "logical_not", "logical_xor"}
)
#: elementwise ones of which torch does not say that they are
_UNSAID = frozenset(
    {"mish_backward", "softplus_backward", "elu_backward", "log_sigmoid_forward", "log_sigmoid_backward", "hardswish"}
    | {"hardswish_backward", "hardsigmoid_backward", "_prelu_kernel"}
)
#: numbers on which it is tried whether an operation depends on places, of which few may tell: GELU differs in one of
#: ten thousand
_TRIED, _SEED = 1 << 16, 7


@functools.cache
def is_inexact(operation: Any) -> bool:
    """Tell whether an operation works element by element, and may come to this or that number next to the right one."""
    name = operation._schema.name.removeprefix("aten::").removesuffix("_")
    if operation._schema.name.startswith("aten::_foreach") or name in _EXACT:
        return False
    return torch.Tag.pointwise in operation.tags or name in _UNSAID


@functools.cache
def place_free(operation: Any) -> Callable[..., Any]:
    """Return what has the results of an operation, whose bits depend on no place, on one thread of a CPU."""
    return functools.partial(_in_whole_blocks, operation) if is_inexact(operation) else operation


def _in_whole_blocks(operation: Any, *args: Any, **kwargs: Any) -> Any:
    if "out" in kwargs or not any(map(_has_places, args)):
        return operation(*args, **kwargs)
    spread = [each for each in args if _is_spread(each)]
    lie_alike = all(each.is_contiguous() and each.shape == spread[0].shape for each in spread)
    if lie_alike and spread[0].numel() % BLOCK == 0:
        return operation(*args, **kwargs)
    shape: torch.Size = torch.broadcast_shapes(*(each.shape for each in spread))  # type: ignore[no-untyped-call]
    found = operation(*(_filled(each, shape) if _is_spread(each) else each for each in args), **kwargs)
    if operation._schema.is_mutable:
        return args[0].copy_(_cut(found, shape))
    if lie_alike and isinstance(found, Tensor):
        return _cut(found, shape)
    results: Any = operation(*args, **kwargs)  # which lie in memory as is expected
    if isinstance(results, Tensor):
        return results.copy_(_cut(found, shape))
    for result, each in zip(results, found, strict=True):
        if result.shape == shape:
            result.copy_(_cut(each, shape))
    return results


def _is_spread(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dim() > 0


def _has_places(value: Any) -> bool:
    return _is_spread(value) and value.is_floating_point() and value.device.type == "cpu" and value.numel() > 0


def _filled(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """Return the elements of a tensor, one after the other, and ones up to a whole block."""
    number = torch.Size(shape).numel()
    filled = tensor.new_ones(-(-number // BLOCK) * BLOCK)
    filled[:number].view(shape).copy_(tensor)
    return filled


def _cut(filled: Tensor, shape: Sequence[int]) -> Tensor:
    return filled[: torch.Size(shape).numel()].view(shape)


def meets_places(walk: Callable[[str], object]) -> bool:
    """Tell whether any operation of lanes comes to other bits in another place, be it for one of ten thousand numbers.

    Too few formations can be tried for such a one to show by itself. What has one shape whatever the number of lanes is
    of none of them: a trunk that they share.

    Args:
      walk: walks a formation, with a letter for each of its lanes.
    """
    met: list[set[tuple[str, tuple[torch.Size, ...]]]] = []
    for formation in ("ab", "bba"):
        with PlaceWatch() as watch:
            walk(formation)
        met.append(watch.found)
    return met[0] != met[1]


class PlaceWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes, within it, which operations on a CPU come to other bits in other places of a tensor."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        #: their names, and the shapes that they were given
        self.found: set[tuple[str, tuple[torch.Size, ...]]] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        spread = [each for each in args if _is_spread(each)]
        is_whole = all(each.dim() == 1 and each.numel() % BLOCK == 0 and each.is_contiguous() for each in spread)
        if is_inexact(func) and not is_whole and any(map(_has_places, spread)) and depends_on_place(func, args, kwargs):
            self.found.add((func._schema.name, tuple(each.shape for each in args if isinstance(each, Tensor))))
        return func(*args, **kwargs)


class _Kind(NamedTuple):
    """What an argument is, but for the numbers in a tensor."""

    dtype: torch.dtype | None
    is_spread: bool
    value: Any

    @classmethod
    def of(cls, given: Any) -> _Kind:
        return cls(given.dtype, given.dim() > 0, None) if isinstance(given, Tensor) else cls(None, False, given)

    def drawn(self, chance: torch.Generator) -> Any:
        """Return an argument like it."""
        if self.dtype is None:
            return self.value
        drawn = torch.randn(_TRIED if self.is_spread else (), generator=chance, dtype=torch.float64) * 2
        return drawn.to(self.dtype) if self.dtype.is_floating_point else (drawn > 0).to(self.dtype)


def depends_on_place(operation: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Tell whether an elementwise operation of such arguments has other bits in other places of a tensor.

    It is tried once in a process on numbers of its own; what cannot be tried counts as if it had.
    """
    try:
        return _differs(operation, tuple(map(_Kind.of, args)), tuple(sorted(kwargs.items())))
    except Exception:  # arguments that are no kinds, or a call that wants others
        return True


@functools.cache
def _differs(operation: Any, kinds: Sequence[_Kind], kwargs: Sequence[tuple[str, Any]]) -> bool:
    chance = torch.Generator().manual_seed(_SEED)
    args = [kind.drawn(chance) for kind in kinds]
    with _disable_current_modes():  # else who watches lanes would see the trial
        # elements with others between them are taken one by one, as are those that are left over at an end
        apart = operation(*(_with_gaps(each) if _is_spread(each) else each for each in args), **dict(kwargs))
        together = operation(*args, **dict(kwargs))
    first, second = (each if isinstance(each, Tensor) else each[0] for each in (apart, together))
    return not torch.equal(first.nan_to_num(), second.nan_to_num())


def _with_gaps(tensor: Tensor) -> Tensor:
    return tensor.new_empty(2 * tensor.numel())[::2].copy_(tensor)
