"""What belongs to a state in PyTorch besides models and optimizers: what is frozen, and learning-rate schedulers.

It refuses to know a trainer's life cycle: it looks at attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.optim.lr_scheduler import LRScheduler

from hippo.errors import StateError
from hippo.training.codec import encode


def frozen_parameters(model: torch.nn.Module) -> list[str]:
    """Return the names of the parameters that are not trained."""
    return sorted(name for name, parameter in model.named_parameters() if not parameter.requires_grad)


def load_frozen_parameters(model: torch.nn.Module, frozen: Sequence[str]) -> None:
    """Freeze these parameters, and no others."""
    if frozen_parameters(model) == sorted(frozen):
        return
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name not in frozen)


def scheduler_states(trainer: object) -> dict[str, dict[str, Any]]:
    """Return the states of the learning-rate schedulers among a trainer's attributes, by name."""
    return {name: _savable(scheduler.state_dict()) for name, scheduler in schedulers_of(trainer).items()}


def load_scheduler_states(trainer: object, states: Mapping[str, Any]) -> None:
    """Bring the schedulers among a trainer's attributes, newly made, to recorded states."""
    schedulers = schedulers_of(trainer)
    for name, state in states.items():
        if name in schedulers:
            schedulers[name].load_state_dict(state)


def schedulers_of(trainer: object) -> dict[str, LRScheduler]:
    """Return the learning-rate schedulers among a trainer's attributes, or in lists and dictionaries there, by name."""
    found: dict[str, LRScheduler] = {}
    for name, value in sorted(vars(trainer).items()):
        found |= _schedulers_in(name, value)
    return found


def _schedulers_in(name: str, value: object) -> dict[str, LRScheduler]:
    if isinstance(value, LRScheduler):
        return {name: value}
    items: Iterable[tuple[object, object]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    return {f"{name}[{at!r}]": item for at, item in items if isinstance(item, LRScheduler)}


def _savable(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that can be saved: some schedulers keep functions there, which a new one has anyway."""
    return {name: value for name, value in state.items() if _can_be_saved(value)}


def _can_be_saved(value: object) -> bool:
    try:
        encode(value)
    except StateError:
        return False
    return True
