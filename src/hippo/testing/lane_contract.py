"""What every engine must do with lanes, as tests to inherit; part of `EngineContract`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hippo.events import (
    BoundaryAnswered,
    CheckpointUnusable,
    CheckpointWritten,
    Evaluated,
    StageFailed,
    StateHashed,
    StepDone,
)
from hippo.records import AddBoundary, Boundary, NodeId, Shorten, Stop
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import after, lane, stage
from hippo.testing.part_of_engine_contract import LATER, RESIDENT, EngineContractPart
from hippo.testing.residents_contract import only, toy


class LaneContract(EngineContractPart):
    """One lane: what it tells, and what it begins from."""

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


class LanesContract(EngineContractPart):
    """Several lanes in one assignment: each is as if it were alone, whoever walks them."""

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
