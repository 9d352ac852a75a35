"""Plans come and go: those in use are at hand, the last few others are known, and no more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hippo.errors import StorageError
from hippo.plan import WORTH_WRITING, Cause, MemoryStore, PlanRow, PlanTotals, StudyRow, TotalsRow, open_store
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.settings import Settings
from hippo.simulation.clock import VirtualClock

from ..plan.plans import CONFIGS, node_at, run_step
from .runs import SPEC


class Plans:
    """A database of many plans, and an engine that uses one after another."""

    def __init__(self, number: int) -> None:
        self.store = MemoryStore()
        for plan in range(number):
            self.store.add_plan(PlanRow(plan=0, workload=f"w{plan}", declared="{}", fork=0))
            self.store.add_study(StudyRow(study=0, name=f"s{plan}", generation=1), {"": plan + 1})
        self.open = OpenPlans(clock=VirtualClock(), environment=dict)

    def take_over(self, plan: int) -> PlanRun:
        run = self.open.take(self.store, plan, SPEC)
        self.store.commit(run.plan.changes.take())
        return run

    def use(self, plan: int) -> PlanRun:
        """Take a plan over, use its study, and let go of it."""
        run = self.take_over(plan)
        (row,) = self.store.rows(StudyRow, study=plan)
        with self.open.studies.use(self.store, row, Settings(objectives=())):
            pass
        self.open.let_go(run)
        return run


def test_a_plan_that_was_used_last_is_known_when_it_is_used_again() -> None:
    plans = Plans(2)
    assert plans.use(1) is plans.use(1)
    plans.use(2)
    assert plans.use(1) is plans.use(1)


def test_plans_that_nobody_uses_are_forgotten_when_there_are_too_many_of_them() -> None:
    plans = Plans(40)
    first = plans.use(1)
    gone = [plans.open.let_go(plans.take_over(plan)) for plan in range(2, 41)]
    assert first in [run for runs in gone for run in runs]
    assert plans.use(1) is not first
    assert sum(map(len, gone)) == 40 - 8
    assert list(plans.open) == []


def test_a_plan_in_use_is_never_forgotten() -> None:
    plans = Plans(40)
    used = plans.take_over(1)
    for plan in range(2, 41):
        plans.use(plan)
    assert list(plans.open) == [used]
    used.users += 1
    assert plans.take_over(1) is used


def test_studies_that_nobody_uses_are_forgotten_but_for_the_last_and_those_with_something_to_write() -> None:
    plans = Plans(40)
    rows = plans.store.rows(StudyRow)
    with plans.open.studies.use(plans.store, rows[0], Settings(objectives=())) as dirty:
        dirty.begin_call(0, "record")
    with plans.open.studies.use(plans.store, rows[1], Settings(objectives=())) as used:
        for row in rows[2:]:
            with plans.open.studies.use(plans.store, row, Settings(objectives=())):
                pass
        known = [row.study for row in rows if plans.open.studies.known(plans.store, row.study)]
        assert known == [1, 2, *range(33, 41)]
        assert plans.open.studies.known(plans.store, 2) is used


def test_a_plan_of_which_memory_knows_more_than_the_database_is_forgotten() -> None:
    plans = Plans(1)
    run = plans.take_over(1)
    node_at(run.plan, CONFIGS[0], 1)  # a node that is not written down
    assert plans.open.let_go(run) == [run]
    assert plans.use(1) is not run


def test_a_plan_whose_study_has_something_to_write_is_forgotten_with_it() -> None:
    plans = Plans(1)
    run = plans.take_over(1)
    (row,) = plans.store.rows(StudyRow, study=1)
    with plans.open.studies.use(plans.store, row, Settings(objectives=())) as study:
        study.begin_call(0, "record")
    assert plans.open.let_go(run) == [run]
    assert plans.open.studies.known(plans.store, 1) is None


def test_a_study_in_use_is_not_forgotten_when_another_of_its_plans_is_taken_over() -> None:
    plans = Plans(2)
    plans.store.add_study(StudyRow(study=0, name="both", generation=1), {"": 1, "1/8": 2})
    (row,) = plans.store.rows(StudyRow, study=3)
    plans.take_over(1)
    with plans.open.studies.use(plans.store, row, Settings(objectives=())) as study:
        study.begin_call(0, "record")
        plans.take_over(2)
        assert study.changes in [changes for _, changes, _ in plans.open.sources()]
        assert plans.open.studies.known(plans.store, 3) is study


def test_studies_on_a_plan_of_the_same_number_in_another_database_stay_known() -> None:
    plans, others = Plans(1), Plans(1)
    for each in (plans, others):
        (row,) = each.store.rows(StudyRow, study=1)
        with plans.open.studies.use(each.store, row, Settings(objectives=())):
            pass
    plans.open.studies.forget_on((plans.store.uuid, 1))
    assert plans.open.studies.known(plans.store, 1) is None
    assert plans.open.studies.known(others.store, 1) is not None


def test_an_engine_that_ends_leaves_its_plans_to_others() -> None:
    plans = Plans(2)
    for plan in (1, 2):
        plans.take_over(plan)
    plans.open.release_all()
    others = OpenPlans(clock=VirtualClock(), environment=dict)
    assert [others.take(plans.store, plan, SPEC).plan.row.epoch for plan in (1, 2)] == [2, 2]


def test_a_copy_of_a_database_is_not_taken_for_it(tmp_path: Path) -> None:
    original, copy, elsewhere = (tmp_path / name for name in ("a.db", "b.db", "c.db"))
    open_store(f"sqlite:///{original}").close()
    shutil.copy(original, copy)
    elsewhere.hardlink_to(original)
    plans = Plans(0)
    stores = [open_store(f"sqlite:///{path}") for path in (original, elsewhere, copy)]
    assert plans.open.store_of(stores[0]) is plans.open.store_of(stores[1]) is stores[0]
    with pytest.raises(StorageError, match=r"b\.db is a copy of .*a\.db, which this engine writes to"):
        plans.open.store_of(stores[2])
    for store in stores:
        store.close()


# --- what was spent


class ByParts(MemoryStore):
    """Rows in memory, of which plans are opened by parts."""

    opens_by_parts = True


def train(run: PlanRun, steps: int) -> None:
    node = node_at(run.plan, CONFIGS[0], 1)
    for step in range(node.runs.furthest + 1, node.runs.furthest + 1 + steps):
        run_step(run.plan, node, step)
    run.store.commit(run.plan.changes.take())


def by_parts() -> Plans:
    plans = Plans(0)
    plans.store = ByParts()
    plans.store.add_plan(PlanRow(plan=0, workload="w", declared="{}", fork=0))
    return plans


def summed(plans: Plans) -> list[tuple[str, int, int]]:
    return [(row.kind, row.count, row.mark) for row in plans.store.rows(TotalsRow)]


def test_who_lets_go_of_a_plan_adds_up_what_was_spent_if_that_is_worth_a_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans = by_parts()
    run = plans.take_over(1)
    train(run, WORTH_WRITING - 1)
    with monkeypatch.context() as rare:
        rare.delattr(PlanRun, "sum_up")  # so little is not even looked at
        plans.open.let_go(run)
    assert summed(plans) == []
    again = plans.take_over(1)
    assert again is run
    train(run, 1)
    plans.open.let_go(run)
    assert summed(plans) == [("first", WORTH_WRITING, WORTH_WRITING)]
    assert run.plan.facts.num_recorded == 0
    train(plans.take_over(1), 1)
    plans.open.let_go(run)
    assert summed(plans) == [("first", WORTH_WRITING, WORTH_WRITING)]


def test_who_takes_a_plan_over_from_one_that_was_killed_adds_up_what_that_one_spent() -> None:
    plans = by_parts()
    killed = plans.take_over(1)
    train(killed, WORTH_WRITING + 5)
    killed.lock.release()  # as the operating system does
    other = Plans(0)
    other.store = plans.store
    run = other.take_over(1)
    assert summed(plans) == [("first", WORTH_WRITING + 5, WORTH_WRITING + 5)]
    assert run.checks._executed == WORTH_WRITING + 5


def test_a_plan_in_memory_needs_no_sums() -> None:
    plans = Plans(1)
    run = plans.take_over(1)
    train(run, WORTH_WRITING + 5)
    plans.open.let_go(run)
    assert plans.store.rows(TotalsRow) == []


def test_sums_that_cannot_be_written_cost_nothing_but_time(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = by_parts()
    run = plans.take_over(1)
    train(run, WORTH_WRITING)

    def is_full(changes: object) -> None:
        raise StorageError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(plans.store, "commit", is_full)
        plans.open.let_go(run)
    assert summed(plans) == []
    assert plans.take_over(1) is run  # the lock was given up all the same
    assert PlanTotals.read(plans.store, 1).of_cause(Cause.FIRST).count == WORTH_WRITING
