"""Tells a study's observers what happens to its trials, once it is durable.

Trials share steps, so one step of training is news for every trial whose path it is on; and a trial that comes later
is told of the steps that were there before it, first things first. It refuses to know what observers do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypedDict

from hippo.events import Evaluated, LaneEvent, StepDone
from hippo.hparams import Config
from hippo.plan import Node
from hippo.plan.plan_index import requests_beyond
from hippo.records import Answer, TrialState
from hippo.runtime.studies.observers import (
    Observer,
    StepEvaluated,
    StepTrained,
    StudyEvent,
    StudyWarned,
    TrialAnswered,
    TrialEnded,
    TrialFailed,
)

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun


class _About(TypedDict):
    study: str
    identity: str
    member: str
    trial: int
    config: Config


class Announcer:
    """Tells the observers of one study what happened, once that is durable.

    Args:
      study: its name.
      identity: what no other study has.
    """

    def __init__(self, study: str, identity: str) -> None:
        self._study, self._identity = study, identity
        self._observers: list[Observer] = []
        #: an observer wants more than failures; kept, since it is asked for every event and every answer
        self.is_heard = False
        #: taken together with the changes that it rests on
        self._kept_back: list[StudyEvent] = []
        #: (trial, member) -> the last steps whose training, and whose evaluation, it was told of; the latter is never
        #: ahead
        self._told: dict[tuple[int, str], tuple[int, int]] = {}
        self._configs: dict[tuple[int, str], Config] = {}
        self._failed: set[tuple[int, str]] = set()

    @contextmanager
    def heard_by(self, observers: Sequence[Observer]) -> Iterator[None]:
        """Let these observers hear what happens while the block lasts."""
        self._observers += observers
        self._note_wishes()
        try:
            yield
        finally:
            for observer in observers:
                self._observers.remove(observer)
            self._note_wishes()
            if not self._observers:  # the next observer hears of everything again
                self._told.clear()
                self._configs.clear()
                self._failed.clear()

    def _note_wishes(self) -> None:
        self.is_heard = any(not observer.hears_failures_only for observer in self._observers)

    def take_events(self) -> tuple[StudyEvent, ...]:
        """Return what was kept back, to be told when the changes that were taken at the same moment are durable."""
        events, self._kept_back = tuple(self._kept_back), []
        return events

    def tell(self, events: Sequence[StudyEvent]) -> None:
        """Let observers hear what the store has now."""
        for event in events:
            # calls of one study run at once in several threads, with one observer among them
            for observer in dict.fromkeys(self._observers):
                if isinstance(event, TrialFailed) or not observer.hears_failures_only:
                    observer.observe(event)

    def tell_warning(self, message: str) -> None:
        """Let observers hear of a warning at once: no fact of the store rests on it."""
        for observer in dict.fromkeys(self._observers):
            observer.observe(StudyWarned(study=self._study, message=message))

    def tell_path(self, trial: int, member: str, config: Config, node: Node, until: int, *, evaluated: bool) -> None:
        """Tell of the steps up to `until` that a trial was not told of yet.

        Args:
          trial, member, config: whose path it is.
          node: holds `until`, or lies beyond it.
          until: where the news ends.
          evaluated: the evaluation at `until` is known; False: it may still come.
        """
        trained, tested = self._told.get((trial, member), (0, 0))
        self._configs[trial, member] = config
        about = _About(study=self._study, identity=self._identity, member=member, trial=trial, config=config)
        for owner, start, stop in node.spans(until):
            for step in range(max(start, tested) + 1, stop + 1):
                if step > trained and step in owner.training:
                    self._keep_back(StepTrained(step=step, train_metrics=owner.training[step], **about))
                if step in owner.metrics:
                    self._keep_back(StepEvaluated(step=step, metrics=owner.metrics[step], **about))
        self._told[trial, member] = (max(trained, until), max(tested, until if evaluated else until - 1))

    def tell_answer(self, answer: Answer, node: Node, *, is_known: bool) -> None:
        """Tell what a tuner was told.

        Args:
          answer: is about a trial of this study.
          node: holds the step of the answer.
          is_known: the answer was given to an earlier run already.
        """
        if not self._observers:
            return
        trial, member = answer.trial, answer.member
        about = _About(study=self._study, identity=self._identity, member=member, trial=trial, config=answer.config)
        if answer.failure is None:
            if self.is_heard:
                self.tell_path(trial, member, answer.config, node, answer.step, evaluated=True)
                self._keep_back(TrialAnswered(step=answer.step, metrics=answer.metrics, is_known=is_known, **about))
        elif (trial, member) not in self._failed:
            self._failed.add((trial, member))
            failure = answer.failure
            if self.is_heard:
                self.tell_path(trial, member, answer.config, node, failure.step, evaluated=True)
            self._keep_back(
                TrialFailed(
                    step=failure.step,
                    method=failure.method,
                    error=failure.error,
                    traceback=failure.traceback,
                    is_known=is_known,
                    **about,
                )
            )
            self._keep_back(TrialEnded(state=TrialState.FAIL, **about))

    def tell_end(self, trial: int, member: str, state: TrialState) -> None:
        """Tell that a trial has its last state."""
        self._told.pop((trial, member), None)
        config = self._configs.pop((trial, member), None)
        if config is not None and self.is_heard:
            about = _About(study=self._study, identity=self._identity, member=member, trial=trial, config=config)
            self._keep_back(TrialEnded(state=state, **about))

    def _keep_back(self, event: StudyEvent) -> None:
        self._kept_back.append(event)


def announce_step(run: PlanRun, event: LaneEvent) -> None:
    """Tell every trial that waits beyond a step of it, if the event is about one and anybody wants to know."""
    if not isinstance(event, StepDone | Evaluated):
        return
    for _, _, number in requests_beyond(run.plan.nodes[event.node], event.step):
        request = run.waiting.requests[number]
        if request.study.announcer.is_heard and not request.is_speculative:
            trial, is_evaluated = request.trial, isinstance(event, Evaluated)
            request.study.announcer.tell_path(
                trial.number, request.member, trial.config, request.node, event.step, evaluated=is_evaluated
            )
