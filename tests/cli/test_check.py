"""`hippo check` and `hippo reproduce`, as they are typed: what they print, and what they end with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hippo.cli.app import exit_code
from hippo.cli.check import NamedValue

pytestmark = pytest.mark.usefixtures("warm_programs")
Capture = pytest.CaptureFixture[str]
TOY = "hippo.testing.trainers:ToyTrainer"
HPARAMS = ["--hparam", "lr=0.1", "--hparam", "momentum=0.9"]


@pytest.fixture
def storage(left: Path, tmp_path: Path) -> str:
    """A copy of the database that studies have left, which a test may change."""
    for path in left.glob("hippo.db*"):
        shutil.copy(path, tmp_path)
    return f"sqlite:///{tmp_path}/hippo.db"


@pytest.mark.slow
def test_check_ends_with_0_if_all_is_equal_and_with_1_if_not(capsys: Capture) -> None:
    assert exit_code(["check", TOY, *HPARAMS, "--steps", "3"]) == 0
    assert "ToyTrainer: proven for these steps (3 steps, seed 0, lr=0.1, momentum=0.9)" in capsys.readouterr().out
    assert exit_code(["check", TOY, *HPARAMS, "--steps", "3", "--arg", "forget=velocity"]) == 1
    out = capsys.readouterr().out
    assert "NOT proven" in out
    assert "self.velocity is changed by train()" in " ".join(out.split())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("False", False),
        ("false", False),
        ("True", True),
        ("None", None),
        ("null", None),
        (".1", 0.1),
        ("1e-3", 1e-3),
        ("3", 3),
        ('{"name": "sgd"}', {"name": "sgd"}),
        ("sgd", "sgd"),
        ("64,32", "64,32"),
        ("a=b", "a=b"),
        ("", ""),
        ("1 + 1", "1 + 1"),
    ],
)
def test_a_value_is_read_as_json_or_python_writes_it(text: str, value: object) -> None:
    found = NamedValue().convert(f"x={text}", None, None)
    assert (found, type(found[1])) == (("x", value), type(value))


@pytest.mark.slow
def test_check_tells_programs_what_it_tells_people(capsys: Capture) -> None:
    assert exit_code(["check", TOY, *HPARAMS, "--steps", "2", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["is_proven"], told["steps"], told["findings"]) == (True, 2, [])
    assert told["costs"]["state_bytes"] > 0
    assert exit_code(["check", TOY, *HPARAMS, "--steps", "2", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("comparison,verdict,steps,reason\nthe state before and after")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trainer", "arguments", "says"),
    [
        ("hippo.testing.torch_trainers:BlobsTrainer", [], "trials are walked as one program: "),
        ("hippo.testing.torch_trainers:DrawingTrainer", [], "trials are walked one by one: DrawingTrainer overrides"),
        (TOY, HPARAMS, "trials are walked one by one: only the lanes of a hippo.TorchTrainer can be walked as one"),
    ],
)
def test_check_says_whether_trials_are_walked_as_one(
    capsys: Capture, trainer: str, arguments: list[str], says: str
) -> None:
    assert exit_code(["check", trainer, *arguments, "--steps", "2", "--numerics", "fused"]) == 0
    assert says in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_check_takes_a_class_of_a_script_and_the_first_config_of_its_space_and_runs_no_study(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "import hippo\nfrom hippo.testing.trainers import ToyTrainer\n\nclass Mine(ToyTrainer):\n    pass\n\n"
        "space = hippo.GridSearchSpace({'lr': [0.5, 0.1], 'momentum': [0.9]})\n"
        "hippo.create_study('s', trainer=Mine).optimize(hippo.GridSearch(space, until=3))\n"
    )
    assert exit_code(["check", "mine.py:Mine", "--space", "mine.py:space", "--steps", "2"]) == 0
    assert "Mine: proven for these steps (2 steps, seed 0, lr=0.5, momentum=0.9)" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["mine.py"]


@pytest.mark.slow
def test_check_draws_a_config_of_a_space_without_end(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("drawn.py").write_text("import hippo\nspace = hippo.RandomSearchSpace({'lr': hippo.choice(0.1)})\n")
    assert exit_code(["check", TOY, "--space", "drawn.py:space", "--steps", "2"]) == 0
    assert "(2 steps, seed 0, lr=0.1)" in capsys.readouterr().out


@pytest.mark.slow
def test_check_trains_what_a_study_does(capsys: Capture, storage: str) -> None:
    assert exit_code(["check", TOY, "--study", "two", "--storage", storage, "--steps", "2"]) == 0
    assert "(2 steps, seed 0, lr=0.1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere:Nobody"], "cannot import 'nowhere'"),
        (["hippo.testing.trainers:ToyTrainr"], "Did you mean 'ToyTrainer'"),
        (["hippo.hparams:Config"], "not a class derived from hippo.Trainer"),
        (["toy"], "not of the form MODULE:NAME"),
        ([TOY, "--hparam", "lr"], "not of the form NAME=VALUE"),
        ([TOY, "--hparam", "lr=NaN"], "lr"),
        ([TOY, "--steps", "1"], "--steps"),
        ([TOY, "--arg", "wdth=3"], "do not fit ToyTrainer"),
        ([TOY, "--space", "a:b", "--study", "c"], "give one"),
    ],
)
def test_check_refuses_bad_input_with_2(capsys: Capture, arguments: list[str], message: str) -> None:
    assert exit_code(["check", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_reproduce_ends_with_0_where_all_is_equal(capsys: Capture, storage: str) -> None:
    assert exit_code(["reproduce", "toy", "0", "--storage", storage]) == 0
    assert "trial 0 of 'toy': reproduced (4 of 4 steps trained alone" in capsys.readouterr().out
    assert exit_code(["reproduce", "toy", "best", "--storage", storage, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["is_equal"], told["steps_trained"], told["first_difference"]) == (True, 4, None)


@pytest.mark.slow
def test_reproduce_ends_with_1_where_something_differs(capsys: Capture, storage: str, tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "hippo.db") as database:
        database.execute(
            "update hippo_metrics set metrics = replace(metrics, '\"luck\": 0.', '\"luck\": 1.') where step = 3"
        )
    database.close()
    assert exit_code(["reproduce", "toy", "0", "--storage", storage]) == 1
    out = capsys.readouterr().out
    assert "NOT reproduced (" in out
    assert "after step 3, for the first time" in out
    assert "evaluate() 'luck' was 1." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["toy", "7"], "has no trial 7; its trials are 0 to 1"),
        (["toy", "1"], "trial 1 failed, and has no result to be reproduced: train() at step 3: ValueError"),
        (["tooy", "0"], "Did you mean 'toy'?"),
        (["toy", "first"], "neither a trial's number"),
        (["empty", "0"], "has no trial 0; it has no trial yet"),
        (["toy", "0", "--seed", "3"], "seed=3 is for studies made with seeds"),
    ],
)
def test_reproduce_refuses_bad_input_with_2(capsys: Capture, storage: str, arguments: list[str], message: str) -> None:
    assert exit_code(["reproduce", *arguments, "--storage", storage]) == 2
    assert message in capsys.readouterr().err


SCALED = """
import torch
from torch import nn
from hippo.testing.torch_trainers import FEATURES, BlobsTrainer

