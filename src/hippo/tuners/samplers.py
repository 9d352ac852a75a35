"""Which samplers there are: Optuna's by name, class or instance, or a function that makes one.

This module refuses to know studies and trials. Optuna is imported when a sampler is made.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import warnings
from collections.abc import Mapping
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, cast

from hippo.errors import HparamError, TunerError, did_you_mean
from hippo.hparams.source import code_hash

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

#: name -> class in `optuna.samplers`
SAMPLERS = {
    "random": "RandomSampler",
    "tpe": "TPESampler",
    "gp": "GPSampler",
    "cmaes": "CmaEsSampler",
    "qmc": "QMCSampler",
    "nsga2": "NSGAIISampler",
    "nsga3": "NSGAIIISampler",
}

#: what a class in `optuna.samplers` imports when it is used first
REQUIREMENTS = {"GPSampler": ("scipy", "torch"), "CmaEsSampler": ("cmaes",), "QMCSampler": ("scipy",)}

#: numpy's RandomState takes seeds below this
SEEDS = 2**32


def check_sampler(sampler: Any, options: Mapping[str, Any]) -> None:
    """Refuse what is no sampler, before anything is trained.

    Raises:
      TunerError: it has no such name, or options are given with something that is made already.
    """
    if not isinstance(options, Mapping):
        raise TunerError(f"options must be a dictionary of the sampler's arguments, not {options!r}")
    if isinstance(sampler, str) and sampler not in SAMPLERS:
        raise TunerError(f"There is no sampler {sampler!r}, only {sorted(SAMPLERS)}.{did_you_mean(sampler, SAMPLERS)}")
    if options and not isinstance(sampler, str | type):
        raise TunerError(
            f"options={dict(options)!r} are for a sampler's name or class; give them to {sampler!r} itself."
        )
    is_sampler = hasattr(sampler, "sample_relative") or (callable(sampler) and not isinstance(sampler, type))
    if not isinstance(sampler, str) and not is_sampler:
        raise TunerError(
            f"A sampler is one of {sorted(SAMPLERS)}, a class or an instance from optuna.samplers, or a function of a "
            f"seed, not {sampler!r}."
        )
    _refuse_constraints(sampler, options)


def make_sampler(sampler: Any, options: Mapping[str, Any], seed: int) -> BaseSampler:
    """Return a new sampler, so that what this caller draws from it changes no other caller's draws.

    Raises:
      TunerError: Optuna, or what the sampler needs besides it, is not installed, or an option is unknown.
    """
    optuna = import_optuna()
    if isinstance(sampler, optuna.samplers.BaseSampler):
        _check_installed(type(sampler))
        return cast("BaseSampler", sampler)  # copied before each use
    make = getattr(optuna.samplers, SAMPLERS[sampler]) if isinstance(sampler, str) else sampler
    taken = seed % SEEDS  # Optuna takes no larger one; what is drawn goes by the whole seed (`ReseededSampler`)
    made = _made(make, options, taken) if isinstance(make, type) else make(taken)
    if not isinstance(made, optuna.samplers.BaseSampler):
        raise TunerError(f"{sampler!r} made {made!r}, which is no optuna.samplers.BaseSampler.")
    _refuse_constraints(made, {})
    return cast("BaseSampler", made)


def describe_sampler(sampler: Any, options: Mapping[str, Any]) -> str:
    """Return a text that is equal, in every process, for equal samplers: class and settings without its seed.

    Raises:
      TunerError: one of its settings is another one in each process.
    """
    described = _described(sampler, options)
    if " at 0x" in described:
        raise TunerError(
            f"The sampler cannot be told from another in the next process: {described}. Give a function of a seed that "
            "makes it instead."
        )
    return described


def import_optuna() -> Any:
    """Return Optuna.

    Raises:
      TunerError: it is not installed.
    """
    try:
        import optuna
    except ImportError:
        raise TunerError("Samplers are Optuna's, which is not installed: pip install 'hippo-tune[optuna]'") from None
    return optuna


def _refuse_constraints(sampler: Any, options: Mapping[str, Any]) -> None:
    """Refuse constraints that the sampler alone would know: results, and paused trials, would go by none of them."""
    inner = getattr(sampler, "_base_sampler", sampler)
    if options.get("constraints_func", getattr(inner, "_constraints_func", None)) is not None:
        raise TunerError(
            "A sampler's constraints_func would be known to the sampler alone. Say of metrics what good trials keep, "
            'create_study(constraints=["latency_ms <= 20"]), which samplers, tuners and results go by; and of '
            "hyper-parameters by a filter of the space: RandomSearchSpace({...}, filter=lambda config: ...)."
        )


def _check_installed(sampler: type) -> None:
    for name in REQUIREMENTS.get(sampler.__name__, ()):
        if importlib.util.find_spec(name) is None:
            raise TunerError(
                f"{sampler.__name__} needs {name}, which is not installed: pip install 'hippo-tune[optuna]'"
            )


def _made(make: type, options: Mapping[str, Any], seed: int) -> Any:
    _check_installed(make)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", _experimental())  # QMC, since Optuna 3.0
        made = make(**_arguments(make, options, seed))
    if "warn_independent_sampling" not in options and hasattr(made, "_warn_independent_sampling"):
        made._warn_independent_sampling = (
            False  # one line for each choice in each trial; our documentation says it once
        )
    return made


def _experimental() -> type[Warning]:
    from optuna.exceptions import ExperimentalWarning

    return ExperimentalWarning


def _arguments(make: type, options: Mapping[str, Any], seed: int) -> dict[str, Any]:
    known = inspect.signature(make).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        for name in options:
            if name not in known:
                raise TunerError(f"{make.__name__} has no option {name!r}.{did_you_mean(name, known)}")
    for name, parameter in known.items():
        is_wanted = parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        if is_wanted and name != "seed" and name not in options:
            raise TunerError(f"{make.__name__} needs {name!r}: give options={{{name!r}: ...}}")
    return {**options, **({"seed": seed} if "seed" in known and "seed" not in options else {})}


def _described(sampler: Any, options: Mapping[str, Any]) -> str:
    if isinstance(sampler, str):
        return _called(f"optuna.{SAMPLERS[sampler]}", options)
    if isinstance(sampler, type):
        return _called(_name(sampler), options)
    if callable(sampler) and not hasattr(sampler, "sample_relative"):
        return _coded(sampler)
    return _settings(sampler, set())


def _name(kind: type) -> str:
    room = kind.__module__.partition(".")[0]
    return f"{'optuna' if room == 'optuna' else kind.__module__}.{kind.__qualname__}"


def _called(name: str, options: Mapping[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={_setting(options[key], set())}' for key in sorted(options))})"


def _settings(thing: Any, seen: set[int]) -> str:
    """Describe an instance by its attributes; caches and generators of chance are none of its settings."""
    if id(thing) in seen:
        return "..."
    seen.add(id(thing))
    attributes = {
        name: _setting(value, seen)
        for name, value in sorted(vars(thing).items())
        if name != "_seed" and type(value).__name__ not in ("LazyRandomState", "RandomState", "Generator")
    }
    return f"{_name(type(thing))}({attributes})"


def _setting(value: Any, seen: set[int]) -> str:
    if isinstance(value, FunctionType | MethodType | functools.partial):
        return _coded(value)
    if isinstance(value, set | frozenset):
        return str(sorted(_setting(item, seen) for item in value))
    if isinstance(value, list | tuple):
        return str([_setting(item, seen) for item in value])
    if isinstance(value, Mapping):
        return str({str(key): _setting(item, seen) for key, item in value.items()})
    if hasattr(value, "__dict__") and not isinstance(value, type):
        return _settings(value, seen)
    if isinstance(value, type):
        return _name(value)
    return repr(value) if value is None or type(value) in (str, bytes, int, float, bool) else _coded(value)


def _coded(value: Any) -> str:
    """Describe anything by its code and all that it depends on; the repr of an array leaves its middle out."""
    try:
        return f"{getattr(value, '__qualname__', type(value).__qualname__)} {code_hash(value)}"
    except HparamError as error:
        raise TunerError(
            f"The sampler cannot be told from another in the next process. Give a function of a seed that makes it "
            f"instead. ({error})"
        ) from None
