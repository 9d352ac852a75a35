"""One call of a tuner: the runtime's side of `Ask`.

A call's answers are recorded in the order in which they were given, in deliveries: the answers that were there
together when all tuners were quiet. A re-run is given the same deliveries in the same order, and so arrives where it
was; what is known beyond them comes after.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from hippo.errors import UnknownHparamError, UnknownMetricError, did_you_mean
from hippo.hparams import Config, as_config
from hippo.plan import CallRow, Trail
from hippo.records import Answer, Failure, TrialState
from hippo.runtime.answers import compose
from hippo.runtime.checking import ConfigCheck
from hippo.runtime.requests import Request
from hippo.runtime.study_state import StudyState, Trial
from hippo.tuners import ConfigLike
from hippo.tuners.budgets import check_steps

if TYPE_CHECKING:
    from hippo.runtime.plan_run import PlanRun
    from hippo.runtime.runtime import Runtime


class Call:
    """Implements `hippo.tuners.Ask` for one tuner call of one study."""

    def __init__(self, runtime: Runtime, study: StudyState, run: PlanRun, row: CallRow) -> None:
        self._runtime = runtime
        self._study = study
        self._run = run
        self.row = row
        self._trials: dict[tuple[str, int], Trial] = {}
        self._checks: dict[str, ConfigCheck] = {}
        self._waiting: dict[tuple[int, int], list[Request]] = {}  # (trial, until) -> who waits for it
        self._answerable: dict[int, Request] = {}
        self._replay: deque[list[tuple[int, int]]] = deque(study.recorded_answers(row))
        self._recorded = {answer for delivery in self._replay for answer in delivery}
        self._deliveries = len(self._replay)
        study.void_requests(row)

    # --- what a tuner may say

    async def __call__(self, config: ConfigLike, *, until: int, final: bool = False) -> Answer:
        request = self._ask(as_config(config), 0, until, final)
        try:
            return await request.future
        finally:
            self._withdraw([request])

    async def all(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> list[Answer]:
        requests = self._ask_each(configs, until, final)
        try:
            return [await request.future for request in requests]
        finally:
            self._withdraw(requests)

    async def any(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> AsyncIterator[Answer]:
        requests = self._ask_each(configs, until, final)
        pending = {request.future for request in requests}
        try:
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                answers = [future.result() for future in done]
                for answer in sorted(answers, key=lambda answer: answer.trial):
                    yield answer
        finally:
            self._withdraw(requests)

    def release(self, config: ConfigLike) -> None:
        for (key, _), trial in self._trials.items():
            if key == as_config(config).key:
                trial.released = True

    # --- asking

    def _ask_each(self, configs: Iterable[ConfigLike], until: int, final: bool) -> list[Request]:
        occurrences: Counter[str] = Counter()
        requests = []
        try:
            for given in configs:
                config = as_config(given)
                requests.append(self._ask(config, occurrences[config.key], until, final))
                occurrences[config.key] += 1
        except BaseException:
            self._withdraw(requests)
            raise
        return requests

    def _ask(self, config: Config, occurrence: int, until: int, final: bool) -> Request:
        check_steps("until", until)
        trial = self._trial(config, occurrence, until)
        node = trial.trail.node_at(until)
        recorded = (trial.number, until) in self._recorded
        request = Request(
            id=self._runtime.next_request(),
            call=self,
            study=self._study,
            trial=trial,
            node=node,
            until=until,
            final=final,
            future=asyncio.get_running_loop().create_future(),
            row=None if recorded else self._study.add_request(trial, until, final),
        )
        trial.waiting += 1
        if until > trial.row.until:
            self._study.update_trial(trial, replace(trial.row, until=until, node=node.id))
        self._waiting.setdefault((trial.number, until), []).append(request)
        if self._run.add_request(request):
            self._answerable[request.id] = request
        return request

    def _trial(self, config: Config, occurrence: int, until: int) -> Trial:
        key = (config.key, occurrence)
        trial = self._trials.get(key)
        check = self._checks.get(config.key)
        if check is None:
            self._check_names(config)
            check = self._checks[config.key] = ConfigCheck(config)
        check.up_to(until)
        self._runtime.check_config(self._study, config, until)
        if trial is None:
            trial = self._study.trial(self.row, config, occurrence, lambda number: self._trail(config, number))
            self._trials[key] = trial
        return trial

    def _trail(self, config: Config, number: int) -> Trail:
        owner = "" if self._study.settings.sharing else f"{self._study.row.study}/{number}"
        return self._run.plan.trail(config, owner=owner)

    def _check_names(self, config: Config) -> None:
        """Refuse names that the study was not made for, before anything is trained."""
        known = self._study.settings.hparams
        if known is None:
            return
        for name in config:
            if name not in known:
                raise UnknownHparamError(
                    f"the study knows no {name!r}; it has {sorted(known)}." + did_you_mean(name, known)
                )

    def _withdraw(self, requests: Iterable[Request]) -> None:
        """Withdraw those that were not answered."""
        for request in requests:
            waiting = self._waiting.get((request.trial.number, request.until), [])
            if request not in waiting:
                continue
            self._forget(request)
            self._run.remove_request(request)
            self._answerable.pop(request.id, None)
            request.future.cancel()
            if request.row is not None:
                self._study.settle_request(request.row, "withdrawn")
            if not request.trial.waiting:
                self._set_state(request.trial, TrialState.PAUSED if request.trial.row.step else TrialState.WAITING)
            self._runtime.note_withdrawal()

    def _forget(self, request: Request) -> None:
        request.trial.waiting -= 1
        key = (request.trial.number, request.until)
        self._waiting[key].remove(request)
        if not self._waiting[key]:
            del self._waiting[key]

    # --- ending

    def close(self) -> None:
        """Withdraw whatever the tuner left waiting: tasks that it started and did not wait for end with it."""
        self._withdraw([request for waiting in list(self._waiting.values()) for request in waiting])

    def fail(self, error: Exception) -> None:
        """Give the error to whatever waits, so that the tuner ends with it."""
        for request in [request for waiting in self._waiting.values() for request in waiting]:
            if not request.future.done():
                request.future.set_exception(error)

    # --- answering

    def become_answerable(self, request: Request) -> None:
        """Note that a request's facts are there, or will never be."""
        self._answerable[request.id] = request

    def deliver(self) -> bool:
        """Give the tuner the next answers, if there are any; only when all tuners are quiet."""
        delivery = self._next_delivery()
        if not delivery:
            return False
        replayed = bool(self._replay)
        if replayed:
            self._replay.popleft()
        for request in delivery:
            self._answer(request, None if replayed else self._deliveries)
        if not replayed:
            self._deliveries += 1
        return True

    def _next_delivery(self) -> list[Request]:
        while self._replay:
            waiting = [r for answer in self._replay[0] for r in self._waiting.get(answer, ())]
            if waiting:
                # all facts were committed together with the answers; if any was lost since, it is run again first
                return waiting if all(request.id in self._answerable for request in waiting) else []
            self._replay.popleft()  # the tuner no longer asks this; what was recorded of it does not matter
        return [self._answerable[number] for number in sorted(self._answerable)]

    def _answer(self, request: Request, delivery: int | None) -> None:
        self._forget(request)
        del self._answerable[request.id]
        if request.row is not None:
            self._study.settle_request(request.row, "answered", delivery)
        try:
            answer = compose(request, self._study.settings)
        except UnknownMetricError as error:
            request.future.set_exception(error)
            return
        self._record(request, answer)
        if not request.future.done():
            request.future.set_result(answer)

    def _record(self, request: Request, answer: Answer) -> None:
        trial, row = request.trial, request.trial.row
        if answer.failure is not None:
            trial.failure = answer.failure
            failed = replace(row, state=TrialState.FAIL.value, error=_summary(answer.failure))
            self._study.update_trial(trial, failed)
            return
        if request.until >= row.step:
            loss = answer.losses[0] if answer.losses and math.isfinite(answer.losses[0]) else None
            state = row.state if trial.waiting else TrialState.PAUSED.value
            self._study.update_trial(trial, replace(row, step=request.until, loss=loss, state=state))
            if loss is not None:
                self._study.note_loss(loss)

    def mark_running(self, request: Request) -> None:
        """Note that a stage of this request's path began."""
        self._set_state(request.trial, TrialState.RUNNING)

    def _set_state(self, trial: Trial, state: TrialState) -> None:
        if trial.row.state != TrialState.FAIL.value:
            self._study.update_trial(trial, replace(trial.row, state=state.value))


def _summary(failure: Failure) -> str:
    return f"{failure.method}() at step {failure.step}: {failure.error}"
