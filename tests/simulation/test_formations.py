"""Lanes that are walked as one on a virtual clock: what they cost, what they say, and whole studies of them."""

import random
from dataclasses import replace

import pytest

import hippo
from hippo.errors import SimulationError
from hippo.events import (
    AssignmentDone,
    BoundaryAnswered,
    Check,
    CheckpointUnusable,
    Evaluated,
    ExactnessChecked,
    FusionChecked,
    SlotOpened,
    StageFailed,
    StepDone,
    StepsDone,
)
from hippo.hparams import Constant, MultiStep, Piecewise
from hippo.hparams.pieces import constant
from hippo.records import (
    AddBoundary,
    Assignment,
    Boundary,
    CheckpointRef,
    Fusion,
    Keep,
    Lane,
    LaneStage,
    LaneStart,
    Shorten,
    Stop,
    TrainerSpec,
)
from hippo.schedulers import BreadthFirst
from hippo.simulation import Parametric, RandomWalk, Replay, SimulatedEngine, SimulatedWorkload, Work, simulate
from hippo.testing.drawn_trees import AskAtOnce, drawn_trials
from hippo.tuners.asha import ASHA

FUSED = Fusion(is_fused=True)
WRITTEN = Boundary(evaluate=True, keep=Keep.WRITTEN)


class Driven:
    """A simulated engine, its events with their virtual times, and nobody who decides."""

    def __init__(self, *, fused=(0.5, 0.5), curve=None, slots=1, numerics="fused", **workload):
        costs = SimulatedWorkload(seconds_per_step=10.0, fused=fused, **workload)
        self.engine = SimulatedEngine(costs, curve or RandomWalk(), slots=slots)
        self.events = []
        self.engine.start(self._record, checkpoints="memory://", clock=self.engine.clock)
        spec = TrainerSpec(
            workload="w", reference=None, pickled=None, arguments="{}", search_path=(), seed=0, evaluate_every=10**9,
            numerics=numerics,
        )  # fmt: skip
        self.engine.open_workload(spec)
        self.engine.advance()

    def _record(self, event):
        said = event.one_by_one() if isinstance(event, StepsDone) else [event]
        self.events += [(self.engine.elapsed(), one) for one in said]

    def submit(self, *lanes, fusion=FUSED, lease=1):
        slot = self.of(SlotOpened)[-1].slot
        self.engine.submit(
            Assignment(
                lease=lease,
                prefix=f"p{lease}",
                slot=slot,
                workload="w",
                lanes=lanes,
                checkpoint_every_s=1e9,
                fusion=fusion,
            )
        )

    def send_at(self, seconds, *commands):
        self.engine.clock.call_at(seconds, lambda: [self.engine.send(command) for command in commands])

    def run(self):
        while self.engine.advance():
            pass
        return self

    def of(self, kind):
        return [event for _, event in self.events if isinstance(event, kind)]

    def times(self, kind):
        return [time for time, event in self.events if isinstance(event, kind)]

    def last_steps(self):
        return {event.lane: event.step for event in self.of(StepDone)}


def lane(node, stop, *, start=0, begin=None, boundary=WRITTEN):
    stage = LaneStage(node=node, start=start, stop=stop, pieces={"lr": constant(float(node))}, boundary=boundary)
    return Lane(begin=begin, stages=(stage,))


# --- one formation


def test_a_step_takes_what_so_many_lanes_cost_and_each_lane_has_its_share():
    driven = Driven()
    driven.submit(lane(1, 4), lane(2, 4), lane(3, 4))
    driven.run()
    assert driven.times(AssignmentDone) == [4 * 20.0]  # 0.5 + 0.5 * 3 steps of one
    assert {event.lanes for event in driven.of(StepDone)} == {3}
    assert [event.seconds for event in driven.of(StepDone)] == pytest.approx([20.0 / 3] * 12)
    assert sum(event.seconds for event in driven.of(StepDone)) == pytest.approx(driven.engine.meter.seconds[Work.TRAIN])


def test_when_a_lane_ends_the_others_go_on_faster():
    driven = Driven()
    driven.submit(lane(1, 2), lane(2, 5))
    driven.run()
    assert driven.times(AssignmentDone) == [2 * 15.0 + 3 * 10.0]
    assert [event.lanes for event in driven.of(StepDone) if event.lane == 1] == [2, 2, 1, 1, 1]


