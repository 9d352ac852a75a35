"""Batches of a stream: an iterable data set that can be brought back to where it was.

A stream has no indices. What makes it exact is that it says where it is, by `state_dict()` and `load_state_dict(state)`
as torchdata and Hugging Face have them, or that it can be told where to begin, by `seek(position)`. Each sample is
drawn under chance of its own, a function of (seed, epoch, number), as those of other data sets are.

Trials of one worker share one stream, and take turns with it: whoever comes brings it to where he was.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterator
from typing import Any

from torch.utils.data import IterableDataset, default_collate

from hippo.errors import TrainerError
from hippo.training.feeding.data import StepBatch
from hippo.training.feeding.sample_chance import Collate
from hippo.training.feeding.samples import GivenValues, one_thread
from hippo.training.process.streams import fence, seed_generators, stream_seed
from hippo.training.values import HparamValues


def is_stream(dataset: Any) -> bool:
    """Whether a data set is gone through and not looked into, and can be brought back to where it was."""
    is_map = hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")
    if is_map and not isinstance(dataset, IterableDataset):
        return False
    return hasattr(dataset, "__iter__") and (_can_seek(dataset) or _has_state(dataset))


def _can_seek(dataset: Any) -> bool:
    # an open file seeks bytes, and gives lines
    return callable(getattr(dataset, "seek", None)) and not hasattr(dataset, "read")


def _has_state(dataset: Any) -> bool:
    return all(callable(getattr(dataset, name, None)) for name in ("state_dict", "load_state_dict"))


class _Turns:
    """Whose turn it is with a stream, and where the stream is at its beginning."""

    def __init__(self, initial: Any) -> None:
        self.initial = initial
        self.holder: weakref.ref[StreamFeed] | None = None


#: by the stream's `id`, which is its own for as long as it is held: a data class has no hash. One that `__init__` makes
#: is gone through by all trials of a process
_turns: dict[int, tuple[Any, _Turns]] = {}


class SharedStream:
    """A stream that several go through in turns. The first time it is made of a data set, that is at its beginning."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self._has_state = _has_state(dataset)
        key = id(dataset)
        if key not in _turns:
            try:
                held: Any = weakref.ref(dataset, lambda _: _turns.pop(key, None))
            except TypeError:  # it cannot be held weakly
                held = dataset
            _turns[key] = (held, _Turns(self.state()))
        self._turns = _turns[key][1]

    def take(self, feed: StreamFeed) -> bool:
        """Give the stream to a feed; return whether that had it already."""
        holder = None if self._turns.holder is None else self._turns.holder()
        if holder is feed:
            return True
        if holder is not None:
            holder.leave()
        self._turns.holder = weakref.ref(feed)
        return False

    def state(self) -> Any:
        """Return where the stream is, if it says so."""
        return copy.deepcopy(self.dataset.state_dict()) if self._has_state else None

    def begin(self, epoch: int, start: int, state: Any) -> Iterator[Any]:
        """Go through the stream from sample `start` of an epoch on.

        Args:
          state: what `state` returned there; None for the beginning of an epoch.
        """
        if callable(set_epoch := getattr(self.dataset, "set_epoch", None)):
            set_epoch(epoch)
        if self._has_state:
            self.dataset.load_state_dict(copy.deepcopy(self._turns.initial if state is None else state))
        else:
            self.dataset.seek(start)
        return iter(self.dataset)


class StreamFeed:
    """Batches of a stream for one lane, and how far the lane has come; read in this process.

    Args:
      stream: to train on.
      samples_per_step: where steps end, which no batch crosses, as none crosses the end of the stream, behind which it
        begins anew.
      collate: makes a batch of a list of samples; None: as torch does.
    """

    def __init__(
        self, stream: SharedStream, *, seed: int, samples_per_step: int | None, collate: Collate | None = None
    ) -> None:
        if samples_per_step is None:
            raise TrainerError(
                f"a {type(stream.dataset).__name__} has no length that could make a step: say how many samples do, by "
                "samples_per_step"
            )
        self._stream, self._seed, self._samples_per_step = stream, seed, samples_per_step
        self._collate = collate or default_collate
        self._given = GivenValues(stream.dataset)
        self._iterator: Iterator[Any] | None = None
        self._samples, self._steps, self._epoch, self._start = 0, 0, 0, 0
        #: where the stream is, while somebody else has it
        self._state: Any = None

    @property
    def samples(self) -> int:
        """How many samples were given out."""
        return self._samples

    @property
    def steps(self) -> int:
        """How many steps are behind."""
        return self._steps

    def state_dict(self) -> dict[str, Any]:
        """Return the position, with what the stream says of it."""
        state = self._state if self._iterator is None else self._stream.state()
        position = {"steps": self._steps, "epoch": self._epoch, "start": self._start}
        return {"samples": self._samples, "position": position, "stream": state}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a position."""
        position = state["position"]
        self._samples, self._steps = state["samples"], position["steps"]
        self._epoch, self._start = position["epoch"], position["start"]
        self._iterator, self._state = None, state["stream"]

    def give(self, values: HparamValues) -> None:
        """Hand the values in force to the stream if it wants them."""
        self._given.give(values)

    def flush(self) -> None:
        """Do nothing: nothing is fetched ahead."""

    def restart(self) -> None:
        """Do nothing: nothing is fetched ahead."""

    def close(self) -> None:
        """Let go of the stream."""
        self.leave()

    def leave(self) -> None:
        """Note where the stream is: somebody else will move it."""
        if self._iterator is not None:
            self._state, self._iterator = self._stream.state(), None

    def step(self, batch_size: int) -> Iterator[StepBatch]:
        """Yield the batches of the next step. Each counts as given out when it is yielded."""
        until = self._samples + self._samples_per_step
        begin = self._samples
        while self._samples < until:
            share = (self._samples - begin) / self._samples_per_step
            samples = self._fetch(min(batch_size, until - self._samples))
            self._samples += len(samples)
            with fence():
                seed_generators(stream_seed(self._seed, "collate", self._samples), devices=False)
                batch = self._collate(samples)
            if self._samples >= until:  # now: whoever takes as many batches as another feed gives never comes back
                self._steps += 1
            yield StepBatch(batch, len(samples), share)

    def _fetch(self, most: int) -> list[Any]:
        """Return the next samples, at least 1: no more than `most`, and none of the next epoch."""
        samples = self._rest(most)
        if not samples:
            self._epoch, self._start, self._state, self._iterator = self._epoch + 1, 0, None, None
            samples = self._rest(most)
        if not samples:
            raise TrainerError(
                f"the {type(self._stream.dataset).__name__} of train_set() gave no sample when it was begun anew, for "
                f"epoch {self._epoch}: after "
                + ("seek(0)" if _can_seek(self._stream.dataset) else "load_state_dict() of its first state")
                + " it must begin at its first sample"
            )
        return samples

    def _rest(self, most: int) -> list[Any]:
        samples: list[Any] = []
        with fence(), one_thread():
            iterator = self._going()
            while len(samples) < most:
                seed_generators(stream_seed(self._seed, "sample", self._epoch, self._start), devices=False)
                try:
                    samples.append(next(iterator))
                except StopIteration:
                    break
                self._start += 1
        return samples

    def _going(self) -> Iterator[Any]:
        """Return the stream's iterator, where this lane is."""
        if not self._stream.take(self):
            self._iterator = None
        if self._iterator is None:
            seed_generators(stream_seed(self._seed, "stream", self._epoch), devices=False)
            self._iterator = self._stream.begin(self._epoch, self._start, self._state)
        return self._iterator
