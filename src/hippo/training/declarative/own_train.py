"""What nobody does where a user's own method stands in the place of ours, asked once a trial's first step is through.

A loop over a loader of one's own trains as well as any, and never comes by where averages of weights are taken; an
optimizer that is stepped by hand never comes by where gradients are clipped. It refuses to know what is done instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from hippo.errors import TrainerError
from hippo.hparams.code_forms import codes_of, names_in
from hippo.hparams.looking import functions_of
from hippo.training.declarative.torch_attributes import is_users
from hippo.training.telling import tell_once

if TYPE_CHECKING:
    from torch.optim import Optimizer

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
    """Warn of a scheduler of torch's, as a loop of one's own would have it, that nobody steps.

    Whoever might is believed to: a warning that the rate stands, where it does not, costs more than one left out.
    """
    live = getattr(trainer, "_live", None)
    if not any(map(_is_scheduled, live.by_name.values() if live else ())):
        return
    cls = type(trainer)
    bases = [base for base in cls.__mro__ if not base.__module__.startswith("hippo.training.")]  # ours step none
    bases.append(type(trainer.model))  # of Lightning's kind, which has its loop's hooks
    if not any("step" in names for base in bases for names in _mentioned_in(base)):
        tell_once(
            ("scheduler stands", cls),
            f"an optimizer of {cls.__name__} is under a scheduler of torch's, and nothing steps it: the learning rate "
            "stays what it is. Say it by a sequence in the config, such as hippo.MultiStep(0.1, [10], 0.1), which "
            "trials can share; or call the scheduler's step() in train_on_batch().",
        )


def _is_scheduled(optimizer: Optimizer) -> bool:
    """Tell whether a scheduler counts an optimizer's steps: a state that was loaded has rates at its beginning, too."""
    return "step" in vars(optimizer) and any("initial_lr" in group for group in optimizer.param_groups)


def _names_in_functions(cls: type) -> list[set[str]]:
    """Return the names that each function looks up which the user has written for a trainer."""
    users = [base for base in cls.__mro__ if not base.__module__.startswith("hippo.")]
    return [names for base in users for names in _read_in(base)]


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


def _mentioned_in(base: type) -> Iterator[set[str]]:
    """Yield what each function of a class mentions, also as text: its methods, and what of the user's they name.

    These are functions and classes, be they in modules: a loop that is told of each batch, say.
    """
    for member in vars(base).values():
        for function in functions_of(member):
            yield (names := _mentioned(function))
            for helper in _helpers(function.__globals__, names):
                members = vars(helper).values() if isinstance(helper, type) else (helper,)
                yield from (_mentioned(each) for member in members for each in functions_of(member))


def _mentioned(function: FunctionType) -> set[str]:
    codes = list(codes_of(function.__code__))
    return {each for code in codes for each in (*code.co_names, *code.co_consts) if isinstance(each, str)}


def _helpers(known: Mapping[str, Any], names: Collection[str]) -> Iterator[FunctionType | type]:
    """Yield the functions and classes of these names, also those in a module of such a name; none of torch's."""
    found = [known[name] for name in names if name in known]
    modules = [vars(each) for each in found if isinstance(each, ModuleType)]
    for each in (*found, *(module[name] for module in modules for name in names if name in module)):
        if isinstance(each, FunctionType | type) and str(each.__module__).partition(".")[0] not in ("torch", "hippo"):
            yield each