class Net(BlobsTrainer):
    factor = 1

    def make_model(self):
        width = self.scaled(128)
        class Times(nn.Module):
            def forward(self, x):
                return x * width ** FACTOR
        return nn.Sequential(nn.Linear(FEATURES, width), nn.ReLU(), nn.Linear(width, 3), Times())
"""


def of_scaled_net(folder: Path, factor: int) -> list[str]:
    module = folder / f"scaled_net_{factor}.py"  # a module of one name is imported once in a process
    module.write_text(SCALED.replace("FACTOR", str(factor)), encoding="utf-8")
    return ["check", f"{module}:Net", "--hparam", "lr=0.1", "--steps", "2"]


@pytest.mark.slow
def test_check_looks_at_the_coordinates_of_a_trainer_that_calls_scaled(tmp_path: Path, capsys: Capture) -> None:
    assert exit_code(of_scaled_net(tmp_path, factor=0)) == 0
    assert "Net: coordinate check passed at 1/8, 1/4, 1/2 of the target" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_check_ends_with_1_where_the_output_grows_with_the_width(tmp_path: Path, capsys: Capture) -> None:
    assert exit_code([*of_scaled_net(tmp_path, factor=1), "--scale", "4", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["is_proven"]
    assert (told["coordinates"]["scales"], told["coordinates"]["is_passed"]) == ([4, 2], False)


@pytest.mark.slow
def test_check_refuses_a_scale_before_it_trains(tmp_path: Path, capsys: Capture) -> None:
    assert exit_code([*of_scaled_net(tmp_path, factor=0), "--scale", "3"]) == 2
    assert "only one to try" in " ".join(capsys.readouterr().err.split())
