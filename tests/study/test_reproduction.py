"""`study.reproduce(trial)` trains a recorded trial alone, says where it differs from its record, and writes nothing."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import TrainerError
from hippo.study import OptionError
from hippo.testing.torch_trainers import BlobsTrainer
from hippo.testing.trainers import ToyTrainer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]

SPACE = [{"lr": 0.1, "momentum": 0.9}, {"lr": hippo.MultiStep(0.1, [2], 0.1), "momentum": 0.9}]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a study of two trials, of four steps each."""
    study = made(tmp_path)
    study.optimize(hippo.GridSearch(SPACE, until=4))
    study.close()
    return tmp_path


def made(folder: Path, trainer: Any = BlobsTrainer, **options: Any) -> hippo.Study:
    where: dict[str, Any] = {
        "storage": f"sqlite:///{folder / 'hippo.db'}",
        "checkpoints": str(folder / "states"),
        "engine": hippo.InlineEngine(),
        "keep": "leaves",
        "metric": "loss",
        "mode": "min",
    }
    return hippo.create_study("blobs", trainer=trainer, **{**where, **options})


def loaded(folder: Path) -> hippo.Study:
    return hippo.load_study("blobs", f"sqlite:///{folder / 'hippo.db'}")


def tamper(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "hippo.db") as database:
        assert database.execute(statement).rowcount
    database.close()


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("number", [0, 1])
def test_a_trial_that_was_shared_comes_out_again_alone_and_nothing_is_written(place: Path, number: int) -> None:
    study = loaded(place)
    before = content(place)

    found = study.reproduce(number)

    assert found.is_equal, str(found)
    assert (found.steps_trained, found.evaluations) == (4, 4)
    assert found.states >= 1
    assert "reproduced (4 of 4 steps" in str(found)
    assert content(place) == before


def test_a_metric_that_differs_is_found_at_its_step_with_the_state_that_does_not(place: Path) -> None:
    tamper(place, "update hippo_metrics set metrics = replace(metrics, ': 0.', ': 1.') where step = 4")

    found = loaded(place).reproduce(0)

    assert not found.is_equal
    assert found.parted is not None
    assert found.parted.step == 4
    assert found.parted.metrics.keys() == {"accuracy", "loss"}
    assert found.parted.paths == ()
    assert "the state after step 4 is the same; only what is measured of it is not" in str(found)


def test_what_train_returned_is_compared(place: Path) -> None:
    tamper(place, "update hippo_step set training = replace(training, ': 0.', ': 5.') where step = 3 and attempt = 0")

    found = loaded(place).reproduce(1)

    assert found.parted is not None
    assert (found.parted.step, set(found.parted.training)) == (3, {"loss"})


def test_a_state_that_differs_is_found_by_its_hash_and_its_tensor_is_named(place: Path) -> None:
    """The checkpoint of another trial takes the place of this one's: record and file agree, and both are wrong."""
    with sqlite3.connect(place / "hippo.db") as database:
        rows = database.execute("select node, key, size_bytes, sha256, state_hash from hippo_checkpoint where step = 4")
        (first, *_), (_, *other) = sorted(rows)
        database.execute("update hippo_state set state_hash = ? where step = 4 and node = ?", (other[-1], first))
        database.execute("delete from hippo_checkpoint where node <> ? and step = 4", (first,))
        database.execute(
            "update hippo_checkpoint set key = ?, size_bytes = ?, sha256 = ?, state_hash = ? where step = 4", other
        )
    database.close()

    found = loaded(place).reproduce(0)

    assert found.parted is not None
    assert found.parted.step == 4
    assert found.parted.is_state
    assert found.parted.paths is not None
    assert any(path.startswith("state['model']") for path in found.parted.paths)


