"""Carries out what the coordinator decided: the only place of the control loop that writes, tells, starts and waits.

The other half of "durable before told": an instruction that names a write is carried out when that write is durable,
and never where it failed. The coordinator's essay says which instructions name one, and why. This module owns all that
is awaited, the tasks that run for participants, and the timers. It refuses to decide anything.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from hippo.clock import Clock
from hippo.engines import AbstractEngine
from hippo.events import EngineEvent
from hippo.plan import AbstractPlanStore, PendingWrites, StudyRow
from hippo.records import Assignment
from hippo.runtime.asking.instructions import (
    Announce,
    Elapsed,
    EndBlock,
    Fail,
    Grant,
    Input,
    Instruction,
    Instructions,
    LetTunersRun,
    LookForDeleted,
    LookForRoom,
    Lose,
    NoLook,
    NotBegun,
    OpenWorkload,
    RemoveFiles,
    RemovePart,
    Say,
    Send,
    StudyDeleted,
    Submit,
    Tell,
    Unlock,
    Want,
    Warn,
    Watch,
    Write,
    WriteId,
)
from hippo.runtime.asking.participants import Participant
from hippo.runtime.engine_files import EngineFiles
from hippo.runtime.futures import Futures
from hippo.runtime.other_waits import unowned
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.warnings import say, warn
from hippo.runtime.turns.coordinator import Coordinator
from hippo.runtime.turns.room import find_room
from hippo.runtime.waiters import Waiter

#: how long a write may wait for others: as long as a kill may cost more than it would without
LAG_S = 0.25
#: how often it is looked whether running steps get on
_LOOK_FOR_STUCK_S = 1.0


class Shell:
    """Connects a coordinator with an engine, with stores, and with those who wait.

    Args:
      coordinator: decides.
      plans: those that it decides about.
      engine: runs what it gives out.
      clock: of the engine.
      files: those that it writes states to.
    """

    def __init__(
        self, coordinator: Coordinator, plans: OpenPlans, engine: AbstractEngine, clock: Clock, files: EngineFiles
    ) -> None:
        self._coordinator = coordinator
        self._plans = plans
        self._engine = engine
        self._files = files
        self._clock = clock
        #: what tuners await, and users who want a state
        self.futures = Futures()
        #: who takes part in turns -> what runs on its behalf, in the order in which they began
        self.waiters: dict[Participant, Waiter] = {}
        self._inbox: list[Input] = []
        #: woken whenever something was taken in
        self._sleepers: list[asyncio.Future[None]] = []
        #: database -> what is on its way there, and the same as values
        self._pending: dict[str, PendingWrites] = {}
        self._lagging: dict[str, list[Write]] = {}
        #: that which was set for them, if any
        self._timer: object | None = None
        #: database -> what observers are to hear, in the order of the writes that it rests on
        self._kept_back: dict[str, deque[Announce]] = {}
        #: something was done since the turn began that may leave more to decide
        self._is_stirred = False
        self._may_do_more = engine.scales or engine.max_width > 1

    @property
    def is_idle(self) -> bool:
        """Whether nothing is to be taken in, told, or waited for."""
        is_written = not any(self._pending.values())
        return is_written and not (self._inbox or self._kept_back or self._sleepers)

    def take(self, event: EngineEvent) -> None:
        """Keep an event for the next turn."""
        self._inbox.append(event)

    def turn(self) -> bool:
        """Do what can be done; return whether more may be decided now. Called when all tuners are quiet.

        What came in was taken in before anything was decided, so a turn that only wrote leaves nothing to decide.
        """
        inputs, self._inbox = self._inbox, []
        self._is_stirred = False
        self.carry_out(self._coordinator.handle(inputs))
        if inputs:
            self._wake()
        return self._is_stirred or bool(self._inbox)

    def absorb(self) -> None:
        """Hand what happened to the coordinator, and decide nothing."""
        inputs, self._inbox = self._inbox, []
        self.carry_out(self._coordinator.absorb(inputs))
        self._wake()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until events have brought about a condition."""
        while not condition():
            woken = asyncio.get_running_loop().create_future()
            self._sleepers.append(woken)
            await woken

    def _wake(self) -> None:
        sleepers, self._sleepers = self._sleepers, []
        for woken in sleepers:
            if not woken.done():
                woken.set_result(None)

    # --- carrying out

    def carry_out(self, instructions: Instructions) -> dict[str, Exception]:
        """Carry out instructions in their order, each by itself: one that fails takes none of the others along.

        Returns:
          What databases said that could not be written, by their uuid; their calls were told already.
        """
        failed: dict[str, Exception] = {}
        broken: Exception | None = None
        for one in instructions:
            try:
                if isinstance(one, Write):
                    error = self._write(one)
                    if error is not None:
                        failed[one.id.store] = error
                else:
                    self._do(one)
            except Exception as error:  # ours, or of an engine that a user brought, or a warning that is an error
                broken = broken or error
        if self._kept_back:
            self._announce()
        if broken is not None:
            for one in self._coordinator.fail_all(broken):
                self._do(one)
        return failed

    def _do(self, one: Instruction) -> None:
        """Carry out one instruction that is no write."""
        # Where each slot has work nothing follows from that: what its lanes leave where was decided with it. Only an
        # engine that may have more slots, or several for a lane, is to be looked at once more.
        is_last = (
            isinstance(one, Submit) and not self._may_do_more and not self._coordinator.work.slots.num_free_of(None)
        )
        self._is_stirred |= not is_last
        match one:
            case Tell(delivery=delivery):
                if self._is_durable(one.after):
                    self.futures.settle(delivery)
            case Submit(assignment=assignment):
                self._submit(assignment, one.after)
            case Announce():
                self._kept_back.setdefault(one.after.store, deque()).append(one)
            case Unlock(run=run):
                self._let_go(run, one.after)
            case Send(command=command):
                self._engine.send(command)
            case OpenWorkload(spec=spec):
                self._engine.open_workload(spec)
            case Lose(slot=slot, reason=reason):
                self._engine.lose(slot, reason)
            case Fail(participant=participant, error=reason):
                self.waiters[participant].fail(reason)
            case EndBlock(limit=limit):
                limit.end()
            case Grant(participant=participant, room=room):
                self.waiters[participant].grant(room)
            case Warn(message=message, announcers=announcers):
                for announcer in announcers:
                    announcer.tell_warning(message)
                warn(message)
            case Say(message=message):
                say(message)
            case Watch():
                self._clock.call_later(_LOOK_FOR_STUCK_S, lambda: self._inbox.append(Elapsed()))
            case Want(slots=slots):
                self._engine.want(slots)
            case LookForDeleted(store=store, study=study):
                self._look_for_deleted(store, study)
            case LookForRoom(store=store, limit=limit):
                self._look_for_room(store, limit)
            case RemoveFiles(keys=keys):
                if self._is_durable(one.after):
                    self._files.remove(keys)
            case RemovePart(prefix=prefix):
                self._files.remove_unfinished_of(prefix)
            case LetTunersRun():
                pass  # that there is an instruction keeps the loop from waiting
            case _:
                raise AssertionError(f"nobody carries out {one!r}")

    def _submit(self, assignment: Assignment, after: WriteId | None) -> None:
        """Give an assignment to the engine; what it does not get never began."""
        is_given = False
        try:
            if self._is_durable(after):
                self._engine.submit(assignment)
                is_given = True
        finally:
            if not is_given:
                self._inbox.append(NotBegun(assignment))

    def _look_for_deleted(self, store: AbstractPlanStore, study: StudyRow) -> None:
        self.flush()
        try:
            if store.rows(StudyRow, study=study.study)[0].deleted:
                self._inbox.append(StudyDeleted(store.uuid, study.study))
        except Exception as error:  # that ends the calls of one database, and not of all
            self.carry_out(self._coordinator.fail_all(error, store.uuid))

    def _look_for_room(self, store: AbstractPlanStore, limit: int) -> None:
        self.flush()
        try:
            found, removed = find_room(store, self._plans, limit, place=self._files.place, there=self._files.there())
        except Exception as error:  # that ends the calls of one database, and not of all
            self._inbox.append(NoLook(store.uuid, error))
            return
        self._files.remove(removed)
        self._inbox.append(found)

    def _write(self, write: Write) -> Exception | None:
        """Take a write in, and make it durable unless it may wait; return why that is not possible."""
        store = write.id.store
        pending = self._pending.get(store)
        if pending is None:
            pending = self._pending[store] = PendingWrites(write.store)
        pending.add(write.id.number, [change for _, part in write.parts for change in part])
        self._lagging.setdefault(store, []).append(write)
        if not write.may_wait:
            return self._flush(store)
        if self._timer is None:
            timer = self._timer = object()
            unowned(lambda: self._clock.call_later(LAG_S, lambda: self._on_timer(timer)))
        return None

    def _flush(self, store: str) -> Exception | None:
        """Make durable what waits; return why it is not possible, after its calls were told."""
        pending = self._pending[store]
        try:
            pending.flush()
        except Exception as error:  # whatever it is, nothing may be lost of what is known
            pending.give_up()
            lagging = [write for write in self._lagging.pop(store, ()) if write.id.number > pending.durable]
            if not lagging:  # a reader tried it again meanwhile, on another thread, and it is written
                return None
            self.carry_out(self._coordinator.write_failed(lagging, error))
            return error
        self._lagging.pop(store, None)
        return None

    def flush(self) -> None:
        """Make durable all that waits, for code beside the control loop that is about to act on it."""
        for store, pending in self._pending.items():
            if pending:
                self._flush(store)
        self._announce()

    def _on_timer(self, timer: object) -> None:
        if timer is self._timer:  # else it was set on a loop that we have left since
            self._timer = None
            self.flush()

    def begin_on_loop(self) -> None:
        """Begin on another loop: timers of the last one are none of ours."""
        self._timer = None

    def _is_durable(self, after: WriteId | None) -> bool:
        if after is None:
            return True
        pending = self._pending.get(after.store)  # none if all is written, and its plans are forgotten
        return pending is None or pending.durable >= after.number

    def _let_go(self, run: PlanRun, after: WriteId) -> None:
        """Give up a plan's lock, whether or not the last write succeeded, and forget what is no longer needed."""
        if not self._is_durable(after):  # observers must not hear of what will never be durable
            self._kept_back.pop(after.store, None)
        for gone in self._plans.let_go(run):
            self._coordinator.work.forget(gone)
        if not self._plans.knows_store(after.store):
            self._pending.pop(after.store, None)

    def _announce(self) -> None:
        """Let observers hear what became durable."""
        for store, kept_back in list(self._kept_back.items()):
            while kept_back and self._is_durable(kept_back[0].after):
                one = kept_back.popleft()
                self._is_stirred = True
                one.announcer.tell(one.events)
            if not kept_back:
                del self._kept_back[store]
