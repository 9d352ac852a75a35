"""What users give as a tuner, looked at before anything is begun."""

from __future__ import annotations

import inspect
from typing import Any

from hippo.errors import TunerError
from hippo.runtime import Settings
from hippo.scale import Scale
from hippo.tuners import Tuner


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
    if getattr(type(tuner), "tune", None) is Tuner.tune:
        raise TunerError(
            f"{type(tuner).__name__} has no tune(self, ask) coroutine; write one: async def tune(self, ask)"
        )
    _check_tune(tuner)
    if getattr(tuner, "needs_metric", False) and not settings.objectives:
        raise TunerError(
            f"{type(tuner).__name__} ranks trials, and study {study!r} has no metric; create it with metric='...'"
        )


def scales_of(tuner: Any) -> tuple[Scale, ...]:
    """Return the scales of the surrogates that a tuner asks.

    Raises:
      TunerError: it names something else as its `scales`.
    """
    scales = getattr(tuner, "scales", ())
    if not isinstance(scales, tuple) or not all(isinstance(scale, Scale) and not scale.is_target for scale in scales):
        raise TunerError(
            f"{type(tuner).__name__}.scales must be a tuple of hippo.Scale, each smaller than the target, such as "
            f"(hippo.Scale(8),), not {scales!r}"
        )
    return scales


def asks_branches(tuner: Any, settings: Settings) -> bool:
    """Tell whether a tuner asks for branches that are walked as one program.

    Raises:
      TunerError: trials of the study share nothing, and so nothing can branch off a state.
    """
    is_wanted = bool(getattr(tuner, "asks_branches", False))
    if is_wanted and not settings.sharing:
        raise TunerError(
            f"{type(tuner).__name__} branches off states, and with sharing=False no two trials share one; leave "
            "sharing=False out, or have its branches trained one by one"
        )
    return is_wanted


def _check_tune(tuner: Any) -> None:
    name = f"{type(tuner).__name__}.tune"
    is_plain = inspect.isfunction(getattr(tuner.tune, "__func__", tuner.tune))
    if inspect.isgeneratorfunction(tuner.tune) or inspect.isasyncgenfunction(tuner.tune):
        raise TunerError(f"{name} yields; write a coroutine that awaits: async def tune(self, ask): await ask(...)")
    try:
        if is_plain:
            inspect.signature(tuner.tune).bind(None)
    except TypeError as error:
        raise TunerError(f"{name} must take what it asks by, async def tune(self, ask): {error}") from None