def test_a_lane_without_company_costs_what_a_formation_of_one_does():
    driven = Driven(fused=(1.0, 0.5))
    driven.submit(lane(1, 4))
    assert driven.run().times(AssignmentDone) == [60.0]


def test_lanes_come_to_the_same_metrics_in_company_and_alone():
    together, apart = Driven(), Driven(fused=None, numerics="exact")
    together.submit(lane(1, 3), lane(2, 5))
    apart.submit(lane(1, 3), lane(2, 5), fusion=None)
    one, other = ({(e.node, e.step): e.metrics for e in each.run().of(Evaluated)} for each in (together, apart))
    assert one == other


def test_all_lanes_wait_while_one_is_evaluated_and_written():
    driven = Driven(evaluate_s=3.0, save_s=1.0, start_s=7.0, worker_start_s=5.0)
    driven.submit(lane(1, 2), lane(2, 4))
    driven.run()
    assert driven.times(AssignmentDone) == [5.0 + 2 * 7.0 + 2 * 15.0 + 4.0 + 2 * 10.0 + 4.0]


def test_commands_are_for_one_lane_or_for_all():
    driven = Driven()
    driven.submit(lane(1, 9), lane(2, 9), lane(3, 9))
    added = AddBoundary(lease=1, lane=2, node=3, step=4, boundary=WRITTEN)
    late = AddBoundary(lease=1, lane=2, node=3, step=1, boundary=WRITTEN)
    driven.send_at(50.0, added, late, Shorten(lease=1, lane=0, node=1, step=4))  # in the third step, of 20 s
    driven.send_at(100.0, Stop(lease=1))  # after four of 20 s, in the second one of 15 s
    driven.run()
    assert driven.last_steps() == {0: 4, 1: 6, 2: 6}
    assert [(event.step, event.accepted) for event in driven.of(BoundaryAnswered)] == [(4, True), (1, False)]
    assert (3, 4) in [(event.node, event.step) for event in driven.of(Evaluated)]


def test_a_lane_whose_evaluation_fails_leaves_and_the_others_go_on():
    def values(found, step, rng):
        if found["lr"] == 1.0:
            raise ValueError("one")
        return 1.0

    driven = Driven(curve=Parametric(values), evaluate_s=2.0)
    driven.submit(lane(1, 2), lane(2, 4))
    driven.run()
    assert [event.lane for event in driven.of(StageFailed)] == [0]
    assert driven.last_steps() == {0: 2, 1: 4}
    assert driven.times(AssignmentDone)


def test_a_lane_whose_state_is_not_there_leaves_before_the_first_step():
    gone = CheckpointRef(key="gone", size_bytes=0, sha256="", state_hash="")
    begin = LaneStart(node=9, step=2, checkpoint=gone, pieces={"lr": constant(9.0)})
    for others in ((), (lane(2, 4),)):
        driven = Driven()
        if others:
            driven.submit(lane(5, 2))
            ref = driven.run().events[-2][1]
            kept = next(e for _, e in driven.events if type(e).__name__ == "CheckpointWritten").checkpoint
            assert ref is not None
            others = (
                lane(2, 4, start=2, begin=LaneStart(node=5, step=2, checkpoint=kept, pieces={"lr": constant(5.0)})),
            )
        driven.submit(lane(1, 4, start=2, begin=begin), *others, lease=2)
        driven.run()
        assert [event.lane for event in driven.of(CheckpointUnusable)] == [0]
        assert [event.lane for event in driven.of(StepDone) if event.lease == 2] == [1, 1][: 2 * len(others)]
        assert [event.lease for event in driven.of(AssignmentDone)][-1] == 2


def test_a_lane_with_nothing_but_an_evaluation_ahead_of_it_is_evaluated_once():
    driven = Driven(evaluate_s=2.0)
    driven.submit(lane(1, 0), lane(2, 3))
    driven.run()
    assert [(event.lane, event.step) for event in driven.of(Evaluated)] == [(0, 0), (1, 3)]
    assert driven.last_steps() == {1: 3}


# --- what is decided


def test_the_first_worker_decides_and_leaves_its_lanes_to_who_packs_them_then():
    driven = Driven(check_s=4.0)
    driven.submit(lane(1, 2), fusion=None)
    driven.run()
    assert driven.of(FusionChecked) == [FusionChecked(lease=1, fusion=FUSED, seconds=4.0)]
    assert driven.times(FusionChecked) == driven.times(AssignmentDone) == [4.0]
    assert driven.of(StepDone) == []


