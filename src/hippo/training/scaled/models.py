"""Makes the model of a `TorchTrainer` at its scale: a surrogate, initialised so that it learns as its target does.

The target is made beside it, without memory where that will do, to look at its shapes and at the distributions that its
tensors were drawn from. At scale 1 nothing of this happens. This module refuses to know optimizers under way.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter

from hippo.errors import HippoError, TrainerError
from hippo.scale import TARGET, Scale
from hippo.surrogates import OptimizerKind, Role, ScaledTensor
from hippo.training.declarative.torch_attributes import checked_model
from hippo.training.declarative.trainer_data import first_batch
from hippo.training.process.streams import fence
from hippo.training.scaled.attention import scale_attention, scale_readouts
from hippo.training.scaled.fills import Fill, RandomFills
from hippo.training.scaled.narrowing import Narrowing, not_drawn, without_memory
from hippo.training.scaled.optimizers import SurrogateOptions
from hippo.training.scaled.pairing import check_groups, paired
from hippo.training.values import HparamValues, same_value

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: a standard deviation that is right to so much is left as it is, with all its bits
_RIGHT = 1e-9
#: what is known of so many targets is kept, each with modules as wide as they are: a value that a model reads may be
#: another one in each trial
_KEPT_TARGETS = 16
#: the best rates of narrower surrogates drift from the target's
_NARROW = 32


class _NewModel(NamedTuple):
    """A model that was just made, and what each of its parameters was drawn from; None: nobody knows."""

    model: nn.Module
    fills: Mapping[str, Fill | None]


class _KnownTarget(NamedTuple):
    """What a surrogate has to know of its target."""

    #: without memory
    model: nn.Module
    tensors: Mapping[str, ScaledTensor]
    #: of parameters that are drawn at random, the standard deviation
    stds: Mapping[str, float]
    #: those of which it was measured, since what they were drawn from is not known
    measured: frozenset[str]
    #: how a model is cut that `make_model` makes as wide as the target; None: it makes it narrow
    narrowing: Narrowing | None = None
    #: hyper-parameters that it depends on beside those that `make_model` reads
    reads: frozenset[str] = frozenset()


def made_model(trainer: TorchTrainer) -> tuple[nn.Module, SurrogateOptions | None]:
    """Return a trainer's model, newly made at its scale, and the factors on its options; None: there are none.

    Raises:
      TrainerError: the model cannot be made at this scale; the message says what to do.
    """
    if trainer._surrogate_scale.is_target:
        return checked_model(trainer.make_model()), None
    rule = trainer._surrogate_rule
    _refuse_asked_before(trainer)
    with trainer._surrogate_notes.asked():  # what the target's `make_model` asks for is not asked before
        made, target = _made_beside_target(trainer)
    kind = _kind(trainer)
    if not rule.is_control:
        _tell_if_narrow(trainer, target.tensors)
        _initialise(made, target, {name: rule.initial_std(tensor) for name, tensor in target.tensors.items()})
        if trainer._surrogate_scale.rank is not None:  # nothing but adapters is otherwise
            return made.model, SurrogateOptions(target.tensors, rule, kind)
        scale_attention(target.model, made.model, rule.logits)
        names = {id(parameter): name for name, parameter in made.model.named_parameters()}
        scale_readouts(made.model, lambda weight: rule.readout(target.tensors[names[id(weight)]].fan_out))
    return made.model, SurrogateOptions(target.tensors, rule, kind)


# ------------------------------------------------------------------------------------------------------- two models


def _made_beside_target(trainer: TorchTrainer) -> tuple[_NewModel, _KnownTarget]:
    from hippo.training.declarative.optimizer_values import recorded_reads

    before = dict(vars(trainer))
    with recorded_reads(trainer) as reads, trainer._surrogate_notes.asked() as asked:
        made = _made_at_scale(trainer, before)
    if "scale" in trainer._surrogate_notes.asked_before["build"] and not asked:
        raise _asked_too_early("scale", "build() or train_set(), while make_model() asks for no width")
    raw = trainer.hp.raw
    there = frozenset(raw)  # code may ask for a name that is not there, and so make another model where it is
    for values, known in trainer._surrogate_notes.known.get(there, ()):
        if all(same_value(value, raw[name]) for name, value in values.items()):
            return _narrow(made, known), known
    _require_residual_scale(trainer, made.model, asked)
    target = _looked_at(trainer, _unmade(trainer, before), made, asked)
    names = sorted(reads | target.reads)
    values = {name: raw[name] for name in names if name in raw}
    known_there = trainer._surrogate_notes.known.setdefault(there, [])
    del known_there[: 1 - _KEPT_TARGETS]
    known_there.append((values, target))
    return _narrow(made, target), target


def _narrow(made: _NewModel, target: _KnownTarget) -> _NewModel:
    return made if target.narrowing is None else made._replace(model=target.narrowing.cut(made.model))


def _made_at_scale(trainer: TorchTrainer, before: Mapping[str, Any]) -> _NewModel:
    from hippo.training.fusion.refusals import LanesDifferIn

    try:
        return _made(trainer)
    except (HippoError, LanesDifferIn):
        raise  # it says itself what cannot be scaled, or that lanes are to be parted
    except Exception as error:
        unmade = _unmade(trainer, before)
        with fence():
            if not _can_be_made(unmade, TARGET):
                raise  # it has nothing to do with the scale
        raise TrainerError(
            f"make_model() raised {type(error).__name__} at scale {trainer._surrogate_scale}: {error}. "
            f"{_largest_scale(unmade)}"
        ) from error


def _made(trainer: TorchTrainer) -> _NewModel:
    with RandomFills() as fills:
        model = checked_model(trainer.make_model())
    for name, parameter in model.named_parameters():
        if isinstance(parameter, UninitializedParameter):
            raise TrainerError(f"{name!r} gets its shape from the first batch: lazy modules cannot be scaled")
    return _NewModel(model, {name: fills.of(parameter) for name, parameter in model.named_parameters()})


def _unmade(trainer: TorchTrainer, before: Mapping[str, Any]) -> TorchTrainer:
    """Return a copy of a trainer without what `make_model` has set on it: it may keep a width, which is narrow.

    What is gone since stays so: lanes have a `make_model` of theirs that can be called once.
    """
    other = copy.copy(trainer)
    vars(other).clear()
    vars(other).update({name: value for name, value in before.items() if name in vars(trainer)})
    return other


def _of_scale(trainer: TorchTrainer, scale: Scale) -> TorchTrainer:
    other = copy.copy(trainer)  # whatever make_model sets on itself is not for the trainer under way
    other._surrogate_scale = scale
    return other


def _looked_at(trainer: TorchTrainer, unmade: TorchTrainer, made: _NewModel, asked: set[str]) -> _KnownTarget:
    """Make the target, and see what a surrogate has to know of it; its memory is given back at once."""
    if _may_be_probed(unmade, made, asked):
        return _probed(trainer, made)
    target = _of_scale(unmade, TARGET)
    with fence():
        wide = _made_without_memory(target)
        if wide is None or not _explains(wide, made):
            with torch.device("cpu"):
                wide = _made(target)
        tensors = paired(wide.model, made.model, trainer._surrogate_scale)
        try:
            check_groups(wide.model, made.model)
        except TrainerError as error:
            raise TrainerError(f"{error}. {_largest_scale(unmade)}") from None
        _refuse_pretrained(made, wide, tensors)
        drawn = [name for name, fill in made.fills.items() if fill is not None and fill.is_random]
        measured = frozenset(name for name in drawn if not _is_known(wide.fills[name], made.fills[name]))
        parameters = dict(wide.model.named_parameters())
        stds = {name: _spread(parameters[name], None if name in measured else wide.fills[name]) for name in drawn}
        return _KnownTarget(wide.model.to("meta"), tensors, stds, measured)


def _may_be_probed(trainer: TorchTrainer, made: _NewModel, asked: set[str]) -> bool:
    """Whether `make_model` has no way of its own to be narrower: it asked for no width, and made the target."""
    scale = trainer._surrogate_scale
    if scale.width == 1 or scale.depth > 1 or asked & {"scaled", "scaled_config"}:
        return False
    with fence():
        wide = _can_be_made(trainer, TARGET)
        if wide is None:
            wide = _made(_of_scale(trainer, TARGET)).model
    one, other = ({name: each.shape for name, each in model.named_parameters()} for model in (made.model, wide))
    return one == other


def _probed(trainer: TorchTrainer, made: _NewModel) -> _KnownTarget:
    """See what a surrogate has to know of a target of which it will be a part."""
    from hippo.training.scaled.width_search import found_narrowing  # brings sympy, which few processes need

    scale = trainer._surrogate_scale
    lent = copy.copy(trainer)
    lent.hp = HparamValues(trainer.hp.raw)  # what loss reads is not what make_model reads, but the widths depend on it
    with fence():
        narrowing = found_narrowing(
            made.model, lent.loss, first_batch(lent), times=scale.width, least=trainer.min_width
        )
        narrowing.check(made.model, made.fills)
        wide, narrow = without_memory(made.model), narrowing.cut(without_memory(made.model))
        tensors = paired(wide, narrow, scale)
        check_groups(wide, narrow)
        _refuse_pretrained(made, made, tensors)
        _tell_found(trainer, tensors)
        stds = {
            name: _spread(parameter, made.fills[name])
            for name, parameter in made.model.named_parameters()
            if (fill := made.fills[name]) is not None and fill.is_random
        }
        return _KnownTarget(wide, tensors, stds, frozenset(), narrowing, lent.hp.read)


def _made_without_memory(target: TorchTrainer) -> _NewModel | None:
    """Return a model whose tensors have shapes alone; None: it reads numbers while it is made."""
    try:
        with torch.device("meta"):
            return _made(target)
    except Exception:
        return None


def _explains(wide: _NewModel, made: _NewModel) -> bool:
    """Whether a target without memory was drawn as the surrogate was: some ways to draw skip what has none."""
    return all(
        name not in wide.fills or _is_known(wide.fills[name], fill)
        for name, fill in made.fills.items()
        if fill is not None and fill.is_random
    )


def _is_known(wide: Fill | None, own: Fill | None) -> bool:
    """Whether it is known of both what they were drawn from, by the same operations."""
    if wide is None or own is None or None in (wide.std, own.std):
        return False
    return wide.is_random and wide.drawn_by == own.drawn_by


# ---------------------------------------------------------------------------------------------------- initialisation


@torch.no_grad()
def _initialise(made: _NewModel, target: _KnownTarget, factors: Mapping[str, float | None]) -> None:
    """Bring what was drawn at random to a multiple of the target's spread; constants stay what they are."""
    for name, parameter in made.model.named_parameters():
        factor, fill = factors[name], made.fills[name]
        if factor is None or fill is None or not fill.is_random:
            continue
        is_measured = name in target.measured
        own, wanted = _spread(parameter, None if is_measured else fill), target.stds[name] * factor
        if own == 0 or abs(wanted / own - 1) <= _RIGHT:
            continue
        mean = 0.0 if is_measured else fill.mean
        drawn = parameter.clone()
        parameter.sub_(mean).mul_(wanted / own).add_(mean)
        for constant in fill.constants:  # such as the bias of an LSTM's gates
            parameter.copy_(torch.where(drawn == constant, drawn, parameter))


