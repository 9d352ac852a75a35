"""How the owner of a shard changes its values by gradients: SGD with momentum, AdaGrad, AdaRevision.

A rule is given what several workers found in one clock, in their order, and adds it up in that order: so the result
is a function of the gradients alone, and not of who was first. All that a rule remembers lies in fields beside the
values, so that a fork copies it. This module refuses to know clocks, workers and memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from hippo.errors import TrainerError, did_you_mean
from hippo.ps.layout import VALUE, Array, Fields


class RowUpdate(NamedTuple):
    """What one worker found for some rows of a table in one clock."""

    #: which rows, ascending and each once, or a slice of all of them
    rows: Any
    #: by its batch size already divided: rows x shape of a row
    gradient: Array
    #: the sum of all gradients that the values had seen from which this one was computed; where a rule wants to know
    read_sum: Array | None = None


class RuleValues(NamedTuple):
    """The hyper-parameters of a rule, in force in a clock."""

    lr: float
    momentum: float = 0.0


class ServerRule(Protocol):
    """Changes values by gradients."""

    #: what it keeps beside each value -> with what that begins
    fields: ClassVar[dict[str, float]]
    #: whether it has a momentum
    has_momentum: ClassVar[bool]
    #: which field gradients are to bring along as it was when the values were read; None: none
    sum_field: ClassVar[str | None]

    def apply(self, table: Fields, updates: Sequence[RowUpdate], values: RuleValues) -> None:
        """Change a table, or rows of it, in place, by what each worker found in one clock, in their order."""


class SGD:
    """Gradient descent with heavy-ball momentum: once for each clock, by the sum of what all workers found.

    As torch's: v = momentum v + g, x = x - lr v. Rows without a gradient move on by their momentum. Under free order it
    is applied for each worker's delivery, so that n workers move rows on n times in a clock.
    """

    fields: ClassVar[dict[str, float]] = {"velocity": 0.0}
    has_momentum: ClassVar[bool] = True
    sum_field: ClassVar[str | None] = None

    def apply(self, table: Fields, updates: Sequence[RowUpdate], values: RuleValues) -> None:
        velocity = table["velocity"]
        velocity *= velocity.dtype.type(values.momentum)
        for update in updates:
            velocity[update.rows] += update.gradient
        table[VALUE][...] -= velocity.dtype.type(values.lr) * velocity


class AdaGrad:
    """Duchi, Hazan, Singer 2011, "Adaptive Subgradient Methods", diagonal; once for each worker's gradient.

    z = z + g^2, x = x - lr g / sqrt(z), with z from 0 on; where no gradient ever was, nothing moves.
    """

    fields: ClassVar[dict[str, float]] = {"z": 0.0}
    has_momentum: ClassVar[bool] = False
    sum_field: ClassVar[str | None] = None

    def apply(self, table: Fields, updates: Sequence[RowUpdate], values: RuleValues) -> None:
        for rows, g, _ in updates:
            z = table["z"][rows] + g * g
            table["z"][rows] = z
            # the smallest normal number keeps 0 / 0 out, and is far below any g^2 that could matter
            table[VALUE][rows] -= g.dtype.type(values.lr) * g / np.sqrt(np.maximum(z, np.finfo(g.dtype).tiny))


class AdaRevision:
    """McMahan, Streeter 2014, "Delay-Tolerant Algorithms for Asynchronous Distributed Online Learning", Alg. 3.

    A gradient comes with the sum of those that its values had seen (`RowUpdate.read_sum`). By those that came in
    between (g_bck) the learning rate is revised, and the steps that were taken too far. z and z' begin at 1.
    """

    fields: ClassVar[dict[str, float]] = {"z": 1.0, "z_max": 1.0, "g_sum": 0.0}
    has_momentum: ClassVar[bool] = False
    sum_field: ClassVar[str | None] = "g_sum"

    def apply(self, table: Fields, updates: Sequence[RowUpdate], values: RuleValues) -> None:
        for rows, g, read_sum in updates:
            assert read_sum is not None, "workers send what the rule asks for"
            lr = g.dtype.type(values.lr)
            z, z_max, g_sum = table["z"][rows], table["z_max"][rows], table["g_sum"][rows]
            g_bck = g_sum - read_sum
            eta_old = lr / np.sqrt(z_max)
            z = z + g * g + 2 * g * g_bck
            z_max = np.maximum(z, z_max)
            eta = lr / np.sqrt(z_max)
            table[VALUE][rows] += (eta_old - eta) * g_bck - eta * g
            table["z"][rows], table["z_max"][rows], table["g_sum"][rows] = z, z_max, g_sum + g


RULES: dict[str, ServerRule] = {"sgd": SGD(), "adagrad": AdaGrad(), "adarevision": AdaRevision()}


def rule_named(name: object) -> ServerRule:
    """Return the rule of this name.

    Raises:
      TrainerError: there is none.
    """
    if isinstance(name, str) and name in RULES:
        return RULES[name]
    hint = did_you_mean(name, RULES) if isinstance(name, str) else ""
    raise TrainerError(f"optimizer={name!r} is no update rule of a parameter server; there are {list(RULES)}.{hint}")
