"""Where a simulated training state stands on its path: what it is told by, wherever and for whomever it is trained.

Two states are equal if and only if the pieces that were in force before them are. Their name, a digest, depends on
nothing else: neither on a plan's numbers nor on where lanes began and ended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from hippo.hparams import Piece, Value

_MASK = (1 << 64) - 1


class Segment:
    """The last stretch of a path: the pieces in force from `start` on, and by `digest` everything before."""

    __slots__ = ("digest", "pieces", "start")

    digest: bytes

    def __init__(self, parent: Segment | None, start: int, pieces: Mapping[str, Piece]) -> None:
        self.start = start
        self.pieces = pieces
        before: bytes = b"" if parent is None else parent.digest
        text = "\n".join(f"{name!r}: {pieces[name].key}" for name in sorted(pieces))
        self.digest = hashlib.blake2b(b"%b/%d/%b" % (before, start, text.encode()), digest_size=16).digest()

    @property
    def number(self) -> int:
        """The digest as a number in [0, 2**64)."""
        return int.from_bytes(self.digest[:8], "big")

    def values(self, step: int) -> dict[str, Value]:
        """Return the values in force in the step from `step` to `step` + 1."""
        return {name: piece.at(step) for name, piece in self.pieces.items()}


def mixed(number: int) -> int:
    """Return 64 bits that look like chance and are a function of `number`.

    Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators": the finaliser of SplitMix64.
    """
    z = number & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def uniform(*numbers: int) -> float:
    """Return a number in (0, 1) that is a function of these."""
    state = 0
    for number in numbers:
        state = mixed(state + number + 0x9E3779B97F4A7C15)
    return ((state >> 11) + 0.5) / (1 << 53)