def _spread(parameter: torch.Tensor, fill: Fill | None) -> float:
    """Return the standard deviation of what a tensor was drawn from, or its numbers' root mean square."""
    if fill is not None and fill.std is not None:
        return fill.std
    return float(parameter.detach().double().square().mean().sqrt())


# ---------------------------------------------------------------------------------------------------------- refusals


def _kind(trainer: TorchTrainer) -> OptimizerKind | None:
    """Return of what kind a trainer says that its optimizers are; looked at where there is a surrogate only."""
    if trainer.optimizer_kind is None:
        return None
    try:
        return OptimizerKind(trainer.optimizer_kind)
    except ValueError:
        raise TrainerError(
            f"{type(trainer).__name__}.optimizer_kind = {trainer.optimizer_kind!r}, but it must be 'sgd', 'adam', or "
            "None where the classes of optimizers tell."
        ) from None


def _refuse_asked_before(trainer: TorchTrainer) -> None:
    methods = ("scaled", "scaled_config", "scaled_depth", "scaled_rank")
    for where, asked in trainer._surrogate_notes.asked_before.items():
        for name in (*methods, "scale") if where == "__init__" else methods:  # a data set may go by the scale
            if name in asked:
                said = "__init__()" if where == "__init__" else "build() or train_set(), before make_model()"
                raise _asked_too_early(f"{name}{'()' if name in methods else ''}", said)


