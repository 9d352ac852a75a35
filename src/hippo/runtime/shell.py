"""Carries out what the coordinator decided: the only place of the control loop that writes, tells, starts and waits.

The other half of "durable before told": an instruction that names a write is carried out when that write is durable,
and never where it failed. The coordinator's essay says which instructions name one, and why. This module owns the
loop's futures and timers. It refuses to decide anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hippo.clock import Clock
from hippo.engines import AbstractEngine
from hippo.events import EngineEvent
from hippo.plan import StudyRow
from hippo.runtime.coordinator import Coordinator
from hippo.runtime.instructions import (
    Announce,
    Elapsed,
    Fail,
    Input,
    Instructions,
    LetTunersRun,
    LookForDeleted,
    Lose,
    NotBegun,
    Offer,
    OpenWorkload,
    Pull,
    Say,
    Send,
    StudyDeleted,
    Submit,
    Tell,
    Unlock,
    Warn,
    Watch,
    Write,
    WriteId,
)
from hippo.runtime.opening import OpenPlans
from hippo.runtime.warnings import say, warn

#: how often it is looked whether running steps get on
_LOOK_FOR_STUCK_S = 1.0


class Shell:
    """Connects a coordinator with an engine, with stores, and with those who wait.

    Args:
      coordinator: decides.
      plans: those that it decides about.
      engine: runs what it gives out.
      clock: of the engine.
    """

    def __init__(self, coordinator: Coordinator, plans: OpenPlans, engine: AbstractEngine, clock: Clock) -> None:
        self._coordinator = coordinator
        self._plans = plans
        self._engine = engine
        self._clock = clock
        self._inbox: list[Input] = []
        #: woken whenever something was taken in
        self._sleepers: list[asyncio.Future[None]] = []
        #: database -> the number up to which all is durable
        self._durable: dict[str, int] = {}
        #: what observers are to hear, in the order of the writes that it rests on
        self._kept_back: list[Announce] = []

    @property
    def is_idle(self) -> bool:
        """Whether nothing is to be taken in, told, or waited for."""
        return not (self._inbox or self._kept_back or self._sleepers)

    def take(self, event: EngineEvent) -> None:
        """Keep an event for the next turn."""
        self._inbox.append(event)

    def turn(self) -> bool:
        """Do what can be done; return whether there was anything to do. Called when all tuners are quiet."""
        try:
            inputs, self._inbox = self._inbox, []
            instructions = self._coordinator.handle(inputs)
            self.carry_out(instructions)
        except Exception as error:  # ours, or of a clock, a store or a scheduler that a user brought
            self.carry_out(self._coordinator.fail_all(error))
            return True
        if inputs:
            self._wake()
        return bool(inputs or instructions)

    def absorb(self) -> None:
        """Take in what happened, and decide nothing."""
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
        """Carry out instructions in their order.

        Returns:
          What databases said that could not be written, by their uuid; their calls were told already.
        """
        failed: dict[str, Exception] = {}
        for one in instructions:
            match one:
                case Write():
                    error = self._write(one)
                    if error is not None:
                        failed[one.id.store] = error
                case Tell(delivery=delivery):
                    if self._is_durable(one.after):
                        delivery.tell()
                case Submit(assignment=assignment):
                    if self._is_durable(one.after):
                        self._engine.submit(assignment)
                    else:
                        self._inbox.append(NotBegun(assignment))
                case Announce():
                    self._kept_back.append(one)
                case Unlock(run=run):
                    for gone in self._plans.let_go(run):
                        self._coordinator.work.forget(gone)
                case Send(command=command):
                    self._engine.send(command)
                case OpenWorkload(spec=spec):
                    self._engine.open_workload(spec)
                case Lose(slot=slot, reason=reason):
                    self._engine.lose(slot, reason)
                case Fail(participant=participant, error=reason):
                    participant.fail(reason)
                case Pull(participant=participant):
                    participant.replay_pull()
                case Offer(participant=participant, room=room):
                    participant.offer(room)
                case Warn(message=message):
                    warn(message)
                case Say(message=message):
                    say(message)
                case Watch():
                    self._clock.call_later(_LOOK_FOR_STUCK_S, lambda: self._inbox.append(Elapsed()))
                case LookForDeleted(store=store, study=study):
                    if store.rows(StudyRow, study=study.study)[0].deleted:
                        self._inbox.append(StudyDeleted(store.uuid, study.study))
                case LetTunersRun():
                    pass  # that there is an instruction keeps the loop from waiting
        self._announce()
        return failed

    def _write(self, write: Write) -> Exception | None:
        """Make a write durable; return why not. Its calls are told before anything that rests on it."""
        try:
            if changes := [change for _, part in write.parts for change in part]:
                write.store.commit(changes)
        except Exception as error:  # whatever it is, nothing may be lost of what is known
            self.carry_out(self._coordinator.write_failed(write, error))
            return error
        self._durable[write.id.store] = write.id.number
        return None

    def _is_durable(self, after: WriteId | None) -> bool:
        return after is None or self._durable.get(after.store, 0) >= after.number

    def _announce(self) -> None:
        """Let observers hear what became durable."""
        kept_back, self._kept_back = self._kept_back, []
        for one in kept_back:
            if self._is_durable(one.after):
                one.announcer.tell(one.events)
            else:
                self._kept_back.append(one)
