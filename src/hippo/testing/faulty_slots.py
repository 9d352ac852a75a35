"""The slots of an engine behind connections that break: each connection is a slot of its own for who hears of it.

A connection holds back what its slot says, or changes the order of it, but for this: what ends an assignment or a slot
never overtakes what was said before. Where a connection breaks its slot is told as lost. The worker behind it does not
know, and trains to the end of its assignment; then its slot opens under another name.

This module refuses to know when anything breaks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from hippo.engines.engine import Emit
from hippo.events import AssignmentDone, EngineEvent, LaneEvent, SlotLost, SlotOpened, StatesResident
from hippo.frozen import changed
from hippo.records import Assignment, Command, LeaseId, SlotCommand, SlotId
from hippo.testing.fault_book import INJECTED, TakenFault
from hippo.testing.fault_plans import FaultKind

Send = Callable[[Command], None]

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


class FaultySlots:
    """Connections by the names of both ends, and what is under way on them.

    Args:
      emit: hears what the slots say.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        #: those that the control loop knows, and those that the engine's slots have now
        self._outer: dict[SlotId, SlotConnection] = {}
        self._inner: dict[SlotId, SlotConnection] = {}
        #: also of leases that have ended
        self._leases: dict[LeaseId, SlotConnection] = {}
        self._opened = 0
        #: words that come once more, each after so many others
        self._again: list[tuple[int, EngineEvent]] = []

    # --- who is meant

    def inner(self, outer: SlotId) -> SlotId | None:
        """Return what the engine calls a slot; None if the connection is cut."""
        connection = self._outer.get(outer)
        return None if connection is None else connection.inner

    def inner_of(self, event: EngineEvent) -> SlotId | None:
        """Return which of the engine's slots says something; None if it is none, or is not heard any more."""
        connection = self._connection(event)
        return None if connection is None or connection.is_cut else connection.inner

    def name(self, event: EngineEvent) -> str:
        """Return what the control loop calls the slot that says something, for people."""
        connection = self._connection(event)
        return "no slot" if connection is None else connection.outer

    def reaches(self, command: Command) -> bool:
        """Tell whether there is a connection for a command."""
        return self._addressee(command) is not None

    def fits(self, kind: FaultKind, event: EngineEvent) -> bool:
        """Tell whether a fault can come at this word."""
        connection = self._connection(event)
        if connection is None or connection.is_cut:
            return False
        if kind is FaultKind.DUPLICATE_EVENT:  # the second one never comes before the first
            return not connection.held_for and connection.overtaken is None
        if kind is FaultKind.DELAY_EVENTS:
            return not connection.held_for
        if kind is FaultKind.SWAP_EVENTS:
            return isinstance(event, LaneEvent) and connection.overtaken is None
        return not isinstance(event, SlotOpened | SlotLost)

    def _connection(self, event: EngineEvent) -> SlotConnection | None:
        if isinstance(event, _OF_A_SLOT):
            return self._inner.get(event.slot)
        return self._leases.get(event.lease) if isinstance(event, LaneEvent) else None

    def _addressee(self, command: Command) -> SlotConnection | None:
        if isinstance(command, SlotCommand):
            return self._outer.get(command.slot)
        connection = self._leases.get(command.lease)
        return None if connection is None or connection.is_cut or connection.lease != command.lease else connection

    # --- what the control loop says

    def submit(self, assignment: Assignment, send: Send) -> SlotId | None:
        """Note who works at what; return the engine's name of the slot, None if its loss was told."""
        connection = self._outer.get(assignment.slot)
        if connection is None:
            return None
        self._deliver(connection, send)
        connection.lease = assignment.lease
        self._leases[assignment.lease] = connection
        return connection.inner

    def send(self, command: Command, send: Send, kind: FaultKind | None) -> None:
        """Pass a command on, or keep it for later, or twice."""
        connection = self._addressee(command)
        if connection is None:
            return
        connection.commands += [command] * (2 if kind is FaultKind.DUPLICATE_COMMAND else 1)
        if kind is not FaultKind.DELAY_COMMANDS:
            self._deliver(connection, send)

    def _deliver(self, connection: SlotConnection, send: Send) -> None:
        commands, connection.commands = connection.commands, []
        for command in commands:
            send(replace(command, slot=connection.inner) if isinstance(command, SlotCommand) else command)

    # --- what the engine says

    def hear(self, event: EngineEvent, taken: TakenFault | None, send: Send) -> None:
        """Pass a word on, with what goes wrong with it."""
        if isinstance(event, SlotOpened):
            self._open(event)
        connection = self._connection(event)
        if connection is None:
            self._tell(event)
            return
        if connection.is_cut:
            self._hear_cut(connection, event)
            return
        self._deliver(connection, send)
        word = self._renamed(connection, event)
        if isinstance(event, AssignmentDone):
            connection.lease = None
        match taken.kind if taken is not None else None:
            case FaultKind.CUT_SLOT | FaultKind.CUT_SLOT_LATE_WORDS if taken is not None:
                self._cut(connection, event, has_late_words=taken.kind is FaultKind.CUT_SLOT_LATE_WORDS)
                return
            case FaultKind.DUPLICATE_EVENT if taken is not None:
                self._again.append((taken.amount, word))
            case FaultKind.DELAY_EVENTS if taken is not None:
                connection.held_for = taken.amount
            case FaultKind.SWAP_EVENTS:
                connection.overtaken = word
                return
        self._pass(connection, word)
        if isinstance(event, SlotLost):
            self._flush(connection)
            self._forget(connection)

    def _pass(self, connection: SlotConnection, word: EngineEvent) -> None:
        words = [word]
        if connection.overtaken is not None:
            is_later = isinstance(word, LaneEvent) and word.lease == connection.overtaken.lease  # type: ignore[union-attr]
            words = [word, connection.overtaken] if is_later else [connection.overtaken, word]
            connection.overtaken = None
        if connection.held_for:
            connection.held += words
        else:
            for each in words:
                self._tell(each)

    def _tell(self, word: EngineEvent) -> None:
        """Tell a word; whoever waits for so many others to be told comes nearer."""
        self._emit(word)
        again, self._again = self._again, []
        for left, each in again:
            if left > 1:
                self._again.append((left - 1, each))
            else:
                self._emit(each)
        for connection in list(self._inner.values()):
            if connection.held_for:
                connection.held_for -= 1
                if not connection.held_for:
                    self._flush(connection)

    def _flush(self, connection: SlotConnection) -> None:
        connection.held_for = 0
        held, connection.held = connection.held, []
        if connection.overtaken is not None:
            held.append(connection.overtaken)
            connection.overtaken = None
        for word in held:
            self._tell(word)

    # --- connections come and go

    def _open(self, opened: SlotOpened) -> None:
        """Connect to a slot that the engine has opened, or whose worker has come to an end behind a broken one."""
        self._opened += 1
        outer = SlotId(f"{opened.slot}~{self._opened}")
        self._outer[outer] = self._inner[opened.slot] = SlotConnection(outer, opened.slot, opened)

    def _cut(self, connection: SlotConnection, event: EngineEvent, *, has_late_words: bool) -> None:
        connection.is_cut, connection.has_late_words = True, has_late_words
        late = [*connection.held, *([connection.overtaken] if connection.overtaken is not None else []), event]
        connection.held, connection.held_for, connection.overtaken, connection.commands = [], 0, None, []
        del self._outer[connection.outer]
        self._tell(SlotLost(slot=connection.outer, reason=f"{INJECTED} the connection broke"))
        for word in late:
            self._hear_cut(connection, word)
        if connection.lease is None:  # nothing runs there whose end could be waited for
            self._connect_again(connection)

    def _hear_cut(self, connection: SlotConnection, event: EngineEvent) -> None:
        """Hear a word of a worker that was told as lost."""
        if isinstance(event, LaneEvent):
            if connection.has_late_words:
                self._tell(event)
        elif isinstance(event, SlotLost) and self._inner.get(connection.inner) is connection:
            del self._inner[connection.inner]
        elif isinstance(event, AssignmentDone):
            self._connect_again(connection)

    def _connect_again(self, connection: SlotConnection) -> None:
        if self._inner.get(connection.inner) is not connection:
            return  # there is another connection already, or no slot any more
        self._open(connection.opened)
        new = self._inner[connection.inner]
        self._tell(changed(connection.opened, slot=new.outer))

    def _forget(self, connection: SlotConnection) -> None:
        del self._inner[connection.inner]
        del self._outer[connection.outer]

    @staticmethod
    def _renamed(connection: SlotConnection, event: EngineEvent) -> EngineEvent:
        return changed(event, slot=connection.outer) if isinstance(event, _OF_A_SLOT) else event

    # --- in the end

    @property
    def is_any_held(self) -> bool:
        """Whether anything waits for other words, or for time to pass."""
        waiting = (each.held or each.overtaken or each.commands for each in self._inner.values())
        return bool(self._again) or any(map(bool, waiting))

    def release(self, send: Send) -> None:
        """Let all that is held back go."""
        again, self._again = self._again, []
        for _, word in again:
            self._emit(word)
        for connection in list(self._inner.values()):
            self._deliver(connection, send)
            self._flush(connection)

    def clear(self) -> None:
        """Forget all: the engine was closed."""
        self._outer.clear()
        self._inner.clear()
        self._leases.clear()
        self._again.clear()
