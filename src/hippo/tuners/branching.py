"""Branches of one training state: forked with other values, trained for a short while, compared by speed, and freed.

This module refuses to know who proposes the values, and how long a branch should be trained.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hippo.errors import TunerError, UnknownMetricError, did_you_mean
from hippo.hparams import Config
from hippo.records import Answer
from hippo.tuners.ask import Ask, Proposal
from hippo.tuners.convergence import DIVERGED, Convergence, summarize
from hippo.tuners.exploring import Lineage

#: steps by which it is learned what a step costs with values that were not seen before
CALIBRATION_STEPS = 5
#: nothing is infinitely fast
LEAST_SECONDS = 1e-9


@dataclass(slots=True, kw_only=True, eq=False)
class Branch:
    """A config that leaves its parent's path at one step, and what it has trained since."""

    #: in order of proposal, from 0 in each search
    number: int
    #: the values of the tunables, as they were proposed
    setting: Config
    lineage: Lineage
    #: how often the same setting was proposed; all but the first are answered by this branch
    num_proposed: int = 1
    #: what `train` said in each step since the fork
    losses: list[float] = field(default_factory=list)
    #: the trainer raised
    has_failed: bool = False
    is_freed: bool = False

    @property
    def steps(self) -> int:
        """How many steps it has trained since the fork."""
        return len(self.losses)


