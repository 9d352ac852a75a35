"""The gradients of some shards of a batch, computed one after the other.

Each shard begins from the same parameters and buffers, under chance of its own. So what it comes to is a function of
the shard alone, whoever computes it. This module refuses to know who computes the other ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from hippo.training.parameter_hooks import hooks_held_back
from hippo.training.sharding.layout import ModuleLayout
from hippo.training.sharding.messages import ShardedBatch
from hippo.training.sharding.summing import ShardSum, sum_of
from hippo.training.streams import seed_generators, stream_seed
from hippo.training.torch_attributes import checked_loss

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


def computed(trainer: TorchTrainer, layout: ModuleLayout, batch: ShardedBatch, *, first: int, stop: int) -> ShardSum:
    """Return what the shards [first, stop) of a batch come to, and leave the model's buffers as they were."""
    begin = layout.begin()
    before = [each.grad for each in layout.parameters]  # gradients that wait for more batches
    samples = sum(batch.sizes)

    def part(number: int) -> ShardSum:
        if number not in batch.parts:  # the batch is short
            return layout.empty()
        layout.go_back(begin)
        return _shard(trainer, layout, batch, number, batch.sizes[number] / samples, begin)

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
