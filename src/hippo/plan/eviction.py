"""Forgets files of states, for those who have no plan in memory: a user who met one that is gone, and `hippo gc`.

That a state can no longer be loaded is written down, so that the steps which run again are counted by their cause, and
it is before a file is removed: who is killed in between leaves a file that nobody needs, and no state that nobody can
load.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from hippo.errors import PlanLockedError
from hippo.frozen import changed
from hippo.plan.locks import whoami
from hippo.plan.rows import CheckpointLoss, CheckpointRow, PlanRow, Update
from hippo.plan.selecting import Among
from hippo.plan.store import AbstractPlanStore

#: rows written together: others wait for the database meanwhile
_AT_ONCE = 2_000


@contextmanager
def sole_writer(store: AbstractPlanStore, plan: int) -> Iterator[None]:
    """Hold the right to write to a plan that nobody trains on, while the block lasts.

    Raises:
      PlanLockedError: somebody else holds it.
    """
    lock = store.lock(plan)
    lock.acquire()
    try:
        yield
    finally:
        lock.release()


def take_unless_used(locks: ExitStack, store: AbstractPlanStore, plan: int) -> bool:
    """Hold the same right for as long as `locks` are held; return False where somebody trains on the plan."""
    try:
        locks.enter_context(sole_writer(store, plan))
    except PlanLockedError:
        return False
    return True


def forget_states(store: AbstractPlanStore, plan: int, keys: Collection[str], loss: CheckpointLoss) -> None:
    """Record that states of a plan can no longer be loaded; its lock must be held.

    The plan gets a new epoch, so that a process that knows it in memory reads it again.

    Args:
      store: of the plan.
      plan: which.
      keys: name the states' checkpoints.
      loss: why they cannot be loaded.
    """
    listed = list(keys)
    for first in range(0, len(listed), _AT_ONCE):
        named: Any = Among(listed[first : first + _AT_ONCE])
        with store.reading() as rows:
            found = rows.columns(CheckpointRow, ("key",), plan=plan, key=named, gone="")
        store.commit([Update(_marked(plan, key, loss)) for (key,) in found])
    _begin_epoch(store, plan)


def know_states_again(store: AbstractPlanStore, plan: int, keys: Collection[str]) -> None:
    """Record that states of a plan that were missing can be loaded again; else as `forget_states`."""
    store.commit([Update(_marked(plan, key, "")) for key in keys])
    _begin_epoch(store, plan)


def _begin_epoch(store: AbstractPlanStore, plan: int) -> None:
    (row,) = store.rows(PlanRow, plan=plan)
    store.commit([Update(changed(row, epoch=row.epoch + 1, writer=whoami()))])


def _marked(plan: int, key: str, gone: str) -> CheckpointRow:
    """Return the row of a file with why it is gone, or nothing: an update reads its key, and what may change."""
    nothing = {"node": 0, "step": 0, "size_bytes": 0, "sha256": "", "state_hash": "", "seconds": 0.0, "study": 0}
    return CheckpointRow(plan=plan, key=key, gone=gone, **nothing)  # type: ignore[arg-type]
