"""What a user's `make_optimizer` makes for the values of each lane, as far as lanes can be trained as one.

It calls the user's code as `LiveOptimizer` does, and looks at what comes back. It refuses to know how a step is taken.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import Optimizer

from hippo.hparams.looking import is_plain
from hippo.training.declarative.optimizer_values import APPLIED, ONLY, recorded_reads
from hippo.training.declarative.torch_attributes import checked_optimizers
from hippo.training.fusion.refusals import LanesDifferIn, NotFusible
from hippo.training.process.streams import fence
from hippo.training.values import HparamValues, same_value

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: an optimizer of one of these is trained as one with others; of a class that is derived from them, it is not
FUSED = (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeOptimizer:
    """What `make_optimizer` made for one lane. It never takes a step, so its own state stays empty."""

    #: whose groups say the options in force
    optimizer: Optimizer
    #: of each group, the names of its parameters in their order
    groups: tuple[tuple[str, ...], ...]
    #: the parameters' names -> the numbers that torch gives them in a state
    numbers: Mapping[str, int]
    #: the names that `make_optimizer` read -> their values
    values: Mapping[str, Any]

    @property
    def structure(self) -> tuple[type[Optimizer], tuple[tuple[str, ...], ...]]:
        """What has to be the same in all lanes."""
        return type(self.optimizer), self.groups

    @property
    def options(self) -> list[dict[str, Any]]:
        """The options of each group in force, among them `params`."""
        return self.optimizer.param_groups

    def loaded(self, state: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Take over the options of a state of torch's; return what it has of each parameter, by name.

        Raises:
          ValueError: torch's, where the groups are others.
        """
        self.optimizer.load_state_dict(dict(state))  # which converts it to what the parameters are
        names = {
            parameter: name
            for group, of_group in zip(self.options, self.groups, strict=True)
            for parameter, name in zip(group["params"], of_group, strict=True)
        }
        entries = {names[parameter]: dict(entry) for parameter, entry in self.optimizer.state.items()}
        self.optimizer.state.clear()
        return entries

    def changes(self, values: HparamValues) -> set[str]:
        """Return the names that `make_optimizer` read and that have other values now."""
        return {name for name, value in self.values.items() if not same_value(value, values.raw[name])}

    def with_options(self, wanted: MadeOptimizer) -> MadeOptimizer:
        """Return the same optimizer with the options of one that was made for later values.

        Raises:
          NotFusible: it is of another kind, or has other parameters in its groups.
        """
        if self.structure != wanted.structure:
            raise NotFusible(
                f"make_optimizer() returned another kind of optimizer, or other groups, when {sorted(APPLIED)} changed"
            )
        groups = zip(self.optimizer.param_groups, wanted.optimizer.param_groups, strict=True)
        # as `LiveOptimizer` does: what only the older one has, stays
        wanted.optimizer.param_groups[:] = [{**older, **newer} for older, newer in groups]
        return wanted


def make_optimizers(trainer: TorchTrainer, values: Sequence[HparamValues]) -> list[MadeOptimizer]:
    """Ask the trainer's `make_optimizer` what it makes of its model at the values of each lane.

    Raises:
      NotFusible: it makes what cannot be trained as one with others.
    """
    names = {id(parameter): name for name, parameter in trainer.model.named_parameters()}
    with fence():
        return [_make_optimizer(trainer, names, of_lane) for of_lane in values]


def require_alike(made: Sequence[MadeOptimizer]) -> None:
    """Refuse lanes of which some have another kind of optimizer, or other groups, than the rest.

    Raises:
      LanesDifferIn: names the values that `make_optimizer` read and that may have decided about it.
      NotFusible: there are none: it makes one thing now, another then.
    """
    if all(each.structure == made[0].structure for each in made):
        return
    names = {name for each in made for name in each.values if not _agree(name, made)}
    if not _explain(names, made):
        raise NotFusible(
            "make_optimizer() returned optimizers of different kinds, or with other groups, for equal values"
        )
    # By what is named here, lanes are parted for good, so that no more is named than explains it. What some lanes did
    # not look at, a rate, and other numbers seldom decide about the kind of an optimizer: they are left out first. If
    # one of them does, it is named the next time.
    for name in sorted(names, key=lambda name: _may_decide(name, made)):
        if _explain(names - {name}, made):
            names.remove(name)
    raise LanesDifferIn(names)


