"""Slots that walk a lane together: studies end sooner, and come to the same. Nodes that are given back."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hippo
from hippo.errors import SimulationError
from hippo.hparams import Piecewise
from hippo.records import Assignment
from hippo.simulation import SimulatedWorkload, Simulation, simulate
from hippo.simulation.meter import Interval, Work
from hippo.simulation.slots import SimulatedSlots
from hippo.simulation.trainer import SimulatedTrainer

SPACE = [
    {"lr": Piecewise([0.1, second, third], [4, 20]), "wd": wd}
    for second in (0.05, 0.02)
    for third in (0.01, 0.001)
    for wd in (0.0, 1e-4, 1e-3)
]
#: no two share a step
APART = [{"lr": float(rate)} for rate in range(1, 31)]
HALVING = hippo.SuccessiveHalving(SPACE, min_steps=10, max_steps=80, reduction=2, extra_steps=60)
GRID = hippo.GridSearch(SPACE, until=30)
ASYNC_HALVING = hippo.ASHA(SPACE, min_steps=5, max_steps=40, reduction=2)


def run(tuner: Any = HALVING, *, slots: int = 8, options: dict[str, Any] | None = None, **workload: Any) -> Simulation:
    costs = SimulatedWorkload(**{"seconds_per_step": 10.0} | workload)
    return simulate(tuner, costs, slots=slots, **options or {})


def histories(done: Simulation) -> list[dict[int, dict[str, float]]]:
    return [dict(trial.history) for trial in done.studies[0].trials]


def by_slot(done: Simulation) -> dict[int, list[Interval]]:
    found: dict[int, list[Interval]] = {}
    for interval in sorted(done.intervals, key=lambda each: (each.began_s, each.ended_s)):
        found.setdefault(interval.slot, []).append(interval)
    return found


def widths_at(done: Simulation, moment_s: float) -> list[int]:
    """How many slots walk each lease at a moment."""
    at_work = [each.lease for each in done.intervals if each.began_s <= moment_s < each.ended_s]
    return sorted(at_work.count(lease) for lease in set(at_work))


# ---------------------------------------------------------------------------------------------------- sooner


def test_a_study_whose_leaders_have_more_slots_ends_sooner_and_comes_to_the_same() -> None:
    rigid, elastic = run(), run(shards=8)
    assert elastic.makespan_s < 0.6 * rigid.makespan_s
    assert histories(elastic) == histories(rigid)
    assert (elastic.steps_executed, elastic.steps_repeated) == (rigid.steps_executed, 0)
    assert elastic.device_seconds < 1.3 * rigid.device_seconds


def test_a_chain_alone_takes_as_long_as_its_slots_together_take() -> None:
    alone = hippo.GridSearch(SPACE[:1], until=40)
    assert run(alone, shards=4, shard_efficiency=0.5).makespan_s == pytest.approx(400.0 / 2.5)
    assert run(alone, shards=4, shard_efficiency=1.0, shard_start_s=7.0).makespan_s == pytest.approx(107.0)
    assert run(alone, shards=4, evaluate_s=5.0, shard_efficiency=1.0).makespan_s == pytest.approx(101.25)
    assert run(alone, shards=4).device_seconds == pytest.approx(4 * 400.0 / 3.55)


@pytest.mark.parametrize(("parts", "width"), [(1, 1), (2, 2), (6, 4), (8, 8)])
def test_no_more_slots_walk_a_lane_than_its_trainer_s_steps_have_parts(
    monkeypatch: pytest.MonkeyPatch, parts: int, width: int
) -> None:
    monkeypatch.setattr(SimulatedTrainer, "shards", parts)
    alone = run(hippo.GridSearch(APART[:1], until=40), shards=8)
    assert widths_at(alone, 5.0) == [width]


def test_lanes_that_are_walked_as_one_have_one_slot() -> None:
    done = run(hippo.GridSearch(APART[:3], until=40), shards=8, fused=(0.5, 0.5))
    assert max(width for moment in range(0, int(done.makespan_s), 9) for width in widths_at(done, moment)) == 1


def test_gangs_are_of_one_node() -> None:
    alone = hippo.GridSearch(SPACE[:1], until=40)
    narrow = run(alone, shards=8, options={"slots_per_node": 2}, shard_efficiency=1.0)
    assert narrow.makespan_s == pytest.approx(200.0)
    for lease in {each.lease for each in narrow.intervals}:
        assert len({each.slot // 2 for each in narrow.intervals if each.lease == lease}) == 1


def test_a_gang_is_as_fast_as_its_slowest_slot() -> None:
    alone = hippo.GridSearch(SPACE[:1], until=40)
    workload = SimulatedWorkload(seconds_per_step=10.0, shards=2, shard_efficiency=1.0)
    assert simulate(alone, workload, slots=[1.0, 0.5]).makespan_s == pytest.approx(400.0)


class Two(hippo.Tuner):
    """Asks for a short trial and a long one."""

    async def tune(self, ask: Any) -> None:
        await asyncio.gather(ask(APART[0], until=40), ask(APART[1], until=100))


def test_what_runs_is_widened_when_slots_get_free() -> None:
    """Two chains of 40 and 100 steps on two slots: the second goes on in both when the first has ended."""
    done = run(Two(), slots=2, shards=2, shard_efficiency=1.0)
    assert widths_at(done, 395.0) == [1, 1]
    assert widths_at(done, 450.0) == [2]
    assert done.makespan_s == pytest.approx(400.0 + 10.0 + 295.0, abs=10.0)
    assert done.steps_repeated == 0


def test_what_runs_is_left_alone_where_starts_take_long() -> None:
    """The same two chains: going on in both slots would save 300 s, and begin with a start of 200 s."""
    done = run(Two(), slots=2, shards=2, shard_efficiency=1.0, start_s=200.0, resident_states=0)
    assert done.makespan_s == pytest.approx(1200.0)


def test_a_gang_gives_its_slots_back_at_a_step_s_end_when_others_are_ready() -> None:
    class Late(hippo.Tuner):
        async def tune(self, ask: Any) -> None:
            first = asyncio.ensure_future(ask({"lr": 0.7}, until=200))
            await ask({"lr": 0.7}, until=5)
            await asyncio.gather(first, *(ask(config, until=20) for config in APART[:3]))

    done = run(Late(), slots=4, shards=4, shard_efficiency=1.0)
    assert widths_at(done, 5.0) == [4]
    assert widths_at(done, 40.0) == [1, 1, 1, 1]
    assert widths_at(done, done.makespan_s - 5.0) == [4]
    assert done.steps_repeated == 0


def test_while_a_tuner_pulls_every_slot_walks_a_trial_of_its_own() -> None:
    done = run(hippo.ASHA(APART, min_steps=5, max_steps=40, reduction=2), shards=8)
    assert widths_at(done, 0.5) == widths_at(done, 20.0) == [1] * 8
    assert max(widths_at(done, done.makespan_s - 100.0)) > 1  # it has pulled all


def test_starts_that_take_longer_than_gangs_save_are_learned_and_avoided() -> None:
    costs = {"start_s": 600.0, "save_s": 50.0, "resident_states": 0}
    rigid, elastic = run(**costs), run(shards=8, **costs)
    assert elastic.makespan_s <= rigid.makespan_s
    assert elastic.starts <= 1.3 * rigid.starts
    dear = run(shards=8, shard_start_s=10_000.0)
    assert dear.makespan_s < run().makespan_s + 2 * 10_000.0  # it was tried by those that began first


def test_one_part_is_what_there_was_before() -> None:
    """Figures of commit 574bc4e, which knew no gangs."""
    workload = {"start_s": 7.0, "load_s": 2.0, "save_s": 1.0, "evaluate_s": 0.5}
    assert run(**workload).makespan_s == BEFORE["halving"]
    assert run(GRID, slots=3, **workload).makespan_s == BEFORE["grid"]
    assert run(ASYNC_HALVING, slots=5, **workload).makespan_s == BEFORE["asha"]
    one_node = run(options={"slots_per_node": 4}, shard_efficiency=0.1, shard_start_s=9.0, **workload)
    assert one_node.makespan_s == BEFORE["halving"]


BEFORE = {"halving": 1433.5, "grid": 801.0, "asha": 414.0}


# ------------------------------------------------------------------------------------------------------ laws

_TUNERS = st.sampled_from([HALVING, GRID, ASYNC_HALVING])
_COSTS = st.fixed_dictionaries(
    {
        "start_s": st.sampled_from([0.0, 3.0, 40.0]),
        "save_s": st.sampled_from([0.0, 2.0]),
        "shard_start_s": st.sampled_from([0.0, 15.0]),
        "resident_states": st.sampled_from([0, 2]),
        "shard_efficiency": st.sampled_from([0.0, 0.3, 0.85, 1.0]),
    }
)


@settings(max_examples=30, deadline=None)
@given(_TUNERS, st.sampled_from([2, 4, 16]), st.integers(1, 11), st.integers(1, 6), _COSTS)
def test_whatever_the_widths_every_step_is_trained_once_by_slots_that_do_nothing_else(
    tuner: Any, shards: int, slots: int, per_node: int, costs: dict[str, Any]
) -> None:
    done = run(tuner, slots=slots, options={"slots_per_node": per_node}, shards=shards, **costs)
    assert done.steps_repeated == 0
    for intervals in by_slot(done).values():
        assert all(one.ended_s <= two.began_s + 1e-6 for one, two in itertools.pairwise(intervals))
    if tuner is not ASYNC_HALVING:  # whose rungs go by who arrives first
        assert histories(done) == histories(run(tuner, slots=1))


@settings(max_examples=15, deadline=None)
@given(_TUNERS, st.integers(0, 99), st.booleans(), st.sampled_from([5.0, 60.0]))
@pytest.mark.filterwarnings("ignore:a worker was lost")
def test_a_gang_that_loses_a_slot_has_its_steps_run_again_and_the_others_go_on(
    tuner: Any, seed: int, late: bool, rate: float
) -> None:
    losses = {"losses_per_device_hour": rate / 10, "losses_at": ((35.0, 1), (300.0, 2)), "restart_s": 20.0}
    done = run(tuner, shards=4, options={"seed": seed, "slots_per_node": 4}, late_results=late, **losses)
    assert done.losses > 0
    assert all(trial.state.value in ("COMPLETE", "PRUNED", "FAIL") for trial in done.study.trials)
    for intervals in by_slot(done).values():
        assert all(one.ended_s <= two.began_s + 1e-6 for one, two in itertools.pairwise(intervals))


def test_the_loss_of_a_helper_is_the_loss_of_the_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    gangs: list[Assignment] = []
    submit = SimulatedSlots.submit

    def noting(self: SimulatedSlots, assignment: Assignment) -> None:
        gangs.append(assignment)
        submit(self, assignment)

    monkeypatch.setattr(SimulatedSlots, "submit", noting)
    alone = hippo.GridSearch(APART[:1], until=40)
    with pytest.warns(UserWarning, match="a worker was lost"):
        done = run(alone, slots=4, shards=4, shard_efficiency=1.0, losses_at=((35.0, 3),), restart_s=1.0)
    assert len(gangs[0].peers) == 3
    assert done.seconds[Work.LOST] == pytest.approx(4 * 35.0)
    assert gangs[1].width == 2  # three are left
    assert done.study.trials[0].state.value == "COMPLETE"


# ----------------------------------------------------------------------------------------------------- nodes


def test_nodes_without_work_are_given_back_and_nothing_else_changes() -> None:
    kept = run(options={"slots_per_node": 2})
    done = run(options={"slots_per_node": 2, "release_after_s": 30.0}, restart_s=0.0)
    assert histories(done) == histories(kept)
    assert done.makespan_s == kept.makespan_s
    assert kept.reserved_s == 8 * kept.makespan_s
    assert done.device_seconds <= done.reserved_s < 0.7 * kept.reserved_s
    assert done.utilisation > kept.utilisation


@pytest.mark.parametrize("late", [2, 4])
def test_as_many_nodes_come_again_as_there_is_work_for(late: int) -> None:
    class Twice(hippo.Tuner):
        async def tune(self, ask: Any) -> None:
            await ask.all(APART[:4], until=10)
            await ask(APART[0], until=110)
            await ask.all(APART[4 : 4 + late], until=10)

    options = {"slots_per_node": 1, "release_after_s": 50.0}
    done = run(Twice(), slots=4, options=options, restart_s=25.0)
    assert done.makespan_s == pytest.approx(100.0 + 1000.0 + 25.0 + 100.0)
    assert done.reserved_s == pytest.approx(1225.0 + 3 * 150.0 + (late - 1) * 100.0)
    assert simulate(Twice(), SimulatedWorkload(seconds_per_step=10.0), slots=4).makespan_s == pytest.approx(1200.0)


def test_leaders_keep_their_node_and_the_others_go() -> None:
    done = run(options={"slots_per_node": 4, "release_after_s": 30.0}, shards=4)
    assert histories(done) == histories(run())
    assert widths_at(done, done.makespan_s - 5.0) == [4]
    assert done.reserved_s < 0.8 * 8 * done.makespan_s


@settings(max_examples=20, deadline=None)
@given(_TUNERS, st.sampled_from([1, 4]), st.integers(1, 4), st.sampled_from([0.0, 10.0, 300.0]), st.integers(0, 40))
def test_whenever_nodes_come_and_go_no_step_is_trained_twice(
    tuner: Any, shards: int, per_node: int, release_after_s: float, restart_s: int
) -> None:
    options = {"slots_per_node": per_node, "release_after_s": release_after_s}
    done = run(tuner, options=options, shards=shards, restart_s=float(restart_s), start_s=4.0)
    assert done.device_seconds <= done.reserved_s + 1e-6
    for intervals in by_slot(done).values():
        assert all(one.ended_s <= two.began_s + 1e-6 for one, two in itertools.pairwise(intervals))
    if tuner is not ASYNC_HALVING:
        assert histories(done) == histories(run(tuner))


# ----------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("shards", [0, 3, 6, -2, 2.0, True, "4"])
def test_a_step_is_cut_into_a_power_of_two_of_parts(shards: Any) -> None:
    with pytest.raises(SimulationError, match="1, 2, 4, 8"):
        SimulatedWorkload(seconds_per_step=1.0, shards=shards)


@pytest.mark.parametrize("part", [-0.1, 1.5, True, "all", float("nan")])
def test_of_a_slot_no_more_than_all_is_of_use(part: Any) -> None:
    with pytest.raises(SimulationError, match="shard_efficiency"):
        SimulatedWorkload(seconds_per_step=1.0, shard_efficiency=part)


@pytest.mark.parametrize("option", [{"slots_per_node": 0}, {"slots_per_node": 2.5}, {"slots_per_node": True}])
def test_a_node_has_a_number_of_slots(option: dict[str, Any]) -> None:
    with pytest.raises(SimulationError, match="slots_per_node"):
        run(options=option)


@pytest.mark.parametrize("seconds", [-1.0, float("inf"), float("nan"), "60", True])
def test_nodes_are_given_back_after_seconds(seconds: Any) -> None:
    with pytest.raises(SimulationError, match="release_after_s"):
        run(options={"release_after_s": seconds})


def test_starts_of_gangs_take_seconds() -> None:
    with pytest.raises(SimulationError, match="shard_start_s"):
        SimulatedWorkload(seconds_per_step=1.0, shard_start_s=-1.0)
