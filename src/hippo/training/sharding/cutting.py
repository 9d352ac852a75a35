"""A batch, cut into shards: always in the same way, whoever trains on them.

It refuses to know models, and where a shard goes.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from hippo.errors import TrainerError

#: what says nothing of a batch's samples but, in a list, one thing of each
_SINGLE = (str, bytes, bool, int, float, type(None))


def shard_sizes(samples: int, shards: int, *, is_short: bool) -> list[int]:
    """Return how many samples each shard of a batch has, as `torch.tensor_split` cuts: the first ones have one more.

    A short batch, at the end of a step or an epoch, has fewer shards rather than such of one sample, on which batch
    norm cannot be trained.

    Args:
      shards: of a whole batch.
    """
    count = max(1, min(shards, samples // 2)) if is_short else shards
    whole, more = divmod(samples, count)
    return [whole + (number < more) for number in range(count)]


def cut(batch: Any, sizes: Sequence[int]) -> list[Any]:
    """Return the shards of a batch, each a batch like it, of these sizes.

    Cut are tensors and numpy arrays along their first dimension, and lists with one text or number for each sample,
    within tuples, lists, dictionaries and dataclasses.

    Raises:
      TrainerError: something in it has not one entry for each sample.
    """
    ends = list(itertools.accumulate(sizes))
    return [_part(batch, ends[-1], slice(end - size, end)) for end, size in zip(ends, sizes, strict=True)]


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
