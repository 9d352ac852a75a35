"""Configs that one of Optuna's samplers proposes, for any tuner.

What the sampler has seen is kept in memory only, and follows from what was proposed and answered: a call that is
resumed replays its answers, and is proposed the same.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hippo.errors import SpaceError, TunerError
from hippo.hparams import Config, RandomSearchSpace, canonical_text
from hippo.hparams.templates import described
from hippo.records import Answer
from hippo.tuners.aliases import accept_names
from hippo.tuners.ask import Ask
from hippo.tuners.proposals import adopt_random_space
from hippo.tuners.samplers import check_sampler, describe_sampler, import_optuna, make_sampler

if TYPE_CHECKING:
    from hippo.tuners.optuna_space import OptunaSpace, Params
    from hippo.tuners.sampler_trials import SamplerTrials

#: proposals of a sampler that the filter may refuse in a row before configs are drawn at random
MAX_REFUSED = 20
#: draws at random that the filter may refuse then
MAX_DRAWS = 10_000


@accept_names
@dataclass(frozen=True, repr=False)
class Sampled:
    """A space in which a sampler chooses where to look, learning from the answers: `ASHA(Sampled("tpe", space), ...)`.

    Trials that are not answered yet are running in the sampler's eyes. One that was answered below the last step is
    pruned, with what it had come to, until it goes on; with several objectives, where Optuna's samplers know no
    pruning, it is complete with the losses that it has. One that failed is pruned without a value: worse than all
    others to TPE, unknown to the rest.

    Args:
      sampler: "tpe", "gp", "cmaes", "qmc", "nsga2", "nsga3" or "random"; a class or an instance from
        `optuna.samplers`; or a function of a seed. What it draws depends on the tuner's seed, never on its own.
      space: what it chooses from. Configs that the filter refuses are proposed again, unseen by the sampler; after 20
        in a row one is drawn at random.
      options: arguments of the sampler's class: `Sampled("tpe", space, {"n_startup_trials": 5})`.

    Raises:
      TunerError: there is no such sampler, or the space is no `RandomSearchSpace`.
    """

    sampler: Any
    space: RandomSearchSpace
    options: Mapping[str, Any] = field(default_factory=dict)

    if TYPE_CHECKING:  # arguments may have the names that others know

        def __init__(
            self,
            sampler: Any,
            space: RandomSearchSpace | Mapping[str, Any],
            options: Mapping[str, Any] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_sampler(self.sampler, self.options)
        adopt_random_space(self)
        if not isinstance(self.space, RandomSearchSpace):
            raise TunerError(
                f"A sampler proposes values of distributions, which {type(self.space).__name__} does not have. Write "
                "RandomSearchSpace, with choice([...]), or the list alone, in the place of a list of options."
            )
        hparams = canonical_text(described(self.space.hparams))
        for name in ("randn", "qrandn"):
            if f'"distribution":"{name}"' in hparams:
                raise TunerError(f"A sampler proposes values between bounds, and {name} has none; write uniform.")

    def start(self, ask: Ask, *, num_trials: int | None, until: int, seed: int) -> SamplerProposer:
        """Return a new proposer.

        Raises:
          TunerError: Optuna, or what the sampler needs besides it, is not installed.
        """
        return SamplerProposer(self, len(ask.objectives), num_trials=num_trials, until=until, seed=seed)

    def __repr__(self) -> str:
        space = hashlib.sha256(self.space.key.encode()).hexdigest()[:16]
        return f"Sampled({describe_sampler(self.sampler, self.options)}, {space})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A config that may be proposed, and the values that make it."""

    config: Config
    #: the values of the parameters that are in use
    params: Params
    #: what the sampler noted about the trial
    notes: Mapping[str, Any]


