"""What is only done where a step's batches are gone through, asked of a `train` that a user wrote.

A loop over a loader of one's own trains as well as any, and never comes by where averages of weights are taken and
values are given to each batch. It refuses to know what the loop does instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING, Any

from hippo.errors import TrainerError
from hippo.hparams.code_forms import names_in
from hippo.training.declarative.torch_attributes import is_users

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: attribute -> what it is while it asks for nothing
_OFF: dict[str, Any] = {"ema_decay": None, "swa_from": None, "apply_hparams": "step"}


def check_goes_through_batches(trainer: TorchTrainer) -> None:
    """Refuse a trainer that has taken its first step without our batches, and asks for what is done beside them.

    One that says `batches_of_step`, or calls the `train` that it replaces, takes them at other steps; one that reads
    such an attribute sees to it itself.

    Raises:
      TrainerError: names the attribute.
    """
    cls, feed = type(trainer), getattr(trainer, "_training", None)  # a `build` may have left ours out
    asked = [name for name, off in _OFF.items() if getattr(trainer, name) != off]
    if not asked or (feed is not None and feed.steps) or not is_users(cls.train):
        return
    functions = [names for base in cls.__mro__ if not base.__module__.startswith("hippo.") for names in _read_in(base)]
    if any("batches_of_step" in names or {"super", "train"} <= names for names in functions):
        return
    for name in asked:
        if not any(name in names for names in functions):
            raise TrainerError(
                f"{cls.__name__}.{name} = {getattr(trainer, name)!r} has no effect: train() takes its batches from "
                "elsewhere, and this is done where batches_of_step() hands them out. Write `for batch in "
                f"self.batches_of_step()` there, or leave {name} out and do it yourself."
            )


def _read_in(base: type) -> Iterator[set[str]]:
    """Yield the names that each function of a class looks up."""
    for value in vars(base).values():
        code = getattr(getattr(value, "__func__", value), "__code__", None)
        if isinstance(code, CodeType):
            yield names_in(code)
