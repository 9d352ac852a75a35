"""Bad input is refused before anything is trained, with a message that teaches."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import hippo
from hippo.errors import (
    BudgetError,
    CheckpointError,
    EngineError,
    HparamError,
    PlanLockedError,
    SpaceError,
    StorageError,
    StudyExistsError,
    TrainerError,
    TrialFailedError,
    TunerError,
    UnknownHparamError,
    UnknownStudyError,
)
from hippo.testing.fake_engine import FakeEngine
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]


@pytest.mark.parametrize("until", [0, -3, 2.0, "ten", True, None])
def test_until_must_be_a_whole_number_of_at_least_one(make_study: MakeStudy, until: Any) -> None:
    with pytest.raises(BudgetError, match=r"until must be .*at least 1, not "):
        hippo.GridSearch([{"lr": 0.1}], until=until)
    study = make_study()
    with pytest.raises(BudgetError, match=r"until must be .*at least 1, not "):
        study.evaluate({"lr": 0.1}, until=until)
    with pytest.raises(BudgetError, match=r"until must be .*at least 1, not "):
        study.enqueue({"lr": 0.1}, until=until)
    assert study.statistics().steps_executed == 0


def test_integers_of_numpy_count_as_plain_ones(make_study: MakeStudy) -> None:
    missing: list[int] = []

    class Asking(hippo.Tuner):
        async def tune(self, ask: hippo.Ask) -> None:
            missing.append(ask.uncovered({"lr": 0.2}, np.int64(4)))
            await ask({"lr": 0.2}, until=np.int32(4))
            async with ask.pin({"lr": 0.2}, np.int64(4)):
                missing.append(ask.uncovered({"lr": 0.2}, np.int64(4)))

    study = make_study(evaluate_every=np.int64(2))
    metrics = study.evaluate({"lr": 0.1}, until=np.int64(3))
    study.enqueue({"lr": 0.1}, until=np.int64(3))
    study.optimize(Asking())
    assert missing == [4, 0]
    assert study.evaluate({"lr": 0.1}, until=3) == metrics
    assert {type(trial.until) for trial in study.trials} == {int}
    assert study.trial(np.int64(1)).number == 1
    hippo.check_trainer(ToyTrainer, {"lr": 0.1}, steps=np.int64(2))
    with pytest.raises(BudgetError, match="until must be at least 1, not 0"):
        study.evaluate({"lr": 0.1}, until=np.int64(0))
    with pytest.raises(BudgetError, match=r"until must be an integer of at least 1, not np.float64\(3.0\)"):
        study.evaluate({"lr": 0.1}, until=np.float64(3))
    for strange in (np.array(3.7), np.array(True), np.array([3])):
        with pytest.raises(BudgetError, match="until must be an integer of at least 1, not array"):
            study.evaluate({"lr": 0.1}, until=strange)


def test_one_bad_config_in_a_space_stops_it_before_any_is_trained(make_study: MakeStudy) -> None:
    study = make_study()
    with pytest.raises(HparamError, match=r"lr=Exponential\(1.0, 10.0\) cannot be used at step 399"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": hippo.Exponential(1.0, 10.0)}], until=400))
    assert study.statistics().steps_executed == 0


def test_a_hyper_parameter_that_the_trainer_does_not_declare_is_refused(make_study: MakeStudy) -> None:
    class Declaring(ToyTrainer):
        hparams = ("lr", "momentum")

    study = make_study(trainer=Declaring)
    with pytest.raises(UnknownHparamError, match=r"'momentun'.*Did you mean 'momentum'\?"):
        study.optimize(hippo.GridSearch([{"lr": 0.1, "momentun": 0.9}], until=3))
    assert study.statistics().steps_executed == 0


def test_a_hyper_parameter_that_the_study_does_not_name_is_refused(make_study: MakeStudy) -> None:
    study = make_study(hparams=["lr", "bs"])
    with pytest.raises(HparamError, match=r"the study knows no 'batch'; it has \['bs', 'lr'\]"):
        study.evaluate({"lr": 0.1, "batch": 3}, until=3)


def test_a_hyper_parameter_that_the_trainer_misses_fails_its_trial_with_what_there_is(make_study: MakeStudy) -> None:
    class Needing(ToyTrainer):
        def setup(self, hp: Any) -> None:
            self.rate = self.hp["learning_rate"]

    study = make_study(trainer=Needing)
    with pytest.raises(TrialFailedError):
        study.optimize(hippo.GridSearch([{"learning_rat": 0.1}], until=3))
    assert "'learning_rate'" in study.trials[0].error
    assert "If 'learning_rat' is meant, call it 'learning_rate' in the config" in study.trials[0].error


@pytest.mark.parametrize("value", [{1, 2}, object(), 1j, b"bytes"])
def test_a_value_that_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(HparamError, match="JSON"):
        hippo.GridSearchSpace({"lr": [value]})


def test_an_empty_space_and_an_enormous_one_are_refused() -> None:
    with pytest.raises(SpaceError, match="lr"):
        list(hippo.GridSearchSpace({"lr": []}))
    many = list(range(1000))
    with pytest.raises(SpaceError, match="max_configs"):
        list(hippo.GridSearchSpace({"a": many, "b": many, "c": many}, filter=lambda config: False))


@pytest.mark.parametrize("size", [32.5, 0, -1, "many", hippo.Linear(32, 0.5)])
def test_a_batch_size_that_is_no_whole_number_is_refused_before_training(size: Any) -> None:
    class Digits(hippo.TorchTrainer):
        pass

    with pytest.raises(HparamError, match="batch_size"):
        Digits.check_config(hippo.Config({"batch_size": size}), 5)


@pytest.mark.parametrize(
    ("trainer", "message"),
    [
        ("no_such_module:Trainer", "no_such_module"),
        ("hippo.testing.trainers:NoSuchTrainer", "NoSuchTrainer"),
        ("hippo.testing.trainers", "package.module:Class"),
        (dict, "not a class derived from hippo.Trainer"),
        (lambda config: config, r"made one by hippo.from_optuna\(objective\), or by hippo.from_ray\(trainable\)"),
        (ToyTrainer(), "not a class derived from hippo.Trainer"),
    ],
)
def test_a_trainer_that_cannot_be_imported_is_explained(make_study: MakeStudy, trainer: Any, message: str) -> None:
    with pytest.raises(TrainerError, match=message):
        make_study(trainer=trainer)


def test_a_trainer_that_cannot_travel_names_the_culprit(make_study: MakeStudy) -> None:
    import threading

    lock = threading.Lock()

    class Holding(ToyTrainer):
        def train(self) -> dict[str, float]:
            with lock:
                return super().train()

    with pytest.raises(TrainerError, match="lock"):
        make_study(trainer=Holding)


def test_trainer_arguments_must_be_json_values(make_study: MakeStudy) -> None:
    with pytest.raises(TrainerError, match=r"trainer_args\['log'\]"):
        make_study(trainer_args={"log": object()})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "maximum"}, r"mode must be one of \['min', 'max'\], not 'maximum'. Did you mean"),
        ({"mode": "min", "direction": "maximize"}, "contradicts"),
        ({"keep": "bst"}, r"keep='bst' is none of 'best' .* Did you mean 'best'\?"),
        ({"nan": "ignore"}, "nan must be one of"),
        ({"nondeterminism": "no"}, "nondeterminism must be one of"),
        ({"environment": "old"}, "environment must be 'new' or left out"),
        ({"seed": "zero"}, "a seed must be a whole number"),
        ({"seed": -1}, "a seed must be a whole number"),
        ({"evaluate_every": 0}, "evaluate_every must be at least 1"),
        ({"checkpoint_every_s": 0}, "positive number of seconds"),
        ({"metric": None}, "needs a metric"),
        ({"metric": 3}, "name of a metric"),
        ({"hparams": "lr"}, r"give the names as a list, \['lr'\]"),
    ],
)
def test_an_option_that_cannot_be_is_explained(make_study: MakeStudy, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_study(**options)


def test_a_study_that_exists_is_refused_if_a_new_one_is_wanted(make_study: MakeStudy, tmp_path: Path) -> None:
    options = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    make_study("toy", **options)
    with pytest.raises(StudyExistsError, match=r"load_if_exists=True"):
        make_study("toy", **options, load_if_exists=False)
    with pytest.raises(StorageError, match=r"was made with .*\(min\).*is opened with .*\(max\)"):
        make_study("toy", **options, mode="max")


def test_a_study_that_is_not_there_lists_those_that_are(make_study: MakeStudy, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    make_study("digits", storage=url, checkpoints=str(tmp_path / "states"))
    with pytest.raises(UnknownStudyError, match=r"\['digits'\]. Did you mean 'digits'\?"):
        hippo.load_study("digts", storage=url)
    with pytest.raises(UnknownStudyError):
        hippo.delete_study("digts", storage=url)


def test_a_checkpoint_folder_that_cannot_be_written_is_found_out_at_once(make_study: MakeStudy, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(CheckpointError, match="cannot be written to"):
        make_study(checkpoints=str(tmp_path / "file" / "states"))


def test_a_database_that_cannot_be_written_is_found_out_before_training(make_study: MakeStudy, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hippo.db"
    make_study(storage=url, checkpoints=str(tmp_path / "states"))
    read_only = f"sqlite:///file:{tmp_path}/hippo.db?mode=ro&uri=true"
    with pytest.raises(StorageError, match="writable"):
        make_study("another", storage=read_only, checkpoints=str(tmp_path / "states"))


def test_a_tilde_is_the_folder_of_the_user(
    make_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "home"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    study = make_study(checkpoints="~/states", storage="sqlite:///toy.db", callbacks=[hippo.CSVLog("~/log.csv")])
    study.evaluate({"lr": 0.1}, until=2)
    study.close()
    again = hippo.load_study(study.name, storage="sqlite:///toy.db")
    assert again.trial(0).load_state()
    assert {path.name for path in (tmp_path / "home").iterdir()} == {"states", "log.csv"}
    assert all(path.name.startswith("toy.db") for path in Path().iterdir())


def test_worker_processes_cannot_share_checkpoints_in_memory(make_study: MakeStudy) -> None:
    study = make_study(engine=hippo.LocalEngine(workers=1), checkpoints="memory://")
    with pytest.raises(EngineError, match=r"Name a folder, or use InlineEngine\(\)"):
        study.evaluate({"lr": 0.1}, until=2)


def test_what_is_no_tuner_is_refused(make_study: MakeStudy) -> None:
    with pytest.raises(ValueError, match="is no tuner"):
        make_study().optimize({"lr": 0.1})


def test_a_tuner_that_needs_a_metric_says_so(make_study: MakeStudy) -> None:
    study = make_study(metric=None, mode=None)
    with pytest.raises(TunerError, match="has no metric; create it with"):
        study.optimize(hippo.SuccessiveHalving([{"lr": 0.1}], min_steps=1, max_steps=4))
    assert study.statistics().steps_executed == 0


HOLD_A_STUDY = """
import sys, threading, hippo
from hippo.testing.trainers import ToyTrainer
study = hippo.create_study("toy", trainer=ToyTrainer, trainer_args={"sleep_s": 0.05}, metric="loss",
    storage=f"sqlite:///{sys.argv[1]}/hippo.db", checkpoints=f"{sys.argv[1]}/states", engine=hippo.InlineEngine())
