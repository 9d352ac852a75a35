"""One sample of a dataset, with chance tied to it.

What a dataset draws for a sample, from python's, numpy's or torch's global generator, comes from (seed, epoch, index),
behind a fence. So it makes no difference who fetched it, and when.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, default_collate

from hippo.errors import TrainerError
from hippo.training.feeding.sample_chance import Collate, SampleChance
from hippo.training.process.streams import HeldStates, fence
from hippo.training.values import HparamValues, same_values

#: fork shares the dataset with the loader workers; elsewhere torch's own default has to do
START_METHOD = "fork" if sys.platform == "linux" else None

#: inputs, labels, weights and a mask, say; a tuple of more tensors may be one of samples
MOST_COLUMNS = 4


class EpochSamples(NamedTuple):
    """Samples of one epoch that make a batch: what a loader worker is sent."""

    epoch: int
    numbers: list[int]


def check_dataset(dataset: Any, method: str) -> None:
    """Raise a `TrainerError` unless samples can be looked up by their index, and there are any."""
    if isinstance(dataset, DataLoader):
        raise TrainerError(
            f"{method}() returned a DataLoader; return its dataset. hippo makes the batches: their size is the "
            "hyper-parameter batch_size, and num_workers an attribute of the trainer."
        )
    if _are_columns(dataset):
        raise TrainerError(
            f"{method}() returned a tuple of {len(dataset)} tensors or arrays of {len(dataset[0])} rows each, which is "
            f"a data set of {len(dataset)} samples: return torch.utils.data.TensorDataset(*tensors), whose samples are "
            "their rows; or a list of them, where each is a sample."
        )
    is_map = hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")
    if not is_map or isinstance(dataset, IterableDataset):
        raise TrainerError(
            f"{method}() returned a {type(dataset).__name__}, which is no map-style dataset: exact resumption needs "
            "__getitem__ and __len__."
            + (
                " A stream to train on may instead have seek(position), or state_dict() and load_state_dict(state)."
                if method == "train_set"
                else ""
            )
        )
    if next(_with_hook(dataset), None) is None:  # others have a length once they are handed values
        length_of(dataset, method)


def _are_columns(dataset: Any) -> bool:
    """Tell whether a data set looks like `return inputs, labels`, a tuple of few tensors of as many rows.

    As samples two of equal shape would be collated, and come apart as what look like inputs and labels, in any order.
    """
    if type(dataset) is not tuple or not 2 <= len(dataset) <= MOST_COLUMNS:
        return False
    if not all(isinstance(column, torch.Tensor | np.ndarray) and column.ndim for column in dataset):
        return False
    return len({len(column) for column in dataset}) == 1


def length_of(dataset: Any, method: str) -> int:
    """Return how many samples there are, at least one: a step of none would train nothing, or never end.

    Raises:
      TrainerError: there are none.
    """
    length = len(dataset)
    if length == 0:
        raise TrainerError(
            f"the {type(dataset).__name__} of {method}() is empty; training and validation need samples."
        )
    return length


class SampleSource:
    """A dataset with chance tied to its samples.

    Args:
      dataset: map-style; one that `check_dataset` accepts.
      chance: of its samples.
      collate: makes a batch of a list of samples; None: as torch does.
    """

    def __init__(self, dataset: Any, chance: SampleChance, collate: Collate | None = None) -> None:
        #: a plain TensorDataset draws no chance, and indexing it is faster than any worker
        self.is_tensors = type(dataset) is TensorDataset and collate is None
        self._dataset = dataset
        self._given = GivenValues(dataset)
        self._chance = chance
        self._seeded = _SeededDataset(dataset, chance, collate or default_collate)

    def __len__(self) -> int:
        return len(self._dataset)

    def length_under(self, values: HparamValues | None, method: str) -> int:
        """Return the number of samples under these values, on which it may depend; None: nobody hands any over."""
        if values is not None:
            self.give(values)
        return length_of(self._dataset, method)

    def give(self, values: HparamValues) -> bool:
        """Hand the values in force to data sets that define `set_hparams`.

        Returns:
          Whether those that they read are others than the last time.
        """
        has_changed = self._given.give(values)
        if has_changed:
            self._chance.look_again()
        return has_changed

    def may_have_changed(self) -> None:
        """Take nothing for known of how the data set draws."""
        self._chance.look_again()

    def look(self) -> list[Any]:
        """Return what the data set's attributes are, to be compared by `is_same_look`."""
        return list(_looks(self._dataset, depth=2))

    def fetch(self, epoch: int, indices: torch.Tensor) -> Any:
        if self.is_tensors:
            return [tensor[indices] for tensor in self._dataset.tensors]
        with fence() as held, one_thread():  # one thread, like a loader worker
            return self._seeded.batch(epoch, indices.tolist(), held)

    def prefetch(self, batches: Iterable[EpochSamples], num_workers: int) -> Iterator[Any]:
        loader: DataLoader[Any] = DataLoader(
            self._seeded,
            batch_sampler=_Once(batches),  # type: ignore[arg-type]
            num_workers=num_workers,
            collate_fn=_as_it_is,
            # of its own: iter() draws from it, else from the global one
            generator=torch.Generator(torch.get_default_device()),
            multiprocessing_context=START_METHOD,
        )
        return iter(loader)


