"""What every plan store promises, as tests: subclass, give a `store` fixture, and inherit the questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hippo.errors import PlanLockedError, StorageError, StudyExistsError
from hippo.plan import (
    AbstractPlanStore,
    Among,
    AtMost,
    Insert,
    Known,
    LeaseEnd,
    LeaseRow,
    MetricsRow,
    NodeRow,
    PendingWrites,
    PlanRow,
    RequestRow,
    StudyRow,
    TrialRow,
    Update,
    metrics_from_text,
    metrics_to_text,
    plans_of,
)

PLAN = PlanRow(plan=0, workload="w", declared="{}", fork=0)
TRIAL = TrialRow(study=1, number=0, call=0, config="{}", occurrence=0)
DIGITS = StudyRow(study=0, name="digits", generation=1)
NODE = NodeRow(plan=1, node=1, parent=None, start=0, pieces='{"lr": ["constant", [0.1], null]}')


class PlanRowsContract:
    """What was written is read again: all of it, exactly, and only what was asked for."""

    def test_a_committed_row_is_read_back_equal(self, store: AbstractPlanStore) -> None:
        store.commit([Insert(NODE)])
        assert store.rows(NodeRow, plan=1) == [NODE]

    def test_rows_come_by_primary_key_and_only_those_asked_for(self, store: AbstractPlanStore) -> None:
        store.commit([Insert(replace(NODE, node=node, plan=plan)) for node, plan in ((3, 1), (1, 1), (2, 2))])
        assert [row.node for row in store.rows(NodeRow, plan=1)] == [1, 3]

    def test_a_state_is_kept_as_text(self, store: AbstractPlanStore) -> None:
        lease = LeaseRow(plan=1, lease=1, epoch=1, slot="a", spans="[]", started_at=0.0)
        store.commit([Insert(lease)])
        store.commit([Update(replace(lease, ended=LeaseEnd.LOST))])
        assert [row.ended for row in store.rows(LeaseRow, plan=1)] == ["lost"]

    def test_the_largest_number_of_a_field_is_that_of_the_rows_asked_for(self, store: AbstractPlanStore) -> None:
        store.commit([Insert(replace(NODE, node=node, plan=plan)) for node, plan in ((3, 1), (1, 1), (7, 2))])
        with store.reading() as rows:
            assert rows.largest(NodeRow, "node", plan=1) == 3
            assert rows.largest(NodeRow, "node", plan=1, node=AtMost(2)) == 1
            assert rows.largest(NodeRow, "node", plan=3) is None

    def test_floats_are_stored_exactly_and_nan_is_a_value(self, store: AbstractPlanStore) -> None:
        metrics = {"a": 0.1 + 0.2, "b": 5e-324, "c": float("nan"), "d": float("-inf"), "e": 1}
        row = MetricsRow(plan=1, node=1, step=1, metrics=metrics_to_text(metrics), seconds=1 / 3, study=1)
        store.commit([Insert(row)])
        (read,) = store.rows(MetricsRow)
        assert repr(metrics_from_text(read.metrics)) == repr(metrics)
        assert read.seconds == 1 / 3

    def test_what_is_not_known_is_none(self, store: AbstractPlanStore) -> None:
        request = RequestRow(study=1, request=1, call=0, trial=0, until=5, final=True)
        store.commit([Insert(request)])
        assert store.rows(RequestRow)[0].delivery is None

    def test_fields_come_in_the_order_of_insertion_or_in_the_one_that_was_asked_for(
        self, store: AbstractPlanStore
    ) -> None:
        store.commit([Insert(replace(TRIAL, number=n, loss=loss)) for n, loss in ((2, 1.0), (0, 3.0), (1, 1.0))])
        with store.reading() as rows:
            assert rows.columns(TrialRow, ("number", "loss")) == [(2, 1.0), (0, 3.0), (1, 1.0)]
            assert rows.columns(TrialRow, ("number",), order=("loss", "number"), limit=2) == [(1,), (2,)]

    @pytest.mark.parametrize(
        ("where", "numbers"),
        [
            ({"loss": None}, [1]),
            ({"loss": Known()}, [0, 2]),
            ({"number": AtMost(1)}, [0, 1]),
            ({"number": Among({2, 0, 7})}, [0, 2]),
            ({"number": Among(range(1, 20_000)), "loss": Known()}, [2]),
            ({"state": Among({"FAIL", "PAUSED"}), "study": 1}, [1]),
        ],
    )
    def test_conditions_on_fields(self, store: AbstractPlanStore, where: dict[str, Any], numbers: list[int]) -> None:
        rows = [(0, 0.5, "COMPLETE"), (1, None, "FAIL"), (2, 0.25, "RUNNING")]
        store.commit([Insert(replace(TRIAL, number=n, loss=loss, state=state)) for n, loss, state in rows])
        with store.reading() as found:
            assert found.columns(TrialRow, ("number",), **where) == [(number,) for number in numbers]

    def test_the_first_row_of_all_lies_after_the_mark_of_a_table_without_rows(self, store: AbstractPlanStore) -> None:
        with store.reading() as rows:
            mark = rows.mark(TrialRow)
        store.commit([Insert(TRIAL)])
        with store.reading() as rows:
            assert rows.columns(TrialRow, ("number",), after=mark) == [(TRIAL.number,)]

    def test_a_mark_tells_the_rows_that_were_inserted_since_and_not_those_that_were_updated(
        self, store: AbstractPlanStore
    ) -> None:
        first, second, third = (replace(TRIAL, number=n) for n in (5, 3, 4))
        store.commit([Insert(first), Insert(second)])
        with store.reading() as rows:
            mark = rows.mark(TrialRow)
        store.commit([Insert(third), Insert(replace(TRIAL, study=2)), Update(replace(first, step=7))])
        with store.reading() as rows:
            assert rows.columns(TrialRow, ("number",), after=mark, study=1) == [(4,)]
            assert rows.columns(TrialRow, ("number", "step"), upto=mark) == [(5, 7), (3, 0)]
            assert rows.columns(TrialRow, ("number",), after=mark, upto=mark) == []

    def test_changes_since_a_number_are_the_rows_inserted_and_updated_since(self, store: AbstractPlanStore) -> None:
        kept, changed, again, other = (replace(TRIAL, number=n) for n in (5, 3, 4, 9))
        store.commit([Insert(kept), Insert(changed), Insert(replace(other, study=2))])
        store.commit([Insert(again)])
        with store.reading() as rows:
            before = rows.last_change(TrialRow)
            assert rows.columns(TrialRow, ("number",), changed_after=before) == []
        store.commit([Insert(NODE)])
        with store.reading() as rows:
            assert rows.last_change(TrialRow) == before, "a change of another kind is none of this one"
        store.commit([Insert(replace(TRIAL, number=1)), Update(replace(changed, step=7))])
        store.commit([Update(replace(again, step=8)), Update(replace(other, study=2, step=9))])
        with store.reading() as rows:
            now = rows.last_change(TrialRow)
            assert now > before
            found = rows.columns(TrialRow, ("number", "step"), changed_after=before, study=1)
            assert sorted(found) == [(1, 0), (3, 7), (4, 8)]
            assert found[-1] == (4, 8), "as they were committed"
            assert rows.columns(TrialRow, ("number",), changed_after=now) == []
        store.commit([Update(replace(changed, step=8))])
        with store.reading() as rows:
            assert rows.columns(TrialRow, ("number", "step"), changed_after=now) == [(3, 8)]
            some = rows.columns(TrialRow, ("number",), order=("number",), limit=2, changed_after=before, study=1)
            assert some == [(1,), (3,)]

    def test_totals_are_counts_sums_and_least_by_group_and_what_is_not_known_is_not_summed(
        self, store: AbstractPlanStore
    ) -> None:
        rows = [(1, 0.5), (1, None), (1, 0.25), (0, None)]
        store.commit([Insert(replace(TRIAL, number=n, call=call, loss=loss)) for n, (call, loss) in enumerate(rows)])
        with store.reading() as found:
            assert found.totals(TrialRow, ("call",), "loss") == [(0, 1, 0, 0.0, None), (1, 3, 2, 0.75, 0.25)]
            assert found.totals(TrialRow, ("call",), "loss", after=1, upto=3) == [(1, 2, 1, 0.25, 0.25)]
            assert found.totals(TrialRow, (), "loss", study=9) == [(0, 0, 0.0, None)]
            assert found.totals(TrialRow, (), "loss", study=1) == [(4, 2, 0.75, 0.25)]

    def test_rows_are_found_by_what_is_indexed(self, store: AbstractPlanStore) -> None:
        asked = [
            RequestRow(study=1 + n % 2, request=n, call=n % 3, trial=n % 4, until=5, final=True) for n in range(12)
        ]
        store.commit([Insert(row) for row in asked])
        of_call = [row for row in asked if (row.study, row.call) == (2, 1)]
        assert store.rows(RequestRow, study=2, call=1) == of_call
        assert store.rows(RequestRow, study=2, call=1, trial=1) == [row for row in of_call if row.trial == 1]
        store.commit([Update(replace(of_call[0], state="withdrawn"))])
        assert [row.state for row in store.rows(RequestRow, study=2, call=1)] == ["withdrawn", "pending"]
        assert store.rows(RequestRow, study=2, call=9) == []


class PlanWritesContract:
    """Writes come whole or not at all, from one writer, and are noticed."""

    def test_what_is_durable_is_read_without_the_changes_that_wait(self, store: AbstractPlanStore) -> None:
        store.commit([Insert(NODE)])
        waiting = PendingWrites(store)
        waiting.add(1, [Insert(replace(NODE, node=2))])
        with store.durable() as rows:
            assert rows.rows(NodeRow) == [NODE]
        assert waiting
        waiting.flush()
        with store.durable() as rows:
            assert len(rows.rows(NodeRow)) == 2

    def test_an_update_changes_only_what_may_change(self, store: AbstractPlanStore) -> None:
        store.commit([Insert(NODE)])
        store.commit([Update(replace(NODE, inexact=True, pieces="other"))])
        assert store.rows(NodeRow) == [replace(NODE, inexact=True)]

    def test_within_one_commit_an_update_finds_the_row_before_it_and_the_last_one_holds(
        self, store: AbstractPlanStore
    ) -> None:
        trial = TrialRow(study=1, number=0, call=0, config="{}", occurrence=0)
        store.commit([Insert(trial), Update(replace(trial, step=3)), Update(replace(trial, step=5, loss=0.25))])
        assert store.rows(TrialRow) == [replace(trial, step=5, loss=0.25)]

    def test_a_fact_is_not_recorded_twice_and_the_whole_commit_fails(self, store: AbstractPlanStore) -> None:
        store.commit([Insert(NODE)])
        with pytest.raises(StorageError, match="facts do not change"):
            store.commit([Insert(replace(NODE, node=2)), Insert(NODE)])
        assert store.rows(NodeRow) == [NODE]

    def test_a_commit_is_noticed_and_a_look_is_not(self, store: AbstractPlanStore) -> None:
        before = store.changes()
        assert (store.rows(TrialRow), store.changes()) == ([], before)
        store.commit([Insert(TRIAL)])
        after = store.changes()
        assert after != before
        store.commit([Update(replace(TRIAL, step=1))])
        assert store.changes() not in (before, after)

    def test_a_plan_has_one_writer_and_the_error_names_it_and_the_way_out(self, store: AbstractPlanStore) -> None:
        holder, other = store.lock(1), store.lock(1)
        holder.acquire()
        try:
            with pytest.raises(PlanLockedError, match=r"(?s)plan 1 .*another engine's study.*sharing=False"):
                other.acquire()
        finally:
            holder.release()
        other.acquire()
        other.release()

    def test_another_plan_is_not_locked(self, store: AbstractPlanStore) -> None:
        one, two = store.lock(1), store.lock(2)
        one.acquire()
        two.acquire()
        one.release()
        two.release()

    def test_an_empty_commit_is_nothing(self, store: AbstractPlanStore) -> None:
        store.commit([])
        assert store.rows(NodeRow) == []


class PlanNamesContract:
    """Plans, studies and members have names of their own."""

    def test_plans_are_numbered_and_one_workload_has_one_plan_per_fork(self, store: AbstractPlanStore) -> None:
        first = store.add_plan(PLAN)
        again = store.add_plan(PLAN)
        fork = store.add_plan(replace(PLAN, fork=1))
        assert (first.plan, again.plan, fork.plan) == (1, 1, 2)

    def test_a_study_name_is_taken_until_it_is_deleted(self, store: AbstractPlanStore) -> None:
        row = store.add_study(DIGITS, {"": 1})
        with pytest.raises(StudyExistsError, match="'digits'"):
            store.add_study(DIGITS, {"": 1})
        store.commit([Update(replace(row, deleted=True))])
        assert store.add_study(DIGITS, {"": 1}).study == row.study + 1

    def test_a_study_has_its_members_in_the_order_in_which_they_were_named(self, store: AbstractPlanStore) -> None:
        plans = {"seed 10": 4, "seed 9": 2, "seed 0": 2}
        row = store.add_study(DIGITS, plans)
        store.add_study(replace(DIGITS, name="other"), {"": 7})
        assert list(plans_of(store, row.study).items()) == list(plans.items())


class PlanStoreContract(PlanRowsContract, PlanWritesContract, PlanNamesContract):
    """Asks a store for all that `AbstractPlanStore` says."""
