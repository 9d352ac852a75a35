"""A config looked at before it is trained: does every sequence have a value wherever it will be asked for one?"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from hippo.errors import HparamError
from hippo.hparams import Config, path
from hippo.hparams.paths import Pieces


class ConfigCheck:
    """Checks a config as far as it is asked for, and no step twice."""

    __slots__ = ("_ahead", "_config", "_in_force", "_next")

    def __init__(self, config: Config) -> None:
        self._config = config
        #: None when the path is walked to its end: there may be a million configs
        self._ahead: Iterator[tuple[int, Pieces]] | None = path(config, sys.maxsize)
        self._next: tuple[int, Pieces] | None = next(self._ahead)
        self._in_force: Pieces = {}

    def up_to(self, until: int) -> None:
        """Evaluate every piece where it begins and where it ends, before `until`.

        Raises:
          HparamError: a sequence leaves the finite numbers; the message names it and the step.
        """
        while self._ahead is not None and self._next is not None and self._next[0] < until:
            start, pieces = self._next
            if start > 0:
                self._evaluate(self._in_force, start - 1)
            self._evaluate(pieces, start)
            self._in_force = pieces
            self._next = next(self._ahead, None)
            if self._next is None:
                self._ahead = None
        self._evaluate(self._in_force, until - 1)

    def _evaluate(self, pieces: Pieces, step: int) -> None:
        for name, piece in pieces.items():
            try:
                piece.at(step)
            except HparamError as error:
                raise HparamError(f"{name}={self._config[name]!r} cannot be used at step {step}: {error}") from None
