"""A batch, cut into shards: always in the same way, whoever trains on them.

It refuses to know models, and where a shard goes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import torch

from hippo.errors import TrainerError

#: what says nothing of a batch's samples but, in a list, one thing of each
_SINGLE = (str, bytes, bool, int, float, type(None))


def shard_sizes(samples: int, shards: int) -> list[int]:
    """Return how many samples each shard of a batch has, as `torch.tensor_split` cuts: the first ones have one more."""
    whole, more = divmod(samples, shards)
    return [whole + (number < more) for number in range(shards)]


def cut(batch: Any, samples: int, shards: int) -> list[Any]:
    """Return the shards of a batch, each a batch like it; as many as have a sample.

    Cut are tensors and numpy arrays along their first dimension, and lists with one text or number for each sample,
    within tuples, lists, mappings and dataclasses.

    Args:
      batch: as `collate` made it.
      samples: how many it is of.
      shards: how many there are, those without a sample included.

    Raises:
      TrainerError: something in it has not one entry for each sample.
    """
    parts, start = [], 0
    for size in shard_sizes(samples, shards):
        if size:
            parts.append(_part(batch, samples, slice(start, start + size)))
        start += size
    return parts


def _part(value: Any, samples: int, where: slice) -> Any:
    if isinstance(value, torch.Tensor) or type(value).__module__ == "numpy":
        if value.ndim == 0 or len(value) != samples:
            raise _uncuttable(f"a {type(value).__name__} of shape {tuple(value.shape)}", samples)
        part = value[where]  # copied: a pickle holds all that a tensor looks at, and no shard may change another
        return part.clone() if isinstance(part, torch.Tensor) else part.copy()
    if isinstance(value, Mapping):
        if type(value) is not dict:
            raise _uncuttable(f"a {type(value).__name__}", samples)
        return {key: _part(item, samples, where) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_part(item, samples, where) for item in value))
    if type(value) in (list, tuple):
        if all(isinstance(item, _SINGLE) for item in value):
            if len(value) != samples:
                raise _uncuttable(f"a {type(value).__name__} of {len(value)} items", samples)
            return value[where]
        return type(value)(_part(item, samples, where) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(value, **{name: _part(getattr(value, name), samples, where) for name in names})
    raise _uncuttable(f"{value!r:.60} ({type(value).__name__})", samples)


def _uncuttable(what: str, samples: int) -> TrainerError:
    return TrainerError(
        f"a batch of {samples} samples cannot be cut into shards: there is {what} in it, which has not one entry for "
        "each sample. Have collate() return tensors whose first dimension is that of samples, or set shards = 1."
    )
