"""What `MLTuner` refuses before anything is trained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hippo.errors import BudgetError, TunerError, UnknownHparamError, did_you_mean
from hippo.hparams import Config, Constant, RandomSearchSpace, as_sequence
from hippo.hparams.templates import Choice, is_open
from hippo.records import FUSED, Objective
from hippo.tuners.budgets import check_flag, check_seed, check_steps
from hippo.tuners.number_lines import line_of
from hippo.tuners.sampled import Sampled
from hippo.tuners.samplers import SAMPLERS, check_sampler
from hippo.tuners.settings import count_grid

if TYPE_CHECKING:
    from hippo.tuners.mltuner import MLTuner

#: what trainers call it
_BATCH_SIZE = "batch_size"
#: how branches are trained
BRANCHES = ("exact", FUSED)
#: how trial times are counted
TIMES = ("steps", "seconds")


def check_mltuner(tuner: MLTuner) -> None:
    """Refuse arguments that contradict each other, or cannot be meant.

    Raises:
      BudgetError, TunerError, UnknownHparamError: says which, and what to write.
    """
    _check_numbers(tuner)
    tunables = _tunables(tuner.space)
    _check_sampler(tuner)
    _check_fixed(tuner.fixed, tunables)
    if tuner.start is not None:
        _check_start(tuner.start, tuner.space, tunables)
    _check_names(tuner, tunables)


def check_objectives(objectives: Sequence[Objective], progress: str) -> None:
    """Refuse a study that does not say when it has come to a plateau, or the opposite of what branches are compared by.

    Args:
      objectives: what the study optimises.
      progress: what is to fall.

    Raises:
      TunerError: it has several objectives, or none; or makes large what is to fall.
    """
    if len(objectives) != 1:
        names = [objective.metric for objective in objectives]
        raise TunerError(
            f"MLTuner tunes one run by one objective, and the study has {len(names)}: {names}; give it one"
        )
    if objectives[0].metric == progress and objectives[0].mode == "max":
        raise TunerError(
            f"the study makes {progress!r} large, and MLTuner prefers the branch whose {progress!r} falls fastest: let "
            "train() return its loss, and name that by progress=...; or create the study with mode='min'"
        )


def uneven_steps(tuner: MLTuner, samples_per_step: Any) -> tuple[str, ...]:
    """Return what is to be said of batch sizes that do not divide a step; nothing, if all do, or a step is an epoch.

    Branches are compared by steps, and such a step ends in a batch that is smaller than the others, and so noisier.
    """
    if type(samples_per_step) is not int:
        return ()
    entry = {**tuner.fixed, **tuner.space.hparams}.get(_BATCH_SIZE)
    options = entry.options if isinstance(entry, Choice) else (entry,)
    uneven = [size for size in options if type(size) is int and size > 0 and samples_per_step % size]
    if not uneven:
        return ()
    last = ", ".join(f"{samples_per_step % size} at batch_size={size}" for size in uneven)
    return (
        f"MLTuner compares branches by steps of samples_per_step={samples_per_step} samples, and the last batch of a "
        f"step is smaller than the others: {last}. Its loss is noisier, so that branches of these sizes look slower; "
        "take batch sizes that divide a step, or steps that they divide",
    )


def _check_numbers(tuner: MLTuner) -> None:
    for name in ("max_steps", "check_every", "patience", "max_trials", "together", "width"):
        check_steps(name, getattr(tuner, name))
    check_steps("windows", tuner.windows, at_least=2)
    check_steps("max_live", tuner.max_live, at_least=3)
    check_seed(tuner.seed)
    check_flag("retune", tuner.retune)
    if tuner.check_every > tuner.max_steps:
        raise BudgetError(
            f"check_every={tuner.check_every} is above max_steps={tuner.max_steps}: the run would never be evaluated "
            "before its end; lower it"
        )
    if tuner.windows > tuner.max_steps:
        raise BudgetError(
            f"windows={tuner.windows} is above max_steps={tuner.max_steps}: no branch is shorter, and none may be "
            "longer; count in shorter steps"
        )
    if tuner.max_live < tuner.together + tuner.width + 1:
        best = "the best branch" if tuner.width == 1 else f"the width={tuner.width} best branches"
        raise BudgetError(
            f"max_live={tuner.max_live} has no room for the parent, {best} and together={tuner.together} "
            f"more; give at least {tuner.together + tuner.width + 1}"
        )
    if tuner.branches not in BRANCHES:
        raise TunerError(
            f"branches must be one of {list(BRANCHES)}, not {tuner.branches!r}."
            + did_you_mean(str(tuner.branches), BRANCHES)
        )
    if tuner.branches == FUSED and tuner.together == 1:
        raise BudgetError(
            "branches='fused' walks those branches as one that are tried at a time, and together=1 tries one: give "
            "together=16, say, and max_live=24"
        )
    if tuner.time not in TIMES:
        raise TunerError(
            f"time must be one of {list(TIMES)}, not {tuner.time!r}.{did_you_mean(str(tuner.time), TIMES)}"
        )


def _tunables(space: Any) -> Mapping[str, Any]:
    """Return what is tuned, by name.

    Raises:
      TunerError: there is nothing to be tuned.
    """
    if not isinstance(space, RandomSearchSpace):
        raise TunerError(
            f"MLTuner draws settings of its tunables: give a RandomSearchSpace, {{'lr': loguniform(1e-5, 1)}}, say, "
            f"not {type(space).__name__}"
        )
    tunables = space.hparams
    if not any(map(is_open, tunables.values())):
        raise TunerError(f"the space has no distribution, so there is nothing to tune: {tunables!r}")
    return tunables


def _check_sampler(tuner: MLTuner) -> None:
    if not isinstance(tuner.sampler, str) or tuner.sampler != "grid":
        known = [*SAMPLERS, "grid"]
        if isinstance(tuner.sampler, str) and tuner.sampler not in known:
            raise TunerError(
                f"There is no sampler {tuner.sampler!r}, only {sorted(known)}.{did_you_mean(tuner.sampler, known)}"
            )
        check_sampler(tuner.sampler, tuner.options)
        Sampled(tuner.sampler, tuner.space, tuner.options)
        return
    if tuner.options:
        raise TunerError(f"options={dict(tuner.options)!r} are for a sampler, and a grid has none")
    count = count_grid(tuner.space)
    if count > tuner.max_trials and tuner.start is None:
        raise BudgetError(
            f"the grid has {count} settings, and max_trials={tuner.max_trials} would leave some of them out at random; "
            "raise it, or take another sampler"
        )


def _check_fixed(fixed: Any, tunables: Mapping[str, Any]) -> None:
    if not isinstance(fixed, Mapping):
        raise TunerError(f"fixed must be {{name: value}}, not {fixed!r}")
    both = sorted(set(fixed) & set(tunables))
    if both:
        raise TunerError(f"{both[0]!r} is both in the space and in fixed; take it out of one of them")
    for name, value in fixed.items():
        if is_open(value):
            raise TunerError(f"fixed has {name}={value!r}, which is drawn; put it into the space")
    Config(fixed)


def _check_start(start: Any, space: RandomSearchSpace, tunables: Mapping[str, Any]) -> None:
    if not isinstance(start, Mapping):
        raise TunerError(f"start must be {{tunable: value}}, not {start!r}")
    for name in sorted(set(tunables) - set(start)):
        raise TunerError(f"start has no {name!r}: it needs a value of each tunable, {sorted(tunables)}")
    for name in start:
        _check_known("start", name, tunables)
    for name, value in start.items():
        line = line_of(tunables[name])
        given = as_sequence(value)
        number: Any = given.value if isinstance(given, Constant) else None  # numpy's numbers are Python's there
        if line is not None and not isinstance(number, int | float):
            raise TunerError(f"start has {name}={value!r}, which is no number, and {tunables[name]!r} draws numbers")
        if line is not None and not line.low <= number <= line.high:
            raise TunerError(f"start has {name}={value!r}, which is outside of {tunables[name]!r}")
        entry = tunables[name]
        is_listed = isinstance(entry, Choice) and not any(map(is_open, entry.options))
        if is_listed and given not in map(as_sequence, entry.options):
            raise TunerError(f"start has {name}={value!r}, which is none of {list(entry.options)}")
    if not space.allows(Config(start)):
        raise TunerError(f"start={dict(start)!r} is refused by the space's filter")


def _check_names(tuner: MLTuner, tunables: Mapping[str, Any]) -> None:
    progress: Any = tuner.progress
    if not isinstance(progress, str) or not progress:
        raise TunerError(f"progress is the name of what train() returns, not {progress!r}")
    if tuner.probe is not None:
        if not isinstance(tuner.probe, Mapping):
            raise TunerError(f"probe must be {{tunable: value}}, such as {{'lr': 0.0}}, or None, not {tuner.probe!r}")
        if tuner.start is None:
            for name in tuner.probe:
                _check_known("probe", name, tunables, "; name the learning rate, or say probe=None")
    _check_costs(tuner.costs, tunables)
    if tuner.prefer is not None:
        _check_known("prefer", tuner.prefer, tunables, "; name the learning rate, or say prefer=None")
        entry = tunables[tuner.prefer]
        options: Iterable[Any] = entry.options if isinstance(entry, Choice) else ()
        is_number = line_of(entry) is not None or all(isinstance(option, int | float) for option in options)
        if not is_number:
            raise TunerError(
                f"prefer={tuner.prefer!r} takes the smallest, and {entry!r} are no numbers; say prefer=None"
            )


def _check_costs(costs: Any, tunables: Mapping[str, Any]) -> None:
    if isinstance(costs, str) or not isinstance(costs, Iterable):
        raise TunerError(f"costs must be a list of tunables, ['batch_size'], say, not {costs!r}")
    for name in costs:
        if name != _BATCH_SIZE:  # that is the default, and need not be tuned
            _check_known("costs", name, tunables)


def _check_known(argument: str, name: str, tunables: Mapping[str, Any], hint: str = "") -> None:
    if name not in tunables:
        raise UnknownHparamError(
            f"{argument} names {name!r}, which is no tunable; there are {sorted(tunables)}{hint}."
            + did_you_mean(str(name), tunables)
        )