def _asked_too_early(name: str, said: str) -> TrainerError:
    return TrainerError(
        f"self.{name} was asked in {said}, and what that keeps is then the target's as well, beside which the "
        "surrogate is made: keep the target's numbers there, and ask where they are used, as by "
        "self.scaled(n) in make_model()"
    )


def _refuse_pretrained(made: _NewModel, wide: _NewModel, tensors: Mapping[str, ScaledTensor]) -> None:
    for name, parameter in made.model.named_parameters():
        is_known = None not in (made.fills[name], wide.fills[name])
        if is_known or tensors[name].role not in (Role.HIDDEN, Role.OUTPUT):
            continue
        if bool((parameter != parameter.flatten()[0]).any()):  # zeros are zeros, whoever wrote them
            raise not_drawn(name)


def _require_residual_scale(trainer: TorchTrainer, model: nn.Module, asked: set[str]) -> None:
    if trainer._surrogate_scale.depth == 1 or trainer._surrogate_rule.is_control:
        return
    advice = (
        f"by which blocks must multiply what they add at scale {trainer._surrogate_scale}, as in "
        "x + scale * attention(norm(x)). Fewer blocks stand for more in pre-norm transformers only: elsewhere, leave "
        "the depth as it is."
    )
    if "residual_scale" not in asked:
        raise TrainerError(f"make_model() does not use self.residual_scale, {advice}")
    for name, module in model.named_modules():
        if isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
            raise TrainerError(f"{name!r} ({type(module).__name__}) cannot take self.residual_scale, {advice}")


