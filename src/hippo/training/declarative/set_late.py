"""What `setup` sets on a trainer too late: `build` has made the model and the optimizers by then, of what was there.

A trainer whose `make_optimizer` reads `self.decay`, which its `setup` sets, would be trained with what the class has
under that name, and be recorded with what the config says. It refuses to know what values are for: it asks again, and
compares.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from hippo.errors import TrainerError, listed
from hippo.hparams.code_forms import names_in
from hippo.training.process.streams import fence
from hippo.training.values import HparamValues

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

_ABSENT = object()


def check_set_late(trainer: TorchTrainer, before: Mapping[str, Any], given: HparamValues) -> None:
    """Refuse a trainer whose model or optimizers would be others if they were made now.

    Args:
      trainer: just set up.
      before: its attributes before that.
      given: what `setup` was given.

    Raises:
      TrainerError: says what would be otherwise.
    """
    if trainer._surrogate_options is not None:  # its parts are the target's, by a factor
        return
    of_model, of_optimizer = (_set_since(trainer, before, method) for method in ("make_model", "make_optimizer"))
    if of_model:
        _check_model(trainer, of_model)
    is_lanes_first = len(given.raw) == len(trainer.hp.raw)
    if of_optimizer or (is_lanes_first and not given.raw.keys() <= trainer._live.reads):
        late = trainer._live.late_options(trainer)
        if late:
            raise TrainerError(f"make_optimizer() says {' and '.join(late)}. {_advice(of_optimizer)}")


def _check_model(trainer: TorchTrainer, names: Mapping[str, tuple[Any, Any]]) -> None:
    lent = copy.copy(trainer)
    with fence():
        made = lent.make_model()
    if _outline(made) != _outline(trainer.model):
        was = " and ".join(f"self.{name}, which was {old!r} and now is {new!r}" for name, (old, new) in names.items())
        raise TrainerError(f"make_model() would make another model after setup(): it reads {was}. {_advice(names)}")


def _advice(names: Mapping[str, Any]) -> str:
    said = f", {listed([f'self.{name}' for name in names], 3)}," if names else ""
    return (
        f"What setup() sets{said} comes too late: build() calls make_model() and make_optimizer() before it. Read "
        "self.hp there, as in self.hp['weight_decay']."
    )


def _outline(model: torch.nn.Module) -> tuple[Any, ...]:
    return repr(model), [(name, each.shape) for name, each in model.named_parameters()]


def _set_since(trainer: TorchTrainer, before: Mapping[str, Any], method: str) -> dict[str, tuple[Any, Any]]:
    """Return the attributes that a method names and `setup` has set to something else, with both values."""
    found, now, cls = {}, vars(trainer), type(trainer)
    for name in sorted(_names(cls, method) & now.keys()):
        old = before.get(name, getattr(cls, name, _ABSENT))
        if old is not _ABSENT and old is not now[name] and not _is_plainly_equal(old, now[name]):
            found[name] = (old, now[name])
    return found


def _is_plainly_equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and type(one) in (bool, int, float, str, tuple, list, dict) and one == other


@functools.lru_cache
def _names(cls: type, method: str) -> frozenset[str]:
    """Return the names that a method's code has, and that of the methods that it calls."""
    names, left = set[str](), {method}
    while left:
        name = left.pop()
        for each in cls.__mro__:
            code = getattr(vars(each).get(name), "__code__", None)
            if code is not None and not each.__module__.startswith("hippo.training."):
                new = names_in(code) - names
                names |= new
                left |= new
    return frozenset(names)
