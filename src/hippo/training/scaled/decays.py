"""Weight decay that is part of the gradient, and which hyper-parameters it depends on.

That is found by asking `make_optimizer` with other values of them. Names tell little: what is called l2 may be the
weight decay, and so may a number inside of a mapping. It refuses to know surrogates.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import Optimizer

from hippo.training.process.streams import fence
from hippo.training.values import HparamValues

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer


def couples_decay(optimizer: Optimizer) -> bool:
    """Whether an optimizer divides its weight decay by the size of gradients, as Adam does and AdamW does not."""
    return any(_coupled(optimizer))


def read_for_decay(trainer: TorchTrainer, names: Iterable[str]) -> str | None:
    """Return the first of these hyper-parameters that such a weight decay depends on; None: there is none.

    What `make_optimizer` raises for another value says nothing, and what it keeps in itself is thrown away.
    """
    if not (asked := sorted(names)):
        return None
    with fence():
        now = _decays(trainer, trainer.hp.raw)
        for name in asked:
            for other in _others(trainer.hp.raw[name]):
                with suppress(Exception):
                    decays = _decays(trainer, {**trainer.hp.raw, name: other})
                    if len(decays) == len(now) and decays != now:
                        return name
    return None


def _decays(trainer: TorchTrainer, values: Mapping[str, Any]) -> list[float]:
    asked = copy.copy(trainer)
    asked.hp = HparamValues(values)
    made: Any = asked.make_optimizer(trainer.model.parameters())
    optimizers: list[Optimizer] = list(made.values()) if isinstance(made, Mapping) else [made]
    return [decay for each in optimizers for decay in _coupled(each)]


def _coupled(optimizer: Optimizer) -> list[float]:
    if isinstance(optimizer, torch.optim.SGD | torch.optim.AdamW):
        return []
    groups = [group for group in optimizer.param_groups if not group.get("decoupled_weight_decay")]
    return [float(group.get("weight_decay") or 0.0) for group in groups]


def _others(value: Any) -> Iterator[Any]:
    """Yield a value with another number in the place of each of its own, one at a time."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from ({**value, key: other} for other in _others(part))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1 :]] for other in _others(part))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, float):
        yield value / 2 if value else 0.001  # most options may be smaller
    elif isinstance(value, int):
        yield value + 1
