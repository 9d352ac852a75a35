"""Sequences that follow one curve: a line, an exponential, a polynomial, half a cosine, a warm-up.

Their values are floats throughout; only a degenerate one, which never changes, keeps the value it was given.
Past their end they stay at the final value. PyTorch's CosineAnnealingLR rises again, and a trial that earns one more
rung would meet a learning rate that its rivals never saw.
"""

from __future__ import annotations

from dataclasses import dataclass

from hippo.errors import HparamError
from hippo.hparams.pieces import Piece, constant, curve
from hippo.hparams.sequence import PieceInForce, Sequence
from hippo.hparams.values import number, whole


def held_after(piece: Piece, steps: int, final: float, t: float) -> PieceInForce:
    """Return the segment at `t` of a curve that takes `steps` steps and then stays at `final`."""
    return PieceInForce(piece, steps) if t < steps else PieceInForce(constant(float(final)), None)


def unchanging(value: float) -> PieceInForce:
    """Return the segment of a degenerate sequence."""
    return PieceInForce(constant(value), None)


@dataclass(frozen=True, eq=False, repr=False)
class Linear(Sequence):
    """initial + slope t; or, with `final` and `steps`, the line that reaches `final` after `steps` and stays there."""

    initial: float
    slope: float | None = None
    final: float | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        self._keep(initial=number("initial", self.initial))
        if self.slope is not None and self.final is None and self.steps is None:
            self._keep(slope=number("slope", self.slope))
        elif self.slope is None and self.final is not None and self.steps is not None:
            self._keep(final=number("final", self.final), steps=whole("steps", self.steps, 1))
        else:
            raise HparamError(
                f"Linear takes either a slope, Linear(0.1, -0.001), or both ends, Linear(0.1, final=0.0, steps=100); "
                f"got slope={self.slope}, final={self.final}, steps={self.steps}."
            )

    @property
    def length(self) -> int | None:
        return self.steps

    def segment_at(self, t: float) -> PieceInForce:
        if self.slope is not None:
            return (
                unchanging(self.initial)
                if self.slope == 0
                else PieceInForce(curve("linear", self.initial, self.slope), None)
            )
        assert self.final is not None
        assert self.steps is not None
        if self.initial == self.final:
            return unchanging(self.initial)
        slope = (self.final - self.initial) / self.steps
        return held_after(curve("linear", self.initial, slope), self.steps, self.final, t)


@dataclass(frozen=True, eq=False, repr=False)
class Exponential(Sequence):
    """initial gamma^t, as PyTorch's ExponentialLR."""

    initial: float
    gamma: float

    def __post_init__(self) -> None:
        self._keep(initial=number("initial", self.initial), gamma=number("gamma", self.gamma))
        if self.gamma <= 0:
            raise HparamError(
                f"Exponential needs a gamma above 0, not {self.gamma!r}: its power is not real between steps."
            )

    def segment_at(self, t: float) -> PieceInForce:
        if self.gamma == 1 or self.initial == 0:
            return unchanging(self.initial)
        return PieceInForce(curve("exponential", self.initial, self.gamma), None)


@dataclass(frozen=True, eq=False, repr=False)
class Cosine(Sequence):
    """final + (initial - final)(1 + cos(pi t / period)) / 2 up to `period`, then final."""

    initial: float
    period: int
    final: float = 0

    def __post_init__(self) -> None:
        self._keep(initial=number("initial", self.initial), final=number("final", self.final))
        self._keep(period=whole("period", self.period, 1))

    @property
    def length(self) -> int | None:
        return self.period

    def segment_at(self, t: float) -> PieceInForce:
        if self.initial == self.final:
            return unchanging(self.initial)
        return held_after(curve("cosine", self.initial, self.period, self.final), self.period, self.final, t)


@dataclass(frozen=True, eq=False, repr=False)
class Polynomial(Sequence):
    """final + (initial - final)(1 - t / steps)^power up to `steps`, then final, as PyTorch's PolynomialLR."""

    initial: float
    steps: int
    power: float = 1.0
    final: float = 0.0

    def __post_init__(self) -> None:
        self._keep(initial=number("initial", self.initial), final=number("final", self.final))
        self._keep(steps=whole("steps", self.steps, 1), power=number("power", self.power))
        if self.power <= 0:
            raise HparamError(
                f"Polynomial needs a power above 0, not {self.power!r}: it could not reach its final value."
            )

    @property
    def length(self) -> int | None:
        return self.steps

    def segment_at(self, t: float) -> PieceInForce:
        if self.initial == self.final:
            return unchanging(self.initial)
        piece = curve("polynomial", self.initial, self.steps, self.power, self.final)
        return held_after(piece, self.steps, self.final, t)


@dataclass(frozen=True, eq=False, repr=False)
class Warmup(Sequence):
    """A rise to `target` in `steps` steps, after which it stays there.

    From `initial`, if given: initial + (target - initial) t / steps. Else target min(t + 1, steps) / steps, whose
    first step has a share of the target and whose last step has all of it.
    """

    steps: int
    target: float
    initial: float | None = None

    def __post_init__(self) -> None:
        self._keep(steps=whole("steps", self.steps, 1), target=number("target", self.target))
        if self.initial is not None:
            self._keep(initial=number("initial", self.initial))

    @property
    def length(self) -> int | None:
        return self.steps

    def segment_at(self, t: float) -> PieceInForce:
        if self.initial == self.target or (self.initial is None and (self.target == 0 or self.steps == 1)):
            return unchanging(self.target)
        if self.initial is None:
            piece = curve("warmup", self.target, self.steps)
        else:
            piece = curve("warmup_from", self.initial, self.target, self.steps)
        return held_after(piece, self.steps, self.target, t)