class Telling:
    async def tune(self, ask):
        await ask({"lr": 0.1}, until=1)
        print("running", flush=True)
        await ask({"lr": 0.1}, until=10_000)
study.optimize(Telling())
"""


@pytest.mark.slow
def test_a_second_process_on_the_same_plan_is_told_who_has_it_and_the_way_out(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD_A_STUDY, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "running\n"
        options = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
        second = make_study("toy", trainer_args={"sleep_s": 0.05}, wait=False, **options)
        with pytest.raises(PlanLockedError, match=rf"process {holder.pid} on host .*sharing=False"):
            second.evaluate({"lr": 0.2}, until=2)
        deadline = time.monotonic() + 120
        while not second.trials:  # reading is free; what is new is written within a quarter of a second
            assert time.monotonic() < deadline
    finally:
        holder.kill()
        holder.wait()
    assert second.evaluate({"lr": 0.2}, until=2)


def test_a_default_device_that_workers_will_not_have_is_told(
    make_study: Callable[..., hippo.Study], capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_default_device("cuda")  # which is not here, as where a cluster trains
    try:
        make_study("inline")
        assert "set_default_device" not in capsys.readouterr().err
        make_study("workers", engine=FakeEngine())
    finally:
        torch.set_default_device(None)
    assert "torch.set_default_device('cuda') in a script workers hear nothing" in capsys.readouterr().err
