"""A trainer's batches, cut into shards whose gradients make one step: by this process, or with its peers.

It refuses to know how optimizers step.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch

from hippo.errors import HparamError, TrainerError
from hippo.training.declarative.torch_state import frozen_parameters
from hippo.training.process.streams import seed_everything
from hippo.training.sharding.computing import computed
from hippo.training.sharding.cutting import cut, shard_sizes
from hippo.training.sharding.here import peers_here
from hippo.training.sharding.layout import ModuleLayout
from hippo.training.sharding.mean_loss import MeanLooks, looks_of, losses_at_rest
from hippo.training.sharding.messages import ComputeShards, ShardedBatch
from hippo.training.sharding.summing import FAILURES, LOSS, UNLIKE, ShardSum, stop_of_rank
from hippo.training.values import same_values

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


def shards_of(trainer: TorchTrainer) -> int:
    """Return into how many shards this process cuts the batches of a trainer."""
    peers = peers_here()
    if trainer.shards == 1 and peers is not None and peers.is_world:
        return peers.ranks
    return trainer.shards


class Sharder:
    """Cuts the batches of one built trainer, and adds up what their shards come to.

    Args:
      trainer: just built; not kept, or it would live as long as this object is known.
      shards: more than one.
    """

    def __init__(self, trainer: TorchTrainer, shards: int) -> None:
        self.shards = shards
        self._peers = peers_here()
        self._built: Mapping[str, Any] = dict(trainer.hp.raw)
        self._values: Mapping[str, Any] | None = None
        self._layout = ModuleLayout(trainer.model)
        if self._peers is not None:
            self._number = self._peers.new_number()
            weakref.finalize(self, self._peers.forget, self._number)

    def begin_step(self, trainer: TorchTrainer, step: int, batch_size: int) -> None:
        """Take over what `setup` has changed, here and at the peers'.

        Raises:
          HparamError: there are shards without a sample in each batch.
          TrainerError: the peers' models differ from this one.
          Exception: what the user's code raised there.
        """
        if batch_size < self.shards:  # a class's own shards were checked before, but not a trainer's or an engine's
            raise HparamError(
                f"batch_size is {batch_size}, but each batch is cut into {self.shards} shards, each of which needs a "
                f"sample. Use batches of at least {self.shards}, or fewer shards."
            )
        self._looks = looks_of(trainer, self._built)
        before, self._layout = self._layout, ModuleLayout(trainer.model)
        values, layout = trainer.hp.raw, self._layout
        if self._peers is None:
            return
        is_set_up = self._values is not None and same_values(values, self._values)
        if is_set_up and (before.signature, before.tables) == (layout.signature, layout.tables):  # else a pass made one
            return
        self._values = None  # until peers are there
        self._peers.begin(self._number, self._built, values, step, layout.signature, layout.tables)
        self._values = dict(values)

    def gradients(
        self, trainer: TorchTrainer, batch: Any, samples: int, *, is_short: bool
    ) -> tuple[float, list[tuple[torch.Tensor, torch.Tensor]]]:
        """Return a batch's mean loss, and its parameters with their gradients; bring the buffers to after it.

        Raises:
          TrainerError: the batch cannot be cut, its loss is no mean, a pass writes into a parameter, or shards disagree
            about a buffer.
          Exception: what the user's code raised.
        """
        position = trainer._training.samples
        sizes = shard_sizes(samples, self.shards, is_short=is_short)
        parts = cut(batch, sizes)
        looks_closely = len(parts) > 1 and self._looks.is_due()
        if looks_closely:
            _require_mean(trainer, self._looks, batch, parts, sizes)
        total = self._summed(trainer, sizes, position, parts, looks_closely=looks_closely)
        # chance between batches, such as an optimizer's own, must not depend on which shards this process had
        seed_everything(trainer.seed, "shards", position)
        if total.counts[UNLIKE]:
            raise TrainerError(
                f"the shards of a batch leave other whole numbers in the buffers of {type(trainer).__name__}'s model: "
                "they count something about their samples, which has no mean. Set shards = 1, or keep such buffers "
                "out of training."
            )
        self._layout.settle(total)
        found = zip(self._layout.parameters, self._layout.gradients(total), strict=True)
        return float(total.counts[LOSS]), [(each, gradient) for each, gradient in found if gradient is not None]

    def _summed(
        self, trainer: TorchTrainer, sizes: list[int], position: int, parts: list[Any], *, looks_closely: bool
    ) -> ShardSum:
        ranks = 1 if self._peers is None else self._peers.ranks
        spans = [stop_of_rank(rank, ranks, self.shards) for rank in range(ranks)]
        batches = [
            ShardedBatch(
                sizes=sizes,
                shards=self.shards,
                position=position,
                parts={number: parts[number] for number in range(first, min(stop, len(parts)))},
            )
            for first, stop in spans
        ]
        if self._peers is None:
            return computed(trainer, self._layout, batches[0], first=0, stop=self.shards, looks_closely=looks_closely)
        frozen, values = frozen_parameters(trainer.model), dict(trainer.hp.raw)
        messages = [
            ComputeShards(number=self._number, batch=batch, values=values, frozen=frozen) for batch in batches[1:]
        ]
        self._peers.start(messages, self._layout.everything())
        failed: Exception | None = None
        try:
            total = computed(trainer, self._layout, batches[0], first=0, stop=spans[0][1], looks_closely=looks_closely)
            _require_no_new_state(trainer, self._layout)
        except Exception as error:  # peers wait to be heard
            failed, total = error, self._layout.empty()
        self._peers.add_up(total)
        if failed is not None:
            raise failed
        if total.counts[FAILURES]:
            self._peers.raise_failure()
        return total


def _require_no_new_state(trainer: TorchTrainer, layout: ModuleLayout) -> None:
    """Refuse a buffer of the state that a pass has made: each process would make one, of its own samples."""
    known = {name for name, *_ in layout.signature}
    made = [name for name, _ in trainer.model.named_buffers() if name not in known]
    if made and (kept := sorted(trainer.model.state_dict().keys() & made)):
        raise TrainerError(
            f"a pass has made the buffer {kept[0]!r} of {type(trainer).__name__}'s model, which is a part of its "
            "state: with several processes, each would make one of its own samples. Make it in make_model() or "
            "setup(hp), make a table with register_buffer(..., persistent=False), or leave ranks= and world_size= out."
        )


def _require_mean(trainer: TorchTrainer, looks: MeanLooks, batch: Any, parts: list[Any], sizes: list[int]) -> None:
    """Refuse a loss that is no mean over samples: what shards come to would not be the batch's."""
    losses = _losses(trainer, [batch, *parts])
    if losses is None:
        return
    whole, *each = losses
    samples = sum(sizes)
    mean = sum(size * loss for size, loss in zip(sizes, each, strict=True)) / samples
    if not looks.is_mean(whole, mean, precision=trainer.precision):
        raise TrainerError(
            f"{type(trainer).__name__}.loss() of a batch of {samples} samples is {whole:.6g}, but the mean over "
            f"its {len(parts)} shards is {mean:.6g}: it is no mean over samples, so that shards would train "
            "something else. Return a mean over the batch's samples, or train it on one process with shards = 1."
        )


def _losses(trainer: TorchTrainer, batches: Sequence[Any]) -> list[float] | None:
    """Return the loss of each batch as it is evaluated; None if it cannot be had so.

    What fails here alone, since the model is in another mode, is nothing to fail for; all else fails in training, too.
    """
    for has_gradients in (False, True):  # a gradient that the loss takes itself, of its inputs, say
        with suppress(Exception):
            return losses_at_rest(trainer, batches, has_gradients=has_gradients)
    return None
