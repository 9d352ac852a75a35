"""Which trials are best: the one, or, with several objectives, those that no other one dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from hippo.errors import HippoError
from hippo.records import TrialState, may_be_best
from hippo.tuners.ranking import dominates


class Judged(Protocol):
    """A trial, with all that decides how good it is."""

    @property
    def number(self) -> int:
        """Its number in the study."""

    @property
    def losses(self) -> tuple[float, ...]:
        """Its objectives, signs turned so that smaller is better."""

    @property
    def violation(self) -> float:
        """By how much it breaks the study's constraints; 0 if it keeps them."""


class Asked(Protocol):
    """A trial, with all that decides whether it is compared with others."""

    @property
    def state(self) -> TrialState:
        """Where it stands."""

    @property
    def step(self) -> int:
        """Steps that were answered."""

    @property
    def call(self) -> int:
        """Which call of a tuner it belongs to."""

    @property
    def values(self) -> tuple[float, ...] | None:
        """Its objectives; None while there are none."""


T = TypeVar("T", bound=Judged)
A = TypeVar("A", bound=Asked)


class NoBestTrialError(HippoError, ValueError):
    """No trial is the best one."""


def comparable(trials: Sequence[A]) -> list[A]:
    """Return the trials that may be the best: complete ones, and the furthest of calls that did not end."""
    counted = may_be_best((trial.state, trial.step, trial.call) for trial in trials)
    return [trial for trial, is_counted in zip(trials, counted, strict=True) if is_counted and trial.values is not None]


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