class SettingCosts:
    """What a step costs: one step, or the median of the seconds that steps with the same values have taken.

    One branch's own seconds would tell how busy the machine was, and not what the setting costs.

    Args:
      names: tunables that change what a step costs; None: time is counted in steps.
    """

    def __init__(self, names: Sequence[str] | None) -> None:
        self._names = names
        self._seconds: dict[tuple[str, ...], list[float]] = {}

    def is_known(self, setting: Config) -> bool:
        """Tell whether steps with these values were seen."""
        return self._names is None or self._key(setting) in self._seconds

    def note(self, setting: Config, seconds: Mapping[int, float], steps: Iterable[int]) -> None:
        """Learn from steps that were trained.

        Raises:
          TunerError: whoever trains does not say how long steps take.
        """
        if self._names is None:
            return
        noted = self._seconds.setdefault(self._key(setting), [])
        for step in steps:
            if step not in seconds:
                raise TunerError(f"nobody says how long step {step} took; compare branches by time='steps'")
            noted.append(seconds[step])

    def of(self, setting: Config) -> float:
        """Return what a step costs; of a setting whose first steps have all failed, nothing is known but 1."""
        seconds = [] if self._names is None else self._seconds.get(self._key(setting), [])
        return max(statistics.median(seconds), LEAST_SECONDS) if seconds else 1.0

    def _key(self, setting: Config) -> tuple[str, ...]:
        assert self._names is not None
        return tuple(setting[name].key if name in setting else "" for name in self._names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trunk:
    """Where the branches of one search begin."""

    #: the live path; None: there is none yet, and a branch begins with a newly initialised state
    parent: Lineage | None
    #: after how many steps
    at: int
    #: loss of the state there; None: it is not known
    start: float | None
    #: steps that no branch may exceed, counted from here
    most_steps: int
    #: values that are not tuned
    fixed: Config

    def fork(self, setting: Config) -> Lineage:
        """Return the path that leaves with these values; the parent itself if they are those in force."""
        if self.parent is None:
            return Lineage.begin(Config({**self.fixed, **setting}))
        return self.parent.switch(at=self.at, values=setting)


class Branches:
    """Trains branches from one trunk, and says how they converge.

    Args:
      ask: of whom they are asked, without evaluations, and with states that stay in memory.
      trunk: where they begin.
      progress: name of the loss that `train` returns.
      windows: into which losses are averaged.
      costs: what a step costs.
    """

    def __init__(self, ask: Ask, trunk: Trunk, *, progress: str, windows: int, costs: SettingCosts) -> None:
        self._ask = ask
        self.trunk = trunk
        self._progress = progress
        self._windows = windows
        self._costs = costs
        self._first_losses: list[float] = []
        #: those that were trained, and are not freed
        self._seen: list[Branch] = []

    async def run(self, branches: Iterable[Branch], time: float) -> None:
        """Train branches until each of them has run for a time; those that failed, or have, are left as they are.

        Args:
          branches: in the order in which they are asked for.
          time: since the fork, in steps or seconds; what it comes to is rounded up to whole steps, at least as many as
            there are windows.
        """
        listed = list(branches)
        self._show(listed)
        unseen = [branch for branch in listed if not self._costs.is_known(branch.setting)]
        await self._train({branch: min(CALIBRATION_STEPS, self.trunk.most_steps) for branch in unseen})
        await self._train({branch: self._steps_within(time, branch) for branch in listed})

    def time_of(self, branch: Branch) -> float:
        """Return for how long a branch has run."""
        return branch.steps * self._costs.of(branch.setting)

    def is_at_bound(self, branch: Branch) -> bool:
        """Tell whether a branch may not go on."""
        return branch.has_failed or branch.steps >= self.trunk.most_steps

    def convergence(self, branch: Branch) -> Convergence:
        """Return how a branch converges."""
        if branch.has_failed or not branch.losses:
            return DIVERGED
        start = self.trunk.start
        if start is None:
            # Settings that blow up at once do so in their first step. The smallest first loss is that of a branch which
            # did not, and what falls below it has made progress.
            start = min((loss for loss in self._first_losses if math.isfinite(loss)), default=None)
        return summarize(branch.losses, self.time_of(branch), start=start, windows=self._windows)

    def speed(self, branch: Branch) -> float:
        """Return how fast a branch converges, 0 if it does not."""
        return self.convergence(branch).speed

    def free(self, branch: Branch) -> None:
        """Give a branch up; the path that it left stays."""
        if not branch.is_freed:
            branch.is_freed = True
            if branch.lineage != self.trunk.parent:  # a branch with the values in force is its parent
                self._ask.release(branch.lineage.config)

    def _show(self, listed: Sequence[Branch]) -> None:
        """Say which branches are about to be trained."""
        self._seen = [branch for branch in dict.fromkeys([*self._seen, *listed]) if not branch.is_freed]
        if not listed:
            return
        best = max((self.speed(branch) for branch in self._seen if branch.losses), default=0.0)
        so_far = f", best speed {best:.3g}" if best else ""
        self._ask.show(f"live path at step {self.trunk.at}, branch {listed[-1].number + 1}{so_far}")

    def _steps_within(self, time: float, branch: Branch) -> int:
        return min(max(math.ceil(time / self._costs.of(branch.setting)), self._windows), self.trunk.most_steps)

    async def _train(self, steps: Mapping[Branch, int]) -> None:
        asked = [branch for branch, goal in steps.items() if not branch.has_failed and branch.steps < goal]
        answers = await self._ask.together(self._proposal(branch, steps[branch]) for branch in asked)
        for branch, answer in zip(asked, answers, strict=True):
            self._take_in(branch, answer)

    def _proposal(self, branch: Branch, steps: int) -> Proposal:
        return Proposal(
            config=branch.lineage.config,
            until=self.trunk.at + steps,
            is_extension=True,  # trials are complete that came as far as the live path
            comes_alone=True,
            evaluate=False,
            is_transient=True,
        )

    def _take_in(self, branch: Branch, answer: Answer) -> None:
        if answer.failure is not None:
            branch.has_failed = True
            self._costs.note(branch.setting, {}, [])
            return
        begin, end = self.trunk.at + branch.steps, answer.step
        if not branch.losses:
            self._first_losses.append(loss_of(answer, begin + 1, self._progress))
        self._costs.note(branch.setting, answer.step_seconds, range(begin + 1, end + 1))
        branch.losses += [loss_of(answer, step, self._progress) for step in range(begin + 1, end + 1)]


def loss_of(answer: Answer, step: int, progress: str) -> float:
    """Return the loss that `train` returned in a step.

    Raises:
      UnknownMetricError: it returned none of that name, or no number; says which there are.
    """
    told: Mapping[str, Any] = answer.train_metrics[step]
    if progress not in told:
        hint = did_you_mean(progress, told) if told else ""
        raise UnknownMetricError(
            f"train() of the study's trainer returned no {progress!r} in step {step}, "
            + (f"only {sorted(told)}; say which of them is its loss: progress=...{hint}" if told else "but nothing; ")
            + ("" if told else f"let it return {{{progress!r}: its mean loss}}, by which branches are compared")
        )
    return float(told[progress])
