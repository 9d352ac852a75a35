"""Equality of training states, as a hash and as a list of differences.

What counts is types, keys, dtypes, shapes and bits; not the device, the memory format, nor the order of a plain dict.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import struct
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hippo.training.codec.encoding import TAG, EncodedState, encode
from hippo.training.codec.leaves import Leaf, bytes_in_order, is_leaf

#: behind the path of two strings of bytes that differ and are pickles: what is in them may be the same
PICKLED = " (a pickle)"
#: shorter parts are hashed by one call together
_MOST_JOINED_BYTES = 4096
#: what is hashed of a float before its eight bytes
_FLOAT = len("float").to_bytes(8, "big") + b"float" + (8).to_bytes(8, "big")


def state_hash(state: object) -> str:
    """Return the SHA-256 of a state, encoded or not, in hexadecimal: equal for equal states, on any device."""
    tree, known = _hashed(state)
    digest = known[id(tree)] = _digest(tree, known)  # known from now on
    return digest.hex()


def leaf_digest(leaf: Leaf, known: dict[int, bytes]) -> bytes:
    """Return the digest of a tensor, or of bytes, as it enters the hash of a state that holds it.

    Args:
      leaf: of a state.
      known: the state's `digests`, where it is looked up or added.
    """
    return _digest(leaf, known)


def known_digests(encoded: EncodedState) -> dict[int, bytes]:
    """Return a state's `digests`, with those of all leaves that it shares with its base: each is hashed there, once."""
    if encoded.base is not None:
        for leaf in encoded.shared().values():
            if id(leaf) not in encoded.digests:
                encoded.digests[id(leaf)] = leaf_digest(leaf, encoded.base.digests)
    return encoded.digests


def difference(one: object, other: object) -> list[str]:
    """Return the paths at which two states differ, such as "state['model']['0.weight']". Empty: they are equal."""
    return list(_differences(_hashed(one), _hashed(other), "state"))


def _digest(tree: Any, known: dict[int, bytes]) -> bytes:
    """Hash the tree so that no two different trees are the same sequence of bytes: kind, length, then content.

    Args:
      tree: to be hashed.
      known: digests of leaves of the same state, by `id`; those that were not known are added.
    """
    if (digest := known.get(id(tree))) is not None:
        return digest
    kind = type(tree)
    if kind is float:  # of which a state without tensors is made: all that `_parts` says of it, at once
        return hashlib.sha256(_FLOAT + struct.pack(">d", tree)).digest()
    if kind in (str, int, bool):
        return _digest_of_word(tree)
    digest = _digest_of_parts(_parts(tree, known))
    if kind not in (list, tuple, dict) and is_leaf(tree):
        known[id(tree)] = digest
    return digest


@functools.lru_cache(maxsize=1 << 16, typed=True)
def _digest_of_word(word: str | int) -> bytes:
    """Hash a key or a count, of which states have the same at each step. No float: 0.0 and -0.0 would be one."""
    return _digest_of_parts(_parts(word, {}))


def _digest_of_parts(parts: Iterable[bytes | memoryview]) -> bytes:
    whole, small = hashlib.sha256(), bytearray()
    for part in parts:
        small += len(part).to_bytes(8, "big")
        if type(part) is bytes and len(part) < _MOST_JOINED_BYTES:
            small += part
            continue
        whole.update(small)
        whole.update(part)
        small.clear()
    whole.update(small)
    return whole.digest()


def _parts(tree: Any, known: dict[int, bytes]) -> Iterator[bytes | memoryview]:
    kind = type(tree)
    yield kind.__name__.encode()
    if kind is str:
        yield tree.encode("utf-8", "surrogatepass")
    elif kind is bytes:
        yield tree
    elif kind in (bool, int) or tree is None:
        yield repr(tree).encode() if kind is not int else hex(tree).encode()
    elif kind in (list, tuple):
        for item in tree:
            yield _digest(item, known)
    elif kind is dict:
        yield from _dict_parts(tree, known)
    else:
        yield str(tree.dtype).encode()
        yield repr(tuple(tree.shape)).encode()
        if tree.numel():
            yield bytes_in_order(tree)


def _dict_parts(tree: dict[Any, Any], known: dict[int, bytes]) -> Iterator[bytes]:
    if tree.get(TAG) in ("dict", "defaultdict", "Counter"):  # kept as pairs, but equal in any order
        pairs, *rest = tree["value"] if tree[TAG] != "dict" else [tree["value"]]
        yield tree[TAG].encode()
        yield from sorted(_digest(key, known) + _digest(item, known) for key, item in pairs)
        yield _digest(rest, known)
    else:
        yield from sorted(_digest(key, known) + _digest(item, known) for key, item in tree.items())


class _Hashed(NamedTuple):
    """A part of a state, and the digests of the state's leaves."""

    tree: Any
    known: dict[int, bytes]

    def part(self, tree: Any) -> _Hashed:
        """Return another part of the same state."""
        return _Hashed(tree, self.known)

    @property
    def digest(self) -> bytes:
        """Its digest."""
        return _digest(self.tree, self.known)


def _hashed(state: object) -> _Hashed:
    encoded = state if isinstance(state, EncodedState) else encode(state)
    return _Hashed(encoded.tree, known_digests(encoded))


def _differences(one: _Hashed, other: _Hashed, path: str) -> Iterator[str]:
    if one.digest == other.digest:
        return
    a, b = one.tree, other.tree
    if type(a) is type(b) is dict and TAG not in a and TAG not in b:
        for key in [*a, *(key for key in b if key not in a)]:
            if key in a and key in b:
                yield from _differences(one.part(a[key]), other.part(b[key]), f"{path}[{key!r}]")
            else:
                yield f"{path}[{key!r}] (only in one of them)"
    elif type(a) is type(b) is dict and a.get(TAG) == b.get(TAG) and a[TAG] in ("OrderedDict", "dict"):
        yield from _differences(one.part(_as_dict(a)), other.part(_as_dict(b)), path)
    elif type(a) is type(b) and type(a) in (list, tuple) and len(a) == len(b):
        for i, (item, counterpart) in enumerate(zip(a, b, strict=True)):
            yield from _differences(one.part(item), other.part(counterpart), f"{path}[{i}]")
    elif _is_pickle(a) and _is_pickle(b):
        yield f"{path}{PICKLED}"
    else:
        yield path


def _is_pickle(tree: Any) -> bool:
    return type(tree) is bytes and tree[:1] == pickle.PROTO and tree[-1:] == pickle.STOP


def _as_dict(tree: dict[str, Any]) -> dict[Any, Any]:
    pairs = tree["value"] if tree[TAG] == "dict" else tree["value"][0]
    return {key if isinstance(key, str | int) else repr(key): item for key, item in pairs}
