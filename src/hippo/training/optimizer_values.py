"""Keeps an optimizer at the values in force, by asking the user's `make_optimizer` what it would do with them.

The live optimizer's options always equal those that `make_optimizer` would give now, also for parameter groups with
their own multiples of the learning rate. It refuses to know what the options mean.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from torch.optim import Optimizer

from hippo.errors import TrainerError
from hippo.training.streams import fence
from hippo.training.torch_attributes import checked_optimizer
from hippo.training.values import HparamValues, same_value

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: a change of these keeps the optimizer's state; of any other name that `make_optimizer` reads, it begins anew
APPLIED = frozenset({"lr", "momentum", "betas", "weight_decay", "batch_size"})


class LiveOptimizer:
    """An optimizer, and the values for which it was made."""

    def __init__(self, trainer: TorchTrainer) -> None:
        self._values: dict[str, Any] = {}
        self._make(trainer)

    def apply(self, trainer: TorchTrainer) -> None:
        """Bring the optimizer to the values that are in force in `trainer` now."""
        values = trainer.hp.raw
        changed = {name for name, value in self._values.items() if not same_value(value, values[name])}
        if not changed:
            return
        with fence():
            if changed <= APPLIED:
                self._take_options(trainer)
            else:
                self._make(trainer)

    def note_values(self, values: HparamValues) -> None:
        """Take the optimizer for one that was made for these values, whose options were loaded since."""
        self._values.update({name: values.raw[name] for name in self._values})

    def _make(self, trainer: TorchTrainer) -> None:
        with recorded_reads(trainer) as names:
            made = trainer.make_optimizer(trainer.model.parameters())
        self.optimizer: Optimizer = checked_optimizer(made, trainer.model)
        self._remember(trainer, names)

    def _take_options(self, trainer: TorchTrainer) -> None:
        scratch = copy.copy(trainer)  # whatever make_optimizer sets on itself is not for the trainer under way
        with recorded_reads(scratch) as names:
            wanted = scratch.make_optimizer(trainer.model.parameters())
        if len(wanted.param_groups) != len(self.optimizer.param_groups):
            raise TrainerError(
                f"make_optimizer() made {len(self.optimizer.param_groups)} parameter groups before and "
                f"{len(wanted.param_groups)} now; their number must not depend on {sorted(APPLIED)}."
            )
        for group, options in zip(self.optimizer.param_groups, wanted.param_groups, strict=True):
            group.update({name: value for name, value in options.items() if name != "params"})
        self._remember(trainer, names)

    def _remember(self, trainer: TorchTrainer, names: set[str]) -> None:
        self._values = {name: trainer.hp.raw[name] for name in sorted(names)}


@contextmanager
def recorded_reads(trainer: TorchTrainer) -> Iterator[set[str]]:
    """Collect the names of hyper-parameters that `trainer` looks at in the block."""
    names: set[str] = set()
    outer = trainer.hp
    trainer.hp = outer.recording(names)
    try:
        yield names
    finally:
        trainer.hp = outer
