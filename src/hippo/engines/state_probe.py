"""Whether a study and its hosts see the same states: files that each writes, and the other looks for.

It refuses to know what a store is made of.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Mapping

from hippo.checkpoints import AbstractCheckpointStore, open_checkpoints
from hippo.engines.node_host import why_missing
from hippo.errors import CheckpointError, MissingCheckpointError


class StateProbe:
    """A file among the states of a study, for which its hosts look.

    Args:
      checkpoints: where states are kept.
    """

    def __init__(self, checkpoints: str | AbstractCheckpointStore) -> None:
        self._store = open_checkpoints(checkpoints)
        self.key = f"probe-{secrets.token_hex(8)}"

    def write(self) -> None:
        """Write it.

        Raises:
          CheckpointError: states cannot be written here.
        """
        self._store.write(self.key, lambda file: file.write(b"hippo"))

    def take_answer(self, welcome: Mapping[str, str]) -> str:
        """Remove what a host wrote beside it; return why states of that host cannot be read here, "" if they can."""
        if problem := why_missing(self._store, welcome["answer"]):
            if not isinstance(problem, MissingCheckpointError):
                return f"states cannot be read here: {problem}"
            return (
                f"what node {welcome['node']} writes to the study's checkpoints= is not to be seen from here. Name a "
                "folder that all nodes share, or an object store."
            )
        self._store.delete(welcome["answer"])
        return ""

    def remove(self) -> None:
        """Remove it, as far as that can be done."""
        with contextlib.suppress(CheckpointError):
            self._store.delete(self.key)
