"""What every engine must do, as tests to inherit: a new engine subclasses `EngineContract` and says how it is made.

Where a command must reach a lane in time, its trainer waits at a gate, so that no test depends on who is faster.
"""

from __future__ import annotations

import concurrent.futures
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hippo.engines import AbstractEngine
from hippo.events import (
    BoundaryAnswered,
    CheckpointUnusable,
    CheckpointWritten,
    EngineEvent,
    Evaluated,
    SlotLost,
    SlotOpened,
    StageFailed,
    StateHashed,
    StatesResident,
    StepDone,
)
from hippo.records import (
    AddBoundary,
    Boundary,
    Drop,
    Keep,
    Lane,
    LaneStage,
    LaneStart,
    LeaseCommand,
    LeaseId,
    NodeId,
    Shorten,
    Stop,
)
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import after, lane, stage
from hippo.testing.residents_contract import TRANSIENT, ResidentsContract, only, point, toy
from hippo.testing.trainers import ToyTrainer
from hippo.training.shipping import ship

RESIDENT = Boundary(keep=Keep.RESIDENT)
#: of a command whose lease is not known yet
LATER = LeaseId(0)


class GatedTrainer(ToyTrainer):
    """Waits in its steps until the file `gate` is there."""

    def __init__(self, gate: str) -> None:
        super().__init__()
        self.gate = Path(gate)

    def train(self) -> dict[str, float]:
        while not self.gate.exists():
            time.sleep(0.001)
        return super().train()


