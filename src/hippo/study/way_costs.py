"""What the way of each trial took, and how far it was trained, kept from reading to reading.

Of fifty thousand trials a hundred change between two looks. A way's sums stay what they are while its trial's row does,
and while nothing is recorded in a node on it. This module refuses to know what a study asked for.
"""

from __future__ import annotations

import threading
from collections.abc import Set
from typing import TYPE_CHECKING

from hippo.plan import AbstractPlanStore, MetricsRow, StateRow, StepRow, TrialRow
from hippo.study.path_facts import Marks, with_what_follows

if TYPE_CHECKING:
    from hippo.study.reading import StudyView, TrialKey


class WayCosts:
    """What the ways of one study's trials took. For any thread.

    Args:
      store: to be read.
    """

    def __init__(self, store: AbstractPlanStore) -> None:
        self._store = store
        self._guard = threading.Lock()
        self._marks: Marks | None = None
        #: a trial -> its row, the seconds of its way up to its last step, and how many steps of its way were trained
        self._known: dict[TrialKey, tuple[TrialRow, float, int]] = {}
        #: a state at which branches begin -> the seconds of the way to it, on the plan that it is of
        self._to_states: dict[tuple[int, str], float] = {}

    def of(self, view: StudyView) -> tuple[float, int]:
        """Return the seconds of all ways, each by itself, and the steps of them that were ever trained."""
        with self._guard:
            news, before = self._news(view), self._known
            now: dict[TrialKey, tuple[TrialRow, float, int]] = {}
            all_seconds, all_steps = 0.0, 0
            for key, row in view.rows.items():
                known = before.get(key)
                if known is None or known[0] is not row or (row.member, row.node) in news:
                    known = self._along(view, row)
                now[key] = known
                all_seconds += known[1]
                all_steps += known[2]
            self._marks, self._known = view.marks, now
            return all_seconds, all_steps

    def _along(self, view: StudyView, row: TrialRow) -> tuple[TrialRow, float, int]:
        facts = view.facts[row.member]
        if not facts.is_known(row.node):  # simulations forget theirs, and a trial that never began has none
            return row, 0.0, row.step
        state = view.caches[row.member].states.get(facts.owner_of(row.node, 1))
        if state is not None and not self._to_states.get(state):
            self._to_states[state] = self._seconds_to(view, *state)
        before = 0.0 if state is None else self._to_states[state]
        return row, before + facts.seconds_until(row.node, row.step), facts.steps_reached(row.node, row.until)

    def _seconds_to(self, view: StudyView, step: int, state_hash: str) -> float:
        """Return what the way to a state took, on the plan on which one of the study's trials came there; else 0."""
        with self._store.reading() as rows:
            for member, plan in view.plans.items():
                facts = view.facts[member]
                for (node,) in rows.columns(StateRow, ("node",), plan=plan, step=step, state_hash=state_hash):
                    if node in facts.nodes and facts.owner_of(node, 1) not in view.caches[member].states:
                        return facts.seconds_until(node, step)
        return 0.0

    def _news(self, view: StudyView) -> Set[tuple[str, int]]:
        """Return the nodes on whose way something was recorded since the last view; of an earlier view all is new."""
        before, now = self._marks, view.marks
        if before is None or now.steps < before.steps or now.metrics < before.metrics:
            self._known = {}
            return frozenset()
        found: set[tuple[str, int]] = set()
        with self._store.reading() as rows:
            for member, plan in view.plans.items():
                steps = rows.columns(StepRow, ("node",), after=before.steps, upto=now.steps, plan=plan)
                metrics = rows.columns(MetricsRow, ("node",), after=before.metrics, upto=now.metrics, plan=plan)
                changed = {node for (node,) in (*steps, *metrics)}
                if changed:
                    found |= {(member, node) for node in with_what_follows(view.facts[member], changed)}
        return found
