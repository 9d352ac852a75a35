"""An `Ask` without a system behind it: learning curves in, answers out, on a clock of its own that counts steps.

It keeps every promise of `hippo.tuners.ask.Ask`, so that a tuner's rules can be tested as tables. It refuses to know
plans, engines and time.
"""

from __future__ import annotations

import copy
import heapq
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

from hippo.errors import TunerError
from hippo.hparams import Config, Piece, as_config, path
from hippo.records import Answer, Failure, NodeId, Objective, Point
from hippo.tuners.ask import ConfigLike, PinnedState, Proposal, ProposalAsk, Propose, Watch, pinned_state, pulled
from hippo.tuners.budgets import check_steps
from hippo.tuners.traces import StepTrace

#: (config, step) -> its loss, or one for each objective; None: the trainer raises there
Curve = Callable[[Config, int], float | Sequence[float] | None]

#: steps under the same pieces after the same past: (start, pieces in force) of it and of all before it
Stretch = tuple[tuple[int, tuple[tuple[str, Piece], ...]], ...]


class FakeAsk(ProposalAsk):
    """Answers requests from learning curves.

    What is asked for directly is answered at once. What a stream pulls takes a slot for as many units of time as it
    trains steps; answers come in the order of their ends, equal ones in that of their requests.

    Args:
      curve: what is answered.
      slots: how many pulled requests are under way at a time.
      num_objectives: how many losses an answer has.
      members: name of each member of the study, if there are others than the one that `curve` answers for -> what it
        answers. All take their slots from the same ones.
      training: what `train` says in each step, as "loss"; None: nothing.
      step_seconds: how long a step of a config takes.
    """

    def __init__(
        self,
        curve: Curve,
        *,
        slots: int = 1,
        num_objectives: int = 1,
        members: Mapping[str, Curve] | None = None,
        training: Callable[[Config, int], float] | None = None,
        step_seconds: Callable[[Config, int], float] = lambda config, step: 0.0,
    ) -> None:
        self._curves = {"": curve, **(members or {})}
        self._member = ""
        self._watch: Watch | None = None
        self._slots = slots
        self._training = training
        self._step_seconds = step_seconds
        self._num_objectives = num_objectives
        self._trials: dict[tuple[str, int], int] = {}
        self._reached: Counter[tuple[str, int]] = Counter()
        self._states: dict[str, NodeId] = {}
        #: (member, stretch of a path) -> the largest step of it that was asked for
        self._covered: dict[tuple[str, Stretch], int] = {}
        #: all requests so far, in their order
        self.asked: list[Proposal] = []
        #: steps from which branches were walked as lanes, in their order
        self.branched: list[int] = []
        #: (member, request) of all requests so far
        self.asked_of: list[tuple[str, Proposal]] = []
        #: configs that were released, in their order
        self.released: list[Config] = []
        #: (config, step) of states that were pinned, in their order, and how often each is pinned now
        self.pins: list[tuple[Config, int]] = []
        self.pinned: Counter[tuple[Config, int]] = Counter()

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        asked = list(proposals)
        for proposal in asked:
            self._begin(proposal)
        return [self._answer(proposal) for proposal in asked]

    async def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]:
        for answer in await self.together(proposals):
            yield answer

    async def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        under_way: list[tuple[int, int, Proposal]] = []
        now, numbers = 0, itertools.count()
        while True:
            while len(under_way) < self._slots and (proposed := propose()) is not None:
                for each in pulled(proposed):
                    heapq.heappush(under_way, (now + self._begin(each), next(numbers), each))
            if not under_way:
                return
            now, _, asked = heapq.heappop(under_way)
            yield self._answer(asked)

    def at(self, member: str, *, watch: Watch | None = None) -> FakeAsk:
        there = copy.copy(self)  # what was asked is known to all, and who is asked is its own
        there._member = member
        there._watch = watch
        return there

    @property
    def member(self) -> str:
        return self._member

    @asynccontextmanager
    async def branching(self, answer: Answer | None) -> AsyncIterator[FakeAsk]:
        step = 0 if answer is None else answer.step
        if answer is not None:
            pinned_state(answer, None, answer.occurrence)
        self.branched.append(step)
        there = self.at(f"branches from step {step}", watch=self._watch)
        there._curves = {**self._curves, there._member: self._curves[self._member]}
        yield there

    def release(self, config: ConfigLike) -> None:
        self.released.append(as_config(config))

    @asynccontextmanager
    async def pin(
        self, config: ConfigLike | Answer, until: int | None = None, *, occurrence: int = 0
    ) -> AsyncIterator[None]:
        pinned = pinned_state(config, until, occurrence)
        trial = (self._member_of(pinned), self._trials.get((pinned.config.key, pinned.occurrence), -1))
        until = self._reached[trial] if pinned.until is None else pinned.until
        if not until:
            raise TunerError(
                f"{pinned.config!r} was not answered yet; say which state to pin: ask.pin(config, until=...)"
            )
        check_steps("until", until)
        self.pins.append((pinned.config, until))
        self.pinned[pinned.config, until] += 1
        try:
            yield
        finally:
            self.pinned[pinned.config, until] -= 1
            self.pinned += Counter()  # those that are pinned no longer leave

    @property
    def objectives(self) -> Sequence[Objective]:
        names = ["loss", *(f"loss_{number}" for number in range(1, self._num_objectives))]
        return [Objective(metric=name, mode="min") for name in names]

    @property
    def ready_stages(self) -> int:
        return 0

    def uncovered(self, config: ConfigLike, until: int) -> int:
        for name, stop in _stretches(as_config(config), until):
            covered = self._covered.get((self._member, name), 0)
            if covered < stop:
                return until - max(covered, name[-1][0])
        return 0

    @asynccontextmanager
    async def limited(
        self, *, seconds: float | None = None, device_seconds: float | None = None
    ) -> AsyncIterator[None]:
        yield

    def _begin(self, asked: Proposal) -> int:
        """Write a request down and return how many steps it trains."""
        self.asked.append(asked)
        self.asked_of.append((self._member_of(asked), asked))
        for name, stop in _stretches(as_config(asked.config), asked.until):
            covered = (self._member_of(asked), name)
            self._covered[covered] = max(stop, self._covered.get(covered, 0))
        trial = (self._member_of(asked), self._trial(asked))
        steps = max(0, asked.until - self._reached[trial])
        self._reached[trial] += steps
        return steps

    def _member_of(self, asked: Proposal | PinnedState) -> str:
        return self._member if asked.member is None else asked.member

    def _trial(self, asked: Proposal) -> int:
        return self._trials.setdefault((as_config(asked.config).key, asked.occurrence), len(self._trials))

    def _answer(self, asked: Proposal) -> Answer:
        config, step = as_config(asked.config), asked.until
        given = self._curves[self._member_of(asked)](config, step)
        losses: Sequence[float] = [float("inf")] * self._num_objectives
        failure = (
            Failure(node=NodeId(1), step=step, method="train", error="ValueError: told to") if given is None else None
        )
        if given is not None:
            losses = [given] if isinstance(given, int | float) else given
        path = repr([config.values_at(t) for t in range(step)])
        training = self._training
        is_evaluated = asked.evaluate or failure is not None
        answer = Answer(
            config=config,
            step=step,
            trial=self._trial(asked),
            metrics={"loss": losses[0], "accuracy": 1 - losses[0]} if is_evaluated else {},
            losses=tuple(losses) if is_evaluated else (),
            train_metrics=StepTrace(step, lambda t: {} if training is None else {"loss": training(config, t)}),
            step_seconds=StepTrace(step, lambda t: self._step_seconds(config, t)),
            state=Point(self._states.setdefault(path, NodeId(len(self._states) + 1)), step),
            occurrence=asked.occurrence,
            member=self._member_of(asked),
            failure=failure,
        )
        if self._watch is not None and not asked.is_speculative:
            self._watch(answer)
        return answer


def _stretches(config: Config, until: int) -> list[tuple[Stretch, int]]:
    """Return the stretches of a path, and where each stops."""
    parts = [(start, tuple(pieces.items())) for start, pieces in path(config, until)]
    stops = [start for start, _ in parts[1:]] + [until]
    return [(tuple(parts[: number + 1]), stop) for number, stop in enumerate(stops)]
