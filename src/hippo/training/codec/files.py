"""Encoded states as files: the layout of safetensors, with the tree and the digests of all tensors at the end.

    length of the header, 8 bytes | header, JSON | bytes of tensor 0 | ... | tree, pickled | digests, 32 bytes each

Any reader of safetensors sees the tensors under their paths; the last entry, `hippo.tree`, holds all the rest: plain
values, with a number in the place of each tensor, then the digest of each. A tensor's digest is what the state's hash
is made of, so each byte is hashed once, for both questions: is this state that state, and is this file whole. What is
recorded with a checkpoint is the SHA-256 of header, tree and digests, from which all else follows.

A state of plain values alone is a pickle behind a header of its own. Files of earlier versions were made by torch, and
are still read. Reading runs no code that a file names: what unpickles a tree refuses every global, and so does torch.
Tensors are read one by one to where they stay.
This module refuses to know stores, keys, and why a state is written.
"""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple, NoReturn

from hippo.errors import CheckpointError, CorruptCheckpointError, MissingCheckpointError
from hippo.training.codec.bases import BaseNeed
from hippo.training.codec.encoding import EncodedState
from hippo.training.codec.hashing import known_digests, leaf_digest, state_hash
from hippo.training.codec.leaves import Leaf, LeafForm, form_of, is_leaf, read_leaf, stored_bytes

FindBase = Callable[[BaseNeed], EncodedState]

#: begins a file of plain values
PLAIN_HEADER = b"hippo state 1\n"
#: begins a file of torch's: it is a zip archive
_TORCH_HEADER = b"PK\x03\x04"
#: how the header of a file begins; JSON keeps the order of what it is given
HEADER = b'{"__metadata__":{"format":"hippo state 2"},'
TREE = "hippo.tree"
_LENGTH_BYTES = 8
_DIGEST_BYTES = 32
#: hashing less than this in a thread of its own takes longer
_LEAST_THREADED_BYTES = 1 << 20
#: hashing is slower than reading: two keep up
_HASHING_THREADS = 2
#: safetensors' names of types; a tensor of another one is shown there as bytes
_DTYPES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16", "float16": "F16", "bfloat16": "BF16",
    "int32": "I32", "uint32": "U32", "float32": "F32", "float64": "F64", "int64": "I64", "uint64": "U64",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
}  # fmt: skip


def write_state(encoded: EncodedState, file: BinaryIO, *, is_difference: bool = False) -> str:
    """Write `encoded` into `file`, from beginning to end.

    Args:
      encoded: a state.
      file: open to be written.
      is_difference: leave out what it shares with its base; it can be read only where that is to be had.

    Returns:
      What `read_state` needs to tell that the file is whole: a SHA-256, hexadecimal.
    """
    if not encoded.leaves:
        data = PLAIN_HEADER + pickle.dumps({"size_bytes": encoded.size_bytes, "tree": encoded.tree}, protocol=4)
        file.write(data)
        return hashlib.sha256(data).hexdigest()
    digests_of = known_digests(encoded)
    pickler = _TreePickler(encoded, encoded.shared() if is_difference else {})
    forms = [form_of(leaf) for leaf in pickler.leaves]
    tree = pickler.pickled(forms)
    header = _header(pickler.names, forms, len(tree) + _DIGEST_BYTES * (len(forms) + len(pickler.left_out)))
    file.write(header)
    digests = bytearray()
    for leaf in pickler.leaves:
        digests += leaf_digest(leaf, digests_of)
        file.write(stored_bytes(leaf))
    for leaf in pickler.left_out.values():
        digests += digests_of[id(leaf)]
    file.write(tree + digests)
    return _sha256(header, tree + digests)


