"""Nothing is lost, begun or written behind anybody's back: ends of calls, broken databases, forks, retries."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pytest

import hippo
from hippo.checkpoints import FolderCheckpoints
from hippo.errors import (
    EngineError,
    PlanLockedError,
    StorageError,
    StoreFullError,
    TrainerError,
    TrialFailedError,
    TunerError,
    UnknownStudyError,
)
from hippo.plan import Change, Insert, StepRow, open_store
from hippo.plan.sql_store import SqlStore
from hippo.records import TrialState
from hippo.study.managing import rename_study
from hippo.testing.gated_trainer import GatedTrainer
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask, Tuner

MakeStudy = Callable[..., hippo.Study]
TWO = [{"lr": 0.1}, {"lr": 0.2}]
SIX = [{"lr": number / 10} for number in range(1, 7)]


@pytest.fixture
def durable(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}


@pytest.mark.slow
@pytest.mark.parametrize("engine", [hippo.InlineEngine, lambda: hippo.LocalEngine(workers=1)])
def test_a_call_ends_when_its_last_state_is_written(
    make_study: MakeStudy, durable: dict[str, Any], engine: Callable[[], Any]
) -> None:
    study = make_study(trainer=SlowToSave, keep="leaves", engine=engine(), **durable)
    study.evaluate({"lr": 0.1}, until=2)
    assert study.statistics().checkpoints_written == 1
    study.close()
    assert hippo.load_study("toy", durable["storage"]).best_trial.load_model().steps == 2


class SlowToSave(ToyTrainer):
    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "big": [0.0] * 100_000}


def wait_for_lock(storage: str) -> None:
    """Wait until nobody writes to the first plan any more: a lane may end a moment after its call."""
    lock, deadline = open_store(storage).lock(1), time.monotonic() + 120
    while time.monotonic() < deadline:
        with contextlib.suppress(PlanLockedError):
            lock.acquire()
            lock.release()
            return
    raise AssertionError("the plan is still locked")


def test_what_could_not_be_written_is_never_written_without_the_lock(
    make_study: MakeStudy, durable: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, commit, is_full = hippo.InlineEngine(), SqlStore.commit, [True]

    def failing(self: SqlStore, changes: Sequence[Change]) -> None:
        if is_full and any(isinstance(c, Insert) and isinstance(c.row, StepRow) for c in changes):
            raise StorageError("the disk is full")
        commit(self, changes)

    first = make_study("first", engine=engine, **durable)
    unrelated = make_study("unrelated", engine=engine, seed=7, **durable)
    monkeypatch.setattr(SqlStore, "commit", failing)
    with pytest.raises(StorageError, match="the disk is full"):
        first.evaluate({"lr": 0.1}, until=3)
    wait_for_lock(durable["storage"])
    is_full.clear()
    make_study("other", engine=hippo.InlineEngine(), **durable).evaluate({"lr": 0.1}, until=3)
    unrelated.evaluate({"lr": 0.1}, until=3)
    first.evaluate({"lr": 0.1}, until=3)
    assert first.statistics().steps_executed == 0


@pytest.mark.parametrize("text", ["img_\udcff.png", "zero \0 byte", "long " * 100_000])
def test_an_error_of_any_text_fails_its_trial_and_no_other(
    make_study: MakeStudy, durable: dict[str, Any], text: str
) -> None:
    class Failing(ToyTrainer):
        def train(self) -> Any:
            if self.hp["lr"] == 0.1:
                raise FileNotFoundError(text)
            return super().train()

    for _ in range(2):
        study = make_study(trainer=Failing, version="1", **durable)
        study.optimize(hippo.GridSearch(TWO, until=2))
        assert [trial.state.value for trial in study.trials] == ["FAIL", "COMPLETE"]
        assert len(study.trials[0].error) < 70_000


def test_a_budget_that_no_database_can_count_is_refused(make_study: MakeStudy) -> None:
    with pytest.raises(hippo.HippoError, match="must be at most"):
        make_study().evaluate({"lr": 0.1}, until=10**20)


def test_what_a_driver_cannot_take_ends_the_study_with_an_error_that_explains_it(
    make_study: MakeStudy, durable: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(**durable)
    with monkeypatch.context() as patched:
        patched.setattr("hippo.plan.facts.storable_text", lambda text: text + "\udcff")
        with pytest.raises(StorageError, match=r"cannot take this: UnicodeEncodeError"):
            make_study("bad", trainer_args={"raise_in": "train"}, **durable).evaluate({"lr": 0.1}, until=1)
    assert study.evaluate({"lr": 0.1}, until=1)


class Stumbling(ToyTrainer):
    """Fails at its third step while a file is missing."""

    def __init__(self, mounted: str) -> None:
        super().__init__()
        self.mounted = mounted

    def train(self) -> Any:
        if self.steps == 2 and self.hp["lr"] == 0.1 and not Path(self.mounted).exists():
            raise OSError("the data set is not mounted")
        return super().train()


@pytest.mark.parametrize("in_another_process", [False, True])
def test_failed_trials_go_on_from_where_they_failed_once_they_are_retried(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path, in_another_process: bool
) -> None:
    options = {**durable, "trainer": Stumbling, "trainer_args": {"mounted": str(tmp_path / "mounted")}}
    study, tuner = make_study(**options), hippo.GridSearch(TWO, until=4)
    study.optimize(tuner)
    assert [trial.state.value for trial in study.trials] == ["FAIL", "COMPLETE"]
    study.evaluate(TWO[1], until=1)  # another call in between
    (tmp_path / "mounted").touch()
    if in_another_process:
        study.close()
        study = make_study(**options)
    assert study.retry_failed() == [0]
    study.optimize(tuner)
    assert [trial.state.value for trial in study.trials] == ["COMPLETE"] * 3
    assert study.trials[0].error == ""
    assert study.retry_failed() == []
    study.optimize(tuner)
    assert len(study.trials) == 5, "nothing was retried since: it is a call of its own"


def test_what_is_enqueued_is_run_before_others_are_tried_again(make_study: MakeStudy) -> None:
    study = make_study()
    study.enqueue(TWO[0], until=2)
    with pytest.raises(TunerError, match=r"are enqueued and on their way: study.optimize\(\) runs them"):
        study.retry_failed()
    study.optimize()
    assert study.retry_failed() == []


def test_a_call_that_was_stopped_is_gone_on_with_whatever_was_asked_in_between(make_study: MakeStudy) -> None:
    study = make_study()

    class Breaking(Tuner):
        async def tune(self, ask: Ask) -> None:
            await ask(TWO[0], until=1)
            raise LookupError("the list of rates is not there")

    with pytest.raises(LookupError):
        study.optimize(Breaking())
    study.evaluate(TWO[0], until=1)
    with pytest.raises(LookupError):
        study.optimize(Breaking())
    assert [trial.call for trial in study.trials] == [0, 1]


def test_all_trials_failing_is_an_error_that_names_the_first(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"raise_in": "train"})
    with pytest.raises(
        TrialFailedError, match=r"all 2 trials of study 'toy' failed, the first \(trial 0\) in train\(\)"
    ):
        study.optimize(hippo.GridSearch(TWO, until=2))


def test_a_tuner_that_awaits_what_it_has_cancelled_is_told_so_and_not_that_its_study_was_stopped(
    make_study: MakeStudy,
) -> None:
    class Cancels(Tuner):
        async def tune(self, ask: Ask) -> None:
            await ask({"lr": 0.1}, until=1)
            task = asyncio.ensure_future(asyncio.Event().wait())
            task.cancel()
            await task

    study = make_study()
    with pytest.raises(TunerError, match="awaited something that it, or what it calls, had cancelled"):
        study.optimize(Cancels())


def test_a_study_can_be_ended_from_another_thread_and_gone_on_with(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(trainer_args={"sleep_s": 0.005}, **durable)

    def stop_when_it_trains() -> None:
        while not study.statistics().steps_executed:
            time.sleep(0.01)
        study.stop()

    threading.Thread(target=stop_when_it_trains, daemon=True).start()
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=100_000))
    (trial,) = study.trials
    assert trial.state in (TrialState.PAUSED, TrialState.WAITING)
    executed = study.statistics().steps_executed
    assert 0 < executed < 100_000
    study.evaluate({"lr": 0.1}, until=executed + 1)
    assert study.statistics().steps_executed == executed + 1


class StopsOnce(hippo.Callback):
    """Stops its study, once, and only then lets it train on."""

    study: hippo.Study
    is_due = False

    def __init__(self, gate: Path) -> None:
        self.gate = gate

    def on_answered(self, event: Any) -> None:
        if self.is_due:
            self.is_due = False
            self.study.stop()
            self.gate.touch()


def test_a_call_that_stop_has_ended_goes_on_where_it_is_made_again(make_study: MakeStudy, tmp_path: Path) -> None:
    stops = StopsOnce(gate := tmp_path / "gate")
    gated = {"gate": str(gate), "gate_at": 2}
    stops.study = study = make_study(trainer=GatedTrainer, trainer_args=gated, callbacks=[stops])
    before, tuner = hippo.GridSearch(TWO, until=2), hippo.SuccessiveHalving(SIX, min_steps=1, max_steps=9, reduction=3)
    study.optimize(before)
    stops.is_due = True

    study.optimize(tuner)
    assert len(study.trials) == 2 + 6
    assert TrialState.COMPLETE not in {trial.state for trial in study.trials[2:]}
    study.optimize(tuner)
    assert {trial.state for trial in study.trials} == {TrialState.COMPLETE, TrialState.PRUNED}

    assert len(study.trials) == 2 + 6
    study.optimize(before)
    study.optimize(tuner)  # neither was stopped
    assert len(study.trials) == 2 * (2 + 6)


def test_an_enqueued_config_is_trained_beside_the_next_tuner(make_study: MakeStudy) -> None:
    study = make_study()
    study.enqueue({"lr": 0.7}, until=3)
    study.optimize(hippo.GridSearch(TWO, until=3))
    assert sorted(trial.params["lr"] for trial in study.trials) == [0.1, 0.2, 0.7]
    assert {trial.state.value for trial in study.trials} == {"COMPLETE"}


def test_code_that_comes_back_is_its_old_generation_again(
    make_study: MakeStudy, durable: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for version, lr in (("1", 0.1), ("2", 0.2), ("1", 0.1)):
        study = make_study(version=version, **durable)
        study.optimize(hippo.GridSearch([{"lr": lr}], until=2))
    assert (study.generation, len(study.trials), study.statistics().steps_executed) == (1, 1, 2)
    assert "this is the code, arguments and data of generation 1, which goes on" in capsys.readouterr().err
    assert hippo.load_study("toy", durable["storage"]).generation == 1
    earlier = hippo.load_study("toy", durable["storage"], generation=2)
    assert earlier.best_params == {"lr": 0.2}
    with pytest.raises(UnknownStudyError, match=r"has no generation 3; it has \[1, 2\]"):
        hippo.load_study("toy", durable["storage"], generation=3)


def test_the_models_of_an_old_generation_can_be_loaded_with_a_warning(
    make_study: MakeStudy, durable: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_study(keep="leaves", **durable).evaluate({"lr": 0.1}, until=2)
    monkeypatch.setattr("hippo.study.identity.study_trainer.fingerprint", lambda cls: "changed")
    make_study(keep="leaves", **durable)
    earlier = hippo.load_study("toy", durable["storage"], generation=1, engine=hippo.InlineEngine())
    with pytest.warns(UserWarning, match="the code of .*ToyTrainer changed since study .toy. was made"):
        assert earlier.best_trial.load_model().steps == 2
    with pytest.raises(TrainerError, match="create_study begins a new generation"):
        earlier.evaluate({"lr": 0.1}, until=3)
    earlier.close()


def test_a_study_can_be_renamed(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    make_study(**durable).evaluate({"lr": 0.1}, until=1)
    rename_study("toy", "ball", durable["storage"])
    assert hippo.get_all_study_names(durable["storage"]) == ["ball"]
    assert len(make_study("ball", **durable).trials) == 1


def test_a_fork_does_not_take_its_parents_study_for_its_own(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    study = make_study(**durable)
    study.evaluate({"lr": 0.1}, until=1)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            study.evaluate({"lr": 0.2}, until=1)
        except EngineError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        assert "is a fork of the one that uses this engine" in said.read()
    os.waitpid(child, 0)
    assert study.evaluate({"lr": 0.2}, until=1)


def test_nothing_is_begun_unless_all_can_begin(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    engine = hippo.InlineEngine()

    class Local(ToyTrainer):
        pass

    make_study("later", trainer=Local, version="1", **durable)
    later = hippo.load_study("later", durable["storage"], engine=engine)
    first = make_study("first", engine=engine, **durable)
    with pytest.raises(TrainerError, match="cannot be imported by name"):
        hippo.optimize([(first, hippo.GridSearch(TWO, until=5)), (later, hippo.GridSearch(TWO, until=5))])
    assert first.trials == []


def test_a_tuner_that_fails_at_once_leaves_nobody_behind_on_another_engine(make_study: MakeStudy) -> None:
    class Exiting(Tuner):
        async def tune(self, ask: Ask) -> None:
            raise SystemExit(2)

    slow, exiting = make_study("slow", trainer_args={"sleep_s": 0.01}), make_study("exiting")
    with pytest.raises(SystemExit):
        hippo.optimize([(exiting, Exiting()), (slow, hippo.GridSearch(TWO, until=10_000))])
    steps = slow.statistics().steps_executed
    time.sleep(0.05)
    assert slow.statistics().steps_executed == steps


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda study: hippo.optimize([study]), "takes pairs of a study and its tuner"),
        (lambda study: study.optimize(hippo.GridSearch), "GridSearch is a class; make a tuner of it"),
        (lambda study: study.optimize(lambda trial: 0.0), "is no tuner"),
    ],
)
def test_what_is_given_in_the_place_of_a_tuner_is_refused_with_what_to_write(
    make_study: MakeStudy, call: Callable[[hippo.Study], None], said: str
) -> None:
    with pytest.raises(TunerError, match=said):
        call(make_study())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": "score", "mode": None}, "needs a mode"),
        ({"metric": ["loss", "luck"], "mode": "min"}, "need a mode each"),
        ({"metric": ""}, "must be the name of a metric"),
        ({"sharing": "no"}, "sharing must be True or False"),
        ({"storage": None}, "'memory://' keeps nothing"),
        ({"seed": "abc"}, "a seed must be a whole number"),
        ({"seed": 1.5}, "a seed must be a whole number"),
        ({"trainer_args": {"sise": 3}}, "unexpected keyword argument 'sise'. It takes"),
        ({"step_timeout_s": 0}, "must be a number of seconds above 0"),
    ],
)
def test_an_option_that_means_nothing_is_refused(make_study: MakeStudy, options: Mapping[str, Any], said: str) -> None:
    with pytest.raises(hippo.HippoError, match=said):
        make_study(**options)


@pytest.mark.parametrize(("metric", "mode"), [("val_accuracy", "max"), ("val_loss", "min"), ("f1", "max")])
def test_a_mode_that_the_metrics_name_tells_may_be_left_out(make_study: MakeStudy, metric: str, mode: str) -> None:
    (objective,) = make_study(metric=metric, mode=None)._opened.settings.objectives
    assert objective.mode == mode


def test_a_full_disk_pauses_a_study_and_loses_nothing(
    make_study: MakeStudy,
    durable: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("hippo.training.walking.lane_states.ROOM_RETRY_S", 0.01)
    write, failures = FolderCheckpoints.write, iter(range(5))

    def full_at_first(self: FolderCheckpoints, key: str, writer: Callable[[BinaryIO], None]) -> Any:
        if next(failures, None) is not None:
            raise StoreFullError("cannot write: no space left on device.")
        return write(self, key, writer)

    monkeypatch.setattr(FolderCheckpoints, "write", full_at_first)
    study = make_study(**durable)
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": hippo.MultiStep(0.1, [3], 0.1)}], until=6))
    said = capsys.readouterr().err
    assert said.count("paused: cannot write: no space left") == 1
    assert said.count("takes states again") == 1
    assert (study.statistics().steps_executed, study.statistics().steps_repeated) == (9, 0)


def test_half_written_files_of_killed_workers_are_removed_when_their_plan_is_taken_over(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    study = make_study(keep="leaves", **durable)
    study.evaluate({"lr": 0.1}, until=2)
    (written,) = [file for file in (tmp_path / "states").rglob("*") if file.is_file()]
    study.close()
    left = written.parent / ".0123456789abcdef.part"
    left.write_bytes(b"half")
    make_study(keep="leaves", **durable).evaluate({"lr": 0.1}, until=3)
    assert not left.exists()
    assert written.exists()
