"""What every engine must do, as tests to inherit: a new engine subclasses `EngineContract` and says how it is made."""

from __future__ import annotations

from hippo.engines.hosted import HostedEngine
from hippo.events import SlotOpened
from hippo.testing.command_contract import CommandContract
from hippo.testing.control_loop import ControlLoop
from hippo.testing.fused_lanes_contract import FusedLanesContract
from hippo.testing.lane_contract import LaneContract, LanesContract
from hippo.testing.residents_contract import ResidentsContract, only
from hippo.testing.slot_contract import SlotContract


class EngineContract(LaneContract, LanesContract, FusedLanesContract, CommandContract, SlotContract, ResidentsContract):
    """All questions to an engine that trains. Subclass it, and define `make_engine` and `make_small_engine`."""


class HostedEngineContract(EngineContract):
    """The same to an engine whose commands travel: before a test goes on, they have arrived."""

    def let_arrive(self, loop: ControlLoop) -> None:
        assert isinstance(loop.engine, HostedEngine)
        loop.run_coroutine(loop.engine.settle())

    def test_a_slot_says_on_which_node_it_is(self, loop: ControlLoop) -> None:
        loop.wait_for_slots()
        assert all(event.node for event in only(SlotOpened, loop.events))
