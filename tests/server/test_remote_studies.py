"""Tuners in a client's process decide as they would beside the plan."""

from __future__ import annotations

import asyncio
import copy
import pickle
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import hippo
import hippo.visualization
from hippo.clock import SystemClock
from hippo.errors import (
    BudgetError,
    HparamError,
    OptionError,
    PlanLockedError,
    ServiceError,
    TrialFailedError,
    TunerError,
    UnknownMetricError,
    UnknownStudyError,
)
from hippo.integrations.optuna import HippoStorage
from hippo.plan import CheckpointRow
from hippo.plan.opening import open_store
from hippo.records import TrialState
from hippo.server.remote_progress import RemoteProgress
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.jumping_clock import JumpingClock
from hippo.training.process.script_floats import floats_kept

from .conftest import OnceDescribed, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]

CONFIGS = [{"lr": hippo.Constant(0.1)}, {"lr": hippo.MultiStep(0.1, [5], 0.1)}, {"lr": hippo.Constant(0.2)}]
RATES = [{"lr": round(0.05 * i, 2)} for i in range(1, 10)]

TUNERS: dict[str, Callable[[], Any]] = {
    "grid": lambda: hippo.GridSearch(CONFIGS, until=10),
    "halving": lambda: hippo.SuccessiveHalving(RATES, min_steps=1, max_steps=9, reduction=3),
    "hyperband": lambda: hippo.Hyperband(RATES, max_steps=9, reduction=3),
    "asha": lambda: hippo.ASHA(RATES, min_steps=1, max_steps=9, reduction=3),
    "deadline": lambda: hippo.Deadline(hippo.GridSearch(CONFIGS, until=10), seconds=3600),
}


def told(study: Any) -> list[tuple[Any, ...]]:
    return [(t.number, t.config, t.state, t.step, t.value) for t in study.trials]


@pytest.mark.parametrize("name", sorted(TUNERS))
def test_a_tuner_comes_to_the_same_trials_at_a_service_as_beside_it(
    serve: Callable[..., Any], tmp_path: Path, name: str
) -> None:
    at_service = serve(engine=hippo.LocalEngine(workers=1)).study()
    at_service.optimize(TUNERS[name]())
    here = hippo.create_study(
        "here",
        trainer="hippo.testing.trainers:ToyTrainer",
        metric="loss",
        mode="min",
        storage="memory://",
        engine=hippo.LocalEngine(workers=1),
        checkpoints=str(tmp_path / "here"),
    )
    here.optimize(TUNERS[name]())
    assert told(at_service) == told(here)
    assert at_service.best_params == here.best_params
    here.close()


def test_a_study_that_keeps_the_best_has_nothing_else_when_optimize_has_ended(served: Any) -> None:
    study = served.study(keep="best")

    def held() -> int:
        return len(served.service.store.rows(CheckpointRow, gone=""))

    study.evaluate(RATES[0], until=2)  # with which nothing ends: by hand, whoever asks may go on anywhere
    study.evaluate(RATES[1], until=2)
    assert held() == 2
    study.optimize(hippo.GridSearch(RATES, until=2))
    wait_for(lambda: held() == 1, "states are left that nobody keeps")


class StandingClock(SystemClock):
    """No time passes, however busy the machine is."""

    def elapsed(self) -> float:
        return 0.0


def test_a_user_sees_how_far_a_study_is_that_trains_elsewhere(served: Any) -> None:
    clock = JumpingClock(StandingClock())
    study = served.study()
    progress = RemoteProgress(study._link, study._facts["study"], clock)
    assert progress.look() is None
    study.optimize(TUNERS["grid"]())
    assert progress.look() is None  # it was asked a moment ago
    clock.jump(2.0)
    now = progress.look()
    assert now is not None
    assert (now.trials_done, now.trials, now.steps_executed, now.steps_asked) == (3, 3, 25, 30)
    assert now.best_value == study.best_value
    served.stop()
    clock.jump(2.0)
    assert progress.look() == now


