"""Population based training: losers go on from winners' states, with values near theirs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.errors import TunerError
from hippo.hparams import Config, Distribution, RandomSearchSpace
from hippo.records import Answer
from hippo.tuners.aliases import accept_population_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_between, check_seed, check_steps
from hippo.tuners.exploring import Lineage, check_known, is_allowed, mutable_hparams, perturbed, with_filter
from hippo.tuners.population import Explorer, Population, Rules
from hippo.tuners.proposals import ProposingSpace, SpaceLike, adopt_space, draw_configs
from hippo.tuners.tuner import Tuner, describe_tuner

if TYPE_CHECKING:
    from numpy.random import Generator

#: how new values are found
EXPLORE = ("perturb", "resample")

#: explorations that the filter of a space refuses before the winner's values are kept
MAX_REFUSED = 100


@accept_population_names
@dataclass(frozen=True)
class PBT(Tuner):
    """Trains a population; after each interval, the worst of it copy the best, and explore from there.

    Jaderberg et al. 2017, "Population Based Training of Neural Networks", Algorithm 1, with truncation selection and
    the explore functions "perturb" and "resample" (section 4.1.1); where Ray Tune has a default, it is ours. To copy a
    winner is to go on as its config, switched at the step of the copy (`Config.switch`): every trial's whole schedule
    is its config, the shared past is trained once, and each trial can be reproduced alone.

    Deviations: a member compares itself with the others at its own step, and copies what the winner was there, where
    the paper takes the latest of each; a member whose trial has failed copies at once, whatever its rank; all
    train their first interval together.

    Args:
      space: a `RandomSearchSpace`, or any collection of configs, whose first ones are taken.
      population: number of members, at least 2.
      interval: steps that a member trains between two explorations.
      max_steps: steps at which a member has come to its end.
      quantile: share of the population that is copied, and that copies; above 0, at most 0.5.
      mutations: name -> distribution, or list of options, of what is explored; None: whatever the space draws.
      explore: "perturb" multiplies a number by one of `perturb_factors` and takes an option's neighbour;
        "resample" draws again.
      perturb_factors: each as likely as any other.
      resample_probability: of drawing a hyper-parameter again instead of perturbing it.
      synchronous: whether all wait for each other after each interval. Then nothing depends on the order in which
        answers arrive, and no step is repeated; but slots wait for the slowest member.
      seed: of the first configs, of who is copied, and of what is explored.

    Raises:
      BudgetError: `interval`, `max_steps` or `population` is not an integer of at least 1, or interval > max_steps.
      TunerError: a population of 1, a quantile, factor or probability out of its bounds, or nothing to explore.
      UnknownHparamError: `mutations` names what the space has not.
    """

    needs_metric: ClassVar[bool] = True

    space: RandomSearchSpace | Iterable[Mapping[str, Any]]
    population: int
    interval: int
    max_steps: int
    quantile: float = 0.25
    mutations: Mapping[str, Any] | None = None
    explore: str = "perturb"
    perturb_factors: Sequence[float] = (0.8, 1.2)
    resample_probability: float = 0.25
    synchronous: bool = False
    seed: int = 0

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            space: SpaceLike,
            population: int = ...,
            interval: int = ...,
            max_steps: int = ...,
            quantile: float = ...,
            mutations: Mapping[str, Any] | None = ...,
            explore: str = ...,
            perturb_factors: Sequence[float] = ...,
            resample_probability: float = ...,
            synchronous: bool = ...,
            seed: int = ...,
            *,
            num_samples: int = ...,
            n_trials: int = ...,
            perturbation_interval: int = ...,
            max_t: int = ...,
            quantile_fraction: float = ...,
            hyperparam_mutations: Mapping[str, Any] | None = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_population(self, self._explorer)

    def record(self) -> dict[str, Any]:
        return with_filter(describe_tuner(self), self.space)

    async def tune(self, ask: Ask) -> Config:
        return await population_of(self, self._explorer()).train(ask)

    def _explorer(self) -> Perturbation:
        if self.explore not in EXPLORE:
            raise TunerError(f"explore must be one of {list(EXPLORE)}, not {self.explore!r}")
        return Perturbation(
            self.space,
            mutable_hparams(self.space, self.mutations),
            factors=self.perturb_factors,
            resample_probability=1.0 if self.explore == "resample" else self.resample_probability,
        )


class Perturbation:
    """Explores by perturbing or drawing again, each hyper-parameter by itself.

    Args:
      space: its filter, if it has one, is kept: what it refuses is drawn again.
      mutable: what each hyper-parameter that may change is drawn from.
      factors: what numbers are multiplied by.
      resample_probability: of drawing again.
    """

    def __init__(
        self, space: Any, mutable: Mapping[str, Distribution], *, factors: Sequence[float], resample_probability: float
    ) -> None:
        listed = list(factors) if isinstance(factors, list | tuple) else []
        if not listed or not all(isinstance(factor, int | float) and 0 < factor < math.inf for factor in listed):
            raise TunerError(f"perturb_factors must be numbers above 0, such as (0.8, 1.2), not {factors!r}")
        check_between("resample_probability", resample_probability, 0, 1)
        self._space = space
        self._mutable = mutable
        self._factors = factors
        self._resample_probability = resample_probability

    def note(self, before: Answer, after: Answer, config: Config) -> None:
        pass

    def explore(self, lineage: Lineage, at: int, others: Sequence[Config], rng: Generator) -> dict[str, Any]:
        for _ in range(MAX_REFUSED):
            values = {name: self._explore(name, lineage, at, rng) for name in self._mutable}
            if is_allowed(self._space, lineage, values):
                return values
        return {}

    def _explore(self, name: str, lineage: Lineage, at: int, rng: Generator) -> Any:
        distribution = self._mutable[name]
        if rng.random() < self._resample_probability:
            return distribution.sample(rng)
        factor = float(self._factors[int(rng.integers(len(self._factors)))])
        return perturbed(distribution, lineage.written[name], lineage.config[name](at), factor, rng)


def check_population(tuner: Any, make_explorer: Callable[[], Explorer]) -> None:
    """Put a tuner's space in the form in which it is used, and refuse what cannot be; only while the tuner is made.

    Args:
      tuner: has the fields that `PBT` and `PB2` share.
      make_explorer: raises what its own arguments deserve.

    Raises:
      BudgetError, TunerError, UnknownHparamError: as `PBT`.
    """
    adopt_space(tuner)
    check_seed(tuner.seed)
    rules_of(tuner)
    make_explorer()
    first_configs(tuner.space, tuner.population, tuner.mutations, tuner.seed)


def population_of(tuner: Any, explorer: Explorer) -> Population:
    """Return the population of a tuner that was checked, before its first step."""
    configs = first_configs(tuner.space, tuner.population, tuner.mutations, tuner.seed)
    return Population(configs, rules_of(tuner), explorer)


def rules_of(tuner: Any) -> Rules:
    """Return when the members of a tuner's population train, and which copy which."""
    return Rules(
        interval=tuner.interval,
        max_steps=tuner.max_steps,
        quantile=tuner.quantile,
        synchronous=tuner.synchronous,
        seed=tuner.seed,
    )


def first_configs(space: Any, population: int, mutations: Mapping[str, Any] | None, seed: int) -> list[Config]:
    """Return the configs with which a population begins.

    Raises:
      BudgetError: `population` is not an integer of at least 1.
      TunerError: it is 1, or the space has fewer configs.
      UnknownHparamError: a config lacks a hyper-parameter that is to change.
    """
    check_steps("population", population)
    if population == 1:
        raise TunerError("a population of 1 has nobody to copy; make it at least 2, or train the config by GridSearch")
    if isinstance(space, ProposingSpace):
        raise TunerError(
            f"a population learns by copying, not from a {type(space).__name__}; give the RandomSearchSpace itself, or "
            "a list of configs"
        )
    configs = draw_configs(space, population, seed)
    if len(configs) < population:
        raise TunerError(
            f"a population of {population} needs as many configs, and the space has {len(configs)}; lower population, "
            "or give more"
        )
    for config in configs:
        check_known(mutations or {}, config)
    return configs
