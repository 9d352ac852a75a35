"""The attributes by which a `TorchTrainer` says how it trains, checked: of a class before anything is trained."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch

from hippo.errors import HparamError, TrainerError, listed
from hippo.training.declarative.descent import PRECISIONS, beside_model
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
    if _is_set(owner, "ema_decay") and _is_set(owner, "swa_from"):
        raise TrainerError(
            f"{name} has both ema_decay = {owner.ema_decay!r} and swa_from = {owner.swa_from!r}: there is one average "
            "of the weights. Set one of them to None."
        )


def read_by_build(trainer: Any) -> dict[str, Any]:
    """Return the attributes that `build` reads, once for all steps, with their values."""
    return {attribute: getattr(trainer, attribute) for attribute in _READ_BY_BUILD}


def check_read_by_build(trainer: Any, read: Mapping[str, Any]) -> None:
    """Refuse a trainer of which an attribute is another one than `build` has read: it would have no effect.

    Args:
      trainer: just set up.
      read: what `read_by_build` returned in its `build`.

    Raises:
      TrainerError: names the attribute.
    """
    now = read_by_build(trainer)
    if now == read:
        return
    for attribute, value in now.items():
        before = read[attribute]
        if attribute == "device":
            is_same = device_of(value) == device_of(before)
        elif attribute == "swa_from":  # from which step on is asked at each step
            is_same = (value is None) == (before is None)
        else:
            is_same = value == before
        if not is_same:
            raise TrainerError(
                f"{type(trainer).__name__}.{attribute} is {value!r} after setup(), but was {before!r} in build(), "
                "which reads it once, for all steps. Set it in the class, or in build() before super().build(); no "
                "hyper-parameter that changes while a trial is trained can say it."
            )


def is_users(method: Any) -> bool:
    """Tell whether somebody else has written a method, and not hippo."""
    return not getattr(method, "__module__", "").startswith("hippo.")


def step_under_way(trainer: Any, passes: int, *, is_through: bool) -> int:
    """Return the step that batches are wanted for; a `train` of one's own may want none at some steps.

    Args:
      passes: through the batches of a step, before this one. Where nobody walks a path they are all that is known.
      is_through: this step's batches were gone through already.

    Raises:
      TrainerError: they were, and something of the trainer goes by where a step ends.
    """
    step: int | None = trainer.hp.step
    if step is None:
        return passes
    if is_through and (trainer.apply_hparams == "batch" or trainer.swa_from is not None):
        what = "swa_from goes" if trainer.apply_hparams == "step" else 'apply_hparams = "batch" goes'
        raise TrainerError(
            f"{type(trainer).__name__}.train() goes through the batches of step {step} again, and {what} by where "
            "a step ends. Say how long a step is by samples_per_step, which may be several epochs."
        )
    return step


def device_of(named: torch.device | str | None) -> torch.device:
    """Return the device that a trainer's attribute `device` names; None is a CUDA device where there is one."""
    return torch.device(named or ("cuda" if torch.cuda.is_available() else "cpu"))


def check_batch_size_attribute(cls: Any, base: type) -> None:
    """Refuse a class that says its batch size in an attribute that hippo does not read.

    Raises:
      TrainerError: it has a number called `batch_size`, and left the default of `base` as it was.
    """
    if type(getattr(cls, "batch_size", None)) is int and cls.default_batch_size == base.default_batch_size:  # type: ignore[attr-defined]
        raise TrainerError(
            f"{cls.__name__}.batch_size = {cls.batch_size} has no effect: batch_size is a hyper-parameter, and where a "
            f"config does not say it, default_batch_size counts; write default_batch_size = {cls.batch_size}."
        )


def checked_model(made: Any) -> torch.nn.Module:
    """Return what `make_model` made, if it is a module.

    Raises:
      TrainerError: it is something else.
    """
    if isinstance(made, torch.nn.Module):
        return made
    raise TrainerError(f"make_model() returned {_said(made)}; return a torch.nn.Module, newly made")


def checked_optimizers(made: Any, model: torch.nn.Module, *, only: str) -> dict[str, torch.optim.Optimizer]:
    """Return what `make_optimizer` made by name, if each is an optimizer of the model's parameters.

    Args:
      made: one optimizer, or several by name.
      only: the name of one alone.

    Raises:
      TrainerError: it is something else, or one has none of them: the model would stay as it is.
    """
    if not isinstance(made, Mapping):
        return {only: _checked_optimizer(made, model, "")}
    if not made or not all(isinstance(name, str) and name for name in made):
        raise TrainerError(
            f"make_optimizer() returned {_said(made)}; return a torch.optim.Optimizer, or several, each by a name"
        )
    return {name: _checked_optimizer(each, model, f", by the name {name!r}") for name, each in made.items()}