def require_length(source: SampleSource, length: int) -> None:
    """Refuse a data set whose length is another one than when its batches were made: an epoch has one length.

    Raises:
      TrainerError: it is.
    """
    now = len(source)
    if now != length:
        raise TrainerError(
            f"a data set has {now} samples now. It had {length} when its batches were made, in build(): its length may "
            "differ from trial to trial, and not within one. One that depends on hyper-parameters has a method "
            "set_hparams(hp), which is called before its length is asked for; setup() and train() come too late. "
            "Which samples a step takes, sampler(epoch) says"
        )


class GivenValues:
    """The values that a data set with `set_hparams` was handed.

    Args:
      dataset: it, or one that is a view of others (`Subset`, `ConcatDataset`), of which some may have the method.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._given: dict[str, Any] | None = None

    def give(self, values: HparamValues) -> bool:
        """Hand over the values in force; return whether those that are read are others than the last time."""
        following = list(_with_hook(self._dataset))
        if not following:
            return False
        names: set[str] = set()
        with fence(), values.lent(names) as lent:  # what they draw is not for training to miss
            for dataset in following:
                _traces_in(dataset).follow(dataset, lent, names)
        before, self._given = self._given, {name: values.raw[name] for name in sorted(names)}
        return before is None or not same_values(before, self._given)


class _Traces:
    """What `set_hparams` of a data set has set, for all trials of this process whose values it is handed.

    A trial may lack a name that another one has: `if "noise" in hp: self.noise = hp["noise"]` leaves alone what that
    one said. So wherever a name is gone, what was set is again what it was before anybody set it.
    """

    def __init__(self) -> None:
        #: that were read when it was last handed values
        self._names: frozenset[str] = frozenset()
        #: by the attribute's name
        self._at_first: dict[str, Any] = {}

    def follow(self, dataset: Any, lent: HparamValues, names: set[str]) -> None:
        """Hand values to a data set, of which those that it reads are added to `names`."""
        own: dict[str, Any] = getattr(dataset, "__dict__", {})
        if not self._names <= lent.raw.keys():
            for name, value in self._at_first.items():
                if value is _ABSENT:
                    own.pop(name, None)
                else:
                    own[name] = value
        before = {**own}
        dataset.set_hparams(lent)
        for name, value in own.items():
            if before.get(name, _ABSENT) is not value:
                self._at_first.setdefault(name, before.get(name, _ABSENT))
        self._names = frozenset(names)


_ABSENT = object()
#: by the data set's `id`
_traces: dict[int, tuple[weakref.ref[Any], _Traces]] = {}


def _traces_in(dataset: Any) -> _Traces:
    key = id(dataset)
    known = _traces.get(key)
    if known is not None and known[0]() is dataset:
        return known[1]
    traces = _Traces()
    with suppress(TypeError):  # of a kind that nobody may watch: each time is the first
        _traces[key] = weakref.ref(dataset, lambda _: _traces.pop(key, None)), traces
    return traces


def is_same_look(one: list[Any], other: list[Any]) -> bool:
    """Whether the attributes of a data set are what they were: plain values equal, other objects the same ones."""
    return len(one) == len(other) and all(
        a is b or (type(a) is type(b) and type(a) in _PLAIN and a == b) for a, b in zip(one, other, strict=True)
    )


_PLAIN = (bool, int, float, complex, str, bytes)


def _looks(thing: Any, depth: int) -> Iterator[Any]:
    """Yield what is in the attributes of a thing, and in those of what it is made of, such as its transforms."""
    yield thing
    if isinstance(thing, list | tuple | dict) and depth and len(thing) <= _FEW:
        for item in chain(*thing.items()) if isinstance(thing, dict) else thing:
            yield from _looks(item, depth - 1)
    elif isinstance(thing, torch.Tensor):
        yield -1 if thing.is_inference() else thing._version  # writes to it
    elif type(thing) is np.ndarray and thing.nbytes <= _SMALL and not thing.dtype.hasobject:
        yield thing.tobytes()
    elif not isinstance(thing, torch.nn.Module | type) and depth:
        for name, value in sorted(getattr(thing, "__dict__", {}).items()):
            yield name
            yield from _looks(value, depth if isinstance(value, list | tuple | dict) else depth - 1)


#: a longer list holds samples and no settings
_FEW = 32
#: and a larger array: looking at it would take longer than it is worth
_SMALL = 4096


def _with_hook(dataset: Any) -> Iterator[Any]:
    """Yield the data sets that want values: this one, or those that it is a view of (`Subset`, `ConcatDataset`)."""
    if callable(getattr(dataset, "set_hparams", None)):
        yield dataset
        return
    inner = [getattr(dataset, "dataset", None), *(getattr(dataset, "datasets", None) or ())]
    for each in inner:
        if each is not None and each is not dataset:
            yield from _with_hook(each)


class _SeededDataset(Dataset[Any]):
    """Looks samples up a batch at a time: what they are made into may draw chance, too."""

    def __init__(self, dataset: Any, chance: SampleChance, collate: Collate) -> None:
        self._dataset, self._chance, self._collate = dataset, chance, collate

    def batch(self, epoch: int, numbers: Sequence[int], held: HeldStates) -> Any:
        return self._chance.batch(self._dataset, epoch, numbers, held, self._collate)

    def __getitems__(self, samples: EpochSamples) -> Any:
        # in a loader worker: there is nobody behind a fence
        return self.batch(samples.epoch, samples.numbers, HeldStates())


def _as_it_is(batch: Any) -> Any:
    return batch


class _Once:
    """An iterable of batches that the loader goes through once, in this process."""

    def __init__(self, batches: Iterable[EpochSamples]) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[EpochSamples]:
        return iter(self._batches)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread in the block, as a loader worker does."""
    threads = torch.get_num_threads()
    if threads == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
