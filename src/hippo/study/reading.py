"""What a store knows of a study, read without writing: trials, statistics, the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hippo.hparams import Piece
from hippo.plan import AbstractPlanStore, Node, NullListener, PlanRow, SearchPlan, StudyRow, TrialRow
from hippo.records import CheckpointRef, Metrics, NodeId
from hippo.runtime import Settings, Statistics
from hippo.runtime.study_state import Counters
from hippo.study.trials import Trial, view_of

if TYPE_CHECKING:
    from hippo.study.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRow:
    """A node of a study's tree, with what its trials made of it."""

    node: int
    parent: int | None
    start: int
    #: the largest step of this node that a trial of the study reached
    stop: int
    #: the pieces in force, for people
    values: str
    #: numbers of the trials whose path goes through it
    trials: tuple[int, ...]
    #: steps whose state is kept
    checkpoints: tuple[int, ...]
    metrics: Mapping[int, Metrics]


class Reading:
    """A study as its store had it at one moment."""

    def __init__(self, store: AbstractPlanStore, row: StudyRow) -> None:
        with store.reading() as rows:
            self._rows = rows.rows(TrialRow, study=row.study)
            self._plan = SearchPlan.load(rows, rows.rows(PlanRow, plan=row.plan)[0], NullListener())
            self._counters = Counters.load(rows, row)

    def trials(self, study: Study, settings: Settings) -> list[Trial]:
        """Return all trials by number."""
        return [view_of(row, self._node(row), study, settings) for row in self._rows]

    def statistics(self) -> Statistics:
        """Return what the study counted."""
        alone = sum(node.seconds_until(row.step) for row in self._rows if (node := self._node(row)) is not None)
        reached = sum(
            row.step if (node := self._node(row)) is None else node.steps_reached(row.until) for row in self._rows
        )
        return self._counters.statistics(self._rows, trial_seconds=alone, steps_reached=reached)

    def tree(self) -> list[TreeRow]:
        """Return the nodes that the study's trials walked, parents before children."""
        reached: dict[NodeId, dict[int, int]] = {}
        for row in self._rows:
            node = self._node(row)
            for owner, _, stop in node.spans(row.until) if node is not None else ():
                reached.setdefault(owner.id, {})[row.number] = stop
        return [self._tree_row(self._plan.nodes[node_id], reached[node_id]) for node_id in sorted(reached)]

    def _tree_row(self, node: Node, stops: Mapping[int, int]) -> TreeRow:
        stop = max(stops.values())
        return TreeRow(
            node=node.id,
            parent=None if node.parent is None else node.parent.id,
            start=node.start,
            stop=stop,
            values=_difference(node),
            trials=tuple(sorted(stops)),
            checkpoints=tuple(sorted(step for step in node.checkpoints if step <= stop)),
            metrics={step: node.metrics[step] for step in sorted(node.metrics) if step <= stop},
        )

    def has_state(self, node: int, step: int) -> bool:
        """Tell whether the state at a point can be loaded."""
        return step in self._plan.nodes[NodeId(node)].checkpoints

    def state(self, node: int, step: int) -> tuple[int, Mapping[str, Piece], CheckpointRef]:
        """Return the step, the pieces in force just before it, and where the state lies."""
        owner = self._plan.nodes[NodeId(node)]
        return step, owner.pieces, owner.checkpoints[step]

    def metrics(self, node: int, step: int) -> Metrics | None:
        """Return the metrics at a point, None if it was never evaluated."""
        return self._plan.nodes[NodeId(node)].metrics.get(step)

    def _node(self, row: TrialRow) -> Node | None:
        return self._plan.nodes.get(NodeId(row.node))


def _difference(node: Node) -> str:
    """Return the pieces that changed where the node begins; all of them for a root."""
    before = {} if node.parent is None else node.parent.pieces
    changed = {name: piece for name, piece in node.pieces.items() if before.get(name) != piece}
    return ", ".join(f"{name}={piece}" for name, piece in changed.items())
