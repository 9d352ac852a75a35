"""Garbage: what nobody keeps is found and counted, goes when that is asked for, and nothing else ever does."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import CheckpointError, StorageError, UnknownStudyError
from hippo.plan import CheckpointRow, open_store
from hippo.study import Garbage, OptionError, Trial
from hippo.study.collecting import Files
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
RATES = [{"lr": lr} for lr in (0.1, 0.2, 0.3, 0.4)]


@pytest.fixture
def durable(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}


class Costly(ToyTrainer):
    """The larger the rate, the smaller its cost."""

    def evaluate(self) -> dict[str, Any]:
        return {**super().evaluate(), "cost": 1.0 - float(self.hp["lr"])}


def load_without_a_word(trial: Trial, **options: Any) -> Any:
    """Load a state that is kept: one that is not would be made again, with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return trial.load_state(**options)


def files_in(durable: dict[str, Any]) -> list[Path]:
    return sorted(path for path in Path(durable["checkpoints"]).rglob("*") if path.is_file())


def collected(durable: dict[str, Any], **options: Any) -> Garbage:
    """Count what can go, see that it is all there, remove it, and see that it is gone."""
    before = files_in(durable)
    counted = hippo.collect_garbage(durable["storage"], **options)
    assert files_in(durable) == before
    assert hippo.collect_garbage(durable["storage"], delete=True, **options) == counted
    assert len(files_in(durable)) == len(before) - counted.count
    assert not hippo.collect_garbage(durable["storage"], **options).count
    return counted


def keys_known(durable: dict[str, Any]) -> set[str]:
    return {row.key for row in open_store(durable["storage"]).rows(CheckpointRow, gone="")}


def test_of_a_study_that_keeps_the_last_states_nothing_of_them_goes(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    assert collected(durable).kept.count == 4


def test_what_another_rule_does_not_keep_goes_and_is_trained_again_when_it_is_wanted(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=4))
    hippo.keep_states("toy", "top:3", durable["storage"])
    found = collected(durable)
    assert (found.spare.count, found.kept.count, found.steps) == (1, 3, 4)
    worst = max(study.trials, key=lambda trial: trial.value or 0.0)
    with pytest.warns(UserWarning, match="was not kept"):
        assert worst.load_state()["steps"] == 4
    assert study.statistics().repeated_by_cause == {"evicted": 4}