def test_two_users_train_what_they_have_in_common_once(serve: Callable[..., Any], tmp_path: Path) -> None:
    served = serve(engine=hippo.LocalEngine(workers=2))
    log = tmp_path / "steps.log"
    studies = [served.study(name, trainer_args={"log": str(log)}) for name in ("ada", "bob")]
    threads = [threading.Thread(target=study.optimize, args=(TUNERS["grid"](),)) for study in studies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told(studies[0]) == told(studies[1])
    executed = [study.statistics().steps_executed for study in studies]
    assert sum(executed) == 25  # 0.1 for ten steps, 0.01 for five after five of those, 0.2 for ten
    assert [study.statistics().steps_repeated for study in studies] == [0, 0]


def test_the_same_script_again_trains_nothing_and_finds_the_same(served: Any) -> None:
    served.study().optimize(TUNERS["grid"]())
    before = told(served.study())
    again = served.study()
    again.optimize(TUNERS["grid"]())
    assert told(again) == before
    assert len(before) == 3
    assert again.statistics().steps_executed == 25


def test_a_service_that_is_started_again_has_its_studies(serve: Callable[..., Any]) -> None:
    first = serve()
    first.study().optimize(TUNERS["grid"]())
    first.stop()
    second = serve()
    loaded: Any = hippo.load_study("study", storage=second.url)
    assert [trial.state for trial in loaded.trials] == [TrialState.COMPLETE] * 3
    assert hippo.get_all_study_names(second.url) == ["study"]
    with pytest.raises(OptionError, match="create_study"):
        loaded.optimize(TUNERS["grid"]())


def test_a_study_that_is_made_again_goes_on_with_what_it_is_told_now(serve: Callable[..., Any]) -> None:
    served = serve(service=OnceDescribed)
    served.study(hparams=["lr"]).optimize(TUNERS["grid"]())
    again = served.study(hparams=["lr", "momentum"], keep="all", nondeterminism="warn", step_timeout_s=5.0)
    again.optimize(hippo.GridSearch({"lr": [0.1], "momentum": [0.9]}, until=2))
    ((number, kept),) = served.service._studies.items()
    settings = kept.study._opened.settings
    assert (settings.keep.text, settings.nondeterminism.value, kept.study._opened.step_timeout_s) == (
        "all",
        "warn",
        5.0,
    )
    served.study(hparams=["lr", "momentum"], keep="all", nondeterminism="warn", step_timeout_s=5.0)
    assert served.service._studies[number] is kept  # with all that it has read


def opened_by(served: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the studies that clients make, and go on with, at a service from now on."""
    names: list[str] = []
    create = served.service._create
    monkeypatch.setattr(served.service, "_create", lambda asked: (names.append(asked["name"]), create(asked))[1])
    return names


def test_a_study_is_not_opened_once_more_for_its_first_call(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = opened_by(served, monkeypatch)
    study = served.study()
    study.optimize(TUNERS["grid"]())
    assert opened == ["study"]
    study.evaluate({"lr": 0.4}, until=2)  # hours later, maybe, and of a trainer that was edited meanwhile
    assert opened == ["study"] * 2


@pytest.mark.parametrize("others", ["nobody", "a reader"])
def test_a_study_is_opened_again_at_a_service_that_was_started_again_before_its_first_call(
    served: Any, monkeypatch: pytest.MonkeyPatch, others: str
) -> None:
    opened = opened_by(served, monkeypatch)
    study = served.study()
    served.service._studies.clear()  # as if it had been started again meanwhile
    if others == "a reader":
        hippo.load_study("study", storage=served.url)
    study.optimize(TUNERS["grid"]())
    assert len(study.trials) == 3
    assert opened == ["study"] * 2


def test_a_study_of_another_database_with_its_number_is_neither_gone_on_with_nor_shown(
    served: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = served.study()
    other = served.service._kept["storage"] = open_store(f"sqlite:///{tmp_path}/other.db")
    served.service._studies.clear()  # as if it had been started again, with another database
    monkeypatch.setattr(served.service, "store", other)
    served.study()
    served.service._studies.clear()
    with pytest.raises(ServiceError, match="is another one since the service was restarted"):
        study.trials  # noqa: B018
    served.study()
    with pytest.raises(ServiceError, match=r"study 'study' is another one since the service was restarted: .*database"):
        study.optimize(TUNERS["grid"]())
    assert served.study().trials == []
    other.close()


def test_who_has_other_floats_than_a_service_is_told_so(served: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with floats_kept():
        torch.set_float32_matmul_precision("high")
        served.study()
    assert "torch.set_float32_matmul_precision" in capsys.readouterr().err
    served.study()
    assert "torch.set_float32" not in capsys.readouterr().err


class Curious(hippo.Tuner):
    """Looks at all that an answer has, and asks what only the service knows."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def record(self) -> dict[str, Any]:
        return {"tuner": "curious"}

    async def tune(self, ask: Any) -> None:
        self.seen.append(ask.uncovered({"lr": 0.1}, 4))
        answer = await ask({"lr": 0.1}, until=4)
        self.seen.append(ask.uncovered({"lr": 0.1}, 6))
        self.seen.append((dict(answer.metrics), answer.losses, sorted(answer.train_metrics), len(answer.step_seconds)))
        async with ask.pin(answer):
            (second,) = await ask.all([{"lr": 0.1}], until=5)
        ask.release({"lr": 0.1})
        self.seen.append(second.step)


def test_an_answer_has_all_that_an_answer_has(served: Any) -> None:
    tuner = Curious()
    served.study().optimize(tuner)
    missing, later, (metrics, losses, _, seconds), step = tuner.seen
    assert (missing, later, metrics, losses, seconds, step) == (4, 2, {"loss": 1.0}, (1.0,), 4, 5)


class Asking(hippo.Tuner):
    """Asks one thing, and keeps what came of it."""

    def __init__(self, config: Any, until: Any) -> None:
        self.config, self.until = config, until

    def record(self) -> dict[str, Any]:
        return {"asking": repr((self.config, self.until))}

    async def tune(self, ask: Any) -> Any:
        return await ask(self.config, until=self.until)


@pytest.mark.parametrize("until", [0, True, 1e9, -3])
def test_an_until_that_is_none_is_refused_before_anything_is_trained(served: Any, until: Any) -> None:
    with pytest.raises(BudgetError, match="until"):
        served.study().optimize(Asking({"lr": 0.1}, until))


def test_more_steps_than_the_service_takes_are_refused_with_the_option_that_says_how_many(served: Any) -> None:
    with pytest.raises(BudgetError, match="--max-steps"):
        served.study().optimize(Asking({"lr": 0.1}, 10**9))


def test_who_asks_from_another_event_loop_is_told_so_and_does_not_wait_for_ever(served: Any) -> None:
    class Elsewhere(Asking):
        async def tune(self, ask: Any) -> Any:
            return await asyncio.to_thread(lambda: asyncio.run(asyncio.wait_for(super(Elsewhere, self).tune(ask), 60)))

    with pytest.raises(TunerError, match=r"in another event loop than tune\(\)"):
        served.study().optimize(Elsewhere({"lr": 0.1}, 3))


def test_a_config_with_a_name_that_the_study_does_not_know_is_refused(served: Any) -> None:
    with pytest.raises(HparamError, match="knows no 'learning_rate'"):
        served.study(hparams=["lr"]).optimize(Asking({"learning_rate": 0.1}, 3))


def test_a_metric_that_is_missing_ends_the_call_with_the_names_there_are(served: Any) -> None:
    with pytest.raises(UnknownMetricError, match=r"'los'.*Did you mean 'loss'"):
        served.study(metric="los").optimize(TUNERS["grid"]())


def test_a_call_of_which_all_trials_fail_ends_with_what_they_failed_of(serve: Callable[..., Any]) -> None:
    study = serve(engine=hippo.LocalEngine(workers=1)).study(trainer_args={"raise_in": "train"})
    with pytest.raises(TrialFailedError, match="told to raise in train"):
        study.optimize(TUNERS["grid"]())
    assert {trial.state for trial in study.trials} == {TrialState.FAIL}


def test_failed_trials_are_trained_again_from_the_script(serve: Callable[..., Any]) -> None:
    broken = [True]

    def metrics(point: Any) -> dict[str, float]:
        if broken:
            broken.pop()
            raise RuntimeError("no disk")
        return {"loss": 1.0}

    study = serve(engine=FakeEngine(slots=2, metrics=metrics)).study()
    study.optimize(TUNERS["grid"]())
    failed = [trial.number for trial in study.trials if trial.state is TrialState.FAIL]
    assert failed
    assert study.retry_failed() == failed
    study.optimize(TUNERS["grid"]())
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 3
    assert study.retry_failed() == []


def test_failed_trials_are_looked_at_and_retried_at_a_service_that_was_started_again(serve: Callable[..., Any]) -> None:
    first = serve(engine=hippo.LocalEngine(workers=1))
    study = first.study(trainer_args={"raise_in": "train", "raise_if": {"lr": 0.2}})
    study.optimize(TUNERS["grid"]())
    assert "told to raise in train" in study.trial(2).traceback
    copied = pickle.loads(pickle.dumps(study.trial(2)))
    assert copied == study.trial(2)
    with pytest.raises(
        OptionError, match=r"a copy of a trial cannot ask the service: study\.trial\(2\)\.traceback does"
    ):
        print(copied.traceback)
    first.stop()
    again = serve()
    loaded: Any = hippo.load_study("study", storage=again.url)
    assert "told to raise in train" in loaded.trial(2).traceback
    assert loaded.trial(0).traceback == ""
    again.service._studies.clear()  # as if it had been started again meanwhile
    assert loaded.retry_failed() == [2]


def test_a_study_that_runs_retries_nothing(served: Any) -> None:
    class Retries(Asking):
        async def tune(self, ask: Any) -> None:
            await ask({"lr": 0.1}, until=2)
            await asyncio.to_thread(study.retry_failed)

    study = served.study()
    with pytest.raises(PlanLockedError, match=r"study 'study' runs at the service now, or another one on its plan"):
        study.optimize(Retries(1, 1))


def test_a_study_that_a_service_has_not_is_told_with_those_it_has(served: Any) -> None:
    served.study("toy")
    with pytest.raises(UnknownStudyError, match=r"no study .tay. at this service; it has ..toy..\. Did you mean"):
        hippo.load_study("tay", storage=served.url)


def test_who_draws_a_study_of_a_service_is_told_where_it_can_be_drawn(served: Any) -> None:
    study = served.study()
    with pytest.raises(OptionError, match=r"<Study 'study' in http:.*> is drawn on its service.s page, at /dash"):
        hippo.visualization.plot_curves([study])


def test_what_is_for_studies_beside_their_database_says_so(served: Any) -> None:
    with pytest.raises(TunerError, match=r"<Study 'study' in http:.*> is trained at a service"):
        hippo.optimize([(served.study(), TUNERS["grid"]())])
    with pytest.raises(OptionError, match="All else is done where its database is"):
        HippoStorage(served.url)


def test_its_table_is_the_one_that_the_database_tells(served: Any) -> None:
    study = served.study(constraints=["loss <= 1e9"])
    study.optimize(hippo.GridSearch([{"lr": 0.1, "opt": {"eps": 1}}, {"lr": 0.2, "opt": {"eps": 2}}], until=3))
    table = study.trials_dataframe()
    pd.testing.assert_frame_equal(table, hippo.load_study("study", served.service.store).trials_dataframe())
    assert {"feasible", "seconds", "params_opt.eps", "value"} <= set(table)


def test_what_needs_the_database_or_the_states_is_said_to_be_there(served: Any) -> None:
    study = served.study()
    study.evaluate({"lr": 0.1}, until=2)
    with pytest.raises(AttributeError, match=r"a study of a service has no tree here: .*hippo.load_study\(NAME"):
        study.tree()
    with pytest.raises(AttributeError, match=r"a trial of a service has no load_model here: .* page, at /dashboard/"):
        study.trial(0).load_model()
    with pytest.raises(AttributeError, match="'RemoteStudy' object has no attribute 'no_such_thing'"):
        study.no_such_thing  # noqa: B018
    assert not hasattr(study, "work_left")
    assert copy.copy(study.trial(0)) == study.trial(0)


def test_a_trial_that_there_is_not_is_named(served: Any) -> None:
    study = served.study()
    with pytest.raises(OptionError, match="no trial 0; it has no trial yet"):
        study.trial(0)
    study.evaluate({"lr": 0.1}, until=2)
    assert study.trial(0) == study.trials[0]
    with pytest.raises(OptionError, match="no trial 1; its trials are 0"):
        study.trial(1)


def test_a_tuner_that_raises_ends_its_own_call_alone(served: Any) -> None:
    class Broken(Asking):
        async def tune(self, ask: Any) -> None:
            await ask({"lr": 0.1}, until=2)
            raise ZeroDivisionError("mine")

    study = served.study()
    with pytest.raises(ZeroDivisionError, match="mine"):
        study.optimize(Broken(1, 1))
    study.optimize(TUNERS["grid"]())
    assert len([trial for trial in study.trials if trial.state is TrialState.COMPLETE]) == 3


def test_a_tuner_that_awaits_what_it_has_cancelled_is_told_so_here(served: Any) -> None:
    class Cancels(Asking):
        async def tune(self, ask: Any) -> None:
            task = asyncio.ensure_future(asyncio.sleep(20))
            task.cancel()
            await task

    with pytest.raises(TunerError, match="awaited something that it, or what it calls, had cancelled"):
        served.study().optimize(Cancels(1, 1))


def test_ctrl_c_that_wakes_nobody_ends_the_wait_for_a_service_all_the_same(served: Any) -> None:
    class Slow(Asking):
        async def tune(self, ask: Any) -> None:
            # noted in this thread, which handles none, as one is that the main thread gets just before it waits
            await asyncio.to_thread(lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
            await asyncio.sleep(20)
            ended.append(self)

    ended: list[Slow] = []
    with pytest.raises(KeyboardInterrupt):
        served.study().optimize(Slow(1, 1))
    assert not ended


def test_what_is_no_tuner_is_refused_here(served: Any) -> None:
    with pytest.raises(TunerError, match="no tuner"):
        served.study().optimize(object())


def test_evaluate_is_a_trial_by_hand(served: Any) -> None:
    study = served.study()
    assert study.evaluate({"lr": 0.1}, until=3) == {"loss": 1.0}
    assert study.eval({"lr": 0.1}, np.int64(3)) == {"loss": 1.0}
    assert len(study.trials) == 2


def test_the_figures_of_the_paper_name_a_service_as_they_name_a_database(
    served: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    study = hippo.Study(served.url).create("mnist", "hippo.testing.trainers:ToyTrainer", "/ckpt", ["lr"], metric="loss")
    assert study.eval({"lr": 0.1}, 2) == {"loss": 1.0}
    assert "'/ckpt' is not looked at" in capfd.readouterr().err


def test_seeds_are_averaged_on_the_side_of_the_tuner(serve: Callable[..., Any]) -> None:
    engine = FakeEngine(slots=2, metrics={"loss": 2.0})
    study = serve(engine=engine).study(seeds=[1, 2])
    study.optimize(TUNERS["grid"]())
    assert [trial.value for trial in study.trials] == [2.0] * 3
    assert study.statistics().steps_executed == 50
