"""Keeps optimizers at the values in force, by asking the user's `make_optimizer` what it would do with them.

The live optimizers' options always equal those that `make_optimizer` would give now, also for parameter groups with
their own multiples of the learning rate. It refuses to know what the options mean.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import Optimizer

from hippo.errors import StateError, TrainerError
from hippo.training.declarative.descent import needs_closure
from hippo.training.declarative.optimizer_warnings import (
    OPTIONS,
    ids_of_parameters,
    tell_if_kept_elsewhere,
    tell_if_left_untrained,
    tell_if_scheduled,
    tell_if_scheduler_is_left,
    tell_if_set_by_hand,
    tell_if_state_is_lost,
)
from hippo.training.declarative.torch_attributes import checked_optimizers
from hippo.training.process.streams import fence
from hippo.training.values import HparamValues, same_value

if TYPE_CHECKING:
    from hippo.training.scaled.optimizers import SurrogateOptions
    from hippo.training.torch_trainer import TorchTrainer

#: a change of these keeps the optimizer's state; of any other name that `make_optimizer` reads, it begins anew
APPLIED = OPTIONS | {"batch_size", "adam_beta1", "adam_beta2", "adam_epsilon"}
#: name of an optimizer -> the options of each of its groups
_Options = Mapping[str, list[dict[str, Any]]]

#: what an optimizer is called where there is but one
ONLY = ""


class LiveOptimizer:
    """What `make_optimizer` made, one optimizer or several by name, and the values for which it was made."""

    def __init__(self, trainer: TorchTrainer) -> None:
        self._values: dict[str, Any] = {}
        #: what `make_optimizer` gave for these values as options of groups; None: that is to be asked
        self._given: _Options | None = None
        #: since it was looked last whether it left parameters untrained
        self._has_setup_run = False
        self._make(trainer)

    @property
    def by_name(self) -> Mapping[str, Optimizer]:
        """The optimizers; one alone is called `ONLY`."""
        return self._optimizers

    @property
    def only(self) -> Optimizer:
        """The optimizer, where there is but one.

        Raises:
          TrainerError: there are several.
        """
        if ONLY not in self._optimizers:
            names = sorted(self._optimizers)
            raise TrainerError(
                f"make_optimizer() made several optimizers, {names}: say which, as in self.optimizers[{names[0]!r}]"
            )
        return self._optimizers[ONLY]

    @property
    def reads(self) -> frozenset[str]:
        """The names of hyper-parameters that `make_optimizer` read."""
        return frozenset(self._values)

    def apply(self, trainer: TorchTrainer) -> None:
        """Bring the optimizers to the values that are in force in `trainer` now."""
        values = trainer.hp.raw
        changed = {name: values[name] for name, value in self._values.items() if not same_value(value, values[name])}
        if not changed:
            if trainer._surrogate_options is not None:
                self._require_given(trainer, trainer._surrogate_options)
            return
        with fence():
            if changed.keys() <= self._applied:
                self._take_options(trainer, changed)
            else:
                before = self._optimizers
                _drop_other_gradients(before.values(), trainer.model)
                self._make(trainer)
                names = sorted(changed.keys() - self._applied)
                tell_if_state_is_lost(before, self._optimizers, type(trainer).__name__, names)
                tell_if_scheduler_is_left(before, trainer, names)

    def note_setup(self) -> None:
        """The user's `setup` has run, and may have changed the model."""
        self._has_setup_run = True

    def late_options(self, trainer: TorchTrainer) -> list[str]:
        """Return what `make_optimizer` says otherwise than before, of equal values, and nobody has applied."""
        if self._given is None:
            return []
        try:
            with fence():
                values = HparamValues({**trainer.hp.raw, **self._values})
                now = options_of(self._asked(trainer, values)[0])
        except Exception:  # it cannot be asked by now, which shows where it has to be
            return []
        late = []
        for name, groups in now.items():
            for group, given, live in zip(groups, self._given[name], self._optimizers[name].param_groups, strict=False):
                late += [
                    f"{option}={value!r} now, and {given[option]!r} before setup()"
                    for option, value in group.items()
                    if option in given and not _is_same(value, given[option]) and not _is_same(value, live.get(option))
                ]
        return late

    def tell_if_left_untrained(self, trainer: TorchTrainer) -> None:
        """Warn of parameters that the user's `setup` has made since, and that no optimizer has."""
        if not self._has_setup_run:
            return
        self._has_setup_run = False
        tell_if_left_untrained(self._optimizers, trainer.model, type(trainer).__name__, trained=self._trained)

    def note_values(self, values: HparamValues) -> None:
        """Take the optimizers for those that were made for these values, whose options were loaded since."""
        self._values.update({name: values.raw[name] for name in self._values})
        self._given = None

    def multiply_rates(self, factor: float) -> None:
        """Train at other rates, until values change."""
        for optimizer in self._optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = group["lr"] * factor
        self._given = options_of(self._optimizers)

    def state_dict(self) -> dict[str, Any]:
        """Return the entry of a trainer's state that says where the optimizers are."""
        if ONLY in self._optimizers:
            return {"optimizer": self.only.state_dict()}
        return {"optimizers": {name: each.state_dict() for name, each in self._optimizers.items()}}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take over what `state_dict` returned."""
        if ONLY in self._optimizers:
            _load(self.only, state["optimizer"])
            return
        for name, optimizer in self._optimizers.items():
            _load(optimizer, state["optimizers"][name])

    def _make(self, trainer: TorchTrainer) -> None:
        with recorded_reads(trainer) as names:
            made = trainer.make_optimizer(trainer.model.parameters())
        self._optimizers = checked_optimizers(made, trainer.model, only=ONLY)
        if trainer._surrogate_options is not None:
            trainer._surrogate_options.apply(self._optimizers.values(), trainer, names)
        self._given = options_of(self._optimizers)
        self._trained = frozenset(id(each) for each in trainer.model.parameters() if each.requires_grad)
        #: whether one of them computes its loss itself
        self.needs_closure = any(map(needs_closure, self._optimizers.values()))
        self._applied = APPLIED | applied_to(self._optimizers.keys() - {ONLY})
        self._remember(trainer, names)

    def _take_options(self, trainer: TorchTrainer, changed: Mapping[str, Any]) -> None:
        before = self._given
        if before is None:
            values = HparamValues({**trainer.hp.raw, **self._values})
            before = options_of(self._asked(trainer, values)[0])
        wanted, names = self._asked(trainer, trainer.hp)
        for name, optimizer in self._optimizers.items():
            tell_if_scheduled(optimizer, wanted[name], type(trainer).__name__)
            tell_if_set_by_hand(optimizer, wanted[name], before[name], type(trainer).__name__, changed)
            tell_if_kept_elsewhere(optimizer, wanted[name], type(trainer).__name__, changed)
            _take_options_of(optimizer, wanted[name], before[name])
        self._given = options_of(wanted)
        self._remember(trainer, names)

    def _require_given(self, trainer: TorchTrainer, options: SurrogateOptions) -> None:
        """Refuse options that somebody has set to others: each is a surrogate's, made of the target's by a factor."""
        if self._given is None:
            with fence():
                self._given = options_of(self._asked(trainer, trainer.hp)[0])
        for name, optimizer in self._optimizers.items():
            options.check_kept(optimizer, self._given[name])

    def _asked(self, trainer: TorchTrainer, values: HparamValues) -> tuple[Mapping[str, Optimizer], set[str]]:
        """Return what `make_optimizer` would make for such values, and the names that it reads."""
        scratch = copy.copy(trainer)  # whatever make_optimizer sets on itself is not for the trainer under way
        scratch.hp = values
        with recorded_reads(scratch) as names:
            made = scratch.make_optimizer(trainer.model.parameters())
        wanted = made if isinstance(made, Mapping) else {ONLY: made}
        if wanted.keys() != self._optimizers.keys():
            raise TrainerError(
                f"make_optimizer() made the optimizers {sorted(self._optimizers)} before and {sorted(wanted)} now; "
                f"which there are must not depend on {sorted(APPLIED)}."
            )
        for name, optimizer in self._optimizers.items():
            before, now = (type(each).__qualname__ for each in (optimizer, wanted[name]))  # it may be defined in there
            if before != now:
                raise TrainerError(
                    f"make_optimizer() made one of class {before} before and of {now} now; which class it is must not "
                    f"depend on {sorted(APPLIED)}: let a hyper-parameter of another name say it, such as 'optimizer'."
                )
        if trainer._surrogate_options is not None:
            trainer._surrogate_options.apply(wanted.values(), scratch, names)
        return wanted, names

    def _remember(self, trainer: TorchTrainer, names: set[str]) -> None:
        self._values = {name: trainer.hp.raw[name] for name in sorted(names)}


def applied_to(optimizers: Iterable[str]) -> frozenset[str]:
    """Return the names of hyper-parameters that are options of one of several optimizers: "critic_lr", "lr_critic"."""
    return frozenset(
        form.format(name=name, option=option)
        for name in optimizers
        for option in sorted(OPTIONS)
        for form in ("{name}_{option}", "{option}_{name}", "{name}.{option}")
    )


def _load(optimizer: Optimizer, state: Any) -> None:
    """Bring an optimizer, newly made, to a recorded state.

    Raises:
      StateError: that one has other parameters, as where those frozen by then were left out of it.
    """
    groups, around = [*optimizer.param_groups], _with_wrapped(optimizer)
    try:
        optimizer.load_state_dict(state)
        _share_groups(around, groups)
        _restore_types(optimizer, state)
    except ValueError as error:
        there, here = _sizes(state.get("param_groups", ())), _sizes(optimizer.param_groups)
        if there == here:
            raise
        raise StateError(
            f"the optimizer of the state has {there} parameters in its groups, and the one that make_optimizer() made "
            f"in build(), before there was a state, {here}. If make_optimizer() leaves out what setup() has frozen, "
            "let it take all parameters: a frozen one has no gradient, and is not updated. What else decides which "
            "parameters it takes has to be the same in build() as later."
        ) from error


def _with_wrapped(optimizer: Optimizer) -> list[Optimizer]:
    """Return an optimizer, and those that it wraps and has its groups in common with, the innermost last."""
    found = [optimizer]
    for each in found:  # which grows
        inner = [value for value in vars(each).values() if isinstance(value, Optimizer) and value not in found]
        found += [value for value in inner if _are_same(value.param_groups, optimizer.param_groups)]
    return found


def _share_groups(optimizers: Sequence[Optimizer], before: Sequence[Any]) -> None:
    """Have optimizers that had these groups in common before a state was loaded have them in common again.

    torch makes new ones as it loads. A Lookahead that leaves loading to what it wraps would keep the old ones: rates
    that follow hyper-parameters would be set there, and never be used.
    """
    loaded = [each.param_groups for each in optimizers if not _are_same(each.param_groups, before)]
    for each in optimizers if loaded else ():
        if not _are_same(each.param_groups, loaded[-1]):
            each.param_groups = loaded[-1]


def _are_same(groups: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(groups) == len(others) and all(map(operator.is_, groups, others))


def _restore_types(optimizer: Optimizer, state: Any) -> None:
    """Give the tensors of an optimizer's state the types that they were recorded in.

    torch makes all of them the parameter's, also where an optimizer counts in float32 whatever that is. An optimizer
    that says its state in a form of its own loads it in its own way.
    """
    if not state.keys() >= {"state", "param_groups"}:
        return
    recorded = [index for group in state["param_groups"] for index in group["params"]]
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for index, parameter in zip(recorded, parameters, strict=True):
        for name, value in state["state"].get(index, {}).items():
            now = optimizer.state[parameter].get(name) if isinstance(value, torch.Tensor) else None
            if isinstance(now, torch.Tensor) and now.dtype != value.dtype:
                optimizer.state[parameter][name] = value.detach().clone().to(now.device)


def _drop_other_gradients(optimizers: Iterable[Optimizer], model: torch.nn.Module) -> None:
    """Forget the gradients of parameters that no optimizer has: they are nobody's, and were never zeroed."""
    trained = ids_of_parameters(optimizers)
    for parameter in model.parameters():
        if id(parameter) not in trained:
            parameter.grad = None


