"""Which settings of the tunables a search tries: a sampler's, which learns from their speeds, or those of a grid."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from hippo.errors import TunerError
from hippo.hparams import Config, Distribution, RandomSearchSpace
from hippo.hparams.templates import Choice, is_open
from hippo.records import Answer
from hippo.tuners.ask import Ask
from hippo.tuners.branching import Branch, Branches
from hippo.tuners.convergence import has_settled
from hippo.tuners.number_lines import line_of
from hippo.tuners.proposals import Proposer
from hippo.tuners.sampled import Sampled

#: points that a grid has of each range (Cui et al. 2018, section 5.1.1)
GRID_POINTS = 11
#: to a sampler, a speed of a branch that may still be trained on stands at the first of these steps, and its last one
#: at the second: before that the trial counts as pruned
UNFINISHED, FINISHED = 1, 2


class ProposedSettings:
    """The settings of one search: proposed, forked, and told to who proposes them.

    Args:
      proposer: who proposes.
      branches: made of them.
      most: how many may be proposed.
      may_settle: whether to end when the five best speeds are within 10 % of each other.
    """

    def __init__(self, proposer: Proposer, branches: Branches, *, most: int, may_settle: bool) -> None:
        self._proposer = proposer
        self._branches = branches
        self._most = most
        self._may_settle = may_settle
        self._tried: dict[Config, Branch] = {}
        #: how many were proposed, each as often as it was
        self.num_proposed = 0

    def fork(self, count: int) -> list[Branch]:
        """Return new branches of the next settings: `count`, less if there are no more, none if the search has settled.

        A setting that was tried before is counted, and its speed told again, and nothing is trained for it.
        """
        new: list[Branch] = []
        while len(new) < count and not self._is_over():
            setting = self._proposer.propose()
            if setting is None:
                break
            self.num_proposed += 1
            known = self._tried.get(setting)
            if known is None:
                new.append(self._forked(setting))
            else:
                known.num_proposed += 1
                if known not in new:
                    self._tell(known, known.num_proposed - 1, FINISHED)
        return new

    def report(self, branch: Branch, *, is_over: bool) -> None:
        """Tell the proposer how fast a branch is; it may be told again until it is over."""
        for occurrence in range(branch.num_proposed):
            self._tell(branch, occurrence, FINISHED if is_over else UNFINISHED)

    @property
    def tried(self) -> list[Branch]:
        """All branches so far, in order of proposal."""
        return list(self._tried.values())

    def _forked(self, setting: Config) -> Branch:
        lineage = self._branches.trunk.fork(setting)
        branch = Branch(number=len(self._tried), setting=setting, lineage=lineage)
        self._tried[setting] = branch
        return branch

    def _is_over(self) -> bool:
        if self.num_proposed >= self._most:
            return True
        speeds = (self._branches.speed(branch) for branch in self._tried.values() for _ in range(branch.num_proposed))
        return self._may_settle and has_settled(speeds)

    def _tell(self, branch: Branch, occurrence: int, step: int) -> None:
        loss = 0.0 - self._branches.speed(branch)
        self._proposer.tell(
            Answer(
                config=branch.setting,
                step=step,
                trial=branch.number,
                metrics={},
                losses=(loss,),
                occurrence=occurrence,
            )
        )


def start_settings(
    space: RandomSearchSpace, sampler: Any, options: Mapping[str, Any], ask: Ask, *, seed: int
) -> Proposer:
    """Return a new proposer of settings; `sampler` is what `Sampled` takes, or "grid"."""
    if sampler == "grid":
        return _GridOfSettings(space, seed)
    return Sampled(sampler, space, options).start(ask, num_trials=None, until=FINISHED, seed=seed)


def count_grid(space: RandomSearchSpace) -> int:
    """Return how many settings a grid has, before a filter.

    Raises:
      TunerError: a distribution has no ends.
    """
    count = 1
    for name, entry in space.hparams.items():
        count *= len(_points(name, entry))
    return count


class _GridOfSettings:
    """Eleven points of each range, every option of each choice, in an order that a seed decides."""

    def __init__(self, space: RandomSearchSpace, seed: int) -> None:
        import numpy as np

        settings = [setting for setting in _grid(space) if space.allows(setting)]
        self._settings = iter([settings[i] for i in np.random.default_rng(seed).permutation(len(settings))])

    def propose(self) -> Config | None:
        return next(self._settings, None)

    def tell(self, answer: Answer) -> None:
        """Learn nothing."""


def _grid(space: RandomSearchSpace) -> Iterator[Config]:
    points = [_points(name, entry) for name, entry in space.hparams.items()]
    return (Config(dict(zip(space.hparams, values, strict=True))) for values in itertools.product(*points))


def _points(name: str, entry: Any) -> list[Any]:
    """Return what a grid takes of one entry of a space.

    Raises:
      TunerError: it is a distribution without ends, or a sequence with one inside.
    """
    if isinstance(entry, Choice) and not any(map(is_open, entry.options)):
        return list(entry.options)
    if not is_open(entry):
        return [entry]
    line = line_of(entry) if isinstance(entry, Distribution) else None
    if line is None:
        raise TunerError(
            f"sampler='grid' takes {GRID_POINTS} points between two ends, which {name}={entry!r} has not; write "
            "uniform, loguniform or choice, or take another sampler"
        )
    # a set: an integer range may have less numbers than points
    return sorted({line.from_unit(i / (GRID_POINTS - 1)) for i in range(GRID_POINTS)})
