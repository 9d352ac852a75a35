"""One call of a tuner: what it asks the plans of its study, and what it is answered.

A call may ask several plans, one for each member of its study: its seeds, say. It is one call all the same: one task,
one book of requests, and one order in which answers are given, whichever plan they come from. Averages over members
are no matter of this module, but of the tuner's side (`hippo.tuners.averaged`).

A call's answers are recorded in the order in which they were given, in deliveries: the answers that were there
together when all tuners were quiet. A re-run is given the same deliveries in the same order, and so arrives where it
was; what is known beyond them comes after.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Collection, Coroutine, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hippo.errors import TunerError, UnknownMetricError
from hippo.hparams import Config
from hippo.plan import CallRow, CallState
from hippo.records import Objective
from hippo.runtime.call_order import CallOrder
from hippo.runtime.call_pins import CallPins
from hippo.runtime.limits import Limit
from hippo.runtime.other_waits import OtherWaits, unowned
from hippo.runtime.participants import Delivery
from hippo.runtime.replay import RecordedCall, TrialPoint
from hippo.runtime.request_book import CheckConfig, RequestBook
from hippo.runtime.requests import Request
from hippo.runtime.streams import RequestStream
from hippo.runtime.study_state import StudyState
from hippo.tuners.ask import Proposal
from hippo.tuners.budgets import check_steps

if TYPE_CHECKING:
    from hippo.runtime.plan_run import PlanRun


class CallHost(Protocol):
    """What a call needs of the control loop that runs it."""

    def next_request(self) -> int:
        """Return a number for a request, larger than any before."""

    def note_withdrawal(self) -> None:
        """Look, in the next turn, for running stages that no request needs any more."""

    def note_leaving(self) -> None:
        """Give no stage out before the tuners that were told to end have ended."""

    @property
    def ready_stages(self) -> int:
        """How many stages could start now."""

    def elapsed(self) -> float:
        """Return seconds on a clock that never goes back."""

    def wake_after(self, seconds: float) -> None:
        """Take a turn when so much time has passed."""


class Call:
    """One tuner call of one study: its task, and the answers that it is given.

    Args:
      host: the control loop.
      study: whose call it is.
      runs: name of each member of the study -> its plan at work.
      row: the call as it is written down.
      past: what it asked, and was told, when it ran before.
      check_config: refuses a config that the study's trainer cannot be trained with.
    """

    def __init__(
        self,
        host: CallHost,
        study: StudyState,
        runs: Mapping[str, PlanRun],
        row: CallRow,
        *,
        past: RecordedCall,
        check_config: CheckConfig,
    ) -> None:
        self.study = study
        self.row = row
        #: the control loop was told to end it before its tuner came to an end
        self.was_ended = False
        #: what ends the call, whatever its tuner makes of being cancelled
        self.error: Exception | None = None
        #: streams that pull from the tuner, the oldest first
        self.streams: list[RequestStream] = []
        #: blocks of the tuner that end when something is spent, the outermost first
        self.limits: list[Limit] = []
        self._runs = runs
        self._host = host
        self._task: asyncio.Task[Any] | None = None
        self._other_waits = OtherWaits()
        self.book = RequestBook(study, runs, row, past=past, check_config=check_config)
        self.pins = CallPins(self.book, runs)
        self._order = CallOrder(past, self.book, self.streams, self._other_waits)

    @property
    def runs(self) -> Collection[PlanRun]:
        """The plans that it asks."""
        return self._runs.values()

    @property
    def members(self) -> Collection[str]:
        """The names of the study's members, the first of them first."""
        return self._runs.keys()

    async def answer(self, asking: Coroutine[Any, Any, Any]) -> Any:
        """Run a tuner to its end and return what it returns.

        Raises:
          Exception: the tuner's own, or what `fail` was told.
        """
        if not asyncio.iscoroutine(asking):
            raise TunerError(
                f"tune(self, ask) is no coroutine, but returned {asking!r}; write: async def tune(self, ask)"
            )
        self._task = asyncio.get_running_loop().create_task(asking, context=self._other_waits.context())
        try:
            result = await self._task
        except asyncio.CancelledError:
            if self.error is not None:
                raise self.error from None
            if self.was_ended:
                return None
            raise
        if self.error is not None:  # the tuner kept it to itself
            raise self.error
        return result

    # --- requests

    def request(self, asked: Proposal, member: str, *, comes_alone: bool) -> Request:
        """Ask a member; the answer comes with the request's future."""
        check_steps("until", asked.until)
        trial = self.book.trial_of(asked, member)
        node = trial.path.node_at(asked.until)
        is_recorded = self._order.note_question(TrialPoint(trial.number, asked.until, member))
        request = Request(
            id=self._host.next_request(),
            call=self,
            study=self.study,
            trial=trial,
            node=node,
            until=asked.until,
            final=asked.final,
            future=asyncio.get_running_loop().create_future(),
            is_extension=asked.is_extension or asked.is_speculative,
            is_speculative=asked.is_speculative,
            comes_alone=comes_alone,
            evaluate=asked.evaluate,
            is_transient=asked.is_transient,
            row=None if is_recorded else self.book.write_down(trial, asked),
        )
        self.book.add(request)
        return request

    def withdraw(self, requests: Iterable[Request]) -> None:
        """Withdraw those requests that have no answer yet, and cancel what their tuner awaits."""
        for request in sorted(requests, key=lambda request: request.id):
            if self.book.withdraw(request):
                request.future.cancel()
                self._host.note_withdrawal()

    def mark_running(self, request: Request) -> None:
        """Note that a stage of this request's path began."""
        self.book.mark_running(request)

    def become_answerable(self, request: Request) -> None:
        """Note that a request's facts are there, or will never be."""
        self.book.answerable[request.id] = request

    @property
    def may_ask_more(self) -> bool:
        """Whether the tuner may want more than it has asked for: a stream is open, or a request is not its last."""
        return any(not stream.is_exhausted for stream in self.streams) or any(
            not request.final for request in self.book.waiting()
        )

    # --- ending

    def cancel(self) -> None:
        """Cancel the tuner's coroutine; the call ends when that has."""
        if self._task is not None:
            self._task.cancel()

    def end(self) -> None:
        """Cancel the tuner's coroutine for its user, who stopped the study: the call counts as interrupted."""
        self.was_ended = True
        self.cancel()

    def fail(self, error: Exception) -> None:
        """Cancel the tuner's coroutine, and have the call raise this error; the first one counts."""
        self.error = self.error or error
        self.cancel()

    def close(self, state: CallState) -> None:
        """Withdraw whatever the tuner left waiting, and write down how the call and its trials ended.

        Args:
          state: how the call ended.
        """
        self.cancel()
        self.withdraw(self.book.waiting())
        self.pins.close()
        self.book.close()
        self.study.set_call_state(self.row, state)
        if state == CallState.COMPLETE:
            self.study.finish_trials(self.row, promised=self.book.promised)
        else:
            self.study.pause_trials(self.row)

    # --- answering

    def deliver(self) -> Sequence[Delivery]:
        """Return the next answers, written down; they are told when that is durable."""
        if not self._order.is_replaying and any(limit.end_if_reached() for limit in self.limits):
            self._host.note_leaving()
            return []
        requests, number = self._order.next_delivery()
        try:
            return [Delivery(request.future, self.book.answer(request, number)) for request in requests]
        except UnknownMetricError as error:
            self.fail(error)
            self._host.note_leaving()
            return []

    @property
    def has_demand(self) -> bool:
        """Whether a request would be pulled if there was room for one."""
        return not self._order.is_replaying and self._order.has_demand

    def grant(self, room: int) -> None:
        """Say that there is room for so many more requests; goes to the oldest stream that wants it."""
        self._order.grant(room)

    @property
    def pulls_again(self) -> bool:
        """Whether the next thing to replay is a pull: then `replay_pull` before anything else."""
        return self._order.pulls_again

    def replay_pull(self) -> None:
        """Let a stream pull what it pulled at this moment before."""
        self._order.replay_pull()

    def note_pull(self) -> None:
        """A stream pulled a request, or found none: a number of its own tells a re-run when."""
        self._order.note_pull()


