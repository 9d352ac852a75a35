"""What users give as a tuner, looked at before anything is begun."""

from __future__ import annotations

from typing import Any

from hippo.errors import TunerError
from hippo.runtime import Settings


def check_tuner(tuner: Any, study: str, settings: Settings) -> None:
    """Refuse what is no tuner, or one that the study cannot serve.

    Raises:
      TunerError: the message says what to write instead.
    """
    if isinstance(tuner, type) and callable(getattr(tuner, "tune", None)):
        raise TunerError(f"{tuner.__name__} is a class; make a tuner of it, as in {tuner.__name__}(space, until=10)")
    if not callable(getattr(tuner, "tune", None)):
        hint = (
            ""
            if not callable(tuner)
            else ("; how a function written for Optuna or Ray Tune runs is in docs/coming-from-optuna.md and -ray.md")
        )
        raise TunerError(f"{tuner!r} is no tuner: it has no coroutine tune(self, ask){hint}")
    if getattr(tuner, "needs_metric", False) and not settings.objectives:
        raise TunerError(
            f"{type(tuner).__name__} ranks trials, and study {study!r} has no metric; create it with metric='...'"
        )
