"""`hippo db`: the database itself, whatever studies are in it."""

from __future__ import annotations

import click

from hippo.cli.options import check_storage, storage_option
from hippo.cli.output import say
from hippo.errors import StorageError


@click.group()
def db() -> None:
    """Look after a database: which version its tables are of, and bringing an older one to today's."""


@db.command()
@storage_option
def version(storage: str) -> None:
    """Print the version of the database's tables, and that of this hippo's."""
    _check_is_database(storage)
    from hippo.plan.migrations import schema_version
    from hippo.plan.tables import SCHEMA_VERSION

    found = schema_version(storage)
    click.echo(found)
    if found != SCHEMA_VERSION:
        what = "`hippo db upgrade` brings it there" if found < SCHEMA_VERSION else "a newer hippo wrote it"
        say(f"this hippo works with version {SCHEMA_VERSION}; {what}")


@db.command()
@storage_option
def upgrade(storage: str) -> None:
    """Bring a database that an older hippo wrote to the version of this one, with all that it knows.

    It happens as a whole or not at all, while no study in it runs. An older hippo cannot read the database afterwards:
    copy its file first if one still has to.
    """
    _check_is_database(storage)
    from hippo.plan.migrations import upgrade as upgrade_database

    upgraded = upgrade_database(storage)
    for sentence in upgraded.said:
        say(sentence)
    if upgraded.before == upgraded.after:
        say(f"nothing to do: the database is of version {upgraded.after}, which is that of this hippo")
    else:
        say(f"the database is of version {upgraded.after} now; it was of version {upgraded.before}")


def _check_is_database(storage: str) -> None:
    check_storage(storage)
    if storage.startswith("memory:"):
        raise StorageError(f"storage={storage!r} is no database, and of no version")
