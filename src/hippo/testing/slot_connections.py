"""Connections to the slots of an engine, by the names of both ends.

Each connection is a slot of its own for the control loop. Where one breaks, its slot is lost for good; what works
behind it is reached by another one, under another name. This module refuses to know when a connection breaks, and what
is said on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hippo.events import AssignmentDone, EngineEvent, LaneEvent, SlotLost, SlotOpened, StatesResident
from hippo.frozen import changed
from hippo.records import Command, LeaseId, SlotCommand, SlotId

_OF_A_SLOT = (SlotOpened, SlotLost, StatesResident, AssignmentDone)


@dataclass(slots=True, eq=False)
class SlotConnection:
    """A slot, as long as one connection to it lasts."""

    #: what the control loop calls it, and what the engine does
    outer: SlotId
    inner: SlotId
    opened: SlotOpened
    lease: LeaseId | None = None
    is_cut: bool = False
    #: what the worker says of its lanes when it is cut comes all the same
    has_late_words: bool = False
    #: what it said and nobody has heard yet, and for how many words of others this is so
    held: list[EngineEvent] = field(default_factory=list)
    held_for: int = 0
    #: said before, and to be heard after the next word
    overtaken: EngineEvent | None = None
    #: commands on their way to it
    commands: list[Command] = field(default_factory=list)

    def named(self, event: EngineEvent) -> EngineEvent:
        """Return what the slot says, under the name that the control loop has for it."""
        return changed(event, slot=self.outer) if isinstance(event, _OF_A_SLOT) else event

    def take_held(self) -> list[EngineEvent]:
        """Return all that nobody has heard yet, in its order."""
        overtaken = [] if self.overtaken is None else [self.overtaken]
        held, self.held, self.held_for, self.overtaken = [*self.held, *overtaken], [], 0, None
        return held


class SlotConnections:
    """Those that there are. It iterates over one for each of the engine's slots, as they are when that begins."""

    def __init__(self) -> None:
        #: those that the control loop knows, and those that the engine's slots have now
        self._outer: dict[SlotId, SlotConnection] = {}
        self._inner: dict[SlotId, SlotConnection] = {}
        #: also of leases that have ended
        self._leases: dict[LeaseId, SlotConnection] = {}
        self._opened = 0

    def __iter__(self) -> Iterator[SlotConnection]:
        return iter(list(self._inner.values()))

    def known(self, outer: SlotId) -> SlotConnection | None:
        """Return the one that the control loop calls so; None if it was told as lost."""
        return self._outer.get(outer)

    def of(self, event: EngineEvent) -> SlotConnection | None:
        """Return the one on which the engine says something; None if it is about no slot."""
        if isinstance(event, _OF_A_SLOT):
            return self._inner.get(event.slot)
        return self._leases.get(event.lease) if isinstance(event, LaneEvent) else None

    def to(self, command: Command) -> SlotConnection | None:
        """Return the one that leads to whom a command is for; None if nobody is there any more."""
        if isinstance(command, SlotCommand):
            return self._outer.get(command.slot)
        connection = self._leases.get(command.lease)
        return None if connection is None or connection.is_cut or connection.lease != command.lease else connection

    def open(self, opened: SlotOpened) -> SlotConnection:
        """Connect to a slot of the engine's, under a name of its own."""
        self._opened += 1
        outer = SlotId(f"{opened.slot}~{self._opened}")
        connection = self._outer[outer] = self._inner[opened.slot] = SlotConnection(outer, opened.slot, opened)
        return connection

    def assign(self, connection: SlotConnection, lease: LeaseId) -> None:
        """Note whose work a slot does."""
        connection.lease = lease
        self._leases[lease] = connection

    def cut(self, connection: SlotConnection) -> None:
        """Break one: the control loop knows it no longer, and what is on its way to the slot is lost."""
        connection.is_cut, connection.commands = True, []
        del self._outer[connection.outer]

    def is_current(self, connection: SlotConnection) -> bool:
        """Tell whether its slot is there, and has no newer connection."""
        return self._inner.get(connection.inner) is connection

    def forget(self, connection: SlotConnection) -> None:
        """Forget a slot that the engine has lost."""
        if self.is_current(connection):
            del self._inner[connection.inner]
        self._outer.pop(connection.outer, None)

    def clear(self) -> None:
        """Forget all: the engine was closed."""
        self._outer.clear()
        self._inner.clear()
        self._leases.clear()
