"""The values of a hyper-parameter over steps, as trials have them: trials that have equal ones are drawn once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hippo.hparams import Value
from hippo.study import Trial

#: points of a schedule: more than these cannot be told apart in a picture
MOST_POINTS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSchedule:
    """A hyper-parameter over steps."""

    name: str
    #: numbers of the trials that have it
    trials: tuple[int, ...]
    #: as its user wrote it
    written: str
    #: the steps at which values follow, the first one 0, and one behind the last step
    steps: tuple[int, ...]
    values: tuple[Value, ...]


def schedules(trials: Iterable[Trial], names: Iterable[str] | None = None) -> list[TrialSchedule]:
    """Return what each hyper-parameter is over the steps of each trial; equal ones of several trials once.

    Args:
      trials: as far as they were asked for.
      names: of hyper-parameters; None: those that change in a trial, or all, if none does.

    Raises:
      ValueError: no trial has such a hyper-parameter; names those that there are.
    """
    asked = [trial for trial in trials if trial.until]
    there = sorted({name for trial in asked for name in trial.config})
    if names is None:
        changing = {name for trial in asked for name in trial.config if _changes(trial, name)}
        wanted = [name for name in there if name in changing] or there
    else:
        wanted = list(names)
        if unknown := [name for name in wanted if name not in there]:
            raise ValueError(f"no trial has a hyper-parameter {unknown[0]!r}; there are: {', '.join(there)}")
    found: list[TrialSchedule] = []
    for name in wanted:
        groups: dict[tuple[str, int], list[Trial]] = {}
        for trial in asked:
            if name in trial.config:
                groups.setdefault((trial.config.sequence(name).key, trial.until), []).append(trial)
        found += [_schedule(name, group) for group in groups.values()]
    return found


def _changes(trial: Trial, name: str) -> bool:
    sequence = trial.config.sequence(name)
    pieces = [piece for _, piece in sequence.pieces(trial.until)]
    # one of ours that comes back to where it began has several pieces
    looked_at = _steps(trial.until) if pieces[0].kind == "custom" else [trial.until - 1]
    first = sequence(0)
    return len(pieces) > 1 or any(sequence(step) != first for step in looked_at)


def _steps(until: int) -> range:
    """Return the steps at which a sequence is looked at: all, if they are not too many."""
    return range(0, until, -(-until // MOST_POINTS))


def _schedule(name: str, trials: list[Trial]) -> TrialSchedule:
    sequence, until = trials[0].config.sequence(name), trials[0].until
    steps = sorted({*_steps(until), *(start for start, _ in sequence.pieces(until)), until - 1})
    values = [sequence(step) for step in steps]
    return TrialSchedule(
        name=name,
        trials=tuple(trial.number for trial in trials),
        written=repr(sequence),
        steps=(*steps, until),
        values=(*values, values[-1]),
    )
