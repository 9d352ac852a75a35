"""The numbers that a distribution draws from, as a line from 0 to 1 on which a tuner can move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from hippo.hparams import Distribution
from hippo.hparams.distributions import (
    LogRandInt,
    LogUniform,
    QLogRandInt,
    QLogUniform,
    QRandInt,
    QUniform,
    RandInt,
    Uniform,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLine:
    """The numbers between two bounds, both included, that a distribution can draw."""

    low: float
    high: float
    #: only multiples of it are drawn; None: any number
    quantum: float | None = None
    is_log: bool = False
    is_integer: bool = False

    def nearest(self, value: float) -> float:
        """Return the drawable number closest to `value`."""
        if isinstance(value, int) and self.is_integer:  # floats are not all whole numbers beyond 2**53
            quantum = int(self.quantum or 1)
            value = quantum * round(Fraction(value, quantum))
        elif self.quantum is not None:
            count = round(value / self.quantum)
            value = float(Decimal(repr(self.quantum)) * count)  # 0.3 as one would type it
        value = min(max(value, self.low), self.high)
        return int(value) if self.is_integer else float(value)

    def scaled(self, value: float, factor: float) -> float:
        """Return `value` times `factor` as a drawable number; multiples of a quantum move by at least one of them.

        A factor of 1 moves nothing.
        """
        moved = self.nearest(value * factor)
        if moved == value and self.quantum is not None and factor != 1:
            moved = self.nearest(value + math.copysign(self.quantum, (factor - 1) * (value or 1)))
        return moved

    def to_unit(self, value: float) -> float:
        """Return where a number lies between the bounds: 0 at `low`, 1 at `high`; outside of them, the nearer one."""
        value = min(max(value, self.low), self.high)
        low, high, value = (math.log(x) if self.is_log else x for x in (self.low, self.high, value))
        return (value - low) / (high - low) if high > low else 0.0

    def from_unit(self, position: float) -> float:
        """Return the drawable number closest to a position between 0 and 1."""
        if self.is_log:
            low, high = math.log(self.low), math.log(self.high)
            return self.nearest(math.exp(low + position * (high - low)))
        return self.nearest(self.low + position * (self.high - self.low))


def line_of(distribution: Distribution) -> NumberLine | None:
    """Return the line of a distribution of numbers; None if it draws anything else."""
    match distribution:
        case Uniform(low, high):
            return NumberLine(low=low, high=high)
        case LogUniform(low, high):
            return NumberLine(low=low, high=high, is_log=True)
        case QUniform(low, high, q):
            return NumberLine(low=low, high=high, quantum=q)
        case QLogUniform(low, high, q):
            return NumberLine(low=low, high=high, quantum=q, is_log=True)
        case RandInt(low, high):
            return NumberLine(low=low, high=high - 1, quantum=1, is_integer=True)
        case QRandInt(low, high, q):
            return NumberLine(low=low, high=high, quantum=q, is_integer=True)
        case LogRandInt(low, high):
            return NumberLine(low=low, high=high - 1, quantum=1, is_integer=True, is_log=True)
        case QLogRandInt(low, high, q):
            return NumberLine(low=low, high=high, quantum=q, is_integer=True, is_log=True)
    return None
