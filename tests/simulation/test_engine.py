"""What `SimulatedEngine` promises, driven by hand on its own virtual clock."""

import asyncio
import gc
import weakref

import pytest

from hippo.errors import SimulationError
from hippo.events import (
    AssignmentDone,
    BoundaryAnswered,
    CheckpointUnusable,
    CheckpointWritten,
    EngineFailed,
    Evaluated,
    ExactnessChecked,
    SlotLost,
    SlotOpened,
    StageFailed,
    StateHashed,
    StatesResident,
    StepDone,
    StepsDone,
)
from hippo.hparams.pieces import constant
from hippo.records import (
    AddBoundary,
    Assignment,
    Boundary,
    CheckpointRef,
    Keep,
    Lane,
    LaneStage,
    LaneStart,
    Shorten,
    Stop,
    TrainerSpec,
)
from hippo.simulation import Parametric, RandomWalk, SimulatedEngine, SimulatedWorkload, Work
from hippo.simulation.lanes import AssignmentRun

WRITTEN = Boundary(evaluate=True, keep=Keep.WRITTEN)
NOTHING = Boundary(evaluate=False, keep=Keep.NOTHING)


class Driven:
    """A simulated engine, its events with their virtual times, and nobody who decides."""

    def __init__(self, *, curve=None, slots=1, evaluate_every=10**9, seed=0, seconds_per_step=10.0, **workload):
        self.engine = SimulatedEngine(
            SimulatedWorkload(seconds_per_step=seconds_per_step, **workload),
            curve or RandomWalk(),
            slots=slots,
            seed=seed,
        )
        self.events = []
        self.engine.start(self._record, checkpoints="memory://", clock=self.engine.clock)
        spec = TrainerSpec(
            workload="w", reference=None, pickled=None, arguments="{}", search_path=(), seed=0,
            evaluate_every=evaluate_every,
        )  # fmt: skip
        self.engine.open_workload(spec)
        self.engine.advance()
        self.leases = 0

    def _record(self, event):
        said = event.one_by_one() if isinstance(event, StepsDone) else [event]
        self.events += [(self.engine.elapsed(), one) for one in said]

    def submit(self, *lanes, checkpoint_every_s=1e9):
        self.leases += 1
        slot = [event.slot for event in self.of(SlotOpened)][-1]
        self.engine.submit(
            Assignment(
                lease=self.leases,
                prefix=f"p{self.leases}",
                slot=slot,
                workload="w",
                lanes=lanes,
                checkpoint_every_s=checkpoint_every_s,
            )
        )
        return self.leases

    def until(self, seconds):
        """Let time go on to a moment at which nothing else need happen."""
        self.engine.clock.call_at(seconds, lambda: None)
        while self.engine.elapsed() < seconds:
            assert self.engine.advance()

    def run(self):
        while self.engine.advance():
            pass

    def of(self, kind):
        return [event for _, event in self.events if isinstance(event, kind)]

    def times(self, kind):
        return [time for time, event in self.events if isinstance(event, kind)]


def stage(node, start, stop, boundary=WRITTEN, lr=0.1):
    return LaneStage(node=node, start=start, stop=stop, pieces={"lr": constant(lr)}, boundary=boundary)


def lane(*stages, begin=None, check=False):
    return Lane(begin=begin, stages=stages, check=check)


def test_slots_open_with_the_first_workload_only():
    driven = Driven(slots=3)
    assert len(driven.of(SlotOpened)) == 3
    spec = TrainerSpec(
        workload="v", reference=None, pickled=None, arguments="{}", search_path=(), seed=0, evaluate_every=1
    )
    driven.engine.open_workload(spec)
    driven.run()
    assert len(driven.of(SlotOpened)) == 3


def test_no_event_comes_from_within_a_call():
    driven = Driven()
    before = len(driven.events)
    lease = driven.submit(lane(stage(1, 0, 5)))
    driven.engine.send(Stop(lease=lease))
    assert len(driven.events) == before


def test_a_lane_takes_the_seconds_of_start_steps_evaluation_and_checkpoint():
    driven = Driven(start_s=60.0, evaluate_s=3.0, save_s=2.0, worker_start_s=7.0)
    driven.submit(lane(stage(1, 0, 5)))
    driven.run()
    assert [event.step for event in driven.of(StepDone)] == [1, 2, 3, 4, 5]
    assert driven.times(AssignmentDone) == [7.0 + 60.0 + 50.0 + 3.0 + 2.0]
    assert driven.of(Evaluated)[0].step == driven.of(CheckpointWritten)[0].step == 5
    seconds = driven.engine.meter.seconds
    assert [seconds[work] for work in (Work.WORKER_START, Work.START, Work.TRAIN, Work.EVALUATE, Work.SAVE)] == [
        7.0, 60.0, 50.0, 3.0, 2.0,
    ]  # fmt: skip


