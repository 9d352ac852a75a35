"""How a batch is trained on where nobody says otherwise: by the way that its trainer's attributes ask for.

It refuses to know how a step of an optimizer is taken, and what becomes of the loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from hippo.errors import TrainerError
from hippo.training.declarative.torch_attributes import checked_loss
from hippo.training.process.streams import stream_seed

if TYPE_CHECKING:
    from hippo.training.sharding.sharder import Sharder
    from hippo.training.torch_trainer import TorchTrainer


def descended(trainer: TorchTrainer, batch: Any, *, is_plain: bool) -> Any:
    """Take a step down the loss of a batch, and return the loss.

    Args:
      is_plain: its `update` is the one that comes with it, and not the user's.

    Raises:
      TrainerError: `loss` returned something else than a loss, or the optimizer does not go with what is asked for.
    """
    if trainer._ranks is not None:
        return trainer._ranks.descend(trainer, batch)
    if trainer._sharder is not None:
        return _by_shards(trainer, trainer._sharder, batch)
    if trainer._updates is not None and trainer._updates.is_ready():
        return trainer._updates.descend(batch, weight=trainer._batch.weight)
    if is_plain and trainer._live.needs_closure:
        return _by_closure(trainer, batch)
    loss = checked_loss(trainer.loss(trainer.model, batch), is_plain=is_plain)
    trainer.update(loss)
    return loss


def _by_shards(trainer: TorchTrainer, sharder: Sharder, batch: Any) -> float:
    under_way = trainer._batch
    loss, gradients = sharder.gradients(trainer, batch, under_way.samples, is_short=under_way.is_short)
    trainer._descent.take_gradients(
        trainer._live.by_name.values(), gradients, weight=under_way.weight, clip_norm=trainer.clip_norm
    )
    return loss


def _by_closure(trainer: TorchTrainer, batch: Any) -> torch.Tensor:
    if len(trainer._live.by_name) > 1:
        raise TrainerError(
            "one of several optimizers computes its loss several times for each step: override train_on_batch(), "
            "and call its step(closure) there"
        )
    return trainer._descent.take_with_closure(
        trainer.optimizer,
        lambda: checked_loss(trainer.loss(trainer.model, batch), is_plain=True),
        seed=stream_seed(trainer.seed, "closure", trainer._training.samples),
        clip_norm=trainer.clip_norm,
    )
