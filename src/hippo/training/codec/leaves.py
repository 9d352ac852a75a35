"""The leaves of an encoded state that lie beside its tree in a file: tensors, and long strings of bytes.

Their bytes are looked at where they are, and read to where they stay; nothing here copies a leaf that is row-major.
This module refuses to know trees, files and hashes.
"""

from __future__ import annotations

import math
import re
from typing import Any, BinaryIO, NamedTuple

from hippo.training.codec.encoding import LEAST_BYTES, PLAIN

#: a dense tensor on the CPU, or bytes
Leaf = Any


class LeafForm(NamedTuple):
    """What a leaf is, beside its bytes. Plain values only: it is pickled into files."""

    #: torch's name, such as "float32"; empty for a string of bytes
    dtype: str
    shape: tuple[int, ...]
    #: in elements; bytes are stored in the order in which they lie in memory
    stride: tuple[int, ...]
    size_bytes: int


def is_leaf(value: object) -> bool:
    """Tell whether something in a tree is stored beside it."""
    if type(value) is bytes:
        return len(value) >= LEAST_BYTES
    return type(value) not in PLAIN and type(value) not in (list, tuple, dict)


def form_of(leaf: Leaf) -> LeafForm:
    """Return the form of a leaf."""
    if type(leaf) is bytes:
        return LeafForm("", (len(leaf),), (1,), len(leaf))
    name = str(leaf.dtype).removeprefix("torch.")
    return LeafForm(name, tuple(leaf.shape), tuple(leaf.stride()), leaf.numel() * leaf.element_size())


def stored_bytes(leaf: Leaf) -> memoryview:
    """Return a leaf's own bytes, in the order in which they lie in memory."""
    if type(leaf) is bytes:
        return memoryview(leaf)
    return _bytes_of(leaf.as_strided((leaf.numel(),), (1,)))


def bytes_in_order(leaf: Leaf) -> memoryview:
    """Return a tensor's bytes in row-major order, whatever its strides; a copy only where they lie otherwise."""
    return _bytes_of(leaf if leaf.is_contiguous() else _row_major(leaf))


def as_dense(leaf: Leaf) -> Leaf:
    """Return a leaf without gaps between its elements: itself, or a row-major copy."""
    if type(leaf) is bytes:
        return leaf
    expected = 1
    for stride, size in sorted(zip(leaf.stride(), leaf.shape, strict=True)):
        if size != 1:
            if stride != expected:
                return leaf.contiguous()
            expected *= size
    return leaf


def read_leaf(form: LeafForm, source: BinaryIO) -> Leaf:
    """Read the bytes of a leaf from where `source` stands to where they stay.

    Raises:
      EOFError: there are fewer.
      ValueError: no leaf has such a form.
    """
    if not form.dtype:
        data = bytearray(form.size_bytes)
        _fill(memoryview(data), source)
        return bytes(data)
    leaf = _empty(form)
    _fill(stored_bytes(leaf), source)
    return leaf


def _empty(form: LeafForm) -> Leaf:
    import torch

    dtype = getattr(torch, form.dtype, None) if re.fullmatch(r"\w+", form.dtype) else None
    if not isinstance(dtype, torch.dtype) or math.prod(form.shape) * dtype.itemsize != form.size_bytes:
        raise ValueError(f"a tensor of {form.dtype!r} and shape {form.shape} does not have {form.size_bytes} bytes")
    return torch.empty_strided(form.shape, form.stride, dtype=dtype)


def _fill(view: memoryview, source: BinaryIO) -> None:
    while view.nbytes:
        read = source.readinto(view)  # type: ignore[attr-defined]
        if not read:
            raise EOFError(f"{view.nbytes} bytes are missing at its end")
        view = view[read:]


def _bytes_of(flat: Leaf) -> memoryview:
    import torch

    if not flat.numel():
        return memoryview(b"")
    return memoryview(flat.detach().reshape(-1).view(torch.uint8).numpy())


def _row_major(tensor: Leaf) -> Leaf:
    # By numpy, for this may run beside the training thread, and torch would start threads of its own to copy.
    import numpy
    import torch

    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}.get(tensor.element_size())
    plain = tensor.detach().view(bits) if bits is not None else tensor.detach()
    return torch.from_numpy(numpy.ascontiguousarray(plain.numpy()))