def _checked_optimizer(made: Any, model: torch.nn.Module, by: str) -> torch.optim.Optimizer:
    if not isinstance(made, torch.optim.Optimizer):
        raise TrainerError(f"make_optimizer() returned {_said(made)}{by}; return a torch.optim.Optimizer of `params`")
    own = {id(parameter) for parameter in model.parameters()}
    if not any(id(parameter) in own for group in made.param_groups for parameter in group["params"]):
        raise TrainerError(
            f"make_optimizer() returned an optimizer that has no parameter of the model{by}; give it `params`"
        )
    return made


def check_states_have(trainer: Any, base: type) -> None:
    """Refuse optimizers that train what no state has: whoever went on from one would begin with what `build` makes.

    Args:
      trainer: with its optimizers.
      base: whose states have what is in the model; a `state_dict` of the user's may have more.

    Raises:
      TrainerError: names what they train.
    """
    if type(trainer).state_dict is not base.state_dict:  # type: ignore[attr-defined]
        return
    beside = beside_model(trainer.model, trainer._live.by_name.values())
    if beside:
        kept = {id(each) for each in trainer.model.state_dict(keep_vars=True).values()}  # a buffer may be trained, too
        names = [_name_of(each, trainer) for each in beside if id(each) not in kept]
        if names:
            raise TrainerError(
                f"an optimizer of {type(trainer).__name__} trains {listed(names, 3)} beside self.model: no state has "
                "it, and whoever goes on from one would begin anew with it. Make it a part of the model, which returns "
                "it when it is called, or override state_dict() and load_state_dict() to save and load it."
            )


def _name_of(tensor: torch.Tensor, trainer: Any) -> str:
    for name, value in vars(trainer).items():
        if value is tensor:
            return f"self.{name}"
        if isinstance(value, torch.nn.Module):
            for inner, parameter in value.named_parameters():
                if parameter is tensor:
                    return f"self.{name}.{inner}"
    return f"a tensor of shape {tuple(tensor.shape)}"


def checked_loss(loss: Any, *, is_plain: bool) -> torch.Tensor:
    """Return what `loss` returned, if one can train by it.

    Args:
      loss: what it returned.
      is_plain: `update` is the one that comes with the trainer, and not the user's, which may know better.

    Raises:
      TrainerError: it is no tensor of one number that came from the model.
    """
    if not isinstance(loss, torch.Tensor):
        raise TrainerError(f"loss() returned {_said(loss)}; return a tensor with the mean loss of the batch")
    if is_plain and loss.numel() != 1:
        raise TrainerError(f"loss() returned a tensor of shape {tuple(loss.shape)}; return its mean, a 0-d tensor")
    if is_plain and not loss.requires_grad:
        raise TrainerError("loss() returned a tensor without a gradient: compute it from what model(...) returns")
    return loss


def _said(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"{value!r} ({type(value).__name__})"


def _is_count(value: Any) -> bool:
    try:
        return whole_number(value) >= 1
    except HparamError:
        return False


def _is_set(owner: Any, attribute: str) -> bool:
    value = getattr(owner, attribute)
    return value is not None and not hasattr(value, "__get__")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


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
    "accumulate": _Rule(_is_count, "a whole number of batches, at least 1"),
    "shards": _Rule(
        lambda value: type(value) is int and value >= 1 and value & (value - 1) == 0,
        "a power of two, such as 4, or 1 to cut no batch",
    ),
    "clip_norm": _Rule(
        lambda value: value is None or (_is_number(value) and value > 0), "a norm above 0, or None to clip nothing"
    ),
    "ema_decay": _Rule(
        lambda value: value is None or (_is_number(value) and 0 <= value < 1),
        "at least 0 and below 1, or None for no average",
    ),
    "swa_from": _Rule(
        lambda value: value is None or (type(value) is int and value >= 0),
        "a step, a whole number from 0 on, or None for no average",
    ),
    "record_updates": _Rule(
        lambda value: value is None or type(value) is bool,
        "True, False, or None to record where numerics='fused' asks for it",
    ),
    "elastic_blocks": _Rule(
        lambda value: (
            isinstance(value, tuple)
            and all(isinstance(each, type) and issubclass(each, torch.nn.Module) for each in value)
        ),
        "a tuple of classes of modules, such as (nn.TransformerEncoderLayer,), or ()",
    ),
    "precision": _Rule(lambda value: value in (None, *PRECISIONS), "'bf16', 'fp16', or None for that of the model"),
    "device": _Rule(_is_device, "a device that torch knows, such as 'cpu' or 'cuda:0', or None"),
}

#: what makes data sets, optimizers and averages is asked for when they are made
_READ_BY_BUILD = (
    "samples_per_step",
    "val_batch_size",
    "num_workers",
    "accumulate",
    "shards",
    "ema_decay",
    "swa_from",
    "elastic_blocks",
    "precision",
    "device",
)
