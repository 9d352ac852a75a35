"""Steps that do not end, and steps for which memory runs out: neither is a fact about a trial."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.plan import Change, Insert, LeaseRow
from hippo.plan.sql_store import SqlStore
from hippo.records import LeaseId
from hippo.runtime.placing.stuck import StuckSteps
from hippo.testing.trainers import ToyTrainer, append_line

MakeStudy = Callable[..., hippo.Study]


@pytest.fixture
def durable(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}


class Hanging(ToyTrainer):
    """Hangs in its third step, the first time."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = Path(folder)

    def train(self) -> Any:
        hung = self.folder / "hung"
        if self.steps == 2 and not hung.exists():
            hung.touch()
            threading.Event().wait()
        return super().train()


@pytest.mark.slow
def test_a_step_that_outlasts_its_time_out_is_run_again_elsewhere(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    study = make_study(
        trainer=Hanging,
        trainer_args={"folder": str(tmp_path)},
        engine=hippo.LocalEngine(workers=1),
        step_timeout_s=1.0,
        **durable,
    )
    with pytest.warns(UserWarning, match=r"was lost \(step_timeout_s=1: local-1 \(pid \d+\) at step 3 of node 1"):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=4))
    assert study.trials[0].state is hippo.TrialState.COMPLETE


@pytest.mark.slow
def test_a_worker_that_was_stopped_is_named_and_waited_for(
    make_study: MakeStudy,
    durable: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = io.StringIO()  # which may be read while others write
    monkeypatch.setattr("sys.stderr", said)
    monkeypatch.setattr("hippo.runtime.placing.stuck._PATIENCE_S", 3.0)
    log = tmp_path / "log"
    study = make_study(trainer_args={"log": str(log), "sleep_s": 0.01}, engine=hippo.LocalEngine(workers=1), **durable)

    def stop_for_a_while() -> None:
        while not (log.exists() and len(log.read_text().splitlines()) > 3):
            time.sleep(0.01)
        pid = int(log.read_text().split()[0])
        os.kill(pid, signal.SIGSTOP)
        while "has said nothing" not in said.getvalue():
            time.sleep(0.01)
        time.sleep(1.5)  # is it said again?
        os.kill(pid, signal.SIGCONT)

    threading.Thread(target=stop_for_a_while, daemon=True).start()
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=100))
    # once for each step at which it stood still: a busy machine may have held it up at another one, too
    told = [line for line in said.getvalue().splitlines() if "has said nothing for" in line]
    places = [line.partition(", has said")[0] for line in told]
    assert places
    assert len(set(places)) == len(places)
    assert f"local-1 (pid {log.read_text().split()[0]}) at step" in places[0]
    assert study.trials[0].state is hippo.TrialState.COMPLETE


class Hungry(ToyTrainer):
    """Has not enough memory for a step while another one runs, or never; the first time it waits for another one."""

    def __init__(self, folder: str, always: bool = False) -> None:
        super().__init__()
        self.folder, self.always = Path(folder), always

    def train(self) -> Any:
        mine = self.folder / f"running-{os.getpid()}"
        mine.touch()
        try:
            time.sleep(0.05)
            while not (is_beside := len(list(self.folder.glob("running-*"))) > 1):
                if self.steps != 1 or self.always or (self.folder / "log").exists():
                    break
                time.sleep(0.01)
            if self.steps == 1 and (self.always or is_beside):
                append_line(self.folder / "log", "out of memory")
                raise MemoryError("48 GiB wanted")
            return super().train()
        finally:
            mine.unlink()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:resources ran out")
def test_a_step_that_ran_out_of_memory_is_run_again_alone(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    study = make_study(
        trainer=Hungry, trainer_args={"folder": str(tmp_path)}, engine=hippo.LocalEngine(workers=2), **durable
    )
    study.optimize(hippo.GridSearch([{"lr": rate / 10} for rate in range(1, 5)], until=4))
    assert [trial.state.value for trial in study.trials] == ["COMPLETE"] * 4
    assert "out of memory" in (tmp_path / "log").read_text()


def test_a_step_for_which_memory_never_suffices_is_lost_after_three_attempts_and_may_be_retried(
    make_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_study(trainer=Hungry, trainer_args={"folder": str(tmp_path), "always": True})
    with pytest.warns(UserWarning, match="resources ran out in train"), pytest.raises(hippo.HippoError):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=4))
    assert "lost: resources ran out 3 times in this step, the last time: MemoryError: 48 GiB" in study.trials[0].error
    assert study.retry_failed() == [0]


@pytest.mark.filterwarnings("ignore:resources ran out")
def test_a_step_that_is_to_run_alone_is_given_out_again_when_its_lease_could_not_be_made_durable(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, leases = SqlStore.commit, 0

    def failing(self: SqlStore, changes: Sequence[Change]) -> None:
        nonlocal leases
        if any(isinstance(change, Insert) and isinstance(change.row, LeaseRow) for change in changes):
            leases += 1
            if leases == 2:
                raise hippo.errors.StorageError("the disk is full")
        commit(self, changes)

    monkeypatch.setattr(hippo.InlineEngine, "work_outlives_process", True)  # so that work waits for its lease
    study = make_study(trainer=Hungry, trainer_args={"folder": str(tmp_path), "always": True}, **durable)
    monkeypatch.setattr(SqlStore, "commit", failing)
    tuner = hippo.GridSearch([{"lr": 0.1}], until=4)
    with pytest.raises(hippo.errors.StorageError, match="the disk is full"):
        study.optimize(tuner)
    with pytest.raises(hippo.HippoError, match="resources ran out"):
        study.optimize(tuner)
    assert (tmp_path / "log").read_text().count("out of memory") == 3


def test_a_silence_is_news_once_and_only_when_it_is_long_for_such_a_step() -> None:
    stuck, lease = StuckSteps(), LeaseId(1)
    stuck.note(lease, 0.0)
    assert list(stuck.silent(70.0)) == [(lease, 70.0)]
    assert not stuck.is_news(lease, 59.0, expected_s=0.1)
    assert not stuck.is_news(lease, 70.0, expected_s=8.0)
    assert not stuck.is_news(lease, 70.0, expected_s=None)
    assert stuck.is_news(lease, 81.0, expected_s=8.0)
    assert not stuck.is_news(lease, 90.0, expected_s=8.0)
    stuck.note(lease, 90.0)
    assert stuck.is_news(lease, 81.0, expected_s=8.0)
    stuck.forget(lease)
    assert not stuck  # nothing is left to be looked at


def test_a_step_outlasts_its_time_out_once_for_each_silence_and_without_one_never() -> None:
    stuck, lease = StuckSteps(), LeaseId(1)
    for heard_at in (0.0, 9.0):
        stuck.note(lease, heard_at)
        assert not stuck.is_over(lease, 10_000.0, None)
        assert [stuck.is_over(lease, silent_s, 5.0) for silent_s in (4.9, 5.0, 6.0)] == [False, True, False]
