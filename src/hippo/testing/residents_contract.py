"""What every slot must do with the states in its memory, as tests to inherit; part of `EngineContract`.

An engine that does not train, such as a simulated one, keeps this part alone: what it holds may be anything, but what
is there, what goes, and what is told of it must be the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import pytest

from hippo.engines import AbstractEngine
from hippo.events import CheckpointUnusable, EngineEvent, StatesResident, StepDone
from hippo.records import Boundary, Drop, Keep, LaneStart, NodeId, Pin, Point, SlotCommand, SlotId, TrainerSpec, Unpin
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.trainers import ToyTrainer
from hippo.training.code.shipping import ship
from hippo.training.codec import encode

Event = TypeVar("Event")

TRANSIENT = Boundary(evaluate=False, keep=Keep.TRANSIENT)


def toy(**arguments: object) -> TrainerSpec:
    """Return a workload of a ToyTrainer, named after its arguments."""
    return ship(ToyTrainer, arguments, seed=0, evaluate_every=1, workload_key=f"toy {arguments}")


def toy_bytes() -> int:
    """Return what a state of a `ToyTrainer` takes of a slot's memory."""
    trainer = ToyTrainer()
    trainer.build()
    return encode(trainer.state_dict()).size_bytes


def only(kind: type[Event], events: Sequence[EngineEvent]) -> list[Event]:
    """Return the events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def point(node: int, step: int = 2) -> Point:
    return Point(NodeId(node), step)


class ResidentsContract:
    """Subclass it, and define `make_small_engine`."""

    def make_small_engine(self) -> AbstractEngine:
        """Return a new engine whose slots have room for two states of a `ToyTrainer`."""
        raise NotImplementedError

    @pytest.fixture
    def small(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlLoop]:
        """An engine with little memory at work, with the workload `toy()`."""
        with ControlLoop(self.make_small_engine(), str(tmp_path_factory.mktemp("states"))) as loop:
            loop.open_workload(toy())
            yield loop

    def hold(self, loop: ControlLoop, *nodes: int) -> None:
        """Have the first slot hold the state of each of these nodes after two steps, one after the other."""
        for node in nodes:
            loop.run(toy().workload, lane(stage(node, 0, 2, boundary=TRANSIENT)))

    def can_go_on(self, loop: ControlLoop, node: int) -> bool:
        """Tell whether a lane of the first slot can begin from the state of a node; it leaves none behind."""
        begin = LaneStart(node=NodeId(node), step=2, checkpoint=None, pieces=stage(node, 0, 2).pieces)
        steps = stage(node, 2, 3, boundary=Boundary(evaluate=False, keep=Keep.NOTHING))
        events = loop.run(toy().workload, lane(steps, begin=begin))
        assert bool(only(StepDone, events)) != bool(only(CheckpointUnusable, events))
        return bool(only(StepDone, events))

    def command(
        self, loop: ControlLoop, kind: type[Pin] | type[Unpin] | type[Drop], *nodes: int, slot: SlotId | None = None
    ) -> None:
        """Send a command about the states of these nodes to the first slot, or another one."""
        points = tuple(point(node) for node in nodes)
        command: SlotCommand = kind(slot=slot or loop.wait_for_slots()[0], workload=toy().workload, points=points)
        loop.send(command)

    def resident(self, loop: ControlLoop) -> list[int]:
        """Return the nodes whose states are resident, as was told, in the order of their coming."""
        known: dict[Point, None] = {}
        for event in only(StatesResident, loop.events):
            known |= dict.fromkeys(event.added)
            for gone in event.dropped:
                known.pop(gone, None)
        return [node for node, _ in known]

    def wait_resident(self, loop: ControlLoop, *nodes: int) -> None:
        """Wait until the states of these nodes are told to be resident, and no others."""
        loop.serve_until(lambda _: sorted(self.resident(loop)) == sorted(nodes))

    def test_the_state_used_longest_ago_goes_when_there_is_no_room_and_that_is_told(self, small: ControlLoop) -> None:
        self.hold(small, 1, 2, 3)
        self.wait_resident(small, 2, 3)
        assert [self.can_go_on(small, node) for node in (1, 2, 3)] == [False, True, True]

    def test_a_state_that_is_dropped_is_gone_and_that_is_told(self, small: ControlLoop) -> None:
        self.hold(small, 1, 2)
        self.command(small, Drop, 1)
        self.wait_resident(small, 2)
        assert [self.can_go_on(small, node) for node in (1, 2)] == [False, True]

    def test_what_is_dropped_makes_room(self, small: ControlLoop) -> None:
        self.hold(small, 1, 2)
        self.command(small, Drop, 2)
        self.hold(small, 3)
        self.wait_resident(small, 1, 3)

    def test_a_state_that_was_gone_when_it_was_to_be_dropped_is_told_to_be_gone(self, small: ControlLoop) -> None:
        self.hold(small, 1)
        self.command(small, Drop, 8)
        gone = small.serve_until(lambda events: [e for e in only(StatesResident, events) if e.dropped])
        assert [event.dropped for event in gone] == [(point(8),)]
        assert self.can_go_on(small, 1)

    def test_a_pinned_state_stays_whatever_comes(self, small: ControlLoop) -> None:
        self.hold(small, 1)
        self.command(small, Pin, 1)
        self.hold(small, 2, 3, 4)
        self.wait_resident(small, 1, 4)
        assert [self.can_go_on(small, node) for node in (1, 3)] == [True, False]

    def test_a_state_may_be_pinned_before_it_is_there(self, small: ControlLoop) -> None:
        self.hold(small, 1)
        self.command(small, Pin, 2)
        self.hold(small, 2, 3, 4)
        self.wait_resident(small, 2, 4)

    def test_pinned_states_may_fill_more_than_the_memory_and_then_nothing_else_stays(self, small: ControlLoop) -> None:
        self.hold(small, 9)
        self.command(small, Pin, 1, 2, 3)
        self.hold(small, 1, 2, 3, 4)
        self.wait_resident(small, 1, 2, 3)
        assert self.can_go_on(small, 1)

    def test_a_pinned_state_is_not_dropped(self, small: ControlLoop) -> None:
        self.hold(small, 1, 2)
        self.command(small, Pin, 1)
        self.command(small, Drop, 1, 2)
        self.wait_resident(small, 1)
        assert self.can_go_on(small, 1)

    def test_a_state_that_is_no_longer_pinned_goes_as_others_do(self, small: ControlLoop) -> None:
        self.hold(small, 1)
        self.command(small, Pin, 1)
        self.hold(small, 2)
        self.command(small, Unpin, 1)
        self.wait_resident(small, 1, 2)
        self.hold(small, 3)
        self.wait_resident(small, 2, 3)

    def test_when_too_many_were_pinned_some_go_as_they_no_longer_are(self, small: ControlLoop) -> None:
        self.hold(small, 9)
        self.command(small, Pin, 1, 2, 3)
        self.hold(small, 1, 2, 3)
        self.command(small, Unpin, 1, 2, 3)
        self.wait_resident(small, 2, 3)

    def test_commands_about_states_are_for_one_slot_and_one_plan(self, small: ControlLoop) -> None:
        self.hold(small, 1, 2)  # a lane may go on from where the last one stands, whatever is in memory
        self.command(small, Drop, 1, slot=SlotId("another"))
        small.send(Drop(slot=small.wait_for_slots()[0], workload="another", points=(point(1),)))
        assert self.can_go_on(small, 1)
