"""The whole runtime under whatever may go wrong, as drawn histories: it comes to what it would have come to."""

from __future__ import annotations

import functools
import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippo.testing.disturbed_run import DisturbedRun, run_disturbed
from hippo.testing.fault_plans import (
    LOSSES,
    MOST_LOSSES_OF_A_PLAN,
    SEAM_OF,
    Fault,
    FaultKind,
    FaultPlan,
    Seam,
    draw_plan,
)
from hippo.testing.soak_studies import SOAK_STUDIES
from hippo.testing.stepped_engine import path_metrics

#: what needs processes is for the soak
KINDS = [kind for kind in FaultKind if kind not in (FaultKind.KILL_LAUNCHER, FaultKind.KILL_IN_WRITE)]
#: about as many occasions as there are where nothing goes wrong
OCCASIONS = {Seam.EVENT: 200, Seam.COMMAND: 6, Seam.WRITE: 20, Seam.READ: 8, Seam.COMMIT: 50}
#: of a slot's memory: nothing stays there, a few states do, all do
MEMORIES = [0, 200, 1 << 20]

pytestmark = pytest.mark.slow


def is_bearable(plan: FaultPlan) -> bool:
    return sum(fault.kind in LOSSES for fault in plan) <= MOST_LOSSES_OF_A_PLAN


faults = st.sampled_from(KINDS).flatmap(
    lambda kind: st.builds(
        Fault,
        kind=st.just(kind),
        at=st.integers(1, OCCASIONS[SEAM_OF[kind]]),
        amount=st.integers(1, 6) if SEAM_OF[kind] is not Seam.EVENT else st.integers(1, 40),
    )
)
plans = st.lists(faults, max_size=10).map(tuple).filter(is_bearable)


@functools.cache
def undisturbed(name: str, resident_bytes: int) -> DisturbedRun:
    return run_disturbed(SOAK_STUDIES[name], resident_bytes=resident_bytes)


@pytest.mark.parametrize("resident_bytes", MEMORIES)
@pytest.mark.parametrize("name", SOAK_STUDIES)
def test_undisturbed_a_study_has_one_life_and_runs_each_step_once(name: str, resident_bytes: int) -> None:
    run = undisturbed(name, resident_bytes)
    assert (run.fired, run.lives) == ((), 1)
    if name == "forks" and not resident_bytes:  # transient states that find no room are made again
        assert run.wrong == ["7 steps were run again, cause 'not kept', after no fault but []"]
    else:
        assert run.wrong == []


@pytest.mark.parametrize("seed", range(3))
def test_in_whatever_order_slots_go_on_a_study_comes_to_the_same(seed: int) -> None:
    rng = random.Random(seed)
    for name, of in SOAK_STUDIES.items():
        run = run_disturbed(of, (), undisturbed(name, 1 << 20).results, choose=rng.randrange, slots=3)
        assert run.wrong == []


def test_states_are_worth_checking_since_metrics_tell_the_whole_path() -> None:
    one, other = path_metrics({"lr": 0.1}, 3), path_metrics({"lr": 0.2}, 3)
    assert list(one) == [1, 2, 3]
    assert len({metrics["loss"] for metrics in [*one.values(), *other.values()]}) == 6


@settings(max_examples=60)
@given(
    name=st.sampled_from(list(SOAK_STUDIES)),
    plan=plans,
    slots=st.integers(1, 3),
    resident_bytes=st.sampled_from(MEMORIES),
    order=st.lists(st.sampled_from([0, 1, 2, None]), min_size=1, max_size=60),
)
def test_whatever_goes_wrong_a_study_comes_to_what_it_would_have_come_to(
    name: str, plan: FaultPlan, slots: int, resident_bytes: int, order: list[int | None]
) -> None:
    chosen = itertools.cycle([*order, 0])
    expected = undisturbed(name, resident_bytes).results
    run = run_disturbed(
        SOAK_STUDIES[name],
        plan,
        expected,
        choose=lambda busy: next(chosen),
        slots=slots,
        resident_bytes=resident_bytes,
    )
    assert run.wrong == []


@pytest.mark.parametrize("seed", range(40))
def test_many_faults_at_once_leave_a_study_as_it_would_have_been(seed: int) -> None:
    rng = random.Random(seed)
    name, resident_bytes = rng.choice(list(SOAK_STUDIES)), rng.choice(MEMORIES)
    plan = draw_plan(rng, KINDS, num_faults=12, occasions=OCCASIONS)
    expected = undisturbed(name, resident_bytes).results
    run = run_disturbed(
        SOAK_STUDIES[name], plan, expected, choose=rng.randrange, slots=3, resident_bytes=resident_bytes
    )
    assert (run.wrong, plan) == ([], plan)
