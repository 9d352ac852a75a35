"""Where a branch's values lie: every key is owned once, and arrays share their bytes with nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippo.errors import StateError, TrainerError
from hippo.ps.layout import VALUE, check_tables, layout_of

TABLES = st.dictionaries(st.sampled_from("abcd"), st.tuples(st.integers(1, 9), st.integers(1, 4)), min_size=1)


@given(TABLES, st.integers(1, 12))
def test_every_key_is_owned_by_one_shard(shapes: dict[str, tuple[int, int]], workers: int) -> None:
    tables = {name: np.zeros(shape) for name, shape in shapes.items()}
    if workers > sum(rows for rows, _ in shapes.values()):
        with pytest.raises(TrainerError, match=f"workers={workers}, but make_tables"):
            layout_of(tables, ["z"], workers)
        return
    layout = layout_of(tables, ["z"], workers)
    owned = [layout.rows_of(shard) for shard in range(workers)]
    for name, (rows, _) in shapes.items():
        assert [row for rows_of in owned for row in range(*rows_of.get(name, (0, 0)))] == list(range(rows))
    sizes = [sum(stop - start for start, stop in rows_of.values()) for rows_of in owned]
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1


@given(TABLES, st.sampled_from(["f4", "f8"]))
def test_arrays_of_a_branch_have_their_own_bytes(shapes: dict[str, tuple[int, int]], dtype: str) -> None:
    tables = {name: np.zeros(shape, dtype) for name, shape in shapes.items()}
    layout = layout_of(tables, ["z"], 1)
    memory = np.zeros(layout.branch_bytes, np.uint8)
    fields = [array for table in layout.branch(memory).values() for array in table.values()]
    for number, array in enumerate(fields):
        array[...] = number + 1
    assert [set(array.ravel()) for array in fields] == [{number + 1} for number in range(len(fields))]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "return a dict of arrays by name"),
        ([np.zeros(3)], "return a dict of arrays by name"),
        ({3: np.zeros(3)}, "named a table 3"),
        ({"a": np.zeros(3, int)}, r"'a' an array int64\[3\]; a table is an array of floating-point numbers"),
        ({"a": np.zeros((0, 2))}, "with at least one row"),
        ({"a": 1.0}, "with at least one row"),
    ],
)
def test_tables_that_are_none_are_refused(tables: object, message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        layout_of(tables, [], 1)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"b": {VALUE: np.zeros((2, 2)), "z": np.zeros((2, 2))}}, r"has the tables \['b'\], and the trainer makes"),
        ({"a": {VALUE: np.zeros((2, 2))}}, "was the trainer's `optimizer` another one"),
        ({"a": {VALUE: np.zeros((3, 2)), "z": np.zeros((3, 2))}}, r"value of table 'a' is float64\[3, 2\]"),
        ({"a": {VALUE: np.zeros((2, 2)), "z": np.zeros((2, 2), "f4")}}, "z of table 'a' is float32"),
    ],
)
def test_a_state_of_other_tables_is_refused(tables: dict[str, dict[str, object]], message: str) -> None:
    layout = layout_of({"a": np.zeros((2, 2))}, ["z"], 1)
    with pytest.raises(StateError, match=message):
        check_tables(layout, tables)
