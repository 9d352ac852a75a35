"""The attributes by which a `TorchTrainer` says how it trains, checked: of a class before anything is trained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from hippo.errors import HparamError, TrainerError
from hippo.training.values import whole_number


class _Rule(NamedTuple):
    is_met: Callable[[Any], bool]
    says: str


def check_attributes(owner: Any, name: str) -> None:
    """Raise an error if an attribute has a value that it cannot have.

    Args:
      owner: a trainer, or its class.
      name: the class's, for the message.

    Raises:
      TrainerError: names the attribute, its value and what it may be.
    """
    for attribute, rule in _RULES.items():
        value = getattr(owner, attribute)
        if hasattr(value, "__get__"):  # a property: its value shows once there is a trainer
            continue
        if not rule.is_met(value):
            raise TrainerError(f"{name}.{attribute} = {value!r}, but it must be {rule.says}.")


def _is_count(value: Any) -> bool:
    try:
        return whole_number(value) >= 1
    except HparamError:
        return False


def _is_device(value: Any) -> bool:
    try:
        return value is None or bool(torch.device(value))
    except (RuntimeError, TypeError):
        return False


_RULES = {
    "samples_per_step": _Rule(
        lambda value: value is None or _is_count(value),
        "a whole number of samples, at least 1, or None for as many as the training set has",
    ),
    "default_batch_size": _Rule(_is_count, "a whole number of samples, at least 1"),
    "val_batch_size": _Rule(_is_count, "a whole number of samples, at least 1"),
    "num_workers": _Rule(lambda value: type(value) is int and value >= 0, "a number of processes, 0 for none"),
    "apply_hparams": _Rule(lambda value: value in ("step", "batch"), "'step' or 'batch'"),
    "device": _Rule(_is_device, "a device that torch knows, such as 'cpu' or 'cuda:0', or None"),
}
