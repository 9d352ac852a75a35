"""What one call has asked and not been told yet, and what it does to its trials when it is.

A request enters its trial, its member's plan and this book at once, and leaves all three at once, answered or
withdrawn: so what waits here is what the plan is asked to come to, and a trial that waits for nothing is paused. It
refuses to know which trials a call has, what its tuner awaits, and the order in which answers are given.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hippo.errors import storable_text
from hippo.frozen import changed
from hippo.hparams import Config
from hippo.plan import RequestRow, RequestState, TrialRow
from hippo.records import ENDED_STATES, Answer, Failure, Point, TrialState
from hippo.runtime.studies.answers import compose, failed_on_metrics, missing_metric
from hippo.runtime.studies.asked_trials import AskedTrials
from hippo.runtime.studies.replay import TrialPoint
from hippo.runtime.studies.requests import Request
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.studies.trial_book import MemberTrial
from hippo.tuners.ask import Proposal

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun

#: as a row has them: asking an enum for a value takes two calls, and a request asks eight times
_FAIL, _PAUSED = TrialState.FAIL.value, TrialState.PAUSED.value
_RUNNING, _WAITING = TrialState.RUNNING.value, TrialState.WAITING.value
_OVER = tuple(state.value for state in ENDED_STATES)


class RequestBook:
    """The requests of one call that wait.

    Args:
      study: whose call it is.
      runs: name of each member -> its plan at work.
      trials: those that the call asked about.
    """

    def __init__(self, study: StudyState, runs: Mapping[str, PlanRun], trials: AskedTrials) -> None:
        self._study = study
        self._runs = runs
        self._trials = trials
        self._waiting: dict[TrialPoint, list[Request]] = {}
        #: those whose facts are there, or will never be, by number
        self.answerable: dict[int, Request] = {}
        #: member -> the largest step asked for, extensions not counted
        self.promised: defaultdict[str, int] = defaultdict(int)

    def __bool__(self) -> bool:
        """Whether any request waits."""
        return bool(self._waiting)

    # --- asking

    def write_down(self, trial: MemberTrial, asked: Proposal) -> RequestRow:
        """Return the row of a new request."""
        queries = self._trials.queries.take_new(trial.row.member)
        return self._study.add_request(trial, asked.until, asked.final, queries)

    def add(self, request: Request) -> None:
        """Let a request wait, in its member's plan too."""
        trial, until, member = request.trial, request.until, request.member
        trial.waiting += 1
        if request.is_extension:
            trial.is_aside = trial.is_aside is not False
        else:
            trial.is_aside = False
            self.promised[member] = max(self.promised[member], until)
        if until > trial.row.until and not request.is_speculative:
            self._study.book.update(changed(trial.row, until=until, node=request.node.id))
        self._waiting.setdefault(request.at, []).append(request)
        run = self._runs[member]
        run.residency.released.take_up(trial)
        if run.waiting.add(request):
            self.answerable[request.id] = request

    def release(self, config: Config, member: str) -> None:
        """Let the states at which a config's trials are asked be the last that anybody needs, and free the memory."""
        trials = {trial.number: trial for trial in self._trials.of(config, member)}
        asked: dict[int, list[Point]] = {number: [] for number in trials}
        for request in self.waiting():
            if request.member == member and request.trial.number in trials:
                request.final = True
                asked[request.trial.number].append(Point(request.node.id, request.until))
        for number, trial in trials.items():
            self._runs[member].residency.released.give_up(trial, asked[number])

    # --- waiting

    def at(self, point: TrialPoint) -> list[Request]:
        """Return the requests that wait for a point, the oldest first: two, where one of them is speculative, say."""
        return self._waiting.get(point, [])

    def waiting(self) -> list[Request]:
        """Return all requests that wait."""
        return [request for requests in self._waiting.values() for request in requests]

    def withdraw(self, request: Request) -> bool:
        """Let a request wait no longer; return whether it did."""
        if request not in self.at(request.at):
            return False
        self._remove(request)
        self._runs[request.member].waiting.remove(request)
        if request.row is not None:
            self._study.settle_request(request.row, RequestState.WITHDRAWN)
        if not request.trial.waiting:
            self._set_state(request, _PAUSED if request.trial.row.step else _WAITING)
        return True

    def _remove(self, request: Request) -> None:
        request.trial.waiting -= 1
        at = request.at
        waiting = self._waiting[at]
        waiting.remove(request)
        if not waiting:
            del self._waiting[at]
        self.answerable.pop(request.id, None)

    # --- answering

    def answer(self, request: Request, delivery: int | None) -> Answer:
        """Return the answer to a request whose facts are there, written down in its trial.

        Args:
          request: which.
          delivery: the number of the delivery; None while a recorded one is given again.

        Raises:
          UnknownMetricError: `evaluate` does not return the study's metric, and never did.
        """
        book = self._study.book
        answer = compose(request, self._study.settings, has_metrics=book.have_metrics)
        if request.evaluate and not book.has_metrics:
            book.has_metrics = not missing_metric(self._study.settings, answer.metrics)
        self._remove(request)
        if answer.failure is None:
            point = Point(request.node.id, request.until)
            self._runs[request.member].residency.released.move(request.trial, point)
        if request.row is not None:
            self._study.settle_request(request.row, RequestState.ANSWERED, delivery, answer.seconds)
            request.row = None  # there may be a million that wait for the last of them
        # a trial that was retried is answered in the place of its old failure, and by something that is new
        is_known = delivery is None and (answer.failure is None or _has_failed(request.trial.row))
        self._record(request, answer)
        if not request.is_speculative:
            self._study.announcer.tell_answer(answer, request.node, is_known=is_known)
        return answer

    def _record(self, request: Request, answer: Answer) -> None:
        trial, row = request.trial, request.trial.row
        if request.is_speculative:
            return  # what was run ahead of time says nothing of the trial until its tuner asks for it
        if row.state == _FAIL and not _was_voided(row, request.until, answer):
            return  # whatever else it is asked: a trial that failed has failed
        if _is_over(row, request.until):
            return  # a re-run finds out again what was known: that the trial was over
        if answer.failure is not None:
            failed = changed(row, state=_FAIL, error=_summary(answer.failure))
            self._study.book.update(failed)
            self._study.book.members[row.member].losses.forget(row.number)
            return
        if request.until >= row.step:
            losses, violations = answer.losses, answer.violations
            loss = losses[0] if len(losses) == 1 and math.isfinite(losses[0]) else None
            state = row.state if trial.waiting and row.state != _FAIL else _PAUSED
            self._study.book.update(changed(row, step=request.until, loss=loss, state=state, error=""))
            if loss is not None and (not violations or all(violation <= 0 for violation in violations)):
                self._study.note_loss(loss, row, request.until)

    def become_answerable(self, request: Request) -> None:
        """Note that a request's facts are there, or will never be."""
        self.answerable[request.id] = request

    def mark_running(self, request: Request) -> None:
        """Note that a stage of this request's path began."""
        self._set_state(request, _RUNNING)

    def _set_state(self, request: Request, state: str) -> None:
        row = request.trial.row
        if row.state != _FAIL and not _is_over(row, request.until):
            self._study.book.update(changed(row, state=state))


def _has_failed(row: TrialRow) -> bool:
    return row.state == _FAIL


def _was_voided(row: TrialRow, until: int, answer: Answer) -> bool:
    """Tell whether what a trial failed of was taken back, by another study of its plan: it came as far as asked."""
    return answer.failure is None and until >= row.until and not failed_on_metrics(row.error)


def _is_over(row: TrialRow, until: int) -> bool:
    """Tell whether a trial had come to its end before, and nothing beyond it is asked for."""
    return row.state in _OVER and until <= row.step


def _summary(failure: Failure) -> str:
    return storable_text(f"{failure.method}() at step {failure.step}: {failure.error}")