def test_where_no_state_was_kept_the_next_one_names_the_tensor(place: Path) -> None:
    tamper(place, "update hippo_metrics set metrics = replace(metrics, ': 0.', ': 1.') where step = 3")

    found = loaded(place).reproduce(1)

    assert found.parted is not None
    assert (found.parted.step, found.parted.compared_at, found.parted.paths) == (3, 4, ())


def test_another_environment_is_named(place: Path) -> None:
    tamper(place, """update hippo_plan set environment = replace(environment, '"torch": "', '"torch": "0.')""")

    found = loaded(place).reproduce(0)

    assert found.is_equal
    assert list(found.environment) == ["torch"]
    assert "torch was '0." in str(found)


def test_it_works_from_a_copy_of_another_machine(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    copy = tmp_path_factory.mktemp("copy") / "all"
    shutil.copytree(place, copy)
    shutil.rmtree(place / "states")

    without = loaded(copy).reproduce(0)
    there = loaded(copy).reproduce(0, checkpoints=str(copy / "states"))

    assert without.is_equal
    assert there.is_equal
    assert "compared by their recorded hashes alone" in str(without)
    assert "compared by their recorded hashes alone" not in str(there)
    assert not (place / "states").exists()


def test_a_state_that_was_not_hashed_is_said_not_to_be_compared(place: Path) -> None:
    tamper(place, "delete from hippo_state")

    found = loaded(place).reproduce(0)

    assert found.is_equal
    assert found.states == 0
    assert "could not be compared; metrics were" in str(found)


@pytest.mark.parametrize("how", ["broken", "gone"])
def test_a_state_whose_file_is_no_good_is_told_of_though_it_comes_out_again(place: Path, how: str) -> None:
    study = loaded(place)
    assert not any("cannot be used" in note for note in study.reproduce(0).notes)
    for file in [each for each in (place / "states").rglob("*") if each.is_file()]:
        if how == "gone":
            file.unlink()
        else:
            written = bytearray(file.read_bytes())
            written[-20] ^= 1
            file.write_bytes(written)
    found = study.reproduce(0)
    study.close()
    assert found.is_equal
    assert any("which came out again, cannot be used" in note for note in found.notes)


def test_the_seed_of_a_study_with_several_is_asked_for(tmp_path: Path) -> None:
    study = made(tmp_path, trainer=ToyTrainer, seeds=[3, 4])
    study.optimize(hippo.GridSearch(SPACE, until=2))

    with pytest.raises(OptionError, match="seed"):
        study.reproduce(0)
    assert study.reproduce(0, seed=4).is_equal


class Fails(ToyTrainer):
    def train(self) -> dict[str, float]:
        raise ValueError("no good")


def test_a_trial_that_failed_or_is_not_there_is_refused(place: Path, tmp_path: Path) -> None:
    study = loaded(place)
    with pytest.raises(OptionError, match=r"no trial 7; its trials are 0 to 1"):
        study.reproduce(7)
    with pytest.raises(OptionError, match="no trial 'best'"):
        study.reproduce("best")  # type: ignore[arg-type]
    folder = tmp_path / "failing"
    folder.mkdir()
    failing = made(folder, trainer=Fails)
    with pytest.raises(hippo.HippoError):
        failing.optimize(hippo.GridSearch(SPACE, until=2))
    with pytest.raises(OptionError, match=r"trial 0 failed, and has no result.*no good"):
        failing.reproduce(0)


def test_changed_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "changed_later.py").write_text(
        "from hippo.testing.trainers import ToyTrainer\n\nclass Mine(ToyTrainer):\n    power = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    study = made(tmp_path, trainer="changed_later:Mine")
    study.optimize(hippo.GridSearch(SPACE, until=2))
    for name in ("code", "compiled"):
        tamper(tmp_path, f"""update hippo_plan set declared = replace(declared, '"{name}": "', '"{name}": "0')""")

    with pytest.raises(
        TrainerError, match=r"trial 0 cannot be reproduced: the code of changed_later:Mine changed.*check that out"
    ):
        loaded(tmp_path).reproduce(0)
