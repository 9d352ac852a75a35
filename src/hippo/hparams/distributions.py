"""Distributions: values that are not chosen yet, under the names that users of Ray Tune know.

The constructors return `Any`, so that type checkers accept a distribution wherever a sequence wants a number.
Quantised ones draw multiples of `q` as one would type them (0.3, not 0.30000000000000004): only equal values share.
Chance is an argument, a `numpy.random.Generator`; this module refuses to know any other source of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hippo.arguments import explain_calls
from hippo.errors import HparamError, SpaceError
from hippo.hparams.values import number

if TYPE_CHECKING:
    from numpy.random import Generator


def check_rng(rng: object) -> None:
    """Refuse what is no source of chance of its own; the global one would make no draw repeatable.

    Raises:
      SpaceError: it is not numpy's.
    """
    if not hasattr(rng, "spawn"):  # the module numpy.random has all the rest
        raise SpaceError(f"sample() draws from a numpy.random.Generator, numpy.random.default_rng(0), say, not {rng!r}")


class Distribution:
    """Something a value can be drawn from."""

    def sample(self, rng: Generator) -> Any:
        """Draw one value."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Return the distribution as what JSON can hold: equal texts, equal distributions."""
        raise NotImplementedError


class _Range(Distribution):
    """A distribution that its numbers describe; its name in lower case is the function that makes it."""

    def to_json(self) -> dict[str, Any]:
        return {"distribution": type(self).__name__.lower(), "arguments": self._numbers()}

    def _numbers(self) -> list[Any]:
        return [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"{type(self).__name__.lower()}({', '.join(map(repr, self._numbers()))})"


@dataclass(frozen=True, repr=False)
class Uniform(_Range):
    """Uniform in [low, high)."""

    low: float
    high: float

    def sample(self, rng: Generator) -> float:
        return float(rng.uniform(self.low, self.high))


@dataclass(frozen=True, repr=False)
class LogUniform(_Range):
    """Uniform in the logarithm, in [low, high]."""

    low: float
    high: float

    def sample(self, rng: Generator) -> float:
        drawn = math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
        return min(max(drawn, self.low), self.high)  # exp(log(low)) may miss low by a bit


@dataclass(frozen=True, repr=False)
class QUniform(_Range):
    """Uniform, rounded to multiples of q; both ends can be drawn."""

    low: float
    high: float
    q: float

    def sample(self, rng: Generator) -> float:
        return _nearest_multiple(float(rng.uniform(self.low, self.high)), self.q)


@dataclass(frozen=True, repr=False)
class QLogUniform(_Range):
    """Uniform in the logarithm, rounded to multiples of q; both ends can be drawn."""

    low: float
    high: float
    q: float

    def sample(self, rng: Generator) -> float:
        return _nearest_multiple(LogUniform(self.low, self.high).sample(rng), self.q)


@dataclass(frozen=True, repr=False)
class RandInt(_Range):
    """An integer in [low, high)."""

    low: int
    high: int

    def sample(self, rng: Generator) -> int:
        return int(rng.integers(self.low, self.high))


@dataclass(frozen=True, repr=False)
class QRandInt(_Range):
    """A multiple of q in [low, high], both ends included and each as likely."""

    low: int
    high: int
    q: int

    def sample(self, rng: Generator) -> int:
        return self.q * int(rng.integers(self.low // self.q, self.high // self.q + 1))


@dataclass(frozen=True, repr=False)
class LogRandInt(_Range):
    """An integer in [low, high), uniform in the logarithm."""

    low: int
    high: int

    def sample(self, rng: Generator) -> int:
        drawn = math.exp(rng.uniform(math.log(self.low), math.log(self.high)))
        return min(max(int(drawn), self.low), self.high - 1)


@dataclass(frozen=True, repr=False)
class QLogRandInt(_Range):
    """A multiple of q in [low, high], both ends included, uniform in the logarithm.

    Each stands for all from itself up to the next one, so that the ends have their shares: as with `LogRandInt`, and as
    in Ray Tune.
    """

    low: int
    high: int
    q: int

    def sample(self, rng: Generator) -> int:
        drawn = math.exp(rng.uniform(math.log(self.low), math.log(self.high + self.q)))
        return min(max(self.q * int(drawn / self.q), self.low), self.high)


@dataclass(frozen=True, repr=False)
class RandN(_Range):
    """Normal, without bounds."""

    mean: float
    sd: float

    def sample(self, rng: Generator) -> float:
        return float(rng.normal(self.mean, self.sd))


@dataclass(frozen=True, repr=False)
class QRandN(_Range):
    """Normal, without bounds, rounded to multiples of q."""

    mean: float
    sd: float
    q: float

    def sample(self, rng: Generator) -> float:
        return _nearest_multiple(float(rng.normal(self.mean, self.sd)), self.q)


def _nearest_multiple(drawn: float, q: float) -> float:
    return float(Decimal(repr(q)) * round(drawn / q))


def _bounds(name: str, low: float, high: float, positive: bool = False) -> None:
    number(f"{name}'s low", low), number(f"{name}'s high", high)
    if not low < high:
        raise SpaceError(f"{name}({low!r}, {high!r}): low must be below high.")
    if not math.isfinite(float(high) - float(low)):
        raise SpaceError(f"{name}({low!r}, {high!r}): the range is wider than floats are; take a logarithmic one.")
    if positive and low <= 0:
        linear = name.replace("log", "")
        raise SpaceError(f"{name}({low!r}, {high!r}): a logarithmic scale needs low above 0; use {linear} instead.")


def _floats(name: str, **arguments: Any) -> tuple[float, ...]:
    """Return the arguments of a distribution over a grid as such, also those that are written as it has them.

    Raises:
      HparamError: one of them is no finite number.
    """
    plain = {
        argument: float(value) if isinstance(value, Decimal | Fraction) else value
        for argument, value in arguments.items()
    }
    return tuple(float(number(f"{name}'s {argument}", value)) for argument, value in plain.items())


def _whole(name: str, **arguments: int) -> tuple[int, ...]:
    """Return the arguments of a distribution over integers as such.

    Raises:
      HparamError: one of them is not whole.
    """
    for argument, value in arguments.items():
        if number(f"{name}'s {argument}", value) % 1:
            raise HparamError(f"{name}'s {argument} must be a whole number, not {value!r}, as are those that it draws.")
    return tuple(map(int, arguments.values()))


def _integers(name: str, low: int, high: int) -> None:
    """Refuse what the generator of chance cannot draw."""
    if low < -(2**63) or high > 2**63 - 1:
        raise SpaceError(
            f"{name}({low!r}, {high!r}): integers are drawn with 64 bits, from {-(2**63)} to {2**63 - 1}; for larger "
            "ones write choice([...])."
        )


def _grid(name: str, low: float, high: float, q: float) -> None:
    if number(f"{name}'s q", q) <= 0:
        raise SpaceError(f"{name}: q must be above 0, not {q!r}.")
    step = Decimal(repr(q))
    try:
        are_multiples = not Decimal(repr(low)) % step and not Decimal(repr(high)) % step
    except InvalidOperation:
        raise SpaceError(
            f"{name}({low!r}, {high!r}, {q!r}): there are more multiples of q than can be told apart; leave q out."
        ) from None
    if not are_multiples:
        raise SpaceError(f"{name}({low!r}, {high!r}, {q!r}): low and high must be multiples of q, or be overstepped.")


#: Optuna's arguments
_HINTS = {
    "log": "loguniform and lograndint draw from the logarithm",
    "step": "quniform, qrandint and others draw multiples of q",
    "base": "the logarithm's base changes nothing; leave it out",
}


@explain_calls(**_HINTS)
def uniform(low: float, high: float) -> Any:
    """Return the uniform distribution over [low, high)."""
    _bounds("uniform", low, high)
    return Uniform(float(low), float(high))


@explain_calls(**_HINTS)
def loguniform(low: float, high: float) -> Any:
    """Return the distribution over [low, high] whose logarithm is uniform."""
    _bounds("loguniform", low, high, positive=True)
    return LogUniform(float(low), float(high))


@explain_calls(**_HINTS)
def quniform(low: float, high: float, q: float) -> Any:
    """Return the uniform distribution over [low, high], rounded to multiples of q."""
    low, high, q = _floats("quniform", low=low, high=high, q=q)
    _bounds("quniform", low, high)
    _grid("quniform", low, high, q)
    return QUniform(low, high, q)


@explain_calls(**_HINTS)
def qloguniform(low: float, high: float, q: float) -> Any:
    """Return the distribution over [low, high] whose logarithm is uniform, rounded to multiples of q."""
    low, high, q = _floats("qloguniform", low=low, high=high, q=q)
    _bounds("qloguniform", low, high, positive=True)
    _grid("qloguniform", low, high, q)
    return QLogUniform(low, high, q)


@explain_calls(**_HINTS)
def randint(low: int, high: int) -> Any:
    """Return the uniform distribution over the integers low, ..., high - 1."""
    low, high = _whole("randint", low=low, high=high)
    _bounds("randint", low, high)
    _integers("randint", low, high)
    return RandInt(low, high)


@explain_calls(**_HINTS)
def qrandint(low: int, high: int, q: int = 1) -> Any:
    """Return the uniform distribution over the multiples of q in [low, high], both included."""
    low, high, q = _whole("qrandint", low=low, high=high, q=q)
    _bounds("qrandint", low, high)
    _integers("qrandint", low, high)
    _grid("qrandint", low, high, q)
    return QRandInt(low, high, q)


@explain_calls(**_HINTS)
def lograndint(low: int, high: int) -> Any:
    """Return the distribution over the integers low, ..., high - 1 whose logarithm is uniform."""
    low, high = _whole("lograndint", low=low, high=high)
    _bounds("lograndint", low, high, positive=True)
    _integers("lograndint", low, high)
    return LogRandInt(low, high)


@explain_calls(**_HINTS)
def qlograndint(low: int, high: int, q: int = 1) -> Any:
    """Return the distribution over the multiples of q in [low, high], both included, whose logarithm is uniform."""
    low, high, q = _whole("qlograndint", low=low, high=high, q=q)
    _bounds("qlograndint", low, high, positive=True)
    _integers("qlograndint", low, high)
    _grid("qlograndint", low, high, q)
    return QLogRandInt(low, high, q)


@explain_calls(**_HINTS)
def randn(mean: float = 0.0, sd: float = 1.0) -> Any:
    """Return the normal distribution of this mean and standard deviation."""
    return RandN(float(number("randn's mean", mean)), _positive("randn's sd", sd))


@explain_calls(**_HINTS)
def qrandn(mean: float, sd: float, q: float) -> Any:
    """Return the normal distribution of this mean and standard deviation, rounded to multiples of q."""
    return QRandN(float(number("qrandn's mean", mean)), _positive("qrandn's sd", sd), _positive("qrandn's q", q))


def _positive(name: str, value: float) -> float:
    if number(name, value) <= 0:
        raise SpaceError(f"{name} must be above 0, not {value!r}.")
    return float(value)
