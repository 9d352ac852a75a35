"""What a step asks before it acts.

MySQL commits at each change of a table, so that an upgrade that was broken off there has been done in part. It is run
again, and each step does what is still to be done. SQLite and PostgreSQL undo all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import Text
from sqlalchemy.types import TypeEngine

from hippo.plan.server_dialects import dialect_of
from hippo.plan.tables import server_type

if TYPE_CHECKING:
    from alembic.operations import Operations


def is_in_server(connection: sa.Connection) -> bool:
    """Tell whether a database is in a server, and not in a file."""
    return connection.dialect.name != "sqlite"


def has_column(op: Operations, table: str, name: str) -> bool:
    """Tell whether a table has a column by now."""
    return any(column["name"] == name for column in sa.inspect(op.get_bind()).get_columns(table))


def has_index(op: Operations, table: str, name: str) -> bool:
    """Tell whether a table has an index by now."""
    return any(index["name"] == name for index in sa.inspect(op.get_bind()).get_indexes(table))


def text_type(op: Operations) -> TypeEngine[Any]:
    """Return the type of a text of any length, as all texts of this database have it."""
    connection = op.get_bind()
    if not is_in_server(connection):
        return Text()
    dialect = dialect_of(connection.engine.url)
    return server_type(Text(), dialect.collation(connection), is_mysql=dialect.is_mysql)
