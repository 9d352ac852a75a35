"""From the tree of plain values that `encode` made back to a training state.

Everything is copied, tensors too: `optimizer.load_state_dict` keeps the tensors it is given, so two optimizers that
were loaded from one state at rest would otherwise share their momentum. It refuses to know which classes exist
besides those that it can name itself.
"""

from __future__ import annotations

import collections
import pathlib
import sys
from collections.abc import Callable
from typing import Any

from hippo.training.codec.encoding import FACTORIES, PLAIN, TAG, EncodedState


def decode(encoded: EncodedState) -> Any:
    """Return a fresh state equal to the one that was encoded."""
    return _Decoder().decode(encoded.tree)


class _Decoder:
    def __init__(self) -> None:
        self._done: dict[int, Any] = {}

    def decode(self, tree: Any) -> Any:
        if type(tree) in PLAIN:
            return tree
        if id(tree) not in self._done:
            self._done[id(tree)] = self._decode(tree)
        return self._done[id(tree)]

    def _decode(self, tree: Any) -> Any:
        if type(tree) in (list, tuple):
            return type(tree)([self.decode(item) for item in tree])
        if type(tree) is dict:
            if TAG in tree:
                return DECODERS[tree[TAG]](self, tree["value"])
            return {key: self.decode(item) for key, item in tree.items()}
        return tree.clone(memory_format=_torch().preserve_format)

    def items(self, pairs: list[Any]) -> list[tuple[Any, Any]]:
        return [(self.decode(key), self.decode(item)) for key, item in pairs]


def _ordered(decoder: _Decoder, value: Any) -> Any:
    made = collections.OrderedDict(decoder.items(value[0]))
    vars(made).update(decoder.decode(value[1]))
    return made


def _scalar(decoder: _Decoder, value: Any) -> Any:
    import numpy

    name, data = decoder.decode(value)
    dtype = numpy.dtype(name)
    if dtype.kind == "U":  # an element of an array has lost its last zeros, and there are no arrays of empty strings
        return numpy.str_(data[: dtype.itemsize].decode("utf-32-" + sys.byteorder[0] + "e", "surrogatepass"))
    if dtype.kind in "SV" and dtype.names is None:
        return dtype.type(data[: dtype.itemsize])
    return numpy.frombuffer(data, dtype=dtype)[0]


def _array(decoder: _Decoder, value: Any) -> Any:
    import numpy

    name, shape, order, data = decoder.decode(value)
    if not data:
        return numpy.empty(shape, dtype=name, order=order)
    if isinstance(order, list):  # of its axes, the slowest first
        lying = numpy.frombuffer(data, dtype=name).reshape([shape[axis] for axis in order]).copy()
        return lying.transpose(numpy.argsort(order))
    return numpy.frombuffer(data, dtype=name).reshape(shape, order=order).copy(order)


def _dtype(_: _Decoder, value: Any) -> Any:
    import numpy

    return numpy.dtype(value)


def _torch() -> Any:
    import torch

    return torch


DECODERS: dict[str, Callable[[_Decoder, Any], Any]] = {
    "dict": lambda d, v: dict(d.items(v)),
    "set": lambda d, v: {d.decode(item) for item in v},
    "frozenset": lambda d, v: frozenset(d.decode(item) for item in v),
    "deque": lambda d, v: collections.deque(d.decode(v[0]), v[1]),
    "OrderedDict": _ordered,
    "Counter": lambda d, v: collections.Counter(dict(d.items(v[0]))),
    "defaultdict": lambda d, v: collections.defaultdict(FACTORIES[v[1]] if v[1] else None, d.items(v[0])),
    "complex": lambda _, v: complex(*v),
    "bytes": lambda _, v: v.encode(),
    "bytearray": lambda _, v: bytearray(v),
    "range": lambda d, v: range(*map(d.decode, v)),
    "slice": lambda d, v: slice(*map(d.decode, v)),
    "path": lambda _, v: pathlib.Path(v),
    "PurePosixPath": lambda _, v: pathlib.PurePosixPath(v),
    "PureWindowsPath": lambda _, v: pathlib.PureWindowsPath(v),
    "numpy.dtype": _dtype,
    "numpy.scalar": _scalar,
    "numpy.ndarray": _array,
    "torch.Size": lambda _, v: _torch().Size(v),
    "torch.dtype": lambda _, v: getattr(_torch(), v),
    "torch.device": lambda _, v: _torch().device(v),
    "torch.leaf": lambda d, v: d._decode(v).requires_grad_(),
    "torch.Parameter": lambda d, v: _torch().nn.Parameter(d._decode(v[0]), requires_grad=v[1]),
}
