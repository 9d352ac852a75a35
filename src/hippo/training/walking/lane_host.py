"""What an engine lends to the lanes that it runs. This module refuses to know how lanes use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hippo.checkpoints import AbstractCheckpointStore
from hippo.clock import Clock
from hippo.events import LaneEvent, StatesResident
from hippo.records import LeaseCommand
from hippo.training.live_states import HeldState
from hippo.training.walking.residents import ResidentStates
from hippo.training.walking.standing import StandingWalker


class LaneHost(Protocol):
    """What an engine lends to the lanes that it runs."""

    clock: Clock
    checkpoints: AbstractCheckpointStore
    residents: ResidentStates[HeldState]
    #: the walker that the slot's last lane left where it ended
    standing: StandingWalker

    def emit(self, event: LaneEvent | StatesResident) -> None:
        """Pass an event on, in order."""

    def poll(self) -> Sequence[LeaseCommand]:
        """Return the commands that arrived since the last call; never blocks."""

    def wait(self, seconds: float) -> Sequence[LeaseCommand]:
        """Return the commands that arrive within so many seconds, as soon as there are any."""
