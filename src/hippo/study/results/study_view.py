"""A study at one moment, as a value: trials, the best of them, statistics, the tree.

Everything in a `StudyView` belongs together, and none of it changes while others train. Its rows are read when it is
taken, the facts of its trials when somebody asks for them, and then as of that moment. It refuses to know how what
changed between two views is found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hippo.collector import collector_paused
from hippo.hparams import Piece
from hippo.plan import TrialRow
from hippo.records import Metrics
from hippo.runtime import Statistics
from hippo.study.results.best import candidates, comparable, pareto_front
from hippo.study.results.best_trial_values import BestTrialValues
from hippo.study.results.fact_cache import FactCache, Marks, evaluations_among
from hippo.study.results.kept_states import KeptStates
from hippo.study.results.node_rows import kept_steps, piece_values
from hippo.study.results.path_facts import PathFacts
from hippo.study.results.slot_leases import SlotLease
from hippo.study.results.trial_changes import NO_LOOK, TrialKey
from hippo.study.results.trials import Trial, view_of, view_of_several
from hippo.study.results.way_costs import steps_reached_in

if TYPE_CHECKING:
    from hippo.study.results.reading import StudyReader


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
    #: the member of the study whose plan holds the node, such as "seed 3"; empty for the only one
    member: str = ""
    #: with `twin=True`: how far the twin of a trial whose program ended here was from it, by the way that the trial
    #: walked meanwhile; the largest of several. None: none did
    twin_drift: float | None = None

    @property
    def steps(self) -> str:
        """Where it begins and ends, for people: one step alone of a state at which branches begin."""
        return f"{self.start}-{self.stop}" if self.start < self.stop else str(self.start)


class StudyView(BestTrialValues):
    """A study as its store had it at one moment; made by `Study.read`."""

    def __init__(
        self, reader: StudyReader, rows: Mapping[TrialKey, TrialRow], marks: Marks, look: int = NO_LOOK
    ) -> None:
        self._reader = reader
        self._rows = rows
        #: which of its reader's looks at the study it is of, from 1
        self.look = look
        #: up to which rows of each kind it goes
        self.marks = marks
        #: name of each member that is read -> what was read of its plan's nodes, for this moment and others
        self.caches: Mapping[str, FactCache] = reader.facts

    @cached_property
    def facts(self) -> Mapping[str, PathFacts]:
        """What is known along the ways of the trials, member by member."""
        ends: dict[str, list[int]] = {member: [] for member in self._reader.plans}
        for row in self._rows.values():
            ends[row.member].append(row.node)
        return {member: PathFacts(self._reader.facts[member], own, self.marks) for member, own in ends.items()}

    @property
    def plans(self) -> Mapping[str, int]:
        """Name of each member that is read -> its plan."""
        return self._reader.plans

    @property
    def rows(self) -> Mapping[TrialKey, TrialRow]:
        """The rows of its trials; those that did not change since an earlier view are the same objects."""
        return self._rows

    @cached_property
    def _trials(self) -> list[Trial]:
        shown = self._reader.shown
        rows = [row for row in self._rows.values() if row.member in shown]
        if not self._reader.has_several_seeds:
            (facts,) = [self.facts[member] for member in shown]
            return [view_of(row, facts, self._reader) for row in sorted(rows, key=lambda row: row.number)]
        replicates: dict[int, list[TrialRow]] = {}
        for row in sorted(rows, key=lambda row: (row.number, shown.index(row.member))):
            replicates.setdefault(row.number, []).append(row)
        return [view_of_several(rows, self.facts, self._reader) for rows in replicates.values()]

    @property
    def trials(self) -> list[Trial]:
        """All trials of the current generation, by number; with surrogates, those of the target."""
        with collector_paused():
            return list(self._trials)

    # --- the best

    @property
    def best_trial(self) -> Trial:
        """The best trial; see `Study.best_trial`.

        Raises:
          ValueError: the study has no metric or several of them, or no trial is complete.
        """
        return self._reader.best_among(self._candidates)

    @property
    def best_trials(self) -> list[Trial]:
        """The Pareto front; see `Study.best_trials`.

        Raises:
          ValueError: the study has no metric, or no trial is complete.
        """
        return pareto_front(self._reader.some(comparable(self._trials)))

    @cached_property
    def _candidates(self) -> list[Trial]:
        if not self._reader.rows_tell:
            return comparable(self._trials)
        (member,) = self._reader.shown
        facts, own = self.facts[member], {row.number: row for row in self._rows.values() if row.member == member}
        return [view_of(own[number], facts, self._reader) for number in candidates(own.values())]

    # --- what it cost, and where it went

    def statistics(self) -> Statistics:
        """Return what the study asked for and what it cost, over all its runs."""
        with collector_paused():
            return self._statistics

    @cached_property
    def _statistics(self) -> Statistics:
        alone, reached = self._reader.way_costs.of(self)
        drifts = (drift for member in self._reader.plans for drift in self._reader.drifts(member).values())
        counted = counted_in(self, trial_seconds=alone, steps_reached=reached)
        return replace(counted, twin_drift=max(drifts, default=None))

    def tree(self) -> list[TreeRow]:
        """Return the nodes of the search plan that the trials of this study walked, parents before children.

        Which states are kept is looked up when it is asked for: states come and go.
        """
        return [row for member in self._reader.plans for row in self._tree_of(member)]

    def _tree_of(self, member: str) -> list[TreeRow]:
        facts = self.facts[member]
        reached: dict[int, dict[int, int]] = {}
        for number, of in sorted(self._rows):
            row = self._rows[number, of]
            if of != member or not facts.is_known(row.node):
                continue
            for owner, _, stop in facts.spans(row.node, row.until):
                reached.setdefault(owner, {})[number] = stop
        return self.tree_rows(member, {node: reached[node] for node in sorted(reached)}, {})

    def tree_rows(
        self,
        member: str,
        reached: Mapping[int, Mapping[int, int]],
        values: dict[tuple[str, int], str],
        *,
        with_values: bool = True,
    ) -> list[TreeRow]:
        """Return what `tree` says of some nodes of a member.

        Args:
          member: whose plan holds them.
          reached: node -> number of each trial that walks it -> until where.
          values: (member, node) -> what was said of its pieces before; what is missing is added.
          with_values: say what is not known there yet; else it is empty.
        """
        facts, store, plan = self.facts[member], self._reader.store, self.plans[member]
        begins = {node: facts.begin_of(node) for node in reached}
        missing = [node for node in reached if (member, node) not in values] if with_values else []
        pieces = piece_values(store, plan, {*missing, *(begins[node][0] for node in missing)} - {None})
        for node in missing:
            parent = begins[node][0]
            values[member, node] = _difference({} if parent is None else pieces[parent], pieces[node])
        kept, drifts = kept_steps(store, plan, reached), self._reader.drifts(member)
        ends = {node: max(stops.values()) for node, stops in reached.items()}
        evaluated = evaluations_among(self._reader.facts[member], ends, self.marks)
        return [
            TreeRow(
                member=member,
                node=node,
                parent=begins[node][0],
                start=self.caches[member].trained_from(node),
                stop=ends[node],
                values=values.get((member, node), ""),
                trials=tuple(sorted(stops)),
                checkpoints=tuple(sorted(step for step in kept.get(node, ()) if step <= ends[node])),
                metrics=evaluated[node],
                twin_drift=drifts.get(node),
            )
            for node, stops in reached.items()
        ]

    def leases(self) -> list[SlotLease]:
        """Return the work that slots were given on this study's plans, by member and in its order.

        Studies may share a plan, and then the work of the others is among it: `hippo.views.slots` tells which. Work
        goes on and ends: it is looked up when it is asked for.
        """
        return self._reader.leases()

    def kept_states(self) -> KeptStates:
        """Return the states that this study's plans hold in files, for whichever study they are kept.

        They are looked up when it is asked for: states come and go. Files that no row names are not among them.
        """
        return self._reader.kept_states()

    def metrics(self, node: int, step: int, *, member: str = "") -> Metrics | None:
        """Return the metrics at a point of a member's tree, None if it was never evaluated."""
        return self.facts[member].evaluations_of(node, step).get(step)


def counted_in(view: StudyView, *, trial_seconds: float = 0.0, steps_reached: int | None = None) -> Statistics:
    """Return `StudyView.statistics` without `twin_drift`, and without what nobody gives: at once, of whatever study.

    Args:
      view: of which study, and when.
      trial_seconds: what training each of its trials alone would have taken.
      steps_reached: how far each of them is, summed; None: it is looked up.
    """
    reader = view._reader
    return reader.counters(view.marks).statistics(
        list(view.rows.values()),
        trial_seconds=trial_seconds,
        steps_reached=steps_reached_in(view) if steps_reached is None else steps_reached,
        aggregate=reader.settings.aggregate,
    )


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the pieces that changed where a node begins; all of them for a root.

    Args:
      before: name -> the piece in force before, as it is written.
      after: the same, from there on.
    """
    # by their texts: 1, 1.0 and True are three pieces; and most of them are the same, so that no object is made
    changed = {name: piece for name, piece in after.items() if repr(before.get(name)) != repr(piece)}
    return ", ".join(f"{name}={Piece.from_json(piece)}" for name, piece in changed.items())
