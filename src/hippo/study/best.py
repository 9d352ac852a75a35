"""Which trials are best: the one, or, with several objectives, those that no other one dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from hippo.errors import HippoError
from hippo.tuners.ranking import dominates


class Judged(Protocol):
    """A complete trial, with all that decides how good it is."""

    @property
    def number(self) -> int:
        """Its number in the study."""

    @property
    def losses(self) -> tuple[float, ...]:
        """Its objectives, signs turned so that smaller is better."""

    @property
    def violation(self) -> float:
        """By how much it breaks the study's constraints; 0 if it keeps them."""


T = TypeVar("T", bound=Judged)


class NoBestTrialError(HippoError, ValueError):
    """No trial is the best one."""


def best_of(complete: Sequence[T], study: str) -> T:
    """Return the trial with the smallest loss that keeps the constraints, or breaks them least; ties go to the earlier.

    Raises:
      NoBestTrialError: there are several objectives.
    """
    if len(complete[0].losses) > 1:
        raise NoBestTrialError(
            f"study {study!r} has {len(complete[0].losses)} objectives, and no trial need be best in all of them; "
            "study.best_trials holds the Pareto front"
        )
    return min(complete, key=lambda trial: (trial.violation, trial.losses, trial.number))


def pareto_front(complete: Sequence[T]) -> list[T]:
    """Return the trials that keep the constraints and that no other one dominates."""
    good = [trial for trial in complete if not trial.violation]
    return [trial for trial in good if not any(dominates(other.losses, trial.losses) for other in good)]
