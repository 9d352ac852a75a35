"""Which schema a database has, and the steps from there to today's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from hippo.errors import HippoError, StorageError
from hippo.plan.locks import locks_held
from hippo.plan.migrations.looking import is_in_server
from hippo.plan.migrations.to_3 import to_schema_3
from hippo.plan.migrations.to_4 import to_schema_4
from hippo.plan.migrations.to_5 import to_schema_5
from hippo.plan.migrations.to_6 import to_schema_6
from hippo.plan.migrations.to_7 import to_schema_7
from hippo.plan.sql_opening import open_sql_store
from hippo.plan.tables import SCHEMA_VERSION

if TYPE_CHECKING:
    from alembic.operations import Operations

#: schema -> what brings a database there from the one before; returns what users should hear of it
STEPS: dict[int, Callable[[Operations], list[str]]] = {
    3: to_schema_3,
    4: to_schema_4,
    5: to_schema_5,
    6: to_schema_6,
    7: to_schema_7,
}
#: steps to these schemas are for files: they were made before plans were kept in servers
_FILES_ONLY = (3, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """What an upgrade came to."""

    #: the schema of the database before
    before: int
    #: and after
    after: int
    #: what changed that users should know, a sentence each
    said: tuple[str, ...] = ()


def schema_version(url: str) -> int:
    """Return the number of a database's schema, whether this release works with it or not.

    Raises:
      StorageError: there is no such database, or it is not hippo's.
    """
    store = open_sql_store(url, must_exist=True, any_version=True)
    try:
        return store.schema_version
    finally:
        store.close()


def upgrade(url: str) -> Upgraded:
    """Bring a database to the schema of this release; one that has it stays as it is.

    Raises:
      StorageError: there is no such database, it is not hippo's, or of a newer release, or of one too old.
      PlanLockedError: a study in it runs.
      HippoError: Alembic is not installed.
    """
    store = open_sql_store(url, must_exist=True, any_version=True)
    try:
        before = store.schema_version
        if before == SCHEMA_VERSION:
            return Upgraded(before=before, after=before)
        store.refuse_newer()
        missing = [number for number in range(before + 1, SCHEMA_VERSION + 1) if number not in STEPS]
        if missing:
            raise StorageError(
                f"{store.url} is of schema version {before}, and this hippo brings versions {min(STEPS) - 1} to "
                f"{SCHEMA_VERSION - 1} to version {SCHEMA_VERSION}"
            )
        operations_on = _alembic()
        with locks_held(map(store.lock, store.plan_numbers())):
            steps = _Steps(operations_on, before, store.url)
            said = store.change_tables(steps.take)
        return Upgraded(before=before, after=SCHEMA_VERSION, said=tuple(said))
    finally:
        store.close()


class _Steps:
    """The steps of one upgrade, in a transaction that is done again where the connection to a server is lost."""

    def __init__(self, operations_on: Callable[[sa.Connection], Operations], before: int, url: str) -> None:
        self._operations_on = operations_on
        self._before = before
        self._url = url
        #: what was said by an attempt that came to its end, whether it is durable or not
        self._said: list[str] | None = None

    def take(self, connection: sa.Connection) -> list[str]:
        found = connection.execute(sa.text("SELECT schema_version FROM hippo_database")).scalar_one()
        if found == SCHEMA_VERSION and self._said is not None:
            return self._said  # it is durable: only the reply to the commit was lost
        if found != self._before:
            raise StorageError("the database was upgraded by another process meanwhile")
        numbers = range(found + 1, SCHEMA_VERSION + 1)
        if is_in_server(connection) and any(number in _FILES_ONLY for number in numbers):
            raise StorageError(
                f"{self._url} is of schema version {found}, which no hippo has kept in a server. Was it copied from a "
                "file? Upgrade the file, and copy that."
            )
        operations = self._operations_on(connection)
        said = [sentence for number in numbers for sentence in STEPS[number](operations)]
        connection.execute(sa.text(f"UPDATE hippo_database SET schema_version = {SCHEMA_VERSION}"))
        self._said = said
        return said


def _alembic() -> Callable[[sa.Connection], Operations]:
    try:
        from alembic.migration import MigrationContext
        from alembic.operations import Operations
    except ImportError:
        raise HippoError("an upgrade needs Alembic: pip install 'hippo-tune[alembic]'") from None
    return lambda connection: Operations(MigrationContext.configure(connection))
