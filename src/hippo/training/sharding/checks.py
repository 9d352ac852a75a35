"""Which trainers can be cut into shards, and with which batches: asked before anything is trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hippo.errors import HparamError, StateError, TrainerError
from hippo.training.declarative.descent import needs_closure
from hippo.training.declarative.torch_classes import refuse_scaled_losses, require_left
from hippo.training.declarative.trainer_data import BATCH_SIZE, each_batch_size

if TYPE_CHECKING:
    from hippo.hparams import Config
    from hippo.training.torch_trainer import TorchTrainer

#: what a class must leave as it is -> why
_LEFT = {
    "train": "goes through batches itself",
    "train_on_batch": "trains on a batch itself",
    "update": "takes steps itself, of whose losses hippo knows nothing",
    "batches_of_step": "hands out batches itself",
    "state_dict": "has a state of its own, which shards computed elsewhere could not change",
    "load_state_dict": "has a state of its own, which shards computed elsewhere could not change",
}


def check_shards(cls: type[TorchTrainer], base: Any, config: Config, until: int) -> None:
    """Refuse a class that says shards and cannot have them, and a config whose batches are smaller than shards.

    Args:
      base: the class whose methods are the usual ones.

    Raises:
      TrainerError: says what the class does.
      HparamError: names the step and the batch size.
    """
    shards = cls.shards
    if hasattr(shards, "__get__") or shards == 1:  # a property's value shows once there is a trainer
        return
    _check_class(cls, base, f"shards = {shards}")
    sizes = each_batch_size(config, until) if BATCH_SIZE in config else [(0, cls.default_batch_size)]
    for step, size in sizes:
        if size < shards:
            raise HparamError(
                f"batch_size at step {step} is {size}, but {cls.__name__}.shards = {shards}: each shard of a batch "
                f"needs a sample. Use batches of at least {shards}, or fewer shards."
            )


def check_shardable(trainer: TorchTrainer, base: Any, shards: int) -> None:
    """Refuse a built trainer whose batches cannot be cut into shards.

    Raises:
      TrainerError: says what it does.
    """
    name = f"shards = {shards}" if trainer.shards > 1 else f"world_size={shards}"
    _check_class(type(trainer), base, name)
    check_optimizers(trainer, name)


def check_optimizers(trainer: TorchTrainer, name: str) -> None:
    """Refuse optimizers whose steps need more than the gradient of a batch, or other parameters than the model's.

    Args:
      name: of what does not go with them.

    Raises:
      TrainerError: says what they do.
    """
    own = {id(parameter) for parameter in trainer.model.parameters()}
    for optimizer in trainer._live.by_name.values():
        if needs_closure(optimizer):
            raise TrainerError(
                f"{type(optimizer).__name__} computes its loss several times for each step, which does not go with "
                f"{name}; use another optimizer, or leave that out"
            )
        if any(id(each) not in own for group in optimizer.param_groups for each in group["params"]):
            raise TrainerError(
                f"an optimizer of {type(trainer).__name__} has parameters that are not self.model's, whose gradients "
                f"{name} would not see. Make them a part of the model."
            )


def require_same_shards(shards: int, state: Mapping[str, Any]) -> None:
    """Refuse a state that was trained with other shards.

    Raises:
      StateError: names both.
    """
    was = state.get("shards", 1)
    if was != shards:
        raise StateError(
            f"the state was trained with shards = {was}, and the trainer has shards = {shards}: going on from it would "
            f"be neither. Train with shards = {was}, or from the beginning."
        )


def _check_class(cls: type, base: Any, name: str) -> None:
    require_left(cls, base, _LEFT, so_that=f"its batches cannot be cut ({name})", instead="train without shards")
    refuse_scaled_losses(cls, cls.__name__, name)
