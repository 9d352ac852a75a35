"""What happens to requests that come, change and go while lanes run."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, TrialFailedError, TunerError
from hippo.hparams import Config
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask

MakeStudy = Callable[..., hippo.Study]
BASE = Config({"lr": 0.1})


class Tune:
    """A tuner made of one coroutine function."""

    def __init__(self, tune: Callable[[Ask], Awaitable[Any]]) -> None:
        self._tune = tune

    async def tune(self, ask: Ask) -> Any:
        return await self._tune(ask)


def test_a_branch_named_before_a_running_lane_passes_it_repeats_nothing(make_study: MakeStudy) -> None:
    async def branch_ahead(ask: Ask) -> None:
        long = asyncio.create_task(ask(BASE, until=120))
        await ask(BASE, until=1)
        await ask(BASE.switch(at=100, lr=0.5), until=110)
        await long

    study = make_study(trainer_args={"sleep_s": 0.003}, evaluate_every=1000)
    study.optimize(Tune(branch_ahead))
    assert study.statistics().steps_executed == 130
    assert study.statistics().steps_repeated == 0


def test_a_branch_named_too_late_repeats_only_from_the_nearest_state(make_study: MakeStudy) -> None:
    async def branch_behind(ask: Ask) -> None:
        long = asyncio.create_task(ask(BASE, until=120))
        await ask(BASE, until=30)
        await ask(BASE, until=60)
        await ask(BASE.switch(at=40, lr=0.5), until=50)
        await long

    study = make_study(trainer_args={"sleep_s": 0.002}, evaluate_every=1000)
    study.optimize(Tune(branch_behind))
    statistics = study.statistics()
    assert statistics.steps_repeated == 10  # from the state at 30, which had been asked for
    assert statistics.steps_executed == 120 + 10 + 10
    assert sum(statistics.repeated_by_cause.values()) == 10


def test_a_request_within_a_running_lane_is_answered_when_the_lane_gets_there(make_study: MakeStudy) -> None:
    steps = []

    async def shorter(ask: Ask) -> None:
        async def one(until: int) -> None:
            steps.append((await ask(BASE, until=until)).step)

        long = asyncio.create_task(one(100))
        await one(1)
        await one(50)
        await long

    study = make_study(trainer_args={"sleep_s": 0.002}, evaluate_every=1000)
    study.optimize(Tune(shorter))
    assert steps == [1, 50, 100]
    assert study.statistics().steps_executed == 100


def test_work_that_nobody_waits_for_any_more_is_cut_short(make_study: MakeStudy) -> None:
    async def give_up(ask: Ask) -> None:
        long = asyncio.create_task(ask(BASE, until=100_000))
        await ask(BASE, until=5)
        long.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await long
        await ask({"lr": 0.2}, until=3)

    study = make_study(trainer_args={"sleep_s": 0.001})
    study.optimize(Tune(give_up))
    assert study.statistics().steps_executed < 1000
    assert study.trials[1].state is not hippo.TrialState.FAIL


def test_answers_come_as_they_are_ready_and_leaving_the_loop_withdraws_the_rest(make_study: MakeStudy) -> None:
    came = []

    async def first_of(ask: Ask) -> None:
        async for answer in ask.any([BASE, {"lr": 0.2}, {"lr": 0.3}], until=4):
            came.append(answer.trial)
            break

    study = make_study()
    study.optimize(Tune(first_of))
    assert len(came) == 1
    assert study.statistics().steps_executed <= 8  # the one after it may have begun


def test_all_answers_in_the_order_of_the_configs(make_study: MakeStudy) -> None:
    answers = []

    async def ask_all(ask: Ask) -> None:
        answers.extend(await ask.all([{"lr": lr} for lr in (0.3, 0.1, 0.2)], until=3))

    make_study().optimize(Tune(ask_all))
    assert [answer.config["lr"] for answer in answers] == [0.3, 0.1, 0.2]
    assert [dict(answer.metrics) for answer in answers] == [
        train_alone(ToyTrainer, {"lr": lr}, until=3)[3] for lr in (0.3, 0.1, 0.2)
    ]


def test_one_bad_request_among_many_withdraws_them_all(make_study: MakeStudy) -> None:
    async def ask_badly(ask: Ask) -> None:
        await asyncio.gather(ask(BASE, until=3), ask(BASE, until=0))

    study = make_study()
    with pytest.raises(BudgetError):
        study.optimize(Tune(ask_badly))
    assert study.evaluate(BASE, until=2)  # the study is as good as new


def test_who_asks_from_another_event_loop_is_told_so_and_does_not_wait_for_ever(make_study: MakeStudy) -> None:
    async def ask_elsewhere(ask: Ask) -> None:
        await asyncio.to_thread(lambda: asyncio.run(asyncio.wait_for(ask(BASE, until=3), 5)))

    study = make_study()
    with pytest.raises(TunerError, match=r"in another event loop than tune\(\)"):
        study.optimize(Tune(ask_elsewhere))
    assert not study.trials


def test_a_thread_may_ask_in_the_event_loop_of_its_tuner(make_study: MakeStudy) -> None:
    async def ask_here(ask: Ask) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.to_thread(lambda: asyncio.run_coroutine_threadsafe(ask(BASE, until=3), loop).result(60))

    study = make_study()
    study.optimize(Tune(ask_here))
    assert [trial.step for trial in study.trials] == [3]


def test_a_config_goes_on_from_another_ones_state_with_other_values(make_study: MakeStudy) -> None:
    values = []

    async def exploit(ask: Ask) -> None:
        config = BASE
        for step in range(4, 20, 4):
            config = config.switch(at=step, lr=0.1 + step / 100)
            values.append((await ask(config, until=step + 4)).metrics["loss"])

    study = make_study()
    study.optimize(Tune(exploit))
    assert study.statistics().steps_executed == 20
    assert study.statistics().steps_repeated == 0
    last = study.trials[-1]
    assert dict(last.history) == train_alone(ToyTrainer, last.config, until=20)


def test_a_worker_that_dies_three_times_in_one_stage_fails_its_trial_and_no_other(
    make_study: MakeStudy, tmp_path: Any
) -> None:
    class Deadly(ToyTrainer):
        def train(self) -> dict[str, float]:
            if self.hp["lr"] == 0.6 and self.steps == 3:
                import os

                os.kill(os.getpid(), 9)
            return super().train()

    study = make_study(trainer=Deadly, engine=hippo.LocalEngine(workers=2), checkpoints=str(tmp_path))
    with pytest.warns(UserWarning, match="a worker was lost .*its stages run again"):
        study.optimize(hippo.GridSearch([{"lr": 0.6}, {"lr": 0.1}], until=6))
    lost, fine = study.trials
    assert lost.state is hippo.TrialState.FAIL
    assert "died 3 times" in lost.error
    assert fine.state is hippo.TrialState.COMPLETE
    assert study.statistics().repeated_by_cause.keys() <= {"lost"}
    with pytest.raises(TrialFailedError, match="died 3 times"):
        study.evaluate({"lr": 0.6}, until=6)


async def pulling(ask: Any, proposed: Any) -> list[Any]:
    left = iter([proposed])
    return [answer async for answer in ask.stream(lambda: next(left, None))]


async def yielding(ask: Any, proposed: Any) -> list[Any]:
    return [answer async for answer in ask.any_of([proposed])]


@pytest.mark.parametrize("seeds", [None, [0, 1]])
@pytest.mark.parametrize("way", [pulling, yielding, lambda ask, proposed: ask.together([proposed])])
@pytest.mark.parametrize("proposed", [{"lr": 0.1}, hippo.Config({"lr": 0.1}), "lr", 3])
def test_what_is_no_proposal_is_refused_in_words(make_study: MakeStudy, seeds: Any, way: Any, proposed: Any) -> None:
    study = make_study(seeds=seeds)
    with pytest.raises(TunerError, match=re.escape(f"{proposed!r} is no request; write hippo.tuners.Proposal(")):
        study.optimize(Tune(lambda ask: way(ask, proposed)))
    assert not study.trials
