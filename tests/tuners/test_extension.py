"""The best trial goes on when others have ended, and while they have not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config
from hippo.records import Assignment
from hippo.simulation import Parametric, SimulatedWorkload, simulate
from hippo.testing.fake_ask import FakeAsk
from hippo.testing.fake_engine import FakeEngine
from hippo.tuners.asha import ASHA
from hippo.tuners.grid import GridSearch
from hippo.tuners.successive_halving import SuccessiveHalving


class LastingEngine(FakeEngine):
    """Takes its time: an assignment lasts, so that other slots are idle while the last one runs."""

    def submit(self, assignment: Assignment) -> None:
        steps = sum(stage.stop - stage.start for lane in assignment.lanes for stage in lane.stages)
        asyncio.get_running_loop().call_later(0.002 * steps, self._soon, self._events(assignment))


RATES = hippo.GridSearchSpace({"lr": [0.4, 0.1, 0.3, 0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]})

#: each with the step to which its best trial gets before it is extended by 6
TUNERS = [
    (lambda **options: GridSearch(RATES, until=4, **options), 4),
    (lambda **options: SuccessiveHalving(RATES, 1, 4, 2, **options), 4),
    (lambda **options: ASHA(RATES, 1, 4, 2, **options), 4),
]
EACH_TUNER = pytest.mark.parametrize(("make", "end"), TUNERS, ids=["grid", "halving", "asha"])


#: every trial is as good as any other
SAME = Parametric(lambda values, step, rng: 1.0)


def loss_is_lr(config: Config, step: int) -> float | None:
    return float(config["lr"](0))


@EACH_TUNER
def test_the_best_trial_is_trained_on_as_an_extension(make: Callable[..., Any], end: int) -> None:
    ask = FakeAsk(loss_is_lr)
    asyncio.run(make(extra_steps=6).tune(ask))
    last = ask.asked[-1]
    assert (last.config, last.until, last.final, last.is_extension) == (Config({"lr": 0.1}), end + 6, True, True)
    assert not any(asked.final or asked.is_extension for asked in ask.asked[:-1])


@pytest.mark.parametrize("tuner", [hippo.ASHA, hippo.StoppingASHA, SuccessiveHalving])
def test_who_led_a_lower_rung_and_failed_on_the_way_up_is_not_the_best(tuner: Any) -> None:
    ask = FakeAsk(lambda config, step: None if config["lr"](0) == 1 and step > 2 else loss_is_lr(config, step))
    configs = [{"lr": float(lr)} for lr in (4, 2, 3, 1)]
    assert asyncio.run(tuner(configs, 1, 4, 2, extra_steps=3).tune(ask)) == Config({"lr": 2.0})
    assert (ask.asked[-1].config, ask.asked[-1].is_extension) == (Config({"lr": 2.0}), True)


@EACH_TUNER
def test_without_extra_steps_nobody_goes_on(make: Callable[..., Any], end: int) -> None:
    ask = FakeAsk(loss_is_lr)
    asyncio.run(make().tune(ask))
    assert max(asked.until for asked in ask.asked) == end
    assert all(asked.final == (asked.until == end) for asked in ask.asked)


@EACH_TUNER
def test_where_all_failed_nobody_goes_on(make: Callable[..., Any], end: int) -> None:
    ask = FakeAsk(lambda config, step: None)
    asyncio.run(make(extra_steps=6).tune(ask))
    assert not any(asked.is_extension for asked in ask.asked)


@EACH_TUNER
def test_an_extension_counts_for_nobody_elses_state(
    make_study: Callable[..., hippo.Study], make: Callable[..., Any], end: int
) -> None:
    study = make_study()
    study.optimize(make(extra_steps=6))
    assert study.best_trial.step == end + 6
    reached = [trial for trial in study.trials if trial.step >= end]
    assert {trial.state.value for trial in reached} == {"COMPLETE"}


@EACH_TUNER
def test_idle_slots_train_the_leader_ahead(make: Callable[..., Any], end: int) -> None:
    workload = SimulatedWorkload(seconds_per_step=1.0)
    study = simulate(make(extra_steps=6, speculate=True), workload, slots=3, curve=SAME)
    plain = simulate(make(extra_steps=6), workload, slots=3, curve=SAME)
    assert plain.steps_speculative == 0
    assert 0 < study.steps_speculative <= 6
    # nothing is trained twice, but ASHA has one step trained of a trial that another then passes
    passed = 1 if isinstance(make(), ASHA) else 0
    assert study.steps_executed + study.steps_speculative == plain.steps_executed + passed
    assert study.makespan_s < plain.makespan_s
    assert study.study.best_trial.step == end + 6


@EACH_TUNER
def test_a_re_run_of_what_trained_ahead_trains_nothing(
    tmp_path: Any, make_study: Callable[..., hippo.Study], make: Callable[..., Any], end: int
) -> None:
    results = []
    for _ in range(2):
        study = make_study(
            storage=f"sqlite:///{tmp_path}/hippo.db", checkpoints=str(tmp_path), engine=LastingEngine(slots=3)
        )
        study.optimize(make(extra_steps=6, speculate=True))
        results.append((study.statistics(), [(trial.step, trial.state) for trial in study.trials]))
        study.close()
    assert results[0] == results[1]


def test_an_eager_grid_goes_on_with_its_best_before_its_rest() -> None:
    # 13 trials of 10 steps on 3 slots: 5 rounds; the best one goes 40 steps further
    space = hippo.GridSearchSpace({"lr": [number / 100 for number in range(13)]})
    workload = SimulatedWorkload(seconds_per_step=1.0)
    rate = Parametric(lambda values, step, rng: values["lr"])
    seconds = {
        speculate: simulate(
            GridSearch(space, until=10, extra_steps=40, speculate=speculate), workload, slots=3, curve=rate
        ).makespan_s
        for speculate in (False, True, "eager")
    }
    assert seconds[False] == 50 + 40
    assert seconds[True] < seconds[False]
    assert seconds["eager"] == 60  # from 10 to 50 one slot goes on with the first; the others have five rounds more


def test_a_grid_with_nothing_to_speculate_about_says_so() -> None:
    with pytest.raises(TunerError, match="give extra_steps, or leave speculate out"):
        GridSearch(RATES, until=4, speculate=True)


@EACH_TUNER
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"extra_steps": -1}, BudgetError, "extra_steps must be at least 0, not -1"),
        ({"extra_steps": 1.5}, BudgetError, "extra_steps must be an integer"),
        ({"extra_steps": 1, "speculate": "yes"}, TunerError, "speculate must be .*True or False.*, not 'yes'"),
        ({"ties": "none"}, TunerError, "ties must be one of"),
    ],
)
def test_an_extension_that_cannot_be_is_explained(
    make: Callable[..., Any], end: int, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(**options)
