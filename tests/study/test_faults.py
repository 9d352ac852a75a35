"""What breaks around a study, a database, an engine, a tuner, breaks nothing else and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.checkpoints import FolderCheckpoints
from hippo.errors import (
    CheckpointError,
    ExactnessError,
    PlanLockedError,
    StorageError,
    TrainerError,
    TunerError,
)
from hippo.plan import Change, Insert, RequestRow, StepRow
from hippo.plan.sql_store import SqlStore
from hippo.testing.solo import train_alone
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask

MakeStudy = Callable[..., hippo.Study]
SPACE = hippo.GridSearchSpace({"lr": [0.1, 0.2]})


@pytest.fixture
def durable(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}


def holds_a_step(changes: Sequence[Change]) -> bool:
    return any(isinstance(change, Insert) and isinstance(change.row, StepRow) for change in changes)


def holds_an_answer(changes: Sequence[Change]) -> bool:
    return any(isinstance(change.row, RequestRow) and change.row.state == "answered" for change in changes)


@pytest.mark.parametrize("when", [holds_a_step, holds_an_answer])
def test_a_commit_that_fails_once_is_told_and_loses_nothing(
    make_study: MakeStudy, durable: dict[str, Any], monkeypatch: pytest.MonkeyPatch, when: Callable[..., bool]
) -> None:
    commit, failures = SqlStore.commit, []

    def failing(self: SqlStore, changes: Sequence[Change]) -> None:
        if not failures and when(changes):
            failures.append(1)
            raise StorageError("the disk is full")
        commit(self, changes)

    study = make_study(**durable)
    monkeypatch.setattr(SqlStore, "commit", failing)
    with pytest.raises(StorageError, match="the disk is full"):
        study.optimize(hippo.GridSearch(SPACE, until=3))
    study.optimize(hippo.GridSearch(SPACE, until=3))
    read = hippo.load_study("toy", storage=durable["storage"])
    assert [dict(trial.history) for trial in read.trials] == [
        train_alone(ToyTrainer, config, until=3) for config in SPACE
    ]
    assert {trial.state.value for trial in read.trials} == {"COMPLETE"}


def test_a_database_that_fails_ends_only_the_studies_that_it_holds(
    make_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, commit = hippo.InlineEngine(), SqlStore.commit

    def failing(self: SqlStore, changes: Sequence[Change]) -> None:
        if self.url.endswith("a.db") and holds_a_step(changes):
            raise StorageError("the disk is full")
        commit(self, changes)

    studies = [
        make_study(name, storage=f"sqlite:///{tmp_path}/{name}.db", checkpoints=str(tmp_path / "c"), engine=engine)
        for name in "ab"
    ]
    monkeypatch.setattr(SqlStore, "commit", failing)
    with pytest.raises(StorageError, match="the disk is full"):
        hippo.optimize([(study, hippo.GridSearch(SPACE, until=3)) for study in studies])
    assert [trial.state.value for trial in studies[1].trials] == ["COMPLETE", "COMPLETE"]


BROKEN_MODULE = """
import asyncio
import contextlib
import os
if not os.path.exists({flag!r}):
    raise RuntimeError("the data set is not mounted")
from hippo.testing.trainers import ToyTrainer
class Broken(ToyTrainer):
    pass
"""


@pytest.mark.slow
def test_a_trainer_that_workers_cannot_load_does_not_spoil_the_engine(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag = tmp_path / "mounted"
    flag.touch()
    (tmp_path / "broken_module.py").write_text(BROKEN_MODULE.format(flag=str(flag)))
    monkeypatch.syspath_prepend(str(tmp_path))
    engine = hippo.LocalEngine(workers=1)
    broken = make_study("broken", trainer="broken_module:Broken", engine=engine, **durable)
    fine = make_study("fine", engine=engine, **durable)
    flag.unlink()
    with pytest.raises(TrainerError, match="the data set is not mounted"):
        broken.optimize(hippo.GridSearch(SPACE, until=2))
    fine.optimize(hippo.GridSearch(SPACE, until=2))
    flag.touch()
    broken.optimize(hippo.GridSearch(SPACE, until=2))
    assert [trial.state.value for trial in (*fine.trials, *broken.trials)] == ["COMPLETE"] * 4


def evaluate_when_free(study: hippo.Study, config: dict[str, float], *, until: int) -> None:
    """Evaluate as soon as the other engine's last lane has ended: an answer comes a moment before that."""
    deadline = time.monotonic() + 120
    while True:
        try:
            study.evaluate(config, until=until)
            return
        except PlanLockedError:
            assert time.monotonic() < deadline


