"""Who was promoted, stopped or waits at each step to which a tuner asks, as ASHA and Hyperband do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from hippo.records import TrialState


class Standing(Protocol):
    """A trial, as far as it decides who stands where."""

    @property
    def number(self) -> int:
        """Its number in the study."""

    @property
    def call(self) -> int:
        """Which call of a tuner it belongs to."""

    @property
    def until(self) -> int:
        """The largest step asked for."""

    @property
    def state(self) -> TrialState:
        """Where it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RungStanding:
    """The trials of one call that were asked as far as a step: each is in one of the five groups."""

    #: of a tuner
    call: int
    step: int
    #: numbers of those that were asked for more
    promoted: tuple[int, ...]
    #: that the tuner ended here: with their last step answered, and not
    complete: tuple[int, ...]
    stopped: tuple[int, ...]
    #: that have this far to go, or wait here for the tuner
    waiting: tuple[int, ...]
    failed: tuple[int, ...]

    @property
    def asked(self) -> int:
        """How many there are."""
        return sum(map(len, (self.promoted, self.complete, self.stopped, self.waiting, self.failed)))


def rungs(trials: Iterable[Standing]) -> list[RungStanding]:
    """Return where the trials of each call stand, by call and step; calls that ask all trials equally far have none.

    A rung is a step that is the last one asked for of some trial of the call. The rungs of a Hyperband's brackets are
    those of its one call.

    Args:
      trials: of one study.
    """
    calls: dict[int, list[Standing]] = {}
    for trial in sorted(trials, key=lambda trial: trial.number):
        if trial.until:
            calls.setdefault(trial.call, []).append(trial)
    found: list[RungStanding] = []
    for call, own in sorted(calls.items()):
        steps = sorted({trial.until for trial in own})
        if len(steps) > 1:
            found += [_standing(call, step, own) for step in steps]
    return found


def _standing(call: int, step: int, trials: Iterable[Standing]) -> RungStanding:
    groups: dict[str, list[int]] = {name: [] for name in ("promoted", "complete", "stopped", "waiting", "failed")}
    ended = {TrialState.COMPLETE: "complete", TrialState.PRUNED: "stopped", TrialState.FAIL: "failed"}
    for trial in trials:
        if trial.until >= step:
            groups["promoted" if trial.until > step else ended.get(trial.state, "waiting")].append(trial.number)
    return RungStanding(call=call, step=step, **{name: tuple(numbers) for name, numbers in groups.items()})
