"""The studies of a database, as a dashboard reads them: opened once, and what costs much kept while nothing is written.

This module refuses to know the web.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from hippo.plan import AbstractPlanStore
from hippo.study import Study, StudyView, load_study
from hippo.study.managing import study_names
from hippo.study.walked_tree import WalkedTree

T = TypeVar("T")
#: answers about one reading of a study that are kept
_MOST_MADE = 16


class ReadStudies:
    """Studies, opened once: a look costs what changed since the last one.

    Args:
      store: to be read.
    """

    def __init__(self, store: AbstractPlanStore) -> None:
        self._store = store
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
                known = self._studies[name] = ReadStudy(fresh)
            return known


class ReadStudy:
    """One study as it is read.

    Args:
      study: which.
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        self._guard = threading.RLock()
        self._tree = WalkedTree()
        #: what was made of a reading, by what it is called, with the reading
        self._made: dict[str, tuple[StudyView, Any]] = {}

    @contextmanager
    def tree(self) -> Iterator[WalkedTree]:
        """Yield its tree as it is now; one who looks at a time."""
        with self._guard:
            self._tree.take(self.study.read())
            yield self._tree

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what `make` returns: the same for as long as nothing is written.

        Args:
          name: what it is called; whatever else it depends on is in it.
          make: makes it, of the study as it is now.
        """
        with self._guard:
            view = self.study.read()  # before it is made: what is written meanwhile makes it anew
            known = self._made.get(name)
            if known is None or known[0] is not view:
                latest = [(each, made) for each, made in self._made.items() if made[0] is view]
                self._made = dict(latest[-_MOST_MADE:])
                known = self._made[name] = (view, make())
            return known[1]
