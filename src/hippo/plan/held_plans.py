"""Who wrote last to the plans whose locks are held: a lock may be lost without a word, and another process take over.

It refuses to know what kind of lock that is.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from hippo.plan.rows import PlanRow

#: who wrote to a plan last: epoch and writer
PlanWriter = tuple[int, str]


class HeldPlans:
    """The plans whose locks one store holds, and who may have written to each last as far as it knows."""

    def __init__(self) -> None:
        self._guard = threading.Lock()  # while one thread commits, another takes and gives locks
        self._known: dict[int, set[PlanWriter]] = {}

    def all(self) -> list[int]:
        """Return the numbers of those that are held."""
        with self._guard:
            return list(self._known)

    def hold(self, plan: int, *known: PlanWriter) -> None:
        """Note that a lock was taken, and who has written to the plan; without that, the next look is believed."""
        with self._guard:
            self._known[plan] = set(known)

    def let_go(self, plan: int) -> bool:
        """Forget a plan; tell whether it was held."""
        with self._guard:
            return self._known.pop(plan, None) is not None

    def is_as_known(self, plan: int, found: PlanWriter) -> bool:
        """Tell whether nobody else has written to a plan, by what its row says; true if it is not held."""
        with self._guard:
            known = self._known.get(plan)
            if known is not None and not known:
                known.add(found)
            return known is None or found in known

    def expect(self, rows: Sequence[PlanRow]) -> None:
        """Note what the rows of plans will say if a transaction lands."""
        with self._guard:
            for row in rows:
                if row.plan in self._known:
                    self._known[row.plan].add((row.epoch, row.writer))

    def settle(self, rows: Sequence[PlanRow]) -> None:
        """Note what the rows of plans say, since a transaction has landed."""
        with self._guard:
            for row in rows:
                if row.plan in self._known:
                    self._known[row.plan] = {(row.epoch, row.writer)}