def test_going_on_in_the_same_worker_costs_no_start_and_no_load():
    driven = Driven(start_s=60.0, load_s=5.0)
    driven.submit(lane(stage(1, 0, 5)))
    driven.run()
    driven.submit(lane(stage(1, 5, 6), begin=begin_at(driven, 1, 5)))
    driven.run()
    assert driven.times(AssignmentDone) == [110.0, 120.0]


def test_a_state_that_had_to_go_from_memory_is_loaded():
    driven = Driven(start_s=60.0, load_s=5.0, resident_states=1)
    driven.submit(lane(stage(1, 0, 5), stage(1, 5, 6)))
    driven.run()
    assert [event.dropped for event in driven.of(StatesResident)] == [(), ((1, 5),)]
    driven.submit(lane(stage(2, 5, 6, lr=0.5), begin=begin_at(driven, 1, 5)))
    driven.run()
    assert driven.times(AssignmentDone) == [120.0, 120.0 + 60.0 + 5.0 + 10.0]


def begin_at(driven, node, step, lr=0.1):
    ref = next(event.checkpoint for event in driven.of(CheckpointWritten) if (event.node, event.step) == (node, step))
    return LaneStart(node=node, step=step, checkpoint=ref, pieces={"lr": constant(lr)})


def test_slots_have_speeds_that_loads_do_not_feel():
    driven = Driven(slots=[4.0], start_s=60.0, evaluate_s=4.0)
    driven.submit(lane(stage(1, 0, 4)))
    driven.run()
    assert driven.times(AssignmentDone) == [60.0 + 10.0 + 1.0]
    assert {event.seconds for event in driven.of(StepDone)} == {2.5}


@pytest.mark.parametrize("cuts", [(9,), (3, 9), (1, 2, 5, 9)])
def test_metrics_and_state_do_not_depend_on_where_a_lane_stops(cuts):
    driven = Driven()
    starts = (0, *cuts[:-1])
    driven.submit(lane(*(stage(1, start, stop) for start, stop in zip(starts, cuts, strict=True))))
    driven.run()
    alone = Driven()
    alone.submit(lane(stage(7, 0, 9)))
    alone.run()
    last, other = driven.of(Evaluated)[-1], alone.of(Evaluated)[-1]
    assert (last.step, last.metrics) == (other.step, other.metrics)
    assert (
        driven.of(CheckpointWritten)[-1].checkpoint.state_hash == alone.of(CheckpointWritten)[-1].checkpoint.state_hash
    )


def test_other_values_make_other_metrics():
    driven = Driven()
    for node, lr in ((1, 0.1), (2, 0.2)):
        driven.submit(lane(stage(node, 0, 3, lr=lr)))
        driven.run()
    first, second = driven.of(Evaluated)
    assert first.metrics != second.metrics


def test_evaluate_every_evaluates_between_boundaries():
    driven = Driven(evaluate_every=2)
    driven.submit(lane(stage(1, 0, 5, NOTHING)))
    driven.run()
    assert [event.step for event in driven.of(Evaluated)] == [2, 4]


def test_an_evaluate_only_stage_trains_nothing():
    driven = Driven(evaluate_s=3.0)
    driven.submit(lane(stage(1, 0, 5, Boundary(evaluate=False, keep=Keep.WRITTEN))))
    driven.run()
    driven.submit(lane(stage(1, 5, 5), begin=begin_at(driven, 1, 5)))
    driven.run()
    assert len(driven.of(StepDone)) == 5
    assert [event.step for event in driven.of(Evaluated)] == [5]
    assert driven.times(AssignmentDone) == [50.0, 53.0]


def test_a_boundary_ahead_is_accepted_and_left_there():
    driven = Driven()
    lease = driven.submit(lane(stage(1, 0, 5)))
    driven.until(21.0)
    driven.engine.send(AddBoundary(lease=lease, lane=0, node=1, step=3, boundary=WRITTEN))
    driven.run()
    assert driven.of(BoundaryAnswered)[0].accepted
    assert [event.step for event in driven.of(CheckpointWritten)] == [3, 5]
    assert driven.times(CheckpointWritten) == [30.0, 50.0]


@pytest.mark.parametrize(("now", "step"), [(25.0, 2), (45.0, 4), (31.0, 3)])
def test_a_boundary_behind_is_refused(now, step):
    driven = Driven()
    lease = driven.submit(lane(stage(1, 0, 5)))
    driven.until(now)
    driven.engine.send(AddBoundary(lease=lease, lane=0, node=1, step=step, boundary=WRITTEN))
    driven.run()
    assert not driven.of(BoundaryAnswered)[0].accepted
    assert [event.step for event in driven.of(CheckpointWritten)] == [5]


