"""What the way of each trial took, and how far it was trained, kept from reading to reading.

Of fifty thousand trials a hundred change between two looks. A way's sums stay what they are while its trial's row does,
and while nothing is recorded in a node on it. This module refuses to know what a study asked for.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

from hippo.plan import AbstractPlanStore, MetricsRow, StateRow, StepRow, TrialRow
from hippo.study.results.fact_cache import Marks
from hippo.study.results.path_facts import PathFacts, with_what_follows
from hippo.study.results.trial_changes import NO_LOOK, TrialKey, changed_since

if TYPE_CHECKING:
    from hippo.study.results.study_view import StudyView

#: the last node of a way, with its member
_End = tuple[str, int]


def steps_reached_in(view: StudyView) -> int:
    """Return the steps of all trials' ways that were ever trained, each way by itself, as `WayCosts.of` does.

    A trial that came as far as it was asked to was trained until there, so that its way is not walked.
    """
    rows = view.rows.values()
    reached = sum(row.until for row in rows if row.step == row.until)
    for member, cache in view.caches.items():
        short = [row for row in rows if row.member == member and row.step != row.until]
        facts = PathFacts(cache, {row.node for row in short}, view.marks)  # of the others nothing is read
        for row in short:
            reached += facts.steps_reached(row.node, row.until) if facts.is_known(row.node) else row.step
    return reached


class WayCosts:
    """What the ways of one study's trials took. For any thread.

    Args:
      store: to be read.
    """

    def __init__(self, store: AbstractPlanStore) -> None:
        self._store = store
        self._guard = threading.Lock()
        self._forget()
        #: a state at which branches begin -> the seconds of the way to it, on the plan that it is of
        self._to_states: dict[tuple[int, str], float] = {}

    def _forget(self) -> None:
        self._look = NO_LOOK
        self._marks: Marks | None = None
        #: a trial -> the end of its way
        self._ends: dict[TrialKey, _End] = {}
        #: the end of ways -> the seconds of each up to its last step, and how many steps of it were trained
        self._known: dict[_End, dict[TrialKey, tuple[float, int]]] = {}

    def of(self, view: StudyView) -> tuple[float, int]:
        """Return the seconds of all ways, each by itself, and the steps of them that were ever trained."""
        with self._guard:
            if view.look < self._look:
                self._forget()  # all is new to an earlier view
            anew = set(changed_since(view, self._look))
            if self._marks is not None:
                for end in self._news(view, self._marks):
                    anew.update(self._known.get(end, ()))
            for key in anew:
                self._put(key, view)
            self._look, self._marks = view.look, view.marks
            return self._sums()

    def _put(self, key: TrialKey, view: StudyView) -> None:
        row = view.rows[key]
        before, end = self._ends.get(key), (row.member, row.node)
        if before is not None and before != end:
            own = self._known[before]
            del own[key]
            if not own:
                del self._known[before]
        self._ends[key] = end
        self._known.setdefault(end, {})[key] = self._along(view, row)

    def _sums(self) -> tuple[float, int]:
        known = [each for own in self._known.values() for each in own.values()]
        # which is the same in whichever order they came
        return math.fsum(taken for taken, _ in known), sum(trained for _, trained in known)

    def _along(self, view: StudyView, row: TrialRow) -> tuple[float, int]:
        facts = view.facts[row.member]
        if not facts.is_known(row.node):  # simulations forget theirs, and a trial that never began has none
            return 0.0, row.step
        state = view.caches[row.member].states.get(facts.owner_of(row.node, 1))
        if state is not None and not self._to_states.get(state):
            self._to_states[state] = self._seconds_to(view, *state)
        before = 0.0 if state is None else self._to_states[state]
        return before + facts.seconds_until(row.node, row.step), facts.steps_reached(row.node, row.until)

    def _seconds_to(self, view: StudyView, step: int, state_hash: str) -> float:
        """Return what the way to a state took, on the plan on which one of the study's trials came there; else 0."""
        found: list[tuple[str, int]] = []
        with self._store.reading() as rows:  # no cache in here: others have its lock, and wait for the store's
            for member, plan in view.plans.items():
                nodes = rows.columns(StateRow, ("node",), plan=plan, step=step, state_hash=state_hash)
                found += [(member, node) for (node,) in nodes]
        for member, node in found:
            facts = view.facts[member]
            if node in facts.nodes and facts.owner_of(node, 1) not in view.caches[member].states:
                return facts.seconds_until(node, step)
        return 0.0

    def _news(self, view: StudyView, before: Marks) -> set[_End]:
        """Return the nodes on whose way something was recorded since the last view."""
        now = view.marks
        changed: dict[str, set[int]] = {}
        with self._store.reading() as rows:  # no cache in here, as above
            for member, plan in view.plans.items():
                steps = rows.columns(StepRow, ("node",), after=before.steps, upto=now.steps, plan=plan)
                metrics = rows.columns(MetricsRow, ("node",), after=before.metrics, upto=now.metrics, plan=plan)
                changed[member] = {node for (node,) in (*steps, *metrics)}
        return {
            (member, node)
            for member, nodes in changed.items()
            if nodes
            for node in with_what_follows(view.facts[member], nodes)
        }
