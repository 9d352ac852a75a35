"""From a database URL to a store."""

from __future__ import annotations

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from hippo.errors import StorageNameError
from hippo.plan.server import ServerDatabase
from hippo.plan.server_dialects import check_mysql_options
from hippo.plan.sql_store import SqlDatabase, SqlStore
from hippo.plan.sqlite_file import SqliteFile
from hippo.plan.urls import QUOTED_HINT, is_well_quoted, shown_url, told_url


def open_sql_store(url: str, *, must_exist: bool = False, any_version: bool = False) -> SqlStore:
    """Open a database by its URL: "sqlite:///file", "postgresql://user:password@host/name", "mysql://...".

    Args:
      url: which one. With its password hidden, as `store.url` shows it, it is the one opened last under that name.
      must_exist, any_version: as for `SqlStore`.

    Raises:
      StorageNameError: it is no such URL.
      StorageError: the database cannot be opened.
    """
    database = _database(told_url(url))
    try:
        return SqlStore(database, must_exist=must_exist, any_version=any_version)
    except BaseException:
        database.close()
        raise


def _database(url: str) -> SqlDatabase:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        raise StorageNameError(
            f"storage={shown_url(url)!r} is not a database URL; write for instance 'sqlite:///hippo.db', or "
            f"'memory://' for none{f'. {QUOTED_HINT}' if '@' in url else ''}"
        ) from None
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return SqliteFile(url)
    if backend in ("postgresql", "postgres", "mysql", "mariadb"):
        # what is taken for either is the end of a password; a database may have such a name, too
        if "@" in f"{parsed.host}{parsed.database}" and not is_well_quoted(url):
            raise StorageNameError(f"storage={shown_url(url)!r}: its password holds an '@' as it is. {QUOTED_HINT}")
        if not parsed.database and backend in ("mysql", "mariadb"):  # PostgreSQL has one of its user's name
            raise StorageNameError(f"storage={shown_url(url)!r} names no database: write '{backend}://.../name'")
        return ServerDatabase(url, with_driver(parsed, shown_url(url)))
    raise StorageNameError(
        f"storage={shown_url(url)!r}: hippo keeps studies in SQLite ('sqlite:///file.db'), in PostgreSQL "
        "('postgresql://user:password@host/name'), in MariaDB or MySQL ('mysql://user:password@host/name'), or in "
        "memory ('memory://')"
    )


def with_driver(parsed: URL, shown: str) -> URL:
    """Return a URL that names the driver that hippo was tried with; there are others, that differ in small things."""
    backend, _, driver = parsed.drivername.partition("+")
    wanted = "psycopg" if backend.startswith("postgres") else "pymysql"
    if driver not in ("", wanted):
        raise StorageNameError(
            f"storage={shown!r} names the driver {driver!r}, and hippo uses {wanted!r}: leave '+{driver}' out"
        )
    driven = parsed.set(drivername=f"{'postgresql' if wanted == 'psycopg' else 'mysql'}+{wanted}")
    if wanted == "pymysql":
        check_mysql_options(driven, shown)
    return driven
