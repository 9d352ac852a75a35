"""From the facts at a request's point to the answer that its tuner gets."""

from __future__ import annotations

import math
from collections.abc import Mapping

from hippo.errors import UnknownMetricError, did_you_mean
from hippo.records import Answer, Failure, Metrics, Objective, mode_sign
from hippo.runtime.requests import Request
from hippo.runtime.settings import NanPolicy, Settings
from hippo.runtime.traces import PathTrace


def compose(request: Request, settings: Settings) -> Answer:
    """Return the answer to a request whose facts are there, or will never be.

    Raises:
      UnknownMetricError: `evaluate` does not return the study's metric; the message says what it does return.
    """
    node, until = request.node, request.until
    metrics = dict(node.metrics.get(until, {}))
    failure = request.failure
    if failure is None and settings.objective is not None:
        _require(settings.objective, metrics)
        failure = _failure_of_nan(request, settings.objective, metrics, settings.nan)
    return Answer(
        config=request.trial.config,
        step=until,
        trial=request.trial.number,
        metrics=metrics,
        losses=_losses(settings.objective, None if failure is not None else metrics),
        seconds=node.seconds_until(until) if request.seconds is None else request.seconds,
        trace=PathTrace(node, until),
        failure=failure,
    )


def _losses(objective: Objective | None, metrics: Metrics | None) -> tuple[float, ...]:
    """Return what tuners rank by: smaller is better, and infinite where there is nothing to rank."""
    if objective is None:
        return ()
    value = math.nan if metrics is None else metrics[objective.metric]
    return (math.inf if math.isnan(value) else mode_sign(objective.mode) * value,)


def _require(objective: Objective, metrics: Mapping[str, float]) -> None:
    if objective.metric not in metrics:
        raise UnknownMetricError(
            f"the study's metric is {objective.metric!r}, and evaluate() returned {sorted(metrics)}."
            + did_you_mean(objective.metric, metrics)
        )


def _failure_of_nan(request: Request, objective: Objective, metrics: Metrics, policy: NanPolicy) -> Failure | None:
    if policy is not NanPolicy.FAIL or not math.isnan(metrics[objective.metric]):
        return None
    error = f"MetricError: {objective.metric!r} is NaN after step {request.until}; nan='worst' would rank it last"
    return Failure(node=request.node.id, step=request.until, method="evaluate", error=error)
