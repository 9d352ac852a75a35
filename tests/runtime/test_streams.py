"""Streams: what they want, as decisions see it, and what they do with room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

from hippo.runtime.streams import RequestStream
from hippo.tuners.ask import Proposal


class Tuner:
    """Takes what its stream yields, and has so many proposals."""

    def __init__(self, proposals: int) -> None:
        self.pulls, self.answers = 0, list[str]()
        self.asked: list[asyncio.Future[Any]] = []
        self._left = proposals
        self.stream = RequestStream(self._propose, cast(Any, self._ask), self._note_pull)

    def _propose(self) -> Proposal | None:
        self._left -= 1
        return None if self._left < 0 else Proposal(config={"lr": 0.1}, until=1)

    def _ask(self, proposal: Proposal) -> tuple[Any, asyncio.Future[Any]]:
        self.asked.append(asyncio.get_running_loop().create_future())
        return object(), self.asked[-1]

    def _note_pull(self) -> None:
        self.pulls += 1

    async def run(self) -> None:
        async for answer in self.stream.answers():
            self.answers.append(cast(str, answer))


def running(tuner: Tuner, test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def both() -> None:
        task = asyncio.ensure_future(tuner.run())
        await settled()
        await test()
        task.cancel()

    asyncio.run(both())


async def settled() -> None:
    for _ in range(9):
        await asyncio.sleep(0)


def test_a_stream_has_demand_until_it_is_granted_room_and_again_when_it_has_pulled() -> None:
    tuner = Tuner(proposals=9)

    async def grant() -> None:
        assert tuner.stream.demand
        tuner.stream.grant(2)
        assert not tuner.stream.demand
        assert tuner.pulls == 0
        await settled()
        assert (tuner.pulls, len(tuner.asked)) == (2, 2)
        assert tuner.stream.demand

    running(tuner, grant)


def test_a_tuner_that_has_nothing_to_ask_has_demand_again_after_an_answer() -> None:
    tuner = Tuner(proposals=1)

    async def answer() -> None:
        tuner.stream.grant(2)
        await settled()
        assert (tuner.pulls, len(tuner.asked)) == (2, 1)
        assert not tuner.stream.demand
        tuner.asked[0].set_result("answer")
        await settled()
        assert tuner.answers == ["answer"]
        assert not tuner.stream.in_flight
        assert tuner.stream.demand

    running(tuner, answer)
