"""Values like those of a lane: what the lanes of a check are given, so that each is right at values of its own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple, cast

from hippo.hparams import Piece
from hippo.training.declarative.optimizer_values import APPLIED
from hippo.training.fusion.lane_values import Pieces


class PieceChange(NamedTuple):
    """From a lane's values to others like them."""

    #: of every float
    factor: float = 1.0
    #: steps by which they come into force sooner
    later: int = 0
    #: in place of every 0.0
    zero: float = 0.0


class ChangedPiece(NamedTuple):
    """A piece whose floats are other ones."""

    piece: Piece
    change: PieceChange
    #: before this step it is what it was
    since: int = 0

    def at(self, t: float) -> Any:
        """Return the value at step `t`."""
        if t < self.since:
            return self.piece.at(t)
        value = self.piece.at(t + self.change.later)
        if not isinstance(value, float):
            return value
        return value * self.change.factor if value else self.change.zero


class FollowedPiece(NamedTuple):
    """A piece that another one follows."""

    before: Piece
    after: Piece
    #: from this step on it is the other one
    since: int

    def at(self, t: float) -> Any:
        """Return the value at step `t`."""
        return (self.before if t < self.since else self.after).at(t)


def followed(before: Pieces, after: Pieces, since: int) -> Pieces:
    """Return the pieces of a lane that begins where others come into force.

    Args:
      before: in force just before it begins, by which it is built.
      after: in force in its first step.
      since: that step.
    """
    return {name: cast(Piece, FollowedPiece(before.get(name, piece), piece, since)) for name, piece in after.items()}


def changed(pieces: Pieces, change: PieceChange, but: Collection[str] = (), *, since: int = 0) -> Pieces:
    """Return pieces of which all floats are changed, but those of some names.

    Args:
      pieces: which.
      change: of their floats.
      but: names that stay.
      since: where lanes with them begin. What optimizers have as options changes there and not before: a state brings
        them along, and of values that were the same before nobody would set them.
    """

    def of(name: str, piece: Piece) -> Piece:
        # a walker asks a piece for nothing but its values
        return cast(Piece, ChangedPiece(piece, change, since if name in APPLIED else 0))

    return {name: piece if name in but else of(name, piece) for name, piece in pieces.items()}
