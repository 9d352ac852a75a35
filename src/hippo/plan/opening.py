"""From what a user writes as `storage=` to a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hippo.plan.store import AbstractPlanStore, open_memory_store


def open_store(storage: str | AbstractPlanStore, *, must_exist: bool = False) -> AbstractPlanStore:
    """Open a store by URL: "memory://" (a new one), "memory://name" (one per process), or a SQLAlchemy URL.

    A store that is open already is returned as it is.

    Raises:
      StorageError: it cannot be opened, is not hippo's, or is from a newer version.
    """
    if not isinstance(storage, str):
        return storage
    if storage.startswith("memory://"):
        return open_memory_store(storage.removeprefix("memory://"))
    from hippo.plan.sql_opening import open_sql_store  # SQLAlchemy takes a quarter of a second to import

    return open_sql_store(storage, must_exist=must_exist)


@contextmanager
def closed_if_refused(store: AbstractPlanStore, storage: str | AbstractPlanStore) -> Iterator[None]:
    """Close a store, if it was opened here, where an error leaves the block: nobody else has it to close it."""
    try:
        yield
    except BaseException:
        if store is not storage:
            store.close()
        raise


@contextmanager
def opened_store(storage: str | AbstractPlanStore, *, must_exist: bool = False) -> Iterator[AbstractPlanStore]:
    """Open a store as `open_store` does, and close it at the end of the block, if it was opened here.

    Raises:
      StorageError: as `open_store`.
    """
    store = open_store(storage, must_exist=must_exist)
    try:
        yield store
    finally:
        if store is not storage:
            store.close()
