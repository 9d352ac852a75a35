"""From a training state to a tree of plain values that any process can read back safely.

`encode` copies a state into a form made only of None, bool, int, float, str, bytes, list, tuple, dict and tensors;
what is none of these becomes a tagged dict, from which `decode` makes the original type again. What it does not know
it refuses at once, naming where in the state it lies: a checkpoint that cannot be read is found out when it is saved.

Tensors get storage of their own, since `state_dict()` hands out references into the live model; they come to rest on
the CPU, in the memory format they had. One object that is reachable twice stays one object.
Neither numpy nor torch is imported here: what nobody has loaded cannot be in the state.
"""

from __future__ import annotations

import collections
import pathlib
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from hippo.errors import StateError
from hippo.hparams.array_bytes import array_bytes
from hippo.training.codec.bases import is_same

#: marks the dicts that stand for something else
TAG = "__hippo__"
PLAIN = (type(None), bool, int, float, str, bytes)
_OF_FIXED_SIZE = frozenset({type(None), bool, int, float})
#: longer strings of bytes are leaves, as tensors are: arrays of numpy become such
LEAST_BYTES = 4096
FACTORIES: dict[str, Callable[[], Any]] = {
    kind.__name__: kind for kind in (list, dict, set, int, float, str, tuple, bool, collections.deque)
}
ADVICE = {
    "numpy.random._generator.Generator": "store its .bit_generator.state",
    "numpy.random.mtrand.RandomState": "store its .get_state()",
    "random.Random": "store its .getstate()",
    "torch._C.Generator": "store its .get_state()",
    "builtins.function": "store what it needs, and make it again in build()",
    "builtins.generator": "store its position instead",
}


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class EncodedState:
    """A training state at rest. It is never changed; `decode` copies."""

    tree: Any
    #: of its tensors, arrays and strings, roughly; those that it shares with its base do not count
    size_bytes: int
    #: its tensors and long strings of bytes, by their paths
    leaves: Mapping[str, Any] = field(default_factory=dict)
    #: their digests, by `id`, as far as anybody has needed them: each is hashed once, by whatever thread. `tree` keeps
    #: the leaves, so that their ids stay their own
    digests: dict[int, bytes] = field(default_factory=dict)
    #: the state beside which it was encoded, some of whose leaves are its own
    base: EncodedState | None = None

    @property
    def is_hashed(self) -> bool:
        """Whether its hash is known, so that nobody has to wait for it."""
        return id(self.tree) in self.digests

    def shared(self) -> dict[str, Any]:
        """Return the leaves that are its base's, by their paths."""
        known = {} if self.base is None else self.base.leaves
        return {path: leaf for path, leaf in self.leaves.items() if known.get(path) is leaf}


def encode(state: object, base: EncodedState | None = None) -> EncodedState:
    """Return a copy of `state` that can be kept, hashed and written.

    Args:
      state: what a trainer's `state_dict` returned.
      base: of its leaves, those are not copied but taken over whose bits are the same at the same path.

    Raises:
      StateError: something in it cannot be saved; the message names it by its path.
    """
    encoder = _Encoder({} if base is None else base.leaves)
    torch = sys.modules.get("torch")
    with torch.no_grad() if torch else nullcontext():
        tree = encoder.encode(state, "state")
    return EncodedState(tree, encoder.size_bytes, encoder.leaves, base=base)


#: versions of modules, of which a model may have hundreds, by their text: states in memory have them in common
_versions: dict[str, Any] = {}
_MOST_VERSIONS = 16


