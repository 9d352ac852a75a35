"""From the facts at a request's point to the answer that its tuner gets."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from hippo.errors import UnknownMetricError, did_you_mean
from hippo.records import Answer, Failure, Metrics, Objective, Point, losses_of
from hippo.runtime.studies.requests import Request
from hippo.runtime.studies.settings import NanPolicy, Settings
from hippo.runtime.studies.traces import step_seconds, train_metrics

#: as they are written below, and by whoever sums a failure up, before anything that a user's exception may quote
_BEGINNING = r"(evaluate\(\) [a-z ]*at step \d+: )?"
_IS_NAN = re.compile(_BEGINNING + r"MetricError: .* is NaN after step \d+;")
_IS_MISSING = re.compile(_BEGINNING + r"UnknownMetricError: the study's ")


def failed_on_nan(error: str) -> bool:
    """Tell whether a trial failed on an objective that is not a number: it was trained, and no retry changes that."""
    return _IS_NAN.match(error) is not None


def failed_on_metrics(error: str) -> bool:
    """Tell whether a trial failed on what it was evaluated to: no failure of an attempt, which could be voided."""
    return failed_on_nan(error) or _IS_MISSING.match(error) is not None


def compose(request: Request, settings: Settings, *, has_metrics: Callable[[], bool] = lambda: False) -> Answer:
    """Return the answer to a request whose facts are there, or will never be.

    Args:
      request: which.
      settings: of the study.
      has_metrics: tells whether others of its trials have the study's metrics, so that one without them has failed.

    Raises:
      UnknownMetricError: `evaluate` does not return the study's metric, and never did; the message says what it does
        return.
    """
    trial, node, until = request.trial, request.node, request.until
    known = node.metrics.get(until, {}) if request.evaluate else {}
    metrics = MappingProxyType(known)  # facts are not the tuner's to change
    failure = request.failure
    violations: tuple[float, ...] = ()
    if failure is None and request.evaluate:
        missing = missing_metric(settings, metrics)
        if missing:
            if not has_metrics():
                raise UnknownMetricError(missing)
            error = f"UnknownMetricError: {missing} Other trials have it."
            failure = Failure(node=node.id, step=until, method="evaluate", error=error)
        else:
            if settings.constraints:
                violations = tuple(constraint.violation(metrics) for constraint in settings.constraints)
            failure = _failure_of_nan(request, settings.objectives, metrics, settings.nan)
    return Answer(
        config=trial.config,
        step=until,
        trial=trial.number,
        occurrence=trial.row.occurrence,
        member=request.member,
        metrics=metrics,
        losses=_losses(settings.objectives if request.evaluate else (), None if failure is not None else metrics),
        violations=violations,
        state=None if failure is not None else Point(node.id, until),
        seconds=node.seconds_until(until) if request.seconds is None else request.seconds,
        train_metrics=train_metrics(node, until),
        step_seconds=step_seconds(node, until),
        failure=failure,
    )


def _losses(objectives: Sequence[Objective], metrics: Metrics | None) -> tuple[float, ...]:
    """Return what tuners rank by: smaller is better, and infinite where there is nothing to rank."""
    if metrics is None:
        return (math.inf,) * len(objectives)
    return losses_of(objectives, metrics)


def missing_metric(settings: Settings, metrics: Mapping[str, float]) -> str:
    """Say which metric a study needs and has not got; nothing if it has all."""
    for objective in settings.objectives:
        if objective.metric not in metrics:
            return _said_missing("metric is", objective.metric, metrics)
    for constraint in settings.constraints:
        if constraint.metric not in metrics:
            return _said_missing("constraint is on", constraint.metric, metrics)
    return ""


def _said_missing(what: str, name: str, metrics: Mapping[str, float]) -> str:
    found = f"only {sorted(metrics)}" if metrics else "nothing"
    return (
        f"the study's {what} {name!r}, and there is {found} in what evaluate() returned, or a function reported."
        + _hint(name, metrics)
    )


def _hint(name: str, metrics: Mapping[str, float]) -> str:
    """Return what to write for a metric that is not there: another name, or the names of all values of a function."""
    several = sorted(metric for metric in metrics if re.fullmatch(rf"{re.escape(name)}_\d+", metric))
    if len(several) < 2:
        return did_you_mean(name, metrics)
    return f" There are several values: metric={several}, mode={['min'] * len(several)}, say, or metric={several[0]!r}."


def _failure_of_nan(
    request: Request, objectives: Sequence[Objective], metrics: Metrics, policy: NanPolicy
) -> Failure | None:
    if policy is not NanPolicy.FAIL:
        return None
    for objective in objectives:
        if math.isnan(metrics[objective.metric]):
            error = (
                f"MetricError: {objective.metric!r} is NaN after step {request.until}; nan='worst' would rank it last"
            )
            return Failure(node=request.node.id, step=request.until, method="evaluate", error=error)
    return None
