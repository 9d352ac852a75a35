"""The specification of reading: the whole plan is loaded, and everything is worked out on its nodes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hippo.hparams import Config
from hippo.plan import AbstractPlanStore, Node, NullListener, PlanRow, SearchPlan, StudyRow, TrialRow, plans_of
from hippo.records import Metrics, NodeId, TrialState
from hippo.runtime import Settings, Statistics, history
from hippo.runtime.studies.counters import Counters
from hippo.runtime.studies.traces import train_metrics
from hippo.study import TreeRow
from hippo.study.results.best import comparable
from hippo.tuners.ranking import dominates, total_violation


@dataclass(frozen=True)
class WholeTrial:
    """A trial, with its node in a loaded plan."""

    row: TrialRow
    node: Node | None
    settings: Settings

    @property
    def number(self) -> int:
        return self.row.number

    @property
    def state(self) -> TrialState:
        return TrialState(self.row.state)

    @property
    def step(self) -> int:
        return self.row.step

    @property
    def until(self) -> int:
        return self.row.until

    @property
    def call(self) -> int:
        return self.row.call

    @property
    def error(self) -> str:
        return self.row.error

    @property
    def config(self) -> Config:
        return Config.from_json(json.loads(self.row.config))

    @cached_property
    def _steps_known(self) -> int:
        if self.node is None or self.state not in (TrialState.RUNNING, TrialState.FAIL):
            return self.step
        return max(self.step, self.node.steps_reached(self.until))

    @property
    def history(self) -> Mapping[int, Metrics]:
        return {} if self.node is None else history(self.node, self._steps_known)

    @property
    def train_metrics(self) -> Mapping[int, Metrics]:
        return {} if self.node is None else train_metrics(self.node, self._steps_known)

    @property
    def last_train_metrics(self) -> Metrics:
        return self.train_metrics.get(self._steps_known, {})

    @property
    def traceback(self) -> str:
        if self.node is None or self.state is not TrialState.FAIL:
            return ""
        failure = self.node.failure_before(self.until)
        return "" if failure is None else failure.traceback

    @property
    def metrics(self) -> Metrics:
        if self.node is None or not self.step:
            return {}
        return self.node.owner_of(self.step).metrics.get(self.step, {})

    @property
    def values(self) -> tuple[float, ...] | None:
        if any(objective.metric not in self.metrics for objective in self.settings.objectives):
            return None
        return tuple(self.metrics[objective.metric] for objective in self.settings.objectives)

    @property
    def losses(self) -> tuple[float, ...]:
        losses = tuple(objective.loss(self.metrics) for objective in self.settings.objectives)
        values = [self.metrics[objective.metric] for objective in self.settings.objectives]
        return losses if not any(map(math.isnan, values)) else tuple(math.inf for _ in losses)

    @property
    def violation(self) -> float:
        return total_violation([constraint.violation(self.metrics) for constraint in self.settings.constraints])

    @property
    def seconds(self) -> float:
        return 0.0 if self.node is None else self.node.seconds_until(self._steps_known)

    @property
    def point(self) -> tuple[int, int] | None:
        return None if self.node is None or not self.step else (self.node.owner_of(self.step).id, self.step)


class WholePlan:
    """A study as its store has it now."""

    def __init__(self, store: AbstractPlanStore, row: StudyRow, settings: Settings) -> None:
        with store.reading() as rows:
            self._rows = rows.rows(TrialRow, study=row.study)
            self._plan = SearchPlan.load(
                rows, rows.rows(PlanRow, plan=plans_of(rows, row.study)[""])[0], NullListener()
            )
            self._counters = Counters.load(rows, row)
        self._settings = settings

    @property
    def trials(self) -> Sequence[WholeTrial]:
        return [WholeTrial(row, self._node(row), self._settings) for row in self._rows]

    @property
    def best(self) -> int | None:
        complete = comparable(self.trials)
        if not complete:
            return None
        return min(complete, key=lambda trial: (trial.violation, trial.losses, trial.number)).number

    @property
    def front(self) -> list[int]:
        good = [trial for trial in comparable(self.trials) if not trial.violation]
        return [t.number for t in good if not any(dominates(other.losses, t.losses) for other in good)]

    def statistics(self) -> Statistics:
        alone = sum((node.seconds_until(row.step) for row in self._rows if (node := self._node(row)) is not None), 0.0)
        reached = sum(
            row.step if (node := self._node(row)) is None else node.steps_reached(row.until) for row in self._rows
        )
        return self._counters.statistics(self._rows, trial_seconds=alone, steps_reached=reached)

    def tree(self) -> list[TreeRow]:
        reached: dict[NodeId, dict[int, int]] = {}
        for row in self._rows:
            node = self._node(row)
            for owner, _, stop in node.spans(row.until) if node is not None else ():
                reached.setdefault(owner.id, {})[row.number] = stop
        return [_tree_row(self._plan.nodes[node_id], reached[node_id]) for node_id in sorted(reached)]

    def _node(self, row: TrialRow) -> Node | None:
        return self._plan.nodes.get(NodeId(row.node))


def _tree_row(node: Node, stops: Mapping[int, int]) -> TreeRow:
    stop = max(stops.values())
    before = {} if node.parent is None else node.parent.pieces
    return TreeRow(
        node=node.id,
        parent=None if node.parent is None else node.parent.id,
        start=node.start,
        stop=stop,
        values=", ".join(f"{name}={piece}" for name, piece in node.pieces.items() if before.get(name) != piece),
        trials=tuple(sorted(stops)),
        checkpoints=tuple(sorted(step for step in node.checkpoints if step <= stop)),
        metrics={step: node.metrics[step] for step in sorted(node.metrics) if step <= stop},
    )


#: all that a trial says
_SAID = (
    *("number", "state", "step", "until", "call", "error", "config", "history", "last_train_metrics", "traceback"),
    *("metrics", "values", "seconds", "point"),
)


def said(trial: Any) -> dict[str, str]:
    """Return what a trial says, as text: NaN is equal to itself there."""
    judged = ("losses", "violation") if trial.values is not None else ()
    told = {name: repr(getattr(trial, name)) for name in (*_SAID, *judged)}
    return told | {"train_metrics": repr(dict(trial.train_metrics))}
