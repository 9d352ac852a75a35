"""The slot of an engine that has no other process: what it holds, shared by the loop's thread and those that serve.

One lock guards all of it, and no user code runs under that lock. There is one `InlineSlot` for all slots that such an
engine opens one after another: a step that outlasted `close` still runs when the next slot opens, and two trainers at
once would meet each other's threads and settings. This module refuses to run an assignment, and to start a thread.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import itertools
import os
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

from hippo.engines.loop_inbox import LoopInbox
from hippo.events import AssignmentWaits, EngineEvent
from hippo.records import Assignment, Command, LeaseCommand, SlotCommand, SlotId, Stop
from hippo.training.live_states import HeldState
from hippo.training.walking.residents import ResidentStates
from hippo.training.walking.standing import StandingWalker
from hippo.waiting import wait_until


class EngineClosing(SystemExit):
    """The engine is being closed. Passes through lanes as the end of a process would; caught where they are served."""


class SlotGivenUp(SystemExit):
    """The user, or the control loop, gave the slot up. Passes through lanes as the end of a process would."""


class StoppedWaiting(SystemExit):
    """What was to run was stopped while another thread trained."""


class InlineSlot:
    """Room for one assignment, which waits until a thread takes it, and then is that thread's.

    Args:
      inbox: where the control loop hears what comes of it.
      resident_bytes: how much memory recent states may fill.
    """

    def __init__(self, inbox: LoopInbox, *, resident_bytes: int) -> None:
        #: None while it is closed
        self.id: SlotId | None = None
        self._ids = (SlotId(f"inline-{number}") for number in itertools.count(1))
        self._inbox = inbox
        self._resident_bytes = resident_bytes
        self.forget_states()
        #: guards all below, the id, and whose turn it is with the states
        self._guard = threading.RLock()
        #: notified when anything of it changes that a thread waits for
        self._changed = threading.Condition(self._guard)
        #: what no thread runs yet, and what one does: there is room for one of them
        self._waiting: Assignment | None = None
        self._running: Assignment | None = None
        self._commands: list[Command] = []
        #: the thread that runs it, and the process in which it began
        self._server: threading.Thread | None = None
        self._pid = os.getpid()
        #: done when that thread has left, which is asked of it
        self._left: concurrent.futures.Future[None] | None = None
        #: why what runs is to end at its step's end, and the slot with it
        self._losing: str | None = None

    @property
    def is_at_rest(self) -> bool:
        """Whether it holds no work, and no thread is on its way out of it."""
        with self._guard:
            return self._running is None and self._waiting is None and self._left is None

    @property
    def has_waiting(self) -> bool:
        """Whether it holds work that a thread may take."""
        with self._guard:
            return self._waiting is not None and self._server is None

    # ------------------------------------------------------------------------------------ its life, in any thread

    def open(self) -> SlotId | None:
        """Open it, and return its new id; None if it is open already."""
        with self._guard:
            if self.id is not None:
                return None
            self.id = next(self._ids)
            self.forget_states()
            return self.id

    def forget_states(self) -> None:
        """Have nothing in memory: what the last slot held went with it, for all who heard of it."""
        self.residents: ResidentStates[HeldState] = ResidentStates(self._resident_bytes)
        self.standing = StandingWalker()

    def close(self) -> concurrent.futures.Future[None] | None:
        """Close it, without a `SlotLost`; return what is done once the thread that runs something has left, if any."""
        with self._guard:
            self.id = self._waiting = None
            if self._server is None:
                return None
            left = self._left = concurrent.futures.Future()
            return left

    # ------------------------------------------------------------------------------- in the control loop's thread

    def submit(self, assignment: Assignment) -> None:
        """Have a thread that serves take this."""
        with self._guard:
            self._waiting = assignment
            self._changed.notify_all()

    def send(self, command: Command) -> None:
        """Follow a command, or pass it to the thread that runs what it is for; dropped if that has ended."""
        with self._guard:
            held = self._running or self._waiting
            if isinstance(command, SlotCommand):
                if command.slot != self.id:
                    return
                if held is None:  # no thread serves the slot now, and what it holds is ours
                    self._inbox.put(*self.residents.follow(command))
                    return
            elif held is None or held.lease != command.lease:
                return
            self._commands.append(command)
            self._changed.notify_all()

    def lose(self, slot: SlotId, reason: str) -> None:
        """Have the thread that runs something give the slot up at its step's end."""
        with self._guard:
            held = self._running or self._waiting
            if held is not None and held.slot == slot:
                self._losing = reason

    # ------------------------------------------------------------------------------------- in a serving thread

    @property
    def is_served_here(self) -> bool:
        """Whether the calling thread runs what it holds."""
        return self._server is threading.current_thread()

    def take(self, done: concurrent.futures.Future[Any]) -> Assignment | None:
        """Wait for an assignment that no thread runs yet, and make it the caller's; None once `done` is."""
        with self._guard:
            wait_until(self._changed, lambda: (self._waiting is not None and self._server is None) or done.done())
            return None if done.done() else self._taken()

    def take_waiting(self) -> Assignment | None:
        """Make an assignment the caller's, if one waits that may be run now; never blocks."""
        with self._guard:
            return self._taken() if self._waiting is not None and self._server is None else None

    def _taken(self) -> Assignment | None:
        self._server, self._pid = threading.current_thread(), os.getpid()
        self._running, self._waiting = self._waiting, None
        return self._running

    def wake(self, done: object) -> None:
        """Have threads that wait to `take` something look whether they are done."""
        with self._guard:
            self._changed.notify_all()

    def finish(self, *, is_lost: bool = False) -> Assignment | None:
        """Free it, and return what a thread ran; a slot that is lost is closed, until it opens under another id."""
        if os.getpid() != self._pid:
            _end_forked()
        with self._guard:
            if is_lost:
                self.id = None
            for command in self._commands:
                if isinstance(command, SlotCommand):  # it came too late for the lane, not for the slot
                    self._inbox.put(*self.residents.follow(command))
            ended = self._running
            self._running = self._server = self._losing = None
            self._commands.clear()
            self._changed.notify_all()
            if self._left is not None:
                with contextlib.suppress(concurrent.futures.InvalidStateError):  # `close` did not wait so long
                    self._left.set_result(None)
                self._left = None
            return ended

    # --- what its lanes see

    def emit(self, event: EngineEvent) -> None:
        """Pass an event of what runs on to the control loop."""
        if os.getpid() != self._pid:
            _end_forked()
        self._inbox.put(event)

    def poll(self) -> Sequence[LeaseCommand]:
        """Follow what the slot is told, and return what its lanes are.

        Raises:
          EngineClosing: nobody waits for these lanes any more.
          SlotGivenUp: they are to end, and the slot with them.
        """
        if os.getpid() != self._pid:
            _end_forked()
        with self._guard:
            self.check()
            commands = []
            for command in self._commands:
                if isinstance(command, SlotCommand):
                    self._inbox.put(*self.residents.follow(command))
                else:
                    commands.append(command)
            self._commands.clear()
            return commands

    def check(self) -> None:
        """Look whether what runs is still wanted; what its lanes are told stays.

        Raises:
          EngineClosing: nobody waits for these lanes any more.
          SlotGivenUp: they are to end, and the slot with them.
        """
        with self._guard:
            if self._left is not None or self._inbox.is_abandoned:
                raise EngineClosing
            if self._losing is not None:
                raise SlotGivenUp(self._losing)

    def check_not_begun(self) -> None:
        """As `check`, before the first lane begins, and say that it waits: one that is to stop then needs no step.

        Raises:
          StoppedWaiting: that was said.
        """
        with self._guard:
            self.check()
            if any(isinstance(command, Stop) for command in self._commands):
                raise StoppedWaiting
            assert self._running is not None, "only who has taken something waits"
            self.emit(AssignmentWaits(lease=self._running.lease))

    def wait(self, seconds: float) -> Sequence[LeaseCommand]:
        """Poll as soon as there is a command, or after so many seconds."""
        with self._guard:
            self._changed.wait_for(lambda: bool(self._commands) or self._left is not None, seconds)
        return self.poll()


def _end_forked() -> NoReturn:
    """End a process that the trainer forked and that came back from its method: the study is its parent's."""
    os.write(2, b"hippo: a process that the trainer had forked came back from its method, and was ended\n")
    os._exit(1)
