"""The tables of a hippo database, made from the rows that they hold."""

from __future__ import annotations

import types
import typing
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, fields

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, MetaData, String, Table, Text, text
from sqlalchemy.dialects.mysql import LONGTEXT
from sqlalchemy.types import TypeEngine

from hippo.plan.rows import FOLLOWED_TYPES, ROW_TYPES, CheckpointRow, FailureRow, LeaseRow, NodeRow, Row, TrialRow

#: raised whenever a table changes; `hippo.plan.migrations` brings older databases here, and a newer one is refused
SCHEMA_VERSION = 7

#: column of `FOLLOWED_TYPES`: the number of the change that made a row what it is; they ascend as changes are committed
CHANGED = "changed"

metadata = MetaData()

#: one row: which database this is
database = Table(
    "hippo_database",
    metadata,
    Column("uuid", String(32), primary_key=True),
    Column("schema_version", BigInteger, nullable=False),
)


def _column_type(annotation: object, is_key: bool, length: int | None) -> TypeEngine[typing.Any]:
    if annotation is bool:
        return Boolean()
    if annotation is int:
        return BigInteger()
    if annotation is float:
        return Float(53)
    if annotation is str:
        return String(length or 255) if is_key or length else Text()
    raise TypeError(f"no column type for {annotation!r}")


def _table(kind: type[Row]) -> Table:
    hints = typing.get_type_hints(kind)
    columns = []
    for f in fields(kind):
        annotation, nullable = hints[f.name], False
        if isinstance(annotation, types.UnionType):  # int | None
            annotation, nullable = next(arg for arg in annotation.__args__ if arg is not types.NoneType), True
        is_key = bool(f.metadata.get("key"))
        column_type = _column_type(annotation, is_key, f.metadata.get("length"))
        columns.append(
            Column(f.name, column_type, primary_key=is_key, nullable=nullable and not is_key, autoincrement=False)
        )
    name = "hippo_" + kind.__name__.removesuffix("Row").lower()
    indexed = [f.name for f in fields(kind) if f.metadata.get("indexed")]
    # within the first key field: what is looked for belongs to one study
    indexes = [Index(f"{name}_by_{column}", columns[0].name, column) for column in indexed]
    if kind in FOLLOWED_TYPES:
        # writers of a file come one after the other; servers are given the number
        following = text(f"(SELECT coalesce(max({CHANGED}), 0) + 1 FROM {name})")
        columns.append(Column(CHANGED, BigInteger, nullable=False, default=following, onupdate=following))
        indexes.append(Index(f"{name}_by_{CHANGED}", CHANGED))
    return Table(name, metadata, *columns, *indexes)


TABLES: dict[type[Row], Table] = {kind: _table(kind) for kind in ROW_TYPES}


def _index(name: str, kind: type[Row], *names: str) -> Index:
    table = TABLES[kind]
    return Index(f"{table.name}_by_{name}", *(table.c[each] for each in names))


# What a plan is opened by, where it is not loaded whole. Stores in memory load it whole, and need none of these.
_index("digest", NodeRow, "plan", "digest", "node")
_index("node", CheckpointRow, "plan", "node")
_index("node", FailureRow, "plan", "node")
_index("end", LeaseRow, "plan", "ended", "lease")

#: the best trial of a hundred thousand is found by it; a database without it is only slower to tell
_index("loss", TrialRow, "study", "state", "loss", "number", "call", "step")


def fresh_database() -> dict[str, object]:
    """Return the row of `database` in a new one."""
    return {"uuid": uuid.uuid4().hex, "schema_version": SCHEMA_VERSION}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTables:
    """The same tables as a server takes them, and one that only servers need."""

    metadata: MetaData
    #: one row: which database this is
    database: Table
    #: one row: how many transactions were committed, and the number that was given last, to a row that was inserted or
    #: to an update that is followed; each writer changes it first, and so waits for the writer before
    counter: Table
    #: kind of row -> its table, with a column `inserted` more: the number of the row among all that were inserted
    tables: Mapping[type[Row], Table]


def server_tables(collation: str, *, is_mysql: bool) -> ServerTables:
    """Return the tables for a server.

    Texts are told apart by every byte, in each collation that is given here: names that differ in case or in a space
    at their end are two. MySQL indexes no text of any length, so that what is indexed has at most 255 characters there.
    """
    made = MetaData()
    counter = Table(
        "hippo_counter",
        made,
        Column("one", BigInteger, primary_key=True, autoincrement=False),
        Column("commits", BigInteger, nullable=False),
        Column("inserted", BigInteger, nullable=False),
        mysql_engine="InnoDB",
    )
    tables = {kind: _server_table(table, made, collation, is_mysql) for kind, table in TABLES.items()}
    named = _server_table(database, made, collation, is_mysql)
    return ServerTables(metadata=made, database=named, counter=counter, tables=tables)


def _server_table(table: Table, made: MetaData, collation: str, is_mysql: bool) -> Table:
    indexed = {column.name for index in table.indexes for column in index.columns}
    columns = [
        Column(
            column.name,
            server_type(column.type, collation, is_mysql=is_mysql, is_indexed=column.name in indexed),
            primary_key=column.primary_key,
            nullable=column.nullable,
            autoincrement=False,
        )
        for column in table.columns
    ]
    if table is not database:
        columns.append(Column("inserted", BigInteger, nullable=False))
    indexes = [
        Index(index.name, *(column.name for column in index.columns))
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]
    if table is not database:
        indexes.append(Index(f"{table.name}_by_inserted", "inserted"))
    return Table(table.name, made, *columns, *indexes, mysql_engine="InnoDB", mysql_charset="utf8mb4")


def server_type(
    given: TypeEngine[typing.Any], collation: str, *, is_mysql: bool, is_indexed: bool = False
) -> TypeEngine[typing.Any]:
    """Return the type that a column of a server has where one of a file has the given one."""
    if not isinstance(given, String):
        return given
    if not isinstance(given, Text):
        return String(given.length, collation=collation)
    if not is_mysql:
        return Text(collation=collation)
    return String(255, collation=collation) if is_indexed else LONGTEXT(collation=collation)
