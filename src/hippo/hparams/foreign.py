"""Hints for what other libraries put in the place of a value: the line of hippo's that says the same.

Ray Tune's domains and Optuna's distributions are recognised by their looks and never imported. They are not converted:
whoever reads the script shall see what is drawn, and by whom.
"""

from __future__ import annotations

import math
from typing import Any


def hint_for(value: object) -> str | None:
    """Return what to write in the place of another library's object, or of a function; None for anything else."""
    room = type(value).__module__
    if room.startswith("optuna"):
        return _optuna_hint(value)
    if room.startswith("ray.tune"):
        return _ray_hint(value)
    if callable(value) and not isinstance(value, type) and not hasattr(value, "item"):
        return (
            "hippo has no sample_from: a function cannot be compared, stored or shared. Write a distribution, such as "
            "hippo.loguniform(1e-4, 1); hippo.choice({...}, {...}) where one value decides about others; or a filter=. "
            "A value that changes over the steps is a sequence, such as hippo.Cosine(0.1, 30), or one of your own: a "
            "class derived from hippo.Sequence, with value(self, t)"
        )
    return None


def _optuna_hint(value: Any) -> str:
    kind = type(value).__name__
    written = None
    if kind in ("FloatDistribution", "IntDistribution") and not _are_multiples(value):
        number = "{low!r} + {step!r} * i" if kind == "IntDistribution" else "round({low!r} + {step!r} * i, 12)"
        number = number.format(low=value.low, step=value.step)
        written = f"hippo.choice([{number} for i in range({round((value.high - value.low) / value.step) + 1})])"
    elif kind in ("FloatDistribution", "IntDistribution"):
        written = _range(
            value.low,
            value.high,
            is_log=bool(value.log),
            q=value.step if kind == "FloatDistribution" or value.step != 1 else None,
            is_integer=kind == "IntDistribution",
            is_high_included=True,
        )
    elif kind == "CategoricalDistribution":
        written = f"hippo.choice({', '.join(map(repr, value.choices))})"
    return _written(f"{kind} is Optuna's", written)


def _are_multiples(value: Any) -> bool:
    """Tell whether Optuna's values, which count from the low end, are the multiples of the step, as ours are."""
    return not value.step or math.isclose(value.low / value.step, round(value.low / value.step))


def _ray_hint(value: Any) -> str:
    kind = type(value).__name__
    sampler = getattr(value, "sampler", None)
    q = getattr(sampler, "q", None)
    inner = getattr(sampler, "sampler", sampler)  # a quantised one stands around another
    written = None
    if kind in ("Float", "Integer") and "Normal" in type(inner).__name__:
        written = f"hippo.randn({inner.mean!r}, {inner.sd!r})"  # type: ignore[union-attr]
        if q is not None:
            written = f"hippo.qrandn({inner.mean!r}, {inner.sd!r}, {q!r})"  # type: ignore[union-attr]
    elif kind in ("Float", "Integer"):
        is_log = "LogUniform" in type(inner).__name__
        written = _range(value.lower, value.upper, is_log=is_log, q=q, is_integer=kind == "Integer")
    elif kind == "Categorical":
        written = f"hippo.choice({', '.join(map(repr, value.categories))})"
    elif kind == "Function":
        written = "hippo.choice({...}, {...}), where one value decides about others, or a filter="
    return _written(f"{kind} is Ray Tune's", written)


def _range(low: Any, high: Any, *, is_log: bool, q: Any, is_integer: bool, is_high_included: bool = False) -> str:
    """Return the call that draws from a range. Ours exclude the high end of integers unless they are quantised."""
    if is_integer:
        high = high + 1 if is_high_included and q is None else high
        name = "lograndint" if is_log else "randint"
    else:
        name = "loguniform" if is_log else "uniform"
    if q is None:
        return f"hippo.{name}({low!r}, {high!r})"
    return f"hippo.q{name}({low!r}, {high!r}, {q!r})"


def _written(whose: str, written: str | None) -> str:
    return f"{whose}; write {written or 'a distribution of hippo, such as hippo.loguniform(1e-4, 1)'}"
