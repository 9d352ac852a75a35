"""Objectives and constraints as users write them, and which way a metric counts by its name alone."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Sequence
from typing import Any, cast, get_args

from hippo.errors import MetricError, OptionError, did_you_mean
from hippo.records import Constraint, Mode, Objective

#: one name, or one for each objective
Names = str | Sequence[str] | None

_CONSTRAINT = re.compile(r"\s*(?P<metric>[^<>]+?)\s*(?P<relation><=|>=)\s*(?P<bound>\S+)\s*")
#: words in names of metrics of which everybody knows what is better
_SMALLER_IS_BETTER = {"loss", "error", "err", "mse", "rmse", "mae", "nll", "perplexity", "ppl", "wer", "cer", "regret"}
_LARGER_IS_BETTER = {"accuracy", "acc", "auc", "auroc", "f1", "precision", "recall", "reward", "bleu", "rouge", "r2"}
#: words that turn the others round, or may: of a drop of the accuracy less is better
_TURNS_ROUND = {
    *("neg", "negative", "minus", "inverse", "inv", "anti", "drop", "gap", "gain", "improvement", "improved"),
    *("increase", "decrease", "reduction", "reduced", "delta", "diff", "difference", "change", "deficit", "shortfall"),
    "saved",
}


def make_objectives(metric: Names, mode: Names, direction: Names) -> tuple[Objective, ...]:
    """Return the objectives, one for each metric; `direction` is Optuna's word ("minimize", "maximize") for `mode`.

    Optuna's own `StudyDirection` is understood, too: what has the name of a direction is one.
    """
    if direction is not None:
        by_direction = {"minimize": "min", "maximize": "max"}
        given = [each.name.lower() if isinstance(each, enum.Enum) else each for each in _listed(direction)]
        asked = [by_direction[one_of("direction", each, list(by_direction))] for each in given]
        if mode is not None and _listed(mode) != asked:
            raise OptionError(f"mode={mode!r} contradicts direction={direction!r}; give one of them")
        mode = asked
    if metric is None:
        if mode is not None:
            raise MetricError(f"mode={mode!r} needs a metric: name what evaluate() returns, metric='...'")
        return ()
    metrics = _listed(metric)
    for name in metrics:
        if not isinstance(name, str) or not name:
            raise MetricError(f"metric must be the name of a metric, or a list of names, not {metric!r}")
    if not metrics or len(set(metrics)) < len(metrics):
        raise MetricError(f"metric={metric!r} must name at least one metric, and none twice")
    modes = (
        [_usual_mode(name) for name in metrics]
        if mode is None
        else [cast("Mode", one_of("mode", given, list(get_args(Mode)))) for given in _listed(mode)]
    )
    if len(modes) != len(metrics):
        raise MetricError(f"{len(metrics)} metrics {metrics} need a mode each, not {modes}: mode=['min', 'max'], say")
    return tuple(Objective(metric=name, mode=given) for name, given in zip(metrics, modes, strict=True))


def _usual_mode(metric: str) -> Mode:
    """Return the mode of a metric whose name tells it.

    Raises:
      MetricError: it does not.
    """
    words = set(re.findall(r"[a-z]+[0-9]*", metric.lower()))
    is_min, is_max = bool(words & _SMALLER_IS_BETTER), bool(words & _LARGER_IS_BETTER)
    if is_min == is_max or words & _TURNS_ROUND:
        raise MetricError(
            f"metric={metric!r} needs a mode: is a smaller value better (mode='min'), or a larger one ('max')?"
        )
    return "min" if is_min else "max"


def make_constraints(constraints: str | Sequence[str] | None) -> tuple[Constraint, ...]:
    """Return the constraints written as "metric <= bound" or "metric >= bound".

    Raises:
      OptionError: one is not, or no value could keep two of them.
    """
    made = tuple(map(_constraint, _listed(constraints))) if constraints is not None else ()
    for upper in made:
        for lower in made:
            if upper.metric == lower.metric and lower.relation > upper.relation and lower.bound > upper.bound:
                raise OptionError(f"no value keeps both {upper} and {lower}")
    return made


def _constraint(text: object) -> Constraint:
    match = _CONSTRAINT.fullmatch(text) if isinstance(text, str) else None
    try:
        if match is not None and math.isfinite(bound := float(match["bound"])):
            return Constraint(metric=match["metric"], relation=match["relation"], bound=bound)
    except ValueError:
        pass
    raise OptionError(
        f"a constraint is written as 'metric <= number' or 'metric >= number', not {text!r}; several stand in a list"
    )


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def one_of(name: str, value: Any, known: list[str]) -> str:
    """Return a value that is one of those known.

    Raises:
      OptionError: it is not; the message lists them.
    """
    if value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        raise OptionError(f"{name} must be one of {known}, not {value!r}.{hint}")
    return str(value)
