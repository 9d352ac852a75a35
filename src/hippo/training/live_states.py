"""States that a trainer keeps for itself, in memory of its own, as it keeps the one that it trains.

A state at rest is encoded: copied into plain values that anybody can hash, write and read. A trainer that keeps several
states side by side, such as a parameter server with its pool of branches, can hold a copy there and go on from it by
one copy more, and nobody has to encode it unless it is to be written. This module refuses to know where they are kept.
"""

from __future__ import annotations

from typing import Protocol

from hippo.training.codec import EncodedState


class LiveState(Protocol):
    """A copy of a state that its trainer keeps. It is never changed, and goes when nobody holds this object."""

    @property
    def size_bytes(self) -> int:
        """How much of a slot's memory it takes."""

    def encoded(self) -> EncodedState:
        """Return it as a state at rest."""


#: a state in the memory of a slot
HeldState = EncodedState | LiveState


def encoded_state(held: HeldState) -> EncodedState:
    """Return a state at rest, whoever keeps it."""
    return held if isinstance(held, EncodedState) else held.encoded()