def test_a_boundary_at_the_end_of_the_step_under_way_is_accepted():
    driven = Driven()
    lease = driven.submit(lane(stage(1, 0, 5)))
    driven.until(20.0)
    driven.engine.send(AddBoundary(lease=lease, lane=0, node=1, step=2, boundary=WRITTEN))
    driven.run()
    assert [event.step for event in driven.of(CheckpointWritten)] == [2, 5]


def test_a_command_that_comes_while_a_state_is_written_is_for_later_steps():
    driven = Driven(save_s=100.0)
    lease = driven.submit(lane(stage(1, 0, 2), stage(1, 2, 5)))
    driven.until(70.0)  # step 2 is over since 20, its checkpoint there at 120
    driven.engine.send(AddBoundary(lease=lease, lane=0, node=1, step=2, boundary=WRITTEN))
    driven.engine.send(AddBoundary(lease=lease, lane=0, node=1, step=3, boundary=WRITTEN))
    driven.run()
    assert [event.accepted for event in driven.of(BoundaryAnswered)] == [False, True]
    assert driven.times(CheckpointWritten) == [120.0, 230.0, 350.0]


def test_stop_leaves_a_checkpoint_at_the_current_steps_end():
    driven = Driven(save_s=1.0)
    lease = driven.submit(lane(stage(1, 0, 5), stage(1, 5, 9)))
    driven.until(14.0)
    driven.engine.send(Stop(lease=lease))
    driven.run()
    assert [event.step for event in driven.of(StepDone)] == [1, 2]
    assert driven.times(CheckpointWritten) == driven.times(AssignmentDone) == [21.0]


def test_shorten_ahead_ends_there_and_behind_at_the_current_step():
    for node_step, expected in ((4, 4), (1, 3)):
        driven = Driven()
        lease = driven.submit(lane(stage(1, 0, 9)))
        driven.until(25.0)
        driven.engine.send(Shorten(lease=lease, lane=0, node=1, step=node_step))
        driven.run()
        assert driven.of(StepDone)[-1].step == expected
        assert [event.step for event in driven.of(CheckpointWritten)] == [expected]


def test_a_lane_that_was_shortened_never_comes_where_it_was_to_go_while_the_next_one_is_walked():
    driven = Driven()
    lease = driven.submit(lane(stage(1, 0, 9)), lane(stage(2, 0, 9)))
    driven.until(25.0)
    driven.engine.send(Shorten(lease=lease, lane=0, node=1, step=4))
    driven.run()
    assert [(event.node, event.step) for event in driven.of(StepDone)] == [
        *((1, step) for step in range(1, 5)),
        *((2, step) for step in range(1, 10)),
    ]


def test_what_ran_is_freed_when_it_ends_and_not_when_garbage_is_collected(monkeypatch):
    runs, known = [], AssignmentRun.__init__

    def noted(run, *args, **options):
        known(run, *args, **options)
        runs.append(weakref.ref(run))

    monkeypatch.setattr(AssignmentRun, "__init__", noted)
    driven = Driven()
    gc.disable()
    try:
        driven.submit(lane(stage(1, 0, 2)), lane(stage(2, 0, 2)))
        driven.run()
        assert [run() for run in runs] == [None]
    finally:
        gc.enable()


def test_a_command_to_a_lease_that_ended_is_dropped():
    driven = Driven()
    lease = driven.submit(lane(stage(1, 0, 1)))
    driven.run()
    number = len(driven.events)
    driven.engine.send(Stop(lease=lease))
    driven.run()
    assert len(driven.events) == number


def test_a_checkpoint_is_written_whenever_the_last_one_is_too_old():
    driven = Driven()
    driven.submit(lane(stage(1, 0, 9, NOTHING)), checkpoint_every_s=35.0)
    driven.run()
    assert [event.step for event in driven.of(CheckpointWritten)] == [4, 8]


def test_only_the_best_is_written_where_only_the_best_is_wanted():
    from hippo.records import Objective

    for threshold, kind in ((-1.0, StateHashed), (2.0, CheckpointWritten)):
        driven = Driven(curve=RandomWalk(start=1.0, drift=0.0, noise=0.0))
        best = Boundary(keep=Keep.IF_BEST, objective=Objective(metric="loss", mode="min"), threshold=threshold)
        driven.submit(lane(stage(1, 0, 2, best)))
        driven.run()
        assert [type(event) for _, event in driven.events if isinstance(event, StateHashed | CheckpointWritten)] == [
            kind
        ]


def test_checks_are_passed_at_their_cost():
    driven = Driven(check_s=4.0)
    driven.submit(lane(stage(1, 0, 1), stage(2, 1, 3), check=True))
    driven.run()
    checked = driven.of(ExactnessChecked)
    assert [(check.proven, check.seconds) for check in checked] == [(True, 4.0)] * 2
    assert [check.steps for check in checked] == [((1, 1), (2, 2)), ((2, 3),)]
    assert driven.times(AssignmentDone) == [38.0]


