"""In which order the samples of an epoch come: a function of (seed, epoch) alone.

By default each epoch is a permutation of its own. A user's sampler may say something else: some samples often and
others never, any number of them, or groups that no batch mixes. It refuses to know what samples are, and how far
anybody has come.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sized
from types import FunctionType
from typing import Any, NamedTuple, Protocol
from weakref import WeakSet

import torch

from hippo.errors import TrainerError
from hippo.training.process.streams import fence, seed_generators, stream_seed

#: epoch -> indices of samples in their order, or groups of such
Sampler = Callable[[int], Iterable[Any]]
#: epochs that are kept: a loader that fetches ahead is in a later one than training
_KNOWN_EPOCHS = 4


class EpochPosition(NamedTuple):
    """A place between two samples of an epoch."""

    epoch: int
    start: int


class BatchRange(NamedTuple):
    """Part of an epoch's order that makes one batch."""

    epoch: int
    start: int
    stop: int


class SampleOrder(Protocol):
    """The order of the samples of each epoch."""

    def length(self, epoch: int) -> int:
        """Return how many samples an epoch has, at least 1."""

    def group_end(self, epoch: int, start: int) -> int:
        """Return where the group that holds `start` ends, which no batch crosses."""

    def of(self, cut: BatchRange) -> torch.Tensor:
        """Return the indices of the samples of a batch."""


def batch_ranges(
    order: SampleOrder, at: EpochPosition, *, samples: int | None, batch_size: int
) -> Iterator[BatchRange]:
    """Cut the next samples into batches that cross no end of an epoch or a group; short last ones are kept.

    Args:
      at: where to begin.
      samples: how many; None: until the epoch ends.
    """
    epoch, start = at
    if start == order.length(epoch):
        epoch, start = epoch + 1, 0
    left = order.length(epoch) - start if samples is None else samples
    while left:
        if start == order.length(epoch):
            epoch, start = epoch + 1, 0
        stop = min(start + batch_size, start + left, order.group_end(epoch, start))
        yield BatchRange(epoch, start, stop)
        left -= stop - start
        start = stop


class ShuffledOrder:
    """A permutation of all samples in each epoch; the last one asked for is kept."""

    def __init__(self, seed: int, length: int) -> None:
        self._length = length
        self._seed = seed
        self._epoch = -1
        self._indices = torch.empty(0, dtype=torch.int64, device="cpu")

    def length(self, epoch: int) -> int:
        return self._length

    def group_end(self, epoch: int, start: int) -> int:
        return self._length

    def of(self, cut: BatchRange) -> torch.Tensor:
        if self._epoch != cut.epoch:
            chance = torch.Generator("cpu").manual_seed(stream_seed(self._seed, "order", cut.epoch))
            self._indices = torch.randperm(self._length, generator=chance, device="cpu")
            self._epoch = cut.epoch
        return self._indices[cut.start : cut.stop]


class _GivenEpoch(NamedTuple):
    indices: torch.Tensor
    #: where the group of each place ends
    group_ends: list[int]


class GivenOrder:
    """The order that a user's sampler gives.

    It is called with nothing but the epoch, and global generators seeded by (seed, epoch): so a torch `Sampler` that
    draws from them comes out the same wherever training goes on.

    Args:
      sampler: the user's.
      seed: the study's.
      length: of the data set.
    """

    def __init__(self, sampler: Sampler, seed: int, length: int) -> None:
        self._sampler = sampler
        self._seed = seed
        self._length = length
        self._epochs: OrderedDict[int, _GivenEpoch] = OrderedDict()

    def length(self, epoch: int) -> int:
        return len(self._given(epoch).indices)

    def group_end(self, epoch: int, start: int) -> int:
        return self._given(epoch).group_ends[start]

    def of(self, cut: BatchRange) -> torch.Tensor:
        return self._given(cut.epoch).indices[cut.start : cut.stop]

    def _given(self, epoch: int) -> _GivenEpoch:
        if epoch not in self._epochs:
            given = self._asked(epoch)
            function = getattr(self._sampler, "__func__", self._sampler)
            if not (isinstance(function, FunctionType) and function in _steady):
                _require_same(given, self._asked(epoch), epoch)
                if isinstance(function, FunctionType):
                    _steady.add(function)
            self._epochs[epoch] = given
            if len(self._epochs) > _KNOWN_EPOCHS:
                self._epochs.popitem(last=False)
        return self._epochs[epoch]

    def _asked(self, epoch: int) -> _GivenEpoch:
        with fence():
            seed_generators(stream_seed(self._seed, "sampler", epoch))
            given = self._sampler(epoch)
            # torch's samplers draw while one goes through them
            listed = given.tolist() if hasattr(given, "tolist") else list(_iterable(given))
        return _checked(listed, epoch, self._length)


#: users' functions that gave an epoch's order twice: asking again for each lane would cost much where they sort texts
_steady: WeakSet[FunctionType] = WeakSet()


def _require_same(given: _GivenEpoch, again: _GivenEpoch, epoch: int) -> None:
    """Refuse a sampler that depends on what it was asked before: a trial that goes on elsewhere asks for less.

    Raises:
      TrainerError: it gave another order when it was asked again.
    """
    if not torch.equal(given.indices, again.indices) or given.group_ends != again.group_ends:
        raise TrainerError(
            f"sampler({epoch}) gave another order when it was asked again, so that a trial that goes on from a "
            "checkpoint would train on other samples. Draw from the global generators, which are seeded for each "
            "epoch, or from one made in each call (torch.Generator().manual_seed(epoch)), and count by the epoch alone"
        )


def _iterable(given: Any) -> Iterable[Any]:
    if isinstance(given, str | bytes | dict) or not isinstance(given, Iterable):
        raise TrainerError(
            f"sampler() returned {given!r:.80}; return the indices of an epoch's samples in their order, as a list, a "
            "tensor or a torch.utils.data.Sampler"
        )
    return given


def _checked(listed: list[Any], epoch: int, length: int) -> _GivenEpoch:
    groups = listed if listed and isinstance(listed[0], Sized) and _has_length(listed[0]) else [listed]
    tensors = [_indices(list(group) if isinstance(group, tuple) else group, epoch) for group in groups]
    indices = torch.cat(tensors)
    if not len(indices):
        raise TrainerError(f"sampler({epoch}) gave no samples: an epoch has at least one")
    low, high = int(indices.min()), int(indices.max())
    if low < 0 or high >= length:
        wrong = low if low < 0 else high
        raise TrainerError(f"sampler({epoch}) gave index {wrong}, but the training set has samples 0 to {length - 1}")
    ends, start = list[int](), 0
    for tensor in tensors:
        start += len(tensor)
        ends += [start] * len(tensor)
    return _GivenEpoch(indices, ends)


def _has_length(thing: Any) -> bool:
    return not (isinstance(thing, torch.Tensor) and thing.ndim == 0)


def _indices(group: Any, epoch: int) -> torch.Tensor:
    try:
        indices = torch.as_tensor(group, device="cpu")
    except (TypeError, ValueError, RuntimeError):
        indices = torch.empty(0, 0)
    if len(indices) == 0 and indices.ndim == 1:
        return indices.to(torch.int64)
    if indices.ndim != 1 or indices.is_floating_point() or indices.is_complex() or indices.dtype == torch.bool:
        raise TrainerError(
            f"sampler({epoch}) gave {group!r:.80}; give whole numbers, the indices of samples, or lists of such, which "
            "no batch mixes"
        )
    return indices.to("cpu", torch.int64)
