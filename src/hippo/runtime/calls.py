"""One call of a tuner: what it asks a plan, and what it is answered.

A call's answers are recorded in the order in which they were given, in deliveries: the answers that were there
together when all tuners were quiet. A re-run is given the same deliveries in the same order, and so arrives where it
was; what is known beyond them comes after.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from hippo.errors import TunerError, UnknownHparamError, UnknownMetricError, did_you_mean, storable_text
from hippo.hparams import Config, as_config
from hippo.plan import CallRow, ConfigPaths, TrialRow
from hippo.records import Answer, Failure, Objective, TrialState
from hippo.runtime.answers import compose
from hippo.runtime.elsewhere import Elsewhere, unowned
from hippo.runtime.limits import Limit
from hippo.runtime.participants import Delivery
from hippo.runtime.replay import DeliveryLog, RecordedCall
from hippo.runtime.requests import Request
from hippo.runtime.streams import RequestStream
from hippo.runtime.study_state import StudyState, Trial
from hippo.tuners.ask import Proposal
from hippo.tuners.budgets import check_steps

if TYPE_CHECKING:
    from hippo.runtime.plan_run import PlanRun

#: refuses a config that a trainer cannot be trained with
CheckConfig = Callable[[Config, int], None]


class Desk(Protocol):
    """What calls need of the control loop."""

    def next_request(self) -> int:
        """Return a number for a request, larger than any before."""

    def note_withdrawal(self) -> None:
        """Look, when all is quiet, for work that nobody waits for any more."""

    def note_leaving(self) -> None:
        """Let whoever was told to end speak before work is given out."""

    @property
    def ready_stages(self) -> int:
        """How many stages could start now."""

    def elapsed(self) -> float:
        """Return seconds on a clock that never goes back."""

    def wake_after(self, seconds: float) -> None:
        """Take a turn when so much time has passed."""


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


class Call:
    """One tuner call of one study: asks its plan, and records what it is answered.

    Args:
      desk: the control loop.
      study: whose call it is.
      run: the plan that it asks.
      row: the call as it is written down.
      past: what it asked, and was told, when it ran before.
      log: the order of its answers, and of those of its replicates.
      member: which of the replicates it is; 0, the only one or the first, leads.
      check_config: refuses a config that the study's trainer cannot be trained with.
    """

    def __init__(
        self,
        desk: Desk,
        study: StudyState,
        run: PlanRun,
        row: CallRow,
        *,
        past: RecordedCall,
        log: DeliveryLog,
        member: int = 0,
        check_config: CheckConfig,
    ) -> None:
        self.study = study
        self.run = run
        self.row = row
        #: the call whose tuner this one's answers go to, if it is not its own
        self.leader: Call | None = None
        #: somebody had it end before its tuner came to an end
        self.was_ended = False
        #: what ends the call, whatever its tuner makes of being cancelled
        self.error: Exception | None = None
        self.streams: list[RequestStream] = []
        self.limits: list[Limit] = []
        #: a call that was complete is only read again: nothing new is begun by it where a limit had ended it
        self.was_complete = row.state == "complete"
        self._desk = desk
        self._check_config = check_config
        self._task: asyncio.Task[Any] | None = None
        self._trials: dict[tuple[Config, int], Trial] = {}
        self._paths = ConfigPaths(run.plan)
        self._waiting: dict[tuple[int, int], list[Request]] = {}  # (trial, until) -> who waits for it
        self._answerable: dict[int, Request] = {}
        self._log = log
        self._member = member
        self._elsewhere = Elsewhere()
        #: how often the call asked this when it ran before, whatever came of it
        self._asked_before = past.asked
        #: it asked what it never asked before: then recorded answers need not be asked for again
        self._has_gone_another_way = False
        self._is_pulling_again = False
        self._num_looks = 0
        self._recorded_looks = past.uncovered
        self._new_looks: list[int] = []
        #: the largest step asked for, extensions not counted
        self._promised = 0

    async def answer(self, asking: Coroutine[Any, Any, Any]) -> Any:
        """Run a tuner to its end and return what it returns.

        Raises:
          Exception: the tuner's own, or what `fail` was told.
        """
        if not asyncio.iscoroutine(asking):
            raise TunerError(
                f"tune(self, ask) is no coroutine, but returned {asking!r}; write: async def tune(self, ask)"
            )
        self._task = asyncio.get_running_loop().create_task(asking, context=self._elsewhere.context())
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

    # --- what a tuner may say

    @property
    def objectives(self) -> Sequence[Objective]:
        return self.study.settings.objectives

    @property
    def ready_stages(self) -> int:
        return self._desk.ready_stages

    def release(self, config: Config) -> None:
        occurrences = itertools.takewhile(lambda n: (config, n) in self._trials, itertools.count())
        for trial in [self._trials[(config, n)] for n in occurrences]:
            for request in self._waiting_for(trial):
                request.final = True

    def uncovered(self, config: Config, until: int) -> int:
        """Return how many steps are uncovered: now, or, where a tuner asks this again, when it asked first.

        What is uncovered changes with every event, and a re-run must decide as the first run did. So what was said is
        kept with the next request.
        """
        number = self._num_looks
        self._num_looks += 1
        if number in self._recorded_looks:
            return self._recorded_looks[number]
        self._new_looks.append(self._uncovered_now(config, until))
        return self._new_looks[-1]

    def _take_looks(self) -> str:
        """Return what was said of uncovered steps since the last request, to be kept with the next one."""
        taken, self._new_looks = self._new_looks, []
        return json.dumps([self._num_looks - len(taken), *taken]) if taken else ""

    def _uncovered_now(self, config: Config, until: int) -> int:
        if self.study.settings.sharing:
            return self.run.uncovered(config, until, owner="")
        trial = self._trials.get((config, 0))
        return until if trial is None else self.run.uncovered(config, until, owner=self._owner(trial.number))

    def spent_s(self) -> float:
        return self.study.counters.device_seconds - self.row.device_seconds_before

    def elapsed(self) -> float:
        return self._desk.elapsed()

    def wake_after(self, seconds: float) -> None:
        unowned(functools.partial(self._desk.wake_after, seconds))

    def request(self, asked: Proposal, *, comes_alone: bool) -> Request:
        until = asked.until
        check_steps("until", until)
        trial = self._trial(as_config(asked.config), asked.occurrence, until)
        node = trial.trail.node_at(until)
        waiting = self._waiting.setdefault((trial.number, until), [])
        is_recorded = self._log.left(self._member, trial.number, until) > len(waiting)
        self._note_question((trial.number, until))
        request = Request(
            id=self._desk.next_request(),
            call=self,
            study=self.study,
            trial=trial,
            node=node,
            until=until,
            final=asked.final,
            future=asyncio.get_running_loop().create_future(),
            is_extension=asked.is_extension or asked.is_speculative,
            is_speculative=asked.is_speculative,
            comes_alone=comes_alone,
            evaluate=asked.evaluate,
            is_transient=asked.is_transient,
            row=None if is_recorded else self.study.add_request(trial, until, asked.final, self._take_looks()),
        )
        trial.waiting += 1
        if not request.is_extension:
            self._promised = max(self._promised, until)
        if until > trial.row.until and not request.is_speculative:
            self.study.update_trial(trial, replace(trial.row, until=until, node=node.id))
        waiting.append(request)
        if self.run.add_request(request):
            self._answerable[request.id] = request
        return request

    def _note_question(self, point: tuple[int, int]) -> None:
        """Note a question, and whether the call asked it when it ran before."""
        self._asked_before[point] -= 1
        self._has_gone_another_way |= bool(self._log) and self._asked_before[point] < 0

    def _trial(self, config: Config, occurrence: int, until: int) -> Trial:
        key, is_shared = (config, occurrence), self.study.settings.sharing
        trial = self._trials.get(key)
        if trial is None:
            check_known(config, self.study.settings.hparams)
            path = self._paths.of(config) if is_shared else self.run.plan.path(config)
        else:
            path = trial.trail
        path.check(until)
        self._check_config(config, until)
        if trial is None:
            trial = self.study.trial(
                self.row, config, occurrence, lambda number: path if is_shared else path.owned_by(self._owner(number))
            )
            self._trials[key] = trial
        return trial

    def _owner(self, number: int) -> str:
        """Return what names the root that a trial has to itself."""
        return f"{self.study.row.study}/{number}"

    def withdraw(self, requests: Iterable[Request]) -> None:
        for request in sorted(requests, key=lambda request: request.id):
            waiting = self._waiting.get((request.trial.number, request.until), [])
            if request not in waiting:
                continue
            self._forget(request)
            self.run.remove_request(request)
            self._answerable.pop(request.id, None)
            request.future.cancel()
            if request.row is not None:
                self.study.settle_request(request.row, "withdrawn")
            if not request.trial.waiting:
                self._set_state(request, TrialState.PAUSED if request.trial.row.step else TrialState.WAITING)
            self._desk.note_withdrawal()

    @property
    def may_ask_more(self) -> bool:
        """Whether the tuner may want more than it has asked for: a stream is open, or a request is not its last."""
        waiting = (request for requests in self._waiting.values() for request in requests)
        return any(not stream.is_exhausted for stream in self.streams) or any(not r.final for r in waiting)

    def _waiting_for(self, trial: Trial) -> list[Request]:
        return [request for (number, _), found in self._waiting.items() if number == trial.number for request in found]

    def _forget(self, request: Request) -> None:
        request.trial.waiting -= 1
        key = (request.trial.number, request.until)
        self._waiting[key].remove(request)
        if not self._waiting[key]:
            del self._waiting[key]

    # --- ending

    def cancel(self) -> None:
        """End without an error."""
        if self.leader is not None:
            self.leader.cancel()
        elif self._task is not None:
            self._task.cancel()

    def end(self) -> None:
        """End without an error, as if the tuner had come to an end."""
        if self.leader is not None:
            self.leader.end()
        else:
            self.was_ended = True
            self.cancel()

    def fail(self, error: Exception) -> None:
        """End with this error."""
        self.error = self.error or error
        if self.leader is not None:
            self.leader.fail(error)
        else:
            self.cancel()

    def close(self, state: str) -> None:
        """Withdraw whatever the tuner left waiting, and write down how the call and its trials ended.

        Args:
          state: "complete", "failed" or "interrupted".
        """
        self.cancel()
        self.withdraw([request for waiting in list(self._waiting.values()) for request in waiting])
        self.study.set_call_state(self.row, state)
        if state == "complete":
            self.study.finish_trials(self.row, promised=self._promised)
        else:
            self.study.pause_trials(self.row)

    # --- answering

    def become_answerable(self, request: Request) -> None:
        """Note that a request's facts are there, or will never be."""
        self._answerable[request.id] = request

    @property
    def wants_room(self) -> bool:
        """Whether a request would be pulled if there was room for one."""
        return not self._log and self._has_hungry_stream()

    def _has_hungry_stream(self) -> bool:
        return any(stream.wants_room for stream in self.streams)

    def offer(self, room: int) -> None:
        """Say that there is room for so many more requests; goes to the oldest stream that wants it."""
        next(stream for stream in self.streams if stream.wants_room).offer(room)

    def note_pull(self) -> None:
        """A stream pulled a request, or found none: a number of its own tells a re-run when."""
        if self._is_pulling_again:
            self._is_pulling_again = False
        else:
            self._log.take_number()

    @property
    def pulls_again(self) -> bool:
        """Whether the next thing to replay is a pull: then `replay_pull` before anything else."""
        self._skip_what_is_no_longer_asked()
        return self._log.next(self._member) == [] and self._has_hungry_stream()

    def replay_pull(self) -> None:
        """Let a stream pull what it pulled at this moment before."""
        self._log.advance()
        self._is_pulling_again = True
        self.offer(1)

    def deliver(self) -> Sequence[Delivery]:
        """Return the next answers, written down; they are told when that is durable."""
        if not self._log and any(limit.look() for limit in self.limits):
            self._desk.note_leaving()
            return []
        self._skip_what_is_no_longer_asked()
        is_replaying = bool(self._log)
        requests = self._next_delivery()
        if not requests:
            return []
        if is_replaying:
            self._restore_seconds(requests)
            self._log.advance()
        number = None if is_replaying else self._log.take_number()
        try:
            return [Delivery(request.future, self._answer(request, number)) for request in requests]
        except UnknownMetricError as error:
            self.fail(error)
            self._desk.note_leaving()
            return []

    def _next_delivery(self) -> list[Request]:
        if self._log:
            if self._may_ask_more():
                return []
            waiting = self._waiting_for_next()
            # all facts were committed together with the answers; if any was lost since, it is run again first
            return waiting if all(request.id in self._answerable for request in waiting) else []
        return [self._answerable[number] for number in sorted(self._answerable)]

    def _skip_what_is_no_longer_asked(self) -> None:
        """Go to the next recorded delivery that somebody waits for, or may yet: what else was recorded is no matter."""
        while (ahead := self._log.next(self._member)) is not None:
            if self._waiting_for_next() if ahead else self._has_hungry_stream():
                return
            if self._may_ask_more():
                return
            self._log.advance()

    def _may_ask_more(self) -> bool:
        """Tell whether the next recorded delivery should wait: not all of it is asked for, and the rest may come.

        A tuner that decides by its answers alone asks again all that it asked before. While it is busy elsewhere, it
        has only not come to it yet. One that has asked something new is another one, and nothing is known of it.
        """
        ahead = self._log.next(self._member)
        if ahead is None or self._has_gone_another_way:
            return False
        wanted = Counter((answer.trial, answer.until) for answer in ahead)
        is_asked = all(len(self._waiting.get(point, ())) >= count for point, count in wanted.items())
        if is_asked if ahead else self._has_hungry_stream():
            return False
        # with no question open it can only be waiting for something else, whatever that is
        has_open_question = bool(self._waiting) or self._has_hungry_stream()
        return not has_open_question or self._elsewhere.is_busy(asyncio.get_running_loop().time())

    def _waiting_for_next(self) -> list[Request]:
        # two requests for one point, one of them speculative, are two answers of one delivery
        points = dict.fromkeys((answer.trial, answer.until) for answer in self._log.next(self._member) or [])
        return [request for point in points for request in self._waiting.get(point, ())]

    def _restore_seconds(self, requests: Iterable[Request]) -> None:
        """Let the answers of the next recorded delivery name the seconds that they named when they were given first."""
        named = {(answer.trial, answer.until): answer.seconds for answer in self._log.next(self._member) or []}
        for request in requests:
            request.seconds = named[request.trial.number, request.until]

    def _answer(self, request: Request, delivery: int | None) -> Answer:
        answer = compose(request, self.study.settings)
        self._forget(request)
        del self._answerable[request.id]
        if request.row is not None:
            self.study.settle_request(request.row, "answered", delivery, answer.seconds)
            request.row = None  # there may be a million that wait for the last of them
        # a trial that was retried is answered in the place of its old failure, and by something that is new
        is_known = delivery is None and (answer.failure is None or _has_failed(request.trial.row))
        self._record(request, answer)
        if not request.is_speculative:
            self.study.announcer.tell_answer(answer, request.node, is_known=is_known)
        return answer

    def _record(self, request: Request, answer: Answer) -> None:
        trial, row = request.trial, request.trial.row
        if request.is_speculative:
            return  # what was run ahead of time says nothing of the trial until somebody asks for it
        if row.state == TrialState.FAIL.value:
            return  # whatever else it is asked: a trial that failed has failed
        if _is_over(row, request.until):
            return  # a re-run finds out again what was known: that the trial was over
        if answer.failure is not None:
            failed = replace(row, state=TrialState.FAIL.value, error=_summary(answer.failure))
            self.study.update_trial(trial, failed)
            return
        if request.until >= row.step:
            loss = answer.loss if len(answer.losses) == 1 and math.isfinite(answer.loss) else None
            state = row.state if trial.waiting else TrialState.PAUSED.value
            self.study.update_trial(trial, replace(row, step=request.until, loss=loss, state=state))
            if loss is not None and all(violation <= 0 for violation in answer.violations):
                self.study.note_loss(loss)

    def mark_running(self, request: Request) -> None:
        """Note that a stage of this request's path began."""
        self._set_state(request, TrialState.RUNNING)

    def _set_state(self, request: Request, state: TrialState) -> None:
        trial = request.trial
        if trial.row.state != TrialState.FAIL.value and not _is_over(trial.row, request.until):
            self.study.update_trial(trial, replace(trial.row, state=state.value))


def _has_failed(row: TrialRow) -> bool:
    return row.state == TrialState.FAIL.value


def _is_over(row: TrialRow, until: int) -> bool:
    """Tell whether a trial had come to its end before, and nothing beyond it is asked for."""
    return row.state in (TrialState.COMPLETE.value, TrialState.PRUNED.value) and until <= row.step


def _summary(failure: Failure) -> str:
    return storable_text(f"{failure.method}() at step {failure.step}: {failure.error}")
