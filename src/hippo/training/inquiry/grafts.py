"""Tries what a forgotten value does: gives a trainer that was loaded what one that went through holds.

If the step then comes to what it should, the value is what the state lacks. Both trainers are in one process, so what
classes, modules and the process hold is the same for them. This module refuses to know how steps are compared.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterable, Iterator
from typing import Any

from hippo.training.inquiry.inventory import OWN_ATTRIBUTES
from hippo.training.process.streams import loaded
from hippo.training.trainer import Trainer


def graft(through: Trainer, other: Trainer, names: Iterable[str]) -> None:
    """Give `other` what `through` holds under these names; what cannot be given is left as it is.

    Args:
      through: a trainer that went through the steps; not to be used afterwards.
      other: one that was brought to the same state.
      names: as in `Culprit.group`: "self.ema", "self.model (mode)", "self.model (gradient)", "self.optimizer", ...
    """
    for name in names:
        place, _, kind = name.partition(" (")
        with contextlib.suppress(Exception):  # then the step is no other one, and the name is not to blame alone
            if place.startswith("self.") and "[" not in place:
                _give(through, other, place.removeprefix("self."), kind.rstrip(")"))


def _give(through: Trainer, other: Trainer, attribute: str, kind: str) -> None:
    one, its = getattr(through, attribute), getattr(other, attribute)
    torch = loaded("torch")
    if torch is not None and isinstance(one, torch.nn.Module) and isinstance(its, torch.nn.Module):
        for module, counterpart in zip(one.modules(), its.modules(), strict=True):
            _give_module(module, counterpart, kind, _counterparts(through, other, attribute))
    elif torch is not None and isinstance(one, torch.optim.Optimizer) and attribute == "optimizer":
        its.load_state_dict(copy.deepcopy(one.state_dict()))
    else:
        setattr(other, attribute, _copied(one, _counterparts(through, other, attribute)))


def _give_module(one: Any, its: Any, kind: str, memo: dict[int, Any]) -> None:
    if kind == "mode":
        its.training = one.training
        return
    if kind == "gradient":
        for parameter, counterpart in zip(one.parameters(False), its.parameters(False), strict=True):
            counterpart.grad = None if parameter.grad is None else parameter.grad.clone()
        return
    for name, buffer in one._buffers.items():
        its._buffers[name] = None if buffer is None else buffer.clone()
    for parameter, counterpart in zip(one._parameters.values(), its._parameters.values(), strict=True):
        if parameter is not None:
            counterpart.data = parameter.data.clone()
            counterpart.requires_grad_(parameter.requires_grad)
    for name, value in vars(one).items():
        if not name.startswith("_") and name != "training":
            setattr(its, name, _copied(value, memo))


def _counterparts(through: Trainer, other: Trainer, attribute: str) -> dict[int, Any]:
    """Return what stands in `other` for what `through` has under other names: a copy is to refer to that."""
    found = {id(through): other}
    for name, value in vars(through).items():
        if name in (attribute, *OWN_ATTRIBUTES) or name not in vars(other):
            continue
        for one, its in _pairs(value, vars(other)[name]):
            found[id(one)] = its
    with contextlib.suppress(Exception):
        if attribute != "optimizer":
            found[id(through.optimizer)] = other.optimizer  # type: ignore[attr-defined]
    return found


def _pairs(one: Any, its: Any) -> Iterator[tuple[Any, Any]]:
    if type(one) is not type(its) or one is its or isinstance(one, bool | int | float | str | bytes | None):
        return
    yield one, its
    torch = loaded("torch")
    if torch is not None and isinstance(one, torch.nn.Module):
        yield from zip(one.modules(), its.modules(), strict=False)
        yield from zip(one.parameters(), its.parameters(), strict=False)


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    torch = loaded("torch")
    if torch is not None and isinstance(value, torch.Generator):
        made = torch.Generator(value.device)
        made.set_state(value.get_state())
        return made
    try:
        return copy.deepcopy(value, dict(memo))
    except Exception:  # a generator under way, an open file: nobody else needs it
        return value
