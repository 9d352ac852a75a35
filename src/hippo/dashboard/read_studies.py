"""The studies of a database, as a dashboard reads them: opened once, and what costs much kept while nothing is written.

This module refuses to know the web.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from hippo.plan import AbstractPlanStore
from hippo.study import Study, StudyView, TreeRow, load_study
from hippo.study.managing import study_names


class ReadStudies:
    """Studies that the page asked for: the next look at one costs what changed since.

    Args:
      store: to be read.
    """

    def __init__(self, store: AbstractPlanStore) -> None:
        self._store = store
        self._guard = threading.Lock()
        self._studies: dict[str, Study] = {}
        #: of each the reading that a tree is of, and the tree
        self._trees: dict[str, tuple[StudyView, Sequence[TreeRow]]] = {}

    def names(self) -> Sequence[str]:
        """Return the names of all studies."""
        return study_names(self._store)

    def named(self, name: str) -> Study:
        """Return a study as it is read; one that was made anew, or deleted, is looked for again."""
        fresh = load_study(name, self._store)
        with self._guard:
            known = self._studies.get(name)
            if known is None or known.generation != fresh.generation:
                known = self._studies[name] = fresh
            return known

    def tree(self, study: Study) -> Sequence[TreeRow]:
        """Return a study's tree: the same for as long as nothing was written."""
        view = study.read()
        known = self._trees.get(study.name)
        if known is None or known[0] is not view:
            known = self._trees[study.name] = (view, view.tree())
        return known[1]
