"""The path of a config: which pieces are in force from which step on. This is what the search plan walks."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterator, Mapping

from hippo.errors import BudgetError
from hippo.hparams.config import Config
from hippo.hparams.pieces import Piece

#: the pieces in force, by hyper-parameter
Pieces = Mapping[str, Piece]


def path(config: Config, until: int) -> Iterator[tuple[int, Pieces]]:
    """Yield (start, pieces in force from there) up to `until`, lazily; `path` is canonical.

    The first start is 0, starts ascend and are below `until`, and at each of them at least one piece changes.

    Raises:
      BudgetError: `until` is not a whole number of steps from 1 on.
    """
    checked_until(until)
    pieces: dict[str, Piece] = {}
    changes: list[tuple[int, int, str, Piece, Iterator[tuple[int, Piece]]]] = []
    for index, (name, sequence) in enumerate(config.items()):
        rest = sequence.pieces(until)
        pieces[name] = next(rest)[1]
        _push(changes, index, name, rest)
    start = 0
    while True:
        yield start, dict(pieces)
        if not changes:
            return
        start = changes[0][0]
        while changes and changes[0][0] == start:
            _, index, name, piece, rest = heapq.heappop(changes)
            pieces[name] = piece
            _push(changes, index, name, rest)


class Walk:
    """A config's path, walked as far as it was asked for and never twice."""

    __slots__ = ("_ahead", "_next")

    def __init__(self, config: Config) -> None:
        #: None when the path is walked to its end: there may be a million walks
        self._ahead: Iterator[tuple[int, Pieces]] | None = path(config, sys.maxsize)
        self._next = next(self._ahead)

    def up_to(self, until: int) -> Iterator[tuple[int, Pieces]]:
        """Yield (start, pieces in force from there) for every start below `until` that was not yielded before."""
        while self._ahead is not None and self._next[0] < until:
            found, following = self._next, next(self._ahead, None)
            if following is None:
                self._ahead = None
            else:
                self._next = following
            yield found


def _push(
    changes: list[tuple[int, int, str, Piece, Iterator[tuple[int, Piece]]]],
    index: int,
    name: str,
    rest: Iterator[tuple[int, Piece]],
) -> None:
    """Note the next change of one hyper-parameter, if there is one. Ties in time go by index, never by piece."""
    for start, piece in rest:
        heapq.heappush(changes, (start, index, name, piece, rest))
        return


def checked_until(until: int) -> int:
    """Return a budget of steps.

    Raises:
      BudgetError: it is not a whole number from 1 on.
    """
    if isinstance(until, bool) or not isinstance(until, int):
        item = getattr(until, "item", lambda: None)()
        if type(item) is not int:
            raise BudgetError(f"until is a whole number of steps, not {until!r} of type {type(until).__name__}.")
        until = item
    if until < 1:
        raise BudgetError(f"until must be at least 1, not {until!r}: a trial trains for at least one step.")
    return until
