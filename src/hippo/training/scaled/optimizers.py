"""Gives each parameter of a surrogate its own options, by the factors of a parametrization.

What `make_optimizer` made says the target's options; groups are split where factors differ. It refuses to know models
and how often optimizers are made.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import Optimizer

from hippo.errors import TrainerError
from hippo.surrogates import OptimizerKind, OptionFactors, ParametrizationRule, ScaledTensor
from hippo.training.scaled.decays import couples_decay, read_for_decay

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: how optimizers of torch, and those derived from them, depend on the size of gradients
_KINDS: tuple[tuple[OptimizerKind, tuple[type[Optimizer], ...]], ...] = (
    (OptimizerKind.SGD, (torch.optim.SGD,)),
    (
        OptimizerKind.ADAM,
        (
            torch.optim.Adam,
            torch.optim.AdamW,
            torch.optim.NAdam,
            torch.optim.RAdam,
            torch.optim.Adamax,
            torch.optim.RMSprop,
            torch.optim.Adagrad,
        ),
    ),
)


#: what sums of squared gradients begin from, and where an Adagrad's state has them
_FIRST_SUM, _SUM = "initial_accumulator_value", "sum"


class SurrogateOptions:
    """The factors on the options of a surrogate's parameters.

    Args:
      tensors: its parameters by name, beside the target's.
      rule: the parametrization.
      kind: of all its optimizers, if the user said so; None: their classes tell.
    """

    def __init__(
        self, tensors: Mapping[str, ScaledTensor], rule: ParametrizationRule, kind: OptimizerKind | None = None
    ) -> None:
        self.tensors = tensors
        self._rule = rule
        self._kind = kind
        #: names that were read, and of which it was seen that no weight decay depends on them
        self._fixed: set[str] = set()

    def apply(self, optimizers: Iterable[Optimizer], trainer: TorchTrainer, reads: Iterable[str]) -> None:
        """Turn the options of optimizers that were just made, which suit the target, into the surrogate's.

        Neighbours with equal factors share a group, so the order of parameters, by which states number them, stays the
        user's. What the factors are depends on shapes alone: the groups are the same whenever they are made.

        Args:
          optimizers: newly made.
          trainer: whose parameters they have, under the values that they were made for.
          reads: names of the hyper-parameters that were read for them.

        Raises:
          TrainerError: nothing is known of an optimizer of this class, or its options do not transfer.
        """
        if self._rule.is_control:
            return
        names = {id(parameter): name for name, parameter in trainer.model.named_parameters()}
        for optimizer in optimizers:
            kind = self._kind or kind_of(optimizer)
            if kind is OptimizerKind.ADAM and couples_decay(optimizer):
                self._check_decay(optimizer, trainer, set(reads))
            _check_scheduled(optimizer)
            self._check_kind(kind)
            optimizer.param_groups[:] = [
                part for group in optimizer.param_groups for part in self._split(optimizer, group, names, kind)
            ]

    def check_kept(self, optimizer: Optimizer, given: Sequence[Mapping[str, Any]]) -> None:
        """Refuse an optimizer whose options were set by somebody else since.

        Args:
          optimizer: under way.
          given: the options of its groups as `apply` left them.

        Raises:
          TrainerError: says which option, and what to do.
        """
        if self._rule.is_control:
            return
        added = ["the number of groups"] if len(optimizer.param_groups) != len(given) else []
        changed = [
            option
            for group, known in zip(optimizer.param_groups, given, strict=False)
            for option in (*OptionFactors._fields, "initial_lr")  # the last is a scheduler's
            if option in group and not (option in known and bool(group[option] == known[option]))
        ]
        if added or changed:
            raise TrainerError(
                f"{(added or changed)[0]} of the {type(optimizer).__name__} was changed after make_optimizer(), "
                "perhaps by setup(), in training, or by a scheduler; but a surrogate's options are the target's, times "
                "a factor for each tensor. Read values in make_optimizer(), which is asked again when they change, and "
                "let sequences change them"
            )

    def factors(self, name: str, kind: OptimizerKind) -> OptionFactors:
        """Return the factors on the options of one parameter."""
        return self._rule.options(self.tensors[name], kind)

    def _split(
        self, optimizer: Optimizer, group: Mapping[str, Any], names: Mapping[int, str], kind: OptimizerKind
    ) -> Iterable[dict[str, Any]]:
        def factors_of(place: int) -> tuple[tuple[str, float], ...]:
            name = names.get(id(group["params"][place]))  # a parameter of a loss has no width
            factors = OptionFactors() if name is None else self.factors(name, kind)
            by_option = {**factors._asdict(), _FIRST_SUM: factors.squares}
            return tuple((option, factor) for option, factor in by_option.items() if option in group)

        for factors, neighbours in itertools.groupby(range(len(group["params"])), key=factors_of):
            places = list(neighbours)
            part = {**group, **{option: _times(group, option, factor) for option, factor in factors if factor != 1}}
            for listed in ("params", "param_names"):
                if listed in group:
                    part[listed] = [group[listed][place] for place in places]
            _multiply_sums(optimizer, part, dict(factors).get(_FIRST_SUM, 1.0))
            yield part

    def _check_decay(self, optimizer: Optimizer, trainer: TorchTrainer, reads: set[str]) -> None:
        named = sorted(name for name in reads if "weight_decay" in name)
        # once for each name: rates may follow a sequence from batch to batch
        searched = named[0] if named else read_for_decay(trainer, reads - self._fixed)
        if searched is not None:
            cls = type(optimizer).__name__
            raise TrainerError(
                f"make_optimizer() reads {searched!r} for the weight decay of a {cls}, which adds it to the gradient: "
                "what suits a surrogate then says nothing about the target. Use torch.optim.AdamW, or write a fixed "
                "weight decay."
            )
        self._fixed |= reads

    def _check_kind(self, kind: OptimizerKind) -> None:
        if kind is OptimizerKind.SGD and any(tensor.adapter is not None for tensor in self.tensors.values()):
            raise TrainerError(
                "make_optimizer() returned an SGD, and how rates of adapters go with their rank is known under Adam "
                "and the like only: use AdamW, or leave the rank as it is"
            )
        if kind is OptimizerKind.SGD and any(tensor.depth is not None for tensor in self.tensors.values()):
            raise TrainerError(
                "make_optimizer() returned an SGD, and a surrogate with fewer blocks is known to tell its target's "
                "values under Adam and the like only: use AdamW, or leave the depth as it is"
            )


def _times(group: Mapping[str, Any], option: str, factor: float) -> Any:
    value = group[option]
    if not isinstance(value, int | float | torch.Tensor):
        raise TrainerError(
            f"make_optimizer() gave {option} = {value!r}, and a surrogate's is that times {factor:g}, so that it has "
            f"to be a number. If the optimizer can do without it, give it one, or leave {option} out of its groups; "
            "else tune the target as it is."
        )
    return value * factor


def _multiply_sums(optimizer: Optimizer, group: Mapping[str, Any], factor: float) -> None:
    """Multiply what sums of squared gradients begin from: an Adagrad has them in its state before its first step."""
    for parameter in group["params"] if factor != 1 else ():
        state = optimizer.state.get(parameter, {})
        if _SUM in state:
            state[_SUM].mul_(factor)
        elif first := optimizer.defaults.get(_FIRST_SUM):
            raise TrainerError(
                f"make_optimizer() gave a {type(optimizer).__name__} {_FIRST_SUM} = {first!r}, and a surrogate's is "
                f"that times {factor:g}; but for a tensor of shape {tuple(parameter.shape)} it begins to sum later, as "
                "where add_param_group() added it: give it all groups when it is made."
            )


def kind_of(optimizer: Optimizer) -> OptimizerKind:
    """Return how an optimizer depends on the size of gradients.

    Raises:
      TrainerError: it is of a class of which that is not known.
    """
    for kind, classes in _KINDS:
        if isinstance(optimizer, classes):
            return kind
    known = ", ".join(cls.__name__ for _, classes in _KINDS for cls in classes)
    raise TrainerError(
        f"make_optimizer() returned a {type(optimizer).__name__}, of which it is not known how its rate depends on the "
        f"width; known are {known}, and what is derived from them. If its steps are as large whatever the gradients' "
        "size, as Adam's are, set optimizer_kind = 'adam' in the trainer's class; if in proportion to it, 'sgd'."
    )


def _check_scheduled(optimizer: Optimizer) -> None:
    if "step" in vars(optimizer) or any("initial_lr" in group for group in optimizer.param_groups):
        raise TrainerError(
            f"make_optimizer() puts the {type(optimizer).__name__} under a scheduler, which knows nothing of a "
            "surrogate's rates: say the learning rate by a sequence, such as hippo.Cosine"
        )
