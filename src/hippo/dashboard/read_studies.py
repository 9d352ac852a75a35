"""The studies of a database, as a dashboard reads them: opened once, and what costs much kept while nothing is written.

This module refuses to know the web.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from hippo.clock import Clock
from hippo.collector import collector_paused
from hippo.dashboard.stale_answers import StaleAnswer
from hippo.plan import AbstractPlanStore
from hippo.study import Study, StudyView, load_study
from hippo.study.managing import study_names
from hippo.study.results.trial_costs import TrialCosts
from hippo.study.results.walked_tree import WalkedTree

T = TypeVar("T")
#: answers about one reading of a study that are kept
_MOST_MADE = 16


class ReadStudies:
    """Studies, opened once: a look costs what changed since the last one.

    Args:
      store: to be read.
      clock: tells how long things take.
    """

    def __init__(self, store: AbstractPlanStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._guard = threading.Lock()
        self._studies: dict[str, ReadStudy] = {}

    def names(self) -> Sequence[str]:
        """Return the names of all studies."""
        return study_names(self._store)

    def named(self, name: str) -> ReadStudy:
        """Return a study as it is read; one that was made anew, or deleted, is looked for again."""
        fresh = load_study(name, self._store)
        with self._guard:
            known = self._studies.get(name)
            if known is None or known.study.generation != fresh.generation:
                known = self._studies[name] = ReadStudy(fresh, self._clock, self._store.changes)
            return known


class ReadStudy:
    """One study as it is read.

    Args:
      study: which.
      clock: tells how long things take.
      changes: returns what is equal for as long as nothing is written.
    """

    def __init__(self, study: Study, clock: Clock, changes: Callable[[], object]) -> None:
        self.study = study
        self._clock = clock
        self._changes = changes
        #: by name, what takes so long to make that others should not wait for it
        self._rested: dict[str, StaleAnswer[Any]] = {}
        self._guard = threading.RLock()
        self._tree = WalkedTree()
        #: for what is made by `once`: one who looks at a time
        self.costs = TrialCosts()
        #: what was made of a reading, by what it is called, with the reading
        self._made: dict[str, tuple[StudyView, Any]] = {}

    @contextmanager
    def tree(self) -> Iterator[WalkedTree]:
        """Yield its tree as it is now; one who looks at a time."""
        with self._guard:
            self._tree.take(self.study.read())
            yield self._tree

    def once(self, name: str, make: Callable[[], T], keeps: Callable[[T], bool] = lambda made: True) -> T:
        """Return what `make` returns: the same for as long as nothing is written.

        Args:
          name: what it is called; whatever else it depends on is in it.
          make: makes it, of the study as it is now.
          keeps: tells whether what was made holds until something is written, or is to be made anew each time.
        """
        with self._guard:
            view = self.study.read()  # before it is made: what is written meanwhile makes it anew
            known = self._made.get(name)
            if known is None or known[0] is not view:
                latest = [(each, made) for each, made in self._made.items() if made[0] is view]
                self._made = dict(latest[-_MOST_MADE:])
                with collector_paused():
                    known = (view, make())
                if keeps(known[1]):
                    self._made[name] = known
            return known[1]

    def rested(
        self, name: str, make: Callable[[], T], holds: Callable[[T], bool] = lambda made: True
    ) -> tuple[T, float | None]:
        """Return what `make` returns, as `StaleAnswer.get` does: though something was written since, for a while.

        For what has to be made from the beginning: a study that is watched goes on, and so does its machine.

        Args:
          name: what it is called.
          make: makes it, of the study as it is now.
          holds: as there.

        Returns:
          As there.
        """
        answer = self._rested.setdefault(name, StaleAnswer(self._clock, self._changes))  # one step: from any thread
        return answer.get(make, holds)

    def now_and_then(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what `rested` does as one answer, with `again_s`."""
        answer, again_s = self.rested(name, make)
        return {**answer, "again_s": again_s}
