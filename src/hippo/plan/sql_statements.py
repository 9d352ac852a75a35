"""What is told an SQL database: statements that insert rows and update them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, get_type_hints

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hippo.errors import StorageError
from hippo.plan.rows import FOLLOWED_TYPES, ROW_TYPES, Change, Insert, Row, Update
from hippo.plan.selecting import fields_reader
from hippo.plan.sql_rows import Tables
from hippo.plan.store import FIELDS, KEY_FIELDS, MUTABLE_FIELDS, key_of
from hippo.plan.tables import CHANGED

#: what a row has in the column `inserted` if its database counts rows there, until it is known; that of no row
UNMARKED = 0
#: longer texts are refused: servers take 16 MiB in one packet, and a text is quoted in it
MOST_TEXT_BYTES = 8 * 2**20
#: longer keys are refused: servers index no more
MOST_KEY_LENGTH = 255

Statement = tuple[sa.Executable, list[dict[str, Any]]]
#: table, names of the key, names of what may change -> a statement that updates rows, given as `values_of` gives them
MakeUpdate = Callable[[sa.Table, Sequence[str], Sequence[str]], sa.Executable]


def values_of(row: Row) -> dict[str, Any]:
    """Return a row's fields by name.

    Raises:
      StorageError: one is longer than every database takes, or is no number.
    """
    kind = type(row)
    values = dict(zip(FIELDS[kind], _read[kind](row), strict=True))
    if max(map(len, _read_texts[kind](row)), default=0) > MOST_KEY_LENGTH:  # of few rows
        for name in TEXTS[kind]:
            _check_length(kind, name, values[name])
    for name in _UNSURE_FLOATS[kind]:
        value = values[name]
        if value is not None and value - value != 0:  # NaN or infinite: SQLite would keep it as None, without a word
            raise StorageError(f"{kind.__name__}.{name} is {value!r}, which databases do not keep: None says unknown")
    return values


def _check_length(kind: type[Row], name: str, text: str) -> None:
    if name in KEY_FIELDS[kind] and len(text) > MOST_KEY_LENGTH:
        raise StorageError(
            f"{kind.__name__}.{name} has {len(text)} characters ({text[:40]!r}...), and a key has at most "
            f"{MOST_KEY_LENGTH}; give it a shorter name"
        )
    # a character has at most 4 bytes
    if len(text) * 4 > MOST_TEXT_BYTES and len(text.encode("utf-8", "surrogatepass")) > MOST_TEXT_BYTES:
        raise StorageError(
            f"{kind.__name__}.{name} is a text of {len(text) / 1e6:.1f} million characters, and a database takes "
            f"{MOST_TEXT_BYTES // 2**20} MiB; keep large values in files, and their names here"
        )


class WriteStatements:
    """Statements that insert rows of a database and update them, made once: making one costs as much as running it.

    Args:
      tables: kind of row -> its table.
      make_update: writes the statement of an update.
    """

    def __init__(self, tables: Tables, make_update: MakeUpdate) -> None:
        self._tables = tables
        self._make_update = make_update
        self._inserts: dict[type[Row], sa.Insert] = {}
        #: kind of row, and whether its changes are numbered here
        self._updates: dict[tuple[type[Row], bool], sa.Executable] = {}

    def of(self, changes: Sequence[Change], first: int = 0) -> Iterator[Statement]:
        """Yield one statement for each table that is inserted into, then one for each that is updated.

        Args:
          changes: what changes.
          first: the mark of the first row, where the database has them counted; the rows after it follow, and then the
            updates whose changes are numbered.
        """
        inserts: dict[type[Row], list[dict[str, Any]]] = {}
        updates: dict[type[Row], dict[tuple[Any, ...], Row]] = {}
        for change in changes:
            match change:
                case Insert(row):
                    inserts.setdefault(type(row), []).append(values_of(row))
                case Update(row):
                    updates.setdefault(type(row), {})[key_of(row)] = row  # the last one holds
        marks = itertools.count(first)
        for kind, values in inserts.items():
            if first:
                for value in values:
                    value["inserted"] = mark = next(marks)
                    if kind in FOLLOWED_TYPES:
                        value[CHANGED] = mark
            yield self._insert(kind), values
        for kind, rows in updates.items():
            is_numbered = bool(first) and kind in FOLLOWED_TYPES
            statement = self._update(kind, is_numbered)
            if isinstance(statement, sa.Update):
                names = (*KEY_FIELDS[kind], *MUTABLE_FIELDS[kind])
                yield statement, [{f"_{name}": getattr(row, name) for name in names} for row in rows.values()]
            else:
                found = [{**values_of(row), "inserted": UNMARKED} for row in rows.values()]
                if is_numbered:
                    for value in found:
                        value[CHANGED] = next(marks)
                yield statement, found

    def _insert(self, kind: type[Row]) -> sa.Insert:
        if kind not in self._inserts:
            self._inserts[kind] = sa.insert(self._tables[kind])
        return self._inserts[kind]

    def _update(self, kind: type[Row], is_numbered: bool) -> sa.Executable:
        key = (kind, is_numbered)
        if key not in self._updates:
            names = (*MUTABLE_FIELDS[kind], CHANGED) if is_numbered else MUTABLE_FIELDS[kind]
            self._updates[key] = self._make_update(self._tables[kind], KEY_FIELDS[kind], names)
        return self._updates[key]


class StatementTexts:
    """Carries statements out as texts, written once: of a write of a few rows SQLAlchemy's part was the half.

    For drivers that take values as rows have them.
    """

    def __init__(self) -> None:
        #: statement -> its text, and what takes the values out of a mapping, in their order there
        self._texts: dict[sa.Executable, tuple[str, Callable[[Mapping[str, Any]], Any]]] = {}

    def execute(self, connection: Connection, statement: sa.Executable, values: Sequence[Mapping[str, Any]]) -> None:
        """Carry a statement out for each of the values, which always have the same names."""
        if statement not in self._texts:
            assert isinstance(statement, sa.Insert | sa.Update), "what else writes rows"
            compiled = statement.compile(dialect=connection.dialect, column_keys=list(values[0]))
            names = compiled.positiontup or ()
            assert len(names) > 1, "one name alone would be read as its value, and every row has a plan and a number"
            self._texts[statement] = str(compiled), itemgetter(*names)
        text, values_in_order = self._texts[statement]
        connection.exec_driver_sql(text, [values_in_order(value) for value in values])


def plain_update(table: sa.Table, keys: Sequence[str], names: Sequence[str]) -> sa.Update:
    """Return an update of rows found by their keys."""
    return (
        sa.update(table)
        .where(*(table.c[name] == sa.bindparam(f"_{name}") for name in keys))
        .values({name: sa.bindparam(f"_{name}") for name in names})
    )


def _fields_of_type(kind: type[Row], wanted: object) -> tuple[str, ...]:
    hints = get_type_hints(kind)
    return tuple(name for name in FIELDS[kind] if hints[name] == wanted)


_read = {kind: fields_reader(FIELDS[kind]) for kind in ROW_TYPES}
#: the fields that are text
TEXTS: Mapping[type[Row], tuple[str, ...]] = {kind: _fields_of_type(kind, str) for kind in ROW_TYPES}
_read_texts = {kind: fields_reader(TEXTS[kind]) for kind in ROW_TYPES}
_UNSURE_FLOATS: Mapping[type[Row], tuple[str, ...]] = {kind: _fields_of_type(kind, float | None) for kind in ROW_TYPES}
