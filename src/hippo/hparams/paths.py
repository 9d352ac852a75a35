"""The path of a config: which pieces are in force from which step on. This is what the search plan walks."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping

from hippo.errors import BudgetError, HparamError
from hippo.hparams.config import Config
from hippo.hparams.pieces import Piece
from hippo.hparams.sequence import Sequence

#: the pieces in force, by hyper-parameter
Pieces = Mapping[str, Piece]


def path(config: Config, until: int) -> Iterator[tuple[int, Pieces]]:
    """Yield (start, pieces in force from there) up to `until`, lazily; `path` is canonical.

    The first start is 0, starts ascend and are below `until`, and at each of them at least one piece changes. Nothing
    is evaluated at `until` or beyond, where a sequence may have no value.

    Raises:
      BudgetError: `until` is not a whole number of steps from 1 on.
    """
    checked_until(until)
    yield from Walk(config).up_to(until)


class Walk:
    """A config's path, walked as far as it was asked for and never twice.

    Args:
      config: what to walk.
      at: where to begin: what lies before was walked as part of a config that is the same up to here.
      before: the pieces in force just before `at`.
    """

    __slots__ = ("_due", "_has_news", "_pieces", "_sequences", "_start")

    def __init__(self, config: Config, *, at: int = 0, before: Pieces | None = None) -> None:
        self._sequences: tuple[tuple[str, Sequence], ...] = config.sequences
        self._pieces: dict[str, Piece] = {} if before is None else dict(before)
        #: (where its segment ends, which sequence); ties go by place
        self._due: list[tuple[int, int]] = []
        self._start = at
        self._has_news = before is None
        for place in range(len(self._sequences)):
            self._has_news |= self._enter(place, at)

    @property
    def pieces(self) -> Pieces:
        """The pieces in force where it stands."""
        return dict(self._pieces)

    @property
    def is_over(self) -> bool:
        """Whether no start is left to be yielded."""
        return not (self._due or self._has_news)

    def up_to(self, until: int) -> Iterator[tuple[int, Pieces]]:
        """Yield (start, pieces in force from there) for every start below `until` that was not yielded before."""
        if self._has_news:
            self._has_news = False
            yield self._start, dict(self._pieces)
        while self._due and self._due[0][0] < until:
            start = self._due[0][0]
            if self._step_to(start):
                yield start, dict(self._pieces)

    def _step_to(self, start: int) -> bool:
        """Enter every segment that begins at `start`; tell whether a piece changed. Neighbours may be equal."""
        has_changed = False
        while self._due and self._due[0][0] == start:
            before = heapq.heappop(self._due)
            try:
                has_changed |= self._enter(before[1], start)
            except HparamError:  # no value there; whoever asks again is told again
                heapq.heappush(self._due, before)
                raise
        return has_changed

    def _enter(self, place: int, start: int) -> bool:
        name, sequence = self._sequences[place]
        piece, stop = sequence.segment_at(start)
        if stop is not None:
            heapq.heappush(self._due, (stop, place))
        has_changed = self._pieces.get(name) != piece
        self._pieces[name] = piece
        return has_changed


def check_values(config: Config, pieces: Pieces, step: int) -> None:
    """Evaluate pieces of a config at a step.

    Raises:
      HparamError: one leaves the finite numbers; the message names its hyper-parameter and the step.
    """
    for name, piece in pieces.items():
        if piece.origin is None:
            continue  # a constant, which was looked at when it was made
        try:
            piece.at(step)
        except HparamError as error:
            raise HparamError(f"{name}={config[name]!r} cannot be used at step {step}: {error}") from None


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
