"""One tuner, the same questions to several studies that differ in their seed: its answers are their averages."""

from __future__ import annotations

import asyncio
import functools
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hippo.hparams import Config
from hippo.records import Answer, Objective
from hippo.runtime.calls import Call
from hippo.runtime.requests import Request
from hippo.tuners.ask import Proposal

#: from the values of all replicates to one
Aggregate = Callable[[Sequence[float]], float]

AGGREGATES: Mapping[str, Aggregate] = {"mean": statistics.fmean, "median": statistics.median}


@dataclass(slots=True, eq=False)
class CombinedRequest:
    """A question to every replicate."""

    requests: list[Request]
    future: asyncio.Future[Answer]


class Replicates:
    """Where a tuner's answers come from if its study has several seeds.

    The first call leads: limits and streams are its. A trial fails if one of its replicates does.
    """

    def __init__(self, calls: Sequence[Call], aggregate: Aggregate) -> None:
        self._calls = calls
        self._leader = calls[0]
        self._aggregate = aggregate
        self.streams = self._leader.streams
        self.limits = self._leader.limits
        self.note_pull = self._leader.note_pull
        self.elapsed = self._leader.elapsed
        self.wake_after = self._leader.wake_after

    @property
    def objectives(self) -> Sequence[Objective]:
        return self._leader.objectives

    @property
    def ready_stages(self) -> int:
        return self._leader.ready_stages

    @property
    def was_complete(self) -> bool:
        return self._leader.was_complete

    def request(self, asked: Proposal, *, comes_alone: bool) -> CombinedRequest:
        requests: list[Request] = []
        try:
            for call in self._calls:
                requests.append(call.request(asked, comes_alone=comes_alone))
        except BaseException:
            self._withdraw_each(requests)
            raise
        combined = CombinedRequest(requests, asyncio.get_running_loop().create_future())
        for request in requests:
            request.future.add_done_callback(functools.partial(self._note_answer, combined))
        return combined

    def withdraw(self, requests: Iterable[CombinedRequest]) -> None:
        for combined in list(requests):
            self._withdraw_each(combined.requests)
            combined.future.cancel()

    def release(self, config: Config) -> None:
        for call in self._calls:
            call.release(config)

    def uncovered(self, config: Config, until: int) -> int:
        return sum(call.uncovered(config, until) for call in self._calls)

    def spent_s(self) -> float:
        return sum(call.spent_s() for call in self._calls)

    def _withdraw_each(self, requests: Sequence[Request]) -> None:
        for request in requests:
            request.call.withdraw([request])

    def _note_answer(self, combined: CombinedRequest, _: asyncio.Future[Answer]) -> None:
        futures = [request.future for request in combined.requests]
        if all(future.done() and not future.cancelled() for future in futures) and not combined.future.done():
            combined.future.set_result(combine([future.result() for future in futures], self._aggregate))


def combine(answers: Sequence[Answer], aggregate: Aggregate) -> Answer:
    """Return one answer for the replicates of one trial.

    Metrics that all of them have, losses and violations are aggregated, and seconds added up; the
    train metrics are the first's.
    """
    first = answers[0]
    failed = next((answer for answer in answers if answer.failure is not None), None)
    violations = zip(*(answer.violations for answer in answers), strict=True) if failed is None else ()
    return replace(
        first,
        metrics=combine_metrics([answer.metrics for answer in answers], aggregate),
        losses=tuple(map(aggregate, zip(*(answer.losses for answer in answers), strict=True))),
        violations=tuple(map(aggregate, violations)),
        seconds=sum(answer.seconds for answer in answers),
        failure=None if failed is None else failed.failure,
    )


def combine_metrics(metrics: Sequence[Mapping[str, float]], aggregate: Aggregate) -> dict[str, float]:
    """Return the aggregates of those metrics that all replicates have."""
    return {name: aggregate([each[name] for each in metrics]) for name in metrics[0] if all(name in m for m in metrics)}