class SamplerProposer:
    """Asks a sampler, which sees the trials that were proposed before as a study of its own.

    Args:
      sampled: the sampler and its space.
      num_objectives: of the study.
      num_trials: how many configs to propose; None: no end.
      until: an answer at this step is a trial's last.
      seed: of all draws.
    """

    def __init__(self, sampled: Sampled, num_objectives: int, *, num_trials: int | None, until: int, seed: int) -> None:
        optuna = import_optuna()
        from hippo.tuners.optuna_space import OptunaSpace
        from hippo.tuners.reseeding import ReseededSampler
        from hippo.tuners.sampler_trials import STUDY_NAME, SamplerTrials

        self.space: OptunaSpace = OptunaSpace(sampled.space)
        self._allows = sampled.space.allows
        self._seed = seed
        self._until = until
        self._num_trials = num_trials
        self._num_proposed = 0
        self._num_equal: Counter[Config] = Counter()
        #: (config, occurrence) -> number of its trial
        self._numbers: dict[tuple[Config, int], int] = {}
        self._last_steps: dict[int, int] = {}
        self._trials: SamplerTrials = SamplerTrials(num_objectives)
        self._sampler = ReseededSampler(make_sampler(sampled.sampler, sampled.options, seed), seed=seed)
        self._study = optuna.Study(STUDY_NAME, self._trials, sampler=self._sampler)
        self._study._thread_local.in_optimize_loop = True  # lets a sampler that has seen its whole space say so

    # ------------------------------------------------------------------------------------------------- proposing

    def propose(self) -> Config | None:
        """Return the sampler's next config, or None after `num_trials` of them."""
        if self.is_exhausted:
            return None
        return self.adopt(self.suggestion())

    @property
    def is_exhausted(self) -> bool:
        """Whether all that may be proposed has been."""
        return self._num_proposed == self._num_trials or self._study._stop_flag

    @property
    def num_proposed(self) -> int:
        """How many configs were proposed."""
        return self._num_proposed

    def suggestion(self, candidate: int = 0) -> Suggestion:
        """Return what the sampler would propose now; each `candidate` is another draw, in ignorance of the others.

        Raises:
          SpaceError: the filter refused whatever was drawn.
        """
        for refused in range(MAX_REFUSED):
            self._sampler.attempt = candidate * MAX_REFUSED + refused
            params, config = self.space.suggest(self._study.ask())
            notes = self._trials.take_back().system_attrs
            if self._allows(config):
                return Suggestion(config=config, params=params, notes=notes)
        return self._drawn(candidate, notes)

    def _drawn(self, candidate: int, notes: Mapping[str, Any]) -> Suggestion:
        import numpy as np

        rng = np.random.default_rng((self._seed, self._num_proposed, candidate))
        for _ in range(MAX_DRAWS):
            params, config = self.space.draw(rng)
            if self._allows(config):
                return Suggestion(config=config, params=params, notes=notes)
        raise SpaceError(
            f"The filter refused {MAX_REFUSED} proposals of the sampler and {MAX_DRAWS:,} random draws; narrow the "
            "distributions instead."
        )

    def graft(self, suggestion: Suggestion, donor: Params, names: Collection[str]) -> Suggestion | None:
        """Return the suggestion with the values that `donor` has for these names; None if the filter refuses that."""
        values = {**suggestion.params, **{name: donor[name] for name in names}}
        # a choice that comes from the donor may need parameters that the suggestion has no use for
        params, config = self.space.completed(values, lambda name, _: donor[name])
        if not self._allows(config):
            return None
        return Suggestion(config=config, params=params, notes=suggestion.notes)

    def adopt(self, suggestion: Suggestion) -> Config:
        """Count a suggestion as proposed: from now on it is a running trial."""
        number = self._trials.create_new_trial(0)
        for name, distribution in self.space.distributions(suggestion.params).items():
            value = distribution.to_internal_repr(suggestion.params[name])
            self._trials.set_trial_param(number, name, value, distribution)
        for key, note in suggestion.notes.items():
            self._trials.set_trial_system_attr(number, key, note)
        config = suggestion.config
        self._numbers[config, self._num_equal[config]] = number
        self._num_equal[config] += 1
        self._num_proposed += 1
        return config

    # ------------------------------------------------------------------------------------------------- learning

    def tell(self, answer: Answer) -> None:
        """Show the sampler an answer about a config that was proposed.

        Raises:
          TunerError: it was not.
        """
        number = self._numbers.get((answer.config, answer.occurrence))
        if number is None:
            raise TunerError(
                f"The sampler was told about {answer.config!r} ({answer.occurrence}), which it did not propose."
            )
        if answer.step < self._last_steps.get(number, 0):
            return  # an older answer that came late
        self._last_steps[number] = answer.step
        self._show(number, answer)

    def _show(self, number: int, answer: Answer) -> None:
        from optuna.trial import TrialState

        trials, losses = self._trials, answer.losses
        for i, violation in enumerate(answer.violations):
            trials.set_trial_system_attr(number, f"constraints:{i}", math.inf if math.isnan(violation) else violation)
        if answer.failure is not None or not all(map(math.isfinite, losses)):
            trials.get_trial(number).intermediate_values.clear()
            trials.set_trial_state_values(number, TrialState.PRUNED)
            return
        if len(losses) == 1:
            trials.set_trial_intermediate_value(number, answer.step, losses[0])
        if answer.step < self._until and len(losses) == 1:
            trials.set_trial_state_values(number, TrialState.PRUNED)
            return
        trial = trials.get_trial(number)
        self._sampler.attempt = 0
        self._sampler.after_trial(self._study, trial, TrialState.COMPLETE, losses)
        trials.set_trial_state_values(number, TrialState.COMPLETE, losses)
