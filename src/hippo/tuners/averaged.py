"""A study with several seeds, as a tuner sees it: one `Ask` that asks every member and answers with averages.

Each question goes to all members at once, and is answered when the last of them has answered. It refuses to know how
members are trained, and what makes them differ: they have names, and `Ask.at` leads to each.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from hippo.hparams import Config
from hippo.records import Answer, Constraint, Metrics, Objective, losses_of
from hippo.tuners.ask import (
    Ask,
    ConfigLike,
    Proposal,
    ProposalAsk,
    Propose,
    Watch,
    pinned_state,
    proposed_together,
    pulled,
)

T = TypeVar("T")

#: from the values of all members to one
Aggregate = Callable[[Sequence[float]], float]


def _mean(values: Sequence[float]) -> float:
    try:
        return statistics.fmean(values)
    except ValueError:  # of both infinities
        return math.nan
    except OverflowError:  # finite ones, whose sum is beyond all floats
        return math.fsum(value / len(values) for value in values)


def _median(values: Sequence[float]) -> float:
    # what is no number has no place in an order: where it came to stand would depend on the order of the members
    return math.nan if any(map(math.isnan, values)) else statistics.median(values)


#: `fmean` rounds once, and a median picks: neither depends on the order of the members
AGGREGATES: Mapping[str, Aggregate] = {"mean": _mean, "median": _median}


class Averaged(ProposalAsk):
    """Implements `Ask`: every answer is the average of what the members of a study answer.

    A trial fails if it fails under one of them: an average over the others would favour configs that diverge now and
    then.

    Args:
      ask: asks one member at a time.
      members: their names, at least one.
      aggregate: makes one value of the members' values.
      groups: name -> members that `at` leads to together, with an average of their own: those at a scale.
      constraints: of the study, in the order of an answer's violations.
    """

    def __init__(
        self,
        ask: Ask,
        members: Iterable[str],
        aggregate: Aggregate,
        *,
        groups: Mapping[str, Sequence[str]] | None = None,
        constraints: Sequence[Constraint] = (),
    ) -> None:
        self._ask = ask
        self._members = tuple(members)
        self._aggregate = aggregate
        self._groups = dict(groups or {})
        self._constraints = tuple(constraints)

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        answers = iter(await self._ask.together(self._to_each(proposals)))
        return [self._combined(group) for group in zip(*[answers] * len(self._members), strict=True)]

    async def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]:
        incomplete = _Incomplete(self._members)
        async with _closing(self._ask.any_of(self._to_each(proposals))) as answers:
            async for answer in answers:
                if (group := incomplete.add(answer)) is not None:
                    yield self._combined(group)

    async def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        incomplete = _Incomplete(self._members)
        has_more = True

        def propose_to_each() -> Sequence[Proposal] | None:
            # The answer of one member is no answer yet: a tuner that has nothing to ask is not asked again for it.
            nonlocal has_more
            proposed = propose() if has_more else None
            has_more = proposed is not None
            if proposed is None:
                return None
            return list(self._to_each(pulled(proposed)))

        async with _closing(self._ask.stream(propose_to_each)) as answers:
            async for answer in answers:
                if (group := incomplete.add(answer)) is not None:
                    has_more = True
                    yield self._combined(group)

    def at(self, member: str, *, watch: Watch | None = None) -> Ask:
        if member not in self._groups:
            return self._ask.at(member, watch=watch)
        members = self._groups[member]
        ask = self._ask if watch is None else self._ask.at(members[0], watch=self._watching(members, watch))
        return self._of(ask, members)

    def _of(self, ask: Ask, members: Iterable[str]) -> Averaged:
        return Averaged(ask, members, self._aggregate, groups=self._groups, constraints=self._constraints)

    def _watching(self, members: Sequence[str], watch: Watch) -> Watch:
        """Return what hears the answers of members, and lets `watch` hear their averages."""
        incomplete = _Incomplete(members)

        def hear(answer: Answer) -> None:
            if (group := incomplete.add(answer)) is not None:
                watch(self._combined(group))

        return hear

    @asynccontextmanager
    async def branching(self, answer: Answer | None) -> AsyncIterator[Ask]:
        async with AsyncExitStack() as stack:
            begun = []
            for member in self._members:  # an average is about no state: each member has its own
                of_member = None if answer is None else replace(answer, member=member)
                begun.append(await stack.enter_async_context(self._ask.at(member).branching(of_member)))
            yield self._of(self._ask, [ask.member for ask in begun])

    def release(self, config: ConfigLike) -> None:
        for member in self._members:
            self._ask.at(member).release(config)

    def show(self, where: str) -> None:
        self._ask.show(where)

    @asynccontextmanager
    async def pin(
        self, config: ConfigLike | Answer, until: int | None = None, *, occurrence: int = 0
    ) -> AsyncIterator[None]:
        pinned = pinned_state(config, until, occurrence)
        members = (pinned.member,) if pinned.member else self._members  # an average is of none of them
        async with AsyncExitStack() as stack:
            for member in members:
                pin = self._ask.at(member).pin(pinned.config, pinned.until, occurrence=pinned.occurrence)
                await stack.enter_async_context(pin)
            yield

    @property
    def objectives(self) -> Sequence[Objective]:
        return self._ask.objectives

    @property
    def ready_stages(self) -> int:
        return self._ask.ready_stages

    def uncovered(self, config: ConfigLike, until: int) -> int:
        return sum(self._ask.at(member).uncovered(config, until) for member in self._members)

    def limited(
        self, *, seconds: float | None = None, device_seconds: float | None = None
    ) -> AbstractAsyncContextManager[None]:
        return self._ask.limited(seconds=seconds, device_seconds=device_seconds)

    def _combined(self, answers: Sequence[Answer]) -> Answer:
        return combine(answers, self._aggregate, self.objectives, self._constraints)

    def _to_each(self, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
        return (
            replace(proposal, member=member) for proposal in proposed_together(proposals) for member in self._members
        )


class _Incomplete:
    """Answers of members to questions that others have not answered yet."""

    def __init__(self, members: Sequence[str]) -> None:
        self._members = members
        self._given: dict[tuple[Config, int, int], dict[str, deque[Answer]]] = {}

    def add(self, answer: Answer) -> list[Answer] | None:
        """Return the answers of all members to a question, if this one was the last of them."""
        # Not the trial's number alone: a trial may be asked at two steps at once. Nor one answer for each question: it
        # may have been asked ahead of time, and in earnest after that.
        question = (answer.config, answer.occurrence, answer.step)
        given = self._given.setdefault(question, {member: deque() for member in self._members})
        given[answer.member].append(answer)
        if not all(given.values()):
            return None
        group = [given[member].popleft() for member in self._members]
        if not any(given.values()):
            del self._given[question]
        return group


def combine(
    answers: Sequence[Answer],
    aggregate: Aggregate,
    objectives: Sequence[Objective],
    constraints: Sequence[Constraint] = (),
) -> Answer:
    """Return one answer for those of all members.

    Metrics that all of them have are aggregated. Losses and violations are those of the aggregates, as in results: in
    members' losses NaN is infinity, which a median may pass over, and an average of violations may miss a bound that is
    just kept by a last bit. What training said in each step that all have trained is aggregated, too, and seconds are
    added up. The state is the first member's.
    """
    first = answers[0]
    metrics = combine_metrics([answer.metrics for answer in answers], aggregate)
    failed = next((answer for answer in answers if answer.failure is not None), None)
    is_judged = failed is None and first.violations  # else it was not evaluated, or there is nothing to keep
    return replace(
        first,
        member="",
        metrics=metrics,
        losses=_losses(first, metrics, objectives) if failed is None else (math.inf,) * len(first.losses),
        violations=tuple(each.violation(metrics) for each in constraints) if is_judged else (),
        seconds=sum(answer.seconds for answer in answers),
        train_metrics=_Together(
            [answer.train_metrics for answer in answers], functools.partial(combine_metrics, aggregate=aggregate)
        ),
        step_seconds=_Together([answer.step_seconds for answer in answers], math.fsum),
        failure=None if failed is None else failed.failure,
    )


class _Together(Mapping[int, T]):
    """Step -> what all members together have there, found out when somebody looks: paths are long.

    Args:
      members: what each of them has.
      combined: makes one value of theirs.
    """

    def __init__(self, members: Sequence[Mapping[int, T]], combined: Callable[[Sequence[T]], T]) -> None:
        self._members = members
        self._combined = combined

    def __getitem__(self, step: int) -> T:
        return self._combined([each[step] for each in self._members])

    def __iter__(self) -> Iterator[int]:
        return (step for step in self._members[0] if all(step in each for each in self._members[1:]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


def _losses(first: Answer, metrics: Metrics, objectives: Sequence[Objective]) -> tuple[float, ...]:
    return losses_of(objectives, metrics) if first.losses else ()


def combine_metrics(metrics: Sequence[Metrics], aggregate: Aggregate) -> Metrics:
    """Return the aggregates of those metrics that all members have."""
    return {name: aggregate([each[name] for each in metrics]) for name in metrics[0] if all(name in m for m in metrics)}


def _closing(answers: AsyncIterator[Answer]) -> AbstractAsyncContextManager[AsyncIterator[Answer]]:
    """Close the members' answers with the loop over the averages: then nobody waits for what is left of them."""
    return aclosing(answers)  # type: ignore[type-var] # `Ask` promises an iterator; all are generators
