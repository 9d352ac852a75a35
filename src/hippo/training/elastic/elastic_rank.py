"""What a trainer that is divided among ranks asks of its process, be it the worker or a peer."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from torch import nn

    from hippo.training.torch_trainer import TorchTrainer
    from hippo.training.values import HparamValues


class ElasticRank(Protocol):
    """One of several processes that have a trainer together."""

    def divide(self, trainer: TorchTrainer, model: nn.Module) -> nn.Module:
        """Return a model that was just made, of which each rank keeps a part."""

    def building(self, name: str) -> AbstractContextManager[None]:
        """Build the rest of the trainer of that name in a block, and go on once it is built everywhere."""

    def set_up(self, trainer: TorchTrainer, given: HparamValues, step: int) -> None:
        """Call `setup` everywhere."""

    def begin_step(self, trainer: TorchTrainer, batch_size: int) -> None:
        """Refuse a step that cannot be taken together."""

    def descend(self, trainer: TorchTrainer, batch: Any) -> float:
        """Take a step down the loss of a batch, and return it."""

    def evaluate(self, trainer: TorchTrainer) -> dict[str, float]:
        """Return the metrics of the validation set."""

    def gather(self, trainer: TorchTrainer, state: dict[str, Any]) -> dict[str, Any]:
        """Return a state with whole tensors."""

    def scatter(self, trainer: TorchTrainer, state: dict[str, Any]) -> dict[str, Any]:
        """Return a state with this rank's pieces of its tensors."""

    def leave(self) -> None:
        """Part: the trainer is closed."""
