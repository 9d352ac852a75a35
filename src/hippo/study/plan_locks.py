"""Being the only writer of a study for a moment, without training on its plans."""

from __future__ import annotations

from contextlib import AbstractContextManager

from hippo.plan import AbstractPlanStore, plans_of
from hippo.plan.locks import locks_held


def locked_plans(store: AbstractPlanStore, study: int) -> AbstractContextManager[None]:
    """Hold the locks of all plans of a study within the block.

    Raises:
      PlanLockedError: a process writes to one of them.
    """
    return locks_held(store.lock(plan) for plan in sorted(set(plans_of(store, study).values())))