class _Encoder:
    def __init__(self, known: Mapping[str, Any]) -> None:
        self.size_bytes = 0
        self.leaves: dict[str, Any] = {}
        self._known = known
        self._done: dict[int, tuple[object, Any]] = {}  # the object is kept too, so that its id stays its own
        self._open: set[int] = set()
        self._has_shared: set[int] = set()

    def encode(self, value: Any, path: str) -> Any:
        if type(value) in _OF_FIXED_SIZE:  # most of what is no array
            self.size_bytes += 8
            return value
        if _is_plain(value):
            if type(value) is bytes and len(value) >= LEAST_BYTES:
                return self._leaf(value, path)
            self.size_bytes += len(value)
            return value
        number = id(value)
        if number in self._open:
            raise StateError(f"{path} contains itself; a state must be a tree.")
        done = self._done.get(number)
        if done is None:
            self._open.add(number)
            done = self._done[number] = (value, self._encode(value, path))
            self._open.discard(number)
        return done[1]

    def _encode(self, value: Any, path: str) -> Any:
        kind = type(value)
        if kind in (list, tuple):
            return kind([self.encode(item, f"{path}[{i}]") for i, item in enumerate(value)])
        if kind is dict:
            return self._dict(value, path)
        if kind in (set, frozenset):
            items = [self.encode(item, path) for item in value]
            return self._tagged(kind.__name__, sorted(items, key=repr))
        if kind is collections.deque:
            return self._tagged("deque", [self.encode(list(value), path), value.maxlen])
        if kind in (collections.OrderedDict, collections.Counter, collections.defaultdict):
            return self._dict_like(value, path)
        if kind is complex:
            return self._tagged("complex", [value.real, value.imag])
        if kind is bytes:
            return self._tagged("bytes", "")
        if kind is bytearray:
            return self._tagged("bytearray", list(value))
        if kind in (range, slice):
            return self._tagged(kind.__name__, [self.encode(x, path) for x in (value.start, value.stop, value.step)])
        if kind in (pathlib.PurePosixPath, pathlib.PureWindowsPath):
            return self._tagged(kind.__name__, str(value))
        if isinstance(value, pathlib.PurePath):
            return self._tagged("path", str(value))
        return self._foreign(value, path)

    def _dict(self, value: dict[Any, Any], path: str) -> Any:
        if TAG not in value and all(map(_is_plain, value)):
            return {_named(key): self.encode(item, f"{path}[{key!r}]") for key, item in value.items()}
        return self._tagged("dict", self._items(value, path))

    def _dict_like(self, value: Any, path: str) -> Any:
        extra: Any = None
        if isinstance(value, collections.OrderedDict):
            before = len(self.leaves)
            extra = self.encode(dict(vars(value)), path)  # a module's state_dict carries versions in `_metadata`
            if vars(value).keys() == {"_metadata"} and len(self.leaves) == before:
                extra = self._shared(extra)
        elif isinstance(value, collections.defaultdict) and value.default_factory is not None:
            extra = getattr(value.default_factory, "__name__", "?")
            if FACTORIES.get(extra) is not value.default_factory:
                raise StateError(f"{path} is a defaultdict of {value.default_factory!r}; store it as a dict.")
        return self._tagged(type(value).__name__, [self._items(value, path), extra])

    def _shared(self, versions: Any) -> Any:
        """Return the versions that a state before had, if they are the same, but never for two dicts of one state."""
        text = repr(versions)  # 1, 1.0 and True are equal, and no one of them may stand for another
        if text not in _versions and len(_versions) >= _MOST_VERSIONS:
            _versions.clear()
        known = _versions.setdefault(text, versions)
        if id(known) in self._has_shared:  # what are two objects would come back as one
            return versions
        self._has_shared.add(id(known))
        return known

    def _items(self, value: dict[Any, Any], path: str) -> list[Any]:
        return [[_named(self.encode(k, f"{path} key")), self.encode(v, f"{path}[{k!r}]")] for k, v in value.items()]

    def _foreign(self, value: Any, path: str) -> Any:
        if (numpy := sys.modules.get("numpy")) and (
            type(value) is numpy.ndarray or isinstance(value, numpy.generic | numpy.dtype)
        ):
            return self._numpy(numpy, value, path)
        if torch := sys.modules.get("torch"):
            if type(value) in (torch.Tensor, torch.nn.Parameter):
                return self._tensor(torch, value, path)
            if isinstance(value, torch.Size):
                return self._tagged("torch.Size", list(value))
            if isinstance(value, torch.dtype | torch.device):
                return self._tagged(f"torch.{type(value).__name__}", str(value).removeprefix("torch."))
        raise StateError(_refusal(value, path))

    def _numpy(self, numpy: Any, value: Any, path: str) -> Any:
        if isinstance(value, numpy.dtype):
            return self._tagged("numpy.dtype", _dtype_name(numpy, value, path))
        name = _dtype_name(numpy, value.dtype, path)
        if isinstance(value, numpy.generic):
            return self._tagged("numpy.scalar", self.encode([name, array_bytes(value)], path))
        order = _order_of(value)
        data = array_bytes(value, order) if isinstance(order, str) else array_bytes(value.transpose(order))
        return self._tagged("numpy.ndarray", self.encode([name, list(value.shape), order, data], path))

    def _tensor(self, torch: Any, value: Any, path: str) -> Any:
        if value.layout != torch.strided or value.is_quantized or value.device.type == "meta":
            raise StateError(f"{path} is a {value.layout} tensor on {value.device}; store a dense one (.to_dense()).")
        plain = value.resolve_conj().resolve_neg() if value.is_conj() or value.is_neg() else value.detach()
        copy = self._copied(torch, plain, path)
        if isinstance(value, torch.nn.Parameter):
            return self._tagged("torch.Parameter", [copy, value.requires_grad])
        return self._tagged("torch.leaf", copy) if value.requires_grad else copy

    def _copied(self, torch: Any, plain: Any, path: str) -> Any:
        """Return what the base has there, if that is the same, else a copy."""
        on_cpu = plain if plain.is_cpu else plain.to("cpu")
        known = self._known.get(path)
        if known is not None and is_same(on_cpu, known):
            return self._taken(known, path)
        copy = plain.clone(memory_format=torch.preserve_format) if on_cpu is plain else on_cpu
        self.size_bytes += copy.numel() * copy.element_size()
        return self._taken(copy, path)

    def _leaf(self, data: bytes, path: str) -> bytes:
        known = self._known.get(path)
        if type(known) is bytes and known == data:
            return cast(bytes, self._taken(known, path))
        self.size_bytes += len(data)
        return cast(bytes, self._taken(data, path))

    def _taken(self, leaf: Any, path: str) -> Any:
        self.leaves.setdefault(
            _named(path), leaf
        )  # keys of a dict and items of a set have one path together: one has the name
        return leaf

    def _tagged(self, tag: str, value: Any) -> dict[str, Any]:
        self.size_bytes += 16
        return {TAG: tag, "value": value}


