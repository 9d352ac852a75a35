"""The states of one lane: out of the slot's memory or the store, and into them.

A state is encoded once for each step, whatever it is needed for: a fork, a file, its hash. A large one is written
beside the lane, which goes on; the lane's end, its next write, and its next state that is held in memory wait for that.
So nothing is told before it is durable, and at most one state waits in memory for the disk. This module refuses to know
when a state is due, which `hippo.lanes` says, and what is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from hippo.checkpoints import AbstractCheckpointStore
from hippo.errors import (
    CheckpointError,
    CorruptCheckpointError,
    MissingCheckpointError,
    StoreFullError,
    UnreachableStoreError,
    storable_text,
)
from hippo.events import (
    CheckpointFailed,
    CheckpointUnusable,
    CheckpointWritten,
    LaneEvent,
    LanePoint,
    StateHashed,
    StatesResident,
    at_point,
)
from hippo.lanes import Due, LaneProgress
from hippo.records import Assignment, LaneStart, LeaseCommand, NodeId, Point, SlotId
from hippo.training.bases import Bases
from hippo.training.codec import EncodedState, state_hash
from hippo.training.live_states import HeldState, encoded_state
from hippo.training.state_files import LOST, MakeBase, read_checkpoint, write_checkpoint
from hippo.training.walking.lane_host import LaneHost
from hippo.training.walking.lane_writer import LaneWriter
from hippo.training.walking.residents import told

#: how long a lane waits before it tries again: for room in a full store, or for one that cannot be reached
ROOM_RETRY_S = 5.0
#: a smaller state is written in place, by about a millisecond. A thread costs a fifth of that, and waits for its turn
#: at each of a dozen calls where the lane runs Python
LEAST_THREADED_BYTES = 1 << 18


class Encodes(Protocol):
    """What can copy the state where a lane stands."""

    def encode(self, node: NodeId) -> EncodedState:
        """Return a copy of the state there."""

    def copy(self, node: NodeId) -> HeldState:
        """Return a copy of the state there for this process alone, in whatever form."""


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class _StateWrite:
    """One state that is due to be written."""

    point: Point
    key: str
    state: EncodedState
    started_s: float
    #: a copy is held in memory already
    is_held: bool
    #: a boundary waits to hear of it
    is_owed: bool


class _StateReader:
    """Reads the states that lanes begin from."""

    def __init__(self, store: AbstractCheckpointStore, bases: Bases, *, keep_base: bool) -> None:
        self._store = store
        self._bases = bases
        self._keep_base = keep_base

    def read(self, begin: LaneStart, make_base: MakeBase) -> EncodedState:
        """Return the state.

        Raises:
          MissingCheckpointError: it was in memory only, or its file is not there.
          CheckpointError: its file cannot be read.
        """
        ref = begin.checkpoint
        if ref is None:
            raise MissingCheckpointError(
                f"the state after {begin.step} steps was only in memory, and is not there any more."
            )
        return read_checkpoint(self._store, ref, self._bases, make_base, keep_base=self._keep_base)


class LaneStates:
    """What a lane begins from, the copy of where its walker stands, and where it is kept.

    Args:
      assignment: whose lane it is.
      progress: how far the lane is.
      host: where states are kept, and who hears of it.
      slot: in whose memory they are held.
      follow: takes the commands that come while it waits for room in a store.
      bases: what is known of the bases of its workload's states.
    """

    def __init__(
        self,
        assignment: Assignment,
        progress: LaneProgress,
        host: LaneHost,
        *,
        slot: SlotId,
        follow: Callable[[Sequence[LeaseCommand]], None],
        bases: Bases,
    ) -> None:
        self._assignment = assignment
        self._progress = progress
        self._host = host
        self._slot = slot
        self._follow = follow
        self._bases = bases
        self._reader = _StateReader(host.checkpoints, bases, keep_base=assignment.keep_base)
        self._writer: LaneWriter[LaneEvent | StatesResident] = LaneWriter(host.emit)
        #: passes an event of the lane on, in order: behind a state that is being written
        self.emit: Callable[[LaneEvent], None] = self._writer.emit
        #: what the writer is at
        self._writing: _StateWrite | None = None
        #: a copy of the state at the step at which the lane stands, if one was made
        self._current: HeldState | None = None

    # --- the state to begin from

    def recall(self, begin: LaneStart) -> None:
        """Begin where a walker stands already: its copy is what is in memory, if anything is."""
        self._current = self._host.residents.get(self._assignment.states_of, Point(begin.node, begin.step))

    def load(self, begin: LaneStart, make_base: MakeBase) -> HeldState | None:
        """Return the state to begin from, out of memory or the store; if it cannot be had, say so and return None.

        That a store refuses to give it, or cannot be reached, does not say that it is lost: a study that forgot it
        would train up to it again.

        Args:
          begin: where it is.
          make_base: makes what `build()` makes, if the state needs that and it is not in the store.
        """
        point = Point(begin.node, begin.step)
        self.recall(begin)
        if self._current is None:
            try:
                self._current = self._read_patiently(begin, make_base)
            except UnreachableStoreError:
                return None  # told while it waited; and now it is told to stop
            except LOST as error:
                self.refuse(begin, str(error), corrupt=isinstance(error, CorruptCheckpointError))
                return None
            except CheckpointError as error:
                reason = storable_text(str(error))
                self._host.emit(CheckpointFailed(**self._at(point), reason=reason, is_waiting=False))
                return None
            self._hold(point, self._current)
        return self._current

    def peek(self, shown: LaneStart, make_base: MakeBase) -> EncodedState | None:
        """Return a state that no lane begins from, and keep nothing of it; None if it is not there: nobody needs it."""
        held = self._host.residents.get(self._assignment.states_of, Point(shown.node, shown.step))
        try:
            return self._reader.read(shown, make_base) if held is None else encoded_state(held)
        except CheckpointError:
            return None

    def refuse(self, begin: LaneStart, reason: str, *, corrupt: bool = False, is_expected: bool = False) -> None:
        """Say that nothing can begin there."""
        key = begin.checkpoint.key if begin.checkpoint else ""
        at = self._at(Point(begin.node, begin.step))
        self.emit(CheckpointUnusable(**at, key=key, corrupt=corrupt, reason=reason, is_expected=is_expected))

    def _read_patiently(self, begin: LaneStart, make_base: MakeBase) -> EncodedState:
        """Read a state, and wait for a store that cannot be reached until it can be, or the lane is told to stop."""
        while True:
            try:
                return self._reader.read(begin, make_base)
            except UnreachableStoreError as error:
                if self._progress.is_stopping:
                    raise
                reason = storable_text(str(error))
            at = self._at(Point(begin.node, begin.step))
            self._host.emit(CheckpointFailed(**at, reason=reason, is_waiting=True))
            self._follow(self._host.wait(ROOM_RETRY_S))

    # --- the state at a step's end

    def leave(self) -> None:
        """Let go of the copy: the walker moves on."""
        self._current = None

    def copied(self, due: Due, here: Encodes, point: Point) -> HeldState:
        """Return the copy of where the lane stands; encoded, unless it is only to be held in memory."""
        if self._current is None:
            self._current = here.copy(point.node) if due is Due.HOLD else here.encode(point.node)
        elif due is not Due.HOLD:
            self._current = encoded_state(self._current)
        return self._current

    def keep(self, due: Due, point: Point, state: HeldState) -> None:
        """Hold a state, write it, or only tell what it hashes to, as is due; what stays undone is due again."""
        if due is Due.HOLD:
            self.settle()  # what becomes resident is told at once, and in order
            self._hold(point, state)
            self._progress.did(due)
        elif due is Due.WRITE:
            # a lane that was told something while it saw to its last write may owe more here, and is asked again
            if not self.settle():
                self._write(point, encoded_state(state))
        else:
            self.emit(StateHashed(**self._at(point), state_hash=state_hash(encoded_state(state))))
            self._progress.did(due)

    def look_after(self) -> None:
        """Take care of a write that failed meanwhile: called at each step's end."""
        if self._writer.has_failed:
            self.settle()

    def settle(self) -> bool:
        """Wait until what is being written is durable and told, or told to be unwritable.

        Returns:
          Whether the lane had to see to it, and may have been told something meanwhile.
        """
        try:
            self._writer.wait()
        except CheckpointError as error:
            writing, self._writing = self._writing, None
            assert writing is not None, "it stays until it is written"
            self._write_here(writing, error)
            return True
        return False

    def end(self) -> None:
        """Let a write that is under way end, where the lane breaks off; a second interrupt gives it up."""
        try:
            with suppress(CheckpointError):  # the state is lost with the lane; what came after it is true all the same
                self._writer.wait()
            self._writer.release()
        except BaseException:
            self._writer.abandon()
            raise

    def _write(self, point: Point, state: EncodedState) -> None:
        """Write a state, or tell that it could not be written and hold it in memory."""
        progress, now_s = self._progress, self._host.clock.elapsed()
        write = _StateWrite(
            point=point,
            key=progress.key,
            state=state,
            started_s=now_s,
            is_held=progress.is_held,
            is_owed=progress.owes_state,
        )
        if state.size_bytes < LEAST_THREADED_BYTES and (state.base is None or state.base.is_hashed):
            self._write_here(write)
            return
        progress.did(Due.WRITE, now_s)
        self._writing = write
        self._writer.start(self._written_beside)

    def _written_beside(self) -> CheckpointWritten:
        assert self._writing is not None, "a lane that breaks off waits before it forgets"
        written = self._written(self._writing)
        self._writing = None  # the lane may train on for long: nobody needs this copy any more
        return written

    def _written(self, write: _StateWrite) -> CheckpointWritten:
        """Write a state, and return what is to be told of it; called by any thread."""
        ref = write_checkpoint(self._host.checkpoints, write.key, write.state, keep_base=self._assignment.keep_base)
        seconds = self._host.clock.elapsed() - write.started_s
        return CheckpointWritten(**self._at(write.point), checkpoint=ref, seconds=seconds)

    def _write_here(self, write: _StateWrite, error: CheckpointError | None = None) -> None:
        """Write a state in the lane's thread, which waits for room in a full store.

        Args:
          write: what is due.
          error: why it could not be written beside the lane; what the lane has said since is held back.
        """
        was_beside = error is not None
        while True:
            try:
                if error is not None:
                    raise error
                written = self._written(write)
                break
            except CheckpointError as failed:
                may_change = isinstance(failed, StoreFullError | UnreachableStoreError)
                is_waiting = may_change and not self._progress.is_stopping
                reason, error = storable_text(str(failed)), None
            self._host.emit(CheckpointFailed(**self._at(write.point), reason=reason, is_waiting=is_waiting))
            if not is_waiting:
                self._give_up(write, was_beside=was_beside)
                return
            # Going on would lose what this state is for: branches that begin here would be trained up to it again.
            self._follow(self._host.wait(ROOM_RETRY_S))
        if not was_beside:
            self._progress.did(Due.WRITE, self._host.clock.elapsed())
        self._writer.release(written)

    def _give_up(self, write: _StateWrite, *, was_beside: bool) -> None:
        """Keep in memory what no store takes: whoever wants the rest after all goes on from there."""
        if self._progress.point == write.point:
            self._progress.note_unwritable(self._host.clock.elapsed())
        if not write.is_held:
            self._hold(write.point, write.state)
        if was_beside and write.is_owed:  # else its hash is due where the lane stands
            self._host.emit(StateHashed(**self._at(write.point), state_hash=state_hash(write.state)))
        self._writer.release()

    def _hold(self, point: Point, state: HeldState) -> None:
        owner = self._assignment.states_of
        dropped = self._host.residents.put(owner, point, state)
        for event in told(self._slot, added=[(owner, point)], dropped=dropped):
            self._host.emit(event)

    def _at(self, point: Point) -> LanePoint:
        return at_point(self._assignment.lease, self._progress.number, point)
