"""What the parts of `EngineContract` have in common: how an engine is made, and how it is put to work.

Where a command must reach a lane in time, its trainer waits at a gate, so that no test depends on who is faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hippo.engines import AbstractEngine
from hippo.events import EngineEvent
from hippo.records import Boundary, Keep, Lane, LaneStage, LeaseCommand, LeaseId, TrainerSpec
from hippo.testing.control_loop import ControlLoop
from hippo.testing.gated_trainer import GatedTrainer
from hippo.testing.lanes import lane
from hippo.testing.residents_contract import toy
from hippo.training.code.shipping import ship

RESIDENT = Boundary(keep=Keep.RESIDENT)
#: of a command whose lease is not known yet
LATER = LeaseId(0)


def gated(gate: Path) -> TrainerSpec:
    """Return a workload of a trainer that waits at a gate; it is named after that."""
    return ship(GatedTrainer, {"gate": str(gate)}, seed=0, evaluate_every=1, workload_key=f"gated {gate}")


class EngineContractPart:
    """Questions to an engine at work. Subclass one of its subclasses, and define `make_engine`."""

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

    def run_with_command(
        self, loop: ControlLoop, gate: Path, steps: LaneStage, command: LeaseCommand
    ) -> list[EngineEvent]:
        """Run a stage that gets a command before the end of its first step; return its events."""
        return self.run_with_commands(loop, gate, (lane(steps),), command)

    def run_with_commands(
        self, loop: ControlLoop, gate: Path, lanes: Sequence[Lane], *commands: LeaseCommand
    ) -> list[EngineEvent]:
        """Run lanes that get commands before the end of the first step of the first one; return their events."""
        spec = gated(gate)
        loop.open_workload(spec)
        lease = loop.submit(spec.workload, *lanes)
        for command in commands:
            loop.send(replace(command, lease=lease))
        self.let_arrive(loop)
        gate.touch()
        return loop.finish(lease)

    def let_arrive(self, loop: ControlLoop) -> None:
        """Wait until workers have what the loop has sent, where that takes its time: a gate opens at once."""
