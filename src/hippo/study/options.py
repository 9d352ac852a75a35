"""What users write when they make a study, checked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hippo.errors import HippoError, HparamError, MetricError, did_you_mean
from hippo.records import Objective
from hippo.runtime import KeepPolicy, NanPolicy, NondeterminismPolicy, Settings
from hippo.tuners.budgets import check_steps


class OptionError(HippoError, ValueError):
    """An option of a study has a value that it cannot have."""


def make_settings(
    *,
    metric: str | None,
    mode: str | None,
    direction: str | None,
    keep: str,
    nan: str,
    nondeterminism: str,
    sharing: bool,
    checkpoint_every_s: float,
    hparams: Sequence[str] | None,
) -> Settings:
    """Return the settings of a study.

    Raises:
      OptionError: a value is none of those that are known; the message lists them.
      MetricError: `metric` is no name.
    """
    if isinstance(hparams, str):
        raise HparamError(f"hparams={hparams!r}: give the names as a list, ['{hparams}']")
    if not (_is_number(checkpoint_every_s) and checkpoint_every_s > 0):
        raise OptionError(f"checkpoint_every_s must be a positive number of seconds, not {checkpoint_every_s!r}")
    return Settings(
        objective=make_objective(metric, mode, direction),
        keep=KeepPolicy(_choice("keep", keep, [policy.value for policy in KeepPolicy])),
        nan=NanPolicy(_choice("nan", nan, [policy.value for policy in NanPolicy])),
        nondeterminism=NondeterminismPolicy(
            _choice("nondeterminism", nondeterminism, [policy.value for policy in NondeterminismPolicy])
        ),
        sharing=bool(sharing),
        checkpoint_every_s=float(checkpoint_every_s),
        hparams=None if hparams is None else tuple(hparams),
    )


def make_objective(metric: str | None, mode: str | None, direction: str | None) -> Objective | None:
    """Return the objective; `direction` is Optuna's word ("minimize", "maximize") for `mode`."""
    if direction is not None:
        by_direction = {"minimize": "min", "maximize": "max"}
        _choice("direction", direction, list(by_direction))
        if mode is not None and mode != by_direction[direction]:
            raise OptionError(f"mode={mode!r} contradicts direction={direction!r}; give one of them")
        mode = by_direction[direction]
    if metric is None:
        if mode is not None:
            raise MetricError(f"mode={mode!r} needs a metric: name what evaluate() returns, metric='...'")
        return None
    if not isinstance(metric, str):
        raise MetricError(f"metric must be the name of a metric, not {metric!r}")
    return Objective(metric=metric, mode=_choice("mode", mode if mode is not None else "min", ["min", "max"]))


def check_seed(seed: Any) -> int:
    """Return a seed that is one."""
    check_steps("seed", seed, at_least=0)
    return int(seed)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _choice(name: str, value: Any, known: list[str]) -> str:
    if value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        raise OptionError(f"{name} must be one of {known}, not {value!r}.{hint}")
    return str(value)


def settings_to_text(settings: Settings) -> str:
    """Return settings as JSON."""
    fields = asdict(settings)
    fields.update(keep=settings.keep.value, nan=settings.nan.value, nondeterminism=settings.nondeterminism.value)
    return json.dumps(fields, sort_keys=True)


def settings_from_text(text: str) -> Settings:
    """Return the settings that `settings_to_text` wrote."""
    fields = json.loads(text)
    objective = fields.pop("objective")
    hparams = fields.pop("hparams")
    return Settings(
        objective=None if objective is None else Objective(**objective),
        keep=KeepPolicy(fields.pop("keep")),
        nan=NanPolicy(fields.pop("nan")),
        nondeterminism=NondeterminismPolicy(fields.pop("nondeterminism")),
        hparams=None if hparams is None else tuple(hparams),
        **fields,
    )
