"""Hydro's front door on hippo: a trainer, a space and a scaling ratio, and the model is tuned narrow and trained wide.

    from hippo.integrations.hydro import Tuner

    study = Tuner(DigitsTrainer, {"lr": loguniform(1e-4, 1)}, scaling=8, metric="val_accuracy", max_t=27).fit()

Hu et al. 2023, "Hydro: Surrogate-Based Hyperparameter Tuning Service in Datacenters": trials of a narrower model,
walked as one program (`numerics="fused"`), and the target trained with the best of them. A thin name over
`hippo.Surrogate` and `hippo.create_study`, it refuses to know anything that they do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hippo.arguments import explain_calls
from hippo.errors import TunerError
from hippo.hparams import RandomSearchSpace
from hippo.study import Study, create_study
from hippo.tuners import ASHA, GridSearch, RandomSearch, Surrogate
from hippo.tuners.proposals import as_space

#: "none" trains every trial to its end, as Ray Tune's FIFO does
_SCHEDULERS = ("none", "asha")


class HydroTuner:
    """Tunes a trainer's hyper-parameters on surrogates that are `scaling` times narrower; see `hippo.Surrogate`.

    Args:
      trainer: a class derived from `hippo.TorchTrainer`, whose `make_model` says `self.scaled(n)`.
      param_space: a dictionary of distributions or of lists, or any space of hippo's.
      scaling: how many times narrower the surrogates are.
      metric, mode: as for `hippo.create_study`.
      max_t: steps that a trial may take.
      num_samples: how many trials; None: all of a grid.
      scheduler: "none", or "asha": trials that are not among the best third are not trained on.
      grace_period: with "asha": steps before that.
      eager_transfer, top, fixed_on_target, parametrization: as for `hippo.Surrogate`.
      name: of the study.
      **options: further options of `hippo.create_study`; `numerics` is "fused" unless it is given.

    Raises:
      HippoError: an argument cannot be used, before anything is trained.
    """

    @explain_calls(
        trainable="it is called trainer here, and is a class derived from hippo.TorchTrainer",
        tune_config="its fields are arguments here: metric=, mode=, num_samples=, max_t=, scheduler=",
        run_config="name= names the study, and checkpoints= is its folder",
        scaling_num="it is called scaling here",
    )
    def __init__(
        self,
        trainer: type | str,
        param_space: Any,
        scaling: int = 8,
        *,
        metric: str,
        mode: str | None = None,
        max_t: int,
        num_samples: int | None = None,
        scheduler: str = "none",
        grace_period: int = 1,
        eager_transfer: float | None = 0.5,
        top: int = 1,
        fixed_on_target: Mapping[str, Any] | None = None,
        parametrization: str = "mup",
        name: str = "hydro",
        **options: Any,
    ) -> None:
        self.tuner = Surrogate(
            _search(param_space, scheduler, num_samples, grace_period, max_t),
            scaling,
            eager_transfer=eager_transfer,
            top=top,
            fixed_on_target=fixed_on_target,
            parametrization=parametrization,
        )
        self.study = create_study(name, trainer=trainer, metric=metric, mode=mode, **{"numerics": "fused", **options})

    @explain_calls()
    def fit(self) -> Study:
        """Run it to its end, or go on where it was stopped; return the study, whose `best_trial` is the target's."""
        self.study.optimize(self.tuner)
        return self.study


def _search(param_space: Any, scheduler: str, num_samples: int | None, grace_period: int, max_t: int) -> Any:
    """Return the tuner of the surrogates.

    Raises:
      TunerError: there is no such scheduler, or distributions have no end that anybody named.
    """
    if scheduler not in _SCHEDULERS:
        raise TunerError(
            f"scheduler must be one of {list(_SCHEDULERS)}, not {scheduler!r}; hippo.Surrogate takes any tuner"
        )
    space = as_space(param_space)
    if scheduler == "asha":
        return ASHA(space, grace_period, max_t, 3, num_trials=num_samples)
    if not isinstance(space, RandomSearchSpace):
        if num_samples is not None:
            raise TunerError(f"num_samples={num_samples}: of a grid every config is trained; leave it out")
        return GridSearch(space, until=max_t)
    if num_samples is None:
        raise TunerError("param_space has distributions, and no end; say how many configs to take: num_samples=...")
    return RandomSearch(space, num_trials=num_samples, until=max_t)


#: by the name that Hydro has for it
Tuner = HydroTuner