def test_a_study_that_keeps_the_best_has_nothing_else_when_it_has_ended(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(keep="best", **durable)
    study.optimize(hippo.GridSearch([{"lr": hippo.MultiStep(lr, [2], 0.5)} for lr in (0.1, 0.1, 0.4)] + RATES, until=4))
    study.close()
    assert len(files_in(durable)) == 1
    assert {path.relative_to(durable["checkpoints"]).as_posix() for path in files_in(durable)} == keys_known(durable)
    best = hippo.load_study("toy", durable["storage"]).best_trial
    assert load_without_a_word(best)["steps"] == 4


def test_a_study_that_keeps_the_best_has_nothing_else_when_what_was_enqueued_has_ended(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(keep="best", **durable)
    for rate in RATES:
        study.enqueue(rate, until=4)
    study.optimize()
    study.close()
    assert len(files_in(durable)) == 1


def test_a_study_is_done_though_what_it_does_not_keep_cannot_be_removed_and_the_next_call_removes_it(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    def refuse(*_: object, **__: object) -> list[str]:
        raise StorageError("the database is read-only.")

    study = make_study(keep="best", **durable)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hippo.runtime.control.forget_spare", refuse)
        with pytest.warns(UserWarning, match="is done, and states that it does not keep .*read-only.*hippo gc"):
            study.optimize(hippo.GridSearch(RATES, until=4))
    assert len(study.trials) == len(RATES)
    assert len(files_in(durable)) > 1
    study.optimize(hippo.GridSearch(RATES[:1], until=4))
    study.close()
    assert len(files_in(durable)) == 1


def test_states_of_a_deleted_study_go_and_those_that_another_one_keeps_stay(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    make_study("one", **durable).optimize(hippo.GridSearch(RATES[:3], until=4))
    make_study("other", **durable).optimize(hippo.GridSearch(RATES[2:], until=4))
    hippo.delete_study("one", durable["storage"])
    found = collected(durable)
    assert (found.spare.count, found.kept.count) == (2, 2)


def test_what_may_still_be_asked_for_more_stays(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    class Stops(hippo.Tuner):
        async def tune(self, ask: hippo.Ask) -> None:
            for config in RATES:
                await ask(config, until=2)
            raise KeyError("the tuner of a user")

    with pytest.raises(KeyError):
        make_study(keep="best", **durable).optimize(Stops())
    assert collected(durable).kept.count == 4


def test_beyond_a_budget_the_worst_go_first(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=4))
    size = max(path.stat().st_size for path in files_in(durable))
    found = collected(durable, budget=2 * size)
    assert (found.over_budget.count, found.kept.count) == (2, 2)
    kept = sorted(study.trials, key=lambda trial: trial.value or 0.0)[:2]
    for trial in kept:
        load_without_a_word(trial)


def test_files_that_no_plan_knows_go_once_they_are_sure_to_be_nobodys(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES[:1], until=4))
    (known,) = files_in(durable)
    later, orphan, strange = (known.with_name(name) for name in ("e1-l9-n7-s3", "e1-l1-n7-s3", "notes.txt"))
    half = known.with_name(".0123.part")
    for path in (later, orphan, strange, half):
        path.write_bytes(b"12345")
    found = collected(durable)
    assert (found.orphans, found.unfinished, found.unknown) == (Files(1, 5), Files(1, 5), Files(2, 10))
    make_study(**durable).optimize(hippo.GridSearch(RATES[:2], until=4))  # a later epoch
    assert collected(durable).orphans == Files(1, 5)
    assert strange.exists()


def test_a_file_whose_removal_was_interrupted_goes(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    whole = {path: path.read_bytes() for path in files_in(durable)}
    hippo.collect_garbage(durable["storage"], delete=True, budget=1)
    for path, data in whole.items():
        path.write_bytes(data)
    found = collected(durable)
    assert (found.orphans.count, found.spare.count, found.missing) == (4, 0, 0)


def test_a_copy_of_a_database_does_not_remove_what_the_other_one_wrote_since(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES[:2], until=4))
    copy = tmp_path / "copy.db"
    with sqlite3.connect(tmp_path / "hippo.db") as source, sqlite3.connect(copy) as target:
        source.backup(target)
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=6))
    before = files_in(durable)
    found = hippo.collect_garbage(f"sqlite:///{copy}", delete=True)
    assert found.unknown.count == 4
    assert files_in(durable) == before


def test_two_databases_in_one_folder_never_touch_each_others_files(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    other = {**durable, "storage": f"sqlite:///{tmp_path}/other.db"}
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    make_study(keep="all", **other).optimize(hippo.GridSearch(RATES, until=4))
    hippo.delete_study("toy", durable["storage"])
    assert collected(durable).spare.count == 4
    assert len(files_in(other)) == len(keys_known(other)) == 4
    assert collected(other).kept.count == 4


def test_nothing_of_a_plan_that_somebody_trains_on_goes(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    hippo.delete_study("toy", durable["storage"])
    before = files_in(durable)
    lock = open_store(durable["storage"]).lock(1)
    lock.acquire()
    try:
        found = hippo.collect_garbage(durable["storage"], delete=True)
    finally:
        lock.release()
    assert (found.busy, found.count, files_in(durable)) == ((1,), 0, before)


def test_what_nobody_trains_on_goes_beside_a_plan_that_somebody_trains_on(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    free = files_in(durable)
    make_study("other", trainer=Costly, **durable).optimize(hippo.GridSearch(RATES, until=4))
    used = [file for file in files_in(durable) if file not in free]
    hippo.delete_study("toy", durable["storage"])
    lock = open_store(durable["storage"]).lock(2)
    lock.acquire()
    try:
        found = hippo.collect_garbage(durable["storage"], delete=True)
    finally:
        lock.release()
    assert (found.busy, found.count, files_in(durable)) == ((2,), len(free), used)


def test_a_folder_that_is_not_there_is_named_and_nothing_is_forgotten(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    known = keys_known(durable)
    shutil.move(durable["checkpoints"], tmp_path / "moved")
    with pytest.raises(CheckpointError, match=r"no checkpoint folder .* knows 4 states there.* --checkpoints folder"):
        hippo.collect_garbage(durable["storage"], delete=True)
    assert keys_known(durable) == known
    moved = {**durable, "checkpoints": str(tmp_path / "moved")}
    hippo.delete_study("toy", durable["storage"])
    assert collected(moved, checkpoints=moved["checkpoints"]).spare.count == 4


@pytest.mark.parametrize("has_files", [False, True])
def test_a_folder_in_which_none_of_the_states_are_is_refused_and_nothing_is_removed(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path, has_files: bool
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    known, before = keys_known(durable), files_in(durable)
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    other = wrong / before[0].relative_to(durable["checkpoints"]).with_name("e1-l1-n7-s3")
    if has_files:  # as of a copy of the database, which would be taken for orphans
        other.parent.mkdir(parents=True)
        other.write_bytes(b"12345")
    with pytest.raises(CheckpointError, match=r"of the 4 states .* none is in .*wrong.* kept in .*states"):
        hippo.collect_garbage(durable["storage"], delete=True, budget=1, checkpoints=str(wrong))
    assert (keys_known(durable), files_in(durable), other.exists()) == (known, before, has_files)


def test_a_folder_to_which_some_of_the_states_were_moved_is_taken(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    shutil.move(durable["checkpoints"], tmp_path / "moved")
    next(path for path in (tmp_path / "moved").rglob("*") if path.is_file()).unlink()
    found = hippo.collect_garbage(durable["storage"], checkpoints=str(tmp_path / "moved"))
    assert (found.missing, found.kept.count) == (1, 3)


def test_states_that_are_missing_are_counted_and_not_forgotten(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    known = keys_known(durable)
    files_in(durable)[0].unlink()
    found = hippo.collect_garbage(durable["storage"], delete=True)
    assert (found.missing, found.kept.count, found.count) == (1, 3, 0)
    assert keys_known(durable) == known


def test_who_knew_the_plan_in_memory_learns_what_went(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=4))
    hippo.collect_garbage(durable["storage"], delete=True, budget=1)
    assert files_in(durable) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a file that is gone
        study.optimize(hippo.GridSearch(RATES, until=6))
    assert study.statistics().repeated_by_cause == {"evicted": 16}


def test_a_rule_of_all_keeps_where_trials_parted(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    parted = [{"lr": hippo.MultiStep(0.1, [2], factor)} for factor in (0.1, 0.5)]
    make_study(keep="all", **durable).optimize(hippo.GridSearch(parted, until=4))
    assert collected(durable).kept.count == 3
    hippo.keep_states("toy", "leaves", durable["storage"])
    assert (collected(durable).spare.count, len(files_in(durable))) == (1, 2)


def test_with_several_objectives_the_best_are_the_whole_front(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    study = make_study(trainer=Costly, metric=["loss", "cost"], mode=["min", "min"], keep="best", **durable)
    study.optimize(hippo.RandomSearch({"lr": hippo.uniform(0.01, 1.0)}, num_trials=12, until=3))
    front = study.best_trials
    study.close()
    assert 1 < len(front) < 12
    assert len(files_in(durable)) == len(front)
    for trial in front:
        load_without_a_word(trial)


def test_with_constraints_the_best_is_the_one_that_keeps_them(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    study = make_study(trainer=Costly, constraints="cost >= 0.5", keep="best", **durable)
    study.optimize(hippo.RandomSearch({"lr": hippo.uniform(0.01, 1.0)}, num_trials=12, until=3))
    least = min(study.trials, key=lambda trial: trial.value or 0.0)
    assert study.best_trial.number != least.number
    study.close()
    assert len(files_in(durable)) == 1
    load_without_a_word(study.best_trial)


def test_of_several_seeds_the_best_by_their_average_is_kept_under_each(
    make_study: MakeStudy, durable: dict[str, Any]
) -> None:
    study = make_study(seeds=[3, 4], keep="best", **durable)
    study.optimize(hippo.GridSearch(RATES, until=3))
    best = study.best_trial
    study.close()
    assert len(files_in(durable)) == 2
    for seed in (3, 4):
        load_without_a_word(best, seed=seed)


@pytest.mark.parametrize("wrong", ["tops", "top:0", "", None, 3])
def test_a_rule_that_is_none_is_refused(make_study: MakeStudy, durable: dict[str, Any], wrong: Any) -> None:
    make_study(**durable)
    with pytest.raises(OptionError, match="is none of 'best'"):
        hippo.keep_states("toy", wrong, durable["storage"])


def test_what_cannot_be_collected_is_refused(make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path) -> None:
    make_study(**durable)
    with pytest.raises(OptionError, match="no number of bytes"):
        hippo.collect_garbage(durable["storage"], budget="a lot")
    with pytest.raises(StorageError, match="there is no database"):
        hippo.collect_garbage(f"sqlite:///{tmp_path}/none.db")
    with pytest.raises(UnknownStudyError, match=r"'toyy'.*'toy'"):
        hippo.keep_states("toyy", "best", durable["storage"])
    with pytest.raises(TypeError, match="delete=True"):
        hippo.collect_garbage(durable["storage"], dry_run=True)  # type: ignore[call-arg]


def test_a_base_goes_with_the_last_state_of_its_plan(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    make_study(**durable).optimize(hippo.GridSearch(RATES, until=4))
    base = files_in(durable)[0].with_name("base-0123abcd")
    base.write_bytes(b"123")
    assert collected(durable).count == 0
    hippo.delete_study("toy", durable["storage"])
    found = collected(durable)
    assert (found.spare.count, found.orphans) == (4, Files(1, 3))


def test_a_trainer_of_another_module_is_not_needed(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    class Local(ToyTrainer):
        pass

    make_study(trainer=Local, **durable).optimize(hippo.GridSearch(RATES, until=4))
    hippo.delete_study("toy", durable["storage"])
    assert collected(durable).spare.count == 4


def test_states_whose_disk_was_away_are_known_again_and_not_removed(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=4))
    known, best = keys_known(durable), study.best_trial
    shutil.move(durable["checkpoints"], tmp_path / "away")
    with pytest.warns(UserWarning, match="cannot be read"):
        best.load_state()
    study.close()
    shutil.rmtree(durable["checkpoints"])  # what was made anew goes with the folder in which the disk is mounted again
    shutil.move(tmp_path / "away", durable["checkpoints"])
    counted = hippo.collect_garbage(durable["storage"])
    assert (counted.count, counted.back.count, counted.kept.count, counted.missing) == (0, 1, 3, 0)
    assert hippo.collect_garbage(durable["storage"], delete=True) == counted
    assert keys_known(durable) == known
    assert not hippo.collect_garbage(durable["storage"]).back.count
    load_without_a_word(hippo.load_study("toy", durable["storage"]).best_trial)


def test_a_base_stays_while_all_that_rests_on_it_is_only_now_back(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch({"lr": [0.1]}, until=4))
    base = files_in(durable)[0].with_name("base-0123abcd")
    base.write_bytes(b"123")
    shutil.move(durable["checkpoints"], tmp_path / "away")
    with pytest.warns(UserWarning, match="cannot be read"):
        study.best_trial.load_state()
    study.close()
    shutil.rmtree(durable["checkpoints"])
    shutil.move(tmp_path / "away", durable["checkpoints"])
    found = hippo.collect_garbage(durable["storage"], delete=True)
    assert (found.count, found.back.count, found.kept) == (0, 1, Files(1, 3))
    assert base.exists()


def test_a_state_that_was_made_anew_is_had_once(make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=4))
    away = tmp_path / "away"
    shutil.copytree(durable["checkpoints"], away)
    shutil.rmtree(durable["checkpoints"])
    with pytest.warns(UserWarning, match="cannot be read"):
        study.best_trial.load_state()
    study.close()
    shutil.copytree(away, durable["checkpoints"], dirs_exist_ok=True)
    found = hippo.collect_garbage(durable["storage"], delete=True)
    assert (found.orphans.count, found.back.count, found.kept.count) == (1, 0, 4)
    load_without_a_word(hippo.load_study("toy", durable["storage"]).best_trial)


def test_what_is_back_and_is_not_as_it_was_stays_lost(make_study: MakeStudy, durable: dict[str, Any]) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch(RATES, until=4))
    (key,) = (row.key for row in open_store(durable["storage"]).rows(CheckpointRow, gone="", node=1))
    file = Path(durable["checkpoints"], key)
    file.unlink()
    trial = next(each for each in study.trials if each.point is not None and each.point[0] == 1)
    with pytest.warns(UserWarning, match="cannot be read"):
        trial.load_state()
    study.close()
    (anew,) = (row.key for row in open_store(durable["storage"]).rows(CheckpointRow, gone="", node=1))
    Path(durable["checkpoints"], anew).unlink()
    file.write_bytes(b"cut")
    found = hippo.collect_garbage(durable["storage"], delete=True)
    assert (found.orphans.count, found.back.count, found.missing) == (1, 0, 1)


def test_a_base_stays_beside_states_that_this_copy_of_the_database_never_heard_of(
    make_study: MakeStudy, durable: dict[str, Any], tmp_path: Path
) -> None:
    study = make_study(**durable)
    study.optimize(hippo.GridSearch({"lr": [0.1]}, until=4))
    study.close()
    copy = f"sqlite:///{tmp_path}/copy.db"
    with sqlite3.connect(durable["storage"].removeprefix("sqlite:///")) as own:
        own.execute(f"vacuum into '{tmp_path}/copy.db'")
    folder = files_in(durable)[0].parent
    for file in files_in(durable):
        file.rename(folder / f"e9-{file.name.partition('-')[2]}")  # as of an epoch that comes later
    base = folder / "base-0123abcd"
    base.write_bytes(b"123")
    found = hippo.collect_garbage(copy, checkpoints=durable["checkpoints"], delete=True)
    assert (found.count, found.orphans.count, found.unknown.count) == (0, 0, 2)
    assert base.exists()


class KilledAmidAWrite(ToyTrainer):
    """Its worker dies when the first state of all is half written."""

    def train(self) -> dict[str, float]:
        from hippo.checkpoints.store import HashingFile

        write = HashingFile.write

        def die_once(file: HashingFile, data: object, /) -> int:
            written = write(file, data)
            with contextlib.suppress(FileExistsError):
                os.close(os.open("died", os.O_CREAT | os.O_EXCL))
                os.kill(os.getpid(), signal.SIGKILL)
            return written

        HashingFile.write = die_once  # type: ignore[method-assign]
        return super().train()


@pytest.mark.slow
def test_what_a_worker_that_died_left_half_written_goes_while_the_study_goes_on(
    durable: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = hippo.create_study("s", trainer=KilledAmidAWrite, engine=hippo.LocalEngine(1), metric="loss", **durable)
    with pytest.warns(UserWarning, match="SIGKILL"):
        study.optimize(hippo.GridSearch(RATES[:1], until=2))
    study.close()
    assert (tmp_path / "died").exists()
    assert {path.relative_to(durable["checkpoints"]).as_posix() for path in files_in(durable)} == keys_known(durable)
