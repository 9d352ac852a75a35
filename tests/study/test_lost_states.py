"""States that are gone, or that somebody cut: what is read of them is trained again, and counted by its cause."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.errors import CheckpointError, TrainerError
from hippo.plan import open_store
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]
SPACE = [{"lr": 0.1}, {"lr": 0.2}]


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def study(make_study: MakeStudy, tmp_path: Path) -> hippo.Study:
    """Two trials of four steps in a database, the states of both in a folder."""
    study = make_study(
        trainer="hippo.testing.trainers:ToyTrainer",
        storage=f"sqlite:///{tmp_path}/hippo.db",
        checkpoints=str(tmp_path / "states"),
        keep="leaves",
    )
    study.optimize(hippo.GridSearch(SPACE, until=4))
    return study


@pytest.mark.parametrize(("loss", "cause"), [("folder", "evicted"), ("cut", "corrupt"), ("altered", "corrupt")])
@pytest.mark.parametrize("what", ["load_state", "load_model"])
def test_a_state_that_cannot_be_read_is_trained_again_said_and_counted(
    study: hippo.Study, tmp_path: Path, loss: str, cause: str, what: str
) -> None:
    before = study.best_trial.load_state()
    for file in files_of(tmp_path / "states"):
        whole = file.read_bytes()
        file.write_bytes(whole[:-1] if loss == "cut" else bytes([whole[0] ^ 1]) + whole[1:])
    if loss == "folder":
        shutil.rmtree(tmp_path / "states")
    study.close()  # no worker holds the states in its memory any more
    with pytest.warns(UserWarning, match=r"after 4 steps cannot be read .*; its steps are run again") as said:
        found = getattr(study.best_trial, what)()
    assert said[0].filename == __file__
    assert (found if what == "load_state" else found.state_dict()) == before
    assert study.statistics().repeated_by_cause == {cause: 4}
    assert study.best_trial.load_state() == before  # kept by now


def test_a_process_that_knows_the_plan_in_memory_learns_that_a_state_is_gone(
    study: hippo.Study, tmp_path: Path
) -> None:
    before = study.best_trial.load_state()
    shutil.rmtree(tmp_path / "states")
    with pytest.warns(UserWarning, match="cannot be read"):
        assert study.best_trial.load_state() == before
    assert study.statistics().repeated_by_cause == {"evicted": 4}


@pytest.mark.parametrize("is_closed", [False, True])
def test_going_on_after_the_folder_was_deleted_counts_what_it_repeats(
    study: hippo.Study, tmp_path: Path, is_closed: bool
) -> None:
    shutil.rmtree(tmp_path / "states")
    if is_closed:
        study.close()
    study.optimize(hippo.GridSearch([{"lr": 0.2}], until=6))
    statistics = study.statistics()
    runs = 8 + 2 + 4 * is_closed  # a worker that lives on goes on from the state that it holds
    assert (statistics.steps_executed, statistics.steps_repeated) == (runs, 4 * is_closed)


def test_a_state_that_was_found_to_be_gone_is_said_to_be_and_no_budget_is_blamed(
    study: hippo.Study, tmp_path: Path
) -> None:
    best = study.best_trial
    shutil.rmtree(tmp_path / "states")
    study.close()
    study.optimize(hippo.GridSearch([dict(best.config)], until=6))  # finds that it is gone
    with pytest.warns(UserWarning, match=r"was written, and its file was found to be missing; .* nearest checkpoint$"):
        best.load_state()


@pytest.mark.slow
def test_a_command_says_what_it_trains_again(
    study: hippo.Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(tmp_path / "states")
    study.close()
    file = tmp_path / "state.pt"
    typed = ["export", "toy", "best", str(file), "--format", "state", "--storage", study.storage]
    assert exit_code(typed) == 0
    assert file.exists()
    assert "hippo: the state of trial" in capsys.readouterr().err


def test_while_somebody_writes_to_the_plan_the_error_says_why_it_is_not_trained_again(
    study: hippo.Study, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "states")
    lock = open_store(study.storage).lock(1)
    lock.acquire()
    with pytest.raises(CheckpointError, match=r"there is no checkpoint .* but not while somebody else"):
        study.best_trial.load_state()
    lock.release()
    with pytest.warns(UserWarning, match="cannot be read"):
        study.best_trial.load_state()


def test_a_state_that_cannot_be_trained_again_here_stays_known(tmp_path: Path) -> None:
    class Local(ToyTrainer):
        """Cannot be imported by name."""

    options: dict[str, Any] = {
        "engine": hippo.InlineEngine(),
        "checkpoints": str(tmp_path / "states"),
        "metric": "loss",
    }
    url = f"sqlite:///{tmp_path}/hippo.db"
    made = hippo.create_study("local", trainer=Local, storage=url, **options)
    made.optimize(hippo.GridSearch(SPACE, until=4))
    made.close()
    (tmp_path / "states").rename(tmp_path / "elsewhere")
    loaded = hippo.load_study("local", storage=url, engine=hippo.InlineEngine())
    with pytest.raises(TrainerError, match="give the class"):
        loaded.best_trial.load_state()
    (tmp_path / "elsewhere").rename(tmp_path / "states")
    assert loaded.best_trial.load_state()["steps"] == 4


class LooksOutside(ToyTrainer):
    """Evaluates to what the environment says."""

    def evaluate(self) -> dict[str, float]:
        return {"loss": float(os.environ.get("LOOKS_OUTSIDE", "0.5"))}


@pytest.mark.parametrize(
    ("now", "said"), [("0.25", "evaluates in this process to something else"), ("", r"evaluate\(\) raised here: Value")]
)
def test_a_model_that_evaluates_otherwise_is_told_of_the_line_that_loads_it(
    make_study: MakeStudy, monkeypatch: pytest.MonkeyPatch, now: str, said: str
) -> None:
    study = make_study(trainer=LooksOutside, keep="leaves")
    study.evaluate({"lr": 0.1}, until=1)
    monkeypatch.setenv("LOOKS_OUTSIDE", now)
    with pytest.warns(UserWarning, match=said) as told:
        study.trials[0].load_model()
    assert [each.filename for each in told] == [__file__]
