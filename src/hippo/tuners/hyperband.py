"""Hyperband: successive halving in several brackets, from many trials on short budgets to few on full ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.errors import BudgetError, TunerError, did_you_mean
from hippo.hparams import Config
from hippo.records import Answer
from hippo.saying import warn_caller
from hippo.tuners.aliases import accept_ray_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_seed, check_steps
from hippo.tuners.extension import check_extension, train_on
from hippo.tuners.proposals import Space, SpaceLike, adopt_space, check_shuffle, check_space, start_proposing
from hippo.tuners.ranking import best, check_ties
from hippo.tuners.rungs import NewTrials, count_of, fill_rung, learns, listed, together
from hippo.tuners.successive_halving import halve
from hippo.tuners.tuner import Tuner, describe_tuner

HORIZONS = ("finite", "infinite")


@dataclass(frozen=True, slots=True)
class Bracket:
    """One run of successive halving: how many trials get how far."""

    #: (where the rung ends in steps, how many trials are trained to it): steps ascending, numbers descending
    rungs: tuple[tuple[int, int], ...]

    @property
    def num_trials(self) -> int:
        """How many trials it begins with (the paper's n)."""
        return self.rungs[0][1]

    def shrunk_to(self, num_trials: int, reduction: int) -> Bracket:
        """Return the bracket with the same rungs and fewer trials, of which at least one gets to the end."""
        rungs = enumerate(self.rungs)
        return Bracket(tuple((step, max(1, num_trials // reduction**number)) for number, (step, _) in rungs))


def hyperband_brackets(max_steps: int, reduction: int = 3, *, min_steps: int = 1) -> list[Bracket]:
    """Return Hyperband's brackets, the most aggressive first.

    Li et al. 2018, "Hyperband: A Novel Bandit-Based Approach to Hyperparameter Optimization", Alg. 1.
    Deviation: rungs end at whole steps, rounded down; the paper leaves them real.

    Args:
      max_steps: what a survivor may use (the paper's R), at least 1.
      reduction: at least 2 (eta).
      min_steps: no rung ends before; the paper's is 1.

    Raises:
      BudgetError: a number is out of its bounds.
    """
    _check_bounds(min_steps, max_steps, reduction)
    R, eta = max_steps, reduction
    s_max = _largest_power(R // min_steps, eta)
    brackets = []
    for s in range(s_max, -1, -1):
        n = -(-(s_max + 1) * eta**s // (s + 1))  # B / R = s_max + 1; rounded up
        brackets.append(Bracket(tuple((R // eta ** (s - i), n // eta**i) for i in range(s + 1))))
    return brackets


def infinite_hyperband_brackets(max_steps: int, reduction: int = 2, *, min_steps: int = 1) -> list[Bracket]:
    """Return the brackets of Hyperband with infinite horizon, in the order of their budgets.

    Li et al. 2018, section 5: for budgets B = 2, 4, 8, ... one run of successive halving for each n = 2, 4, 8, ... that
    leaves each trial at least one step. The rungs of a run get equal shares of its budget.
    Deviations: the paper's 2 may be another `reduction`; trials go on from their states, where the paper pays again for
    what they had, so that a run costs less than B; and brackets that would train beyond `max_steps` are left out, which
    makes an end.

    Args:
      max_steps: no rung ends beyond.
      reduction: at least 2.
      min_steps: the unit of the budget; rungs end at multiples of it.

    Raises:
      BudgetError: a number is out of its bounds.
    """
    _check_bounds(min_steps, max_steps, reduction)
    brackets: list[Bracket] = []
    for k in itertools.count(1):
        found = [b for b in _infinite_round(k, reduction, min_steps) if b.rungs[-1][0] <= max_steps]
        if not found:  # the shortest of a round is never shorter than that of the round before
            return brackets
        brackets += found
    raise AssertionError("unreachable")


def _infinite_round(k: int, eta: int, unit: int) -> Iterator[Bracket]:
    """Yield the brackets of budget eta^k: n = eta^s trials each, for every s with k - s >= log(s)."""
    for s in range(1, k + 1):
        if s * eta**s <= eta**k:
            yield Bracket(tuple((unit * (eta**k // (eta ** (s - i) * s)), eta ** (s - i)) for i in range(s)))


def _check_bounds(min_steps: int, max_steps: int, reduction: int) -> None:
    check_steps("min_steps", min_steps)
    check_steps("max_steps", max_steps)
    check_steps("reduction", reduction, at_least=2)
    if min_steps > max_steps:
        raise BudgetError(f"min_steps={min_steps} is above max_steps={max_steps}; swap them, or lower min_steps")


def _largest_power(ratio: int, base: int) -> int:
    """Return the largest s with base^s <= ratio, counted with integers."""
    s = 0
    while base ** (s + 1) <= ratio:
        s += 1
    return s


@accept_ray_names
@dataclass(frozen=True)
class Hyperband(Tuner):
    """Runs successive halving in brackets that differ in how soon they drop a trial, and takes the best of all.

    Li et al. 2018, "Hyperband: A Novel Bandit-Based Approach to Hyperparameter Optimization"; see
    `hyperband_brackets` and `infinite_hyperband_brackets`.

    Brackets run side by side, each at its own pace: the last rungs of one, which keep few slots busy, overlap with the
    first of another, and each has a chain of `max_steps` steps. A rung's requests are made together, so that within a
    bracket nothing runs twice; between brackets a few steps may, where one had passed a branch before the other came to
    it (in turn that is no rarer). Where the space learns they do run in turn, so that later ones know more. A
    collection of configs is dealt to them in a random order.

    Args:
      space: a `RandomSearchSpace`, a space that learns, or a collection of configs.
      max_steps: what a survivor may use (the paper's R; Ray Tune: `max_t`).
      reduction: at least 2 (eta, `reduction_factor`).
      min_steps: no rung ends before (`grace_period`).
      num_trials: how many configs to take; None: as many as the brackets want. With fewer, all brackets shrink alike;
        more are not taken, with a warning.
      horizon: "finite", or "infinite": budgets that double, for when it is unknown how many steps are enough.
      seed: of draws and of dealing.
      shuffle: False deals a collection to the brackets in its own order.
      ties: see `hippo.tuners.ranking.order`.
      extra_steps: steps that the best trial is trained beyond its last.

    Raises:
      BudgetError: a number is out of its bounds, or there are fewer configs than brackets.
      TunerError: `horizon` or `ties` is unknown.
    """

    needs_metric: ClassVar[bool] = True

    space: Space
    max_steps: int
    reduction: int = 3
    min_steps: int = 1
    _: KW_ONLY
    num_trials: int | None = None
    horizon: str = "finite"
    seed: int = 0
    shuffle: bool | None = None
    ties: str = "first"
    extra_steps: int = 0

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            space: SpaceLike,
            max_steps: int = ...,
            reduction: int = ...,
            min_steps: int = ...,
            *,
            num_trials: int | None = ...,
            horizon: str = ...,
            seed: int = ...,
            shuffle: bool | None = ...,
            ties: str = ...,
            extra_steps: int = ...,
            grace_period: int = ...,
            max_t: int = ...,
            reduction_factor: int = ...,
            n_trials: int | None = ...,
            num_samples: int | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        if self.horizon not in HORIZONS:
            near = did_you_mean(str(self.horizon), HORIZONS)
            raise TunerError(f"horizon must be one of {list(HORIZONS)}, not {self.horizon!r}.{near}")
        wanted = sum(bracket.num_trials for bracket in self._full_brackets())
        adopt_space(self)
        check_seed(self.seed)
        check_shuffle(self.shuffle)
        check_space(self.space, wanted if self.num_trials is None else self.num_trials)
        check_ties(self.ties)
        check_extension(self.extra_steps, speculate=False)
        count = sum(bracket.num_trials for bracket in self.brackets())
        if count < wanted and self.num_trials is None:
            warn_caller(
                f"the brackets of Hyperband want {wanted} trials, and the space has {count} configs: each bracket "
                "begins with fewer, in proportion",
            )
        if count == wanted and self.num_trials is not None and self.num_trials > wanted:
            warn_caller(
                f"the brackets of Hyperband take {wanted} trials, and not num_trials={self.num_trials}: for more raise "
                "max_steps, or lower min_steps or reduction; or run it again with another seed",
            )

    def brackets(self) -> list[Bracket]:
        """Return the brackets that are run: the paper's, or smaller ones where there are fewer configs."""
        full = self._full_brackets()
        ends = list(itertools.accumulate(bracket.num_trials for bracket in full))
        count = count_of(self.space, self.num_trials)
        if count is None or count >= ends[-1]:
            return full
        if count < len(full):
            raise BudgetError(
                f"Hyperband has {len(full)} brackets with max_steps={self.max_steps}, min_steps={self.min_steps} and "
                f"reduction={self.reduction}, and {count} configs to begin them with; give more configs, raise "
                "min_steps or reduction, or take SuccessiveHalving"
            )
        spare = count - len(full)  # one for each bracket, the rest in proportion
        shares = [-(-spare * end // ends[-1]) for end in ends]  # rounded up
        sizes = [1 + share - before for share, before in zip(shares, [0, *shares], strict=False)]
        return [bracket.shrunk_to(size, self.reduction) for bracket, size in zip(full, sizes, strict=True)]

    def record(self) -> dict[str, Any]:
        described = describe_tuner(self)
        del described["shuffle"]
        return {**described, "shuffle": False} if self.shuffle is False else described

    async def tune(self, ask: Ask) -> Config:
        brackets = self.brackets()
        num_trials = sum(bracket.num_trials for bracket in brackets)
        last = max(bracket.rungs[-1][0] for bracket in brackets)
        proposer = start_proposing(self._dealt_space(), ask, num_trials=num_trials, until=last, seed=self.seed)
        trials = NewTrials(proposer)
        if learns(self.space):
            winners = [await self._run(ask, bracket, trials) for bracket in brackets]
        else:
            winners = await together(self._run(ask, bracket, trials) for bracket in brackets)
        winner = best(winners, winners, keep=1, ties=self.ties)[0]
        await train_on(ask, winner, self.extra_steps)
        return winner.config

    async def _run(self, ask: Ask, bracket: Bracket, trials: NewTrials) -> Answer:
        """Run one bracket, and return the last answer about its best trial."""
        first, *others = bracket.rungs
        # with an infinite horizon brackets end early, and equal configs of other brackets may go on from there
        final = self.horizon == "finite" and not self.extra_steps
        answers = await fill_rung(
            ask, trials, until=first[0], count=first[1], final=final and not others, late=learns(self.space)
        )
        return await halve(ask, answers, others, trials=trials, ties=self.ties, final=final)

    def _full_brackets(self) -> list[Bracket]:
        make = hyperband_brackets if self.horizon == "finite" else infinite_hyperband_brackets
        return make(self.max_steps, self.reduction, min_steps=self.min_steps)

    def _dealt_space(self) -> Space:
        """Return the space, a collection in random order: neighbours are alike, and brackets should not be."""
        configs = listed(self.space)
        if configs is None or self.shuffle is False:
            return self.space
        import numpy as np

        known = list(configs)
        return [known[i] for i in np.random.default_rng(self.seed).permutation(len(known))]
