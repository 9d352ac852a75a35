"""Functions that people have, as trainers: an objective of Optuna, a trainable of Ray Tune. One line around each.

    trainer, space = hippo.from_optuna(objective)

Neither Optuna nor Ray is imported here; the function may do so. What a function cannot do, share steps, is said once.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from hippo.arguments import explain_calls
from hippo.clock import SystemClock
from hippo.errors import HippoError, OptionError, SpaceError, TrainerError, UnknownArgumentError, did_you_mean
from hippo.hparams import GridSearchSpace, RandomSearchSpace
from hippo.integrations.conditions import conditional_suggestions
from hippo.integrations.config_reads import config_reads
from hippo.integrations.ray_functions import RayTrainer, space_of_ray
from hippo.integrations.suggestions import ConfigTrial, LearningTrial, SuggestedValue
from hippo.saying import say
from hippo.training.function_trainer import FunctionTrainer
from hippo.training.functions import FunctionStopped, Report
from hippo.training.process.streams import fence, seed_generators
from hippo.training.process.turns import turn_taken
from hippo.tuners.budgets import check_steps

if TYPE_CHECKING:
    from hippo.study import Study

#: a space whose names are those that a config may have
Space = GridSearchSpace | RandomSearchSpace

#: arguments of Optuna's `create_study` and `optimize` that have no place here -> what to write
_OPTUNAS = {
    "timeout": "run hippo.Deadline(tuner, seconds=...) on a study",
    "n_jobs": "write engine=hippo.LocalEngine(workers=...)",
    "study_name": "the study's name is the first argument",
    "pruner": "give max_steps, with which trials worse than the median are stopped; or run another tuner on a study",
    "show_progress_bar": "leave it out; progress is shown wherever there is a terminal",
    "gc_after_trial": "leave it out",
    "catch": "leave it out; an objective that raises fails its trial, and the others go on",
}


class AdaptedFunction(NamedTuple):
    """A function as hippo takes it: `trainer, space = ...`, for `hippo.create_study` and any tuner."""

    #: for `create_study(trainer=...)`
    trainer: type[FunctionTrainer]
    #: what its configs are taken from; None where nobody said
    space: Space | None

    @explain_calls()
    def optimize(
        self,
        name: str | None = None,
        *,
        n_trials: int,
        max_steps: int | None = None,
        sampler: Any = "tpe",
        seed: int = 0,
        **options: Any,
    ) -> Study:
        """Run a study in Optuna's manner, and return it. Run again, it goes on where it was stopped.

        Args:
          name: of the study; by default the function's.
          n_trials: how many configs are tried.
          max_steps: how often the function reports; trials worse than the median are stopped at a report. After so many
            a trial goes on to what the function returns, which is its value, or to one report more, if that comes
            first. None: every function runs to its end, and nothing is stopped.
          sampler: "tpe", another name or class of Optuna's, or "random", which needs no Optuna.
          seed: of the proposals, and of the training.
          **options: as for `hippo.create_study`. `metric` is by default "value", to be made small. An objective that
            returns several values is given as many directions, direction=["minimize", "maximize"]; Optuna's word
            `directions` says the same.

        Raises:
          SpaceError: the function has no space to draw from.
          UnknownArgumentError: an option that nobody knows; where Optuna has one of this name, what to write instead.
        """
        from hippo.study import create_study
        from hippo.tuners import MedianStopping, RandomSearch, Sampled, SamplerSearch

        if not isinstance(self.space, RandomSearchSpace):
            raise SpaceError(
                f"optimize() draws {n_trials} configs, and the space of {self.trainer.__name__}() is {self.space!r}; "
                "give distributions, or run hippo.GridSearch(space, until=...) on a study."
            )
        if max_steps is not None:
            check_steps("max_steps", max_steps)
        _take_directions(options)
        _refuse_unknown(options, inspect.signature(create_study).parameters)
        trainer = self.trainer if max_steps is not None else _in_one_step(self.trainer)
        _name_objectives(options)
        study = create_study(name or self.trainer.__name__, trainer=trainer, seed=seed, **options)
        if max_steps is not None:
            drawn = self.space if sampler == "random" else Sampled(sampler, self.space)
            until = max_steps + 1  # what it returns is the step after its last report
            # Optuna's MedianPruner has five start-up trials, too
            study.optimize(
                MedianStopping(drawn, min_steps=1, max_steps=until, min_trials=5, num_trials=n_trials, seed=seed)
            )
        elif sampler == "random":
            study.optimize(RandomSearch(self.space, num_trials=n_trials, until=1, seed=seed))
        else:
            study.optimize(SamplerSearch(sampler, self.space, until=1, num_trials=n_trials, seed=seed))
        return study


_STUDY = (
    "the study has it: trainer, space = hippo.from_optuna(objective), or .optimize(n_trials=...) of what it returns"
)
_HINTS = dict.fromkeys(("n_trials", "num_samples", "timeout", "direction", "metric", "mode", "study_name"), _STUDY)


@explain_calls(**_HINTS, param_space="it is called space here")
def from_optuna(
    objective: Callable[..., Any],
    space: Space | Mapping[str, Any] | None = None,
    *,
    in_one_step: bool = False,
    keep_paused: int = 0,
) -> AdaptedFunction:
    """Return a trainer that runs an objective of Optuna, and the space that it suggests from.

    A step is the way to the next `trial.report`; where the objective ends, the metric "value" is what it returned
    ("value_0", "value_1", ... for several), and further steps repeat it. `should_prune()` is False: who is given up is
    not asked for another step. Functions share no steps; `docs/coming-from-optuna.md` shows the way to a `Trainer`.

    Args:
      objective: `objective(trial)`, or with `trainer_args` by name behind the trial.
      space: what `suggest_*` is answered from: values outside of their bounds are refused. None: the objective is run
        here once, with the smallest values, up to its first report, and its suggestions make the space.
      in_one_step: take no report as a step: the objective is one step, from its beginning to its end.
      keep_paused: how many objectives may stand still in the memory of a worker, beside the one that runs, to go on
        there. Those that find no room are run again from the beginning if their tuner asks for more, and these steps
        are counted as repeated.

    Raises:
      SpaceError: suggestions depend on each other, so that one run does not show them all; or a value is suggested that
        no config can hold.
      TrainerError: it is no function, or holds what could not be told from something else in the next process.
    """
    function = _Function.of(objective)
    function.check_takes("trial", fully=space is None)
    if space is None:
        suggested, seconds = _learn_space(function)
        learned = {name: wanted.as_distribution(name) for name, wanted in suggested.items()}
        note = f"ran it once up to its first report to learn its space: {', '.join(learned)} ({seconds:.1f} s)"
        found: Space | None = RandomSearchSpace(learned) if learned else None
        needed = tuple(sorted(learned))
    else:
        found = space if isinstance(space, Space) else RandomSearchSpace(space)
        note, needed, suggested = "", (), {}
    _say_once(function.name, note, "coming-from-optuna")
    trainer: Any = function.trainer(OptunaTrainer, found, needed, in_one_step=in_one_step, keep_paused=keep_paused)
    trainer._hippo_learned = suggested
    return AdaptedFunction(trainer, found)


@explain_calls(**_HINTS, space="it is called param_space here", config="it is called param_space here")
def from_ray(
    trainable: Callable[..., Any],
    param_space: Space | Mapping[str, Any] | None = None,
    *,
    in_one_step: bool = False,
    keep_paused: int = 0,
) -> AdaptedFunction:
    """Return a trainer that runs a function trainable of Ray Tune, and the space that its `param_space` says.

    A step is the way to the next `tune.report`, or the next `yield`; where the function ends, metrics are what it
    returned, or else what it reported last, and further steps repeat them. Checkpoints that it reports are not used.
    Functions share no steps; `docs/coming-from-ray-tune.md` shows the way to a `Trainer`.

    Args:
      trainable: `trainable(config)`, or with `trainer_args` by name behind the config.
      param_space: Ray's, with distributions or `grid_search` of Ray Tune or of hippo; a space of hippo; or None.
      in_one_step, keep_paused: as for `from_optuna`.

    Raises:
      SpaceError: something of Ray's has no counterpart; the message says what to write.
      TrainerError: it is no function, or holds what could not be told from something else in the next process.
    """
    if isinstance(trainable, type):
        raise TrainerError(
            f"{trainable.__name__} is a class, and nearly a hippo.Trainer: let setup() be build(), step() be train() "
            "and evaluate(), save_checkpoint() be state_dict(), load_checkpoint() be load_state_dict()."
        )
    function = _Function.of(trainable)
    function.check_takes("config", fully=False)
    if not isinstance(param_space, Space | Mapping | None):
        raise SpaceError(
            f"param_space must be a dictionary, such as {{'lr': hippo.uniform(0, 1)}}, not {param_space!r}"
        )
    found = param_space if param_space is None or isinstance(param_space, Space) else space_of_ray(param_space)
    _say_once(function.name, "", "coming-from-ray-tune")
    read = config_reads(cast("FunctionType", function.function), position=len(function.before))
    trainer = function.trainer(RayTrainer, found, (), in_one_step=in_one_step, keep_paused=keep_paused, read=read)
    return AdaptedFunction(trainer, found)


class OptunaTrainer(FunctionTrainer):
    """Runs an objective of Optuna from report to report."""

    #: what it suggested when its space was learned, by name
    _hippo_learned: ClassVar[Mapping[str, SuggestedValue]] = {}

    def call(self, values: Mapping[str, Any], report: Report) -> Any:
        trial = ConfigTrial(values, report, self._warn, self._hippo_learned)
        try:
            return self.function(trial, **self.arguments)
        except Exception as error:
            if not _is_pruned(error):
                raise
            # by a condition of its own: as a result, even its last report, it might be the best of the study
            raise TrainerError(
                f"{self.name}() raised {error!r} by a condition of its own: its trial is out, and never the best one."
            ) from error

    def metrics_of(self, returned: Any) -> Mapping[str, Any]:
        try:
            if isinstance(returned, list | tuple):
                return {f"value_{number}": float(value) for number, value in enumerate(returned)}
            return {"value": float(returned)}
        except (TypeError, ValueError):
            raise TrainerError(
                f"{self.name}() returned {returned!r}; an objective returns a number, or several of them."
            ) from None

    def _warn(self, what: str) -> None:
        warnings.warn(f"{self.name}(): {what}.", stacklevel=3)  # the objective's line: above us is its trial


class _Function(NamedTuple):
    """What was handed over, taken apart so that its code and its values can be told from others."""

    function: FunctionType
    #: for messages
    name: str
    #: what goes before, and by name behind, what hippo passes
    before: tuple[Any, ...]
    named: Mapping[str, Any]

    @classmethod
    def of(cls, given: Any) -> _Function:
        """Take a function, a method, a `functools.partial` or an object with `__call__` apart.

        Raises:
          TrainerError: it is none of them, or keeps values that could not be compared in the next process.
        """
        if isinstance(given, functools.partial):
            inner = cls.of(given.func)
            _check_plain(given.args, f"{inner.name}() is given an argument in advance")
            for name, value in given.keywords.items():
                _check_plain(value, f"{inner.name}() is given {name}= in advance")
            return inner._replace(before=(*inner.before, *given.args), named={**inner.named, **given.keywords})
        if isinstance(given, MethodType):
            _check_object(given.__self__)
            return cls(_plain_function(given.__func__, given), given.__name__, (given.__self__,), {})
        if isinstance(given, FunctionType):
            return cls(given, given.__name__.strip("<>"), (), {})
        call = getattr(given, "__call__", None)  # noqa: B004 - it is taken apart, not asked for
        if isinstance(call, MethodType) and not isinstance(given, type):
            return cls.of(call)._replace(name=type(given).__name__)
        raise TrainerError(f"{given!r} is no function that could be trained.")

    def check_takes(self, first: str, *, fully: bool) -> None:
        """Refuse a function that cannot be called with what it is given; unless `fully`, `trainer_args` may name more.

        Raises:
          TrainerError: it takes nothing.
        """
        try:
            signature = inspect.signature(self.function)
            (signature.bind if fully else signature.bind_partial)(*self.before, first, **self.named)
        except TypeError as error:
            raise TrainerError(f"{self.name}() is called with {first} first, which does not fit it: {error}") from None

    def call(self, first: Any) -> Any:
        """Call it as hippo will."""
        return self.function(*self.before, first, **self.named)

    def trainer(
        self,
        base: type[FunctionTrainer],
        space: Space | None,
        needed: tuple[str, ...],
        *,
        in_one_step: bool,
        keep_paused: int,
        read: frozenset[str] | None = None,
    ) -> type[FunctionTrainer]:
        """Return the class of trainers that run it."""
        if not isinstance(in_one_step, bool):
            raise TrainerError(f"in_one_step must be True or False, not {in_one_step!r}.")
        check_steps("keep_paused", keep_paused, at_least=0)
        members: dict[str, Any] = {
            "__module__": self.function.__module__,
            "__qualname__": self.name,
            "__doc__": self.function.__doc__,
            "function": staticmethod(self.function),
            "in_one_step": in_one_step,
            "_hippo_known": None if space is None else tuple(sorted(_names(space))),
            "_hippo_needed": needed,
            "_hippo_read": read,
            "_hippo_keep_paused": keep_paused,
        }
        if self.before or self.named:
            members["function"] = staticmethod(functools.partial(self.function, *self.before, **self.named))
            members["given"] = [_settings(self.before), _settings(dict(self.named))]  # in the code's fingerprint
            members["code"] = staticmethod(self.function)
            members.update({f"class_{i}": type(thing) for i, thing in enumerate(self.before) if not _is_plain(thing)})
        return type(self.name, (base,), members)


def _take_directions(options: dict[str, Any]) -> None:
    """Let Optuna's `directions` be `direction`.

    Raises:
      OptionError: both are given.
    """
    directions = options.pop("directions", None)
    if directions is None:
        return
    if options.get("direction") is not None:
        raise OptionError(f"directions={directions!r} and direction={options['direction']!r}: give one of them")
    options["direction"] = directions


def _name_objectives(options: dict[str, Any]) -> None:
    """Name the metrics of an objective where its user did not: "value", or "value_0", ... for several directions."""
    ways = options.get("direction") or options.get("mode")
    several = len(ways) if isinstance(ways, list | tuple) and len(ways) > 1 else 0
    options.setdefault("metric", [f"value_{number}" for number in range(several)] if several else "value")
    if "direction" not in options and isinstance(options["metric"], str):
        options.setdefault("mode", "min")


def _refuse_unknown(options: Mapping[str, Any], known: Iterable[str]) -> None:
    names = sorted(known)
    for option in options:
        if option not in names:
            what = _OPTUNAS.get(option) or f"there are {names}.{did_you_mean(option, names)}"
            raise UnknownArgumentError(f"optimize() got an unexpected keyword argument {option!r}: {what}")


def _in_one_step(trainer: type[FunctionTrainer]) -> type[FunctionTrainer]:
    if trainer.in_one_step:
        return trainer
    made_by_python = ("_abc_impl", "__abstractmethods__", "__dict__", "__weakref__")
    members = {name: value for name, value in vars(trainer).items() if name not in made_by_python}
    members |= {"__qualname__": trainer.__qualname__, "in_one_step": True}
    return type(trainer.__name__, trainer.__bases__, members)


def _names(space: Space) -> list[str]:
    return list(space.hparams) if isinstance(space, RandomSearchSpace) else list(next(iter(space)))


def _learn_space(function: _Function) -> tuple[dict[str, SuggestedValue], float]:
    """Run an objective up to its first report; return what it suggests, and how long it took."""
    branches = conditional_suggestions(cast("FunctionType", function.function))
    if branches:
        raise SpaceError(
            f"{function.name}() has suggestions that depend on other ones, so that one run does not show them all: "
            f"{'; '.join(branches)}. Give a space that has the names of all; those that a config has no use for are "
            f"not asked for: hippo.from_optuna({function.name}, space=hippo.RandomSearchSpace({{...}}))."
        )
    trial = LearningTrial()
    clock = SystemClock()
    started_s = clock.elapsed()
    with turn_taken(), fence(), _explained(function.name):
        seed_generators(0)
        with contextlib.suppress(FunctionStopped):
            function.call(trial)
    return trial.suggested, clock.elapsed() - started_s


@contextlib.contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except HippoError:
        raise
    except Exception as error:
        if _is_pruned(error):
            return
        error.add_note(
            f"hippo ran {name}() up to its first report, to learn what it suggests. If it needs what is not here, give "
            f"its space instead: hippo.from_optuna({name}, space=hippo.RandomSearchSpace({{...}}))."
        )
        raise


def _is_pruned(error: BaseException) -> bool:
    optuna = sys.modules.get("optuna")
    return optuna is not None and isinstance(error, optuna.TrialPruned)


class _Said:
    """What was said in this process already."""

    names: ClassVar[set[str]] = set()


def _say_once(name: str, note: str, page: str) -> None:
    if name in _Said.names:
        return
    _Said.names.add(name)
    say(
        f"{name}() runs as it is{f': {note}' if note else ''}. Trials of a function share no steps, since "
        f"nobody can save it half-way; those of a hippo.Trainer do, and docs/{page}.md shows the way."
    )


def _plain_function(function: object, given: object) -> FunctionType:
    if not isinstance(function, FunctionType):
        raise TrainerError(f"{given!r} is no function that could be trained.")
    return function


def _check_object(thing: object) -> None:
    for name, value in vars(thing).items() if hasattr(thing, "__dict__") else ():
        _check_plain(value, f"{type(thing).__name__} has an attribute {name!r}")


def _check_plain(value: object, what: str) -> None:
    if not _is_plain(value):
        raise TrainerError(
            f"{what}, {type(value).__name__}, which could not be told from another one in the next process: results of "
            "one might be taken for the other's. Load it within the function, by a name or number in trainer_args."
        )


def _is_plain(value: object) -> bool:
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return value is None or type(value) in (bool, int, float, complex, str, bytes) or isinstance(value, PurePath)


def _settings(value: Any) -> Any:
    """Return values that come with a function as what can be compared: an object by its class and attributes."""
    if isinstance(value, tuple | list):
        return [_settings(item) for item in value]
    if _is_plain(value):
        return value
    return {"class": f"{type(value).__module__}.{type(value).__qualname__}", "attributes": dict(vars(value))}