def _named(key: Any) -> Any:
    """Return the key that other states have, if it is a name: many are in memory, and each would name all again."""
    return sys.intern(key) if type(key) is str else key


def _is_plain(value: object) -> bool:
    # torch.load(weights_only=True) reads all bytes but none: b"" is pickled as a call of `bytes`
    return type(value) in PLAIN and value != b""


def _order_of(value: Any) -> Literal["C", "F"] | list[int]:
    """Return how an array lies in memory, on which the last bits of its sums depend: by rows, by columns, or by axes.

    One with gaps, or that runs backwards, comes back by rows.
    """
    if value.flags.c_contiguous or value.flags.f_contiguous:
        return "C" if value.flags.c_contiguous else "F"
    # the stride of an axis of length 1 is arbitrary, and another one when the array is read again
    steps = [stride if length > 1 else 0 for length, stride in zip(value.shape, value.strides, strict=True)]
    axes = sorted(range(value.ndim), key=lambda axis: (steps[axis] != 0, -steps[axis]))
    return axes if value.transpose(axes).flags.c_contiguous else "C"


def _dtype_name(numpy: Any, dtype: Any, path: str) -> str:
    name = str(dtype.str)
    if dtype.hasobject or numpy.dtype(name) != dtype:
        raise StateError(f"{path} is a numpy array of {dtype}; only arrays of numbers, strings and dates can be saved.")
    return name


def _refusal(value: object, path: str) -> str:
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    advice = ADVICE.get(kind, "store the plain values that it is made of, and make it again in load_state_dict()")
    # a model, an optimizer, a scheduler; asked of its class, for objects whose keys are attributes may raise anything
    if callable(getattr(type(value), "state_dict", None)):
        advice = "store its .state_dict(), and let it load that in load_state_dict()"
    return f"{path} is a {kind}, which cannot be saved safely: {advice}."
