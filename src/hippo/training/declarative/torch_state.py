"""What belongs to a state in PyTorch besides optimizers: the model, what of it is frozen, and learning-rate schedulers.

It refuses to know a trainer's life cycle: it looks at attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch.nn.parameter import is_lazy
from torch.optim.lr_scheduler import LRScheduler

from hippo.errors import StateError, listed
from hippo.training.codec import encode


def load_model_state(model: torch.nn.Module, state: Mapping[str, Any]) -> None:
    """Bring a model that was just made to a recorded state.

    Raises:
      StateError: the state has other tensors: its model was changed while it was trained.
    """
    try:
        model.load_state_dict(state)
    except RuntimeError as error:
        own = model.state_dict()
        changed = sorted(own.keys() ^ state.keys())
        changed += [name for name in own if name in state and _shape(own[name]) != _shape(state[name])]
        if not changed:
            raise
        raise StateError(
            f"the state has another model than make_model() makes: {listed(changed, 3)} of one alone, or of another "
            "shape. What changes the model while it is trained (pruning, say, or layers that are added) has to be done "
            "again by load_state_dict(self, state), before super().load_state_dict(state)"
        ) from error


def _shape(value: Any) -> torch.Size | None:
    return value.shape if isinstance(value, torch.Tensor) and not is_lazy(value) else None


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
