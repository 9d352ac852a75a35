"""Changes of one row are merged, and nothing that waits is lost, written twice, or left to a fork."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from hippo.errors import StorageError
from hippo.plan import Insert, MemoryStore, NodeRow, PendingWrites, TrialRow, Update, flush_pending, merged


class Grouping(MemoryStore):
    """Takes writes in groups."""

    takes_groups = True


TRIAL = TrialRow(study=1, number=0, call=0, config="{}", occurrence=0)
NODE = NodeRow(plan=1, node=1, parent=None, start=0, pieces="{}")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([Insert(TRIAL), Update(replace(TRIAL, step=1))], [Insert(replace(TRIAL, step=1))]),
        (
            [Update(replace(TRIAL, step=1)), Update(replace(TRIAL, step=2, until=9))],
            [Update(replace(TRIAL, step=2, until=9))],
        ),
        (
            [Insert(TRIAL), Insert(NODE), Update(replace(TRIAL, step=1))],
            [Insert(replace(TRIAL, step=1)), Insert(NODE)],
        ),
        # what may not change stays, whatever an update says of it
        ([Insert(NODE), Update(replace(NODE, pieces="", inexact=True))], [Insert(replace(NODE, inexact=True))]),
        ([Insert(TRIAL), Insert(TRIAL)], [Insert(TRIAL), Insert(TRIAL)]),
        ([], []),
    ],
)
def test_changes_of_one_row_become_one(changes: list[object], expected: list[object]) -> None:
    assert merged(changes) == expected  # type: ignore[arg-type]


def test_merged_changes_come_to_the_same_in_a_store() -> None:
    one, other = MemoryStore(), MemoryStore()
    changes = [Insert(TRIAL), Update(replace(TRIAL, step=1)), Insert(NODE), Update(replace(TRIAL, step=3, loss=0.5))]
    one.commit(changes)
    other.commit(merged(changes))
    assert one.rows(TrialRow) == other.rows(TrialRow)
    assert one.rows(NodeRow) == other.rows(NodeRow)


def test_a_write_that_failed_waits_on() -> None:
    store = Grouping()
    store.commit([Insert(NODE)])
    pending = PendingWrites(store)
    pending.add(1, [Insert(TRIAL)])
    pending.add(2, [Insert(NODE)])
    with pytest.raises(StorageError):
        pending.flush()
    assert (bool(pending), pending.durable) == (True, 0)
    pending.give_up()
    pending.flush()
    assert store.rows(TrialRow) == []


def test_what_is_durable_is_not_written_again() -> None:
    store = Grouping()
    pending = PendingWrites(store)
    pending.add(3, [Insert(TRIAL)])
    flush_pending(store.uuid)
    flush_pending(store.uuid)
    pending.flush()
    assert (bool(pending), pending.durable) == (False, 3)
    assert store.rows(TrialRow) == [TRIAL]


def test_a_fork_leaves_what_waits_to_its_parent() -> None:
    store = Grouping()
    pending = PendingWrites(store)
    pending.add(1, [Insert(TRIAL)])
    child = os.fork()
    if not child:
        flush_pending(store.uuid)
        os._exit(len(store.rows(TrialRow)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    pending.flush()
