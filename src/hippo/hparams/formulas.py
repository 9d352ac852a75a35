"""The closed forms of all kinds of pieces: value as a function of t, the steps since the piece's origin.

A value never comes from repeated products or sums, so that it depends on t alone and not on where training resumed.
Arguments come in the order in which `Piece.arguments` holds them. This module refuses to know where a piece ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final


def linear(t: float, initial: float, slope: float) -> float:
    return initial + slope * t


def exponential(t: float, initial: float, gamma: float) -> float:
    return float(initial * gamma**t)


def cosine(t: float, initial: float, period: float, final: float) -> float:
    """Loshchilov and Hutter 2017, "SGDR: Stochastic Gradient Descent with Warm Restarts", eq. 5: one cycle."""
    return final + (initial - final) * (1 + math.cos(math.pi * t / period)) / 2


def warmup(t: float, target: float, steps: float) -> float:
    return target * min(t + 1, steps) / steps


def warmup_from(t: float, initial: float, target: float, steps: float) -> float:
    return initial + (target - initial) * t / steps


def polynomial(t: float, initial: float, steps: float, power: float, final: float) -> float:
    return float(final + (initial - final) * (1 - min(t, steps) / steps) ** power)


def one_minus_sqrt(t: float, initial: float, steps: float, final: float) -> float:
    """Hägele et al. 2024, "Scaling Laws and Compute-Optimal Training Beyond Fixed Training Durations", eq. 2."""
    return final + (initial - final) * (1 - math.sqrt(t / steps))


def _phase(t: float, begin: float, end: float) -> float:
    """Return how much of a phase of the one-cycle policy is over, in [0, 1].

    PyTorch lets phases end between steps (pct_start * total - 1), so the ends are real numbers here, too.
    """
    return 1.0 if end <= begin else min(max((t - begin) / (end - begin), 0.0), 1.0)


def anneal_cos(t: float, initial: float, final: float, begin: float, end: float) -> float:
    return final + (initial - final) / 2 * (1 + math.cos(math.pi * _phase(t, begin, end)))


def anneal_linear(t: float, initial: float, final: float, begin: float, end: float) -> float:
    return (final - initial) * _phase(t, begin, end) + initial


#: kind of piece -> its closed form, called with t and then the piece's arguments
FORMULAS: Final[Mapping[str, Callable[..., float]]] = {
    "linear": linear,
    "exponential": exponential,
    "cosine": cosine,
    "warmup": warmup,
    "warmup_from": warmup_from,
    "polynomial": polynomial,
    "one_minus_sqrt": one_minus_sqrt,
    "anneal_cos": anneal_cos,
    "anneal_linear": anneal_linear,
}
