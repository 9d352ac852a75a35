"""BOHB: Hyperband whose configs come from a model of the largest budget that enough is known about."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.errors import SpaceError, TunerError
from hippo.hparams import Config, RandomSearchSpace
from hippo.records import Answer
from hippo.tuners.aliases import accept_ray_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_between, check_seed, check_steps
from hippo.tuners.hyperband import Bracket, Hyperband
from hippo.tuners.proposals import adopt_random_space
from hippo.tuners.ranking import order
from hippo.tuners.samplers import import_optuna
from hippo.tuners.tuner import Tuner

if TYPE_CHECKING:
    from numpy.random import Generator

    from hippo.tuners.optuna_space import OptunaSpace, Params

#: candidates that the ratio of the densities is compared at (the paper's N_s)
CANDIDATES = 64
#: proposals of the model that a filter may refuse before a config is drawn at random
MAX_REFUSED = 20
#: draws at random that the filter may refuse then
MAX_DRAWS = 10_000


@accept_ray_names
@dataclass(frozen=True)
class BOHB(Tuner):
    """Runs Hyperband's brackets one after another, and proposes their configs by what the earlier ones have shown.

    Falkner, Klein and Hutter 2018, "BOHB: Robust and Efficient Hyperparameter Optimization at Scale", Algorithms 1
    and 2. A config is drawn at random with probability `random_fraction`, and as long as no budget has enough
    observations; otherwise two densities are fitted to the good and the bad ones at the largest budget that has, and
    of 64 candidates the one with the best ratio is proposed.

    Deviation: the densities are those of Optuna's multivariate TPE, which knows options and conditional
    hyper-parameters; a tenth of the observations are the good ones, where the paper takes 15 %.

    Args:
      space: what configs are drawn from.
      max_steps: what a survivor may use (R; Ray Tune: `max_t`).
      reduction: at least 2 (eta, `reduction_factor`).
      min_steps: no rung ends before (`grace_period`).
      random_fraction: of configs that are drawn at random whatever is known (rho), from 0 to 1.
      min_points: observations that a model needs, less two (N_min), at least 1; None: hyper-parameters plus one.
      seed: of all draws.
      ties, extra_steps: as those of `Hyperband`.

    Raises:
      BudgetError: see `hippo.tuners.hyperband.hyperband_brackets`.
      TunerError: Optuna is not installed, the space is none that can be drawn from, or a fraction is out of its bounds.
    """

    needs_metric: ClassVar[bool] = True

    space: RandomSearchSpace
    max_steps: int
    reduction: int = 3
    min_steps: int = 1
    _: KW_ONLY
    random_fraction: float = 1 / 3
    min_points: int | None = None
    seed: int = 0
    ties: str = "first"
    extra_steps: int = 0

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            space: RandomSearchSpace | Mapping[str, Any],
            max_steps: int = ...,
            reduction: int = ...,
            min_steps: int = ...,
            *,
            random_fraction: float = ...,
            min_points: int | None = ...,
            seed: int = ...,
            ties: str = ...,
            extra_steps: int = ...,
            grace_period: int = ...,
            max_t: int = ...,
            reduction_factor: int = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        import_optuna()
        adopt_random_space(self)
        check_seed(self.seed)
        self._hyperband()

    async def tune(self, ask: Ask) -> Config:
        return await self._hyperband().tune(ask)

    def brackets(self) -> list[Bracket]:
        """Return the brackets that are run."""
        return self._hyperband().brackets()

    def _hyperband(self) -> Hyperband:
        return Hyperband(
            Modelled(self.space, random_fraction=self.random_fraction, min_points=self.min_points),
            max_steps=self.max_steps,
            reduction=self.reduction,
            min_steps=self.min_steps,
            seed=self.seed,
            ties=self.ties,
            extra_steps=self.extra_steps,
        )


@dataclass(frozen=True)
class Modelled:
    """A space in which a model of the largest budget chooses where to look (BOHB, Algorithm 2).

    Args:
      space: what configs are drawn from.
      random_fraction: of configs that are drawn at random whatever is known.
      min_points: observations that a model needs, less two; None: hyper-parameters plus one.

    Raises:
      TunerError: the space is no `RandomSearchSpace`, or the fraction is not between 0 and 1.
      BudgetError: `min_points` is not an integer of at least 1.
    """

    space: RandomSearchSpace
    random_fraction: float = 1 / 3
    min_points: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.space, RandomSearchSpace):
            raise TunerError(
                f"a model proposes values of distributions, which a {type(self.space).__name__} does not have; give a "
                "RandomSearchSpace, with choice([...]), or the list alone, in the place of a list of options"
            )
        check_between("random_fraction", self.random_fraction, 0, 1)
        if self.min_points is not None:
            check_steps("min_points", self.min_points)

    def start(self, ask: Ask, *, num_trials: int | None, until: int, seed: int) -> ModelProposer:
        """Return a new proposer."""
        return ModelProposer(self, num_trials=num_trials, seed=seed)


class ModelProposer:
    """Proposes configs from all observations at one number of steps.

    Args:
      modelled: the space and its settings.
      num_trials: how many configs to propose; None: no end.
      seed: of all draws.
    """

    def __init__(self, modelled: Modelled, *, num_trials: int | None, seed: int) -> None:
        from hippo.tuners.optuna_space import OptunaSpace

        self._settings = modelled
        self._space: OptunaSpace = OptunaSpace(modelled.space)
        self._num_trials = num_trials
        self._seed = seed
        self._num_proposed = 0
        #: the values of each config that was proposed
        self._params: dict[Config, Params] = {}
        #: step -> trial -> its answer there
        self._observed: defaultdict[int, dict[int, Answer]] = defaultdict(dict)

    def propose(self) -> Config | None:
        """Return the next config (Algorithm 2), or None after `num_trials` of them."""
        import numpy as np

        if self._num_proposed == self._num_trials:
            return None
        rng = np.random.default_rng([self._seed, self._num_proposed])
        self._num_proposed += 1
        is_random = rng.random() < self._settings.random_fraction  # line 1
        budget = self.model_budget()
        found = None if is_random or budget is None else self._by_model(budget, rng)
        params, config = found or self._at_random(rng)
        self._params[config] = params
        return config

    def tell(self, answer: Answer) -> None:
        self._observed[answer.step][answer.trial] = answer

    def model_budget(self) -> int | None:
        """Return the largest number of steps with enough observations (line 2); None: there is none."""
        dimensions = max((len(params) for params in self._params.values()), default=0)
        enough = (self._settings.min_points or dimensions + 1) + 2
        return max((step for step, answers in self._observed.items() if len(answers) >= enough), default=None)

    def _by_model(self, budget: int, rng: Generator) -> tuple[Params, Config] | None:
        """Return the candidate with the best ratio of densities (lines 4 to 6); None: the filter refuses them all.

        A refused candidate stays a running trial in the sampler's eyes, which looks elsewhere then.
        """
        study = self._study(budget, seed=int(rng.integers(2**32)))
        for _ in range(MAX_REFUSED):
            params, config = self._space.suggest(study.ask())
            if self._settings.space.allows(config):
                return params, config
        return None

    def _study(self, budget: int, seed: int) -> Any:
        """Return a study of Optuna that has seen the answers at this step, the oldest trial's first.

        Of losses it is told the ranks alone, which are all that TPE looks at. They say what numbers cannot: who failed,
        broke a constraint, or is dominated.
        """
        optuna = import_optuna()
        from hippo.tuners.sampler_trials import STUDY_NAME, SamplerTrials

        answers = [answer for _, answer in sorted(self._observed[budget].items())]
        ranks = {i: rank for rank, i in enumerate(order(answers))}
        trials = SamplerTrials(1)
        for i, answer in enumerate(answers):
            params = self._params[answer.config]
            number = trials.create_new_trial(0)
            for name, distribution in self._space.distributions(params).items():
                trials.set_trial_param(number, name, distribution.to_internal_repr(params[name]), distribution)
            trials.set_trial_state_values(number, optuna.trial.TrialState.COMPLETE, [float(ranks[i])])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # multivariate and group
            sampler = optuna.samplers.TPESampler(
                multivariate=True, group=True, n_startup_trials=0, n_ei_candidates=CANDIDATES, seed=seed
            )
        return optuna.Study(STUDY_NAME, trials, sampler=sampler)

    def _at_random(self, rng: Generator) -> tuple[Params, Config]:
        for _ in range(MAX_DRAWS):
            params, config = self._space.draw(rng)
            if self._settings.space.allows(config):
                return params, config
        raise SpaceError(f"The filter refused {MAX_DRAWS:,} configs in a row; narrow the distributions instead.")
