"""The tables of a hippo database, made from the rows that they hold."""

from __future__ import annotations

import types
import typing
from dataclasses import fields

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, MetaData, String, Table, Text
from sqlalchemy.types import TypeEngine

from hippo.plan.rows import ROW_TYPES, CheckpointRow, FailureRow, LeaseRow, NodeRow, Row, TrialRow

#: raised whenever a table changes; `hippo.plan.migrations` brings older databases here, and a newer one is refused
SCHEMA_VERSION = 5

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
