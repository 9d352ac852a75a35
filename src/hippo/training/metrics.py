"""What `train` and `evaluate` return, as plain numbers.

NaN and infinities are numbers here: this module refuses to judge them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from hippo.errors import MetricError


def checked_metrics(returned: object, method: str) -> dict[str, float]:
    """Return metrics by name as Python numbers.

    Args:
      returned: what the user's method returned: a mapping from names to numbers, numpy scalars or 0-d tensors.
      method: its name, for the message.

    Raises:
      MetricError: it is no such mapping.
    """
    if not isinstance(returned, Mapping):
        raise MetricError(
            f"{method}() returned {returned!r}; return a dict of metrics by name, such as {{'loss': 0.5}}."
        )
    return {_name(name, method): _number(name, value, method) for name, value in returned.items()}


def _name(name: object, method: str) -> str:
    if not isinstance(name, str) or not name:
        raise MetricError(f"{method}() returned a metric named {name!r}; names are strings that are not empty.")
    return name


def _number(name: str, value: Any, method: str) -> float:
    if type(value) is float:
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "item"):  # a numpy scalar, a 0-d array or tensor
        # numpy's masked, the mean of nothing, has an item, which is 0.0: the best of losses
        value = math.nan if getattr(value, "mask", False) else value.item()
    if isinstance(value, bool | int):
        if abs(value) > sys.float_info.max:
            raise MetricError(f"{method}() returned for {name!r} a whole number that no float can hold.")
        return int(value)
    if isinstance(value, float):
        return float(value)
    shape = getattr(value, "shape", None)
    what = f"of shape {tuple(shape)}" if shape is not None else f"{value!r}"
    raise MetricError(
        f"{method}() returned metric {name!r} = {type(value).__name__} {what}; "
        "a metric is one real number: a float, an int, or a 0-d tensor."
    )
