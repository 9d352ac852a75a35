"""Weights and whole training states of a study, from another script, with and without the trainer's class."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hippo
from hippo.cli.app import exit_code
from hippo.errors import TrainerError, TrialFailedError
from hippo.testing.trainers import ToyTrainer

MakeStudy = Callable[..., hippo.Study]

SCRIPT = """
import torch
import hippo

class Net(hippo.TorchTrainer):
    default_batch_size = 8
    def make_model(self): return torch.nn.Linear(3, 1)
    def make_optimizer(self, params): return torch.optim.SGD(params, lr=self.hp["lr"])
    def train_set(self):
        x = torch.randn(32, 3)
        return torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True))
    val_set = train_set
    def loss(self, model, batch): return ((model(batch[0]) - batch[1]) ** 2).mean()
    def build(self):
        super().build()
        self.ema = {"weight": self.model.weight.detach().clone()}
    def state_dict(self): return {**super().state_dict(), "ema": self.ema}
    def load_state_dict(self, state):
        super().load_state_dict(state)
        self.ema = state["ema"]

if __name__ == "__main__":
    engine = hippo.InlineEngine()
    study = hippo.create_study("net", trainer=Net, metric="loss", mode="min", keep="leaves", engine=engine)
    study.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.01}], until=3))
"""


def test_a_whole_state_needs_no_class(make_study: MakeStudy) -> None:
    study = make_study(keep="leaves")
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    state = study.trials[0].load_state()
    assert state == study.load_model(study.trials[0]).state_dict()
    assert state["steps"] == 3


def test_a_trial_that_was_never_answered_has_no_state(make_study: MakeStudy) -> None:
    study = make_study(trainer_args={"raise_in": "train"})
    with pytest.raises(TrialFailedError):
        study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    with pytest.raises(TrialFailedError, match=r"has no state: it was never answered. train\(\) at step 1"):
        study.trials[0].load_state()


def test_a_class_that_cannot_be_imported_by_name_is_given(make_study: MakeStudy, tmp_path: Path) -> None:
    class Local(ToyTrainer):
        pass

    storage = f"sqlite:///{tmp_path}/hippo.db"
    study = make_study(trainer=Local, storage=storage, checkpoints=str(tmp_path / "states"), keep="leaves")
    study.optimize(hippo.GridSearch([{"lr": 0.1}], until=3))
    with pytest.raises(TrainerError, match=r"load_study\('toy', trainer=...\)"):
        hippo.load_study("toy", storage).best_trial.load_model()
    loaded = hippo.load_study("toy", storage, trainer=Local)
    assert loaded.best_trial.load_model().weights == study.best_trial.load_model().weights


def test_a_changed_class_loads_weights_with_a_warning_and_trains_nothing(make_study: MakeStudy, tmp_path: Path) -> None:
    class Changed(ToyTrainer):
        pass

    storage = f"sqlite:///{tmp_path}/hippo.db"
    make_study(storage=storage, checkpoints=str(tmp_path / "states"), keep="leaves").optimize(
        hippo.GridSearch([{"lr": 0.1}], until=3)
    )
    loaded = hippo.load_study("toy", storage, trainer=Changed, engine=hippo.InlineEngine())
    with pytest.warns(UserWarning, match="changed since study 'toy' was made; its weights are loaded into the class"):
        assert loaded.best_trial.load_model().steps == 3
    with pytest.raises(TrainerError, match="create_study begins a new generation"):
        loaded.evaluate({"lr": 0.2}, until=2)


@pytest.mark.slow
def test_weights_of_a_study_from_a_script_are_exported_and_loaded_by_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT)
    subprocess.run([sys.executable, "train.py"], check=True)
    trained = hippo.load_study("net").best_trial
    assert exit_code(["export", "net", "best", "weights.pt"]) == 0
    assert exit_code(["export", "net", "best", "state.pt", "--format", "state"]) == 0
    assert f"wrote the model of trial {trained.number} of 'net' after 3 steps" in capsys.readouterr().err
    model = torch.nn.Linear(3, 1)
    model.load_state_dict(torch.load("weights.pt"))
    state = torch.load("state.pt")
    assert torch.equal(model.weight, state["model"]["weight"])
    assert set(state["ema"]) == {"weight"}
    assert not list(tmp_path.glob("*.part"))
