"""Which trials are best: the one, or, with several objectives, those that no other one dominates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from hippo.errors import HippoError, OptionError, listed
from hippo.plan import Among, Known, Moment, TrialRow
from hippo.records import ComparedTrial, TrialState, may_be_best
from hippo.tuners.budgets import plain_integer
from hippo.tuners.ranking import dominates


class Numbered(Protocol):
    """A trial."""

    @property
    def number(self) -> int:
        """Its number in the study."""


class Judged(Numbered, Protocol):
    """A trial, with all that decides how good it is."""

    @property
    def losses(self) -> tuple[float, ...]:
        """Its objectives, signs turned so that smaller is better."""

    @property
    def violation(self) -> float:
        """By how much it breaks the study's constraints; 0 if it keeps them."""


class Asked(ComparedTrial, Protocol):
    """A trial, with all that decides whether it is compared with others."""

    @property
    def values(self) -> tuple[float, ...] | None:
        """Its objectives; None while there are none."""


N = TypeVar("N", bound=Numbered)
T = TypeVar("T", bound=Judged)
A = TypeVar("A", bound=Asked)


class NoBestTrialError(HippoError, ValueError):
    """No trial is the best one."""


#: of trials that are named where one is asked for that is not there
_MOST_NUMBERS = 10


def trial_numbered(number: int, trials: Iterable[N], said: str) -> N:
    """Return the trial of this number.

    Args:
      number: its number in the study.
      trials: all that there are.
      said: what messages call the study.

    Raises:
      OptionError: there is none; the message says which there are.
    """
    number = plain_integer(number)
    found = {trial.number: trial for trial in trials}
    if type(number) is int and number in found:
        return found[number]
    numbers = sorted(found)
    if not numbers:
        known = "it has no trial yet"
    elif len(numbers) > 1 and numbers == list(range(len(numbers))):
        known = f"its trials are 0 to {numbers[-1]}"
    else:  # of the target of surrogates: few of all there are
        known = f"its trials are {listed([str(each) for each in numbers], _MOST_NUMBERS)}"
    raise OptionError(f"{said} has no trial {number!r}; {known}")


def comparable(trials: Sequence[A]) -> list[A]:
    """Return the trials that may be the best: complete ones, and the furthest of calls that did not end."""
    counted = may_be_best((trial.state, trial.step, trial.call) for trial in trials)
    return [trial for trial, is_counted in zip(trials, counted, strict=True) if is_counted and trial.values is not None]


def candidates(rows: Iterable[TrialRow]) -> list[int]:
    """Return the numbers of the trials one of which is the best, for a study with one objective and no constraints.

    A row holds a loss only if it is finite. So those of the rows that are compared and hold none are candidates, too:
    who has their metrics can tell a loss that is not finite from one that there is not.
    """
    listed = list(rows)
    counted = may_be_best((TrialState(row.state), row.step, row.call) for row in listed)
    compared = [row for row, is_counted in zip(listed, counted, strict=True) if is_counted]
    finite = [(row.loss, row.number) for row in compared if row.loss is not None]
    return sorted([row.number for row in compared if row.loss is None] + ([min(finite)[1]] if finite else []))


def best_rows(rows: Moment, study: int, member: str) -> list[int]:
    """Return what `candidates` of all trials of one member of a study does, asked of a store."""
    own: dict[str, Any] = {"study": study, "member": member}
    complete: dict[str, Any] = {**own, "state": TrialState.COMPLETE.value}
    first = rows.columns(TrialRow, ("loss", "number"), order=("loss", "number"), limit=1, loss=Known(), **complete)
    unknown = rows.columns(TrialRow, ("number",), loss=None, **complete)
    waiting = Among((TrialState.PAUSED.value, TrialState.RUNNING.value))
    by = ("state", "call", "step")
    groups = [_Group(*found) for found in rows.totals(TrialRow, by, "loss", state=waiting, **own)]
    counted = may_be_best((TrialState(group.state), group.step, group.call) for group in groups)
    furthest = [group for group, is_counted in zip(groups, counted, strict=True) if is_counted]
    least = min((group.least for group in furthest if group.least is not None), default=None)
    for group in furthest:
        if least is not None and group.least == least:
            first += [(least, number) for number in group.numbers(rows, own, loss=least, limit=1)]
        if group.known < group.size:
            unknown += [(number,) for number in group.numbers(rows, own, loss=None)]
    return sorted([number for (number,) in unknown] + [number for _, number in sorted(first)[:1]])


class _Group(NamedTuple):
    """Trials of a call that stand at the same step, in the same state."""

    state: str
    call: int
    step: int
    size: int
    #: of how many the loss is known
    known: int
    total: float
    least: float | None

    def numbers(
        self, rows: Moment, own: Mapping[str, Any], *, loss: float | None, limit: int | None = None
    ) -> list[int]:
        """Return the numbers of those with a loss, the smallest first; `own` says of which study and member."""
        of_these: dict[str, Any] = {
            **own,
            "state": self.state,
            "call": self.call,
            "step": self.step,
            "loss": loss,
        }
        found = rows.columns(TrialRow, ("number",), order=("number",), limit=limit, **of_these)
        return [number for (number,) in found]


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
    # In this order a trial is dominated only by one before it, and then by one of the front: to be dominated is handed
    # on. So each is compared with the front alone.
    front: list[T] = []
    for trial in sorted(good, key=lambda trial: trial.losses):
        if not any(dominates(other.losses, trial.losses) for other in front):
            front.append(trial)
    return sorted(front, key=lambda trial: trial.number)
