"""The chance of samples: a function of (seed, epoch, index), from the generators from which a data set draws.

Seeding all three global generators costs more than many a sample. So the first batch is fetched with all of them
seeded, and those that no sample moved are left alone from then on. Nobody has to trust that: at each batch's end, the
generators that were left alone must be where they were; one that moved is a surprise, after which the batch is
fetched again with all of them seeded, and so are all later ones. So what a data set finds out about its chance
changes no bit, whoever fetches and whenever.

A generator that a sample reads, or draws from and sets back, does not move. The first samples of a data set are
therefore fetched a second time, with the generators that seem unused seeded otherwise: if a sample differs, or cannot
be compared, all of them are seeded for good. What begins to do so later is beyond us, as docs/trainers.md says.
This module refuses to know how samples are ordered, and in which process it runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from hippo.errors import StateError
from hippo.training.codec import difference
from hippo.training.process.streams import GENERATORS, HeldStates, seed_generators, seeders

#: samples that are fetched a second time
PROBED = 2
#: what tells the second fetch's seeds from the first's
_OTHERWISE = 0x9E3779B97F4A7C15

Collate = Callable[[list[Any]], Any]


class SampleChance:
    """Fetches batches of a data set, each sample with its own chance.

    Args:
      seed: the study's.
      stream: names the stream of chance.
    """

    def __init__(self, seed: int, stream: str) -> None:
        self._seed, self._stream = seed, stream
        #: those that are seeded; None: not yet found out
        self._seeded: tuple[str, ...] | None = None
        self._was_surprised = False

    @property
    def seeded(self) -> tuple[str, ...] | None:
        """The generators that are seeded for each sample; None: all, until it is known which are drawn from."""
        return self._seeded

    def look_again(self) -> None:
        """Find out anew from which generators the data set draws: it may not be what it was."""
        if not self._was_surprised:
            self._seeded = None

    def batch(self, dataset: Any, epoch: int, numbers: Sequence[int], held: HeldStates, collate: Collate) -> Any:
        """Return samples of an epoch as a batch.

        Args:
          held: the generators' states from before.
        """
        if self._seeded is None:
            return self._first(dataset, numbers, self._seeds(epoch, numbers), collate)
        if self._seeded == GENERATORS:
            return collate(_fetched(dataset, numbers, self._seeds(epoch, numbers)))
        left_alone = [name for name in GENERATORS if name not in self._seeded]
        try:
            batch = collate(self._fetched_with(dataset, epoch, numbers, self._seeded))
        except Exception:
            if held.are_unmoved(left_alone):
                raise  # it would have raised all the same
        else:
            if held.are_unmoved(left_alone):
                return batch
        self._was_surprised, self._seeded = True, GENERATORS
        return collate(_fetched(dataset, numbers, self._seeds(epoch, numbers)))

    def _first(self, dataset: Any, numbers: Sequence[int], seeds: Sequence[int], collate: Collate) -> Any:
        """Fetch a batch with all generators seeded, and look which of them it moves."""
        samples, moved = [], set[str]()
        for number, seed in zip(numbers, seeds, strict=True):
            seed_generators(seed, devices=False)
            seeded = HeldStates()
            samples.append(dataset[number])
            moved.update(seeded.moved(GENERATORS))
        seeded = HeldStates()
        batch = collate(samples)
        moved.update(seeded.moved(GENERATORS))
        self._seeded = tuple(name for name in GENERATORS if name in moved)
        if self._seeded != GENERATORS and not self._is_same_otherwise(dataset, numbers, seeds, samples):
            self._seeded = GENERATORS
        return batch

    def _is_same_otherwise(
        self, dataset: Any, numbers: Sequence[int], seeds: Sequence[int], samples: Sequence[Any]
    ) -> bool:
        """Whether the first samples are the same where the generators that seem unused are elsewhere."""
        unused = [name for name in GENERATORS if name not in (self._seeded or ())]
        for number, seed, sample in list(zip(numbers, seeds, samples, strict=True))[:PROBED]:
            seed_generators(seed, devices=False)
            for seed_one in seeders(unused):
                seed_one(seed ^ _OTHERWISE)
            try:
                if difference(sample, dataset[number]):
                    return False
            except StateError:  # no kind of thing that we can compare
                return False
        return True

    def _fetched_with(self, dataset: Any, epoch: int, numbers: Sequence[int], generators: Sequence[str]) -> list[Any]:
        if not generators:
            return [dataset[number] for number in numbers]
        samples = []
        seed_first, *seed_others = seeders(generators)
        for number, seed in zip(numbers, self._seeds(epoch, numbers), strict=True):
            seed_first(seed)
            for seed_one in seed_others:
                seed_one(seed)
            samples.append(dataset[number])
        return samples

    def _seeds(self, epoch: int, numbers: Sequence[int]) -> list[int]:
        """Return `stream_seed(seed, stream, epoch, number)` of each; the common part is hashed once."""
        common = hashlib.sha256(f"hippo/{self._seed}/{self._stream}/{epoch}/".encode())
        seeds = []
        for number in numbers:
            each = common.copy()
            each.update(b"%d" % number)
            seeds.append(int.from_bytes(each.digest()[:8], "big"))
        return seeds


def _fetched(dataset: Any, numbers: Sequence[int], seeds: Sequence[int]) -> list[Any]:
    samples = []
    for number, seed in zip(numbers, seeds, strict=True):
        seed_generators(seed, devices=False)
        samples.append(dataset[number])
    return samples
