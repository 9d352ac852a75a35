"""What is asked of an SQL database: statements that read, for any database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hippo.plan.rows import Row
from hippo.plan.selecting import Among, AtMost, Known, Where
from hippo.plan.store import FIELDS, KEY_FIELDS
from hippo.plan.tables import CHANGED

R = TypeVar("R", bound=Row)

#: kind of row -> the table that holds such rows
Tables = Mapping[type[Row], sa.Table]
#: a table -> the column that numbers its rows as they are inserted; no row is ever removed, so that a number is its own
MarkOf = Callable[[sa.Table], sa.ColumnElement[int]]


class SqlRows:
    """Rows as one transaction sees them.

    Args:
      connection: in which the transaction runs.
      tables: kind of row -> its table.
      mark_of: returns the column of a table that numbers its rows as they are inserted.
    """

    def __init__(self, connection: Connection, tables: Tables, mark_of: MarkOf) -> None:
        self._connection = connection
        self._tables = tables
        self._mark_of = mark_of

    def rows(self, kind: type[R], **equal: Any) -> list[R]:
        table = self._tables[kind]
        query = sa.select(*(table.c[name] for name in FIELDS[kind])).order_by(
            *(table.c[name] for name in KEY_FIELDS[kind])
        )
        query = query.where(*_conditions(table, equal))
        return [kind(**row) for row in self._connection.execute(query).mappings()]

    def columns(
        self,
        kind: type[Row],
        names: Sequence[str],
        *,
        order: Sequence[str] = (),
        limit: int | None = None,
        after: int = 0,
        upto: int | None = None,
        changed_after: int = 0,
        **where: Any,
    ) -> list[tuple[Any, ...]]:
        table, found = self._tables[kind], list[tuple[Any, ...]]()
        assert not (after and changed_after), "whoever asks for what changed asks for what was inserted with it"
        mark = table.c[CHANGED] if changed_after else self._mark_of(table)
        for part in _parts(where):
            query = sa.select(*(table.c[name] for name in names)).where(
                *_inserted(table, mark, changed_after or after, upto, part)
            )
            query = query.order_by(*(table.c[name] for name in order) if order else (mark,)).limit(limit)
            found += map(tuple, self._connection.execute(query).all())
        return found

    def totals(
        self, kind: type[Row], by: Sequence[str], of: str, *, after: int = 0, upto: int | None = None, **where: Any
    ) -> list[tuple[Any, ...]]:
        table = self._tables[kind]
        groups, field = [table.c[name] for name in by], table.c[of]
        sums = (sa.func.count(), sa.func.count(field), sa.func.coalesce(sa.func.sum(field), 0.0), sa.func.min(field))
        query = sa.select(*groups, *sums).where(*_inserted(table, self._mark_of(table), after, upto, where))
        return list(map(tuple, self._connection.execute(query.group_by(*groups).order_by(*groups)).all()))

    def mark(self, kind: type[Row]) -> int:
        table = self._tables[kind]
        query = sa.select(sa.func.coalesce(sa.func.max(self._mark_of(table)), 0)).select_from(table)
        return int(self._connection.execute(query).scalar_one())

    def last_change(self, kind: type[Row]) -> int:
        query = sa.select(sa.func.coalesce(sa.func.max(self._tables[kind].c[CHANGED]), 0))
        return int(self._connection.execute(query).scalar_one())

    def largest(self, kind: type[Row], name: str, **where: Any) -> int | None:
        table = self._tables[kind]
        query = sa.select(sa.func.max(table.c[name])).where(*_conditions(table, where))
        found = self._connection.execute(query).scalar_one()
        return None if found is None else int(found)


#: values of `Among` in one statement, which may have 32,766 of them
_MOST_VALUES = 5_000


def _inserted(
    table: sa.Table, mark: sa.ColumnElement[int], after: int, upto: int | None, where: Where
) -> list[sa.ColumnElement[bool]]:
    """Return the conditions on rows that were inserted, or changed, between two marks."""
    marks: list[sa.ColumnElement[bool]] = [mark > after] if after else []
    marks += [mark <= upto] if upto is not None else []
    return marks + _conditions(table, where, is_indexed=not after)


def _conditions(table: sa.Table, where: Where, *, is_indexed: bool = True) -> list[sa.ColumnElement[bool]]:
    """Return conditions on fields.

    Args:
      table: whose fields.
      where: what is asked for.
      is_indexed: False keeps numbers from being looked up in an index: SQLite would walk a whole plan to find the few
        rows that came last.
    """
    return [_condition(table.c[name], wanted, is_indexed) for name, wanted in where.items()]


def _condition(column: sa.ColumnElement[Any], wanted: Any, is_indexed: bool) -> sa.ColumnElement[bool]:
    asked = wanted.values if isinstance(wanted, Among) else (wanted,)
    if not is_indexed and all(map(_is_number, asked)):
        column = column + 0
    found: sa.ColumnElement[bool]
    match wanted:
        case Among(values):
            found = column.in_(list(values))
        case AtMost(most):
            found = column <= most
        case Known():
            found = column.is_not(None)
        case _:
            found = column == wanted
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _parts(where: Where) -> Iterator[Where]:
    """Yield conditions that together ask for the same, none of them of more values than a statement may have."""
    name = next((name for name, wanted in where.items() if isinstance(wanted, Among)), None)
    values = [] if name is None else sorted(where[name].values)
    if name is None or len(values) <= _MOST_VALUES:
        yield where
        return
    for begin in range(0, len(values), _MOST_VALUES):
        yield {**where, name: Among(values[begin : begin + _MOST_VALUES])}
