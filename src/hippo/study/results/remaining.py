"""What was asked for of a study and was never run: as a process that only reads knows it.

The control loop knows more: which states are in the memory of slots, and so which steps have to be run again. Of that
no row tells. What is told here is what is known for certain: steps that somebody waits for and that nobody has trained
yet. It refuses to know how anything is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hippo.collector import collector_paused
from hippo.hparams import Piece
from hippo.plan import (
    Among,
    CallRow,
    CallState,
    FailureRow,
    Moment,
    NodeRow,
    PlanRow,
    RequestRow,
    RequestState,
    is_writing,
    pieces_from_text,
)
from hippo.records import NodeId, NodeView, Snapshot, Stage
from hippo.runtime.timing.costs import StepCosts
from hippo.schedulers import CriticalPath
from hippo.stages import build_stage_tree, steps_as_cost
from hippo.study.results.slot_leases import running_leases

if TYPE_CHECKING:
    from hippo.study.results.fact_cache import NodeFacts
    from hippo.study.results.study_view import StudyView

#: nodes whose steps tell what a step costs; with more nodes to come than the second, all steps are taken to cost the
#: same: to tell shapes apart costs more than to look at all else
_NODES_TO_LEARN_FROM, _MOST_SHAPES = 200, 2_000

#: a node of a member
NodeKey = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StretchLeft:
    """Steps of a node, from `start` to `stop`, that somebody waits for; `start == stop`: only its metrics."""

    member: str
    node: int
    start: int
    stop: int
    #: whether a slot has been given them
    is_running: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLeft:
    """What was asked for of a study, and was never run."""

    #: each step once, however many trials wait for it; by member, node and step
    stretches: tuple[StretchLeft, ...] = ()
    #: the chain of them that takes longest, from what can begin now to a leaf: what the scheduler gives out first
    longest: tuple[StretchLeft, ...] = ()
    #: the number of a trial that waits for the end of that chain
    longest_trial: int | None = None
    #: device-seconds that all of it, and that chain, should take; None: no step of the study was ever timed
    seconds: float | None = None
    longest_seconds: float | None = None
    #: how many slots work on it now
    slots: int = 0
    #: whether a process works on the study, as far as that can be told from here
    is_worked_on: bool = False
    #: a tuner may want some of these trials to go on when it is answered
    may_ask_more: bool = False
    #: node -> the earliest step that failed there, and was not taken back
    failed: Mapping[NodeKey, int] = field(default_factory=dict)
    #: node -> the last step that was ever trained there, or where it begins. Of nodes that every trial is through with
    #: nothing is told: all that was asked of them is there
    reached: Mapping[NodeKey, int] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        """How many steps that are."""
        return sum(each.stop - each.start for each in self.stretches)


def what_remains(view: StudyView) -> WorkLeft:
    """Return what was asked for of a study and was never run, as is known now."""
    study = next((row.study for row in view.rows.values()), None)
    if study is None:
        return WorkLeft()
    store = next(iter(view.caches.values())).store
    with collector_paused():
        with store.reading() as rows:
            names = ("trial", "member", "until", "final")
            pending = rows.columns(RequestRow, names, study=study, state=RequestState.PENDING.value)
            is_called = bool(rows.columns(CallRow, ("call",), study=study, state=CallState.RUNNING.value))
        # what was asked for after the view was taken is left to the next one
        asked = [each for each in pending if (row := view.rows.get(each[:2])) is not None and each[2] <= row.until]
        members = [_MemberLeft(view, member, _ends(view, member, asked)) for member in view.plans]
        # no cache is asked while the store is read: others have its lock, and wait for the store's
        with store.reading() as rows:
            for each in members:
                each.read(rows)
        for each in members:
            each.estimate()
    left = _estimated(members)
    return replace(
        left,
        slots=len({slot for each in members for slot in each.slots()}),
        is_worked_on=is_called and any(each.has_writer for each in members),
        may_ask_more=any(not final for *_, final in asked),
        failed={key: step for each in members for key, step in each.failed.items()},
        reached={key: step for each in members for key, step in each.reached.items()},
    )


def _estimated(members: Sequence[_MemberLeft]) -> WorkLeft:
    """Return all stretches that remain, and the chain of them that takes longest, with their seconds if they have."""
    are_timed = all(each.are_timed for each in members if len(each.tree))
    if not are_timed:  # seconds of one member are not compared with steps of another
        for each in members:
            each.tree.recost(steps_as_cost)
    left = WorkLeft(
        stretches=tuple(
            part for each in members for _, stage in sorted(each.tree.stages.items()) for part in each.parts_of(stage)
        ),
        seconds=sum(each.tree.seconds for each in members) if are_timed else None,
        longest_seconds=0.0 if are_timed else None,
    )
    chains = CriticalPath().lanes([each.tree for each in members], limit=1)
    if not chains:
        return left
    own, stages = members[chains[0].tree], chains[0].stages
    return replace(
        left,
        longest=tuple(part for stage in stages for part in own.parts_of(stage)),
        longest_trial=own.asked_at.get(stages[-1].point),
        longest_seconds=own.tree.length(stages[0].point) if are_timed else None,
    )


class _MemberLeft:
    """What remains of one member's plan: made of what caches know, then `read`, then `estimate`.

    Args:
      view: the study.
      member: which.
      ends: (node, step) where somebody waits -> the first of the trials that do.
    """

    def __init__(self, view: StudyView, member: str, ends: Mapping[tuple[int, int], int]) -> None:
        self._member = member
        self._plan = view.plans[member]
        #: where somebody waits -> the first of the trials that do
        self.asked_at = ends
        facts, cache = view.facts[member], view.caches[member]
        self._begin_of = facts.begin_of
        self._ways = ways = _with_ancestors((node for node, _ in ends), facts.begin_of)
        touched = frozenset(ways | set(_unfinished(view, member)))
        trained = cache.trained(touched, view.marks.steps)
        steps = {node: _trained_steps(trained.get(node, {})) for node in touched}
        # a root that is a state of another plan: it is there, and who goes on from it begins there
        steps |= {node: [at, *own] if (at := cache.begins_at(node)) else own for node, own in steps.items()}
        self.reached = {(member, node): own[-1] if own else facts.begin_of(node)[1] for node, own in steps.items()}
        evaluated = cache.evaluated(frozenset(ways), view.marks.metrics)
        self.tree = build_stage_tree(Snapshot(nodes=_node_views(ways, facts.begin_of, steps, evaluated, ends)))
        seen = _nodes_to_learn_from(view, member, (node for node in ways if steps[node])) if ways else frozenset()
        #: node -> what its steps took, of those that tell what a step costs
        self._timed = {node: own for node, own in cache.trained(seen, view.marks.steps).items() if node in seen}

    def read(self, rows: Moment) -> None:
        """Read what changes without a step being recorded, and the pieces that tell what a step costs."""
        plan, ways = self._plan, self._ways
        self.failed: dict[NodeKey, int] = {}
        for node, step in rows.columns(FailureRow, ("node", "step"), plan=plan, voided=False):
            self.failed[self._member, node] = min(step, self.failed.get((self._member, node), step))
        (row,) = rows.rows(PlanRow, plan=plan)
        # whoever wrote last, and is there still: when what is looked at began does not matter here
        self.has_writer = is_writing(row.writer, since=math.inf)
        self._leases = running_leases(rows, row, [self._member]) if ways else []
        #: node -> what slots have been given of it
        self._given: dict[int, list[tuple[int, int]]] = {}
        for span in (span for lease in self._leases for spans in lease.lanes for span in spans):
            self._given.setdefault(span.node, []).append((span.start, span.stop))
        wanted = self._timed.keys() | (ways if len(ways) <= _MOST_SHAPES else set())
        self._pieces = _pieces(rows, plan, wanted) if ways else {}

    def estimate(self) -> None:
        """Say what the steps to come should take."""
        costs, pieces, begin_of = StepCosts(), self._pieces, self._begin_of
        for node, own in self._timed.items():
            costs.learn_steps(NodeId(node), pieces[node], begin_of(node)[1], _seconds(own))
        if self._ways:
            costs.use()
            self.tree.recost(lambda stage: (stage.stop - stage.start) * _step_s(stage, costs, pieces, begin_of))
        self.are_timed = costs.are_known

    def parts_of(self, stage: Stage) -> list[StretchLeft]:
        """Return a stage, cut where what a slot has been given ends."""
        spans = self._given.get(stage.node, ())
        given = max((stop for start, stop in spans if start <= stage.start <= stop), default=-1)
        cut = min(stage.stop, given)
        if cut == stage.stop:
            return [self._part(stage, stage.start, cut, is_running=True)]
        ahead = [self._part(stage, stage.start, cut, is_running=True)] if cut > stage.start else []
        return [*ahead, self._part(stage, max(stage.start, cut), stage.stop, is_running=False)]

    def _part(self, stage: Stage, start: int, stop: int, *, is_running: bool) -> StretchLeft:
        return StretchLeft(member=self._member, node=stage.node, start=start, stop=stop, is_running=is_running)

    def slots(self) -> Iterator[str]:
        """Yield the slots that work on it now."""
        nodes = {stage.node for stage in self.tree.stages.values()}
        for lease in self._leases:
            if any(span.node in nodes for spans in lease.lanes for span in spans):
                yield from (lease.slot, *lease.peers)


def _ends(view: StudyView, member: str, asked: Iterable[tuple[int, str, int, bool]]) -> dict[tuple[int, int], int]:
    """Return (node, step) where requests of a member wait -> the first of the trials that they are of."""
    facts, found = view.facts[member], dict[tuple[int, int], int]()
    for number, of, until, _ in sorted(asked):
        if of == member and facts.is_known(node := view.rows[number, member].node):
            found.setdefault((facts.owner_of(node, until), until), number)
    return found


def _with_ancestors(nodes: Iterable[int], begin_of: Callable[[int], tuple[int | None, int]]) -> set[int]:
    """Return nodes and all above them, also such as nobody walks a step of: a node may begin where its parent does."""
    found: set[int] = set()
    for each in nodes:
        node: int | None = each
        while node is not None and node not in found:
            found.add(node)
            node = begin_of(node)[0]
    return found


def _unfinished(view: StudyView, member: str) -> Iterator[int]:
    """Yield the nodes that some trial of a member is not through with."""
    facts = view.facts[member]
    for row in view.rows.values():
        if row.member == member and row.step < row.until and facts.is_known(row.node):
            yield from (node for node, _, stop in facts.spans(row.node, row.until) if stop > row.step)


def _trained_steps(told: NodeFacts) -> list[int]:
    """Return the steps that were trained, ascending; one that was only run as a check was not."""
    return sorted(step for step, (text, _) in told.items() if text is not None)


def _seconds(told: NodeFacts) -> list[float]:
    return [told[step][1] for step in _trained_steps(told)]


def _node_views(
    ways: Set[int],
    begin_of: Callable[[int], tuple[int | None, int]],
    steps: Mapping[int, Sequence[int]],
    evaluated: Mapping[int, NodeFacts],
    ends: Iterable[tuple[int, int]],
) -> dict[NodeId, NodeView]:
    """Return nodes as the stage tree reads them, as if the state after each step that was ever trained were there.

    What is left of the tree then is what was never run.
    """
    wanted: dict[int, list[int]] = {}
    for node, step in ends:
        wanted.setdefault(node, []).append(step)
    views: dict[NodeId, NodeView] = {}
    for node in sorted(ways):  # parents have smaller numbers
        parent, start = begin_of(node)
        own = tuple(steps[node])
        views[NodeId(node)] = NodeView(
            id=NodeId(node),
            parent=None if parent is None else views[NodeId(parent)],
            start=start,
            states=own,
            checkpoints=own,
            training=own,
            metrics=tuple(step for step, (text, _) in evaluated.get(node, {}).items() if text is not None),
            requests=tuple(sorted(wanted.get(node, ()))),
        )
    return views


def _nodes_to_learn_from(view: StudyView, member: str, walked: Iterable[int]) -> frozenset[int]:
    """Return nodes whose steps tell what a step costs: those that are under way, and those of the latest trials."""
    chosen, facts = set(sorted(walked)[-_NODES_TO_LEARN_FROM:]), view.facts[member]
    for number, of in sorted(view.rows, reverse=True):
        if len(chosen) >= _NODES_TO_LEARN_FROM:
            break
        row = view.rows[number, of]
        if of == member and row.step and facts.is_known(row.node):
            chosen.update(node for node, _, _ in facts.spans(row.node, row.step))
    return frozenset(chosen)


def _pieces(rows: Moment, plan: int, nodes: Set[int]) -> dict[int, Mapping[str, Piece]]:
    found = rows.columns(NodeRow, ("node", "pieces"), plan=plan, node=Among(sorted(nodes)))
    return {node: pieces_from_text(text) for node, text in found}


def _step_s(
    stage: Stage,
    costs: StepCosts,
    pieces: Mapping[int, Mapping[str, Piece]],
    begin_of: Callable[[int], tuple[int | None, int]],
) -> float:
    # of a node whose shape was not looked up: what a step takes on the average
    return costs.estimate(stage.node, pieces.get(stage.node, {}), begin_of(stage.node)[1])
