"""Sequences that are constant between their milestones and scale one initial value."""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hippo.errors import HparamError
from hippo.frozen import computed_once
from hippo.hparams.pieces import constant
from hippo.hparams.sequence import PieceInForce, Sequence
from hippo.hparams.values import Value, canonical, number, whole


class Constant(Sequence):
    """One value for ever. It is compared as the plain value, too: `config["optimizer"] == "sgd"`, `config.lr < 0.1`.

    And it is true if that is: `if config["nesterov"]`.
    """

    def __init__(self, value: object) -> None:
        # Kept as a piece, which hands out copies: lists and dictionaries cannot be changed behind our back.
        self._keep(_segment=PieceInForce(constant(canonical(value)), None))

    _segment: PieceInForce
    _is_constant = True

    @property
    def value(self) -> Value:
        """The value itself."""
        return self._segment.piece.at(0)

    def segment_at(self, t: float) -> PieceInForce:
        return self._segment

    def arguments(self) -> dict[str, Any]:
        return {"value": self.value}

    @computed_once
    def _digest(self) -> bytes:
        if type(self) is not Constant:
            return super()._digest
        return hashlib.sha256(self._segment.piece.key.encode()).digest()  # a list; the keys of others are dictionaries

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Constant cannot be changed; build another: Constant({value!r}).")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Constant):
            return self._segment.piece == other._segment.piece
        if isinstance(other, Sequence):
            return False
        value = self.value
        if isinstance(other, str | int | float) or getattr(other, "shape", None) == ():  # numpy's, an enumeration's
            try:
                other = canonical(other)
            except HparamError:  # NaN, say, which no constant is
                return False
        return type(value) is type(other) and value == other

    def __bool__(self) -> bool:
        return bool(self.value)

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < _value(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= _value(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > _value(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= _value(other))

    def __hash__(self) -> int:
        value = self.value
        return hash(self._segment.piece) if isinstance(value, list | dict) else hash(value)

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"


def _value(other: Any) -> Any:
    return other.value if isinstance(other, Constant) else other


def scaled(initial: float, gamma: float, power: int) -> float:
    """Return initial gamma^power; of integers an integer, and for power 0 the initial value unchanged."""
    if power == 0 or gamma == 1 or initial == 0:
        return initial
    try:
        size = abs(float(initial) * float(gamma) ** power)
    except OverflowError:
        size = math.inf
    if math.isinf(size):
        raise HparamError(
            f"{initial!r} * {gamma!r} ** {power} leaves the range of floats; end the sequence earlier with .take(n), "
            f"or choose a gamma of at most 1."
        )
    exact = isinstance(initial, int) and isinstance(gamma, int)
    return initial * gamma**power if exact else float(initial) * float(gamma) ** power + 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Step(Sequence):
    """initial gamma^(t // step_size), as PyTorch's StepLR."""

    initial: float
    step_size: int
    gamma: float

    def __post_init__(self) -> None:
        self._keep(initial=number("initial", self.initial), gamma=number("gamma", self.gamma))
        self._keep(step_size=whole("step_size", self.step_size, 1))

    def segment_at(self, t: float) -> PieceInForce:
        k = int(t // self.step_size)
        value = scaled(self.initial, self.gamma, k)
        # Once a value has underflowed to 0 nothing follows; without this the joining of equal pieces would not end.
        is_last = value == 0 or self.gamma == 1
        stop = None if is_last else (k + 1) * self.step_size
        return PieceInForce(constant(value), stop)


@dataclass(frozen=True, eq=False, repr=False)
class MultiStep(Sequence):
    """initial gamma^k, where k is the number of milestones <= t, as PyTorch's MultiStepLR.

    `MultiStep(values=[128, 256], milestones=[70])`, as Hippo's paper writes it, is a `Piecewise`.
    """

    initial: float
    milestones: Listed[int]
    gamma: float

    def __new__(cls, *arguments: Any, values: Any = None, **named: Any) -> Any:
        if values is None:
            return super().__new__(cls)
        from hippo.hparams.joined import Piecewise

        if arguments or named.keys() != {"milestones"}:
            raise HparamError(
                "MultiStep takes either a first value and a factor, MultiStep(0.1, [90], 0.1), or all values, "
                "MultiStep(values=[128, 256], milestones=[70])."
            )
        return Piecewise(values, **named)

    def __post_init__(self) -> None:
        self._keep(initial=number("initial", self.initial), gamma=number("gamma", self.gamma))
        self._keep(milestones=checked_milestones(self.milestones, repeated=True))

    def segment_at(self, t: float) -> PieceInForce:
        k = bisect_right(self.milestones, t)
        stop = self.milestones[k] if k < len(self.milestones) else None
        return PieceInForce(constant(scaled(self.initial, self.gamma, k)), stop)


def checked_milestones(milestones: object, repeated: bool = False) -> tuple[int, ...]:
    """Return milestones as a tuple of ascending steps from 1 on.

    Raises:
      HparamError: they are not, or not a list.
    """
    if isinstance(milestones, str | bytes | dict) or not isinstance(milestones, Iterable):
        raise HparamError(f"milestones must be a list of steps, such as [90, 135], not {milestones!r}.")
    steps = tuple(whole("a milestone", step, 1) for step in milestones)
    for earlier, later in pairwise(steps):
        if later < earlier or (later == earlier and not repeated):
            raise HparamError(f"milestones must ascend, but {later} comes after {earlier} in {list(steps)}.")
    return steps
