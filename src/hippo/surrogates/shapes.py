"""What part a tensor of parameters plays in a network, told by its shape in the target and in the surrogate.

A tensor whose fan-in grows with the width is summed over it, and one whose fan-out does makes part of it; all that the
rules need to know follows from these two ratios. This module refuses to know what the rules are.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Shape = tuple[int, ...]


class Role(enum.Enum):
    """The part that a tensor plays, by what of it changes with the width."""

    #: makes the width out of what has none: first layers, embeddings, depthwise convolutions
    INPUT = "input"
    #: from width to width
    HIDDEN = "hidden"
    #: from the width to what has none
    OUTPUT = "output"
    #: one number for each channel: biases, gains of norms
    VECTOR = "vector"
    #: as large as in the target
    UNCHANGED = "unchanged"
    #: one of the two factors of a low-rank adapter, of another rank
    ADAPTER = "adapter"


class Layout(enum.Enum):
    """Which dimensions of a tensor are summed over, and which come out."""

    #: out x in x ...: linear layers, convolutions, gates of recurrent cells
    MATRIX = "matrix"
    #: in x out / groups x ...: transposed convolutions
    TRANSPOSED = "transposed"
    #: rows x width: embeddings, positions; a row is looked up, nothing is summed
    TABLE = "table"
    #: of a module that is not known: what changes tells, a table if that is one dimension only
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledTensor:
    """A tensor of parameters of a surrogate, beside the target's of the same name."""

    layout: Layout
    #: shape in the target
    target: Shape
    #: shape in the surrogate
    surrogate: Shape
    #: groups of a transposed convolution, in the target and in the surrogate
    groups: tuple[int, int] = (1, 1)
    #: blocks of the surrogate by blocks of the target, if it is in one of them; None: it is outside
    depth: Fraction | None = None
    #: of a factor of a low-rank adapter: rank times what the two factors' product is multiplied by, by the target's
    adapter: float | None = None

    @property
    def role(self) -> Role:
        """The part that it plays."""
        if self.adapter is not None:
            return Role.ADAPTER
        fan_in, fan_out = self.fan_in, self.fan_out
        if len(self.target) <= 1:
            return Role.UNCHANGED if fan_out == 1 else Role.VECTOR
        if fan_in == fan_out == 1:
            return Role.UNCHANGED
        if fan_in == 1:
            return Role.INPUT
        return Role.OUTPUT if fan_out == 1 else Role.HIDDEN

    @property
    def fan_in(self) -> Fraction:
        """What is summed over for one output: of the surrogate, by that of the target."""
        return self._ratios[0]

    @property
    def fan_out(self) -> Fraction:
        """Outputs: of the surrogate, by those of the target."""
        return self._ratios[1]

    @property
    def _ratios(self) -> tuple[Fraction, Fraction]:
        if len(self.target) <= 1:
            return Fraction(1), Fraction(math.prod(self.surrogate), math.prod(self.target))
        if self.layout is Layout.UNKNOWN:
            return _ratios_of_changed(self.target, self.surrogate)
        (t_in, t_out), (s_in, s_out) = (
            _fans(self.layout, shape, groups)
            for shape, groups in zip((self.target, self.surrogate), self.groups, strict=True)
        )
        return Fraction(s_in, t_in), Fraction(s_out, t_out)


def _fans(layout: Layout, shape: Shape, groups: int) -> tuple[int, int]:
    """Return fan-in and fan-out of a tensor of two or more dimensions."""
    if layout is Layout.TABLE:
        return math.prod(shape[:-1]), shape[-1]
    if layout is Layout.TRANSPOSED:
        return shape[0] // groups * math.prod(shape[2:]), shape[1] * groups
    return math.prod(shape[1:]), shape[0]


def _ratios_of_changed(target: Sequence[int], surrogate: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Return the ratios of a tensor of which nobody knows how it is used: out before in, as in torch's own."""
    changed = [Fraction(s, t) for t, s in zip(target, surrogate, strict=True) if s != t]
    if not changed:
        return Fraction(1), Fraction(1)
    return math.prod(changed[1:], start=Fraction(1)), changed[0]