def read_state(
    source: BinaryIO | bytes, *, sha256: str = "", name: str = "this state", find_base: FindBase | None = None
) -> EncodedState:
    """Return the state that `write_state` wrote.

    Args:
      source: a file, open at its beginning, or all of its bytes.
      sha256: what `write_state` returned. Empty: not known, and then only tensors are verified.
      name: of the file, for messages.
      find_base: returns the base that is needed, or one that has those very tensors.

    Raises:
      CorruptCheckpointError: these bytes are no state of ours, or not those that were written.
    """
    file = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        begin = file.read(_LENGTH_BYTES + len(HEADER))
        if begin.startswith((PLAIN_HEADER, _TORCH_HEADER)):
            return _read_whole(begin + file.read(), sha256, name)
        return _read(file, begin, sha256, name, find_base or _no_base)
    except (pickle.UnpicklingError, RuntimeError, EOFError, LookupError, TypeError, ValueError, MemoryError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CorruptCheckpointError(f"{name} is not a state written by hippo: {error}") from error


def verify(file: BinaryIO, *, sha256: str, name: str) -> BaseNeed | None:
    """See to it that a file is whole, and return the base that it is written beside; None: it has all of its state.

    Args:
      file: open at its beginning.
      sha256: what `write_state` returned.
      name: of the file, for messages.

    Raises:
      CorruptCheckpointError: it is not what was written.
    """
    need: BaseNeed | None = None

    def note_need(needed: BaseNeed) -> NoReturn:
        nonlocal need
        need = needed
        raise _NeedsBase

    try:
        read_state(file, sha256=sha256, name=name, find_base=note_need)
    except _NeedsBase:
        file.seek(0)
        begin = file.read(_LENGTH_BYTES + len(HEADER))
        header_bytes, contents = _ends(file, begin, sha256, name)
        file.seek(header_bytes)
        _leaves(file, contents, name)
    return need


class _NeedsBase(Exception):
    """What is verified needs a base, which nobody looks for."""


# ------------------------------------------------------------------------------------------------------- writing


class _TreePickler(pickle.Pickler):
    """Pickles a tree without its leaves, which it collects.

    Args:
      encoded: whose tree.
      shared: leaves that are to be left out of the file, by their paths.
    """

    def __init__(self, encoded: EncodedState, shared: Mapping[str, Leaf]) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, protocol=4)
        self._encoded = encoded
        self._paths = {id(leaf): path for path, leaf in encoded.leaves.items()}
        self.left_out = dict(shared)
        #: 0, 1, ... for leaves in the file, -1, -2, ... for those that are left out
        self._numbers = {id(leaf): -1 - number for number, leaf in enumerate(shared.values())}
        #: in the order in which they are stored
        self.leaves: list[Leaf] = []
        #: their paths
        self.names: list[str] = []
        self.dump(encoded.tree)

    def persistent_id(self, value: Any) -> int | None:
        if not is_leaf(value):
            return None
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.leaves)
            self.leaves.append(value)
            self.names.append(self._paths.get(id(value), f"leaf {len(self.names)}"))
        return self._numbers[id(value)]

    def pickled(self, forms: list[LeafForm]) -> bytes:
        """Return the tree, behind what tells what its leaves are."""
        base = state_hash(self._encoded.base) if self.left_out else None
        content = (self._encoded.size_bytes, [tuple(form) for form in forms], self.names, base, list(self.left_out))
        return pickle.dumps(content, protocol=4) + self._bytes.getvalue()


def _header(names: list[str], forms: list[LeafForm], tree_bytes: int) -> bytes:
    """Return the length of the header, and the header: an entry for each leaf, and one for the tree behind them."""
    entries: dict[str, Any] = {}
    end = 0
    for name, form in zip(names, forms, strict=True):
        begin, end = end, end + form.size_bytes
        shown = _DTYPES.get(form.dtype)
        # as the bytes lie: a tensor with other strides is shown with its dimensions in their order
        order = sorted(range(len(form.shape)), key=lambda dim: -form.stride[dim])
        shape = [form.shape[dim] for dim in order] if shown else [form.size_bytes]
        entries[name] = {"dtype": shown or "U8", "shape": shape, "data_offsets": [begin, end]}
    entries[TREE] = {"dtype": "U8", "shape": [tree_bytes], "data_offsets": [end, end + tree_bytes]}
    text = HEADER + json.dumps(entries, separators=(",", ":")).encode()[1:]
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(_LENGTH_BYTES, "little") + text


def _sha256(header: bytes, end: bytes) -> str:
    whole = hashlib.sha256(header)
    whole.update(end)
    return whole.hexdigest()


# ------------------------------------------------------------------------------------------------------- reading


class _Contents(NamedTuple):
    """What a file says of its leaves, and of those that it leaves out."""

    size_bytes: int
    forms: list[LeafForm]
    names: list[str]
    digests: list[bytes]
    need: BaseNeed | None
    #: the pickled tree
    tree: bytes


def _read_whole(data: bytes, sha256: str, name: str) -> EncodedState:
    """Read a file of plain values, or of torch's: their SHA-256 is that of all bytes."""
    if sha256 and hashlib.sha256(data).hexdigest() != sha256:
        raise CorruptCheckpointError(f"{name} has the right size, but its bytes were altered (SHA-256).")
    if data.startswith(PLAIN_HEADER):
        content = _TreeUnpickler(io.BytesIO(data[len(PLAIN_HEADER) :]), []).load()
        return EncodedState(content["tree"], content["size_bytes"])
    import torch

    content = torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
    whole = EncodedState(content["tree"], content["size_bytes"])
    found = _TreePickler(whole, {})  # such a file tells no paths, and without leaves it would be taken for plain values
    return replace(whole, leaves=dict(zip(found.names, found.leaves, strict=True)))


