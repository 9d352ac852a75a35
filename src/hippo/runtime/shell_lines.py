"""Lines for a user to type into a shell, as messages name them. Refuses to know which commands there are."""

from __future__ import annotations

import shlex
from pathlib import Path


def command(*words: str, storage: str) -> str:
    """Return a line to type into a shell; the storage is left out where it is the default one.

    Args:
      *words: the command of `hippo`, and its arguments.
      storage: URL of the storage that it is about.
    """
    is_default = storage == f"sqlite:///{Path('hippo.db').resolve()}"
    return shlex.join(["hippo", *words, *([] if is_default else ["--storage", storage])])
