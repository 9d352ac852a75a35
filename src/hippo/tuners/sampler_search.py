"""Search by a sampler: it proposes configs, each is trained to the end, and it learns from what they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from hippo.hparams import RandomSearchSpace
from hippo.records import Answer
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask
from hippo.tuners.budgets import check_seed, check_steps
from hippo.tuners.proposals import ProposingSpace
from hippo.tuners.rungs import NewTrials
from hippo.tuners.sampled import Sampled
from hippo.tuners.sharing_aware import SharingAware
from hippo.tuners.tuner import Tuner


@accept_names
@dataclass(frozen=True)
class SamplerSearch(Tuner):
    """Trains `num_trials` configs that a sampler of Optuna proposes, as many at a time as the slots take.

    With several objectives the sampler sees all of them, and the study's constraints. To give up on poor configs
    early, give the sampler to a tuner that does: `ASHA(Sampled("tpe", space), ...)`.

    Akiba et al. 2019, "Optuna: A Next-generation Hyperparameter Optimization Framework".

    Args:
      sampler: "tpe", "gp", "cmaes", "qmc", "nsga2", "nsga3" or "random"; a class or an instance from
        `optuna.samplers`; or a function of a seed.
      space: what it chooses from.
      until: steps that each config is trained.
      num_trials: how many configs.
      seed: of all that is drawn. Each draw is seeded with it and the number of configs proposed before, so that a
        study that is resumed is proposed the same.
      candidates: above 1, the sampler's proposal is compared with that many less one that share more with earlier
        trials, and the one taken that promises most for each step that is not trained yet (`SharingAware`).
      options: arguments of the sampler's class.

    Raises:
      BudgetError: `until`, `num_trials` or `candidates` is not an integer of at least 1.
      TunerError: there is no such sampler, the space is no `RandomSearchSpace`, or the seed no integer of at least 0;
        once it runs: Optuna, or what the sampler needs besides it, is not installed.
    """

    needs_metric: ClassVar[bool] = True

    sampler: Any
    space: RandomSearchSpace
    until: int
    num_trials: int
    seed: int = 0
    candidates: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            sampler: Any,
            space: RandomSearchSpace | Mapping[str, Any],
            until: int,
            num_trials: int = ...,
            seed: int = ...,
            candidates: int = ...,
            options: Mapping[str, Any] = ...,
            *,
            n_trials: int = ...,
            num_samples: int = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_steps("until", self.until)
        check_steps("num_trials", self.num_trials)
        check_steps("candidates", self.candidates)
        check_seed(self.seed)
        self._proposing()

    async def tune(self, ask: Ask) -> list[Answer]:
        proposer = self._proposing().start(ask, num_trials=self.num_trials, until=self.until, seed=self.seed)
        trials = NewTrials(proposer)
        answers = []
        async for answer in ask.stream(lambda: trials.next(until=self.until, final=True)):
            trials.tell(answer)
            answers.append(answer)
        return sorted(answers, key=lambda answer: answer.trial)

    def record(self) -> dict[str, Any]:
        return {
            "tuner": "SamplerSearch",
            "space": repr(self._proposing()),
            "until": self.until,
            "num_trials": self.num_trials,
            "seed": self.seed,
        }

    def _proposing(self) -> ProposingSpace:
        sampled = Sampled(self.sampler, self.space, self.options)
        return sampled if self.candidates == 1 else SharingAware(sampled, candidates=self.candidates)
