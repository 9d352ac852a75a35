"""Batches for a `Trainer` that is written by hand: the same order, chance and position that a `TorchTrainer` has.

It refuses to know trainers: who makes one in `build` puts its `state_dict()` into the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hippo.arguments import explain_calls
from hippo.errors import HparamError, TrainerError
from hippo.training.feeding.data import TrainingFeed
from hippo.training.feeding.orders import Sampler
from hippo.training.feeding.sample_chance import Collate
from hippo.training.feeding.samples import check_dataset
from hippo.training.feeding.stream_feed import SharedStream, StreamFeed, is_stream
from hippo.training.process.streams import fence
from hippo.training.values import HparamValues, whole_number


class Batches:
    """Batches of a data set in an order that depends on (seed, epoch) alone, and how far one has come.

    Make it by `hippo.training.batches`, in `build()`.
    """

    def __init__(self, feed: TrainingFeed | StreamFeed) -> None:
        self._feed = feed

    @property
    def samples(self) -> int:
        """How many samples were given out."""
        return self._feed.samples

    @property
    def steps(self) -> int:
        """How many steps are behind."""
        return self._feed.steps

    @explain_calls()
    def step(self, batch_size: int) -> Iterator[Any]:
        """Yield the batches of the next step; go through all of them.

        None crosses the end of a step, of an epoch or of a group of the sampler's; short last ones are kept. Another
        batch size in the next step keeps the order of samples.

        Raises:
          HparamError: the batch size is not a whole number of at least 1.
        """
        try:
            size = whole_number(batch_size)
        except HparamError as error:
            raise HparamError(f"batch_size: {error}") from None
        return (fed.batch for fed in self._feed.step(size))

    def give(self, hp: HparamValues) -> None:
        """Hand the values in force, `self.hp`, to a data set that has `set_hparams`; call it before each step."""
        self._feed.give(hp)

    def state_dict(self) -> dict[str, Any]:
        """Return the position, to be put into the trainer's state."""
        return self._feed.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a position."""
        self._feed.load_state_dict(dict(state))

    def close(self) -> None:
        """End the processes that fetch ahead; to be called in the trainer's `close`."""
        self._feed.close()


@explain_calls(
    batch_size="it may change from step to step: say it in .step(batch_size)",
    shuffle="the order is a permutation of each epoch; sampler=lambda epoch: range(n) keeps the set's own",
    generator="seed=self.seed says all of chance",
    collate_fn="it is called collate here",
    batch_sampler="sampler= may give lists: no batch mixes two of them",
    drop_last="short last batches are kept, so that each sample counts",
)
def batches(
    dataset: Any,
    *,
    seed: int,
    samples_per_step: int | None = None,
    collate: Collate | None = None,
    sampler: Sampler | None = None,
    num_workers: int = 0,
) -> Batches:
    """Return the batches of a data set, for the `train` of a `hippo.Trainer`.

    Order and chance of samples are functions of (seed, epoch, index): whatever a data set draws from python's, numpy's
    or torch's global generators is the same wherever training goes on, and loader workers change no bit.

    Args:
      dataset: map-style; or a stream, with `state_dict()` and `load_state_dict(state)`, or with `seek(position)`.
      seed: the trainer's own, `self.seed`.
      samples_per_step: how many samples make a step; None: an epoch. A stream needs a number.
      collate: makes a batch of a list of samples; None: as torch does, which gives tensors.
      sampler: returns the indices of an epoch's samples in their order, or lists of such, which no batch mixes. It is
        called with the number of the epoch, under global generators that are seeded from (seed, epoch).
      num_workers: processes that fetch ahead; 0 fetches in this one, as it is with streams.

    Raises:
      TrainerError: the data set is empty, or can neither be looked into nor brought back to where it was.
    """
    per_step = None if samples_per_step is None else _checked(samples_per_step)
    if is_stream(dataset):
        if sampler is not None:
            raise TrainerError("sampler= has no effect: a stream says its order itself")
        return Batches(StreamFeed(SharedStream(dataset), seed=seed, samples_per_step=per_step, collate=collate))
    with fence():
        check_dataset(dataset, "train_set")
    if type(num_workers) is not int or num_workers < 0:
        raise TrainerError(f"num_workers={num_workers!r}: it is a number of processes, 0 for none")
    feed = TrainingFeed(
        dataset, seed=seed, samples_per_step=per_step, num_workers=num_workers, collate=collate, sampler=sampler
    )
    return Batches(feed)


def _checked(samples_per_step: Any) -> int:
    try:
        return whole_number(samples_per_step)
    except HparamError as error:
        raise TrainerError(f"samples_per_step: {error}") from None
