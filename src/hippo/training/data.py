"""Samples in an order that depends on (seed, epoch) alone, cut into batches.

The only state is a number: samples consumed. So it makes no difference how many loader workers there are and what
they fetched ahead. How one sample is fetched is the business of `samples`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from hippo.training.sample_chance import SampleChance
from hippo.training.samples import Sample, SampleSource, is_same_look
from hippo.training.streams import stream_seed
from hippo.training.values import HparamValues


class BatchRange(NamedTuple):
    """Part of an epoch's order that makes one batch."""

    epoch: int
    start: int
    stop: int


def batch_ranges(position: int, *, samples: int, batch_size: int, length: int) -> Iterator[BatchRange]:
    """Cut the next `samples` samples into batches that cross no epoch's end; short last ones are kept.

    Args:
      position: samples consumed before.
      length: samples in an epoch.
    """
    until = position + samples
    while position < until:
        epoch, start = divmod(position, length)
        size = min(batch_size, until - position, length - start)
        yield BatchRange(epoch, start, start + size)
        position += size


class TrainingFeed:
    """Batches of a training set for one lane.

    Args:
      dataset: map-style.
      samples_per_step: where steps end, which no batch crosses; at least 1.
      num_workers: processes that fetch ahead; 0 fetches in this one.
      known: what earlier feeds found out about the data set's chance.
    """

    def __init__(
        self, dataset: Any, *, seed: int, samples_per_step: int, num_workers: int, known: SampleChance | None = None
    ) -> None:
        self._source = SampleSource(dataset, known or SampleChance(seed, "sample"))
        self._order = _Order(seed, len(self._source))
        self._samples_per_step = samples_per_step
        self._num_workers = 0 if self._source.is_tensors else num_workers
        self._ahead: Iterator[Any] | None = None
        self._expects: tuple[int, int] | None = None
        self._looked: list[Any] = []

    def give(self, values: HparamValues) -> None:
        """Hand the values in force to the data set if it wants them; what was fetched under others is thrown away."""
        if self._source.give(values):
            self.flush()

    def flush(self) -> None:
        """Throw away what was fetched ahead: the data set may not be what it was."""
        self._expects = None
        self._source.may_have_changed()

    def step(self, position: int, batch_size: int) -> list[BatchRange]:
        """Return the batches of the step that begins at `position`, as ranges of its epochs' orders."""
        return list(
            batch_ranges(position, samples=self._samples_per_step, batch_size=batch_size, length=len(self._source))
        )

    def batches(self, position: int, batch_size: int) -> Iterator[Any]:
        """Yield the batches of the step that begins at `position`, in the order of `step`."""
        cuts = self.step(position, batch_size)
        if self._num_workers == 0:
            yield from (self._source.fetch(cut.epoch, self._order.of(cut)) for cut in cuts)
            return
        ahead = self._launched(position, batch_size)
        self._expects = None  # until the step is through, nobody may go on from here
        for _ in cuts:
            yield next(ahead)
        self._expects = (position + self._samples_per_step, batch_size)

    def restart(self) -> None:
        """Fetch nothing that was meant for another state."""
        self._expects = None
        self.close()

    def close(self) -> None:
        """End the workers."""
        self._ahead = None

    def _launched(self, position: int, batch_size: int) -> Iterator[Any]:
        """Return the batches from `position` on, fetched ahead; from the queue if they lie there already."""
        if self._ahead is None or self._expects != (position, batch_size) or self._has_changed():
            self.close()  # first the old workers, then the new
            self._looked = self._source.look()
            wanted = _endless(self._order, position, self._samples_per_step, batch_size)
            self._ahead = self._source.prefetch(wanted, self._num_workers)
        return self._ahead

    def _has_changed(self) -> bool:
        """Whether somebody changed the data set behind the workers, who have it as it was when they began."""
        return not is_same_look(self._looked, self._source.look())


class _Order:
    """The permutation of each epoch; the last one asked for is kept."""

    def __init__(self, seed: int, length: int) -> None:
        self.length = length
        self._seed = seed
        self._epoch = -1
        self._indices = torch.empty(0, dtype=torch.int64)

    def of(self, cut: BatchRange) -> torch.Tensor:
        if self._epoch != cut.epoch:
            chance = torch.Generator().manual_seed(stream_seed(self._seed, "order", cut.epoch))
            self._indices = torch.randperm(self.length, generator=chance)
            self._epoch = cut.epoch
        return self._indices[cut.start : cut.stop]


# A function and not a method: the loader holds it, and a cycle through the feed would keep the loader's processes alive
# until the garbage collector comes by, which may then be in a forked child.
def _endless(order: _Order, position: int, samples: int, batch_size: int) -> Iterator[list[Sample]]:
    while True:
        for cut in batch_ranges(position, samples=samples, batch_size=batch_size, length=order.length):
            yield [Sample(cut.epoch, index) for index in order.of(cut).tolist()]
        position += samples


class ValidationFeed:
    """The batches of a validation set: always the same, in the set's own order."""

    def __init__(
        self, dataset: Any, *, seed: int, batch_size: int, num_workers: int, known: SampleChance | None = None
    ) -> None:
        self._source = SampleSource(dataset, known or SampleChance(seed, "val_sample"))
        self._num_workers = num_workers
        length = len(self._source)
        self.sizes = [
            cut.stop - cut.start for cut in batch_ranges(0, samples=length, batch_size=batch_size, length=length)
        ]

    def give(self, values: HparamValues) -> None:
        """Hand the values in force to the data set if it wants them."""
        self._source.give(values)

    def batches(self) -> Iterator[Any]:
        """Yield every batch once."""
        parts = torch.split(torch.arange(len(self._source)), self.sizes)
        if self._num_workers == 0 or self._source.is_tensors:
            return (self._source.fetch(0, indices) for indices in parts)
        return self._source.prefetch(
            ([Sample(0, index) for index in indices.tolist()] for indices in parts), self._num_workers
        )


def to_device(batch: Any, device: torch.device) -> Any:
    """Return `batch` with every tensor in it on `device`."""
    if isinstance(batch, torch.Tensor):
        return batch if batch.device == device else batch.to(device, non_blocking=True)
    if isinstance(batch, dict):
        return {key: to_device(item, device) for key, item in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(to_device(item, device) for item in batch))
    if isinstance(batch, list | tuple):
        return type(batch)(to_device(item, device) for item in batch)
    return batch