class EngineContract(ResidentsContract):
    """Subclass it, and define `make_engine` and `make_small_engine`."""

    def make_engine(self) -> AbstractEngine:
        """Return a new engine."""
        raise NotImplementedError

    @pytest.fixture
    def folder(self, tmp_path: Path) -> str:
        """A folder of checkpoints."""
        return str(tmp_path / "checkpoints")

    @pytest.fixture
    def loop(self, folder: str) -> Iterator[ControlLoop]:
        """An engine at work, with the workload `toy()`."""
        with self.open_loop(folder) as loop:
            yield loop

    def open_loop(self, folder: str) -> ControlLoop:
        """Return another engine at work."""
        loop = ControlLoop(self.make_engine(), folder)
        loop.open_workload(toy())
        return loop

    def test_a_lane_tells_its_steps_metrics_and_states_in_order(self, loop: ControlLoop) -> None:
        events = loop.run(toy().workload, lane(stage(1, 0, 2, boundary=RESIDENT), stage(2, 2, 3, lr=0.2)))
        told = [event for event in events if isinstance(event, StepDone | Evaluated | CheckpointWritten | StateHashed)]
        assert [(type(event), event.node, event.step) for event in told] == [
            (StepDone, 1, 1),
            (Evaluated, 1, 1),
            (StepDone, 1, 2),
            (Evaluated, 1, 2),
            (StateHashed, 1, 2),
            (StepDone, 2, 3),
            (Evaluated, 2, 3),
            (CheckpointWritten, 2, 3),
        ]

    def test_a_slot_says_in_which_environment_it_is(self, loop: ControlLoop) -> None:
        loop.wait_for_slots()
        assert all(event.environment["threads"] == "1" for event in only(SlotOpened, loop.events))

    def test_forks_from_memory_and_from_a_file_equal_the_run_that_never_stopped(
        self, loop: ControlLoop, folder: str
    ) -> None:
        (whole,) = only(CheckpointWritten, loop.run(toy().workload, lane(stage(1, 0, 4))))
        (half,) = only(CheckpointWritten, loop.run(toy().workload, lane(stage(2, 0, 2))))
        in_memory = lane(stage(2, 2, 4), begin=replace(after(half), checkpoint=None))
        (from_memory,) = only(CheckpointWritten, loop.run(toy().workload, in_memory))
        with self.open_loop(folder) as other:
            in_file = lane(stage(2, 2, 4), begin=after(half))
            (from_file,) = only(CheckpointWritten, other.run(toy().workload, in_file))
        assert whole.checkpoint.state_hash == from_memory.checkpoint.state_hash == from_file.checkpoint.state_hash

    def test_a_state_that_is_nowhere_is_told_and_nothing_runs(self, loop: ControlLoop, folder: str) -> None:
        (half,) = only(CheckpointWritten, loop.run(toy().workload, lane(stage(1, 0, 2))))
        begin = replace(after(half), checkpoint=replace(half.checkpoint, key="lost"))
        with self.open_loop(folder) as other:
            events = other.run(toy().workload, lane(stage(1, 2, 4), begin=begin))
        assert [event.key for event in only(CheckpointUnusable, events)] == ["lost"]
        assert only(StepDone, events) == []

    def test_a_stage_without_steps_only_evaluates(self, loop: ControlLoop) -> None:
        first = loop.run(toy().workload, lane(stage(1, 0, 2)))
        (half,) = only(CheckpointWritten, first)
        again = loop.run(toy().workload, lane(stage(1, 2, 2, boundary=RESIDENT), begin=after(half)))
        assert only(StepDone, again) == []
        assert only(Evaluated, again)[0].metrics == only(Evaluated, first)[-1].metrics

    def run_with_command(
        self, loop: ControlLoop, gate: Path, steps: LaneStage, command: LeaseCommand
    ) -> list[EngineEvent]:
        """Run a stage that gets a command before the end of its first step; return its events."""
        return self.run_with_commands(loop, gate, (lane(steps),), command)

    def run_with_commands(
        self, loop: ControlLoop, gate: Path, lanes: Sequence[Lane], *commands: LeaseCommand
    ) -> list[EngineEvent]:
        """Run lanes that get commands before the end of the first step of the first one; return their events."""
        spec = ship(GatedTrainer, {"gate": str(gate)}, seed=0, evaluate_every=1, workload_key="gated")
        loop.open_workload(spec)
        lease = loop.submit("gated", *lanes)
        for command in commands:
            loop.send(replace(command, lease=lease))
        gate.touch()
        return loop.finish(lease)

    def test_a_boundary_added_in_time_leaves_a_state_there(self, loop: ControlLoop, tmp_path: Path) -> None:
        add = AddBoundary(lease=LATER, lane=0, node=NodeId(1), step=3, boundary=Boundary())
        events = self.run_with_command(loop, tmp_path / "gate", stage(1, 0, 5), add)
        assert [(event.step, event.accepted) for event in only(BoundaryAnswered, events)] == [(3, True)]
        assert [event.step for event in only(CheckpointWritten, events)] == [3, 5]

    def test_a_boundary_that_is_not_ahead_is_refused(self, loop: ControlLoop, tmp_path: Path) -> None:
        add = AddBoundary(lease=LATER, lane=0, node=NodeId(1), step=9, boundary=Boundary())
        events = self.run_with_command(loop, tmp_path / "gate", stage(1, 0, 5), add)
        assert [(event.step, event.accepted) for event in only(BoundaryAnswered, events)] == [(9, False)]
        assert [event.step for event in only(CheckpointWritten, events)] == [5]

    def test_a_lane_that_is_shortened_ends_there(self, loop: ControlLoop, tmp_path: Path) -> None:
        shorten = Shorten(lease=LATER, lane=0, node=NodeId(1), step=3)
        events = self.run_with_command(loop, tmp_path / "gate", stage(1, 0, 1000), shorten)
        assert [event.step for event in only(StepDone, events)] == [1, 2, 3]

    def test_a_lease_that_is_stopped_leaves_a_checkpoint_at_its_steps_end(
        self, loop: ControlLoop, tmp_path: Path
    ) -> None:
        events = self.run_with_command(loop, tmp_path / "gate", stage(1, 0, 1000), Stop(lease=LATER))
        assert [event.step for event in only(StepDone, events)] == [1]
        assert [event.step for event in only(CheckpointWritten, events)] == [1]

    def test_commands_to_a_lease_that_has_ended_change_nothing(self, loop: ControlLoop) -> None:
        loop.run(toy().workload, lane(stage(1, 0, 2)))
        loop.send(Stop(lease=LeaseId(1)))
        events = loop.run(toy().workload, lane(stage(2, 0, 3)))
        assert [event.step for event in only(StepDone, events)] == [1, 2, 3]

    def test_a_state_that_is_dropped_while_a_lane_goes_on_from_it_changes_nothing_for_the_lane(
        self, loop: ControlLoop, tmp_path: Path
    ) -> None:
        gate = tmp_path / "gate"
        gate.touch()
        spec = ship(GatedTrainer, {"gate": str(gate)}, seed=0, evaluate_every=1, workload_key="gated")
        loop.open_workload(spec)
        loop.run("gated", lane(stage(1, 0, 2, boundary=TRANSIENT)))
        (whole,) = only(CheckpointWritten, loop.run("gated", lane(stage(2, 0, 4))))
        gate.unlink()
        begin = LaneStart(node=NodeId(1), step=2, checkpoint=None, pieces=stage(1, 0, 2).pieces)
        lease = loop.submit("gated", lane(stage(1, 2, 4), begin=begin))
        loop.send(Drop(slot=loop.wait_for_slots()[0], workload="gated", points=(point(1),)))
        gate.touch()
        (written,) = only(CheckpointWritten, loop.finish(lease))
        assert written.checkpoint.state_hash == whole.checkpoint.state_hash
        dropped = [event.dropped for event in only(StatesResident, loop.events) if event.dropped]
        assert dropped == [(point(1),)]

    def test_an_exception_of_the_trainer_ends_the_lane_and_not_the_slot(self, loop: ControlLoop) -> None:
        failing = toy(raise_in="train", raise_at=1)
        loop.open_workload(failing)
        slots = loop.wait_for_slots()
        (failed,) = only(StageFailed, loop.run(failing.workload, lane(stage(1, 0, 3))))
        assert (failed.failure.method, failed.failure.step) == ("train", 2)
        assert "told to raise in train after 1 steps" in failed.failure.traceback
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))
        assert loop.wait_for_slots()[: len(slots)] == slots

    def test_lanes_of_one_assignment_are_each_trained_as_if_alone(self, loop: ControlLoop) -> None:
        together = only(CheckpointWritten, loop.run(toy().workload, lane(stage(1, 0, 3)), lane(stage(2, 0, 2, lr=0.2))))
        (one,) = only(CheckpointWritten, loop.run(toy().workload, lane(stage(1, 0, 3))))
        (other,) = only(CheckpointWritten, loop.run(toy().workload, lane(stage(2, 0, 2, lr=0.2))))
        alone = {0: one.checkpoint.state_hash, 1: other.checkpoint.state_hash}
        assert {event.lane: event.checkpoint.state_hash for event in together} == alone

    def test_lanes_that_come_by_one_point_write_checkpoints_of_their_own(self, loop: ControlLoop) -> None:
        lanes = (lane(stage(1, 0, 2), stage(2, 2, 3)), lane(stage(1, 0, 2), stage(3, 2, 3)))
        written = only(CheckpointWritten, loop.run(toy().workload, *lanes))
        assert sorted((event.lane, event.node, event.step) for event in written) == [
            (0, 1, 2), (0, 2, 3), (1, 1, 2), (1, 3, 3),
        ]  # fmt: skip
        assert len({event.checkpoint.key for event in written}) == 4

    def test_each_lane_follows_the_commands_that_are_for_it(self, loop: ControlLoop, tmp_path: Path) -> None:
        lanes = [lane(stage(node, 0, 5, boundary=RESIDENT)) for node in (1, 2)]
        add = AddBoundary(lease=LATER, lane=1, node=NodeId(2), step=2, boundary=Boundary())
        shorten = Shorten(lease=LATER, lane=1, node=NodeId(2), step=4)
        unknown = AddBoundary(lease=LATER, lane=2, node=NodeId(2), step=2, boundary=Boundary())
        events = self.run_with_commands(loop, tmp_path / "gate", lanes, add, shorten, unknown)
        assert [(event.lane, event.accepted) for event in only(BoundaryAnswered, events)] == [(1, True), (2, False)]
        assert [(event.lane, event.step) for event in only(CheckpointWritten, events)] == [(1, 2), (1, 4)]
        assert sorted((event.lane, event.step) for event in only(StateHashed, events)) == [(0, 5)]

    def test_a_stop_ends_all_lanes(self, loop: ControlLoop, tmp_path: Path) -> None:
        lanes = [lane(stage(node, 0, 1000)) for node in (1, 2)]
        events = self.run_with_commands(loop, tmp_path / "gate", lanes, Stop(lease=LATER))
        steps, written = only(StepDone, events), only(CheckpointWritten, events)
        assert {event.step for event in steps} == {1}  # an engine that walks lanes at once stops them all there
        assert [(event.lane, event.step) for event in written] == [(event.lane, event.step) for event in steps]

    def test_a_lane_that_fails_leaves_the_others_alone(self, loop: ControlLoop) -> None:
        failing = toy(raise_in="train", raise_at=1, raise_if={"lr": 0.1})
        loop.open_workload(failing)
        events = loop.run(failing.workload, lane(stage(1, 0, 3)), lane(stage(2, 0, 3, lr=0.2)))
        assert [(event.lane, event.failure.step) for event in only(StageFailed, events)] == [(0, 2)]
        assert [event.step for event in only(StepDone, events) if event.lane == 1] == [1, 2, 3]
        assert [(event.lane, event.step) for event in only(CheckpointWritten, events)] == [(1, 3)]

    def test_a_lane_whose_state_is_nowhere_leaves_the_others_alone(self, loop: ControlLoop, folder: str) -> None:
        (half,) = only(CheckpointWritten, loop.run(toy().workload, lane(stage(1, 0, 2))))
        begin = replace(after(half), checkpoint=replace(half.checkpoint, key="lost"))
        with self.open_loop(folder) as other:
            events = other.run(toy().workload, lane(stage(1, 2, 4), begin=begin), lane(stage(2, 0, 1)))
        assert [event.lane for event in only(CheckpointUnusable, events)] == [0]
        assert [(event.lane, event.step) for event in only(CheckpointWritten, events)] == [(1, 1)]

    def test_a_slot_that_is_given_up_is_lost_with_its_reason_and_another_one_opens(
        self, loop: ControlLoop, tmp_path: Path
    ) -> None:
        gate = tmp_path / "gate"
        spec = ship(GatedTrainer, {"gate": str(gate)}, seed=0, evaluate_every=1, workload_key="gated")
        loop.open_workload(spec)
        slot = loop.wait_for_slots()[0]
        assert "pid" in loop.engine.describe(slot)
        loop.submit("gated", lane(stage(1, 0, 1000)))
        opener = threading.Timer(0.05, gate.touch)  # an engine without force waits for the step's end
        opener.start()
        loop.lose(slot, "it got stuck")
        lost = loop.serve_until(lambda events: only(SlotLost, events))
        opener.join()
        assert lost == [SlotLost(slot=slot, reason="it got stuck")]
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))

    def test_serving_ends_when_what_is_waited_for_is_done(self, loop: ControlLoop) -> None:
        done: concurrent.futures.Future[None] = concurrent.futures.Future()
        waiting = threading.Thread(target=loop.engine.serve, args=(done,))
        waiting.start()
        done.set_result(None)
        waiting.join(timeout=30)
        assert not waiting.is_alive()
        loop.engine.serve(done)

    def test_an_engine_that_was_never_used_closes(self, folder: str) -> None:
        ControlLoop(self.make_engine(), folder).close()
