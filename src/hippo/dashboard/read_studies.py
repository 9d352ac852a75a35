"""The studies of a database, as a dashboard reads them: opened once, and what costs much kept while nothing is written.

This module refuses to know the web.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from hippo.clock import Clock
from hippo.collector import collector_paused
from hippo.plan import AbstractPlanStore
from hippo.study import Study, StudyView, load_study
from hippo.study.managing import study_names
from hippo.study.trial_costs import TrialCosts
from hippo.study.walked_tree import WalkedTree

T = TypeVar("T")
#: answers about one reading of a study that are kept
_MOST_MADE = 16
#: for so many times as long as it took, what is made now and then is not made anew
_REST = 5
#: seconds that somebody who watches waits for an answer
_PROMPT_S = 0.1


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
        self._rested: dict[str, _KeptAnswer] = {}
        self._guard = threading.RLock()
        #: of what is made now and then, by its name: it takes so long that others should not wait for it
        self._dear: dict[str, threading.Lock] = {}
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
        """Return what `make` returns, though something was written since, until several times as long is over.

        For what has to be made from the beginning: a study that is watched goes on, and so does its machine. Whoever
        watches and asks again as soon as there is more is not kept waiting, either: what takes long is then made
        meanwhile, on a thread of its own, and the one before is returned once more.

        Args:
          name: what it is called.
          make: makes it, of the study as it is now.
          holds: tells whether what was made holds until something is written, or is made anew after its rest anyway.

        Returns:
          It, and after how many seconds it is worth asking again; None: not before something is written.
        """
        lock = self._dear.setdefault(name, threading.Lock())  # one step, whichever thread comes first
        watched = self._if_watched(name)
        if not lock.acquire(blocking=watched is None) and watched is not None:
            return watched.made, watched.took_s  # the next one is being made
        goes_on = False
        try:
            # before it is made: what is written meanwhile makes it anew
            seen, now, known = self._changes(), self._clock.elapsed(), self._rested.get(name)
            if known is None or (now >= known.until_s and (known.seen != seen or not holds(known.made))):
                if watched is not None:
                    making = threading.Thread(target=self._make_meanwhile, args=(name, make, seen, now), daemon=True)
                    making.start()
                    goes_on = True
                    return watched.made, watched.took_s
                known = self._make(name, make, seen, now)
            return known.made, None if known.seen == seen else max(0.0, known.until_s - now)
        finally:
            if not goes_on:
                lock.release()

    def _if_watched(self, name: str) -> _KeptAnswer | None:
        """Return what was made last, if it takes long to make, and somebody asked for it not long ago."""
        known = self._rested.get(name)
        if known is None or known.took_s <= _PROMPT_S:
            return None
        return known if self._clock.elapsed() < known.until_s + _REST * known.took_s else None

    def _make(self, name: str, make: Callable[[], Any], seen: object, now: float) -> _KeptAnswer:
        with collector_paused():
            made = make()
        took_s = self._clock.elapsed() - now
        known = self._rested[name] = _KeptAnswer(seen, made, now + (1 + _REST) * took_s, took_s)
        return known

    def _make_meanwhile(self, name: str, make: Callable[[], Any], seen: object, now: float) -> None:
        """Make it where nobody waits, and let go of its lock."""
        try:
            self._make(name, make, seen, now)
        except Exception:
            self._rested.pop(name, None)  # whoever asks next makes it, and is told what is wrong
        finally:
            self._dear[name].release()

    def now_and_then(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return what `rested` does as one answer, with `again_s`."""
        answer, again_s = self.rested(name, make)
        return {**answer, "again_s": again_s}


class _KeptAnswer(NamedTuple):
    """What was made, and in how long; what the database said of its changes before; until when it rests.

    By a monotonic clock.
    """

    seen: object
    made: Any
    until_s: float
    took_s: float
