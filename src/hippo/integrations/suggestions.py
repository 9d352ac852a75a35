"""What an Optuna objective holds as its trial: suggestions are a config's values, or are written down to learn a space.

It answers to the names of `optuna.trial.Trial` that an objective calls, and imports no Optuna. It refuses to choose
values: the caller of the objective has chosen them.
"""

from __future__ import annotations

import datetime
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hippo import hparams
from hippo.clock import SystemClock
from hippo.errors import HparamError, SpaceError, TrainerError, UnknownHparamError, did_you_mean
from hippo.hparams import Config, choice, loguniform, qloguniform, qrandint, quniform, randint, uniform
from hippo.hparams.values import canonical, canonical_text
from hippo.training.functions import FunctionStopped

#: as many values a stepped range may have where hippo knows it only as a choice
MOST_OPTIONS = 1_000


class SuggestedValue(ABC):
    """What an objective says of a value: where it must lie."""

    @property
    @abstractmethod
    def smallest(self) -> Any:
        """A value that is cheap to try: the low end, or the first choice."""

    @abstractmethod
    def checked(self, name: str, value: Any) -> Any:
        """Return a config's value as the objective wants it.

        Raises:
          HparamError: it lies outside.
        """

    @abstractmethod
    def as_distribution(self, name: str) -> Any:
        """Return what a space draws it from.

        Raises:
          SpaceError: hippo has no such distribution.
        """


