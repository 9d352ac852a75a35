"""What one call has asked and not been told yet, and what it does to its trials when it is.

A request enters its trial, its member's plan and this book at once, and leaves all three at once, answered or
withdrawn: so what waits here is what the plan is asked to come to, and a trial that waits for nothing is paused. It
refuses to know tasks and the order in which answers are given: futures are in the hands of the call.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hippo.errors import HippoError, TunerError, UnknownHparamError, did_you_mean, storable_text
from hippo.hparams import Config, as_config
from hippo.plan import CallRow, ConfigPaths, RequestRow, RequestState, TrialRow
from hippo.records import Answer, Failure, Point, TrialState
from hippo.runtime.answers import compose
from hippo.runtime.replay import RecordedCall, RecordedQueries, TrialPoint
from hippo.runtime.requests import Request
from hippo.runtime.study_state import StudyState
from hippo.runtime.trial_book import MemberTrial
from hippo.tuners.ask import Proposal
from hippo.tuners.budgets import check_steps

if TYPE_CHECKING:
    from hippo.runtime.plan_run import PlanRun

#: refuses a config that a trainer cannot be trained with
CheckConfig = Callable[[Config, int], None]


def check_known(config: Config, known: Collection[str] | None) -> None:
    """Refuse names that a study was not made for; None is for a study that takes any.

    Raises:
      UnknownHparamError: names the first of them.
    """
    if known is None:
        return
    for name in config:
        if name not in known:
            raise UnknownHparamError(
                f"the study knows no {name!r}; it has {sorted(known)}." + did_you_mean(name, known)
            )


class RequestBook:
    """The requests of one call that wait.

    Args:
      study: whose call it is.
      runs: name of each member -> its plan at work.
      row: the call as it is written down.
      past: what it asked, and was told, when it ran before.
      check_config: refuses a config that the study's trainer cannot be trained with.
    """

    def __init__(
        self,
        study: StudyState,
        runs: Mapping[str, PlanRun],
        row: CallRow,
        *,
        past: RecordedCall,
        check_config: CheckConfig,
    ) -> None:
        self._study = study
        self._runs = runs
        self._row = row
        self._check_config = check_config
        self._queries = RecordedQueries(past.queries)
        self._trials: dict[tuple[str, Config, int], MemberTrial] = {}
        self._paths = {member: ConfigPaths(run.plan.nodes) for member, run in runs.items()}
        for member, nodes in past.nodes.items():
            runs[member].plan.nodes.bring(nodes)  # it will ask for them again
        self._waiting: dict[TrialPoint, list[Request]] = {}
        #: those whose facts are there, or will never be, by number
        self.answerable: dict[int, Request] = {}
        #: member -> the largest step asked for, extensions not counted
        self.promised: defaultdict[str, int] = defaultdict(int)

    def __bool__(self) -> bool:
        """Whether any request waits."""
        return bool(self._waiting)

    # --- asking

    def trial_of(self, asked: Proposal, member: str) -> MemberTrial:
        """Return the trial that is asked about, made if the call had not asked about it before.

        Raises:
          HparamError: the trainer cannot be trained with this config.
        """
        config, is_shared = as_config(asked.config), self._study.settings.sharing
        key = (member, config, asked.occurrence)
        trial = self._trials.get(key)
        if trial is None:
            check_known(config, self._study.settings.hparams)
            path = self._paths[member].of(config) if is_shared else self._runs[member].plan.path(config)
        else:
            path = trial.path
        path.check(asked.until)
        self._check_config(config, asked.until)
        if trial is None:
            trial = self._trials[key] = self._study.trial(
                self._row,
                config,
                asked.occurrence,
                lambda number: path if is_shared else path.owned_by(self._owner(number)),
                member=member,
            )
        return trial

    def expect(self, asked: Sequence[Proposal], member: str) -> None:
        """Have the member's plan look up together what is about to be asked; what is wrong with it is said then."""
        run = self._runs[member]
        if not run.plan.nodes.is_in_parts or not self._study.settings.sharing:
            return
        ways = []
        for proposal in asked:
            with contextlib.suppress(HippoError):
                ways.append(self._paths[member].of(as_config(proposal.config)).ahead(proposal.until))
        run.plan.nodes.expect(way for way in ways if way is not None)

    def _owner(self, number: int) -> str:
        """Return what names the root that a trial has to itself."""
        return f"{self._study.row.study}/{number}"

    def write_down(self, trial: MemberTrial, asked: Proposal) -> RequestRow:
        """Return the row of a new request."""
        queries = self._queries.take_new(trial.row.member)
        return self._study.add_request(trial, asked.until, asked.final, queries)

    def add(self, request: Request) -> None:
        """Let a request wait, in its member's plan too."""
        trial, until = request.trial, request.until
        trial.waiting += 1
        if not request.is_extension:
            self.promised[request.member] = max(self.promised[request.member], until)
        if until > trial.row.until and not request.is_speculative:
            self._study.book.update(replace(trial.row, until=until, node=request.node.id))
        self._waiting.setdefault(request.at, []).append(request)
        self._runs[request.member].residency.released.take_up(trial)
        if self._runs[request.member].waiting.add(request):
            self.answerable[request.id] = request

    def release(self, config: Config, member: str) -> None:
        """Let the states at which a config's trials are asked be the last that anybody needs, and free the memory."""
        occurrences = itertools.takewhile(lambda n: (member, config, n) in self._trials, itertools.count())
        trials = {(trial := self._trials[member, config, n]).number: trial for n in occurrences}
        asked: dict[int, list[Point]] = {number: [] for number in trials}
        for request in self.waiting():
            if request.member == member and request.trial.number in trials:
                request.final = True
                asked[request.trial.number].append(Point(request.node.id, request.until))
        for number, trial in trials.items():
            self._runs[member].residency.released.give_up(trial, asked[number])

    def answered_until(self, config: Config, occurrence: int, member: str) -> int | None:
        """Return after how many steps a trial was answered in this call; None if it was not, or is released."""
        trial = self._trials.get((member, config, occurrence))
        at = None if trial is None else self._runs[member].residency.released.at(trial)
        return None if at is None else at.step

    def point_of(self, config: Config, until: int, occurrence: int, member: str) -> Point:
        """Return where a state lies in a member's plan, whether or not it was ever asked for.

        Raises:
          HparamError: the trainer cannot be trained with this config.
          TunerError: without sharing, each trial has states of its own, and the call has no such trial yet.
        """
        check_steps("until", until)
        trial = self._trials.get((member, config, occurrence))
        if trial is None and not self._study.settings.sharing:
            raise TunerError(f"nothing was asked of {config!r} yet, and with sharing=False nobody else has its states")
        if trial is None:
            check_known(config, self._study.settings.hparams)
        path = self._paths[member].of(config) if trial is None else trial.path
        path.check(until)
        self._check_config(config, until)
        return Point(path.node_at(until).id, until)

    def close(self) -> None:
        """Ask for no more of any trial: the call has ended."""
        for (member, _, _), trial in self._trials.items():
            self._runs[member].residency.released.leave(trial)

    def missing_steps(self, config: Config, until: int, member: str) -> int:
        """Return how many steps of a config are missing: now, or, to a re-run, when it asked first."""
        known = self._queries.known(member)
        if known is not None:
            return known
        missing = self._missing_now(config, until, member)
        self._queries.note(member, missing)
        return missing

    def _missing_now(self, config: Config, until: int, member: str) -> int:
        run = self._runs[member]
        if self._study.settings.sharing:
            return run.remaining.uncovered(config, until, owner="")
        trial = self._trials.get((member, config, 0))
        return until if trial is None else run.remaining.uncovered(config, until, owner=self._owner(trial.number))

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
            self._set_state(request, TrialState.PAUSED if request.trial.row.step else TrialState.WAITING)
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
          UnknownMetricError: `evaluate` does not return the study's metric.
        """
        answer = compose(request, self._study.settings)
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
        if row.state == TrialState.FAIL.value:
            return  # whatever else it is asked: a trial that failed has failed
        if _is_over(row, request.until):
            return  # a re-run finds out again what was known: that the trial was over
        if answer.failure is not None:
            failed = replace(row, state=TrialState.FAIL.value, error=_summary(answer.failure))
            self._study.book.update(failed)
            return
        if request.until >= row.step:
            loss = answer.loss if len(answer.losses) == 1 and math.isfinite(answer.loss) else None
            state = row.state if trial.waiting else TrialState.PAUSED.value
            self._study.book.update(replace(row, step=request.until, loss=loss, state=state))
            if loss is not None and all(violation <= 0 for violation in answer.violations):
                self._study.note_loss(loss, member=row.member)

    def mark_running(self, request: Request) -> None:
        """Note that a stage of this request's path began."""
        self._set_state(request, TrialState.RUNNING)

    def _set_state(self, request: Request, state: TrialState) -> None:
        row = request.trial.row
        if row.state != TrialState.FAIL.value and not _is_over(row, request.until):
            self._study.book.update(replace(row, state=state.value))


def _has_failed(row: TrialRow) -> bool:
    return row.state == TrialState.FAIL.value


def _is_over(row: TrialRow, until: int) -> bool:
    """Tell whether a trial had come to its end before, and nothing beyond it is asked for."""
    return row.state in (TrialState.COMPLETE.value, TrialState.PRUNED.value) and until <= row.step


def _summary(failure: Failure) -> str:
    return storable_text(f"{failure.method}() at step {failure.step}: {failure.error}")