def test_a_checkpoint_of_another_world_is_unusable():
    driven = Driven(load_s=5.0)
    ref = CheckpointRef(key="elsewhere", size_bytes=0, sha256="", state_hash="")
    begin = LaneStart(node=1, step=4, checkpoint=ref, pieces={"lr": constant(0.1)})
    driven.submit(lane(stage(1, 4, 6), begin=begin))
    driven.run()
    assert [(event.key, event.corrupt) for event in driven.of(CheckpointUnusable)] == [("elsewhere", False)]
    assert driven.times(AssignmentDone) == [5.0]
    assert not driven.of(StepDone)


def test_a_lost_worker_takes_what_it_did_not_tell_and_another_one_comes():
    driven = Driven(losses_at=((33.0, 0),), restart_s=100.0)
    driven.submit(lane(stage(1, 0, 2), stage(1, 2, 9)))
    driven.run()
    assert [event.step for event in driven.of(StepDone)] == [1, 2]
    assert driven.times(SlotLost) == [33.0]
    assert driven.times(SlotOpened) == [0.0, 133.0]
    assert len({event.slot for event in driven.of(SlotOpened)}) == 2
    assert driven.engine.meter.seconds[Work.LOST] == 13.0
    assert not driven.of(AssignmentDone)


def test_an_engine_that_was_closed_opens_no_slot_in_the_place_of_one_that_was_lost():
    driven = Driven(losses_at=((33.0, 0),), restart_s=100.0)
    driven.submit(lane(stage(1, 0, 9)))
    driven.until(34.0)
    asyncio.run(driven.engine.close(timeout_s=0.0))
    driven.run()
    assert driven.times(SlotOpened) == [0.0]


def test_losses_come_at_their_rate():
    driven = Driven(losses_per_device_hour=1.0, restart_s=0.0, seed=3)
    for _ in range(200):
        driven.submit(lane(stage(1, 0, 36)))  # a tenth of an hour
        driven.run()
    losses = len(driven.of(SlotLost))
    assert abs(losses - 200 * (1 - 2.718281828**-0.1)) < 3 * 200**0.5 * 0.3  # binomial, three deviations


def test_an_exception_of_a_users_curve_is_a_failure_of_the_stage():
    def curve(values, step, rng):
        raise ValueError("no such model")

    driven = Driven(curve=Parametric(curve))
    driven.submit(lane(stage(1, 0, 2)))
    driven.run()
    (failed,) = driven.of(StageFailed)
    assert (failed.failure.node, failed.failure.step, failed.failure.method) == (1, 2, "evaluate")
    assert "no such model" in failed.failure.error
    assert len(driven.of(AssignmentDone)) == 1


def test_seconds_go_by_hyper_parameter_values():
    driven = Driven(seconds_per_step={"lr": {0.1: 10.0, 0.2: 1.0}})
    driven.submit(lane(stage(1, 0, 2), stage(2, 2, 4, lr=0.2)))
    driven.run()
    assert driven.times(AssignmentDone) == [22.0]


def test_a_value_without_seconds_ends_the_engine_with_the_known_ones_named():
    driven = Driven(seconds_per_step={"lr": {0.2: 1.0}})
    with pytest.raises(SimulationError, match=r"no seconds for lr=0.1; it has \[0.2\]"):
        driven.submit(lane(stage(1, 0, 2)))


def test_an_error_in_virtual_time_ends_the_engine_and_not_the_loop():
    class Broken(RandomWalk):
        def after(self, state, segment, start, stop):
            raise ZeroDivisionError("broken")

    driven = Driven(curve=Broken())
    driven.submit(lane(stage(1, 0, 2)))
    driven.run()
    assert "ZeroDivisionError: broken" in driven.of(EngineFailed)[0].reason


def test_closing_leaves_nothing_that_could_still_happen():
    driven = Driven()
    driven.submit(lane(stage(1, 0, 2)))
    asyncio.run(driven.engine.close(timeout_s=0.0))
    driven.run()
    assert not driven.of(AssignmentDone)


@pytest.mark.parametrize("slots", [0, [], [1.0, 0.0], "two", True])
def test_slots_that_cannot_be_are_refused(slots):
    with pytest.raises(SimulationError):
        SimulatedEngine(SimulatedWorkload(seconds_per_step=1.0), RandomWalk(), slots=slots)


@pytest.mark.parametrize("wrong", [{"seconds_per_step": 0.0}, {"seconds_per_step": 1.0, "start_s": -1.0}])
def test_seconds_that_cannot_be_are_refused(wrong):
    with pytest.raises(SimulationError):
        SimulatedWorkload(**wrong)
