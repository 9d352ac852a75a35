"""`ask.at(member, watch=hear)`: who watches hears each answer before whoever asked does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.records import Answer
from hippo.tuners.ask import Ask, Proposal

MakeStudy = Callable[..., hippo.Study]


class Watching(hippo.Tuner):
    """Asks by each of the ways there are, and notes who hears what when."""

    def __init__(self) -> None:
        self._heard: list[tuple[str, float, int]] = []

    def hear(self, answer: Answer) -> None:
        self._heard.append(("watch", answer.config.params["lr"], answer.step))

    async def tune(self, ask: Ask) -> None:
        watched = ask.at("", watch=self.hear)
        for lr in (0.1, 0.2):
            self._note(await watched({"lr": lr}, until=1))
        async for answer in watched.any([{"lr": 0.3}], until=1):
            self._note(answer)
        left = [Proposal(config={"lr": 0.4}, until=1), Proposal(config={"lr": 0.5}, until=1, is_speculative=True)]
        async for answer in watched.stream(lambda: left.pop() if left else None):
            self._note(answer)

    def _note(self, answer: Answer) -> None:
        self._heard.append(("tuner", answer.config.params["lr"], answer.step))


def test_each_answer_but_speculative_ones_is_heard_before_the_tuner_has_it(make_study: MakeStudy) -> None:
    tuner = Watching()
    make_study().optimize(tuner)
    in_turn = [(who, lr, 1) for lr in (0.1, 0.2, 0.3) for who in ("watch", "tuner")]
    assert tuner._heard[:6] == in_turn
    assert sorted(tuner._heard[6:]) == [("tuner", 0.4, 1), ("tuner", 0.5, 1), ("watch", 0.4, 1)]


def test_answers_of_one_question_are_heard_one_by_one_before_all_are_there(make_study: MakeStudy) -> None:
    heard: list[tuple[int, bool]] = []

    class Asking(hippo.Tuner):
        async def tune(self, ask: Ask) -> None:
            watched = ask.at("", watch=lambda answer: heard.append((answer.step, task.done())))
            questions = [Proposal(config={"lr": 0.1}, until=until) for until in (3, 1, 2)]
            task = asyncio.create_task(watched.together(questions))
            assert [answer.step for answer in await task] == [3, 1, 2]

    make_study().optimize(Asking())
    assert sorted(heard) == [(1, False), (2, False), (3, False)]  # two that come in one turn come in any order


def test_an_error_of_who_watches_ends_the_call_as_the_askers_would(make_study: MakeStudy) -> None:
    class Raising(hippo.Tuner):
        async def tune(self, ask: Ask) -> None:
            def hear(answer: Answer) -> None:
                raise KeyError("heard enough")

            await ask.at("", watch=hear)({"lr": 0.1}, until=1)

    with pytest.raises(KeyError, match="heard enough"):
        make_study().optimize(Raising())


def test_a_question_that_is_watched_is_withdrawn_as_any_other(make_study: MakeStudy) -> None:
    heard: list[Any] = []

    class Leaving(hippo.Tuner):
        async def tune(self, ask: Ask) -> None:
            watched = ask.at("", watch=heard.append)
            async for _ in watched.any([{"lr": 0.1}, {"lr": 0.2}], until=2):
                break
            task = asyncio.create_task(watched({"lr": 0.3}, until=500))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    study = make_study()
    study.optimize(Leaving())
    assert len(heard) <= 2
    assert max(trial.step for trial in study.trials) == 2
