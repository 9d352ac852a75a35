"""What goes wrong without an error when a value changes that `make_optimizer` reads: each is told of once in a process.

It looks at optimizers, before and after; it refuses to know trainers and their values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from torch.nn import Module
from torch.optim import Optimizer

from hippo.errors import listed
from hippo.training.declarative.torch_state import schedulers_of
from hippo.training.telling import tell_once

#: options of optimizers that can change without losing what an optimizer knows of past gradients
OPTIONS = frozenset({"lr", "momentum", "betas", "eps", "weight_decay"})


def ids_of_parameters(optimizers: Iterable[Optimizer]) -> set[int]:
    """Return the `id` of each parameter that an optimizer has."""
    return {id(each) for optimizer in optimizers for group in optimizer.param_groups for each in group["params"]}


def tell_if_state_is_lost(
    before: Mapping[str, Optimizer], after: Mapping[str, Optimizer], trainer: str, names: Sequence[str]
) -> None:
    """Warn of optimizers that were made anew although nothing but `OPTIONS` are others.

    Args:
      before: the optimizers by name.
      after: those that took their place.
      trainer: name of its class.
      names: of the hyper-parameters that changed.
    """
    if not all(name in before and _differ_in_options_only(before[name], after[name]) for name in after):
        return
    tell_once(
        (trainer, *names),
        f"{', '.join(map(repr, names))} changed, which {trainer}.make_optimizer() reads, and the optimizer began anew: "
        "what it knew of past gradients is lost, though nothing but its lr, momentum, betas, eps or weight decay "
        "is another. Hyper-parameters of these names are applied to an optimizer as it is; so are 'head_lr' and the "
        "like to one that make_optimizer() returns by name, as {'head': ...}.",
    )


def tell_if_left_untrained(
    optimizers: Mapping[str, Optimizer], model: Module, trainer: str, *, trained: Set[int]
) -> None:
    """Warn of parameters that `setup` has put into a model, or thawed, and that no optimizer has.

    Args:
      optimizers: by name.
      trainer: name of its class.
      trained: ids of those that needed gradients when the optimizers were made: whoever left one out, meant it.
    """
    known = ids_of_parameters(optimizers.values()) | trained
    left = [name for name, each in model.named_parameters() if each.requires_grad and id(each) not in known]
    if left:
        tell_once(
            (trainer, "untrained"),
            f"{trainer}.setup() has put {listed(left, 3)} into the model, or had it need gradients, but no optimizer "
            "has it, so that it stays as it is: make_optimizer() was called before. Change modules in place, and have "
            "make_optimizer() take all parameters, also those that are frozen at first.",
        )


def tell_if_scheduler_is_left(before: Mapping[str, Optimizer], trainer: object, names: Sequence[str]) -> None:
    """Warn of schedulers of torch's that go on with an optimizer which another one has taken the place of.

    Args:
      before: the optimizers that were there, by name.
      trainer: whose attributes may be schedulers.
      names: of the hyper-parameters that changed.
    """
    gone = {id(optimizer) for optimizer in before.values()}
    left = [name for name, scheduler in schedulers_of(trainer).items() if id(scheduler.optimizer) in gone]
    if left:
        changed, kept = ", ".join(map(repr, names)), ", ".join(f"self.{name}" for name in left)
        tell_once(
            (type(trainer).__name__, "left", *left),
            f"{changed} changed, which {type(trainer).__name__}.make_optimizer() reads, and the optimizer began anew: "
            f"{kept} goes on with the one before it, and changes nothing any more; in a trial that begins there it "
            "does. Where a scheduler is kept, let make_optimizer() read what stays; or say the learning rate by a "
            "sequence, such as hippo.OneCycle.",
        )


def tell_if_scheduled(optimizer: Optimizer, wanted: Optimizer, trainer: str) -> None:
    """Warn of a scheduler of torch's whose learning rate is about to be replaced.

    Args:
      optimizer: under way.
      wanted: one that has the options which it is about to get.
      trainer: name of its class.
    """
    for group, options in zip(optimizer.param_groups, wanted.param_groups, strict=False):
        if "initial_lr" in group and group["lr"] != options["lr"]:  # schedulers write down the rate they began with
            tell_once(
                (trainer, "scheduler"),
                f"a value changed that {trainer}.make_optimizer() reads, and so the learning rate that a scheduler had "
                f"made {group['lr']!r} is set to what make_optimizer() says, {options['lr']!r}. Where a scheduler is "
                "kept, let make_optimizer() read what stays; or say the learning rate by a sequence, such as "
                "hippo.OneCycle.",
            )


def tell_if_set_by_hand(
    optimizer: Optimizer, wanted: Optimizer, before: Sequence[Mapping[str, Any]], trainer: str, names: Iterable[str]
) -> None:
    """Warn of options that somebody has set in an optimizer's groups, and that go back to what was said before.

    Args:
      optimizer: under way.
      wanted: one that has the options which it is about to get.
      before: what `make_optimizer` said of each group until now.
      trainer: name of its class.
      names: of the hyper-parameters that changed.
    """
    for group, options, given in zip(optimizer.param_groups, wanted.param_groups, before, strict=False):
        if "initial_lr" in group:  # a scheduler's, which is told of as such
            continue
        for option in sorted(OPTIONS & group.keys() & given.keys() & options.keys()):
            value, said = group[option], options[option]
            if _is_equal(said, given[option]) and not _is_equal(value, said):
                changed = ", ".join(map(repr, sorted(names)))
                tell_once(
                    (trainer, "by hand", option),
                    f"{changed} changed, which {trainer}.make_optimizer() reads, and so {option!r}, which something "
                    f"has set to {value!r}, becomes what make_optimizer() says, {said!r}. Unless each step sets it "
                    "anew, let make_optimizer() read what stays, or say it by a sequence, such as hippo.MultiStep.",
                )


def _is_equal(one: Any, other: Any) -> bool:
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    return one is other or bool(one == other)


def _differ_in_options_only(one: Optimizer, other: Optimizer) -> bool:
    if type(one) is not type(other) or len(one.param_groups) != len(other.param_groups):
        return False
    for group, wanted in zip(one.param_groups, other.param_groups, strict=True):
        if group.keys() != wanted.keys() or any(not _is_same(name, group[name], wanted[name]) for name in group):
            return False
    return True


def _is_same(name: str, one: Any, other: Any) -> bool:
    if name == "params":
        return list(map(id, one)) == list(map(id, other))
    return name in OPTIONS or one is other or bool(one == other)


def tell_if_kept_elsewhere(optimizer: Optimizer, wanted: Optimizer, trainer: str, changed: Mapping[str, Any]) -> None:
    """Warn of an optimizer that keeps a value that has changed in an attribute, and not in its groups.

    Args:
      optimizer: under way.
      wanted: what would be made now.
      trainer: name of its class.
      changed: names of hyper-parameters -> their values now.
    """
    for attribute, value in vars(wanted).items():
        names = [name for name, now in changed.items() if type(now) is type(value) and now == value]
        if names and vars(optimizer).get(attribute, value) != value:
            tell_once(
                (trainer, "kept elsewhere", attribute),
                f"{names[0]!r} changed, and {type(optimizer).__name__} of {trainer}.make_optimizer() keeps it as its "
                f"attribute {attribute!r}, where it stays what it was: only options of groups follow a config. Give it "
                f"to super().__init__(params, {{{attribute!r}: ...}}), and read it from the group in step().",
            )