def _ends(file: BinaryIO, begin: bytes, sha256: str, name: str) -> tuple[int, _Contents]:
    """Return how long the header of a file is, and what the file says at its end."""
    if begin[_LENGTH_BYTES:] != HEADER:
        raise CorruptCheckpointError(f"{name} is not a state written by hippo: it begins with {begin[:16]!r}")
    length = int.from_bytes(begin[:_LENGTH_BYTES], "little")
    if length > (size := file.seek(0, io.SEEK_END)):
        raise CorruptCheckpointError(f"{name} is not whole: it has {size} bytes, and a header of {length}")
    file.seek(0)
    header = file.read(_LENGTH_BYTES + length)
    start, _ = json.loads(header[_LENGTH_BYTES:])[TREE]["data_offsets"]
    file.seek(len(header) + start)
    end = file.read()
    if sha256 and _sha256(header, end) != sha256:
        raise CorruptCheckpointError(f"{name} has the right size, but its bytes were altered (SHA-256).")
    return len(header), _contents(end)


def _read(file: BinaryIO, begin: bytes, sha256: str, name: str, find_base: FindBase) -> EncodedState:
    header_bytes, contents = _ends(file, begin, sha256, name)
    base = None if contents.need is None else find_base(contents.need)  # first: without it the rest is of no use
    file.seek(header_bytes)
    leaves = dict(zip(contents.names, _leaves(file, contents, name), strict=True))
    numbered = [*leaves.values()]
    digests = {id(leaf): digest for leaf, digest in zip(numbered, contents.digests, strict=True)}
    if base is not None and contents.need is not None:
        left_out = {path: base.leaves[path] for path in contents.need.names}
        leaves |= left_out
        numbered += reversed(left_out.values())  # so that -1 is the first of them
        digests |= {id(leaf): digest for leaf, digest in zip(left_out.values(), contents.need.digests, strict=True)}
    tree = _TreeUnpickler(io.BytesIO(contents.tree), numbered).load()
    return EncodedState(tree, contents.size_bytes, leaves, digests, base)


def _contents(end: bytes) -> _Contents:
    file = io.BytesIO(end)
    size_bytes, forms, names, base, left_out = _TreeUnpickler(file, []).load()
    at = len(end) - _DIGEST_BYTES * (len(forms) + len(left_out))
    digests = [end[here : here + _DIGEST_BYTES] for here in range(at, len(end), _DIGEST_BYTES)]
    need = BaseNeed(base, tuple(left_out), tuple(digests[len(forms) :])) if left_out else None
    found = [LeafForm(*form) for form in forms]
    return _Contents(size_bytes, found, names, digests[: len(forms)], need, end[file.tell() : at])


def _leaves(file: BinaryIO, contents: _Contents, name: str) -> list[Leaf]:
    """Read the leaves one by one, while threads hash those that are there."""
    is_threaded = sum(form.size_bytes for form in contents.forms) >= _LEAST_THREADED_BYTES
    leaves: list[Leaf] = []
    found: list[Future[bytes] | bytes] = []
    with ThreadPoolExecutor(_HASHING_THREADS) if is_threaded else nullcontext() as pool:
        for form in contents.forms:
            leaves.append(read_leaf(form, file))
            found.append(pool.submit(leaf_digest, leaves[-1], {}) if pool else leaf_digest(leaves[-1], {}))
    for path, each, expected in zip(contents.names, found, contents.digests, strict=True):
        if (each.result() if isinstance(each, Future) else each) != expected:
            raise CorruptCheckpointError(f"{name} has the right size, but its bytes were altered (SHA-256): {path}")
    return leaves


def _no_base(need: BaseNeed) -> NoReturn:
    raise MissingCheckpointError(f"it was written beside a base, {need.state_hash[:16]}, which is not to be had here")


class _TreeUnpickler(pickle.Unpickler):
    """Unpickles plain values, with leaves in the places of their numbers."""

    def __init__(self, file: BinaryIO, leaves: list[Leaf]) -> None:
        super().__init__(file)
        self._leaves = leaves

    def persistent_load(self, number: Any) -> Leaf:
        return self._leaves[number]

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it names {module}.{name}, and a state names no code")
