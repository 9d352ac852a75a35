"""Lines for a user to type, into a shell or a script, as messages name them. Refuses to know which there are."""

from __future__ import annotations

import shlex
from pathlib import Path

from hippo.members import TARGET_NAME, is_of_branches


def command(*words: str, storage: str) -> str:
    """Return a line to type into a shell; the storage is left out where it is the default one.

    Args:
      *words: the command of `hippo`, and its arguments.
      storage: URL of the storage that it is about.
    """
    is_default = storage == f"sqlite:///{Path('hippo.db').resolve()}"
    return shlex.join(["hippo", *words, *([] if is_default else ["--storage", storage])])


def where_traceback(study: str, trial: int, scale: str, *, storage: str) -> str:
    """Return what shows the whole traceback of a trial: a command, or an expression where no command can look.

    The latter goes for studies in memory, and for those of a service, which may have no page.
    """
    if storage.startswith(("http:", "https:")):
        return f"study.trial({trial}).traceback"
    if storage.startswith("memory:") and is_of_branches(scale):
        return f"[each.traceback for each in study.branch_trials if each.number == {trial}]"
    if storage.startswith("memory:"):
        results = "study" if scale == TARGET_NAME else f"study.surrogates[{scale!r}]"
        return f"{results}.trial({trial}).traceback"
    at = () if scale == TARGET_NAME else ("--scale", scale)
    return command("logs", study, str(trial), *at, storage=storage)
