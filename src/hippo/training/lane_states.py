"""The states of one lane: out of the slot's memory or the store, and into them.

A state is encoded once for each step, whatever it is needed for: a fork, a file, its hash. This module refuses to know
when a state is due, which `hippo.lanes` says, and what is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO

from hippo.errors import CheckpointError, CorruptCheckpointError, StoreFullError, storable_text
from hippo.events import CheckpointFailed, CheckpointUnusable, CheckpointWritten, LanePoint, StateHashed, at_point
from hippo.lanes import Due, LaneProgress
from hippo.records import Assignment, CheckpointRef, LaneStart, LeaseCommand, Point, SlotId
from hippo.training.codec import EncodedState, read_state, state_hash, write_state
from hippo.training.lane_host import LaneHost
from hippo.training.residents import told
from hippo.training.walker import Walker

#: how long a lane waits for room in a full store before it tries again
ROOM_RETRY_S = 5.0


class LaneStates:
    """What a lane begins from, the copy of where its walker stands, and where it is kept.

    Args:
      assignment: whose lane it is.
      progress: how far the lane is.
      host: where states are kept, and who hears of it.
      slot: in whose memory they are held.
      follow: takes the commands that come while it waits for room in a store.
    """

    def __init__(
        self,
        assignment: Assignment,
        progress: LaneProgress,
        host: LaneHost,
        *,
        slot: SlotId,
        follow: Callable[[Sequence[LeaseCommand]], None],
    ) -> None:
        self._assignment = assignment
        self._progress = progress
        self._host = host
        self._slot = slot
        self._follow = follow
        #: a copy of the state at the step at which the walker stands, if one was made
        self._current: EncodedState | None = None

    # --- the state to begin from

    def recall(self, begin: LaneStart) -> None:
        """Begin where a walker stands already: its copy is what is in memory, if anything is."""
        self._current = self._host.residents.get(self._assignment.states_of, Point(begin.node, begin.step))

    def load(self, begin: LaneStart) -> EncodedState | None:
        """Return the state to begin from, out of memory or the store; if there is none, say so and return None."""
        point = Point(begin.node, begin.step)
        self.recall(begin)
        if self._current is None:
            try:
                self._current = self._read(begin)
            except CheckpointError as error:
                self.refuse(begin, str(error), corrupt=isinstance(error, CorruptCheckpointError))
                return None
            self._hold(point, self._current)
        return self._current

    def peek(self, shown: LaneStart) -> EncodedState | None:
        """Return a state that no lane begins from, and keep nothing of it; None if it is not there: nobody needs it."""
        held = self._host.residents.get(self._assignment.states_of, Point(shown.node, shown.step))
        try:
            return held or self._read(shown)
        except CheckpointError:
            return None

    def refuse(self, begin: LaneStart, reason: str, *, corrupt: bool = False, is_expected: bool = False) -> None:
        """Say that nothing can begin there."""
        key = begin.checkpoint.key if begin.checkpoint else ""
        at = self._at(Point(begin.node, begin.step))
        self._host.emit(CheckpointUnusable(**at, key=key, corrupt=corrupt, reason=reason, is_expected=is_expected))

    def _read(self, begin: LaneStart) -> EncodedState:
        ref = begin.checkpoint
        if ref is None:
            raise CheckpointError(f"the state after {begin.step} steps was only in memory, and is not there any more.")
        return read_state(self._host.checkpoints.read(ref.key, sha256=ref.sha256, size_bytes=ref.size_bytes))

    # --- the state at a step's end

    def leave(self) -> None:
        """Let go of the copy: the walker moves on."""
        self._current = None

    def encoded(self, walker: Walker, point: Point) -> EncodedState:
        """Return the copy of where the walker stands."""
        if self._current is None:
            self._current = walker.encode(point.node)
        return self._current

    def keep(self, due: Due, point: Point, state: EncodedState) -> None:
        """Hold a state, write it, or only tell what it hashes to, as is due."""
        if due is Due.HOLD:
            self._hold(point, state)
            self._progress.did(due)
        elif due is Due.WRITE:
            self._write(point, state)
        else:
            self._host.emit(StateHashed(**self._at(point), state_hash=state_hash(state)))
            self._progress.did(due)

    def _write(self, point: Point, state: EncodedState) -> None:
        """Write a state, or tell that it could not be written and hold it in memory."""

        def writer(file: BinaryIO) -> None:
            write_state(state, file)

        key, started_s = self._progress.key, self._host.clock.elapsed()
        while True:
            try:
                written = self._host.checkpoints.write(key, writer)
                break
            except CheckpointError as error:
                is_waiting = isinstance(error, StoreFullError) and not self._progress.is_stopping
                reason = storable_text(str(error))
                self._host.emit(CheckpointFailed(**self._at(point), reason=reason, is_waiting=is_waiting))
                if not is_waiting:
                    self._progress.note_unwritable(self._host.clock.elapsed())
                    if not self._progress.is_held:  # whoever wants the rest after all goes on from here
                        self._hold(point, state)
                    return
            # Going on would lose what this state is for: branches that begin here would be trained up to it again.
            self._follow(self._host.wait(ROOM_RETRY_S))
        now_s = self._host.clock.elapsed()
        self._progress.did(Due.WRITE, now_s)
        ref = CheckpointRef(key=key, size_bytes=written.size_bytes, sha256=written.sha256, state_hash=state_hash(state))
        self._host.emit(CheckpointWritten(**self._at(point), checkpoint=ref, seconds=now_s - started_s))

    def _hold(self, point: Point, state: EncodedState) -> None:
        owner = self._assignment.states_of
        dropped = self._host.residents.put(owner, point, state)
        for event in told(self._slot, added=[(owner, point)], dropped=dropped):
            self._host.emit(event)

    def _at(self, point: Point) -> LanePoint:
        return at_point(self._assignment.lease, self._progress.number, point)
