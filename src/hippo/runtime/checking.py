"""A config looked at before it is trained: does every sequence have a value wherever it will be asked for one?"""

from __future__ import annotations

from hippo.errors import HparamError
from hippo.hparams import Config
from hippo.hparams.paths import Pieces, Walk


class ConfigCheck:
    """Checks a config as far as it is asked for, and no step twice."""

    __slots__ = ("_config", "_in_force", "_walk")

    def __init__(self, config: Config) -> None:
        self._config = config
        self._walk = Walk(config)
        self._in_force: Pieces = {}

    def up_to(self, until: int) -> None:
        """Evaluate every piece where it begins and where it ends, before `until`.

        Raises:
          HparamError: a sequence leaves the finite numbers; the message names it and the step.
        """
        for start, pieces in self._walk.up_to(until):
            if start > 0:
                self._evaluate(self._in_force, start - 1)
            self._evaluate(pieces, start)
            self._in_force = pieces
        self._evaluate(self._in_force, until - 1)

    def _evaluate(self, pieces: Pieces, step: int) -> None:
        for name, piece in pieces.items():
            try:
                piece.at(step)
            except HparamError as error:
                raise HparamError(f"{name}={self._config[name]!r} cannot be used at step {step}: {error}") from None
