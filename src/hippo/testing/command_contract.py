"""What every engine must do with commands to a lane under way, as tests to inherit; part of `EngineContract`."""

from __future__ import annotations

from pathlib import Path

from hippo.events import BoundaryAnswered, CheckpointWritten, StatesResident, StepDone
from hippo.records import AddBoundary, Boundary, Drop, LaneStart, NodeId, Shorten, Stop
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.part_of_engine_contract import LATER, EngineContractPart, gated
from hippo.testing.residents_contract import TRANSIENT, only, point, toy


class CommandContract(EngineContractPart):
    """Commands that are in time change where a lane ends, and what it leaves; those that are not change nothing."""

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
        lease = loop.submit(toy().workload, lane(stage(1, 0, 2)))
        loop.finish(lease)
        loop.send(Stop(lease=lease))
        events = loop.run(toy().workload, lane(stage(2, 0, 3)))
        assert [event.step for event in only(StepDone, events)] == [1, 2, 3]

    def test_a_state_that_is_dropped_while_a_lane_goes_on_from_it_changes_nothing_for_the_lane(
        self, loop: ControlLoop, tmp_path: Path
    ) -> None:
        gate = tmp_path / "gate"
        gate.touch()
        spec = gated(gate)
        loop.open_workload(spec)
        loop.run(spec.workload, lane(stage(1, 0, 2, boundary=TRANSIENT)))
        (whole,) = only(CheckpointWritten, loop.run(spec.workload, lane(stage(2, 0, 4))))
        gate.unlink()
        begin = LaneStart(node=NodeId(1), step=2, checkpoint=None, pieces=stage(1, 0, 2).pieces)
        lease = loop.submit(spec.workload, lane(stage(1, 2, 4), begin=begin))
        loop.send(Drop(slot=loop.wait_for_slots()[0], workload=spec.workload, points=(point(1),)))
        self.let_arrive(loop)
        gate.touch()
        (written,) = only(CheckpointWritten, loop.finish(lease))
        assert written.checkpoint.state_hash == whole.checkpoint.state_hash
        dropped = [event.dropped for event in only(StatesResident, loop.events) if event.dropped]
        assert dropped == [(point(1),)]
