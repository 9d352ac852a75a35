"""Values like those of a lane: what the lanes of a check are given, so that each is right at values of its own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple, cast

from hippo.hparams import Piece
from hippo.training.fusion.lane_values import Pieces


class Move(NamedTuple):
    """From a lane's values to others like them."""

    #: of every float
    factor: float = 1.0
    #: steps by which they come into force sooner
    later: int = 0
    #: in place of every 0.0
    zero: float = 0.0


class MovedPiece(NamedTuple):
    """A piece whose floats are other ones."""

    piece: Piece
    move: Move

    def at(self, t: float) -> Any:
        """Return the value at step `t`."""
        value = self.piece.at(t + self.move.later)
        if not isinstance(value, float):
            return value
        return value * self.move.factor if value else self.move.zero


def moved(pieces: Pieces, move: Move, but: Collection[str] = ()) -> Pieces:
    """Return pieces of which all floats are moved, but those of some names."""
    # a walker asks a piece for nothing but its values
    return {name: piece if name in but else cast(Piece, MovedPiece(piece, move)) for name, piece in pieces.items()}