@pytest.mark.parametrize(
    ("start", "again"),
    [(0, ((1, 1), (1, 2), (1, 2))), (1, ((9, 1), (9, 1), (1, 2), (1, 2))), (3, ((1, 4), (1, 5), (1, 5)))],
)
def test_what_the_first_lane_compares_it_compares_before_it_is_decided(start, again):
    driven = Driven(check_s=4.0)
    begin = LaneStart(node=9, step=start, pieces={}, checkpoint=None, metrics=None) if start else None
    first = replace(lane(1, start + 1, start=start, begin=begin), check=True)
    driven.submit(first, lane(2, start + 1, start=start, begin=begin), fusion=None)
    (checked,) = driven.run().of(ExactnessChecked)
    assert (checked.which, checked.proven, checked.steps, checked.lane) == (Check.FIRST_STEPS, True, again, 0)
    assert [type(each) for _, each in driven.events if isinstance(each, ExactnessChecked | FusionChecked)] == [
        ExactnessChecked,
        FusionChecked,
    ]
    assert driven.times(AssignmentDone) == [8.0]  # each at its cost


def test_lanes_that_save_too_little_are_to_be_walked_one_by_one():
    driven = Driven(fused=(0.1, 0.9))
    driven.submit(lane(1, 2), fusion=None)
    (checked,) = driven.run().of(FusionChecked)
    assert not checked.fusion.is_fused
    assert "fused=(0.1, 0.9)" in checked.fusion.detail
    driven.submit(lane(1, 2), lane(2, 2), fusion=checked.fusion, lease=2)
    assert {event.lanes for event in driven.run().of(StepDone)} == {1}


def test_nothing_is_decided_where_numerics_do_not_allow_it():
    driven = Driven(numerics="exact")
    driven.submit(lane(1, 2), lane(2, 2), fusion=None)
    assert driven.run().of(FusionChecked) == []
    assert {event.lanes for event in driven.of(StepDone)} == {1}


def test_nothing_is_promised_while_it_is_decided():
    driven = Driven(check_s=4.0)
    driven.submit(lane(1, 9), fusion=None)
    driven.send_at(1.0, AddBoundary(lease=1, lane=0, node=1, step=2, boundary=WRITTEN), Stop(lease=1))
    assert driven.run().of(StepDone) == []
    assert [event.accepted for event in driven.of(BoundaryAnswered)] == [False]
    assert driven.times(AssignmentDone) == [4.0]


# --- whole studies

SPACE = hippo.GridSearchSpace(
    {
        "lr": [Constant(0.1), MultiStep(0.1, [4, 8], 0.1), MultiStep(0.1, [4, 10], 0.1), Constant(0.2), Constant(0.3)],
        "batch_size": [Constant(128), Piecewise([128, 256], [6])],
    }
)
ALONE = SimulatedWorkload(seconds_per_step=1.0)
TOGETHER = SimulatedWorkload(seconds_per_step=1.0, fused=(0.7, 0.3))


def grid():
    return hippo.GridSearch(SPACE, until=12)


def test_a_study_comes_to_the_same_and_to_it_sooner():
    fused, solo = simulate(grid(), TOGETHER, slots=2, lanes=16), simulate(grid(), ALONE, slots=2)
    assert [trial.history for trial in fused.study.trials] == [trial.history for trial in solo.study.trials]
    assert (fused.steps_executed, fused.steps_repeated) == (solo.steps_executed, 0)
    assert fused.makespan_s < 0.9 * solo.makespan_s
    assert fused.mean_lanes > 1.5
    assert solo.mean_lanes is None


def test_one_lane_at_most_is_walked_as_it_would_be_alone():
    fused, solo = simulate(grid(), TOGETHER, slots=2, lanes=1), simulate(grid(), ALONE, slots=2)
    assert fused.mean_lanes == 1.0
    assert fused.seconds[Work.TRAIN] == pytest.approx(solo.seconds[Work.TRAIN])


def test_lanes_of_one_assignment_are_of_one_batch_size_and_no_more_than_allowed():
    simulation = simulate(grid(), TOGETHER, slots=1, lanes=3)
    trained = [each for each in simulation.intervals if each.work is Work.TRAIN]
    assert max((each.ended_s - each.began_s) / (each.stop - each.start) for each in trained) == pytest.approx(1.6)


def test_a_tuner_that_pulls_has_room_for_lanes():
    configs = [{"lr": number / 60} for number in range(60)]
    runs = [simulate(ASHA(configs, 3, 27, reduction=3), TOGETHER, slots=2, lanes=lanes) for lanes in (1, 16)]
    assert runs[1].makespan_s < 0.6 * runs[0].makespan_s
    assert runs[1].mean_lanes > 4


