"""Values like those of a lane: what the lanes of a check are given, so that each is right at values of its own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple, cast

from hippo.hparams import Piece
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

    def at(self, t: float) -> Any:
        """Return the value at step `t`."""
        value = self.piece.at(t + self.change.later)
        if not isinstance(value, float):
            return value
        return value * self.change.factor if value else self.change.zero


def changed(pieces: Pieces, change: PieceChange, but: Collection[str] = ()) -> Pieces:
    """Return pieces of which all floats are changed, but those of some names."""
    # a walker asks a piece for nothing but its values
    return {name: piece if name in but else cast(Piece, ChangedPiece(piece, change)) for name, piece in pieces.items()}
