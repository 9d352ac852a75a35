"""Configs that tasks of one event loop ask for at once begin at one moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import hippo
from hippo.errors import HippoError

MakeStudy = Callable[..., hippo.Study]


def test_what_they_share_is_trained_once_though_a_worker_waits_for_work(make_study: MakeStudy, tmp_path: Path) -> None:
    study = make_study(
        storage=f"sqlite:///{tmp_path}/hippo.db",
        checkpoints=str(tmp_path / "states"),
        engine=hippo.LocalEngine(workers=1, threads=1),
    )
    study.evaluate({"lr": 0.7}, until=1)  # from now on it waits

    async def ask(last: float) -> hippo.Answer:
        time.sleep(0.05)  # what a busy machine does to any of them
        return await study.ask({"lr": hippo.Piecewise([0.1, last], [2])}, until=3)

    async def ask_all() -> list[hippo.Answer]:
        return list(await asyncio.gather(*map(ask, (0.2, 0.3, 0.4, 0.5))))

    answers = asyncio.run(ask_all())

    assert [answer.trial for answer in answers] == [1, 2, 3, 4]
    assert study.statistics().steps_executed == 1 + 2 + 4


def test_one_that_is_cancelled_before_it_began_is_no_trial(make_study: MakeStudy) -> None:
    study = make_study()

    async def ask_and_leave() -> hippo.Answer:
        left = asyncio.create_task(study.ask({"lr": 0.2}, until=2))
        stays = asyncio.create_task(study.ask({"lr": 0.1}, until=2))
        asyncio.get_running_loop().call_soon(left.cancel)  # when both have asked
        answer = await stays
        assert left.cancelled()
        return answer

    assert asyncio.run(ask_and_leave()).trial == 0
    assert [trial.config["lr"] for trial in study.trials] == [0.1]


def test_what_one_of_them_may_not_ask_for_the_others_do_not_hear_of(make_study: MakeStudy) -> None:
    study = make_study()

    async def ask_both() -> list[hippo.Answer | BaseException]:
        asked = (study.ask({"lr": 0.1}, until=steps) for steps in (2, -1))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    good, bad = asyncio.run(ask_both())

    assert isinstance(good, hippo.Answer)
    assert good.failure is None
    assert isinstance(bad, HippoError)


def test_event_loops_that_follow_each_other_ask_one_study(make_study: MakeStudy) -> None:
    study = make_study()

    assert [asyncio.run(study.ask({"lr": 0.1}, until=until)).step for until in (2, 3)] == [2, 3]
