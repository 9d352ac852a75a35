"""Equality of training states, as a hash and as a list of differences.

What counts is types, keys, dtypes, shapes and bits; not the device, the memory format, nor the order of a plain dict.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import Any

from hippo.training.codec.encoding import TAG, EncodedState, encode


def state_hash(state: object) -> str:
    """Return the SHA-256 of a state, encoded or not, in hexadecimal: equal for equal states, on any device."""
    return _digest(_tree(state)).hex()


def difference(one: object, other: object) -> list[str]:
    """Return the paths at which two states differ, such as "state['model']['0.weight']". Empty: they are equal."""
    return list(_differences(_tree(one), _tree(other), "state"))


def _tree(state: object) -> Any:
    return state.tree if isinstance(state, EncodedState) else encode(state).tree


def _digest(tree: Any) -> bytes:
    """Hash the tree so that no two different trees are the same sequence of bytes: kind, length, then content."""
    digest = hashlib.sha256()
    for part in _parts(tree):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


def _parts(tree: Any) -> Iterator[bytes | memoryview]:
    kind = type(tree)
    yield kind.__name__.encode()
    if kind is str:
        yield tree.encode("utf-8", "surrogatepass")
    elif kind is bytes:
        yield tree
    elif kind is float:
        yield struct.pack(">d", tree)
    elif kind in (bool, int) or tree is None:
        yield repr(tree).encode() if kind is not int else hex(tree).encode()
    elif kind in (list, tuple):
        yield from map(_digest, tree)
    elif kind is dict:
        yield from _dict_parts(tree)
    else:
        yield from _tensor_parts(tree)


def _dict_parts(tree: dict[Any, Any]) -> Iterator[bytes]:
    if tree.get(TAG) in ("dict", "defaultdict", "Counter"):  # kept as pairs, but equal in any order
        pairs, *rest = tree["value"] if tree[TAG] != "dict" else [tree["value"]]
        yield tree[TAG].encode()
        yield from sorted(_digest(key) + _digest(item) for key, item in pairs)
        yield _digest(rest)
    else:
        yield from sorted(_digest(key) + _digest(item) for key, item in tree.items())


def _tensor_parts(tensor: Any) -> Iterator[bytes | memoryview]:
    import torch

    yield str(tensor.dtype).encode()
    yield repr(tuple(tensor.shape)).encode()
    flat = tensor.detach().contiguous().reshape(-1)
    if flat.numel():
        yield memoryview(flat.view(torch.uint8).numpy())


def _differences(one: Any, other: Any, path: str) -> Iterator[str]:
    if _digest(one) == _digest(other):
        return
    if type(one) is type(other) is dict and TAG not in one and TAG not in other:
        for key in [*one, *(key for key in other if key not in one)]:
            if key in one and key in other:
                yield from _differences(one[key], other[key], f"{path}[{key!r}]")
            else:
                yield f"{path}[{key!r}] (only in one of them)"
    elif type(one) is type(other) is dict and one.get(TAG) == other.get(TAG) and one[TAG] in ("OrderedDict", "dict"):
        yield from _differences(_as_dict(one), _as_dict(other), path)
    elif type(one) is type(other) and type(one) in (list, tuple) and len(one) == len(other):
        for i, (item, counterpart) in enumerate(zip(one, other, strict=True)):
            yield from _differences(item, counterpart, f"{path}[{i}]")
    else:
        yield path


def _as_dict(tree: dict[str, Any]) -> dict[Any, Any]:
    pairs = tree["value"] if tree[TAG] == "dict" else tree["value"][0]
    return {key if isinstance(key, str | int) else repr(key): item for key, item in pairs}
