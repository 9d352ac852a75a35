"""States that the database knows and that are gone, or no longer what was written, as found out by who reads one.

Workers that meet such a state tell the control loop, which forgets it; a user who loads a trial has no worker, so it is
forgotten here. What was lost is a fact of the plan, so that the steps which run again are counted by their cause.
"""

from __future__ import annotations

from hippo.errors import CheckpointError, CorruptCheckpointError, PlanLockedError
from hippo.plan import AbstractPlanStore, CheckpointLoss, forget_states, sole_writer


def forget_state(store: AbstractPlanStore, plan: int, key: str, error: CheckpointError) -> None:
    """Record that a state cannot be loaded any more.

    Args:
      store: of the plan.
      plan: the state's.
      key: names the state's checkpoint.
      error: what it met who wanted to read it.

    Raises:
      CheckpointError: a process writes to the plan, so that nobody else may; says what to do.
    """
    loss = CheckpointLoss.CORRUPT if isinstance(error, CorruptCheckpointError) else CheckpointLoss.MISSING
    try:
        with sole_writer(store, plan):
            forget_states(store, plan, [key], loss)
    except PlanLockedError as locked:
        raise type(error)(
            f"{error} Its steps can be run again, but not while somebody else writes to the plan: {locked}"
        ) from None
