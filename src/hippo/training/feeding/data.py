"""Samples in an order that depends on (seed, epoch) alone, cut into batches.

The only state is a position. So it makes no difference how many loader workers there are and what they fetched ahead.
How one sample is fetched is the business of `samples`, and in which order they come that of `orders`.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

from hippo.training.feeding.orders import (
    EpochPosition,
    GivenOrder,
    SampleOrder,
    Sampler,
    ShuffledOrder,
    batch_ranges,
)
from hippo.training.feeding.sample_chance import Collate, SampleChance
from hippo.training.feeding.samples import EpochSamples, SampleSource, is_same_look, require_length
from hippo.training.values import HparamValues


class StepBatch(NamedTuple):
    """A batch, and where in its step it stands."""

    batch: Any
    #: how many samples are in it
    samples: int
    #: how much of its step lies before it, in [0, 1)
    share: float


class TrainingFeed:
    """Batches of a training set for one lane, and how far the lane has come.

    Args:
      dataset: map-style.
      samples_per_step: where steps end, which no batch crosses; None: where epochs end.
      num_workers: processes that fetch ahead; 0 fetches in this one.
      known: what earlier feeds found out about the data set's chance.
      collate: makes a batch of a list of samples; None: as torch does.
      sampler: the order of samples by epoch; None: a permutation.
    """

    def __init__(
        self,
        dataset: Any,
        *,
        seed: int,
        samples_per_step: int | None = None,
        num_workers: int = 0,
        known: SampleChance | None = None,
        collate: Collate | None = None,
        sampler: Sampler | None = None,
        values: HparamValues | None = None,
    ) -> None:
        self._source = SampleSource(dataset, known or SampleChance(seed, "sample"), collate)
        length = self._of = self._source.length_under(values, "train_set")
        self._length = length if sampler is None else None
        self._order: SampleOrder = ShuffledOrder(seed, length) if sampler is None else GivenOrder(sampler, seed, length)
        self._samples_per_step = length if samples_per_step is None and sampler is None else samples_per_step
        self._num_workers = 0 if self._source.is_tensors else num_workers
        self._ahead: Iterator[Any] | None = None
        self._expects: tuple[EpochPosition, int] | None = None
        self._looked: list[Any] = []
        self._at, self._samples, self._steps = EpochPosition(0, 0), 0, 0

    @property
    def samples(self) -> int:
        """How many samples were given out."""
        return self._samples

    @property
    def steps(self) -> int:
        """How many steps are behind."""
        if self._length is None or self._samples_per_step is None:
            return self._steps
        return self._samples // self._samples_per_step

    def state_dict(self) -> dict[str, Any]:
        """Return the position: samples given out; where a sampler says how long epochs are, also what they tell not."""
        if self._length is not None:
            return {"samples": self._samples}
        return {"samples": self._samples, "position": {"steps": self._steps, **self._at._asdict()}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a position."""
        self._samples = state["samples"]
        if self._length is not None:
            self._at = EpochPosition(*divmod(self._samples, self._length))
        else:
            position = state["position"]
            self._at, self._steps = EpochPosition(position["epoch"], position["start"]), position["steps"]

    def give(self, values: HparamValues) -> None:
        """Hand the values in force to the data set if it wants them; what was fetched under others is thrown away."""
        if self._source.give(values):
            require_length(self._source, self._of)
            self.flush()

    def flush(self) -> None:
        """Throw away what was fetched ahead: the data set may not be what it was."""
        self._expects = None
        self._source.may_have_changed()

    def step(self, batch_size: int) -> Iterator[StepBatch]:
        """Yield the batches of the next step. Each counts as given out when it is yielded."""
        if self._length is not None:  # else the sampler says what an epoch is
            require_length(self._source, self._length)
        begin = self._at
        cuts = list(batch_ranges(self._order, begin, samples=self._samples_per_step, batch_size=batch_size))
        ahead = self._launched(batch_size) if self._num_workers else None
        self._expects = None  # until the step is through, nobody may go on from here
        for number, cut in enumerate(cuts):
            batch = self._source.fetch(cut.epoch, self._order.of(cut)) if ahead is None else next(ahead)
            self._at = EpochPosition(cut.epoch, cut.stop)
            self._samples += cut.stop - cut.start
            if number + 1 == len(cuts):  # now: whoever takes as many batches as another feed gives never comes back
                self._steps += 1
                self._expects = (self._at, batch_size)
            yield StepBatch(batch, cut.stop - cut.start, number / len(cuts))

    def restart(self) -> None:
        """Fetch nothing that was meant for another state."""
        self._expects = None
        self.close()

    def close(self) -> None:
        """End the workers."""
        self._ahead = None

    def _launched(self, batch_size: int) -> Iterator[Any]:
        """Return the batches from here on, fetched ahead; from the queue if they lie there already."""
        if self._ahead is None or self._expects != (self._at, batch_size) or self._has_changed():
            self.close()  # first the old workers, then the new
            self._looked = self._source.look()
            wanted = _endless(self._order, self._at, self._samples_per_step, batch_size)
            self._ahead = self._source.prefetch(wanted, self._num_workers)
        return self._ahead

    def _has_changed(self) -> bool:
        """Whether somebody changed the data set behind the workers, who have it as it was when they began."""
        return not is_same_look(self._looked, self._source.look())


