"""The data of a `TorchTrainer`: sets that are made once per worker, and the feeds of a lane.

It refuses to know models, optimizers and steps.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hippo.errors import HparamError, TrainerError
from hippo.training.declarative.lent_methods import check_lent
from hippo.training.declarative.split_twice import tell_if_split_twice
from hippo.training.failures import DatasetFailed
from hippo.training.feeding.data import TrainingFeed, ValidationFeed
from hippo.training.feeding.sample_chance import SampleChance
from hippo.training.feeding.samples import check_dataset
from hippo.training.feeding.stream_feed import SharedStream, StreamFeed, is_stream
from hippo.training.process.streams import fence, seed_everything
from hippo.training.values import HparamValues, whole_number

if TYPE_CHECKING:
    from hippo.hparams import Config
    from hippo.training.torch_trainer import TorchTrainer

BATCH_SIZE = "batch_size"


def dataset_of(trainer: TorchTrainer, method: str) -> Any:
    """Return what `train_set` or `val_set` returned, checked; it is called the first time only.

    Raises:
      DatasetFailed: it raised, or returned what cannot be trained on.
    """
    if method not in trainer._datasets:
        try:
            with fence():
                seed_everything(trainer.seed, method, 0)
                dataset = of_no_trial(trainer, method)
                # in here: whatever it draws when it is asked once must not be missed by the model
                if method == "train_set" and is_stream(dataset):
                    dataset = SharedStream(dataset)
                else:
                    check_dataset(dataset, method)
            trainer._datasets[method] = dataset
            tell_if_split_twice(trainer._datasets, type(trainer).__name__)
        except Exception as error:
            raise DatasetFailed(method) from error
    return trainer._datasets[method]


def of_no_trial(trainer: TorchTrainer, method: str) -> Any:
    """Return what a method makes once per worker, called on a copy of the trainer that has no values, then or later.

    What it makes may keep the trainer, as a transform does that reads `self.hp` for each sample. All trials of a worker
    are given it: the values of the one that came first would be everybody's.
    """
    lent = _without_values(
        trainer,
        f"what {method}() returns is made once per worker, for all trials alike. A data set with a method "
        "set_hparams(hp) is handed the values in force, and keeps those that it needs.",
    )
    known = dict(vars(lent))
    made = getattr(lent, method)()
    # what it kept for other methods of the trainer
    vars(trainer).update({name: value for name, value in vars(lent).items() if known.get(name, lent) is not value})
    return made


def _without_values(trainer: TorchTrainer, why: str) -> TorchTrainer:
    """Return a copy of a trainer that knows nothing of a trial, and says why where it is asked for a value."""
    lent = copy.copy(trainer)
    lent.hp = HparamValues({}, missing=why)
    return lent


class SampleMethods:
    """The methods of a trainer that are about samples, bound to a copy of it that knows nothing of a trial.

    If the trainer itself were bound to them, its feed would hold it, and loader workers would outlive their lane.

    Args:
      base: the class whose methods are the usual ones.
    """

    def __init__(self, trainer: TorchTrainer, base: Any) -> None:
        cls, lent = type(trainer), _without_values(trainer, "collate() and sampler() are the same for all trials.")
        #: whatever they set themselves
        self._before = {**vars(lent)}
        #: None: the usual one
        self.collate: Callable[[list[Any]], Any] | None = None if cls.collate is base.collate else lent.collate
        #: None: there is none. Some trainers have an attribute of this name
        self.sampler: Callable[[int], Iterable[Any]] | None = (
            None if cls.sampler is base.sampler or not callable(cls.sampler) else lent.sampler
        )

    def check(self, trainer: TorchTrainer) -> None:
        """Refuse a trainer that has set what they read, which they do not see.

        Raises:
          TrainerError: names it.
        """
        if self.collate is not None:
            check_lent(trainer, self._before, "collate")
        if self.sampler is not None:
            check_lent(trainer, self._before, "sampler")


def training_feed(trainer: TorchTrainer, train_set: Any, samples: SampleMethods) -> TrainingFeed | StreamFeed:
    """Return the batches to train on, from the beginning."""
    wanted = trainer.samples_per_step
    samples_per_step = None if wanted is None else whole_number(wanted)
    if isinstance(train_set, SharedStream):
        if samples.sampler is not None:
            raise TrainerError(f"{type(trainer).__name__}.sampler() has no effect: a stream says its order itself")
        return StreamFeed(train_set, seed=trainer.seed, samples_per_step=samples_per_step, collate=samples.collate)
    return TrainingFeed(
        train_set,
        seed=trainer.seed,
        samples_per_step=samples_per_step,
        num_workers=trainer.num_workers,
        known=trainer._chances.setdefault("train_set", SampleChance(trainer.seed, "sample")),
        collate=samples.collate,
        sampler=samples.sampler,
        values=trainer.hp,
    )


def first_batch(trainer: TorchTrainer, *, most: int = 4) -> Any:
    """Return a batch to train on, of a few samples, from a feed of its own."""
    from hippo.training.torch_trainer import TorchTrainer

    lent = copy.copy(trainer)
    lent.num_workers = 0  # for a look, no process is worth its start
    feed = training_feed(lent, dataset_of(trainer, "train_set"), SampleMethods(trainer, TorchTrainer))
    with fence():
        seed_everything(trainer.seed, "train", 0)
        feed.give(trainer.hp)
        steps = feed.step(most)
        batch = next(steps).batch
        steps.close()  # type: ignore[attr-defined]
    feed.close()
    return batch


def validation_feed(trainer: TorchTrainer, val_set: Any, samples: SampleMethods) -> ValidationFeed:
    """Return the batches to evaluate on."""
    return ValidationFeed(
        val_set,
        seed=trainer.seed,
        batch_size=whole_number(trainer.val_batch_size),
        num_workers=trainer.num_workers,
        known=trainer._chances.setdefault("val_set", SampleChance(trainer.seed, "val_sample")),
        collate=samples.collate,
        values=trainer.hp,
    )


def check_batch_sizes(config: Config, until: int) -> None:
    """Refuse a config that has, somewhere before step `until`, a batch size that is none.

    Raises:
      HparamError: names the step and the value.
    """
    for step, value in _batch_size_values(config, until):
        _check_batch_size(value, step, config)


def batch_size_of(trainer: TorchTrainer, values: Mapping[str, Any]) -> int:
    """Return the batch size among these values, or the trainer's own."""
    return whole_number(values.get(BATCH_SIZE, trainer.default_batch_size))


def each_batch_size(config: Config, until: int) -> list[tuple[int, int]]:
    """Return (step, batch size) wherever before step `until` a config says one, checked; a constant's first step."""
    return [(step, whole_number(value)) for step, value in _batch_size_values(config, until)]


def _batch_size_values(config: Config, until: int) -> Iterator[tuple[int, object]]:
    from hippo.hparams import Config, path

    if BATCH_SIZE not in config:
        return
    stretches = list(path(Config({BATCH_SIZE: config[BATCH_SIZE]}), until))
    ends = [start for start, _ in stretches[1:]] + [until]
    for (start, pieces), end in zip(stretches, ends, strict=True):
        piece = pieces[BATCH_SIZE]
        for step in range(start, end if piece.origin is not None else start + 1):  # a constant needs one look
            yield step, piece.at(step)


def _check_batch_size(value: object, step: int, config: Config) -> None:
    try:
        whole_number(value)
    except HparamError as error:
        raise HparamError(
            f"batch_size at step {step}: {error}. The config gives {config[BATCH_SIZE]!r}; "
            "use Constant, Piecewise or MultiStep with whole values."
        ) from None
