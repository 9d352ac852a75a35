"""Where a branch's values lie in memory: tables of rows, what the update rule keeps beside them, and who owns which.

A key is a row of a table. A branch is one stretch of bytes: table after table, of each the values, then what the rule
keeps beside them, in the same shape. So a fork is a copy of bytes. Keys are numbered through all tables, and each shard
owns a stretch of them. This module refuses to know how values change, and who copies them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hippo.errors import StateError, TrainerError

Array = npt.NDArray[Any]
#: field -> array, of one table or of a stretch of its rows; the values are field `VALUE`
Fields = Mapping[str, Array]
#: table -> fields
Tables = Mapping[str, Fields]

VALUE = "value"
#: arrays begin at such addresses: a cache line, and more than any type of number asks for
_ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class TableShape:
    """One table: rows x whatever shape a row has."""

    name: str
    #: the first is the number of rows
    shape: tuple[int, ...]
    #: numpy's name of the type of a number
    dtype: str

    @property
    def size_bytes(self) -> int:
        """Of one field."""
        return int(np.prod(self.shape)) * np.dtype(self.dtype).itemsize


@dataclass(frozen=True, slots=True)
class BranchLayout:
    """The tables of a branch, what lies beside each value, and how keys are shared out among shards."""

    tables: tuple[TableShape, ...]
    #: `VALUE`, and then what the update rule keeps
    fields: tuple[str, ...]
    num_shards: int

    @property
    def num_keys(self) -> int:
        """Rows of all tables."""
        return sum(table.shape[0] for table in self.tables)

    @property
    def branch_bytes(self) -> int:
        """What one branch takes, with gaps."""
        return len(self.fields) * sum(map(_aligned, self.tables))

    def branch(self, memory: Array) -> dict[str, dict[str, Array]]:
        """Return the arrays of a branch: table -> field -> view of its bytes."""
        found: dict[str, dict[str, Array]] = {}
        begin = 0
        for table in self.tables:
            for field in self.fields:
                found.setdefault(table.name, {})[field] = _view(table, memory, begin)
                begin += _aligned(table)
        return found

    def rows_of(self, shard: int) -> dict[str, tuple[int, int]]:
        """Return which rows of each table a shard owns: table -> [start, stop)."""
        first = self.num_keys * shard // self.num_shards
        end = self.num_keys * (shard + 1) // self.num_shards
        found: dict[str, tuple[int, int]] = {}
        before = 0
        for table in self.tables:
            rows = table.shape[0]
            start, stop = max(0, min(first - before, rows)), max(0, min(end - before, rows))
            if start < stop:
                found[table.name] = (start, stop)
            before += rows
        return found


def layout_of(tables: object, fields: Sequence[str], workers: int) -> BranchLayout:
    """Return the layout of tables of these shapes and types, with a shard for each worker.

    Raises:
      TrainerError: a table is no array of numbers, or there are more workers than keys.
    """
    if not isinstance(tables, Mapping) or not tables:
        raise TrainerError(f"make_tables() returned {tables!r:.80}; return a dict of arrays by name, with at least one")
    layout = BranchLayout(tuple(_shape(name, table) for name, table in tables.items()), (VALUE, *fields), workers)
    if workers > layout.num_keys:
        raise TrainerError(
            f"workers={workers}, but make_tables() made only {layout.num_keys} keys (rows of all tables), and each "
            "worker owns at least one; take fewer workers"
        )
    return layout


def check_tables(layout: BranchLayout, tables: Mapping[str, Mapping[str, object]]) -> None:
    """Refuse tables of a state that was made by another trainer.

    Raises:
      StateError: names the first table and field that differ.
    """
    names = [table.name for table in layout.tables]
    if list(tables) != names:
        raise StateError(f"this state has the tables {list(tables)}, and the trainer makes {names}")
    for table in layout.tables:
        fields = tables[table.name]
        if list(fields) != list(layout.fields):
            raise StateError(
                f"table {table.name!r} of this state has {list(fields)}, and the update rule keeps "
                f"{list(layout.fields)}; was the trainer's `optimizer` another one?"
            )
        for field, array in fields.items():
            found = np.asarray(array)
            if found.shape != table.shape or found.dtype != np.dtype(table.dtype):
                raise StateError(
                    f"{field} of table {table.name!r} is {found.dtype}{list(found.shape)} in this state, and the "
                    f"trainer makes {table.dtype}{list(table.shape)}"
                )


def read_only(array: Array) -> Array:
    """Return a view of an array that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view


def _shape(name: Any, table: object) -> TableShape:
    if not isinstance(name, str) or not name:
        raise TrainerError(f"make_tables() named a table {name!r}; names are strings that are not empty")
    array = np.asarray(table)
    if array.dtype.kind != "f" or not array.ndim or not array.size:
        raise TrainerError(
            f"make_tables() made for {name!r} an array {array.dtype}{list(array.shape)}; a table is an array of "
            "floating-point numbers with at least one row"
        )
    return TableShape(name, array.shape, array.dtype.name)


def _view(table: TableShape, memory: Array, begin: int) -> Array:
    return memory[begin : begin + table.size_bytes].view(table.dtype).reshape(table.shape)


def _aligned(table: TableShape) -> int:
    return -(-table.size_bytes // _ALIGNMENT) * _ALIGNMENT
