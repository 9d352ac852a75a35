"""A space of distributions in Optuna's words: its parameters, and the config that their values make.

Distributions within sequences are parameters of their own, named by where they stand: "lr", "lr.gamma", "lr[2].final".
Options of a `choice` stand as they are where Optuna can hold and tell them apart, else as their text.
This module imports Optuna; it is imported when a sampler is needed, not before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from hippo.errors import SpaceError, TunerError, UnknownHparamError, did_you_mean
from hippo.hparams import Config, Distribution, RandomSearchSpace
from hippo.hparams.sequence import plain
from hippo.hparams.templates import Choice, filled
from hippo.tuners.number_lines import NumberLine, line_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from optuna.trial import BaseTrial

#: up to here floats are all whole numbers
_LARGEST = 2**53
#: name of a parameter -> its value, as Optuna holds it
Params = dict[str, Any]


class OptunaSpace:
    """The parameters of a space.

    Args:
      space: whose filter is not looked at here.

    Raises:
      SpaceError: two parameters have the same name.
    """

    def __init__(self, space: RandomSearchSpace) -> None:
        self._hparams = space.hparams
        self._distributions: dict[str, BaseDistribution] = {}
        self._ours: dict[str, Distribution] = {}

    def suggest(self, trial: BaseTrial) -> tuple[Params, Config]:
        """Let a trial of Optuna suggest values; return them as they are trained, and their config.

        Raises:
          TunerError: a suggestion lies outside the space.
        """

        def suggested(name: str, distribution: BaseDistribution) -> Any:
            try:
                return _suggested(trial, name, distribution)
            except ValueError as error:
                raise TunerError(
                    f"The sampler proposed for {name!r} what is outside of {distribution}: {error}"
                ) from None

        return self._walk(suggested)

    def draw(self, rng: Generator) -> tuple[Params, Config]:
        """Draw values as `RandomSearchSpace.sample` would, each from its own distribution."""

        def drawn(name: str, _: BaseDistribution) -> Any:
            ours = self._ours[name]
            if isinstance(ours, Choice):
                return labels(ours)[int(rng.integers(len(ours.options)))]
            return ours.sample(rng)

        return self._walk(drawn)

    def config(self, params: Mapping[str, Any]) -> Config:
        """Return the config that these values make; names that it has no use for are left aside.

        Raises:
          UnknownHparamError: a parameter is missing.
          TunerError: a value lies outside the space.
        """
        return self.completed(params, _missing(params))[1]

    def completed(
        self, params: Mapping[str, Any], otherwise: Callable[[str, BaseDistribution], Any]
    ) -> tuple[Params, Config]:
        """Return the values that are in use, and their config; `otherwise` says what a missing one is."""
        return self._walk(lambda name, d: params[name] if name in params else otherwise(name, d))

    def distribution(self, name: str) -> Distribution:
        """Return our own distribution of a parameter that was in use before."""
        return self._ours[name]

    def distributions(self, params: Mapping[str, Any]) -> dict[str, BaseDistribution]:
        """Return Optuna's distributions of the parameters that make a config.

        Raises:
          UnknownHparamError: a parameter is missing.
          TunerError: a value lies outside the space.
        """
        if not params.keys() <= self._distributions.keys():
            self.config(params)  # meets them
        return {name: self._distributions[name] for name in params}

    def _walk(self, value_of: Callable[[str, BaseDistribution], Any]) -> tuple[Params, Config]:
        params: Params = {}

        def choose(name: str, ours: Distribution) -> Any:
            distribution = self._distribution(name, ours)
            line = line_of(ours)
            value = _checked(name, distribution, value_of(name, distribution), line)
            if isinstance(ours, Choice):
                params[name] = value
                return labels(ours).index(value)
            params[name] = value = value if line is None or line.quantum is None else line.nearest(value)
            return value

        config = Config({name: filled(value, name, choose) for name, value in self._hparams.items()})
        return params, config

    def _distribution(self, name: str, ours: Distribution) -> BaseDistribution:
        if self._ours.setdefault(name, ours) is not ours:
            raise SpaceError(
                f"Two parameters of the space are called {name!r}: a hyper-parameter, and an argument of "
                "another one. Give the hyper-parameter another name."
            )
        if name not in self._distributions:
            self._distributions[name] = as_optuna(ours)
        return self._distributions[name]


def as_optuna(distribution: Distribution) -> BaseDistribution:
    """Return Optuna's distribution with the same values.

    Deviation: Optuna has no quantised logarithmic one; there, values between the multiples are proposed, and rounded to
    them before a sampler learns from them.
    """
    if isinstance(distribution, Choice):
        return CategoricalDistribution(labels(distribution))
    line = line_of(distribution)
    if line is None:
        raise SpaceError(f"{distribution!r} cannot be searched by a sampler: it is neither a range nor a choice.")
    if line.is_integer and max(abs(line.low), abs(line.high)) > _LARGEST:
        raise SpaceError(
            f"{distribution!r} cannot be searched by a sampler: Optuna reckons in floats, which tell whole numbers "
            "apart up to 2**53. Take a smaller range, choice([...]), or RandomSearch, which draws any of 64 bits."
        )
    if line.is_integer and line.is_log:
        return IntDistribution(int(line.low), int(line.high), log=True)
    if line.is_integer:
        return IntDistribution(int(line.low), int(line.high), step=int(line.quantum or 1))
    step = None if line.is_log else line.quantum
    return FloatDistribution(line.low, line.high, log=line.is_log, step=step)


def labels(choice: Choice) -> list[Any]:
    """Return what stands for each option: itself if Optuna can hold it, its text if not, with its place if needed."""
    options = [plain(option) for option in choice.options]
    are_plain = all(option is None or isinstance(option, bool | int | float | str) for option in options)
    if are_plain and len(set(options)) == len(options):  # 1, 1.0 and True are one value to Optuna
        return options
    texts = [repr(option) for option in options]
    if len(set(texts)) == len(texts):
        return texts
    return [f"[{i}] {text}" for i, text in enumerate(texts)]


def _suggested(trial: BaseTrial, name: str, distribution: BaseDistribution) -> Any:
    match distribution:
        case FloatDistribution(low=low, high=high, log=log, step=step):
            return trial.suggest_float(name, low, high, log=log, step=step)
        case IntDistribution(low=low, high=high, log=log, step=step):
            return trial.suggest_int(name, low, high, log=log, step=step)
        case CategoricalDistribution(choices=choices):
            return trial.suggest_categorical(name, choices)
    raise AssertionError(distribution)


def _checked(name: str, distribution: BaseDistribution, value: Any, line: NumberLine | None) -> Any:
    try:
        is_inside = distribution._contains(distribution.to_internal_repr(value))
    except ValueError:
        is_inside = False
    if not is_inside and not (line is not None and _is_multiple(line, value)):
        raise TunerError(
            f"The value {value!r} for {name!r} is outside of {distribution}. If a sampler of your own proposed it, let "
            "it keep to the distribution that it is given."
        )
    return value


def _is_multiple(line: NumberLine, value: Any) -> bool:
    """Tell whether a number is one that is drawn, but for the last bits: of many small steps Optuna asks too much."""
    if not isinstance(value, float) or line.quantum is None or not line.low <= value <= line.high:
        return False
    return math.isclose(value, line.nearest(value), rel_tol=1e-12)


def _missing(params: Mapping[str, Any]) -> Callable[[str, BaseDistribution], Any]:
    def missing(name: str, _: BaseDistribution) -> Any:
        raise UnknownHparamError(
            f"The parameter {name!r} has no value; there are {sorted(params)}.{did_you_mean(name, params)}"
        )

    return missing
