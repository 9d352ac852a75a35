"""Parametrizations: by which factors values that suit a target are turned into those of a surrogate.

All are anchored at the target: at scale 1 every factor is 1, and the user's program is what it was. Ratios are those of
the surrogate to the target, so r_in = 1/8 where eight times less is summed over. Sources:

* "mup": Yang et al. 2022, "Tensor Programs V: Tuning Large Neural Networks via Zero-Shot Hyperparameter Transfer",
  table 8, written as factors on initialisation and options, without multipliers in the network. Deviation: the output
  layer's standard deviation goes as r_in^-1/2, as in the target's own initialisation, and not as r_in^-1: narrow
  surrogates' best rates then stay nearer to the target's.
* "completep": Dey et al. 2025, "Don't be lazy: CompleteP enables compute-efficient deep transformers", alpha = 1.
* Ranks of adapters under "mup": what the two factors make together is the multiplier of their product, times the rank,
  times how far each has moved, which under Adam is in proportion to the rate. That stays as it is if the rate goes as
  (multiplier x rank)^-1/2: as rank^-1/2 where alpha goes with the rank, and not at all where alpha is a number (its
  product is multiplied by alpha / rank). Deviation from Chen et al. 2026, "Learning Rate Scaling across LoRA Ranks and
  Transfer to Full Finetuning", where one update of the factor that begins at zero is what stays, and the exponent is
  -1: `benchmarks/bench_lora_rank.py` has best rates under both.
* "standard": nothing is turned into anything, the control of an experiment.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple, Protocol

from hippo.errors import OptionError
from hippo.surrogates.shapes import Role, ScaledTensor

_ONE = Fraction(1)


class OptimizerKind(enum.Enum):
    """How the size of an optimizer's step depends on that of the gradient."""

    #: in proportion to it
    SGD = "sgd"
    #: not at all: each coordinate is divided by its own mean size
    ADAM = "adam"


class OptionFactors(NamedTuple):
    """What options of an optimizer are multiplied by, for one tensor."""

    lr: float = 1.0
    weight_decay: float = 1.0
    eps: float = 1.0

    @property
    def squares(self) -> float:
        """The factor on what squares of gradients are added to, as eps is what their size is added to."""
        return self.eps**2


class ParametrizationRule(Protocol):
    """A rule that turns what suits a target into what suits a surrogate."""

    #: whether values are turned into others at all
    is_control: bool
    #: whether a surrogate may have fewer blocks than its target
    knows_depth: bool

    def initial_std(self, tensor: ScaledTensor) -> float | None:
        """Return the standard deviation at initialisation by the target's; None: as the user's program has it."""

    def options(self, tensor: ScaledTensor, kind: OptimizerKind) -> OptionFactors:
        """Return the factors on the options of an optimizer of this kind."""

    def logits(self, target_dim: int, dim: int) -> float:
        """Return the factor on attention's logits of heads that are `dim` wide, and `target_dim` in the target.

        It comes on top of the target's own factor, commonly `target_dim ** -0.5`.
        """

    def readout(self, width: Fraction) -> float:
        """Return the factor on the input of an output layer that shares its weight with an embedding.

        Args:
          width: that of the input by the target's.
        """

    def residual(self, depth: Fraction) -> float:
        """Return the factor on what a block adds to its residual stream.

        Args:
          depth: number of blocks by the target's.
        """


class StandardRule:
    """The user's program as it is, at the surrogate's width."""

    is_control = True
    knows_depth = True

    def initial_std(self, tensor: ScaledTensor) -> float | None:
        return None

    def options(self, tensor: ScaledTensor, kind: OptimizerKind) -> OptionFactors:
        return OptionFactors()

    def logits(self, target_dim: int, dim: int) -> float:
        return float((target_dim / dim) ** 0.5)

    def readout(self, width: Fraction) -> float:
        return 1.0

    def residual(self, depth: Fraction) -> float:
        return 1.0


class MaximalUpdateRule:
    """Maximal update: features move as far in one step at any width."""

    is_control = False
    knows_depth = False

    def initial_std(self, tensor: ScaledTensor) -> float | None:
        role = tensor.role
        if role in (Role.UNCHANGED, Role.ADAPTER):
            return None
        return float(1 / tensor.fan_in) ** 0.5 if role in (Role.HIDDEN, Role.OUTPUT) else 1.0

    def options(self, tensor: ScaledTensor, kind: OptimizerKind) -> OptionFactors:
        if tensor.adapter is not None:
            rate = tensor.adapter**-0.5
            return OptionFactors(rate, 1 / rate)
        lr = _adam_rate(tensor) if kind is OptimizerKind.ADAM else _sgd_rate(tensor)
        # the gradient of whatever makes part of the width goes as 1 / width, and eps with it
        return OptionFactors(float(lr), float(1 / lr), float(1 / tensor.fan_out))

    def logits(self, target_dim: int, dim: int) -> float:
        return target_dim / dim

    def readout(self, width: Fraction) -> float:
        return float(1 / width)

    def residual(self, depth: Fraction) -> float:
        return 1.0


class CompletepRule:
    """Maximal update over width and depth: each block moves its stream by 1 / depth, and learns as much as any other.

    With alpha = 1 rates do not depend on the depth; the residual factor and Adam's eps inside of blocks do. It is for
    pre-norm transformers under Adam.
    """

    is_control = False
    knows_depth = True

    def __init__(self) -> None:
        self._width = MaximalUpdateRule()

    def initial_std(self, tensor: ScaledTensor) -> float | None:
        return self._width.initial_std(tensor)

    def options(self, tensor: ScaledTensor, kind: OptimizerKind) -> OptionFactors:
        factors = self._width.options(tensor, kind)
        if tensor.depth is None:
            return factors
        # gradients inside of a block carry the residual factor
        return factors._replace(eps=factors.eps * self.residual(tensor.depth))

    def logits(self, target_dim: int, dim: int) -> float:
        return self._width.logits(target_dim, dim)

    def readout(self, width: Fraction) -> float:
        return self._width.readout(width)

    def residual(self, depth: Fraction) -> float:
        return float(1 / depth)


#: name -> rule, as `hippo.scale.PARAMETRIZATIONS` lists them
RULES: Mapping[str, ParametrizationRule] = {
    "mup": MaximalUpdateRule(),
    "standard": StandardRule(),
    "completep": CompletepRule(),
}


def rule_named(name: str) -> ParametrizationRule:
    """Return the rule of this name.

    Raises:
      OptionError: there is none.
    """
    if name not in RULES:
        raise OptionError(f"parametrization={name!r} is none of {', '.join(map(repr, RULES))}")
    return RULES[name]


def _sgd_rate(tensor: ScaledTensor) -> Fraction:
    match tensor.role:
        case Role.HIDDEN:
            return tensor.fan_out / tensor.fan_in
        case Role.OUTPUT:
            return 1 / tensor.fan_in
        case Role.INPUT | Role.VECTOR:
            return tensor.fan_out
        case Role.UNCHANGED | Role.ADAPTER:
            return _ONE


def _adam_rate(tensor: ScaledTensor) -> Fraction:
    return 1 / tensor.fan_in if tensor.role in (Role.HIDDEN, Role.OUTPUT) else _ONE
