"""Connection poolers that give a session away after each transaction, such as pgbouncer in transaction mode.

A plan's lock belongs to a session of the server. Behind such a pooler the next statement may run in another one, and
the lock is held by whoever gets the first: two writers, and nobody hears of it. So a writer looks before it trusts one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hippo.errors import StorageError

_PID = sa.select(sa.func.pg_backend_pid())


def check_session(connection: Connection, connect: Callable[[], Connection], shown: str) -> None:
    """See that a connection to PostgreSQL keeps its session between transactions.

    The server tells who connects to it the number of its process; a pooler has a number of its own for that, which is
    how it is noticed. Whether it hands out sessions or transactions shows when a second connection is busy: handed
    out by the transaction, one of the two gets the session that the other had.

    Args:
      connection: what is looked at; its transaction ends.
      connect: makes another connection to the same database.
      shown: the database, as messages name it.

    Raises:
      StorageError: the session is not the connection's own.
    """
    before = connection.execute(_PID).scalar_one()
    told: Any = connection.connection.dbapi_connection
    connection.commit()
    if told.info.backend_pid == before:
        return
    with connect() as other:
        others = other.execute(_PID).scalar_one()  # and keeps it: its transaction goes on
        after = connection.execute(_PID).scalar_one()
        connection.commit()
    if others == before or after != before:
        raise StorageError(
            f"{shown} is reached through a pooler that hands out transactions (pgbouncer: pool_mode = transaction), "
            "and the lock of a plan needs a session of its own. Give the URL of the server itself (its own port, by "
            "default 5432), or have the pooler hand out sessions (pool_mode = session)."
        )