class CallSource:
    """A call as its tuner's `Ask` sees it: where answers come from, and what else the runtime can be asked."""

    def __init__(self, call: Call, host: CallHost) -> None:
        self._call = call
        self._host = host
        self.members = tuple(call.members)
        self.streams = call.streams
        self.limits = call.limits
        self.expect = call.book.expect
        self.request = call.request
        self.withdraw = call.withdraw
        self.note_pull = call.note_pull
        self.pin = call.pins.pin
        self.unpin = call.pins.unpin
        #: a call that was complete is only read again: nothing new is begun by it where a limit had ended it
        self.was_complete = call.row.state == CallState.COMPLETE

    @property
    def objectives(self) -> Sequence[Objective]:
        return self._call.study.settings.objectives

    @property
    def ready_stages(self) -> int:
        return self._host.ready_stages

    def release(self, config: Config, member: str) -> None:
        self._call.book.release(config, member)

    def missing_steps(self, config: Config, until: int, member: str) -> int:
        return self._call.book.missing_steps(config, until, member)

    def spent_s(self) -> float:
        return self._call.study.counters.device_seconds - self._call.row.device_seconds_before

    def elapsed(self) -> float:
        return self._host.elapsed()

    def wake_after(self, seconds: float) -> None:
        unowned(functools.partial(self._host.wake_after, seconds))
