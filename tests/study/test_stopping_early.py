"""A study that is stopped, or closed, while somebody waits for it: the wait ends, and says why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import hippo
from hippo.errors import PlanLockedError, StudyStoppedError, TunerError
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.observers import StepTrained, TrialAnswered
from hippo.testing.fake_engine import FakeEngine
from hippo.tuners import Ask, Tuner

MakeStudy = Callable[..., hippo.Study]


class Then(hippo.Callback):
    """Has something done to its study, once, when a step has been told of."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.study: hippo.Study | None = None

    def on_step(self, event: StepTrained) -> None:
        study, self.study = self.study, None
        if study is not None:
            getattr(study, self.method)()


@pytest.fixture
def ending(make_study: MakeStudy) -> Callable[[str], hippo.Study]:
    """Return a study of which something is called when it trains."""

    def make(method: str) -> hippo.Study:
        then = Then(method)
        then.study = make_study(callbacks=[then], trainer_args={"sleep_s": 0.001})
        return then.study

    return make


def test_an_evaluation_that_was_stopped_says_so(ending: Callable[[str], hippo.Study]) -> None:
    with pytest.raises(StudyStoppedError, match="stopped before this was answered; the same code, run again, goes on"):
        ending("stop").evaluate({"lr": 0.1}, until=100_000)
    with pytest.raises(StudyStoppedError, match="stopped before this was answered"):
        asyncio.run(ending("stop").ask({"lr": 0.2}, until=100_000))


def test_who_waits_for_a_study_whose_engine_is_closed_is_told(ending: Callable[[str], hippo.Study]) -> None:
    with pytest.raises(StudyStoppedError, match="study 'toy' was stopped, or its engine closed, before this was done"):
        ending("close").optimize(hippo.GridSearch([{"lr": 0.1}], until=100_000))


def test_a_study_that_is_stopped_while_another_process_trains_on_its_plan_is_not_trained(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, take, is_held = make_study(), OpenPlans.take, True

    def held(plans: OpenPlans, *which: Any) -> PlanRun:
        if is_held:
            raise PlanLockedError("plan 1 is being written by another process. Wait")
        return take(plans, *which)

    monkeypatch.setattr(OpenPlans, "take", held)
    monkeypatch.setattr("hippo.runtime.lock_waits.say", lambda _: study.stop())
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    with pytest.raises(StudyStoppedError):
        study.evaluate({"lr": 0.1}, until=3)
    is_held = False
    assert study.trials == []
    assert study.evaluate({"lr": 0.1}, until=3)


# --- waits that would never end


def test_a_tuner_that_waits_for_its_own_study_is_told_what_to_write(make_study: MakeStudy) -> None:
    study = make_study()

    class Waiting(Tuner):
        async def tune(self, ask: Ask) -> None:
            await ask({"lr": 0.1}, until=1)
            assert study.counted().steps_executed == 1  # looking is no waiting
            study.evaluate({"lr": 0.2}, until=1)

    with pytest.raises(TunerError, match="inside tune\\(\\) write `await ask"):
        study.optimize(Waiting())

    class Closing(Tuner):
        async def tune(self, ask: Ask) -> None:
            study.close()

    with pytest.raises(TunerError, match="inside tune"):
        study.optimize(Closing())
    assert study.evaluate({"lr": 0.2}, until=1)


def test_a_callback_may_have_its_study_train_something(make_study: MakeStudy) -> None:
    found: list[float] = []

    class More(hippo.Callback):
        def on_answered(self, event: TrialAnswered) -> None:
            if not found:
                found.append(0.0)
                found.append(study.evaluate({"lr": 0.2}, until=2)["loss"])

    study = make_study(callbacks=[More()], engine=FakeEngine())
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert len(found) == 2


def test_a_callback_that_exits_ends_nothing(make_study: MakeStudy, capsys: pytest.CaptureFixture[str]) -> None:
    class Exiting(hippo.Callback):
        def on_answered(self, event: TrialAnswered) -> None:
            raise SystemExit("good enough")

    study = make_study(callbacks=[Exiting()])
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
    assert "the callback Exiting raised in on_answered() and is told nothing more" in capsys.readouterr().err
