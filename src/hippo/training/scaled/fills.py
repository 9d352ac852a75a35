"""How tensors were initialised, seen while it happens: from which distribution each was drawn last.

A surrogate's tensors are to spread as the target's do, and a few drawn numbers say little about the distribution they
came from; its arguments say it exactly. It watches torch's operations, also of tensors without memory (the "meta"
device). What it cannot follow it calls unknown. It refuses to know parametrizations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any, NamedTuple

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode


class Fill(NamedTuple):
    """What a tensor holds."""

    #: whether it was drawn at random
    is_random: bool
    mean: float = 0.0
    #: of what was drawn; None: not known
    std: float | None = None
    #: the operations that drew it, each once, in their order
    drawn_by: tuple[str, ...] = ()
    #: limits of a uniform distribution, from which others are made
    limits: tuple[float, float] | None = None
    #: whether it is the normal distribution cut at the limits
    is_cut: bool = False
    #: numbers that parts of it were set to afterwards
    constants: tuple[float, ...] = ()


_CONSTANT = Fill(is_random=False)
#: draw numbers whose spread is not followed
_OTHER_DRAWS = frozenset(
    {"bernoulli", "exponential", "log_normal", "geometric", "random", "cauchy", "randint", "randint_like", "randperm"}
    | {"multinomial", "poisson", "binomial", "normal"}
)
_COPIES = frozenset({"clone", "_to_copy", "lift_fresh", "lift_fresh_copy", "contiguous"})
_CONSTANTS = frozenset(
    {"zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones"} | {"eye"}
)
_STANDARD_NORMAL = NormalDist()


class RandomFills(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes, inside of its block, what each tensor is filled with."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._fills: dict[int, Fill] = {}
        #: keep the places of storages, and not what they hold: one that is used again would belong to another tensor
        self._places: list[StorageWeakRef] = []

    def of(self, tensor: torch.Tensor) -> Fill | None:
        """Return what a tensor holds; None: it was not made here, or out of something that was not."""
        return self._fills.get(_key(tensor))

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if isinstance(result, torch.Tensor):
            self._note(func, args, kwargs, result)
        elif isinstance(result, tuple | list):  # a decomposition, say: random if what went in was
            for each in result:
                if isinstance(each, torch.Tensor):
                    self._put(each, self._mixture(args))
        return result

    def _note(self, func: Any, args: Any, kwargs: Mapping[str, Any], result: torch.Tensor) -> None:
        name = func.overloadpacket.__name__
        if func._schema.is_mutable:
            self._note_written(name.removesuffix("_"), args, kwargs, result)
            return
        if any(isinstance(each, torch.Tensor) and _key(each) == _key(result) for each in args):
            return  # a view
        if name in ("randn", "randn_like"):
            fill: Fill | None = Fill(True, 0.0, 1.0, (name,))
        elif name in ("rand", "rand_like"):
            fill = Fill(True, 0.5, 12**-0.5, (name,), (0.0, 1.0))
        elif name in _OTHER_DRAWS:
            fill = Fill(True, drawn_by=(name,))
        elif name in _CONSTANTS:
            fill = _CONSTANT
        elif name in _COPIES:
            fill = self.of(args[0])
        elif name.startswith(("empty", "new_empty")):
            fill = None
        else:
            fill = self._changed(name, args)
        self._put(result, fill)

    def _note_written(self, name: str, args: Any, kwargs: Mapping[str, Any], result: torch.Tensor) -> None:
        before = self.of(result)
        drawn_by = _joined(() if before is None else before.drawn_by, (name,))
        fill: Fill | None
        if name == "normal":
            mean, std = _numbers(args, kwargs, mean=0.0, std=1.0)
            fill = Fill(True, mean, std, drawn_by)
        elif name == "uniform":
            low, high = _numbers(args, kwargs, **{"from": 0.0, "to": 1.0})
            fill = Fill(True, (low + high) / 2, (high - low) / 12**0.5, drawn_by, (low, high))
        elif name in _OTHER_DRAWS:
            fill = Fill(True, drawn_by=drawn_by)
        elif name in ("zero", "fill"):
            if _is_part(result):  # a row of padding
                if before is not None and before.is_random:
                    self._put(result, before._replace(constants=(*before.constants, *_constant(name, args))))
                return
            fill = _CONSTANT._replace(drawn_by=before.drawn_by if before is not None else ())
        elif name == "copy":
            fill = self.of(args[1])
        elif name in _CONSTANTS:
            fill = _CONSTANT
        else:
            fill = self._changed(name, args)
        if _is_part(result) and not _is_alike(before, fill):
            fill = Fill(True, drawn_by=drawn_by) if fill is not None and fill.is_random else before
        self._put(result, fill)

    def _changed(self, name: str, args: Any) -> Fill | None:
        """Return what an operation makes of tensors, by what they held."""
        fill = self.of(args[0]) if args and isinstance(args[0], torch.Tensor) else None
        number = args[1] if len(args) > 1 and isinstance(args[1], int | float) else None
        if fill is None or not fill.is_random or fill.std is None:
            return self._mixture(args)
        if name in ("mul", "div") and number:
            factor = number if name == "mul" else 1 / number
            return fill._replace(mean=fill.mean * factor, std=fill.std * abs(factor), limits=None)
        if name in ("add", "sub") and number is not None:
            return fill._replace(mean=fill.mean + (number if name == "add" else -number), limits=None)
        if name == "erfinv" and fill.limits is not None:
            return _cut_normal(fill)
        if name == "clamp" and fill.is_cut:
            return fill
        return self._mixture(args)

    def _mixture(self, args: Any) -> Fill | None:
        """Return what comes of tensors by an operation that is not followed."""
        known = [self.of(each) for each in _tensors(args)]
        drawn_by = _joined(*(fill.drawn_by for fill in known if fill is not None))
        return Fill(True, drawn_by=drawn_by) if any(fill is not None and fill.is_random for fill in known) else None

    def _put(self, tensor: torch.Tensor, fill: Fill | None) -> None:
        key = _key(tensor)
        if fill is None:
            self._fills.pop(key, None)
            return
        if key not in self._fills:
            self._places.append(StorageWeakRef(tensor.untyped_storage()))  # type: ignore[no-untyped-call]
        self._fills[key] = fill


def _joined(*drawn_by: tuple[str, ...]) -> tuple[str, ...]:
    """Return the operations, each once: what draws until it fits, draws as often as chance has it."""
    return tuple(dict.fromkeys(name for names in drawn_by for name in names))


def _key(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def _is_part(tensor: torch.Tensor) -> bool:
    return tensor.numel() * tensor.element_size() < tensor.untyped_storage().nbytes()


def _is_alike(one: Fill | None, other: Fill | None) -> bool:
    return one is not None and other is not None and one[:3] == other[:3]


def _tensors(args: Any) -> list[torch.Tensor]:
    found = []
    for each in args:
        if isinstance(each, torch.Tensor):
            found.append(each)
        elif isinstance(each, list | tuple):
            found += [part for part in each if isinstance(part, torch.Tensor)]
    return found


def _constant(name: str, args: Any) -> list[float]:
    """Return the number that a tensor is filled with, if it is one."""
    if name == "zero":
        return [0.0]
    return [float(args[1])] if isinstance(args[1], int | float) else []


def _numbers(args: Any, kwargs: Mapping[str, Any], **defaults: float) -> list[float]:
    """Return the numbers that follow the tensor among an operation's arguments."""
    given = [float(each) for each in args[1:]]
    return [
        given[place] if place < len(given) else float(kwargs.get(name, default))
        for place, (name, default) in enumerate(defaults.items())
    ]


def _cut_normal(fill: Fill) -> Fill:
    """Return what the inverse error function makes of a uniform distribution: a normal one, cut, over sqrt(2)."""
    assert fill.limits is not None, "uniform"
    low, high = ((limit + 1) / 2 for limit in fill.limits)
    if not (0 <= low < high <= 1):
        return Fill(True, drawn_by=fill.drawn_by)
    a = _STANDARD_NORMAL.inv_cdf(low) if low > 0 else -math.inf
    b = _STANDARD_NORMAL.inv_cdf(high) if high < 1 else math.inf
    mass = high - low
    density_a, density_b = _STANDARD_NORMAL.pdf(a), _STANDARD_NORMAL.pdf(b)
    mean = (density_a - density_b) / mass
    edges = (a * density_a if low > 0 else 0.0) - (b * density_b if high < 1 else 0.0)
    variance = 1 + edges / mass - mean**2
    return Fill(True, mean / 2**0.5, (variance / 2) ** 0.5, fill.drawn_by, None, True)