def test_a_study_goes_on_with_what_somebody_else_wrote_meanwhile(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    first, second = make_study(**durable), make_study(**durable)
    for study, lr in ((first, 0.1), (second, 0.1), (second, 0.2), (first, 0.2), (first, 0.3)):
        evaluate_when_free(study, {"lr": lr}, until=2)
    assert [trial.config["lr"] for trial in first.trials] == [0.1, 0.2, 0.3]


def test_who_follows_the_advice_after_a_failed_check_is_not_locked_out(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    options = {**durable, "trainer_args": {"forget": "velocity"}}
    grid = hippo.GridSearch([{"lr": 0.1, "momentum": 0.9}], until=4)
    for _ in range(2):
        with pytest.raises(ExactnessError):
            make_study(**options).optimize(grid)
    make_study(**options, nondeterminism="warn").optimize(grid)


def test_a_tuner_that_keeps_an_alarm_to_itself_does_not_hide_it(make_study: MakeStudy) -> None:
    class Swallowing:
        async def tune(self, ask: Ask) -> None:
            try:
                await ask({"lr": 0.1, "momentum": 0.9}, until=6)
            except BaseException:
                return

    study = make_study(trainer_args={"forget": "velocity"})
    with pytest.raises(ExactnessError):
        study.optimize(Swallowing())


def test_a_study_can_be_read_at_any_moment_while_it_runs(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    study = make_study(trainer_args={"sleep_s": 0.001}, **durable)
    reader = hippo.load_study("toy", storage=durable["storage"])
    ended = threading.Event()

    def read() -> int:
        reads = 0
        while not ended.is_set():
            assert len(reader.trials) <= 2
            reader.tree()
            reader.statistics()
            reads += 1
        return reads

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        try:
            study.optimize(hippo.GridSearch(SPACE, until=60))
        finally:
            ended.set()
        assert reading.result() > 0


def test_two_who_want_one_lost_state_both_get_it(make_study: MakeStudy) -> None:
    study = make_study(keep="best")
    rates = [0.1, 0.3, hippo.MultiStep(0.1, [2], 0.5)]
    study.optimize(hippo.GridSearch([{"lr": lr, "momentum": 0.5} for lr in rates], until=4))
    worst = max(study.trials, key=lambda trial: trial.value or 0.0)
    with pytest.warns(UserWarning, match="was not kept"), ThreadPoolExecutor(2) as pool:
        loaded = [future.result() for future in [pool.submit(worst.load_model) for _ in range(2)]]
    assert loaded[0].weights == loaded[1].weights


def test_a_checkpoint_store_that_cannot_be_written_stops_the_study_and_leaves_it_as_good_as_new(
    make_study: MakeStudy, durable: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(keep="leaves", **durable)
    with monkeypatch.context() as patched:

        def full(*_: Any) -> None:
            raise CheckpointError("no space left on device")

        patched.setattr(FolderCheckpoints, "write", full)
        with pytest.raises(CheckpointError, match="no space left"):
            study.optimize(hippo.GridSearch(SPACE, until=3))
    study.optimize(hippo.GridSearch(SPACE, until=3))
    assert [trial.number for trial in study.trials] == [0, 1]
    assert {trial.state.value for trial in study.trials} == {"COMPLETE"}


def test_one_bad_tuner_among_several_begins_none_of_them(make_study: MakeStudy) -> None:
    engine = hippo.InlineEngine()
    a, b = (make_study(name, storage="memory://bad pair", engine=engine) for name in "ab")
    with pytest.raises(TunerError, match="is no tuner"):
        hippo.optimize([(a, hippo.GridSearch(SPACE, until=3)), (b, object())])
    assert a.trials == []


def test_a_tuner_that_cannot_be_recognised_again_is_refused(make_study: MakeStudy) -> None:
    class Ranking:
        def __init__(self) -> None:
            self.rank = threading.Lock()  # a function would be known by its code

        async def tune(self, ask: Ask) -> None:
            await ask({"lr": 0.1}, until=1)

    with pytest.raises(TunerError, match=r"Ranking.rank is .*Name the attribute _rank .*write a record"):
        make_study().optimize(Ranking())


def test_what_is_no_number_is_never_best(make_study: MakeStudy) -> None:
    study = make_study(nan="worst", trainer_args={"nan_at": 3})
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    study.evaluate({"lr": 0.2}, until=2)
    study.evaluate({"lr": 0.3}, until=2)
    assert study.best_trial.number != 0


def test_two_names_of_one_database_are_one_database(make_study: MakeStudy, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "link")
    real, link = (
        make_study(storage=f"sqlite:///{tmp_path}/{name}/hippo.db", checkpoints=str(tmp_path / "states"))
        for name in ("real", "link")
    )

    class Meeting:
        async def tune(self, ask: Ask) -> None:
            await ask({"lr": 0.1}, until=1)
            with pytest.raises(PlanLockedError):
                link._calls.of_config({"lr": 0.2}, until=1)().result(timeout=10)

    real.optimize(Meeting())


def test_what_is_asked_again_while_it_is_cut_short_goes_on_from_where_it_was_cut(make_study: MakeStudy) -> None:

    class ChangingMind:
        async def tune(self, ask: Ask) -> None:
            long = asyncio.create_task(ask({"lr": 0.1}, until=60))
            await ask({"lr": 0.1}, until=5)
            long.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await long
            await ask({"lr": 0.1}, until=60)

    study = make_study(trainer_args={"sleep_s": 0.001})
    study.optimize(ChangingMind())
    assert study.statistics().steps_executed == 60
