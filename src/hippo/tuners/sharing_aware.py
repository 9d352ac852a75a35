"""Sharing-aware proposals: among several candidates, the one that promises most for each step still to be trained.

A config whose beginning is trained already costs only its end. A sampler does not know that; this puts values of
earlier trials into what it proposes, and weighs what each promises against what it would cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config
from hippo.records import Answer
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_steps
from hippo.tuners.improvement import Improvement
from hippo.tuners.sampled import Sampled, SamplerProposer, Suggestion

if TYPE_CHECKING:
    from hippo.tuners.optuna_space import Params


@accept_names
@dataclass(frozen=True)
class SharingAware:
    """A sampler's space in which what is trained already makes a config cheap: `ASHA(SharingAware(...), ...)`.

    The idea, expected improvement per unit of cost where earlier stages are remembered, is EEIPU's (Essofi et al.
    2024, "Reducing Hyperparameter Tuning Costs in ML, Vision and Language Model Training Pipelines via
    Memoization-Awareness"); that the cost counts less and less as the budget is used up, CArBO's (Lee et al. 2020,
    "Cost-aware Bayesian Optimization"). Deviations: the cost is known, not modelled: the steps that no study has
    trained or asked for (`Ask.uncovered`); the improvement is TPE's (`hippo.tuners.improvement`), whatever the sampler.

    The first candidate is the sampler's proposal. The others are grafts: the same with some values of an earlier
    trial, a better one more often. Until ten trials were answered the sampler's proposal is taken as it is.

    Args:
      sampled: the sampler and its space.
      candidates: how many to compare, at least 2. More of them share more, and look less far afield.
      cost_power: a candidate's improvement is divided by its steps to this power, which falls to 0 with the last of
        `num_trials`: 1 is improvement per step, 0 leaves the cost aside.

    Raises:
      BudgetError: `candidates` is not an integer of at least 2, or `cost_power` is negative.
    """

    sampled: Sampled
    candidates: int = 5
    cost_power: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.sampled, Sampled):
            raise TunerError(
                f'SharingAware takes a sampler and its space, Sampled("tpe", space), not {self.sampled!r}.'
            )
        check_steps("candidates", self.candidates, at_least=2)
        power: Any = self.cost_power  # whatever was given
        if not isinstance(power, int | float) or not 0 <= power < math.inf:
            raise BudgetError(f"cost_power must be a number of at least 0, not {self.cost_power!r}")

    def start(self, ask: Ask, *, num_trials: int | None, until: int, seed: int) -> SharingAwareProposer:
        """Return a new proposer."""
        proposer = self.sampled.start(ask, num_trials=num_trials, until=until, seed=seed)
        return SharingAwareProposer(self, ask, proposer, num_trials=num_trials, until=until, seed=seed)


class SharingAwareProposer:
    """Takes the best of several suggestions of a sampler, for their price."""

    def __init__(
        self,
        space: SharingAware,
        ask: Ask,
        proposer: SamplerProposer,
        *,
        num_trials: int | None,
        until: int,
        seed: int,
    ) -> None:
        self._space = space
        self._ask = ask
        self._proposer = proposer
        self._num_trials = num_trials
        self._until = until
        self._seed = seed
        self._improvement = Improvement(proposer.space)
        #: the values of every config that was proposed, in their order
        self._params: dict[Config, Params] = {}

    def propose(self) -> Config | None:
        """Return the next config, or None after `num_trials` of them."""
        if self._proposer.is_exhausted:
            return None
        chosen = self._chosen() if self._improvement.is_ready else self._proposer.suggestion()
        self._params.setdefault(chosen.config, chosen.params)
        return self._proposer.adopt(chosen)

    def tell(self, answer: Answer) -> None:
        """Learn from an answer."""
        self._proposer.tell(answer)
        self._improvement.learn(self._params[answer.config], answer)

    def _chosen(self) -> Suggestion:
        candidates = self._candidates()
        worth = [self._worth(candidate) for candidate in candidates]
        return candidates[worth.index(max(worth))]  # the first of equals: the sampler's own

    def _candidates(self) -> list[Suggestion]:
        """Return the sampler's suggestion, and grafts on it that were not proposed before."""
        own = self._proposer.suggestion()
        grafts = (self._graft(own, number) for number in range(self._space.candidates - 1))
        # what was proposed before would cost nothing, and teach nothing
        return [own, *(graft for graft in grafts if graft is not None and graft.config not in self._params)]

    def _graft(self, suggestion: Suggestion, number: int) -> Suggestion | None:
        """Return the suggestion with some values of an earlier trial in it; better ones are chosen more often."""
        import numpy as np

        rng = np.random.default_rng((self._seed, self._proposer.num_proposed, number))
        ranked = self._improvement.promise.best_first
        donor = dict(ranked[min(int(rng.exponential(len(ranked) / 4)), len(ranked) - 1)])
        names = sorted(donor)
        count = int(rng.integers(1, max(2, len(names))))
        taken = sorted(rng.choice(len(names), size=count, replace=False).tolist())
        return self._proposer.graft(suggestion, donor, [names[i] for i in taken])

    def _worth(self, suggestion: Suggestion) -> float:
        """Return log(improvement / steps^power)."""
        steps = max(1, self._ask.uncovered(suggestion.config, self._until))
        return self._improvement.promise.log_of(suggestion.params) - self._power() * math.log(steps)

    def _power(self) -> float:
        if self._num_trials is None:
            return self._space.cost_power
        return self._space.cost_power * (1 - self._proposer.num_proposed / self._num_trials)