@pytest.mark.parametrize("late", [False, True])
def test_workers_may_be_lost_with_all_their_lanes(late):
    workload = SimulatedWorkload(
        seconds_per_step=10.0, fused=(0.7, 0.3), save_s=0.5, evaluate_s=0.5, check_s=1.0, losses_per_device_hour=20.0,
        restart_s=5.0, late_results=late,
    )  # fmt: skip
    simulation = simulate(grid(), workload, slots=3, lanes=8, seed=3, checkpoint_every_s=30.0)
    undisturbed = simulate(grid(), TOGETHER, slots=3, lanes=8, seed=3)
    assert simulation.losses > 0
    assert [trial.metrics for trial in simulation.study.trials] == [trial.metrics for trial in undisturbed.study.trials]


def test_a_simulation_that_is_run_again_in_its_storage_says_the_same(tmp_path):
    storage = f"sqlite:///{tmp_path / 'simulated.db'}"
    first, again = (simulate(grid(), TOGETHER, slots=2, lanes=8, storage=storage) for _ in range(2))
    assert first.intervals == again.intervals


def test_what_lanes_cost_is_known_again_from_facts(tmp_path):
    storage = f"sqlite:///{tmp_path / 'costs.db'}"
    configs = [{"lr": number / 100} for number in range(100)]
    for first in (0, 50):
        engine = SimulatedEngine(TOGETHER, RandomWalk(), max_lanes=16)
        study = hippo.create_study(
            "s", trainer=hippo.simulation.trainer.SimulatedTrainer, trainer_args={"world": {}}, version="v",
            storage=storage, checkpoints="memory://", engine=engine, metric=None, numerics="fused", keep="best",
        )  # fmt: skip
        try:
            study.optimize(hippo.GridSearch(configs[first : first + 50], until=5))
        finally:
            hippo.study.runtimes.close_runtime(engine)
        counts = engine.meter.counts
        if not first:  # tried with 4, then with 8
            assert counts["formation steps"] == 5 * (1 + 1 + 3)
    assert counts["formation steps"] == 5 * 4  # 16, 16, 16 and 2


def test_a_replay_says_that_seconds_are_shares(tmp_path):
    storage = f"sqlite:///{tmp_path / 'recorded.db'}"
    for name, workload in (("together", TOGETHER), ("apart", ALONE)):
        simulate(grid(), workload, slots=2, storage=storage, name=name)
    assert "walked lanes as one in" in Replay("together", storage).describe_guesses()
    assert Replay("apart", storage).describe_guesses() == ""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_no_tree_takes_much_longer_with_lanes_together(seed):
    rng = random.Random(seed)
    trials, slots, per_lane = drawn_trials(rng), rng.randint(1, 8), rng.random()
    fused = SimulatedWorkload(seconds_per_step=1.0, fused=(1.0 - per_lane, per_lane))
    options = {"slots": slots, "metric": None, "mode": None}
    together = simulate(AskAtOnce(trials), fused, lanes=rng.choice((2, 4, 16, 64)), **options)
    alone = simulate(AskAtOnce(trials), ALONE, **options)
    assert together.steps_executed == alone.steps_executed
    assert together.steps_repeated == 0
    assert together.makespan_s <= 1.10 * alone.makespan_s


# --- bad input


@pytest.mark.parametrize("fused", [(1.0,), (0.5, -0.1), (0.0, 0.0), "ab", (float("nan"), 1.0), 3])
def test_what_lanes_cost_must_be_two_numbers(fused):
    with pytest.raises(SimulationError, match="two numbers"):
        SimulatedWorkload(seconds_per_step=1.0, fused=fused)


@pytest.mark.parametrize("lanes", [0, -1, 1.5, True])
def test_lanes_must_be_a_number_of_them(lanes):
    with pytest.raises(SimulationError, match="at least 1"):
        simulate(grid(), TOGETHER, slots=1, lanes=lanes)


def test_what_would_be_without_effect_is_refused():
    with pytest.raises(SimulationError, match=r"fused=\(a, b\)"):
        simulate(grid(), ALONE, slots=1, lanes=4)
    with pytest.raises(SimulationError, match="would be ignored"):
        simulate(grid(), TOGETHER, slots=1, lanes=4, scheduler=BreadthFirst())