@dataclass(frozen=True)
class NumberRange(SuggestedValue):
    """A number between two bounds, both included."""

    low: float
    high: float
    step: float | None
    log: bool
    is_integer: bool

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise SpaceError(f"low={self.low!r} is above high={self.high!r}.")
        if self.log and self.low <= 0:
            raise SpaceError(f"log=True needs low above 0, not {self.low!r}.")
        if self.step is not None and self.step <= 0:
            raise SpaceError(f"step must be above 0, not {self.step!r}.")
        if self.log and self.step not in (None, 1):
            raise SpaceError("log=True and step= cannot be given together.")

    @property
    def smallest(self) -> Any:
        return self.low

    def checked(self, name: str, value: Any) -> Any:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not self.low <= value <= self.high:
            raise HparamError(f"The config has {name}={value!r}, but the objective wants {self}.")
        if not self.is_integer:
            return float(value)
        if value != int(value):
            raise HparamError(f"The config has {name}={value!r}, but the objective wants {self}.")
        return int(value)

    def as_distribution(self, name: str) -> Any:
        if self.low == self.high:
            return self.low
        if self.is_integer:
            return self._integers(name)
        if self.log:
            return loguniform(self.low, self.high)
        if self.step is None:
            return uniform(self.low, self.high)
        try:
            return quniform(self.low, self.high, self.step)
        except SpaceError:  # its values are no multiples of the step
            return self._options(name)

    def _integers(self, name: str) -> Any:
        low, high, step = int(self.low), int(self.high), int(self.step or 1)
        if self.log:
            return lograndint(low, high + 1)
        if step == 1:
            return randint(low, high + 1)
        if low % step == 0 and high % step == 0:
            return qrandint(low, high, step)
        return self._options(name)

    def _options(self, name: str) -> Any:
        assert self.step is not None
        low, high, step = (Fraction(repr(number)) for number in (self.low, self.high, self.step))
        count = int((high - low) // step) + 1
        if count > MOST_OPTIONS:
            raise SpaceError(
                f"{name!r} has {count:,} values that are no multiples of their step {self.step!r}. Let low be a "
                "multiple of the step, or give the space yourself: space=hippo.RandomSearchSpace({...})."
            )
        # as one would type them, 0.3 and not 0.30000000000000004: only equal values are equal configs
        as_number = int if self.is_integer else float
        return choice([as_number(low + i * step) for i in range(count)])

    def __str__(self) -> str:
        kind = "an integer" if self.is_integer else "a number"
        return f"{kind} in [{self.low!r}, {self.high!r}]"


@dataclass(frozen=True)
class OneOf(SuggestedValue):
    """One of some choices."""

    choices: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not self.choices:
            raise SpaceError("suggest_categorical() needs at least one choice.")

    @property
    def smallest(self) -> Any:
        return self.choices[0]

    def checked(self, name: str, value: Any) -> Any:
        for option in self.choices:  # a config holds lists where a choice may be a tuple
            if _as_held(option) == _as_held(value):
                return option
        for option in self.choices:  # 1 for 1.0
            if option == value or (isinstance(option, tuple) and list(option) == value):
                return option
        raise HparamError(f"The config has {name}={value!r}, but the objective wants one of {list(self.choices)!r}.")

    def as_distribution(self, name: str) -> Any:
        for option in self.choices:
            try:
                Config({name: option})
            except HparamError:
                raise SpaceError(
                    f"{name!r} has the choice {option!r}, which no config can hold. Suggest a name instead, and look "
                    f"the object up: OPTIONS[trial.suggest_categorical({name!r}, list(OPTIONS))]."
                ) from None
        return self.choices[0] if len(self.choices) == 1 else choice(list(self.choices))


class SuggestingTrial(ABC):
    """What `optuna.trial.Trial` offers an objective."""

    def __init__(self) -> None:
        #: the values suggested so far
        self.params: dict[str, Any] = {}
        #: what the objective said of them
        self.suggested: dict[str, SuggestedValue] = {}
        self.user_attrs: dict[str, Any] = {}
        self.datetime_start = datetime.datetime.fromtimestamp(SystemClock().now())

    def suggest_float(
        self, name: str, low: float, high: float, *, step: float | None = None, log: bool = False
    ) -> float:
        """Return a number between two bounds, both included."""
        range = NumberRange(float(low), float(high), None if step is None else float(step), log, is_integer=False)
        return float(self._suggest(name, range))

    def suggest_int(self, name: str, low: int, high: int, *, step: int = 1, log: bool = False) -> int:
        """Return an integer between two bounds, both included."""
        return int(self._suggest(name, NumberRange(int(low), int(high), int(step), log, is_integer=True)))

    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any:
        """Return one of the choices."""
        return self._suggest(name, OneOf(tuple(choices)))

    def suggest_uniform(self, name: str, low: float, high: float) -> float:
        """Return what `suggest_float` does: Optuna's older name."""
        return self.suggest_float(name, low, high)

    def suggest_loguniform(self, name: str, low: float, high: float) -> float:
        """Return what `suggest_float(log=True)` does: Optuna's older name."""
        return self.suggest_float(name, low, high, log=True)

    def suggest_discrete_uniform(self, name: str, low: float, high: float, q: float) -> float:
        """Return what `suggest_float(step=q)` does: Optuna's older name."""
        return self.suggest_float(name, low, high, step=q)

    @abstractmethod
    def report(self, value: float, step: int) -> None:
        """Tell how good it is so far."""

    def should_prune(self) -> bool:
        """Return False: a trial that its tuner gives up is not asked for another step, and ends where it reported."""
        return False

    def set_user_attr(self, key: str, value: Any) -> None:
        """Note something, for the objective itself: hippo records numbers only, as metrics."""
        self.user_attrs[key] = value

    @property
    def key(self) -> str:
        """A short text of its own for each config, to name files by; hippo's addition to Optuna's names."""
        return hashlib.sha256(repr(sorted(self._all_values().items())).encode()).hexdigest()[:12]

    def __getattr__(self, name: str) -> Any:
        if name == "number":
            raise AttributeError(
                "trial.number is not known to an objective under hippo: trials with equal values are one training. "
                "Name files by trial.key, a text of its own for each config."
            )
        if name == "set_constraint":
            raise AttributeError(
                "trial.set_constraint is not there under hippo, which goes by bounds on metrics: return the value as "
                'a second one, and write .optimize(..., metric="value_0", direction="minimize", '
                'constraints="value_1 <= 0").'
            )
        raise AttributeError(
            f"trial.{name} is not there under hippo, which knows suggest_float, suggest_int, suggest_categorical, "
            "report, should_prune, params, user_attrs, set_user_attr and key."
        )

    def _suggest(self, name: str, wanted: SuggestedValue) -> Any:
        if self.suggested.setdefault(name, wanted) != wanted:
            raise SpaceError(f"The objective suggests {name!r} twice: as {self.suggested[name]} and as {wanted}.")
        self.params[name] = value = self._value(name, wanted)
        return value

    @abstractmethod
    def _value(self, name: str, wanted: SuggestedValue) -> Any:
        """Return the value of a name."""

    @abstractmethod
    def _all_values(self) -> Mapping[str, Any]:
        """Return the values that tell the trial from others."""


class ConfigTrial(SuggestingTrial):
    """A trial whose values are a config's.

    Args:
      values: by name.
      report: what is told of each new report.
      warn: told what the objective does that Optuna warns of, too.
      learned: what the objective suggested when its space was learned, if it was.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        report: Callable[[Mapping[str, Any]], None],
        warn: Callable[[str], None],
        learned: Mapping[str, SuggestedValue] | None = None,
    ) -> None:
        super().__init__()
        self._learned = learned or {}
        self._values = values
        self._tell = report
        self._warn = warn
        self._steps: list[int] = []

    def set_user_attr(self, key: str, value: Any) -> None:
        super().set_user_attr(key, value)
        self._warn(
            f"set_user_attr({key!r}, ...) is noted for the objective itself only, and not kept with the trial; hippo "
            "keeps the numbers that are reported and returned"
        )

    def report(self, value: float, step: int) -> None:
        number = _as_float(value)
        step = _as_step(step)
        if step in self._steps:
            self._warn(f"it reported step {step} a second time, which is not counted, as in Optuna")
            return
        if self._steps and step < self._steps[-1]:
            self._warn(f"it reported step {step} after step {self._steps[-1]}; hippo counts reports as they come")
        self._steps.append(step)
        self._tell({"value": number})

    def _suggest(self, name: str, wanted: SuggestedValue) -> Any:
        if self._learned.get(name, wanted) != wanted:
            raise SpaceError(
                f"The objective suggests {name!r} as {wanted}, and did so as {self._learned[name]} when it was run to "
                "learn its space: that depends on other suggestions, or arguments, and one run does not show it. Give "
                "the space: hippo.from_optuna(objective, space=hippo.RandomSearchSpace({...}))."
            )
        return super()._suggest(name, wanted)

    def _value(self, name: str, wanted: SuggestedValue) -> Any:
        """Return a value of the config, or of a part of it: {"opt": {"name": "sgd", "momentum": 0.9}} has both."""
        parts = [part for part in self._values.values() if isinstance(part, Mapping)]
        holder = next((part for part in (self._values, *parts) if name in part), None)
        if holder is None:
            raise UnknownHparamError(
                f"The objective suggests {name!r}, and the config has only {sorted(self._values)}."
                f"{did_you_mean(name, self._values)} Where a suggestion depends on another one, give a space that has "
                "the names of all: hippo.from_optuna(objective, space=hippo.RandomSearchSpace({...}))."
            )
        value = holder[name]
        return wanted.checked(name, value["name"] if isinstance(value, Mapping) and "name" in value else value)

    def _all_values(self) -> Mapping[str, Any]:
        return self._values


class LearningTrial(SuggestingTrial):
    """A trial that writes suggestions down, answers with small values, and ends where the objective reports."""

    def report(self, value: float, step: int) -> None:
        raise FunctionStopped

    def _value(self, name: str, wanted: SuggestedValue) -> Any:
        return wanted.smallest

    def _all_values(self) -> Mapping[str, Any]:
        return self.params


def _as_held(option: Any) -> str | None:
    """Return what tells a choice from others in a config, None where no config can hold it."""
    try:
        return canonical_text(canonical(option))
    except HparamError:
        return None


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TrainerError(
            f"trial.report({value!r}, ...): a value is a number, not a {type(value).__name__}."
        ) from None


def _as_step(step: Any) -> int:
    try:
        number = int(step)
    except (TypeError, ValueError):
        raise TrainerError(f"trial.report(..., step={step!r}): a step is an integer.") from None
    if number < 0:
        raise TrainerError(f"trial.report(..., step={number}): a step is at least 0.")
    return number


def lograndint(low: int, high: int) -> Any:
    """Return the distribution over the integers low, ..., high - 1 whose logarithm is about uniform."""
    known = getattr(hparams, "lograndint", None)
    return known(low, high) if known is not None else qloguniform(low, high - 1, 1)
