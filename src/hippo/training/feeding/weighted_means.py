"""Means over the samples of many batches, summed in float64 and where they are, so that no batch waits for a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from hippo.errors import MetricError


class WeightedMeans:
    """Sample-weighted means by name."""

    def __init__(self) -> None:
        self._sums: dict[str, Any] = {}
        self._samples: dict[str, int] = {}

    def add(self, metrics: Mapping[str, Any], *, samples: int, of: str = "metrics") -> None:
        """Add a batch's means.

        Args:
          samples: in the batch.
          of: the method that returned them.

        Raises:
          MetricError: one of them is not a number.
        """
        if not isinstance(metrics, Mapping):
            raise MetricError(f"{of}() returned {metrics!r}; return a dict of metrics by name.")
        for name, value in metrics.items():
            self._sums[name] = self._sums.get(name, 0.0) + _float64(name, value) * samples
            self._samples[name] = self._samples.get(name, 0) + samples

    def result(self) -> dict[str, float]:
        """Return the means as Python floats."""
        return {name: float(total) / self._samples[name] for name, total in self._sums.items()}


def _float64(name: str, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        if value.ndim == 0 and not value.is_complex():
            # a number that lies here already is read: the same sum, at a tenth of the cost
            return float(value.item()) if value.device.type == "cpu" else value.detach().to(torch.float64)
        shape = tuple(value.shape)
        raise MetricError(f"{name!r} of a batch is a {value.dtype} tensor of shape {shape}; return its mean.")
    if isinstance(value, bool | int | float) or getattr(value, "shape", None) == ():
        return float(value)
    raise MetricError(f"{name!r} of a batch is {value!r}, not a number.")
