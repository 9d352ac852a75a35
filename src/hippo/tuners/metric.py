"""What a tuner looks at in the metrics of an answer (Hippo, Figure 11)."""

from __future__ import annotations

from dataclasses import dataclass

from hippo.errors import MetricError, UnknownMetricError, did_you_mean
from hippo.records import Metrics


@dataclass(frozen=True)
class ExtractSingleNumber:
    """Takes one metric by its name."""

    name: str

    def __post_init__(self) -> None:
        """Refuse what is no name.

        Raises:
          MetricError: it is not a text, or an empty one.
        """
        name: object = self.name  # whatever was given
        if not isinstance(name, str) or not name:
            raise MetricError(f"the name of a metric must be a text that is not empty, not {name!r}")

    def __call__(self, metrics: Metrics) -> float:
        """Return the metric.

        Raises:
          UnknownMetricError: `evaluate` does not return it.
        """
        if self.name not in metrics:
            found = f"only {sorted(metrics)}" if metrics else "nothing"
            raise UnknownMetricError(
                f"there is no metric {self.name!r}, {found} in what evaluate() returned, or a function reported."
                + did_you_mean(self.name, metrics)
            )
        return metrics[self.name]
