"""One call of a tuner as decisions see it: what it asks the plans of its study, and what it is to be answered.

A call may ask several plans, one for each member of its study: its seeds, say. It is one call all the same: one task,
one book of requests, and one order in which answers are given, whichever plan they come from. Averages over members
are no matter of this module, but of the tuner's side (`hippo.tuners.averaged`).

A call's answers are recorded in the order in which they were given, in deliveries: the answers that were there
together when all tuners were quiet. A re-run is given the same deliveries in the same order, and so arrives where it
was; what is known beyond them comes after.

This module refuses to know the tuner's task and what it awaits: `waiters` runs the one, `call_source` opens and
cancels the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hippo.errors import UnknownMetricError
from hippo.plan import CallRow, CallState, Node
from hippo.runtime.asking.call_order import CallOrder
from hippo.runtime.asking.call_pins import CallPins
from hippo.runtime.asking.demands import StreamDemand
from hippo.runtime.asking.instructions import EndBlock, Fail
from hippo.runtime.asking.limits import Limit
from hippo.runtime.asking.participants import Delivery
from hippo.runtime.asking.turn_notes import TurnNotes
from hippo.runtime.studies.asked_trials import AskedTrials
from hippo.runtime.studies.replay import RecordedCall
from hippo.runtime.studies.request_book import RequestBook
from hippo.runtime.studies.requests import Request
from hippo.runtime.studies.study_state import StudyState
from hippo.tuners.ask import Proposal
from hippo.tuners.budgets import check_steps

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun


class Call:
    """One tuner call of one study: its questions, and the answers that it is given.

    Args:
      study: whose call it is.
      runs: name of each member of the study -> its plan at work. Members that come later are added, here and for all
        that the call is made of.
      row: the call as it is written down.
      trials: those that it asks about.
      past: what it asked, and was told, when it ran before.
      notes: for the next turn.
      is_busy: tells whether the tuner may still be woken by something that it does not ask for.
    """

    def __init__(
        self,
        study: StudyState,
        runs: dict[str, PlanRun],
        row: CallRow,
        trials: AskedTrials,
        *,
        past: RecordedCall,
        notes: TurnNotes,
        is_busy: Callable[[], bool],
    ) -> None:
        self.study = study
        self.row = row
        #: of the streams that pull from the tuner, the oldest first
        self.demands: list[StreamDemand] = []
        #: blocks of the tuner that end when something is spent, the outermost first
        self.limits: list[Limit] = []
        #: where its tuner says that it is
        self.shown = ""
        self._runs = runs
        self._notes = notes
        #: how many of its tuner's tasks wait for a state to begin at
        self._holding = 0
        self.trials = trials
        self.book = RequestBook(study, runs, self.trials)
        self.pins = CallPins(self.trials, runs)
        self._order = CallOrder(past, self.book, self.demands, is_busy)
        #: a stream pulled a request, or found none
        self.note_pull = self._order.note_pull

    @property
    def runs(self) -> Collection[PlanRun]:
        """The plans that it asks."""
        return self._runs.values()

    @property
    def members(self) -> Collection[str]:
        """The names of the study's members, the first of them first."""
        return self._runs.keys()

    def run_of(self, member: str) -> PlanRun:
        """Return the plan at work on which a member is trained."""
        return self._runs[member]

    def take_in(self, member: str, run: PlanRun, root: Node) -> None:
        """Have a member, unless it is there, whose trials begin at a state of the plan."""
        if member not in self._runs:
            self._runs[member] = run
            self.study.make_member(member, run.plan.row.plan)
            self.trials.take_in(member, root)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Tell its tuner nothing while the block lasts, but that a limit is reached.

        One of its tasks waits for something that a re-run may find there. What others hear meanwhile would come in
        another order then.
        """
        self._holding += 1
        try:
            yield
        finally:
            self._holding -= 1

    # --- requests

    def request(self, number: int, asked: Proposal, member: str, *, comes_alone: bool) -> Request:
        """Ask a member; the answer is delivered to this number.

        Args:
          number: of the request, larger than any before.
          asked: what.
          member: whom.
          comes_alone: more may be asked later that begins alike: states where values change are worth keeping.
        """
        check_steps("until", asked.until)
        trial = self.trials.trial_of(asked, member)
        node = trial.path.node_at(asked.until)
        request = Request(
            id=number,
            book=self.book,
            study=self.study,
            trial=trial,
            node=node,
            until=asked.until,
            final=asked.final,
            is_extension=asked.is_extension or asked.is_speculative,
            is_speculative=asked.is_speculative,
            comes_alone=comes_alone,
            evaluate=asked.evaluate,
            is_transient=asked.is_transient,
            has_company=asked.has_company,
        )
        if not self._order.note_question(request.at):
            request.row = self.book.write_down(trial, asked)
        self.book.add(request)
        return request

    def withdraw(self, request: Request) -> bool:
        """Withdraw a request; return whether it was not answered yet."""
        if not self.book.withdraw(request):
            return False
        self._notes.may_shorten = True
        return True

    @property
    def may_ask_more(self) -> bool:
        """Whether the tuner may want more than it has asked for: a stream is open, or a request is not its last."""
        return any(not demand.is_exhausted for demand in self.demands) or any(
            not request.final for request in self.book.waiting()
        )

    def close(self, state: CallState) -> None:
        """Write down how the call and its trials ended; it has nothing waiting any more.

        Args:
          state: how the call ended.
        """
        self.pins.close()
        self.trials.close()
        self.study.set_call_state(self.row, state)
        if state == CallState.COMPLETE:
            self.study.finish_trials(self.row, promised=self.book.promised)
        else:
            self.study.pause_trials(self.row)

    # --- what the coordinator asks of a participant

    def deliver(self) -> Sequence[Delivery | EndBlock | Fail]:
        """Return the next answers, written down; they are told when that is durable. Or what ends the tuner instead."""
        if self.limits and not self._order.is_replaying:
            for limit in self.limits:
                if limit.is_due:
                    return [EndBlock(limit)]
        if self._holding or not (self.book.answerable or self._order.is_replaying):
            return []
        requests, number = self._order.next_delivery()
        told = []
        try:
            for request in requests:
                told.append(Delivery(request.id, self.book.answer(request, number)))
        except UnknownMetricError as error:
            return [Fail(self, error)]
        return told

    @property
    def has_demand(self) -> bool:
        """Whether a request would be pulled if there was room for one."""
        is_open = bool(self.demands) and not self._holding and not self._order.is_replaying
        return is_open and self._order.has_demand

    @property
    def pulled_runs(self) -> Collection[PlanRun]:
        """The plans of the members that the stream has asked which is granted room next; all, if it asked none yet."""
        members = next((demand.members for demand in self.demands if demand), None)
        return [run for member, run in self._runs.items() if member in members] if members else self.runs

    @property
    def is_pulling(self) -> bool:
        """Whether a stream of its tuner is open."""
        return bool(self.demands)

    @property
    def pulls_again(self) -> bool:
        """Whether the next thing to replay is a pull: then `replay_pull` before anything else."""
        return not self._holding and self._order.pulls_again

    def replay_pull(self) -> None:
        """Note that a stream is given room for what it pulled at this moment before."""
        self._order.replay_pull()
