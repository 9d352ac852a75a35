"""The gradients of some shards of a batch, computed one after the other.

Each shard begins from the same parameters and buffers, under chance of its own. So what it comes to is a function of
the shard alone, whoever computes it. This module refuses to know who computes the other ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from hippo.errors import TrainerError
from hippo.training.declarative.parameter_hooks import hooks_held_back
from hippo.training.declarative.torch_attributes import checked_loss
from hippo.training.process.streams import seed_generators, stream_seed
from hippo.training.sharding.layout import ModuleLayout
from hippo.training.sharding.messages import ShardedBatch
from hippo.training.sharding.summing import ShardSum, sum_of
from hippo.training.sharding.written_parameters import Marks, written_since

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


def computed(
    trainer: TorchTrainer,
    layout: ModuleLayout,
    batch: ShardedBatch,
    *,
    first: int,
    stop: int,
    looks_closely: bool = False,
) -> ShardSum:
    """Return what the shards [first, stop) of a batch come to, and leave the model's buffers as they were.

    Args:
      looks_closely: add up the numbers of parameters, to see whether a pass has written into one unseen.

    Raises:
      TrainerError: a pass writes into a parameter, or leaves what cannot be added.
      Exception: what the user's code raised.
    """
    begin, marks = layout.begin(), layout.marks(by_sums=looks_closely)
    before = [each.grad for each in layout.parameters]  # gradients that wait for more batches
    samples = sum(batch.sizes)

    def part(number: int) -> ShardSum:
        if number not in batch.parts:  # the batch is short
            return layout.empty()
        layout.go_back(begin)
        with _single_samples_explained(batch, number):
            total = _shard(trainer, layout, batch, number, batch.sizes[number] / samples, begin)
        _require_unwritten(trainer, marks)
        return total

    try:
        for each in layout.parameters:
            each.grad = None
        with hooks_held_back(layout.parameters):  # they are called with the sum
            return sum_of(first, stop, part)
    finally:
        layout.go_back(begin)
        for each, gradient in zip(layout.parameters, before, strict=True):
            each.grad = gradient


def _shard(
    trainer: TorchTrainer,
    layout: ModuleLayout,
    batch: ShardedBatch,
    number: int,
    weight: float,
    begin: Sequence[torch.Tensor],
) -> ShardSum:
    trainer._modes.enter(trainer.model)  # whatever the last shard's loss has left
    seed_generators(stream_seed(trainer.seed, f"shard/{number}", batch.position))
    with trainer._descent.autocast():
        loss = checked_loss(trainer.loss(trainer.model, batch.parts[number]), is_plain=True)
    with trainer._descent.no_autocast():
        (loss * weight).backward()  # type: ignore[no-untyped-call]
    return layout.take(begin, float(loss.detach()) * weight)


@contextmanager
def _single_samples_explained(batch: ShardedBatch, number: int) -> Iterator[None]:
    """Say why batch norm has a single sample, of which its own message knows nothing."""
    try:
        yield
    except ValueError as error:
        if batch.sizes[number] > 1 or "more than 1 value per channel" not in str(error):
            raise
        raise TrainerError(
            f"{error}: a batch of {sum(batch.sizes)} samples is cut into {len(batch.sizes)} shards, of which one has a "
            f"single sample, and batch norm cannot be trained on that. Use batches of at least {2 * batch.shards} "
            "samples, or fewer shards"
        ) from error


def _require_unwritten(trainer: TorchTrainer, marks: Marks) -> None:
    if (name := written_since(marks)) is not None:
        raise TrainerError(
            f"a pass writes into the parameter {name!r} of {type(trainer).__name__}'s model: the next shard begins "
            "from what it leaves, or does not, by which process computes it. Compute what is needed from the parameter "
            "in its place (weight.clamp(min=0) for clamp_, torch.nn.utils.parametrize), or set shards = 1 and leave "
            "world_size= out"
        )
