"""The engine that trains nothing keeps an engine's promises about events."""

from __future__ import annotations

import asyncio

import pytest

from hippo.checkpoints import MemoryCheckpoints
from hippo.clock import SystemClock
from hippo.events import AssignmentDone, CheckpointWritten, EngineEvent, Evaluated, SlotOpened, StateHashed, StepDone
from hippo.records import (
    Assignment,
    Boundary,
    Keep,
    Lane,
    LaneStage,
    LeaseId,
    NodeId,
    Objective,
    SlotId,
    TrainerSpec,
)
from hippo.testing.fake_engine import FakeEngine

SPEC = TrainerSpec(
    workload="w",
    reference="nowhere:Trainer",
    pickled=None,
    arguments="{}",
    search_path=(),
    seed=0,
    evaluate_every=2,
)


def stage(start: int, stop: int, boundary: Boundary) -> LaneStage:
    return LaneStage(node=NodeId(1), start=start, stop=stop, pieces={}, boundary=boundary)


def events_of(*stages: LaneStage) -> list[EngineEvent]:
    """Open one slot, run the stages there as one lane, and return what was emitted after the slot opened."""

    async def run() -> list[EngineEvent]:
        events: list[EngineEvent] = []
        engine = FakeEngine(slots=1)
        engine.start(events.append, checkpoints=MemoryCheckpoints(), clock=SystemClock())
        engine.open_workload(SPEC)
        assert events == []  # never from within a call
        lanes = (Lane(begin=None, stages=stages),)
        await asyncio.sleep(0)
        engine.submit(
            Assignment(lease=LeaseId(7), prefix="p", slot=SlotId("fake-0"), workload="w", lanes=lanes),
        )
        await asyncio.sleep(0)
        assert isinstance(events[0], SlotOpened)
        return events[1:]

    return asyncio.run(run())


def test_a_lane_is_answered_step_by_step_and_then_done() -> None:
    events = events_of(stage(0, 3, Boundary()))

    assert [event.step for event in events if isinstance(event, StepDone)] == [1, 2, 3]
    assert [event.step for event in events if isinstance(event, Evaluated)] == [2, 3]
    assert isinstance(events[-1], AssignmentDone)


def test_a_stage_without_steps_is_evaluated() -> None:
    events = events_of(stage(2, 2, Boundary()))

    assert [type(event) for event in events] == [Evaluated, CheckpointWritten, AssignmentDone]


@pytest.mark.parametrize(
    ("keep", "threshold", "written"),
    [
        (Keep.WRITTEN, None, True),
        (Keep.RESIDENT, None, False),
        (Keep.IF_BEST, None, True),
        (Keep.IF_BEST, 2.0, True),
        (Keep.IF_BEST, 1.0, False),
    ],
)
def test_a_state_is_written_as_its_boundary_says(keep: Keep, threshold: float | None, written: bool) -> None:
    boundary = Boundary(keep=keep, threshold=threshold, objective=Objective(metric="loss", mode="min"))

    kinds = {type(event) for event in events_of(stage(0, 1, boundary))}

    assert (CheckpointWritten in kinds, StateHashed in kinds) == (written, not written)
