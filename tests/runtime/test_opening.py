"""Plans come and go: those in use are at hand, the last few others are known, and no more."""

from __future__ import annotations

import asyncio

from hippo.plan import MemoryStore, PlanRow, StudyRow
from hippo.runtime.opening import OpenPlans
from hippo.runtime.plan_run import PlanRun
from hippo.runtime.settings import Settings
from hippo.simulation.clock import VirtualClock

from .runs import SPEC


class Plans:
    """A database of many plans, and an engine that uses one after another."""

    def __init__(self, number: int) -> None:
        self.store = MemoryStore()
        for plan in range(number):
            self.store.add_plan(PlanRow(plan=0, workload=f"w{plan}", declared="{}", fork=0))
            self.store.add_study(StudyRow(study=0, name=f"s{plan}", generation=1), {"": plan + 1})
        self.open = OpenPlans(checkpoints="memory://", clock=VirtualClock(), environment=dict)

    def take_over(self, plan: int) -> PlanRun:
        study = StudyRow(study=plan, name="toy", generation=1)
        run = asyncio.run(self.open.wait_for(self.store, study, plan, SPEC, wait=False))
        self.store.commit(run.plan.take_changes())
        return run

    def use(self, plan: int) -> PlanRun:
        """Take a plan over, use its study, and let go of it."""
        run = self.take_over(plan)
        (row,) = self.store.rows(StudyRow, study=plan)
        with self.open.study(self.store, row, Settings(objectives=())):
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
    with plans.open.study(plans.store, rows[0], Settings(objectives=())) as dirty:
        dirty.begin_call(0, "record")
    with plans.open.study(plans.store, rows[1], Settings(objectives=())) as used:
        for row in rows[2:]:
            with plans.open.study(plans.store, row, Settings(objectives=())):
                pass
        known = [row.study for row in rows if plans.open.known_study(plans.store, row.study)]
        assert known == [1, 2, *range(33, 41)]
        assert plans.open.known_study(plans.store, 2) is used
