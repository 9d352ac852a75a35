"""States that the database knows and that are gone, or no longer what was written, as found out by who reads one.

Workers that meet such a state tell the control loop, which forgets it; a user who loads a trial has no worker, so it is
forgotten here. What was lost is a fact of the plan, so that the steps which run again are counted by their cause.
"""

from __future__ import annotations

from dataclasses import replace

from hippo.errors import CheckpointError, CorruptCheckpointError, PlanLockedError
from hippo.plan import AbstractPlanStore, CheckpointLoss, CheckpointRow, PlanRow, Update, whoami


def forget_state(store: AbstractPlanStore, plan: int, key: str, error: CheckpointError) -> None:
    """Record that a state cannot be loaded any more.

    The plan gets a new epoch, so that a process that knows it in memory reads it again.

    Args:
      store: of the plan.
      plan: the state's.
      key: names the state's checkpoint.
      error: what it met who wanted to read it.

    Raises:
      CheckpointError: a process writes to the plan, so that nobody else may; says what to do.
    """
    loss = CheckpointLoss.CORRUPT if isinstance(error, CorruptCheckpointError) else CheckpointLoss.MISSING
    lock = store.lock(plan)
    try:
        lock.acquire()
    except PlanLockedError as locked:
        raise type(error)(
            f"{error} Its steps can be run again, but not while somebody else writes to the plan: {locked}"
        ) from None
    try:
        (row,) = store.rows(PlanRow, plan=plan)
        gone = [replace(found, gone=loss) for found in store.rows(CheckpointRow, plan=plan, key=key, gone="")]
        store.commit([*map(Update, gone), Update(replace(row, epoch=row.epoch + 1, writer=whoami()))])
    finally:
        lock.release()
