"""Callbacks hear what happens to trials: every step once for each trial, whoever trained it."""

from __future__ import annotations

import csv
import gc
import logging
import resource
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import HippoError, TrialFailedError
from hippo.runtime.studies.observers import StepEvaluated, StepTrained, TrialAnswered, TrialEnded, TrialFailed
from hippo.study.watching import callbacks as study_callbacks
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
#: two trials that share two of five steps
FORK = [{"lr": hippo.Piecewise([0.1, 0.2], [2])}, {"lr": hippo.Piecewise([0.1, 0.3], [2])}]


class Heard(hippo.Callback):
    """Keeps every event, by kind."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.num_flushed = 0

    def on_step(self, event: StepTrained) -> None:
        self.events.append(event)

    on_evaluated = on_answered = on_failure = on_trial_end = on_step  # type: ignore[assignment]

    def flush(self) -> None:
        self.num_flushed += 1

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def test_each_trial_is_told_of_every_step_of_its_path_once_and_in_order(make_study: MakeStudy) -> None:
    heard = Heard()
    study = make_study(callbacks=[heard])
    study.optimize(hippo.GridSearch(FORK, until=5))
    for trial in study.trials:
        told = [(event.step, event.train_metrics) for event in heard.of(StepTrained) if event.trial == trial.number]
        assert told == list(trial.train_metrics.items())
        told = [(event.step, event.metrics) for event in heard.of(StepEvaluated) if event.trial == trial.number]
        assert told == list(trial.history.items())


def test_a_trial_that_comes_later_is_told_of_the_steps_that_were_there_before_it(make_study: MakeStudy) -> None:
    heard = Heard()
    study = make_study(callbacks=[heard])
    study.evaluate(FORK[0], until=5)
    study.evaluate(FORK[1], until=4)
    assert [event.step for event in heard.of(StepTrained) if event.trial == 1] == [1, 2, 3, 4]


def test_steps_are_told_while_the_trial_is_still_under_way(make_study: MakeStudy) -> None:
    heard = Heard()
    make_study(callbacks=[heard], evaluate_every=2).optimize(hippo.GridSearch([{"lr": 0.1}], until=4))
    kinds = [(type(event).__name__, getattr(event, "step", None)) for event in heard.events]
    assert kinds == [
        ("StepTrained", 1),
        ("StepTrained", 2),
        ("StepEvaluated", 2),
        ("StepTrained", 3),
        ("StepTrained", 4),
        ("StepEvaluated", 4),
        ("TrialAnswered", 4),
        ("TrialEnded", None),
    ]


@pytest.mark.parametrize("beside", [[], ["on_failure"]])
def test_a_study_begins_for_those_too_who_want_to_hear_of_nothing_else_that_goes_well(
    make_study: MakeStudy, beside: list[str]
) -> None:
    begun: list[str] = []
    methods = {"on_begin": lambda self, event: begun.append(event.study)} | dict.fromkeys(beside, lambda *_: None)
    callback = type("Begins", (hippo.Callback,), methods)()
    study = make_study(callbacks=[callback])
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=1))
    study.optimize(hippo.GridSearch([{"lr": 0.2}], until=1))
    assert begun == [study.name]


def test_how_each_trial_ended_is_told_with_its_config(make_study: MakeStudy) -> None:
    heard = Heard()
    study = make_study(callbacks=[heard], trainer_args={"raise_in": "train", "raise_at": 3, "raise_if": {"lr": 0.3}})
    study.optimize(hippo.SuccessiveHalving([{"lr": lr} for lr in (0.1, 0.2, 0.3)], min_steps=2, max_steps=4))
    ended = {event.trial: (event.state, event.config) for event in heard.of(TrialEnded)}
    assert ended == {trial.number: (trial.state, trial.config) for trial in study.trials}
    assert heard.num_flushed == 1


def test_a_failure_is_told_with_its_traceback(make_study: MakeStudy) -> None:
    heard = Heard()
    study = make_study(callbacks=[heard], trainer_args={"raise_in": "train", "raise_at": 3})
    with pytest.raises(TrialFailedError):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=5))
    (failed,) = heard.of(TrialFailed)
    assert (failed.trial, failed.step, failed.method) == (0, 4, "train")
    assert failed.traceback == study.trials[0].traceback
    assert "ValueError: told to raise in train after 3 steps" in failed.traceback


def test_a_script_that_is_run_again_tells_all_of_it_again_as_known(make_study: MakeStudy, tmp_path: Path) -> None:
    told = []
    for _ in range(2):
        heard = Heard()
        study = make_study(
            callbacks=[heard], storage=f"sqlite:///{tmp_path}/hippo.db", checkpoints=str(tmp_path / "states")
        )
        study.optimize(hippo.GridSearch(FORK, until=5))
        told.append(heard)
    first, again = told
    assert [event.is_known for event in first.of(TrialAnswered)] == [False, False]
    assert [event.is_known for event in again.of(TrialAnswered)] == [True, True]
    both = [sorted(heard.of(StepTrained), key=lambda event: (event.trial, event.step)) for heard in told]
    assert both[0] == both[1]


def test_what_is_told_is_durable_before(make_study: MakeStudy, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path}/hippo.db"
    seen = []

    class Looks(hippo.Callback):
        def on_answered(self, event: TrialAnswered) -> None:
            seen.append(hippo.load_study("toy", storage).trials[event.trial].step >= event.step)

    study = make_study(callbacks=[Looks()], storage=storage, checkpoints=str(tmp_path / "states"))
    study.optimize(hippo.SuccessiveHalving([{"lr": 0.1}, {"lr": 0.2}], min_steps=1, max_steps=4, reduction=2))
    assert len(seen) >= 3
    assert all(seen)


def test_a_callback_that_raises_is_reported_once_and_the_study_goes_on(
    make_study: MakeStudy, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken(hippo.Callback):
        def on_step(self, event: StepTrained) -> None:
            raise ConnectionError("no network")

    heard = Heard()
    study = make_study(callbacks=[Broken(), heard])
    study.optimize(hippo.GridSearch(FORK, until=5))
    said = capsys.readouterr().err
    assert said.count("the callback Broken raised in on_step() and is told nothing more") == 1
    assert "ConnectionError: no network" in said
    assert len(heard.of(StepTrained)) == 10
    assert [trial.state.value for trial in study.trials] == ["COMPLETE", "COMPLETE"]


def test_a_callback_that_raises_in_two_threads_at_once_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    both = threading.Barrier(2, timeout=120)

    class Full(hippo.Callback):
        def __eq__(self, other: object) -> bool:
            return True

        def on_step(self, event: StepTrained) -> None:
            both.wait()
            raise OSError("the disk is full")

    heard, full = Heard(), Full()
    thread = study_callbacks.CallbackThread([heard, full])
    others = [threading.Thread(target=thread._call, args=(full, "on_step", object())) for _ in range(2)]
    for each in others:
        each.start()
    for each in others:
        each.join(120)
    assert capsys.readouterr().err.count("is told nothing more") == 1
    assert thread._callbacks == [heard]


def test_a_slow_callback_holds_up_no_training(make_study: MakeStudy, tmp_path: Path) -> None:
    log, is_trained = tmp_path / "log", []

    class Slow(hippo.Callback):
        def on_step(self, event: StepTrained) -> None:
            if event.step == 1:  # until the trainer has taken its last step, as its log tells
                looks = (" 4 {" in log.read_text() or threading.Event().wait(0.01) for _ in range(6000))
                is_trained.append(any(looks))

    make_study(callbacks=[Slow()], trainer_args={"log": str(log)}, version="1", sharing=False).optimize(
        hippo.GridSearch([{"lr": 0.1}], until=5)
    )
    assert is_trained == [True]


def test_one_thread_calls_them_and_ends_when_nothing_is_told_for_a_while(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    class Noting(hippo.Callback):
        def on_step(self, event: StepTrained) -> None:
            threads.append(threading.current_thread())

    monkeypatch.setattr(study_callbacks, "_LINGER_S", 600.0)
    study = make_study(callbacks=[Noting()])
    for rate in range(1, 21):
        study.evaluate({"lr": 0.01 * rate}, until=1)
    assert len(threads) == 20
    assert len(set(threads)) == 1
    assert threads[0].is_alive()
    monkeypatch.setattr(study_callbacks, "_LINGER_S", 0.01)
    study.evaluate({"lr": 0.5}, until=1)  # whose end begins the shorter wait
    threads[0].join(120)
    assert not threads[0].is_alive()
    study.evaluate({"lr": 0.6}, until=1)
    assert len(set(threads)) == 2


@pytest.mark.parametrize(
    ("callbacks", "message"),
    [
        (hippo.Callback(), "must be a list"),
        ([print], "not derived from hippo.Callback"),
        ([Heard], "Heard is a class"),
        ([type("Odd", (hippo.Callback,), {"on_evaluate": print})()], "Did you mean 'on_evaluated'"),
    ],
)
def test_what_is_no_callback_is_refused(make_study: MakeStudy, callbacks: Any, message: str) -> None:
    with pytest.raises(HippoError, match=message):
        make_study(callbacks=callbacks)


# --- those that come with hippo


def test_a_csv_log_has_every_metric_of_every_step_and_how_trials_ended(make_study: MakeStudy, tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    study = make_study(callbacks=[hippo.CSVLog(file)])
    study.optimize(hippo.GridSearch(FORK, until=5))
    with file.open(newline="") as read:
        rows = list(csv.DictReader(read))
    losses = {(int(row["trial"]), int(row["step"])): float(row["value"]) for row in rows if row["name"] == "loss"}
    assert losses == {(t.number, step): m["loss"] for t in study.trials for step, m in t.history.items()}
    assert [row["value"] for row in rows if row["event"] == "ended"] == ["COMPLETE", "COMPLETE"]
    assert {row["value"] for row in rows if row["event"] == "config"} == {t.params["lr"] for t in study.trials}


def test_a_csv_log_that_is_thrown_away_closes_its_file(tmp_path: Path) -> None:
    log = hippo.CSVLog(tmp_path / "log.csv")
    file = log._file
    del log
    gc.collect()
    assert file.closed


def test_what_a_full_disk_did_not_take_of_a_csv_log_comes_never(tmp_path: Path) -> None:
    file, limits = tmp_path / "log.csv", resource.getrlimit(resource.RLIMIT_FSIZE)
    log = hippo.CSVLog(file)
    log.flush()
    log._rows.write(["toy", "0", "config", "0", "lr", "0.1"])
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 5, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            log.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    later = hippo.CSVLog(file)
    later._rows.write(["toy", "0", "config", "0", "lr", "0.2"])
    later.flush()
    del log
    gc.collect()
    with file.open(newline="") as read:
        assert [row[-1] for row in csv.reader(read)] == ["value", "0.2"]


def test_a_csv_log_of_a_study_that_is_run_again_has_no_row_twice(make_study: MakeStudy, tmp_path: Path) -> None:
    texts = []
    for _ in range(2):
        study = make_study(
            callbacks=[hippo.CSVLog(tmp_path / "log.csv")],
            storage=f"sqlite:///{tmp_path}/hippo.db",
            checkpoints=str(tmp_path / "states"),
        )
        study.optimize(hippo.GridSearch(FORK, until=5))
        texts.append((tmp_path / "log.csv").read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("cut", [b"study,tri", b"evaluate,3,loss,0.", b'failed,3,train,"Broken: ', b'"Broken: first\n'])
def test_a_csv_log_goes_on_behind_its_last_whole_row(make_study: MakeStudy, tmp_path: Path, cut: bytes) -> None:
    file = tmp_path / "log.csv"
    whole = b""
    for _ in range(2):
        study = make_study(
            callbacks=[hippo.CSVLog(file)],
            storage=f"sqlite:///{tmp_path}/hippo.db",
            checkpoints=str(tmp_path / "states"),
        )
        study.optimize(hippo.GridSearch(FORK, until=5))
        study.close()
        if not whole:  # with a row of two lines
            whole = file.read_bytes().replace(b"ended,,state,COMPLETE", b'failed,3,train,"Broken: first\nsecond"', 1)
            file.write_bytes(whole[: whole.index(cut) + len(cut)])
    with file.open(newline="") as read:
        rows = list(csv.reader(read))
    assert {len(row) for row in rows} == {6}
    assert len({tuple(row) for row in rows}) == len(rows)
    assert logged_losses(file, "toy") == losses_of(study)


def logged_losses(file: Path, study: str) -> dict[tuple[int, int], float]:
    with file.open(newline="") as read:
        rows = [row for row in csv.DictReader(read) if (row["study"], row["name"]) == (study, "loss")]
    return {(int(row["trial"]), int(row["step"])): float(row["value"]) for row in rows}


def losses_of(study: hippo.Study) -> dict[tuple[int, int], float]:
    return {(t.number, step): m["loss"] for t in study.trials for step, m in t.history.items()}


def test_a_csv_log_has_the_rows_of_a_later_generation_beside_those_of_the_first(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    file = tmp_path / "log.csv"
    kept = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    first = make_study(callbacks=[hippo.CSVLog(file)], **kept)
    first.optimize(hippo.GridSearch(FORK, until=5))
    later = make_study(callbacks=[hippo.CSVLog(file)], trainer_args={"size": 4}, **kept)
    later.optimize(hippo.GridSearch(FORK, until=5))
    assert later.generation == 2
    assert logged_losses(file, "toy") == losses_of(first)
    assert logged_losses(file, "toy (generation 2)") == losses_of(later)


def test_a_csv_log_of_a_study_that_was_deleted_and_made_again_ends_with_the_new_values(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    file, storage = tmp_path / "log.csv", f"sqlite:///{tmp_path}/hippo.db"
    for lr in (0.1, 0.3):
        study = make_study(callbacks=[hippo.CSVLog(file)], storage=storage, checkpoints=str(tmp_path / "states"))
        study.optimize(hippo.GridSearch([{"lr": lr}], until=2))
        assert logged_losses(file, "toy") == losses_of(study)
        hippo.delete_study("toy", storage)


def test_a_csv_log_says_last_how_a_trial_ended_that_was_tried_again(make_study: MakeStudy, tmp_path: Path) -> None:
    file, is_broken = tmp_path / "log.csv", tmp_path / "broken"
    is_broken.touch()

    class Flaky(ToyTrainer):
        _hippo_file = str(is_broken)

        def train(self) -> dict[str, float]:
            if self.hp["lr"] == 0.2 and Path(self._hippo_file).exists():
                raise OSError("no such disk")
            return super().train()

    study = make_study(trainer=Flaky, callbacks=[hippo.CSVLog(file)])
    grid = hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=2)
    study.optimize(grid)
    is_broken.unlink()
    study.retry_failed()
    study.optimize(grid)
    with file.open(newline="") as read:
        ends = {row["trial"]: row["value"] for row in csv.DictReader(read) if row["event"] == "ended"}
    assert ends == {"0": "COMPLETE", "1": "COMPLETE"}


def test_a_csv_log_refuses_another_table_and_a_place_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n")
    with pytest.raises(HippoError, match=r"another table: its columns are \['a', 'b'\]"):
        hippo.CSVLog(tmp_path / "mine.csv")
    with pytest.raises(HippoError, match="cannot be written"):
        hippo.CSVLog(tmp_path / "nowhere" / "log.csv")


@pytest.mark.slow
def test_tensorboard_has_a_run_for_each_trial_with_its_whole_curve(make_study: MakeStudy, tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    (tmp_path / "runs" / "toy" / "trial-0000").mkdir(parents=True)
    (tmp_path / "runs" / "toy" / "trial-0000" / "events.out.tfevents.0.earlier").touch()  # it is replaced
    study = make_study(callbacks=[hippo.TensorBoard(tmp_path / "runs")])
    study.optimize(hippo.GridSearch(FORK, until=5))
    for trial in study.trials:
        (file,) = (tmp_path / "runs" / "toy" / f"trial-{trial.number:04d}").iterdir()
        assert scalars_of(file, "train/slope") == pytest.approx(
            {step: metrics["slope"] for step, metrics in trial.train_metrics.items()}
        )
        assert scalars_of(file, "loss") == pytest.approx({step: m["loss"] for step, m in trial.history.items()})


@pytest.mark.slow
@pytest.mark.slow
def test_tensorboard_has_a_folder_for_each_study_whatever_its_name(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    for name in ("exp/1", "exp:1", "exp_1"):
        study = hippo.create_study(
            name, trainer=ToyTrainer, storage="memory://", checkpoints="memory://", metric="loss", mode="min",
            callbacks=[hippo.TensorBoard(tmp_path)], engine=hippo.InlineEngine(),
        )  # fmt: skip
        study.evaluate({"lr": 0.1}, until=1)
        study.close()
    folders = sorted(folder.name for folder in tmp_path.iterdir())
    assert folders[0] == "exp_1"
    assert len(folders) == 3
    assert len(list(tmp_path.glob("*/trial-0000/events*"))) == 3


def test_tensorboard_keeps_generations_apart(make_study: MakeStudy, tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    kept = {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}
    for size, of in ((3, "toy"), (4, "toy (generation 2)")):
        study = make_study(callbacks=[hippo.TensorBoard(tmp_path / "runs")], trainer_args={"size": size}, **kept)
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=2))
        (file,) = (tmp_path / "runs" / of / "trial-0000").iterdir()
        assert scalars_of(file, "loss") == pytest.approx({step: loss for (_, step), loss in losses_of(study).items()})
    assert len(list((tmp_path / "runs" / "toy" / "trial-0000").iterdir())) == 1


def test_tensorboard_takes_whole_numbers_that_numpy_has_none_of(make_study: MakeStudy, tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")

    class Seen(ToyTrainer):
        def train(self) -> dict[str, float]:
            return {**super().train(), "tokens": 10**20}

        def evaluate(self) -> dict[str, float]:
            return {**super().evaluate(), "tokens": 10**20}

    study = make_study(trainer=Seen, callbacks=[hippo.TensorBoard(tmp_path)])
    study.evaluate({"lr": 0.1}, until=2)
    (file,) = (tmp_path / "toy" / "trial-0000").iterdir()
    assert scalars_of(file, "train/tokens") == scalars_of(file, "tokens") == pytest.approx({1: 1e20, 2: 1e20})


def scalars_of(file: Path, tag: str) -> dict[int, float]:
    """Read the scalars of one tag: TensorBoard itself is not needed for that."""
    from tensorboardX.proto.event_pb2 import Event

    found: dict[int, float] = {}
    data = file.read_bytes()
    while data:
        length = int.from_bytes(data[:8], "little")  # then 4 bytes of checksum, the record, 4 bytes of checksum
        event = Event.FromString(data[12 : 12 + length])
        for value in event.summary.value:
            if value.tag == tag:
                found[event.step] = value.simple_value
        data = data[16 + length :]
    return found


def test_without_a_writer_tensorboard_names_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tensorboardX", "torch.utils.tensorboard"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(HippoError, match=r"pip install 'hippo-tune\[tensorboard\]'"):
        hippo.TensorBoard("runs")


def test_the_standard_logger_has_failures_and_for_debugging_answers(
    make_study: MakeStudy, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="hippo")
    study = make_study(trainer_args={"raise_in": "train", "raise_if": {"lr": 0.2}})
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=3))
    by_level = {record.levelno: record.getMessage() for record in caplog.records}
    assert "trial 1 of 'toy' failed in train() at step 1" in by_level[logging.WARNING]
    assert "Traceback" in by_level[logging.WARNING]
    assert any("trial 0 of 'toy' after 3 steps: loss" in record.getMessage() for record in caplog.records)
