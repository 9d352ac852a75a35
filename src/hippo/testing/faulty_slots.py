"""What the slots of an engine say, and are told, on connections that are slow, stutter and break.

A connection holds back what its slot says, or changes the order of it, but for this: what ends an assignment or a slot
never overtakes what was said before. Where a connection breaks its slot is told as lost. The worker behind it does not
know, and trains to the end of its assignment; then its slot opens under another name.

This module refuses to know when anything breaks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hippo.engines.engine import Emit
from hippo.events import AssignmentDone, EngineEvent, LaneEvent, SlotLost, SlotOpened
from hippo.records import Assignment, Command, SlotCommand, SlotId
from hippo.testing.fault_book import INJECTED, TakenFault
from hippo.testing.fault_plans import FaultKind
from hippo.testing.slot_connections import SlotConnection, SlotConnections

_CUTS = frozenset({FaultKind.CUT_SLOT, FaultKind.CUT_SLOT_LATE_WORDS})


class FaultySlots:
    """Words and commands under way.

    Args:
      emit: hears what the slots say.
      send: takes what they are told.
    """

    def __init__(self, emit: Emit, send: Callable[[Command], None]) -> None:
        self.connections = SlotConnections()
        self._emit = emit
        self._send = send
        #: words that come once more, each after so many others
        self._again: list[tuple[int, EngineEvent]] = []

    # --- what the control loop says

    def submit(self, assignment: Assignment) -> SlotId | None:
        """Note who works at what; return the engine's name of the slot, None if its loss was told."""
        connection = self.connections.known(assignment.slot)
        if connection is None:
            return None
        self._deliver(connection)
        self.connections.assign(connection, assignment.lease)
        return connection.inner

    def send(self, command: Command, kind: FaultKind | None) -> None:
        """Pass a command on, or keep it for later, or pass it twice."""
        connection = self.connections.to(command)
        if connection is None:
            return
        connection.commands += [command] * (2 if kind is FaultKind.DUPLICATE_COMMAND else 1)
        if kind is not FaultKind.DELAY_COMMANDS:
            self._deliver(connection)

    def _deliver(self, connection: SlotConnection) -> None:
        commands, connection.commands = connection.commands, []
        for command in commands:
            self._send(replace(command, slot=connection.inner) if isinstance(command, SlotCommand) else command)

    # --- what the engine says

    def fits(self, kind: FaultKind, event: EngineEvent) -> bool:
        """Tell whether a fault can come at this word."""
        connection = self.connections.of(event)
        if connection is None or connection.is_cut:
            return False
        if kind is FaultKind.DUPLICATE_EVENT:  # the second one never comes before the first
            return not connection.held_for and connection.overtaken is None
        if kind is FaultKind.DELAY_EVENTS:
            return not connection.held_for
        if kind is FaultKind.SWAP_EVENTS:
            return isinstance(event, LaneEvent) and connection.overtaken is None
        return not isinstance(event, SlotOpened | SlotLost)

    def hear(self, event: EngineEvent, taken: TakenFault | None) -> None:
        """Pass a word on, with what goes wrong with it."""
        connection = self.connections.open(event) if isinstance(event, SlotOpened) else self.connections.of(event)
        if connection is None:
            self._tell(event)
            return
        if connection.is_cut:
            self._hear_cut(connection, event)
            return
        self._deliver(connection)
        if isinstance(event, AssignmentDone):
            connection.lease = None
        if taken is not None and taken.kind in _CUTS:
            self._cut(connection, event, has_late_words=taken.kind is FaultKind.CUT_SLOT_LATE_WORDS)
            return
        self._pass(connection, event, taken)
        if isinstance(event, SlotLost):
            self._flush(connection)
            self.connections.forget(connection)

    def _pass(self, connection: SlotConnection, event: EngineEvent, taken: TakenFault | None) -> None:
        word = connection.named(event)
        match taken.kind if taken is not None else None:
            case FaultKind.DUPLICATE_EVENT if taken is not None:
                self._again.append((taken.amount, word))
            case FaultKind.DELAY_EVENTS if taken is not None:
                connection.held_for = taken.amount
            case FaultKind.SWAP_EVENTS:
                connection.overtaken = word
                return
        overtaken, connection.overtaken = connection.overtaken, None
        words = [word] if overtaken is None else [overtaken, word]
        if isinstance(overtaken, LaneEvent) and isinstance(word, LaneEvent) and overtaken.lease == word.lease:
            words.reverse()
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
        for connection in self.connections:
            if connection.held_for:
                connection.held_for -= 1
                if not connection.held_for:
                    self._flush(connection)

    def _flush(self, connection: SlotConnection) -> None:
        for word in connection.take_held():
            self._tell(word)

    # --- broken connections

    def _cut(self, connection: SlotConnection, event: EngineEvent, *, has_late_words: bool) -> None:
        self.connections.cut(connection)
        connection.has_late_words = has_late_words
        late = [*connection.take_held(), event]
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
        elif isinstance(event, SlotLost):
            self.connections.forget(connection)
        elif isinstance(event, AssignmentDone):
            self._connect_again(connection)

    def _connect_again(self, connection: SlotConnection) -> None:
        if self.connections.is_current(connection):
            again = self.connections.open(connection.opened)
            self._tell(again.named(again.opened))

    # --- in the end

    @property
    def is_any_held(self) -> bool:
        """Whether anything waits for other words, or for time to pass."""
        waiting = (each.held or each.overtaken or each.commands for each in self.connections)
        return bool(self._again) or any(map(bool, waiting))

    def release(self) -> None:
        """Let all that is held back go."""
        again, self._again = self._again, []
        for _, word in again:
            self._emit(word)
        for connection in self.connections:
            self._deliver(connection)
            self._flush(connection)

    def clear(self) -> None:
        """Forget all: the engine was closed."""
        self.connections.clear()
        self._again.clear()