# A function and not a method: the loader holds it, and a cycle through the feed would keep the loader's processes alive
# until the garbage collector comes by, which may then be in a forked child.
def _endless(order: SampleOrder, at: EpochPosition, samples: int | None, batch_size: int) -> Iterator[EpochSamples]:
    while True:
        for cut in batch_ranges(order, at, samples=samples, batch_size=batch_size):
            yield EpochSamples(cut.epoch, order.of(cut).tolist())
            at = EpochPosition(cut.epoch, cut.stop)


class ValidationFeed:
    """The batches of a validation set: always the same, in the set's own order."""

    def __init__(
        self,
        dataset: Any,
        *,
        seed: int,
        batch_size: int,
        num_workers: int = 0,
        known: SampleChance | None = None,
        collate: Collate | None = None,
        values: HparamValues | None = None,
    ) -> None:
        self._source = SampleSource(dataset, known or SampleChance(seed, "val_sample"), collate)
        self._num_workers = num_workers
        length = self._of = self._source.length_under(values, "val_set")
        self.sizes = [min(batch_size, length - start) for start in range(0, length, batch_size)]

    def give(self, values: HparamValues) -> None:
        """Hand the values in force to the data set if it wants them."""
        if self._source.give(values):
            require_length(self._source, self._of)

    def batches(self, numbers: Iterable[int] | None = None) -> Iterator[Any]:
        """Yield every batch once, or those of these numbers."""
        require_length(self._source, self._of)
        parts: Sequence[torch.Tensor] = torch.split(torch.arange(len(self._source), device="cpu"), self.sizes)
        if numbers is not None:
            parts = [parts[number] for number in numbers]
        if self._num_workers == 0 or self._source.is_tensors:
            return (self._source.fetch(0, indices) for indices in parts)
        return self._source.prefetch((EpochSamples(0, indices.tolist()) for indices in parts), self._num_workers)


def to_device(batch: Any, device: torch.device) -> Any:
    """Return `batch` with every tensor in it on `device`.

    Looked into are lists, tuples, dictionaries and dataclasses. What has a method `to`, such as a `PackedSequence` or a
    tokenizer's `BatchEncoding`, is asked to go there itself. All else stays as it is.
    """
    if isinstance(batch, torch.Tensor):
        return batch if batch.device == device else batch.to(device, non_blocking=True)
    if callable(getattr(batch, "to", None)) and not isinstance(batch, type):
        moved = batch.to(device)
        return batch if moved is None else moved  # some libraries move in place, and return nothing
    if isinstance(batch, dict):
        return {key: to_device(item, device) for key, item in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(to_device(item, device) for item in batch))
    if isinstance(batch, list | tuple):
        return type(batch)(to_device(item, device) for item in batch)
    if dataclasses.is_dataclass(batch) and not isinstance(batch, type):
        moved = copy.copy(batch)
        for field in dataclasses.fields(batch):
            if hasattr(batch, field.name):  # past a frozen class's __setattr__, and an __init__ with other arguments
                object.__setattr__(moved, field.name, to_device(getattr(batch, field.name), device))
        return moved
    return batch
