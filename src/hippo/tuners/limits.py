"""Limits around any tuner: so much money, or so much time, and then it ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hippo.errors import BudgetError, TunerError
from hippo.scale import Scale
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask, LimitReached
from hippo.tuners.tuner import Tuner, doubts_of, record_of


class _Limited(Tuner):
    """What the two limits have in common; `tuner` is what they are around."""

    tuner: Any

    @property
    def needs_metric(self) -> bool:  # type: ignore[override]  # a tuner's own answer, not that of its class
        return bool(getattr(self.tuner, "needs_metric", False))

    @property
    def scales(self) -> tuple[Scale, ...]:  # type: ignore[override]  # likewise
        scales: tuple[Scale, ...] = getattr(self.tuner, "scales", ())
        return scales

    @property
    def asks_branches(self) -> bool:  # type: ignore[override]  # likewise
        return bool(getattr(self.tuner, "asks_branches", False))

    def doubts(self, trainer: type[Any]) -> tuple[str, ...]:
        return doubts_of(self.tuner, trainer)


@accept_names
@dataclass(frozen=True)
class Budget(_Limited):
    """Runs a tuner until its requests have cost so many device-seconds, then ends it.

    What ran by then counts: trials that were on their way end as PRUNED, and `study.best_trial` is the best of the
    complete ones. Stages that run when the limit is reached are stopped at a step's end, so the last bill may be
    higher by a step for each slot. Steps that another study has paid for cost nothing.

    Args:
      tuner: any tuner, also one of these.
      device_seconds: what it may cost, above 0. A re-run after a crash goes on with what was left.

    Returns:
      Of `tune`: what the tuner returns, or None if the limit ended it.

    Raises:
      BudgetError: `device_seconds` is not a finite number above 0.
      TunerError: `tuner` has no `tune`.
    """

    tuner: Any
    device_seconds: float

    def __post_init__(self) -> None:
        _check_tuner(self.tuner)
        _check_seconds("device_seconds", self.device_seconds)

    async def tune(self, ask: Ask) -> Any:
        try:
            async with ask.limited(device_seconds=self.device_seconds):
                return await self.tuner.tune(ask)
        except LimitReached:
            return None

    def record(self) -> dict[str, Any]:
        return {"tuner": "Budget", "device_seconds": self.device_seconds, "of": record_of(self.tuner)}


@accept_names
@dataclass(frozen=True)
class Deadline(_Limited):
    """Runs a tuner for so many seconds, then ends it.

    As `Budget`, but by the clock. The seconds of a script that was stopped and run again begin anew.

    Args:
      tuner: any tuner, also one of these.
      seconds: how long it may run, above 0.

    Returns:
      Of `tune`: what the tuner returns, or None if the limit ended it.

    Raises:
      BudgetError: `seconds` is not a finite number above 0.
      TunerError: `tuner` has no `tune`.
    """

    tuner: Any
    seconds: float

    def __post_init__(self) -> None:
        _check_tuner(self.tuner)
        _check_seconds("seconds", self.seconds)

    async def tune(self, ask: Ask) -> Any:
        try:
            async with ask.limited(seconds=self.seconds):
                return await self.tuner.tune(ask)
        except LimitReached:
            return None

    def record(self) -> dict[str, Any]:
        return {"tuner": "Deadline", "seconds": self.seconds, "of": record_of(self.tuner)}


def _check_tuner(tuner: Any) -> None:
    if isinstance(tuner, type) or not callable(getattr(tuner, "tune", None)):
        raise TunerError(f"a limit is put around a tuner, such as GridSearch(space, until=10), not {tuner!r}")


def _check_seconds(name: str, seconds: Any) -> None:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds < math.inf:
        raise BudgetError(f"{name} must be a number above 0, not {seconds!r}")
