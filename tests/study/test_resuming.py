"""A script run again is the same study going on: calls are recognised, answers replayed, nothing done twice."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import StorageError, UnknownStudyError
from hippo.plan import Change, MemoryStore, StudyRow, Update
from hippo.testing.trainers import ToyTrainer
from hippo.tuners import Ask, Tuner

MakeStudy = Callable[..., hippo.Study]
GRID = hippo.GridSearchSpace({"lr": [0.1, 0.2, hippo.MultiStep(0.1, [4], 0.1)]})


class Racing(Tuner):
    """Asks several things at once and notes in which order the answers come; may break off."""

    def __init__(self, asked: list[tuple[float, int]]) -> None:
        self.asked = asked
        self._came: list[tuple[float, int]] = []
        self._break_after: int | None = None

    async def tune(self, ask: Ask) -> None:
        async def one(lr: float, until: int) -> None:
            await ask({"lr": lr}, until=until)
            self._came.append((lr, until))
            if len(self._came) == self._break_after:
                raise BrokenOffError

        async with asyncio.TaskGroup() as group:
            for lr, until in self.asked:
                group.create_task(one(lr, until))


class BrokenOffError(Exception):
    pass


@pytest.fixture
def durable(tmp_path: Path) -> Mapping[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}


def race(study: hippo.Study, break_after: int | None = None) -> list[tuple[float, int]]:
    tuner = Racing([(0.1, 2), (0.2, 4), (0.3, 8), (0.4, 6)])
    tuner._break_after = break_after
    if break_after is None:
        study.optimize(tuner)
    else:
        with pytest.raises(ExceptionGroup):
            study.optimize(tuner)
    return tuner._came


def test_recorded_answers_are_replayed_in_the_order_in_which_they_came(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    first = race(make_study(**durable), break_after=3)
    assert first == [(0.3, 8), (0.4, 6), (0.2, 4)]  # the longest first, not as they were asked
    again = race(make_study(**durable))
    assert again == [*first, (0.1, 2)]


def test_a_question_asked_again_is_recorded_again_also_in_a_re_run(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    class Insisting(Racing):
        async def tune(self, ask: Ask) -> None:
            self._came.append((0.1, (await ask({"lr": 0.1}, until=2)).step))
            if self._break_after == 1:
                raise BrokenOffError
            await super().tune(ask)

    def insist(break_after: int | None = None) -> list[tuple[float, int]]:
        tuner = Insisting([(0.1, 2), (0.3, 8), (0.2, 3)])
        tuner._break_after = break_after
        with contextlib.suppress(BrokenOffError, ExceptionGroup):
            make_study(**durable).optimize(tuner)
        return tuner._came

    assert insist(break_after=1) == [(0.1, 2)]
    assert insist(break_after=3) == [(0.1, 2), (0.1, 2), (0.3, 8)]
    assert insist() == [(0.1, 2), (0.1, 2), (0.3, 8), (0.2, 3)]


def test_a_re_run_makes_no_new_trials_and_trains_nothing_twice(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    race(make_study(**durable), break_after=2)
    study = make_study(**durable)
    race(study)
    race(make_study(**durable))
    assert len(study.trials) == 4
    assert study.statistics().steps_executed == 20
    assert study.statistics().steps_repeated == 0


def test_the_same_tuner_at_the_same_place_goes_on_and_a_changed_one_is_a_new_call(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(GRID, until=6))
    make_study(**durable).optimize(hippo.GridSearch(GRID, until=6))
    assert len(make_study(**durable).trials) == 3
    longer = make_study(**durable)
    longer.optimize(hippo.GridSearch(GRID, until=8))
    assert [trial.call for trial in longer.trials] == [0, 0, 0, 1, 1, 1]


def test_the_same_tuner_twice_in_one_script_is_two_calls(make_study: MakeStudy) -> None:
    study = make_study()
    for _ in range(2):
        study.optimize(hippo.GridSearch(GRID, until=4))
    assert [trial.number for trial in study.trials] == list(range(6))
    assert study.statistics().steps_executed == 8  # of 24 asked for: two roots, one of them for two configs


def test_an_evaluation_by_hand_is_a_trial_of_its_own(make_study: MakeStudy, durable: Mapping[str, Any]) -> None:
    for _ in range(2):
        study = make_study(**durable)
        study.optimize(hippo.GridSearch(GRID, until=4))
        study.evaluate({"lr": 0.1}, until=4)
        study.evaluate({"lr": 0.1}, until=4)
    assert [trial.call for trial in study.trials] == [0, 0, 0, 1, 2]


def test_trials_of_a_call_that_was_broken_off_wait_and_are_finished_by_the_next_run(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    study = make_study(**durable)
    race(study, break_after=2)
    assert sorted(trial.state.value for trial in study.trials) == ["PAUSED", "PAUSED", "WAITING", "WAITING"]
    race(make_study(**durable))
    assert sorted(trial.state.value for trial in study.trials) == ["COMPLETE", "PRUNED", "PRUNED", "PRUNED"]


def test_a_tuner_that_asks_otherwise_than_recorded_goes_on_with_what_it_asks(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    class Fickle(Tuner):
        rate = 0.1

        async def tune(self, ask: Ask) -> None:
            await ask({"lr": type(self).rate}, until=3)

    make_study(**durable).optimize(Fickle())
    Fickle.rate = 0.2
    study = make_study(**durable)
    study.optimize(Fickle())
    assert [trial.config["lr"] for trial in study.trials] == [0.1, 0.2]


def test_a_study_can_be_read_by_name_and_gone_on_with_if_its_trainer_can_be_imported(
    make_study: MakeStudy, durable: Mapping[str, Any]
) -> None:
    study = make_study(**durable, trainer=ToyTrainer)
    study.optimize(hippo.GridSearch(GRID, until=4))
    loaded = hippo.load_study("toy", storage=durable["storage"], engine=hippo.InlineEngine())
    assert loaded.best_value == study.best_value
    study.close()
    loaded.evaluate({"lr": 0.3}, until=2)
    assert len(loaded.trials) == 4
    loaded.close()


def test_a_deleted_study_is_gone_and_what_it_trained_is_not(make_study: MakeStudy, durable: Mapping[str, Any]) -> None:
    make_study(**durable).optimize(hippo.GridSearch(GRID, until=4))
    hippo.delete_study("toy", storage=durable["storage"])
    assert hippo.get_all_study_names(durable["storage"]) == []
    study = make_study(**durable)
    assert study.trials == []
    study.optimize(hippo.GridSearch(GRID, until=4))
    assert study.statistics().steps_executed == 0


class KilledAtOnce(MemoryStore):
    """Comes to its end with the first thing that is written after a study was added."""

    is_over = False

    def add_study(self, row: StudyRow, plans: Mapping[str, int]) -> StudyRow:
        added = super().add_study(row, plans)
        self.is_over = True
        return added

    def commit(self, changes: Sequence[Change]) -> None:
        if self.is_over:
            raise StorageError("killed")
        super().commit(changes)


def test_a_process_that_is_killed_while_it_makes_a_study_leaves_a_whole_one(make_study: MakeStudy) -> None:
    store = KilledAtOnce("killed")
    with contextlib.suppress(StorageError):
        make_study(storage=store)
    store.is_over = False
    assert hippo.load_study("toy", storage=store).trials == []  # type: ignore[arg-type]
    again = make_study(storage=store)
    again.optimize(hippo.GridSearch(GRID, until=2))
    assert len(store.rows(StudyRow)) == 1
    assert len(hippo.load_study("toy", storage=store).trials) == 3  # type: ignore[arg-type]


def test_a_study_that_an_earlier_release_left_half_made_is_made_whole_by_its_script(make_study: MakeStudy) -> None:
    store = MemoryStore("half made")
    make_study(storage=store)
    (row,) = store.rows(StudyRow)
    store.commit([Update(replace(row, settings="{}"))])
    with pytest.raises(UnknownStudyError, match="is not whole"):
        hippo.load_study("toy", storage=store)  # type: ignore[arg-type]
    make_study(storage=store)
    assert store.rows(StudyRow) == [row]