def _explain(names: Collection[str], made: Sequence[MadeOptimizer]) -> bool:
    """Whether lanes that agree in the values of these names have one kind of optimizer, with the same groups."""
    found: dict[tuple[str, ...], MadeOptimizer] = {}
    keys = [tuple(repr(each.values.get(name)) for name in sorted(names)) for each in made]
    return all(found.setdefault(key, each).structure == each.structure for key, each in zip(keys, made, strict=True))


def _may_decide(name: str, made: Sequence[MadeOptimizer]) -> tuple[bool, bool, bool, str]:
    """Return what sorts names by how likely it is that a kind of optimizer depends on them, the least likely first."""
    is_read_by_all = all(name in each.values for each in made)
    is_number = all(isinstance(each.values.get(name, 0.0), float) for each in made)
    return is_read_by_all, name not in APPLIED, not is_number, name


def _agree(name: str, made: Sequence[MadeOptimizer]) -> bool:
    """Whether a name was read in all lanes or in none, and has one value."""
    if not all(name in each.values for each in made):
        return False
    return all(same_value(each.values[name], made[0].values[name]) for each in made)


def _make_optimizer(trainer: TorchTrainer, names: Mapping[int, str], values: HparamValues) -> MadeOptimizer:
    scratch = copy.copy(trainer)  # whatever make_optimizer sets on itself is not for the trainer under way
    scratch.hp = values
    with recorded_reads(scratch) as read:
        made = scratch.make_optimizer(trainer.model.parameters())
    _require_same_attributes(trainer, scratch)
    optimizers = checked_optimizers(made, trainer.model, only=ONLY)
    if ONLY not in optimizers:
        raise NotFusible(
            f"make_optimizer() returned several optimizers, {sorted(optimizers)}; return one, with a group for each"
        )
    optimizer = optimizers[ONLY]
    if reason := "; ".join(_reasons_against(optimizer, names)):
        raise NotFusible(reason)
    if trainer._surrogate_options is not None:
        trainer._surrogate_options.apply([optimizer], scratch, read)
    groups = tuple(tuple(names[id(each)] for each in group["params"]) for group in optimizer.param_groups)
    return MadeOptimizer(
        optimizer=optimizer,
        groups=groups,
        numbers={name: number for number, name in enumerate(dict.fromkeys(itertools.chain(*groups)))},
        values={name: values.raw[name] for name in sorted(read)},
    )


def _require_same_attributes(trainer: TorchTrainer, made: TorchTrainer) -> None:
    """Refuse plain values that `make_optimizer` keeps in `self`, where a lane's is not the template's.

    Raises:
      NotFusible: names the attribute.
    """
    known = vars(trainer)
    for name, value in vars(made).items():
        if name == "hp" or known.get(name) is value or not is_plain(value):
            continue
        if name not in known or not same_value(known[name], value):
            raise NotFusible(
                f"make_optimizer() keeps self.{name}, which is {value!r} in one lane and {known.get(name)!r} in "
                "another; ask self.hp for values in force"
            )


def _reasons_against(optimizer: Optimizer, names: Mapping[int, str]) -> Iterator[str]:
    cls = type(optimizer)
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    if cls not in FUSED:
        known = ", ".join(each.__name__ for each in FUSED)
        yield f"make_optimizer() returned a {cls.__name__}; of torch.optim, {known} are trained as one, and no others"
    elif any(group["differentiable"] for group in optimizer.param_groups):
        yield f"make_optimizer() returned a {cls.__name__} with differentiable=True; leave that out"
    if not all(id(each) in names for each in parameters):
        yield "make_optimizer() returned an optimizer of parameters that are not self.model's; make them part of it"
    odd = sorted({str(each.dtype) for each in parameters} - {"torch.float32", "torch.float64"})
    if odd:
        yield f"the optimizer has parameters in {', '.join(odd)}; only float32 and float64 are trained as one"
    if "step" in vars(optimizer):  # schedulers put a function of theirs there, which counts
        yield (
            "make_optimizer() puts the optimizer under a scheduler; say the learning rate by a sequence, such as "
            "hippo.Cosine"
        )
    if optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
        yield "make_optimizer() returned an optimizer with hooks around its steps; leave them out"
