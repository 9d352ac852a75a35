"""What nobody does where a user's own method stands in the place of ours, asked once a trial's first step is through.

A loop over a loader of one's own trains as well as any, and never comes by where averages of weights are taken; an
optimizer that is stepped by hand never comes by where gradients are clipped. It refuses to know what is done instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from hippo.errors import TrainerError
from hippo.hparams.code_forms import names_in
from hippo.hparams.looking import functions_of
from hippo.training.declarative.torch_attributes import is_users
from hippo.training.telling import tell_once

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: attribute -> its values that ask for nothing of where batches are handed out
_BESIDE_BATCHES = {"ema_decay": (None,), "swa_from": (None,), "apply_hparams": ("step",)}
#: the same of `update`
_BY_UPDATE = {"clip_norm": (None,), "accumulate": (1,), "precision": (None, "bf16")}


def check_is_done(trainer: TorchTrainer) -> None:
    """Refuse a trainer that asks for what its own `train`, `train_on_batch` or `update` has left out.

    Methods that mention ours may call them at other steps; one that reads such an attribute sees to it itself.

    Raises:
      TrainerError: names the attribute.
    """
    cls = type(trainer)
    _tell_if_scheduler_stands(trainer)
    if not any(map(is_users, (cls.train, cls.train_on_batch, cls.update, cls.evaluate))):
        return
    if not any(_asked(trainer, off) for off in (_BESIDE_BATCHES, _BY_UPDATE)):  # and its methods need not be read
        return
    functions = _names_in_functions(cls)
    _tell_if_average_is_left_out(trainer, functions)
    if not any(map(is_users, (cls.train, cls.train_on_batch, cls.update))):
        return
    feed, descent = getattr(trainer, "_training", None), getattr(trainer, "_descent", None)  # `build` may be another
    if feed is None or not feed.steps:
        if any("batches_of_step" in names or {"super", "train"} <= names for names in functions):
            return
        how = "train() takes its batches from elsewhere, and batches_of_step() sees to this: go through its batches"
        _refuse(trainer, _BESIDE_BATCHES, functions, how)
    is_used = descent is not None and (descent.has_stepped or descent.is_waiting)
    if not is_used and not any({"update", "descend"} & names for names in functions):
        how = "the optimizer is stepped by hand, and update() sees to this: call self.update(loss)"
        _refuse(trainer, _BY_UPDATE, functions, how)


def _tell_if_scheduler_stands(trainer: TorchTrainer) -> None:
    """Warn of a scheduler of torch's, as a loop of one's own would have it, that nobody steps."""
    live = getattr(trainer, "_live", None)
    groups = [group for optimizer in (live.by_name.values() if live else ()) for group in optimizer.param_groups]
    if not any("initial_lr" in group for group in groups):  # schedulers write down the rate they began with
        return
    cls = type(trainer)
    if not any("step" in names for names in _names_in_functions(cls)):
        tell_once(
            ("scheduler stands", cls),
            f"an optimizer of {cls.__name__} is under a scheduler of torch's, and nothing steps it: the learning rate "
            "stays what it is. Say it by a sequence in the config, such as hippo.MultiStep(0.1, [10], 0.1), which "
            "trials can share; or call the scheduler's step() in train_on_batch().",
        )


def _names_in_functions(cls: type) -> list[set[str]]:
    """Return the names that each function looks up which the user has written for a trainer."""
    return [names for base in cls.__mro__ if not base.__module__.startswith("hippo.") for names in _read_in(base)]


def _tell_if_average_is_left_out(trainer: TorchTrainer, functions: Collection[set[str]]) -> None:
    """Warn where trials are compared by the model, and who takes the best one home gets an average."""
    name = "ema_decay" if trainer.ema_decay is not None else "swa_from"
    if getattr(trainer, name) is None or not is_users(type(trainer).evaluate):
        return
    if not any("evaluated_model" in names or {"super", "evaluate"} <= names for names in functions):
        which = type(trainer).__name__
        tell_once(
            ("average left out", type(trainer)),
            f"{which}.evaluate() never asks for self.evaluated_model, the average of weights that {which}.{name} asks "
            "for: trials are compared by self.model, and load_model and `hippo export` take the average. Evaluate "
            f"self.evaluated_model, or leave {name} out.",
        )


def _refuse(trainer: TorchTrainer, off: Mapping[str, Any], functions: Collection[set[str]], how: str) -> None:
    for name, value in _asked(trainer, off).items():
        if not any(name in names for names in functions):
            raise TrainerError(
                f"{type(trainer).__name__}.{name} = {value!r} has no effect: {how} there, or leave {name} out and do "
                "it yourself."
            )


def _asked(trainer: TorchTrainer, off: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that ask for something, with their values."""
    return {name: value for name, nothing in off.items() if (value := getattr(trainer, name)) not in nothing}


def _read_in(base: type) -> Iterator[set[str]]:
    """Yield the names that each function of a class looks up: its methods, also decorated, and what they call."""
    for member in vars(base).values():
        for function in functions_of(member):
            yield (names := names_in(function.__code__))
            for helper in map(function.__globals__.get, names):
                if isinstance(helper, FunctionType):
                    yield names_in(helper.__code__)
