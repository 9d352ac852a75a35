"""Limits: a tuner that has spent its time, or its money, ends; what it learned stays."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.errors import BudgetError, TunerError
from hippo.hparams import Config
from hippo.records import TrialState
from hippo.testing.fake_ask import FakeAsk
from hippo.tuners.ask import Ask
from hippo.tuners.limits import Budget, Deadline
from hippo.tuners.tuner import record_text

MakeStudy = Callable[..., hippo.Study]

CONFIGS = [{"lr": lr / 100} for lr in range(1, 41)]


def grid(until: int = 5) -> hippo.GridSearch:
    return hippo.GridSearch(CONFIGS, until=until)


def halving() -> hippo.SuccessiveHalving:
    return hippo.SuccessiveHalving(CONFIGS, min_steps=2, max_steps=8, reduction=2)


class Noting(hippo.Tuner):
    """Trains configs one after another and notes what the tuner within a limit returned."""

    def __init__(self, limit: Any) -> None:
        self.limit = limit
        self._returned: list[Any] = []

    async def tune(self, ask: Ask) -> None:
        self._returned.append(await self.limit.tune(ask))
        await ask({"lr": 0.5}, until=1)

    def record(self) -> dict[str, Any]:
        return {"tuner": "Noting", "of": self.limit.record()}


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    alone, limited = FakeAsk(lambda config, step: config["lr"](0)), FakeAsk(lambda config, step: config["lr"](0))
    best = asyncio.run(halving().tune(alone))
    assert asyncio.run(Budget(Deadline(halving(), 100), 100).tune(limited)) == best
    assert limited.asked == alone.asked


@pytest.mark.slow
def test_a_budget_ends_the_tuner_and_the_call_goes_on_after_it(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"sleep_s": 0.01})
    tuner = Noting(Budget(grid(), device_seconds=0.2))
    study.optimize(tuner)
    statistics = study.statistics()
    assert tuner._returned == [None]
    assert 0.2 <= statistics.device_seconds < 1.0  # all would take 2
    assert study.trials[-1].config == Config({"lr": 0.5})
    assert study.trials[-1].step == 1


@pytest.mark.slow
def test_a_deadline_ends_the_tuner(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"sleep_s": 0.01})
    study.optimize(Deadline(grid(), seconds=0.3))
    finished = [trial.number for trial in study.trials if trial.state is TrialState.COMPLETE]
    assert 0 < len(finished) < len(CONFIGS)
    assert study.best_trial.number in finished


@pytest.mark.slow
@pytest.mark.parametrize("outer_is_shorter", [True, False])
def test_the_shorter_of_two_limits_counts(make_study: MakeStudy, outer_is_shorter: bool) -> None:
    inner, outer = (60.0, 0.2) if outer_is_shorter else (0.2, 60.0)
    study = make_study(trainer_args={"sleep_s": 0.01})
    within = Noting(Deadline(grid(), seconds=inner))
    study.optimize(Budget(within, device_seconds=outer))
    assert within._returned == ([] if outer_is_shorter else [None])
    assert study.statistics().device_seconds < 1.0


@pytest.mark.slow
def test_populations_and_streams_are_ended_as_well(make_study: MakeStudy) -> None:
    from hippo.tuners.pbt import PBT

    study = make_study(trainer_args={"sleep_s": 0.01})
    space = hippo.RandomSearchSpace({"lr": hippo.loguniform(1e-3, 0.5)})
    study.optimize(Deadline(PBT(space, 4, interval=2, max_steps=400), seconds=0.4))
    assert 0 < study.statistics().steps_executed < 200


@pytest.mark.slow
def test_a_re_run_of_a_call_that_was_ended_trains_nothing_more(make_study: MakeStudy, tmp_path: Any) -> None:
    log = tmp_path / "log"

    def run() -> list[str]:
        study = make_study(
            storage=f"sqlite:///{tmp_path}/hippo.db",
            checkpoints=str(tmp_path / "states"),
            trainer_args={"sleep_s": 0.01, "log": str(log)},
        )
        study.optimize(Deadline(grid(), seconds=1.0))
        study.close()
        steps: list[str] = log.read_text().splitlines()
        return steps

    assert run() == run()


def test_a_limit_needs_a_metric_where_its_tuner_does(make_study: MakeStudy) -> None:
    assert Budget(halving(), 1).needs_metric
    assert not Deadline(grid(), 1).needs_metric
    study = make_study(metric=None, mode=None)
    with pytest.raises(TunerError, match="Budget ranks trials, and study 'toy' has no metric"):
        study.optimize(Budget(halving(), 1))


def test_the_record_holds_the_limit_and_the_tuner() -> None:
    tuners = [Budget(grid(), 1), Budget(grid(), 2), Budget(grid(6), 1), Deadline(grid(), 1), Budget(grid(), 1)]
    records = [record_text(tuner.record()) for tuner in tuners]
    assert records[0] == records[4]
    assert len(set(records)) == 4


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf, "60", True])
def test_a_limit_that_is_none_is_refused(seconds: Any) -> None:
    with pytest.raises(BudgetError, match="device_seconds must be a number above 0"):
        Budget(grid(), device_seconds=seconds)
    with pytest.raises(BudgetError, match="seconds must be a number above 0"):
        Deadline(grid(), seconds=seconds)


@pytest.mark.parametrize("tuner", [None, "grid", hippo.GridSearch, CONFIGS])
def test_only_a_tuner_can_be_limited(tuner: Any) -> None:
    with pytest.raises(TunerError, match="around a tuner"):
        Budget(tuner, device_seconds=1)
