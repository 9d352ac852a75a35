"""Random search: configs drawn from distributions, each to the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hippo.errors import TunerError
from hippo.hparams import RandomSearchSpace
from hippo.records import Answer
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_seed, check_steps
from hippo.tuners.proposals import ProposingSpace, adopt_random_space, draw_configs
from hippo.tuners.tuner import Tuner


@accept_names
@dataclass(frozen=True)
class RandomSearch(Tuner):
    """Trains configs drawn from a space.

    Bergstra and Bengio 2012, "Random Search for Hyper-Parameter Optimization". Only equal values share a prefix:
    quantised distributions (`quniform`, `choice`) share more than continuous ones.

    Args:
      space: what to draw from; a dictionary stands for the `RandomSearchSpace` of it.
      num_trials: how many to draw.
      until: steps that each is trained.
      seed: of the draws, which depend on nothing else.

    Raises:
      BudgetError: `num_trials` or `until` is not an integer of at least 1.
      TunerError: the space cannot be drawn from, or the seed is no integer of at least 0.
    """

    space: RandomSearchSpace
    num_trials: int
    until: int
    seed: int = 0

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            space: RandomSearchSpace | Mapping[str, Any],
            num_trials: int = ...,
            until: int = ...,
            seed: int = ...,
            *,
            n_trials: int = ...,
            num_samples: int = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_steps("num_trials", self.num_trials)
        check_steps("until", self.until)
        check_seed(self.seed)
        adopt_random_space(self)
        if isinstance(self.space, ProposingSpace):
            raise TunerError(f"{type(self.space).__name__} brings a sampler of its own; give it to SamplerSearch.")
        if not isinstance(self.space, RandomSearchSpace):
            raise TunerError(
                f"RandomSearch draws from distributions, which {type(self.space).__name__} does not have. Write "
                "RandomSearchSpace, in which a list is a choice among its items; GridSearch trains every config of a "
                "collection."
            )

    async def tune(self, ask: Ask) -> list[Answer]:
        configs = draw_configs(self.space, self.num_trials, self.seed)
        return await ask.all(configs, until=self.until, final=True)