def _sizes(groups: Sequence[Mapping[str, Any]]) -> list[int]:
    return [len(group["params"]) for group in groups]


def options_of(optimizers: Mapping[str, Optimizer]) -> _Options:
    """Return the options of each optimizer's groups as they are now, whatever steps do to them later."""
    return {
        name: [
            {option: _copied(value) for option, value in group.items() if option != "params"}
            for group in optimizer.param_groups
        ]
        for name, optimizer in optimizers.items()
    }


def same_options(one: _Options, other: _Options) -> bool:
    """Whether `options_of` returned the same twice: of as many groups, options of the same names and values."""
    return one.keys() == other.keys() and all(
        len(groups) == len(other[name])
        and all(
            group.keys() == now.keys() and all(_is_same(value, now[option]) for option, value in group.items())
            for group, now in zip(groups, other[name], strict=True)
        )
        for name, groups in one.items()
    )


def _copied(value: object) -> object:
    return value.detach().clone() if isinstance(value, torch.Tensor) else copy.copy(value)


def _take_options_of(optimizer: Optimizer, wanted: Optimizer, before: list[dict[str, Any]]) -> None:
    """Take the options that follow hyper-parameters: those that are others than before.

    Other entries of a group may be the optimizer's own, which it changes as it steps: counts, estimates, sums.
    """
    if len(wanted.param_groups) != len(optimizer.param_groups):
        raise TrainerError(
            f"make_optimizer() made {len(optimizer.param_groups)} parameter groups before and "
            f"{len(wanted.param_groups)} now; their number must not depend on {sorted(APPLIED)}."
        )
    for group, options, known in zip(optimizer.param_groups, wanted.param_groups, before, strict=True):
        group.update(
            {
                name: value
                for name, value in options.items()
                if name != "params" and (name in OPTIONS or name not in known or not _is_same(value, known[name]))
            }
        )


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one, other)
    return same_value(one, other)


@contextmanager
def recorded_reads(trainer: TorchTrainer) -> Iterator[set[str]]:
    """Collect the names of hyper-parameters that `trainer` looks at in the block."""
    names: set[str] = set()
    outer = trainer.hp
    trainer.hp = outer.recording(names)
    try:
        yield names
    finally:
        trainer.hp = outer
