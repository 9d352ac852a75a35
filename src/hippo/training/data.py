"""Samples in an order, and with chance, that depend on (seed, epoch, index) alone.

The only state is a number: samples consumed. The order of an epoch is a permutation drawn from (seed, epoch); what a
dataset draws for a sample, from python's, numpy's or torch's global generator, comes from (seed, epoch, index), behind
a fence. So it makes no difference how many loader workers there are, what they fetched ahead, and who fetched it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, default_collate

from hippo.errors import TrainerError
from hippo.training.streams import fence, seed_generators, stream_seed

#: fork shares the dataset with the loader workers; elsewhere torch's own default has to do
START_METHOD = "fork" if sys.platform == "linux" else None


class Stretch(NamedTuple):
    """Part of an epoch's order that makes one batch."""

    epoch: int
    start: int
    stop: int


class Sample(NamedTuple):
    """One sample in one epoch."""

    epoch: int
    number: int


def stretches(position: int, *, samples: int, batch_size: int, length: int) -> Iterator[Stretch]:
    """Cut the next `samples` samples into batches that cross no epoch's end; short last ones are kept.

    Args:
      position: samples consumed before.
      length: samples in an epoch.
    """
    until = position + samples
    while position < until:
        epoch, start = divmod(position, length)
        size = min(batch_size, until - position, length - start)
        yield Stretch(epoch, start, start + size)
        position += size


def check_dataset(dataset: Any) -> None:
    """Raise a `TrainerError` unless samples can be looked up by their index, and there are any."""
    is_map = hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")
    if not is_map or isinstance(dataset, IterableDataset):
        raise TrainerError(
            f"{type(dataset).__name__} is no map-style dataset: exact resumption needs __getitem__ and __len__."
        )
    if len(dataset) == 0:
        raise TrainerError(f"the {type(dataset).__name__} is empty; training and validation need samples.")


class TrainingFeed:
    """Batches of a training set for one lane.

    Args:
      dataset: map-style.
      samples_per_step: where steps end, which no batch crosses; at least 1.
      num_workers: processes that fetch ahead; 0 fetches in this one.
    """

    def __init__(self, dataset: Any, *, seed: int, samples_per_step: int, num_workers: int) -> None:
        self._source = _Source(dataset, seed, "sample")
        self._order = _Order(seed, len(self._source))
        self._samples_per_step = samples_per_step
        self._num_workers = 0 if self._source.is_tensors else num_workers
        self._ahead: Iterator[Any] | None = None
        self._expects: tuple[int, int] | None = None

    def step(self, position: int, batch_size: int) -> list[Stretch]:
        """Return the batches of the step that begins at `position`, as stretches of its epochs' orders."""
        return list(
            stretches(position, samples=self._samples_per_step, batch_size=batch_size, length=len(self._source))
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

    def close(self) -> None:
        """End the workers."""
        self._ahead = None

    def _launched(self, position: int, batch_size: int) -> Iterator[Any]:
        """Return the batches from `position` on, fetched ahead; from the queue if they lie there already."""
        if self._ahead is None or self._expects != (position, batch_size):
            self.close()  # first the old workers, then the new
            wanted = _endless(self._order, position, self._samples_per_step, batch_size)
            self._ahead = self._source.prefetch(wanted, self._num_workers)
        return self._ahead


class _Order:
    """The permutation of each epoch; the last one asked for is kept."""

    def __init__(self, seed: int, length: int) -> None:
        self.length = length
        self._seed = seed
        self._epoch = -1
        self._indices = torch.empty(0, dtype=torch.int64)

    def of(self, cut: Stretch) -> torch.Tensor:
        if self._epoch != cut.epoch:
            chance = torch.Generator().manual_seed(stream_seed(self._seed, "order", cut.epoch))
            self._indices = torch.randperm(self.length, generator=chance)
            self._epoch = cut.epoch
        return self._indices[cut.start : cut.stop]


# A function and not a method: the loader holds it, and a cycle through the feed would keep the loader's processes alive
# until the garbage collector comes by, which may then be in a forked child.
def _endless(order: _Order, position: int, samples: int, batch_size: int) -> Iterator[list[Sample]]:
    while True:
        for cut in stretches(position, samples=samples, batch_size=batch_size, length=order.length):
            yield [Sample(cut.epoch, index) for index in order.of(cut).tolist()]
        position += samples


class ValidationFeed:
    """The batches of a validation set: always the same, in the set's own order."""

    def __init__(self, dataset: Any, *, seed: int, batch_size: int, num_workers: int) -> None:
        self._source = _Source(dataset, seed, "val_sample")
        self._num_workers = num_workers
        length = len(self._source)
        self.sizes = [
            cut.stop - cut.start for cut in stretches(0, samples=length, batch_size=batch_size, length=length)
        ]

    def batches(self) -> Iterator[Any]:
        """Yield every batch once."""
        parts = torch.split(torch.arange(len(self._source)), self.sizes)
        if self._num_workers == 0 or self._source.is_tensors:
            return (self._source.fetch(0, indices) for indices in parts)
        return self._source.prefetch(
            ([Sample(0, index) for index in indices.tolist()] for indices in parts), self._num_workers
        )


class _Source:
    """A dataset with chance tied to its samples."""

    def __init__(self, dataset: Any, seed: int, stream: str) -> None:
        self.seed = seed
        #: a plain TensorDataset draws no chance, and indexing it is faster than any worker
        self.is_tensors = type(dataset) is TensorDataset
        self._dataset = dataset
        self._seeded = _SeededDataset(dataset, seed, stream)

    def __len__(self) -> int:
        return len(self._dataset)

    def fetch(self, epoch: int, indices: torch.Tensor) -> Any:
        if self.is_tensors:
            return [tensor[indices] for tensor in self._dataset.tensors]
        with fence(), _one_thread():  # one thread, like a loader worker
            return default_collate([self._seeded[Sample(epoch, index)] for index in indices.tolist()])

    def prefetch(self, batches: Iterable[list[Sample]], num_workers: int) -> Iterator[Any]:
        loader: DataLoader[Any] = DataLoader(
            self._seeded,
            batch_sampler=_Once(batches),  # type: ignore[arg-type]
            num_workers=num_workers,
            generator=torch.Generator(),  # of its own: iter() draws from it, else from the global one
            multiprocessing_context=START_METHOD,
        )
        return iter(loader)


class _SeededDataset(Dataset[Any]):
    def __init__(self, dataset: Any, seed: int, stream: str) -> None:
        self._dataset, self._seed, self._stream = dataset, seed, stream

    def __getitem__(self, sample: Sample) -> Any:
        seed_generators(stream_seed(self._seed, self._stream, sample.epoch, sample.number), devices=False)
        return self._dataset[sample.number]


class _Once:
    """An iterable of batches that the loader goes through once, in this process."""

    def __init__(self, batches: Iterable[Sequence[Sample]]) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[Sequence[Sample]]:
        return iter(self._batches)


@contextmanager
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    if threads == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def to_device(batch: Any, device: torch.device) -> Any:
    """Return `batch` with every tensor in it on `device`."""
    if isinstance(batch, torch.Tensor):
        return batch.to(device, non_blocking=True)
    if isinstance(batch, dict):
        return {key: to_device(item, device) for key, item in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(to_device(item, device) for item in batch))
    if isinstance(batch, list | tuple):
        return type(batch)(to_device(item, device) for item in batch)
    return batch
