"""A host for lanes that only remembers, and short ways to write assignments along a config. For tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints
from hippo.clock import Clock, SystemClock
from hippo.events import CheckpointWritten, Evaluated, StateHashed, StepDone
from hippo.hparams import Config, Piece, path
from hippo.records import (
    Assignment,
    Boundary,
    CheckpointRef,
    Fusion,
    Keep,
    Lane,
    LaneStage,
    LaneStart,
    LeaseCommand,
    LeaseId,
    NodeId,
    SlotId,
    TrainerSpec,
)
from hippo.testing.trainers import ToyTrainer
from hippo.training import ResidentStates, Trainer, Trainers, run_assignment, ship
from hippo.training.live_states import HeldState
from hippo.training.walking.standing import StandingWalker

SLOT = SlotId("slot")


@dataclass
class RememberingHost:
    """Keeps every event, and hands out the commands that `on_poll` returns."""

    clock: Clock = field(default_factory=SystemClock)
    checkpoints: AbstractCheckpointStore = field(default_factory=MemoryCheckpoints)
    residents: ResidentStates[HeldState] = field(default_factory=ResidentStates)
    standing: StandingWalker = field(default_factory=StandingWalker)
    events: list[Any] = field(default_factory=list)
    on_poll: Callable[[], Sequence[LeaseCommand]] = tuple

    def emit(self, event: Any) -> None:
        self.events.append(event)

    def poll(self) -> Sequence[LeaseCommand]:
        return self.on_poll()

    def wait(self, seconds: float) -> Sequence[LeaseCommand]:
        return self.poll()

    def of(self, kind: type) -> list[Any]:
        """The events of this kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def one(self, kind: type) -> Any:
        """The only event of this kind."""
        (event,) = self.of(kind)
        return event

    @property
    def metrics(self) -> dict[int, Mapping[str, float]]:
        """What `evaluate` returned, by step."""
        return {event.step: event.metrics for event in self.of(Evaluated)}

    @property
    def training(self) -> dict[int, Mapping[str, float]]:
        """What `train` returned, by the step that it made."""
        return {event.step: event.training for event in self.of(StepDone)}

    @property
    def hashes(self) -> dict[int, str]:
        """State hashes by step, written or not."""
        written = {event.step: event.checkpoint.state_hash for event in self.of(CheckpointWritten)}
        return written | {event.step: event.state_hash for event in self.of(StateHashed)}

    def checkpoint(self, step: int) -> CheckpointRef:
        """The checkpoint written at `step`."""
        (event,) = (event for event in self.of(CheckpointWritten) if event.step == step)
        return cast(CheckpointRef, event.checkpoint)


def pieces_at(config: Mapping[str, Any], step: int) -> Mapping[str, Piece]:
    """The pieces in force in the step after `step` steps."""
    *_, (_, pieces) = path(Config(config), step + 1)
    return pieces


def stages(config: Mapping[str, Any], start: int, stop: int, *, keep: Keep = Keep.WRITTEN) -> tuple[LaneStage, ...]:
    """The stages of a lane over (start, stop]; nodes are numbered from 0 as the pieces change."""
    starts = [begin for begin, _ in path(Config(config), stop)]
    found = []
    for number, begin in enumerate(starts):
        first, end = max(begin, start), min([*starts[number + 1 :], stop])
        if first < end:
            pieces, boundary = pieces_at(config, first), Boundary(keep=keep)
            found.append(LaneStage(node=NodeId(number), start=first, stop=end, pieces=pieces, boundary=boundary))
    return tuple(found)


def start_at(config: Mapping[str, Any], step: int, checkpoint: CheckpointRef | None = None) -> LaneStart:
    """The point after `step` steps of `config`, as a place to begin."""
    node = stages(config, 0, step)[-1].node
    return LaneStart(node=node, step=step, checkpoint=checkpoint, pieces=pieces_at(config, step - 1))


def spec_of(
    trainer: type[Trainer] = ToyTrainer,
    /,
    *,
    seed: int = 0,
    evaluate_every: int = 1,
    numerics: str = "exact",
    **args: Any,
) -> TrainerSpec:
    """How `trainer` with these arguments travels."""
    return ship(trainer, args, seed=seed, evaluate_every=evaluate_every, workload_key="w", numerics=numerics)


def run_lanes(
    *lanes: Lane,
    spec: TrainerSpec | None = None,
    host: RememberingHost | None = None,
    trainers: Trainers | None = None,
    lease: int = 1,
    checkpoint_every_s: float = 300.0,
    fusion: Fusion | None = None,
) -> RememberingHost:
    """Walk these lanes and return the host, with the events that it was given."""
    host = host or RememberingHost()
    assignment = Assignment(
        lease=LeaseId(lease),
        prefix=f"p1/e1-l{lease}",
        slot=SLOT,
        workload="w",
        lanes=lanes,
        checkpoint_every_s=checkpoint_every_s,
        fusion=fusion,
    )
    run_assignment(assignment, spec or spec_of(), trainers or Trainers(), host, SLOT)
    return host


def along(config: Mapping[str, Any], until: int, **changes: Any) -> RememberingHost:
    """Walk `config` from a fresh state in one lane; `changes` go to `run_lanes`."""
    return run_lanes(Lane(begin=None, stages=stages(config, 0, until)), **changes)


def resumed(
    config: Mapping[str, Any], start: int, until: int, host: RememberingHost, **changes: Any
) -> RememberingHost:
    """Walk `config` from the checkpoint that `host` has of step `start`, in a host that shares only the store."""
    begin = start_at(config, start, host.checkpoint(start))
    elsewhere = RememberingHost(checkpoints=host.checkpoints)
    return run_lanes(Lane(begin=begin, stages=stages(config, start, until)), host=elsewhere, lease=2, **changes)
