"""Arguments of our tuners under the names that others know, and hints where there is no such argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final, TypeVar

from hippo.arguments import check_call
from hippo.errors import TunerError, UnknownArgumentError, did_you_mean
from hippo.tuners.budgets import plain_integer

T = TypeVar("T")

#: Optuna's and Ray Tune's names for how many configs to take, wherever there is such a number
_NUM_TRIALS: Final = {"n_trials": "num_trials", "num_samples": "num_trials"}

_STUDY = "the study knows what it optimises: create_study(..., metric=..., mode=...)"
_WORKERS = "the engine says how many run at a time: create_study(..., engine=hippo.LocalEngine(workers=...))"
_SECONDS = "put a limit around the tuner: hippo.Deadline(tuner, seconds=...)"
_SPACE = "it is called space here"
_SAMPLER = 'a sampler is given as the space: space=hippo.Sampled("tpe", space)'
_SCHEDULER = "a tuner decides who is stopped: hippo.ASHA, hippo.Hyperband, hippo.MedianStopping and others"

#: what to do instead, where others have an argument and we have none
HINTS: Final = {
    "metric": _STUDY,
    "mode": _STUDY,
    "direction": _STUDY,
    "directions": _STUDY,
    "time_attr": "hippo counts in steps, which are calls of Trainer.train(); leave it out",
    "scheduler": _SCHEDULER,
    "pruner": _SCHEDULER,
    "search_alg": _SAMPLER,
    "sampler": _SAMPLER,
    "searcher": _SAMPLER,
    "param_space": _SPACE,
    "search_space": _SPACE,
    "param_grid": _SPACE,
    "param_distributions": _SPACE,
    "config": _SPACE,
    "configs": _SPACE,
    "grid": _SPACE,
    "n_jobs": _WORKERS,
    "max_concurrent": _WORKERS,
    "max_concurrent_trials": _WORKERS,
    "timeout": _SECONDS,
    "time_budget_s": _SECONDS,
    "callbacks": "callbacks belong to the study: create_study(..., callbacks=[...])",
    "brackets": "hippo.Hyperband has several brackets; this tuner has one",
    "num_trials": "it takes every config of its space; hippo.RandomSearch(space, num_trials=..., until=...) draws some",
    "hyperparam_bounds": "two bounds are a distribution here, mutations={'lr': hippo.uniform(low, high)}; a list is a "
    "choice among its items",
    "reduction_factor": "this rule has no reduction; leave it out",
    "epochs": "say how many steps: until=, or max_steps= where there are rungs",
    "steps": "say how many steps: until=, or max_steps= where there are rungs",
}

#: what others, or another of our tuners, call an argument -> the names that it may have in a tuner of ours
_CALLED: Final = {
    "until": ("max_steps",),
    "max_steps": ("until",),
    "max_t": ("until",),
    "max_resource": ("max_steps", "until"),
    "min_resource": ("min_steps",),
    "n_warmup_steps": ("min_steps",),
    "interval_steps": ("interval",),
    "n_startup_trials": ("min_trials",),
    "num_trials": ("max_trials",),
    "n_trials": ("max_trials",),
    "min_samples_required": ("min_trials",),
    "population_size": ("population",),
    "eta": ("reduction",),
    "random_state": ("seed",),
}

#: an argument that tells what has no number of trials of its own -> who says how many there are
_WHO_COUNTS: Final = {
    "tuner": "the tuner within says how many",
    "sampled": "the tuner whose space it is says how many: hippo.ASHA(space, ..., num_trials=...), say",
    "sampler": "the tuner whose space it is says how many: hippo.ASHA(space, ..., num_trials=...), say",
    "random_fraction": "its brackets say how many, by max_steps and reduction",
}


def accept_aliases(**names: str) -> Callable[[type[T]], type[T]]:
    """Let a class be made with other names for its arguments: alias=argument.

    The signature, the fields and the record know the arguments only, so that both ways make equal objects. numpy's
    integers count as Python's.

    Raises:
      TunerError: when an object is made with both an argument and its alias.
      UnknownArgumentError: when it is made with a name that means nothing; the message says what to write.
    """

    def decorate(cls: type[T]) -> type[T]:
        init: Callable[..., None] = cls.__init__
        known = [name for name in inspect.signature(cls).parameters if name != "_"]
        aliases = {**names, **(_NUM_TRIALS if "num_trials" in known else {})}

        @functools.wraps(init)
        def init_by_any_name(self: T, *args: Any, **kwargs: Any) -> None:
            for alias, name in aliases.items():
                if alias not in kwargs:
                    continue
                if name in kwargs:
                    raise TunerError(
                        f"{cls.__name__} was given both {name}={kwargs[name]!r} and {alias}={kwargs[alias]!r}, which "
                        f"are the same; leave {alias} out"
                    )
                kwargs[name] = kwargs.pop(alias)
            for name in kwargs:
                if name not in known:
                    raise UnknownArgumentError(_unknown(cls.__name__, name, known))
            try:
                init(self, *map(plain_integer, args), **{name: plain_integer(value) for name, value in kwargs.items()})
            except TypeError:
                check_call(init, (self, *args), kwargs, {})
                raise

        init_by_any_name.aliases = aliases  # type: ignore[attr-defined]  # read by the test that compares them with the types
        cls.__init__ = init_by_any_name  # type: ignore[method-assign,assignment]
        return cls

    return decorate


def _unknown(cls: str, name: str, known: list[str]) -> str:
    hint = HINTS.get(_NUM_TRIALS.get(name, name))
    if _NUM_TRIALS.get(name, name) == "num_trials":
        hint = next((said for argument, said in _WHO_COUNTS.items() if argument in known), hint)
    for ours in _CALLED.get(name, ()):
        if ours in known:
            hint = f"it is called {ours} here"
            break
    if name in ("steps", "epochs") and not {"until", "max_steps"} & set(known):
        limits = " or ".join(f"{each}=" for each in known if each.endswith("seconds"))
        hint = f"the tuner within says how many steps; this has {limits or known}"
    if hint is not None:
        return f"{cls} got an unexpected keyword argument {name!r}: {hint}"
    return f"{cls} got an unexpected keyword argument {name!r}; it has {known}.{did_you_mean(name, known)}"


#: no other names but those for the number of trials; hints for what others have
accept_names = accept_aliases()

#: Ray Tune's names for the bounds of tuners with rungs
accept_ray_names = accept_aliases(grace_period="min_steps", max_t="max_steps", reduction_factor="reduction")

#: Ray Tune's names for the arguments of population based training
accept_population_names = accept_aliases(
    num_samples="population",
    n_trials="population",
    perturbation_interval="interval",
    max_t="max_steps",
    quantile_fraction="quantile",
    hyperparam_mutations="mutations",
)