def _can_be_made(trainer: TorchTrainer, scale: Scale) -> nn.Module | None:
    made = _made_without_memory(_of_scale(trainer, scale))
    return None if made is None else made.model


def _largest_scale(trainer: TorchTrainer) -> str:
    """Return a sentence: by how much the model can be narrowed at most."""
    with fence():
        wide = _can_be_made(trainer, TARGET)
        for times in range(trainer._surrogate_scale.width - 1, 1, -1):
            narrow = _can_be_made(trainer, replace(trainer._surrogate_scale, width=times))
            if narrow is None or wide is None:
                continue
            try:
                check_groups(wide, narrow)
            except TrainerError:
                continue
            return f"The largest scale that works is {times}"
    return "No scale above 1 works"


def _tell_found(trainer: TorchTrainer, tensors: Mapping[str, ScaledTensor]) -> None:
    """Tell what was found for a model that does not say it: what stays as wide as it is, nobody else would notice."""
    smaller = {name: tensor for name, tensor in tensors.items() if tensor.surrogate != tensor.target}
    name, example = max(smaller.items(), key=lambda item: math.prod(item[1].target))
    trainer._surrogate_notes.remark(
        f"{type(trainer).__name__}.make_model() does not say its widths, and they were found by running the model: at "
        f"scale {trainer._surrogate_scale}, {len(smaller)} of {len(tensors)} parameters are smaller, such as {name!r}, "
        f"{list(example.surrogate)} in place of {list(example.target)}. self.scaled(n) in make_model() says them"
    )


def _tell_if_narrow(trainer: TorchTrainer, tensors: Mapping[str, ScaledTensor]) -> None:
    widths = [
        small
        for tensor in tensors.values()
        if tensor.role is Role.HIDDEN
        for small, large in zip(tensor.surrogate[:2], tensor.target[:2], strict=True)
        if small != large
    ]
    if widths and min(widths) < _NARROW:
        trainer._surrogate_notes.remark(
            f"{type(trainer).__name__} is {min(widths)} wide at scale {trainer._surrogate_scale}: below {_NARROW}, the "
            "best learning rate of a surrogate can be off by half an octave"
        )
