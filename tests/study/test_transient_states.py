"""States that live in the memory of a slot: forks of them write nothing, and what dies with a slot is run again."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo import Config
from hippo.plan import open_store
from hippo.plan.rows import StateRow
from hippo.records import Answer
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask, Tuner
from hippo.tuners.ask import Proposal

TRUNK = Config({"lr": 0.1})
BRANCHES = [TRUNK.switch(at=4, lr=0.2 + number) for number in range(3)]
FORKS = [BRANCHES[1].switch(at=8, lr=0.05 + number) for number in range(2)]


class Forking(Tuner):
    """Walks a trunk, tries branches of it for a few steps each, and forks one of them again."""

    def __init__(self, between: Callable[[], None] = lambda: None, *, last_is_transient: bool = True) -> None:
        self._between = between
        self._last_is_transient = last_is_transient
        self._answers: list[Answer] = []

    async def tune(self, ask: Ask) -> None:
        await ask(TRUNK, until=4)
        for until in (6, 8):
            self._answers += await ask.together(
                Proposal(config=branch, until=until, evaluate=False, is_transient=True) for branch in BRANCHES
            )
        self._between()
        for fork in FORKS:
            self._answers.append(await ask(fork, until=10, is_transient=self._last_is_transient))

    @property
    def answers(self) -> list[Answer]:
        return self._answers


def create(tmp_path: Path, engine: Any, **options: Any) -> hippo.Study:
    return hippo.create_study(
        "transient",
        trainer=ToyTrainer,
        storage=f"sqlite:///{tmp_path}/hippo.db",
        checkpoints=str(tmp_path / "states"),
        engine=engine,
        metric="loss",
        mode="min",
        evaluate_every=1000,
        **options,
    )


def files(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "states").rglob("*") if path.is_file()]


@pytest.fixture(scope="module")
def alone() -> list[dict[str, float]]:
    """What each fork says when it is trained by itself, from its first step on."""
    study = hippo.create_study(
        "alone",
        trainer=ToyTrainer,
        storage="memory://",
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
        evaluate_every=1000,
        sharing=False,
    )
    found = [dict(study.evaluate(Config.from_json(fork.to_json()), until=10)) for fork in FORKS]
    study.close()
    return found


def told(answers: Sequence[Answer]) -> list[dict[str, float]]:
    return [dict(answer.metrics) for answer in answers[-len(FORKS) :]]


def engines() -> list[Any]:
    local = pytest.param(lambda: hippo.LocalEngine(workers=2), id="local", marks=pytest.mark.slow)
    return [pytest.param(hippo.InlineEngine, id="inline"), local]


@pytest.mark.parametrize("engine", engines())
def test_a_fork_of_a_transient_state_writes_nothing_and_equals_solo_training(
    tmp_path: Path, engine: Callable[[], Any], alone: list[dict[str, float]]
) -> None:
    study, tuner = create(tmp_path, engine()), Forking()
    study.optimize(tuner)
    assert told(tuner.answers) == alone
    assert len(files(tmp_path)) == 1  # the trunk's
    hashed = [row.step for row in open_store(f"sqlite:///{tmp_path}/hippo.db").rows(StateRow)]
    assert hashed == [4]
    counts = study.statistics()
    assert (counts.steps_executed, counts.steps_repeated) == (4 + 3 * 4 + 2 * 2, 0)
    study.close()


@pytest.mark.parametrize("engine", engines())
def test_a_transient_state_that_finds_no_room_is_made_again_and_that_is_said_once(
    tmp_path: Path, engine: Callable[[], Any], alone: list[dict[str, float]], recwarn: pytest.WarningsRecorder
) -> None:
    study, tuner = create(tmp_path, type(engine())(resident_bytes=1)), Forking()
    study.optimize(tuner)
    assert told(tuner.answers) == alone
    assert study.statistics().steps_repeated > 0
    said = [str(each.message) for each in recwarn if "found no room" in str(each.message)]
    assert len(said) == 1
    assert "resident_bytes=" in said[0]
    study.close()


def test_states_that_are_in_files_too_need_no_room(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    study = create(tmp_path, hippo.InlineEngine(resident_bytes=1))
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.2}], until=3))
    assert not [each for each in recwarn if "found no room" in str(each.message)]
    study.close()


def test_an_answer_without_evaluation_has_train_metrics_and_nothing_to_rank_by(tmp_path: Path) -> None:
    study, tuner = create(tmp_path, hippo.InlineEngine()), Forking()
    study.optimize(tuner)
    first = tuner.answers[0]
    assert (first.metrics, first.losses, first.failure, first.step) == ({}, (), None, 6)
    assert list(first.train_metrics) == [1, 2, 3, 4, 5, 6]
    assert {trial.step: trial.value is None for trial in study.trials} == {4: False, 8: True, 10: False}
    study.close()


def test_who_wants_more_than_a_transient_state_gets_it(tmp_path: Path) -> None:
    study = create(tmp_path, hippo.InlineEngine(), keep="all")
    study.optimize(Forking(last_is_transient=False))
    assert len(files(tmp_path)) == 1 + len(FORKS)
    study.close()


def test_a_second_run_of_a_call_goes_on_from_what_is_written_and_says_the_same(
    tmp_path: Path, alone: list[dict[str, float]]
) -> None:
    for _ in range(2):
        study, tuner = create(tmp_path, hippo.InlineEngine()), Forking()
        study.optimize(tuner)
        assert told(tuner.answers) == alone
        assert study.statistics().steps_repeated == 0
        study.close()


@pytest.mark.slow
def test_what_dies_with_a_worker_is_run_again_and_counted(tmp_path: Path, alone: list[dict[str, float]]) -> None:
    log = tmp_path / "log"

    def kill() -> None:
        for pid in {int(line.split()[0]) for line in log.read_text().splitlines()}:
            os.kill(pid, signal.SIGKILL)

    study = create(tmp_path, hippo.LocalEngine(workers=1), trainer_args={"log": str(log)})
    tuner = Forking(kill)
    study.optimize(tuner)
    assert told(tuner.answers) == alone
    counts = study.statistics()
    assert counts.repeated_by_cause == {"not kept": 4}  # the way from the trunk's file to where both forks begin
    assert counts.steps_executed == 20 + 4
    assert len(files(tmp_path)) == 1
    study.close()


def test_two_plans_of_one_workload_do_not_mistake_each_others_states_in_memory(tmp_path: Path) -> None:
    engine = hippo.InlineEngine()
    options: dict[str, Any] = {"trainer": ToyTrainer, "checkpoints": "memory://", "engine": engine, "evaluate_every": 9}
    one, other = (
        hippo.create_study(name, storage="memory://", metric="loss", mode="min", **options) for name in ("one", "other")
    )
    one.evaluate({"lr": 0.1}, until=5)
    other.evaluate({"lr": 0.3}, until=5)
    assert one.evaluate({"lr": 0.1}, until=6) == other.evaluate({"lr": 0.1}, until=6)
    one.close()
    other.close()


def test_a_state_that_is_still_in_memory_is_written_for_whoever_wants_it_without_training(tmp_path: Path) -> None:
    study = create(tmp_path, hippo.InlineEngine())
    study.optimize(Forking())
    executed = study.statistics().steps_executed
    with pytest.warns(UserWarning, match="was not kept"):
        study.load_state(study.trials[-1])
    assert (study.statistics().steps_executed, len(files(tmp_path))) == (executed, 2)
    study.close()
