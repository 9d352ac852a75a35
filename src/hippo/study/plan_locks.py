"""Being the only writer of a study for a moment, without training on its plans."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from hippo.plan import AbstractPlanStore, plans_of


@contextmanager
def locked_plans(store: AbstractPlanStore, study: int) -> Iterator[None]:
    """Hold the locks of all plans of a study within the block.

    Raises:
      PlanLockedError: a process writes to one of them.
    """
    with ExitStack() as locked:
        for plan in sorted(set(plans_of(store, study).values())):
            lock = store.lock(plan)
            lock.acquire()
            locked.callback(lock.release)
        yield
