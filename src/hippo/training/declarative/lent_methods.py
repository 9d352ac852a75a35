"""Attributes that `collate` and `sampler` read, and that are others by now than where these look.

Both are called on a copy of the trainer as it was in `build`: samples are fetched ahead, so what a step sets comes too
late for some. One that reads `self.epoch`, which `train` counts, would see 0 for ever. It refuses to know samples.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import CodeType
from typing import Any

import numpy as np
import torch

from hippo.errors import TrainerError
from hippo.hparams.code_forms import codes_of
from hippo.training.codec import state_hash

_ABSENT = object()


def check_lent(trainer: object, before: Mapping[str, Any], method: str) -> None:
    """Refuse a trainer of which an attribute that a method reads is another than where a copy was lent to the method.

    Args:
      before: the attributes then.

    Raises:
      TrainerError: names the attribute.
    """
    cls: type = type(trainer)
    now = vars(trainer)
    for name in attributes_read(cls, method):
        value = now.get(name, _ABSENT)
        old = before.get(name, getattr(cls, name, _ABSENT))
        if value is not _ABSENT and value is not old and _is_another(old, value):
            raise TrainerError(
                f"{cls.__name__}.{method}() reads self.{name}, which was set to something else after build(), and "
                "would go on with what it was there: samples are fetched ahead, and depend on what __init__() made and "
                "on their epoch. What depends on how far training is belongs into loss() or train_on_batch(); what "
                "depends on hyper-parameters, into a data set with set_hparams(hp)."
            )


@functools.lru_cache
def attributes_read(cls: type, method: str) -> tuple[str, ...]:
    """Return the names of what a method, and the methods that it calls, read of their own object."""
    names, left = set[str](), [method]
    while left:
        code = getattr(getattr(cls, left.pop(), None), "__code__", None)
        if code is not None and code.co_argcount:
            new = set(_read_of(code, code.co_varnames[0])) - names
            names |= new
            left += sorted(new)
    return tuple(sorted(names - {"hp"}))


def _read_of(code: CodeType, own: str) -> Iterator[str]:
    for part in codes_of(code):  # comprehensions, lambdas
        for one, two in pairwise(dis.get_instructions(part)):
            loaded = one.argval[-1] if isinstance(one.argval, tuple) and one.argval else one.argval
            is_own = one.opname.startswith(("LOAD_FAST", "LOAD_DEREF")) and loaded == own
            if is_own and two.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                yield two.argval


def _is_another(one: Any, other: Any) -> bool:
    """Whether two values differ for sure: of most objects nobody can tell."""
    if type(one) is not type(other):
        return type(one) in _PLAIN and type(other) in _PLAIN
    if type(one) is torch.Tensor and type(other) is torch.Tensor:
        return one.device == other.device and state_hash(one.detach()) != state_hash(other.detach())
    if type(one) is np.ndarray:
        return _bits(one) != _bits(other)
    return type(one) in _PLAIN and repr(one) != repr(other)


def _bits(array: Any) -> tuple[Any, ...] | None:
    return None if array.dtype.hasobject else (array.dtype, array.shape, array.tobytes())


_PLAIN = (bool, int, float, str, type(None))
